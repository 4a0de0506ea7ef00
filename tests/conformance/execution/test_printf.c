// SPDX-License-Identifier: Apache-2.0
// Tests the output of execution/printf.cl, on the device and, rewritten, over tests/shim: line by line what
// the specification prescribes (6.12.13, which refers to C99 7.19.6.1), and that printf returns 0.
#include "conformance/host_program.h"

#include <fcntl.h>

#include "base/array.h"

enum { MANY = 256 };

// The lines of each kernel, by the number with which they begin.
static const struct expected {
    const char *kernel;
    const char *lines[16];
} expected[] = {
    {"integers",
     {"1 plain%", "2 42 -42 0", "3    42|42   |00042|+42| 42|0042|    0042|0042    |",
      "4 4294967295 42 52 ffffffff BEEF", "5 052 0x2a 0XBEEF 0", "6 kl|  k|k  |",
      "7 koine|   koine|koine   |koi|", "8 46179488366592 18446744073709551615 8000000000000000 -1",
      "9 -3 65535 -5 250 abcd", "10   +42|+42  |+0042|   42|  0x2a|0x002a|0x2a  |", "11 84 two strings",
      "12 1 -56 200"}},
    {"reals",
     {"1 2.625000 -420000006144.000000 2.625000", "2     2.62|2.62    |00002.62|+2.6| 3|3.|",
      "3 2.625000e+00 -4.200000E+11 2.62e+00   -4.200e+11|", "4 2.625 -4.2E+11 1e-05 100000 2.62 1.00000",
      "5 inf -inf nan INF", "6 0.001 0.1000000015", "7 0x1p+0 0X1P-1 0x1.0p+0"}},
    {"vectors",
     {"1 1.000000,2.500000,-3.000000,42.000000",
      "2 1.000000,2.500000,-3.000000,42.000000|1.0,2.5,-3.0,42.0|    1.00,    2.50,   -3.00,   42.00|",
      "3 1,-2,3,42|1,-2|    1,   -2,    3,   42|+1,-2,+3,+42|1,-2,3,42",
      "4 de,ad,be,f|0xde,0xad,0xbe,0xf|222,173,190,15|0XDE,0XAD,0XBE,0XF",
      "5 -1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1",
      "6 ff,ff,ff,ff,ff,ff,ff,ff,ff,ff,ff,ff,ff,ff,ff,ff", "7 1,-2,3|-1,2,-3", "8 1,-2|3,4|ff,10",
      "9 0x1,0x2,0xff,0 7,7,7,7,7,7,7,7", "10 1.000000e+00,2.500000e+00|-3,42|1,2", "11 1 2,3 4"}},
};

// Lines that a platform is known to print differently, and the rule that it breaks. Line 0: any line of the
// kernel; RETURNED: the value that printf returns in it.
#define RETURNED SIZE_MAX
static const struct known_wrong {
    const char *platform, *kernel;
    size_t line;
    const char *rule;
} known_wrong[] = {
    {"Portable Computing Language", "vectors", 1,
     "6.12.13.1: %v4f prints a float4, as the section's own example does"},
    {"rusticl", "integers", 1, "6.12.13.2: %% prints one %"},
    {"rusticl", "vectors", 0, "6.12.13.1: %d prints the sign of an hh or h component"},
    {"Intel(R) OpenCL", "integers", RETURNED,
     "6.12.13: printf returns 0 if it was executed successfully (here comes the number of characters, as in "
     "C)"},
    {"NVIDIA CUDA", "vectors", 0,
     "6.12.13: with v4, a conversion applies to a vector of 4 and prints its components in order (here some "
     "are "
     "others', or missing)"},
};

static bool is_known(const char *kernel, size_t line)
{
    const char *platform = kn_context_get_device(context)->platform;

    for (size_t i = 0; i < KI_COUNT(known_wrong); i++)
        if (strcmp(known_wrong[i].platform, platform) == 0 && strcmp(known_wrong[i].kernel, kernel) == 0 &&
            (known_wrong[i].line == line || (!known_wrong[i].line && line != RETURNED))) {
            fprintf(stderr, "%s is known to be wrong here: %s\n", platform, known_wrong[i].rule);
            return true;
        }
    return false;
}

