// SPDX-License-Identifier: Apache-2.0
// Tests conjugate gradients on a device that stop where the residual is whitest: against the rule on the
// host, and for the same bits as the same number of iterations without the rule.
#include "solver_support.h"
#include "support/sparse_inputs.h"

#include "operator/ncp.h"
#include "app/sparse/product/reference.h"

// Solves once; returns the distances recorded for the residual of every iteration.
static float *solve_recorded(const struct system *s, const struct solver_case *options,
                             struct cgnr_result *result, float *record)
{
    size_t columns = s->matrix.columns, numbers = WHITE_NUMBERS * (options->cgnr.iterations + 1);
    struct sparse_solver *solver = NULL;
    kn_buffer *b = test_upload_with_room(s->b, s->matrix.rows * sizeof *s->b, 0);
    kn_buffer *at = test_upload_with_room(s->x, columns * sizeof *s->x, 0);
    kn_profile_entry *entries = NULL;
    size_t count = 0;
    float *x = malloc(columns * sizeof *x + 1);

    ck_assert_ptr_nonnull(x);
    EXPECT_OK(ki_sparse_solver_create(queue, &s->matrix, &options->storage, &options->cgnr, &solver, &err));
    EXPECT_OK(kn_profile_start(queue, &err));
    EXPECT_OK(ki_cgnr_solve(queue, ki_sparse_solver_cgnr(solver), b, at, at, result, &err));
    EXPECT_OK(kn_profile_stop(queue, &entries, &count, &err));
    // All launches of an iteration, including the transform's; and those before and after the iterations.
    ck_assert_uint_gt(test_count_kernel(entries, count, "white_judge"), 0);
    if (result->stopped == CGNR_STOPPED_WHITENESS)
        ck_assert_uint_eq(
            count, result->launches_per_iteration * test_count_kernel(entries, count, "white_judge") + 6);
    EXPECT_OK(kn_buffer_read(queue, at, 0, x, columns * sizeof *x, &err));
    EXPECT_OK(kn_buffer_read(queue, ki_sparse_solver_cgnr(solver)->white.record, 0, record,
                             numbers * sizeof *record, &err));
    kn_free(entries);
    ki_sparse_solver_free(solver);
    kn_buffer_free(b);
    kn_buffer_free(at);
    return x;
}

// A picture of two discs, its projections, and 2 % of noise; x begins with 0.
static struct system noisy_system(const char *rays, uint64_t *state)
{
    struct sparse_parallel geometry;
    struct system s = {.b = NULL};
    double size = 0, noise = 0, *random;
    size_t rows, columns;

    EXPECT_OK(sparse_parse(rays, &geometry, &err));
    EXPECT_OK(ki_sparse_parallel_matrix(&geometry, &s.matrix, &err));
    rows = s.matrix.rows;
    columns = s.matrix.columns;
    s.b = malloc(rows * sizeof *s.b);
    s.x = calloc(columns, sizeof *s.x);
    s.right = malloc(rows * sizeof *s.right);
    s.start = calloc(columns, sizeof *s.start);
    random = malloc(rows * sizeof *random);
    ck_assert(s.b && s.x && s.right && s.start && random);
    for (size_t j = 0; j < columns; j++) {
        double x = 2 * (double)(j % geometry.size) / (double)geometry.size - 1;
        double y = 2 * (double)(j / geometry.size) / (double)geometry.size - 1;

        s.start[j] = (x * x + y * y < 0.7 ? 1 : 0) + ((x - 0.3) * (x - 0.3) + y * y < 0.05 ? 1 : 0);
    }
    ki_sparse_parallel_free(&geometry);
    ki_sparse_reference_multiply(&s.matrix, s.start, s.right);
    for (size_t i = 0; i < rows; i++) {
        random[i] = 0;
        for (unsigned k = 0; k < 6; k++) // nearly normal
            random[i] += (double)test_signed(state);
        size += s.right[i] * s.right[i];
        noise += random[i] * random[i];
    }
    for (size_t i = 0; i < rows; i++)
        s.right[i] = (double)(s.b[i] = (float)(s.right[i] + 0.02 * sqrt(size / noise) * random[i]));
    memset(s.start, 0, columns * sizeof *s.start);
    free(random);
    return s;
}

// The iteration that the rule of ncp.h chooses for these distances, if the margin is off by `slack`.
static size_t whitest(const double *distances, size_t count, double noise, double slack)
{
    double least = distances[0];
    size_t last = 0, end = NCP_PATIENCE;

    for (size_t k = 0; k < count && k < end; k++) {
        least = fmin(least, distances[k]);
        if (distances[k] <= least + NCP_MARGIN * noise + slack)
            last = k;
        end = (least > NCP_WHITE * noise ? 3 * last : last) + NCP_PATIENCE;
    }
    return last;
}

