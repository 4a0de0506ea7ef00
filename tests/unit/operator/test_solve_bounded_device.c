// SPDX-License-Identifier: Apache-2.0
// Solutions within bounds (koine/solve.h) on a device, of dense random operators that are either sparse
// matrices, with recorded iterations, or copy through the host. They are checked in double precision: against
// the best of all active sets, by the conditions of Karush, Kuhn and Tucker, and against the formula of
// simultaneous reconstruction.
#include "support/compare.h"
#include "support/device.h"
#include "support/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <koine/koine.h>

#include "bounded_support.h"

// Rounds the elements to floats, as the device stores them.
static void round_elements(struct dense *d)
{
    for (size_t i = 0; i < d->rows * d->columns; i++)
        d->a[i] = (double)(float)d->a[i];
}

static kn_operator *matrix_operator(struct dense *d)
{
    static uint32_t row[MOST * MOST], column[MOST * MOST];
    size_t count = d->rows * d->columns;
    kn_sparse *matrix = NULL;
    kn_operator *a = NULL;

    for (size_t i = 0; i < count; i++) {
        row[i] = (uint32_t)(i / d->columns);
        column[i] = (uint32_t)(i % d->columns);
    }
    EXPECT_OK(kn_sparse_create_coo(d->rows, d->columns, count, row, column, d->a, &matrix, &err));
    EXPECT_OK(kn_sparse_operator_create(
        queue, matrix, &KN_INIT(kn_sparse_operator_options, .format = KN_SPARSE_SIMPLE), &a, &err));
    kn_sparse_free(matrix);
    return a;
}

static kn_status apply(void *data, kn_queue *on, bool adjoint, const kn_buffer *from, kn_buffer *to,
                       kn_error *why)
{
    struct dense *d = data;
    size_t out = adjoint ? d->columns : d->rows, in = adjoint ? d->rows : d->columns;
    float x[MOST], y[MOST];
    kn_status status = in ? kn_buffer_read(on, from, 0, x, in * sizeof *x, why) : KN_OK;

    d->calls++;
    if (d->fails) {
        why->code = d->fails;
        snprintf(why->text, sizeof why->text, "the operator's own reason");
        return d->fails;
    }
    for (size_t i = 0; i < out; i++) {
        double sum = 0;

        for (size_t j = 0; j < in; j++)
            sum += element(d, adjoint, i, j) * (double)x[j];
        y[i] = (float)(adjoint && d->turns_back ? -sum : sum);
    }
    return status || !out ? status : kn_buffer_write(on, to, 0, y, out * sizeof *y, why);
}

static kn_operator *copying_operator(struct dense *d)
{
    const kn_operator_functions functions =
        KN_INIT(kn_operator_functions, .rows = d->rows, .columns = d->columns, .type = KN_F32, .apply = apply,
                .data = d);
    kn_operator *a = NULL;

    EXPECT_OK(kn_operator_create(context, &functions, &a, &err));
    return a;
}

static void check_solution(const struct dense *d, const kn_solve_options *options, const float *b,
                           const float *x, const kn_solve_result *result, const kn_solve_plan *plan)
{
    static double h[MOST * MOST], right[MOST], found[MOST], wanted[FEW];
    size_t n = d->columns, count;
    const double *gradients = kn_solve_plan_get_gradients(plan, &count);
    double tolerance = tolerance_of(KN_F32, gradients[0]), off;

    take_normal(d, options, b, h, right);
    for (size_t i = 0; i < n; i++) {
        found[i] = (double)x[i];
        ck_assert(found[i] >= low_of(options) && found[i] <= high_of(options));
    }
    off = violation(n, h, right, options, found, NULL);
    ck_assert_msg(off < tolerance, "%s, %zu x %zu, %g to %g: the conditions are off by %g, stopped by %s",
                  kn_solve_method_name(options->method), d->rows, n, options->low, options->high, off,
                  kn_solve_stopped_name(result->stopped));
    if (n <= FEW) {
        solve_exhaustively(n, h, right, options, wanted);
        for (size_t i = 0; i < n; i++)
            ck_assert_double_le(fabs(found[i] - wanted[i]), tolerance);
    }
    ck_assert_double_eq_tol(result->residual, residual_of(d, b, x), tolerance);
    ck_assert_uint_eq(count, result->iterations + 1);
    ck_assert(gradients[count - 1] == result->gradient && gradients[0] >= result->gradient);
}

