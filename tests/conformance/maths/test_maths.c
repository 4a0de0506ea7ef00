// SPDX-License-Identifier: Apache-2.0
// The functions of OpenCL C 1.2's section 6.12.2 against a reference in long double, with the bounds of
// section 7.4 and the edge cases of 7.5.1: scalars and every width of vectors, pointers into every address
// space, float and double, on the device (KOINE_DEVICE) and, rewritten for CUDA, as C++ on the host.
//
// maths/judge.c judges the results. A failure names the function, its arguments, the result and the expected
// result; a table of the greatest error of each function follows at the end. KOINE_TEST_SEED repeats the
// samples.
#define CL_TARGET_OPENCL_VERSION 120
#include "conformance/host_program.h"

#include "base/array.h"
#include "conformance/expanded.h"
#include "conformance/maths/judge.h"

#include <koine/opencl.h>
#include <math.h>

enum { SCRATCH_ROWS = 4, WIDTHS = 5, GROUP = 64 };

// One type on one device: the arguments and the results.
struct trial {
    const char *spec; // the name of the device in failures
    bool single, on_host;
    struct maths_device device;
    struct maths_args *samples;
    void *in;
    unsigned char *scalars; // the rows from the kernel for scalars
    size_t failures;
    size_t failed[MATHS_MOST_ROWS], known[MATHS_MOST_ROWS];
    const char *reason[MATHS_MOST_ROWS]; // for known errors
    double worst[MATHS_MOST_ROWS];
};

static size_t bytes_of(const struct trial *trial)
{
    return trial->single ? sizeof(float) : sizeof(double);
}

// ---- input and output

// Rows of n numbers x, y, z, and of n ints.
static void make_input(struct trial *trial, size_t n)
{
    float *narrow = trial->in;
    double *wide = trial->in;
    int *whole = (int *)((char *)trial->in + 3 * n * bytes_of(trial));

    for (size_t i = 0; i < 3 * n; i++) {
        const struct maths_args *sample = &trial->samples[i % n];
        long double value = i < n ? sample->x : i < 2 * n ? sample->y : sample->z;
        if (trial->single)
            narrow[i] = (float)value;
        else
            wide[i] = (double)value;
    }
    for (size_t i = 0; i < n; i++)
        whole[i] = trial->samples[i].k;
}

static const void *result_at(const struct trial *trial, const unsigned char *rows, size_t row, size_t n,
                             size_t i)
{
    size_t size = maths_rows[row].whole ? sizeof(int) : bytes_of(trial);

    return rows + (SCRATCH_ROWS + row) * n * bytes_of(trial) + i * size;
}

static long double result_of(const struct trial *trial, size_t row, const void *at)
{
    float narrow;
    double wide;
    int whole;

    if (maths_rows[row].whole) {
        memcpy(&whole, at, sizeof whole);
        return whole;
    }
    if (trial->single) {
        memcpy(&narrow, at, sizeof narrow);
        return narrow;
    }
    memcpy(&wide, at, sizeof wide);
    return wide;
}

// ---- verdicts

static void report(struct trial *trial, const struct maths_question *q, long double got,
                   const struct maths_verdict *verdict)
{
    char text[400];

    if (verdict->good)
        return;
    if (verdict->reason) {
        trial->known[q->row]++;
        trial->reason[q->row] = verdict->reason;
        return;
    }
    trial->failures++;
    if (trial->failed[q->row]++ >= 4)
        return;
    maths_describe(text, sizeof text, q, got, verdict);
    if (q->width > 1)
        fprintf(stderr, "%s, width %d: %s\n", trial->spec, q->width, text);
    else
        fprintf(stderr, "%s: %s\n", trial->spec, text);
}

static bool is_signalling_nan(const struct trial *trial, long double value, const void *at)
{
    uint32_t narrow;
    uint64_t wide;

    if (!isnan(value))
        return false;
    memcpy(&narrow, at, sizeof narrow);
    if (trial->single)
        return !(narrow & 0x00400000);
    memcpy(&wide, at, sizeof wide);
    return !(wide & UINT64_C(0x0008000000000000));
}

static void judge(struct trial *trial, const struct maths_question *q, const void *at)
{
    const long double got = result_of(trial, q->row, at);
    struct maths_verdict verdict = maths_judge(q, got, is_signalling_nan(trial, got, at));

    if (verdict.good && verdict.ulps > trial->worst[q->row])
        trial->worst[q->row] = verdict.ulps;
    report(trial, q, got, &verdict);
}

