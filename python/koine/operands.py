# SPDX-License-Identifier: Apache-2.0
"""What functions are given, and what they return: arrays of NumPy and of those libraries that have devices.

An `Operand` is an array as libkoine takes it. Its `Space` says where it is: in the host's memory, where `queue` is
None, or on a device, in order with what is in `queue`. What a function returns is allocated in the space of its input,
by the library that the input is of.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from ._call import call, make
from ._native import ffi, lib
from ._types import DType, kn_type
from .array import Array
from .context import Context

Shape = tuple[int, ...]


class Operand:
    """An array where it is.

    Attributes
    ----------
    native : object
        The array as the caller has it.
    pointer : cdata
        In the host's memory its first element; on a device its kn_buffer.
    """

    __slots__ = ("dtype", "native", "pointer", "shape", "space")

    def __init__(self, space: Space, native: Any, pointer: Any, shape: Shape, dtype: DType) -> None:
        self.space = space
        self.native = native
        self.pointer = pointer
        self.shape = shape
        self.dtype = dtype

    @property
    def size(self) -> int:
        """Elements in all."""
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int:
        """Bytes in all."""
        return self.size * self.dtype.itemsize

    def type(self, name: str) -> int:
        """libkoine's type of its elements; TypeError for those that are none."""
        return kn_type(self.dtype, name)

    def copy(self) -> Operand:
        """Another one in the same space, with the same elements."""
        made = self.space.empty(self.shape, self.dtype)
        if self.space.queue is None:
            ffi.memmove(made.pointer, self.pointer, self.nbytes)
        elif self.nbytes:
            call(lib.kn_buffer_copy, self.space.queue, self.pointer, 0, made.pointer, 0, self.nbytes, ffi.NULL)
        return made

    def result(self) -> Any:
        """The array for the caller."""
        return self.space.result(self)


class Space:
    """Where an operand is."""

    queue: Any = None

    @property
    def context(self) -> Any:
        """The kn_context of the queue."""
        return lib.kn_queue_get_context(self.queue)

    def empty(self, shape: Shape, dtype: DType) -> Operand:
        """A new operand of undefined contents."""
        raise NotImplementedError

    def result(self, operand: Operand) -> Any:
        """An operand as the caller wants it."""
        return operand.native


class HostSpace(Space):
    """The host's memory. `give` makes another library's array of NumPy's."""

    def __init__(self, give: Callable[[Any], Any] | None = None) -> None:
        self.give = give

    def take(self, array: Any) -> Operand:
        """An array of NumPy, contiguous, as it is."""
        return Operand(self, array, ffi.from_buffer(array), array.shape, array.dtype)

    def empty(self, shape: Shape, dtype: DType) -> Operand:
        return self.take(np.empty(shape, dtype))

    def result(self, operand: Operand) -> Any:
        return operand.native if self.give is None else self.give(operand.native)


class ContextSpace(Space):
    """koine.Arrays of a context."""

    def __init__(self, context: Context) -> None:
        self.owner = context
        self.queue = context.queue

    def take(self, array: Array) -> Operand:
        """An array as it is."""
        return Operand(self, array, array.buffer, array.shape, array.dtype)

    def empty(self, shape: Shape, dtype: DType) -> Operand:
        return self.take(Array(self.owner, shape, dtype))


class UploadSpace(ContextSpace):
    """Arrays of NumPy that are computed on a device: copied there, and back."""

    def __init__(self, context: Context, give: Callable[[Any], Any] | None = None) -> None:
        super().__init__(context)
        self.give = give

    def upload(self, array: Any) -> Operand:
        """A copy on the device."""
        made = self.empty(array.shape, array.dtype)
        made.native.write(array)
        return made

    def result(self, operand: Operand) -> Any:
        array = operand.native.numpy()
        return array if self.give is None else self.give(array)


_host = HostSpace()

Taker = Callable[[Any, str, "Context | None"], Operand]
_takers: dict[type, Taker] = {}


def take(x: Any, name: str, context: Context | None = None) -> Operand:
    """An argument as an operand.

    Parameters
    ----------
    x : array
    name : str
        What the argument is called in messages.
    context : Context, optional
        Where arrays of the host are computed; arrays of a device are computed where they are, and it is an error to
        name another context.
    """
    taker = _takers.get(type(x))
    if taker is None:
        taker = _takers[type(x)] = _find_taker(x, name)
    return taker(x, name, context)


def take_for_device(x: Any, name: str, context: Context | None = None) -> Operand:
    """The same for a function that has no host code: arrays of the host go to the default device."""
    operand = take(x, name, context)
    if operand.space.queue is None:
        from .context import default_context

        give = operand.space.give if isinstance(operand.space, HostSpace) else None
        return UploadSpace(default_context(), give).upload(operand.native)
    return operand


def take_beside(x: Any, name: str, beside: Operand) -> Operand:
    """A further argument, which has to be where the first one is."""
    space = beside.space
    operand = take(x, name)
    if type(space) is UploadSpace and operand.space.queue is None:
        return space.upload(operand.native)
    if operand.space.queue is None and space.queue is not None:
        raise TypeError(f"{name} is in the host's memory, and the first array is not")
    if operand.space.queue is not None and space.queue is None:
        raise TypeError(f"{name} is on a device, and the first array is not")
    if space.queue is not None and operand.space.context != space.context:
        raise ValueError(f"{name} is on another device, or in another context, than the first array")
    return operand


