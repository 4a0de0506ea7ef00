# SPDX-License-Identifier: Apache-2.0
"""Numbers of Python's as libkoine takes them."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import numpy.typing as npt


def natural(number: Any, name: str) -> int:
    """A whole number from 0 on."""
    try:
        found = operator.index(number)
    except TypeError:
        raise TypeError(f"{name} is {number!r}, not a whole number") from None
    if found < 0:
        raise ValueError(f"{name} is {found}, less than 0")
    if found >= 1 << 63:
        raise ValueError(f"{name} is {found}, more than the address space holds")
    return found


def doubles(numbers: npt.ArrayLike, name: str) -> npt.NDArray[np.float64]:
    """Real numbers as a contiguous array of double precision."""
    try:
        found = np.asarray(numbers)
        if found.dtype.kind not in "iufb":
            raise TypeError
        return np.ascontiguousarray(found, np.float64).reshape(found.shape)
    except (TypeError, ValueError):
        raise TypeError(f"{name} has to be of real numbers") from None


def marks(where: npt.ArrayLike, name: str) -> npt.NDArray[np.uint8]:
    """Where booleans or numbers are not 0, as contiguous bytes."""
    try:
        found = np.asarray(where)
    except ValueError:
        found = np.asarray(None)
    if found.dtype.kind not in "iufb":
        raise TypeError(f"{name} has to be of booleans")
    return np.ascontiguousarray(found != 0, np.uint8).reshape(found.shape)


def complexes(numbers: npt.ArrayLike, name: str) -> npt.NDArray[np.complex128]:
    """Numbers as a contiguous array of complex ones in double precision."""
    try:
        found = np.asarray(numbers)
        if found.dtype.kind not in "iufcb":
            raise TypeError
        return np.ascontiguousarray(found, np.complex128).reshape(found.shape)
    except (TypeError, ValueError):
        raise TypeError(f"{name} has to be of numbers") from None
