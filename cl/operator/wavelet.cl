// SPDX-License-Identifier: Apache-2.0
// Least squares with a sparse wavelet transform between applications of A and A^H, which may be any linear operator
// (src/operator/bounded/bounded.h): minimises |A x - b|^2 / 2 + lambda sum |c|, where c are the details of the orthogonal
// wavelet transform W x (src/operator/proximal/wavelet.h), by accelerated proximal gradients (FISTA, Beck and Teboulle
// 2009), restarted whenever a step goes uphill. Iteration k, with t = 1 / |A|^2 and y = x + m (x - x before):
//
//     g = A^H (A x - b)
//     x' = W^H S(W (y - t g(y)))      g(y) = g + m (g - g before); S shortens each detail by t lambda, or to 0
//
// If A^H A and A^H b are known instead of A and b, g is A^H A x - A^H b.
//
// A level of the transform halves a box of the picture or volume along some of its axes, from one buffer into another, low
// halves first; the next level has the box of all low halves, and goes back to the first buffer. Details are shortened as
// they are made. Then the levels are undone.
//
// Scalars stay on the device, in `state`, as in cl/operator/bounded.cl; iteration k stores |y - x'|^2 / t^2 in NORM(k),
// |A x - b|^2 (less |b|^2 if only A^H A is known) in REST(k), the sum of |c| of x in STEP(k), and in STOP(k) why it is the
// last (cl/shared/cgnr.h).
//
// Launch, in each iteration, with `parts` groups each: A x, bounded_residual, A^H r, wavelet_point, wavelet_split for each
// level, wavelet_join for each level, wavelet_compare, wavelet_move.
// Cost: point reads g, x and those before, writes one vector; a level reads and writes its box, 4 elements along each axis
// that it halves from nearby for each two that it writes; compare reads x, x before and x'; move reads x, x', g, writes x
// and those before.
// Tunables: AXES (2 or 3), COMPONENTS (numbers per element: 1, or 2 if it is complex), GROUP (a power of two),
// ACC_SOFT (cl/lib/accumulator.clh), KN_SUBGROUP (cl/lib/rung.clh).
#include "picture.clh"

#if COMPONENTS == 2
typedef float2 element;
#else
typedef float element;
#endif

// Partial sums 0 and 2 are those of |r|^2 and |y - x'|^2, 1 and 3 those of what A^H A has of |A x - b|^2, and of what moved.
// After the last iteration's cells come: the limit of |r|^2; t; and more partial sums.
#define LIMIT CELL(most + 1)
#define LENGTH (LIMIT + 1)
#define MORE(kind) (LIMIT + 2 + (kind) * parts)
#define UP(k) MORE((k) % 2)           // (y - x').(x' - x): above 0 if the step goes up
#define DETAILS(k) MORE(2 + (k) % 2)  // the sum of |c| of x
#define PACE(k) (MORE(4) + (k) % 2)   // what momentum follows from

// How far this iteration extrapolates beyond x; the same in all groups.
inline float find_momentum(__global const acc *state, uint parts, uint most, uint iteration, float *pace, __local acc *node)
{
    float last;

    *pace = 1;
    if (iteration == 0 || acc_less(ACC_ZERO, sum_parts(state + UP(iteration - 1), parts, node)))
        return 0;
    last = acc_to_real(state[PACE(iteration - 1)]);
    *pace = (1 + sqrt(1 + 4 * last * last)) / 2;
    return (last - 1) / *pace;
}

// to = y - t g(y); `b` is A^H b, of which the energy is made, if only A^H A is known.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
wavelet_point(__global const float *g, __global const float *gradient_before, __global const float *x,
              __global const float *before, __global const float *b, __global float *to, uint n, uint normal,
              __global acc *state, uint parts, uint most)
{
    __local acc node[GROUP];
    uint iteration = read_cell(state, COUNT(0));
    float pace, momentum = find_momentum(state, parts, most, iteration, &pace, node), length = acc_to_real(state[LENGTH]);
    acc energy = ACC_ZERO;

    FOR_COLUMNS(j, n) {
        float at = x[j], slant = g[j];
        to[j] = fma(-length, fma(momentum, slant - gradient_before[j], slant), fma(momentum, at - before[j], at));
        if (normal)
            energy = acc_add_product(energy, at, slant - b[j]);
    }
    leave_part(energy, state, parts, 1, node);
}

