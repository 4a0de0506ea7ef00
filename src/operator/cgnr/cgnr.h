// SPDX-License-Identifier: Apache-2.0
// Conjugate gradients on a device with any linear operator (cl/operator/cgnr.cl): on the normal equations
// with a correction term (Stock and Koch, A Fast GPU Implementation for Solving Sparse Ill-Posed Linear
// Equation Systems, table 1), for the x that makes |A x - b|^2 / 2 + lambda |x|^2 / 2 + smooth |D x|^2 / 2
// least, plus what the correction is the gradient of; or on (A + L) x = b itself, where A is self-adjoint
// (cl/operator/cg.cl; Hestenes and Stiefel 1952). The printed alpha has the wrong factor: minimising along d
// gives alpha = -(g.d) / (d.e). The gradient goes by recurrence, so that an iteration takes one A and one
// A^T, or one A alone; scalars stay on the device.
#ifndef KN_OPERATOR_CGNR_CGNR_H
#define KN_OPERATOR_CGNR_CGNR_H

#include <koine/launch.h>

#include "engine/defines.h"
#include "operator/operator.h"

enum cgnr_stopped {
    CGNR_STOPPED_ITERATIONS, // all were done
    CGNR_STOPPED_GRADIENT,   // |g| reached options.gradient of its first one, or self-adjoint of |b|
    CGNR_STOPPED_RESIDUAL,   // |A x - b| reached options.residual of |b|
    CGNR_STOPPED_CURVATURE,  // d.e was not positive: nothing is left to do, or the correction is not convex
    // A x - b has become less white than it was (ncp.h): x, and the number of iterations, are those of the
    // last one that was as white
    CGNR_STOPPED_WHITENESS,
    CGNR_STOPPED_NOISE // |A x - b| reached options.noise, which is more than options.residual of |b|
};
// "iterations", "gradient", "residual", "curvature", "whiteness", "noise", NULL
extern const char *const ki_cgnr_stopped_names[];

// What `gradient` is at least, but for self-adjoint operators: its precision has nothing more to give.
#define CGNR_FLOOR        1e-7
#define CGNR_FLOOR_DOUBLE 1e-15

enum { CGNR_AXES = 3 };

// Vectors as images of complex numbers, whose neighbours D takes the differences of, along each axis: (D x)_j
// = x_j - x_(j-1) for j = 1 ... N - 1, and with `periodic` for j = 0 too, where x_-1 is x_(N-1).
struct cgnr_image {
    size_t size[CGNR_AXES]; // x fastest; 1 for an axis that is not there
    bool periodic;
};

struct cgnr_options {
    size_t iterations; // at most
    // Part of the first |g|, or self-adjoint of |b|, to stop at; 0: CGNR_FLOOR; below 0: never, for
    // measurements.
    double gradient;
    // Part of |b| to stop at (fused: one iteration late), and |A x - b| itself; 0: never. They keep A x - b,
    // too, and with `noise` blocks of iterations are not recorded.
    double residual, noise;
    double lambda;  // of |x|^2 / 2
    double smooth;  // of |D x|^2 / 2
    unsigned order; // of the differences of neighbouring columns that D takes: 1 or 2
    // D's, in place of those of columns, with self_adjoint and in place of lambda. NULL: none.
    const struct cgnr_image *image;
    double nonnegative; // mu, of the penalty mu |min(x, 0)|^2 / 2; 0: none
    // The same for x beyond `low` and `high`, of which one may be infinite: penalty |x - P x|^2 / 2, where P
    // x is within them; 0: none.
    double penalty, low, high;
    // F(x, d) in place of those: an expression in OpenCL C of floats x, d and weight, and of i, the column;
    // linear in d. F(x, x) is the gradient of what is added, F(x, d) how it changes along d. NULL: none.
    const char *correction;
    double weight;
    // A is self-adjoint and positive semi-definite, and (A + L) x = b is solved: A is applied once an
    // iteration. Without a correction, and without stops at A x - b.
    bool self_adjoint;
    // The loop as its source prints it, for comparison: A x - b and the gradient anew from x in every
    // iteration, by an A and an A^T more.
    bool printed;
    // Stops where A x - b is as white as it gets (ncp.h). The device looks in every iteration, by
    // kn_fft_execute (KN_FFT_OWN) and three kernels; the host does not wait. A x - b is kept. Cost: the
    // residual and its spectra are read and written once an iteration, x once more.
    bool white;
    unsigned group, groups;     // work-items and groups of the vectors' kernels; 0: what is best known
    kn_recording_way recording; // how blocks of iterations are launched, where there are enough for one
    bool unrecorded;            // not in blocks, for measurements

    // Room for 2 (iterations + 1) numbers, in which each result has its history and steps; NULL: each has
    // memory of its own.
    double *history;

    // Called before each iteration with the number of those launched; the device is behind. Returns false to
    // stop, with KN_ERROR_INTERRUPTED. Blocks are not recorded then. NULL: none.
    bool (*progress)(void *data, size_t iteration);
    void *progress_data;
};

struct cgnr_result {
    size_t iterations;
    enum cgnr_stopped stopped;
    double residual;        // |A x - b| / |b|, computed anew; self-adjoint |(A + L) x - b| / |b|
    double absolute;        // the same without being divided by |b|
    double normal_residual; // |g| / |g_0|
    // That of every iteration, iterations + 1 of them. The caller frees it, unless options.history is where
    // it stands.
    double *history;
    double *steps;   // lengths of the steps that led there, as many, 0 first; freed with `history`
    double gradient; // |g_0|
    double right;    // |b|
    unsigned launches_per_iteration; // 0 where the operator does not know its own
    double seconds;                  // of the iterations, from the first launch until the device is done
};

