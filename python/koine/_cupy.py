# SPDX-License-Identifier: Apache-2.0
"""Arrays of CuPy, in its current stream. Imported once there is one, so that CuPy is there."""

from __future__ import annotations

import sys
from typing import Any

from ._types import DType
from .context import Context
from .cuda import CudaSpace, remember, space_of
from .operands import Operand, Shape

_cupy: Any = sys.modules["cupy"]


class CupySpace(CudaSpace):
    """Arrays of CuPy on a device, in a stream, which is destroyed with its object."""

    def __init__(self, device: int, stream: Any) -> None:
        super().__init__(device, stream.ptr)
        self.stream = stream

    def empty(self, shape: Shape, dtype: DType) -> Operand:
        with _cupy.cuda.Device(self.device):
            made = _cupy.empty(shape, dtype)
        return self.take(made, made.data.ptr, shape, dtype)


def take_cupy(x: Any, name: str, context: Context | None) -> Operand:
    """An array as an operand."""
    data, dtype = x.data, x.dtype
    stream = _cupy.cuda.get_current_stream(data.device_id)
    space = space_of(CupySpace, data.device_id, stream.ptr)
    if space is None:
        space = remember(CupySpace(data.device_id, stream), stream.ptr)
    space.require(context, name)
    if not x.flags.c_contiguous:
        raise ValueError(f"{name} is not contiguous: pass cupy.ascontiguousarray(x)")
    if dtype.kind not in "iufcb":
        raise TypeError(f"{name} has elements of {dtype}, which are not numbers")
    return space.take(x, data.ptr, x.shape, dtype)
