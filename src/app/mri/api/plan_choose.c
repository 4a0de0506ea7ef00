// SPDX-License-Identifier: Apache-2.0
// The kernels of koine/recon.h by their numbers; and how the adjoint is computed where nobody says so: as a
// direct sum or as a product of matrices (sum.h), by what either takes of the model of costs. A NUFFT, which
// is exact to its tolerance alone, is for those who ask for it.
#include <math.h>
#include <stdio.h>

#include <koine/experimental/cost.h>

#include "base/error.h"
#include "engine/cost/crossovers.h"
#include "engine/engine.h"
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
    return mri_kernel_is_nufft(kernel)       ? KN_RECON_ADJOINT_NUFFT
           : mri_kernel_is_separable(kernel) ? KN_RECON_ADJOINT_SEPARABLE
                                             : KN_RECON_ADJOINT_DIRECT;
}

// ---- the choice ----

// Operations that a sine and a cosine take, and a voxel with a sample by the direct sum.
static const double trig = 20, direct = 16;

static double rounded_up(double count, double whole)
{
    return ceil(count / whole) * whole;
}

// Of a sample with columns of voxels along x, in tiles of pairs and columns: 8 a pair and column, and what
// the factors take.
static double product_of(double along, double columns, double tile_x, double tile_columns, double block)
{
    double pairs = rounded_up(ceil(along / 2), tile_x), all = rounded_up(columns, tile_columns);

    return 8 * pairs * all + trig * pairs * ceil(columns / block) + trig * all * ceil(pairs / tile_x);
}

// Of a grid with `columns` columns of `along` voxels.
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

// Seconds of the adjoint, and of Q, half of a grid of twice the size.
static double estimate(const struct recon_adjoint *asked, bool on_host, bool separable)
{
    const size_t *size = asked->matrix.size;
    double doubled[MRI_AXES];
    kn_work work = KN_INIT(kn_work, .launches = 2);
    kn_cost cost = {.compute = 0};

    add_work(&work, asked, separable, (double)size[0], (double)size[1] * (double)size[2]);
    for (size_t axis = 0; axis < MRI_AXES; axis++)
        doubled[axis] = size[axis] > 1 ? 2 * (double)size[axis] : 1;
    if (asked->has_q)
        add_work(&work, asked, separable, doubled[0], ceil(doubled[1] * doubled[2] / 2));
    // Nothing is wrong with what it is given.
    (void)kn_cost_estimate(&work, on_host ? NULL : &asked->queue->context->device.info, &cost, NULL);
    return cost.compute;
}

static kn_status refuse(const char *what, const char *kernel, kn_error *err)
{
    return ki_fail(err, KN_ERROR_ARGUMENT,
                   "the adjoint as a product of matrices%s %s; take KN_RECON_ADJOINT_DIRECT, or %s", what,
                   kernel, *kernel ? "the kernel tuned, host-double or host-single" : "no positions");
}

static kn_status choose_nufft(const struct recon_adjoint *asked, bool has_product, enum mri_kernel *kernel,
                              char *why, kn_error *err)
{
    double tolerance = asked->tolerance != 0 ? asked->tolerance : MRI_NUFFT_USUAL,
           least = MRI_NUFFT_LEAST(mri_kernel_is_double(*kernel));

    if (asked->has_positions)
        return ki_fail(err, KN_ERROR_ARGUMENT, "a NUFFT is of voxels on a grid; give no positions");
    if (!has_product)
        return ki_fail(
            err, KN_ERROR_ARGUMENT,
            "a NUFFT is not one of the kernel %s; take the kernel tuned, host-double or host-single",
            ki_mri_kernel_names[*kernel]);
    // Not-a-number is out of range as well.
    if (!(tolerance >= least && tolerance <= MRI_NUFFT_MOST))
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "a NUFFT's tolerance of %g; expected %g to %g with the kernel %s, or another method",
                       tolerance, least, MRI_NUFFT_MOST, ki_mri_kernel_names[mri_kernel_direct(*kernel)]);
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

kn_status ki_recon_choose(const struct recon_adjoint *asked, enum mri_kernel *kernel, char *why,
                          kn_error *err)
{
    bool on_host = mri_kernel_is_host(*kernel), has_product = on_host || *kernel == MRI_TUNED, separable;
    double sum, product;

    if ((unsigned)asked->method > KN_RECON_ADJOINT_NUFFT)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "there is no method %d of the adjoint; see kn_recon_adjoint_method",
                       (int)asked->method);
    if (asked->method == KN_RECON_ADJOINT_NUFFT)
        return choose_nufft(asked, has_product, kernel, why, err);
    if (asked->tolerance != 0)
        return ki_fail(err, KN_ERROR_ARGUMENT, "a tolerance of %g, which is for KN_RECON_ADJOINT_NUFFT alone",
                       asked->tolerance);
    if (asked->method != KN_RECON_ADJOINT_AUTO)
        return choose_named(asked, has_product, kernel, why, err);
    if (asked->named != KN_RECON_KERNEL_AUTO || !has_product || asked->has_positions) {
        snprintf(why, KN_RECON_WHY, "direct: %s",
                 asked->has_positions ? "voxels are on no grid" : "the sums of the kernel that was named");
        return KN_OK;
    }
    if (!on_host && ki_engine_crossover(asked->queue->context, CROSSOVER_MRI_SEPARABLE) == CROSSOVER_NEVER) {
        snprintf(why, KN_RECON_WHY, "direct: as fast as a product of matrices on this device");
        return KN_OK;
    }
    sum = estimate(asked, on_host, false);
    product = estimate(asked, on_host, true);
    separable = product < sum;
    if (separable)
        *kernel = mri_kernel_separable(*kernel);
    snprintf(why, KN_RECON_WHY, "%s: about %.2g s by estimate, %s %.2g s", separable ? "separable" : "direct",
             separable ? product : sum, separable ? "direct" : "separable", separable ? sum : product);
    return KN_OK;
}
