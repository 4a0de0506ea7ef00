#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The shared library exports the functions that carry KN_API in the public headers, and nothing else.
. "${srcdir:?}/tests/e2e/common.sh"

lib=${builddir:?}/.libs/libkoine.so
[ -e "$lib" ] || skip shared "there is no $lib: configured with --disable-shared"

# Names that begin with "__" are the compiler's own (sanitizers); of type A are the versions that src/libkoine.map gives.
${NM:-nm} -D --defined-only "$lib" | awk '$2 != "A" { sub(/@.*/, "", $NF); print $NF }' | grep -v '^__' | sort >"$work/has"
[ -s "$work/has" ] || fail "nothing is exported"

sed -n 's/^KN_API .*[ *]\(kn_[a-z0-9_]*\)(.*/\1/p' "$srcdir"/include/koine/*.h \
    "$srcdir"/include/koine/experimental/*.h | sort >"$work/declared"
sed -n 's/^KN_MPI_API .*[ *]\(kn_[a-z0-9_]*\)(.*/\1/p' "$srcdir/include/koine/mpi.h" | sort >"$work/declared-mpi"
comm -23 "$work/has" "$work/declared" >"$work/extra"
[ ! -s "$work/extra" ] || fail "exported, but in no public header: $(tr '\n' ' ' <"$work/extra")"

# What the files of the library share among themselves begins with ki_, so that nobody takes it for public, and a static
# libkoine does not clash with what a program calls its own.
# shellcheck disable=SC2086 # $NM may hold options
find "$builddir/src" -path '*/.libs/*.o' ! -path '*/src/cli/*' ! -path '*/src/tools/*' ! -path '*/src/io/*' \
    -exec ${NM:-nm} -g --defined-only {} + | awk 'NF == 3 { print $3 }' | grep -v '^__' | sort -u >"$work/global"
[ "$(grep -c '^ki_' "$work/global")" -gt 500 ] || fail "the objects of the library were not found in $builddir/src"
grep -v '^ki_' "$work/global" | comm -23 - "$work/declared" | comm -23 - "$work/declared-mpi" >"$work/bare"
[ ! -s "$work/bare" ] || fail "internal, and without the prefix ki_: $(tr '\n' ' ' <"$work/bare")"

# The command and its tools call the library by its public functions; besides these they have copies of base and io.
# shellcheck disable=SC2086 # $NM may hold options
find "$builddir/src/cli" "$builddir/src/tools" -path '*/.libs/*.o' -exec ${NM:-nm} -u {} + |
    awk '$1 == "U" && $2 ~ /^ki_/ { print $2 }' | sort -u >"$work/called"
# shellcheck disable=SC2086 # $NM may hold options
find "$builddir/src/source" "$builddir/src/backend" "$builddir/src/engine" "$builddir/src/host" "$builddir/src/algo" \
    "$builddir/src/operator" "$builddir/src/app" -path '*/.libs/*.o' -exec ${NM:-nm} -g --defined-only {} + |
    awk 'NF == 3 { print $3 }' | sort -u >"$work/inner"
[ -s "$work/called" ] || fail "the objects of the command were not found in $builddir/src"
comm -12 "$work/called" "$work/inner" >"$work/reached"
[ ! -s "$work/reached" ] || fail "the command calls what is not public: $(tr '\n' ' ' <"$work/reached")"

# libkoine-mpi, if it is built: what carries KN_MPI_API.
if [ -e "$builddir/.libs/libkoine-mpi.so" ]; then
    ${NM:-nm} -D --defined-only "$builddir/.libs/libkoine-mpi.so" | awk '{ print $NF }' | grep -v '^__' | sort |
        cmp - "$work/declared-mpi" || fail "libkoine-mpi exports other functions than koine/mpi.h has"
fi
