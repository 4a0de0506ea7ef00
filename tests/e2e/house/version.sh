#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The version is defined in include/koine/koine.h, from which configure and the Python package take it. Copies written by
# hand agree with it: the changelogs' latest entries, the conda recipe and the citation file.
. "${srcdir:?}/tests/e2e/common.sh"

part()
{
    sed -n "s/^#define KN_VERSION_$1 *//p" "$srcdir/include/koine/koine.h"
}
version=$(part MAJOR).$(part MINOR).$(part PATCH)
expr "$version" : '[0-9]*\.[0-9]*\.[0-9]*$' >/dev/null || fail "the version of include/koine/koine.h is \"$version\""

# same WHAT FOUND
same()
{
    [ "$2" = "$version" ] || fail "$1 has the version \"$2\", include/koine/koine.h $version"
}
same "koine --version" "$("${KOINE:?}" --version | sed 's/^koine //')"
same koine.pc "$(sed -n 's/^Version: //p' "${builddir:?}/koine.pc")"
same CHANGELOG.md "$(sed -n 's/^## \[\([0-9.]*\)\].*/\1/p' "$srcdir/CHANGELOG.md" | head -n 1)"
same debian/changelog "$(sed -n '1s/^koine (\([0-9.]*\).*/\1/p' "$srcdir/debian/changelog")"
same packaging/conda/recipe.yaml "$(sed -n 's/^  version: "\(.*\)"/\1/p' "$srcdir/packaging/conda/recipe.yaml")"
same CITATION.cff "$(sed -n 's/^version: //p' "$srcdir/CITATION.cff")"

# The commit in pages and reports: that of a checkout, and whether its files differ; none for an archive, even inside a checkout.
command -v git >/dev/null || exit 0
# commit WANTED: what scripts/commit says of $work/tree.
commit()
{
    sh "$srcdir/scripts/commit" "$work/tree" "$work/commit.c"
    grep -qxF "const char cli_commit[] = \"$1\";" "$work/commit.c" || fail "not the commit '$1': $(cat "$work/commit.c")"
}
mkdir "$work/tree"
commit ''
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a
(cd "$work/tree" && git init -q && echo 1 >file && git add file && git commit -qm a)
now=$(git -C "$work/tree" rev-parse --short=12 HEAD)
commit "$now"
touch -d '2000-01-01' "$work/commit.c"
commit "$now"
[ "$(date -r "$work/commit.c" +%Y)" = 2000 ] || fail "the same commit was written again"
echo 2 >"$work/tree/file"
commit "$now+changes"
mkdir "$work/tree/inside"
sh "$srcdir/scripts/commit" "$work/tree/inside" "$work/commit.c"
grep -qF '[] = "";' "$work/commit.c" || fail "an archive has the commit of the checkout around it: $(cat "$work/commit.c")"
