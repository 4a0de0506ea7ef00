// SPDX-License-Identifier: Apache-2.0
// Tests least squares on the host as used by `koine solve`: every method against dense solutions, also of
// real systems; terms, bounds, stopping rules, starts, several columns.
#include "sparse_support.h"
#include "unit/app/sparse/least_squares_support.h"

#include <unistd.h>

#include "support/sparse_reference.h"
#include "support/sparse_inputs.h"
#include "support/run.h"

static struct solved solve(const struct sparse_matrix *matrix, const double *b, size_t count,
                           const kn_least_squares_options *task)
{
    struct solved solved = solve_matrix(NULL, matrix, b, count, task);

    ck_assert_double_le(solved.result->adjoint, solved.result->adjoint_bound);
    return solved;
}

// ---- real systems ----

// What x may be off by: x - x* = (A^T A)^-1 g of the gradient g that is left, so that |x - x*| / |x| is at
// most cond(A)^2 |g| / |A^T b|; and least squares' own sensitivity to roundings, of which a sum of a column
// has so many, cond (1 + cond |r| / (|A| |x|)) (Bjorck 1996, section 1.4), where |A| |x| is at least |b| -
// |r|.
static double allowed(double condition, const kn_least_squares_solution *solution, size_t terms,
                      double epsilon)
{
    double residual = solution->residual / (1 - solution->residual);

    return condition * condition * solution->normal_residual +
           (double)terms * epsilon * condition * (1 + condition * residual);
}

struct system {
    struct sparse_matrix matrix;
    struct sparse_columns b;
    double *wanted;
};

static bool read_system(const char *name, struct system *s)
{
    char path[512], file[64];

    snprintf(file, sizeof file, "sparse/%s.mtx.gz", name);
    if (!test_data_path(file, path, sizeof path))
        return false;
    EXPECT_OK(sparse_read(path, &s->matrix, &err));
    snprintf(file, sizeof file, "sparse/%s_rhs1.mtx.gz", name);
    if (!test_data_path(file, path, sizeof path))
        return false;
    EXPECT_OK(sparse_read_columns(path, &s->b, &err));
    s->wanted = malloc(s->matrix.columns * sizeof *s->wanted);
    ck_assert_ptr_nonnull(s->wanted);
    EXPECT_OK(sparse_reference_least_squares(&s->matrix, s->b.values, s->wanted, &err));
    return true;
}

static void drop(struct system *s)
{
    ki_sparse_free(&s->matrix);
    free(s->b.values);
    free(s->wanted);
}

// The condition numbers are those stated by the collection.
START_TEST(real_systems)
{
    static const struct {
        const char *name;
        double condition;
        size_t iterations;
    } systems[] = {{"well1033", 166.13, 20000}, {"illc1033", 18888, 20000}};
    static const struct {
        const char *what, *code;
        kn_least_squares_options task;
    } methods[] = {
        {"cgnr", "slices of rows", {.method = KN_LEAST_SQUARES_CGNR, .type = KN_F64}},
        {"auto, rows", "double precision, rows", {.format = KN_SPARSE_SIMPLE, .type = KN_F64}},
        {"single", "single precision", {.type = KN_F32}},
        {"jacobi", "", {.preconditioner = KN_LEAST_SQUARES_JACOBI, .type = KN_F64}},
        {"ilu", "", {.preconditioner = KN_LEAST_SQUARES_ILU, .type = KN_F64}},
        {"printed", "twice", {.method = KN_LEAST_SQUARES_PRINTED}},
        {"gram", "Cholesky", {.method = KN_LEAST_SQUARES_GRAM}},
        {"fista", "one thread", {.method = KN_LEAST_SQUARES_FISTA}},
        {"bb", "one thread", {.method = KN_LEAST_SQUARES_BB}},
    };

    for (size_t i = 0; i < sizeof systems / sizeof *systems; i++) {
        struct system s;
        size_t plain = 0;
        double first = 0;

        if (!read_system(systems[i].name, &s))
            return;
        for (size_t w = 0; w < (i == 0 ? sizeof methods / sizeof *methods : 5); w++) {
            kn_least_squares_options task = methods[w].task;
            struct solved answer;
            double off, may;

            task.iterations = systems[i].iterations;
            answer = solve(&s.matrix, s.b.values, 1, &task);
            off = test_relative_distance(answer.x, s.wanted, s.matrix.columns);
            may = allowed(systems[i].condition, answer.solutions, s.matrix.columns,
                          task.type != KN_F32 ? 0x1p-53 : 0x1p-24);
            fprintf(stderr, "%s, %s: off by %.2g of %.2g allowed, after %zu iterations\n", systems[i].name,
                    methods[w].what, off, may, answer.solutions->iterations);
            ck_assert_double_le(off, may);
            ck_assert_double_le(may, w == 2 ? INFINITY : 1e-4); // single precision promises nothing for
                                                                // illc1033
            ck_assert_msg(strstr(answer.result->code, methods[w].code) != NULL, "%s: %s", methods[w].what,
                          answer.result->code);
            if (w == 0) {
                plain = answer.solutions->iterations;
                first = answer.x[0];
            } else if (strcmp(methods[w].what, "ilu") == 0) // that is its purpose
                ck_assert_uint_lt(2 * answer.solutions->iterations, plain);
            else if (strcmp(methods[w].what, "jacobi") == 0) // different steps, though perhaps equally many
                ck_assert_double_ne(answer.x[0], first);
            solved_free(&answer);
        }
        drop(&s);
    }
}
END_TEST

