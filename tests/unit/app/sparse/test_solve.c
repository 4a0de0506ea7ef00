// SPDX-License-Identifier: Apache-2.0
// Least squares on a device as `koine solve` has them: against the host's in double precision; penalties for
// bounds, the discrepancy of each column, rays on the fly, what is refused.
#include "sparse_support.h"
#include "support/sparse_inputs.h"

#include "unit/app/autocorr/spectrum_support.h"

#include "app/sparse/solver/solve.h"

enum { ROWS = 90, COLUMNS = 40, COUNT = 2 };

static const char *const names[] = {"A.mtx", "b.mtx", "x0.mtx"};

// A well posed system, every column of which has a strong nonzero of its own.
static struct sparse_matrix make(double b[COUNT * ROWS], uint64_t *state)
{
    uint32_t row[4 * ROWS + COLUMNS], column[4 * ROWS + COLUMNS];
    double values[4 * ROWS + COLUMNS];
    struct sparse_entries entries = {ROWS, COLUMNS, 4 * ROWS + COLUMNS, row, column, values};
    struct sparse_matrix matrix;

    for (size_t k = 0; k < entries.count; k++) {
        row[k] = (uint32_t)(k < COLUMNS ? 2 * k : test_random(state) % ROWS);
        column[k] = (uint32_t)(k < COLUMNS ? k : test_random(state) % COLUMNS);
        values[k] = k < COLUMNS ? 3 : 0.5 * (double)test_signed(state);
    }
    for (size_t i = 0; i < COUNT * ROWS; i++)
        b[i] = (double)test_signed(state) * (i < ROWS ? 1 : 10);
    EXPECT_OK(ki_sparse_from_entries(&entries, &matrix, &err));
    return matrix;
}

static struct sparse_answer solve(kn_queue *where, const struct sparse_matrix *matrix, double *b,
                                  const struct sparse_task *task)
{
    const struct sparse_columns right = {ROWS, COUNT, b};
    struct sparse_task own = *task;
    struct sparse_answer answer;

    own.is_double = !where && task->is_double; // on devices single precision
    EXPECT_OK(ki_sparse_solve(where, matrix, &right, NULL, names, &own, NULL, &answer, &err));
    ck_assert_double_le(answer.adjoint, answer.adjoint_bound);
    return answer;
}

static void expect_near(const struct sparse_answer *found, const struct sparse_answer *wanted, double off,
                        double residual_off, const char *stopped_by)
{
    for (size_t c = 0; c < COUNT; c++) {
        ck_assert_double_lt(
            test_relative_distance(found->x.values + c * COLUMNS, wanted->x.values + c * COLUMNS, COLUMNS),
            off);
        ck_assert_double_eq_tol(found->solutions[c].residual, wanted->solutions[c].residual, residual_off);
        ck_assert_str_eq(found->solutions[c].stopped_by, stopped_by);
    }
}

// The bound of test_solver.c's `dense`: a rounding of each iteration and each term, times a condition of A^T
// A below 20. A penalty of 3 is as much as the strong nonzeros have, and leaves it there.
START_TEST(against_the_host)
{
    static const struct sparse_task tried[] = {
        {.method = SPARSE_METHOD_CGNR, .lambda = 0.5, .smooth = 0.3, .order = 2},
        {.method = SPARSE_METHOD_PRINTED, .bounded = true, .low = -0.1, .high = 0.2, .weight = 3},
        {.method = SPARSE_METHOD_CGNR, .bounded = true, .low = 0, .high = INFINITY, .weight = 3},
    };
    uint64_t state = test_seed("against_the_host");
    double b[COUNT * ROWS];
    struct sparse_matrix matrix = make(b, &state);

    for (size_t t = 0; t < (test_is_slow() ? 1 : sizeof tried / sizeof *tried); t++) {
        struct sparse_task task = tried[t];
        struct sparse_answer found, wanted;
        bool printed = task.method == SPARSE_METHOD_PRINTED;

        task.iterations = 200;
        wanted = solve(NULL, &matrix, b,
                       &(struct sparse_task){.method = task.method,
                                             .iterations = 2000,
                                             .lambda = task.lambda,
                                             .smooth = task.smooth,
                                             .order = task.order,
                                             .bounded = task.bounded,
                                             .low = task.low,
                                             .high = task.high,
                                             .weight = task.weight,
                                             .is_double = true});
        task.format = KN_SPARSE_SIMPLE;
        found = solve(queue, &matrix, b, &task);
        for (size_t c = 0; c < COUNT; c++) {
            const struct sparse_solution *solution = &found.solutions[c];
            double off =
                test_relative_distance(found.x.values + c * COLUMNS, wanted.x.values + c * COLUMNS, COLUMNS);

            ck_assert_msg(off < 2e-4, "task %zu, column %zu: off by %g after %zu iterations, by %s", t, c,
                          off, solution->iterations, solution->stopped_by);
            ck_assert_double_eq_tol(solution->residual, wanted.solutions[c].residual, 1e-4);
            ck_assert_double_le(solution->normal_residual, 1e-4);
        }
        ck_assert_msg(strstr(found.code, "A as simple, A^T as simple, separate") != NULL, "%s", found.code);
        ck_assert_msg((strstr(found.code, "A and A^T twice") != NULL) == printed, "%s", found.code);
        ck_assert_uint_eq(found.launches_per_iteration, printed ? 9 : 5);
        ck_assert_uint_eq(found.solutions->iterations == task.iterations, printed); // it does all of them
        ck_assert(found.history_is_normal && !wanted.history_is_normal);
        ki_sparse_answer_free(&found);
        ki_sparse_answer_free(&wanted);
    }
    ki_sparse_free(&matrix);
}
END_TEST

