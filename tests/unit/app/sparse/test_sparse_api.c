// SPDX-License-Identifier: Apache-2.0
// koine/sparse.h: matrices from arrays and entries; their products in every format, on a device and on the
// host, beside a dense product in double; what ran; what is refused.
#include "operator/operator.h"

#include "sparse_api_support.h"

#include <pthread.h>

#include <koine/koine.h>

enum { FORMATS = KN_SPARSE_MERGE + 1 };

// ---- matrices ----

// Entries in any order, some of them of one place, and the matrix that they are. Every third row and every
// fourth column may be empty.
struct entries {
    size_t rows, columns, count;
    uint32_t *i, *j;
    double *values, *dense;
};

static struct entries random_entries(size_t rows, size_t columns, size_t count, bool with_empty,
                                     uint64_t *state)
{
    struct entries e = {rows, columns, 0, NULL, NULL, random_numbers(count, state), NULL};

    e.i = test_allocate(count * sizeof *e.i);
    e.j = test_allocate(count * sizeof *e.j);
    e.dense = test_zeros(rows * columns, sizeof *e.dense);
    for (size_t k = 0; k < count; k++) {
        uint32_t i = (uint32_t)(test_random(state) % rows), j = (uint32_t)(test_random(state) % columns);

        if (with_empty && (i % 3 == 1 || j % 4 == 2))
            continue;
        e.i[e.count] = i;
        e.j[e.count] = j;
        e.dense[i * columns + j] += e.values[e.count++];
    }
    return e;
}

static void free_entries(struct entries *e)
{
    free(e->i);
    free(e->j);
    free(e->values);
    free(e->dense);
}

static kn_sparse *matrix_of(const struct entries *e)
{
    kn_sparse *matrix = NULL;

    EXPECT_OK(kn_sparse_create_coo(e->rows, e->columns, e->count, e->i, e->j, e->values, &matrix, &err));
    ck_assert_uint_eq(kn_sparse_get_rows(matrix), e->rows);
    ck_assert_uint_eq(kn_sparse_get_columns(matrix), e->columns);
    return matrix;
}

// That the arrays are those of koine/sparse.h, and the numbers those of `dense`, element (i, j) at
// i * down + j * right.
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

// Values that are not given are 1, and matrices may be empty.
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
    static const unsigned tunings[][4] = {{32, 1, 1, 32}, {64, 2, 3, 100}, {64, 64, 5, 1}, {0, 32, 64, 0}};
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

// The host's two formats take other memory: rows have their nonzeros, slices fill up to the longest of 16.
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

static const char *const kernels[FORMATS][3] = {
    [KN_SPARSE_SIMPLE] = {"spmv_simple"},
    [KN_SPARSE_MEMORY_LAYOUT] = {"spmv_layout"},
    [KN_SPARSE_LOCAL_MEMORY] = {"spmv_local"},
    [KN_SPARSE_MEMORY_LAYOUT_LOCAL] = {"spmv_layout_local"},
    [KN_SPARSE_BACKPROJECTION] = {"spmv_scatter"},
    [KN_SPARSE_ELL] = {"spmv_ell"},
    [KN_SPARSE_CSR_VECTOR] = {"spmv_vector"},
    [KN_SPARSE_COO] = {"spmv_coo", "spmv_carry"},
    [KN_SPARSE_HYB] = {"spmv_ell", "spmv_coo", "spmv_carry"},
    [KN_SPARSE_SELL] = {"spmv_sell"},
    [KN_SPARSE_MERGE] = {"spmv_merge", "spmv_carry"},
};

// A product replayed has the bits of one that is applied.
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
            for (unsigned k = 0; k < 3 && kernels[format][k]; k++, launched++)
                ck_assert_msg(test_count_kernel(entries, count, kernels[format][k]) == 1, "%s: no %s",
                              kn_sparse_format_name(format), kernels[format][k]);
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

