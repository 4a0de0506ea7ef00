# SPDX-License-Identifier: Apache-2.0
"""Times windows of a column with NumPy and pandas, beside bench/window: median and MAD of windows of 1,920 doubles every
960, and the median of a window of 1,921 floats at every element.

    python3 bench/peers/windows.py [N]
"""

import statistics
import sys
import time

import numpy
import pandas

REPETITIONS = 5


def seconds(call):
    """Median, least and most of the seconds of a call."""
    samples = []
    for _ in range(REPETITIONS):
        start = time.perf_counter()
        call()
        samples.append(time.perf_counter() - start)
    return f"{statistics.median(samples):.3f} s ({min(samples):.3f} to {max(samples):.3f})"


def sliding(x, width, step):
    """Medians and MADs by NumPy's sliding windows."""
    rows = numpy.lib.stride_tricks.sliding_window_view(x, width)[::step]
    medians = numpy.median(rows, axis=1)
    return medians, numpy.median(numpy.abs(rows - medians[:, None]), axis=1)


n = int(float(sys.argv[1])) if len(sys.argv) > 1 else 10_000_000
x = numpy.random.default_rng(1).normal(size=n)
print(f"NumPy {numpy.__version__}, pandas {pandas.__version__}, n {n}")
print("NumPy, median and MAD, width 1920, step 960:", seconds(lambda: sliding(x, 1920, 960)))
series = pandas.Series(x)
print("pandas, median alone, width 1920, step 960:", seconds(lambda: series.rolling(1920, step=960).median()))
series = pandas.Series(x.astype(numpy.float32))
print("pandas, median, width 1921, every element:", seconds(lambda: series.rolling(1921, center=True).median()))
