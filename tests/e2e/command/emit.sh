#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# koine emit: the text is self-contained, the metadata describe it, and nothing is overwritten.
. "${srcdir:-.}/tests/e2e/lib.sh"
kernels=${srcdir:-.}/tests/data/run

expect_exit 0 koine emit --list
cp "$work/out" "$work/names"
for name in reduce_leaves sort_blocks absolute_deviations; do
    grep -qx "$name" "$work/names" || fail "emit --list does not name $name"
done

# Every one of ours can be emitted.
while read -r name; do
    expect_exit 0 koine emit "$name" --output "$work/ours"
    for ending in cl json h; do
        expect_stdout "/$name\.$ending\$"
        [ -s "$work/ours/$name.$ending" ] || fail "there is no $name.$ending"
    done
    if grep -q '^ *# *include' "$work/ours/$name.cl"; then
        fail "$name.cl includes another file"
    fi
    grep -q "$name" "$work/ours/$name.cl" || fail "$name.cl does not hold it"
done <"$work/names"
# Their headers stand beside one another, in C and in C++.
for header in "$work"/ours/*.h; do
    echo "#include \"ours/${header##*/}\""
done >"$work/headers.c"
# shellcheck disable=SC2086 # the compiler may have words of its own
${CC:-cc} -std=c11 -Wall -Wextra -Werror -DCL_TARGET_OPENCL_VERSION=120 -fsyntax-only "$work/headers.c" 2>"$work/err" ||
    fail "the headers do not compile: $(cat "$work/err")"
if command -v "${CXX:-c++}" >/dev/null; then
    # shellcheck disable=SC2086
    ${CXX:-c++} -x c++ -std=c++17 -Wall -Wextra -Werror -DCL_TARGET_OPENCL_VERSION=120 -fsyntax-only "$work/headers.c" \
        2>"$work/err" || fail "the headers do not compile as C++: $(cat "$work/err")"
fi

expect_exit 0 koine emit "$kernels/kernels.cl" -D OFFSET=3 -D 'TWICE(x)=2*x' --output "$work/out.d/deep"
expect_files "$work/out.d/deep" kernels.cl kernels.h kernels.json
expect_exit 3 koine emit "$kernels/kernels.cl" --output "$work/out.d/deep"
expect_stderr 'kernels\.cl: already exists.*--force'
expect_exit 0 koine emit "$kernels/kernels.cl" --force --output "$work/out.d/deep" -D OFFSET=4 --target opencl
grep -q '^#define OFFSET 4' "$work/out.d/deep/kernels.cl" || fail "the macro is not in the text"
rm "$work/out.d/deep/kernels.cl"
expect_exit 3 koine emit "$kernels/kernels.cl" --output "$work/out.d/deep" # all three or none
expect_files "$work/out.d/deep" kernels.h kernels.json

koine emit - --output "$work/in" <"$kernels/kernels.cl" >/dev/null || fail "emit does not read standard input"
expect_files "$work/in" stdin.cl stdin.h stdin.json

# The source is spared.
cp "$kernels/kernels.cl" "$work/mine.cl"
cp "$work/mine.cl" "$work/mine.before"
expect_exit 3 koine emit "$work/mine.cl" --output "$work" --force
expect_stderr 'is the source itself'
cmp -s "$work/mine.cl" "$work/mine.before" || fail "the source was overwritten"

# The header is C and C++.
expect_exit 0 koine emit "$kernels/kernels.cl" --output "$work/c" -D 'TEXT="a\b"'
cat >"$work/c/use.c" <<'EOF'
#include "kernels.h"
#include <stdio.h>
#include <string.h>
int main(void)
{
    puts(KERNELS_MACRO_TEXT);
    return !(scale_ARGS == 3 && scale_ARG_factor == 1 && scale_BYTES_factor == 4 && group_sums_BYTES_tile == 4 &&
             negate3_BYTES_v == 16 && places_GROUP_X == 4 && places_GROUP_Y == 2 && strcmp(follow_NAME, "follow") == 0 &&
             strcmp(KERNELS_MACRO_OFFSET, "0") == 0);
}
EOF
# shellcheck disable=SC2086 # the compiler may have words of its own
${CC:-cc} -Wall -Werror "$work/c/use.c" -o "$work/c/use" || fail "kernels.h does not compile"
[ "$("$work/c/use")" = '"a\b"' ] || fail "kernels.h is wrong: $("$work/c/use")"

