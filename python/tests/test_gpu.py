# SPDX-License-Identifier: Apache-2.0
"""Arrays of CuPy and PyTorch on an NVIDIA GPU, beside these libraries' own results.

On a machine with a GPU: `pip install koine[cuda13] cupy-cuda13x torch pytest scipy; pytest -rs python/tests/test_gpu.py`.
"""

from __future__ import annotations

import importlib
import statistics
import time
from typing import Any

import numpy as np
import pytest

import koine

LIBRARIES = ["cupy", "torch"]


def library(name: str) -> Any:
    """The library, or a skip that says what is missing."""
    found = pytest.importorskip(name, exc_type=ImportError)
    there = found.cuda.is_available()
    if not there:
        pytest.skip(f"{name} finds no GPU")
    return found


def to_device(found: Any, x: Any) -> Any:
    return found.asarray(x) if found.__name__ == "cupy" else found.from_numpy(np.ascontiguousarray(x)).cuda()


def to_host(x: Any) -> Any:
    return x.get() if type(x).__module__.startswith("cupy") else x.cpu().numpy()


def random(kind: str, n: int = 100_000) -> Any:
    generator = np.random.default_rng(1)
    if np.dtype(kind).kind == "f":
        return generator.normal(size=n).astype(kind)
    return generator.integers(0, 100, n).astype(kind)


@pytest.fixture(params=LIBRARIES)
def lib(request: Any) -> Any:
    return library(request.param)


@pytest.mark.parametrize("kind", ["float32", "float64", "int32", "int64", "uint8"])
def test_functions(lib: Any, kind: str) -> None:
    x = random(kind)
    given = to_device(lib, x)
    ordered = koine.sort(given)
    assert type(ordered) is type(given) and ordered.device == given.device
    assert np.array_equal(to_host(ordered), np.sort(x))
    assert np.array_equal(to_host(koine.argsort(given)), np.argsort(x, kind="stable"))
    assert koine.reduce(given) == koine.reduce(x) and koine.reduce(given, "max") == x.max()
    assert koine.moments(given) == koine.moments(x)
    assert np.array_equal(to_host(koine.top_k(given, 7)[0]), np.sort(x)[::-1][:7])
    values, counts = koine.unique(given, return_counts=True)
    expected = np.unique(x, return_counts=True)
    assert np.array_equal(to_host(values), expected[0]) and np.array_equal(to_host(counts), expected[1])
    assert np.array_equal(to_host(koine.histogram(given, 9)[0]), np.histogram(x, koine.histogram(x, 9)[1])[0])
    assert koine.median(given) == np.median(x.astype("float64"))
    if kind.startswith("float"):
        assert koine.stats(given) == koine.stats(x)
    assert np.allclose(to_host(koine.scan(given)), np.cumsum(x, dtype=kind), rtol=1e-3, atol=1e-2)
    assert np.array_equal(to_host(given), x)


def test_transforms_and_products(lib: Any) -> None:
    generator = np.random.default_rng(2)
    x = (generator.normal(size=(4, 60, 64)) + 1j * generator.normal(size=(4, 60, 64))).astype("complex64")
    given = to_device(lib, x)
    assert np.allclose(to_host(koine.fft(given, (-2, -1))), np.fft.fft2(x), atol=1e-3)
    assert np.allclose(to_host(koine.ifft(koine.fft(given))), x, atol=1e-4)
    a, b = (generator.normal(size=shape).astype("float32") for shape in ((70, 50), (50, 90)))
    assert np.allclose(to_host(koine.matmul(to_device(lib, a), to_device(lib, b))), a @ b, atol=1e-3)


def test_the_librarys_stream(lib: Any) -> None:
    """What is enqueued before in a stream of its own is seen, and what comes of it is there for what follows."""
    if lib.__name__ == "cupy":
        stream: Any = lib.cuda.Stream(non_blocking=True)
        with stream:
            x = lib.arange(1 << 23, dtype="float32")[::-1].copy()
            for _ in range(20):
                x = x + 1
            y = koine.sort(x) * 2
        stream.synchronize()
    else:
        stream = lib.cuda.Stream()
        with lib.cuda.stream(stream):
            x = lib.arange(1 << 23, dtype=lib.float32, device="cuda").flip(0).contiguous()
            for _ in range(20):
                x = x + 1
            y = koine.sort(x) * 2
        stream.synchronize()
    expected = 2 * np.sort(np.arange(1 << 23, dtype="float32") + np.float32(20))
    assert np.array_equal(to_host(y)[:1000], expected[:1000]) and np.array_equal(to_host(y)[-1000:], expected[-1000:])


