# SPDX-License-Identifier: Apache-2.0
"""Some hundred things that cannot be, given to every function: each is refused with a sentence, and nothing crashes."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import koine

ONE = np.arange(12, dtype="float64")
REFUSED = (TypeError, ValueError, koine.Error)


def read_only(x: Any) -> Any:
    x.flags.writeable = False
    return x


def unaligned() -> Any:
    return np.frombuffer(bytes(8 * 12 + 1), np.uint8)[1:].view(np.float64)


# No function takes these for an array.
NO_ARRAYS: dict[str, Callable[[], Any]] = {
    "None": lambda: None,
    "a word": lambda: "sorted",
    "bytes": lambda: b"12345678",
    "a function": lambda: len,
    "a class": lambda: np.ndarray,
    "a dict": lambda: {"a": 1},
    "a set": lambda: {1.0, 2.0},
    "an iterator": lambda: iter([1.0]),
    "a list of words": lambda: ["a", "b"],
    "a ragged list": lambda: [[1.0], [1.0, 2.0]],
    "objects": lambda: np.array([1.0, None], object),
    "strings": lambda: np.array(["a", "b"]),
    "dates": lambda: np.array(["2020-01-01"], "datetime64[D]"),
    "spans": lambda: np.array([1, 2], "timedelta64[s]"),
    "records": lambda: np.zeros(3, [("x", "f4"), ("y", "f4")]),
    "void": lambda: np.zeros(3, "V4"),
    "half precision": lambda: np.ones(12, "float16"),
    "extended precision": lambda: np.ones(12, "longdouble"),
    "the other byte order": lambda: ONE.astype(">f8"),
    "the other byte order of integers": lambda: np.arange(12, dtype=">i4"),
    "the other byte order of complex": lambda: np.arange(12, dtype=">c16"),
    "every other element": lambda: np.arange(24.0)[::2],
    "backwards": lambda: ONE[::-1],
    "a column": lambda: np.ones((12, 3))[:, 1],
    "transposed": lambda: np.ones((4, 3)).T,
    "a broadcast": lambda: np.broadcast_to(1.0, (12,)),
    "unaligned": unaligned,
    "masked": lambda: np.ma.masked_array(ONE, ONE > 3),
    "memory": lambda: memoryview(b"12345678"),
    "a false interface": lambda: type("X", (), {"__cuda_array_interface__": 3})(),
    "another false interface": lambda: type("X", (), {"__cuda_array_interface__": {"shape": (3,)}})(),
    "a false DLPack": lambda: type(
        "X", (), {"__dlpack__": lambda self, **k: 3, "__dlpack_device__": lambda self: (1, 0)}
    )(),
    "a DLPack of another device": lambda: type(
        "X", (), {"__dlpack__": None, "__dlpack_device__": lambda self: (10, 0)}
    )(),
    "a Python integer": lambda: 1 << 200,
}

Call = Callable[[Any], Any]

# Functions of an array of the host, which take it as it is.
OF_ARRAYS: dict[str, Call] = {
    "sort": koine.sort,
    "argsort": koine.argsort,
    "top_k": lambda x: koine.top_k(x, 1),
    "sort_by_key, keys": lambda x: koine.sort_by_key(x, np.arange(12)),
    "sort_by_key, values": lambda x: koine.sort_by_key(np.arange(12), x),
    "reduce": koine.reduce,
    "reduce min": lambda x: koine.reduce(x, "min"),
    "scan": koine.scan,
    "moments": koine.moments,
    "select": lambda x: koine.select(x, 0),
    "quantile": lambda x: koine.quantile(x, 0.5),
    "median": koine.median,
    "unique": koine.unique,
    "histogram": koine.histogram,
    "stats": koine.stats,
    "mad": koine.mad,
    "windows": lambda x: koine.windows(x, 3),
    "rolling_median": lambda x: koine.rolling_median(x, 3),
    "rolling_mad": lambda x: koine.rolling_mad(x, 3),
    "magnitude, x": lambda x: koine.magnitude(x, ONE, ONE),
    "magnitude, y": lambda x: koine.magnitude(ONE, x, ONE),
    "magnitude, z": lambda x: koine.magnitude(ONE, ONE, x),
    "enmo, x": lambda x: koine.enmo(x, ONE, ONE),
    "enmo, y": lambda x: koine.enmo(ONE, x, ONE),
    "enmo, z": lambda x: koine.enmo(ONE, ONE, x),
    "autocorr": koine.autocorr,
    "autocorr, second": lambda x: koine.autocorr(np.ones((4, 3), "uint8"), x if x is not None else "none"),
    "autocorr, volumes": lambda x: koine.autocorr(x, volume=True),
    "autocorr_lags": lambda x: koine.autocorr_lags(x, 1),
    "matmul, a": lambda x: koine.matmul(x, np.ones((3, 4))),
    "matmul, b": lambda x: koine.matmul(np.ones((4, 3)), x),
}


# Where a conversion is part of the manner: what is no number at all.
CONVERTING: dict[str, Call] = {
    "fft": koine.fft,
    "ifft": koine.ifft,
    "rfft": koine.rfft,
    "irfft": koine.irfft,
    "SparseOperator": koine.SparseOperator,
    "matvec": koine.SparseOperator(np.eye(12)).matvec,
    "rmatvec": koine.SparseOperator(np.eye(12)).rmatvec,
    "solve, b": lambda x: koine.solve(np.eye(12), x),
    "solve, x0": lambda x: koine.solve(np.eye(12), np.ones(12), x0=x if x is not None else "none"),
    "solve, a": lambda x: koine.solve(x, np.ones(12)),
    "Nufft, k": lambda x: koine.Nufft(x, (4, 4)),
    "Nufft, shape": lambda x: koine.Nufft([[0.0, 0.0]], x),
    "Nufft, weights": lambda x: koine.Nufft([[0.0, 0.0]], (4, 4), weights=x if x is not None else "none"),
    "Nufft, data": lambda x: koine.Nufft([[0.0, 0.0]], (4, 4)).weighted_adjoint(x),
    "recon, data": lambda x: koine.recon(x, [[0.0, 0.0]], (4, 4)),
    "noise_covariance": koine.noise_covariance,
    "whitening": koine.whitening,
    "coil_compression": lambda x: koine.coil_compression(x, 2),
    "sense_maps, data": lambda x: koine.sense_maps(x, [[0.0, 0.0]], (4, 4)),
    "sense_maps, k": lambda x: koine.sense_maps([[1.0]], x, (4, 4)),
    "density": lambda x: koine.density(x, (4, 4)),
    "convert_trajectory": lambda x: koine.convert_trajectory(x, (4, 4), "fov"),
    "box_basis": lambda x: koine.box_basis(x, (4, 4)),
    "phantom": koine.phantom,
    "phantom_kspace": lambda x: koine.phantom_kspace(x, (4, 4)),
    "RayTransform, angles": lambda x: koine.RayTransform(x, 4),
    "RayTransform, size": lambda x: koine.RayTransform(4, x),
    "sinogram": koine.sinogram,
    "remove_stripes": koine.remove_stripes,
    "find_axis": koine.find_axis,
    "find_axis, theta": lambda x: koine.find_axis(np.ones((4, 5)), x),
    "fbp": lambda x: koine.RayTransform(4, 4).fbp(x),
    "fdk": lambda x: koine.fdk(x, 4, source_distance=9),
    "fdk, theta": lambda x: koine.fdk(np.ones((4, 3, 5)), 4, source_distance=9, theta=x if x is not None else "none"),
    "least_squares, a": lambda x: koine.least_squares(x, np.ones(12)),
    "least_squares, b": lambda x: koine.least_squares(np.eye(12), x),
    "l_curve, a": lambda x: koine.l_curve(x, np.ones(12)),
    "l_curve, b": lambda x: koine.l_curve(np.eye(12), x),
    "least_squares, x0": lambda x: koine.least_squares(np.eye(12), np.ones(12), x0=x if x is not None else "none"),
    "prepare": koine.prepare,
    "prepare, dust": lambda x: koine.prepare(np.ones((1, 4, 4), "uint8"), dust=x if x is not None else "none"),
    "autocorr, mask": lambda x: koine.autocorr(np.ones((4, 4), "uint8"), mask=x if x is not None else "none"),
    "growth, times": lambda x: koine.growth(x, np.ones(12)),
    "growth, lengths": lambda x: koine.growth(np.ones(12), x),
    "intervals": koine.intervals,
    "stats_of_chunks": lambda x: koine.stats_of_chunks([x]),
    "intervals, times": lambda x: koine.intervals(ONE, x if x is not None else "none"),
    "windows, quantiles": lambda x: koine.windows(ONE, 3, quantiles=x),
    "from_coo": lambda x: koine.SparseOperator.from_coo(x, x, x, (3, 3)),
}
NO_NUMBERS = [
    "None", "a word", "bytes", "a function", "a class", "a dict", "a set", "an iterator", "a list of words", "a ragged list",
    "objects", "strings", "dates", "spans", "records", "void",
]  # fmt: skip


MOVED = ["half precision", "extended precision", *(name for name in NO_ARRAYS if "byte order" in name)]


def test_every_function_is_here() -> None:
    """Those that take an array; koine.trajectory's words and numbers are in NUMBERS."""
    given = {name.split(",")[0].split()[0] for name in (*OF_ARRAYS, *CONVERTING)}
    functions = {name for name in koine.__all__ if inspect.isfunction(getattr(koine, name))}
    assert functions - given == {"devices", "why_no_device", "default_context", "trajectory"}


