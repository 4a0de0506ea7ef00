#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The prelude under NVRTC, no GPU needed: every built-in compiles, and the memory accesses in the PTX are the
# fewest possible on three architectures: 16 bytes for a vector, no local memory, the constant cache or
# read-only loads for __constant arguments. Skipped (77) if there is no NVRTC.
#
#   check_prelude.sh [--all]     --all: every built-in on each architecture (a minute), not only on the first
set -eu

here=$(cd "$(dirname "$0")" && pwd)
prelude=${KN_PRELUDE:-$here/../../cl/cuda}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
architectures="sm_75 sm_90 sm_120"
everything_for=sm_75
[ "${1:-}" = --all ] && everything_for=$architectures

fail() {
    echo "check_prelude: $*" >&2
    exit 1
}

# shellcheck disable=SC2086 # ccache gcc
${CC:-cc} -O1 -o "$work/nvrtc" "$here/nvrtc.c" -ldl

# compile ARCHITECTURE FILE [OPTION ...]: the PTX in $work/ptx, what was said in $work/log
compile() {
    arch=$1 file=$2
    shift 2
    status=0
    "$work/nvrtc" "$arch" "$@" "$prelude" "$file" >"$work/ptx" 2>"$work/log" || status=$?
    if [ "$status" = 77 ]; then
        cat "$work/log"
        exit 77
    fi
    [ "$status" = 0 ] || fail "$file does not compile for $arch:
$(cat "$work/log")"
    ! grep -q warning "$work/log" || fail "$file has warnings for $arch:
$(cat "$work/log")"
}

# accesses KERNEL: the space and width of its loads and stores, in order
accesses() {
    sed -n "/entry koine_$1(/,/^}/p" "$work/ptx" | grep -v ld.param |
        sed -n 's/^.*[[:space:]]\([ls][dt]\.[a-z0-9.]*\)\.[a-z0-9]*[[:space:]].*/\1/p' |
        sort | uniq -c | awk '{ printf "%s%s %s", sep, $1, $2; sep = ", " }' |
        sed 's/2 \([a-z.]*\)\.v8/4 \1.v4/g' # Blackwell moves 32 bytes at once
}

# The spaces of __constant arguments' loads: $1 = ld.global.nc or ld.const
expect_accesses() {
    while read -r kernel want; do
        want=$(echo "$want" | sed "s/LOAD/$1/")
        got=$(accesses "$kernel")
        # shellcheck disable=SC2254 # a pattern: four bytes may move as a vector or as a word
        case $got in
            $want) ;;
            *) fail "$kernel ($arch) does '$got', expected '$want'" ;;
        esac
    done <<-'TABLE'
	copy 1 LOAD.v4, 1 st.global.v4
	arithmetic 1 LOAD.v4, 1 st.global.v4
	selections 1 LOAD.v4, 1 st.global.v4
	component 1 LOAD, 1 st.global
	neighbours 1 LOAD.v2, 1 st.global.v4
	part 1 LOAD.v2, 1 st.global.v2
	wide 4 LOAD.v4, 4 st.global.v4
	three 1 LOAD.v4, 1 st.global.v4
	widen 1 LOAD*, 1 st.global.v4
	saturate 1 LOAD.v4, 1 st.global*
	structure 4 LOAD.v4, 1 st.global.v4
	choice 1 LOAD.v4, 1 st.global.v4
	halves 1 LOAD*, 1 st.global.v4
	TABLE
    ! grep -q '\.local' "$work/ptx" || fail "local memory in the PTX for $arch"
}

for arch in $architectures; do
    compile "$arch" "$here/accesses.cu"
    expect_accesses ld.global.nc
    compile "$arch" "$here/accesses.cu" -DKN_CONSTANT_BANK=1 -DKN_BANK_BYTES=60000
    expect_accesses ld.const
    case " $everything_for " in *" $arch "*) compile "$arch" "$here/everything.cu" ;; esac
    echo "ok: $arch"
done
