// SPDX-License-Identifier: Apache-2.0
// Least and greatest element, sum and sum of squares of a column of any type, in one read. Floats: NaN are counted and left
// out, and the sums of x - shift are folded in the fixed tree of cl/algo/reduce.cl. Integers: all sums are exact; sums of
// squares are kept as sums of 32-bit digits.
//
// Everything stands in `state`, in cells of 8 bytes: the shift (the bits of a float, the key of an integer), then at
// `base` rows of `stride` cells, one a component: least key, greatest key, then
//   floats:            NaN (and what a last group read past the end), sum, sum of squares
//   8, 16 bits:        sum of keys; sum of squares of the keys' distances from the shift
//   32 bits:           sum of keys; sums of the squares' two digits
//   64 bits:           sums of the keys' two digits; sums of the squares' four digits
//
// Launch: moments_shift with one group of 64 for each part of the column (`last` for the last of them), unless the shift
// is given or moments_leaves is to find it; moments_leaves (floats) with any number of groups up to ceil(n / (4096 *
// LEAVES)), or moments_digits (integers, n <= 2^31) with any number; then moments_fold with ceil(count / (16 *
// FOLD_GROUP)) groups, in dimension 1 the components, until one cell a row is left.
// Cost: reads x once.
// Tunables: KEY_BITS, KEY_KIND (lib/key.clh); floats: GROUP, WIDTH, ACC_SOFT as in cl/algo/reduce.cl, UNROLL (rows; divides
// 64), AHEAD (1: so many rows have been asked for at any time, the first before the shift is known); integers: GROUP (1:
// for CPUs), LOADS (of 16 bytes, a work-item and tile); FOLD_GROUP (work-items a group of moments_fold, a power of two;
// default GROUP).
#ifndef GROUP
#define GROUP 256
#endif
#ifndef UNROLL
#define UNROLL (ACC_SOFT ? 1 : 4)
#endif
#ifndef AHEAD
#define AHEAD 0
#endif
#ifndef FOLD_GROUP
#define FOLD_GROUP GROUP
#endif
#ifndef KEY_BITS
#define KEY_BITS 32
#endif
#ifndef KEY_KIND
#define KEY_KIND 2
#endif

#if KEY_KIND == 2
#undef REAL_BITS // a real has the bits of its key
#define REAL_BITS KEY_BITS
#define KINDS_UNROLLED 1
#include "../lib/tree.clh"
#define sort_key real_key
#else
#include "../lib/key.clh"
#include "../lib/tile.clh"
#endif
#include "../lib/shift.clh"

// ---- the shift ----

// From each part of a column its samples; from the last of them the shift.
__kernel __attribute__((reqd_work_group_size(SHIFT_SAMPLES, 1, 1))) void
moments_shift(__global const sort_key *x, ulong skip, ulong first, ulong count, ulong n, __global ulong *state,
              uint last)
{
    __local sort_key key[SHIFT_SAMPLES], chosen;
    __local uint rank[RANKS];
    uint item = (uint)get_local_id(0), samples = n < SHIFT_SAMPLES ? (uint)n : SHIFT_SAMPLES;
    ulong position = sample_position(item, n);

    if (item < samples && position >= first && position - first < count)
        state[MOMENTS_FIRST_SAMPLE + item] = x[skip + position - first];
    if (!last)
        return; // uniform over the group
    // Of this launch or an earlier one: no work-item reads another's.
    if (item < samples)
        key[item] = sample_key((sort_key)state[MOMENTS_FIRST_SAMPLE + item]);
    choose_shift(key, samples, rank, &chosen);
#if KEY_KIND == 2
    if (item == 0)
        state[0] = decode_key(chosen);
#else
    if (item == 0)
        state[0] = chosen;
#endif
}

// ---- folding ----

enum { LEAST, GREATEST, FIRST_SUM };
#if KEY_KIND == 2
#define FIRST_ACC 3
#define COMPONENTS 5
#if ACC_SOFT
#define ACC_OF_CELL(cell) (cell)
#else
#define ACC_OF_CELL(cell) as_double(cell)
#endif
#else
#define COMPONENTS (KEY_BITS == 64 ? 8 : KEY_BITS == 32 ? 5 : 4)
#endif

