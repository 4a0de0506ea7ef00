#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `koine reduce` on arrays and columns.
. "${srcdir:-.}/tests/e2e/lib.sh"
command -v python3 >/dev/null || skip python3 "python3 is not installed"
sources=$(cd "${srcdir:-.}" && pwd)

expect_exit 2 koine reduce
expect_exit 2 koine reduce --op mean "$work/in.npy"
expect_stderr "op: 'mean' is none of sum"
expect_exit 3 koine reduce "$work/in.npy"

need_device
(cd "$work" && PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$sources/tests/e2e python3 - <<'PYTHON') || fail "making the arrays"
import arrays, random
random.seed(5)
values = [arrays.single(random.gauss(3, 100)) for _ in range(10001)]
arrays.save("in.npy", "f4", values)
arrays.save("empty.npy", "f4", [])
PYTHON
expect_exit 0 koine reduce "$work/in.npy" --json "$work/r.json"
expect_stdout '^sum [-0-9.e+]+$'
expect_stdout '^10001 float32 on .*seconds: read '
expect_exit 0 koine reduce "$work/empty.npy"
expect_stdout '^sum 0$'
(cd "$work" && PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$sources/tests/e2e python3 - <<'PYTHON') || fail "the sum is wrong"
import arrays, json, math
values = arrays.load("in.npy")[2]
r = json.load(open("r.json"))
assert r["command"] == "reduce" and r["n"] == 10001 and r["type"] == "float32", r
# Folded in double, or in pairs of floats.
assert abs(r["sum"] - math.fsum(values)) <= (2.0 ** -40) * sum(map(abs, values)), (r["sum"], math.fsum(values))
PYTHON
[ "$precision" = double ] || exit 0
write_numbers "$work/numbers.csv"
expect_exit 0 koine reduce "$work/numbers.csv" --column a
expect_stdout '^sum 16$'
