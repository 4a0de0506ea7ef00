// SPDX-License-Identifier: Apache-2.0
// Conjugate gradients on the normal equations of A x = b with a correction term: of |A x - b|^2 / 2 + lambda |x|^2 / 2
// + smooth |D x|^2 / 2 + what CORRECTION is the gradient of. Of an iteration (src/app/sparse/solver/device/solver.h):
//
//     e = A^T A d + L d + F(x, d)    f = d.e           L = lambda + smooth D^T D
//     alpha = -(g.d) / f             x += alpha d
//     h += alpha (A^T A + L) d       g = h + F(x, x)   h, the linear part, by recurrence
//     beta = (g.e) / f               d = -g + beta d
//
// Scalars stay on the device, in `state`: first what the groups summed, four kinds of `parts` cells each; |b|^2; twice the
// number of the iteration that comes and the STOP_ of the one before it, one for a launch to read while it writes the
// other; then four cells for every iteration k, once x_k is known: |g|^2; |A x - b|^2 (RESIDUAL; forward's: of x_k-1);
// the alpha that led there; and 0, or why it ended there (STOP_). Launches differ in nothing but which of two cells
// holds x, h and d: those of two iterations may be recorded, and repeated. After iteration `most` they do nothing.
// Source: Stock and Koch, A Fast GPU Implementation for Solving Sparse Ill-Posed Linear Equation Systems, table 1, whose
// alpha has g.e where minimising along d gives g.d.
//
// Launch, two an iteration: cgnr_forward with `parts` groups, each of which takes the whole step of x, h and d (columns
// are few) and then its rows of w = A d; cgnr_backward, LANES work-items a column. For many columns: cgnr_curve,
// cgnr_step (RESIDUAL: cgnr_rest), cgnr_turn with `parts` groups each, and A and A^T in between.
// Cost: forward reads x, h, d, e once a group, and A, in slices of rows as SELL has them (cl/app/sparse/sparse_ell.cl; w and r in
// that order); backward A^T and w. What they take is reads that wait for one another: so each asks for what stands at
// known positions first of all, the first AHEAD elements of its row, too. Curve reads v, d, h, x, writes e; step reads and
// writes x, h, reads d, e; turn reads h, x, d, writes d.
// Tunables: GROUP, LANES (powers of two), SLICE, COLUMNS (at least as many as there are, in cgnr_forward's local memory),
// AHEAD, INDEX_BITS (16 or 32), RESIDUAL (1: r = A x - b is kept, too), CORRECTION (cl/lib/cgnr.clh), ACC_SOFT
// (cl/lib/accumulator.clh), KN_SUBGROUP (cl/lib/rung.clh).
#include "../../shared/sparse.h"

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
#define SLICE SELL_SLICE
#endif
#ifndef COLUMNS
#define COLUMNS 4096
#endif
#ifndef AHEAD
#if KN_CPU
#define AHEAD 1
#else
#define AHEAD 12
#endif
#endif
#ifndef INDEX_BITS
#define INDEX_BITS 32
#endif
#ifndef RESIDUAL
#define RESIDUAL 0
#endif

#undef REAL_BITS // vectors are single
#define REAL_BITS 32
#include "../../lib/cgnr.clh"
#include "../../lib/cgnr_state.clh"
#include "../../lib/lanes.clh"
#include "../../lib/solver.clh"

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

// A work-item's columns: item, item + GROUP, ...
#define OWN ((COLUMNS + GROUP - 1) / GROUP)

typedef struct {
    float x, h, d, e;
} column;

inline void read_columns(__global const float *x, __global const float *h, __global const float *d,
                         __global const float *e, uint n, column *own)
{
#pragma unroll 4
    for (uint k = 0; k < OWN; k++) {
        uint j = (uint)get_local_id(0) + k * GROUP;
        if (j < n) {
            own[k].x = x[j];
            own[k].h = h[j];
            own[k].d = d[j];
            own[k].e = e[j];
        }
    }
}

