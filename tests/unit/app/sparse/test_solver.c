// SPDX-License-Identifier: Apache-2.0
// Tests conjugate gradients on a device, with two launches for each iteration and with separate ones: against
// a dense solution and against the same loop in double precision; corrections, stopping tests, starts, bits,
// which kernels ran, refusals.
#include "solver_support.h"

#include <float.h>

#include "support/sparse_reference.h"

static const enum sparse_launches kinds[] = {SPARSE_LAUNCHES_FUSED, SPARSE_LAUNCHES_SEPARATE};

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
        struct system s = system_make(sizes[i][0], sizes[i][1], 3, &state);
        double *wanted = malloc(sizes[i][1] * sizeof *wanted);

        EXPECT_OK(sparse_reference_least_squares(&s.matrix, s.right, wanted, &err));
        for (size_t w = 0; w < 2; w++) {
            const struct solver_case options = {.cgnr = {.iterations = 300},
                                                .storage = {.launches = kinds[w]}};
            struct cgnr_result result;
            float *x = solve(&s, &options, &result);
            double off = test_relative_distance_of_floats(x, wanted, sizes[i][1]);
            ck_assert_msg(off < 2e-4, "%zu x %zu, kind %zu: off by %g after %zu iterations, stopped by %s",
                          sizes[i][0], sizes[i][1], w, off, result.iterations,
                          ki_cgnr_stopped_names[result.stopped]);
            ck_assert_int_ne((int)result.stopped, CGNR_STOPPED_ITERATIONS);
            worst = off > worst ? off : worst;
            free(result.history);
            free(x);
        }
        free(wanted);
        system_drop(&s);
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
        struct system s = system_make(sizes[i][0], sizes[i][1], 4, &state);
        double *wanted = malloc(sizes[i][1] * sizeof *wanted);
        for (size_t t = 0; t < sizeof tried / sizeof *tried; t++) {
            const struct solve_correction correction = {terms_gradient, terms_along, &tried[t]};
            // With so few columns, a step across 0 uses up all search directions: the rest is rounding.
            if (tried[t].nonnegative > 0 && sizes[i][1] < 40)
                continue;
            const struct sparse_reference_options plain = {.iterations = 6, .correction = &correction};

            memcpy(wanted, s.start, sizes[i][1] * sizeof *wanted);
            EXPECT_OK(sparse_reference_solve(&s.matrix, s.right, &plain, wanted, NULL, &err));
            for (size_t w = 0; w < 2; w++) {
                const struct solver_case options = {
                    .cgnr = {.iterations = 6,
                             .lambda = tried[t].lambda,
                             .smooth = tried[t].smooth,
                             .order = tried[t].order,
                             .nonnegative = tried[t].nonnegative,
                             .correction = tried[t].weight != 0 ? "weight * (float)(i % 3) * d" : NULL,
                             .weight = tried[t].weight},
                    .storage = {.launches = kinds[w]}};
                struct cgnr_result result;
                float *x = solve(&s, &options, &result);
                double off = test_relative_distance_of_floats(x, wanted, sizes[i][1]);
                ck_assert_msg(off < 2e-4,
                              "correction %zu, kind %zu, %zu x %zu: off by %g after %zu iterations", t, w,
                              sizes[i][0], sizes[i][1], off, result.iterations);
                free(result.history);
                free(x);
            }
        }
        free(wanted);
        system_drop(&s);
    }
}
END_TEST

