# SPDX-License-Identifier: Apache-2.0
"""CuPy and PyTorch as far as koine.cuda calls them, over tests/fake's NVIDIA driver, whose device memory is the host's
and whose kernels do nothing. `install` makes them the modules cupy and torch."""

from __future__ import annotations

import contextlib
import ctypes
import sys
import types
from collections.abc import Iterator
from typing import Any

import numpy as np

FAKE_PARAMS = 288


class Launch(ctypes.Structure):
    """struct fake_launch."""

    _fields_ = (
        ("kernel", ctypes.c_char * 64), ("grid", ctypes.c_uint * 3), ("block", ctypes.c_uint * 3),
        ("shared", ctypes.c_uint), ("count", ctypes.c_size_t), ("sizes", ctypes.c_size_t * FAKE_PARAMS),
        ("params", (ctypes.c_ubyte * 128) * FAKE_PARAMS), ("stream", ctypes.c_void_p),
    )  # fmt: skip


class State(ctypes.Structure):
    """The first members of struct fake_cuda."""

    _fields_ = (
        ("objects", ctypes.c_long), ("depth", ctypes.c_long), ("without", ctypes.c_long), ("injected", ctypes.c_long),
        ("not_found", ctypes.c_long), ("launches", ctypes.c_ulong), ("last", Launch), ("copies", ctypes.c_ulong),
    )  # fmt: skip


driver = ctypes.CDLL("libcuda.so.1")
driver.fake_cuda_state.restype = ctypes.POINTER(State)


def state() -> Any:
    """What the driver saw."""
    return driver.fake_cuda_state().contents


def new_stream() -> int:
    """A stream of the device's primary context."""
    context, stream, device = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_int()
    assert driver.cuInit(0) == 0
    assert driver.cuDeviceGet(ctypes.byref(device), 0) == 0
    assert driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), device) == 0
    assert driver.cuCtxPushCurrent_v2(context) == 0
    assert driver.cuStreamCreate(ctypes.byref(stream), 1) == 0
    assert driver.cuCtxPopCurrent_v2(ctypes.byref(context)) == 0
    return stream.value or 0


class OnDevice:
    """An array of no library in particular."""

    def __init__(self, array: Any) -> None:
        self.array = array

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        found: dict[str, Any] = dict(self.array.__array_interface__)
        names = "shape", "typestr", "data", "strides"
        return {**{name: found[name] for name in names}, "version": 3, "stream": stream}

    def __dlpack_device__(self) -> tuple[int, int]:
        return (2, 0)

    def __dlpack__(self, **_: Any) -> Any:
        raise BufferError("of no use on a fake device")

    @property
    def shape(self) -> Any:
        return self.array.shape

    @property
    def dtype(self) -> Any:
        return self.array.dtype


class ndarray(OnDevice):  # noqa: N801
    """cupy.ndarray."""

    def __init__(self, array: Any) -> None:
        super().__init__(array)
        self.data = types.SimpleNamespace(ptr=array.ctypes.data, device_id=0)
        self.flags = array.flags


class Tensor(OnDevice):
    """torch.Tensor."""

    is_cuda, requires_grad, layout, conjugated = True, False, "strided", False

    def data_ptr(self) -> int:
        return int(self.array.ctypes.data)

    def get_device(self) -> int:
        return 0

    def is_contiguous(self) -> bool:
        return bool(self.array.flags.c_contiguous)

    def is_conj(self) -> bool:
        return self.conjugated

    def is_neg(self) -> bool:
        return False


stream = 0


@contextlib.contextmanager
def on_device(_number: int) -> Iterator[None]:
    """cupy.cuda.Device."""
    yield


def install() -> None:
    """Makes both modules, with a stream, as the driver knows no legacy one."""
    global stream
    stream = new_stream()
    cupy: Any = types.ModuleType("cupy")
    cupy.ndarray = ndarray
    cupy.empty = lambda shape, dtype: ndarray(np.zeros(shape, dtype))
    current = lambda _device: types.SimpleNamespace(ptr=stream)  # noqa: E731
    cupy.cuda = types.SimpleNamespace(Device=on_device, get_current_stream=current)
    ndarray.__module__ = "cupy"
    torch: Any = types.ModuleType("torch")
    torch.Tensor, torch.strided = Tensor, Tensor.layout
    torch.empty = lambda shape, dtype, device: Tensor(np.zeros(shape, dtype))
    torch.float32, torch.complex64, torch.int64 = (np.dtype(name) for name in ("float32", "complex64", "int64"))
    torch.cuda = types.SimpleNamespace(current_stream=lambda _device: types.SimpleNamespace(cuda_stream=stream))
    torch._C = types.SimpleNamespace(_cuda_getCurrentRawStream=lambda _device: stream)
    Tensor.__module__ = "torch"
    sys.modules.update(cupy=cupy, torch=torch)
