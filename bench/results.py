#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""results.py [--check]: writes bench/RESULTS.md, and the table of compared machines in doc/manual/devices.md, from the figures in
bench/results; with --check says whether they are what it would write.

results.py --add REPORT MACHINE DATE: keeps what the table of compared machines needs of a report that `koine compare --json` wrote,
as bench/results/MACHINE/compare.json.

bench/results/index.json has the subjects, in order, the machines, and the vendors whose devices are hoped for. For each machine
and subject MACHINE/SUBJECT.json is a list of runs: `date`, `driver`, `command` (or `how`, if no single command repeats it), `unit`,
`figure` (what kind of time it is), perhaps `peer` (whose figures stand beside them) and `commit`, and `rows`. A row has a `case`,
a figure for each path (`CUDA`, `OpenCL`, `host`, `koine`), and perhaps the `peer`'s and what was `asked`. A figure is a number, or
[median, least, most], of which two may be null.
"""

import json
import re
import sys
from pathlib import Path
from typing import Any

TREE = Path(__file__).resolve().parent.parent
RESULTS = TREE / "bench/results"
PATHS = {"CUDA": "CUDA", "OpenCL": "OpenCL", "host": "host", "koine": "as chosen"}
RUN_KEYS = {"date", "driver", "unit", "figure", "rows"}
BEGIN, END = "<!-- compared machines: made by bench/results.py -->\n", "<!-- end -->\n"
HEAD = """# Results

Made by `bench/results.py` from the files in [results](results), which have the newest figure of each measurement; change those.
How the figures came about, what was tried, and all earlier ones: [history](history).

