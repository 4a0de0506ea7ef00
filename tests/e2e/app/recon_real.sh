#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `koine recon` on measured and published data: the spiral scan of a brain (adjoint and 60 iterations of least squares
# compared with double precision, and as pictures), and Parboil's mri-q compared with its published result.
. "${srcdir:-.}/tests/e2e/lib.sh"
command -v python3 >/dev/null || skip python3 "python3 is not installed"
sources=$(cd "${srcdir:-.}" && pwd)
need_data mri/impatient-64x64x1/ksp.cfl
need_device
brain=$data/mri/impatient-64x64x1
scan="$brain/ksp --trajectory $brain/traj"
lambda=187.307 # 1e-3 of the circulant's greatest eigenvalue, as the reference has it

# A kernel of each family; all of them have unit tests.
for kernel in tuned register host-single; do
    # shellcheck disable=SC2086
    expect_exit 0 koine recon $scan --solver adjoint --kernel $kernel --reference "$brain/ref_fhd" --reference-scale none \
        -o "$work/fhd_$kernel.npy" --json "$work/fhd_$kernel.json"
    expect_stdout '^k in cycles per field of view: kx -31.4961 to 31.9067, '
    # shellcheck disable=SC2086
    expect_exit 0 koine recon $scan -n 60 --lambda $lambda --kernel $kernel --reference "$brain/ref_cg" \
        -o "$work/cg_$kernel.npy" --json "$work/cg_$kernel.json"
done
# shellcheck disable=SC2086
expect_exit 0 koine recon $scan -n 60 --lambda 0.001 --relative-lambda --reference "$brain/ref_cg" -o "$work/ls.png" \
    --json "$work/relative.json"
# shellcheck disable=SC2086
expect_exit 0 koine recon $scan --solver gridding --reference "$brain/ref_fhd" --reference-scale none -o "$work/grid.npy" \
    --json "$work/grid.json"
# shellcheck disable=SC2086
expect_exit 0 koine recon $scan --solver gridding --density pipe -o "$work/grid.png"

need_data mri/parboil-mri-q-small/32_32_32_dataset.bin
parboil=$data/mri/parboil-mri-q-small/32_32_32_dataset
expect_exit 2 koine recon "$parboil.bin" -o "$work/no.npy"
expect_stderr "Parboil's mri-q has no data to reconstruct from; compute its Q with --solver adjoint"
expect_exit 2 koine recon "$parboil.bin" --solver adjoint --matrix 32,32,32 -o "$work/no.npy"
expect_exit 2 koine recon "$parboil.bin" --solver adjoint -o "$work/no.png"
for kernel in tuned constant; do
    expect_exit 0 koine recon "$parboil.bin" --solver adjoint --parboil published --kernel $kernel -o "$work/q_$kernel.npy"
    expect_stdout ' to 32768 voxels anywhere$'
done
for kernel in tuned host-double; do
    expect_exit 0 koine recon "$parboil.bin" --solver adjoint --parboil true --kernel $kernel -o "$work/true_$kernel.npy"
    expect_stdout ' to 32 x 32 x 32 voxels \(by its voxels\)$'
done

(cd "$work" && PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$sources/tests/e2e python3 - "$parboil.out" <<'PYTHON') || fail "the answers are wrong"
import arrays, json, math, struct, sys

def report(name):
    return json.load(open(name + ".json"))

def distance(x, y):
    return math.sqrt(sum(abs(a - b) ** 2 for a, b in zip(x, y)) / sum(abs(b) ** 2 for b in y))

for kernel in "tuned", "register", "host-single":
    assert report("fhd_" + kernel)["error_percent"] < 5e-4, report("fhd_" + kernel)["error_percent"]
    assert report("cg_" + kernel)["error_percent"] < 0.1, report("cg_" + kernel)["error_percent"]
relative = report("relative")
assert relative["error_percent"] < 0.1 and abs(relative["lambda"] - 187.307) < 0.01, relative["lambda"]
# Twice the table's 2.7e-6 (gridding.h).
assert report("grid")["error_percent"] < 5.4e-4, report("grid")["error_percent"]

data = open(sys.argv[1], "rb").read()
count, = struct.unpack("<I", data[:4])
parts = struct.unpack("<%df" % (2 * count), data[4:])
q = [complex(*pair) for pair in zip(parts[:count], parts[count:])]
highest = max(max(map(abs, parts[:count])), max(map(abs, parts[count:])))
for kernel in "tuned", "constant":
    dtype, shape, found = arrays.load("q_%s.npy" % kernel)
    assert (dtype, shape) == ("c8", (32768,)), (dtype, shape)
    # The benchmark's own tolerance: 1e-4 of the greatest, or 0.2 % of each.
    for a, b in zip(found, q):
        for x, y in (a.real, b.real), (a.imag, b.imag):
            assert abs(x - y) <= max(1e-4 * highest, 2e-3 * abs(y)), (x, y)
    assert distance(found, q) < 5e-6, distance(found, q)
assert arrays.load("true_tuned.npy")[1] == (32, 32, 32)
assert distance(arrays.load("true_tuned.npy")[2], arrays.load("true_host-double.npy")[2]) < 5e-6
PYTHON
