#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `koine compare --merge`: reports of several machines on one page, whatever their strings say; those that cannot be taken are
# named and left out. No device is needed.
. "${srcdir:-.}/tests/e2e/lib.sh"

command -v python3 >/dev/null || skip python "python3 makes the reports"
version=$("$KOINE" --version | sed 's/^koine //')

# Reports: good; hostile, with a script in each of its strings and a wrong answer; and bad ones.
python3 - "$work" "$version" <<'PYTHON'
import copy, json, pathlib, sys
work, version = pathlib.Path(sys.argv[1]), sys.argv[2]

def row(device, job, case, n, verdict="right", why=None, **more):
    seconds = n / 1e9 * (1 + len(device) % 3)
    times = {"median": seconds, "least": 0.9 * seconds, "most": 1.2 * seconds} if verdict in ("right", "wrong") else None
    rate = {"launch": 1e6, "flops": 1e-9, "fft": 1e-9}.get(job, 1e-6) * n / seconds if times else None
    unit = {"launch": "us/launch", "flops": "GFLOP/s", "fft": "GFLOP/s"}.get(job, "Mkeys/s")
    return {"job": job, "case": case, "type": "float", "n": n, "n_asked": n, "counts": "keys", "device": device, "verdict": verdict,
            "why": why, "repetitions": 5 if times else 0, "device_seconds": times, "wall_seconds": times, "rate": rate, "unit": unit,
            "ceiling_share": 0.5 if times else None, "ratio": 1 if times else None, "error": 0 if times else None,
            "bound": 0 if times else None, "error_is": "keys", "flops": None, "bytes": None, "data": "images/real.tif" if case == "u32" else None} | more

def report(name, machine, specs):
    devices = [{"spec": spec, "name": f"{name} {spec}", "backend": "opencl", "driver": "1.0", "version": "OpenCL 3.0", "compiler": "C",
                "alias_of": None} for spec in specs]
    rows = [row(spec, job, case, n, **more) for job, case, sizes, more in (
                ("bandwidth", "copy", (1000, 100000), {"bytes": 80000.0}), ("flops", "f32", (1000000,), {"flops": 3e6}),
                ("launch", "back to back", (200,), {}), ("sort", "f32", (1000, 1000000), {}), ("sort", "u32", (1000000,), {}),
                ("fft", "f32", (1048576,), {"flops": 1e8, "bytes": 16777216.0})) for n in sizes for spec in specs]
    rows.append(row(specs[0], "sort", "f64", 1000, "left out", "left out: the device has no double precision"))
    rows.append(row(specs[-1], "build", "cold", 1, "failed", "the compiler crashed"))
    return {"koine": version, "command": "compare", "device": {key: devices[0][key] for key in ("spec", "name", "backend", "driver")},
            "precision": None, "policy": "default", "seconds": {"total": 1, "build": 0}, "date": "2026-01-01T00:00:00Z", "commit": f"{name}0123abcd",
            "machine": {"processor": name, "memory": 2**34, "system": "Linux", "id": machine}, "quick": True, "devices": devices,
            "results": rows}

def hostile(value):
    if isinstance(value, dict):
        return {key: part if key in ("koine", "command", "verdict", "id") else hostile(part) for key, part in value.items()}
    if isinstance(value, list):
        return [hostile(part) for part in value]
    return f"{value}<script>alert(1)</script>\"'&<img src=x onerror=alert(2)>" if isinstance(value, str) else value

def write(name, value):
    (work / name).write_text(value if isinstance(value, str) else json.dumps(value))

good, other = report("First", "aaaa", ["cuda:0", "opencl:0.0", "host"]), report("Second", None, ["opencl:1.0"])
bad = hostile(report("Third", "cccc", ["cuda:0"]))
bad["results"].append(hostile(row("cuda:0", "select", "f32", 1000, "wrong", "error 3, at most 0 allowed")))
write("good.json", good)
write("other.json", other)
write("hostile.json", bad)
write("again.json", good)
write("version.json", good | {"koine": "0.1.0", "machine": other["machine"]})
write("short.json", json.dumps(good)[:500])
write("explain.json", good | {"explain": {}, "results": []})
write("stats.json", good | {"command": "stats"})
write("rows.json", good | {"results": [1, None, "x"]})
write("empty.json", "")
PYTHON

# merge STATUS NAME...: these reports onto $work/page/report.html.
merge()
{
    wanted_status=$1
    shift
    for name in "$@"; do
        set -- "$@" "$work/$name"
        shift
    done
    expect_exit "$wanted_status" koine compare --merge "$@" --output "$work/page" --force
}

# good_page: it is well-formed, and in Chromium, where that is installed, as it should be.
good_page()
{
    python3 "${srcdir:-.}/tests/e2e/page.py" "$work/page/report.html" || fail "the page of '$ran': see above"
}

