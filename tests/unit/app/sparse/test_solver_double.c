// SPDX-License-Identifier: Apache-2.0
// Conjugate gradients on a device in double precision, with separate launches and fused ones: the gradient of
// what they minimise, in extended precision, is as good as 0; the same bits again; and iterations are never
// more than were asked for.
#include "operator_support.h"
#include "support/memory/memory.h"
#include "support/run.h"

#include "app/sparse/solver/device/solver.h"
#include "operator/cgnr/cgnr.h"

enum { MOST = 700 };

// |A^T (A x - b) + lambda x + weight (x - P x)|, where P x is within the bounds.
static double gradient_of(const struct sparse_matrix *matrix, const double *b, const double *x,
                          const struct cgnr_options *o)
{
    static long double rest[MOST], g[MOST];
    long double squares = 0;

    for (size_t j = 0; j < matrix->columns; j++) {
        double beyond = x[j] < o->low ? x[j] - o->low : x[j] > o->high ? x[j] - o->high : 0;
        g[j] = (long double)o->lambda * x[j] + (o->penalty > 0 ? (long double)o->penalty * beyond : 0);
    }
    for (size_t i = 0; i < matrix->rows; i++) {
        rest[i] = -(long double)b[i];
        for (uint64_t at = matrix->starts[i]; at < matrix->starts[i + 1]; at++)
            rest[i] += (long double)matrix->values[at] * x[matrix->indices[at]];
        for (uint64_t at = matrix->starts[i]; at < matrix->starts[i + 1]; at++)
            g[matrix->indices[at]] += (long double)matrix->values[at] * rest[i];
    }
    for (size_t j = 0; j < matrix->columns; j++)
        squares += g[j] * g[j];
    return (double)sqrtl(squares);
}

static void check(const struct sparse_matrix *matrix, const double *b, const struct sparse_storage *storage,
                  const struct cgnr_options *options)
{
    static const double nothing[MOST];
    double x[MOST], again[MOST], first = gradient_of(matrix, b, nothing, options), last;
    size_t rows = matrix->rows * sizeof *b, columns = matrix->columns * sizeof *x;
    struct sparse_solver *solver = NULL;
    struct cgnr_result result, repeated;
    kn_buffer *right = test_upload_with_room(b, rows, 0), *at = test_upload_with_room(nothing, columns, 64);
    kn_profile_entry *entries = NULL;
    size_t count = 0;
    bool fused = storage->launches == SPARSE_LAUNCHES_FUSED;

    EXPECT_OK(ki_sparse_solver_create(queue, matrix, storage, options, &solver, &err));
    ck_assert_int_eq(ki_sparse_solver_is_fused(solver), fused);
    EXPECT_OK(kn_profile_start(queue, &err));
    EXPECT_OK(ki_cgnr_solve(queue, ki_sparse_solver_cgnr(solver), right, NULL, at, &result, &err));
    EXPECT_OK(kn_profile_stop(queue, &entries, &count, &err));
    ck_assert((test_count_kernel(entries, count, "cgnr_forward") > 0) == fused);
    ck_assert((test_count_kernel(entries, count, "cgnr_step") > 0) == !fused);
    kn_free(entries);
    EXPECT_OK(kn_buffer_read(queue, at, 0, x, columns, &err));
    test_expect_poison(at, columns);
    last = gradient_of(matrix, b, x, options);
    // Rounding of A x - b and of A^T of it leaves some hundred units of 2^-53 of what is added up.
    ck_assert_msg(last < 1e-13 * first, "%s, %zu iterations: the gradient is %g of the first one",
                  fused ? "fused" : "separate", result.iterations, last / first);
    if (options->penalty == 0) // which has a kink where x leaves the bounds
        ck_assert_int_eq((int)result.stopped, CGNR_STOPPED_GRADIENT);
    ck_assert_uint_le(result.iterations, options->iterations);
    for (size_t i = 0; i <= result.iterations; i++)
        ck_assert(isfinite(result.history[i]) && isfinite(result.steps[i]));
    ck_assert(result.history[0] == 1 && result.history[result.iterations] == result.normal_residual);
    EXPECT_OK(ki_cgnr_solve(queue, ki_sparse_solver_cgnr(solver), right, NULL, at, &repeated, &err));
    EXPECT_OK(kn_buffer_read(queue, at, 0, again, columns, &err));
    ck_assert_mem_eq(x, again, columns);
    ck_assert_uint_eq(repeated.iterations, result.iterations);
    free(result.history);
    free(repeated.history);
    ki_sparse_solver_free(solver);
    kn_buffer_free(right);
    kn_buffer_free(at);
}

START_TEST(gradients)
{
    static const struct cgnr_options tried[] = {
        {.iterations = 2000},
        {.iterations = 2000, .lambda = 0.3},
        {.iterations = 2000, .penalty = 20, .low = -0.01, .high = INFINITY}};
    uint64_t state = test_seed("gradients");

    if (!test_takes(KN_F64))
        return;
    for (size_t i = 0; i < (test_is_slow() ? 1 : sizeof tried / sizeof *tried); i++) {
        size_t rows = test_is_slow() ? 60 : 300 + test_random(&state) % 300;
        struct sparse_matrix matrix = test_sparse(rows, rows / 6, 9, SKEW_NONE, &state);
        double b[MOST];

        for (size_t k = 0; k < matrix.nonzeros; k++)
            matrix.values[k] += 1e-9 * test_uniform(&state); // not representable as floats
        for (size_t k = 0; k < rows; k++)
            b[k] = 2 * test_uniform(&state) - 1;
        check(&matrix, b,
              &(struct sparse_storage){.launches = SPARSE_LAUNCHES_FUSED, .tuning.is_double = true},
              &tried[i]);
        check(&matrix, b,
              &(struct sparse_storage){
                  .launches = SPARSE_LAUNCHES_SEPARATE, .format = KN_SPARSE_SELL, .tuning.is_double = true},
              &tried[i]);
        ki_sparse_free(&matrix);
    }
}
END_TEST

// Refinement does no more iterations than are left.
START_TEST(limited)
{
    uint64_t state = test_seed("limited");
    struct sparse_matrix matrix = test_sparse(200, 30, 9, SKEW_NONE, &state);
    const struct sparse_storage storage = {.launches = SPARSE_LAUNCHES_FUSED, .tuning.is_double = true};
    double b[MOST];

    if (!test_takes(KN_F64))
        return;
    for (size_t k = 0; k < 200; k++)
        b[k] = 2 * test_uniform(&state) - 1;
    for (size_t most = 1; most < 80; most += test_is_slow() ? 39 : 3) {
        const struct cgnr_options options = {.iterations = most};
        struct sparse_solver *solver = NULL;
        struct cgnr_result result;
        kn_buffer *right = test_upload_with_room(b, 200 * sizeof *b, 0);
        kn_buffer *at = test_upload_with_room(b, 30 * sizeof *b, 0);

        EXPECT_OK(ki_sparse_solver_create(queue, &matrix, &storage, &options, &solver, &err));
        EXPECT_OK(ki_cgnr_solve(queue, ki_sparse_solver_cgnr(solver), right, NULL, at, &result, &err));
        ck_assert_uint_le(result.iterations, most);
        ck_assert(result.stopped == CGNR_STOPPED_GRADIENT || result.iterations == most);
        free(result.history);
        ki_sparse_solver_free(solver);
        kn_buffer_free(right);
        kn_buffer_free(at);
    }
    ki_sparse_free(&matrix);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {gradients, limited};

    return test_run("solver in double", tests, sizeof tests / sizeof *tests, test_open, test_close);
}
