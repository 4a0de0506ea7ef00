// SPDX-License-Identifier: Apache-2.0
// Tests many right-hand sides at once, with whole, tiled and spread launches: against dense solutions and
// against the loop in double precision; images that end at different iterations; the same bits alone and
// together with others; which kernels ran; refusals.
#include "system_support.h"

#include "support/sparse_reference.h"
#include "app/sparse/solver/device/batch_internal.h"
#include "app/sparse/solver/device/gram_device.h"
#include "operator/terms.h"

enum { ROOM = 64, MOST = 33 };

static const size_t counts[] = {1, 2, 3, 5, MOST};
static const enum sparse_batch_launches kinds[] = {SPARSE_BATCH_WHOLE, SPARSE_BATCH_TILED,
                                                   SPARSE_BATCH_SPREAD};
enum { COUNTS = sizeof counts / sizeof *counts, KINDS = sizeof kinds / sizeof *kinds };

// Right-hand sides and starts for one matrix; those of image i have a greater norm the greater i is.
struct images {
    struct system system;
    float *b, *x;
    double *right, *start;
};

static struct images make_images(size_t rows, size_t columns, size_t mean, uint64_t *state)
{
    struct images made = {.system = system_make(rows, columns, mean, state),
                          .b = malloc(MOST * rows * sizeof(float)),
                          .x = malloc(MOST * columns * sizeof(float)),
                          .right = malloc(MOST * rows * sizeof(double)),
                          .start = malloc(MOST * columns * sizeof(double))};

    ck_assert(made.b && made.x && made.right && made.start);
    for (size_t i = 0; i < MOST * rows; i++)
        made.right[i] = (double)(made.b[i] = (float)(1 + i / rows) * test_signed(state));
    for (size_t i = 0; i < MOST * columns; i++)
        made.start[i] = (double)(made.x[i] = i / columns % 2 ? test_signed(state) : 0);
    return made;
}

static void drop_images(struct images *images)
{
    system_drop(&images->system);
    free(images->b);
    free(images->x);
    free(images->right);
    free(images->start);
}

// The first `count` solutions, which the caller frees.
static float *solve(struct sparse_batch *batch, const struct images *images, size_t count,
                    struct cgnr_result *results)
{
    size_t rows = images->system.matrix.rows, bytes = count * images->system.matrix.columns * sizeof(float);
    kn_buffer *b = test_upload_with_room(images->b, count * rows * sizeof(float), 0);
    kn_buffer *x = test_upload_with_room(images->x, bytes, ROOM);
    float *found = malloc(bytes + 1);

    ck_assert_ptr_nonnull(found);
    EXPECT_OK(ki_sparse_batch_solve(queue, batch, b, count, x, results, &err));
    EXPECT_OK(kn_buffer_read(queue, x, 0, found, bytes, &err));
    test_expect_poison(x, bytes);
    kn_buffer_free(b);
    kn_buffer_free(x);
    return found;
}

static void free_histories(struct cgnr_result *results, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(results[i].history);
}

// ---- solutions ----

