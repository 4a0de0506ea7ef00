// SPDX-License-Identifier: Apache-2.0
// Conjugate gradients on the normal equations of A x = b with a correction term, between two applications of a linear
// operator: minimises |A x - b|^2 / 2 + lambda |x|^2 / 2 + smooth |D x|^2 / 2 + the function whose gradient is CORRECTION.
// Vectors are real; a complex number is two reals, because only the real part of a dot product is needed. An iteration
// (src/operator/cgnr/cgnr.h):
//
//     e = A^T A d + L d + F(x, d)    f = d.e           L = lambda + smooth D^T D
//     alpha = -(g.d) / f             x += alpha d
//     h += alpha (A^T A + L) d       g = h + F(x, x)   h, the linear part, by recurrence
//     beta = (g.e) / f               d = -g + beta d
//
// Scalars stay on the device, in `state`: first the groups' sums, four kinds of `parts` cells each; |b|^2; twice the number
// of the next iteration and the STOP_ of the previous one, so that a launch reads one while it writes the other; then four
// cells for every iteration k, once x_k is known: |g|^2; |A x - b|^2 (RESIDUAL); the alpha that led there; and 0, or why it
// ended there (STOP_). After iteration `most` the launches do nothing.
// Source: Stock and Koch, A Fast GPU Implementation for Solving Sparse Ill-Posed Linear Equation Systems, table 1, whose
// alpha has g.e where minimising along d gives g.d.
//
// Launch, in each iteration: cgnr_step (RESIDUAL: cgnr_rest), cgnr_turn with `parts` groups each, A and A^T, cgnr_curve.
// Cost: curve reads v, d, h, writes e, which may be v, and reads x if there is a CORRECTION; step reads and writes x, h,
// reads d, e; turn reads h, writes d, reads d, and x if there is a CORRECTION.
// Tunables: REAL_BITS, GROUP (a power of two), RESIDUAL (1: r = A x - b is kept, too), ORDERED (1: the rows of A's products
// have another order), CORRECTION (cl/operator/cgnr.clh), ACC_SOFT (cl/lib/accumulator.clh), KN_SUBGROUP (cl/lib/rung.clh).
#include "../shared/cgnr.h"

#ifndef RESIDUAL
#define RESIDUAL 0
#endif
#ifndef ORDERED
#define ORDERED 0
#endif

#include "cgnr.clh"
#include "cgnr_state.clh"
#include "solver.clh"

// r = w - b, which may overwrite w, and partial sums of its squares and of b's. ORDERED: row i of w and r is row
// row_order[i] of b.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
cgnr_residual(__global const real *w, __global const real *b,
#if ORDERED
              __global const uint *row_order,
#endif
              __global real *r, uint rows, __global acc *state, uint parts)
{
    __local acc node[GROUP];
    acc squares = ACC_ZERO, goal = ACC_ZERO;

    FOR_COLUMNS(i, rows) {
#if ORDERED
        real right = b[row_order[i]];
#else
        real right = b[i];
#endif
        real rest = w[i] - right;
        r[i] = rest;
        squares = acc_add_product(squares, rest, rest);
        goal = acc_add_product(goal, right, right);
    }
    leave_two_parts(squares, goal, state, parts, 0, node);
}

// e = v + L d, which may overwrite v; partial sums of d.(e + F(x, d)) and d.g. Before the first iteration it also computes
// h from x.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
cgnr_curve(__global const real *v, __global const real *d, __global const real *h, __global const real *x,
           __global real *e, uint n, real lambda, real smooth, real weight, uint order, __global acc *state,
           uint parts, uint most)
{
    __local acc node[GROUP];
    acc curvature = ACC_ZERO, slope = ACC_ZERO;

    end_iteration(state, parts);
    if (read_cell(state, CODE(1)) != 0 || read_cell(state, COUNT(1)) > most)
        return; // uniform over all groups
    FOR_COLUMNS(j, n) {
        real own = d[j], along = v[j] + linear_part(d, (uint)j, n, 1, lambda, smooth, order);
        e[j] = along;
        curvature = acc_add_product(curvature, own, along + correction(x[j], own, (uint)j, weight));
        slope = acc_add_product(slope, own, gradient_at(x[j], h[j], (uint)j, weight));
    }
    leave_two_parts(curvature, slope, state, parts, 0, node);
}

