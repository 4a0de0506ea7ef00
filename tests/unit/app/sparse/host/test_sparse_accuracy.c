// SPDX-License-Identifier: Apache-2.0
// Tests the error of single precision: the delay of iterations on known spectra, estimates compared with true
// errors on random systems of every condition number, and real systems, one of which is beyond single
// precision.
#include "sparse_support.h"
#include "unit/app/sparse/least_squares_support.h"
#include "unit/app/autocorr/spectrum_support.h"

#include "support/sparse_reference.h"
#include "app/sparse/solver/accuracy.h"
#include "support/sparse_inputs.h"
#include "support/run.h"
#include "tools/solve/segments.h"

// ---- iterations ----

enum { MOST_N = 400, MOST_K = 400 };

// Conjugate gradients for diag(values) x = right, as on the host, in double precision or rounded to single
// after each step.
static void iterate(const double *values, const double *right, size_t n, size_t count, bool single,
                    double *gradients, double *steps, double *x)
{
    double g[MOST_N], d[MOST_N], square = 0;

    for (size_t i = 0; i < n; i++) {
        x[i] = 0;
        g[i] = -right[i];
        d[i] = right[i];
        square += g[i] * g[i];
    }
    gradients[0] = sqrt(square);
    steps[0] = 0;
    for (size_t k = 1; k <= count; k++) {
        double curvature = 0, before = square, step;

        for (size_t i = 0; i < n; i++)
            curvature += d[i] * values[i] * d[i];
        step = square / curvature;
        square = 0;
        for (size_t i = 0; i < n; i++) {
            x[i] += step * d[i];
            g[i] += step * values[i] * d[i];
            if (single) {
                x[i] = (double)(float)x[i];
                g[i] = (double)(float)g[i];
            }
            square += g[i] * g[i];
        }
        for (size_t i = 0; i < n; i++) {
            d[i] = square / before * d[i] - g[i];
            d[i] = single ? (double)(float)d[i] : d[i];
        }
        gradients[k] = sqrt(square);
        steps[k] = step;
    }
}

// After as many iterations as eigenvalues, T_k has exactly these, and no iteration was lost; the last
// distance is the path that x has covered.
START_TEST(eigenvalues)
{
    const double values[] = {0.01, 0.5, 1, 2, 3.5, 7}, right[] = {1, -2, 1, 0.5, 3, 1};
    double gradients[7], steps[7], x[6], before[6], distance = 0;
    struct sparse_lag lag;

    iterate(values, right, 6, 5, false, gradients, steps, before);
    iterate(values, right, 6, 6, false, gradients, steps, x);
    EXPECT_OK(ki_sparse_lag_of(gradients, steps, 6, 0x1p-53, &lag, &err));
    ck_assert_double_eq_tol(lag.greatest, 7, 1e-10);
    ck_assert_double_eq_tol(lag.least, 0.01, 1e-10);
    ck_assert_uint_eq(lag.iterations, 0);
    ck_assert_double_eq(lag.distance, 0);
    ck_assert_double_eq(lag.misfit, 0);
    for (size_t i = 0; i < 6; i++)
        distance += (x[i] - before[i]) * (x[i] - before[i]);
    ck_assert_double_eq_tol(lag.last_distance, sqrt(distance), 1e-8 * sqrt(distance));
    EXPECT_OK(ki_sparse_lag_of(gradients, steps, 0, 0x1p-53, &lag, &err));
    ck_assert_double_eq(lag.greatest, 0);
    ck_assert_double_eq(lag.distance, 0);
    // Steps after an invalid one do not count.
    steps[4] = NAN;
    EXPECT_OK(ki_sparse_lag_of(gradients, steps, 6, 0x1p-53, &lag, &err));
    ck_assert(lag.greatest > 0 && lag.greatest <= 7 && lag.last_distance > 0);
}
END_TEST

