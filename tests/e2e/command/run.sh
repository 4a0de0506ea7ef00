#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# koine run: every form of an argument, real kernels with known answers, and every wrong input.
. "${srcdir:-.}/tests/e2e/lib.sh"
need_device
kernels=${srcdir:-.}/tests/data/run
file=$kernels/kernels.cl

# scale ARGUMENT...: y = 2 x + OFFSET for 0 1 2 ... 9.
scale()
{
    koine run "$file" --kernel scale --global 10 --arg buf:float:10:iota --arg float=2 --arg buf:float:10 "$@"
}

# The answer of buffer NAME: its type, count, min, max, sum, nan, unwritten.
expect_buffer()
{
    expect_stdout "^[0-9]+  $1  +$2  +$3  +$4  +$5  +$6  +$7  +$8\$"
}

expect_exit 0 scale
expect_buffer x float 10 0 9 45 0 0
expect_buffer y float 10 0 18 90 0 0
expect_exit 0 scale -D OFFSET=1 --local 5 --repeat 3
expect_buffer y float 10 1 19 100 0 0
expect_stdout ' ms of 3 runs$'
expect_exit 0 koine run "$file" -k group_sums -g 256 -l 64 -a buf:uint:256:value=3 -a local:256 -a buf:uint:4
expect_buffer y uint 4 192 192 768 0 0
expect_exit 0 koine run "$file" -k follow -g 4 -a struct:0000003f0000004001000000 -a float4=1,2,3,4 -a buf:float4:4
expect_buffer y float4 4 3 7.5 84 0 0
expect_exit 0 koine run "$file" -k follow -g 1 -a struct:000000000000000000000000 -a float4=0.5 -a buf:float4:1
expect_buffer y float4 1 0.5 0.5 2 0 0
expect_exit 0 koine run "$file" -k places -g 8,4 -a buf:int:32
expect_buffer x int 32 0 11 176 0 0
expect_exit 0 koine run "$file" -k places -g 8,4 -l 4,2 -a buf:int:32:zero
expect_buffer x int 32 0 11 176 0 0
expect_exit 0 koine run - -k places -g 8,4 -a buf:int:32 <"$file"
expect_buffer x int 32 0 11 176 0 0
# Poison shows what a kernel leaves out, and every repetition starts anew.
expect_exit 0 koine run "$file" -k evens -g 4 -a buf:int:8
expect_buffer x int 8 7 7 28 0 4
expect_exit 0 koine run "$file" -k negate3 -g 3 -n 3 -a buf:float3:3:iota
expect_buffer v float3 3 -8 -?0 -36 0 0
expect_exit 0 koine run "$kernels/device.cl" -g 4 -a buf:ulong:4 # the only kernel need not be named
expect_stdout '^address on '
# Random numbers are those of the seed, whatever the device.
for spec in random random:1 random:2; do
    koine run "$file" -k scale -g 100 -a "buf:float:100:$spec" -a float=1 -a buf:float:100 >"$work/$spec.txt" ||
        fail "a buffer of $spec"
    sed -n 's/^2  y  *//p' "$work/$spec.txt" >"$work/$spec.sum"
done
cmp -s "$work/random.sum" "$work/random:1.sum" || fail "the seed of the first argument is not 1"
! cmp -s "$work/random:1.sum" "$work/random:2.sum" || fail "two seeds give the same numbers"
grep -q '^x: random, seed 2$' "$work/random:2.txt" || fail "the seed is not printed"