// ---- terms ----

// `matrix` above sqrt(lambda) I above sqrt(smooth) D, dense, and b above 0.
static void stacked_solution(const struct sparse_matrix *matrix, const double *b,
                             const kn_least_squares_options *task, double *x)
{
    static const double stencils[][3] = {{1}, {-1, 1}, {1, -2, 1}};
    const double weights[] = {task->lambda, task->smooth};
    const unsigned orders[] = {0, task->order};
    size_t m = matrix->rows, n = matrix->columns, count = 0, rows = m, most = matrix->nonzeros + 8 * n;
    uint32_t *row = malloc(most * sizeof *row), *column = malloc(most * sizeof *column);
    double *values = malloc(most * sizeof *values), *right = calloc(m + 2 * n + 1, sizeof *right);
    struct sparse_matrix stacked;

    ck_assert(row && column && values && right);
    memcpy(right, b, m * sizeof *b);
    for (size_t i = 0; i < m; i++)
        for (size_t k = matrix->starts[i]; k < matrix->starts[i + 1]; k++, count++) {
            row[count] = (uint32_t)i;
            column[count] = matrix->indices[k];
            values[count] = matrix->values[k];
        }
    for (unsigned t = 0; t < 2; t++)
        for (size_t i = 0; weights[t] > 0 && i + orders[t] < n; i++, rows++)
            for (unsigned k = 0; k <= orders[t]; k++, count++) {
                row[count] = (uint32_t)rows;
                column[count] = (uint32_t)(i + k);
                values[count] = sqrt(weights[t]) * stencils[orders[t]][k];
            }
    EXPECT_OK(ki_sparse_from_entries(&(struct sparse_entries){rows, n, count, row, column, values}, &stacked,
                                     &err));
    EXPECT_OK(sparse_reference_least_squares(&stacked, right, x, &err));
    ki_sparse_free(&stacked);
    free(row);
    free(column);
    free(values);
    free(right);
}

