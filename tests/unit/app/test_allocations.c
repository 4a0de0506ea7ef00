// SPDX-License-Identifier: Apache-2.0
// Plans and operators must allocate nothing when a call is repeated. The exceptions are in the tables, with
// their reasons.
#include "support/memory/allocations.h"
#include "support/buffers.h"
#include "support/run.h"

#include <koine/koine.h>

enum {
    SIZE = 16,     // of images and pictures
    SAMPLES = 403, // of a scan
    ANGLES = 20,
    ROWS = 301,
    COLUMNS = 203,
    ENTRIES = 5, // of a row
    WIDTH = 45,
    HEIGHT = 37,
    FRAMES = 3,
    OFFSET = 9,
    N = 150011
};

const struct allocations_known allocations_known[] = {
    {NULL, 0, 0},
};

#define EXPECT_CALLS(calls) allocations_expect(calls, sizeof(calls) / sizeof *(calls))

static uint64_t chance;

// Arrays large enough for all, of random numbers, and what is written.
static double from_host[N], to_host[2 * N];
static float from_single[N];
static kn_buffer *from, *to;

static void begin(void)
{
    chance = test_seed("allocations");
    test_open();
    for (size_t i = 0; i < N; i++) {
        from_single[i] = (float)test_uniform(&chance);
        from_host[i] = (double)from_single[i];
    }
    from = test_upload_with_room(from_single, sizeof from_single, 0);
    to = test_upload_with_room(from_single, sizeof from_single, 0);
}

static void end(void)
{
    kn_buffer_free(from);
    kn_buffer_free(to);
    test_close();
}

// ---- sparse products ----

static kn_operator *applied;

static kn_status apply(kn_error *why)
{
    return kn_operator_apply(queue, applied, false, from, to, why);
}

static kn_status apply_adjoint(kn_error *why)
{
    return kn_operator_apply(queue, applied, true, from, to, why);
}

static kn_status apply_host(kn_error *why)
{
    return kn_operator_apply_host(applied, false, from_host, to_host, why);
}

static kn_status apply_host_adjoint(kn_error *why)
{
    return kn_operator_apply_host(applied, true, from_host, to_host, why);
}

static kn_sparse *random_matrix(void)
{
    static uint32_t i[ROWS * ENTRIES], j[ROWS * ENTRIES];
    static double values[ROWS * ENTRIES];
    kn_sparse *matrix = NULL;

    for (uint32_t k = 0; k < ROWS * ENTRIES; k++) {
        i[k] = k / ENTRIES;
        j[k] = (uint32_t)(test_random(&chance) % COLUMNS);
        values[k] = test_uniform(&chance);
    }
    EXPECT_OK(kn_sparse_create_coo(ROWS, COLUMNS, ROWS * ENTRIES, i, j, values, &matrix, &err));
    return matrix;
}

// Both products of the operator, in separate tables under the names of its formats.
static void expect_products(const char *name, bool is_host)
{
    char names[2][64];
    const struct allocations_call device_calls[] = {{names[0], apply}, {names[1], apply_adjoint}};
    const struct allocations_call host_calls[] = {{names[0], apply_host}, {names[1], apply_host_adjoint}};

    snprintf(names[0], sizeof names[0], "A x, %s", name);
    snprintf(names[1], sizeof names[1], "A^T x, %s", name);
    if (is_host)
        EXPECT_CALLS(host_calls);
    else
        EXPECT_CALLS(device_calls);
    kn_operator_free(applied);
}

START_TEST(test_sparse)
{
    static const kn_sparse_format formats[] = {
        KN_SPARSE_AUTO, KN_SPARSE_SIMPLE,     KN_SPARSE_MEMORY_LAYOUT, KN_SPARSE_LOCAL_MEMORY,
        KN_SPARSE_ELL,  KN_SPARSE_CSR_VECTOR, KN_SPARSE_COO,           KN_SPARSE_HYB,
        KN_SPARSE_SELL, KN_SPARSE_MERGE,      KN_SPARSE_BACKPROJECTION};
    kn_sparse *matrix;
    kn_sparse_operator_options options = KN_INIT(kn_sparse_operator_options);

    begin();
    matrix = random_matrix();
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        options.format = formats[i];
        EXPECT_OK(kn_sparse_operator_create(queue, matrix, &options, &applied, &err));
        expect_products(kn_sparse_format_name(formats[i]), false);
    }
    EXPECT_OK(kn_sparse_operator_create(NULL, matrix, NULL, &applied, &err));
    expect_products("host", true);
    kn_sparse_free(matrix);
    end();
}
END_TEST

