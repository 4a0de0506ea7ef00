#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every subject of tests/conformance, rewritten, under NVRTC for every architecture that it knows: compiled to the end for
# one of them, in turn. The text asks for no architecture (__CUDA_ARCH__), so that the front end can differ by nothing but
# what NVRTC itself declares: it reads the subject (templates instantiated, overloads chosen) for the newest besides.
#
# `widths` makes 10 MB of PTX, with which ptxas takes a minute: it is compiled as far as PTX.
#
#   nvrtc.sh [--all]     --all: to the end, every subject for every architecture (half an hour)
. "${srcdir:-.}/tests/e2e/lib.sh"

as_cuda='--std=c++17 --device-as-default-execution-space -diag-suppress=111,128,177,546,550,2464'
read_only=-fdevice-syntax-only
all=false
[ "${1:-}" != --all ] || all=true
# shellcheck disable=SC2086 # ccache gcc
${CC:-cc} -O1 -o "$work/nvrtc" "${srcdir:-.}/tests/shim/nvrtc.c" -ldl || fail "tests/shim/nvrtc.c does not compile"
archs=$("$work/nvrtc" --archs 2>"$work/err") || skip nvrtc "$(cat "$work/err")"
echo >"$work/nothing.cu"
# shellcheck disable=SC2086 # an option or none
"$work/nvrtc" "$(echo "$archs" | head -n 1)" $read_only "$work" "$work/nothing.cu" >/dev/null 2>"$work/err" ||
    skip nvrtc "this NVRTC is too old for $read_only"

# One line a compilation, for xargs; a failed one leaves a file that ends in .failed.
cat >"$work/compile" <<'SCRIPT'
#!/bin/sh
file=$1
arch=$2
shift 2
"${file%/*}/nvrtc" "$arch" "$@" "${file%/*}" "$file" >/dev/null 2>"$file.$arch" || mv "$file.$arch" "$file.$arch.failed"
SCRIPT
count=$(echo "$archs" | wc -l)
turn=0
for subject in "${srcdir:-.}"/tests/conformance/*.cl "${srcdir:-.}"/tests/conformance/*/*.cl; do
    name=$(basename "$subject" .cl)
    koine emit "$subject" --target cuda --output "$work" >/dev/null || fail "$subject: koine emit"
    if grep -n __CUDA_ARCH__ "$work/$name.cu"; then
        fail "$name.cu asks for the architecture: it is to be read for all of them"
    fi
    at=0
    for arch in $archs; do
        if $all || { [ $((turn % count)) -eq $at ] && [ "$name" != widths ]; }; then
            echo "$work/$name.cu $arch $as_cuda" # no blank at the end: xargs
        elif [ $((turn % count)) -eq $at ]; then
            echo "$work/$name.cu compute_${arch#sm_} $as_cuda"
        elif [ $at -eq $((count - 1)) ]; then
            echo "$work/$name.cu $arch $as_cuda $read_only"
        fi
        at=$((at + 1))
    done
    turn=$((turn + 1))
done >"$work/jobs"
xargs -P 2 -L 1 sh "$work/compile" <"$work/jobs"
for log in "$work"/*.failed; do
    [ ! -e "$log" ] || fail "$(basename "$log" .failed): $(cat "$log")"
done
wanted=$(wc -l <"$work/jobs")
found=$(find "$work" -name '*.cu.*_*' | wc -l)
[ "$found" -eq "$wanted" ] || fail "$found of $wanted compilations were made"
echo "$turn subjects for $(echo "$archs" | tr '\n' ' ')"
