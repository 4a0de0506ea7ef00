# SPDX-License-Identifier: Apache-2.0
"""Least squares and linear systems with any linear operator."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ._call import Words, call, make, struct
from ._native import ffi, lib
from ._types import kn_types, parts
from .numbers import natural
from .errors import text_of
from .interrupts import Watch
from .operands import Operand
from .operators import Operator
from .sparse import SparseOperator

methods = Words("method", "KN_SOLVE_", "cgnr cg fista bb sirt tv wavelet")


class Solution(NamedTuple):
    """What `solve` returns.

    Attributes
    ----------
    x : array
        Of b's library, where b is, in the operator's `ishape` if b has its `oshape`, else flat.
    iterations : int
        That were done.
    stopped : str
        What stopped them: "iterations", "tolerance", "noise", "whiteness", or "floor", when rounding is all that is
        left.
    residual : float
        ``|A x - b|``; of "cg" ``|(A + lambda) x - b|``.
    right : float
        ``|b|``.
    gradients : numpy.ndarray of float64, shape (iterations + 1,)
        The gradient's length before the first iteration and after each; of "tv" how much an iteration changes, weighed
        by its steps.
    objectives : numpy.ndarray of float64
        Of "tv" and "wavelet": ``|A x - b|^2 / 2 + lambda TV(x)``, or with the details, before the first iteration and after
        each; otherwise empty.
    """

    x: Any
    iterations: int
    stopped: str
    residual: float
    right: float
    gradients: npt.NDArray[np.float64]
    objectives: npt.NDArray[np.float64]


def solve(
    a: Any,
    b: Any,
    *,
    x0: Any = None,
    method: str = "cgnr",
    iterations: int = 100,
    tolerance: float = 0.0,
    noise: float = 0.0,
    whiteness: bool = False,
    lambda_: float = 0.0,
    smooth: float = 0.0,
    order: int = 1,
    bounds: tuple[float, float] | None = None,
    shape: tuple[int, ...] | None = None,
    callback: Callable[[int], Any] | None = None,
) -> Solution:
    """The x that makes ``|A x - b|^2 / 2 + lambda |x|^2 / 2 + smooth |D x|^2 / 2`` least.

    With "tv" it is ``|A x - b|^2 / 2 + lambda TV(x)``, with the total variation of a picture or volume, and
    with "wavelet" the moduli of the details of its orthogonal wavelet transform (Daubechies, four taps, periodic, at most 5
    levels of the axes that are even and at least 16 long) in place of TV.

    Parameters
    ----------
    a : Operator, sparse matrix, array of two axes, or linear operator
        An operator of Koine's, which is solved where it is: `SparseOperator`, `RayTransform`, `Nufft`. A matrix becomes
        a `SparseOperator` on the host. Anything else with `shape`, `dtype`, `matvec` and `rmatvec`, of SciPy or
        PyLops, is called from the host's iterations.
    b : array
        Of as many elements as A has rows.
    x0 : array, optional
        The start; None: zeros.
    method : {"cgnr", "cg", "fista", "bb", "sirt", "tv", "wavelet"}
        Conjugate gradients on the normal equations; on (A + lambda) x = b of a self-adjoint A; for real numbers and
        with bounds, accelerated gradients, those of Barzilai and Borwein, and SIRT; total variation, by the
        primal-dual method of Chambolle and Pock; and sparse wavelets, by accelerated proximal gradients.
    iterations : int
        At most.
    tolerance : float
        Stops once ``|A x - b|`` is at most this part of ``|b|``; 0: never.
    noise : float
        Stops once ``|A x - b|`` is at most this; 0: never.
    whiteness : bool
        Stops where A x - b is as white as it gets ("cgnr" of real numbers).
    lambda_, smooth : float
        From 0 on.
    order : {1, 2}
        Of the differences D of neighbouring elements of x.
    bounds : (float, float), optional
        low <= x <= high, of which either may be infinite: of "fista", "bb" and "sirt", and of "tv" for real numbers.
    shape : tuple of int, optional
        Of "tv" and "wavelet": the shape of x, of up to three axes; None: the operator's `ishape`.
    callback : callable, optional
        ``callback(iteration)`` before each iteration; it may raise, or return False to stop, which raises
        StopIteration.

    Returns
    -------
    Solution

    Raises
    ------
    ArgumentError
        Options out of range, or numbers that are not finite.
    KeyboardInterrupt
        An interrupt takes effect before the next iteration.

    Examples
    --------
    >>> import koine, numpy
    >>> found = koine.solve(numpy.array([[2.0, 0.0], [0.0, 4.0]]), numpy.array([2.0, 8.0]))
    >>> found.x.round(9)
    array([1., 2.])
    """
    operator = _operator(a)
    watch = Watch(callback)
    options = struct(
        "kn_solve_options",
        method=methods.number(method),
        iterations=natural(iterations, "iterations"),
        tolerance=tolerance,
        noise=noise,
        whiteness=whiteness,
        progress=lib.koine_solve_progress,
        progress_data=watch.handle,
        smooth=smooth,
        order=natural(order, "order"),
    )
    setattr(options, "lambda", lambda_)
    if bounds is not None:
        options.bounded, (options.low, options.high) = True, bounds
    right = operator.operand(b, "b")
    start = _start(operator, right, x0)
    if method in ("tv", "wavelet"):
        options.shape = _shape(operator.ishape if shape is None else shape)
    queue = ffi.NULL if right.space.queue is None else right.space.queue
    found = ffi.new("kn_solve_result *")
    arguments = queue, operator.handle, options
    with operator._lock:
        plan = make("kn_solve_plan", lib.kn_solve_plan_free, lib.kn_solve_plan_create, *arguments)
        execute = lib.kn_solve_execute if right.space.queue is None else lib.kn_solve_execute_buffers
        _execute(watch, operator, execute, plan, right.pointer, start.pointer, found)
    return Solution(
        start.result(),
        found.iterations,
        text_of(lib.kn_solve_stopped_name(found.stopped)),
        found.residual,
        found.right,
        _history(plan, lib.kn_solve_plan_get_gradients),
        _history(plan, lib.kn_solve_plan_get_objectives),
    )


def _execute(watch: Watch, operator: Operator, *solving: Any) -> None:
    """Solves; what the operator's own functions raised is raised again."""
    operator.raised = None
    try:
        watch.call(*solving)
    except BaseException:
        if operator.raised is not None:
            raise operator.raised from None
        raise


