// SPDX-License-Identifier: Apache-2.0
// koine project: a picture's sinogram with parallel rays or a fan's, or the backprojection of a sinogram.
#include <stdio.h>
#include <stdlib.h>

#include "base/os/clock.h"
#include "base/error.h"
#include "io/array/volume.h"
#include "cli/commands.h"
#include "cli/framework/interrupt.h"
#include "cli/framework/report.h"
#include "cli/inputs/plane.h"
#include "cli/inputs/tomography_files.h"
#include "cli/tool.h"
#include "tools/project/project.h"

struct project_arguments {
    struct tool_arguments tool;
    struct geometry_options rays;
    bool transposed;
    int format;
};

#define FIELD(type, field) OPTION_FIELD(type, struct project_arguments, field)

static const struct option_row options[] = {
    {"out", 'o', FIELD(OPTION_PATH, tool.out), .writes = true, .metavar = "FILE",
     .help = "write the sinogram (or with --transpose the picture) here: .npy, .png, .nii, .tif or .cfl"},
    {"transpose", FIELD(OPTION_FLAG, transposed),
     .help = "backproject a sinogram to a picture, by the exact transpose"},
    {"angles", FIELD(OPTION_PATH, rays.angles), .metavar = "FILE",
     .help =
         "the angle of each projection in degrees, in a .npy, a .mtx or a column of text (default: evenly "
         "over 180 degrees, for a fan over 360)"},
    {"offset", FIELD(OPTION_PATH, rays.offset), .metavar = "PIXELS",
     .help = "shift the line of detectors by so many of them, relative to the axis of rotation (default: 0)"},
    {"detector", FIELD(OPTION_PATH, rays.detector), .metavar = "flat|curved", .choices = geometry_detectors,
     .help = "of a fan: detectors are a line, or an arc around the source (default: flat)"},
    {"format", FIELD(OPTION_CHOICE, format), .metavar = "NAME", .choices = sparse_format_names,
     .fallback = "auto",
     .help = "on a device: on-the-fly, on-the-fly+local-memory (auto: the faster one), or a format of a "
             "stored matrix: see koine spmv"},
    {.name = NULL},
};

struct project {
    const struct project_arguments *arguments;
    struct tool tool;
    struct projection projection;
    size_t from_height, from_width, to_height, to_width;
    double *theta, *from, *to;
};

static kn_status read_input(struct project *project, kn_error *err)
{
    const char *const *operands = project->arguments->tool.common.operands.items;
    kn_tomography_geometry *geometry = &project->projection.geometry;
    bool transposed = project->arguments->transposed;
    kn_status status = geometry_read(operands[0], &project->arguments->rays, geometry, &project->theta, err);

    if (status)
        return status;
    project->projection.adjoint = transposed;
    project->projection.format = (kn_sparse_format)project->arguments->format;
    project->from_height = transposed ? geometry->angles : geometry->size;
    project->from_width = transposed ? geometry->detectors : geometry->size;
    project->to_height = transposed ? geometry->size : geometry->angles;
    project->to_width = transposed ? geometry->size : geometry->detectors;
    project->tool.clock = ki_clock_seconds();
    status = sparse_read_plane(operands[1], project->from_height, project->from_width, &project->from, err);
    project->tool.seconds.read = ki_clock_seconds() - project->tool.clock;
    return status;
}

// A ray crosses some 1.5 pixels in each row of the picture; formats imply a device.
static kn_status open_place(struct project *project, kn_error *err)
{
    const kn_tomography_geometry *geometry = &project->projection.geometry;
    const double rays = (double)geometry->angles * (double)geometry->detectors,
                 pixels = (double)geometry->size * (double)geometry->size,
                 crossed = 1.5 * rays * (double)geometry->size;
    const kn_work work = KN_INIT(kn_work, .host.bytes = 6 * crossed, .device.bytes = 30 * crossed,
                                 .copied = (rays + pixels) * sizeof(float),
                                 .program = "app/sparse/sparse_parallel.cl", .programs = 1);

    return tool_open(&project->tool, TOOL_DEVICE_OR_HOST,
                     project->arguments->format == KN_SPARSE_AUTO ? &work : NULL, err);
}

static kn_status compute(struct project *project, kn_error *err)
{
    size_t bytes = project->to_height * project->to_width * sizeof *project->to;
    kn_status status;

    project->to = malloc(bytes);
    if (!project->to)
        return ki_fail_memory(err, bytes, "the result");
    tool_compute(&project->tool);
    status = project_apply(project->tool.place.queue, &project->projection, project->from, project->to, err);
    return tool_computed(&project->tool, status, err);
}

static kn_status write_output(struct project *project, kn_error *err)
{
    const struct tool_arguments *arguments = &project->arguments->tool;
    struct npy array = {.type = KN_F64,
                        .dims = 2,
                        .shape = {project->to_height, project->to_width},
                        .count = project->to_height * project->to_width,
                        .data = project->to};
    kn_status status;

    interrupt_hold();
    status = volume_write(arguments->out, VOLUME_IMAGE, &array, arguments->common.force, err);
    interrupt_release();
    return status;
}

// ---- reports ----

