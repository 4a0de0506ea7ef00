# SPDX-License-Identifier: Apache-2.0
"""Arrays on CUDA devices, without one: tests/fake's driver takes what is done to them (fake_cupy.py)."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import koine

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def fakes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the fake libcuda.so.1 and libnvrtc.so.13."""
    compiler = shutil.which("cc") or pytest.skip("no C compiler")
    folder = tmp_path_factory.mktemp("fakes")
    flags = "-std=gnu11", "-fPIC", "-shared", f"-I{ROOT}/src"
    for source, library in (("libcuda.c", "libcuda.so.1"), ("libnvrtc.c", "libnvrtc.so.13")):
        command = compiler, *flags, "-DFAKE_NVRTC_MAJOR=13", f"-Wl,-soname,{library}", "-o", str(folder / library)
        subprocess.run([*command, str(ROOT / "tests/fake" / source)], check=True)
    return folder


def run(fakes: Path, code: str, **variables: str) -> list[str]:
    """What a program prints that has fake_cupy and no other driver."""
    environment = {
        **os.environ, "LD_LIBRARY_PATH": str(fakes), "KOINE_CUDA_LIBRARIES": str(fakes), "KOINE_CACHE_DIR": "",
        "OCL_ICD_VENDORS": "/nonexistent", "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path]),
        "XDG_CACHE_HOME": str(fakes / "cache"), **variables,
    }  # fmt: skip
    start = "import numpy, koine, fake_cupy; fake_cupy.install(); import cupy, torch\nx = numpy.arange(12, dtype='float32')\n"
    done = subprocess.run(
        [sys.executable, "-c", start + code], env=environment, capture_output=True, text=True, timeout=100, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.mark.parametrize("kind", ["cupy.ndarray", "torch.Tensor"])
def test_results_are_of_the_inputs_library(fakes: Path, kind: str) -> None:
    found = run(fakes, f"""
make = fake_cupy.{kind.partition('.')[2]}
given = make(x)
fake_cupy.stream = fake_cupy.new_stream()
for result in (koine.sort(given), *koine.top_k(given, 3), koine.scan(given), koine.argsort(given)):
    print(type(result).__module__, result.array.dtype, len(result.array))
print(fake_cupy.state().last.stream == fake_cupy.stream, fake_cupy.state().launches > 0)
from koine.cuda import _of_driver
print(_of_driver(0), _of_driver(2))
print(numpy.array_equal(given.array, numpy.arange(12)), koine.sort(given).array.tolist() == list(range(12)))
""")  # fmt: skip
    library = kind.partition(".")[0]
    expected = f"{library} float32 12 {library} float32 3 {library} int64 3 {library} float32 12 {library} int64 12 True True 1 2 True True"
    assert found == expected.split()


def test_other_libraries_get_arrays_of_koine(fakes: Path) -> None:
    found = run(fakes, """
Other = fake_cupy.OnDevice
result = koine.sort(Other(x))
interface = result.__cuda_array_interface__
print(type(result).__name__, interface["shape"][0], interface["typestr"], interface["data"][0] != 0, interface["stream"] != 0)
print(koine.Context.of(Other(x)) is koine.Context.of(fake_cupy.ndarray(x)), koine.Context.of(Other(x)).device.spec)
print(koine.sort(result).numpy().tolist() == x.tolist())
""")  # fmt: skip
    assert found == ["Array", "12", "<f4", "True", "True", "True", "cuda:0", "True"]


def test_streams_outlive_the_queues_that_wrap_them(fakes: Path) -> None:
    """CuPy's are kept as long as their space is; those of a number alone are wrapped for a call, once."""
    found = run(fakes, """
import weakref
from koine import cuda
from koine.operands import take
class Stream:
    def __init__(self):
        self.ptr = fake_cupy.new_stream()
given = fake_cupy.ndarray(x)
streams = []
for _ in range(20):
    stream = Stream()
    cupy.cuda.get_current_stream = lambda device: stream
    koine.sort(given)
    streams.append(weakref.ref(stream))
print(sum(stream() is not None for stream in streams) == len(cuda._spaces.of) == 4)
first, second = take(fake_cupy.OnDevice(x), "x"), take(fake_cupy.OnDevice(x), "x")
print(first.space is second.space, len(cuda._spaces.of_this_call))
del first, second
print(len(cuda._spaces.of_this_call), type(koine.sort(fake_cupy.OnDevice(x))).__name__, len(cuda._spaces.of_this_call))
program = koine.Program("kernel void add(global float *x, global float *y) { }", koine.Context.of(given))
program.add(fake_cupy.OnDevice(x), fake_cupy.OnDevice(x), size=12)
""")  # fmt: skip
    assert found == ["True", "True", "1", "0", "Array", "0"]


def test_operators_and_kernels(fakes: Path) -> None:
    found = run(fakes, """
context = koine.Context.of(fake_cupy.ndarray(x))
operator = koine.SparseOperator(numpy.eye(12), context=context, format="simple")
print(type(operator.matvec(fake_cupy.ndarray(x))).__module__, type(operator.matvec(x)).__module__)
program = koine.Program("kernel void twice(global float *x, float by) { x[get_global_id(0)] *= by; }", context)
program.twice(fake_cupy.Tensor(x), 2.0, size=12)
print(fake_cupy.state().last.kernel.decode())
""")  # fmt: skip
    assert found[:2] == ["cupy", "numpy"] and "twice" in found[2]


def test_what_is_refused(fakes: Path) -> None:
    found = run(fakes, """
def refused(*arguments, **named):
    try:
        koine.sort(*arguments, **named)
    except (TypeError, ValueError) as raised:
        print(str(raised).replace(" ", "_"))
    else:
        print("taken")
refused(fake_cupy.ndarray(x[::2]))
refused(fake_cupy.ndarray(x.astype(">f4")))
refused(fake_cupy.ndarray(x.astype("complex64")))
refused(fake_cupy.ndarray(x.reshape(3, 4)))
def tensor(given, **fields):
    made = fake_cupy.Tensor(given)
    made.__dict__.update(fields)
    return made
refused(tensor(x, requires_grad=True))
refused(tensor(x[::2]))
refused(tensor(x.astype("float16")))
refused(tensor(x.astype("complex64")))
refused(tensor(x.astype("complex64"), conjugated=True))
refused(tensor(x, layout="sparse"))
refused(tensor(x), context=koine.Context("cuda:0"))
refused(fake_cupy.ndarray(x), context=koine.Context("cuda:0"))
""")  # fmt: skip
    words = ["ascontiguousarray", "byte_order", "complex64", "2_axes"]
    words += ["gradient", "x.contiguous", "float16", "complex64", "resolve_conj", "layout", *2 * ["a_context_other_than"]]
    assert all(word in line for word, line in zip(words, found, strict=True)), found


def test_nothing_is_left(fakes: Path) -> None:
    found = run(fakes, """
import gc
given = fake_cupy.ndarray(x)
koine.sort(given), koine.reduce(given), koine.top_k(given, 2)
gc.collect()
before = fake_cupy.state().objects
for _ in range(50):
    koine.sort(given), koine.reduce(given), koine.top_k(given, 2)
gc.collect()
print(fake_cupy.state().objects - before, fake_cupy.state().without, fake_cupy.state().depth)
""")  # fmt: skip
    assert found == ["0", "0", "0"]


def test_failures_of_the_driver_are_exceptions(fakes: Path) -> None:
    for call in ("cuDevicePrimaryCtxRetain:2:2", "cuLaunchKernel:700:1"):
        found = run(fakes, """
try:
    koine.sort(fake_cupy.ndarray(x))
except (koine.Error, RuntimeError) as raised:
    print("raised", bool(str(raised)))
""", FAKE_CUDA_FAIL=call)  # fmt: skip
        assert found == ["raised", "True"], call


def test_without_nvrtc_the_extra_is_named(fakes: Path, tmp_path: Path) -> None:
    shutil.copy(fakes / "libcuda.so.1", tmp_path)
    found = run(tmp_path, """
try:
    koine.Context("cuda:0")
except koine.Error as raised:
    print("koine[cuda13]" in str(raised))
print("koine[cuda13]" in koine.devices(usable=False)[0].why_not)
""")  # fmt: skip
    assert found == ["True", "True"]


def test_nvrtc_of_nvidias_wheels_is_found(fakes: Path, tmp_path: Path) -> None:
    """As koine[cuda13] installs it: site-packages/nvidia/cu13/lib; the driver is the system's."""
    site = tmp_path / "site"
    (site / "nvidia/cu13/lib").mkdir(parents=True)
    shutil.copy(fakes / "libnvrtc.so.13", site / "nvidia/cu13/lib")
    system = tmp_path / "system"
    system.mkdir()
    shutil.copy(fakes / "libcuda.so.1", system)
    path = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    code = "print(koine.Context('cuda:0').device.spec)"
    found = run(system, code, KOINE_CUDA_LIBRARIES="", PYTHONPATH=os.pathsep.join([str(site), path]))
    assert found == ["cuda:0"]


def test_without_a_driver_it_is_said() -> None:
    class Lost:
        __cuda_array_interface__ = {"shape": (3,), "typestr": "<f4", "data": (4096, False), "version": 3}

    if Path("/dev/nvidia0").exists():
        pytest.skip("there is a driver")
    with pytest.raises((koine.Error, RuntimeError), match="driver"):
        koine.sort(Lost())
    assert np.array_equal(koine.sort(np.array([2, 1])), [1, 2])
