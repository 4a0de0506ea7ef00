# SPDX-License-Identifier: Apache-2.0
"""Products of matrices, beside NumPy's."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import Place, numpy_of

import koine


@pytest.mark.parametrize("kind", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize(
    ("left", "right"),
    [
        ((3, 4), (4, 5)),
        ((1, 1), (1, 1)),
        ((2, 3, 4), (2, 4, 5)),
        ((2, 3, 4), (4, 5)),
        ((3, 4), (2, 2, 4, 5)),
        ((0, 3), (3, 2)),
    ],
)
def test_matmul(place: Place, kind: str, left: tuple[int, ...], right: tuple[int, ...]) -> None:
    generator = np.random.default_rng(5)
    a, b = (generator.normal(size=shape).astype(kind) for shape in (left, right))
    if "complex" in kind:
        a = (a + 1j * generator.normal(size=left)).astype(kind)
    given, where = place(a)
    beside = b if where or given is a else place(b)[0]
    found = numpy_of(koine.matmul(given, beside, **where))
    expected = a @ b
    assert found.dtype == expected.dtype and found.shape == expected.shape
    assert np.allclose(found, expected, rtol=1e-5, atol=1e-5)


def test_the_library_that_is_named_runs_or_is_refused() -> None:
    one = np.ones((2, 2), "float32")
    assert np.array_equal(koine.matmul(one, one, library="own"), one @ one)
    with pytest.raises(koine.UnsupportedError):
        koine.matmul(one, one, library="cublas")