// Stopping at 1e-7 of the gradient leaves that times the condition number of A^T A, below 1e3 here, and a
// distant start adds rounding of the same size. An image has the same bits whatever other images are solved
// with it.
START_TEST(dense)
{
    static const size_t sizes[][2] = {{1, 1}, {3, 2}, {40, 3}, {33, 31}, {90, 33}};
    uint64_t state = test_seed("dense");
    double worst = 0;

    for (size_t s = 0; s < (test_is_slow() ? 2 : sizeof sizes / sizeof *sizes); s++) {
        size_t rows = sizes[s][0], columns = sizes[s][1];
        struct images images = make_images(rows, columns, 4, &state);
        double *wanted = malloc(MOST * columns * sizeof *wanted);
        ck_assert_ptr_nonnull(wanted);
        for (size_t i = 0; i < MOST; i++)
            EXPECT_OK(sparse_reference_least_squares(&images.system.matrix, images.right + i * rows,
                                                     wanted + i * columns, &err));
        for (size_t w = 0; w < KINDS; w++) {
            const struct sparse_batch_options options = {
                .solver = {.iterations = 200}, .launches = kinds[w], .images = 4, .tile = 8, .at_once = 8};
            struct sparse_batch *batch = NULL;
            float *all = NULL;
            struct cgnr_result results[MOST], of_all[MOST];

            if (kinds[w] == SPARSE_BATCH_WHOLE && kn_context_get_device(context)->loop_limit)
                continue;
            EXPECT_OK(ki_sparse_batch_create(queue, &images.system.matrix, &options, &batch, &err));
            ck_assert_int_eq(ki_sparse_batch_is_whole(batch), kinds[w] == SPARSE_BATCH_WHOLE);
            ck_assert_int_eq(ki_sparse_batch_is_tiled(batch), kinds[w] == SPARSE_BATCH_TILED);
            ck_assert_uint_eq(ki_sparse_batch_images(batch), 4);
            all = solve(batch, &images, MOST, of_all);
            for (size_t i = 0; i < MOST; i++) {
                double off =
                    test_relative_distance_of_floats(all + i * columns, wanted + i * columns, columns);
                ck_assert_msg(off < 2e-4, "%zu x %zu, kind %zu, image %zu: off by %g after %zu iterations",
                              rows, columns, w, i, off, of_all[i].iterations);
                ck_assert_int_ne((int)of_all[i].stopped, CGNR_STOPPED_ITERATIONS);
                worst = off > worst ? off : worst;
            }
            for (size_t c = 0; c + 1 < COUNTS; c++) {
                float *found = solve(batch, &images, counts[c], results);
                ck_assert_int_eq(memcmp(found, all, counts[c] * columns * sizeof *found), 0);
                for (size_t i = 0; i < counts[c]; i++) {
                    ck_assert_uint_eq(results[i].iterations, of_all[i].iterations);
                    ck_assert_int_eq(memcmp(results[i].history, of_all[i].history,
                                            (results[i].iterations + 1) * sizeof *results[i].history),
                                     0);
                }
                free_histories(results, counts[c]);
                free(found);
            }
            free_histories(of_all, MOST);
            free(all);
            ki_sparse_batch_free(batch);
        }
        free(wanted);
        drop_images(&images);
    }
    fprintf(stderr, "dense: off by at most %.2g\n", worst);
}
END_TEST

// Every shape of a launch for which kernels exist.
START_TEST(shapes)
{
    enum { ROWS = 70, COLUMNS = 33, SOME = 5 };
    static const struct sparse_batch_options tried[] = {
        {.images = 4, .wide = 1, .group = 16, .step = 2, .step_group = 16, .shares = 2, .back_shares = 2}};
    uint64_t state = test_seed("shapes");
    struct images images = make_images(ROWS, COLUMNS, 4, &state);
    double wanted[SOME * COLUMNS];

    for (size_t i = 0; i < SOME; i++)
        EXPECT_OK(sparse_reference_least_squares(&images.system.matrix, images.right + i * ROWS,
                                                 wanted + i * COLUMNS, &err));
    for (size_t t = 0; t < sizeof tried / sizeof *tried; t++) {
        struct sparse_batch_options options = tried[t];
        struct sparse_batch *batch = NULL;
        struct cgnr_result results[SOME];

        options.solver.iterations = 100;
        options.launches =
            t == 0 && !kn_context_get_device(context)->loop_limit ? SPARSE_BATCH_WHOLE : SPARSE_BATCH_SPREAD;
        EXPECT_OK(ki_sparse_batch_create(queue, &images.system.matrix, &options, &batch, &err));
        float *found = solve(batch, &images, SOME, results);
        for (size_t i = 0; i < SOME; i++)
            ck_assert_double_lt(
                test_relative_distance_of_floats(found + i * COLUMNS, wanted + i * COLUMNS, COLUMNS), 2e-4);
        free_histories(results, SOME);
        free(found);
        ki_sparse_batch_free(batch);
    }
    drop_images(&images);
}
END_TEST

// ---- tiles ----

// e must be A^T A d up to the order of sums: a hundred roundings of terms below 1e4.
static void expect_normal(const struct sparse_matrix *a, const double *d, const double *e)
{
    double *w = malloc(a->rows * sizeof *w), *wanted = malloc(a->columns * sizeof *wanted);

    ck_assert(w && wanted);
    ki_sparse_reference_multiply(a, d, w);
    ki_sparse_reference_multiply_transposed(a, w, wanted);
    for (size_t j = 0; j < a->columns; j++)
        ck_assert_double_le(fabs(e[j] - wanted[j]), 1e-10);
    free(w);
    free(wanted);
}

