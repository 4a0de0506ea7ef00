// SPDX-License-Identifier: Apache-2.0
// A x and A^T y of tomography with fan beams, as src/app/sparse/tomography/fan.h defines it: Joseph's projector and its
// exact transpose. Where a ray crosses lines (or columns), an integer with FRACTION fractional bits, and the length of its
// steps are stored for each ray; both directions compute the same weights from them. No atomics; sums are float and in a
// fixed order.
//
// fan_forward: a sum along each ray, as parallel_forward (sparse_parallel.cl), whose parallel_turn stores the pairs of
//     neighbours; steps have a negative length where a ray goes from column to column.
// fan_back: a sum for each pixel over all views, and over those detectors of a view whose rays cross the pixel's line or
//     column less than 1 from it. They lie between the rays through the four neighbours, a little farther away than 1, so
//     that the rounding of positions in single precision excludes none.
// fan_back_filtered: a sum for each pixel over all views, of filtered projections where the pixel is seen, interpolated
//     between two detectors, times the view's factor and over the square of its distance from the source, in units of
//     sqrt(source length): src/app/sparse/tomography/fbp_fan.h.
//
// Launch: groups of GROUP. fan_forward: ceil(detectors / RAYS) groups for VIEWS views; fan_back, fan_back_filtered: a group for a tile of
// SIDE x (GROUP / SIDE * PIXELS) pixels, those of a line of tiles one after the other.
// Cost: fan_forward reads a pair a step and 20 bytes a ray; fan_back 24 bytes for each detector that may see a pixel,
// fan_back_filtered 8 bytes a view.
// Tunables: GROUP (a multiple of SIDE and of VIEWS), VIEWS, UNROLL (rays.clh), SIDE, PIXELS.
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
#ifndef SIDE
#define SIDE 32
#endif
#ifndef PIXELS
#define PIXELS 1
#endif

#define RAYS   (GROUP / VIEWS)
#define HEIGHT (GROUP / SIDE * PIXELS)

#include "rays.clh"

struct ray {
    long first, drift; // it crosses line (or column) i at first + i drift
};

// Distances in pixels: of the source from the axis and from the detectors; the detector at the axis; whether these are an
// arc.
struct fan {
    float source, length, axis, curved;
};

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
fan_forward(__global const struct ray *rays, __global const float *steps, __global const float2 *straight,
            __global const float2 *turned, __global float *y, uint angles, uint detectors, uint size)
{
    uint item = (uint)get_local_id(0), blocks = (detectors + RAYS - 1) / RAYS, group = (uint)get_group_id(0);
    uint t = group / blocks * VIEWS + item / RAYS, k = group % blocks * RAYS + item % RAYS;

    if (t >= angles || k >= detectors)
        return;
    size_t i = (size_t)t * detectors + k;
    float step = steps[i];
    y[i] = along_ray(step > 0 ? straight : turned, rays[i].first, rays[i].drift, size) * fabs(step);
}

// Where a point is seen, in detectors from 0; from the axis, it is `across` and `along` the middle ray.
inline float seen_at(struct fan fan, float across, float along)
{
    float u = fan.curved > 0 ? atan2(across, fan.source + along) : across / (fan.source + along);

    return fma(fan.length, u, fan.axis);
}

// The weight at a position that is `away` from one where a number is, whole and fractional part.
inline float weight_at(long away)
{
    int whole = whole_of(away);

    return whole == 0 ? 1 - part_of(away) : whole == -1 ? part_of(away) : 0.0f;
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
fan_back(__global const struct ray *rays, __global const float *steps, __global const float2 *views,
         __global const struct fan *numbers, __global const float *sinogram, __global float *picture, uint angles,
         uint detectors, uint size)
{
    uint item = (uint)get_local_id(0), across = (size + SIDE - 1) / SIDE, group = (uint)get_group_id(0);
    uint x = group % across * SIDE + item % SIDE, y = group / across * HEIGHT + item / SIDE * PIXELS;
    uint end = min(y + PIXELS, size);
    struct fan fan = *numbers;
    float reach = 1 + size * 0x1p-20f, half_size = 0.5f * (float)(size - 1);

    if (x >= size)
        return;
    for (; y < end; y++) {
        float right = (float)x - half_size, down = (float)y - half_size, sum = 0;

        for (uint t = 0; t < angles; t++) {
            float cosine = views[t].x, sine = views[t].y;
            float over = right * cosine + down * sine, along = right * sine - down * cosine;
            float4 seen = (float4)(seen_at(fan, over - reach * cosine, along - reach * sine),
                                   seen_at(fan, over + reach * cosine, along + reach * sine),
                                   seen_at(fan, over - reach * sine, along + reach * cosine),
                                   seen_at(fan, over + reach * sine, along - reach * cosine));
            float low = fmin(fmin(seen.x, seen.y), fmin(seen.z, seen.w));
            float high = fmax(fmax(seen.x, seen.y), fmax(seen.z, seen.w));
            float last = (float)(detectors - 1);
            float rounding = 0x1p-19f * (fmax(fabs(low), fabs(high)) + fabs(fan.axis) + 1);
            int k = (int)ceil(clamp(low - rounding, 0.0f, last + 1));
            int stop = (int)floor(clamp(high + rounding, -1.0f, last));
            size_t first = (size_t)t * detectors;

            for (; k <= stop; k++) {
                float step = steps[first + k];
                struct ray ray = rays[first + k];
                long at = ray.first + (long)(step > 0 ? y : x) * ray.drift;
                float weight = weight_at(at - ((long)(step > 0 ? x : y) << FRACTION));

                sum = fma(weight, fabs(step) * sinogram[first + k], sum);
            }
        }
        picture[(size_t)y * size + x] = sum;
    }
}

inline float detector_of(__global const float *row, int k, uint detectors)
{
    return (uint)k < detectors ? row[k] : 0.0f;
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
fan_back_filtered(__global const float2 *views, __global const float *factors, __global const struct fan *numbers,
                  __global const float *filtered, __global float *picture, uint angles, uint detectors, uint size)
{
    uint item = (uint)get_local_id(0), across = (size + SIDE - 1) / SIDE, group = (uint)get_group_id(0);
    uint x = group % across * SIDE + item % SIDE, y = group / across * HEIGHT + item / SIDE * PIXELS;
    uint end = min(y + PIXELS, size);
    struct fan fan = *numbers;
    float half_size = 0.5f * (float)(size - 1);

    if (x >= size)
        return;
    for (; y < end; y++) {
        float right = (float)x - half_size, down = (float)y - half_size, sum = 0;

        for (uint t = 0; t < angles; t++) {
            float cosine = views[t].x, sine = views[t].y;
            float over = right * cosine + down * sine, along = right * sine - down * cosine;
            float u = clamp(seen_at(fan, over, along), -2.0f, (float)detectors), low = floor(u), part = u - low;
            float away = fan.source + along, square = away * away + (fan.curved > 0 ? over * over : 0.0f);
            __global const float *row = filtered + (size_t)t * detectors;
            float value = fma(part, detector_of(row, (int)low + 1, detectors),
                              (1 - part) * detector_of(row, (int)low, detectors));

            sum = fma(value, factors[t] * (fan.source * (fan.length / square)), sum);
        }
        picture[(size_t)y * size + x] = sum;
    }
}
