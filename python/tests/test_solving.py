# SPDX-License-Identifier: Apache-2.0
"""Solving, beside SciPy's solvers, with operators of PyLops and SigPy's solvers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import koine

sparse = pytest.importorskip("scipy.sparse")
linalg = pytest.importorskip("scipy.sparse.linalg")


@pytest.fixture(scope="module")
def system() -> tuple[Any, Any]:
    a = sparse.random(120, 60, 0.2, format="csr", random_state=3) + sparse.vstack([sparse.eye(60), sparse.eye(60)])
    return a.tocsr(), np.random.default_rng(2).normal(size=120)


def exact(a: Any, b: Any, lambda_: float = 0.0) -> Any:
    dense = a.toarray()
    return np.linalg.solve(dense.T @ dense + lambda_ * np.eye(60), dense.T @ b)


@pytest.mark.parametrize("lambda_", [0.0, 0.7])
def test_least_squares(system: Any, lambda_: float) -> None:
    a, b = system
    found = koine.solve(a, b, iterations=300, lambda_=lambda_)
    assert np.allclose(found.x, exact(a, b, lambda_), atol=1e-8)
    assert found.stopped == "floor" and len(found.gradients) == found.iterations + 1
    assert found.right == pytest.approx(np.linalg.norm(b))
    assert found.residual == pytest.approx(np.linalg.norm(a @ found.x - b))


def test_device(system: Any, context: koine.Context) -> None:
    a, b = system
    operator = koine.SparseOperator(a, context=context)
    found = koine.solve(operator, b, iterations=200)
    assert np.allclose(found.x, exact(a, b), atol=1e-3)
    on_device = koine.solve(operator, context.array(b.astype("float32")), iterations=200)
    assert isinstance(on_device.x, koine.Array) and np.allclose(on_device.x.numpy(), found.x)


def test_tolerance_start_and_callback(system: Any) -> None:
    a, b = system
    consistent = a @ np.ones(60)
    seen: list[int] = []
    found = koine.solve(a, consistent, tolerance=1e-3, callback=seen.append)
    assert found.stopped == "tolerance" and found.residual <= 1e-3 * found.right
    assert seen[: found.iterations] == list(range(found.iterations))
    again = koine.solve(a, consistent, x0=np.ones(60), tolerance=1e-3)
    assert again.iterations == 0
    noisy = koine.solve(a, b, noise=2 * np.linalg.norm(a @ exact(a, b) - b))
    assert noisy.stopped == "noise"


def test_conjugate_gradients(system: Any) -> None:
    a, _ = system
    normal = (a.T @ a).tocsr()
    b = np.arange(60.0)
    found = koine.solve(normal, b, method="cg", iterations=300, tolerance=1e-12)
    assert np.allclose(found.x, linalg.spsolve(normal.tocsc(), b), atol=1e-6)


@pytest.mark.parametrize("method", ["fista", "bb"])
def test_bounds_beside_scipy(system: Any, method: str) -> None:
    lsq_linear = pytest.importorskip("scipy.optimize").lsq_linear
    a, b = system
    found = koine.solve(a, b, method=method, bounds=(-0.1, 0.2), iterations=3000)
    assert found.x.min() >= -0.1 and found.x.max() <= 0.2
    assert np.allclose(found.x, lsq_linear(a, b, (-0.1, 0.2), tol=1e-12).x, atol=1e-5)


def test_smoothness(system: Any) -> None:
    a, b = system
    rough, smooth = (koine.solve(a, b, smooth=weight, iterations=200).x for weight in (0, 50))
    assert np.abs(np.diff(smooth)).sum() < np.abs(np.diff(rough)).sum()


def test_operators_of_scipy(system: Any) -> None:
    a, b = system
    found = koine.solve(linalg.aslinearoperator(a), b, iterations=300)
    assert np.allclose(found.x, exact(a, b), atol=1e-8)


def test_operators_of_pylops(system: Any) -> None:
    pylops = pytest.importorskip("pylops")
    a, b = system
    found = koine.solve(pylops.MatrixMult(a.toarray()), b, iterations=300)
    assert np.allclose(found.x, exact(a, b), atol=1e-8)
    ours = pylops.aslinearoperator(koine.SparseOperator(a))
    theirs = pylops.optimization.basic.cgls(ours, b, np.zeros(60), niter=300, tol=1e-14)[0]
    assert np.allclose(theirs, exact(a, b), atol=1e-6)
    stacked = pylops.VStack([ours, pylops.Identity(60)])
    assert np.allclose(stacked @ np.ones(60), np.concatenate([a @ np.ones(60), np.ones(60)]))


def test_solvers_of_sigpy(system: Any) -> None:
    sigpy = pytest.importorskip("sigpy")
    a, b = system
    ours = koine.SparseOperator(a)
    x = np.zeros(60)
    solver = sigpy.alg.ConjugateGradient(ours.N, ours.H(b), x, max_iter=300)
    while not solver.done():
        solver.update()
    assert np.allclose(x, exact(a, b), atol=1e-6)
    found = sigpy.app.LinearLeastSquares(ours, b, x=np.zeros(60), max_iter=300, show_pbar=False).run()
    assert np.allclose(found, exact(a, b), atol=1e-6)


def test_complex_operators() -> None:
    k, shape = koine.trajectory("golden", 16, samples=32, spokes=24)
    transform = koine.Nufft(k, shape)
    image = koine.phantom(shape) * (1 + 0.5j)
    found = koine.solve(transform, transform(image), iterations=60)
    assert found.x.shape == shape and np.linalg.norm(found.x - image) < 0.15 * np.linalg.norm(image)


def test_what_an_operator_raises_is_raised(system: Any) -> None:
    class Broken:
        shape, dtype = (60, 60), np.dtype("float64")

        def matvec(self, x: Any) -> Any:
            raise ZeroDivisionError("of mine")

        rmatvec = matvec

    with pytest.raises(ZeroDivisionError, match="of mine"):
        koine.solve(Broken(), np.ones(60))

    class Short(Broken):
        def matvec(self, x: Any) -> Any:
            return x[:3]

        rmatvec = matvec

    with pytest.raises(ValueError, match="not 60 elements"):
        koine.solve(Short(), np.ones(60))


def test_a_callback_stops(system: Any) -> None:
    a, b = system
    with pytest.raises(StopIteration):
        koine.solve(a, b, callback=lambda iteration: iteration < 5)

    def raising(iteration: int) -> None:
        raise LookupError(iteration)

    with pytest.raises(LookupError):
        koine.solve(a, b, callback=raising)


def test_what_is_refused(system: Any, context: koine.Context) -> None:
    a, b = system
    for options in (
        {"iterations": 1 << 40}, {"tolerance": -1}, {"lambda_": -1}, {"noise": np.nan}, {"order": 3, "smooth": 1},
        {"bounds": (1, 0), "method": "bb"}, {"bounds": (0, 1)}, {"method": "cg"}, {"method": "sirt", "lambda_": 1},
    ):  # fmt: skip
        with pytest.raises(koine.Error):
            koine.solve(a, b, **options)
    with pytest.raises(ValueError, match="method"):
        koine.solve(a, b, method="gauss")
    with pytest.raises(ValueError, match="rows"):
        koine.solve(a, b[:-1])
    with pytest.raises(ValueError, match="x0"):
        koine.solve(a, b, x0=np.ones(3))
    with pytest.raises(koine.ArgumentError):
        koine.solve(a, np.full(120, np.nan))
    with pytest.raises(TypeError, match="complex"):
        koine.solve(a, b * 1j)
    with pytest.raises(TypeError, match="no linear operator"):
        koine.solve(object(), b)
    with pytest.raises(ValueError, match="on a device"):
        koine.solve(koine.SparseOperator(a), context.array(b))
    with pytest.raises(TypeError, match="takes float32"):
        koine.solve(koine.SparseOperator(a, context=context), context.array(b))
