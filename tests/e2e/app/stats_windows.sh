#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `koine stats --window`: windows of rows and of durations, as tables, JSON and files; errors are named, and leave no
# file.
. "${srcdir:-.}/tests/e2e/lib.sh"
in=$work/in
mkdir "$in"

# 100 rows at 4 Hz, 0, 1, 2 ..., with a gap of 60 s more before row 51.
awk 'BEGIN {
    print "time,load"
    for (i = 0; i < 100; i++) printf "%.2f,%d\n", 1600000000 + i / 4 + (i >= 50 ? 60 : 0), i
}' >"$in/rows.csv"
printf '1\n5\n2\n4\n3\n' >"$in/plain.csv"

# Of 20 rows each: 0 to 19 has the median 9.5 and a MAD of 5.
expect_exit 0 koine stats --serial --window 5s "$in/rows.csv"
expect_stdout '5 windows of column load'
expect_stdout '^load +0 +20 +9\.5 .* 9\.5 +5$'
expect_stdout '^ +75 +20 +69\.5 .* 69\.5 +5$'
# Not over the gap: two on either side of it.
expect_exit 0 koine stats --serial --window 5s --gap 10 "$in/rows.csv"
expect_stdout '4 windows of column load'
expect_stdout '^ +72\.5 +20 +59\.5 '
# Row 40 begins the partial window before the gap.
expect_exit 0 koine stats --serial --window 20 --step 20 --gap 10 --partial --quantiles 0.25,1 "$in/rows.csv" \
    --json "$work/result.json" --output "$work/results"
expect_files "$work/results" stats.csv windows.csv windows.npy
[ "$(wc -l <"$work/results/windows.csv")" -eq 7 ] || fail "windows.csv: $(cat "$work/results/windows.csv")"
grep -qx 'result,column,start_seconds,n,mean,std,cv,median,mad,q0.25,q1' "$work/results/windows.csv" ||
    fail "windows.csv: $(cat "$work/results/windows.csv")"
grep -q '^0,load,10,10,44\.5,.*,44\.5,2\.5,42\.25,49$' "$work/results/windows.csv" ||
    fail "windows.csv: $(cat "$work/results/windows.csv")"
tr -d ' \n' <"$work/result.json" >"$work/flat.json"
grep -qF '"start":10.0,"n":10,"mean":44.5,' "$work/flat.json" || fail "the JSON: $(cat "$work/result.json")"
grep -qF '"median":44.5,"mad":2.5,"quantiles":[42.25,49.0]' "$work/flat.json" || fail "the JSON: $(cat "$work/result.json")"
# Six windows of ten numbers, behind a head of 128 bytes.
[ "$(wc -c <"$work/results/windows.npy")" -eq $((128 + 6 * 10 * 8)) ] || fail "windows.npy has another size"

# Without a rate starts are rows; the variants agree.
for variant in --serial --vectorized --parallel '--parallel --vectorized'; do
    # shellcheck disable=SC2086 # one option or two
    expect_exit 0 koine stats $variant --window 3 --step 2 --mad-scale 1 "$in/plain.csv"
    expect_stdout '^column +start \(row\) '
    expect_stdout '^column1 +0 +3 +2\.6666667 .* 2 +1$'
    expect_stdout '^ +2 +3 +3 .* 3 +1$'
done

# Beats come at no rate: windows by time, from the first beat on, of which those without one are left out.
printf '1680686620.0, IBI\n1,0.8\n2,0.9\n3,1.1\n11,0.7\n12,0.9\n21,1\n' >"$in/IBI.csv"
expect_exit 0 koine stats --serial --window 5s "$in/IBI.csv"
expect_stdout '2 windows of column ibi'
expect_stdout '^ibi +0 +3 .* 0\.9 +0\.1$'
expect_stdout '^ +10 +2 .* 0\.8 +0\.1$'
expect_exit 0 koine stats --serial --window 10s --step 5s --partial "$in/IBI.csv"
expect_stdout '5 windows of column ibi'
expect_stdout '^ +5 +2 .* 0\.8 +0\.1$'
expect_stdout '^ +20 +1 +1 '

# What is wrong is named.
refuse()
{
    status=$1 words=$2
    shift 2
    expect_exit "$status" koine stats --serial "$@" --output "$work/refused"
    expect_stderr "$words"
    for name in stats.csv windows.csv windows.npy; do
        [ ! -e "$work/refused/$name" ] || fail "$name was written: $*"
    done
}
refuse 3 'rows\.csv.*column load has 100 rows.* but a window has 101' --window 101 "$in/rows.csv"
refuse 3 'plain\.csv.*neither times nor a rate' --window 1s "$in/plain.csv"
refuse 3 'IBI\.csv.*has 6 rows, which do not fill a window of 30 s' --window 30s "$in/IBI.csv"
refuse 3 'IBI\.csv.*--window is a duration, but the rows have no constant rate' --window 5s --step 2 "$in/IBI.csv"
refuse 3 'rows\.csv.*0\.01 s are 0 rows' --window 10ms "$in/rows.csv"
refuse 2 "step: '0' is neither" --window 10 --step 0 "$in/rows.csv"
refuse 2 "window: '0' is neither" --window 0 "$in/rows.csv"
refuse 2 "window: '60m' is neither" --window 60m "$in/rows.csv"
refuse 2 'step needs --window' --step 10 "$in/rows.csv"
refuse 2 "quantiles: '2'" --window 10 --quantiles 0.5,2 "$in/rows.csv"
refuse 2 'missing omit cannot be combined' --window 10 --missing omit "$in/rows.csv"
