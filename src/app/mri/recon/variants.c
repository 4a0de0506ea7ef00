// SPDX-License-Identifier: Apache-2.0
// The lecture's comparison: one scan by every kernel and by gridding, each with its quality and its time.
#include "base/error.h"
#include "recon.h"

// The double-precision one first, which the others are measured against.
static const enum mri_kernel order[MRI_KERNELS] = {MRI_HOST_DOUBLE,     MRI_HOST_SINGLE, MRI_NAIVE,
                                                   MRI_REGISTER,        MRI_COALESCED,   MRI_CONSTANT,
                                                   MRI_CONSTANT_STRUCT, MRI_FAST_TRIG,   MRI_TUNED};

static void list(const kn_queue *queue, const struct mri_scan *scan, const struct mri_recon_options *options,
                 struct mri_variants *variants)
{
    for (size_t i = 0; i < MRI_KERNELS; i++) {
        struct mri_variant *variant = &variants->items[variants->count];

        if (!queue && !ki_mri_kernel_is_host(order[i]))
            continue;
        variant->name = ki_mri_kernel_names[order[i]];
        variant->options = *options;
        variant->options.kernel = order[i];
        variants->count++;
    }
    if (queue && scan->format != MRI_SCAN_PARBOIL && !options->basis) {
        struct mri_variant *variant = &variants->items[variants->count++];

        variant->name = ki_mri_recon_solver_names[MRI_GRIDDING];
        variant->options = *options;
        variant->options.solver = MRI_GRIDDING;
        variant->options.start = NULL;
        variant->options.normal = KN_RECON_NORMAL_TOEPLITZ; // gridding has neither
        if (options->solver == MRI_LS && !options->weights && options->density == KN_RECON_DENSITY_NONE)
            variant->options.density = KN_RECON_DENSITY_PIPE;
    }
}

kn_status ki_mri_variants_run(kn_queue *queue, const struct mri_scan *scan,
                              const struct mri_recon_options *options,
                              const struct mri_recon_reference *reference, struct mri_variants *variants,
                              kn_error *err)
{
    struct mri_recon_reference first = {.scale = MRI_REFERENCE_NONE};
    kn_status status = KN_OK;

    *variants = (struct mri_variants){.count = 0};
    if (options->save_q || options->load_q)
        return ki_fail(err, KN_ERROR_ARGUMENT, "--variants: each computes its own Q; leave out --%s-q",
                       options->save_q ? "save" : "load");
    if (options->solver == MRI_GRIDDING)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "--variants: gridding is one of the variants; --solver ls or adjoint has the others");
    list(queue, scan, options, variants);
    for (size_t i = 0; i < variants->count && !status; i++) {
        struct mri_variant *variant = &variants->items[i];

        status = ki_mri_recon(queue, scan, &variant->options, &variant->result, err);
        if (status)
            break;
        variant->seconds = ki_mri_recon_seconds(&variant->result);
        variant->ratio = variants->items[0].seconds / variant->seconds;
        first.image = variants->items[0].result.image;
        status = ki_mri_recon_quality(scan, variant->options.solver, &variant->result,
                                      reference ? reference : &first, &variant->quality, err);
    }
    return status;
}

struct mri_variant *ki_mri_variant_of(struct mri_variants *variants, enum mri_kernel kernel)
{
    for (size_t i = 0; i < variants->count; i++)
        if (variants->items[i].name == ki_mri_kernel_names[kernel])
            return &variants->items[i];
    return NULL;
}

void ki_mri_variants_free(struct mri_variants *variants)
{
    for (size_t i = 0; i < variants->count; i++)
        ki_mri_recon_free(&variants->items[i].result);
    variants->count = 0;
}
