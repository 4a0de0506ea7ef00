#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `koine project`: sinograms and backprojections, on a device and on the host, compared with sums in Python; pictures; refusals.
. "${srcdir:-.}/tests/e2e/lib.sh"
command -v python3 >/dev/null || skip python3 "python3 is not installed"
sources=$(cd "${srcdir:-.}" && pwd)
geometry=parallel:6,13,9,5.75

(cd "$work" && PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$sources/tests/e2e python3 - <<'PYTHON') || fail "making the files"
import arrays, random
random.seed(31)
arrays.save("picture.npy", "f8", [random.gauss(0, 1) for _ in range(81)], (9, 9))
arrays.save("sinogram.npy", "f4", [random.gauss(0, 1) for _ in range(78)], (6, 13))
PYTHON

expect_exit 2 koine project $geometry "$work/picture.npy"
expect_stderr 'expected -o'
expect_exit 2 koine project $geometry -o "$work/no.npy"
expect_exit 2 koine project parallel:6,13 "$work/picture.npy" -o "$work/no.npy"
expect_stderr 'parallel:ANGLES,DETECTORS,SIZE'
expect_exit 2 koine project parallel:6,13,9,99 "$work/picture.npy" -o "$work/no.npy"
expect_stderr 'axis of rotation is at detector 99'
expect_exit 2 koine project $geometry "$work/picture.npy" -o "$work/no.txt"
expect_exit 3 koine project $geometry "$work/sinogram.npy" -o "$work/no.npy"
expect_stderr 'sinogram.npy: an array of 6 x 13; the geometry expects 9 x 9'
expect_exit 3 koine project $geometry "$work/none.png" -o "$work/no.npy"
[ ! -e "$work/no.npy" ] || fail "a refusal left a file"

expect_exit 0 koine project $geometry "$work/picture.npy" -o "$work/a.host.npy" --device host --json "$work/host.json"
expect_stdout 'a sinogram of 9 x 9 pixels, 6 projections of 13 detectors, axis at 5.75, on-the-fly on '
expect_exit 0 koine project $geometry "$work/sinogram.npy" --transpose -o "$work/t.host.npy" --device host
expect_exit 3 koine project $geometry "$work/picture.npy" -o "$work/a.host.npy" --device host
expect_stderr 'is there already|exists|--force'

