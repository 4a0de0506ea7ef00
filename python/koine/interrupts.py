# SPDX-License-Identifier: Apache-2.0
"""Python's functions that libkoine calls meanwhile; what is raised in them, an interrupt too, ends the call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ._call import call
from ._native import ffi, lib


class Watch:
    """What calls of libkoine, one at a time, hand to Python's functions: something to ask, and what they raised.

    Python looks for signals when one of its functions runs: an interrupt is raised in the next one that is called.
    """

    def __init__(self, ask: Callable[[Any], Any] | None = None) -> None:
        self.ask = ask
        self.raised: BaseException | None = None
        self.handle = ffi.new_handle(self)

    def call(self, function: Callable[..., int], *arguments: Any) -> None:
        """Calls a function of libkoine; what was raised meanwhile is raised again."""
        self.around(call, function, *arguments)

    def around(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Calls a function of Python's that calls libkoine; what was raised meanwhile is raised again."""
        self.raised = None
        try:
            made = function(*arguments)
        except BaseException:
            if self.raised is not None:
                raise self.raised from None
            raise
        if self.raised is not None:
            raise self.raised
        return made

    def go_on(self, done: float) -> bool:
        """Whether the library is to go on."""
        try:
            if self.raised is None and self.ask is not None and self.ask(done) is False:
                self.raised = StopIteration("the callback returned False")
        except BaseException as raised:
            self.raised = raised
        return self.raised is None


def keep(_kind: Any, raised: BaseException, at: Any) -> None:
    """What was raised before a function's first line, as an interrupt may be."""
    watch: Watch = ffi.from_handle(at.tb_frame.f_locals["data"])
    watch.raised = raised


@ffi.def_extern(error=False, onerror=keep)  # type: ignore[untyped-decorator]
def koine_solve_progress(data: Any, iteration: int) -> bool:
    """Before each iteration."""
    watch: Watch = ffi.from_handle(data)
    return watch.go_on(iteration)


@ffi.def_extern(error=False, onerror=keep)  # type: ignore[untyped-decorator]
def koine_least_squares_progress(data: Any, solved: int, _count: int) -> bool:
    """When right-hand sides are solved."""
    watch: Watch = ffi.from_handle(data)
    return watch.go_on(solved)


@ffi.def_extern(error=False, onerror=keep)  # type: ignore[untyped-decorator]
def koine_recon_progress(data: Any, done: float) -> bool:
    """Between the parts of a reconstruction, or of what an `Nufft` does."""
    watch: Watch = ffi.from_handle(data)
    return watch.go_on(done)


@ffi.def_extern(error=False, onerror=keep)  # type: ignore[untyped-decorator]
def koine_stats_progress(data: Any, _number: int, done: int, _total: int) -> bool:
    """Between the steps of a computation."""
    watch: Watch = ffi.from_handle(data)
    return watch.go_on(done)


def _keep_of_owner(_kind: Any, raised: BaseException, at: Any) -> None:
    ffi.from_handle(at.tb_frame.f_locals["data"]).raised = raised


@ffi.def_extern(error=lib.KN_ERROR_INTERRUPTED, onerror=_keep_of_owner)  # type: ignore[untyped-decorator]
def koine_apply_host(data: Any, adjoint: bool, source: Any, to: Any, _err: Any) -> int:
    """An operator of the caller's: the handle is that of a CalledOperator."""
    ffi.from_handle(data).apply_host(adjoint, source, to)
    return int(lib.KN_OK)


@ffi.def_extern(error=lib.KN_ERROR_INTERRUPTED, onerror=_keep_of_owner)  # type: ignore[untyped-decorator]
def koine_fetch(data: Any, i: int, _kept: Any, grey: Any, _err: Any) -> int:
    """A frame of a series: the handle is that of its source."""
    ffi.from_handle(data).fetch(i, grey)
    return int(lib.KN_OK)