# Alone in its folder, the text compiles and gives the same answers.
if command -v clang >/dev/null; then
    for file in "$work/ours/reduce_leaves.cl" "$work/c/kernels.cl"; do
        cp "$file" "$work/alone.cl"
        (cd / && clang -x cl -cl-std=CL1.2 -Xclang -finclude-default-header -target spir64 -fsyntax-only \
            "$OLDPWD/$work/alone.cl") >"$work/err" 2>&1 ||
            (cd "$work" && clang -x cl -cl-std=CL1.2 -Xclang -finclude-default-header -target spir64 -fsyntax-only alone.cl) ||
            fail "clang refuses $file: $(cat "$work/err")"
    done
fi
# And with every compiler that is here; 4: there is none.
status=0
koine check "$work/ours/sort_blocks.cl" "$work/ours/reduce_leaves.cl" "$work/c/kernels.cl" >"$work/out" 2>"$work/err" ||
    status=$?
[ $status -eq 0 ] || [ $status -eq 4 ] || fail "what was emitted does not compile: $(cat "$work/out" "$work/err")"
expect_exit 2 koine emit
expect_stderr 'name a kernel or a file'
expect_exit 2 koine emit reduce_leafs
expect_stderr "did you mean 'reduce_leaves'"
expect_exit 2 koine emit --target metal reduce_leaves
expect_stderr "'metal' is not one of opencl, cuda"
expect_exit 2 koine emit --list reduce_leaves
expect_exit 3 koine emit "$work/missing.cl"
expect_stderr 'missing\.cl: there is no such'

# CUDA: alone or beside OpenCL; the header tells how it is launched.
expect_exit 0 koine emit "$kernels/kernels.cl" --target cuda --output "$work/cu"
expect_files "$work/cu" kernels.cu kernels.h kernels.json
expect_exit 3 koine emit "$kernels/kernels.cl" --target cuda --target opencl --output "$work/cu"
expect_files "$work/cu" kernels.cu kernels.h kernels.json
expect_exit 0 koine emit "$kernels/kernels.cl" --target cuda --target opencl --force --output "$work/cu"
expect_files "$work/cu" kernels.cl kernels.cu kernels.h kernels.json
cat >"$work/cu/use.c" <<'EOF'
#include "kernels.h"
#include <stddef.h>
#include <string.h>
int main(void)
{
    struct koine_item item = {{0}, {7, 1, 1}, {64, 1, 1}, {0}, 0, 0};
    return !(sizeof item == 64 && offsetof(struct koine_item, groups) == 24 && item.fold == 0 &&
             offsetof(struct koine_item, dims) == 60 && strcmp(scale_SYMBOL, "koine_scale") == 0);
}
EOF
# shellcheck disable=SC2086
${CC:-cc} -Wall -Werror "$work/cu/use.c" -o "$work/cu/use" || fail "kernels.h does not compile"
"$work/cu/use" || fail "kernels.h is wrong"
echo '__kernel void f(__constant float *c, __global float *p) { p[get_global_id(0)] = c[3]; }' >"$work/bank.cl"
expect_exit 0 koine emit "$work/bank.cl" --target cuda -D KN_CONSTANT=bank --output "$work/cu"
grep -q 'kn_bank' "$work/cu/bank.h" || fail "bank.h does not name the bank"
# What is too much for static shared memory, and for a launch's arguments, is told to the host.
expect_exit 0 koine emit "${srcdir:-.}/tests/conformance/language/local_large.cl" --target opencl --target cuda --output "$work/cu"
grep -q '^#define one_array_LOCAL_BYTES 60000 ' "$work/cu/local_large.h" || fail "local_large.h does not tell the bytes"
! grep -q '^#define few_LOCAL_BYTES' "$work/cu/local_large.h" || fail "local_large.h: few has bytes of its own"
expect_exit 0 koine emit "${srcdir:-.}/tests/conformance/images/many_images.cl" --target cuda --output "$work/cu"
grep -q '^#define many_IMAGE_ADDRESSES 1' "$work/cu/many_images.h" || fail "many_images.h does not tell of addresses"
! grep -q '^#define few_IMAGE_ADDRESSES' "$work/cu/many_images.h" || fail "many_images.h: few takes addresses"
printf '#include "many_images.h"\nint main(void) { return sizeof(struct koine_image) != 128; }\n' >"$work/cu/use.c"
# shellcheck disable=SC2086
${CC:-cc} -Wall -Werror "$work/cu/use.c" -o "$work/cu/use" || fail "many_images.h does not compile"
"$work/cu/use" || fail "many_images.h is wrong"
printf '\n__kernel void f(read_write image2d_t i) {}\n' >"$work/image.cl"
expect_exit 1 koine emit "$work/image.cl" --target cuda --output "$work/none"
expect_stderr 'image\.cl:2.*read_write'
[ ! -e "$work/none" ] || fail "a refused program left files"

