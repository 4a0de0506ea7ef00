// SPDX-License-Identifier: Apache-2.0
// Conjugate gradients (koine/solve.h) with dense random operators, real and complex, on the host in both
// precisions and on a device, against elimination in double precision; why iterations end; and what is
// refused.
#include "app/mri/mri.h"
#include "support/buffers.h"
#include "support/compare.h"
#include "support/device.h"
#include "support/elimination.h"
#include "support/expect.h"
#include "support/memory/memory.h"
#include "support/random.h"
#include "support/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <koine/koine.h>

enum { MOST = 48 };

// A dense operator of rows x columns complex numbers, whose imaginary parts are 0 if it is real.
struct dense {
    size_t rows, columns;
    bool is_complex;
    kn_type type;
    double complex a[MOST * MOST];
    size_t calls, released;
    kn_status fails;
};

static double complex get(const struct dense *d, const void *array, size_t i)
{
    const float *singles = array;
    const double *doubles = array;

    if (d->type == KN_F32)
        return d->is_complex ? mri_complex((double)singles[2 * i], (double)singles[2 * i + 1])
                             : (double)singles[i];
    return d->is_complex ? mri_complex(doubles[2 * i], doubles[2 * i + 1]) : doubles[i];
}

static void put(const struct dense *d, void *array, size_t i, double complex value)
{
    float *singles = array;
    double *doubles = array;
    size_t step = d->is_complex ? 2 : 1;

    for (size_t part = 0; part < step; part++) {
        double number = part ? cimag(value) : creal(value);

        if (d->type == KN_F32)
            singles[step * i + part] = (float)number;
        else
            doubles[step * i + part] = number;
    }
}

static kn_status apply(void *data, bool adjoint, const void *from, void *to, kn_error *why)
{
    struct dense *d = data;
    size_t out = adjoint ? d->columns : d->rows, in = adjoint ? d->rows : d->columns;

    d->calls++;
    if (d->fails) {
        why->code = d->fails;
        snprintf(why->text, sizeof why->text, "the operator's own reason");
        return d->fails;
    }
    for (size_t i = 0; i < out; i++) {
        double complex sum = 0;

        for (size_t j = 0; j < in; j++)
            sum += (adjoint ? conj(d->a[j * d->columns + i]) : d->a[i * d->columns + j]) * get(d, from, j);
        put(d, to, i, sum);
    }
    return KN_OK;
}

static void release(void *data)
{
    ((struct dense *)data)->released++;
}

// A diagonal of 2 and noise of up to 0.1 in each part: singular values differ by a factor of about 3 at most.
static void fill(struct dense *d, bool self_adjoint, uint64_t *state)
{
    for (size_t i = 0; i < d->rows; i++)
        for (size_t j = 0; j < d->columns; j++) {
            double real = 2 * test_uniform(state) - 1, imaginary = 2 * test_uniform(state) - 1;

            d->a[i * d->columns + j] =
                mri_complex(real, d->is_complex ? imaginary : 0) * 0.1 + (i == j ? 2 : 0);
        }
    for (size_t i = 0; i < d->rows && self_adjoint; i++)
        for (size_t j = 0; j <= i; j++)
            d->a[j * d->columns + i] =
                i == j ? creal(d->a[i * d->columns + i]) : conj(d->a[i * d->columns + j]);
}

static kn_operator *operator_of(struct dense *d)
{
    const kn_operator_functions functions =
        KN_INIT(kn_operator_functions, .rows = d->rows, .columns = d->columns, .type = d->type,
                .is_complex = d->is_complex, .apply_host = apply, .release = release, .data = d);
    kn_operator *a = NULL;

    EXPECT_OK(kn_operator_create(NULL, &functions, &a, &err));
    return a;
}

