// SPDX-License-Identifier: Apache-2.0
// Conjugate gradients on the normal equations of A x = b with a correction term: of |A x - b|^2 / 2 + lambda |x|^2 / 2
// + smooth |D x|^2 / 2 + what CORRECTION is the gradient of. Of an iteration (src/app/sparse/solver.h):
//
//     e = A^T A d + L d + F(x, d)    f = d.e           L = lambda + smooth D^T D
//     alpha = -(g.d) / f             x += alpha d
//     h += alpha (A^T A + L) d       g = h + F(x, x)   h, the linear part, by recurrence
//     beta = (g.e) / f               d = -g + beta d
//
// Scalars stay on the device, in `state`: first what the groups summed, four kinds of `parts` cells each; |b|^2; twice the
// number of the iteration that comes and the STOP_ of the one before it, one for a launch to read while it writes the
// other; then four cells for every iteration k, once x_k is known: |g|^2; |A x - b|^2 (RESIDUAL; forward's: of x_k-1);
// the alpha that led there; and 0, or why it ended there (STOP_). Launches differ in nothing but which of two places
// holds x, h and d: those of two iterations may be recorded, and repeated. After iteration `most` they do nothing.
// Source: Stock and Koch, A Fast GPU Implementation for Solving Sparse Ill-Posed Linear Equation Systems, table 1, whose
// alpha has g.e where minimising along d gives g.d.
//
// Launch, two an iteration: cgnr_forward with `parts` groups, each of which takes the whole step of x, h and d (columns
// are few) and then its rows of w = A d; cgnr_backward, LANES work-items a column. For many columns: cgnr_curve,
// cgnr_step (RESIDUAL: cgnr_rest), cgnr_turn with `parts` groups each, and A and A^T in between.
// Cost: forward reads x, h, d, e once a group, and A, in slices of rows as SELL has them (cl/sparse_ell.cl; w and r in
// that order); backward A^T and w. Curve reads v, d, h, x, writes e; step reads and writes x, h, reads d, e; turn reads
// h, x, d, writes d.
// Tunables: GROUP, LANES (powers of two), SLICE, COLUMNS (at least as many as there are, in cgnr_forward's local memory),
// INDEX_BITS (16 or 32), RESIDUAL (1: r = A x - b is kept, too), CORRECTION (cl/lib/cgnr.clh), ACC_SOFT
// (cl/lib/accumulator.clh), KN_SUBGROUP (cl/lib/rung.clh).
#ifndef GROUP
#if KN_CPU
#define GROUP 32
#else
#define GROUP 512
#endif
#endif
#ifndef LANES
#if KN_CPU
#define LANES 1
#else
#define LANES 32
#endif
#endif
#ifndef SLICE
#define SLICE 32
#endif
#ifndef COLUMNS
#define COLUMNS 4096
#endif
#ifndef INDEX_BITS
#define INDEX_BITS 32
#endif
#ifndef RESIDUAL
#define RESIDUAL 0
#endif

#undef REAL_BITS // vectors are single
#define REAL_BITS 32
#include "lib/cgnr.clh"
#include "lib/cgnr_state.clh"
#include "lib/lanes.clh"
#include "lib/solver.clh"

#if INDEX_BITS == 16
typedef ushort sell_index;
#define SELL_PAD 0xffff
#else
typedef uint sell_index;
#define SELL_PAD 0xffffffffu
#endif

// ---- two launches an iteration ----

// Of an iteration, for the record and for whoever reads `state`.
inline void keep_record(__global acc *state, uint parts, uint iteration, acc squares, acc rest, float length, uint code)
{
    if (get_global_id(0) != 0)
        return;
    state[NORM(iteration)] = squares;
    state[REST(iteration)] = rest;
    state[STEP(iteration)] = acc_of(length);
    state[STOP(iteration)] = state[CODE(1)] = acc_of((float)code);
}

