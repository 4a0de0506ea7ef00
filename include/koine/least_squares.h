// SPDX-License-Identifier: Apache-2.0
// Least squares with a sparse matrix (koine/sparse.h) or a tomography geometry (koine/tomography.h), on the
// host or on a device, for any number of right-hand sides b: for each, the x that minimises
//
//     |A x - b|^2 / 2 + lambda |x|^2 / 2 + smooth |D x|^2 / 2
//
// with or without bounds, where D takes differences of neighbouring elements of x, and with or without
// weights of the measurements b. `koine solve` computes this. While koine/solve.h runs one method with any
// operator, this also stores the matrix in a fast format, solves for many right-hand sides together, and
// assesses the solutions: whether A and its transpose match, the residual computed in double precision, and
// the error of an x that was computed in single precision.
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
    // Conjugate gradients as in KN_SOLVE_CGNR: one product with A and one with A^T per iteration. Bounds are
    // a penalty, weight |x - P x|^2 / 2 with P x within them, and x may violate them a little.
    KN_LEAST_SQUARES_CGNR = 1,
    // The same as its source prints it (Stock and Koch, A Fast GPU Implementation for Solving Sparse
    // Ill-Posed Linear Equation Systems), for comparison: two products with A and two with A^T per iteration,
    // and always all iterations.
    KN_LEAST_SQUARES_PRINTED = 2,
    // KN_SOLVE_FISTA and KN_SOLVE_BB: bounds are kept exactly.
    KN_LEAST_SQUARES_FISTA = 3,
    KN_LEAST_SQUARES_BB = 4,
    // The normal equations: A^T A with its regularisation terms is factored once (Cholesky), for many
    // right-hand sides and few columns. No bounds, no iterations, and only half the digits on ill-conditioned
    // systems.
    KN_LEAST_SQUARES_GRAM = 5,
    // KN_SOLVE_SIRT: bounds are kept exactly; neither lambda nor smooth, and A must have no negative
    // elements.
    KN_LEAST_SQUARES_SIRT = 6,
    // For a geometry: filtered back-projection (kn_tomography_fbp_plan_create), which minimises nothing, and
    // has no iterations, start, bounds or terms. On the host in either precision.
    KN_LEAST_SQUARES_FBP = 7,
    // KN_SOLVE_TV: lambda weighs the total variation of pictures or volumes of `shape`; no smooth; bounds are
    // kept exactly.
    KN_LEAST_SQUARES_TV = 8
} kn_least_squares_method;

typedef enum kn_least_squares_stop {
    KN_LEAST_SQUARES_STOP_AUTO = 0,        // by the tolerance or the noise if one is given, otherwise FIXED
    KN_LEAST_SQUARES_STOP_FIXED = 1,       // after all iterations
    KN_LEAST_SQUARES_STOP_RESIDUAL = 2,    // once |A x - b| is at most tolerance |b|
    KN_LEAST_SQUARES_STOP_DISCREPANCY = 3, // once |A x - b| is at most noise (the discrepancy principle)
    // CGNR: where A x - b is closest to white noise (Hansen, Kilmer and Kjeldsen 2006).
    KN_LEAST_SQUARES_STOP_NCP = 4
} kn_least_squares_stop;

typedef enum kn_least_squares_preconditioner {
    KN_LEAST_SQUARES_NONE = 0,
    // The diagonal of A^T A. On devices, of a matrix and for |A x - b|^2 alone: its columns are scaled to
    // length 1 once, and iterations take no more time; the history and error_estimate are those of the scaled
    // x.
    KN_LEAST_SQUARES_JACOBI = 1,
    KN_LEAST_SQUARES_ILU = 2 // its incomplete LU factors without fill-in, on the host
} kn_least_squares_preconditioner;