# Files: the numbers of one, a shape that stays, three components on the device's room for four.
printf '\0\0\200\77\0\0\0\100' >"$work/two.bin" # 1 and 2
expect_exit 0 koine run "$file" -k scale -g 2 -a "buf:float:2:file=$work/two.bin" -a float=-1 -a "out:$work/y.npy:float:2"
expect_buffer y float 2 -2 -1 -3 0 0
expect_exit 0 koine run "$file" -k scale -g 2 -a "in:$work/y.npy" -a float=0.5 -a buf:float:2
expect_buffer y float 2 -1 -0.5 -1.5 0 0
expect_exit 0 koine run "$file" -k follow -g 2 -a struct:0000803f0000000001000000 -a float4=0,10,20,30 -a "out:$work/f:4.npy:float4:2"
expect_exit 0 koine run "$file" -k follow -g 2 -a struct:000000000000000000000000 -a float4=0 -a "inout:$work/f:4.npy:$work/g.npy"
[ "$(od -An -c -N 6 "$work/g.npy" | tr -d ' ')" = '223NUMPY' ] || fail "g.npy is no .npy"
grep -aq "'shape': (2, 4)" "$work/g.npy" || fail "g.npy has another shape"
{
    printf "\223NUMPY\1\0\166\0%-117s\n" "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 3), }"
    printf '\0\0\200\77\0\0\0\100\0\0\100\100'
} >"$work/v3.npy"
expect_exit 0 koine run "$file" -k negate3 -g 1 -a "inout:$work/v3.npy:$work/w3.npy"
expect_buffer v float3 1 -3 -1 -6 0 0
[ "$(wc -c <"$work/w3.npy")" -eq 140 ] || fail "w3.npy has not three numbers"
expect_exit 3 koine run "$file" -k negate3 -g 1 -a "inout:$work/v3.npy:$work/w3.npy"
expect_stderr 'w3\.npy: already exists.*--force'
expect_exit 0 koine run "$file" -k negate3 -g 1 -a "inout:$work/v3.npy:$work/w3.npy" --force

# One of our own kernels: |x - 3| of 0 1 2 ... 9 is 24 in all.
koine emit absolute_deviations --output "$work/emit" >/dev/null || fail "emit"
expect_exit 0 koine check "$work/emit/absolute_deviations.cl" --target opencl

# Compared with itself, and with what no two runs share.
expect_exit 0 scale --compare auto
expect_stdout '^y: equal'
expect_stdout 'all buffers agree'
if grep -q PoCL "$work/devices.json"; then
    expect_exit 1 koine run "$kernels/device.cl" --device cpu --compare cpu -g 4 -a buf:ulong:4 --ulp 5 --tolerance 1e300
    expect_stdout '^x: .*4 of 4 differ by more than allowed, the first at element 0: [0-9]+ against [0-9]+$'
    expect_stdout 'NOT agree'
    expect_exit 1 koine run "$kernels/device.cl" --device cpu --compare cpu -g 4 -a buf:ulong:4 --json "$work/differ.json"
    grep -q '"ok": false' "$work/differ.json" || fail "the JSON says that they agree"
fi

# A kernel that writes out of bounds brings a CPU's driver down: its name and its file are said, and no file is left.
if sanitized; then
    echo "out of bounds: not run, a sanitizer has handlers of its own"
elif grep -q PoCL "$work/devices.json"; then
    mkdir "$work/crash"
    expect_exit 4 koine run "$kernels/out_of_bounds.cl" --device cpu -g 64 -a "out:$work/crash/x.npy:float:64" \
        -a ulong=1000000000000
    expect_stderr '^koine run: crashed \(SIGSEGV, .*\) while opencl:[0-9.]+ \(.*\) was running or about to run smash \(.*/out_of_bounds\.cl\)$'
    expect_stderr '^koine run: on a CPU, the cause is a kernel that reads or writes out of bounds'
    if command -v oclgrind >/dev/null; then
        expect_stderr 'Oclgrind tells which, .*: oclgrind koine run \.\.\.'
    fi
    expect_empty stdout
    expect_files "$work/crash"
    expect_exit 4 env KOINE_LOG=sync "$KOINE" run "$kernels/out_of_bounds.cl" --device cpu -g 64 -n 3 -a buf:float:64 \
        -a ulong=1000000000000
    expect_stderr 'was running or about to run smash \('
    expect_exit 0 koine run "$kernels/out_of_bounds.cl" --device cpu -g 64 -a buf:float:64 -a ulong=0
