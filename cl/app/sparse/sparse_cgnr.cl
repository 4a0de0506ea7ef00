// SPDX-License-Identifier: Apache-2.0
// An iteration of cl/operator/cgnr.cl on the normal equations in two launches, for a sparse matrix of few columns.
//
// The launches of all iterations differ only in which of two cells holds x, h and d: those of two iterations may be
// recorded and repeated. The |A x - b|^2 that forward leaves is that of x_k-1.
//
// Launch, two an iteration: cgnr_forward with `parts` groups, each of which computes the whole step of x, h and d (there
// are few columns) and then its rows of w = A d; cgnr_backward, LANES work-items a column. Both leave `state` as
// cl/operator/cgnr.cl defines it.
// Why forward has twenty arguments: twelve are separate buffers (a matrix is three of them; x, h and d are multiplied,
// exchanged or read back by other launches), and scalars in a buffer would be one more read to wait for.
// Cost: forward reads x, h, d, e once a group, and A, in slices of rows as in SELL (cl/app/sparse/sparse_ell.cl; w and r
// are in that order); backward reads A^T and w. The time goes into reads that wait for one another, so each kernel first of
// all loads what is at known positions, including the first AHEAD elements of its row.
// Tunables: REAL_BITS, GROUP, LANES (powers of two), SLICE, COLUMNS (at least as many as there are, in cgnr_forward's local
// memory), AHEAD, INDEX_BITS (16 or 32), RESIDUAL (1: r = A x - b is kept, too), CORRECTION (cl/operator/cgnr.clh),
// ACC_SOFT (cl/lib/accumulator.clh), KN_SUBGROUP (cl/lib/rung.clh).
#include "../../shared/sparse.h"

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

#include "../../operator/cgnr.clh"
#include "../../operator/cgnr_state.clh"
#include "../../lib/lanes.clh"
#include "../../operator/solver.clh"

#if INDEX_BITS == 16
typedef ushort sell_index;
#define SELL_PAD 0xffff
#else
typedef uint sell_index;
#define SELL_PAD 0xffffffffu
#endif

// An iteration: the same in all groups.
typedef struct {
    uint number, code;      // code: 0, or why the iterations end here (STOP_)
    acc curvature, squares; // d.e and |g|^2
    acc rest;               // RESIDUAL: |A x - b|^2 of the previous x
    real length, ratio;    // alpha and beta
} iteration;

inline void read_iteration(__global const acc *state, uint parts, iteration *now)
{
    now->number = read_cell(state, COUNT(0));
    now->code = read_cell(state, CODE(0));
    now->curvature = now->squares = now->rest = ACC_ZERO;
    now->length = now->ratio = 0;
}

// |g|^2 of iteration 0, once that is done.
inline acc read_first(__global const acc *state, uint parts, const iteration *now)
{
    return now->number > 0 ? state[NORM(0)] : ACC_ZERO;
}

// A work-item's columns: item, item + GROUP, ...
#define OWN ((COLUMNS + GROUP - 1) / GROUP)

typedef struct {
    real x, h, d, e;
} column;

inline void read_columns(__global const real *x, __global const real *h, __global const real *d,
                         __global const real *e, uint n, column *own)
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

// RESIDUAL: the iterations end when |A x - b|^2 / |b|^2 of the previous x is at most `residual`.
inline void judge_residual(__global const acc *state, uint parts, real residual, __local acc *node, iteration *now)
{
#if RESIDUAL
    now->rest = sum_parts(state + PARTIAL(2 + (now->number & 1)), parts, node);
    if (acc_ratio(now->rest, state[GOAL]) <= residual)
        now->code = STOP_RESIDUAL;
#endif
}

