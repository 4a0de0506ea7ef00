// SPDX-License-Identifier: Apache-2.0
// Least squares within bounds, low <= x <= high, between applications of A and A^T, which may be any linear operator on
// real numbers (src/operator/bounded/bounded.h): projected gradients, accelerated (FISTA) or with the steps of Barzilai and
// Borwein, and simultaneous iterative reconstruction (SIRT). P projects into the bounds. Iteration k:
//
//     r = A x - b, g = A^T r + L x     L = lambda + smooth D^T D
//     x' = P(y - g(y) / |A^T A + L|)   FISTA: y = x + m (x - x before), g(y) likewise; m from t, which begins anew
//                                      whenever a step goes up
//     x' = P(x - a g)                  BB: a = s.s / s.y, s.s / s.y, s.y / y.y in turn, of the changes s of x and y of g
//     x' = P(x - C A^T R r)            SIRT: R and C have the inverse sums of rows and columns
//
// The projected gradient is g without the components that would take x out of the bounds where x is at a bound.
//
// Scalars stay on the device, in `state`, as in cl/operator/cgnr.cl; iteration k stores the square of the projected
// gradient's length in NORM(k), |r|^2 in REST(k), t in STEP(k), and in STOP(k) why it is the last (cl/shared/cgnr.h).
// Sources: Beck and Teboulle 2009; O'Donoghue and Candes 2015; Barzilai and Borwein 1988; Gilbert 1972; Calamai and More
// 1987 (the projected gradient).
//
// Launch, in each iteration, with `parts` groups each: A x, bounded_residual, A^T r, bounded_gradient, and for SIRT
// bounded_weigh and A^T of that; then bounded_fista, bounded_bb or bounded_sirt.
// Cost: residual reads w, b, writes r; gradient reads v, x (for BB the two before), writes g; FISTA and BB read and write x
// and the previous vectors; weigh reads r and weights, writes one; SIRT reads v, weights, x, writes x.
// Tunables: GROUP (a power of two), ACC_SOFT (cl/lib/accumulator.clh), KN_SUBGROUP (cl/lib/rung.clh).
#include "../shared/cgnr.h"

#undef REAL_BITS // vectors are single precision
#define REAL_BITS 32
#include "cgnr.clh"
#include "solver.clh"
#include "steps.clh"

// Partial sums 0 to 3 are those of |r|^2, of the squares of the projected gradient, of s.s and of s.y. After the last
// iteration's cells come: the limit of |r|^2 (below 0: none); FISTA's step length, or BB's first one; and more partial
// sums.
#define LIMIT CELL(most + 1)
#define LENGTH (LIMIT + 1)
#define MORE(kind) (LIMIT + 2 + (kind) * parts)
#define CHANGES MORE(0)              // BB's y.y
#define UP(k) MORE((k) % 2)          // FISTA's (y - x').(x' - x): above 0 if the step goes up
#define MOVES(k) MORE(2 + (k) % 2)   // FISTA's and SIRT's: above 0 if x has moved

// ---- residual and gradient ----

// r = w - b; partial sums of its squares, and those of b in the place of the gradient's.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
bounded_residual(__global const float *w, __global const float *b, __global float *r, uint rows, __global acc *state,
                 uint parts)
{
    __local acc node[GROUP];
    acc squares = ACC_ZERO, goal = ACC_ZERO;

    end_iteration(state, parts); // the previous one
    FOR_COLUMNS(i, rows) {
        float right = b[i], rest = w[i] - right;
        r[i] = rest;
        squares = acc_add_product(squares, rest, rest);
        goal = acc_add_product(goal, right, right);
    }
    leave_two_parts(squares, goal, state, parts, 0, node);
}

