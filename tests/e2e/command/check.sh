#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# koine check: which file compiles for which target, the place of every message, and that only compiled files are counted.
. "${srcdir:-.}/tests/e2e/lib.sh"
kernels=${srcdir:-.}/tests/data/run

# A first run finds the installed compilers.
expect_exit 2 koine check
expect_stderr 'no kernel file'
expect_exit 2 koine check --target cpu8086 "$kernels/kernels.cl"
expect_stderr "'cpu8086' is not a target; there are opencl, .*amd:gfx90a"
expect_exit 2 koine check -D 1X "$kernels/kernels.cl"
expect_stderr "'1X' is not a macro"
expect_exit 2 koine check --target amd "$kernels/kernels.cl"
expect_stderr 'an architecture must follow'
expect_exit 2 koine check --target cuda "$kernels/kernels.cl"
expect_stderr 'an architecture must follow, as in cuda:sm_90'
expect_exit 2 koine check --target 'amd:../x' "$kernels/kernels.cl"
expect_stderr 'no such architecture'

# What is not here is named, never passed, and decides the exit status where it was asked for.
for target in cuda:sm_90 cuda:all; do
    expect_exit 4 env KOINE_CUDA_LIBRARIES=/nonexistent "$(command -v "$KOINE")" check --target $target \
        "$kernels/kernels.cl"
    expect_stderr "$target is skipped: libnvrtc\.so.* not found"
    expect_empty stdout
done
expect_exit 4 env PATH=/nonexistent "$(command -v "$KOINE")" check --target spirv "$kernels/kernels.cl"
expect_stderr 'spirv is skipped: clang is not installed'
expect_exit 4 without_devices env PATH=/nonexistent "$(command -v "$KOINE")" check "$kernels/kernels.cl"
expect_stderr 'intel:dg2 is skipped: ocloc is not installed'
expect_stderr 'nothing was checked'

# A compiler that runs and is of no use is not one.
mkdir "$work/bin"
printf '#!/bin/sh\necho "this is no compiler"; exit 1\n' >"$work/bin/ocloc"
chmod +x "$work/bin/ocloc"
expect_exit 2 env PATH="$work/bin" "$(command -v "$KOINE")" check --target intel:dg2 "$kernels/kernels.cl"
expect_stderr 'ocloc does not compile for it: this is no compiler'

have()
{
    koine check --target "$1" "$kernels/kernels.cl" >/dev/null 2>"$work/err"
}

# at TARGET: whether it is here; else a line, or a failure where KOINE_REQUIRE lists "offline".
at()
{
    have "$1" && return
    case ",${KOINE_REQUIRE:-}," in
    *,offline,*) fail "KOINE_REQUIRE asks for offline, but: $(cat "$work/err")" ;;
    *,nvrtc,*) [ "${1#cuda:}" = "$1" ] || fail "KOINE_REQUIRE asks for nvrtc, but: $(cat "$work/err")" ;;
    esac
    echo "not tested: $1: $(head -n 1 "$work/err")"
    return 1
}

# What a compiler of that target must say of our test files.
expect_judgements()
{
    expect_exit 0 koine check --target "$1" "$kernels/kernels.cl" -D OFFSET=3
    expect_stdout "kernels\.cl  *ok"
    expect_exit 1 koine check --target "$1" "$kernels/kernels.cl" "$kernels/broken.cl"
    expect_stdout "kernels\.cl  *ok"
    expect_stdout "broken\.cl  *failed"
    expect_stderr "broken\.cl:6.*undeclared"
    expect_stderr '^ *6 \|     x\[i\] = undeclared'
    expect_exit 1 koine check --target "$1" "$kernels/kernels.cl" -D 'OFFSET=nowhere'
    expect_stderr 'kernels\.cl:10'
}

