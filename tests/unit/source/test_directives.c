// SPDX-License-Identifier: Apache-2.0
// Tokens, conditionals and the other directives, and where their errors are reported.
#include "source_support.h"

START_TEST(tokens)
{
    expect_tokens("a+++b ->c<<=d...e%:f", "a ++ + b -> c <<= d ... e %: f");
    expect_tokens("0x1p-3f 1.e+5 .5 1..2 0xE+1 1_x", "0x1p-3f 1.e+5 .5 1..2 0xE+1 1_x");
    expect_tokens("\"a\\\"b\" 'c' '\\'' L\"w\" L'w' L 'x'", "\"a\\\"b\" 'c' '\\'' L\"w\" L'w' L 'x'");
    expect_tokens("a/* x // */b//c\\\nd\ne /**/ \"/* no */\"", "a b e \"/* no */\"");
    expect_tokens("ab\\\ncd \"x\\  \ny\" /\\\n* c *\\\n/ e", "abcd \"xy\" e");
    expect_tokens("\xEF\xBB\xBFint\r\na\rb", "int a b");
    expect_tokens("\xC3\xA9t\xC3\xA9 $x @ `", "\xC3\xA9t\xC3\xA9 $x @ `");
    // Trigraphs are not replaced.
    expect_tokens("?"
                  "?= ?"
                  "?/",
                  "? ? = ? ? /");
    expect_error("a\n\n/* b\n\n", 3, "never closed");
    expect_error("a\n \"b\nc\"", 2, "this string is never closed");
    expect_error("a\n 'b\n", 2, "this character constant is never closed");
    expect_error("#define X \\\n  \"b\n", 2, "this string is never closed");
}
END_TEST

START_TEST(lines)
{
    struct src_unit *unit = read_text("a \\\n b\nc /* \n\n */ d\n\"x\\\ny\" e\nf\\\ng", NULL);
    static const long expected[] = {1, 2, 3, 5, 6, 7, 8};

    ck_assert_uint_eq(unit->token_count, 7);
    for (size_t i = 0; i < 7; i++)
        ck_assert_int_eq(unit->tokens[i].line, expected[i]);
    ki_src_free(unit);
}
END_TEST

// Expects a condition to be true (1) or false (0).
static void expect_condition(const char *condition, int expected)
{
    char text[400];

    snprintf(text, sizeof text, "#define A 1\n#define Z 0\n#define F(x) x\n#if %s\n1\n#else\n0\n#endif\n",
             condition);
    expect_tokens(text, expected ? "1" : "0");
}

