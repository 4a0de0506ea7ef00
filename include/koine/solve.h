// SPDX-License-Identifier: Apache-2.0
// Least squares and linear systems with any linear operator (koine/operator.h): the x that minimises
//
//     |A x - b|^2 / 2 + lambda |x|^2 / 2 + smooth |D x|^2 / 2
//
// where D takes differences of neighbouring elements of x, by conjugate gradients, or within bounds low <= x
// <= high by projected gradients; the picture or volume x with the least |A x - b|^2 / 2 + lambda TV(x), by a
// primal-dual method, or with sparse wavelets; or the x that solves (A + lambda) x = b with a self-adjoint A.
// Systems with an operator in host memory are solved by threads of the host, those with an operator in a
// context on its device, where scalars stay as well; in the operator's type, except that KN_SOLVE_CG,
// whiteness and the methods with bounds are KN_F32 only on devices.
//
//     kn_solve_plan *plan = NULL;
//     kn_solve_result result;
//     const kn_solve_options options = KN_INIT(kn_solve_options, .iterations = 100, .tolerance = 1e-6);
//
//     kn_solve_plan_create(NULL, a, &options, &plan, &err);
//     kn_solve_execute(plan, b, x, &result, &err);   // x: the start, and the solution
//     kn_solve_plan_free(plan);
#ifndef KOINE_SOLVE_H
#define KOINE_SOLVE_H

#include <koine/operator.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum kn_solve_method {
    // Conjugate gradients on the normal equations (Hestenes and Stiefel 1952; with terms as in Stock and
    // Koch, A Fast GPU Implementation for Solving Sparse Ill-Posed Linear Equation Systems): one product with
    // A and one with A^H per iteration.
    KN_SOLVE_CGNR = 0,
    // Conjugate gradients on (A + lambda) x = b. A must be self-adjoint and positive semi-definite, which is
    // not checked: one product with A per iteration, and none with A^H.
    KN_SOLVE_CG = 1,

    // The other methods keep the bounds low <= x <= high exactly: each x is within them, and the start is
    // projected. They are for operators of real numbers, and do not support `whiteness`. One product with A
    // and one with A^T per iteration; on the host, the rest is done by one thread.

    // Accelerated projected gradients (Beck and Teboulle 2009), restarted whenever a step goes uphill
    // (O'Donoghue and Candes 2015). The step is the inverse of the greatest eigenvalue of A^T A, from 30
    // power iterations before the plan's first solution. The method to try first.
    KN_SOLVE_FISTA = 2,
    // Projected gradients with the steps of Barzilai and Borwein (1988), two long ones and a short one in
    // turn. The residual does not decrease in every iteration.
    KN_SOLVE_BB = 3,
    // Simultaneous iterative reconstruction (Gilbert 1972), x + C A^T R (b - A x), projected, where R and C
    // hold the inverse sums of A's rows and columns: A and A^T applied to ones, before every solution, on a
    // device before the plan's first one. It weights rows, but stops by the projected gradient of |A x -
    // b|^2, which takes one more product with A^T per iteration. It has neither lambda nor smooth. A must not
    // have negative elements; if a sum, or A applied to zeros and ones, shows that it has, kn_solve_execute
    // fails with KN_ERROR_ARGUMENT.
    KN_SOLVE_SIRT = 4,
    // Least squares with total variation, |A x - b|^2 / 2 + lambda TV(x), of a picture or volume of `shape`,
    // with or without bounds, by the primal-dual method of Chambolle and Pock (2011), over-relaxed (Condat
    // 2013). TV is isotropic: the sum over the pixels of the length of the differences to the next pixel
    // along each axis; the last pixel of a line has none. Steps follow from the greatest eigenvalue of A^H A,
    // from 30 power iterations before the plan's first solution. Also for complex numbers, whose differences
    // have the length of both parts, then without bounds. It has neither smooth nor `whiteness`. The
    // objective does not decrease in every iteration; kn_solve_plan_get_objectives has it.
    KN_SOLVE_TV = 5,
    // Least squares with sparse wavelets, |A x - b|^2 / 2 + lambda sum |c|, of a picture or volume of
    // `shape`, by accelerated proximal gradients, with steps and restarts as KN_SOLVE_FISTA. c are the
    // details of an orthogonal wavelet transform W x, of complex numbers their moduli; a step shortens each
    // by the step times lambda, or to 0. W has Daubechies' wavelet of four taps (1988), periodic along each
    // axis, and at most 5 levels: each halves the axes whose length at that level is even and at least 16, so
    // that other lengths take part with fewer levels, down to none. The coarse approximation that is left, of
    // 8 elements along an axis of 16 to 256 that is a power of two, is not in the sum. There are no bounds,
    // no smooth and no `whiteness`. kn_solve_plan_get_objectives has the objective.
    KN_SOLVE_WAVELET = 6
} kn_solve_method;

