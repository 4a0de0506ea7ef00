# SPDX-License-Identifier: Apache-2.0
"""Sorting."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._call import call, struct
from ._native import lib
from .checks import one_axis
from .numbers import natural
from .context import Context
from .operands import Operand, take, take_beside

_INDEX = np.dtype(np.int64)  # NumPy's, of the same bits as libkoine's KN_U64


def _order(descending: bool) -> int:
    return int(lib.KN_DESCENDING if descending else lib.KN_ASCENDING)


def _host(descending: bool = False) -> Any:
    return struct("kn_host_options", order=_order(descending))


def sort(x: Any, *, descending: bool = False, context: Context | None = None) -> Any:
    """The elements in order.

    Parameters
    ----------
    x : array, shape (n,)
        Of integers of 8 to 64 bits, float32 or float64.
    descending : bool
    context : Context, optional
        Where an array of NumPy is sorted; None: on the host, by all threads.

    Returns
    -------
    array, shape (n,)
        A new one of x's library, where x is.

    Raises
    ------
    TypeError, ValueError
        An argument that cannot be.
    UnsupportedError
        float64 on a device without double precision.

    Notes
    -----
    NaN come last in both orders, -0 before +0; every element keeps its bits. The result is the same on every device.

    Examples
    --------
    >>> import koine, numpy
    >>> koine.sort(numpy.array([3.0, 1.0, 2.0]))
    array([1., 2., 3.])
    """
    given = one_axis(take(x, "x", context), "x")
    kind = given.type("x")
    keys = given.copy()
    if keys.space.queue is None:
        call(lib.kn_host_sort, keys.pointer, kind, keys.size, _host(descending))
    else:
        options = struct("kn_sort_options", order=_order(descending))
        call(lib.kn_sort, keys.space.queue, keys.pointer, kind, keys.size, options)
    return keys.result()


def argsort(x: Any, *, descending: bool = False, context: Context | None = None) -> Any:
    """The elements' numbers in sorted order: ``x[argsort(x)]`` is sorted.

    Parameters
    ----------
    x : array, shape (n,)
        Of integers of 8 to 64 bits, float32 or float64.
    descending : bool
    context : Context, optional
        Where an array of NumPy is computed; None: on the host.

    Returns
    -------
    array of int64, shape (n,)
        Stable: equal elements keep their order, in both orders. NaN come last.

    Examples
    --------
    >>> import koine, numpy
    >>> koine.argsort(numpy.array([3, 1, 2]))
    array([1, 2, 0])
    """
    given = one_axis(take(x, "x", context), "x")
    kind = given.type("x")
    indices = given.space.empty(given.shape, _INDEX)
    if given.space.queue is None:
        options = _host(descending)
        call(lib.kn_host_argsort, given.pointer, kind, given.size, indices.pointer, lib.KN_U64, options)
    else:
        options = struct("kn_sort_options", order=_order(descending))
        queue = given.space.queue
        call(lib.kn_argsort, queue, given.pointer, kind, given.size, indices.pointer, lib.KN_U64, options)
    return indices.result()


def top_k(x: Any, k: int, *, largest: bool = True, context: Context | None = None) -> tuple[Any, Any]:
    """The k largest or smallest elements, in order, and their numbers.

    Parameters
    ----------
    x : array, shape (n,)
        Of integers of 8 to 64 bits, float32 or float64.
    k : int
        From 0 to n.
    largest : bool
        False: the smallest.
    context : Context, optional
        Where an array of NumPy is computed; None: on the host.

    Returns
    -------
    values : array, shape (k,)
    indices : array of int64, shape (k,)
        Of equal elements those with the lowest numbers win. NaN come last in both orders.

    Examples
    --------
    >>> import koine, numpy
    >>> koine.top_k(numpy.array([3, 1, 4, 1, 5]), 2)
    (array([5, 4]), array([4, 2]))
    """
    given = one_axis(take(x, "x", context), "x")
    kind, k = given.type("x"), natural(k, "k")
    if k > given.size:
        raise ValueError(f"k is {k}, and x has {given.size} elements")
    values = given.space.empty((k,), given.dtype)
    indices = given.space.empty((k,), _INDEX)
    if k:
        _top_k(given, kind, k, largest, values, indices)
    return values.result(), indices.result()


def _top_k(given: Operand, kind: int, k: int, largest: bool, values: Operand, indices: Operand) -> None:
    found = (values.pointer, indices.pointer, lib.KN_U64)
    if given.space.queue is None:
        call(lib.kn_host_top_k, given.pointer, kind, given.size, k, *found, _host(largest))
    else:
        call(lib.kn_top_k, given.space.queue, given.pointer, kind, given.size, k, _order(largest), *found)


def sort_by_key(keys: Any, values: Any, *, descending: bool = False, context: Context | None = None) -> tuple[Any, Any]:
    """Keys in order, and the values that travel with them.

    Parameters
    ----------
    keys : array, shape (n,)
        Of integers of 8 to 64 bits, float32 or float64.
    values : array, shape (n,)
        Of elements of 1, 2, 4, 8 or 16 bytes, where the keys are.
    descending : bool
    context : Context, optional
        Where arrays of NumPy are sorted; None: on the host.

    Returns
    -------
    keys, values : array, shape (n,)
        New ones. Stable: equal keys keep their order. NaN come last.

    Examples
    --------
    >>> import koine, numpy
    >>> koine.sort_by_key(numpy.array([2, 1]), numpy.array([0.5, 0.25]))
    (array([1, 2]), array([0.25, 0.5 ]))
    """
    given = one_axis(take(keys, "keys", context), "keys")
    beside = one_axis(take_beside(values, "values", given), "values")
    kind = given.type("keys")
    if beside.size != given.size:
        raise ValueError(f"there are {given.size} keys and {beside.size} values")
    sorted_keys, moved = given.copy(), beside.copy()
    size = given.size, moved.pointer, moved.dtype.itemsize
    if given.space.queue is None:
        call(lib.kn_host_sort_by_key, sorted_keys.pointer, kind, *size, _host(descending))
    else:
        options = struct("kn_sort_options", order=_order(descending))
        call(lib.kn_sort_by_key, given.space.queue, sorted_keys.pointer, kind, *size, options)
    return sorted_keys.result(), moved.result()