START_TEST(expressions)
{
    static const struct {
        const char *condition;
        int value;
    } cases[] = {
        {"1", 1},
        {"0", 0},
        {"A", 1},
        {"UNKNOWN", 0},
        {"true", 1},
        {"false", 0},
        {"-1", 1},
        {"!1", 0},
        {"!!2", 1},
        {"~0 == -1", 1},
        {"1 + 2 * 3 == 7", 1},
        {"(1 + 2) * 3 == 9", 1},
        {"10 - 4 - 3 == 3", 1},
        {"7 / 2 == 3", 1},
        {"-7 / 2 == -3", 1},
        {"-7 % 3 == -1", 1},
        {"7u / 2 == 3", 1},
        {"1 << 4 == 16", 1},
        {"-16 >> 2 == -4", 1},
        {"5 & 3 == 1", 0},
        {"(5 & 3) == 1", 1},
        {"(5 | 2) == 7", 1},
        {"(5 ^ 1) == 4", 1},
        {"1 || 0 && 0", 1},
        {"1 ? 2 : 0", 1},
        {"0 ? 1 : 0 ? 1 : 2", 1},
        {"1 < 2 == 1", 1},
        {"2 <= 2 && 3 >= 3 && 1 != 2 && 2 > 1", 1},
        {"-1 < 0", 1},
        {"-1 < 0u", 0},
        {"-1 > 1u", 1},
        {"(1 ? -1 : 0u) > 0", 1},
        {"010 == 8", 1},
        {"0x1F == 31", 1},
        {"0b101 == 5", 1},
        {"1uLL == 1 && 1LLU == 1 && 1lu", 1},
        {"'a' == 97", 1},
        {"'\\n' == 10", 1},
        {"'\\x41' == 'A'", 1},
        {"'\\101' == 'A'", 1},
        {"'\\377' == -1", 1},
        {"'\\0' == 0", 1},
        {"'ab' == 24930", 1},
        {"18446744073709551615u == -1", 1},
        {"0xFFFFFFFFFFFFFFFF > 0", 1},
        {"9223372036854775807 > 0", 1},
        {"9223372036854775807 + 1 < 0", 1},
        {"(-9223372036854775807 - 1) / -1 < 0", 1},
        {"(-9223372036854775807 - 1) % -1 == 0", 1},
        {"1 << 64 == 0", 1},
        {"-1 >> 70 == -1", 1},
        {"defined A", 1},
        {"defined(A) && !defined B", 1},
        {"defined UNKNOWN || defined ( UNKNOWN )", 0},
        {"defined __LINE__ && __LINE__ == 4", 1},
        {"F(2) == 2", 1},
        {"F(defined A)", 1},
        // Operands that do not affect the value are not evaluated.
        {"0 && 1 / 0", 0},
        {"1 || 1 / 0", 1},
        {"1 ? 1 : 1 % 0", 1},
        {"0 && UNKNOWN(3, (4))", 0},
        {"defined(__has_builtin) && __has_builtin(x)", 0},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_condition(cases[i].condition, cases[i].value);
    expect_tokens("#define HAS defined(A)\n#if HAS\n1\n#else\n0\n#endif", "0");
}
END_TEST

START_TEST(bad_expressions)
{
    static const struct {
        const char *condition, *what;
    } cases[] = {
        {"", "empty"},
        {"1 / 0", "division by zero"},
        {"1 % (2 - 2)", "division by zero"},
        {"1 +", "ends where a value"},
        {"(1", "\")\" is missing"},
        {"1 )", "where an operator"},
        {"1 2", "where an operator"},
        {"1 ? 2", "\":\" is missing"},
        {"1.5", "no integer"},
        {"1uu", "no integer"},
        {"08", "no integer"},
        {"0x", "no integer"},
        {"1lul", "no integer"},
        {"99999999999999999999", "64 bits"},
        {"\"x\"", "where a value"},
        {"* 2", "where a value"},
        {"UNKNOWN(1)", "not a macro that takes arguments"},
        {"defined", "needs a macro's name"},
        {"defined(A", "\")\" is missing"},
        {"defined 3", "needs a macro's name"},
        {"1 = 1", "where an operator"},
        {"''", "empty"},
    };
    char text[200];

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(text, sizeof text, "\n#if %s\n#endif\n", cases[i].condition);
        expect_error(text, 2, cases[i].what);
        snprintf(text, sizeof text, "#if 0\n#elif %s\n#endif\n", cases[i].condition);
        expect_error(text, 2, cases[i].what);
        // In a skipped part, and in an #elif after the branch that was taken, the expression is not
        // evaluated.
        snprintf(text, sizeof text, "#if 0\n#if %s\n#elif %s\n#endif\n#endif\nx", cases[i].condition,
                 cases[i].condition);
        expect_tokens(text, "x");
        snprintf(text, sizeof text, "#if 1\nx\n#elif %s\n#endif\n", cases[i].condition);
        expect_tokens(text, "x");
    }
}
END_TEST

START_TEST(conditionals)
{
    expect_tokens("#define A\n#ifdef A\n1\n#else\n2\n#endif\n#ifndef A\n3\n#else\n4\n#endif", "1 4");
    expect_tokens("#if 0\n1\n#elif 1\n2\n#elif 1\n3\n#else\n4\n#endif", "2");
    expect_tokens("#if 0\n1\n#elif 0\n2\n#else\n4\n#endif", "4");
    expect_tokens("#if 0\n#if 1\n1\n#else\n2\n#endif\n#else\n3\n#endif", "3");
    expect_tokens("#if 1\n#if 0\n1\n#elif 1\n2\n#endif\n#else\n3\n#endif", "2");
    // A skipped part may contain anything.
    expect_tokens("#if 0\ndon't \"x\n#error no\n#bogus\n#include \"nowhere.h\"\n#define\n#include "
                  "<a'b>\n#endif it's\nx",
                  "x");
    expect_tokens("#if 1\n#else don't\n#endif /* more\n lines */\nx", "x");
    expect_tokens("/* c */ # /* c */ if 1\nx\n#\\\nendif\n", "x");
    expect_tokens("a # b\n#if 0\n c #endif\n#endif", "a # b");
    expect_error("x\n#if 1\n#if 0\n", 3, "#endif is missing");
    expect_error("x\n#if 1\n#if 0\n#endif\n", 2, "#endif is missing");
    expect_error("\n#endif\n", 2, "#endif without an #if");
    expect_error("\n#else\n", 2, "#else without an #if");
    expect_error("\n#elif 1\n", 2, "#elif without an #if");
    expect_error("#if 1\n#else\n#else\n#endif", 3, "#else after the #else of the #if at main.cl:1");
    expect_error("#if 0\n#else\n#elif 1\n#endif", 3, "#elif after the #else of the #if at main.cl:1");
    expect_error("\n#ifdef\n#endif", 2, "#ifdef needs a macro's name");
    expect_error("\n#ifndef 1\n#endif", 2, "#ifndef needs a macro's name");
    expect_error("#if 0\n\n/* x\n", 3, "never closed");
}
END_TEST