// Every row with nonzeros is in one tile, and A^T A d by the arrays, in double precision, is the matrix's:
// values are floats, the sums have other orders. The lines are all there, those of a column together; entries
// do not get longer than work-items wait for, in a full column neither.
START_TEST(tiles)
{
    static const size_t sizes[][3] = {{1, 1, 1}, {31, 33, 8}, {129, 40, 64}, {300, 7, 256}};
    uint64_t state = test_seed("tiles");

    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        size_t rows = sizes[s][0], columns = sizes[s][1];
        struct system system = system_make(rows, columns, 4, &state);
        const struct sparse_matrix *a = &system.matrix;
        double *d = calloc(rows + 2 * columns, sizeof *d), *e = d + columns, *w = e + columns;
        unsigned char *seen;
        struct batch_tiles t;

        for (size_t j = 0; j < columns; j++)
            d[j] = (double)test_signed(&state);
        EXPECT_OK(ki_batch_tiles_make(a, (uint32_t)sizes[s][2], &t, &err));
        seen = calloc(t.lines + 1, 1);
        ck_assert(d && seen);
        ck_assert_uint_eq(t.tiles, (t.rows + sizes[s][2] - 1) / sizes[s][2]);
        ck_assert_uint_eq(t.starts[t.rows], t.placed);
        ck_assert_uint_eq(t.columns[columns], t.lines);
        for (uint32_t tile = 0; tile < t.tiles; tile++) {
            uint32_t first = tile * (uint32_t)sizes[s][2];
            for (uint32_t r = first; r < t.rows && r < first + sizes[s][2]; r++) {
                w[r] = 0;
                ck_assert_uint_lt(t.starts[r], t.starts[r + 1]);
                for (uint32_t i = 4 * t.starts[r]; i < 4 * t.starts[r + 1]; i++)
                    w[r] += (double)test_float_of(t.nonzeros[2 * i + 1]) * d[t.nonzeros[2 * i]];
            }
            for (uint32_t k = t.firsts[tile]; k < t.firsts[tile + 1]; k++) {
                const uint32_t *entry = t.entries + 4 * k;
                uint32_t column = 0;
                ck_assert_uint_lt(entry[0], entry[1]);
                ck_assert_uint_le(entry[1] - entry[0], 64 / 4);
                ck_assert_uint_le(entry[1], t.returned);
                ck_assert_uint_lt(entry[2], t.lines);
                while (t.columns[column + 1] <= entry[2])
                    column++;
                ck_assert_uint_eq(seen[entry[2]]++, 0);
                for (uint32_t i = 4 * entry[0]; i < 4 * entry[1]; i++)
                    e[column] += (double)test_float_of(t.back[2 * i + 1]) * w[first + t.back[2 * i]];
            }
        }
        expect_normal(a, d, e);
        ki_batch_tiles_free(&t);
        free(seen);
        free(d);
        system_drop(&system);
    }
}
END_TEST

// ---- corrections ----

