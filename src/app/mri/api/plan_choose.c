// SPDX-License-Identifier: Apache-2.0
// The kernels of koine/recon.h by their numbers; and the choice of the adjoint's method if the caller does
// not name one: for samples on the grid, their Fourier transform; otherwise a direct sum or a product of
// matrices (sum.h), whichever is faster according to the cost model. If the caller gives a tolerance, a
// NUFFT, which is exact only to that tolerance, is another candidate.
#include <math.h>
#include <stdio.h>

#include <koine/experimental/cost.h>

#include "base/error.h"
#include "engine/cost/crossovers.h"
#include "engine/engine.h"
#include "app/mri/cartesian.h"
#include "app/mri/gridding/gridding_internal.h"
#include "plan_internal.h"

// ---- kernels and their numbers ----

static const enum mri_kernel kernels[] = {
    [KN_RECON_KERNEL_NAIVE] = MRI_NAIVE,
    [KN_RECON_KERNEL_REGISTER] = MRI_REGISTER,
    [KN_RECON_KERNEL_COALESCED] = MRI_COALESCED,
    [KN_RECON_KERNEL_CONSTANT] = MRI_CONSTANT,
    [KN_RECON_KERNEL_CONSTANT_STRUCT] = MRI_CONSTANT_STRUCT,
    [KN_RECON_KERNEL_FAST_TRIG] = MRI_FAST_TRIG,
    [KN_RECON_KERNEL_TUNED] = MRI_TUNED,
    [KN_RECON_KERNEL_HOST_DOUBLE] = MRI_HOST_DOUBLE,
    [KN_RECON_KERNEL_HOST_SINGLE] = MRI_HOST_SINGLE,
};

enum mri_kernel ki_recon_kernel(const kn_queue *queue, kn_recon_kernel given)
{
    if (given == KN_RECON_KERNEL_AUTO)
        return queue ? MRI_TUNED : MRI_HOST_DOUBLE;
    return kernels[given];
}

kn_recon_kernel ki_recon_public_kernel(enum mri_kernel kernel)
{
    kn_recon_kernel found = KN_RECON_KERNEL_NAIVE;

    while (kernels[found] != mri_kernel_direct(kernel))
        found++;
    return found;
}

kn_recon_adjoint_method ki_recon_public_adjoint(enum mri_kernel kernel)
{
    return mri_kernel_is_cartesian(kernel)   ? KN_RECON_ADJOINT_CARTESIAN
           : mri_kernel_is_nufft(kernel)     ? KN_RECON_ADJOINT_NUFFT
           : mri_kernel_is_separable(kernel) ? KN_RECON_ADJOINT_SEPARABLE
                                             : KN_RECON_ADJOINT_DIRECT;
}

// ---- the choice ----

// Operations for a sine and a cosine, and for a voxel with a sample in the direct sum.
static const double trig = 20, direct = 16;

static double rounded_up(double count, double whole)
{
    return ceil(count / whole) * whole;
}

// Operations for a sample with columns of voxels along x, in tiles of pairs and columns: 8 per pair and
// column, and those of the factors.
static double product_of(double along, double columns, double tile_x, double tile_columns, double block)
{
    double pairs = rounded_up(ceil(along / 2), tile_x), all = rounded_up(columns, tile_columns);

    return 8 * pairs * all + trig * pairs * ceil(columns / block) + trig * all * ceil(pairs / tile_x);
}

// Adds the work of a grid with `columns` columns of `along` voxels.
static void add_work(kn_work *work, const struct recon_adjoint *asked, bool separable, double along,
                     double columns)
{
    enum { HOST_PAIRS = 6, HOST_COLUMNS = 16, HOST_BLOCK = 64 };
    double samples = (double)asked->samples;

    if (!separable) {
        work->host.operations += direct * samples * along * columns;
        work->device.operations += direct * samples * along * columns;
        return;
    }
    work->host.operations += samples * product_of(along, columns, HOST_PAIRS, HOST_COLUMNS, HOST_BLOCK);
    if (asked->queue) {
        const struct mri_product tile = ki_mri_product_usual(asked->queue, (size_t)along, (size_t)columns);

        work->device.operations +=
            samples * product_of(along, columns, tile.tile_x, tile.tile_columns, tile.tile_columns);
    }
}

// Adds the work of a NUFFT's adjoint for an image of this size.
static void add_transform(kn_work *work, const struct recon_adjoint *asked, const double size[MRI_AXES])
{
    // Reads and writes of a transform and of the steps around it; cells of the tiles to which a GPU adds a
    // sample.
    enum { PASSES = 10, TILES = 4096 };
    const double oversampling = 2, pair = 2 * sizeof(float), window = 24; // operations per term
    double width = ki_gridding_width(asked->tolerance, oversampling), cells = 1, spread = 1, axes = 0,
           touched;

    for (size_t axis = 0; axis < MRI_AXES; axis++) {
        bool has_grid = size[axis] > 1;

        cells *= has_grid ? oversampling * size[axis] : 1;
        spread *= has_grid ? width : 1;
        axes += has_grid;
    }
    touched = asked->queue && !engine_is_cpu(&asked->queue->context->device.info) ? TILES : spread;
    work->host.operations +=
        (double)asked->samples * (4 * spread + axes * window * width) + 10 * cells * log2(cells + 1);
    work->device.operations +=
        (double)asked->samples * (4 * touched + axes * window * width) + 10 * cells * log2(cells + 1);
    work->host.bytes += PASSES * 2 * pair * cells;
    work->device.bytes += PASSES * pair * cells;
}

