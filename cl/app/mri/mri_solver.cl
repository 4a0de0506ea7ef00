// SPDX-License-Identifier: Apache-2.0
// Conjugate gradients on (T + lambda R) x = b between two applications of T (src/app/mri/solver/solver.h). Vectors are complex
// numbers, here their floats one by one: all that is asked of a dot product is its real part.
//
// Scalars stay on the device, in `state`: cell 0 has ||b||^2, cells 1 to PARTS and the PARTS behind them what the groups
// summed, and then in turn, for every iteration i, ||r_i||^2 and the length of its step: 0 once there is nothing to do
// any more, -1 where p^T A p was not positive. All groups add up the partial sums by themselves, in the same order.
//
// Launch: all kernels but the fold with `parts` groups; solver_fold with one. An iteration: T, solver_curve (MRI_DIFFERENCE:
// solver_difference), solver_step, solver_turn.
// Cost: begin reads b (and x and T x), writes r, p (or x); curve reads p, T p; difference reads x, y, writes y; step reads
// r, T p (and p, with lambda), writes r; turn reads and writes x, p, reads r.
// Tunables: GROUP (a power of two), WIDTH, ACC_SOFT (cl/lib/accumulator.clh).
#ifndef GROUP
#if KN_CPU
#define GROUP 1
#else
#define GROUP 256
#endif
#endif

#undef REAL_BITS // vectors are single
#define REAL_BITS 32
#include "../../lib/solver.clh"
#include "../../lib/tree.clh"

#define GOAL 0
#define PARTIAL(kind) (1 + (kind) * parts)
#define NORM(i) (1 + 2 * parts + 2 * (i))
#define STEP(i) (NORM(i) + 1)

// ---- vectors ----

// A work-item's rows of WIDTH floats, of those that n floats have: neighbours on a CPU.
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

// (T + lambda) p, from T p.
inline realw add_identity(realw product, __global const float *p, ulong n, ulong row, float lambda)
{
    return lambda != 0 ? fma((realw)(lambda), get_row(p, n, row), product) : product;
}

// ---- before the first iteration ----

