#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `make html` builds the manual without a warning; every public function, every command with its options, and every name of the
# Python package has an entry there; and its links within the site lead somewhere.
. "${srcdir:?}/tests/e2e/common.sh"

status=0
"$srcdir/scripts/manual" "${KOINE:?}" "$work/manual" >"$work/log" 2>&1 || status=$?
[ $status -ne 77 ] || skip manual "$(cat "$work/log")"
[ $status -eq 0 ] || fail "the manual does not build: $(cat "$work/log")"

"$KOINE" --help | sed -n 's/^  \([a-z][a-z]*\)  .*/\1/p' >"$work/commands"
while read -r command; do
    "$KOINE" "$command" --help | sed -n 's/^  .*\(--[a-z-]*\).*/\1/p' | sed "s/^/$command /"
done <"$work/commands" >"$work/options"

python3 - "$srcdir" "$work" <<'END' || fail "see above"
import pathlib, re, sys, zlib
tree, work = map(pathlib.Path, sys.argv[1:])
site = work / "manual/html"
packed = (site / "objects.inv").read_bytes().split(b"\n", 4)[4]
entries = {}
for line in zlib.decompress(packed).decode().splitlines():
    name, kind = re.match(r"(.+?) (\w+:\w+) ", line).groups()
    entries.setdefault(kind, set()).add(name)

headers = " ".join(re.sub(r"//[^\n]*", "", file.read_text()) for file in (tree / "include/koine").glob("**/*.h"))
functions = set(re.findall(r"KN_(?:MPI_)?API\s[^;(]*?\b(kn_\w+)\(", headers))
types = set(re.findall(r"^\} (kn_\w+);", headers, re.M))
package = (tree / "python/koine/__init__.py").read_text()
names = set(re.findall(r'^    "([A-Za-z]\w*)",$', package.split("__all__ = [")[1].split("]")[0], re.M))
options = {tuple(line.split()) for line in (work / "options").read_text().splitlines()}
assert len(functions) > 250 and len(types) > 100 and len(names) > 70 and len(options) > 250, "the lists were not found"

has = {kind: entries.get(kind, set()) for kind in ("c:function", "std:cmdoption", "std:doc")}
c_types = set.union(*(entries.get(f"c:{kind}", set()) for kind in ("struct", "enum", "union", "type")))
python = {name.removeprefix("koine.") for kind, found in entries.items() if kind.startswith("py:") for name in found}
lacking = sorted(functions - has["c:function"]) + sorted(types - c_types) + sorted(names - python)
lacking += sorted(f"koine {command} {option}" for command, option in options
                  if f"koine-{command}.{option}" not in has["std:cmdoption"])
lacking += [f"koine {command}" for command in (work / "commands").read_text().split()
            if f"reference/commands/koine-{command}" not in has["std:doc"]]
overview = (tree / "doc/manual/commands.md").read_text()
lacking += [f"koine {command} (doc/manual/commands.md)" for command in (work / "commands").read_text().split()
            if f"[koine {command}]" not in overview]
if lacking:
    print("the manual has no entry of", *lacking, sep="\n")

broken = set()
for page in site.glob("**/*.html"):
    for link in re.findall(r'(?:href|src)="([^"#?]+)', page.read_text()):
        if not re.match(r"\w+:|//", link) and not (page.parent / link).exists():
            broken.add(f"{page.relative_to(site)}: {link} is not there")
print(*sorted(broken), sep="\n", end="\n" if broken else "")
print(f"{len(functions)} functions, {len(types)} types, {len(names)} names in Python, {len(options)} options")
sys.exit(bool(lacking or broken))
END
