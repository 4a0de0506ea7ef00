// SPDX-License-Identifier: Apache-2.0
// Hostile input is refused or read in bounded time and memory, and never crashes the reader.
#include "source_support.h"

#include <sys/resource.h>

// The processor time, in seconds, that one text may take; builds with sanitizers are several times slower.
#define LONGEST 8.0
// The memory that the process may take, in kilobytes.
#define LARGEST (1200L * 1024)

static double seconds(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_utime.tv_sec + (double)usage.ru_utime.tv_usec * 1e-6;
}

// Reads a text, which may be valid or not, within the time limit; the unit and the error must agree with the
// status that is returned.
static kn_status survive(const char *label, const char *text, const struct src_options *options,
                         kn_error *err)
{
    struct src_unit *unit = NULL;
    double began = seconds(), took;
    kn_status status;

    *err = (kn_error)KN_ERROR_INIT;
    status = ki_src_read("main.cl", text, options, &unit, err);
    ck_assert_int_eq(err->code, status);
    ck_assert_int_eq(unit == NULL, status != KN_OK);
    ck_assert_int_eq(err->text[0] == '\0', status == KN_OK);
    ki_src_free(unit);
    took = seconds() - began;
    ck_assert_msg(took < LONGEST, "%s took %.1f s", label, took);
    return status;
}

// The text must be refused with `what` in the message; if `what` is NULL, it may be read or refused.
static void expect_survival(const char *label, const char *text, const struct src_options *options,
                            const char *what)
{
    kn_error err;
    kn_status status = survive(label, text, options, &err);

    if (what)
        ck_assert_msg(status == KN_ERROR_BUILD && strstr(err.text, what), "%s: \"%s\" is not in: %s", label,
                      what, err.text);
}

// `before`, then `part` `count` times, then `after`; the caller frees it.
static char *repeated(const char *before, const char *part, size_t count, const char *after)
{
    struct ki_text text = KI_TEXT_INIT;
    char *string;

    ki_text_add(&text, before);
    for (size_t i = 0; i < count; i++)
        ki_text_add(&text, part);
    ki_text_add(&text, after);
    string = ki_text_take(&text);
    ck_assert_ptr_nonnull(string);
    return string;
}

// Texts in which one part is repeated very often.
static const struct {
    const char *before, *part, *after;
    size_t count;
    const char *error; // NULL: it may be read or refused
} long_texts_cases[] = {
    {"", "(", "", 1000000, "never closed"},
    {"", "[{(", "", 300000, "never closed"},
    {"", "}", "", 1000000, "closes nothing"},
    {"kernel void k(", "(", "", 500000, "never closed"},
    {"kernel void k(", "int a,", "int a) {}", 200000, NULL},
    {"kernel void k(int a", "[1]", ") {}", 300000, NULL},
    {"kernel void k(__global int ", "*", "a) {}", 1000000, "pointer to a pointer"},
    {"", "kernel void k();", "", 60000, NULL},
    {"", "typedef int t;", "", 70000, NULL},
    {"typedef int ", "*a,", "b;", 300000, NULL},
    {"", "__attribute__((x)) ", ";", 50000, NULL},
    {"", "struct ", ";", 150000, NULL},
    {"", "unsigned ", "x;", 100000, NULL},
    {"#if ", "(", "\n#endif", 1000000, "nested more than"},
    {"#if ", "!", "1\n#endif", 1000000, "nested more than"},
    {"#if ", "1 ? 1 : ", "1\n#endif", 200000, "nested more than"},
    {"#if ", "1 ? ", "1\n#endif", 300000, "nested more than"},
    {"#if 1", " + 1", "\n#endif", 250000, NULL},
    {"#if 0 && X", "(", "\n#endif", 300000, "this condition"},
    {"", "#if 1\n", "", 150000, "#endif is missing"},
    {"", "#if 0\n", "", 150000, "#endif is missing"},
    {"#if 0\n", "#elif 0\n", "#endif", 120000, NULL},
    {"", "#\n", "", 500000, NULL},
    {"", "#define A\n", "", 100000, NULL},
    {"#define F(", "x,", "y) 1\n", 300000, "two parameters"},
    {"#define F(x) x\nF(", ",", ")", 1000000, "more are given"},
    {"#define F(...) __VA_ARGS__\nF(", ",", ")", 500000, NULL},
    {"#define F(x) x\n", "F(", "", 300000, "\")\" is missing"},
    {"#define F(x) F(x)\n#define G(x) F(x)\nF(", "G(", "1", 1000, "\")\" is missing"},
    {"#define F(x) x\nint ", "F ", ";", 300000, NULL},
    {"#define A(", "", ") 1", 1, NULL},
    {"/*", "*", "", 1000000, "never closed"},
    {"\"", "x", "", 1000000, "never closed"},
    {"'", "\\'", "", 500000, "never closed"},
    {"int ", "x", ";", 1000000, NULL},
    {"int x = ", "1", ";", 1000000, NULL},
    {"", "\\\n", "int x;", 500000, NULL},
    {"", "\\ ", "", 500000, NULL},
    {"", "\n", "int x;", 1000000, NULL},
    {"", "\r", "int x;", 1000000, NULL},
    {"", "%:%", "", 300000, NULL},
    {"", "\\", "", 500000, NULL},
    {"", "#pragma once\n", "", 80000, NULL},
    {"", "_Pragma(\"x\") ", "", 50000, NULL},
    {"", "#line 1 \"x\"\n", "", 80000, NULL},
    {"#line 2147483647\n", "\n", "__LINE__", 100, NULL},
    {"#error ", "x", "", 1000000, "#error xxx"},
    {"#include \"", "x", "\"", 100000, NULL},
    {"#", "x", "", 1000000, "no directive"},
};

