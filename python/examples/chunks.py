# SPDX-License-Identifier: Apache-2.0
"""Statistics and autocorrelations mapped over chunks by Dask, on two worker processes."""

import sys
from pathlib import Path

import dask.array as da
import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from dask.distributed import Client, LocalCluster

import koine


def medians(columns: np.ndarray) -> np.ndarray:
    """Median and MAD of each column of a chunk, shape (count, 2)."""
    found = koine.stats(np.ascontiguousarray(columns), columns=True)
    return np.array([(column.median, column.mad) for column in found])


def lengths(frames: np.ndarray) -> np.ndarray:
    """The distance of the first trough of each frame of a chunk."""
    return koine.autocorr(np.ascontiguousarray(frames), max_offset=20).lengths["r_min"]


def main(folder: Path) -> None:
    columns = da.random.default_rng(1).normal(size=(64, 20000), chunks=(8, 20000)).cumsum(axis=1)
    y, x = np.mgrid[:96, :96]
    waves = [np.sin(2 * np.pi * x / n) * np.sin(2 * np.pi * y / n) for n in np.linspace(10, 24, 24)]
    frames = da.from_array((127.5 + 100 * np.array(waves)).astype(np.uint8), chunks=(4, 96, 96))

    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster):
        robust, troughs = da.compute(
            columns.map_blocks(medians, chunks=((8,) * 8, (2,)), dtype=float),
            frames.map_blocks(lengths, chunks=((4,) * 6,), drop_axis=(1, 2), dtype=float),
        )
    print(f"{len(robust)} columns: medians from {robust[:, 0].min():.1f} to {robust[:, 0].max():.1f}")
    print(f"{len(troughs)} frames: troughs from {troughs[0]:.2f} to {troughs[-1]:.2f} px")
    assert robust.shape == (64, 2) and (np.diff(troughs) > 0).mean() > 0.9

    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6))
    left.errorbar(np.arange(len(robust)), robust[:, 0], robust[:, 1], fmt=".")
    left.set_xlabel("column")
    left.set_ylabel("median and MAD")
    right.plot(np.linspace(10, 24, 24), troughs, "o")
    right.set_xlabel("wavelength (px)")
    right.set_ylabel("first trough (px)")
    figure.savefig(folder / "chunks.png")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