// Random systems have |a| up to about 5 and lambda 0.3: a condition of 20 at most, and its square times the
// 1e-12 of the first gradient at which FISTA and BB stop is 4e-10. Slow methods need thousands of iterations
// for it.
START_TEST(terms)
{
    static const size_t sizes[][2] = {{1, 1}, {2, 1}, {2, 3}, {3, 3}, {33, 31}, {65, 32}, {32, 65}};
    static const kn_least_squares_options tried[] = {{.lambda = 0.3},
                                                     {.lambda = 0.3, .smooth = 2, .order = 1},
                                                     {.lambda = 0.3, .smooth = 0.7, .order = 2}};
    static const kn_least_squares_method methods[] = {KN_LEAST_SQUARES_CGNR, KN_LEAST_SQUARES_PRINTED,
                                                      KN_LEAST_SQUARES_FISTA, KN_LEAST_SQUARES_BB,
                                                      KN_LEAST_SQUARES_GRAM};

    sparse_seed = test_seed("terms");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct sparse_matrix matrix = sparse_random(sizes[i][0], sizes[i][1], 3 * sizes[i][0], NULL);
        double *b = sparse_numbers(3 * sizes[i][0]), wanted[65];

        for (size_t t = 0; t < sizeof tried / sizeof *tried; t++)
            for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
                kn_least_squares_options task = tried[t];
                struct solved answer;

                task.method = methods[k];
                task.iterations = methods[k] == KN_LEAST_SQUARES_PRINTED ? 200 : 5000;
                task.type = KN_F64;
                answer = solve(&matrix, b, 3, &task);
                for (size_t c = 0; c < 3; c++) {
                    double off;
                    stacked_solution(&matrix, b + c * sizes[i][0], &task, wanted);
                    off = test_relative_distance(answer.x + c * sizes[i][1], wanted, sizes[i][1]);
                    ck_assert_msg(off <= 4e-10, "%zu x %zu, terms %zu, %s, column %zu: off by %g",
                                  sizes[i][0], sizes[i][1], t, kn_least_squares_method_name(methods[k]), c,
                                  off);
                }
                solved_free(&answer);
            }
        ki_sparse_free(&matrix);
        free(b);
    }
}
END_TEST

// ---- bounds ----

// As hard bounds: x is within them, and where x is at a bound the gradient points outwards. As a penalty: the
// gradient including it is 0.
START_TEST(bounds)
{
    enum { ROWS = 60, COLUMNS = 25 };
    static const struct {
        double low, high;
    } tried[] = {{0, INFINITY}, {-INFINITY, 0}, {-0.1, 0.2}};

    sparse_seed = test_seed("bounds");
    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++) {
        struct sparse_matrix matrix = sparse_random(ROWS, COLUMNS, 6 * ROWS, NULL);
        double *b = sparse_numbers(ROWS), low = tried[i].low, high = tried[i].high;

        for (int method = KN_LEAST_SQUARES_AUTO; method < KN_LEAST_SQUARES_GRAM; method++) {
            const kn_least_squares_options task = {.method = (kn_least_squares_method)method,
                                                   .iterations = 20000,
                                                   .bounded = true,
                                                   .low = low,
                                                   .high = high,
                                                   .type = KN_F64};
            struct solved answer = solve(&matrix, b, 1, &task);
            double *x = answer.x, r[ROWS], g[COLUMNS], left = 0, first = 0;
            bool held = method == KN_LEAST_SQUARES_AUTO || // FISTA
                        kn_least_squares_method_holds_bounds(task.method);
            size_t beyond = 0;

            ki_sparse_reference_multiply_transposed(&matrix, b, g);
            for (size_t k = 0; k < COLUMNS; k++)
                first += g[k] * g[k];
            ki_sparse_reference_multiply(&matrix, x, r);
            for (size_t k = 0; k < ROWS; k++)
                r[k] -= b[k];
            ki_sparse_reference_multiply_transposed(&matrix, r, g);
            for (size_t k = 0; k < COLUMNS; k++) {
                double inside = fmin(fmax(x[k], low), high);
                beyond += x[k] != inside;
                g[k] = held ? x[k] - fmin(fmax(x[k] - g[k], low), high)
                            : g[k] + answer.result->weight * (x[k] - inside);
                left += g[k] * g[k];
            }
            ck_assert_msg(sqrt(left) <= 1e-11 * sqrt(first),
                          "bounds %zu, %s: %g of the gradient is left after %zu", i,
                          kn_least_squares_method_name((kn_least_squares_method)method), sqrt(left / first),
                          answer.solutions->iterations);
            ck_assert(held == (answer.result->weight == 0));
            ck_assert(held ? beyond == 0 : beyond > 0);
            ck_assert_int_eq(held, method != KN_LEAST_SQUARES_CGNR && method != KN_LEAST_SQUARES_PRINTED);
            solved_free(&answer);
        }
        ki_sparse_free(&matrix);
        free(b);
    }
}
END_TEST

// ---- ends ----

