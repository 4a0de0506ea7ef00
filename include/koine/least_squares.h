// SPDX-License-Identifier: Apache-2.0
// Least squares of a sparse matrix (koine/sparse.h) or of rays (koine/tomography.h), on the host or on a
// device, for any number of right-hand sides b: for each the x that makes
//
//     |A x - b|^2 / 2 + lambda |x|^2 / 2 + smooth |D x|^2 / 2
//
// least, within bounds or without, where D takes differences of neighbouring elements of x. It is what `koine
// solve` computes. Where koine/solve.h runs one method with any operator, this also keeps the matrix in a
// format that is fast, solves for many right-hand sides side by side, and tells how good the solutions are:
// whether the products belong together, what of the residual is left by a computation in double precision,
// and how far off x is where it was computed in single precision.
//
//     const kn_least_squares_task task = KN_INIT(kn_least_squares_task, .matrix = a, .b = b, .count = 1);
//     const kn_least_squares_options options =
//         KN_INIT(kn_least_squares_options, .iterations = 400, .noise = 3.5);
//
//     kn_least_squares(queue, &task, x, &options, NULL, &err); // x: the start, and the solution
#ifndef KOINE_LEAST_SQUARES_H
#define KOINE_LEAST_SQUARES_H

#include <koine/solve.h>
#include <koine/tomography.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- what is asked for ----

typedef enum kn_least_squares_method {
    KN_LEAST_SQUARES_AUTO = 0, // FISTA within bounds, CGNR without
    // Conjugate gradients as KN_SOLVE_CGNR has them: an A and an A^T an iteration. Bounds are a penalty,
    // weight |x - P x|^2 / 2 with P x within them, which x may violate a little.
    KN_LEAST_SQUARES_CGNR = 1,
    // The same as its source prints it (Stock and Koch, A Fast GPU Implementation for Solving Sparse
    // Ill-Posed Linear Equation Systems), for comparison: A and A^T twice an iteration, all iterations.
    KN_LEAST_SQUARES_PRINTED = 2,
    // KN_SOLVE_FISTA and KN_SOLVE_BB: bounds hold exactly.
    KN_LEAST_SQUARES_FISTA = 3,
    KN_LEAST_SQUARES_BB = 4,
    // The normal equations: A^T A with its terms is factored once (Cholesky), for many right-hand sides and
    // few columns. No bounds and no iterations, and half the digits on ill-conditioned systems.
    KN_LEAST_SQUARES_GRAM = 5,
    // KN_SOLVE_SIRT: bounds hold exactly; neither lambda nor smooth, and no element of A is negative.
    KN_LEAST_SQUARES_SIRT = 6
} kn_least_squares_method;

typedef enum kn_least_squares_stop {
    KN_LEAST_SQUARES_STOP_AUTO = 0,        // by the tolerance or the noise if one is given, else FIXED
    KN_LEAST_SQUARES_STOP_FIXED = 1,       // after all iterations
    KN_LEAST_SQUARES_STOP_RESIDUAL = 2,    // once |A x - b| is at most tolerance |b|
    KN_LEAST_SQUARES_STOP_DISCREPANCY = 3, // once |A x - b| is at most noise (the discrepancy principle)
    // CGNR: where A x - b is as white as it gets (Hansen, Kilmer and Kjeldsen 2006).
    KN_LEAST_SQUARES_STOP_NCP = 4
} kn_least_squares_stop;

typedef enum kn_least_squares_preconditioner {
    KN_LEAST_SQUARES_NONE = 0,
    KN_LEAST_SQUARES_JACOBI = 1, // the diagonal of A^T A
    KN_LEAST_SQUARES_ILU = 2     // its incomplete LU factors without fill-in
} kn_least_squares_preconditioner;

// One of `matrix` and `geometry`; the other is NULL.
typedef struct kn_least_squares_task {
    size_t struct_size; // KN_INIT sets it
    const kn_sparse *matrix;
    // Devices compute its products on the fly, unless a format is asked for that keeps its matrix; the host
    // keeps it.
    const kn_tomography_geometry *geometry;
    const double *b; // right-hand sides: `count` times the matrix's rows, one after the other
    size_t count;    // at least 1
} kn_least_squares_task;

// Called when right-hand sides are solved: `solved` of `count` are. Returns false to stop.
typedef bool kn_least_squares_progress(void *data, size_t solved, size_t count);

