#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `koine phantom`: images in every format, k-space compared with the ellipses' transform, and what is refused.
. "${srcdir:-.}/tests/e2e/lib.sh"
command -v python3 >/dev/null || skip python3 "python3 is not installed"
sources=$(cd "${srcdir:-.}" && pwd)

expect_exit 2 koine phantom -o "$work/p.npy"
expect_stderr '--matrix is missing'
for matrix in 128 0,128 128,x 1,2,3,4 '128,'; do
    expect_exit 2 koine phantom --matrix "$matrix" -o "$work/p.npy"
    expect_stderr "--matrix: '$matrix' is not NX,NY"
done
expect_exit 2 koine phantom --matrix 16,16
expect_exit 2 koine phantom --matrix 16,16 -o "$work/p.jpg"
expect_stderr 'p.jpg: expected a name that ends in .cfl, .npy, .nii, .tif or .png'
expect_exit 2 koine phantom --matrix 16,16 --trajectory-unit radians -o "$work/p.npy"
expect_exit 2 koine phantom --matrix 4294967296,4294967296 -o "$work/p.npy"
expect_stderr 'fit in memory'
expect_exit 2 koine phantom --matrix 16,16 more -o "$work/p.npy"

# Images.
for ending in npy cfl nii png; do
    expect_exit 0 koine phantom --matrix 20,30 -o "$work/p.$ending" --json "$work/$ending.json"
    expect_stdout '^phantom: 20 x 30 voxels$'
done
expect_exit 0 koine phantom --matrix 16,12,10 --points 2 -o "$work/v.npy"
expect_stdout '^phantom: 16 x 12 x 10 voxels$'
expect_exit 0 koine phantom --matrix 16,12,10 -o "$work/v.png"
expect_stdout '^phantom: 16 x 12 x 10 voxels; the picture is of slice 5$'
expect_exit 3 koine phantom --matrix 16,12 -o "$work/v.png"
expect_stderr 'v.png: already exists'

# K-space.
expect_exit 0 koine trajectory golden --samples 32 --spokes 9 -o "$work/t.npy"
expect_exit 0 koine trajectory golden --samples 32 --spokes 9 -o "$work/t"
expect_exit 0 koine phantom --matrix 32,32 --kspace "$work/t.npy" -o "$work/k.npy" --json "$work/k.json"
expect_stdout '^phantom: 288 samples of .*t.npy, in the scale of a sum over 32 x 32 voxels of exp\(-i 2 pi k.r\)$'
expect_stdout '^k in cycles per field of view: kx -16 to '
expect_empty stderr
expect_exit 0 koine phantom --matrix 32,32 --kspace "$work/t" -o "$work/k"
expect_exit 2 koine phantom --matrix 32,32 --kspace "$work/t" -o "$work/k.png"
expect_exit 3 koine phantom --matrix 16,16 --kspace "$work/t" -o "$work/no.npy"
expect_stderr '/t: sample 0: kx is -16 cycles per field of view, but a matrix of 16 resolves 8; is the trajectory'
expect_exit 3 koine phantom --matrix 32,32 --kspace "$work/t" --trajectory-unit normalized -o "$work/no.npy"
expect_exit 3 koine phantom --matrix 32,32 --kspace "$work/k.npy" -o "$work/no.npy"
expect_stderr 'k.npy: is not a trajectory: expected \[3, samples, spokes\]'
expect_exit 3 koine phantom --matrix 32,32 --kspace "$work/nothing" -o "$work/no.npy"
expect_stderr 'nothing.hdr: cannot be read'
head -c 100 "$work/t.cfl" >"$work/short.cfl"
cp "$work/t.hdr" "$work/short.hdr"
expect_exit 3 koine phantom --matrix 32,32 --kspace "$work/short" -o "$work/no.npy"
expect_stderr 'short.cfl: ends at offset 100, but expected 6912 bytes'
[ ! -e "$work/no.npy" ] || fail "a refused run left a file"

