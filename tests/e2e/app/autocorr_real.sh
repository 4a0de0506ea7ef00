#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `koine autocorr` on photographs: the distance between bubbles of a foam (three frames), found by another program to be
# 25.89, 25.94 and 26.00 pixels by Pearson's correlation and 27.43, 27.48 and 27.59 by that of Lu et al. (2009), to within
# 0.05; of a labyrinth of wrinkles 56.5, and of gravel between 20.1 and 20.2.
. "${srcdir:-.}/tests/e2e/lib.sh"
command -v python3 >/dev/null || skip python3 "python3 is not installed"
need_data images/foam_1.tif
images=$data/images
need_tiff "$images/foam_1.tif"

# check JSON EXPECTED... : each frame's R_max within 0.05 pixels.
check()
{
    python3 - "$@" <<'PYTHON' || fail "R_max of $ran"
import json, sys
found = [frame["r_max"] for frame in json.load(open(sys.argv[1]))["frames"]]
expected = [float(text) for text in sys.argv[2:]]
print("R_max", found, "expected", expected)
assert len(found) == len(expected) and all(abs(a - b) <= 0.05 for a, b in zip(found, expected))
PYTHON
}

foam="$images/foam_1.tif $images/foam_3.tif $images/foam_5.tif --region 60,10,640,350 --max-offset 60"
# shellcheck disable=SC2086
expect_exit 0 koine autocorr $foam --json "$work/pearson.json" --verify 3
check "$work/pearson.json" 25.89 25.94 26.00
# shellcheck disable=SC2086
expect_exit 0 koine autocorr $foam --normalize lu2009 --json "$work/lu2009.json"
check "$work/lu2009.json" 27.43 27.48 27.59
# shellcheck disable=SC2086
expect_exit 0 koine autocorr $foam --method naive --interval 0.5 --json "$work/naive.json"
check "$work/naive.json" 25.89 25.94 26.00
expect_stdout '^growth, free: R_max = '
