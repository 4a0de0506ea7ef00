# SPDX-License-Identifier: Apache-2.0
"""MRI, beside the sums in NumPy and SigPy's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import koine


def sums(k: Any, shape: tuple[int, ...]) -> Any:
    """The matrix of F, as the documentation defines it."""
    axes = [(np.arange(size) - size // 2) / size for size in shape]
    r = np.stack([axis.ravel() for axis in np.meshgrid(*axes, indexing="ij")], axis=1)
    return np.exp(-2j * np.pi * (np.asarray(k) @ r.T))


def relative(found: Any, expected: Any) -> float:
    return float(np.linalg.norm(np.ravel(found) - np.ravel(expected)) / np.linalg.norm(expected))


CASES = [(40, (6, 8)), (30, (5, 4, 6))]


@pytest.mark.parametrize(("samples", "shape"), CASES)
def test_host(samples: int, shape: tuple[int, ...]) -> None:
    generator = np.random.default_rng(1)
    k = generator.uniform(-0.5, 0.5, (samples, len(shape))) * shape
    matrix = sums(k, shape)
    image = generator.normal(size=shape) + 1j * generator.normal(size=shape)
    data = generator.normal(size=samples) + 1j
    weights = generator.random(samples)
    transform = koine.Nufft(k, shape, weights=weights)
    assert transform.ishape == shape and transform.oshape == (samples,) and transform.dtype == np.complex128
    assert transform.kernel == "host-double"
    assert relative(transform(image), matrix @ image.ravel()) < 1e-12
    assert relative(transform.H(data), matrix.conj().T @ data) < 1e-12
    assert relative(transform.weighted_adjoint(data), matrix.conj().T @ (weights * data)) < 1e-12
    normal = matrix.conj().T @ (weights[:, None] * matrix)
    assert relative(transform.normal(image), normal @ image.ravel()) < 1e-11
    assert np.linalg.norm(normal, 2) <= transform.bound * (1 + 1e-9)
    assert transform.check_adjoint() < 1e-13


@pytest.mark.parametrize("adjoint", ["direct", "separable"])
def test_methods_of_the_adjoint(adjoint: str, context: koine.Context) -> None:
    generator = np.random.default_rng(2)
    k, data = generator.uniform(-0.5, 0.5, (40, 2)) * (6, 9), generator.normal(size=40) + 1j
    matrix = sums(k, (6, 9)).conj().T
    for place, error in ((None, 1e-12), (context, 1e-6)):
        transform = koine.Nufft(k, (6, 9), adjoint=adjoint, context=place)
        assert transform.adjoint_method == adjoint and transform.adjoint_why == f"{adjoint}: asked for"
        assert relative(transform.H(data), matrix @ data) < error
        found = koine.recon(data, k, (6, 9), method="adjoint", density="none", adjoint=adjoint, context=place)
        assert found.adjoint_method == adjoint and relative(found.image, matrix @ data) < error


def test_samples_on_the_grid(context: koine.Context) -> None:
    generator = np.random.default_rng(4)
    k, data = generator.integers(-3, 3, (40, 2)).astype(float), generator.normal(size=40) + 1j
    image, matrix = generator.normal(size=(6, 9)), sums(k, (6, 9))
    for place, error in ((None, 1e-13), (context, 1e-6)):
        transform = koine.Nufft(k, (6, 9), context=place)
        assert transform.adjoint_method == "cartesian"
        assert relative(transform(image), matrix @ image.ravel()) < error
        assert relative(transform.H(data), matrix.conj().T @ data) < error
        assert relative(transform.normal(image), matrix.conj().T @ (matrix @ image.ravel())) < error
    with pytest.raises(koine.ArgumentError, match="sample 0 at"):
        koine.Nufft(k + 0.25, (6, 9), adjoint="cartesian")


def test_nufft_to_a_tolerance() -> None:
    generator = np.random.default_rng(3)
    k, data = generator.uniform(-0.5, 0.5, (60, 2)) * (6, 9), generator.normal(size=60) + 1j
    image, matrix = generator.normal(size=(6, 9)), sums(k, (6, 9))
    for tolerance in (1e-3, 1e-10, None):
        transform = koine.Nufft(k, (6, 9), adjoint="nufft", nufft_tolerance=tolerance)
        most = tolerance or 1e-5
        assert transform.adjoint_method == "nufft" and transform.adjoint_why == f"nufft: asked for, to {most:g}"
        assert relative(transform(image), matrix @ image.ravel()) < most
        assert relative(transform.H(data), matrix.conj().T @ data) < most
        found = koine.recon(
            data, k, (6, 9), method="adjoint", density="none", adjoint="nufft", nufft_tolerance=tolerance
        )
        assert found.adjoint_method == "nufft" and relative(found.image, matrix.conj().T @ data) < most
    with pytest.raises(koine.ArgumentError, match="tolerance of 0.5"):
        koine.Nufft(k, (6, 9), adjoint="nufft", nufft_tolerance=0.5)


@pytest.mark.parametrize(("samples", "shape"), CASES)
@pytest.mark.parametrize("method", ["encoding", "gridding"])
def test_device(samples: int, shape: tuple[int, ...], method: str, context: koine.Context) -> None:
    generator = np.random.default_rng(1)
    k = generator.uniform(-0.5, 0.5, (samples, len(shape))) * shape
    matrix = sums(k, shape)
    image = generator.normal(size=shape)
    transform = koine.Nufft(k, shape, method=method, context=context)
    assert transform.dtype == np.complex64
    assert relative(transform(image), matrix @ image.ravel()) < 3e-5
    assert relative(transform.H(np.ones(samples)), matrix.conj().T @ np.ones(samples)) < 3e-5
    assert relative(transform.weighted_adjoint(np.ones(samples)), matrix.conj().T @ np.ones(samples)) < 3e-5
    on_device = transform(context.array(image.astype("complex64")))
    assert isinstance(on_device, koine.Array) and relative(on_device.numpy(), matrix @ image.ravel()) < 3e-5


def test_beside_sigpy() -> None:
    sigpy = pytest.importorskip("sigpy")
    k, shape = koine.trajectory("golden", 32, samples=64, spokes=30)
    image = koine.phantom(shape).astype("complex128")
    theirs = sigpy.nufft(image, k, oversamp=2, width=6)
    ours = koine.Nufft(k, shape)(image)
    assert relative(ours, theirs * np.sqrt(image.size)) < 1e-3


@pytest.mark.parametrize("kind", ["radial", "golden", "spiral", "kooshball", "stack", "cartesian"])
def test_trajectories(kind: str) -> None:
    partitions = {"partitions": 4} if kind == "stack" else {}
    k, shape = koine.trajectory(kind, 16, **partitions)
    assert k.ndim == 2 and k.shape[1] == len(shape) == (3 if kind in ("kooshball", "stack") else 2)
    assert np.abs(k).max() <= 8.000001
    if kind == "stack":
        assert shape[0] == 4 and len(np.unique(k[:, 0])) == 4, "the slowest axis is that of partitions"
    if kind == "cartesian":
        assert len(np.unique(k[:16, 0])) == 1, "a line is along the fastest axis"


def test_units() -> None:
    k = np.array([[1.0, -2.0], [0.5, 0.25]])
    assert np.allclose(koine.convert_trajectory(k, (8, 16), "radians"), k * np.array([8, 16]) / (2 * np.pi))
    assert np.allclose(koine.convert_trajectory(k, (8, 16), "normalized"), k * np.array([8, 16]))
    assert np.array_equal(koine.convert_trajectory(k, (8, 16), "fov"), k)


def test_density(context: koine.Context) -> None:
    k, shape = koine.trajectory("radial", 16)
    assert np.array_equal(koine.density(k, shape, "none"), np.ones(len(k)))
    ramp = koine.density(k, shape, "ramp")
    radius = np.hypot(*k.T)
    far = radius > 1
    assert np.allclose(ramp[far] / radius[far], (ramp[far] / radius[far])[0], rtol=1e-9)
    assert koine.density(k, shape, "pipe", context=context).min() > 0
    with pytest.raises(koine.UnsupportedError):
        koine.density(k, shape, "pipe")


def test_box_basis() -> None:
    k = np.array([[0.0, 0.0], [2.0, 3.0]])
    expected = np.sinc(k[:, 0] / 8) * np.sinc(k[:, 1] / 16)
    assert np.allclose(koine.box_basis(k, (8, 16)), expected)


def test_phantom_is_that_of_tomography() -> None:
    image, picture = koine.phantom((64, 64), 8), koine.RayTransform(2, 64).phantom(8)
    assert np.corrcoef(image.ravel(), picture.ravel())[0, 1] > 0.8, "half a pixel apart"
    assert koine.phantom_kspace([[0, 0]], (64, 64))[0] == pytest.approx(image.sum(), rel=1e-3)


def test_reconstruction(context: koine.Context) -> None:
    k, shape = koine.trajectory("golden", 32, samples=64, spokes=60)
    data = koine.phantom_kspace(k, shape)
    expected = koine.phantom(shape, 8)
    for place in (None, context):
        found = koine.recon(data, k, shape, iterations=20, context=place)
        assert found.image.shape == shape and found.dtype == (np.complex64 if place else np.complex128)
        assert found.coils[0].iterations == 20 and len(found.coils[0].residuals) == 21 and found.seconds > 0
        assert found.coils[0].stopped == "iterations" and found.coils[0].residual < 0.1
        assert relative(found.image, expected) < 0.25
        adjoint = koine.recon(data, k, shape, method="adjoint", context=place)
        assert relative(adjoint.image, expected) < 0.6 and adjoint.coils == []
    gridding = koine.recon(data, k, shape, method="gridding", density="pipe", context=context)
    assert relative(gridding.image, expected) < 0.6
    damped = koine.recon(data, k, shape, lambda_=0.1)
    assert damped.lambda_ > 0 and np.linalg.norm(damped.image) < np.linalg.norm(found.image)
    again = koine.recon(data, k, shape, start=koine.recon(data, k, shape).image, iterations=0)
    assert relative(again.image, koine.recon(data, k, shape).image) < 1e-12


def test_least_squares_is_that_of_the_operator() -> None:
    k, shape = koine.trajectory("golden", 16, samples=32, spokes=20)
    data = koine.phantom_kspace(k, shape)
    transform = koine.Nufft(k, shape)
    theirs = koine.solve(transform.normal, transform.H(data), method="cg", iterations=10).x
    assert relative(koine.recon(data, k, shape, iterations=10).image, theirs) < 1e-9
    smooth = koine.recon(data, k, shape, lambda_=0.05, regularizer="difference", boundary="periodic").image
    assert np.abs(np.diff(smooth)).sum() < np.abs(np.diff(theirs)).sum()
    unitary = koine.recon(data, k, shape, scale="unitary", iterations=10).image
    assert relative(unitary / np.sqrt(256), theirs) < 1e-9


def test_total_variation_of_few_spokes(context: koine.Context) -> None:
    k, shape = koine.trajectory("golden", 32, samples=64, spokes=13)
    picture = koine.phantom(shape)
    for place in (None, context):
        transform = koine.Nufft(k, shape, context=place)
        data = np.asarray(transform(picture))
        found = koine.solve(transform, data, method="tv", lambda_=5.0, iterations=200)
        plain = koine.solve(transform, data, iterations=30).x
        x = np.asarray(found.x)
        down, right = np.diff(x, axis=0, append=x[-1:]), np.diff(x, axis=1, append=x[:, -1:])
        variation = np.sqrt(np.abs(down) ** 2 + np.abs(right) ** 2).sum()
        objective = (np.abs(np.asarray(transform(x)) - data) ** 2).sum() / 2 + 5 * variation
        assert np.iscomplexobj(x) and abs(found.objectives[-1] - objective) < 1e-3 * objective
        assert relative(x, picture) < 0.6 * relative(np.asarray(plain), picture)
    with pytest.raises(koine.UnsupportedError, match="real numbers"):
        koine.solve(transform, data, method="tv", lambda_=5.0, bounds=(0, 1))


def test_total_variation_of_a_scan(context: koine.Context) -> None:
    k, shape = koine.trajectory("golden", 32, samples=64, spokes=13)
    picture = koine.phantom(shape)
    data = np.asarray(koine.Nufft(k, shape)(picture))
    plain = koine.recon(data, k, shape, iterations=30)
    assert plain.coils[0].objectives is None
    for place in (None, context):
        found = koine.recon(
            data, k, shape, regularizer="tv", lambda_=5.0, relative_lambda=False, iterations=200, context=place
        )
        theirs = koine.solve(koine.Nufft(k, shape), data, method="tv", lambda_=5.0, iterations=200)
        objectives = found.coils[0].objectives
        assert objectives is not None and len(objectives) == 201 and found.lambda_ == 5
        assert abs(objectives[-1] - theirs.objectives[-1]) < 1e-3 * theirs.objectives[-1]
        assert relative(found.image, np.asarray(theirs.x)) < (1e-2 if place else 1e-8)
        assert relative(found.image, picture) < 0.6 * relative(plain.image, picture)
    with pytest.raises(koine.ArgumentError, match="no periodic boundary"):
        koine.recon(data, k, shape, regularizer="tv", boundary="periodic")


def test_wavelets_of_a_scan(context: koine.Context) -> None:
    k, shape = koine.trajectory("golden", 32, samples=64, spokes=20)
    data = np.asarray(koine.Nufft(k, shape)(koine.phantom(shape)))
    options = {"regularizer": "wavelet", "lambda_": 5.0, "relative_lambda": False, "iterations": 60}
    theirs = koine.solve(koine.Nufft(k, shape), data, method="wavelet", lambda_=5.0, iterations=60)
    for place in (None, context):
        found = koine.recon(data, k, shape, context=place, **options)
        objectives = found.coils[0].objectives
        assert objectives is not None and abs(objectives[-1] - theirs.objectives[-1]) < 1e-3 * theirs.objectives[-1]
        assert relative(found.image, np.asarray(theirs.x)) < (1e-2 if place else 1e-8)
    with pytest.raises(koine.ArgumentError, match="no axis for wavelets"):
        koine.recon(data[:1], k[:1] * 0, (15, 15), **options)


def test_coils_are_combined() -> None:
    k, shape = koine.trajectory("golden", 16, samples=32, spokes=20)
    data = koine.phantom_kspace(k, shape)
    one = koine.recon(data, k, shape)
    coils = np.stack([0.6 * data, 0.8j * data])
    two = koine.recon(coils, k, shape, sense="none")
    assert len(two.coils) == 2 and relative(two.image, np.abs(one.image)) < 1e-6
    assert (two.sense, one.sense, one.sense_why) == ("none", "none", "there is one coil")
    joint = koine.recon(coils, k, shape)
    assert (joint.sense, joint.sense_why, len(joint.coils)) == ("espirit", "the centre of k-space is dense", 1)
    assert relative(koine.recon(coils, k, shape, start=joint.image, iterations=0).image, joint.image) < 1e-12
    espirit, lowres = (koine.sense_maps(coils, k, shape, method) for method in ("espirit", "lowres"))
    assert espirit.shape == lowres.shape == (2, *shape) and relative(np.abs(espirit[0, 8, 8]), 0.6) < 1e-3
    assert relative(koine.recon(coils, k, shape, maps=espirit).image, joint.image) < 1e-12
    assert koine.recon(coils, k, shape, method="adjoint").sense == "none"


def test_coils_are_whitened_and_compressed() -> None:
    noise = np.random.default_rng(4).normal(size=(3, 500, 2)) @ [1, 1j]
    noise[2] += 0.5j * noise[0]
    covariance = koine.noise_covariance(noise)
    assert relative(covariance, noise @ noise.conj().T / 500) < 1e-13
    matrix = koine.whitening(covariance)
    assert relative(koine.noise_covariance(matrix @ noise), np.eye(3)) < 1e-12
    two = koine.coil_compression(covariance, 2)
    assert relative(two @ two.conj().T, np.eye(2)) < 1e-13
    kept = (np.abs(two @ noise) ** 2).sum() / 500
    assert abs(kept - np.linalg.eigvalsh(covariance)[1:].sum()) < 1e-11 * kept
    with pytest.raises(koine.ArgumentError, match="singular: the noise of coil 1 is made of that of the coils before it"):
        koine.whitening(np.ones((2, 2)))
    with pytest.raises(koine.ArgumentError, match="3 coils cannot become 4"):
        koine.coil_compression(covariance, 4)
    for wrong in (np.ones((2, 3)), np.ones(4)):
        with pytest.raises(ValueError, match="covariance has the shape"):
            koine.whitening(wrong)


def test_coils_have_one_image(context: koine.Context) -> None:
    k, shape = koine.trajectory("golden", 16, samples=32, spokes=8)
    where = np.linspace(-1, 1, 16)
    maps = np.stack([np.exp(-((where - x) ** 2)) * np.ones((16, 1)) for x in (-1, 1)] + [np.full(shape, 0.3j)])
    image = koine.phantom(shape)
    for place in (None, context):
        transform = koine.Nufft(k, shape, context=place)
        sense = koine.Sense(transform, maps)
        data = np.asarray(sense(image))
        assert data.shape == (3, len(k)) and sense.check_adjoint() < (1e-5 if place else 1e-13)
        assert relative(data, np.stack([transform(s * image) for s in maps])) < 1e-5
        found = koine.recon(data, k, shape, maps=maps, context=place, lambda_=0.01)
        assert len(found.coils) == 1 and np.iscomplexobj(found.image) and found.coils[0].residual < 1e-3
        right = koine.solve(sense.normal, sense.H(data), method="cg", iterations=20, lambda_=found.lambda_).x
        assert relative(found.image, np.asarray(right)) < (1e-4 if place else 1e-9)
    again = koine.recon(data, k, shape, sense="maps", maps=maps, start=found.image, iterations=0)
    assert relative(again.image, found.image) < 1e-12
    lowres = koine.recon(data, k, shape, sense="lowres", lambda_=0.01)
    assert len(lowres.coils) == 1 and relative(np.abs(lowres.image), np.abs(found.image)) < 1
    with pytest.raises(ValueError, match="maps are of 3 coils, and data of 2"):
        koine.recon(data[:2], k, shape, maps=maps)
    with pytest.raises(ValueError, match="maps have the shape"):
        koine.Sense(transform, maps[0])
    with pytest.raises(koine.ArgumentError, match="maps of the coils are all 0"):
        koine.recon(data, k, shape, maps=0 * maps)


def test_a_callback_stops_a_reconstruction() -> None:
    k, shape = koine.trajectory("golden", 16, samples=32, spokes=20)
    seen: list[float] = []

    def stop(done: float) -> bool:
        seen.append(done)
        return len(seen) < 5

    with pytest.raises(StopIteration):
        koine.recon(koine.phantom_kspace(k, shape), k, shape, callback=stop)
    assert len(seen) == 5 and all(0 <= done < 1 for done in seen)


def test_what_is_refused() -> None:
    with pytest.raises(koine.ArgumentError):
        koine.Nufft([[100.0, 0.0]], (8, 8))
    with pytest.raises(koine.ArgumentError):
        koine.Nufft([[np.nan, 0.0]], (8, 8))
    with pytest.raises(koine.ArgumentError):
        koine.Nufft([[0.0, 0.0]], (8, 0))
    with pytest.raises(ValueError, match="axes"):
        koine.Nufft([[0.0, 0.0, 0.0]], (8, 8))
    with pytest.raises(ValueError, match="axes"):
        koine.phantom((8,))
    with pytest.raises(koine.UnsupportedError):
        koine.Nufft([[0.0, 0.0]], (8, 8), method="gridding")
    with pytest.raises(ValueError, match="weights"):
        koine.Nufft([[0.0, 0.0]], (8, 8), weights=[1, 2])
    with pytest.raises(koine.ArgumentError):
        koine.Nufft([[0.0, 0.0]], (8, 8), weights=[-1])
    for name in ("method", "density", "scale", "regularizer", "boundary", "kernel", "adjoint", "normal"):
        with pytest.raises(ValueError, match=name):
            koine.recon([0], [[0.0, 0.0]], (8, 8), **{name: "magic"})
    options: dict[str, Any]
    for options in (
        {"lambda_": -1},
        {"tolerance": 2},
        {"method": "gridding"},
        {"density": "pipe"},
        {"oversampling": 9},
    ):
        with pytest.raises(koine.Error):
            koine.recon([1], [[0.0, 0.0]], (8, 8), **options)
    with pytest.raises(ValueError, match="start"):
        koine.recon([1], [[0.0, 0.0]], (8, 8), start=[0])
    with pytest.raises(ValueError, match="data"):
        koine.recon([0, 1, 2], [[0.0, 0.0], [1.0, 0.0]], (8, 8))
