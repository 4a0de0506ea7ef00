# SPDX-License-Identifier: Apache-2.0
"""The programs in Python of the manual and of README run: those of a page in order, beside the files that it has and makes."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import koine

MANUAL = Path(__file__).parents[2] / "doc/manual"
PAGES = [page for page in [*sorted(MANUAL.glob("*.md")), MANUAL.parents[1] / "README.md"] if "```python\n" in page.read_text()]


def blocks(page: Path) -> list[tuple[str, str]]:
    """The blocks that are run, in order: the language and the text."""
    return re.findall(r"^```(sh|python)\n(.*?)^```$", page.read_text(), re.M | re.S)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_page(page: Path, tmp_path: Path) -> None:
    shutil.copytree(MANUAL / "data", tmp_path, dirs_exist_ok=True)
    text = ""
    for language, block in blocks(page):
        if language == "python":
            text += block
        elif not re.search(r"^ *koine ", block, re.M):  # what makes files; the command has tests of its own
            subprocess.run(["sh", "-e", "-c", block], cwd=tmp_path, check=True)
    if "scipy" in text:
        pytest.importorskip("scipy")
    if re.search(r"koine\.(Context|Program)", text) and not koine.devices():
        pytest.skip("no device")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", text], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr


def test_every_science_has_a_program() -> None:
    assert {page.stem for page in PAGES} >= {"start", "stats", "recon", "autocorr", "solve", "kernels", "library"}
