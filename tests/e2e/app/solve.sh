#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `koine solve`: least squares from files to files, compared with the normal equations in Python; stopping rules;
# refusals.
. "${srcdir:-.}/tests/e2e/lib.sh"
command -v python3 >/dev/null || skip python3 "python3 is not installed"
sources=$(cd "${srcdir:-.}" && pwd)
unset KOINE_DEVICE

(cd "$work" && PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$sources/tests/e2e python3 - <<'PYTHON') || fail "making the files"
import arrays, random
random.seed(29)
rows, columns = 60, 20
entries = {(random.randrange(rows), random.randrange(columns)): random.gauss(0, 1) for _ in range(400)}
entries.update({(j, j): 4 + random.random() for j in range(columns)})
with open("a.mtx", "w") as f:
    f.write("%%%%MatrixMarket matrix coordinate real general\n%d %d %d\n" % (rows, columns, len(entries)))
    for (i, j), value in entries.items():
        f.write("%d %d %.17g\n" % (i + 1, j + 1, value))
b = [[random.gauss(0, 1) for _ in range(rows)] for _ in range(2)]
with open("b.mtx", "w") as f:
    f.write("%%%%MatrixMarket matrix array real general\n%d 2\n" % rows)
    f.write("".join("%.17g\n" % value for column in b for value in column))
with open("nan.mtx", "w") as f:
    f.write("%%MatrixMarket matrix array real general\n60 1\n1\nnan\n" + "1\n" * 58)
# Columns that nearly depend on one another: 12 powers of numbers from 0 to 1, a condition of about 1e8.
with open("powers.mtx", "w") as f:
    f.write("%%MatrixMarket matrix array real general\n60 12\n")
    f.write("".join("%.17g\n" % ((i / 59) ** j) for j in range(12) for i in range(60)))
arrays.save("sinogram.npy", "f8", [1.0] * 45)
arrays.save("short.npy", "f8", [1.0] * 59)
arrays.save("x0.npy", "f8", [1.0] * columns)
arrays.save("discs.npy", "f8", [1.0 * ((x - 24) ** 2 + (y - 24) ** 2 < 400) + ((x - 30) ** 2 + (y - 24) ** 2 < 30)
                                for y in range(48) for x in range(48)])
PYTHON
a=$work/a.mtx
b=$work/b.mtx
x=$work/x.npy

# ---- usage ----

expect_exit 2 koine solve
expect_exit 2 koine solve "$a" -o "$x"
expect_exit 2 koine solve "$a" "$b"
expect_stderr 'expected -o'
expect_exit 2 koine solve "$a" "$b" -o "$work/x.csv"
expect_stderr 'ends in .npy, .mtx or .png'
expect_refused() # WORDS OPTION...
{
    words=$1
    shift
    expect_exit 2 koine solve "$a" "$b" -o "$x" "$@"
    expect_stderr "$words"
}
expect_refused 'not a number of at least 0' --lambda -1
expect_refused 'not LO,HI' --bounds 3
expect_refused 'the greater bound first' --bounds 3,2
expect_refused 'give only one of them' --bounds 0,2 --nonnegative
expect_refused 'an order other than' --smooth 1,3
expect_refused 'needs --tolerance' --stop residual
expect_refused 'needs --noise' --stop discrepancy
expect_refused 'preconditioner ilu is only for the host.*use --device host' --device cpu --preconditioner ilu
expect_refused 'jacobi, with --lambda.*only for the host.*use --device host' --device cpu --preconditioner jacobi --lambda 1
expect_refused 'all its iterations' --device cpu --method printed --stop ncp
expect_refused 'on devices; leave out --precision double' --device cpu --precision double --method gram
expect_refused '-stop ncp is in single precision on devices' --device cpu --precision double --stop ncp
expect_refused 'in double precision on the host' --device host --method printed --precision float
expect_refused 'cannot compile; .*--device cpu' --device host --correction d
expect_refused 'both say when to stop' --tolerance 0.1 --noise 3
expect_refused 'needs a device' --device host --format merge
expect_refused 'leave one out' --format merge --preconditioner ilu
expect_refused 'neither lambda nor smooth' --method sirt --lambda 1
expect_refused 'only cgnr looks at the whiteness' --method sirt --stop ncp
expect_refused 'tv needs --lambda' --method tv
expect_refused 'for --method tv' --shape 4,4
expect_refused 'is not W,H or W,H,D' --method tv --lambda 1 --shape 4
expect_refused 'pixels, no square; say with --shape' --method tv --lambda 1
expect_refused 'shape 4,4: it has 16 pixels, and .* columns' --method tv --lambda 1 --shape 4,4
expect_refused 'tv has no smooth' --method tv --lambda 1 --shape 5,4 --smooth 2
expect_refused '--weight is for' --weight 2
expect_refused 'but --method gram has none' --method gram -x "$work/x0.npy"
expect_refused 'write both in one' --correction d --bounds 0,1
expect_refused 'name a device' --policy fast
expect_refused 'from 1' --rhs 0
expect_refused 'has 2 columns' --rhs 3
expect_exit 3 koine solve "$work/none.mtx" "$b" -o "$x"
expect_stderr 'none.mtx'
expect_exit 3 koine solve "$a" "$work/short.npy" -o "$x"
expect_stderr 'short.npy: has 59 numbers per column, but the matrix .*a.mtx is 60 x 20: expected 60'
expect_exit 3 koine solve "$a" "$b" -x "$work/short.npy" -o "$x"
expect_stderr 'expected 20'
expect_exit 3 koine solve "$a" "$work/nan.mtx" -o "$x"
expect_stderr 'nan.mtx:4'
hostile() # LINE WORDS TEXT: a matrix that is refused there, and says so
{
    printf '%b' "$3" >"$work/hostile.mtx"
    expect_exit 3 koine solve "$work/hostile.mtx" "$b" -o "$x"
    expect_stderr "hostile.mtx:$1: .*$2"
}
mtx='%%MatrixMarket matrix coordinate real general\n'
hostile 1 MatrixMarket '%%MatrixMarket matrix coord'
hostile 2 'expected' "$mtx"
hostile 3 'row' "${mtx}3 2 1\n0 1 1.0\n"
hostile 3 'column' "${mtx}3 2 1\n1 3 1.0\n"
hostile 2 'sizes up to' "${mtx}1000000000000000000 2 1\n1 1 1.0\n"
hostile 2 'declares 2 entries' "${mtx}3 2 2\n1 1 1.0\n"
hostile 3 'finite' "${mtx}3 2 1\n1 1 inf\n"
expect_exit 2 koine solve parallel:5,9 "$b" -o "$x"
expect_stderr 'ANGLES,DETECTORS,SIZE'
expect_exit 3 koine solve parallel:5,9,7 "$b" -o "$x"
expect_stderr 'expected 45'
[ ! -e "$x" ] || fail "a refused run has left $x"