// Compared with the printed algorithm: the same numbers as that loop in double precision, up to rounding as
// above. The residual is computed from x in every iteration and not by recurrence: x alone would not show
// which of them ran, but the launches do.
START_TEST(printed)
{
    enum { ROWS = 90, COLUMNS = 40, ITERATIONS = 6 };
    static const struct terms terms = {.lambda = 0.1, .smooth = 1, .order = 2, .nonnegative = 3};
    const struct solve_correction correction = {terms_gradient, terms_along, &terms};
    const struct sparse_reference_options plain = {.iterations = ITERATIONS, .correction = &correction};
    const struct solver_case options = {.cgnr = {.iterations = ITERATIONS,
                                                 .lambda = terms.lambda,
                                                 .smooth = terms.smooth,
                                                 .order = terms.order,
                                                 .nonnegative = terms.nonnegative,
                                                 .printed = true},
                                        .storage = {.format = KN_SPARSE_SIMPLE}};
    uint64_t state = test_seed("printed");
    struct system s = system_make(ROWS, COLUMNS, 4, &state);
    double wanted[COLUMNS], off;
    struct cgnr_result result;
    kn_profile_entry *entries = NULL;
    size_t count = 0;
    float *x;

    memcpy(wanted, s.start, sizeof wanted);
    EXPECT_OK(sparse_reference_solve(&s.matrix, s.right, &plain, wanted, NULL, &err));
    EXPECT_OK(kn_profile_start(queue, &err));
    x = solve(&s, &options, &result);
    EXPECT_OK(kn_profile_stop(queue, &entries, &count, &err));
    off = test_relative_distance_of_floats(x, wanted, COLUMNS);
    ck_assert_msg(off < 2e-4, "off by %g after %zu iterations", off, result.iterations);
    ck_assert_uint_eq(result.iterations, ITERATIONS);
    ck_assert_uint_eq(result.launches_per_iteration, 9);
    // Solved twice: products before the iterations and after them, two of A and two of A^T in each.
    ck_assert_uint_eq(test_count_kernel(entries, count, "spmv_simple"), 2 * (3 + 4 * ITERATIONS + 2));
    ck_assert_uint_eq(test_count_kernel(entries, count, "printed_gradient"), 2 * (ITERATIONS + 1));
    ck_assert_uint_eq(test_count_kernel(entries, count, "cgnr_step"), 0);
    kn_free(entries);
    free(result.history);
    free(x);
    system_drop(&s);
}
END_TEST

// ---- ends ----

// Every stopping test can stop the iterations and is reported; the residual reported belongs to the x
// returned.
START_TEST(stops)
{
    uint64_t state = test_seed("stops");
    struct system s = system_make(150, 60, 3, &state);
    double *x = malloc(60 * sizeof *x), *y = malloc(150 * sizeof *y), least = 0, norm = 0;

    ck_assert(x && y);
    EXPECT_OK(sparse_reference_least_squares(&s.matrix, s.right, x, &err));
    ki_sparse_reference_multiply(&s.matrix, x, y);
    for (size_t i = 0; i < 150; i++) {
        least += (y[i] - s.right[i]) * (y[i] - s.right[i]);
        norm += s.right[i] * s.right[i];
    }
    least = sqrt(least / norm);
    for (size_t w = 0; w < 2; w++) {
        const struct solver_case tried[] = {
            {.cgnr = {.iterations = 5}, .storage = {.launches = kinds[w]}},
            {.cgnr = {.iterations = 200, .gradient = 1e-2}, .storage = {.launches = kinds[w]}},
            {.cgnr = {.iterations = 200, .residual = 1.02 * least}, .storage = {.launches = kinds[w]}},
            {.cgnr = {.iterations = 0}, .storage = {.launches = kinds[w]}},
            {.cgnr = {.iterations = 200, .correction = "-100000.0f * d"},
             .storage = {.launches = kinds[w]}}, // not convex
        };
        static const enum cgnr_stopped wanted[] = {CGNR_STOPPED_ITERATIONS, CGNR_STOPPED_GRADIENT,
                                                   CGNR_STOPPED_RESIDUAL, CGNR_STOPPED_ITERATIONS,
                                                   CGNR_STOPPED_CURVATURE};
        for (size_t t = 0; t < sizeof tried / sizeof *tried; t++) {
            struct cgnr_result result;
            float *found = solve(&s, &tried[t], &result);
            double rest = 0;
            ck_assert_msg(result.stopped == wanted[t],
                          "kind %zu, test %zu: stopped by %s after %zu iterations", w, t,
                          ki_cgnr_stopped_names[result.stopped], result.iterations);
            for (size_t j = 0; j < 60; j++)
                x[j] = (double)found[j];
            ki_sparse_reference_multiply(&s.matrix, x, y);
            for (size_t i = 0; i < 150; i++)
                rest += (y[i] - s.right[i]) * (y[i] - s.right[i]);
            // Products in floats have 16 roundings or fewer of terms no larger than the residual itself.
            ck_assert_double_eq_tol(result.residual, sqrt(rest / norm), 1e-5 * sqrt(rest / norm));
            ck_assert_double_eq(result.history[0], 1);
            ck_assert_double_eq(result.history[result.iterations], result.normal_residual);
            if (t == 0)
                ck_assert_uint_eq(result.iterations, 5);
            if (t == 1) {
                ck_assert_double_le(result.normal_residual, 1e-2 * (1 + 1e-6));
                ck_assert_double_gt(result.history[result.iterations - 1], 1e-2 * (1 - 1e-6));
            }
            if (t == 2)
                ck_assert_double_le(result.residual, 1.02 * least * (1 + 1e-4));
            if (wanted[t] == CGNR_STOPPED_CURVATURE || t == 3) {
                ck_assert_uint_eq(result.iterations, 0);
                ck_assert_int_eq(memcmp(found, s.x, 60 * sizeof *found), 0); // the start
            }
            free(result.history);
            free(found);
        }
    }
    free(x);
    free(y);
    system_drop(&s);
}
END_TEST

