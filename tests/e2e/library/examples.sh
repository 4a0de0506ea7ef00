#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# doc/examples: the programs do what their first comments say. $EXAMPLES is the folder in which they were built.
. "${srcdir:-.}/tests/e2e/lib.sh"
need_device
bin=${EXAMPLES:-${builddir:-.}/doc/examples}

expect_exit 0 "$bin/sort"
expect_stdout '^sorted on .+: -5 -1 1 2\.5 3 4 6 9$'
if [ -x "$bin/opencl_embed" ]; then
    expect_exit 0 "$bin/opencl_embed"
    expect_stdout '^median 103, MAD 2, 108 pixels brighter than 115$'
else
    echo "opencl_embed was not built: configure found no OpenCL loader to link with"
fi
expect_exit 0 "$bin/stats"
expect_stdout '^device: n 9, mean 115\.556, std 312\.70[0-9]*, CV 2\.70[0-9]*, median 5, MAD 1$'
expect_stdout '^host: n 9, mean 115\.556, std 312\.70[0-9]*, CV 2\.70[0-9]*, median 5, MAD 1$'
expect_exit 0 "$bin/distribute"
expect_stdout '^[0-9]+ devices and the host: 14\.84562[0-9]*, the host alone: 14\.84562[0-9]*$'
expect_exit 0 "$bin/event_poll"
expect_stdout '^after [1-9][0-9]* turns: quartiles 250, 500, 750$'
expect_exit 0 "$bin/own_kernel"
expect_stdout '^2 x \+ y = 12 24 36 48$'
expect_stdout '^saxpy: argument 0 \(a\) .*float.* given 8'
on_oclgrind || expect_stdout '^half\.cl:3: does not compile'
expect_stdout '^half\.cl.*: does not compile'
expect_stdout '/= tow;'

# The waves' J0 has its maximum at 13.40 pixels: on the device, and on the host where there is none.
if ! on_oclgrind; then # it takes minutes there
    expect_exit 0 "$bin/autocorr"
    expect_stdout '^R_max = 13\.[345] \+- 0\.[0-9] pixels, by (direct|fft) on .+'
    expect_stdout '^R_max grows by 1\.1[0-3] \+- 0\.0[0-9] pixels a frame$'
fi
expect_exit 0 without_devices "$bin/autocorr"
expect_stdout '^R_max = 13\.[345] \+- 0\.[0-9] pixels, by fft on the host$'
expect_stdout '^R_max grows by 1\.1[0-3] \+- 0\.0[0-9] pixels a frame$'

# The phantom's edges ring, as far as the band reaches: some 18 % of its norm. The device's image is the host's.
expect_exit 0 "$bin/recon" "$work/device.pgm"
expect_stdout '^101 spokes of 64 samples, by gridding on .+: error 1[78]\.[0-9] %$'
expect_exit 0 without_devices "$bin/recon" "$work/host.pgm"
expect_stdout '^101 spokes of 64 samples, by host-double on the host: error 1[78]\.[0-9] %$'
[ "$(head -c 13 "$work/host.pgm" | tr '\n' ' ')" = "P5 64 64 255 " ] || fail "host.pgm is no PGM of 64 x 64"
[ "$(wc -c <"$work/host.pgm")" -eq 4109 ] || fail "host.pgm has $(wc -c <"$work/host.pgm") bytes"
[ "$(cmp -l "$work/device.pgm" "$work/host.pgm" | wc -l)" -lt 100 ] || fail "device.pgm and host.pgm are two images"
expect_exit 4 "$bin/recon" "$work/none/image.pgm"
expect_exit 2 "$bin/recon"

# Least squares bring the spiral's equation to its solution; the phantom's edges and the gaps between turns are what is left.
expect_exit 0 "$bin/least_squares"
expect_stdout '^3232 samples, 30 iterations on .+: residual [0-9]\.[0-9]e-0[45], error 24\.[4-9] %$'
expect_exit 0 without_devices "$bin/least_squares"
expect_stdout '^3232 samples, 30 iterations on the host: residual [0-9]\.[0-9]e-0[45], error 24\.[4-9] %$'

