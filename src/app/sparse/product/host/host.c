// SPDX-License-Identifier: Apache-2.0
#include "host.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "host_internal.h"

static const struct sparse_code *const levels[][2] = {HOST_LEVELS(sparse)};

static size_t lanes_of(const struct sparse_host *host)
{
    return host->format == SPARSE_HOST_SELL ? SPARSE_LANES : 1;
}

// ---- preparation ----

// The matrix with its rows in this order and its columns renumbered by `to`; the columns of a row need not
// ascend.
static void renumber(const struct sparse_matrix *matrix, const uint32_t *order, const uint32_t *to,
                     struct sparse_matrix *out)
{
    size_t at = 0;

    for (size_t i = 0; i < matrix->rows; i++) {
        size_t row = order[i];

        for (size_t k = matrix->starts[row]; k < matrix->starts[row + 1]; k++, at++) {
            out->indices[at] = to[matrix->indices[k]];
            out->values[at] = matrix->values[k];
        }
        out->starts[i + 1] = at;
    }
}

// A and A^T in the host's order.
static kn_status arrange(struct sparse_host *host, const struct sparse_matrix *matrix,
                         struct sparse_matrix *forward, struct sparse_matrix *backward, kn_error *err)
{
    struct sparse_matrix mixed = {.rows = 0};
    uint32_t *to = malloc((matrix->columns + 1) * sizeof *to);
    kn_status status = ki_sparse_transpose(matrix, backward, err);

    if (!status) {
        host->row_order = malloc((matrix->rows + 1) * sizeof *to);
        host->column_order = malloc((matrix->columns + 1) * sizeof *to);
        if (!to || !host->row_order || !host->column_order)
            status = ki_fail_memory(err, (matrix->rows + matrix->columns) * sizeof *to, "ordering a matrix");
        if (!status)
            status = ki_sparse_sort_rows(matrix, host->row_order, err);
        if (!status)
            status = ki_sparse_sort_rows(backward, host->column_order, err);
        if (!status)
            status = ki_sparse_create(matrix->rows, matrix->columns, matrix->nonzeros, &mixed, err);
        ki_sparse_free(backward);
    }
    if (!status) {
        for (size_t i = 0; i < matrix->columns; i++)
            to[host->column_order[i]] = (uint32_t)i;
        renumber(matrix, host->row_order, to, &mixed);
        status = ki_sparse_transpose(&mixed, backward, err);
        ki_sparse_free(&mixed);
    }
    free(to);
    return status ? status : ki_sparse_transpose(backward, forward, err);
}

static size_t row_length(const struct sparse_matrix *matrix, size_t row)
{
    return row < matrix->rows ? (size_t)(matrix->starts[row + 1] - matrix->starts[row]) : 0;
}

static void put(const struct sparse_host *host, struct sparse_lines *lines, size_t at, uint32_t index,
                double value)
{
    lines->indices[at] = index;
    if (host->vectors.plan.size == sizeof(float))
        ((float *)lines->values)[at] = (float)value;
    else
        ((double *)lines->values)[at] = value;
}

// Stores a row's values, `step` apart, padded with zeros up to `width`; the padding repeats the index of the
// row's last column, so that it reads nothing that the row does not need.
static void put_row(const struct sparse_host *host, struct sparse_lines *lines,
                    const struct sparse_matrix *matrix, size_t row, size_t at, size_t step, size_t width)
{
    size_t length = row_length(matrix, row);
    uint32_t index = 0;

    for (size_t i = 0; i < width; i++, at += step) {
        if (i < length)
            index = matrix->indices[matrix->starts[row] + i];
        put(host, lines, at, index, i < length ? matrix->values[matrix->starts[row] + i] : 0);
    }
}

// Groups lines into tasks of about SPARSE_TASK values each.
static bool cut(struct sparse_lines *lines)
{
    size_t most = lines->starts[lines->lines] / SPARSE_TASK + lines->lines / SPARSE_TASK + 1, begin = 0;

    lines->cuts = calloc(most + 2, sizeof *lines->cuts);
    if (!lines->cuts)
        return false;
    for (size_t line = 1; line <= lines->lines; line++)
        if (lines->starts[line] - lines->starts[begin] + (line - begin) >= SPARSE_TASK ||
            line == lines->lines)
            lines->cuts[++lines->tasks] = begin = line;
    return true;
}

static kn_status make_lines(const struct sparse_host *host, const struct sparse_matrix *matrix,
                            struct sparse_lines *lines, kn_error *err)
{
    size_t lanes = lanes_of(host), count;

    *lines = (struct sparse_lines){
        .rows = matrix->rows, .columns = matrix->columns, .lines = (matrix->rows + lanes - 1) / lanes};
    lines->starts = calloc(lines->lines + 1, sizeof *lines->starts);
    if (!lines->starts)
        return ki_fail_memory(err, lines->lines * sizeof *lines->starts, "a sparse matrix");
    for (size_t i = 0; i < lines->lines; i++)
        lines->starts[i + 1] =
            lines->starts[i] + lanes * row_length(matrix, lanes * i); // the first row is the longest
    count = lines->starts[lines->lines];
    lines->indices = host_vectors_memory(count * sizeof *lines->indices);
    lines->values = host_vectors_memory(count * host->vectors.plan.size);
    if (!lines->indices || !lines->values || !cut(lines))
        return ki_fail_memory(err, count * (sizeof *lines->indices + host->vectors.plan.size),
                              "a sparse matrix");
    for (size_t row = 0; row < lines->lines * lanes; row++) {
        size_t line = row / lanes, first = lines->starts[line];

        put_row(host, lines, matrix, row, first + row % lanes, lanes,
                (lines->starts[line + 1] - first) / lanes);
    }
    return KN_OK;
}

