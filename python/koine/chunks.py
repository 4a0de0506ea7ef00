# SPDX-License-Identifier: Apache-2.0
"""Statistics of a column that comes in chunks and need not fit in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from ._call import make, struct
from ._native import ffi, lib
from ._types import kn_type
from .context import Context
from .interrupts import Watch, keep
from .numbers import natural
from .robust import Stats, scales, stats_of

Chunks = Callable[[], Iterable[Any]] | Sequence[Any]


class _Source(Watch):
    """Where koine_rewind and koine_next take chunks from; the last one stays until the next is asked for."""

    def __init__(self, chunks: Chunks, dtype: np.dtype[Any]) -> None:
        super().__init__()
        self.chunks = chunks
        self.dtype = dtype
        self.left: Iterator[Any] = iter(())
        self.chunk: np.ndarray[Any, Any] | None = None

    def rewind(self) -> None:
        """Begins the column anew."""
        self.left = iter(self.chunks() if callable(self.chunks) else self.chunks)

    def next(self, chunk: Any, count: Any) -> None:
        """The next chunk that has an element; none at the end."""
        self.chunk = None
        count[0] = 0
        for given in self.left:
            if isinstance(given, np.ma.MaskedArray):
                raise TypeError("a chunk is a masked array: pass x.compressed(), or x.data")
            array = np.asarray(given)
            if array.dtype != self.dtype:
                raise TypeError(f"a chunk is of {array.dtype}, not of {self.dtype}")
            if array.size:
                self.chunk = np.ascontiguousarray(array).reshape(-1)
                chunk[0] = ffi.from_buffer(self.chunk)
                count[0] = self.chunk.size
                return


@ffi.def_extern(error=lib.KN_ERROR_INTERRUPTED, onerror=keep)  # type: ignore[untyped-decorator]
def koine_rewind(data: Any, _err: Any) -> int:
    """Before each pass."""
    source: _Source = ffi.from_handle(data)
    source.rewind()
    return int(lib.KN_OK)


@ffi.def_extern(error=lib.KN_ERROR_INTERRUPTED, onerror=keep)  # type: ignore[untyped-decorator]
def koine_next(data: Any, chunk: Any, count: Any, _err: Any) -> int:
    """The next chunk of a pass."""
    source: _Source = ffi.from_handle(data)
    source.next(chunk, count)
    return int(lib.KN_OK)


def stats_of_chunks(
    chunks: Chunks,
    *,
    dtype: Any = "float64",
    count: int | None = None,
    held: int = 1 << 22,
    mad_scale: str = "raw",
    context: Context | None = None,
) -> Stats:
    """`stats` of a column that comes in chunks (out of core), with the same exact median and MAD.

    The column is read several times: usually twice if `count` says how many elements it has, otherwise three times, and
    never more than 16 times.

    Parameters
    ----------
    chunks : callable, or sequence of arrays
        A function that returns an iterator over the chunks, arrays of NumPy of any shape and length, and the same
        ones in every call; or a list of them. A generator by itself cannot be read twice.
    dtype : {"float64", "float32", "int8", "uint8"}
        Of all chunks.
    count : int, optional
        Elements of the column.
    held : int
        Elements that are held in memory at a time. A column with no more elements is computed as an array.
    mad_scale : {"raw", "normal"}
        As in `stats`.
    context : Context, optional
        Where chunks are processed; None: on the host.

    Returns
    -------
    Stats

    Raises
    ------
    TypeError
        A chunk of another type, or chunks that cannot be read twice.
    ArgumentError
        Chunks that are found to differ in a later pass, or do not have `count` elements.

    Examples
    --------
    A file larger than memory, a million numbers at a time:

    >>> import koine, numpy, tempfile
    >>> file = tempfile.NamedTemporaryFile(suffix=".npy")
    >>> numpy.save(file.name, numpy.arange(3_000_001.0))
    >>> column = numpy.load(file.name, mmap_mode="r")
    >>> def parts():
    ...     return (column[i : i + 1_000_000] for i in range(0, column.size, 1_000_000))
    >>> found = koine.stats_of_chunks(parts, count=column.size, held=500_000)
    >>> found.n, found.median, found.mad
    (3000001, 1500000.0, 750000.0)
    """
    if not callable(chunks) and not isinstance(chunks, Sequence):
        raise TypeError(f"chunks are a function or a list, which can be read again, not a {type(chunks).__name__}")
    kind = np.dtype(dtype)
    if kind.name not in ("float64", "float32", "int8", "uint8"):
        raise TypeError(f"dtype is {kind}, not float64, float32, int8 or uint8")
    room = natural(held, "held")
    source = _Source(chunks, kind)
    options = struct(
        "kn_stats_options",
        mad_scale=scales.number(mad_scale),
        progress=lib.koine_stats_progress,
        progress_data=source.handle,
    )
    given = struct(
        "kn_stats_source",
        rewind=lib.koine_rewind,
        next=lib.koine_next,
        data=source.handle,
        count=0 if count is None else natural(count, "count"),
    )
    queue = ffi.NULL if context is None else context.queue
    create, free = lib.kn_stats_plan_create, lib.kn_stats_plan_free
    plan = make("kn_stats_plan", free, create, queue, kn_type(kind, "dtype"), room, options)
    found = ffi.new("kn_stats *")
    source.call(lib.kn_stats_compute_source, plan, given, found)
    return stats_of(found)