// Element (i, j) of D^T D, where D takes differences of this order.
static double difference(size_t i, size_t j, size_t n, unsigned order)
{
    static const double stencils[][3] = {{-1, 1, 0}, {1, -2, 1}};
    double sum = 0;

    for (size_t row = 0; row + order < n; row++)
        if (i >= row && i <= row + order && j >= row && j <= row + order)
            sum += stencils[order - 1][i - row] * stencils[order - 1][j - row];
    return sum;
}

// Solves the same system in double precision by elimination: the normal equations with the terms of the
// options, or (A + lambda) x = b for KN_SOLVE_CG.
static void eliminate(const struct dense *d, const kn_solve_options *options, const void *b,
                      double complex *x)
{
    size_t n = d->columns;
    bool equation = options->method == KN_SOLVE_CG;
    static double complex m[MOST * MOST];

    for (size_t i = 0; i < n; i++) {
        x[i] = equation ? get(d, b, i) : 0;
        for (size_t k = 0; k < d->rows && !equation; k++)
            x[i] += conj(d->a[k * n + i]) * get(d, b, k);
        for (size_t j = 0; j < n; j++) {
            m[i * n + j] = equation ? d->a[i * n + j] : 0;
            for (size_t k = 0; k < d->rows && !equation; k++)
                m[i * n + j] += conj(d->a[k * n + i]) * d->a[k * n + j];
            if (options->smooth > 0)
                m[i * n + j] += options->smooth * difference(i, j, n, options->order);
        }
        m[i * n + i] += options->lambda;
    }
    test_eliminate(n, m, x);
}

// The distance of x from the solution `wanted`, relative to the length of the latter.
static double distance(const struct dense *d, const void *x, const double complex *wanted)
{
    double off = 0, size = 0;

    for (size_t i = 0; i < d->columns; i++) {
        off += pow(cabs(get(d, x, i) - wanted[i]), 2);
        size += pow(cabs(wanted[i]), 2);
    }
    return sqrt(off / size);
}

// A random right-hand side b and a random start x.
static void fill_vectors(const struct dense *d, void *b, void *x, uint64_t *state)
{
    for (size_t i = 0; i < d->rows; i++)
        put(d, b, i, test_complex(state));
    for (size_t i = 0; i < d->columns; i++)
        put(d, x, i, test_complex(state));
}

static const struct {
    kn_solve_method method;
    double lambda, smooth;
    unsigned order;
    bool is_complex;
} systems[] = {{KN_SOLVE_CGNR, 0, 0, 0, false},     {KN_SOLVE_CGNR, 0.3, 0, 0, false},
               {KN_SOLVE_CGNR, 0.1, 0.4, 1, false}, {KN_SOLVE_CGNR, 0, 0.2, 2, false},
               {KN_SOLVE_CGNR, 0.2, 0, 0, true},    {KN_SOLVE_CG, 0, 0, 0, false},
               {KN_SOLVE_CG, 0.5, 0, 0, false},     {KN_SOLVE_CG, 0.5, 0, 0, true}};
enum { SYSTEMS = sizeof systems / sizeof *systems };

static kn_solve_options options_of(size_t i)
{
    return KN_INIT(kn_solve_options, .method = systems[i].method, .iterations = 200,
                   .lambda = systems[i].lambda, .smooth = systems[i].smooth, .order = systems[i].order);
}

static struct dense *dense_of(size_t i, kn_type type, uint64_t *state)
{
    bool equation = systems[i].method == KN_SOLVE_CG;
    struct dense *d = test_zeros(1, sizeof *d);

    d->columns = 1 + test_random(state) % (MOST - 6);
    d->rows = equation ? d->columns : d->columns + test_random(state) % 6;
    d->is_complex = systems[i].is_complex;
    d->type = type;
    fill(d, equation, state);
    return d;
}

// ---- on the host ----

