// SPDX-License-Identifier: Apache-2.0
// A x and A^T y of tomography with parallel rays, A computed from the geometry: what src/app/sparse/parallel.h defines,
// Joseph's projector and its exact transpose. Positions are integers with FRACTION bits after the point, so that both
// ways see the same weights, to 2^-23, however large the picture is. No atomics; sums are float and in a fixed order,
// and those with local memory have the bits of those without.
// parallel_forward: a sum along each ray, from line to line (a steep view), or from column to column in the picture
// that parallel_turn has turned, so that neighbouring rays read neighbouring pixels. parallel_forward_local: GROUP
// neighbouring rays go through a band of the picture, ROWS lines or columns at a time, in local memory; nothing is
// turned before. parallel_back: a sum for each pixel over all views, of the two detectors it is seen between.
// parallel_back_local: a tile of SIDE x (GROUP / SIDE * PIXELS) pixels, and those detectors of BATCH views that see it
// in local memory.
// Source: P. M. Joseph, An improved algorithm for reprojecting rays through pixel images, IEEE TMI 1 (1982).
// Launch: groups of GROUP. parallel_turn: a group for TURN x TURN pixels; parallel_forward: a work-item a ray;
// parallel_forward_local: ceil(detectors / GROUP) groups a view; parallel_back: a work-item for PIXELS pixels of a
// column; parallel_back_local: a group a tile, those of a line of tiles one after the other.
// Cost: a ray reads two pixels a step, a pixel two detectors a view, mostly from caches; with local memory a group reads
// its band, or the detectors that see its tile, once. Two multiplications and additions for each of them.
// Tunables: GROUP (a multiple of SIDE), TURN, ROWS, SIDE, PIXELS, BATCH.
#ifndef GROUP
#if KN_CPU
#define GROUP 32
#else
#define GROUP 128
#endif
#endif
#ifndef TURN
#define TURN 32
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

#define FRACTION 44
// Neighbouring rays are at most 1.4143 pixels apart on a line, and a step moves one by at most 1. Odd: columns of
// it fall into different banks.
#define BAND   ((GROUP * 3 / 2 + ROWS + 4) | 1)
#define HEIGHT (GROUP / SIDE * PIXELS)
#define SEEN   (SIDE + HEIGHT + 2)

struct view {
    long cosine, sine, origin; // pixel x of line y is seen at origin + x cosine + y sine
    long first, next, drift;   // line (steep) or column i meets ray k at first + k next + i drift
    float weight;              // 1 / max(|cosine|, |sine|)
    uint steep;
};

inline int whole_of(long at)
{
    return (int)(at >> FRACTION);
}

// What is behind the point, rounded down to 23 bits.
inline float part_of(long at)
{
    return as_float(0x3f800000u | ((uint)(at >> (FRACTION - 23)) & 0x7fffffu)) - 1;
}

