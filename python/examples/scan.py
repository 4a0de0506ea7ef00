# SPDX-License-Identifier: Apache-2.0
"""An MR image of a golden-angle scan: the adjoint, least squares, and the same operator in SigPy's hands."""

import sys
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import koine


def main(folder: Path) -> None:
    k, shape = koine.trajectory("golden", 64, samples=128, spokes=40)
    data = koine.phantom_kspace(k, shape)
    images = {
        "phantom": koine.phantom(shape),
        "adjoint": np.abs(koine.recon(data, k, shape, method="adjoint").image),
        "least squares": np.abs(koine.recon(data, k, shape, iterations=20).image),
    }
    try:
        import sigpy
    except ImportError:
        print("SigPy is not installed")
    else:
        transform = koine.Nufft(k, shape)
        solver = sigpy.app.LinearLeastSquares(transform, data, x=np.zeros(shape, complex), max_iter=10, show_pbar=False)
        images["SigPy's least squares"] = np.abs(solver.run())

    figure, axes = plt.subplots(1, len(images), figsize=(3 * len(images), 3.4))
    expected = images["phantom"]
    for axis, (name, image) in zip(axes, images.items(), strict=True):
        off = np.linalg.norm(image - expected) / np.linalg.norm(expected)
        print(f"{name}: {100 * off:.1f} % off the phantom")
        assert off < 0.7
        axis.imshow(image, cmap="gray", vmin=0, vmax=0.5)
        axis.set_title(name)
        axis.set_axis_off()
    figure.savefig(folder / "scan.png")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
