# SPDX-License-Identifier: Apache-2.0
"""Parallel rays and fans, beside scikit-image's and the exact sinogram."""

from __future__ import annotations

import numpy as np
import pytest

import koine


def relative(found: object, expected: object) -> float:
    a, b = np.asarray(found, "float64"), np.asarray(expected, "float64")
    return float(np.linalg.norm(a - b) / np.linalg.norm(b))


def test_the_sinogram_tends_to_the_exact_one() -> None:
    errors = []
    for size in (32, 64, 128):
        rays = koine.RayTransform(30, size)
        errors.append(relative(rays(rays.phantom(8)), rays.phantom_sinogram()))
    assert errors[2] < errors[1] < errors[0] < 0.15


def test_beside_scikit_image() -> None:
    radon = pytest.importorskip("skimage.transform").radon
    rays = koine.RayTransform(36, 65)
    y, x = np.mgrid[-32:33, -32:33]
    picture = np.exp(-((x - 5) ** 2 + (y + 8) ** 2) / 20.0)
    theirs = radon(picture, np.degrees(np.arange(36) * np.pi / 36), circle=True).T
    assert relative(rays(picture[::-1].copy()), theirs) < 0.02, "scikit-image turns the other way"


@pytest.mark.parametrize("filter", ["ramp", "shepp-logan", "cosine", "hamming", "hann"])
def test_filtered_back_projection_beside_scikit_image(filter: str) -> None:
    iradon = pytest.importorskip("skimage.transform").iradon
    angles, size = 30, 65
    sinogram = np.random.default_rng(3).random((angles, size))
    found = koine.RayTransform(angles, size).fbp(sinogram, filter)
    degrees = np.degrees(np.arange(angles) * np.pi / angles)
    theirs = iradon(sinogram.T, degrees, filter_name=filter, circle=False, output_size=size)[::-1]
    y, x = np.mgrid[-32:33, -32:33]
    within = x**2 + y**2 < 31**2  # beyond the detectors theirs ends at once
    # Their Hamming and Hann windows are those of n - 1 points.
    assert relative(found[within], theirs[within]) < (1e-2 if filter.startswith("ha") else 1e-10)


def test_filtered_back_projection_on_a_device(context: koine.Context) -> None:
    rays = koine.RayTransform(40, 32, 48, axis_offset=0.5)
    sinogram = rays.phantom_sinogram()
    found = koine.RayTransform(40, 32, 48, axis_offset=0.5, context=context).fbp(sinogram, "hann")
    assert found.dtype == np.float32 and relative(found, rays.fbp(sinogram, "hann")) < 1e-5
    solved = koine.least_squares(rays, sinogram, method="fbp", filter="hann")
    assert np.array_equal(solved.x, rays.fbp(sinogram, "hann")) and solved.answers[0].stopped == "direct"
    with pytest.raises(ValueError, match="shape"):
        rays.fbp(sinogram[1:])
    sinogram[2, 5] = np.nan
    with pytest.raises(koine.ArgumentError, match="detector 5 of projection 2"):
        rays.fbp(sinogram)


@pytest.mark.parametrize("format", ["auto", "on-the-fly", "on-the-fly-local", "sell"])
def test_device(context: koine.Context, format: str) -> None:
    host = koine.RayTransform(20, 32, 48, axis_offset=0.5)
    device = koine.RayTransform(20, 32, 48, axis_offset=0.5, context=context, format=format)
    picture = host.phantom(2)
    assert device.oshape == (20, 48) and device.format != "auto" and device.nbytes > 0
    assert relative(device(picture), host(picture)) < 1e-5
    assert relative(device.H(host(picture)), host.H(host(picture))) < 1e-5
    assert device.check_adjoint() < 1e-5