// The length of the step, and d.e; the iterations end if there is no step.
inline void find_step(const column *own, uint n, real weight, __local acc *node, iteration *now)
{
    acc curvature = ACC_ZERO, slope = ACC_ZERO;

#pragma unroll 4
    for (uint k = 0; k < OWN; k++) {
        uint j = (uint)get_local_id(0) + k * GROUP;
        if (j < n) {
            curvature = acc_add_product(curvature, own[k].d, own[k].e + correction(own[k].x, own[k].d, j, weight));
            slope = acc_add_product(slope, own[k].d, gradient_at(own[k].x, own[k].h, j, weight));
        }
    }
    sum_two(&curvature, &slope, node);
    now->curvature = curvature;
    now->length = step_length(slope, curvature);
    if (isnan(now->length))
        now->code = STOP_CURVATURE;
}

// Moves x and h along by the step; computes |g|^2 after it, and from g.(e + F) the next direction's beta.
inline void take_step(column *own, uint n, real weight, __local acc *node, iteration *now)
{
    acc squares = ACC_ZERO, turn = ACC_ZERO;

#pragma unroll 4
    for (uint k = 0; k < OWN; k++) {
        uint j = (uint)get_local_id(0) + k * GROUP;
        if (j < n) {
            real along = own[k].e + correction(own[k].x, own[k].d, j, weight);
            own[k].x = fma(now->length, own[k].d, own[k].x);
            own[k].h = fma(now->length, own[k].e, own[k].h);
            real slant = gradient_at(own[k].x, own[k].h, j, weight);
            squares = acc_add_product(squares, slant, slant);
            turn = acc_add_product(turn, slant, along);
        }
    }
    sum_two(&squares, &turn, node);
    now->squares = squares;
    if (now->number > 0)
        now->ratio = acc_ratio(turn, now->curvature);
}

// x stays where it is, and so does its gradient.
inline void take_no_step(__global const acc *state, uint parts, iteration *now)
{
    now->squares = state[NORM(now->number - 1)];
    now->length = 0;
}

// Where an iteration leaves what the next one reads.
typedef struct {
    __global real *x, *h, *d;
} place;

// Computes the next direction, for the group; each group writes its share of all columns for the next launch.
inline void leave_columns(const column *own, uint n, real weight, real ratio, const place *next,
                          __local real *direction)
{
    uint groups = (uint)get_num_groups(0), each = (n + groups - 1) / groups, begin = (uint)get_group_id(0) * each;

#pragma unroll 4
    for (uint k = 0; k < OWN; k++) {
        uint j = (uint)get_local_id(0) + k * GROUP;
        if (j < n) {
            real turned = fma(ratio, own[k].d, -gradient_at(own[k].x, own[k].h, j, weight));
            direction[j] = turned;
            if (j >= begin && j < begin + each) {
                next->x[j] = own[k].x;
                next->h[j] = own[k].h;
                next->d[j] = turned;
            }
        }
    }
}

// A in slices of rows.
typedef struct {
    __global const uint *starts;
    __global const sell_index *indices;
    __global const real *values;
    uint rows;
} sliced;

// A row's first AHEAD elements, and where it continues after them.
typedef struct {
    uint next, end;
    uint index[AHEAD];
    real value[AHEAD];
} row_ahead;

// `row` may be past the end.
inline void ask_row(const sliced *a, uint row, row_ahead *ahead)
{
    ahead->next = row < a->rows ? a->starts[row / SLICE] + row % SLICE : 0;
    ahead->end = row < a->rows ? a->starts[row / SLICE + 1] : 0;
#pragma unroll
    for (uint k = 0; k < AHEAD; k++, ahead->next += SLICE) {
        bool inside = ahead->next < ahead->end;
        ahead->index[k] = inside ? a->indices[ahead->next] : SELL_PAD;
        ahead->value[k] = inside ? a->values[ahead->next] : 0;
    }
}

// The product of that row and the direction.
inline real multiply_row(const sliced *a, const row_ahead *ahead, __local const real *direction)
{
    real sum = 0;

#pragma unroll
    for (uint k = 0; k < AHEAD; k++)
        if (ahead->index[k] != SELL_PAD)
            sum = fma(ahead->value[k], direction[ahead->index[k]], sum);
    for (uint i = ahead->next; i < ahead->end; i += SLICE) {
        uint index = a->indices[i];
        if (index != SELL_PAD)
            sum = fma(a->values[i], direction[index], sum);
    }
    return sum;
}