def test_operators_solvers_and_kernels(lib: Any) -> None:
    sparse = pytest.importorskip("scipy.sparse")
    matrix = sparse.random(3000, 2000, 0.01, random_state=1) + sparse.eye(3000, 2000)
    x = np.ones(2000, "float32")
    given = to_device(lib, x)
    context = koine.Context.of(given)
    operator = koine.SparseOperator(matrix, context=context)
    data = operator.matvec(given)
    assert type(data) is type(given) and np.allclose(to_host(data), matrix @ x, atol=1e-4)
    found = koine.solve(operator, data, iterations=200)
    assert type(found.x) is type(given) and np.allclose(to_host(found.x), x, atol=1e-2)
    rays = koine.RayTransform(20, 32, context=context)
    picture = rays.phantom().astype("float32")
    assert np.allclose(to_host(rays(to_device(lib, picture))), koine.RayTransform(20, 32)(picture), atol=1e-3)
    koine.Program("kernel void twice(global float *x) { x[get_global_id(0)] *= 2; }", context).twice(given, size=2000)
    assert np.array_equal(to_host(given), 2 * x)


def test_autocorr(lib: Any) -> None:
    frames = np.random.default_rng(1).integers(0, 255, (3, 64, 80), "uint8", endpoint=True)
    found = koine.autocorr(to_device(lib, frames), max_offset=12)
    assert np.array_equal(found.sums, koine.autocorr(frames, max_offset=12).sums)


def test_what_is_refused(lib: Any) -> None:
    x = to_device(lib, np.arange(12, dtype="float32"))
    with pytest.raises(ValueError, match="contiguous"):
        koine.sort(x[::2])
    with pytest.raises(ValueError, match="axes"):
        koine.sort(x.reshape(3, 4))
    with koine.Context("cuda:0") as other, pytest.raises(ValueError, match="a context other than"):
        koine.sort(x, context=other)
    if lib.__name__ == "torch":
        with pytest.raises(TypeError, match="gradient"):
            koine.sort(x.clone().requires_grad_())


def test_torch_on_the_host() -> None:
    torch = pytest.importorskip("torch", exc_type=ImportError)
    found = koine.sort(torch.tensor([3.0, 1.0, 2.0]))
    assert isinstance(found, torch.Tensor) and found.tolist() == [1.0, 2.0, 3.0]


def test_an_array_of_koine_goes_to_cupy() -> None:
    cupy = library("cupy")
    with koine.Context("cuda:0") as context:
        x = context.array(np.arange(5, dtype="float32"))
        assert cupy.asnumpy(cupy.asarray(x) * 2).tolist() == [0, 2, 4, 6, 8]


def test_overhead(lib: Any, capsys: Any) -> None:
    """koine.reduce of 1,000 floats costs at most 10 us more than the C call, median."""
    native, operands = importlib.import_module("koine._native"), importlib.import_module("koine.operands")
    x = to_device(lib, np.arange(1000, dtype="float32"))
    operand = operands.take(x, "x")
    found, err = native.ffi.new("kn_number *"), native.ffi.new("kn_error *")
    arguments = operand.space.queue, operand.pointer, native.lib.KN_F32, 1000, native.lib.KN_REDUCE_SUM, found, err

    def each(function: Any) -> float:
        begin = time.perf_counter()
        for _ in range(300):
            function()
        return (time.perf_counter() - begin) / 300 * 1e6

    more = [each(lambda: koine.reduce(x)) - each(lambda: native.lib.kn_reduce(*arguments)) for _ in range(31)]
    with capsys.disabled():
        print(f"{lib.__name__}: koine.reduce costs {statistics.median(more):.1f} us more than kn_reduce")
    assert statistics.median(more) < 10
