// SPDX-License-Identifier: Apache-2.0
// Tests sparse products and conjugate gradients with the host's own code, in both precisions and formats, at
// every level, against double precision and dense least squares; the same bits in every run and with any
// number of threads.
#include "sparse_support.h"

#include <float.h>
#include <math.h>

#include "support/sparse_inputs.h"
#include "support/sparse_reference.h"
#include "app/sparse/solver/host/host_solve.h"
#include "support/run.h"

static const kn_type types[] = {KN_F32, KN_F64};
static const enum sparse_host_format formats[] = {SPARSE_HOST_CSR, SPARSE_HOST_SELL};
static const struct {
    kn_host_level level;
    const char *name;
} levels[] = {{KN_HOST_SCALAR, "scalar"}, {KN_HOST_AVX2, "AVX2"}, {KN_HOST_AVX512, "AVX-512"}};

static double epsilon(kn_type type)
{
    return type == KN_F32 ? 0x1p-24 : 0x1p-53;
}

static double get(const void *numbers, size_t i, kn_type type)
{
    return type == KN_F32 ? (double)((const float *)numbers)[i] : ((const double *)numbers)[i];
}

// Random numbers that the type can represent, also copied to `wide`; poison (not-a-number) if that is NULL.
static void *numbers_of(kn_type type, size_t count, double *wide)
{
    void *numbers = malloc((count + 1) * kn_type_size(type));

    ck_assert_ptr_nonnull(numbers);
    for (size_t i = 0; i < count; i++) {
        float value = wide ? (float)(2 * test_uniform(&sparse_seed) - 1) : NAN;

        if (type == KN_F32)
            ((float *)numbers)[i] = value;
        else
            ((double *)numbers)[i] = (double)value;
        if (wide)
            wide[i] = (double)value;
    }
    return numbers;
}

// False for a level that this processor lacks.
static bool make_host(const struct sparse_matrix *matrix, size_t type, size_t format, size_t level,
                      unsigned threads, struct sparse_host **host)
{
    const kn_host_options options =
        KN_INIT(kn_host_options, .threads = threads, .level = levels[level].level);
    kn_status status = ki_sparse_host_create(matrix, types[type], formats[format], &options, host, &err);

    if (status == KN_ERROR_UNSUPPORTED)
        return false;
    ck_assert_msg(status == KN_OK, "%s", err.text);
    ck_assert_str_eq(ki_sparse_host_level(*host), levels[level].name);
    return true;
}

// ---- products ----

// Every element of to = A from within its rounding error: factors are rounded to the type, and so is every
// addition.
static void check_product(const struct sparse_matrix *matrix, const double *from, const void *to,
                          kn_type type)
{
    for (size_t row = 0; row < matrix->rows; row++) {
        double sum = 0, size = 0;

        for (size_t i = matrix->starts[row]; i < matrix->starts[row + 1]; i++) {
            double product = matrix->values[i] * from[matrix->indices[i]];

            sum += product;
            size += fabs(product);
        }
        size *= (double)(matrix->starts[row + 1] - matrix->starts[row] + 3) * epsilon(type);
        ck_assert_msg(fabs(get(to, row, type) - sum) <= size, "row %zu: %g instead of %g", row,
                      get(to, row, type), sum);
    }
}

static void check_products(const struct sparse_matrix *matrix, struct sparse_host *host, kn_type type)
{
    struct sparse_matrix transposed;

    EXPECT_OK(ki_sparse_transpose(matrix, &transposed, &err));
    for (unsigned t = 0; t < 2; t++) {
        const struct sparse_matrix *lines = t ? &transposed : matrix;
        double *wide = sparse_numbers(lines->columns);
        void *from = numbers_of(type, lines->columns, wide), *to = numbers_of(type, lines->rows, NULL);

        ki_sparse_host_multiply(host, t, from, to);
        check_product(lines, wide, to, type);
        free(wide);
        free(from);
        free(to);
    }
    ki_sparse_free(&transposed);
}