// The distance of b - A x from white noise, for the x after k iterations, in double precision.
static double distance_after(const struct system *s, size_t k, double *x, double *r)
{
    const struct solver_case options = {.cgnr = {.iterations = k, .gradient = -1},
                                        .storage = {.format = KN_SPARSE_SIMPLE}};
    struct cgnr_result result;
    float *found = solve(s, &options, &result);

    ck_assert_uint_eq(result.iterations, k);
    for (size_t j = 0; j < s->matrix.columns; j++)
        x[j] = (double)found[j];
    ki_sparse_reference_multiply(&s->matrix, x, r);
    for (size_t i = 0; i < s->matrix.rows; i++)
        r[i] -= s->right[i];
    free(result.history);
    free(found);
    return ki_ncp_distance(r, s->matrix.rows);
}

// The distances are those of the residuals, which the device has by recurrence: after some 20 iterations they
// are off by 20 roundings of |b| at most, 1e-6 of it or 4e-5 of the noise in it, and twice that part of their
// periodograms. The iteration is the one that the rule takes of them, and x is what it is after so many
// iterations alone.
START_TEST(whiteness)
{
    enum { MOST = 63 };
    static const double slack = 1e-4;
    uint64_t state = test_seed("whiteness");
    struct system s = noisy_system(test_is_slow() ? "parallel:10,13,8" : "parallel:90,64,48", &state);
    size_t rows = s.matrix.rows, columns = s.matrix.columns, looked;
    double distances[MOST + 1], *x = malloc(columns * sizeof *x), *r = malloc(rows * sizeof *r);
    double noise = ki_ncp_of_noise(rows), worst = 0;
    float record[WHITE_NUMBERS * (MOST + 1)], *found, *alone;
    struct solver_case options = {.cgnr = {.iterations = test_is_slow() ? 3 : MOST, .white = true},
                                  .storage = {.format = KN_SPARSE_SIMPLE}};
    struct cgnr_result result, plain;

    ck_assert(x && r);
    found = solve_recorded(&s, &options, &result, record);
    ck_assert_str_eq(ki_cgnr_stopped_names[result.stopped], test_is_slow() ? "iterations" : "whiteness");
    ck_assert_uint_eq(result.launches_per_iteration, 10);
    looked = result.iterations + (test_is_slow() ? 0 : NCP_PATIENCE) + 1;
    ck_assert_uint_le(looked, MOST);
    for (size_t k = 0; k < looked; k++) {
        distances[k] = distance_after(&s, k, x, r);
        worst = fmax(worst, fabs((double)record[WHITE_NUMBERS * k + WHITE_DISTANCE] - distances[k]));
    }
    fprintf(stderr, "whiteness: distances off by %.2g, x of iteration %zu\n", worst, result.iterations);
    ck_assert_double_lt(worst, slack);
    ck_assert(test_is_slow() || result.iterations == whitest(distances, looked, noise, 0) ||
              result.iterations == whitest(distances, looked, noise, 2 * slack) ||
              result.iterations == whitest(distances, looked, noise, -2 * slack));
    ck_assert_uint_gt(result.iterations, 2);
    options = (struct solver_case){.cgnr = {.iterations = result.iterations},
                                   .storage = {.format = KN_SPARSE_SIMPLE}};
    alone = solve(&s, &options, &plain);
    ck_assert_int_eq(memcmp(found, alone, columns * sizeof *found), 0);
    ck_assert_double_eq(plain.residual, result.residual);
    ck_assert_double_eq(plain.normal_residual, result.normal_residual);
    free(result.history);
    free(plain.history);
    free(found);
    free(alone);
    free(x);
    free(r);
    system_drop(&s);
}
END_TEST

// Fewer rows than a periodogram needs: all iterations are done, as on the host.
START_TEST(too_few_rows)
{
    uint64_t state = test_seed("too_few_rows");
    struct system s = system_make(7, 3, 2, &state);
    const struct solver_case options = {.cgnr = {.iterations = 2, .white = true},
                                        .storage = {.format = KN_SPARSE_SIMPLE}};
    struct cgnr_result result;

    free(solve(&s, &options, &result));
    ck_assert_str_eq(ki_cgnr_stopped_names[result.stopped], "iterations");
    ck_assert_uint_eq(result.launches_per_iteration, 6);
    free(result.history);
    system_drop(&s);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {whiteness, too_few_rows};

    return test_run("whiteness", tests, sizeof tests / sizeof *tests, test_open, test_close);
}
