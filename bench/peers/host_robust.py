#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Mean, standard deviation, median and MAD of a column in host memory beside SciPy and numpy, in one process, in turns, on the
# same columns; each answer is compared with theirs.
#
#     bench/peers/host_robust.py LIBRARY [--threads N] [--level 1|2|3] [--largest N] [--column FILE.csv] [--prefixes N]
#
# LIBRARY is libkoine.so; levels as kn_host_level (1 plain C, 2 AVX2, 3 AVX-512). Peers, with one thread: "scipy" is
# scipy.stats.median_abs_deviation, numpy.median, mean and std; "partition" is numpy.partition twice, for the median and for the
# deviations', and no mean. Seconds: the least of several runs of the processor's time of the calling process (--wall: of the
# time that passes). --column: an E4 recording (two lines of header, then whole numbers), its first column repeated.
# --prefixes: so many growing prefixes of it as bytes beside one evaluation of the whole.
import argparse
import ctypes
import time

import numpy
import scipy
import scipy.stats

TYPES = {"int8": 0, "uint8": 1, "float32": 8, "float64": 9}


class Options(ctypes.Structure):
    _fields_ = [("threads", ctypes.c_uint), ("descending", ctypes.c_int), ("level", ctypes.c_int)]


class Robust(ctypes.Structure):
    _fields_ = ([(name, ctypes.c_size_t) for name in ("n", "nan_count")] +
                [(name, ctypes.c_double) for name in "mean variance shift sum squares median mad".split()] +
                [(name, ctypes.c_int) for name in ("method", "missed")])


parser = argparse.ArgumentParser()
parser.add_argument("library")
parser.add_argument("--threads", type=int, default=1)
parser.add_argument("--level", type=int, default=0)
parser.add_argument("--largest", type=int, default=50_000_000)
parser.add_argument("--column")
parser.add_argument("--prefixes", type=int, default=0)
parser.add_argument("--wall", action="store_true")
arguments = parser.parse_args()
koine = ctypes.CDLL(arguments.library)
options = Options(arguments.threads, 0, arguments.level)
clock = time.perf_counter if arguments.wall else time.process_time


def ours(x):
    result = Robust()
    status = koine.kn_host_robust(ctypes.c_void_p(x.ctypes.data), ctypes.c_int(TYPES[x.dtype.name]),
                                  ctypes.c_size_t(x.size), None, ctypes.byref(options), ctypes.byref(result), None)
    if status or result.missed:
        raise SystemExit(f"kn_host_robust: status {status}, missed {result.missed}")
    return result.median, result.mad, result.mean, result.variance ** 0.5


def with_scipy(x):
    wide = x.astype(numpy.float64) if x.dtype.itemsize == 1 else x
    return numpy.median(wide), scipy.stats.median_abs_deviation(wide), wide.mean(dtype=numpy.float64), wide.std(dtype=numpy.float64)


def middle(x):
    ranks = [(x.size - 1) // 2, x.size // 2]
    part = numpy.partition(x, ranks)
    return part[ranks].mean(dtype=numpy.float64)


def with_partition(x):
    median = middle(x)
    return median, middle(numpy.abs(x - x.dtype.type(median)))


# Floats: SciPy rounds deviations to float, and so may the last digits of theirs differ.
def alike(mine, other, dtype):
    tolerance = 1e-6 if dtype == numpy.float32 else 1e-12
    return all(abs(a - b) <= tolerance * max(1, abs(b)) for a, b in zip(mine, other))


def compare(column, pattern):
    works = [ours, with_scipy] + ([with_partition] if column.dtype.kind == "f" else [])
    seconds = [[] for _ in works]
    answers = [None for _ in works]
    for _ in range(7 if column.size <= 10**7 else 4):
        for i, work in enumerate(works):
            start = clock()
            answers[i] = work(column)
            seconds[i].append(clock() - start)
    least = [min(s) for s in seconds]
    right = all(alike(answers[0], other, column.dtype) for other in answers[1:])
    exact = ""
    if pattern == "column": # whole numbers: sums without any error
        whole = column.astype(numpy.int64)
        mean, squares = whole.sum() / whole.size, int((whole * whole).sum())
        cv = (squares / whole.size - mean * mean) ** 0.5 / mean
        exact = f"  CV off by {abs(answers[0][3] / answers[0][2] / cv - 1):.1e}"
    print(f"{column.dtype.name:8} {pattern:7} {column.size:9} " +
          " ".join(f"{s:9.5f}" for s in least) + "".join(f"{s / least[0]:7.1f}x" for s in least[1:]) +
          f"  {'same' if right else 'DIFFERENT'}{exact}", flush=True)


def sweep(column, count):
    ends = numpy.array([(i + 1) * column.size // count for i in range(count)], numpy.uintp)
    results = (Robust * count)()
    seconds = [[], []]
    for _ in range(5):
        start = clock()
        koine.kn_host_robust_prefixes(ctypes.c_void_p(column.ctypes.data), ctypes.c_int(TYPES[column.dtype.name]),
                                      ctypes.c_void_p(ends.ctypes.data), ctypes.c_size_t(count), None,
                                      ctypes.byref(options), results, None)
        seconds[0].append(clock() - start)
        start = clock()
        whole = ours(column)
        seconds[1].append(clock() - start)
    same = (results[count - 1].median, results[count - 1].mad) == whole[:2]
    print(f"{column.dtype.name:8} {count} prefixes of {column.size}: {min(seconds[0]):.5f}, the whole alone "
          f"{min(seconds[1]):.5f}: {min(seconds[0]) / min(seconds[1]):.2f} times  {'same' if same else 'DIFFERENT'}")


print(f"scipy {scipy.__version__}, numpy {numpy.__version__}; koine with {arguments.threads or 'all'} threads, level "
      f"{arguments.level}; least of {'wall' if arguments.wall else 'processor'} time, seconds: koine, scipy, partition; ratios")
chance = numpy.random.default_rng(1)
recording = arguments.column and numpy.loadtxt(arguments.column, delimiter=",", skiprows=2, usecols=0)
for n in (n for n in (10**6, 10**7, 5 * 10**7) if n <= arguments.largest):
    for name in ("float32", "float64"):
        compare(chance.standard_normal(n).astype(name), "random")
    if arguments.column:
        for name in ("float32", "float64", "int8"):
            compare(numpy.resize(recording, n).astype(name), "column")
if arguments.column and arguments.prefixes:
    for name in ("int8", "float64"):
        sweep(numpy.resize(recording, arguments.largest).astype(name), arguments.prefixes)
