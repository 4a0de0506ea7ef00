// SPDX-License-Identifier: Apache-2.0
// Tests what kn_least_squares on the host refuses, and how its progress functions are called and stop it.
#include "sparse_support.h"
#include "unit/app/sparse/least_squares_support.h"

#include "support/run.h"

// ---- what is refused ----

START_TEST(refused)
{
    struct sparse_matrix matrix;
    double b[12] = {1}, x[9] = {2};
    const struct {
        kn_least_squares_options task;
        const char *words;
    } tried[] = {
        {{.lambda = -1}, "lambda is -1"},
        {{.noise = NAN}, "the noise is"},
        {{.smooth = 1, .order = 3}, "order 3"},
        {{.bounded = true, .low = 2, .high = 1}, "the lower one first"},
        {{.stop = KN_LEAST_SQUARES_STOP_RESIDUAL}, "wants a tolerance"},
        {{.stop = KN_LEAST_SQUARES_STOP_DISCREPANCY}, "wants the noise"},
        {{.correction = "d"}, "wants a device"},
        {{.format = KN_SPARSE_MERGE}, "sell and simple"},
        {{.format = KN_SPARSE_SELL, .method = KN_LEAST_SQUARES_BB}, "a choice of cgnr"},
        {{.preconditioner = KN_LEAST_SQUARES_ILU, .method = KN_LEAST_SQUARES_BB}, "are only for cgnr"},
        {{.method = KN_LEAST_SQUARES_PRINTED, .tolerance = 1}, "all its iterations"},
        {{.method = KN_LEAST_SQUARES_GRAM, .noise = 1}, "no iterations"},
        {{.method = KN_LEAST_SQUARES_GRAM, .bounded = true, .high = 1}, "no bounds"},
        {{.method = KN_LEAST_SQUARES_FISTA, .stop = KN_LEAST_SQUARES_STOP_NCP}, "whiteness"},
        {{.method = KN_LEAST_SQUARES_BB, .type = KN_F32}, "single precision for cgnr and fbp alone"},
        {{.method = (kn_least_squares_method)99}, "no method 99"},
        {{.stop = (kn_least_squares_stop)-1}, "no stopping rule -1"},
        {{.preconditioner = (kn_least_squares_preconditioner)3}, "no preconditioner 3"},
        {{.format = (kn_sparse_format)99}, "no format 99"},
        {{.iterations = SIZE_MAX}, "expected fewer than 2^32 - 1"},
    };

    sparse_seed = 1;
    matrix = sparse_random(4, 3, 12, NULL);
    const kn_sparse view = {matrix};
    const kn_least_squares_task system = KN_INIT(kn_least_squares_task, .matrix = &view, .b = b, .count = 3);

    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++) {
        kn_least_squares_options task = tried[i].task;
        kn_least_squares_result *result = NULL;

        task.struct_size = sizeof task;
        EXPECT_REFUSED(KN_ERROR_ARGUMENT, tried[i].words,
                       kn_least_squares(NULL, &system, x, &task, &result, &err));
        ck_assert_ptr_null(result);
        ck_assert(x[0] == 2);
    }
    ki_sparse_free(&matrix);
}
END_TEST

