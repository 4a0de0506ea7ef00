#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `koine recon`: from the phantom's k-space back to the phantom, by each solver and kernel; what is written, printed
# and refused. 32 x 32 voxels hold only a band of the phantom's edges: the best image has an error of 23 % (128 x 128: 9 %),
# by least squares and by gridding, so that a limit of 27 % detects a wrong scale, sign or order, which give 70 % and more.
# Whether a kernel is right is judged by its distance from host-double.
. "${srcdir:-.}/tests/e2e/lib.sh"
command -v python3 >/dev/null || skip python3 "python3 is not installed"
sources=$(cd "${srcdir:-.}" && pwd)

# ---- what is wrong before anything is read ----
expect_exit 2 koine recon
expect_stderr 'expected INPUT, a scan'
expect_exit 2 koine recon "$work/k"
expect_stderr 'expected -o OUT, for the image'
expect_exit 2 koine recon "$work/k" more -o "$work/no.npy"
expect_exit 2 koine recon "$work/k" -o "$work/no.jpg"
expect_stderr 'no.jpg: expected a name that ends in .cfl, .npy, .nii, .tif or .png'
expect_exit 2 koine recon "$work/k" -o "$work/no.npy" --kernel fast
expect_stderr "^koine recon: --kernel: 'fast' is not one of naive, register, .*, host-single$"
expect_exit 2 koine recon "$work/k" -o "$work/no.npy" --solver cg
expect_exit 2 koine recon "$work/k" -o "$work/no.npy" --adjoint separable --kernel naive
expect_stderr '--adjoint separable: the kernel naive computes direct sums; use --kernel tuned, host-double or '
expect_exit 2 koine recon "$work/k" -o "$work/no.npy" --adjoint separable --solver gridding
expect_stderr '--adjoint separable needs --solver ls or adjoint'
expect_exit 2 koine recon "$work/k" --adjoint separable --variants
expect_stderr '--adjoint: --variants runs only the kernels of direct sums'
expect_exit 2 koine recon "$work/k" -o "$work/no.npy" --adjoint nufft --nufft-tolerance 2
expect_stderr '--nufft-tolerance: 2 is not from 1e-6 .* to 0.1'
for options in '--adjoint direct' '--adjoint cartesian' '--kernel host-double' '--solver gridding'; do
    # shellcheck disable=SC2086
    expect_exit 2 koine recon "$work/k" -o "$work/no.npy" --nufft-tolerance 1e-4 $options
    expect_stderr '--nufft-tolerance needs --adjoint nufft, or auto without --kernel'
done
expect_exit 2 koine recon "$work/k" -o "$work/no.npy" --adjoint nufft --kernel naive
expect_stderr '--adjoint nufft: the kernel naive computes direct sums; use --kernel tuned, host-double or '
expect_exit 2 koine recon "$work/k" -o "$work/no.npy" --matrix 32
for option in lambda tolerance oversampling nufft-tolerance; do
    for value in x -1 nan 1x; do
        expect_exit 2 koine recon "$work/k" -o "$work/no.npy" "--$option" "$value"
        expect_stderr "--$option: '$value' is not a number of at least "
    done
done
expect_exit 2 koine recon "$work/k" -o "$work/no.npy" --solver gridding --width 9
expect_exit 2 koine recon "$work/k" -o "$work/no.npy" --width 4
expect_stderr '--oversampling and --width need --solver gridding'
expect_exit 2 koine recon "$work/k" -o "$work/no.npy" --output "$work/dir"
expect_stderr '--output needs --variants'
expect_exit 2 koine recon "$work/k.npy" -o "$work/no.npy"
expect_stderr 'k.npy contains no trajectory: expected --trajectory FILE'

# ---- the scan ----
expect_exit 0 koine trajectory radial --samples 64 --spokes 51 --matrix 32 -o "$work/t"
expect_exit 0 koine phantom --matrix 32,32 --kspace "$work/t" -o "$work/k"
expect_exit 0 koine phantom --matrix 32,32 -o "$work/p.npy"
scan="$work/k --trajectory $work/t"

# The reference: everything in double precision on the host.
# shellcheck disable=SC2086
expect_exit 0 koine recon $scan --kernel host-double --reference "$work/p.npy" -o "$work/double.npy" \
    --json "$work/double.json"
