# SPDX-License-Identifier: Apache-2.0
"""Linear operators of libkoine's: SciPy's LinearOperators where SciPy is installed, and of the same manner without.

An operator takes vectors, or arrays of its `ishape`, on the host or where its context is. `solve` iterates with it on
the device; SciPy's, PyLops's and SigPy's solvers call its `matvec`, `rmatvec`, `H`, `N`, `ishape` and `oshape`.
"""

from __future__ import annotations

import math
import threading
from typing import TYPE_CHECKING, Any

import numpy as np

from ._native import ffi, lib
from ._types import complexes, kn_types
from .context import Context
from .interrupts import Watch
from .operands import Operand, Shape, UploadSpace, take

if TYPE_CHECKING:

    class _Base:
        shape: Shape
        dtype: Any

        def __init__(self, dtype: Any, shape: Shape) -> None: ...
        def __mul__(self, x: Any) -> Any: ...
else:
    try:
        from scipy.sparse.linalg import LinearOperator as _Base
    except ImportError:

        class _Base:
            """What of SciPy's LinearOperator does without SciPy."""

            def __init__(self, dtype: Any, shape: Shape) -> None:
                self.dtype, self.shape = np.dtype(dtype), shape

            @property
            def H(self) -> Any:
                return self._adjoint()

            def dot(self, x: Any) -> Any:
                x = np.asarray(x)
                return self.matvec(x) if x.ndim == 1 else self._matmat(x)

            __matmul__ = __mul__ = dot


_dtypes = {number: dtype for dtype, number in kn_types.items()}


class Operator(_Base):
    """A linear operator; its subclasses make one.

    Attributes
    ----------
    shape : (int, int)
        Rows and columns: the elements of ``A x`` and of ``x``.
    ishape, oshape : tuple of int
        The shapes of what goes in and comes out.
    dtype : numpy.dtype
        float64 or complex128 on the host, float32 or complex64 on devices unless they were asked for more.
    context : Context or None
        None: on the host.
    """

    def __init__(
        self,
        handle: Any,
        context: Context | None,
        ishape: Shape,
        oshape: Shape,
        lock: Any = None,
        watch: Watch | None = None,
    ) -> None:
        number = _dtypes[lib.kn_operator_get_type(handle)]
        dtype = complexes[number] if lib.kn_operator_get_is_complex(handle) else number
        rows, columns = lib.kn_operator_get_rows(handle), lib.kn_operator_get_columns(handle)
        if (math.prod(oshape), math.prod(ishape)) != (rows, columns):
            raise ValueError(f"an operator of shape {(rows, columns)} does not take {ishape} to {oshape}")
        self._handle = handle
        self._lock = lock or threading.Lock()  # one thread at a time applies it
        self._watch = watch or Watch()
        self.context = context
        self.ishape = ishape
        self.oshape = oshape
        super().__init__(dtype, (rows, columns))

    @property
    def raised(self) -> BaseException | None:
        """What Python's functions that libkoine called for the operator have raised."""
        return self._watch.raised

    @raised.setter
    def raised(self, raised: BaseException | None) -> None:
        self._watch.raised = raised

    @property
    def handle(self) -> Any:
        """The C interface's kn_operator."""
        if self.context is not None:
            _ = self.context.handle
        return self._handle

    def __call__(self, x: Any) -> Any:
        """A x, of an array of `ishape`, or of a vector."""
        return self._apply(x, False, shaped=True)

    def matvec(self, x: Any) -> Any:
        """A x, of a vector or a column, as SciPy has it.

        Parameters
        ----------
        x : array, shape (columns,) or (columns, 1)

        Returns
        -------
        array, shape (rows,) or (rows, 1)
        """
        return self._apply(x, False)

    def rmatvec(self, x: Any) -> Any:
        """A^H x, of a vector or a column, as SciPy has it.

        Parameters
        ----------
        x : array, shape (rows,) or (rows, 1)

        Returns
        -------
        array, shape (columns,) or (columns, 1)
        """
        return self._apply(x, True)

    def _matvec(self, x: Any) -> Any:
        return self._apply(x, False)

    def _rmatvec(self, x: Any) -> Any:
        return self._apply(x, True)

    def _matmat(self, x: Any) -> Any:
        return np.stack([self._apply(x[:, i], False) for i in range(x.shape[1])], axis=1)

    def _rmatmat(self, x: Any) -> Any:
        return np.stack([self._apply(x[:, i], True) for i in range(x.shape[1])], axis=1)

    def _adjoint(self) -> Any:
        return Adjoint(self)

    @property
    def N(self) -> Any:
        """A^H A, as SigPy calls it."""
        return Normal(self)

    def check_adjoint(self, seed: int = 1) -> float:
        """How well A and its adjoint match: ``|<A x, y> - <x, A^H y>| / (|A x| |y|)`` of random vectors.

        Parameters
        ----------
        seed : int

        Returns
        -------
        float
            About the type's precision of a pair that matches.
        """
        found = ffi.new("double *")
        queue = ffi.NULL if self.context is None else self.context.queue
        with self._lock:
            self._watch.call(lib.kn_operator_check_adjoint, queue, self.handle, seed, found)
        return float(found[0])

    def _apply(self, x: Any, adjoint: bool, shaped: bool = False) -> Any:
        ends = (self.oshape, self.ishape) if adjoint else (self.ishape, self.oshape)
        given = self.operand(x)
        shape = ends[1] if shaped and given.shape == ends[0] else _other_shape(given.shape, *ends)
        made = given.space.empty(shape, given.dtype)
        with self._lock:
            if self.context is None:
                self._watch.call(lib.kn_operator_apply_host, self.handle, adjoint, given.pointer, made.pointer)
            else:
                arguments = given.space.queue, self.handle, adjoint, given.pointer, made.pointer
                self._watch.call(lib.kn_operator_apply, *arguments)
        return made.result()

    def operand(self, x: Any, name: str = "x") -> Operand:
        """A vector where the operator works: one of the host is converted, and copied there; one of a device is not."""
        if isinstance(x, (list, tuple, np.ndarray, np.generic)):
            array = np.asarray(x)
            if array.dtype.kind not in "iufcb" or (array.dtype.kind == "c" and self.dtype.kind != "c"):
                raise TypeError(f"{name} has elements of {array.dtype}, and the operator takes {self.dtype}")
            x = np.ascontiguousarray(array, self.dtype).reshape(array.shape)
        given = take(x, name)
        if given.dtype != self.dtype:
            raise TypeError(f"{name} has elements of {given.dtype}, and the operator takes {self.dtype}")
        if self.context is None and given.space.queue is not None:
            raise ValueError(f"{name} is on a device, and the operator is on the host")
        if self.context is not None and given.space.queue is None:
            return UploadSpace(self.context).upload(given.native)
        if self.context is not None and given.space.context != self.context.handle:
            raise ValueError(f"{name} is in another context than the operator")
        return given


