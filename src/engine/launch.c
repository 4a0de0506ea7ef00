// SPDX-License-Identifier: Apache-2.0
// Launches: every argument and size is checked here, once for all backends, before a driver sees it. Some
// drivers abort the whole process on errors that others report (PoCL: more local memory than there is).
#include "engine/watch/explain.h"
#include "recording.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"

#define MAX_ARGS   256 // OpenCL promises 128 images for reading, and there may be other arguments
#define LOCAL_UNIT 16  // local arguments are counted in these

static const char *const param_names[] = {
    [KN_PARAM_GLOBAL] = "a buffer (__global)",
    [KN_PARAM_CONSTANT] = "a buffer (__constant)",
    [KN_PARAM_LOCAL] = "bytes of local memory",
    [KN_PARAM_VALUE] = "a value",
    [KN_PARAM_IMAGE] = "an image",
    [KN_PARAM_SAMPLER] = "a sampler",
};
static const char *const arg_names[] = {
    [KN_ARG_BUFFER] = "a buffer", [KN_ARG_VALUE] = "a value",     [KN_ARG_LOCAL] = "local memory",
    [KN_ARG_IMAGE] = "an image",  [KN_ARG_SAMPLER] = "a sampler", [KN_ARG_INLINE] = "a value"};

struct check {
    const kn_context *context;
    const kn_kernel *kernel;
    size_t index;
    const kn_param *param;
    kn_error *err;
};

static kn_status check_buffer(const struct check *check, const kn_buffer *buffer)
{
    const char *kernel = check->kernel->source->name;

    if (!buffer)
        return ki_fail(check->err, KN_ERROR_ARGUMENT, "%s: argument %zu (%s) is a NULL buffer", kernel,
                       check->index, check->param->name);
    if (buffer->context != check->context)
        return ki_fail(check->err, KN_ERROR_ARGUMENT, "%s: argument %zu (%s) is a buffer of another context",
                       kernel, check->index, check->param->name);
    if (!buffer->native)
        return ki_fail(check->err, KN_ERROR_ARGUMENT,
                       "%s: argument %zu (%s) is a buffer of %zu bytes held in %zu parts of at most %zu; "
                       "launch once for "
                       "each kn_buffer_get_part",
                       kernel, check->index, check->param->name, buffer->bytes, buffer->part_count,
                       buffer->part_bytes);
    if (check->param->kind == KN_PARAM_CONSTANT &&
        buffer->bytes > check->context->device.info.constant_memory)
        return ki_fail(check->err, KN_ERROR_LIMIT,
                       "%s: argument %zu (%s) is __constant and has %zu bytes; %s takes at most %llu", kernel,
                       check->index, check->param->name, buffer->bytes, check->context->device.info.spec,
                       (unsigned long long)check->context->device.info.constant_memory);
    return KN_OK;
}

static kn_status check_image(const struct check *check, const kn_image *image)
{
    const char *kernel = check->kernel->source->name;

    if (!image)
        return ki_fail(check->err, KN_ERROR_ARGUMENT, "%s: argument %zu (%s) is a NULL image", kernel,
                       check->index, check->param->name);
    if (image->context != check->context)
        return ki_fail(check->err, KN_ERROR_ARGUMENT, "%s: argument %zu (%s) is an image of another context",
                       kernel, check->index, check->param->name);
    if (strcmp(ki_engine_image_type(image->shape.kind), check->param->type) != 0)
        return ki_fail(check->err, KN_ERROR_ARGUMENT,
                       "%s: argument %zu (%s) takes an %s, but was given an %s", kernel, check->index,
                       check->param->name, check->param->type, ki_engine_image_type(image->shape.kind));
    return KN_OK;
}

static kn_status check_sampler(const struct check *check, unsigned bits)
{
    unsigned address = bits & 14, filter = bits & 0x30;

    if (bits > 0x3f || address > KN_SAMPLER_MIRROR ||
        (filter != KN_SAMPLER_NEAREST && filter != KN_SAMPLER_LINEAR) ||
        (address > KN_SAMPLER_CLAMP && !(bits & KN_SAMPLER_NORMALIZED)))
        return ki_fail(
            check->err, KN_ERROR_ARGUMENT,
            "%s: argument %zu (%s) is a sampler of the bits 0x%x; it takes one filter, one addressing, and "
            "normalised coordinates for repeat and mirror",
            check->kernel->source->name, check->index, check->param->name, bits);
    return KN_OK;
}