// Set one of `matrix` and `geometry`; the other is NULL.
typedef struct kn_least_squares_task {
    size_t struct_size; // set by KN_INIT
    const kn_sparse *matrix;
    // Devices compute its products on the fly, unless a format is asked for that stores the matrix; the host
    // stores it.
    const kn_tomography_geometry *geometry;
    const double *b; // right-hand sides: `count` times the matrix's rows, one after another
    size_t count;    // at least 1
    // One for each of the matrix's rows, w: from 0 on, finite, and not all 0. Then the sum of w (a x - b)^2
    // over the rows a of A takes the place of |A x - b|^2, here and in what follows: in `noise`, residuals
    // and histories, |A x - b| and |b| are the roots of such sums. An element of b of the weight 0 is
    // ignored, and may be NaN. With 1 / s^2 for an element of b whose error has the standard deviation s, x
    // is the most likely one for errors that are normal; counts n have about 1 / n. KN_LEAST_SQUARES_SIRT and
    // _FBP have no weights. NULL: 1.
    const double *weights;
} kn_least_squares_task;

// Called after right-hand sides have been solved: `solved` of `count` are done. Returns false to stop.
typedef bool kn_least_squares_progress(void *data, size_t solved, size_t count);

typedef struct kn_least_squares_options {
    size_t struct_size; // set by KN_INIT
    kn_least_squares_method method;
    kn_least_squares_stop stop;
    size_t iterations; // at most: up to 2^20 on devices, below 2^32 - 1 on the host
    // A fraction of |b|, and a length in units of b; 0: none. If the stopping rule does not use them, they
    // are checked at the end.
    double tolerance, noise;
    double lambda, smooth; // from 0 on; of TV, lambda is the weight of the total variation
    unsigned order;        // of the differences that D takes, 1 or 2; ignored if smooth is 0
    bool bounded;          // low <= x <= high, either of which may be infinite
    double low, high;
    // The weight of the penalty for bounds of CGNR and PRINTED, 0: 50 times the greatest square of a column's
    // length; or the weight passed to `correction`, 0: 1.
    double weight;
    // For CGNR and PRINTED on devices, instead of a penalty: F(x, d), an expression in OpenCL C in the floats
    // x, d and weight, and in i, the column; linear in d. F(x, x) is added to the gradient. NULL: none.
    const char *correction;
    kn_least_squares_preconditioner preconditioner; // for CGNR
    // How a device stores A, for all methods but GRAM and FBP; for CGNR on the host, AUTO, SELL and SIMPLE.
    kn_sparse_format format;
    // KN_F64, KN_F32, or 0: KN_F64 if the other options allow double precision. Devices with double precision
    // support KN_F64 for matrices, with CGNR and PRINTED, but not with STOP_NCP, backprojection and the
    // formats on the fly; the host supports KN_F32 only with CGNR and FBP.
    kn_type type;
    kn_least_squares_progress *progress; // NULL: none
    // Called before each iteration of CGNR and of the methods with bounds, as in kn_solve_options, except
    // when right-hand sides are solved together. On a device it costs time, since iterations are then
    // launched one by one. NULL: none.
    kn_solve_progress *iteration_progress;
    void *progress_data;                          // what both are called with
    const struct kn_least_squares_tuning *tuning; // koine/experimental/least_squares.h; NULL: the default
    kn_tomography_filter filter;                  // of FBP
    // TV: the elements of x along each axis, as in kn_solve_options; all 0: the picture of a geometry.
    size_t shape[3];
} kn_least_squares_options;

// ---- results ----

typedef enum kn_least_squares_stopped {
    KN_LEAST_SQUARES_STOPPED_ITERATIONS = 0, // all iterations were done
    KN_LEAST_SQUARES_STOPPED_RESIDUAL = 1,
    KN_LEAST_SQUARES_STOPPED_DISCREPANCY = 2,
    KN_LEAST_SQUARES_STOPPED_NCP = 3,
    KN_LEAST_SQUARES_STOPPED_FLOOR = 4,    // the gradient is as small as the precision allows
    KN_LEAST_SQUARES_STOPPED_DIRECT = 5,   // GRAM and FBP, which have no iterations
    KN_LEAST_SQUARES_STOPPED_CURVATURE = 6 // nothing is left to do, or the correction is not convex
} kn_least_squares_stopped;

