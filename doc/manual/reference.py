# SPDX-License-Identifier: Apache-2.0
"""reference.py TREE KOINE OUT: writes the manual's references, as reStructuredText for Sphinx.

OUT/c of the public headers, OUT/commands of the man pages that KOINE prints, OUT/python of what the package exports.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

# The Python reference's pages: title, and the package's modules whose public names are on it.
PYTHON_PAGES = {
    "devices": ("Devices, contexts and arrays", "devices context array"),
    "statistics": ("Statistics and windows", "robust chunks rolling movement"),
    "order": ("Sorting, selection and histograms", "sorting selection"),
    "sums": ("Sums, reductions and scans", "reduction"),
    "transforms": ("Fourier transforms and matrix products", "transforms products"),
    "images": ("Image correlation", "correlation lags laws photographs"),
    "mri": ("MRI reconstruction", "mri coils reconstruction"),
    "systems": ("Linear operators, sparse systems and tomography", "operators sparse tomography solving systems"),
    "kernels": ("Your own kernels", "programs launch"),
    "errors": ("Errors", "errors"),
}


def escaped(text: str) -> str:
    """Plain text, of which reStructuredText takes nothing for markup but what stands between backquotes."""
    parts = text.split("`")
    if len(parts) % 2 == 0:
        parts = [text.replace("`", "'")]
    return "".join(
        f"``{part}``" if i % 2 and part.strip() == part and part else re.sub(r"([\\*|_`])", r"\\\1", part)
        for i, part in enumerate(parts)
    )


def heading(text: str, line: str = "=") -> str:
    return f"{text}\n{line * len(text)}\n\n"


def indented(text: str, by: int = 3) -> str:
    return "".join(f"{' ' * by}{line}\n" if line.strip() else "\n" for line in text.rstrip("\n").split("\n"))


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text() != text:  # Sphinx builds anew what was written anew
        path.write_text(text)


def contents(names: list[str]) -> str:
    return ".. toctree::\n   :maxdepth: 1\n\n" + "".join(f"   {name}\n" for name in names)


# ---- C ----


def paragraphs(comment: list[str], known: set[str]) -> str:
    """A comment's text: what it says of errors, cost and memory is a paragraph each; names of functions and types are links."""
    text = "\n".join(line[2:].removeprefix(" ") for line in comment)
    text = re.sub(r"(?:(?<=\.)|(?<=^))\s+(Errors|Cost|Memory|Method):\s", r"\n\n\1: ", text)
    text = re.sub(r"\n(\s*)- ", r"\n\n\1- ", text)
    result = []
    for paragraph in re.split(r"\n\s*\n", text):
        words = escaped(" ".join(paragraph.split()))
        words = re.sub(r"^(Errors|Cost|Memory|Method): ", r"**\1:** ", words)
        words = re.sub(r"(?<![`\w])((?:kn|KN)(?:\\_\w+)+)", lambda found: link(found[1].replace("\\", ""), known), words)
        result.append(words)
    return "\n\n".join(result) + "\n"


def link(name: str, known: set[str]) -> str:
    if name in known:
        return rf":c:expr:`{name}`\ "
    return rf"``{name}``\ "


def blocks(text: str) -> list[list[str]]:
    """A header's parts between blank lines; bodies of structs keep theirs."""
    result, current, depth = [], [], 0
    for line in text.split("\n"):
        if not line.strip() and depth == 0:
            result.append(current)
            current = []
            continue
        current.append(line)
        code = re.sub(r"//.*", "", line)
        depth += code.count("{") - code.count("}")
        if line.startswith(("#", "extern", "}")) and depth:
            depth = 0
    return [block for block in [*result, current] if block]


def declared(code: str) -> tuple[str, str] | None:
    """The directive of Sphinx's C domain for a declaration, and its argument."""
    plain = " ".join(re.sub(r"//[^\n]*", "", code).split())
    if found := re.match(r"KN_(?:MPI_)?API (.*);$", plain):
        return "function", found[1].strip()
    if found := re.match(r"typedef (struct|enum|union)\b.*?(\w+);$", plain):
        return found[1], found[2]
    if found := re.match(r"typedef .*\(\*(\w+)\)", plain) or re.match(r"typedef .*?(\w+)(?:\(.*\))?;$", plain):
        return "type", found[1]
    if found := re.match(r"#define (KN_\w+(?:\([^)]*\))?)", plain):
        return ("macro", found[1]) if not found[1].split("(")[0].endswith("_") else None
    return None