(cd "$work" && PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$sources/tests/e2e python3 - <<'PYTHON') || fail "making the units"
import arrays, math
k = arrays.load("t.npy")[2]
arrays.save("radians.npy", "f8", [v * 2 * math.pi / 32 for v in k], (9, 32, 3))
arrays.save("plane.npy", "f4", [v / 32 for i, v in enumerate(k) if i % 3 < 2], (288, 2))
arrays.save("deep.npy", "f8", [0, 0, 1], (1, 3))
arrays.save("complex.npy", "c8", [1, 2, 3j], (1, 3))
PYTHON
expect_exit 0 koine phantom --matrix 32,32 --kspace "$work/radians.npy" --trajectory-unit radians -o "$work/kr.npy"
expect_exit 0 koine phantom --matrix 32,32 --kspace "$work/plane.npy" --trajectory-unit normalized -o "$work/kn.npy"
expect_empty stderr
expect_exit 0 koine phantom --matrix 32,32 --kspace "$work/plane.npy" -o "$work/doubtful.npy"
expect_stderr 'plane.npy: k is at most 0.5 on every axis, .* --trajectory-unit normalized$'
expect_exit 3 koine phantom --matrix 32,32 --kspace "$work/deep.npy" -o "$work/no.npy"
expect_stderr 'kz is 1, but the matrix has two sizes'
expect_exit 0 koine phantom --matrix 32,32,8 --kspace "$work/deep.npy" -o "$work/deep_k.npy"
expect_exit 3 koine phantom --matrix 32,32,8 --kspace "$work/complex.npy" -o "$work/no.npy"
expect_stderr 'imaginary part 3, expected 0'

(cd "$work" && PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$sources/tests/e2e python3 - <<'PYTHON') || fail "the answers are wrong"
import arrays, json, math, struct, zlib

# The image: the same in every format.
dtype, shape, image = arrays.load("p.npy")
assert (dtype, shape) == ("f8", (30, 20)), (dtype, shape)
assert abs(image[15 * 20 + 10] - 0.2) < 1e-12 and image[0] == 0 and 0.5 < max(image) <= 1, max(image)
assert abs(image[10 * 20 + 10] - 0.3) < 1e-12  # the forehead's ellipse, above the middle
pairs = struct.unpack("<1200f", open("p.cfl", "rb").read())
assert list(pairs[::2]) == [arrays.single(v) for v in image] and not any(pairs[1::2])
nii = open("p.nii", "rb").read()
assert struct.unpack("<8h", nii[40:56]) == (2, 20, 30, 1, 1, 1, 1, 1)
assert struct.unpack("<600f", nii[352:]) == pairs[::2]
png = open("p.png", "rb").read()
assert struct.unpack(">2I2B", png[16:26]) == (20, 30, 8, 0)
assert json.load(open("png.json"))["matrix"] == [20, 30]
dtype, shape, volume = arrays.load("v.npy")
assert min(volume) == 0 and max(volume) <= 1, (min(volume), max(volume))
assert shape == (10, 12, 16) and volume[0] == 0 and volume[(5 * 12 + 6) * 16 + 11] == 0.2

# K-space: at k = 0 the sum of the ellipses' areas, pi a b A / 4 each, times the voxels; the files agree.
dtype, shape, k = arrays.load("k.npy")
assert (dtype, shape) == ("c16", (9, 32, 1)), (dtype, shape)
table = [(1, .69, .92), (-.8, .6624, .874), (-.2, .11, .31), (-.2, .16, .41), (.1, .21, .25),
         (.1, .046, .046), (.1, .046, .046), (.1, .046, .023), (.1, .023, .023), (.1, .023, .046)]
centre = 32 * 32 * math.pi / 4 * sum(value * a * b for value, a, b in table)
assert abs(k[16] - centre) < 1e-9, (k[16], centre)
pairs = struct.unpack("<576f", open("k.cfl", "rb").read())
assert all(abs(complex(*pairs[2 * i:2 * i + 2]) - v) < 1e-4 for i, v in enumerate(k))
assert open("k.hdr").read().split("\n")[1].split()[:4] == ["1", "32", "9", "1"]
for name in "kr.npy", "kn.npy":
    assert all(abs(a - b) < 2e-4 for a, b in zip(arrays.load(name)[2], k)), name
report = json.load(open("k.json"))
assert (report["kind"], report["shape"], report["scale"], report["k_centre"]) == ("kspace", [9, 32, 1], "none", 9)
assert report["k_unit"] == "cycles per field of view" and report["k_range"][0][0] == -16
PYTHON
