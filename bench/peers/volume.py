# SPDX-License-Identifier: Apache-2.0
"""Times the autocorrelation of a volume with SciPy's FFT in double, beside bench/autocorr_volume --device host: of voxels of
8 bits at all offsets up to R along each axis. Prints how far the sums are from whole numbers.

    python3 bench/peers/volume.py [--side N] [--max-offset R] [--workers W]
"""

import argparse
import statistics
import time

import numpy
import scipy
import scipy.fft
import scipy.signal

REPETITIONS = 5

parser = argparse.ArgumentParser()
parser.add_argument("--side", type=int, default=256)
parser.add_argument("--max-offset", type=int, default=32)
parser.add_argument("--workers", type=int, default=2)
args = parser.parse_args()


def padded(volume):
    """Transforms of as many zeros behind each axis as offsets reach, in a length that the FFT likes."""
    length = [scipy.fft.next_fast_len(n + args.max_offset, real=True) for n in volume.shape]
    spectrum = scipy.fft.rfftn(volume, length, workers=args.workers)
    power = spectrum.real**2 + spectrum.imag**2
    sums = scipy.fft.irfftn(power, length, workers=args.workers)
    near = numpy.r_[-args.max_offset : args.max_offset + 1]
    return sums[numpy.ix_(near, near, near[args.max_offset :])]


def signal(volume):
    """scipy.signal.correlate of all offsets, by FFT."""
    return scipy.signal.correlate(volume, volume, mode="full", method="fft")


def report(name, call, repetitions):
    walls, own = [], []
    for _ in range(repetitions):
        start, process = time.perf_counter(), time.process_time()
        sums = call(volume)
        walls.append(time.perf_counter() - start)
        own.append(time.process_time() - process)
    error = numpy.abs(sums - numpy.rint(sums)).max()
    print(f"{name}: {statistics.median(walls):.3f} s ({min(walls):.3f} to {max(walls):.3f}), the process's own time "
          f"{statistics.median(own):.3f}; up to {error:.3g} from whole numbers")


volume = numpy.random.default_rng(1).integers(0, 256, (args.side,) * 3).astype(numpy.float64)
print(f"SciPy {scipy.__version__}, NumPy {numpy.__version__}, {args.side}^3, R = {args.max_offset}, {args.workers} threads")
with scipy.fft.set_workers(args.workers):
    report("scipy.fft, padded", padded, REPETITIONS)
    report("scipy.signal.correlate", signal, 1)
