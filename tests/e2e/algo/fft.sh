#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `koine fft`: numpy's transforms, compared with the sums of the definition.
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

# The host's own code needs no device.
expect_exit 0 koine fft "$work/line.npy" --device host -o "$work/host_spectrum.npy" --json "$work/host.json"
expect_stdout '^30 complex64 to 30 complex64 on .+ \(host\); seconds'
grep -q '"library": "host"' "$work/host.json" || fail "the library is not called host"
expect_exit 0 koine fft "$work/host_spectrum.npy" --inverse --device host -o "$work/host_back.npy"
expect_exit 0 koine fft "$work/frames.npy" --real --axes 2 --device host -o "$work/host_half.npy"
expect_exit 0 koine fft "$work/host_half.npy" --real --inverse --axes 2 --last 7 --device host -o "$work/host_frames.npy"
expect_exit 4 koine fft "$work/line.npy" --device host --library own -o "$work/o.npy"
expect_stderr "this would run on the host, which has its own code; name a device"

(cd "$work" && PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$sources/tests/e2e python3 "$sources/tests/e2e/algo/spectra.py" \
    host_spectrum host_back host_half host_frames) || fail "the host's answers are wrong"

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
(cd "$work" && PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$sources/tests/e2e python3 "$sources/tests/e2e/algo/spectra.py" \
    spectrum back half frames_back) || fail "the answers are wrong"
grep -q '"shape": \[30\]' "$work/r.json" || fail "the JSON has another shape"