START_TEST(test_tomography)
{
    const kn_tomography_geometry geometry =
        KN_INIT(kn_tomography_geometry, .angles = ANGLES, .detectors = SIZE, .size = SIZE);
    kn_sparse_operator_options options = KN_INIT(kn_sparse_operator_options);

    begin();
    for (unsigned i = KN_SPARSE_ON_THE_FLY; i <= KN_SPARSE_ON_THE_FLY_LOCAL; i++) {
        options.format = i == KN_SPARSE_ON_THE_FLY ? KN_SPARSE_ON_THE_FLY : KN_SPARSE_ON_THE_FLY_LOCAL;
        EXPECT_OK(kn_tomography_operator_create(queue, &geometry, &options, &applied, &err));
        expect_products(kn_sparse_format_name(options.format), false);
    }
    options.format = KN_SPARSE_ON_THE_FLY;
    EXPECT_OK(kn_tomography_operator_create(NULL, &geometry, &options, &applied, &err));
    expect_products("on-the-fly, host", true);
    end();
}
END_TEST

// ---- filtered back-projection ----

static kn_tomography_fbp_plan *filtered;

static kn_status back_project(kn_error *why)
{
    return kn_tomography_fbp_execute(filtered, from_single, to_host, why);
}

static kn_status back_project_buffers(kn_error *why)
{
    return kn_tomography_fbp_execute_buffers(filtered, from, to, why);
}

START_TEST(test_filtered)
{
    static const struct allocations_call calls[] = {
        {"kn_tomography_fbp_execute, a device", back_project},
        {"kn_tomography_fbp_execute_buffers", back_project_buffers}};
    static const struct allocations_call host_calls[] = {
        {"kn_tomography_fbp_execute, the host", back_project}};
    const kn_tomography_geometry geometry =
        KN_INIT(kn_tomography_geometry, .angles = ANGLES, .detectors = SIZE, .size = SIZE);
    const kn_tomography_fbp_options options = KN_INIT(kn_tomography_fbp_options, .type = KN_F32);

    begin();
    EXPECT_OK(kn_tomography_fbp_plan_create(queue, &geometry, &options, &filtered, &err));
    EXPECT_CALLS(calls);
    kn_tomography_fbp_plan_free(filtered);
    EXPECT_OK(kn_tomography_fbp_plan_create(NULL, &geometry, &options, &filtered, &err));
    EXPECT_CALLS(host_calls);
    kn_tomography_fbp_plan_free(filtered);
    end();
}
END_TEST

// ---- solving ----

static kn_solve_plan *solver;

static kn_status solve(kn_error *why)
{
    kn_solve_result result;

    return kn_solve_execute(solver, from_host, to_host, &result, why);
}

static kn_status solve_buffers(kn_error *why)
{
    kn_solve_result result;

    return kn_solve_execute_buffers(solver, from, to, &result, why);
}

static kn_status solve_single(kn_error *why)
{
    kn_solve_result result;

    return kn_solve_execute(solver, from_single, to_host, &result, why);
}

static void expect_solves(kn_queue *in, const char *name, const kn_solve_options *options)
{
    char names[2][64];
    const struct allocations_call device_calls[] = {{names[0], solve_single}, {names[1], solve_buffers}};
    const struct allocations_call host_calls[] = {{names[0], solve}};

    snprintf(names[0], sizeof names[0], "kn_solve_execute, %s", name);
    snprintf(names[1], sizeof names[1], "kn_solve_execute_buffers, %s", name);
    EXPECT_OK(kn_solve_plan_create(in, applied, options, &solver, &err));
    if (in)
        EXPECT_CALLS(device_calls);
    else
        EXPECT_CALLS(host_calls);
    kn_solve_plan_free(solver);
}