// The step's length, or not-a-number where there is none, of all groups alike; and d.e.
inline float find_step(__global const float *x, __global const float *h, __global const float *d,
                       __global const float *e, uint n, float weight, __local acc *node, acc *curvature)
{
    acc slope = ACC_ZERO;

    for (uint j = (uint)get_local_id(0); j < n; j += GROUP) {
        float own = d[j];
        *curvature = acc_add_product(*curvature, own, e[j] + correction(x[j], own, j, weight));
        slope = acc_add_product(slope, own, gradient_at(x[j], h[j], j, weight));
    }
    sum_two(curvature, &slope, node);
    return step_length(slope, *curvature);
}

// |g|^2 after the step, and g.(e + F).
inline void find_turn(__global const float *x, __global const float *h, __global const float *d,
                      __global const float *e, uint n, float weight, float length, __local acc *node, acc *squares,
                      acc *turn)
{
    for (uint j = (uint)get_local_id(0); j < n; j += GROUP) {
        float own = d[j], along = e[j], at = fma(length, own, x[j]);
        float slant = gradient_at(at, fma(length, along, h[j]), j, weight);
        *squares = acc_add_product(*squares, slant, slant);
        *turn = acc_add_product(*turn, slant, along + correction(x[j], own, j, weight));
    }
    sum_two(squares, turn, node);
}

// A row of A, as slices have it, and the direction.
inline float multiply_row(__global const uint *starts, __global const sell_index *indices,
                          __global const float *values, uint row, __local const float *direction)
{
    float sum = 0;

    for (uint i = starts[row / SLICE] + row % SLICE, end = starts[row / SLICE + 1]; i < end; i += SLICE) {
        uint column = indices[i];
        if (column != SELL_PAD)
            sum = fma(values[i], direction[column], sum);
    }
    return sum;
}

// An iteration reads x, h and d and leaves the next ones elsewhere, since groups do not wait for one another. In the last
// one, `most`, there is no product any more. `gradient`: |g|^2 / |g_0|^2 to stop at; `residual`: |A x - b|^2 / |b|^2 to stop at, below
// 0 never.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
cgnr_forward(__global const uint *starts, __global const sell_index *indices, __global const float *values,
             uint rows, uint n, __global const float *x, __global const float *h, __global const float *d,
             __global const float *e, __global float *to_x, __global float *to_h, __global float *to_d,
             __global float *w, __global float *r, float weight, float gradient, float residual, __global acc *state,
             uint parts, uint most)
{
    __local float direction[COLUMNS];
    __local acc node[2 * GROUP];
    uint item = (uint)get_local_id(0), group = (uint)get_group_id(0);
    uint iteration = read_cell(state, COUNT(0)), code = read_cell(state, CODE(0));
    acc curvature = ACC_ZERO, squares = ACC_ZERO, turn = ACC_ZERO, rest = ACC_ZERO;
    float length = 0, ratio = 0;

    if (iteration > most)
        return; // of all groups
    count_iteration(state, parts, iteration);
    if (iteration > 0) {
#if RESIDUAL
        if (code == 0) {
            rest = sum_parts(state + PARTIAL(2 + (iteration & 1)), parts, node);
            if (acc_ratio(rest, state[GOAL]) <= residual)
                code = STOP_RESIDUAL;
        }
#endif
        if (code == 0) {
            length = find_step(x, h, d, e, n, weight, node, &curvature);
            if (isnan(length))
                code = STOP_CURVATURE;
        }
    }
    if (code == 0) {
        find_turn(x, h, d, e, n, weight, length, node, &squares, &turn);
        if (iteration > 0)
            ratio = acc_ratio(turn, curvature);
        if (!(acc_ratio(squares, iteration > 0 ? state[NORM(0)] : squares) > gradient))
            code = STOP_GRADIENT + MOVED;
    } else {
        squares = state[NORM(iteration - 1)];
        length = 0;
    }
    keep_record(state, parts, iteration, squares, rest, length, code);
    if (code != 0 && code < MOVED)
        return; // of all groups alike; x stays where it is
    uint groups = (uint)get_num_groups(0), each = (n + groups - 1) / groups;
    for (uint j = item; j < n; j += GROUP) {
        float at = fma(length, d[j], x[j]), linear = fma(length, e[j], h[j]);
        float turned = fma(ratio, d[j], -gradient_at(at, linear, j, weight));
        direction[j] = turned;
        if (j / each == group) {
            to_x[j] = at;
            to_h[j] = linear;
            to_d[j] = turned;
        }
    }
    if (code != 0 || iteration == most)
        return;
    barrier(CLK_LOCAL_MEM_FENCE);

#if RESIDUAL
    acc rests = ACC_ZERO;
#endif
    for (uint row = group * GROUP + item; row < rows; row += groups * GROUP) {
        float sum = multiply_row(starts, indices, values, row, direction);
#if RESIDUAL
        float residue = iteration > 0 ? fma(length, w[row], r[row]) : r[row];
        r[row] = residue;
        rests = acc_add_product(rests, residue, residue);
#endif
        w[row] = sum;
    }
#if RESIDUAL
    rests = sum_group(rests, node);
    if (item == 0)
        state[PARTIAL(2 + (~iteration & 1)) + group] = rests;
#endif
}

