# SPDX-License-Identifier: Apache-2.0
"""Arrays on CUDA devices (CuPy, PyTorch, and others with DLPack), computed where they are, in their streams.

CuPy and PyTorch are asked for their current stream, and allocate the results. Another library's arrays are read
through DLPack or ``__cuda_array_interface__`` on the stream that these name, and results are `koine.Array`s, which have
that interface, too.
"""

from __future__ import annotations

import contextlib
import ctypes
import math
import sys
import threading
from typing import Any

import numpy as np

from ._call import make
from ._native import ffi, lib
from ._types import DType
from .array import Array
from .context import Context
from .libraries import settle
from .operands import Operand, Shape, Space

_LEGACY = 1  # CU_STREAM_LEGACY, which is what CUDA's run-time library calls stream 0
_DLPACK_CUDA = 2  # kDLCUDA
_KEPT = 16

_contexts: dict[int, Context] = {}
_lock = threading.Lock()


class _Spaces(threading.local):
    """Of this thread, by library, device and stream."""

    def __init__(self) -> None:
        self.of: dict[tuple[str, int, int], CudaSpace] = {}


_spaces = _Spaces()


def is_cuda(x: Any) -> bool:
    """Whether an array is on a CUDA device."""
    with contextlib.suppress(Exception):
        return bool(x.__dlpack_device__()[0] == _DLPACK_CUDA)
    return getattr(x, "__cuda_array_interface__", None) is not None


def take_cuda(x: Any, name: str, context: Context | None) -> Operand:
    """An array on a CUDA device as an operand."""
    interface = _interface(x, name)
    dtype = np.dtype(interface["typestr"])
    shape = tuple(int(size) for size in interface["shape"])
    if interface.get("mask") is not None:
        raise TypeError(f"{name} has a mask")
    if not _is_contiguous(shape, interface.get("strides"), dtype.itemsize):
        raise ValueError(f"{name} is not contiguous")
    if dtype.kind not in "iufcb":
        raise TypeError(f"{name} has elements of {dtype}, which are no numbers")
    space = _space_of(x, interface)
    if context is not None and context.handle != space.context:
        raise ValueError(f"{name} is in another context than the one that is named")
    return space.take(x, interface["data"][0], shape, dtype)


def _interface(x: Any, name: str) -> dict[str, Any]:
    """The array's __cuda_array_interface__; that of PyTorch is refused with a gradient to follow."""
    if getattr(x, "requires_grad", False):
        raise TypeError(f"{name} wants a gradient, which Koine does not have: pass x.detach()")
    interface = getattr(x, "__cuda_array_interface__", None)
    if not isinstance(interface, dict) or not {"shape", "typestr", "data"} <= interface.keys():
        raise TypeError(f"{name} is on a CUDA device, and has no __cuda_array_interface__")
    return interface


def _is_contiguous(shape: Shape, strides: Any, itemsize: int) -> bool:
    if strides is None or math.prod(shape) == 0:
        return True
    expected = itemsize
    for size, stride in zip(reversed(shape), reversed(strides), strict=True):
        if size != 1 and stride != expected:
            return False
        expected *= size
    return True


def _library(x: Any) -> str:
    return str(type(x).__module__).partition(".")[0]


def _device_number(x: Any, interface: dict[str, Any]) -> int:
    with contextlib.suppress(Exception):
        return int(x.__dlpack_device__()[1])
    return _device_of_pointer(int(interface["data"][0]))


def _stream(library: str, device: int, interface: dict[str, Any]) -> int:
    """The stream that the array's library works in, as the driver's interface has it."""
    if library == "cupy":
        with sys.modules["cupy"].cuda.Device(device):
            stream = int(sys.modules["cupy"].cuda.get_current_stream().ptr)
    elif library == "torch":
        stream = int(sys.modules["torch"].cuda.current_stream(device).cuda_stream)
    else:
        stream = int(interface.get("stream") or 0)
    return stream or _LEGACY