@pytest.mark.parametrize("curved", [False, True])
def test_fans(context: koine.Context, curved: bool) -> None:
    fan = {"source_distance": 100.0, "detector_distance": 50.0, "curved": curved, "axis_offset": 1.5}
    errors = []
    for size in (32, 64):
        rays = koine.RayTransform(40, size, 3 * size // 2, **fan)
        errors.append(relative(rays(rays.phantom(8)), rays.phantom_sinogram()))
    assert errors[1] < errors[0] < 0.2
    assert rays.check_adjoint() < 1e-12
    device = koine.RayTransform(40, 64, 96, context=context, **fan)
    assert device.format == "on-the-fly" and device.check_adjoint() < 1e-6
    assert relative(device(rays.phantom()), rays(rays.phantom())) < 1e-5
    theta = 2 * np.pi * np.arange(40) / 40
    assert np.array_equal(koine.RayTransform(theta, 64, 96, **fan)(rays.phantom()), rays(rays.phantom()))
    many = koine.RayTransform(180, 64, 96, **fan)
    filtered = many.fbp(many.phantom_sinogram(), "hann")
    assert relative(filtered, many.phantom(8)) < 0.4
    on_device = koine.RayTransform(180, 64, 96, context=context, **fan)
    assert relative(on_device.fbp(many.phantom_sinogram(), "hann"), filtered) < 1e-5
    found = koine.solve(device, rays(rays.phantom()), iterations=40)
    assert relative(found.x.reshape(64, 64), rays.phantom()) < 0.25


def test_fans_refused() -> None:
    with pytest.raises(koine.ArgumentError, match="inside the object"):
        koine.RayTransform(4, 8, source_distance=6.0)
    with pytest.raises(ValueError, match="source_distance"):
        koine.RayTransform(4, 8, curved=True)
    with pytest.raises(koine.ArgumentError, match="parallel beams"):
        koine.RayTransform(4, 8, source_distance=9, format="on-the-fly-local", context=koine.default_context())


def test_cones(context: koine.Context) -> None:
    fan = {"source_distance": 100.0, "detector_distance": 50.0, "axis_offset": 1.5}
    rays = koine.RayTransform(120, 32, 64, **fan)
    sinogram = rays.phantom_sinogram()
    # The phantom in all slices: rays are longer where they rise.
    u, v = np.arange(64) - 31.5 - 1.5, np.arange(31)[:, None] - 15
    projections = sinogram[:, None] * np.sqrt(1 + v**2 / (150**2 + u**2))
    volume = koine.fdk(projections, 32, "hann", slices=9, **fan)
    assert volume.shape == (9, 32, 32) and volume.dtype == np.float64
    assert relative(volume, np.tile(rays.fbp(sinogram, "hann"), (9, 1, 1))) < 1e-12
    theta = 2 * np.pi * np.arange(120) / 120
    turned = koine.fdk(projections[::-1], 32, "hann", slices=9, theta=theta[::-1], **fan)
    assert relative(turned, volume) < 1e-12
    single = koine.fdk(projections.astype(np.float32), 32, "hann", slices=9, dtype="float32", **fan)
    assert single.dtype == np.float32 and relative(single, volume) < 1e-5
    device = koine.fdk(projections, 32, "hann", slices=9, context=context, **fan)
    assert device.dtype == np.float32 and relative(device, volume) < 1e-5
    assert koine.fdk(projections[:, :3], 8, **fan).shape == (8, 8, 8)


def test_cones_refused(context: koine.Context) -> None:
    projections = np.ones((4, 3, 5))
    with pytest.raises(koine.ArgumentError, match="inside the object"):
        koine.fdk(projections, 8, source_distance=6.0)
    with pytest.raises(ValueError, match="2 axes, not three"):
        koine.fdk(projections[0], 8, source_distance=9)
    with pytest.raises(ValueError, match="there are 4 projections"):
        koine.fdk(projections, 8, source_distance=9, theta=np.zeros(3))
    with pytest.raises(ValueError, match="slices is 0"):
        koine.fdk(projections, 8, source_distance=9, slices=0)
    with pytest.raises(koine.UnsupportedError, match="single precision only"):
        koine.fdk(projections, 8, source_distance=9, context=context, dtype="float64")
    projections[1, 2, 3] = np.nan
    with pytest.raises(koine.ArgumentError, match="detector 3 of line 2 of projection 1"):
        koine.fdk(projections, 8, source_distance=9)


def test_angles_of_ones_own() -> None:
    theta = np.arange(10) * np.pi / 10
    picture = np.random.default_rng(1).random((16, 16))
    assert np.array_equal(koine.RayTransform(theta, 16)(picture), koine.RayTransform(10, 16)(picture))


def test_reconstruction() -> None:
    rays = koine.RayTransform(90, 48)
    picture = rays.phantom(4)
    for method in ("fista", "bb", "sirt"):
        found = koine.solve(rays, rays(picture), method=method, bounds=(0, np.inf), iterations=200)
        assert found.x.shape == (48, 48) and found.x.min() >= 0
        assert relative(found.x, picture) < 0.2


def test_total_variation() -> None:
    rays = koine.RayTransform(20, 32)
    sinogram = rays(rays.phantom(4))
    found = koine.solve(rays, sinogram, method="tv", lambda_=0.05, bounds=(0, np.inf), iterations=300)
    assert found.x.shape == (32, 32) and found.x.min() >= 0
    down, right = np.diff(found.x, axis=0, append=found.x[-1:]), np.diff(found.x, axis=1, append=found.x[:, -1:])
    objective = np.sum((rays(found.x) - sinogram) ** 2) / 2 + 0.05 * np.hypot(down, right).sum()
    assert found.objectives.shape == (found.iterations + 1,)
    assert abs(found.objectives[-1] - objective) < 1e-4 * objective
    whole = koine.least_squares(rays, sinogram, method="tv", lambda_=0.05, bounds=(0, np.inf), iterations=300)
    assert abs(whole.answers[0].objective - objective) < 1e-3 * objective
    flat = koine.solve(rays, sinogram.ravel(), method="tv", lambda_=0.05, shape=(32, 32), iterations=2)
    assert flat.x.shape == (1024,)
    assert koine.solve(rays, sinogram, iterations=2).objectives.size == 0
    with pytest.raises(koine.ArgumentError, match="a shape of"):
        koine.solve(rays, sinogram, method="tv", lambda_=0.05, shape=(32, 31))
    with pytest.raises(ValueError, match="axes"):
        koine.solve(rays, sinogram, method="tv", lambda_=0.05, shape=(2, 2, 2, 128))


def test_sinogram_of_counts() -> None:
    generator = np.random.default_rng(2)
    counts = generator.uniform(100, 900, (5, 9))
    white, dark = generator.uniform(950, 1000, (3, 9)), np.full(9, 20.0)
    found = koine.sinogram(counts, white, dark)
    assert np.allclose(found, -np.log((counts - 20) / (white.mean(0) - 20)))
    assert koine.sinogram(counts, white, bin=2).shape == (5, 4)
    assert np.array_equal(koine.sinogram(counts), counts)
    with pytest.raises(ValueError, match="detectors"):
        koine.sinogram(counts, white[:, :4])
    with pytest.raises(koine.ArgumentError):
        koine.sinogram(counts, dark=dark)


def test_stripes_are_removed() -> None:
    clean = np.tile(np.random.default_rng(5).random(12)[:, None], (1, 30))
    striped = clean.copy()
    striped[:, [3, 4, 20]] += [0.5, -0.25, 2.0]
    assert np.array_equal(koine.remove_stripes(striped), clean) and striped[0, 20] > clean[0, 20]
    with pytest.raises(koine.ArgumentError, match="odd"):
        koine.remove_stripes(striped, 4)
    with pytest.raises(ValueError, match="axes"):
        koine.remove_stripes(striped[0])


def test_the_axis_of_rotation() -> None:
    theta = np.arange(32) * np.pi / 16
    rays = koine.RayTransform(theta, 40, 64, axis_offset=-3.25)
    found = koine.find_axis(rays(rays.phantom()), theta)
    assert abs(found.position - 28.25) < 0.1 and abs(found.opposite - 28.25) < 0.2 and found.pairs == 16
    assert 0 <= found.error < 0.1 and 0 < found.residual < 0.2
    with pytest.raises(koine.ArgumentError, match="half a turn"):
        koine.find_axis(rays(rays.phantom())[:9], theta[:9])
    with pytest.raises(ValueError, match="projections"):
        koine.find_axis(np.ones((9, 8)), theta)
    with pytest.raises(ValueError, match="axes"):
        koine.find_axis(theta)


def test_geometries_that_are_refused() -> None:
    for angles, size in ((0, 8), (8, 0), ([np.nan], 8), (1 << 30, 8), (8, 1 << 20)):
        with pytest.raises((koine.ArgumentError, koine.LimitError)):
            koine.RayTransform(angles, size)
    with pytest.raises(ValueError, match="shape"):
        koine.RayTransform(8, 8)(np.ones((8, 9)))
