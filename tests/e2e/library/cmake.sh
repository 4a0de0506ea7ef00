#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# find_package(Koine): doc/examples builds as a CMake project against what make install installs, also after that was
# moved, and one of its programs runs (install.sh runs all); so does one with the static library, if it was built; other versions are refused.
. "${srcdir:?}/tests/e2e/common.sh"

command -v cmake >/dev/null || skip cmake "cmake is not installed"
# The options of the make that runs this test must not reach those below.
unset MAKEFLAGS MFLAGS MAKELEVEL
${MAKE:-make} -C "${builddir:?}" install DESTDIR="$work/root" >"$work/log" 2>&1 || fail "make install:
$(tail -n 20 "$work/log")"
config=$(find "$work/root" -name KoineConfig.cmake)
[ -n "$config" ] || fail "no KoineConfig.cmake was installed"
# A library with sanitizers wants a program with them.
sanitize=$(sed -n 's/^KN_CFLAGS =.* \(-fsanitize=[^ ]*\).*/\1/p' "$builddir/Makefile")

# build SOURCES [OPTION...]: in $work/built.
build()
{
    sources=$1
    shift
    rm -rf "$work/built"
    cmake -S "$sources" -B "$work/built" -DCMAKE_C_COMPILER="${CC:-cc}" -DCMAKE_C_FLAGS="$sanitize" \
        -DKoine_DIR="${config%/*}" "$@" >"$work/log" 2>&1 && cmake --build "$work/built" >>"$work/log" 2>&1
}

# project LINE...: a project of these lines with a program of that prints a name of Koine's.
project()
{
    mkdir -p "$work/project"
    { printf 'cmake_minimum_required(VERSION 3.13)\nproject(use C)\n' && printf '%s\n' "$@"; } >"$work/project/CMakeLists.txt"
    cat >"$work/project/use.c" <<'END_OF_C'
#include <koine/error.h>
#include <stdio.h>
int main(void)
{
    return puts(kn_status_name(KN_ERROR_LIMIT)) < 0;
}
END_OF_C
}

build "$srcdir/doc/examples" || fail "doc/examples is not built by CMake:
$(tail -n 30 "$work/log")"
for example in autocorr distribute event_poll least_squares own_kernel recon sort stats tomography; do
    [ -x "$work/built/$example" ] || fail "CMake built no $example"
done
printed=$(OCL_ICD_VENDORS=/nonexistent KOINE_CUDA_LIBRARIES=/nonexistent "$work/built/autocorr" 2>&1) ||
    fail "autocorr, built by CMake, fails: $printed"
echo "$printed" | grep -q '^R_max = 13\.[345] .* by fft on the host$' || fail "autocorr, built by CMake, prints: $printed"

lib=$(cd "${config%/*}/../.." && pwd)
for library in koine koine_static; do
    [ $library != koine_static ] || [ -e "$lib/libkoine.a" ] || continue
    project 'find_package(Koine REQUIRED)' 'find_package(Koine REQUIRED)' 'add_executable(use use.c)' \
        "target_link_libraries(use PRIVATE Koine::$library)"
    build "$work/project" || fail "a project with Koine::$library is not built:
$(tail -n 30 "$work/log")"
    [ "$("$work/built/use")" = KN_ERROR_LIMIT ] || fail "the program with Koine::$library does not run"
done

version=$(sed -n 's/^set(PACKAGE_VERSION "\(.*\)")/\1/p' "${config%.cmake}Version.cmake")
project "find_package(Koine $version EXACT REQUIRED)" 'add_executable(use use.c)' 'target_link_libraries(use PRIVATE Koine::koine)'
build "$work/project" || fail "version $version is not found:
$(tail -n 30 "$work/log")"
for other in "$((${version%%.*} + 1)).0" "${version%.*}.999" "0.0.1 EXACT"; do
    project "find_package(Koine $other REQUIRED)" 'add_executable(use use.c)'
    ! build "$work/project" || fail "a project that wants Koine $other is built with $version"
    grep -q "version: $version\|version $version" "$work/log" || fail "nothing is said of version $version where $other is wanted:
$(tail -n 30 "$work/log")"
done

# Without the libraries it is not found, and CMake says why.
rm -f "$lib"/libkoine.*
project 'find_package(Koine REQUIRED)' 'add_executable(use use.c)'
! build "$work/project" || fail "Koine is found without its libraries"
grep -q 'neither libkoine.so nor libkoine.a' "$work/log" || fail "without libraries CMake says:
$(tail -n 30 "$work/log")"
