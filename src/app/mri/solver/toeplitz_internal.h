// SPDX-License-Identifier: Apache-2.0
// The contents of an operator, for the code that saves it in a file.
#ifndef KN_APP_MRI_SOLVER_TOEPLITZ_INTERNAL_H
#define KN_APP_MRI_SOLVER_TOEPLITZ_INTERNAL_H

#include "toeplitz.h"

enum { TOEPLITZ_KERNEL_NAME = 32 };

// The data from which it was computed.
struct toeplitz_origin {
    kn_recon_matrix matrix;
    size_t samples;
    char kernel[TOEPLITZ_KERNEL_NAME];
};

struct mri_toeplitz {
    kn_context *context;
    struct toeplitz_origin origin;
    struct mri_toeplitz_size size;
    kn_buffer *eigenvalues;      // floats, one per point, divided by the number of points
    struct mri_normal normal;    // the form that the solver takes
    kn_fft_plan *forward, *back; // with padding; with cropping
    kn_kernel *multiply;
};

// Creates an operator without its eigenvalues, with its plans created and compiled.
kn_status ki_toeplitz_create(kn_queue *queue, const struct toeplitz_origin *origin,
                             struct mri_toeplitz **toeplitz, kn_error *err);
// Computes the bound from the eigenvalues. KN_ERROR_ARGUMENT if they are not finite.
kn_status ki_toeplitz_find_bound(kn_queue *queue, struct mri_toeplitz *toeplitz, kn_error *err);

#endif
