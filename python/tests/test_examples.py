# SPDX-License-Identifier: Apache-2.0
"""The examples run, check what they found, and draw their pictures."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import koine

FOLDER = Path(__file__).parents[1] / "examples"
EXAMPLES = sorted(file.stem for file in FOLDER.glob("*.py"))


@pytest.mark.parametrize("name", EXAMPLES)
def test_example(name: str, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    if name == "chunks":
        pytest.importorskip("dask.distributed")
    if name == "kernel" and not koine.devices():
        pytest.skip("no device")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, str(FOLDER / f"{name}.py"), str(tmp_path)], env=environment, capture_output=True, text=True,
        timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() and (tmp_path / f"{name}.png").stat().st_size > 5000


def test_the_list_is_whole() -> None:
    listed = re.findall(r"^\| \[(\w+)\.py\]", (FOLDER / "README.md").read_text(), re.M)
    assert sorted(listed) == EXAMPLES
