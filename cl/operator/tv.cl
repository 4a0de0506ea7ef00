// SPDX-License-Identifier: Apache-2.0
// Least squares with total variation between applications of A and A^H, which may be any linear operator
// (src/operator/bounded/bounded.h): minimises |A x - b|^2 / 2 + lambda TV(x) within bounds. TV is the sum over the
// pixels of a picture or volume of the length of the differences D x to the next pixel along each axis (isotropic;
// the last pixel of a line has none). The method is the primal-dual one of Chambolle and Pock (2011), with p and y
// dual to A x and D x, over-relaxed as in Condat (2013). Iteration k, with its iterate x':
//
//     p' = (p + s (A (2 x' - x) - b)) / (1 + s)
//     y' = P(y + q D (2 x' - x))           P: each pixel's y no longer than lambda
//     x, p, y += relaxation (x' - x, p' - p, y' - y)
//     x' = P(x - t (A^H p + D^T y))        P: within the bounds
//
// The steps are s for rows, t for columns and q = 1 / (2 t |D|^2), where 2 |A|^2 s t = 1: both parts have the same
// norm. A x follows from A x' by the same relaxation. t y is stored instead of y, because it is in the range of x.
// The differences of x, p and y from x', p' and y', weighted by the steps, are 0 at the solution.
//
// Scalars stay on the device, in `state`, as in cl/operator/bounded.cl; iteration k stores the square of these
// differences in NORM(k), |A x' - b|^2 in REST(k), TV(x') in STEP(k), and in STOP(k) why it is the last
// (cl/shared/cgnr.h).
//
// If A^H A and A^H b are known instead of A and b, tv_normal takes the place of tv_rows: it keeps A^H p instead of p,
// since the iteration is linear in p. REST(k) is then |A x' - b|^2 - |b|^2.
//
// Launch, in each iteration, with `parts` groups each: A x', tv_rows, tv_differences, A^H p, tv_step; or A^H A x',
// tv_normal, tv_differences, tv_step.
// Cost: rows reads u, b, w, p, writes w, p; differences reads x', x and y, writes y, with AXES numbers per number
// of x; step reads v, y, x, x', writes x, x'.
// Tunables: AXES (2 or 3), COMPONENTS (numbers per element: 1, or 2 if it is complex), GROUP (a power of two),
// ACC_SOFT (cl/lib/accumulator.clh), KN_SUBGROUP (cl/lib/rung.clh).
#include "../shared/tv.h"
#include "picture.clh"

// Partial sums 0 to 3 are those of |A x' - b|^2, of the differences in p, of TV, and of the differences in y. After
// the last iteration's cells come: the limit of |A x' - b|^2 (below 0: none); t; and more partial sums.
#define LIMIT CELL(most + 1)
#define LENGTH (LIMIT + 1)
#define CHANGES(k) (LIMIT + 2 + (k) % 2 * parts) // those of the differences in x

// u = A x', w = A x.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
tv_rows(__global const float *u, __global const float *b, __global float *w, __global float *p, uint rows,
        __global acc *state, uint parts)
{
    __local acc node[GROUP];
    acc squares = ACC_ZERO, changes = ACC_ZERO;

    end_iteration(state, parts); // the previous one
    FOR_COLUMNS(i, rows) {
        float product = u[i], before = w[i], rest = product - b[i], own = p[i];
        float beyond = rest + (product - before);
        float change = (own + TV_ROW_STEP * beyond) / (1 + TV_ROW_STEP) - own;
        p[i] = fma(TV_RELAXATION, change, own);
        w[i] = fma(TV_RELAXATION, product - before, before);
        squares = acc_add_product(squares, rest, rest);
        changes = acc_add_product(changes, change, change / TV_ROW_STEP);
    }
    leave_two_parts(squares, changes, state, parts, 0, node);
}

// u = A^H A x', w = A^H A x, p = A^H p, b = A^H b; `x` is x'. A change d of p is at least as long as A^H d / |A|.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
tv_normal(__global const float *u, __global const float *b, __global const float *x, __global float *w, __global float *p,
          uint columns, __global acc *state, uint parts, uint most)
{
    __local acc node[GROUP];
    const float length = acc_to_real(state[LENGTH]); // 2 length TV_ROW_STEP |A|^2 = 1
    acc energy = ACC_ZERO, changes = ACC_ZERO;

    end_iteration(state, parts); // the previous one
    FOR_COLUMNS(i, columns) {
        float product = u[i], before = w[i], own = p[i], right = b[i];
        float beyond = product - right + (product - before);
        float change = (own + TV_ROW_STEP * beyond) / (1 + TV_ROW_STEP) - own;
        p[i] = fma(TV_RELAXATION, change, own);
        w[i] = fma(TV_RELAXATION, product - before, before);
        energy = acc_add_product(energy, x[i], product - 2 * right);
        changes = acc_add_product(changes, change, 2 * length * change);
    }
    leave_two_parts(energy, changes, state, parts, 0, node);
}