// Nothing to do: a right-hand side of 0 with a start of 0, and a matrix without nonzeros.
START_TEST(nothing)
{
    uint64_t state = test_seed("nothing");
    struct system s = system_make(20, 10, 2, &state);

    memset(s.b, 0, 20 * sizeof *s.b);
    memset(s.x, 0, 10 * sizeof *s.x);
    for (size_t w = 0; w < 2; w++)
        for (int empty = 0; empty < 2; empty++) {
            const struct solver_case options = {.cgnr = {.iterations = 10},
                                                .storage = {.launches = kinds[w]}};
            struct cgnr_result result;
            float *x = solve(&s, &options, &result);
            for (size_t j = 0; j < 10; j++)
                ck_assert(x[j] == 0);
            ck_assert_uint_eq(result.iterations, 0);
            ck_assert_double_eq(result.residual, 0);
            free(result.history);
            free(x);
            if (empty == 1 && w == 0)
                for (size_t i = 0; i < s.matrix.nonzeros; i++)
                    s.matrix.values[i] = 0;
        }
    system_drop(&s);
}
END_TEST

// ---- what ran ----

// Two launches for each iteration; and separate ones with each format's own kernels.
START_TEST(launches)
{
    enum { ITERATIONS = 4 };
    uint64_t state = test_seed("launches");
    struct system s = system_make(90, 50, 3, &state);
    kn_buffer *b = test_upload_with_room(s.b, 90 * sizeof *s.b, 0);
    kn_buffer *x = test_upload_with_room(s.x, 50 * sizeof *s.x, 0);

    for (int format = 0; format < (test_is_slow() ? 1 : SPARSE_FORMATS); format++) {
        const struct solver_case options = {
            .cgnr = {.iterations = ITERATIONS},
            .storage = {.format = (kn_sparse_format)format,
                        .launches = format == 0 ? SPARSE_LAUNCHES_FUSED : SPARSE_LAUNCHES_SEPARATE}};
        struct sparse_solver *solver = NULL;
        struct cgnr_result result;
        kn_profile_entry *entries = NULL;
        size_t count = 0;

        if (format == KN_SPARSE_ON_THE_FLY || format == KN_SPARSE_ON_THE_FLY_LOCAL) {
            EXPECT_REFUSED(
                KN_ERROR_ARGUMENT, "geometry",
                ki_sparse_solver_create(queue, &s.matrix, &options.storage, &options.cgnr, &solver, &err));
            continue;
        }
        EXPECT_OK(ki_sparse_solver_create(queue, &s.matrix, &options.storage, &options.cgnr, &solver, &err));
        EXPECT_OK(kn_profile_start(queue, &err));
        EXPECT_OK(ki_cgnr_solve(queue, ki_sparse_solver_cgnr(solver), b, x, x, &result, &err));
        EXPECT_OK(kn_profile_stop(queue, &entries, &count, &err));
        if (format == 0) {
            ck_assert_uint_eq(result.launches_per_iteration, 2);
            ck_assert_uint_eq(test_count_kernel(entries, count, "cgnr_forward"), ITERATIONS + 1);
            ck_assert_uint_eq(test_count_kernel(entries, count, "cgnr_backward"), ITERATIONS);
            ck_assert_uint_eq(test_count_kernel(entries, count, "cgnr_step"), 0);
        } else {
            ck_assert_uint_ge(result.launches_per_iteration, 5);
            ck_assert_uint_eq(test_count_kernel(entries, count, "cgnr_forward"), 0);
            ck_assert_uint_eq(test_count_kernel(entries, count, "cgnr_turn"), ITERATIONS + 1);
        }
        if (format == KN_SPARSE_MERGE) // A x and A^T y: before the iterations, in them, and A x after them
            ck_assert_uint_eq(test_count_kernel(entries, count, "spmv_merge"), 2 * ITERATIONS + 3);
        kn_free(entries);
        free(result.history);
        ki_sparse_solver_free(solver);
    }
    kn_buffer_free(b);
    kn_buffer_free(x);
    system_drop(&s);
}
END_TEST