static void expect_lines(const struct expected *kernel, const char *text, bool of_device)
{
    for (size_t i = 0; i < KI_COUNT(kernel->lines) && kernel->lines[i]; i++) {
        const char *wanted = kernel->lines[i], *at = text;
        size_t digits = strcspn(wanted, " ") + 1, length;
        if (of_device && is_known(kernel->kernel, i + 1))
            continue;
        while (*at && strncmp(at, wanted, digits) != 0) {
            at += strcspn(at, "\n");
            at += *at == '\n';
        }
        length = strcspn(at, "\n");
        ck_assert_msg(length == strlen(wanted) && strncmp(at, wanted, length) == 0,
                      "%s %s prints\n%.*s\ninstead of\n%s", of_device ? "on the device" : "over the shim",
                      kernel->kernel, (int)length, at, wanted);
    }
    ck_assert_msg(!strstr(text, "not printed"), "%s prints what stands behind a false condition",
                  kernel->kernel);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

// Expects as many whole lines as there are work-items, in any order.
static void expect_many(char *text, const char *where)
{
    static char wanted[MANY][64];
    char *found[MANY + 1] = {NULL}, *names[MANY], *rest = NULL;
    size_t count = 0;

    for (char *line = strtok_r(text, "\n", &rest); line && count <= MANY; line = strtok_r(NULL, "\n", &rest))
        found[count++] = line;
    ck_assert_msg(count == MANY, "%s: %zu lines of %d", where, count, MANY);
    for (int i = 0; i < MANY; i++) {
        snprintf(wanted[i], sizeof wanted[i], "item %d of many: %d,%d", i, i, -i);
        names[i] = wanted[i];
    }
    qsort(found, MANY, sizeof *found, by_text);
    qsort(names, MANY, sizeof *names, by_text);
    for (size_t i = 0; i < MANY; i++)
        ck_assert_str_eq(found[i], names[i]);
}

// ---- on the device: its standard output is the process's

static char *print_on_device(kn_program *program, const char *name, size_t items, const char *folder)
{
    int32_t values[] = {42, -1, 0, 0}, result[] = {7, 7, 7, 7};
    kn_buffer *in = test_upload_with_room(values, sizeof values, 0), *out;
    kn_range range = {.dims = 1, .global = {items}, .local = {items < 64 ? items : 64}};
    int kept = dup(STDOUT_FILENO), file;
    char path[4200];
    kn_kernel *kernel;

    out = test_upload_with_room(result, sizeof result, 0);
    EXPECT_OK(kn_program_get_kernel(program, name, &kernel, &err));
    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    fflush(stdout);
    ck_assert(kept >= 0 && file >= 0 && dup2(file, STDOUT_FILENO) == STDOUT_FILENO);
    const kn_arg args[] = {KN_BUFFER(out), KN_BUFFER(in)};
    kn_status status = kn_launch(queue, kernel, &range, args, KI_COUNT(args), NULL, &err);
    kn_status finished = kn_queue_finish(queue, &err);
    fflush(stdout);
    dup2(kept, STDOUT_FILENO);
    close(kept), close(file);
    ck_assert_msg(status == KN_OK && finished == KN_OK, "%s: %s", name, err.text);
    EXPECT_OK(kn_buffer_read(queue, out, 0, result, sizeof result, &err));
    ck_assert_msg(result[0] == 0 || is_known(name, RETURNED), "%s: printf returns %d", name, result[0]);
    kn_buffer_free(in);
    kn_buffer_free(out);
    return test_read_text(path);
}

START_TEST(on_device)
{
    char *folder = test_folder(), *text;
    void *pointer = NULL;
    kn_program *program;

    EXPECT_OK(kn_program_from_file(context, host_path("execution/printf.cl"), NULL, &program, &err));
    for (size_t k = 0; k < KI_COUNT(expected); k++) {
        text = print_on_device(program, expected[k].kernel, 1, folder);
        expect_lines(&expected[k], text, true);
        free(text);
    }
    text = print_on_device(program, "many", MANY, folder);
    expect_many(text, "on the device");
    free(text);
    text = print_on_device(program, "pointers", 1, folder);
    ck_assert_msg(sscanf(text, "%p", &pointer) == 1 && pointer, "%%p prints \"%s\"", text);
    free(text);
    kn_program_free(program);
    test_remove(folder);
}
END_TEST

// ---- over the shim

static const char main_text[] =
    "template <class K> static int run(K kernel, size_t items)\n"
    "{\n"
    "    int in[] = {42, -1, 0, 0}, out[] = {7, 7};\n"
    "    size_t global[3] = {items, 1, 1}, local[3] = {1, 1, 1};\n"
    "    shim_run([&](const kn::kn_item &me) { kernel(out, in, me); }, global, local, nullptr, 16, 1);\n"
    "    return out[0];\n"
    "}\n"
    "int main(int, char **argv)\n"
    "{\n"
    "    static const struct { const char *name; void (*kernel)(int *, const int *, kn::kn_item); size_t "
    "items; }\n"
    "    all[] = {{\"integers\", kn::program::koine_integers, 1}, {\"reals\", kn::program::koine_reals, 1},\n"
    "             {\"vectors\", kn::program::koine_vectors, 1}, {\"many\", kn::program::koine_many, 256}};\n"
    "    for (auto &one : all)\n"
    "        if (!strcmp(one.name, argv[1]))\n"
    "            return run(one.kernel, one.items);\n"
    "    return 2;\n"
    "}\n";

static char *print_over_shim(const char *folder, const char *name)
{
    char words[100], path[4200];

    snprintf(words, sizeof words, "%s >%s", name, name);
    host_run(folder, words);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return test_read_text(path);
}

START_TEST(over_the_shim)
{
    struct src_cuda *cuda = host_rewrite(host_path("execution/printf.cl"), NULL);
    char *folder = test_folder(), *text;

    host_build(folder, cuda->text, main_text);
    for (size_t k = 0; k < KI_COUNT(expected); k++) {
        text = print_over_shim(folder, expected[k].kernel);
        expect_lines(&expected[k], text, false);
        free(text);
    }
    text = print_over_shim(folder, "many");
    expect_many(text, "over the shim");
    free(text);
    ki_src_cuda_free(cuda);
    test_remove(folder);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {on_device, over_the_shim};
    bool compiles = host_has_compiler();

    if (!compiles && test_require("c++"))
        return EXIT_FAILURE;
    return test_run("printf", tests, compiles ? 2 : 1, test_open, test_close);
}
