// SPDX-License-Identifier: Apache-2.0
// koine phantom: the head phantom of Shepp and Logan, as an image or as k-space along a trajectory.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/inputs/mri_files.h"
#include "base/os/clock.h"
#include "base/error.h"
#include "io/array/volume.h"
#include "cli/choose.h"
#include "cli/commands.h"
#include "cli/recon/convention.h"
#include "cli/framework/interrupt.h"
#include "cli/framework/report.h"

struct phantom_arguments {
    struct common_arguments common;
    const char *out, *matrix, *kspace;
    size_t points;
    int unit;
};

#define FIELD(type, field) OPTION_FIELD(type, struct phantom_arguments, field)

static const struct option_row options[] = {
    {"out", 'o', FIELD(OPTION_PATH, out), .writes = true, .metavar = "OUT",
     .help = "write it here: a .cfl/.hdr pair, .npy, or for an image also .nii, .tif or .png"},
    {"matrix", 'm', FIELD(OPTION_PATH, matrix), .metavar = "NX,NY[,NZ]",
     .help = "number of voxels; with NZ in 3D"},
    {"kspace", 'k', FIELD(OPTION_PATH, kspace), .metavar = "TRAJ",
     .help = "write its k-space at the samples of this trajectory (.cfl/.hdr, .npy) instead of the image"},
    {"trajectory-unit", FIELD(OPTION_CHOICE, unit), .choices = convention_unit_names, .fallback = "fov",
     .help = "unit of k: cycles per field of view (up to N/2), radians per voxel (up to pi), or cycles per "
             "voxel (up to 1/2)"},
    {"points", FIELD(OPTION_COUNT, points), .metavar = "N", .fallback = "4",
     .help = "for the image: a voxel is the mean of N points along each axis"},
    {.name = NULL},
};

struct phantom {
    const struct phantom_arguments *arguments;
    kn_recon_matrix matrix;
    struct mri_trajectory trajectory;
    kn_recon_range range;
    struct npy out;
    double start;
    struct ki_json_seconds seconds;
};

static kn_status check_arguments(struct phantom *phantom, kn_error *err)
{
    const struct phantom_arguments *arguments = phantom->arguments;
    const struct common_arguments *common = &arguments->common;
    kn_status status = options_at_most(common, 0, err);

    if (!status)
        status = convention_matrix(arguments->matrix, &phantom->matrix, err);
    if (!status && !arguments->out)
        status = ki_fail(err, KN_ERROR_ARGUMENT, "expected -o OUT, for the result; try '%s --help'",
                         common->command);
    if (!status && !arguments->kspace && arguments->unit != KN_RECON_UNIT_FOV)
        status = ki_fail(err, KN_ERROR_ARGUMENT, "--trajectory-unit needs --kspace");
    if (!status)
        status = report_try(common, err);
    return status ? status
                  : volume_try(arguments->out, arguments->kspace ? VOLUME_ARRAY : VOLUME_IMAGE, common->force,
                               err);
}

// Memory for `count` results of `parts` doubles.
static kn_status allocate(struct npy *out, size_t count, size_t parts, kn_error *err)
{
    out->type = KN_F64;
    out->is_complex = parts == 2;
    out->count = count;
    out->data = calloc(count + 1, parts * sizeof(double));
    return out->data ? KN_OK : ki_fail_memory(err, count * parts * sizeof(double), "the phantom");
}

static kn_status make_image(struct phantom *phantom, kn_error *err)
{
    const kn_recon_matrix *matrix = &phantom->matrix;
    size_t voxels;
    kn_status status = convention_voxels(matrix, &voxels, err);

    if (!status)
        status = allocate(&phantom->out, voxels, 1, err);
    if (status)
        return status;
    phantom->out.dims = matrix->axes;
    for (size_t axis = 0; axis < matrix->axes; axis++)
        phantom->out.shape[matrix->axes - 1 - axis] = matrix->size[axis];
    phantom->seconds.read = -1;
    phantom->seconds.compute = ki_clock_seconds();
    status = ki_error_unname(
        kn_recon_phantom_image(matrix, phantom->arguments->points, phantom->out.data, err), err);
    phantom->seconds.compute = ki_clock_seconds() - phantom->seconds.compute;
    return status;
}

static kn_status make_kspace(struct phantom *phantom, kn_error *err)
{
    const struct phantom_arguments *arguments = phantom->arguments;
    struct mri_trajectory *trajectory = &phantom->trajectory;
    kn_status status = mri_trajectory_read(arguments->kspace, trajectory, err);

    phantom->seconds.read = ki_clock_seconds() - phantom->start;
    if (status)
        return status;
    if (trajectory->samples)
        status = kn_recon_trajectory_convert((kn_recon_unit)arguments->unit, &phantom->matrix,
                                             trajectory->samples, trajectory->k, err);
    if (status)
        return ki_error_unname(status, err);
    phantom->range = kn_recon_trajectory_get_range(trajectory->k, trajectory->samples);
    status = ki_error_unname(kn_recon_trajectory_check(arguments->kspace, &phantom->matrix, trajectory->k,
                                                       trajectory->samples, err),
                             err);
    if (!status)
        status = allocate(&phantom->out, trajectory->samples, 2, err);
    if (status)
        return status;
    if (arguments->unit == KN_RECON_UNIT_FOV)
        convention_doubt(&arguments->common, arguments->kspace, &phantom->matrix, &phantom->range);
    mri_data_shape(trajectory, &phantom->out);
    phantom->seconds.compute = ki_clock_seconds();
    if (trajectory->samples)
        status = kn_recon_phantom_kspace(&phantom->matrix, trajectory->k, trajectory->samples,
                                         phantom->out.data, err);
    phantom->seconds.compute = ki_clock_seconds() - phantom->seconds.compute;
    return ki_error_unname(status, err);
}

