# SPDX-License-Identifier: Apache-2.0
"""An ill-posed system: a signal behind a blur. Iterations have to stop early; a callback watches the error."""

import sys
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import koine

N, WIDTH = 300, 8


def blur() -> koine.SparseOperator:
    """A Gaussian of WIDTH elements, cut off at three times that."""
    offsets = np.arange(-3 * WIDTH, 3 * WIDTH + 1)
    rows = np.repeat(np.arange(N), offsets.size)
    columns = rows + np.tile(offsets, N)
    weights = np.tile(np.exp(-(offsets**2) / (2 * WIDTH**2)) / (WIDTH * np.sqrt(2 * np.pi)), N)
    there = (columns >= 0) & (columns < N)
    return koine.SparseOperator.from_coo(rows[there], columns[there], weights[there], (N, N))


def main(folder: Path) -> None:
    operator = blur()
    signal = np.zeros(N)
    signal[60:90], signal[150:155], signal[200:260] = 1, 2, np.linspace(0, 1.5, 60)
    noise = np.random.default_rng(1).normal(0, 0.01, N)
    data = operator @ signal + noise

    counts = np.unique(np.geomspace(1, 2000, 30).astype(int))
    errors = [np.linalg.norm(koine.solve(operator, data, iterations=int(n)).x - signal) for n in counts]
    stopped = koine.solve(operator, data, noise=float(np.linalg.norm(noise)), iterations=2000)
    error = np.linalg.norm(stopped.x - signal)
    print(f"the discrepancy principle stops after {stopped.iterations} iterations, {error:.2f} off;")
    print(
        f"the best is {min(errors):.2f} after {counts[int(np.argmin(errors))]}, and after 2000 it is {errors[-1]:.2f}"
    )
    assert min(errors) <= error < errors[-1]

    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.6))
    left.plot(signal, label="signal")
    left.plot(data, label="blurred")
    left.plot(stopped.x, label="solved")
    left.legend()
    right.loglog(counts, errors, "o-")
    right.axvline(stopped.iterations, linestyle=":")
    right.set_xlabel("iterations")
    right.set_ylabel("error")
    figure.savefig(folder / "blur.png")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
