// SPDX-License-Identifier: Apache-2.0
// Conjugate gradients on a device, by two launches an iteration and by separate ones: against a dense
// solution and against the same loop in double precision; corrections, stop tests, starts, bits, what ran,
// what is refused.
#include "sparse_support.h"

#include <float.h>

#include "../../../../src/app/sparse/reference.h"
#include "../../../../src/app/sparse/solver.h"

enum { ROOM = 64 };

struct system {
    struct sparse_matrix matrix;
    float *b, *x; // x: the start
    double *right, *start;
};

// Every column has a strong nonzero of its own, so that the problem is well posed.
static struct system make(size_t rows, size_t columns, size_t mean, uint64_t *state)
{
    struct system s = {.b = malloc(rows * sizeof(float) + 1), .x = malloc(columns * sizeof(float) + 1)};
    size_t most = rows * (2 * mean + 1) + columns, count = 0;
    uint32_t *row = malloc(most * sizeof *row + 1), *column = malloc(most * sizeof *column + 1);
    double *values = malloc(most * sizeof *values + 1);

    s.right = malloc(rows * sizeof *s.right + 1);
    s.start = malloc(columns * sizeof *s.start + 1);
    ck_assert(s.b && s.x && s.right && s.start && row && column && values);
    for (size_t i = 0; i < rows; i++) {
        s.right[i] = (double)(s.b[i] = test_signed(state));
        for (size_t k = test_random(state) % (2 * mean + 1); k > 0; k--, count++) {
            row[count] = (uint32_t)i;
            column[count] = (uint32_t)(test_random(state) % columns);
            values[count] = 0.5 * (double)test_signed(state);
        }
    }
    for (size_t j = 0; j < columns; j++, count++) {
        s.start[j] = (double)(s.x[j] = test_signed(state));
        row[count] = (uint32_t)(j * rows / columns);
        column[count] = (uint32_t)j;
        values[count] = 2 + (double)mean * test_uniform(state) / 2;
    }
    const struct sparse_entries entries = {rows, columns, count, row, column, values};
    EXPECT_OK(sparse_from_entries(&entries, &s.matrix, &err));
    for (size_t i = 0; i < s.matrix.nonzeros; i++)
        s.matrix.values[i] = (double)(float)s.matrix.values[i];
    free(row);
    free(column);
    free(values);
    return s;
}

static void drop(struct system *s)
{
    sparse_free(&s->matrix);
    free(s->b);
    free(s->x);
    free(s->right);
    free(s->start);
}

// The solution, or NULL where it is refused; the caller frees it and the history.
static float *solve(const struct system *s, const struct sparse_solver_options *options,
                    struct sparse_solver_result *result)
{
    size_t rows = s->matrix.rows, columns = s->matrix.columns;
    struct sparse_solver *solver = NULL;
    float *x = malloc(columns * sizeof *x + 1), *again = malloc(columns * sizeof *x + 1);
    kn_buffer *b = test_upload_with_room(s->b, rows * sizeof *x, 0);
    kn_buffer *at = test_upload_with_room(s->x, columns * sizeof *x, ROOM);
    struct sparse_solver_result repeated;

    ck_assert(x && again);
    EXPECT_OK(sparse_solver_create(queue, &s->matrix, options, &solver, &err));
    if (options->launches != SPARSE_LAUNCHES_AUTO)
        ck_assert_int_eq(sparse_solver_is_fused(solver), options->launches == SPARSE_LAUNCHES_FUSED);
    EXPECT_OK(sparse_solver_solve(queue, solver, b, at, result, &err));
    EXPECT_OK(kn_buffer_read(queue, at, 0, x, columns * sizeof *x, &err));
    test_expect_poison(at, columns * sizeof *x);
    // Once more, with the same solver: the same bits.
    EXPECT_OK(kn_buffer_write(queue, at, 0, s->x, columns * sizeof *x, &err));
    EXPECT_OK(sparse_solver_solve(queue, solver, b, at, &repeated, &err));
    EXPECT_OK(kn_buffer_read(queue, at, 0, again, columns * sizeof *x, &err));
    if (options->format != SPARSE_BACKPROJECTION) {
        ck_assert_int_eq(memcmp(x, again, columns * sizeof *x), 0);
        ck_assert_uint_eq(repeated.iterations, result->iterations);
        ck_assert_int_eq(
            memcmp(repeated.history, result->history, (repeated.iterations + 1) * sizeof *repeated.history),
            0);
    }
    free(repeated.history);
    free(again);
    sparse_solver_free(solver);
    kn_buffer_free(b);
    kn_buffer_free(at);
    return x;
}

static double distance(const float *x, const double *wanted, size_t n)
{
    double square = 0, norm = 0;

    for (size_t i = 0; i < n; i++) {
        square += ((double)x[i] - wanted[i]) * ((double)x[i] - wanted[i]);
        norm += wanted[i] * wanted[i];
    }
    return n ? sqrt(square / (norm > 0 ? norm : 1)) : 0;
}

static const enum sparse_launches ways[] = {SPARSE_LAUNCHES_FUSED, SPARSE_LAUNCHES_SEPARATE};

