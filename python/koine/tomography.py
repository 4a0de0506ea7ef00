# SPDX-License-Identifier: Apache-2.0
"""Tomography with parallel rays, fans and cones."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import numpy.typing as npt

from ._call import Words, call, make, struct
from ._native import ffi, lib
from .numbers import doubles, natural
from .context import Context
from .sparse import MatrixOperator, formats, number_type


filters = Words("filter", "KN_TOMOGRAPHY_", "ramp shepp-logan cosine hamming hann")


class RayTransform(MatrixOperator):
    """The sums of a picture along parallel rays or a fan's, computed from the geometry, and their exact transpose.

    Parameters
    ----------
    angles : int or array_like of float
        So many projections evenly over half a turn (a fan: a whole one), or the angle of each in radians.
    size : int
        Pixels along each side of the picture, which have side 1.
    detectors : int, optional
        A line of them, 1 apart; None: `size`.
    axis_offset : float
        Where the axis of rotation is seen, in detectors from their middle.
    source_distance : float, optional
        Rays are a fan, from a source so many pixels from the axis, outside of the circle around the picture; None:
        rays are parallel.
    detector_distance : float
        Of a fan: how many pixels behind the axis the detectors are; 0: at the axis.
    curved : bool
        Of a fan: detectors are on an arc around the source, not on a line.
    context : Context, optional
        None: on the host.
    format : str
        ``"auto"``, ``"on-the-fly"``, ``"on-the-fly-local"``, or one of `SparseOperator`'s, which keeps the matrix.
    dtype : {float32, float64}, optional
        None: float64 on the host, float32 on a device.

    Attributes
    ----------
    ishape, oshape : tuple of int
        (size, size) and (angles, detectors).

    Notes
    -----
    Joseph's projector (1982). A product on the fly takes about 2 * angles * size^2 multiplications. At angle 0 the
    source of a fan is below the picture, at a quarter of a turn at the left. For a fan, a device stores 20 bytes per
    ray and has no ``"on-the-fly-local"``.

    Examples
    --------
    >>> import koine, numpy
    >>> rays = koine.RayTransform(4, 3)
    >>> rays(numpy.ones((3, 3)))[0]
    array([3., 3., 3.])
    """

    def __init__(
        self,
        angles: int | npt.ArrayLike,
        size: int,
        detectors: int | None = None,
        *,
        axis_offset: float = 0.0,
        source_distance: float | None = None,
        detector_distance: float = 0.0,
        curved: bool = False,
        context: Context | None = None,
        format: str = "auto",
        dtype: npt.DTypeLike | None = None,
    ) -> None:
        self._theta = None if np.ndim(angles) == 0 else doubles(angles, "angles").ravel()
        count = natural(angles, "angles") if self._theta is None else self._theta.size
        size = natural(size, "size")
        detectors = size if detectors is None else natural(detectors, "detectors")
        self._geometry = struct(
            "kn_tomography_geometry", angles=count, detectors=detectors, size=size, axis_offset=axis_offset
        )
        if source_distance is not None:
            self._geometry.beam = lib.KN_TOMOGRAPHY_FAN_CURVED if curved else lib.KN_TOMOGRAPHY_FAN_FLAT
            self._geometry.source_distance = source_distance
            self._geometry.detector_distance = detector_distance
        elif curved or detector_distance != 0:
            raise ValueError("curved and detector_distance are of a fan, which has a source_distance")
        if self._theta is not None:
            self._geometry.theta = ffi.from_buffer("double[]", self._theta)
        options = struct("kn_sparse_operator_options", format=formats.number(format), type=number_type(dtype))
        queue = ffi.NULL if context is None else context.queue
        self._filtered: dict[str, Any] = {}
        arguments = queue, self._geometry, options
        handle = make("kn_operator", lib.kn_operator_free, lib.kn_tomography_operator_create, *arguments)
        super().__init__(handle, context, (size, size), (count, detectors))

    @property
    def geometry(self) -> Any:
        """The C interface's kn_tomography_geometry."""
        return self._geometry

    def fbp(self, sinogram: npt.ArrayLike, filter: str = "ramp") -> npt.NDArray[Any]:
        """A picture by filtered back-projection, without iterations.

        Parameters
        ----------
        sinogram : array_like of float, shape (angles, detectors)
        filter : {"ramp", "shepp-logan", "cosine", "hamming", "hann"}
            The window that the ramp is multiplied by, as scikit-image's iradon has them.

        Returns
        -------
        numpy.ndarray, shape (size, size)
            Of the transform's dtype; on devices float32.

        Raises
        ------
        ArgumentError
            Numbers that are not finite, with their projection and detector.

        Notes
        -----
        A projection counts for half the angle to its neighbours, modulo half a turn. Those of a fan have to be all
        around.

        Examples
        --------
        >>> import koine, numpy
        >>> rays = koine.RayTransform(90, 65)
        >>> y, x = numpy.mgrid[-32:33, -32:33]
        >>> picture = rays.fbp(rays((x**2 + y**2 < 400).astype(float)))
        >>> round(float(picture[32, 32]), 1)
        1.0
        """
        numbers = doubles(sinogram, "sinogram")
        if numbers.shape != self.oshape:
            raise ValueError(f"sinogram has shape {numbers.shape}, and the transform makes {self.oshape}")
        dtype = np.dtype(np.float32 if self.context is not None else self.dtype)
        if filter not in self._filtered:
            kind = lib.KN_F32 if dtype == np.float32 else lib.KN_F64
            options = struct("kn_tomography_fbp_options", filter=filters.number(filter), type=kind)
            queue = ffi.NULL if self.context is None else self.context.queue
            arguments = queue, self._geometry, options
            free = lib.kn_tomography_fbp_plan_free
            made = make("kn_tomography_fbp_plan", free, lib.kn_tomography_fbp_plan_create, *arguments)
            self._filtered[filter] = made
        numbers, picture = numbers.astype(dtype), np.empty(self.ishape, dtype)
        plan = self._filtered[filter]
        call(lib.kn_tomography_fbp_execute, plan, ffi.from_buffer(numbers), ffi.from_buffer(picture))
        return picture

    def phantom(self, oversample: int = 1) -> npt.NDArray[np.float64]:
        """The head phantom of Shepp and Logan, with Toft's contrast, as a picture.

        Parameters
        ----------
        oversample : int
            A pixel is the mean of so many points along each axis, 1 to 64.

        Returns
        -------
        numpy.ndarray of float64, shape (size, size)
        """
        made = np.empty(self.ishape)
        points = natural(oversample, "oversample")
        call(lib.kn_tomography_phantom, self.ishape[0], points, ffi.from_buffer("double[]", made))
        return made

    def phantom_sinogram(self) -> npt.NDArray[np.float64]:
        """The phantom's exact sinogram in this geometry, without pixels.

        Returns
        -------
        numpy.ndarray of float64, shape (angles, detectors)
        """
        made = np.empty(self.oshape)
        call(lib.kn_tomography_phantom_sinogram, self._geometry, ffi.from_buffer("double[]", made))
        return made