// Stops profiling. The kernel of the method was launched at least once per iteration, and those of the other
// methods never.
static void expect_kernel(kn_solve_method method, size_t iterations)
{
    static const char *const names[] = {
        [KN_SOLVE_FISTA] = "bounded_fista", [KN_SOLVE_BB] = "bounded_bb", [KN_SOLVE_SIRT] = "bounded_sirt"};
    kn_profile_entry *entries;
    size_t count;

    EXPECT_OK(kn_profile_stop(queue, &entries, &count, &err));
    for (size_t m = KN_SOLVE_FISTA; m <= KN_SOLVE_SIRT; m++) {
        size_t launches = test_count_kernel(entries, count, names[m]);
        ck_assert_msg(m == method ? launches >= iterations : launches == 0, "%zu launches of %s", launches,
                      names[m]);
    }
    free(entries);
}

static void solve_and_check(size_t i, size_t most, uint64_t *state)
{
    kn_solve_options options =
        options_of(i % 2 ? KN_SOLVE_BB : KN_SOLVE_FISTA, i / 2 % BOUNDS, i / 2 / BOUNDS);
    size_t columns = 1 + test_random(state) % most;
    struct dense *d = dense_of(columns + test_random(state) % 4, columns, KN_F32, state);
    size_t row_bytes = d->rows * sizeof(float), column_bytes = columns * sizeof(float);
    kn_operator *a;
    kn_solve_plan *plan = NULL;
    kn_solve_result result, again;
    kn_buffer *right = NULL, *solution = NULL;
    float b[MOST], x[MOST], start[MOST], same[MOST];

    options.iterations = 300;
    round_elements(d);
    a = matrix_operator(d);
    fill_vectors(d, b, start, state);
    memcpy(x, start, sizeof x);
    EXPECT_OK(kn_solve_plan_create(queue, a, &options, &plan, &err));
    kn_operator_free(a); // the plan holds a reference
    EXPECT_OK(kn_profile_start(queue, &err));
    EXPECT_OK(kn_solve_execute(plan, b, x, &result, &err));
    expect_kernel(options.method, result.iterations);
    check_solution(d, &options, b, x, &result, plan);
    EXPECT_OK(kn_buffer_create(context, row_bytes, &right, &err));
    EXPECT_OK(kn_buffer_create(context, column_bytes, &solution, &err));
    EXPECT_OK(kn_buffer_write(queue, right, 0, b, row_bytes, &err));
    EXPECT_OK(kn_buffer_write(queue, solution, 0, start, column_bytes, &err));
    EXPECT_OK(kn_solve_execute_buffers(plan, right, solution, &again, &err));
    EXPECT_OK(kn_buffer_read(queue, solution, 0, same, column_bytes, &err));
    ck_assert_mem_eq(same, x, column_bytes);
    ck_assert(again.iterations == result.iterations && again.stopped == result.stopped &&
              again.residual == result.residual && again.gradient == result.gradient);
    // Without a result, the same x. All iterations are launched, and do nothing once the solution is found.
    // That takes long, so only small systems are solved this way.
    if (options.method == KN_SOLVE_FISTA && most == FEW) {
        EXPECT_OK(kn_buffer_write(queue, solution, 0, start, column_bytes, &err));
        EXPECT_OK(kn_solve_execute_buffers(plan, right, solution, NULL, &err));
        EXPECT_OK(kn_buffer_read(queue, solution, 0, same, column_bytes, &err));
        ck_assert_mem_eq(same, x, column_bytes);
    }
    kn_buffer_free(right);
    kn_buffer_free(solution);
    kn_solve_plan_free(plan);
    free(d);
}

START_TEST(every_active_set)
{
    uint64_t state = test_seed("every_active_set");

    for (size_t i = 0; i < BOUNDS * TERMS * 2; i += test_is_slow() ? 5 : 1)
        solve_and_check(i, FEW, &state);
}
END_TEST

START_TEST(conditions)
{
    uint64_t state = test_seed("conditions");

    for (size_t i = 0; i < BOUNDS * TERMS * 2; i += test_is_slow() ? 5 : 1)
        solve_and_check(i, MOST - 4, &state);
}
END_TEST

static void fill_positive(struct dense *d, uint64_t *state)
{
    for (size_t k = 0; k < d->rows * d->columns; k++)
        d->a[k] =
            test_uniform(state) < 0.5 || k / d->columns == 1 || k % d->columns == 1 ? 0 : test_uniform(state);
    round_elements(d);
}

