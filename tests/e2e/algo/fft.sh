#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `koine fft`: numpy's transforms, held against sums as the definition has them.
. "${srcdir:-.}/tests/e2e/lib.sh"
command -v python3 >/dev/null || skip python3 "python3 is not installed"
sources=$(cd "${srcdir:-.}" && pwd)

(cd "$work" && PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$sources/tests/e2e python3 - <<'PYTHON') || fail "making the arrays"
import arrays, random
random.seed(11)
chance = lambda: random.gauss(0, 1)
arrays.save("line.npy", "c8", [complex(chance(), chance()) for _ in range(30)])
arrays.save("frames.npy", "f4", [chance() for _ in range(2 * 6 * 7)], (2, 6, 7))
arrays.save("whole.npy", "i4", range(8))
arrays.save("long.npy", "f4", [chance() for _ in range(480)])
arrays.save("point.npy", "f4", [1], ())
PYTHON
expect_exit 2 koine fft "$work/line.npy"
expect_exit 2 koine fft "$work/line.npy" -o "$work/o.npy" --last 5
expect_exit 3 koine fft "$work/whole.npy" -o "$work/o.npy"
expect_stderr 'int32, expected float32'
expect_exit 3 koine fft "$work/point.npy" -o "$work/o.npy"
expect_stderr '0 dimensions'
expect_exit 3 koine fft "$work/line.npy" -o "$work/o.npy" --real
expect_stderr 'complex64, but --real takes real'
expect_exit 3 koine fft "$work/line.npy" -o "$work/o.npy" --axes 2

need_device
# Of our own kernels compilers have nothing to tell to users.
(
    POCL_CACHE_DIR=$work/pocl
    export POCL_CACHE_DIR
    expect_exit 0 koine fft "$work/long.npy" --library own -o "$work/long_spectrum.npy"
    ! grep 'warning.* generated' "$work/err" || fail "a compiler's warnings on standard error"
) || exit 1
library=auto
if on_oclgrind; then library=own; fi # to choose, transforms of whatever memory holds are timed, which it reports
expect_exit 0 koine fft "$work/line.npy" --library $library -o "$work/spectrum.npy" --json "$work/r.json"
expect_stdout '^30 complex64 to 30 complex64 \(.+\) on '
expect_exit 0 koine fft "$work/spectrum.npy" --inverse --library $library -o "$work/back.npy"
expect_exit 0 koine fft "$work/frames.npy" --real --axes 2 --library own -o "$work/half.npy"
expect_stdout '^2 x 6 x 7 float32 to 2 x 6 x 4 complex64 \(own: '
expect_exit 2 koine fft "$work/half.npy" --real --inverse --axes 2 --last 9 -o "$work/o.npy"
expect_exit 0 koine fft "$work/half.npy" --real --inverse --axes 2 --last 7 --library own -o "$work/frames_back.npy"
default=$(awk -F'"' '/"spec":/ { spec = $4 } /"default": true/ { print spec }' "$work/devices.json")
case $default in cuda:*) other=clfft ;; *) other=cufft ;; esac
expect_exit 4 koine fft "$work/line.npy" --library $other --device "$default" -o "$work/o.npy"
(cd "$work" && PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$sources/tests/e2e python3 - <<'PYTHON') || fail "the answers are wrong"
import arrays, cmath, json, math
turn = -2j * math.pi
def close(found, right):
    scale = math.sqrt(sum(abs(z) ** 2 for z in right))
    error = math.sqrt(sum(abs(a - b) ** 2 for a, b in zip(found, right))) / scale
    assert len(found) == len(right) and error < 1e-6, error
line = arrays.load("line.npy")[2]
dtype, shape, spectrum = arrays.load("spectrum.npy")
assert (dtype, shape) == ("c8", (30,)), (dtype, shape)
close(spectrum, [sum(x * cmath.exp(turn * j * k / 30) for j, x in enumerate(line)) for k in range(30)])
close(arrays.load("back.npy")[2], line)
frames = arrays.load("frames.npy")[2]
dtype, shape, half = arrays.load("half.npy")
assert (dtype, shape) == ("c8", (2, 6, 4)), (dtype, shape)
close(half, [sum(frames[f * 42 + y * 7 + x] * cmath.exp(turn * (y * v / 6 + x * u / 7)) for y in range(6) for x in range(7))
             for f in range(2) for v in range(6) for u in range(4)])
dtype, shape, back = arrays.load("frames_back.npy")
assert (dtype, shape) == ("f4", (2, 6, 7)), (dtype, shape)
close(back, frames)
assert json.load(open("r.json"))["shape"] == [30]
PYTHON
