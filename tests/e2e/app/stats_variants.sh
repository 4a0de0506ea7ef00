#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `koine stats`: each variant and method by name, all with the same bits; prefixes, sweeps, both precisions.
. "${srcdir:-.}/tests/e2e/lib.sh"
command -v python3 >/dev/null || skip python3 "python3 is not installed"

# look EXPRESSION...: checks that each is true of the JSON in $work/r.json (stats.py).
look()
{
    python3 "${srcdir:-.}/tests/e2e/stats.py" json "$work/r.json" "$@" || fail "the JSON of '$ran'"
}

# compute OPTION...: leaves $work/r.json.
compute()
{
    expect_exit 0 koine stats --force --json "$work/r.json" "$@"
}

# 1000 rows: a whole numbers of 8 bits, b others, c mean 0.
awk 'BEGIN { print "a, b,c"; for (i = 0; i < 1000; i++) print (i * 37) % 201 - 90 "," (i * 7919) % 1009 / 8 + 0.1 "," (i % 2 ? -3 : 3) }' \
    >"$work/made.csv"

for variant in serial vectorized parallel parallel-vectorized; do
    case $variant in
    parallel-vectorized) options="--parallel --vectorized" ;;
    *) options=--$variant ;;
    esac
    for method in auto sort select fused; do
        # shellcheck disable=SC2086
        compute $options --method "$method" --num-partitions 7 "$work/made.csv"
        expect_stdout "\\(host\\), variant $variant, double precision; seconds: "
        ran_method=$method
        [ "$method" != auto ] || ran_method=fused
        look '[x["column"] for x in r["results"]] == ["a", "b", "c"]' \
            "all(x['variant'] == '$variant' and x['method'] == '$ran_method' for x in r['results'])" \
            'all(x["precision"] == "double" and x["device"] == "host" for x in r["results"])' \
            'r["results"][0]["in_bytes"] == (r["results"][0]["method"] == "fused")' \
            'not r["results"][1]["in_bytes"]' \
            'all([p["n"] for p in x["partitions"]] == ends(1000, 7) for x in r["results"])' \
            'all(p["seconds"] >= 0 for x in r["results"] for p in x["partitions"])' \
            'all((x["cv"], x["mad"]) == tuple(x["partitions"][-1][k] for k in ("cv", "mad")) for x in r["results"])' \
            'r["results"][2]["mean"] == 0 and r["results"][2]["cv"] is None and r["results"][2]["mad"] == 3' \
            'not any("sweep_seconds" in x for x in r["results"])'
        # The sums of a method have one order; median and MAD are exact in all.
        grep '"\(n\|mean\|std\|cv\|median\|mad\)":' "$work/r.json" >"$work/values"
        [ -s "$work/$ran_method" ] || cp "$work/values" "$work/$ran_method"
        cmp -s "$work/values" "$work/$ran_method" || fail "'$ran' gives other values than --serial"
        grep '"\(n\|median\|mad\)":' "$work/r.json" >"$work/values"
        [ -s "$work/medians" ] || cp "$work/values" "$work/medians"
        cmp -s "$work/values" "$work/medians" || fail "'$ran' gives other medians than --serial --method auto"
    done
done
expect_stdout ' c +1000 +0 +3 +infinite +0 +3$'

# How the prefixes are cut.
compute --serial --partition-step 300 "$work/made.csv"
look 'all([p["n"] for p in x["partitions"]] == [300, 600, 900, 1000] for x in r["results"])'
compute --serial --partition_step 500 "$work/made.csv"
look 'all([p["n"] for p in x["partitions"]] == [500, 1000] for x in r["results"])'
compute --serial "$work/made.csv"
look 'all(x["partitions"] == [] for x in r["results"])'
expect_exit 0 koine stats --serial --column a --num_partitions 4 "$work/made.csv"
expect_stdout '^The prefixes of each column:$'
[ "$(grep -Ec ' (250|500|750|1000) +[-0-9.]+ +[0-9.]+ +[-0-9.e]+$' "$work/out")" -eq 4 ] || fail "not four prefixes: $(cat "$work/out")"
# More prefixes than rows: the first are empty, and have no value.
printf 'v\n2\n4\n6\n' >"$work/three.csv"
compute --serial --num-partitions 5 "$work/three.csv"
look '[(p["n"], p["mad"]) for p in r["results"][0]["partitions"]] == [(0, None), (1, 0), (1, 0), (2, 1), (3, 2)]'

# A sweep has the same values, and one time for all prefixes.
compute --serial --sweep --num-partitions 7 "$work/made.csv"
grep '"\(n\|mean\|std\|cv\|median\|mad\)":' "$work/r.json" >"$work/values"
cmp -s "$work/values" "$work/fused" || fail "'$ran' gives other values than without --sweep"
look 'all(p["seconds"] is None for x in r["results"] for p in x["partitions"])' \
    'all(x["sweep_seconds"] >= 0 and x["seconds"] >= 0 for x in r["results"])'
expect_exit 0 koine stats --serial --sweep --json - "$work/made.csv"
expect_stderr '^koine stats: --sweep uses 75 prefixes of each column; --num-partitions'
cp "$work/out" "$work/r.json"
look 'all(len(x["partitions"]) == 75 for x in r["results"])'

