# SPDX-License-Identifier: Apache-2.0
"""What wearables' signals are summed up by: lengths of acceleration, and intervals between heart beats."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy.typing as npt

from ._call import call
from ._native import ffi, lib
from .checks import one_axis
from .context import Context
from .numbers import doubles
from .operands import take, take_beside


def magnitude(x: Any, y: Any, z: Any, *, context: Context | None = None) -> Any:
    """The lengths of vectors, sqrt(x^2 + y^2 + z^2).

    Parameters
    ----------
    x, y, z : array, shape (n,)
        Of float64 or float32, all in one place.
    context : Context, optional
        Where arrays of NumPy are computed; None: on the host.

    Returns
    -------
    array, shape (n,)
        Of x's type.

    Examples
    --------
    >>> import koine, numpy
    >>> koine.magnitude(numpy.array([3.0, 0.0]), numpy.array([4.0, 0.0]), numpy.array([0.0, 1.0]))
    array([5., 1.])
    """
    return _lengths(x, y, z, context, lib.kn_stats_magnitude, lib.kn_stats_magnitude_buffer)


def enmo(x: Any, y: Any, z: Any, *, g: float = 1.0, context: Context | None = None) -> Any:
    """The Euclidean norm minus one: what of the lengths of acceleration is above one g, and else 0.

    Parameters
    ----------
    x, y, z : array, shape (n,)
        Of float64 or float32, all in one place.
    g : float
        One g in their unit, which the result has too; 64 for an Empatica E4's counts.
    context : Context, optional
        Where arrays of NumPy are computed; None: on the host.

    Returns
    -------
    array, shape (n,)
        Of x's type.

    References
    ----------
    van Hees et al. 2013, PLoS ONE 8(4):e61691.

    Examples
    --------
    >>> import koine, numpy
    >>> koine.enmo(numpy.array([3.0, 0.5]), numpy.array([4.0, 0.0]), numpy.array([0.0, 0.0]))
    array([4., 0.])
    """
    return _lengths(x, y, z, context, lib.kn_stats_enmo, lib.kn_stats_enmo_buffer, float(g))


def _lengths(x: Any, y: Any, z: Any, context: Context | None, on_host: Any, on_device: Any, *g: float) -> Any:
    first = one_axis(take(x, "x", context), "x")
    others = [one_axis(take_beside(more, name, first), name) for name, more in (("y", y), ("z", z))]
    for name, other in zip("yz", others):
        if other.shape != first.shape or other.dtype != first.dtype:
            raise ValueError(
                f"{name} has {other.size} elements of {other.dtype}, and x has {first.size} of {first.dtype}"
            )
    made = first.space.empty(first.shape, first.dtype)
    how = first.type("x"), first.size, *g, made.pointer
    if first.space.queue is None:
        call(on_host, [ffi.cast("const void *", axis.pointer) for axis in (first, *others)], *how)
    else:
        call(on_device, first.space.queue, [axis.pointer for axis in (first, *others)], *how)
    return made.result()


class Intervals(NamedTuple):
    """What `intervals` returns; NaN where there are too few.

    Attributes
    ----------
    n, pairs : int
        Intervals, and how many pairs of them follow one another.
    mean : float
        Seconds.
    sdnn : float
        Seconds: the standard deviation, divided by n - 1.
    rmssd : float
        Seconds: the root of the mean square of the pairs' differences.
    pnn50 : float
        Per cent of the pairs that differ by more than 0.05 s.
    """

    n: int
    pairs: int
    mean: float
    sdnn: float
    rmssd: float
    pnn50: float


def intervals(seconds: npt.ArrayLike, times: npt.ArrayLike | None = None) -> Intervals:
    """How intervals between heart beats vary: SDNN, RMSSD and pNN50.

    Parameters
    ----------
    seconds : array_like, shape (n,)
        From a beat to the one before it, in order.
    times : array_like, shape (n,), optional
        The seconds at which the intervals end: then only neighbours between which no beat was lost are pairs, those
        whose times are no more than the later interval and 0.1 s apart.

    Returns
    -------
    Intervals

    References
    ----------
    Task Force of the ESC and NASPE 1996, Circulation 93:1043.

    Examples
    --------
    >>> import koine
    >>> found = koine.intervals([0.8, 0.9, 0.8])
    >>> found.pairs, round(found.rmssd, 6), found.pnn50
    (2, 0.1, 100.0)
    """
    given = doubles(seconds, "seconds").ravel()
    at = None if times is None else doubles(times, "times").ravel()
    if at is not None and at.size != given.size:
        raise ValueError(f"times has {at.size} elements, and seconds has {given.size}")
    found = ffi.new("kn_stats_intervals *")
    when = ffi.NULL if at is None else ffi.from_buffer("double[]", at)
    call(lib.kn_stats_compute_intervals, ffi.from_buffer("double[]", given), when, given.size, found)
    return Intervals(*(getattr(found, field) for field in Intervals._fields))
