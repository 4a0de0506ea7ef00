#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Malicious kernel files: each is refused, with its place and a reason, in seconds and within half a gigabyte (with a
# driver's compiler loaded, four).
. "${srcdir:-.}/tests/e2e/lib.sh"
default=$(koine devices --json - | grep -c '"default": true') || echo "no device: not tested with koine run"

# many COUNT TEXT: TEXT, COUNT times.
many()
{
    yes -- "$2" | tr -d '\n' | head -c $(($1 * ${#2}))
}

# bounded KILOBYTES COMMAND...: within 20 s (a sanitizer's build is slow), and within so much memory unless this is such
# a build, which wants terabytes of addresses.
bounded()
(
    # shellcheck disable=SC3045 # dash and bash have ulimit -v
    [ -n "$unlimited" ] || ulimit -v "$1"
    shift
    exec timeout 20 "$@"
)
unlimited=
# shellcheck disable=SC3045
(ulimit -v 1000000 && "$KOINE" --version >/dev/null 2>&1) || unlimited=yes

# refused STATUS REGEX FILE: by each command that would hand it to a compiler.
refused()
{
    expect_exit "$1" bounded 524288 "$KOINE" emit --target cuda --force --output "$work/emitted" "$3"
    expect_stderr "$2"
    if [ "$default" -eq 1 ]; then
        expect_exit "$1" bounded 4194304 "$KOINE" run --kernel k --global 1 --arg buf:int:1 "$3"
        expect_stderr "$2"
    fi
}

# by_rewriter REGEX FILE: what OpenCL's compilers may take.
by_rewriter()
{
    expect_exit 1 bounded 524288 "$KOINE" emit --target cuda --force --output "$work/emitted" "$2"
    expect_stderr "$1"
}

cd "$work"
begin='__kernel void k(__global int *a) {'
million=1000000

# Brackets of every kind, open and closed.
for bracket in '(' '[' '{'; do
    { printf '%s a[0] = ' "$begin" && many $million "$bracket"; } >open.cl
    refused 1 '^koine [a-z]+: open\.cl:1: "." is never closed' open.cl
done
{ printf '%s a[0] = ' "$begin" && many $((million / 2)) '(' && printf 1 && many $((million / 2)) ')' && printf ';}'; } >closed.cl
refused 1 '^koine [a-z]+: closed\.cl:1: .*(deep|nests)' closed.cl
{ printf '%s' "$begin" && many $((million / 2)) '{' && many $((million / 2)) '}' && printf '}'; } >blocks.cl
by_rewriter '^koine emit: blocks\.cl:1: .*1000 deep' blocks.cl
{ printf '%s int ' "$begin" && many $((million / 2)) '(' && printf b && many $((million / 2)) ')' && printf ';}'; } >declarator.cl
by_rewriter '^koine emit: declarator\.cl:1: .*deep' declarator.cl

# Operators and statements in one another.
for part in '1?1:' '1?' '-~!' '*' '(int)' '1+' 'b=' 'sizeof '; do
    { printf '%s int b; a[0] = ' "$begin" && many $((million / ${#part})) "$part" && printf '1;}'; } >chain.cl
    refused 1 '^koine [a-z]+: chain\.cl:1: .*nests' chain.cl
done
for part in 'if(1)' 'do ' 'for(;;)' 'if(1);else ' 'int *' '[1]'; do
    { printf '%s' "$begin" && many $((million / ${#part})) "$part" && printf ';}'; } >chain.cl
    refused 1 '^koine [a-z]+: chain\.cl:1: ' chain.cl
done

# Conditionals, macros, includes.
yes '#if 1' | head -n 150000 >conditionals.cl
refused 1 '^koine [a-z]+: conditionals\.cl:150000: .*#endif is missing' conditionals.cl
{ printf '#if ' && many $million '(' && printf '\n#endif\n'; } >condition.cl
refused 1 '^koine [a-z]+: condition\.cl:1: .*200 deep' condition.cl
{
    echo '#define M0 x x'
    i=1
    while [ $i -lt 60 ]; do
        echo "#define M$i M$((i - 1)) M$((i - 1))"
        i=$((i + 1))
    done
    echo M59
} >bomb.cl
refused 1 '^koine [a-z]+: bomb\.cl:61: .*multiplies itself' bomb.cl
sed -e 's/\(M[0-9]*\) \(M[0-9]*\) M[0-9]*$/\1(x) \2(\2(x))/' -e 's/^#define M0.*/#define M0(x) x x/' -e 's/^M59/M59(y)/' \
    bomb.cl >calls.cl
refused 1 '^koine [a-z]+: calls\.cl:61: .*multiplies itself' calls.cl
echo '#include "two.cl"' >one.cl
echo '#include "one.cl"' >two.cl
refused 1 '^koine [a-z]+: two\.cl:1: #include cycle: one\.cl -> two\.cl -> one\.cl' one.cl
mkfifo pipe.clh
echo '#include "pipe.clh"' >pipe.cl
refused 3 '^koine [a-z]+: pipe\.cl:1: .*pipe\.clh.*not an ordinary file' pipe.cl
echo '#include "/dev/zero"' >zero.cl
refused 3 '^koine [a-z]+: zero\.cl:1: .*not an ordinary file' zero.cl

# What never ends, and what is no text.
for part in '/*' '"' "'"; do
    { printf '%s' "$part" && many $million x; } >unended.cl
    refused 1 '^koine [a-z]+: unended\.cl:1: .*never closed' unended.cl
done
head -c $million /dev/zero >zeros.cl
refused 3 '^koine [a-z]+: zeros\.cl: .*NUL byte at offset 0, in line 1' zeros.cl
cp "$(command -v cat)" binary.cl
refused 3 '^koine [a-z]+: binary\.cl: .*NUL byte' binary.cl
head -c $million /dev/urandom | tr -d '\000' >noise.cl
refused 1 '^koine [a-z]+: noise\.cl:[0-9]+: ' noise.cl
truncate -s 1G large.cl
refused 3 '^koine [a-z]+: large\.cl: .*larger than 64 MB' large.cl
rm large.cl
