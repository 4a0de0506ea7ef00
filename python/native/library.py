# SPDX-License-Identifier: Apache-2.0
"""libkoine, built as a static library in setuptools' folder for temporary files and linked into the package.

KOINE_CONFIGURE has further arguments of configure: a compiler, for instance (scripts/wheel). KOINE_BUILD is the folder for
what is built, build-python without it. KOINE_OBJECTS is a folder in which this tree was configured for a shared library: what
was compiled there is linked, and what was not is compiled there. KOINE_SHARED is for packages of a system (debian/rules): a folder that has a
libkoine.so of this tree, with which the package is linked instead, and koine-probe is where that library looks for it.
"""

import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

from setuptools.command.build_ext import build_ext

ROOT = Path(__file__).parents[2].resolve()
HIDING = f"-Wl,--version-script={ROOT}/python/native/module.map"


def version(root: Path = ROOT) -> str:
    """The version that the public header says."""
    header = (root / "include/koine/koine.h").read_text()
    numbers = [re.search(rf"KN_VERSION_{part}\s+(\d+)", header) for part in ("MAJOR", "MINOR", "PATCH")]
    return ".".join(number.group(1) for number in numbers if number)


def run(*command: str, where: Path) -> None:
    """Runs a command; the build ends where it fails."""
    print("+", shlex.join(command), flush=True)
    subprocess.run(command, cwd=where, check=True)


def build_library(folder: Path) -> None:
    """Configures libkoine in `folder`, unless that was done, and makes it and koine-probe."""
    if not (ROOT / "configure").exists():
        run("./bootstrap", where=ROOT)
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "Makefile").exists():
        wishes = shlex.split(os.environ.get("KOINE_CONFIGURE", ""))
        run(str(ROOT / "configure"), "--disable-command", "--disable-shared", "--with-pic", *wishes, where=folder)
    jobs = os.environ.get("JOBS") or str(len(os.sched_getaffinity(0)))
    run("make", f"-j{jobs}", "libkoine-all.a", "koine-probe", where=folder)


def made_with(folder: Path) -> dict[str, list[str]]:
    """What configure found: the compiler, and the flags of libmd, which libkoine needs."""
    made = {}
    for line in (folder / "Makefile").read_text().splitlines():
        name, equals, value = line.partition(" = ")
        if equals and name in ("CC", "LIBMD_LIBS", "OPENCL_CFLAGS"):
            made[name] = shlex.split(value)
    return made


class BuildWithLibrary(build_ext):
    """setuptools' build_ext, with libkoine."""

    def run(self) -> None:
        shared = os.environ.get("KOINE_SHARED")
        if shared:
            self.link_with(Path(shared).resolve())
            super().run()
        else:
            self.run_with_own()

    def link_with(self, folder: Path) -> None:
        """The system's library, which is found at run time without a path."""
        for extension in self.extensions:
            extension.libraries = ["koine"]
            extension.library_dirs = [str(folder)]
            extension.extra_link_args = [HIDING]

    def run_with_own(self) -> None:
        """A static library, and the program that it runs, beside it."""
        folder = Path(os.environ.get("KOINE_OBJECTS") or f"{self.build_temp}/libkoine").resolve()
        build_library(folder)
        made = made_with(folder)
        for extension in self.extensions:
            extension.extra_objects = [str(folder / "libkoine-all.a")]
            extension.depends.append(extension.extra_objects[0])
            extension.extra_compile_args = made.get("OPENCL_CFLAGS", [])
            extension.extra_link_args = ["-s", HIDING, *made["LIBMD_LIBS"], "-lm", "-ldl", "-pthread"]
        super().run()
        package = Path("python/koine") if self.inplace else Path(self.build_lib) / "koine"
        shutil.copy2(folder / "koine-probe", package / "koine-probe")