// The condition number of the system is below 30, so that the error is a few roundings only.
START_TEST(host)
{
    uint64_t state = test_seed("host");

    for (size_t i = 0; i < 2 * SYSTEMS; i++) {
        kn_type type = i % 2 ? KN_F64 : KN_F32;
        kn_solve_options options = options_of(i / 2);
        struct dense *d = dense_of(i / 2, type, &state);
        kn_operator *a = operator_of(d);
        kn_solve_plan *plan = NULL;
        kn_solve_result result;
        double b[2 * MOST], x[2 * MOST], off, residual = 0, right = 0;
        double complex wanted[MOST];
        const double *gradients;
        size_t count;

        fill_vectors(d, b, x, &state);
        eliminate(d, &options, b, wanted);
        if (systems[i / 2].method == KN_SOLVE_CG)
            options.tolerance = type == KN_F64 ? 1e-13 : 1e-6;
        EXPECT_OK(kn_solve_plan_create(NULL, a, &options, &plan, &err));
        kn_operator_free(a); // the plan holds a reference
        ck_assert_uint_eq(d->released, 0);
        EXPECT_OK(kn_solve_execute(plan, b, x, &result, &err));
        off = distance(d, x, wanted);
        ck_assert_msg(off < (type == KN_F64 ? 1e-12 : 1e-4),
                      "system %zu, %zu x %zu: off by %g, stopped by %s", i, d->rows, d->columns, off,
                      kn_solve_stopped_name(result.stopped));
        for (size_t row = 0; row < d->rows; row++) {
            double complex rest = -get(d, b, row);

            right += pow(cabs(rest), 2);
            for (size_t j = 0; j < d->columns; j++)
                rest += d->a[row * d->columns + j] * get(d, x, j);
            if (options.method == KN_SOLVE_CG)
                rest += options.lambda * get(d, x, row);
            residual += pow(cabs(rest), 2);
        }
        ck_assert_double_eq_tol(result.right, sqrt(right), 1e-6 * sqrt(right));
        ck_assert_double_le(fabs(result.residual - sqrt(residual)),
                            (type == KN_F64 ? 1e-11 : 1e-5) * sqrt(right));
        gradients = kn_solve_plan_get_gradients(plan, &count);
        ck_assert_uint_eq(count, result.iterations + 1);
        ck_assert(gradients[count - 1] == result.gradient && gradients[0] > result.gradient);
        kn_solve_plan_free(plan);
        ck_assert_uint_eq(d->released, 1);
        free(d);
    }
}
END_TEST

// Iterations end for each reason, which is reported; and a plan that solves again gives the same bits.
START_TEST(stops)
{
    uint64_t state = test_seed("stops");
    struct dense *d = dense_of(0, KN_F64, &state);
    kn_operator *a = operator_of(d);
    double b[2 * MOST], x[2 * MOST], start[2 * MOST], again[2 * MOST];
    double complex best[MOST];
    kn_solve_options options = options_of(0);
    kn_solve_plan *plan = NULL;
    kn_solve_result result, least;

    fill_vectors(d, b, start, &state);
    eliminate(d, &options, b, best);
    memcpy(x, start, sizeof x);
    EXPECT_OK(kn_solve_plan_create(NULL, a, &options, &plan, &err));
    EXPECT_OK(kn_solve_execute(plan, b, x, &least, &err));
    ck_assert_int_eq((int)least.stopped, KN_SOLVE_STOPPED_FLOOR);
    memcpy(again, start, sizeof again);
    EXPECT_OK(kn_solve_execute(plan, b, again, &result, &err));
    ck_assert_mem_eq(again, x, d->columns * sizeof *x);
    kn_solve_plan_free(plan);

    for (unsigned rule = 0; rule < 3; rule++) {
        options = options_of(0);
        if (rule == 0)
            options.iterations = 2;
        else if (rule == 1)
            options.tolerance = (0.4 * least.right + 0.6 * least.residual) / least.right; // attainable
        else
            options.noise = 0.5 * (least.residual + least.right);
        memset(x, 0, sizeof x);
        EXPECT_OK(kn_solve_plan_create(NULL, a, &options, &plan, &err));
        EXPECT_OK(kn_solve_execute(plan, b, x, &result, &err));
        // With one or two unknowns, the floor may be reached in the second iteration.
        ck_assert_msg(result.stopped == (kn_solve_stopped)rule || least.iterations < 2 ||
                          (rule == 0 && d->columns <= 2),
                      "rule %u: %s", rule, kn_solve_stopped_name(result.stopped));
        if (rule == 1)
            ck_assert_double_le(result.residual, options.tolerance * result.right);
        if (rule == 2)
            ck_assert_double_le(result.residual, options.noise);
        kn_solve_plan_free(plan);
    }
    kn_operator_free(a);
    free(d);
}
END_TEST

