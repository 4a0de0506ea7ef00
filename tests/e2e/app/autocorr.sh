#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `koine autocorr`: images with known correlations, in all file formats; series; what is written, printed and
# refused. Sums are compared with the definition in integers.
. "${srcdir:-.}/tests/e2e/lib.sh"
command -v python3 >/dev/null || skip python3 "python3 is not installed"
sources=$(cd "${srcdir:-.}" && pwd)

# python SCRIPT: with arrays.py and images.py, in $work.
python()
{
    (cd "$work" && PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$sources/tests/e2e python3 -c "import arrays, images, json, random
$1") || fail "python: $2"
}

# ---- what is wrong before anything is read ----
expect_exit 2 koine autocorr
expect_stderr 'expected IMAGE, a file or a folder'
for region in 1,2,3 1,2,0,4 1,2,3,4,5 a,2,3,4 -1,2,3,4 99999999999999999999999,0,1,1; do
    expect_exit 2 koine autocorr "$work/no.png" --region "$region"
    expect_stderr "--region: '$region' is not X,Y,W,H"
done
for interval in 0 -1 x 1s nan; do
    expect_exit 2 koine autocorr "$work/no.png" --interval "$interval"
    expect_stderr "--interval: '$interval' is not a number of seconds above 0"
done
for pixel in 1 0,um x,um "1,"; do
    expect_exit 2 koine autocorr "$work/no.png" --pixel "$pixel"
    expect_stderr "--pixel: '$pixel' is not SIZE,UNIT"
done
expect_exit 2 koine autocorr "$work/no.png" --method fastest
expect_exit 2 koine autocorr "$work/no.png" --normalize mean
expect_exit 3 koine autocorr "$work/no.png"
expect_stderr 'no.png: cannot be read: No such file'
mkdir "$work/empty"
expect_exit 3 koine autocorr "$work/empty"
expect_stderr 'no file in this folder ends in .png, .tif, .tiff or .npy'
expect_exit 4 koine autocorr "$work/no.png" --device no-such-device

# ---- the images ----
python '
random.seed(8)
def noise(width, height, most):
    return [[random.randrange(most + 1) for _ in range(width)] for _ in range(height)]
images.png("one.png", [[7]])
images.png("wide.png", noise(900, 3, 255))
images.png("line.png", [[(i * i) % 251 for i in range(40)]])
images.png("grey8.png", noise(33, 31, 255))
images.png("grey16.png", noise(33, 31, 65535), 16)
images.png("full16.png", [[65535] * 40 for _ in range(30)], 16)
images.png("flat.png", [[99] * 20 for _ in range(20)])
images.png("bright.png", [[200 if (x, y) == (9, 4) else 0 for x in range(20)] for y in range(12)])
board = [[(x + y) % 2 for x in range(24)] for y in range(24)]
images.png("board.png", board)
first, second = noise(48, 40, 255), noise(48, 40, 255)
for y in range(40 - 3):
    for x in range(5, 48):
        second[y + 3][x - 5] = first[y][x]
images.png("first.png", first)
images.png("second.png", second)
images.png("small.png", noise(32, 40, 255))
grey = noise(20, 16, 255)
images.png("grey.png", grey)
images.png("rgb.png", [[v for g in row for v in (g, g, g)] for row in grey], colour=2)
images.png("rgba.png", [[v for g in row for v in (g, g, g, 9)] for row in grey], colour=6)
images.png("palette.png", grey, colour=3, palette=[(i, i, i) for i in range(256)])
images.png("colour.png", [[255, 0, 0, 0, 255, 0], [0, 0, 255, 255, 255, 255]], colour=2)
images.tiff("stack8.tif", [noise(20, 16, 255), grey, noise(20, 16, 255)])
images.tiff("stack16.tif", [noise(20, 16, 65535) for _ in range(2)], "H")
images.tiff("whole.tif", [[[float(v) for v in row] for row in grey]], "f")
images.tiff("real.tif", [[[v / 255 - 0.25 for v in row] for row in grey]], "f")
images.tiff("nan.tif", [[[float("nan")] * 9 for _ in range(9)]], "f")
images.tiff("tags.tif", [grey], extra=[(305, 2, 4, 0x41414100), (40000, 3, 1, 7), (65000, 4, 1, 99)])
images.tiff("bits.tif", [grey], extra=[(266, 3, 1, 2), (284, 3, 1, 9)])
with open("truncated.png", "wb") as file:
    file.write(open("grey8.png", "rb").read()[:200])
with open("bomb.png", "wb") as file:
    file.write(images.header(1000000, 1000000, 16, 6) + images.chunk(b"IDAT", b"x") + images.chunk(b"IEND", b""))
with open("text.png", "w") as file:
    file.write("This is no image.\n")
mask = [[255 if 3 <= x < 15 and 2 <= y < 12 else 0 for x in range(20)] for y in range(16)]
images.png("mask.png", mask)
' "making the images"

methods="auto naive simd fft"
if koine devices --json - | grep -q '"default": true'; then
    methods="$methods direct texture-style two-line two-kernel"
fi
# The kernel file of a method on a device, as KOINE_LOG=debug names it.
kernels_of()
{
    case $1 in
    direct) echo autocorr_direct.cl ;;
    texture-style | two-*) echo autocorr_ladder.cl ;;
    esac
}