merge 0 good.json other.json
expect_stdout '^2 reports on one page: .*page/report\.html$'
expect_empty stderr
expect_files "$work/page" report.html
good_page
for text in 'First cuda:0 (cuda:0, machine 1)' 'Second opencl:1.0 (opencl:1.0, machine 2)' 'failed: the compiler crashed' \
    'left out: the device has no double precision' 'not in this report' '<figure class="roofline">' '(less is better)' ', commit Second0123abcd<'; do
    grep -qF "$text" "$work/page/report.html" || fail "the page does not say: $text"
done
expect_exit 3 koine compare --merge "$work/good.json" --output "$work/page"
expect_stderr 'report\.html.*--force'

grep -qF '<td>sort</td><td>u32</td><td>images/real.tif</td>' "$work/page/report.html" || fail "the page does not name the real data"
# The results come first, then the machines and devices.
heads=$(grep -o '<h2>[^<]*' "$work/page/report.html" | sed 's/<h2>//' | tr '\n' ';')
[ "$heads" = "Jobs by device;Rates by job;Rooflines;Time against size;All results;Real data;Machines;Devices;" ] || fail "the page has: $heads"

# Strings of a report are text, and a wrong answer is red and the exit status.
merge 1 good.json hostile.json
grep -qF '<td class="wrong">WRONG: error 3, at most 0 allowed&lt;script&gt;' "$work/page/report.html" || fail "the wrong answer is not marked"
good_page

# What cannot be taken is named, and the others are on the page.
merge 3 good.json again.json version.json short.json explain.json stats.json rows.json empty.json nowhere.json other.json
expect_stderr 'again\.json: it is of the same machine as .*good\.json; left out'
expect_stderr 'version\.json: it is of Koine 0\.1\.0, and this is .*; left out'
expect_stderr 'short\.json:1:.*; expected report\.json, or what --json wrote, of koine compare; left out'
expect_stderr 'explain\.json: it was made with --explain and has no results; left out'
expect_stderr 'stats\.json: it is not a report of koine compare'
expect_stderr 'rows\.json: "results" is not a list of rows'
expect_stderr 'empty\.json:1:'
expect_stderr 'nowhere\.json: unable to open'
expect_stderr '8 of 10 reports left out; the page has the others'
grep -qF 'Second opencl:1.0 (opencl:1.0, machine 2)' "$work/page/report.html" || fail "the last report is not on the page"
rm -r "$work/page"
merge 3 short.json
expect_stderr 'no report is left, and no page was written'
[ ! -e "$work/page" ] || fail "a folder was left"

expect_exit 2 koine compare --merge "$work/good.json"
expect_stderr '--merge needs --output DIR'
expect_exit 2 koine compare --quick --merge "$work/good.json" --output "$work/page"
expect_stderr '--merge runs nothing'
expect_exit 3 koine compare --quick --baseline "$work/short.json" --output "$work/page" launch
expect_stderr 'short\.json:1:'
[ ! -e "$work/page" ] || fail "a folder was left"

# Real data, where KOINE_DATA has them: a recording is one more case, named in the report; one that is too short is left out with
# the reason; what is not there is not mentioned.
mkdir -p "$work/data/acc"
awk 'BEGIN { print "x,y"; for (i = 0; i < 117156; i++) print (i * 7919) % 127 - 60 "," i % 7 }' >"$work/data/acc/ACC_msr2023.csv"
KOINE_DATA=$work/data
export KOINE_DATA
# rows EXPRESSION: holds of the rows of report.json.
rows()
{
    python3 - "$work/real/report.json" "$1" <<'PYTHON' || fail "report.json of '$ran': $1"
import json, sys
rows = [row for row in json.load(open(sys.argv[1]))["results"] if row["data"] or row["case"] == "ACC_msr2023.csv, x"]
print(rows)
assert eval(sys.argv[2])
PYTHON
}
expect_exit 0 koine compare --quick --device host stats autocorr --output "$work/real"
rows '[(row["data"], row["n"], row["verdict"]) for row in rows] == [("acc/ACC_msr2023.csv", 117156, "right")]'
grep -qF '<td>acc/ACC_msr2023.csv</td>' "$work/real/report.html" || fail "report.html does not name the recording"
sed -n 1,9p "$work/data/acc/ACC_msr2023.csv" >"$work/short"
mv "$work/short" "$work/data/acc/ACC_msr2023.csv"
expect_exit 0 koine compare --quick --device host stats --output "$work/real" --force
rows '[row["verdict"] for row in rows] == ["left out"] and "it has 8 rows, not 117156" in rows[0]["why"]'
unset KOINE_DATA
expect_exit 0 koine compare --quick --device host stats --output "$work/real" --force
rows 'rows == []'
