# SPDX-License-Identifier: Apache-2.0
"""koine._native: libkoine's public functions for Python, compiled against the public headers."""

import sys
from pathlib import Path

from cffi import FFI

HERE = Path(__file__).parent.resolve()
sys.path.insert(0, str(HERE.parent))

from native.declarations import declarations  # noqa: E402

INCLUDE = HERE.parents[1] / "include"

ffibuilder = FFI()
ffibuilder.cdef(declarations(INCLUDE / "koine"))
ffibuilder.set_source(
    "koine._native",
    """
    #define CL_TARGET_OPENCL_VERSION 120
    #include <stdlib.h>
    #include <koine/koine.h>
    #include <koine/cuda.h>
    #include <koine/opencl.h>
    """,
    include_dirs=[str(INCLUDE)],
    py_limited_api=True,
)
