# SPDX-License-Identifier: Apache-2.0
"""Fourier transforms, beside NumPy's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from conftest import Place, numpy_of

import koine

SHAPES = [((8,), -1), ((3, 7), -1), ((2, 6, 10), (-2, -1)), ((2, 4, 5, 6), (-3, -2, -1)), ((1,), 0), ((17, 16), (0, 1))]


def make(shape: tuple[int, ...], kind: str) -> Any:
    generator = np.random.default_rng(3)
    x = generator.normal(size=shape)
    return (x + 1j * generator.normal(size=shape)).astype(kind) if "complex" in kind else x.astype(kind)


def close(found: Any, expected: Any, kind: str) -> bool:
    eps = 3e-6 if kind in ("complex64", "float32") else 1e-13
    return bool(np.linalg.norm(numpy_of(found) - expected) <= eps * np.linalg.norm(expected))


@pytest.mark.parametrize("kind", ["complex64", "complex128"])
@pytest.mark.parametrize(("shape", "axes"), SHAPES)
def test_fft(place: Place, shape: tuple[int, ...], axes: Any, kind: str) -> None:
    x = make(shape, kind)
    given, where = place(x)
    listed = (axes,) if isinstance(axes, int) else axes
    found = koine.fft(given, axes, **where)
    assert close(found, np.fft.fftn(x, axes=listed), kind)
    assert numpy_of(found).dtype == x.dtype
    assert close(koine.ifft(found, axes, **where), x, kind)


@pytest.mark.parametrize("kind", ["float32", "float64"])
@pytest.mark.parametrize(("shape", "axes"), SHAPES)
def test_rfft(place: Place, shape: tuple[int, ...], axes: Any, kind: str) -> None:
    x = make(shape, kind)
    given, where = place(x)
    listed = (axes,) if isinstance(axes, int) else axes
    found = koine.rfft(given, axes, **where)
    assert close(found, np.fft.rfftn(x, axes=listed), kind)
    assert close(koine.irfft(found, shape[-1], axes, **where), x, kind)


def test_real_numbers_become_complex() -> None:
    x = np.arange(12).reshape(3, 4)
    assert np.allclose(koine.fft(x), np.fft.fft(x))
    assert koine.fft(x.astype("float32")).dtype == np.complex64
    assert np.allclose(koine.rfft(x), np.fft.rfft(x))


def test_irfft_without_n() -> None:
    half = np.fft.rfft(np.arange(10.0))
    assert np.allclose(koine.irfft(half), np.arange(10.0))


@pytest.mark.parametrize("axes", [0, (-1, -2), (0, 2), (-4, -3, -2, -1), (), (-1, -1)])
def test_axes_that_are_refused(axes: Any) -> None:
    with pytest.raises(ValueError, match="axes"):
        koine.fft(np.ones((2, 3, 4)), axes)
