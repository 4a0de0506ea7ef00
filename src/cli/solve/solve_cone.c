// SPDX-License-Identifier: Apache-2.0
// koine solve cone:...: a volume by filtered back-projection, straight from its projections. It is no system
// of equations: nothing projects a volume, so that there is no residual.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/os/clock.h"
#include "cli/framework/interrupt.h"
#include "cli/framework/memory.h"
#include "cli/framework/report.h"
#include "cli/inputs/panels.h"
#include "cli/ranks/ranks.h"
#include "cmd_solve.h"
#include "io/array/volume.h"

struct cone {
    struct solve_command *command;
    kn_tomography_fbp_options options;
    kn_tomography_fbp_plan *plan;
    struct npy projections, volume;
    kn_buffer *projections_there, *volume_there;
};

// ---- before anything is computed ----

static kn_status try_request(const struct solve_command *command, kn_error *err)
{
    const struct tool_arguments *arguments = &command->arguments->tool;

    if (arguments->common.output)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "--output is for the plot of --sweep; use -o X for the volume");
    if (ranks_communicator(arguments->common.ranks))
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "cone:... is reconstructed by one process; start it without a launcher");
    return volume_try(arguments->out, VOLUME_IMAGE, arguments->common.force, err);
}

// What a file of angles is wrong about, is in the file.
static kn_status make_plan(struct cone *cone, kn_error *err)
{
    const char *angles = cone->command->arguments->rays.angles;
    kn_error why = KN_ERROR_INIT;
    kn_status status = kn_tomography_fbp_plan_create(
        cone->command->tool.place.queue, &cone->command->geometry, &cone->options, &cone->plan, &why);

    if (!ki_error_unname(status, &why))
        return KN_OK;
    if (status == KN_ERROR_ARGUMENT && angles)
        return ki_fail_at(err, KN_ERROR_INPUT, angles, 0, "%s", why.text);
    return ki_fail(err, status, "%s", why.text);
}

// With what the file of projections holds if it has the type.
static kn_status check_memory(const struct cone *cone, kn_error *err)
{
    const struct solve_command *command = cone->command;
    const kn_tomography_geometry *geometry = &command->geometry;
    const struct place *place = &command->tool.place;
    const size_t size = kn_type_size(cone->options.type),
                 arrays = size * (geometry->angles * geometry->lines * geometry->detectors +
                                  geometry->slices * geometry->size * geometry->size),
                 shared = !place->queue || place->device.type != KN_DEVICE_CPU ? 1 : 2;
    kn_sparse_memory memory;
    kn_status status;

    if (!command->arguments->tool.common.memory_limit)
        return KN_OK;
    status = ki_error_unname(
        kn_tomography_fbp_estimate_memory(place->queue, geometry, &cone->options, &memory, err), err);
    return status ? status
                  : memory_check(&command->arguments->tool.common,
                                 MEMORY_BESIDE + shared * arrays + memory.host +
                                     (shared == 2 ? memory.device : 0),
                                 "the volume", err);
}

// ---- computing ----

static kn_status read_panels(struct cone *cone, kn_error *err)
{
    struct tool *tool = &cone->command->tool;
    const kn_tomography_geometry *geometry = &cone->command->geometry;
    const size_t shape[3] = {geometry->angles, geometry->lines, geometry->detectors};
    kn_status status;

    tool->clock = ki_clock_seconds();
    status = panels_read(cone->command->arguments->tool.common.operands.items[1], shape, cone->options.type,
                         &cone->projections, err);
    tool->seconds.read += ki_clock_seconds() - tool->clock;
    return status;
}

static kn_status make_volume(struct cone *cone, kn_error *err)
{
    const kn_tomography_geometry *geometry = &cone->command->geometry;
    const size_t count = geometry->slices * geometry->size * geometry->size,
                 bytes = count * kn_type_size(cone->options.type);

    cone->volume = (struct npy){.type = cone->options.type,
                                .dims = 3,
                                .shape = {geometry->slices, geometry->size, geometry->size},
                                .count = count,
                                .data = malloc(bytes)};
    return cone->volume.data ? KN_OK : ki_fail_memory(err, bytes, "the volume");
}

static kn_status compute(struct cone *cone, kn_error *err)
{
    struct tool *tool = &cone->command->tool;
    kn_queue *queue = tool->place.queue;
    kn_status status = tool_upload(tool, &cone->projections, &cone->projections_there, err);

    if (!status && queue)
        status = kn_buffer_create(tool->place.context, cone->volume.count * sizeof(float),
                                  &cone->volume_there, err);
    if (status)
        return status;
    tool_compute(tool);
    status = queue ? kn_tomography_fbp_execute_buffers(cone->plan, cone->projections_there,
                                                       cone->volume_there, err)
                   : kn_tomography_fbp_execute(cone->plan, cone->projections.data, cone->volume.data, err);
    status = ki_error_unname(tool_computed(tool, status, err), err);
    return status ? status : tool_download(tool, cone->volume_there, &cone->volume, err);
}