def _space_of(x: Any, interface: dict[str, Any]) -> CudaSpace:
    library = _library(x)
    device = _device_number(x, interface)
    key = (library, device, _stream(library, device, interface))
    space = _spaces.of.get(key)
    if space is None:
        if len(_spaces.of) >= _KEPT:
            _spaces.of.clear()
        space = _spaces.of[key] = CudaSpace(*key)
    return space


class CudaSpace(Space):
    """Arrays of a library on a device, in a stream."""

    def __init__(self, library: str, device: int, stream: int) -> None:
        self.library = library
        self.device = device
        self.owner = _context_of_device(device)
        self._handle = self.owner.handle
        native = ffi.cast("struct CUstream_st *", stream)
        self.queue = make("kn_queue", lib.kn_queue_close, lib.kn_queue_wrap_cuda, self._handle, native)

    @property
    def context(self) -> Any:
        return self._handle

    def take(self, native: Any, address: int, shape: Shape, dtype: DType) -> Operand:
        """Memory of the device as an operand."""
        nbytes = math.prod(shape) * dtype.itemsize
        if nbytes == 0:
            buffer = make("kn_buffer", lib.kn_buffer_free, lib.kn_buffer_create, self._handle, 0)
        else:
            buffer = make("kn_buffer", lib.kn_buffer_free, lib.kn_buffer_wrap_cuda, self._handle, address, nbytes)
        return Operand(self, native, buffer, shape, dtype)

    def empty(self, shape: Shape, dtype: DType) -> Operand:
        if self.library == "cupy":
            cupy = sys.modules["cupy"]
            with cupy.cuda.Device(self.device):
                made = cupy.empty(shape, dtype)
            return self.take(made, made.data.ptr, shape, dtype)
        if self.library == "torch":
            torch = sys.modules["torch"]
            made = torch.empty(shape, dtype=getattr(torch, dtype.name), device=f"cuda:{self.device}")
            return self.take(made, made.data_ptr(), shape, dtype)
        array = Array(self.owner, shape, dtype)
        return Operand(self, array, array.buffer, shape, dtype)


# ---- the driver, of which the primary contexts are wanted ----


def _driver() -> ctypes.CDLL:
    try:
        return ctypes.CDLL("libcuda.so.1")
    except OSError as none:
        raise RuntimeError(f"the array is on a CUDA device, and NVIDIA's driver does not open: {none}") from None


def _require(code: int, what: str) -> None:
    if code:
        raise RuntimeError(f"{what} of NVIDIA's driver failed: CUDA error {code}")


def _device_of_pointer(address: int) -> int:
    number = ctypes.c_int()
    ordinal = 9  # CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL
    code = _driver().cuPointerGetAttribute(ctypes.byref(number), ordinal, ctypes.c_uint64(address))
    _require(code, "cuPointerGetAttribute")
    return number.value


def _context_of_device(number: int) -> Context:
    """The device's primary context, which is that of CUDA's run-time library and of all who use it."""
    settle()
    with _lock:
        found = _contexts.get(number)
        if found is None or found.closed:
            device, native = ctypes.c_int(), ctypes.c_void_p()
            _require(_driver().cuInit(0), "cuInit")
            _require(_driver().cuDeviceGet(ctypes.byref(device), number), "cuDeviceGet")
            code = _driver().cuDevicePrimaryCtxRetain(ctypes.byref(native), device)
            _require(code, "cuDevicePrimaryCtxRetain")
            pointer = ffi.cast("struct CUctx_st *", native.value or 0)
            handle = make("kn_context", lib.kn_context_close, lib.kn_context_wrap_cuda, pointer, ffi.NULL)
            found = _contexts[number] = Context._of_handle(handle)
        return found


def cuda_context(owner: Any) -> Context:
    """The Context of an array on a CUDA device."""
    return _context_of_device(_device_number(owner, _interface(owner, "the array")))
