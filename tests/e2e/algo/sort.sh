#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `koine sort`: numpy's order, from .npy files and columns of CSV files.
. "${srcdir:-.}/tests/e2e/lib.sh"
command -v python3 >/dev/null || skip python3 "python3 is not installed"

# python CODE...: with the module arrays, in the test's folder.
python()
{
    (cd "$work" && PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$sources/tests/e2e python3 - ) || fail "after '$ran'"
}
sources=$(cd "${srcdir:-.}" && pwd)
ran=nothing

expect_exit 2 koine sort
expect_stderr 'expected IN\.npy'
expect_exit 2 koine sort "$work/in.npy"
expect_stderr 'expected -o FILE\.npy'
expect_exit 2 koine sort "$work/in.npy" "$work/in.npy" -o "$work/out.npy"
expect_exit 3 koine sort "$work/in.npy" -o "$work/out.npy"
python <<'PYTHON'
import arrays, random
seed = random.randrange(1 << 30)
print("seed", seed)
random.seed(seed)
for n in (0, 1, 2, 31, 33, 1000, 5001):
    values = [random.choice((random.gauss(0, 1e3), float("inf"), -float("inf"), float("nan"), 1.0)) for _ in range(n)]
    arrays.save("in%d.npy" % n, "f4", values)
arrays.save("matrix.npy", "f4", range(6), (2, 3))
arrays.save("complex.npy", "c8", range(6))
PYTHON
expect_exit 3 koine sort "$work/matrix.npy" -o "$work/out.npy"
expect_stderr '2 dimensions, expected one.*a\.ravel\(\)'
expect_exit 3 koine sort "$work/complex.npy" -o "$work/out.npy"
expect_stderr 'complex64, which has no order'
expect_exit 4 koine sort "$work/in31.npy" -o "$work/out.npy" --device cpu --device no-such
expect_stderr "no device 'no-such'"
[ ! -e "$work/out.npy" ] || fail "a refused run left a result"

# The host's own code, and where there is no device.
expect_exit 4 koine sort "$work/in31.npy" -o "$work/out.npy" --device host --algorithm radix
expect_stderr "host's code does not support"
expect_exit 0 koine sort "$work/in5001.npy" -o "$work/host.npy" --device host --json "$work/host.json"
expect_stdout '^sorted 5001 float32 on .* \(host\); seconds: read [0-9.]+, compute [0-9.]+$'
grep -q '"backend": "host"' "$work/host.json" || fail "the JSON does not name the host"
expect_exit 0 without_devices "$KOINE" sort "$work/in5001.npy" -o "$work/nowhere.npy"
expect_stderr "the host's own code computes"
expect_exit 0 koine sort "$work/in1000.npy" -o "$work/host_order.npy" --device host --argsort --descending

need_device
for n in 0 1 2 31 33 1000 5001; do
    expect_exit 0 koine sort "$work/in$n.npy" -o "$work/out$n.npy"
    expect_stdout "^sorted $n float32 on .*; seconds: read "
done
python <<'PYTHON'
import arrays, math
for n in (0, 1, 2, 31, 33, 1000, 5001):
    values = arrays.load("in%d.npy" % n)[2]
    dtype, shape, found = arrays.load("out%d.npy" % n)
    assert dtype == "f4" and shape == (n,), (dtype, shape)
    right = sorted(v for v in values if not math.isnan(v))
    assert list(found[:len(right)]) == right and all(map(math.isnan, found[len(right):])), n
values = arrays.load("in1000.npy")[2]
assert list(arrays.load("host_order.npy")[2]) == sorted(range(1000), key=lambda i: (math.isnan(values[i]), -values[i] if not math.isnan(values[i]) else 0))
PYTHON
cmp "$work/host.npy" "$work/out5001.npy" || fail "the host's order is another than the device's"
cmp "$work/nowhere.npy" "$work/out5001.npy" || fail "without a device the order is another"
expect_exit 3 koine sort "$work/in31.npy" -o "$work/out31.npy"
expect_stderr 'out31\.npy.*--force'
expect_exit 0 koine sort "$work/in31.npy" -o "$work/out31.npy" --force --json "$work/r.json"
grep -q '"command": "sort"' "$work/r.json" || fail "the JSON does not say sort"
grep -q '"n": 31' "$work/r.json" || fail "the JSON does not say 31"

# The first K, by a device and by the host: what a stable sort begins with.
python <<'PYTHON'
import arrays, random
random.seed(4)
arrays.save("digits.npy", "i4", [random.randrange(50) for _ in range(700)])
arrays.save("places.npy", "i8", [1000 + i for i in range(700)])
arrays.save("zeros.npy", "f4", [3.0, 0.0, float("nan"), -0.0, -1.0, 0.0])
PYTHON
digits=$work/digits.npy
for device in host "$(awk -F'"' '/"spec":/ { spec = $4 } /"default": true/ { print spec }' "$work/devices.json")"; do
    expect_exit 0 koine sort "$digits" -o "$work/top.npy" --force --device "$device" --top 40
    expect_stdout '^the first 40 of 700 int32 on .*; seconds: read '
    expect_exit 0 koine sort "$digits" -o "$work/top_down.npy" --force --device "$device" --top 700 --descending
    expect_exit 0 koine sort "$digits" -o "$work/top_order.npy" --force --device "$device" --top 33 --argsort --descending
    expect_exit 0 koine sort "$digits" -o "$work/top_values.npy" --force --device "$device" --top 1 \
        --by-key "$work/places.npy" --json "$work/top.json"
    grep -q '"top": 1,' "$work/top.json" || fail "the JSON does not say how many are the first"
    expect_exit 0 koine sort "$work/zeros.npy" -o "$work/top_zeros.npy" --force --device "$device" --top 3 --argsort
    python <<'PYTHON'