START_TEST(long_texts)
{
    for (size_t i = 0; i < sizeof long_texts_cases / sizeof *long_texts_cases; i++) {
        char *text = repeated(long_texts_cases[i].before, long_texts_cases[i].part, long_texts_cases[i].count,
                              long_texts_cases[i].after),
             label[100];
        snprintf(label, sizeof label, "case %zu: %s%s...", i, long_texts_cases[i].before,
                 long_texts_cases[i].part);
        expect_survival(label, text, NULL, long_texts_cases[i].error);
        free(text);
    }
}
END_TEST

// What nests too deeply for the compilers of drivers is refused; what is merely long is not.
START_TEST(long_rows)
{
    static const struct {
        const char *before, *part, *after;
        size_t taken, refused;
    } cases[] = {
        {"int x = a", " + a", ";", 4500, 5500},
        {"int x = a[1]", " * a[b[2]]", ";", 4500, 5500},
        {"int x = f(1)", " + f(a)", ";", 4500, 5500},
        {"int x = ", "- ", "a;", 1500, 2000},
        {"int x = ", "(int)", "a;", 800, 1500},
        {"int x = ", "(int)-", "a;", 700, 1500},
        {"int x = ", "a ? 1 : ", "a;", 2000, 3000},
        {"void f() { ", "if (a) ", "; }", 500, 1500},
        {"void f() { ", "if (a) b; else ", "; }", 500, 3000},
        {"void f() { switch (a) { ", "case 1: ", "; } }", 100000, 0},
        {"void f() { switch (a) { ", "case -1 + A: default: ", "; } }", 500, 0},
        {"void f() { ", "a = a + (b); ", "; }", 100000, 0},
        {"int x[] = { ", "-(a), ", "};", 100000, 0},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *taken = repeated(cases[i].before, cases[i].part, cases[i].taken, cases[i].after),
             *refused = repeated(cases[i].before, cases[i].part, cases[i].refused, cases[i].after);
        kn_error err;

        ck_assert_msg(survive(cases[i].part, taken, NULL, &err) == KN_OK, "%s: %s", cases[i].part, err.text);
        if (cases[i].refused)
            expect_survival(cases[i].part, refused, NULL, "nests so deeply");
        free(taken);
        free(refused);
    }
}
END_TEST

