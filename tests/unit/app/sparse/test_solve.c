// SPDX-License-Identifier: Apache-2.0
// Tests least squares on a device as used by `koine solve`: against the host's in double precision; penalties
// for bounds, the discrepancy of each column, rays on the fly, refusals.
#include "sparse_support.h"
#include "least_squares_support.h"
#include "support/sparse_inputs.h"

#include "unit/app/autocorr/spectrum_support.h"

enum { ROWS = 90, COLUMNS = 40, COUNT = 2 };

// A well-posed system; every column has a large nonzero.
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

static struct solved solve(kn_queue *where, const struct sparse_matrix *matrix, double *b,
                           const kn_least_squares_options *task)
{
    kn_least_squares_options own = *task;
    struct solved solved;

    own.type = where ? KN_F32 : KN_F64;
    solved = solve_matrix(where, matrix, b, COUNT, &own);
    ck_assert_double_le(solved.result->adjoint, solved.result->adjoint_bound);
    ck_assert_int_eq(kn_least_squares_get_type(solved.result), own.type);
    return solved;
}

static void expect_near(const struct solved *found, const struct solved *wanted, double off,
                        double residual_off, const char *reason)
{
    for (size_t c = 0; c < COUNT; c++) {
        ck_assert_double_lt(test_relative_distance(found->x + c * COLUMNS, wanted->x + c * COLUMNS, COLUMNS),
                            off);
        ck_assert_double_eq_tol(found->solutions[c].residual, wanted->solutions[c].residual, residual_off);
        ck_assert_str_eq(stopped_by(&found->solutions[c]), reason);
    }
}

// The bound of test_solver.c's `dense`: a rounding of each iteration and each term, times a condition of A^T
// A below 20. A penalty of 3 is as much as the strong nonzeros have, and leaves it there.
START_TEST(against_the_host)
{
    static const kn_least_squares_options tried[] = {
        {.method = KN_LEAST_SQUARES_CGNR, .lambda = 0.5, .smooth = 0.3, .order = 2},
        {.method = KN_LEAST_SQUARES_PRINTED, .bounded = true, .low = -0.1, .high = 0.2, .weight = 3},
        {.method = KN_LEAST_SQUARES_CGNR, .bounded = true, .low = 0, .high = INFINITY, .weight = 3},
    };
    uint64_t state = test_seed("against_the_host");
    double b[COUNT * ROWS];
    struct sparse_matrix matrix = make(b, &state);

    for (size_t t = 0; t < (test_is_slow() ? 1 : sizeof tried / sizeof *tried); t++) {
        kn_least_squares_options task = tried[t];
        struct solved found, wanted;
        bool printed = task.method == KN_LEAST_SQUARES_PRINTED;

        task.iterations = 200;
        wanted = solve(NULL, &matrix, b,
                       &(kn_least_squares_options){.method = task.method,
                                                   .iterations = 2000,
                                                   .lambda = task.lambda,
                                                   .smooth = task.smooth,
                                                   .order = task.order,
                                                   .bounded = task.bounded,
                                                   .low = task.low,
                                                   .high = task.high,
                                                   .weight = task.weight,
                                                   .type = KN_F64});
        task.format = KN_SPARSE_SIMPLE;
        found = solve(queue, &matrix, b, &task);
        for (size_t c = 0; c < COUNT; c++) {
            const kn_least_squares_solution *solution = &found.solutions[c];
            double off = test_relative_distance(found.x + c * COLUMNS, wanted.x + c * COLUMNS, COLUMNS);

            ck_assert_msg(off < 2e-4, "task %zu, column %zu: off by %g after %zu iterations, by %s", t, c,
                          off, solution->iterations, stopped_by(solution));
            ck_assert_double_eq_tol(solution->residual, wanted.solutions[c].residual, 1e-4);
            ck_assert_double_le(solution->normal_residual, 1e-4);
        }
        ck_assert_msg(strstr(found.result->code, "A as simple, A^T as simple, separate") != NULL, "%s",
                      found.result->code);
        ck_assert_msg((strstr(found.result->code, "A and A^T twice") != NULL) == printed, "%s",
                      found.result->code);
        ck_assert_uint_eq(found.result->launches_per_iteration, printed ? 9 : 5);
        ck_assert_uint_eq(found.solutions->iterations == task.iterations, printed); // it does all of them
        ck_assert(found.result->history_is_normal && !wanted.result->history_is_normal);
        solved_free(&found);
        solved_free(&wanted);
    }
    ki_sparse_free(&matrix);
}
END_TEST

