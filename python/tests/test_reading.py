# SPDX-License-Identifier: Apache-2.0
"""Files are read with the user's own libraries, and the arrays are handed on: HDF5, TIFF and PNG."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import koine

from conftest import Place, numpy_of


@pytest.mark.parametrize("kind", ["int16", "uint64", "float32", "float64"])
def test_columns_of_hdf5(tmp_path: Path, kind: str, place: Place) -> None:
    h5py = pytest.importorskip("h5py")
    table = np.random.default_rng(3).normal(50, 20, (4000, 3)).clip(0).astype(kind)
    with h5py.File(tmp_path / "table.h5", "w") as file:
        file.create_dataset("run/table", data=table, chunks=(512, 2), compression="gzip", shuffle=True)
    with h5py.File(tmp_path / "table.h5", "r") as file:
        data = file["run/table"]
        for column in range(3):
            x, there = place(np.ascontiguousarray(data[:, column]))
            assert np.array_equal(numpy_of(koine.sort(x, **there)), np.sort(table[:, column]))
            assert koine.median(x, **there) == np.median(table[:, column])
            if table.dtype.kind == "f":
                assert koine.stats(x, **there).mean == pytest.approx(table[:, column].mean(dtype=float), rel=1e-6)


def test_big_endian_hdf5_is_refused_until_it_is_turned(tmp_path: Path) -> None:
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "big.h5", "w") as file:
        file["x"] = np.arange(100, dtype=">f4")
    with h5py.File(tmp_path / "big.h5", "r") as file:
        x = file["x"][:]
    with pytest.raises(TypeError, match="byte order"):
        koine.reduce(x)
    assert koine.reduce(x.astype("=f4")) == 4950


def test_a_scan_of_hdf5(tmp_path: Path) -> None:
    h5py = pytest.importorskip("h5py")
    k, shape = koine.trajectory("golden", 16, samples=32, spokes=20)
    data = koine.phantom_kspace(k, shape).astype("complex64")
    with h5py.File(tmp_path / "scan.h5", "w") as file:
        file["kspace"], file["trajectory"] = data, k
        file.attrs["matrix"] = shape
    with h5py.File(tmp_path / "scan.h5", "r") as file:
        found = koine.recon(
            file["kspace"][:], file["trajectory"][:], [int(n) for n in file.attrs["matrix"]], iterations=10
        )
        transform = koine.fft(file["kspace"][:])
    assert np.array_equal(found.image, koine.recon(data, k, shape, iterations=10).image)
    assert np.allclose(transform, np.fft.fft(data), atol=1e-3)


def texture(count: int, kind: str) -> Any:
    return np.random.default_rng(4).integers(0, np.iinfo(kind).max, (count, 24, 32), dtype=kind)


@pytest.mark.parametrize("kind", ["uint8", "uint16"])
@pytest.mark.parametrize("layout", ["memory-mapped", "compressed", "big-endian"])
def test_stacks_of_tiff(tmp_path: Path, kind: str, layout: str) -> None:
    tifffile = pytest.importorskip("tifffile")
    stack, name = texture(5, kind), tmp_path / "stack.tif"
    options = {"compression": "zlib"} if layout == "compressed" else {}
    tifffile.imwrite(name, stack, photometric="minisblack", byteorder=">" if layout == "big-endian" else "<", **options)
    frames = tifffile.memmap(name, mode="r") if layout == "memory-mapped" else tifffile.imread(name)
    if layout == "big-endian":
        frames = frames.astype(frames.dtype.newbyteorder("="))
    found = koine.autocorr(frames, max_offset=4)
    expected = koine.autocorr(stack, max_offset=4)
    assert np.array_equal(found.sums, expected.sums)
    assert found.sums[0, 0, 4] == (stack[0].astype("uint64") ** 2).sum()
    assert np.array_equal(koine.prepare(frames, crop=(2, 3, 10, 12)).frames, stack[:, 2:12, 3:15])


def test_photographs_of_png(tmp_path: Path, place: Place) -> None:
    imageio = pytest.importorskip("imageio.v3")
    frames = texture(3, "uint8")
    for number, frame in enumerate(frames):
        imageio.imwrite(tmp_path / f"frame{number}.png", frame)
    read = np.stack([imageio.imread(name) for name in sorted(tmp_path.glob("*.png"))])
    x, there = place(read)
    assert np.array_equal(koine.autocorr(x, max_offset=3, **there).sums, koine.autocorr(frames, max_offset=3).sums)
    flat, there = place(read.ravel())
    counts = numpy_of(koine.histogram(flat, bins=256, range=(0, 256), **there)[0])
    assert np.array_equal(counts, np.bincount(frames.ravel(), minlength=256))


def test_a_channel_of_a_colour_photograph(tmp_path: Path) -> None:
    imageio = pytest.importorskip("imageio.v3")
    picture = np.random.default_rng(5).integers(0, 256, (24, 32, 3), dtype="uint8")
    imageio.imwrite(tmp_path / "colour.png", picture)
    green = imageio.imread(tmp_path / "colour.png")[:, :, 1]  # a view that is not contiguous
    with pytest.raises(ValueError, match="ascontiguousarray"):
        koine.autocorr(green, max_offset=3)
    green = np.ascontiguousarray(green)
    assert np.array_equal(
        koine.autocorr(green, max_offset=3).sums, koine.autocorr(picture[:, :, 1].copy(), max_offset=3).sums
    )
