# SPDX-License-Identifier: Apache-2.0
"""Which devices there are."""

from __future__ import annotations

import dataclasses
from typing import Any

from ._call import make
from ._native import ffi, lib
from .errors import _with_extra, text_of
from .libraries import settle

_types = {lib.KN_DEVICE_CPU: "cpu", lib.KN_DEVICE_GPU: "gpu", lib.KN_DEVICE_ACCELERATOR: "accelerator"}


@dataclasses.dataclass(frozen=True)
class Device:
    """A device, and the path through which it is reached.

    Attributes
    ----------
    spec : str
        What `koine.Context` takes: ``"cuda:0"``, ``"opencl:0.0"``.
    name, vendor, driver, version : str
        What its driver says.
    backend : str
        ``"cuda"`` or ``"opencl"``.
    type : str
        ``"cpu"``, ``"gpu"`` or ``"accelerator"``.
    compute_units : int
    global_memory, local_memory, max_alloc : int
        Bytes of global memory, of local memory per work-group, and of the largest allocation.
    max_work_group : int
        Work-items in a work-group at most.
    fp64 : bool
        Whether it has double precision.
    is_default : bool
        Whether ``koine.Context()`` takes it.
    alias_of : str
        The spec of the entry through which this same device is used; ``""`` if it is that entry.
    why_not : str
        Why it cannot be used, in words; ``""`` if it can be.
    """

    spec: str
    name: str
    vendor: str
    backend: str
    version: str
    driver: str
    type: str
    compute_units: int
    global_memory: int
    local_memory: int
    max_alloc: int
    max_work_group: int
    fp64: bool
    is_default: bool
    alias_of: str
    why_not: str


def device_of(info: Any) -> Device:
    """A kn_device_info as a Device."""
    found: dict[str, Any] = {}
    for field in dataclasses.fields(Device):
        value = getattr(info, field.name)
        found[field.name] = text_of(value) if isinstance(value, ffi.CData) else value
    found["type"] = _types[info.type]
    found["why_not"] = _with_extra(found["why_not"])
    return Device(**found)


def devices(usable: bool = True) -> list[Device]:
    """The available devices, the default one first.

    Parameters
    ----------
    usable : bool
        False: also those that are not used, with `why_not`, and further paths to a device, with `alias_of`.

    Returns
    -------
    list of Device
        Empty if there is none: `koine.why_no_device` then says why.

    Notes
    -----
    Opens every driver, which takes 1 to 300 ms.

    Examples
    --------
    >>> import koine
    >>> all(device.spec for device in koine.devices())
    True
    """
    settle()
    found = make("kn_device_list", lib.kn_device_list_free, lib.kn_device_list_create)
    infos = (lib.kn_device_list_get_device(found, i) for i in range(lib.kn_device_list_get_count(found)))
    listed = [device_of(info) for info in infos]
    return [device for device in listed if not (usable and (device.why_not or device.alias_of))]


def why_no_device() -> str:
    """The reason for each path (CUDA, OpenCL) that has no device, in words.

    Returns
    -------
    str
        ``"CUDA: no NVIDIA driver (libcuda.so.1 not found)"``; ``""`` if every path has one.
    """
    settle()
    found = make("kn_device_list", lib.kn_device_list_free, lib.kn_device_list_create)
    return _with_extra(text_of(lib.kn_device_list_get_why(found)))
