// SPDX-License-Identifier: Apache-2.0
// Checks a product of matrices, and chooses the library for it.
#include "gemm.h"

#include <koine/experimental.h>

#include <stdio.h>

#include "base/array.h"
#include "base/error.h"
#include "base/sized.h"
#include "engine/cost/crossovers.h"
#include "algo/columns.h"

static const struct gemm_library *const libraries[] = {
    [KN_GEMM_OWN] = &ki_gemm_own,
    [KN_GEMM_CLBLAST] = &ki_gemm_clblast,
    [KN_GEMM_CUBLAS] = &ki_gemm_cublas,
};

// a + b * c, or the largest number if that is more.
static size_t add_product(size_t a, size_t b, size_t c)
{
    size_t product, sum;

    return __builtin_mul_overflow(b, c, &product) || __builtin_add_overflow(a, product, &sum) ? SIZE_MAX
                                                                                              : sum;
}

// The end of the last element.
static size_t end_of(const kn_gemm_matrix *matrix, size_t rows, size_t columns, size_t batch)
{
    size_t end = add_product(matrix->offset, batch - 1, matrix->stride);

    end = add_product(end, rows - 1, matrix->pitch);
    return add_product(end, 1, columns);
}

// Fills in the pitch and refuses matrices that exceed the buffer.
static kn_status check_matrix(const kn_queue *queue, const kn_gemm_task *task, char name,
                              kn_gemm_matrix *matrix, size_t rows, size_t columns, kn_error *err)
{
    size_t end, element = gemm_element(task);

    if (matrix->pitch == 0)
        matrix->pitch = columns ? columns : 1;
    if (matrix->pitch < columns)
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_gemm: %c has rows of %zu elements, but a pitch of %zu",
                       name, columns, matrix->pitch);
    if (rows == 0 || columns == 0)
        return KN_OK;
    if (!matrix->buffer)
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_gemm: the buffer of %c is NULL", name);
    if (matrix->buffer->context != queue->context)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "kn_gemm: the buffer of %c belongs to another context than the queue", name);
    end = end_of(matrix, rows, columns, task->batch);
    if (end > matrix->buffer->bytes / element)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "kn_gemm: %c ends with element %zu, but its buffer holds %zu of %zu bytes", name, end,
                       matrix->buffer->bytes / element, element);
    if (kn_buffer_get_part_count(matrix->buffer) > 1)
        return ki_fail(
            err, KN_ERROR_LIMIT,
            "kn_gemm: the buffer of %c, %zu bytes, is held in parts; one allocation of %s holds %llu", name,
            matrix->buffer->bytes, queue->context->device.info.spec,
            (unsigned long long)queue->context->device.info.max_alloc);
    return KN_OK;
}

static bool overlap(const kn_gemm_task *task, const kn_gemm_matrix *read, size_t rows, size_t columns)
{
    return read->buffer == task->c.buffer && rows > 0 && columns > 0 &&
           read->offset < end_of(&task->c, task->m, task->n, task->batch) &&
           task->c.offset < end_of(read, rows, columns, task->batch);
}

static kn_status check_numbers(const kn_queue *queue, const kn_gemm_task *task, kn_error *err)
{
    const size_t most = ((size_t)1 << 31) - 1;

    if (task->type != KN_F32 && task->type != KN_F64)
        return ki_fail(err, KN_ERROR_UNSUPPORTED,
                       "kn_gemm works on float and double, real or complex, not on %s",
                       kn_type_name(task->type));
    if (task->type == KN_F64 && !queue->context->device.info.fp64)
        return ki_fail(err, KN_ERROR_UNSUPPORTED, "%s (%s) has no double precision; use float",
                       queue->context->device.info.spec, queue->context->device.info.name);
    if ((unsigned)task->transpose_a > KN_GEMM_CONJUGATED || (unsigned)task->transpose_b > KN_GEMM_CONJUGATED)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "kn_gemm: there is no transposition %d or %d; see kn_gemm_transpose",
                       (int)task->transpose_a, (int)task->transpose_b);
    if (task->m > most || task->n > most || task->k > most)
        return ki_fail(err, KN_ERROR_LIMIT, "kn_gemm: m %zu, n %zu, k %zu; each may be %zu at most", task->m,
                       task->n, task->k, most);
    if (!task->is_complex && (task->alpha[1] != 0 || task->beta[1] != 0))
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "kn_gemm: alpha or beta has an imaginary part, but the matrices are real");
    return KN_OK;
}