// To the end, against the dense solution. The gradient's recurrence is in floats: its error is a rounding of
// each iteration, times the condition of A^T A, below 20 here by the strong nonzeros: (iterations + terms)
// eps * 20, of which 2e-4 has room for 160.
START_TEST(dense)
{
    static const size_t sizes[][2] = {{1, 1},   {2, 1},    {3, 3},     {33, 31},   {64, 32},
                                      {65, 33}, {129, 64}, {300, 127}, {511, 129}, {700, 257}};
    uint64_t state = test_seed("dense");
    double worst = 0;

    for (size_t i = 0; i < (test_is_slow() ? 4 : sizeof sizes / sizeof *sizes); i++) {
        struct system s = make(sizes[i][0], sizes[i][1], 3, &state);
        double *wanted = malloc(sizes[i][1] * sizeof *wanted);

        EXPECT_OK(sparse_reference_least_squares(&s.matrix, s.right, wanted, &err));
        for (size_t w = 0; w < 2; w++) {
            const struct sparse_solver_options options = {.iterations = 300, .launches = ways[w]};
            struct sparse_solver_result result;
            float *x = solve(&s, &options, &result);
            double off = distance(x, wanted, sizes[i][1]);
            ck_assert_msg(off < 2e-4, "%zu x %zu, way %zu: off by %g after %zu iterations, stopped by %s",
                          sizes[i][0], sizes[i][1], w, off, result.iterations,
                          sparse_stopped_names[result.stopped]);
            ck_assert_int_ne((int)result.stopped, SPARSE_STOPPED_ITERATIONS);
            worst = off > worst ? off : worst;
            free(result.history);
            free(x);
        }
        free(wanted);
        drop(&s);
    }
    fprintf(stderr, "dense: off by at most %.2g\n", worst);
}
END_TEST

// ---- corrections ----

struct terms {
    double lambda, smooth, nonnegative, weight;
    unsigned order;
};

static void add_terms(const struct terms *terms, const double *x, const double *d, size_t n, double *out)
{
    for (size_t j = 0; j < n; j++) {
        out[j] += terms->lambda * d[j] + (x[j] < 0 ? terms->nonnegative * d[j] : 0);
        out[j] += terms->weight * (double)(j % 3) * d[j];
    }
    if (terms->order == 1)
        for (size_t j = 0; j + 1 < n; j++) {
            double step = terms->smooth * (d[j + 1] - d[j]);
            out[j + 1] += step;
            out[j] -= step;
        }
    if (terms->order == 2)
        for (size_t j = 0; j + 2 < n; j++) {
            double bend = terms->smooth * (d[j] - 2 * d[j + 1] + d[j + 2]);
            out[j] += bend;
            out[j + 1] -= 2 * bend;
            out[j + 2] += bend;
        }
}

static void terms_gradient(const void *data, const double *x, size_t n, double *out)
{
    add_terms(data, x, x, n, out);
}

static void terms_along(const void *data, const double *x, const double *d, size_t n, double *out)
{
    add_terms(data, x, d, n, out);
}

// A few iterations against the same ones in double precision: an iteration adds some roundings, and conjugacy
// loses as much; without convergence they do not grow by more than the condition of A^T A.
START_TEST(corrections)
{
    static const struct terms tried[] = {{.lambda = 0},
                                         {.lambda = 0.7},
                                         {.smooth = 2, .order = 1},
                                         {.smooth = 0.5, .order = 2},
                                         {.nonnegative = 50},
                                         {.weight = 1.5},
                                         {.lambda = 0.1, .smooth = 1, .order = 2, .nonnegative = 3}};
    static const size_t sizes[][2] = {{40, 1}, {40, 2}, {40, 3}, {90, 40}, {600, 200}};
    uint64_t state = test_seed("corrections");

    for (size_t i = 0; i < (test_is_slow() ? 3 : sizeof sizes / sizeof *sizes); i++) {
        struct system s = make(sizes[i][0], sizes[i][1], 4, &state);
        double *wanted = malloc(sizes[i][1] * sizeof *wanted);
        for (size_t t = 0; t < sizeof tried / sizeof *tried; t++) {
            const struct sparse_correction correction = {terms_gradient, terms_along, &tried[t]};
            // In so few columns a step across 0 uses up all directions there are: what is left is rounding.
            if (tried[t].nonnegative > 0 && sizes[i][1] < 40)
                continue;
            const struct sparse_reference_options plain = {.iterations = 6, .correction = &correction};

            memcpy(wanted, s.start, sizes[i][1] * sizeof *wanted);
            EXPECT_OK(sparse_reference_solve(&s.matrix, s.right, &plain, wanted, NULL, &err));
            for (size_t w = 0; w < 2; w++) {
                const struct sparse_solver_options options = {
                    .iterations = 6,
                    .lambda = tried[t].lambda,
                    .smooth = tried[t].smooth,
                    .order = tried[t].order,
                    .nonnegative = tried[t].nonnegative,
                    .correction = tried[t].weight != 0 ? "weight * (float)(i % 3) * d" : NULL,
                    .weight = tried[t].weight,
                    .launches = ways[w]};
                struct sparse_solver_result result;
                float *x = solve(&s, &options, &result);
                double off = distance(x, wanted, sizes[i][1]);
                ck_assert_msg(off < 2e-4,
                              "correction %zu, way %zu, %zu x %zu: off by %g after %zu iterations", t, w,
                              sizes[i][0], sizes[i][1], off, result.iterations);
                free(result.history);
                free(x);
            }
        }
        free(wanted);
        drop(&s);
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {dense, corrections};

    return test_run("solver", tests, sizeof tests / sizeof *tests, test_open, test_close);
}
