#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `koine stats` on files as devices and spreadsheets write them: separators, lines before the table, times, gaps, resampling,
# compressed files; errors are named, and leave no file.
. "${srcdir:-.}/tests/e2e/lib.sh"
in=$work/in
mkdir "$in"

# 100 rows at 4 Hz, with a gap of 60 s more before row 51.
awk 'BEGIN {
    print "time;load;step"
    for (i = 0; i < 100; i++) {
        s = i / 4 + (i >= 50 ? 60 : 0)
        printf "2020-07-24T07:%02d:%02d,%02d;%d,5;%d\n", s / 60, s % 60, (s - int(s)) * 100, i, i % 4
    }
}' >"$in/rows.csv"

expect_rows()
{
    expect_stdout "'\;' between cells, decimal commas, times in \"time\" \(ISO 8601\), 4 Hz, 1 gap of more than 0\.5 s \(60 s in all\)"
    expect_stdout ' load +100 +50 '
    expect_stdout ' step +100 +1\.5 '
}

expect_exit 0 koine stats --serial "$in/rows.csv"
expect_rows
gzip -k "$in/rows.csv"
expect_exit 0 koine stats --serial "$in/rows.csv.gz"
expect_stdout 'packed by gzip'
expect_rows
expect_exit 0 koine stats --serial --gap 100 "$in/rows.csv"
expect_stdout '4 Hz, 0 gaps of more than 100 s'
# Samples at 2 Hz on both sides of the gap: every second row, 25 and 25 of them.
expect_exit 0 koine stats --serial --resample 2 --column load "$in/rows.csv" --json "$work/result.json"
expect_stdout 'resampled at 2 Hz'
expect_stdout ' load +50 +49\.5 '
for key in '"separator": ";"' '"decimal": ","' '"time_column": "time"' '"gaps": 1' '"rate": 4.0' '"resampled": 2.0'; do
    grep -qF "$key" "$work/result.json" || fail "the JSON has no $key"
done

{
    echo '---- Data File Created By ActiGraph GT3X+ ActiLife v6.11.9 at 30 Hz ----'
    echo 'Serial Number: CLE2B21130055'
    echo 'Current Memory Address: 0'
} >"$in/preamble.csv"
{
    cat "$in/preamble.csv"
    printf 'X,Y\n1,2\n3,4\n'
} >"$in/actigraph.csv"
expect_exit 0 koine stats --serial "$in/actigraph.csv"
expect_stdout '3 lines before the table left out, 30 Hz'
expect_stdout ' X +2 +2 '
expect_exit 0 koine stats --serial --skip-lines 4 "$in/actigraph.csv"
expect_stdout ' column1 +2 +2 '

# ActiGraph's export with times, Axivity's (omconvert, and cwa-convert, which writes no header), and a spreadsheet's.
{
    echo '---- Data File Created By ActiGraph GT3X+ ActiLife v6.11.9 date format M/d/yyyy at 30 Hz ----'
    echo 'Serial Number: CLE2B21130055'
    echo '--------------------------------------------------'
    echo 'Timestamp,Accelerometer X,Accelerometer Y,Accelerometer Z'
    awk 'BEGIN { for (i = 0; i < 60; i++) printf "7/8/2020 17:41:%06.3f,0.1,%d,1\n", i / 30, i % 2 }'
} >"$in/gt3x.csv"
expect_exit 0 koine stats --serial --enmo --window 1s "$in/gt3x.csv"
expect_stdout '3 lines before the table left out, times in "Timestamp" \(month first\), 30 Hz, 0 gaps'
expect_stdout 'Accelerometer Y +60 +0\.5 '
# ActiGraph's epochs of 10 s: dates and times of day in two columns, over noon.
{
    echo '---- Data Table File Created By ActiGraph GT3X+ ActiLife v6.13.3 date format M/d/yyyy at 30 Hz Filter Normal ----'
    echo 'Serial Number: MOS2A50130120'
    echo 'Epoch Period (hh:mm:ss) 00:00:10'
    echo '--------------------------------------------------'
    echo 'Date,Time,Axis1,Steps'
    awk 'BEGIN { for (i = 0; i < 24; i++)
        printf "7/8/2020,%d:%02d:%02d %s,%d,1\n", i < 12 ? 11 : 12, (i < 12 ? 58 : -2) + i / 6, i % 6 * 10, i < 12 ? "AM" : "PM", i }'
} >"$in/epochs.csv"
expect_exit 0 koine stats --serial --window 60s --json "$work/epochs.json" "$in/epochs.csv"
expect_stdout 'times in "Date Time" \(month first\), 0\.1 Hz, 0 gaps'
expect_stdout 'Axis1 +24 +11\.5 '
grep -qF '"start": 1594209480' "$work/epochs.json" || fail 'the first window does not begin at 11:58'
axivity()
{
    awk 'BEGIN { for (i = 0; i < 200; i++) printf "2014-05-07 16:29:%06.3f,0.1,%d,1\n", 30 + i / 100, i % 2 }'
}
{
    echo 'Time,Accel-X (g), Accel-Y (g), Accel-Z (g)'
    axivity
} >"$in/omconvert.csv"
axivity >"$in/cwa.csv"
expect_exit 0 koine stats --serial --window 1s "$in/omconvert.csv"
expect_stdout 'times in "Time" \(ISO 8601\), 100 Hz, 0 gaps'
expect_stdout 'Accel-Y \(g\) +200 +0\.5 '
expect_exit 0 koine stats --serial --magnitude "$in/cwa.csv"
expect_stdout 'times in "column1" \(ISO 8601\), 100 Hz, 0 gaps'
expect_stdout ' magnitude +200 '
printf 'sep=;\r\nwhen;load\r\n24.7.2020 7:07;1,5\r\n24.7.2020 7:08;2,5\r\n' >"$in/excel.csv"
expect_exit 0 koine stats --serial "$in/excel.csv"
expect_stdout "1 line before the table left out, ';' between cells, decimal commas, times in \"when\" \(day first\)"
expect_stdout 'load +2 +2 '

