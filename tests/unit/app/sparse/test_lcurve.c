// SPDX-License-Identifier: Apache-2.0
// Tests the L-curve on a discretised integral equation, shaw, against dense elimination in double precision;
// the lambda of its corner against the best one; curves without a corner; refusals.
#include "sparse_support.h"
#include "least_squares_support.h"

#include "app/sparse/solver/lcurve.h"

enum { SIZE = 32, POINTS = 21 };

static const double pi = 3.14159265358979323846;

// ---- the problem ----

// The image of a slit that light meets at the angle t, seen at the angle s (Shaw 1972), by the midpoint rule.
struct shaw {
    double a[SIZE][SIZE], x[SIZE], b[SIZE];
    struct sparse_matrix matrix;
};

static double angle(size_t i)
{
    return -pi / 2 + ((double)i + 0.5) * pi / SIZE;
}

static double normal(uint64_t *state)
{
    return sqrt(-2 * log(1 - test_uniform(state))) * cos(2 * pi * test_uniform(state));
}

static void make(struct shaw *shaw, double noise, uint64_t *state)
{
    static uint32_t row[SIZE * SIZE], column[SIZE * SIZE];
    const struct sparse_entries entries = {SIZE, SIZE, (size_t)SIZE * SIZE, row, column, shaw->a[0]};
    double sum = 0;

    for (size_t i = 0; i < SIZE; i++) {
        const double t = angle(i);

        shaw->x[i] = 2 * exp(-6 * (t - 0.8) * (t - 0.8)) + exp(-2 * (t + 0.5) * (t + 0.5));
        for (size_t j = 0; j < SIZE; j++) {
            const double u = pi * (sin(t) + sin(angle(j))), c = cos(t) + cos(angle(j)),
                         wave = fabs(u) < 1e-12 ? 1 : sin(u) / u;

            shaw->a[i][j] = pi / SIZE * c * c * wave * wave;
            row[i * SIZE + j] = (uint32_t)i;
            column[i * SIZE + j] = (uint32_t)j;
        }
    }
    for (size_t i = 0; i < SIZE; i++) {
        shaw->b[i] = 0;
        for (size_t j = 0; j < SIZE; j++)
            shaw->b[i] += shaw->a[i][j] * shaw->x[j];
        sum += shaw->b[i] * shaw->b[i];
    }
    for (size_t i = 0; i < SIZE; i++)
        shaw->b[i] += noise * sqrt(sum / SIZE) * normal(state);
    EXPECT_OK(ki_sparse_from_entries(&entries, &shaw->matrix, &err));
}

// x = (A^T A + lambda)^-1 A^T b by elimination; the matrix is positive definite, and needs no pivots.
static void solve_densely(const struct shaw *shaw, double lambda, double x[SIZE])
{
    static double g[SIZE][SIZE];

    for (size_t i = 0; i < SIZE; i++) {
        x[i] = 0;
        for (size_t k = 0; k < SIZE; k++)
            x[i] += shaw->a[k][i] * shaw->b[k];
        for (size_t j = 0; j < SIZE; j++) {
            g[i][j] = i == j ? lambda : 0;
            for (size_t k = 0; k < SIZE; k++)
                g[i][j] += shaw->a[k][i] * shaw->a[k][j];
        }
    }
    for (size_t k = 0; k < SIZE; k++)
        for (size_t i = k + 1; i < SIZE; i++) {
            const double factor = g[i][k] / g[k][k];

            for (size_t j = k; j < SIZE; j++)
                g[i][j] -= factor * g[k][j];
            x[i] -= factor * x[k];
        }
    for (size_t k = SIZE; k-- > 0;) {
        for (size_t j = k + 1; j < SIZE; j++)
            x[k] -= g[k][j] * x[j];
        x[k] /= g[k][k];
    }
}

static double norm(const double *x, size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += x[i] * x[i];
    return sqrt(sum);
}

static double error_of(const struct shaw *shaw, const double *x)
{
    double difference[SIZE];

    for (size_t i = 0; i < SIZE; i++)
        difference[i] = x[i] - shaw->x[i];
    return norm(difference, SIZE);
}

static double residual_of(const struct shaw *shaw, const double *x)
{
    double r[SIZE];

    for (size_t i = 0; i < SIZE; i++) {
        r[i] = -shaw->b[i];
        for (size_t j = 0; j < SIZE; j++)
            r[i] += shaw->a[i][j] * x[j];
    }
    return norm(r, SIZE);
}

