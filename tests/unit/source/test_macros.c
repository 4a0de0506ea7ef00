// SPDX-License-Identifier: Apache-2.0
// Macro expansion: the examples of C99 6.10.3.5, adapted, and the corner cases around them.
#include "source_support.h"

START_TEST(objects_and_functions)
{
    expect_tokens("#define N 4\nint a[N];", "int a [ 4 ] ;");
    expect_tokens("#define EMPTY\na EMPTY b", "a b");
    expect_tokens("#define SQUARE(x) ((x) * (x))\nSQUARE(a + 1)", "( ( a + 1 ) * ( a + 1 ) )");
    expect_tokens("#define f(x) [x]\nf f (1) f\n(2) f", "f [ 1 ] [ 2 ] f");
    expect_tokens("#define f (x)\nf(1)", "( x ) ( 1 )");
    expect_tokens("#define f() z\nf() f( )", "z z");
    expect_tokens("#define f(x) <x>\nf() f((a, b)) f(g(1, 2))", "< > < ( a , b ) > < g ( 1 , 2 ) >");
    expect_tokens("#define max(a, b) a > b\nmax(max(1, 2), 3)", "1 > 2 > 3");
    expect_tokens("#define A B\n#define B C\n#define C 1\nA", "1");
    // If an expansion gives a function-like macro's name, the arguments may follow the expansion.
    expect_tokens("#define g f\n#define f(x) {x}\ng(1) g\n(2)", "{ 1 } { 2 }");
}
END_TEST

START_TEST(rescanning)
{
    // C99 6.10.3.5, example 3.
    expect_tokens(
        "#define x 3\n#define f(a) f(x * (a))\n#undef x\n#define x 2\n#define g f\n#define z z[0]\n"
        "#define h g(~\n#define m(a) a(w)\n#define w 0,1\n#define t(a) a\n#define p() int\n#define q(x) x\n"
        "#define r(x,y) x ## y\n#define str(x) # x\n"
        "f(y+1) + f(f(z)) % t(t(g)(0) + t)(1);\n"
        "g(x+(3,4)-w) | h 5) & m\n(f)^m(m);\n"
        "p() i[q()] = { q(1), r(2,3), r(4,), r(,5), r(,) };\n"
        "char c[2][6] = { str(hello), str() };\n",
        "f ( 2 * ( y + 1 ) ) + f ( 2 * ( f ( 2 * ( z [ 0 ] ) ) ) ) % f ( 2 * ( 0 ) ) + t ( 1 ) ; "
        "f ( 2 * ( 2 + ( 3 , 4 ) - 0 , 1 ) ) | f ( 2 * ( ~ 5 ) ) & f ( 2 * ( 0 , 1 ) ) ^ m ( 0 , 1 ) ; "
        "int i [ ] = { 1 , 23 , 4 , 5 , } ; "
        "char c [ 2 ] [ 6 ] = { \"hello\" , \"\" } ;");
    expect_tokens("#define a b\n#define b a\na b", "a b");
    expect_tokens("#define f(x) x f\nf(1)(2)(3)", "1 f ( 2 ) ( 3 )");
    // A name that is not expanded because its macro is being expanded is not expanded later either.
    expect_tokens("#define foo foo a\n#define id(x) x\nid(id(foo))", "foo a");
    expect_tokens("#define f(a) a*g\n#define g(a) f(a)\nf(2)(9)", "2 * 9 * g");
    expect_tokens("#define NIL(xxx) xxx\n#define G_0(arg) NIL(G_1)(arg)\n#define G_1(arg) NIL(arg)\nG_0(42)",
                  "42");
}
END_TEST

START_TEST(strings)
{
    // C99 6.10.3.5, example 4.
    expect_tokens(
        "#define str(s) # s\n#define xstr(s) str(s)\n"
        "#define debug(s, t) printf(\"x\" # s \"= %d, x\" # t \"= %s\", \\\n x ## s, x ## t)\n"
        "#define INCFILE(n) vers ## n\n#define glue(a, b) a ## b\n#define xglue(a, b) glue(a, b)\n"
        "#define HIGHLOW \"hello\"\n#define LOW LOW \", world\"\n"
        "debug(1, 2);\nfputs(str(strncmp(\"abc\\0d\", \"abc\", '\\4') // goes away\n == 0) str(: @\\n), s);\n"
        "xstr(INCFILE(2).h)\nglue(HIGH, LOW);\nxglue(HIGH, LOW)",
        "printf ( \"x\" \"1\" \"= %d, x\" \"2\" \"= %s\" , x1 , x2 ) ; "
        "fputs ( \"strncmp(\\\"abc\\\\0d\\\", \\\"abc\\\", '\\\\4') == 0\" \": @\\n\" , s ) ; "
        "\"vers2.h\" \"hello\" ; \"hello\" \", world\"");
    expect_tokens("#define s(x) #x\ns(  a   +\n\n b /* c */ c  ) s() s('\"') s(\"\\\\\")",
                  "\"a + b c\" \"\" \"'\\\"'\" \"\\\"\\\\\\\\\\\"\"");
    // White space before an empty expansion is kept.
    expect_tokens("#define E\n#define s(x) #x\n#define xs(x) s(x)\nxs(a E+b) xs(a E b)", "\"a +b\" \"a b\"");
    // The white space before an argument is that before its parameter in the macro's body.
    expect_tokens("#define s(x) #x\n#define xs(x) s(x)\n#define f(x) a x(x )+x\nxs(f( 1 )) xs(f((2)))",
                  "\"a 1(1 )+1\" \"a (2)((2) )+(2)\"");
    // In an object-like macro, # has no special meaning.
    expect_tokens("#define hash # x\nhash", "# x");
}
END_TEST

