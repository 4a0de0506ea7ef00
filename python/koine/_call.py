# SPDX-License-Identifier: Apache-2.0
"""Calls of libkoine: errors become exceptions, handles are freed by Python, words become enumerators.

While a call runs, other Python threads run, too: cffi releases the interpreter's lock.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from ._native import ffi, lib
from .errors import exception

# A failing function fills it; one that succeeds leaves it alone: it need not be cleared.
_new_uncleared = ffi.new_allocator(should_clear_after_alloc=False)
_error_type = ffi.typeof("kn_error *")

_generation = 0  # of processes: a child of fork has another one


def _forked() -> None:
    global _generation
    _generation += 1


os.register_at_fork(after_in_child=_forked)


def generation() -> int:
    """Differs between a process and those that it forked."""
    return _generation


def call(function: Callable[..., int], *arguments: Any) -> None:
    """Calls a function that returns a status, with a kn_error as its last argument."""
    err = _new_uncleared(_error_type)
    status = function(*arguments, err)
    if status:
        raise exception(status, err)


def make(kind: str, free: Callable[[Any], None], function: Callable[..., int], *arguments: Any) -> Any:
    """Calls a function whose last argument before the error receives a handle; Python frees that.

    A child of fork does not free what its parent has: drivers are not for two processes.
    """
    made = ffi.new(kind + " **")
    call(function, *arguments, made)
    born = _generation

    def give_back(handle: Any) -> None:
        if born == _generation:
            free(handle)

    return ffi.gc(made[0], give_back)


def struct(name: str, **fields: Any) -> Any:
    """A struct of options with its struct_size, 0 in every field that is not named."""
    made = ffi.new(name + " *")
    made.struct_size = ffi.sizeof(name)
    for field, value in fields.items():
        setattr(made, field, value)
    return made


def chars(text: Any, name: str) -> Any:
    """A C string; TypeError for what is no str, ValueError for one that C would cut off."""
    if not isinstance(text, str):
        raise TypeError(f"{name} is a str, not {text!r}")
    if "\0" in text:
        raise ValueError(f"{name} has a character NUL in it: {text!r}")
    return ffi.new("char[]", os.fsencode(text))


class Words:
    """An enumeration of the C interface: the words for it, and what its names begin with."""

    def __init__(self, what: str, prefix: str, words: str) -> None:
        self.what = what
        self.numbers = {word: getattr(lib, prefix + word.upper().replace("-", "_")) for word in words.split()}
        self.words = {number: word for word, number in self.numbers.items()}

    def number(self, word: str) -> int:
        """The enumerator for a word; ValueError lists the words that there are."""
        try:
            return int(self.numbers[word])
        except (KeyError, TypeError):
            raise ValueError(f"{self.what} is {word!r}, not one of {', '.join(self.numbers)}") from None

    def word(self, number: int) -> str:
        """The word for an enumerator."""
        return self.words[number]
