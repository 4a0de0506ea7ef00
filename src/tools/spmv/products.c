// SPDX-License-Identifier: Apache-2.0
#include "products.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/os/clock.h"
#include "base/error.h"
#include "base/threads.h"

enum { REPETITIONS = 7, MOST_EACH = 400 };
static const double repetition_seconds = 0.02;

static int compare_seconds(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

// The timed work: enqueued, or without a queue done by the host before `run` returns.
struct work {
    kn_queue *queue;
    kn_status (*run)(const struct work *work, kn_error *err);
    const kn_operator *a;
    bool transposed;
    kn_buffer *from, *to;
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
    return kn_operator_apply(work->queue, work->a, work->transposed, work->from, work->to, err);
}

static kn_status multiply_on_host(const struct work *work, kn_error *err)
{
    return kn_operator_apply_host(work->a, work->transposed, work->host_from, work->host_to, err);
}

// Bytes that a thread of the host copies at a time, and how often; bytes that a device copies, more than fit
// in its caches.
enum { COPY_PART = 1 << 20, COPY_PARTS = 256, COPY_ON_CPU = 64 << 20, COPY_ON_GPU = 512 << 20 };

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
        status = work->run(work, err);
    if (!status && work->queue)
        status = kn_queue_finish(work->queue, err);
    *seconds = (ki_clock_seconds() - start) / each;
    return status;
}

// The median of several measurements, each of many repetitions in a row, after two to warm up.
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
    struct work work = {.run = copy_on_host, .bytes = (size_t)COPY_PART * COPY_PARTS};
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
                        .run = enqueue_copy,
                        .bytes = info->type == KN_DEVICE_CPU ? COPY_ON_CPU : COPY_ON_GPU};
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

kn_status spmv_copy_rate(kn_queue *queue, double *rate, kn_error *err)
{
    return queue ? copy_rate_of_device(queue, rate, err) : copy_rate_of_host(rate, err);
}

void spmv_fill(float *x, size_t count)
{
    uint64_t state = 1;

    for (size_t i = 0; i < count; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        x[i] = (float)(state >> 40) * 0x1p-23F - 1;
    }
}

// The greatest error of a computed weight, for the longest possible step (sqrt 2); and of the weights in a
// sum.
static const double weight_error = 1.4143 * 5 * 0x1p-24;

// `terms` has the number of nonzeros of each sum: more than two detectors of a fan may see a pixel.
static double weights_of_sum(const struct spmv_problem *problem, bool transposed, const double *terms,
                             size_t count)
{
    double weights = 2 * (double)(transposed ? problem->geometry->angles : problem->geometry->size);

    for (size_t i = 0; i < count; i++)
        weights = fmax(weights, terms[i]);
    return weights;
}

static double greatest(const float *x, size_t count)
{
    double found = 0;

    for (size_t i = 0; i < count; i++)
        found = fmax(found, fabs((double)x[i]));
    return found;
}

// The length of a vector: x in A x, or with `transposed` y in A^T y.
static size_t length_of(const struct spmv_problem *problem, bool transposed)
{
    return transposed ? kn_sparse_get_rows(problem->matrix) : kn_sparse_get_columns(problem->matrix);
}

// Whether a format is computed from a geometry, if there is one.
static bool takes_geometry(kn_sparse_format format)
{
    return format == KN_SPARSE_AUTO || format == KN_SPARSE_ON_THE_FLY || format == KN_SPARSE_ON_THE_FLY_LOCAL;
}