// The assessment of the solution for one right-hand side.
typedef struct kn_least_squares_solution {
    size_t iterations;
    kn_least_squares_stopped stopped;
    // Computed in double precision from the x that is returned: |A x - b| / |b|; and the length of the
    // gradient, or of the projected gradient if bounds are kept exactly, as a fraction of that at the start
    // (with a correction, as the device computed it); NaN for FBP, and for TV, whose objective has none.
    double residual, normal_residual;
    // For single precision: an estimate of the relative difference between x and the result of double
    // precision by the same stopping rule; and whether x is usable as an answer. A least-squares solution
    // (FLOOR, DIRECT) is refined once with its gradient in double precision, and the estimate is the
    // resulting change; an iterate is compared with those of exact arithmetic, behind which rounding makes it
    // lag. Precision is reached if the estimate is below one tenth, or, for iterates, if the fit is as good.
    // NaN and true if nothing can be said: in double precision, within bounds that are kept exactly, and for
    // an iterate with a preconditioner on the host, and for FBP.
    double error_estimate;
    bool precision_reached;
    bool tolerance_reached, noise_reached; // also true if they are not asked for
    // TV: |A x - b|^2 / 2 + lambda TV(x), in double precision from the same x; otherwise NaN.
    double objective;
} kn_least_squares_solution;

// The assessment of all solutions of one task.
typedef struct kn_least_squares_result kn_least_squares_result;

// ---- solving ----

// Solves for all right-hand sides. x has `count` times the matrix's columns: the starts (0 is a good one;
// GRAM and FBP ignore it) and the solutions. Computes on the queue's device, in order with the other work in
// it, or, if `queue` is NULL, on the host. All arrays are in double precision, and are converted for KN_F32.
// In single precision, a device solves for up to 128 right-hand sides together (CGNR of matrices with
// KN_SPARSE_AUTO and a fixed number of iterations, and GRAM), otherwise one after another. `made` may be
// NULL; free it with kn_least_squares_result_free. x and `made` are written only on success. Waits. Cost:
// compiling, the two formats of the matrix, the iterations, and for every solution two products each with A
// and A^T in double precision on the host. Bitwise reproducible on one device or host, except where AUTO
// measures formats.
//
// Errors: KN_ERROR_ARGUMENT for numbers that are out of range or not finite, and for options that the method,
// the host or the device does not support, which the message names; KN_ERROR_UNSUPPORTED for KN_F64 on a
// device without double precision; KN_ERROR_BUILD for a correction that does not compile;
// KN_ERROR_INTERRUPTED by `progress`; KN_ERROR_LIMIT and KN_ERROR_MEMORY; those of the device.
KN_API kn_status kn_least_squares(kn_queue *queue, const kn_least_squares_task *task, double *x,
                                  const kn_least_squares_options *options, kn_least_squares_result **made,
                                  kn_error *err);

// Estimates the most bytes that kn_least_squares would take besides the caller's arrays, without allocating
// anything; programs are not counted. `b` of the task may be NULL. The estimate depends on the lengths of
// rows and columns. Cost: a pass over the nonzeros, and for a geometry whose matrix is stored, the position
// of every pixel in every projection. Errors: those of kn_least_squares for the task and the options.
KN_API kn_status kn_least_squares_estimate_memory(kn_queue *queue, const kn_least_squares_task *task,
                                                  kn_sparse_memory *memory,
                                                  const kn_least_squares_options *options, kn_error *err);