static kn_status write_result(const struct phantom *phantom, kn_error *err)
{
    const struct phantom_arguments *arguments = phantom->arguments;
    enum volume_kind kind = arguments->kspace ? VOLUME_ARRAY : VOLUME_IMAGE;
    kn_status status;

    interrupt_hold();
    status = volume_write(arguments->out, kind, &phantom->out, arguments->common.force, err);
    interrupt_release();
    return status;
}

static void print(const struct phantom *phantom)
{
    const struct phantom_arguments *arguments = phantom->arguments;
    const char *ending = strrchr(arguments->out, '.');
    const kn_recon_matrix *matrix = &phantom->matrix;

    printf("phantom: ");
    if (arguments->kspace)
        printf("%zu samples of %s, in the scale of a sum over ", phantom->out.count, arguments->kspace);
    convention_print_matrix(matrix);
    printf(" voxels");
    if (arguments->kspace) {
        printf(" of exp(-i 2 pi k.r)\n");
        convention_print_range(matrix, &phantom->range);
        return;
    }
    if (matrix->axes == 3 && ending && strcmp(ending, ".png") == 0)
        printf("; the picture is of slice %zu", matrix->size[2] / 2);
    printf("\n");
}

static kn_status report(const struct phantom *phantom, kn_error *err)
{
    const struct phantom_arguments *arguments = phantom->arguments;
    const struct common_arguments *common = &arguments->common;
    json_t *root, *shape = json_array();
    struct place host;

    if (report_shows_text(common) && strcmp(arguments->out, "-") != 0)
        print(phantom);
    place_host(&host);
    root = report_begin("phantom", &host.device, precision_names[PRECISION_DOUBLE],
                        policy_names[KN_POLICY_DEFAULT], &phantom->seconds);
    for (size_t i = 0; i < phantom->out.dims; i++)
        report_append(&shape, json_integer((json_int_t)phantom->out.shape[i]));
    report_put(&root, "kind", json_string(arguments->kspace ? "kspace" : "image"));
    report_put(&root, "shape", shape);
    convention_report(&root, &phantom->matrix, arguments->kspace ? &phantom->range : NULL);
    if (arguments->kspace)
        report_put(&root, "scale", json_string("none"));
    return report_write(root, common, err);
}

static kn_status run_phantom(void *given, kn_error *err)
{
    struct phantom phantom = {.arguments = given,
                              .start = ki_clock_seconds(),
                              .seconds = {.build = -1, .upload = -1, .download = -1}};
    kn_status status = check_arguments(&phantom, err);

    if (!status)
        status = phantom.arguments->kspace ? make_kspace(&phantom, err) : make_image(&phantom, err);
    if (!status)
        status = write_result(&phantom, err);
    phantom.seconds.total = ki_clock_seconds() - phantom.start;
    if (!status)
        status = report(&phantom, err);
    free(phantom.trajectory.k);
    npy_free(&phantom.out);
    return status;
}

const struct command command_phantom = {
    .name = "phantom",
    .summary = "Makes the Shepp-Logan head phantom, as an image or as the k-space of an MRI scan",
    .operands = NULL,
    .description =
        "The phantom has Toft's contrast, 0 to 1; with three sizes it is made of ellipsoids. It spans the "
        "field of view on every axis; voxel j of an axis of N is at r = (j - floor(N/2))/N. Rows run "
        "downwards, with the forehead at the top.\n\n"
        "--kspace computes the analytic Fourier transform of the ellipses at each sample, not that of "
        "voxels, in the scale of an unscaled sum over the voxels of the matrix with exp(-i 2 pi k.r): what "
        "'koine recon' inverts. A trajectory outside the band of the matrix is refused.\n\n"
        "A .npy holds float64 or complex128, with x the last dimension; a .cfl complex floats, [x, y, z] or "
        "[1, samples, spokes]; a .nii floats, voxels of 1 mm; a .tif floats, a page for each slice; a .png 8 "
        "bits, in 3D the middle slice.",
    .common = COMMON_JSON | COMMON_FORCE,
    .options = options,
    .examples = {{"koine phantom --matrix 256,256 -o phantom.png", "a picture of it"},
                 {"koine phantom --matrix 128,128 --kspace radial -o scan.cfl",
                  "what a scanner would measure along radial.cfl"}},
    .arguments_size = sizeof(struct phantom_arguments),
    .run = run_phantom,
};
