# SPDX-License-Identifier: Apache-2.0
"""Tensors of PyTorch: those on a CUDA device in its current stream, those of the host as NumPy has them. Imported once there is
one, so that PyTorch is there."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from ._types import DType
from .context import Context
from .cuda import CudaSpace, remember, space_of
from .operands import Operand, Shape, take_host_dlpack

_torch: Any = sys.modules["torch"]

# Older releases lack some of NumPy's types.
_names = "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 float32 float64 complex64 complex128"
_dtypes: dict[Any, DType] = {getattr(_torch, name): np.dtype(name) for name in _names.split() if hasattr(_torch, name)}


def _stream_of(device: int) -> int:
    """The current stream's handle, through PyTorch's public interface."""
    return int(_torch.cuda.current_stream(device).cuda_stream)


# The same without an object of Python's in between, as Triton and PyTorch's own compiler call it.
_current_stream: Any = getattr(_torch._C, "_cuda_getCurrentRawStream", _stream_of)


class TorchSpace(CudaSpace):
    """Tensors on a device, in a stream."""

    def empty(self, shape: Shape, dtype: DType) -> Operand:
        kind = getattr(_torch, dtype.name, None)
        if kind is None:
            raise TypeError(f"this release of PyTorch has no {dtype.name}, of which the result is")
        made = _torch.empty(shape, dtype=kind, device=f"cuda:{self.device}")
        return self.take(made, made.data_ptr(), shape, dtype)


def take_torch(x: Any, name: str, context: Context | None) -> Operand:
    """A tensor as an operand."""
    if not x.is_cuda:
        return take_host_dlpack(x, name, context)
    dtype = _dtypes.get(x.dtype)
    if dtype is None or x.requires_grad or x.layout is not _torch.strided or x.is_conj() or x.is_neg():
        raise TypeError(f"{name} {_unsuitable(x)}")
    if not x.is_contiguous():
        raise ValueError(f"{name} is not contiguous: pass x.contiguous()")
    device = x.get_device()
    stream = _current_stream(device)
    space = space_of(TorchSpace, device, stream) or remember(TorchSpace(device, stream), stream)
    space.require(context, name)
    return space.take(x, x.data_ptr(), tuple(x.shape), dtype)


def _unsuitable(x: Any) -> str:
    """Why a tensor is not taken."""
    if x.requires_grad:
        return "wants a gradient, which Koine does not have: pass x.detach()"
    if x.layout is not _torch.strided:
        return f"has the layout {x.layout}, not {_torch.strided}"
    if x.dtype not in _dtypes:
        return f"has elements of {x.dtype}, which NumPy does not have"
    return "is a view that conjugates or negates: pass x.resolve_conj().resolve_neg()"