// g = v + L x; partial sums of the squares of the projected gradient, and with `changes` those of the changes of x and g.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
bounded_gradient(__global const float *v, __global const float *x, __global const float *before,
                 __global const float *gradient_before, __global float *g, uint n, float lambda, float smooth, uint order,
                 float low, float high, uint changes, __global acc *state, uint parts, uint most)
{
    __local acc node[GROUP];
    acc squares = ACC_ZERO, ss = ACC_ZERO, sy = ACC_ZERO, yy = ACC_ZERO;

    FOR_COLUMNS(j, n) {
        float at = x[j], slant = v[j] + linear_part(x, (uint)j, n, 1, lambda, smooth, order);
        float rest = within(slant, at >= high ? 0 : -INFINITY, at <= low ? 0 : INFINITY);
        g[j] = slant;
        squares = acc_add_product(squares, rest, rest);
        if (changes) {
            float change = at - before[j], turn = slant - gradient_before[j];
            ss = acc_add_product(ss, change, change);
            sy = acc_add_product(sy, change, turn);
            yy = acc_add_product(yy, turn, turn);
        }
    }
    leave_part(squares, state, parts, 1, node);
    if (!changes)
        return; // uniform over all groups
    leave_two_parts(ss, sy, state, parts, 2, node);
    leave_more(yy, state + CHANGES, node);
}

// ---- steps ----

// Why this iteration is the last, or 0; the same in all groups.
inline uint find_end(__global const acc *state, uint parts, uint most, uint iteration, float end, acc *squares, acc *rest,
                     __local acc *node)
{
    *rest = sum_parts(state + PARTIAL(0), parts, node);
    *squares = sum_parts(state + PARTIAL(1), parts, node);
    if (!acc_less(state[LIMIT], *rest)) // true for NaN, too
        return STOP_RESIDUAL + STOP_MOVED;
    return is_small(*squares, iteration > 0 ? state[NORM(0)] : *squares, end) ? STOP_GRADIENT + STOP_MOVED : 0;
}

// Whether this iteration did not move x, which will then stay where it is.
inline bool has_stayed(__global const acc *state, uint parts, uint most, uint iteration, __local acc *node)
{
    return iteration > 0 && !acc_less(ACC_ZERO, sum_parts(state + MOVES(iteration - 1), parts, node));
}