expect_stdout '^recon: 3264 samples of .*/k, 1 coil, to 32 x 32 voxels \(by the trajectory.s range\)$'
expect_stdout '^k in cycles per field of view: kx -16 to '
expect_stdout '^F x = sum of x exp\(-i 2 pi k.r\) over voxels, .*; scale none, basis delta, density none$'
expect_stdout '^memory: about [0-9.]+ MB on the host$'
expect_stdout '^adjoint check: .* at 3264 samples; rounding explains up to '
expect_stdout '^F.H d: .* terms .voxels x samples., .* GFLOP/s; loads from off-chip memory, by estimate: .* numbers, '
expect_stdout '^solver: 20 iterations, '
expect_stdout '^against .*/p.npy: error [0-9.]+ %, PSNR '
expect_stdout "^written to $work/double.npy$"
expect_empty stderr
# F^H d as a product of matrices; and with Q where nobody says how, with the reason.
# shellcheck disable=SC2086
expect_exit 0 koine recon $scan --kernel host-double --adjoint separable --solver adjoint --density ramp \
    -o "$work/separable.npy" --json "$work/separable.json"
expect_stdout '^F.H d separable: asked for$'
# By a NUFFT, whose error is looked at and printed; its tolerance is the kernel's precision at least.
# shellcheck disable=SC2086
expect_exit 0 koine recon $scan --kernel host-double --adjoint nufft --nufft-tolerance 1e-7 --solver adjoint \
    --density ramp -o "$work/nufft.npy" --json "$work/nufft.json"
expect_stdout '^F.H d nufft: asked for, to 1e-07$'
expect_stdout '^NUFFT: error [0-9.]+e-(08|09) against the exact sum at 64 voxels; tolerance 1e-07$'
# shellcheck disable=SC2086
expect_exit 2 koine recon $scan --kernel host-single --adjoint nufft --nufft-tolerance 1e-7 -o "$work/no.npy"
expect_stderr "a NUFFT's tolerance of 1e-07; expected 1e-06 to 0.1 with the kernel host-single"
# With a tolerance, where nobody says how, the NUFFT is one of three.
# shellcheck disable=SC2086
expect_exit 0 koine recon $scan --device host --nufft-tolerance 1e-3 --iterations 1 -o "$work/three.npy"
expect_stdout '^F.H d and Q [a-z]+: about [0-9.e+-]+ s by estimate, .*(nufft|separable) [0-9.e+-]+ s$'
# A Cartesian scan is recognised; another one is refused that method; and there is another way for it.
expect_exit 0 koine trajectory cartesian --matrix 32 --samples 32 -o "$work/lines"
expect_exit 0 koine phantom --matrix 32,32 --kspace "$work/lines" -o "$work/lines_k"
lines="$work/lines_k --trajectory $work/lines --device host --precision double"
# shellcheck disable=SC2086
expect_exit 0 koine recon $lines -o "$work/lines.npy" --json "$work/lines.json"
expect_stdout '^F.H d and Q cartesian: all samples lie on the grid$'
# shellcheck disable=SC2086
expect_exit 0 koine recon $lines --adjoint separable -o "$work/lines_sum.npy" --json "$work/lines_sum.json"
# shellcheck disable=SC2086
expect_exit 2 koine recon $scan --kernel host-double --adjoint cartesian -o "$work/no.npy"
expect_stderr 'is not on the grid of whole cycles per field of view'
# shellcheck disable=SC2086
expect_exit 0 koine recon $scan --device host -o "$work/chosen.npy" --json "$work/chosen.json"
expect_stdout '^F.H d and Q separable: about [0-9.e+-]+ s by estimate, direct [0-9.e+-]+ s$'
# shellcheck disable=SC2086
expect_exit 0 koine recon $scan --kernel host-double --solver adjoint --density ramp -o "$work/ramp.npy" \
    --reference "$work/p.npy" --json "$work/ramp.json"
# shellcheck disable=SC2086
expect_exit 0 koine recon $scan --device host --reference "$work/double.npy" -o "$work/host.npy" \
    --json "$work/host.json"