static void judge_edges(struct trial *trial)
{
    size_t count;
    const struct maths_edge *edges = maths_edges(trial->single, &count);

    for (size_t e = 0; e < count; e++) {
        size_t rows = 0;
        for (size_t row = 0; row < maths_row_count(trial->single); row++) {
            const void *at = result_at(trial, trial->scalars, row, SCALAR_SAMPLES, e);
            struct maths_question q = {&trial->device, row, 1, &trial->samples[e]};
            struct maths_verdict verdict;

            if (strcmp(maths_rows[row].function, edges[e].function) != 0 ||
                maths_rows[row].stored != edges[e].stored)
                continue;
            rows++;
            verdict = maths_judge_edge(&q, &edges[e], result_of(trial, row, at));
            report(trial, &q, result_of(trial, row, at), &verdict);
        }
        ck_assert_msg(rows > 0, "maths/edges.h: nobody has %s", edges[e].function);
    }
}

static void judge_scalars(struct trial *trial)
{
    for (size_t row = 0; row < maths_row_count(trial->single); row++)
        for (size_t i = 0; i < SCALAR_SAMPLES; i++) {
            struct maths_question q = {&trial->device, row, 1, &trial->samples[i]};
            judge(trial, &q, result_at(trial, trial->scalars, row, SCALAR_SAMPLES, i));
        }
    judge_edges(trial);
}

// Results with the same bits as the scalar's were judged already. The specification does not forbid other
// bits, but the CUDA path promises the same.
static void judge_vectors(struct trial *trial, int width, const unsigned char *rows)
{
    for (size_t row = 0; row < maths_row_count(trial->single); row++)
        for (size_t i = 0; i < VECTOR_SAMPLES; i++) {
            const void *of_vector = result_at(trial, rows, row, VECTOR_SAMPLES, i);
            const void *of_scalar = result_at(trial, trial->scalars, row, SCALAR_SAMPLES, i);
            long double got = result_of(trial, row, of_vector), same = result_of(trial, row, of_scalar);
            struct maths_question q = {&trial->device, row, width, &trial->samples[i]};
            struct maths_verdict verdict = {.expected = same, .why = "the scalar function's bits"};

            if (memcmp(of_vector, of_scalar, maths_rows[row].whole ? sizeof(int) : bytes_of(trial)) == 0 ||
                (isnan(got) && isnan(same)))
                continue;
            judge(trial, &q, of_vector);
            if (trial->device.is_cuda && !maths_any_sign(&q))
                report(trial, &q, got, &verdict);
        }
}

static void print_table(const struct trial *trial)
{
    size_t column = 0;

    fprintf(stderr, "%s, %s: greatest errors, in units in the last place (of what is allowed):\n",
            trial->spec, trial->single ? "float" : "double");
    for (size_t row = 0; row < maths_row_count(trial->single); row++) {
        double bound = maths_bound(row, trial->single);
        char text[80], allowed[24] = "";
        if (bound == MATHS_EXACT)
            continue;
        if (bound != MATHS_FREE)
            snprintf(allowed, sizeof allowed, " (%g)", bound);
        snprintf(text, sizeof text, "%s %.3g%s", maths_rows[row].name, trial->worst[row], allowed);
        fprintf(stderr, "  %-36s%s", text, ++column % 3 ? "" : "\n");
    }
    fprintf(stderr, "%s", column % 3 ? "\n" : "");
    for (size_t row = 0; row < maths_row_count(trial->single); row++) {
        if (trial->known[row])
            fprintf(stderr, "  %s: %zu wrong results that are known: %s\n", maths_rows[row].name,
                    trial->known[row], trial->reason[row]);
        if (trial->failed[row])
            fprintf(stderr, "  %s: %zu wrong results\n", maths_rows[row].name, trial->failed[row]);
    }
}

// ---- the runs

// The options with which the kernels are compiled. A function that is left out is replaced by its first
// argument.
struct recipe {
    kn_define defines[2 + MATHS_MOST_ROWS];
    char calls[MATHS_MOST_ROWS][40];
    size_t count;
};

static void make_recipe(struct recipe *recipe, const struct trial *trial, bool scalar)
{
    const char *names[MATHS_MOST_ROWS];
    size_t left_out = maths_left_out(&trial->device, trial->single, scalar, names);

    recipe->count = 2;
    recipe->defines[0] = (kn_define){trial->single ? "OF_FLOAT" : "OF_DOUBLE", NULL};
    recipe->defines[1] = (kn_define){scalar ? "OF_SCALARS" : "OF_VECTORS", NULL};
    for (size_t i = 0; i < left_out; i++) {
        snprintf(recipe->calls[i], sizeof recipe->calls[i], "%s(x, ...)", names[i]);
        recipe->defines[recipe->count++] = (kn_define){recipe->calls[i], "(x)"};
    }
}

