// SPDX-License-Identifier: Apache-2.0
// koine solve --dry-run: what the run would take.
#include <string.h>

#include "base/error.h"
#include "cli/dry_run.h"
#include "cli/framework/report.h"
#include "cmd_solve.h"

// Back-projection visits every pixel, or voxel, for every projection; the operations for each are as
// measured, with the filter and the residual.
static kn_work work_of_projection(const struct solve_command *command)
{
    const kn_tomography_geometry *geometry = &command->geometry;
    const bool cone = geometry->beam == KN_TOMOGRAPHY_CONE;
    const double on_host = cone ? 170 : 100, on_device = cone ? 50 : 30,
                 sides = cone ? 1 : (double)command->b.count, angles = (double)geometry->angles,
                 seen = angles * (double)geometry->detectors * (cone ? (double)geometry->lines : 1),
                 pixels =
                     (double)geometry->size * (double)geometry->size * (cone ? (double)geometry->slices : 1),
                 visits = sides * angles * pixels;

    return KN_INIT(kn_work, .host.operations = on_host * visits, .device.operations = on_device * visits,
                   .copied = sizeof(float) * sides * (seen + pixels), .launches = 8 * sides,
                   .program = cone ? "app/sparse/sparse_cone.cl" : "app/sparse/sparse_parallel.cl",
                   .programs = 3);
}

// Factors depend on how the columns of A overlap, which the model does not know. The points of an L-curve
// take as long as a solution each.
static void add_work(const struct solve_command *command, struct dry_run *plan)
{
    const bool lcurve = command->arguments->lambda_by == SOLVE_LAMBDA_BY_LCURVE;
    const kn_work work =
        command->task.method == KN_LEAST_SQUARES_FBP ? work_of_projection(command) : solve_work(command);

    for (int i = 0; i <= (lcurve ? SOLVE_LCURVE_POINTS : 0); i++)
        dry_run_work(plan, command->task.method == KN_LEAST_SQUARES_GRAM ? NULL : &work);
}

static bool is_double(const struct solve_command *command)
{
    const struct place *place = &command->tool.place;

    if (command->arguments->precision != SOLVE_PRECISION_AUTO)
        return command->arguments->precision == SOLVE_PRECISION_DOUBLE;
    return !place->queue || (place->device.fp64 && command->matrix && !solve_single_alone(&command->task));
}

// Text is held as a whole before it is written: the numbers of a .mtx, and the JSON's of each column, which
// are a tree before.
static size_t bytes_of_output(const struct solve_command *command)
{
    enum { NUMBER = 64, IN_TREE = 128, COLUMN = 4096 };
    const struct common_arguments *common = &command->arguments->tool.common;
    const char *ending = strrchr(command->arguments->tool.out, '.');
    const size_t text = ending && strcmp(ending, ".mtx") == 0 ? NUMBER * command->x.rows : 0,
                 json = report_wanted(common) ? COLUMN + IN_TREE * (command->task.iterations + 1) : 0;

    return command->x.count * (text + json);
}

kn_status solve_dry_run(const struct solve_command *command, kn_error *err)
{
    const struct tool *tool = &command->tool;
    const struct npy columns = {.type = KN_F64, .dims = 2, .shape = {command->x.rows, command->x.count}},
                     solutions = solve_is_volume(command) ? solve_volume(command) : columns;
    struct dry_run plan;
    kn_sparse_memory memory;
    kn_status status = solve_measure(command, &memory, err);

    if (status)
        return status;
    dry_run_begin(&plan, &tool->arguments->common, &tool->place, &tool->share, tool->seconds.read);
    plan.precision = precision_names[is_double(command) ? PRECISION_DOUBLE : PRECISION_FLOAT];
    dry_run_memory(&plan, memory.host + bytes_of_output(command), memory.device);
    add_work(command, &plan);
    dry_run_array(&plan, tool->arguments->out, &solutions);
    return dry_run_tell(&plan, err);
}

kn_status solve_dry_run_cone(const struct solve_command *command, const kn_tomography_fbp_options *options,
                             kn_error *err)
{
    const struct tool *tool = &command->tool;
    const kn_tomography_geometry *geometry = &command->geometry;
    const size_t voxels = geometry->slices * geometry->size * geometry->size,
                 panels = geometry->angles * geometry->lines * geometry->detectors;
    const struct npy volume = {
        .type = options->type, .dims = 3, .shape = {geometry->slices, geometry->size, geometry->size}};
    const kn_work work = work_of_projection(command);
    struct dry_run plan;
    kn_sparse_memory memory;
    kn_status status = ki_error_unname(
        kn_tomography_fbp_estimate_memory(tool->place.queue, geometry, options, &memory, err), err);

    if (status)
        return status;
    dry_run_begin(&plan, &tool->arguments->common, &tool->place, &tool->share, tool->seconds.read);
    plan.precision = kn_type_name(options->type);
    dry_run_memory(&plan, memory.host + voxels * kn_type_size(options->type),
                   tool->place.queue ? memory.device + (voxels + panels) * sizeof(float) : 0);
    dry_run_work(&plan, &work);
    dry_run_array(&plan, tool->arguments->out, &volume);
    return dry_run_tell(&plan, err);
}
