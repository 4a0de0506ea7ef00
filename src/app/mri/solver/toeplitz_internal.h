// SPDX-License-Identifier: Apache-2.0
// What an operator holds, for the file that keeps it.
#ifndef KN_APP_MRI_SOLVER_TOEPLITZ_INTERNAL_H
#define KN_APP_MRI_SOLVER_TOEPLITZ_INTERNAL_H

#include "toeplitz.h"

enum { TOEPLITZ_KERNEL_NAME = 32 };

// What it was computed from.
struct toeplitz_origin {
    kn_recon_matrix matrix;
    size_t samples;
    char kernel[TOEPLITZ_KERNEL_NAME];
};

struct mri_toeplitz {
    kn_context *context;
    struct toeplitz_origin origin;
    struct mri_toeplitz_size size;
    kn_buffer *eigenvalues;      // floats, a point each, divided by the number of points
    struct mri_normal normal;    // what the solver takes it for
    kn_fft_plan *forward, *back; // with padding; with cropping
    kn_kernel *multiply;
};

// An operator whose eigenvalues are yet to be filled in, with its plans made and compiled.
kn_status ki_toeplitz_create(kn_queue *queue, const struct toeplitz_origin *origin,
                             struct mri_toeplitz **toeplitz, kn_error *err);
// The bound, from the eigenvalues. KN_ERROR_ARGUMENT where they are not finite.
kn_status ki_toeplitz_find_bound(kn_queue *queue, struct mri_toeplitz *toeplitz, kn_error *err);

#endif
