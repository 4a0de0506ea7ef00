# SPDX-License-Identifier: Apache-2.0
"""Sparse matrices as linear operators."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ._call import Words, make, struct
from ._native import ffi, lib
from ._types import kn_types
from .numbers import doubles, natural
from .context import Context
from .errors import text_of
from .operators import Operator

formats = Words(
    "format",
    "KN_SPARSE_",
    "auto simple memory-layout local-memory memory-layout-local on-the-fly on-the-fly-local backprojection ell "
    "csr-vector coo hyb sell merge",
)
_MOST = 0xFFFFFFFF


def number_type(dtype: npt.DTypeLike | None) -> int:
    """libkoine's type of an operator's numbers; 0, which is no floating one, asks for the place's own."""
    if dtype is None:
        return 0
    wanted = np.dtype(dtype)
    if wanted not in (np.dtype(np.float32), np.dtype(np.float64)):
        raise TypeError(f"dtype is {wanted}, not float32 or float64")
    return kn_types[wanted]


class MatrixOperator(Operator):
    """A sparse matrix, kept in a format or computed from its geometry."""

    @property
    def format(self) -> str:
        """The format of A, never "auto"."""
        return formats.word(lib.kn_sparse_operator_get_format(self.handle, False))

    @property
    def why(self) -> str:
        """Why "auto" took it on a device: what each format took when it was measured; else ""."""
        return text_of(lib.kn_sparse_operator_get_why(self.handle, False))

    @property
    def nbytes(self) -> int:
        """Bytes that the operator holds, on the host and on its device."""
        held = lib.kn_sparse_operator_get_memory(self.handle)
        return int(held.host + held.device)


class SparseOperator(MatrixOperator):
    """A sparse matrix, multiplied on the host or on a device.

    Parameters
    ----------
    matrix : sparse matrix, or array of two axes
        SciPy's, of real numbers in any format; what has a `tocsr` is taken.
    context : Context, optional
        None: on the host.
    format : str
        How it is kept: ``"auto"``, on a device the fastest, which is measured once; ``"simple"``, ``"sell"``, and on
        devices ``"ell"``, ``"csr-vector"``, ``"coo"``, ``"hyb"``, ``"merge"`` and others.
    dtype : {float32, float64}, optional
        Of the vectors and the sums; None: float64 on the host, float32 on a device.

    Raises
    ------
    ArgumentError
        Values that are not finite, or beyond single precision where that is asked for.

    Notes
    -----
    The adjoint is the exact transpose, kept in the same format. An operator keeps some 8 bytes a nonzero for A and for
    A^T each.

    Examples
    --------
    >>> import koine, numpy
    >>> a = koine.SparseOperator.from_coo([0, 1, 1], [0, 0, 1], [2.0, 3.0, 4.0], (2, 2))
    >>> a.matvec(numpy.array([1.0, 1.0]))
    array([2., 7.])
    """

    def __init__(
        self, matrix: Any, *, context: Context | None = None, format: str = "auto", dtype: npt.DTypeLike | None = None
    ) -> None:
        self._settle(matrix_of(matrix), context, format, dtype)

    @classmethod
    def from_coo(
        cls,
        rows: npt.ArrayLike,
        columns: npt.ArrayLike,
        values: npt.ArrayLike,
        shape: tuple[int, int],
        *,
        context: Context | None = None,
        format: str = "auto",
        dtype: npt.DTypeLike | None = None,
    ) -> SparseOperator:
        """A matrix of entries in any order; those of one place are added.

        Parameters
        ----------
        rows, columns : array_like of int, shape (count,)
            From 0.
        values : array_like of float, shape (count,)
        shape : (int, int)
        context, format, dtype
            As `SparseOperator`'s.

        Returns
        -------
        SparseOperator
        """
        made = cls.__new__(cls)
        i, j, numbers = whole(rows, "rows"), whole(columns, "columns"), doubles(values, "values")
        if not i.shape == j.shape == numbers.shape or i.ndim != 1:
            raise ValueError(f"there are {i.shape} rows, {j.shape} columns and {numbers.shape} values")
        sizes = natural(shape[0], "rows"), natural(shape[1], "columns"), i.size
        places = ffi.from_buffer("uint32_t[]", i), ffi.from_buffer("uint32_t[]", j)
        matrix = make(
            "kn_sparse",
            lib.kn_sparse_free,
            lib.kn_sparse_create_coo,
            *sizes,
            *places,
            ffi.from_buffer("double[]", numbers),
        )
        made._settle(matrix, context, format, dtype)
        return made

    def _settle(self, matrix: Any, context: Context | None, format: str, dtype: npt.DTypeLike | None) -> None:
        queue = ffi.NULL if context is None else context.queue
        options = struct("kn_sparse_operator_options", format=formats.number(format), type=number_type(dtype))
        free = lib.kn_operator_free
        handle = make("kn_operator", free, lib.kn_sparse_operator_create, queue, matrix, options)
        columns, rows = lib.kn_sparse_get_columns(matrix), lib.kn_sparse_get_rows(matrix)
        self.nnz = int(lib.kn_sparse_get_nonzeros(matrix))
        super().__init__(handle, context, (columns,), (rows,))


def whole(numbers: npt.ArrayLike, name: str) -> Any:
    """Whole numbers of 32 bits."""
    found = np.asarray(numbers)
    if found.size and (found.dtype.kind not in "iu" or int(found.min()) < 0 or int(found.max()) > _MOST):
        raise ValueError(f"{name} are whole numbers from 0 to {_MOST}")
    return np.ascontiguousarray(found, np.uint32)


def matrix_of(matrix: Any) -> Any:
    """A kn_sparse of SciPy's matrix, or of an array."""
    if not hasattr(matrix, "tocsr"):
        dense = np.asarray(matrix)
        if dense.ndim != 2 or dense.dtype.kind not in "iufb":
            raise TypeError("a matrix is sparse, with a method tocsr, or an array of real numbers with two axes")
        rows, columns = np.nonzero(dense)
        starts = np.searchsorted(rows, np.arange(dense.shape[0] + 1))
        return _from_csr(dense.shape, starts, columns, dense[rows, columns])
    by_rows = matrix.tocsr()
    if by_rows.dtype.kind not in "iufb":
        raise TypeError(f"the matrix has elements of {by_rows.dtype}; real numbers are taken")
    if not by_rows.has_canonical_format:
        by_rows = by_rows.copy()
        by_rows.sum_duplicates()
    return _from_csr(by_rows.shape, by_rows.indptr, by_rows.indices, by_rows.data)


def _from_csr(shape: tuple[int, int], starts: Any, columns: Any, values: Any) -> Any:
    where, numbers = np.ascontiguousarray(starts, np.uint64), np.ascontiguousarray(values, np.float64)
    indices = whole(columns, "columns")
    if len(where) != shape[0] + 1 or len(indices) != len(numbers) or int(where[-1]) > len(indices):
        raise ValueError("the matrix's arrays do not fit together")
    arrays = (
        ffi.from_buffer("uint64_t[]", where),
        ffi.from_buffer("uint32_t[]", indices),
        ffi.from_buffer("double[]", numbers),
    )
    free = lib.kn_sparse_free
    return make("kn_sparse", free, lib.kn_sparse_create_csr, shape[0], shape[1], len(numbers), *arrays)
