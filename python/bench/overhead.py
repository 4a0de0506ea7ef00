# SPDX-License-Identifier: Apache-2.0
"""What a call costs more from Python than in C: koine.reduce of 1,000 floats that are on a device.

The C call is made through the same module, and what cffi takes for any call, measured of one that does nothing, is
subtracted. Calls come in random order and each is timed for itself, so that medians hardly notice what else the machine does.
`python python/bench/overhead.py` prints a line for each kind of array: koine.Array, and those of PyOpenCL, CuPy and PyTorch where
they are installed and find a device. Of the difference, it says what taking the array as libkoine has it costs.
"""

from __future__ import annotations

import importlib
import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import koine
from koine._native import ffi, lib
from koine.operands import take

CALLS = 10000


def microseconds(function: Callable[[], Any]) -> float:
    """Of one call."""
    begin = time.perf_counter_ns()
    function()
    return (time.perf_counter_ns() - begin) / 1000


def compare(kind: str, x: Any) -> None:
    """Prints the medians of koine.reduce(x) and of kn_reduce alone, and their difference."""
    operand = take(x, "x")
    found, err = ffi.new("kn_number *"), ffi.new("kn_error *")
    arguments = operand.space.queue, operand.pointer, lib.KN_F32, 1000, lib.KN_REDUCE_SUM, found, err
    nothing = (ffi.NULL, ffi.NULL, lib.KN_I8, 0, lib.KN_REDUCE_SUM, ffi.NULL, ffi.NULL)  # refused at once

    functions = [
        lambda: koine.reduce(x),
        lambda: take(x, "x"),
        lambda: lib.kn_reduce(*arguments),
        lambda: lib.kn_reduce(*nothing),
    ]
    times: list[list[float]] = [[] for _ in functions]
    generator = np.random.default_rng(1)
    for _ in range(CALLS):
        for i in generator.permutation(len(functions)):
            times[i].append(microseconds(functions[i]))
    python, taken, called, empty = (statistics.median(column) for column in times)
    in_c = called - empty
    more = f"more {python - in_c:5.1f} us; to take it {taken:4.1f} us"
    print(f"{kind:<12} koine.reduce {python:6.1f} us, kn_reduce {in_c:6.1f} us, {more}")


def arrays(x: Any) -> Iterator[tuple[str, Any]]:
    """Every kind of array on a device that there is here."""
    context = koine.Context()
    print(context.device.name)
    yield "koine.Array", context.array(x)
    for library, make in (("pyopencl", of_pyopencl), ("cupy", of_cupy), ("torch", of_torch)):
        try:
            array = make(importlib.import_module(library), x)
        except Exception as none:
            print(f"{library}: {none}")
        else:
            yield library, array


def of_pyopencl(pyopencl: Any, x: Any) -> Any:
    """In a queue on PyOpenCL's default device."""
    queue = pyopencl.CommandQueue(pyopencl.create_some_context(interactive=False))
    return importlib.import_module("pyopencl.array").to_device(queue, x)


def of_cupy(cupy: Any, x: Any) -> Any:
    """In CuPy's current stream."""
    return cupy.asarray(x)


def of_torch(torch: Any, x: Any) -> Any:
    """In PyTorch's current stream."""
    return torch.from_numpy(x).cuda()


def main() -> None:
    """All of them."""
    for kind, x in arrays(np.arange(1000, dtype="float32")):
        compare(kind, x)


if __name__ == "__main__":
    main()