START_TEST(test_solve)
{
    const kn_solve_options plain = KN_INIT(kn_solve_options, .iterations = 7);
    const kn_solve_options white = KN_INIT(kn_solve_options, .iterations = 7, .whiteness = true);
    const kn_solve_options smooth =
        KN_INIT(kn_solve_options, .iterations = 7, .lambda = 0.1, .smooth = 0.1, .order = 2);
    kn_sparse *matrix;

    begin();
    matrix = random_matrix();
    for (int host = 0; host < 2; host++) {
        kn_queue *in = host ? NULL : queue;
        EXPECT_OK(kn_sparse_operator_create(in, matrix, NULL, &applied, &err));
        expect_solves(in, host ? "host" : "device", &plain);
        expect_solves(in, host ? "host, whiteness" : "whiteness", &white);
        expect_solves(in, host ? "host, smooth" : "smooth", &smooth);
        for (int method = KN_SOLVE_FISTA; method <= KN_SOLVE_SIRT; method++) {
            char name[24];
            snprintf(name, sizeof name, "%s%s", host ? "host, " : "",
                     kn_solve_method_name((kn_solve_method)method));
            expect_solves(in, name,
                          &KN_INIT(kn_solve_options, .method = (kn_solve_method)method, .iterations = 7,
                                   .bounded = true, .high = INFINITY));
        }
        kn_operator_free(applied);
    }
    kn_sparse_free(matrix);
    end();
}
END_TEST

// ---- recon ----

static kn_recon_plan *recon;

#define RECON_CALL(name, call)                                                                               \
    static kn_status name(kn_error *why)                                                                     \
    {                                                                                                        \
        return call;                                                                                         \
    }
RECON_CALL(forward, kn_recon_forward(recon, from_host, to_host, why))
RECON_CALL(adjoint, kn_recon_adjoint(recon, from_host, to_host, why))
RECON_CALL(normal, kn_recon_normal(recon, from_host, to_host, why))
RECON_CALL(gridding, kn_recon_gridding_forward(recon, from_host, to_host, why))
RECON_CALL(gridding_adjoint, kn_recon_gridding_adjoint(recon, from_host, to_host, why))
RECON_CALL(forward_buffers, kn_recon_forward_buffers(recon, from, to, why))
RECON_CALL(adjoint_buffers, kn_recon_adjoint_buffers(recon, from, to, why))
RECON_CALL(normal_buffers, kn_recon_normal_buffers(recon, from, to, why))
RECON_CALL(gridding_buffers, kn_recon_gridding_forward_buffers(recon, from, to, why))
RECON_CALL(gridding_adjoint_buffers, kn_recon_gridding_adjoint_buffers(recon, from, to, why))

static double scan_k[3 * SAMPLES];
static const kn_recon_matrix matrix = {2, {SIZE, SIZE, 1}};

static void open_scan(kn_queue *in, const kn_recon_options *options)
{
    for (size_t i = 0; i < 3 * SAMPLES; i++)
        scan_k[i] = i % 3 < 2 ? SIZE * (test_uniform(&chance) - 0.5) : 0;
    EXPECT_OK(kn_recon_plan_create(in, &matrix, scan_k, SAMPLES, options, &recon, &err));
}

START_TEST(test_recon_device)
{
    const struct allocations_call calls[] = {
        {"kn_recon_forward", forward},
        {"kn_recon_adjoint", adjoint},
        {"kn_recon_normal", normal},
        {"kn_recon_gridding_forward", gridding},
        {"kn_recon_gridding_adjoint", gridding_adjoint},
        {"kn_recon_forward_buffers", forward_buffers},
        {"kn_recon_adjoint_buffers", adjoint_buffers},
        {"kn_recon_normal_buffers", normal_buffers},
        {"kn_recon_gridding_forward_buffers", gridding_buffers},
        {"kn_recon_gridding_adjoint_buffers", gridding_adjoint_buffers},
    };
    const struct allocations_call both_sums[] = {{"kn_recon_normal_buffers, both sums", normal_buffers}};
    kn_recon_options options = KN_INIT(kn_recon_options, .normal = KN_RECON_NORMAL_FORWARD);

    begin();
    open_scan(queue, NULL);
    EXPECT_CALLS(calls);
    kn_recon_plan_free(recon);
    open_scan(queue, &options);
    EXPECT_CALLS(both_sums);
    kn_recon_plan_free(recon);
    end();
}
END_TEST

