#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# No built-in function of OpenCL C 1.2 is left out: every name in builtins.txt is called by a subject of the
# conformance tests (with its macros expanded) or by a test, and the rewrite knows it: the subjects are rewritten with it, and the
# prelude declares it.
. "${srcdir:-.}/tests/e2e/common.sh"

here=${srcdir:-.}/tests/conformance
# shellcheck disable=SC2086 # ccache gcc
for subject in "$here"/*/*.cl; do
    ${CC:-cc} -E -P -undef -x c -Dcl_khr_fp64 -D__OPENCL_VERSION__=120 -DCHAR_BIT=8 -DINT_MAX=2147483647 \
        -DM_PI_F=1 -DUINT_MAX=0xffffffffU "$subject" >>"$work/text" 2>"$work/err" ||
        fail "$subject: $(cat "$work/err")"
done
cat "$work/text" "$here"/test_*.c "$here"/*/test_*.c "$here"/*.h "$here"/*/*.h | grep -oE '[A-Za-z_][A-Za-z_0-9]*' | sort -u >"$work/used"

# Lines of a name and its section.
cat >"$work/expand" <<'SCRIPT'
while read -r first rest; do
    case $first in
    '' | '#') ;;
    6.*) section=$first ;;
    *) eval "printf '%s $section\n' $first $rest" ;;
    esac
done
SCRIPT
command -v bash >/dev/null || skip bash "no bash, which expands the braces of builtins.txt"
bash "$work/expand" <"$here/builtins/builtins.txt" >"$work/names"
[ "$(wc -l <"$work/names")" -gt 800 ] || fail "builtins.txt gives only $(wc -l <"$work/names") names"

missing=0
while read -r name section; do
    grep -qxF "$name" "$work/used" && continue
    echo "$section: $name is used by no subject"
    missing=$((missing + 1))
done <"$work/names"

# What the rewrite's table of functions knows, those of later versions of OpenCL C among them.
sed -n '/^} rules\[\]/,/^};/s/^[^"]*"\([^"]*\)".*/\1/p' "$here/../../src/source/syntax/builtin.c" | tr ' ' '\n' | grep . >"$work/known"
[ "$(wc -l <"$work/known")" -gt 200 ] || fail "src/source/syntax/builtin.c gives only $(wc -l <"$work/known") names"

# What the prelude declares under its own name; the others become kn_convert, kn_as, kn_vload... where subjects use
# them.
{
    printf '#include "shim.h"\n#include "prelude.cuh"\n#include "image.cuh"\n'
    awk '$1 !~ /^(convert_|as_|vload|vstore|vec_step|printf)/ { print "using kn::" $1 ";" }' "$work/names" "$work/known" |
        sort -u
} >"$work/probe.cpp"
# shellcheck disable=SC2086 # ccache g++
if ${CXX:-c++} --version >/dev/null 2>&1; then
    ${CXX:-c++} -std=gnu++17 -fsyntax-only -w -I"$here/../shim" -I"$here/../../cl/cuda" "$work/probe.cpp" \
        2>"$work/err" || fail "the prelude lacks: $(grep -o "error: .*" "$work/err")"
fi
[ $missing -eq 0 ] || fail "$missing built-in functions are used by no subject"
echo "$(wc -l <"$work/names") names of built-in functions"