static kn_status check_arg(const struct check *check, const kn_arg *arg)
{
    static const unsigned wanted[] = {[KN_PARAM_GLOBAL] = KN_ARG_BUFFER, [KN_PARAM_CONSTANT] = KN_ARG_BUFFER,
                                      [KN_PARAM_LOCAL] = KN_ARG_LOCAL,   [KN_PARAM_VALUE] = KN_ARG_VALUE,
                                      [KN_PARAM_IMAGE] = KN_ARG_IMAGE,   [KN_PARAM_SAMPLER] = KN_ARG_SAMPLER};
    const kn_param *param = check->param;
    const char *kernel = check->kernel->source->name;
    unsigned kind = arg->kind == KN_ARG_INLINE ? KN_ARG_VALUE : arg->kind;

    if ((unsigned)arg->kind > KN_ARG_INLINE)
        return ki_fail(check->err, KN_ERROR_ARGUMENT,
                       "%s: argument %zu (%s) is of no kind %d; see kn_arg_kind", kernel, check->index,
                       param->name, (int)arg->kind);
    if (kind != wanted[param->kind])
        return ki_fail(check->err, KN_ERROR_ARGUMENT, "%s: argument %zu (%s) takes %s, but was given %s",
                       kernel, check->index, param->name, param_names[param->kind], arg_names[arg->kind]);
    if (arg->kind == KN_ARG_BUFFER)
        return check_buffer(check, arg->buffer);
    if (arg->kind == KN_ARG_IMAGE)
        return check_image(check, arg->image);
    if (arg->kind == KN_ARG_SAMPLER)
        return check_sampler(check, arg->sampler);
    if (kind == KN_ARG_LOCAL && arg->size == 0)
        return ki_fail(check->err, KN_ERROR_ARGUMENT,
                       "%s: argument %zu (%s) takes local memory, but was given 0 bytes", kernel,
                       check->index, param->name);
    if (kind == KN_ARG_VALUE && arg->size == 0)
        return ki_fail(check->err, KN_ERROR_ARGUMENT, "%s: argument %zu (%s) is a value of 0 bytes", kernel,
                       check->index, param->name);
    if (arg->kind == KN_ARG_VALUE && !arg->value)
        return ki_fail(check->err, KN_ERROR_ARGUMENT, "%s: argument %zu (%s) is a NULL value", kernel,
                       check->index, param->name);
    if (arg->kind == KN_ARG_INLINE && arg->size > sizeof arg->bytes)
        return ki_fail(check->err, KN_ERROR_ARGUMENT,
                       "%s: argument %zu (%s): %zu bytes are not in an argument, which holds %zu", kernel,
                       check->index, param->name, arg->size, sizeof arg->bytes);
    if (kind == KN_ARG_VALUE && param->size && arg->size != param->size)
        return ki_fail(check->err, KN_ERROR_ARGUMENT,
                       "%s: argument %zu (%s) is of type %s, %zu bytes, but was given %zu", kernel,
                       check->index, param->name, param->type, param->size, arg->size);
    return KN_OK;
}

static bool reads_what_it_writes(const kn_param *params, const kn_arg *args, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < i && args[i].kind == KN_ARG_IMAGE; k++)
            if (args[k].kind == KN_ARG_IMAGE && args[k].image == args[i].image &&
                params[k].is_const != params[i].is_const)
                return true;
    return false;
}

static kn_status check_args(kn_context *context, const kn_kernel *kernel, const kn_arg *args, size_t count,
                            kn_error *err)
{
    const kn_source_kernel *source = kernel->source;
    size_t local = kernel->limits.local_bytes;
    size_t bytes = 0;

    if (count != source->param_count)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s takes %zu arguments, but was given %zu", source->name,
                       source->param_count, count);
    if (count > MAX_ARGS)
        return ki_fail(err, KN_ERROR_LIMIT, "%s has %zu arguments; Koine takes at most %d", source->name,
                       count, MAX_ARGS);
    for (size_t i = 0; i < count; i++) {
        struct check check = {context, kernel, i, &source->params[i], err};
        kn_status status = check_arg(&check, &args[i]);
        if (status)
            return status;
        if (args[i].kind == KN_ARG_LOCAL) {
            size_t rounded = (args[i].size + LOCAL_UNIT - 1) / LOCAL_UNIT * LOCAL_UNIT;
            local = rounded < args[i].size || local + rounded < local ? (size_t)-1 : local + rounded;
        }
        bytes += args[i].kind == KN_ARG_VALUE || args[i].kind == KN_ARG_INLINE ? args[i].size
                 : args[i].kind == KN_ARG_IMAGE && !source->cuda.image_addresses
                     ? context->backend->image_bytes
                     : sizeof(void *);
    }
    if (reads_what_it_writes(source->params, args, count))
        return ki_fail(
            err, KN_ERROR_ARGUMENT,
            "%s: the same image is read through one argument and written through another; OpenCL C 1.2 has "
            "no such kernels: give it two images",
            source->name);
    if (local > context->device.info.local_memory)
        return ki_fail(err, KN_ERROR_LIMIT,
                       "%s needs %zu bytes of local memory (%zu of its own); %s has %llu", source->name,
                       local, kernel->limits.local_bytes, context->device.info.spec,
                       (unsigned long long)context->device.info.local_memory);
    if (bytes > context->device.info.max_argument_bytes)
        return ki_fail(err, KN_ERROR_LIMIT, "%s: its arguments take %zu bytes; %s passes at most %llu",
                       source->name, bytes, context->device.info.spec,
                       (unsigned long long)context->device.info.max_argument_bytes);
    return KN_OK;
}

