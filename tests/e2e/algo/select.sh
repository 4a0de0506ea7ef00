#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `koine select`: elements by rank, and quantiles like numpy's.
. "${srcdir:-.}/tests/e2e/lib.sh"
command -v python3 >/dev/null || skip python3 "python3 is not installed"
sources=$(cd "${srcdir:-.}" && pwd)

expect_exit 2 koine select "$work/in.npy"
expect_stderr 'expected --rank K or --quantile Q'
expect_exit 2 koine select "$work/in.npy" --rank -1
expect_exit 2 koine select "$work/in.npy" --rank 1x
expect_exit 2 koine select "$work/in.npy" --quantile 1.5
expect_stderr "'1.5' is not a number from 0 to 1"
expect_exit 2 koine select "$work/in.npy" --quantile nan
expect_exit 3 koine select "$work/in.npy" --rank 0

need_device
(cd "$work" && PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$sources/tests/e2e python3 - <<'PYTHON') || fail "making the arrays"
import arrays, random
random.seed(7)
values = [random.gauss(3, 100) for _ in range(1001)]
arrays.save("in.npy", "f4", values)
arrays.save("whole.npy", "i2", map(int, values))
arrays.save("empty.npy", "f4", [])
PYTHON
expect_exit 2 koine select "$work/in.npy" --rank 1001
expect_stderr 'has 1001 elements, whose ranks go from 0 to 1000'
expect_exit 3 koine select "$work/empty.npy" --quantile 0.5
expect_exit 0 koine select "$work/in.npy" --rank 0 --rank 1000 --rank 37 --quantile 0.5 --quantile 0.123 --json "$work/r.json"
expect_stdout '^rank 37: -?[0-9.]+$'
expect_stdout '^quantile 0.5: -?[0-9.]+$'
expect_exit 0 koine select "$work/in.npy" --rank 0 --rank 1000 --rank 37 --quantile 0.5 --quantile 0.123 --device host \
    --json "$work/host.json"
expect_exit 0 koine select "$work/whole.npy" --rank 500 --json "$work/whole.json"
(cd "$work" && PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$sources/tests/e2e python3 - <<'PYTHON') || fail "the answers are wrong"
import arrays, json
values = sorted(arrays.load("in.npy")[2])
r = json.load(open("r.json"))
assert r["command"] == "select" and r["n"] == 1001 and r["type"] == "float32", r
assert [(x["rank"], arrays.single(x["value"])) for x in r["ranks"]] == [(k, values[k]) for k in (0, 1000, 37)], r
assert r["quantiles"][0] == {"quantile": 0.5, "value": values[500]}, r
position = 0.123 * 1000
low = int(position)
right = values[low] + (values[low + 1] - values[low]) * (position - low)
assert abs(r["quantiles"][1]["value"] - right) <= 1e-12 * max(map(abs, values)), (r, right)
host = json.load(open("host.json"))
assert host["ranks"] == r["ranks"] and host["device"]["spec"] == "host", host
assert json.load(open("whole.json"))["ranks"][0]["value"] == sorted(arrays.load("whole.npy")[2])[500]
PYTHON
