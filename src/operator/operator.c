// SPDX-License-Identifier: Apache-2.0
#include "operator.h"

#include <math.h>
#include <stdlib.h>

#include "algo/columns.h"
#include "base/error.h"
#include "base/sized.h"
#include "engine/engine.h"

// ---- creation ----

static kn_status check_functions(const kn_context *context, const kn_operator_functions *given, kn_error *err)
{
    size_t number = kn_type_size(given->type) * (given->is_complex ? 2 : 1);

    if (given->type != KN_F32 && given->type != KN_F64)
        return ki_fail(err, KN_ERROR_UNSUPPORTED, "an operator of the type %d; expected KN_F32 or KN_F64",
                       (int)given->type);
    if (given->rows > SIZE_MAX / 2 / number || given->columns > SIZE_MAX / 2 / number)
        return ki_fail(err, KN_ERROR_LIMIT, "%zu rows and %zu columns are more than the address space holds",
                       given->rows, given->columns);
    if (context && (!given->apply || given->apply_host))
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "an operator of a context has the function `apply`, and no other");
    if (!context && (!given->apply_host || given->apply))
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "an operator without a context has the function `apply_host`, and no other");
    if (context && given->type == KN_F64 && !kn_context_get_device(context)->fp64)
        return ki_fail(err, KN_ERROR_UNSUPPORTED, "%s has no double precision; use KN_F32",
                       kn_context_get_device(context)->name);
    return KN_OK;
}

static kn_status create(const char *function, kn_context *context, const kn_operator_functions *given,
                        kn_operator **made, kn_error *err)
{
    kn_operator_functions functions;
    kn_operator *a;
    kn_status status;

    if (!given || !made)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s is NULL", given ? "made" : "functions");
    status = KI_SIZED_READ(function, kn_operator_functions, given, &functions, err);
    if (!status)
        status = check_functions(context, &functions, err);
    if (status)
        return status;
    a = calloc(1, sizeof *a);
    if (!a)
        return ki_fail_memory(err, sizeof *a, "an operator");
    a->functions = functions;
    a->context = context ? ki_engine_hold(context) : NULL;
    atomic_init(&a->holders, 1);
    *made = a;
    return KN_OK;
}

kn_status kn_operator_create(kn_context *context, const kn_operator_functions *functions, kn_operator **made,
                             kn_error *err)
{
    return ki_error_name(__func__, create(__func__, context, functions, made, err), err);
}

kn_operator *ki_operator_hold(kn_operator *a)
{
    atomic_fetch_add(&a->holders, 1);
    return a;
}

void ki_operator_release(kn_operator *a)
{
    if (!a || atomic_fetch_sub(&a->holders, 1) != 1)
        return;
    if (a->functions.release)
        a->functions.release(a->functions.data);
    if (a->context)
        ki_engine_release(a->context);
    free(a);
}

void kn_operator_free(kn_operator *a)
{
    ki_operator_release(a);
}

// ---- properties ----

size_t kn_operator_get_rows(const kn_operator *a)
{
    return a ? a->functions.rows : 0;
}

size_t kn_operator_get_columns(const kn_operator *a)
{
    return a ? a->functions.columns : 0;
}

kn_type kn_operator_get_type(const kn_operator *a)
{
    return a ? a->functions.type : KN_F32;
}

bool kn_operator_get_is_complex(const kn_operator *a)
{
    return a && a->functions.is_complex;
}

kn_context *kn_operator_get_context(const kn_operator *a)
{
    return a ? a->context : NULL;
}

// ---- products ----

kn_status kn_operator_apply_host(const kn_operator *a, bool adjoint, const void *from, void *to,
                                 kn_error *err)
{
    kn_error own = KN_ERROR_INIT;

    if (!a || !from || !to)
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_operator_apply_host: %s is NULL",
                       !a     ? "the operator"
                       : from ? "to"
                              : "from");
    if (a->context)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "kn_operator_apply_host: this operator has buffers; use kn_operator_apply");
    if (from == to)
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_operator_apply_host: from and to are the same array");
    return a->functions.apply_host(a->functions.data, adjoint, from, to, err ? err : &own);
}

static kn_status check_buffers(const kn_queue *queue, const kn_operator *a, bool adjoint,
                               const kn_buffer *from, const kn_buffer *to, kn_error *err)
{
    size_t rows = operator_row_numbers(a), columns = operator_column_numbers(a);
    kn_status status;

    if (!a->context)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "kn_operator_apply: this operator works in the host's memory; use "
                       "kn_operator_apply_host");
    if (from == to)
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_operator_apply: from and to are the same buffer");
    status = ki_column_check("kn_operator_apply (from)", queue, from, a->functions.type,
                             adjoint ? rows : columns, err);
    if (!status)
        status = ki_column_check("kn_operator_apply (to)", queue, to, a->functions.type,
                                 adjoint ? columns : rows, err);
    if (!status && queue->context != a->context)
        status = ki_fail(err, KN_ERROR_ARGUMENT,
                         "kn_operator_apply: the queue is of another context than the operator");
    return status;
}