# shellcheck disable=SC2086
expect_exit 0 without_devices "$KOINE" recon $scan --quiet -o "$work/none.cfl"
expect_stderr "the host's own code computes"
expect_stdout '^ls by host-single on .*\(host\)'
# shellcheck disable=SC2086
expect_exit 4 koine recon $scan --device host --kernel tuned -o "$work/no.npy"
expect_stderr '--kernel tuned runs on a device, but there is none'
# shellcheck disable=SC2086
expect_exit 4 koine recon $scan --device host --solver gridding -o "$work/no.npy"
# shellcheck disable=SC2086
expect_exit 4 koine recon $scan --device no-such-device -o "$work/no.npy"

# ---- precision and policy: what is named runs, or is refused ----
# shellcheck disable=SC2086
expect_exit 2 koine recon $scan --precision double --kernel tuned -o "$work/no.npy"
expect_stderr '--precision double: the kernel tuned computes in single precision; use --kernel host-double'
# shellcheck disable=SC2086
expect_exit 2 koine recon $scan --precision float --kernel host-double -o "$work/no.npy"
expect_stderr '--precision float: the kernel host-double computes in double'
# shellcheck disable=SC2086
expect_exit 2 koine recon $scan --precision double --solver gridding -o "$work/no.npy"
# shellcheck disable=SC2086
expect_exit 2 koine recon $scan --precision double --variants
# shellcheck disable=SC2086
expect_exit 0 koine recon $scan --precision double -n 2 -o "$work/wide.npy"
expect_stdout '^ls by host-double on .*\(host\)'
# shellcheck disable=SC2086
expect_exit 2 koine recon $scan --policy fast --kernel host-single -o "$work/no.npy"
expect_stderr '--policy fast: the kernel host-single runs on the host'
# shellcheck disable=SC2086
expect_exit 2 koine recon $scan --policy fast --device host -o "$work/no.npy"
for policy in strict fast; do
    # shellcheck disable=SC2086
    expect_exit 0 koine recon $scan --policy $policy --solver adjoint --kernel register --reference "$work/double.npy" \
        -o "$work/$policy.npy" --json "$work/$policy.json"
    grep -q "\"policy\": \"$policy\"" "$work/$policy.json" || fail "--policy $policy is not in the JSON"
done

# ---- formats ----
for ending in cfl nii png; do
    # shellcheck disable=SC2086
    expect_exit 0 koine recon $scan --kernel host-double -n 3 -o "$work/image.$ending"
done
# shellcheck disable=SC2086
expect_exit 0 koine recon $scan --kernel host-double -n 3 -o - --json "$work/pipe.json"
cp "$work/out" "$work/pipe.npy"
# shellcheck disable=SC2086
expect_exit 0 koine recon $scan --kernel host-double -n 3 -o "$work/json.npy" --json -
cp "$work/out" "$work/only.json"
# shellcheck disable=SC2086
expect_exit 3 koine recon $scan --kernel host-double -n 3 -o "$work/image.png"
expect_stderr 'image.png: already exists'
# shellcheck disable=SC2086
expect_exit 0 koine recon $scan --kernel host-double -n 3 -o "$work/image.png" --force

# ---- tolerance, start, lambda ----
# shellcheck disable=SC2086
expect_exit 1 koine recon $scan --kernel host-double -n 2 --tolerance 1e-9 -o "$work/two.npy"
expect_stderr 'coil 0 did not reach the tolerance of 1e-09 within 2 iterations'
[ -e "$work/two.npy" ] || fail "the image of a run that did not converge is not there"
# shellcheck disable=SC2086
expect_exit 0 koine recon $scan --kernel host-double --tolerance 0.1 --warm-start "$work/double.npy" \
    -o "$work/warm.npy" --json "$work/warm.json"
# By both sums instead of Q: without a device, and what there is no Q for.
# shellcheck disable=SC2086
expect_exit 0 koine recon $scan --kernel host-double --normal forward --lambda 200 -n 300 --tolerance 1e-11 \
    -o "$work/forward.npy" --json "$work/forward.json"