def refuse(function: Call, argument: Any) -> None:
    """The function raises what says what is wrong."""
    with pytest.raises(REFUSED) as raised:
        function(argument)
    assert str(raised.value).strip(), "it says nothing"


@pytest.mark.parametrize("name", NO_ARRAYS)
@pytest.mark.parametrize("function", OF_ARRAYS)
def test_no_arrays(function: str, name: str) -> None:
    if function == "sort_by_key, values" and name in MOVED:
        pytest.skip("values are moved, whatever their bytes mean")
    refuse(OF_ARRAYS[function], NO_ARRAYS[name]())


@pytest.mark.parametrize("name", NO_NUMBERS)
@pytest.mark.parametrize("function", CONVERTING)
def test_no_numbers(function: str, name: str) -> None:
    refuse(CONVERTING[function], NO_ARRAYS[name]())


def of_a_closed_context() -> koine.Array:
    context = koine.Context()
    made = context.array(ONE)
    context.close()
    return made


@pytest.mark.parametrize("function", [*OF_ARRAYS, "fft", "rfft", "matvec", "solve, b"])
def test_arrays_of_a_closed_context(function: str, context: koine.Context) -> None:
    refuse({**OF_ARRAYS, **CONVERTING}[function], of_a_closed_context())


@pytest.mark.parametrize("function", OF_ARRAYS)
def test_booleans_and_complex_numbers(function: str) -> None:
    if function not in ("matmul, a", "matmul, b", "sort_by_key, values"):
        refuse(OF_ARRAYS[function], np.ones(12, bool))
        refuse(OF_ARRAYS[function], np.ones(12, complex))


