#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Other readers of CSV files, on the file that bench/csv --keep FILE has made: the three columns behind the first one.
#
#     bench/peers/csv_peers.py FILE [--bench BENCH] [--repetitions N]
#
# pandas (its C engine), numpy.loadtxt and R's data.table, each where it is there; all with one thread. --bench: bench/csv,
# whose lines stand beside them, in the same run. GB of text a second, of the fastest repetition, by the time that passes
# and by the processor's time.
import argparse
import os
import shutil
import subprocess
import sys
import time

parser = argparse.ArgumentParser()
parser.add_argument("file")
parser.add_argument("--bench")
parser.add_argument("--repetitions", type=int, default=5)
arguments = parser.parse_args()

if arguments.bench:
    subprocess.run([arguments.bench, "--keep", arguments.file, "--threads", "1"], check=True)
size = os.path.getsize(arguments.file)
with open(arguments.file, encoding="ascii") as lines:
    rows = sum(1 for _ in lines) - 1


def report(name, wall, processor):
    print(f"{name:32} {size / min(wall) / 1e9:8.3f} {size / min(processor) / 1e9:8.3f}", flush=True)


def measure(name, read):
    wall, processor = [], []
    for _ in range(arguments.repetitions):
        start, processor_start = time.perf_counter(), time.process_time()
        count = read()
        wall.append(time.perf_counter() - start)
        processor.append(time.process_time() - processor_start)
        if count != rows:
            raise SystemExit(f"{name}: {count} rows, not {rows}")
    report(name, wall, processor)


print(f"{'GB/s':32} {'wall':>8} {'processor':>8}")
try:
    import pandas

    measure(f"pandas {pandas.__version__}, C engine, x y z",
            lambda: len(pandas.read_csv(arguments.file, engine="c", usecols=[1, 2, 3])))
    measure(f"pandas {pandas.__version__}, C engine, all", lambda: len(pandas.read_csv(arguments.file, engine="c")))
except ImportError:
    print("without pandas: there is none for this Python", file=sys.stderr)
try:
    import numpy

    if tuple(int(part) for part in numpy.__version__.split(".")[:2]) >= (1, 23):
        measure(f"numpy.loadtxt {numpy.__version__}, x y z",
                lambda: len(numpy.loadtxt(arguments.file, delimiter=",", skiprows=1, usecols=(1, 2, 3))))
except ImportError:
    print("without NumPy: there is none for this Python", file=sys.stderr)

SCRIPT = """
suppressMessages(library(data.table))
setDTthreads(1)
a <- commandArgs(TRUE)
for (i in seq_len(as.integer(a[2]))) {
    t <- system.time(d <- fread(a[1], select = 2:4))
    stopifnot(nrow(d) == as.integer(a[3]))
    cat(t[["elapsed"]], t[["user.self"]] + t[["sys.self"]], as.character(packageVersion("data.table")), "\\n")
}
"""
if not shutil.which("Rscript"):
    print("without data.table: there is no Rscript", file=sys.stderr)
else:
    done = subprocess.run(["Rscript", "-e", SCRIPT, arguments.file, str(arguments.repetitions), str(rows)],
                          capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"without data.table: {done.stderr.strip().splitlines()[-1]}", file=sys.stderr)
    else:
        times = [line.split() for line in done.stdout.splitlines()]
        report(f"data.table {times[0][2]} fread, x y z", [float(t[0]) for t in times], [float(t[1]) for t in times])