expect_exit 2 koine solve --sweep -o "$x"
expect_stderr '^koine solve: -o is for a given system'
expect_exit 2 koine solve --sweep "$a"
expect_stderr 'unexpected argument'
expect_exit 2 koine solve "$a" "$b" -o "$x" --output "$work"
expect_stderr 'the plot of --sweep'

# ---- the host ----

expect_exit 0 koine solve "$a" "$b" -o "$x" --json "$work/plain.json"
expect_stdout 'double precision'
expect_stdout 'floor'
expect_exit 3 koine solve "$a" "$b" -o "$x" # is there
expect_exit 0 koine solve "$a" "$b" -o - --policy strict --json "$work/strict.json"
cmp "$work/out" "$x" || fail "standard output is another file than $x"
grep -q '"policy": "strict"' "$work/strict.json" || fail "the policy is not in the report"
expect_exit 0 koine solve "$a" "$b" -o "$work/second.npy" --rhs 2 --method printed -x "$work/x0.npy"
expect_stdout 'stopped by iterations after 400 iterations'
expect_exit 0 koine solve "$a" "$b" -o "$work/gram.npy" --method gram --lambda 0.5 --smooth 0.5,2
expect_stdout ' direct '
expect_exit 0 koine solve "$a" "$b" -o "$work/ilu.mtx" --preconditioner ilu --lambda 0.5
expect_exit 0 koine solve "$a" "$b" -o "$work/smooth.npy" --smooth 0.5,2 --lambda 0.5 --method fista -n 5000
expect_exit 0 koine solve "$a" "$b" -o "$work/bounds.npy" --bounds -0.05,inf --method bb --json "$work/bounds.json"
expect_exit 0 koine solve "$a" "$b" -o "$work/fista.npy" --bounds -0.05,inf --json -
expect_stdout '"method": "fista"'
expect_exit 2 koine solve "$a" "$b" -o "$work/sirt.npy" --method sirt
expect_stderr 'SIRT divides by sums of rows and columns: an element of -'
expect_exit 1 koine solve "$a" "$b" -o "$work/early.npy" --rhs 1 --tolerance 1e-3 -n 2 --precision float
expect_stderr 'the tolerance was not reached'
expect_stdout 'single precision'
expect_exit 0 koine solve "$a" "$b" -o "$work/noise.npy" --rhs 1 --noise 7.6
expect_stdout 'stopped by discrepancy'
expect_exit 1 koine solve "$a" "$b" -o "$work/both.npy" --rhs 1 --noise 0.1 --tolerance 0.99 --stop residual
expect_stderr 'the noise was not reached: .*stopped by residual'

(cd "$work" && PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$sources/tests/e2e python3 - <<'PYTHON') || fail "the answers are wrong"
import arrays, json
lines = open("a.mtx").read().split("\n")[2:-1]
entries = [(int(i) - 1, int(j) - 1, float(v)) for i, j, v in (line.split() for line in lines)]
b = [float(v) for v in open("b.mtx").read().split("\n")[2:-1]]
rows, n = 60, 20
b = [b[:rows], b[rows:]]

def gradient(x, b):
    r = [-v for v in b]
    for i, j, v in entries:
        r[i] += v * x[j]
    g = [0.0] * n
    for i, j, v in entries:
        g[j] += v * r[i]
    return g

