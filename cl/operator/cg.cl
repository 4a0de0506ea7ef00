// SPDX-License-Identifier: Apache-2.0
// Conjugate gradients on (A + L) x = b between two applications of A, which is self-adjoint and positive semi-definite
// (src/operator/cgnr/cgnr.h). L is lambda, or smooth D^H D: the sum, over the axes of an image of complex numbers, of the
// squared differences between neighbours. Vectors are real; a complex number is two reals, because only the real part of a
// dot product is needed. An iteration:
//
//     f = d.(A + L) d                alpha = |h|^2 / f
//     h += alpha (A + L) d           h, the gradient (A + L) x - b, by recurrence
//     x += alpha d                   beta = |h|^2 / |h before|^2
//     d = -h + beta d
//
// Scalars stay on the device, in `state`, as in cl/operator/cgnr.cl.
// Source: Hestenes and Stiefel, Methods of conjugate gradients for solving linear systems, 1952.
//
// Launch, in each iteration, with `parts` groups each: cg_step, cg_turn, A, cg_curve (for an image: cg_difference).
// Cost: begin reads v, b (and x, with lambda), writes h; curve reads d, v; difference reads d, v, writes v; step reads h, v
// (and d, with lambda), writes h; turn reads and writes x, d, reads h.
// Tunables: GROUP (a power of two), WIDTH, ACC_SOFT (cl/lib/accumulator.clh), KN_SUBGROUP (cl/lib/rung.clh).
#include "../shared/cgnr.h"

#ifndef GROUP
#if KN_CPU
#define GROUP 1
#else
#define GROUP 256
#endif
#endif

#undef REAL_BITS // vectors are single precision
#define REAL_BITS 32
#include "cgnr_state.clh"
#include "../lib/tree.clh"

// ---- vectors ----

// A work-item's rows of WIDTH floats, among the rows of n floats: contiguous on a CPU.
typedef struct {
    ulong first, end, step;
} walk;

inline walk rows_of(ulong n)
{
    walk rows;
    ulong count = (n + WIDTH - 1) / WIDTH, item = get_global_id(0), items = get_global_size(0);

#if KN_CPU
    ulong each = (count + items - 1) / items;
    rows.first = min(item * each, count);
    rows.end = min(rows.first + each, count);
    rows.step = 1;
#else
    rows.first = item;
    rows.end = count;
    rows.step = items;
#endif
    return rows;
}

inline realw get_row(__global const float *x, ulong n, ulong row)
{
    if ((row + 1) * WIDTH <= n)
        return ((__global const realw *)x)[row];
    return load_guarded(x, n, row * WIDTH, 0);
}

inline void put_row(__global float *x, ulong n, ulong row, realw value)
{
    union {
        realw vector;
        float element[WIDTH];
    } parts;

    if ((row + 1) * WIDTH <= n) {
        ((__global realw *)x)[row] = value;
        return;
    }
    parts.vector = value;
#pragma unroll
    for (uint lane = 0; lane < WIDTH; lane++)
        if (row * WIDTH + lane < n)
            x[row * WIDTH + lane] = parts.element[lane];
}

// (A + lambda) d, from A d.
inline realw add_identity(realw product, __global const float *d, ulong n, ulong row, float lambda)
{
    return lambda != 0 ? fma((realw)(lambda), get_row(d, n, row), product) : product;
}

// ---- before the first iteration ----

// h = v + lambda x - b; partial sums of its squares and of b's.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
cg_begin(__global const float *v, __global const float *b, __global const float *x, __global float *h, ulong n,
         float lambda, __global acc *state, uint parts)
{
    __local acc node[GROUP];
    walk rows = rows_of(n);
    accw squares = accw_zero(), goal = accw_zero();

    for (ulong row = rows.first; row < rows.end; row += rows.step) {
        realw right = get_row(b, n, row), rest = add_identity(get_row(v, n, row), x, n, row, lambda) - right;
        put_row(h, n, row, rest);
        squares = accw_add_product(squares, rest, rest);
        goal = accw_add_product(goal, right, right);
    }
    leave_two_parts(fold_lanes(squares), fold_lanes(goal), state, parts, 0, node);
}

// ---- an iteration ----

// Partial sums of d.(v + lambda d).
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
cg_curve(__global const float *v, __global const float *d, ulong n, float lambda, __global acc *state, uint parts,
         uint most)
{
    __local acc node[GROUP];
    walk rows = rows_of(n);
    accw sum = accw_zero();

    end_iteration(state, parts);
    if (read_cell(state, CODE(1)) != 0 || read_cell(state, COUNT(1)) > most)
        return; // uniform over all groups
    for (ulong row = rows.first; row < rows.end; row += rows.step) {
        realw direction = get_row(d, n, row);
        sum = accw_add_product(sum, direction, fma((realw)(lambda), direction, get_row(v, n, row)));
    }
    leave_part(fold_lanes(sum), state, parts, 0, node);
}