static kn_status check_group(const kn_context *context, const kn_kernel *kernel, const struct be_range *range,
                             kn_error *err)
{
    const kn_device_info *info = &context->device.info;
    const char *name = kernel->source->name;
    size_t limit = kernel->limits.work_group < info->max_work_group ? kernel->limits.work_group
                                                                    : (size_t)info->max_work_group;
    size_t items = 1;

    for (unsigned d = 0; d < range->dims; d++) {
        if (range->local[d] == 0)
            return ki_fail(err, KN_ERROR_ARGUMENT,
                           "%s: work-group size 0 in dimension %u; give all dimensions or none", name, d);
        if (range->global[d] % range->local[d])
            return ki_fail(
                err, KN_ERROR_ARGUMENT,
                "%s: %zu work-items in dimension %u are not a multiple of the work-group's %zu (OpenCL 1.2)",
                name, range->global[d], d, range->local[d]);
        if (range->local[d] > info->max_work_item_sizes[d])
            return ki_fail(err, KN_ERROR_LIMIT,
                           "%s: a work-group of %zu in dimension %u; %s takes at most %llu there", name,
                           range->local[d], d, info->spec, (unsigned long long)info->max_work_item_sizes[d]);
        items = items > (size_t)-1 / range->local[d] ? (size_t)-1 : items * range->local[d];
    }
    if (items > limit)
        return ki_fail(err, KN_ERROR_LIMIT,
                       "%s: a work-group of %zu work-items; this kernel takes at most %zu on %s", name, items,
                       limit, info->spec);
    return KN_OK;
}

// A range that the driver would report wrongly to the kernel is refused.
static kn_status check_extent(const kn_context *context, const char *name, const char *what, size_t extent,
                              unsigned d, kn_error *err)
{
    if (!context->quirks.range_limit || extent <= context->quirks.range_limit)
        return KN_OK;
    return ki_fail(
        err, KN_ERROR_LIMIT,
        "%s: %s %zu in dimension %u; the driver of %s tells kernels of more than %zu wrong: split the range "
        "into several launches and give the kernel the place where each begins as an argument",
        name, what, extent, d, context->device.info.spec, context->quirks.range_limit);
}

// The ids of work-items must be within what the driver reports correctly.
static kn_status check_ids(const kn_context *context, const char *name, const kn_range *given, unsigned d,
                           kn_error *err)
{
    const size_t limit = context->quirks.id_limit, offset = given->offset[d], size = given->global[d];

    if (!limit || (offset <= limit && size - 1 <= limit - offset))
        return KN_OK;
    return ki_fail(
        err, KN_ERROR_LIMIT,
        "%s: offset %zu and size %zu in dimension %u; the driver of %s tells kernels global ids of more than "
        "%zu "
        "wrong: split the range into several launches and give the kernel the place where each begins as an "
        "argument",
        name, offset, size, d, context->device.info.spec, limit);
}

// The required work-group of a kernel that has one: the range's own must be the same, or is filled in.
static kn_status check_required(const kn_kernel *kernel, struct be_range *range, bool chosen, kn_error *err)
{
    const size_t *required = kernel->limits.required_group;
    const char *name = kernel->source->name;

    for (unsigned d = 0; d < 3; d++) {
        size_t local = d < range->dims ? range->local[d] : 1;
        if (chosen && local != required[d])
            return ki_fail(err, KN_ERROR_ARGUMENT,
                           "%s requires work-groups of %zu x %zu x %zu; dimension %u was given %zu", name,
                           required[0], required[1], required[2], d, local);
        if (!chosen && d < range->dims)
            range->local[d] = required[d];
        else if (!chosen && required[d] != 1)
            return ki_fail(err, KN_ERROR_ARGUMENT,
                           "%s requires work-groups of %zu x %zu x %zu, but the range has %u dimensions",
                           name, required[0], required[1], required[2], range->dims);
    }
    return KN_OK;
}