def columns(path):
    if path.endswith(".mtx"):
        values = [float(v) for v in open(path).read().split("\n")[2:-1]]
        return [values[:n], values[n:]]
    shape, values = arrays.load(path)[1:]
    return [list(values)] if len(shape) == 1 else [list(values)[k::shape[1]] for k in range(shape[1])]

def size(v):
    return sum(e * e for e in v) ** 0.5

def expect(path, x, b, term):
    first = size(gradient([0.0] * n, b))
    g = [a + t for a, t in zip(gradient(x, b), term(x))]
    assert size(g) < 1e-10 * first, (path, size(g) / first)

def bends(x):
    t = [0.5 * v for v in x]
    for j in range(n - 2):
        bend = 0.5 * (x[j] - 2 * x[j + 1] + x[j + 2])
        t[j] += bend
        t[j + 1] -= 2 * bend
        t[j + 2] += bend
    return t

for path, term in (("x.npy", lambda x: [0.0] * n), ("ilu.mtx", lambda x: [0.5 * v for v in x]), ("smooth.npy", bends),
                   ("gram.npy", bends)):
    found = columns(path)
    assert len(found) == 2, path
    for x, right in zip(found, b):
        expect(path, x, right, term)
expect("second.npy", columns("second.npy")[0], b[1], lambda x: [0.0] * n)
for path in ("bounds.npy", "fista.npy"):
    for x, right in zip(columns(path), b):
        assert min(x) == -0.05, path
        g = gradient(x, right)
        assert size([v - max(v - s, -0.05) for v, s in zip(x, g)]) < 1e-10 * size(gradient([0.0] * n, right)), path
report = json.load(open("plain.json"))
assert report["device"]["spec"] == "host" and report["precision"] == "double"
assert len(report["solutions"]) == 2 and report["stopped_by"] == "floor" and report["reached"] is True
assert len(report["history"]) == report["iterations"] + 1 and report["history_of"] == "residual"
assert report["residual"] == max(s["residual"] for s in report["solutions"])
assert abs(report["history"][-1] - report["residual"]) < 1e-12
assert report["adjoint"] <= report["adjoint_bound"] and report["launches_per_iteration"] is None
assert json.load(open("bounds.json"))["method"] == "bb"
PYTHON

expect_exit 0 koine solve parallel:5,9,7 "$work/sinogram.npy" --nonnegative -o "$work/image.npy" --json "$work/image.json"
expect_stdout '45 x 49, parallel rays; fista'
grep -q '"nonzeros": null' "$work/image.json" || fail "rays have no nonzeros"
expect_exit 0 koine solve parallel:5,9,7 "$work/sinogram.npy" --method sirt --nonnegative -o "$work/sirt.npy" -n 200
expect_stdout '45 x 49, parallel rays; sirt, double precision'
expect_exit 0 koine solve parallel:5,9,7 "$work/sinogram.npy" --method tv --lambda 0.05 --nonnegative -o "$work/tv.npy" -n 400 --json "$work/tv.json"
expect_stdout '45 x 49, parallel rays; tv, double precision'
expect_stdout 'objective .Ax-b..2/2 . lambda TV.x. [0-9.]'
(cd "$work" && PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$sources/tests/e2e python3 - <<'PYTHON') || fail "tv is wrong"
import arrays, json
b, x = list(arrays.load("sinogram.npy")[2]), list(arrays.load("tv.npy")[2])
other = list(arrays.load("image.npy")[2])
report = json.load(open("tv.json"))
def variation(x):
    right = lambda i: x[i + 1] - x[i] if i % 7 < 6 else 0
    down = lambda i: x[i + 7] - x[i] if i < 42 else 0
    return sum((right(i) ** 2 + down(i) ** 2) ** 0.5 for i in range(49))
residual = report["residual"] ** 2 * sum(v * v for v in b)
assert min(x) >= 0 and variation(x) < variation(other)
assert abs(report["objective"] - residual / 2 - 0.05 * variation(x)) < 1e-9
assert report["normal_residual"] is None and report["method"] == "tv"
PYTHON
expect_exit 0 koine solve parallel:5,9,7 "$work/sinogram.npy" --method cgnr -o "$work/image.png"
expect_exit 0 koine solve parallel:5,9,7 "$work/sinogram.npy" --method fbp --filter hann -o "$work/fbp.npy" \
    --json "$work/fbp.json"
