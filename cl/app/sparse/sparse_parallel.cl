// SPDX-License-Identifier: Apache-2.0
// A x and A^T y of tomography with parallel rays, with A computed from the geometry as src/app/sparse/tomography/parallel.h
// defines it: Joseph's projector and its exact transpose. Positions are integers with FRACTION fractional bits, so that
// both directions use the same weights, to 2^-23, however large the picture is. No atomics; sums are float and in a fixed
// order, and the variants with local memory have the bits of those without.
//
// parallel_turn, parallel_scale: store neighbours side by side (those of the lines and columns of the picture, and of the
//     detectors of the views), so that two of them are one read, without edges: pair j + 1 of a line of `length` numbers
//     is numbers j and j + 1, 0 outside; pair length + 1 stands for everything beyond.
// parallel_forward: a sum along each ray, from line to line (a steep view) or from column to column, as columns are
//     lines in `turned`: neighbouring rays read neighbouring pairs. A group has RAYS neighbouring rays of VIEWS views,
//     which pass the same pixels.
// parallel_forward_local: GROUP neighbouring rays go through a band of the picture itself, ROWS lines or columns at a
//     time, in local memory.
// parallel_back: a sum for each pixel over all views, of the two detectors it is seen between; a group has a tile of
//     SIDE x (GROUP / SIDE * PIXELS) pixels.
// parallel_back_local: the same with those detectors of BATCH views that see the tile in local memory.
//
// Source: P. M. Joseph, An improved algorithm for reprojecting rays through pixel images, IEEE TMI 1 (1982).
// Launch: groups of GROUP. parallel_turn: a group for TURN x TURN pairs; parallel_scale: a work-item a pair;
// parallel_forward: ceil(detectors / RAYS) groups for VIEWS views; parallel_forward_local: ceil(detectors / GROUP) groups
// a view; parallel_back, parallel_back_local: a group a tile, those of a line of tiles one after the other.
// Cost: a ray reads a pair a step, a pixel one a view, mostly from caches; with local memory a group reads its band, or
// the detectors that see its tile, once. Two multiplications and additions for each of them.
// Tunables: GROUP (a multiple of SIDE and of VIEWS), VIEWS, UNROLL (rays.clh: steps of a ray), TURN, ROWS, SIDE, PIXELS, BATCH,
// KN_SUBGROUP (lib/rung.clh: 1, where PTX has a saturating addition).
#include "../../shared/sparse.h"

#ifndef GROUP
#if KN_CPU
#define GROUP 32
#else
#define GROUP 128
#endif
#endif
#ifndef VIEWS
#define VIEWS 1
#endif
#ifndef TURN
#define TURN PARALLEL_TURN
#endif
#ifndef ROWS
#define ROWS 16
#endif
#ifndef SIDE
#define SIDE 32
#endif
#ifndef PIXELS
#define PIXELS 4
#endif
#ifndef BATCH
#define BATCH 16
#endif

#define RAYS (GROUP / VIEWS)
// Neighbouring rays are at most 1.4143 pixels apart on a line, and a step moves a ray by at most 1. The number is odd, so
// that its columns fall into different banks.
#define BAND   ((GROUP * 3 / 2 + ROWS + 4) | 1)
#define HEIGHT (GROUP / SIDE * PIXELS)
#define SEEN   (SIDE + HEIGHT + 3)

#include "../../lib/rung.clh"
#include "rays.clh"

// What parallel_back needs of a view is two reads of 16 bytes.
struct view {
    long2 turn;   // pixel x of line y is seen at origin + x turn.x + y turn.y: cosine and sine
    long2 origin; // .y: the weight's bits
    long first, next, drift; // line (steep) or column i meets ray k at first + k next + i drift
    float weight;            // 1 / max(|cosine|, |sine|)
    uint steep;
};

// The same with 32 fractional bits, the end of a word: from a pixel to the next ones of a column.
inline long short_of(long at)
{
    return at >> (FRACTION - 32);
}

inline int short_whole(long at)
{
    return (int)(at >> 32);
}

inline float short_part(long at)
{
    return as_float(0x3f800000u | (uint)at >> 9) - 1;
}

// a b + c, which is at most 1, and 0 if it is negative.
inline float weight_of(float a, float b, float c)
{
#if KN_SUBGROUP == 1
    uint weight;

    __asm__("fma.rn.sat.f32 %0, %1, %2, %3;" : "=r"(weight) : "r"(as_uint(a)), "r"(as_uint(b)), "r"(as_uint(c)));
    return as_float(weight);
#else
    return fmax(fma(a, b, c), 0.0f);
#endif
}

