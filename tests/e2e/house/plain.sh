#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The machine code of variants without vectors contains no packed arithmetic, and that of the others does.
# shellcheck source-path=SCRIPTDIR source=../common.sh
. "${srcdir:?}/tests/e2e/common.sh"

command -v objdump >/dev/null || skip objdump "objdump is not there"
objects=$(find "$builddir/src" -name 'libkoine_plain_la-*.o' -o -name 'libkoine_simd_scalar_*.o')
test -n "$objects" || skip objects "the objects of plain_sources are not in $builddir/src"
# shellcheck disable=SC2086
objdump -f $objects | grep -q 'architecture: i386:x86-64' || skip x86-64 "this is not an x86-64 processor"

# Packed arithmetic on doubles, floats and integers. Not counted: moves, logic (fabs is one), conversions of a single
# number, which compilers write in a packed form.
packed='\<v?(add|sub|mul|div|sqrt|min|max|hadd|addsub|fn?m(add|sub)[0-9]*|cmp[a-z_]*)p[sd]\>'
packed="$packed|\\<v?p(add|sub|mull|muludq|cmpgt|cmpeq|mins|maxs|minu|maxu|dpbusd)[bwdq]*\\>"

# count_packed OBJECT...: how many such instructions there are, in $count.
count_packed()
{
    test "$#" -gt 0 || fail "there is no object to look at"
    objdump -d --no-show-raw-insn "$@" >"$work/code" || fail "objdump cannot read $*"
    grep -q '>:$' "$work/code" || fail "objdump finds no code in $*"
    # Of grep a status of 1 is a count of 0.
    count=$(grep -cE "$packed" "$work/code") || test "$?" -eq 1 || fail "grep failed on the code of $*"
}

for object in $objects; do
    count_packed "$object"
    test "$count" -eq 0 || fail "$object has $count packed instructions"
done
count=$(echo "$objects" | wc -l)
test "$count" -ge 8 || fail "only $count objects of plain code were found"

# The same files for each instruction set and width, and those that are for vectors alone.
for library in simd_avx2_32 simd_avx2_64 simd_avx512_32 simd_avx512_64; do
    objects=$(find "$builddir/src" -name "libkoine_${library}_la-*.o")
    for name in host_fft_code host_reals merge_vector sum_host_vector; do
        echo "$objects" | grep -q -- "-$name\.o\$" || fail "$library has no $name"
    done
    for object in $objects; do
        case $object in
        *-host_digits.o) continue ;; # whose vectors are the compiler's, from -O2 on
        esac
        count_packed "$object"
        test "$count" -gt 0 || fail "$object has no packed instructions"
    done
done
