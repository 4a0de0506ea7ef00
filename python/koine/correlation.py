# SPDX-License-Identifier: Apache-2.0
"""Correlations of images and volumes, exact to the last integer."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import numpy.typing as npt

from ._call import Words, call, make, struct
from ._native import ffi, lib
from .numbers import marks, natural
from .context import Context
from .errors import text_of
from .operands import Operand, Shape, take, take_beside

methods = Words("method", "KN_AUTOCORR_", "auto direct fft naive simd texture-style two-line two-kernel")
normalizations = Words("normalization", "KN_AUTOCORR_", "pearson energy lu2009 geo zero unbiased symavg")

ring_type = np.dtype([("radius", "f8"), ("value", "f8"), ("error", "f8"), ("weight", "f8"), ("count", "u8")])
lengths_type = np.dtype([(name, "f8") for name in ("r_max", "r_max_error", "maximum", "r_min", "minimum", "r_zero")])
assert ring_type.itemsize == ffi.sizeof("kn_autocorr_ring")
assert lengths_type.itemsize == ffi.sizeof("kn_autocorr_lengths")


@dataclasses.dataclass(frozen=True)
class Autocorrelation:
    """What `autocorr` returns, one for each frame along the first axis if there were several.

    Attributes
    ----------
    sums : numpy.ndarray of uint64, shape (..., R + 1, 2 R + 1), of volumes (..., R + 1, 2 R + 1, 2 R + 1)
        ``sum I(y, x) I'(y + Y0, x + X0)`` over the overlap, at ``[Y0, R + X0]``: exact. Of volumes at
        ``[Z0, R + Y0, R + X0]``.
    values : numpy.ndarray of float64, of the shape of sums
        The correlation; NaN where it is undefined.
    rings : structured numpy.ndarray, shape (..., R + 1)
        The azimuthal average, of volumes the spherical one: fields radius, in pixels, value, error, weight and count.
    lengths : structured numpy.ndarray, shape (...)
        In pixels, NaN if there is none: r_max, the first maximum after the first minimum, its error r_max_error and the
        correlation there, maximum; r_min and minimum, the same of that minimum; r_zero, the first zero crossing.
    max_offset : int
        R.
    method, why : str
        The method that ran, and why it was chosen.
    bound : float
        The greatest possible error of a sum: 0 unless `single` was asked for.
    """

    sums: npt.NDArray[np.uint64]
    values: npt.NDArray[np.float64]
    rings: npt.NDArray[Any]
    lengths: npt.NDArray[Any]
    max_offset: int
    method: str
    why: str
    bound: float


def autocorr(
    frames: Any,
    second: Any = None,
    *,
    mask: npt.ArrayLike | None = None,
    max_offset: int = 0,
    method: str = "auto",
    normalization: str = "pearson",
    single: bool = False,
    volume: bool = False,
    periodic: bool = False,
    context: Context | None = None,
) -> Autocorrelation:
    """Auto- or cross-correlations of images or volumes for all offsets up to R.

    Parameters
    ----------
    frames : array, shape (height, width) or (count, height, width); of volumes (depth, height, width), or several
        I, of uint8, uint16, or float32, which is scaled to 16 bits by its range unless its numbers are integers.
    second : array, optional
        I', the image that is shifted, of the same type; of the shape of frames, or one for all; None: the first.
    mask : array_like of bool, optional
        False where pixels count in neither image; of the shape of frames, or one for all. Only for NumPy arrays.
    max_offset : int
        R, less than the longest side; 0: a quarter of the shortest side, at most 250, or 64 for a volume.
    method : str
        ``"auto"``; on the host ``"fft"``, ``"simd"``, ``"naive"``; on devices ``"direct"``, ``"fft"``, and those of Lu et
        al. (2009): ``"texture-style"``, ``"two-line"``, ``"two-kernel"``.
    normalization : {"pearson", "energy", "lu2009", "geo", "zero", "unbiased", "symavg"}
        For values, rings and lengths.
    single : bool
        Transforms in single precision: faster, but not exact; `bound` is the greatest possible error.
    volume : bool
        Correlate volumes; always exact, without a mask, by ``"auto"`` or ``"fft"``.
    periodic : bool
        Periodic boundaries; exact, without a mask, by ``"auto"`` or ``"fft"``.
    context : Context, optional
        Where NumPy arrays are processed; None: on the host.

    Returns
    -------
    Autocorrelation
        In the host's memory.

    Raises
    ------
    ArgumentError, UnsupportedError
        Floats that are not finite; a method that the host or device does not have.

    Examples
    --------
    >>> import koine, numpy
    >>> found = koine.autocorr(numpy.array([[1, 2], [3, 4]], "uint8"), max_offset=1)
    >>> found.sums
    array([[14, 30, 14],
           [ 6, 11,  4]], dtype=uint64)
    >>> koine.autocorr(numpy.ones((3, 4, 5), "uint8"), max_offset=1, volume=True).sums[1, 1]
    array([32, 40, 32], dtype=uint64)
    """
    given = take(frames, "frames")
    beside = None if second is None else take_beside(second, "second", given)
    shape = _frame_shape(given, beside, 3 if volume else 2)
    queue = given.space.queue if given.space.queue is not None else ffi.NULL if context is None else context.queue
    plan = make_plan(
        queue,
        struct(
            "kn_autocorr_shape",
            height=shape[-2],
            width=shape[-1],
            depth=shape[1] if volume else 0,
            type=given.type("frames"),
            max_offset=natural(max_offset, "max_offset"),
        ),
        method=method,
        normalization=normalization,
        single=single,
        periodic=periodic,
    )
    results = _Results(plan, shape[0], volume)
    if given.space.queue is None:
        task, _kept = frames_struct(given, beside, mask, shape)
        call(lib.kn_autocorr_execute, plan, task, shape[0], results.struct)
    else:
        if mask is not None:
            raise TypeError("a mask is only possible with arrays on the host")
        other = ffi.NULL if beside is None else _whole(beside, given).pointer
        call(lib.kn_autocorr_execute_buffers, plan, given.pointer, other, shape[0], results.struct)
    return results.give(plan, several=len(given.shape) == len(shape))


def make_plan(queue: Any, shape: Any, *, method: str, normalization: str, single: bool, periodic: bool) -> Any:
    """A kn_autocorr_plan."""
    options = struct(
        "kn_autocorr_options",
        method=methods.number(method),
        normalization=normalizations.number(normalization),
        single=single,
        periodic=periodic,
    )
    return make("kn_autocorr_plan", lib.kn_autocorr_plan_free, lib.kn_autocorr_plan_create, queue, shape, options)


def _frame_shape(given: Operand, beside: Operand | None, axes: int) -> Shape:
    """How many frames there are, and their height and width, or depth, height and width."""
    one = ("(height, width)", "(depth, height, width)")[axes - 2]
    if len(given.shape) not in (axes, axes + 1):
        raise ValueError(f"frames have {len(given.shape)} axes, not {one} or (count, {one[1:]}")
    shape: Shape = tuple(given.shape) if len(given.shape) == axes + 1 else (1, *given.shape)
    if beside is not None:
        if beside.dtype != given.dtype:
            raise TypeError(f"frames are of {given.dtype} and second is of {beside.dtype}")
        _check_beside(beside.shape, shape, "second")
    return shape


def _check_beside(shape: Shape, frames: Shape, name: str) -> None:
    if shape not in (frames, frames[1:]):
        raise ValueError(f"{name} has shape {shape}, and frames are {frames[0]} of {frames[1:]}")


def _whole(beside: Operand, given: Operand) -> Operand:
    """On a device there are as many second images as first ones."""
    if math_size(beside.shape) != math_size(given.shape):
        raise ValueError(f"second has shape {beside.shape}: on a device it has that of frames, {given.shape}")
    return beside


def math_size(shape: Shape) -> int:
    """Elements of a shape."""
    return int(np.prod(shape, dtype=np.int64))


def frames_struct(
    given: Operand, beside: Operand | None, mask: npt.ArrayLike | None, shape: Shape
) -> tuple[Any, list[Any]]:
    """A kn_autocorr_frames, and what it points to."""
    task = struct("kn_autocorr_frames", first=given.pointer)
    kept: list[Any] = [given, beside]
    if beside is not None:
        task.second = beside.pointer
        task.second_frame_stride = math_size(shape[1:]) if len(beside.shape) == len(shape) else 0
    if mask is not None:
        where = marks(mask, "mask")
        _check_beside(where.shape, shape, "mask")
        kept.append(ffi.from_buffer("uint8_t[]", where))
        task.mask = kept[-1]
        task.mask_frame_stride = math_size(shape[1:]) if where.ndim == len(shape) else 0
    return task, kept


class _Results:
    """Where results go."""

    def __init__(self, plan: Any, count: int, volume: bool) -> None:
        rings = int(lib.kn_autocorr_plan_get_max_offset(plan)) + 1
        rows, columns = lib.kn_autocorr_plan_get_rows(plan), lib.kn_autocorr_plan_get_columns(plan)
        shape = (count, rings, rows, columns) if volume else (count, rows, columns)
        self.sums = np.empty(shape, np.uint64)
        self.values = np.empty(shape)
        self.rings = np.empty((count, rings), ring_type)
        self.lengths = np.empty(count, lengths_type)
        self.struct = struct(
            "kn_autocorr_results",
            sums=ffi.cast("uint64_t *", ffi.from_buffer(self.sums)),
            values=ffi.cast("double *", ffi.from_buffer(self.values)),
            rings=ffi.cast("kn_autocorr_ring *", ffi.from_buffer(self.rings)),
            lengths=ffi.cast("kn_autocorr_lengths *", ffi.from_buffer(self.lengths)),
        )

    def give(self, plan: Any, several: bool) -> Autocorrelation:
        """What the caller gets."""
        arrays = self.sums, self.values, self.rings, self.lengths
        sums, values, rings, lengths = arrays if several else (array[0] for array in arrays)
        return Autocorrelation(
            sums,
            values,
            rings,
            lengths,
            int(lib.kn_autocorr_plan_get_max_offset(plan)),
            methods.word(lib.kn_autocorr_plan_get_method(plan)),
            text_of(lib.kn_autocorr_plan_get_why(plan)),
            float(lib.kn_autocorr_plan_get_bound(plan)),
        )
