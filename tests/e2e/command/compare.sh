#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `koine compare`: rows for every device, right answers accepted and wrong ones rejected, a report that matches its schema.
. "${srcdir:-.}/tests/e2e/lib.sh"
unset KOINE_DEVICE        # every device is compared where none is named
KOINE_KEEP_PROGRAMS=yes # programs are kept here, of every driver
export KOINE_KEEP_PROGRAMS

expect_exit 2 koine compare srot
expect_stderr "there is no job 'srot', did you mean sort\? There are bandwidth flops launch build sort reduce select scan fft gemm spmv stats autocorr recon solve"
expect_one_line
expect_exit 2 koine compare --repetitions 0
expect_exit 4 koine compare --device nothing-of-the-kind launch
expect_exit 4 without_devices "$KOINE" compare --device all launch
expect_empty stdout
# No device named and none there: the host's own code, which has some of the jobs.
expect_exit 0 without_devices env -u KOINE_DEVICE "$KOINE" compare --quick --repetitions 1 select launch
expect_stderr "^koine compare: .*; the host's own code computes"
expect_stdout "^host: .* \(the host's own code\)"
expect_stdout '^f32 +65536  host .* right'
expect_stdout '^launch back to back 200, host: left out: not on the host'

need_device
if on_oclgrind; then
    echo "only launches on Oclgrind, which is slow"
    expect_exit 0 koine compare --quick --repetitions 1 launch
    expect_stdout '^and finish .* right$'
    exit 0
fi

# look EXPRESSION...: each holds for the JSON value r of $work/r.json.
look()
{
    command -v python3 >/dev/null || return 0
    python3 - "$work/r.json" "$@" <<'PYTHON' || fail "the JSON of '$ran'"
import json, sys
def never(word):
    raise ValueError(word + " is no JSON")
r = json.load(open(sys.argv[1], encoding="utf-8"), parse_constant=never)
rows = r["results"]
bad = [e for e in sys.argv[2:] if not eval(e)]
for e in bad:
    print("does not hold:", e)
if bad:
    print(json.dumps(r, indent=1))
sys.exit(bool(bad))
PYTHON
}

# fits_schema FILE: checked where python3-jsonschema is installed.
fits_schema()
{
    if ! python3 -W ignore -c 'import jsonschema' 2>/dev/null; then
        echo "python3-jsonschema is not installed: the report is not held against its schema"
        return 0
    fi
    python3 -W ignore - "${srcdir:-.}/doc/compare.schema.json" "$1" <<'PYTHON' || fail "$1 is not as its schema says"
import json, jsonschema, sys
schema, report = (json.load(open(name, encoding="utf-8")) for name in sys.argv[1:])
jsonschema.Draft7Validator.check_schema(schema)
jsonschema.validate(report, schema)
PYTHON
}

# good_page FILE: well-formed, and in Chromium, where that is installed, as it should be.
good_page()
{
    command -v python3 >/dev/null || return 0
    python3 "${srcdir:-.}/tests/e2e/page.py" "$1" || fail "$1: see above"
}

# One job, its ceiling along with it, twice on one device: the same answer, ratios to the first.
device=$(awk -F'"' '/"spec":/ { spec = $4 } /"default": true/ { print spec }' "$work/devices.json")
expect_exit 0 koine compare --quick --repetitions 2 --device "$device" --device "$device" --output "$work/result" reduce
expect_stdout "^$device: "
expect_stdout '^bandwidth +bytes +device '
expect_stdout '^read +262144 .* right$'
expect_stdout '^reduce +numbers +device .* GB/s +of ceiling +ratio +answer$'
expect_stdout '^sum f32 +65536 .* right'
! grep -q '^sort' "$work/out" || fail "sort was not asked for"
cp "$work/result/report.json" "$work/r.json"
fits_schema "$work/r.json"
look 'r["command"] == "compare" and r["policy"] == "default" and r["quick"] is True' 'len(r["devices"]) == 2' \
    '{x["job"] for x in rows} == {"bandwidth", "reduce"}' 'all(x["repetitions"] == 2 for x in rows if x["verdict"] == "right")' \
    'all(x["error"] <= x["bound"] for x in rows if x["verdict"] == "right")' \
    'all(x["verdict"] == "right" or x["verdict"] == "left out" and x["why"] for x in rows)' \
    'all((x["ceiling_share"] or 0) > 0 for x in rows if x["job"] == "reduce" and x["verdict"] == "right")' \
    'all(x["ratio"] == 1 for x in rows[::2] if x["verdict"] == "right")' \
    'all(0 < x["wall_seconds"]["least"] <= x["wall_seconds"]["median"] <= x["wall_seconds"]["most"] for x in rows if x["verdict"] == "right")' \
    'sum(x["job"] == "reduce" and x["case"] == "sum f32" for x in rows) == 6'
expect_files "$work/result" bandwidth.svg reduce.svg report.html report.json
# Two cases (one without double precision) in two places: the places are named in the legend.
grep -q "sum f32, $device" "$work/result/reduce.svg" || fail "reduce.svg does not name the device"
expect_exit 3 koine compare --quick --device "$device" --output "$work/result" launch
expect_stderr 'report\.json.*--force'
expect_exit 0 koine compare --quick --device "$device" --output "$work/other" launch
expect_files "$work/other" report.html report.json

good_page "$work/result/report.html"
! grep -q '<figure class="roofline">' "$work/result/report.html" || fail "a roofline without the job flops"

