// SPDX-License-Identifier: Apache-2.0
// The flattened OpenCL text: its exact bytes, and that clang reads the same tokens from it as Koine reads
// from the files.
#include "source_support.h"

static void expect_flat(const struct src_options *options, const char *text, const char *expected)
{
    struct src_unit *unit = read_text(text, options);

    ck_assert_msg(strcmp(unit->opencl, expected) == 0, "came\n%s\nexpected\n%s", unit->opencl, expected);
    ck_assert_uint_eq(unit->opencl_length, strlen(expected));
    ki_src_free(unit);
}

static const struct src_embedded table[] = {{"a.clh", "a\n"},
                                            {"no_end.clh", "x"},
                                            {"backslash.clh", "#define X \\"},
                                            {"joined.clh", "#define X \\\n"},
                                            {"once.clh", "// c\n#pragma once // d\nonce\n"},
                                            {"guard.clh", "#ifndef G\n#define G\ng\n#endif\n"},
                                            {"outer.clh", "o1\n#include \"a.clh\"\no2\n"},
                                            {"we\"ird\\.clh", "w\n"},
                                            {NULL, NULL}};
static const struct src_options with_table = {.embedded = table};

START_TEST(exact)
{
    expect_flat(NULL, "", "#line 1 \"main.cl\"\n");
    expect_flat(NULL, "a\r\nb", "#line 1 \"main.cl\"\na\nb\n");
    expect_flat(&with_table, "1\n  #include \"a.clh\"\n3\n",
                "#line 1 \"main.cl\"\n1\n  \n#line 1 \"a.clh\"\na\n#line 3 \"main.cl\"\n3\n");
    expect_flat(
        &with_table, "#include \"outer.clh\"",
        "#line 1 \"main.cl\"\n#line 1 \"outer.clh\"\no1\n#line 1 \"a.clh\"\na\n#line 3 \"outer.clh\"\no2\n"
        "#line 2 \"main.cl\"\n");
    // The line number after a directive over several lines, and after #line.
    expect_flat(&with_table, "#include /*\n*/ \"no_end.clh\" /*\n*/ // x\n4",
                "#line 1 \"main.cl\"\n#line 1 \"no_end.clh\"\nx\n#line 4 \"main.cl\"\n4\n");
    expect_flat(&with_table, "#line 50 \"z.cl\"\n#include \"a.clh\"\n51",
                "#line 1 \"main.cl\"\n#line 50 \"z.cl\"\n#line 1 \"a.clh\"\na\n#line 51 \"z.cl\"\n51\n");
    // A backslash at a file's end must not swallow the #line after it.
    expect_flat(&with_table, "#include \"backslash.clh\"\n#include \"joined.clh\"\n",
                "#line 1 \"main.cl\"\n#line 1 \"backslash.clh\"\n#define X \\\n\n#line 2 \"main.cl\"\n"
                "#line 1 \"joined.clh\"\n#define X \\\n\n#line 3 \"main.cl\"\n");
    expect_flat(&with_table, "#include <we\"ird\\.clh>\n",
                "#line 1 \"main.cl\"\n#line 1 \"we\\\"ird\\\\.clh\"\nw\n#line 2 \"main.cl\"\n");
}
END_TEST

START_TEST(left_out)
{
    expect_flat(&with_table, "#include \"once.clh\"\n#include \"once.clh\"\n3\n",
                "#line 1 \"main.cl\"\n#line 1 \"once.clh\"\n// c\n\nonce\n#line 2 \"main.cl\"\n\n3\n");
    expect_flat(&with_table, "#include \"guard.clh\"\n#include \"guard.clh\" /*\n*/\n4\n",
                "#line 1 \"main.cl\"\n#line 1 \"guard.clh\"\n#ifndef G\n#define G\ng\n#endif\n#line 2 "
                "\"main.cl\"\n\n\n4\n");
    // A skipped part is left as it is, except that its #include directives are removed.
    expect_flat(NULL, "#if 0\n#include \"no.clh\" /*\n*/\ndon't\n# /**/ include <no\n#endif\n",
                "#line 1 \"main.cl\"\n#if 0\n\n\ndon't\n\n#endif\n");
    expect_flat(NULL, "#if 0\n#if 1\n#include \"no.clh\"\n#endif\n#endif\n",
                "#line 1 \"main.cl\"\n#if 0\n#if 1\n\n#endif\n#endif\n");
    expect_flat(NULL, "x\n#pragma once\ny\n", "#line 1 \"main.cl\"\nx\n\ny\n");
    // In a comment or a string, #include is not a directive.
    expect_flat(NULL, "// #include \"x\"\n\"#include <x>\"\n/*\n#include <x>\n*/\n",
                "#line 1 \"main.cl\"\n// #include \"x\"\n\"#include <x>\"\n/*\n#include <x>\n*/\n");
}
END_TEST

