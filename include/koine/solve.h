// SPDX-License-Identifier: Apache-2.0
// Least squares and linear systems with any linear operator (koine/operator.h): the x that makes
//
//     |A x - b|^2 / 2 + lambda |x|^2 / 2 + smooth |D x|^2 / 2
//
// least, where D takes differences of neighbouring elements of x, by conjugate gradients, or within bounds
// low <= x <= high by projected gradients; or the x of (A + lambda) x = b, where A is self-adjoint. Operators
// of the host's memory are solved by threads of the host, those of a context on its device, with scalars that
// stay there; in the operator's type, but KN_SOLVE_CG, whiteness and the methods with bounds have KN_F32
// alone on devices.
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
    // Conjugate gradients on the normal equations (Hestenes and Stiefel 1952; with terms as in Stock
    // and Koch, A Fast GPU Implementation for Solving Sparse Ill-Posed Linear Equation Systems): an A
    // and an A^H an iteration.
    KN_SOLVE_CGNR = 0,
    // Conjugate gradients on (A + lambda) x = b. A is self-adjoint and positive semi-definite, which
    // nobody checks: one A an iteration, and never A^H.
    KN_SOLVE_CG = 1,

    // The others hold bounds, low <= x <= high, exactly: each x is within them, the start is
    // projected. They are for operators of real numbers, and have no whiteness. An A and an A^T an
    // iteration, on the host by one thread beside the operator's.

    // Accelerated projected gradients (Beck and Teboulle 2009), started anew whenever a step goes up
    // (O'Donoghue and Candes 2015). Steps are the inverse of the greatest eigenvalue of A^T A, from
    // 30 power iterations before the plan's first solution. What to take where nothing else is known.
    KN_SOLVE_FISTA = 2,
    // Projected gradients with the steps of Barzilai and Borwein (1988), two long ones and a short
    // one in turn. The residual does not fall in every iteration.
    KN_SOLVE_BB = 3,
    // Simultaneous iterative reconstruction (Gilbert 1972), x + C A^T R (b - A x), projected, where R
    // and C have the inverse sums of A's rows and columns: A and A^T applied to ones, before every
    // solution, on a device before the plan's first one. It weighs rows, but ends where the projected
    // gradient of |A x - b|^2 does, which takes an A^T more an iteration. It has neither lambda nor
    // smooth. A must not have negative elements; where a sum, or A applied to zeros and ones, shows
    // that it has, KN_ERROR_ARGUMENT comes from kn_solve_execute.
    KN_SOLVE_SIRT = 4
} kn_solve_method;

// Called before each iteration, of which `iteration` were begun; a device is behind, by two where they take
// some milliseconds, and by 16 at most. Returns false to stop.
typedef bool kn_solve_progress(void *data, size_t iteration);

typedef struct kn_solve_options {
    size_t struct_size; // KN_INIT sets it
    kn_solve_method method;
    size_t iterations; // at most, up to 2^20
    // Stops once |A x - b| is at most this part of |b|, from 0 to below 1; KN_SOLVE_CG: once |(A +
    // lambda) x - b| is. 0: never.
    double tolerance;
    double noise;     // not KN_SOLVE_CG: stops once |A x - b| is at most this (the discrepancy principle);
                      // 0: never
    bool whiteness;   // KN_SOLVE_CGNR of real numbers: stops where A x - b is as white as it gets (Hansen,
                      // Kilmer and Kjeldsen 2006)
    double lambda;    // from 0 on; not KN_SOLVE_SIRT
    double smooth;    // from 0 on; KN_SOLVE_CGNR of real numbers, KN_SOLVE_FISTA and KN_SOLVE_BB
    unsigned order;   // of the differences that D takes, 1 or 2; looked at where smooth is not 0
    unsigned threads; // of the host; 0: as many as OMP_NUM_THREADS says, else as processors
    kn_solve_progress *progress; // NULL: none
    void *progress_data;         // what it is called with
    // KN_SOLVE_FISTA, KN_SOLVE_BB, KN_SOLVE_SIRT: low <= x <= high, of which either may be infinite.
    // Of KN_F32 they are rounded to the nearest floats within. false: there are no bounds, and low
    // and high are 0.
    bool bounded;
    double low, high;
} kn_solve_options;

typedef enum kn_solve_stopped {
    KN_SOLVE_STOPPED_ITERATIONS = 0, // all were done
    KN_SOLVE_STOPPED_TOLERANCE = 1,
    KN_SOLVE_STOPPED_NOISE = 2,
    KN_SOLVE_STOPPED_WHITENESS = 3,
    // Rounding is all there is left: the gradient is at the precision's floor (1e-7 of the first one,
    // in double precision 1e-15, or 1e-12 with bounds), or there is no direction in which it falls.
    // With bounds the gradient is computed anew from A x - b: where that stays large, its rounding
    // may be above the floor.
    KN_SOLVE_STOPPED_FLOOR = 4
} kn_solve_stopped;