// e = A^T w + L d, the transposed matrix's rows as CSR, columns in the order of w.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
cgnr_backward(__global const uint *starts, __global const uint *indices, __global const float *values, uint n,
              __global const float *d, __global float *e, __global const float *w, float lambda, float smooth,
              uint order, __global acc *state, uint parts, uint most)
{
    __local float part[GROUP];
    uint column = (uint)(get_global_id(0) / LANES), lane = (uint)get_local_id(0) % LANES;
    float sum = 0;

    end_iteration(state, parts);
    if (read_cell(state, CODE(1)) != 0 || read_cell(state, COUNT(1)) > most)
        return; // of all groups
    if (column < n)
        for (uint i = starts[column] + lane, end = starts[column + 1]; i < end; i += LANES)
            sum = fma(values[i], w[indices[i]], sum);
    sum = sum_lanes(sum, part);
    if (lane == 0 && column < n)
        e[column] = sum + linear_part(d, column, n, 1, lambda, smooth, order);
}

// ---- with any product ----

// r = w - b, and partial sums of its squares and of b's; row i of w and r is row places[i] of b.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
cgnr_residual(__global const float *w, __global const float *b, __global const uint *places, __global float *r,
              uint rows, __global acc *state, uint parts)
{
    __local acc node[GROUP];
    acc squares = ACC_ZERO, goal = ACC_ZERO;

    FOR_COLUMNS(i, rows) {
        float right = b[places[i]], rest = w[i] - right;
        r[i] = rest;
        squares = acc_add_product(squares, rest, rest);
        goal = acc_add_product(goal, right, right);
    }
    squares = sum_group(squares, node);
    goal = sum_group(goal, node);
    if (get_local_id(0) == 0) {
        state[PARTIAL(0) + get_group_id(0)] = squares;
        state[PARTIAL(1) + get_group_id(0)] = goal;
    }
}

// e = v + L d; partial sums of d.(e + F(x, d)) and d.g. Before the first iteration it makes h of x, too.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
cgnr_curve(__global const float *v, __global const float *d, __global const float *h, __global const float *x,
           __global float *e, uint n, float lambda, float smooth, float weight, uint order, __global acc *state,
           uint parts, uint most)
{
    __local acc node[GROUP];
    acc curvature = ACC_ZERO, slope = ACC_ZERO;

    end_iteration(state, parts);
    if (read_cell(state, CODE(1)) != 0 || read_cell(state, COUNT(1)) > most)
        return; // of all groups
    FOR_COLUMNS(j, n) {
        float own = d[j], along = v[j] + linear_part(d, (uint)j, n, 1, lambda, smooth, order);
        e[j] = along;
        curvature = acc_add_product(curvature, own, along + correction(x[j], own, (uint)j, weight));
        slope = acc_add_product(slope, own, gradient_at(x[j], h[j], (uint)j, weight));
    }
    curvature = sum_group(curvature, node);
    slope = sum_group(slope, node);
    if (get_local_id(0) == 0) {
        state[PARTIAL(0) + get_group_id(0)] = curvature;
        state[PARTIAL(1) + get_group_id(0)] = slope;
    }
}

