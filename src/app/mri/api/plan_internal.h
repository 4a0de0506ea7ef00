// SPDX-License-Identifier: Apache-2.0
// The contents of a kn_recon_plan (koine/recon.h), and what its files share: plan.c (creation),
// plan_memory.c, plan_call.c (calls with arrays and buffers), plan_operator.c, and below them plan_host.c and
// plan_device.c, plan_weights.c and plan_ask.c.
#ifndef KN_APP_MRI_API_PLAN_INTERNAL_H
#define KN_APP_MRI_API_PLAN_INTERNAL_H

#include <stdatomic.h>

#include <koine/experimental/recon.h>

#include "app/mri/gridding/gridding.h"
#include "app/mri/solver/host_solver.h"
#include "app/mri/solver/toeplitz.h"
#include "app/mri/sum/sum.h"

// The options and the matrix, checked.
struct recon_request {
    kn_recon_matrix matrix;
    size_t voxels, samples;
    enum mri_kernel kernel;
    char why[KN_RECON_WHY]; // the reason for the adjoint's method
    kn_recon_normal_method normal;
    struct mri_gridding_options gridding;
    double tolerance;              // for a NUFFT
    const double *weights, *basis; // the caller's arrays
    kn_recon_progress *progress;
    void *progress_data;
};

struct kn_recon_plan {
    atomic_size_t holders; // the caller, and operators
    kn_queue *queue;       // borrowed; NULL: the host
    kn_context *context;   // of the queue, held by the plan
    struct recon_request request;
    double *k, *weights;   // copies; weights NULL: 1
    double complex *basis; // NULL: 1
    double bound;          // of the normal operator; 0: not known
    struct ki_ask ask;     // whether operations go on
    // On the host: voxels and samples with their roles exchanged, for the forward sum, and samples in
    // between.
    struct ki_kept kept;
    double *positions, *opposite; // positions of the voxels; -k
    double complex *between;
    struct mri_host_nufft *nufft;
    struct mri_host_normal *host_normal;
    // On a device.
    struct mri_toeplitz *toeplitz;
    struct mri_gridding *gridding;
    struct mri_nufft *device_nufft;
    struct mri_there forward_there, adjoint_there;         // what the sums keep there of the samples
    kn_kernel *multiply;                                   // multiplies data by weights
    kn_buffer *device_weights, *weighted, *device_between; // a float, a pair and a pair per sample
    kn_buffer *images[2], *data;                           // for calls with arrays
};

kn_recon_plan *ki_recon_plan_hold(kn_recon_plan *plan);

// ---- whether operations go on (plan_ask.c) ----

// Begins an operation: until it ends, `queue` (NULL on the host) asks the plan's function. The end of the
// operation takes `before`, as filled in here, and `status`, the operation's, which it returns.
kn_status ki_recon_begin(kn_recon_plan *plan, kn_queue *queue, struct ki_ask **before, kn_error *err);
kn_status ki_recon_end(kn_recon_plan *plan, kn_queue *queue, struct ki_ask *before, kn_status status);
// Sets the part of the operation that follows, from 0 to 1.
void ki_recon_stage(kn_recon_plan *plan, double from, double to);

// In api.c: checks that the functions of koine/recon.h share. KN_ERROR_ARGUMENT, or KN_ERROR_LIMIT for
// samples.
kn_status ki_recon_read_matrix(const kn_recon_matrix *given, kn_recon_matrix *matrix, size_t *voxels,
                               kn_error *err);
kn_status ki_recon_check_samples(size_t samples, kn_error *err);
// Checks that k is a trajectory for the matrix; KN_ERROR_ARGUMENT.
kn_status ki_recon_check_k(const kn_recon_matrix *matrix, const double *k, size_t samples, kn_error *err);

// The kernel with that number, where AUTO stands for the default of the queue or the host; and its number.
enum mri_kernel ki_recon_kernel(const kn_queue *queue, kn_recon_kernel given);
kn_recon_kernel ki_recon_public_kernel(enum mri_kernel kernel);
kn_recon_adjoint_method ki_recon_public_adjoint(enum mri_kernel kernel);

