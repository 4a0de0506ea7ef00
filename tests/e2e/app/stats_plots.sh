#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `koine stats --plots`: three drawings that an XML parser accepts, with their titles, axes and legends.
. "${srcdir:-.}/tests/e2e/lib.sh"
command -v python3 >/dev/null || skip python3 "python3 is not installed"

awk 'BEGIN { print "a,b"; for (i = 0; i < 3000; i++) print (i * 37) % 201 - 90 "," (i * 7919) % 1009 / 8 }' >"$work/made.csv"
sed -n '1,900p' "$work/made.csv" >"$work/short.csv"

# look FILE EXPRESSION...
look()
{
    file=$1
    shift
    python3 "${srcdir:-.}/tests/e2e/stats.py" svg "$file" "$@" || fail "$file of '$ran'"
}

expect_exit 0 koine stats --serial --column a --num-partitions 5 --plots --output "$work/one" "$work/made.csv"
expect_stdout "^written to $work/one: stats.csv, partitions.csv, time.svg, cv.svg, mad.svg$"
expect_files "$work/one" cv.svg mad.svg partitions.csv stats.csv time.svg
look "$work/one/time.svg" '"Computing time, method fused: made.csv, column a" in words' '"serial" in words' \
    '"Rows" in words' 'any(w in words for w in ("Time (s)", "Time (ms)", "Time (µs)"))' \
    'r.count("class=\"mark f0\"") == 5 + 1'
look "$work/one/cv.svg" '"Coefficient of variation: made.csv, column a" in words' '"CV (no unit)" in words' '"Rows" in words' \
    'r.count("class=\"mark f0\"") == 5 + 1'
look "$work/one/mad.svg" '"Median absolute deviation: made.csv, column a" in words' '"serial" in words' '"MAD (the data'"'"'s unit)" in words'

# They are there: nothing is computed, and nothing changes without --force.
expect_exit 3 koine stats --serial --plots --num-partitions 2 --output "$work/one" "$work/made.csv"
expect_stderr '--force'
rm "$work/one/stats.csv" "$work/one/partitions.csv" "$work/one/time.svg"
cp "$work/one/cv.svg" "$work/kept"
expect_exit 3 koine stats --serial --plots --num-partitions 2 --output "$work/one" "$work/made.csv"
expect_stderr 'cv\.svg.*--force'
expect_files "$work/one" cv.svg mad.svg
cmp -s "$work/kept" "$work/one/cv.svg" || fail "cv.svg was changed without --force"

# Variants that agree share a line, and the legend says so; columns stand below each other; both precisions too.
expect_exit 0 koine stats --all-variants --device host --precision both --plots --partition-step 500 --output "$work/all" "$work/made.csv"
look "$work/all/cv.svg" '"a" in words and "b" in words' '"Coefficient of variation: made.csv" in words' \
    '"4 variants, both precisions: the same bits" in words'
expect_exit 0 koine stats --all-variants --device host --plots --column b --partition-step 500 --force --output "$work/one" "$work/made.csv"
look "$work/one/cv.svg" '"serial, vectorized, parallel, parallel-vectorized: the same bits" in words'
look "$work/all/time.svg" '"Double precision" in words and "Single precision" in words' \
    'all(v in words for v in ("serial", "vectorized", "parallel", "parallel-vectorized"))'

# Files are lines. A sweep has no times of single prefixes, and so no time.svg.
expect_exit 0 koine stats --serial --plots --sweep --output "$work/sweep" "$work/made.csv" "$work/short.csv"
expect_stderr '^koine stats: --plots uses 75 prefixes of each column; --num-partitions and --partition-step'
expect_stderr '^koine stats: time\.svg is not drawn: --sweep does not time'
expect_files "$work/sweep" cv.svg mad.svg partitions.csv stats.csv
look "$work/sweep/mad.svg" '"made.csv" in words and "short.csv" in words' '"Median absolute deviation" in words'

# Windows over time: median and MAD of ten minutes, a column's picture of its own.
awk 'BEGIN { print "time,load,other"
    for (i = 0; i < 600; i++) printf "2020-07-24 07:%02d:%02d,%d,%d\n", i / 60, i % 60, i * 37 % 101, i % 7 }' >"$work/rows.csv"
expect_exit 0 koine stats --serial --window 60s --plots --output "$work/windows" "$work/rows.csv"
expect_files "$work/windows" stats.csv windows.csv windows.npy windows.svg
look "$work/windows/windows.svg" 'all(w in words for w in ("Time (min)", "median", "median + MAD", "median - MAD", "load", "other"))'

# A mean of 0 has no CV that could be drawn: that is said, and the rest is there.
printf 'v\n-1\n1\n' >"$work/zero.csv"
expect_exit 0 koine stats --serial --plots --num-partitions 1 --output "$work/zero" "$work/zero.csv"
expect_stderr 'cv\.svg is not drawn: .*no point'
expect_files "$work/zero" mad.svg partitions.csv stats.csv time.svg

# Without --output the folder is results.
command=$(command -v "$KOINE")
command=$(cd "$(dirname "$command")" && pwd)/$(basename "$command")
mkdir "$work/here"
cp "$work/made.csv" "$work/here/"
(cd "$work/here" && "$command" stats --serial --plots --num-partitions 2 made.csv >/dev/null) || fail "--plots without --output"
expect_files "$work/here/results" cv.svg mad.svg partitions.csv stats.csv time.svg
