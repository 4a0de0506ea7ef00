# SPDX-License-Identifier: Apache-2.0
"""Robust statistics, beside NumPy's and SciPy's."""

from __future__ import annotations

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
