// SPDX-License-Identifier: Apache-2.0
// What a kn_recon_plan (koine/recon.h) is; and what its files share: plan.c (creation), plan_memory.c,
// plan_call.c (calls with arrays and buffers), plan_operator.c, and below them plan_host.c and plan_device.c,
// plan_weights.c and plan_ask.c.
#ifndef KN_APP_MRI_API_PLAN_INTERNAL_H
#define KN_APP_MRI_API_PLAN_INTERNAL_H

#include <stdatomic.h>

#include <koine/experimental/recon.h>

#include "app/mri/gridding/gridding.h"
#include "app/mri/solver/host_solver.h"
#include "app/mri/solver/toeplitz.h"
#include "app/mri/sum/sum.h"

// What the options and the matrix are, checked.
struct recon_request {
    kn_recon_matrix matrix;
    size_t voxels, samples;
    enum mri_kernel kernel;
    char why[KN_RECON_WHY]; // this method of the adjoint
    kn_recon_normal_method normal;
    struct mri_gridding_options gridding;
    double tolerance;              // of a NUFFT
    const double *weights, *basis; // the caller's
    kn_recon_progress *progress;
    void *progress_data;
};

struct kn_recon_plan {
    atomic_size_t holders; // the caller, and operators
    kn_queue *queue;       // borrowed; NULL: the host
    kn_context *context;   // its own, which the plan holds
    struct recon_request request;
    double *k, *weights;   // copies; weights NULL: 1
    double complex *basis; // NULL: 1
    double bound;          // of the normal operator; 0: not known
    struct ki_ask ask;     // whether to go on
    // On the host: the parts of voxels and samples exchanged, for the forward sum, and samples in between.
    struct ki_kept kept;
    double *positions, *opposite; // of the voxels; -k
    double complex *between;
    struct mri_host_nufft *nufft;
    struct mri_host_normal *host_normal;
    // On a device.
    struct mri_toeplitz *toeplitz;
    struct mri_gridding *gridding;
    struct mri_nufft *device_nufft;
    struct mri_there forward_there, adjoint_there;         // what the sums take of the samples
    kn_kernel *multiply;                                   // data by weights
    kn_buffer *device_weights, *weighted, *device_between; // a float, a pair and a pair a sample
    kn_buffer *images[2], *data;                           // of calls with arrays
};

kn_recon_plan *ki_recon_plan_hold(kn_recon_plan *plan);

// ---- whether to go on (plan_ask.c) ----

// An operation begins: `queue`, NULL on the host, asks the plan's function until it ends. Then `before` is
// what the first one has given, and `status`, the operation's, is returned.
kn_status ki_recon_begin(kn_recon_plan *plan, kn_queue *queue, struct ki_ask **before, kn_error *err);
kn_status ki_recon_end(kn_recon_plan *plan, kn_queue *queue, struct ki_ask *before, kn_status status);
// The part of the operation that comes now, from 0 to 1.
void ki_recon_stage(kn_recon_plan *plan, double from, double to);

// In api.c: what the functions of koine/recon.h check alike. KN_ERROR_ARGUMENT, or KN_ERROR_LIMIT for
// samples.
kn_status ki_recon_read_matrix(const kn_recon_matrix *given, kn_recon_matrix *matrix, size_t *voxels,
                               kn_error *err);
kn_status ki_recon_check_samples(size_t samples, kn_error *err);
// That k is a trajectory of the matrix; KN_ERROR_ARGUMENT.
kn_status ki_recon_check_k(const kn_recon_matrix *matrix, const double *k, size_t samples, kn_error *err);

// The kernel of that number, AUTO's in that place; and its number.
enum mri_kernel ki_recon_kernel(const kn_queue *queue, kn_recon_kernel given);
kn_recon_kernel ki_recon_public_kernel(enum mri_kernel kernel);
kn_recon_adjoint_method ki_recon_public_adjoint(enum mri_kernel kernel);