static bool stop_at_2(void *data, size_t iteration)
{
    ++*(size_t *)data;
    return iteration < 2;
}

// x is unchanged if the operator fails, the caller stops, or b is not finite.
START_TEST(fails)
{
    uint64_t state = test_seed("fails");

    for (unsigned method = 0; method < 2; method++) {
        size_t begun = 0;
        struct dense *d = dense_of(method ? 6 : 1, KN_F64, &state);
        kn_solve_options options = options_of(method ? 6 : 1);
        double b[2 * MOST], x[2 * MOST], kept[2 * MOST];
        kn_solve_plan *plan = NULL;
        kn_solve_result result = {.iterations = 77};
        kn_operator *a;

        d->columns = d->rows = 30;
        fill(d, method, &state);
        a = operator_of(d);
        fill_vectors(d, b, x, &state);
        memcpy(kept, x, sizeof kept);
        options.progress = stop_at_2;
        options.progress_data = &begun;
        EXPECT_OK(kn_solve_plan_create(NULL, a, &options, &plan, &err));
        EXPECT_REFUSED(KN_ERROR_INTERRUPTED, "before iteration 2",
                       kn_solve_execute(plan, b, x, &result, &err));
        ck_assert_uint_eq(begun, 3);
        d->fails = KN_ERROR_DEVICE;
        EXPECT_REFUSED(KN_ERROR_DEVICE, "own reason", kn_solve_execute(plan, b, x, &result, &err));
        d->fails = KN_OK;
        b[3] = NAN;
        EXPECT_REFUSED(KN_ERROR_ARGUMENT, "number 3 of the right-hand side is nan",
                       kn_solve_execute(plan, b, x, &result, &err));
        ck_assert_mem_eq(x, kept, sizeof kept);
        ck_assert_uint_eq(result.iterations, 77);
        kn_solve_plan_free(plan);
        kn_operator_free(a);
        free(d);
    }
}
END_TEST

// ---- on a device ----

// The dense operator, which must be real, as a sparse matrix on the device.
static kn_operator *on_device(const struct dense *d, kn_type type)
{
    static uint32_t row[MOST * MOST], column[MOST * MOST];
    static double values[MOST * MOST];
    size_t count = d->rows * d->columns;
    kn_sparse *matrix = NULL;
    kn_operator *a = NULL;

    for (size_t i = 0; i < count; i++) {
        row[i] = (uint32_t)(i / d->columns);
        column[i] = (uint32_t)(i % d->columns);
        values[i] = creal(d->a[i]);
    }
    EXPECT_OK(kn_sparse_create_coo(d->rows, d->columns, count, row, column, values, &matrix, &err));
    EXPECT_OK(kn_sparse_operator_create(
        queue, matrix, &KN_INIT(kn_sparse_operator_options, .format = KN_SPARSE_SIMPLE, .type = type), &a,
        &err));
    kn_sparse_free(matrix);
    return a;
}

