// SPDX-License-Identifier: Apache-2.0
// Products with sparse matrices and with geometries, as operators: koine/sparse.h.
#include "operator/operator.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "engine/engine.h"
#include "operator_internal.h"
#include "sparse_internal.h"

const char *kn_sparse_format_name(kn_sparse_format format)
{
    return (unsigned)format < SPARSE_FORMATS ? ki_sparse_format_names[format] : NULL;
}

// ---- products ----

static kn_status apply(void *data, kn_queue *queue, bool adjoint, const kn_buffer *from, kn_buffer *to,
                       kn_error *err)
{
    const struct sparse_applied *a = data;

    return ki_sparse_operator_apply(queue, a->device, adjoint, from, to, err);
}

static kn_status apply_host(void *data, bool adjoint, const void *from, void *to, kn_error *err)
{
    struct sparse_applied *a = data;

    (void)err;
    ki_sparse_host_multiply(a->host, adjoint, from, to);
    return KN_OK;
}

static kn_status apply_on_the_fly(void *data, bool adjoint, const void *from, void *to, kn_error *err)
{
    const struct sparse_applied *a = data;

    (void)err;
    ki_sparse_parallel_multiply_by(&a->geometry, a->views, adjoint, from, to, a->threads);
    return KN_OK;
}

static void release(void *data)
{
    struct sparse_applied *a = data;

    ki_sparse_operator_free(a->device);
    ki_sparse_host_free(a->host);
    ki_sparse_parallel_free(&a->geometry);
    free(a->views);
    free(a);
}

// ---- the host ----

kn_status ki_sparse_parallel_copy(const struct sparse_parallel *given, struct sparse_parallel *out,
                                  kn_error *err)
{
    size_t bytes = given->angles * sizeof *out->theta;

    *out = *given;
    if (!given->theta)
        return KN_OK;
    out->theta = malloc(bytes);
    if (!out->theta)
        return ki_fail_memory(err, bytes, "the angles of a geometry");
    memcpy(out->theta, given->theta, bytes);
    return KN_OK;
}

static kn_status check_stored(const struct sparse_matrix *matrix, kn_type type, kn_error *err)
{
    if (matrix->rows > INT32_MAX || matrix->columns > INT32_MAX)
        return ki_fail(err, KN_ERROR_LIMIT,
                       "a matrix of %zu x %zu; the host multiplies those of less than 2^31 rows and columns",
                       matrix->rows, matrix->columns);
    for (size_t i = 0; i < matrix->nonzeros && type == KN_F32; i++)
        if (!isfinite((float)matrix->values[i]))
            return ki_fail(err, KN_ERROR_ARGUMENT,
                           "nonzero %zu of the matrix is %g, which single precision has not; use KN_F64", i,
                           matrix->values[i]);
    return KN_OK;
}

static kn_status prepare_stored(const struct sparse_source *source, const struct sparse_choice *choice,
                                struct sparse_applied *a, kn_error *err)
{
    enum sparse_host_format format = choice->format == KN_SPARSE_SELL ? SPARSE_HOST_SELL : SPARSE_HOST_CSR;
    struct sparse_matrix own = {.rows = 0};
    const struct sparse_matrix *matrix = source->matrix ? source->matrix : &own;
    size_t size = kn_type_size(choice->type);
    kn_status status = source->matrix ? KN_OK : ki_sparse_parallel_matrix(source->geometry, &own, err);

    if (!status)
        status = check_stored(matrix, choice->type, err);
    if (!status)
        status = ki_sparse_host_create(matrix, choice->type, format, &choice->host, &a->host, err);
    for (unsigned i = 0; i < 2 && !status; i++)
        a->bytes[i] = ki_sparse_host_stored(a->host, i == 1) * (sizeof *matrix->indices + size) +
                      (matrix->rows + matrix->columns) * size;
    ki_sparse_free(&own);
    return status;
}

static kn_status prepare_on_the_fly(const struct sparse_source *source, const struct sparse_choice *choice,
                                    struct sparse_applied *a, kn_error *err)
{
    if (!source->geometry)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s computes rows from a geometry",
                       ki_sparse_format_names[choice->format]);
    a->threads = choice->host.threads;
    for (unsigned i = 0; i < 2; i++)
        a->bytes[i] =
            (ki_sparse_parallel_rows(source->geometry) + ki_sparse_parallel_columns(source->geometry)) *
            sizeof(double);
    a->views = ki_sparse_parallel_views(source->geometry, err);
    return a->views ? ki_sparse_parallel_copy(source->geometry, &a->geometry, err) : KN_ERROR_MEMORY;
}

// ---- operators ----