START_TEST(products)
{
    static const struct {
        size_t rows, columns, count;
    } shapes[] = {{1, 1, 0},       {1, 1, 1},        {2, 3, 0},     {3, 2, 4},     {15, 16, 60},
                  {16, 17, 90},    {17, 15, 90},     {31, 32, 90},  {32, 33, 300}, {33, 31, 300},
                  {129, 127, 100}, {127, 129, 3000}, {1000, 7, 60}, {7, 1000, 60}, {300, 200, 20000}};

    sparse_seed = test_seed("products");
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        struct sparse_matrix matrix = sparse_random(shapes[s].rows, shapes[s].columns, shapes[s].count, NULL);

        for (size_t i = 0; i < 12; i++) {
            struct sparse_host *host;

            if (!make_host(&matrix, i % 2, i / 2 % 2, i / 4, 1 + (unsigned)(s % 3), &host))
                continue;
            check_products(&matrix, host, types[i % 2]);
            ki_sparse_host_free(host);
        }
        ki_sparse_free(&matrix);
    }
}
END_TEST

// One dense row among thousands with a few nonzeros: SELL pads only the neighbours of that row.
START_TEST(one_dense_row)
{
    enum { ROWS = 4000, COLUMNS = 600 };
    uint32_t *row = malloc((ROWS + COLUMNS) * sizeof *row),
             *column = malloc((ROWS + COLUMNS) * sizeof *column);
    double *values;
    struct sparse_matrix matrix;

    sparse_seed = test_seed("one_dense_row");
    values = sparse_numbers(ROWS + COLUMNS);
    for (size_t i = 0; i < ROWS + COLUMNS; i++) {
        row[i] = (uint32_t)(i < ROWS ? i : 1234);
        column[i] = (uint32_t)(i < ROWS ? test_random(&sparse_seed) % COLUMNS : i - ROWS);
    }
    EXPECT_OK(ki_sparse_from_entries(
        &(struct sparse_entries){ROWS, COLUMNS, ROWS + COLUMNS, row, column, values}, &matrix, &err));
    for (size_t i = 0; i < 12; i++) {
        struct sparse_host *host;

        if (!make_host(&matrix, i % 2, i / 2 % 2, i / 4, 2, &host))
            continue;
        check_products(&matrix, host, types[i % 2]);
        ck_assert_uint_le(ki_sparse_host_stored(host, false), ROWS + 16 * COLUMNS);
        ki_sparse_host_free(host);
    }
    ki_sparse_free(&matrix);
    free(row);
    free(column);
    free(values);
}
END_TEST

START_TEST(what_is_refused)
{
    const uint32_t zero = 0;
    struct sparse_matrix matrix;
    struct sparse_host *host = (struct sparse_host *)&matrix;
    const kn_host_options bad = KN_INIT(kn_host_options, .level = (kn_host_level)7);

    EXPECT_OK(ki_sparse_from_entries(&(struct sparse_entries){1, 1, 1, &zero, &zero, NULL}, &matrix, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "KN_F32 or KN_F64",
                   ki_sparse_host_create(&matrix, KN_I32, SPARSE_HOST_CSR, NULL, &host, &err));
    ck_assert_ptr_null(host);
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "no level 7",
                   ki_sparse_host_create(&matrix, KN_F32, SPARSE_HOST_CSR, &bad, &host, &err));
    ki_sparse_free(&matrix);
    ki_sparse_host_free(NULL);
}
END_TEST

// ---- conjugate gradients ----

// Differences of neighbours, so that an order other than the file's would be detected.
static void differences(const void *data, const double *x, size_t count, double *out)
{
    for (size_t i = 0; i + 1 < count; i++) {
        out[i] += *(const double *)data * (x[i] - x[i + 1]);
        out[i + 1] += *(const double *)data * (x[i + 1] - x[i]);
    }
}

static void differences_along(const void *data, const double *x, const double *d, size_t count, double *out)
{
    (void)x;
    differences(data, d, count, out);
}

static const double weight = 3;
static const struct solve_correction corrections[] = {{sparse_hinge, sparse_hinge_along, &weight},
                                                      {differences, differences_along, &weight}};

enum { ROWS = 300, COLUMNS = 60, SOME = 6, MANY = 150 };

struct problem {
    struct sparse_matrix matrix;
    double b[ROWS], start[COLUMNS];
};

static void make_problem(struct problem *p)
{
    p->matrix = sparse_random(ROWS, COLUMNS, 12 * ROWS, NULL);
    for (size_t i = 0; i < ROWS; i++)
        p->b[i] = (double)(float)(2 * test_uniform(&sparse_seed) - 1);
    for (size_t i = 0; i < COLUMNS; i++)
        p->start[i] = (double)(float)(2 * test_uniform(&sparse_seed) - 1);
}