// x = 0 and r = b, or with `started` r = b - (T + lambda) x; p = r. Partial sums of r^2 and b^2.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
solver_begin(__global const float *b, __global const float *product, __global float *x, __global float *r,
             __global float *p, ulong n, float lambda, uint started, __global acc *state, uint parts)
{
    __local acc node[GROUP];
    walk rows = rows_of(n);
    accw squares = accw_zero(), goal = accw_zero();

    for (ulong row = rows.first; row < rows.end; row += rows.step) {
        realw right = get_row(b, n, row), rest = right;
        if (started)
            rest -= add_identity(get_row(product, n, row), x, n, row, lambda);
        else
            put_row(x, n, row, (realw)(0));
        put_row(r, n, row, rest);
        put_row(p, n, row, rest);
        squares = accw_add_product(squares, rest, rest);
        goal = accw_add_product(goal, right, right);
    }
    acc sum = sum_group(fold_lanes(squares), node), goal_sum = sum_group(fold_lanes(goal), node);
    if (get_local_id(0) == 0) {
        state[PARTIAL(0) + get_group_id(0)] = sum;
        state[PARTIAL(1) + get_group_id(0)] = goal_sum;
    }
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void solver_fold(__global acc *state, uint parts)
{
    __local acc node[GROUP];
    acc squares = sum_parts(state + PARTIAL(0), parts, node), goal = sum_parts(state + PARTIAL(1), parts, node);

    if (get_local_id(0) == 0) {
        state[NORM(0)] = squares;
        state[GOAL] = goal;
    }
}

// ---- an iteration ----

// Partial sums of p (T + lambda) p.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
solver_curve(__global const float *p, __global const float *product, ulong n, float lambda,
             __global acc *state, uint parts)
{
    __local acc node[GROUP];
    walk rows = rows_of(n);
    accw sum = accw_zero();

    for (ulong row = rows.first; row < rows.end; row += rows.step) {
        realw direction = get_row(p, n, row);
        realw image = fma((realw)(lambda), direction, get_row(product, n, row));
        sum = accw_add_product(sum, direction, image);
    }
    acc total = sum_group(fold_lanes(sum), node);
    if (get_local_id(0) == 0)
        state[PARTIAL(0) + get_group_id(0)] = total;
}

// The neighbours' part of D^H D x in voxel i, position j of `size` along an axis whose neighbours are `stride` apart.
inline float2 differ(__global const float2 *x, float2 own, ulong i, uint j, uint size, ulong stride, uint periodic)
{
    float2 sum = (float2)(0, 0);

    if (size == 1)
        return sum;
    if (j > 0)
        sum += own - x[i - stride];
    else if (periodic)
        sum += own - x[i + (size - 1) * stride];
    if (j + 1 < size)
        sum += own - x[i + stride];
    else if (periodic)
        sum += own - x[i - (size - 1) * stride];
    return sum;
}

// y += lambda D^H D x. Partial sums of x y.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
solver_difference(__global const float2 *x, __global float2 *y, uint nx, uint ny, uint nz, uint periodic, float lambda,
                  __global acc *state, uint parts)
{
    __local acc node[GROUP];
    ulong count = (ulong)nx * ny * nz, items = get_global_size(0), i = get_global_id(0), end = count, step = items;
    acc sum = ACC_ZERO;

#if KN_CPU
    ulong each = (count + items - 1) / items;
    i = min(i * each, count);
    end = min(i + each, count);
    step = 1;
#endif
    for (; i < end; i += step) {
        ulong line = i / nx;
        float2 own = x[i], image = y[i], rest = differ(x, own, i, (uint)(i - line * nx), nx, 1, periodic);
        rest += differ(x, own, i, (uint)(line % ny), ny, nx, periodic);
        rest += differ(x, own, i, (uint)(line / ny), nz, (ulong)nx * ny, periodic);
        image = fma((float2)(lambda), rest, image);
        y[i] = image;
        sum = acc_add_product(sum, own.x, image.x);
        sum = acc_add_product(sum, own.y, image.y);
    }
    sum = sum_group(sum, node);
    if (get_local_id(0) == 0)
        state[PARTIAL(0) + get_group_id(0)] = sum;
}

// The step's length: r r / p A p; r -= length A p. Partial sums of r^2.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
solver_step(__global const float *p, __global const float *product, __global float *r, ulong n, float lambda,
            float tolerance_squared, __global acc *state, uint parts, uint iteration)
{
    __local acc node[GROUP];
    acc curvature = sum_parts(state + PARTIAL(0), parts, node), norm = state[NORM(iteration)];
    float length = acc_ratio(norm, curvature);
    walk rows = rows_of(n);
    accw squares = accw_zero();

    if (!(acc_ratio(norm, state[GOAL]) > tolerance_squared))
        length = 0;
    else if (!(length > 0 && length < INFINITY))
        length = -1;
    if (get_global_id(0) == 0)
        state[STEP(iteration)] = acc_of(length);
    if (!(length > 0))
        return; // of the whole group
    for (ulong row = rows.first; row < rows.end; row += rows.step) {
        realw image = add_identity(get_row(product, n, row), p, n, row, lambda);
        realw rest = fma((realw)(-length), image, get_row(r, n, row));
        put_row(r, n, row, rest);
        squares = accw_add_product(squares, rest, rest);
    }
    acc total = sum_group(fold_lanes(squares), node);
    if (get_local_id(0) == 0)
        state[PARTIAL(1) + get_group_id(0)] = total;
}

// x += length p; p = r + (r r / r r before) p.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
solver_turn(__global float *x, __global float *p, __global const float *r, ulong n, __global acc *state, uint parts,
            uint iteration)
{
    __local acc node[GROUP];
    float length = acc_to_real(state[STEP(iteration)]);
    acc before = state[NORM(iteration)], norm = before;
    walk rows = rows_of(n);

    if (length > 0)
        norm = sum_parts(state + PARTIAL(1), parts, node);
    if (get_global_id(0) == 0)
        state[NORM(iteration + 1)] = norm;
    if (!(length > 0))
        return; // of the whole group
    float turn = acc_ratio(norm, before);
    for (ulong row = rows.first; row < rows.end; row += rows.step) {
        realw direction = get_row(p, n, row);
        put_row(x, n, row, fma((realw)(length), direction, get_row(x, n, row)));
        put_row(p, n, row, fma((realw)(turn), direction, get_row(r, n, row)));
    }
}
