#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# clang accepts every kernel file unchanged as OpenCL C 1.2, without a warning: with its default macros, in double
# precision, as for a CPU, and as for a device without any extension.
. "${srcdir:?}/tests/e2e/common.sh"

for clang in "${CLANG:-}" clang clang-22 clang-19 clang-18 clang-17 clang-16 clang-15 clang-14; do
    [ -n "$clang" ] && command -v "$clang" >/dev/null && break
    clang=
done
[ -n "$clang" ] || skip clang "clang is not installed"

# compile OPTION...: OpenCL C 1.2 for a 64-bit device; its words are left in $work/err. A build need not use every
# function of the file.
compile()
{
    "$clang" -x cl -cl-std=CL1.2 -Xclang -finclude-default-header -target spir64 -fsyntax-only -Wall -Wno-unused-function -Werror "$@" \
        2>"$work/err"
}

# A compiler that cannot do this says nothing of the kernels; one that takes everything neither.
printf '__kernel void f(__global float *x) { x[get_global_id(0)] = 1; }\n' >"$work/good.cl"
printf '__kernel void f(__global double *x) { x[get_global_id(0)] = 1; }\n' >"$work/double.cl"
compile "$work/good.cl" || skip clang "$clang does not compile OpenCL C: $(cat "$work/err")"
compile -Xclang -cl-ext=-all "$work/double.cl" && fail "$clang takes double where no extension is"

count=0
for file in "$srcdir"/cl/*/*.cl "$srcdir"/cl/*/*/*.cl; do
    # Each line: the macros of one build. "-Xclang -cl-ext=-all" takes every extension away.
    while read -r options; do
        # shellcheck disable=SC2086 # several words
        compile $options "$file" || fail "${file##*/} with '$options':
$(cat "$work/err")"
        count=$((count + 1))
    done <<END
-DREAL_BITS=32
-DREAL_BITS=64
-DKN_CPU=1
-DKN_CPU=1 -DREAL_BITS=64
-DACC_SOFT=1 -Xclang -cl-ext=-all
-DACC_SOFT=1 -DKN_CPU=1 -Xclang -cl-ext=-all
-DKEY_BITS=64 -DKN_SUBGROUP=1 -DPOSITION_BITS=64
-DKEY_BITS=8 -DKEY_KIND=1 -DKEY_DESCENDING=1 -DVALUE_BYTES=16
-DKEY_BITS=16 -DKEY_KIND=0 -DVALUE_BYTES=2 -DKN_SUBGROUP=1 -DKN_MATCH=1

END
done
[ "$count" -ge 21 ] || fail "only $count builds: are there no kernels in $srcdir/cl?"
echo "$count builds with $clang"