START_TEST(pasting)
{
    // C99 6.10.3.3 and 6.10.3.5, example 5.
    expect_tokens("#define hash_hash # ## #\n#define mkstr(a) # a\n#define in_between(a) mkstr(a)\n"
                  "#define join(c, d) in_between(c hash_hash d)\nchar p[] = join(x, y);",
                  "char p [ ] = \"x ## y\" ;");
    expect_tokens("#define t(x,y,z) x ## y ## z\n"
                  "int j[] = { t(1,2,3), t(,4,5), t(6,,7), t(8,9,), t(10,,), t(,11,), t(,,12), t(,,) };",
                  "int j [ ] = { 123 , 45 , 67 , 89 , 10 , 11 , 12 , } ;");
    expect_tokens("#define V(T, n) T##n\nV(float, 4) V(as_, V(x, y))", "float4 as_V ( x , y )");
    expect_tokens("#define cat(a, b) a ## b\ncat(<, <=) cat(1e, 3) cat(., 5) cat(L, 'x') cat(%:, %:)",
                  "<<= 1e3 .5 L'x' %:%:");
    expect_tokens("#define A B ## C\n#define BC 7\nA", "7");
    expect_error("#define cat(a, b) a ## b\n\ncat(+, -)", 3, "## makes \"+-\" of \"+\" and \"-\"");
    expect_error("#define f(a) ## a\n", 1, "## needs something on both sides");
    expect_error("#define f(a) a ##\n", 1, "## needs something on both sides");
    expect_error("#define f(a) #b\n", 1, "# needs one of its parameters");
}
END_TEST

START_TEST(variadic)
{
    // C99 6.10.3.5, example 7.
    expect_tokens(
        "#define debug(...) fprintf(stderr, __VA_ARGS__)\n#define showlist(...) puts(#__VA_ARGS__)\n"
        "#define report(test, ...) ((test)?puts(#test):\\\n printf(__VA_ARGS__))\n"
        "debug(\"Flag\"); debug(\"X = %d\\n\", x);\nshowlist(The first, second, and third items.);\n"
        "report(x>y, \"x is %d but y is %d\", x, y);",
        "fprintf ( stderr , \"Flag\" ) ; fprintf ( stderr , \"X = %d\\n\" , x ) ; "
        "puts ( \"The first, second, and third items.\" ) ; "
        "( ( x > y ) ? puts ( \"x>y\" ) : printf ( \"x is %d but y is %d\" , x , y ) ) ;");
    // Extensions of compilers: no argument for "...", ## that drops the comma before it, and a name for it.
    expect_tokens("#define p(f, ...) g(f, ##__VA_ARGS__)\np(1) p(1, 2) p(1, 2, 3) p(1,)",
                  "g ( 1 ) g ( 1 , 2 ) g ( 1 , 2 , 3 ) g ( 1 , )");
    expect_tokens("#define p(f, a...) g(f, a)\np(1, 2, 3)", "g ( 1 , 2 , 3 )");
    expect_tokens("#define c(...) [__VA_ARGS__]\nc() c(,) c((a,b))", "[ ] [ , ] [ ( a , b ) ]");
}
END_TEST

START_TEST(predefined)
{
    expect_tokens("__LINE__ __FILE__\n__LINE__", "1 \"main.cl\" 2");
    expect_tokens("#define L __LINE__\n\nL f(\n__LINE__)", "3 f ( 4 )");
    // In a call over several lines, __LINE__ is the last line if it is in the macro's body, and its own line
    // if it is in an argument.
    expect_tokens("#define F(x) __LINE__ x\nF(\n__LINE__\n)", "4 3");
    expect_tokens("#line 7 \"dir\\\\x \\\"y\\\".cl\"\n__FILE__ __LINE__", "\"dir\\\\x \\\"y\\\".cl\" 7");
    expect_tokens("__COUNTER__ __COUNTER__", "0 1");
    expect_tokens("__kernel_exec(64, float4) void f() {}",
                  "__kernel __attribute__ ( ( work_group_size_hint ( 64 , 1 , 1 ) ) ) "
                  "__attribute__ ( ( vec_type_hint ( float4 ) ) ) void f ( ) { }");
}
END_TEST