if command -v python3 >/dev/null; then
    python3 - "$work/cu/kernels.json" "$work/cu/bank.json" "$work/cu/local_large.json" "$work/cu/many_images.json" \
        <<'PYTHON' || fail "the metadata for CUDA"
import json, sys
r, bank, large, images = (json.load(open(name)) for name in sys.argv[1:])
large = {k["name"]: k["cuda_local_bytes"] for k in large["kernels"]}
assert large["one_array"] == 60000 and large["few"] == 0 and large["caller"] == large["called"] + 20000, large
images = {k["name"]: {a["cuda"] for a in k["arguments"] if a["kind"] == "image"} for k in images["kernels"]}
assert images == {"many": {"image address"}, "few": {"image"}, "beside_words": {"image address"}}, images
assert [(s["target"], s["file"]) for s in r["sources"]] == [("opencl", "kernels.cl"), ("cuda", "kernels.cu")], r
k = {k["name"]: k for k in r["kernels"]}
assert k["scale"]["cuda_symbol"] == "koine_scale"
assert [a["cuda"] for a in k["group_sums"]["arguments"]] == ["pointer", "offset", "pointer"]
assert k["scale"]["arguments"][1]["cuda"] == "value" and r["sources"][1]["bank_bytes"] == 0
assert bank["target"] == "cuda" and bank["source"] == "bank.cu" and 0 < bank["sources"][0]["bank_bytes"] <= 65536
assert [a["cuda"] for a in bank["kernels"][0]["arguments"]] == ["bank offset", "pointer"]
PYTHON
fi

if command -v python3 >/dev/null; then
    python3 - "$work/c/kernels.json" "$work/ours/reduce_leaves.json" <<'PYTHON' || fail "the metadata"
import json, sys
r = json.load(open(sys.argv[1]))
k = {k["name"]: k for k in r["kernels"]}
a = k["group_sums"]["arguments"]
assert [(x["index"], x["name"], x["kind"], x["type"], x["size"]) for x in a] == [
    (0, "x", "global", "uint", 4), (1, "tile", "local", "uint", 4), (2, "y", "global", "uint", 4)], a
assert a[0]["const"] is True and a[2]["const"] is False and a[1]["local_bytes"] == "elements * size"
assert k["places"]["required_work_group"] == [4, 2, 1] and k["scale"]["required_work_group"] is None
assert k["follow"]["arguments"][0]["type"] == "struct line" and k["follow"]["arguments"][1]["size"] == 16
macros = {m["name"]: m for m in r["macros"]}
assert macros["OFFSET"]["value"] == "0" and macros["OFFSET"]["given"] is False
assert macros["TEXT"]["given"] is True and r["uses_double"] is False
ours = json.load(open(sys.argv[2]))
assert "GROUP" in {m["name"] for m in ours["macros"]}
PYTHON
fi