typedef struct kn_least_squares_options {
    size_t struct_size; // KN_INIT sets it
    kn_least_squares_method method;
    kn_least_squares_stop stop;
    size_t iterations; // at most: up to 2^20 on devices, below 2^32 - 1 on the host
    // A part of |b|, and a length in units of b; 0: none is asked for. With a rule that does not stop there
    // they are looked at in the end.
    double tolerance, noise;
    double lambda, smooth; // from 0 on
    unsigned order;        // of the differences that D takes, 1 or 2; looked at where smooth is not 0
    bool bounded;          // low <= x <= high, of which either may be infinite
    double low, high;
    // Of CGNR's and PRINTED's penalty for bounds, 0: 50 times the greatest square of a column's length; or
    // what `correction` is given, 0: 1.
    double weight;
    // On devices, of CGNR and PRINTED, in place of a penalty: F(x, d), an expression in OpenCL C of floats x,
    // d and weight, and of i, the column; linear in d. F(x, x) is added to the gradient. NULL: none.
    const char *correction;
    kn_least_squares_preconditioner preconditioner; // of CGNR on the host
    // How a device keeps A, of all methods but GRAM; of CGNR on the host AUTO, SELL and SIMPLE.
    kn_sparse_format format;
    // KN_F64, KN_F32, or 0: KN_F64 where there is double precision for the rest of what is asked. Devices
    // that have double precision have it of matrices, for CGNR and PRINTED, but not for STOP_NCP,
    // backprojection and the formats on the fly; the host has KN_F32 for CGNR alone.
    kn_type type;
    kn_least_squares_progress *progress; // NULL: none
    // Called before each iteration of CGNR and of the methods with bounds, as kn_solve_options has it, but
    // for right-hand sides that are solved side by side. On a device it costs time, as iterations are
    // launched one by one then. NULL: none.
    kn_solve_progress *iteration_progress;
    void *progress_data;                          // what both are called with
    const struct kn_least_squares_tuning *tuning; // koine/experimental/least_squares.h; NULL: the default
} kn_least_squares_options;

// ---- what comes of it ----

typedef enum kn_least_squares_stopped {
    KN_LEAST_SQUARES_STOPPED_ITERATIONS = 0, // all were done
    KN_LEAST_SQUARES_STOPPED_RESIDUAL = 1,
    KN_LEAST_SQUARES_STOPPED_DISCREPANCY = 2,
    KN_LEAST_SQUARES_STOPPED_NCP = 3,
    KN_LEAST_SQUARES_STOPPED_FLOOR = 4,    // the gradient is as small as the precision allows
    KN_LEAST_SQUARES_STOPPED_DIRECT = 5,   // GRAM, which has no iterations
    KN_LEAST_SQUARES_STOPPED_CURVATURE = 6 // nothing is left to do, or the correction is not convex
} kn_least_squares_stopped;

// About one right-hand side.
typedef struct kn_least_squares_solution {
    size_t iterations;
    kn_least_squares_stopped stopped;
    // In double precision from x as it is given: |A x - b| / |b|; and the gradient's length, with bounds that
    // hold that of the projected one, as a part of the start's (with a correction, as the device has it).
    double residual, normal_residual;
    // Of what single precision has computed: how far x is, as a part of itself, from what double precision
    // would have given by the same rule, an estimate; and whether it is an answer. A least-squares solution
    // (FLOOR, DIRECT) is refined once with its gradient in double precision, and the estimate is what that
    // changes; an iterate is compared with those of exact arithmetic, behind which rounding makes it lag.
    // Reached is what is off by less than a tenth, and of iterates also what fits as well. Not-a-number and
    // true where nothing can be said: in double precision, within bounds that hold, and of an iterate with a
    // preconditioner.
    double error_estimate;
    bool precision_reached;
    bool tolerance_reached, noise_reached; // also true where they are not asked for
} kn_least_squares_solution;

// What is known of the solutions of one task.
typedef struct kn_least_squares_result kn_least_squares_result;

// ---- solving ----