def _checked(array: Any, name: str) -> Any:
    """An array of NumPy that libkoine can read where it is."""
    if not isinstance(array, np.ndarray):
        raise TypeError(f"{name} is not an array: {type(array).__name__}")
    if array.dtype.hasobject or array.dtype.names is not None or array.dtype.kind not in "iufcb":
        raise TypeError(f"{name} has elements of {array.dtype}, which are not numbers")
    if isinstance(array, np.ma.MaskedArray):
        raise TypeError(f"{name} is a masked array: pass x.compressed(), or x.data")
    if not array.flags.c_contiguous:
        raise ValueError(f"{name} is not contiguous: pass numpy.ascontiguousarray(x)")
    if not array.flags.aligned:
        raise ValueError(f"{name} is not aligned in memory: pass x.copy()")
    return array


def _take_numpy(x: Any, name: str, context: Context | None) -> Operand:
    array = _checked(x, name)
    return _host.take(array) if context is None else UploadSpace(_context(context)).upload(array)


def _take_list(x: Any, name: str, context: Context | None) -> Operand:
    """Python's numbers and lists of them, as NumPy takes them."""
    return _take_numpy(np.asarray(x), name, context)


def _take_array(x: Any, name: str, context: Context | None) -> Operand:
    if context is not None and context is not x.context:
        raise ValueError(f"{name} is in a context other than the given one")
    return ContextSpace(x.context).take(x)


def take_host_dlpack(x: Any, name: str, context: Context | None) -> Operand:
    """An array of another library in the host's memory; what comes of it goes back to that library."""
    try:
        shared = np.from_dlpack(x)
    except (AttributeError, BufferError, RuntimeError, ValueError) as raised:
        raise TypeError(f"{name} does not come through DLPack: {raised}") from None
    array = _checked(shared, name)
    give = _giver(x)
    return HostSpace(give).take(array) if context is None else UploadSpace(_context(context), give).upload(array)


def _giver(x: Any) -> Callable[[Any], Any]:
    """How the library of an array takes one of NumPy's."""
    library = sys.modules[type(x).__module__.partition(".")[0]]
    if hasattr(x, "__array_namespace__"):
        library = x.__array_namespace__()
    if not hasattr(library, "from_dlpack"):
        raise TypeError(f"{library.__name__} has no from_dlpack, by which it would receive the result")
    give: Callable[[Any], Any] = library.from_dlpack
    return give


def _context(context: Any) -> Context:
    if not isinstance(context, Context):
        raise TypeError(f"context is a {type(context).__name__}, not a koine.Context")
    return context


def _find_taker(x: Any, name: str) -> Taker:
    """How arrays of a type are taken that was not met before."""
    if isinstance(x, np.ndarray):
        return _take_numpy
    if isinstance(x, Array):
        return _take_array
    if isinstance(x, (int, float, complex, list, tuple, np.generic)):
        return _take_list
    if type(x).__module__.partition(".")[0] == "pyopencl" and hasattr(x, "base_data"):
        from .opencl import take_pyopencl

        return take_pyopencl
    if _is_of(x, "cupy", "ndarray"):
        from ._cupy import take_cupy

        return take_cupy
    if _is_of(x, "torch", "Tensor"):
        from ._torch import take_torch

        return take_torch
    if not isinstance(x, type) and (hasattr(x, "__cuda_array_interface__") or hasattr(x, "__dlpack__")):
        return _take_foreign
    raise TypeError(
        f"{name} is a {type(x).__name__}: arrays of NumPy, of PyOpenCL, and those with __dlpack__ or "
        "__cuda_array_interface__ are taken"
    )


def _is_of(x: Any, library: str, kind: str) -> bool:
    """Whether x is of a class of another library, which is not imported for that."""
    return library in sys.modules and isinstance(x, getattr(sys.modules[library], kind))


def _take_foreign(x: Any, name: str, context: Context | None) -> Operand:
    """An array with DLPack or CUDA's interface, of which each may be somewhere else."""
    from .cuda import is_cuda, take_cuda

    if is_cuda(x):
        return take_cuda(x, name, context)
    if not hasattr(x, "__dlpack__"):
        raise TypeError(f"{name} is on no device, and has no __dlpack__")
    return take_host_dlpack(x, name, context)


def context_of(owner: Any) -> Context:
    """`Context.of`."""
    if isinstance(owner, Array):
        return owner.context
    if type(owner).__module__.partition(".")[0] == "pyopencl":
        from .opencl import pyopencl_context

        return pyopencl_context(owner)
    from .cuda import cuda_context, is_cuda

    if is_cuda(owner):
        return cuda_context(owner)
    raise TypeError(f"a {type(owner).__name__} is in no context of a device")


def counter(space: Space) -> Any:
    """A kn_buffer of one uint64, where a device puts how many there are."""
    return make("kn_buffer", lib.kn_buffer_free, lib.kn_buffer_create, space.context, 8)