static void print(const struct project *project)
{
    const kn_tomography_geometry *geometry = &project->projection.geometry;

    printf("%s of %zu x %zu pixels, %zu projections of %zu detectors, axis at %g, ",
           project->projection.adjoint ? "the transpose" : "a sinogram", geometry->size, geometry->size,
           geometry->angles, geometry->detectors, geometry_axis(geometry));
    if (geometry->beam != KN_TOMOGRAPHY_PARALLEL)
        printf("%s detectors %g behind and the source %g before it, ", geometry_shape(geometry),
               geometry->detector_distance, geometry->source_distance);
    printf("%s ", kn_sparse_format_name(project->projection.format));
    tool_print_place(&project->tool);
}

static kn_status report(struct project *project, kn_error *err)
{
    const kn_tomography_geometry *geometry = &project->projection.geometry;
    json_t *root = tool_report(&project->tool, project->tool.place.queue ? KN_F32 : KN_F64),
           *shape = json_object();

    report_put(&shape, "angles", json_integer((json_int_t)geometry->angles));
    report_put(&shape, "detectors", json_integer((json_int_t)geometry->detectors));
    report_put(&shape, "size", json_integer((json_int_t)geometry->size));
    report_put(&shape, "axis", ki_json_double(geometry_axis(geometry)));
    if (geometry->beam != KN_TOMOGRAPHY_PARALLEL) {
        report_put(&shape, "source", ki_json_double(geometry->source_distance));
        report_put(&shape, "detector", ki_json_double(geometry->detector_distance));
        report_put(&shape, "shape", json_string(geometry_shape(geometry)));
    }
    report_put(&root, "geometry", shape);
    report_put(&root, "transposed", json_boolean(project->projection.adjoint));
    report_put(&root, "format", json_string(kn_sparse_format_name(project->projection.format)));
    report_put(&root, "why", report_text(ki_text_string(&project->projection.why)));
    return tool_report_write(&project->tool, root, err);
}

static kn_status run_project(void *given, kn_error *err)
{
    const struct project_arguments *arguments = given;
    struct project project = {.arguments = arguments, .projection = {.why = KI_TEXT_INIT}};
    kn_status status = tool_begin(&project.tool, &arguments->tool, 2,
                                  "a geometry (parallel:ANGLES,DETECTORS,SIZE[,AXIS] or "
                                  "fan:ANGLES,DETECTORS,SIZE,SOURCE,DETECTOR[,AXIS]) and an image",
                                  true, err);

    if (!status)
        status = volume_try(arguments->tool.out, VOLUME_IMAGE, arguments->tool.common.force, err);
    if (!status)
        status = read_input(&project, err);
    if (!status)
        status = open_place(&project, err);
    if (!status)
        status = compute(&project, err);
    if (!status)
        status = write_output(&project, err);
    if (!status && tool_shows_text(&project.tool))
        print(&project);
    if (!status)
        status = report(&project, err);
    free(project.theta);
    free(project.from);
    free(project.to);
    ki_text_free(&project.projection.why);
    tool_end(&project.tool);
    return status;
}

const struct command command_project = {
    .name = "project",
    .summary = "Projects a picture with parallel or fan beams, or backprojects a sinogram, by the exact "
               "transpose",
    .operands = "parallel:...|fan:... IMAGE",
    .description =
        "The geometry is parallel:ANGLES,DETECTORS,SIZE[,AXIS] or "
        "fan:ANGLES,DETECTORS,SIZE,SOURCE,DETECTOR[,AXIS]. The picture has SIZE x SIZE pixels of side 1, "
        "detectors are 1 apart, and projection t is at 180 t / ANGLES degrees, or where --angles says. AXIS "
        "is the detector, counted from 0, at the axis of rotation, the middle of the picture (default: "
        "(DETECTORS - 1) / 2, less --offset). Projection 0 sums the columns; towards 90 degrees detectors go "
        "from the first line to the last. Sums are Joseph's: interpolated between the two nearest pixels of "
        "each line or column that a ray crosses.\n\n"
        "With fan:... rays start at a source. SOURCE and DETECTOR are the distances from the axis of "
        "rotation to the source and to the detectors, in pixels; projections are at 360 t / ANGLES degrees. "
        "At 0 degrees the source is below the picture, the detectors above it, from left to right; at 90 "
        "degrees the source is at the left. AXIS is the detector that the ray through the axis meets. The "
        "source is outside of the circle around the picture, at least (SIZE + 1) / sqrt(2) away; detectors "
        "may be in the picture, where rays do not end. A device stores 20 bytes for each ray.\n\n"
        "IMAGE is a .npy of SIZE x SIZE (with --transpose ANGLES x DETECTORS) numbers, or a grey PNG or "
        "TIFF. Rays are computed from the geometry: in single precision on a device, in double precision on "
        "the host (--device host). Files are float64; a .png shows magnitudes, the greatest white.",
    .common = COMMON_DEVICE | COMMON_JSON | COMMON_FORCE,
    .options = options,
    .examples = {{"koine project parallel:180,256,256 phantom.png -o sinogram.npy",
                  "180 projections of a picture"},
                 {"koine project parallel:180,256,256 sinogram.npy --transpose -o smeared.png",
                  "its unfiltered backprojection"}},
    .arguments_size = sizeof(struct project_arguments),
    .run = run_project,
};
