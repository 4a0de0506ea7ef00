// SPDX-License-Identifier: Apache-2.0
// Tests the message about a program that does not compile: the location in the original file, the source
// line, the compiler's words.
#include "engine_support.h"

#include "base/text/text.h"
#include "engine/cache/build_log.h"

static char *folder;
static kn_context *context;

static void set_up(void)
{
    kn_context_options options = KN_INIT(kn_context_options, .cache_dir = "");

    folder = test_folder();
    context = open_with(&options);
}

static void tear_down(void)
{
    kn_context_close(context);
    test_remove(folder);
}

static void expect_location(kn_status status, const char *file, long line, const char *words)
{
    ck_assert_str_eq(err.file, file);
    ck_assert_int_eq(err.line, line);
    ck_assert_int_eq(strncmp(err.text, file, strlen(file)), 0);
    expect_refused(status, KN_ERROR_BUILD, words);
}

// The last build log, and the number of them.
struct heard {
    char *log;
    int times;
};

static void hear(void *user, const char *output)
{
    struct heard *heard = user;

    free(heard->log);
    heard->log = strdup(output);
    heard->times++;
}

START_TEST(compile_errors)
{
    struct heard heard = {NULL, 0};
    kn_program_options options = KN_INIT(kn_program_options, .build_log = hear, .build_log_user = &heard);
    kn_program *program = NULL;
    kn_status status;
    char path[4300], inner[4300];
    bool reported = begin_refusals();

    status = kn_program_from_text(context,
                                  "__kernel void k(__global int *x)\n{\n    x[0] = undeclared_thing;\n}\n",
                                  "bad.cl", &options, &program, &err);
    expect_location(status, "bad.cl", 3,
                    "bad.cl:3|does not compile|undeclared_thing|     3 |     x[0] = undeclared_thing;");
    ck_assert_ptr_nonnull(strstr(heard.log, "undeclared_thing"));

    // In an included file, on a line after a macro and a comment of several lines.
    snprintf(inner, sizeof inner, "%s",
             write_text(folder, "inner.clh",
                        "/* two\n   lines */\n#define M(a) \\\n    (a)\nint f(int a)\n{\n"
                        "    return M(a) + no_such_name;\n}\n"));
    snprintf(path, sizeof path, "%s",
             write_text(folder, "outer.cl",
                        "\n#include \"inner.clh\"\n__kernel void k(__global int *x) { x[0] = f(1); }\n"));
    status = kn_program_from_file(context, path, &options, &program, &err);
    expect_location(status, inner, 7, "inner.clh:7|no_such_name|     7 |     return M(a) + no_such_name;");
    ck_assert_ptr_nonnull(strstr(heard.log, "no_such_name"));

    // And in the outer file after the inclusion.
    write_text(folder, "inner.clh", "int f(int a) { return a; }\n");
    write_text(
        folder, "outer.cl",
        "\n#include \"inner.clh\"\n__kernel void k(__global int *x)\n{ x[0] = f(1) + no_such_name; }\n");
    status = kn_program_from_file(context, path, &options, &program, &err);
    expect_location(status, path, 4, "no_such_name|     4 | { x[0] = f(1) + no_such_name; }");
    ck_assert_int_eq(heard.times, 3);
    free(heard.log);
    ck_assert_ptr_null(program);
    end_refusals(reported);
}
END_TEST

static const char nothing[] = "__kernel void nothing(void) { }\n";

// The function is called for every program that reaches the compiler, and for no other.
START_TEST(logs)
{
    struct heard heard = {NULL, 0};
    kn_program_options options = KN_INIT(kn_program_options, .build_log = hear, .build_log_user = &heard);
    kn_program *program = NULL;

    expect_ok(kn_program_from_text(context, nothing, "log.cl", &options, &program, &err));
    ck_assert_int_eq(heard.times, 1);
    free(heard.log);
    kn_program_free(program);
    program = NULL;
    expect_refused(kn_program_from_text(context, "#error no\n", "log.cl", &options, &program, &err),
                   KN_ERROR_BUILD, "log.cl:1");
    expect_refused(kn_program_from_file(context, "/nonexistent.cl", &options, &program, &err), KN_ERROR_INPUT,
                   "nonexistent");
    expect_refused(kn_program_from_text(context, NULL, "log.cl", &options, &program, &err), KN_ERROR_ARGUMENT,
                   "text");
    ck_assert_int_eq(heard.times, 1);
    expect_refused(kn_program_from_text(NULL, nothing, "log.cl", NULL, &program, &err), KN_ERROR_ARGUMENT,
                   "context");
    expect_refused(kn_program_from_text(context, nothing, NULL, NULL, &program, &err), KN_ERROR_ARGUMENT,
                   "name");
    expect_refused(kn_program_from_text(context, nothing, "log.cl", NULL, NULL, &err), KN_ERROR_ARGUMENT,
                   "handle");
    expect_refused(kn_program_from_file(context, NULL, NULL, &program, &err), KN_ERROR_ARGUMENT, "name");
    expect_refused(kn_program_from_builtin(context, NULL, NULL, &program, &err), KN_ERROR_ARGUMENT, "name");
    ck_assert_ptr_null(program);
}
END_TEST