// Called before each iteration, with the number of iterations begun so far; a device lags behind, by two if
// iterations take some milliseconds, and by 16 at most. Returns false to stop.
typedef bool kn_solve_progress(void *data, size_t iteration);

typedef struct kn_solve_options {
    size_t struct_size; // set by KN_INIT
    kn_solve_method method;
    size_t iterations; // at most, up to 2^20
    // Relative tolerance, from 0 to below 1: stops once |A x - b| is at most this fraction of |b|;
    // KN_SOLVE_CG: once |(A + lambda) x - b| is. 0: never.
    double tolerance;
    double noise; // stops once |A x - b| is at most this (the discrepancy principle); not for KN_SOLVE_CG; 0:
                  // never
    bool whiteness;   // KN_SOLVE_CGNR of real numbers: stops where A x - b is closest to white noise (Hansen,
                      // Kilmer and Kjeldsen 2006)
    double lambda;    // from 0 on; not KN_SOLVE_SIRT; of KN_SOLVE_TV and _WAVELET, the weight of
                      // the total variation or the details
    double smooth;    // from 0 on; KN_SOLVE_CGNR of real numbers, KN_SOLVE_FISTA and KN_SOLVE_BB
    unsigned order;   // of the differences that D takes, 1 or 2; ignored if smooth is 0
    unsigned threads; // of the host; 0: as many as OMP_NUM_THREADS says, otherwise one per processor
    kn_solve_progress *progress; // NULL: none
    void *progress_data;         // what it is called with
    // KN_SOLVE_FISTA, KN_SOLVE_BB, KN_SOLVE_SIRT, KN_SOLVE_TV: low <= x <= high, either of which may be
    // infinite. For KN_F32 they are rounded inwards to the nearest floats. false: there are no bounds, and
    // low and high are 0.
    bool bounded;
    double low, high;
    // KN_SOLVE_TV and KN_SOLVE_WAVELET: how many elements x has along each axis, the one along which they are
    // neighbours in memory first: width, height and depth of a picture or volume. 0 counts as 1; their
    // product is the number of A's columns. Other methods do not look at it.
    size_t shape[3];
} kn_solve_options;

typedef enum kn_solve_stopped {
    KN_SOLVE_STOPPED_ITERATIONS = 0, // all iterations were done
    KN_SOLVE_STOPPED_TOLERANCE = 1,
    KN_SOLVE_STOPPED_NOISE = 2,
    KN_SOLVE_STOPPED_WHITENESS = 3,
    // Only rounding errors are left: the gradient has reached the floor of the precision (1e-7 of the first
    // one; in double precision 1e-15, or 1e-12 with bounds), or there is no descent direction. With bounds,
    // the gradient is recomputed from A x - b; if that stays large, its rounding errors may be above the
    // floor.
    KN_SOLVE_STOPPED_FLOOR = 4
} kn_solve_stopped;

typedef struct kn_solve_result {
    size_t iterations;
    kn_solve_stopped stopped;
    double residual; // |A x - b|; KN_SOLVE_CG: |(A + lambda) x - b|. Of the x that is returned
    double right;    // |b|
    double gradient; // the last number of kn_solve_plan_get_gradients
} kn_solve_result;

typedef struct kn_solve_plan kn_solve_plan;

// Makes a plan that solves systems with A for any number of right-hand sides, and holds the memory for it.
// `queue` is where systems with an operator in a context are solved, in order with the other work in it, and
// must stay open as long as the plan is used; it is NULL for an operator in host memory. The plan holds a
// reference to the operator. This call compiles the kernels and allocates the memory: 4 vectors of columns
// and 2 of rows on a device (5 and 3 for the methods with bounds; 5 and 4 for KN_SOLVE_TV, 6 of a volume; 6
// and 3 for KN_SOLVE_WAVELET), 10 and 2 on the host (6 and 3 of doubles for the methods with bounds, 5 and 4
// for KN_SOLVE_TV, 6 of a volume, 7 and 3 for KN_SOLVE_WAVELET, while a system is solved). A plan may be used
// by one thread at a time; several threads may use several plans, if their operators allow it. Errors:
// KN_ERROR_ARGUMENT for options out of range, bounds that no number of the type satisfies, for KN_SOLVE_CG
// with an operator that is not square, and for KN_SOLVE_TV and _WAVELET with a shape of another number of
// elements than A has columns, or, for the latter, one without an axis that it can halve;
// KN_ERROR_UNSUPPORTED for what a method or the device does not have, such as KN_F64 without double
// precision; KN_ERROR_LIMIT for vectors of 2^32 - 1 numbers or more on a device; KN_ERROR_MEMORY.
KN_API kn_status kn_solve_plan_create(kn_queue *queue, kn_operator *a, const kn_solve_options *options,
                                      kn_solve_plan **plan, kn_error *err);