expect_stdout '^normal operator by both sums: up to 2.01e.09 terms .*; Q would take about 6.68e.06 once'
expect_stdout '^F.H F, in the solver: .* terms '
expect_stdout '^lambda 200 \(tikhonov\); no Q: F.H F by both sums$'
# shellcheck disable=SC2086
expect_exit 0 koine recon $scan --kernel host-double --lambda 200 -n 300 --tolerance 1e-11 -o "$work/solved.npy"
# shellcheck disable=SC2086
expect_exit 2 koine recon $scan --normal forward --relative-lambda --lambda 0.1 -o "$work/no.npy"
expect_stderr '--normal forward has no Q; use --lambda alone, in absolute terms'
# shellcheck disable=SC2086
expect_exit 2 koine recon $scan --normal forward --save-q "$work/q" -o "$work/no.npy"
# shellcheck disable=SC2086
expect_exit 2 koine recon $scan --normal forward --solver adjoint -o "$work/no.npy"
expect_stderr '--normal forward needs --solver ls; adjoint has no F.H F'
expect_exit 2 koine recon "$work/k" --normal direct -o "$work/no.npy"
# shellcheck disable=SC2086
expect_exit 0 koine recon $scan --kernel host-double --lambda 0.01 --relative-lambda --regularizer difference \
    --boundary periodic --basis box --scale unitary -o "$work/smooth.npy" --json "$work/smooth.json"
expect_stdout '^lambda [0-9.]+ \(difference, boundary periodic\), max '
# shellcheck disable=SC2086
expect_exit 0 koine recon $scan --kernel host-double --lambda 2 --regularizer tv --iterations 40 \
    -o "$work/variation.npy" --json "$work/variation.json" --report "$work/variation.html"
expect_stdout '^solver: 40 iterations, .*, relative residual [-0-9.e]+, objective [0-9.]+$'
expect_stdout '^lambda 2 \(tv\), max '
# shellcheck disable=SC2086
expect_exit 1 koine recon $scan --kernel host-double --lambda 2 --regularizer tv --tolerance 1e-9 -o "$work/soon.npy"
expect_stderr 'did not reach the tolerance of 1e-09 within 20 iterations'
# shellcheck disable=SC2086
expect_exit 0 koine recon $scan --kernel host-double --lambda 2 --regularizer wavelet --iterations 40 \
    -o "$work/wavelet.npy" --json "$work/wavelet.json"
expect_stdout '^lambda 2 \(wavelet\), max '
# shellcheck disable=SC2086
expect_exit 2 koine recon $scan --regularizer wavelet --boundary periodic -o "$work/no.npy"
expect_stderr '--boundary periodic: --regularizer wavelet has no boundary'
for options in '--boundary periodic' '--solver adjoint' '--solver gridding --density ramp'; do
    # shellcheck disable=SC2086
    expect_exit 2 koine recon $scan --regularizer tv $options -o "$work/no.npy"
    expect_stderr '--regularizer tv (has no boundary|needs --solver ls)'
done

# ---- bad input; no file is left ----
# shellcheck disable=SC2086
expect_exit 3 koine recon $scan --matrix 16,16 -o "$work/no.npy"
expect_stderr '/t: sample 0: kx is -16 cycles per field of view, but a matrix of 16 resolves 8; is the trajectory'
# shellcheck disable=SC2086
expect_exit 3 koine recon $scan --matrix 32,32 --trajectory-unit normalized -o "$work/no.npy"
expect_stderr 'is the trajectory for a larger matrix, or in another unit'
# shellcheck disable=SC2086
expect_exit 2 koine recon $scan --matrix 4294967296,4294967296,4294967296 -o "$work/no.npy"
expect_stderr 'fit in memory'
# shellcheck disable=SC2086
expect_exit 5 koine recon $scan --matrix 4000000,4000000 --kernel host-double -o "$work/no.npy"
expect_stderr 'need about [0-9]+ MB of memory, and this machine has'
head -c 1000 "$work/k.cfl" >"$work/short.cfl"
cp "$work/k.hdr" "$work/short.hdr"
expect_exit 3 koine recon "$work/short" --trajectory "$work/t" -o "$work/no.npy"
expect_stderr 'short.cfl: ends at offset 1000, but expected 26112 bytes'
printf '# Dimensions\n1 64 51 1000000000 1\n' >"$work/short.hdr"
expect_exit 3 koine recon "$work/short" --trajectory "$work/t" -o "$work/no.npy"
expect_exit 0 koine trajectory radial --samples 64 --spokes 50 --matrix 32 -o "$work/other"
expect_exit 3 koine recon "$work/k" --trajectory "$work/other" -o "$work/no.npy"
expect_stderr '/k: has 3264 samples, but the trajectory .*/other has 3200'
expect_exit 3 koine recon "$work/nothing.h5" -o "$work/no.npy"
expect_exit 3 koine recon "$work/nothing.bin" --solver adjoint -o "$work/no.npy"
# shellcheck disable=SC2086
expect_exit 3 koine recon $scan --density "$work/p.npy" -o "$work/no.npy"
expect_stderr 'p.npy: has 1024 numbers, expected 3264, one for each sample'
# shellcheck disable=SC2086
expect_exit 3 koine recon $scan --reference "$work/t" -o "$work/no.npy"
# shellcheck disable=SC2086
expect_exit 2 koine recon $scan --solver adjoint --warm-start "$work/double.npy" -o "$work/no.npy"