// The formats in which other compilers give a location; a warning before the error; a file with "error" in
// its name.
START_TEST(other_compilers_words)
{
    static const kn_source_file files[] = {
        {"a.cl", "one\ntwo\nthree\n"}, {"dir/a.cl", "uno\ndue\n"}, {"error.clh", "eins\nzwei\n"}};
    static const struct src_unit unit = {.files = files, .file_count = 3};
    static const struct {
        const char *log, *file;
        long line;
        const char *begins;
    } cases[] = {{"a.cl:2:5: error: no", "a.cl", 2, "a.cl:2"},
                 {"\"a.cl\", line 3: error: no", "a.cl", 3, "\"a.cl\", line 3"},
                 {"a.cl(1): error : no", "a.cl", 1, "a.cl(1)"},
                 {"/tmp/dir/a.cl:2:1: error: no", "dir/a.cl", 2, "/tmp"},
                 {"a.cl:1: warning: so so\n\na.cl:3: error: no\na.cl:2: error: no", "a.cl", 3, "a.cl:3"},
                 {"error.clh:1: warning: so so\na.cl:3: error: no", "a.cl", 3, "a.cl:3"},
                 {"error.clh:2: warning: so so", "error.clh", 2, "error.clh:2"},
                 {"a.cl:99: error: no", "a.cl", 99, "a.cl:99"},
                 {"a.cl:", "", 0, "a.cl:"},
                 {"nothing to say", "", 0, "nothing"},
                 {"", "", 0, ""}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ki_text out = KI_TEXT_INIT;
        struct build_location location;

        ki_build_log_explain(&unit, cases[i].log, &out, &location);
        ck_assert_str_eq(location.file, cases[i].file);
        ck_assert_int_eq(location.line, cases[i].line);
        ck_assert_int_eq(
            strncmp(ki_text_string(&out) + location.begin, cases[i].begins, strlen(cases[i].begins)), 0);
        ki_text_free(&out);
    }
}
END_TEST

// A source line that the compiler shows too appears once, with the compiler's marks below it.
START_TEST(excerpts)
{
    static const kn_source_file file = {"a.cl", "{\n    x = y;\n\tz;\n\n"};
    static const struct src_unit unit = {.files = &file, .file_count = 1};
    static const struct {
        const char *log, *explained;
    } cases[] = {
        {"a.cl:2: error: y\n      x = y;\n          ^\n\n1 error\n",
         "a.cl:2: error: y\n     2 |     x = y;\n       |         ^\n1 error\n"},
        {"a.cl:2:9: error: y\n    x = y;\n        ^~\n",
         "a.cl:2:9: error: y\n     2 |     x = y;\n       |         ^~\n"},
        {"a.cl:3: error: z\n  z;\n  ^", "a.cl:3: error: z\n     3 | \tz;\n       | \t^\n"},
        {"a.cl:2: error: y\nx = y;\na.cl:3: error: z",
         "a.cl:2: error: y\n     2 |     x = y;\na.cl:3: error: z\n     3 | \tz;\n"},
        {"a.cl:2: error: y\n    kn_set(x, y);\n    ^\n",
         "a.cl:2: error: y\n     2 |     x = y;\n    kn_set(x, y);\n    ^\n"},
        {"a.cl:4: error: end\n\n  ^\n", "a.cl:4: error: end\n     4 | \n  ^\n"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ki_text out = KI_TEXT_INIT;
        struct build_location location;

        ki_build_log_explain(&unit, cases[i].log, &out, &location);
        ck_assert_str_eq(ki_text_string(&out), cases[i].explained);
        ki_text_free(&out);
    }
}
END_TEST

// A compiler that ignores #line gives locations in the flat text.
START_TEST(locations_in_the_flat_text)
{
    static const char flat[] = "#define A 1\n"
                               "#line 1 \"dir/a \\\"x\\\".cl\"\n" // line 2
                               "one\n"
                               "#line 1 \"b.clh\"\n" // line 4
                               "uno\ndue\n"
                               "#line 3 \"dir/a \\\"x\\\".cl\"\n" // line 7
                               "three\nfour";
    static const struct {
        const char *log, *original;
    } cases[] = {{"in.cl:3:5: error", "dir/a \"x\".cl:1:5: error"},
                 {"in.cl:5: x", "b.clh:1: x"},
                 {"in.cl:6:1\nin.cl:9:2", "b.clh:2:1\ndir/a \"x\".cl:4:2"},
                 {"in.cl:8:", "dir/a \"x\".cl:3:"},
                 {"in.cl: no line", "in.cl: no line"},
                 {"main.c:3", "main.c:3"},
                 {"", ""}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *original = ki_build_log_original(flat, "in.cl", cases[i].log);

        ck_assert_str_eq(original, cases[i].original);
        free(original);
    }
}
END_TEST

// The error remains in the message after many warnings.
START_TEST(long_logs)
{
    struct ki_text text = KI_TEXT_INIT;
    kn_program *program = NULL;
    bool reported = begin_refusals();

    for (int i = 0; i < 100; i++)
        ki_text_format(
            &text,
            "int f%d(int a) { int unused_%d; if (a = 1) return 1; return \"text that warns\" == 0; }\n", i,
            i);
    ki_text_add(&text, "__kernel void k(__global int *x) { x[0] = no_such_name; }\n");
    expect_refused(kn_program_from_text(context, ki_text_string(&text), "long.cl", NULL, &program, &err),
                   KN_ERROR_BUILD, "long.cl:101|no_such_name;");
    ki_text_free(&text);
    end_refusals(reported);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        compile_errors, logs, other_compilers_words, excerpts, locations_in_the_flat_text, long_logs};

    return RUN_ON_DEVICE_WITH("build log", set_up, tear_down, tests);
}