// A few iterations against the same ones in double precision, which roundings are as far from as in
// test_solver.
START_TEST(corrections)
{
    static const struct solve_terms terms[] = {{.lambda = 0.7, .smooth = 2, .order = 1},
                                               {.smooth = 0.5, .order = 2, .nonnegative = 3}};
    enum { ROWS = 600, COLUMNS = 200, SOME = 5 };
    uint64_t state = test_seed("corrections");
    struct images images = make_images(ROWS, COLUMNS, 4, &state);
    double *wanted = malloc(COLUMNS * sizeof *wanted);

    ck_assert_ptr_nonnull(wanted);
    for (size_t t = 0; t < (test_is_slow() ? 0 : 2); t++) {
        const struct solve_correction correction = ki_solve_terms_correction(&terms[t]);
        const struct sparse_reference_options plain = {.iterations = 6, .correction = &correction};
        const struct sparse_batch_options options = {.solver = {.iterations = 6,
                                                                .lambda = terms[t].lambda,
                                                                .smooth = terms[t].smooth,
                                                                .order = terms[t].order,
                                                                .nonnegative = terms[t].nonnegative},
                                                     .launches = t ? SPARSE_BATCH_TILED : SPARSE_BATCH_SPREAD,
                                                     .images = 4};
        struct sparse_batch *batch = NULL;
        struct cgnr_result results[SOME];

        EXPECT_OK(ki_sparse_batch_create(queue, &images.system.matrix, &options, &batch, &err));
        float *found = solve(batch, &images, SOME, results);
        for (size_t i = 0; i < SOME; i++) {
            memcpy(wanted, images.start + i * COLUMNS, COLUMNS * sizeof *wanted);
            EXPECT_OK(sparse_reference_solve(&images.system.matrix, images.right + i * ROWS, &plain, wanted,
                                             NULL, &err));
            double off = test_relative_distance_of_floats(found + i * COLUMNS, wanted, COLUMNS);
            ck_assert_msg(off < 2e-4, "correction %zu, image %zu: off by %g after %zu iterations", t, i, off,
                          results[i].iterations);
            ck_assert_uint_eq(results[i].iterations, 6);
        }
        free_histories(results, SOME);
        free(found);
        ki_sparse_batch_free(batch);
    }
    free(wanted);
    drop_images(&images);
}
END_TEST

// ---- by the inverse ----

// Against the same factors on the host: the products and the inverse are rounded to floats, each sum has some
// hundred roundings, and the condition of G, with the lambda, is below 1e3.
START_TEST(inverse)
{
    enum { ROWS = 90, COLUMNS = 33 };
    static const struct solve_terms terms = {.lambda = 1};
    uint64_t state = test_seed("inverse");
    struct images images = make_images(ROWS, COLUMNS, 4, &state);
    struct sparse_gram *gram = NULL;
    struct sparse_gram_device *made = NULL;
    double *wanted = malloc(MOST * COLUMNS * sizeof *wanted);

    ck_assert_ptr_nonnull(wanted);
    EXPECT_OK(ki_sparse_gram_create(&images.system.matrix, &terms, &gram, &err));
    EXPECT_OK(ki_sparse_gram_device_create(queue, &images.system.matrix, gram, &made, &err));
    EXPECT_OK(ki_sparse_gram_solve(gram, images.right, MOST, wanted, &err));
    for (size_t c = 0; c < COUNTS; c++) {
        size_t bytes = counts[c] * COLUMNS * sizeof(float);
        kn_buffer *b = test_upload_with_room(images.b, counts[c] * ROWS * sizeof(float), 0);
        kn_buffer *x = test_upload_with_room(images.x, bytes, ROOM);
        float *found = malloc(bytes);
        ck_assert_ptr_nonnull(found);
        EXPECT_OK(ki_sparse_gram_device_solve(queue, made, b, counts[c], x, &err));
        EXPECT_OK(kn_buffer_read(queue, x, 0, found, bytes, &err));
        test_expect_poison(x, bytes);
        for (size_t i = 0; i < counts[c]; i++)
            ck_assert_double_lt(
                test_relative_distance_of_floats(found + i * COLUMNS, wanted + i * COLUMNS, COLUMNS), 1e-4);
        EXPECT_REFUSED(KN_ERROR_ARGUMENT, "sparse_gram_device_solve (x)",
                       ki_sparse_gram_device_solve(queue, made, b, counts[c] + 10, x, &err));
        free(found);
        kn_buffer_free(b);
        kn_buffer_free(x);
    }
    ki_sparse_gram_device_free(made);
    ki_sparse_gram_free(gram);
    free(wanted);
    drop_images(&images);
}
END_TEST

// ---- ends ----

// |A x - b| / |b| of an image, and 0 if both are 0.
static double residual_of(const struct images *images, size_t image, const float *x)
{
    const struct sparse_matrix *a = &images->system.matrix;
    double *y = malloc(a->rows * sizeof *y), *wide = malloc(a->columns * sizeof *wide), rest = 0, norm = 0;

    ck_assert(y && wide);
    for (size_t j = 0; j < a->columns; j++)
        wide[j] = (double)x[image * a->columns + j];
    ki_sparse_reference_multiply(a, wide, y);
    for (size_t i = 0; i < a->rows; i++) {
        double right = images->right[image * a->rows + i];
        rest += (y[i] - right) * (y[i] - right);
        norm += right * right;
    }
    free(y);
    free(wide);
    return norm > 0 ? sqrt(rest / norm) : 0;
}