def _shape(shape: tuple[int, ...]) -> list[int]:
    """The lengths of a picture's axes for libkoine, the last one first."""
    if not 1 <= len(shape) <= 3:
        raise ValueError(f"the shape {shape} has {len(shape)} axes; total variation has up to 3")
    return [natural(length, "shape") for length in reversed(shape)] + [1] * (3 - len(shape))


def _history(plan: Any, get: Callable[..., Any]) -> npt.NDArray[np.float64]:
    count = ffi.new("size_t *")
    found = get(plan, count)
    return np.frombuffer(ffi.buffer(found, 8 * count[0]), np.float64).copy() if count[0] else np.empty(0)


def _start(operator: Operator, right: Operand, x0: Any) -> Operand:
    """Where the solution goes, with the start in it."""
    shape = operator.ishape if right.shape == operator.oshape else (operator.shape[1],)
    if right.size != operator.shape[0]:
        raise ValueError(f"b has {right.size} elements, and the operator has {operator.shape[0]} rows")
    given = operator.operand(np.zeros(shape, operator.dtype) if x0 is None else x0, "x0")
    if given.size != operator.shape[1]:
        raise ValueError(f"x0 has {given.size} elements, and the operator has {operator.shape[1]} columns")
    if given.space.queue is None:
        return given.copy()
    made = right.space.empty(shape, operator.dtype)
    call(lib.kn_buffer_copy, right.space.queue, given.pointer, 0, made.pointer, 0, made.nbytes, ffi.NULL)
    return made


def _operator(a: Any) -> Operator:
    if isinstance(a, Operator):
        return a
    if hasattr(a, "tocsr") or isinstance(a, np.ndarray):
        return SparseOperator(a)
    if all(hasattr(a, name) for name in ("shape", "dtype", "matvec", "rmatvec")):
        return CalledOperator(a)
    raise TypeError(f"a {type(a).__name__} is no linear operator: it has no matvec and rmatvec")


class CalledOperator(Operator):
    """Somebody else's linear operator, called from libkoine's iterations.

    Parameters
    ----------
    of : linear operator
        With `shape`, `dtype`, `matvec` and `rmatvec`, as SciPy's and PyLops's.
    """

    def __init__(self, of: Any) -> None:
        rows, columns = (natural(size, "shape") for size in of.shape)
        dtype = np.dtype(of.dtype)
        if dtype.kind in "iub":
            dtype = np.dtype(np.float64)
        part = parts.get(dtype, dtype)
        if part not in kn_types or part.kind != "f":
            raise TypeError(f"the operator has elements of {dtype}")
        self.of = of
        self._numbers = dtype
        self._user = ffi.new_handle(self)
        functions = struct(
            "kn_operator_functions",
            rows=rows,
            columns=columns,
            type=kn_types[part],
            is_complex=dtype.kind == "c",
            apply_host=lib.koine_apply_host,
            data=self._user,
        )
        handle = make("kn_operator", lib.kn_operator_free, lib.kn_operator_create, ffi.NULL, functions)
        super().__init__(handle, None, (columns,), (rows,))

    def apply_host(self, adjoint: bool, source: Any, to: Any) -> None:
        """A x or A^H x, for libkoine."""
        size, made = self.shape if adjoint else self.shape[::-1]
        x = np.frombuffer(ffi.buffer(source, size * self._numbers.itemsize), self._numbers)
        y = np.frombuffer(ffi.buffer(to, made * self._numbers.itemsize), self._numbers)
        found = np.asarray(self.of.rmatvec(x) if adjoint else self.of.matvec(x))
        if math.prod(found.shape) != made:
            raise ValueError(f"the operator made {found.shape} of a vector of {size}, not {made} elements")
        y[...] = found.reshape(-1)