static void find(kn_queue *where, const struct shaw *shaw, kn_type type, double points[3 * POINTS],
                 size_t *corner)
{
    const kn_sparse view = {shaw->matrix};
    const kn_least_squares_task task =
        KN_INIT(kn_least_squares_task, .matrix = &view, .b = shaw->b, .count = 1);
    const kn_least_squares_options options = KN_INIT(kn_least_squares_options, .iterations = 400,
                                                     .type = type, .format = where ? KN_SPARSE_SIMPLE : 0);

    memset(points, 0xff, 3 * POINTS * sizeof *points);
    *corner = SIZE_MAX;
    EXPECT_OK(kn_least_squares_lcurve(where, &task, &options, POINTS, points, corner, &err));
}

// ---- tests ----

// Errors of x along a singular vector are those of A^T b, n roundings of |A|^2 |x|, divided by lambda, of
// which the residual sees the part that A keeps: at most 1 / (2 sqrt lambda). This allows for them down to
// 1e-9 of |A|^2. The factor is 3: in 1,000 draws of each of these problems, solved by a singular value
// decomposition, the error at the corner was at most 2.7 times that at the best point of the grid.
START_TEST(beside_elimination)
{
    static const double noises[] = {0.1, 0.03};
    uint64_t state = test_seed("beside_elimination");

    for (size_t n = 0; n < sizeof noises / sizeof *noises; n++) {
        struct shaw shaw;
        double points[3 * POINTS], x[SIZE], least = INFINITY, chosen = INFINITY;
        size_t corner;

        make(&shaw, noises[n], &state);
        find(NULL, &shaw, KN_F64, points, &corner);
        ck_assert_uint_lt(corner, POINTS);
        for (size_t i = 0; i < POINTS; i++) {
            const double *point = points + 3 * i;

            ck_assert_double_eq_tol(point[0] / *points, pow(10, -0.5 * (double)i), 1e-12);
            solve_densely(&shaw, point[0], x);
            least = fmin(least, error_of(&shaw, x));
            chosen = i == corner ? error_of(&shaw, x) : chosen;
            if (point[0] < 1e-9 * *points)
                continue;
            ck_assert_double_eq_tol(point[1] / residual_of(&shaw, x), 1, 1e-6);
            ck_assert_double_eq_tol(point[2] / norm(x, SIZE), 1, 1e-4);
        }
        ck_assert_msg(chosen <= 3 * least, "noise %g: off by %g at point %zu, by %g at the best", noises[n],
                      chosen, corner, least);
        ki_sparse_free(&shaw.matrix);
    }
}
END_TEST

// The grid begins at |A|^2: the power method is below it, and the first point is one of much too much lambda.
START_TEST(range)
{
    uint64_t state = test_seed("range");
    struct shaw shaw;
    double points[3 * POINTS], greatest = 0;
    size_t corner;

    make(&shaw, 0.05, &state);
    find(NULL, &shaw, KN_F32, points, &corner);
    for (size_t i = 0; i < SIZE; i++) { // A is symmetric
        double sum = 0;

        for (size_t j = 0; j < SIZE; j++)
            sum += fabs(shaw.a[i][j]);
        greatest = fmax(greatest, sum);
    }
    ck_assert_double_le(points[0], greatest * greatest);
    ck_assert_double_ge(points[0], 0.25 * greatest * greatest);
    ck_assert_double_eq_tol(points[3 * (POINTS - 1)] / points[0], 1e-6, 1e-12);
    ck_assert_uint_lt(corner, POINTS);
    ki_sparse_free(&shaw.matrix);
}
END_TEST

// In single precision, for at least a thousandth of |A|^2: errors as above.
START_TEST(device)
{
    uint64_t state = test_seed("device");
    struct shaw shaw;
    double points[3 * POINTS], x[SIZE];
    size_t corner;

    make(&shaw, 0.1, &state);
    find(queue, &shaw, KN_F32, points, &corner);
    ck_assert_uint_lt(corner, POINTS);
    for (size_t i = 0; i < POINTS && points[3 * i] >= 1e-3 * *points; i++) {
        solve_densely(&shaw, points[3 * i], x);
        ck_assert_double_eq_tol(points[3 * i + 1] / residual_of(&shaw, x), 1, 1e-3);
        ck_assert_double_eq_tol(points[3 * i + 2] / norm(x, SIZE), 1, 1e-2);
    }
    ki_sparse_free(&shaw.matrix);
}
END_TEST

