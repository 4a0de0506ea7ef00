#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `koine autocorr` for stacks and arrays: NumPy and TIFF files, as images and as volumes, and for
# periodic images; compared with the definition.
. "${srcdir:-.}/tests/e2e/lib.sh"
command -v python3 >/dev/null || skip python3 "python3 is not installed"
sources=$(cd "${srcdir:-.}" && pwd)

# python SCRIPT: with arrays.py and images.py, in $work.
python()
{
    (cd "$work" && PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$sources/tests/e2e python3 -c "import arrays, images, json, random
$1") || fail "python: $2"
}

python '
random.seed(23)
def noise(pages, height, width, most):
    return [random.randrange(most + 1) for _ in range(pages * height * width)]
for dtype, most in ("u1", 255), ("u2", 65535):
    arrays.save(f"stack.{dtype}.npy", dtype, noise(3, 14, 17, most), (3, 14, 17))
page = noise(1, 14, 17, 255)
arrays.save("page.npy", "u1", page, (14, 17))
images.png("page.png", [page[17 * y:17 * y + 17] for y in range(14)])
arrays.save("real.npy", "f8", [v / 255 - 0.25 for v in page], (14, 17))
arrays.save("line.npy", "u1", page, (14 * 17,))
arrays.save("complex.npy", "c8", page, (14, 17))
arrays.save("nan.npy", "f4", [float("nan")] * 9, (3, 3))
whole = open("stack.u2.npy", "rb").read()
open("cut.npy", "wb").write(whole[:-5])
' "making the arrays"

# ---- arrays as images ----
for type in u1 u2; do
    expect_exit 0 koine autocorr "$work/stack.$type.npy" -r 4 --device host --sums "$work/sums.$type.npy"
done
python '
for dtype in "u1", "u2":
    _, (pages, height, width), v = arrays.load(f"stack.{dtype}.npy")
    _, shape, found = arrays.load(f"sums.{dtype}.npy")
    assert shape == (3, 5, 9), shape
    for at, value in enumerate(found):
        page, y0, x0 = at // 45, at % 45 // 9, at % 9 - 4
        i = lambda y, x: v[(page * height + y) * width + x]
        want = sum(i(y, x) * i(y + y0, x + x0) for y in range(height - y0) for x in range(width) if 0 <= x + x0 < width)
        assert value == want, (dtype, page, y0, x0, value, want)
' "the sums of stacks"
for kind in npy png; do
    expect_exit 0 koine autocorr "$work/page.$kind" -r 4 --exact --device host --json "$work/$kind.json"
done
expect_exit 0 koine autocorr "$work/real.npy" -r 4 --exact --device host
expect_stderr 'real.npy has numbers other than integers from 0 to 65535: each such frame is scaled'
expect_exit 0 koine autocorr - -r 4 --exact --device host --json "$work/input.json" <"$work/page.npy"
python '
curves = [json.load(open(name + ".json"))["frames"][0]["c1d"] for name in ("npy", "png", "input")]
assert curves[0] == curves[1] == curves[2]
' "the same image in other files"
mkdir "$work/arrays"
cp "$work/page.npy" "$work/arrays/1.npy"
cp "$work/stack.u1.npy" "$work/arrays/2.npy"
expect_exit 0 koine autocorr "$work/arrays" -r 4 --exact --device host --sums "$work/folder.npy"
python 'assert arrays.load("folder.npy")[1] == (4, 5, 9)' "the arrays of a folder"

# ---- what is refused ----
expect_exit 3 koine autocorr "$work/line.npy"
expect_stderr 'line.npy: has 1 dimensions; expected \(rows, columns\), or \(pages, rows, columns\)'
expect_exit 3 koine autocorr "$work/complex.npy"
expect_stderr 'complex.npy: is of complex64, but an image has real numbers'
expect_exit 3 koine autocorr "$work/nan.npy"
expect_stderr 'nan.npy: pixel \(0, 0\) is nan, expected finite numbers'
expect_exit 3 koine autocorr "$work/cut.npy" --output "$work/cut"
expect_stderr 'cut.npy: the header declares 714 numbers, 1428 bytes, but 1423 follow it'
[ ! -e "$work/cut/cut.c1d.csv" ] || fail "a stack that is cut short has results"

# ---- volumes, and what goes on periodically ----
for type in u1 u2; do
    expect_exit 0 koine autocorr "$work/stack.$type.npy" --volume -r 5 --device host --sums "$work/volume.$type.npy" \
        --output "$work/volume.$type" --json "$work/volume.$type.json"
    expect_stdout '17 x 14 x 3'
    expect_exit 0 koine autocorr "$work/stack.$type.npy" --volume --periodic -r 2 --device host --sums "$work/wrapped.$type.npy"
done
expect_exit 0 koine autocorr "$work/page.npy" --periodic -r 4 --device host --sums "$work/around.npy" --verify 5
expect_stdout 'verified: 5 sums recomputed term by term, 0 differ'
python '
def check(name, size, v, r, found, wrapped):
    depth, height, width = size
    at = 0
    for z0 in range(r + 1 if depth > 1 else 1):
        for y0 in range(-r if depth > 1 else 0, r + 1):
            for x0 in range(-r, r + 1):
                if (x0, y0) not in ((0, 0), (-r, r), (1, 2), (r, 0)):
                    at += 1
                    continue
                want = 0
                for z in range(depth):
                    for y in range(height):
                        for x in range(width):
                            there = (z + z0, y + y0, x + x0)
                            if wrapped:
                                there = tuple(a % n for a, n in zip(there, size))
                            if all(0 <= a < n for a, n in zip(there, size)):
                                want += v[(z * height + y) * width + x] * v[(there[0] * height + there[1]) * width + there[2]]
                assert found[at] == want, (name, x0, y0, z0, found[at], want)
                at += 1
    assert at == len(found)
for dtype in "u1", "u2":
    _, size, v = arrays.load(f"stack.{dtype}.npy")
    _, shape, found = arrays.load(f"volume.{dtype}.npy")
    assert shape == (6, 11, 11), shape
    check("volume", size, v, 5, found, False)
    _, shape, found = arrays.load(f"wrapped.{dtype}.npy")
    check("wrapped", size, v, 2, found, True)
    dtype_of, shape, values = arrays.load(f"volume.{dtype}/stack.{dtype}.c3d.npy")
    assert (dtype_of, shape) == ("f8", (6, 11, 11)) and values[5 * 11 + 5] == 1
    told = json.load(open(f"volume.{dtype}.json"))
    assert told["exact"] and told["frames"][0]["depth"] == 3 and len(told["frames"][0]["c1d"]) == 6
_, size, v = arrays.load("page.npy")
check("around", (1,) + size, v, 4, arrays.load("around.npy")[2], True)
' "the sums of volumes and of periodic images"
expect_exit 2 koine autocorr "$work/page.npy" --periodic --method simd
expect_stderr '--periodic is computed by transforms: --method auto or fft, not simd'
expect_exit 2 koine autocorr "$work/page.npy" --periodic --mask "$work/page.png"
expect_stderr '--periodic and --mask cannot be combined'
expect_exit 2 koine autocorr "$work/stack.u1.npy" --volume --region 0,0,4,4
expect_stderr '--volume and --region cannot be combined'
expect_exit 3 koine autocorr "$work/stack.u1.npy" "$work/nan.npy" --volume --device host --output "$work/unequal"
expect_stderr 'nan.npy: page 1 is 3 x 3 [a-z0-9]+, but the volume begins with 17 x 14 [a-z0-9]+; all slices must have one size and type'
[ ! -e "$work/unequal" ] || fail "slices that are not alike have results"
expect_exit 3 koine autocorr "$work/stack.u1.npy" "$work/stack.u2.npy" --volume --device host --sums "$work/unequal.npy"
expect_stderr 'stack.u2.npy: page 1 is 17 x 14 '
[ ! -e "$work/unequal.npy" ] || fail "slices of two types have sums"
