// SPDX-License-Identifier: Apache-2.0
// Filtered back-projection of cone beams, as src/app/sparse/tomography/cone/fdk.h defines it.
//
// weigh_panels: copies projections `first` and following, multiplied by the cosines of their rays; projections that there
//     are not become zeros.
// cone_back: a sum for each voxel over a batch of filtered projections where it is seen, interpolated between four
//     detectors, times the projection's factor and over the square of the distance from the source, in units of
//     sqrt(source length). With `adds` it is added to the volume. A work-item has SLICES voxels above one another: the same
//     columns of a projection see them, with the same weights, at equal distances along its lines. Detectors beyond the
//     panel count as 0; only voxels near its first and last lines look whether there is one.
//
// Launch: groups of GROUP. weigh_panels: ceil(detectors / GROUP) x lines of all panels groups; cone_back: a group for a tile
// of SIDE x (GROUP / SIDE) pixels, those of a line of tiles one after the other, in each of ceil(slices / SLICES) layers.
// Cost: cone_back reads 16 bytes for a voxel and projection, neighbours from the same lines of the cache, and the volume
// if it adds.
// Tunables: GROUP (a multiple of SIDE), SIDE, SLICES.
#ifndef GROUP
#if KN_CPU
#define GROUP 32
#else
#define GROUP 128
#endif
#endif
#ifndef SIDE
#define SIDE 32
#endif
#ifndef SLICES
#define SLICES 8
#endif

#define HEIGHT (GROUP / SIDE)

// Distances in pixels: of the source from the axis and from the panel; the place of the axis in a line, and of the middle
// line.
struct cone {
    float source, length, axis, middle;
};

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
weigh_panels(__global const float *projections, __global const struct cone *numbers, __global float *to, uint first,
             uint angles, uint lines, uint detectors)
{
    uint k = (uint)get_global_id(0), t = first + (uint)(get_global_id(1) / lines);
    uint line = (uint)(get_global_id(1) % lines);
    struct cone cone = *numbers;

    if (k >= detectors)
        return;
    float u = (float)k - cone.axis, v = (float)line - cone.middle;
    float cosine = cone.length / sqrt(fma(u, u, fma(v, v, cone.length * cone.length)));
    size_t from = ((size_t)t * lines + line) * detectors + k;
    to[get_global_id(1) * detectors + k] = t < angles ? projections[from] * cosine : 0.0f;
}

// Between two numbers of a line.
inline float across_line(__global const float *line, uint2 k, float2 weight)
{
    return fma(weight.y, line[k.y], weight.x * line[k.x]);
}

// The same of line `i`, which may be none.
inline float across_any(__global const float *panel, int i, uint lines, uint detectors, uint2 k, float2 weight)
{
    return (uint)i < lines ? across_line(panel + (size_t)i * detectors, k, weight) : 0.0f;
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
cone_back(__global const float2 *views, __global const float *factors, __global const struct cone *numbers,
          __global const float *filtered, __global float *volume, uint first, uint angles, uint detectors, uint lines,
          uint size, uint slices, uint adds)
{
    uint item = (uint)get_local_id(0), across = (size + SIDE - 1) / SIDE, group = (uint)get_group_id(0);
    uint x = group % across * SIDE + item % SIDE, y = group / across * HEIGHT + item / SIDE;
    uint z = (uint)get_group_id(1) * SLICES;
    struct cone cone = *numbers;
    float half_size = 0.5f * (float)(size - 1), right = (float)x - half_size, down = (float)y - half_size;
    float up = (float)z - 0.5f * (float)(slices - 1), sums[SLICES];

    if (x >= size || y >= size)
        return;
    for (uint j = 0; j < SLICES; j++)
        sums[j] = 0;
    for (uint t = 0; t < angles; t++) {
        float cosine = views[first + t].x, sine = views[first + t].y;
        float over = right * cosine + down * sine, along = cone.source + (right * sine - down * cosine);
        float enlarged = cone.length / along, u = fma(enlarged, over, cone.axis), low = floor(u), part = u - low;
        float weight = factors[first + t] * (enlarged * (cone.source / along));
        float v = fma(enlarged, up, cone.middle);
        __global const float *panel = filtered + (size_t)t * lines * detectors;

        if (!(u > -1 && u < (float)detectors))
            continue;
        int k = (int)low;
        float2 between = (float2)(k >= 0 ? weight * (1 - part) : 0.0f, k + 1 < (int)detectors ? weight * part : 0.0f);
        uint2 columns = (uint2)((uint)max(k, 0), min((uint)(k + 1), detectors - 1));

        if (v >= 0 && fma(enlarged, (float)(SLICES - 1), v) < (float)(lines - 1)) {
#pragma unroll
            for (uint j = 0; j < SLICES; j++) {
                float at = fma(enlarged, (float)j, v);
                uint i = (uint)at;
                __global const float *line = panel + (size_t)i * detectors;
                float below = across_line(line, columns, between);
                float above = across_line(line + detectors, columns, between);

                sums[j] = fma(at - (float)i, above - below, sums[j] + below);
            }
        } else {
            for (uint j = 0; j < SLICES; j++) {
                float at = clamp(fma(enlarged, (float)j, v), -2.0f, (float)lines), lowest = floor(at);
                float below = across_any(panel, (int)lowest, lines, detectors, columns, between);
                float above = across_any(panel, (int)lowest + 1, lines, detectors, columns, between);

                sums[j] = fma(at - lowest, above - below, sums[j] + below);
            }
        }
    }
    for (uint j = 0; j < SLICES && z + j < slices; j++) {
        size_t voxel = ((size_t)(z + j) * size + y) * size + x;

        volume[voxel] = adds ? volume[voxel] + sums[j] : sums[j];
    }
}
