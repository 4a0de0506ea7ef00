#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Where a command computes if no place is named: the one expected to finish first, with the reason; a named place is used.
. "${srcdir:-.}/tests/e2e/lib.sh"
command -v python3 >/dev/null || skip python3 "python3 is not installed"
sources=$(cd "${srcdir:-.}" && pwd)
unset KOINE_DEVICE
(cd "$work" && PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$sources/tests/e2e python3 -c '
import arrays, random
arrays.save("numbers.npy", "f4", [random.random() for _ in range(5000)])
arrays.save("integers.npy", "i4", [random.randrange(-9, 9) for _ in range(5000)])
arrays.save("volume.npy", "u1", [random.randrange(256) for _ in range(16 ** 3)], (16, 16, 16))
arrays.save("plane.npy", "f8", [random.random() for _ in range(512 * 512)], (512, 512))')
write_numbers "$work/numbers.csv"
printf '%%%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 3\n2 2 4\n' >"$work/a.mtx"
printf '%%%%MatrixMarket matrix array real general\n2 1\n3\n8\n' >"$work/b.mtx"

# Little work: the host, whatever else there is, and nothing on standard error.
small='\(host: about [0-9.e-]+ s, less than a GPU takes to start\)'
expect_small()
{
    expect_exit 0 koine "$@" --json "$work/small.json" --force
    expect_stdout "$small"
    expect_empty stderr
    grep -q '"why": "about [0-9.e-]* s, less than a GPU takes to start"' "$work/small.json" || fail "$1: no device.why"
    grep -q '"spec": "host"' "$work/small.json" || fail "$1: not on the host"
}
expect_small sort "$work/numbers.npy" -o "$work/sorted.npy"
expect_small sort "$work/numbers.npy" --argsort -o "$work/order.npy"
expect_small reduce "$work/numbers.npy"
expect_small reduce "$work/integers.npy" --op max
expect_small reduce "$work/integers.npy" --op moments
expect_small select "$work/numbers.npy" --quantile 0.5
expect_small stats "$work/numbers.csv"
expect_small spmv "$work/a.mtx"
expect_small solve "$work/a.mtx" "$work/b.mtx" -o "$work/x.npy"
expect_small solve "$work/a.mtx" "$work/b.mtx" -o "$work/x.npy" --precision float
expect_small fft "$work/plane.npy" -o "$work/spectrum.npy"
expect_small autocorr "$work/volume.npy" --volume
expect_small project parallel:3,40,512 "$work/plane.npy" -o "$work/sinogram.npy"

# What has a name is what computes, and needs no reason.
expect_exit 0 koine sort "$work/numbers.npy" -o "$work/named.npy" --device host --json "$work/named.json"
expect_stdout '\(host\); seconds'
! grep -q '"why"' "$work/named.json" || fail "a reason for a place that was named"
cmp "$work/sorted.npy" "$work/named.npy" || fail "the host sorts otherwise when it is named"

# More work than a GPU's start: it is looked for. Where nothing is found, a line says so.
big="project parallel:800,512,512 $work/plane.npy -o $work/big.npy --force"
# shellcheck disable=SC2086 # words
expect_exit 0 env OMP_NUM_THREADS=1 OCL_ICD_VENDORS=/nonexistent OCL_ICD_FILENAMES= KOINE_CUDA_LIBRARIES=/nonexistent \
    "$KOINE" $big
expect_stdout '\(host: about [0-9.]+ s, (and there is no GPU|a GPU would take [0-9.]+ s, most of it for compiling once)\)'
# shellcheck disable=SC2086
expect_exit 0 env OMP_NUM_THREADS=1 "$KOINE" $big
expect_stdout '\(host: about [0-9.]+ s[,;] .*\)|\((cuda|opencl):.*: about [0-9.]+ s, on the host [0-9.]+ s\)'

# What the host does not have is the device's, as before.
need_device
expect_exit 0 koine sort "$work/numbers.npy" --algorithm radix -o "$work/radix.npy"
expect_stdout '\((cuda|opencl):[0-9.]+\)'
cmp "$work/sorted.npy" "$work/radix.npy" || fail "the device sorts otherwise than the host"
expect_exit 0 env KOINE_DEVICE=auto "$KOINE" sort "$work/numbers.npy" -o "$work/auto.npy"
expect_stdout '\((cuda|opencl):[0-9.]+\)'
