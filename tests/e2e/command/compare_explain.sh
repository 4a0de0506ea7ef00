#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `koine compare --explain`: what is refused; with a fake CUDA driver, which runs nothing, the way of PTX through the
# command; on OpenCL devices; and everything on a GPU that both CUDA and NVIDIA's OpenCL reach.
. "${srcdir:-.}/tests/e2e/lib.sh"
unset KOINE_DEVICE

cat >"$work/scale.cl" <<'END'
__kernel void scale(__global float *x, float factor, __local float *tile)
{
    size_t i = get_global_id(0), l = get_local_id(0);
    tile[l] = x[i] * factor;
    barrier(CLK_LOCAL_MEM_FENCE);
    x[i] = tile[get_local_size(0) - 1 - l] + (float)get_num_groups(0) * OFFSET;
}
__kernel void nothing(__global float *x) { x[get_global_id(0)] = 0; }
END
run="--kernel scale --global 65536 --local 64 --arg buf:float:65536:iota --arg float=2 --arg local:256 -D OFFSET=0.0f"

# fits_schema FILE: checked where python3-jsonschema is installed.
fits_schema()
{
    python3 -W ignore -c 'import jsonschema' 2>/dev/null || return 0
    python3 -W ignore - "${srcdir:-.}/doc/compare.schema.json" "$1" <<'PYTHON' || fail "$1 is not as its schema says"
import json, jsonschema, sys
schema, report = (json.load(open(name, encoding="utf-8")) for name in sys.argv[1:])
jsonschema.Draft7Validator.check_schema(schema)
jsonschema.validate(report, schema)
PYTHON
}

# look EXPRESSION...: each holds for the JSON value e, the part "explain" of $work/e.json.
look()
{
    command -v python3 >/dev/null || return 0
    python3 - "$work/e.json" "$@" <<'PYTHON' || fail "the JSON of '$ran'"
import json, sys
e = json.load(open(sys.argv[1], encoding="utf-8"))["explain"]
p = e["paths"]
bad = [x for x in sys.argv[2:] if not eval(x)]
for x in bad:
    print("does not hold:", x)
if bad:
    print(json.dumps(e, indent=1))
sys.exit(bool(bad))
PYTHON
}

expect_exit 2 koine compare --dump-ptx "$work/ptx"
expect_stderr 'need --explain'
expect_exit 2 koine compare --global 64
expect_exit 2 koine compare --explain scan_block
expect_stderr "'scan_block' is not a kernel of Koine's, did you mean 'scan_blocks'"
expect_one_line
expect_exit 2 koine compare --explain scan_blocks --device host
expect_stderr 'the host runs no kernels; name a device'
expect_exit 4 env KOINE_CUDA_LIBRARIES=/nonexistent "$KOINE" compare --explain scan_blocks --device cuda:0
expect_stderr 'no device: CUDA: no NVIDIA driver'
expect_exit 2 koine compare --explain scan_blocks --global 64
expect_stderr 'the options of koine run are for a FILE.cl'
expect_exit 2 koine compare --explain scan_blocks --output "$work/out"
expect_exit 2 koine compare scan --explain "$work/scale.cl" --global 64
expect_stderr 'a kernel file runs by itself'
expect_exit 2 koine compare --explain "$work/scale.cl" --kernel scale
expect_stderr 'global is missing'
expect_exit 3 koine compare --explain scan_blocks --load-ptx "$work/nothing.ptx"
expect_stderr 'nothing.ptx: No such file'
expect_exit 3 koine compare --explain scan_blocks --load-ptx "$work/scale.cl"
expect_stderr 'it is not PTX'

