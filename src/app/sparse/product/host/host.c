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

// The matrix with its rows in this order and its columns renumbered, `to` of them, which need not ascend in a
// row.
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

// A and A^T in the host's own order.
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
    if (host->plan.size == sizeof(float))
        ((float *)lines->values)[at] = (float)value;
    else
        ((double *)lines->values)[at] = value;
}

// A row's values, `step` apart, and behind them zeros up to `width`, which name the row's last column again,
// so that nothing is read that the row does not need.
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

// Lines that belong together, each task having some SPARSE_TASK values.
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
            lines->starts[i] + lanes * row_length(matrix, lanes * i); // the longest is the first
    count = lines->starts[lines->lines];
    lines->indices = sparse_host_memory(count * sizeof *lines->indices);
    lines->values = sparse_host_memory(count * host->plan.size);
    if (!lines->indices || !lines->values || !cut(lines))
        return ki_fail_memory(err, count * (sizeof *lines->indices + host->plan.size), "a sparse matrix");
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
    sums = sums > longest / SPARSE_BLOCK ? sums : longest / SPARSE_BLOCK;
    host->sums = malloc((sums + 2) * sizeof *host->sums);
    host->x = sparse_host_memory(sparse_host_bytes(host, host->columns));
    host->y = sparse_host_memory(sparse_host_bytes(host, host->rows));
    return host->sums && host->x && host->y
               ? KN_OK
               : ki_fail_memory(err, 2 * longest * host->plan.size, "sparse products");
}

kn_status ki_sparse_host_create(const struct sparse_matrix *matrix, kn_type type,
                                enum sparse_host_format format, const kn_host_options *options,
                                struct sparse_host **host, kn_error *err)
{
    struct host_plan plan;
    kn_status status = ki_host_plan("sparse_host_create", type, options, &plan, err);

    *host = NULL;
    if (status)
        return status;
    if ((type != KN_F32 && type != KN_F64) || (format != SPARSE_HOST_CSR && format != SPARSE_HOST_SELL) ||
        matrix->rows > INT32_MAX || matrix->columns > INT32_MAX)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "sparse_host_create: type %d, format %d, %zu x %zu; expected KN_F32 or KN_F64, one of "
                       "sparse_host_format, and less than 2^31 rows and columns",
                       (int)type, (int)format, matrix->rows, matrix->columns);
    *host = calloc(1, sizeof **host);
    if (!*host)
        return ki_fail_memory(err, sizeof **host, "a sparse matrix");
    **host = (struct sparse_host){.format = format,
                                  .plan = plan,
                                  .code = levels[plan.level][type == KN_F64],
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
    size_t bytes = lines->starts[lines->lines] * (host->plan.size + sizeof *lines->indices);
    unsigned threads = ki_host_threads(&host->plan, bytes);

    ki_parallel(threads, lines->tasks, KI_STATIC, multiply_lines,
                &(struct product){product, lines, x, y, host->sums});
    return add_up(host, lines->tasks);
}

void ki_sparse_host_arrange(const struct sparse_host *host, const uint32_t *order, const void *from, void *to,
                            size_t count)
{
    if (!order)
        memcpy(to, from, count * host->plan.size);
    else if (host->plan.size == sizeof(float))
        for (size_t i = 0; i < count; i++)
            ((float *)to)[i] = ((const float *)from)[order[i]];
    else
        for (size_t i = 0; i < count; i++)
            ((double *)to)[i] = ((const double *)from)[order[i]];
}

void ki_sparse_host_restore(const struct sparse_host *host, const uint32_t *order, const void *from, void *to,
                            size_t count)
{
    if (!order)
        memcpy(to, from, count * host->plan.size);
    else if (host->plan.size == sizeof(float))
        for (size_t i = 0; i < count; i++)
            ((float *)to)[order[i]] = ((const float *)from)[i];
    else
        for (size_t i = 0; i < count; i++)
            ((double *)to)[order[i]] = ((const double *)from)[i];
}

void ki_sparse_host_multiply(struct sparse_host *host, bool transposed, const void *from, void *to)
{
    const struct sparse_lines *lines = transposed ? &host->backward : &host->forward;
    const uint32_t *in = transposed ? host->row_order : host->column_order;
    const uint32_t *out = transposed ? host->column_order : host->row_order;
    void *x = transposed ? host->y : host->x, *y = transposed ? host->x : host->y;

    ki_sparse_host_arrange(host, in, from, x, lines->columns);
    ki_sparse_host_product(host, lines, x, y);
    ki_sparse_host_restore(host, out, y, to, lines->rows);
}

// ---- vectors ----

// A thread must have more to do than with products: there is little work for an element.
static unsigned vector_threads(const struct sparse_host *host, size_t count)
{
    return ki_host_threads(&host->plan, count * host->plan.size / 2);
}

// What is done with vectors of `count` elements, block by block.
struct vectors {
    const struct sparse_host *host;
    const char *x, *other; // read
    char *y;               // changed
    double factor;
    size_t count;
};

// Where block i begins, in bytes, and how many elements it has.
static size_t block_of(const struct vectors *v, size_t i, size_t *at)
{
    size_t first = i * SPARSE_BLOCK;

    *at = first * v->host->plan.size;
    return v->count - first < SPARSE_BLOCK ? v->count - first : SPARSE_BLOCK;
}

static void add_block(void *context, size_t i)
{
    const struct vectors *v = context;
    size_t at, length = block_of(v, i, &at);

    v->host->sums[i] = v->host->code->add(v->y + at, v->x + at, v->factor, length);
}

static void turn_block(void *context, size_t i)
{
    const struct vectors *v = context;
    size_t at, length = block_of(v, i, &at);

    v->host->code->turn(v->y + at, v->x + at, v->factor, length);
}

static void dot_block(void *context, size_t i)
{
    const struct vectors *v = context;
    size_t at, length = block_of(v, i, &at);

    v->host->sums[i] = v->host->code->dot(v->x + at, v->other + at, length);
}

static size_t blocks_of(size_t count)
{
    return (count + SPARSE_BLOCK - 1) / SPARSE_BLOCK;
}

double ki_sparse_host_add(struct sparse_host *host, void *y, const void *x, double factor, size_t count)
{
    size_t blocks = blocks_of(count);

    ki_parallel(vector_threads(host, count), blocks, KI_STATIC, add_block,
                &(struct vectors){.host = host, .x = x, .y = y, .factor = factor, .count = count});
    return add_up(host, blocks);
}

void ki_sparse_host_turn(struct sparse_host *host, void *y, const void *x, double factor, size_t count)
{
    ki_parallel(vector_threads(host, count), blocks_of(count), KI_STATIC, turn_block,
                &(struct vectors){.host = host, .x = x, .y = y, .factor = factor, .count = count});
}

double ki_sparse_host_dot(struct sparse_host *host, const void *x, const void *y, size_t count)
{
    size_t blocks = blocks_of(count);

    ki_parallel(vector_threads(host, count), blocks, KI_STATIC, dot_block,
                &(struct vectors){.host = host, .x = x, .other = y, .count = count});
    return add_up(host, blocks);
}
