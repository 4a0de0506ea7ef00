# SPDX-License-Identifier: Apache-2.0
"""Stands for koine._native, the compiled module, so that the Python reference is made where it was not built.

Only docstrings are read: nothing of the library is called.
"""

import sys
from types import ModuleType
from unittest.mock import MagicMock


class _AnySize(int):
    """The size of a structure, which the package compares with its dtype's on import."""

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = int.__hash__


def install() -> None:
    native = ModuleType("koine._native")
    native.lib = MagicMock()
    native.ffi = MagicMock()
    native.ffi.sizeof.side_effect = lambda name: _AnySize()
    native.lib.kn_version.return_value = b"0"
    sys.modules["koine._native"] = native