def c_entries(text: str) -> list[tuple[list[str], str | None, list[str]]]:
    """Comment, section or "", and the declarations below it, in order."""
    entries = []
    for block in blocks(text):
        comment: list[str] = []
        code: list[str] = []
        for line in [*block, "//"]:
            if line.startswith("//"):
                if code:
                    entries.append((comment, code))
                    comment, code = [], []
                if line != "//" or comment:
                    comment.append(line)
            else:
                code.append(line)
        if comment and comment != ["//"] and not code:
            entries.append((comment[:-1] if comment[-1] == "//" else comment, []))
    return entries


def declarations(code: list[str]) -> list[str]:
    """Those of a block, each whole."""
    result, current, depth = [], [], 0
    for line in code:
        current.append(line)
        plain = re.sub(r"//.*", "", line)
        depth += plain.count("{") - plain.count("}")
        if depth == 0 and (plain.rstrip().endswith(";") or (plain.startswith("#") and not plain.endswith("\\"))):
            result.append("\n".join(current))
            current = []
    return result


def known_names(headers: list[Path]) -> set[str]:
    names = set()
    for header in headers:
        for _, code in c_entries(header.read_text()):
            for declaration in declarations(code):
                if found := declared(declaration):
                    names.add(re.split(r"[(\[]", found[1])[0].split()[-1].lstrip("*"))
    return names


def c_page(header: Path, name: str, known: set[str], seen: set[str]) -> str:
    lines = header.read_text()
    opening = re.match(r"// SPDX[^\n]*\n((?://[^\n]*\n)*)", lines)
    assert opening, header
    page = heading(f"koine/{name}") + paragraphs(opening[1].strip().split("\n"), known) + "\n"
    for comment, code in c_entries(lines[opening.end() :]):
        if not code:
            if found := re.match(r"// ---- (.*?):? ----$", comment[0]):
                title = escaped(found[1][0].upper() + found[1][1:])
                page += heading(title, "-")
                comment = comment[1:]
            if comment:
                page += paragraphs(comment, known) + "\n"
            continue
        first = True
        for declaration in declarations(code):
            if not (found := declared(declaration)):
                continue
            kind, argument = found
            if (kind, argument) in seen:
                continue
            seen.add((kind, argument))
            page += f".. c:{kind}:: {argument}\n\n"
            if comment and first:
                page += indented(paragraphs(comment, known)) + "\n"
                first = False
            if kind in ("struct", "enum", "union", "type", "macro") and "\n" in declaration or kind in ("type", "macro"):
                page += "   .. code-block:: c\n\n" + indented(declaration, 6) + "\n"
    return page


def write_c(tree: Path, out: Path) -> None:
    folder = tree / "include/koine"
    umbrella = (folder / "koine.h").read_text()
    names = ["koine.h", *re.findall(r"^#include <koine/(\w+\.h)>", umbrella, re.M), "opencl.h", "cuda.h", "mpi.h"]
    experimental = ["experimental.h", *sorted(f"experimental/{file.name}" for file in (folder / "experimental").glob("*.h"))]
    headers = [folder / name for name in [*names, *experimental]]
    lacking = {*folder.glob("**/*.h")} - {*headers}
    assert not lacking, f"no page has {lacking}"
    known, seen = known_names(headers), set()
    for header in headers:
        name = str(header.relative_to(folder))
        write(out / f"c/{name.removesuffix('.h')}.rst", c_page(header, name, known, seen))
    page = heading("C reference")
    page += (
        "A program includes ``koine/koine.h``, which includes the others; ``koine/opencl.h`` and ``koine/cuda.h`` are for "
        "programs that have handles of OpenCL or CUDA of their own, ``koine/mpi.h`` for those of MPI. Functions return a :c:expr:`kn_status` and fill the "
        ":c:expr:`kn_error` to which their last argument points.\n\n"
    )
    page += contents([name.removesuffix(".h") for name in names])
    page += "\n" + heading("Experimental", "-")
    page += "These may change or go with any version.\n\n" + contents([name.removesuffix(".h") for name in experimental])
    write(out / "c/index.rst", page)


# ---- commands ----


def described(text: str) -> str:
    """The same of a man page, with options as code: else two hyphens would become a dash."""
    return re.sub(r"(?<![\w`-])--[a-z][a-z0-9-]*", r"``\g<0>``\\ ", escaped(text))


