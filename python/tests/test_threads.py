# SPDX-License-Identifier: Apache-2.0
"""Threads, processes and interrupts."""

from __future__ import annotations

import _thread
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import koine

# A shell's jobs in the background ignore it.
signal.signal(signal.SIGINT, signal.default_int_handler)


def test_several_threads_on_the_host_and_a_device(context: koine.Context) -> None:
    generator = np.random.default_rng(1)
    arrays = [generator.normal(size=20000).astype("float32") for _ in range(16)]
    on_device = [context.array(x) for x in arrays]

    def work(i: int) -> bool:
        x, y = arrays[i % 16], on_device[i % 16]
        expected = np.sort(x)
        same = koine.stats(x).median == koine.stats(y).median == np.median(x.astype("float64"))
        return same and np.array_equal(koine.sort(x), expected) and np.array_equal(koine.sort(y).numpy(), expected)

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(64)))


def test_several_threads_share_an_operator(context: koine.Context) -> None:
    for place in (None, context):
        rays = koine.RayTransform(12, 16, context=place)
        picture = rays.phantom()
        expected = rays(picture)
        with ThreadPoolExecutor(4) as pool:
            assert all(np.array_equal(found, expected) for found in pool.map(rays, [picture] * 32))


def test_other_threads_run_meanwhile() -> None:
    """While one sorts, another one counts: it would not if the interpreter's lock were held."""
    x = np.random.default_rng(1).normal(size=4_000_000)
    counted, stop = 0, threading.Event()

    def count() -> None:
        nonlocal counted
        while not stop.is_set():
            counted += 1
            time.sleep(0.001)

    counter = threading.Thread(target=count)
    counter.start()
    begin = time.perf_counter()
    before = counted
    koine.argsort(x)
    during, seconds = counted - before, time.perf_counter() - begin
    stop.set()
    counter.join()
    assert seconds > 0.05 and during > seconds / 0.001 / 50


def run(code: str) -> str:
    """The output of a program; it ends well, and within a minute."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_fork_after_import() -> None:
    found = run("""
import os, numpy, koine
x = numpy.random.default_rng(1).normal(size=300000)
koine.sort(x); koine.stats(x)      # the host's threads have run
for device in (False, True, True):
    child = os.fork()
    if child == 0:
        good = (koine.sort(x) == numpy.sort(x)).all()
        if device and koine.devices():
            with koine.Context() as context:
                good = good and koine.reduce(x, context=context) == koine.reduce(x)
        os._exit(0 if good else 3)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
""")
    assert found.split() == ["0", "0", "0"]


def test_a_fork_with_a_context_open() -> None:
    found = run("""
import os, gc, numpy, koine
x = numpy.arange(100.0)
context = koine.default_context() if koine.devices() else None
y = context.array(x) if context else None
child = os.fork()
if child == 0:
    y = context = None
    gc.collect()                   # what is the parent's is not freed
    print(koine.reduce(x), flush=True)
    try:
        koine.devices()
    except RuntimeError as raised:
        print("forked" in str(raised), flush=True)
    os._exit(0)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 4950.0 if y is None else koine.reduce(y))
""")
    assert found.split() == ["4950.0", "True", "0", "4950.0"]


def test_processes_of_multiprocessing() -> None:
    found = run("""
import multiprocessing, numpy, koine
koine.stats(numpy.arange(100000.0))
with multiprocessing.get_context("fork").Pool(2) as pool:
    print(sum(pool.map(koine.reduce, [numpy.arange(10.0 * i) for i in range(8)])))
""")
    assert float(found) == sum(np.arange(10.0 * i).sum() for i in range(8))


def interrupted(function: Any, after: float = 0.5) -> float:
    """Seconds from an interrupt to KeyboardInterrupt."""
    sent = 0.0

    def interrupt() -> None:
        nonlocal sent
        sent = time.perf_counter()
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(after, interrupt)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        function()
    took = time.perf_counter() - sent
    timer.join()
    return took


def test_an_interrupt_ends_iterations(context: koine.Context) -> None:
    rays = koine.RayTransform(90, 128)
    sinogram = rays(rays.phantom())
    assert interrupted(lambda: koine.solve(rays, sinogram, iterations=1 << 20, method="bb")) < 0.5
    device = koine.RayTransform(90, 128, context=context)
    assert interrupted(lambda: koine.solve(device, sinogram, iterations=1 << 20, method="bb")) < 0.5


@pytest.mark.parametrize("on_device", [False, True])
def test_an_interrupt_ends_stages_of_mri(on_device: bool, context: koine.Context) -> None:
    """Sums of 6e9 terms and more, in their pieces, by the method that takes longest."""
    where = context if on_device else None
    small, shape = koine.trajectory("golden", 16)
    koine.recon(koine.phantom_kspace(small, shape), small, shape, context=where)  # compiled
    k, shape = koine.trajectory("golden", 256)
    data = koine.phantom_kspace(k, shape)
    assert interrupted(lambda: koine.recon(data, k, shape, adjoint="direct", context=where)) < 0.5  # in Q
    assert interrupted(lambda: koine.recon(data, k, shape, method="adjoint", adjoint="direct", context=where)) < 0.5
    transform = koine.Nufft(k, shape, adjoint="direct", context=where)
    assert interrupted(lambda: transform(np.ones(shape))) < 0.5
    assert interrupted(lambda: transform.H(data)) < 0.5
    assert interrupted(lambda: transform.normal) < 0.5
    assert interrupted(lambda: koine.solve(transform, data, iterations=3)) < 0.5


def test_an_interrupt_ends_gridding(context: koine.Context) -> None:
    """Of more than a million samples in three axes, which are spread and read in several launches."""
    k, shape = koine.trajectory("kooshball", 96)
    koine.density(k[:100], shape, "pipe", context=context)  # compiled
    assert interrupted(lambda: koine.density(k, shape, "pipe", context=context)) < 0.5


def test_an_operation_is_of_use_after_an_interrupt() -> None:
    k, shape = koine.trajectory("golden", 192)
    transform = koine.Nufft(k, shape, adjoint="direct")
    interrupted(lambda: transform(np.ones(shape)))
    few = koine.Nufft(k[:5], shape)
    assert np.allclose(transform(np.ones(shape))[:5], few(np.ones(shape)))


def test_the_context_is_of_use_after_an_interrupt(context: koine.Context) -> None:
    rays = koine.RayTransform(90, 128, context=context)
    sinogram = rays(rays.phantom())
    interrupted(lambda: koine.solve(rays, sinogram, iterations=1 << 20, method="bb"))
    assert koine.solve(rays, sinogram, iterations=3).iterations == 3


def test_an_interrupt_between_columns() -> None:
    x = np.random.default_rng(1).normal(size=(40, 200_000))

    def forever() -> None:
        while True:
            koine.stats(x, columns=True, method="sort")

    assert interrupted(forever) < 0.5


def test_an_interrupt_of_the_main_thread_alone() -> None:
    """A call in another thread goes on."""
    results: list[Any] = []
    worker = threading.Thread(
        target=lambda: results.append(koine.argsort(np.random.default_rng(1).normal(size=3_000_000)))
    )
    with pytest.raises(KeyboardInterrupt):
        worker.start()
        _thread.interrupt_main()
        time.sleep(5)
    worker.join()
    assert len(results) == 1


def test_a_log(context: koine.Context) -> None:
    lines: list[tuple[str, str]] = []
    with koine.Context(log=lambda level, message: lines.append((level, message)), cache_dir="") as logging:
        koine.reduce(np.arange(10.0), context=logging)
    assert lines and {level for level, _ in lines} <= {"warning", "info", "debug"}