// x: `count` times the matrix's columns, the starts (0 is a good one; GRAM does not look at it) and the
// solutions. On the queue's device, in order with what else is in it, or, where that is NULL, on the host.
// Everything is in double precision here, and converted for KN_F32. In single precision a device solves for
// up to 128 right-hand sides side by side (CGNR of matrices with KN_SPARSE_AUTO and a fixed number of
// iterations, and GRAM), otherwise one after the other. `made` may be NULL; it is to be freed by
// kn_least_squares_result_free. x and `made` are written only on success. Waits. Cost: compiling, the
// matrix's two formats, iterations, and for every solution an A and an A^T twice in double precision on the
// host. The same bits every time at one place, but where AUTO measures formats.
//
// Errors: KN_ERROR_ARGUMENT for numbers out of range or not finite, and for what the method, the host or the
// device does not have, as the sentence says; KN_ERROR_UNSUPPORTED for KN_F64 on a device without double
// precision; KN_ERROR_BUILD for a correction that does not compile; KN_ERROR_INTERRUPTED by `progress`;
// KN_ERROR_LIMIT and KN_ERROR_MEMORY; the device's.
KN_API kn_status kn_least_squares(kn_queue *queue, const kn_least_squares_task *task, double *x,
                                  const kn_least_squares_options *options, kn_least_squares_result **made,
                                  kn_error *err);

// Bytes that kn_least_squares takes at most beside the caller's own arrays, an estimate, before anything is
// taken; programs are not counted. `b` of the task may be NULL. It goes by the lengths of rows and columns.
// Cost: a pass over the nonzeros, and of a geometry whose matrix is kept the place of every pixel in every
// projection. Errors: as kn_least_squares has them for the task and the options.
KN_API kn_status kn_least_squares_estimate_memory(kn_queue *queue, const kn_least_squares_task *task,
                                                  kn_sparse_memory *memory,
                                                  const kn_least_squares_options *options, kn_error *err);

// NULL is fine.
KN_API void kn_least_squares_result_free(kn_least_squares_result *result);

// About right-hand side i from 0; NULL where there is none. The result's own.
KN_API const kn_least_squares_solution *kn_least_squares_get_solution(const kn_least_squares_result *result,
                                                                      size_t i);
// Of the same before the first iteration and after each, *count numbers (`count` may be NULL): |A x - b| /
// |b|, or on devices with CGNR and PRINTED the gradient's length as a part of the start's, which
// kn_least_squares_get_history_is_normal says. NULL, and 0, where there is none, and of GRAM. The
// result's own.
KN_API const double *kn_least_squares_get_history(const kn_least_squares_result *result, size_t i,
                                                  size_t *count);
KN_API bool kn_least_squares_get_history_is_normal(const kn_least_squares_result *result);

// The solution whose residual is the greatest; that which by its estimate is off most, of those that single
// precision has not reached, or else of all; and whether all have reached the tolerance and the noise. NULL,
// NULL and false for NULL.
KN_API const kn_least_squares_solution *kn_least_squares_get_worst(const kn_least_squares_result *result);
KN_API const kn_least_squares_solution *kn_least_squares_get_farthest(const kn_least_squares_result *result);
KN_API bool kn_least_squares_get_reached(const kn_least_squares_result *result);

// All of these answer for NULL with 0. The precision of the iterations, KN_F32 or KN_F64; and the weight of
// the penalty or the correction, 0 where there is neither.
KN_API kn_type kn_least_squares_get_type(const kn_least_squares_result *result);
KN_API double kn_least_squares_get_weight(const kn_least_squares_result *result);
// By what part of itself the diagonal of A^T A was increased, so that ILU has positive pivots.
KN_API double kn_least_squares_get_shift(const kn_least_squares_result *result);
// |<A x, y> - <x, A^T y>| of the products that ran, as a part of the sum of |a x y| over all nonzeros, for x
// and y of numbers from -1 to 1; *bound (may be NULL): what rounding allows. More than that means that x is
// wrong.
KN_API double kn_least_squares_get_adjoint(const kn_least_squares_result *result, double *bound);

// Whether the method holds bounds exactly, and not by a penalty.
KN_API bool kn_least_squares_method_holds_bounds(kn_least_squares_method method);

// "auto", "cgnr", "printed", "fista", "bb", "gram", "sirt"; "auto", "fixed", "residual", "discrepancy",
// "ncp"; "none", "jacobi", "ilu"; "iterations", "residual", "discrepancy", "ncp", "floor", "direct",
// "curvature". NULL for a number that is none.
KN_API const char *kn_least_squares_method_name(kn_least_squares_method method);
KN_API const char *kn_least_squares_stop_name(kn_least_squares_stop stop);
KN_API const char *kn_least_squares_preconditioner_name(kn_least_squares_preconditioner preconditioner);
KN_API const char *kn_least_squares_stopped_name(kn_least_squares_stopped stopped);

#ifdef __cplusplus
}
#endif
#endif
