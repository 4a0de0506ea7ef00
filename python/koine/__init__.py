# SPDX-License-Identifier: Apache-2.0
"""Koine: robust statistics, MRI reconstruction, image correlation, tomography and sparse systems, on every device.

Arrays of NumPy are computed by the host's vectors and threads, or with ``context=koine.Context(...)`` on a device;
arrays that are on a device (PyOpenCL, CuPy, PyTorch, `koine.Array`) where they are.
"""

from __future__ import annotations

from ._native import lib as _lib
from .array import Array
from .context import Context, default_context
from .devices import Device, devices, why_no_device
from .errors import (
    ArgumentError,
    BuildError,
    DeviceError,
    Error,
    InputError,
    LimitError,
    NoDeviceError,
    OutOfMemoryError,
    OutputError,
    UnsupportedError,
    text_of,
)
from .reduction import Combine, Moments, moments, reduce, scan
from .robust import Stats, mad, stats
from .selection import histogram, median, quantile, select, unique
from .sorting import argsort, sort, sort_by_key, top_k

__version__ = text_of(_lib.kn_version())
