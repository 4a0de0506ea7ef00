# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# For the e2e tests: `. "$srcdir/tests/e2e/common.sh"`. A folder for the test ($work, removed at the end), and
# ways to end a test early.
set -eu
LC_ALL=C
export LC_ALL

work=$(mktemp -d "${builddir:-.}/e2e-XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

# fail WORDS: the test fails.
fail()
{
    echo "FAIL: $*"
    exit 1
}

# skip NEED WORDS: the test is skipped, unless NEED ("data", "cuda", ...) is listed in KOINE_REQUIRE: then it fails.
skip()
{
    need=$1
    shift
    case ",${KOINE_REQUIRE:-}," in
    *",$need,"*) fail "KOINE_REQUIRE asks for $need, but: $*" ;;
    esac
    echo "SKIP: $*"
    exit 77
}