static double residual_of(const struct sparse_matrix *matrix, const double *x, const double *b)
{
    double *r = malloc((matrix->rows + 1) * sizeof *r), square = 0;

    ck_assert_ptr_nonnull(r);
    ki_sparse_reference_multiply(matrix, x, r);
    for (size_t i = 0; i < matrix->rows; i++)
        square += (r[i] - b[i]) * (r[i] - b[i]);
    free(r);
    return sqrt(square);
}

// Each rule stops at the first iteration that satisfies it and is reported; a goal that is not reached is
// reported too.
START_TEST(stops)
{
    enum { ROWS = 200, COLUMNS = 50 };
    static const kn_least_squares_method methods[] = {KN_LEAST_SQUARES_CGNR, KN_LEAST_SQUARES_FISTA,
                                                      KN_LEAST_SQUARES_BB};
    struct sparse_matrix matrix;
    double *exact, *b, least = 0, norm = 0;

    sparse_seed = test_seed("stops");
    matrix = sparse_random(ROWS, COLUMNS, 6 * ROWS, NULL);
    exact = sparse_numbers(COLUMNS);
    b = sparse_numbers(ROWS); // its noise
    for (size_t i = 0; i < ROWS; i++)
        for (size_t k = matrix.starts[i]; k < matrix.starts[i + 1]; k++)
            b[i] += 5 * matrix.values[k] * exact[matrix.indices[k]];
    for (size_t i = 0; i < ROWS; i++)
        norm += b[i] * b[i];
    norm = sqrt(norm);
    EXPECT_OK(sparse_reference_least_squares(&matrix, b, exact, &err));
    least = residual_of(&matrix, exact, b);
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
        const struct {
            kn_least_squares_options task;
            const char *stopped_by;
            bool reached;
        } tried[] = {{{.tolerance = 1.1 * least / norm}, "residual", true},
                     {{.noise = 1.1 * least}, "discrepancy", true},
                     {{.noise = 1.1 * least, .stop = KN_LEAST_SQUARES_STOP_FIXED, .iterations = 3},
                      "iterations",
                      false},
                     {{.tolerance = 0.9 * least / norm, .iterations = 5000}, "floor", false},
                     {{.noise = 1.1 * least, .iterations = 2}, "iterations", false},
                     {{.stop = KN_LEAST_SQUARES_STOP_FIXED, .iterations = 3}, "iterations", true}};
        for (size_t t = 0; t < sizeof tried / sizeof *tried; t++) {
            kn_least_squares_options task = tried[t].task;
            struct solved answer;
            const kn_least_squares_solution *solution;
            double rest;

            task.method = methods[k];
            task.iterations = task.iterations ? task.iterations : 400;
            task.type = KN_F64;
            answer = solve(&matrix, b, 1, &task);
            solution = answer.solutions;
            rest = residual_of(&matrix, answer.x, b);
            ck_assert_msg(strcmp(stopped_by(solution), tried[t].stopped_by) == 0,
                          "%s, test %zu: stopped by %s after %zu iterations",
                          kn_least_squares_method_name(methods[k]), t, stopped_by(solution),
                          solution->iterations);
            ck_assert(is_reached(solution) == tried[t].reached &&
                      kn_least_squares_get_reached(answer.result) == tried[t].reached);
            ck_assert_double_eq_tol(solution->residual, rest / norm, 1e-12);
            ck_assert_double_eq_tol(answer.result->histories[0][solution->iterations], rest / norm, 1e-9);
            ck_assert_double_eq_tol(answer.result->histories[0][0], 1, 1e-12);
            if (t < 2) {
                ck_assert_double_le(rest, 1.1 * least * (1 + 1e-9));
                ck_assert_double_gt(answer.result->histories[0][solution->iterations - 1] * norm,
                                    1.1 * least * (1 - 1e-9));
            }
            solved_free(&answer);
        }
    }
    ki_sparse_free(&matrix);
    free(exact);
    free(b);
}
END_TEST

