#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `koine solve cone:...`: the volume of a ball whose projections are known, on the host and a device, in files of
# several kinds; refusals.
. "${srcdir:-.}/tests/e2e/lib.sh"
command -v python3 >/dev/null || skip python3 "python3 is not installed"
sources=$(cd "${srcdir:-.}" && pwd)
unset KOINE_DEVICE

python()
{
    (cd "$work" && PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$sources/tests/e2e python3 -)
}

python <<'PYTHON' || fail "making the files"
import arrays, math
angles, rows, columns, source, length, axis = 40, 9, 31, 40.0, 60.0, 16.5
ball, radius = (1.5, -2.0, 0.5), 6.0

def projection(theta):
    c, s = math.cos(theta), math.sin(theta)
    start = (-source * s, source * c, 0)
    for row in range(rows):
        for column in range(columns):
            u, v = column - axis, row - (rows - 1) / 2
            ray = (u * c + length * s, u * s - length * c, v)
            norm = math.sqrt(sum(x * x for x in ray))
            along = sum((b - a) * x for a, b, x in zip(start, ball, ray)) / norm
            square = radius ** 2 - sum((b - a) ** 2 for a, b in zip(start, ball)) + along ** 2
            yield 2 * math.sqrt(max(square, 0))

even = [p for t in range(angles) for p in projection(2 * math.pi * t / angles)]
arrays.save("b.npy", "f8", even, (angles, rows, columns))
arrays.save("b32.npy", "f4", even, (angles, rows, columns))
arrays.save("whole.npy", "u2", [round(100 * p) for p in even], (angles, rows, columns))
arrays.save("flat.npy", "f8", even)
given = [(17 * t % angles) * 360 / angles + 5 for t in range(angles)]
arrays.save("turned.npy", "f8", [p for a in given for p in projection(math.radians(a))], (angles, rows, columns))
open("angles.txt", "w").write("".join("%.17g\n" % a for a in given))
open("half.txt", "w").write("".join("%g\n" % (t * 4) for t in range(angles)))
even[(7 * rows + 3) * columns + 20] = math.nan
arrays.save("nan.npy", "f8", even, (angles, rows, columns))
PYTHON
cone=cone:40,9x31,19x19x5,40,20,16.5

expect_exit 0 koine solve $cone "$work/b.npy" --method fbp --device host -o "$work/host.npy" --json "$work/host.json"
expect_stdout 'a volume of 19 x 19 x 5 voxels .* filter ramp, of 40 projections of 9 x 31 detectors, axis at 16.5'
expect_exit 0 koine solve cone:40,9x31,19x19x5,40,20 "$work/turned.npy" --method fbp --offset -1.5 --angles "$work/angles.txt" \
    --device host --precision float -o "$work/turned_x.npy"
expect_exit 0 koine solve $cone "$work/whole.npy" --method fbp --filter hann --device host -o "$work/whole_x.npy"
expect_exit 0 koine solve cone:40,9x31,19,40,20,16.5 "$work/b32.npy" --method fbp --device host --detector flat \
    -o "$work/cube.nii" --report "$work/page.html"
