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

# Where there is no device, the reason is told and the exit status is not 0.
for example in sort own_kernel opencl_embed; do
    status=0
    without_devices "$bin/$example" >"$work/out" 2>"$work/err" || status=$?
    ran="$example without a device"
    [ "$status" -ne 0 ] || fail "$ran: exit status 0"
    expect_stderr "^$example: "
    expect_empty stdout
done
