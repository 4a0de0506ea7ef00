# SPDX-License-Identifier: Apache-2.0
"""Arrays on CUDA devices, computed where they are, in their streams.

CuPy and PyTorch have files of their own (_cupy.py, _torch.py): they are asked for their current stream, and allocate the
results. Another library's arrays are read through ``__cuda_array_interface__``, on the stream that it names, and results are
`koine.Array`s, which have that interface, too.

A stream has to be there as long as a kn_queue wraps it. A space of CuPy's keeps its stream's object; PyTorch's streams last
as long as the process; of another library's stream nothing but a number is known, and it is wrapped for one call.
"""

from __future__ import annotations

import contextlib
import ctypes
import math
import threading
import weakref
from typing import Any, TypeVar

import numpy as np

from ._call import call, make
from ._native import ffi, lib
from ._types import DType
from .array import Array
from .context import Context
from .libraries import settle
from .operands import Operand, Shape, Space

_LEGACY = 1  # CU_STREAM_LEGACY, which CUDA's run-time library calls stream 0
_DEFAULTS = 0, 1, 2  # streams that are always there: this one under both names, and each thread's own
_DLPACK_CUDA = 2  # kDLCUDA
_KEPT = 16  # spaces that a thread remembers
_KEPT_BUFFERS = 64  # and pieces of memory of each

_contexts: dict[int, Context] = {}
_lock = threading.Lock()


def _of_driver(stream: int) -> int:
    """A stream of CUDA's run-time library as the driver's interface has it."""
    return stream or _LEGACY


class CudaSpace(Space):
    """Arrays on a device, in a stream. A subclass allocates results."""

    def __init__(self, device: int, stream: int) -> None:
        self.device = device
        self.owner = _context_of_device(device)
        self._handle = self.owner.handle
        # By address and size. A kn_buffer of somebody else's memory has these two and no more: it serves for whatever
        # is there, and a kernel's arguments stay the same.
        self._buffers: dict[tuple[int, int], Any] = {}
        native = ffi.cast("struct CUstream_st *", _of_driver(stream))
        self.queue = make("kn_queue", lib.kn_queue_close, lib.kn_queue_wrap_cuda, self._handle, native)

    @property
    def context(self) -> Any:
        return self._handle

    def take(self, native: Any, address: int, shape: Shape, dtype: DType) -> Operand:
        """Memory of the device as an operand."""
        key = address, math.prod(shape) * dtype.itemsize
        return Operand(self, native, self._buffers.get(key) or self._wrap(key), shape, dtype)

    def _wrap(self, key: tuple[int, int]) -> Any:
        if len(self._buffers) >= _KEPT_BUFFERS:
            self._buffers.clear()
        function, where = (lib.kn_buffer_wrap_cuda, key) if key[1] else (lib.kn_buffer_create, (0,))
        made = self._buffers[key] = make("kn_buffer", lib.kn_buffer_free, function, self._handle, *where)
        return made

    def require(self, context: Context | None, name: str) -> None:
        """ValueError if a context is named, and it is another one."""
        if context is not None and context.handle != self._handle:
            raise ValueError(f"{name} is in a context other than the given one")


class InterfaceSpace(CudaSpace):
    """Arrays with CUDA's interface alone. Results are koine.Arrays, which are read in another stream than this one."""

    def empty(self, shape: Shape, dtype: DType) -> Operand:
        array = Array(self.owner, shape, dtype)
        return Operand(self, array, array.buffer, shape, dtype)

    def result(self, operand: Operand) -> Any:
        call(lib.kn_queue_finish, self.queue)
        return operand.native


class _Spaces(threading.local):
    """Of this thread, by library, device and stream."""

    def __init__(self) -> None:
        self.of: dict[tuple[type[CudaSpace], int, int], Any] = {}
        self.of_this_call: weakref.WeakValueDictionary[tuple[int, int], InterfaceSpace] = weakref.WeakValueDictionary()


_spaces = _Spaces()
_Kind = TypeVar("_Kind", bound=CudaSpace)


def space_of(kind: type[_Kind], device: int, stream: int) -> _Kind | None:
    """The space of a library on a device and in a stream that this thread remembers."""
    return _spaces.of.get((kind, device, stream))


def remember(space: _Kind, stream: int) -> _Kind:
    """Has this thread remember a space."""
    if len(_spaces.of) >= _KEPT:
        _spaces.of.clear()
    _spaces.of[type(space), space.device, stream] = space
    return space


# ---- arrays with CUDA's interface ----


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
        raise TypeError(f"{name} has elements of {dtype}, which are not numbers")
    space = _interface_space(_device_number(x, name), int(interface.get("stream") or 0))
    space.require(context, name)
    return space.take(x, interface["data"][0], shape, dtype)


def _interface_space(device: int, stream: int) -> InterfaceSpace:
    if stream in _DEFAULTS:
        return space_of(InterfaceSpace, device, stream) or remember(InterfaceSpace(device, stream), stream)
    space = _spaces.of_this_call.get((device, stream))
    if space is None:
        space = _spaces.of_this_call[device, stream] = InterfaceSpace(device, stream)
    return space


def _interface(x: Any, name: str) -> dict[str, Any]:
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


def _device_number(x: Any, name: str) -> int:
    with contextlib.suppress(Exception):
        return int(x.__dlpack_device__()[1])
    return _device_of_pointer(int(_interface(x, name)["data"][0]))


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
    return _context_of_device(_device_number(owner, "the array"))