# ---- coils: the image is the root of the sum of squares; one has no signal ----
(cd "$work" && PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$sources/tests/e2e python3 - <<'PYTHON') || fail "making the coils"
import arrays, math, struct
pairs = struct.unpack("<6528f", open("k.cfl", "rb").read())
k = [complex(*pairs[2 * i:2 * i + 2]) for i in range(3264)]
arrays.save("coils.npy", "c8", [3 * v for v in k] + [4j * v for v in k] + [0 * v for v in k], (3, 51, 64))
bad = list(k)
bad[70] = complex(math.nan, 0)
arrays.save("nan.npy", "c8", bad, (51, 64))
arrays.save("radians.npy", "f8", [v * 2 * math.pi / 32 for v in
            struct.unpack("<19584f", open("t.cfl", "rb").read())[::2]], (51, 64, 3))
arrays.save("weights.npy", "f8", [2.5] * 3264, (3264,))
arrays.save("phi.npy", "c16", [2j] * 3264, (51, 64))
arrays.save("negative.npy", "f8", [1] * 7 + [-1] + [1] * 3256, (3264,))
PYTHON
expect_exit 0 koine recon "$work/coils.npy" --trajectory "$work/t" --kernel host-double --sense none -o "$work/rss.npy" \
    --json "$work/rss.json"
expect_stdout '^1 coil without signal: all samples are 0$'
expect_stdout '^coils are combined by the root of the sum of squares$'
# Weights and the basis from files: phi is conjugated.
# shellcheck disable=SC2086
expect_exit 0 koine recon $scan --solver adjoint --kernel host-double -o "$work/plain.npy"
# shellcheck disable=SC2086
expect_exit 0 koine recon $scan --solver adjoint --kernel host-double --density "$work/weights.npy" \
    --basis "$work/phi.npy" -o "$work/own.npy"
expect_stdout 'basis .*/phi.npy, density .*/weights.npy$'
# shellcheck disable=SC2086
expect_exit 3 koine recon $scan --solver adjoint --density "$work/negative.npy" -o "$work/no.npy"
expect_stderr 'negative.npy: the weight of sample 7 is -1.0i, expected a real number from 0 on'
expect_exit 3 koine recon "$work/p.npy" --trajectory "$work/t" -o "$work/no.npy"
expect_stderr 'p.npy: is of float64, expected complex floats; is it an image instead of k-space'
expect_exit 3 koine recon "$work/nan.npy" --trajectory "$work/t" -o "$work/no.npy"
expect_stderr 'nan.npy: sample 70 of coil 0 is nan'
expect_exit 0 koine recon "$work/k" --trajectory "$work/radians.npy" --trajectory-unit radians --matrix 32,32 \
    --kernel host-double -o "$work/radians_image.npy"
expect_exit 0 koine recon "$work/k" --trajectory "$work/radians.npy" --matrix 32,32 --kernel host-double -n 1 \
    -o "$work/doubtful.npy"
expect_stderr 'radians.npy: k is at most pi on every axis, .* --trajectory-unit radians$'
expect_exit 2 koine recon "$work/k" --trajectory "$work/radians.npy" -o "$work/no.npy"
expect_stderr '--matrix is missing'

# ---- devices ----
need_device
# So much regularized that 60 iterations solve the equations to single precision.
regular="--lambda 0.05 --relative-lambda -n 60"
kernels="naive register coalesced constant constant-struct fast-trig tuned host-single"
for kernel in $kernels; do
    # shellcheck disable=SC2086
    expect_exit 0 koine recon $scan --kernel "$kernel" $regular --reference "$work/p.npy" \
        -o "$work/$kernel.npy" --json "$work/$kernel.json"
    expect_stdout "^ls by $kernel on "
