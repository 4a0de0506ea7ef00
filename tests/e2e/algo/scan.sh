#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `koine scan`: inclusive and exclusive prefixes, with known operations and one of the user's.
. "${srcdir:-.}/tests/e2e/lib.sh"
command -v python3 >/dev/null || skip python3 "python3 is not installed"
sources=$(cd "${srcdir:-.}" && pwd)

expect_exit 2 koine scan "$work/in.npy"
expect_exit 2 koine scan "$work/in.npy" -o "$work/o.npy" --combine 'a + b'
expect_exit 2 koine scan "$work/in.npy" -o "$work/o.npy" --map 'x'
expect_exit 3 koine scan "$work/in.npy" -o "$work/o.npy"

need_device
(cd "$work" && PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$sources/tests/e2e python3 - <<'PYTHON') || fail "making the arrays"
import arrays, random
random.seed(17)
arrays.save("in.npy", "i4", [random.randrange(-1000, 1000) for _ in range(9001)])
arrays.save("floats.npy", "f4", [random.gauss(0, 1) for _ in range(3000)])
PYTHON
expect_exit 4 koine scan "$work/in.npy" -o "$work/o.npy" --device host
expect_exit 0 koine scan "$work/in.npy" -o "$work/sums.npy"
expect_stdout '^prefixes of 9001 int32 on '
expect_exit 0 koine scan "$work/in.npy" --exclusive -o "$work/exclusive.npy"
expect_exit 0 koine scan "$work/in.npy" --op max -o "$work/highs.npy"
expect_exit 0 koine scan "$work/in.npy" --combine 'a ^ b' --identity 0 --map 'x & 255' -o "$work/xor.npy"
expect_exit 1 koine scan "$work/in.npy" --combine 'a +* b' --identity 0 -o "$work/o.npy"
expect_exit 0 koine scan "$work/floats.npy" -o "$work/float_sums.npy"
(cd "$work" && PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$sources/tests/e2e python3 - <<'PYTHON') || fail "the answers are wrong"
import arrays, itertools
values = arrays.load("in.npy")[2]
sums = tuple(itertools.accumulate(values))
assert arrays.load("sums.npy") == ("i4", (9001,), sums)
assert arrays.load("exclusive.npy")[2] == (0,) + sums[:-1]
assert arrays.load("highs.npy")[2] == tuple(itertools.accumulate(values, max))
assert arrays.load("xor.npy")[2] == tuple(itertools.accumulate((v & 255 for v in values), lambda a, b: a ^ b))
values, found = arrays.load("floats.npy")[2], arrays.load("float_sums.npy")[2]
magnitude = 0
for value, right, here in zip(values, itertools.accumulate(values), found):
    magnitude += abs(value)
    assert abs(here - right) <= 41 * 2.0 ** -24 * magnitude
PYTHON