// Each image ends at its own iteration, for its own reason, and keeps its solution while others continue.
START_TEST(ends)
{
    enum { ROWS = 300, COLUMNS = 60, SOME = 6, NOTHING = 2 };
    static const struct cgnr_options tried[] = {
        {.iterations = 5},
        {.iterations = 100, .gradient = 1e-3},
        {.iterations = 0},
        // Not convex where x is negative: stops at once, or, from a start of 0, later.
        {.iterations = 100, .correction = "(x < 0 ? weight * d : 0)", .weight = -1e9}};
    uint64_t state = test_seed("ends");
    struct images images = make_images(ROWS, COLUMNS, 3, &state);

    memset(images.b + NOTHING * ROWS, 0, ROWS * sizeof *images.b);
    memset(images.right + NOTHING * ROWS, 0, ROWS * sizeof *images.right);
    memset(images.x + NOTHING * COLUMNS, 0, COLUMNS * sizeof *images.x);
    for (size_t t = 0; t < sizeof tried / sizeof *tried; t++) {
        const struct sparse_batch_options options = {
            .solver = tried[t], .images = 4, .launches = SPARSE_BATCH_SPREAD};
        struct sparse_batch *batch = NULL;
        struct cgnr_result results[SOME];
        EXPECT_OK(ki_sparse_batch_create(queue, &images.system.matrix, &options, &batch, &err));
        float *found = solve(batch, &images, SOME, results);

        for (size_t i = 0; i < SOME; i++) {
            const struct cgnr_result *r = &results[i];
            double rest = residual_of(&images, i, found);
            // Products in floats have 16 roundings or fewer of terms no larger than the residual itself.
            ck_assert_double_le(fabs(r->residual - rest), 1e-5 * rest);
            ck_assert_double_eq(r->history[0], 1);
            ck_assert_double_eq(r->history[r->iterations], r->normal_residual);
            if (i == NOTHING) {
                ck_assert_uint_eq(r->iterations, 0);
                ck_assert_int_eq((int)r->stopped, CGNR_STOPPED_GRADIENT);
            } else if (t == 0 || t == 2) {
                ck_assert_uint_eq(r->iterations, tried[t].iterations);
                ck_assert_int_eq((int)r->stopped, CGNR_STOPPED_ITERATIONS);
            } else if (t == 3) {
                ck_assert_int_eq(r->iterations > 0, i % 2 == 0);
                ck_assert_int_eq((int)r->stopped, CGNR_STOPPED_CURVATURE);
            } else {
                ck_assert_int_eq((int)r->stopped, CGNR_STOPPED_GRADIENT);
            }
            if (t == 1 && i != NOTHING) {
                ck_assert_double_le(r->normal_residual, 1e-3 * (1 + 1e-6));
                ck_assert_double_gt(r->history[r->iterations - 1], 1e-3 * (1 - 1e-6));
            }
            if (r->iterations == 0)
                ck_assert_int_eq(memcmp(found + i * COLUMNS, images.x + i * COLUMNS, COLUMNS * sizeof *found),
                                 0);
        }
        free_histories(results, SOME);
        free(found);
        ki_sparse_batch_free(batch);
    }
    drop_images(&images);
}
END_TEST

