# SPDX-License-Identifier: Apache-2.0
"""Lengths that grow: straight lines through them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy.typing as npt

from ._call import call
from ._native import ffi, lib
from .numbers import doubles


class Line(NamedTuple):
    """R = slope t + intercept, with standard errors from the residuals; what cannot be had is NaN.

    Attributes
    ----------
    slope, slope_error : float
    intercept, intercept_error : float
    r2 : float
        1 - the residuals' sum of squares / that about the mean.
    """

    slope: float
    slope_error: float
    intercept: float
    intercept_error: float
    r2: float


class Growth(NamedTuple):
    """What `growth` returns.

    Attributes
    ----------
    points : int
        Of which both numbers are finite; the others are left out.
    origin, line : Line
        Through the origin, and a free one.
    """

    points: int
    origin: Line
    line: Line


def growth(times: npt.ArrayLike, lengths: npt.ArrayLike) -> Growth:
    """A growth law R(t), by unweighted least squares.

    Parameters
    ----------
    times, lengths : array_like of float, shape (n,)
        Lengths may be NaN: ``autocorr(frames).lengths["r_max"]``.

    Returns
    -------
    Growth

    Examples
    --------
    >>> import koine
    >>> koine.growth([0, 1, 2, 3], [1.0, 3.0, float("nan"), 7.0]).line.slope
    2.0
    """
    t, r = doubles(times, "times"), doubles(lengths, "lengths")
    if t.ndim != 1 or t.shape != r.shape:
        raise ValueError(f"times have shape {t.shape} and lengths {r.shape}")
    found = ffi.new("kn_autocorr_growth *")
    arrays = ffi.from_buffer("double[]", t), ffi.from_buffer("double[]", r)
    call(lib.kn_autocorr_fit_growth, *arrays, t.size, found)
    return Growth(found.points, _line(found.origin), _line(found.line))


def _line(found: Any) -> Line:
    return Line(*(getattr(found, field) for field in Line._fields))
