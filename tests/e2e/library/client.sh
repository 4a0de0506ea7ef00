#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The command is a client of the library: it is built from src/cli, src/tools, src/io and src/base against only an
# installed tree, like any program, linked with libkoine.so, and it runs.
. "${srcdir:?}/tests/e2e/common.sh"

[ -e "${builddir:?}/.libs/libkoine.so" ] || skip shared "there is no libkoine.so: configured with --disable-shared"

# variable NAME: what configure found.
variable()
{
    sed -n "s/^$1 = //p" "$builddir/Makefile"
}

sanitize=$(sed -n 's/^KN_CFLAGS =.* \(-fsanitize=[^ ]*\).*/\1/p' "$builddir/Makefile")

# The options of the make that runs this test are not for the one below.
unset MAKEFLAGS MFLAGS MAKELEVEL
${MAKE:-make} -C "$builddir" install DESTDIR="$work/root" >"$work/log" 2>&1 || fail "make install:
$(tail -n 20 "$work/log")"
installed=$(find "$work/root" -name koine.h | sed 's|/koine/koine\.h$||')
lib=$(find "$work/root" -name libkoine.so | sed 's|/libkoine\.so$||')
if [ -z "$installed" ] || [ -z "$lib" ]; then
    fail "the headers or libkoine.so were not installed: $(tail -n 20 "$work/log")"
fi

# A copy of the four rooms, so that nothing else of the sources is found, with the two files in them that make writes.
mkdir "$work/src"
(cd "$srcdir/src" && tar cf - base io tools cli) | (cd "$work/src" && tar xf -)
chmod -R u+w "$work/src" # make distcheck has sources that nobody may change
cp "$builddir/src/cli/page/template.c" "$work/src/cli/page"
cp "$builddir/src/cli/commit.c" "$work/src/cli"
cp "$builddir/config.h" "$work/src"
version=$(sed -n 's/^VERSION = //p' "$builddir/Makefile")
[ -n "$version" ] || fail "the Makefile has no version"

find "$work/src" -name '*.c' ! -name launcher_mpi.c | sort >"$work/files"
[ "$(wc -l <"$work/files")" -gt 100 ] || fail "only $(wc -l <"$work/files") files were found"
# shellcheck disable=SC2046,SC2086 # flags are words
(cd "$work" && xargs ${CC:-cc} -c $sanitize -std=gnu11 -O0 -DHAVE_CONFIG_H -I"$work/src" -I"$installed" \
    -DKN_PROBE_DIR='"/nonexistent"' \
    $(for package in LIBMD JANSSON PNG ZLIB HDF5 TIFF ZSTD ISAL; do variable "${package}_CFLAGS"; done) <"$work/files") ||
    fail "the command does not compile with the installed headers"
# shellcheck disable=SC2046,SC2086 # flags are words
${CC:-cc} $sanitize -o "$work/koine" "$work"/*.o -L"$lib" -lkoine \
    $(for package in JANSSON PNG ZLIB HDF5 TIFF ZSTD ISAL LIBMD; do variable "${package}_LIBS"; done) $(variable LIBS) ||
    fail "the command does not link with libkoine.so"

LD_LIBRARY_PATH=$lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH
"$work/koine" --version | grep -qF "$version" || fail "it says of its version: $("$work/koine" --version)"
printf "x\n3\n1\n2\n10\n" >"$work/column.csv"
"$work/koine" stats --device host "$work/column.csv" >"$work/table" 2>"$work/errors" || fail "koine stats: $(cat "$work/errors")"
grep -q '2\.5' "$work/table" || fail "the median of 1, 2, 3 and 10 is not in: $(cat "$work/table")"