WHERE: dict[str, Callable[[Any, Any], Any]] = {
    "sort": lambda x, c: koine.sort(x, context=c),
    "argsort": lambda x, c: koine.argsort(x, context=c),
    "top_k": lambda x, c: koine.top_k(x, 1, context=c),
    "reduce": lambda x, c: koine.reduce(x, context=c),
    "scan": lambda x, c: koine.scan(x, context=c),
    "moments": lambda x, c: koine.moments(x, context=c),
    "select": lambda x, c: koine.select(x, 0, context=c),
    "quantile": lambda x, c: koine.quantile(x, 0.5, context=c),
    "median": lambda x, c: koine.median(x, context=c),
    "unique": lambda x, c: koine.unique(x, context=c),
    "histogram": lambda x, c: koine.histogram(x, context=c),
    "stats": lambda x, c: koine.stats(x, context=c),
    "mad": lambda x, c: koine.mad(x, context=c),
    "windows": lambda x, c: koine.windows(x, 3, context=c),
    "rolling_median": lambda x, c: koine.rolling_median(x, 3, context=c),
    "rolling_mad": lambda x, c: koine.rolling_mad(x, 3, context=c),
    "magnitude": lambda x, c: koine.magnitude(x, x, x, context=c),
    "enmo": lambda x, c: koine.enmo(x, x, x, context=c),
    "fft": lambda x, c: koine.fft(x, context=c),
    "rfft": lambda x, c: koine.rfft(x, context=c),
    "matmul": lambda x, c: koine.matmul(x.reshape(3, 4), x.reshape(4, 3), context=c),
    "autocorr": lambda x, c: koine.autocorr(x.astype("uint8").reshape(3, 4), context=c),
    "autocorr_lags": lambda x, c: koine.autocorr_lags(x.astype("uint8").reshape(3, 2, 2), 1, context=c),
    "SparseOperator": lambda x, c: koine.SparseOperator(np.eye(3), context=c),
    "RayTransform": lambda x, c: koine.RayTransform(3, 3, context=c),
    "Nufft": lambda x, c: koine.Nufft([[0.0, 0.0]], (4, 4), context=c),
    "recon": lambda x, c: koine.recon([1.0], [[0.0, 0.0]], (4, 4), context=c),
    "density": lambda x, c: koine.density([[0.0, 0.0]], (4, 4), context=c),
    "Program": lambda x, c: koine.Program("kernel void f(global int *x) { }", c),
}