static struct host_cgnr_result solve(struct sparse_host *host, const struct problem *p, kn_type type,
                                     const struct host_cgnr_options *options, double *x, double *history)
{
    struct host_cgnr_result result = {.history = history};
    float b[ROWS], narrow[COLUMNS];

    memcpy(x, p->start, sizeof p->start);
    for (size_t i = 0; i < ROWS; i++)
        b[i] = (float)p->b[i];
    for (size_t i = 0; i < COLUMNS; i++)
        narrow[i] = (float)p->start[i];
    if (type == KN_F32)
        EXPECT_OK(ki_sparse_host_solve(host, b, options, narrow, &result, &err));
    else
        EXPECT_OK(ki_sparse_host_solve(host, p->b, options, x, &result, &err));
    for (size_t i = 0; i < COLUMNS && type == KN_F32; i++)
        x[i] = (double)narrow[i];
    return result;
}

static double furthest(const double *x, const double *y)
{
    double most = 0, size = 0;

    for (size_t i = 0; i < COLUMNS; i++) {
        most = fmax(most, fabs(x[i] - y[i]));
        size = fmax(size, fabs(y[i]));
    }
    return most / size;
}

// A few iterations: compared with the reference, step by step. Many: with the least squares solution.
START_TEST(iterations)
{
    static struct problem p;

    sparse_seed = test_seed("iterations");
    make_problem(&p);
    for (size_t i = 0; i < 12; i++)
        for (size_t c = 0; c < 3; c++) {
            const struct solve_correction *correction = c ? &corrections[c - 1] : NULL;
            struct sparse_reference_options reference = {.iterations = SOME, .correction = correction};
            struct host_cgnr_options options = {.iterations = SOME, .correction = correction};
            double x[COLUMNS], y[COLUMNS], history[MANY + 1], expected[MANY + 1];
            struct host_cgnr_result result;
            struct sparse_host *host;
            // Every iteration amplifies rounding errors; measured below 60 epsilons after six.
            double bound = 2000 * epsilon(types[i % 2]);

            if (!make_host(&p.matrix, i % 2, i / 2 % 2, i / 4, 2, &host))
                continue;
            memcpy(y, p.start, sizeof y);
            EXPECT_OK(sparse_reference_solve(&p.matrix, p.b, &reference, y, expected, &err));
            result = solve(host, &p, types[i % 2], &options, x, history);
            ck_assert_uint_eq(result.iterations, SOME);
            ck_assert_int_eq((int)result.stopped_by, HOST_CGNR_ITERATIONS);
            ck_assert_double_le(furthest(x, y), bound);
            for (size_t k = 0; k <= SOME; k++)
                ck_assert_double_le(fabs(history[k] - expected[k]), bound * expected[k]);
            ck_assert_double_eq(result.residual, history[SOME]);
            options.iterations = reference.iterations = MANY;
            result = solve(host, &p, types[i % 2], &options, x, history);
            ck_assert_int_eq((int)result.stopped_by, HOST_CGNR_FLOOR);
            ck_assert_uint_lt(result.iterations, MANY);
            ck_assert_double_eq(history[MANY], result.residual);
            EXPECT_OK(sparse_reference_solve(&p.matrix, p.b, &reference, y, NULL, &err));
            if (c == 0)
                EXPECT_OK(sparse_reference_least_squares(&p.matrix, p.b, y, &err));
            ck_assert_double_le(furthest(x, y), bound);
            ki_sparse_host_free(host);
        }
    ki_sparse_free(&p.matrix);
}
END_TEST

