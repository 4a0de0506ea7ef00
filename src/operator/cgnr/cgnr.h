// SPDX-License-Identifier: Apache-2.0
// Conjugate gradients on a device with any linear operator (cl/operator/cgnr.cl): on the normal equations
// with a correction term (Stock and Koch, A Fast GPU Implementation for Solving Sparse Ill-Posed Linear
// Equation Systems, table 1), for the x that minimises |A x - b|^2 / 2 + lambda |x|^2 / 2 + smooth |D x|^2 /
// 2 plus the function whose gradient is the correction; or on (A + L) x = b itself, if A is self-adjoint
// (cl/operator/cg.cl; Hestenes and Stiefel 1952). The alpha printed in the article has the wrong factor:
// minimising along d gives alpha = -(g.d) / (d.e). The gradient is updated by a recurrence, so that an
// iteration needs one product with A and one with A^T, or with A alone; scalars stay on the device.
#ifndef KN_OPERATOR_CGNR_CGNR_H
#define KN_OPERATOR_CGNR_CGNR_H

#include <koine/launch.h>

#include "engine/defines.h"
#include "operator/operator.h"

enum cgnr_stopped {
    CGNR_STOPPED_ITERATIONS, // all iterations were done
    CGNR_STOPPED_GRADIENT,   // |g| fell to options.gradient times the first |g|, or, if self-adjoint, |b|
    CGNR_STOPPED_RESIDUAL,   // |A x - b| fell to options.residual times |b|
    CGNR_STOPPED_CURVATURE,  // d.e was not positive: x is a solution, or the correction is not convex
    // A x - b became less white than before (ncp.h): x and the number of iterations are those of the last
    // iteration at which it was whitest
    CGNR_STOPPED_WHITENESS,
    CGNR_STOPPED_NOISE // |A x - b| fell to options.noise, which is more than options.residual times |b|
};
// "iterations", "gradient", "residual", "curvature", "whiteness", "noise", NULL
extern const char *const ki_cgnr_stopped_names[];

// The smallest `gradient`, except for self-adjoint operators: the precision allows no more.
#define CGNR_FLOOR        1e-7
#define CGNR_FLOOR_DOUBLE 1e-15

enum { CGNR_AXES = 3 };

// Describes vectors that are images of complex numbers. D is the differences of neighbours along each axis:
// (D x)_j = x_j - x_(j-1) for j = 1 ... N - 1, and with `periodic` also for j = 0, where x_-1 is x_(N-1).
struct cgnr_image {
    size_t size[CGNR_AXES]; // x fastest; 1 for an axis that does not exist
    bool periodic;
};

struct cgnr_options {
    size_t iterations; // at most
    // Stops when |g| is at most this fraction of the first |g|, or, if self-adjoint, of |b|; 0: CGNR_FLOOR;
    // below 0: never, for measurements.
    double gradient;
    // Stops when |A x - b| is at most `residual` times |b| (if fused, one iteration later), or at most
    // `noise`; 0: never. Both need the vector A x - b, and with `noise` blocks of iterations are not
    // recorded.
    double residual, noise;
    double lambda;  // of |x|^2 / 2
    double smooth;  // of |D x|^2 / 2
    unsigned order; // of the differences of neighbouring columns that D takes: 1 or 2
    // With self_adjoint: D takes differences of this image instead of columns, instead of lambda. NULL: none.
    const struct cgnr_image *image;
    double nonnegative; // mu, of the penalty mu |min(x, 0)|^2 / 2; 0: none
    // Bounds `low` and `high`, of which one may be infinite: adds penalty |x - P x|^2 / 2, where P x is x
    // moved into the bounds; 0: none.
    double penalty, low, high;
    // F(x, d), instead of these penalties: an expression in OpenCL C with floats x, d and weight, and i, the
    // column; linear in d. F(x, x) is the gradient of the added function, F(x, d) its change along d. NULL:
    // none.
    const char *correction;
    double weight;
    // A is self-adjoint and positive semi-definite, and (A + L) x = b is solved, with one product with A per
    // iteration. Not with a correction, nor with rules that stop at A x - b.
    bool self_adjoint;
    // The loop as printed in the article, for comparison: it recomputes A x - b and the gradient from x in
    // every iteration, with one more product with A and with A^T.
    bool printed;
    // Stops where A x - b is whitest (ncp.h). The device checks in every iteration, with kn_fft_execute
    // (KN_FFT_OWN) and three kernels; the host does not wait. Needs the vector A x - b. Cost: the residual
    // and its spectra are read and written once per iteration, x once more.
    bool white;
    unsigned group, groups;     // work-items and groups of the kernels on vectors; 0: the best known values
    kn_recording_way recording; // how blocks of iterations are launched, if there are enough iterations
    bool unrecorded;            // launch iterations one by one, for measurements