START_TEST(other_directives)
{
    expect_tokens("#\n# // c\n#warning don't panic\nx", "x");
    expect_error("\n\n #  error  don't do \"this /* c */ here\n", 3, "#error don't do \"this");
    expect_error("#error", 1, "#error");
    expect_error("\n#bogus x\n", 2, "#bogus is no directive");
    expect_error("\n#!x\n", 2, "is no directive");
    expect_tokens("#line 100\n__LINE__\n#line 5 \"o.cl\"\n__LINE__ __FILE__", "100 5 \"o.cl\"");
    expect_tokens("#define N 30\n#define F \"p.cl\"\n#line N F\n__LINE__ __FILE__", "30 \"p.cl\"");
    expect_tokens("# 12 \"q.cl\" 1 3\n__LINE__ __FILE__", "12 \"q.cl\"");
    expect_tokens("#line 8 /* two\n lines */\n__LINE__", "8");
}
END_TEST

START_TEST(line_errors)
{
    expect_error_with(NULL, "#line 70 \"o.cl\"\n\n#error x\n", KN_ERROR_BUILD, "o.cl", 71, "#error x");
    expect_error("\n#line\n", 2, "#line needs a line number");
    expect_error("\n#line x\n", 2, "#line needs a line number");
    expect_error("\n#line 1x\n", 2, "#line needs a line number");
    expect_error("\n#line 2147483648\n", 2, "#line needs a line number");
    expect_error("\n#line 99999999999999999999\n", 2, "#line needs a line number");
    expect_error("\n#line 3 x\n", 2, "file name");
}
END_TEST

START_TEST(host_macros)
{
    static const kn_define target[] = {{"__OPENCL_VERSION__", "120"}, {"M_PI", "3"}};
    static const kn_define host[] = {
        {"TILE", "16"}, {"FLAG", NULL}, {"EMPTY", ""}, {"SQUARE(x)", "((x) * (x))"}, {"TWICE", "TILE*2"}};
    static const struct src_options options = {
        .predefined = target, .predefined_count = 2, .defines = host, .define_count = 5};

    expect_tokens_with(&options, "TILE FLAG EMPTY SQUARE(2) TWICE __OPENCL_VERSION__",
                       "16 1 ( ( 2 ) * ( 2 ) ) 16 * 2 120");
    expect_tokens_with(&options, "#ifndef TILE\n#define TILE 8\n#endif\n#define FLAG 1\nTILE", "16");
    expect_tokens_with(&options, "#undef TILE\n#define TILE 8\n#define M_PI 3.14\nTILE M_PI", "8 3.14");
}
END_TEST

// If the file redefines a host macro, its definition holds from there on, as with compilers, and there is a
// warning.
START_TEST(host_macros_redefined)
{
    static const kn_define host[] = {{"TILE", "16"}, {"SQUARE(x)", "((x) * (x))"}};
    static const struct src_options options = {.defines = host, .define_count = 2};
    static const struct {
        const char *text, *warnings;
    } cases[] = {
        {"#undef TILE\n#define TILE 8\n#define SQUARE(x) ((x) * (x))\n", ""},
        {"\n#define TILE 8\n#define TILE 9\n",
         "main.cl:2: warning: macro TILE is defined as something else than the host's definition "
         "(-D TILE=16), which no longer holds; put #ifndef TILE around it to make it a default\n"},
    };

    expect_tokens_with(&options, "TILE\n#define TILE 8\n#define SQUARE 3\nTILE SQUARE", "16 8 3");
    expect_tokens_with(&options, "#define TILE 8\n#undef TILE\nTILE", "TILE");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct src_unit *unit = NULL;
        ck_assert_int_eq(ki_src_read("main.cl", cases[i].text, &options, &unit, NULL), KN_OK);
        ck_assert_str_eq(unit->warnings, cases[i].warnings);
        ki_src_free(unit);
    }
}
END_TEST

START_TEST(bad_host_macros)
{
    static const kn_define bad[] = {
        {"", "1"},    {NULL, "1"},     {"1X", "1"},   {"A B", "1"}, {"A\nB", "1"}, {"A", "1\n#include \"x\""},
        {"A", "x\\"}, {"A", "x\\ \t"}, {"A", "a\rb"}, {"A-", "1"}};
    static const kn_define twice[] = {{"A", "1"}, {"A", "2"}};
    struct src_options options = {.define_count = 1};

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        options.defines = &bad[i];
        expect_error_with(&options, "x", KN_ERROR_ARGUMENT, "", 0, "");
    }
    options = (struct src_options){.defines = twice, .define_count = 2};
    expect_error_with(&options, "x", KN_ERROR_BUILD, "the host's macros", 2, "-D A=1");
    options = (struct src_options){.defines = (kn_define[]){{"A", "/* x"}}, .define_count = 1};
    expect_error_with(&options, "x", KN_ERROR_BUILD, "the host's macros", 1, "never closed");
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        tokens,           lines,       expressions, bad_expressions,       conditionals,
        other_directives, line_errors, host_macros, host_macros_redefined, bad_host_macros};

    return TEST_RUN("source: directives", CK_FORK, tests);
}
