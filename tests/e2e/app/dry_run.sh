#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# --dry-run: nothing is computed or written; place, memory and files are those of the run that follows, and what is bad is
# refused as the run does.
. "${srcdir:-.}/tests/e2e/lib.sh"
command -v python3 >/dev/null || skip python3 "python3 is not installed"
unset KOINE_DEVICE

PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$(cd "${srcdir:-.}" && pwd)/tests/e2e
export PYTHONDONTWRITEBYTECODE PYTHONPATH
(cd "$work" && python3 -) <<'PYTHON' || fail "the input was not made"
import arrays, random
random.seed(11)
rows, columns, sides = 240, 160, 100
with open("a.mtx", "w") as file:
    file.write("%%%%MatrixMarket matrix coordinate real general\n%d %d %d\n" % (rows, columns, 4 * rows))
    for row in range(rows):
        for column in random.sample(range(columns), 4):
            file.write("%d %d %.3f\n" % (row + 1, column + 1, random.uniform(0.5, 1)))
arrays.save("b.npy", "f8", (random.random() for _ in range(rows * sides)), (rows, sides))
n = 60000
arrays.save("keys.npy", "f8", (random.random() for _ in range(n)))
arrays.save("values.npy", "i4", range(n))
arrays.save("panels.npy", "f4", (random.random() for _ in range(60 * 40 * 50)), (60, 40, 50))
arrays.save("stack.npy", "u1", random.randbytes(5 * 80 * 90), (5, 80, 90))
arrays.save("volume.npy", "u2", (random.randrange(1 << 16) for _ in range(12 * 20 * 30)), (12, 20, 30))
open("cut.npy", "wb").write(open("keys.npy", "rb").read()[:-3])
open("more.npy", "wb").write(open("keys.npy", "rb").read() + b"more")
open("column.csv", "w").write("a,b\n" + "".join("%d,%.3f\n" % (i % 50 - 25, random.random()) for i in range(9000)))
PYTHON
case $KOINE in
/*) ;;
*) KOINE=$PWD/$KOINE ;;
esac
cd "$work"
touch out err

# Runs the command behind DATA, and compares its results and its memory with the plan.
cat >compare.py <<'PYTHON'
import json, os, resource, subprocess, sys
data, sanitized = int(sys.argv[1]), sys.argv[2] == "sanitized"
assert subprocess.call(sys.argv[3:] + ["--json", "run.json", "--quiet"]) == 0
peak = 0 if sanitized else 1024 * resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
plan, run = json.load(open("plan.json")), json.load(open("run.json"))
assert plan["dry_run"] is True and "dry_run" not in run
for key in "koine", "command", "policy", "precision":
    assert plan[key] == run[key], (key, plan[key], run[key])
for key in "spec", "name", "backend", "driver", "why":
    assert plan["device"].get(key) == run["device"].get(key), (plan["device"], run["device"])
assert set(plan["memory"]) == {"host", "device"} and plan["temporary_bytes"] == 0
assert plan["memory"]["host"] >= data, (plan["memory"], data)
assert peak == 0 or plan["memory"]["host"] >= peak, (plan["memory"], peak)
assert plan["memory"]["host"] < 10 * data + 4e8, plan["memory"]
assert plan["memory"]["device"] == 0 or plan["device"]["backend"] != "host"
seconds = plan["seconds"]
assert abs(sum(seconds.values()) - 2 * seconds["total"]) <= 1e-9 * seconds["total"], seconds
assert seconds["total"] > 0, seconds
assert plan["outputs"]
for output in plan["outputs"]:
    size = os.path.getsize(output["file"])
    assert output["bytes"] in (size, None), (output, size)
    assert output["free"] > 0
PYTHON

# expect_plan DATA COMMAND...: the plan leaves nothing but its JSON, and agrees with the run that follows, which takes DATA
# bytes at least.
expect_plan()
{
    data=$1
    shift
    : >plan.json
    find . | sort >"$private/before"
    expect_exit 0 koine "$@" --dry-run --json plan.json --force
    expect_stdout '^dry run: nothing is computed, and nothing written$'
    expect_stdout '^place: .+\(.+\)$'
    expect_stdout '^memory: about [0-9.]+ MB of the host'
    expect_stdout '^time: about [0-9.e-]+ s \((reading [0-9.e-]+, )?.*computing [0-9.e-]+\)$'
    expect_stdout '^output: .*; [0-9]+ MB are free there$'
    find . | sort | cmp -s - "$private/before" || fail "$ran has left files: $(find .)"
    build=plain
    ! sanitized || build=sanitized
    python3 compare.py "$data" $build "$KOINE" "$@" >out || fail "$ran: the plan is another: $(cat plan.json)"
    rm -rf result* run.json
}

# expect_alike STATUS COMMAND...: refused with the same message as without --dry-run.
expect_alike()
{
    expect_exit "$@"
    cp err said
    expect_exit "$@" --dry-run
    expect_one_line
    cmp -s said err || fail "$ran: another message: $(cat said)"
    [ ! -e result.npy ] || fail "a refused run has left a result"
}

# ---- solve ----
columns=$((240 * 100 * 8 + 160 * 100 * 8))
expect_plan "$columns" solve a.mtx b.npy -n 20 -o result.npy
expect_stdout '\(host: about'
expect_plan "$columns" solve a.mtx b.npy -n 5 -o result.mtx --device host --rhs all --precision float
expect_exit 0 koine solve a.mtx b.npy -o result.npy --device host --resume --dry-run
[ ! -e result.npy.parts ] || fail "a dry run has kept pieces"
expect_plan $((60 * 40 * 50 * 4 + 32 * 32 * 24 * 4)) solve cone:60,40x50,32x32x24,200,100 panels.npy --method fbp -o result.npy
expect_plan $((60 * 40 * 50 * 8 + 32 * 32 * 24 * 8)) solve cone:60,40x50,32x32x24,200,100 panels.npy --method fbp --device host \
    -o result.tif
# The L-curve takes 21 solutions more.
expect_exit 0 koine solve a.mtx b.npy -n 20 --lambda 1 -o result.npy --device host --dry-run --json one.json
expect_exit 0 koine solve a.mtx b.npy -n 20 --lambda-by lcurve -o result.npy --device host --dry-run --json plan.json --force
python3 -c 'import json
one, plan = (json.load(open(name + ".json"))["seconds"]["compute"] for name in ("one", "plan"))
assert abs(plan - 22 * one) < 1e-6 * plan, (one, plan)' || fail "the plan of an L-curve"
rm one.json
expect_exit 0 koine solve a.mtx b.npy --method gram -o result.npy --dry-run --json plan.json --force
expect_stdout '^time: the cost model has no estimate$'
grep -q '"total": null' plan.json || fail "a time that is not known is not null"
expect_alike 2 koine solve a.mtx b.npy -o result.npy --method gram --tolerance 0.1
expect_alike 3 koine solve a.mtx none.npy -o result.npy
expect_alike 4 koine solve a.mtx b.npy -o result.npy --device none
expect_exit 5 koine solve a.mtx b.npy -o result.npy --device host --memory-limit 1M --dry-run
expect_stderr '--memory-limit [0-9]+M is enough$'
held=$(sed -n 's/.* besides the \([0-9]*\)\.[0-9] MB .*/\1/p' err)
touch result.npy
expect_exit 3 koine solve a.mtx b.npy -o result.npy --dry-run
rm result.npy
mkdir result.npy.parts
touch result.npy.parts/journal
expect_exit 3 koine solve a.mtx b.npy -o result.npy --dry-run
expect_exit 0 koine solve a.mtx b.npy -o result.npy --dry-run --force
[ -e result.npy.parts/journal ] || fail "a dry run has removed finished pieces"
rm -r result.npy.parts

