# SPDX-License-Identifier: Apache-2.0
"""Arrays of PyOpenCL: their queues, contexts, allocators and events."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pytest

import koine

cl = pytest.importorskip("pyopencl")
cl_array = pytest.importorskip("pyopencl.array")

X = np.random.default_rng(1).normal(size=1000).astype("float32")


def test_results_are_in_the_inputs_queue_and_of_its_allocator(cl_queue: Any) -> None:
    pool = cl.tools.MemoryPool(cl.tools.ImmediateAllocator(cl_queue))
    given = cl_array.to_device(cl_queue, X, allocator=pool)
    found = koine.sort(given)
    assert isinstance(found, cl_array.Array) and found.queue == cl_queue and found.allocator == pool
    assert np.array_equal(found.get(), np.sort(X))
    assert np.array_equal((found + 1).get(), np.sort(X) + 1)


def test_work_is_in_the_queues_order(cl_queue: Any) -> None:
    x = cl_array.to_device(cl_queue, np.arange(1 << 20, dtype="float32")[::-1].copy())
    for _ in range(20):
        x = x + 1
    y = koine.sort(x) * 2
    assert np.array_equal(y.get(), 2 * (np.arange(1 << 20, dtype="float32") + 20))


def test_a_context_is_the_same_one(cl_queue: Any) -> None:
    x = cl_array.to_device(cl_queue, X)
    context = koine.Context.of(x)
    assert context is koine.Context.of(cl_queue) is koine.Context.of(cl_queue.context)
    assert context.device.name == cl_queue.device.name.strip()
    assert koine.reduce(x, context=context) == koine.reduce(X)
    other = cl.CommandQueue(cl_queue.context)
    assert koine.Context.of(other) is context
    assert np.array_equal(koine.sort(cl_array.to_device(other, X)).get(), np.sort(X))


def test_arrays_of_koine_and_pyopencl_in_one_context(cl_queue: Any) -> None:
    context = koine.Context.of(cl_queue)
    source = "kernel void add(global float *x, global const float *y) { x[get_global_id(0)] += y[get_global_id(0)]; }"
    x, y = cl_array.to_device(cl_queue, X), cl_array.to_device(cl_queue, X)
    koine.Program(source, context).add(x, y, size=1000)
    assert np.array_equal(x.get(), X + X)
    keys, values = koine.sort_by_key(x, y)
    assert np.array_equal(values.get(), np.sort(X)) and np.array_equal(keys.get(), np.sort(X) * 2)


def test_a_part_of_a_buffer(cl_queue: Any) -> None:
    x = cl_array.to_device(cl_queue, np.arange(4096, dtype="float32"))
    assert koine.reduce(x[2048:]) == np.arange(2048, 4096).sum()
    assert koine.reduce(x[:100]) == np.arange(100).sum()
    with pytest.raises(ValueError, match=r"begins 4 bytes into its buffer"):
        koine.reduce(x[1:])
    assert koine.reduce(x[1:].copy()) == np.arange(1, 4096).sum()


def test_queues_that_are_refused(cl_queue: Any) -> None:
    modes = cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE
    try:
        unordered = cl.CommandQueue(cl_queue.context, properties=modes)
    except cl.Error:
        pytest.skip("the device has no such queues")
    if unordered.properties & modes:
        with pytest.raises(ValueError, match="out of order"):
            koine.sort(cl_array.to_device(unordered, X))
    with pytest.raises(ValueError, match="no queue"):
        koine.sort(cl_array.to_device(cl_queue, X).with_queue(None))


def test_arrays_that_are_refused(cl_queue: Any) -> None:
    x = cl_array.to_device(cl_queue, X)
    with pytest.raises(ValueError, match="not contiguous"):
        koine.sort(x[::2])
    with pytest.raises(TypeError, match="float16"):
        koine.sort(cl_array.to_device(cl_queue, X.astype("float16")))
    with pytest.raises(TypeError, match="byte order"):
        koine.sort(cl_array.to_device(cl_queue, X.astype(">f4")))
    other = cl.Context([cl_queue.device])
    with pytest.raises(ValueError, match="a context other than"):
        koine.sort(x, context=koine.Context.of(other))
    with pytest.raises(ValueError, match="another device, or in another context"):
        koine.sort_by_key(x, cl_array.to_device(cl.CommandQueue(other), X))
    with pytest.raises(TypeError):
        koine.Context.of(3)
    with pytest.raises(TypeError):
        koine.Context.of(cl_queue.device)


def test_nothing(cl_queue: Any) -> None:
    empty = cl_array.empty(cl_queue, 0, np.float32)
    assert koine.sort(empty).shape == (0,) and koine.reduce(empty) == 0


def test_another_queues_events_are_waited_for(cl_queue: Any) -> None:
    other = cl.CommandQueue(cl_queue.context)
    x = cl_array.to_device(other, np.arange(1 << 20, dtype="float32"))
    moved = (x + 1).with_queue(cl_queue)
    assert koine.reduce(moved, "max") == 1 << 20


def test_memory_is_given_back(cl_queue: Any) -> None:
    x = cl_array.to_device(cl_queue, X)
    data = x.base_data
    koine.reduce(x)
    held = data.reference_count
    del x
    gc.collect()
    assert data.reference_count < held, "the package keeps no array alive"


def test_an_array_that_changes_its_buffer(cl_queue: Any) -> None:
    x = cl_array.to_device(cl_queue, X)
    assert koine.reduce(x) == koine.reduce(X)
    other = cl_array.to_device(cl_queue, 2 * X)
    x.base_data = other.base_data
    assert koine.reduce(x) == koine.reduce(2 * X)
