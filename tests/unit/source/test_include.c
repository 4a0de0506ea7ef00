// SPDX-License-Identifier: Apache-2.0
// #include: where it looks, in which order, what it refuses, and its message if it finds nothing.
#include "source_support.h"

static char *folder;

static void make_folder(const char *name)
{
    char path[4200];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    ck_assert_int_eq(mkdir(path, 0755), 0);
}

static void put(const char *name, const char *text)
{
    write_file(folder, name, text, strlen(text));
}

// Reads a file of the folder as the main file.
static kn_status read_path(const char *name, struct src_options options, struct src_unit **unit,
                           kn_error *err)
{
    char path[4200];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    return ki_src_read(path, NULL, &options, unit, err);
}

static void expect_from(const char *name, struct src_options options, const char *expected)
{
    struct src_unit *unit = NULL;
    kn_error err = KN_ERROR_INIT;
    char *found;

    ck_assert_msg(read_path(name, options, &unit, &err) == KN_OK, "%s", err.text);
    found = tokens_of(unit);
    ck_assert_str_eq(found, expected);
    free(found);
    ki_src_free(unit);
}

// The file must be refused with this status and with `what` in the message, at this line of a file whose path
// ends in `file`. Returns the error.
static kn_error expect_refused(const char *name, kn_status code, const char *file, long line,
                               const char *what)
{
    struct src_options options = {.define_count = 0};
    struct src_unit *unit = NULL;
    kn_error err = KN_ERROR_INIT;
    kn_status status = read_path(name, options, &unit, &err);
    size_t length;

    ck_assert_msg(status == code, "%s: %s", kn_status_name(status), err.text);
    length = strlen(err.file);
    ck_assert_msg(length >= strlen(file) && strcmp(err.file + length - strlen(file), file) == 0, "%s",
                  err.text);
    ck_assert_int_eq(err.line, line);
    ck_assert_msg(strstr(err.text, what) != NULL, "\"%s\" is not in: %s", what, err.text);
    return err;
}

static void begin(void)
{
    folder = test_folder();
    make_folder("sub");
    make_folder("one");
    make_folder("two");
}

static void end(void)
{
    test_remove(folder);
}

START_TEST(order)
{
    static const struct src_embedded table[] = {
        {"x.clh", "embedded"}, {"lib/y.clh", "embedded_y"}, {NULL, NULL}};
    char one[4200], two[4200], path[8500];
    const char *dirs[] = {one};
    struct src_options options = {
        .include_dirs = dirs, .include_dir_count = 1, .kernel_path = path, .embedded = table};

    snprintf(one, sizeof one, "%s/one/", folder);
    snprintf(two, sizeof two, "%s/two", folder);
    snprintf(path, sizeof path, "/nowhere/at/all::%s:", two);
    put("sub/main.cl", "#include \"x.clh\"\n#include <x.clh>\n#include <lib/y.clh>");
    expect_from("sub/main.cl", options, "embedded embedded embedded_y");
    put("two/x.clh", "two");
    expect_from("sub/main.cl", options, "two two embedded_y");
    put("one/x.clh", "one");
    expect_from("sub/main.cl", options, "one one embedded_y");
    put("sub/x.clh", "own");
    expect_from("sub/main.cl", options, "own one embedded_y");
    // A name in quotes is looked up in the folder of the including file, not of the main file.
    put("main.cl", "#include \"sub/main.cl\"\n");
    expect_from("main.cl", options, "own one embedded_y");
    put("absolute.cl", "");
    snprintf(two, sizeof two, "#include \"%s/sub/x.clh\"", folder);
    put("absolute.cl", two);
    expect_from("absolute.cl", options, "own");
}
END_TEST

