#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# --memory-limit of `koine autocorr`, `solve` and `recon`: the same results in pieces, or a refusal before anything is
# computed, which names a limit that is enough.
. "${srcdir:-.}/tests/e2e/lib.sh"
command -v python3 >/dev/null || skip python3 "python3 is not installed"

(cd "$work" && python3 -) <<'PYTHON' || fail "the input was not made"
import os, random, struct
def save(name, dtype, shape, data):
    header = "{'descr': '%s', 'fortran_order': False, 'shape': %r, }\n" % (dtype, shape)
    with open(name, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data)
random.seed(11)
save("stack.npy", "|u1", (24, 300, 400), os.urandom(24 * 300 * 400))
rows, columns, sides = 240, 160, 2000
with open("a.mtx", "w") as file:
    file.write("%%%%MatrixMarket matrix coordinate real general\n%d %d %d\n" % (rows, columns, 4 * rows))
    for row in range(rows):
        for column in random.sample(range(columns), 4):
            file.write("%d %d %.3f\n" % (row + 1, column + 1, random.uniform(0.5, 1)))
save("b.npy", "<f8", (rows, sides), struct.pack("<%dd" % (rows * sides), *(random.random() for _ in range(rows * sides))))
PYTHON
case $KOINE in
/*) ;;
*) KOINE=$PWD/$KOINE ;;
esac
cd "$work"
OMP_NUM_THREADS=2
export OMP_NUM_THREADS

# enough COMMAND... -o NAME: refused within 1 MB, with nothing written, and done within the limit that is named.
enough()
{
    expect_exit 5 koine "$@" --memory-limit 1M
    expect_one_line
    [ ! -e no.npy ] || fail "a refused run has left a result: $*"
    limit=$(sed -n 's/.*--memory-limit \([0-9]*M\) is enough.*/\1/p' err)
    [ "$limit" ] || fail "no limit that is enough is named: $(cat err)"
    expect_exit 0 koine "$@" --memory-limit "$limit"
    rm no.npy
}

# What the program holds before it computes, in MB; sanitizers make it more.
expect_exit 5 koine solve a.mtx b.npy -o no.npy --device host --memory-limit 1k
held=$(sed -n 's/.* besides the \([0-9]*\)\.[0-9] MB .*/\1/p' err)
[ "$held" ] || fail "what the program holds is not told: $(cat err)"

# ---- autocorr ----
expect_exit 0 koine autocorr stack.npy --device host --exact --max-offset 40 --sums all.npy
expect_exit 0 koine autocorr stack.npy --device host --exact --max-offset 40 --sums pieces.npy --memory-limit "$((held + 17))M" \
    --json pieces.json
expect_stdout '^by (fft|simd) on .* in [0-9]+ pieces; seconds'
grep -Eq '"pieces": ([2-9]|[0-9]{2,}),' pieces.json || fail "the JSON does not say how many pieces"
cmp all.npy pieces.npy || fail "frames in pieces have other sums"
expect_exit 5 koine autocorr stack.npy --device host --sums no.npy --output none/at/all --memory-limit 1M
[ ! -e none ] || fail "a folder is left where nothing was written"
expect_stderr 'frames of 400 x 300 pixels with R = 75 take [0-9.]+ MB one at a time by simd, [0-9.]+ MB more than'
[ ! -e no.npy ] || fail "a refused run has left its sums"
expect_exit 2 koine autocorr stack.npy --volume --memory-limit 1G
expect_stderr '--volume and --memory-limit cannot be combined: a volume is transformed as a whole'
expect_exit 2 koine autocorr stack.npy --variants --memory-limit 1G
expect_stderr '--variants and --memory-limit cannot be combined: --variants times each method'
# Frames and later ones: three are held at a time, and not the series.
expect_exit 0 koine autocorr stack.npy --device host --max-offset 40 --lag 2 --output lags
expect_exit 0 koine autocorr stack.npy --device host --max-offset 40 --lag 2 --output limited --memory-limit "$((held + 19))M"
for file in lag.csv lag-c1d.csv lag-c2d.npy lag-pairs.npy; do
    cmp "lags/$file" "limited/$file" || fail "within a limit on memory $file is another"
done
expect_exit 5 koine autocorr stack.npy --device host --max-offset 40 --lag 2 --output none --memory-limit 1M
expect_stderr '3 of which are kept for later ones, take [0-9.]+ MB one at a time'
[ -z "$(ls none)" ] || fail "a refused run has left files"
expect_exit 2 koine autocorr stack.npy --memory-limit 0
expect_exit 2 koine autocorr stack.npy --memory-limit x

# ---- solve, recon ----
expect_exit 0 koine solve a.mtx b.npy -o x.npy --device host -n 20 --json x.json
grep -q '"pieces": 1,' x.json || fail "without a limit there are pieces"
expect_exit 0 koine solve a.mtx b.npy -o limited.npy --device host -n 20 --memory-limit 1GiB
cmp x.npy limited.npy || fail "a limit that is no limit changes the solutions"
enough solve a.mtx b.npy -o no.npy --device host -n 20
expect_exit 2 koine solve --sweep --memory-limit 1G
expect_exit 0 koine trajectory radial --samples 32 --spokes 25 --matrix 16 -o t
expect_exit 0 koine phantom --matrix 16,16 --kspace t -o k
expect_exit 0 koine recon k --trajectory t --matrix 16,16 --kernel host-single -o image.npy
expect_exit 0 koine recon k --trajectory t --matrix 16,16 --kernel host-single -o limited_image.npy --memory-limit 1GiB
cmp image.npy limited_image.npy || fail "a limit changes the image"
enough recon k --trajectory t --matrix 16,16 --kernel host-single -o no.npy
expect_exit 2 koine recon k --trajectory t -o no.npy --memory-limit -1

# As many columns of B at a time as fit, on a device.
need_device
on_oclgrind && exit 0
device=$(awk -F'"' '/"spec":/ { spec = $4 } /"default": true/ { print spec }' devices.json)
expect_exit 5 koine solve a.mtx b.npy -o no.npy --device "$device" -n 20 --precision float --memory-limit 1M
limit=$(sed -n 's/.*--memory-limit \([0-9]*\)M is enough.*/\1/p' err)
expect_exit 0 koine solve a.mtx b.npy -o pieces.npy --force --device "$device" -n 20 --precision float \
    --memory-limit "${limit}M" --json pieces.json
expect_stdout '^in [0-9]+ pieces of at most [0-9]+ columns?$'
grep -Eq '"pieces": ([2-9]|[0-9]{2,}),' pieces.json || fail "the JSON does not say how many pieces"
expect_exit 0 koine solve a.mtx b.npy -o x.npy --force --device "$device" -n 20 --precision float
python3 - <<'PYTHON' || fail "pieces have other solutions"
import struct
def load(name):
    data = open(name, "rb").read()
    start = 10 + struct.unpack("<H", data[8:10])[0]
    return struct.unpack("<%dd" % ((len(data) - start) // 8), data[start:])
whole, pieces = load("x.npy"), load("pieces.npy")
assert len(whole) == len(pieces) == 160 * 2000
assert max(abs(a - b) for a, b in zip(whole, pieces)) < 1e-4 * max(map(abs, whole))
PYTHON