@pytest.mark.parametrize("function", WHERE)
def test_contexts_that_are_none(function: str) -> None:
    for bad in ("cpu", 3, object(), koine.devices):
        with pytest.raises((*REFUSED, AttributeError)):
            WHERE[function](ONE, bad)


@pytest.mark.parametrize("function", WHERE)
def test_closed_contexts(function: str, context: koine.Context) -> None:
    closed = koine.Context()
    closed.close()
    with pytest.raises(ValueError, match="closed"):
        WHERE[function](ONE, closed)


@pytest.mark.parametrize("function", [name for name in WHERE if name not in (
    "matmul", "autocorr", "autocorr_lags", "SparseOperator", "RayTransform", "Nufft", "recon", "density", "Program")])  # fmt: skip
def test_arrays_of_another_context(function: str, context: koine.Context) -> None:
    with koine.Context() as other:
        given = context.array(ONE)
        with pytest.raises(ValueError, match="a context other than"):
            WHERE[function](given, other)


def test_arrays_of_two_contexts(context: koine.Context) -> None:
    with koine.Context() as other:
        square = np.ones((3, 3), "float32")
        for first, second in (
            (context.array(square), other.array(square)), (context.array(square), square), (square, other.array(square)),
        ):  # fmt: skip
            with pytest.raises((TypeError, ValueError)):
                koine.matmul(first, second)
        with pytest.raises(ValueError, match="another context"):
            koine.sort_by_key(context.array(ONE), other.array(ONE))
        with pytest.raises(ValueError, match="another context"):
            koine.SparseOperator(np.eye(12), context=context).matvec(other.array(ONE.astype("float32")))
        with pytest.raises(ValueError, match="another context"):
            koine.Program("kernel void f(global double *x) { }", context).f(other.array(ONE), size=1)