done
# shellcheck disable=SC2086
expect_exit 0 koine recon $scan --kernel host-double $regular -o "$work/host-double.npy" --json "$work/d.json"
# shellcheck disable=SC2086
expect_exit 0 koine recon $scan --normal forward --lambda 200 -n 60 -o "$work/sums.npy" --json "$work/sums.json"
expect_stdout "^memory: .* MB of the device"
# shellcheck disable=SC2086
expect_exit 0 koine recon $scan --solver gridding --density pipe --reference "$work/p.npy" -o "$work/pipe_image.npy" \
    --json "$work/gridding.json"
expect_stdout '^gridding by gridding on '
# shellcheck disable=SC2086
expect_exit 0 koine recon $scan --solver adjoint --density pipe --reference "$work/pipe_image.npy" \
    --reference-scale none -o "$work/pipe_adjoint.npy" --json "$work/pipe_adjoint.json"
# Against the phantom the sums are scaled; least squares only where that is asked for.
# shellcheck disable=SC2086
expect_exit 0 koine recon $scan --solver adjoint --density pipe --reference "$work/p.npy" \
    -o "$work/scaled.npy" --json "$work/scaled.json"
expect_stdout 'p\.npy, times the best factor [-+.0-9e]+i: error [0-9.]+ %'
# shellcheck disable=SC2086
expect_exit 0 koine recon $scan --kernel host-single --reference "$work/p.npy" --reference-scale best \
    -o "$work/best.npy" --json "$work/best.json"
# shellcheck disable=SC2086
expect_exit 2 koine recon $scan --reference-scale worst -o "$work/no.npy"
# Q kept and used again; not for another trajectory.
# shellcheck disable=SC2086
expect_exit 0 koine recon $scan --lambda 200 --save-q "$work/q" -o "$work/first.npy"
expect_stdout "^written to $work/first.npy; Q to $work/q$"
# shellcheck disable=SC2086
expect_exit 0 koine recon $scan --lambda 200 --load-q "$work/q" -o "$work/second.npy" --json "$work/second.json"
cmp -s "$work/first.npy" "$work/second.npy" || fail "with a kept Q the image has other bits"
# shellcheck disable=SC2086
expect_exit 3 koine recon $scan --save-q "$work/q" -o "$work/no.npy"
# shellcheck disable=SC2086
expect_exit 3 koine recon $scan --matrix 34,34 --load-q "$work/q" -o "$work/no.npy"
# shellcheck disable=SC2086
expect_exit 2 koine recon $scan --solver adjoint --save-q "$work/q2" -o "$work/no.npy"
[ ! -e "$work/no.npy" ] || fail "a refused run left a file"
[ ! -e "$work/q2" ] || fail "a refused run left Q"

# ---- both tables ----
# shellcheck disable=SC2086
expect_exit 0 koine recon $scan --variants $regular --output "$work/all" -o "$work/all.png" \
    --json "$work/all.json"
expect_stdout '^Quality against host-double:$'
for kernel in host-double $kernels; do
    expect_stdout "^$kernel  *(float|double)  *[0-9.e-]+ "
done
expect_stdout '^gridding, density pipe  *float '
expect_stdout '^variant  *Q  *GFLOP/s  *F.H d  *GFLOP/s  *solver  *total  *ratio$'
expect_stdout "^written to $work/all: variants.csv, host-double.png, .*, tuned.png, gridding.png$"
expect_files "$work/all" coalesced.png constant-struct.png constant.png fast-trig.png gridding.png host-double.png \
    host-single.png naive.png register.png tuned.png variants.csv
# shellcheck disable=SC2086
expect_exit 3 koine recon $scan --variants --output "$work/all"

# ---- interrupted ----
expect_exit 0 koine trajectory radial --samples 256 --spokes 402 -o "$work/large"
expect_exit 0 koine phantom --matrix 256,256 --kspace "$work/large" -o "$work/large_k"
status=0
timeout --preserve-status -s INT 2 "$KOINE" recon "$work/large_k" --trajectory "$work/large" --kernel host-double \
    -o "$work/interrupted.npy" >"$work/out" 2>"$work/err" || status=$?
[ "$status" -eq 130 ] || fail "exit status $status after SIGINT, expected 130: $(cat "$work/err")"
[ -z "$(find "$work" -name '*interrupted*')" ] || fail "an interrupted run left a file"

# shellcheck disable=SC2086
(cd "$work" && PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$sources/tests/e2e python3 - $kernels <<'PYTHON') || fail "the answers are wrong"
import arrays, json, math, struct, sys

