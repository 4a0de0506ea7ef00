#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `koine tune`: measures, keeps, lists and forgets; and `koine recon` builds its kernel with the kept values.
. "${srcdir:-.}/tests/e2e/lib.sh"
KOINE_KEEP_PROGRAMS=yes # programs are kept here, of every driver
export KOINE_KEEP_PROGRAMS

expect_exit 2 koine tune recom
expect_stderr "'recom' is not one of .*did you mean 'recon'"
expect_exit 2 koine tune --list --reset
expect_stderr 'are mutually exclusive'
expect_exit 2 koine tune --list --quick
expect_exit 2 koine tune recon --list --journal "$work/journal"
expect_stderr 'is for a single measurement'
expect_exit 4 koine tune --device host
expect_stderr 'has no tunables'

need_device
expect_exit 0 koine tune --list recon
expect_stdout '^recon on .*: nothing is kept; the built-in values are used$'

# Nowhere to keep it: said before anything is measured.
: >"$work/file"
expect_exit 3 env KOINE_CACHE_DIR="$work/file/cache" "$KOINE" tune recon --quick
expect_stderr 'cache folder cannot be made'
expect_empty stdout

# A measurement: the built-in values come first, and one candidate is the best.
! on_oclgrind || skip device "Oclgrind's times are no measure"
expect_exit 0 koine tune recon --quick --json "$work/tune.json"
expect_stdout '^candidate +ms +of the best'
expect_stdout 'GROUP [0-9]+, VOXELS [0-9]+, .* built-in'
[ "$(grep -Ec '100 % .*best$' "$work/out")" -eq 1 ] || fail "not one candidate is the best: $(cat "$work/out")"
expect_stdout '^recon on .*: kept GROUP [0-9]+, VOXELS [0-9]+, .*; .* ms of the algorithm.s own .* ms$'
kept=$(sed -n 's/.*: kept //p' "$work/out")
grep -q '"built_in": true' "$work/tune.json" || fail "no candidate is built in"
grep -q '"best": true' "$work/tune.json" || fail "no candidate is the best"

# The journal of such a measurement, which another process goes on with.
expect_exit 2 koine tune --quick --journal "$work/journal"
expect_stderr 'one ALGO, but [0-9]+ are named'
expect_exit 0 koine tune recon --quick --journal "$work/journal"
expect_empty stdout
tail -n 1 "$work/journal" | grep -Eq '^end [0-9]' || fail "the journal has no end: $(cat "$work/journal")"
sed -e '3,$d' "$work/journal" >"$work/first"
sed -ne '3p' "$work/journal" >>"$work/first"
echo 'crash crashed: signal 11' >>"$work/first"
expect_exit 0 koine tune recon --quick --journal "$work/first"
[ "$(sed -n 3p "$work/first")" = "$(sed -n 3p "$work/journal")" ] || fail "another candidate comes behind the crash"
[ "$(grep -c '^try' "$work/first")" -ge 3 ] || fail "nothing was tried behind the crash: $(cat "$work/first")"
expect_exit 0 koine tune --reset recon
expect_exit 0 koine tune recon --quick
kept=$(sed -n 's/.*: kept //p' "$work/out")

# What others can use: a line of the list of measured devices.
expect_exit 0 koine tune --list --export "$work/measured" recon gemm
grep -Eq '^MEASURED\(".+", ".+", (CPU|GPU|ACCELERATOR), "(cuda|opencl)", [0-9]+, "recon",$' "$work/measured" ||
    fail "no line of the device: $(cat "$work/measured")"
grep -Eq '^ +"GROUP=[0-9]+ VOXELS=[0-9]+ .*"\)$' "$work/measured" || fail "no values: $(cat "$work/measured")"
[ "$(wc -l <"$work/measured")" -eq 2 ] || fail "gemm, which was not measured, is exported"
expect_exit 3 koine tune --list --export "$work/measured" recon
expect_stderr 'already exists and is not overwritten'
expect_exit 2 koine tune --reset --export "$work/none" recon
[ ! -e "$work/none" ] || fail "a file was left"

# How fast the device is, in the same list.
expect_exit 0 koine tune rates --quick --export "$work/rates"
expect_stdout '^rates on .*: kept MEMORY [0-9]+, OPERATIONS [0-9]+, COPY [0-9]+, START [0-9]+, BUILD [0-9]+, LAUNCH [0-9]+;'
grep -Eq '^RATES\(".+", ".+", (CPU|GPU|ACCELERATOR), [0-9]+(, [0-9.e+-]+){6}\)$' "$work/rates" ||
    fail "no line of rates: $(cat "$work/rates")"

expect_exit 0 koine tune --list recon
[ "$(sed -n 's/.*: kept //p' "$work/out")" = "$kept" ] || fail "another tuning is listed"
expect_exit 0 koine cache list
expect_stdout 'tuning of recon'

# Later runs take it.
koine trajectory radial --spokes 5 --samples 8 -o "$work/t.npy" >"$work/log" || fail "no trajectory"
koine phantom --matrix 8,8 --kspace "$work/t.npy" -o "$work/k.npy" >"$work/log" || fail "no k-space"
adjoint()
{
    expect_exit 0 env KOINE_LOG=info "$KOINE" recon "$work/k.npy" --trajectory "$work/t.npy" --matrix 8,8 \
        --solver adjoint --kernel tuned -o "$work/image.npy" --force
}
adjoint
expect_stderr 'tuning of recon: '

# Damage is warned of, and the built-in values serve.
for entry in "$KOINE_CACHE_DIR"/*.kbin; do
    ! grep -q 'tuning of recon' "$entry" || truncate -s 330 "$entry"
done
adjoint
expect_stderr 'tuning of recon: what was kept is not used: truncated'
adjoint
! grep -q 'tuning of recon' "$work/err" || fail "a tuning that was damaged is still there"

# Forgotten.
expect_exit 0 koine tune --reset recon
expect_stdout 'nothing is kept'
