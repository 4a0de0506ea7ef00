// SPDX-License-Identifier: Apache-2.0
// Tests kn_least_squares_estimate_memory against the peak of the memory in use while a system is solved, with
// every method, on the host and on a device.
#include "sparse_support.h"

#include <koine/least_squares.h>

#include "support/memory/peak.h"

#include "app/sparse/api/sparse_internal.h"
#include "app/sparse/matrix.h"

enum { ROWS = 3000, COLUMNS = 500, EACH = 8, MANY = 40 };

// An estimate uses the largest of several formats, and the largest possible factors of ILU.
static const double most_over = 3;
// Memory that does not depend on the size of the system.
static const size_t small = 16384;

static struct sparse_matrix make(double *b, uint64_t *state)
{
    static uint32_t row[EACH * ROWS], column[EACH * ROWS];
    static double values[EACH * ROWS];
    const struct sparse_entries entries = {ROWS, COLUMNS, EACH * ROWS, row, column, values};
    struct sparse_matrix matrix;

    for (size_t k = 0; k < EACH * ROWS; k++) {
        row[k] = (uint32_t)(k / EACH);
        column[k] = (uint32_t)(test_random(state) % COLUMNS);
        values[k] = (double)test_signed(state);
    }
    for (size_t i = 0; i < MANY * ROWS; i++)
        b[i] = (double)test_signed(state);
    EXPECT_OK(ki_sparse_from_entries(&entries, &matrix, &err));
    return matrix;
}

static void expect_between(const char *name, const char *what, size_t estimate, size_t peak)
{
    fprintf(stderr, "%-28s%-8s%12zu of %12zu\n", name, what, peak, estimate);
    ck_assert_msg(peak <= estimate + small, "%s, %s: %zu bytes, of %zu estimated", name, what, peak,
                  estimate);
    ck_assert_msg((double)estimate <= most_over * (double)peak + (double)small,
                  "%s, %s: %zu bytes, of %zu estimated", name, what, peak, estimate);
}

struct tried {
    const char *name;
    size_t count;
    bool rays;
    kn_least_squares_options options;
};

static void expect_estimate(kn_queue *where, const kn_sparse *matrix, const double *b,
                            const struct tried *tried)
{
    const kn_tomography_geometry rays =
        KN_INIT(kn_tomography_geometry, .angles = 50, .detectors = 60, .size = 40);
    kn_least_squares_task task = KN_INIT(kn_least_squares_task, .b = b, .count = tried->count);
    kn_least_squares_options options = tried->options;
    double *x = calloc(40 * 40 + COLUMNS * MANY, sizeof *x);
    kn_sparse_memory estimate;
    struct peak peak;

    ck_assert_ptr_nonnull(x);
    options.struct_size = sizeof options;
    options.iterations = 20;
    task.matrix = tried->rays ? NULL : matrix;
    task.geometry = tried->rays ? &rays : NULL;
    EXPECT_OK(kn_least_squares(where, &task, x, &options, NULL, &err)); // compiles
    memset(x, 0, COLUMNS * MANY * sizeof *x);
    EXPECT_OK(kn_least_squares_estimate_memory(where, &task, &estimate, &options, &err));
    peak_begin();
    EXPECT_OK(kn_least_squares(where, &task, x, &options, NULL, &err));
    peak = peak_end();
    expect_between(tried->name, "host", estimate.host, peak.host);
    expect_between(tried->name, "device", estimate.device, peak.device);
    free(x);
}

static void expect_estimates(kn_queue *where, const struct tried *tried, size_t count)
{
    uint64_t state = test_seed("estimates");
    static double b[MANY * ROWS];
    struct sparse_matrix matrix = make(b, &state);
    const kn_sparse view = {matrix};

    for (size_t i = 0; i < count; i++)
        expect_estimate(where, &view, b, &tried[i]);
    ki_sparse_free(&matrix);
}

