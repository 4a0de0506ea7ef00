#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# make install: the headers, the libraries, koine.pc and the kernels are where a program finds them, and such a
# program builds with what pkg-config says and runs.
. "${srcdir:?}/tests/e2e/common.sh"

# The options of the make that runs this test must not reach the one below.
unset MAKEFLAGS MFLAGS MAKELEVEL
${MAKE:-make} -C "${builddir:?}" install DESTDIR="$work/root" >"$work/log" 2>&1 || fail "make install:
$(tail -n 20 "$work/log")"

pc=$(find "$work/root" -name koine.pc)
[ -n "$pc" ] || fail "no koine.pc was installed"
PKG_CONFIG_PATH=${pc%/*}${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}
export PKG_CONFIG_PATH
prefix=$work/root$(pkg-config --variable=prefix koine)
koine_pc()
{
    pkg-config --define-variable=prefix="$prefix" "$@" koine
}
include=$(koine_pc --variable=includedir)/koine
kernels=$(koine_pc --variable=kerneldir)
lib=$(koine_pc --variable=libdir)

for file in "$srcdir"/include/koine/*.h "$srcdir"/include/koine/experimental/*.h; do
    # With libkoine-mpi alone.
    [ "${file##*/}" != mpi.h ] || grep -q '^MPI_LIBS = .' "$builddir/Makefile" || continue
    cmp "$file" "$include/${file#"$srcdir"/include/koine/}" || fail "the header ${file#"$srcdir"/include/koine/} is not installed"
done
if [ -d "$srcdir/cl" ]; then
    (cd "$srcdir/cl" && find . -name '*.cl' -o -name '*.clh') >"$work/kernels"
    while read -r file; do
        cmp "$srcdir/cl/$file" "$kernels/$file" || fail "the kernel $file is not installed"
    done <"$work/kernels"
fi

cat >"$work/use.c" <<'END'
#include <koine/error.h>
#include <stdio.h>
int main(void)
{
    return puts(kn_status_name(KN_ERROR_LIMIT)) < 0;
}
END

# build LIBRARY FLAGS...: the program above and the examples, built as their README says, run well.
build()
{
    library=$1
    shift
    mkdir -p "$work/bin"
    # shellcheck disable=SC2086 # flags are words
    ${CC:-cc} $sanitize -o "$work/bin/use" "$work/use.c" "$@" || fail "linking with $library: $*"
    [ "$("$work/bin/use")" = KN_ERROR_LIMIT ] || fail "the program with $library does not run"
    for example in autocorr cahn_hilliard distribute event_poll least_squares opencl_embed own_kernel recon sort stats tomography; do
        others=
        [ $example != opencl_embed ] || pkg-config --exists OpenCL || continue # nothing to link with
        [ $example != opencl_embed ] || others=$(pkg-config --cflags --libs OpenCL)
        case $example in autocorr | least_squares | recon | tomography) others=-lm ;; esac
        [ $example != cahn_hilliard ] || others=$(pkg-config --cflags --libs libpng)
        # shellcheck disable=SC2086 # flags are words
        ${CC:-cc} $sanitize -std=c11 -Wall -Wextra -Wshadow -Wconversion -Werror -pedantic -o "$work/bin/$example" \
            "$srcdir/doc/examples/$example.c" "$@" $others || fail "$example does not build with $library: $* $others"
    done
    EXAMPLES=$work/bin sh "$srcdir/tests/e2e/library/examples.sh" || [ $? -eq 77 ] || fail "the examples with $library"
}

# A library with sanitizers wants a program with them.
sanitize=$(sed -n 's/^KN_CFLAGS =.* \(-fsanitize=[^ ]*\).*/\1/p' "$builddir/Makefile")
if [ -e "$lib/libkoine.so" ]; then
    LD_LIBRARY_PATH=$lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
    export LD_LIBRARY_PATH
    # shellcheck disable=SC2046 # flags are words
    build libkoine.so $(koine_pc --cflags --libs)
fi
if [ -e "$lib/libkoine.a" ]; then
    # shellcheck disable=SC2046 # flags are words
    build libkoine.a $(koine_pc --static --cflags --libs | sed "s|-lkoine|$lib/libkoine.a|")
fi