def report(name):
    return json.load(open(name + ".json"))

def image(name):
    return arrays.load(name + ".npy")[2]

def distance(x, y):
    return math.sqrt(sum(abs(a - b) ** 2 for a, b in zip(x, y)) / sum(abs(b) ** 2 for b in y))

phantom = image("p")
double = report("double")
dtype, shape, found = arrays.load("double.npy")
assert (dtype, shape) == ("c16", (32, 32)), (dtype, shape)
assert abs(double["error_percent"] - 100 * distance(found, phantom)) < 1e-6
assert 0 < double["error_percent"] < 27, double["error_percent"]
assert double["precision"] == "double" and double["device"]["spec"] == "host"
assert len(double["iterations"]) == 21 and double["iterations"][0] == 1 and double["iterations"][20] < 0.1
assert all(double["stages"][s]["seconds"] >= 0 for s in ("q", "fhd", "solver"))
assert double["stages"]["fhd"]["pairs"] == 3264 * 1024 and double["stages"]["q"]["pairs"] >= 3264 * 2048
assert double["method"] == "direct" and double["why"] and double["image"].endswith("double.npy")
separable, chosen = report("separable"), report("chosen")
assert separable["method"] == "separable" and separable["kernel"] == "host-double"
assert distance(image("separable"), image("ramp")) < 1e-13, distance(image("separable"), image("ramp"))
nufft = report("nufft")
assert nufft["method"] == "nufft" and nufft["nufft"]["tolerance"] == 1e-7 and nufft["nufft"]["voxels"] == 64
assert 1e-12 < nufft["nufft"]["error"] <= 1e-7 and 1e-12 < distance(image("nufft"), image("ramp")) < 1e-7
assert separable["nufft"] == {"error": None, "tolerance": None, "voxels": 0}
assert chosen["method"] == "separable" and chosen["why"].startswith("separable: about ")
assert chosen["q_kernel"] == "host-single-separable"
lines, sums = report("lines"), report("lines_sum")
assert lines["method"] == "cartesian" and lines["why"] == "cartesian: all samples lie on the grid"
assert lines["q_kernel"] == "host-double-cartesian" and sums["method"] == "separable"
assert distance(image("lines"), image("lines_sum")) < 1e-10, distance(image("lines"), image("lines_sum"))
assert double["matrix"] == [32, 32] and double["k_unit"] == "cycles per field of view"
assert 0 <= double["adjoint_check"]["difference"] <= double["adjoint_check"]["bound"] < 1e-10
# Without Q: an application of 2 x 3264 x 1024 terms each iteration, and before and after them (the host's). Both images
# leave 1e-11 of the equations, of which (bound + lambda) / lambda comes through.
forward = report("forward")
assert forward["normal"] == "forward" and double["normal"] == "toeplitz" and "normal" not in double["stages"]
assert "q" not in forward["stages"] and forward["q_kernel"] is None and forward["bound"] is None
assert forward["stages"]["normal"]["pairs"] == (len(forward["iterations"]) + 1) * 2 * 3264 * 1024 and forward["stages"]["normal"]["gflops"] > 0
assert 0 < forward["stages"]["normal"]["seconds"] <= forward["stages"]["solver"]["seconds"]
worst = 2e-11 * (double["bound"] + 200) / 200
assert distance(image("forward"), image("solved")) < worst, (distance(image("forward"), image("solved")), worst)
assert report("ramp")["error_percent"] < 27, report("ramp")["error_percent"]
assert report("host")["kernel"] == "host-single" and report("host")["error_percent"] < 0.1
assert report("warm")["iterations"] and len(report("warm")["iterations"]) == 1
assert report("only")["iterations"]
smooth = report("smooth")
assert (smooth["scale"], smooth["basis"]) == ("unitary", "box")
assert (smooth["regularizer"], smooth["boundary"], double["boundary"]) == ("difference", "periodic", None)
assert abs(smooth["lambda"] / smooth["bound"] - 0.01) < 1e-9, (smooth["lambda"], smooth["bound"])
assert double["objectives"] is None
wavelet = report("wavelet")
assert (wavelet["regularizer"], wavelet["boundary"], len(wavelet["objectives"])) == ("wavelet", None, 41)
assert 0 < wavelet["objectives"][-1] < 0.1 * wavelet["objectives"][0], wavelet["objectives"]
variation = report("variation")
assert (variation["regularizer"], variation["boundary"], variation["lambda"]) == ("tv", None, 2)
assert len(variation["objectives"]) == len(variation["iterations"]) == 41
assert variation["objectives"] == variation["coil_results"][0]["objectives"]
assert 0 < variation["objectives"][-1] < 0.1 * variation["objectives"][0], variation["objectives"]
assert "The objective after each iteration" in open("variation.html").read()