    // Memory for 2 (iterations + 1) numbers, for the history and steps of every result; NULL: each result
    // allocates its own.
    double *history;

    // Called before each iteration with the number of iterations launched so far, which the device may not
    // have finished. Returns false to stop, with KN_ERROR_INTERRUPTED. With it, blocks are not recorded.
    // NULL: none.
    bool (*progress)(void *data, size_t iteration);
    void *progress_data;
};

struct cgnr_result {
    size_t iterations;
    enum cgnr_stopped stopped;
    double residual;        // |A x - b| / |b|, recomputed; if self-adjoint, |(A + L) x - b| / |b|
    double absolute;        // the same, not divided by |b|
    double normal_residual; // |g| / |g_0|
    // The normal residual of every iteration, iterations + 1 numbers. The caller frees it, unless it is in
    // options.history.
    double *history;
    double *steps;   // lengths of the steps, as many numbers, the first one 0; freed with `history`
    double gradient; // |g_0|
    double right;    // |b|
    unsigned launches_per_iteration; // 0 if the operator does not know its number of launches
    double seconds;                  // of the iterations, from the first launch until the device is done
};

struct cgnr;

// An iteration in two launches, for operators that have one. It leaves the state as cl/operator/cgnr.cl does,
// and stores the x of an even iteration at the beginning of the vectors of odd ones.
struct cgnr_fused {
    kn_status (*iterate)(void *data, kn_queue *queue, const struct cgnr *cgnr, uint32_t iteration, bool last,
                         kn_error *err);
    void *data;
    kn_buffer *row_order; // row i of A's products is row row_order[i] of b
};

// Creates a solver in the operator's context. It holds `a`, of type KN_F32 with at most 2^32 - 2 numbers in a
// vector; or of KN_F64 if the device has double precision, except for self-adjoint operators and for stopping
// at the whiteness of the residual. `fused` may be NULL. `correction` is copied; `progress_data` must remain
// valid. Memory: 4 vectors of columns and 2 of rows, fewer for a self-adjoint operator. Errors:
// KN_ERROR_ARGUMENT for options out of range; KN_ERROR_LIMIT; KN_ERROR_BUILD for a correction that does not
// compile; KN_ERROR_UNSUPPORTED for a way of recording that the device does not have; KN_ERROR_MEMORY.
kn_status ki_cgnr_create(kn_queue *queue, kn_operator *a, const struct cgnr_fused *fused,
                         const struct cgnr_options *options, struct cgnr **made, kn_error *err);
void ki_cgnr_free(struct cgnr *s); // NULL is fine

// right: b, a number per row; start (NULL: 0), which may be x, and x, the solution: a number per column; two
// numbers each if they are complex. In double precision, iterations that end at the floor restart once from
// x, with its gradient recomputed, for the iterations that are left. Bitwise repeatable on one device. If
// self-adjoint, the solution for b = 0 is 0. Errors: KN_ERROR_ARGUMENT for buffers that are too small or in
// another context, and for numbers that are not finite; KN_ERROR_MEMORY; those of the operator.
kn_status ki_cgnr_solve(kn_queue *queue, struct cgnr *s, const kn_buffer *right, const kn_buffer *start,
                        kn_buffer *x, struct cgnr_result *result, kn_error *err);

