# SPDX-License-Identifier: Apache-2.0
"""Arrays of other libraries in the host's memory, through DLPack."""

from __future__ import annotations

import numpy as np
import pytest

import koine

xp = pytest.importorskip("array_api_strict")


def test_results_go_back_to_the_library(context: koine.Context) -> None:
    x = xp.asarray([3.0, 1.0, 2.0])
    for where in (None, context):
        found = koine.sort(x, context=where)
        assert type(found) is type(x) and np.from_dlpack(found).tolist() == [1, 2, 3]
    values, indices = koine.top_k(x, 2)
    assert type(values) is type(indices) is type(x)
    assert koine.reduce(x) == 6 and koine.stats(x).median == 2
    assert type(koine.scan(x)) is type(x)
    assert np.from_dlpack(x).tolist() == [3, 1, 2]


def test_memory_is_shared_not_copied() -> None:
    x = np.arange(1000.0)
    given = xp.asarray(x, copy=False)
    from koine.operands import take

    assert take(given, "x").native.ctypes.data == x.ctypes.data
