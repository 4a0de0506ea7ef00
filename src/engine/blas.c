// SPDX-License-Identifier: Apache-2.0
#include "blas.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"

struct engine_blas {
    const struct be_blas_library *library;
    struct be_blas *handle; // NULL: it could not be opened, and this is why
    kn_error why;
};

const struct be_blas_library *engine_blas_library(const kn_context *context)
{
    return context->backend == &kn_backend_cuda ? &kn_be_cublas : &kn_be_clblast;
}

kn_status engine_blas_open(kn_queue *queue, kn_error *err)
{
    struct engine_blas *blas = queue->blas;
    struct flight_task *task;
    kn_status status = engine_check_runs(queue, "kn_gemm", err);

    if (status)
        return status;
    if (!blas) {
        blas = calloc(1, sizeof *blas);
        if (!blas)
            return kn_fail_memory(err, sizeof *blas, "a library of linear algebra");
        blas->why = (kn_error)KN_ERROR_INIT;
        blas->library = engine_blas_library(queue->context);
        task = flight_begin("opening %s", blas->library->name);
        blas->library->open(queue->native, &blas->handle, &blas->why);
        flight_end(task);
        queue->blas = blas;
        if (!blas->handle)
            engine_log(queue->context, KN_LOG_INFO, "%s is not used: %s", blas->library->name,
                       blas->why.text);
    }
    return blas->handle ? KN_OK : kn_fail(err, blas->why.code, "%s", blas->why.text);
}

kn_status engine_blas_gemm(kn_queue *queue, const struct be_product *product, kn_error *err)
{
    const struct engine_blas *blas = queue->blas;
    struct be_event *done = NULL;
    kn_status status;

    flight_depart(queue->flight, flight_label("a matrix product", blas->library->name));
    status = blas->library->gemm(blas->handle, product, queue->profile.on ? &done : NULL, err);

    if (status || !done)
        return status;
    return engine_profile_add(&queue->profile, queue->context->backend, blas->library->name, done, err);
}

void engine_blas_close(kn_queue *queue)
{
    if (queue->blas && queue->blas->handle)
        queue->blas->library->close(queue->blas->handle);
    free(queue->blas);
    queue->blas = NULL;
}