START_TEST(host_macros)
{
    static const kn_define target[] = {{"__OPENCL_VERSION__", "120"}};
    static const kn_define host[] = {{"B", "2"}, {"A", NULL}, {"F(x)", "(x) + 1"}, {"E", ""}};
    static const struct src_options options = {
        .predefined = target, .predefined_count = 1, .defines = host, .define_count = 4};

    expect_flat(&options, "x\n",
                "#define B 2\n#define A 1\n#define F(x) (x) + 1\n#define E \n#line 1 \"main.cl\"\nx\n");
}
END_TEST

START_TEST(source_lines)
{
    struct src_unit *unit = read_text("one\n\nthree \\\r\nfour\n#include \"a.clh\"\nlast", &with_table);
    static const char *const lines[] = {"one", "", "three \\", "four", "#include \"a.clh\"", "last"};
    const char *start;
    size_t length;

    for (long i = 1; i <= 6; i++) {
        ck_assert(ki_src_line(unit, "main.cl", i, &start, &length));
        ck_assert_uint_eq(length, strlen(lines[i - 1]));
        ck_assert_int_eq(strncmp(start, lines[i - 1], length), 0);
    }
    ck_assert(ki_src_line(unit, "a.clh", 1, &start, &length));
    ck_assert_uint_eq(length, 1);
    ck_assert(!ki_src_line(unit, "main.cl", 7, &start, &length));
    ck_assert(!ki_src_line(unit, "main.cl", 0, &start, &length));
    ck_assert(!ki_src_line(unit, "main.cl", -1, &start, &length));
    ck_assert(!ki_src_line(unit, "a.clh", 2, &start, &length));
    ck_assert(!ki_src_line(unit, "b.clh", 1, &start, &length));
    ck_assert_uint_eq(unit->file_count, 2);
    ki_src_free(unit);
    ki_src_free(NULL);
}
END_TEST

// The tokens of clang's preprocessed output, in the form that tokens_of gives.
static char *tokens_of_clang(const char *text, const char *folder)
{
    struct ki_text bytes = KI_TEXT_INIT, joined = KI_TEXT_INIT;
    struct src_options none = {.define_count = 0};
    char command[4400], part[4096], *found;
    struct src_unit *unit = NULL;
    kn_error err = KN_ERROR_INIT;
    FILE *output;
    size_t got;

    write_file(folder, "flat.cl", text, strlen(text));
    snprintf(command, sizeof command, "clang -cc1 -E -P -x cl -cl-std=CL1.2 -Wno-everything '%s/flat.cl'",
             folder);
    output = popen(command, "r");
    ck_assert_ptr_nonnull(output);
    while ((got = fread(part, 1, sizeof part, output)) > 0)
        ki_text_add_bytes(&bytes, part, got);
    ck_assert_msg(pclose(output) == 0, "clang refuses\n%s", text);
    ck_assert_int_eq(ki_src_read("clang", ki_text_string(&bytes), &none, &unit, &err), KN_OK);
    found = tokens_of(unit);
    ki_src_free(unit);
    ki_text_free(&bytes);
    ki_text_free(&joined);
    return found;
}

START_TEST(as_clang_reads_it)
{
    static const char *const names[] = {"xmacro.cl", "guards.cl", "places.cl", "macros.cl", "digraphs.cl"};
    static const kn_define host[] = {{"REAL", "double"}, {"TWICE(x)", "x x"}};
    const char *source = getenv("srcdir");
    char *folder, path[4400], dir[4200];
    const char *dirs[] = {dir};

    if (system("clang -cc1 -version >/dev/null 2>&1") != 0) {
        ck_assert_msg(!test_require("clang"), "clang is needed (KOINE_REQUIRE lists clang), but not there");
        fprintf(stderr,
                "skipped: the flat text is not compared with clang's reading; there is no clang here\n");
        return;
    }
    folder = test_folder();
    snprintf(dir, sizeof dir, "%s/tests/data/source", source && *source ? source : ".");
    for (size_t i = 0; i < 2 * sizeof names / sizeof *names; i++) {
        struct src_options options = {
            .include_dirs = dirs, .include_dir_count = 1, .defines = host, .define_count = i % 2 ? 2 : 0};
        struct src_unit *unit = NULL;
        kn_error err = KN_ERROR_INIT;
        char *ours, *theirs;
        snprintf(path, sizeof path, "%s/%s", dir, names[i / 2]);
        ck_assert_msg(ki_src_read(path, NULL, &options, &unit, &err) == KN_OK, "%s", err.text);
        ours = tokens_of(unit);
        theirs = tokens_of_clang(unit->opencl, folder);
        ck_assert_msg(strlen(ours) > 100 || i / 2 == 4, "%s", ours);
        ck_assert_msg(strcmp(ours, theirs) == 0, "%s\nours  %s\nclang %s", names[i / 2], ours, theirs);
        free(ours);
        free(theirs);
        ki_src_free(unit);
    }
    test_remove(folder);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {exact, left_out, host_macros, source_lines, as_clang_reads_it};

    return TEST_RUN("source: flatten", CK_FORK, tests);
}
