// SPDX-License-Identifier: Apache-2.0
// Tests koine/sparse.h: matrices from arrays and entries; their products in every format, on a device and on
// the host, against a dense product in double precision; which kernels ran.
#include "operator/operator.h"

#include "format_support.h"
#include "sparse_api_support.h"

#include <pthread.h>

#include <koine/koine.h>

// ---- matrices ----

// Checks that the arrays are as koine/sparse.h defines them, and that the numbers are those of `dense`,
// element (i, j) at i * down + j * right.
static void expect_matrix(const kn_sparse *matrix, const double *dense, size_t down, size_t right)
{
    size_t rows = kn_sparse_get_rows(matrix), columns = kn_sparse_get_columns(matrix);
    const uint64_t *starts = kn_sparse_get_starts(matrix);
    const uint32_t *indices = kn_sparse_get_indices(matrix);
    const double *values = kn_sparse_get_values(matrix);

    ck_assert_uint_eq(starts[0], 0);
    ck_assert_uint_eq(starts[rows], kn_sparse_get_nonzeros(matrix));
    for (size_t i = 0; i < rows; i++) {
        double *row = test_zeros(columns, sizeof *row);

        for (uint64_t k = starts[i]; k < starts[i + 1]; k++) {
            ck_assert(indices[k] < columns && (k == starts[i] || indices[k - 1] < indices[k]));
            row[indices[k]] = values[k];
        }
        for (size_t j = 0; j < columns; j++)
            ck_assert_msg(row[j] == dense[i * down + j * right], "row %zu, column %zu: %g, not %g", i, j,
                          row[j], dense[i * down + j * right]);
        free(row);
    }
}

