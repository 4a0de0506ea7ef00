// SPDX-License-Identifier: Apache-2.0
// koine solve: the choice of the place that computes.
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/os/env.h"
#include "cmd_solve.h"

// Whether both places solve the problem in the requested precision, so that their solutions differ only in
// the last digits: by conjugate gradients, in double precision of a matrix, or in single precision; but not
// with relaxed maths.
static bool has_both(const struct solve_command *command)
{
    const kn_least_squares_options *task = &command->task;
    const bool single = command->arguments->precision == SOLVE_PRECISION_FLOAT;

    return !solve_host_alone(command) && !solve_device_alone(command) && task->format == KN_SPARSE_AUTO &&
           task->method == KN_LEAST_SQUARES_CGNR && task->stop != KN_LEAST_SQUARES_STOP_NCP &&
           (single || command->matrix) && command->arguments->tool.common.policy != KN_POLICY_FAST;
}

// Assumes that all allowed iterations are done: in both places, products with A and A^T and operations on
// vectors in memory, most of which the host's caches hold. Before that, one thread sorts the matrix and its
// transpose, and for a device also converts them to the formats that it measures. A ray meets two pixels in
// each line of the image; the host builds the matrix of rays, a device does not.
kn_work solve_work(const struct solve_command *command)
{
    const bool single = command->arguments->precision == SOLVE_PRECISION_FLOAT;
    const double rows = (double)command->rows, columns = (double)command->columns,
                 sides = (double)command->b.count, steps = (double)command->task.iterations * sides,
                 nonzeros = command->matrix ? (double)kn_sparse_get_nonzeros(command->matrix)
                                            : 2 * rows * (double)command->geometry.size,
                 number = single ? sizeof(float) : sizeof(double),
                 matrix = 2 * (sizeof(uint32_t) + number) * nonzeros,
                 step = matrix + number * (3 * rows + 8 * columns);

    return KN_INIT(kn_work, .host.bytes = 0.35 * steps * step, .host.prepared = 400 * nonzeros,
                   .device.bytes = steps * step, .device.prepared = (command->matrix ? 1000 : 10) * nonzeros,
                   .copied = matrix + number * sides * (rows + 2 * columns), .launches = 2 * steps,
                   .program = "operator/cgnr.cl", .programs = 7);
}

static kn_status settle_precision(struct solve_command *command, kn_error *err)
{
    static const kn_type types[] = {[SOLVE_PRECISION_FLOAT] = KN_F32, [SOLVE_PRECISION_DOUBLE] = KN_F64};
    const kn_device_info *device = &command->tool.place.device;
    int asked = command->arguments->precision;

    if (command->tool.place.queue && asked == SOLVE_PRECISION_DOUBLE && !device->fp64)
        return ki_fail(
            err, KN_ERROR_UNSUPPORTED,
            "%s (%s) has no double precision; use --precision float, or --device host, which has both",
            device->spec, device->name);
    command->task.type = types[asked];
    return KN_OK;
}

// Also of a place of another rank, which has its queue there.
static bool is_host(const struct place *place)
{
    return strcmp(place->device.spec, "host") == 0;
}

// Places that share the work compute in one precision; `auto` is refused if it could differ between them.
static kn_status settle_share(const struct solve_command *command, kn_error *err)
{
    const struct share *share = &command->tool.share;
    const struct place *first = share->places;

    for (size_t i = 0; i < share->count; i++) {
        const struct place *place = &share->places[i];

        if (command->arguments->precision == SOLVE_PRECISION_AUTO &&
            (is_host(place) != is_host(first) || place->device.fp64 != first->device.fp64))
            return ki_fail(err, KN_ERROR_ARGUMENT,
                           "%s and %s may differ in what --precision auto is; take float or double",
                           first->device.spec, place->device.spec);
        if (is_host(place) && solve_is_float_of_double(command))
            return ki_fail(err, KN_ERROR_ARGUMENT, "--precision float: the host has --method %s in double",
                           solve_method_names[command->task.method]);
        if (command->arguments->precision == SOLVE_PRECISION_DOUBLE && !place->device.fp64)
            return ki_fail(err, KN_ERROR_UNSUPPORTED, "%s (%s) has no double precision", place->device.spec,
                           place->device.name);
    }
    return KN_OK;
}

static kn_status open_host(struct solve_command *command, kn_error *err)
{
    const struct common_arguments *common = &command->arguments->tool.common;
    struct tool *tool = &command->tool;

    tool->seconds.build = tool->seconds.upload = tool->seconds.download = -1;
    return place_open_with("host", common->policy, false, common->command, &tool->place, err);
}

// If the user names no place and both can solve the problem: the one expected to finish first.
static kn_status open_sooner(struct solve_command *command, kn_error *err)
{
    const kn_work work = solve_work(command);
    struct place *place = &command->tool.place;
    kn_status status = tool_open(&command->tool, TOOL_DEVICE_OR_HOST, &work, err);

    if (status || !place->queue || place->device.fp64 ||
        command->arguments->precision == SOLVE_PRECISION_FLOAT)
        return status;
    place_close(place);
    status = open_host(command, err);
    snprintf(place->why, sizeof place->why, "the best device has no double precision");
    return status;
}

static bool all_have_double(const struct share *share)
{
    for (size_t i = 0; i < share->count; i++)
        if (!share->places[i].device.fp64)
            return false;
    return true;
}

// Under MPI: on the place of each rank that was named, or on its GPU; without one, or if one of them has no
// double precision, on the host, which has both precisions.
static kn_status open_rank(struct solve_command *command, bool on_host, bool named, kn_error *err)
{
    struct tool *tool = &command->tool;
    kn_status status = tool_open_rank(tool, on_host, solve_device_alone(command), err);

    if (status || on_host || named || solve_device_alone(command) || all_have_double(&tool->share) ||
        command->arguments->precision != SOLVE_PRECISION_AUTO)
        return status;
    share_close(&tool->share);
    return tool_open_rank(tool, true, false, err);
}

// Double precision is the default where it is available; devices compute the weights of rays in single
// precision.
kn_status solve_open(struct solve_command *command, kn_error *err)
{
    const struct solve_arguments *arguments = command->arguments;
    const struct common_arguments *common = &arguments->tool.common;
    const bool named = common->devices.count > 0 || ki_env_get(KI_ENV_DEVICE),
               device = solve_device_alone(command);
    const bool by_host = solve_host_alone(command) || arguments->precision == SOLVE_PRECISION_DOUBLE ||
                         (!named && arguments->precision == SOLVE_PRECISION_AUTO);
    kn_status status;

    if (common->ranks)
        status = open_rank(command, by_host && !device && !common->devices.count && !has_both(command), named,
                           err);
    else if (!named && has_both(command))
        status = open_sooner(command, err);
    else if (by_host && !device && !common->devices.count)
        status = open_host(command, err);
    else
        status = tool_open(&command->tool, device ? TOOL_DEVICE : TOOL_DEVICE_OR_HOST, NULL, err);
    if (!status && !command->tool.place.queue && solve_is_float_of_double(command))
        status = ki_fail(err, KN_ERROR_ARGUMENT,
                         "--precision float: there is no device, and the host computes --method %s only in "
                         "double precision",
                         solve_method_names[command->task.method]);
    if (!status)
        status = settle_share(command, err);
    return status ? status : settle_precision(command, err);
}
