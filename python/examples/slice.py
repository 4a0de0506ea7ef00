# SPDX-License-Identifier: Apache-2.0
"""Tomography of few and noisy projections: the smeared-back sinogram, least squares, bounds, and smoothness by PyLops."""

import sys
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import koine


def main(folder: Path) -> None:
    rays = koine.RayTransform(40, 64)
    phantom = rays.phantom(4)
    exact = rays.phantom_sinogram()
    noise = np.random.default_rng(1).normal(0, 0.02 * exact.max(), exact.shape)
    sinogram = exact + noise
    length = float(np.linalg.norm(rays(phantom) - sinogram))  # of the noise, and of what pixels cannot show
    back = rays.H(sinogram)
    pictures = {
        "phantom": phantom,
        "smeared back": back * (phantom.sum() / back.sum()),
        "least squares": koine.solve(rays, sinogram, noise=length, iterations=200).x,
        "within bounds": koine.solve(rays, sinogram, method="fista", bounds=(0, 1), noise=length, iterations=200).x,
    }
    try:
        import pylops
    except ImportError:
        print("PyLops is not installed")
    else:
        smooth = pylops.Laplacian(rays.ishape, dtype="float64")
        stacked = pylops.VStack([pylops.aslinearoperator(rays), 2 * smooth])
        data = np.concatenate([sinogram.ravel(), np.zeros(phantom.size)])
        pictures["smooth, by PyLops"] = pylops.optimization.basic.cgls(stacked, data, niter=60)[0].reshape(rays.ishape)

    figure, axes = plt.subplots(1, len(pictures), figsize=(3 * len(pictures), 3.4))
    errors = {}
    for axis, (name, picture) in zip(axes, pictures.items(), strict=True):
        errors[name] = np.linalg.norm(picture - phantom) / np.linalg.norm(phantom)
        print(f"{name}: {100 * errors[name]:.1f} % off the phantom")
        axis.imshow(picture, cmap="gray", vmin=0, vmax=0.5)
        axis.set_title(name)
        axis.set_axis_off()
    assert errors["within bounds"] < errors["least squares"] < errors["smeared back"]
    figure.savefig(folder / "slice.png")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
