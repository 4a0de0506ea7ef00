# SPDX-License-Identifier: Apache-2.0
"""Sums and other reductions, and prefixes."""

from __future__ import annotations

import dataclasses
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ._call import Words, call, chars, struct
from ._native import ffi, lib
from ._types import kn_type
from .checks import one_axis
from .context import Context
from .operands import take, take_for_device

operations = Words("op", "KN_REDUCE_", "sum product min max")
_members = {"i": "i64", "u": "u64", "f": "f64"}


@dataclasses.dataclass(frozen=True)
class Combine:
    """An operation of your own, in OpenCL C, for `reduce` and `scan` on devices.

    Parameters
    ----------
    combine : str
        An expression of ``a`` and ``b``, both of the result's type: associative, and for `reduce` commutative.
    identity : str
        What changes nothing there.
    map : str, optional
        An expression of ``x``, what an element counts as; None: the element, converted.

    Examples
    --------
    >>> import koine
    >>> squares = koine.Combine("a + b", identity="0", map="x * x")
    """

    combine: str
    identity: str
    map: str | None = None

    def _settle(self) -> tuple[Any, list[Any]]:
        """A kn_combine, and what it points to."""
        texts = [chars(self.combine, "combine"), chars(self.identity, "identity"), chars(self.map or "", "map")]
        mapped = ffi.NULL if self.map is None else texts[2]
        return struct("kn_combine", combine=texts[0], identity=texts[1], map=mapped), texts


def reduce(
    x: Any, op: str | Combine = "sum", *, dtype: npt.DTypeLike | None = None, context: Context | None = None
) -> int | float:
    """All elements reduced to one number.

    Parameters
    ----------
    x : array, any shape
        Of integers of 8 to 64 bits, float32 or float64.
    op : {"sum", "product", "min", "max"} or Combine
        A `Combine` is computed on a device: for an array of NumPy on `context` or on the default one.
    dtype : dtype, optional
        The result's type with a `Combine`; x's without it.
    context : Context, optional
        Where an array of NumPy is computed; None: on the host.

    Returns
    -------
    int or float
        Sums and products of integers are exact modulo 2^64. Those of floats are folded in double precision in one
        fixed tree: the same bits on every device and on the host. The least or greatest of floats is NaN if there is
        a NaN.

    Raises
    ------
    ValueError
        The least or greatest of nothing.
    BuildError
        A `Combine` that does not compile, with the compiler's words.

    Examples
    --------
    >>> import koine, numpy
    >>> koine.reduce(numpy.arange(5))
    10
    >>> koine.reduce(numpy.array([1.5, 2.5]), "max")
    2.5
    """
    if isinstance(op, Combine):
        return _reduce_with(x, op, dtype, context)
    given = take(x, "x", context)
    kind, operation = given.type("x"), operations.number(op)
    found = ffi.new("kn_number *")
    if given.space.queue is None:
        call(lib.kn_host_reduce, given.pointer, kind, given.size, operation, found, ffi.NULL)
    else:
        call(lib.kn_reduce, given.space.queue, given.pointer, kind, given.size, operation, found)
    number: int | float = getattr(found, _members[given.dtype.kind])
    return number


def _reduce_with(x: Any, op: Combine, dtype: npt.DTypeLike | None, context: Context | None) -> int | float:
    given = take_for_device(x, "x", context)
    made = np.empty(1, given.dtype if dtype is None else dtype)
    how, _kept = op._settle()
    arguments = given.pointer, given.type("x"), given.size, how, kn_type(made.dtype, "dtype")
    call(lib.kn_reduce_with, given.space.queue, *arguments, ffi.from_buffer(made))
    number: int | float = made[0].item()
    return number


def scan(x: Any, op: str | Combine = "sum", *, exclusive: bool = False, context: Context | None = None) -> Any:
    """The prefixes: element i of the result is what elements 0 to i of x come to.

    Parameters
    ----------
    x : array, shape (n,)
        Of integers of 8 to 64 bits, float32 or float64.
    op : {"sum", "product", "min", "max"} or Combine
        A `Combine` works on x's type throughout, and need not be commutative.
    exclusive : bool
        Without element i: the first one of the result is the identity.
    context : Context, optional
        Where an array of NumPy is computed; None: on the default device. There is no host code.

    Returns
    -------
    array, shape (n,)
        Of x's type. Sums and products of integers are modulo 2^bits; floats are combined in a fixed order, and have
        the same bits on every device.

    Examples
    --------
    >>> import koine, numpy
    >>> koine.scan(numpy.array([1, 2, 3], "int32"))
    array([1, 3, 6], dtype=int32)
    """
    given = one_axis(take_for_device(x, "x", context), "x")
    kind = given.type("x")
    made = given.space.empty(given.shape, given.dtype)
    which = lib.KN_SCAN_EXCLUSIVE if exclusive else lib.KN_SCAN_INCLUSIVE
    before = given.space.queue, given.pointer, kind, given.size
    if isinstance(op, Combine):
        how, _kept = op._settle()
        call(lib.kn_scan_with, *before, how, which, made.pointer)
    else:
        call(lib.kn_scan, *before, operations.number(op), which, made.pointer)
    return made.result()


class Moments(NamedTuple):
    """What `moments` returns, about the elements that are numbers.

    Attributes
    ----------
    n, nan_count : int
        Elements that are numbers, and those that are not.
    mean, variance : float
        The variance is the population's: divided by n.
    min, max : float
    """

    n: int
    nan_count: int
    mean: float
    variance: float
    min: float
    max: float


def moments(x: Any, *, context: Context | None = None) -> Moments:
    """Mean, variance, least and greatest of the elements that are numbers, in one read.

    Parameters
    ----------
    x : array, any shape
        Of integers of 8 to 64 bits, float32 or float64.
    context : Context, optional
        Where an array of NumPy is computed; None: on the host.

    Returns
    -------
    Moments
        The same bits on every device and on the host. Without numbers the floats are NaN.

    Examples
    --------
    >>> import koine, numpy
    >>> koine.moments(numpy.array([1.0, 2.0, 3.0])).mean
    2.0
    """
    given = take(x, "x", context)
    found = ffi.new("kn_moments *")
    arguments = given.pointer, given.type("x"), given.size, ffi.NULL, found
    if given.space.queue is None:
        call(lib.kn_host_moments, *arguments, ffi.NULL)
    else:
        call(lib.kn_reduce_moments, given.space.queue, *arguments)
    return Moments(*(getattr(found, field) for field in Moments._fields))
