# SPDX-License-Identifier: Apache-2.0
"""What the tests share: places where arrays are computed, and arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import koine

Place = Callable[[Any], Any]


@pytest.fixture(scope="session")
def context() -> Iterator[koine.Context]:
    """The default device; without one, the tests of devices are skipped."""
    try:
        opened = koine.Context()
    except koine.NoDeviceError as none:
        pytest.skip(str(none))
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def cl_queue() -> Any:
    """A queue of PyOpenCL on its default device."""
    cl = pytest.importorskip("pyopencl")
    try:
        return cl.CommandQueue(cl.create_some_context(interactive=False))
    except cl.Error as none:
        pytest.skip(f"PyOpenCL finds no device: {none}")


@pytest.fixture(params=["host", "upload", "koine", "pyopencl"])
def place(request: Any) -> Place:
    """Puts an array of NumPy where a function is to compute: a function of the array that returns its argument, and
    further arguments by name."""
    if request.param == "host":
        return lambda x: (x, {})
    if request.param == "pyopencl":
        queue = request.getfixturevalue("cl_queue")
        array = pytest.importorskip("pyopencl.array")
        return lambda x: (array.to_device(queue, x), {})
    opened = request.getfixturevalue("context")
    if request.param == "upload":
        return lambda x: (x, {"context": opened})
    return lambda x: (opened.array(x), {})


def numpy_of(x: Any) -> Any:
    """A result as an array of NumPy."""
    if isinstance(x, np.ndarray):
        return x
    return x.get() if hasattr(x, "get") else x.numpy()


KINDS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64"]


def numbers(kind: str, n: int, seed: int = 1) -> Any:
    """n numbers of a type, many of them equal where it is small."""
    generator = np.random.default_rng(seed)
    dtype = np.dtype(kind)
    if dtype.kind == "f":
        return generator.normal(size=n).astype(dtype)
    ends = np.iinfo(dtype)
    return generator.integers(ends.min, ends.max, n, dtype, endpoint=True)
