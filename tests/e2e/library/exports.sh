#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The shared library exports the functions that carry KN_API in the public headers, and nothing else.
. "${srcdir:?}/tests/e2e/common.sh"

lib=${builddir:?}/.libs/libkoine.so
[ -e "$lib" ] || skip shared "there is no $lib: configured with --disable-shared"

# Names that begin with "__" are the compiler's own (sanitizers).
${NM:-nm} -D --defined-only "$lib" | awk '{ sub(/@.*/, "", $NF); print $NF }' | grep -v '^__' | sort >"$work/has"
[ -s "$work/has" ] || fail "nothing is exported"

sed -n 's/^KN_API .*[ *]\(kn_[a-z0-9_]*\)(.*/\1/p' "$srcdir"/include/koine/*.h | sort >"$work/declared"
comm -23 "$work/has" "$work/declared" >"$work/extra"
[ ! -s "$work/extra" ] || fail "exported, but in no public header: $(tr '\n' ' ' <"$work/extra")"