// ---- the transform ----

// Four elements along each axis that is halved, one along others; and their weights in the two that are made of them.
struct taps {
    ulong at[AXES][4];
    float weight[AXES][8]; // the first result's, then the second's
    uint count[AXES];
};

inline void make_sums(__global const element *from, const struct taps *taps, element *sums)
{
    for (uint i = 0; i < 1 << AXES; i++)
        sums[i] = (element)(0);
#if AXES == 3
    for (uint z = 0; z < taps->count[2]; z++)
#endif
        for (uint y = 0; y < taps->count[1]; y++) {
            element first = (element)(0), second = (element)(0);
            for (uint x = 0; x < taps->count[0]; x++) {
                ulong at = taps->at[0][x] + taps->at[1][y];
#if AXES == 3
                at += taps->at[2][z];
#endif
                first += taps->weight[0][x] * from[at];
                second += taps->weight[0][4 + x] * from[at];
            }
            for (uint i = 0; i < 1 << (AXES - 1); i++) {
                float weight = taps->weight[1][4 * (i % 2) + y];
#if AXES == 3
                weight *= taps->weight[2][4 * (i / 2) + z];
#endif
                sums[2 * i] += weight * first;
                sums[2 * i + 1] += weight * second;
            }
        }
}

// The box, whose elements are strides apart; `halved` has a bit for each axis. `items`: as many as the halves have.
#define BOX                                                                                                            \
    const ulong strides[3] = {1, line, plane};                                                                         \
    const uint lengths[3] = {width, height, depth};                                                                    \
    uint counts[3];                                                                                                    \
    ulong items = 1;                                                                                                   \
    for (uint a = 0; a < 3; a++) {                                                                                     \
        counts[a] = halved >> a & 1 ? lengths[a] / 2 : lengths[a];                                                     \
        items *= counts[a];                                                                                            \
    }

inline float length_of(element value)
{
#if COMPONENTS == 2
    return sqrt(fma(value.x, value.x, value.y * value.y));
#else
    return fabs(value);
#endif
}

// Halves the box, and shortens details by t lambda. The sum of their lengths belongs to the x `ahead` iterations later.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
wavelet_split(__global const element *from, __global element *to, uint width, uint height, uint depth, ulong line,
              ulong plane, uint halved, float tap0, float tap1, float tap2, float tap3, float lambda, uint is_first,
              uint ahead, __global acc *state, uint parts, uint most)
{
    __local acc node[GROUP];
    const float filters[8] = {tap0, tap1, tap2, tap3, tap3, -tap2, tap1, -tap0};
    const float threshold = lambda * acc_to_real(state[LENGTH]);
    const uint iteration = read_cell(state, COUNT(0)) + ahead;
    acc details = ACC_ZERO;
    BOX

    FOR_COLUMNS(i, items) {
        struct taps taps;
        uint place[AXES];
        element sums[1 << AXES];
        locate(i, counts[0], counts[1], counts[2], place);
        for (uint a = 0; a < AXES; a++) {
            bool halves = halved >> a & 1;
            taps.count[a] = halves ? 4 : 1;
            for (uint k = 0; k < 4; k++) {
                uint own = halves ? (2 * place[a] + k) % lengths[a] : place[a];
                taps.at[a][k] = own * strides[a];
                taps.weight[a][k] = halves ? filters[k] : 1;
                taps.weight[a][4 + k] = halves ? filters[4 + k] : 0;
            }
        }
        make_sums(from, &taps, sums);
        for (uint k = 0; k < 1 << AXES; k++) {
            ulong at = 0;
            element value = sums[k];
            if (k & ~halved)
                continue; // there is no such half
            for (uint a = 0; a < AXES; a++)
                at += (place[a] + (k >> a & 1) * counts[a]) * strides[a];
            if (k > 0) {
                float size = length_of(value);
                value *= size > threshold ? 1 - threshold / size : 0;
                details = acc_add(details, acc_of(size > threshold ? size - threshold : 0));
            }
            to[at] = value;
        }
    }
    details = sum_group(details, node);
    if (get_local_id(0) == 0) {
        __global acc *own = state + DETAILS(iteration) + get_group_id(0);
        *own = is_first ? details : acc_add(*own, details);
    }
}