fi

# Images: texels in, texels out, and a sampler.
if grep -q llvmpipe "$work/devices.json"; then
    echo "images: not run, Mesa 22's rusticl ends at an assertion of its SPIR-V translator"
elif on_oclgrind; then
    echo "images: not run, Oclgrind takes what is read from one for uninitialised"
elif grep -q '"images": true' "$work/devices.json"; then
    images=$kernels/images.cl
    expect_exit 0 koine run "$images" -k negate -g 4,3 -a image2d:rgba:unorm8:4x3:value=250 -a image2d:rgba:unorm8:5x3
    expect_buffer a uchar4 12 250 250 12000 0 0
    expect_buffer b uchar4 15 5 5 240 0 12
    expect_exit 0 koine run "$images" -k shrink -g 4,4 -a image2d:rgba:float:8x8:iota -a sampler:linear,edge,normalized \
        -a buf:float4:16 -a int=4 --compare auto
    expect_buffer out float4 16 18 237 8160 0 0
    expect_stdout '^a: equal'
    expect_exit 0 koine run "$images" -k layers -g 3 -a image1d_array:rgba:unsigned32:1x3:iota -a buf:uint4:3
    expect_buffer out uint4 3 0 11 66 0 0
fi

# refuse STATUS REGEX ARGUMENT...: wrong input, in a message that says what.
refuse()
{
    wanted_status=$1
    regex=$2
    shift 2
    expect_exit "$wanted_status" koine run "$@"
    expect_stderr "$regex"
    expect_empty stdout
}

refuse 2 'no kernel file named'
refuse 2 'global is missing' "$file" -k evens
refuse 2 "global: '0' is not" "$file" -k evens -g 0
refuse 2 "global: '1,2,3,4' is not" "$file" -k evens -g 1,2,3,4
refuse 2 'local has 2 dimensions, but --global has 1' "$file" -k evens -g 4 -l 2,2
refuse 2 "no kernel 'odds'; there are scale, " "$file" -k odds -g 4
refuse 2 '6 kernels; --kernel' "$file" -g 4
refuse 2 'scale takes 3 arguments \(global const float \*x, float factor, global float \*y\), but --arg was given 1' \
    "$file" -k scale -g 4 -a buf:float:4
for spec in nothing buf buf: buf:float buf:float: buf:float:0 buf:float:-1 buf:real:4 buf:float5:4 buf:float:4:ones \
    buf:float:4:value buf:float:4:value=x buf:uchar:4:value=256 buf:float:4:random:x in: inout:a.npy out:a.npy \
    out:a.npy:float out:a.npy:half:4 out::float:4 int= int=1.5 int=1,2 int4=1,2 int4=1,2,3,4,5 uint=-1 float=1e real=1 \
    image2d: image2d:rgb:unorm8:4x4 image2d:rgba:unorm9:4x4 image2d:bgra:float:4x4 image2d:rgba:unorm8:4 \
    image2d:rgba:unorm8:4x image2d:rgba:unorm8:4x4x4 image2d:rgba:unorm8:0x4 image3d:r:half:4x4x image1d:r:half:4:ones \
    sampler: sampler:edge sampler:nearest,linear sampler:nearest,repeat sampler:nearest,edge,x \
    struct: struct:123 struct:12xy local: local:0 local:x buf:float:99999999999999999999; do
    refuse 2 "--arg:? .*$(echo "$spec" | sed 's/[].[*]/./g')" "$file" -k evens -g 4 -a "$spec"