def fdk(
    projections: npt.ArrayLike,
    size: int,
    filter: str = "ramp",
    *,
    source_distance: float,
    detector_distance: float = 0.0,
    slices: int | None = None,
    axis_offset: float = 0.0,
    theta: npt.ArrayLike | None = None,
    context: Context | None = None,
    dtype: npt.DTypeLike | None = None,
) -> npt.NDArray[Any]:
    """A volume from the projections of a cone beam by filtered back-projection.

    The source goes around the object in a circle, opposite to a flat panel of detectors.

    Parameters
    ----------
    projections : array_like of float, shape (angles, lines, detectors)
        Sums along rays. Line 0 is on the side of slice 0; detectors are 1 apart, as voxels are.
    size : int
        Slices have size x size voxels.
    filter : {"ramp", "shepp-logan", "cosine", "hamming", "hann"}
        The window that the ramp is multiplied by.
    source_distance, detector_distance : float
        Distances of the source and of the panel from the axis of rotation; the source is outside of the object.
    slices : int, optional
        How many there are; as many as `size` by default.
    axis_offset : float
        Where the axis is seen, in detectors from the middle of the panel.
    theta : array_like of float, shape (angles,), optional
        The angle of each projection in radians, all around; None: evenly over a whole turn.
    context : Context, optional
        The device that computes; None: the host.
    dtype : float32 or float64, optional
        Of the computation and the result; float64 by default, and on devices float32, which have only that.

    Returns
    -------
    numpy.ndarray, shape (slices, size, size)

    Raises
    ------
    ArgumentError
        Numbers that are not finite, with their projection, line and detector; a source inside the object; projections
        that are not all around.

    Notes
    -----
    By Feldkamp, Davis and Kress's method (1984), which is exact in the middle slice and an approximation elsewhere.

    Examples
    --------
    >>> import koine, numpy
    >>> v, u = numpy.mgrid[-10:11, -20:21]
    >>> distance = 80 * numpy.sqrt(1 - 120**2 / (120.0**2 + u**2 + v**2))
    >>> panel = 2 * numpy.sqrt(numpy.maximum(8**2 - distance**2, 0))
    >>> ball = koine.fdk([panel] * 60, 17, source_distance=80, detector_distance=40)
    >>> round(float(ball[8, 8, 8]), 1)
    1.0
    """
    wanted = np.dtype(dtype) if dtype is not None else np.dtype(np.float64 if context is None else np.float32)
    kind = number_type(wanted)
    given = np.asarray(projections)
    numbers = given if given.dtype == wanted else doubles(given, "projections")
    if numbers.ndim != 3:
        raise ValueError(f"projections have {numbers.ndim} axes, not three: angles, lines and detectors")
    numbers = np.ascontiguousarray(numbers, wanted)
    angles, lines, detectors = numbers.shape
    size = natural(size, "size")
    slices = size if slices is None else natural(slices, "slices")
    if slices < 1:
        raise ValueError("slices is 0")
    geometry = struct("kn_tomography_geometry", angles=angles, detectors=detectors, size=size, axis_offset=axis_offset)
    geometry.beam = lib.KN_TOMOGRAPHY_CONE
    geometry.source_distance, geometry.detector_distance = source_distance, detector_distance
    geometry.lines, geometry.slices = lines, slices
    if theta is not None:
        turned = doubles(theta, "theta")
        if turned.shape != (angles,):
            raise ValueError(f"theta has shape {turned.shape}, and there are {angles} projections")
        geometry.theta = ffi.from_buffer("double[]", turned)
    options = struct("kn_tomography_fbp_options", filter=filters.number(filter), type=kind)
    arguments = ffi.NULL if context is None else context.queue, geometry, options
    create, free = lib.kn_tomography_fbp_plan_create, lib.kn_tomography_fbp_plan_free
    plan = make("kn_tomography_fbp_plan", free, create, *arguments)
    volume = np.empty((slices, size, size), wanted)
    call(lib.kn_tomography_fbp_execute, plan, ffi.from_buffer(numbers), ffi.from_buffer(volume))
    return volume


