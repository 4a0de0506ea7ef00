#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `koine stats --memory-limit`: columns that do not fit go to temporary files, with the same bits as in memory, and the
# process stays within the limit; what cannot be computed within it is refused.
. "${srcdir:-.}/tests/e2e/lib.sh"
in=$work/in
mkdir "$in" "$work/tmp"
TMPDIR=$work/tmp
export TMPDIR

# 1.5 million rows of one column, without ties that matter; and 400,000 of three axes at 64 Hz, with a gap of 100 s.
awk 'BEGIN {
    print "load"
    for (i = 0; i < 1500000; i++) { x = (x * 7621 + 1) % 999983; print x / 1000 }
}' >"$in/one.csv"
awk 'BEGIN {
    print "timestamp,x,y,z"
    for (i = 0; i < 400000; i++) {
        x = (x * 7621 + 1) % 9973
        printf "%.0f,%.2f,%.2f,%s\n", 1600000000000 + i * 15.625 + (i >= 250000 ? 100000 : 0), x / 5000, (x + i) % 77 / 64, \
            i % 10007 == 5 ? "" : x % 5 / 4
    }
}' >"$in/axes.csv"

# Too little for anything: what is enough is said, and is taken.
expect_exit 5 koine stats --serial --memory-limit 1M "$in/one.csv" --output "$work/nothing"
expect_stderr '--memory-limit [0-9]+M is enough'
expect_files "$work/nothing"
enough=$(sed -n 's/.*--memory-limit \([0-9]*M\) is enough.*/\1/p' "$work/err")

# numbers FILE: what was computed, of a result in JSON.
numbers()
{
    grep -E '"(n|mean|std|cv|median|mad)":' "$1"
}

# expect_same FILE OPTION...: with the memory that is enough, and with all there is.
expect_same()
{
    file=$1
    shift
    koine stats --serial --method select "$@" "$file" --json "$work/all.json" --output "$work/all" --force ||
        fail "koine stats fails: $* $file"
    grep -q '"spooled_bytes": 0' "$work/all.json" || fail "$* $file did not fit into memory"
    expect_exit 0 koine stats --serial --method select "$@" "$file" --json "$work/limited.json" --output "$work/limited" \
        --force --memory-limit "$enough"
    grep -Eq '"spooled_bytes": [1-9]' "$work/limited.json" || fail "$* $file fitted into $enough"
    numbers "$work/all.json" >"$work/all.txt"
    numbers "$work/limited.json" | cmp "$work/all.txt" - || fail "$* $file: other numbers in $enough"
    for made in windows.csv partitions.csv; do # these without their seconds
        [ -e "$work/all/$made" ] || continue
        sed "$([ $made = windows.csv ] || echo 's/,[^,]*$//')" "$work/all/$made" >"$work/all.txt"
        sed "$([ $made = windows.csv ] || echo 's/,[^,]*$//')" "$work/limited/$made" | cmp "$work/all.txt" - ||
            fail "$* $file: another $made in $enough"
    done
    expect_peak
    expect_files "$work/tmp"
}

# expect_peak: the process held no more than it was allowed.
expect_peak()
{
    peak=$(sed -n 's/.*"peak": \([0-9]*\).*/\1/p' "$work/limited.json")
    sanitized || [ "$peak" -le "${enough%M}000000" ] || fail "$ran: $peak bytes of memory, more than $enough"
}

expect_same "$in/one.csv"
expect_stdout 'one\.csv: 12 MB of values in temporary files'
expect_stdout 'method select; 2 passes over the data'
expect_same "$in/one.csv" --precision float --mad-scale normal
expect_same "$in/one.csv" --num-partitions 2
expect_same "$in/axes.csv" --missing propagate --magnitude --window 30s --step 20s --gap 60 --partial --quantiles 0.1,0.5
expect_same "$in/axes.csv" --missing omit
expect_same "$in/axes.csv" --missing propagate --resample 50 --enmo --column x --column y --column z --window 1000

# Pipes and packed files.
koine stats --serial --method select "$in/one.csv" --json "$work/all.json" --force
numbers "$work/all.json" >"$work/all.txt"
gzip -1 -c "$in/one.csv" >"$in/one.csv.gz"
for file in - "$in/one.csv.gz"; do
    expect_exit 0 koine stats --serial "$file" --json "$work/limited.json" --force --memory-limit "$enough" <"$in/one.csv"
    grep -q '"passes": [2-9]' "$work/limited.json" || fail "$file was read once: $(cat "$work/limited.json")"
    numbers "$work/limited.json" | cmp "$work/all.txt" - || fail "other numbers of $file"
    expect_peak
done

# What fits is not in a file.
expect_exit 0 koine stats --serial "$in/one.csv" --memory-limit 1G --json -
expect_stdout '"passes": null'
expect_stdout '"spooled_bytes": 0'

# What is refused, and leaves nothing.
refuse()
{
    status=$1 words=$2
    shift 2
    expect_exit "$status" koine stats --serial --output "$work/nothing" --memory-limit "$enough" "$@"
    expect_stderr "$words"
    expect_files "$work/nothing"
    expect_files "$TMPDIR"
}
refuse 5 'method sort needs the whole column' --method sort "$in/one.csv"
refuse 5 'sweep needs the whole column load' --sweep --num-partitions 3 "$in/one.csv"
refuse 5 'a window of 1000000 rows needs' --window 1000000 "$in/one.csv"
refuse 5 'the statistics of all windows needs' --window 10 --step 1 "$in/one.csv"
refuse 2 "'12X' is not a number of bytes" --memory-limit 12X "$in/one.csv"
(
    ulimit -f 4000 # 2 MB
    refuse 3 'temporary file .*cannot be written; set TMPDIR' "$in/one.csv"
)
TMPDIR=$work/none
expect_exit 3 koine stats --serial --memory-limit "$enough" "$in/one.csv"
expect_stderr 'none: a temporary file .*cannot be made; set TMPDIR'
