#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# python/functions.toml lists every function of the public headers once. The rest of the package is tested by the stage
# `python` of scripts/test, which fetches its dependencies.
. "${srcdir:?}/tests/e2e/common.sh"

python3 -c 'import tomllib' 2>/dev/null || skip python "python3 is not installed, or older than 3.11"
python3 - "$srcdir" <<'END' || fail "see above"
import pathlib, sys, tomllib
root = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(root / "python"))
sys.dont_write_bytecode = True
from native.declarations import functions
public = functions(root / "include/koine")
table = tomllib.loads((root / "python/functions.toml").read_text())
listed = [*table["python"], *(name for group in table["without"] for name in group["functions"])]
wrong = [f"python/functions.toml lacks {name}" for name in sorted({*public} - {*listed})]
wrong += [f"python/functions.toml has {name}, which no header declares" for name in sorted({*listed} - {*public})]
wrong += [f"python/functions.toml has {name} twice" for name in sorted({*listed}) if listed.count(name) > 1]
if len(public) < 200:
    wrong.append("the headers' functions were not found")
print(*wrong, sep="\n", end="\n" if wrong else "")
sys.exit(bool(wrong))
END
