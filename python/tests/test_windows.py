# SPDX-License-Identifier: Apache-2.0
"""Windows, beside NumPy's sliding windows and pandas."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from conftest import Place, numbers, numpy_of

import koine


def mads(rows: Any) -> Any:
    """The MAD of each row."""
    return np.median(np.abs(rows - np.median(rows, axis=1, keepdims=True)), axis=1)


@pytest.mark.parametrize("kind", ["float64", "float32"])
@pytest.mark.parametrize(("width", "step"), [(1, 1), (7, 3), (64, 64), (100, 250)])
def test_windows(place: Place, kind: str, width: int, step: int) -> None:
    x = numbers(kind, 1003)
    rows = np.lib.stride_tricks.sliding_window_view(x.astype("float64"), width)[::step]
    given, where = place(x)
    found = koine.windows(given, width, step, quantiles=[0.1, 0.9], **where)
    assert np.array_equal(found.start, np.arange(len(rows)) * step)
    assert np.array_equal(found.n, np.full(len(rows), width))
    assert found.mean == pytest.approx(rows.mean(axis=1), rel=1e-12, abs=1e-12)
    assert found.std == pytest.approx(rows.std(axis=1), rel=1e-9, abs=1e-12)
    assert np.array_equal(found.median, np.median(rows, axis=1))
    assert np.array_equal(found.mad, mads(rows))
    assert found.quantiles == pytest.approx(np.quantile(rows, [0.1, 0.9], axis=1).T, rel=1e-12)


def test_partial_window() -> None:
    x = numbers("float64", 100)
    found = koine.windows(x, 30, partial=True, mad_scale="normal")
    assert found.n.tolist() == [30, 30, 30, 10]
    assert found.median[3] == np.median(x[90:])
    assert found.mad[3] == mads(x[None, 90:])[0] / 0.6744897501960817
    assert koine.windows(x, 101).n.size == 0


@pytest.mark.parametrize("width", [1, 4, 9, 100, 301])
@pytest.mark.parametrize("position", ["centred", "trailing"])
@pytest.mark.parametrize("edges", ["shrink", "omit"])
def test_rolling(place: Place, width: int, position: str, edges: str) -> None:
    x = numbers("float64", 257)
    before = width - 1 if position == "trailing" else width // 2
    ends = [(i - before, i - before + width) for i in range(x.size)]
    rows = [x[max(first, 0) : end] for first, end in ends]
    whole = np.array([edges == "shrink" or (first >= 0 and end <= x.size) for first, end in ends])
    medians = np.where(whole, [np.median(row) for row in rows], np.nan)
    deviations = np.where(whole, [mads(row[None])[0] for row in rows], np.nan)
    given, where = place(x)
    found = koine.rolling_median(given, width, position=position, edges=edges, **where)
    assert np.array_equal(numpy_of(found), medians, equal_nan=True)
    found = koine.rolling_mad(given, width, position=position, edges=edges, **where)
    assert np.array_equal(numpy_of(found), deviations, equal_nan=True)


@pytest.mark.parametrize("width", [3, 8])
def test_rolling_as_pandas(width: int) -> None:
    pandas = pytest.importorskip("pandas")
    x = numbers("float64", 300)
    series = pandas.Series(x)
    expected = series.rolling(width, center=True, min_periods=1).median().to_numpy()
    assert np.array_equal(koine.rolling_median(x, width), expected)
    expected = series.rolling(width).median().to_numpy()
    found = koine.rolling_median(x, width, position="trailing", edges="omit")
    assert np.array_equal(found, expected, equal_nan=True)


def test_nan() -> None:
    x = np.array([1.0, np.nan, 2.0, 3.0, 4.0])
    assert np.array_equal(koine.rolling_median(x, 3), [np.nan, np.nan, np.nan, 3, 3.5], equal_nan=True)
    assert np.isnan(koine.windows(x, 2).median).tolist() == [True, False]


def test_refused() -> None:
    x = numbers("float64", 10)
    with pytest.raises(koine.UnsupportedError):
        koine.windows(np.arange(5, dtype="int32"), 2)
    for wrong in ({"width": 0}, {"width": 2, "step": 0}, {"width": 2, "quantiles": [2]}):
        with pytest.raises(ValueError, match=r"windows of|quantile of"):
            koine.windows(x, **wrong)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="windows of 0 elements"):
        koine.rolling_median(x, 0)
    with pytest.raises(ValueError, match="position"):
        koine.rolling_median(x, 3, position="left")
