# SPDX-License-Identifier: Apache-2.0
"""Type hints, docstrings and their examples."""

from __future__ import annotations

import doctest
import importlib
import inspect
import os
import pkgutil
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import koine

ROOT = Path(__file__).parents[2]
PUBLIC = {name: getattr(koine, name) for name in dir(koine) if not name.startswith("_")}
APART = "_native", "_cupy", "_torch"  # compiled; imported where their libraries are
MODULES = [f"koine.{module.name}" for module in pkgutil.iter_modules(koine.__path__) if module.name not in APART]
FUNCTIONS = sorted(
    name for name, found in PUBLIC.items() if inspect.isfunction(found) and found.__module__.startswith("koine.")
)


def test_mypy() -> None:
    pytest.importorskip("mypy")
    arguments = "--strict", "--config-file", str(ROOT / "pyproject.toml"), str(ROOT / "python/koine")
    found = subprocess.run(
        [sys.executable, "-m", "mypy", *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert found.returncode == 0, found.stdout


def test_the_package_says_that_it_has_types() -> None:
    folder = Path(koine.__file__).parent
    assert (folder / "py.typed").exists() and (folder / "_native.pyi").exists()


def test_mypy_of_a_program(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    program = tmp_path / "program.py"
    program.write_text("import koine\nreveal_type(koine.stats([1.0]).mean)\nkoine.reduce([1.0], nothing=1)\n")
    environment = {**os.environ, "MYPYPATH": str(ROOT / "python")}
    arguments = "--strict", "--python-executable", sys.executable, str(program)
    found = subprocess.run(
        [sys.executable, "-m", "mypy", *arguments],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    assert 'Revealed type is "float"' in found.stdout or 'Revealed type is "builtins.float"' in found.stdout, (
        found.stdout
    )
    assert "explicitly export" not in found.stdout
    assert 'Unexpected keyword argument "nothing"' in found.stdout


@pytest.mark.parametrize("module", MODULES)
def test_examples(module: str, context: koine.Context) -> None:
    with np.printoptions(legacy=False):
        results = doctest.testmod(importlib.import_module(module))
    assert results.failed == 0


def test_all_is_all() -> None:
    assert sorted(name for name in koine.__all__ if name != "__version__") == sorted(
        name for name, found in PUBLIC.items() if not inspect.ismodule(found) and name != "annotations"
        and name not in ("Any", "TYPE_CHECKING")
    )  # fmt: skip


def test_there_are_examples() -> None:
    finder = doctest.DocTestFinder()
    count = sum(bool(test.examples) for module in MODULES for test in finder.find(importlib.import_module(module)))
    assert count > 25


@pytest.mark.parametrize("name", FUNCTIONS)
def test_docstrings(name: str) -> None:
    """NumPy's format: every parameter of a public function, and what it returns."""
    text = inspect.getdoc(PUBLIC[name]) or ""
    parameters = [parameter for parameter in inspect.signature(PUBLIC[name]).parameters]
    for parameter in parameters:
        assert re.search(rf"^(?:\w+, )*{parameter}(?:, \w+)* :", text, re.M), f"{parameter} is not described"
    assert "Returns\n-------" in text


@pytest.mark.parametrize("name", sorted(name for name, found in PUBLIC.items() if inspect.isclass(found)))
def test_docstrings_of_classes(name: str) -> None:
    found: Any = PUBLIC[name]
    assert inspect.getdoc(found)
    for member, value in vars(found).items():
        if not member.startswith("_") and (callable(value) or isinstance(value, property)):
            assert inspect.getdoc(value), f"{name}.{member} has no docstring"
