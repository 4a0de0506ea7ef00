// SPDX-License-Identifier: Apache-2.0
#include "library.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"

static const struct be_library *const libraries[] = {&ki_be_clblast, &ki_be_clfft, &ki_be_cublas,
                                                     &ki_be_cufft};

// The name in the record of what runs.
static const char *const works[BE_FIELDS] = {"a matrix product", "a transform"};

static bool is_of(const struct be_library *library, const struct ki_backend *path)
{
    return strcmp(library->path->name, path->name) == 0;
}

const struct be_library *ki_engine_library_of(const struct ki_backend *path, enum be_field field)
{
    for (size_t i = 0; i < KI_COUNT(libraries); i++)
        if (is_of(libraries[i], path) && libraries[i]->field == field)
            return libraries[i];
    return NULL;
}

static kn_status check_path(const kn_queue *queue, const struct be_library *library, kn_error *err)
{
    const struct ki_backend *path = queue->context->backend;

    return is_of(library, path)
               ? KN_OK
               : ki_fail(err, KN_ERROR_UNSUPPORTED,
                         "%s works on devices reached through %s, and %s is reached through %s",
                         library->name, library->path->title, queue->context->device.info.spec, path->title);
}

kn_status ki_engine_library_prepare(kn_queue *queue, const struct be_library *library,
                                    const struct be_fft_shape *shape, struct be_plan **plan,
                                    char version[BE_VERSION_BYTES], kn_error *err)
{
    const kn_device_info *info = &queue->context->device.info;
    struct flight_task *task;
    kn_status status = check_path(queue, library, err);

    if (status)
        return status;
    task = ki_flight_begin("preparing %s of %s for %s (%s)", works[library->field], library->name, info->spec,
                           info->name);
    status = library->prepare(queue->native, shape, plan, version, err);
    ki_flight_end(task);
    return status;
}

kn_status ki_engine_library_execute(kn_queue *queue, const struct be_library *library, struct be_plan *plan,
                                    const char *what, union be_task task, kn_error *err)
{
    struct be_event *done = NULL;
    char name[64];
    kn_status status;

    ki_flight_depart(queue->flight, ki_flight_label(works[library->field], library->name));
    status = library->execute(queue->native, plan, task, queue->profile.on ? &done : NULL, err);
    if (status || !done)
        return status;
    snprintf(name, sizeof name, "%s%s%s", library->name, what ? " " : "", what ? what : "");
    return ki_engine_profile_add(&queue->profile, queue->context->backend, name, done, err);
}

// ---- a queue's plan for products ----

struct engine_products {
    const struct be_library *library;
    struct be_plan *plan; // NULL: it could not be prepared, for this reason
    kn_error why;
};

static kn_status prepare_products(kn_queue *queue, const struct be_library *library, kn_error *err)
{
    char version[BE_VERSION_BYTES];
    struct engine_products *made = calloc(1, sizeof *made);

    if (!made)
        return ki_fail_memory(err, sizeof *made, "a library of matrix products");
    made->library = library;
    made->why = (kn_error)KN_ERROR_INIT;
    if (ki_engine_library_prepare(queue, library, NULL, &made->plan, version, &made->why))
        ki_engine_log(queue->context, KN_LOG_INFO, "%s is not used: %s", library->name, made->why.text);
    queue->products = made;
    return KN_OK;
}

kn_status ki_engine_library_products(kn_queue *queue, const struct be_library *library, struct be_plan **plan,
                                     kn_error *err)
{
    const struct engine_products *products;
    kn_status status = check_path(queue, library, err);

    if (!status && !queue->products)
        status = prepare_products(queue, library, err);
    if (status)
        return status;
    products = queue->products;
    *plan = products->plan;
    return products->plan ? KN_OK : ki_fail(err, products->why.code, "%s", products->why.text);
}

void ki_engine_library_close(kn_queue *queue)
{
    if (queue->products && queue->products->plan)
        queue->products->library->free(queue->products->plan);
    free(queue->products);
    queue->products = NULL;
}