START_TEST(defining)
{
    expect_tokens("#define A 1\n#undef A\n#undef NEVER\nA", "A");
    // If a macro is defined again, differently, the last definition counts.
    expect_tokens("#define A 1\n#define A 2\n#define F(x) x\n#define F(y) <y>\nA F(3)", "2 < 3 >");
    expect_tokens("#define F(x) x\n#define F x\nF(1)", "x ( 1 )");
    expect_error("#define\n", 1, "#define needs a macro's name");
    expect_error("#define 3 4\n", 1, "#define needs a macro's name");
    expect_error("#define defined 1\n", 1, "belongs to the language");
    expect_error("#undef __LINE__\n", 1, "belongs to the language");
    expect_error("#define F(x, x) 1\n", 1, "two parameters named x");
    expect_error("#define F(x, 1) 1\n", 1, "its parameters should be names");
    expect_error("#define F(x\n", 1, "its parameters should be names");
    expect_error("#define F(x y) 1\n", 1, "its parameters should be names");
    expect_error("#define F(x,) 1\n", 1, "its parameters should be names");
    expect_error("#define F(..., x) 1\n", 1, "its parameters should be names");
}
END_TEST

START_TEST(calls)
{
    expect_error("#define F(a, b) a b\n\nF(1)", 3, "macro F takes 2 arguments, and 1 is given");
    expect_error("#define F(a) a\nF(1, 2, 3)", 2, "macro F takes 1 argument, and more are given");
    expect_error("#define F() a\nF(1)", 2, "macro F takes 0 arguments");
    expect_error("#define F(a, b, ...) a\nF(1)", 2, "at least 2 arguments");
    expect_error("#define F(a) a\n\n\nF(1, (2\n\n", 4, "more are given");
    expect_error("#define F(a) a\n\n\nF((1\n\n", 4, "\")\" is missing");
    // Directives among the arguments are obeyed, except #include and #pragma, which are refused.
    expect_tokens("#define F(a) <a>\nF(1\n#if 0\n2\n#else\n3\n#define X 4\n#endif\nX)", "< 1 3 4 >");
    expect_error("#define F(a) <a>\nF(1\n#include \"x.h\"\n)", 3, "cannot stand among a macro's arguments");
    expect_error("#define F(a) <a>\nF(1\n#pragma x\n)", 3, "cannot stand among a macro's arguments");
}
END_TEST

START_TEST(pragmas)
{
    expect_tokens("#define cl_khr_fp64 1\n#pragma OPENCL EXTENSION cl_khr_fp64 : enable\nx",
                  "#pragma OPENCL EXTENSION cl_khr_fp64 : enable x");
    expect_tokens("#define N 4\n#pragma   unroll N /* c */\nx", "#pragma unroll 4 x");
    expect_tokens("_Pragma(\"unroll 4\") x", "#pragma unroll 4 x");
    expect_tokens("#define N 8\n#define U(n) _Pragma(#n)\nU(unroll N) x", "#pragma unroll 8 x");
    expect_tokens("#pragma\nx", "#pragma  x");
    expect_error("\n_Pragma x", 2, "_Pragma takes a string");
    expect_error("\n_Pragma(x)", 2, "_Pragma takes a string");
}
END_TEST

// A token of an expansion has the location of the macro's name, or its own location if it is in an argument.
START_TEST(locations)
{
    struct src_unit *unit = read_text("#define F(x) a x \\\n b\n\n  F(\n  c)\nd", NULL);
    static const long lines[] = {4, 5, 4, 6};

    ck_assert_uint_eq(unit->token_count, 4);
    for (size_t i = 0; i < 4; i++) {
        ck_assert_int_eq(unit->tokens[i].line, lines[i]);
        ck_assert_str_eq(unit->tokens[i].file, "main.cl");
    }
    ck_assert(unit->tokens[0].flags & SRC_LINE_START);
    ck_assert(unit->tokens[3].flags & SRC_LINE_START);
    ck_assert(!(unit->tokens[2].flags & SRC_LINE_START));
    ki_src_free(unit);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {objects_and_functions,
                                  rescanning,
                                  strings,
                                  pasting,
                                  variadic,
                                  predefined,
                                  defining,
                                  calls,
                                  pragmas,
                                  locations};

    return TEST_RUN("source: macros", CK_FORK, tests);
}