// The step's length, or not-a-number where there is none, of all groups alike; and d.e.
inline float find_step(const column *own, uint n, float weight, __local acc *node, acc *curvature)
{
    acc slope = ACC_ZERO;

#pragma unroll 4
    for (uint k = 0; k < OWN; k++) {
        uint j = (uint)get_local_id(0) + k * GROUP;
        if (j < n) {
            *curvature = acc_add_product(*curvature, own[k].d,
                                         own[k].e + correction(own[k].x, own[k].d, j, weight));
            slope = acc_add_product(slope, own[k].d, gradient_at(own[k].x, own[k].h, j, weight));
        }
    }
    sum_two(curvature, &slope, node);
    return step_length(slope, *curvature);
}

// x and h take the step; |g|^2 after it, and g.(e + F).
inline void take_step(column *own, uint n, float weight, float length, __local acc *node, acc *squares, acc *turn)
{
#pragma unroll 4
    for (uint k = 0; k < OWN; k++) {
        uint j = (uint)get_local_id(0) + k * GROUP;
        if (j < n) {
            float along = own[k].e + correction(own[k].x, own[k].d, j, weight);
            own[k].x = fma(length, own[k].d, own[k].x);
            own[k].h = fma(length, own[k].e, own[k].h);
            float slant = gradient_at(own[k].x, own[k].h, j, weight);
            *squares = acc_add_product(*squares, slant, slant);
            *turn = acc_add_product(*turn, slant, along);
        }
    }
    sum_two(squares, turn, node);
}

// The next direction, for the group, and of all columns a share of the groups' each to the next launch.
inline void leave_columns(const column *own, uint n, float weight, float ratio, __global float *to_x, __global float *to_h,
                          __global float *to_d, __local float *direction)
{
    uint groups = (uint)get_num_groups(0), each = (n + groups - 1) / groups, begin = (uint)get_group_id(0) * each;

#pragma unroll 4
    for (uint k = 0; k < OWN; k++) {
        uint j = (uint)get_local_id(0) + k * GROUP;
        if (j < n) {
            float turned = fma(ratio, own[k].d, -gradient_at(own[k].x, own[k].h, j, weight));
            direction[j] = turned;
            if (j >= begin && j < begin + each) {
                to_x[j] = own[k].x;
                to_h[j] = own[k].h;
                to_d[j] = turned;
            }
        }
    }
}

// Where a row goes on behind its first AHEAD elements, which are here.
typedef struct {
    uint next, end;
    uint index[AHEAD];
    float value[AHEAD];
} row_ahead;

// A row of A, as slices have it. `row` may be none.
inline void ask_row(__global const uint *starts, __global const sell_index *indices, __global const float *values,
                    uint row, uint rows, row_ahead *ahead)
{
    ahead->next = row < rows ? starts[row / SLICE] + row % SLICE : 0;
    ahead->end = row < rows ? starts[row / SLICE + 1] : 0;
#pragma unroll
    for (uint k = 0; k < AHEAD; k++, ahead->next += SLICE) {
        bool inside = ahead->next < ahead->end;
        ahead->index[k] = inside ? indices[ahead->next] : SELL_PAD;
        ahead->value[k] = inside ? values[ahead->next] : 0;
    }
}

// That row and the direction.
inline float multiply_row(const row_ahead *ahead, __global const sell_index *indices, __global const float *values,
                          __local const float *direction)
{
    float sum = 0;

#pragma unroll
    for (uint k = 0; k < AHEAD; k++)
        if (ahead->index[k] != SELL_PAD)
            sum = fma(ahead->value[k], direction[ahead->index[k]], sum);
    for (uint i = ahead->next; i < ahead->end; i += SLICE) {
        uint index = indices[i];
        if (index != SELL_PAD)
            sum = fma(values[i], direction[index], sum);
    }
    return sum;
}

