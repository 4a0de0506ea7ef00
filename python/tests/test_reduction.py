# SPDX-License-Identifier: Apache-2.0
"""Reductions and prefixes, beside NumPy's."""

from __future__ import annotations

import math

import numpy as np
import pytest
from conftest import KINDS, Place, numbers, numpy_of

import koine


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", [1, 1000, 70001])
def test_reduce(place: Place, kind: str, n: int) -> None:
    x = numbers(kind, n)
    given, where = place(x)
    if x.dtype.kind == "f":
        exact = math.fsum(x.tolist())
        assert koine.reduce(given, **where) == pytest.approx(exact, rel=1e-12, abs=1e-9)
    else:
        assert koine.reduce(given, **where) == int(x.sum(dtype="uint64" if x.dtype.kind == "u" else "int64"))
    assert koine.reduce(given, "min", **where) == x.min()
    assert koine.reduce(given, "max", **where) == x.max()


def test_the_host_and_the_device_have_the_same_bits(context: koine.Context) -> None:
    x = numbers("float64", 100000)
    device = context.array(x)
    for op in ("sum", "product"):
        assert koine.reduce(x, op) == koine.reduce(device, op)
    assert koine.moments(x) == koine.moments(device)
    assert koine.stats(x) == koine.stats(device)


def test_nothing(place: Place) -> None:
    given, where = place(np.empty(0, "float32"))
    assert koine.reduce(given, **where) == 0
    assert koine.reduce(given, "product", **where) == 1
    with pytest.raises(koine.ArgumentError):
        koine.reduce(given, "min", **where)


def test_an_operation_of_ones_own(context: koine.Context) -> None:
    x = numbers("float32", 5000)
    squares = koine.Combine("a + b", identity="0", map="x * x")
    found = koine.reduce(context.array(x), squares, dtype="float64")
    assert found == pytest.approx(float((x.astype("float64") ** 2).sum()), rel=1e-6)
    assert koine.reduce(x, koine.Combine("fmax(a, b)", identity="-INFINITY"), context=context) == x.max()
    with pytest.raises(koine.BuildError):
        koine.reduce(x, koine.Combine("a +", identity="0"), context=context)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", [0, 1, 1000, 70001])
def test_scan(place: Place, kind: str, n: int) -> None:
    x = (numbers(kind, n) % 5).astype(kind)
    given, where = place(x)
    expected = np.cumsum(x, dtype=kind)
    found = numpy_of(koine.scan(given, **where))
    assert found.dtype == x.dtype
    assert (
        np.allclose(found, expected, rtol=1e-4, atol=1e-2) if x.dtype.kind == "f" else np.array_equal(found, expected)
    )
    largest = numpy_of(koine.scan(given, "max", **where))
    assert np.array_equal(largest, np.maximum.accumulate(x))


def test_scan_exclusive(place: Place) -> None:
    given, where = place(np.array([1, 2, 3, 4], "int32"))
    assert numpy_of(koine.scan(given, exclusive=True, **where)).tolist() == [0, 1, 3, 6]


def test_scan_with_an_operation(context: koine.Context) -> None:
    found = koine.scan(context.array(np.arange(1, 6, dtype="int32")), koine.Combine("a * b", identity="1"))
    assert found.numpy().tolist() == [1, 2, 6, 24, 120]


@pytest.mark.parametrize("kind", KINDS)
def test_moments(place: Place, kind: str) -> None:
    x = numbers(kind, 10001)
    given, where = place(x)
    found = koine.moments(given, **where)
    assert found.n == x.size and found.nan_count == 0
    assert found.mean == pytest.approx(x.mean(dtype="float64"), rel=1e-9, abs=1e-9)
    assert found.variance == pytest.approx(x.astype("float64").var(), rel=1e-9)
    assert (found.min, found.max) == (float(x.min()), float(x.max()))