// Compares x with the formula after 0, 1, 2, ... steps. A has a row and a column of zeros. Iterations may end
// earlier, where a step begins at the least squares solution; the formula, which weights rows, would go on
// from there.
START_TEST(sirt)
{
    uint64_t state = test_seed("sirt");

    for (size_t i = 0; i < BOUNDS; i++) {
        kn_solve_options options = options_of(KN_SOLVE_SIRT, i, 0);
        size_t columns = 2 + test_random(&state) % (MOST - 2), rows = 2 + test_random(&state) % (MOST - 2);
        struct dense *d = dense_of(rows, columns, KN_F32, &state);
        kn_operator *a;
        double wanted[6][MOST];
        float b[MOST], start[MOST], x[MOST];

        fill_positive(d, &state);
        a = matrix_operator(d);
        fill_vectors(d, b, start, &state);
        for (size_t j = 0; j < columns; j++)
            wanted[0][j] = clamp((double)start[j], &options);
        for (size_t k = 0; k < 6; k++) {
            kn_solve_plan *plan = NULL;
            kn_solve_result result;

            if (k > 0) {
                memcpy(wanted[k], wanted[k - 1], sizeof wanted[k]);
                step_sirt(d, &options, b, wanted[k]);
            }
            options.iterations = k;
            EXPECT_OK(kn_solve_plan_create(queue, a, &options, &plan, &err));
            EXPECT_OK(kn_profile_start(queue, &err));
            for (size_t repeat = 0; repeat < 2; repeat++) { // the second time with the sums of the first
                memcpy(x, start, sizeof x);
                EXPECT_OK(kn_solve_execute(plan, b, x, &result, &err));
            }
            expect_kernel(KN_SOLVE_SIRT, k);
            ck_assert(result.iterations == k ||
                      (result.iterations < k && result.stopped == KN_SOLVE_STOPPED_FLOOR));
            for (size_t j = 0; j < columns; j++) {
                ck_assert_double_le(fabs((double)x[j] - wanted[result.iterations][j]), 1e-5);
                ck_assert((double)x[j] >= low_of(&options) && (double)x[j] <= high_of(&options));
            }
            kn_solve_plan_free(plan);
        }
        kn_operator_free(a);
        free(d);
    }
}
END_TEST

// Many more iterations are allowed than are needed; they are launched in recorded blocks.
START_TEST(stops)
{
    uint64_t state = test_seed("stops");

    for (size_t m = 0; m < 3; m++)
        expect_stops(queue, KN_F32, matrix_operator, methods[m], &state);
}
END_TEST

// Iterations end if no step decreases the residual: with an adjoint of the wrong sign, a right-hand side of
// 0, an operator of zeros, and one without rows.
START_TEST(ends_without_a_step)
{
    uint64_t state = test_seed("ends_without_a_step");

    for (unsigned kind = 0; kind < STEPLESS; kind++)
        for (size_t m = 0; m < (kind == TURNED_BACK ? 1 : 3); m++) {
            size_t calls,
                iterations = end_without_step(queue, KN_F32, copying_operator, kind,
                                              kind == TURNED_BACK ? KN_SOLVE_BB : methods[m], &calls, &state);

            ck_assert_uint_le(iterations, kind == TURNED_BACK);
            ck_assert_uint_lt(calls, 100); // not all iterations are launched
        }
}
END_TEST

// Solves from `x` with an operator that copies through the host; returns the status of the solution.
static kn_status solve(struct dense *d, const kn_solve_options *options, const float *b, float *x,
                       kn_solve_result *result)
{
    kn_operator *a = copying_operator(d);
    kn_solve_plan *plan = NULL;
    kn_status status;

    EXPECT_OK(kn_solve_plan_create(queue, a, options, &plan, &err));
    kn_operator_free(a);
    status = kn_solve_execute(plan, b, x, result, &err);
    kn_solve_plan_free(plan);
    return status;
}

// If A and b are multiplied by a power of two, the solution is the same, bit for bit: no norm leaves the
// range of single precision.
START_TEST(scales)
{
    uint64_t state = test_seed("scales");

    for (size_t m = 0; m < 2; m++) {
        kn_solve_options options = options_of(methods[m], 1, 0);
        struct dense *d = dense_of(12, 10, KN_F32, &state);
        float b[MOST], start[MOST], x[3][MOST];
        kn_solve_result result;

        options.iterations = 20;
        round_elements(d);
        fill_vectors(d, b, start, &state);
        for (size_t scale = 0; scale < 3; scale++) {
            static const double factors[] = {1, 0x1p-40, 0x1p80}; // each relative to the scale before
            scale_elements(d, factors[scale]);
            for (size_t i = 0; i < d->rows; i++)
                b[i] *= (float)factors[scale];
            memcpy(x[scale], start, sizeof start);
            EXPECT_OK(solve(d, &options, b, x[scale], &result));
        }
        ck_assert_mem_eq(x[1], x[0], d->columns * sizeof(float));
        ck_assert_mem_eq(x[2], x[0], d->columns * sizeof(float));
        scale_elements(d, 0x1p30);
        memset(b, 0, sizeof b);
        memset(x[0], 0, sizeof x[0]);
        if (methods[m] == KN_SOLVE_FISTA)
            EXPECT_REFUSED(KN_ERROR_LIMIT, "divide the operator by it", solve(d, &options, b, x[0], &result));
        free(d);
    }
}
END_TEST