static kn_status write_volume(const struct cone *cone, kn_error *err)
{
    const struct tool_arguments *arguments = &cone->command->arguments->tool;
    kn_status status;

    interrupt_hold();
    status = volume_write(arguments->out, VOLUME_IMAGE, &cone->volume, arguments->common.force, err);
    interrupt_release();
    return status;
}

// ---- reports ----

static void print(const struct cone *cone)
{
    const kn_tomography_geometry *geometry = &cone->command->geometry;

    printf("a volume of %zu x %zu x %zu voxels by filtered back-projection, filter %s, of %zu projections of "
           "%zu x %zu detectors, axis at %g, the panel %g behind and the source %g before it, in %s "
           "precision, ",
           geometry->size, geometry->size, geometry->slices, solve_filter_names[cone->options.filter],
           geometry->angles, geometry->lines, geometry->detectors, geometry_axis(geometry),
           geometry->detector_distance, geometry->source_distance,
           cone->options.type == KN_F32 ? "single" : "double");
    tool_print_place(&cone->command->tool);
}

static kn_status add_picture(const struct cone *cone, json_t **root, kn_error *err)
{
    const kn_tomography_geometry *geometry = &cone->command->geometry;
    const size_t pixels = geometry->size * geometry->size, first = geometry->slices / 2 * pixels;
    double *slice;

    if (!cone->command->arguments->tool.common.report)
        return KN_OK;
    slice = malloc(pixels * sizeof *slice);
    if (!slice)
        return ki_fail_memory(err, pixels * sizeof *slice, "a picture");
    for (size_t i = 0; i < pixels; i++)
        slice[i] = cone->options.type == KN_F32 ? (double)((const float *)cone->volume.data)[first + i]
                                                : ((const double *)cone->volume.data)[first + i];
    report_picture(root, &cone->command->arguments->tool.common, "The middle slice of the volume", slice,
                   geometry->size, geometry->size);
    free(slice);
    return KN_OK;
}

static json_t *json_of_geometry(const kn_tomography_geometry *geometry)
{
    json_t *object = json_object();

    report_put(&object, "angles", json_integer((json_int_t)geometry->angles));
    report_put(&object, "lines", json_integer((json_int_t)geometry->lines));
    report_put(&object, "detectors", json_integer((json_int_t)geometry->detectors));
    report_put(&object, "size", json_integer((json_int_t)geometry->size));
    report_put(&object, "slices", json_integer((json_int_t)geometry->slices));
    report_put(&object, "axis", ki_json_double(geometry_axis(geometry)));
    report_put(&object, "source", ki_json_double(geometry->source_distance));
    report_put(&object, "detector", ki_json_double(geometry->detector_distance));
    return object;
}

// What equations have, a residual, is null.
static kn_status report(struct cone *cone, kn_error *err)
{
    json_t *root = tool_report(&cone->command->tool, cone->options.type);

    report_put(&root, "geometry", json_of_geometry(&cone->command->geometry));
    report_put(&root, "method", json_string(solve_method_names[KN_LEAST_SQUARES_FBP]));
    report_put(&root, "filter", json_string(solve_filter_names[cone->options.filter]));
    report_put(&root, "iterations", json_integer(0));
    report_put(&root, "residual", json_null());
    report_put(&root, "normal_residual", json_null());
    report_put(&root, "history", json_array());
    report_put(&root, "stopped_by",
               json_string(kn_least_squares_stopped_name(KN_LEAST_SQUARES_STOPPED_DIRECT)));
    report_put(&root, "launches_per_iteration", json_null());
    if (add_picture(cone, &root, err)) {
        json_decref(root);
        return err->code;
    }
    return tool_report_write(&cone->command->tool, root, err);
}

static kn_status run(struct cone *cone, kn_error *err)
{
    kn_status status = check_memory(cone, err);

    if (!status)
        status = make_plan(cone, err);
    if (!status)
        status = read_panels(cone, err);
    if (!status && cone->command->arguments->tool.common.dry_run)
        return solve_dry_run_cone(cone->command, &cone->options, err);
    if (!status)
        status = make_volume(cone, err);
    if (!status)
        status = compute(cone, err);
    if (!status)
        status = write_volume(cone, err);
    if (!status && tool_shows_text(&cone->command->tool))
        print(cone);
    return status ? status : report(cone, err);
}

kn_status solve_cone(struct solve_command *command, kn_error *err)
{
    struct solve_arguments *arguments = command->arguments;
    struct cone cone = {.command = command};
    kn_status status = try_request(command, err);

    arguments->rays.takes_cones = true;
    command->tool.shares = false;
    if (!status)
        status = geometry_read(arguments->tool.common.operands.items[0], &arguments->rays, &command->geometry,
                               &command->theta, err);
    if (!status)
        status = solve_open(command, err);
    if (status)
        return status;
    cone.options = KN_INIT(kn_tomography_fbp_options, .filter = command->task.filter,
                           .type = command->task.type          ? command->task.type
                                   : command->tool.place.queue ? KN_F32
                                                               : KN_F64);
    status = run(&cone, err);
    kn_tomography_fbp_plan_free(cone.plan);
    kn_buffer_free(cone.projections_there);
    kn_buffer_free(cone.volume_there);
    npy_free(&cone.projections);
    npy_free(&cone.volume);
    return status;
}
