// SPDX-License-Identifier: Apache-2.0
// Reconstructs a head phantom from its exact samples along diameters, and writes the image as PGM:
//     recon IMAGE.pgm
// By gridding on the best device there is, or the one that KOINE_DEVICE names; else by the sum itself on the host.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <koine/koine.h>

enum { SIZE = 64, VOXELS = SIZE * SIZE };

static double phantom[VOXELS], image[2 * VOXELS]; // real numbers; complex ones, the real part first

// From black, 0, to white, 1.
static int write_pgm(const char *path)
{
    FILE *file = fopen(path, "wb");
    int failed;

    if (!file)
        return 1;
    fprintf(file, "P5\n%d %d\n255\n", SIZE, SIZE);
    for (int n = 0; n < VOXELS; n++)
        fputc((int)(255 * fmin(hypot(image[2 * n], image[2 * n + 1]), 1) + 0.5), file);
    failed = ferror(file);
    return fclose(file) || failed;
}

// How far the image is from the phantom, in percent, in the disc of the field of view: what diameters a cycle apart
// sample along themselves repeats beyond it.
static double error_percent(void)
{
    double off = 0, norm = 0;

    for (int n = 0; n < VOXELS; n++) {
        if (hypot(n % SIZE - SIZE / 2, n / SIZE - SIZE / 2) > 0.48 * SIZE)
            continue;
        off += pow(image[2 * n] - phantom[n], 2) + pow(image[2 * n + 1], 2);
        norm += pow(phantom[n], 2);
    }
    return 100 * sqrt(off / norm);
}

int main(int argc, char **argv)
{
    kn_recon_trajectory radial = KN_INIT(kn_recon_trajectory, .kind = KN_RECON_TRAJECTORY_RADIAL, .extent = SIZE);
    kn_recon_options options = KN_INIT(kn_recon_options);
    kn_recon_matrix matrix;
    size_t samples = 0;
    double *k = NULL, *data = NULL, *weights = NULL;
    kn_error err = KN_ERROR_INIT;
    kn_context *ctx = NULL;
    kn_queue *q = NULL; // NULL is the host
    kn_recon_plan *plan = NULL;

    if (argc != 2) {
        fprintf(stderr, "usage: recon IMAGE.pgm\n");
        return 2;
    }
    if (kn_context_open(NULL, NULL, &ctx, &err)) { // without a device there is the host
        fprintf(stderr, "recon: %s\n", err.text);
        err.code = KN_OK;
    }
    if (!kn_recon_trajectory_settle(&radial, &matrix, &samples, &err)) {
        k = malloc(3 * samples * sizeof *k);
        data = malloc(2 * samples * sizeof *data);
        weights = malloc(samples * sizeof *weights);
    }
    options.weights = weights; // the plan copies them
    // Functions refuse arrays that are NULL, for want of memory too.
    if (err.code || (ctx && kn_queue_open(ctx, &q, &err)) ||
        kn_recon_trajectory_fill(&radial, samples, k, &err) ||
        kn_recon_phantom_kspace(&matrix, k, samples, data, &err) ||
        kn_recon_weights(q, &matrix, k, samples, KN_RECON_DENSITY_RAMP, weights, NULL, &err) ||
        kn_recon_plan_create(q, &matrix, k, samples, &options, &plan, &err) ||
        (q ? kn_recon_gridding_adjoint(plan, data, image, &err) : kn_recon_adjoint(plan, data, image, &err)) ||
        kn_recon_phantom_image(&matrix, 8, phantom, &err)) {
        fprintf(stderr, "recon: %s\n", err.text);
    } else if (write_pgm(argv[1])) {
        fprintf(stderr, "recon: %s cannot be written\n", argv[1]);
        err.code = KN_ERROR_OUTPUT;
    } else {
        printf("%zu spokes of %zu samples, by %s on %s: error %.1f %%\n", radial.spokes, radial.samples,
               q ? "gridding" : kn_recon_kernel_name(kn_recon_plan_get_kernel(plan)),
               q ? kn_context_get_device(ctx)->name : "the host", error_percent());
    }

    kn_recon_plan_free(plan);
    kn_queue_close(q);
    kn_context_close(ctx);
    free(k);
    free(data);
    free(weights);
    return (int)err.code;
}