expect_stdout '45 x 49, parallel rays; fbp, double precision, filter hann'
expect_stdout 'stopped by direct after 0 iterations'
expect_stdout '^residual |Ax-b|/|b| [0-9.]*$'
expect_exit 0 koine solve parallel:5,9,7 "$work/sinogram.npy" --method fbp --precision float -o "$work/fbp-single.npy" --device host
expect_stdout 'single precision, filter ramp'
python3 - "$work" <<'PYTHON'
import json, os, sys
os.chdir(sys.argv[1])
report = json.load(open("fbp.json"))
assert report["method"] == "fbp" and report["filter"] == "hann" and report["iterations"] == 0
assert report["adjoint"] is None and report["normal_residual"] is None and 0 < report["residual"] < 2
PYTHON
python3 - "$work" "$sources/tests/e2e" <<'PYTHON'
import sys
sys.path.insert(0, sys.argv[2])
sys.dont_write_bytecode = True
import arrays
clean = [(7 * t * t + 3 * t) % 11 for t in range(5) for k in range(9)]
arrays.save(sys.argv[1] + "/clean.npy", "f8", clean, (5, 9))
arrays.save(sys.argv[1] + "/striped.npy", "f8", [value + (i % 9 == 4) for i, value in enumerate(clean)], (5, 9))
PYTHON
expect_exit 0 koine solve parallel:5,9,7 "$work/clean.npy" --method fbp --device host -o "$work/without.npy"
expect_exit 0 koine solve parallel:5,9,7 "$work/striped.npy" --stripes --method fbp --device host -o "$work/with.npy" \
    --json "$work/stripes.json"
cmp "$work/without.npy" "$work/with.npy" || fail "a stripe is left"
grep -q '"stripes": true' "$work/stripes.json" || fail "the stripes are not in the report"
expect_exit 2 koine solve "$a" "$b" --stripes -o "$work/none.npy"
expect_stderr 'whose sinograms have them'
for refused in "--lambda 1:terms" "--nonnegative:no bounds" "--tolerance 0.1:no iterations to stop" "-x $work/x0.npy:-x starts"; do
    # shellcheck disable=SC2086 # options
    expect_exit 2 koine solve parallel:5,9,7 "$work/sinogram.npy" --method fbp ${refused%%:*} -o "$work/none.npy"
    expect_stderr "${refused#*:}"
done
expect_exit 2 koine solve "$a" "$b" --method fbp -o "$work/none.npy"
expect_stderr 'for A = parallel:'
expect_exit 2 koine solve parallel:5,9,7 "$work/sinogram.npy" --filter hann -o "$work/none.npy"
expect_stderr 'is for --method fbp'
[ ! -e "$work/none.npy" ] || fail "a refused run has left none.npy"
[ "$(od -An -tx1 -N4 "$work/image.png")" = " 89 50 4e 47" ] || fail "image.png is no PNG"
expect_exit 2 koine solve "$a" "$b" --rhs 1 -o "$work/x.png"
expect_stderr 'as a square has'
expect_exit 2 koine solve "$a" "$b" --slice 1 -o "$x" --force
expect_stderr 'measured tomography'
# ---- weights ----

(cd "$work" && PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$sources/tests/e2e python3 - <<'PYTHON') || fail "making weights"
import arrays, math, random
random.seed(41)
lines = open("a.mtx").read().split("\n")[2:-1]
entries = [(int(i), int(j), float(v)) for i, j, v in (line.split() for line in lines)]
b = [float(v) for v in open("b.mtx").read().split("\n")[2:-1]]
weights = [0.0 if i in (3, 17) else random.uniform(0.2, 5) for i in range(60)]
missing = [math.nan if i in (3, 17) and k else b[60 * k + i] for i in range(60) for k in range(2)]
arrays.save("weights.npy", "f8", weights)
arrays.save("missing.npy", "f8", missing, (60, 2))
for name, values in (("negative", [-1.0] + weights[1:]), ("nothing", [0.0] * 60), ("few", weights[1:]),
                     ("alive", [0.5] * 60)):
    arrays.save(name + ".npy", "f8", values)
# The same problem without weights, whose rows are multiplied, and which has no dead ones.
with open("weighted-a.mtx", "w") as f:
    f.write("%%%%MatrixMarket matrix coordinate real general\n60 20 %d\n" % len(entries))
    f.write("".join("%d %d %.17g\n" % (i, j, math.sqrt(weights[i - 1]) * v) for i, j, v in entries))
with open("weighted-b.mtx", "w") as f:
    f.write("%%MatrixMarket matrix array real general\n60 2\n")
    f.write("".join("%.17g\n" % (math.sqrt(weights[i % 60]) * v) for i, v in enumerate(b)))
arrays.save("dead.npy", "f8", [math.nan if i % 9 == 4 else 1.0 for i in range(45)], (5, 9))
arrays.save("dead-weights.npy", "f8", [0.0 if i % 9 == 4 else 1.0 for i in range(45)], (5, 9))
PYTHON
expect_exit 0 koine solve "$a" "$work/missing.npy" --weights "$work/weights.npy" -o "$work/weighted.npy" --device host --json "$work/weighted.json"
expect_stdout '^2 of 60 measurements are left out: their weight is 0$'
expect_stdout 'weighted residual'
expect_exit 0 koine solve "$work/weighted-a.mtx" "$work/weighted-b.mtx" -o "$work/multiplied.npy" --device host --json "$work/multiplied.json"
cmp "$work/weighted.npy" "$work/multiplied.npy" || fail "weights are not what multiplied rows are"
python3 - "$work" <<'PYTHON' || fail "the report of weights is wrong"
import json, sys
weighted, multiplied = (json.load(open("%s/%s.json" % (sys.argv[1], name))) for name in ("weighted", "multiplied"))
assert weighted["weighted"] is True and weighted["left_out"] == 2
assert multiplied["weighted"] is False and multiplied["left_out"] == 0
assert weighted["solutions"] == multiplied["solutions"]
PYTHON
expect_exit 0 koine solve parallel:5,9,7 "$work/dead.npy" --weights "$work/dead-weights.npy" --method fista --nonnegative \
    -o "$work/alive-image.npy" --device host
