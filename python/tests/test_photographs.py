# SPDX-License-Identifier: Apache-2.0
"""Preparing photographs, and growth laws."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import koine


def scene(dy: int = 0, dx: int = 0, kind: str = "uint8") -> Any:
    y, x = np.mgrid[:64, :80]
    y, x = y - dy, x - dx
    picture = 128 + 50 * np.sin(x / 5.0) * np.cos(y / 7.0) + 30 * np.exp(-((x - 40) ** 2 + (y - 30) ** 2) / 50.0)
    return picture.astype(kind)


@pytest.mark.parametrize("kind", ["uint8", "uint16"])
def test_frames_are_moved_back(kind: str) -> None:
    frames = np.stack([scene(0, 0, kind), scene(2, -3, kind)])
    found = koine.prepare(frames, stabilise=True)
    assert found.frames.shape == frames.shape and found.frames.dtype == frames.dtype
    assert np.allclose(found.shifts[0], 0, atol=1e-6) and np.allclose(found.shifts[1], (2, -3), atol=0.1)
    assert (found.certainty > 15).all()
    inside = np.s_[8:-8, 8:-8]
    assert np.abs(found.frames[1][inside].astype(int) - frames[0][inside].astype(int)).max() <= 6


def test_unrelated_frames_are_not_moved() -> None:
    frames = np.random.default_rng(1).integers(0, 256, (2, 64, 80), "uint8")
    with pytest.raises(koine.InputError, match="frame 1.*cannot be stabilised against"):
        koine.prepare(frames, stabilise=True)
    assert koine.prepare(frames).certainty.tolist() == [0, 0]


def test_light_dust_contrast_and_crop() -> None:
    picture = scene()
    uneven = (picture * np.linspace(0.5, 1, 80)).astype("uint8")
    flat = koine.prepare(uneven[None], flatten=12.0).frames[0]
    assert np.ptp(flat.mean(axis=0)) < np.ptp(uneven.mean(axis=0))
    dust = np.zeros(picture.shape, bool)
    dust[20:24, 30:34] = True
    dirty = np.where(dust, 255, picture).astype("uint8")
    mended = koine.prepare(dirty[None], dust=dust)
    assert mended.dust[0] == 16 and np.abs(mended.frames[0].astype(int) - picture)[dust].max() < 20
    assert koine.prepare(dirty[None], find_dust=True).frames.shape == (1, 64, 80)
    stretched = koine.prepare(picture[None], contrast="auto")
    assert stretched.levels[0, 0] < stretched.levels[0, 1] and stretched.frames.max() == 255
    cropped = koine.prepare(picture[None], crop=(3, 5, 10, 20))
    assert np.array_equal(cropped.frames[0], picture[3:13, 5:25])
    assert np.array_equal(koine.prepare(picture[None]).frames[0], picture)
    assert koine.prepare(np.empty((0, 4, 4), "uint8")).frames.shape == (0, 4, 4)


def test_what_is_refused() -> None:
    frames = scene()[None]
    options: dict[str, Any]
    for options in (
        {"flatten": -1}, {"flatten": np.nan}, {"contrast": (3, 2)}, {"crop": (0, 0, 0, 5)}, {"crop": (60, 0, 10, 10)},
        {"dust": np.ones((3, 3))}, {"find_dust": True, "dust": np.zeros((64, 80))},
    ):  # fmt: skip
        with pytest.raises(koine.Error):
            koine.prepare(frames, **options)
    for options in (
        {"contrast": "best"},
        {"contrast": (1, 2, 3)},
        {"crop": (0, 0, 1)},
        {"crop": (-1, 0, 1, 1)},
        {"dust": [1]},
    ):
        with pytest.raises(ValueError, match=r".+"):
            koine.prepare(frames, **options)
    for bad in (scene(), frames.astype("float32"), "frames", None):
        with pytest.raises(TypeError):
            koine.prepare(bad)


def test_growth() -> None:
    t = np.arange(6.0)
    r = 2 + 3 * t + np.array([0.1, -0.1, 0.05, 0, -0.05, 0.1])
    found = koine.growth(t, [*r[:5], np.nan])
    slope, intercept = np.polyfit(t[:5], r[:5], 1)
    assert found.points == 5
    assert found.line.slope == pytest.approx(slope) and found.line.intercept == pytest.approx(intercept)
    assert found.origin.intercept == 0 and found.origin.slope == pytest.approx((t[:5] @ r[:5]) / (t[:5] @ t[:5]))
    assert 0.99 < found.line.r2 <= 1
    assert np.isnan(koine.growth([], []).line.slope)
    with pytest.raises(ValueError, match="shape"):
        koine.growth([1, 2], [1])