import arrays
digits = arrays.load("digits.npy")[2]
def expect(name, dtype, right):
    found = arrays.load(name + ".npy")
    assert found == (dtype, (len(right),), tuple(right)), (name, found, tuple(right))
expect("top", "i4", sorted(digits)[:40])
expect("top_down", "i4", sorted(digits, reverse=True))
expect("top_order", "i8", sorted(range(700), key=lambda i: -digits[i])[:33])
expect("top_values", "i8", [1000 + min(range(700), key=lambda i: digits[i])])
expect("top_zeros", "i8", [4, 1, 3])
PYTHON
    rm "$work/top.json"
done
expect_exit 2 koine sort "$digits" -o "$work/o.npy" --top 0
expect_exit 2 koine sort "$digits" -o "$work/o.npy" --top 701
expect_stderr '--top 701: .*digits\.npy has 700 elements'
expect_exit 2 koine sort "$digits" -o "$work/o.npy" --top 3 --segments "$work/places.npy"
expect_stderr 'cannot be combined with --segments'
expect_exit 2 koine sort "$digits" -o "$work/o.npy" --top 3 --less 'a < b'
expect_stderr 'cannot be combined with --less'
expect_exit 2 koine sort "$digits" -o "$work/o.npy" --top 3 --algorithm radix
expect_stderr 'cannot be combined with --algorithm'
[ ! -e "$work/o.npy" ] || fail "a refused run left a result"

# From standard input to standard output, where then nothing else goes.
koine sort - -o - <"$work/in1000.npy" >"$work/piped.npy" || fail "sorting in a pipe"
cmp -s "$work/piped.npy" "$work/out1000.npy" || fail "the pipe gave something else"


# Values that go along, the order itself, segments, an order of your own: stable, held against Python's.
python <<'PYTHON'
import arrays, random
random.seed(3)
arrays.save("keys.npy", "i4", [random.randrange(50) for _ in range(700)])
arrays.save("values.npy", "i8", range(700))
arrays.save("few.npy", "i8", range(7))
arrays.save("offsets.npy", "i4", [0, 10, 10, 350, 700])
arrays.save("bad.npy", "i4", [0, 10, 5, 700])
PYTHON
keys=$work/keys.npy
expect_exit 2 koine sort "$keys" -o "$work/o.npy" --argsort --by-key "$work/values.npy"
expect_exit 2 koine sort "$keys" -o "$work/o.npy" --less 'a < b' --descending
expect_exit 2 koine sort "$keys" -o "$work/o.npy" --less 'a < b' --algorithm radix
expect_exit 2 koine sort "$keys" -o "$work/o.npy" --argsort --algorithm merge
expect_exit 3 koine sort "$keys" -o "$work/o.npy" --by-key "$work/few.npy"
expect_stderr 'has 7 values for 700 keys'
expect_exit 1 koine sort "$keys" -o "$work/o.npy" --less 'a <> b'
expect_exit 3 koine sort "$work/in1000.npy" -o "$work/o.npy" --nan error
expect_stderr 'element [0-9]+ \(from 0\) is not a number'
[ ! -e "$work/o.npy" ] || fail "a refused run left a result"
on_oclgrind && exit 0
expect_exit 0 koine sort "$keys" -o "$work/descending.npy" --descending --algorithm bitonic
expect_exit 0 koine sort "$keys" -o "$work/radix.npy" --algorithm radix
expect_exit 0 koine sort "$keys" -o "$work/merged.npy" --algorithm merge
expect_exit 0 koine sort "$keys" -o "$work/along.npy" --by-key "$work/values.npy"
expect_exit 0 koine sort "$keys" -o "$work/order.npy" --argsort --descending
expect_exit 0 koine sort "$keys" -o "$work/segments.npy" --segments "$work/offsets.npy"
expect_exit 0 koine sort "$keys" -o "$work/less.npy" --less 'a % 10 > b % 10' --by-key "$work/values.npy"
python <<'PYTHON'
import arrays
keys = arrays.load("keys.npy")[2]
def expect(name, dtype, right):
    found = arrays.load(name + ".npy")
    assert found == (dtype, (700,), tuple(right)), (name, found[:2], found[2][:20], tuple(right)[:20])
expect("descending", "i4", sorted(keys, reverse=True))
expect("radix", "i4", sorted(keys))
expect("merged", "i4", sorted(keys))
expect("along", "i8", sorted(range(700), key=lambda i: keys[i]))
expect("order", "i8", sorted(range(700), key=lambda i: -keys[i]))
offsets = arrays.load("offsets.npy")[2]
expect("segments", "i4", [k for a, b in zip(offsets, offsets[1:]) for k in sorted(keys[a:b])])
expect("less", "i8", sorted(range(700), key=lambda i: -(keys[i] % 10)))
PYTHON
expect_exit 2 koine sort "$keys" -o "$work/o.npy" --segments "$work/bad.npy"

[ "$precision" = double ] || exit 0
write_numbers "$work/numbers.csv"
expect_exit 0 koine sort "$work/numbers.csv" --column a -o "$work/a.npy"
expect_stdout '^sorted 4 float64 '
python <<'PYTHON'
import arrays
assert arrays.load("a.npy") == ("f8", (4,), (1.0, 2.0, 3.0, 10.0)), arrays.load("a.npy")
PYTHON
expect_exit 2 koine sort "$work/numbers.csv" --column nothing -o "$work/b.npy"
