// SPDX-License-Identifier: Apache-2.0
// The same kernels as OpenCL C on the device and, rewritten for CUDA, as host C++ over tests/shim: the same
// numbers.
//
// A file of tests/conformance/*.cl is a subject. Its kernels read 16 words of `in` a work-item (columns:
// below) and write up to 16 words of `out`; what they take is found from their parameters: a global const
// pointer is `in`, another global one `out`, an integer the number of work-items, a __constant pointer the
// first 4,096 bytes of `in`, a __local one room for 64 elements or, for a struct, 4,096 bytes. The group is
// of 64. Words agree bit for bit, unless the kernel's name ends in _ulpN: then they are floats within N units
// in the last place, and every NaN is as good as any other.
#include "../unit/device_support.h"

#include "../../src/engine/target.h"
#include "../../src/source/cuda.h"

#include <math.h>

enum { WORDS = 16, GROUP = 64, TABLE_BYTES = 4096, LOCAL_BYTES = 4096, MOST_ITEMS = 1024 };

static const char *const subjects[] = {
    "aliasing",
    "atomics",
    "conversions",
    "doubles",
    "expressions",
    "functions",
    "integers",
    "language",
    "layout",
    "literals",
    "local",
    "maths",
    "names",
    "operators",
    "records",
    "relations",
    "shifts",
    "spaces",
    "swizzles",
    "ternary",
    "vectors",
    "words",
};

static uint32_t in[MOST_ITEMS * WORDS];
static const size_t items = MOST_ITEMS;

// ---- what goes in

static uint32_t bits_of(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float float_of(uint32_t bits)
{
    float value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

// Columns 0 to 3: any bits. 4 to 7: floats, neither denormal nor NaN. 8 to 11: small integers of both signs.
// 12 to 15: where integers have their edges.
static void make_input(void)
{
    static const float floats[] = {0,     -0.0f, 1,          -1,         0.5f,   -0.5f, 1.5f,
                                   2.5f,  -2.5f, 0x1p-24f,   255.5f,     127.5f, 256,   -129,
                                   65504, 65520, 2147483520, 4294967040, 1e30f,  -1e30f};
    static const uint32_t edges[] = {0,    1,     0xffffffff, 0x7fffffff, 0x80000000, 0x80,       0x7f,
                                     0xff, 0x100, 0x7fff,     0x8000,     0xffff,     0x10000,    0x80000001,
                                     31,   32,    33,         63,         64,         0xaaaaaaaa, 0x01010101};
    uint64_t chance = test_seed("test_rewrite");

    for (size_t i = 0; i < items * WORDS; i++) {
        uint64_t random = test_random(&chance);
        switch (i % WORDS / 4) {
        case 0:
            in[i] = (uint32_t)random;
            break;
        case 1:
            in[i] = bits_of(random % 4 ? (float)((test_uniform(&chance) - 0.5) * 200)
                                       : floats[(random >> 8) % (sizeof floats / sizeof *floats)]);
            break;
        case 2:
            in[i] = (uint32_t)((int)(random % 201) - 100);
            break;
        default:
            in[i] = edges[random % (sizeof edges / sizeof *edges)];
        }
    }
}

// ---- as OpenCL

static void run_on_device(kn_program *program, const struct src_kernel *described, uint32_t *out)
{
    kn_buffer *input = test_upload_with_room(in, items * WORDS * 4, 0), *output, *table;
    uint32_t count = (uint32_t)items;
    kn_arg args[16];
    kn_kernel *kernel;
    kn_range range = {.dims = 1, .global = {items}, .local = {GROUP}};

    output = test_upload_with_room(out, items * WORDS * 4, 0);
    table = test_upload_with_room(in, TABLE_BYTES, 0);
    EXPECT_OK(kn_program_kernel(program, described->name, &kernel, &err));
    ck_assert_uint_le(described->param_count, 16);
    for (size_t i = 0; i < described->param_count; i++) {
        const kn_param *param = &described->params[i];
        args[i] = param->kind == KN_PARAM_LOCAL ? KN_LOCAL(param->size ? param->size * GROUP : LOCAL_BYTES)
                  : param->kind == KN_PARAM_CONSTANT ? KN_BUFFER(table)
                  : param->kind == KN_PARAM_VALUE    ? KN_VALUE(count)
                                                     : KN_BUFFER(param->is_const ? input : output);
    }
    EXPECT_OK(kn_launch(queue, kernel, &range, args, described->param_count, NULL, &err));
    EXPECT_OK(kn_buffer_read(queue, output, 0, out, items * WORDS * 4, &err));
    kn_buffer_free(input);
    kn_buffer_free(output);
    kn_buffer_free(table);
}

// ---- as C++

// The call of one kernel: koine_swap(in, out, n, item);
static void write_call(FILE *file, const struct src_kernel *kernel, bool bank)
{
    size_t local = 0;

    fprintf(file, "    run(\"%s\", [](const kn::kn_item &item) {\n        kn::program::koine_%s(",
            kernel->name, kernel->name);
    for (size_t i = 0; i < kernel->param_count; i++) {
        const kn_param *param = &kernel->params[i];
        if (param->kind == KN_PARAM_LOCAL) {
            fprintf(file, "%zu, ", local);
            local += ((param->size ? param->size * GROUP : LOCAL_BYTES) + 15) & ~(size_t)15;
        } else if (param->kind == KN_PARAM_CONSTANT) {
            fputs(bank ? "0, " : "any(in), ", file);
        } else if (param->kind == KN_PARAM_VALUE) {
            fputs("items, ", file);
        } else {
            fputs(param->is_const ? "any(in), " : "any(out), ", file);
        }
    }
    fprintf(file, "item); }, %zu);\n", local);
}

static void write_program(const char *path, const struct src_unit *unit, const struct src_cuda *cuda,
                          bool bank)
{
    static const char runner[] = "#line 1 \"test_rewrite\"\n"
                                 "#include \"shim_run.h\"\n"
                                 "static unsigned in[items * words], out[items * words];\n"
                                 "static FILE *results;\n"
                                 "struct any { void *p; any(void *q) : p(q) {} template <class T> operator T "
                                 "*() const { return (T *)p; } };\n"
                                 "template <class K> static void run(const char *, K kernel, size_t arena)\n"
                                 "{\n"
                                 "    size_t global[3] = {items, 1, 1}, local[3] = {group, 1, 1};\n"
                                 "    memset(out, 0xa5, sizeof out);\n"
                                 "    shim_run(kernel, global, local, nullptr, arena + 16, 1);\n"
                                 "    fwrite(out, sizeof out, 1, results);\n"
                                 "}\n"
                                 "int main(int, char **argv)\n"
                                 "{\n"
                                 "    FILE *file = fopen(argv[1], \"rb\");\n"
                                 "    results = fopen(argv[2], \"wb\");\n"
                                 "    if (!file || !results || fread(in, sizeof in, 1, file) != 1)\n"
                                 "        return 1;\n";
    FILE *file = fopen(path, "w");

    ck_assert_ptr_nonnull(file);
    fprintf(file, "#include \"shim.h\"\n%s", cuda->text);
    fprintf(file, "enum : unsigned { items = %zu, words = %d, group = %d };\n%s", items, WORDS, GROUP,
            runner);
    if (bank)
        fprintf(file, "    memcpy(kn_bank, in, %d);\n", TABLE_BYTES);
    for (size_t k = 0; k < unit->kernel_count; k++)
        write_call(file, &unit->kernels[k], bank);
    fputs("    return fclose(results);\n}\n", file);
    ck_assert_int_eq(fclose(file), 0);
}

static void save(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");

    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, size, 1, file), 1);
    ck_assert_int_eq(fclose(file), 0);
}