// A corner is found where two lines meet; not on a line, not on a wide bend, and not among points that hardly
// differ.
START_TEST(shapes)
{
    double points[3 * POINTS];

    for (size_t meet = 3; meet < POINTS - 3; meet++) {
        for (size_t i = 0; i < POINTS; i++) {
            points[3 * i + 1] = exp(i < meet ? 0.4 * (double)(meet - i) : -0.01 * (double)(i - meet));
            points[3 * i + 2] = exp(i < meet ? -0.01 * (double)(meet - i) : 0.4 * (double)(i - meet));
        }
        ck_assert_uint_eq(ki_sparse_lcurve_corner(points, POINTS), meet);
        for (size_t i = 0; i < POINTS; i++) { // as if it turned downwards
            const double kept = points[3 * i + 1];

            points[3 * i + 1] = points[3 * i + 2];
            points[3 * i + 2] = kept;
        }
        for (size_t i = 0; i < POINTS; i++)
            points[3 * i + 1] = 1 / points[3 * i + 1], points[3 * i + 2] = 1 / points[3 * i + 2];
        ck_assert_uint_eq(ki_sparse_lcurve_corner(points, POINTS), POINTS);
    }
    for (size_t i = 0; i < POINTS; i++) {
        points[3 * i + 1] = exp(-0.3 * (double)i);
        points[3 * i + 2] = exp(0.2 * (double)i);
    }
    ck_assert_uint_eq(ki_sparse_lcurve_corner(points, POINTS), POINTS);
    for (size_t i = 0; i < POINTS; i++) { // a quarter of a circle of radius 1
        points[3 * i + 1] = exp(-sin(pi / 2 * (double)i / (POINTS - 1)));
        points[3 * i + 2] = exp(-cos(pi / 2 * (double)i / (POINTS - 1)));
    }
    ck_assert_uint_eq(ki_sparse_lcurve_corner(points, POINTS), POINTS);
    for (size_t i = 0; i < POINTS; i++) {
        points[3 * i + 1] = exp(1e-9 * (double)(i % 3));
        points[3 * i + 2] = exp(1e-9 * (double)(i % 2));
    }
    ck_assert_uint_eq(ki_sparse_lcurve_corner(points, POINTS), POINTS);
}
END_TEST

static bool stop(void *data, size_t done, size_t count)
{
    size_t *seen = data;

    ck_assert_uint_eq(count, POINTS);
    *seen = done;
    return done < 3;
}

START_TEST(refused)
{
    static const struct {
        kn_least_squares_options options;
        const char *words;
    } tried[] = {{{.lambda = 1}, "leave lambda at 0"},
                 {{.smooth = 1, .order = 1}, "smooth"},
                 {{.method = KN_LEAST_SQUARES_CGNR, .bounded = true, .high = 1}, "bounds"},
                 {{.method = KN_LEAST_SQUARES_FISTA}, "by cgnr, not by fista"},
                 {{.tolerance = 0.1}, "not by a stopping rule; leave residual out"},
                 {{.stop = KN_LEAST_SQUARES_STOP_NCP}, "leave ncp out"}};
    uint64_t state = test_seed("refused");
    struct shaw shaw;
    double points[3 * POINTS], kept[3 * POINTS], zero[SIZE] = {0};
    size_t corner = 77, seen = 0;

    make(&shaw, 0.05, &state);
    const kn_sparse view = {shaw.matrix};
    kn_least_squares_task task = KN_INIT(kn_least_squares_task, .matrix = &view, .b = shaw.b, .count = 1);
    kn_least_squares_options options = KN_INIT(kn_least_squares_options, .iterations = 20);

    memset(points, 0xa5, sizeof points);
    memset(kept, 0xa5, sizeof kept);
    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++) {
        kn_least_squares_options wrong = tried[i].options;

        wrong.struct_size = sizeof wrong;
        EXPECT_REFUSED(KN_ERROR_ARGUMENT, tried[i].words,
                       kn_least_squares_lcurve(NULL, &task, &wrong, POINTS, points, &corner, &err));
    }
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "4 points; expected from 5 to 1000",
                   kn_least_squares_lcurve(NULL, &task, &options, 4, points, &corner, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "expected from 5 to 1000",
                   kn_least_squares_lcurve(NULL, &task, &options, SIZE_MAX, points, &corner, &err));
    options.progress = stop;
    options.progress_data = &seen;
    EXPECT_REFUSED(KN_ERROR_INTERRUPTED, "after 3 of 21 points",
                   kn_least_squares_lcurve(NULL, &task, &options, POINTS, points, &corner, &err));
    ck_assert_uint_eq(seen, 3);
    options.progress = NULL;
    task.b = zero;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "A^T b is 0 everywhere",
                   kn_least_squares_lcurve(NULL, &task, &options, POINTS, points, &corner, &err));
    ck_assert_mem_eq(points, kept, sizeof points);
    ck_assert_uint_eq(corner, 77);
    ki_sparse_free(&shaw.matrix);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {beside_elimination, range, device, shapes, refused};

    return test_run("lcurve", tests, sizeof tests / sizeof *tests, test_open, test_close);
}
