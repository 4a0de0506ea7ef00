# SPDX-License-Identifier: Apache-2.0
"""Statistics of windows of a column, and medians and MADs of a window around every element."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ._call import Words, call, struct
from ._native import ffi, lib
from .checks import one_axis
from .numbers import doubles, natural
from .operands import Operand, take
from .robust import scales

positions = Words("position", "KN_WINDOW_", "centred trailing")
edge_rules = Words("edges", "KN_WINDOW_", "shrink omit")

_STATS = np.dtype([("n", np.uintp), *((name, np.float64) for name in "mean std cv median mad".split())])


class Windows(NamedTuple):
    """What `windows` returns: arrays with a number for each window.

    Attributes
    ----------
    start : numpy.ndarray of int
        The window's first element.
    n : numpy.ndarray of int
        Elements.
    mean, std, cv, median, mad : numpy.ndarray of float64
        As in `Stats`. NaN where the window has a NaN.
    quantiles : numpy.ndarray of float64, shape (windows, quantiles)
    """

    start: Any
    n: Any
    mean: Any
    std: Any
    cv: Any
    median: Any
    mad: Any
    quantiles: Any


def windows(
    x: Any,
    width: int,
    step: int | None = None,
    *,
    partial: bool = False,
    quantiles: npt.ArrayLike = (),
    mad_scale: str = "raw",
) -> Windows:
    """Mean, standard deviation, coefficient of variation, median, MAD and quantiles of windows, all exact.

    Parameters
    ----------
    x : array, shape (n,)
        Of float64 or float32, in the host's memory.
    width : int
        Elements of a window.
    step : int, optional
        From the beginning of a window to that of the next; None: the width.
    partial : bool
        One more window, of fewer elements, where elements at the end lie in no full window.
    quantiles : float or array_like of float
        From 0 to 1, as `numpy.quantile` has them.
    mad_scale : {"raw", "normal"}
        As in `stats`.

    Returns
    -------
    Windows

    Raises
    ------
    UnsupportedError
        Elements of another type.

    Examples
    --------
    >>> import koine, numpy
    >>> found = koine.windows(numpy.array([1.0, 5.0, 2.0, 4.0, 3.0]), 3, 2)
    >>> found.start, found.median, found.mad
    (array([0, 2]), array([2., 3.]), array([1., 1.]))
    """
    given = _column(x)
    width = natural(width, "width")
    step = width if step is None else natural(step, "step")
    wanted = doubles(quantiles, "quantiles")
    count = lib.kn_window_count(given.size, width, step, partial)
    found = np.empty(count, _STATS)
    values = np.empty((count, wanted.size))
    options = struct(
        "kn_window_options",
        partial=bool(partial),
        quantiles=ffi.from_buffer("double[]", wanted),
        quantile_count=wanted.size,
        mad_scale=scales.number(mad_scale),
    )
    results = ffi.from_buffer("kn_stats[]", found), ffi.from_buffer("double[]", values)
    call(
        lib.kn_host_windows,
        given.pointer,
        given.type("x"),
        given.size,
        width,
        step,
        *results,
        options,
        ffi.NULL,
    )
    parts = {name: np.ascontiguousarray(found[name]) for name in found.dtype.names or ()}
    return Windows(start=np.arange(count) * step, quantiles=values, **parts)


def rolling_median(x: Any, width: int, *, position: str = "centred", edges: str = "shrink") -> Any:
    """The median of a window around every element, exact.

    Parameters
    ----------
    x : array, shape (n,)
        Of float64 or float32, in the host's memory.
    width : int
        Elements of a window.
    position : {"centred", "trailing"}
        From element i - width // 2 to i + (width - 1) // 2, or from i - width + 1 to i.
    edges : {"shrink", "omit"}
        Windows that reach beyond x have the elements that are there, or NaN as their median.

    Returns
    -------
    array, shape (n,)
        Of x's type. NaN where the window has a NaN.

    Examples
    --------
    >>> import koine, numpy
    >>> koine.rolling_median(numpy.array([1.0, 9.0, 2.0, 3.0, 8.0]), 3)
    array([5. , 2. , 3. , 3. , 5.5])
    """
    return _rolling(x, width, True, position=positions.number(position), edges=edge_rules.number(edges))


def rolling_mad(
    x: Any, width: int, *, position: str = "centred", edges: str = "shrink", scale: str = "raw"
) -> Any:
    """The median of the absolute deviations from the median of a window around every element, exact.

    Parameters
    ----------
    x : array, shape (n,)
        Of float64 or float32, in the host's memory.
    width, position, edges
        As in `rolling_median`.
    scale : {"raw", "normal"}
        As `stats`' `mad_scale`.

    Returns
    -------
    array, shape (n,)
        Of x's type. NaN where the window has a NaN.

    Examples
    --------
    >>> import koine, numpy
    >>> koine.rolling_mad(numpy.array([1.0, 9.0, 2.0, 3.0, 8.0]), 3)
    array([4. , 1. , 1. , 1. , 2.5])
    """
    return _rolling(
        x,
        width,
        False,
        position=positions.number(position),
        edges=edge_rules.number(edges),
        mad_scale=scales.number(scale),
    )


def _column(x: Any) -> Operand:
    given = one_axis(take(x, "x"), "x")
    if given.space.queue is not None:
        raise TypeError("x is on a device: windows are computed in the host's memory")
    return given


def _rolling(x: Any, width: int, is_median: bool, **options: int) -> Any:
    given = _column(x)
    made = given.space.empty(given.shape, given.dtype)
    to = (made.pointer, ffi.NULL) if is_median else (ffi.NULL, made.pointer)
    how = struct("kn_rolling_options", **options)
    kind = given.type("x")
    call(lib.kn_host_rolling, given.pointer, kind, given.size, natural(width, "width"), *to, how, ffi.NULL)
    return made.result()