// Moves x and h along by the step; partial sums of |g|^2 and g.(e + F). Iteration 0 has no step.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
cgnr_step(__global const real *d, __global const real *e, __global real *h, __global real *x, uint n,
          real weight, __global acc *state, uint parts, uint most)
{
    __local acc node[GROUP];
    acc squares = ACC_ZERO, turn = ACC_ZERO;
    real length;

    if (!begin_step(state, parts, most, node, &length))
        return; // uniform over all groups
    FOR_COLUMNS(j, n) {
        real own = d[j], along = e[j], before = x[j], at = fma(length, own, before);
        real linear = fma(length, along, h[j]), slant = gradient_at(at, linear, (uint)j, weight);
        x[j] = at;
        h[j] = linear;
        squares = acc_add_product(squares, slant, slant);
        turn = acc_add_product(turn, slant, along + correction(before, own, (uint)j, weight));
    }
    leave_two_parts(squares, turn, state, parts, 2, node);
}

// r += alpha w, and partial sums of its squares.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
cgnr_rest(__global const real *w, __global real *r, uint rows, __global acc *state, uint parts, uint most)
{
    __local acc node[GROUP];
    uint iteration = read_cell(state, COUNT(0));
    acc squares = ACC_ZERO;
    real length;

    if (iteration > most || read_cell(state, CODE(0)) != 0)
        return; // uniform over all groups
    length = acc_to_real(state[STEP(iteration)]);
    if (isnan(length))
        return; // uniform over all groups
    FOR_COLUMNS(i, rows) {
        real rest = length != 0 ? fma(length, w[i], r[i]) : r[i];
        r[i] = rest;
        squares = acc_add_product(squares, rest, rest);
    }
    leave_part(squares, state, parts, 1, node);
}

// d = -g + beta d.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
cgnr_turn(__global real *d, __global const real *h, __global const real *x, uint n, real weight, real gradient,
          real residual, __global acc *state, uint parts, uint most)
{
    __local acc node[GROUP];
    uint iteration = read_cell(state, COUNT(0)), code = read_cell(state, CODE(0));
    acc squares = ACC_ZERO, rest = ACC_ZERO;
    real ratio = 0;

    if (iteration > most)
        return; // uniform over all groups
    if (code == 0 && isnan(acc_to_real(state[STEP(iteration)])))
        code = STOP_CURVATURE;
    if (code == 0) {
        squares = sum_parts(state + PARTIAL(2), parts, node);
        if (iteration > 0)
            ratio = acc_ratio(sum_parts(state + PARTIAL(3), parts, node),
                              sum_parts(state + PARTIAL(0), parts, node));
        if (is_small(squares, iteration > 0 ? state[NORM(0)] : squares, gradient))
            code = STOP_GRADIENT + STOP_MOVED;
#if RESIDUAL
        rest = sum_parts(state + PARTIAL(1), parts, node);
        if (acc_ratio(rest, state[GOAL]) <= residual)
            code = STOP_RESIDUAL + STOP_MOVED;
#endif
    } else {
        squares = state[NORM(iteration - 1)];
    }
    if (get_global_id(0) == 0)
        keep_record(state, parts, iteration, squares, rest, code); // the length of the step is stored already
    if (code != 0)
        return; // uniform over all groups
    FOR_COLUMNS(j, n)
        d[j] = fma(ratio, d[j], -gradient_at(x[j], h[j], (uint)j, weight));
}