# ---- recon ----
expect_exit 0 koine trajectory radial --samples 64 --spokes 50 --matrix 32 -o t
expect_exit 0 koine phantom --matrix 32,32 --kspace t -o k
scan=$((64 * 50 * 40))
expect_plan "$scan" recon k --trajectory t --matrix 32,32 -o result
expect_plan "$scan" recon k --trajectory t --matrix 32,32 --kernel host-double -o result.npy
expect_exit 0 koine recon k --trajectory t --matrix 32,32 --variants --output folder/below --dry-run
expect_stdout '^output: folder/below/variants.csv; [0-9]+ MB are free there$'
[ ! -e folder ] || fail "a dry run has made a folder"
expect_alike 3 koine recon k --trajectory none --matrix 32,32 -o result.npy

# ---- sort ----
keys=$((60000 * 8))
expect_plan "$((2 * keys))" sort keys.npy --argsort -o result.npy
expect_plan "$((keys * 3 / 2))" sort keys.npy --by-key values.npy --top 50 -o result.npy --memory-limit 1G
expect_exit 0 koine sort keys.npy --argsort -o result.npy --device host --memory-limit "$((held + 7))M" --dry-run
expect_stdout '^temporary files: 1.0 MB$'
expect_alike 2 koine sort keys.npy -o result.npy --top 60001
expect_alike 3 koine sort cut.npy -o result.npy
expect_alike 3 koine sort more.npy -o result.npy

