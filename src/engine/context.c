// SPDX-License-Identifier: Apache-2.0
// Contexts and queues: opening, wrapping, closing; and the log.
#include <config.h>

#include <koine/experimental.h>

#include "answer.h"
#include "engine.h"
#include "library.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/os/env.h"
#include "base/error.h"
#include "base/sized.h"
#include "engine/cache/cache.h"
#include "engine/device/device.h"

#define SMALLEST_ALLOC 64 // bytes: a part has room for a pattern of any size

void ki_engine_log(const kn_context *context, kn_log_level level, const char *format, ...)
{
    char message[1024];
    va_list args;

    if (!context->options.log)
        return;
    va_start(args, format);
    if (vsnprintf(message, sizeof message, format, args) >= 0)
        context->options.log(context->options.log_user, level, message);
    va_end(args);
}

static kn_status choose_cache(kn_context *context, kn_error *err)
{
    const char *given = context->options.cache_dir;
    char path[4096];
    kn_error reason = KN_ERROR_INIT;

    if (given && !*given)
        return KN_OK;
    if (!given && kn_cache_get_default_dir(path, sizeof path, &reason)) {
        ki_engine_log(context, KN_LOG_WARNING, "programs are not cached: %s", reason.text);
        return KN_OK;
    }
    if (kn_cache_check_trust(given ? given : path, &reason)) {
        ki_engine_log(context, KN_LOG_WARNING,
                      "compiled programs are neither read from the cache nor kept there: %s", reason.text);
        return KN_OK;
    }
    context->cache_dir = strdup(given ? given : path);
    return context->cache_dir ? KN_OK : ki_fail_memory(err, 0, "opening a context");
}

kn_status ki_engine_context_create(const char *function, const struct ki_backend *backend,
                                   struct be_context *native, const struct be_device *device,
                                   const kn_context_options *options, kn_context **context, kn_error *err)
{
    kn_context *made;
    kn_context_options how;
    kn_status status = KI_SIZED_READ(function, kn_context_options, options, &how, err);

    if (status)
        return status;
    if (how.max_alloc && how.max_alloc < SMALLEST_ALLOC)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: max_alloc of %llu bytes; it is at least %d", function,
                       (unsigned long long)how.max_alloc, SMALLEST_ALLOC);
    made = calloc(1, sizeof *made);
    if (!made)
        return ki_fail_memory(err, sizeof *made, "a context");
    atomic_init(&made->holders, 1);
    made->backend = backend;
    made->native = native;
    made->device = *device;
    made->options = how;
    made->quirks = ki_engine_quirks_of(&made->device.info);
    made->staged = !engine_is_cpu(&made->device.info);
    if (made->options.max_alloc && made->options.max_alloc < made->device.info.max_alloc)
        made->device.info.max_alloc = made->options.max_alloc;
    status = choose_cache(made, err);
    if (status) {
        free(made);
        return status;
    }
    pthread_mutex_init(&made->clones_lock, NULL); // on Linux these cannot fail
    pthread_mutex_init(&made->builtins_lock, NULL);
    ki_kept_init(&made->kept);
    pthread_mutex_init(&made->tuned_lock, NULL);
    pthread_mutex_init(&made->verdicts_lock, NULL);
    made->options.cache_dir = NULL; // the caller's string; ours is cache_dir
    ki_engine_log(made, KN_LOG_INFO, "%s: %s, %s, driver %s", made->device.info.spec, made->device.info.name,
                  made->device.info.version, made->device.info.driver);
    if (made->device.info.loop_limit)
        ki_engine_log(
            made, KN_LOG_INFO,
            "%s: this driver ends a work-item's loops after %u iterations in all and reports no error; "
            "Koine's kernels stay below that, yours have to",
            made->device.info.spec, (unsigned)made->device.info.loop_limit);
    *context = made;
    return KN_OK;
}

static void log_left_out(const kn_context *context, const struct engine_devices *devices)
{
    for (size_t i = 0; i < devices->count; i++)
        if (devices->items[i].left_out)
            ki_engine_log(context, KN_LOG_WARNING, "%s (%s): %s; 'koine cache clear' has it tried again",
                          devices->items[i].device.info.spec, devices->items[i].device.info.name,
                          devices->items[i].device.info.why_not);
}

kn_status kn_context_open(const char *spec, const kn_context_options *options, kn_context **context,
                          kn_error *err)
{
    struct engine_devices devices;
    const struct engine_device *chosen = NULL;
    struct be_context *native = NULL;
    struct be_device device;
    kn_context_options how;
    kn_status status;

    if (!context)
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_context_open: context is NULL");
    status = KI_SIZED_READ("kn_context_open", kn_context_options, options, &how, err);
    if (status)
        return status;
    if (!spec)
        spec = ki_env_get(KI_ENV_DEVICE);
    if (!spec || !*spec)
        spec = "auto";
    status = ki_engine_devices_find(&devices, spec, how.cache_dir, err);
    if (status)
        return status;
    status = ki_engine_devices_match(&devices, spec, &chosen, err);
    if (!status) {
        struct flight_task *task =
            ki_flight_begin("opening %s (%s)", chosen->device.info.spec, chosen->device.info.name);
        status = chosen->backend->context_open(&chosen->device, &native, err);
        ki_flight_end(task);
    }
    if (!status) {
        device = chosen->device;
        device.extensions = strdup(chosen->device.extensions);
        status = device.extensions ? ki_engine_context_create("kn_context_open", chosen->backend, native,
                                                              &device, &how, context, err)
                                   : ki_fail_memory(err, 0, "opening a context");
        if (status) {
            free(device.extensions);
            chosen->backend->context_close(native);
        }
    }
    if (!status)
        log_left_out(*context, &devices);
    ki_engine_devices_free(&devices);
    return status;
}