// Columns that nothing keeps from it are solved at once, each to what it is alone.
START_TEST(many)
{
    uint64_t state = test_seed("many");
    double b[COUNT * ROWS];
    struct sparse_matrix matrix = make(b, &state);
    struct sparse_task task = {.method = SPARSE_METHOD_CGNR, .iterations = 200, .lambda = 0.5};
    struct sparse_answer found = solve(queue, &matrix, b, &task), wanted;

    task.is_double = true;
    task.iterations = 2000;
    wanted = solve(NULL, &matrix, b, &task);
    ck_assert_msg(strstr(found.code, "side by side") != NULL, "%s", found.code);
    expect_near(&found, &wanted, 2e-4, 1e-4, "floor");
    ki_sparse_answer_free(&found);
    ki_sparse_answer_free(&wanted);
    ki_sparse_free(&matrix);
}
END_TEST

// On the device A^T b and the product with G^-1, in single precision: each is off by some roundings of 2^-24,
// times the condition of G, below 20.
START_TEST(gram)
{
    const struct sparse_task task = {
        .method = SPARSE_METHOD_GRAM, .lambda = 0.5, .smooth = 0.3, .order = 2, .is_double = true};
    uint64_t state = test_seed("gram");
    double b[COUNT * ROWS];
    struct sparse_matrix matrix = make(b, &state);
    struct sparse_answer found, wanted = solve(NULL, &matrix, b, &task);
    kn_profile_entry *entries = NULL;
    size_t count = 0, products = 0;

    EXPECT_OK(kn_profile_start(queue, &err));
    found = solve(queue, &matrix, b, &task);
    EXPECT_OK(kn_profile_stop(queue, &entries, &count, &err));
    for (size_t i = 0; i < count; i++)
        products += strncmp(entries[i].kernel, "gemm", 4) == 0;
    kn_free(entries);
    ck_assert_uint_ge(products, 1);
    ck_assert_msg(strstr(found.code, "A^T b and G^-1") != NULL, "%s", found.code);
    expect_near(&found, &wanted, 1e-5, 1e-5, "direct");
    ki_sparse_answer_free(&found);
    ki_sparse_answer_free(&wanted);
    ki_sparse_free(&matrix);
}
END_TEST

