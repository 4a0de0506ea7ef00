#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# An interrupted run exits with 130 and leaves no incomplete file; a reader that goes away causes no error message.
. "${srcdir:-.}/tests/e2e/lib.sh"

# Standard input never ends: the run waits in a read until it is interrupted.
mkfifo "$work/fifo"
exec 3<>"$work/fifo"
printf 'a,b\n1,2\n' >&3
status=0
timeout --preserve-status -s INT 1 "$KOINE" stats --serial --output "$work/result" - <"$work/fifo" \
    >"$work/out" 2>"$work/err" || status=$?
exec 3>&-
[ "$status" -eq 130 ] || fail "exit status $status after SIGINT, expected 130: $(cat "$work/err")"
[ ! -d "$work/result" ] || expect_files "$work/result"

koine help stats | head -n 1 >"$work/out" 2>"$work/err"
grep -q '^Usage' "$work/out" || fail "the first line did not arrive"

# A compiler that is a library is not waited for either: NVRTC takes far longer over this than until it is killed.
for i in $(seq 1 400); do
    echo "__kernel void k$i(__global double *x) { x[$i] = pow(sin(x[0]), cos(x[1])) + tgamma(x[2]) + lgamma(x[3]); }"
done >"$work/long.cl"
if koine check --quiet --target cuda:sm_90 "$srcdir/cl/algo/abs_diff.cl" >"$work/out" 2>"$work/err"; then
    status=0
    timeout --preserve-status -k 10 -s INT 2 "$KOINE" check --target cuda:sm_90 "$work/long.cl" \
        >"$work/out" 2>"$work/err" || status=$?
    [ "$status" -eq 130 ] || fail "exit status $status after SIGINT in NVRTC, expected 130: $(cat "$work/err")"
else
    echo "interrupting NVRTC: not tested: $(head -n 1 "$work/err")"
fi
