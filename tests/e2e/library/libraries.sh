#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The shared library does not need libraries for file formats, nor does koine.pc name one: only the command uses them. Neither
# needs an OpenMP library: they have their own threads, which work together with any others in a program.
. "${srcdir:?}/tests/e2e/common.sh"

formats='libhdf5|libtiff|libpng|libjansson|libz|libzstd|libisal'
lib=${builddir:?}/.libs/libkoine.so
[ -e "$lib" ] || skip shared "there is no $lib: configured with --disable-shared"
command -v readelf >/dev/null || skip readelf "there is no readelf (Debian, Ubuntu: apt-get install binutils)"

# needs FILE: the libraries that a program or library is linked with.
needs()
{
    readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]$/\1/p'
}

# The command writes JSON and PNG: what is looked for is found there, or the test sees nothing.
command=${builddir:?}/.libs/koine
[ -e "$command" ] || command=$builddir/koine
for name in libjansson libpng libz; do
    needs "$command" | grep -q "^${name}[^a-z]" || fail "$name is not among what the command needs: $(needs "$command" | tr '\n' ' ')"
done

needs "$lib" >"$work/needs"
grep -q '^libc\.' "$work/needs" || fail "readelf finds nothing that $lib needs"
found=$(grep -E "^($formats|libmpi|libmpich)[^a-z]" "$work/needs" | tr '\n' ' ')
[ -z "$found" ] || fail "libkoine.so needs $found"
for file in "$lib" "$command"; do
    found=$(needs "$file" | grep -E '^lib(gomp|omp|iomp5)[^a-z]' | tr '\n' ' ')
    [ -z "$found" ] || fail "$file needs $found"
done

# The part of koine.pc that comes from configure. A name there may have a version behind it.
grep '^Requires.private:' "$builddir/koine.pc" >/dev/null || fail "koine.pc has no Requires.private"
found=$(grep -E '^(Requires|Libs)' "$builddir/koine.pc" | grep -oE 'hdf5|libtiff|libpng|jansson|zlib|zstd|-l(hdf5|tiff|png[0-9]*|jansson|z|zstd)( |$)' | tr '\n' ' ')
[ -z "$found" ] || fail "koine.pc names $found"
if grep -E -e '-fopenmp|-l(gomp|omp)' "$builddir/koine.pc"; then
    fail "koine.pc asks for OpenMP"
fi
