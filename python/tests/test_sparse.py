# SPDX-License-Identifier: Apache-2.0
"""Sparse operators, beside SciPy's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import koine

sparse = pytest.importorskip("scipy.sparse")
linalg = pytest.importorskip("scipy.sparse.linalg")

HOST = ["auto", "simple", "sell"]
DEVICE = [
    "simple",
    "ell",
    "csr-vector",
    "coo",
    "hyb",
    "sell",
    "merge",
    "memory-layout",
    "local-memory",
    "backprojection",
]


@pytest.fixture(scope="module")
def matrix() -> Any:
    return sparse.random(300, 200, 0.05, format="csr", random_state=7)


def check(operator: koine.SparseOperator, matrix: Any, tolerance: float) -> None:
    generator = np.random.default_rng(1)
    x, y = generator.normal(size=200), generator.normal(size=300)
    assert operator.shape == matrix.shape and operator.nnz == matrix.nnz
    assert np.allclose(operator.matvec(x), matrix @ x, rtol=tolerance, atol=tolerance)
    assert np.allclose(operator.rmatvec(y), matrix.T @ y, rtol=tolerance, atol=tolerance)
    assert operator.check_adjoint() < 10 * tolerance
    assert operator.nbytes > 0


@pytest.mark.parametrize("format", HOST)
@pytest.mark.parametrize("dtype", [None, "float32", "float64"])
def test_host(matrix: Any, format: str, dtype: Any) -> None:
    operator = koine.SparseOperator(matrix, format=format, dtype=dtype)
    assert operator.dtype == np.dtype(dtype or "float64") and operator.context is None
    check(operator, matrix, 1e-5 if dtype == "float32" else 1e-12)


@pytest.mark.parametrize("format", DEVICE)
def test_device(matrix: Any, format: str, context: koine.Context) -> None:
    operator = koine.SparseOperator(matrix, format=format, context=context)
    assert operator.format == format and operator.dtype == np.float32
    check(operator, matrix, 1e-4)


def test_auto_says_why(matrix: Any, context: koine.Context) -> None:
    operator = koine.SparseOperator(matrix, context=context, dtype="float64")
    assert operator.why and operator.format != "auto"
    check(operator, matrix, 1e-12)


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "lil", "dok", "bsr"])
def test_any_format_of_scipy(matrix: Any, form: str) -> None:
    check(koine.SparseOperator(matrix.asformat(form)), matrix, 1e-12)


def test_entries_of_one_place_are_added() -> None:
    i, j, values = [2, 0, 2, 1], [1, 0, 1, 2], [1.0, 2.0, 3.0, 4.0]
    expected = sparse.coo_matrix((values, (i, j)), (3, 4)).toarray()
    assert np.array_equal(koine.SparseOperator.from_coo(i, j, values, (3, 4)) @ np.eye(4), expected)
    assert np.array_equal(koine.SparseOperator(sparse.coo_matrix((values, (i, j)), (3, 4))) @ np.eye(4), expected)
    unsorted = sparse.csr_matrix(([1.0, 2.0, 3.0], [2, 0, 2], [0, 3]), (1, 3))
    assert np.array_equal(koine.SparseOperator(unsorted).matvec(np.arange(3.0)), [8.0])


def test_an_array_of_two_axes() -> None:
    dense = np.array([[0, 1.5], [0, 0], [2, 0]])
    assert np.array_equal(koine.SparseOperator(dense) @ np.eye(2), dense)


def test_arrays_of_a_device_stay_there(matrix: Any, context: koine.Context) -> None:
    operator = koine.SparseOperator(matrix, context=context, format="simple")
    x = np.ones(200, "float32")
    found = operator.matvec(context.array(x))
    assert isinstance(found, koine.Array) and np.allclose(found.numpy(), matrix @ x, rtol=1e-4, atol=1e-4)


def test_pyopencl(matrix: Any, cl_queue: Any) -> None:
    array = pytest.importorskip("pyopencl.array")
    operator = koine.SparseOperator(matrix, context=koine.Context.of(cl_queue), format="simple")
    x = array.to_device(cl_queue, np.ones(200, "float32"))
    found = operator.matvec(x)
    assert isinstance(found, array.Array) and np.allclose(found.get(), matrix @ np.ones(200), rtol=1e-4, atol=1e-4)
    solved = koine.solve(operator, found, iterations=60)
    assert isinstance(solved.x, array.Array) and np.allclose(solved.x.get(), 1, atol=1e-2)


def test_it_is_a_linear_operator_of_scipy(matrix: Any) -> None:
    operator = koine.SparseOperator(matrix)
    assert isinstance(operator, linalg.LinearOperator)
    b = matrix @ np.arange(200.0)
    assert np.allclose(linalg.lsqr(operator, b, atol=1e-14, btol=1e-14, iter_lim=2000)[0], np.arange(200), atol=1e-5)
    assert np.allclose((operator.T @ np.ones(300)), matrix.T @ np.ones(300))
    assert np.allclose((2 * operator) @ np.ones(200), 2 * (matrix @ np.ones(200)))
    assert np.allclose((operator.H @ operator) @ np.ones(200), matrix.T @ (matrix @ np.ones(200)))
    assert np.allclose(operator @ np.ones((200, 3)), matrix @ np.ones((200, 3)))
    assert np.allclose(operator.H @ np.ones((300, 2)), matrix.T @ np.ones((300, 2)))


def test_matrices_that_are_refused() -> None:
    with pytest.raises(koine.ArgumentError):
        koine.SparseOperator(sparse.csr_matrix(np.array([[np.nan]])))
    with pytest.raises(TypeError, match="complex"):
        koine.SparseOperator(sparse.csr_matrix(np.array([[1j]])))
    with pytest.raises(koine.ArgumentError):
        koine.SparseOperator.from_coo([5], [0], [1.0], (2, 2))
    with pytest.raises(ValueError, match="whole numbers"):
        koine.SparseOperator.from_coo([-1], [0], [1.0], (2, 2))
    with pytest.raises(ValueError, match="values"):
        koine.SparseOperator.from_coo([1, 1], [0, 0], [1.0], (2, 2))
    with pytest.raises(TypeError):
        koine.SparseOperator(3)
    with pytest.raises(ValueError, match="format"):
        koine.SparseOperator(np.eye(2), format="dense")
    with pytest.raises(koine.Error):
        koine.SparseOperator(np.eye(2), format="ell")
    with pytest.raises(TypeError, match="dtype"):
        koine.SparseOperator(np.eye(2), dtype="int32")
