# SPDX-License-Identifier: Apache-2.0
"""Mean, standard deviation, coefficient of variation, median and MAD of columns."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, overload

from ._call import Words, make, struct
from ._native import ffi, lib
from .context import Context
from .interrupts import Watch
from .operands import Operand, take

methods = Words("method", "KN_STATS_", "auto sort select fused")
scales = Words("mad_scale", "KN_STATS_MAD_", "raw normal")


class Stats(NamedTuple):
    """What `stats` returns. With a NaN in the column, or without elements, all floats are NaN.

    Attributes
    ----------
    n : int
        Elements.
    mean, std : float
        The standard deviation is divided by n.
    cv : float
        std / mean.
    median : float
    mad : float
        The median of the absolute deviations from the median.
    """

    n: int
    mean: float
    std: float
    cv: float
    median: float
    mad: float


@overload
def stats(
    x: Any, *, columns: Literal[False] = ..., method: str = ..., mad_scale: str = ..., context: Context | None = ...
) -> Stats: ...
@overload
def stats(
    x: Any, *, columns: Literal[True], method: str = ..., mad_scale: str = ..., context: Context | None = ...
) -> list[Stats]: ...
def stats(
    x: Any, *, columns: bool = False, method: str = "auto", mad_scale: str = "raw", context: Context | None = None
) -> Stats | list[Stats]:
    """Mean, standard deviation, coefficient of variation, median and MAD, all exact, in one read.

    Parameters
    ----------
    x : array, any shape
        Of float64, float32, int8 or uint8.
    columns : bool
        True: x has shape (count, n) and is of NumPy; each row is a column for itself. A device computes them
        together.
    method : {"auto", "sort", "select", "fused"}
        How; the answers are the same up to the sums' last bits.
    mad_scale : {"raw", "normal"}
        "normal" divides the MAD by 0.6744897501960817, so that it estimates the standard deviation of normally
        distributed data.
    context : Context, optional
        Where an array of NumPy is computed; None: on the host.

    Returns
    -------
    Stats, or list of Stats
        mean, std and cv have the same bits on every device and on the host.

    Raises
    ------
    UnsupportedError
        Elements of another type; float64 on a device without double precision.

    Examples
    --------
    >>> import koine, numpy
    >>> found = koine.stats(numpy.array([1.0, 2.0, 3.0, 4.0, 100.0]))
    >>> found.median, found.mad
    (3.0, 1.0)
    """
    given = take(x, "x", None if columns else context)
    watch = Watch()
    options = struct(
        "kn_stats_options",
        method=methods.number(method),
        mad_scale=scales.number(mad_scale),
        progress=lib.koine_stats_progress,
        progress_data=watch.handle,
    )
    if columns:
        return _columns(given, options, watch, context)
    queue = ffi.NULL if given.space.queue is None else given.space.queue
    plan = _plan(queue, given, given.size, options)
    found = ffi.new("kn_stats *")
    compute = lib.kn_stats_compute if given.space.queue is None else lib.kn_stats_compute_buffer
    watch.call(compute, plan, given.pointer, given.size, found)
    return stats_of(found)


def _plan(queue: Any, given: Operand, n: int, options: Any) -> Any:
    kind = given.type("x")
    return make("kn_stats_plan", lib.kn_stats_plan_free, lib.kn_stats_plan_create, queue, kind, n, options)


def _columns(given: Operand, options: Any, watch: Watch, context: Context | None) -> list[Stats]:
    if given.space.queue is not None:
        raise TypeError("columns are taken from an array of NumPy")
    if len(given.shape) != 2:
        raise ValueError(f"x has {len(given.shape)} axes, not two: a row for each column")
    count, n = given.shape
    plan = _plan(ffi.NULL if context is None else context.queue, given, n, options)
    if count == 0:
        return []
    rows = [
        ffi.cast("const void *", ffi.cast("char *", given.pointer) + i * n * given.dtype.itemsize) for i in range(count)
    ]
    found = ffi.new("kn_stats[]", count)
    watch.call(lib.kn_stats_compute_columns, plan, ffi.new("const void *[]", rows), n, count, found)
    return [stats_of(found[i]) for i in range(count)]


def stats_of(found: Any) -> Stats:
    """What libkoine found, as `Stats`."""
    return Stats(*(getattr(found, field) for field in Stats._fields))


def mad(x: Any, *, scale: str = "raw", context: Context | None = None) -> float:
    """The median of the absolute deviations from the median.

    Parameters
    ----------
    x : array, any shape
        Of float64, float32, int8 or uint8.
    scale : {"raw", "normal"}
        As `stats`' `mad_scale`.
    context : Context, optional
        Where an array of NumPy is computed; None: on the host.

    Returns
    -------
    float
        NaN if there is a NaN, or nothing.

    Examples
    --------
    >>> import koine, numpy
    >>> koine.mad(numpy.array([1.0, 2.0, 3.0, 4.0, 100.0]))
    1.0
    """
    return stats(x, mad_scale=scale, context=context).mad
