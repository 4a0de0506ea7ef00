# SPDX-License-Identifier: Apache-2.0
"""Least squares of a sparse matrix or of rays, for many right-hand sides, and how good the solutions are."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from ._call import Words, chars, struct
from ._native import ffi, lib
from .context import Context
from .errors import text_of
from .interrupts import Watch
from .numbers import doubles, natural
from .solving import _shape
from .sparse import formats, matrix_of, number_type
from .tomography import RayTransform, filters

methods = Words("method", "KN_LEAST_SQUARES_", "auto cgnr printed fista bb gram sirt fbp tv")
stops = Words("stop", "KN_LEAST_SQUARES_STOP_", "auto fixed residual discrepancy ncp")
preconditioners = Words("preconditioner", "KN_LEAST_SQUARES_", "none jacobi ilu")


@dataclasses.dataclass(frozen=True)
class Answer:
    """About one right-hand side.

    Attributes
    ----------
    iterations : int
    stopped : str
        "iterations", "residual", "discrepancy", "ncp", "floor", "direct" or "curvature".
    residual, normal_residual : float
        In double precision: ``|A x - b| / |b|``, and the gradient's length as a part of the start's (NaN with "tv").
    error_estimate : float
        How far x is, as a part of itself, from what double precision would have given; NaN where that cannot be said.
    precision_reached : bool
        Whether x is an answer in spite of single precision.
    tolerance_reached, noise_reached : bool
        Also true where they were not asked for.
    objective : float
        Of "tv": ``|A x - b|^2 / 2 + lambda TV(x)``; otherwise NaN.
    history : numpy.ndarray of float64
        Of the residual, or with conjugate gradients on a device of the gradient, before the first iteration and after
        each; empty where there is none.
    """

    iterations: int
    stopped: str
    residual: float
    normal_residual: float
    error_estimate: float
    precision_reached: bool
    tolerance_reached: bool
    noise_reached: bool
    objective: float
    history: npt.NDArray[np.float64]


@dataclasses.dataclass(frozen=True)
class LeastSquares:
    """What `least_squares` returns.

    Attributes
    ----------
    x : numpy.ndarray of float64
        A solution for each right-hand side; with a `RayTransform` pictures.
    answers : list of Answer
        One for each.
    reached : bool
        Whether all have reached the tolerance and the noise.
    adjoint, adjoint_bound : float
        How far A and A^T that ran are from belonging together, and what rounding allows.
    weight, shift : float
        Of the penalty or the correction; by what the diagonal of A^T A was increased for "ilu".
    dtype : numpy.dtype
        In which the iterations computed.
    """

    x: npt.NDArray[np.float64]
    answers: list[Answer]
    reached: bool
    adjoint: float
    adjoint_bound: float
    weight: float
    shift: float
    dtype: np.dtype[Any]


def least_squares(
    a: Any,
    b: npt.ArrayLike,
    *,
    x0: npt.ArrayLike | None = None,
    weights: npt.ArrayLike | None = None,
    method: str = "auto",
    stop: str = "auto",
    iterations: int = 100,
    tolerance: float = 0.0,
    noise: float = 0.0,
    lambda_: float = 0.0,
    smooth: float = 0.0,
    order: int = 1,
    bounds: tuple[float, float] | None = None,
    shape: tuple[int, ...] | None = None,
    weight: float = 0.0,
    correction: str | None = None,
    preconditioner: str = "none",
    filter: str = "ramp",
    format: str = "auto",
    dtype: npt.DTypeLike | None = None,
    context: Context | None = None,
    callback: Callable[[int], Any] | None = None,
) -> LeastSquares:
    """The x that makes ``|A x - b|^2 / 2 + lambda |x|^2 / 2 + smooth |D x|^2 / 2`` least, as ``koine solve`` has it.

    `solve` runs one method with any operator. This also keeps the matrix in a fast format, solves for many right-hand
    sides side by side, and tells how good the solutions are.

    Parameters
    ----------
    a : sparse matrix, array of two axes, or RayTransform
        Of a RayTransform the geometry is taken, and computed where `context` says.
    b : array_like of float
        Of as many elements as A has rows; several right-hand sides along a first axis.
    x0 : array_like of float, optional
        The starts; None: zeros.
    weights : array_like of float, optional
        One for each element of a right-hand side, from 0 on: the sum of ``w (a x - b)^2`` takes the place of
        ``|A x - b|^2``, in residuals and `noise` as well. Elements of b of the weight 0 are ignored, and may be NaN. Not
        with "sirt" and "fbp". None: 1.
    method : {"auto", "cgnr", "printed", "fista", "bb", "gram", "sirt", "fbp", "tv"}
        "fbp" is filtered back-projection of a RayTransform, without iterations (`RayTransform.fbp`).
        "tv": ``|A x - b|^2 / 2 + lambda TV(x)``, with the total variation of a picture or volume.
    stop : {"auto", "fixed", "residual", "discrepancy", "ncp"}
        "auto": by the tolerance or the noise if one is given.
    iterations : int
        At most.
    tolerance, noise : float
        A part of ``|b|``, and a length in units of b; 0: none.
    lambda_, smooth : float
        From 0 on.
    order : {1, 2}
        Of the differences D.
    bounds : (float, float), optional
        low <= x <= high, of which either may be infinite.
    shape : tuple of int, optional
        Of "tv": the shape of x, of up to three axes; None: the picture of a RayTransform.
    weight : float
        Of the penalty for bounds, or what the correction is given; 0: the library's choice.
    correction : str, optional
        On devices: an expression in OpenCL C of floats x, d and weight, and of i, the column, linear in d.
    preconditioner : {"none", "jacobi", "ilu"}
        Of "cgnr": "ilu" on the host, "jacobi" also on devices, of a matrix without other terms.
    filter : {"ramp", "shepp-logan", "cosine", "hamming", "hann"}
        Of "fbp".
    format : str
        How a device keeps A, as `SparseOperator`'s.
    dtype : {float32, float64}, optional
        In which iterations compute; None: float64 where there is double precision for the rest of what is asked.
    context : Context, optional
        None: on the host.
    callback : callable, optional
        ``callback(iteration)`` before each iteration, ``callback(solved)`` where several are solved together; False
        stops, which raises StopIteration.

    Returns
    -------
    LeastSquares

    Raises
    ------
    ArgumentError
        Numbers out of range or not finite, and what the method or the place does not have.

    Notes
    -----
    With a context iterations are launched one by one, so that an interrupt takes effect between them.

    Examples
    --------
    >>> import koine, numpy
    >>> found = koine.least_squares(numpy.array([[2.0, 0.0], [0.0, 4.0], [0.0, 1.0]]), [2.0, 8.0, 2.0], tolerance=1e-9)
    >>> found.x.round(6), found.answers[0].tolerance_reached
    (array([1., 2.]), True)
    """
    task, kept, source, to = _task(a, b)
    if weights is not None:
        _weigh(task, kept, doubles(weights, "weights"), source)
    made = np.zeros((task.count, *to)) if x0 is None else doubles(x0, "x0").copy()
    if made.size != np.prod((task.count, *to)):
        raise ValueError(f"x0 has {made.size} elements, and there are {task.count} of {to}")
    watch = Watch(callback)
    options = struct(
        "kn_least_squares_options",
        method=methods.number(method),
        stop=stops.number(stop),
        iterations=natural(iterations, "iterations"),
        tolerance=tolerance,
        noise=noise,
        smooth=smooth,
        order=natural(order, "order"),
        weight=weight,
        preconditioner=preconditioners.number(preconditioner),
        filter=filters.number(filter),
        format=formats.number(format),
        type=number_type(dtype),
        progress=lib.koine_least_squares_progress,
        iteration_progress=lib.koine_solve_progress,
        progress_data=watch.handle,
    )
    setattr(options, "lambda", lambda_)
    if bounds is not None:
        options.bounded, (options.low, options.high) = True, bounds
    if method == "tv" and shape is not None:
        options.shape = _shape(shape)
    if correction is not None:
        kept.append(chars(correction, "correction"))
        options.correction = kept[-1]
    queue = ffi.NULL if context is None else context.queue
    found = ffi.new("kn_least_squares_result **")
    watch.call(lib.kn_least_squares, queue, task, ffi.from_buffer("double[]", made), options, found)
    result = ffi.gc(found[0], lib.kn_least_squares_result_free)
    several = np.ndim(b) > len(source)
    return _gather(result, made.reshape((-1, *to) if several else to), int(task.count))


@dataclasses.dataclass(frozen=True)
class LCurve:
    """What `l_curve` returns.

    Attributes
    ----------
    lambdas, residuals, norms : numpy.ndarray of float64
        ``|A x - b|`` and ``|x|``, over all right-hand sides, for each lambda, the greatest first.
    corner : int or None
        The point where the curve of log norm against log residual turns most sharply; None: it has no corner.
    """

    lambdas: npt.NDArray[np.float64]
    residuals: npt.NDArray[np.float64]
    norms: npt.NDArray[np.float64]
    corner: int | None

    @property
    def lambda_(self) -> float:
        """That of the corner; raises ValueError without one."""
        if self.corner is None:
            raise ValueError("the L-curve has no corner")
        return float(self.lambdas[self.corner])


def l_curve(
    a: Any,
    b: npt.ArrayLike,
    *,
    weights: npt.ArrayLike | None = None,
    points: int = 21,
    iterations: int = 100,
    format: str = "auto",
    dtype: npt.DTypeLike | None = None,
    context: Context | None = None,
    callback: Callable[[int], Any] | None = None,
) -> LCurve:
    """The L-curve of ``|A x - b|^2 + lambda |x|^2``, from whose corner a lambda for `least_squares` can be chosen.

    Parameters
    ----------
    a, b, weights, format, dtype, context
        As `least_squares` has them.
    points : int
        From 5 to 1000: spaced evenly in log lambda, from ``|A|^2`` down over 10 decades, in float32 over 6.
    iterations : int
        Of conjugate gradients, for each point and right-hand side, at most.
    callback : callable, optional
        ``callback(iteration)`` before each iteration, ``callback(points)`` after each point; False stops, which raises
        StopIteration.

    Returns
    -------
    LCurve

    Raises
    ------
    ArgumentError
        Numbers out of range or not finite, and an ``A^T b`` of 0.

    Notes
    -----
    The corner (Hansen 1992) suits white errors of about a hundredth of b; with small errors and a smooth x it is known
    to give too little lambda.

    Examples
    --------
    >>> import koine, numpy
    >>> points = numpy.linspace(0, 1, 40)
    >>> blur = numpy.exp(-50 * (points[:, None] - points) ** 2)
    >>> b = blur @ (points > 0.5) + numpy.random.default_rng(1).normal(0, 0.1, 40)
    >>> curve = koine.l_curve(blur, b)
    >>> koine.least_squares(blur, b, lambda_=curve.lambda_).x.shape
    (40,)
    """
    task, kept, source, _ = _task(a, b)
    if weights is not None:
        _weigh(task, kept, doubles(weights, "weights"), source)
    watch = Watch(callback)
    options = struct(
        "kn_least_squares_options",
        iterations=natural(iterations, "iterations"),
        format=formats.number(format),
        type=number_type(dtype),
        progress=lib.koine_least_squares_progress,
        iteration_progress=lib.koine_solve_progress,
        progress_data=watch.handle,
    )
    found = np.empty((natural(points, "points"), 3))
    corner = ffi.new("size_t *")
    queue = ffi.NULL if context is None else context.queue
    watch.call(lib.kn_least_squares_lcurve, queue, task, options, len(found), ffi.from_buffer("double[]", found), corner)
    lambdas, residuals, norms = found.T.copy()
    return LCurve(lambdas, residuals, norms, int(corner[0]) if corner[0] < len(found) else None)


def _task(a: Any, b: npt.ArrayLike) -> tuple[Any, list[Any], tuple[int, ...], tuple[int, ...]]:
    """A kn_least_squares_task, what it points to, and the shapes of a right-hand side and of a solution."""
    right = doubles(b, "b")
    task = struct("kn_least_squares_task")
    kept: list[Any] = [ffi.from_buffer("double[]", right)]
    if isinstance(a, RayTransform):
        kept.append(a)
        task.geometry = a.geometry
        source, to = a.oshape, a.ishape
        if right.ndim == 1 or (right.ndim == 2 and right.shape != source):
            source, to = (a.shape[0],), (a.shape[1],)
    else:
        kept.append(matrix_of(a))
        task.matrix = kept[-1]
        source, to = (lib.kn_sparse_get_rows(kept[-1]),), (lib.kn_sparse_get_columns(kept[-1]),)
    if right.shape[-len(source) :] != source or right.ndim > len(source) + 1:
        raise ValueError(f"b has shape {right.shape}, and a right-hand side has {source}")
    task.b = kept[0]
    task.count = right.shape[0] if right.ndim > len(source) else 1
    return task, kept, source, to


def _weigh(task: Any, kept: list[Any], weights: npt.NDArray[np.float64], source: tuple[int, ...]) -> None:
    if weights.size != np.prod(source):
        raise ValueError(f"weights has shape {weights.shape}, and a right-hand side has {source}")
    kept.append(ffi.from_buffer("double[]", weights))
    task.weights = kept[-1]


def _gather(result: Any, x: npt.NDArray[np.float64], count: int) -> LeastSquares:
    bound = ffi.new("double *")
    adjoint = float(lib.kn_least_squares_get_adjoint(result, bound))
    return LeastSquares(
        x,
        [_answer(result, i) for i in range(count)],
        bool(lib.kn_least_squares_get_reached(result)),
        adjoint,
        float(bound[0]),
        float(lib.kn_least_squares_get_weight(result)),
        float(lib.kn_least_squares_get_shift(result)),
        np.dtype(np.float32 if lib.kn_least_squares_get_type(result) == lib.KN_F32 else np.float64),
    )


def _answer(result: Any, i: int) -> Answer:
    solution = lib.kn_least_squares_get_solution(result, i)
    size = ffi.new("size_t *")
    history = lib.kn_least_squares_get_history(result, i, size)
    numbers = {
        field.name: getattr(solution, field.name) for field in dataclasses.fields(Answer) if field.name != "history"
    }
    numbers["stopped"] = text_of(lib.kn_least_squares_stopped_name(solution.stopped))
    kept = np.frombuffer(ffi.buffer(history, 8 * size[0]), np.float64).copy() if size[0] else np.empty(0)
    return Answer(**numbers, history=kept)
