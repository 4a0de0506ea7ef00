// SPDX-License-Identifier: Apache-2.0
// Sparse least squares on a device by conjugate gradients with a correction term (Stock and Koch, A Fast GPU
// Implementation for Solving Sparse Ill-Posed Linear Equation Systems, table 1): the x that makes
// |A x - b|^2 / 2 + lambda |x|^2 / 2 + smooth |D x|^2 / 2 least, plus what the correction is the gradient of.
// The printed alpha has the wrong factor: minimising along d gives alpha = -(g.d) / (d.e). The data's part of
// the gradient goes by recurrence, so that an iteration takes one A and one A^T; scalars stay on the device.
#ifndef KN_APP_SPARSE_SOLVER_DEVICE_SOLVER_H
#define KN_APP_SPARSE_SOLVER_DEVICE_SOLVER_H

#include "app/sparse/product/spmv.h"

// How an iteration is launched.
enum sparse_launches {
    SPARSE_LAUNCHES_AUTO,     // fused where columns are few and no format is asked for, but not on a CPU
    SPARSE_LAUNCHES_FUSED,    // two: the step of all vectors with A (in slices of rows), then A^T
    SPARSE_LAUNCHES_SEPARATE, // three for the vectors, and those of the format's products
};

enum sparse_stopped {
    SPARSE_STOPPED_ITERATIONS, // all were done
    SPARSE_STOPPED_GRADIENT,   // |g| reached options.gradient of its first one
    SPARSE_STOPPED_RESIDUAL,   // |A x - b| reached options.residual of |b|
    SPARSE_STOPPED_CURVATURE,  // d.e was not positive: nothing is left to do, or the correction is not convex
    // A x - b has become less white than it was (ncp.h): x, and the number of iterations, are those of the
    // last one that was as white
    SPARSE_STOPPED_WHITENESS
};
extern const char
    *const ki_sparse_stopped_names[]; // "iterations", "gradient", "residual", "curvature", "whiteness", NULL

// What `gradient` is at least: single precision has nothing more to give.
#define SPARSE_FLOOR 1e-7

struct sparse_solver_options {
    size_t iterations;  // at most
    double gradient;    // part of the first |g| to stop at; 0: SPARSE_FLOOR; below 0: never, for measurements
    double residual;    // part of |b| to stop at (fused: one iteration late); 0: never. Keeps A x - b, too
    double lambda;      // of |x|^2 / 2
    double smooth;      // of |D x|^2 / 2
    unsigned order;     // of the differences of neighbouring columns that D takes: 1 or 2
    double nonnegative; // mu, of the penalty mu |min(x, 0)|^2 / 2; 0: none
    // The same for x beyond `low` and `high`, of which one may be infinite: penalty |x - P x|^2 / 2, where P
    // x is within them; 0: none.
    double penalty, low, high;
    // F(x, d) in place of those: an expression in OpenCL C of floats x, d and weight, and of i, the column;
    // linear in d. F(x, x) is the gradient of what is added, F(x, d) how it changes along d. NULL: none.
    const char *correction;
    double weight;
    // The loop as its source prints it, for comparison: A x - b and the gradient anew from x in every
    // iteration, by an A and an A^T more. Launches are separate.
    bool printed;
    // Stops where A x - b is as white as it gets (ncp.h). The device looks in every iteration, by
    // kn_fft_execute (KN_FFT_OWN) and three kernels; the host does not wait. Launches are separate, and A x -
    // b is kept. Cost: the residual and its spectra are read and written once an iteration, x once more.
    bool white;
    kn_sparse_format format; // of separate launches
    enum sparse_launches launches;
    struct sparse_tuning tuning; // of the products; of fused launches `group` and `lanes` of cgnr_backward
    unsigned group, groups;      // work-items and groups of cgnr_forward and of the vectors' kernels
    kn_recording_way recording;  // how blocks of iterations are launched, where there are enough for one
    bool unrecorded;             // not in blocks, for measurements
};

struct sparse_solver_result {
    size_t iterations;
    enum sparse_stopped stopped;
    double residual;        // |A x - b| / |b|, computed anew
    double normal_residual; // |g| / |g_0|
    double *history;        // that of every iteration, iterations + 1 of them; the caller frees it
    double *steps;          // lengths of the steps that led there, as many, 0 first; freed with `history`
    double gradient;        // |g_0|
    unsigned launches_per_iteration;
    double seconds; // of the iterations, from the first launch until the device is done
};

struct sparse_solver;

// A and A^T on the device, and the solver's memory. The matrix may be freed after that. Errors: those of
// ki_sparse_operator_create; KN_ERROR_ARGUMENT for options out of range; KN_ERROR_BUILD for a correction that
// does not compile; KN_ERROR_LIMIT for fused launches of more columns than local memory holds;
// KN_ERROR_UNSUPPORTED for a way of recording that the device does not have.
kn_status ki_sparse_solver_create(kn_queue *queue, const struct sparse_matrix *matrix,
                                  const struct sparse_solver_options *options, struct sparse_solver **solver,
                                  kn_error *err);
// The same for a geometry, with separate launches: products on the fly, or in the format that is asked for of
// its matrix. Errors: as above; KN_ERROR_ARGUMENT for fused launches.
kn_status ki_sparse_solver_create_parallel(kn_queue *queue, const struct sparse_parallel *geometry,
                                           const struct sparse_solver_options *options,
                                           struct sparse_solver **solver, kn_error *err);
void ki_sparse_solver_free(struct sparse_solver *solver); // NULL is fine

// b: a float a row; x: a float a column, the start, and the solution. The same bits every time on one device.
// Errors: KN_ERROR_ARGUMENT for buffers too small or of another context, and for numbers that are not finite;
// KN_ERROR_MEMORY.
kn_status ki_sparse_solver_solve(kn_queue *queue, struct sparse_solver *solver, kn_buffer *b, kn_buffer *x,
                                 struct sparse_solver_result *result, kn_error *err);

// Goes on from x, with the linear part of the gradient there, A^T (A x - b) + L x, as the caller has computed
// it in double precision: the correction of iterative refinement (Higham, Accuracy and Stability of Numerical
// Algorithms, 12 and 20.5), whose iterations stop where the gradient has fallen by the floor once more. The
// result's residual is not-a-number. Errors: as above; KN_ERROR_ARGUMENT for a solver that is printed, or has
// a stop at the residual or its whiteness.
kn_status ki_sparse_solver_go_on(kn_queue *queue, struct sparse_solver *solver, kn_buffer *gradient,
                                 kn_buffer *x, struct sparse_solver_result *result, kn_error *err);

// Whether the launches are fused; and how blocks of iterations are launched, or NULL: there are none, since
// iterations are few, or a format adds to what has to be filled before.
bool ki_sparse_solver_is_fused(const struct sparse_solver *solver);
const kn_recording *ki_sparse_solver_recording(const struct sparse_solver *solver);

// The products that it computes: y = A x, or with `transposed` y = A^T x, for checks. Rows are in an order of
// its own, the same for both. Asynchronous. And the format of each.
kn_status ki_sparse_solver_apply(kn_queue *queue, const struct sparse_solver *solver, bool transposed,
                                 kn_buffer *x, kn_buffer *y, kn_error *err);
kn_sparse_format ki_sparse_solver_format(const struct sparse_solver *solver, bool transposed);

#endif
