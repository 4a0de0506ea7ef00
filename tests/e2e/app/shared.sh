#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Commands that share their work among several devices (`koine stats` has stats_devices.sh): the results are those of one device,
# to the bit if that is promised, also if devices fail during the work.
. "${srcdir:-.}/tests/e2e/lib.sh"
command -v python3 >/dev/null || skip python3 "python3 is not installed"
need_device
sources=$(cd "${srcdir:-.}" && pwd)
device=$(sed -n 's/.*"spec": "\([^"]*\)".*/\1/p' "$work/devices.json" | head -1)

# python SCRIPT: in $work, with arrays.py.
python()
{
    (cd "$work" && PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$sources/tests/e2e python3 -c "import arrays, json, random
r = lambda name: json.load(open(name + '.json'))
$1") || fail "'$ran': $1"
}

# ---- autocorr: frames ----

python '
random.seed(3)
for n in range(7): arrays.save("%d.npy" % n, "u1", random.randbytes(30 * (25 + (n == 4))), (25 + (n == 4), 30))
open("0.npy", "w").write("no array")'
frames="$work/0.npy $work/1.npy $work/2.npy $work/3.npy $work/4.npy $work/5.npy $work/6.npy"

# autocorr NAME OPTION...: of these frames, of which the first is none, and the fifth has another size.
autocorr()
{
    name=$1
    shift
    # shellcheck disable=SC2086 # files
    expect_exit 3 koine autocorr $frames --exact --interval 2 --sums "$work/$name.npy" --output "$work/$name" --json "$work/$name.json" --force "$@"
    expect_stderr '^koine autocorr: .*/4.npy: is of 30 x 26 pixels, but the series begins with 30 x 25 \(.*/1.npy\)'
}

# same NAME: files and numbers are those of one device.
same()
{
    diff -r -x '*.svg' "$work/one" "$work/$1" >"$work/log" || fail "'$ran': $(cat "$work/log")"
    cmp -s "$work/one.npy" "$work/$1.npy" || fail "'$ran' gives other sums than one device"
    python "
one, other = r('one'), r('$1')
for frame in one['frames'] + other['frames']: del frame['seconds'], frame['method']
assert one['frames'] == other['frames'] and one['failed'] == other['failed'] and one['growth'] == other['growth']
assert len(other['frames']) == 5 and 'devices' not in one
assert sum(d['pieces'] for d in other['devices']) == 6 and other['pipeline']['frames'] == 5"
}

autocorr one --device "$device"
autocorr twice --device "$device" --device "$device" --memory-limit 1G
same twice
# The host makes rings of exact sums in another order.
autocorr mixed --device "$device" --device host
cmp -s "$work/one.npy" "$work/mixed.npy" || fail "'$ran' gives other sums than one device"
expect_exit 2 koine autocorr "$work/1.npy" "$work/2.npy" --device host --device host --lag 1
expect_stderr '^koine autocorr: --device names 2 devices; --lag uses one'

# ---- solve: columns ----

python '
arrays.save("b.npy", "f8", [random.gauss(0, 1) for _ in range(5 * 12 * 16)], (12 * 16, 5))'

# solve NAME OPTION...: five slices of 12 angles and 16 detectors.
solve()
{
    name=$1
    shift
    expect_exit 0 koine solve parallel:12,16,8 "$work/b.npy" -n 9 --precision float -o "$work/$name.npy" --json "$work/$name.json" --force "$@"
}

# same_solution NAME: as with one device.
same_solution()
{
    cmp -s "$work/solved.npy" "$work/$1.npy" || fail "'$ran' gives another solution than one device"
    python "
one, other = r('solved'), r('$1')
assert one['solutions'] == other['solutions'] and len(other['solutions']) == 5 and one['pieces'] == 1
assert sum(d['pieces'] for d in other['devices']) == other['pieces'] == 5"
}

solve solved --device "$device"
solve twice --device "$device" --device "$device"
same_solution twice
expect_exit 2 koine solve parallel:12,16,8 "$work/b.npy" --device "$device" --device host -o "$work/none.npy"
expect_stderr '^koine solve: .* may differ in what --precision auto is; take float or double'

# ---- recon: Q, and coils ----

python '
arrays.save("k.npy", "c8", [complex(random.gauss(0, 1), random.gauss(0, 1)) for _ in range(3 * 320)], (3, 320))'
expect_exit 0 koine trajectory radial --samples 16 --spokes 20 --matrix 12 -o "$work/t.npy"

# recon NAME OPTION...: three coils.
recon()
{
    name=$1
    shift
    expect_exit 0 koine recon "$work/k.npy" -t "$work/t.npy" -m 12,12 -n 9 --density ramp --sense none -o "$work/$name.npy" --json "$work/$name.json" \
        --force "$@"
}

# near NAME OTHER: images, but for the rounding of Q, which is computed in parts.
near()
{
    python "
a, b = (arrays.load(name + '.npy')[2] for name in ('$1', '$2'))
assert max(abs(x - y) for x, y in zip(a, b)) < 2e-5 * max(map(abs, a)) and len(a) == 144"
}

recon image --device "$device"
recon twice --device "$device" --device "$device"
near image twice
python '
r = r("twice")
assert sum(d["pieces"] for d in r["devices"]) == 13 + 3 and len(r["coil_results"]) == 3 and r["stages"]["q"]["pairs"] == 320 * (24 * 12 + 13)'
recon sums --device "$device" --solver adjoint
recon twice --device "$device" --device "$device" --solver adjoint
cmp -s "$work/sums.npy" "$work/twice.npy" || fail "'$ran' gives other sums than one device"
expect_exit 2 koine recon "$work/k.npy" -t "$work/t.npy" --device "$device" --device host -o "$work/none.npy"
expect_stderr '^koine recon: --device host: devices share the work among themselves, without the host'

# ---- interrupted and resumed ----

# with_parts STATUS NAME: the last command ended so, kept pieces in $work/NAME.npy.parts, and said how to go on.
with_parts()
{
    [ "$status" -eq "$1" ] || fail "exit status $status, expected $1: $(cat "$work/err")"
    expect_stderr "finished pieces are kept in .*/$2.npy.parts; the same command with --resume goes on with them"
    [ -s "$work/$2.npy.parts/journal" ] || fail "there is no $2.npy.parts/journal"
    [ ! -e "$work/$2.npy" ] || fail "there is $2.npy: $(cat "$work/err")"
}

# As soon as a part of columns that last is finished, the command is interrupted; what was kept before is still there. That
# it is not computed again, and after SIGKILL, is test_journal's.
python '
arrays.save("long.npy", "f8", [random.gauss(0, 1) for _ in range(24 * 12 * 16)], (12 * 16, 24))'
set -- solve parallel:12,16,8 "$work/long.npy" --stop fixed --precision float --device "$device" -o "$work/x.npy"
before=0
for signal in INT TERM; do
    ran="solve, SIG$signal"
    # Not from the shell, whose background processes ignore SIGINT; nor may the command inherit that from this script.
    python3 - "$signal" "$before" "$work/x.npy.parts/journal" "$KOINE" "$@" -n 8000 --resume >"$work/out" 2>"$work/err" <<'PYTHON' ||
import os, signal, subprocess, sys, time
number, before, journal, command = getattr(signal, "SIG" + sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4:]
signal.signal(number, signal.SIG_DFL)
process = subprocess.Popen(command)
while process.poll() is None and not (os.path.exists(journal) and os.path.getsize(journal) > before):
    time.sleep(0.002)
process.send_signal(number)
if process.wait() != 130: sys.exit("exit status %d, expected 130" % process.returncode)
PYTHON
        fail "'$ran': $(cat "$work/err")"
    status=130
    with_parts 130 x
    before=$(stat -c %s "$work/x.npy.parts/journal")
done
expect_stderr '^koine solve: finished pieces taken from .*/x.npy.parts: [1-7]$'
expect_exit 3 koine "$@" -n 8000
expect_stderr '^koine solve: .*/x.npy.parts: holds finished pieces of a run that was interrupted: --resume goes on with them, --force begins anew'
expect_exit 3 koine "$@" -n 7999 --resume
expect_stderr '/x.npy.parts/journal: the journal is of other inputs, other options or another version'
touch "$work/long.npy"
expect_exit 3 koine "$@" -n 8000 --resume
expect_stderr 'the journal is of other inputs'
expect_exit 0 koine "$@" -n 1 --force
[ ! -e "$work/x.npy.parts/journal" ] || fail "'$ran' leaves pieces"
expect_exit 2 koine solve parallel:12,16,8 "$work/b.npy" --resume -o -
expect_stderr '^koine solve: --resume: finished pieces are kept beside a result in a file, and there is none'

# ---- devices that fail ----

make_devices_fail || exit 0
export FAILING_DEVICES=1 FAILING_AFTER=9
recon failing --device opencl:0.0 --device opencl:0.1
near image failing
expect_stderr '^koine recon: opencl:0\.1 .* is dropped: (part [0-9]+ of 13 of Q|coil [0-2] of 3): .*CL_OUT_OF_RESOURCES'
export FAILING_AFTER=
solve failing --device opencl:0.0 --device opencl:0.1
same_solution failing
expect_stderr '^koine solve: opencl:0\.1 .* is dropped: column [1-5]: .*CL_OUT_OF_RESOURCES'
autocorr failing --device opencl:0.1 --device opencl:0.0
same failing
expect_stderr '^koine autocorr: opencl:0\.1 .* is dropped: .*CL_OUT_OF_RESOURCES'
# A frame that cannot be done needs no launches.
python '
d = r("failing")["devices"]
assert d[0]["pieces"] <= 2 and "CL_OUT_OF_RESOURCES" in d[0]["dropped"] and d[1]["dropped"] is None'

# ---- all fail; the rest is computed by those that are there again ----

# fail_all COMMAND...: both devices fail after as many launches as let a piece be finished, but not all: a column takes some 65,
# without what is measured first.
fail_all()
{
    FAILING_DEVICES=01 FAILING_AFTER=0
    until [ -e "$work/failing.npy.parts" ] || [ -e "$work/failing.parts" ]; do
        rm -rf "$work/failing.npy" "$work/failing"
        FAILING_AFTER=$((FAILING_AFTER + ${step:-50}))
        status=0
        "$@" --device opencl:0.0 --device opencl:0.1 2>"$work/err" || status=$?
        [ "$status" -eq 4 ] || fail "exit status $status, expected 4: $*, $FAILING_AFTER launches: $(cat "$work/err")"
    done
    FAILING_DEVICES=
}

fail_all koine solve parallel:12,16,8 "$work/b.npy" --precision float -n 9 -o "$work/failing.npy"
with_parts 4 failing
solve failing --device opencl:0.1 --resume
cmp -s "$work/solved.npy" "$work/failing.npy" || fail "'$ran' gives another solution than one device"
python '
d = r("failing")
assert d["resumed"] > 0 and d["resumed"] + sum(p["pieces"] for p in d.get("devices", [])) <= d["pieces"] == 5'
fail_all koine recon "$work/k.npy" -t "$work/t.npy" -m 12,12 --density ramp --sense none -n 9 -o "$work/failing.npy"
with_parts 4 failing
recon failing --device opencl:0.1 --resume
near image failing
python '
d = r("failing")
assert d["resumed"] > 0 and d["resumed"] + sum(p["pieces"] for p in d["devices"]) == 13 + 3 and len(d["coil_results"]) == 3'
# By a named method: the choice of one takes many launches.
# shellcheck disable=SC2086 # files
step=2 fail_all koine autocorr $frames --method direct --exact --interval 2 --sums "$work/failing.npy" --output "$work/failing"
expect_stderr 'finished pieces are kept in .*/failing.parts; the same command with --resume goes on with them'
rm "$work/failing.json"
# shellcheck disable=SC2086
expect_exit 3 koine autocorr $frames --method direct --exact --interval 2 --sums "$work/failing.npy" --output "$work/failing" --json "$work/failing.json" \
    --device opencl:0.1 --resume
expect_stderr '^koine autocorr: finished pieces taken from .*/failing.parts: [1-4]$'
expect_stderr '^koine autocorr: 2 of 7 frames failed; they are named above$'
diff -r -x '*.svg' "$work/one" "$work/failing" >"$work/log" || fail "'$ran': $(cat "$work/log")"
cmp -s "$work/one.npy" "$work/failing.npy" || fail "'$ran' gives other sums than one device"
python '
one, other = r("one"), r("failing")
for frame in one["frames"] + other["frames"]: del frame["seconds"], frame["method"]
assert one["frames"] == other["frames"] and one["failed"] == other["failed"] and one["growth"] == other["growth"]
assert 1 <= other["resumed"] < 5 and other["resumed"] + sum(d["pieces"] for d in other["devices"]) == 6'
[ ! -e "$work/failing.parts" ] || fail "'$ran' leaves failing.parts"