done
refuse 2 'argument 1 \(factor\) is of float, but --arg int=2 is of int' "$file" -k scale -g 4 -a buf:float:4 -a int=2 -a buf:float:4
refuse 2 'argument 1 \(factor\) takes a value, but was given a buffer' "$file" -k scale -g 4 -a buf:float:4 -a buf:float:4 -a buf:float:4
grep -q llvmpipe "$work/devices.json" || refuse 2 'negate takes 2 arguments \(read_only image2d_t a, write_only image2d_t b\)' "$kernels/images.cl" -k negate -g 1
refuse 2 'argument 0 \(x\) is of int, but --arg in:.*is of float' "$file" -k evens -g 1 -a "in:$work/y.npy"
refuse 2 'are not a whole number of vectors' "$file" -k negate3 -g 1 -a "in:$work/y.npy"
refuse 2 'work-group of [0-9]+ work-items|work-group of [0-9]+ in dimension' "$file" -k evens -g 1048576 -l 1048576 -a buf:int:2097152
refuse 2 'not a multiple of the work-group' "$file" -k evens -g 10 -l 3 -a buf:int:20
refuse 2 'requires work-groups of 4 x 2 x 1' "$file" -k places -g 8,8 -l 8,1 -a buf:int:64
refuse 2 'bytes of local memory' "$file" -k group_sums -g 1 -l 1 -a buf:uint:1 -a local:1000000000 -a buf:uint:1
refuse 3 'none\.npy: cannot be read' "$file" -k evens -g 1 -a in:none.npy
refuse 3 'two\.bin: offset 0: expected a NumPy file' "$file" -k evens -g 1 -a "in:$work/two.bin"
refuse 3 'two\.bin: holds less than the 12 bytes' "$file" -k evens -g 1 -a "buf:int:3:file=$work/two.bin"
refuse 3 'two\.bin: holds more than the 4 bytes' "$file" -k evens -g 1 -a "buf:int:1:file=$work/two.bin"
refuse 3 'no such kernel file' "$work/none.cl" -k evens -g 1 -a buf:int:1
refuse 3 'nowhere/y\.npy' "$file" -k scale -g 1 -a buf:float:1 -a float=1 -a "out:$work/nowhere/y.npy:float:1"
refuse 1 'broken\.cl:6: does not compile' "$kernels/broken.cl" -k broken -g 1 -a buf:int:1
refuse 4 'device host' "$file" -k evens -g 1 -a buf:int:2 --device host
refuse 4 '' "$file" -k evens -g 1 -a buf:int:2 --device nosuchdevice
refuse 4 '' "$file" -k evens -g 1 -a buf:int:2 --compare nosuchdevice
refuse 2 'runs on one device' "$file" -k evens -g 1 -a buf:int:2 -d cpu -d gpu
for number in -1 x 1.5; do
    refuse 2 "ulp: '$number'" "$file" -k evens -g 1 -a buf:int:2 "--ulp=$number"
done
for number in -1 x nan inf; do
    refuse 2 "tolerance: '$number'" "$file" -k evens -g 1 -a buf:int:2 "--tolerance=$number"
done
expect_files "$work/emit" absolute_deviations.cl absolute_deviations.h absolute_deviations.json

command -v python3 >/dev/null || exit 0
expect_exit 0 scale --json - --compare auto
python3 - "$work/out" <<'PYTHON' || fail "the JSON of '$ran'"
import json, sys
r = json.load(open(sys.argv[1]))
assert r["command"] == "run" and r["kernel"] == "scale" and r["global"] == [10] and r["local"] is None
assert r["device"]["spec"] and all(k in r["seconds"] for k in ("total", "build", "upload", "compute", "download"))
y = r["buffers"][1]
assert (y["argument"], y["name"], y["type"], y["count"], y["min"], y["max"], y["sum"], y["nan"]) == (
    2, "y", "float", 10, 0, 18, 90, 0), y
assert r["compare"]["ok"] is True and [b["beyond"] for b in r["compare"]["buffers"]] == [0, 0]
assert r["repeat"]["count"] == 1 and r["repeat"]["min"] <= r["repeat"]["median"] <= r["repeat"]["max"]
PYTHON
