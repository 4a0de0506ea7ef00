# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# For the e2e tests of the command: runs it as a user would and checks its output. $KOINE is its path.
# Usage: . "${srcdir:-.}/tests/e2e/lib.sh"
. "${srcdir:-.}/tests/e2e/common.sh"

KOINE=${KOINE:-${builddir:-.}/koine}
# Not in $work: a build folder that others can write, or that is another user's, is no place for a cache.
private=$(mktemp -d "${TMPDIR:-/tmp}/koine-test-XXXXXX")
trap 'rm -rf "$work" "$private"' EXIT
KOINE_CACHE_DIR=$private/cache
export KOINE_CACHE_DIR
unset KOINE_LOG

# koine ARGUMENT...: the command under test.
koine()
{
    "$KOINE" "$@"
}

# expect_exit STATUS COMMAND...: runs it; its output is left for the expectations that follow. What it said on standard
# error is in the test's log too: scripts/test looks there for Oclgrind's reports.
expect_exit()
{
    wanted=$1
    shift
    ran=$*
    status=0
    "$@" >"$work/out" 2>"$work/err" || status=$?
    cat "$work/err"
    [ "$status" -eq "$wanted" ] || fail "exit status $status, expected $wanted: $ran
$(cat "$work/out")"
}

# expect_stdout REGEX, expect_stderr REGEX (extended): a line like this was printed.
expect_stdout()
{
    grep -Eq -e "$1" "$work/out" || fail "standard output of '$ran' has no line like: $1
$(cat "$work/out" "$work/err")"
}

expect_stderr()
{
    grep -Eq -e "$1" "$work/err" || fail "standard error of '$ran' has no line like: $1
$(cat "$work/err")"
}

# expect_empty stdout|stderr: nothing was printed there.
expect_empty()
{
    case $1 in
    stdout) printed=$work/out ;;
    stderr) printed=$work/err ;;
    *) fail "expect_empty: $1?" ;;
    esac
    [ ! -s "$printed" ] || fail "'$ran' printed on $1:
$(cat "$printed")"
}

# expect_one_line: the message on standard error is one line.
expect_one_line()
{
    [ "$(wc -l <"$work/err")" -eq 1 ] || fail "the message of '$ran' is not one line:
$(cat "$work/err")"
}

# expect_files DIR [NAME...]: the folder holds these files and no others.
expect_files()
{
    dir=$1
    shift
    found=$(find "$dir" -mindepth 1 -maxdepth 1 -exec basename {} \; | sort | tr '\n' ' ')
    [ "$found" = "${*:+$* }" ] || fail "$dir holds '$found', expected '$*' (after '$ran')"
}

# Where the real data are; skips the test if they are not there.
need_data()
{
    data=${KOINE_DATA:-${srcdir:-.}/../shared/data}
    [ -e "$data/$1" ] || skip data "$data/$1 is not there; KOINE_DATA names the folder"
}

# need_device: skips the test where no device is. $precision is what the default one computes with: double if it can.
need_device()
{
    koine devices --json - >"$work/devices.json" || fail "koine devices --json - fails"
    grep -q '"default": true' "$work/devices.json" || skip device "no OpenCL device is installed"
    precision=$(awk '/"fp64":/ { fp64 = $2 } /"default": true/ { print fp64 ~ /true/ ? "double" : "float" }' \
        "$work/devices.json")
    [ "$precision" = double ] || echo "the default device has no double precision: with --precision float instead"
}

# need_tiff FILE: skips the test where this Koine was built without libtiff; FILE is a TIFF image.
need_tiff()
{
    ! koine autocorr "$1" 2>&1 | grep -q 'but this Koine was built without it' || skip tiff "built without libtiff"
}

# on_oclgrind: whether the default device is Oclgrind's, which is slow, hands out no binaries, and gives the lines of
# the text that it was given instead of those that #line states.
on_oclgrind()
{
    grep -q '"vendor": "Oclgrind"' "$work/devices.json"
}

# write_numbers FILE: a file with a header and two columns with a known answer:
# a = 1 2 3 10: mean 4, std sqrt(12.5), median 2.5, MAD 1; b = -1 -1 -1 -1.
write_numbers()
{
    printf 'time, a, b\n2020-07-24 07:07:49.000000,1.0,-1\n2020-07-24 07:07:49.031250,2.0,-1\n' >"$1"
    printf '2020-07-24 07:07:49.062500,3.0,-1\n2020-07-24 07:07:49.093750,10.0,-1\n' >>"$1"
}

# Runs a command where no OpenCL driver can be found, and that looks for one.
without_devices()
{
    env KOINE_DEVICE=auto OCL_ICD_VENDORS=/nonexistent OCL_ICD_FILENAMES= KOINE_CUDA_LIBRARIES=/nonexistent "$@"
}

# Whether this is a build with sanitizers, which have signal handlers of their own.
sanitized()
{
    grep -q '^KN_CFLAGS =.*-fsanitize=' "${builddir:-.}/Makefile" 2>/dev/null
}

# make_devices_fail: from now on OpenCL has two devices, opencl:0.0 and opencl:0.1, which fail as FAILING_DEVICES,
# FAILING_AFTER and FAILING_CONTEXTS say (failing_opencl.c). False, with the reason, where that cannot be had.
make_devices_fail()
{
    ${CC:-cc} -shared -fPIC -o "$work/failing.so" "${srcdir:-.}/tests/e2e/app/failing_opencl.c" -l:libOpenCL.so.1 -ldl 2>"$work/log" || {
        echo "the rest needs OpenCL's headers: $(head -1 "$work/log")"
        return 1
    }
    KOINE_OPENCL_LIBRARY=$(cd "$work" && pwd)/failing.so
    POCL_DEVICES="pthread pthread"
    export KOINE_OPENCL_LIBRARY POCL_DEVICES FAILING_DEVICES='' FAILING_AFTER='' FAILING_CONTEXTS=''
    koine devices --json - | grep -q '"opencl:0.1"' || {
        echo "the rest needs two OpenCL devices"
        return 1
    }
}
