#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `koine stats` on a real Empatica E4 recording: the exact answers, in both precisions and on the host.
. "${srcdir:-.}/tests/e2e/lib.sh"
need_data acc/ACC_msr2023.csv

expect_answers()
{
    expect_stdout 'ACC_msr2023\.csv'
    expect_stdout ' x +117156 +-30\.056728 +[0-9.]+ +-0\.72210659 +-33 +11$'
    expect_stdout ' y +117156 +-?[0-9.]+ +[0-9.]+ +6\.57664(114|11) +-7 +17$'
    expect_stdout ' z +117156 +-?[0-9.]+ +[0-9.]+ +0\.63885642 +45 +11$'
}

expect_exit 0 koine stats --serial "$data/acc/ACC_msr2023.csv"
expect_answers
for options in --serial --vectorized --parallel "--parallel --vectorized" "--serial --precision float" "--parallel --vectorized --precision float"; do
    for method in sort select fused; do
        # shellcheck disable=SC2086
        expect_exit 0 koine stats $options --method "$method" "$data/acc/ACC_msr2023.csv"
        expect_answers
        expect_stdout "; method $method( on bytes)?\$"
    done
done
# The whole file is its own last prefix, and a sweep takes the same way to it.
expect_exit 0 koine stats --serial --sweep --num-partitions 3 "$data/acc/ACC_msr2023.csv"
expect_answers
expect_stdout ' +117156 +-0\.72210659 +11$'
expect_stdout ' +x +serial +39052 +-'
expect_exit 0 without_devices "$KOINE" stats "$data/acc/ACC_msr2023.csv"
expect_answers
expect_stderr '^koine stats: no device.*own code computes'
expect_one_line

# The beginning of the file, more than one block of the sort: what the device computes has the same bits as what the
# host computes. A device without double precision has its own, within 2^-40.
need_device
head -n 9002 "$data/acc/ACC_msr2023.csv" >"$work/head.csv"
columns=3
! on_oclgrind || columns=1
expect_exit 0 koine stats --serial --precision "$precision" --output "$work/host" "$work/head.csv"
if on_oclgrind; then
    expect_exit 0 koine stats --gpu --column x --output "$work/device" "$work/head.csv"
else
    expect_exit 0 koine stats --gpu --precision "$precision" --output "$work/device" "$work/head.csv"
fi
awk -F, -v precision="$precision" -v columns="$columns" '
    function near(a, b) { d = a / b - 1; return precision == "double" ? a "" == b "" : d < 1e-12 && d > -1e-12 }
    FNR == 1 { next }
    NR == FNR { for (i = 6; i <= 11; i++) host[FNR, i] = $i; next }
    { for (i = 6; i <= 11; i++) if (!near(host[FNR, i], $i)) { print $2 ": " host[FNR, i], $i; bad = 1 } rows++ }
    END { exit bad || rows != columns }' "$work/host/stats.csv" "$work/device/stats.csv" ||
    fail "the host and the device disagree (column, host, device)"
if on_oclgrind; then
    echo "Oclgrind would take an hour for the whole file"
    exit 0
fi

if [ "$precision" = double ]; then
    expect_exit 0 koine stats "$data/acc/ACC_msr2023.csv"
    expect_answers
    expect_stdout ', variant gpu, double precision'
else
    expect_exit 4 koine stats "$data/acc/ACC_msr2023.csv"
    expect_stderr 'has no double precision; use --precision float'
fi
expect_exit 0 koine stats --gpu --method sort --precision float --repetitions 3 "$data/acc/ACC_msr2023.csv"
expect_answers
expect_exit 0 koine stats --device all --precision float "$data/acc/ACC_msr2023.csv"
expect_answers

# One column, out of a folder, from standard input.
mkdir "$work/folder"
cp "$data/acc/ACC_msr2023.csv" "$work/folder/"
expect_exit 0 koine stats --precision "$precision" --column z "$work/folder"
expect_stdout ' z +117156 .* 45 +11$'
[ "$(grep -c ' 117156 ' "$work/out")" -eq 1 ] || fail "--column z shows other columns too"
koine stats --precision "$precision" --column 3 - <"$data/acc/ACC_msr2023.csv" >"$work/out" || fail "standard input is not read"
ran='koine stats --column 3 -'
expect_stdout ' z +117156 .* 45 +11$'