def of_roff(text: str) -> str:
    """Plain text of the man pages' own: fonts and escapes left out."""
    return re.sub(r"\\f[BIR]", "", text).replace("\\-", "-").replace("\\(aq", "'").replace("\\&", "").replace("\\e", "\\")


def sections(roff: str) -> dict[str, list[tuple[str, str]]]:
    """A man page: of each section the paragraphs, as ("", text), and the items, as (term, text)."""
    result: dict[str, list[tuple[str, str]]] = {}
    current: list[tuple[str, str]] = []
    lines = iter(roff.strip().split("\n"))
    for line in lines:
        if line.startswith(".SH "):
            current = result.setdefault(line[4:].strip('"'), [])
        elif line == ".TP":
            current.append((of_roff(next(lines)), of_roff(next(lines))))
        elif line.startswith(".BR "):
            current.append(("", ":doc:`koine`"))
        elif not line.startswith("."):
            current.append(("", of_roff(line)))
    return result


def command_page(name: str, roff: str) -> str:
    """One of the command's man pages."""
    command = name.replace("-", " ", 1)
    man = sections(roff)
    what = man.pop("NAME")[0][1].split(" - ", 1)[1]
    page = heading(command) + f".. program:: {command}\n\n{described(what)}.\n\n.. code-block:: none\n\n"
    page += indented("\n".join(text for _, text in man.pop("SYNOPSIS"))) + "\n"
    man.pop("SEE ALSO", None)
    for section, entries in man.items():
        if section != "DESCRIPTION":
            page += heading(section.capitalize(), "-")
        for term, text in entries:
            if section == "ENVIRONMENT" and not term:
                page += "The variables are listed in :doc:`koine`.\n\n" if text == ":doc:`koine`" else ""
            elif not term:
                page += described(text) + "\n\n"
            elif section == "EXAMPLES":
                page += f".. code-block:: none\n\n   {term}\n\n{described(text)}\n\n"
            elif section == "COMMANDS":
                page += f":doc:`koine-{term}`\n" + indented(described(text)) + "\n"
            elif section == "OPTIONS":
                page += f".. option:: {term}\n\n" + indented(described(text)) + "\n"
            else:
                page += f"``{term}``\n" + indented(described(text)) + "\n"
    return page


def write_commands(koine: str, out: Path) -> None:
    def man(name: str) -> str:
        return subprocess.run([koine, "--man", name], check=True, capture_output=True, text=True).stdout

    overview = man("koine")
    commands = re.findall(r"^\.TP\n\\fB(.*?)\\fR", overview.split(".SH COMMANDS")[1].split("\n.SH")[0], re.M)
    names = ["koine", *(f"koine-{command}" for command in commands)]
    for name in names:
        write(out / f"commands/{name}.rst", command_page(name, overview if name == "koine" else man(name)))
    write(out / "commands/index.rst", heading("Command reference") + "What the man pages have.\n\n" + contents(names))


# ---- Python ----


def write_python(tree: Path, out: Path) -> None:
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(tree / "python"))
    import native_stub

    native_stub.install()
    import koine

    pages = {module: page for page, (_, modules) in PYTHON_PAGES.items() for module in modules.split()}
    entries: dict[str, list[str]] = {page: [] for page in PYTHON_PAGES}
    for name in koine.__all__:
        if name != "__version__":
            entries[pages[getattr(koine, name).__module__.removeprefix("koine.")]].append(name)
    for page, (title, _) in PYTHON_PAGES.items():
        text = heading(title) + ".. py:currentmodule:: koine\n\n"
        for name in entries[page]:
            entry = getattr(koine, name)
            text += f".. auto{'class' if isinstance(entry, type) else 'function'}:: koine.{name}\n"
            if isinstance(entry, type):
                text += "   :members:\n"
                if fields := getattr(entry, "_fields", ()):  # of a named tuple: its docstring has them
                    text += f"   :exclude-members: {', '.join(fields)}\n"
            text += "\n"
        write(out / f"python/{page}.rst", text)
    text = heading("Python reference") + (
        "Everything is in the package ``koine``. Arrays of NumPy are computed on the host, or with "
        "``context=koine.Context(...)`` on a device; arrays that are on a device where they are.\n\n"
    )
    write(out / "python/index.rst", text + contents(list(PYTHON_PAGES)))


if __name__ == "__main__":
    tree, koine, out = Path(sys.argv[1]), os.path.abspath(sys.argv[2]), Path(sys.argv[3])
    write_c(tree, out)
    write_commands(koine, out)
    write_python(tree, out)