// The task with everything filled in; `*empty`: there is nothing to do.
static kn_status check(const kn_queue *queue, kn_gemm_task *task, bool *empty, kn_error *err)
{
    bool flip_a = task->transpose_a != KN_GEMM_AS_IS, flip_b = task->transpose_b != KN_GEMM_AS_IS;
    const size_t rows[2] = {flip_a ? task->k : task->m, flip_b ? task->n : task->k};
    const size_t columns[2] = {flip_a ? task->m : task->k, flip_b ? task->k : task->n};
    kn_status status = check_numbers(queue, task, err);

    task->batch = task->batch ? task->batch : 1;
    *empty = task->m == 0 || task->n == 0;
    if (status || *empty)
        return status;
    status = check_matrix(queue, task, 'A', &task->a, rows[0], columns[0], err);
    if (!status)
        status = check_matrix(queue, task, 'B', &task->b, rows[1], columns[1], err);
    if (!status)
        status = check_matrix(queue, task, 'C', &task->c, task->m, task->n, err);
    if (status)
        return status;
    if (task->batch > 1 && task->c.stride < add_product(task->n, task->m - 1, task->c.pitch))
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "kn_gemm: the products of a batch overlap: C takes %zu elements, its stride is %zu",
                       add_product(task->n, task->m - 1, task->c.pitch), task->c.stride);
    if (overlap(task, &task->a, rows[0], columns[0]) || overlap(task, &task->b, rows[1], columns[1]))
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_gemm: C overlaps A or B; it needs memory of its own");
    return KN_OK;
}

// cuBLAS is faster than our own kernel except for small products of floats, as measured on an H200
// (bench/RESULTS.md); CLBlast never is.
static bool own_is_faster(const kn_queue *queue, const kn_gemm_task *task)
{
    const uint64_t small = ki_engine_crossover(queue->context, CROSSOVER_GEMM_OWN);

    return queue->context->backend != &ki_backend_cuda ||
           (task->type == KN_F32 && !task->is_complex &&
            add_product(0, add_product(0, task->m, task->n), task->k) <= small / task->batch);
}

struct product {
    kn_gemm_task task;
    kn_gemm_options options;
    kn_gemm_library library;
    bool empty;
};

static kn_status choose(kn_queue *queue, const kn_gemm_task *task, const kn_gemm_options *options,
                        kn_gemm_library *library, kn_error *err)
{
    kn_gemm_library asked = options->library;
    kn_error why = KN_ERROR_INIT;

    if ((unsigned)asked >= KI_COUNT(libraries))
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_gemm: there is no library %d; see kn_gemm_library",
                       (int)asked);
    if (asked != KN_GEMM_AUTO) {
        if (libraries[asked]->serves(queue, task, &why))
            return ki_fail(err, why.code, "kn_gemm: %s cannot do this on %s: %s", kn_gemm_library_name(asked),
                           queue->context->device.info.spec, why.text);
        *library = asked;
        return KN_OK;
    }
    *library = KN_GEMM_OWN;
    if (queue->context->options.policy == KN_POLICY_DEFAULT && !own_is_faster(queue, task) &&
        !ki_gemm_cublas.serves(queue, task, NULL))
        *library = KN_GEMM_CUBLAS;
    return KN_OK;
}

const char *kn_gemm_library_name(kn_gemm_library library)
{
    if (library == KN_GEMM_AUTO)
        return "auto";
    return (unsigned)library < KI_COUNT(libraries) ? libraries[library]->name : "unknown";
}

// What both functions do first: read and check their arguments, and choose a library.
static kn_status begin(const char *function, kn_queue *queue, const kn_gemm_task *given,
                       const kn_gemm_options *options, struct product *product, kn_error *err)
{
    kn_status status;

    if (!queue || !given)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: queue or task is NULL", function);
    status = KI_SIZED_READ(function, kn_gemm_task, given, &product->task, err);
    if (!status)
        status = KI_SIZED_READ(function, kn_gemm_options, options, &product->options, err);
    if (!status)
        status = check(queue, &product->task, &product->empty, err);
    return status ? status : choose(queue, &product->task, &product->options, &product->library, err);
}

kn_status kn_gemm_choose(kn_queue *queue, const kn_gemm_task *task, const kn_gemm_options *options,
                         kn_gemm_library *library, kn_error *err)
{
    struct product product;
    kn_status status;

    if (!library)
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_gemm_choose: library is NULL");
    status = begin("kn_gemm_choose", queue, task, options, &product, err);
    if (!status)
        *library = product.library;
    return status;
}

kn_status kn_gemm(kn_queue *queue, const kn_gemm_task *task, const kn_gemm_options *options, kn_error *err)
{
    static const kn_gemm_tile by_task = {0};
    struct product product;
    kn_status status = begin("kn_gemm", queue, task, options, &product, err);

    if (status || product.empty)
        return status;
    return libraries[product.library]->run(queue, &product.task,
                                           product.options.tile ? product.options.tile : &by_task, err);
}
