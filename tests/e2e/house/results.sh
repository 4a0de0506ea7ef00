#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# bench/RESULTS.md and the manual's table of compared machines match what bench/results.py generates from bench/results, and
# doc/links.txt lists the external links of the texts. A table changed by hand is detected, and so are a figure without a date
# and a link that is not listed.
. "${srcdir:?}/tests/e2e/common.sh"

"$srcdir/bench/results.py" --check || fail "see above"
"$srcdir/scripts/links" --check || fail "see above"

mkdir -p "$work/bench" "$work/doc/manual"
cp -R "$srcdir/bench/results" "$srcdir/bench/results.py" "$srcdir/bench/RESULTS.md" "$work/bench/"
cp "$srcdir/doc/manual/devices.md" "$work/doc/manual/"
cp -R "$srcdir/scripts" "$work/"
chmod -R u+w "$work"
"$work/bench/results.py" --check || fail "a copy is stale"

# refused WORDS: bench/results.py --check fails, and says so.
refused()
{
    if "$work/bench/results.py" --check >"$work/said" 2>&1; then
        fail "bench/results.py --check passes, but: $1"
    fi
    grep -q "$1" "$work/said" || fail "bench/results.py --check does not say '$1': $(cat "$work/said")"
}
sed '/^| .* | ms | H200 |/s/| ms |/| us |/' "$srcdir/bench/RESULTS.md" >"$work/bench/RESULTS.md"
refused 'bench/RESULTS.md is not what'
cp "$srcdir/bench/RESULTS.md" "$work/bench/"
sed '/^| NVIDIA/d' "$srcdir/doc/manual/devices.md" >"$work/doc/manual/devices.md"
refused 'doc/manual/devices.md is not what'
sed 's/"date": "[0-9-]*"/"date": "yesterday"/' "$srcdir/bench/results/h200/sort.json" >"$work/bench/results/h200/sort.json"
refused "h200/sort.json: 'yesterday' is not a date"

# A link that is not listed; links of a tree of its own, with the same list.
(cd "$srcdir" && tar -cf - README.md CHANGELOG.md CITATION.cff CODE_OF_CONDUCT.md CONTRIBUTING.md SECURITY.md bench doc packaging \
    python/README.md) | (cd "$work" && tar -xf -)
chmod -R u+w "$work"
"$work/scripts/links" --check || fail "a copy has other links"
echo 'See https://example.org/nowhere.' >>"$work/README.md"
if "$work/scripts/links" --check >"$work/said"; then
    fail "scripts/links --check does not see a new link"
fi
grep -q '^> https://example.org/nowhere$' "$work/said" || fail "scripts/links --check says: $(cat "$work/said")"