// Combines two cells of a component.
inline ulong combine(ulong a, ulong b, uint component)
{
#if KEY_KIND == 2
    if (component >= FIRST_ACC)
        return acc_bits(acc_add(ACC_OF_CELL(a), ACC_OF_CELL(b)));
#endif
    return component == LEAST ? min(a, b) : component == GREATEST ? max(a, b) : a + b;
}

inline ulong combine_four(ulong a, ulong b, ulong c, ulong d, uint component)
{
    return combine(combine(a, b, component), combine(c, d, component), component);
}

inline ulong neutral(uint component)
{
    return component == LEAST ? 0xffffffffffffffffUL : 0;
}

// Combines the cells of a group of the given number of work-items in pairs; work-item 0 gets the result.
inline ulong combine_group(ulong own, uint component, uint items, __local ulong *node)
{
    uint item = (uint)get_local_id(0);

    barrier(CLK_LOCAL_MEM_FENCE);
    node[item] = own;
    for (uint distance = 1; distance < items; distance *= 2) {
        uint at = item * 2 * distance;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (at + distance < items)
            node[at] = combine(node[at], node[at + distance], component);
    }
    return node[item];
}

// Fours of cells pass through local memory in rows of this length, so that those of 16 neighbours are in different banks.
#define FOLD_ROW (FOLD_GROUP + 4)

