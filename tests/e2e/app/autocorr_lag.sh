#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `koine autocorr --lag`: frames with those some lags later, compared with the definition; files, plot and JSON; what is refused.
. "${srcdir:-.}/tests/e2e/lib.sh"
command -v python3 >/dev/null || skip python3 "python3 is not installed"
sources=$(cd "${srcdir:-.}" && pwd)

# python SCRIPT WHAT: with arrays.py and images.py, in $work.
python()
{
    (cd "$work" && PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$sources/tests/e2e python3 -c "import arrays, images, json, math, random
$1") || fail "python: $2"
}

python '
import os
random.seed(11)
N, H, W = 9, 26, 31
# Each frame keeps three quarters of the one before.
v = [random.gauss(0, 1) for _ in range(H * W)]
stack = []
os.mkdir("film")
for n in range(N):
    page = [min(255, max(0, round(128 + 40 * x))) for x in v]
    stack += page
    images.png("film/%02d.png" % n, [page[W * y:W * y + W] for y in range(H)])
    v = [0.75 * x + math.sqrt(1 - 0.75 ** 2) * random.gauss(0, 1) for x in v]
arrays.save("film.npy", "u1", stack, (N, H, W))
arrays.save("mask.npy", "u1", [int(x > 4) for y in range(H) for x in range(W)], (H, W))
arrays.save("odd.npy", "u2", [9 * x for x in stack[:H * W]], (H, W))
' "making the film"
film=$work/film.npy

# ---- what is refused ----
for lag in 0 -1 x 1.5; do
    expect_exit 2 koine autocorr "$work/no.png" --lag "$lag"
    expect_stderr "--lag: '$lag' is not a whole number of at least 1"
done
for other in --volume "--with $film" --variants; do
    # shellcheck disable=SC2086 # an option and its value
    expect_exit 2 koine autocorr "$film" --lag 2 $other
    expect_stderr "${other%% *}.* cannot be combined"
done
for lag in 9 100; do
    expect_exit 3 koine autocorr "$film" --lag $lag --output "$work/none"
    expect_stderr "--lag $lag needs more than 9 frames"
    [ ! -e "$work/none" ] || fail "a run that was refused has made its folder"
done
expect_exit 3 koine autocorr "$work/no.png" --lag 2
expect_stderr "no.png: .*No such file"
expect_exit 3 koine autocorr "$work/film" "$work/odd.npy" --lag 2 --device host
expect_stderr 'odd.npy: has levels of 16 bits, but the series begins with 8 '

# ---- the curve, and its files ----
expect_exit 0 koine autocorr "$film" -r 6 --exact --lag 5 --interval 0.5 --pixel 2,um --device host --output "$work/results" --json "$work/lag.json"
expect_stdout '^decorrelation: the correlation falls to 1/e at lag 3\.[0-9]*, 1\.[0-9]* s$'
python '
_, (N, H, W), v = arrays.load("film.npy")
frames = [v[n * H * W:n * H * W + H * W] for n in range(N)]
def pearson(a, b):
    n, s, t = len(a), sum(a), sum(b)
    top = n * sum(x * y for x, y in zip(a, b)) - s * t
    return top / math.sqrt((n * sum(x * x for x in a) - s * s) * (n * sum(y * y for y in b) - t * t))
lag = json.load(open("lag.json"))["lag"]
_, shape, pairs = arrays.load("results/lag-pairs.npy")
assert shape == (6, N), shape
means = []
for k, found in enumerate(lag["lags"]):
    want = [pearson(frames[i], frames[i + k]) for i in range(N - k)]
    mean = sum(want) / len(want)
    means.append(mean)
    assert found["lag"] == k and found["t"] == k / 2 and found["pairs"] == N - k
    assert abs(found["correlation"] - mean) < 1e-13, (k, found["correlation"], mean)
    assert abs(found["deviation"] - math.sqrt(sum((w - mean) ** 2 for w in want) / (N - k - 1))) < 1e-12
    assert all(abs(a - b) < 1e-13 for a, b in zip(found["correlations"], want)) and len(found["correlations"]) == N - k
    assert pairs[k * N:k * N + N - k] == tuple(found["correlations"]) or list(pairs[k * N:k * N + N - k]) == found["correlations"]
    assert all(math.isnan(x) for x in pairs[k * N + N - k:k * N + N])
    assert len(found["c1d"]) == 7 and found["c1d"][0][1] == found["correlation"]
at = next(k for k in range(6) if means[k] <= math.exp(-1))
want = at - 1 + (means[at - 1] - math.exp(-1)) / (means[at - 1] - means[at])
assert abs(lag["decorrelation"] - want) < 1e-12 and abs(lag["decorrelation_seconds"] - want / 2) < 1e-12
_, shape, c2d = arrays.load("results/lag-c2d.npy")
assert shape == (6, 7, 13), shape
for k, found in enumerate(lag["lags"]):
    assert abs(c2d[k * 91 + 6] - found["correlation"]) < 1e-13
# (X0, Y0) = (-3, 2) of lag 4.
want = 0
for i in range(N - 4):
    a = [frames[i][y * W + x] for y in range(H - 2) for x in range(3, W)]
    b = [frames[i + 4][(y + 2) * W + x - 3] for y in range(H - 2) for x in range(3, W)]
    want += pearson(a, b) / (N - 4)
assert abs(c2d[4 * 91 + 2 * 13 + 6 - 3] - want) < 1e-13
rows = open("results/lag.csv").read().split()
assert rows[0] == "lag,t_s,pairs,correlation,standard_deviation,r_max_um,r_max_error_um" and len(rows) == 7, rows
assert [float(r.split(",")[3]) for r in rows[1:]] == [f["correlation"] for f in lag["lags"]]
rows = open("results/lag-c1d.csv").read().split()
assert rows[0] == "lag,r_um,c1d,standard_error,count" and len(rows) == 1 + 6 * 7
assert [float(r.split(",")[2]) for r in rows[8:15]] == [c[1] for c in lag["lags"][1]["c1d"]]
' "the curve"
grep -q 'Lag (s)' "$work/results/lag.svg" || fail "lag.svg has no axis of lags"
expect_exit 3 koine autocorr "$film" -r 6 --lag 5 --output "$work/results"
expect_stderr 'already exists'

# ---- with what else there is ----
for also in '--periodic' '--mask mask.npy' '--region 3,2,21,20' '--method simd -n symavg' '--method naive -n unbiased' '-n zero' '--flatten 5'; do
    # shellcheck disable=SC2086 # options and their values
    (cd "$work" && expect_exit 0 koine autocorr film.npy -r 4 --lag 2 $also --device host --force --json also.json) || fail "$also"
    python 'assert [x["pairs"] for x in json.load(open("also.json"))["lag"]["lags"]] == [9, 8, 7]' "$also"
done
expect_exit 0 koine autocorr "$film" -r 4 --lag 1 -n geo --device host
expect_stdout '^decorrelation: the correlation does not fall to 1/e up to lag 1$'
head -c 60 "$work/film/04.png" >"$work/cut" && mv "$work/cut" "$work/film/04.png"
expect_exit 3 koine autocorr "$work/film" -r 4 --lag 2 --device host --json "$work/torn.json"
expect_stderr '1 of 9 frames failed; they are named above'
python '
lags = json.load(open("torn.json"))["lag"]["lags"]
assert [x["pairs"] for x in lags] == [8, 6, 5], lags
assert [i for i, c in enumerate(lags[2]["correlations"]) if c is None] == [2, 4]
' "a frame that is torn"