expect_stdout '^5 of 45 measurements are left out'
expect_stdout '^weighted residual |Ax-b|/|b| '
expect_missing() # WORDS ARGUMENT...: bad input
{
    words=$1
    shift
    expect_exit 3 koine solve "$@" -o "$work/none.npy"
    expect_stderr "$words"
}
expect_missing 'missing.npy: element 7 is nan; expected finite numbers; --weights FILE leaves out' "$a" "$work/missing.npy"
expect_missing 'missing.npy: element 7 is nan; .*whose weight is 0' "$a" "$work/missing.npy" --weights "$work/alive.npy"
expect_missing 'dead.npy: projection 0, detector 4 .from 0. is nan; .*--weights' parallel:5,9,7 "$work/dead.npy"
expect_missing 'detector 4 .from 0. is nan; .*--stripes and an AXIS of auto need all' parallel:5,9,7 "$work/dead.npy" \
    --weights "$work/dead-weights.npy" --stripes
expect_missing 'negative.npy: element 0 is -1; expected weights from 0 on' "$a" "$b" --weights "$work/negative.npy"
expect_missing 'nothing.npy: all weights are 0' "$a" "$b" --weights "$work/nothing.npy"
expect_missing 'few.npy: has 59 x 1 numbers; expected one for each of the 60 rows' "$a" "$b" --weights "$work/few.npy"
expect_missing 'missing.npy: element 7 is nan' "$a" "$b" --weights "$work/missing.npy"
for method in sirt fbp; do
    expect_exit 2 koine solve parallel:5,9,7 "$work/sinogram.npy" --weights "$work/dead-weights.npy" --method $method -o "$work/none.npy"
    expect_stderr "--weights is .*--method $method.*; cgnr, printed, fista, bb, gram and tv"
done
expect_exit 2 koine solve --sweep --weights "$work/weights.npy"
expect_stderr '^koine solve: --weights is for a given system'
[ ! -e "$work/none.npy" ] || fail "refused weights leave a result"

# ---- the L-curve ----

(cd "$work" && PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$sources/tests/e2e python3 - <<'PYTHON') || fail "making a blurred edge"
import arrays, math, random
random.seed(43)
n = 40
blur = [[math.exp(-50 * ((i - j) / (n - 1)) ** 2) for j in range(n)] for i in range(n)]
with open("blur.mtx", "w") as f:
    f.write("%%%%MatrixMarket matrix array real general\n%d %d\n" % (n, n))
    f.write("".join("%.17g\n" % blur[i][j] for j in range(n) for i in range(n)))
exact = [1.0 if 12 < j < 30 else 0.0 for j in range(n)]
arrays.save("exact.npy", "f8", exact)
arrays.save("blurred.npy", "f8", [sum(a * x for a, x in zip(row, exact)) + random.gauss(0, 0.3) for row in blur])
PYTHON
expect_exit 0 koine solve "$work/blur.mtx" "$work/blurred.npy" --lambda-by lcurve --device host -o "$work/by-curve.npy" \
    --json "$work/by-curve.json"
expect_stdout '^lambda [0-9.e-]+, the corner of the L-curve:'
expect_stdout '^ *[0-9.e-]+ +[0-9.]+ +[0-9.]+ +corner'
lambda=$(python3 - "$work" <<'PYTHON'
import json, sys
report = json.load(open(sys.argv[1] + "/by-curve.json"))
curve = report["lcurve"]
assert len(curve) == 21 and all(len(point) == 3 for point in curve)
assert report["lambda"] in [point[0] for point in curve][2:-2]
assert all(before[0] > after[0] for before, after in zip(curve, curve[1:]))
assert all(before[1] > after[1] for before, after in zip(curve, curve[1:12]))
print(repr(report["lambda"]))
PYTHON
) || fail "the L-curve is wrong"
expect_exit 0 koine solve "$work/blur.mtx" "$work/blurred.npy" --lambda "$lambda" --device host -o "$work/by-lambda.npy"
cmp "$work/by-curve.npy" "$work/by-lambda.npy" || fail "the lambda of the L-curve is not the one that was used"
for refused in "--lambda 1:leave out --lambda" "--nonnegative:for .A x - b..2 and lambda" "--method gram:is for --method cgnr" \
    "--noise 3:not by an early stop"; do
    # shellcheck disable=SC2086 # options
    expect_exit 2 koine solve "$work/blur.mtx" "$work/blurred.npy" --lambda-by lcurve ${refused%%:*} -o "$work/none.npy"
    expect_stderr "--lambda-by lcurve .*${refused#*:}"