// Eigenvalues far apart from the rest converge first, and come again in single precision: iterations are
// lost, as many as the iterate is behind in double precision, within a factor of 5.
START_TEST(lags)
{
    double values[MOST_N], right[MOST_N], gradients[MOST_K + 1], steps[MOST_K + 1], x[MOST_N], exact[MOST_N],
        error = 0;
    struct sparse_lag lag, exact_lag;
    const size_t n = MOST_N, count = 60;

    sparse_seed = test_seed("lags");
    for (size_t i = 0; i < n; i++) {
        values[i] = pow(10, -4 * (double)i / (double)(n - 1));
        right[i] = (1 + test_uniform(&sparse_seed)) * sqrt(values[i]);
    }
    values[0] = 1e3;
    values[1] = 300;
    iterate(values, right, n, count, false, gradients, steps, exact);
    EXPECT_OK(ki_sparse_lag_of(gradients, steps, count, 0x1p-53, &exact_lag, &err));
    iterate(values, right, n, count, true, gradients, steps, x);
    EXPECT_OK(ki_sparse_lag_of(gradients, steps, count, 0x1p-24, &lag, &err));
    for (size_t i = 0; i < n; i++)
        error += (x[i] - exact[i]) * (x[i] - exact[i]);
    error = sqrt(error);
    fprintf(stderr,
            "lags: %zu of %zu iterations, in double precision %zu; the distance back %.3g, off by %.3g\n",
            lag.iterations, count, exact_lag.iterations, lag.distance, error);
    ck_assert_uint_gt(lag.iterations, 2);
    ck_assert_uint_lt(exact_lag.iterations, lag.iterations);
    ck_assert_double_gt(lag.distance, error / 5);
    ck_assert_double_lt(lag.distance, 5 * error);
    ck_assert_double_gt(lag.misfit, 0);
}
END_TEST

// ---- systems ----

enum { ROWS = 150, COLUMNS = 50 };
enum { GEOMETRIC, LINEAR, FEW, SPECTRA };

// Singular values from 1 to 1 / condition between random rotations.
static struct sparse_matrix make_matrix(int spectrum, double condition)
{
    static double dense[ROWS * COLUMNS];
    static uint32_t row[ROWS * COLUMNS], column[ROWS * COLUMNS];
    const struct sparse_entries entries = {ROWS, COLUMNS, ROWS * COLUMNS, row, column, dense};
    struct sparse_matrix matrix;

    memset(dense, 0, sizeof dense);
    for (size_t j = 0; j < COLUMNS; j++) {
        double part = (double)j / (COLUMNS - 1);

        dense[j * COLUMNS + j] = spectrum == GEOMETRIC ? pow(condition, -part)
                                 : spectrum == LINEAR  ? 1 - part * (1 - 1 / condition)
                                 : j + 3 < COLUMNS     ? 1
                                                       : 1 / condition;
    }
    spectrum_rotate(dense, ROWS, COLUMNS, &sparse_seed);
    for (size_t i = 0; i < ROWS * COLUMNS; i++) {
        row[i] = (uint32_t)(i / COLUMNS);
        column[i] = (uint32_t)(i % COLUMNS);
    }
    EXPECT_OK(ki_sparse_from_entries(&entries, &matrix, &err));
    return matrix;
}

static struct solved solve(const struct sparse_matrix *matrix, const double *b,
                           const kn_least_squares_options *task)
{
    kn_least_squares_options own = *task;

    own.type = task->type ? task->type : KN_F32;
    return solve_matrix(NULL, matrix, b, 1, &own);
}

