# SPDX-License-Identifier: Apache-2.0
"""Arrays of PyOpenCL, computed where they are, in their queues."""

from __future__ import annotations

import math
import threading
import weakref
from typing import Any

import numpy as np

from ._call import call, make
from ._native import ffi, lib
from ._types import DType
from .context import Context
from .libraries import settle
from .operands import Operand, Shape, Space

_KEPT = 16  # contexts and queues of PyOpenCL that a thread remembers

_contexts: dict[tuple[int, int], Context] = {}
_lock = threading.Lock()


class _Spaces(threading.local):
    """Of this thread, by the handle of the queue and the identity of the allocator, which are kept, so that they are
    nobody else's."""

    def __init__(self) -> None:
        self.of: dict[tuple[int, int], OpenCLSpace] = {}


_spaces = _Spaces()


class OpenCLSpace(Space):
    """Arrays of a queue of PyOpenCL, and of an allocator."""

    def __init__(self, owner: Any, allocator: Any) -> None:
        import pyopencl

        mode = pyopencl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE
        if owner.properties & mode:
            raise ValueError("the array's queue is out of order, and Koine's work is done in order: take another queue")
        self.owner = owner
        self.allocator = allocator
        self.wrapped = pyopencl_context(owner)
        native = ffi.cast("cl_command_queue", owner.int_ptr)
        self.queue = make("kn_queue", lib.kn_queue_close, lib.kn_queue_wrap_opencl, self.wrapped.handle, native)
        self._handle = self.wrapped.handle
        # By the identity of the array: itself, its cl_mem, its kn_buffer, which stays the same as long as there is the
        # array, so that a kernel's arguments do; and the last event that was seen of it.
        self._buffers: dict[int, tuple[weakref.ref[Any], int, Any, Any]] = {}

    @property
    def context(self) -> Any:
        return self._handle

    def known(self, x: Any) -> Operand | None:
        """An array that was taken before, and is what it was."""
        kept = self._buffers.get(id(x))
        if kept is None or x.offset or kept[1] != x.base_data.int_ptr:
            return None
        array: Any = kept[0]()
        if array is not x or (x.events and x.events[-1] is not kept[3]):
            return None
        return Operand(self, x, kept[2], x.shape, x.dtype)

    def take(self, x: Any, name: str) -> Operand:
        """An array as it is."""
        size = math.prod(x.shape)
        if size == 0:
            made = make("kn_buffer", lib.kn_buffer_free, lib.kn_buffer_create, self._handle, 0)
            return Operand(self, x, made, x.shape, x.dtype)
        if x.offset:
            part = _part(x, name)  # there until it is wrapped
            return Operand(self, x, self._wrap(part.int_ptr), x.shape, x.dtype)
        native = x.base_data.int_ptr
        buffers, key, made = self._buffers, id(x), self._wrap(native)
        last = x.events[-1] if x.events else None
        buffers[key] = (weakref.ref(x, lambda _: buffers.pop(key, None)), native, made, last)
        return Operand(self, x, made, x.shape, x.dtype)

    def _wrap(self, native: int) -> Any:
        made = ffi.new("kn_buffer **")
        call(lib.kn_buffer_wrap_opencl, self._handle, ffi.cast("cl_mem", native), made)
        return ffi.gc(made[0], lib.kn_buffer_free)

    def empty(self, shape: Shape, dtype: DType) -> Operand:
        from pyopencl import array

        made = array.empty(self.owner, shape, dtype, allocator=self.allocator)
        return self.take(made, "the result")


def _part(x: Any, name: str) -> Any:
    """The part of a buffer that an array begins within."""
    bits = x.queue.device.mem_base_addr_align
    if x.offset * 8 % bits:
        raise ValueError(f"{name} begins {x.offset} bytes into its buffer, which its device cannot: pass x.copy()")
    return x.base_data.get_sub_region(x.offset, x.nbytes)


def take_pyopencl(x: Any, name: str, context: Context | None) -> Operand:
    """An array of PyOpenCL as an operand."""
    owner = x.queue
    if owner is None:
        raise ValueError(f"{name} has no queue: pass x.with_queue(queue)")
    space = _spaces.of.get((owner.int_ptr, id(x.allocator)))
    if space is None:
        space = _remember(owner, x.allocator)
    elif context is None:
        known = space.known(x)
        if known is not None:
            return known
    if context is not None and context.handle != space.context:
        raise ValueError(f"{name} is in a context other than the given one")
    if not x.flags.c_contiguous:
        raise ValueError(f"{name} is not contiguous: pass x.copy()")
    if np.dtype(x.dtype).kind not in "iufcb":
        raise TypeError(f"{name} has elements of {x.dtype}, which are not numbers")
    if x.events:
        _wait_for_others(x)
    return space.take(x, name)


def _remember(owner: Any, allocator: Any) -> OpenCLSpace:
    if len(_spaces.of) >= _KEPT:
        _spaces.of.clear()
    space = _spaces.of[owner.int_ptr, id(allocator)] = OpenCLSpace(owner, allocator)
    return space


def _wait_for_others(x: Any) -> None:
    """What this array waits for in other queues; its own does its work in order."""
    import pyopencl

    others = [event for event in x.events if event.command_queue != x.queue]
    if others:
        pyopencl.wait_for_events(others)


def pyopencl_context(owner: Any) -> Context:
    """The Context of an array, a queue or a context of PyOpenCL."""
    import pyopencl

    settle()
    device = None
    if isinstance(owner, pyopencl.Context):
        native = owner
    else:
        queue = owner if isinstance(owner, pyopencl.CommandQueue) else getattr(owner, "queue", None)
        if queue is None:
            raise TypeError(f"a {type(owner).__name__} of PyOpenCL is in no queue")
        native, device = queue.context, queue.device
    if device is None:
        device = native.devices[0]
    key = (native.int_ptr, device.int_ptr)
    with _lock:
        found = _contexts.get(key)
        if found is None or found.closed:
            if len(_contexts) >= _KEPT:
                _contexts.clear()
            found = _contexts[key] = _wrap(native, device)
        return found


def _wrap(native: Any, device: Any) -> Context:
    handle = make(
        "kn_context",
        lib.kn_context_close,
        lib.kn_context_wrap_opencl,
        ffi.cast("cl_context", native.int_ptr),
        ffi.cast("cl_device_id", device.int_ptr),
        ffi.NULL,
    )
    return Context._of_handle(handle, native)
