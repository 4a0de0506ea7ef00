# SPDX-License-Identifier: Apache-2.0
"""Correlations of frames with later ones: how fast a series of images changes."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import numpy.typing as npt

from ._call import call, struct
from ._native import ffi, lib
from .context import Context
from .correlation import frames_struct, lengths_type, make_plan, methods, normalizations, ring_type
from .numbers import natural
from .operands import take

_lag = np.dtype([("pairs", np.uintp), ("value", "f8"), ("deviation", "f8"), ("lengths", lengths_type)])
assert _lag.itemsize == ffi.sizeof("kn_autocorr_lag")


@dataclasses.dataclass(frozen=True)
class Lags:
    """What `autocorr_lags` returns, by lags 0 to K along the first axis.

    Attributes
    ----------
    value, deviation : numpy.ndarray of float64, shape (K + 1,)
        The correlation at the offset (0, 0): the mean over a lag's pairs, and their standard deviation.
    pairs : numpy.ndarray of integers, shape (K + 1,)
        That counted: those with a value.
    rings : structured numpy.ndarray, shape (K + 1, R + 1)
        The mean azimuthal average; fields as of `Autocorrelation`.
    lengths : structured numpy.ndarray, shape (K + 1,)
        In these averages; fields as of `Autocorrelation`.
    values : numpy.ndarray of float64, shape (K + 1, R + 1, 2 R + 1)
        The mean correlation over the offsets, at ``[k, Y0, R + X0]``.
    correlations : numpy.ndarray of float64, shape (K + 1, count)
        At the offset (0, 0), of frames i and i + k at ``[k, i]``; NaN where there is no such pair.
    decorrelation : float
        The lag at which `value` has fallen to 1/e of lag 0's; NaN where it does not.
    method : str
        What computed the sums.
    bound : float
        What each sum is off by at most: 0 unless `single` was asked for.
    """

    value: npt.NDArray[np.float64]
    deviation: npt.NDArray[np.float64]
    pairs: npt.NDArray[Any]
    rings: npt.NDArray[Any]
    lengths: npt.NDArray[Any]
    values: npt.NDArray[np.float64]
    correlations: npt.NDArray[np.float64]
    decorrelation: float
    method: str
    bound: float


def autocorr_lags(
    frames: Any,
    max_lag: int,
    *,
    mask: npt.ArrayLike | None = None,
    max_offset: int = 0,
    method: str = "auto",
    normalization: str = "pearson",
    single: bool = False,
    periodic: bool = False,
    context: Context | None = None,
) -> Lags:
    """Correlations of the frames of a series with themselves and with those 1 to K frames later, averaged over pairs.

    Parameters
    ----------
    frames : array, shape (count, height, width)
        Of uint8, uint16, or float32, each frame of which is scaled to 16 bits by its own range unless its numbers are
        whole ones. On a device of whole numbers.
    max_lag : int
        K, less than count; 0: the frames themselves, averaged.
    mask : array_like of bool, shape (height, width), optional
        Where no frame counts it is False. Of arrays of NumPy.
    max_offset : int
        R, as of `autocorr`, as are all below.
    method, normalization : str
    single, periodic : bool
    context : Context, optional

    Returns
    -------
    Lags

    Raises
    ------
    ArgumentError, UnsupportedError
        No frame so much later; floats that are not finite; a method that the place does not have.

    Examples
    --------
    >>> import koine, numpy
    >>> first, last = [[1, 2], [3, 4]], [[4, 3], [2, 1]]
    >>> found = koine.autocorr_lags(numpy.array([first, first, last], "uint8"), 2, max_offset=1)
    >>> found.correlations[1:]
    array([[ 1., -1., nan],
           [-1., nan, nan]])
    """
    given = take(frames, "frames")
    if len(given.shape) != 3:
        raise ValueError(f"frames have {len(given.shape)} axes, not (count, height, width)")
    count, height, width = given.shape
    lags = natural(max_lag, "max_lag")
    if lags >= count:
        raise ValueError(f"max_lag is {lags}, and there are {count} frames")
    queue = given.space.queue if given.space.queue is not None else ffi.NULL if context is None else context.queue
    plan = make_plan(
        queue,
        struct(
            "kn_autocorr_shape",
            height=height,
            width=width,
            type=given.type("frames"),
            max_offset=natural(max_offset, "max_offset"),
        ),
        method=method,
        normalization=normalization,
        single=single,
        periodic=periodic,
    )
    if given.space.queue is not None:
        if mask is not None:
            raise TypeError("a mask is only possible with arrays on the host")
        return _execute(lib.kn_autocorr_execute_lags_buffer, plan, given.pointer, count, lags, normalization)
    task, _kept = frames_struct(given, None, mask, (count, height, width))
    return _execute(lib.kn_autocorr_execute_lags, plan, task, count, lags, normalization)


def _execute(function: Any, plan: Any, task: Any, count: int, max_lag: int, normalization: str) -> Lags:
    r = int(lib.kn_autocorr_plan_get_max_offset(plan))
    lags, rings = np.empty(max_lag + 1, _lag), np.empty((max_lag + 1, r + 1), ring_type)
    values, correlations = np.empty((max_lag + 1, r + 1, 2 * r + 1)), np.empty((max_lag + 1, count))
    results = struct(
        "kn_autocorr_lag_results",
        lags=ffi.cast("kn_autocorr_lag *", ffi.from_buffer(lags)),
        rings=ffi.cast("kn_autocorr_ring *", ffi.from_buffer(rings)),
        values=ffi.cast("double *", ffi.from_buffer(values)),
        correlations=ffi.cast("double *", ffi.from_buffer(correlations)),
    )
    call(function, plan, task, count, max_lag, results)
    return Lags(
        lags["value"],
        lags["deviation"],
        lags["pairs"],
        rings,
        lags["lengths"],
        values,
        correlations,
        float(lib.kn_autocorr_find_decorrelation(results.lags, max_lag + 1, normalizations.number(normalization))),
        methods.word(lib.kn_autocorr_plan_get_method(plan)),
        float(lib.kn_autocorr_plan_get_bound(plan)),
    )