static void solve_on_device(kn_type type, uint64_t *state)
{
    for (size_t i = 0; i < SYSTEMS; i++) {
        enum { ROOM = 64 };
        kn_solve_options options = options_of(i);
        struct dense *d;
        kn_operator *a;
        kn_solve_plan *plan = NULL;
        kn_solve_result result, buffers;
        double b[MOST], x[MOST], start[MOST], found[MOST]; // numbers of `type`
        double complex wanted[MOST];
        size_t size = kn_type_size(type);
        kn_profile_entry *entries = NULL;
        size_t count = 0;
        kn_buffer *from, *to;
        double off;

        if (systems[i].is_complex || (type == KN_F64 && systems[i].method == KN_SOLVE_CG))
            continue;
        d = dense_of(i, type, state);
        a = on_device(d, type);
        fill_vectors(d, b, start, state);
        eliminate(d, &options, b, wanted);
        if (systems[i].method == KN_SOLVE_CG)
            options.tolerance = 1e-6;
        memcpy(x, start, sizeof x);
        EXPECT_OK(kn_solve_plan_create(queue, a, &options, &plan, &err));
        kn_operator_free(a);
        EXPECT_OK(kn_profile_start(queue, &err));
        EXPECT_OK(kn_solve_execute(plan, b, x, &result, &err));
        EXPECT_OK(kn_profile_stop(queue, &entries, &count, &err));
        off = distance(d, x, wanted);
        ck_assert_msg(off < (type == KN_F64 ? 1e-11 : 1e-4),
                      "system %zu, %zu x %zu: off by %g, stopped by %s", i, d->rows, d->columns, off,
                      kn_solve_stopped_name(result.stopped));
        // The kernel of its method was launched, and not that of the other method.
        ck_assert((test_count_kernel(entries, count, "cg_step") > 0) == (options.method == KN_SOLVE_CG));
        ck_assert((test_count_kernel(entries, count, "cgnr_step") > 0) == (options.method == KN_SOLVE_CGNR));
        kn_free(entries);
        // With buffers, the same bits, and nothing is written beyond them.
        from = test_upload_with_room(b, d->rows * size, 0);
        to = test_upload_with_room(start, d->columns * size, ROOM);
        EXPECT_OK(kn_solve_execute_buffers(plan, from, to, &buffers, &err));
        EXPECT_OK(kn_buffer_read(queue, to, 0, found, d->columns * size, &err));
        test_expect_poison(to, d->columns * size);
        ck_assert_mem_eq(found, x, d->columns * size);
        ck_assert_uint_eq(buffers.iterations, result.iterations);
        ck_assert(test_same(buffers.residual, result.residual));
        // Without a result, the same x; in double precision only within the tolerance, because the iterations
        // do not restart from a recomputed gradient.
        EXPECT_OK(kn_buffer_write(queue, to, 0, start, d->columns * size, &err));
        EXPECT_OK(kn_solve_execute_buffers(plan, from, to, NULL, &err));
        EXPECT_OK(kn_buffer_read(queue, to, 0, found, d->columns * size, &err));
        test_expect_poison(to, d->columns * size);
        ck_assert(type == KN_F64 || !memcmp(found, x, d->columns * size));
        ck_assert_double_lt(distance(d, found, wanted), type == KN_F64 ? 1e-11 : 1e-4);
        EXPECT_REFUSED(KN_ERROR_ARGUMENT, "two buffers", kn_solve_execute_buffers(plan, to, to, NULL, &err));
        EXPECT_REFUSED(KN_ERROR_ARGUMENT, "two buffers",
                       kn_solve_execute_buffers(plan, to, to, &buffers, &err));
        kn_buffer_free(from);
        kn_buffer_free(to);
        kn_solve_plan_free(plan);
        free(d);
    }
}

START_TEST(device)
{
    uint64_t state = test_seed("device");

    solve_on_device(KN_F32, &state);
    if (test_takes(KN_F64))
        solve_on_device(KN_F64, &state);
}
END_TEST