# An E4 session's folder: one table, its series at their rates, beats with statistics of their own, and no tags.
mkdir "$work/session"
printf '1680686620.0, 1680686620.0, 1680686620.0\n32.0, 32.0, 32.0\n0,48,64\n0,0,60\n' >"$work/session/ACC.csv"
printf '1680686620.0\n4.0\n0.25\n0.5\n' >"$work/session/EDA.csv"
printf '1680686620.0, IBI\n21.0,0.8\n21.9,0.9\n22.7,0.8\n30,0.8\n30.9,0.9\n' >"$work/session/IBI.csv"
printf '1680686700.5\n' >"$work/session/tags.csv"
expect_exit 0 koine stats --serial "$work/session"
expect_stdout 'EDA\.csv: an Empatica E4 export, 4 Hz'
expect_stdout 'SDNN 54\.77 ms, RMSSD 100 ms, pNN50 100 % of 3 pairs of beats'
expect_stdout ' eda +2 +0\.375 '
expect_stderr 'tags\.csv is skipped'
expect_exit 0 koine stats --serial --magnitude --enmo "$work/session/ACC.csv"
expect_stdout '1 g is 64'
expect_stdout ' magnitude +2 +70 +10 '
expect_stdout ' enmo +2 +8 +8 '
expect_exit 0 koine stats --serial --enmo --unit 10 "$work/session/ACC.csv"
expect_stdout ' enmo +2 +60 +10 '

# What is wrong is named.
refuse()
{
    status=$1 words=$2
    shift 2
    expect_exit "$status" koine stats --serial --output "$work/results" "$@"
    expect_stderr "$words"
    [ ! -e "$work/results/stats.csv" ] || fail "a file was written"
}

refuse 3 'preamble\.csv: found 3 lines of text and no row of numbers' "$in/preamble.csv"
head -c 300 "$in/rows.csv.gz" >"$in/cut.csv.gz"
refuse 3 'cut\.csv\.gz: its compressed data end early' "$in/cut.csv.gz"
printf 'time,a\n2020-07-24 07:07:49,1\n2020-07-24 07:07:50,1\n2020-07-24 07:07:48,2\n' >"$in/backwards.csv"
refuse 3 'backwards\.csv: times go backwards: row 3 is 2 s before' "$in/backwards.csv"
printf 'sensor at 30 Hz\ntime,a\n2020-07-24 07:07:49,1\n2020-07-24 07:07:50,2\n' >"$in/rate.csv"
refuse 3 'rate\.csv: the file states a rate of 30 Hz.*1 Hz' "$in/rate.csv"
printf 'when,a\n7/8/2020 07:07:49,1\n7/8/2020 07:07:50,2\n' >"$in/dates.csv"
refuse 3 'dates\.csv:2: column 1 \(when\): "7/8/2020 07:07:49" may be month first' "$in/dates.csv"
printf '\377\376a\0\n\0' >"$in/wide.csv"
refuse 3 'wide\.csv:1: is in UTF-16' "$in/wide.csv"
printf 'a\n1\n' >"$in/short.csv"
refuse 3 'short\.csv: the file ends after 2 lines' --skip-lines 5 "$in/short.csv"
refuse 3 'short\.csv: --resample needs times' --resample 5 "$in/short.csv"
refuse 2 "gap: '0' is not a number of seconds above 0" --gap 0 "$in/rows.csv"
refuse 2 "resample: 'fast' is not a number" --resample fast "$in/rows.csv"
refuse 3 'rows\.csv: --enmo needs three axes' --enmo "$in/rows.csv"
refuse 2 'unit says what one g is' --unit 64 "$in/rows.csv"
refuse 2 "unit: 'x' is not a number" --enmo --unit x "$in/rows.csv"
refuse 2 'resample and --missing omit' --resample 5 --missing omit "$in/rows.csv"
