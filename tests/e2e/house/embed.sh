#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# scripts/embed: the table has the contents of the files, byte for byte, sorted by name.
. "${srcdir:?}/tests/e2e/common.sh"

mkdir -p "$work/cl/lib"
printf 'quote " backslash \\ trigraph ??/ ??= percent %%d\n\ttab // comment \\\nnext\n\n' >"$work/cl/odd.cl"
printf '#define A(x) #x\r\nA("\\n")\r\n' >"$work/cl/lib/crlf.clh"
printf 'no newline at the end' >"$work/cl/bare.cl"
: >"$work/cl/empty.cl"
awk 'BEGIN { for (i = 0; i < 3000; i++) print "line", i, "of a file longer than any literal may be" }' \
    >"$work/cl/long.cl"

sh "$srcdir/scripts/embed" "$work" cl/odd.cl cl/long.cl cl/lib/crlf.clh cl/bare.cl cl/empty.cl >"$work/a.c"
sh "$srcdir/scripts/embed" "$work" cl/empty.cl cl/bare.cl cl/lib/crlf.clh cl/long.cl cl/odd.cl >"$work/b.c"
cmp "$work/a.c" "$work/b.c" || fail "the order of the arguments shows in the table"

cat >"$work/main.c" <<'END'
#include <stdio.h>
#include <string.h>
#include "source/source.h"
int main(int argc, char **argv)
{
    const struct src_embedded *e;
    for (e = ki_src_embedded_kernels; e->name; e++)
        if (argc < 2)
            puts(e->name);
        else if (!strcmp(argv[1], e->name))
            fputs(e->text, stdout);
    return 0;
}
END
# -std=c11 is a compiler that knows trigraphs.
${CC:-cc} -std=c11 -Wall -Werror -I"$srcdir/src" -I"$srcdir/include" -o "$work/table" "$work/main.c" "$work/a.c"

[ "$("$work/table" | tr '\n' ' ')" = "bare.cl empty.cl lib/crlf.clh long.cl odd.cl " ] ||
    fail "the names are $("$work/table" | tr '\n' ' ')"
for file in odd.cl lib/crlf.clh empty.cl long.cl; do
    "$work/table" "$file" | cmp - "$work/cl/$file" || fail "$file is not what it was"
done
"$work/table" bare.cl >"$work/bare"
{ cat "$work/cl/bare.cl"; echo; } | cmp - "$work/bare" || fail "bare.cl is not what it was"

# No kernel at all is a table of its end alone.
sh "$srcdir/scripts/embed" "$work" >"$work/a.c"
${CC:-cc} -std=c11 -Wall -Werror -I"$srcdir/src" -I"$srcdir/include" -o "$work/table" "$work/main.c" "$work/a.c"
[ -z "$("$work/table")" ] || fail "an empty table has names"

# A file that is missing is an error, not an empty string.
if sh "$srcdir/scripts/embed" "$work" cl/missing.cl >"$work/a.c" 2>"$work/err"; then
    fail "a missing file was embedded"
fi
grep -q missing.cl "$work/err" || fail "the missing file is not named: $(cat "$work/err")"
