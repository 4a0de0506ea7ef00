// SPDX-License-Identifier: Apache-2.0
// The loop of cl/operator/cgnr.cl as the paper prints it: an iteration computes the residual and the gradient again from x
// instead of by recurrence, so that A and A^T are applied twice. With e and f of cgnr_curve:
//
//     e += F(x, d)    x += alpha d    r = A x - b    h = A^T r + L x    g = h + F(x, x)    beta = (g.e) / f
//
// Source: Stock and Koch, A Fast GPU Implementation for Solving Sparse Ill-Posed Linear Equation Systems, table 1.
//
// Launch, `parts` groups each: printed_move, w = A x, printed_residual, v = A^T r, printed_gradient; then cgnr_turn, w = A
// d, v = A^T w, cgnr_curve, as in cl/operator/cgnr.cl, whose `state` it shares. Iteration 0 has no step.
// Cost: move reads d, e, x, writes e, x; residual reads w, b, writes r; gradient reads v, x, e, writes h.
// Tunables: REAL_BITS, GROUP (a power of two), and those of cl/operator/cgnr.clh.

#include "cgnr.clh"
#include "cgnr_state.clh"

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
printed_move(__global const real *d, __global real *e, __global real *x, uint n, real weight, __global acc *state,
             uint parts, uint most)
{
    __local acc node[GROUP];
    real length;

    if (!begin_step(state, parts, most, node, &length))
        return; // uniform over all groups
    FOR_COLUMNS(j, n) {
        real own = d[j], before = x[j];
        e[j] += correction(before, own, (uint)j, weight);
        x[j] = fma(length, own, before);
    }
}

// Partial sums of the squares of r.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
printed_residual(__global const real *w, __global const real *b, __global real *r, uint rows, __global acc *state,
                 uint parts, uint most)
{
    __local acc node[GROUP];
    acc squares = ACC_ZERO;

    if (is_over(state, parts, most))
        return; // uniform over all groups
    FOR_COLUMNS(i, rows) {
        real rest = w[i] - b[i];
        r[i] = rest;
        squares = acc_add_product(squares, rest, rest);
    }
    leave_part(squares, state, parts, 1, node);
}

// Partial sums of |g|^2 and g.e.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
printed_gradient(__global const real *v, __global const real *x, __global const real *e, __global real *h, uint n,
                 real lambda, real smooth, real weight, uint order, __global acc *state, uint parts, uint most)
{
    __local acc node[GROUP];
    acc squares = ACC_ZERO, turn = ACC_ZERO;

    if (is_over(state, parts, most))
        return; // uniform over all groups
    FOR_COLUMNS(j, n) {
        real linear = v[j] + linear_part(x, (uint)j, n, 1, lambda, smooth, order);
        real slant = gradient_at(x[j], linear, (uint)j, weight);
        h[j] = linear;
        squares = acc_add_product(squares, slant, slant);
        turn = acc_add_product(turn, slant, e[j]);
    }
    leave_two_parts(squares, turn, state, parts, 2, node);
}
