// SPDX-License-Identifier: Apache-2.0
// Recordings: launches are kept as they were checked; those with the same arguments have their own kernel
// object, so that on OpenCL the arguments stay set. A backend turns all of them into one object of its
// driver, or they are launched one by one.
#include "recording.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"

static const char *const way_names[] = {[KN_RECORDING_AUTO] = "auto",
                                        [KN_RECORDING_GRAPH] = "graph",
                                        [KN_RECORDING_COMMAND_BUFFER] = "command-buffer",
                                        [KN_RECORDING_LAUNCHES] = "launches"};

const char *kn_recording_way_name(kn_recording_way way)
{
    return (size_t)way < KI_COUNT(way_names) ? way_names[way] : "?";
}

kn_status ki_engine_check_runs(const kn_queue *queue, const char *function, kn_error *err)
{
    return queue->recorder
               ? ki_fail(err, KN_ERROR_ARGUMENT,
                         "%s: the queue records launches, and takes nothing else until kn_recording_end",
                         function)
               : KN_OK;
}

// ---- launches ----

// A copy of the arguments, followed by their values.
static struct be_arg *copy_args(const struct be_arg *args, size_t count)
{
    size_t bytes = 0;
    struct be_arg *copies;
    char *values;

    for (size_t i = 0; i < count; i++)
        bytes += args[i].kind == BE_ARG_VALUE ? args[i].size : 0;
    copies = malloc(count * sizeof *copies + bytes + 1);
    if (!copies)
        return NULL;
    values = (char *)(copies + count);
    for (size_t i = 0; i < count; i++) {
        copies[i] = args[i];
        if (args[i].kind != BE_ARG_VALUE)
            continue;
        memcpy(values, args[i].value, args[i].size);
        copies[i].value = values;
        values += args[i].size;
    }
    return copies;
}

static bool is_alike(const struct be_arg *a, const struct be_arg *b)
{
    return a->kind == b->kind && a->size == b->size && a->memory == b->memory && a->image == b->image &&
           a->sampler == b->sampler && (a->kind != BE_ARG_VALUE || memcmp(a->value, b->value, a->size) == 0);
}

// An existing launch of the kernel with these arguments, or NULL.
static const struct be_launch *find_alike(const kn_recording *recording, const kn_kernel *kernel,
                                          const struct be_launch *launch)
{
    for (size_t i = 0; i < recording->count; i++) {
        size_t k = 0;
        if (!recording->recorded[i].is_first || recording->recorded[i].kernel != kernel)
            continue;
        while (k < launch->arg_count && is_alike(&recording->launches[i].args[k], &launch->args[k]))
            k++;
        if (k == launch->arg_count)
            return &recording->launches[i];
    }
    return NULL;
}

// Copies its arguments, and gets a kernel for them.
static kn_status keep(const kn_recording *recording, const kn_kernel *kernel, struct be_launch *launch,
                      kn_error *err)
{
    struct be_arg *args = copy_args(launch->args, launch->arg_count);
    kn_status status = args ? recording->context->backend->kernel_get(kernel->program->native, kernel->source,
                                                                      &launch->kernel, err)
                            : ki_fail_memory(err, launch->arg_count * sizeof *args, "a recording");

    if (status)
        free(args);
    else
        launch->args = args;
    return status;
}

kn_status ki_engine_record(kn_recording *recording, const kn_kernel *kernel, const struct be_launch *launch,
                           kn_error *err)
{
    const struct be_launch *alike;
    struct be_launch kept = *launch;
    kn_status status = KN_OK;

    if (!ki_array_grow(&recording->launches, &recording->launch_capacity, recording->count, sizeof kept) ||
        !ki_array_grow(&recording->recorded, &recording->recorded_capacity, recording->count,
                       sizeof *recording->recorded))
        return ki_fail_memory(err, recording->count * sizeof kept, "a recording");
    alike = find_alike(recording, kernel, launch);
    if (alike) {
        kept.kernel = alike->kernel;
        kept.args = alike->args;
    } else {
        status = keep(recording, kernel, &kept, err);
    }
    if (status)
        return status;
    recording->recorded[recording->count] = (struct engine_recorded){kernel, !alike};
    recording->launches[recording->count++] = kept;
    return KN_OK;
}

// ---- recordings ----

