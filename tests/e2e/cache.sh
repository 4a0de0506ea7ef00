#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `koine cache`: lists, verifies and clears, and a damaged entry harms nothing.
. "${srcdir:-.}/tests/e2e/lib.sh"

# A cache that is not there is an empty one.
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
entry=$(find "$KOINE_CACHE_DIR" -type f | sort | head -n 1)
size=$(wc -c <"$entry")
truncate -s $((size / 2)) "$entry"
expect_exit 1 koine cache verify
expect_stdout "$(basename "$entry")"
expect_exit 0 koine stats --precision "$precision" "$work/numbers.csv"
sed '$d' "$work/out" | cmp -s - "$work/first.table" || fail "a damaged cache changed the answer"
expect_exit 0 koine cache verify

expect_exit 0 koine cache clear
expect_stdout 'removed'
expect_exit 0 koine cache list
expect_stdout 'empty'
