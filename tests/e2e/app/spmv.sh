#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `koine spmv`: products of a sparse matrix and of its transpose, in every format, compared with sums in Python.
. "${srcdir:-.}/tests/e2e/lib.sh"
command -v python3 >/dev/null || skip python3 "python3 is not installed"
sources=$(cd "${srcdir:-.}" && pwd)

expect_exit 2 koine spmv
expect_exit 2 koine spmv "$work/a.mtx" --format diagonal
expect_exit 2 koine spmv "$work/a.mtx" --variants --transpose
expect_stderr '--transpose is for one product'
expect_exit 3 koine spmv "$work/a.mtx"

need_device
(cd "$work" && PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$sources/tests/e2e python3 - <<'PYTHON') || fail "making the files"
import arrays, random
random.seed(23)
rows, columns = 300, 120
entries = {(random.randrange(rows), random.randrange(columns)): random.gauss(0, 1) for _ in range(2500)}
entries.update({(7, j): random.gauss(0, 1) for j in range(columns)})  # a dense row
with open("a.mtx", "w") as f:
    f.write("%%%%MatrixMarket matrix coordinate real general\n%d %d %d\n" % (rows, columns, len(entries)))
    for (i, j), value in entries.items():
        f.write("%d %d %.17g\n" % (i + 1, j + 1, value))
arrays.save("x.npy", "f8", [random.gauss(0, 1) for _ in range(columns)])
arrays.save("y.npy", "f8", [random.gauss(0, 1) for _ in range(rows)])
PYTHON
for format in auto simple sell; do # the host's own code
    expect_exit 0 koine spmv "$work/a.mtx" --device host --format $format -x "$work/x.npy" -o "$work/ax.host-$format.npy"
    expect_stdout "right, "
    expect_exit 0 koine spmv "$work/a.mtx" --device host --transpose --format $format -x "$work/y.npy" \
        -o "$work/aty.host-$format.npy"
done
expect_exit 2 koine spmv "$work/a.mtx" --device host --format ell
expect_stderr 'ell is a format of devices; the host has sell and simple'
expect_exit 0 koine spmv "$work/a.mtx" --device host --variants --json "$work/variants.host.json"
expect_exit 2 koine spmv "$work/a.mtx" --format on-the-fly
expect_stderr 'geometry'
expect_exit 3 koine spmv "$work/a.mtx" -x "$work/y.npy"
expect_stderr 'expected one of 120'
for format in auto simple memory-layout local-memory memory-layout+local-memory backprojection ell csr-vector coo hyb \
    sell merge; do
    expect_exit 0 koine spmv "$work/a.mtx" --format $format -x "$work/x.npy" -o "$work/ax.$format.npy"
    expect_stdout "right, "
    expect_exit 0 koine spmv "$work/a.mtx" --transpose --format $format -x "$work/y.npy" -o "$work/aty.$format.npy"
done
expect_exit 3 koine spmv "$work/a.mtx" --format sell -x "$work/x.npy" -o "$work/ax.sell.npy" # is there
expect_exit 0 koine spmv "$work/a.mtx" --variants --json "$work/variants.json"
expect_stdout 'csr-vector'
expect_exit 2 koine spmv parallel:12,17
expect_stderr 'expected parallel:ANGLES,DETECTORS,SIZE'
expect_exit 0 koine spmv parallel:12,17,11,7.3 --variants --json "$work/rays.json"
(cd "$work" && PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$sources/tests/e2e python3 - <<'PYTHON') || fail "the answers are wrong"
import arrays, glob, json
lines = open("a.mtx").read().split("\n")[2:-1]
entries = [(int(a) - 1, int(b) - 1, float(v)) for a, b, v in (line.split() for line in lines)]
vectors = {"ax": arrays.load("x.npy")[2], "aty": arrays.load("y.npy")[2]}
for name, x in vectors.items():
    size = 300 if name == "ax" else 120
    wanted, magnitude = [0.0] * size, [0.0] * size
    for i, j, value in entries:
        to, source = (i, j) if name == "ax" else (j, i)
        wanted[to] += value * x[source]
        magnitude[to] += abs(value * x[source])
    files = glob.glob(name + ".*.npy")
    assert len(files) == 15, files
    for path in files:
        found = arrays.load(path)[2]
        assert len(found) == size
        for a, b, m in zip(found, wanted, magnitude):
            assert abs(a - b) <= 300 * 2.0 ** -24 * m, (path, a, b)
report = json.load(open("variants.json"))
assert (report["rows"], report["columns"], report["nonzeros"]) == (300, 120, len(entries))
assert len(report["variants"]) == 28
for row in report["variants"]:
    assert row["ok"] is (None if row["variant"].startswith("on-the-fly") else True), row
host = json.load(open("variants.host.json"))["variants"]
assert [row["variant"] for row in host if row["ok"]] == ["auto", "auto", "simple", "simple", "sell", "sell"], host
assert not any(row["ok"] is False for row in host)
rays = json.load(open("rays.json"))
assert (rays["rows"], rays["columns"]) == (12 * 17, 11 * 11)
assert len(rays["variants"]) == 28 and all(row["ok"] for row in rays["variants"])
assert {row["format"] for row in rays["variants"]} >= {"on-the-fly", "on-the-fly+local-memory", "sell", "merge"}
PYTHON