// A run of the kernels for scalars or for vectors: rows of n results, one kernel after the other.
struct batch {
    size_t n, in_bytes, out_bytes; // in_bytes and out_bytes: for one kernel
    unsigned char *out;
};

static void run_on_device(const struct trial *trial, const struct src_unit *unit,
                          const kn_program_options *options, struct batch *batch)
{
    kn_buffer *in = test_upload_with_room(trial->in, batch->in_bytes, 0);
    kn_range range = {.dims = 1, .global = {batch->n}, .local = {GROUP}};
    uint32_t n = (uint32_t)batch->n;
    kn_program *program;

    EXPECT_OK(expanded_program(context, host_path("maths/widths.cl"), NULL, unit, options, &program, &err));
    for (size_t k = 0; k < unit->kernel_count; k++) {
        unsigned char *rows = batch->out + k * batch->out_bytes;
        kn_buffer *out = test_upload_with_room(rows, batch->out_bytes, 0);
        kn_arg args[] = {KN_BUFFER(in), KN_BUFFER(out), KN_VALUE(n)};
        kn_kernel *kernel;

        EXPECT_OK(kn_program_get_kernel(program, unit->kernels[k].name, &kernel, &err));
        EXPECT_OK(kn_launch(queue, kernel, &range, args, KI_COUNT(args), NULL, &err));
        EXPECT_OK(kn_buffer_read(queue, out, 0, rows, batch->out_bytes, &err));
        kn_buffer_free(out);
    }
    kn_buffer_free(in);
    kn_program_free(program);
}

// Writes the C++ program, which reads `in` and writes `out`, the rows of all kernels.
static void write_main(char *text, size_t size, const struct trial *trial, const struct src_unit *unit,
                       const struct batch *batch)
{
    const char *type = trial->single ? "float" : "double";

    snprintf(text, size,
             "alignas(128) static unsigned char in[%zu], out[%zu];\n"
             "template <class K> static void run(K kernel, FILE *results)\n"
             "{\n"
             "    size_t global[3] = {%zu, 1, 1}, local[3] = {%d, 1, 1};\n"
             "    shim_run(kernel, global, local, nullptr, 16, 1);\n"
             "    fwrite(out, sizeof out, 1, results);\n"
             "}\n"
             "int main()\n"
             "{\n"
             "    FILE *file = fopen(\"in\", \"rb\"), *results = fopen(\"out\", \"wb\");\n"
             "    if (!file || !results || fread(in, sizeof in, 1, file) != 1)\n"
             "        return 1;\n",
             batch->in_bytes, batch->out_bytes, batch->n, GROUP);
    for (size_t k = 0; k < unit->kernel_count; k++) {
        size_t used = strlen(text);
        snprintf(
            text + used, size - used,
            "    run([](const kn::kn_item &me) { kn::program::koine_%s((const %s *)in, (%s *)out, %zu, me); "
            "}, results);\n",
            unit->kernels[k].name, type, type, batch->n);
    }
    snprintf(text + strlen(text), size - strlen(text), "    return fclose(results);\n}\n");
}

static void run_on_host(const struct trial *trial, const struct src_unit *unit,
                        const struct src_options *options, struct batch *batch)
{
    struct src_cuda_options wanted = {.embedded = ki_src_embedded_kernels, .host_shim = true};
    char *folder = test_folder(), path[4200], text[8000];
    struct src_cuda *cuda;
    FILE *file;

    EXPECT_OK(ki_src_cuda(unit, options, &wanted, &cuda, &err));
    write_main(text, sizeof text, trial, unit, batch);
    host_build(folder, cuda->text, text);
    ki_src_cuda_free(cuda);
    snprintf(path, sizeof path, "%s/in", folder);
    file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(trial->in, batch->in_bytes, 1, file), 1);
    ck_assert_int_eq(fclose(file), 0);
    host_run(folder, "");
    snprintf(path, sizeof path, "%s/out", folder);
    file = fopen(path, "rb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fread(batch->out, batch->out_bytes, unit->kernel_count, file), unit->kernel_count);
    fclose(file);
    test_remove(folder);
}

