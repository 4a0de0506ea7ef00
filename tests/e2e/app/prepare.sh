#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `koine prepare`, and the same options of koine autocorr: a moved copy is aligned, specks are removed, steps are written as pictures.
. "${srcdir:-.}/tests/e2e/lib.sh"
command -v python3 >/dev/null || skip python3 "python3 is not installed"
sources=$(cd "${srcdir:-.}" && pwd)

python()
{
    (cd "$work" && PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$sources/tests/e2e python3 -c "import images, json, math
$1") || fail "python: $2"
}

# ---- what is refused ----
expect_exit 2 koine prepare
expect_stderr 'expected IMAGE, a file or a folder'
expect_exit 2 koine prepare "$work/a.png"
expect_stderr 'expected --output DIR'
for contrast in x 1 2,1 1,2,3 1,inf; do
    expect_exit 2 koine prepare "$work/a.png" --output "$work/no" --contrast "$contrast"
    expect_stderr "--contrast: '$contrast' is neither auto nor LO,HI"
done
expect_exit 2 koine prepare "$work/a.png" --output "$work/no" --crop 1,2,3
expect_exit 2 koine autocorr "$work/a.png" --steps
expect_stderr '--steps writes pictures; it needs --output DIR'
[ ! -e "$work/no" ] || fail "a refused run has made its folder"

# ---- frames: a picture, the same moved by (5, -3), and with specks; one in colour; one of another size ----
python '
def level(x, y):
    return 128 + 16 * math.cos(x / 3.1 + 0.3 * math.sin(y / 7)) * math.cos(y / 4.3) + 9 * math.sin((x * x + 3 * y) / 900)
def frame(dx, dy, width=120, height=100):
    return [[round(level(x - dx, y - dy)) for x in range(width)] for y in range(height)]
images.png("a.png", frame(0, 0))
images.png("b.png", frame(5, -3))
specks = frame(0, 0)
dust = [[0] * 120 for _ in range(100)]
for x, y in (30, 40), (70, 22), (90, 80):
    for j in range(3):
        for i in range(3):
            specks[y + j][x + i] = 255 if x == 70 else 0
            dust[y + j][x + i] = 255
images.png("specks.png", specks)
images.png("dust.png", dust)
images.png("colour.png", [[v for g in row for v in (g, g, g)] for row in frame(0, 0)], colour=2)
images.png("small.png", frame(0, 0, 50, 40))
images.png("other.png", [[128 + round(60 * math.sin((71 * x * x + 31 * x * y + 97 * y * y) % 1013)) for x in range(120)] for y in range(100)])
' "making the frames"

# gaps A B MOST SHARE: the pixels of two written pictures differ by more than MOST levels in SHARE of them at most.
gaps()
{
    python "
import struct, zlib
def read(name):
    data, at, idat = open(name, 'rb').read(), 8, b''
    while at < len(data):
        length, kind = struct.unpack('>I4s', data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        if kind == b'IHDR':
            width, height, bits, colour = struct.unpack('>IIBB', body[:10])
        if kind == b'IDAT':
            idat += body
        at += 12 + length
    assert (bits, colour) == (8, 0), (bits, colour)
    raw, rows, before = zlib.decompress(idat), [], [0] * (width + 1)
    for y in range(height):
        kind, line = raw[y * (width + 1)], raw[y * (width + 1) + 1:(y + 1) * (width + 1)]
        row = [0]
        for x, v in enumerate(line):
            a, b, c = row[x], before[x + 1], before[x]
            p = a + b - c
            paeth = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
            row.append((v + (0, a, b, (a + b) // 2, paeth)[kind]) % 256)
        rows.append(row[1:])
        before = row
    return rows
a, b = read('$1'), read('$2')
assert (len(a), len(a[0])) == (len(b), len(b[0])), (len(a), len(a[0]), len(b), len(b[0]))
worse = sum(abs(p - q) > $3 for r, s in zip(a, b) for p, q in zip(r, s))
print('$1 $2', worse)
assert worse <= $4 * len(a) * len(a[0]), worse
" "$1 and $2 differ"
}

expect_exit 0 koine prepare "$work/a.png" "$work/b.png" --stabilise --crop 10,10,100,80 --output "$work/still" \
    --json "$work/still.json"
expect_files "$work/still" a.png b.png
expect_stdout 'moved x +y +certainty'
expect_stdout "^b +100 x 80 +5\.000 +-3\.000 +1[0-9]\.[0-9] "
gaps still/a.png still/b.png 1 0
python '
frames = json.load(open("still.json"))["frames"]
assert frames[0]["shift"] == [0, 0] and frames[1]["shift"] == [5, -3], frames
assert all((f["width"], f["height"]) == (100, 80) for f in frames)
assert all(10 < f["certainty"] < 100 for f in frames), frames
' "the shifts"
expect_exit 0 koine prepare "$work/a.png" "$work/specks.png" "$work/colour.png" --grey --output "$work/plain"
expect_empty stderr
gaps plain/a.png a.png 0 0
gaps plain/a.png plain/colour.png 0 0
expect_exit 0 koine prepare "$work/colour.png" --output "$work/colour"
expect_stderr 'colour.png is in colour: its grey is'
for dust in auto "$work/dust.png"; do
    expect_exit 0 koine prepare "$work/specks.png" --dust "$dust" --output "$work/clean" --force --json "$work/clean.json" --force
    gaps clean/specks.png a.png 30 0.0005
    python '
assert json.load(open("clean.json"))["frames"][0]["dust_pixels"] >= 27
' "the dust"
done
expect_exit 0 koine prepare "$work/a.png" --flatten 30 --dust auto --contrast 40,200 --crop 0,0,60,50 --steps --output "$work/steps"
expect_files "$work/steps" a.1-grey.png a.3-flattened.png a.4-mended.png a.5-contrast.png a.6-cropped.png a.png
gaps steps/a.6-cropped.png steps/a.png 0 0
gaps steps/a.1-grey.png a.png 0 0
expect_exit 3 koine prepare "$work/a.png" --steps --output "$work/steps"
expect_stderr 'a.png: already exists'

# ---- a frame of another size; a region that is not there ----
expect_exit 3 koine prepare "$work/a.png" "$work/small.png" "$work/b.png" --stabilise --output "$work/sizes"
expect_stderr 'small.png: is of 50 x 40 pixels, but .*a.png, against which it is stabilised, of 120 x 100'
expect_stderr '1 of 3 frames failed; they are named above'
expect_files "$work/sizes" a.png b.png

# ---- a frame that has nothing in common with the first: named, and left out; also by autocorr ----
expect_exit 3 koine prepare "$work/a.png" "$work/other.png" "$work/b.png" --stabilise --output "$work/unrelated"
expect_stderr 'other.png: cannot be stabilised against .*a.png: the peak of their correlation stands [0-9.]+ standard deviations'
expect_stderr '1 of 3 frames failed; they are named above'
expect_files "$work/unrelated" a.png b.png
expect_exit 3 koine autocorr "$work/a.png" "$work/other.png" "$work/b.png" --stabilise -r 20 --device host \
    --json "$work/unrelated.json"
expect_stderr 'other.png: cannot be stabilised against'
expect_stdout '^stabilised: moved by 5\.831 pixels at most, the least certainty 1[0-9]\.[0-9]$'
python '
series = json.load(open("unrelated.json"))
assert [f["file"][-5:] for f in series["frames"]] == ["a.png", "b.png"] and series["frames"][0]["prepared"]["certainty"] > 10, series["frames"]
' "autocorr of unrelated frames"

expect_exit 2 koine prepare "$work/small.png" --crop 0,0,60,10 --output "$work/none"
expect_stderr 'small.png: cannot be cropped to 60 x 10 pixels at \(0, 0\): it is of 50 x 40'

# ---- the same in autocorr: it sees what prepare has written ----
expect_exit 0 koine autocorr "$work/b.png" --flatten 30 --crop 10,10,100,80 -r 20 --exact --steps --output "$work/both" \
    --json "$work/both.json"
expect_exit 0 koine prepare "$work/b.png" --flatten 30 --crop 10,10,100,80 --output "$work/first"
expect_exit 0 koine autocorr "$work/first/b.png" -r 20 --exact --json "$work/then.json"
for step in 1-grey 3-flattened 6-cropped; do
    [ -s "$work/both/b.$step.png" ] || fail "autocorr --steps has not written $step"
done
python '
a, b = (json.load(open(name))["frames"][0]["c1d"] for name in ("both.json", "then.json"))
assert a == b
' "autocorr with preparation"