# Both precisions.
compute --serial --precision both "$work/made.csv"
look 'r["precision"] == "both"' '[x["precision"] for x in r["results"]] == ["double", "float"] * 3' \
    'agree(x for x in r["results"] if x["column"] != "b")' 'not agree(r["results"])' \
    'abs(r["results"][2]["cv"] / r["results"][3]["cv"] - 1) < 1e-7'
expect_stdout '^file +column +CV double +CV float$'

# Missing cells are counted; a column without any is no number, in words and as null.
printf 'a,b\n1,5\n,6\n3,7\n' >"$work/holes.csv"
compute --serial --missing omit --num-partitions 2 "$work/holes.csv"
look '[(x["missing"], x["n"]) for x in r["results"]] == [(1, 2), (0, 3)]' \
    '[[p["n"] for p in x["partitions"]] for x in r["results"]] == [[1, 2], [1, 3]]'
printf 'v\n5\n' >"$work/one.csv"
compute --serial --num-partitions 1 "$work/one.csv"
look '[r["results"][0][k] for k in ("n", "mean", "std", "cv", "median", "mad")] == [1, 5, 0, 0, 5, 0]'

# Several files: a table with a line for each of them.
mkdir "$work/folder"
cp "$work/made.csv" "$work/folder/ACC_002.csv"
head -n 400 "$work/made.csv" >"$work/folder/ACC_001.csv"
expect_exit 0 koine stats --serial --output "$work/files" --partition-step 400 "$work/folder"
expect_stdout '^file +MAD\(a\) +MAD\(b\) +MAD\(c\) +CV\(a\) +CV\(b\) +CV\(c\)$'
[ "$(sed -n '/^MAD and CV of all files:$/,$p' "$work/out" | grep -o 'ACC_...\.csv' | tr '\n' ' ')" = "ACC_001.csv ACC_002.csv " ] ||
    fail "the table of all files: $(cat "$work/out")"
expect_files "$work/files" partitions.csv stats.csv
[ "$(head -n 1 "$work/files/partitions.csv")" = file,column,device,variant,method,precision,n,cv,mad,seconds ] ||
    fail "partitions.csv begins with $(head -n 1 "$work/files/partitions.csv")"
[ "$(cut -d, -f 2,4,7 "$work/files/partitions.csv" | tail -n +2 | tr '\n' ' ')" = \
    "a,serial,399 b,serial,399 c,serial,399 a,serial,400 a,serial,800 a,serial,1000 b,serial,400 b,serial,800 b,serial,1000 c,serial,400 c,serial,800 c,serial,1000 " ] ||
    fail "partitions.csv: $(cat "$work/files/partitions.csv")"

# All variants; without a device those of the host.
expect_exit 0 without_devices "$KOINE" stats --all-variants --json "$work/none.json" "$work/made.csv"
expect_stderr '^koine stats: variant gpu is skipped: no device'
cp "$work/none.json" "$work/r.json"
look 'sorted(set(x["variant"] for x in r["results"])) == ["parallel", "parallel-vectorized", "serial", "vectorized"]' 'agree(r["results"])'
compute --device host "$work/made.csv"
look 'set(x["variant"] for x in r["results"]) == {"parallel-vectorized"}'
compute --all-variants --device host "$work/made.csv"
look 'not any(x["variant"] == "gpu" for x in r["results"])'

need_device
methods="sort select fused" repetitions=2
! on_oclgrind || { methods=fused && repetitions=1; }
for method in $methods; do
    status=0
    koine stats --gpu --method "$method" --precision "$precision" "$work/one.csv" >"$work/out" 2>&1 || status=$?
    if [ "$status" -eq 4 ] && grep -q 'does not have the method' "$work/out"; then
        echo "not tested: $(cat "$work/out")"
        continue
    fi
    compute --all_variants --method "$method" --precision "$precision" --repetitions "$repetitions" --num-partitions 3 "$work/made.csv"
    look '[x["variant"] for x in r["results"][:5]] == ["serial", "vectorized", "parallel", "parallel-vectorized", "gpu"]' \
        "all(x['method'] == '$method' for x in r['results'])" 'len(r["results"]) == 15' \
        'r["device"]["spec"] == r["results"][4]["device"] != "host"'
    look 'agree(r["results"])'
    look 'all(len(set((x["median"], x["mad"]) for x in r["results"] if x["column"] == c)) == 1 for c in "abc")'
done
! on_oclgrind && [ "$precision" = double ] || exit 0

# Where times are compared each computation has one before it that is not timed: told by a kernel that says when it runs.
mkdir -p "$work/cl/algo/robust"
sed 's/^    uint item = (uint)get_local_id(0), copy.*/&\n    if (get_global_id(0) == 0)\n        printf("counted\\n");/' \
    "${srcdir:-.}/cl/algo/robust/robust_count.cl" >"$work/cl/algo/robust/robust_count.cl"
# counted TIMES OPTION...
counted()
{
    times=$1
    shift
    expect_exit 0 env KOINE_KERNEL_PATH="$work/cl" "$KOINE" stats --gpu --column a "$@" "$work/made.csv"
    [ "$(grep -c '^counted$' "$work/out")" -eq "$times" ] || fail "'$ran' has not computed $times times: $(cat "$work/out")"
}
counted 1
counted 3 --repetitions 2
counted 6 --repetitions 2 --num-partitions 2
counted 4 --sweep --num-partitions 2