done
expect_exit 2 koine solve "$work/blur.mtx" "$work/blurred.npy" --lambda-by gcv -o "$work/none.npy"
expect_exit 2 koine solve --sweep --lambda-by lcurve
expect_stderr '^koine solve: --lambda-by is for a given system'
expect_exit 3 koine solve "$a" "$b" --lambda-by lcurve --device host -o "$work/none.npy"
expect_stderr 'b.mtx: the L-curve has no corner: from lambda [0-9.]+ to'
[ ! -e "$work/none.npy" ] || fail "a curve without a corner leaves a result"

# ---- the axis of rotation ----

PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$sources/tests/e2e python3 - "$work" <<'PYTHON' || fail "no picture is made"
import arrays, sys
values = [1.0 + (x > 20) if (x - 18) ** 2 / 200 + (y - 24) ** 2 / 320 < 1 else 0.0 for y in range(40) for x in range(40)]
arrays.save(sys.argv[1] + "/ellipse.npy", "f8", values, (40, 40))
PYTHON
expect_exit 0 koine project parallel:36,64,40,34.25 "$work/ellipse.npy" -o "$work/off-axis.npy" --device host
expect_exit 0 koine solve parallel:36,64,40,auto "$work/off-axis.npy" --method fbp -o "$work/on-axis.npy" --device host --json "$work/axis.json"
expect_stdout 'axis of rotation at detector 34\.[12]'
python3 - "$work" <<'PYTHON' || fail "another axis is found"
import json, sys
axis = json.load(open(sys.argv[1] + "/axis.json"))["axis"]
assert abs(axis["found"] - 34.25) < 0.1 and 0 <= axis["error"] < 0.1 and axis["pairs"] == 1, axis
assert abs(axis["opposite_projections"] - 34.25) < 0.5 and 0 < axis["relative_residual"] < 0.1, axis
PYTHON
expect_exit 2 koine project parallel:36,64,40,auto "$work/ellipse.npy" -o "$work/none.npy"
expect_stderr 'koine solve finds the axis'
expect_exit 2 koine spmv parallel:36,64,40,auto
expect_exit 2 koine solve fan:36,64,40,60,60,auto "$work/off-axis.npy" -o "$work/none.npy"
expect_exit 2 koine solve parallel:36,64,40,auto "$work/off-axis.npy" --offset 1 -o "$work/none.npy"
awk 'BEGIN { for (i = 0; i < 36; i++) print i * 2 }' >"$work/narrow.txt"
expect_exit 3 koine solve parallel:36,64,40,auto "$work/off-axis.npy" --angles "$work/narrow.txt" -o "$work/none.npy"
expect_stderr 'off-axis.npy: no axis can be found'
[ ! -e "$work/none.npy" ] || fail "a refused axis leaves a result"

expect_exit 3 koine solve parallel:5,9,7 "$work/none.h5" -o "$work/image.npy" --force
expect_stderr 'none.h5'
printf '%s\n' '%%MatrixMarket matrix coordinate real general' '1 1 1' '1 1 4.0' >"$work/one.mtx"
printf '%s\n' '%%MatrixMarket matrix array real general' '1 1' '2.0' >"$work/two.mtx"
expect_exit 0 koine solve "$work/one.mtx" "$work/two.mtx" -o "$work/half.mtx"
[ "$(tail -1 "$work/half.mtx")" = 0.5 ] || fail "4 x = 2: $(cat "$work/half.mtx")"
printf '%s\n' '%%MatrixMarket matrix coordinate real general' '1 1 0' >"$work/empty.mtx"
expect_exit 0 koine solve "$work/empty.mtx" "$work/two.mtx" -o "$work/zero.mtx"
expect_stdout 'residual .Ax-b./.b. 1,'
expect_exit 0 koine solve --sweep -n 2 --device host --json "$work/sweep.json"
expect_stdout '^ *86[0-9]{4} +81545  host +2 '
python3 - "$work/sweep.json" <<'PYTHON' || fail "the sweep is wrong"
import json, sys
points = json.load(open(sys.argv[1]))["sweep"]
assert [p["rows"] for p in points] == [1000, 3000, 10000, 30000, 81545]
for p in points:
    assert p["place"] == "host" and p["columns"] == 3072 and p["iterations"] == 2 and p["ok"] is True
    assert 10 < p["nonzeros"] / p["rows"] < 11 and 0 < p["seconds"] < p["seconds_with_upload"] and 0 < p["residual"] < 1
PYTHON
expect_exit 0 koine solve --sweep -n 2 --precision double --output "$work/sweep"
expect_stdout 'double precision'
expect_files "$work/sweep" sweep.svg
grep -q 'with preparing' "$work/sweep/sweep.svg" || fail "the plot has no line of the host's preparation"