// Rays through an image with noise: where the residual is white, x is better than after 400 iterations; two
// columns stop each for itself, that with less noise later, behind a trough that is none too white.
START_TEST(whiteness)
{
    struct sparse_matrix matrix = sparse_parallel_beam();
    double image[BEAM_PIXELS], *b = sparse_numbers(2 * BEAM_RAYS), off[2];

    sparse_seed = test_seed("whiteness");
    sparse_phantom(image);
    sparse_measure(&matrix, image, 0.02, b);
    sparse_measure(&matrix, image, 0.002, b + BEAM_RAYS);
    for (int ncp = 0; ncp < 2; ncp++) {
        const kn_least_squares_options task = {.stop = ncp ? KN_LEAST_SQUARES_STOP_NCP
                                                           : KN_LEAST_SQUARES_STOP_FIXED,
                                               .iterations = 400,
                                               .type = KN_F64};
        struct solved answer = solve(&matrix, b, 2, &task);

        off[ncp] = test_relative_distance(answer.x, image, BEAM_PIXELS);
        ck_assert_int_eq(strcmp(stopped_by(&answer.solutions[0]), "ncp") == 0, ncp);
        ck_assert(is_reached(&answer.solutions[0]));
        if (ncp)
            ck_assert_uint_lt(answer.solutions[0].iterations, answer.solutions[1].iterations);
        ck_assert_ptr_eq(kn_least_squares_get_worst(answer.result),
                         answer.solutions); // more noise remains
        solved_free(&answer);
    }
    ck_assert_double_lt(off[1], off[0]);
    ki_sparse_free(&matrix);
    free(b);
}
END_TEST

// A start is used: from the solution no iterations are needed.
START_TEST(starts)
{
    struct sparse_matrix matrix;
    double *b, *x, start[40];

    sparse_seed = test_seed("starts");
    matrix = sparse_random(40, 20, 300, NULL);
    b = sparse_numbers(80);
    x = sparse_numbers(40);
    EXPECT_OK(sparse_reference_least_squares(&matrix, b, x, &err));
    memcpy(b + 40, b, 40 * sizeof *b);
    memcpy(x + 20, x, 20 * sizeof *x);
    memcpy(start, x, sizeof start);
    EXPECT_OK(kn_least_squares(
        NULL, &KN_INIT(kn_least_squares_task, .matrix = &(kn_sparse){matrix}, .b = b, .count = 2), start,
        &KN_INIT(kn_least_squares_options, .iterations = 1), NULL, &err));
    ck_assert_double_le(test_relative_distance(start, x, 40), 1e-12);
    ki_sparse_free(&matrix);
    free(b);
    free(x);
}
END_TEST

// Rays equal their matrix: the same bits.
START_TEST(rays)
{
    struct sparse_parallel geometry;
    kn_tomography_geometry given;
    struct sparse_matrix matrix;
    double *b;

    sparse_seed = test_seed("rays");
    EXPECT_OK(sparse_parse("parallel:5,9,7,3.3", &geometry, &err));
    EXPECT_OK(geometry_parse("parallel:5,9,7,3.3", &given, &err));
    EXPECT_OK(ki_sparse_parallel_matrix(&geometry, &matrix, &err));
    b = sparse_numbers(matrix.rows);
    for (int method = KN_LEAST_SQUARES_AUTO; method <= KN_LEAST_SQUARES_SIRT; method++) {
        kn_least_squares_options task = {.method = (kn_least_squares_method)method,
                                         .iterations = 20,
                                         .lambda = method != KN_LEAST_SQUARES_SIRT,
                                         .type = KN_F64};
        struct solved wanted = solve(&matrix, b, 1, &task), found = solve_rays(NULL, &given, b, &task);

        ck_assert_int_eq(memcmp(found.x, wanted.x, matrix.columns * sizeof *b), 0);
        ck_assert_double_eq_tol(found.solutions->residual, wanted.solutions->residual, 1e-13);
        ck_assert_double_le(found.result->adjoint, found.result->adjoint_bound);
        solved_free(&wanted);
        solved_free(&found);
    }
    ki_sparse_parallel_free(&geometry);
    ki_sparse_free(&matrix);
    free(b);
}
END_TEST