// For a matrix without nonzeros every start is a solution, and its residual is b.
START_TEST(nothing)
{
    enum { ROWS = 3, COLUMNS = 2, SOME = 2 };
    static const float b[SOME * ROWS] = {1, 2, 3}, start[SOME * COLUMNS] = {4, 5, 6, 7};
    uint64_t starts[ROWS + 1] = {0};
    const struct sparse_matrix matrix = {
        .rows = ROWS, .columns = COLUMNS, .starts = starts, .indices = NULL, .values = NULL};

    for (size_t w = 0; w < KINDS; w++) {
        const struct sparse_batch_options options = {
            .solver = {.iterations = 9}, .launches = kinds[w], .images = 4};
        struct sparse_batch *batch = NULL;
        struct cgnr_result results[SOME];
        float found[SOME * COLUMNS];

        if (kinds[w] == SPARSE_BATCH_WHOLE && kn_context_get_device(context)->loop_limit)
            continue;
        EXPECT_OK(ki_sparse_batch_create(queue, &matrix, &options, &batch, &err));
        kn_buffer *right = test_upload_with_room(b, sizeof b, 0);
        kn_buffer *x = test_upload_with_room(start, sizeof start, 0);
        EXPECT_OK(ki_sparse_batch_solve(queue, batch, right, SOME, x, results, &err));
        EXPECT_OK(kn_buffer_read(queue, x, 0, found, sizeof found, &err));
        ck_assert_int_eq(memcmp(found, start, sizeof found), 0);
        for (size_t i = 0; i < SOME; i++) {
            ck_assert_uint_eq(results[i].iterations, 0);
            ck_assert_double_eq(results[i].residual, i == 0);
        }
        free_histories(results, SOME);
        ki_sparse_batch_free(batch);
        kn_buffer_free(right);
        kn_buffer_free(x);
    }
}
END_TEST

// ---- what ran ----

// One launch for all iterations, or four for each; by default, small systems use the former.
START_TEST(launches)
{
    enum { ITERATIONS = 4, ROWS = 90, COLUMNS = 50, SOME = 3 };
    uint64_t state = test_seed("launches");
    struct images images = make_images(ROWS, COLUMNS, 3, &state);
    kn_buffer *b = test_upload_with_room(images.b, SOME * ROWS * sizeof *images.b, 0);
    kn_buffer *x = test_upload_with_room(images.x, SOME * COLUMNS * sizeof *images.x, 0);

    for (int kind = 0; kind <= SPARSE_BATCH_SPREAD; kind++) {
        const struct sparse_batch_options options = {.solver = {.iterations = ITERATIONS, .gradient = -1},
                                                     .images = 4,
                                                     .launches = (enum sparse_batch_launches)kind};
        struct sparse_batch *batch = NULL;
        struct cgnr_result results[SOME];
        kn_profile_entry *entries = NULL;
        size_t count = 0;
        bool whole = kind <= SPARSE_BATCH_WHOLE && !kn_context_get_device(context)->loop_limit;
        bool tiled = kind == SPARSE_BATCH_TILED, spread = !whole && !tiled;

        if (kind == SPARSE_BATCH_WHOLE && !whole) {
            EXPECT_REFUSED(KN_ERROR_LIMIT, "spread them",
                           ki_sparse_batch_create(queue, &images.system.matrix, &options, &batch, &err));
            continue;
        }
        EXPECT_OK(ki_sparse_batch_create(queue, &images.system.matrix, &options, &batch, &err));
        ck_assert_int_eq(ki_sparse_batch_is_whole(batch), whole);
        EXPECT_OK(kn_profile_start(queue, &err));
        EXPECT_OK(ki_sparse_batch_solve(queue, batch, b, SOME, x, results, &err));
        EXPECT_OK(kn_profile_stop(queue, &entries, &count, &err));
        ck_assert_uint_eq(results[0].launches_per_iteration, whole ? 0 : 4);
        ck_assert_uint_eq(test_count_kernel(entries, count, "batch_whole"), whole);
        ck_assert_uint_eq(test_count_kernel(entries, count, "batch_move"), whole ? 0 : ITERATIONS + 1);
        ck_assert_uint_eq(test_count_kernel(entries, count, "batch_turn"), whole ? 0 : ITERATIONS + 1);
        ck_assert_uint_eq(test_count_kernel(entries, count, "batch_tile"), tiled ? ITERATIONS : 0);
        ck_assert_uint_eq(test_count_kernel(entries, count, "batch_gather"), tiled ? ITERATIONS : 0);
        ck_assert_uint_eq(test_count_kernel(entries, count, "batch_back"), spread ? ITERATIONS : 0);
        // A x and A^T y before the iterations, A x after them.
        ck_assert_uint_eq(test_count_kernel(entries, count, "batch_multiply"), 3 + (spread ? ITERATIONS : 0));
        kn_free(entries);
        free_histories(results, SOME);
        ki_sparse_batch_free(batch);
    }
    kn_buffer_free(b);
    kn_buffer_free(x);
    drop_images(&images);
}
END_TEST

