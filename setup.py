# SPDX-License-Identifier: Apache-2.0
"""Builds the Python package: python/native/library.py has libkoine, python/native/module.py what is linked with it."""

import os
import sys
from pathlib import Path

from setuptools import setup

root = Path(__file__).parent.resolve()
sys.path.insert(0, str(root / "python"))

from native.library import BuildWithLibrary, version  # noqa: E402

setup(
    version=version(root),
    cffi_modules=["python/native/module.py:ffibuilder"],
    cmdclass={"build_ext": BuildWithLibrary},
    options={
        "build": {"build_base": os.environ.get("KOINE_BUILD", "build-python")},
        "bdist_wheel": {"py_limited_api": "cp310"},
    },
)