// Jacobi's preconditioner on a device, from starts other than 0: near the host's solution; and if the columns
// are multiplied by powers of 2, which scaling divides out exactly, the same bits times those powers.
static void expect_scaled(kn_type type)
{
    const kn_least_squares_options options =
        KN_INIT(kn_least_squares_options, .method = KN_LEAST_SQUARES_CGNR, .iterations = 300, .type = type,
                .preconditioner = KN_LEAST_SQUARES_JACOBI);
    uint64_t state = test_seed("jacobi");
    double b[COUNT * ROWS], x[2][COUNT * COLUMNS];
    struct sparse_matrix matrix = make(b, &state);
    struct solved wanted = solve(
        NULL, &matrix, b, &(kn_least_squares_options){.method = KN_LEAST_SQUARES_CGNR, .iterations = 2000});
    int powers[COLUMNS];

    for (size_t j = 0; j < COLUMNS; j++)
        powers[j] = (int)(test_random(&state) % 61) - 30;
    for (size_t i = 0; i < COUNT * COLUMNS; i++)
        x[0][i] = test_uniform(&state);
    for (size_t i = 0; i < COUNT * COLUMNS; i++)
        x[1][i] = ldexp(x[0][i], -powers[i % COLUMNS]);
    for (int i = 0; i < 2; i++) {
        const kn_sparse view = {matrix};
        const kn_least_squares_task system =
            KN_INIT(kn_least_squares_task, .matrix = &view, .b = b, .count = COUNT);
        kn_least_squares_result *result = NULL;

        EXPECT_OK(kn_least_squares(queue, &system, x[i], &options, &result, &err));
        ck_assert_ptr_nonnull(strstr(kn_least_squares_get_code(result), "columns scaled"));
        for (size_t c = 0; c < COUNT; c++)
            ck_assert_double_eq_tol(kn_least_squares_get_solution(result, c)->residual,
                                    wanted.solutions[c].residual, 1e-4);
        kn_least_squares_result_free(result);
        for (size_t k = 0; k < matrix.nonzeros && i == 0; k++)
            matrix.values[k] = ldexp(matrix.values[k], powers[matrix.indices[k]]);
    }
    for (size_t c = 0; c < COUNT; c++)
        ck_assert_double_lt(test_relative_distance(x[0] + c * COLUMNS, wanted.x + c * COLUMNS, COLUMNS),
                            type == KN_F64 ? 1e-12 : 2e-4);
    for (size_t i = 0; i < COUNT * COLUMNS; i++)
        ck_assert_double_eq(ldexp(x[1][i], powers[i % COLUMNS]), x[0][i]);
    solved_free(&wanted);
    ki_sparse_free(&matrix);
}

START_TEST(jacobi)
{
    expect_scaled(KN_F32);
    if (kn_context_get_device(context)->fp64)
        expect_scaled(KN_F64);
}
END_TEST

// Columns are solved together if nothing prevents it, each with the same result as alone.
START_TEST(many)
{
    uint64_t state = test_seed("many");
    double b[COUNT * ROWS];
    struct sparse_matrix matrix = make(b, &state);
    kn_least_squares_options task = {.method = KN_LEAST_SQUARES_CGNR, .iterations = 200, .lambda = 0.5};
    struct solved found = solve(queue, &matrix, b, &task), wanted;

    task.type = KN_F64;
    task.iterations = 2000;
    wanted = solve(NULL, &matrix, b, &task);
    ck_assert_msg(strstr(found.result->code, "side by side") != NULL, "%s", found.result->code);
    expect_near(&found, &wanted, 2e-4, 1e-4, "floor");
    solved_free(&found);
    solved_free(&wanted);
    ki_sparse_free(&matrix);
}
END_TEST

// On the device A^T b and the product with G^-1, in single precision: each is off by some roundings of 2^-24,
// times the condition of G, below 20.
START_TEST(gram)
{
    const kn_least_squares_options task = {
        .method = KN_LEAST_SQUARES_GRAM, .lambda = 0.5, .smooth = 0.3, .order = 2, .type = KN_F64};
    uint64_t state = test_seed("gram");
    double b[COUNT * ROWS];
    struct sparse_matrix matrix = make(b, &state);
    struct solved found, wanted = solve(NULL, &matrix, b, &task);
    kn_profile_entry *entries = NULL;
    size_t count = 0, products = 0;

    EXPECT_OK(kn_profile_start(queue, &err));
    found = solve(queue, &matrix, b, &task);
    EXPECT_OK(kn_profile_stop(queue, &entries, &count, &err));
    for (size_t i = 0; i < count; i++)
        products += strncmp(entries[i].kernel, "gemm", 4) == 0;
    kn_free(entries);
    ck_assert_uint_ge(products, 1);
    ck_assert_msg(strstr(found.result->code, "A^T b and G^-1") != NULL, "%s", found.result->code);
    expect_near(&found, &wanted, 1e-5, 1e-5, "direct");
    solved_free(&found);
    solved_free(&wanted);
    ki_sparse_free(&matrix);
}
END_TEST