# koine solve takes the sinogram as it is written, and as one column.
(cd "$work" && PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$sources/tests/e2e python3 -c '
import arrays
arrays.save("flat.npy", "f8", arrays.load("a.host.npy")[2], (78,))') || fail "making flat.npy"
for b in a.host flat; do
    expect_exit 0 koine solve $geometry "$work/$b.npy" -n 5 --device host -o "$work/x.$b.npy"
done
cmp -s "$work/x.a.host.npy" "$work/x.flat.npy" || fail "a sinogram in rows is solved otherwise than as one column"

# --angles and --offset: even angles and an axis, told in another way; every second projection; a column of text; refusals.
(cd "$work" && PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$sources/tests/e2e python3 -c '
import arrays
arrays.save("even.npy", "f8", [30.0 * t for t in range(6)], (6,))
arrays.save("nan.npy", "f8", [0, 1, 2, float("nan"), 4, 5], (6,))
open("odd.txt", "w").write("30\n90\n150\n")
open("two.txt", "w").write("1 2\n3 4\n5 6\n")') || fail "making angles"
expect_exit 0 koine project parallel:6,13,9 "$work/picture.npy" --offset 0.25 --angles "$work/even.npy" -o "$work/same.npy" \
    --device host
expect_stdout 'axis at 5.75'
expect_exit 0 koine project parallel:3,13,9 "$work/picture.npy" --offset 0.25 --angles "$work/odd.txt" -o "$work/odd.npy" --device host
(cd "$work" && PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$sources/tests/e2e python3 -c '
import arrays
wanted, same, odd = (arrays.load(name)[2] for name in ("a.host.npy", "same.npy", "odd.npy"))
assert max(abs(a - b) for a, b in zip(wanted, same)) < 1e-12
assert all(abs(odd[i] - wanted[(2 * (i // 13) + 1) * 13 + i % 13]) < 1e-12 for i in range(39))
assert max(map(abs, odd)) > 1') || fail "angles or the offset are wrong"
for method in cgnr fbp; do
    expect_exit 0 koine solve $geometry "$work/a.host.npy" --method $method -n 5 --device host -o "$work/y.$method.npy"
    expect_exit 0 koine solve parallel:6,13,9 "$work/a.host.npy" --method $method -n 5 --device host --offset 0.25 \
        --angles "$work/even.npy" -o "$work/z.$method.npy"
done
(cd "$work" && PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$sources/tests/e2e python3 -c '
import arrays
for method in ("cgnr", "fbp"):
    y, z = (arrays.load(f"{name}.{method}.npy")[2] for name in "yz")
    assert max(abs(a - b) for a, b in zip(y, z)) < 1e-9 * max(map(abs, y))') || fail "angles or the offset do not solve"
refused() # STATUS WORDS OPTIONS...: and no file
{
    status=$1 words=$2
    shift 2
    expect_exit "$status" koine project parallel:6,13,9 "$work/picture.npy" "$@" -o "$work/no.npy"
    expect_stderr "$words"
    expect_exit "$status" koine solve parallel:6,13,9 "$work/a.host.npy" "$@" -o "$work/no.npy"
    expect_stderr "$words"
    [ ! -e "$work/no.npy" ] || fail "a refusal left a file"
}
refused 3 'odd.txt: has 3 angles, but the geometry 6 projections' --angles "$work/odd.txt"
refused 3 'nan.npy: element 3 is nan' --angles "$work/nan.npy"
refused 3 'two.txt: has 2 columns' --angles "$work/two.txt"
refused 3 'missing.npy' --angles "$work/missing.npy"
refused 2 "'x' is not a number of detectors" --offset x
refused 2 'axis of rotation is at detector' --offset 99
expect_exit 2 koine project $geometry "$work/picture.npy" --offset 1 -o "$work/no.npy"
expect_stderr "leave out ',5.75'"

# A fan, flat and curved: on the host and devices (below); the offset instead of AXIS; the same angles, told; refusals.
fan=fan:8,13,9,15,6
expect_exit 0 koine project $fan,5.75 "$work/picture.npy" -o "$work/fan.flat.host.npy" --device host --json "$work/fan.json"
expect_stdout 'axis at 5.75, flat detectors 6 behind and the source 15 before it, on-the-fly on '
(cd "$work" && PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$sources/tests/e2e python3 -c '
import arrays
arrays.save("turn.npy", "f8", [45.0 * t - 720 for t in range(8)], (8,))
open("near.txt", "w").write("".join(f"{5 * t}\n" for t in range(8)))') || fail "making angles"
for detector in flat curved; do
    expect_exit 0 koine project $fan "$work/picture.npy" --detector $detector --offset 0.25 --angles "$work/turn.npy" \
        -o "$work/fan.$detector.told.npy" --device host
done
expect_exit 0 koine solve $fan "$work/fan.curved.told.npy" --detector curved --offset 0.25 -n 200 --device host -o "$work/fan.x.npy"
expect_stdout '104 x 81, rays of a fan; cgnr'
refused_fan() # WORDS OPTIONS...: with 2, and no file
{
    words=$1
    shift
    expect_exit 2 koine project "$@" "$work/picture.npy" -o "$work/no.npy"
    expect_stderr "$words"
    expect_exit 2 koine solve "$@" "$work/fan.flat.host.npy" -o "$work/no.npy"
    expect_stderr "$words"
    [ ! -e "$work/no.npy" ] || fail "a refusal left a file"
}
for detector in flat curved; do
    expect_exit 0 koine solve $fan "$work/fan.$detector.told.npy" --method fbp --detector $detector --offset 0.25 --filter hann \
        --angles "$work/turn.npy" --device host -o "$work/filtered.$detector.npy"
done
expect_exit 3 koine solve $fan "$work/fan.flat.host.npy" --method fbp --angles "$work/near.txt" --device host -o "$work/no.npy"
expect_stderr 'near.txt: .*none in the 325 degrees after projection 7'
refused_fan 'the source is inside the object: 7 pixels' fan:8,13,9,7,6
refused_fan 'expected fan:ANGLES,DETECTORS,SIZE,SOURCE,DETECTOR' fan:8,13,9
refused_fan "'round' is not one of flat, curved" $fan --detector round
refused_fan 'is for fan:' parallel:8,13,9 --detector flat
refused_fan 'curved detectors from' fan:8,40,9,8,-4 --detector curved
refused_fan 'axis of rotation is at detector 99' $fan,99
refused_fan "leave out ',5.75'" $fan,5.75 --offset 1

# A picture in grey, by way of a picture: 8 bits of the first are levels of the second.
expect_exit 0 koine project $geometry "$work/sinogram.npy" --transpose -o "$work/p.png" --device host
expect_exit 0 koine project $geometry "$work/p.png" -o "$work/a.png.npy" --device host

need_device
for format in auto on-the-fly on-the-fly+local-memory sell; do
    expect_exit 0 koine project $geometry "$work/picture.npy" --format $format -o "$work/a.$format.npy"
    expect_exit 0 koine project $geometry "$work/sinogram.npy" --format $format --transpose -o "$work/t.$format.npy" \
        --json "$work/$format.json"
done
for detector in flat curved; do
    expect_exit 0 koine project $fan,5.75 "$work/picture.npy" --detector $detector -o "$work/fan.$detector.device.npy"
done
expect_exit 2 koine project $fan "$work/picture.npy" --format on-the-fly+local-memory -o "$work/no.npy"
expect_stderr 'a fan beam has on-the-fly'
(cd "$work" && PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$sources/tests/e2e python3 - <<'PYTHON') || fail "a fan's answers are wrong"
import arrays, glob, json, math
picture = arrays.load("picture.npy")[2]
for curved in (False, True):
    wanted = []
    for t in range(8):
        theta = math.pi * t / 4
        for k in range(13):
            u = k - 5.75
            across, along = (21 * math.sin(u / 21), 21 * math.cos(u / 21)) if curved else (u, 21)
            source = 4 - 15 * math.sin(theta), 4 + 15 * math.cos(theta)
            way = (along * math.sin(theta) + across * math.cos(theta), across * math.sin(theta) - along * math.cos(theta))
            walk = int(abs(way[1]) >= abs(way[0]))
            total = 0
            for i in range(9):
                at = source[1 - walk] + (i - source[walk]) / way[walk] * way[1 - walk]
                for j in range(9):
                    pixel = picture[i * 9 + j if walk else j * 9 + i]
                    total += max(0, 1 - abs(j - at)) * pixel
            wanted.append(total * math.hypot(*way) / abs(way[walk]))
    files = glob.glob("fan.curved.*.npy" if curved else "fan.flat.*.npy")
    assert len(files) == (2 if curved else 3), files
    for path in files:
        kind, shape, found = arrays.load(path)
        assert tuple(shape) == (8, 13), (path, shape)
        bound = 2e-5 if "device" in path else 1e-12  # as below
        assert all(abs(a - b) <= bound for a, b in zip(found, wanted)), path
found = arrays.load("fan.x.npy")[2]
assert sum((a - b) ** 2 for a, b in zip(found, picture)) < 0.3 * sum(b * b for b in picture)  # 104 equations, of rank 81
assert json.load(open("fan.json"))["geometry"] == {
    "angles": 8, "detectors": 13, "size": 9, "axis": 5.75, "source": 15.0, "detector": 6.0, "shape": "flat"}
PYTHON
(cd "$work" && PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$sources/tests/e2e python3 - <<'PYTHON') || fail "the answers are wrong"
import arrays, glob, json, math
picture, sinogram = arrays.load("picture.npy")[2], arrays.load("sinogram.npy")[2]
wanted = {"a": [0.0] * 78, "t": [0.0] * 81}
for t in range(6):
    c, s = math.cos(math.pi * t / 6), math.sin(math.pi * t / 6)
    m = max(abs(c), abs(s))
    for y in range(9):
        for x in range(9):
            u = 5.75 + (x - 4) * c + (y - 4) * s
            for k in range(13):
                weight = max(0, 1 - abs(k - u) / m) / m
                wanted["a"][t * 13 + k] += weight * picture[y * 9 + x]
                wanted["t"][y * 9 + x] += weight * sinogram[t * 13 + k]
for name, shape in (("a", (6, 13)), ("t", (9, 9))):
    files = glob.glob(name + ".*.npy")
    for path in files:
        if path == "a.png.npy":
            continue
        kind, found_shape, found = arrays.load(path)
        assert tuple(found_shape) == shape, (path, found_shape)
        bound = 1e-13 if "host" in path else 2e-5  # 18 weights and sums of about 5, each a few 2^-23
        assert all(abs(a - b) <= bound for a, b in zip(found, wanted[name])), path
    assert len(files) == (6 if name == "a" else 5), files
assert max(arrays.load("a.png.npy")[2]) > 255
for name in ("on-the-fly", "on-the-fly+local-memory", "sell", "host"):
    report = json.load(open(name + ".json"))
    assert report["format"] == ("on-the-fly" if name == "host" else name), report
    assert report["transposed"] == (name != "host") and report["precision"] == ("double" if name == "host" else "float")
    assert report["geometry"] == {"angles": 6, "detectors": 13, "size": 9, "axis": 5.75}
assert json.load(open("auto.json"))["format"].startswith("on-the-fly")
PYTHON