// The number of launches of cgnr_forward or cgnr_turn by a solver with these options, and whether it has a
// recording.
static size_t count_iterations(const struct system *s, const struct solver_case *options, bool *recorded)
{
    kn_buffer *b = test_upload_with_room(s->b, s->matrix.rows * sizeof *s->b, 0);
    kn_buffer *x = test_upload_with_room(s->x, s->matrix.columns * sizeof *s->x, 0);
    struct sparse_solver *solver = NULL;
    struct cgnr_result result;
    kn_profile_entry *entries = NULL;
    size_t count = 0, found;

    EXPECT_OK(ki_sparse_solver_create(queue, &s->matrix, &options->storage, &options->cgnr, &solver, &err));
    *recorded = ki_cgnr_recording(ki_sparse_solver_cgnr(solver)) != NULL;
    if (*recorded && options->cgnr.recording != KN_RECORDING_AUTO)
        ck_assert_int_eq(kn_recording_get_way(ki_cgnr_recording(ki_sparse_solver_cgnr(solver))),
                         options->cgnr.recording);
    EXPECT_OK(kn_profile_start(queue, &err));
    EXPECT_OK(ki_cgnr_solve(queue, ki_sparse_solver_cgnr(solver), b, x, x, &result, &err));
    EXPECT_OK(kn_profile_stop(queue, &entries, &count, &err));
    found =
        test_count_kernel(entries, count, ki_sparse_solver_is_fused(solver) ? "cgnr_forward" : "cgnr_turn");
    kn_free(entries);
    free(result.history);
    ki_sparse_solver_free(solver);
    kn_buffer_free(b);
    kn_buffer_free(x);
    return found;
}

