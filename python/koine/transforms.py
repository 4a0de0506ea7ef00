# SPDX-License-Identifier: Apache-2.0
"""Discrete Fourier transforms, with NumPy's names and scales."""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from ._call import call, make, struct
from ._native import ffi, lib
from ._types import complexes, kn_types, parts
from .numbers import natural
from .context import Context
from .operands import Operand, take

Axes = int | Sequence[int]

_KEPT = 16  # plans that a thread keeps, each with its programs and tables

_Key = tuple[int, tuple[Any, ...]]


class _Plans(threading.local):
    """This thread's plans, the one used last at the end: a plan is used by one thread at a time."""

    def __init__(self) -> None:
        self.kept: dict[_Key, Any] = {}

    def get(self, queue: Any, shape: tuple[Any, ...]) -> Any:
        """A plan for the context of a queue; it keeps that context, whose address is then nobody else's."""
        key = (int(ffi.cast("uintptr_t", lib.kn_queue_get_context(queue))), shape)
        plan = self.kept.pop(key, None)
        if plan is None:
            arguments = queue, _struct(shape), ffi.NULL
            plan = make("kn_fft_plan", lib.kn_fft_plan_free, lib.kn_fft_plan_create, *arguments)
        while len(self.kept) >= _KEPT:
            del self.kept[next(iter(self.kept))]
        self.kept[key] = plan
        return plan


_plans = _Plans()


def fft(x: Any, axes: Axes = -1, *, context: Context | None = None) -> Any:
    """The discrete Fourier transform of complex numbers over one to three of the last axes.

    Parameters
    ----------
    x : array
        Of complex64 or complex128; real arrays of NumPy become complex.
    axes : int or tuple of int
        The last axis, the last two or the last three, in order: -1, (-2, -1), (-3, -2, -1).
    context : Context, optional
        Where an array of NumPy is computed; None: on the host.

    Returns
    -------
    array
        In x's shape and precision. Not scaled, as numpy.fft.fftn.

    Raises
    ------
    UnsupportedError
        complex128 on a device without double precision.

    Examples
    --------
    >>> import koine, numpy
    >>> koine.fft(numpy.array([1, 0, 0, 0], "complex64"))
    array([1.+0.j, 1.+0.j, 1.+0.j, 1.+0.j], dtype=complex64)
    """
    return _complex(x, axes, context, lib.KN_FFT_FORWARD)


def ifft(x: Any, axes: Axes = -1, *, context: Context | None = None) -> Any:
    """The inverse of `fft`, divided by the number of elements transformed.

    Parameters
    ----------
    x : array
        Of complex64 or complex128; real arrays of NumPy become complex.
    axes : int or tuple of int
        As `fft`'s.
    context : Context, optional
        Where an array of NumPy is computed; None: on the host.

    Returns
    -------
    array
        In x's shape and precision.

    Examples
    --------
    >>> import koine, numpy
    >>> koine.ifft(numpy.array([4, 0, 0, 0], "complex128")).real
    array([1., 1., 1., 1.])
    """
    return _complex(x, axes, context, lib.KN_FFT_INVERSE)


