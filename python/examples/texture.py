# SPDX-License-Identifier: Apache-2.0
"""The characteristic length of a texture, the first maximum of the azimuthal average, as the texture grows."""

import sys
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import koine

WAVELENGTHS = np.array([8, 10, 12, 14, 16, 20])


def texture(wavelength: float) -> np.ndarray:
    """Noise of one wavelength in all directions, as of two liquids that part."""
    size = 256
    noise = np.random.default_rng(1).normal(size=(size, size))
    frequency = np.hypot(np.fft.fftfreq(size)[:, None], np.fft.rfftfreq(size)[None, :])
    ring = np.exp(-(((frequency - 1 / wavelength) * wavelength / 0.12) ** 2) / 2)
    waves = koine.irfft(koine.rfft(noise, (0, 1)) * ring, size, (0, 1))
    return np.where(waves > 0, 200, 55).astype(np.uint8)


def main(folder: Path) -> None:
    frames = np.stack([texture(wavelength) for wavelength in WAVELENGTHS])
    found = koine.autocorr(frames, max_offset=40)
    lengths = found.lengths["r_max"]
    for wavelength, length in zip(WAVELENGTHS, lengths, strict=True):
        print(f"wavelength {wavelength} px: R_max {length:.2f} px")
    slope = np.polyfit(WAVELENGTHS, lengths, 1)[0]
    print(f"R_max grows by {slope:.2f} px a px")
    assert found.bound == 0 and 0.8 < slope < 1.4

    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(12, 3.6))
    left.imshow(frames[-1], cmap="gray")
    for wavelength, rings in zip(WAVELENGTHS, found.rings, strict=True):
        middle.plot(rings["radius"], rings["value"], label=f"{wavelength} px")
    middle.set_xlabel("distance (px)")
    middle.set_ylabel("correlation")
    middle.legend()
    right.errorbar(WAVELENGTHS, lengths, found.lengths["r_max_error"], fmt="o")
    right.set_xlabel("wavelength (px)")
    right.set_ylabel("R_max (px)")
    figure.savefig(folder / "texture.png")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