// A gradient of 2^-40 at x = 2^20 is not taken for 0: the solution is 2^20 - 1.
START_TEST(small_gradients)
{
    for (size_t m = 0; m < 2; m++)
        for (size_t bounded = 0; bounded < 2; bounded++) {
            uint64_t state = 1;
            kn_solve_options options = options_of(methods[m], 0, 0);
            struct dense *d = dense_of(6, 6, KN_F32, &state);
            float b[MOST], x[MOST];
            kn_solve_result result;

            options.iterations = 20;
            options.low = bounded ? 0 : -INFINITY;
            options.high = INFINITY;
            for (size_t k = 0; k < 36; k++)
                d->a[k] = k % 7 == 0 ? 0x1p-20 : 0;
            for (size_t i = 0; i < 6; i++) {
                x[i] = 0x1p20f;
                b[i] = 1 - 0x1p-20f;
            }
            EXPECT_OK(solve(d, &options, b, x, &result));
            for (size_t i = 0; i < 6; i++)
                ck_assert_float_eq_tol(x[i], 0x1p20f - 1, 0.25f);
            free(d);
        }
}
END_TEST

static bool stop_at_2(void *data, size_t iteration)
{
    ++*(size_t *)data;
    return iteration < 2;
}

// x is unchanged if the operator fails, the caller stops, A has negative elements, numbers overflow, or b or
// x is not finite.
START_TEST(fails)
{
    uint64_t state = test_seed("fails");

    for (size_t m = 0; m < 3; m++) {
        size_t begun = 0;
        struct dense *d = dense_of(30, 30, KN_F32, &state);
        kn_solve_options options = options_of(methods[m], 0, 0);
        kn_operator *a = copying_operator(d);
        kn_solve_plan *plan = NULL;
        kn_solve_result result = {.iterations = 77};
        float b[MOST], x[MOST], kept[MOST];

        for (size_t k = 0; k < MOST * MOST; k++)
            d->a[k] = fabs(d->a[k]);
        fill_vectors(d, b, x, &state);
        b[0] = 5;
        memcpy(kept, x, sizeof kept);
        options.progress = stop_at_2;
        options.progress_data = &begun;
        EXPECT_OK(kn_solve_plan_create(queue, a, &options, &plan, &err));
        if (methods[m] == KN_SOLVE_SIRT) {
            d->a[4 * 30 + 2] = -20;
            EXPECT_REFUSED(KN_ERROR_ARGUMENT, "sum of row 4 is -",
                           kn_solve_execute(plan, b, x, &result, &err));
            d->a[4 * 30 + 2] = 1;
        }
        EXPECT_REFUSED(KN_ERROR_INTERRUPTED, "before iteration 2",
                       kn_solve_execute(plan, b, x, &result, &err));
        ck_assert_uint_eq(begun, 3);
        d->fails = KN_ERROR_DEVICE;
        EXPECT_REFUSED(KN_ERROR_DEVICE, "own reason", kn_solve_execute(plan, b, x, &result, &err));
        d->fails = KN_OK;
        kn_solve_plan_free(plan);
        plan = NULL;
        options.progress = NULL;
        EXPECT_OK(kn_solve_plan_create(queue, a, &options, &plan, &err));
        for (size_t k = 0; k < d->rows; k++)
            b[k] = 3e38f;
        EXPECT_REFUSED(KN_ERROR_ARGUMENT, "beyond single", kn_solve_execute(plan, b, x, &result, &err));
        b[3] = NAN;
        EXPECT_REFUSED(KN_ERROR_ARGUMENT, "the right-hand side is not finite everywhere",
                       kn_solve_execute(plan, b, x, &result, &err));
        fill_vectors(d, b, x, &state);
        memcpy(kept, x, sizeof kept);
        x[5] = kept[5] = INFINITY; // which is within the bounds
        EXPECT_REFUSED(KN_ERROR_ARGUMENT, "the start is not finite everywhere",
                       kn_solve_execute(plan, b, x, &result, &err));
        ck_assert_mem_eq(x, kept, sizeof kept);
        ck_assert_uint_eq(result.iterations, 77);
        kn_solve_plan_free(plan);
        kn_operator_free(a);
        free(d);
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {every_active_set, conditions,      sirt, stops, ends_without_a_step,
                                  scales,           small_gradients, fails};

    return test_run("solve bounded, on a device", tests, sizeof tests / sizeof *tests, test_open, test_close);
}
