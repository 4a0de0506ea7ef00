#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# OpenCL's loader, CLBlast and clFFT are opened at run time: nothing links them, installed ones are used, missing ones are
# reported with the reason; without them the host's own code computes.
. "${srcdir:-.}/tests/e2e/lib.sh"
KOINE_CUDA_LIBRARIES=/nonexistent # OpenCL is what this is about
export KOINE_CUDA_LIBRARIES
KOINE_DEVICE=auto
export KOINE_DEVICE
unset KOINE_OPENCL_LIBRARY

# What computes is in no list of needed libraries.
probe=${KOINE_PROBE:-${builddir:-.}/koine-probe}
command -v readelf >/dev/null || skip readelf "readelf is not installed"
for file in "${builddir:-.}/.libs/libkoine.so" "$KOINE" "$probe"; do
    [ -e "$file" ] || continue # --disable-shared
    readelf -d "$file" >"$work/needed" 2>/dev/null || continue # a wrapper
    grep -q 'NEEDED.*libc\.' "$work/needed" || continue
    ! grep -E 'NEEDED.*(OpenCL|clblast|clFFT|libcuda|nvrtc|cublas|cufft)' "$work/needed" || fail "$file links the above"
    echo "$file links no library that computes"
    looked=yes
done
[ "${looked:-no}" = yes ] || fail "neither the library nor the command was looked at"

write_numbers "$work/numbers.csv"

# expect_host REASON VARIABLE=VALUE: without OpenCL the host computes, and it is said why OpenCL is absent.
expect_host()
{
    expect_exit 0 env "$2" "$KOINE" devices
    expect_stdout "^OpenCL: not used: $1"
    expect_stdout '^No usable device'
    expect_exit 0 env "$2" "$KOINE" devices --json -
    expect_stdout "\"why_not\": \"$1"
    expect_exit 0 env "$2" "$KOINE" stats "$work/numbers.csv"
    expect_stdout '\(host\)'
    expect_stderr "OpenCL: $1"
    expect_exit 4 env "$2" "$KOINE" stats --device opencl:0.0 "$work/numbers.csv"
    expect_stderr "OpenCL: $1"
    [ ! -x "$probe" ] || expect_exit 1 env "$2" "$probe"
}
expect_host '/nonexistent cannot be opened: .*No such file' KOINE_OPENCL_LIBRARY=/nonexistent
mkdir "$work/broken"
: >"$work/broken/libOpenCL.so.1"
expect_host 'libOpenCL\.so\.1 cannot be opened: .*; apt-get install ocl-icd-libopencl1' "LD_LIBRARY_PATH=$work/broken"
empty=$(cd "${builddir:-.}" && pwd)/tests/fake/libempty.so
if [ -e "$empty" ]; then # built with the unit tests
    expect_host '.*libempty.so is too old or no OpenCL loader: it has no clBuildProgram' "KOINE_OPENCL_LIBRARY=$empty"
fi

need_device
expect_exit 0 koine devices
cat "$work/out"
if on_oclgrind; then skip oclgrind "other people's kernels, whose reads Oclgrind would report as ours"; fi
# What clFFT 2.12 makes assigns a const pointer to another, which Intel's compiler refuses as C does.
if grep -q '"vendor": "Intel' "$work/devices.json"; then skip intel "clFFT's kernels do not compile on Intel's runtime"; fi
grep -q '^OpenCL: CLBlast is there$' "$work/out" || skip clblast "libclblast.so.1 is not there"
grep -q '^OpenCL: clFFT is there$' "$work/out" || skip clfft "libclFFT.so.2 is not there"
command -v python3 >/dev/null || skip python3 "python3 is not installed"
sources=$(cd "${srcdir:-.}" && pwd)
(cd "$work" && PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$sources/tests/e2e python3 -c '
import arrays
arrays.save("a.npy", "f4", range(12), (3, 4))
arrays.save("line.npy", "c8", [complex(i, -i) for i in range(8)])') || fail "making the arrays"

# Both are used when they are named.
gemm()
{
    env "$@" "$KOINE" gemm "$work/a.npy" "$work/a.npy" --transpose-b --library clblast -o "$work/c.npy" --force
}
fft()
{
    env "$@" "$KOINE" fft "$work/line.npy" --library clfft -o "$work/f.npy" --force
}
expect_exit 0 gemm A=
expect_stdout ' by CLBlast, on '
expect_exit 0 fft A=
expect_stdout '\(clfft: clFFT [0-9]'
(cd "$work" && PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$sources/tests/e2e python3 -c '
import arrays
rows = [range(0, 4), range(4, 8), range(8, 12)]
assert list(arrays.load("c.npy")[2]) == [sum(x * y for x, y in zip(a, b)) for a in rows for b in rows], arrays.load("c.npy")
found = arrays.load("f.npy")[2]
assert abs(found[0] - (28 - 28j)) < 1e-4, found') || fail "the answers are wrong"

# expect_without REASON VARIABLE=VALUE...: they are refused where they are named, and our own kernels serve.
expect_without()
{
    reason=$1
    shift
    expect_exit 0 env "$@" "$KOINE" devices
    expect_stdout "^OpenCL: CLBlast is not used: libclblast\.so\.1 $reason"
    expect_stdout "^OpenCL: clFFT is not used: libclFFT\.so\.2 $reason"
    expect_exit 4 gemm "$@"
    expect_stderr "CLBlast: libclblast\.so\.1 $reason"
    expect_exit 4 fft "$@"
    expect_stderr "clFFT: libclFFT\.so\.2 $reason"
    expect_exit 0 env "$@" "$KOINE" gemm "$work/a.npy" "$work/a.npy" --transpose-b -o "$work/c.npy" --force
    expect_stdout ' by own, on '
    expect_exit 0 env "$@" "$KOINE" fft "$work/line.npy" -o "$work/f.npy" --force
    expect_stdout '\(own: '
}
: >"$work/broken/libclblast.so.1"
: >"$work/broken/libclFFT.so.2"
rm "$work/broken/libOpenCL.so.1"
expect_without 'cannot be opened: .*; apt-get install libcl' "LD_LIBRARY_PATH=$work/broken"
if [ -e "$empty" ]; then
    mkdir "$work/empty"
    ln -s "$empty" "$work/empty/libclblast.so.1"
    ln -s "$empty" "$work/empty/libclFFT.so.2"
    expect_without 'has no (CLBlast|clfft)' "LD_LIBRARY_PATH=$work/empty"
fi

# Another loader than theirs: the same one under another name, which is two to the dynamic linker.
loader=$({ /sbin/ldconfig -p 2>/dev/null || ldconfig -p; } | awk '$1 == "libOpenCL.so.1" { print $NF; exit }')
if [ -r "$loader" ]; then
    expect_exit 0 env KOINE_OPENCL_LIBRARY="$loader" "$KOINE" devices
    expect_stdout '^OpenCL: CLBlast is there$'
    LC_ALL=C sed 's/libOpenCL\.so\.1/libOpenCX.so.1/g' "$loader" >"$work/libOpenCX.so.1"
    expect_without 'calls another OpenCL loader' "KOINE_OPENCL_LIBRARY=$work/libOpenCX.so.1"
fi