static const size_t shapes[][3] = {{1, 1, 1},   {1, 40, 25},   {37, 1, 30},    {5, 3, 0},
                                   {31, 33, 9}, {67, 29, 700}, {40, 129, 600}, {130, 97, 2500}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

START_TEST(matrices)
{
    uint64_t state = test_seed("matrices");

    for (size_t s = 0; s < 2 * SHAPES; s++) {
        struct entries e =
            random_entries(shapes[s / 2][0], shapes[s / 2][1], shapes[s / 2][2], s % 2 == 1, &state);
        kn_sparse *matrix = matrix_of(&e), *turned = NULL, *copy = NULL;

        expect_matrix(matrix, e.dense, e.columns, 1);
        EXPECT_OK(kn_sparse_create_transposed(matrix, &turned, &err));
        ck_assert_uint_eq(kn_sparse_get_rows(turned), e.columns);
        expect_matrix(turned, e.dense, 1, e.columns);
        EXPECT_OK(kn_sparse_create_csr(e.rows, e.columns, kn_sparse_get_nonzeros(matrix),
                                       kn_sparse_get_starts(matrix), kn_sparse_get_indices(matrix),
                                       kn_sparse_get_values(matrix), &copy, &err));
        kn_sparse_free(matrix); // the copies do not need it
        expect_matrix(copy, e.dense, e.columns, 1);
        expect_matrix(turned, e.dense, 1, e.columns);
        kn_sparse_free(turned);
        kn_sparse_free(copy);
        free_entries(&e);
    }
}
END_TEST

// Omitted values are 1, and matrices may be empty.
START_TEST(patterns)
{
    static const uint64_t starts[] = {0, 2, 2, 3};
    static const uint32_t indices[] = {0, 3, 1}, i[] = {2, 0, 2}, j[] = {1, 3, 1};
    static const double by_rows[] = {1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0},
                        by_entries[] = {0, 0, 0, 1, 0, 0, 0, 0, 0, 2, 0, 0};
    kn_sparse *matrix = NULL;

    EXPECT_OK(kn_sparse_create_csr(3, 4, 3, starts, indices, NULL, &matrix, &err));
    expect_matrix(matrix, by_rows, 4, 1);
    kn_sparse_free(matrix);
    EXPECT_OK(kn_sparse_create_coo(3, 4, 3, i, j, NULL, &matrix, &err));
    expect_matrix(matrix, by_entries, 4, 1);
    kn_sparse_free(matrix);
    EXPECT_OK(kn_sparse_create_csr(0, 4, 0, starts, NULL, NULL, &matrix, &err));
    ck_assert_uint_eq(kn_sparse_get_nonzeros(matrix), 0);
    kn_sparse_free(matrix);
    EXPECT_OK(kn_sparse_create_coo(7, 0, 0, NULL, NULL, NULL, &matrix, &err));
    ck_assert_uint_eq(kn_sparse_get_rows(matrix), 7);
    kn_sparse_free(matrix);
}
END_TEST

// ---- products ----

static kn_operator *make(kn_queue *on, const kn_sparse *matrix, kn_sparse_operator_options options)
{
    kn_operator *a = NULL;

    EXPECT_OK(kn_sparse_operator_create(on, matrix, &options, &a, &err));
    ck_assert_ptr_eq(kn_operator_get_context(a), on ? context : NULL);
    ck_assert_uint_eq(kn_operator_get_rows(a), kn_sparse_get_rows(matrix));
    ck_assert_uint_eq(kn_operator_get_columns(a), kn_sparse_get_columns(matrix));
    ck_assert(!kn_operator_get_is_complex(a));
    ck_assert_int_eq(kn_operator_get_type(a), options.type ? options.type : on ? KN_F32 : KN_F64);
    for (unsigned adjoint = 0; adjoint < 2; adjoint++) {
        kn_sparse_format format = kn_sparse_operator_get_format(a, adjoint);

        if (options.format != KN_SPARSE_AUTO)
            ck_assert_int_eq(format, options.format);
        else if (!on)
            ck_assert_int_eq(format, KN_SPARSE_SELL);
        else
            ck_assert_msg(strstr(kn_sparse_operator_get_why(a, adjoint), kn_sparse_format_name(format)) !=
                              NULL,
                          "'%s'", kn_sparse_operator_get_why(a, adjoint));
        if (!on || options.format != KN_SPARSE_AUTO)
            ck_assert_str_eq(kn_sparse_operator_get_why(a, adjoint), "");
        ck_assert_uint_ge(kn_sparse_operator_get_bytes(a, adjoint),
                          (kn_sparse_get_rows(matrix) + kn_sparse_get_columns(matrix)) *
                              kn_type_size(kn_operator_get_type(a)));
    }
    return a;
}

static void check(kn_queue *on, const struct entries *e, kn_sparse_operator_options options, const char *what,
                  uint64_t *state)
{
    kn_sparse *matrix = matrix_of(e);
    kn_operator *a = make(on, matrix, options);
    kn_sparse_memory memory = {1, 1};

    EXPECT_OK(kn_sparse_estimate_memory(on, matrix, &memory, &options, &err));
    expect_memory(a, memory, on && options.format == KN_SPARSE_AUTO);
    kn_sparse_free(matrix);
    expect_dense(a, on, e->dense, 0, what, state);
    expect_adjoint(a, on, e->dense, 0, state);
    kn_operator_free(a);
}

START_TEST(device_products)
{
    uint64_t state = test_seed("device_products");
    size_t most = test_is_slow() ? 5 : SHAPES;

    for (size_t s = 0; s < most; s++)
        for (kn_sparse_format format = 0; format <= KN_SPARSE_MERGE; format++) {
            struct entries e = random_entries(shapes[s][0], shapes[s][1], shapes[s][2], format % 2, &state);

            if (!is_on_the_fly(format))
                check(queue, &e, KN_INIT(kn_sparse_operator_options, .format = format), "on a device",
                      &state);
            free_entries(&e);
        }
}
END_TEST

START_TEST(tuned_products)
{
    static const unsigned tunings[][4] = {{32, 1, 1, 32}, {64, 2, 3, 100}, {64, 64, 5, 1}, {0, 32, 16, 0}};
    uint64_t state = test_seed("tuned_products");

    for (size_t t = 0; t < (test_is_slow() ? 1 : 4); t++)
        for (kn_sparse_format format = 1; format <= KN_SPARSE_MERGE; format++) {
            struct entries e = random_entries(61, 83, 900, t % 2 == 0, &state);
            const kn_sparse_operator_options options =
                KN_INIT(kn_sparse_operator_options, .format = format, .type = KN_F32, .group = tunings[t][0],
                        .lanes = tunings[t][1], .items = tunings[t][2], .chunk = tunings[t][3]);

            if (!is_on_the_fly(format))
                check(queue, &e, options, "tuned", &state);
            free_entries(&e);
        }
}
END_TEST

START_TEST(host_products)
{
    static const kn_sparse_format formats[] = {KN_SPARSE_AUTO, KN_SPARSE_SIMPLE, KN_SPARSE_SELL};
    uint64_t state = test_seed("host_products");

    for (size_t s = 0; s < SHAPES; s++)
        for (unsigned kind = 0; kind < 3 * 3 * 2; kind++) {
            struct entries e = random_entries(shapes[s][0], shapes[s][1], shapes[s][2], kind & 1, &state);
            const kn_type type = kind / 2 % 3 == 1 ? KN_F32 : kind / 2 % 3 == 2 ? KN_F64 : (kn_type)0;
            const kn_sparse_operator_options options =
                KN_INIT(kn_sparse_operator_options, .format = formats[kind / 6], .type = type,
                        .threads = 1 + (kind & 1), .level = kind & 1 ? KN_HOST_AUTO : KN_HOST_SCALAR);

            check(NULL, &e, options, "on the host", &state);
            free_entries(&e);
        }
}
END_TEST

// The two formats of the host differ in memory: rows store their nonzeros, slices are padded to the longest
// of 16.
START_TEST(host_formats)
{
    uint64_t state = test_seed("host_formats");
    struct entries e = random_entries(40, 50, 300, true, &state);
    kn_sparse *matrix = matrix_of(&e);
    size_t least = kn_sparse_get_nonzeros(matrix) * 12 + 90 * sizeof(double);

    for (unsigned kind = 0; kind < 4; kind++) {
        const kn_sparse_format format = kind & 1 ? KN_SPARSE_SELL : KN_SPARSE_SIMPLE;
        const kn_type type = kind & 2 ? KN_F32 : KN_F64;
        size_t bytes = kind & 2 ? kn_sparse_get_nonzeros(matrix) * 8 + 90 * sizeof(float) : least;
        kn_operator *a =
            make(NULL, matrix, KN_INIT(kn_sparse_operator_options, .format = format, .type = type));

        for (unsigned adjoint = 0; adjoint < 2; adjoint++) {
            if (kind & 1)
                ck_assert_uint_gt(kn_sparse_operator_get_bytes(a, adjoint), bytes);
            else
                ck_assert_uint_eq(kn_sparse_operator_get_bytes(a, adjoint), bytes);
        }
        kn_operator_free(a);
    }
    kn_sparse_free(matrix);
    free_entries(&e);
}
END_TEST

START_TEST(levels)
{
    uint64_t state = test_seed("levels");
    struct entries e = random_entries(40, 50, 300, false, &state);
    kn_sparse *matrix = matrix_of(&e);
    kn_operator *a = NULL;

    EXPECT_OK(kn_sparse_operator_create(NULL, matrix, NULL, &a, &err));
    ck_assert_int_eq(kn_operator_get_type(a), KN_F64);
    ck_assert_uint_gt(strlen(kn_sparse_operator_get_level(a)), 0);
    kn_operator_free(a);
    a = make(NULL, matrix, KN_INIT(kn_sparse_operator_options, .level = KN_HOST_SCALAR));
    ck_assert_str_eq(kn_sparse_operator_get_level(a), "scalar");
    ck_assert(!a->can_record && a->launches == 0);
    kn_operator_free(a);
    EXPECT_OK(kn_sparse_operator_create(queue, matrix, NULL, &a, &err));
    ck_assert_int_eq(kn_operator_get_type(a), KN_F32);
    ck_assert_str_eq(kn_sparse_operator_get_level(a), "");
    kn_operator_free(a);
    kn_sparse_free(matrix);
    free_entries(&e);
}
END_TEST

// ---- what ran ----

// A replayed product has the same bits as one that is applied.
static void expect_recorded(const kn_operator *a, const double *x)
{
    size_t rows = kn_operator_get_rows(a), columns = kn_operator_get_columns(a);
    double *wanted = applied(a, queue, false, x);
    float *singles = test_allocate(columns * sizeof *singles), *found = test_poisoned(rows * sizeof *found);
    kn_recording *recording = NULL;
    kn_buffer *in, *out;

    for (size_t i = 0; i < columns; i++)
        singles[i] = (float)x[i];
    in = test_upload_with_room(singles, columns * sizeof *singles, 0);
    out = test_upload_with_room(found, rows * sizeof *found, 0);
    EXPECT_OK(kn_recording_begin(queue, KN_RECORDING_AUTO, &err));
    EXPECT_OK(kn_operator_apply(queue, a, false, in, out, &err));
    EXPECT_OK(kn_recording_end(queue, &recording, &err));
    EXPECT_OK(kn_recording_replay(queue, recording, &err));
    EXPECT_OK(kn_buffer_read(queue, out, 0, found, rows * sizeof *found, &err));
    for (size_t i = 0; i < rows; i++)
        ck_assert_msg((double)found[i] == wanted[i], "replayed, %zu: %g, not %g", i, (double)found[i],
                      wanted[i]);
    kn_recording_free(recording);
    kn_buffer_free(in);
    kn_buffer_free(out);
    free(wanted);
    free(singles);
    free(found);
}

START_TEST(ran)
{
    uint64_t state = test_seed("ran");
    struct entries e = random_entries(80, 60, 500, false, &state);
    kn_sparse *matrix = matrix_of(&e);
    double *x = random_numbers(80, &state);

    for (kn_sparse_format format = 1; format <= KN_SPARSE_MERGE; format++) {
        bool fills = format == KN_SPARSE_COO || format == KN_SPARSE_BACKPROJECTION;
        kn_operator *a;
        unsigned launches = 0;

        if (is_on_the_fly(format))
            continue;
        a = make(queue, matrix, KN_INIT(kn_sparse_operator_options, .format = format));
        for (unsigned adjoint = 0; adjoint < 2; adjoint++) {
            kn_profile_entry *entries = NULL;
            size_t count = 0, launched = 0;

            EXPECT_OK(kn_profile_start(queue, &err));
            free(applied(a, queue, adjoint, x));
            EXPECT_OK(kn_profile_stop(queue, &entries, &count, &err));
            for (unsigned k = 0; k < 3 && format_kernels[format][k]; k++, launched++)
                ck_assert_msg(test_count_kernel(entries, count, format_kernels[format][k]) == 1, "%s: no %s",
                              kn_sparse_format_name(format), format_kernels[format][k]);
            launches += (unsigned)launched + fills;
            kn_free(entries);
        }
        ck_assert_uint_eq(a->launches, launches);
        ck_assert_int_eq(a->can_record, !fills);
        if (a->can_record)
            expect_recorded(a, x);
        kn_operator_free(a);
    }
    free(x);
    kn_sparse_free(matrix);
    free_entries(&e);
}
END_TEST

// ---- lives and threads ----

struct worker {
    kn_queue *queue;
    kn_operator *a;
    const double *x;
    void *to;
    kn_buffer *in, *out;
    kn_status status;
};

static void *work(void *given)
{
    struct worker *w = given;

    for (unsigned turn = 0; turn < 50 && !w->status; turn++) {
        if (w->queue)
            w->status = kn_operator_apply(w->queue, w->a, false, w->in, w->out, NULL);
        else
            w->status = kn_operator_apply_host(w->a, false, w->x, w->to, NULL);
    }
    if (w->queue && !w->status)
        w->status = kn_buffer_read(w->queue, w->out, 0, w->to, kn_buffer_get_size(w->out), NULL);
    return NULL;
}

// Two operators with the same matrix and context, on two queues, and two on the host.
START_TEST(threads)
{
    enum { WORKERS = 4 };
    uint64_t state = test_seed("threads");
    struct entries e = random_entries(130, 97, 2500, true, &state);
    kn_sparse *matrix = matrix_of(&e);
    struct worker workers[WORKERS];
    pthread_t ids[WORKERS];
    kn_queue *other = NULL;
    double *x = random_numbers(e.columns, &state);
    float *singles = test_allocate(e.columns * sizeof *singles);

    for (size_t i = 0; i < e.columns; i++)
        singles[i] = (float)x[i];
    EXPECT_OK(kn_queue_open(context, &other, &err));
    for (unsigned w = 0; w < WORKERS; w++) {
        kn_queue *on = w == 0 ? queue : w == 1 ? other : NULL;

        workers[w] = (struct worker){.queue = on, .x = x, .to = test_poisoned(e.rows * sizeof(double))};
        workers[w].a = make(on, matrix, KN_INIT(kn_sparse_operator_options, .format = KN_SPARSE_SELL));
        if (!on)
            continue;
        workers[w].in = test_upload_with_room(singles, e.columns * sizeof *singles, 0);
        workers[w].out = test_upload_with_room(workers[w].to, e.rows * sizeof *singles, 0);
    }
    for (unsigned w = 0; w < WORKERS; w++)
        ck_assert_int_eq(pthread_create(&ids[w], NULL, work, &workers[w]), 0);
    for (unsigned w = 0; w < WORKERS; w++)
        ck_assert_int_eq(pthread_join(ids[w], NULL), 0);
    for (unsigned w = 0; w < WORKERS; w++) {
        double *wanted = applied(workers[w].a, workers[w].queue, false, x);

        ck_assert_int_eq(workers[w].status, KN_OK);
        for (size_t i = 0; i < e.rows; i++)
            ck_assert(wanted[i] == (workers[w].queue ? (double)((float *)workers[w].to)[i]
                                                     : ((double *)workers[w].to)[i]));
        free(wanted);
        free(workers[w].to);
        kn_buffer_free(workers[w].in);
        kn_buffer_free(workers[w].out);
        kn_operator_free(workers[w].a);
    }
    kn_queue_close(other);
    kn_sparse_free(matrix);
    free(singles);
    free(x);
    free_entries(&e);
}
END_TEST

// The matrix, the operator's queue, and the context are freed first.
START_TEST(any_order)
{
    uint64_t state = test_seed("any_order");
    struct entries e = random_entries(45, 38, 400, true, &state);
    kn_sparse *matrix = matrix_of(&e);
    kn_context *own = NULL;
    kn_queue *first = NULL, *second = NULL;
    kn_operator *a = NULL;
    kn_buffer *x = NULL, *y = NULL;
    float found[45] = {0};
    const float one = 1;

    EXPECT_OK(kn_context_open(NULL, NULL, &own, &err));
    EXPECT_OK(kn_queue_open(own, &first, &err));
    EXPECT_OK(kn_queue_open(own, &second, &err));
    EXPECT_OK(kn_sparse_operator_create(first, matrix, NULL, &a, &err));
    EXPECT_OK(kn_buffer_create(own, 38 * sizeof one, &x, &err));
    EXPECT_OK(kn_buffer_create(own, 45 * sizeof one, &y, &err));
    kn_sparse_free(matrix);
    kn_queue_close(first);
    kn_context_close(own);
    EXPECT_OK(kn_buffer_fill(second, x, &one, sizeof one, 0, 38 * sizeof one, NULL, &err));
    EXPECT_OK(kn_operator_apply(second, a, false, x, y, &err));
    EXPECT_OK(kn_buffer_read(second, y, 0, found, sizeof found, &err));
    for (size_t i = 0; i < e.rows; i++) {
        double sum = 0;

        for (size_t j = 0; j < e.columns; j++)
            sum += e.dense[i * e.columns + j];
        ck_assert_msg(fabs(sum - (double)found[i]) < 1e-4, "row %zu: %g, not %g", i, (double)found[i], sum);
    }
    kn_queue_close(second);
    kn_buffer_free(x);
    kn_operator_free(a);
    kn_buffer_free(y);
    free_entries(&e);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {matrices,      patterns,     device_products, tuned_products,
                                  host_products, host_formats, levels,          ran,
                                  threads,       any_order};

    return test_run("sparse api", tests, sizeof tests / sizeof *tests, test_open, test_close);
}
