#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `koine cache`: lists, verifies and clears, and a damaged entry harms nothing.
. "${srcdir:-.}/tests/e2e/lib.sh"
KOINE_KEEP_PROGRAMS=yes # of every driver, PoCL too
export KOINE_KEEP_PROGRAMS

# A missing cache counts as an empty one.
expect_exit 0 koine cache list
expect_stdout 'empty'
expect_exit 0 koine cache verify
expect_exit 0 koine cache clear

need_device
! on_oclgrind || skip binaries "Oclgrind hands out no binaries to keep"
write_numbers "$work/numbers.csv"
expect_exit 0 koine stats --precision "$precision" "$work/numbers.csv"
cp "$work/out" "$work/first"
expect_exit 0 koine cache list
expect_stdout '\.cl '
expect_exit 0 koine cache verify
expect_stdout 'no damage'
[ "$(find "$KOINE_CACHE_DIR" -maxdepth 0 -perm 0700)" ] || fail "others can read the cache"

# A second run uses it and says the same but for the times.
expect_exit 0 koine stats --precision "$precision" "$work/numbers.csv"
sed '$d' "$work/first" >"$work/first.table"
sed '$d' "$work/out" | cmp -s - "$work/first.table" || fail "a warm cache changed the answer"

# Damage is named, exit 1; the next run does its work all the same.
entry=$KOINE_CACHE_DIR/$(koine cache list | awk '/\.cl / { print $1; exit }')
size=$(wc -c <"$entry")
truncate -s $((size / 2)) "$entry"
expect_exit 1 koine cache verify
expect_stdout "$(basename "$entry")"
expect_exit 0 koine stats --precision "$precision" "$work/numbers.csv"
sed '$d' "$work/out" | cmp -s - "$work/first.table" || fail "a damaged cache changed the answer"
expect_exit 0 koine cache verify

# Compiled ahead: once; the command itself then compiles nothing.
koine cache clear >/dev/null
expect_exit 0 koine cache build reduce
expect_stdout '^reduce +[1-4] '
expect_stdout ': [1-9][0-9]* more programs in '
koine cache list | wc -l >"$work/entries"
expect_exit 0 koine cache build reduce --json -
grep -q '"added": 0,' "$work/out" || fail "it was compiled once more"
grep -q '"command": "reduce",' "$work/out" || fail "the JSON does not say what was built"
if [ "$precision" = double ]; then # which a column of a CSV file is
    expect_exit 0 koine reduce "$work/numbers.csv" --column 2
    koine cache list | wc -l | cmp -s - "$work/entries" || fail "koine reduce had to compile"
fi
expect_exit 2 koine cache build redcue
expect_stderr "'redcue' is not a command that can be built for, did you mean 'reduce'\\?; there are stats, "
expect_exit 2 koine cache list --device cpu
expect_stderr "--device is only for build; list covers all devices"
expect_exit 4 koine cache build reduce --device host
expect_stderr 'the host needs no compiled kernels'
KOINE_KEEP_PROGRAMS=no
expect_exit 2 koine cache build reduce
expect_stderr 'KOINE_KEEP_PROGRAMS is no'

# PoCL keeps what it compiles: nothing is added where that is not asked for, and it says so.
used=$(koine devices --json - | grep -m 1 '"version"')
[ "${KOINE_DEVICE:-auto}" = auto ] || used=
case $used in *PoCL*)
    unset KOINE_KEEP_PROGRAMS
    koine cache clear >/dev/null
    expect_exit 0 koine cache build reduce
    expect_stdout 'in [0-9.]+ s; its driver caches compiled kernels itself$'
    ! koine cache list | grep '\.cl ' || fail "programs were kept"
    ;;
esac
KOINE_KEEP_PROGRAMS=yes
export KOINE_KEEP_PROGRAMS
expect_exit 0 koine stats --precision "$precision" "$work/numbers.csv"

# What others could have put there is compiled instead, and left alone; one line says so, whatever the number of kernels.
chmod 0777 "$KOINE_CACHE_DIR"
find "$KOINE_CACHE_DIR" -type f -printf '%f %s %T@\n' | sort >"$work/before"
expect_exit 0 koine stats --precision "$precision" "$work/numbers.csv"
expect_one_line
expect_stderr "compiled programs are neither read .*/cache: others can write this folder \\(mode 0777\\).*KOINE_CACHE_DIR"
sed '$d' "$work/out" | cmp -s - "$work/first.table" || fail "a cache that is not used changed the answer"
find "$KOINE_CACHE_DIR" -type f -printf '%f %s %T@\n' | sort | cmp -s - "$work/before" || fail "a shared cache was used"
expect_exit 0 koine run "${srcdir:-.}/tests/data/run/kernels.cl" -k evens -g 4 -a buf:int:8 --compare auto # two contexts
expect_one_line
expect_exit 3 koine tune recon --quick
expect_stderr 'others can write this folder'
expect_exit 3 koine cache build reduce
expect_stderr 'others can write this folder'
expect_exit 0 koine cache list
expect_stderr '^koine cache: the cache is not used: .*others can write this folder'
expect_exit 1 koine cache verify
expect_stderr 'others can write this folder'
expect_exit 0 koine cache list --json -
grep -q '"distrust": ".*others can write' "$work/out" || fail "the JSON does not say why"
chmod 0700 "$KOINE_CACHE_DIR"
expect_exit 0 koine cache verify
expect_empty stderr
if [ "$(id -u)" -eq 0 ]; then
    chown 4711 "$entry"
    expect_exit 1 koine cache verify
    expect_stdout "$(basename "$entry"): it belongs to another user"
    expect_exit 0 koine stats --precision "$precision" "$work/numbers.csv"
    expect_stderr 'not used: it belongs to another user'
    expect_exit 0 koine cache verify
    chown 4711 "$KOINE_CACHE_DIR"
    expect_exit 0 koine stats --precision "$precision" "$work/numbers.csv"
    expect_one_line
    expect_stderr 'this folder belongs to another user \(uid 4711, yours is 0\)'
    chown 0 "$KOINE_CACHE_DIR"
else
    echo "files of another user: not run, that needs root"
fi

expect_exit 0 koine cache clear
expect_stdout 'removed'
expect_exit 0 koine cache list
expect_stdout 'empty'
