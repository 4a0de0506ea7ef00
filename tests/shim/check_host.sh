#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The prelude's built-ins on the host shim give the values that OpenCL C 1.2 specifies. Skipped (77) without a C++17
# compiler.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cxx=${CXX:-c++}
echo 'static_assert(__cplusplus >= 201703L); int main() {}' >"$work/try.cpp"
if ! "$cxx" -std=gnu++17 -o "$work/try" "$work/try.cpp" 2>"$work/log"; then
    echo "no C++17 compiler ($cxx): skipped"
    exit 77
fi
"$cxx" -std=gnu++17 -O1 -Wall -Wextra -Werror -Wno-missing-braces -Wno-psabi -fno-strict-aliasing -frounding-math \
    -I"$here/../../cl/cuda" -o "$work/test_prelude" "$here/test_prelude.cpp"
"$work/test_prelude"
