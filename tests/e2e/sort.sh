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
expect_exit 4 koine sort "$work/in31.npy" -o "$work/out.npy" --device host
expect_exit 2 koine sort "$work/in31.npy" -o "$work/out.npy" --device cpu --device gpu
expect_stderr 'names 2 devices'
[ ! -e "$work/out.npy" ] || fail "a refused run left a result"

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
PYTHON
expect_exit 3 koine sort "$work/in31.npy" -o "$work/out31.npy"
expect_stderr 'out31\.npy.*--force'
expect_exit 0 koine sort "$work/in31.npy" -o "$work/out31.npy" --force --json "$work/r.json"
grep -q '"command": "sort"' "$work/r.json" || fail "the JSON does not say sort"
grep -q '"n": 31' "$work/r.json" || fail "the JSON does not say 31"

# From standard input to standard output, where then nothing else goes.
koine sort - -o - <"$work/in1000.npy" >"$work/piped.npy" || fail "sorting in a pipe"
cmp -s "$work/piped.npy" "$work/out1000.npy" || fail "the pipe gave something else"

[ "$precision" = double ] || exit 0
write_numbers "$work/numbers.csv"
expect_exit 0 koine sort "$work/numbers.csv" --column a -o "$work/a.npy"
expect_stdout '^sorted 4 float64 '
python <<'PYTHON'
import arrays
assert arrays.load("a.npy") == ("f8", (4,), (1.0, 2.0, 3.0, 10.0)), arrays.load("a.npy")
PYTHON
expect_exit 2 koine sort "$work/numbers.csv" --column nothing -o "$work/b.npy"