NUMBERS: dict[str, list[Callable[[], Any]]] = {
    "k": [lambda k=k: koine.top_k(ONE, k) for k in (-1, 13, 1.5, "1", None, 1 << 70, [1])],
    "ranks": [lambda r=r: koine.select(ONE, r) for r in (-1, 12, 0.5, "0", None, [0, 99], 1 << 70, [[-1]])],
    "q": [lambda q=q: koine.quantile(ONE, q) for q in (-0.1, 1.1, np.nan, np.inf, "0.5", None, [0.5, 2], 1j)],
    "op": [lambda o=o: koine.reduce(ONE, o) for o in ("mean", "", None, 3, b"sum", ["sum"], {})],
    "scan's op": [lambda o=o: koine.scan(ONE, o) for o in ("mean", None, 3, ["sum"])],
    "method": [lambda m=m: koine.stats(ONE, method=m) for m in ("best", None, 1, ["auto"])],
    "a window's width": [
        lambda f=f, w=w: f(ONE, w)
        for f in (koine.windows, koine.rolling_median, koine.rolling_mad)
        for w in (0, -1, 1.5, "3", None, 1 << 70, [3])
    ],
    "a window's step": [lambda s=s: koine.windows(ONE, 3, s) for s in (0, -1, 1.5, "3", 1 << 70, [3])],
    "a window's quantiles": [
        lambda q=q: koine.windows(ONE, 3, quantiles=q) for q in (-0.1, 1.1, np.nan, "0.5", None, 1j)
    ],
    "a window's position": [
        lambda f=f, p=p: f(ONE, 3, position=p)
        for f in (koine.rolling_median, koine.rolling_mad)
        for p in ("left", None, 0, ["centred"])
    ],
    "a window's edges": [
        lambda f=f, e=e: f(ONE, 3, edges=e)
        for f in (koine.rolling_median, koine.rolling_mad)
        for e in ("wrap", None, 0, ["omit"])
    ],
    "a window's scale": [lambda s=s: koine.windows(ONE, 3, mad_scale=s) for s in ("gauss", None, 2.0)]
    + [lambda s=s: koine.rolling_mad(ONE, 3, scale=s) for s in ("gauss", None, 2.0)],
    "g": [lambda g=g: koine.enmo(ONE, ONE, ONE, g=g) for g in (-1, np.nan, np.inf, "1g", None, 1j)],
    "axes of acceleration": [
        lambda f=f, y=y: f(ONE, y, ONE)
        for f in (koine.magnitude, koine.enmo)
        for y in (ONE[:5], ONE.astype("float32"), ONE.reshape(3, 4), np.arange(12))
    ],
    "mad_scale": [lambda m=m: koine.mad(ONE, scale=m) for m in ("gauss", None, 2.0)],
    "bins": [
        lambda b=b: koine.histogram(ONE, b) for b in (0, -3, 1.5, "ten", None, [], [1], [2, 1], [0, np.nan], 1 << 70)
    ],
    "range": [
        lambda r=r: koine.histogram(ONE, 3, r)
        for r in ((1, 0), (np.nan, 1), (0, np.inf), (0,), (0, 1, 2), "ab", 3, (None, 1))
    ],
    "axes": [lambda a=a: koine.fft(ONE, a) for a in (0.5, "x", None, (0, 1), (), 3, -2)],
    "n": [lambda n=n: koine.irfft(ONE, n) for n in (0, -1, 5, 1.5, "22", 1 << 70)],
    "shape of an array": [
        lambda s=s: koine.default_context().empty(s) for s in (-1, (3, -1), "ab", None, 1.5, (1 << 62, 1 << 62))
    ],
    "dtype of an array": [lambda d=d: koine.default_context().empty(3, d) for d in ("nonsense", object)],
    "a device's name": [lambda d=d: koine.Context(d) for d in ("no such device", "cuda:99", "opencl:99.99")],
    "a policy": [lambda p=p: koine.Context(policy=p) for p in ("exact", None, 1)],
    "max_alloc": [lambda m=m: koine.Context(max_alloc=m) for m in (-1, 1, 1.5, "1", 1 << 70)],
    "trajectory": [lambda t=t: koine.trajectory(t, 8) for t in ("square", None, 1)],
    "extent": [lambda e=e: koine.trajectory("radial", e) for e in (-1, 1.5, "8", None, 1 << 70, 1 << 62)],
    "oversample": [lambda o=o: koine.phantom((8, 8), o) for o in (0, -1, 2000, 1.5, None)],
    "an image": [lambda s=s: koine.phantom(s) for s in ((8,), (8, 8, 8, 8), (0, 8), (8, -1), 8, (1 << 31, 8), ())],
    "unit": [lambda u=u: koine.convert_trajectory([[0.0, 0.0]], (8, 8), u) for u in ("degrees", None, 0)],
    "density": [lambda d=d: koine.density([[0.0, 0.0]], (8, 8), d) for d in ("voronoi", None, 0)],
    "k-space": [
        lambda k=k: koine.phantom_kspace(k, (8, 8))
        for k in ([[np.nan, 0]], [[np.inf, 0]], [0, 0], [[0, 0, 0]], 3, [], np.empty((0, 2)), [[1j, 0]])
    ],
    "oversampling": [
        lambda o=o: koine.Nufft([[0.0, 0.0]], (8, 8), oversampling=o) for o in (1.0, 5.0, -1, np.nan, "2", None)
    ],
    "width": [lambda w=w: koine.Nufft([[0.0, 0.0]], (8, 8), width=w) for w in (1, 9, -1, 2.5, "6", None, 1 << 40)],
    "Nufft's method": [lambda m=m: koine.Nufft([[0.0, 0.0]], (8, 8), method=m) for m in ("fast", None, 3, "gridding")],
    "Nufft's kernel": [lambda m=m: koine.Nufft([[0.0, 0.0]], (8, 8), kernel=m) for m in ("fast", None, "tuned")],
    "normalization": [lambda n=n: koine.autocorr(np.ones((4, 4), "uint8"), normalization=n) for n in ("none", None, 0)],
    "max_offset": [
        lambda m=m: koine.autocorr(np.ones((4, 4), "uint8"), max_offset=m) for m in (-1, 4, 1.5, "1", None, 1 << 70)
    ],
    "max_lag": [lambda k=k: koine.autocorr_lags(np.ones((3, 4, 4), "uint8"), k) for k in (-1, 3, 1.5, "1", None, 1 << 70)],
    "iterations": [lambda i=i: koine.solve(np.eye(3), np.ones(3), iterations=i) for i in (-1, 1 << 30, 1.5, None)],
    "tolerance": [
        lambda t=t: koine.solve(np.eye(3), np.ones(3), tolerance=t) for t in (-1, 1, 2, np.nan, "1", None, 1j)
    ],
    "lambda": [lambda t=t: koine.solve(np.eye(3), np.ones(3), lambda_=t) for t in (-1, np.nan, np.inf, "1", None)],
    "bounds": [
        lambda b=b: koine.solve(np.eye(3), np.ones(3), method="bb", bounds=b)
        for b in ((1, 0), (np.nan, 1), (0,), (0, 1, 2), "ab", 3, (None, 1))
    ],
    "a callback": [lambda c=c: koine.solve(np.eye(3), np.ones(3), callback=c) for c in (3, "call", object())],
    "detectors": [lambda d=d: koine.RayTransform(3, 3, d) for d in (0, -1, 1.5, "3", 1 << 40)],
    "axis_offset": [lambda d=d: koine.RayTransform(3, 3, axis_offset=d) for d in (np.nan, np.inf, 1e9, "0", None)],
    "source_distance": [lambda d=d: koine.RayTransform(3, 3, source_distance=d) for d in (np.nan, np.inf, 1, -9, "9")],
    "detector_distance": [
        lambda d=d: koine.RayTransform(3, 3, source_distance=9, detector_distance=d) for d in (np.nan, -9, "0", None)
    ],
    "width": [lambda w=w: koine.remove_stripes([[1.0, 2.0]], w) for w in (2, -1, 1.5, "1", None)],
    "filter": [lambda f=f: koine.RayTransform(3, 3).fbp(np.ones((3, 3)), f) for f in ("box", 1, None)],
    "bin": [lambda b=b: koine.sinogram([[1.0, 2.0]], bin=b) for b in (0, -1, 3, 1.5, "1", None)],
    "a library": [lambda n=n: koine.matmul(np.ones((2, 2)), np.ones((2, 2)), library=n) for n in ("blas", None, 1)],
    "shapes of matrices": [
        lambda a=a, b=b: koine.matmul(np.ones(a), np.ones(b))
        for a, b in (((2, 3), (2, 3)), ((3,), (3, 3)), ((3, 3), (3,)), ((2, 3, 3), (3, 3, 3)), ((), ()))
    ],
    "types of matrices": [
        lambda a=a, b=b: koine.matmul(np.ones((2, 2), a), np.ones((2, 2), b))
        for a, b in (("f4", "f8"), ("i4", "i4"), ("f2", "f2"), ("c8", "f4"), ("?", "?"))
    ],
    "a source": [lambda s=s: koine.Program(s) for s in ("nonsense", "kernel void", None, 3, b"x", "int f(")],
    "defines": [
        lambda d=d: koine.Program("kernel void f(global int *x) { }", defines=d)
        for d in ({"1x": 1}, {"": 1}, {3: 1}, [1, 2], "ab", {"a b": "1\n2"})
    ],
    "two axes": [
        lambda f=f: f(ONE.reshape(3, 4))
        for f in (
            koine.sort,
            koine.argsort,
            koine.scan,
            lambda x: koine.top_k(x, 1),
            lambda x: koine.sort_by_key(x, x),
            lambda x: koine.windows(x, 3),
            lambda x: koine.rolling_median(x, 3),
            lambda x: koine.rolling_mad(x, 3),
            lambda x: koine.magnitude(x, x, x),
            lambda x: koine.enmo(x, x, x),
        )
    ],
    "no axes": [
        lambda f=f: f(np.float64(3)) for f in (koine.sort, koine.argsort, koine.scan, lambda x: koine.top_k(x, 1))
    ],
    "values without keys": [lambda: koine.sort_by_key(ONE, ONE[:5])],
    "a mask": [
        lambda m=m: koine.autocorr(np.ones((4, 4), "uint8"), mask=m)
        for m in (np.ones((4, 3)), np.full((4, 4), "x"), np.zeros((4, 4), "datetime64[D]"), np.full((4, 4), None), 3)
    ],
    "chunks": [
        lambda x=x: koine.stats_of_chunks(x)
        for x in (3.0, None, (part for part in [ONE]), [ONE, ONE.astype("float32")], lambda: 3, ["x"])
    ],
    "chunks' numbers": [
        lambda k=k: koine.stats_of_chunks([ONE], **k)
        for k in ({"dtype": "int32"}, {"dtype": ">f8"}, {"count": -1}, {"count": 1.5}, {"held": -1}, {"mad_scale": "best"})
    ],
    "columns": [lambda x=x: koine.stats(x, columns=True) for x in (ONE, np.ones((2, 2, 2)), 3.0)],
    "nothing": [
        lambda f=f: f(np.empty(0))
        for f in (
            koine.median,
            lambda x: koine.quantile(x, 0.5),
            lambda x: koine.reduce(x, "max"),
            koine.fft,
            koine.rfft,
        )
    ],
}


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_and_words(name: str, context: koine.Context) -> None:
    for i, function in enumerate(NUMBERS[name]):
        try:
            found = function()
        except (*REFUSED, OverflowError, MemoryError) as raised:
            assert str(raised).strip(), f"{name}, case {i} says nothing"
        else:
            pytest.fail(f"{name}, case {i} was taken: {found!r}")


def test_read_only_arrays_are_read(context: koine.Context) -> None:
    x = read_only(ONE[::-1].copy())
    assert np.array_equal(koine.sort(x), ONE) and np.array_equal(koine.sort(x, context=context), ONE)
    with pytest.raises(ValueError, match="read-only"):
        koine.Program("kernel void f(global double *x) { }", context).f(x, size=1)


def test_a_context_of_before_a_fork(context: koine.Context) -> None:
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            koine.reduce(ONE, context=context)
        except ValueError as raised:
            os.write(write, str(raised).encode())
        os._exit(0)
    os.waitpid(child, 0)
    os.close(write)
    assert b"before a fork" in os.read(read, 1000)
    os.close(read)
