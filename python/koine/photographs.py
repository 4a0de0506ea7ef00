# SPDX-License-Identifier: Apache-2.0
"""Photographs made ready for `autocorr`: stabilised, evenly lit, dust mended, contrast stretched, cropped."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ._call import chars, make, struct
from ._native import ffi, lib
from .interrupts import Watch
from .numbers import marks, natural

_types = {np.dtype(np.uint8): lib.KN_U8, np.dtype(np.uint16): lib.KN_U16}


class Preparation(NamedTuple):
    """What `prepare` returns.

    Attributes
    ----------
    frames : numpy.ndarray, shape (count, height, width)
        Of the type of those that were given.
    shifts : numpy.ndarray of float64, shape (count, 2)
        How far each had moved, in pixels: y and x.
    dust : numpy.ndarray of int64, shape (count,)
        Pixels that were mended.
    levels : numpy.ndarray of float64, shape (count, 2)
        The levels of black and white; 0 both: as they were.
    certainty : numpy.ndarray of float64, shape (count,)
        By how many standard deviations each shift's peak stands above the rest of the correlation (the
        peak-to-sidelobe ratio of Bolme et al. 2010), at least 10; 0 without `stabilise`.
    """

    frames: npt.NDArray[Any]
    shifts: npt.NDArray[np.float64]
    dust: npt.NDArray[np.int64]
    levels: npt.NDArray[np.float64]
    certainty: npt.NDArray[np.float64]


def prepare(
    frames: npt.ArrayLike,
    *,
    stabilise: bool = False,
    flatten: float = 0.0,
    find_dust: bool = False,
    dust: npt.ArrayLike | None = None,
    contrast: tuple[float, float] | str | None = None,
    crop: tuple[int, int, int, int] | None = None,
) -> Preparation:
    """Prepares photographs, as ``koine prepare`` does: the steps of Lu et al. (2009, figure 3), in this order.

    Parameters
    ----------
    frames : array_like, shape (count, height, width)
        Grey levels, uint8 or uint16.
    stabilise : bool
        Moves each frame back to where the first one is, by parts of a pixel; one whose shift is not certain is
        refused.
    flatten : float
        Divides by the frame's own blur, a Gaussian of this standard deviation in pixels; 0: not.
    find_dust : bool
        Fills what is far off its neighbourhood.
    dust : array_like of bool, shape (height, width), optional
        Fills what is True.
    contrast : (float, float) or "auto", optional
        The levels that become black and white.
    crop : (int, int, int, int), optional
        What is kept: y, x, height and width.

    Returns
    -------
    Preparation

    Raises
    ------
    ArgumentError
        A contrast that does not rise, a region outside of the frames, both kinds of dust.
    InputError
        A frame whose shift against the first one is not certain: they have nothing in common, or no structure.

    Examples
    --------
    >>> import koine, numpy
    >>> frames = numpy.arange(64, dtype="uint8").reshape(1, 8, 8)
    >>> koine.prepare(frames, contrast=(0, 63), crop=(0, 0, 2, 2)).frames
    array([[[ 0,  4],
            [32, 36]]], dtype=uint8)
    """
    given = np.asarray(frames)
    if given.ndim != 3 or given.dtype not in _types:
        raise TypeError(f"frames are of uint8 or uint16, (count, height, width), not {given.dtype} of {given.shape}")
    source = _Source(np.ascontiguousarray(given))
    options, kept = _options(stabilise, flatten, find_dust, dust, contrast, crop)
    arguments = source.struct, options
    preparation = source.make(
        "kn_autocorr_preparation", lib.kn_autocorr_preparation_free, lib.kn_autocorr_preparation_create, *arguments
    )
    done = [_one(preparation, source, i) for i in range(len(given))]
    del kept
    shape = (0, *given.shape[1:])
    return Preparation(
        np.stack([pixels for pixels, _ in done]) if done else np.empty(shape, given.dtype),
        np.array([(said.y, said.x) for _, said in done], np.float64).reshape(-1, 2),
        np.array([said.dust for _, said in done], np.int64),
        np.array([(said.low, said.high) for _, said in done], np.float64).reshape(-1, 2),
        np.array([said.certainty for _, said in done], np.float64),
    )


class _Source:
    """A kn_autocorr_source of an array."""

    def __init__(self, frames: npt.NDArray[Any]) -> None:
        self.frames = frames
        self.watch = Watch()
        self._user = ffi.new_handle(self)
        self.struct = struct("kn_autocorr_source", count=len(frames), fetch=lib.koine_fetch, data=self._user)

    @property
    def raised(self) -> BaseException | None:
        """What was raised in `fetch`, which the library would take for a frame that cannot be read."""
        return self.watch.raised

    @raised.setter
    def raised(self, raised: BaseException) -> None:
        self.watch.raised = raised

    def fetch(self, i: int, grey: Any) -> None:
        """Frame i, in memory that the library takes over."""
        frame = self.frames[i]
        grey.height, grey.width = frame.shape
        grey.type = _types[frame.dtype]
        grey.pixels = lib.malloc(max(frame.nbytes, 1))
        if grey.pixels == ffi.NULL:
            raise MemoryError(f"{frame.nbytes} bytes for a frame")
        ffi.memmove(grey.pixels, ffi.from_buffer(frame), frame.nbytes)

    def make(self, *arguments: Any) -> Any:
        """`make`, and what was raised in `fetch` meanwhile."""
        return self.watch.around(make, *arguments)


def _options(
    stabilise: bool,
    flatten: float,
    find_dust: bool,
    dust: npt.ArrayLike | None,
    contrast: tuple[float, float] | str | None,
    crop: tuple[int, int, int, int] | None,
) -> tuple[Any, list[Any]]:
    """A kn_autocorr_preparation_options, and what it points to."""
    made = struct("kn_autocorr_preparation_options", stabilise=stabilise, flatten=flatten, find_dust=find_dust)
    kept: list[Any] = []
    if dust is not None:
        where = marks(dust, "dust")
        if where.ndim != 2:
            raise ValueError(f"dust has {where.ndim} axes, not two")
        grey = ffi.new("kn_autocorr_grey *", {"height": where.shape[0], "width": where.shape[1], "type": lib.KN_U8})
        kept += [where, grey, ffi.from_buffer(where)]
        grey.pixels = kept[-1]
        made.dust = grey
    if isinstance(contrast, str):
        if contrast != "auto":
            raise ValueError(f"contrast is {contrast!r}, not (low, high) or auto")
        made.contrast = made.contrast_auto = True
    elif contrast is not None:
        made.contrast, (made.low, made.high) = True, contrast
    if crop is not None:
        y, x, height, width = (natural(size, "crop") for size in crop)
        kept.append(ffi.new("kn_autocorr_region *", {"y": y, "x": x, "height": height, "width": width}))
        made.crop = kept[-1]
    return made, kept


def _one(preparation: Any, source: _Source, i: int) -> tuple[npt.NDArray[Any], Any]:
    """Frame i, prepared, and what was done to it."""
    grey, said = ffi.new("kn_autocorr_grey *"), ffi.new("kn_autocorr_prepared *")
    source.fetch(i, grey)
    try:
        source.watch.call(lib.kn_autocorr_prepare, preparation, chars(f"frame {i}", "name"), grey, said)
        dtype = source.frames.dtype
        size = grey.height * grey.width * dtype.itemsize
        pixels = np.frombuffer(ffi.buffer(grey.pixels, size), dtype).reshape(grey.height, grey.width).copy()
    finally:
        lib.kn_free(grey.pixels)
        lib.kn_autocorr_prepared_free(said)
    return pixels, said