# Single precision has an answer, or says that it has none; in double there is nothing to say.
expect_exit 0 koine solve "$a" "$b" -o "$work/single.npy" --precision float --json "$work/single.json"
expect_stdout 'error of x$'
expect_empty stderr
expect_exit 0 koine solve "$work/powers.mtx" "$b" -o "$work/powers.npy" --rhs 1 -n 2000 --precision float --json "$work/powers.json"
expect_stdout 'error of single precision: the relative error of x is about [0-9.e+]+, too large for an answer$'
expect_stderr 'warning: single precision is not enough for the answer: the estimated relative error of x is [0-9.e+]+; --precision double '
expect_exit 0 koine solve "$work/powers.mtx" "$b" -o "$work/both.npy" -n 2000 --precision float --force
expect_stderr 'is not enough for the answer in [12] of 2 columns: '
expect_exit 1 koine solve "$work/powers.mtx" "$b" -o "$work/powers.npy" --rhs 1 -n 2000 --precision float --force \
    --stop fixed --tolerance 1
expect_stderr 'single precision is not enough for the answer'
expect_exit 0 koine solve "$work/powers.mtx" "$b" -o "$work/powers.npy" --rhs 1 -n 2000 --precision float --force --lambda 0.1
expect_empty stderr
expect_exit 0 koine solve "$work/powers.mtx" "$b" -o "$work/powers.npy" --rhs 1 -n 2000 --force
expect_empty stderr
python3 - "$work" <<'PYTHON' || fail "the accuracy is wrong"
import json, sys
report = lambda name: json.load(open("%s/%s.json" % (sys.argv[1], name)))
single, powers, plain = report("single"), report("powers"), report("plain")
assert 0 < single["error_estimate"] < 1e-5 and single["precision_reached"] is True, single["error_estimate"]
assert single["error_estimate"] == max(s["error_estimate"] for s in single["solutions"])
assert powers["error_estimate"] > 0.1 and powers["precision_reached"] is False
assert plain["error_estimate"] is None and plain["precision_reached"] is True
for r in (single, powers, plain):
    assert r["true_residual"] == r["residual"] and r["true_normal_residual"] == r["normal_residual"]
PYTHON

# ---- a device ----

need_device
if [ "$precision" = double ]; then
    expect_exit 0 koine solve "$a" "$b" -o "$work/device-double.npy" --format sell --device auto --json "$work/device-double.json"
    expect_stdout 'cgnr, double precision, A as sell, A\^T as sell, separate launches'
    expect_exit 0 koine solve "$a" "$b" -o "$work/fused-double.npy" --device auto
    expect_stdout 'cgnr, double precision, '
    expect_exit 0 koine solve "$a" "$b" -o "$work/printed-double.npy" --format simple --method printed
    expect_stdout 'printed, double precision, A as simple'
    expect_exit 0 koine solve "$a" "$b" -o "$work/corrected-double.npy" --format simple --correction '0.5 * d' --rhs 1
    expect_stdout 'cgnr, double precision, A as simple'
    expect_exit 0 koine solve "$a" "$b" -o "$work/rays.npy" --rhs 1 --format merge --noise 7.6
    expect_stdout 'stopped by discrepancy'
    (cd "$work" && PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$sources/tests/e2e python3 - <<'PYTHON') || fail "the device is wrong in double"
import arrays, json
wanted = list(arrays.load("x.npy")[2])
for path in ("device-double.npy", "fused-double.npy", "printed-double.npy"):
    found = list(arrays.load(path)[2])
    assert max(abs(a - b) for a, b in zip(found, wanted)) < 1e-11 * max(map(abs, wanted)), path
report = json.load(open("device-double.json"))
assert report["precision"] == "double" and report["error_estimate"] is None and report["precision_reached"] is True
assert report["normal_residual"] < 1e-12 and report["device"]["spec"] != "host"
PYTHON
    # The real systems: where the host and the device both end, of which neither is the other's reference, x is as near.
    matrices=${KOINE_DATA:-$sources/../shared/data}/sparse
    for system in illc1033 well1033; do
        for place in host auto; do
            [ -f "$matrices/$system.mtx.gz" ] || break
            expect_exit 0 koine solve "$matrices/$system.mtx.gz" "$matrices/${system}_rhs1.mtx.gz" -n 20000 \
                --device $place -o "$work/$system-$place.npy" --json "$work/$system-$place.json"
        done
    done
    [ ! -f "$work/well1033-auto.npy" ] || python3 "$sources/tests/e2e/app/least_squares.py" "$matrices" "$work" ||
        fail "x of a real system is off"
else
    expect_exit 4 koine solve "$a" "$b" -o "$work/none.npy" --device auto --precision double
    expect_stderr 'has no double precision; use --precision float'
