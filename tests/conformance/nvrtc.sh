#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Half of the subjects of tests/conformance, chosen by chance, rewritten, each compiled by NVRTC for one of the architectures that
# it knows, in turn: every other one to the end, the rest as far as PTX, which is what NVRTC can refuse. The text asks for no
# architecture (__CUDA_ARCH__), so that they can differ by nothing but what NVRTC itself declares. Of the ten largest texts, with which NVRTC
# takes 10 to 40 seconds each, every eighth is compiled, from one chosen by chance.
#
# `widths` makes 10 MB of PTX, with which ptxas takes a minute: it is compiled as far as PTX.
#
#   nvrtc.sh [--all]     --all: to the end, every subject for every architecture (half an hour)
. "${srcdir:-.}/tests/e2e/lib.sh"

as_cuda='--std=c++17 --device-as-default-execution-space -diag-suppress=111,128,177,546,550,2464'
all=false
[ "${1:-}" != --all ] || all=true
seed=${KOINE_TEST_SEED:-$(date +%s)}
echo "KOINE_TEST_SEED=$seed"
# shellcheck disable=SC2086 # ccache gcc
${CC:-cc} -O1 -o "$work/nvrtc" "${srcdir:-.}/tests/shim/nvrtc.c" -ldl || fail "tests/shim/nvrtc.c does not compile"
archs=$("$work/nvrtc" --archs 2>"$work/err") || skip nvrtc "$(cat "$work/err")"

# One line a compilation, for xargs; a failed one leaves a file that ends in .failed.
cat >"$work/compile" <<'SCRIPT'
#!/bin/sh
file=$1
arch=$2
shift 2
"${file%/*}/nvrtc" "$arch" "$@" "${file%/*}" "$file" >/dev/null 2>"$file.$arch" || mv "$file.$arch" "$file.$arch.failed"
SCRIPT
count=$(echo "$archs" | wc -l)
turn=0 subjects=0 large=0
for subject in "${srcdir:-.}"/tests/conformance/*/*.cl; do
    name=$(basename "$subject" .cl)
    koine emit "$subject" --target cuda --output "$work" >/dev/null || fail "$subject: koine emit"
    if grep -n __CUDA_ARCH__ "$work/$name.cu"; then
        fail "$name.cu asks for the architecture: it is to be read for all of them"
    fi
    subjects=$((subjects + 1))
    if [ "$(wc -c <"$work/$name.cu")" -gt 155000 ] && ! $all; then
        large=$((large + 1))
        [ $(((seed + large) % 8)) -eq 0 ] || continue
    elif [ $(((seed + subjects) % 2)) -eq 0 ] && ! $all; then
        continue
    fi
    at=0
    for arch in $archs; do
        if $all || [ $(((seed / 4 + turn) % count)) -eq $at ]; then
            $all || { [ "$name" != widths ] && [ $((turn % 2)) -eq 0 ]; } || arch=compute_${arch#sm_}
            echo "$work/$name.cu $arch $as_cuda" # no blank at the end: xargs
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
echo "$turn of $subjects subjects for $(echo "$archs" | tr '\n' ' ')"
