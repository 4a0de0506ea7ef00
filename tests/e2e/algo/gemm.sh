#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `koine gemm`: products of matrices, real and complex, transposed or not.
. "${srcdir:-.}/tests/e2e/lib.sh"
command -v python3 >/dev/null || skip python3 "python3 is not installed"
sources=$(cd "${srcdir:-.}" && pwd)

(cd "$work" && PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$sources/tests/e2e python3 - <<'PYTHON') || fail "making the arrays"
import arrays, random
random.seed(13)
chance = lambda: random.gauss(0, 1)
arrays.save("a.npy", "f4", [chance() for _ in range(5 * 9)], (5, 9))
arrays.save("b.npy", "f4", [chance() for _ in range(9 * 7)], (9, 7))
arrays.save("z.npy", "c8", [complex(chance(), chance()) for _ in range(4 * 6)], (4, 6))
arrays.save("whole.npy", "i4", range(9), (3, 3))
arrays.save("line.npy", "f4", range(9))
PYTHON
expect_exit 2 koine gemm "$work/a.npy" -o "$work/o.npy"
expect_stderr 'expected A\.npy B\.npy'
expect_exit 2 koine gemm "$work/a.npy" "$work/b.npy"
expect_exit 3 koine gemm "$work/a.npy" "$work/a.npy" -o "$work/o.npy"
expect_stderr 'has 5 rows, but .*a\.npy has 9 columns'
expect_exit 3 koine gemm "$work/a.npy" "$work/z.npy" -o "$work/o.npy"
expect_stderr 'complex64, but .*a\.npy is of float32'
expect_exit 3 koine gemm "$work/whole.npy" "$work/whole.npy" -o "$work/o.npy"
expect_exit 3 koine gemm "$work/line.npy" "$work/line.npy" -o "$work/o.npy"
expect_stderr '1 dimensions, expected a matrix'

need_device
expect_exit 0 koine gemm "$work/a.npy" "$work/b.npy" --library own -o "$work/c.npy" --json "$work/r.json"
expect_stdout '^5 x 9 times 9 x 7, float32, by own, on '
expect_exit 0 koine gemm "$work/z.npy" "$work/z.npy" --transpose-b --library own -o "$work/zz.npy"
expect_exit 0 koine gemm "$work/a.npy" "$work/a.npy" --transpose-a --library own -o "$work/gram.npy"
default=$(awk -F'"' '/"spec":/ { spec = $4 } /"default": true/ { print spec }' "$work/devices.json")
case $default in cuda:*) other=clblast ;; *) other=cublas ;; esac
expect_exit 4 koine gemm "$work/a.npy" "$work/b.npy" --library $other --device "$default" -o "$work/o.npy"
(cd "$work" && PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$sources/tests/e2e python3 - <<'PYTHON') || fail "the answers are wrong"
import arrays, json
def close(name, dtype, shape, row, column, k):
    found = arrays.load(name)
    assert found[:2] == (dtype, shape), found[:2]
    for i in range(shape[0]):
        for j in range(shape[1]):
            products = [row(i, l) * column(l, j) for l in range(k)]
            bound = 2 * (k + 2) * 2.0 ** -24 * sum(map(abs, products))
            assert abs(found[2][i * shape[1] + j] - sum(products)) <= bound, (name, i, j)
a, b, z = (arrays.load(name + ".npy")[2] for name in "abz")
close("c.npy", "f4", (5, 7), lambda i, l: a[i * 9 + l], lambda l, j: b[l * 7 + j], 9)
close("zz.npy", "c8", (4, 4), lambda i, l: z[i * 6 + l], lambda l, j: z[j * 6 + l], 6)
close("gram.npy", "f4", (9, 9), lambda i, l: a[l * 9 + i], lambda l, j: a[l * 9 + j], 5)
r = json.load(open("r.json"))
assert (r["m"], r["n"], r["k"], r["library"]) == (5, 7, 9, "own"), r
PYTHON