at amd:gfx90a && {
    expect_judgements amd:gfx90a
    expect_exit 0 koine check --target amd:gfx90a "$kernels/double.cl" "$kernels/spill.cl"
    expect_stdout '^hoards  .*  amd:gfx90a  +[0-9]+  +128  +[1-9][0-9]*  '
    expect_stdout '^thirds  .*  amd:gfx90a  +[1-9][0-9]*  +0  +0  '
    expect_exit 2 koine check --target amd:gfx9999 "$kernels/kernels.cl"
    expect_stderr 'amd:gfx9999'
}
at cuda:sm_90 && {
    expect_judgements cuda:sm_90
    expect_stderr 'kernels\.cl:10: error: '
    for architecture in sm_12 sm_ 90 sm_90x; do
        expect_exit 2 koine check --target "cuda:$architecture" "$kernels/kernels.cl"
        expect_stderr "cuda:$architecture: there is no such architecture; NVRTC .* sm_90"
    done
    # A number becomes a colour of four such, as everywhere in OpenCL C.
    echo '__kernel void grey(__write_only image2d_t i) { write_imagef(i, (int2)(0), 0.5f); }' >"$work/grey.cl"
    expect_exit 0 koine check --target cuda:sm_90 "$work/grey.cl"
    printf '#define OFFSET 8\n__kernel void shift(__global int *p) { *p = OFFSET; }\n' >"$work/own.cl"
    expect_exit 0 koine check --target cuda:sm_90 -D OFFSET=3 "$work/own.cl"
    expect_stderr 'own\.cl:1: warning: macro OFFSET .*-D OFFSET=3'
    expect_exit 0 koine emit --target cuda -D OFFSET=3 --output "$work/own" "$work/own.cl"
    expect_stderr 'own\.cl:1: warning: macro OFFSET .*-D OFFSET=3'
    grep -q '\*p = 8;' "$work/own/own.cu" || fail "the file's own macro does not hold: $work/own/own.cu"
    echo '__kernel void greedy(__global float *p) { __local float a[100000]; a[get_local_id(0)] = *p;
        barrier(CLK_LOCAL_MEM_FENCE); *p = a[get_local_size(0)]; }' > "$work/greedy.cl"
    expect_exit 1 koine check --target cuda:sm_90 "$work/greedy.cl"
    expect_stderr 'greedy\.cl:1: error: greedy has 400000 bytes of __local variables.* sm_90 has at most 232448'
    sed -i 's/100000/50000/' "$work/greedy.cl" # what sm_90 has, and sm_75 has not
    expect_exit 0 koine check --target cuda:sm_90 "$work/greedy.cl"
    expect_stdout '^greedy  .*  cuda:sm_90  +[1-9][0-9]*  +200000  '
    expect_exit 1 koine check --target cuda:sm_75 "$work/greedy.cl"
    expect_stderr 'greedy has 200000 bytes of __local variables.* sm_75 has at most 65536'
    expect_exit 0 koine check --target cuda:sm_90 "$kernels/double.cl" "$kernels/spill.cl" --policy strict
    expect_stdout '^hoards  .*  cuda:sm_90  +255  +128  +[1-9][0-9]*  '
    expect_stdout '^thirds  .*  cuda:sm_90  +[1-9][0-9]*  +0  +0  '
    expect_exit 0 koine check --target cuda:all "$kernels/kernels.cl"
    expect_stdout '^scale  .*  cuda:sm_90  +[1-9]'
    [ "$(grep -c '^scale  ' "$work/out")" -gt 1 ] || fail "cuda:all is one architecture: $(cat "$work/out")"
    expect_exit 0 koine check "$kernels/kernels.cl"
    expect_stdout '^scale  .*  cuda:sm_75  '
    expect_stdout '^scale  .*  cuda:sm_90  '

    # What CUDA cannot have is refused at its place; constant arguments may go into the bank.
    cat >"$work/image.cl" <<'EOF'
__kernel void fine(__global int *p) { *p = 1; }

