#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# JSON results: well-formed, alone on standard output, with the promised keys.
. "${srcdir:-.}/tests/e2e/lib.sh"
KOINE_KEEP_PROGRAMS=yes # programs are kept here, of every driver
export KOINE_KEEP_PROGRAMS
command -v python3 >/dev/null || skip python3 "python3 is not installed"
write_numbers "$work/numbers.csv"
printf 'a,b\n1,5\n,6\n3,7\n' >"$work/holes.csv"

# look FILE EXPRESSION...: each holds for the JSON value r.
look()
{
    python3 - "$@" <<'PYTHON' || fail "the JSON of '$ran'"
import json, sys
def never(word):
    raise ValueError(word + " is no JSON")
r = json.load(open(sys.argv[1], encoding="utf-8"), parse_constant=never)
bad = [e for e in sys.argv[2:] if not eval(e)]
for e in bad:
    print("does not hold:", e)
if bad:
    print(json.dumps(r, indent=1))
sys.exit(bool(bad))
PYTHON
}

common='all(k in r for k in ("koine", "command", "device", "precision", "policy", "seconds"))'

expect_exit 0 koine devices --json -
look "$work/out" "$common" 'r["command"] == "devices"' 'isinstance(r["devices"], list)' \
    'all(set("spec name vendor backend version driver type compute_units global_memory local_memory max_alloc constant_memory fp64 subgroup alias_of default why_not".split()) <= set(d) for d in r["devices"])' \
    'sum(d["default"] for d in r["devices"]) <= 1'

expect_exit 0 koine stats --serial --json - "$work/numbers.csv"
look "$work/out" "$common" 'r["command"] == "stats"' 'set(r["device"]) >= {"spec", "name", "backend", "driver"}' \
    'r["device"]["spec"] == "host"' 'r["precision"] == "double"' 'r["policy"] == "default"' \
    'r["seconds"]["total"] >= r["seconds"]["read"] >= 0' \
    '[x["column"] for x in r["results"]] == ["a", "b"]' \
    'all(set("file column variant method n mean std cv median mad seconds partitions".split()) <= set(x) for x in r["results"])' \
    'r["results"][0]["variant"] == "serial"' 'r["results"][0]["method"] == "fused"' \
    'r["results"][0]["n"] == 4 and r["results"][0]["mean"] == 4 and r["results"][0]["median"] == 2.5' \
    'r["results"][0]["std"] == 12.5 ** 0.5' 'r["results"][0]["mad"] == 1'

# A file, beside the text; and not-a-number is null.
expect_exit 0 koine stats --serial --missing propagate --json "$work/r.json" "$work/holes.csv"
expect_stdout 'holes'
look "$work/r.json" 'r["results"][0]["mean"] is None' 'r["results"][1]["mean"] == 6'
expect_exit 3 koine stats --serial --json "$work/r.json" "$work/numbers.csv"
expect_stderr 'r\.json.*--force'
expect_exit 0 koine stats --serial --force --json "$work/r.json" "$work/numbers.csv"
look "$work/r.json" 'r["results"][0]["mean"] == 4'

# A name that JSON must quote.
odd=$work/'odd "name\.csv'
cp "$work/numbers.csv" "$odd"
expect_exit 0 koine stats --serial --json - "$odd"
look "$work/out" 'r["results"][0]["file"].endswith("odd \"name\\.csv")'

expect_exit 0 koine cache list --json -
look "$work/out" "$common" 'r["command"] == "cache"' 'all(e["program"] == "driver" for e in r["entries"])' 'r["precision"] is None and r["policy"] is None'

expect_exit 0 koine emit --list --json -
look "$work/out" "$common" 'r["command"] == "emit"' '"sort_blocks" in r["kernels"]'
expect_exit 0 koine emit sort_blocks --target cuda --output "$work/sort" --json - --quiet
look "$work/out" "$common" '[f.split("/")[-1] for f in r["files"]] == ["sort_blocks.cu", "sort_blocks.json", "sort_blocks.h"]'

need_device
expect_exit 0 koine stats --precision "$precision" --repetitions 3 --json - "$work/numbers.csv"
expect_empty stderr
look "$work/out" "$common" "r['precision'] == '$precision'" 'r["results"][0]["variant"] == "gpu"' \
    'abs(r["results"][0]["std"] / 12.5 ** 0.5 - 1) < (1e-15 if r["precision"] == "double" else 1e-12)' \
    'all(k in r["seconds"] for k in ("total", "read", "build", "upload", "compute", "download"))'

# The thin commands: the precision is the type of what they compute with.
sources=$(cd "${srcdir:-.}" && pwd)
(cd "$work" && PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$sources/tests/e2e python3 -c '
import arrays
for word, name in ("float", "f4"), ("double", "f8"), ("long", "i8"), ("uchar", "u1"):
    arrays.save(word + ".npy", name, [3, 1, 2, 0])
    arrays.save(word + "_matrix.npy", name, [3, 1, 2, 0], (2, 2))
') || fail "writing the arrays"
# expect_precision WORD COMMAND...: what its JSON says.
expect_precision()
{
    word=$1
    shift
    expect_exit 0 koine "$@" --force --json "$work/thin.json"
    look "$work/thin.json" "$common" "r['command'] == '$1'" "r['precision'] == '$word'" 'r["policy"] == "default"'
}
for word in float "$precision" long; do
    expect_precision "$word" sort "$work/$word.npy" -o "$work/o.npy"
    expect_precision "$word" sort "$work/$word.npy" -o "$work/o.npy" --device host
done
expect_precision uchar select "$work/uchar.npy" --rank 1
expect_precision uchar select "$work/uchar.npy" --rank 1 --device host
expect_precision long reduce "$work/long.npy"
expect_precision double reduce "$work/double.npy" --device host
expect_precision long scan "$work/long.npy" -o "$work/o.npy"
expect_precision float fft "$work/float.npy" -o "$work/o.npy"
expect_precision "$precision" gemm "$work/${precision}_matrix.npy" "$work/${precision}_matrix.npy" -o "$work/o.npy"
on_oclgrind && exit 0
expect_exit 0 koine cache verify --json -
look "$work/out" 'r["entries"] and all(e["valid"] for e in r["entries"])'
