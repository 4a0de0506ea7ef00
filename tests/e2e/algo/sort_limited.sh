#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `koine sort --memory-limit`: in pieces it gives the same bytes as without a limit.
. "${srcdir:-.}/tests/e2e/lib.sh"
command -v python3 >/dev/null || skip python3 "python3 is not installed"

# 2,000,000 doubles of arbitrary bits, with many zeros of both signs and NaN, in both byte orders.
(cd "$work" && python3 -) <<'PYTHON' || fail "the input was not made"
import array, os, struct
n = 2000000
def save(name, dtype, numbers):
    header = "{'descr': '%s', 'fortran_order': False, 'shape': (%d,), }\n" % (dtype, n)
    with open(name, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + numbers.tobytes())
keys = array.array("d", os.urandom(8 * n))
for value, step in ((0.0, 7), (-0.0, 5), (float("nan"), 11)):
    keys[::step] = array.array("d", [value]) * len(keys[::step])
save("keys.npy", "<f8", keys)
save("values.npy", "<i4", array.array("i", range(n)))
with open("keys.csv", "w") as file:
    file.write("a,b\n")
    file.writelines("%d,%d\n" % (i, i * 7919 % 600011) for i in range(600000))
keys.byteswap()
save("swapped.npy", ">f8", keys)
n = 2001
save("segments.npy", "<i4", array.array("i", (min(2000000, i // 2 * 2000) for i in range(n))))
PYTHON
cd "$work"
case $KOINE in
/*) ;;
*) KOINE=$OLDPWD/$KOINE ;;
esac

# The one that shares the work with the host.
second=host
koine devices --json devices.json --force >log
[ ! "$(sed -n '/"default": true/p' devices.json)" ] || second=$(sed -n 's/.*"spec": "\([^"]*\)".*/\1/p' devices.json | head -1)

# What the program holds before it sorts, in MB; sanitizers make it more.
expect_exit 5 koine sort keys.npy -o pieces.npy --device host --memory-limit 1k
held=$(sed -n 's/.* besides the \([0-9]*\)\.[0-9] MB .*/\1/p' err)
[ "$held" ] || fail "what the program holds is not told: $(cat err)"

# compare KEYS MB OPTION...: the same with and without a limit of so much more, in several pieces.
compare()
{
    keys=$1
    limit=$((held + $2))M
    shift 2
    expect_exit 0 koine sort keys.npy -o whole.npy --force --device host "$@"
    expect_exit 0 koine sort "$keys" -o pieces.npy --force --device host "$@" --memory-limit "$limit" --json limited.json
    expect_stdout '2000000 float64 in [0-9]+ pieces on '
    grep -Eq '"pieces": ([2-9]|[0-9]{2,}),' limited.json || fail "the JSON does not say how many pieces"
    rm limited.json
    cmp whole.npy pieces.npy || fail "pieces give something else: $*"
    case " $* " in *" --top "*) return ;; esac
    expect_exit 0 koine sort "$keys" -o pieces.npy --force --device host --device "$second" "$@" --json shared.json
    expect_stdout '2000000 float64 in 8 pieces on '
    [ "$(grep -c '"dropped": null' shared.json)" -eq 2 ] || fail "the JSON does not have two devices: $(cat shared.json)"
    cmp whole.npy pieces.npy || fail "two devices give something else: $*"
}

compare keys.npy 10
compare swapped.npy 8 --descending
compare keys.npy 12 --argsort
compare keys.npy 18 --by-key values.npy --descending
compare keys.npy 8 --top 1000
compare swapped.npy 12 --top 100000 --by-key values.npy

# All at once where there is room for it; and in a pipe.
expect_exit 0 koine sort keys.npy -o whole.npy --force --device host
expect_exit 0 koine sort keys.npy -o once.npy --device host --memory-limit 2GiB --json once.json
grep -q '"pieces": 1,' once.json || fail "it was done in pieces"
cmp whole.npy once.npy || fail "a limit that is no limit changes the result"
koine sort - -o - --device host --memory-limit "$((held + 10))M" <keys.npy >piped.npy || fail "sorting in a pipe"
cmp whole.npy piped.npy || fail "the pipe gave something else"

# A column of a CSV file goes by way of a file.
expect_exit 0 koine sort keys.csv --column b -o whole.npy --force --device host
expect_exit 0 koine sort keys.csv --column b -o pieces.npy --force --device host --memory-limit "$((held + 8))M"
expect_stdout '600000 float64 in [0-9]+ pieces on '
cmp whole.npy pieces.npy || fail "a column in pieces gives something else"
expect_exit 0 koine sort keys.npy -o whole.npy --force --device host

# Refused: nothing is written, and what is enough is.
rm -f pieces.npy
expect_exit 5 koine sort keys.npy -o pieces.npy --device host --memory-limit 1M
expect_stderr 'memory-limit of 1\.0 MB: a sort in pieces needs .*--memory-limit [0-9]+M is enough'
expect_one_line
enough=$(sed -n 's/.*--memory-limit \([0-9]*M\) is enough/\1/p' err)
expect_exit 0 koine sort keys.npy -o pieces.npy --device host --memory-limit "$enough"
cmp whole.npy pieces.npy || fail "the least limit gives something else"
rm pieces.npy
expect_exit 3 koine sort keys.npy -o pieces.npy --device host --memory-limit "$((held + 10))M" --nan error
expect_stderr 'element 0 \(from 0\) is not a number'
expect_exit 2 koine sort keys.npy -o pieces.npy --memory-limit 0
expect_exit 2 koine sort keys.npy -o pieces.npy --memory-limit much
head -c 1000000 keys.npy >short.npy
expect_exit 3 koine sort short.npy -o pieces.npy --device host --memory-limit "$((held + 10))M"
expect_stderr 'short\.npy: the header declares 2000000 elements.*is the file complete'
expect_exit 3 koine sort keys.npy -o pieces.npy --device host --memory-limit "$((held + 10))M" --by-key short.npy
[ ! -e pieces.npy ] || fail "a refused run left a result"
for left in .koine*; do
    [ ! -e "$left" ] || fail "temporary files are left"
done

need_device
on_oclgrind && exit 0
device=$(awk -F'"' '/"spec":/ { spec = $4 } /"default": true/ { print spec }' devices.json)
[ "$precision" = double ] || exit 0
expect_exit 5 koine sort keys.npy -o pieces.npy --device "$device" --memory-limit 1M --less 'a < b'
expect_stderr '--less, by whose order pieces cannot be merged, needs '
# Segments of 2,000, and empty ones between them, some of them at a time.
expect_exit 5 koine sort keys.npy -o pieces.npy --device "$device" --memory-limit 1M --segments segments.npy
expect_stderr 'the longest of --segments, each of which is sorted as a whole, needs '
enough=$(sed -n 's/.*--memory-limit \([0-9]*\)M is enough/\1/p' err)
expect_exit 0 koine sort keys.npy -o pieces.npy --device "$device" --memory-limit "$((enough + 20))M" --segments segments.npy
expect_stdout ' in [0-9]+ pieces on '
expect_exit 0 koine sort keys.npy -o whole.npy --force --device "$device" --segments segments.npy
cmp whole.npy pieces.npy || fail "segments in pieces give something else"
rm pieces.npy
expect_exit 0 koine sort keys.npy -o whole.npy --force --device host
expect_exit 5 koine sort keys.npy -o pieces.npy --device "$device" --memory-limit 1M
enough=$(sed -n 's/.*--memory-limit \([0-9]*\)M is enough/\1/p' err)
expect_exit 0 koine sort keys.npy -o pieces.npy --device "$device" --memory-limit "$((enough + 20))M"
expect_stdout ' in [0-9]+ pieces on '
cmp whole.npy pieces.npy || fail "a device's pieces give something else"

# What one device does alone is refused for several.
for option in "--top 5" "--segments segments.npy" "--less a<b" "--algorithm merge" "--memory-limit 1G"; do
    # shellcheck disable=SC2086 # two words
    expect_exit 2 koine sort keys.npy -o none.npy --device host --device host $option
    expect_stderr "^koine sort: --device names 2 devices; ${option% *} uses one|^koine sort: --device names 2 devices; $option uses one"
done
[ ! -e none.npy ] || fail "'$ran' leaves a result"