kn_status kn_recording_begin(kn_queue *queue, kn_recording_way way, kn_error *err)
{
    const kn_context *context = queue ? queue->context : NULL;
    kn_recording *made;

    if (!queue)
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_recording_begin: queue is NULL");
    if (queue->recorder)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "kn_recording_begin: the queue records already; kn_recording_end first");
    if ((size_t)way >= KI_COUNT(way_names))
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_recording_begin: there is no way %d; see kn_recording_way",
                       (int)way);
    if (way != KN_RECORDING_AUTO && way != KN_RECORDING_LAUNCHES && way != context->backend->recording_way)
        return ki_fail(err, KN_ERROR_UNSUPPORTED,
                       "%s: %s has no recordings as \"%s\", but as \"%s\" and \"%s\"",
                       context->device.info.spec, context->backend->title, way_names[way],
                       way_names[context->backend->recording_way], way_names[KN_RECORDING_LAUNCHES]);
    made = calloc(1, sizeof *made);
    if (!made)
        return ki_fail_memory(err, sizeof *made, "a recording");
    made->context = ki_engine_hold(queue->context);
    made->way = way;
    queue->recorder = made;
    return KN_OK;
}

// Falls back to launches one by one, with the reason.
static kn_status take_launches(kn_recording *recording, const char *why)
{
    recording->way = KN_RECORDING_LAUNCHES;
    snprintf(recording->why, sizeof recording->why, "%.*s", (int)sizeof recording->why - 1, why);
    return KN_OK;
}

// The requested way, or the best one there is.
static kn_status settle(const kn_queue *queue, kn_recording *recording, kn_error *err)
{
    const struct ki_backend *backend = recording->context->backend;
    kn_error reason = KN_ERROR_INIT;
    kn_status status;

    if (recording->way == KN_RECORDING_LAUNCHES)
        return KN_OK;
    if (recording->way == KN_RECORDING_AUTO && recording->context->quirks.slow_command_buffers)
        return take_launches(recording, "the driver's command buffers take longer than launches one by one");
    status = backend->recording_create(queue->native, recording->launches, recording->count,
                                       &recording->native, &reason);
    if (!status) {
        recording->way = backend->recording_way;
    } else if (status == KN_ERROR_UNSUPPORTED && recording->way == KN_RECORDING_AUTO) {
        status = take_launches(recording, reason.text);
    } else {
        ki_fail(err, status, "%s", reason.text);
        ki_error_native(err, reason.native, reason.native_name);
    }
    return status;
}

kn_status kn_recording_end(kn_queue *queue, kn_recording **recording, kn_error *err)
{
    kn_recording *made = queue ? queue->recorder : NULL;
    kn_status status = KN_OK;

    if (!made)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "kn_recording_end: queue is NULL, or there was no kn_recording_begin");
    queue->recorder = NULL;
    if (recording && made->count == 0)
        status = ki_fail(err, KN_ERROR_ARGUMENT,
                         "kn_recording_end: nothing was launched since kn_recording_begin");
    else if (recording)
        status = settle(queue, made, err);
    if (status || !recording)
        kn_recording_free(made);
    else
        *recording = made;
    return status;
}

static kn_status launch_all(kn_queue *queue, const kn_recording *recording, kn_error *err)
{
    kn_status status = KN_OK;

    for (size_t i = 0; i < recording->count && !status; i++)
        status = ki_engine_launch(queue, recording->recorded[i].kernel, &recording->launches[i], NULL, err);
    return status ? status : recording->context->backend->queue_flush(queue->native, err);
}

kn_status kn_recording_replay(kn_queue *queue, kn_recording *recording, kn_error *err)
{
    kn_status status;

    if (!queue || !recording)
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_recording_replay: queue or recording is NULL");
    if (queue->context != recording->context)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "kn_recording_replay: the recording belongs to another context than the queue");
    status = ki_engine_check_runs(queue, "kn_recording_replay", err);
    if (status)
        return status;
    if (!recording->native || queue->profile.on || queue->context->options.debug_sync)
        return launch_all(queue, recording, err);
    for (size_t i = 0; queue->flight && i < recording->count; i++)
        ki_flight_depart(queue->flight, recording->recorded[i].kernel->label);
    return recording->context->backend->recording_replay(queue->native, recording->native, err);
}

kn_recording_way kn_recording_get_way(const kn_recording *recording)
{
    return recording ? recording->way : KN_RECORDING_AUTO;
}

size_t kn_recording_get_count(const kn_recording *recording)
{
    return recording ? recording->count : 0;
}

const char *kn_recording_get_why(const kn_recording *recording)
{
    return recording ? recording->why : "";
}

void kn_recording_free(kn_recording *recording)
{
    const struct ki_backend *backend = recording ? recording->context->backend : NULL;

    if (!recording)
        return;
    if (recording->native)
        backend->recording_free(recording->native);
    for (size_t i = 0; i < recording->count; i++)
        if (recording->recorded[i].is_first) {
            backend->kernel_free(recording->launches[i].kernel);
            free(recording->launches[i].args);
        }
    free(recording->launches);
    free(recording->recorded);
    ki_engine_release(recording->context);
    free(recording);
}
