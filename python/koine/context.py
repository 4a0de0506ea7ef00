# SPDX-License-Identifier: Apache-2.0
"""Contexts: open devices, on which arrays are stored and kernels run."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _call
from ._call import Words, call, chars, make, struct
from ._native import ffi, lib
from .devices import Device, device_of
from .libraries import settle

policies = Words("policy", "KN_POLICY_", "default strict fast")
_levels = {lib.KN_LOG_WARNING: "warning", lib.KN_LOG_INFO: "info", lib.KN_LOG_DEBUG: "debug"}


class Context:
    """An open device, with the programs compiled for it. Several threads may use it at once.

    Parameters
    ----------
    device : str, optional
        ``"auto"``, ``"cpu"``, ``"gpu"``, ``"cuda:0"``, ``"opencl:0.0"``, or a part of a device's name. The default is
        the environment variable KOINE_DEVICE, or else the best device.
    log : callable, optional
        ``log(level, message)`` receives the library's log messages: a level, ``"warning"``, ``"info"`` or
        ``"debug"``, and a line. Any thread that uses the context may call it.
    debug_sync : bool
        Waits after each kernel, and names it in the error if the device failed: slow, for debugging.
    max_alloc : int
        The largest single allocation in bytes; 0: what the device allows.
    cache_dir : str, optional
        Where compiled programs are kept; ``""``: nowhere. The default is KOINE_CACHE_DIR, or else a folder in ~/.cache.
    policy : {"default", "strict", "fast"}
        The numeric policy of the library's own kernels, except those with bitwise reproducible results.

    Raises
    ------
    NoDeviceError
        No such device; the message lists the available ones.
    UnsupportedError
        A device that is listed but cannot be used; the message says why.

    Notes
    -----
    Each thread has its own queue in a context, in which its work is done in order. A context that was opened before a
    fork cannot be used in the child, which has to open its own.

    Examples
    --------
    >>> import koine, numpy
    >>> with koine.Context("cpu") as context:
    ...     x = context.array(numpy.arange(5, dtype="float32"))
    ...     koine.reduce(x)
    10.0
    """

    def __init__(
        self,
        device: str | None = None,
        *,
        log: Callable[[str, str], None] | None = None,
        debug_sync: bool = False,
        max_alloc: int = 0,
        cache_dir: str | None = None,
        policy: str = "default",
    ) -> None:
        settle()
        spec = ffi.NULL if device is None else chars(device, "device")
        folder = ffi.NULL if cache_dir is None else chars(cache_dir, "cache_dir")
        options = struct(
            "kn_context_options",
            debug_sync=debug_sync,
            max_alloc=max_alloc,
            cache_dir=folder,
            policy=policies.number(policy),
        )
        user = None
        if log is not None:
            user = ffi.new_handle(log)
            options.log, options.log_user = lib.koine_log, user
        handle = make("kn_context", lib.kn_context_close, lib.kn_context_open, spec, options)
        self._take(handle, user)

    def _take(self, handle: Any, kept: Any) -> None:
        self._handle = handle
        self._kept = kept  # what the handle needs as long as it is there
        self._generation = _call.generation()
        self._local = threading.local()

    @classmethod
    def _of_handle(cls, handle: Any, kept: Any = None) -> Context:
        context = cls.__new__(cls)
        context._take(handle, kept)
        return context

    @classmethod
    def of(cls, owner: Any) -> Context:
        """The context of an object from another library: of an array, or of a PyOpenCL context or queue.

        Parameters
        ----------
        owner : object
            A `koine.Array`; an array of PyOpenCL, CuPy or PyTorch on a device; a `pyopencl.Context` or
            `pyopencl.CommandQueue`.

        Returns
        -------
        Context
            Always the same one for the same context of the driver; it is never closed.
        """
        from .operands import context_of

        return context_of(owner)

    @property
    def handle(self) -> Any:
        """The C interface's kn_context; ValueError once the context is closed."""
        if self._handle is None:
            raise ValueError("the context is closed")
        if self._generation != _call.generation():
            raise ValueError("the context was opened before a fork: open another one in this process")
        return self._handle

    @property
    def queue(self) -> Any:
        """This thread's kn_queue."""
        handle = self.handle
        queue = getattr(self._local, "queue", None)
        if queue is None:
            queue = self._local.queue = make("kn_queue", lib.kn_queue_close, lib.kn_queue_open, handle)
        return queue

    @property
    def device(self) -> Device:
        """The context's device."""
        return device_of(lib.kn_context_get_device(self.handle))

    @property
    def closed(self) -> bool:
        """Whether it was closed."""
        return self._handle is None

    def close(self) -> None:
        """Closes the context. Objects made in it may be deleted afterwards, but not used."""
        self._handle = None
        self._local = threading.local()

    def __enter__(self) -> Context:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, at: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return "<koine.Context, closed>" if self.closed else f"<koine.Context on {self.device.name}>"

    def array(self, x: npt.ArrayLike) -> Any:
        """Copies an array to the device.

        Parameters
        ----------
        x : array_like
            Of any type and shape.

        Returns
        -------
        koine.Array
        """
        given = np.ascontiguousarray(x)
        made = self.empty(np.shape(x), given.dtype)
        made.write(given.reshape(np.shape(x)))
        return made

    def empty(self, shape: int | Sequence[int], dtype: npt.DTypeLike = np.float32) -> Any:
        """An array on the device with undefined contents.

        Parameters
        ----------
        shape : int or tuple of int
        dtype : dtype

        Returns
        -------
        koine.Array
        """
        from .array import Array

        return Array(self, shape, np.dtype(dtype))

    def finish(self) -> None:
        """Waits until this thread's work is done, and reports what went wrong meanwhile."""
        call(lib.kn_queue_finish, self.queue)


@ffi.def_extern()  # type: ignore[untyped-decorator]
def koine_log(user: Any, level: int, message: Any) -> None:
    """Hands a line of the library's to the function that the context was given."""
    ffi.from_handle(user)(_levels.get(level, "debug"), bytes(ffi.string(message)).decode("utf-8", "replace"))


_default: Context | None = None
_default_lock = threading.Lock()


def default_context() -> Context:
    """The context on the default device, which functions without host code use for NumPy arrays.

    Returns
    -------
    Context
        Opened at the first call in a process.
    """
    global _default
    with _default_lock:
        stale = _default is None or _default.closed or _default._generation != _call.generation()
        if stale or _default is None:
            _default = Context()
        return _default