Every figure comes from a run that checked its answers, with the machine, the driver, the date and the command below its table.
"Device" times are by the device's own events from the first kernel's start to the last one's end, "wall" is what the caller waits
for. Machines differ: repeat a figure beside the one you compare it with (`make bench` builds what is timed). "Times as fast" is
the peer's time divided by ours, or our rate by the peer's, for each path in turn; what was asked is in the unit of the figures.
"""


def load(path: Path) -> Any:
    try:
        return json.loads(path.read_text())
    except ValueError as error:
        raise SystemExit(f"results.py: {path.relative_to(TREE)}: {error}") from None


def check_run(path: Path, run: dict[str, Any]) -> None:
    """Ends the program where a run lacks what says how it was made, or a row its figures."""
    where = f"results.py: {path.relative_to(TREE)}"
    if (
        RUN_KEYS - set(run)
        or set(run) - RUN_KEYS - {"command", "how", "peer", "commit"}
        or ("command" in run) == ("how" in run)
    ):
        raise SystemExit(
            f"{where}: a run has {sorted(run)}, expected {sorted(RUN_KEYS)}, command or how, and perhaps peer and commit"
        )
    if not re.fullmatch(r"\d{4}-\d\d-\d\d", run["date"]):
        raise SystemExit(f"{where}: {run['date']!r} is not a date such as 2026-11-28")
    for row in run["rows"]:
        if "case" not in row or not set(row) & set(PATHS) or set(row) - set(PATHS) - {"case", "peer", "asked"}:
            raise SystemExit(
                f"{where}: a row has {sorted(row)}, expected case, one of {sorted(PATHS)}, and perhaps peer and asked"
            )
        if "peer" in row and "peer" not in run:
            raise SystemExit(f"{where}: {row['case']}: the run does not say whose the peer's figure is")


def number(value: float) -> str:
    return f"{value:,.10g}" if value >= 1000 else f"{value:g}"


def figure(value: Any) -> str:
    """`1.5`, `1.5 (1.4 to 1.6)`, `1.4 to 1.6`, `1.5 (1.4 at least)`."""
    if not isinstance(value, list):
        return number(value)
    median, least, most = value
    spread = [number(x) for x in (least, most) if x is not None]
    bounds = " to ".join(spread) if len(spread) == 2 else f"{spread[0]} at {'least' if most is None else 'most'}"
    return bounds if median is None else f"{number(median)} ({bounds})"


def middle(value: Any) -> float:
    if not isinstance(value, list):
        return float(value)
    return float(value[0] if value[0] is not None else (value[1] + value[2]) / 2)


def ratios(row: dict[str, Any], unit: str) -> str:
    if "peer" not in row:
        return ""
    is_rate = "/" in unit
    shares = [middle(row[path]) / middle(row["peer"]) for path in PATHS if path in row]
    factors = [share if is_rate else 1 / share for share in shares]
    return "; ".join(f"{factor:,.0f}" if factor >= 100 else f"{factor:.3g}" for factor in factors)


def table(rows: list[list[str]]) -> str:
    """With its first row as the head, and without columns that are empty."""
    kept = [i for i in range(len(rows[0])) if any(row[i] for row in rows[1:])]
    lines = ["| " + " | ".join(row[i] for i in kept) + " |" for row in rows]
    return "\n".join([lines[0], "|" + "---|" * len(kept), *lines[1:]]) + "\n"


def subject_section(subject: dict[str, str], machines: dict[str, Any]) -> str:
    rows = [["what", "unit", "machine", *PATHS.values(), "peer", "times as fast", "asked", "run"]]
    notes: list[str] = []
    for machine, about in machines.items():
        path = RESULTS / machine / f"{subject['name']}.json"
        for run in load(path) if path.exists() else []:
            check_run(path, run)
            peer = f" Peer: {run['peer']}." if "peer" in run else ""
            commit = f", at {run['commit']}" if "commit" in run else ""
            how = f"`{run['command']}`" if "command" in run else run["how"]
            notes.append(f"{len(notes) + 1}. {about['name']}, {run['date']}, {run['driver']}{commit}: {how}. "
                         f"{run['figure'][0].upper()}{run['figure'][1:]}.{peer}")  # fmt: skip
            for row in run["rows"]:
                figures = [figure(row[key]) if key in row else "" for key in PATHS]
                asked = number(row["asked"]) if isinstance(row.get("asked"), (int, float)) else row.get("asked", "")
                peer_figure = figure(row["peer"]) if "peer" in row else ""
                rows.append([row["case"], run["unit"], about["short"], *figures, peer_figure, ratios(row, run["unit"]), asked,
                             str(len(notes))])  # fmt: skip
    history = f"[history/{subject['history']}.md](history/{subject['history']}.md)"
    return (
        f"\n## {subject['title']}\n\n{subject['text']} How they came about: {history}.\n\n{table(rows)}\n"
        + "\n".join(notes)
        + "\n"
    )


def results_text(index: dict[str, Any]) -> str:
    names = {subject["name"] for subject in index["subjects"]} | {"compare"}
    for path in sorted(RESULTS.glob("*/*.json")):
        if path.stem not in names or path.parent.name not in index["machines"]:
            raise SystemExit(f"results.py: {path.relative_to(TREE)}: its subject or its machine is not in index.json")
    return HEAD + "".join(subject_section(subject, index["machines"]) for subject in index["subjects"])


# ---- the table of compared machines ----

# The rows of koine compare that stand for a job: job, case, type, the size asked for with --quick, and what heads its column.
COMPARED = [
    ("bandwidth", "read", None, 67108864, "reading, GB/s"), ("flops", "f32", None, 2147483648, "float, GFLOP/s"),
    ("flops", "f64", None, 2147483648, "double, GFLOP/s"), ("launch", "back to back", None, 200, "launch, us"),
    ("build", "cold", None, 1, "build, ms"), ("sort", "f32", None, 1048576, "sort of 2^20, Mkeys/s"),
    ("reduce", "sum f32", None, 16777216, "sum of 2^24, GB/s"), ("fft", "f32", None, 1048576, "FFT of 2^20, GFLOP/s"),
    ("gemm", "f32", None, 512, "product 512, GFLOP/s"),
]  # fmt: skip


def add(report_path: str, machine: str, date: str) -> None:
    report = json.loads(Path(report_path).read_text())
    paths = []
    for device in report["devices"]:
        found = [r for r in report["results"] if r["device"] == device["spec"] and r["why"] != "left out: not on the host"]
        rates = {}
        for job, case, _, size, head in COMPARED:
            match = [
                r for r in found if (r["job"], r["case"], r["n_asked"]) == (job, case, size) and r["verdict"] == "right"
            ]
            if match:
                rates[head] = float(f"{match[0]['rate']:.4g}")
        verdicts = {
            verdict: sum(r["verdict"] == verdict for r in found) for verdict in sorted({r["verdict"] for r in found})
        }
        paths.append({"path": device["backend"], "name": device["name"], "version": device["version"], "driver": device["driver"],
                      "verdicts": verdicts, "rates": rates})  # fmt: skip
    kept = {"date": date, "koine": report["koine"], "quick": report["quick"], "paths": paths}
    (RESULTS / machine).mkdir(parents=True, exist_ok=True)
    (RESULTS / machine / "compare.json").write_text(json.dumps(kept, indent=1) + "\n")


def compared_table(index: dict[str, Any]) -> str:
    heads = [head for *_, head in COMPARED]
    rows = [["machine", "path", "driver", "date", "answers", *heads]]
    seen = set()
    for machine, about in index["machines"].items():
        path = RESULTS / machine / "compare.json"
        if not path.exists():
            continue
        report = load(path)
        seen.add(about["vendor"])
        for entry in report["paths"]:
            right, all_of_them = entry["verdicts"].get("right", 0), sum(entry["verdicts"].values())
            answers = f"{right} of {all_of_them} right" + "".join(
                f", {n} {v}" for v, n in entry["verdicts"].items() if v != "right"
            )
            rows.append([about["name"], {"cuda": "CUDA", "opencl": "OpenCL", "host": "host"}[entry["path"]], entry["driver"] or "",
                         report["date"], answers, *(number(entry["rates"][h]) if h in entry["rates"] else "" for h in heads)])  # fmt: skip
    missing = [vendor for vendor in index["wanted"] if vendor not in seen]
    return (
        table(rows) + f"\nNobody has sent a report from a device of {', '.join(missing[:-1])} or {missing[-1]} yet.\n"
    )


def manual_text(index: dict[str, Any], page: str) -> str:
    before, found, rest = page.partition(BEGIN)
    _, ended, after = rest.partition(END)
    if not found or not ended:
        raise SystemExit("results.py: doc/manual/devices.md has no place for the table of compared machines")
    return before + BEGIN + "\n" + compared_table(index) + "\n" + END + after


def main() -> int:
    if len(sys.argv) == 5 and sys.argv[1] == "--add":
        add(*sys.argv[2:])
    elif sys.argv[1:] not in ([], ["--check"]):
        print(__doc__, file=sys.stderr)
        return 2
    index = load(RESULTS / "index.json")
    page = TREE / "doc/manual/devices.md"
    wanted = {TREE / "bench/RESULTS.md": results_text(index), page: manual_text(index, page.read_text())}
    if sys.argv[1:] == ["--check"]:
        stale = [str(file.relative_to(TREE)) for file, text in wanted.items() if file.read_text() != text]
        for name in stale:
            print(f"results.py: {name} is not what bench/results says: run bench/results.py")
        return bool(stale)
    for file, text in wanted.items():
        file.write_text(text)
    return 0


sys.exit(main())