// The way of recording that the device has besides launches, or KN_RECORDING_AUTO.
static kn_recording_way own_recording(void)
{
    uint64_t state = 1;
    struct system s = system_make(20, 10, 2, &state);
    const struct solver_case options = {
        .cgnr = {.iterations = 31, .recording = context->backend->recording_way},
        .storage = {.launches = SPARSE_LAUNCHES_FUSED}};
    struct sparse_solver *solver = NULL;
    kn_status status =
        ki_sparse_solver_create(queue, &s.matrix, &options.storage, &options.cgnr, &solver, &err);

    system_drop(&s);
    ki_sparse_solver_free(solver);
    fprintf(stderr, "recorded: %s\n", status ? err.text : kn_recording_way_name(options.cgnr.recording));
    ck_assert(!status || status == KN_ERROR_UNSUPPORTED);
    return status ? KN_RECORDING_AUTO : options.cgnr.recording;
}

// Blocks of 32 iterations replayed in every way: the same bits as without, wherever the iterations end, and
// the number of launches. A fused block continues past the end if more than 8 of its iterations are left.
START_TEST(recorded)
{
    static const struct {
        struct solver_case options;
        size_t launched; // 0: it depends
        bool recorded;
    } cases[] = {
        {{.cgnr = {.iterations = 30, .gradient = -1}, .storage = {.launches = SPARSE_LAUNCHES_FUSED}},
         31,
         false},
        {{.cgnr = {.iterations = 31, .gradient = -1}, .storage = {.launches = SPARSE_LAUNCHES_FUSED}},
         32,
         true},
        {{.cgnr = {.iterations = 40, .gradient = -1}, .storage = {.launches = SPARSE_LAUNCHES_FUSED}},
         64,
         true},
        {{.cgnr = {.iterations = 39, .gradient = -1}, .storage = {.launches = SPARSE_LAUNCHES_FUSED}},
         40,
         true},
        {{.cgnr = {.iterations = 200, .gradient = 1e-2}, .storage = {.launches = SPARSE_LAUNCHES_FUSED}},
         0,
         true},
        {{.cgnr = {.iterations = 43, .gradient = -1},
          .storage = {.launches = SPARSE_LAUNCHES_SEPARATE, .format = KN_SPARSE_CSR_VECTOR}},
         44,
         true},
        {{.cgnr = {.iterations = 31, .gradient = -1},
          .storage = {.launches = SPARSE_LAUNCHES_SEPARATE, .format = KN_SPARSE_BACKPROJECTION}},
         32,
         false}};
    const kn_recording_way recordings[] = {KN_RECORDING_LAUNCHES, own_recording()};
    uint64_t state = test_seed("recorded");
    struct system s = system_make(120, 70, 3, &state);

    for (size_t i = 0; i < s.matrix.nonzeros; i++) // slow to converge
        s.matrix.values[i] /= 1 + s.matrix.indices[i] % 37;
    for (size_t i = 0; i < (test_is_slow() ? 3 : sizeof cases / sizeof *cases); i++) {
        struct solver_case options = cases[i].options;
        struct cgnr_result plain, result;
        bool is_recorded;
        options.cgnr.unrecorded = true;
        float *wanted = solve(&s, &options, &plain);
        options.cgnr.unrecorded = false;
        for (size_t w = 0; w < (recordings[1] == KN_RECORDING_AUTO ? 1 : 2); w++) {
            options.cgnr.recording = recordings[w];
            float *x = solve(&s, &options, &result);
            size_t launched = count_iterations(&s, &options, &is_recorded);
            ck_assert_msg(is_recorded == cases[i].recorded, "case %zu, kind %zu", i, w);
            if (cases[i].launched)
                ck_assert_msg(launched == cases[i].launched, "case %zu, kind %zu: %zu launches, not %zu", i,
                              w, launched, cases[i].launched);
            ck_assert_uint_eq(result.iterations, plain.iterations);
            ck_assert_int_eq((int)result.stopped, (int)plain.stopped);
            if (options.storage.format != KN_SPARSE_BACKPROJECTION) {
                ck_assert_msg(memcmp(x, wanted, 70 * sizeof *x) == 0, "case %zu, kind %zu: other bits", i, w);
                ck_assert_int_eq(
                    memcmp(result.history, plain.history, (plain.iterations + 1) * sizeof *plain.history), 0);
            }
            free(result.history);
            free(x);
        }
        fprintf(stderr, "recorded: case %zu, %zu iterations, stopped by %s\n", i, plain.iterations,
                ki_cgnr_stopped_names[plain.stopped]);
        free(plain.history);
        free(wanted);
    }
    system_drop(&s);
}
END_TEST