enum way { DIRECT, SEPARABLE, NUFFT, WAYS };

// The seconds for the adjoint, and for Q, which is half of a grid of twice the size.
static double estimate(const struct recon_adjoint *asked, bool on_host, enum way way)
{
    const size_t *size = asked->matrix.size;
    double once[MRI_AXES], doubled[MRI_AXES];
    kn_work work = KN_INIT(kn_work, .launches = 2);
    kn_cost cost = {.compute = 0};

    for (size_t axis = 0; axis < MRI_AXES; axis++) {
        once[axis] = (double)size[axis];
        doubled[axis] = size[axis] > 1 ? 2 * (double)size[axis] : 1;
    }
    if (way == NUFFT) {
        add_transform(&work, asked, once);
        if (asked->has_q)
            add_transform(&work, asked, doubled);
    } else {
        add_work(&work, asked, way == SEPARABLE, once[0], once[1] * once[2]);
        if (asked->has_q)
            add_work(&work, asked, way == SEPARABLE, doubled[0], ceil(doubled[1] * doubled[2] / 2));
    }
    // It cannot fail with these arguments.
    (void)kn_cost_estimate(&work, on_host ? NULL : &asked->queue->context->device.info, &cost, NULL);
    return cost.compute;
}

static kn_status refuse(const char *what, const char *kernel, kn_error *err)
{
    return ki_fail(err, KN_ERROR_ARGUMENT,
                   "the adjoint as a product of matrices%s %s; take KN_RECON_ADJOINT_DIRECT, or %s", what,
                   kernel, *kernel ? "the kernel tuned, host-double or host-single" : "no positions");
}

static kn_status check_tolerance(double tolerance, enum mri_kernel kernel, kn_error *err)
{
    double least = MRI_NUFFT_LEAST(mri_kernel_is_double(kernel));

    // Refuses NaN, too.
    if (tolerance >= least && tolerance <= MRI_NUFFT_MOST)
        return KN_OK;
    return ki_fail(err, KN_ERROR_ARGUMENT,
                   "a NUFFT's tolerance of %g; expected %g to %g with the kernel %s, or another method",
                   tolerance, least, MRI_NUFFT_MOST, ki_mri_kernel_names[mri_kernel_direct(kernel)]);
}

static kn_status choose_nufft(const struct recon_adjoint *asked, bool has_product, enum mri_kernel *kernel,
                              char *why, kn_error *err)
{
    double tolerance = asked->tolerance != 0 ? asked->tolerance : MRI_NUFFT_USUAL;

    if (asked->has_positions)
        return ki_fail(err, KN_ERROR_ARGUMENT, "a NUFFT is of voxels on a grid; give no positions");
    if (!has_product)
        return ki_fail(
            err, KN_ERROR_ARGUMENT,
            "a NUFFT is not one of the kernel %s; take the kernel tuned, host-double or host-single",
            ki_mri_kernel_names[*kernel]);
    if (check_tolerance(tolerance, *kernel, err))
        return KN_ERROR_ARGUMENT;
    *kernel = mri_kernel_nufft(*kernel);
    snprintf(why, KN_RECON_WHY, "nufft: asked for, to %g", tolerance);
    return KN_OK;
}

static kn_status choose_named(const struct recon_adjoint *asked, bool has_product, enum mri_kernel *kernel,
                              char *why, kn_error *err)
{
    bool separable = asked->method == KN_RECON_ADJOINT_SEPARABLE;

    if (separable && asked->has_positions)
        return refuse(" has no positions of its own", "", err);
    if (separable && !has_product)
        return refuse(" is not one of the kernel", ki_mri_kernel_names[*kernel], err);
    if (separable)
        *kernel = mri_kernel_separable(*kernel);
    snprintf(why, KN_RECON_WHY, "%s: asked for", separable ? "separable" : "direct");
    return KN_OK;
}

// For samples on the grid; checks them if k is known.
static kn_status choose_cartesian(const struct recon_adjoint *asked, bool has_product,
                                  enum mri_kernel *kernel, char *why, kn_error *err)
{
    size_t which = 0;