kn_status ki_operator_apply(const kn_operator *a, kn_queue *queue, bool adjoint, const kn_buffer *from,
                            kn_buffer *to, kn_error *err)
{
    kn_error own = KN_ERROR_INIT;

    return a->functions.apply(a->functions.data, queue, adjoint, from, to, err ? err : &own);
}

kn_status kn_operator_apply(kn_queue *queue, const kn_operator *a, bool adjoint, const kn_buffer *from,
                            kn_buffer *to, kn_error *err)
{
    kn_status status;

    if (!queue || !a)
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_operator_apply: %s is NULL",
                       queue ? "the operator" : "queue");
    status = check_buffers(queue, a, adjoint, from, to, err);
    return status ? status : ki_operator_apply(a, queue, adjoint, from, to, err);
}

// ---- whether A and A^H match ----

// Numbers from -1 to 1 (Steele, Lea and Flood 2014, SplitMix64).
static double next_number(uint64_t *state)
{
    uint64_t bits = *state += UINT64_C(0x9e3779b97f4a7c15);

    bits = (bits ^ bits >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    bits = (bits ^ bits >> 27) * UINT64_C(0x94d049bb133111eb);
    return (double)((bits ^ bits >> 31) >> 11) * 0x1p-52 - 1;
}

// Vectors x and y, A x and A^H y, all of the operator's type.
struct vectors {
    size_t rows, columns;
    kn_type type;
    void *x, *y, *ax, *ay;
};

static double number_at(const struct vectors *v, const void *array, size_t i)
{
    return v->type == KN_F32 ? (double)((const float *)array)[i] : ((const double *)array)[i];
}

static void fill(const struct vectors *v, void *array, size_t count, uint64_t *state)
{
    for (size_t i = 0; i < count; i++) {
        double number = next_number(state);

        if (v->type == KN_F32)
            ((float *)array)[i] = (float)number;
        else
            ((double *)array)[i] = number;
    }
}

static double dot(const struct vectors *v, const void *a, const void *b, size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += number_at(v, a, i) * number_at(v, b, i);
    return sum;
}

static kn_status apply_host(const kn_operator *a, const struct vectors *v, kn_error *err)
{
    kn_status status = kn_operator_apply_host(a, false, v->x, v->ax, err);

    return status ? status : kn_operator_apply_host(a, true, v->y, v->ay, err);
}

static kn_status apply_device(kn_queue *queue, const kn_operator *a, const struct vectors *v, kn_error *err)
{
    size_t size = kn_type_size(v->type), row_bytes = v->rows * size, column_bytes = v->columns * size;
    kn_buffer *of_rows = NULL, *of_columns = NULL;
    kn_status status = kn_buffer_create(a->context, row_bytes, &of_rows, err);

    if (!status)
        status = kn_buffer_create(a->context, column_bytes, &of_columns, err);
    if (!status)
        status = kn_buffer_write(queue, of_columns, 0, v->x, column_bytes, err);
    if (!status)
        status = kn_operator_apply(queue, a, false, of_columns, of_rows, err);
    if (!status)
        status = kn_buffer_read(queue, of_rows, 0, v->ax, row_bytes, err);
    if (!status)
        status = kn_buffer_write(queue, of_rows, 0, v->y, row_bytes, err);
    if (!status)
        status = kn_operator_apply(queue, a, true, of_rows, of_columns, err);
    if (!status)
        status = kn_buffer_read(queue, of_columns, 0, v->ay, column_bytes, err);
    kn_buffer_free(of_rows);
    kn_buffer_free(of_columns);
    return status;
}

static kn_status check_adjoint(kn_queue *queue, const kn_operator *a, uint64_t seed, double *difference,
                               kn_error *err)
{
    struct vectors v = {
        .rows = operator_row_numbers(a), .columns = operator_column_numbers(a), .type = a->functions.type};
    size_t numbers = 2 * (v.rows + v.columns), size = kn_type_size(v.type);
    char *memory = calloc(numbers, size);
    double forward, length;
    kn_status status;

    if (!memory)
        return ki_fail_memory(err, numbers * size, "the vectors");
    v.x = memory;
    v.ay = memory + v.columns * size;
    v.y = memory + 2 * v.columns * size;
    v.ax = memory + (2 * v.columns + v.rows) * size;
    fill(&v, v.x, v.columns, &seed);
    fill(&v, v.y, v.rows, &seed);
    status = queue ? apply_device(queue, a, &v, err) : apply_host(a, &v, err);
    if (!status) {
        forward = dot(&v, v.ax, v.y, v.rows);
        length = sqrt(dot(&v, v.ax, v.ax, v.rows) * dot(&v, v.y, v.y, v.rows));
        *difference = fabs(forward - dot(&v, v.x, v.ay, v.columns)) / (length > 0 ? length : 1);
    }
    free(memory);
    return status;
}

kn_status kn_operator_check_adjoint(kn_queue *queue, const kn_operator *a, uint64_t seed, double *difference,
                                    kn_error *err)
{
    if (!a || !difference)
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_operator_check_adjoint: %s is NULL",
                       a ? "difference" : "the operator");
    if (!a->context != !queue)
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_operator_check_adjoint: an operator of %s, and %s queue",
                       a->context ? "a context" : "the host's memory", queue ? "a" : "no");
    return ki_error_name(__func__, check_adjoint(queue, a, seed, difference, err), err);
}