def _other_shape(shape: Shape, source: Shape, to: Shape) -> Shape:
    """The shape of what comes of `shape`: flat of a flat one, a column of a column."""
    size, other = math.prod(source), math.prod(to)
    if shape == (size,):
        return (other,)
    if shape == source:
        return to
    if shape == (size, 1):
        return (other, 1)
    raise ValueError(f"x has shape {shape}, and the operator takes {source}, or {size} elements on one axis")


class Adjoint(_Base):
    """A^H of an `Operator` A."""

    def __init__(self, of: Operator) -> None:
        self.of = of
        self.ishape, self.oshape = of.oshape, of.ishape
        super().__init__(of.dtype, (of.shape[1], of.shape[0]))

    def __call__(self, x: Any) -> Any:
        """A^H x, of an array of `ishape`, or of a vector."""
        return self.of._apply(x, True, shaped=True)

    def matvec(self, x: Any) -> Any:
        """A^H x."""
        return self.of.rmatvec(x)

    def rmatvec(self, x: Any) -> Any:
        """A x."""
        return self.of.matvec(x)

    _matvec = matvec
    _rmatvec = rmatvec

    def _matmat(self, x: Any) -> Any:
        return self.of._rmatmat(x)

    def _rmatmat(self, x: Any) -> Any:
        return self.of._matmat(x)

    def _adjoint(self) -> Any:
        return self.of

    @property
    def N(self) -> Any:
        """A A^H."""
        return Normal(self)


class Normal(_Base):
    """A^H A of an operator A, which is its own adjoint."""

    def __init__(self, of: Any) -> None:
        self.of = of
        self.ishape = self.oshape = of.ishape
        super().__init__(of.dtype, (of.shape[1], of.shape[1]))

    def __call__(self, x: Any) -> Any:
        """A^H A x, of an array of `ishape`, or of a vector."""
        return self.of.H(self.of(x))

    def matvec(self, x: Any) -> Any:
        """A^H A x."""
        return self.of.rmatvec(self.of.matvec(x))

    rmatvec = _matvec = _rmatvec = matvec

    def _matmat(self, x: Any) -> Any:
        return self.of._rmatmat(self.of._matmat(x))

    _rmatmat = _matmat

    def _adjoint(self) -> Any:
        return self