def rfft(x: Any, axes: Axes = -1, *, context: Context | None = None) -> Any:
    """The transform of real numbers: the half spectrum, as numpy.fft.rfftn.

    Parameters
    ----------
    x : array
        Of float32 or float64; integers of NumPy become float64.
    axes : int or tuple of int
        As `fft`'s.
    context : Context, optional
        Where an array of NumPy is computed; None: on the host.

    Returns
    -------
    array of complex numbers
        The last axis has n // 2 + 1 of them.

    Examples
    --------
    >>> import koine, numpy
    >>> koine.rfft(numpy.array([1.0, 1, 1, 1]))
    array([4.+0.j, 0.+0.j, 0.+0.j])
    """
    given = _floating(x, context, "f")
    count = _count(axes, len(given.shape))
    shape = (*given.shape[:-1], given.shape[-1] // 2 + 1)
    dims = given.shape[-count:]
    return _run(given, shape, complexes[given.dtype], dims, lib.KN_FFT_REAL_TO_COMPLEX, lib.KN_FFT_FORWARD)


def irfft(x: Any, n: int | None = None, axes: Axes = -1, *, context: Context | None = None) -> Any:
    """The inverse of `rfft`.

    Parameters
    ----------
    x : array of complex64 or complex128
        Half a spectrum.
    n : int, optional
        Elements of the result's last axis: 2 (m - 1) or 2 (m - 1) + 1 of m; None: the former.
    axes : int or tuple of int
        As `fft`'s.
    context : Context, optional
        Where an array of NumPy is computed; None: on the host.

    Returns
    -------
    array of real numbers

    Examples
    --------
    >>> import koine, numpy
    >>> koine.irfft(koine.rfft(numpy.array([1.0, 2, 3])), 3).round(12)
    array([1., 2., 3.])
    """
    given = _floating(x, context, "c")
    count = _count(axes, len(given.shape))
    last = max(2 * (given.shape[-1] - 1), 1) if n is None else natural(n, "n")
    if last < 1 or last // 2 + 1 != given.shape[-1]:
        raise ValueError(f"n is {last}, and the half spectrum has {given.shape[-1]} numbers, not {last // 2 + 1}")
    shape = (*given.shape[:-1], last)
    return _run(given, shape, parts[given.dtype], shape[-count:], lib.KN_FFT_COMPLEX_TO_REAL, lib.KN_FFT_INVERSE)


def _complex(x: Any, axes: Axes, context: Context | None, direction: int) -> Any:
    given = _floating(x, context, "c")
    dims = given.shape[-_count(axes, len(given.shape)) :]
    return _run(given, given.shape, given.dtype, dims, lib.KN_FFT_COMPLEX, direction)


def _floating(x: Any, context: Context | None, kind: str) -> Operand:
    """An operand of real or complex numbers; NumPy's others are converted, as numpy.fft does."""
    if isinstance(x, (np.ndarray, list, tuple)):
        array = np.asarray(x)
        if array.dtype.kind in "iufb" and (kind == "c" or array.dtype.kind != "f"):
            single = array.dtype == np.float32
            wanted = np.complex64 if single else np.complex128
            x = array.astype(wanted if kind == "c" else np.float64)
    given = take(x, "x", context)
    if given.dtype not in (parts if kind == "c" else complexes):
        wanted_text = "complex64 or complex128" if kind == "c" else "float32 or float64"
        raise TypeError(f"x has elements of {given.dtype.str}; the transform takes {wanted_text}")
    return given


def _count(axes: Axes, dimensions: int) -> int:
    """How many of the last axes these are."""
    listed = (axes,) if isinstance(axes, (int, np.integer)) else tuple(axes)
    count = len(listed)
    last = tuple(range(dimensions - count, dimensions))
    from_the_start = tuple(axis + dimensions if axis < 0 else axis for axis in listed)
    if not 1 <= count <= min(dimensions, 3) or from_the_start != last:
        raise ValueError(f"axes are {axes} of {dimensions}: the last one, two or three are transformed, in order")
    return count


def _struct(shape: tuple[Any, ...]) -> Any:
    dims, batch, kind, number, scale = shape
    made = struct("kn_fft_shape", rank=len(dims), batch=batch, kind=kind, type=number, scale=scale)
    for i, size in enumerate(reversed(dims)):
        made.dims[i] = size
    return made


def _run(given: Operand, shape: tuple[int, ...], dtype: Any, dims: tuple[int, ...], kind: int, direction: int) -> Any:
    """Transforms an operand into a new one of `shape`."""
    if 0 in shape or 0 in given.shape:
        raise ValueError(f"x has shape {given.shape}: there is nothing to transform")
    made = given.space.empty(shape, dtype)
    batch = math.prod(shape[: len(shape) - len(dims)])
    scale = 1 / math.prod(dims) if direction == lib.KN_FFT_INVERSE else 0.0
    described = dims, batch, kind, kn_types[parts.get(given.dtype, given.dtype)], scale
    if given.space.queue is None:
        call(lib.kn_host_fft, _struct(described), direction, given.pointer, made.pointer, ffi.NULL)
    else:
        plan = _plans.get(given.space.queue, described)
        call(lib.kn_fft_execute, given.space.queue, plan, direction, given.pointer, made.pointer)
    return made.result()
