# SPDX-License-Identifier: Apache-2.0
"""MRI with several coils: operators of an image that each of them sees by its sensitivity, whitening, compression."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ._call import call, make
from ._native import ffi, lib
from .mri import Complex, Nufft, pairs_of
from .numbers import complexes, natural
from .operators import Operator
from .operands import Shape


def maps_of(maps: npt.ArrayLike, shape: Shape) -> Complex:
    """Maps of coils, of the image's shape each."""
    given: Complex = complexes(maps, "maps")
    if given.shape[1:] != tuple(shape) or len(given) == 0:
        raise ValueError(f"maps have the shape {given.shape}; expected (coils, {', '.join(map(str, shape))})")
    return given


class Sense(Operator):
    """What several coils measure of an image: S_c x, transformed, for every coil c.

    Parameters
    ----------
    transform : Nufft
        Of one coil.
    maps : array_like of complex, shape (coils,) + transform.ishape
        The coils' sensitivities S_c, which are copied.

    Attributes
    ----------
    ishape, oshape : tuple of int
        The image's shape; (coils,) and the samples'.

    Raises
    ------
    ArgumentError
        Maps that are no numbers, or all 0.

    Examples
    --------
    >>> import koine, numpy
    >>> transform = koine.Nufft([[0.0, 0.0], [1.0, 0.0]], (4, 4))
    >>> sense = koine.Sense(transform, numpy.stack([numpy.full((4, 4), 0.6), numpy.full((4, 4), 0.8j)]))
    >>> sense(numpy.ones((4, 4)))[:, 0].round(9)
    array([9.6 +0.j , 0. +12.8j])
    """

    def __init__(self, transform: Nufft, maps: npt.ArrayLike) -> None:
        self.transform = transform
        self.maps = maps_of(maps, transform.ishape)
        super().__init__(
            self._make(transform, True),
            transform.context,
            transform.ishape,
            (len(self.maps), *transform.oshape),
            transform._lock,
            transform._watch,
        )
        self._normal: Operator | None = None

    def _make(self, of: Operator, stacked: bool) -> object:
        queue = ffi.NULL if of.context is None else of.context.queue
        arguments = queue, of.handle, stacked, pairs_of(self.maps), len(self.maps)
        return make("kn_operator", lib.kn_operator_free, lib.kn_recon_sense_create, *arguments)

    @property
    def normal(self) -> Operator:
        """The sum over coils of S^H F^H W F S, with the transform's `normal` for each of them."""
        one = self.transform.normal
        if self._normal is None:
            handle = self._make(one, False)
            self._normal = Operator(handle, self.context, self.ishape, self.ishape, one._lock, one._watch)
        return self._normal


def noise_covariance(data: npt.ArrayLike) -> Complex:
    """The covariance of coils: the mean of d d^H over samples, of a scan of noise or of their data.

    Parameters
    ----------
    data : array_like of complex, shape (coils, samples)

    Returns
    -------
    numpy.ndarray of complex128, shape (coils, coils)

    Examples
    --------
    >>> import koine
    >>> koine.noise_covariance([[1.0, 1.0], [1j, -1j]]).real
    array([[1., 0.],
           [0., 1.]])
    """
    given: Complex = complexes(data, "data")
    if given.ndim != 2 or 0 in given.shape:
        raise ValueError(f"data has the shape {given.shape}; expected (coils, samples)")
    covariance: Complex = np.empty((len(given), len(given)), np.complex128)
    call(lib.kn_recon_coils_covariance, pairs_of(given), given.shape[1], len(given), pairs_of(covariance))
    return covariance


def _square(covariance: npt.ArrayLike) -> Complex:
    given: Complex = complexes(covariance, "covariance")
    if given.ndim != 2 or given.shape[0] != given.shape[1] or given.size == 0:
        raise ValueError(f"a covariance has the shape {given.shape}; expected (coils, coils)")
    return given


def whitening(covariance: npt.ArrayLike) -> Complex:
    """The matrix that gives coils noise of variance 1 without correlations: ``whitening(covariance) @ data``.

    Parameters
    ----------
    covariance : array_like of complex, shape (coils, coils)
        Of the coils' noise (`noise_covariance`).

    Returns
    -------
    numpy.ndarray of complex128, shape (coils, coils)
        The inverse of L, where the covariance is L L^H.

    Raises
    ------
    ArgumentError
        A covariance that is singular, with the coil whose noise those before it have, or not Hermitian.

    Examples
    --------
    >>> import koine
    >>> koine.whitening([[4.0, 0.0], [0.0, 1.0]]).real
    array([[0.5, 0. ],
           [0. , 1. ]])
    """
    given = _square(covariance)
    matrix: Complex = np.empty_like(given)
    call(lib.kn_recon_coils_whiten, pairs_of(given), len(given), pairs_of(matrix))
    return matrix


def coil_compression(covariance: npt.ArrayLike, coils: int) -> Complex:
    """The matrix that makes fewer coils, of most energy, by singular value decomposition: ``matrix @ data``.

    Maps of the coils become those of the new ones by the same matrix.

    Parameters
    ----------
    covariance : array_like of complex, shape (all, all)
        Of the coils' data (`noise_covariance` of them), which are white.
    coils : int
        How many there will be.

    Returns
    -------
    numpy.ndarray of complex128, shape (coils, all)
        Of orthonormal rows.

    Examples
    --------
    >>> import koine
    >>> abs(koine.coil_compression([[4.0, 0.0], [0.0, 1.0]], 1))
    array([[1., 0.]])
    """
    given = _square(covariance)
    matrix: Complex = np.empty((natural(coils, "coils"), len(given)), np.complex128)
    call(lib.kn_recon_coils_compress, pairs_of(given), len(given), len(matrix), pairs_of(matrix), ffi.NULL)
    return matrix