# A projector and its adjoint match as well as single precision has it, on the host as double has it; the phantom is found
# better by who knows of the light that neighbours share; five pictures.
if ! on_oclgrind; then
    mkdir "$work/device" "$work/host"
    expect_exit 0 "$bin/tomography" "$work/device"
    expect_stdout '^33300 x 16384, on-the-fly.* on .+ match to [0-9]e-(0[6-9]|1[0-9]), the own pair to ([0-9]e-1[5-9]|0)$'
    expect_stdout '^off the phantom by 19\.[0-9] % of it; with rays that know of no shared light, by 22\.[0-9] %$'
    expect_exit 0 without_devices "$bin/tomography" "$work/host"
    expect_stdout '^33300 x 16384, on-the-fly on the host: .* match to ([0-9]e-1[5-9]|0), the own pair to ([0-9]e-1[5-9]|0)$'
    expect_stdout '^off the phantom by 19\.[0-9] % of it; with rays that know of no shared light, by 22\.[0-9] %$'
    for picture in phantom sinogram back own; do
        [ "$(wc -c <"$work/device/$picture.pgm")" -eq "$(wc -c <"$work/host/$picture.pgm")" ] || fail "$picture.pgm: other sizes"
        # By single and double precision the same levels, but for some that are rounded from just beside a half. (Of plain,
        # 20 iterations in single precision are not quite as far as in double.)
        [ "$(cmp -l "$work/device/$picture.pgm" "$work/host/$picture.pgm" | wc -l)" -le 50 ] || fail "$picture.pgm: other levels"
    done
    [ "$(head -c 15 "$work/host/sinogram.pgm" | tr '\n' ' ')" = "P5 185 180 255 " ] || fail "sinogram.pgm begins otherwise"
fi
expect_exit 1 without_devices "$bin/tomography" "$work/none"
expect_stderr 'none/phantom.pgm'

# Two liquids that part: their mean is kept, and lengths grow as t^(1/3), that is as the frame's number k: the first zero
# over k is 1.00 to 1.02 in all frames (t^(1/4) would make it 16 % less in the last than in the first).
if ! on_oclgrind; then
    mkdir "$work/frames"
    expect_exit 0 "$bin/cahn_hilliard" "${srcdir:-.}/doc/examples/cahn_hilliard.cl" "$work/frames" 128 8
    [ "$(sed 's/.*mean //' "$work/out" | cut -c 1-7 | sort -u | wc -l)" -eq 1 ] || fail "the mean is not kept: $(cat "$work/out")"
    expect_exit 0 koine autocorr "$work/frames" --interval 1 --json "$work/growth.json"
    awk -F '[:,]' '/"r_zero"/ { zero[n++] = $2 } /"r_max":/ { most[m++] = $2 }
        END {
            for (i = 0; i < n; i++)
                if (zero[i] < 0.97 * (4 + i) || zero[i] > 1.05 * (4 + i) || (i && most[i] <= most[i - 1]))
                    bad = 1
            exit n != 5 || bad
        }' "$work/growth.json" || fail "no growth as t^(1/3): $(cat "$work/out")"
fi
expect_exit 2 "$bin/cahn_hilliard"
expect_exit 3 "$bin/cahn_hilliard" "$work/none.cl" "$work"

# CUDA's: on a real device if there is one, else with the fake driver, which runs no kernels: nothing is computed, but the
# application's own context, stream and memory go through Koine's hands and come back whole.
if [ ! -x "$bin/cuda_embed" ]; then
    echo "cuda_embed was not built: configure found no cuda.h"
elif KOINE_DEVICE=cuda:0 "$bin/sort" >/dev/null 2>&1; then
    expect_exit 0 "$bin/cuda_embed"
    expect_stdout '^mean 2\.4375, std 3\.9956, median 2\.75, MAD 2\.5$'
    expect_stdout '^deviations: 0 3\.75 1\.25 1\.75 7\.75 6\.25 0\.25 3\.25$'
else
    fake=${builddir:-.}/tests/fake
    with_fakes()
    {
        env LD_LIBRARY_PATH="$fake" KOINE_CUDA_LIBRARIES="$fake" "$@"
    }
    expect_exit 0 with_fakes "$bin/cuda_embed"
    expect_stdout '^deviations: 0 -1 4 1 -5 9 2\.5 6$'
    expect_empty stderr
    expect_exit 1 with_fakes env FAKE_CUDA_FAIL=cuInit:100:1 "$bin/cuda_embed"
    expect_stderr '^cuda_embed: CUDA error 100$'
    status=0
    with_fakes env KOINE_CUDA_LIBRARIES=/nonexistent "$bin/cuda_embed" >"$work/out" 2>"$work/err" || status=$?
    ran="cuda_embed where Koine finds no driver"
    [ "$status" -ne 0 ] || fail "$ran: exit status 0"
    expect_stderr '^cuda_embed: cuda: no NVIDIA driver'
    expect_empty stdout
fi

# Where there is no device, the reason is told and the exit status is not 0.
for example in sort stats event_poll own_kernel opencl_embed; do
    [ -x "$bin/$example" ] || continue
    status=0
    without_devices "$bin/$example" >"$work/out" 2>"$work/err" || status=$?
    ran="$example without a device"
    [ "$status" -ne 0 ] || fail "$ran: exit status 0"
    expect_stderr "^$example: "
    expect_empty stdout
done