// The range as the backend takes it: unused dimensions are 1, a required work-group is filled in. What no
// device supports is refused first, then what this device does not support, and last what its driver has
// wrong: so the same mistake gets the same answer on every device.
static kn_status check_range(const kn_context *context, const kn_kernel *kernel, const kn_range *given,
                             struct be_range *range, kn_error *err)
{
    const char *name = kernel->source->name;
    bool chosen, required = kernel->limits.required_group[0] != 0;
    kn_status status = KN_OK;

    if (given->dims < 1 || given->dims > 3)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: %u dimensions; a range has 1, 2 or 3", name, given->dims);
    range->dims = given->dims;
    for (unsigned d = 0; d < given->dims; d++) {
        range->global[d] = given->global[d];
        range->local[d] = given->local[d];
        range->offset[d] = given->offset[d];
        if (given->global[d] == 0)
            return ki_fail(err, KN_ERROR_ARGUMENT, "%s: no work-items in dimension %u", name, d);
    }
    chosen = range->local[0] || range->local[1] || range->local[2];
    if (required)
        status = check_required(kernel, range, chosen, err);
    if (!status && (chosen || required))
        status = check_group(context, kernel, range, err);
    for (unsigned d = 0; d < given->dims && !status; d++) {
        status = check_extent(context, name, "size", given->global[d], d, err);
        if (!status)
            status = check_extent(context, name, "offset", given->offset[d], d, err);
        if (!status)
            status = check_ids(context, name, given, d, err);
    }
    return status;
}

// This queue's own kernel object: the one it has, or the first one without an owner, or a new one.
static kn_status clone_for(kn_queue *queue, kn_kernel *kernel, struct be_kernel **native, kn_error *err)
{
    struct engine_recent *recent = &queue->recent[kernel->serial % ENGINE_RECENT];
    struct engine_clone clone = {queue, NULL};
    struct engine_clone *found = NULL;
    kn_status status = KN_OK;

    if (recent->serial == kernel->serial) {
        *native = recent->clone;
        return KN_OK;
    }
    pthread_mutex_lock(&queue->context->clones_lock);
    for (size_t i = 0; i < kernel->clone_count && !found; i++)
        if (kernel->clones[i].queue == queue || !kernel->clones[i].queue)
            found = &kernel->clones[i];
    if (found) {
        found->queue = queue;
        *native = found->native;
    } else {
        status =
            queue->context->backend->kernel_get(kernel->program->native, kernel->source, &clone.native, err);
        if (!status && !KI_ARRAY_PUSH(kernel->clones, kernel->clone_count, kernel->clone_capacity, clone)) {
            queue->context->backend->kernel_free(clone.native);
            status = ki_fail_memory(err, 0, "a kernel");
        }
        *native = clone.native;
    }
    pthread_mutex_unlock(&queue->context->clones_lock);
    if (!status)
        *recent = (struct engine_recent){kernel->serial, *native};
    return status;
}

void ki_engine_release_clones(kn_queue *queue)
{
    pthread_mutex_lock(&queue->context->clones_lock);
    for (kn_program *program = queue->context->programs; program; program = program->next)
        for (size_t k = 0; k < program->kernel_count; k++)
            for (size_t c = 0; c < program->kernels[k].clone_count; c++)
                if (program->kernels[k].clones[c].queue == queue)
                    program->kernels[k].clones[c].queue = NULL;
    pthread_mutex_unlock(&queue->context->clones_lock);
}

static kn_status name_kernel(const kn_kernel *kernel, kn_status status, const kn_error *reason, kn_error *err)
{
    ki_fail(err, status, "kernel %s: %s", kernel->source->name, reason->text);
    ki_error_native(err, reason->native, reason->native_name);
    return status;
}

// Keeps the launch's event in the queue's profile; a caller who wants it too gets a second handle.
static kn_status profile(kn_queue *queue, const kn_kernel *kernel, struct be_event **done, bool wanted,
                         kn_error *err)
{
    const struct ki_backend *backend = queue->context->backend;
    struct be_event *second = NULL;
    kn_status status = wanted ? backend->event_share(*done, &second, err) : KN_OK;

    if (status) {
        backend->event_free(*done);
        return status;
    }
    status = ki_engine_profile_add(&queue->profile, backend, kernel->source->name, *done, err);
    if (status && second)
        backend->event_free(second);
    *done = second;
    return status;
}