    if (asked->has_positions)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "a Fourier transform is of voxels on a grid; give no positions");
    if (!has_product)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "KN_RECON_ADJOINT_CARTESIAN is not one of the kernel %s; take the kernel tuned, "
                       "host-double or host-single",
                       ki_mri_kernel_names[*kernel]);
    if (asked->k && isinf(ki_mri_off_grid(&asked->matrix, asked->k, asked->samples, &which)))
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "sample %zu at %g, %g, %g is not on the grid of whole cycles per field of view, as "
                       "KN_RECON_ADJOINT_CARTESIAN asks for; take another method",
                       which, asked->k[MRI_AXES * which], asked->k[MRI_AXES * which + 1],
                       asked->k[MRI_AXES * which + 2]);
    *kernel = mri_kernel_cartesian(*kernel);
    snprintf(why, KN_RECON_WHY, "cartesian: asked for");
    return KN_OK;
}

static bool is_on_grid(const struct recon_adjoint *asked)
{
    return asked->k && isfinite(ki_mri_off_grid(&asked->matrix, asked->k, asked->samples, NULL));
}

// A grid of twice the matrix, or of four times for Q, must fit in one allocation of the device.
static bool has_room(const struct recon_adjoint *asked)
{
    double bytes = 2 * sizeof(float);

    for (size_t axis = 0; axis < MRI_AXES; axis++)
        bytes *=
            asked->matrix.size[axis] > 1 ? (asked->has_q ? 5.0 : 2.5) * (double)asked->matrix.size[axis] : 1;
    return !asked->queue || bytes <= (double)asked->queue->context->device.info.max_alloc;
}

// Takes the method with the least estimated time.
static void choose_fastest(const struct recon_adjoint *asked, enum mri_kernel *kernel, char *why)
{
    static const char *const names[WAYS] = {"direct", "separable", "nufft"};
    bool on_host = mri_kernel_is_host(*kernel),
         may[WAYS] = {true, true, asked->tolerance != 0 && has_room(asked)};
    const enum mri_kernel kernels_of[WAYS] = {*kernel, mri_kernel_separable(*kernel),
                                              mri_kernel_nufft(*kernel)};
    double seconds[WAYS];
    enum way best = DIRECT;
    size_t at;

    may[SEPARABLE] =
        on_host || ki_engine_crossover(asked->queue->context, CROSSOVER_MRI_SEPARABLE) != CROSSOVER_NEVER;
    if (!may[SEPARABLE] && !may[NUFFT]) {
        snprintf(why, KN_RECON_WHY, "direct: as fast as a product of matrices on this device");
        return;
    }
    for (enum way way = DIRECT; way < WAYS; way++) {
        seconds[way] = may[way] ? estimate(asked, on_host, way) : INFINITY;
        best = seconds[way] < seconds[best] ? way : best;
    }
    *kernel = kernels_of[best];
    at = (size_t)snprintf(why, KN_RECON_WHY, "%s: about %.2g s by estimate", names[best], seconds[best]);
    for (enum way way = DIRECT; way < WAYS; way++)
        if (way != best && may[way] && at < KN_RECON_WHY)
            at += (size_t)snprintf(why + at, KN_RECON_WHY - at, ", %s %.2g s", names[way], seconds[way]);
}

kn_status ki_recon_choose(const struct recon_adjoint *asked, enum mri_kernel *kernel, char *why,
                          kn_error *err)
{
    bool on_host = mri_kernel_is_host(*kernel), has_product = on_host || *kernel == MRI_TUNED;
    bool is_auto = asked->method == KN_RECON_ADJOINT_AUTO;

    if ((unsigned)asked->method > KN_RECON_ADJOINT_CARTESIAN)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "there is no method %d of the adjoint; see kn_recon_adjoint_method",
                       (int)asked->method);
    if (asked->method == KN_RECON_ADJOINT_NUFFT)
        return choose_nufft(asked, has_product, kernel, why, err);
    if (asked->tolerance != 0 && !is_auto)
        return ki_fail(
            err, KN_ERROR_ARGUMENT,
            "a tolerance of %g, which is for KN_RECON_ADJOINT_NUFFT and KN_RECON_ADJOINT_AUTO alone",
            asked->tolerance);
    if (asked->method == KN_RECON_ADJOINT_CARTESIAN)
        return choose_cartesian(asked, has_product, kernel, why, err);
    if (!is_auto)
        return choose_named(asked, has_product, kernel, why, err);
    if (asked->tolerance != 0 && check_tolerance(asked->tolerance, *kernel, err))
        return KN_ERROR_ARGUMENT;
    if (asked->named != KN_RECON_KERNEL_AUTO || !has_product || asked->has_positions) {
        snprintf(why, KN_RECON_WHY, "direct: %s",
                 asked->has_positions ? "voxels are on no grid" : "the sums of the kernel that was named");
        return KN_OK;
    }
    if (is_on_grid(asked)) {
        *kernel = mri_kernel_cartesian(*kernel);
        snprintf(why, KN_RECON_WHY, "cartesian: all samples lie on the grid");
        return KN_OK;
    }
    choose_fastest(asked, kernel, why);
    return KN_OK;
}