// Invalid tasks, and invalid numbers in them.
START_TEST(bad_input)
{
    struct sparse_matrix matrix;
    double b[4] = {1, 2, 3, 4}, infinite[4] = {1, 2, INFINITY, 4}, x[3] = {0}, nan[3] = {0, NAN, 0};
    const kn_tomography_geometry geometry =
                                     KN_INIT(kn_tomography_geometry, .angles = 2, .detectors = 2, .size = 2),
                                 empty = KN_INIT(kn_tomography_geometry, .angles = 2, .size = 2);
    const kn_least_squares_options options = KN_INIT(kn_least_squares_options, .iterations = 1),
                                   unsized = {.iterations = 1};

    sparse_seed = 1;
    matrix = sparse_random(4, 3, 12, NULL);
    const kn_sparse view = {matrix};
    const struct {
        kn_least_squares_task task;
        double *x;
        const kn_least_squares_options *options;
        kn_status status;
        const char *words;
    } tried[] = {
        {{.matrix = &view, .count = 1}, x, &options, KN_ERROR_ARGUMENT, "b is NULL"},
        {{.b = b, .count = 1}, x, &options, KN_ERROR_ARGUMENT, "matrix and geometry are NULL"},
        {{.matrix = &view, .geometry = &geometry, .b = b, .count = 1},
         x,
         &options,
         KN_ERROR_ARGUMENT,
         "both"},
        {{.matrix = &view, .b = b}, x, &options, KN_ERROR_ARGUMENT, "count is 0"},
        {{.matrix = &view, .b = b, .count = SIZE_MAX / 2}, x, &options, KN_ERROR_LIMIT, "no addresses"},
        {{.matrix = &view, .b = infinite, .count = 1}, x, &options, KN_ERROR_ARGUMENT, "b[2] is inf"},
        {{.matrix = &view, .b = b, .count = 1}, nan, &options, KN_ERROR_ARGUMENT, "x[1] is nan"},
        {{.matrix = &view, .b = b, .count = 1}, NULL, &options, KN_ERROR_ARGUMENT, "x is NULL"},
        {{.matrix = &view, .b = b, .count = 1}, x, NULL, KN_ERROR_ARGUMENT, "options is NULL"},
        {{.matrix = &view, .b = b, .count = 1}, x, &unsized, KN_ERROR_ARGUMENT, "KN_INIT"},
        {{.geometry = &empty, .b = b, .count = 1}, x, &options, KN_ERROR_ARGUMENT, "detectors"},
    };

    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++) {
        kn_least_squares_task task = tried[i].task;

        task.struct_size = sizeof task;
        EXPECT_REFUSED(tried[i].status, tried[i].words,
                       kn_least_squares(NULL, &task, tried[i].x, tried[i].options, NULL, &err));
        ck_assert_ptr_nonnull(strstr(err.text, "kn_least_squares: "));
        ck_assert(x[0] == 0 && nan[0] == 0);
    }
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "task is NULL", kn_least_squares(NULL, NULL, x, &options, NULL, &err));
    ki_sparse_free(&matrix);
}
END_TEST

// ---- progress ----

struct watch {
    size_t calls, last, stop_at;
};

static bool watch_solved(void *data, size_t solved, size_t count)
{
    struct watch *watch = data;

    ck_assert_uint_eq(count, 3);
    ck_assert_uint_eq(solved, ++watch->calls);
    return solved != watch->stop_at;
}

static bool watch_iteration(void *data, size_t iteration)
{
    struct watch *watch = data;

    watch->last = iteration;
    return iteration != watch->stop_at;
}

// For right-hand sides and for iterations: all are reported, and stopping leaves x unchanged.
START_TEST(progress)
{
    static const kn_least_squares_method methods[] = {KN_LEAST_SQUARES_CGNR, KN_LEAST_SQUARES_FISTA};
    struct sparse_matrix matrix;
    double *b, x[60] = {0};

    sparse_seed = test_seed("progress");
    matrix = sparse_random(40, 20, 300, NULL);
    b = sparse_numbers(120);
    const kn_sparse view = {matrix};
    const kn_least_squares_task task = KN_INIT(kn_least_squares_task, .matrix = &view, .b = b, .count = 3);

    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        struct watch watch = {.stop_at = 2};
        kn_least_squares_options options =
            KN_INIT(kn_least_squares_options, .method = methods[i], .iterations = 7, .progress = watch_solved,
                    .progress_data = &watch);

        EXPECT_REFUSED(KN_ERROR_INTERRUPTED, "after 2 of 3",
                       kn_least_squares(NULL, &task, x, &options, NULL, &err));
        options.progress = NULL;
        options.iteration_progress = watch_iteration;
        watch.stop_at = 4;
        EXPECT_REFUSED(KN_ERROR_INTERRUPTED, "", kn_least_squares(NULL, &task, x, &options, NULL, &err));
        ck_assert_uint_eq(watch.last, 4);
        ck_assert(x[0] == 0 && x[59] == 0);
        watch = (struct watch){.stop_at = 0};
        options.progress = watch_solved;
        options.iteration_progress = NULL;
        EXPECT_OK(kn_least_squares(NULL, &task, x, &options, NULL, &err));
        ck_assert_uint_eq(watch.calls, 3);
        memset(x, 0, sizeof x);
    }
    ki_sparse_free(&matrix);
    free(b);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {refused, bad_input, progress};

    return TEST_RUN("sparse_refused", CK_FORK, tests);
}
