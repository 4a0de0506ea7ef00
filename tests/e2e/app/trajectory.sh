#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `koine trajectory`: the files it writes, its output, and what it refuses.
. "${srcdir:-.}/tests/e2e/lib.sh"
command -v python3 >/dev/null || skip python3 "python3 is not installed"
sources=$(cd "${srcdir:-.}" && pwd)

expect_exit 2 koine trajectory
expect_exit 2 koine trajectory radial
expect_stderr 'expected -o TRAJ'
expect_exit 2 koine trajectory zigzag -o "$work/t.npy"
expect_stderr "unknown trajectory 'zigzag'; expected radial, golden"
expect_exit 2 koine trajectory radial --spokes 0 -o "$work/t.npy"
expect_exit 2 koine trajectory radial --partitions 4 -o "$work/t.npy"
expect_stderr 'radial trajectory has no partitions'
expect_exit 2 koine trajectory radial --spokes 9223372036854775807 -o "$work/t.npy"
expect_stderr 'more than fit in memory'
expect_exit 2 koine trajectory radial -o "$work/t.png"
expect_stderr 't.png: expected a name that ends in .cfl or .npy'
expect_files "$work" err out

for kind in radial golden spiral kooshball stack cartesian; do
    expect_exit 0 koine trajectory $kind --samples 12 --spokes 7 -o "$work/$kind.npy" --json "$work/$kind.json"
    expect_stdout "^$kind: (16 partitions of )?7 (spokes|arms|lines) of 12 samples, [0-9]+ in all, for a matrix of "
    expect_stdout '^k in cycles per field of view: kx .*, ky .*, [0-9]+ samples? at k = 0'
    expect_exit 0 koine trajectory $kind --samples 12 --spokes 7 -o "$work/$kind"
done
expect_exit 3 koine trajectory stack -o "$work/stack"
expect_stderr 'stack.cfl: already exists'
expect_exit 0 koine trajectory stack --samples 12 --spokes 7 --partitions 3 -o "$work/stack.cfl" --force
expect_exit 0 koine trajectory stack --samples 12 --spokes 7 --partitions 3 -o "$work/stack.npy" --force
expect_exit 0 koine trajectory radial --samples 4 --spokes 2 -o - --json "$work/piped.json"
cp "$work/out" "$work/piped.npy"
expect_exit 0 koine trajectory radial --samples 4 --spokes 2 -o "$work/quiet.npy" --json -
grep -q '"kind": "radial"' "$work/out" || fail "no JSON on standard output"

(cd "$work" && PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$sources/tests/e2e python3 - <<'PYTHON') || fail "the files are wrong"
import arrays, json, math, struct
for kind in "radial golden spiral kooshball stack cartesian".split():
    dtype, shape, k = arrays.load(kind + ".npy")
    lines = 21 if kind == "stack" else 7
    assert (dtype, shape) == ("f8", (lines, 12, 3)), (kind, dtype, shape)
    head = open(kind + ".hdr").read().split("\n")
    assert head[0] == "# Dimensions" and head[1].split() == ["3", "12", str(lines)] + 13 * ["1"], head
    data = open(kind + ".cfl", "rb").read()
    pairs = struct.unpack("<%df" % (2 * len(k)), data)
    assert all(v == 0 for v in pairs[1::2])
    assert all(a == arrays.single(b) for a, b in zip(pairs[::2], k)), kind
    if kind == "stack":
        continue  # its JSON is of the first run
    report = json.load(open(kind + ".json"))
    assert (report["command"], report["kind"], report["samples"]) == ("trajectory", kind, 12)
    assert report["points"] == len(k) // 3 and report["k_unit"] == "cycles per field of view"
    for axis, (low, high) in enumerate(report["k_range"]):
        assert (low, high) == (min(k[axis::3]), max(k[axis::3])), (kind, axis)
    centre = sum(k[i:i + 3] == (0, 0, 0) for i in range(0, len(k), 3))
    assert report["k_centre"] == centre, (kind, centre)
# Radial: sample j of spoke s at (j - 6) (cos, sin) of 180 s/7 degrees.
k = arrays.load("radial.npy")[2]
for s in range(7):
    for j in range(12):
        x, y, z = k[3 * (12 * s + j):][:3]
        angle = math.pi * s / 7
        assert abs(x - (j - 6) * math.cos(angle)) < 1e-12 and abs(y - (j - 6) * math.sin(angle)) < 1e-12 and z == 0
dtype, shape, k = arrays.load("piped.npy")
assert shape == (2, 4, 3) and k[0] == -2, (shape, k)
PYTHON
