# SPDX-License-Identifier: Apache-2.0
"""The lists of the package's files are whole."""

from __future__ import annotations

from pathlib import Path

import koine

ROOT = Path(__file__).parents[2]
MADE = {".so", ".pyc"}


def test_the_tarball_has_every_file() -> None:
    listed = {line.strip(" \t\\") for line in (ROOT / "python/files.am").read_text().splitlines() if "/" in line}
    there = {
        str(file.relative_to(ROOT))
        for file in (ROOT / "python").rglob("*")
        if file.is_file() and file.suffix not in MADE and file.name not in ("koine-probe", "files.am")
    }
    hidden = {name for name in there if any(part.startswith(".") for part in Path(name).parts)}
    assert {name for name in listed if name.startswith("python/")} == there - hidden


def test_the_version_is_that_of_the_headers() -> None:
    header = (ROOT / "include/koine/koine.h").read_text()
    numbers = [header.split(f"KN_VERSION_{part}")[1].split()[0] for part in ("MAJOR", "MINOR", "PATCH")]
    assert koine.__version__ == ".".join(numbers)