// What claims to be the least-squares solution, with noise and without, against a QR decomposition. The
// estimate is the error but for its own square, and for what is along singular values s so small that of a
// gradient of about 1e-6 |x| the part s^2 |x - x*| is below the floor of 1e-7 again, 1e-13 / s^2; a solution
// that is off by half of itself or more is found out, and one that is right to two digits is not.
START_TEST(solutions)
{
    const kn_least_squares_options task = {.iterations = 5000};
    size_t worthless = 0, good = 0;

    sparse_seed = test_seed("solutions");
    for (int spectrum = 0; spectrum < SPECTRA; spectrum++)
        for (double condition = 10; condition < 2e6; condition *= 10)
            for (int noise = 0; noise < 2; noise++) {
                struct sparse_matrix matrix = make_matrix(spectrum, condition);
                double *image = sparse_numbers(COLUMNS), *b = sparse_numbers(ROWS), x[COLUMNS], off;
                struct solved answer;
                const kn_least_squares_solution *solution;

                sparse_measure(&matrix, image, noise ? 0.01 : 0, b);
                EXPECT_OK(sparse_reference_least_squares(&matrix, b, x, &err));
                answer = solve(&matrix, b, &task);
                solution = answer.solutions;
                off = test_relative_distance(x, answer.x, COLUMNS);
                fprintf(stderr, "spectrum %d, condition %g%s: off by %.2g of itself, estimated %.2g; %s\n",
                        spectrum, condition, noise ? ", noise" : "", off, solution->error_estimate,
                        stopped_by(solution));
                if (strcmp(stopped_by(solution), "floor") == 0 && off < 0.05) {
                    ck_assert_double_gt(solution->error_estimate, off / 2 - 1e-13 * condition * condition);
                    ck_assert_double_lt(solution->error_estimate, 2 * off);
                }
                if (strcmp(stopped_by(solution), "floor") == 0 && off > 0.5) {
                    ck_assert(!solution->precision_reached);
                    worthless++;
                }
                if (off < 0.02) {
                    ck_assert(solution->precision_reached);
                    good++;
                }
                solved_free(&answer);
                ki_sparse_free(&matrix);
                free(image);
                free(b);
            }
    ck_assert_uint_ge(worthless, 3);
    ck_assert_uint_ge(good, 12);
}
END_TEST

// With a term that reduces A's condition number to 30, the same matrices can be solved, whatever their own
// is.
START_TEST(regularised)
{
    sparse_seed = test_seed("regularised");
    for (int spectrum = 0; spectrum < SPECTRA; spectrum++)
        for (int bounded = 0; bounded < 2; bounded++) {
            struct sparse_matrix matrix = make_matrix(spectrum, 1e6);
            kn_least_squares_options task = {.method = KN_LEAST_SQUARES_CGNR,
                                             .iterations = 2000,
                                             .lambda = 1e-3,
                                             .smooth = 1e-4,
                                             .order = 2,
                                             .bounded = bounded,
                                             .low = -0.5,
                                             .high = INFINITY,
                                             .weight = 0.1};
            double *image = sparse_numbers(COLUMNS), *b = sparse_numbers(ROWS), off;
            struct solved single, wanted;

            sparse_measure(&matrix, image, 0.01, b);
            single = solve(&matrix, b, &task);
            task.type = KN_F64;
            wanted = solve(&matrix, b, &task);
            off = test_relative_distance(wanted.x, single.x, COLUMNS);
            ck_assert(single.solutions->precision_reached);
            ck_assert_double_lt(off, 1e-3);
            ck_assert_double_lt(single.solutions->error_estimate, 1e-3);
            ck_assert_double_gt(single.solutions->error_estimate, off / 3);
            ck_assert(isnan(wanted.solutions->error_estimate) && wanted.solutions->precision_reached);
            solved_free(&single);
            solved_free(&wanted);
            ki_sparse_free(&matrix);
            free(image);
            free(b);
        }
}
END_TEST

