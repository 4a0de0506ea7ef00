#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# OpenCL drivers that terminate the process that opens them are probed once by koine-probe, named, and left out; and commands
# that do not need OpenCL do not open it.
. "${srcdir:-.}/tests/e2e/lib.sh"

driver=$builddir/tests/fake/libdriver.so
[ -e "$driver" ] || skip check "the fake driver is built with the unit tests, which need Check"
KOINE_PROBE=${KOINE_PROBE:-$builddir/koine-probe}
FAKE_DRIVER_LOG=$work/opened
KOINE_CUDA_LIBRARIES=/nonexistent # else an NVIDIA GPU is what "auto" takes, and OpenCL is not opened
export KOINE_PROBE FAKE_DRIVER_LOG KOINE_CUDA_LIBRARIES
KOINE_DEVICE=auto # a device is looked for
export KOINE_DEVICE
mkdir "$work/vendors"
cp "$driver" "$work/libdriver.so"
echo "$work/libdriver.so" >"$work/vendors/faulty.icd"
write_numbers "$work/numbers.csv"

# with FAKE COMMAND...: the command on a machine whose only driver is the fake one, which does FAKE.
with()
{
    fake=$1
    shift
    env OCL_ICD_VENDORS="$work/vendors" FAKE_DRIVER="$fake" "$@"
}

# expect_opened N: so many times since the last look.
expect_opened()
{
    found=0
    [ ! -e "$FAKE_DRIVER_LOG" ] || found=$(wc -l <"$FAKE_DRIVER_LOG")
    [ "$found" -eq "$1" ] || fail "the driver was opened $found times instead of $1: $ran"
    rm -f "$FAKE_DRIVER_LOG"
}

# Who does not want OpenCL does not open it, with koine-probe or without.
for probe in "$KOINE_PROBE" /nonexistent; do
    expect_exit 0 with abort env KOINE_PROBE="$probe" "$KOINE" stats --device host "$work/numbers.csv"
    expect_exit 0 with abort env KOINE_PROBE="$probe" "$KOINE" --version
    expect_exit 4 with abort env KOINE_PROBE="$probe" "$KOINE" stats --device cuda:0 "$work/numbers.csv"
    expect_stderr 'CUDA: no NVIDIA driver'
done
expect_opened 0
if [ -e "$builddir/tests/fake/libcuda.so.1" ]; then
    mkdir "$work/nvidia"
    ln -s "$builddir/tests/fake/libcuda.so.1" "$builddir/tests/fake/libnvrtc.so.13" "$work/nvidia"
    # The fake GPU computes nothing, so the command may end in any way but by the driver's signal.
    for spec in cuda:0 auto gpu; do
        status=0
        with abort env KOINE_CUDA_LIBRARIES="$work/nvidia" "$KOINE" stats --device $spec "$work/numbers.csv" >/dev/null 2>&1 ||
            status=$?
        [ $status -lt 128 ] || fail "--device $spec ends with status $status"
    done
    expect_opened 0
fi

# Without koine-probe the driver is opened directly: that is what this is about.
status=0
(with abort env KOINE_PROBE=/nonexistent "$KOINE" devices >/dev/null 2>&1) || status=$?
[ $status -ne 0 ] || fail "the fake driver does not end the process"
if ! sanitized; then
    [ $status -eq 4 ] || fail "status $status for a driver that aborts"
    # And one that aborts later, after it has taken the signal for itself.
    expect_exit 4 with late env KOINE_PROBE=/nonexistent "$KOINE" devices
    expect_stderr '^koine devices: crashed \(SIGABRT, .*\) while nothing was running on a device'
fi
rm -f "$FAKE_DRIVER_LOG"

# It is named, with what it does, and nothing else is lost.
expect_exit 0 with abort "$KOINE" devices --all
expect_stdout '^opencl:faulty.icd +.*libdriver.so .*the driver is skipped: .* signal 6 \(Aborted\)'
expect_opened 1
expect_exit 0 with abort "$KOINE" devices --all --json -
expect_stdout '"why_not": "the driver is skipped: .* signal 6'
expect_exit 0 with abort "$KOINE" stats "$work/numbers.csv"
expect_stderr "opencl:faulty.icd \(.*libdriver.so\) \[not usable: the driver is skipped"
expect_exit 4 with abort "$KOINE" stats --device opencl:0.0 "$work/numbers.csv"
expect_opened 0 # the verdict is kept

# Another file of the driver's is tried again, and so is this one after 'koine cache clear'.
cp "$driver" "$work/other.so"
mv "$work/other.so" "$work/libdriver.so"
expect_exit 0 with exit "$KOINE" devices --all
expect_stdout 'the driver is skipped: .* exit status 3'
expect_opened 1
expect_exit 0 koine cache clear
expect_exit 0 with segv "$KOINE" devices --all
expect_stdout 'signal 11'
expect_opened 1

# One that can be opened is opened, once by koine-probe and then by each command.
expect_exit 0 koine cache clear
expect_exit 0 with fine "$KOINE" devices --all
expect_opened 2
expect_exit 0 with fine "$KOINE" devices --all
expect_opened 1
grep -q faulty "$work/out" && fail "a driver that can be opened is left out"

# A host application that ignores SIGCHLD learns nothing of a child's end.
expect_exit 0 koine cache clear
expect_exit 0 with abort sh -c "trap '' CHLD; exec '$KOINE' devices --all"
expect_stdout 'the driver is skipped'
# Where nothing can be kept, it is tried each time.
rm -f "$FAKE_DRIVER_LOG"
for _ in 1 2; do
    expect_exit 0 with abort env KOINE_CACHE_DIR=/dev/null/cache "$KOINE" devices --all
    expect_stdout 'the driver is skipped'
done
expect_opened 2

# The drivers beside it are used.
need_device
"$KOINE" devices --json - >"$work/before.json"
folder=${OCL_ICD_VENDORS:-/etc/OpenCL/vendors}
case $folder in
*.icd) cp "$folder" "$work/vendors" ;;
*) cp "$folder"/*.icd "$work/vendors" ;;
esac
expect_exit 0 with abort "$KOINE" devices --json -
grep -o '"name": .*' "$work/before.json" >"$work/wanted"
grep -o '"name": .*' "$work/out" >"$work/found"
cmp "$work/wanted" "$work/found" || fail "not the devices that there are without the faulty driver"
expect_exit 0 with abort "$KOINE" stats "$work/numbers.csv"
expect_stderr "^koine: opencl:faulty.icd .*skipped.*signal 6.*'koine cache clear'"