// The contribution of two neighbouring detectors, each times `weight`, to a pixel between them.
inline float take_two(float part, float weight, float low, float high, float sum)
{
    return fma(weight_of(part, weight, 1 - weight), high, fma(weight_of(part, -weight, 1.0f), low, sum));
}

// ---- neighbours side by side ----

// Pairs of the picture's lines, and of its columns in `turned`.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
parallel_turn(__global const float *picture, __global float2 *straight, __global float2 *turned, uint size)
{
    __local float tile[(TURN + 1) * (TURN + 1)];
    uint pairs = PAIRS(size), across = (pairs + TURN - 1) / TURN, group = (uint)get_group_id(0);
    uint left = group % across * TURN, top = group / across * TURN;

    for (uint i = (uint)get_local_id(0); i < (TURN + 1) * (TURN + 1); i += GROUP) {
        uint x = left + i % (TURN + 1) - 1, y = top + i / (TURN + 1) - 1; // before the first one: everything beyond
        tile[i] = x < size && y < size ? picture[(size_t)y * size + x] : 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = (uint)get_local_id(0); i < TURN * TURN; i += GROUP) {
        uint position = i % TURN, line = i / TURN;
        __local const float *along = tile + (line + 1) * (TURN + 1) + position;
        __local const float *down = tile + position * (TURN + 1) + line + 1;
        if (left + position < pairs && top + line < size)
            straight[(size_t)(top + line) * pairs + left + position] = (float2)(along[0], along[1]);
        if (top + position < pairs && left + line < size)
            turned[(size_t)(left + line) * pairs + top + position] = (float2)(down[0], down[TURN + 1]);
    }
}

// Pairs of the views' detectors, times their weights.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
parallel_scale(__global const struct view *views, __global const float *sinogram, __global float2 *scaled, uint angles,
               uint detectors)
{
    uint i = (uint)get_global_id(0), t = i / PAIRS(detectors), k = i % PAIRS(detectors);

    if (t >= angles)
        return;
    float weight = views[t].weight;
    float low = k - 1 < detectors ? weight * sinogram[(size_t)t * detectors + k - 1] : 0.0f;
    float high = k < detectors ? weight * sinogram[(size_t)t * detectors + k] : 0.0f;
    scaled[i] = (float2)(low, high);
}