__kernel void reads(__read_only image2d_t image, __read_write image2d_t other, __global float4 *p)
{
    *p = (float4)(0);
}
EOF
    expect_exit 1 koine check --target cuda:sm_90 "$work/image.cl"
    expect_stdout 'image\.cl  *failed'
    expect_stderr 'image\.cl:3.*__read_write'
    expect_exit 0 koine check --target cuda:all "$kernels/images.cl"
    expect_exit 0 koine check --target cuda:sm_75 "${srcdir:-.}/tests/conformance/images/images.cl"
    echo '__kernel void f(__constant float *c, __global float *p) { p[get_global_id(0)] = c[3]; }' >"$work/bank.cl"
    expect_exit 0 koine check --target cuda:sm_90 -D KN_CONSTANT=bank "$work/bank.cl"
    expect_exit 0 koine check --target cuda:sm_90 "$work/bank.cl"
}
at intel:dg2 && {
    expect_judgements intel:dg2
    expect_exit 0 koine check --target intel:dg2 "$kernels/double.cl" "$kernels/kernels.cl"
    expect_stdout 'double\.cl  *n/a'
    expect_exit 0 koine check --target intel:dg2 "$kernels/spill.cl"
    expect_stdout '^hoards  .*  intel:dg2  +128  +-  +[1-9][0-9]*  '
    expect_exit 2 koine check --target intel:i8086 "$kernels/kernels.cl"
    expect_stderr 'intel:i8086'
}
at spirv && expect_judgements spirv
at opencl && {
    expect_judgements opencl
    expect_exit 0 koine check --target opencl reduce.cl # one of our own
    expect_stdout '^reduce_leaves  '
}

# An error of the preprocessor is a file that does not compile; a file that is not there is bad input.
if at spirv || at opencl; then
    printf '#include "none.clh"\n__kernel void f(void) {}\n' >"$work/include.cl"
    printf '__kernel void f(__global int *p) { *p = FROM; }\n' >"$work/from.cl"
    mkdir "$work/inc"
    echo '#define FROM 3' >"$work/inc/none.clh"
    cat "$work/include.cl" "$work/from.cl" | grep -v 'f(void)' >"$work/both.cl"
    expect_exit 1 koine check "$work/include.cl"
    expect_stderr 'include\.cl:1'
    expect_exit 0 koine check -I "$work/inc" "$work/both.cl"
    expect_exit 1 koine check - "$kernels/kernels.cl" <"$kernels/broken.cl"
    expect_stdout '^<stdin>  .*failed'
    expect_stderr '<stdin>:6'
    expect_exit 3 koine check "$work/kernels.cl" "$work/missing.cl"
    expect_stderr 'kernels\.cl: there is no such'
fi

# JSON: a result for each file and target, null for n/a; nothing is left behind.
if command -v python3 >/dev/null && { at spirv || at opencl; }; then
    mkdir "$work/tmp"
    expect_exit 1 env TMPDIR="$work/tmp" "$(command -v "$KOINE")" check --json - "$kernels/kernels.cl" "$kernels/broken.cl" "$kernels/double.cl"
    expect_files "$work/tmp"
    python3 - "$work/out" <<'PYTHON' || fail "the JSON of '$ran'"
import json, sys
r = json.load(open(sys.argv[1]))
rows = r["results"]
by = {(row["file"].split("/")[-1], row["target"]): row for row in rows}
targets = {row["target"] for row in rows}
assert r["command"] == "check" and rows and len(by) == len(rows) == 3 * len(targets)
names = ["scale", "group_sums", "negate3", "follow", "places", "evens"]
for t in targets:
    good = by["kernels.cl", t]
    assert good["ok"] is True and [k["name"] for k in good["kernels"]] == names, good
    assert all({"registers", "local_bytes", "spill_bytes"} <= set(k) for k in good["kernels"])
    bad = by["broken.cl", t]
    assert bad["ok"] is False and "broken.cl:6" in bad["log"] and bad["kernels"] == [], bad
if "intel:dg2" in targets:
    assert by["double.cl", "intel:dg2"]["ok"] is None
for t in targets & {"cuda:sm_75", "cuda:sm_90"}:
    by_name = {k["name"]: k for k in by["kernels.cl", t]["kernels"]}
    assert all(k["registers"] > 0 and k["spill_bytes"] == 0 and k["local_bytes"] == 0 for k in by_name.values())
if "amd:gfx90a" in targets:
    assert by["double.cl", "amd:gfx90a"]["ok"] is True
    assert all(k["registers"] > 0 and k["spill_bytes"] == 0 for k in by["kernels.cl", "amd:gfx90a"]["kernels"])
assert all(s["target"] not in targets and s["why"] for s in r["skipped"])
PYTHON
fi