# Over the fake driver, whose NVRTC gives the text itself for PTX.
cat >"$work/scale.ptx" <<'END'
//
//kernel scale 8 4 8
.version 8.7
.target sm_90, texmode_independent
.address_size 64
.entry scale(
	.param .u64 .ptr .global .align 4 scale_param_0,
	.param .f32 scale_param_1,
	.param .u64 .ptr .shared .align 4 scale_param_2
)
{
	.reg .f32 %f<4>; .reg .b32 %r<9>; .reg .b64 %rd<9>;
	ld.param.u64 %rd1, [scale_param_0];
	ld.param.f32 %f1, [scale_param_1];
	ld.param.u64 %rd2, [scale_param_2];
	mov.b32 %r1, %envreg3;
	ld.global.v4.f32 {%f2, %f2, %f2, %f2}, [%rd1];
	mul.f32 %f3, %f2, %f1;
	st.shared.f32 [%rd2], %f3;
	bar.sync 0;
	st.global.f32 [%rd1], %f3;
	ret;
}
END
fake=${builddir:-.}/tests/fake
if [ -e "$fake/libcuda.so.1" ]; then
    with_fakes()
    {
        env KOINE_CUDA_LIBRARIES="$fake" "$KOINE" "$@"
    }
    # shellcheck disable=SC2086 # words
    expect_exit 0 with_fakes compare --explain "$work/scale.cl" $run --device cuda:0 --dump-ptx "$work/ptx" \
        --load-ptx "$work/scale.ptx" --json "$work/e.json"
    expect_stdout '^cuda:0 +[0-9.]+ +1 +100 % .* 64 +768 +40 '
    expect_stdout '^cuda:0 with the PTX +.* 32 \(64 of 64\)$'
    expect_stdout '^global loads +1$'
    expect_stdout "^wrote $work/ptx/scale.cuda-0.ptx"
    expect_files "$work/ptx" scale.cuda-0.ptx
    fits_schema "$work/e.json"
    look 'len(p) == 2' 'not p[0]["loaded_ptx"]' 'p[1]["loaded_ptx"]' 'p[1]["instructions"]["shared stores"] == 1' \
        'p[0]["file"].endswith("scale.cuda-0.ptx")' 'p[0]["registers"] == 40' 'p[1]["groups_at_once"] == 32'
    # shellcheck disable=SC2086
    expect_exit 3 with_fakes compare --explain "$work/scale.cl" $run --device cuda:0 --dump-ptx "$work/ptx"
    expect_stderr 'scale.cuda-0.ptx'
    sed 's/\.f32 scale_param_1/.f64 scale_param_1/' "$work/scale.ptx" >"$work/other.ptx"
    # shellcheck disable=SC2086
    expect_exit 3 with_fakes compare --explain "$work/scale.cl" $run --device cuda:0 --load-ptx "$work/other.ptx"
    expect_stderr "argument 1 of the PTX's entry scale is not the kernel's factor"
    # Nothing was computed, and that is found out.
    expect_exit 1 with_fakes compare reduce --explain reduce_leaves --device cuda:0
    expect_stdout '^cuda:0: the answer is WRONG'
fi

need_device
on_oclgrind && exit 0
# shellcheck disable=SC2086
expect_exit 0 koine compare --explain "$work/scale.cl" $run --json "$work/e.json" --force
expect_stdout '^path +kernel ms +launches'
fits_schema "$work/e.json"
look 'e["kernel"] == "scale" and e["job"] is None' 'all(x["launches"] == 1 and x["group"] == 64 for x in p)' \
    'all(x["kernel_seconds"] > 0 for x in p)' 'all(x["local_bytes"] >= 256 for x in p)' 'len(e["words"]) >= 1' \
    'all((x["instructions"] is None) == (x["no_ptx"] is not None) for x in p)' \
    'not any("argument 0 differs" in w for w in e["words"])'
expect_exit 0 koine compare --explain reduce_leaves --json "$work/e.json" --force
expect_stdout '^reduce_leaves in the job reduce sum f32, [0-9]+ numbers'
fits_schema "$work/e.json"
look 'e["job"] == "reduce" and e["file"] is None' 'all(x["right"] for x in p)' 'all(x["ceiling_share"] > 0 for x in p)'
expect_exit 2 koine compare reduce --explain autocorr_pack
expect_stderr 'no job launches autocorr_pack on these devices; they launch .*reduce_leaves'