static kn_status fill(struct sparse_host *host, const struct sparse_matrix *matrix, kn_error *err)
{
    struct sparse_matrix forward = {.rows = 0}, backward = {.rows = 0};
    bool is_sell = host->format == SPARSE_HOST_SELL;
    size_t longest = matrix->rows > matrix->columns ? matrix->rows : matrix->columns, sums;
    kn_status status = is_sell ? arrange(host, matrix, &forward, &backward, err)
                               : ki_sparse_transpose(matrix, &backward, err);

    if (!status)
        status = make_lines(host, is_sell ? &forward : matrix, &host->forward, err);
    if (!status)
        status = make_lines(host, &backward, &host->backward, err);
    ki_sparse_free(&forward);
    ki_sparse_free(&backward);
    if (status)
        return status;
    sums = host->forward.tasks > host->backward.tasks ? host->forward.tasks : host->backward.tasks;
    host->sums = malloc((sums + 2) * sizeof *host->sums);
    host->x = host_vectors_memory(host_vectors_bytes(&host->vectors, host->columns));
    host->y = host_vectors_memory(host_vectors_bytes(&host->vectors, host->rows));
    return host->sums && host->x && host->y
               ? KN_OK
               : ki_fail_memory(err, 2 * longest * host->vectors.plan.size, "sparse products");
}

kn_status ki_sparse_host_create(const struct sparse_matrix *matrix, kn_type type,
                                enum sparse_host_format format, const kn_host_options *options,
                                struct sparse_host **host, kn_error *err)
{
    size_t longest = matrix->rows > matrix->columns ? matrix->rows : matrix->columns;
    struct host_vectors vectors;
    kn_status status = ki_host_vectors_create("sparse_host_create", type, longest, options, &vectors, err);

    *host = NULL;
    if (status)
        return status;
    if ((format != SPARSE_HOST_CSR && format != SPARSE_HOST_SELL) || matrix->rows > INT32_MAX ||
        matrix->columns > INT32_MAX)
        status = ki_fail(err, KN_ERROR_ARGUMENT,
                         "sparse_host_create: format %d, %zu x %zu; expected one of sparse_host_format, and "
                         "less than 2^31 rows and columns",
                         (int)format, matrix->rows, matrix->columns);
    *host = status ? NULL : calloc(1, sizeof **host);
    if (!*host) {
        ki_host_vectors_free(&vectors);
        return status ? status : ki_fail_memory(err, sizeof **host, "a sparse matrix");
    }
    **host = (struct sparse_host){.format = format,
                                  .vectors = vectors,
                                  .code = levels[vectors.plan.level][type == KN_F64],
                                  .rows = matrix->rows,
                                  .columns = matrix->columns};
    status = fill(*host, matrix, err);
    if (status) {
        ki_sparse_host_free(*host);
        *host = NULL;
    }
    return status;
}

static void free_lines(struct sparse_lines *lines)
{
    free(lines->starts);
    free(lines->indices);
    free(lines->values);
    free(lines->cuts);
}

void ki_sparse_host_free(struct sparse_host *host)
{
    if (!host)
        return;
    free_lines(&host->forward);
    free_lines(&host->backward);
    free(host->row_order);
    free(host->column_order);
    free(host->sums);
    ki_host_vectors_free(&host->vectors);
    free(host->x);
    free(host->y);
    free(host);
}

const char *ki_sparse_host_level(const struct sparse_host *host)
{
    return host->code->level;
}

size_t ki_sparse_host_stored(const struct sparse_host *host, bool transposed)
{
    const struct sparse_lines *lines = transposed ? &host->backward : &host->forward;

    return lines->starts[lines->lines];
}

// ---- products ----

static double add_up(const struct sparse_host *host, size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += host->sums[i];
    return sum;
}

struct product {
    sparse_product *product;
    const struct sparse_lines *lines;
    const void *x;
    void *y;
    double *sums;
};

static void multiply_lines(void *context, size_t i)
{
    const struct product *p = context;

    p->sums[i] = p->product(p->lines, p->lines->cuts[i], p->lines->cuts[i + 1], p->x, p->y);
}

double ki_sparse_host_product(struct sparse_host *host, const struct sparse_lines *lines, const void *x,
                              void *y)
{
    sparse_product *product = host->format == SPARSE_HOST_SELL ? host->code->sell : host->code->csr;
    size_t bytes = lines->starts[lines->lines] * (host->vectors.plan.size + sizeof *lines->indices);
    unsigned threads = ki_host_threads(&host->vectors.plan, bytes);

    ki_parallel(threads, lines->tasks, KI_STATIC, multiply_lines,
                &(struct product){product, lines, x, y, host->sums});
    return add_up(host, lines->tasks);
}

void ki_sparse_host_multiply(struct sparse_host *host, bool transposed, const void *from, void *to)
{
    const struct sparse_lines *lines = transposed ? &host->backward : &host->forward;
    const uint32_t *in = transposed ? host->row_order : host->column_order;
    const uint32_t *out = transposed ? host->column_order : host->row_order;
    void *x = transposed ? host->y : host->x, *y = transposed ? host->x : host->y;

    ki_host_vectors_arrange(&host->vectors, in, from, x, lines->columns);
    ki_sparse_host_product(host, lines, x, y);
    ki_host_vectors_restore(&host->vectors, out, y, to, lines->rows);
}
