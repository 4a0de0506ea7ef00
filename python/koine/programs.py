# SPDX-License-Identifier: Apache-2.0
"""Your own kernels: any OpenCL C 1.2 source, on every device, on CUDA too."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping, Sequence
from typing import Any

from ._call import chars, make, struct
from ._native import ffi, lib
from .numbers import natural
from .context import Context, default_context, policies
from .errors import text_of
from .launch import Local, launch

_kinds = {
    lib.KN_PARAM_GLOBAL: "global",
    lib.KN_PARAM_CONSTANT: "constant",
    lib.KN_PARAM_LOCAL: "local",
    lib.KN_PARAM_VALUE: "value",
    lib.KN_PARAM_IMAGE: "image",
    lib.KN_PARAM_SAMPLER: "sampler",
}


@dataclasses.dataclass(frozen=True)
class Parameter:
    """What the source says of a kernel's argument.

    Attributes
    ----------
    name : str
    kind : {"global", "constant", "local", "value", "image", "sampler"}
    type : str
        As written, without qualifiers and ``*``: ``"float4"``.
    size : int
        Bytes of one element or of the value; 0 of a struct.
    is_const : bool
        Whether what it points to is const.
    """

    name: str
    kind: str
    type: str
    size: int
    is_const: bool


@dataclasses.dataclass(frozen=True)
class Limits:
    """What the device allows a kernel.

    Attributes
    ----------
    work_group : int
        Work-items in a group at most.
    preferred_multiple : int
        Of work-items in a group; 0 if unknown.
    local_bytes, local_bytes_left : int
        Local memory that the kernel itself takes, and what is left for arguments.
    """

    work_group: int
    preferred_multiple: int
    local_bytes: int
    local_bytes_left: int


class Program:
    """OpenCL C, compiled for a context's device.

    Parameters
    ----------
    source : str
        The text. See `from_file` for a file.
    context : Context, optional
        None: the default device.
    name : str
        What the text is called in messages.
    defines : mapping of str to object, optional
        Macros: ``{"TILE": 16, "SQUARE(x)": "((x) * (x))"}``; None defines one as 1.
    include_dirs : sequence of str
        Folders that are searched after the including file's own.
    policy : {"default", "strict", "fast"}
        How numbers are computed: contraction allowed; IEEE throughout; relaxed.
    max_registers : int
        At most so many a work-item, for NVIDIA's compilers; 0: their choice.

    Raises
    ------
    BuildError
        With the place in the source and the compiler's words.

    Notes
    -----
    A compiler runs, 0.05 s to seconds, unless the cache on disk has this very program.

    Examples
    --------
    >>> import koine, numpy
    >>> source = "kernel void twice(global float *x) { size_t i = get_global_id(0); x[i] *= 2; }"
    >>> program = koine.Program(source)
    >>> x = numpy.arange(4, dtype="float32")
    >>> program.twice(x, size=4)
    >>> x
    array([0., 2., 4., 6.], dtype=float32)
    """

    def __init__(
        self,
        source: str,
        context: Context | None = None,
        *,
        name: str = "program.cl",
        defines: Mapping[str, object] | None = None,
        include_dirs: Sequence[str | os.PathLike[str]] = (),
        policy: str = "default",
        max_registers: int = 0,
    ) -> None:
        text = chars(source, "source"), chars(name, "name")
        options = _Options(defines, include_dirs, policy, max_registers)
        self._take(lib.kn_program_from_text, context, text, options)

    @classmethod
    def from_file(
        cls,
        path: str | os.PathLike[str],
        context: Context | None = None,
        *,
        defines: Mapping[str, object] | None = None,
        include_dirs: Sequence[str | os.PathLike[str]] = (),
        policy: str = "default",
        max_registers: int = 0,
    ) -> Program:
        """The program of a file, with `Program`'s other arguments.

        Parameters
        ----------
        path : path

        Returns
        -------
        Program

        Raises
        ------
        InputError
            The file cannot be read.
        """
        made = cls.__new__(cls)
        text = (chars(os.fsdecode(path), "path"),)
        options = _Options(defines, include_dirs, policy, max_registers)
        made._take(lib.kn_program_from_file, context, text, options)
        return made

    def _take(self, function: Any, context: Context | None, text: tuple[Any, ...], options: _Options) -> None:
        self.context = default_context() if context is None else context
        self._handle = make("kn_program", lib.kn_program_free, function, self.context.handle, *text, options.struct)
        found = [
            lib.kn_program_get_kernel_at(self._handle, i) for i in range(lib.kn_program_get_kernel_count(self._handle))
        ]
        self.kernels = {text_of(lib.kn_kernel_get_name(kernel)): Kernel(self, kernel) for kernel in found}

    def __getattr__(self, name: str) -> Kernel:
        kernels: dict[str, Kernel] = self.__dict__.get("kernels", {})
        if name not in kernels:
            raise AttributeError(f"the program has no kernel {name}; it has {', '.join(kernels) or 'none'}")
        return kernels[name]

    @property
    def cached(self) -> bool:
        """Whether the binary came from the cache on disk."""
        return bool(lib.kn_program_get_cached(self._handle))


class _Options:
    """A kn_program_options, and what it points to."""

    def __init__(
        self,
        defines: Mapping[str, object] | None,
        include_dirs: Sequence[str | os.PathLike[str]],
        policy: str,
        max_registers: int,
    ) -> None:
        given = list(dict(defines or {}).items())
        folders = [chars(os.fsdecode(folder), "a folder of include_dirs") for folder in include_dirs]
        self.kept: list[Any] = [folders, ffi.new("kn_define[]", len(given)), ffi.new("char *[]", folders)]
        for i, (name, value) in enumerate(given):
            texts = chars(name, "a macro's name"), chars(str(value), f"the macro {name}")
            self.kept.append(texts)
            self.kept[1][i].name = texts[0]
            self.kept[1][i].value = ffi.NULL if value is None else texts[1]
        self.struct = struct(
            "kn_program_options",
            defines=self.kept[1],
            define_count=len(given),
            include_dirs=self.kept[2],
            include_dir_count=len(folders),
            policy=policies.number(policy),
            max_registers=natural(max_registers, "max_registers"),
        )


class Kernel:
    """A kernel of a `Program`.

    Attributes
    ----------
    name : str
    parameters : list of Parameter
    """

    def __init__(self, program: Program, handle: Any) -> None:
        self.program = program
        self.handle = handle
        self.name = text_of(lib.kn_kernel_get_name(handle))
        infos = [lib.kn_kernel_get_param(handle, i) for i in range(lib.kn_kernel_get_param_count(handle))]
        self.parameters = [
            Parameter(text_of(info.name), _kinds[info.kind], text_of(info.type), info.size, info.is_const)
            for info in infos
        ]

    @property
    def limits(self) -> Limits:
        """What the device allows it."""
        found = lib.kn_kernel_get_limits(self.handle)
        return Limits(*(getattr(found, field.name) for field in dataclasses.fields(Limits)))

    def __call__(
        self,
        *arguments: Any,
        size: int | Sequence[int],
        group: int | Sequence[int] | None = None,
        offset: int | Sequence[int] | None = None,
    ) -> None:
        """Runs the kernel.

        Parameters
        ----------
        *arguments
            In the kernel's order. For a pointer to global or constant memory an array: of the program's context, where
            it is, or of NumPy, which is copied there, and back unless the pointer is const. For local memory a
            `Local`. For a value a number, a sequence of as many as the vector has, or bytes of a struct.
        size : int or tuple of int
            Work-items in all, of one to three axes, the first one that of get_global_id(0).
        group : int or tuple of int, optional
            Work-items of a group, of which `size` is a multiple; None: the device's choice.
        offset : int or tuple of int, optional
            Of get_global_id.

        Raises
        ------
        ArgumentError
            Arguments that are not the kernel's; the text names the one.
        LimitError
            A group or local memory beyond the device.

        Notes
        -----
        Returns when the work is enqueued; with arrays of NumPy that are copied back, when it is done.
        """
        launch(self, arguments, size, group, offset)

    def __repr__(self) -> str:
        listed = ", ".join(f"{parameter.type} {parameter.name}" for parameter in self.parameters)
        return f"<koine.Kernel {self.name}({listed})>"


__all__ = ["Kernel", "Limits", "Local", "Parameter", "Program"]
