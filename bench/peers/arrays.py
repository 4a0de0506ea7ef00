#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Peers in Python: NumPy, and PyTorch and CuPy where they and a GPU are there.

    arrays.py [--largest LOG2]

One line a measurement: peer, job, type, n, median, least and most in ms, separated by tabs. The host is timed by the
clock, a GPU by its events.
"""
import argparse
import sys
import time

import numpy

WARM_UPS = 2


def host_times(work, repetitions):
    times = []
    for _ in range(repetitions):
        start = time.perf_counter()
        work()
        times.append((time.perf_counter() - start) * 1e3)
    return times


def report(peer, job, kind, n, times):
    times = sorted(times)
    print(f"{peer}\t{job}\t{kind}\t{n}\t{times[len(times) // 2]:.5g}\t{times[0]:.5g}\t{times[-1]:.5g}", flush=True)


def sizes(largest):
    return [n for n in (16, 20, 24, 26, 28) if n <= largest]


def time_numpy(largest):
    random = numpy.random.default_rng(1)
    for log2_n in sizes(min(largest, 26)):
        n = 1 << log2_n
        repetitions = 15 if log2_n < 24 else 5
        for kind in ("float32", "float64", "int32", "int64"):
            x = random.normal(0, 100, n).astype(kind) if kind[0] == "f" else random.integers(-(1 << 31), 1 << 31, n).astype(kind)
            rooms = []

            def fresh_sort():
                rooms.pop().sort()

            jobs = {"median": lambda: numpy.median(x), "sum": lambda: numpy.sum(x), "scan": lambda: numpy.cumsum(x)}
            for _ in range(repetitions):
                rooms.append(x.copy())
            report("NumPy " + numpy.__version__, "sort", kind, n, host_times(fresh_sort, repetitions))
            for job, work in jobs.items():
                host_times(work, WARM_UPS)
                report("NumPy " + numpy.__version__, job, kind, n, host_times(work, repetitions))
    for n in (256, 1024):
        a, b = random.normal(size=(n, n)).astype("float32"), random.normal(size=(n, n)).astype("float32")
        host_times(lambda: a @ b, WARM_UPS)
        report("NumPy " + numpy.__version__, "gemm", "float32", n, host_times(lambda: a @ b, 5))


def time_torch(largest):
    import torch

    if not torch.cuda.is_available():
        raise ImportError("PyTorch sees no GPU")
    torch.backends.cuda.matmul.allow_tf32 = False

    def times(work, repetitions=9):
        for _ in range(WARM_UPS):
            work()
        found = []
        for _ in range(repetitions):
            start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            start.record()
            work()
            end.record()
            end.synchronize()
            found.append(start.elapsed_time(end))
        return found

    peer = "PyTorch " + torch.__version__
    for log2_n in sizes(largest):
        n = 1 << log2_n
        x = torch.randn(n, device="cuda") * 100
        for job, work in {"sort": lambda: torch.sort(x), "median": lambda: torch.median(x), "sum": lambda: torch.sum(x),
                          "std_mean": lambda: torch.std_mean(x), "scan": lambda: torch.cumsum(x, 0),
                          "top 1000": lambda: torch.topk(x, 1000)}.items():
            report(peer, job, "float32", n, times(work))
    for n in (1024, 4096, 8192):
        a = torch.randn(n, n, device="cuda")
        report(peer, "gemm", "float32", n, times(lambda: a @ a))


def time_cupy(largest):
    import cupy

    peer = "CuPy " + cupy.__version__
    for log2_n in sizes(min(largest, 26)):
        n = 1 << log2_n
        x = cupy.random.normal(0, 100, n, dtype="float32")
        for job, work in {"sort": lambda: cupy.sort(x), "median": lambda: cupy.median(x), "sum": lambda: cupy.sum(x),
                          "scan": lambda: cupy.cumsum(x)}.items():
            found = []
            for i in range(WARM_UPS + 9):
                start, end = cupy.cuda.Event(), cupy.cuda.Event()
                start.record()
                work()
                end.record()
                end.synchronize()
                if i >= WARM_UPS:
                    found.append(cupy.cuda.get_elapsed_time(start, end))
            report(peer, job, "float32", n, found)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--largest", type=int, default=24, help="log2 of the largest array (24)")
    parser.add_argument("--only", choices=("numpy", "torch", "cupy"), action="append")
    options = parser.parse_args()
    for name, run in {"numpy": time_numpy, "torch": time_torch, "cupy": time_cupy}.items():
        if options.only and name not in options.only:
            continue
        try:
            run(options.largest)
        except ImportError as missing:
            print(f"without {name}: {missing}", file=sys.stderr)


if __name__ == "__main__":
    main()
