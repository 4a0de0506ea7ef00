# SPDX-License-Identifier: Apache-2.0
"""Correlations, beside the sums in NumPy, SciPy's and scikit-image's."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

import koine


def sums(first: Any, second: Any, r: int, mask: Any = None) -> Any:
    """The definition, pixel by pixel."""
    where = np.ones(first.shape, bool) if mask is None else mask
    height, width = first.shape
    made = np.zeros((r + 1, 2 * r + 1), np.uint64)
    for dy in range(r + 1):
        for dx in range(-r, r + 1):
            here = np.s_[: height - dy, max(0, -dx) : width - max(0, dx)]
            there = np.s_[dy:, max(0, dx) : width + min(0, dx)]
            both = where[here] & where[there]
            made[dy, r + dx] = (first[here].astype("u8") * second[there] * both).sum()
    return made


def frames(kind: str, count: int = 3) -> Any:
    return np.random.default_rng(4).integers(0, np.iinfo(kind).max, (count, 20, 27), kind, endpoint=True)


@pytest.mark.parametrize("kind", ["uint8", "uint16"])
@pytest.mark.parametrize("where", ["host", "upload", "device"])
def test_sums_are_exact(kind: str, where: str, context: koine.Context) -> None:
    images = frames(kind)
    given = context.array(images) if where == "device" else images
    home = context if where == "upload" else None
    found = koine.autocorr(given, max_offset=6, context=home)
    assert found.max_offset == 6 and found.bound == 0 and found.method != "auto" and found.why
    for i, image in enumerate(images):
        assert np.array_equal(found.sums[i], sums(image, image, 6))
    one = koine.autocorr(images[0], max_offset=6)
    assert np.array_equal(one.sums, found.sums[0]) and one.values.shape == (7, 13) and one.rings.shape == (7,)


@pytest.mark.parametrize("method", ["fft", "simd", "naive"])
def test_methods_of_the_host(method: str) -> None:
    image = frames("uint8", 1)[0]
    found = koine.autocorr(image, max_offset=5, method=method)
    assert found.method == method and np.array_equal(found.sums, sums(image, image, 5))


def volume_sums(first: Any, second: Any, r: int, periodic: bool) -> Any:
    """The definition, of volumes or of images as slices of one row."""
    made = np.zeros((r + 1, 2 * r + 1, 2 * r + 1), np.uint64)
    for z, y, x in np.ndindex(made.shape):
        moved = np.zeros(first.shape, np.uint64)
        by = (z, y - r, x - r)
        if periodic:
            moved[:] = np.roll(second, [-d for d in by], (0, 1, 2))
        else:
            here = tuple(slice(max(0, -d), n - max(0, d)) for d, n in zip(by, first.shape))
            moved[here] = second[tuple(slice(max(0, d), n + min(0, d)) for d, n in zip(by, first.shape))]
        made[z, y, x] = (first * moved).sum()
    return made


@pytest.mark.parametrize("kind", ["uint8", "uint16"])
@pytest.mark.parametrize("periodic", [False, True])
def test_volumes(kind: str, periodic: bool, context: koine.Context) -> None:
    volumes = np.random.default_rng(5).integers(0, np.iinfo(kind).max, (2, 9, 7, 8), kind, endpoint=True)
    found = koine.autocorr(volumes, max_offset=3, volume=True, periodic=periodic)
    assert (
        found.method == "fft"
        and found.bound == 0
        and found.rings.shape == (2, 4)
        and found.values.shape == (2, 4, 7, 7)
    )
    for sums_of, one in zip(found.sums, volumes):
        assert np.array_equal(sums_of, volume_sums(one, one, 3, periodic))
    cross = koine.autocorr(volumes[0], volumes[1], max_offset=3, volume=True, periodic=periodic)
    assert np.array_equal(cross.sums, volume_sums(volumes[0], volumes[1], 3, periodic))
    if kind == "uint8" and context.device.fp64:
        there = koine.autocorr(context.array(volumes), max_offset=3, volume=True, periodic=periodic)
        assert np.array_equal(there.sums, found.sums)
        assert np.allclose(there.rings["value"], found.rings["value"], rtol=1e-12)


def test_periodic_images() -> None:
    image = frames("uint8", 1)[0]
    found = koine.autocorr(image, max_offset=6, periodic=True)
    for y in range(7):
        for x in range(-6, 7):
            assert found.sums[y, x + 6] == (image.astype("u8") * np.roll(image, (-y, -x), (0, 1))).sum()
    assert found.values[0, 6] == 1


def test_cross_correlation_and_masks(context: koine.Context) -> None:
    images = frames("uint8", 2)
    mask = np.random.default_rng(1).random((20, 27)) > 0.3
    found = koine.autocorr(images[0], images[1], max_offset=4)
    assert np.array_equal(found.sums, sums(images[0], images[1], 4))
    masked = koine.autocorr(images[0], images[1], mask=mask, max_offset=4)
    assert np.array_equal(masked.sums, sums(images[0], images[1], 4, mask))
    both = koine.autocorr(images, images[1], mask=mask, max_offset=4)
    assert np.array_equal(both.sums[0], masked.sums)
    device = koine.autocorr(context.array(images), context.array(images[::-1].copy()), max_offset=4)
    assert np.array_equal(device.sums[0], found.sums)


def test_pearson_beside_numpy() -> None:
    image = frames("uint16", 1)[0]
    found = koine.autocorr(image, max_offset=3)
    for dy, dx in ((0, 0), (2, 1), (1, -3)):
        here = image[: 20 - dy, max(0, -dx) : 27 - max(0, dx)]
        there = image[dy:, max(0, dx) : 27 + min(0, dx)]
        expected = np.corrcoef(here.ravel(), there.ravel())[0, 1]
        assert found.values[dy, 3 + dx] == pytest.approx(expected, abs=1e-12)


def test_beside_scipy() -> None:
    correlate = pytest.importorskip("scipy.signal").correlate
    image = frames("uint8", 1)[0].astype("int64")
    full = correlate(image, image, method="direct")
    found = koine.autocorr(image.astype("uint8"), max_offset=6)
    assert np.array_equal(found.sums, full[19 : 19 + 7, 26 - 6 : 26 + 7])


def test_a_shift_is_that_of_scikit_image() -> None:
    registration = pytest.importorskip("skimage.registration")
    scene = np.random.default_rng(9).integers(0, 255, (60, 60), "uint8", endpoint=True)
    first, second = scene[5:45, 5:45], scene[3:43, 9:49]
    theirs, _, _ = registration.phase_cross_correlation(second, first)
    found = koine.autocorr(first.copy(), second.copy(), max_offset=8)
    y, x = np.unravel_index(np.nanargmax(found.values), found.values.shape)
    assert (y, x - 8) == (theirs[0], theirs[1]) == (2, -4)


def test_rings_and_lengths() -> None:
    y, x = np.mgrid[:128, :128]
    waves = (127.5 + 100 * np.sin(2 * np.pi * x / 16) * np.sin(2 * np.pi * y / 16)).astype("uint8")
    found = koine.autocorr(waves, max_offset=30)
    assert found.rings["radius"][5] == pytest.approx(5, abs=0.3)
    assert 0 < float(found.lengths["r_min"]) < float(found.lengths["r_max"])
    single = koine.autocorr(waves, max_offset=30, single=True, method="fft")
    assert single.bound > 0
    assert np.abs(single.sums.astype("float64") - found.sums.astype("float64")).max() <= single.bound


def test_floats_are_scaled() -> None:
    image = frames("uint8", 1)[0]
    assert np.array_equal(koine.autocorr(image.astype("float32"), max_offset=3).sums, sums(image, image, 3))
    with pytest.raises(koine.ArgumentError):
        koine.autocorr(np.array([[np.nan, 1]], "float32"), max_offset=1)


def test_what_is_refused(context: koine.Context) -> None:
    image = frames("uint8", 1)[0]
    with pytest.raises(ValueError, match="axes"):
        koine.autocorr(image[0])
    with pytest.raises(ValueError, match="second has shape"):
        koine.autocorr(image, image[:-1].copy())
    with pytest.raises(TypeError, match="second is of"):
        koine.autocorr(image, image.astype("uint16"))
    with pytest.raises(ValueError, match="mask has shape"):
        koine.autocorr(image, mask=np.ones((3, 3)))
    with pytest.raises(TypeError, match="mask"):
        koine.autocorr(context.array(image), mask=np.ones(image.shape))
    with pytest.raises(koine.ArgumentError):
        koine.autocorr(image, max_offset=1000)
    with pytest.raises(koine.UnsupportedError):
        koine.autocorr(image.astype("int32"))
    with pytest.raises(koine.Error):
        koine.autocorr(image, method="direct")
    with pytest.raises(koine.ArgumentError):
        koine.autocorr(np.empty((0, 4), "uint8"))
    with pytest.raises(ValueError, match="depth"):
        koine.autocorr(image, volume=True)
    with pytest.raises(koine.UnsupportedError):
        koine.autocorr(image, mask=np.ones(image.shape), periodic=True)


@pytest.mark.parametrize("where", ["host", "device"])
def test_frames_some_lags_apart(where: str, context: koine.Context) -> None:
    images = frames("uint8", 6)
    found = koine.autocorr_lags(images, 3, max_offset=4, context=context if where == "device" else None)
    assert found.value.shape == (4,) and found.values.shape == (4, 5, 9) and found.correlations.shape == (4, 6)
    assert found.bound == 0 and found.method != "auto" and found.rings.shape == (4, 5) and found.lengths.shape == (4,)
    for k in range(4):
        pairs = [koine.autocorr(images[i], images[i + k], max_offset=4) for i in range(6 - k)]
        zero = [np.corrcoef(images[i].ravel(), images[i + k].ravel())[0, 1] for i in range(6 - k)]
        assert found.pairs[k] == 6 - k and np.isnan(found.correlations[k, 6 - k :]).all()
        assert np.allclose(found.correlations[k, : 6 - k], zero, rtol=0, atol=1e-12)
        assert found.value[k] == pytest.approx(np.mean(zero), abs=1e-12)
        assert found.deviation[k] == pytest.approx(np.std(zero, ddof=1), abs=1e-12)
        assert np.allclose(found.values[k], np.mean([pair.values for pair in pairs], 0), rtol=0, atol=1e-12)
        assert np.allclose(found.rings["value"][k], np.mean([pair.rings["value"] for pair in pairs], 0), atol=1e-12)
    left = found.value - np.exp(-1)
    at = int(np.argmax(left <= 0))
    assert found.decorrelation == pytest.approx(at - 1 + left[at - 1] / (left[at - 1] - left[at]), abs=1e-12)


@pytest.mark.parametrize("kind", ["uint8", "uint16"])
def test_frames_some_lags_apart_on_a_device(kind: str, context: koine.Context) -> None:
    images = frames(kind, 7)
    for how in ({}, {"single": True, "method": "fft"}, {"periodic": True}):
        here = koine.autocorr_lags(images, 3, max_offset=4, context=context, **how)
        there = koine.autocorr_lags(context.array(images), 3, max_offset=4, **how)
        for field in dataclasses.fields(here):
            found, expected = getattr(there, field.name), getattr(here, field.name)
            assert np.asarray(found).tobytes() == np.asarray(expected).tobytes(), (how, field.name)


def test_what_frames_some_lags_apart_cannot_be(context: koine.Context) -> None:
    images = frames("uint8", 3)
    with pytest.raises(ValueError, match="max_lag is 3, and there are 3 frames"):
        koine.autocorr_lags(images, 3)
    with pytest.raises(ValueError, match="frames have 2 axes"):
        koine.autocorr_lags(images[0], 1)
    with pytest.raises(TypeError, match="a mask is only possible with arrays on the host"):
        koine.autocorr_lags(context.array(images), 1, mask=images[0] > 9)
    with pytest.raises(koine.UnsupportedError, match="KN_F32 are scaled by the host"):
        koine.autocorr_lags(context.array(images.astype("float32")), 1)
    with pytest.raises(koine.UnsupportedError, match="a mask of its own"):
        koine.autocorr_lags(images, 1, mask=images > 9)
    masked = koine.autocorr_lags(images, 1, mask=images[0] > 9, max_offset=2)
    assert masked.pairs.tolist() == [3, 2] and not np.isnan(masked.value).any()