static const char *compiler(void)
{
    const char *given = getenv("CXX");

    return given && *given ? given : "c++";
}

// The results of all kernels, one after the other, into `results`.
static void run_on_host(const struct src_unit *unit, const struct src_cuda *cuda, bool bank,
                        uint32_t *results)
{
    const char *source = getenv("srcdir");
    char *folder = test_folder(), command[20000], path[4200];
    size_t bytes = unit->kernel_count * items * WORDS * 4;
    FILE *file;

    snprintf(path, sizeof path, "%s/program.cpp", folder);
    write_program(path, unit, cuda, bank);
    snprintf(path, sizeof path, "%s/in", folder);
    save(path, in, items * WORDS * 4);
    snprintf(command, sizeof command,
             "cd '%s' && %s -std=gnu++17 -O1 -w -fno-strict-aliasing -fwrapv -frounding-math -ffp-contract=off "
             "-I'%s/tests/shim' "
             "-o program program.cpp >&2 && ./program in out",
             folder, compiler(), source ? source : ".");
    ck_assert_msg(system(command) == 0, "%s: does not compile or run as C++ (left in %s)",
                  unit->files[0].name, folder);
    snprintf(path, sizeof path, "%s/out", folder);
    file = fopen(path, "rb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fread(results, 1, bytes, file), bytes);
    fclose(file);
    test_remove(folder);
}

// ---- the comparison

// Floats in the order of the line of numbers, so that neighbours differ by 1; -0 and 0 are the same.
static int64_t rank_of(uint32_t bits)
{
    return bits >> 31 ? -(int64_t)(bits & 0x7fffffff) : (int64_t)bits;
}

static bool agrees(uint32_t a, uint32_t b, int ulps)
{
    if (a == b || ulps < 0)
        return a == b;
    if (isnan(float_of(a)) || isnan(float_of(b)))
        return isnan(float_of(a)) && isnan(float_of(b));
    return llabs(rank_of(a) - rank_of(b)) <= ulps;
}

static int bound_of(const char *kernel)
{
    const char *suffix = strstr(kernel, "_ulp");

    return suffix ? atoi(suffix + 4) : -1;
}

static bool compare(const char *subject, const char *kernel, const uint32_t *device, const uint32_t *host)
{
    size_t different = 0, written = 0;
    int ulps = bound_of(kernel);

    for (size_t i = 0; i < items * WORDS; i++) {
        written += device[i] != 0xa5a5a5a5;
        if (agrees(device[i], host[i], ulps))
            continue;
        if (different++ < 3)
            fprintf(stderr,
                    "%s.cl: %s: work-item %zu, word %zu: OpenCL 0x%08x (%.9g), rewritten 0x%08x (%.9g)\n",
                    subject, kernel, i / WORDS, i % WORDS, device[i], (double)float_of(device[i]), host[i],
                    (double)float_of(host[i]));
    }
    if (!written)
        fprintf(stderr, "%s.cl: %s: writes nothing\n", subject, kernel);
    return !different && written;
}

static void check_subject(const char *subject, kn_program *program, const struct src_unit *unit,
                          const struct src_options *options, bool bank, bool *uses_constant)
{
    struct src_cuda_options wanted = {.constant_bank = bank,
                                      .bank_bytes = TABLE_BYTES,
                                      .embedded = src_embedded_kernels,
                                      .host_shim = true};
    size_t words = items * WORDS, failures = 0;
    uint32_t *host = calloc(unit->kernel_count, words * 4), *device = malloc(words * 4);
    struct src_cuda *cuda;

    ck_assert_uint_gt(unit->kernel_count, 0);
    ck_assert(host && device);
    EXPECT_OK(src_cuda(unit, options, &wanted, &cuda, &err));
    *uses_constant = cuda->uses_constant_args;
    run_on_host(unit, cuda, bank, host);
    for (size_t k = 0; k < unit->kernel_count; k++) {
        memset(device, 0xa5, words * 4);
        run_on_device(program, &unit->kernels[k], device);
        failures += !compare(subject, unit->kernels[k].name, device, host + k * words);
    }
    src_cuda_free(cuda);
    free(host);
    free(device);
    ck_assert_msg(failures == 0, "%s.cl: %zu of %zu kernels differ", subject, failures, unit->kernel_count);
}

START_TEST(subject)
{
    const char *folder = getenv("srcdir"), *name = subjects[_i];
    char extensions[] = "cl_khr_fp64", none[] = "";
    struct be_device described = {.info = *kn_context_device(context),
                                  .extensions = kn_context_device(context)->fp64 ? extensions : none};
    kn_program_options options = {.policy = KN_POLICY_STRICT};
    struct target target;
    struct src_unit *unit;
    kn_program *program;
    bool uses_constant = false;
    char path[4200];

    if (getenv("KOINE_SUBJECT") && strcmp(getenv("KOINE_SUBJECT"), name) != 0)
        return;
    make_input();
    snprintf(path, sizeof path, "%s/tests/conformance/%s.cl", folder ? folder : ".", name);
    EXPECT_OK(target_describe(&described, &options, &target, &err));
    EXPECT_OK(src_read(path, NULL, &target.source, &unit, &err));
    if (unit->double_line && !test_takes(KN_F64))
        goto done;
    EXPECT_OK(kn_program_from_file(context, path, &options, &program, &err));
    check_subject(name, program, unit, &target.source, false, &uses_constant);
    if (uses_constant)
        check_subject(name, program, unit, &target.source, true, &uses_constant);
    kn_program_free(program);
done:
    src_free(unit);
    target_free(&target);
}
END_TEST

// Mesa 22's rusticl crashes on two of the files and has structs by value and 64-bit mad_sat wrong;
// Oclgrind 21.10 has rounding conversions and the max of a vector and a scalar wrong. Asked in a child, as in
// test_finds_device.
static bool is_reference(void)
{
    int status = 0;
    pid_t child = fork();

    if (child == 0) {
        kn_context *found = NULL;
        const char *platform = "";
        if (kn_context_open(NULL, &found, NULL) == KN_OK)
            platform = kn_context_device(found)->platform;
        if (strcmp(platform, "rusticl") != 0 && strcmp(platform, "Oclgrind") != 0)
            _exit(0);
        fprintf(stderr, "skipped: %s has some of these results wrong itself\n", platform);
        _exit(77);
    }
    return child < 0 || waitpid(child, &status, 0) < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 77;
}

static bool has_compiler(void)
{
    char command[4200];

    snprintf(command, sizeof command, "%s --version >/dev/null 2>&1", compiler());
    if (system(command) == 0)
        return true;
    fprintf(stderr, "skipped: no C++ compiler (%s)\n", compiler());
    return false;
}

int main(void)
{
    Suite *suite = suite_create("rewrite");
    TCase *tcase = tcase_create("rewrite");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_set_timeout(tcase, 300);
    tcase_add_checked_fixture(tcase, test_open, test_close);
    tcase_add_loop_test(tcase, subject, 0, (int)(sizeof subjects / sizeof *subjects));
    suite_add_tcase(suite, tcase);
    if (!has_compiler()) {
        srunner_free(runner);
        return test_require("c++") ? EXIT_FAILURE : 77;
    }
    if (!test_finds_device() || !is_reference()) {
        srunner_free(runner);
        return 77;
    }
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
