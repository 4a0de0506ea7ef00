# SPDX-License-Identifier: Apache-2.0
"""Which shared libraries are found: OpenCL's loader, and what the host does without."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

HOST = """
import numpy, koine
x = numpy.random.default_rng(1).normal(size=1000)
assert numpy.array_equal(koine.sort(x), numpy.sort(x)) and koine.stats(x).median == numpy.median(x)
assert koine.solve(numpy.eye(3), numpy.ones(3)).x.tolist() == [1, 1, 1]
assert koine.autocorr(numpy.ones((8, 8), "uint8")).sums[0, 2] == 64
"""


def run(code: str, **variables: str) -> str:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **variables}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=100, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_without_a_loader_the_host_computes() -> None:
    found = run(HOST + """
print(koine.devices(), "/nonexistent" in koine.why_no_device())
try:
    koine.Context()
except koine.NoDeviceError as raised:
    print(raised.code, "/nonexistent" in str(raised))
try:
    koine.scan(x)
except koine.NoDeviceError:
    print("scan has no host code")
""", KOINE_OPENCL_LIBRARY="/nonexistent", KOINE_CUDA_LIBRARIES="/nonexistent")  # fmt: skip
    assert found.splitlines() == ["[] True", "KN_ERROR_NO_DEVICE True", "scan has no host code"]


def test_without_drivers() -> None:
    assert (
        run(HOST + "print(koine.devices())", OCL_ICD_VENDORS="/nonexistent", KOINE_CUDA_LIBRARIES="/nonexistent")
        == "[]\n"
    )


def test_import_opens_nothing() -> None:
    found = run("""
import os, threading
import koine
maps = open("/proc/self/maps").read()
print("OpenCL" in maps, "libcuda" in maps, threading.active_count())
import sys
print("scipy" in sys.modules, "pyopencl" in sys.modules)
""")
    assert found.split() == ["False", "False", "1", "False", "False"]


def test_pyopencls_own_loader_where_there_is_no_other() -> None:
    pytest.importorskip("pyopencl")
    found = run("""
import os, pyopencl
import koine.libraries
koine.libraries._opens = lambda name: False    # as on a system without one
koine.libraries.settle()
taken = os.environ.get("KOINE_OPENCL_LIBRARY", "")
print(os.path.basename(taken).startswith("libOpenCL"), os.path.exists(taken))
if koine.devices():
    print(koine.reduce([1.0, 2.0], context=koine.Context()))
else:
    print(3.0)
""")
    if found.split()[0] == "False":
        pytest.skip("this PyOpenCL has the system's loader")
    assert found.split() == ["True", "True", "3.0"]


def test_drivers_are_tried_by_the_packages_own_program() -> None:
    found = run("""
import os, koine
koine.devices()
print(os.environ["KOINE_PROBE"])
""")
    probe = found.strip()
    assert os.path.basename(probe) == "koine-probe" and os.access(probe, os.X_OK)
    assert run("import os, koine; koine.devices(); print(os.environ['KOINE_PROBE'])", KOINE_PROBE="/mine") == "/mine\n"
