#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A row of an option table compiles only with a field of its option's type.
. "${srcdir:?}/tests/e2e/common.sh"

# compiles KIND FIELD...: whether a table of such rows does; what the compiler says is in $work/said.
compiles()
{
    kind=$1
    shift
    {
        cat <<END
#include "cli/framework/options.h"

struct sample {
    struct common_arguments common;
    bool yes;
    int number;
    unsigned natural;
    size_t count;
    double real;
    char *writable;
    const char *text;
    struct string_list list;
    enum { FIRST, SECOND } choice;
};

extern const struct option_row rows[];
const struct option_row rows[] = {
END
        for field; do
            echo "    {\"name\", 'n', OPTION_FIELD($kind, struct sample, $field), .metavar = \"N\", .help = \"a row\"},"
        done
        echo '    {.name = NULL},'
        echo '};'
    } >"$work/rows.c"
    ${CC:-cc} -std=gnu11 -Wall -Wextra -Wshadow -Wconversion -Werror -fsyntax-only -I"$srcdir/src" \
        -I"$srcdir/include" "$work/rows.c" >"$work/said" 2>&1
}

# With each kind: the right fields compile; of the others, in one table, every one is refused by its name.
fields='yes number natural count real writable text list choice common.quiet common.policy common.json common.devices common.memory_limit'
while read -r kind right; do
    # shellcheck disable=SC2086 # words
    compiles "$kind" $right || fail "$kind with $right does not compile: $(cat "$work/said")"
    wrong=
    for field in $fields; do
        case " $right " in
        *" $field "*) ;;
        *) wrong="$wrong $field" ;;
        esac
    done
    # shellcheck disable=SC2086 # words
    if compiles "$kind" $wrong; then
        fail "$kind with$wrong compiles"
    fi
    for field in $wrong; do
        grep -Eq "error: static.*the field $field is not of the type that $kind fills" "$work/said" ||
            fail "$kind with $field is not refused: $(cat "$work/said")"
    done
done <<END
OPTION_FLAG yes common.quiet
OPTION_STRING text common.json
OPTION_PATH text common.json
OPTION_STRINGS list common.devices
OPTION_COUNT count common.memory_limit
OPTION_BYTES count common.memory_limit
OPTION_CHOICE number common.policy
END
if compiles OPTION_FLAG nothing; then
    fail "a row of a field that is not there compiles"
fi
if compiles OPTION_DOUBLE real; then
    fail "a row of a kind that is not there compiles"
fi

# The commands' tables are written so: a bare offset would be looked at by nobody.
grep -rnE '\.offset = |OPTION_[A-Z]+, *(NULL|")' "$srcdir/src/cli" --include='*.[ch]' |
    sed '/define OPTION_FIELD/d' >"$work/bare"
[ ! -s "$work/bare" ] || fail "a row without OPTION_FIELD: $(cat "$work/bare")"
