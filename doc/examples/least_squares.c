// SPDX-License-Identifier: Apache-2.0
// Least-squares MRI from arrays: the image x that makes |F x - d|^2 + lambda |x|^2 least, where F takes an image to its
// samples along a spiral. F^H W F of koine/recon.h is a linear operator, and koine/solve.h solves with it. On the best device
// there is, or the one that KOINE_DEVICE names; else on the host. kn_recon_solve has it in one call, and takes several coils.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <koine/koine.h>

enum { SIZE = 64, VOXELS = SIZE * SIZE, ITERATIONS = 30 };

static double phantom[VOXELS], right[2 * VOXELS], image[2 * VOXELS]; // complex numbers: the real part first

static double error_percent(void)
{
    double off = 0, norm = 0;

    for (int n = 0; n < VOXELS; n++) {
        off += pow(image[2 * n] - phantom[n], 2) + pow(image[2 * n + 1], 2);
        norm += pow(phantom[n], 2);
    }
    return 100 * sqrt(off / norm);
}

// An operator of a device computes in floats, one of the host in the doubles as they are.
static kn_status solve(kn_queue *q, kn_solve_plan *plan, kn_solve_result *result, kn_error *err)
{
    static float b[2 * VOXELS], x[2 * VOXELS]; // x: the start, 0
    kn_status status;

    if (!q)
        return kn_solve_execute(plan, right, image, result, err);
    for (int i = 0; i < 2 * VOXELS; i++)
        b[i] = (float)right[i];
    status = kn_solve_execute(plan, b, x, result, err);
    for (int i = 0; i < 2 * VOXELS; i++)
        image[i] = (double)x[i];
    return status;
}

int main(void)
{
    kn_recon_trajectory spiral = KN_INIT(kn_recon_trajectory, .kind = KN_RECON_TRAJECTORY_SPIRAL, .extent = SIZE);
    kn_solve_options options = KN_INIT(kn_solve_options, .method = KN_SOLVE_CG, .iterations = ITERATIONS);
    kn_recon_matrix matrix;
    size_t samples = 0;
    double *k = NULL, *data = NULL;
    kn_error err = KN_ERROR_INIT;
    kn_context *ctx = NULL;
    kn_queue *q = NULL; // NULL is the host
    kn_recon_plan *plan = NULL;
    kn_operator *normal = NULL;
    kn_solve_plan *solver = NULL;
    kn_solve_result result = {0};

    if (kn_context_open(NULL, NULL, &ctx, &err)) { // without a device there is the host
        fprintf(stderr, "least_squares: %s\n", err.text);
        err.code = KN_OK;
    }
    if (!kn_recon_trajectory_settle(&spiral, &matrix, &samples, &err)) {
        k = malloc(3 * samples * sizeof *k);
        data = malloc(2 * samples * sizeof *data);
    }
    options.lambda = 1e-3 * (double)samples; // beside F^H F, whose diagonal is the number of samples
    // Functions refuse arrays that are NULL, for want of memory too.
    if (err.code || (ctx && kn_queue_open(ctx, &q, &err)) ||
        kn_recon_trajectory_fill(&spiral, samples, k, &err) ||
        kn_recon_phantom_kspace(&matrix, k, samples, data, &err) ||
        kn_recon_phantom_image(&matrix, 8, phantom, &err) ||
        kn_recon_plan_create(q, &matrix, k, samples, NULL, &plan, &err) ||
        kn_recon_adjoint(plan, data, right, &err) ||
        kn_recon_operator_create(plan, KN_RECON_OPERATOR_NORMAL, &normal, &err) ||
        kn_solve_plan_create(q, normal, &options, &solver, &err) ||
        solve(q, solver, &result, &err))
        fprintf(stderr, "least_squares: %s\n", err.text);
    else
        printf("%zu samples, %zu iterations on %s: residual %.1e, error %.1f %%\n", samples, result.iterations,
               q ? kn_context_get_device(ctx)->name : "the host", result.residual / result.right, error_percent());

    kn_solve_plan_free(solver);
    kn_operator_free(normal);
    kn_recon_plan_free(plan);
    kn_queue_close(q);
    kn_context_close(ctx);
    free(k);
    free(data);
    return (int)err.code;
}
