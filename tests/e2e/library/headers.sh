#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every public header compiles alone, as strict C11 and as C++, without a warning, and includes no CL or CUDA header; its
# macros work in both languages. Structs passed to functions begin with their size, enumerators have numbers, and comments name
# no file of the repository.
. "${srcdir:?}/tests/e2e/common.sh"

cxx=
for candidate in ${CXX:+"$CXX"} c++ g++ clang++; do
    if command -v "$candidate" >/dev/null 2>&1; then
        cxx=$candidate
        break
    fi
done
[ -n "$cxx" ] || echo "no C++ compiler: C only"

for header in "$srcdir"/include/koine/*.h "$srcdir"/include/koine/experimental/*.h; do
    name=${header#"$srcdir"/include/}
    printf '#include <%s>\nint main(void) { return 0; }\n' "$name" >"$work/use.c"
    cp "$work/use.c" "$work/use.cpp"
    ${CC:-cc} -std=c11 -pedantic -Wall -Wextra -Werror -I"$srcdir/include" -c -o "$work/use.o" "$work/use.c" ||
        fail "$name does not compile alone as C11"
    [ -z "$cxx" ] ||
        $cxx -std=c++11 -pedantic -Wall -Wextra -Werror -I"$srcdir/include" -c -o "$work/use.o" "$work/use.cpp" ||
        fail "$name does not compile alone as C++11"
    case $name in
    koine/opencl.h | koine/cuda.h) continue ;;
    esac
    if grep -nE '#[[:space:]]*include[[:space:]]*<(CL/|cuda)' "$header"; then
        fail "$name needs an OpenCL or CUDA header"
    fi
done

# The same text in both languages: every macro, expanded, and what it makes.
cat >"$work/macros.c" <<'END'
#include <koine/koine.h>
#include <string.h>

struct wide {
    double numbers[4];
};

static int is_float(kn_arg arg, float expected)
{
    return arg.kind == KN_ARG_INLINE && arg.size == sizeof expected && memcmp(arg.bytes, &expected, sizeof expected) == 0;
}

static int is_wide(kn_arg arg, struct wide expected)
{
    return arg.kind == KN_ARG_VALUE && arg.size == sizeof expected && memcmp(arg.value, &expected, sizeof expected) == 0;
}

int main(void)
{
    const kn_error err = KN_ERROR_INIT;
    const kn_sort_options options = KN_INIT(kn_sort_options);
    const struct wide wide = {{1, 2, 3, 4}};
    float number = 2;
    const kn_arg args[] = {KN_VALUE(3.0f), KN_VALUE(number), KN_VALUE(wide), KN_VALUE_AT(&number, sizeof number),
                           KN_BUFFER(NULL), KN_IMAGE(NULL), KN_LOCAL(64), KN_SAMPLER(KN_SAMPLER_EDGE)};
    const kn_arg_kind kinds[] = {KN_ARG_INLINE, KN_ARG_INLINE, KN_ARG_VALUE, KN_ARG_VALUE,
                                 KN_ARG_BUFFER, KN_ARG_IMAGE, KN_ARG_LOCAL, KN_ARG_SAMPLER};

    number = 5; // the copy stays, what is read later does not
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (args[i].kind != kinds[i])
            return 1;
    if (!is_float(args[0], 3) || !is_float(args[1], 2) || !is_wide(args[2], wide))
        return 2;
    if (args[3].value != &number || args[6].size != 64 || args[7].sampler != KN_SAMPLER_EDGE)
        return 3;
    if (options.struct_size != sizeof options || options.order != KN_ASCENDING || err.code != KN_OK)
        return 4;
    return KN_VERSION_NUMBER == KN_VERSION_MAJOR * 1000000 + KN_VERSION_MINOR * 1000 + KN_VERSION_PATCH ? 0 : 5;
}
END
cp "$work/macros.c" "$work/macros.cpp"
${CC:-cc} -std=c11 -pedantic -Wall -Wextra -Werror -I"$srcdir/include" -o "$work/macros" "$work/macros.c" ||
    fail "the macros do not compile as C11"
"$work/macros" || fail "as C11 a macro makes something else ($?)"
for standard in c++11 c++17; do
    [ -n "$cxx" ] || continue
    $cxx -std=$standard -pedantic -Wall -Wextra -Werror -I"$srcdir/include" -o "$work/macros" "$work/macros.cpp" ||
        fail "the macros do not compile as $standard"
    "$work/macros" || fail "as $standard a macro makes something else ($?)"
done

# Their text without comments, a declaration a line.
for header in "$srcdir"/include/koine/*.h "$srcdir"/include/koine/experimental/*.h; do
    sed 's://.*::' "$header" | tr '\n' ' ' | tr -s ' ' | sed 's/KN_API /\n&/g; s/typedef /\n&/g'
    echo
done >"$work/declared"
[ "$(grep -c '^typedef struct kn_[a-z_]*_options {' "$work/declared")" -gt 20 ] || fail "the structs of options were not found"
[ "$(grep -c '^typedef enum kn_' "$work/declared")" -gt 20 ] || fail "the enumerations were not found"
[ "$(grep -c '^KN_API' "$work/declared")" -gt 300 ] || fail "the functions were not found"

# none FOUND WHAT: what was found is wrong.
none()
{
    [ -z "$1" ] || fail "$2:
$1"
}
none "$(grep -E '^typedef struct kn_[a-z_]*_(options|task|shape|source|scan|geometry) \{' "$work/declared" |
    grep -v '{ size_t struct_size;' | cut -d ' ' -f 3)" "structs that do not begin with their size"
none "$(sed -n 's/^typedef enum kn_[^{]*{\([^}]*\)}.*/\1/p' "$work/declared" | tr ',' '\n' | grep 'KN_' | grep -v '=')" \
    "enumerators without a number"
none "$(grep '^KN_API' "$work/declared" | grep -E '[(,] ?int [a-z_]+[,)]')" "an int, which a bool or an enumeration should be"
# Whoever has the headers has not the sources.
none "$(grep -nE '(^|[^a-z/.])(src|cl|tests|bench|python|scripts)/[a-z]' "$srcdir"/include/koine/*.h)" \
    "a header names a file of the repository"