// An iteration reads x, h and d and leaves the next ones elsewhere, since groups do not wait for one another. In the
// last one, `most`, there is no product any more. `gradient`: |g|^2 / |g_0|^2 to stop at; `residual`: |A x - b|^2 / |b|^2
// to stop at, below 0 never.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
cgnr_forward(__global const uint *starts, __global const sell_index *indices, __global const float *values,
             uint rows, uint n, __global const float *x, __global const float *h, __global const float *d,
             __global const float *e, __global float *to_x, __global float *to_h, __global float *to_d,
             __global float *w, __global float *r, float weight, float gradient, float residual, __global acc *state,
             uint parts, uint most)
{
    __local float direction[COLUMNS];
    __local acc node[2 * GROUP];
    uint item = (uint)get_local_id(0), group = (uint)get_group_id(0), row = group * GROUP + item;
    column own[OWN];
    row_ahead ahead;

    read_columns(x, h, d, e, n, own);
    ask_row(starts, indices, values, row, rows, &ahead);
    uint iteration = read_cell(state, COUNT(0)), code = read_cell(state, CODE(0));
    acc first = iteration > 0 ? state[NORM(0)] : ACC_ZERO, rest = ACC_ZERO;
    acc curvature = ACC_ZERO, squares = ACC_ZERO, turn = ACC_ZERO;
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
            length = find_step(own, n, weight, node, &curvature);
            if (isnan(length))
                code = STOP_CURVATURE;
        }
    }
    if (code == 0) {
        take_step(own, n, weight, length, node, &squares, &turn);
        if (iteration > 0)
            ratio = acc_ratio(turn, curvature);
        if (!(acc_ratio(squares, iteration > 0 ? first : squares) > gradient))
            code = STOP_GRADIENT + STOP_MOVED;
    } else {
        squares = state[NORM(iteration - 1)];
        length = 0;
    }
    keep_record(state, parts, iteration, squares, rest, length, code);
    if (code != 0 && code < STOP_MOVED)
        return; // of all groups alike; x stays where it is
    leave_columns(own, n, weight, ratio, to_x, to_h, to_d, direction);
    if (code != 0 || iteration == most)
        return;
    barrier(CLK_LOCAL_MEM_FENCE);

#if RESIDUAL
    acc rests = ACC_ZERO;
#endif
    while (row < rows) {
        float sum = multiply_row(&ahead, indices, values, direction);
#if RESIDUAL
        float residue = iteration > 0 ? fma(length, w[row], r[row]) : r[row];
        r[row] = residue;
        rests = acc_add_product(rests, residue, residue);
#endif
        w[row] = sum;
        row += (uint)get_num_groups(0) * GROUP;
        ask_row(starts, indices, values, row, rows, &ahead);
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
    uint j = (uint)(get_global_id(0) / LANES), lane = (uint)get_local_id(0) % LANES;
    uint next = j < n ? starts[j] + lane : 0, end = j < n ? starts[j + 1] : 0, index[AHEAD];
    float value[AHEAD], sum = 0;

#pragma unroll
    for (uint k = 0; k < AHEAD; k++, next += LANES) {
        index[k] = next < end ? indices[next] : 0;
        value[k] = next < end ? values[next] : 0;
    }
    end_iteration(state, parts);
    if (read_cell(state, CODE(1)) != 0 || read_cell(state, COUNT(1)) > most)
        return; // of all groups
#pragma unroll
    for (uint k = 0; k < AHEAD; k++)
        if (next - (AHEAD - k) * LANES < end)
            sum = fma(value[k], w[index[k]], sum);
    for (; next < end; next += LANES)
        sum = fma(values[next], w[indices[next]], sum);
    sum = sum_lanes(sum, part);
    if (lane == 0 && j < n)
        e[j] = sum + linear_part(d, j, n, 1, lambda, smooth, order);
}

// ---- with any product ----

// r = w - b, and partial sums of its squares and of b's; row i of w and r is row row_order[i] of b.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
cgnr_residual(__global const float *w, __global const float *b, __global const uint *row_order, __global float *r,
              uint rows, __global acc *state, uint parts)
{
    __local acc node[GROUP];
    acc squares = ACC_ZERO, goal = ACC_ZERO;

    FOR_COLUMNS(i, rows) {
        float right = b[row_order[i]], rest = w[i] - right;
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
            code = STOP_GRADIENT + STOP_MOVED;
#if RESIDUAL
        rest = sum_parts(state + PARTIAL(1), parts, node);
        if (acc_ratio(rest, state[GOAL]) <= residual)
            code = STOP_RESIDUAL + STOP_MOVED;
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