START_TEST(refused)
{
    uint64_t state = 1;
    struct system s = system_make(20, 10, 2, &state);
    struct sparse_solver *solver = NULL;
    struct cgnr_result result;
    kn_buffer *b = test_upload_with_room(s.b, 20 * sizeof *s.b, 0);
    kn_buffer *x = test_upload_with_room(s.x, 10 * sizeof *s.x, 0);
    const struct {
        struct solver_case options;
        kn_status status;
        const char *words;
    } tried[] = {
        {{.cgnr = {.iterations = 1 << 30}}, KN_ERROR_ARGUMENT, "at most 1048576"},
        {{.cgnr = {.lambda = -1}}, KN_ERROR_ARGUMENT, "lambda is -1"},
        {{.cgnr = {.smooth = 1, .order = 3}}, KN_ERROR_ARGUMENT, "order 3"},
        {{.cgnr = {.nonnegative = 1, .correction = "d"}}, KN_ERROR_ARGUMENT, "both in one"},
        {{.cgnr = {.correction = "d +"}}, KN_ERROR_BUILD, ""},
        {{.cgnr = {.printed = true}, .storage = {.launches = SPARSE_LAUNCHES_FUSED}},
         KN_ERROR_ARGUMENT,
         "separate launches"},
        {{.cgnr = {.white = true}, .storage = {.launches = SPARSE_LAUNCHES_FUSED}},
         KN_ERROR_ARGUMENT,
         "whiteness of A x - b has sep"},
        {{.storage = {.format = (kn_sparse_format)77}}, KN_ERROR_ARGUMENT, "format 77"},
    };

    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++)
        EXPECT_REFUSED(tried[i].status, tried[i].words,
                       ki_sparse_solver_create(queue, &s.matrix, &tried[i].options.storage,
                                               &tried[i].options.cgnr, &solver, &err));
    EXPECT_OK(ki_sparse_solver_create(queue, &s.matrix, NULL, &(struct cgnr_options){.iterations = 2},
                                      &solver, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "holds 10",
                   ki_cgnr_solve(queue, ki_sparse_solver_cgnr(solver), x, x, x, &result, &err));
    // A direction that does not fit into local memory.
    size_t columns = (size_t)kn_context_get_device(context)->local_memory / sizeof(float) + 1;
    struct sparse_matrix wide = test_sparse(5, columns, 3, SKEW_NONE, &state);
    struct sparse_solver *none = NULL;
    const struct solver_case fused = {.storage = {.launches = SPARSE_LAUNCHES_FUSED}};
    EXPECT_REFUSED(KN_ERROR_LIMIT, "use separate ones",
                   ki_sparse_solver_create(queue, &wide, &fused.storage, &fused.cgnr, &none, &err));
    ki_sparse_free(&wide);
    s.b[3] = INFINITY;
    EXPECT_OK(kn_buffer_write(queue, b, 0, s.b, 20 * sizeof *s.b, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "right hand side is not finite",
                   ki_cgnr_solve(queue, ki_sparse_solver_cgnr(solver), b, x, x, &result, &err));
    ki_sparse_solver_free(solver);
    kn_buffer_free(b);
    kn_buffer_free(x);
    system_drop(&s);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {dense, corrections, printed, stops, nothing, launches, recorded, refused};

    return test_run("solver", tests, sizeof tests / sizeof *tests, test_open, test_close);
}
