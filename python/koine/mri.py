# SPDX-License-Identifier: Apache-2.0
"""MRI: trajectories, density compensation, phantoms, and non-uniform transforms.

Axes are those of NumPy's arrays, the slowest first: coordinate ``k[:, i]`` belongs to axis i of an image. They are in
cycles per field of view, from -N/2 to N/2, as SigPy and BART have them.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ._call import Words, call, make, struct
from ._native import ffi, lib
from .array import shape_of
from .errors import text_of
from .numbers import complexes, doubles, natural
from .context import Context
from .interrupts import Watch
from .operators import Operator

kinds = Words("kind", "KN_RECON_TRAJECTORY_", "radial golden spiral kooshball stack cartesian")
units = Words("unit", "KN_RECON_UNIT_", "fov radians normalized")
densities = Words("density", "KN_RECON_DENSITY_", "none ramp pipe")
kernels = Words(
    "kernel",
    "KN_RECON_KERNEL_",
    "auto naive register coalesced constant constant-struct fast-trig tuned host-double host-single",
)
_operators = Words("method", "KN_RECON_OPERATOR_", "encoding normal gridding")
adjoints = Words("adjoint", "KN_RECON_ADJOINT_", "auto direct separable nufft cartesian")
normals = Words("normal", "KN_RECON_NORMAL_", "toeplitz forward")

Real = npt.NDArray[np.float64]
Complex = npt.NDArray[np.complex128]


def matrix_of(shape: int | Sequence[int]) -> Any:
    """A kn_recon_matrix, whose first axis is the last one of NumPy."""
    sizes = shape_of(shape)
    if len(sizes) not in (2, 3):
        raise ValueError(f"an image has two or three axes, not {len(sizes)}")
    made = ffi.new("kn_recon_matrix *", {"axes": len(sizes)})
    for i, size in enumerate(reversed(sizes)):
        made.size[i] = size
    return made


def coordinates(k: npt.ArrayLike, axes: int) -> Real:
    """k of shape (..., axes) as libkoine has it: three numbers a sample, those of the last axis first."""
    given = doubles(k, "k")
    if given.ndim < 2 or given.shape[-1] != axes:
        raise ValueError(f"k has shape {given.shape}, and the image has {axes} axes: (samples, {axes})")
    flat = given.reshape(-1, axes)
    made = np.zeros((len(flat), 3))
    made[:, :axes] = flat[:, ::-1]
    return made


def trajectory(
    kind: str, extent: int = 0, *, samples: int = 0, spokes: int = 0, partitions: int = 0
) -> tuple[Real, tuple[int, ...]]:
    """Where the samples of a scan lie.

    Parameters
    ----------
    kind : {"radial", "golden", "spiral", "kooshball", "stack", "cartesian"}
    extent : int
        The matrix's size N in the plane: k goes to N/2.
    samples, spokes, partitions : int
        Of a spoke, arm or line; of a partition; in all. 0: as many as the others ask for.

    Returns
    -------
    k : numpy.ndarray of float64, shape (samples, axes)
        In cycles per field of view.
    shape : tuple of int
        The image that it is for.

    Examples
    --------
    >>> import koine
    >>> k, shape = koine.trajectory("golden", 64, samples=128, spokes=10)
    >>> k.shape, shape
    ((1280, 2), (64, 64))
    """
    wanted = struct(
        "kn_recon_trajectory",
        kind=kinds.number(kind),
        extent=natural(extent, "extent"),
        samples=natural(samples, "samples"),
        spokes=natural(spokes, "spokes"),
        partitions=natural(partitions, "partitions"),
    )
    matrix, count = ffi.new("kn_recon_matrix *"), ffi.new("size_t *")
    call(lib.kn_recon_trajectory_settle, wanted, matrix, count)
    made = np.empty((count[0], 3))
    call(lib.kn_recon_trajectory_fill, wanted, count[0], ffi.from_buffer("double[]", made))
    axes = int(matrix.axes)
    return np.ascontiguousarray(made[:, axes - 1 :: -1]), tuple(matrix.size[i] for i in reversed(range(axes)))


def convert_trajectory(k: npt.ArrayLike, shape: int | Sequence[int], unit: str) -> Real:
    """A trajectory in cycles per field of view, of one in another unit.

    Parameters
    ----------
    k : array_like, shape (samples, axes)
    shape : tuple of int
        The image's.
    unit : {"fov", "radians", "normalized"}
        What k is in: cycles per field of view, up to N/2; radians per voxel, up to pi; cycles per voxel, up to 1/2.

    Returns
    -------
    numpy.ndarray of float64, shape (samples, axes)

    Examples
    --------
    >>> import koine
    >>> koine.convert_trajectory([[0.5, -0.25]], (64, 64), "normalized")
    array([[ 32., -16.]])
    """
    matrix = matrix_of(shape)
    made = coordinates(k, matrix.axes)
    call(lib.kn_recon_trajectory_convert, units.number(unit), matrix, len(made), ffi.from_buffer("double[]", made))
    return np.ascontiguousarray(made[:, matrix.axes - 1 :: -1]).reshape(np.shape(k))


def density(
    k: npt.ArrayLike, shape: int | Sequence[int], kind: str = "pipe", *, context: Context | None = None
) -> Real:
    """How much of k-space each sample stands for.

    Parameters
    ----------
    k : array_like, shape (samples, axes)
        In cycles per field of view.
    shape : tuple of int
        The image's.
    kind : {"none", "ramp", "pipe"}
        1; that of diameters at even angles; Pipe and Menon's iteration, which needs a device.
    context : Context, optional
        Of "pipe".

    Returns
    -------
    numpy.ndarray of float64, shape (samples,)
        With "ramp" and "pipe" the weighted adjoint is about the image itself.
    """
    matrix = matrix_of(shape)
    where = coordinates(k, matrix.axes)
    made = np.empty(len(where))
    queue = ffi.NULL if context is None else context.queue
    watch = Watch()
    options = struct("kn_recon_weights_options", progress=lib.koine_recon_progress, progress_data=watch.handle)
    arguments = matrix, ffi.from_buffer("double[]", where), len(where), densities.number(kind)
    watch.call(lib.kn_recon_weights, queue, *arguments, ffi.from_buffer("double[]", made), options)
    return made


def box_basis(k: npt.ArrayLike, shape: int | Sequence[int]) -> Complex:
    """The transform of a box as large as a voxel at each sample, for `Nufft`.

    Parameters
    ----------
    k : array_like, shape (samples, axes)
        In cycles per field of view.
    shape : tuple of int
        The image's.

    Returns
    -------
    numpy.ndarray of complex128, shape (samples,)
    """
    return _at_samples(lib.kn_recon_basis_box, k, shape)


def phantom(shape: int | Sequence[int], oversample: int = 4) -> Real:
    """The head phantom of Shepp and Logan as an image, with Toft's contrast; in three axes Schabel's ellipsoids.

    Parameters
    ----------
    shape : tuple of int
        Two or three axes, which it spans.
    oversample : int
        A voxel is the mean of so many points along each axis, 1 to 1024.

    Returns
    -------
    numpy.ndarray of float64
        From 0 to 1.
    """
    made = np.empty(shape_of(shape))
    points = natural(oversample, "oversample")
    call(lib.kn_recon_phantom_image, matrix_of(shape), points, ffi.from_buffer("double[]", made))
    return made


def phantom_kspace(k: npt.ArrayLike, shape: int | Sequence[int]) -> Complex:
    """The phantom's exact samples, without voxels.

    Parameters
    ----------
    k : array_like, shape (samples, axes)
        In cycles per field of view.
    shape : tuple of int
        The image's.

    Returns
    -------
    numpy.ndarray of complex128, shape (samples,)
    """
    return _at_samples(lib.kn_recon_phantom_kspace, k, shape)


def _at_samples(function: Callable[..., int], k: npt.ArrayLike, shape: int | Sequence[int]) -> Complex:
    """What a function of the C interface says of each sample."""
    matrix = matrix_of(shape)
    where = coordinates(k, matrix.axes)
    made = np.empty(len(where), np.complex128)
    call(function, matrix, ffi.from_buffer("double[]", where), len(where), pairs_of(made))
    return made


def pairs_of(array: npt.NDArray[Any]) -> Any:
    """Complex numbers, or real ones, as libkoine has them: doubles."""
    return ffi.cast("double *", ffi.from_buffer(array))


class Nufft(Operator):
    """The non-uniform Fourier transform of an image: ``d_m = sum_n rho_n exp(-2 pi i k_m . r_n)``, not scaled.

    Voxel j of an axis of N is at ``r = (j - N // 2) / N``.

    Parameters
    ----------
    k : array_like, shape (..., axes)
        Where the samples lie, in cycles per field of view: ``|k| <= N/2``.
    shape : tuple of int
        The image's, of two or three axes.
    method : {"encoding", "gridding"}
        The sums as they stand, or gridding and Fourier transforms, on devices: fast, with an error that
        `oversampling` and `width` choose, 3e-6 by default.
    weights : array_like of float, shape (samples,), optional
        Of `weighted_adjoint` and `normal`, from 0 on; None: 1.
    basis : array_like of complex, shape (samples,), optional
        The transform of a voxel's basis function at each sample; None: 1.
    kernel : str
        What computes the sums: "auto", or one of the nine that ``koine recon --variants`` compares.
    adjoint : {"auto", "direct", "separable", "nufft", "cartesian"}
        How the adjoint and the convolution of `normal` are computed: every voxel with every sample, or as products of
        matrices, since ``exp(i 2 pi k r)`` is a product of factors on a grid; exact as well. "auto" takes what is
        estimated to end first, and the direct sum of a kernel that is named. "nufft" is a non-uniform
        fast Fourier transform of both sums and the convolution, with errors up to `nufft_tolerance`; "auto" considers
        it only where that is given. "cartesian" is a plain Fourier transform of samples that all lie on the grid of
        whole cycles, exact as well, which "auto" takes wherever they do.
    nufft_tolerance : float, optional
        Relative, in the 2-norm: 1e-12, in single precision 1e-6, to 0.1; None: 1e-5 of "nufft".
    normal : {"toeplitz", "forward"}
        How `normal` is applied: as a convolution, or by both sums each time.
    oversampling : float
        Of gridding's grid, 1.25 to 4.
    width : int
        Of its window in cells, 2 to 8.
    context : Context, optional
        None: on the host, in double precision. Devices compute in single precision.

    Raises
    ------
    ArgumentError
        Samples outside of the band, or that are not finite.

    Notes
    -----
    The operator's adjoint has no weights. Cost of the direct sums: samples times voxels sines and cosines; of the
    adjoint as a product of matrices as many times two multiplications and additions. An interrupt takes effect
    between kernels, on the host between pieces of some tenths of a second.

    Examples
    --------
    >>> import koine, numpy
    >>> transform = koine.Nufft([[0.0, 0.0], [1.0, 0.0]], (4, 4))
    >>> transform(numpy.ones((4, 4))).round(9) + 0
    array([16.+0.j,  0.+0.j])
    """

    def __init__(
        self,
        k: npt.ArrayLike,
        shape: int | Sequence[int],
        *,
        method: str = "encoding",
        weights: npt.ArrayLike | None = None,
        basis: npt.ArrayLike | None = None,
        kernel: str = "auto",
        adjoint: str = "auto",
        nufft_tolerance: float | None = None,
        normal: str = "toeplitz",
        oversampling: float = 2.0,
        width: int = 6,
        context: Context | None = None,
    ) -> None:
        matrix = matrix_of(shape)
        where = coordinates(k, matrix.axes)
        watch = self._watch = Watch()
        options = struct(
            "kn_recon_options",
            kernel=kernels.number(kernel),
            adjoint=adjoints.number(adjoint),
            nufft_tolerance=nufft_tolerance or 0.0,
            normal=normals.number(normal),
            oversampling=oversampling,
            width=natural(width, "width"),
            progress=lib.koine_recon_progress,
            progress_data=watch.handle,
        )
        kept = []
        if weights is not None:
            kept.append(of_samples(doubles(weights, "weights"), len(where), "weights"))
            options.weights = pairs_of(kept[-1])
        if basis is not None:
            kept.append(of_samples(complexes(basis, "basis"), len(where), "basis"))
            options.basis = pairs_of(kept[-1])
        queue = ffi.NULL if context is None else context.queue
        arguments = queue, matrix, ffi.from_buffer("double[]", where), len(where), options
        self._queue = queue  # the plan borrows it
        self._plan = make("kn_recon_plan", lib.kn_recon_plan_free, lib.kn_recon_plan_create, *arguments)
        self._lock = threading.Lock()
        self.method = method
        handle = self._operator(method)
        super().__init__(handle, context, shape_of(shape), np.shape(k)[:-1], self._lock, watch)
        self._normal: Operator | None = None

    def _operator(self, kind: str) -> Any:
        free, number = lib.kn_operator_free, _operators.number(kind)
        return self._watch.around(make, "kn_operator", free, lib.kn_recon_operator_create, self._plan, number)

    @property
    def kernel(self) -> str:
        """What computes the sums, never "auto"."""
        return kernels.word(lib.kn_recon_plan_get_kernel(self._plan))

    @property
    def adjoint_method(self) -> str:
        """How the adjoint is computed, never "auto"."""
        return adjoints.word(lib.kn_recon_plan_get_adjoint_method(self._plan))

    @property
    def adjoint_why(self) -> str:
        """Why it is computed so: by estimate, or since it was asked for."""
        return text_of(lib.kn_recon_plan_get_adjoint_why(self._plan))

    @property
    def normal(self) -> Operator:
        """F^H W F as an operator, a convolution: two transforms an application.

        Its first use computes as many terms as half of a grid of twice the matrix has points, times samples.
        """
        with self._lock:
            if self._normal is None:
                handle = self._operator("normal")
                self._normal = Operator(handle, self.context, self.ishape, self.ishape, self._lock, self._watch)
        return self._normal

    @property
    def bound(self) -> float:
        """A bound on the norm of F^H W F."""
        _ = self.normal
        return float(lib.kn_recon_plan_get_bound(self._plan))

    def weighted_adjoint(self, data: npt.ArrayLike) -> Complex:
        """F^H W d: with density compensation about the image itself.

        Parameters
        ----------
        data : array_like of complex, shape (samples,)
            In the host's memory.

        Returns
        -------
        numpy.ndarray of complex128, in the image's shape
        """
        given = of_samples(complexes(data, "data"), self.shape[0], "data")
        made = np.empty(self.ishape, np.complex128)
        adjoint = lib.kn_recon_gridding_adjoint if self.method == "gridding" else lib.kn_recon_adjoint
        with self._lock:
            self._watch.call(adjoint, self._plan, pairs_of(given), pairs_of(made))
        return made


def of_samples(array: npt.NDArray[Any], samples: int, name: str, what: str = "samples") -> npt.NDArray[Any]:
    """An array of as many elements as there are samples, on one axis."""
    if array.size != samples:
        raise ValueError(f"{name} has {array.size} elements, and there are {samples} {what}")
    return array.reshape(-1)