// The real tooth, its 640 detectors binned by 20: the angles of the file, a residual that is only possible
// with correct positions of the rays (with an axis off by one detector it is three times as great), and a
// picture of it; and data that do not match.
START_TEST(measured)
{
    char path[512], picture[] = "/tmp/koine-solve-XXXXXX.png";
    struct sparse_parallel geometry;
    struct sparse_columns b;
    struct solved answer;
    double residual[2];
    int file;

    if (!test_data_path("sparse/tooth.h5", path, sizeof path))
        return;
    for (int off = 0; off < 2; off++) {
        const kn_least_squares_options task = {.iterations = 30};
        kn_tomography_geometry given;

        EXPECT_OK(sparse_parse(off ? "parallel:181,32,32,15.3" : "parallel:181,32,32,14.3", &geometry, &err));
        EXPECT_OK(sparse_read_slice(path, 1, &geometry, &b, &err));
        ck_assert_uint_eq(b.rows, 181 * 32);
        ck_assert_uint_eq(b.count, 1);
        ck_assert_ptr_nonnull(geometry.theta);
        EXPECT_OK(geometry_parse(off ? "parallel:181,32,32,15.3" : "parallel:181,32,32,14.3", &given, &err));
        given.theta = geometry.theta;
        answer = solve_rays(NULL, &given, b.values, &task);
        residual[off] = answer.solutions->residual;
        if (!off) {
            file = mkstemps(picture, 4);
            ck_assert_int_ge(file, 0);
            close(file);
            EXPECT_OK(sparse_try_solutions(picture, 32 * 32, 1, &err));
            EXPECT_OK(sparse_write_solutions(picture, 32 * 32, 1, answer.x, true, &err));
            unlink(picture);
        }
        solved_free(&answer);
        ki_sparse_parallel_free(&geometry);
        free(b.values);
    }
    fprintf(stderr, "the tooth's residual: %.3g; with another axis: %.3g\n", residual[0], residual[1]);
    ck_assert_double_lt(3 * residual[0], residual[1]);
    EXPECT_OK(sparse_parse("parallel:181,50,32", &geometry, &err));
    EXPECT_REFUSED(KN_ERROR_INPUT,
                   "has 181 projections of 640 detectors; the 181 of 50 in the geometry do not",
                   sparse_read_slice(path, 0, &geometry, &b, &err));
    ki_sparse_parallel_free(&geometry);
    geometry = (struct sparse_parallel){.angles = 0};
    EXPECT_OK(sparse_read_slice(path, 0, &geometry, &b, &err));
    ck_assert_uint_eq(b.rows, 181 * 640);
    free(b.values);
    ki_sparse_parallel_free(&geometry);
}
END_TEST

START_TEST(endings)
{
    EXPECT_OK(sparse_try_solutions("x.npy", 3, 2, &err));
    EXPECT_OK(sparse_try_solutions("x.mtx", 3, 2, &err));
    EXPECT_OK(sparse_try_solutions("x.png", 9, 1, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, ".npy, .mtx or .png", sparse_try_solutions("x.h5", 9, 1, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "as a square has", sparse_try_solutions("x.png", 8, 1, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "2 solutions of 9", sparse_try_solutions("x.png", 9, 2, &err));
}
END_TEST

// Empty systems: no nonzeros, or a right-hand side of 0. x keeps its starting value.
START_TEST(nothing)
{
    const struct sparse_entries entries = {.rows = 5, .columns = 3};
    struct sparse_matrix matrix;
    double b[5] = {1, 2, 3, 4, 5};

    EXPECT_OK(ki_sparse_from_entries(&entries, &matrix, &err));
    for (int method = KN_LEAST_SQUARES_AUTO; method < KN_LEAST_SQUARES_GRAM; method++)
        for (int zero = 0; zero < 2; zero++) {
            const kn_least_squares_options task = {
                .method = (kn_least_squares_method)method, .iterations = 5, .type = KN_F64};
            struct solved answer;

            if (zero)
                memset(b, 0, sizeof b);
            answer = solve(&matrix, b, 1, &task);
            for (size_t i = 0; i < 3; i++)
                ck_assert(answer.x[i] == 0);
            ck_assert_double_eq(answer.solutions->residual, zero ? 0 : 1);
            ck_assert_double_eq(answer.solutions->normal_residual, 0);
            solved_free(&answer);
            b[0] = 1;
        }
    ki_sparse_free(&matrix);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {real_systems, terms, bounds,   stops,   whiteness,
                                  starts,       rays,  measured, endings, nothing};

    return TEST_RUN("sparse_solve", CK_FORK, tests);
}
