# SPDX-License-Identifier: Apache-2.0
"""Lengths of acceleration, and intervals between heart beats, beside NumPy's arithmetic."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import Place, numbers, numpy_of

import koine


@pytest.mark.parametrize("kind", ["float64", "float32"])
@pytest.mark.parametrize("n", [0, 1, 1001])
def test_lengths(place: Place, kind: str, n: int) -> None:
    axes = [numbers(kind, 3 * n)[i::3].copy() for i in range(3)]
    given = [place(axis) for axis in axes]
    where = given[0][1]
    x, y, z = (array for array, _ in given)
    expected = np.sqrt(axes[0] ** 2 + axes[1] ** 2 + axes[2] ** 2)
    rel = 1e-15 if kind == "float64" else 1e-6
    assert numpy_of(koine.magnitude(x, y, z, **where)) == pytest.approx(expected, rel=rel)
    over = numpy_of(koine.enmo(x, y, z, g=0.5, **where))
    assert over == pytest.approx(np.maximum(expected - np.array(0.5, kind), 0), rel=1e-6, abs=1e-6)
    assert over.dtype == kind


def test_bad_axes() -> None:
    x = np.ones(3)
    with pytest.raises(ValueError, match="y has 2 elements"):
        koine.magnitude(x, x[:2], x)
    with pytest.raises(ValueError, match="z has 3 elements of float32"):
        koine.enmo(x, x, x.astype("float32"))
    with pytest.raises(koine.Error, match="g is -1"):
        koine.enmo(x, x, x, g=-1)


def test_intervals() -> None:
    seconds = np.array([0.8, 0.9, 0.85, 0.8, 0.75])
    found = koine.intervals(seconds)
    d = np.diff(seconds)
    assert found[:2] == (5, 4)
    assert found.sdnn == pytest.approx(seconds.std(ddof=1))
    assert found.rmssd == pytest.approx(np.sqrt((d**2).mean()))
    lost = koine.intervals(seconds, [1, 1.9, 2.75, 9, 9.75])
    assert lost.pairs == 3
    assert np.isnan(koine.intervals([]).mean)
    with pytest.raises(koine.Error, match="interval 1"):
        koine.intervals([1, 0])
    with pytest.raises(ValueError, match="times has 1"):
        koine.intervals([1, 2], [1])