// Calls of a macro in the arguments of its calls.
START_TEST(nested_calls)
{
    char *closing = repeated("1", ")", 1500, "\n"), *text = repeated("#define F(x) x\n", "F(", 1500, closing);
    char *fewer_closing = repeated("1", ")", 150, "\n"),
         *fewer = repeated("#define F(x) x\n", "F(", 150, fewer_closing);
    kn_error err;

    expect_survival("calls in calls", text, NULL, "nested more than 200 deep");
    ck_assert_int_eq(survive("fewer calls in calls", fewer, NULL, &err), KN_OK);
    free(text);
    free(closing);
    free(fewer);
    free(fewer_closing);
}
END_TEST

// `first`, which defines M0; a line of `format` for each further macro, with '@' for its number and '$' for
// the number before; and `use`. Most formats double the macro before.
static char *chain(const char *first, const char *format, int count, const char *use)
{
    struct ki_text text = KI_TEXT_INIT;
    char *string;

    ki_text_add(&text, first);
    for (int i = 1; i < count; i++) {
        const char *p = format;
        for (; *p; p++) {
            if (*p == '@')
                ki_text_format(&text, "%d", i);
            else if (*p == '$')
                ki_text_format(&text, "%d", i - 1);
            else
                ki_text_add_char(&text, *p);
        }
    }
    ki_text_add(&text, use);
    string = ki_text_take(&text);
    ck_assert_ptr_nonnull(string);
    return string;
}

START_TEST(macro_bombs)
{
    static const struct {
        const char *first, *format, *use, *error;
        int count;
    } cases[] = {
        {"#define M0 x\n", "#define M@ M$ M$\n", "M39", "multiplies itself", 40},
        {"#define M0\n", "#define M@ M$ M$\n", "M59", "multiplies itself", 60},
        {"#define M0(x) x\n", "#define M@(x) M$(x x)\n", "M59(y)", "multiplies itself", 60},
        {"#define M0(x) x\n", "#define M@(x) M$(x) M$(x)\n", "M59(y)", "multiplies itself", 60},
        {"#define M0(x) x\n", "#define M@(x) M$(M$(x))\n", "M59(y)", "", 60},
        {"#define C(a, b) a ## b\n#define X(a, b) C(a, b)\n#define M0 x\n", "#define M@ X(M$, M$)\n", "M39",
         "multipl", 40},
        {"#define S(x) #x\n#define M0 \"\"\n", "#define M@ X(M$)\n#define X(x) S(x x)\n", "M1", NULL, 2},
        {"#define S(x) #x\n#define X(x) S(x x)\n#define M0(y) X(y)\n", "#define M@(y) M$(X(y))\n",
         "M39(\"\")", "multipl", 40},
        {"#define M0 1\n", "#define M@ (M$ + M$)\n", "\n#if M59\n#endif", "multiplies itself", 60},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = chain(cases[i].first, cases[i].format, cases[i].count, cases[i].use), label[40];
        snprintf(label, sizeof label, "bomb %zu", i);
        expect_survival(label, text, NULL, cases[i].error);
        free(text);
    }
}
END_TEST

START_TEST(include_bombs)
{
    char names[60][20], texts[60][80];
    struct src_embedded table[61];
    struct src_options options = {.embedded = table};
    kn_error err;
    char *large;

    for (int i = 0; i < 60; i++) {
        snprintf(names[i], sizeof names[i], "%d.clh", i);
        snprintf(texts[i], sizeof texts[i], "#include \"%d.clh\"\n#include \"%d.clh\"\n", i + 1, i + 1);
        table[i] = (struct src_embedded){names[i], texts[i]};
    }
    table[59].text = "";
    table[60] = (struct src_embedded){NULL, NULL};
    expect_survival("doubling includes", "#include \"0.clh\"\n", &options, "too much is included");
    large = repeated("", "// nothing\n", 500000, "");
    table[59].text = large;
    expect_survival("doubling large includes", "#include \"0.clh\"\n", &options, "too much is included");
    free(large);
    table[59].text = "#include \"0.clh\"\n";
    expect_survival("a cycle that doubles", "#include \"0.clh\"\n", &options, "#include cycle");
    large = repeated("", "#include \"59.clh\"\n", 100000, "");
    table[59].text = "";
    expect_survival("many includes", large, &options, "too much is included");
    free(large);
    large = repeated("", "#include \"59.clh\"\n", 100000, "");
    table[59].text = "#pragma once\n";
    ck_assert_int_eq(survive("many includes of one file", large, &options, &err), KN_OK);
    free(large);
}
END_TEST

