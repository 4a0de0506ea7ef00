// SPDX-License-Identifier: Apache-2.0
// What the tests of reconstructions begin with: a random scan, its options, a run, and the answer in double
// precision. Tolerances: ki_mri_sum_device's stated 3e-6 of the adjoint for this band; what least squares
// makes of it grows by the condition of the equations, at most (bound + lambda) / lambda.
#ifndef KN_TESTS_UNIT_APP_MRI_RECON_SUPPORT_H
#define KN_TESTS_UNIT_APP_MRI_RECON_SUPPORT_H

#include "support/buffers.h"
#include "support/run.h"

#include <math.h>

#include "app/mri/recon/recon.h"
#include "app/mri/reference.h"

enum { SAMPLES = 230, COILS = 3, VOXELS = 13 * 10 };

static const double sum_error = 3e-6;

// A random scan of 13 x 10 voxels.
static inline struct mri_scan make_scan(size_t coils)
{
    uint64_t state = test_seed("scan");
    struct mri_scan scan = {.matrix = {2, {13, 10, 1}},
                            .matrix_from = "the test",
                            .samples = SAMPLES,
                            .coils = coils,
                            .voxels = VOXELS,
                            .k = malloc(3 * SAMPLES * sizeof *scan.k),
                            .data = malloc(coils * SAMPLES * sizeof *scan.data)};

    ck_assert(scan.k && scan.data);
    for (size_t m = 0; m < SAMPLES; m++)
        for (size_t axis = 0; axis < 3; axis++)
            scan.k[3 * m + axis] =
                axis == 2 ? 0 : (double)scan.matrix.size[axis] * (test_uniform(&state) - 0.5);
    for (size_t i = 0; i < coils * SAMPLES; i++) {
        double re = 2 * test_uniform(&state) - 1;

        scan.data[i] = mri_complex(re, 2 * test_uniform(&state) - 1);
    }
    scan.range = kn_recon_trajectory_get_range(scan.k, SAMPLES);
    return scan;
}

static inline struct mri_recon_options make_options(enum mri_recon_solver solver, enum mri_kernel kernel)
{
    return (struct mri_recon_options){
        .solver = solver, .kernel = kernel, .ls = {.iterations = 30, .lambda = 40}};
}

static inline double distance(const double complex *x, const double complex *y, size_t count)
{
    double difference = 0, size = 0;

    for (size_t i = 0; i < count; i++) {
        difference += cabs(x[i] - y[i]) * cabs(x[i] - y[i]);
        size += cabs(y[i]) * cabs(y[i]);
    }
    return sqrt(difference / size);
}

// A coil's adjoint by the reference.
static inline void adjoint_of(const struct mri_scan *scan, size_t coil, const double *weights,
                              const double complex *basis, double complex *image)
{
    double complex data[SAMPLES];

    for (size_t m = 0; m < SAMPLES; m++)
        data[m] = scan->data[coil * SAMPLES + m] * (basis ? conj(basis[m]) : 1);
    EXPECT_OK(ki_mri_reference_adjoint(&scan->matrix, scan->k, SAMPLES, data, weights, MRI_SCALE_NONE, image,
                                       &err));
}

static inline struct mri_recon_result run(const struct mri_scan *scan,
                                          const struct mri_recon_options *options)
{
    struct mri_recon_result result;

    EXPECT_OK(ki_mri_recon(queue, scan, options, &result, &err));
    return result;
}

// By double precision on the host, whose own test is against both sums.
static inline struct mri_recon_result double_precision(const struct mri_scan *scan,
                                                       const struct mri_recon_options *options)
{
    struct mri_recon_options on_host = *options;

    on_host.kernel = MRI_HOST_DOUBLE;
    on_host.save_q = on_host.load_q = NULL;
    return run(scan, &on_host);
}

static inline double least_squares_error(const struct mri_recon_result *result)
{
    return sum_error * (result->bound + result->lambda) / result->lambda;
}

// How often a kernel is launched by a reconstruction.
static inline size_t launches_of(const char *kernel, const struct mri_scan *scan,
                                 const struct mri_recon_options *options, struct mri_recon_result *result)
{
    kn_profile_entry *entries = NULL;
    size_t count = 0, found = 0;

    EXPECT_OK(kn_profile_start(queue, &err));
    *result = run(scan, options);
    EXPECT_OK(kn_profile_stop(queue, &entries, &count, &err));
    for (size_t i = 0; i < count; i++)
        found += strcmp(entries[i].kernel, kernel) == 0;
    kn_free(entries);
    return found;
}

#endif