if ! grep -q '"backend": "cuda"' "$work/devices.json"; then
    expect_exit 4 koine compare reduce --explain reduce_leaves --dump-ptx "$work/none"
    expect_stderr 'there is no PTX to write: .* makes no PTX'
    [ ! -e "$work/none" ] || fail "--dump-ptx left a folder"
    printf '.version 8.0\n.entry reduce_leaves() { ret; }\n' >"$work/some.ptx"
    expect_exit 4 koine compare reduce --explain reduce_leaves --load-ptx "$work/some.ptx"
    expect_stderr 'PTX runs only through CUDA'
fi

# A GPU that both paths reach.
command -v python3 >/dev/null || exit 0
koine devices --all --json - >"$work/all.json" || fail "koine devices --all --json - fails"
python3 - "$work/all.json" >"$work/paths" <<'PYTHON'
import json, sys
found = [d for d in json.load(open(sys.argv[1], encoding="utf-8"))["devices"] if not d["why_not"]]
for c in found:
    for o in found:
        if c["backend"] == "cuda" and o["backend"] == "opencl" and o["alias_of"] == c["spec"]:
            print(c["spec"], o["spec"])
PYTHON
[ -s "$work/paths" ] || case ",${KOINE_REQUIRE:-}," in
*,cuda,*) fail "KOINE_REQUIRE asks for cuda, but no GPU is reached through CUDA and OpenCL" ;;
*) exit 0 ;;
esac
read -r cuda opencl <"$work/paths"
both="--device $cuda --device $opencl"
cuda_file=$(echo "$cuda" | tr ':.' '--')
opencl_file=$(echo "$opencl" | tr ':.' '--')
# shellcheck disable=SC2086
expect_exit 0 koine compare --explain "$work/scale.cl" $run $both --dump-ptx "$work/gpu" --json "$work/e.json" --force
cat "$work/out"
expect_files "$work/gpu" "scale.$cuda_file.ptx" "scale.$opencl_file.ptx"
look 'all(x["registers"] > 0 and x["spill_bytes"] == 0 for x in p)' 'all(x["groups_at_once"] > 0 for x in p)' \
    'all(x["instructions"]["global loads"] == 1 for x in p)' 'all(x["instructions"]["barriers"] == 1 for x in p)' \
    'all(x["instructions"]["shared stores"] == 1 for x in p)'
for from in "$cuda_file" "$opencl_file"; do
    # shellcheck disable=SC2086
    expect_exit 0 koine compare --explain "$work/scale.cl" $run $both --load-ptx "$work/gpu/scale.$from.ptx" \
        --json "$work/e.json" --force
    look 'len(p) == 3' 'p[2]["loaded_ptx"]' 'not any("argument 0 differs" in w for w in e["words"])'
done
# Jobs check the answers. What runs is the file: one whose result is another makes the answer wrong.
for kernel in reduce_leaves scan_blocks reduce_fold; do
    # shellcheck disable=SC2086
    expect_exit 0 koine compare --explain "$kernel" $both --dump-ptx "$work/gpu" --json "$work/e.json" --force
    cat "$work/out"
    look 'all(x["right"] for x in p)' 'all(x["registers"] > 0 and x["instructions"] for x in p)'
    for from in "$cuda_file" "$opencl_file"; do
        # shellcheck disable=SC2086
        expect_exit 0 koine compare --explain "$kernel" $both --load-ptx "$work/gpu/$kernel.$from.ptx" --json "$work/e.json" --force
        look 'len(p) == 3' 'all(x["right"] for x in p)'
    done
done
sed 's/add\.rn\.f64/sub.rn.f64/' "$work/gpu/reduce_leaves.$cuda_file.ptx" >"$work/wrong.ptx"
# shellcheck disable=SC2086
expect_exit 1 koine compare --explain reduce_leaves $both --load-ptx "$work/wrong.ptx"
expect_stdout 'with the PTX: the answer is WRONG'