START_TEST(reasons_to_stop)
{
    static struct problem p;
    double x[COLUMNS], history[MANY + 1], right = 0;
    struct host_cgnr_options options = {.iterations = MANY};
    struct host_cgnr_result result;
    struct sparse_host *host;

    sparse_seed = test_seed("reasons_to_stop");
    make_problem(&p);
    for (size_t i = 0; i < ROWS; i++)
        right += p.b[i] * p.b[i];
    EXPECT_OK(ki_sparse_host_create(&p.matrix, KN_F64, SPARSE_HOST_SELL, NULL, &host, &err));
    solve(host, &p, KN_F64, &options, x, history);
    options.noise = history[3] * (1 + 1e-9);
    result = solve(host, &p, KN_F64, &options, x, NULL);
    ck_assert_uint_eq(result.iterations, 3);
    ck_assert_int_eq((int)result.stopped_by, HOST_CGNR_DISCREPANCY);
    options.tolerance = history[2] / sqrt(right) * (1 + 1e-9);
    result = solve(host, &p, KN_F64, &options, x, NULL);
    ck_assert_uint_eq(result.iterations, 2);
    ck_assert_int_eq((int)result.stopped_by, HOST_CGNR_RESIDUAL);
    options = (struct host_cgnr_options){.iterations = MANY, .past_floor = true};
    result = solve(host, &p, KN_F64, &options, x, NULL);
    ck_assert(result.iterations == MANY || result.stopped_by == HOST_CGNR_FLOOR);
    options.iterations = 0;
    result = solve(host, &p, KN_F64, &options, x, NULL);
    ck_assert_uint_eq(result.iterations, 0);
    ck_assert_double_eq(furthest(x, p.start), 0);
    // No descent is possible: b = 0 from x = 0.
    memset(p.b, 0, sizeof p.b);
    memset(p.start, 0, sizeof p.start);
    options.iterations = MANY;
    result = solve(host, &p, KN_F64, &options, x, NULL);
    ck_assert_int_eq((int)result.stopped_by, HOST_CGNR_FLOOR);
    ck_assert_uint_eq(result.iterations, 0);
    ck_assert_double_eq(result.residual, 0);
    ki_sparse_host_free(host);
    ki_sparse_free(&p.matrix);
}
END_TEST

// Large enough for several threads.
START_TEST(same_bits)
{
    enum { TALL = 30011, WIDE = 1009, NONZEROS = 200000, FEW = 12 };
    struct sparse_matrix matrix;
    double *b;
    void *first = NULL;

    sparse_seed = test_seed("same_bits");
    matrix = sparse_random(TALL, WIDE, NONZEROS, NULL);
    b = sparse_numbers(TALL);
    for (size_t format = 0; format < 2; format++)
        for (unsigned run = 0; run < 5; run++) {
            struct host_cgnr_options options = {.iterations = FEW};
            struct host_cgnr_result result = {.history = NULL};
            double *x = calloc(WIDE, sizeof *x);
            struct sparse_host *host;

            ck_assert(make_host(&matrix, 1, format, 0, 1 + run % 4, &host));
            EXPECT_OK(ki_sparse_host_solve(host, b, &options, x, &result, &err));
            ck_assert_uint_eq(result.iterations, FEW);
            if (run == 0) {
                free(first);
                first = x;
            } else {
                ck_assert_mem_eq(x, first, WIDE * sizeof *x);
                free(x);
            }
            ki_sparse_host_free(host);
        }
    free(first);
    free(b);
    ki_sparse_free(&matrix);
}
END_TEST

// Ill-conditioned: the least possible residual.
START_TEST(real_systems)
{
    static const char *const files[][2] = {{"sparse/well1033.mtx.gz", "sparse/well1033_rhs1.mtx.gz"},
                                           {"sparse/illc1033.mtx.gz", "sparse/illc1033_rhs1.mtx.gz"}};

    for (size_t f = 0; f < 2; f++) {
        char path[4096], right[4096];
        struct sparse_matrix matrix;
        struct sparse_columns b;
        struct sparse_host *host;
        struct host_cgnr_options options = {.iterations = 8000};
        struct host_cgnr_result result = {.history = NULL};
        double x[320] = {0}, y[320], *r, least = 0;

        if (!test_data_path(files[f][0], path, sizeof path) ||
            !test_data_path(files[f][1], right, sizeof right))
            continue;
        EXPECT_OK(sparse_read(path, &matrix, &err));
        EXPECT_OK(sparse_read_columns(right, &b, &err));
        EXPECT_OK(sparse_reference_least_squares(&matrix, b.values, y, &err));
        r = sparse_numbers(matrix.rows);
        ki_sparse_reference_multiply(&matrix, y, r);
        for (size_t i = 0; i < matrix.rows; i++)
            least += (r[i] - b.values[i]) * (r[i] - b.values[i]);
        EXPECT_OK(ki_sparse_host_create(&matrix, KN_F64, SPARSE_HOST_SELL, NULL, &host, &err));
        EXPECT_OK(ki_sparse_host_solve(host, b.values, &options, x, &result, &err));
        ck_assert_double_le(fabs(result.residual - sqrt(least)), 1e-9 * sqrt(least));
        ki_sparse_host_free(host);
        ki_sparse_free(&matrix);
        free(b.values);
        free(r);
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {products,        one_dense_row, what_is_refused, iterations,
                                  reasons_to_stop, same_bits,     real_systems};

    return TEST_RUN("sparse_host", CK_FORK, tests);
}