// A kernel file of the table is found without its folder; included files are not.
START_TEST(without_folder)
{
    static const struct src_embedded table[] = {
        {"algo/sort/main.cl", "#include \"../../lib/a.clh\"\nmain"}, {"lib/a.clh", "a"}, {NULL, NULL}};
    struct src_options options = {.embedded = table, .builtin = true};
    struct src_unit *unit = NULL;
    kn_error err = KN_ERROR_INIT;
    char *found;

    for (unsigned i = 0; i < 3; i++) {
        if (i == 2) { // the kernel path replaces a file at its path in the table
            options.kernel_path = folder;
            make_folder("algo");
            make_folder("algo/sort");
            put("main.cl", "wrong");
            put("algo/sort/main.cl", "#include \"../../lib/a.clh\"\nmine");
        }
        ck_assert_msg(ki_src_read(i ? "main.cl" : "algo/sort/main.cl", NULL, &options, &unit, &err) == KN_OK,
                      "%s", err.text);
        found = tokens_of(unit);
        ck_assert_str_eq(found, i == 2 ? "a mine" : "a main");
        free(found);
        ki_src_free(unit);
        unit = NULL;
    }
    ck_assert_int_eq(ki_src_read("sort/main.cl", NULL, &options, &unit, &err), KN_ERROR_INPUT);
    ck_assert_int_eq(ki_src_read("t.cl", "#include \"a.clh\"\n", &options, &unit, &err), KN_ERROR_INPUT);
}
END_TEST

START_TEST(embedded)
{
    static const struct src_embedded table[] = {
        {"main.cl", "#include \"lib/a.clh\"\nmain"},
        {"lib/a.clh", "#include \"b.clh\"\n#include \"c.clh\"\n#include \"../d.clh\"\na"},
        {"lib/b.clh", "lib_b"},
        {"lib/e.clh", "lib_e"},
        {"b.clh", "wrong"},
        {"c.clh", "c __FILE__"},
        {"d.clh", "d \\\n __FILE__ __LINE__"},
        {NULL, NULL}};
    struct src_options options = {.embedded = table, .builtin = true};
    struct src_unit *unit = NULL;
    kn_error err = KN_ERROR_INIT;
    char *found;

    ck_assert_msg(ki_src_read("main.cl", NULL, &options, &unit, &err) == KN_OK, "%s", err.text);
    found = tokens_of(unit);
    ck_assert_str_eq(found, "lib_b c \"c.clh\" d \"d.clh\" 2 a main");
    ck_assert_uint_eq(unit->file_count, 5);
    ck_assert_str_eq(unit->files[0].name, "main.cl");
    free(found);
    ki_src_free(unit);
    // Files in KOINE_KERNEL_PATH replace those of the table, both the main file and included ones.
    options.kernel_path = folder;
    make_folder("lib");
    put("lib/b.clh", "mine");
    ck_assert_int_eq(ki_src_read("main.cl", NULL, &options, &unit, &err), KN_OK);
    found = tokens_of(unit);
    ck_assert_str_eq(found, "mine c \"c.clh\" d \"d.clh\" 2 a main");
    free(found);
    ki_src_free(unit);
    // Their own includes are looked up relative to the files that they replace.
    put("lib/b.clh", "#include \"e.clh\"\n#include \"../d.clh\"\nmine");
    ck_assert_int_eq(ki_src_read("main.cl", NULL, &options, &unit, &err), KN_OK);
    found = tokens_of(unit);
    ck_assert_str_eq(found, "lib_e d \"d.clh\" 2 mine c \"c.clh\" d \"d.clh\" 2 a main");
    free(found);
    ki_src_free(unit);
    put("main.cl", "#include \"lib/b.clh\"\nmy_main");
    ck_assert_int_eq(ki_src_read("main.cl", NULL, &options, &unit, &err), KN_OK);
    found = tokens_of(unit);
    ck_assert_str_eq(found, "lib_e d \"d.clh\" 2 mine my_main");
    free(found);
    ki_src_free(unit);
    unit = NULL;
    ck_assert_int_eq(ki_src_read("none.cl", NULL, &options, &unit, &err), KN_ERROR_INPUT);
    ck_assert_str_eq(err.file, "none.cl");
    ck_assert_ptr_nonnull(strstr(err.text, "among the built-in files"));
    ck_assert_ptr_null(unit);
}
END_TEST

