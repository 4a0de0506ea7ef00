# SPDX-License-Identifier: Apache-2.0
"""Exceptions that are raised when libkoine fails, with its message."""

from __future__ import annotations

from typing import Any

from ._native import ffi, lib


class Error(Exception):
    """The library could not do what was asked; the message says what happened, where, and what to do.

    Attributes
    ----------
    code : str
        The kind of error by its name in the C headers, such as ``"KN_ERROR_DEVICE"``.
    native, native_name : int, str
        The driver's or the operating system's own code and its name; 0 and ``""`` without one.
    file, line : str, int
        The kernel file concerned and the line in it, from 1; ``""`` and 0 without one.
    """

    code = "KN_ERROR"
    native = 0
    native_name = ""
    file = ""
    line = 0


class ArgumentError(Error, ValueError):
    """An invalid argument."""


class LimitError(Error, ValueError):
    """A limit of this device is exceeded."""


class InputError(Error, OSError):
    """A kernel file that cannot be read."""


class OutputError(Error, OSError):
    """A file that cannot be written."""


class NoDeviceError(Error, RuntimeError):
    """No device, or not the one that was named."""


class DeviceError(Error, RuntimeError):
    """The driver reported an error."""


class UnsupportedError(Error, NotImplementedError):
    """This device, type or processor lacks what is needed."""


class BuildError(Error, RuntimeError):
    """A kernel does not compile; the message has the compiler's output."""


class OutOfMemoryError(Error, MemoryError):
    """Out of memory on the host or on a device."""


_classes: dict[int, type[Error]] = {
    lib.KN_ERROR_ARGUMENT: ArgumentError,
    lib.KN_ERROR_LIMIT: LimitError,
    lib.KN_ERROR_INPUT: InputError,
    lib.KN_ERROR_OUTPUT: OutputError,
    lib.KN_ERROR_NO_DEVICE: NoDeviceError,
    lib.KN_ERROR_DEVICE: DeviceError,
    lib.KN_ERROR_UNSUPPORTED: UnsupportedError,
    lib.KN_ERROR_BUILD: BuildError,
    lib.KN_ERROR_MEMORY: OutOfMemoryError,
}


def text_of(characters: Any) -> str:
    """A C string as Python has it; what is no UTF-8, in a driver's message, is replaced."""
    return bytes(ffi.string(characters)).decode("utf-8", "replace")


def exception(status: int, err: Any) -> BaseException:
    """The exception for a status and the error that came with it."""
    if status == lib.KN_ERROR_INTERRUPTED:
        return KeyboardInterrupt()
    raised = _classes.get(status, Error)(_with_extra(text_of(err.text)))
    raised.code = text_of(lib.kn_status_name(status))
    raised.native = err.native
    raised.native_name = text_of(err.native_name)
    raised.file = text_of(err.file)
    raised.line = err.line
    return raised


def _with_extra(text: str) -> str:
    """A sentence that misses NVRTC names the extra that brings it."""
    if "libnvrtc.so" not in text or "not found" not in text:
        return text
    extra = "cuda12" if "libnvrtc.so.12" in text else "cuda13"
    return f"{text}; pip install 'koine[{extra}]' brings it"
