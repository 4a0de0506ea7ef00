// SPDX-License-Identifier: Apache-2.0
#include "variants.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/os/clock.h"
#include "base/error.h"
#include "base/threads.h"
#include "app/sparse/product/host/host.h"
#include "app/sparse/product/spmv_internal.h"

enum { REPETITIONS = 7, MOST_EACH = 400 };
static const double repetition_seconds = 0.02;

static int compare_seconds(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

// What is timed: one enqueued work, or without a queue the host's.
struct work {
    kn_queue *queue;
    kn_status (*enqueue)(const struct work *work, kn_error *err);
    const struct sparse_operator *a;
    bool transposed;
    kn_buffer *from, *to;
    struct sparse_host *host;
    const char *host_from;
    char *host_to;
    size_t bytes;
};

static kn_status enqueue_copy(const struct work *work, kn_error *err)
{
    return kn_buffer_copy(work->queue, work->from, 0, work->to, 0, work->bytes, NULL, err);
}

static kn_status enqueue_product(const struct work *work, kn_error *err)
{
    return ki_sparse_operator_apply(work->queue, work->a, work->transposed, work->from, work->to, err);
}

static kn_status multiply_on_host(const struct work *work, kn_error *err)
{
    (void)err;
    ki_sparse_host_multiply(work->host, work->transposed, work->host_from, work->host_to);
    return KN_OK;
}

enum { COPY_PART = 1 << 20, COPY_PARTS = 256 }; // bytes that a thread copies at a time

static void copy_part(void *data, size_t part)
{
    const struct work *work = data;

    memcpy(work->host_to + part * COPY_PART, work->host_from + part * COPY_PART, COPY_PART);
}

static kn_status copy_on_host(const struct work *work, kn_error *err)
{
    struct work copied = *work;

    (void)err;
    ki_parallel(ki_threads(0), COPY_PARTS, KI_STATIC, copy_part, &copied);
    return KN_OK;
}

static kn_status run_several(const struct work *work, int each, double *seconds, kn_error *err)
{
    double start = ki_clock_seconds();
    kn_status status = KN_OK;

    for (int i = 0; i < each && !status; i++)
        status = work->enqueue(work, err);
    if (!status && work->queue)
        status = kn_queue_finish(work->queue, err);
    *seconds = (ki_clock_seconds() - start) / each;
    return status;
}

// The median of several measurements of many in a row, after two that warm up.
static kn_status time_work(const struct work *work, double *seconds, kn_error *err)
{
    double found[REPETITIONS], last = 0;
    int each = 1;
    kn_status status = KN_OK;

    for (int i = -2; i < REPETITIONS && !status; i++) {
        status = run_several(work, each, &last, err);
        if (i >= 0)
            found[i] = last;
        else
            each = last > repetition_seconds               ? 1
                   : last < repetition_seconds / MOST_EACH ? MOST_EACH
                                                           : (int)(repetition_seconds / last);
    }
    if (status)
        return status;
    qsort(found, REPETITIONS, sizeof *found, compare_seconds);
    *seconds = found[REPETITIONS / 2];
    return KN_OK;
}

static kn_status copy_rate_of_host(double *rate, kn_error *err)
{
    struct work work = {.enqueue = copy_on_host, .bytes = (size_t)COPY_PART * COPY_PARTS};
    char *memory = malloc(2 * work.bytes);
    double seconds = 0;
    kn_status status;

    if (!memory)
        return ki_fail_memory(err, 2 * work.bytes, "measuring a copy");
    memset(memory, 0, 2 * work.bytes);
    work.host_from = memory;
    work.host_to = memory + work.bytes;
    status = time_work(&work, &seconds, err);
    if (!status)
        *rate = 2 * (double)work.bytes / seconds;
    free(memory);
    return status;
}

static kn_status copy_rate_of_device(kn_queue *queue, double *rate, kn_error *err)
{
    kn_context *context = kn_queue_get_context(queue);
    const kn_device_info *info = kn_context_get_device(context);
    struct work work = {.queue = queue,
                        .enqueue = enqueue_copy,
                        .bytes = (size_t)ki_engine_sizes(info, SHAPE_SPARSE_COPY)->chunk << 20};
    const float zero = 0;
    double seconds;
    kn_status status;

    if (work.bytes > info->max_alloc / 4)
        work.bytes = (size_t)(info->max_alloc / 4) & ~(size_t)15;
    status = kn_buffer_create(context, work.bytes, &work.from, err);
    if (!status)
        status = kn_buffer_create(context, work.bytes, &work.to, err);
    if (!status)
        status = kn_buffer_fill(queue, work.from, &zero, sizeof zero, 0, work.bytes, NULL, err);
    if (!status)
        status = time_work(&work, &seconds, err);
    if (!status)
        *rate = 2 * (double)work.bytes / seconds;
    kn_buffer_free(work.from);
    kn_buffer_free(work.to);
    return status;
}

kn_status ki_sparse_copy_rate(kn_queue *queue, double *rate, kn_error *err)
{
    return queue ? copy_rate_of_device(queue, rate, err) : copy_rate_of_host(rate, err);
}

void ki_sparse_fill(float *x, size_t count)
{
    uint64_t state = 1;

    for (size_t i = 0; i < count; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        x[i] = (float)(state >> 40) * 0x1p-23F - 1;
    }
}

// What a computed weight is off by, at most, of the longest step there is (sqrt 2); and the weights of a sum.
static const double weight_error = 1.4143 * 5 * 0x1p-24;

static double weights_of_sum(const struct sparse_problem *problem, bool transposed)
{
    return 2 * (double)(transposed ? problem->geometry->angles : problem->geometry->size);
}

static double greatest(const float *x, size_t count)
{
    double found = 0;

    for (size_t i = 0; i < count; i++)
        found = fmax(found, fabs((double)x[i]));
    return found;
}

// The greatest error as a part of its bound; infinite for not-a-number.
static kn_status judge(const struct sparse_problem *problem, bool transposed, bool on_the_fly, const float *y,
                       double *worst, kn_error *err)
{
    const struct sparse_matrix *matrix = &problem->matrix;
    const float *x = problem->vectors[transposed];
    size_t rows = transposed ? matrix->columns : matrix->rows;
    double weights = on_the_fly ? weights_of_sum(problem, transposed) : 0;
    double off = weights * weight_error * greatest(x, transposed ? matrix->rows : matrix->columns);
    double *sums = calloc(3 * rows + 1, sizeof *sums), *sizes, *terms;

    if (!sums)
        return ki_fail_memory(err, 3 * rows * sizeof *sums, "checking a sparse product");
    sizes = sums + rows;
    terms = sizes + rows;
    for (size_t i = 0; i < matrix->rows; i++)
        for (uint64_t k = matrix->starts[i]; k < matrix->starts[i + 1]; k++) {
            size_t to = transposed ? matrix->indices[k] : i, from = transposed ? i : matrix->indices[k];
            double value = on_the_fly ? matrix->values[k] : (double)(float)matrix->values[k];
            double term = value * (double)x[from];
            sums[to] += term;
            sizes[to] += fabs(term);
            terms[to]++;
        }
    *worst = 0;
    for (size_t i = 0; i < rows; i++) {
        double roundings = fmax(terms[i] + 2, weights + 4);
        double bound = roundings * (0x1p-24 * sizes[i] + (double)FLT_MIN) + off;
        double error = fabs((double)y[i] - sums[i]) / bound;
        *worst = isnan(error) ? INFINITY : error > *worst ? error : *worst;
    }
    free(sums);
    return KN_OK;
}

static kn_status measure(const struct work *work, const struct sparse_problem *problem, float *y,
                         struct sparse_variant *variant, kn_error *err)
{
    size_t rows = work->transposed ? problem->matrix.columns : problem->matrix.rows;
    kn_status status =
        work->queue ? kn_buffer_read(work->queue, work->to, 0, y, rows * sizeof *y, err) : KN_OK;

    if (!status)
        status = judge(problem, work->transposed, ki_spmv_takes_geometry(variant->format), y, &variant->error,
                       err);
    if (!status)
        status = time_work(work, &variant->seconds, err);
    variant->ran = !status;
    variant->share = problem->rate > 0 ? (double)variant->bytes / variant->seconds / problem->rate : 0;
    return status;
}

// The vector on the device, the product once.
static kn_status begin(struct work *work, const struct sparse_problem *problem, kn_error *err)
{
    kn_context *context = kn_queue_get_context(work->queue);
    const float *x = problem->vectors[work->transposed];
    size_t columns = work->transposed ? problem->matrix.rows : problem->matrix.columns;
    size_t rows = work->transposed ? problem->matrix.columns : problem->matrix.rows;
    kn_status status = kn_buffer_create(context, columns * sizeof *x, &work->from, err);

    if (!status)
        status = kn_buffer_create(context, rows * sizeof *x, &work->to, err);
    if (!status)
        status = kn_buffer_write(work->queue, work->from, 0, x, columns * sizeof *x, err);
    return status ? status : enqueue_product(work, err);
}

static kn_status create(kn_queue *queue, const struct sparse_problem *problem, kn_sparse_format format,
                        struct sparse_operator **a, kn_error *err)
{
    if (problem->geometry && ki_spmv_takes_geometry(format))
        return ki_sparse_operator_create_parallel(queue, problem->geometry, format, NULL, a, err);
    return ki_sparse_operator_create(queue, &problem->matrix, format, NULL, a, err);
}

static kn_status time_on_device(kn_queue *queue, const struct sparse_problem *problem,
                                kn_sparse_format format, bool transposed, float *product,
                                struct sparse_variant *variant, kn_error *err)
{
    struct sparse_operator *a = NULL;
    struct work work = {.queue = queue, .enqueue = enqueue_product, .transposed = transposed};
    kn_error reason = KN_ERROR_INIT;
    kn_status status = create(queue, problem, format, &a, &reason);

    work.a = a;
    if (!status)
        status = begin(&work, problem, &reason);
    if (status == KN_ERROR_LIMIT || status == KN_ERROR_ARGUMENT) {
        snprintf(variant->why, sizeof variant->why, "%.500s", reason.text);
        status = KN_OK;
    } else if (!status) {
        variant->format = ki_sparse_operator_format(a, transposed);
        variant->bytes = ki_sparse_operator_bytes(a, transposed);
        snprintf(variant->why, sizeof variant->why, "%s", ki_sparse_operator_why(a, transposed));
        status = measure(&work, problem, product, variant, err);
    } else if (err) {
        *err = reason;
    }
    ki_sparse_operator_free(a);
    kn_buffer_free(work.from);
    kn_buffer_free(work.to);
    return status;
}

// ---- the host ----

static kn_status time_on_host(const struct sparse_problem *problem, bool transposed, float *product,
                              struct sparse_variant *variant, kn_error *err)
{
    const struct sparse_matrix *matrix = &problem->matrix;
    struct work work = {.enqueue = multiply_on_host,
                        .transposed = transposed,
                        .host_from = (const char *)problem->vectors[transposed],
                        .host_to = (char *)product};
    bool simple = variant->asked == KN_SPARSE_SIMPLE;
    kn_status status;

    if (variant->asked == KN_SPARSE_AUTO)
        variant->format = KN_SPARSE_SELL;
    if (!simple && variant->format != KN_SPARSE_SELL) {
        snprintf(variant->why, sizeof variant->why, "%s is a format of devices; the host has sell and simple",
                 ki_sparse_format_names[variant->asked]);
        return KN_OK;
    }
    status = ki_sparse_host_create(matrix, KN_F32, simple ? SPARSE_HOST_CSR : SPARSE_HOST_SELL, NULL,
                                   &work.host, err);
    if (status)
        return status;
    snprintf(variant->why, sizeof variant->why, "%s", ki_sparse_host_level(work.host));
    variant->bytes =
        ki_sparse_host_stored(work.host, transposed) * (sizeof *matrix->indices + sizeof *product) +
        (matrix->rows + matrix->columns) * sizeof *product;
    multiply_on_host(&work, NULL);
    status = measure(&work, problem, product, variant, err);
    ki_sparse_host_free(work.host);
    return status;
}

kn_status ki_sparse_time_format(kn_queue *queue, const struct sparse_problem *problem,
                                kn_sparse_format format, bool transposed, float *product,
                                struct sparse_variant *variant, kn_error *err)
{
    size_t rows = transposed ? problem->matrix.columns : problem->matrix.rows;
    float *own = product ? NULL : malloc(rows * sizeof *own + 1), *to = product ? product : own;
    kn_status status = KN_OK;

    *variant = (struct sparse_variant){.asked = format, .format = format};
    if (!to)
        return ki_fail_memory(err, rows * sizeof *own, "a sparse product");
    status = queue ? time_on_device(queue, problem, format, transposed, to, variant, err)
                   : time_on_host(problem, transposed, to, variant, err);
    free(own);
    return status;
}