kn_context *ki_engine_hold(kn_context *context)
{
    atomic_fetch_add(&context->holders, 1);
    return context;
}

static void free_context(kn_context *context)
{
    for (size_t i = 0; i < context->builtin_count; i++) {
        kn_program_free(context->builtins[i].program);
        free(context->builtins[i].key);
    }
    free(context->builtins);
    ki_text_free(&context->builtin_key);
    ki_kept_free(&context->kept);
    free(context->tuned);
    free(context->verdicts);
    context->backend->context_close(context->native);
    pthread_mutex_destroy(&context->clones_lock);
    pthread_mutex_destroy(&context->builtins_lock);
    pthread_mutex_destroy(&context->tuned_lock);
    pthread_mutex_destroy(&context->verdicts_lock);
    free(context->device.extensions);
    free(context->cache_dir);
    free(context);
}

void ki_engine_release(kn_context *context)
{
    if (atomic_fetch_sub(&context->holders, 1) == 1)
        free_context(context);
}

void kn_context_close(kn_context *context)
{
    if (context)
        ki_engine_release(context);
}

const kn_device_info *kn_context_get_device(const kn_context *context)
{
    return context ? &context->device.info : NULL;
}

double kn_context_get_build_seconds(const kn_context *context)
{
    return context ? (double)atomic_load(&context->build_nanoseconds) * 1e-9 : 0;
}

// ---- queues ----

// Takes over `native`, and closes it if memory runs out.
static kn_status create_queue(kn_context *context, struct be_queue *native, kn_queue **queue, kn_error *err)
{
    kn_queue *made = calloc(1, sizeof *made);

    if (!made) {
        context->backend->queue_close(native);
        return ki_fail_memory(err, sizeof *made, "a queue");
    }
    atomic_init(&made->holders, 1);
    ki_kept_init(&made->kept);
    made->context = ki_engine_hold(context);
    made->native = native;
    made->asking.stride = 1;
    made->flight = ki_flight_claim(&context->device.info);
    *queue = made;
    return KN_OK;
}

kn_status kn_queue_open(kn_context *context, kn_queue **queue, kn_error *err)
{
    struct be_queue *native = NULL;
    kn_status status;

    if (!context || !queue)
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_queue_open: context or queue is NULL");
    status = context->backend->queue_open(context->native, &native, err);
    return status ? status : create_queue(context, native, queue, err);
}

kn_status ki_engine_queue_wrap(kn_context *context, void *native, kn_queue **queue, kn_error *err)
{
    struct be_queue *wrapped = NULL;
    kn_status status = context->backend->queue_wrap(context->native, native, &wrapped, err);

    return status ? status : create_queue(context, wrapped, queue, err);
}

void ki_engine_queue_release(kn_queue *queue)
{
    kn_context *context = queue->context;

    if (atomic_fetch_sub(&queue->holders, 1) > 1)
        return;
    kn_recording_free(queue->recorder);
    ki_engine_release_clones(queue);
    ki_engine_stage_free(queue);
    ki_engine_scratch_free(queue);
    ki_engine_answer_free(queue);
    ki_kept_free(&queue->kept);
    ki_engine_profile_clear(&queue->profile, queue->context->backend);
    ki_asking_forget(queue);
    ki_engine_library_close(queue);
    queue->context->backend->queue_close(queue->native);
    ki_flight_release(queue->flight);
    free(queue);
    ki_engine_release(context);
}

void kn_queue_close(kn_queue *queue)
{
    if (!queue)
        return;
    if (atomic_load(&queue->holders) > 1) // otherwise releasing it waits
        (void)queue->context->backend->queue_finish(queue->native, NULL);
    ki_engine_queue_release(queue);
}

kn_context *kn_queue_get_context(const kn_queue *queue)
{
    return queue ? queue->context : NULL;
}

kn_status kn_queue_flush(kn_queue *queue, kn_error *err)
{
    if (!queue)
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_queue_flush: queue is NULL");
    if (ki_engine_check_runs(queue, "kn_queue_flush", err))
        return KN_ERROR_ARGUMENT;
    return queue->context->backend->queue_flush(queue->native, err);
}

kn_status kn_queue_finish(kn_queue *queue, kn_error *err)
{
    kn_status status;

    if (!queue)
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_queue_finish: queue is NULL");
    if (ki_engine_check_runs(queue, "kn_queue_finish", err))
        return KN_ERROR_ARGUMENT;
    status = queue->context->backend->queue_finish(queue->native, err);
    if (!status)
        ki_flight_land_all(queue->flight);
    return status;
}

bool ki_engine_is_nvidia(const kn_context *context)
{
    return strcmp(context->device.info.backend, "cuda") == 0 ||
           strstr(context->device.extensions, "cl_nv_device_attribute_query") != NULL;
}

const char *kn_version(void)
{
    return PACKAGE_VERSION;
}

long kn_version_number(void)
{
    return KN_VERSION_NUMBER;
}