// For one work-item.
inline void keep_iteration(__global acc *state, uint parts, uint iteration, acc squares, acc rest, float t, uint code)
{
    count_iteration(state, parts, iteration);
    if (get_global_id(0) == 0) {
        keep_record(state, parts, iteration, squares, rest, code);
        state[STEP(iteration)] = acc_of(t);
    }
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
bounded_fista(__global const float *g, __global float *gradient_before, __global float *x, __global float *before, uint n,
              float low, float high, float end, __global acc *state, uint parts, uint most)
{
    __local acc node[GROUP];
    uint iteration = read_cell(state, COUNT(0)), code;
    float t = 1, momentum = 0, length = acc_to_real(state[LENGTH]);
    acc squares, rest, up = ACC_ZERO;
    bool moves = false;

    if (has_ended(state, parts, most, iteration))
        return; // uniform over all groups
    code = find_end(state, parts, most, iteration, end, &squares, &rest, node);
    if (code == 0 && has_stayed(state, parts, most, iteration, node))
        code = STOP_CURVATURE;
    if (iteration > 0 && !acc_less(ACC_ZERO, sum_parts(state + UP(iteration - 1), parts, node))) {
        float last = acc_to_real(state[STEP(iteration - 1)]);
        t = (1 + sqrt(1 + 4 * last * last)) / 2;
        momentum = (last - 1) / t;
    }
    keep_iteration(state, parts, iteration, squares, rest, t, code);
    if (code != 0 || iteration == most)
        return; // uniform over all groups
    FOR_COLUMNS(j, n) {
        float at = x[j], slant = g[j], y = fma(momentum, at - before[j], at);
        float next = within(fma(-length, fma(momentum, slant - gradient_before[j], slant), y), low, high);
        up = acc_add_product(up, y - next, next - at);
        moves = moves || next != at || y != at;
        before[j] = at;
        gradient_before[j] = slant;
        x[j] = next;
    }
    leave_more(up, state + UP(iteration), node);
    leave_more(moves ? acc_of(1) : ACC_ZERO, state + MOVES(iteration), node);
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
bounded_bb(__global const float *g, __global float *gradient_before, __global float *x, __global float *before, uint n,
           float low, float high, float end, __global acc *state, uint parts, uint most)
{
    __local acc node[GROUP];
    uint iteration = read_cell(state, COUNT(0)), code;
    float length = acc_to_real(state[LENGTH]);
    acc squares, rest, ss, sy, yy;

    if (has_ended(state, parts, most, iteration))
        return; // uniform over all groups
    code = find_end(state, parts, most, iteration, end, &squares, &rest, node);
    ss = sum_parts(state + PARTIAL(2), parts, node);
    sy = sum_parts(state + PARTIAL(3), parts, node);
    yy = sum_parts(state + CHANGES, parts, node);
    if (iteration > 0)
        length = !acc_less(ACC_ZERO, sy) ? 0 // the changes are rounding
                 : iteration % 3 != 0    ? acc_ratio(ss, sy)
                                         : acc_ratio(sy, yy);
    if (code == 0 && !(length > 0 && length < INFINITY))
        code = STOP_CURVATURE + STOP_MOVED;
    keep_iteration(state, parts, iteration, squares, rest, length, code);
    if (code != 0 || iteration == most)
        return; // uniform over all groups
    FOR_COLUMNS(j, n) {
        float at = x[j], slant = g[j];
        before[j] = at;
        gradient_before[j] = slant;
        x[j] = within(fma(-length, slant, at), low, high);
    }
    barrier(CLK_LOCAL_MEM_FENCE); // without it PoCL 3.1 walks beyond the last column
}

// to = weights * from.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
bounded_weigh(__global const float *from, __global const float *weights, __global float *to, uint count)
{
    FOR_COLUMNS(i, count)
        to[i] = weights[i] * from[i];
}

// v = A^T of the weighted residual.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
bounded_sirt(__global const float *v, __global const float *weights, __global float *x, uint n, float low, float high,
             float end, __global acc *state, uint parts, uint most)
{
    __local acc node[GROUP];
    uint iteration = read_cell(state, COUNT(0)), code;
    acc squares, rest;
    bool moves = false;

    if (has_ended(state, parts, most, iteration))
        return; // uniform over all groups
    code = find_end(state, parts, most, iteration, end, &squares, &rest, node);
    if (code == 0 && has_stayed(state, parts, most, iteration, node))
        code = STOP_CURVATURE;
    keep_iteration(state, parts, iteration, squares, rest, 0, code);
    if (code != 0 || iteration == most)
        return; // uniform over all groups
    FOR_COLUMNS(j, n) {
        float at = x[j], next = within(fma(-weights[j], v[j], at), low, high);
        moves = moves || next != at;
        x[j] = next;
    }
    leave_more(moves ? acc_of(1) : ACC_ZERO, state + MOVES(iteration), node);
}

// ---- step lengths ----

// v += L d, where v = A^T A d; partial sums of its squares, of d.v and of the squares of d.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
bounded_normal(__global float *v, __global const float *d, uint n, float lambda, float smooth, uint order,
               __global acc *state, uint parts)
{
    __local acc node[GROUP];
    acc squares = ACC_ZERO, curvature = ACC_ZERO, length = ACC_ZERO;

    FOR_COLUMNS(j, n) {
        float own = d[j], along = v[j] + linear_part(d, (uint)j, n, 1, lambda, smooth, order);
        v[j] = along;
        squares = acc_add_product(squares, along, along);
        curvature = acc_add_product(curvature, own, along);
        length = acc_add_product(length, own, own);
    }
    leave_two_parts(squares, curvature, state, parts, 0, node);
    leave_part(length, state, parts, 2, node);
}

// d = v times d.d / d.v, of a length near one if d is nearly an eigenvector, whatever its eigenvalue; 0 if v is 0. Runs
// after bounded_normal.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
bounded_scale(__global const float *v, __global float *d, uint n, __global const acc *state, uint parts)
{
    __local acc node[GROUP];
    acc curvature = sum_parts(state + PARTIAL(1), parts, node);
    acc length = sum_parts(state + PARTIAL(2), parts, node);
    float factor = acc_less(ACC_ZERO, curvature) ? acc_ratio(length, curvature) : 0;

    FOR_COLUMNS(j, n)
        d[j] = factor * v[j];
}

// x = P(x); the partial sums are NaN if x was not finite.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
bounded_project(__global float *x, uint n, float low, float high, __global acc *state, uint parts)
{
    __local acc node[GROUP];
    acc odd = ACC_ZERO;

    FOR_COLUMNS(j, n) {
        float at = x[j];
        odd = acc_add(odd, acc_of(isfinite(at) ? 0 : NAN));
        x[j] = within(at, low, high);
    }
    leave_part(odd, state, parts, 2, node);
}
