# SPDX-License-Identifier: Apache-2.0
"""Robust statistics, beside NumPy's and SciPy's."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from conftest import Place, numbers

import koine


@pytest.mark.parametrize("kind", ["float64", "float32", "int8", "uint8"])
@pytest.mark.parametrize("n", [1, 2, 1001, 50000])
@pytest.mark.parametrize("method", ["auto", "sort", "select", "fused"])
def test_stats(place: Place, kind: str, n: int, method: str) -> None:
    median_abs_deviation = pytest.importorskip("scipy.stats").median_abs_deviation
    x = numbers(kind, n)
    given, where = place(x)
    found = koine.stats(given, method=method, **where)
    exact = x.astype("float64")
    assert found.n == n
    assert found.mean == pytest.approx(exact.mean(), rel=1e-9, abs=1e-9)
    assert found.std == pytest.approx(exact.std(), rel=1e-9, abs=1e-12)
    assert found.median == np.median(exact)
    assert found.mad == median_abs_deviation(exact)


def test_columns(context: koine.Context) -> None:
    x = numbers("float32", 5 * 3001).reshape(5, 3001)
    expected = [koine.stats(row) for row in x]
    assert koine.stats(x, columns=True) == expected
    assert koine.stats(x, columns=True, context=context) == expected
    assert koine.stats(x[:0], columns=True) == []


def test_mad(place: Place) -> None:
    scipy_stats = pytest.importorskip("scipy.stats")
    x = numbers("float64", 1000)
    given, where = place(x)
    assert koine.mad(given, **where) == scipy_stats.median_abs_deviation(x)
    scaled = scipy_stats.median_abs_deviation(x, scale="normal")
    assert koine.mad(given, scale="normal", **where) == pytest.approx(scaled, rel=1e-15)


def test_nan_and_nothing(place: Place) -> None:
    for x in (np.array([1.0, np.nan, 2.0]), np.empty(0)):
        given, where = place(x)
        found = koine.stats(given, **where)
        assert found.n == x.size
        assert all(np.isnan(number) for number in found[1:])


def test_other_types_are_refused() -> None:
    with pytest.raises(koine.UnsupportedError):
        koine.stats(np.arange(5, dtype="int32"))


@pytest.mark.parametrize("kind", ["float64", "float32", "uint8"])
@pytest.mark.parametrize("known", [True, False])
def test_chunks(kind: str, known: bool, context: koine.Context) -> None:
    x = numbers(kind, 50001)
    cuts = [0, 1, 1, 700, 20000, 50001]
    parts = [x[a:b] for a, b in zip(cuts, cuts[1:])]
    passes = []

    def read() -> Iterator[object]:
        passes.append(1)
        yield from parts

    count = x.size if known else None
    expected = koine.stats(x, method="select")
    assert koine.stats_of_chunks(read, dtype=kind, count=count, held=8000) == expected
    assert len(passes) >= 2
    assert koine.stats_of_chunks(parts, dtype=kind, count=count) == expected
    assert koine.stats_of_chunks(parts, dtype=kind, held=8000, context=context).median == expected.median
    assert koine.stats_of_chunks([], dtype=kind).n == 0


def test_chunks_that_change() -> None:
    given = iter([np.zeros(9000), np.zeros(9000), np.ones(5)])
    with pytest.raises(koine.ArgumentError):
        koine.stats_of_chunks(lambda: [next(given)], held=100)
    with pytest.raises(koine.ArgumentError):
        koine.stats_of_chunks([np.zeros(9000)], held=100, count=8999)


def test_masked_chunks_are_refused() -> None:
    with pytest.raises(TypeError, match="masked"):
        koine.stats_of_chunks([np.ma.masked_array(np.ones(3), [0, 1, 0])])


def test_an_error_of_a_chunk_is_raised() -> None:
    def read() -> Iterator[object]:
        yield np.zeros(9)
        raise OSError("the disk is gone")

    with pytest.raises(OSError, match="the disk is gone"):
        koine.stats_of_chunks(read, held=2)