# The host's own code beside a device: by the wall's clock alone, its answers right.
expect_exit 0 koine compare --quick --repetitions 1 --device "$device" --device host --json "$work/r.json" --force sort reduce select scan
expect_stdout '^ +host +- .* right'
fits_schema "$work/r.json"
look '[d["spec"] for d in r["devices"]][1] == "host" and r["devices"][1]["backend"] == "host"' \
    '{x["job"] for x in rows if x["device"] == "host" and x["verdict"] == "right"} == {"sort", "reduce", "select"}' \
    'all(x["why"] == "left out: not on the host" for x in rows if x["device"] == "host" and x["job"] in ("bandwidth", "scan"))' \
    'all(x["verdict"] == "right" and x["device_seconds"] is None and x["wall_seconds"] for x in rows if x["device"] == "host" and x["job"] in ("sort", "reduce", "select") and not (x["why"] or "").startswith("left out: by the size"))' \
    '[x for x in dict.fromkeys(x["case"] for x in rows if x["job"] == "sort")] == ["f32", "f64", "u32", "u32 by key"]' \
    'all(x["ratio"] == y["wall_seconds"]["median"] / x["wall_seconds"]["median"] for y, x in zip(rows[::2], rows[1::2]) if x["verdict"] == y["verdict"] == "right")'

# The rest, once; JSON alone on standard output.
expect_exit 0 koine compare --quick --repetitions 1 --device "$device" --json - launch build sort flops
expect_empty stderr
cp "$work/out" "$work/r.json"
fits_schema "$work/r.json"
look '[x for x in dict.fromkeys(x["job"] for x in rows)] == ["bandwidth", "flops", "launch", "build", "sort"]' \
    'all(x["verdict"] in ("right", "left out") for x in rows)' \
    'all(x["device_seconds"] is None and x["unit"] == "us/launch" for x in rows if x["job"] == "launch")' \
    'all(x["bound"] == 0 and x["error"] == 0 for x in rows if x["job"] == "sort" and x["verdict"] == "right")'

# Against a baseline: slower or faster if no repetition of one is among those of the other; with two there is no telling.
expect_exit 0 koine compare --quick --device "$device" --json "$work/base.json" launch
if command -v python3 >/dev/null; then
    python3 - "$work/base.json" "$work/fast.json" "$work/slow.json" <<'PYTHON'
import json, sys
for name, factor in zip(sys.argv[2:], (1e-3, 1e3)):
    r = json.load(open(sys.argv[1]))
    r["koine"] = "0.1.0"
    for x in r["results"]:
        for clock in ("device_seconds", "wall_seconds"):
            x[clock] = x[clock] and {key: factor * value for key, value in x[clock].items()}
    json.dump(r, open(name, "w"))
PYTHON
    expect_exit 0 koine compare --quick --device "$device" --baseline "$work/fast.json" --output "$work/slower" launch
    expect_stdout '^slower than the baseline: launch back to back 200, .* ms \(.*\), was .* \(.*\)$'
    expect_stdout '^2 of 2 results could be held against the baseline: 2 slower, 0 faster$'
    grep -q '<td class="number slower">' "$work/slower/report.html" || fail "report.html does not mark what became slower"
    good_page "$work/slower/report.html"
    expect_exit 0 koine compare --quick --device "$device" --baseline "$work/slow.json" --json "$work/r.json" --force launch
    expect_stdout ': 0 slower, 2 faster$'
    fits_schema "$work/r.json"
    look 'all(x["baseline"]["change"] == "faster" and x["baseline"]["ratio"] < 1 for x in rows)'
    expect_exit 0 koine compare --quick --device "$device" --repetitions 2 --baseline "$work/slow.json" launch
    expect_stdout '^0 of 2 results could be held against the baseline'
fi

# A kernel that computes something else is found out; one that does not compile is a row, and status 4 if it is all.
mkdir -p "$work/cl/tools/compare"
sed 's/count\[0\] += 1/count[0] += 2/' "${srcdir:-.}/cl/tools/compare/launch.cl" >"$work/cl/tools/compare/launch.cl"
expect_exit 1 env KOINE_KERNEL_PATH="$work/cl" "$KOINE" compare --quick --device "$device" launch
expect_stdout '^back to back .* WRONG$'
expect_stdout 'error 200, at most 0 allowed \(launches too many or too few\)'
sed 's/y\[\(.*\)\] = x\[/y[\1] = 1 + x[/' "${srcdir:-.}/cl/tools/compare/bandwidth.cl" >"$work/cl/tools/compare/bandwidth.cl"
expect_exit 1 env KOINE_KERNEL_PATH="$work/cl" "$KOINE" compare --quick --repetitions 1 --device "$device" --output "$work/wrong" bandwidth
expect_stdout '^copy .* WRONG$'
expect_stdout '^read .* right$'
grep -q '<td class="wrong">WRONG: ' "$work/wrong/report.html" || fail "report.html does not mark the wrong answer"
good_page "$work/wrong/report.html"
if [ "$precision" = double ]; then # rusticl takes minutes for it
    sed 's/x5 = fma/x5 = 2 * fma/' "${srcdir:-.}/cl/tools/compare/flops.cl" >"$work/cl/tools/compare/flops.cl"
    expect_exit 1 env KOINE_KERNEL_PATH="$work/cl" "$KOINE" compare --quick --repetitions 1 --device "$device" flops
fi
echo 'this is no kernel' >"$work/cl/tools/compare/launch.cl"
expect_exit 4 env KOINE_KERNEL_PATH="$work/cl" "$KOINE" compare --quick --device "$device" launch
expect_stdout '^and finish .* failed$'
expect_stderr 'every job failed.*launch\.cl'
