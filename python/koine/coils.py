# SPDX-License-Identifier: Apache-2.0
"""MRI with several coils: operators of an image that each of them sees by its sensitivity."""

from __future__ import annotations

import numpy.typing as npt

from ._call import make
from ._native import ffi, lib
from .mri import Complex, Nufft, pairs_of
from .numbers import complexes
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
