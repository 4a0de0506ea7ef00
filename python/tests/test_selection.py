# SPDX-License-Identifier: Apache-2.0
"""Ranks, quantiles, distinct values and histograms, beside NumPy's."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import KINDS, Place, numbers, numpy_of

import koine


@pytest.mark.parametrize("kind", KINDS)
def test_select(place: Place, kind: str) -> None:
    x = numbers(kind, 5001)
    given, where = place(x)
    ranks = np.array([[0, 17], [2500, 5000]])
    found = koine.select(given, ranks, **where)
    assert found.shape == (2, 2) and found.dtype == x.dtype
    assert np.array_equal(found, np.sort(x)[ranks])
    assert koine.select(given, 7, **where) == np.sort(x)[7]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", [1, 2, 1001])
def test_quantile_and_median(place: Place, kind: str, n: int) -> None:
    x = numbers(kind, n)
    given, where = place(x)
    q = [0, 0.1, 0.5, 0.99, 1]
    assert np.allclose(koine.quantile(given, q, **where), np.quantile(x.astype("float64"), q), rtol=1e-12)
    assert koine.median(given, **where) == pytest.approx(np.median(x.astype("float64")), rel=1e-15)


def test_quantile_of_nan(place: Place) -> None:
    given, where = place(np.array([1, np.nan, 3], "float32"))
    assert np.isnan(koine.quantile(given, 0.5, **where))
    assert np.isnan(koine.median(given, **where))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", [0, 1, 3000])
def test_unique(place: Place, kind: str, n: int) -> None:
    x = (numbers(kind, n) % 50).astype(kind)
    if x.dtype.kind == "f":
        x = np.round(x)
    given, where = place(x)
    values, counts = koine.unique(given, return_counts=True, **where)
    expected = np.unique(x, return_counts=True)
    assert np.array_equal(numpy_of(values), expected[0])
    assert np.array_equal(numpy_of(counts), expected[1])


@pytest.mark.parametrize("x", [[1, np.nan, 1, np.nan, np.nan], [np.nan], [0.0, -0.0, 2]])
def test_unique_of_nan_and_zeros(place: Place, x: list[float]) -> None:
    given, where = place(np.array(x))
    values, counts = koine.unique(given, return_counts=True, **where)
    expected = np.unique(x, return_counts=True)
    assert np.array_equal(numpy_of(values), expected[0], equal_nan=True)
    assert np.array_equal(numpy_of(counts), expected[1])


def test_unique_of_two_axes(place: Place) -> None:
    given, where = place(np.array([[3, 1], [1, 3]]))
    assert numpy_of(koine.unique(given, **where)).tolist() == [1, 3]


@pytest.mark.parametrize("kind", KINDS)
def test_histogram(place: Place, kind: str) -> None:
    x = (numbers(kind, 5000) % 60).astype(kind)
    given, where = place(x)
    for bins in (7, [0, 1, 1, 10, 40]):
        counts, edges = koine.histogram(given, bins, **where)
        expected = np.histogram(x, edges)
        assert np.array_equal(numpy_of(counts), expected[0])
    counts, edges = koine.histogram(given, 4, (0, 20), **where)
    assert edges.tolist() == [0, 5, 10, 15, 20]
    assert np.array_equal(numpy_of(counts), np.histogram(x, 4, (0, 20))[0])


def test_histogram_of_nothing(place: Place) -> None:
    given, where = place(np.empty(0))
    counts, edges = koine.histogram(given, 3, **where)
    assert numpy_of(counts).tolist() == [0, 0, 0]
    assert np.array_equal(edges, np.histogram([], 3)[1])