// The noise is a number in units of b, and one column has ten times as much.
START_TEST(discrepancy)
{
    uint64_t state = test_seed("discrepancy");
    double b[COUNT * ROWS];
    struct sparse_matrix matrix = make(b, &state);
    const kn_least_squares_options plain = {.iterations = 1000, .type = KN_F64};
    struct solved least = solve(NULL, &matrix, b, &plain);
    double norm = 0, noise;

    for (size_t i = 0; i < ROWS; i++)
        norm += b[i] * b[i];
    noise = 1.05 * least.solutions[0].residual * sqrt(norm);
    const kn_least_squares_options task = {.iterations = 200, .noise = noise, .format = KN_SPARSE_SIMPLE};
    struct solved found = solve(queue, &matrix, b, &task);
    ck_assert_str_eq(stopped_by(&found.solutions[0]), "discrepancy");
    ck_assert_str_eq(stopped_by(&found.solutions[1]), "floor"); // cannot be reached
    ck_assert(is_reached(&found.solutions[0]) && !is_reached(&found.solutions[1]) &&
              !kn_least_squares_get_reached(found.result));
    ck_assert_double_le(found.solutions[0].residual * sqrt(norm), noise * (1 + 1e-4));
    ck_assert_ptr_eq(kn_least_squares_get_worst(found.result),
                     &found.solutions[found.solutions[1].residual > found.solutions[0].residual]);
    solved_free(&found);
    // With whiteness, columns are not solved together, and a b of only noise is as white as possible from the
    // start.
    found = solve(queue, &matrix, b,
                  &(kn_least_squares_options){
                      .iterations = 200, .stop = KN_LEAST_SQUARES_STOP_NCP, .format = KN_SPARSE_SIMPLE});
    ck_assert_msg(strstr(found.result->code, "A as simple, A^T as simple, separate") != NULL, "%s",
                  found.result->code);
    ck_assert_uint_eq(found.result->launches_per_iteration, 10);
    for (size_t c = 0; c < COUNT; c++)
        ck_assert_msg(strcmp(stopped_by(&found.solutions[c]), "ncp") == 0 ||
                          strcmp(stopped_by(&found.solutions[c]), "floor") == 0,
                      "column %zu stopped by %s", c, stopped_by(&found.solutions[c]));
    solved_free(&found);
    solved_free(&least);
    ki_sparse_free(&matrix);
}
END_TEST

// Rays on the fly, without a matrix. |A|^2 is at most the greatest sum of a row times that of a column, 7
// sqrt 2 and 5 sqrt 2: with lambda 7 the condition of A^T A is 11, and what is allowed is that of
// `against_the_host`.
START_TEST(rays)
{
    static const kn_least_squares_options tried[] = {{.format = KN_SPARSE_ON_THE_FLY},
                                                     {.format = KN_SPARSE_ON_THE_FLY_LOCAL}};
    uint64_t state = test_seed("rays");
    kn_tomography_geometry geometry;
    double b[45];

    EXPECT_OK(geometry_parse("parallel:5,9,7,3.3", &geometry, &err));
    for (size_t i = 0; i < 45; i++)
        b[i] = (double)test_signed(&state);
    for (size_t t = 0; t < (test_is_slow() ? 1 : sizeof tried / sizeof *tried); t++) {
        kn_least_squares_options task = {.iterations = 100, .lambda = 7, .type = KN_F64};
        struct solved found, wanted;

        wanted = solve_rays(NULL, &geometry, b, &task);
        task.format = tried[t].format;
        task.type = KN_F32;
        found = solve_rays(queue, &geometry, b, &task);
        ck_assert_double_lt(test_relative_distance(found.x, wanted.x, 49), 2e-4);
        ck_assert_double_eq_tol(found.solutions->residual, wanted.solutions->residual, 1e-4);
        ck_assert_double_le(found.result->adjoint, found.result->adjoint_bound);
        ck_assert_double_lt(found.result->adjoint, 1e-6);
        ck_assert_msg(strstr(found.result->code, kn_sparse_format_name(task.format)) != NULL, "%s",
                      found.result->code);
        ck_assert(strstr(found.result->code, "local") == NULL || t == 1);
        solved_free(&found);
        solved_free(&wanted);
    }
}
END_TEST

// Singular values evenly spaced from 1 to `least`, between random rotations.
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