// Iterations on a device end by the discrepancy principle, or because the caller stops them.
START_TEST(device_stops)
{
    uint64_t state = test_seed("device_stops");
    size_t begun = 0;
    struct dense *d = dense_of(0, KN_F32, &state);
    kn_solve_options options = options_of(0);
    kn_solve_plan *plan = NULL;
    kn_solve_result result, least;
    float b[MOST], x[MOST] = {0};
    kn_operator *a;

    d->columns = 30;
    d->rows = 40;
    fill(d, false, &state);
    a = on_device(d, KN_F32);
    fill_vectors(d, b, x, &state);
    memset(x, 0, sizeof x);
    EXPECT_OK(kn_solve_plan_create(queue, a, &options, &plan, &err));
    EXPECT_OK(kn_solve_execute(plan, b, x, &least, &err));
    kn_solve_plan_free(plan);
    memset(x, 0, sizeof x);
    options.noise = 0.5 * (least.residual + least.right);
    EXPECT_OK(kn_solve_plan_create(queue, a, &options, &plan, &err));
    EXPECT_OK(kn_solve_execute(plan, b, x, &result, &err));
    ck_assert_int_eq((int)result.stopped, KN_SOLVE_STOPPED_NOISE);
    ck_assert_double_le(result.residual, options.noise * (1 + 1e-5));
    ck_assert_uint_lt(result.iterations, least.iterations);
    kn_solve_plan_free(plan);
    options.progress = stop_at_2;
    options.progress_data = &begun;
    options.noise = 0;
    EXPECT_OK(kn_solve_plan_create(queue, a, &options, &plan, &err));
    EXPECT_REFUSED(KN_ERROR_INTERRUPTED, "before iteration 2", kn_solve_execute(plan, b, x, &result, &err));
    kn_solve_plan_free(plan);
    kn_operator_free(a);
    free(d);
}
END_TEST

START_TEST(refused)
{
    uint64_t state = test_seed("refused");
    struct dense *d = dense_of(0, KN_F64, &state);
    kn_solve_plan *plan = NULL;
    kn_operator *of_host, *of_device;
    const struct {
        kn_solve_options options;
        kn_status status;
        const char *words;
    } tried[] = {
        {KN_INIT(kn_solve_options, .method = (kn_solve_method)7), KN_ERROR_ARGUMENT, "no method 7"},
        {KN_INIT(kn_solve_options, .iterations = 1 << 21), KN_ERROR_ARGUMENT, "at most 1048576"},
        {KN_INIT(kn_solve_options, .tolerance = 1), KN_ERROR_ARGUMENT, "tolerance of 1"},
        {KN_INIT(kn_solve_options, .lambda = NAN), KN_ERROR_ARGUMENT, "lambda is"},
        {KN_INIT(kn_solve_options, .noise = -1), KN_ERROR_ARGUMENT, "noise of -1"},
        {KN_INIT(kn_solve_options, .smooth = 1, .order = 3), KN_ERROR_ARGUMENT, "order 3"},
        {KN_INIT(kn_solve_options, .method = KN_SOLVE_CG), KN_ERROR_ARGUMENT, "41 rows and 40 columns"},
    };

    d->rows = 41;
    d->columns = 40;
    fill(d, false, &state);
    of_host = operator_of(d);
    of_device = on_device(d, KN_F32);
    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++)
        EXPECT_REFUSED(tried[i].status, tried[i].words,
                       kn_solve_plan_create(NULL, of_host, &tried[i].options, &plan, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "kn_solve_plan_create: an operator of the host's memory, and a queue",
                   kn_solve_plan_create(queue, of_host, &KN_INIT(kn_solve_options), &plan, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "an operator of a context, and no queue",
                   kn_solve_plan_create(NULL, of_device, &KN_INIT(kn_solve_options), &plan, &err));
    EXPECT_REFUSED(
        KN_ERROR_ARGUMENT, "threads are for the host",
        kn_solve_plan_create(queue, of_device, &KN_INIT(kn_solve_options, .threads = 3), &plan, &err));
    ck_assert_ptr_null(plan);
    kn_operator_free(of_host);
    kn_operator_free(of_device);
    free(d);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {host, stops, fails, device, device_stops, refused};

    return test_run("solve api", tests, sizeof tests / sizeof *tests, test_open, test_close);
}