typedef struct kn_solve_result {
    size_t iterations;
    kn_solve_stopped stopped;
    double residual; // |A x - b|; KN_SOLVE_CG: |(A + lambda) x - b|. Of the x that is given
    double right;    // |b|
    double gradient; // the last of `gradients` that kn_solve_plan_get_gradients has
} kn_solve_result;

typedef struct kn_solve_plan kn_solve_plan;

// How systems with A are solved, and the memory for it: made once, for any number of right-hand
// sides. `queue` is where an operator of a context is solved, in order with what else is in it, and
// stays open as long as the plan is used; it is NULL for an operator of the host's memory. The plan
// holds the operator. Kernels are compiled, and memory is taken, here: 4 vectors of columns and 2 of
// rows on a device (of the methods with bounds 5 and 3), 10 and 2 on the host (of the methods with
// bounds 6 and 3 of doubles, while a system is solved). A plan is to be used by one thread at a time;
// several plans may be used by several threads, as far as their operators may. Errors:
// KN_ERROR_ARGUMENT for options out of range, bounds with no number of the type within, and for
// KN_SOLVE_CG with an operator that is not square; KN_ERROR_UNSUPPORTED for what a method or the
// device does not have, such as KN_F64 without double precision; KN_ERROR_LIMIT for vectors of 2^32 - 1
// numbers or more on a device; KN_ERROR_MEMORY.
KN_API kn_status kn_solve_plan_create(kn_queue *queue, kn_operator *a, const kn_solve_options *options,
                                      kn_solve_plan **plan, kn_error *err);
// NULL is fine.
KN_API void kn_solve_plan_free(kn_solve_plan *plan);

// b: A's rows; x: its columns, the start and the solution; arrays of A's type, two numbers to a
// complex element. On a device both are copied there, and x back. Waits. Cost: an iteration's A and
// A^H, and reading and writing vectors some 13 times (KN_SOLVE_CG: 11 times); before the first and
// after the last an A more (with bounds before the first an A and an A^T, and what the method says).
// The same bits every time on one device or host, as far as the operator has them. x is written only
// on success. Errors: KN_ERROR_ARGUMENT, also for numbers that are not finite; KN_ERROR_INTERRUPTED
// by `progress`; those of the operator.
KN_API kn_status kn_solve_execute(kn_solve_plan *plan, const void *b, void *x, kn_solve_result *result,
                                  kn_error *err);
// The same with buffers of the plan's device, which are two. Errors: as above, and KN_ERROR_ARGUMENT
// for a plan of the host, and buffers too small or of another context. x may have been written then.
//
// `result` is the host's, and with one the call waits. Where it is NULL the call hands all iterations to the
// queue and returns, with the same x, unless the host has to decide something: it waits with `tolerance`,
// `noise`, `whiteness` and `progress`, with KN_SOLVE_BB, whose steps begin with a length that is computed
// here, and the first time that a plan of KN_SOLVE_FISTA or KN_SOLVE_SIRT solves, for what it finds out about
// A. Without waiting, iterations behind the floor cost their A and A^H and change nothing, and KN_SOLVE_CGNR
// of KN_F64 does not begin once more there, from a gradient computed anew; numbers that are not finite are
// not refused, and x is then undefined; with KN_SOLVE_CG a b of 0 takes all iterations; and
// kn_solve_plan_get_gradients has none.
KN_API kn_status kn_solve_execute_buffers(kn_solve_plan *plan, const kn_buffer *b, kn_buffer *x,
                                          kn_solve_result *result, kn_error *err);

// Of the last solution, before the first iteration and after each, as the method carries it along:
// the length of the gradient g = A^H (A x - b) + lambda x + smooth D^T D x; with KN_SOLVE_CG |(A +
// lambda) x - b|; of the methods with bounds the length of the projected gradient (Calamai and More
// 1987), which is g without what would take x out of the bounds where x is at one: 0 at the
// solution. `count` (may be NULL): iterations + 1. The plan's own, until it solves again;
// NULL, and 0, before it has.
KN_API const double *kn_solve_plan_get_gradients(const kn_solve_plan *plan, size_t *count);

// "cgnr", "cg", "fista", "bb", "sirt"; "iterations", "tolerance", "noise", "whiteness", "floor". NULL
// for a number that is none.
KN_API const char *kn_solve_method_name(kn_solve_method method);
KN_API const char *kn_solve_stopped_name(kn_solve_stopped stopped);

#ifdef __cplusplus
}
#endif
#endif