def sinogram(
    counts: npt.ArrayLike, white: npt.ArrayLike | None = None, dark: npt.ArrayLike | None = None, *, bin: int = 1
) -> npt.NDArray[np.float64]:
    """A sinogram of what a line of detectors counted: -log of the part of the beam that is left.

    Parameters
    ----------
    counts : array_like, shape (angles, detectors)
    white, dark : array_like, shape (detectors,) or (frames, detectors), optional
        Without the object, and without the beam; frames are averaged. Without `white` the counts are -log already.
    bin : int
        So many neighbouring detectors become one.

    Returns
    -------
    numpy.ndarray of float64, shape (angles, detectors // bin)

    Examples
    --------
    >>> import koine, numpy
    >>> koine.sinogram([[50.0, 25.0]], white=[100.0, 100.0]).round(3)
    array([[0.693, 1.386]])
    """
    numbers, bin = doubles(counts, "counts"), natural(bin, "bin")
    if numbers.ndim != 2:
        raise ValueError(f"counts have {numbers.ndim} axes, not two: a line for each angle")
    if bin < 1:
        raise ValueError("bin is 0")
    angles, detectors = numbers.shape
    task = struct("kn_tomography_counts", angles=angles, detectors=detectors, bin=bin)
    fields: list[Any] = [ffi.from_buffer("double[]", numbers)]
    task.counts = fields[0]
    for name, field in (("white", white), ("dark", dark)):
        if field is not None:
            frames = np.atleast_2d(doubles(field, name))
            if frames.ndim != 2 or frames.shape[1] != detectors or not frames.size:
                raise ValueError(f"{name} has shape {frames.shape}, and there are {detectors} detectors")
            fields.append(ffi.from_buffer("double[]", frames))
            setattr(task, name, fields[-1])
            setattr(task, f"{name}_frames", frames.shape[0])
    made = np.empty((angles, detectors // bin))
    call(lib.kn_tomography_sinogram_from_counts, task, ffi.from_buffer("double[]", made))
    return made


def remove_stripes(sinogram: npt.ArrayLike, width: int = 0) -> npt.NDArray[np.float64]:
    """A sinogram without the stripes of detectors whose gain differs from their neighbours'.

    They are rings in pictures.

    Parameters
    ----------
    sinogram : array_like of float, shape (angles, detectors)
    width : int
        Of how many neighbouring detectors a median is taken, an odd number; 0: a hundredth of all, at least 5.

    Returns
    -------
    numpy.ndarray of float64, shape (angles, detectors)

    Notes
    -----
    By sorting the numbers of each detector (Vo, Atwood and Drakopoulos 2018, algorithm 3).

    Examples
    --------
    >>> import koine, numpy
    >>> striped = numpy.tile(numpy.arange(4.0)[:, None], (1, 9))
    >>> striped[:, 4] += 1
    >>> koine.remove_stripes(striped)[:, 4]
    array([0., 1., 2., 3.])
    """
    made, width = doubles(sinogram, "sinogram").copy(), natural(width, "width")
    if made.ndim != 2:
        raise ValueError(f"sinogram has {made.ndim} axes, not two: a line for each angle")
    call(lib.kn_tomography_remove_stripes, *made.shape, width, ffi.from_buffer("double[]", made))
    return made


@dataclasses.dataclass(frozen=True)
class Axis:
    """Where a sinogram shows the axis of rotation, in detectors from 0.

    Attributes
    ----------
    position : float
    error : float
        Its standard error, estimated from halves of the projections; NaN if there are fewer than 16.
    opposite : float
        The axis that opposite projections alone show.
    pairs : int
        So many pairs of them were compared.
    residual : float
        abs(A x - b) / abs(b) of the binned sinogram at `position`.
    """

    position: float
    error: float
    opposite: float
    pairs: int
    residual: float


def find_axis(sinogram: npt.ArrayLike, theta: npt.ArrayLike | None = None) -> Axis:
    """The axis of rotation of a sinogram of parallel rays.

    Parameters
    ----------
    sinogram : array_like of float, shape (angles, detectors)
    theta : array_like of float, shape (angles,), optional
        The angle of each projection in radians; None: evenly over half a turn.

    Returns
    -------
    Axis

    Raises
    ------
    ArgumentError
        Numbers that are not finite, a sinogram that is 0, without projections that are half a turn apart, or without
        a least residual.

    Notes
    -----
    The search starts from opposite projections, and ends where 12 iterations of conjugate gradients leave the least
    residual, with detectors binned to at most 128.

    Examples
    --------
    >>> import koine
    >>> rays = koine.RayTransform(40, 48, 64, axis_offset=2)
    >>> round(koine.find_axis(rays(rays.phantom())).position, 1)
    33.5
    """
    numbers = doubles(sinogram, "sinogram")
    if numbers.ndim != 2:
        raise ValueError(f"sinogram has {numbers.ndim} axes, not two: a line for each angle")
    angles, detectors = numbers.shape
    geometry = struct("kn_tomography_geometry", angles=angles, detectors=detectors, size=max(detectors, 1))
    if theta is not None:
        given = doubles(theta, "theta")
        if given.shape != (angles,):
            raise ValueError(f"theta has shape {given.shape}, and there are {angles} projections")
        geometry.theta = ffi.from_buffer("double[]", given)
    found = ffi.new("kn_tomography_axis *")
    call(lib.kn_tomography_find_axis, geometry, ffi.from_buffer("double[]", numbers), found)
    return Axis(found.axis, found.error, found.opposite, found.pairs, found.residual)