START_TEST(on_the_host)
{
    static const struct tried tried[] = {
        {"cgnr", 1, false, {.method = KN_LEAST_SQUARES_CGNR}},
        {"cgnr of many", MANY, false, {.method = KN_LEAST_SQUARES_CGNR}},
        {"cgnr in single", 2, false, {.method = KN_LEAST_SQUARES_CGNR, .type = KN_F32}},
        {"cgnr, rows", 1, false, {.method = KN_LEAST_SQUARES_CGNR, .format = KN_SPARSE_SIMPLE}},
        {"cgnr, ncp", 1, false, {.stop = KN_LEAST_SQUARES_STOP_NCP}},
        {"jacobi", 1, false, {.preconditioner = KN_LEAST_SQUARES_JACOBI}},
        {"ilu", 1, false, {.preconditioner = KN_LEAST_SQUARES_ILU}},
        {"printed", 1, false, {.method = KN_LEAST_SQUARES_PRINTED}},
        {"fista", 1, false, {.method = KN_LEAST_SQUARES_FISTA}},
        {"bb", 1, false, {.method = KN_LEAST_SQUARES_BB}},
        {"gram", 1, false, {.method = KN_LEAST_SQUARES_GRAM, .lambda = 1}},
        {"gram of many", MANY, false, {.method = KN_LEAST_SQUARES_GRAM, .lambda = 1}},
        {"rays", 1, true, {.method = KN_LEAST_SQUARES_CGNR}},
        {"rays by sirt", 1, true, {.method = KN_LEAST_SQUARES_SIRT}},
        {"rays by tv", 1, true, {.method = KN_LEAST_SQUARES_TV, .lambda = 1}},
    };

    expect_estimates(NULL, tried, sizeof tried / sizeof *tried);
}
END_TEST

START_TEST(on_a_device)
{
    static const struct tried tried[] = {
        {"cgnr", 1, false, {.type = KN_F32, .format = KN_SPARSE_SIMPLE}},
        {"cgnr, sell", 2, false, {.type = KN_F32, .format = KN_SPARSE_SELL}},
        {"cgnr of many", MANY, false, {.type = KN_F32}},
        {"jacobi",
         2,
         false,
         {.type = KN_F32, .format = KN_SPARSE_SELL, .preconditioner = KN_LEAST_SQUARES_JACOBI}},
        {"cgnr, tolerance", 1, false, {.type = KN_F32, .format = KN_SPARSE_SIMPLE, .tolerance = 0.5}},
        {"cgnr, ncp",
         1,
         false,
         {.type = KN_F32, .format = KN_SPARSE_SIMPLE, .stop = KN_LEAST_SQUARES_STOP_NCP}},
        {"printed",
         1,
         false,
         {.type = KN_F32, .format = KN_SPARSE_SIMPLE, .method = KN_LEAST_SQUARES_PRINTED}},
        {"fista", 1, false, {.format = KN_SPARSE_SIMPLE, .method = KN_LEAST_SQUARES_FISTA}},
        {"gram", MANY, false, {.method = KN_LEAST_SQUARES_GRAM, .lambda = 1}},
        {"rays", 1, true, {.format = KN_SPARSE_ON_THE_FLY}},
        {"rays, rows", 1, true, {.type = KN_F32, .format = KN_SPARSE_SIMPLE}},
    };

    expect_estimates(queue, tried, sizeof tried / sizeof *tried);
}
END_TEST

START_TEST(refused)
{
    const kn_least_squares_options options = KN_INIT(kn_least_squares_options, .iterations = 1);
    const kn_tomography_geometry rays =
        KN_INIT(kn_tomography_geometry, .angles = 5, .detectors = 6, .size = 4);
    const kn_least_squares_task task = KN_INIT(kn_least_squares_task, .geometry = &rays, .count = 1);
    kn_least_squares_task many = task, none = task;
    kn_sparse_memory memory = {1, 2};

    many.count = SIZE_MAX / 4;
    none.geometry = NULL;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "kn_least_squares_estimate_memory: memory is NULL",
                   kn_least_squares_estimate_memory(NULL, &task, NULL, &options, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "kn_least_squares_estimate_memory: task is NULL",
                   kn_least_squares_estimate_memory(NULL, NULL, &memory, &options, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "kn_least_squares_estimate_memory: options is NULL",
                   kn_least_squares_estimate_memory(NULL, &task, &memory, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "matrix and geometry are NULL",
                   kn_least_squares_estimate_memory(NULL, &none, &memory, &options, &err));
    EXPECT_REFUSED(KN_ERROR_LIMIT, "no addresses",
                   kn_least_squares_estimate_memory(NULL, &many, &memory, &options, &err));
    ck_assert(memory.host == 1 && memory.device == 2);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {on_the_host, on_a_device, refused};

    return test_run("least_squares_memory", tests, sizeof tests / sizeof *tests, test_open, test_close);
}