// By default, launches use tiles if rows share columns, but not on CPUs.
START_TEST(automatic)
{
    enum { ROWS = 9000, COLUMNS = 9000, EACH = 9 };
    const kn_device_info *info = kn_context_get_device(context);
    uint32_t *row = malloc(2 * ROWS * EACH * sizeof *row), *column = row + ROWS * EACH;
    uint64_t state = test_seed("automatic");

    ck_assert_ptr_nonnull(row);
    for (int near = 0; near < 2; near++) {
        const struct sparse_entries entries = {ROWS, COLUMNS, ROWS * EACH, row, column, NULL};
        const struct sparse_batch_options options = {.at_once = 1};
        struct sparse_matrix matrix;
        struct sparse_batch *batch = NULL;

        for (uint32_t i = 0; i < ROWS * EACH; i++) {
            row[i] = i / EACH;
            column[i] = near ? (row[i] * 7 + i % EACH) % COLUMNS : (uint32_t)(test_random(&state) % COLUMNS);
        }
        EXPECT_OK(ki_sparse_from_entries(&entries, &matrix, &err));
        EXPECT_OK(ki_sparse_batch_create(queue, &matrix, &options, &batch, &err));
        ck_assert(!ki_sparse_batch_is_whole(batch));
        ck_assert_int_eq(ki_sparse_batch_is_tiled(batch),
                         near && info->type != KN_DEVICE_CPU && !info->loop_limit);
        ki_sparse_batch_free(batch);
        ki_sparse_free(&matrix);
    }
    free(row);
}
END_TEST

START_TEST(refused)
{
    uint64_t state = 1;
    struct images images = make_images(20, 10, 2, &state);
    struct sparse_batch *batch = NULL;
    struct cgnr_result results[3];
    kn_buffer *b, *x = test_upload_with_room(images.x, 30 * sizeof *images.x, 0);
    const struct {
        struct sparse_batch_options options;
        kn_status status;
        const char *words;
    } tried[] = {
        {{.solver = {.iterations = 1 << 30}}, KN_ERROR_ARGUMENT, "at most 1048576"},
        {{.solver = {.residual = 0.1}}, KN_ERROR_ARGUMENT, "stop at a gradient"},
        {{.images = 3}, KN_ERROR_ARGUMENT, "3 images side by side; expected a power of two up to 32"},
        {{.images = 64}, KN_ERROR_ARGUMENT, "64 images side by side"},
        {{.tile = 48}, KN_ERROR_ARGUMENT, "48 rows of a tile; expected a power of two up to 1024"},
        {{.ahead = 32}, KN_ERROR_ARGUMENT, "32 nonzeros ahead"},
        {{.back_wide = 2}, KN_ERROR_ARGUMENT, "there are 1, 4, 8 and 16"},
        {{.wide = 2}, KN_ERROR_ARGUMENT, "there are 1, 4, 8 and 16"},
        {{.launches = (enum sparse_batch_launches)9}, KN_ERROR_ARGUMENT, "launching 9"},
        {{.solver = {.correction = "d +"}, .images = 4}, KN_ERROR_BUILD, ""}};

    images.b[1 * 20 + 3] = INFINITY;
    b = test_upload_with_room(images.b, 60 * sizeof *images.b, 0);
    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++)
        EXPECT_REFUSED(tried[i].status, tried[i].words,
                       ki_sparse_batch_create(queue, &images.system.matrix, &tried[i].options, &batch, &err));
    const struct sparse_batch_options options = {.solver = {.iterations = 2}, .images = 4};
    EXPECT_OK(ki_sparse_batch_create(queue, &images.system.matrix, &options, &batch, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "holds 30",
                   ki_sparse_batch_solve(queue, batch, x, 2, x, results, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "right hand side 1 (from 0) is not finite",
                   ki_sparse_batch_solve(queue, batch, b, 3, x, results, &err));
    for (size_t i = 0; i < 3; i++)
        ck_assert_ptr_null(results[i].history);
    ki_sparse_batch_free(batch);
    kn_buffer_free(b);
    kn_buffer_free(x);
    drop_images(&images);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {dense, shapes,  tiles,    corrections, inverse,
                                  ends,  nothing, launches, automatic,   refused};

    return test_run("sparse_batch", tests, sizeof tests / sizeof *tests, test_open, test_close);
}