// NULL is fine.
KN_API void kn_solve_plan_free(kn_solve_plan *plan);

// Solves for one right-hand side. b has as many elements as A has rows; x has as many as A has columns, and
// is the start and the solution. Both are arrays of A's type, with two numbers for a complex element. For a
// device, both are copied there, and x is copied back. Waits. Cost: per iteration, the products with A and
// A^H, and reading and writing vectors some 13 times (KN_SOLVE_CG: 11 times); one more product with A before
// the first iteration and after the last (with bounds, a product with A and one with A^T before the first,
// and what the method says). Bitwise reproducible on one device or host, if the operator is. x is written
// only on success. Errors: KN_ERROR_ARGUMENT, also for numbers that are not finite; KN_ERROR_INTERRUPTED by
// `progress`; those of the operator.
KN_API kn_status kn_solve_execute(kn_solve_plan *plan, const void *b, void *x, kn_solve_result *result,
                                  kn_error *err);
// The same with two different buffers of the plan's device. Errors: as above, and KN_ERROR_ARGUMENT for a
// plan of the host, and for buffers that are too small or of another context. x may have been written after
// an error.
//
// `result` is in host memory, and with one the call waits. If it is NULL, the call enqueues all iterations
// and returns, with the same x, unless the host has to make a decision: it waits with `tolerance`, `noise`,
// `whiteness` and `progress`, with KN_SOLVE_BB, whose first step length is computed on the host, and the
// first time that a plan of KN_SOLVE_FISTA, KN_SOLVE_SIRT, KN_SOLVE_TV or KN_SOLVE_WAVELET solves, for
// properties of A. Without waiting, iterations past the floor still cost their products and change nothing,
// and KN_SOLVE_CGNR of KN_F64 does not restart there from a recomputed gradient; numbers that are not finite
// are not refused, and x is then undefined; with KN_SOLVE_CG, a b of 0 takes all iterations; and
// kn_solve_plan_get_gradients has no numbers.
KN_API kn_status kn_solve_execute_buffers(kn_solve_plan *plan, const kn_buffer *b, kn_buffer *x,
                                          kn_solve_result *result, kn_error *err);

// The convergence history of the last solution, before the first iteration and after each, as the method's
// recurrence has it: the length of the gradient g = A^H (A x - b) + lambda x + smooth D^T D x; with
// KN_SOLVE_CG, |(A + lambda) x - b|; with the methods with bounds, the length of the projected gradient
// (Calamai and More 1987), which is g without the components that would take x out of the bounds, and is 0 at
// the solution; with KN_SOLVE_TV, by how much an iteration changes x and the dual variables, weighed by their
// steps, which is 0 at the solution as well; with KN_SOLVE_WAVELET, by how much a step from the point that
// momentum leads to changes x, divided by the step, which is 0 there, too. `count` (may be NULL) receives
// iterations + 1. Owned by the plan, and valid until it solves again; NULL, and 0, before the first solution.
KN_API const double *kn_solve_plan_get_gradients(const kn_solve_plan *plan, size_t *count);

// |A x - b|^2 / 2 + lambda TV(x), or with the details of KN_SOLVE_WAVELET, of the same x, before the first
// iteration and after each. NULL, and 0, with other methods, and before the first solution; otherwise as
// kn_solve_plan_get_gradients has it.
KN_API const double *kn_solve_plan_get_objectives(const kn_solve_plan *plan, size_t *count);

// "cgnr", "cg", "fista", "bb", "sirt", "tv", "wavelet"; "iterations", "tolerance", "noise", "whiteness",
// "floor". NULL for any other value.
KN_API const char *kn_solve_method_name(kn_solve_method method);
KN_API const char *kn_solve_stopped_name(kn_solve_stopped stopped);

#ifdef __cplusplus
}
#endif
#endif
