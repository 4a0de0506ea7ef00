#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `koine devices`: the devices, the default, and why something is not used.
. "${srcdir:-.}/tests/e2e/lib.sh"

# On a machine without devices it says so, and why; the command itself succeeds.
expect_exit 0 without_devices "$KOINE" devices
expect_stdout '^No usable device'
expect_exit 0 without_devices "$KOINE" devices --json -
expect_stdout '"devices": *\[\]'

# CUDA: used, or why not.
mkdir "$work/nvidia"
expect_exit 0 without_devices env KOINE_CUDA_LIBRARIES="$work/nvidia" "$KOINE" devices
expect_stdout '^CUDA: not used: no NVIDIA driver \(libcuda.so.1 not found\)$'
if [ -e "$builddir/tests/fake/libcuda.so.1" ]; then # built with the unit tests
    ln -s "$builddir/tests/fake/libcuda.so.1" "$work/nvidia"
    expect_exit 0 without_devices env KOINE_CUDA_LIBRARIES="$work/nvidia" "$KOINE" devices
    expect_stdout '^No usable device'
    expect_stdout '^CUDA: cuda:0 is not used: libnvrtc.so.13 not found'
    ln -s "$builddir/tests/fake/libnvrtc.so.13" "$work/nvidia"
    expect_exit 0 without_devices env KOINE_CUDA_LIBRARIES="$work/nvidia" "$KOINE" devices
    expect_stdout '^cuda:0 +Fake H200 +gpu .*\*$'
    expect_stdout '^CUDA: cuda:0 is used$'
fi

need_device
expect_exit 0 koine devices
expect_stdout '^spec +name +type +memory +fp64'
expect_stdout '^(opencl:[0-9]+\.[0-9]+|cuda:[0-9]+) .*\*$'
expect_stdout '^CUDA: '
[ "$(grep -c '\*$' "$work/out")" -eq 1 ] || fail "not one default device: $(cat "$work/out")"
cp "$work/out" "$work/short"

# --all has no fewer lines than the list without it.
expect_exit 0 koine devices --all
[ "$(wc -l <"$work/out")" -ge "$(wc -l <"$work/short")" ] || fail "--all shows less"

# Every device of the list can be named.
write_numbers "$work/numbers.csv"
sed -n 's/^\([a-z]*:[0-9.]*\) .*/\1/p' "$work/short" >"$work/specs"
while read -r spec; do
    expect_exit 0 koine stats --precision float --device "$spec" "$work/numbers.csv"
    expect_stdout "$spec"
done <"$work/specs"