# ---- stats ----
expect_plan 72000 stats column.csv --column b --partition-step 1000 --precision float --output result
expect_exit 0 koine stats column.csv column.csv --device host --plots --output folder/below --dry-run
expect_stdout '^output: folder/below/cv.svg; [0-9]+ MB are free there$'
[ ! -e folder ] || fail "a dry run has made a folder"
expect_alike 2 koine stats column.csv --column c

# ---- autocorr ----
expect_plan 36000 autocorr stack.npy --exact --sums sums.npy --output result
rm sums.npy
expect_plan 36000 autocorr stack.npy --method simd --lag 2 --crop 0,0,50,40 --steps --output result --memory-limit "$((held + 30))M"
expect_plan 14400 autocorr volume.npy --volume --device host --output result
expect_exit 0 koine autocorr stack.npy --dry-run --output folder/below
expect_stdout '^and 4 more files, with at least [0-9.]+ MB$'
[ ! -e folder ] || fail "a dry run has made a folder"
expect_alike 2 koine autocorr stack.npy --volume --lag 2
expect_alike 3 koine autocorr none.png --lag 1
expect_exit 5 koine autocorr stack.npy --device host --memory-limit 1M --output result --dry-run
expect_stderr 'take [0-9.]+ MB one at a time'

# ---- on a device: nothing is compiled ----
need_device
device=$(awk -F'"' '/"spec":/ { spec = $4 } /"default": true/ { print spec }' devices.json)
find "$KOINE_CACHE_DIR" -type f | sort >before
for command in 'solve a.mtx b.npy' 'recon k --trajectory t --matrix 32,32' 'sort keys.npy' \
    "stats column.csv --precision float" 'autocorr stack.npy --exact'; do
    case $command in
    stats* | autocorr*) out='--output result' ;;
    *) out='-o result.npy' ;;
    esac
    # shellcheck disable=SC2086 # words
    expect_exit 0 koine $command $out --device "$device" --dry-run --json plan.json --force
    expect_stdout "^place: .* \($device\)$"
    expect_stdout '^memory: about [0-9.]+ MB of the host.s, (and )?[0-9.]+ MB of '
    expect_stdout ' compiling [0-9.]+'
    grep -Eq '"device": [1-9][0-9]+$' plan.json || fail "$command takes no memory of the device"
done
find "$KOINE_CACHE_DIR" -type f | sort | cmp -s before - || fail "a dry run has compiled: $(find "$KOINE_CACHE_DIR" -type f)"