// The noise is a number in units of b, of which one column has ten times as much.
START_TEST(discrepancy)
{
    uint64_t state = test_seed("discrepancy");
    double b[COUNT * ROWS];
    struct sparse_matrix matrix = make(b, &state);
    const struct sparse_task plain = {.iterations = 1000, .is_double = true};
    struct sparse_answer least = solve(NULL, &matrix, b, &plain);
    double norm = 0, noise;

    for (size_t i = 0; i < ROWS; i++)
        norm += b[i] * b[i];
    noise = 1.05 * least.solutions[0].residual * sqrt(norm);
    const struct sparse_task task = {.iterations = 200, .noise = noise, .format = KN_SPARSE_SIMPLE};
    struct sparse_answer found = solve(queue, &matrix, b, &task);
    ck_assert_str_eq(found.solutions[0].stopped_by, "discrepancy");
    ck_assert_str_eq(found.solutions[1].stopped_by, "floor"); // cannot be reached
    ck_assert(found.solutions[0].reached && !found.solutions[1].reached && !ki_sparse_all_reached(&found));
    ck_assert_double_le(found.solutions[0].residual * sqrt(norm), noise * (1 + 1e-4));
    ck_assert_ptr_eq(ki_sparse_worst(&found),
                     &found.solutions[found.solutions[1].residual > found.solutions[0].residual]);
    ki_sparse_answer_free(&found);
    // By whiteness neither column is at once with the other, and b of noise alone is as white as it gets.
    found =
        solve(queue, &matrix, b,
              &(struct sparse_task){.iterations = 200, .stop = SPARSE_STOP_NCP, .format = KN_SPARSE_SIMPLE});
    ck_assert_msg(strstr(found.code, "A as simple, A^T as simple, separate") != NULL, "%s", found.code);
    ck_assert_uint_eq(found.launches_per_iteration, 10);
    for (size_t c = 0; c < COUNT; c++)
        ck_assert_msg(strcmp(found.solutions[c].stopped_by, "ncp") == 0 ||
                          strcmp(found.solutions[c].stopped_by, "floor") == 0,
                      "column %zu stopped by %s", c, found.solutions[c].stopped_by);
    ki_sparse_answer_free(&found);
    ki_sparse_answer_free(&least);
    ki_sparse_free(&matrix);
}
END_TEST

// Rays on the fly, without a matrix. |A|^2 is at most the greatest sum of a row times that of a column, 7
// sqrt 2 and 5 sqrt 2: with lambda 7 the condition of A^T A is 11, and what is allowed is that of
// `against_the_host`.
START_TEST(rays)
{
    static const struct sparse_task tried[] = {{.format = KN_SPARSE_ON_THE_FLY},
                                               {.format = KN_SPARSE_ON_THE_FLY_LOCAL}};
    uint64_t state = test_seed("rays");
    struct sparse_parallel geometry;
    double b[45];
    const struct sparse_columns right = {45, 1, b};

    EXPECT_OK(sparse_parse("parallel:5,9,7,3.3", &geometry, &err));
    for (size_t i = 0; i < 45; i++)
        b[i] = (double)test_signed(&state);
    for (size_t t = 0; t < (test_is_slow() ? 1 : sizeof tried / sizeof *tried); t++) {
        struct sparse_task task = {.iterations = 100, .lambda = 7, .geometry = &geometry, .is_double = true};
        struct sparse_answer found, wanted;

        EXPECT_OK(ki_sparse_solve(NULL, NULL, &right, NULL, names, &task, NULL, &wanted, &err));
        task.format = tried[t].format;
        task.is_double = false;
        EXPECT_OK(ki_sparse_solve(queue, NULL, &right, NULL, names, &task, NULL, &found, &err));
        ck_assert_double_lt(test_relative_distance(found.x.values, wanted.x.values, 49), 2e-4);
        ck_assert_double_eq_tol(found.solutions->residual, wanted.solutions->residual, 1e-4);
        ck_assert_double_le(found.adjoint, found.adjoint_bound);
        ck_assert_double_lt(found.adjoint, 1e-6);
        ck_assert_msg(strstr(found.code, ki_sparse_format_names[task.format]) != NULL, "%s", found.code);
        ck_assert(strstr(found.code, "local") == NULL || t == 1);
        ki_sparse_answer_free(&found);
        ki_sparse_answer_free(&wanted);
    }
    ki_sparse_parallel_free(&geometry);
}
END_TEST

// Singular values from 1 to `least`, evenly, between random rotations.
static struct sparse_matrix make_spectrum(double least, uint64_t *state)
{
    static double values[ROWS * COLUMNS];
    static uint32_t row[ROWS * COLUMNS], column[ROWS * COLUMNS];
    const struct sparse_entries entries = {ROWS, COLUMNS, ROWS * COLUMNS, row, column, values};
    struct sparse_matrix matrix;

    memset(values, 0, sizeof values);
    for (size_t j = 0; j < COLUMNS; j++)
        values[j * COLUMNS + j] = 1 - (1 - least) * (double)j / (COLUMNS - 1);
    spectrum_rotate(values, ROWS, COLUMNS, state);
    for (size_t i = 0; i < ROWS * COLUMNS; i++) {
        row[i] = (uint32_t)(i / COLUMNS);
        column[i] = (uint32_t)(i % COLUMNS);
    }
    EXPECT_OK(ki_sparse_from_entries(&entries, &matrix, &err));
    return matrix;
}