// Two operators of one matrix and a context, on two queues, and two of the host.
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

// The matrix, the queue that an operator was made with, and the context go first.
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

// ---- what is refused ----

START_TEST(refused_matrices)
{
    static const uint64_t starts[] = {0, 2, 3}, late[] = {1, 2, 3}, back[] = {0, 4, 3}, few[] = {0, 1, 2};
    static const uint32_t indices[] = {0, 2, 1}, twice[] = {2, 2, 1}, falling[] = {2, 0, 1},
                          outside[] = {0, 3, 1}, rows[] = {0, 1, 2};
    static const double values[] = {1, 2, 3}, no_numbers[] = {1, NAN, 3}, large[] = {1e308, 1e308, 0};
    static const uint32_t same[] = {1, 1, 1};
    kn_sparse *const untouched = (kn_sparse *)(uintptr_t)&starts;
    kn_sparse *made = untouched;
    const struct {
        const char *words;
        size_t rows, columns, nonzeros;
        const uint64_t *starts;
        const uint32_t *indices;
        const double *values;
    } csr[] = {{"starts is NULL", 2, 3, 3, NULL, indices, values},
               {"indices is NULL", 2, 3, 3, starts, NULL, values},
               {"begin at 1", 2, 3, 3, late, indices, values},
               {"end at 2", 2, 3, 3, few, indices, values},
               {"row 1 (from 0) begins behind its end", 2, 3, 3, back, indices, values},
               {"columns of row 0 (from 0) do not ascend", 2, 3, 3, starts, twice, values},
               {"columns of row 0 (from 0) do not ascend", 2, 3, 3, starts, falling, values},
               {"in column 3 of 3", 2, 3, 3, starts, outside, values},
               {"row 0, column 2 (from 0): nan", 2, 3, 3, starts, indices, no_numbers},
               {"4294967296 x 3", (size_t)1 << 32, 3, 3, starts, indices, values},
               {"nonzeros", 2, 3, SIZE_MAX, starts, indices, values},
               {"is its size right", (size_t)1 << 31, 3, 3, starts, indices, values}};

    for (size_t i = 0; i < sizeof csr / sizeof *csr; i++) {
        EXPECT_REFUSED(KN_ERROR_ARGUMENT, csr[i].words,
                       kn_sparse_create_csr(csr[i].rows, csr[i].columns, csr[i].nonzeros, csr[i].starts,
                                            csr[i].indices, csr[i].values, &made, &err));
        ck_assert_msg(strstr(err.text, "kn_sparse_create_csr: ") == err.text && err.file[0] == 0, "'%s'",
                      err.text);
    }
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "made is NULL",
                   kn_sparse_create_csr(2, 3, 3, starts, indices, values, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "kn_sparse_create_coo: entry 1 is at row 1, column 3",
                   kn_sparse_create_coo(3, 3, 3, rows, outside, values, &made, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "entry 2 is at row 2",
                   kn_sparse_create_coo(2, 3, 3, rows, indices, values, &made, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "nan",
                   kn_sparse_create_coo(3, 3, 3, rows, indices, no_numbers, &made, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "row 1, column 1 (from 0): inf",
                   kn_sparse_create_coo(3, 3, 3, same, same, large, &made, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "i is NULL",
                   kn_sparse_create_coo(3, 3, 3, NULL, same, large, &made, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "j is NULL",
                   kn_sparse_create_coo(3, 3, 3, same, NULL, large, &made, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "made is NULL",
                   kn_sparse_create_coo(3, 3, 3, same, same, NULL, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "matrix is NULL", kn_sparse_create_transposed(NULL, &made, &err));
    ck_assert_ptr_eq(made, untouched);
    ck_assert(kn_sparse_create_transposed(NULL, &made, NULL) == KN_ERROR_ARGUMENT);
}
END_TEST

START_TEST(refused_operators)
{
#define WITH(...) KN_INIT(kn_sparse_operator_options, __VA_ARGS__)
    uint64_t state = test_seed("refused_operators");
    struct entries e = random_entries(30, 20, 100, false, &state);
    kn_sparse *matrix = matrix_of(&e), *empty = NULL, *large = NULL;
    const uint32_t zero = 0;
    const double beyond = 1e200;
    kn_operator *a = NULL;
    const struct {
        kn_status status;
        const char *words;
        kn_queue *queue;
        kn_sparse_operator_options options;
    } refused[] = {
        {KN_ERROR_ARGUMENT, "no format 14", NULL, WITH(.format = (kn_sparse_format)14)},
        {KN_ERROR_ARGUMENT, "no format 99", queue, WITH(.format = (kn_sparse_format)99)},
        {KN_ERROR_ARGUMENT, "on-the-fly computes", NULL, WITH(.format = KN_SPARSE_ON_THE_FLY)},
        {KN_ERROR_ARGUMENT, "on-the-fly+local-memory computes", queue,
         WITH(.format = KN_SPARSE_ON_THE_FLY_LOCAL)},
        {KN_ERROR_UNSUPPORTED, "coo is a format of devices", NULL, WITH(.format = KN_SPARSE_COO)},
        {KN_ERROR_UNSUPPORTED, "merge is a format of devices", NULL, WITH(.format = KN_SPARSE_MERGE)},
        {KN_ERROR_UNSUPPORTED, "expected KN_F32", queue, WITH(.type = KN_F64)},
        {KN_ERROR_UNSUPPORTED, "expected KN_F32 or KN_F64", NULL, WITH(.type = KN_I32)},
        {KN_ERROR_ARGUMENT, "threads is the host's", queue, WITH(.threads = 2)},
        {KN_ERROR_ARGUMENT, "level is the host's", queue, WITH(.level = KN_HOST_SCALAR)},
        {KN_ERROR_ARGUMENT, "no level 9", NULL, WITH(.level = (kn_host_level)9)},
        {KN_ERROR_ARGUMENT, "chunk is a device's", NULL, WITH(.chunk = 64)},
        {KN_ERROR_ARGUMENT, "group is a device's", NULL, WITH(.group = 64)},
        {KN_ERROR_ARGUMENT, "a group of 48", queue, WITH(.group = 48)},
        {KN_ERROR_ARGUMENT, "a group of 16", queue, WITH(.group = 16)},
        {KN_ERROR_LIMIT, "work-groups", queue, WITH(.group = 1U << 30)},
        {KN_ERROR_ARGUMENT, "3 lanes", queue, WITH(.lanes = 3)},
        {KN_ERROR_ARGUMENT, "at most 32", queue, WITH(.lanes = 64)},
        {KN_ERROR_ARGUMENT, "65 items", queue, WITH(.items = 65)},
        {KN_ERROR_LIMIT, "local memory", queue, WITH(.chunk = 1U << 30)},
        {KN_ERROR_ARGUMENT, "kn_sparse_operator_options", NULL, {.struct_size = 0}},
    };

    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        EXPECT_REFUSED(refused[i].status, refused[i].words,
                       kn_sparse_operator_create(refused[i].queue, matrix, &refused[i].options, &a, &err));
        ck_assert_msg(strstr(err.text, "kn_sparse_operator_create") == err.text, "'%s'", err.text);
    }
    EXPECT_OK(kn_sparse_create_coo(0, 3, 0, NULL, NULL, NULL, &empty, &err));
    EXPECT_OK(kn_sparse_create_coo(1, 1, 1, &zero, &zero, &beyond, &large, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "0 x 3", kn_sparse_operator_create(queue, empty, NULL, &a, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "single precision",
                   kn_sparse_operator_create(queue, large, NULL, &a, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "single precision",
                   kn_sparse_operator_create(NULL, large, &WITH(.type = KN_F32), &a, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "matrix is NULL",
                   kn_sparse_operator_create(queue, NULL, NULL, &a, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "made is NULL",
                   kn_sparse_operator_create(queue, matrix, NULL, NULL, &err));
    ck_assert_ptr_null(a);
    kn_sparse_free(empty);
    kn_sparse_free(large);
    kn_sparse_free(matrix);
    free_entries(&e);
#undef WITH
}
END_TEST

// Buffers that are too small, of another context or the same, and operators of other kinds.
START_TEST(refused_calls)
{
    uint64_t state = test_seed("refused_calls");
    struct entries e = random_entries(30, 20, 100, false, &state);
    kn_sparse *matrix = matrix_of(&e);
    kn_operator *a = make(queue, matrix, KN_INIT(kn_sparse_operator_options, .format = KN_SPARSE_MERGE)),
                *own = NULL;
    size_t others[64]; // what it holds are no pointers
    const kn_operator_functions functions = KN_INIT(kn_operator_functions, .rows = 3, .columns = 4,
                                                    .type = KN_F64, .apply_host = no_product, .data = others);
    kn_context *elsewhere = NULL;
    kn_queue *there = NULL;
    kn_buffer *x = NULL, *y = NULL, *small = NULL, *foreign = NULL;

    for (size_t i = 0; i < 64; i++)
        others[i] = 3;
    EXPECT_OK(kn_context_open(NULL, NULL, &elsewhere, &err));
    EXPECT_OK(kn_queue_open(elsewhere, &there, &err));
    EXPECT_OK(kn_buffer_create(context, 80, &x, &err));
    EXPECT_OK(kn_buffer_create(context, 120, &y, &err));
    EXPECT_OK(kn_buffer_create(context, 76, &small, &err));
    EXPECT_OK(kn_buffer_create(elsewhere, 120, &foreign, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "from", kn_operator_apply(queue, a, false, small, y, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "to", kn_operator_apply(queue, a, false, x, small, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "to", kn_operator_apply(queue, a, false, x, foreign, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "same buffer", kn_operator_apply(queue, a, false, y, y, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "context", kn_operator_apply(there, a, false, x, y, &err));
    EXPECT_OK(kn_operator_create(NULL, &functions, &own, &err));
    for (unsigned i = 0; i < 2; i++) {
        const kn_operator *other = i ? own : NULL;

        ck_assert_int_eq(kn_sparse_operator_get_format(other, false), KN_SPARSE_AUTO);
        ck_assert_str_eq(kn_sparse_operator_get_why(other, true), "");
        ck_assert_str_eq(kn_sparse_operator_get_level(other), "");
        ck_assert_uint_eq(kn_sparse_operator_get_bytes(other, false), 0);
    }
    ck_assert_uint_eq(kn_sparse_get_rows(NULL) + kn_sparse_get_columns(NULL) + kn_sparse_get_nonzeros(NULL),
                      0);
    ck_assert(!kn_sparse_get_starts(NULL) && !kn_sparse_get_indices(NULL) && !kn_sparse_get_values(NULL));
    ck_assert_str_eq(kn_sparse_format_name(KN_SPARSE_MEMORY_LAYOUT_LOCAL), "memory-layout+local-memory");
    ck_assert_ptr_null(kn_sparse_format_name((kn_sparse_format)FORMATS));
    kn_sparse_free(NULL);
    kn_buffer_free(x);
    kn_buffer_free(y);
    kn_buffer_free(small);
    kn_buffer_free(foreign);
    kn_queue_close(there);
    kn_context_close(elsewhere);
    kn_operator_free(own);
    kn_operator_free(a);
    kn_sparse_free(matrix);
    free_entries(&e);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        matrices, patterns, device_products, tuned_products,   host_products,     host_formats, levels,
        ran,      threads,  any_order,       refused_matrices, refused_operators, refused_calls};

    return test_run("sparse api", tests, sizeof tests / sizeof *tests, test_open, test_close);
}
