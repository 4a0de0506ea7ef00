# SPDX-License-Identifier: Apache-2.0
"""What a call costs more from Python than in C: koine.reduce of 1,000 floats that are on a device.

The C call is made through the same module, by a loop whose own cost is measured and subtracted; medians of alternating
runs. `python python/bench/overhead.py` prints a line for each kind of array; PyOpenCL's if it is installed.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import koine
from koine._native import ffi, lib
from koine.operands import take

ROUNDS, CALLS = 30, 300


def each(function: Callable[[], Any]) -> float:
    """Microseconds a call."""
    begin = time.perf_counter()
    for _ in range(CALLS):
        function()
    return (time.perf_counter() - begin) / CALLS * 1e6


def compare(kind: str, x: Any) -> None:
    """Prints the medians of koine.reduce(x), of kn_reduce alone, and of their difference."""
    operand = take(x, "x")
    found, err = ffi.new("kn_number *"), ffi.new("kn_error *")
    arguments = operand.space.queue, operand.pointer, lib.KN_F32, 1000, lib.KN_REDUCE_SUM, found, err

    def in_c() -> None:
        lib.kn_reduce(*arguments)

    def nothing(*arguments: Any) -> None:
        pass

    def loop() -> None:
        nothing(*arguments)

    for function in (lambda: koine.reduce(x), in_c):
        each(function)
    pairs = [(each(lambda: koine.reduce(x)), each(in_c) - each(loop)) for _ in range(ROUNDS)]
    python, c = (statistics.median(column) for column in zip(*pairs, strict=True))
    more = statistics.median(first - second for first, second in pairs)
    print(f"{kind:<16} koine.reduce {python:6.1f} us, kn_reduce {c:6.1f} us, more {more:5.1f} us")


def main() -> None:
    """Every kind of array that there is here."""
    x = np.arange(1000, dtype="float32")
    context = koine.Context()
    print(context.device.name)
    compare("koine.Array", context.array(x))
    try:
        import pyopencl
        from pyopencl import array
    except ImportError:
        return
    queue = pyopencl.CommandQueue(pyopencl.create_some_context(interactive=False))
    compare("PyOpenCL", array.to_device(queue, x))


if __name__ == "__main__":
    main()
