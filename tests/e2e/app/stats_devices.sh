#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `koine stats` on several devices: they share the files, or a file's columns, and the results are those of one device, to
# the bit, also if devices fail during the work.
. "${srcdir:-.}/tests/e2e/lib.sh"
command -v python3 >/dev/null || skip python3 "python3 is not installed"
need_device

# look EXPRESSION...: each holds for the JSON in $work/r.json (stats.py).
look()
{
    python3 "${srcdir:-.}/tests/e2e/stats.py" json "$work/r.json" "$@" || fail "the JSON of '$ran'"
}

# compute OPTION...: leaves $work/r.json, and the numbers of its results in $work/values.
compute()
{
    expect_exit 0 koine stats --precision "$precision" --force --json "$work/r.json" "$@"
    grep -E '"(file|column|n|mean|std|cv|median|mad|method)":' "$work/r.json" >"$work/values"
}

expect_values()
{
    cmp -s "$work/$1" "$work/values" || fail "'$ran' gives other results than one device"
}

mkdir "$work/in"
for i in 1 2 3 4 5; do
    awk -v s=$i 'BEGIN { print "a,b"; for (i = 0; i < 900 * s; i++) print (i * 7919 * s) % 1009 / 8 + 0.1 "," (i * 37) % 201 - 90 }' \
        >"$work/in/$i.csv"
done
# Three columns of 400,000 values: two pieces.
awk 'BEGIN { print "a,b,c"; for (i = 0; i < 400000; i++) print i % 7 "," i % 1009 "," i % 11 }' >"$work/columns.csv"

device=$(sed -n 's/.*"spec": "\([^"]*\)".*/\1/p' "$work/devices.json" | head -1)
compute --device "$device" "$work/in"
look '"devices" not in r' 'len(r["results"]) == 10'
mv "$work/values" "$work/files"
compute --device host --num-partitions 3 --window 100 --quantiles 0.1 "$work/columns.csv"
mv "$work/values" "$work/columns"
look 'len(r["results"]) == 3' '"devices" not in r'

# The same device twice.
compute --device "$device" --device "$device" "$work/in"
expect_values files
expect_stdout ', variant gpu, .*; [0-9]+ of 10 columns; '
look 'len(r["devices"]) == 2' 'sum(d["pieces"] for d in r["devices"]) == 5' 'all(d["dropped"] is None for d in r["devices"])' \
    'len(r["files"]) == 5' 'r["seconds"]["read"] > 0'
compute --device host --device host --num-partitions 3 --window 100 --quantiles 0.1 "$work/columns.csv"
expect_values columns
look 'sum(d["pieces"] for d in r["devices"]) == 2' 'len(r["files"]) == 1' \
    'all(len(x["partitions"]) == 3 and len(x["windows"]) == 4000 for x in r["results"])' \
    'all(len(w["quantiles"]) == 1 for x in r["results"] for w in x["windows"])'

# A device and the host. Which method each has by itself is its own; together they have one.
compute --device "$device" --device host --method select "$work/in"
expect_stdout ', variant parallel'
look 'len({x["method"] for x in r["results"]}) == 1' '[d["spec"] for d in r["devices"]][1] == "host"'

# Times are compared: each computes everything.
compute --device host --device host --sweep --num-partitions 3 "$work/in"
look '"devices" not in r' 'len(r["results"]) == 20' 'agree(r["results"])'

# Memory for one file at a time.
if ! sanitized; then
    compute --device host --device host --memory-limit 50M "$work/in"
    expect_stderr '^koine stats: host takes no part: --memory-limit has room for 1 at a time'
    look '[d["pieces"] for d in r["devices"]] == [5]' 'r["memory"]["peak"] <= 50000000'
fi

# A file that is none ends the run.
printf 'a,b\n1,2\n1,x\n' >"$work/in/6.csv"
expect_exit 3 koine stats --precision "$precision" --device "$device" --device "$device" --json "$work/none.json" "$work/in"
expect_stderr '6.csv:3: '
[ -z "$(find "$work" -name 'none.json*')" ] || fail "'$ran' leaves a result"
rm "$work/in/6.csv"

# With --resume a single place keeps pieces too; of what is complete nothing remains.
compute --device host --resume --num-partitions 3 --window 100 --quantiles 0.1 "$work/columns.csv"
expect_values columns
expect_stderr '^koine stats: there are no finished pieces in .*/r.json.parts; everything is computed'
[ ! -e "$work/r.json.parts" ] || fail "'$ran' leaves pieces"
expect_exit 2 koine stats --resume "$work/in"
expect_stderr '^koine stats: --resume: finished pieces are kept beside a result in a file, and there is none'
expect_exit 2 koine stats --resume --json "$work/none.json" - <"$work/in/1.csv"
expect_stderr '^koine stats: --resume: standard input cannot be read again'

# Devices that fail: PoCL has two then.
make_devices_fail || exit 0
# One of all that cannot be opened is left out; one that is named is refused.
export FAILING_CONTEXTS=1
compute --device all "$work/in"
expect_values files
expect_stderr '^koine stats: opencl:0\.1 is skipped: .*CL_OUT_OF_RESOURCES'
look '[d["pieces"] for d in r["devices"]] == [5]'
expect_exit 4 koine stats --precision "$precision" --device opencl:0.1 "$work/in"
export FAILING_CONTEXTS=

both="--device opencl:0.0 --device opencl:0.1"
export FAILING_DEVICES=1 FAILING_AFTER=3
# shellcheck disable=SC2086 # options
compute $both "$work/in"
expect_values files
expect_stderr '^koine stats: opencl:0\.1 .* is dropped: .*/[1-5]\.csv: .*CL_OUT_OF_RESOURCES'
look 'r["devices"][0]["dropped"] is None' '"CL_OUT_OF_RESOURCES" in r["devices"][1]["dropped"]' \
    '[d["pieces"] for d in r["devices"]] == [5, 0]'
export FAILING_DEVICES=01 FAILING_AFTER=0
# shellcheck disable=SC2086
expect_exit 4 koine stats --precision "$precision" $both --json "$work/none.json" "$work/in"
grep -Eq '/[12]\.csv.*CL_OUT_OF_RESOURCES' "$work/err" || fail "'$ran' does not name what failed: $(cat "$work/err")"
[ ! -e "$work/none.json" ] || fail "'$ran' leaves a result"

# What was finished before all of them failed is not computed again. A file takes some 12 launches.
FAILING_DEVICES=
# shellcheck disable=SC2086
compute $both --method select "$work/in"
mv "$work/values" "$work/selected"
FAILING_DEVICES=01
FAILING_AFTER=30
# shellcheck disable=SC2086
expect_exit 4 koine stats --precision "$precision" $both --method select --json "$work/none.json" "$work/in"
expect_stderr 'finished pieces are kept in .*/none.json.parts; the same command with --resume goes on with them'
FAILING_DEVICES=
# shellcheck disable=SC2086
compute $both --method select --json "$work/none.json" --resume "$work/in"
expect_stderr '^koine stats: finished pieces taken from .*/none.json.parts: [1-4]$'
mv "$work/none.json" "$work/r.json"
look '1 <= r["resumed"] <= 4' 'len(r["files"]) == 5' 'sum(d["pieces"] for d in r["devices"]) == 5'
grep -E '"(file|column|n|mean|std|cv|median|mad|method)":' "$work/r.json" >"$work/values"
expect_values selected
