#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# numpy beside the host's own algorithms, in one process, in turns, on the same columns; each answer is compared with
# numpy's.
#
#     bench/peers/host_numpy.py LIBRARY [--threads N] [--largest N] [--column FILE.csv]
#
# LIBRARY is libkoine.so. numpy works with one thread whatever N is. Seconds: the least of several runs of the processor's time
# of the calling process (--wall: of the time that passes, and the median of it). --column: an E4 recording (two lines of
# header, then whole numbers), its first column repeated: a column with many ties.
import argparse
import ctypes
import time

import numpy

TYPES = "int8 uint8 int16 uint16 int32 uint32 int64 uint64 float32 float64".split()


class Options(ctypes.Structure):
    _fields_ = [("threads", ctypes.c_uint), ("descending", ctypes.c_int), ("level", ctypes.c_int)]


parser = argparse.ArgumentParser()
parser.add_argument("library")
parser.add_argument("--threads", type=int, default=1)
parser.add_argument("--largest", type=int, default=10_000_000)
parser.add_argument("--column")
parser.add_argument("--wall", action="store_true")
arguments = parser.parse_args()
koine = ctypes.CDLL(arguments.library)
options = Options(arguments.threads, 0, 0)
clock = time.perf_counter if arguments.wall else time.process_time


def pointer(array):
    return ctypes.c_void_p(array.ctypes.data)


def kind(array):
    return ctypes.c_int(TYPES.index(array.dtype.name))


def call(function, *rest):
    status = function(*rest, ctypes.byref(options), None)
    if status:
        raise SystemExit(f"{function.__name__}: status {status}")


def our_sort(x):
    call(koine.kn_host_sort, pointer(x), kind(x), ctypes.c_size_t(x.size))
    return x


def our_argsort(x):
    order = numpy.empty(x.size, numpy.uint64)
    call(koine.kn_host_argsort, pointer(x), kind(x), ctypes.c_size_t(x.size), pointer(order), ctypes.c_int(7))
    return order


def our_quantile(x, q):
    value = ctypes.c_double()
    call(koine.kn_host_quantiles, pointer(x), kind(x), ctypes.c_size_t(x.size), ctypes.byref(ctypes.c_double(q)),
         ctypes.c_size_t(1), ctypes.byref(value))
    return numpy.float64(value.value)


def our_sum(x):
    value = ctypes.c_double()
    call(koine.kn_host_sum, pointer(x), kind(x), ctypes.c_size_t(x.size), ctypes.byref(value))
    return numpy.float64(value.value)


def numpy_sort(x):
    x.sort()
    return x


# Name, ours, numpy's, only for real numbers, how the answers may differ.
TASKS = [
    ("sort", our_sort, numpy_sort, False, 0),
    ("argsort, stable", our_argsort, lambda x: numpy.argsort(x, kind="stable"), False, 0),
    ("median", lambda x: our_quantile(x, 0.5), lambda x: numpy.float64(numpy.median(x)), True, 1e-6),
    ("sum in double", our_sum, lambda x: numpy.sum(x, dtype=numpy.float64), True, 1e-10),
]


def compare(column, pattern, repetitions):
    for name, ours, theirs, only_reals, tolerance in TASKS:
        if only_reals and column.dtype.kind != "f":
            continue
        seconds = [[], []]
        for _ in range(repetitions):
            answers = []
            for i, work in enumerate((ours, theirs)):
                x = column.copy()
                start = clock()
                answers.append(work(x))
                seconds[i].append(clock() - start)
        scale = numpy.abs(column, dtype=numpy.float64).sum() if name.startswith("sum") else 1
        same = numpy.array_equal(*answers) if tolerance == 0 else abs(answers[0] - answers[1]) <= tolerance * scale
        pick = numpy.median if arguments.wall else min
        mine, other = pick(seconds[0]), pick(seconds[1])
        print(f"{name:16} {column.dtype.name:8} {pattern:7} {column.size:9} {mine:9.5f} {other:9.5f} {other / mine:7.2f}  "
              f"{'same' if same else 'DIFFERENT'}", flush=True)


print(f"numpy {numpy.__version__} with one thread; koine with {arguments.threads or 'all'}; "
      f"{'median of wall' if arguments.wall else 'least of processor'} time")
print(f"{'':16} {'':8} {'':7} {'n':>9} {'koine s':>9} {'numpy s':>9} {'ratio':>7}")
chance = numpy.random.default_rng(1)
for n in (n for n in (10**6, 10**7, 5 * 10**7) if n <= arguments.largest):
    repetitions = 7 if n < 10**7 else 5 if n < 5 * 10**7 else 3
    for name in ("float32", "float64", "int32", "int64", "int16", "uint8"):
        if name.startswith("float"):
            compare(chance.standard_normal(n).astype(name), "random", repetitions)
        else:
            limits = numpy.iinfo(name)
            compare(chance.integers(limits.min, limits.max, n, name, endpoint=True), "random", repetitions)
    if arguments.column:
        column = numpy.loadtxt(arguments.column, delimiter=",", skiprows=2, usecols=0)
        for name in ("float32", "float64", "int8"):
            compare(numpy.resize(column, n).astype(name), "column", repetitions)
