# SPDX-License-Identifier: Apache-2.0
"""Which shared libraries libkoine finds: OpenCL's loader, NVIDIA's run-time compiler, the program that tries drivers.

None of them is in this package. OpenCL's loader is the one in the process, that of KOINE_OPENCL_LIBRARY, or the
system's libOpenCL.so.1; where there is none, PyOpenCL's own once PyOpenCL was imported. NVRTC is the system's, or that
of the wheels which ``koine[cuda12]`` and ``koine[cuda13]`` bring.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib.util
import os
import sys
from pathlib import Path

from ._call import generation

_settled: set[str] = set()
_opened_in: int | None = None  # the process that opened drivers, as `generation` counts


def settle() -> None:
    """Called before devices are looked for."""
    global _opened_in
    if _opened_in not in (None, generation()):
        raise RuntimeError(
            "this process was forked from one that had opened devices, whose drivers do not survive that: "
            "start processes by multiprocessing's spawn or forkserver, or open devices after the fork alone"
        )
    _opened_in = generation()
    _take_probe()
    if "pyopencl" in sys.modules and "opencl" not in _settled:
        _take_pyopencls_loader()
        _settled.add("opencl")
    if "nvrtc" not in _settled:
        _take_nvrtc_of_wheels()
        _settled.add("nvrtc")


def _take_probe() -> None:
    """The program that opens a driver for the first time, beside this file."""
    probe = Path(__file__).parent / "koine-probe"
    if "KOINE_PROBE" not in os.environ and os.access(probe, os.X_OK):
        os.environ["KOINE_PROBE"] = str(probe)


def _opens(name: str) -> bool:
    with contextlib.suppress(OSError):
        ctypes.CDLL(name)
        return True
    return False


def _take_pyopencls_loader() -> None:
    """A wheel of PyOpenCL has a loader of its own, under a name of its own."""
    if os.environ.get("KOINE_OPENCL_LIBRARY") or _opens("libOpenCL.so.1"):
        return
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/maps").read_text().splitlines():
            path = line.split(maxsplit=5)[-1]
            if Path(path).name.startswith("libOpenCL"):
                os.environ["KOINE_OPENCL_LIBRARY"] = path
                return


def _take_nvrtc_of_wheels() -> None:
    """Opens the NVRTC of NVIDIA's wheels, so that libkoine finds it by its name."""
    if os.environ.get("KOINE_CUDA_LIBRARIES") or not _opens("libcuda.so.1"):
        return
    found = importlib.util.find_spec("nvidia")
    for folder in found.submodule_search_locations or () if found else ():
        for library in sorted(Path(folder).glob("*/lib/libnvrtc*.so.*")):
            if ".alt." not in library.name and not _is_installed(library.name):
                _opens(str(library))


def _is_installed(name: str) -> bool:
    """Whether the system has it, whose own then comes first."""
    return _opens(name)