// Puts the halves of the box together again.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
wavelet_join(__global const element *from, __global element *to, uint width, uint height, uint depth, ulong line,
             ulong plane, uint halved, float tap0, float tap1, float tap2, float tap3)
{
    const float filters[8] = {tap0, tap1, tap2, tap3, tap3, -tap2, tap1, -tap0};
    BOX

    FOR_COLUMNS(i, items) {
        struct taps taps;
        uint place[AXES];
        element sums[1 << AXES];
        locate(i, counts[0], counts[1], counts[2], place);
        for (uint a = 0; a < AXES; a++) {
            bool halves = halved >> a & 1;
            taps.count[a] = halves ? 4 : 1;
            for (uint k = 0; k < 4; k++) { // of the low half two, then of the high one
                uint back = k % 2, own = (place[a] + counts[a] - back) % counts[a] + k / 2 * counts[a];
                taps.at[a][k] = (halves ? own : place[a]) * strides[a];
                taps.weight[a][k] = halves ? filters[k / 2 * 4 + 2 * back] : 1;
                taps.weight[a][4 + k] = halves ? filters[k / 2 * 4 + 2 * back + 1] : 0;
            }
        }
        make_sums(from, &taps, sums);
        for (uint k = 0; k < 1 << AXES; k++) {
            ulong at = 0;
            if (k & ~halved)
                continue;
            for (uint a = 0; a < AXES; a++)
                at += (halved >> a & 1 ? 2 * place[a] + (k >> a & 1) : place[a]) * strides[a];
            to[at] = sums[k];
        }
    }
}

// ---- steps ----

// Partial sums of what the step changes; `next` is x'.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
wavelet_compare(__global const float *next, __global const float *x, __global const float *before, uint n,
                __global acc *state, uint parts, uint most)
{
    __local acc node[GROUP];
    uint iteration = read_cell(state, COUNT(0));
    float pace, momentum = find_momentum(state, parts, most, iteration, &pace, node), length = acc_to_real(state[LENGTH]);
    float scale = length > 0 ? 1 / length : 0;
    acc squares = ACC_ZERO, up = ACC_ZERO;

    FOR_COLUMNS(j, n) {
        float at = x[j], change = fma(momentum, at - before[j], at) - next[j];
        squares = acc_add_product(squares, scale * change, scale * change);
        up = acc_add_product(up, change, next[j] - at);
    }
    leave_part(squares, state, parts, 2, node);
    leave_more(up, state + UP(iteration), node);
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
wavelet_move(__global const float *next, __global const float *g, __global float *gradient_before, __global float *x,
             __global float *before, uint n, uint normal, float end, __global acc *state, uint parts, uint most)
{
    __local acc node[GROUP];
    uint iteration = read_cell(state, COUNT(0)), code = 0;
    float pace;
    acc squares, rest, details;

    if (has_ended(state, parts, most, iteration))
        return; // uniform over all groups
    find_momentum(state, parts, most, iteration, &pace, node);
    rest = sum_parts(state + PARTIAL(normal ? 1 : 0), parts, node);
    squares = sum_parts(state + PARTIAL(2), parts, node);
    details = sum_parts(state + DETAILS(iteration), parts, node);
    if (!acc_less(state[LIMIT], rest)) // true for NaN, too
        code = STOP_RESIDUAL + STOP_MOVED;
    else if (is_small(squares, iteration > 0 ? state[NORM(0)] : squares, end))
        code = STOP_GRADIENT + STOP_MOVED;
    count_iteration(state, parts, iteration);
    if (get_global_id(0) == 0) {
        keep_record(state, parts, iteration, squares, rest, code);
        state[STEP(iteration)] = details;
        state[PACE(iteration)] = acc_of(pace);
    }
    if (code != 0 || iteration == most)
        return; // uniform over all groups
    FOR_COLUMNS(j, n) {
        before[j] = x[j];
        gradient_before[j] = g[j];
        x[j] = next[j];
    }
    barrier(CLK_LOCAL_MEM_FENCE); // without it PoCL 3.1 walks beyond the last column
}
