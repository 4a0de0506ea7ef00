# SPDX-License-Identifier: Apache-2.0
"""Robust statistics of an accelerometer at the wrist: a minute of artefacts moves the standard deviation, not the MAD."""

import sys
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import koine

RATE, WINDOW = 32, 60  # samples a second; seconds


def recording() -> np.ndarray:
    """An hour of one axis in units of 1/64 g, of 8 bits as the device writes it, with a minute of knocks."""
    generator = np.random.default_rng(1)
    seconds = np.arange(3600 * RATE) / RATE
    moving = 30 + 12 * np.sin(2 * np.pi * seconds / 900) + generator.normal(0, 4, seconds.size)
    knocks = slice(1500 * RATE, 1560 * RATE)
    moving[knocks] += generator.choice([-80, 0, 0, 80], moving[knocks].size)
    return np.clip(np.round(moving), -128, 127).astype(np.int8)


def main(folder: Path) -> None:
    x = recording()
    whole = koine.stats(x, mad_scale="normal")
    print(f"mean {whole.mean:.3f}, std {whole.std:.3f}, median {whole.median:g}, MAD (scaled) {whole.mad:.3f}")

    windows = koine.stats(x.reshape(-1, WINDOW * RATE), columns=True, mad_scale="normal")
    std, mad = ([getattr(window, name) for window in windows] for name in ("std", "mad"))
    worst = int(np.argmax(std))
    print(f"the worst window begins at {worst} min: std {std[worst]:.1f}, MAD {mad[worst]:.1f}")
    assert worst == 25 and std[worst] > 3 * mad[worst]

    figure, (above, below) = plt.subplots(2, sharex=True, figsize=(8, 5))
    above.plot(np.arange(x.size) / RATE / 60, x, linewidth=0.2)
    above.set_ylabel("acceleration (1/64 g)")
    below.step(np.arange(len(std)), std, where="post", label="standard deviation")
    below.step(np.arange(len(mad)), mad, where="post", label="MAD / 0.6745")
    below.set_xlabel("time (min)")
    below.legend()
    figure.savefig(folder / "wrist.png")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