// The adjoint with each kernel on a device.
START_TEST(test_recon_kernels)
{
    static const kn_recon_kernel kernels[] = {KN_RECON_KERNEL_NAIVE,           KN_RECON_KERNEL_REGISTER,
                                              KN_RECON_KERNEL_COALESCED,       KN_RECON_KERNEL_CONSTANT,
                                              KN_RECON_KERNEL_CONSTANT_STRUCT, KN_RECON_KERNEL_FAST_TRIG};

    begin();
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        const kn_recon_options options = KN_INIT(kn_recon_options, .kernel = kernels[i]);
        char name[64];
        const struct allocations_call calls[] = {{name, adjoint_buffers}};

        snprintf(name, sizeof name, "kn_recon_adjoint_buffers, %s", kn_recon_kernel_name(kernels[i]));
        open_scan(queue, &options);
        EXPECT_CALLS(calls);
        kn_recon_plan_free(recon);
    }
    end();
}
END_TEST

START_TEST(test_recon_host)
{
    char names[3][64];
    const struct allocations_call calls[] = {{names[0], forward}, {names[1], adjoint}, {names[2], normal}};
    static const kn_recon_kernel kernels[] = {KN_RECON_KERNEL_HOST_DOUBLE, KN_RECON_KERNEL_HOST_SINGLE};

    begin();
    for (size_t i = 0; i < 2; i++) {
        const kn_recon_options options = KN_INIT(kn_recon_options, .kernel = kernels[i]);

        snprintf(names[0], sizeof names[0], "kn_recon_forward, %s", kn_recon_kernel_name(kernels[i]));
        snprintf(names[1], sizeof names[1], "kn_recon_adjoint, %s", kn_recon_kernel_name(kernels[i]));
        snprintf(names[2], sizeof names[2], "kn_recon_normal, %s", kn_recon_kernel_name(kernels[i]));
        open_scan(NULL, &options);
        EXPECT_CALLS(calls);
        kn_recon_plan_free(recon);
    }
    end();
}
END_TEST

static void expect_operator(kn_queue *in, kn_recon_operator_kind kind, const char *name)
{
    char names[3][64];
    const struct allocations_call device_calls[] = {{names[0], apply}, {names[1], apply_adjoint}};
    const struct allocations_call host_calls[] = {{names[0], apply_host}, {names[1], apply_host_adjoint}};

    snprintf(names[0], sizeof names[0], "A x, %s%s", name, in ? "" : ", host");
    snprintf(names[1], sizeof names[1], "A^H x, %s%s", name, in ? "" : ", host");
    snprintf(names[2], sizeof names[2], "%s%s", name, in ? "" : ", host");
    open_scan(in, NULL);
    EXPECT_OK(kn_recon_operator_create(recon, kind, &applied, &err));
    if (in)
        EXPECT_CALLS(device_calls);
    else
        EXPECT_CALLS(host_calls);
    expect_solves(in, names[2],
                  kind == KN_RECON_OPERATOR_NORMAL
                      ? &KN_INIT(kn_solve_options, .method = KN_SOLVE_CG, .iterations = 5, .lambda = 1)
                      : &KN_INIT(kn_solve_options, .iterations = 5));
    kn_operator_free(applied);
    kn_recon_plan_free(recon);
}

START_TEST(test_recon_operators)
{
    begin();
    expect_operator(queue, KN_RECON_OPERATOR_ENCODING, "encoding");
    expect_operator(queue, KN_RECON_OPERATOR_NORMAL, "normal");
    expect_operator(queue, KN_RECON_OPERATOR_GRIDDING, "gridding");
    expect_operator(NULL, KN_RECON_OPERATOR_ENCODING, "encoding");
    expect_operator(NULL, KN_RECON_OPERATOR_NORMAL, "normal");
    end();
}
END_TEST