// Moves row `row` of r along by the step, using w of the previous iteration.
inline real move_residual(const iteration *now, uint row, __global const real *w, __global real *r)
{
    real residue = now->number > 0 ? fma(now->length, w[row], r[row]) : r[row];

    r[row] = residue;
    return residue;
}

// An iteration reads x, h and d and writes the next ones elsewhere, because groups do not wait for one another. The last
// one, `most`, has no product any more. `gradient`: |g|^2 / |g_0|^2 to stop at; `residual`: |A x - b|^2 / |b|^2 to stop at;
// below 0: never.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
cgnr_forward(__global const uint *starts, __global const sell_index *indices, __global const real *values,
             uint rows, uint n, __global const real *x, __global const real *h, __global const real *d,
             __global const real *e, __global real *to_x, __global real *to_h, __global real *to_d,
             __global real *w, __global real *r, real weight, real gradient, real residual, __global acc *state,
             uint parts, uint most)
{
    __local real direction[COLUMNS];
    __local acc node[2 * GROUP];
    const sliced a = {starts, indices, values, rows};
    const place next = {to_x, to_h, to_d};
    uint row = (uint)get_group_id(0) * GROUP + (uint)get_local_id(0);
    column own[OWN];
    row_ahead ahead;
    iteration now;

    read_columns(x, h, d, e, n, own);
    ask_row(&a, row, &ahead);
    read_iteration(state, parts, &now);
    acc first = read_first(state, parts, &now);
    if (now.number > most)
        return; // uniform over all groups, here and below
    count_iteration(state, parts, now.number);
    if (now.number > 0) {
        if (now.code == 0)
            judge_residual(state, parts, residual, node, &now);
        if (now.code == 0)
            find_step(own, n, weight, node, &now);
    }
    if (now.code == 0) {
        take_step(own, n, weight, node, &now);
        if (is_small(now.squares, now.number > 0 ? first : now.squares, gradient))
            now.code = STOP_GRADIENT + STOP_MOVED;
    } else {
        take_no_step(state, parts, &now);
    }
    if (get_global_id(0) == 0) {
        keep_record(state, parts, now.number, now.squares, now.rest, now.code);
        state[STEP(now.number)] = acc_of(now.length);
    }
    if (is_of_x_before(now.code))
        return; // x stays where it is
    leave_columns(own, n, weight, now.ratio, &next, direction);
    if (now.code != 0 || now.number == most)
        return;
    barrier(CLK_LOCAL_MEM_FENCE);
#if RESIDUAL
    acc squares = ACC_ZERO; // of r
#endif
    while (row < rows) {
        real sum = multiply_row(&a, &ahead, direction);
#if RESIDUAL
        real residue = move_residual(&now, row, w, r);
        squares = acc_add_product(squares, residue, residue);
#endif
        w[row] = sum;
        row += (uint)get_num_groups(0) * GROUP;
        ask_row(&a, row, &ahead);
    }
#if RESIDUAL
    leave_part(squares, state, parts, 2 + (~now.number & 1), node);
#endif
}

// e = A^T w + L d, the transposed matrix's rows as CSR, columns in the order of w.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
cgnr_backward(__global const uint *starts, __global const uint *indices, __global const real *values, uint n,
              __global const real *d, __global real *e, __global const real *w, real lambda, real smooth,
              uint order, __global acc *state, uint parts, uint most)
{
    __local real part[GROUP];
    uint j = (uint)(get_global_id(0) / LANES), lane = (uint)get_local_id(0) % LANES;
    uint next = j < n ? starts[j] + lane : 0, end = j < n ? starts[j + 1] : 0, index[AHEAD];
    real value[AHEAD], sum = 0;

#pragma unroll
    for (uint k = 0; k < AHEAD; k++, next += LANES) {
        index[k] = next < end ? indices[next] : 0;
        value[k] = next < end ? values[next] : 0;
    }
    end_iteration(state, parts);
    if (read_cell(state, CODE(1)) != 0 || read_cell(state, COUNT(1)) > most)
        return; // uniform over all groups
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