expect_exit 0 koine solve $cone "$work/b.npy" --method fbp --device host -o "$work/slice.png"
python <<'PYTHON' || fail "the volume is wrong"
import arrays, json
for name, kind, scale in (("host", "f8", 1), ("turned_x", "f4", 1), ("whole_x", "f8", 100)):
    dtype, shape, values = arrays.load(name + ".npy")
    assert (dtype, shape) == (kind, (5, 19, 19)), (name, dtype, shape)
    middle = [v / scale for v in values[2 * 361:3 * 361]]
    inside = [v for i, v in enumerate(middle) if (i % 19 - 10.5) ** 2 + (i // 19 - 7) ** 2 < 4 ** 2]
    mean = sum(inside) / len(inside)
    assert abs(mean - 1) < 0.02 and max(abs(v - 1) for v in inside) < 0.1, (name, mean, inside)
    assert abs(middle[17 * 19 + 1]) < 0.1
report = json.load(open("host.json"))
assert report["method"] == "fbp" and report["filter"] == "ramp" and report["residual"] is None and report["iterations"] == 0
assert report["stopped_by"] == "direct" and report["precision"] == "double" and report["history"] == [], report
assert report["geometry"] == {"angles": 40, "lines": 9, "detectors": 31, "size": 19, "slices": 5, "axis": 16.5,
                              "source": 40.0, "detector": 20.0}, report
PYTHON
grep -q 'The middle slice of the volume' "$work/page.html" || fail "the page has no picture"

# refused WORDS STATUS ARGUMENTS...
refused()
{
    words=$1 exit=$2
    shift 2
    expect_exit "$exit" koine solve "$@" -o "$work/none.npy"
    expect_stderr "$words"
    [ ! -e "$work/none.npy" ] || fail "a refused cone leaves a result: $*"
}
b=$work/b.npy
refused 'needs --method fbp' 2 $cone "$b"
refused 'needs --method fbp' 2 $cone "$b" --method cgnr
refused 'the source is inside the object: 13 pixels' 2 cone:40,9x31,19,13,20 "$b" --method fbp
refused 'expected cone:ANGLES,ROWSxCOLUMNS,N' 2 cone:40,31,19,40,20 "$b" --method fbp
refused 'expected cone:ANGLES,ROWSxCOLUMNS,N' 2 cone:40,9x31,19x18x5,40,20 "$b" --method fbp
refused 'expected cone:ANGLES,ROWSxCOLUMNS,N' 2 cone:40,9x31,19,40,20,auto "$b" --method fbp
refused '0 lines of detectors' 2 cone:40,0x31,19,40,20 "$b" --method fbp
refused 'the panel of .* is flat' 2 $cone "$b" --method fbp --detector curved
refused 'stripes is for sinograms' 2 $cone "$b" --method fbp --stripes
refused 'has one volume' 2 $cone "$b" --method fbp --slice 2
refused 'has one volume' 2 $cone "$b" --method fbp --rhs 1
refused 'method fbp has no bounds' 2 $cone "$b" --method fbp --nonnegative
refused 'flat.npy: an array of 11160; the geometry expects 40 projections of 9 x 31' 3 $cone "$work/flat.npy" --method fbp
refused 'b.npy: an array of 40 x 9 x 31; the geometry expects 40 projections of 31 x 9' 3 cone:40,31x9,19,40,20 "$b" --method fbp
refused 'nan.npy: detector 20 of line 3 of projection 7 .from 0. is nan' 3 $cone "$work/nan.npy" --method fbp
refused 'half.txt: .* of a cone beam needs projections all around' 3 $cone "$b" --method fbp --angles "$work/half.txt"
refused 'none.h5' 3 $cone "$work/none.h5" --method fbp
refused 'the volume needs .*--memory-limit [0-9.]*[kMG]* is enough' 5 $cone "$b" --method fbp --memory-limit 1M --device host
expect_exit 2 koine solve $cone "$b" --method fbp -o "$work/x.txt"
expect_exit 2 koine project $cone "$b" -o "$work/none.npy"
expect_stderr 'no projector for cone beams'
expect_exit 2 koine spmv $cone

# ---- a device ----

need_device
expect_exit 0 koine solve $cone "$b" --method fbp --precision float --device auto -o "$work/device.npy"
python <<'PYTHON' || fail "a device has another volume"
import arrays
wanted, (dtype, shape, found) = arrays.load("host.npy")[2], arrays.load("device.npy")
assert (dtype, shape) == ("f4", (5, 19, 19)), (dtype, shape)
assert max(abs(a - b) for a, b in zip(wanted, found)) < 1e-5 * max(map(abs, wanted))
PYTHON
