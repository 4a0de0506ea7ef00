# SPDX-License-Identifier: Apache-2.0
"""Elements by rank, quantiles, distinct values and histograms, without sorting by the caller."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ._call import call
from ._native import ffi, lib
from .numbers import doubles, natural
from .context import Context
from .operands import Operand, counter, take
from .reduction import moments
from .sorting import sort

_COUNT = np.dtype(np.int64)  # NumPy's, of the same bits as libkoine's uint64_t


def select(x: Any, ranks: npt.ArrayLike, *, context: Context | None = None) -> Any:
    """The elements that stand at these ranks once x is sorted.

    Parameters
    ----------
    x : array, any shape
        Of integers of 8 to 64 bits, float32 or float64.
    ranks : int or array_like of int
        From 0; less than x has elements.
    context : Context, optional
        Where an array of NumPy is computed; None: on the host.

    Returns
    -------
    numpy.ndarray or scalar
        Of x's type and in the shape of `ranks`, in the host's memory.

    Notes
    -----
    NaN stand last. Cost: about one read of x for a few ranks.

    Examples
    --------
    >>> import koine, numpy
    >>> int(koine.select(numpy.array([30, 10, 20]), 1))
    20
    """
    given = take(x, "x", context)
    wanted = np.asarray(ranks)
    if wanted.size and wanted.dtype.kind not in "iu":
        raise TypeError("ranks are whole numbers")
    if wanted.size and int(wanted.min()) < 0:
        raise ValueError(f"a rank is {int(wanted.min())}, less than 0")
    flat = np.ascontiguousarray(wanted, np.uint64).ravel()
    values = np.empty(flat.size, given.dtype)
    kind = given.type("x")
    if flat.size:
        places = ffi.from_buffer("size_t[]", flat), flat.size, ffi.from_buffer(values)
        if given.space.queue is None:
            call(lib.kn_host_select, given.pointer, kind, given.size, *places, ffi.NULL)
        else:
            call(lib.kn_select, given.space.queue, given.pointer, kind, given.size, *places, ffi.NULL)
    return values.reshape(wanted.shape)[()]


def quantile(x: Any, q: npt.ArrayLike, *, context: Context | None = None) -> Any:
    """NumPy's quantiles with linear interpolation, in double precision.

    Parameters
    ----------
    x : array, any shape, not empty
        Of integers of 8 to 64 bits, float32 or float64.
    q : float or array_like of float
        From 0 to 1.
    context : Context, optional
        Where an array of NumPy is computed; None: on the host.

    Returns
    -------
    float or numpy.ndarray of float64
        In the shape of `q`; NaN if there is a NaN in x.

    Examples
    --------
    >>> import koine, numpy
    >>> float(koine.quantile(numpy.arange(5.0), 0.25))
    1.0
    """
    given = take(x, "x", context)
    wanted = doubles(q, "q")
    values = np.empty(wanted.size)
    kind = given.type("x")
    if wanted.size:
        places = ffi.from_buffer("double[]", wanted), wanted.size, ffi.from_buffer("double[]", values)
        if given.space.queue is None:
            call(lib.kn_host_quantiles, given.pointer, kind, given.size, *places, ffi.NULL)
        else:
            call(lib.kn_quantiles, given.space.queue, given.pointer, kind, given.size, *places, ffi.NULL)
    return values.reshape(wanted.shape)[()]


def median(x: Any, *, context: Context | None = None) -> float:
    """The median, in double precision.

    Parameters
    ----------
    x : array, any shape, not empty
        Of integers of 8 to 64 bits, float32 or float64.
    context : Context, optional
        Where an array of NumPy is computed; None: on the host.

    Returns
    -------
    float
        Of an even number of elements the mean of the two in the middle; NaN if there is a NaN.

    Examples
    --------
    >>> import koine, numpy
    >>> koine.median(numpy.array([1, 5, 2]))
    2.0
    """
    given = take(x, "x", context)
    if given.space.queue is None:
        return float(quantile(given.native, 0.5))
    found = ffi.new("double *")
    call(lib.kn_median, given.space.queue, given.pointer, given.type("x"), given.size, found, ffi.NULL)
    return float(found[0])


def unique(x: Any, *, return_counts: bool = False, context: Context | None = None) -> Any:
    """The distinct values, in order.

    Parameters
    ----------
    x : array, any shape
        Of integers of 8 to 64 bits, float32 or float64.
    return_counts : bool
        Also how often each is there.
    context : Context, optional
        Where an array of NumPy is computed; None: on the host.

    Returns
    -------
    values : array, shape (m,)
        Of x's library. All NaN are one, the last; -0 and +0 are one.
    counts : array of int64, shape (m,)
        If `return_counts`.

    Notes
    -----
    Sorts a copy of x, and waits.

    Examples
    --------
    >>> import koine, numpy
    >>> koine.unique(numpy.array([3, 1, 3]), return_counts=True)
    (array([1, 3]), array([1, 2]))
    """
    given = take(x, "x", context)
    keys = take(sort(given.native.reshape(-1)), "x")
    values = given.space.empty(keys.shape, keys.dtype)
    counts = given.space.empty(keys.shape, _COUNT)
    number = _run_lengths(keys, values, counts)
    nan = moments(keys.native).nan_count if keys.dtype.kind == "f" else 0
    number -= max(nan - 1, 0)
    if nan:
        _put(counts, number - 1, nan)
    found = _first(values, number)
    return (found, _first(counts, number)) if return_counts else found


def _run_lengths(keys: Operand, values: Operand, counts: Operand) -> int:
    found = ffi.new("size_t *")
    kind = keys.type("x")
    places = values.pointer, counts.pointer, lib.KN_U64
    if keys.space.queue is None:
        call(lib.kn_host_run_lengths, keys.pointer, kind, keys.size, *places, found, ffi.NULL)
    else:
        counted = counter(keys.space)
        call(lib.kn_run_lengths, keys.space.queue, keys.pointer, kind, keys.size, *places, counted, found)
    return int(found[0])


def _put(counts: Operand, place: int, number: int) -> None:
    if counts.space.queue is None:
        counts.native[place] = number
    else:
        value = ffi.new("uint64_t *", number)
        call(lib.kn_buffer_write, counts.space.queue, counts.pointer, 8 * place, value, 8)


def _first(operand: Operand, number: int) -> Any:
    """The first elements, in memory of their own."""
    made = operand.space.empty((number,), operand.dtype)
    if operand.space.queue is None:
        made.native[...] = operand.native[:number]
    elif number:
        sizes = made.pointer, 0, made.nbytes, ffi.NULL
        call(lib.kn_buffer_copy, operand.space.queue, operand.pointer, 0, *sizes)
    return made.result()


def histogram(
    x: Any,
    bins: int | npt.ArrayLike = 10,
    range: tuple[float, float] | None = None,
    *,
    context: Context | None = None,
) -> tuple[Any, npt.NDArray[np.float64]]:
    """How many elements lie in each bin, as numpy.histogram has it.

    Parameters
    ----------
    x : array, any shape
        Of integers of 8 to 64 bits, float32 or float64.
    bins : int or array_like of float
        So many of equal width; or their edges, which do not descend.
    range : (float, float), optional
        The first and the last edge of bins of equal width; None: the least and the greatest element.
    context : Context, optional
        Where an array of NumPy is computed; None: on the host.

    Returns
    -------
    counts : array of int64, shape (bins,)
        Of x's library. What lies outside of the edges, and NaN, is not counted.
    edges : numpy.ndarray of float64, shape (bins + 1,)

    Examples
    --------
    >>> import koine, numpy
    >>> koine.histogram(numpy.array([1, 2, 2, 4]), [0, 2, 4])
    (array([1, 3]), array([0., 2., 4.]))
    """
    given = take(x, "x", context)
    kind = given.type("x")
    edges: npt.NDArray[np.float64]
    how: tuple[Any, ...]
    if np.ndim(bins):
        edges = doubles(bins, "bins").ravel()
        number, how = edges.size - 1, (ffi.from_buffer("double[]", edges), edges.size - 1)
        functions = lib.kn_host_histogram, lib.kn_histogram
    else:
        number = natural(bins, "bins")
        low, high = _range(given, range)
        edges = np.asarray(low + np.arange(number + 1) * ((high - low) / max(number, 1)), np.float64)
        edges[-1] = high
        how = (low, high, number)
        functions = lib.kn_host_histogram_even, lib.kn_histogram_even
    if number < 1:
        raise ValueError("there are no bins")
    counts = given.space.empty((number,), _COUNT)
    if given.space.queue is None:
        pointer = ffi.cast("uint64_t *", counts.pointer)
        call(functions[0], given.pointer, kind, given.size, *how, pointer, ffi.NULL)
    else:
        call(functions[1], given.space.queue, given.pointer, kind, given.size, *how, counts.pointer)
    return counts.result(), edges


def _range(given: Operand, range: tuple[float, float] | None) -> tuple[float, float]:
    """The outer edges, as numpy.histogram chooses them."""
    if range is not None:
        low, high = (float(end) for end in range)
    elif given.size == 0:
        low, high = 0.0, 1.0
    else:
        found = moments(given.native)
        low, high = found.min, found.max
    if not (np.isfinite(low) and np.isfinite(high)):
        raise ValueError(f"bins of equal width want finite ends, not {low} and {high}")
    if low > high:
        raise ValueError(f"the range begins at {low}, after its end {high}")
    return (low - 0.5, high + 0.5) if low == high else (low, high)