// Folds rows of `count` cells at `from` into rows of one cell a group, at `to`. There is no branch around a barrier: PoCL
// 3.1 mixes up what work-items keep over one.
__kernel __attribute__((reqd_work_group_size(FOLD_GROUP, 1, 1))) void
moments_fold(__global ulong *state, ulong from, ulong count, ulong to)
{
    __local ulong node[4 * FOLD_ROW];
    uint component = (uint)get_group_id(1), item = (uint)get_local_id(0);
    ulong first = get_group_id(0) * FOLD_GROUP * 16, part[16], own;
    __global const ulong *in = state + from + count * component;

    // Neighbouring work-items read neighbouring fours.
#pragma unroll
    for (uint i = 0; i < 16; i++) {
        ulong at = first + (i / 4 * FOLD_GROUP + item) * 4 + i % 4;
        part[i] = at < count ? in[at] : neutral(component);
    }
#pragma unroll
    for (uint i = 0; i < 4; i++) {
        uint four = i * FOLD_GROUP + item;
        node[four % 4 * FOLD_ROW + four / 4] =
            combine_four(part[4 * i], part[4 * i + 1], part[4 * i + 2], part[4 * i + 3], component);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    own = combine_four(node[item], node[FOLD_ROW + item], node[2 * FOLD_ROW + item], node[3 * FOLD_ROW + item], component);
    own = combine_group(own, component, FOLD_GROUP, node);
    if (item == 0)
        state[to + get_num_groups(0) * component + get_group_id(0)] = own;
}

#if KEY_KIND == 2

// ---- floats ----

typedef struct {
    accw sums[2]; // of the differences from the shift, and of their squares
    realw least, greatest;
    countw nan;
} statistics;

// NaN drop out without further checks.
inline void take_extremes(realw row, statistics *s)
{
    s->least = fmin(s->least, row);
    s->greatest = fmax(s->greatest, row);
}

inline void begin(statistics *s)
{
    s->sums[0] = s->sums[1] = accw_zero();
    s->least = (realw)(INFINITY);
    s->greatest = (realw)(-INFINITY);
    s->nan = (countw)(0);
}

inline real_key key_of_real(real x)
{
    return encode_key(AS_KEY(x));
}

// What the lanes of a work-item found: least and greatest key, number of NaN.
inline void fold_extremes(const statistics *s, __local real_key *least, __local real_key *greatest, __local uint *nan)
{
    union {
        realw vector;
        real element[WIDTH];
    } low, high;
    union {
        countw vector;
        real_bits element[WIDTH];
    } count;
    uint found = 0;

    low.vector = s->least;
    high.vector = s->greatest;
    count.vector = s->nan;
#pragma unroll
    for (uint lane = 1; lane < WIDTH; lane++) {
        low.element[0] = fmin(low.element[0], low.element[lane]);
        high.element[0] = fmax(high.element[0], high.element[lane]);
    }
#pragma unroll
    for (uint lane = 0; lane < WIDTH; lane++)
        found += (uint)count.element[lane];
    *least = key_of_real(low.element[0]);
    *greatest = key_of_real(high.element[0]);
    *nan = found;
}

inline void take_row(realw row, real shift, statistics *s)
{
    take_extremes(row, s);
    accw_take(row, shift, s->sums);
}

#if AHEAD
#define ASKED UNROLL
#else
#define ASKED 1 // nothing is loaded ahead
#endif

// AHEAD: loads the first rows of a work-item's leaf ahead; the first leaf begins at x + start.
static inline void ask(__global const real *x, ulong n, ulong start, realw *row)
{
#if AHEAD
    uint item = (uint)get_local_id(0);

    start += item / ITEMS_PER_LEAF * TREE_LEAF;
    if (start + TREE_LEAF <= n) {
        __global const realw *rows = (__global const realw *)(x + start) + item % ITEMS_PER_LEAF;
#pragma unroll
        for (uint i = 0; i < ASKED; i++)
            row[i] = rows[i * (TREE_LANES / WIDTH)];
    }
#endif
}

// The rows of a whole leaf: no checks between loads. AHEAD: each row, once used, is replaced by the one ASKED further on.
static inline void take_whole(__global const realw *rows, realw *row, real shift, statistics *s)
{
#if AHEAD
#pragma unroll 1
    for (uint left = ROWS / ASKED - 1; left > 0; left--) {
        rows += ASKED * (TREE_LANES / WIDTH);
#pragma unroll
        for (uint i = 0; i < ASKED; i++) {
            take_row(row[i], shift, s);
            row[i] = rows[i * (TREE_LANES / WIDTH)];
        }
    }
#pragma unroll
    for (uint i = 0; i < ASKED; i++)
        take_row(row[i], shift, s);
#else
#pragma unroll UNROLL
    for (uint i = 0; i < ROWS; i++)
        take_row(rows[i * (TREE_LANES / WIDTH)], shift, s);
#endif
}

// Reduces LEAVES leaves from x + start on: sums in leaf[0] and leaf[LEAVES]; least and greatest keys and NaN of each
// work-item in the other arrays. It ends with a barrier. The next call writes to the same local memory.
static inline void take_leaves(__global const real *x, ulong n, ulong start, realw *row, real shift, __local accw *wide,
                               __local acc *leaf, __local real_key *least, __local real_key *greatest,
                               __local uint *nan)
{
    uint item = (uint)get_local_id(0);
    statistics s;

    begin(&s);
    start += item / ITEMS_PER_LEAF * TREE_LEAF;
    bool whole = start + TREE_LEAF <= n;
    start += item % ITEMS_PER_LEAF * WIDTH;
    if (whole)
        take_whole((__global const realw *)(x + start), row, shift, &s);
    if (!whole || accw_is_nan(s.sums[0])) { // once more, checking each element
        begin(&s);
        for (uint row = 0; row < ROWS; row++) {
            realw elements = load_guarded(x, n, start + row * TREE_LANES, (real)NAN);
            countw is_nan = isnan(elements);
            s.nan -= is_nan;
            take_extremes(elements, &s);
            accw_take(select(elements, (realw)(shift), is_nan), shift, s.sums);
        }
    }

    fold_extremes(&s, least + item, greatest + item, nan + item);
    fold_group(s.sums, 2, wide, leaf);
}

// Folds over the work-items of a group, to work-item 0.
inline void combine_extremes(__local real_key *least, __local real_key *greatest, __local uint *nan)
{
    uint item = (uint)get_local_id(0);

    for (uint distance = GROUP / 2; distance > 0; distance /= 2) {
        if (item < distance) {
            least[item] = min(least[item], least[item + distance]);
            greatest[item] = max(greatest[item], greatest[item + distance]);
            nan[item] += nan[item + distance];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

// The shift: found by every group in the same way if x is the whole column, else `given`. There is no branch around a
// barrier: PoCL 3.1 mixes up what work-items keep over one.
inline real find_shift(__global const real *x, ulong n, bool find, real given, __local sort_key *key, __local uint *rank,
                       __local sort_key *chosen)
{
    uint samples = !find ? 0 : n < SHIFT_SAMPLES ? (uint)n : SHIFT_SAMPLES;

    for (uint i = 0; i < (SHIFT_SAMPLES + GROUP - 1) / GROUP; i++) {
        uint sample = i * GROUP + (uint)get_local_id(0);
        if (sample < samples)
            key[sample] = sample_key(((__global const sort_key *)x)[sample_position(sample, n)]);
    }
    choose_shift(key, samples, rank, chosen);
    return find ? AS_REAL((real_key)decode_key(*chosen)) : given;
}

// Writes cells first, first + 1, ... of the rows at `base`, one for every LEAVES leaves of x[0..n). `find`: x is the whole
// column, and every group finds the shift by itself; else the shift is in the state.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
moments_leaves(__global const real *x, ulong n, __global ulong *state, ulong base, ulong first, ulong stride, uint find)
{
    __local accw wide[2 * GROUP];
    __local acc leaf[2 * LEAVES];
    __local real_key least[GROUP], greatest[GROUP], key[SHIFT_SAMPLES], chosen;
    __local uint nan[GROUP], rank[RANKS];
    ulong count = (n + LEAVES * TREE_LEAF - 1) / (LEAVES * TREE_LEAF);
    realw row[ASKED];

    ask(x, n, get_group_id(0) * LEAVES * TREE_LEAF, row);
    real shift = find_shift(x, n, find != 0, find ? 0 : AS_REAL((real_key)state[0]), key, rank, &chosen);
    if (find && get_global_id(0) == 0)
        state[0] = AS_KEY(shift);
    for (ulong i = get_group_id(0); i < count; i += get_num_groups(0)) {
        __global ulong *cell = state + base + first + i;
        take_leaves(x, n, i * LEAVES * TREE_LEAF, row, shift, wide, leaf, least, greatest, nan);
        combine_extremes(least, greatest, nan);
        if (get_local_id(0) == 0) {
            cell[LEAST * stride] = least[0];
            cell[GREATEST * stride] = greatest[0];
            cell[FIRST_SUM * stride] = nan[0];
            *(__global acc *)(cell + FIRST_ACC * stride) = leaf[0];
            *(__global acc *)(cell + (FIRST_ACC + 1) * stride) = leaf[LEAVES];
        }
        ask(x, n, (i + get_num_groups(0)) * LEAVES * TREE_LEAF, row);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

#else

// ---- integers ----

inline void take_element(sort_key bits, sort_key shift, ulong *sums, sort_key *least, sort_key *greatest)
{
    sort_key key = encode_key(bits);
    sort_key d = key > shift ? key - shift : shift - key;

    *least = min(*least, key);
    *greatest = max(*greatest, key);
#if KEY_BITS == 64
    ulong low = d * d, high = mul_hi(d, d);
    sums[0] += (uint)key;
    sums[1] += key >> 32;
    sums[2] += (uint)low;
    sums[3] += low >> 32;
    sums[4] += (uint)high;
    sums[5] += high >> 32;
#elif KEY_BITS == 32
    ulong square = (ulong)d * d;
    sums[0] += key;
    sums[1] += (uint)square;
    sums[2] += square >> 32;
#else
    sums[0] += key;
    sums[1] += (uint)d * d;
#endif
}

// Writes the group's cells in the rows at `base`. A group takes a share of the n elements from x[skip] on.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
moments_digits(__global const sort_key *x, ulong skip, ulong n, __global ulong *state, ulong base)
{
    __local ulong node[GROUP];
    uint item = (uint)get_local_id(0);
    ulong sums[COMPONENTS - FIRST_SUM], i, end;
    sort_key shift = (sort_key)state[0], least = KEY_MAX, greatest = 0;

    for (uint c = 0; c < COMPONENTS - FIRST_SUM; c++)
        sums[c] = 0;
    x += skip;
    share(n, (uint)get_group_id(0), (uint)get_num_groups(0), &i, &end);
    for (; i + TILE <= end; i += TILE) {
        items tile;
        load_tile(&tile, x, i);
#if GROUP > 1
#pragma unroll
#endif
        for (uint j = 0; j < ITEMS; j++)
            take_element(tile.element[j], shift, sums, &least, &greatest);
    }
    for (i += item; i < end; i += GROUP)
        take_element(x[i], shift, sums, &least, &greatest);

    __global ulong *cell = state + base + get_group_id(0);
    for (uint c = 0; c < COMPONENTS; c++) {
        ulong own = c == LEAST ? least : c == GREATEST ? greatest : sums[c < FIRST_SUM ? 0 : c - FIRST_SUM];
        own = combine_group(own, c, GROUP, node);
        if (item == 0)
            cell[c * get_num_groups(0)] = own;
    }
}

#endif
