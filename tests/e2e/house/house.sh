#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The house's direction (CONTRIBUTING.md): a file below src includes from its own room or from one that its room may
# build on, by the path below src, and from its own folder by the bare name; no science includes another. cli and tools are
# clients: of the library they include the public headers, and of its rooms base. What kernels and hosts share is
# cl/shared, plain definitions.
. "${srcdir:?}/tests/e2e/common.sh"

cat >"$work/rooms" <<'END'
base
source base
io base
host base shared
backend base source
engine base source backend
algo base source backend engine host shared
operator base source backend engine host algo shared
app base source backend engine host algo operator shared
distribute base backend engine
tools base io
cli base io tools
probe base backend
END

# look SRC: what is wrong below that folder, a line each.
look()
{
    (cd "$1" && find . -name '*.[ch]' | sed 's|^\./||' | sort) >"$work/files"
    (cd "$1" && while read -r file; do
        sed -n "s|^[[:space:]]*#[[:space:]]*include[[:space:]]*\"\([^\"]*\)\".*|$file \1|p" "$file"
    done <"$work/files") >"$work/includes"
    (cd "$1/../cl" 2>/dev/null && find shared -name '*.h') >>"$work/files" || :
    awk '
        FILENAME == ARGV[1] { known[$1] = 1; for (i = 1; i <= NF; i++) may[$1, $i] = 1; next }
        FILENAME == ARGV[2] { there[$1] = 1; next }
        {
            folder = $1
            sub(/[^\/]*$/, "", folder)
            split($1, from, "/")
            split($2, to, "/")
            if (!(from[1] in known))
                print $1 " lies in no room that this test knows"
            else if ($2 !~ /\//) {
                if (!((folder $2) in there))
                    print $1 " includes \"" $2 "\", which is not in its folder"
            } else if (!($2 in there))
                print $1 " includes \"" $2 "\", which is not below src"
            else if (!((from[1], to[1]) in may))
                print $1 " includes \"" $2 "\": the room " from[1] " does not build on " to[1]
            else if (from[1] == "app" && to[1] == "app" && from[2] != to[2])
                print $1 " includes \"" $2 "\" of another science"
        }' "$work/rooms" "$work/files" "$work/includes"
}

# What it would say of a house that is wrong.
for folder in cl/shared src/base src/source src/backend src/engine src/algo src/app/mri src/app/stats src/io src/tools src/cli \
    src/attic; do
    mkdir -p "$work/$folder"
done
for file in base/a.h source/a.h backend/a.h engine/a.h algo/a.h app/mri/a.h app/stats/a.h io/a.h; do
    : >"$work/src/$file"
done
echo '#include "algo/a.h"' >"$work/src/base/b.c"
: >"$work/cl/shared/a.h"
echo '#include "shared/a.h"' >"$work/src/base/c.c"
printf '#include "shared/a.h"\n#include "shared/b.h"\n' >"$work/src/algo/e.c"
echo '# include "io/a.h" // twice' >"$work/src/app/mri/b.c"
echo '#include "app/stats/a.h"' >"$work/src/app/mri/c.c"
echo '#include "b.h"' >"$work/src/algo/b.c"
echo '#include "base/c.h"' >"$work/src/algo/c.c"
echo '#include "base/a.h"' >"$work/src/attic/a.c"
printf '#include "a.h"\n#include "base/a.h"\n' >"$work/src/algo/d.c"
for room in tools cli; do
    printf '#include "%s/a.h"\n' base io app/mri source backend engine algo >"$work/src/$room/a.c"
done
look "$work/src" >"$work/found"
cat >"$work/expected" <<'END'
algo/b.c includes "b.h", which is not in its folder
algo/c.c includes "base/c.h", which is not below src
algo/e.c includes "shared/b.h", which is not below src
app/mri/b.c includes "io/a.h": the room app does not build on io
app/mri/c.c includes "app/stats/a.h" of another science
attic/a.c lies in no room that this test knows
base/b.c includes "algo/a.h": the room base does not build on algo
base/c.c includes "shared/a.h": the room base does not build on shared
cli/a.c includes "app/mri/a.h": the room cli does not build on app
cli/a.c includes "source/a.h": the room cli does not build on source
cli/a.c includes "backend/a.h": the room cli does not build on backend
cli/a.c includes "engine/a.h": the room cli does not build on engine
cli/a.c includes "algo/a.h": the room cli does not build on algo
tools/a.c includes "app/mri/a.h": the room tools does not build on app
tools/a.c includes "source/a.h": the room tools does not build on source
tools/a.c includes "backend/a.h": the room tools does not build on backend
tools/a.c includes "engine/a.h": the room tools does not build on engine
tools/a.c includes "algo/a.h": the room tools does not build on algo
END
cmp -s "$work/expected" "$work/found" || fail "of a house that is wrong it said:
$(cat "$work/found")"

# A header of cl/shared is OpenCL C and C at once: definitions and comments.
others()
{
    grep -nvE '^(//.*|#(ifndef|define|endif).*|)$' "$@"
}
printf '// a\n\n#ifndef A\n#define A 1 // b\n#endif\nint a;\n' >"$work/cl/shared/a.h"
[ "$(others "$work/cl/shared/a.h")" = "6:int a;" ] || fail "it does not find what is no definition"
if others "$srcdir"/cl/shared/*.h; then
    fail "cl/shared holds more than definitions"
fi

look "$srcdir/src" >"$work/found"
[ "$(wc -l <"$work/includes")" -gt 500 ] || fail "only $(wc -l <"$work/includes") includes were found below $srcdir/src"
[ ! -s "$work/found" ] || fail "the house's direction:
$(cat "$work/found")"