// Expects them with every method and format.
static void expect_estimates(const struct sparse_matrix *matrix, double *b, bool reached)
{
    static const struct {
        kn_least_squares_method method;
        kn_sparse_format format; // KN_SPARSE_AUTO: many at once
    } methods[] = {{KN_LEAST_SQUARES_CGNR, KN_SPARSE_SIMPLE},
                   {KN_LEAST_SQUARES_CGNR, KN_SPARSE_AUTO},
                   {KN_LEAST_SQUARES_PRINTED, KN_SPARSE_SIMPLE},
                   {KN_LEAST_SQUARES_GRAM, KN_SPARSE_AUTO}};
    struct solved wanted =
        solve(NULL, matrix, b, &(kn_least_squares_options){.method = KN_LEAST_SQUARES_GRAM, .type = KN_F64});
    size_t warned = 0;

    for (size_t w = 0; w < (test_is_slow() ? 2 : sizeof methods / sizeof *methods); w++) {
        const kn_least_squares_options task = {
            .method = methods[w].method, .format = methods[w].format, .iterations = reached ? 200 : 1000};
        struct solved found = solve(queue, matrix, b, &task);

        for (size_t c = 0; c < COUNT; c++) {
            const kn_least_squares_solution *solution = &found.solutions[c];
            double off = test_relative_distance(wanted.x + c * COLUMNS, found.x + c * COLUMNS, COLUMNS);

            fprintf(stderr, "accuracy: method %zu, column %zu: off by %.2g, estimated %.2g, by %s\n", w, c,
                    off, solution->error_estimate, stopped_by(solution));
            ck_assert(reached ? solution->precision_reached : off < 0.5 || !solution->precision_reached);
            warned += !solution->precision_reached;
            if (reached) {
                ck_assert_double_lt(solution->error_estimate, 2 * off + 1e-7);
                ck_assert_double_gt(solution->error_estimate, off / 2 - 1e-7);
            }
        }
        ck_assert_ptr_eq(
            kn_least_squares_get_farthest(found.result),
            &found.solutions[found.solutions[1].error_estimate > found.solutions[0].error_estimate]);
        solved_free(&found);
    }
    ck_assert(reached || warned > 0);
    solved_free(&wanted);
}

// The estimate of the error compared with the error: for a system that single precision solves, and for one
// whose G has a condition number of 1e12, beyond its 2^24, with a b of only noise.
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
        kn_least_squares_options task;
        const char *words;
    } tried[] = {
        {{.method = KN_LEAST_SQUARES_FISTA, .stop = KN_LEAST_SQUARES_STOP_NCP},
         "only cgnr looks at the whiteness"},
        {{.method = KN_LEAST_SQUARES_BB, .correction = "d"}, "is only for cgnr and printed"},
        {{.method = KN_LEAST_SQUARES_SIRT, .lambda = 1}, "neither lambda nor smooth"},
        {{.method = KN_LEAST_SQUARES_GRAM, .type = KN_F64}, "in single precision alone"},
        {{.stop = KN_LEAST_SQUARES_STOP_NCP, .type = KN_F64}, "in single precision alone"},
        {{.method = KN_LEAST_SQUARES_PRINTED, .stop = KN_LEAST_SQUARES_STOP_RESIDUAL, .tolerance = 0.1},
         "all its iterations"},
        {{.preconditioner = KN_LEAST_SQUARES_ILU}, "the host's alone; devices have jacobi"},
        {{.preconditioner = KN_LEAST_SQUARES_JACOBI, .lambda = 1}, "jacobi is for |A x - b|^2 alone"},
        {{.method = KN_LEAST_SQUARES_FISTA, .preconditioner = KN_LEAST_SQUARES_JACOBI}, "only for cgnr"},
        {{.method = KN_LEAST_SQUARES_PRINTED, .stop = KN_LEAST_SQUARES_STOP_NCP}, "all its iterations"},
        {{.method = KN_LEAST_SQUARES_CGNR, .bounded = true, .high = INFINITY, .correction = "d"},
         "both in one"},
        {{.format = KN_SPARSE_ON_THE_FLY}, "geometry"},
    };
    uint64_t state = 1;
    double b[COUNT * ROWS];
    struct sparse_matrix matrix = make(b, &state);
    double x[COUNT * COLUMNS] = {0};
    const kn_sparse view = {matrix};
    const kn_least_squares_task system =
        KN_INIT(kn_least_squares_task, .matrix = &view, .b = b, .count = COUNT);

    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++) {
        kn_least_squares_options task = tried[i].task;

        task.struct_size = sizeof task;
        EXPECT_REFUSED(KN_ERROR_ARGUMENT, tried[i].words,
                       kn_least_squares(queue, &system, x, &task, NULL, &err));
    }
    ki_sparse_free(&matrix);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {against_the_host, many, gram, discrepancy, rays, accuracy, jacobi, refused};

    return test_run("solve", tests, sizeof tests / sizeof *tests, test_open, test_close);
}
