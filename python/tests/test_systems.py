# SPDX-License-Identifier: Apache-2.0
"""Least squares with many right-hand sides, beside NumPy's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import koine

sparse = pytest.importorskip("scipy.sparse")


@pytest.fixture(scope="module")
def matrix() -> Any:
    return (sparse.random(80, 40, 0.2, random_state=3) + sparse.vstack([sparse.eye(40), sparse.eye(40)])).tocsr()


@pytest.mark.parametrize("method", ["cgnr", "gram", "fista", "bb"])
def test_beside_numpy(matrix: Any, method: str) -> None:
    b = np.random.default_rng(1).normal(size=(3, 80))
    found = koine.least_squares(matrix, b, method=method, iterations=2000)
    expected = np.linalg.lstsq(matrix.toarray(), b.T, rcond=None)[0].T
    assert found.x.shape == (3, 40) and np.allclose(found.x, expected, atol=1e-6)
    assert found.dtype == np.float64 and found.adjoint <= found.adjoint_bound and len(found.answers) == 3
    for right, x, answer in zip(b, found.x, found.answers, strict=True):
        exact = np.linalg.norm(matrix @ x - right) / np.linalg.norm(right)
        assert answer.residual == pytest.approx(exact, rel=1e-6)
        assert answer.precision_reached and answer.stopped in ("floor", "direct", "iterations")


def test_preconditioners_and_rules(matrix: Any) -> None:
    b = matrix @ np.ones(40)
    for preconditioner in ("none", "jacobi", "ilu"):
        found = koine.least_squares(matrix, b, method="cgnr", preconditioner=preconditioner, tolerance=1e-8)
        assert found.reached and found.answers[0].stopped == "residual" and np.allclose(found.x, 1, atol=1e-6)
        assert len(found.answers[0].history) == found.answers[0].iterations + 1
    assert not koine.least_squares(matrix, b, iterations=1, stop="fixed", tolerance=1e-12).reached


def test_weights(matrix: Any) -> None:
    rng = np.random.default_rng(2)
    b, weights = rng.normal(size=(2, 80)), rng.uniform(0.2, 5, 80)
    weights[7], b[0, 7] = 0, np.nan
    roots = np.sqrt(weights)
    found = koine.least_squares(matrix, b, weights=weights, method="cgnr", iterations=2000)
    expected = np.linalg.lstsq(roots[:, None] * matrix.toarray(), (roots * np.nan_to_num(b)).T, rcond=None)[0].T
    assert np.allclose(found.x, expected, atol=1e-8)
    residual = roots * (np.nan_to_num(b[0]) - matrix @ found.x[0])
    exact = np.linalg.norm(residual) / np.linalg.norm(roots * np.nan_to_num(b[0]))
    assert found.answers[0].residual == pytest.approx(exact, rel=1e-9)
    rays = koine.RayTransform(40, 24)
    sinogram = rays(rays.phantom(4))
    mask = np.ones(sinogram.shape)
    mask[:, 11], sinogram[:, 11] = 0, np.nan
    x = koine.least_squares(rays, sinogram, weights=mask, bounds=(0, 2), iterations=200).x
    assert np.linalg.norm(x - rays.phantom(4)) < 0.25 * np.linalg.norm(rays.phantom(4))
    for wrong, what in ((weights[1:], ValueError), (-weights, koine.Error), (0 * weights, koine.Error), (["a"], TypeError)):
        with pytest.raises(what, match="weight"):
            koine.least_squares(matrix, np.nan_to_num(b), weights=wrong)
    with pytest.raises(koine.Error, match="a weight of 0"):
        koine.least_squares(matrix, b)
    with pytest.raises(koine.Error, match="no weights"):
        koine.least_squares(matrix, b, weights=weights, method="sirt")


def test_l_curve(matrix: Any, context: koine.Context) -> None:
    points = np.linspace(0, 1, 40)
    blur = np.exp(-50 * (points[:, None] - points) ** 2)
    exact = (points > 0.3) & (points < 0.8)
    b = blur @ exact + np.random.default_rng(1).normal(0, 0.3, 40)
    curve = koine.l_curve(blur, b, iterations=400)
    assert curve.lambdas.shape == curve.residuals.shape == curve.norms.shape == (21,)
    assert curve.lambdas[0] == pytest.approx(np.linalg.norm(blur, 2) ** 2, rel=0.05)
    xs = [np.linalg.solve(blur.T @ blur + lambda_ * np.eye(40), blur.T @ b) for lambda_ in curve.lambdas]
    for i in range(12):
        assert curve.residuals[i] == pytest.approx(np.linalg.norm(blur @ xs[i] - b), rel=1e-6)
        assert curve.norms[i] == pytest.approx(np.linalg.norm(xs[i]), rel=1e-6)
    errors = [np.linalg.norm(x - exact) for x in xs]
    assert curve.corner is not None and errors[curve.corner] < 3 * min(errors)
    found = koine.least_squares(blur, b, lambda_=curve.lambda_, iterations=400)
    assert np.allclose(found.x, xs[curve.corner], atol=1e-6)
    assert len(koine.l_curve(blur, b, points=5, dtype="float32", context=context).norms) == 5
    flat = koine.l_curve(matrix, np.random.default_rng(1).normal(size=80))
    assert flat.corner is None
    with pytest.raises(ValueError, match="no corner"):
        flat.lambda_  # noqa: B018
    with pytest.raises(koine.Error, match="from 5 to 1000"):
        koine.l_curve(blur, b, points=4)
    with pytest.raises(StopIteration):
        koine.l_curve(blur, b, callback=lambda _: False)


def test_device(matrix: Any, context: koine.Context) -> None:
    b = np.random.default_rng(1).normal(size=80)
    expected = np.linalg.lstsq(matrix.toarray(), b, rcond=None)[0]
    found = koine.least_squares(matrix, b, context=context, iterations=200)
    assert np.allclose(found.x, expected, atol=1e-3)
    single = koine.least_squares(matrix, b, context=context, dtype="float32", iterations=100)
    assert single.dtype == np.float32 and np.allclose(single.x, expected, atol=1e-2)
    corrected = koine.least_squares(matrix, b, context=context, correction="weight * d", weight=0.5, iterations=100)
    assert corrected.weight == 0.5 and np.linalg.norm(corrected.x) < np.linalg.norm(expected)


def test_rays() -> None:
    rays = koine.RayTransform(40, 24)
    picture = rays.phantom(4)
    found = koine.least_squares(rays, rays(picture), bounds=(0, 2), iterations=200)
    assert found.x.shape == (24, 24) and np.linalg.norm(found.x - picture) < 0.25 * np.linalg.norm(picture)
    two = koine.least_squares(rays, np.stack([rays(picture)] * 2), iterations=10)
    assert two.x.shape == (2, 24, 24)
    flat = koine.least_squares(rays, rays(picture).ravel(), iterations=10)
    assert np.array_equal(flat.x, two.x[0].ravel())


def test_a_callback_stops(matrix: Any) -> None:
    seen: list[int] = []

    def stop(iteration: int) -> bool:
        seen.append(iteration)
        return iteration < 3

    with pytest.raises(StopIteration):
        koine.least_squares(matrix, np.arange(80.0), method="cgnr", callback=stop)
    assert seen[-1] == 3


def test_what_is_refused(matrix: Any, context: koine.Context) -> None:
    b = np.ones(80)
    options: dict[str, Any]
    for options in (
        {"tolerance": -1}, {"noise": np.nan}, {"lambda_": -1}, {"bounds": (1, 0)},
        {"correction": "d"}, {"method": "gram", "bounds": (0, 1)}, {"preconditioner": "ilu", "method": "bb"},
        {"format": "ell"}, {"method": "sirt", "lambda_": 1}, {"smooth": 1, "order": 3}, {"weight": -1},
    ):  # fmt: skip
        with pytest.raises(koine.Error):
            koine.least_squares(matrix, b, **options)
    with pytest.raises(koine.BuildError):
        koine.least_squares(matrix, b, context=context, correction="nonsense")
    with pytest.raises(ValueError, match="right-hand side"):
        koine.least_squares(matrix, b[:-1])
    with pytest.raises(ValueError, match="x0"):
        koine.least_squares(matrix, b, x0=[1.0])
    with pytest.raises(koine.ArgumentError):
        koine.least_squares(matrix, np.full(80, np.inf))
    for name in ("method", "stop", "preconditioner", "format"):
        with pytest.raises(ValueError, match=name):
            koine.least_squares(matrix, b, **{name: "none of these"})
