#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# doc/examples: the programs do what their first lines say. $EXAMPLES is the folder they were built in.
. "${srcdir:-.}/tests/e2e/lib.sh"
need_device
bin=${EXAMPLES:-${builddir:-.}/doc/examples}

expect_exit 0 "$bin/sort"
expect_stdout '^sorted on .+: -5 -1 1 2\.5 3 4 6 9$'
expect_exit 0 "$bin/opencl_embed"
expect_stdout '^-5 -1 1 2\.5 3 4 6 9$'
expect_exit 0 "$bin/own_kernel"
expect_stdout '^2 x \+ y = 12 24 36 48$'
expect_stdout '^saxpy: argument 0 \(a\) .*float.* given 8'
on_oclgrind || expect_stdout '^half\.cl:3: does not compile'
expect_stdout '^half\.cl.*: does not compile'
expect_stdout '/= tow;'

# CUDA's: on a real device if there is one, else with the fake driver, which runs no kernels: nothing is sorted, but the
# application's own context, stream and memory go through Koine's hands and come back whole.
if [ ! -x "$bin/cuda_embed" ]; then
    echo "cuda_embed was not built: configure found no cuda.h"
elif KOINE_DEVICE=cuda:0 "$bin/sort" >/dev/null 2>&1; then
    expect_exit 0 "$bin/cuda_embed"
    expect_stdout '^0 -1 1 2\.5 3 4 6 9$'
else
    fake=${builddir:-.}/tests/fake
    with_fakes()
    {
        env LD_LIBRARY_PATH="$fake" KOINE_CUDA_LIBRARIES="$fake" "$@"
    }
    expect_exit 0 with_fakes "$bin/cuda_embed"
    expect_stdout '^0 -1 4 1 -5 9 2\.5 6$'
    expect_empty stderr
    expect_exit 1 with_fakes env FAKE_CUDA_FAIL=cuInit:100:1 "$bin/cuda_embed"
    expect_stderr '^cuda_embed: CUDA error 100$'
    status=0
    with_fakes env KOINE_CUDA_LIBRARIES=/nonexistent "$bin/cuda_embed" >"$work/out" 2>"$work/err" || status=$?
    ran="cuda_embed where Koine finds no driver"
    [ "$status" -ne 0 ] || fail "$ran: exit status 0"
    expect_stderr '^cuda_embed: cuda: no NVIDIA driver'
    expect_empty stdout
fi

# Where there is no device, the reason is told and the exit status is not 0.
for example in sort own_kernel opencl_embed; do
    status=0
    without_devices "$bin/$example" >"$work/out" 2>"$work/err" || status=$?
    ran="$example without a device"
    [ "$status" -ne 0 ] || fail "$ran: exit status 0"
    expect_stderr "^$example: "
    expect_empty stdout
done
