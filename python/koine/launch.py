# SPDX-License-Identifier: Apache-2.0
"""A launch: arguments of Python's as the kernel takes them."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ._call import call
from ._native import ffi, lib
from .numbers import natural
from .operands import Operand, UploadSpace, take

if TYPE_CHECKING:
    from .programs import Kernel, Parameter

# OpenCL C's scalars as NumPy has them; a vector is so many of them, and one of three has room for four.
_scalars = {
    "char": "int8", "uchar": "uint8", "short": "int16", "ushort": "uint16", "int": "int32", "uint": "uint32",
    "long": "int64", "ulong": "uint64", "half": "float16", "float": "float32", "double": "float64", "bool": "uint8",
    "size_t": "uint64",
    "unsigned char": "uint8", "unsigned short": "uint16", "unsigned int": "uint32", "unsigned long": "uint64",
    "unsigned": "uint32",
}  # fmt: skip


@dataclasses.dataclass(frozen=True)
class Local:
    """Local memory of a work-group, as an argument of a kernel.

    Parameters
    ----------
    nbytes : int

    Examples
    --------
    >>> import koine
    >>> koine.Local(4 * 64)
    Local(nbytes=256)
    """

    nbytes: int


class _Arguments:
    """The kn_args of a launch, what they point to, and what is to be copied back."""

    def __init__(self, kernel: Kernel, given: Sequence[Any]) -> None:
        parameters = kernel.parameters
        if len(given) != len(parameters):
            listed = ", ".join(parameter.name for parameter in parameters)
            raise TypeError(f"{kernel.name} takes {len(parameters)} arguments ({listed}), and there are {len(given)}")
        self.context = kernel.program.context
        self.queue: Any = None
        self.kept: list[Any] = []
        self.results: list[tuple[Operand, Any]] = []
        self.structs = ffi.new("kn_arg[]", len(given))
        for struct, parameter, argument in zip(self.structs, parameters, given, strict=True):
            _settlers[parameter.kind](self, struct, parameter, argument)
        if self.queue is None:
            self.queue = self.context.queue

    def buffer(self, struct: Any, parameter: Parameter, argument: Any) -> None:
        """An array."""
        if not hasattr(argument, "shape"):
            raise TypeError(f"{parameter.name} is a pointer, and {type(argument).__name__} is not an array")
        operand = take(argument, parameter.name)
        if operand.space.queue is None:
            operand = self.upload(operand, parameter)
        elif operand.space.context != self.context.handle:
            raise ValueError(f"{parameter.name} is in another context than the program")
        elif self.queue not in (None, operand.space.queue):
            raise ValueError(f"{parameter.name} is in another queue than the arguments before it")
        else:
            self.queue = operand.space.queue
        self.kept.append(operand)
        struct.kind, struct.buffer = lib.KN_ARG_BUFFER, operand.pointer

    def upload(self, operand: Operand, parameter: Parameter) -> Operand:
        """A copy of an array of the host, which takes what the kernel writes."""
        array = operand.native
        uploaded = UploadSpace(self.context).upload(array)
        if parameter.kind == "global" and not parameter.is_const:
            if not array.flags.writeable:
                raise ValueError(f"{parameter.name} is read-only, and the kernel may write it")
            self.results.append((uploaded, array))
        return uploaded

    def local(self, struct: Any, parameter: Parameter, argument: Any) -> None:
        """Local memory."""
        if not isinstance(argument, Local):
            raise TypeError(f"{parameter.name} is local memory: pass koine.Local(nbytes)")
        struct.kind, struct.size = lib.KN_ARG_LOCAL, natural(argument.nbytes, parameter.name)

    def value(self, struct: Any, parameter: Parameter, argument: Any) -> None:
        """A number, a vector or a struct."""
        numbers = _bytes_of(parameter, argument)
        self.kept.append(ffi.from_buffer(numbers))
        struct.kind, struct.size, struct.value = lib.KN_ARG_VALUE, len(self.kept[-1]), self.kept[-1]

    def refuse(self, _struct: Any, parameter: Parameter, _argument: Any) -> None:
        """Images and samplers."""
        raise TypeError(f"{parameter.name} is an {parameter.kind}, which the package does not have: PyOpenCL does")

    def copy_back(self) -> None:
        """What the kernel wrote, to the caller's arrays; waits."""
        for operand, array in self.results:
            call(lib.kn_buffer_read, self.queue, operand.pointer, 0, ffi.from_buffer(array), array.nbytes)


_settlers = {
    "global": _Arguments.buffer,
    "constant": _Arguments.buffer,
    "local": _Arguments.local,
    "value": _Arguments.value,
    "image": _Arguments.refuse,
    "sampler": _Arguments.refuse,
}


def _bytes_of(parameter: Parameter, argument: Any) -> Any:
    """The bytes of a value."""
    if isinstance(argument, (bytes, bytearray, np.void)):
        return np.frombuffer(argument.tobytes() if isinstance(argument, np.void) else argument, np.uint8)
    found = re.fullmatch(r"([a-z_ ]+?)(2|3|4|8|16)?", parameter.type)
    if not found or found[1] not in _scalars:
        raise TypeError(f"{parameter.name} is a {parameter.type}: pass its bytes, or a numpy.void")
    dtype, count = np.dtype(_scalars[found[1]]), int(found[2] or 1)
    numbers = np.asarray(argument)
    if numbers.size != count or numbers.dtype.kind not in "iufb":
        raise TypeError(f"{parameter.name} is a {parameter.type}: {argument!r} is not {count} real numbers")
    if dtype.kind in "iu" and not _fits(numbers, dtype):
        raise ValueError(f"{parameter.name} is a {parameter.type}, which does not have {argument!r}")
    made = np.zeros(4 if count == 3 else count, dtype)
    made[:count] = numbers.ravel()
    return made


def _fits(numbers: Any, dtype: Any) -> bool:
    ends = np.iinfo(dtype)
    return all(ends.min <= number <= ends.max and number == int(number) for number in numbers.ravel().tolist())


def _axes(sizes: int | Sequence[int], name: str) -> list[int]:
    listed = [sizes] if isinstance(sizes, (int, np.integer)) else list(sizes)
    if not 1 <= len(listed) <= 3:
        raise ValueError(f"{name} has {len(listed)} axes, not one to three")
    return [natural(size, name) for size in listed]


def launch(
    kernel: Kernel,
    given: Sequence[Any],
    size: int | Sequence[int],
    group: int | Sequence[int] | None,
    offset: int | Sequence[int] | None,
) -> None:
    """`Kernel.__call__`."""
    span = ffi.new("kn_range *")
    listed = _axes(size, "size")
    span.dims = len(listed)
    for name, values, to in (("size", listed, "global"), ("group", group, "local"), ("offset", offset, "offset")):
        if values is not None:
            numbers = _axes(values, name)
            if len(numbers) != len(listed):
                raise ValueError(f"size has {len(listed)} axes and {name} has {len(numbers)}")
            for axis, number in enumerate(numbers):
                getattr(span, to)[axis] = number
    arguments = _Arguments(kernel, given)
    call(lib.kn_launch, arguments.queue, kernel.handle, span, arguments.structs, len(given), ffi.NULL)
    arguments.copy_back()