// From two neighbouring detectors to a pixel between them.
inline float take_two(float part, float weight, float low, float high, float sum)
{
    float of_low = max(fma(-part, weight, 1.0f), 0.0f), of_high = max(fma(part - 1, weight, 1.0f), 0.0f);

    return fma(weight, fma(of_high, high, of_low * low), sum);
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void parallel_turn(__global const float *picture,
                                                                               __global float *turned, uint size)
{
    __local float tile[TURN * (TURN + 1)];
    uint across = (size + TURN - 1) / TURN, group = (uint)get_group_id(0);
    uint x = group % across * TURN, y = group / across * TURN;

    for (uint i = (uint)get_local_id(0); i < TURN * TURN; i += GROUP)
        if (x + i % TURN < size && y + i / TURN < size)
            tile[i / TURN * (TURN + 1) + i % TURN] = picture[(size_t)(y + i / TURN) * size + x + i % TURN];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = (uint)get_local_id(0); i < TURN * TURN; i += GROUP)
        if (y + i % TURN < size && x + i / TURN < size)
            turned[(size_t)(x + i / TURN) * size + y + i % TURN] = tile[i % TURN * (TURN + 1) + i / TURN];
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
parallel_forward(__global const struct view *views, __global const float *picture, __global const float *turned,
                 __global float *y, uint angles, uint detectors, uint size)
{
    size_t ray = get_global_id(0);
    float sum = 0;

    if (ray >= angles * detectors)
        return;
    __global const struct view *view = views + ray / detectors;
    __global const float *line = view->steep ? picture : turned;
    long at = view->first + (long)(ray % detectors) * view->next, drift = view->drift;
    for (uint i = 0; i < size; i++, line += size, at += drift) {
        int j = whole_of(at);
        float part = part_of(at);
        float low = (uint)j < size ? line[j] : 0.0f, high = (uint)(j + 1) < size ? line[j + 1] : 0.0f;
        sum = fma(part, high, fma(1 - part, low, sum));
    }
    y[ray] = sum * view->weight;
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
    // The lowest of the group's, at each line: the first ray's, or the last one's.
    long low = view->first + (long)first * view->next + min((long)(GROUP - 1) * view->next, 0L);
    uint along = view->steep ? size : 1, across = view->steep ? 1 : size;
    float sum = 0;

    for (uint begin = 0; begin < size; begin += ROWS) {
        uint rows = min((uint)ROWS, size - begin);
        int least = whole_of(low + (long)begin * drift + min((long)(ROWS - 1) * drift, 0L));
        barrier(CLK_LOCAL_MEM_FENCE); // of the last band's readers
        for (uint i = item; i < ROWS * BAND; i += GROUP) {
            uint row = view->steep ? i / BAND : i % ROWS, place = view->steep ? i % BAND : i / ROWS;
            uint j = (uint)(least + (int)place);
            band[row * BAND + place] =
                row < rows && j < size ? picture[(size_t)(begin + row) * along + (size_t)j * across] : 0.0f;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint row = 0; row < rows; row++, at += drift) {
            uint place = row * BAND + (uint)(whole_of(at) - least);
            float part = part_of(at);
            sum = fma(part, band[place + 1], fma(1 - part, band[place], sum));
        }
    }
    if (first + item < detectors)
        y[(size_t)t * detectors + first + item] = sum * view->weight;
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void parallel_back(__global const struct view *views,
                                                                               __global const float *sinogram,
                                                                               __global float *picture, uint angles,
                                                                               uint detectors, uint size)
{
    uint x = (uint)(get_global_id(0) % size), y = (uint)(get_global_id(0) / size) * PIXELS;
    float sum[PIXELS] = {0};

    if (y >= size)
        return;
    for (uint t = 0; t < angles; t++, sinogram += detectors) {
        long sine = views[t].sine, at = views[t].origin + (long)x * views[t].cosine + (long)y * sine;
        float weight = views[t].weight;
#pragma unroll
        for (uint i = 0; i < PIXELS; i++, at += sine) {
            int k = whole_of(at);
            float low = (uint)k < detectors ? sinogram[k] : 0.0f;
            float high = (uint)(k + 1) < detectors ? sinogram[k + 1] : 0.0f;
            sum[i] = take_two(part_of(at), weight, low, high, sum[i]);
        }
    }
    for (uint i = 0; i < PIXELS && y + i < size; i++)
        picture[(size_t)(y + i) * size + x] = sum[i];
}

// The first detector of those that see a tile whose first pixel is seen at `at`.
inline int first_seen(long at, long cosine, long sine)
{
    return whole_of(at + min((SIDE - 1) * cosine, 0L) + min((HEIGHT - 1) * sine, 0L));
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
        barrier(CLK_LOCAL_MEM_FENCE); // of the last views' readers
        for (uint i = item; i < count * SEEN; i += GROUP) {
            __global const struct view *view = views + begin + i / SEEN;
            long at = view->origin + (long)left * view->cosine + (long)top * view->sine;
            uint k = (uint)(first_seen(at, view->cosine, view->sine) + (int)(i % SEEN));
            seen[i] = k < detectors ? sinogram[(size_t)(begin + i / SEEN) * detectors + k] : 0.0f;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint t = 0; t < count; t++) {
            long cosine = views[begin + t].cosine, sine = views[begin + t].sine;
            long at = views[begin + t].origin + (long)left * cosine + (long)top * sine;
            int first = first_seen(at, cosine, sine) - (int)(t * SEEN);
            float weight = views[begin + t].weight;
            at += x * cosine + y * sine;
#pragma unroll
            for (uint i = 0; i < PIXELS; i++, at += sine) {
                int place = whole_of(at) - first;
                sum[i] = take_two(part_of(at), weight, seen[place], seen[place + 1], sum[i]);
            }
        }
    }
    for (uint i = 0; i < PIXELS && left + x < size && top + y + i < size; i++)
        picture[(size_t)(top + y + i) * size + left + x] = sum[i];
}
