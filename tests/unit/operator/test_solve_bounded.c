// SPDX-License-Identifier: Apache-2.0
// Solutions within bounds (koine/solve.h) of dense random operators on the host, checked in double precision:
// against the best of all active sets, by the conditions of Karush, Kuhn and Tucker, and against the formula
// of simultaneous reconstruction; why iterations end; and what is refused.
#include "app/mri/mri.h"
#include "support/compare.h"
#include "support/expect.h"
#include "support/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <koine/koine.h>

#include "bounded_support.h"

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
        double sum = 0;

        for (size_t j = 0; j < in; j++)
            sum += element(d, adjoint, i, j) * get(d->type, from, j);
        put(d->type, to, i, adjoint && d->turns_back ? -sum : sum);
    }
    return KN_OK;
}

static kn_operator *operator_of(struct dense *d)
{
    const kn_operator_functions functions =
        KN_INIT(kn_operator_functions, .rows = d->rows, .columns = d->columns, .type = d->type,
                .apply_host = apply, .data = d);
    kn_operator *a = NULL;

    EXPECT_OK(kn_operator_create(NULL, &functions, &a, &err));
    return a;
}

static void check_solution(const struct dense *d, const kn_solve_options *options, const double *b,
                           const double *x, const kn_solve_result *result, const kn_solve_plan *plan)
{
    static double h[MOST * MOST], right[MOST], found[MOST], wanted[FEW];
    size_t n = d->columns, count;
    const double *gradients = kn_solve_plan_get_gradients(plan, &count);
    double tolerance = tolerance_of(d->type, gradients[0]), off, length = 0;

    take_normal(d, options, b, h, right);
    for (size_t i = 0; i < n; i++) {
        found[i] = get(d->type, x, i);
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
    for (size_t i = 0; i < d->rows; i++)
        length += get(d->type, b, i) * get(d->type, b, i);
    ck_assert_double_eq_tol(result->right, sqrt(length), 1e-13 * sqrt(length));
    ck_assert_double_eq_tol(result->residual, residual_of(d, b, x), tolerance);
    ck_assert_uint_eq(count, result->iterations + 1);
    ck_assert(gradients[count - 1] == result->gradient && gradients[0] >= result->gradient);
    if (d->type == KN_F64)
        ck_assert_int_eq((int)result->stopped, KN_SOLVE_STOPPED_FLOOR);
}

// The bounds are representable as floats, so that rounding to KN_F32 does not change them.
static void solve_and_check(size_t most, const char *name)
{
    uint64_t state = test_seed(name);

    for (size_t i = 0; i < BOUNDS * TERMS * 4; i++) {
        kn_type type = i % 2 ? KN_F64 : KN_F32;
        kn_solve_options options =
            options_of(i / 2 % 2 ? KN_SOLVE_BB : KN_SOLVE_FISTA, i / 4 % BOUNDS, i / 4 / BOUNDS);
        size_t columns = 1 + test_random(&state) % most;
        struct dense *d = dense_of(columns + test_random(&state) % 4, columns, type, &state);
        kn_operator *a = operator_of(d);
        kn_solve_plan *plan = NULL;
        kn_solve_result result;
        double b[MOST], x[MOST], start[MOST], again[MOST];

        fill_vectors(d, b, start, &state);
        memcpy(x, start, sizeof x);
        memcpy(again, start, sizeof x);
        EXPECT_OK(kn_solve_plan_create(NULL, a, &options, &plan, &err));
        kn_operator_free(a); // the plan holds a reference
        EXPECT_OK(kn_solve_execute(plan, b, x, &result, &err));
        check_solution(d, &options, b, x, &result, plan);
        EXPECT_OK(kn_solve_execute(plan, b, again, &result, &err));
        ck_assert_mem_eq(again, x, columns * kn_type_size(type));
        kn_solve_plan_free(plan);
        free(d);
    }
}

START_TEST(every_active_set)
{
    solve_and_check(FEW, "every_active_set");
}
END_TEST

START_TEST(conditions)
{
    solve_and_check(MOST - 4, "conditions");
}
END_TEST

// ---- sirt ----

// Compares x with the formula after 0, 1, 2, ... steps. A has a row and a column of zeros. Iterations may end
// earlier, where a step begins at the least squares solution; the formula, which weights rows, would go on
// from there.
START_TEST(sirt)
{
    uint64_t state = test_seed("sirt");

    for (size_t i = 0; i < 2 * BOUNDS; i++) {
        kn_type type = i % 2 ? KN_F64 : KN_F32;
        kn_solve_options options = options_of(KN_SOLVE_SIRT, i / 2, 0);
        size_t columns = 2 + test_random(&state) % (MOST - 2), rows = 2 + test_random(&state) % (MOST - 2);
        struct dense *d = dense_of(rows, columns, type, &state);
        kn_operator *a;
        double b[MOST], start[MOST], wanted[8][MOST], x[MOST];

        for (size_t k = 0; k < rows * columns; k++)
            d->a[k] =
                test_uniform(&state) < 0.5 || k / columns == 1 || k % columns == 1 ? 0 : test_uniform(&state);
        a = operator_of(d);
        fill_vectors(d, b, start, &state);
        for (size_t j = 0; j < columns; j++)
            wanted[0][j] = clamp(get(type, start, j), &options);
        for (size_t k = 0; k < 8; k++) {
            kn_solve_plan *plan = NULL;
            kn_solve_result result;

            if (k > 0) {
                memcpy(wanted[k], wanted[k - 1], sizeof wanted[k]);
                step_sirt(d, &options, b, wanted[k]);
            }
            options.iterations = k;
            memcpy(x, start, sizeof x);
            EXPECT_OK(kn_solve_plan_create(NULL, a, &options, &plan, &err));
            EXPECT_OK(kn_solve_execute(plan, b, x, &result, &err));
            ck_assert(result.iterations == k ||
                      (result.iterations < k && result.stopped == KN_SOLVE_STOPPED_FLOOR));
            for (size_t j = 0; j < columns; j++) {
                ck_assert_double_le(fabs(get(type, x, j) - wanted[result.iterations][j]),
                                    type == KN_F32 ? 1e-5 : 1e-13);
                ck_assert(get(type, x, j) >= low_of(&options) && get(type, x, j) <= high_of(&options));
            }
            kn_solve_plan_free(plan);
        }
        kn_operator_free(a);
        free(d);
    }
}
END_TEST

// The operator is refused if the sum of a row or of a column is negative, or that of some elements of a row,
// although the sum of the whole row is positive.
START_TEST(sirt_refuses)
{
    uint64_t state = test_seed("sirt_refuses");
    const kn_solve_options options = KN_INIT(kn_solve_options, .method = KN_SOLVE_SIRT, .iterations = 3);
    static const char *const words[] = {"sum of row 4 is -", "sum of column 3 is -",
                                        "sum of some elements of row 4 is "};

    for (size_t kind = 0; kind < 6; kind++) {
        struct dense *d = dense_of(6, 7, kind % 2 ? KN_F64 : KN_F32, &state);
        kn_operator *a;
        kn_solve_plan *plan = NULL;
        kn_solve_result result;
        double b[MOST], x[MOST], kept[MOST];

        for (size_t k = 0; k < d->rows * d->columns; k++)
            d->a[k] = 0.5 + test_uniform(&state);
        if (kind / 2 == 0)
            d->a[4 * 7 + 2] = -20;
        if (kind / 2 == 1) {
            d->a[4 * 7 + 3] = -20;
            d->a[4 * 7 + 5] = 40;
        }
        for (size_t j = 0; j < 7 && kind / 2 == 2; j++)
            d->a[4 * 7 + j] = j % 2 ? -1 : 1; // the sum of the row is 1
        a = operator_of(d);
        fill_vectors(d, b, x, &state);
        memcpy(kept, x, sizeof x);
        EXPECT_OK(kn_solve_plan_create(NULL, a, &options, &plan, &err));
        EXPECT_REFUSED(KN_ERROR_ARGUMENT, words[kind / 2], kn_solve_execute(plan, b, x, &result, &err));
        ck_assert_mem_eq(x, kept, sizeof x);
        kn_solve_plan_free(plan);
        kn_operator_free(a);
        free(d);
    }
}
END_TEST

// ---- why iterations end ----

START_TEST(stops)
{
    uint64_t state = test_seed("stops");

    for (size_t m = 0; m < 3; m++)
        expect_stops(NULL, KN_F64, operator_of, methods[m], &state);
}
END_TEST

// If no step decreases the residual, iterations end with a reason instead of idling until the last: with an
// adjoint of the wrong sign, a right-hand side of 0, an operator of zeros, and one without rows.
START_TEST(ends_without_a_step)
{
    uint64_t state = test_seed("ends_without_a_step");
    size_t calls;

    for (unsigned kind = 0; kind < STEPLESS; kind++)
        for (size_t m = 0; m < (kind == TURNED_BACK ? 1 : 3); m++)
            ck_assert_uint_eq(end_without_step(NULL, m % 2 ? KN_F32 : KN_F64, operator_of, kind,
                                               kind == TURNED_BACK ? KN_SOLVE_BB : methods[m], &calls,
                                               &state),
                              kind == TURNED_BACK);
}
END_TEST

// If A and b are multiplied by a power of two, the solution is the same, bit for bit: no norm leaves the
// range of single precision, and where iterations end does not depend on units.
START_TEST(scales)
{
    uint64_t state = test_seed("scales");

    for (size_t m = 0; m < 4; m++) {
        kn_type type = m / 2 ? KN_F64 : KN_F32;
        kn_solve_options options = options_of(methods[m % 2], 1, 0);
        struct dense *d = dense_of(12, 10, type, &state);
        kn_operator *a = operator_of(d);
        double b[MOST], x[3][MOST];
        kn_solve_plan *plan = NULL;
        kn_solve_result result;

        fill_vectors(d, b, x[0], &state);
        memcpy(x[1], x[0], sizeof x[0]);
        memcpy(x[2], x[0], sizeof x[0]);
        for (size_t scale = 0; scale < 3; scale++) {
            static const double factors[] = {1, 0x1p-40, 0x1p80}; // each relative to the scale before

            scale_elements(d, factors[scale]);
            for (size_t i = 0; i < d->rows; i++)
                put(type, b, i, factors[scale] * get(type, b, i));
            EXPECT_OK(kn_solve_plan_create(NULL, a, &options, &plan, &err));
            EXPECT_OK(kn_solve_execute(plan, b, x[scale], &result, &err));
            ck_assert_int_eq((int)result.stopped, KN_SOLVE_STOPPED_FLOOR);
            ck_assert_mem_eq(x[scale], x[0], d->columns * kn_type_size(type));
            kn_solve_plan_free(plan);
        }
        kn_operator_free(a);
        free(d);
    }
}
END_TEST

// The solution is half a unit in the last place away from x = 1, so that rounding undoes the step.
START_TEST(ends_where_x_stays)
{
    uint64_t state = test_seed("ends_where_x_stays");
    struct dense *d = dense_of(2, 1, KN_F64, &state);
    const double b[] = {1, 1 + 0x1p-52};
    kn_operator *a = operator_of(d);

    d->a[0] = d->a[1] = 1;
    for (size_t m = 0; m < 3; m++) {
        kn_solve_options options = options_of(methods[m], m, 0);
        kn_solve_plan *plan = NULL;
        kn_solve_result result;
        double x = 1;

        options.low = m ? -1 : 0;
        options.high = 2;
        EXPECT_OK(kn_solve_plan_create(NULL, a, &options, &plan, &err));
        EXPECT_OK(kn_solve_execute(plan, b, &x, &result, &err));
        ck_assert_int_eq((int)result.stopped, KN_SOLVE_STOPPED_FLOOR);
        ck_assert_uint_eq(result.iterations, methods[m] == KN_SOLVE_BB);
        ck_assert(x == 1 && result.gradient == 0x1p-52);
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

// x is unchanged if the operator fails, the caller stops, numbers overflow, or b has a NaN.
START_TEST(fails)
{
    uint64_t state = test_seed("fails");

    for (size_t i = 0; i < 6; i++) {
        size_t begun = 0;
        kn_type type = i % 2 ? KN_F64 : KN_F32;
        struct dense *d = dense_of(30, 30, type, &state);
        kn_solve_options options = options_of(methods[i / 2], 0, 0);
        double b[MOST], x[MOST], kept[MOST], huge = type == KN_F32 ? 3e38 : 1e308;
        kn_solve_plan *plan = NULL;
        kn_solve_result result = {.iterations = 77};
        kn_operator *a;

        for (size_t k = 0; k < MOST * MOST; k++)
            d->a[k] = fabs(d->a[k]);
        a = operator_of(d);
        fill_vectors(d, b, x, &state);
        put(type, b, 0, 5);
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
        for (size_t k = 0; k < d->rows; k++)
            put(type, b, k, huge);
        EXPECT_REFUSED(KN_ERROR_ARGUMENT, type == KN_F32 ? "beyond single" : "beyond double",
                       kn_solve_execute(plan, b, x, &result, &err));
        put(type, b, 3, NAN);
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

// With KN_F32, bounds that are not floats are rounded inwards.
START_TEST(bounds_of_floats)
{
    uint64_t state = test_seed("bounds_of_floats");
    struct dense *d = dense_of(12, 9, KN_F32, &state);
    kn_operator *a = operator_of(d);
    kn_solve_options options = options_of(KN_SOLVE_FISTA, 0, 0);
    kn_solve_plan *plan = NULL;
    kn_solve_result result;
    float b[MOST], x[MOST];

    options.low = nextafter((double)0.1f, 1);
    options.high = nextafter((double)0.2f, 0);
    for (size_t m = 0; m < 3; m++) {
        for (size_t k = 0; k < MOST * MOST; k++)
            d->a[k] = fabs(d->a[k]);
        fill_vectors(d, b, x, &state);
        options.method = methods[m];
        EXPECT_OK(kn_solve_plan_create(NULL, a, &options, &plan, &err));
        EXPECT_OK(kn_solve_execute(plan, b, x, &result, &err));
        for (size_t i = 0; i < d->columns; i++)
            ck_assert((double)x[i] >= options.low && (double)x[i] <= options.high);
        kn_solve_plan_free(plan);
    }
    options.low = options.high = 0.1; // which is not a float
    plan = NULL;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "no number of the type float within",
                   kn_solve_plan_create(NULL, a, &options, &plan, &err));
    ck_assert_ptr_null(plan);
    kn_operator_free(a);
    free(d);
}
END_TEST

static kn_status never(void *data, bool adjoint, const void *from, void *to, kn_error *why)
{
    (void)data;
    (void)adjoint;
    (void)from;
    (void)to;
    why->code = KN_ERROR_DEVICE;
    return KN_ERROR_DEVICE;
}

START_TEST(refused)
{
    uint64_t state = test_seed("refused");
    struct dense *d = dense_of(5, 4, KN_F64, &state);
    kn_solve_plan *plan = NULL;
    kn_operator *real = operator_of(d), *of_complex = NULL;
    const struct {
        kn_solve_options options;
        kn_status status;
        const char *words;
        bool is_complex;
    } tried[] = {
        {KN_INIT(kn_solve_options, .method = (kn_solve_method)9), KN_ERROR_ARGUMENT, "no method 9", false},
        {KN_INIT(kn_solve_options, .bounded = true, .high = 1), KN_ERROR_UNSUPPORTED,
         "held by the methods fista, bb, sirt and tv", false},
        {KN_INIT(kn_solve_options, .method = KN_SOLVE_BB, .high = 1), KN_ERROR_ARGUMENT,
         "bounds from 0 to 1, but `bounded` is false", false},
        {KN_INIT(kn_solve_options, .method = KN_SOLVE_BB, .bounded = true, .low = 2, .high = 1),
         KN_ERROR_ARGUMENT, "bounds from 2 to 1; expected the lower one first", false},
        {KN_INIT(kn_solve_options, .method = KN_SOLVE_BB, .bounded = true, .low = 2, .high = NAN),
         KN_ERROR_ARGUMENT, "bounds from 2 to nan", false},
        {KN_INIT(kn_solve_options, .method = KN_SOLVE_BB, .bounded = true, .low = INFINITY, .high = INFINITY),
         KN_ERROR_ARGUMENT, "no number of the type double", false},
        {KN_INIT(kn_solve_options, .method = KN_SOLVE_FISTA, .whiteness = true), KN_ERROR_UNSUPPORTED,
         "no whiteness", false},
        {KN_INIT(kn_solve_options, .method = KN_SOLVE_FISTA, .threads = 2), KN_ERROR_UNSUPPORTED,
         "have one thread", false},
        {KN_INIT(kn_solve_options, .method = KN_SOLVE_SIRT, .lambda = 1), KN_ERROR_UNSUPPORTED,
         "neither lambda nor smooth", false},
        {KN_INIT(kn_solve_options, .method = KN_SOLVE_SIRT, .smooth = 1, .order = 1), KN_ERROR_UNSUPPORTED,
         "neither lambda nor smooth", false},
        {KN_INIT(kn_solve_options, .method = KN_SOLVE_BB), KN_ERROR_UNSUPPORTED, "operators of real numbers",
         true},
    };

    EXPECT_OK(kn_operator_create(NULL,
                                 &KN_INIT(kn_operator_functions, .rows = 3, .columns = 2, .type = KN_F64,
                                          .is_complex = true, .apply_host = never),
                                 &of_complex, &err));
    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++)
        EXPECT_REFUSED(tried[i].status, tried[i].words,
                       kn_solve_plan_create(NULL, tried[i].is_complex ? of_complex : real, &tried[i].options,
                                            &plan, &err));
    ck_assert_ptr_null(plan);
    ck_assert_uint_eq(d->calls, 0);
    ck_assert_str_eq(kn_solve_method_name(KN_SOLVE_SIRT), "sirt");
    ck_assert_ptr_null(kn_solve_method_name((kn_solve_method)9));
    kn_operator_free(real);
    kn_operator_free(of_complex);
    free(d);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        every_active_set,    conditions,         sirt,  sirt_refuses,     stops,  scales,
        ends_without_a_step, ends_where_x_stays, fails, bounds_of_floats, refused};

    return TEST_RUN("solve bounded", CK_FORK, tests);
}
