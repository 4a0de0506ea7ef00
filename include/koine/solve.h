// SPDX-License-Identifier: Apache-2.0
// Least squares and linear systems by conjugate gradients, with any linear operator (koine/operator.h): the x
// that makes
//
//     |A x - b|^2 / 2 + lambda |x|^2 / 2 + smooth |D x|^2 / 2
//
// least, where D takes differences of neighbouring elements of x; or the x of (A + lambda) x = b, where A is
// self-adjoint. Operators of the host's memory are solved by threads of the host, in the operator's type;
// those of a context on its device, in single precision, with scalars that stay there.
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
    // Koch,
    // A Fast GPU Implementation for Solving Sparse Ill-Posed Linear Equation Systems): an A and an A^H an
    // iteration.
    KN_SOLVE_CGNR = 0,
    // Conjugate gradients on (A + lambda) x = b. A is self-adjoint and positive semi-definite, which nobody
    // checks: one A an iteration, and never A^H.
    KN_SOLVE_CG = 1
} kn_solve_method;

// Called before each iteration, of which `iteration` were begun; a device is behind. Returns false to stop.
typedef bool kn_solve_progress(void *data, size_t iteration);

typedef struct kn_solve_options {
    size_t struct_size; // KN_INIT sets it
    kn_solve_method method;
    size_t iterations; // at most, up to 2^20
    // Stops once |A x - b| is at most this part of |b|, from 0 to below 1; KN_SOLVE_CG: once
    // |(A + lambda) x - b| is. 0: never.
    double tolerance;
    double noise; // KN_SOLVE_CGNR: stops once |A x - b| is at most this (the discrepancy principle); 0: never
    bool whiteness;   // KN_SOLVE_CGNR of real numbers: stops where A x - b is as white as it gets (Hansen,
                      // Kilmer and Kjeldsen 2006)
    double lambda;    // from 0 on
    double smooth;    // from 0 on; KN_SOLVE_CGNR of real numbers
    unsigned order;   // of the differences that D takes, 1 or 2; looked at where smooth is not 0
    unsigned threads; // of the host; 0: as many as OMP_NUM_THREADS says, else as processors
    kn_solve_progress *progress; // NULL: none
    void *progress_data;         // what it is called with
} kn_solve_options;

typedef enum kn_solve_stopped {
    KN_SOLVE_STOPPED_ITERATIONS = 0, // all were done
    KN_SOLVE_STOPPED_TOLERANCE = 1,
    KN_SOLVE_STOPPED_NOISE = 2,
    KN_SOLVE_STOPPED_WHITENESS = 3,
    // Rounding is all there is left: the gradient is at the precision's floor (1e-7 of the first one, in
    // double precision 1e-15), or there is no direction in which it falls.
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

// How systems with A are solved, and the memory for it: made once, for any number of right-hand sides.
// `queue` is where an operator of a context is solved, in order with what else is in it, and stays open as
// long as the plan is used; it is NULL for an operator of the host's memory. The plan holds the operator.
// Kernels are compiled, and memory is taken, here: 4 vectors of columns and 2 of rows on a device, 10 and 2
// on the host. A plan is to be used by one thread at a time; several plans may be used by several threads, as
// far as their operators may. Errors: KN_ERROR_ARGUMENT for options out of range, and for KN_SOLVE_CG with an
// operator that is not square; KN_ERROR_UNSUPPORTED for what a method does not have, and for KN_F64 on a
// device; KN_ERROR_LIMIT for vectors of 2^32 - 1 numbers or more on a device; KN_ERROR_MEMORY.
KN_API kn_status kn_solve_plan_create(kn_queue *queue, kn_operator *a, const kn_solve_options *options,
                                      kn_solve_plan **plan, kn_error *err);
// NULL is fine.
KN_API void kn_solve_plan_free(kn_solve_plan *plan);

// b: A's rows; x: its columns, the start and the solution; arrays of A's type, two numbers to a complex
// element. On a device both are copied there, and x back. Waits. Cost: an iteration's A and A^H, and reading
// and writing vectors some 13 times (KN_SOLVE_CG: 11 times); before the first and after the last an A more.
// The same bits every time on one device or host, as far as the operator has them. x is written only on
// success. Errors: KN_ERROR_ARGUMENT, also for numbers that are not finite; KN_ERROR_INTERRUPTED by
// `progress`; those of the operator.
KN_API kn_status kn_solve_execute(kn_solve_plan *plan, const void *b, void *x, kn_solve_result *result,
                                  kn_error *err);
// The same with buffers of the plan's device, which are two. Errors: as above, and KN_ERROR_ARGUMENT for a
// plan of the host, and buffers too small or of another context. x may have been written then.
KN_API kn_status kn_solve_execute_buffers(kn_solve_plan *plan, const kn_buffer *b, kn_buffer *x,
                                          kn_solve_result *result, kn_error *err);

// Of the last solution, before the first iteration and after each: |A^H (A x - b) + lambda x + smooth D^T D
// x|, with KN_SOLVE_CG |(A + lambda) x - b|, as the method carries them along. `count` (may be NULL):
// iterations +
// 1. The plan's own, until it solves again; NULL, and 0, before it has.
KN_API const double *kn_solve_plan_get_gradients(const kn_solve_plan *plan, size_t *count);

// "cgnr", "cg"; "iterations", "tolerance", "noise", "whiteness", "floor". NULL for a number that is none.
KN_API const char *kn_solve_method_name(kn_solve_method method);
KN_API const char *kn_solve_stopped_name(kn_solve_stopped stopped);

#ifdef __cplusplus
}
#endif
#endif