// ---- stats ----

static kn_stats_plan *stats;
static bool is_at_end;

static kn_status compute(kn_error *why)
{
    kn_stats result;

    return kn_stats_compute(stats, from_single, N, &result, why);
}

static kn_status compute_buffer(kn_error *why)
{
    kn_stats result;

    return kn_stats_compute_buffer(stats, from, N, &result, why);
}

static kn_status compute_prefixes(kn_error *why)
{
    const size_t ends[] = {100, N / 3, N};
    kn_stats results[3];

    return kn_stats_compute_prefixes(stats, from_single, ends, 3, results, why);
}

static kn_status compute_columns(kn_error *why)
{
    const void *const columns[] = {from_single, from_single, from_single};
    kn_stats results[3];

    return kn_stats_compute_columns(stats, columns, N, 3, results, why);
}

static kn_status rewind_source(void *data, kn_error *why)
{
    (void)data;
    (void)why;
    is_at_end = false;
    return KN_OK;
}

static kn_status next_chunk(void *data, const void **chunk, size_t *count, kn_error *why)
{
    (void)data;
    (void)why;
    *chunk = from_single;
    *count = is_at_end ? 0 : N;
    is_at_end = true;
    return KN_OK;
}

static kn_status compute_source(kn_error *why)
{
    const kn_stats_source source = KN_INIT(kn_stats_source, .rewind = rewind_source, .next = next_chunk);
    kn_stats result;

    return kn_stats_compute_source(stats, &source, &result, why);
}

static const char *const method_names[] = {[KN_STATS_AUTO] = "auto",
                                           [KN_STATS_SORT] = "sort",
                                           [KN_STATS_SELECT] = "select",
                                           [KN_STATS_FUSED] = "fused"};

static void expect_stats(kn_queue *in, kn_type type, const kn_stats_options *options)
{
    char names[5][64], where[32];
    const char *method = method_names[options->method];
    const struct allocations_call calls[] = {
        {names[0], compute},         {names[1], compute_source}, {names[2], compute_prefixes},
        {names[3], compute_columns}, {names[4], compute_buffer},
    };

    snprintf(where, sizeof where, ", %s%s", kn_type_name(type), in ? "" : ", host");
    snprintf(names[0], sizeof names[0], "kn_stats_compute, %s%s", method, where);
    snprintf(names[1], sizeof names[1], "kn_stats_compute_source, %s%s", method, where);
    snprintf(names[2], sizeof names[2], "kn_stats_compute_prefixes, %s%s", method, where);
    snprintf(names[3], sizeof names[3], "kn_stats_compute_columns, %s%s", method, where);
    snprintf(names[4], sizeof names[4], "kn_stats_compute_buffer, %s%s", method, where);
    EXPECT_OK(kn_stats_plan_create(in, type, N, options, &stats, &err));
    allocations_expect(calls, in ? 5 : 4);
    kn_stats_plan_free(stats);
}

// Numbers of 8 bits are the bytes of the others.
START_TEST(test_stats)
{
    static const kn_stats_method methods[] = {KN_STATS_AUTO, KN_STATS_SORT, KN_STATS_SELECT, KN_STATS_FUSED};

    begin();
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        const kn_stats_options options = KN_INIT(kn_stats_options, .method = methods[i]);

        expect_stats(queue, KN_F32, &options);
        expect_stats(queue, KN_U8, &options);
        expect_stats(NULL, KN_F32, &options);
        expect_stats(NULL, KN_U8, &options);
    }
    end();
}
END_TEST

// ---- autocorrelation ----

static kn_autocorr_plan *correlation;
static uint8_t pixels[2 * FRAMES * WIDTH * HEIGHT], mask[WIDTH * HEIGHT];
static kn_buffer *frames_buffer;
static uint64_t sums[FRAMES * (OFFSET + 1) * (2 * OFFSET + 1)];
static double correlations[FRAMES * (OFFSET + 1) * (2 * OFFSET + 1)];
static kn_autocorr_ring rings[FRAMES * (OFFSET + 1)];
static kn_autocorr_lengths lengths[FRAMES];

