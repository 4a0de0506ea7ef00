# SPDX-License-Identifier: Apache-2.0
"""spectra.py SPECTRUM BACK HALF FRAMES: the arrays that koine fft made of line.npy and frames.npy (fft.sh), by their
names without .npy, held against sums as the definition has them."""
import arrays, cmath, math, sys

spectrum_name, back_name, half_name, frames_name = sys.argv[1:]
turn = -2j * math.pi


def close(found, right):
    scale = math.sqrt(sum(abs(z) ** 2 for z in right))
    error = math.sqrt(sum(abs(a - b) ** 2 for a, b in zip(found, right))) / scale
    assert len(found) == len(right) and error < 1e-6, error


def load(name, expected_type, expected_shape):
    dtype, shape, values = arrays.load(name + ".npy")
    assert (dtype, shape) == (expected_type, expected_shape), (name, dtype, shape)
    return values


line = arrays.load("line.npy")[2]
close(load(spectrum_name, "c8", (30,)),
      [sum(x * cmath.exp(turn * j * k / 30) for j, x in enumerate(line)) for k in range(30)])
close(load(back_name, "c8", (30,)), line)
frames = arrays.load("frames.npy")[2]
close(load(half_name, "c8", (2, 6, 4)),
      [sum(frames[f * 42 + y * 7 + x] * cmath.exp(turn * (y * v / 6 + x * u / 7)) for y in range(6) for x in range(7))
       for f in range(2) for v in range(6) for u in range(4)])
close(load(frames_name, "f4", (2, 6, 7)), frames)
