# SPDX-License-Identifier: Apache-2.0
"""From an MRI scan to its image, as ``koine recon`` computes it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ._call import Words, call, struct
from ._native import ffi, lib
from .array import shape_of
from .coils import maps_of
from .context import Context
from .errors import text_of
from .interrupts import Watch
from .mri import Complex, adjoints, coordinates, densities, kernels, matrix_of, normals, of_samples, pairs_of
from .numbers import complexes, doubles, natural

methods = Words("method", "KN_RECON_METHOD_", "least-squares adjoint gridding")
scales = Words("scale", "KN_RECON_SCALE_", "none unitary")
regularizers = Words("regularizer", "KN_RECON_REGULARIZER_", "tikhonov difference tv wavelet")
boundaries = Words("boundary", "KN_RECON_BOUNDARY_", "zero periodic")
senses = Words("sense", "KN_RECON_SENSE_", "auto none maps lowres espirit")


@dataclasses.dataclass(frozen=True)
class Coil:
    """What least squares made of a coil, or with `sense` of all of them together.

    Attributes
    ----------
    iterations : int
    stopped : str
        "iterations", "tolerance" or "floor".
    residual : float
        ``|F^H W d - A x| / |F^H W d|`` of the image; with the regularizer "tv", by how much the last iteration changes
        the image and the dual variables, as a part of what the first one does.
    residuals : numpy.ndarray of float64, shape (iterations + 1,)
        The same before the first iteration and after each, as the method carries it along.
    objectives : numpy.ndarray of float64, shape (iterations + 1,), optional
        With the regularizer "tv", ``|F x - d|^2 / 2 + lambda TV(x)`` likewise, and with "wavelet" the same with its details;
        None with others.
    """

    iterations: int
    stopped: str
    residual: float
    residuals: npt.NDArray[np.float64]
    objectives: npt.NDArray[np.float64] | None


@dataclasses.dataclass(frozen=True)
class Reconstruction:
    """What `recon` returns.

    Attributes
    ----------
    image : numpy.ndarray of complex128
        Of several coils, unless `sense` has one of them all, the root of the sum of their squares.
    coils : list of Coil
        Of least squares; of other methods empty.
    lambda_ : float
        In absolute terms.
    kernel : str
        What computed the sums.
    dtype : numpy.dtype
        In which it computed.
    seconds : float
        What it took, without compiling.
    adjoint_method : {"direct", "separable", "nufft", "cartesian", "auto"}
        How the adjoint was computed, as `Nufft` has it; "auto" of gridding, which has none.
    adjoint_why : str
        Why it was computed so.
    sense : {"none", "maps", "lowres", "espirit"}
        How coils were combined.
    sense_why : str
        Why so.
    """

    image: Complex
    coils: list[Coil]
    lambda_: float
    kernel: str
    dtype: np.dtype[Any]
    seconds: float
    adjoint_method: str
    adjoint_why: str
    sense: str
    sense_why: str


def recon(
    data: npt.ArrayLike,
    k: npt.ArrayLike,
    shape: int | Sequence[int],
    *,
    method: str = "least-squares",
    density: str | None = None,
    weights: npt.ArrayLike | None = None,
    basis: npt.ArrayLike | None = None,
    iterations: int = 20,
    tolerance: float = 0.0,
    lambda_: float = 0.0,
    relative_lambda: bool = True,
    regularizer: str = "tikhonov",
    boundary: str = "zero",
    start: npt.ArrayLike | None = None,
    sense: str | None = None,
    maps: npt.ArrayLike | None = None,
    scale: str = "none",
    kernel: str = "auto",
    adjoint: str = "auto",
    nufft_tolerance: float | None = None,
    normal: str = "toeplitz",
    oversampling: float = 2.0,
    width: int = 6,
    context: Context | None = None,
    callback: Callable[[float], Any] | None = None,
) -> Reconstruction:
    """The image of a scan along any trajectory.

    Parameters
    ----------
    data : array_like of complex, shape (samples,) or (coils, samples)
    k : array_like, shape (samples, axes)
        In cycles per field of view.
    shape : tuple of int
        The image's, of two or three axes.
    method : {"least-squares", "adjoint", "gridding"}
        The solution of (F^H W F + lambda R) x = F^H W d by conjugate gradients; F^H W d by the sums; that by gridding,
        which needs a device.
    density : {"none", "ramp", "pipe"}, optional
        Density compensation, by which weights are multiplied; "pipe" needs a context. None: "none" of least squares,
        else "ramp".
    weights : array_like of float, shape (samples,), optional
        From 0 on; None: 1.
    basis : array_like of complex, shape (samples,), optional
        As `Nufft`'s.
    iterations : int
        Of least squares, at most.
    tolerance : float
        Stops once the residual is at most this part of ``|F^H W d|``, with "tv" and "wavelet" of what the first iteration changes; 0:
        never.
    lambda_ : float
        From 0 on.
    relative_lambda : bool
        It counts in units of a bound on the norm of F^H W F.
    regularizer : {"tikhonov", "difference", "tv", "wavelet"}
        A small image; small differences of neighbours; or total variation, by the primal-dual method of Chambolle and
        Pock on ``|F x - d|^2 / 2 + lambda TV(x)``, which leaves edges sharp and wants some hundred iterations; or likewise with the
        details of an orthogonal wavelet transform in place of TV, by accelerated proximal gradients.
    boundary : {"zero", "periodic"}
        Of the differences; "tv" and "wavelet" have "zero".
    start : array_like of complex, optional
        Of least squares: an image for each coil, with `sense` one image; None: 0.
    sense : {"none", "maps", "lowres", "espirit"}, optional
        How several coils become one image: each by itself, and the root of the sum of their squares; or by least squares
        for all together, with their sensitivities: those of `maps`, or made of the scan's dense centre, at low
        resolution or by ESPIRiT (`sense_maps`). None: "maps" where there are some, else "espirit" where the centre is
        dense over 8 cycles along each axis and 6^axes coils are at most 1,024, else "lowres", or "none" where no centre
        is dense, and of other methods.
    maps : array_like of complex, shape (coils,) + shape, optional
        The coils' sensitivities, which are taken as they are.
    scale : {"none", "unitary"}
        What forward and adjoint are multiplied by: 1, or 1 / sqrt(voxels).
    kernel, adjoint, nufft_tolerance, normal, oversampling, width : optional
        As `Nufft`'s.
    context : Context, optional
        None: on the host, in double precision.
    callback : callable, optional
        ``callback(done)``, from 0 to below 1, before each coil and iteration, and between the parts of what takes long,
        with the same number where it is not known how much that is; False stops, which raises
        StopIteration.

    Returns
    -------
    Reconstruction

    Raises
    ------
    ArgumentError
        Samples outside of the band, or what does not go together.
    OutOfMemoryError
        Before anything is taken, where there is less memory than it wants.

    Notes
    -----
    An interrupt takes effect where the callback is called: before each iteration, and between the parts of what takes
    long. The adjointness of forward and adjoint is checked every time.

    Examples
    --------
    >>> import koine
    >>> k, shape = koine.trajectory("cartesian", 16)
    >>> found = koine.recon(koine.phantom_kspace(k, shape), k, shape, iterations=5)
    >>> found.image.shape, found.coils[0].iterations
    ((16, 16), 5)
    """
    scan, kept = _scan(data, k, shape, weights, basis)
    watch = Watch(callback)
    options = struct(
        "kn_recon_solve_options",
        method=methods.number(method),
        density=densities.number(density or ("none" if method == "least-squares" else "ramp")),
        kernel=kernels.number(kernel),
        adjoint=adjoints.number(adjoint),
        nufft_tolerance=nufft_tolerance or 0.0,
        scale=scales.number(scale),
        normal=normals.number(normal),
        iterations=natural(iterations, "iterations"),
        tolerance=tolerance,
        relative_lambda=bool(relative_lambda) and normal != "forward" and method == "least-squares",
        regularizer=regularizers.number(regularizer),
        boundary=boundaries.number(boundary),
        oversampling=oversampling,
        width=natural(width, "width"),
        progress=lib.koine_recon_progress,
        progress_data=watch.handle,
    )
    setattr(options, "lambda", lambda_)
    options.sense = senses.number(sense or ("auto" if maps is None else "maps"))
    if start is not None and options.sense == lib.KN_RECON_SENSE_AUTO:
        chosen = ffi.new("kn_recon_sense *")
        call(lib.kn_recon_sense_choose, scan, options.method, chosen, ffi.NULL)
        options.sense = chosen[0]
    if maps is not None:
        kept.append(maps_of(maps, shape_of(shape)))
        if len(kept[-1]) != scan.coils:
            raise ValueError(f"maps are of {len(kept[-1])} coils, and data of {scan.coils}")
        options.maps = pairs_of(kept[-1])
    if start is not None:
        voxels = int(np.prod(shape_of(shape), dtype=np.int64)) * (int(scan.coils) if options.sense == lib.KN_RECON_SENSE_NONE else 1)
        kept.append(of_samples(complexes(start, "start"), voxels, "start", "voxels of all images"))
        options.start = pairs_of(kept[-1])
    queue = ffi.NULL if context is None else context.queue
    found = ffi.new("kn_recon_solution **")
    watch.call(lib.kn_recon_solve, queue, scan, options, found)
    return _gather(ffi.gc(found[0], lib.kn_recon_solution_free), shape_of(shape))


def sense_maps(
    data: npt.ArrayLike,
    k: npt.ArrayLike,
    shape: int | Sequence[int],
    method: str = "espirit",
    *,
    callback: Callable[[float], Any] | None = None,
) -> Complex:
    """Maps of coils' sensitivities, of the dense centre of a scan's own k-space, on the host.

    Parameters
    ----------
    data : array_like of complex, shape (coils, samples)
    k : array_like, shape (samples, axes)
        In cycles per field of view.
    shape : tuple of int
        The image's, of two or three axes.
    method : {"espirit", "lowres"}
        ESPIRiT with BART's settings: a centre of 8 to 24 cycles along each axis of several voxels, patches of 6,
        threshold 0.001, 0 where the eigenvalue is below 0.8. Or images of that centre at low resolution over the root of
        the sum of their squares.
    callback : callable, optional
        As `recon`'s.

    Returns
    -------
    numpy.ndarray of complex128, shape (coils,) + shape

    Raises
    ------
    ArgumentError
        A scan without such a centre.

    Examples
    --------
    >>> import koine, numpy
    >>> k, shape = koine.trajectory("cartesian", 16)
    >>> scan = koine.phantom_kspace(k, shape)
    >>> maps = koine.sense_maps([0.6 * scan, 0.8j * scan], k, shape)
    >>> maps.shape, abs(maps[:, 8, 8]).round(3)
    ((2, 16, 16), array([0.6, 0.8]))
    """
    scan, _ = _scan(data, k, shape, None, None)
    watch = Watch(callback)
    options = struct("kn_recon_maps_options", progress=lib.koine_recon_progress, progress_data=watch.handle)
    maps: Complex = np.empty((int(scan.coils), *shape_of(shape)), np.complex128)
    watch.call(lib.kn_recon_sense_maps, scan, senses.number(method), pairs_of(maps), options)
    return maps


def _scan(
    data: npt.ArrayLike,
    k: npt.ArrayLike,
    shape: int | Sequence[int],
    weights: npt.ArrayLike | None,
    basis: npt.ArrayLike | None,
) -> tuple[Any, list[Any]]:
    """A kn_recon_scan, and what it points to."""
    matrix = matrix_of(shape)
    where = coordinates(k, matrix.axes)
    samples, given = len(where), complexes(data, "data")
    if samples == 0 or given.size % samples or given.size == 0:
        raise ValueError(f"data has {given.size} elements, and there are {samples} samples a coil")
    kept: list[Any] = [where, given]
    scan = struct("kn_recon_scan", samples=samples, coils=given.size // samples)
    scan.matrix, scan.k, scan.data = matrix[0], pairs_of(where), pairs_of(given)
    if weights is not None:
        kept.append(of_samples(doubles(weights, "weights"), samples, "weights"))
        scan.weights = pairs_of(kept[-1])
    if basis is not None:
        kept.append(of_samples(complexes(basis, "basis"), samples, "basis"))
        scan.basis = pairs_of(kept[-1])
    return scan, kept


def _gather(solution: Any, shape: tuple[int, ...]) -> Reconstruction:
    voxels = lib.kn_recon_solution_get_voxels(solution)
    numbers = ffi.buffer(lib.kn_recon_solution_get_image(solution), 16 * voxels)
    coils = (lib.kn_recon_solution_get_coil(solution, i) for i in range(lib.kn_recon_solution_get_coils(solution)))
    return Reconstruction(
        np.frombuffer(numbers, np.complex128).reshape(shape).copy(),
        [_coil(coil, lib.kn_recon_solution_get_objectives(solution, i)) for i, coil in enumerate(coils)],
        float(lib.kn_recon_solution_get_lambda(solution)),
        kernels.word(lib.kn_recon_solution_get_kernel(solution)),
        np.dtype(np.complex128 if lib.kn_recon_solution_get_is_double(solution) else np.complex64),
        float(lib.kn_recon_solution_get_seconds(solution)),
        adjoints.word(lib.kn_recon_solution_get_adjoint_method(solution)),
        text_of(lib.kn_recon_solution_get_adjoint_why(solution)),
        senses.word(lib.kn_recon_solution_get_sense(solution)),
        text_of(lib.kn_recon_solution_get_sense_why(solution)),
    )


def _coil(coil: Any, objectives: Any) -> Coil:
    residuals, values = (
        np.frombuffer(ffi.buffer(numbers, 8 * (coil.iterations + 1)), np.float64).copy() if numbers else None
        for numbers in (coil.residuals, objectives)
    )
    return Coil(coil.iterations, text_of(lib.kn_solve_stopped_name(coil.stopped)), coil.residual, residuals, values)