// Runs the kernels; the caller frees the rows.
static unsigned char *run(struct trial *trial, bool scalar)
{
    char fp64[] = "cl_khr_fp64";
    struct be_device device = {.info = {.backend = "cuda", .type = KN_DEVICE_GPU, .fp64 = 1},
                               .extensions = fp64};
    size_t n = scalar ? SCALAR_SAMPLES : VECTOR_SAMPLES, rows = SCRATCH_ROWS + maths_row_count(trial->single);
    struct batch batch = {n, n * (3 * bytes_of(trial) + sizeof(int)), n * bytes_of(trial) * rows, NULL};
    kn_program_options options = KN_INIT(kn_program_options);
    struct recipe recipe;
    struct target target;
    struct src_unit *unit;

    make_recipe(&recipe, trial, scalar);
    options.defines = recipe.defines;
    options.define_count = recipe.count;
    if (!trial->on_host)
        device.info = *kn_context_get_device(context);
    EXPECT_OK(ki_target_describe(&device, &options, &target, &err));
    EXPECT_OK(ki_src_read(host_path("maths/widths.cl"), NULL, &target.source, &unit, &err));
    ck_assert_uint_eq(unit->kernel_count, scalar ? 1 : WIDTHS);
    batch.out = malloc(unit->kernel_count * batch.out_bytes);
    ck_assert_ptr_nonnull(batch.out);
    memset(batch.out, 0xa5, unit->kernel_count * batch.out_bytes);
    make_input(trial, n);
    if (trial->on_host)
        run_on_host(trial, unit, &target.source, &batch);
    else
        run_on_device(trial, unit, &options, &batch);
    ki_src_free(unit);
    ki_target_free(&target);
    return batch.out;
}

static void try_all(struct trial *trial)
{
    static const int widths[WIDTHS] = {2, 3, 4, 8, 16};
    const size_t rows = SCRATCH_ROWS + maths_row_count(trial->single);
    unsigned char *vectors;

    trial->samples = calloc(SCALAR_SAMPLES, sizeof *trial->samples);
    trial->in = malloc(SCALAR_SAMPLES * 4 * sizeof(double));
    ck_assert(trial->samples && trial->in);
    maths_samples(trial->samples, trial->single, test_seed("test_maths"));
    trial->scalars = run(trial, true);
    judge_scalars(trial);
    vectors = run(trial, false);
    for (size_t w = 0; w < WIDTHS; w++)
        judge_vectors(trial, widths[w], vectors + w * rows * VECTOR_SAMPLES * bytes_of(trial));
    print_table(trial);
    free(vectors);
    free(trial->scalars);
    free(trial->samples);
    free(trial->in);
    ck_assert_msg(trial->failures == 0, "%s: %zu wrong results", trial->spec, trial->failures);
}

// Whether the device keeps denormal floats, which is optional; the CUDA path promises it.
static bool keeps_denormals(const kn_device_info *info)
{
    cl_context native = kn_context_get_opencl(context);
    cl_device_fp_config config = 0;
    cl_device_id device;

    if (strcmp(info->backend, "cuda") == 0)
        return true;
    ck_assert_int_eq(clGetContextInfo(native, CL_CONTEXT_DEVICES, sizeof device, &device, NULL), CL_SUCCESS);
    ck_assert_int_eq(clGetDeviceInfo(device, CL_DEVICE_SINGLE_FP_CONFIG, sizeof config, &config, NULL),
                     CL_SUCCESS);
    return config & CL_FP_DENORM;
}

START_TEST(on_device)
{
    const kn_device_info *info = kn_context_get_device(context);
    struct trial trial = {.spec = info->spec,
                          .single = _i == 0,
                          .device = {.platform = info->platform,
                                     .driver = info->driver,
                                     .is_cuda = strcmp(info->backend, "cuda") == 0}};

    if (!maths_can_judge(trial.single) || !test_takes(trial.single ? KN_F32 : KN_F64))
        return;
    trial.device.flushes = !keeps_denormals(info);
    try_all(&trial);
}
END_TEST

START_TEST(rewritten)
{
    struct trial trial = {.spec = "rewritten",
                          .single = _i == 0,
                          .on_host = true,
                          .device = {.platform = "host", .driver = "", .is_cuda = true}};

    if (maths_can_judge(trial.single))
        try_all(&trial);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("maths");
    TCase *device = tcase_create("device"), *host = tcase_create("host");
    SRunner *runner = srunner_create(suite);
    bool has_compiler = host_has_compiler(), has_device = test_finds_device();
    int failed;

    // Oclgrind is an interpreter and would take hours; rusticl of Mesa 22 compiles these kernels for more
    // than five minutes.
    has_device = has_device && host_asks_device("takes too long over these kernels");
    tcase_set_timeout(device, 600);
    tcase_set_timeout(host, 600);
    tcase_add_checked_fixture(device, test_open, test_close);
    tcase_add_loop_test(device, on_device, 0, 2);
    tcase_add_loop_test(host, rewritten, 0, 2);
    if (has_device)
        suite_add_tcase(suite, device);
    if (has_compiler)
        suite_add_tcase(suite, host);
    if (!has_device && !has_compiler) {
        srunner_free(runner);
        return 77;
    }
    failed = host_run_tests(runner);
    return failed || (!has_compiler && test_require("c++")) ? EXIT_FAILURE : EXIT_SUCCESS;
}