START_TEST(macro_names)
{
    static const struct src_embedded table[] = {{"x y.clh", "a"}, {"z.clh", "b"}, {NULL, NULL}};
    static const struct src_options options = {.embedded = table};

    expect_tokens_with(&options, "#define X \"z.clh\"\n#include X\n", "b");
    expect_tokens_with(&options, "#define X <z.clh>\n#include X // c\n", "b");
    expect_tokens_with(&options, "#define S(x) #x\n#define T(x) S(x)\n#define N z\n#include T(N.clh)\n", "b");
    expect_tokens_with(&options, "#include \"x y.clh\"\n#include <x y.clh>", "a a");
    expect_error_with(&options, "\n#include\n", KN_ERROR_BUILD, "main.cl", 2, "neither \"name\" nor <name>");
    expect_error_with(&options, "\n#include x\n", KN_ERROR_BUILD, "main.cl", 2,
                      "neither \"name\" nor <name>");
    expect_error_with(&options, "\n#include <x\n", KN_ERROR_BUILD, "main.cl", 2,
                      "neither \"name\" nor <name>");
    expect_error_with(&options, "\n#include \"x\n", KN_ERROR_BUILD, "main.cl", 2, "never closed");
    expect_error_with(&options, "\n#include \"\"\n", KN_ERROR_BUILD, "main.cl", 2, "empty name");
    expect_error_with(&options, "\n#include_next <z.clh>\n", KN_ERROR_BUILD, "main.cl", 2, "no directive");
}
END_TEST

START_TEST(once)
{
    static const struct src_embedded table[] = {
        {"once.clh", "#pragma once\nonce"},
        {"guard.clh", "/* c */\n#ifndef G\n#define G\nguard\n#endif // G\n"},
        {"defined.clh", "#if !defined(H)\n#define H\ndefined_guard\n#endif\n"},
        {"tail.clh", "#ifndef T\n#define T\nfirst\n#endif\ntail"},
        {"other.clh", "#ifndef O\n#define O\nfirst\n#else\nagain\n#endif\n"},
        {"list.clh", "X(a)\nX(b)\n"},
        {NULL, NULL}};
    static const struct src_options options = {.embedded = table};

    expect_tokens_with(&options, "#include \"once.clh\"\n#include <once.clh>\n", "once");
    expect_tokens_with(&options,
                       "#include \"guard.clh\"\n#include \"guard.clh\"\n#undef G\n#include \"guard.clh\"\n",
                       "guard guard");
    expect_tokens_with(&options, "#include \"defined.clh\"\n#include \"defined.clh\"\n", "defined_guard");
    expect_tokens_with(&options, "#include \"tail.clh\"\n#include \"tail.clh\"\n", "first tail tail");
    expect_tokens_with(&options, "#include \"other.clh\"\n#include \"other.clh\"\n", "first again");
    expect_tokens_with(
        &options,
        "#define X(x) <x>\n#include \"list.clh\"\n#undef X\n#define X(x) [x]\n#include \"list.clh\"\n",
        "< a > < b > [ a ] [ b ]");
}
END_TEST

// For #pragma once, a file with two names is one file.
START_TEST(once_by_identity)
{
    char from[4200], to[4200];
    struct src_options options = {.define_count = 0};

    put("a.clh", "#pragma once\na");
    snprintf(from, sizeof from, "%s/a.clh", folder);
    snprintf(to, sizeof to, "%s/sub/b.clh", folder);
    ck_assert_int_eq(symlink(from, to), 0);
    put("main.cl", "#include \"a.clh\"\n#include \"sub/b.clh\"\n#include \"sub/../a.clh\"\n");
    expect_from("main.cl", options, "a");
}
END_TEST

START_TEST(missing)
{
    kn_error err;

    put("main.cl", "\n#include \"sub/a.clh\"\n");
    put("sub/a.clh", "\n\n#include \"gone.clh\"\n");
    err =
        expect_refused("main.cl", KN_ERROR_INPUT, "sub/a.clh", 3, "#include \"gone.clh\" is not to be found");
    ck_assert_ptr_nonnull(strstr(err.text, "sub/gone.clh"));
    ck_assert_ptr_nonnull(strstr(err.text, "included from"));
    ck_assert_ptr_nonnull(strstr(err.text, "main.cl:2"));
    expect_refused("nothing.cl", KN_ERROR_INPUT, "nothing.cl", 0, "there is no such kernel file");
    // An error in an included file also says where it is included from.
    put("sub/a.clh", "\n#error bad\n");
    err = expect_refused("main.cl", KN_ERROR_BUILD, "sub/a.clh", 2, "#error bad");
    ck_assert_ptr_nonnull(strstr(err.text, "main.cl:2"));
    put("sub/a.clh", "#if 1\n");
    expect_refused("main.cl", KN_ERROR_BUILD, "sub/a.clh", 1, "#endif is missing");
    put("sub/a.clh", "#endif\n");
    put("main.cl", "#if 1\n#include \"sub/a.clh\"\n");
    expect_refused("main.cl", KN_ERROR_BUILD, "sub/a.clh", 1, "without an #if before it in this file");
    put("main.cl", "#define F(x) x\n#include \"sub/a.clh\"\n)");
    put("sub/a.clh", "\nF(");
    expect_refused("main.cl", KN_ERROR_BUILD, "sub/a.clh", 2, "\")\" is missing");
}
END_TEST

