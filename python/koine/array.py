# SPDX-License-Identifier: Apache-2.0
"""Arrays in device memory, for use without another library of device arrays."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ._call import call, make
from ._native import ffi, lib
from ._types import DType
from .context import Context
from .numbers import natural


def shape_of(shape: int | Sequence[int]) -> tuple[int, ...]:
    """A shape as a tuple; ValueError for negative sizes, TypeError for anything that is not a shape."""
    if isinstance(shape, (int, np.integer)):
        shape = (int(shape),)
    if not isinstance(shape, (tuple, list)):
        raise TypeError(f"a shape is a tuple of whole numbers, not a {type(shape).__name__}")
    return tuple(natural(size, "a size of the shape") for size in shape)


class Array:
    """An array on a device: contiguous, the last axis fastest. `koine.Context.array` and `empty` make one.

    Attributes
    ----------
    context : Context
    shape : tuple of int
    dtype : numpy.dtype
    """

    __slots__ = ("__weakref__", "_buffer", "context", "dtype", "shape")
    __array_priority__ = 100

    def __init__(self, context: Context, shape: int | Sequence[int], dtype: DType) -> None:
        if dtype.hasobject:
            raise TypeError("an array of Python objects cannot be on a device")
        self.context = context
        self.shape = shape_of(shape)
        self.dtype = dtype
        self._buffer = make("kn_buffer", lib.kn_buffer_free, lib.kn_buffer_create, context.handle, self.nbytes)

    @property
    def size(self) -> int:
        """Elements in all."""
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int:
        """Bytes in all."""
        return self.size * self.dtype.itemsize

    @property
    def ndim(self) -> int:
        """Axes."""
        return len(self.shape)

    @property
    def buffer(self) -> Any:
        """The C interface's kn_buffer; ValueError once the context is closed."""
        _ = self.context.handle
        return self._buffer

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("an array without axes has no length")
        return self.shape[0]

    def __repr__(self) -> str:
        return f"<koine.Array of {self.dtype}, shape {self.shape}>"

    def numpy(self) -> npt.NDArray[Any]:
        """A copy in host memory; waits for the device.

        Returns
        -------
        numpy.ndarray
        """
        made = np.empty(self.shape, self.dtype)
        call(lib.kn_buffer_read, self.context.queue, self.buffer, 0, ffi.from_buffer(made), self.nbytes)
        return made

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[Any]:
        if copy is False:
            raise ValueError("an array on a device can only be copied to the host")
        made = self.numpy()
        return made if dtype is None else made.astype(dtype, copy=False)

    def write(self, x: npt.ArrayLike) -> None:
        """Copies an array of the same shape and type into this one.

        Parameters
        ----------
        x : array_like
        """
        given = np.asarray(x)
        if given.shape != self.shape or given.dtype != self.dtype:
            raise ValueError(
                f"an array of shape {given.shape} and {given.dtype} does not go into one of {self.shape} and {self.dtype}"
            )
        given = np.asarray(given, order="C")
        call(lib.kn_buffer_write, self.context.queue, self.buffer, 0, ffi.from_buffer(given), self.nbytes)

    def copy(self) -> Array:
        """A copy of this array on the device."""
        made = Array(self.context, self.shape, self.dtype)
        call(lib.kn_buffer_copy, self.context.queue, self.buffer, 0, made.buffer, 0, self.nbytes, ffi.NULL)
        return made

    def reshape(self, *shape: int) -> Array:
        """The same elements in another shape, without a copy. One size may be -1: it is inferred."""
        given = shape[0] if len(shape) == 1 and not isinstance(shape[0], int) else shape
        sizes = self._settled(given)
        made = Array.__new__(Array)
        made.context, made.shape, made.dtype, made._buffer = self.context, sizes, self.dtype, self._buffer
        return made

    def _settled(self, shape: Any) -> tuple[int, ...]:
        known = math.prod(size for size in shape if size != -1)
        left = self.size // known if known else 0
        sizes = shape_of([left if size == -1 else size for size in shape])
        if list(shape).count(-1) > 1 or math.prod(sizes) != self.size:
            raise ValueError(f"{self.size} elements cannot have the shape {tuple(shape)}")
        return sizes

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        pointer = lib.kn_buffer_get_cuda(self.buffer)
        if not pointer:
            raise AttributeError("the array is not on a CUDA device")
        stream = int(ffi.cast("uintptr_t", lib.kn_queue_get_cuda(self.context.queue)))
        return {
            "version": 3, "shape": self.shape, "typestr": self.dtype.str, "data": (pointer, False),
            "strides": None, "stream": stream or 1,
        }  # fmt: skip
