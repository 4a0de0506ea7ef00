#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `koine reduce` on arrays and columns.
. "${srcdir:-.}/tests/e2e/lib.sh"
command -v python3 >/dev/null || skip python3 "python3 is not installed"
sources=$(cd "${srcdir:-.}" && pwd)

expect_exit 2 koine reduce
expect_exit 2 koine reduce --op mean "$work/in.npy"
expect_stderr "op: 'mean' is not one of sum, min, max, moments"
expect_exit 2 koine reduce "$work/in.npy" --combine 'a + b'
expect_exit 2 koine reduce "$work/in.npy" --map x
expect_exit 2 koine reduce "$work/in.npy" --combine 'a + b' --identity 0 --op max
expect_exit 3 koine reduce "$work/in.npy"

need_device
(cd "$work" && PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$sources/tests/e2e python3 - <<'PYTHON') || fail "making the arrays"
import arrays, random
random.seed(5)
values = [arrays.single(random.gauss(3, 100)) for _ in range(10001)]
arrays.save("in.npy", "f4", values)
arrays.save("empty.npy", "f4", [])
arrays.save("nan.npy", "f4", [1, float("nan"), -3, 8])
arrays.save("bytes.npy", "u1", [random.randrange(256) for _ in range(5000)])
arrays.save("signed.npy", "i8", [-2 ** 62, -5, 7])
PYTHON
expect_exit 0 koine reduce "$work/in.npy" --json "$work/r.json"
expect_stdout '^sum [-0-9.e+]+$'
expect_stdout '^of 10001 float32 on .*seconds: read '
expect_exit 4 koine reduce "$work/in.npy" --device host --combine 'a + b' --identity 0
expect_stderr "the host's code does not support --combine"
for op in min max moments; do
    expect_exit 0 koine reduce "$work/in.npy" --device host --op $op
    grep -v seconds "$work/out" >"$work/host.$op"
    expect_exit 0 koine reduce "$work/in.npy" --op $op
    [ "$precision" = float ] || grep -v seconds "$work/out" | cmp - "$work/host.$op" || fail "the host's $op has other bits"
done
expect_exit 0 koine reduce "$work/in.npy" --device host --json "$work/host.json"
[ "$precision" = float ] || [ "$(grep '"sum"' "$work/host.json")" = "$(grep '"sum"' "$work/r.json")" ] ||
    fail "the host's sum has other bits"
expect_exit 0 koine reduce "$work/empty.npy"
expect_stdout '^sum 0$'
expect_exit 3 koine reduce "$work/empty.npy" --op min
expect_stderr 'has no elements'
expect_exit 0 koine reduce "$work/nan.npy" --op max
expect_stdout '^max nan$'
expect_exit 0 koine reduce "$work/nan.npy" --op moments
expect_stdout '^mean 2$'
expect_stdout '^min -3$'
expect_stdout '^max 8$'
expect_stdout '^nan 1$'
expect_exit 0 koine reduce "$work/signed.npy" --op min
expect_stdout '^min -4611686018427387904$'
expect_exit 1 koine reduce "$work/bytes.npy" --combine 'a +* b' --identity 0
expect_exit 0 koine reduce "$work/bytes.npy" --json "$work/bytes.json"
expect_exit 0 koine reduce "$work/bytes.npy" --combine 'a ^ b' --identity 0 --json "$work/xor.json"
expect_stdout '^result [0-9]+$'
expect_exit 0 koine reduce "$work/in.npy" --op moments --json "$work/moments.json"
(cd "$work" && PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$sources/tests/e2e python3 - <<'PYTHON') || fail "the sum is wrong"
import arrays, json, math
values = arrays.load("in.npy")[2]
r = json.load(open("r.json"))
assert r["command"] == "reduce" and r["n"] == 10001 and r["type"] == "float32", r
# Folded in double.
data = arrays.load("bytes.npy")[2]
assert json.load(open("bytes.json"))["sum"] == sum(data)
xor = 0
for byte in data:
    xor ^= byte
assert json.load(open("xor.json"))["result"] == xor
moments = json.load(open("moments.json"))
mean = math.fsum(values) / len(values)
assert abs(moments["mean"] - mean) < 1e-9 * abs(mean)
assert abs(moments["std"] - math.sqrt(math.fsum((v - mean) ** 2 for v in values) / len(values))) < 1e-9 * moments["std"]
assert (moments["min"], moments["max"], moments["nan_count"]) == (min(values), max(values), 0)
assert abs(r["sum"] - math.fsum(values)) <= (2.0 ** -40) * sum(map(abs, values)), (r["sum"], math.fsum(values))
PYTHON
[ "$precision" = double ] || exit 0
write_numbers "$work/numbers.csv"
expect_exit 0 koine reduce "$work/numbers.csv" --column a
expect_stdout '^sum 16$'