START_TEST(unreadable)
{
    static const char nul[] = "int a;\nint\0 b;\n";
    struct src_options options = {.define_count = 0};
    char path[4200];

    put("main.cl", "x\n#include \"sub\"\n");
    expect_refused("main.cl", KN_ERROR_INPUT, "main.cl", 2, "it is a directory");
    expect_refused("sub", KN_ERROR_INPUT, "sub", 0, "it is a directory");
    write_file(folder, "nul.clh", nul, sizeof nul - 1);
    put("main.cl", "x\n#include \"nul.clh\"\n");
    expect_refused("main.cl", KN_ERROR_INPUT, "main.cl", 2, "NUL byte at offset 10, in line 2");
    expect_refused("nul.clh", KN_ERROR_INPUT, "nul.clh", 0, "NUL byte");
    snprintf(path, sizeof path, "%s/pipe.clh", folder);
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    put("main.cl", "x\n#include \"pipe.clh\"\n");
    expect_refused("main.cl", KN_ERROR_INPUT, "main.cl", 2, "not an ordinary file");
    put("secret.clh", "x");
    snprintf(path, sizeof path, "%s/secret.clh", folder);
    ck_assert_int_eq(chmod(path, 0), 0);
    put("main.cl", "x\n#include \"secret.clh\"\n");
    // Root may read every file, so the check is done as another user.
    ck_assert_int_eq(chmod(folder, 0755), 0);
    if (geteuid() == 0)
        ck_assert_int_eq(seteuid(65534), 0);
    expect_refused("main.cl", KN_ERROR_INPUT, "main.cl", 2, "secret.clh\" cannot be read: Permission denied");
    if (getuid() == 0)
        ck_assert_int_eq(seteuid(0), 0);
    // A name too long for any file is reported as not found.
    memset(path, 'n', sizeof path);
    memcpy(path, "#include \"", 10);
    strcpy(path + 4000, "\"\n");
    put("main.cl", path);
    expect_refused("main.cl", KN_ERROR_INPUT, "main.cl", 1, "not to be found");
    put("empty.cl", "");
    expect_from("empty.cl", options, "");
}
END_TEST

START_TEST(cycles)
{
    struct src_options options = {.define_count = 0};
    kn_error err;

    put("main.cl", "\n#include \"sub/a.clh\"\n");
    put("sub/a.clh", "#include \"b.clh\"\n");
    put("sub/b.clh", "\n\n#include \"a.clh\"\n");
    err = expect_refused("main.cl", KN_ERROR_BUILD, ".clh", 1, "#include cycle: ");
    ck_assert_ptr_nonnull(strstr(err.text, "sub/a.clh -> "));
    ck_assert_ptr_nonnull(strstr(err.text, "sub/b.clh -> "));
    ck_assert_ptr_nonnull(strstr(err.text, "included from"));
    put("self.cl", "#include \"self.cl\"\n");
    expect_refused("self.cl", KN_ERROR_BUILD, "self.cl", 1, "#include cycle: ");
    // A cycle that an include guard or #pragma once ends is not an error.
    put("sub/a.clh", "#ifndef A\n#define A\n#include \"b.clh\"\na\n#endif\n");
    put("sub/b.clh", "#pragma once\n#include \"a.clh\"\nb\n");
    expect_from("main.cl", options, "b a");
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {order,   embedded,   without_folder, macro_names, once, once_by_identity,
                                  missing, unreadable, cycles};

    return TEST_RUN_WITH("source: include", CK_FORK, begin, end, tests);
}