static kn_status correlate_with(const uint8_t *with, kn_error *why)
{
    const kn_autocorr_frames frames =
        KN_INIT(kn_autocorr_frames, .first = pixels, .stride = WIDTH, .mask = with, .mask_stride = WIDTH);
    const kn_autocorr_results results = KN_INIT(kn_autocorr_results, .sums = sums, .values = correlations,
                                                .rings = rings, .lengths = lengths);

    return kn_autocorr_execute(correlation, &frames, FRAMES, &results, why);
}

static kn_status correlate(kn_error *why)
{
    return correlate_with(NULL, why);
}

static kn_status correlate_masked(kn_error *why)
{
    return correlate_with(mask, why);
}

static kn_status correlate_buffers(kn_error *why)
{
    const kn_autocorr_results results = KN_INIT(kn_autocorr_results, .sums = sums, .values = correlations);

    return kn_autocorr_execute_buffers(correlation, frames_buffer, NULL, FRAMES, &results, why);
}

static kn_status correlate_to_buffer(kn_error *why)
{
    return kn_autocorr_sums_to_buffer(correlation, frames_buffer, NULL, FRAMES, to, why);
}

START_TEST(test_autocorr)
{
    static const struct {
        bool is_host;
        kn_autocorr_method method;
        kn_type type;
    } cases[] = {{false, KN_AUTOCORR_AUTO, KN_U8},    {false, KN_AUTOCORR_DIRECT, KN_U8},
                 {false, KN_AUTOCORR_FFT, KN_U8},     {false, KN_AUTOCORR_TWO_LINE, KN_U8},
                 {false, KN_AUTOCORR_DIRECT, KN_U16}, {true, KN_AUTOCORR_AUTO, KN_U8},
                 {true, KN_AUTOCORR_NAIVE, KN_U8},    {true, KN_AUTOCORR_SIMD, KN_U8},
                 {true, KN_AUTOCORR_FFT, KN_U8}};

    begin();
    for (size_t i = 0; i < sizeof pixels; i++)
        pixels[i] = (uint8_t)test_random(&chance);
    for (size_t i = 0; i < sizeof mask; i++)
        mask[i] = (uint8_t)(test_random(&chance) % 2);
    frames_buffer = test_upload_with_room(pixels, sizeof pixels, 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char names[4][64];
        const char *method = kn_autocorr_method_name(cases[i].method);
        const char *where = cases[i].is_host ? ", host" : "";
        const struct allocations_call calls[] = {
            {names[0], correlate},
            {names[1], correlate_masked},
            {names[2], correlate_buffers},
            {names[3], correlate_to_buffer},
        };
        const kn_autocorr_shape shape = KN_INIT(kn_autocorr_shape, .width = WIDTH, .height = HEIGHT,
                                                .type = cases[i].type, .max_offset = OFFSET);
        const kn_autocorr_options options = KN_INIT(kn_autocorr_options, .method = cases[i].method);

        snprintf(names[0], sizeof names[0], "kn_autocorr_execute, %s%s", method, where);
        snprintf(names[1], sizeof names[1], "kn_autocorr_execute, mask, %s%s", method, where);
        snprintf(names[2], sizeof names[2], "kn_autocorr_execute_buffers, %s", method);
        snprintf(names[3], sizeof names[3], "kn_autocorr_sums_to_buffer, %s", method);
        EXPECT_OK(
            kn_autocorr_plan_create(cases[i].is_host ? NULL : queue, &shape, &options, &correlation, &err));
        allocations_expect(calls, cases[i].is_host ? 2 : 4);
        kn_autocorr_plan_free(correlation);
    }
    kn_buffer_free(frames_buffer);
    end();
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        test_sparse,        test_tomography, test_filtered,        test_solve, test_recon_device,
        test_recon_kernels, test_recon_host, test_recon_operators, test_stats, test_autocorr};

    return test_run("allocations of plans", tests, sizeof tests / sizeof *tests, NULL, NULL);
}
