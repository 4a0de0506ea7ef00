#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Help, version and man pages exist for every command, and are complete.
. "${srcdir:-.}/tests/e2e/lib.sh"

commands='devices cache tune check emit run compare sort reduce select scan fft gemm solve project spmv stats autocorr
    prepare recon phantom trajectory'

expect_exit 0 koine --version
expect_stdout '^koine [0-9]+\.[0-9]+\.[0-9]+'
expect_exit 0 koine -V
expect_exit 0 koine --help
cp "$work/out" "$work/overview"
for command in $commands; do
    grep -Eq "^  $command  " "$work/overview" || fail "koine --help does not name $command"
    expect_exit 0 koine "$command" --help
    cp "$work/out" "$work/long"
    expect_stdout "^Usage: koine $command "
    expect_stdout '^  -h, --help  '
    expect_empty stderr
    awk 'length > 80 { print; long = 1 } END { exit long }' "$work/out" || fail "$ran: a line is longer than 80"
    [ "$(sed -n '/^Examples:/,$p' "$work/out" | grep -c '^  koine ')" -eq 2 ] || fail "$command: not two examples"
    expect_exit 0 koine help "$command"
    cmp -s "$work/out" "$work/long" || fail "koine help $command differs from koine $command --help"

    expect_exit 0 koine --man "koine-$command"
    expect_stdout "^\.TH \"KOINE-"
    # Every option of the help is in the man page.
    sed -n 's/^  .*--\([a-z-]*\).*/\1/p' "$work/long" | sed 's/-/\\-/g' >"$work/options"
    while read -r option; do
        grep -Fq -e "\\-\\-$option" "$work/out" || fail "koine-$command(1) does not name --$option"
    done <"$work/options"
done
expect_exit 0 koine help
cmp -s "$work/out" "$work/overview" || fail "koine help differs from koine --help"

expect_exit 0 koine --man koine
for variable in DEVICE CACHE_DIR KERNEL_PATH DATA REQUIRE LOG; do
    expect_stdout "KOINE_$variable="
done
expect_stdout "OMP_NUM_THREADS="
for status in 0 1 2 3 4 5 130; do
    expect_stdout "^.fB$status.fR"
done
if command -v groff >/dev/null; then
    for page in koine $(echo "$commands" | sed 's/[a-z][a-z]*/koine-&/g'); do
        koine --man "$page" >"$work/page.1"
        groff -man -Tascii -ww "$work/page.1" >"$work/page.txt" 2>"$work/page.err" || fail "groff refuses $page"
        [ ! -s "$work/page.err" ] || fail "groff complains about $page: $(cat "$work/page.err")"
    done
fi

expect_exit 2 koine --man koine-nothing
expect_exit 2 koine help nothing