// `x` is x', `before` is x; t y is stored one axis after the other, and moves in steps of t q = `length`.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
tv_differences(__global const float *x, __global const float *before, __global float *y, uint width, uint height, uint depth,
               float lambda, float length, __global acc *state, uint parts, uint most)
{
    __local acc node[GROUP];
    const ulong pixels = (ulong)width * height * depth, line = width, plane = (ulong)width * height;
    const ulong strides[] = {1, line, plane};
    const uint lengths[] = {width, height, depth};
    float step = acc_to_real(state[LENGTH]), radius = step * lambda;
    acc variation = ACC_ZERO, changes = ACC_ZERO;

    FOR_COLUMNS(i, pixels) {
        uint place[AXES];
        float moved[AXES * COMPONENTS], squares = 0, moved_squares = 0, factor;
        locate(i, width, height, depth, place);
        for (uint a = 0; a < AXES; a++)
            for (uint c = 0; c < COMPONENTS; c++) {
                bool is_inside = place[a] + 1 < lengths[a];
                ulong at = i * COMPONENTS + c, next = is_inside ? at + strides[a] * COMPONENTS : at;
                float difference = x[next] - x[at], last = before[next] - before[at];
                float dual = fma(length, difference + (difference - last), y[a * pixels * COMPONENTS + at]);
                squares = fma(difference, difference, squares);
                moved_squares = fma(dual, dual, moved_squares);
                moved[a * COMPONENTS + c] = dual;
            }
        factor = moved_squares > radius * radius ? radius / sqrt(moved_squares) : 1;
        for (uint k = 0; k < AXES * COMPONENTS; k++) {
            ulong at = (k / COMPONENTS * pixels + i) * COMPONENTS + k % COMPONENTS;
            float own = y[at], change = factor * moved[k] - own;
            y[at] = fma(TV_RELAXATION, change, own);
            changes = acc_add_product(changes, change, change / (step * length));
        }
        variation = acc_add(variation, acc_of(sqrt(squares)));
    }
    leave_two_parts(variation, changes, state, parts, 2, node);
}

// Why this iteration is the last, or 0; the same in all groups. Also returns its sums.
inline uint find_end(__global const acc *state, uint parts, uint most, uint iteration, float end, acc *squares, acc *rest,
                     acc *variation, __local acc *node)
{
    *rest = sum_parts(state + PARTIAL(0), parts, node);
    *variation = sum_parts(state + PARTIAL(2), parts, node);
    *squares = acc_add(sum_parts(state + PARTIAL(1), parts, node), sum_parts(state + PARTIAL(3), parts, node));
    if (iteration > 0)
        *squares = acc_add(*squares, sum_parts(state + CHANGES(iteration - 1), parts, node));
    if (!acc_less(state[LIMIT], *rest)) // true for NaN, too
        return STOP_RESIDUAL + STOP_MOVED;
    return is_small(*squares, iteration > 0 ? state[NORM(0)] : *squares, end) ? STOP_GRADIENT + STOP_MOVED : 0;
}

// v = A^H p; `x` is x', `before` is x.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
tv_step(__global const float *v, __global const float *y, __global float *x, __global float *before, uint width, uint height,
        uint depth, float low, float high, float end, __global acc *state, uint parts, uint most)
{
    __local acc node[GROUP];
    const ulong pixels = (ulong)width * height * depth, line = width, plane = (ulong)width * height;
    const ulong strides[] = {1, line, plane};
    uint iteration = read_cell(state, COUNT(0)), code;
    float length = acc_to_real(state[LENGTH]);
    acc squares, rest, variation, changes = ACC_ZERO;

    if (has_ended(state, parts, most, iteration))
        return; // uniform over all groups
    code = find_end(state, parts, most, iteration, end, &squares, &rest, &variation, node);
    count_iteration(state, parts, iteration);
    if (get_global_id(0) == 0) {
        keep_record(state, parts, iteration, squares, rest, code);
        state[STEP(iteration)] = variation;
    }
    if (code != 0 || iteration == most)
        return; // uniform over all groups
    FOR_COLUMNS(i, pixels) {
        uint place[AXES];
        locate(i, width, height, depth, place);
        for (uint c = 0; c < COMPONENTS; c++) {
            ulong at = i * COMPONENTS + c;
            float own = before[at], turn = 0, next, change;
            for (uint a = 0; a < AXES; a++) {
                __global const float *dual = y + a * pixels * COMPONENTS;
                turn += (place[a] > 0 ? dual[at - strides[a] * COMPONENTS] : 0) - dual[at]; // 0 at the end of a line
            }
            own = fma(TV_RELAXATION, x[at] - own, own);
            next = within(own - fma(length, v[at], turn), low, high);
            change = next - own;
            before[at] = own;
            x[at] = next;
            changes = acc_add_product(changes, change, change / length);
        }
    }
    leave_more(changes, state + CHANGES(iteration), node);
}