// x and h take the step; partial sums of |g|^2 and g.(e + F). In iteration 0 there is no step.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
cgnr_step(__global const float *d, __global const float *e, __global float *h, __global float *x, uint n,
          float weight, __global acc *state, uint parts, uint most)
{
    __local acc node[GROUP];
    acc squares = ACC_ZERO, turn = ACC_ZERO;
    float length;

    if (!begin_step(state, parts, most, node, &length))
        return; // of all groups
    FOR_COLUMNS(j, n) {
        float own = d[j], along = e[j], before = x[j], at = fma(length, own, before);
        float linear = fma(length, along, h[j]), slant = gradient_at(at, linear, (uint)j, weight);
        x[j] = at;
        h[j] = linear;
        squares = acc_add_product(squares, slant, slant);
        turn = acc_add_product(turn, slant, along + correction(before, own, (uint)j, weight));
    }
    squares = sum_group(squares, node);
    turn = sum_group(turn, node);
    if (get_local_id(0) == 0) {
        state[PARTIAL(2) + get_group_id(0)] = squares;
        state[PARTIAL(3) + get_group_id(0)] = turn;
    }
}

// r += alpha w, and partial sums of its squares.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
cgnr_rest(__global const float *w, __global float *r, uint rows, __global acc *state, uint parts, uint most)
{
    __local acc node[GROUP];
    uint iteration = read_cell(state, COUNT(0));
    acc squares = ACC_ZERO;
    float length;

    if (iteration > most || read_cell(state, CODE(0)) != 0)
        return; // of all groups
    length = acc_to_real(state[STEP(iteration)]);
    if (isnan(length))
        return; // of all groups
    FOR_COLUMNS(i, rows) {
        float rest = length != 0 ? fma(length, w[i], r[i]) : r[i];
        r[i] = rest;
        squares = acc_add_product(squares, rest, rest);
    }
    squares = sum_group(squares, node);
    if (get_local_id(0) == 0)
        state[PARTIAL(1) + get_group_id(0)] = squares;
}

// d = -g + beta d.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
cgnr_turn(__global float *d, __global const float *h, __global const float *x, uint n, float weight, float gradient,
          float residual, __global acc *state, uint parts, uint most)
{
    __local acc node[GROUP];
    uint iteration = read_cell(state, COUNT(0)), code = read_cell(state, CODE(0));
    acc squares = ACC_ZERO, rest = ACC_ZERO;
    float ratio = 0;

    if (iteration > most)
        return; // of all groups
    if (code == 0 && isnan(acc_to_real(state[STEP(iteration)])))
        code = STOP_CURVATURE;
    if (code == 0) {
        squares = sum_parts(state + PARTIAL(2), parts, node);
        if (iteration > 0)
            ratio = acc_ratio(sum_parts(state + PARTIAL(3), parts, node),
                              sum_parts(state + PARTIAL(0), parts, node));
        if (!(acc_ratio(squares, iteration > 0 ? state[NORM(0)] : squares) > gradient))
            code = STOP_GRADIENT + MOVED;
#if RESIDUAL
        rest = sum_parts(state + PARTIAL(1), parts, node);
        if (acc_ratio(rest, state[GOAL]) <= residual)
            code = STOP_RESIDUAL + MOVED;
#endif
    } else {
        squares = state[NORM(iteration - 1)];
    }
    if (get_global_id(0) == 0) {
        state[NORM(iteration)] = squares;
        state[REST(iteration)] = rest;
        state[STOP(iteration)] = state[CODE(1)] = acc_of((float)code);
    }
    if (code != 0)
        return; // of all groups
    FOR_COLUMNS(j, n)
        d[j] = fma(ratio, d[j], -gradient_at(x[j], h[j], (uint)j, weight));
}
