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