# sums NAME R ARGUMENT...: koine's, by each method, are those of the definition.
sums()
{
    name=$1 most=$2
    shift 2
    for method in $methods; do
        place=
        [ "$method" != fft ] || place='--device host' # on a device a program for each size: unit tests have them
        # shellcheck disable=SC2086
        expect_exit 0 koine autocorr "$work/$name" -r "$most" --method "$method" $place --sums "$work/sums.npy" --force \
            --verify 5 "$@"
        expect_stdout '^verified: 5 sums recomputed term by term, 0 differ$'
        python "
dtype, shape, found = arrays.load('sums.npy')
assert dtype == 'i8' and shape == ($most + 1, 2 * $most + 1), (dtype, shape)
import zlib, struct
data = open('$name', 'rb').read()
at, idat = 8, b''
while at < len(data):
    length, kind = struct.unpack('>I4s', data[at:at + 8])
    body = data[at + 8:at + 8 + length]
    if kind == b'IHDR':
        width, height, bits = struct.unpack('>IIB', body[:9])
    if kind == b'IDAT':
        idat += body
    at += 12 + length
raw = zlib.decompress(idat)
row = 1 + width * bits // 8
rows = [struct.unpack('>%d%s' % (width, 'BH'[bits // 16]), raw[y * row + 1:(y + 1) * row]) for y in range(height)]
assert list(found) == images.sums(rows, rows, $most)
" "the sums of $name by $method"
    done
}
sums grey8.png 12
sums grey16.png 7
sums full16.png 5
sums wide.png 300
sums line.png 39
sums board.png 6
sums bright.png 11

# ---- what a method is called is what runs ----
for method in $methods; do
    [ "$method" != auto ] || continue
    expect_exit 0 env KOINE_LOG=debug "$KOINE" autocorr "$work/grey8.png" -r 9 --method "$method" --json "$work/ran.json" --force
    grep -q "\"method\": \"$method\"" "$work/ran.json" || fail "the JSON does not name $method"
    kernels=$(kernels_of "$method")
    if [ -n "$kernels" ]; then
        expect_stderr "$kernels: "
        expect_exit 4 koine autocorr "$work/grey8.png" --method "$method" --device host
        expect_stderr "the method $method runs on a device, and there is none here"
        expect_exit 4 without_devices "$KOINE" autocorr "$work/grey8.png" --method "$method"
    elif [ "$method" = fft ] && [ "$methods" != "auto naive simd fft" ]; then
        expect_stderr 'autocorr_fft_rows.cl: '
    else
        expect_empty stderr
        expect_stdout "^by $method on .*\(host\)"
    fi
done
if [ "$methods" != "auto naive simd fft" ]; then
    expect_exit 2 koine autocorr "$work/grey8.png" --method simd --device auto
    expect_stderr 'the method simd runs on the host, and a device was given'
fi

# ---- sizes and answers at their edges ----
expect_exit 0 koine autocorr "$work/one.png" --json "$work/one.json"
expect_exit 2 koine autocorr "$work/one.png" --max-offset 1
expect_stderr 'one.png: a largest offset of 1 leaves no overlap in an image of 1 x 1 pixels; expected at most 0'
expect_exit 2 koine autocorr "$work/grey8.png" --max-offset 33
expect_stderr 'grey8.png: a largest offset of 33 leaves no overlap in an image of 33 x 31 pixels; expected at most 32'
expect_exit 2 koine autocorr "$work/grey8.png" --region 30,0,10,10
expect_stderr 'grey8.png: the region of 10 x 10 pixels at \(30, 0\) is not in the image of 33 x 31'
expect_exit 0 koine autocorr "$work/flat.png" -r 5 --json "$work/flat.json"
expect_stdout '^no maximum in 1 frame: '
expect_exit 0 koine autocorr "$work/flat.png" --exact -r 5 --normalize lu2009 --json "$work/flat_lu.json"
expect_exit 0 koine autocorr "$work/bright.png" --exact -r 5 --normalize energy --json "$work/bright.json"
expect_exit 0 koine autocorr "$work/board.png" --exact -r 6 --output "$work/board" --quiet
expect_exit 0 koine autocorr "$work/first.png" --with "$work/second.png" --exact -r 8 --output "$work/cross" --quiet
expect_exit 2 koine autocorr "$work/first.png" --with "$work/small.png"
expect_stderr 'first.png: the images are of 48 x 40 and of 32 x 40 pixels; expected two of the same size'
expect_exit 0 koine autocorr "$work/first.png" --with "$work/small.png" --region 0,0,32,40 -r 5 --verify 5
expect_exit 2 koine autocorr "$work/first.png" --with "$work/small.png" --region 0,0,33,40 -r 5
expect_stderr 'first.png: the region of 33 x 40 pixels at \(0, 0\) is not in the image of 32 x 40'
expect_exit 3 koine autocorr "$work/first.png" --mask "$work/small.png"
expect_stderr 'first.png: is of 48 x 40 pixels, but the mask is of 32 x 40'
python '
def frame(name):
    return json.load(open(name))["frames"][0]
one = frame("one.json")
assert (one["width"], one["height"], one["max_offset"], one["r_max"], one["c1d"]) == (1, 1, 0, None, [[0, None, 0]]), one
flat = frame("flat.json")
assert flat["r_max"] is None and flat["r_min"] is None and all(v is None for r, v, n in flat["c1d"]), flat
assert all(abs(v - 1) < 1e-15 * (n + 2) for r, v, n in frame("flat_lu.json")["c1d"])
bright = frame("bright.json")["c1d"]
assert bright[0][:2] == [0, 1] and all(v == 0 for r, v, n in bright[1:]), bright
dtype, shape, values = arrays.load("board/board.c2d.npy")
assert (dtype, shape) == ("f8", (7, 13))
for y0 in range(7):
    for x0 in range(-6, 7):
        assert abs(values[13 * y0 + x0 + 6] - (-1) ** (x0 + y0)) < 1e-13
dtype, shape, values = arrays.load("cross/first.c2d.npy")
assert max(range(len(values)), key=values.__getitem__) == 3 * 17 + 8 - 5 and abs(max(values) - 1) < 1e-12
' "answers at the edges"

# ---- colours, kinds of files, masks and regions ----
expect_exit 0 koine autocorr "$work/grey.png" --exact -r 6 --json "$work/grey.json"
expect_empty stderr
for kind in rgb.png rgba.png palette.png; do
    expect_exit 0 koine autocorr "$work/$kind" --exact -r 6 --json "$work/$kind.json"
    expect_stderr "^koine autocorr: .*$kind is in colour: its grey is 0.299 red"
    expect_one_line
done
expect_exit 0 koine autocorr "$work/colour.png" -r 1 --method naive --sums "$work/colour.npy"
expect_exit 0 koine autocorr "$work/grey.png" --exact -r 6 --mask "$work/mask.png" --json "$work/mask.json"
expect_exit 0 koine autocorr "$work/grey.png" --exact -r 6 --region 3,2,12,10 --json "$work/region.json"
expect_exit 0 koine autocorr "$work/grey.png" --exact -r 6 --pixel 0.5,um --json "$work/um.json"
expect_stdout '^lengths in um, correlation pearson$'
python '
def curve(name, frame=0):
    return json.load(open(name))["frames"][frame]["c1d"]
def near(a, b, bound):
    return all(abs(p[1] - q[1]) <= bound for p, q in zip(a, b)) and len(a) == len(b)
grey = curve("grey.json")
for kind in "rgb.png", "rgba.png", "palette.png":
    assert curve(kind + ".json") == grey, kind
assert arrays.load("colour.npy")[2][1 + 3 - 3] == 76 * 76 + 150 * 150 + 29 * 29 + 255 * 255
assert near(curve("mask.json"), curve("region.json"), 1e-14)
pipeline = json.load(open("mask.json"))["pipeline"]
assert (pipeline["device_rings"] == pipeline["frames"]) == (pipeline["host_rings_why"] is None), pipeline
assert curve("mask.json") != grey
assert [[2 * r, v, n] for r, v, n in curve("um.json")] == grey
' "colours, files, masks"

# ---- standard input ----
expect_exit 0 koine autocorr - --exact -r 6 --json "$work/input.json" --output "$work/input" --quiet <"$work/grey.png"
[ -s "$work/input/stdin.c2d.npy" ] || fail "standard input has no stdin.c2d.npy"
expect_exit 0 koine autocorr "$work/first.png" --with - -r 8 --device host --sums "$work/with.npy" <"$work/second.png"
expect_exit 0 koine autocorr "$work/first.png" --with "$work/second.png" -r 8 --device host --sums "$work/with_file.npy"
cmp "$work/with.npy" "$work/with_file.npy" || fail "--with - has other sums than the file"
expect_exit 2 koine autocorr - --mask - <"$work/grey.png"
expect_stderr 'standard input \(-\) is named twice, but can be read only once'
expect_exit 3 koine autocorr - </dev/null
expect_stderr ' -: is empty; expected a PNG or TIFF image or a NumPy array'
python '
assert json.load(open("input.json"))["frames"][0]["c1d"] == json.load(open("grey.json"))["frames"][0]["c1d"]
' "standard input"

# ---- what is no image ----
expect_exit 3 koine autocorr "$work/truncated.png" --output "$work/none"
expect_stderr 'truncated.png: '
expect_exit 3 koine autocorr "$work/bomb.png"
expect_stderr 'bomb.png: an image of 1000000 x 1000000 pixels'
expect_exit 3 koine autocorr "$work/text.png"
expect_stderr 'text.png: expected a PNG or TIFF image or a NumPy array \(.npy\), but it begins with '
expect_one_line
expect_files "$work/none"

# ---- series ----
mkdir "$work/series"
python '
# Rings whose distance grows by half a pixel a frame: R_max(t) is a line.
import math
for i in range(6):
    length = 12 + i / 2
    rows = [[round(120 + 100 * math.cos(2 * math.pi * x / length) * math.cos(2 * math.pi * y / length)) for x in range(120)]
            for y in range(110)]
    images.png("series/%02d.png" % i, rows)
half = open("series/02.png", "rb").read()[:100]
open("series/02.png", "wb").write(half)
' "making a series"
expect_exit 3 koine autocorr "$work/series" -r 30 --interval 10 --pixel 2,um --output "$work/results" --json "$work/series.json"
expect_stderr '^koine autocorr: .*/series/02.png: '
expect_stderr '^koine autocorr: 1 of 6 frames failed; they are named above$'
expect_stdout '^growth, through the origin: R_max = '
expect_stdout '^growth, free: R_max = '
for name in 00 01 03 04 05; do
    for ending in c2d.npy c1d.csv c2d.png; do
        [ -s "$work/results/$name.$ending" ] || fail "$name.$ending is not there"
    done
done
[ ! -e "$work/results/02.c2d.npy" ] || fail "a frame that could not be read has a file"
grep -q R_max "$work/results/c1d.svg" || fail "c1d.svg does not mark R_max"
grep -q 'line through the origin' "$work/results/growth.svg" || fail "growth.svg has no line through the origin"
grep -q 'free line' "$work/results/growth.svg" || fail "growth.svg has no free line"
head -1 "$work/results/00.c1d.csv" | grep -q '^r_um,c1d,standard_error,count$' || fail "the head of 00.c1d.csv"
python '
result = json.load(open("series.json"))
frames = result["frames"]
assert [f["t"] for f in frames] == [0, 10, 30, 40, 50], frames
assert [f["file"][-6:] for f in result["failed"]] == ["02.png"] and result["failed"][0]["error"]
growth, t, r = result["growth"], [f["t"] for f in frames], [f["r_max"] for f in frames]
n = len(t)
slope = (n * sum(a * b for a, b in zip(t, r)) - sum(t) * sum(r)) / (n * sum(a * a for a in t) - sum(t) ** 2)
assert abs(growth["slope"] - slope) < 1e-9 * slope and growth["points"] == 5, (growth, slope)
assert abs(growth["intercept"] - (sum(r) - slope * sum(t)) / n) < 1e-9 * r[0]
assert abs(growth["origin"]["slope"] - sum(a * b for a, b in zip(t, r)) / sum(a * a for a in t)) < 1e-9
assert result["pipeline"]["frames"] == 5 and result["unit"] == "um"
assert result["seconds"]["read"] >= 0 and result["seconds"]["compute"] > 0
' "the series"

# Nothing is overwritten; equal names are refused; a series has one size, single frames need not.
expect_exit 3 koine autocorr "$work/series" -r 30 --output "$work/results"
expect_stderr '00.c2d.npy: already exists'
mkdir "$work/twin"
cp "$work/grey8.png" "$work/twin/first.png"
expect_exit 2 koine autocorr "$work/first.png" "$work/twin/first.png" --output "$work/twins"
expect_stderr 'first.png and .*first.png would both be written to first.c2d.npy'
[ ! -e "$work/twins" ] || fail "a refused run has made its folder"
expect_exit 3 koine autocorr "$work/first.png" "$work/small.png" "$work/second.png" -r 5 --interval 1 --json "$work/sizes.json"
expect_stderr 'small.png: is of 32 x 40 pixels, but the series begins with 48 x 40 \(.*/first.png\); all of a series'
expect_exit 0 koine autocorr "$work/first.png" "$work/small.png" "$work/second.png" -r 5 --json "$work/each.json"
python '
assert [f["t"] for f in json.load(open("sizes.json"))["frames"]] == [0, 2]
assert [f["width"] for f in json.load(open("each.json"))["frames"]] == [48, 32, 48]
' "frames of two sizes"

# JSON on standard output is alone there; the host's code without any device.
expect_exit 0 koine autocorr "$work/grey8.png" -r 5 --json -
python3 -m json.tool "$work/out" >"$work/pretty" || fail "standard output is not JSON"
expect_exit 0 without_devices "$KOINE" autocorr "$work/grey8.png" -r 5
expect_exit 0 koine autocorr "$work/grey8.png" -r 5 --device host
expect_empty stderr
expect_stdout '\(host\); seconds: '

# ---- every method ----
expect_exit 2 koine autocorr "$work/first.png" "$work/second.png" --variants
expect_stderr '--variants takes one image, and 2 frames were given'
expect_exit 0 koine autocorr "$work/first.png" -r 35 --variants --output "$work/variants" --json "$work/variants.json"
expect_stdout '^Seconds for all offsets up to R'
expect_stdout '^Speed-up over naive'
expect_stdout '^Speed-up of .* over the others'
python '
rows = json.load(open("variants.json"))["variants"]
assert {(r["method"], r["max_offset"]) for r in rows} >= {(m, o) for m in ("naive", "simd") for o in (16, 32, 35)}
assert all(r["seconds"] > 0 and r["differ"] == 0 for r in rows)
assert all(abs(r["speed_up"] - 1) < 1e-12 for r in rows if r["method"] == "naive")
' "every method"

# ---- TIFF, where it is read ----
need_tiff "$work/whole.tif"
for kind in whole tags; do
    expect_exit 0 koine autocorr "$work/$kind.tif" --exact -r 6 --json "$work/$kind.tif.json"
done
expect_empty stderr
expect_exit 0 koine autocorr "$work/real.tif" -r 6 --json "$work/real.json"
expect_stderr 'real.tif has numbers other than integers from 0 to 65535: each such frame is scaled'
expect_exit 3 koine autocorr "$work/nan.tif"
expect_stderr 'nan.tif: pixel \(0, 0\) is nan, expected finite numbers'
expect_exit 0 koine autocorr "$work/stack8.tif" "$work/stack16.tif" --exact -r 6 --json "$work/stack.json" --sums "$work/stack.npy"
expect_exit 0 koine autocorr - --exact -r 6 --device host --json "$work/stack_input.json" <"$work/stack8.tif"
expect_exit 3 koine autocorr "$work/bits.tif"
expect_stderr 'bits.tif: '
python '
def curve(name, frame=0):
    return json.load(open(name))["frames"][frame]["c1d"]
grey = curve("grey.json")
for kind in "whole.tif", "tags.tif":
    assert curve(kind + ".json") == grey, kind
assert all(abs(p[1] - q[1]) <= 1e-4 for p, q in zip(curve("real.json"), grey))
assert curve("stack.json", 1) == grey
stack = json.load(open("stack.json"))
assert [f["page"] for f in stack["frames"]] == [1, 2, 3, 1, 2]
assert arrays.load("stack.npy")[1] == (5, 7, 13)
assert [curve("stack_input.json", i) for i in range(3)] == [curve("stack.json", i) for i in range(3)]
' "stacks and kinds of TIFF"