fi
expect_exit 0 koine solve "$work/powers.mtx" "$b" -o "$work/device-powers.npy" --rhs 1 -n 2000 --format simple --precision float --json "$work/device-powers.json"
expect_stderr 'warning: single precision is not enough for the answer'
grep -q '"precision_reached": false' "$work/device-powers.json" || fail "the warning is not in the JSON"
expect_exit 0 koine solve "$a" "$b" -o "$work/corrected.npy" --rhs 1 --format simple --precision float --correction '0.5f * d' --json "$work/corrected.json"
grep -q '"true_normal_residual": null' "$work/corrected.json" || fail "the gradient with a correction is known"
expect_exit 0 koine solve "$a" "$b" -o "$work/device.npy" --rhs 1 --format simple --precision float --json "$work/device.json"
expect_stdout 'single precision, A as simple, A\^T as simple, separate'
expect_stdout '5 launches per iteration'
expect_exit 0 koine solve "$a" "$b" -o "$work/twice.npy" --rhs 1 --format simple --precision float --method printed -n 60
expect_stdout 'printed, single precision, A as simple, A\^T as simple, separate launches, A and A\^T twice'
expect_stdout 'stopped by iterations after 60 iterations'
expect_stdout '9 launches per iteration'
expect_exit 0 koine solve "$a" "$b" -o "$work/device-fista.npy" --format simple --precision float --bounds -0.05,inf --json "$work/device-fista.json"
expect_stdout 'fista, single precision, A as simple, A\^T as simple, separate'
expect_stdout '5 launches per iteration'
expect_exit 0 koine solve "$a" "$b" -o "$work/device-bb.npy" --format simple --precision float --bounds -0.05,inf --method bb
expect_stdout '; bb, single precision, '
expect_exit 0 koine solve "$a" "$b" -o "$work/device-goal.npy" --rhs 1 --noise 7.6 --format simple --precision float --method fista
expect_stdout 'stopped by discrepancy'
expect_exit 0 koine solve parallel:5,9,7 "$work/dead.npy" --weights "$work/dead-weights.npy" --method fista --nonnegative \
    -o "$work/device-alive.npy" --precision float --format simple
expect_stdout '^weighted residual |Ax-b|/|b| '
expect_exit 0 koine solve parallel:5,9,7 "$work/sinogram.npy" --method sirt --nonnegative -o "$work/device-sirt.npy" -n 200 --format simple --precision float
expect_stdout '45 x 49, parallel rays; sirt, single precision, '
expect_stdout '7 launches per iteration'
expect_exit 0 koine solve parallel:5,9,7 "$work/sinogram.npy" --method tv --lambda 0.05 --nonnegative -o "$work/device-tv.npy" -n 400 --format simple --precision float --json "$work/device-tv.json"
expect_stdout '45 x 49, parallel rays; tv, single precision, '
expect_stdout '5 launches per iteration'
expect_exit 2 koine solve "$a" "$b" -o "$work/none.npy" --method sirt --format simple --precision float
expect_stderr 'SIRT divides by sums of rows and columns: an element of -'
expect_exit 0 koine project parallel:90,64,48 "$work/discs.npy" -o "$work/discs-clean.npy" --device host
(cd "$work" && PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$sources/tests/e2e python3 - <<'PYTHON') || fail "making noise"
import arrays, random
random.seed(31)
clean = list(arrays.load("discs-clean.npy")[2])
deviation = 0.02 * (sum(v * v for v in clean) / len(clean)) ** 0.5
arrays.save("noisy.npy", "f8", [v + random.gauss(0, deviation) for v in clean])
PYTHON
expect_exit 0 koine solve parallel:90,64,48 "$work/noisy.npy" -o "$work/white.npy" --device host --stop ncp
expect_stdout 'stopped by ncp after [5-9] iterations'
expect_exit 0 koine solve parallel:90,64,48 "$work/noisy.npy" -o "$work/device-white.npy" --format simple --precision float --stop ncp
expect_stdout 'stopped by ncp after [5-9] iterations'
expect_stdout '10 launches per iteration'
(cd "$work" && PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$sources/tests/e2e python3 - <<'PYTHON') || fail "the device is wrong"
import arrays, json
wanted = list(arrays.load("x.npy")[2])[0::2]
for path in ("device.npy", "twice.npy"):
    found = list(arrays.load(path)[2])
    assert max(abs(a - b) for a, b in zip(found, wanted)) < 1e-4 * max(map(abs, wanted)), (path, found, wanted)
for path, host in (("device-fista.npy", "fista.npy"), ("device-bb.npy", "fista.npy"), ("device-sirt.npy", "sirt.npy"),
                   ("device-alive.npy", "alive-image.npy")):
    wanted, found = list(arrays.load(host)[2]), list(arrays.load(path)[2])
    assert min(found) >= (-0.05 if path in ("device-fista.npy", "device-bb.npy") else 0), path
    assert max(abs(a - b) for a, b in zip(found, wanted)) < 1e-4 * max(map(abs, wanted)), (path, found, wanted)
objectives = [json.load(open(name + ".json"))["objective"] for name in ("tv", "device-tv")]
assert min(arrays.load("device-tv.npy")[2]) >= 0 and abs(objectives[1] - objectives[0]) < 1e-4 * objectives[0], objectives
report = json.load(open("device-fista.json"))
assert report["precision"] == "float" and report["history_of"] == "residual" and report["error_estimate"] is None
assert len(report["history"]) == report["iterations"] + 1 and abs(report["history"][-1] - report["residual"]) < 1e-5
report = json.load(open("device.json"))
assert report["precision"] == "float" and report["launches_per_iteration"] == 5
assert report["history_of"] == "normal_residual" and report["device"]["spec"] != "host"
PYTHON
