#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# doc/examples/emitted_reduction.py: an emitted reduction in a program that has PyOpenCL and no libkoine. $PYTHON is the
# interpreter that has it (default: python3).
. "${srcdir:-.}/tests/e2e/lib.sh"
python=${PYTHON:-python3}

"$python" -c 'import numpy, pyopencl' 2>/dev/null || skip pyopencl "$python has no pyopencl and numpy"
need_device
expect_exit 0 koine emit -D GROUP=64 -D WIDTH=4 reduce_leaves --output "$work/made"
"$python" -c 'import pyopencl, sys; sys.exit(not pyopencl.create_some_context(interactive=False).devices[0].double_fp_config)' ||
    skip device "PyOpenCL's device has no double precision"
expect_exit 0 "$python" "${srcdir:-.}/doc/examples/emitted_reduction.py" "$work/made/reduce_leaves.json"
expect_stdout '^sum -*[0-9]+\.[0-9]{9}, sum of squares [0-9]+\.[0-9]{6} on '
