# SPDX-License-Identifier: Apache-2.0
"""Products of dense matrices."""

from __future__ import annotations

import math
from typing import Any

from ._call import Words, call, struct
from ._native import lib
from ._types import kn_types, parts
from .context import Context
from .operands import Operand, take_beside, take_for_device

libraries = Words("library", "KN_GEMM_", "auto own clblast cublas")


def matmul(a: Any, b: Any, *, library: str = "auto", context: Context | None = None) -> Any:
    """The product of two matrices, or of each two in stacks of them, on a device.

    Parameters
    ----------
    a : array, shape (..., m, k)
        Of float32, float64, complex64 or complex128.
    b : array, shape (..., k, n)
        Of the same type, where a is. The leading axes of a and b are the same, or one of them has none.
    library : {"auto", "own", "clblast", "cublas"}
        What is named runs, or is refused.
    context : Context, optional
        Where arrays of NumPy are computed; None: on the default device. There is no host code.

    Returns
    -------
    array, shape (..., m, n)

    Notes
    -----
    An element is off by at most (k + 2) eps times the sum of its terms' moduli, three times that if complex.

    Examples
    --------
    >>> import koine, numpy
    >>> koine.matmul(numpy.eye(2, dtype="float32"), numpy.ones((2, 2), "float32"))
    array([[1., 1.],
           [1., 1.]], dtype=float32)
    """
    chosen = libraries.number(library)
    left = take_for_device(a, "a", context)
    right = take_beside(b, "b", left)
    stack, batch = _stack(left, right)
    part = parts.get(left.dtype, left.dtype)
    if left.dtype != right.dtype or part.kind != "f" or part not in kn_types:
        raise TypeError(
            f"a has elements of {left.dtype.str} and b of {right.dtype.str}: both are of float32, float64, "
            "complex64 or complex128"
        )
    m, k = left.shape[-2:]
    n = right.shape[-1]
    made = left.space.empty((*stack, m, n), left.dtype)
    if made.size:
        task = struct(
            "kn_gemm_task", type=kn_types[part], is_complex=left.dtype.kind == "c", m=m, n=n, k=k, batch=batch
        )
        task.alpha[0] = 1
        for matrix, operand in ((task.a, left), (task.b, right), (task.c, made)):
            matrix.buffer = operand.pointer
            matrix.stride = math.prod(operand.shape[-2:]) if len(operand.shape) > 2 else 0
        call(lib.kn_gemm, left.space.queue, task, struct("kn_gemm_options", library=chosen))
    return made.result()


def _stack(left: Operand, right: Operand) -> tuple[tuple[int, ...], int]:
    """The leading axes, and how many products they are."""
    for name, operand in (("a", left), ("b", right)):
        if len(operand.shape) < 2:
            raise ValueError(f"{name} has {len(operand.shape)} axes, and a matrix has two")
    if left.shape[-1] != right.shape[-2]:
        raise ValueError(f"a has {left.shape[-1]} columns and b has {right.shape[-2]} rows")
    first, second = left.shape[:-2], right.shape[:-2]
    if first and second and first != second:
        raise ValueError(f"a is a stack of {first} matrices and b of {second}")
    stack = first or second
    return stack, math.prod(stack)
