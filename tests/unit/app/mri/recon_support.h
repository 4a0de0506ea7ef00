// SPDX-License-Identifier: Apache-2.0
// What the tests of reconstructions share: a random scan, its options, a run, and the answer in double
// precision. Tolerances: 3e-6 for the adjoint in this band, as stated by ki_mri_sum_device; least squares
// increase this by at most the condition number of the equations, (bound + lambda) / lambda.
#ifndef KN_TESTS_UNIT_APP_MRI_RECON_SUPPORT_H
#define KN_TESTS_UNIT_APP_MRI_RECON_SUPPORT_H

#include "support/buffers.h"
#include "support/run.h"

#include <math.h>

#include "app/mri/recon/recon_internal.h"
#include "app/mri/reference.h"

enum { SAMPLES = 230, COILS = 3, VOXELS = 13 * 10 };

static const double sum_error = 3e-6;

// The input of a reconstruction, which owns its arrays.
struct recon_scan {
    kn_recon_scan given; // pointing to these arrays
    double *k;
    double complex *data;
};

// A random scan of 13 x 10 voxels.
static inline struct recon_scan make_scan(size_t coils)
{
    uint64_t state = test_seed("scan");
    struct recon_scan scan = {.k = malloc(3 * SAMPLES * sizeof *scan.k),
                              .data = malloc(coils * SAMPLES * sizeof *scan.data)};

    ck_assert(scan.k && scan.data);
    scan.given = KN_INIT(kn_recon_scan, .matrix = {2, {13, 10, 1}}, .samples = SAMPLES, .coils = coils,
                         .k = scan.k, .data = (double *)scan.data);
    for (size_t m = 0; m < SAMPLES; m++)
        for (size_t axis = 0; axis < 3; axis++)
            scan.k[3 * m + axis] =
                axis == 2 ? 0 : (double)scan.given.matrix.size[axis] * (test_uniform(&state) - 0.5);
    for (size_t i = 0; i < coils * SAMPLES; i++) {
        double re = 2 * test_uniform(&state) - 1;

        scan.data[i] = mri_complex(re, 2 * test_uniform(&state) - 1);
    }
    return scan;
}

static inline void free_scan(struct recon_scan *scan)
{
    free(scan->k);
    free(scan->data);
}

// Options for coils one by one, the default of a scan without maps.
static inline kn_recon_solve_options make_options(kn_recon_method method, kn_recon_kernel kernel)
{
    return KN_INIT(kn_recon_solve_options, .method = method, .kernel = kernel, .iterations = 30, .lambda = 40,
                   .sense = KN_RECON_SENSE_NONE);
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
static inline void adjoint_of(const struct recon_scan *scan, size_t coil, const double *weights,
                              const double complex *basis, double complex *image)
{
    double complex data[SAMPLES];

    for (size_t m = 0; m < SAMPLES; m++)
        data[m] = scan->data[coil * SAMPLES + m] * (basis ? conj(basis[m]) : 1);
    EXPECT_OK(ki_mri_reference_adjoint(&scan->given.matrix, scan->k, SAMPLES, data, weights,
                                       KN_RECON_SCALE_NONE, image, &err));
}

static inline kn_recon_solution *
run_with(const struct recon_scan *scan, const kn_recon_solve_options *options, const kn_recon_extras *extras)
{
    kn_recon_solution *solution = NULL;

    EXPECT_OK(kn_recon_solve_with(queue, &scan->given, options, extras, &solution, &err));
    return solution;
}

static inline kn_recon_solution *run(const struct recon_scan *scan, const kn_recon_solve_options *options)
{
    kn_recon_solution *solution = NULL;

    EXPECT_OK(kn_recon_solve(queue, &scan->given, options, &solution, &err));
    return solution;
}

// In double precision on the host, which has its own test against both sums.
static inline kn_recon_solution *double_precision(const struct recon_scan *scan,
                                                  const kn_recon_solve_options *options)
{
    kn_recon_solve_options on_host = *options;

    on_host.kernel = KN_RECON_KERNEL_HOST_DOUBLE;
    return run(scan, &on_host);
}

static inline double least_squares_error(const kn_recon_solution *solution)
{
    return sum_error * (solution->details.bound + solution->lambda) / solution->lambda;
}

// The number of launches of a kernel in a reconstruction.
static inline size_t launches_of(const char *kernel, const struct recon_scan *scan,
                                 const kn_recon_solve_options *options, const kn_recon_extras *extras,
                                 kn_recon_solution **solution)
{
    kn_profile_entry *entries = NULL;
    size_t count = 0, found = 0;

    EXPECT_OK(kn_profile_start(queue, &err));
    *solution = run_with(scan, options, extras);
    EXPECT_OK(kn_profile_stop(queue, &entries, &count, &err));
    for (size_t i = 0; i < count; i++)
        found += strcmp(entries[i].kernel, kernel) == 0;
    kn_free(entries);
    return found;
}

#endif
