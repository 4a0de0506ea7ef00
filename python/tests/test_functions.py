# SPDX-License-Identifier: Apache-2.0
"""python/functions.toml says of every public C function what its counterpart is, or why there is none."""

from __future__ import annotations

import functools
import re
import sys
from pathlib import Path
from typing import Any

import pytest

import koine

if sys.version_info < (3, 11):
    pytest.skip("tomllib came with Python 3.11", allow_module_level=True)

import tomllib

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "python"))

from native.declarations import functions  # noqa: E402

sys.path.remove(str(ROOT / "python"))  # the package under test is the one that is installed

TABLE: dict[str, Any] = tomllib.loads((ROOT / "python/functions.toml").read_text())
WITH: dict[str, str] = TABLE["python"]
WITHOUT = [name for group in TABLE["without"] for name in group["functions"]]


def sources() -> str:
    """All of the package's text."""
    return "\n".join(file.read_text() for file in sorted((ROOT / "python/koine").glob("*.py")))


def called() -> set[str]:
    """The functions that the package calls."""
    return set(re.findall(r"\b_?lib\.(kn_\w+)", sources()))


def test_every_function_is_listed_once() -> None:
    public = functions(ROOT / "include/koine")
    assert len(public) > 200
    assert sorted([*WITH, *WITHOUT]) == sorted(set(public))


def test_experimental_functions_have_none() -> None:
    first = (ROOT / "src/libkoine.map").read_text().partition("}")[0]
    experimental = set(re.findall(r"\bkn_\w+", first))
    assert len(experimental) > 50
    assert not experimental & {*WITH, *WITHOUT}
    assert not experimental & called()


@pytest.mark.parametrize("name", WITH)
def test_the_counterpart_is_there_and_calls_it(name: str) -> None:
    assert name in called(), f"{name} is in functions.toml, and the package does not call it"
    for counterpart in WITH[name].split(", "):
        parts = counterpart.split(".")
        assert parts[0] == "koine"
        found = functools.reduce(getattr, parts[1:], koine)
        assert found.__doc__, f"{counterpart} has no docstring"


def test_what_has_a_reason_is_not_called() -> None:
    assert not set(WITHOUT) & called()
    assert all(group["reason"].endswith(".") for group in TABLE["without"])