// The greatest error relative to its bound; infinite for not-a-number.
static kn_status judge(const struct spmv_problem *problem, bool transposed, bool on_the_fly, const float *y,
                       double *worst, kn_error *err)
{
    const kn_sparse *matrix = problem->matrix;
    const uint64_t *starts = kn_sparse_get_starts(matrix);
    const uint32_t *indices = kn_sparse_get_indices(matrix);
    const double *values = kn_sparse_get_values(matrix);
    const float *x = problem->vectors[transposed];
    size_t rows = length_of(problem, !transposed);
    double *sums = calloc(3 * rows + 1, sizeof *sums), *sizes, *terms, weights, off;

    if (!sums)
        return ki_fail_memory(err, 3 * rows * sizeof *sums, "checking a sparse product");
    sizes = sums + rows;
    terms = sizes + rows;
    for (size_t i = 0; i < kn_sparse_get_rows(matrix); i++)
        for (uint64_t k = starts[i]; k < starts[i + 1]; k++) {
            size_t to = transposed ? indices[k] : i, from = transposed ? i : indices[k];
            double value = on_the_fly ? values[k] : (double)(float)values[k];
            double term = value * (double)x[from];
            sums[to] += term;
            sizes[to] += fabs(term);
            terms[to]++;
        }
    weights = on_the_fly ? weights_of_sum(problem, transposed, terms, rows) : 0;
    off = weights * weight_error * greatest(x, length_of(problem, transposed));
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

static kn_status measure(const struct work *work, const struct spmv_problem *problem, float *y,
                         struct spmv_variant *variant, kn_error *err)
{
    size_t rows = length_of(problem, !work->transposed);
    kn_status status =
        work->queue ? kn_buffer_read(work->queue, work->to, 0, y, rows * sizeof *y, err) : KN_OK;

    if (!status)
        status = judge(problem, work->transposed, takes_geometry(variant->format), y, &variant->error, err);
    if (!status)
        status = time_work(work, &variant->seconds, err);
    variant->ran = !status;
    variant->share = problem->rate > 0 ? (double)variant->bytes / variant->seconds / problem->rate : 0;
    return status;
}

// Copies the vector to the device and computes the product once.
static kn_status begin(struct work *work, const struct spmv_problem *problem, kn_error *err)
{
    kn_context *context = kn_queue_get_context(work->queue);
    const float *x = problem->vectors[work->transposed];
    size_t columns = length_of(problem, work->transposed), rows = length_of(problem, !work->transposed);
    kn_status status = kn_buffer_create(context, columns * sizeof *x, &work->from, err);

    if (!status)
        status = kn_buffer_create(context, rows * sizeof *x, &work->to, err);
    if (!status)
        status = kn_buffer_write(work->queue, work->from, 0, x, columns * sizeof *x, err);
    return status ? status : enqueue_product(work, err);
}

static kn_status create(kn_queue *queue, const struct spmv_problem *problem, kn_sparse_format format,
                        kn_operator **a, kn_error *err)
{
    const kn_sparse_operator_options options =
        KN_INIT(kn_sparse_operator_options, .format = format, .type = KN_F32);

    if (queue && problem->geometry && takes_geometry(format))
        return kn_tomography_operator_create(queue, problem->geometry, &options, a, err);
    return kn_sparse_operator_create(queue, problem->matrix, &options, a, err);
}

static kn_status time_on_device(kn_queue *queue, const struct spmv_problem *problem, kn_sparse_format format,
                                bool transposed, float *product, struct spmv_variant *variant, kn_error *err)
{
    kn_operator *a = NULL;
    struct work work = {.queue = queue, .run = enqueue_product, .transposed = transposed};
    kn_error reason = KN_ERROR_INIT;
    kn_status status = create(queue, problem, format, &a, &reason);

    work.a = a;
    if (!status)
        status = begin(&work, problem, &reason);
    ki_error_unname(status, &reason);
    if (status == KN_ERROR_LIMIT || status == KN_ERROR_ARGUMENT) {
        snprintf(variant->why, sizeof variant->why, "%.500s", reason.text);
        status = KN_OK;
    } else if (!status) {
        variant->format = kn_sparse_operator_get_format(a, transposed);
        variant->bytes = kn_sparse_operator_get_bytes(a, transposed);
        snprintf(variant->why, sizeof variant->why, "%s", kn_sparse_operator_get_why(a, transposed));
        status = measure(&work, problem, product, variant, err);
    } else if (err) {
        *err = reason;
    }
    kn_operator_free(a);
    kn_buffer_free(work.from);
    kn_buffer_free(work.to);
    return status;
}

// ---- the host ----

static kn_status time_on_host(const struct spmv_problem *problem, bool transposed, float *product,
                              struct spmv_variant *variant, kn_error *err)
{
    kn_operator *a = NULL;
    struct work work = {.run = multiply_on_host,
                        .transposed = transposed,
                        .host_from = (const char *)problem->vectors[transposed],
                        .host_to = (char *)product};
    kn_status status;

    if (variant->asked == KN_SPARSE_AUTO)
        variant->format = KN_SPARSE_SELL;
    if (variant->format != KN_SPARSE_SIMPLE && variant->format != KN_SPARSE_SELL) {
        snprintf(variant->why, sizeof variant->why, "%s is a format of devices; the host has sell and simple",
                 kn_sparse_format_name(variant->asked));
        return KN_OK;
    }
    status = create(NULL, problem, variant->format, &a, err);
    if (status)
        return ki_error_unname(status, err);
    work.a = a;
    snprintf(variant->why, sizeof variant->why, "%s", kn_sparse_operator_get_level(a));
    variant->bytes = kn_sparse_operator_get_bytes(a, transposed);
    status = multiply_on_host(&work, err);
    if (!status)
        status = measure(&work, problem, product, variant, err);
    kn_operator_free(a);
    return status;
}

kn_status spmv_time_format(kn_queue *queue, const struct spmv_problem *problem, kn_sparse_format format,
                           bool transposed, float *product, struct spmv_variant *variant, kn_error *err)
{
    size_t rows = length_of(problem, !transposed);
    float *own = product ? NULL : malloc(rows * sizeof *own + 1), *to = product ? product : own;
    kn_status status = KN_OK;

    *variant = (struct spmv_variant){.asked = format, .format = format};
    if (!to)
        return ki_fail_memory(err, rows * sizeof *own, "a sparse product");
    status = queue ? time_on_device(queue, problem, format, transposed, to, variant, err)
                   : time_on_host(problem, transposed, to, variant, err);
    free(own);
    return status;
}