# Formats.
three = image("json")
assert arrays.load("pipe.npy") == arrays.load("json.npy")
assert distance([complex(*p) for p in zip(*[iter(struct.unpack("<2048f", open("image.cfl", "rb").read()))] * 2)], three) < 1e-6
nii = struct.unpack("<1024f", open("image.nii", "rb").read()[352:])
assert distance(nii, [abs(v) for v in three]) < 1e-6
assert open("image.png", "rb").read()[:8] == b"\x89PNG\r\n\x1a\n"

# Coils: 3 and 4i times the same make 5 times its magnitude.
dtype, shape, rss = arrays.load("rss.npy")
assert (dtype, shape) == ("f8", (32, 32)), (dtype, shape)
assert distance(rss, [5 * abs(v) for v in found]) < 1e-6
assert report("rss")["coils"] == 3 and report("rss")["combined"] and len(report("rss")["coil_results"]) == 3
assert distance(image("radians_image"), found) < 1e-5
assert distance(image("own"), [-5j * v for v in image("plain")]) < 1e-13

# Devices: 3e-6 of the adjoint (sum.h), times (bound + lambda) / lambda.
exact = image("host-double")
for kernel in sys.argv[1:]:
    r = report(kernel)
    worst = 3e-6 * (r["bound"] + r["lambda"]) / r["lambda"]
    assert r["kernel"] == kernel and r["q_kernel"] == kernel and r["precision"] == "float", kernel
    assert distance(image(kernel), exact) < worst, (kernel, distance(image(kernel), exact), worst)
    assert arrays.load(kernel + ".npy")[0] == "c8"
sums = report("sums")
assert sums["kernel"] == "tuned" and sums["stages"]["normal"]["pairs"] == 61 * 2 * 3264 * 1024
worst = (2 * 3e-6 + sums["residual"]) * (double["bound"] + 200) / 200
assert distance(image("sums"), image("solved")) < worst, (distance(image("sums"), image("solved")), worst)
gridding = report("gridding")
assert gridding["method"] == "gridding" and gridding["iterations"] == [] and gridding["error_percent"] < 27
assert "gridding" in gridding["stages"] and "q" not in gridding["stages"]
assert report("pipe_adjoint")["error_percent"] < 0.01, report("pipe_adjoint")["error_percent"]
for name, scale in (("scaled", "best"), ("gridding", "best"), ("best", "best"), ("pipe_adjoint", "none"), ("double", "none")):
    assert report(name)["reference_scale"] == scale, name
for name, file in (("scaled", "scaled"), ("gridding", "pipe_image"), ("best", "best")):
    x = image(file)
    factor = sum(a.conjugate() * b for a, b in zip(x, phantom)) / sum(abs(a) ** 2 for a in x)
    assert abs(complex(*report(name)["reference_factor"]) - factor) < 1e-6 * abs(factor), name
    assert abs(report(name)["error_percent"] - 100 * distance([factor * a for a in x], phantom)) < 1e-4, name
assert double["reference_factor"] == [1, 0]
assert report("second")["q_loaded"]

# Both tables.
variants = report("all")["variants"]
assert [v["variant"] for v in variants] == ["host-double", "host-single", "naive", "register", "coalesced", "constant",
                                            "constant-struct", "fast-trig", "tuned", "gridding"]
assert variants[0]["error_percent"] == 0 and variants[0]["ratio"] == 1
worst = 3e-4 * 21
assert all(0 < v["error_percent"] < worst for v in variants[1:9]), [v["error_percent"] for v in variants]
assert all(v["stages"]["q"]["gflops"] > 0 for v in variants[:9])
lines = open("all/variants.csv").read().splitlines()
assert len(lines) == 11 and lines[0].startswith("variant,error_percent,psnr_db,snr_db,q_seconds,")
assert all(len(line.split(",")) == len(lines[0].split(",")) for line in lines)
PYTHON