// The input of the choice of the adjoint's method (plan_choose.c).
struct recon_adjoint {
    const kn_queue *queue;
    kn_recon_kernel named; // KN_RECON_KERNEL_AUTO: `kernel` is the default
    kn_recon_adjoint_method method;
    double tolerance; // of a NUFFT; 0: the default, and no NUFFT unless it is asked for
    kn_recon_matrix matrix;
    const double *k; // to find out whether samples are on the grid; NULL: they are not, or k is not known yet
    size_t samples;
    bool has_q;         // Q is computed, too
    bool has_positions; // the voxels have given positions, which only the direct sum supports
};
// Changes *kernel to a product of matrices, a NUFFT or a transform for samples on the grid, or leaves it
// unchanged; and fills in why[KN_RECON_WHY]. KN_ERROR_ARGUMENT for an unknown method, for one that the
// kernel, given positions or k do not allow, and for a tolerance that is out of range or does not belong to
// the method.
kn_status ki_recon_choose(const struct recon_adjoint *asked, enum mri_kernel *kernel, char *why,
                          kn_error *err);
// KN_ERROR_ARGUMENT for an argument out of range.
kn_status ki_recon_check_gridding(double oversampling, unsigned width, kn_error *err);
// Checks that k is a trajectory for the matrix, or finite if the matrix is NULL, and that weights and basis,
// which may be NULL, are finite; KN_ERROR_ARGUMENT.
kn_status ki_recon_check_arrays(const kn_recon_matrix *matrix, const double *k, size_t samples,
                                const double *weights, const double *basis, kn_error *err);

// Checks the options of a plan with `queue`, or on the host; reads no array except k, which may be NULL.
kn_status ki_recon_read_request(const char *function, const kn_queue *queue, const kn_recon_matrix *matrix,
                                const double *k, size_t samples, const kn_recon_options *options,
                                struct recon_request *request, kn_error *err);

// The weights of F^H W F as a convolution: w |phi|^2; the caller frees them. NULL, which stands for 1, if
// there are neither weights nor a basis.
kn_status ki_recon_normal_weights(const kn_recon_plan *plan, double **weights, kn_error *err);

// ---- on the host (plan_host.c) ----

kn_status ki_recon_host_forward(kn_recon_plan *plan, const double complex *image, double complex *data,
                                kn_error *err);
// F^H W d, or without weights F^H d.
kn_status ki_recon_host_adjoint(kn_recon_plan *plan, bool weighted, const double complex *data,
                                double complex *image, kn_error *err);
kn_status ki_recon_host_normal(kn_recon_plan *plan, const double complex *from, double complex *to,
                               kn_error *err);
// Prepare the forward sum; the normal operator.
kn_status ki_recon_host_prepare_forward(kn_recon_plan *plan, kn_error *err);
kn_status ki_recon_host_prepare_normal(kn_recon_plan *plan, kn_error *err);
void ki_recon_host_free(kn_recon_plan *plan);

// ---- on a device (plan_device.c), with commands in any queue of the plan's context ----

kn_status ki_recon_device_forward(kn_recon_plan *plan, kn_queue *queue, const kn_buffer *image,
                                  kn_buffer *data, kn_error *err);
kn_status ki_recon_device_adjoint(kn_recon_plan *plan, kn_queue *queue, bool weighted, const kn_buffer *data,
                                  kn_buffer *image, kn_error *err);
// For data in host memory, with weights.
kn_status ki_recon_device_adjoint_of(kn_recon_plan *plan, const double complex *data, kn_buffer *image,
                                     kn_error *err);
// The following operations must have been prepared.
kn_status ki_recon_device_normal(kn_recon_plan *plan, kn_queue *queue, const kn_buffer *from, kn_buffer *to,
                                 kn_error *err);
kn_status ki_recon_device_gridding_adjoint(kn_recon_plan *plan, kn_queue *queue, bool weighted,
                                           const kn_buffer *data, kn_buffer *image, kn_error *err);
// Prepare, once, in the plan's queue: the normal operator; gridding, which gives KN_ERROR_UNSUPPORTED with a
// basis.
kn_status ki_recon_device_prepare_normal(kn_recon_plan *plan, kn_error *err);
kn_status ki_recon_device_prepare_gridding(kn_recon_plan *plan, kn_error *err);
void ki_recon_device_free(kn_recon_plan *plan);

#endif
