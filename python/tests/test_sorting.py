# SPDX-License-Identifier: Apache-2.0
"""Sorting, beside NumPy's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from conftest import KINDS, Place, numbers, numpy_of

import koine


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", [0, 1, 2, 1000, 5000])
def test_sort(place: Place, kind: str, n: int) -> None:
    x = numbers(kind, n)
    given, where = place(x)
    assert np.array_equal(numpy_of(koine.sort(given, **where)), np.sort(x))
    assert np.array_equal(numpy_of(koine.sort(given, descending=True, **where)), np.sort(x)[::-1])
    assert np.array_equal(numpy_of(given), numbers(kind, n)), "x was changed"


@pytest.mark.parametrize("kind", KINDS)
def test_argsort_is_stable(place: Place, kind: str) -> None:
    x = (numbers(kind, 3000) % 7).astype(kind)
    given, where = place(x)
    assert np.array_equal(numpy_of(koine.argsort(given, **where)), np.argsort(x, kind="stable"))


@pytest.mark.parametrize("kind", KINDS)
def test_sort_by_key(place: Place, kind: str) -> None:
    keys, values = (numbers(kind, 3000) % 7).astype(kind), np.arange(3000, dtype="int32")
    given, where = place(keys)
    beside = values if where else place(values)[0]
    order = np.argsort(keys, kind="stable")
    found = koine.sort_by_key(given, beside, **where)
    assert np.array_equal(numpy_of(found[0]), keys[order])
    assert np.array_equal(numpy_of(found[1]), values[order])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("k", [0, 1, 10, 2000])
def test_top_k(place: Place, kind: str, k: int) -> None:
    x = numbers(kind, 2000)
    given, where = place(x)
    values, indices = (numpy_of(found) for found in koine.top_k(given, k, **where))
    assert np.array_equal(values, np.sort(x)[::-1][:k])
    assert np.array_equal(x[indices], values)
    smallest, _ = koine.top_k(given, k, largest=False, **where)
    assert np.array_equal(numpy_of(smallest), np.sort(x)[:k])


def test_nan_come_last(place: Place) -> None:
    x = np.array([np.nan, 1, -np.inf, np.nan, 0, -0.0, np.inf])
    given, where = place(x)
    found = numpy_of(koine.sort(given, **where))
    assert np.array_equal(found, np.sort(x), equal_nan=True)
    assert np.signbit(found[1]) and not np.signbit(found[2]), "-0 comes before +0"
    last: Any = numpy_of(koine.sort(given, descending=True, **where))[-2:]
    assert np.isnan(last).all()