// What the adjoint is asked of (plan_choose.c).
struct recon_adjoint {
    const kn_queue *queue;
    kn_recon_kernel named; // KN_RECON_KERNEL_AUTO: `kernel` was chosen
    kn_recon_adjoint_method method;
    double tolerance; // of a NUFFT; 0: the usual one, and no NUFFT unless it is asked for
    kn_recon_matrix matrix;
    const double *k; // to see whether samples are on the grid; NULL: they are not, or it is not known yet
    size_t samples;
    bool has_q;         // Q is computed, too
    bool has_positions; // of its own, which have the direct sum alone
};
// *kernel as it stands, as a product of matrices, by a NUFFT, or for samples on the grid; and
// why[KN_RECON_WHY]. KN_ERROR_ARGUMENT for a method that is none, for one that the kernel does not have, or
// positions, or k, and for a tolerance out of range, or of another method.
kn_status ki_recon_choose(const struct recon_adjoint *asked, enum mri_kernel *kernel, char *why,
                          kn_error *err);
// KN_ERROR_ARGUMENT for what is out of range.
kn_status ki_recon_check_gridding(double oversampling, unsigned width, kn_error *err);
// That k is a trajectory of the matrix, or, where that is NULL, finite, and that weights and basis, which may
// be NULL, are such numbers; KN_ERROR_ARGUMENT.
kn_status ki_recon_check_arrays(const kn_recon_matrix *matrix, const double *k, size_t samples,
                                const double *weights, const double *basis, kn_error *err);

// The options of a plan with `queue`, or of the host; without looking at arrays but k, which may be NULL.
kn_status ki_recon_read_request(const char *function, const kn_queue *queue, const kn_recon_matrix *matrix,
                                const double *k, size_t samples, const kn_recon_options *options,
                                struct recon_request *request, kn_error *err);

// What F^H W F as a convolution takes: w |phi|^2; the caller frees it. NULL, which is 1, without weights and
// basis.
kn_status ki_recon_normal_weights(const kn_recon_plan *plan, double **weights, kn_error *err);

// ---- on the host (plan_host.c) ----

kn_status ki_recon_host_forward(kn_recon_plan *plan, const double complex *image, double complex *data,
                                kn_error *err);
// F^H W d, or without weights F^H d.
kn_status ki_recon_host_adjoint(kn_recon_plan *plan, bool weighted, const double complex *data,
                                double complex *image, kn_error *err);
kn_status ki_recon_host_normal(kn_recon_plan *plan, const double complex *from, double complex *to,
                               kn_error *err);
// Prepares each of them: the forward sum; the normal operator.
kn_status ki_recon_host_prepare_forward(kn_recon_plan *plan, kn_error *err);
kn_status ki_recon_host_prepare_normal(kn_recon_plan *plan, kn_error *err);
void ki_recon_host_free(kn_recon_plan *plan);

// ---- on a device (plan_device.c), by commands in any queue of the plan's context ----

kn_status ki_recon_device_forward(kn_recon_plan *plan, kn_queue *queue, const kn_buffer *image,
                                  kn_buffer *data, kn_error *err);
kn_status ki_recon_device_adjoint(kn_recon_plan *plan, kn_queue *queue, bool weighted, const kn_buffer *data,
                                  kn_buffer *image, kn_error *err);
// Of data in the host's memory, with weights.
kn_status ki_recon_device_adjoint_of(kn_recon_plan *plan, const double complex *data, kn_buffer *image,
                                     kn_error *err);
// What comes now has to be prepared.
kn_status ki_recon_device_normal(kn_recon_plan *plan, kn_queue *queue, const kn_buffer *from, kn_buffer *to,
                                 kn_error *err);
kn_status ki_recon_device_gridding_adjoint(kn_recon_plan *plan, kn_queue *queue, bool weighted,
                                           const kn_buffer *data, kn_buffer *image, kn_error *err);
// In the plan's queue, once: the normal operator; gridding, KN_ERROR_UNSUPPORTED with a basis.
kn_status ki_recon_device_prepare_normal(kn_recon_plan *plan, kn_error *err);
kn_status ki_recon_device_prepare_gridding(kn_recon_plan *plan, kn_error *err);
void ki_recon_device_free(kn_recon_plan *plan);

#endif