// ---- products ----

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
parallel_forward(__global const struct view *views, __global const float2 *straight, __global const float2 *turned,
                 __global float *y, uint angles, uint detectors, uint size)
{
    uint item = (uint)get_local_id(0), blocks = (detectors + RAYS - 1) / RAYS, group = (uint)get_group_id(0);
    uint t = group / blocks * VIEWS + item / RAYS, k = group % blocks * RAYS + item % RAYS;

    if (t >= angles || k >= detectors)
        return;
    __global const struct view *view = views + t;
    __global const float2 *lines = view->steep ? straight : turned;
    float sum = along_ray(lines, view->first + (long)k * view->next, view->drift, size);
    y[(size_t)t * detectors + k] = sum * view->weight;
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
parallel_forward_local(__global const struct view *views, __global const float *picture, __global float *y, uint angles,
                       uint detectors, uint size)
{
    __local float band[ROWS * BAND];
    uint item = (uint)get_local_id(0), a_view = (detectors + GROUP - 1) / GROUP;
    uint t = (uint)get_group_id(0) / a_view, first = (uint)get_group_id(0) % a_view * GROUP;
    __global const struct view *view = views + t;
    long at = view->first + (long)(first + item) * view->next, drift = view->drift;
    // The lowest of the group's positions at each line: the first ray's, or the last one's.
    long low = view->first + (long)first * view->next + min((long)(GROUP - 1) * view->next, 0L);
    uint along = view->steep ? size : 1, across = view->steep ? 1 : size;
    float sum = 0;

    for (uint begin = 0; begin < size; begin += ROWS) {
        uint rows = min((uint)ROWS, size - begin);
        int least = whole_of(low + (long)begin * drift + min((long)(ROWS - 1) * drift, 0L));
        barrier(CLK_LOCAL_MEM_FENCE); // for the readers of the last band
        for (uint i = item; i < ROWS * BAND; i += GROUP) {
            uint row = view->steep ? i / BAND : i % ROWS, position = view->steep ? i % BAND : i / ROWS;
            uint j = (uint)(least + (int)position);
            band[row * BAND + position] =
                row < rows && j < size ? picture[(size_t)(begin + row) * along + (size_t)j * across] : 0.0f;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint row = 0; row < rows; row++, at += drift) {
            uint position = row * BAND + (uint)(whole_of(at) - least);
            float part = part_of(at);
            sum = fma(part, band[position + 1], fma(1 - part, band[position], sum));
        }
    }
    if (first + item < detectors)
        y[(size_t)t * detectors + first + item] = sum * view->weight;
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
parallel_back(__global const struct view *views, __global const float2 *scaled, __global float *picture, uint angles,
              uint detectors, uint size)
{
    uint item = (uint)get_local_id(0), across = (size + SIDE - 1) / SIDE, group = (uint)get_group_id(0);
    uint x = group % across * SIDE + item % SIDE, y = group / across * HEIGHT + item / SIDE * PIXELS;
    float sum[PIXELS] = {0};

    if (x >= size || y >= size)
        return;
    for (uint t = 0; t < angles; t++, scaled += PAIRS(detectors)) {
        long2 turn = views[t].turn, origin = views[t].origin;
        long step = short_of(turn.y), at = origin.x + (long)x * turn.x + (long)y * turn.y;
        float weight = as_float((uint)origin.y), part[PIXELS];
        float2 pair[PIXELS];
        at = short_of(at + (1L << FRACTION)); // pair k + 1
#pragma unroll
        for (uint i = 0; i < PIXELS; i++, at += step) {
            part[i] = short_part(at);
            pair[i] = scaled[min((uint)short_whole(at), detectors + 1)];
        }
#pragma unroll
        for (uint i = 0; i < PIXELS; i++)
            sum[i] = take_two(part[i], weight, pair[i].x, pair[i].y, sum[i]);
    }
    for (uint i = 0; i < PIXELS && y + i < size; i++)
        picture[(size_t)(y + i) * size + x] = sum[i];
}

// The first of the detectors that see a tile whose first pixel is seen at `at`, and one before it: short steps may end a
// little lower.
inline int first_seen(long at, long2 turn)
{
    return whole_of(at + min((SIDE - 1) * turn.x, 0L) + min((HEIGHT - 1) * turn.y, 0L)) - 1;
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
parallel_back_local(__global const struct view *views, __global const float *sinogram, __global float *picture,
                    uint angles, uint detectors, uint size)
{
    __local float seen[BATCH * SEEN];
    uint item = (uint)get_local_id(0), across = (size + SIDE - 1) / SIDE, group = (uint)get_group_id(0);
    uint left = group % across * SIDE, top = group / across * HEIGHT;
    uint x = item % SIDE, y = item / SIDE * PIXELS;
    float sum[PIXELS] = {0};

    for (uint begin = 0; begin < angles; begin += BATCH) {
        uint count = min((uint)BATCH, angles - begin);
        barrier(CLK_LOCAL_MEM_FENCE); // for the readers of the last views
        for (uint i = item; i < count * SEEN; i += GROUP) {
            __global const struct view *view = views + begin + i / SEEN;
            long2 turn = view->turn;
            long at = view->origin.x + (long)left * turn.x + (long)top * turn.y;
            uint k = (uint)(first_seen(at, turn) + (int)(i % SEEN));
            seen[i] = k < detectors ? view->weight * sinogram[(size_t)(begin + i / SEEN) * detectors + k] : 0.0f;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint t = 0; t < count; t++) {
            long2 turn = views[begin + t].turn, origin = views[begin + t].origin;
            long at = origin.x + (long)left * turn.x + (long)top * turn.y, step = short_of(turn.y);
            int first = first_seen(at, turn) - (int)(t * SEEN);
            float weight = as_float((uint)origin.y);
            at = short_of(at + x * turn.x + y * turn.y);
#pragma unroll
            for (uint i = 0; i < PIXELS; i++, at += step) {
                int position = short_whole(at) - first;
                sum[i] = take_two(short_part(at), weight, seen[position], seen[position + 1], sum[i]);
            }
        }
    }
    for (uint i = 0; i < PIXELS && left + x < size && top + y + i < size; i++)
        picture[(size_t)(top + y + i) * size + left + x] = sum[i];
}