// The L-curve, from which a lambda can be chosen (Hansen, Analysis of discrete ill-posed problems by means of
// the L-curve, 1992): |A x - b| and |x|, over all right-hand sides, of the solutions for `count` values of
// lambda, from 5 to 1000. These are spaced evenly in their logarithms, from |A|^2 down over 10 decades, in
// single precision over 6. points[3 i] to points[3 i + 2] receive lambda, |A x - b| and |x| of point i.
// *corner receives the index of the point at which log |x| against log |A x - b| has the greatest curvature:
// less lambda mostly adds noise to x, and more of it mostly worsens the fit. It receives `count` if the curve
// has no corner, as with problems that need no regularisation. The corner suits white errors that are not
// small, about a hundredth of b; with small errors and smooth solutions it is known to give too little lambda
// (Hanke 1996). With weights, the residuals are weighted.
//
// The method is CGNR from a start of 0, for each lambda and right-hand side with `iterations` of the options
// at most; lambda, smooth, tolerance and noise are 0 there, and there are neither bounds nor a correction;
// preconditioners are not used. `progress` is called after each point. Computes on the queue's device, or, if
// `queue` is NULL, on the host. Waits. Writes nothing on failure. Errors: those of kn_least_squares, and
// KN_ERROR_ARGUMENT if A^T b is 0.
KN_API kn_status kn_least_squares_lcurve(kn_queue *queue, const kn_least_squares_task *task,
                                         const kn_least_squares_options *options, size_t count,
                                         double *points, size_t *corner, kn_error *err);

// NULL is fine.
KN_API void kn_least_squares_result_free(kn_least_squares_result *result);

// The assessment for right-hand side i, from 0; NULL if there is no such right-hand side. Owned by the
// result.
KN_API const kn_least_squares_solution *kn_least_squares_get_solution(const kn_least_squares_result *result,
                                                                      size_t i);
// The convergence history of right-hand side i, before the first iteration and after each, *count numbers
// (`count` may be NULL): |A x - b| / |b|, or on devices with CGNR and PRINTED the length of the gradient as a
// fraction of that at the start, as kn_least_squares_get_history_is_normal tells. NULL, and 0, if there is no
// such right-hand side, and for GRAM and FBP. Owned by the result.
KN_API const double *kn_least_squares_get_history(const kn_least_squares_result *result, size_t i,
                                                  size_t *count);
KN_API bool kn_least_squares_get_history_is_normal(const kn_least_squares_result *result);

// The solution with the greatest residual; the one with the greatest error estimate, among those that did not
// reach the precision, or else among all; and whether all have reached the tolerance and the noise. NULL,
// NULL and false for NULL.
KN_API const kn_least_squares_solution *kn_least_squares_get_worst(const kn_least_squares_result *result);
KN_API const kn_least_squares_solution *kn_least_squares_get_farthest(const kn_least_squares_result *result);
KN_API bool kn_least_squares_get_reached(const kn_least_squares_result *result);

// For NULL all of these return 0. The precision of the iterations, KN_F32 or KN_F64; and the weight of the
// penalty or the correction, 0 if there is neither.
KN_API kn_type kn_least_squares_get_type(const kn_least_squares_result *result);
KN_API double kn_least_squares_get_weight(const kn_least_squares_result *result);
// The fraction by which the diagonal of A^T A was increased so that ILU has positive pivots.
KN_API double kn_least_squares_get_shift(const kn_least_squares_result *result);
// The adjoint test of the products that ran: |<A x, y> - <x, A^T y>| as a fraction of the sum of |a x y| over
// all nonzeros, for x and y of numbers from -1 to 1; *bound (may be NULL) receives the most that rounding
// explains. A greater value means that the solution is wrong. Both are 0 for FBP, which has no such products.
KN_API double kn_least_squares_get_adjoint(const kn_least_squares_result *result, double *bound);

// Whether the method keeps bounds exactly, and not by a penalty.
KN_API bool kn_least_squares_method_holds_bounds(kn_least_squares_method method);

// "auto", "cgnr", "printed", "fista", "bb", "gram", "sirt", "fbp", "tv"; "auto", "fixed", "residual",
// "discrepancy", "ncp"; "none", "jacobi", "ilu"; "iterations", "residual", "discrepancy", "ncp", "floor",
// "direct", "curvature". NULL for any other value.
KN_API const char *kn_least_squares_method_name(kn_least_squares_method method);
KN_API const char *kn_least_squares_stop_name(kn_least_squares_stop stop);
KN_API const char *kn_least_squares_preconditioner_name(kn_least_squares_preconditioner preconditioner);
KN_API const char *kn_least_squares_stopped_name(kn_least_squares_stopped stopped);

#ifdef __cplusplus
}
#endif
#endif