static kn_status prepare(kn_queue *queue, const struct sparse_source *source,
                         const struct sparse_choice *choice, struct sparse_applied *a, kn_error *err)
{
    kn_status status;

    a->format = choice->format;
    if (!queue)
        return choice->format == KN_SPARSE_ON_THE_FLY ? prepare_on_the_fly(source, choice, a, err)
                                                      : prepare_stored(source, choice, a, err);
    status = source->matrix ? ki_sparse_operator_create(queue, source->matrix, choice->format,
                                                        &choice->tuning, &a->device, err)
                            : ki_sparse_operator_create_parallel(queue, source->geometry, choice->format,
                                                                 &choice->tuning, &a->device, err);
    // Ends all measurements before another queue applies the operator.
    return status ? status : kn_queue_finish(queue, err);
}

static kn_operator_functions functions_of(const struct sparse_source *source,
                                          const struct sparse_choice *choice, struct sparse_applied *a)
{
    const struct sparse_matrix *matrix = source->matrix;
    kn_operator_functions functions = KN_INIT(
        kn_operator_functions, .rows = matrix ? matrix->rows : ki_sparse_parallel_rows(source->geometry),
        .columns = matrix ? matrix->columns : ki_sparse_parallel_columns(source->geometry),
        .type = choice->type, .release = release, .data = a);

    if (a->device)
        functions.apply = apply;
    else
        functions.apply_host = a->host ? apply_host : apply_on_the_fly;
    return functions;
}

kn_status ki_sparse_make_operator(const char *function, kn_queue *queue, const struct sparse_source *source,
                                  const kn_sparse_operator_options *options, kn_operator **made,
                                  kn_error *err)
{
    kn_operator_functions functions;
    struct sparse_choice choice;
    struct sparse_applied *a;
    kn_status status = ki_sparse_choose(function, queue, source, options, &choice, err);

    if (status)
        return status;
    a = calloc(1, sizeof *a);
    if (!a)
        return ki_fail_memory(err, sizeof *a, "an operator");
    status = prepare(queue, source, &choice, a, err);
    if (!status) {
        functions = functions_of(source, &choice, a);
        status = kn_operator_create(queue ? queue->context : NULL, &functions, made, err);
    }
    if (status) {
        release(a);
        return status;
    }
    if (a->device) {
        (*made)->can_record = ki_sparse_operator_only_launches(a->device);
        (*made)->launches = ki_sparse_operator_launches(a->device);
    }
    return KN_OK;
}

static kn_status create(const char *function, kn_queue *queue, const kn_sparse *matrix,
                        const kn_sparse_operator_options *options, kn_operator **made, kn_error *err)
{
    if (!matrix || !made)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s is NULL", matrix ? "made" : "matrix");
    if (!matrix->matrix.rows || !matrix->matrix.columns)
        return ki_fail(err, KN_ERROR_ARGUMENT, "a matrix of %zu x %zu; expected at least 1 row and 1 column",
                       matrix->matrix.rows, matrix->matrix.columns);
    return ki_sparse_make_operator(function, queue, &(struct sparse_source){.matrix = &matrix->matrix},
                                   options, made, err);
}

kn_status kn_sparse_operator_create(kn_queue *queue, const kn_sparse *matrix,
                                    const kn_sparse_operator_options *options, kn_operator **made,
                                    kn_error *err)
{
    return ki_error_name(__func__, create(__func__, queue, matrix, options, made, err), err);
}

// ---- properties ----

// NULL for operators of another kind.
static const struct sparse_applied *applied_of(const kn_operator *a)
{
    return a && a->functions.release == release ? a->functions.data : NULL;
}

kn_sparse_format kn_sparse_operator_get_format(const kn_operator *a, bool adjoint)
{
    const struct sparse_applied *applied = applied_of(a);

    if (!applied)
        return KN_SPARSE_AUTO;
    return applied->device ? ki_sparse_operator_format(applied->device, adjoint) : applied->format;
}

const char *kn_sparse_operator_get_why(const kn_operator *a, bool adjoint)
{
    const struct sparse_applied *applied = applied_of(a);

    return applied && applied->device ? ki_sparse_operator_why(applied->device, adjoint) : "";
}

const char *kn_sparse_operator_get_level(const kn_operator *a)
{
    const struct sparse_applied *applied = applied_of(a);

    if (!applied || applied->device)
        return "";
    return applied->host ? ki_sparse_host_level(applied->host) : "scalar";
}

size_t kn_sparse_operator_get_bytes(const kn_operator *a, bool adjoint)
{
    const struct sparse_applied *applied = applied_of(a);

    if (!applied)
        return 0;
    return applied->device ? ki_sparse_operator_bytes(applied->device, adjoint) : applied->bytes[adjoint];
}

kn_sparse_memory kn_sparse_operator_get_memory(const kn_operator *a)
{
    const struct sparse_applied *applied = applied_of(a);
    kn_sparse_memory memory = {0, 0};

    if (applied && applied->device)
        memory.device = ki_sparse_operator_memory(applied->device);
    else if (applied && applied->host)
        memory.host = ki_sparse_host_memory(applied->host);
    else if (applied)
        memory.host = ki_sparse_parallel_memory(&applied->geometry);
    return memory;
}
