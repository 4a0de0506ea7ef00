#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every function of the public headers is called through the shared library from a C11 and from a C++17 program with NULL for
# each pointer. A function that returns a status refuses it with a sentence that names the function; others return the result for
# nothing, and none of them crashes. The calls are generated from the headers, so that no function is left out.
. "${srcdir:?}/tests/e2e/common.sh"

lib=${builddir:?}/.libs/libkoine.so
[ -e "$lib" ] || skip shared "there is no $lib: configured with --disable-shared"

headers=
for header in "$srcdir"/include/koine/*.h "$srcdir"/include/koine/experimental/*.h; do
    # A CL header is what koine/opencl.h needs.
    if [ "${header##*/}" = opencl.h ] && ! printf '#include <CL/cl.h>\n' | ${CC:-cc} -E - >/dev/null 2>&1; then
        echo "without koine/opencl.h: no CL/cl.h is installed"
        continue
    fi
    headers="$headers $header"
done

# Declarations, one a line, from "KN_API" to ")".
# shellcheck disable=SC2086 # a list
sed 's://.*::' $headers | tr '\n' ' ' | tr ';' '\n' | sed -n 's/.*KN_API \(.*)\) *$/\1/p' | tr -s ' ' >"$work/declarations"
[ "$(wc -l <"$work/declarations")" -gt 100 ] || fail "the headers' functions were not found"

awk '
    # An argument that is not there, or 5 of what is counted.
    function value(type)
    {
        if (type ~ /[*\[]/) return type ~ /kn_error \*/ ? "\\&err" : "NULL"
        if (type ~ /^(size_t|unsigned|unsigned long long|uint64_t|uint32_t) /) return "5"
        if (type ~ /^double /) return "0.5"
        if (type ~ /^bool /) return "false"
        if (type ~ /^kn_image_format /) return "no_format"
        sub(/ [a-z_0-9]*$/, "", type)
        return type ~ /_function$|_condition$/ ? "NULL" : "(" type ")0"
    }
    {
        open = index($0, "(")
        head = substr($0, 1, open - 1)
        arguments = substr($0, open + 1, length($0) - open - 1)
        name = head
        sub(/.*[ *]/, "", name)
        count = arguments == "void" ? 0 : split(arguments, list, ",")
        call = ""
        for (i = 1; i <= count; i++) {
            argument = list[i]
            gsub(/^ +| +$/, "", argument)
            filled = value(argument)
            gsub(/\\/, "", filled)
            call = call (i > 1 ? ", " : "") filled
        }
        call = name "(" call ")"
        if (head ~ /^kn_status /) printf "    refused(\"%s\", %s, &err);\n", name, call
        else if (head ~ /^void /) printf "    %s;\n", call
        else printf "    (void)%s;\n", call
    }' "$work/declarations" >"$work/calls"

{
    for header in $headers; do echo "#include <${header#"$srcdir"/include/}>"; done
    cat <<'END'
#include <stdio.h>
#include <string.h>

static int failures;

/* A status, its name and a sentence, in which the function or what it lacks is named. */
static void refused(const char *name, kn_status status, kn_error *err)
{
    const kn_error none = KN_ERROR_INIT;

    if (status == KN_OK || err->code != status || err->text[0] == '\0') {
        printf("%s: %s, \"%s\"\n", name, kn_status_name(status), err->text);
        failures++;
    }
    *err = none;
}

int main(void)
{
    kn_error err = KN_ERROR_INIT;
    kn_image_format no_format;

    memset(&no_format, 0, sizeof no_format);
END
    cat "$work/calls"
    echo '    return failures ? 1 : 0;'
    echo '}'
} >"$work/every.c"
cp "$work/every.c" "$work/every.cpp"

run()
{
    LD_LIBRARY_PATH=$builddir/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} "$work/every" >"$work/out" ||
        fail "as $1 ($?): $(cat "$work/out")"
    echo "$(wc -l <"$work/declarations") functions called as $1"
}

${CC:-cc} -std=c11 -Wall -Wextra -Werror -DCL_TARGET_OPENCL_VERSION=120 -I"$srcdir/include" -o "$work/every" "$work/every.c" \
    "$lib" || fail "the calls do not compile as C11"
run C11
if command -v "${CXX:-c++}" >/dev/null 2>&1; then
    ${CXX:-c++} -std=c++17 -Wall -Wextra -Werror -DCL_TARGET_OPENCL_VERSION=120 -I"$srcdir/include" -o "$work/every" \
        "$work/every.cpp" "$lib" || fail "the calls do not compile as C++17"
    run C++17
else
    echo "no C++ compiler: C only"
fi