// By every method and format.
static void expect_estimates(const struct sparse_matrix *matrix, double *b, bool reached)
{
    static const struct {
        enum sparse_method method;
        kn_sparse_format format; // KN_SPARSE_AUTO: many at once
    } methods[] = {{SPARSE_METHOD_CGNR, KN_SPARSE_SIMPLE},
                   {SPARSE_METHOD_CGNR, KN_SPARSE_AUTO},
                   {SPARSE_METHOD_PRINTED, KN_SPARSE_SIMPLE},
                   {SPARSE_METHOD_GRAM, KN_SPARSE_AUTO}};
    struct sparse_answer wanted =
        solve(NULL, matrix, b, &(struct sparse_task){.method = SPARSE_METHOD_GRAM, .is_double = true});
    size_t warned = 0;

    for (size_t w = 0; w < (test_is_slow() ? 2 : sizeof methods / sizeof *methods); w++) {
        const struct sparse_task task = {
            .method = methods[w].method, .format = methods[w].format, .iterations = reached ? 200 : 1000};
        struct sparse_answer found = solve(queue, matrix, b, &task);

        for (size_t c = 0; c < COUNT; c++) {
            const struct sparse_solution *solution = &found.solutions[c];
            double off =
                test_relative_distance(wanted.x.values + c * COLUMNS, found.x.values + c * COLUMNS, COLUMNS);

            fprintf(stderr, "accuracy: method %zu, column %zu: off by %.2g, estimated %.2g, by %s\n", w, c,
                    off, solution->error_estimate, solution->stopped_by);
            ck_assert(reached ? solution->precision_reached : off < 0.5 || !solution->precision_reached);
            warned += !solution->precision_reached;
            if (reached) {
                ck_assert_double_lt(solution->error_estimate, 2 * off + 1e-7);
                ck_assert_double_gt(solution->error_estimate, off / 2 - 1e-7);
            }
        }
        ck_assert_ptr_eq(
            ki_sparse_least_accurate(&found),
            &found.solutions[found.solutions[1].error_estimate > found.solutions[0].error_estimate]);
        ki_sparse_answer_free(&found);
    }
    ck_assert(reached || warned > 0);
    ki_sparse_answer_free(&wanted);
}

// The estimate of the error beside the error itself: of a system that single precision solves, and of one
// whose G has a condition of 1e12, beyond its 2^24, for b of noise alone.
START_TEST(accuracy)
{
    uint64_t state = test_seed("accuracy");
    double b[COUNT * ROWS];
    struct sparse_matrix good = make(b, &state), bad = make_spectrum(1e-6, &state);

    expect_estimates(&good, b, true);
    expect_estimates(&bad, b, false);
    ki_sparse_free(&good);
    ki_sparse_free(&bad);
}
END_TEST

START_TEST(refused)
{
    static const struct {
        struct sparse_task task;
        const char *words;
    } tried[] = {
        {{.method = SPARSE_METHOD_FISTA, .stop = SPARSE_STOP_NCP}, "only cgnr looks at the whiteness"},
        {{.method = SPARSE_METHOD_BB, .correction = "d"}, "goes with cgnr and printed"},
        {{.method = SPARSE_METHOD_SIRT, .lambda = 1}, "neither lambda nor smooth"},
        {{.method = SPARSE_METHOD_GRAM, .is_double = true}, "in single precision alone"},
        {{.stop = SPARSE_STOP_NCP, .is_double = true}, "in single precision alone"},
        {{.method = SPARSE_METHOD_PRINTED, .stop = SPARSE_STOP_RESIDUAL, .tolerance = 0.1},
         "all its iterations"},
        {{.preconditioning = SPARSE_PRECONDITIONING_JACOBI}, "the host's alone"},
        {{.method = SPARSE_METHOD_PRINTED, .stop = SPARSE_STOP_NCP}, "all its iterations"},
        {{.method = SPARSE_METHOD_CGNR, .bounded = true, .high = INFINITY, .correction = "d"}, "both in one"},
        {{.format = KN_SPARSE_ON_THE_FLY}, "geometry"},
    };
    uint64_t state = 1;
    double b[COUNT * ROWS];
    struct sparse_matrix matrix = make(b, &state);
    const struct sparse_columns right = {ROWS, COUNT, b};
    struct sparse_answer answer;

    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++)
        EXPECT_REFUSED(
            KN_ERROR_ARGUMENT, tried[i].words,
            ki_sparse_solve(queue, &matrix, &right, NULL, names, &tried[i].task, NULL, &answer, &err));
    ki_sparse_free(&matrix);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {against_the_host, many, gram, discrepancy, rays, accuracy, refused};

    return test_run("solve", tests, sizeof tests / sizeof *tests, test_open, test_close);
}
