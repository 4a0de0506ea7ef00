#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Bad input and bad paths: a clear message with the place, the right exit status, no incomplete file.
. "${srcdir:-.}/tests/e2e/lib.sh"
in=$work/in
out=$work/result
mkdir "$in"
numbers=$in/numbers.csv
write_numbers "$numbers"

# refuse STATUS REGEX ARGUMENT...: `koine stats` stops with that status and message and leaves no file.
refuse()
{
    wanted_status=$1
    regex=$2
    shift 2
    expect_exit "$wanted_status" timeout 60 "$KOINE" stats --serial --output "$out" --json "$out.json" "$@"
    expect_stderr "$regex"
    expect_one_line
    expect_empty stdout
    [ ! -e "$out/stats.csv" ] || fail "'$ran' left stats.csv"
    [ ! -e "$out.json" ] || fail "'$ran' left a JSON file"
    [ ! -d "$out" ] || expect_files "$out"
}

refuse 3 'nothing\.csv' "$in/nothing.csv"
: >"$in/empty.csv"
refuse 3 'empty\.csv' "$in/empty.csv"
printf 'a,b\n' >"$in/header.csv"
refuse 3 'header\.csv' "$in/header.csv"
printf 'a,b\n1,2\n3,four\n' >"$in/text.csv"
refuse 3 'text\.csv:3: .*four' "$in/text.csv"
printf 'a,b\n1,2\n3\n' >"$in/short.csv"
refuse 3 'short\.csv:3: ' "$in/short.csv"
printf 'a,b\n1,2\n3,\0004\n' >"$in/nul.csv"
refuse 3 'nul\.csv:3: ' "$in/nul.csv"
truncate -s 1G "$in/sparse.csv"
refuse 3 'sparse\.csv' "$in/sparse.csv"
rm "$in/sparse.csv"
mkdir "$in/folder"
refuse 3 'folder.*\.csv' "$in/folder"
# A good file before a bad one does not make a result.
refuse 3 'text\.csv:3' "$numbers" "$in/text.csv"

# A line of 1 GB without an end is refused long before it is all read.
status=0
yes 1 | tr -d '\n' | head -c 1G 2>/dev/null | timeout 60 "$KOINE" stats --serial - >"$work/out" 2>"$work/err" || status=$?
ran='koine stats on a line of 1 GB'
[ "$status" -eq 3 ] || fail "$ran: exit status $status"
expect_stderr ':1: '

# No permission. The superuser may read everything, so that part is run as nobody.
chmod 000 "$numbers"
if [ "$(id -u)" -ne 0 ]; then
    refuse 3 'numbers\.csv.*[Pp]ermission' "$numbers"
elif setpriv --reuid 65534 --regid 65534 --clear-groups "$KOINE" --version >/dev/null 2>&1; then
    chmod 755 "$work" "$in"
    expect_exit 3 setpriv --reuid 65534 --regid 65534 --clear-groups "$KOINE" stats --serial "$numbers"
    expect_stderr 'numbers\.csv.*[Pp]ermission'
else
    echo "not checked: no permission (this is the superuser, and nobody cannot run $KOINE)"
fi
chmod 644 "$numbers"

# A full disk: standard output, JSON on standard output, and a file. No file may grow under ulimit -f 0.
for options in "" "--json -"; do
    status=0
    # shellcheck disable=SC2086
    "$KOINE" stats --serial $options "$numbers" >/dev/full 2>"$work/err" || status=$?
    ran="koine stats $options >/dev/full"
    [ "$status" -eq 3 ] || fail "$ran: exit status $status"
    expect_stderr 'standard output.*No space left'
    status=0
    # shellcheck disable=SC2086
    "$KOINE" stats --serial $options "$numbers" >&- 2>"$work/err" || status=$?
    ran="koine stats $options >&-"
    [ "$status" -eq 3 ] || fail "$ran: exit status $status"
    expect_stderr 'standard output'
done
for options in "--output $out" "--json $out.json"; do
    # shellcheck disable=SC2086
    said=$({
        trap '' XFSZ
        ulimit -f 0
        status=0
        "$KOINE" stats --serial $options "$numbers" 2>&1 || status=$?
        echo "status $status"
    } | cat)
    ran="koine stats $options on a full disk"
    echo "$said" | grep -q '^status 3$' || fail "$ran: $said"
    echo "$said" | grep -q '^koine stats: .*result' || fail "$ran names no file: $said"
    [ ! -e "$out.json" ] || fail "$ran left a file"
    [ ! -d "$out" ] || expect_files "$out"
done
if [ -c /dev/full ]; then
    expect_exit 3 koine stats --serial --json /dev/full "$numbers"
    expect_stderr '/dev/full.*No space left'
fi
: >"$work/file"
expect_exit 3 koine stats --serial --output "$work/file/below" "$numbers"
expect_stderr '/file: a file of this name exists'

# No device: the one that was named is an error, none named is not. --gpu names the variant.
expect_exit 4 without_devices "$KOINE" stats --device cpu "$numbers"
expect_stderr 'no device'
expect_exit 4 without_devices "$KOINE" stats --device all "$numbers"
expect_exit 4 without_devices "$KOINE" stats --gpu "$numbers"
expect_exit 4 without_devices env KOINE_DEVICE=opencl:0.0 "$KOINE" stats "$numbers"
expect_stderr 'no device'
expect_exit 0 without_devices "$KOINE" stats "$numbers"
expect_stderr 'own code computes'
expect_exit 4 koine stats --device opencl:99.99 "$numbers"
expect_stderr 'opencl:99\.99'
expect_exit 4 koine stats --device 'no such device' "$numbers"
expect_stderr 'no such device'
expect_exit 0 koine stats --device host "$numbers"
expect_stdout '\(host\), variant parallel(-vectorized)?, double precision'
expect_exit 4 without_devices "$KOINE" stats --device host --device cpu "$numbers"
