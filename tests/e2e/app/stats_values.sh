#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `koine stats` on small files whose results can be computed by hand.
. "${srcdir:-.}/tests/e2e/lib.sh"
mkdir "$work/in"
numbers=$work/in/numbers.csv
write_numbers "$numbers"

# check OPTION...: a = 1 2 3 10; b = four times -1. The time is no number.
check()
{
    expect_exit 0 koine stats "$@" "$numbers"
    expect_stdout '^ *(column|file) .* n +mean +std +CV +median +MAD$'
    expect_stdout ' a +4 +4 +3\.5355339 +0\.88388348 +2\.5 +1$'
    expect_stdout ' b +4 +-1 +0 +-?0 +-1 +0$'
    ! grep -q ' time ' "$work/out" || fail "the time was taken for a number"
}
check --serial
expect_stdout '\(host\), variant serial, double precision; seconds: read '
check --serial --precision float
expect_stdout 'variant serial, float precision'
expect_exit 0 koine stats --serial --mad-scale normal "$numbers"
expect_stdout ' a .* 2\.5 +1\.4826022$'

# Missing cells: refused with the line, left out, or carried through.
printf 'a,b\n1,5\n,6\n3,7\n' >"$work/in/holes.csv"
expect_exit 3 koine stats --serial "$work/in/holes.csv"
expect_stderr 'holes\.csv:3: '
expect_exit 0 koine stats --serial --missing omit "$work/in/holes.csv"
expect_stdout ' a +2 +2 +1 +0\.5 +2 +1$'
expect_exit 0 koine stats --serial --missing propagate "$work/in/holes.csv"
expect_stdout ' a +3 +nan +nan +nan +nan +nan$'
expect_stdout ' b +3 +6 '

# Columns that a device computes together have the numbers of each by itself: whole ones of 8 bits, fractions, one with a
# not-a-number, one of one value.
awk 'BEGIN {
    print "bytes,unsigned,fraction,hole,one,tiny"
    for (i = 0; i < 3001; i++)
        printf "%d,%d,%.7f,%s,%s,%.9e\n", (i * 37) % 201 - 90, (i * 41) % 256, (i * 7919 % 10007) / 7 + 0.1,
            i == 5 ? "" : i / 8, "-0.1", (i * 7907 % 10009) * 1e-13
}' >"$work/in/together.csv"
for missing in propagate omit; do
    expect_exit 0 koine stats --missing $missing --precision float --json "$work/together.json" -f "$work/in/together.csv"
    expect_exit 0 koine stats --serial --missing $missing --precision float --json "$work/single.json" -f "$work/in/together.csv"
    for json in together single; do
        grep -E '"(column|n|mean|std|cv|median|mad)":' "$work/$json.json" >"$work/$json"
    done
    [ "$(grep -c '"mad"' "$work/together")" -eq 6 ] || fail "not six columns: $(cat "$work/together.json")"
    cmp -s "$work/together" "$work/single" || fail "together and by itself: $(diff "$work/together" "$work/single")"
done
rm "$work/in/together.csv"

# A column without any number: a word in the table, null in JSON. One that only the first of two files has: no result.
printf 'a,b\n1,\n2,\n' >"$work/in/nothing.csv"
expect_exit 0 koine stats --serial --missing omit --json "$work/nothing.json" "$work/in/nothing.csv"
expect_stdout ' a +2 +1\.5 +0\.5 '
expect_stdout ' b +0 +nan +nan +nan +nan +nan$'
[ "$(grep -Ec '"(mean|std|cv|median|mad)": null' "$work/nothing.json")" -eq 5 ] || fail "not five times null: $(cat "$work/nothing.json")"
expect_exit 3 koine stats --serial "$work/in/nothing.csv"
expect_stderr 'nothing\.csv:2: column 2 "b": the cell is missing'
printf 'a,c\n1,2\n' >"$work/in/other.csv"
expect_exit 2 koine stats --serial --column b --json "$work/none.json" "$numbers" "$work/in/other.csv"
expect_stderr 'other\.csv: no column is named "b"; the file.s columns are: 1 "a", 2 "c"'
expect_empty stdout
[ ! -e "$work/none.json" ] || fail "'$ran' left a result"
rm "$work/in/nothing.csv" "$work/in/other.csv"

# The beats of an Empatica E4: intervals of 1, 0.5 and 1.5 s; when they were, only where it is asked for.
printf '1680686620.000000, IBI\n10.0,1.0\n10.5,0.5\n12.0,1.5\n' >"$work/IBI.csv"
expect_exit 0 koine stats --serial --json "$work/beats.json" "$work/IBI.csv"
expect_stdout ' ibi +3 +1 +0\.40824829 +0\.40824829 +1 +0\.5$'
! grep -Eq '1680686620|"column": "time"' "$work/beats.json" || fail "the start or the times were taken for a column: $(cat "$work/beats.json")"
expect_exit 0 koine stats --serial --column time "$work/IBI.csv"
expect_stdout ' time +3 +10\.833333 '

# --output: stats.csv, not overwritten without --force, and nothing left beside it.
expect_exit 0 koine stats --serial --output "$work/result" "$numbers"
expect_stdout "^written to $work/result: stats.csv$"
expect_files "$work/result" stats.csv
head -n 1 "$work/result/stats.csv" | grep -q '^file,column,device,variant,method,n,mean,std,cv,median,mad,seconds,precision$' ||
    fail "stats.csv begins with $(head -n 1 "$work/result/stats.csv")"
grep -Eq ',a,host,serial,fused,4,4,3\.5355339059327378,' "$work/result/stats.csv" ||
    fail "stats.csv holds $(cat "$work/result/stats.csv")"
cp "$work/result/stats.csv" "$work/kept"
expect_exit 3 koine stats --serial --column b --output "$work/result" "$numbers"
expect_stderr 'stats\.csv.*--force'
cmp -s "$work/result/stats.csv" "$work/kept" || fail "the file was changed without --force"
expect_exit 0 koine stats --serial --column b --force --output "$work/result" "$numbers"
! cmp -s "$work/result/stats.csv" "$work/kept" || fail "--force did not write"
expect_files "$work/result" stats.csv

# A folder: its .csv files in order.
cp "$numbers" "$work/in/another.csv"
expect_exit 0 koine stats --serial --missing omit "$work/in"
[ "$(sed -n '/^file /,/^$/{p;/^$/q}' "$work/out" | grep -o '[a-z]*\.csv' | uniq | tr '\n' ' ')" = "another.csv holes.csv numbers.csv " ] ||
    fail "files out of order: $(cat "$work/out")"
expect_exit 0 koine stats --serial --input "$numbers" --input "$work/in/another.csv"

need_device
check --precision "$precision"
expect_stdout "variant gpu, $precision precision"
if on_oclgrind; then
    echo "once is enough on Oclgrind, which is slow"
    exit 0
fi
check --precision "$precision" --gpu --method auto
check --method sort --precision float --policy strict
check --precision "$precision" --repetitions 5 --policy fast
expect_exit 0 koine stats --precision "$precision" --missing propagate "$work/in/holes.csv"
expect_stdout ' a +3 +nan +nan +nan +nan +nan$'
printf 'a\nnan\n' >"$work/nothing.csv"
expect_exit 0 koine stats --precision "$precision" --missing omit "$work/nothing.csv"
expect_stdout ' a +0 +nan +nan +nan +nan +nan$'