// The neighbours' part of D^H D d in voxel i, position j of `size` along an axis whose neighbours are `stride` apart.
inline float2 differ(__global const float2 *d, float2 own, ulong i, uint j, uint size, ulong stride, uint periodic)
{
    float2 sum = (float2)(0, 0);

    if (size == 1)
        return sum;
    if (j > 0)
        sum += own - d[i - stride];
    else if (periodic)
        sum += own - d[i + (size - 1) * stride];
    if (j + 1 < size)
        sum += own - d[i + stride];
    else if (periodic)
        sum += own - d[i - (size - 1) * stride];
    return sum;
}

// v += smooth D^H D d of an image of complex numbers, nx x ny x nz, x fastest; partial sums of d.v.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
cg_difference(__global float2 *v, __global const float2 *d, uint nx, uint ny, uint nz, uint periodic, float smooth,
              __global acc *state, uint parts, uint most)
{
    __local acc node[GROUP];
    ulong count = (ulong)nx * ny * nz;
    acc sum = ACC_ZERO;

    end_iteration(state, parts);
    if (read_cell(state, CODE(1)) != 0 || read_cell(state, COUNT(1)) > most)
        return; // uniform over all groups
    FOR_COLUMNS(i, count) {
        ulong line = i / nx;
        float2 own = d[i], rest = differ(d, own, i, (uint)(i - line * nx), nx, 1, periodic);
        rest += differ(d, own, i, (uint)(line % ny), ny, nx, periodic);
        rest += differ(d, own, i, (uint)(line / ny), nz, (ulong)nx * ny, periodic);
        float2 image = fma((float2)(smooth), rest, v[i]);
        v[i] = image;
        sum = acc_add_product(sum, own.x, image.x);
        sum = acc_add_product(sum, own.y, image.y);
    }
    leave_part(sum, state, parts, 0, node);
}

// Moves h along by the step, whose length is |h|^2 / f; partial sums of |h|^2. Iteration 0 has no step.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
cg_step(__global const float *d, __global const float *v, __global float *h, ulong n, float lambda,
        __global acc *state, uint parts, uint most)
{
    __local acc node[GROUP];
    uint iteration = read_cell(state, COUNT(0));
    float length = 0;
    walk rows = rows_of(n);
    accw squares = accw_zero();

    if (iteration > most)
        return; // uniform over all groups
    count_iteration(state, parts, iteration);
    if (read_cell(state, CODE(0)) != 0)
        return; // uniform over all groups
    if (iteration > 0)
        length = -step_length(state[NORM(iteration - 1)], sum_parts(state + PARTIAL(0), parts, node));
    if (get_global_id(0) == 0)
        state[STEP(iteration)] = acc_of(length);
    if (isnan(length))
        return; // uniform over all groups
    for (ulong row = rows.first; row < rows.end; row += rows.step) {
        realw rest = get_row(h, n, row);
        if (iteration > 0) {
            rest = fma((realw)(length), add_identity(get_row(v, n, row), d, n, row, lambda), rest);
            put_row(h, n, row, rest);
        }
        squares = accw_add_product(squares, rest, rest);
    }
    leave_part(fold_lanes(squares), state, parts, 2, node);
}

// Moves x along by the step, and computes the next d. The iterations end when |h|^2 is at most `gradient` times |b|^2.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
cg_turn(__global float *x, __global float *d, __global const float *h, ulong n, float gradient, __global acc *state,
        uint parts, uint most)
{
    __local acc node[GROUP];
    uint iteration = read_cell(state, COUNT(0)), code = read_cell(state, CODE(0));
    float length = 0, ratio = 0;
    acc squares;
    walk rows = rows_of(n);

    if (iteration > most)
        return; // uniform over all groups
    if (code == 0) {
        length = acc_to_real(state[STEP(iteration)]);
        if (isnan(length))
            code = STOP_CURVATURE;
    }
    if (code == 0) {
        squares = sum_parts(state + PARTIAL(2), parts, node);
        if (iteration > 0)
            ratio = acc_ratio(squares, state[NORM(iteration - 1)]);
        if (is_small(squares, state[GOAL], gradient))
            code = STOP_GRADIENT + STOP_MOVED;
    } else {
        squares = state[NORM(iteration - 1)];
    }
    if (get_global_id(0) == 0)
        keep_record(state, parts, iteration, squares, ACC_ZERO, code); // the length of the step is stored already
    if (is_of_x_before(code))
        return; // uniform over all groups
    for (ulong row = rows.first; row < rows.end; row += rows.step) {
        realw direction = get_row(d, n, row);
        put_row(x, n, row, fma((realw)(length), direction, get_row(x, n, row)));
        put_row(d, n, row, fma((realw)(ratio), direction, -get_row(h, n, row)));
    }
}