// The same for a queue that asks whether to go on.
static kn_status mark(kn_queue *queue, struct be_event **done, bool wanted, kn_error *err)
{
    struct be_event *second = NULL;
    kn_status status = wanted ? queue->context->backend->event_share(*done, &second, err) : KN_OK;

    ki_asking_mark(queue, *done);
    *done = second;
    return status;
}

kn_status ki_engine_launch(kn_queue *queue, const kn_kernel *kernel, const struct be_launch *launch,
                           kn_event **event, kn_error *err)
{
    const size_t *global = launch->range.global;
    kn_context *context = queue->context;
    struct be_event *done = NULL;
    kn_error reason; // used for failures only: clearing its text would cost more than everything else here
    unsigned number;
    bool is_due;
    kn_status status = ki_asking_before(queue, &is_due, err);

    if (status)
        return status;
    number = ki_flight_depart(queue->flight, kernel->label);
    status = context->backend->launch(queue->native, launch->kernel, &launch->range, launch->args,
                                      launch->arg_count, event || is_due || queue->profile.on ? &done : NULL,
                                      &reason);
    if (!status && context->options.debug_sync) {
        ki_engine_log(context, KN_LOG_DEBUG, "%s: %zu x %zu x %zu work-items", kernel->source->name,
                      global[0], global[1], global[2]);
        status = context->backend->queue_finish(queue->native, &reason);
        if (status && done)
            context->backend->event_free(done);
        if (!status)
            ki_flight_land(queue->flight, number);
    }
    if (status)
        return name_kernel(kernel, status, &reason, err);
    if (queue->profile.on)
        status = profile(queue, kernel, &done, event || is_due, err);
    if (!status && is_due)
        status = mark(queue, &done, event != NULL, err);
    if (status)
        return status;
    if (queue->watcher)
        ki_engine_explain_notice(queue, kernel, launch);
    status = ki_engine_event_give(context, done, event, err);
    if (!status && event) {
        (*event)->flight = queue->flight;
        (*event)->number = number;
    }
    return status;
}

static void take_args(const kn_arg *args, size_t count, struct be_arg *natives)
{
    static const unsigned kinds[] = {
        [KN_ARG_BUFFER] = BE_ARG_MEMORY, [KN_ARG_VALUE] = BE_ARG_VALUE,     [KN_ARG_LOCAL] = BE_ARG_LOCAL,
        [KN_ARG_IMAGE] = BE_ARG_IMAGE,   [KN_ARG_SAMPLER] = BE_ARG_SAMPLER, [KN_ARG_INLINE] = BE_ARG_VALUE};

    for (size_t i = 0; i < count; i++) {
        const void *value = args[i].kind == KN_ARG_INLINE ? args[i].bytes : args[i].value;

        natives[i] = (struct be_arg){kinds[args[i].kind], NULL, value, args[i].size, NULL, args[i].sampler};
        if (args[i].kind == KN_ARG_BUFFER)
            natives[i].memory = args[i].buffer->native;
        if (args[i].kind == KN_ARG_IMAGE)
            natives[i].image = args[i].image->native;
    }
}

kn_status kn_launch(kn_queue *queue, kn_kernel *kernel, const kn_range *given, const kn_arg *args,
                    size_t arg_count, kn_event **event, kn_error *err)
{
    struct be_arg natives[MAX_ARGS];
    struct be_launch launch = {NULL, {0, {0, 0, 0}, {1, 1, 1}, {0, 0, 0}}, natives, arg_count};
    kn_context *context;
    kn_status status;

    if (!queue || !kernel || !given || (!args && arg_count))
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_launch: queue, kernel, range or args is NULL");
    context = queue->context;
    if (kernel->program->context != context)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s belongs to another context than the queue",
                       kernel->source->name);
    status = check_args(context, kernel, args, arg_count, err);
    if (!status)
        status = check_range(context, kernel, given, &launch.range, err);
    if (!status && queue->recorder && event)
        status = ki_fail(err, KN_ERROR_ARGUMENT, "%s: a launch that is recorded has no event",
                         kernel->source->name);
    if (!status && !queue->recorder)
        status = clone_for(queue, kernel, &launch.kernel, err);
    if (status)
        return status;
    take_args(args, arg_count, natives);
    return queue->recorder ? ki_engine_record(queue->recorder, kernel, &launch, err)
                           : ki_engine_launch(queue, kernel, &launch, event, err);
}
