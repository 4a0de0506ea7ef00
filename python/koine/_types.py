# SPDX-License-Identifier: Apache-2.0
"""NumPy's element types and libkoine's."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._native import lib

DType = np.dtype[Any]

kn_types: dict[DType, int] = {
    np.dtype(name): getattr(lib, f"KN_{short}")
    for name, short in {
        "int8": "I8", "uint8": "U8", "int16": "I16", "uint16": "U16", "int32": "I32", "uint32": "U32",
        "int64": "I64", "uint64": "U64", "float32": "F32", "float64": "F64",
    }.items()
}  # fmt: skip

# A complex number is two of these.
parts: dict[DType, DType] = {
    np.dtype(np.complex64): np.dtype(np.float32),
    np.dtype(np.complex128): np.dtype(np.float64),
}
complexes = {part: whole for whole, part in parts.items()}


def kn_type(dtype: DType, name: str) -> int:
    """libkoine's type for a dtype; TypeError says what is wrong with others."""
    try:
        return kn_types[dtype]
    except KeyError:
        raise TypeError(f"{name} {unsuitable(dtype)}") from None


def unsuitable(dtype: DType) -> str:
    """Why elements of a dtype are not taken."""
    if not dtype.isnative:
        return f"has the other byte order ({dtype.str}): pass x.astype({dtype.newbyteorder('=').str!r})"
    return f"has elements of {dtype}: integers of 8 to 64 bits, float32 and float64 are taken"
