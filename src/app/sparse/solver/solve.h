// SPDX-License-Identifier: Apache-2.0
// Sparse least squares as a user asks for them: the x that makes |A x - b|^2 / 2, and what is added to it,
// least, for every column of b; by any of the methods, on the host or on a device.
#ifndef KN_APP_SPARSE_SOLVER_SOLVE_H
#define KN_APP_SPARSE_SOLVER_SOLVE_H

#include "app/sparse/matrix.h"
#include "app/sparse/solver/device/solver.h"
#include "operator/terms.h"

enum sparse_method {
    SPARSE_METHOD_AUTO,    // fista within bounds, cgnr without
    SPARSE_METHOD_CGNR,    // conjugate gradients with the correction term (host/cgnr.h, device/solver.h)
    SPARSE_METHOD_PRINTED, // the same, A and A^T twice an iteration as their source prints it (reference.h)
    SPARSE_METHOD_FISTA,   // within bounds that hold (koine/solve.h)
    SPARSE_METHOD_BB,
    SPARSE_METHOD_GRAM, // the normal equations by Cholesky factors, for many columns of b (gram.h)
    SPARSE_METHOD_SIRT, // within bounds that hold, of an A without negative elements (koine/solve.h)
    SPARSE_METHODS
};
enum sparse_stop_rule {
    SPARSE_STOP_AUTO, // residual with a tolerance, discrepancy with noise, otherwise fixed
    SPARSE_STOP_FIXED,
    SPARSE_STOP_RESIDUAL,    // |A x - b| <= tolerance |b|
    SPARSE_STOP_DISCREPANCY, // |A x - b| <= noise
    SPARSE_STOP_NCP          // A x - b is as white as it gets (ncp.h)
};
enum sparse_preconditioning {
    SPARSE_PRECONDITIONING_NONE,
    SPARSE_PRECONDITIONING_JACOBI,
    SPARSE_PRECONDITIONING_ILU
};

// In these orders; they end with NULL.
extern const char *const ki_sparse_method_names[], *const ki_sparse_stop_names[],
                                                       *const ki_sparse_preconditioning_names[];

struct sparse_task {
    // A of rays instead of a matrix: devices compute its products on the fly, unless a format keeps its
    // matrix; the host keeps it. NULL: there is none.
    const struct sparse_parallel *geometry;
    enum sparse_method method;
    enum sparse_stop_rule stop;
    size_t iterations; // at most
    // Of |b|, and in units of b; 0: none is asked for. With a rule that does not stop there, it is looked at
    // in the end.
    double tolerance, noise;
    double lambda, smooth; // of |x|^2 / 2 and |D x|^2 / 2
    unsigned order;        // of D: 1 or 2
    bool bounded; // low <= x <= high: held by fista, bb and sirt, the penalty weight |x - P x|^2 / 2 by the
                  // others
    double low, high;
    double weight; // of that, and what a correction is given; 0: 50 times the greatest |a_j|^2 of A's
                   // columns, and 1
    const char *correction; // as cgnr_options has it; on devices
    enum sparse_preconditioning preconditioning;
    kn_sparse_format format; // on the host KN_SPARSE_AUTO and KN_SPARSE_SELL (one code), and KN_SPARSE_SIMPLE
    bool past_floor;         // goes on at the precision's floor, for measurements
    bool is_double;          // on a device cgnr and printed alone, with a matrix that is kept
};

// The solution of a column.
struct sparse_solution {
    size_t iterations;
    const char *stopped_by; // "iterations", "residual", "discrepancy", "ncp", "floor" (of the precision: the
                            // gradient will not get smaller), "direct" (gram's, which has no iterations),
                            // "curvature" (the correction is not convex, or nothing is left)
    double residual;        // |A x - b| / |b|, in double precision from x as it is given
    double normal_residual; // the gradient, with bounds that hold the projected one, as a part of the
                            // start's; so, too, but with a correction
    double *history;        // iterations + 1: the residual after each; of a device's conjugate gradients the
                            // normal residual
    // Of what single precision has computed: how far x is, as a part of itself, from what double precision
    // would have given by the same rule, an estimate; and whether it is an answer (solve_accuracy.c says by
    // which measure). Not-a-number and true where there is nothing to say: in double precision, within
    // bounds that hold, and of an iterate with a preconditioner.
    double error_estimate;
    bool precision_reached;
    bool reached;       // tolerance and noise, as far as they are asked for
    const char *missed; // which of them is not: "tolerance" or "noise"; NULL: neither
};

struct sparse_answer {
    struct sparse_columns x;
    struct sparse_solution *solutions; // one for each column
    bool history_is_normal;
    unsigned launches_per_iteration; // 0 on the host
    // Of making the matrix ready (on a device: of uploading it both ways), of all iterations, of getting b
    // there and x back.
    double prepare_seconds, iterate_seconds, copy_seconds;
    // |<A x, y> - <x, A^T y>| of the products that ran, as a part of the sum of |a x y| of all nonzeros, for
    // vectors from -1 to 1; and what rounding allows.
    double adjoint, adjoint_bound;
    double weight;  // of the penalty or the correction, as it was taken; 0: there is none
    double shift;   // of an incomplete factorization (preconditioner.h)
    char code[128]; // what computed, in words
};

struct sparse_progress {
    void (*step)(void *data, double done); // 0 to 1
    void *data;
};

// Whether bounds hold exactly; otherwise they are a penalty.
bool ki_sparse_holds_bounds(enum sparse_method method);

// What of the task devices have in single precision alone, as the command's option names it: "--stop ncp";
// NULL: nothing.
const char *ki_sparse_single_alone(const struct sparse_task *task);

// What AUTO stands for.
struct sparse_task ki_sparse_task_settle(const struct sparse_task *task);

// x, of b's columns, from `start` (NULL: 0; one column starts all). `matrix` is not looked at with a
// geometry. `queue` NULL: on the host. Frees nothing of what is given; the caller frees the answer by
// ki_sparse_answer_free. Errors: KN_ERROR_INPUT for columns that do not fit the matrix, by `names` of A, b
// and the start; KN_ERROR_ARGUMENT for numbers out of range, for what the host or devices have not, and those
// of the solvers'; KN_ERROR_MEMORY. On failure `answer` is empty.
kn_status ki_sparse_solve(kn_queue *queue, const struct sparse_matrix *matrix, const struct sparse_columns *b,
                          const struct sparse_columns *start, const char *const names[3],
                          const struct sparse_task *task, const struct sparse_progress *progress,
                          struct sparse_answer *answer, kn_error *err);
void ki_sparse_answer_free(struct sparse_answer *answer);

// The column whose residual is the greatest.
const struct sparse_solution *ki_sparse_worst(const struct sparse_answer *answer);
bool ki_sparse_all_reached(const struct sparse_answer *answer);
// The column whose estimate of the error is the greatest, of those that single precision has not reached, or
// else of all.
const struct sparse_solution *ki_sparse_least_accurate(const struct sparse_answer *answer);

#endif
