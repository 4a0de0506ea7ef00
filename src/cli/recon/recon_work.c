// SPDX-License-Identifier: Apache-2.0
// koine recon: its work for the cost model, which chooses the place and, with --dry-run, states the time.
#include <math.h>

#include "cmd_recon.h"

// ---- before the method is chosen ----

// Transforms of the matrix: one for each coil, and two for each coil in each iteration.
static kn_work cartesian_work(const struct recon_run *run)
{
    const double voxels = (double)run->scan.voxels, each = 5 * voxels * log2(voxels + 1), passes = 6,
                 pair = 2 * sizeof(float);
    const double transforms =
        (double)run->scan.coils *
        (run->options.method == KN_RECON_METHOD_LEAST_SQUARES ? 1 + 2 * (double)run->options.iterations : 1);

    return KN_INIT(kn_work, .host = {2 * passes * pair * voxels * transforms, each * transforms, 0},
                   .device = {passes * pair * voxels * transforms, each * transforms, 0},
                   .launches = 4 * transforms);
}

kn_work recon_work(const struct recon_run *run, bool cartesian)
{
    const struct mri_scan *scan = &run->scan;
    const double pairs = (double)scan->samples * (double)scan->voxels,
                 grid = (double)(1U << scan->matrix.axes); // of Q, in voxels
    const double sums = run->options.method != KN_RECON_METHOD_LEAST_SQUARES ? 1
                        : run->options.normal == KN_RECON_NORMAL_FORWARD
                            ? 1 + 2 * (double)run->options.iterations
                            : 1 + grid;
    // 16 operations for each pair of a sample and a voxel.
    kn_work work = cartesian ? cartesian_work(run)
                             : KN_INIT(kn_work, .host.operations = 16 * sums * pairs,
                                       .device.operations = 16 * sums * pairs);

    work.copied = (double)scan->coils * (double)(scan->samples + scan->voxels) * 2 * sizeof(float);
    work.program = cartesian ? "app/mri/mri_gridding.cl" : "app/mri/mri_fhd.cl";
    work.programs = run->options.method == KN_RECON_METHOD_LEAST_SQUARES ? 8 : 2;
    return work;
}

// ---- afterwards ----

static const double pair = 2 * sizeof(float);

// `count` Fourier transforms of so many cells, with what is done around each.
static void add_transforms(kn_work *work, double cells, double count)
{
    const double passes = 6, operations = 5 * cells * log2(cells + 1) * count;

    work->host.bytes += 2 * passes * pair * cells * count;
    work->device.bytes += passes * pair * cells * count;
    work->host.operations += operations;
    work->device.operations += operations;
    work->launches += 4 * count;
}

// `count` sums over all samples, for so many voxels: the operations of a term as in the library's choice.
static void add_sums(kn_work *work, const struct recon_run *run, double voxels, double count)
{
    const double samples = (double)run->scan.samples, grid = (double)(1U << run->scan.matrix.axes);
    const bool gridded =
        run->options.method == KN_RECON_METHOD_GRIDDING || run->options.adjoint == KN_RECON_ADJOINT_NUFFT;
    double operations = 16 * samples * voxels * count;

    if (run->options.adjoint == KN_RECON_ADJOINT_CARTESIAN) {
        add_transforms(work, voxels, count);
        return;
    }
    if (gridded) {
        const double width = 6, touched = pow(width, (double)run->scan.matrix.axes);

        operations = samples * (4 * touched + 24 * width * (double)run->scan.matrix.axes) * count;
        add_transforms(work, grid * voxels, count);
    } else if (run->options.adjoint == KN_RECON_ADJOINT_SEPARABLE) {
        operations /= 4;
    }
    work->host.operations += operations;
    work->device.operations += operations;
    work->launches += count;
}

// ESPIRiT's matrix has as many rows as coils times the points of its patches; its eigenvectors, and those of
// each voxel's coils, are found by few threads.
static void add_maps(kn_work *work, const struct recon_run *run)
{
    const double coils = (double)run->scan.coils, patch = 6,
                 rows = coils * pow(patch, (double)run->scan.matrix.axes);

    if (run->options.sense != KN_RECON_SENSE_ESPIRIT)
        return;
    work->host.prepared += 10 * pow(rows, 3) + 100 * (double)run->scan.voxels * coils * coils;
    work->device.prepared = work->host.prepared;
}

kn_work recon_work_settled(const struct recon_run *run)
{
    const kn_recon_solve_options *options = &run->options;
    const double voxels = (double)run->scan.voxels, coils = (double)run->scan.coils,
                 grid = (double)(1U << run->scan.matrix.axes),
                 products = (double)options->iterations * (recon_is_joint(run) ? coils : 1);
    const bool least = options->method == KN_RECON_METHOD_LEAST_SQUARES,
               forward = least && options->normal == KN_RECON_NORMAL_FORWARD,
               cartesian = options->adjoint == KN_RECON_ADJOINT_CARTESIAN;
    const kn_work before = recon_work(run, cartesian);
    kn_work work =
        KN_INIT(kn_work, .copied = before.copied, .program = before.program, .programs = before.programs);

    add_sums(&work, run, voxels, coils);
    if (forward)
        add_sums(&work, run, voxels, 2 * products);
    else if (least && !cartesian && !run->extras.load_q)
        add_sums(&work, run, grid / 2 * voxels, 1); // Q, of which a half is computed
    if (least && !forward)
        add_transforms(&work, cartesian ? voxels : grid * voxels, 2 * products);
    if (options->kernel == KN_RECON_KERNEL_HOST_DOUBLE)
        work.host.operations *= 2.7; // as measured; the rate is of single precision
    add_maps(&work, run);
    return work;
}