// Whether the host takes part in a solution, or its iterations are of a kind that ki_cgnr_enqueue does not
// have.
bool ki_cgnr_asks_host(const struct cgnr *s);
// For a solver that does not need the host: ki_cgnr_solve without a result, starting from x. Launches all
// iterations without waiting; after the floor of the gradient they do nothing, and double precision does not
// restart. x is undefined if numbers are not finite. If self-adjoint, b = 0 is not treated separately.
// Errors: as above, except for these.
kn_status ki_cgnr_enqueue(kn_queue *queue, struct cgnr *s, const kn_buffer *right, kn_buffer *x,
                          kn_error *err);

// Continues from x, with the linear part of the gradient there, A^T (A x - b) + L x, as computed by the
// caller in double precision: the correction step of iterative refinement (Higham, Accuracy and Stability of
// Numerical Algorithms, 12 and 20.5). Its iterations stop when the gradient has fallen by the floor again.
// The residual in the result is NaN. Errors: as above; KN_ERROR_ARGUMENT for a solver that is printed or
// self-adjoint, or stops at the residual or its whiteness.
kn_status ki_cgnr_go_on(kn_queue *queue, struct cgnr *s, const kn_buffer *gradient, kn_buffer *x,
                        struct cgnr_result *result, kn_error *err);

// How blocks of iterations are launched; NULL if they are launched one by one, because there are few, or
// because the operator cannot be recorded.
const kn_recording *ki_cgnr_recording(const struct cgnr *cgnr);

// ---- for iterations that are launched elsewhere ----

kn_status ki_cgnr_check_options(const struct cgnr_options *options, kn_error *err);

// Options in the form that kernels take: `gradient` and `residual` squared, or below 0 for never.
struct cgnr_terms {
    uint32_t order;
    double lambda, smooth, weight, gradient, residual;
};
struct cgnr_terms ki_cgnr_terms_of(const struct cgnr_options *options, kn_type type);

// Adds the definitions that kernels of iterations share: the correction, and the abilities of the device.
kn_status ki_cgnr_define(struct engine_defines *defines, kn_context *context,
                         const struct cgnr_options *options, kn_type type, kn_error *err);
// The work-group size of the kernels on vectors, and of cgnr_forward, on this device.
size_t ki_cgnr_group(const kn_context *context, const struct cgnr_options *options);
// The number of groups that each write a part of a sum over vectors, of which the longest has `longest`
// numbers: few, since every group adds up all the parts.
uint32_t ki_cgnr_parts(const kn_context *context, size_t group, size_t longest);

// The layout of `state`: the largest number of parts; the bytes of a cell, and the cells of an iteration; the
// cells of |b|^2 and of the iteration's number, between the parts and the iterations.
enum { CGNR_MOST_PARTS = 1024, CGNR_CELL = sizeof(double), CGNR_CELLS = 4, CGNR_START = 5 };

// Sets `stopped` and `iterations` of a solution that left this STOP_ code (cl/shared/cgnr.h) at `iteration`.
void ki_cgnr_take_end(unsigned code, size_t iteration, struct cgnr_result *result);
// Sets its history, steps and normal residual, from |g|^2 and the step's length of every iteration, `stride`
// numbers apart. They are stored in `room`, or, if that is NULL, in memory that the caller frees.
kn_status ki_cgnr_take_history(const double *squares, const double *steps, size_t stride, double *room,
                               struct cgnr_result *result, kn_error *err);

// Whether the vector r = A x - b is kept.
static inline bool cgnr_keeps_residual(const struct cgnr_options *options)
{
    return options->residual > 0 || options->noise > 0 || options->white;
}

#endif
