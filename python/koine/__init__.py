# SPDX-License-Identifier: Apache-2.0
"""Koine: robust statistics, MRI reconstruction, image correlation, tomography and sparse systems, on every device.

NumPy arrays are processed on the host, with vectors and threads, or with ``context=koine.Context(...)`` on a device;
arrays on a device (PyOpenCL, CuPy, PyTorch, `koine.Array`) are processed in place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._native import lib as _lib
from .array import Array
from .chunks import stats_of_chunks
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
)
from .errors import text_of as _text_of
from .movement import Intervals, enmo, intervals, magnitude
from .products import matmul
from .programs import Kernel, Limits, Local, Parameter, Program
from .reduction import Combine, Moments, moments, reduce, scan
from .robust import Stats, mad, stats
from .rolling import Windows, rolling_mad, rolling_median, windows
from .selection import histogram, median, quantile, select, unique
from .sorting import argsort, sort, sort_by_key, top_k
from .transforms import fft, ifft, irfft, rfft

if TYPE_CHECKING:
    from .coils import Sense, coil_compression, noise_covariance, whitening
    from .correlation import Autocorrelation, autocorr
    from .lags import Lags, autocorr_lags
    from .laws import Growth, Line, growth
    from .mri import Nufft, box_basis, convert_trajectory, density, phantom, phantom_kspace, trajectory
    from .operators import Operator
    from .photographs import Preparation, prepare
    from .reconstruction import Coil, Reconstruction, recon, sense_maps
    from .solving import Solution, solve
    from .sparse import SparseOperator
    from .systems import Answer, LCurve, LeastSquares, l_curve, least_squares
    from .tomography import Axis, RayTransform, fdk, find_axis, remove_stripes, sinogram

__all__ = [
    "Answer",
    "ArgumentError",
    "Array",
    "Autocorrelation",
    "BuildError",
    "Coil",
    "Combine",
    "Context",
    "Device",
    "DeviceError",
    "Error",
    "Growth",
    "InputError",
    "Intervals",
    "Kernel",
    "Lags",
    "LeastSquares",
    "LimitError",
    "Limits",
    "Line",
    "Local",
    "Moments",
    "NoDeviceError",
    "Nufft",
    "Operator",
    "OutOfMemoryError",
    "OutputError",
    "Parameter",
    "Preparation",
    "Program",
    "RayTransform",
    "Reconstruction",
    "Sense",
    "Solution",
    "SparseOperator",
    "Stats",
    "UnsupportedError",
    "Windows",
    "argsort",
    "autocorr",
    "autocorr_lags",
    "box_basis",
    "coil_compression",
    "convert_trajectory",
    "default_context",
    "density",
    "devices",
    "enmo",
    "fft",
    "growth",
    "histogram",
    "ifft",
    "intervals",
    "irfft",
    "l_curve",
    "least_squares",
    "mad",
    "magnitude",
    "matmul",
    "median",
    "moments",
    "noise_covariance",
    "phantom",
    "phantom_kspace",
    "prepare",
    "quantile",
    "recon",
    "reduce",
    "remove_stripes",
    "rfft",
    "rolling_mad",
    "rolling_median",
    "scan",
    "select",
    "sense_maps",
    "sinogram",
    "solve",
    "sort",
    "sort_by_key",
    "stats",
    "stats_of_chunks",
    "top_k",
    "trajectory",
    "whitening",
    "unique",
    "why_no_device",
    "windows",
    "__version__",
]

__version__ = _text_of(_lib.kn_version())

# What is imported when it is asked for: operators are SciPy's where SciPy is installed, which takes a while to import.
_later = {
    "coils": "Sense coil_compression noise_covariance whitening",
    "correlation": "Autocorrelation autocorr",
    "lags": "Lags autocorr_lags",
    "laws": "Growth Line growth",
    "photographs": "Preparation prepare",
    "mri": "Nufft box_basis convert_trajectory density phantom phantom_kspace trajectory",
    "operators": "Operator",
    "reconstruction": "Coil Reconstruction recon sense_maps",
    "solving": "Solution solve",
    "sparse": "SparseOperator",
    "systems": "Answer LCurve LeastSquares l_curve least_squares",
    "tomography": "Axis RayTransform fdk find_axis remove_stripes sinogram",
}


def __getattr__(name: str) -> Any:
    for module, names in _later.items():
        if name in names.split():
            from importlib import import_module

            found = globals()[name] = getattr(import_module(f".{module}", __name__), name)
            return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *(name for names in _later.values() for name in names.split())})