START_TEST(noise)
{
    uint64_t state = test_seed("noise");
    char *text = malloc(100001);
    kn_error err;

    ck_assert_ptr_nonnull(text);
    for (int round = 0; round < 8; round++) {
        for (size_t i = 0; i < 100000; i++)
            text[i] = (char)(1 + test_random(&state) % 255);
        text[100000] = '\0';
        survive("noise", text, NULL, &err);
    }
    free(text);
}
END_TEST

// Parts of programs, to be put together in random order.
static const char *const words[] = {
    "#define A B C\n",
    "#define B(x) x A #x\n",
    "#define C(x, ...) x ## __VA_ARGS__ B(x)\n",
    "#undef A\n",
    "#undef B\n",
    "#undef C\n",
    "\n#if A\n",
    "\n#if B(1) || defined C\n",
    "\n#ifdef A\n",
    "\n#ifndef B\n",
    "\n#elif 1\n",
    "\n#else\n",
    "\n#endif\n",
    "\n#include \"a.clh\"\n",
    "\n#include A\n",
    "\n#line 3 \"x\"\n",
    "\n#pragma unroll A\n",
    "A ",
    "B",
    "C",
    "(",
    ")",
    ",",
    "{",
    "}",
    "[",
    "]",
    ";",
    "*",
    "##",
    "#",
    "\n",
    "\\\n",
    "/*",
    "*/",
    "//",
    "\"",
    "'",
    "\"s\" ",
    "'c' ",
    "1 ",
    "0x1p+",
    "kernel ",
    "__kernel ",
    "void ",
    "float4 ",
    "global ",
    "__local ",
    "const ",
    "typedef ",
    "struct ",
    "enum ",
    "name ",
    "__attribute__((reqd_work_group_size(",
    "__attribute__((ext_vector_type(3))) ",
    "unsigned ",
    "long ",
    "double ",
    "=",
    "_Pragma",
    "(\"unroll 2\")",
    "__LINE__ ",
    "__VA_ARGS__ ",
    "defined ",
    "? ",
    ": ",
    "<:",
    "%>",
    "...",
    "kernel void k(",
    "global float *a",
    ") {}",
    "\n#error x\n",
    "\n#\n",
    "# 3 \"f\"\n",
};

START_TEST(random_words)
{
    static const struct src_embedded table[] = {{"a.clh", "A B(1) C(2, 3)\n#define A 1\n"}, {NULL, NULL}};
    static const struct src_options options = {.embedded = table};
    uint64_t state = test_seed("random_words");
    size_t good = 0, bad = 0;
    kn_error err;

    for (int round = 0; round < 3000; round++) {
        struct ki_text text = KI_TEXT_INIT;
        size_t count = 1 + test_random(&state) % 60;
        for (size_t i = 0; i < count; i++)
            ki_text_add(&text, words[test_random(&state) % (sizeof words / sizeof *words)]);
        if (survive("words", ki_text_string(&text), &options, &err) == KN_OK)
            good++;
        else
            bad++;
        ki_text_free(&text);
    }
    // Both must happen often; otherwise the words are badly chosen.
    ck_assert_msg(good > 100 && bad > 100, "%zu read, %zu refused", good, bad);
}
END_TEST

START_TEST(memory)
{
    char *text = chain("#define M0 x\n", "#define M@ M$ M$\n", 40, "M39");
    struct rusage usage;
    kn_error err;

    survive("memory", text, NULL, &err);
    free(text);
    getrusage(RUSAGE_SELF, &usage);
#ifndef __SANITIZE_ADDRESS__
    ck_assert_msg(usage.ru_maxrss < LARGEST, "%ld KB were used", usage.ru_maxrss);
#endif
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {long_texts,    long_rows, nested_calls, macro_bombs,
                                  include_bombs, noise,     random_words, memory};

    return TEST_RUN("source: hostile", CK_FORK, tests);
}
