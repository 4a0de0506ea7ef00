#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# koine sort --resume: after an interruption the parts that were sorted are not sorted again, and the result is that of one run.
. "${srcdir:-.}/tests/e2e/lib.sh"
command -v python3 >/dev/null || skip python3 "python3 is not installed"

cd "$work" || exit 1
count=6000000
{
    printf '\223NUMPY\001\000v\000'
    printf "%-117s\n" "{'descr': '<i4', 'fortran_order': False, 'shape': ($count,), }"
    head -c $((4 * count)) /dev/urandom
} >keys.npy

# interrupt OPTION...: koine sort, from its first parts in the journal on, which last some time.
interrupt()
{
    ran="sort $*, SIGINT"
    # Not from the shell, whose background processes ignore SIGINT.
    python3 - "$KOINE" sort keys.npy --device host -o sorted.npy --resume "$@" >out 2>err <<'PYTHON' || fail "'$ran': $(cat err)"
import os, signal, subprocess, sys, time
signal.signal(signal.SIGINT, signal.SIG_DFL)
journal = "sorted.npy.parts/journal"
for attempt in range(20): # on a busy machine it may end before the signal
    process = subprocess.Popen(sys.argv[1:], env=dict(os.environ, OMP_NUM_THREADS="1"))
    while process.poll() is None and not (os.path.exists(journal) and os.path.getsize(journal) > 1000000):
        time.sleep(0.001)
    process.send_signal(signal.SIGINT)
    if process.wait() != 0: break
    os.remove("sorted.npy")
if process.returncode != 130: sys.exit("exit status %d, expected 130" % process.returncode)
PYTHON
    expect_stderr 'finished pieces are kept in sorted.npy.parts; the same command with --resume goes on with them'
    [ ! -e sorted.npy ] || fail "'$ran' leaves sorted.npy"
}

for how in "" "--argsort --descending"; do
    # shellcheck disable=SC2086 # lists of words
    expect_exit 0 koine sort keys.npy $how --device host -o whole.npy --force
    # shellcheck disable=SC2086
    interrupt $how
    # shellcheck disable=SC2086
    expect_exit 3 koine sort keys.npy $how --device host -o sorted.npy
    expect_stderr 'sorted.npy.parts: holds finished pieces of a run that was interrupted'
    # shellcheck disable=SC2086
    expect_exit 0 koine sort keys.npy $how --device host -o sorted.npy --resume --json sorted.json --force
    expect_stderr '^koine sort: finished pieces taken from sorted.npy.parts: [0-9]+$'
    grep -Eq '"resumed": ([1-9]|1[0-6]),' sorted.json || fail "the JSON does not say how many parts were taken"
    cmp whole.npy sorted.npy || fail "'$ran' gives another order"
    [ ! -e sorted.npy.parts ] || fail "'$ran' leaves sorted.npy.parts"
    rm sorted.npy
done
interrupt
expect_exit 3 koine sort keys.npy --descending --device host -o sorted.npy --resume
expect_stderr 'the journal is of other inputs, other options or another version'
expect_exit 0 koine sort keys.npy --descending --device host -o sorted.npy --force
[ ! -e sorted.npy.parts ] || fail "'$ran' leaves sorted.npy.parts"

expect_exit 2 koine sort keys.npy --resume --top 3 --device host -o none.npy
expect_stderr '^koine sort: --resume: --top computes everything at once'
expect_exit 2 koine sort keys.npy --resume --memory-limit 64M --device host -o none.npy
expect_stderr '^koine sort: --resume: --memory-limit computes everything at once'
expect_exit 2 koine sort keys.npy --resume --device host -o -
expect_stderr '^koine sort: --resume: finished pieces are kept beside a result in a file'
[ ! -e none.npy ] || fail "a refused run leaves none.npy"
