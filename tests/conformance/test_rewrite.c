// SPDX-License-Identifier: Apache-2.0
// The same kernels as OpenCL C on the device and, rewritten for CUDA, as host C++ over tests/shim: the same
// numbers.
//
// Every file of tests/conformance/language/*.cl and tests/conformance/builtins/*.cl is a subject. Its kernels
// read 16 words of `in` a work-item (columns: below) and write to `out`, 65,536 words; what they take is
// found from their parameters: a global const pointer is `in`, another global one `out`, an integer the
// number of work-items, a __constant pointer the first 4,096 bytes of `in`, a __local one room for 64
// elements or, for a struct, 4,096 bytes. There are 1,024 work-items in groups of 64. Words agree bit for
// bit, unless the kernel's name ends in _ulpN: then they are floats (doubles, if `out` points to such) within
// N units in the last place, and every NaN is as good as any other.
#include "known_aborts.h"
#include "agreement.h"
#include "base/array.h"
#include "expanded.h"
#include "host_form.h"
#include "known_wrong.h"
#include "log_of_abort.h"

#include <glob.h>

static glob_t subjects; // paths
static uint32_t in[ITEMS * WORDS];

// ---- input

// Columns 0 to 3: random bits. 4 to 7: floats, neither denormal nor NaN. 8 to 11: small integers of both
// signs. 12 to 15: edge values of integers.
static void make_input(void)
{
    static const float floats[] = {0,     -0.0f, 1,          -1,         0.5f,   -0.5f, 1.5f,
                                   2.5f,  -2.5f, 0x1p-24f,   255.5f,     127.5f, 256,   -129,
                                   65504, 65520, 2147483520, 4294967040, 1e30f,  -1e30f};
    static const uint32_t edges[] = {0,    1,     0xffffffff, 0x7fffffff, 0x80000000, 0x80,       0x7f,
                                     0xff, 0x100, 0x7fff,     0x8000,     0xffff,     0x10000,    0x80000001,
                                     31,   32,    33,         63,         64,         0xaaaaaaaa, 0x01010101};
    uint64_t chance = test_seed("test_rewrite");

    for (size_t i = 0; i < ITEMS * WORDS; i++) {
        uint64_t random = test_random(&chance);
        switch (i % WORDS / 4) {
        case 0:
            in[i] = (uint32_t)random;
            break;
        case 1:
            in[i] = test_bits_of(random % 4 ? (float)((test_uniform(&chance) - 0.5) * 200)
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

static void run_on_device(kn_program *program, const kn_source_kernel *described, uint32_t *out)
{
    kn_buffer *input = test_upload_with_room(in, sizeof in, 0), *output, *table;
    uint32_t count = ITEMS;
    kn_arg args[16];
    kn_kernel *kernel;
    kn_range range = {.dims = 1, .global = {ITEMS}, .local = {GROUP}};

    output = test_upload_with_room(out, OUT_WORDS * 4, 0);
    table = test_upload_with_room(in, TABLE_BYTES, 0);
    EXPECT_OK(kn_program_get_kernel(program, described->name, &kernel, &err));
    ck_assert_uint_le(described->param_count, 16);
    for (size_t i = 0; i < described->param_count; i++) {
        const kn_param *param = &described->params[i];
        args[i] = param->kind == KN_PARAM_LOCAL ? KN_LOCAL(param->size ? param->size * GROUP : LOCAL_BYTES)
                  : param->kind == KN_PARAM_CONSTANT ? KN_BUFFER(table)
                  : param->kind == KN_PARAM_VALUE    ? KN_VALUE(count)
                                                     : KN_BUFFER(param->is_const ? input : output);
    }
    EXPECT_OK(kn_launch(queue, kernel, &range, args, described->param_count, NULL, &err));
    EXPECT_OK(kn_buffer_read(queue, output, 0, out, OUT_WORDS * 4, &err));
    kn_buffer_free(input);
    kn_buffer_free(output);
    kn_buffer_free(table);
}

// ---- the comparison

// If the device refuses a kernel, nothing is compared, but the kernel's own checks must hold on the host.
static bool check_alone(const char *subject, const kn_source_kernel *kernel, const uint32_t *host)
{
    size_t written = 0, broken = 0;

    for (size_t i = 0; i < OUT_WORDS; i++) {
        written += host[i] != (uint32_t)UNWRITTEN;
        broken += host[i] != 1 && host[i] != (uint32_t)UNWRITTEN;
    }
    if (!written || broken)
        fprintf(stderr, "%s.cl: %s: %zu of %zu words are not 1, rewritten\n", subject, kernel->name, broken,
                written);
    return written && !broken;
}

static bool compare(const char *subject, const kn_source_kernel *kernel, const uint32_t *device,
                    const uint32_t *host)
{
    const struct known_wrong *known = find_known(subject, kernel->name);
    bool holds = is_self_checking(kernel), doubles;
    size_t different = 0, written = 0, broken = 0;
    int ulps = bound_of(kernel, &doubles);

    for (size_t i = 0; i < OUT_WORDS; i++) {
        written += device[i] != (uint32_t)UNWRITTEN;
        broken += holds && host[i] != 1 && host[i] != (uint32_t)UNWRITTEN;
        if (device[i] == host[i] || (ulps >= 0 && !doubles && floats_agree(device[i], host[i], ulps)) ||
            (ulps >= 0 && doubles && doubles_agree(device + i / 2 * 2, host + i / 2 * 2, ulps)))
            continue;
        if (different++ < 3 && !known)
            fprintf(stderr, "%s.cl: %s: word %zu: device 0x%08x (%.9g), host 0x%08x (%.9g)\n", subject,
                    kernel->name, i, device[i], (double)test_float_of(device[i]), host[i],
                    (double)test_float_of(host[i]));
    }
    if (!written)
        fprintf(stderr, "%s.cl: %s: writes nothing\n", subject, kernel->name);
    if (broken)
        fprintf(stderr, "%s.cl: %s: %zu words are not 1, rewritten\n", subject, kernel->name, broken);
    if (known)
        fprintf(stderr, "%s.cl: %s: %s %s: %s\n", subject, kernel->name, known->device,
                different ? "is known to differ" : "was expected to differ, but does not", known->why);
    return (known || !different) && written && !broken;
}

static struct src_cuda *rewrite(const struct src_unit *unit, const struct src_options *options, bool bank)
{
    struct src_cuda_options wanted = {.constant_bank = bank,
                                      .bank_bytes = TABLE_BYTES,
                                      .embedded = ki_src_embedded_kernels,
                                      .host_shim = true};
    struct src_cuda *cuda;

    EXPECT_OK(ki_src_cuda(unit, options, &wanted, &cuda, &err));
    return cuda;
}

// ---- kernels on which the device's compiler aborts

// For each kernel the reason why it is left out, because it is known to abort (tests/known_aborts.h);
// otherwise NULL. `whole`: all do. Kernels are tried only if something is known about them. The caller frees
// the result.
static const char **why_they_abort(const char *subject, const char *path, const struct src_unit *unit,
                                   bool *whole)
{
    const kn_device_info *device = kn_context_get_device(context);
    const char **aborts = calloc(unit->kernel_count, sizeof *aborts);

    ck_assert_ptr_nonnull(aborts);
    *whole = known_abort(device, subject, NULL) != NULL;
    for (size_t k = 0; k < unit->kernel_count && known_abort(device, subject, NULL); k++) {
        const char *kernel = unit->kernels[k].name;
        char *log = log_of_abort(path, kernel);
        const struct known_abort *known = log ? known_abort(device, subject, log) : NULL;

        if (known)
            fprintf(stderr, "%s.cl: %s: not compared: %s\n", subject, kernel, known->why);
        aborts[k] = known ? known->why : NULL;
        *whole = *whole && known;
        free(log);
    }
    return aborts;
}

// Checks the self-checking kernels on the host, if the device refuses the file.
static void check_on_host(const char *subject, const struct src_unit *unit, const struct src_options *options)
{
    struct src_cuda *cuda = rewrite(unit, options, false);
    struct host_form form = start_on_host(unit, cuda, false, in);
    uint32_t *host = finish_on_host(&form, unit);
    size_t failures = 0;

    ki_src_cuda_free(cuda);
    for (size_t k = 0; k < unit->kernel_count; k++)
        failures += is_self_checking(&unit->kernels[k]) &&
                    !check_alone(subject, &unit->kernels[k], host + k * OUT_WORDS);
    free(host);
    ck_assert_msg(failures == 0, "%s.cl: %zu of %zu kernels are wrong", subject, failures,
                  unit->kernel_count);
}

// Compares the host form, and if there are __constant arguments its second build, with the device.
static void check_subject(const char *subject, kn_program *program, const struct src_unit *unit,
                          const struct src_options *options, const char *const *aborts)
{
    struct src_cuda *cuda = rewrite(unit, options, false);
    size_t forms = cuda->uses_constant_args ? 2 : 1, failures = 0;
    uint32_t *device = malloc(unit->kernel_count * OUT_WORDS * 4);
    struct host_form form[2];

    ck_assert_ptr_nonnull(device);
    memset(device, 0xa5, unit->kernel_count * OUT_WORDS * 4);
    form[0] = start_on_host(unit, cuda, false, in);
    ki_src_cuda_free(cuda);
    for (size_t k = 0; k < unit->kernel_count; k++)
        if (!aborts[k])
            run_on_device(program, &unit->kernels[k], device + k * OUT_WORDS);
    if (forms > 1) {
        cuda = rewrite(unit, options, true);
        form[1] = start_on_host(unit, cuda, true, in);
        ki_src_cuda_free(cuda);
    }
    for (size_t f = 0; f < forms; f++) {
        uint32_t *host = finish_on_host(&form[f], unit);
        for (size_t k = 0; k < unit->kernel_count; k++)
            failures += !aborts[k] &&
                        !compare(subject, &unit->kernels[k], device + k * OUT_WORDS, host + k * OUT_WORDS);
        free(host);
    }
    free(device);
    ck_assert_msg(failures == 0, "%s.cl: %zu of %zu kernels differ", subject, failures, unit->kernel_count);
}

// Prints a line and returns false if the file is not OpenCL C 1.2, or needs more than that guarantees.
static bool compiles(const char *subject)
{
    if (strcmp(subject, "local_large") == 0 && kn_context_get_device(context)->local_memory < LARGE_LOCAL) {
        fprintf(stderr, "skipped: local_large.cl: the device has not so much local memory\n");
        return false;
    }
    if (strcmp(subject, "extensions") != 0 ||
        strcmp(kn_context_get_device(context)->platform, "NVIDIA CUDA") != 0)
        return true;
    fprintf(stderr, "skipped: extensions.cl: NVIDIA's compiler has not all of clang's extensions of C\n");
    return false;
}

// Features outside C99 and OpenCL C 1.2 that some compilers accept: a compiler that refuses them with these
// words is right.
static bool is_rightly_refused(const char *subject)
{
    static const struct {
        const char *subject, *words;
    } refused[] = {
        {"implicit_int", "type specifier missing"},
        {"bit_fields", "bit-fields are not supported in OpenCL"}, // 6.9.c
        {"opencl_2", "get_local_linear_id"},                      // 6.12.1 does not have it
        {"opencl_2", "'memory_scope_work_group'"}, // nor does 6.12.8, of which NVIDIA's compiler supports the
                                                   // first
        {"vload_half", "'vloada_half'"}, // in 6.12.7 for vectors; for Intel's compiler, only for them
        {"vstore_half", "'vstorea_half'"},
    };

    for (size_t i = 0; i < KI_COUNT(refused); i++)
        if (strcmp(subject, refused[i].subject) == 0 && strstr(err.text, refused[i].words))
            return true;
    return false;
}

// Prints a line and returns false if the file needs double precision and the device has none. Where the
// compiler may abort, no binary is kept, because PoCL compiles all kernels of a program to provide its
// binary.
static bool read_subject(const char *subject, const char *path, struct target *target, struct src_unit **unit)
{
    static const kn_context_options uncached = {.struct_size = sizeof(kn_context_options), .cache_dir = ""};
    char extensions[] = "cl_khr_fp64", none[] = "";
    struct be_device described = {.info = *kn_context_get_device(context),
                                  .extensions = kn_context_get_device(context)->fp64 ? extensions : none};
    kn_program_options options = KN_INIT(kn_program_options, .policy = KN_POLICY_STRICT);

    if (known_abort(&described.info, subject, NULL)) {
        test_close();
        test_open_with(&uncached);
    }
    EXPECT_OK(ki_target_describe(&described, &options, target, &err));
    EXPECT_OK(ki_src_read(path, NULL, &target->source, unit, &err));
    ck_assert_uint_gt((*unit)->kernel_count, 0);
    if (expanded_differs(path, *unit, &target->source, &err))
        ck_abort_msg("%s", err.text);
    return !(*unit)->double_line || test_takes(KN_F64);
}

// Prints a line and returns NULL if the device rightly refuses the program.
static kn_program *build_subject(const char *subject, const char *path, const struct src_unit *unit)
{
    kn_program_options options = KN_INIT(kn_program_options, .policy = KN_POLICY_STRICT);
    kn_program *program = NULL;

    err = (kn_error)KN_ERROR_INIT;
    if (expanded_program(context, path, NULL, unit, &options, &program, &err) && is_rightly_refused(subject))
        fprintf(
            stderr,
            "%s.cl: rewritten only, as the device's compiler refuses what OpenCL C 1.2 does not have: %s\n",
            subject, err.text);
    else
        ck_assert_msg(program != NULL, "%s", err.text);
    return program;
}

static void name_subject(char *name, size_t size, const char *path)
{
    snprintf(name, size, "%.*s", (int)strlen(strrchr(path, '/')) - 4, strrchr(path, '/') + 1);
}

START_TEST(subject)
{
    const char *path = subjects.gl_pathv[_i];
    struct target target;
    struct src_unit *unit;
    kn_program *program;
    bool whole;
    char name[64];

    name_subject(name, sizeof name, path);
    make_input();
    if (read_subject(name, path, &target, &unit) && compiles(name)) {
        const char **aborts = why_they_abort(name, path, unit, &whole);
        program = whole ? NULL : build_subject(name, path, unit);
        if (program)
            check_subject(name, program, unit, &target.source, aborts);
        else if (!whole)
            check_on_host(name, unit, &target.source);
        kn_program_free(program);
        free(aborts);
    }
    ki_src_free(unit);
    ki_target_free(&target);
}
END_TEST

// The arguments of test_rewrite --kernel FILE NAME, for log_of_abort.
static const char *alone_file, *alone_kernel;

START_TEST(alone)
{
    static uint32_t out[OUT_WORDS];
    struct target target;
    struct src_unit *unit;
    kn_program *program;
    char name[64];

    name_subject(name, sizeof name, alone_file);
    make_input();
    program = read_subject(name, alone_file, &target, &unit) ? build_subject(name, alone_file, unit) : NULL;
    for (size_t k = 0; k < unit->kernel_count && program; k++)
        if (strcmp(unit->kernels[k].name, alone_kernel) == 0)
            run_on_device(program, &unit->kernels[k], out);
    kn_program_free(program);
    ki_src_free(unit);
    ki_target_free(&target);
}
END_TEST

// Does not fork, because an abort must end the process.
static int run_alone(const char *file, const char *kernel)
{
    Suite *suite = suite_create("alone");
    TCase *tcase = tcase_create("alone");
    SRunner *runner = srunner_create(suite);
    int failed;

    alone_file = file, alone_kernel = kernel;
    tcase_add_checked_fixture(tcase, test_open, test_close);
    tcase_add_test(tcase, alone);
    suite_add_tcase(suite, tcase);
    srunner_set_fork_status(runner, CK_NOFORK);
    srunner_run_all(runner, CK_SILENT);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

// The files of this part of the test (test_in_part), in order.
static size_t subject_count;

static bool find_subjects(void)
{
    static const char *const folders[] = {"builtins", "language"};
    const char *source = getenv("srcdir"), *wanted = getenv("KOINE_SUBJECT");
    char pattern[4200];

    for (size_t i = 0; i < KI_COUNT(folders); i++) {
        snprintf(pattern, sizeof pattern, "%s/tests/conformance/%s/%s.cl", source ? source : ".", folders[i],
                 wanted ? wanted : "*");
        glob(pattern, i ? GLOB_APPEND : 0, NULL, &subjects);
    }
    for (size_t i = 0; i < subjects.gl_pathc; i++)
        if (test_in_part(i)) {
            char *path = subjects.gl_pathv[subject_count];

            subjects.gl_pathv[subject_count++] = subjects.gl_pathv[i];
            subjects.gl_pathv[i] = path; // owned by glob, like all of them
        }
    return subjects.gl_pathc > 0;
}

int main(int count, char **arguments)
{
    Suite *suite = suite_create("rewrite");
    TCase *tcase = tcase_create("rewrite");
    SRunner *runner = srunner_create(suite);

    if (count == 4 && strcmp(arguments[1], "--kernel") == 0)
        return run_alone(arguments[2], arguments[3]);
    if (!find_subjects()) {
        fprintf(
            stderr,
            "no tests/conformance/{builtins,language}/*.cl, or none like $KOINE_SUBJECT, below $srcdir\n");
        return EXIT_FAILURE;
    }
    tcase_set_timeout(tcase, 300);
    tcase_add_checked_fixture(tcase, test_open, test_close);
    tcase_add_loop_test(tcase, subject, 0, (int)subject_count);
    suite_add_tcase(suite, tcase);
    if (!host_has_compiler()) {
        srunner_free(runner);
        return test_require("c++") ? EXIT_FAILURE : 77;
    }
    // rusticl of Mesa 22 crashes on two of the files, and gets structs by value and 64-bit mad_sat wrong;
    // Oclgrind 21.10 gets rounding conversions and the max of a vector and a scalar wrong.
    if (!test_finds_device() || !host_asks_device("has some of these results wrong itself")) {
        srunner_free(runner);
        return 77;
    }
    return host_run_tests(runner) ? EXIT_FAILURE : EXIT_SUCCESS;
}
