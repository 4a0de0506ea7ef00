# SPDX-License-Identifier: Apache-2.0
"""Kernels that a user wrote."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from conftest import Place, numpy_of

import koine

SOURCE = """
typedef struct { float scale; int shift; } task;

kernel void apply(global float *out, global const float *x, const task how)
{
    size_t i = get_global_id(0);
    out[i] = x[i] * how.scale + how.shift;
}

kernel void add(global float *out, float4 v, constant float *c, uchar byte, long big)
{
    size_t i = get_global_id(0) + 2 * get_global_id(1);
    out[i] = v.x + v.y * 10 + v.z * 100 + v.w * 1000 + c[0] + byte + (float)big;
}

kernel void reverse(global int *x, local int *kept)
{
    size_t i = get_local_id(0), n = get_local_size(0);
    kept[i] = x[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    x[get_global_id(0)] = kept[n - 1 - i] + (int)get_global_offset(0);
}
"""


@pytest.fixture(scope="module")
def program(context: koine.Context) -> koine.Program:
    return koine.Program(SOURCE, context, name="test.cl")


def test_what_the_source_says(program: koine.Program) -> None:
    assert list(program.kernels) == ["apply", "add", "reverse"]
    kinds = [(parameter.name, parameter.kind, parameter.type) for parameter in program.add.parameters]
    assert kinds == [
        ("out", "global", "float"),
        ("v", "value", "float4"),
        ("c", "constant", "float"),
        ("byte", "value", "uchar"),
        ("big", "value", "long"),
    ]
    assert program.apply.parameters[1].is_const and not program.apply.parameters[0].is_const
    assert program.add.limits.work_group >= 1
    assert isinstance(program.cached, bool)
    assert "float4 v" in repr(program.add)
    with pytest.raises(AttributeError, match="it has apply, add, reverse"):
        _ = program.other


def test_arrays_of_numpy_are_copied_back(program: koine.Program) -> None:
    x, out = np.arange(8, dtype="float32"), np.zeros(8, "float32")
    how = np.array([(2, 3)], [("scale", "f4"), ("shift", "i4")])[0]
    program.apply(out, x, how, size=8)
    assert np.array_equal(out, 2 * x + 3)
    program.apply(out, x, how.tobytes(), size=8)
    assert np.array_equal(out, 2 * x + 3)


def test_values(program: koine.Program, context: koine.Context) -> None:
    out = context.empty(4)
    program.add(out, (1, 2, 3, 4), np.array([0.5], "float32"), 255, -(1 << 20), size=(2, 2))
    assert np.array_equal(out.numpy(), np.full(4, 4321 + 0.5 + 255 - (1 << 20), "float32"))


def test_local_memory_groups_and_offsets(program: koine.Program, context: koine.Context) -> None:
    x = context.array(np.arange(12, dtype="int32"))
    program.reverse(x, koine.Local(16), size=8, group=4, offset=4)
    assert x.numpy().tolist() == [0, 1, 2, 3, *(n + 4 for n in (7, 6, 5, 4, 11, 10, 9, 8))]


def test_arrays_where_they_are(place: Place) -> None:
    x = np.arange(6, dtype="float32")
    given, where = place(x)
    if isinstance(given, np.ndarray):
        home = where.get("context")
    else:
        home = koine.Context.of(given)
    source = "kernel void twice(global float *x) { x[get_global_id(0)] *= 2; }"
    koine.Program(source, home).twice(given, size=6)
    assert np.array_equal(numpy_of(given), 2 * np.arange(6))


def test_macros_and_files(context: koine.Context, tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib/value.h").write_text("#define VALUE 40\n")
    file = tmp_path / "own.cl"
    file.write_text('#include "value.h"\nkernel void f(global int *x) { x[0] = VALUE + ADD(1); }\n')
    program = koine.Program.from_file(
        file, context, defines={"ADD(x)": "((x) + ONE)", "ONE": 1}, include_dirs=[tmp_path / "lib"]
    )
    x = np.zeros(1, "int32")
    program.f(x, size=1)
    assert x[0] == 42
    with pytest.raises(koine.InputError):
        koine.Program.from_file(tmp_path / "none.cl", context)


def test_a_build_that_fails_names_the_line(context: koine.Context) -> None:
    with pytest.raises(koine.BuildError) as failed:
        koine.Program("kernel void f(global int *x)\n{\n    x[0] = nothing;\n}\n", context, name="mine.cl")
    assert "nothing" in str(failed.value)
    assert failed.value.code == "KN_ERROR_BUILD"


def test_a_missing_define_is_one(context: koine.Context) -> None:
    x = np.zeros(1, "int32")
    koine.Program("kernel void f(global int *x) { x[0] = DEBUG; }", context, defines={"DEBUG": None}).f(x, size=1)
    assert x[0] == 1


def test_arguments_that_are_refused(program: koine.Program, context: koine.Context) -> None:
    out, x = context.empty(4), np.zeros(4, "float32")
    constant = np.zeros(1, "float32")
    with pytest.raises(TypeError, match="takes 3 arguments"):
        program.apply(out, size=4)
    with pytest.raises(TypeError, match="not an array"):
        program.apply(3.0, x, b"\0" * 8, size=4)
    with pytest.raises(TypeError, match="pass its bytes"):
        program.apply(out, x, 3, size=4)
    with pytest.raises(koine.Error):
        program.apply(out, x, b"", size=4)
    with pytest.raises(TypeError, match="4 real numbers"):
        program.add(out, (1, 2, 3), constant, 0, 0, size=4)
    with pytest.raises(ValueError, match="does not have 256"):
        program.add(out, (1, 2, 3, 4), constant, 256, 0, size=4)
    with pytest.raises(TypeError, match="koine.Local"):
        program.reverse(x.astype("int32"), 16, size=4)
    with pytest.raises(koine.LimitError):
        program.reverse(x.astype("int32"), koine.Local(1 << 40), size=4)
    with pytest.raises(ValueError, match="axes"):
        program.reverse(x.astype("int32"), koine.Local(16), size=(1, 1, 1, 1))
    with pytest.raises(ValueError, match="group has 2"):
        program.reverse(x.astype("int32"), koine.Local(16), size=4, group=(2, 2))
    with pytest.raises(koine.ArgumentError):
        program.reverse(x.astype("int32"), koine.Local(16), size=4, group=3)
    x.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        program.apply(x, out, b"\0" * 8, size=4)
