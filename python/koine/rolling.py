# SPDX-License-Identifier: Apache-2.0
"""Statistics of windows of a column, and medians and MADs of a window around every element."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ._call import Words, call, struct
from ._native import ffi, lib
from .checks import one_axis
from .context import Context
from .numbers import doubles, natural
from .operands import take
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
    context: Context | None = None,
) -> Windows:
    """Mean, standard deviation, coefficient of variation, median, MAD and quantiles of windows, all exact.

    Parameters
    ----------
    x : array, shape (n,)
        Of float64 or float32.
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
    context : Context, optional
        Where an array of NumPy is computed; None: on the host.

    Returns
    -------
    Windows
        In the host's memory, with the same bits on every device.

    Raises
    ------
    UnsupportedError
        Elements of another type; float64 on a device without double precision.

    Examples
    --------
    >>> import koine, numpy
    >>> found = koine.windows(numpy.array([1.0, 5.0, 2.0, 4.0, 3.0]), 3, 2)
    >>> found.start, found.median, found.mad
    (array([0, 2]), array([2., 3.]), array([1., 1.]))
    """
    given = one_axis(take(x, "x", context), "x")
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
    column = given.pointer, given.type("x"), given.size, width, step
    results = ffi.from_buffer("kn_stats[]", found), ffi.from_buffer("double[]", values)
    if given.space.queue is None:
        call(lib.kn_host_windows, *column, *results, options, ffi.NULL)
    else:
        call(lib.kn_windows, given.space.queue, *column, *results, options)
    parts = {name: np.ascontiguousarray(found[name]) for name in found.dtype.names or ()}
    return Windows(start=np.arange(count) * step, quantiles=values, **parts)


def rolling_median(
    x: Any, width: int, *, position: str = "centred", edges: str = "shrink", context: Context | None = None
) -> Any:
    """The median of a window around every element, exact.

    Parameters
    ----------
    x : array, shape (n,)
        Of float64 or float32.
    width : int
        Elements of a window.
    position : {"centred", "trailing"}
        From element i - width // 2 to i + (width - 1) // 2, or from i - width + 1 to i.
    edges : {"shrink", "omit"}
        Windows that reach beyond x have the elements that are there, or NaN as their median.
    context : Context, optional
        Where an array of NumPy is computed; None: on the host.

    Returns
    -------
    array, shape (n,)
        Of x's type, where x is. NaN where the window has a NaN.

    Examples
    --------
    >>> import koine, numpy
    >>> koine.rolling_median(numpy.array([1.0, 9.0, 2.0, 3.0, 8.0]), 3)
    array([5. , 2. , 3. , 3. , 5.5])
    """
    return _rolling(x, width, context, True, position=positions.number(position), edges=edge_rules.number(edges))


def rolling_mad(
    x: Any,
    width: int,
    *,
    position: str = "centred",
    edges: str = "shrink",
    scale: str = "raw",
    context: Context | None = None,
) -> Any:
    """The median of the absolute deviations from the median of a window around every element, exact.

    Parameters
    ----------
    x : array, shape (n,)
        Of float64 or float32.
    width : int
        Elements of a window.
    position, edges : str
        As in `rolling_median`.
    scale : {"raw", "normal"}
        As `stats`' `mad_scale`.
    context : Context, optional
        Where an array of NumPy is computed, with double precision; None: on the host.

    Returns
    -------
    array, shape (n,)
        Of x's type, where x is. NaN where the window has a NaN.

    Examples
    --------
    >>> import koine, numpy
    >>> koine.rolling_mad(numpy.array([1.0, 9.0, 2.0, 3.0, 8.0]), 3)
    array([4. , 1. , 1. , 1. , 2.5])
    """
    return _rolling(
        x,
        width,
        context,
        False,
        position=positions.number(position),
        edges=edge_rules.number(edges),
        mad_scale=scales.number(scale),
    )


def _rolling(x: Any, width: int, context: Context | None, is_median: bool, **options: int) -> Any:
    given = one_axis(take(x, "x", context), "x")
    made = given.space.empty(given.shape, given.dtype)
    to = (made.pointer, ffi.NULL) if is_median else (ffi.NULL, made.pointer)
    how = struct("kn_rolling_options", **options)
    column = given.pointer, given.type("x"), given.size, natural(width, "width")
    if given.space.queue is None:
        call(lib.kn_host_rolling, *column, *to, how, ffi.NULL)
    else:
        call(lib.kn_rolling, given.space.queue, *column, *to, how)
    return made.result()
