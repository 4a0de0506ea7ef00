#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every public header compiles alone, as strict C11 and as C++, without a warning, and brings in no CL or CUDA header.
. "${srcdir:?}/tests/e2e/common.sh"

cxx=
for candidate in ${CXX:+"$CXX"} c++ g++ clang++; do
    if command -v "$candidate" >/dev/null 2>&1; then
        cxx=$candidate
        break
    fi
done
[ -n "$cxx" ] || echo "no C++ compiler: C only"

for header in "$srcdir"/include/koine/*.h; do
    name=koine/${header##*/}
    printf '#include <%s>\nint main(void) { return 0; }\n' "$name" >"$work/use.c"
    cp "$work/use.c" "$work/use.cpp"
    ${CC:-cc} -std=c11 -pedantic -Wall -Wextra -Werror -I"$srcdir/include" -c -o "$work/use.o" "$work/use.c" ||
        fail "$name does not compile alone as C11"
    [ -z "$cxx" ] ||
        $cxx -std=c++11 -pedantic -Wall -Wextra -Werror -I"$srcdir/include" -c -o "$work/use.o" "$work/use.cpp" ||
        fail "$name does not compile alone as C++11"
    case $name in
    koine/opencl.h | koine/cuda.h) continue ;;
    esac
    if grep -nE '#[[:space:]]*include[[:space:]]*<(CL/|cuda)' "$header"; then
        fail "$name needs an OpenCL or CUDA header"
    fi
done