// Rays with noise, ended early, by their number and by rules, and late: iterates lag, and are none the worse;
// the system of the source's size.
START_TEST(ill_posed)
{
    static const kn_least_squares_options tasks[] = {{.iterations = 10},
                                                     {.iterations = 100},
                                                     {.iterations = 400},
                                                     {.iterations = 400, .stop = KN_LEAST_SQUARES_STOP_NCP},
                                                     {.iterations = 400, .tolerance = 0.05}};
    const struct solve_segments segments = {BEAM_WIDTH, BEAM_HEIGHT, 81545, 7.95, 3};
    struct sparse_matrix matrix = sparse_parallel_beam();
    double image[BEAM_PIXELS], *b = sparse_numbers(81545);
    kn_sparse *made;
    struct solved answer;

    sparse_seed = test_seed("ill_posed");
    sparse_phantom(image);
    sparse_measure(&matrix, image, 0.02, b);
    for (size_t t = 0; t < sizeof tasks / sizeof *tasks; t++) {
        kn_least_squares_options task = tasks[t];
        struct solved wanted;

        answer = solve(&matrix, b, &task);
        task.type = KN_F64;
        wanted = solve(&matrix, b, &task);
        fprintf(stderr, "rays, %zu: off by %.2g, estimated %.2g, by %s\n", t,
                test_relative_distance(wanted.x, answer.x, BEAM_PIXELS), answer.solutions->error_estimate,
                stopped_by(answer.solutions));
        ck_assert(answer.solutions->precision_reached && answer.solutions->error_estimate > 0);
        // As the first copy begins, its part of an iteration is known by the power of ten alone.
        ck_assert_double_lt(test_relative_distance(wanted.x, answer.x, BEAM_PIXELS),
                            (task.stop == KN_LEAST_SQUARES_STOP_NCP ? 100 : 10) *
                                answer.solutions->error_estimate);
        solved_free(&wanted);
        solved_free(&answer);
    }
    ki_sparse_free(&matrix);
    EXPECT_OK(solve_segments_create(&segments, &made, &err));
    matrix = sparse_take(made);
    sparse_measure(&matrix, image, 0.02, b);
    answer = solve(&matrix, b, &(kn_least_squares_options){.iterations = 400});
    ck_assert(answer.solutions->precision_reached);
    ck_assert_double_lt(answer.solutions->error_estimate, 1e-4);
    solved_free(&answer);
    ki_sparse_free(&matrix);
    free(b);
}
END_TEST

// One system that single precision solves, and one of which it gets no digit, whenever the iterations end.
START_TEST(real_systems)
{
    static const struct {
        const char *name;
        size_t iterations;
        bool reached;
    } systems[] = {{"well1033", 100, true},
                   {"well1033", 400, true},
                   {"illc1033", 400, false},
                   {"illc1033", 20000, false}};

    for (size_t i = 0; i < sizeof systems / sizeof *systems; i++) {
        const kn_least_squares_options task = {.iterations = systems[i].iterations};
        char path[512], file[64];
        struct sparse_matrix matrix;
        struct sparse_columns b;
        struct solved answer;

        snprintf(file, sizeof file, "sparse/%s.mtx.gz", systems[i].name);
        if (!test_data_path(file, path, sizeof path))
            return;
        EXPECT_OK(sparse_read(path, &matrix, &err));
        snprintf(file, sizeof file, "sparse/%s_rhs1.mtx.gz", systems[i].name);
        if (!test_data_path(file, path, sizeof path))
            return;
        EXPECT_OK(sparse_read_columns(path, &b, &err));
        answer = solve(&matrix, b.values, &task);
        fprintf(stderr, "%s, %zu iterations: by estimate off by %.2g\n", systems[i].name, task.iterations,
                answer.solutions->error_estimate);
        ck_assert_msg(answer.solutions->precision_reached == systems[i].reached, "%s, %zu iterations",
                      systems[i].name, task.iterations);
        solved_free(&answer);
        ki_sparse_free(&matrix);
        free(b.values);
    }
}
END_TEST

START_TEST(real_tooth)
{
    char path[512];

    if (!test_data_path("sparse/tooth.h5", path, sizeof path))
        return;
    for (size_t iterations = 20; iterations <= 400; iterations += 380) {
        struct sparse_parallel geometry;
        struct sparse_columns b;
        struct solved answer;
        const kn_least_squares_options task = {.iterations = iterations, .type = KN_F32};
        kn_tomography_geometry given;

        EXPECT_OK(sparse_parse("parallel:181,80,80,36.5", &geometry, &err));
        EXPECT_OK(sparse_read_slice(path, 0, &geometry, &b, &err));
        EXPECT_OK(geometry_parse("parallel:181,80,80,36.5", &given, &err));
        given.theta = geometry.theta;
        answer = solve_rays(NULL, &given, b.values, &task);
        fprintf(stderr, "tooth, %zu iterations: by estimate off by %.2g\n", iterations,
                answer.solutions->error_estimate);
        ck_assert(answer.solutions->precision_reached);
        solved_free(&answer);
        ki_sparse_parallel_free(&geometry);
        free(b.values);
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {eigenvalues, lags,         solutions, regularised,
                                  ill_posed,   real_systems, real_tooth};

    return TEST_RUN("sparse_accuracy", CK_FORK, tests);
}
