#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# koine solve --slice: several slices of measured tomography in one run are those of one run each, as one volume.
. "${srcdir:-.}/tests/e2e/lib.sh"
need_data sparse/tooth.h5
command -v python3 >/dev/null || skip python3 "python3 is not installed"
sources=$(cd "${srcdir:-.}" && pwd)
tooth=$data/sparse/tooth.h5
rays=parallel:181,80,80,36.5

# same VOLUME SLICE...: whether the volume's slices are these columns.
same()
{
    PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$sources/tests/e2e python3 - "$@" <<'PYTHON' || fail "'$ran' gives other slices"
import arrays, sys
_, shape, volume = arrays.load(sys.argv[1])
columns = [arrays.load(name)[2] for name in sys.argv[2:]]
assert tuple(shape) == (len(columns), 80, 80), shape
assert list(volume) == [value for column in columns for value in column]
assert columns[0] != columns[1] and max(abs(value) for value in volume) > 0.01
PYTHON
}

for method in fbp cgnr; do
    for slice in 0 1; do
        expect_exit 0 koine solve $rays "$tooth" --slice $slice --method $method -n 5 --device host -o "$work/$slice.npy" --force
    done
    expect_exit 0 koine solve $rays "$tooth" --slice all --method $method -n 5 --device host -o "$work/all.npy" --force \
        --json "$work/all.json"
    same "$work/all.npy" "$work/0.npy" "$work/1.npy"
    [ "$(grep -cE '"slice": [01],' "$work/all.json")" -eq 2 ] || fail "the JSON does not name the slices"
    expect_exit 0 koine solve $rays "$tooth" --slice 0-1 --method $method -n 5 --device host --device host --resume \
        -o "$work/some.npy" --force
    cmp "$work/all.npy" "$work/some.npy" || fail "slices that are shared are others"
done
expect_stdout '^ *slice  '
expect_exit 0 koine solve $rays "$tooth" --slice 1-1 --method fbp --device host -o "$work/one.nii"
[ "$(od -An -td2 -j 40 -N 8 "$work/one.nii" | tr -s ' ')" = " 3 80 80 1" ] || fail "one.nii is not 80 x 80 x 1"
expect_exit 0 koine solve $rays "$tooth" --slice all --method fbp --device host -o "$work/stack.tif"
[ "$(stat -c %s "$work/stack.tif")" -eq $((8 + 2 * (128 + 80 * 80 * 4))) ] || fail "stack.tif has not two pages of floats"
expect_exit 0 koine solve $rays "$tooth" --slice all --method fbp --device host -o "$work/middle.png"
[ "$(od -An -tx1 -N4 "$work/middle.png")" = " 89 50 4e 47" ] || fail "middle.png is no PNG"
# The axis is that of the middle slice, which is slice 1 of the two.
expect_exit 0 koine solve parallel:181,80,80,auto "$tooth" --slice 1 --method fbp --device host -o "$work/1.npy" --force
expect_exit 0 koine solve parallel:181,80,80,auto "$tooth" --slice 1-1 --method fbp --device host -o "$work/some.npy" --force
expect_exit 0 koine solve parallel:181,80,80,auto "$tooth" --slice all --method fbp --device host -o "$work/all.npy" --force
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$sources/tests/e2e python3 - "$work" <<'PYTHON' || fail "AXIS = auto of several slices"
import arrays, sys
every, some, one = (list(arrays.load(sys.argv[1] + name)[2]) for name in ("/all.npy", "/some.npy", "/1.npy"))
assert every[6400:] == some == one
PYTHON
expect_exit 0 koine solve $rays "$tooth" --slice all --device host -o "$work/dry.npy" --dry-run
[ ! -e "$work/dry.npy" ] || fail "--dry-run has written dry.npy"

# refused MESSAGE STATUS OPTION...: and nothing is written.
refused()
{
    message=$1 expected=$2
    shift 2
    expect_exit "$expected" koine solve $rays "$tooth" --method fbp --device host -o "$work/none.npy" "$@"
    expect_stderr "$message"
    [ ! -e "$work/none.npy" ] || fail "'$ran' has left none.npy"
}
refused "'-1' is not a number of at least 0, FIRST-LAST or all" 2 --slice=-1
refused "'first' is not a number" 2 --slice first
refused "'1-' is not FIRST-LAST" 2 --slice 1-
refused "'1-0' is not FIRST-LAST" 2 --slice 1-0
refused "'0-1x' is not FIRST-LAST" 2 --slice 0-1x
refused "'99999999999999999999' is not" 2 --slice 99999999999999999999
refused 'has no slice 2' 3 --slice 1-4
refused '--rhs chooses a column of a .mtx or .npy; --slice all' 2 --slice all --rhs 1
expect_exit 2 koine solve $rays "$tooth" --slice all --method fbp --device host -o "$work/none.mtx"
expect_stderr 'none.mtx'