struct cgnr;

// An iteration in two launches, of an operator that offers it. It leaves the state as cl/operator/cgnr.cl has
// it, and x of an even iteration where the vectors of odd ones begin.
struct cgnr_fused {
    kn_status (*iterate)(void *data, kn_queue *queue, const struct cgnr *cgnr, uint32_t iteration, bool last,
                         kn_error *err);
    void *data;
    kn_buffer *row_order; // row i of A's products is row row_order[i] of b
};

// The solver, for the operator's context; it holds `a`, of KN_F32 and with at most 2^32 - 2 numbers a
// vector; or of KN_F64 where the device has double precision, but for self-adjoint operators and stops at the
// whiteness of the residual. `fused` may be NULL. `correction` is read now; `progress_data` must stay.
// Memory: 4 vectors of columns, and 2 of rows, but for a self-adjoint operator. Errors: KN_ERROR_ARGUMENT for
// options out of range; KN_ERROR_LIMIT; KN_ERROR_BUILD for a correction that does not compile;
// KN_ERROR_UNSUPPORTED for a way of recording that the device does not have; KN_ERROR_MEMORY.
kn_status ki_cgnr_create(kn_queue *queue, kn_operator *a, const struct cgnr_fused *fused,
                         const struct cgnr_options *options, struct cgnr **made, kn_error *err);
void ki_cgnr_free(struct cgnr *s); // NULL is fine

// right: b, a number a row; start (NULL: 0), which may be x, and x, the solution: a number a column; two each
// of complex numbers. In double precision, iterations that end at the floor begin once more from x, whose
// gradient is computed anew, with those that are left. The same bits every time on one device. Self-adjoint,
// a b of 0 has the x 0. Errors: KN_ERROR_ARGUMENT for buffers too small or of another context, and for
// numbers that are not finite; KN_ERROR_MEMORY; those of the operator.
kn_status ki_cgnr_solve(kn_queue *queue, struct cgnr *s, const kn_buffer *right, const kn_buffer *start,
                        kn_buffer *x, struct cgnr_result *result, kn_error *err);

// Whether something of a solution is decided by the host, or its iterations are of another kind than
// ki_cgnr_enqueue has.
bool ki_cgnr_asks_host(const struct cgnr *s);
// Of a solver that does not ask the host: ki_cgnr_solve without a result, from the start in x. All iterations
// are launched, and nobody waits; at the floor of the gradient they do nothing more, and double precision
// does not begin once more. With numbers that are not finite x is undefined. Self-adjoint, a b of 0 is no
// case of its own. Errors: as above, but for these.
kn_status ki_cgnr_enqueue(kn_queue *queue, struct cgnr *s, const kn_buffer *right, kn_buffer *x,
                          kn_error *err);

// Goes on from x, with the linear part of the gradient there, A^T (A x - b) + L x, as the caller has computed
// it in double precision: the correction of iterative refinement (Higham, Accuracy and Stability of Numerical
// Algorithms, 12 and 20.5), whose iterations stop where the gradient has fallen by the floor once more. The
// result's residual is not-a-number. Errors: as above; KN_ERROR_ARGUMENT for a solver that is printed or
// self-adjoint, or has a stop at the residual or its whiteness.
kn_status ki_cgnr_go_on(kn_queue *queue, struct cgnr *s, const kn_buffer *gradient, kn_buffer *x,
                        struct cgnr_result *result, kn_error *err);

// How blocks of iterations are launched, or NULL: each is launched, since iterations are few, or the operator
// cannot be recorded.
const kn_recording *ki_cgnr_recording(const struct cgnr *cgnr);

// ---- for iterations that are launched elsewhere ----

kn_status ki_cgnr_check_options(const struct cgnr_options *options, kn_error *err);

// Options as kernels take them: `gradient` and `residual` squared, or below 0 for never.
struct cgnr_terms {
    uint32_t order;
    double lambda, smooth, weight, gradient, residual;
};
struct cgnr_terms ki_cgnr_terms_of(const struct cgnr_options *options, kn_type type);

// What kernels that iterate have in common: the correction, and the device's abilities.
kn_status ki_cgnr_define(struct engine_defines *defines, kn_context *context,
                         const struct cgnr_options *options, kn_type type, kn_error *err);
// Work-items of the vectors' kernels, and of cgnr_forward, on this device.
size_t ki_cgnr_group(const kn_context *context, const struct cgnr_options *options);
// How many groups leave a part of a sum over vectors of which the longest has so many numbers: few, as each
// adds up what all left.
uint32_t ki_cgnr_parts(const kn_context *context, size_t group, size_t longest);

// Of `state`: how many groups leave a part at most; bytes of a cell, and cells of an iteration; cells of
// |b|^2 and of which iteration it is, between parts and iterations.
enum { CGNR_MOST_PARTS = 1024, CGNR_CELL = sizeof(double), CGNR_CELLS = 4, CGNR_START = 5 };

// How a solution ended whose STOP_ code of cl/shared/cgnr.h was left at `iteration`: stopped, iterations.
void ki_cgnr_take_end(unsigned code, size_t iteration, struct cgnr_result *result);
// Its history, steps and normal residual, from |g|^2 and the step's length of every iteration, `stride`
// numbers apart. They stand in `room`, or where that is NULL in memory that the caller frees.
kn_status ki_cgnr_take_history(const double *squares, const double *steps, size_t stride, double *room,
                               struct cgnr_result *result, kn_error *err);

// Whether r = A x - b is kept.
static inline bool cgnr_keeps_residual(const struct cgnr_options *options)
{
    return options->residual > 0 || options->noise > 0 || options->white;
}

#endif
