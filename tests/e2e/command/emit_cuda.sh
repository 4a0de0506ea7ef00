#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The CUDA text that koine emit writes compiles as its first line promises: by NVRTC, and by nvcc -std=c++17 without
# another switch, for both sides, the device's and the host's: Koine's own kernels, and those conformance subjects whose text
# leans on what nvcc reads differently: printf, tables with values, images, large local memory. Of Koine's kernels every sixth
# text is compiled, from one on that is chosen by chance: scripts/resources compiles all of them, with the library's options.
#
#   emit_cuda.sh [--all]     --all: every text
. "${srcdir:-.}/tests/e2e/lib.sh"

all=false
[ "${1:-}" != --all ] || all=true
seed=${KOINE_TEST_SEED:-$(date +%s)}
turn=$((seed % 6))
echo "KOINE_TEST_SEED=$seed"
conformance=${srcdir:-.}/tests/conformance
mkdir "$work/cu"
koine emit --list >"$work/names" || fail "koine emit --list"
[ "$(wc -l <"$work/names")" -gt 100 ] || fail "koine emit --list names only $(wc -l <"$work/names") kernels"
for subject in execution/printf images/images images/many_images language/local_large language/storage language/ternary; do
    echo "$conformance/$subject.cl" >>"$work/names"
done
echo '__kernel void f(__constant float *c, __global float *p) { p[get_global_id(0)] = c[3]; }' >"$work/bank.cl"
expect_exit 0 koine emit "$work/bank.cl" --target cuda -D KN_CONSTANT=bank --output "$work/cu"
while read -r name; do
    expect_exit 0 koine emit "$name" --target cuda --output "$work/cu"
done <"$work/names"
# The headers' launchers, where there is cuda.h: one header of each, as the conformance subjects have names in common.
include=${CUDA_HOME:-/usr/local/cuda}/include
if [ -e "$include/cuda.h" ]; then
    for header in "$work"/cu/*.h; do
        echo "#include \"$header\"" >"$work/header.c"
        # shellcheck disable=SC2086 # the compiler may have words of its own
        ${CC:-cc} -std=c11 -Wall -Wextra -Werror -I"$include" -fsyntax-only "$work/header.c" 2>"$work/err" ||
            fail "${header##*/} does not compile: $(cat "$work/err")"
    done
fi
# Kernels of one file have one text: it is compiled once.
cksum "$work"/cu/*.cu | awk '!seen[$1, $2]++ { print $3 }' >"$work/every"
for name in printf images many_images local_large storage ternary bank; do
    ls "$work/cu/$name".cu >>"$work/special" || fail "$name.cu was not written"
done
grep -vxFf "$work/special" "$work/every" | awk -v all=$all -v turn=$turn 'all == "true" || NR % 6 == turn' |
    sort - "$work/special" >"$work/texts"
count=$(wc -l <"$work/texts")
[ "$count" -ge 15 ] || fail "only $count texts are compiled"

# By NVRTC: 1 where there is none.
by_nvrtc()
{
    status=0
    # shellcheck disable=SC2046 # names without blanks
    python3 "${srcdir:-.}/tests/e2e/nvrtc.py" $(cat "$work/texts") || status=$?
    [ $status -eq 0 ] || [ $status -eq 77 ] || fail "NVRTC refuses what was emitted"
    [ $status -eq 0 ]
}

missing=
if command -v python3 >/dev/null && by_nvrtc; then
    echo "$count texts by NVRTC"
else
    missing=nvrtc
fi

PATH=$PATH:${CUDA_HOME:-/usr/local/cuda}/bin:/usr/local/cuda/bin
if command -v nvcc >/dev/null; then
    # One text a time and processor: a failed one leaves its messages in a file that ends in .failed.
    cat >"$work/compile" <<'SCRIPT'
nvcc -std=c++17 -c -o "$1.o" "$1" >"$1.log" 2>&1 || mv "$1.log" "$1.failed"
SCRIPT
    xargs -P 2 -L 1 sh "$work/compile" <"$work/texts"
    for log in "$work"/cu/*.failed; do
        [ ! -e "$log" ] || fail "nvcc -std=c++17 refuses $(basename "$log" .failed): $(cat "$log")"
    done
    made=$(find "$work/cu" -name '*.cu.o' | wc -l)
    [ "$made" -eq "$count" ] || fail "nvcc made $made object files of $count texts"
    echo "$count texts by nvcc -std=c++17"
else
    missing=${missing:+$missing,}nvcc
fi
case $missing in
*nvcc*) skip nvcc "there is no nvcc, which compiles what is emitted" ;;
nvrtc) skip nvrtc "there is no NVRTC, which compiles what is emitted" ;;
esac
