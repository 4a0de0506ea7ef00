// SPDX-License-Identifier: Apache-2.0
// Correlations of images of bytes, C(X0, Y0) = sum I(x, y) I'(x + X0, y + Y0), in integers: a product of matrices whose
// rows are shifted rows of the second image. A work-item holds TILE_X neighbouring X0 for TILE_Y neighbouring Y0 in
// registers; one word of the second image gives it several shifted ones, and each serves TILE_Y rows of the first. Images
// of 16 bits are two planes of bytes each, whose four products autocorr_fold combines.
//
// Launch: autocorr_pack over (words * height, planes, frames), groups of any size. autocorr_direct with groups of lanes_x *
// lanes_y * lanes_z in one dimension, one for each block of offsets (lanes_x * TILE_X of them, from X0 = -R, rounded to a
// multiple of 4, on; lanes_y * TILE_Y rows of them from Y0 = 0 on), slice (`rows` of the second image by `segment` columns
// of the first) and pair of planes of a frame; work-items with different lane_z have different rows. Local memory: rows +
// lanes_y * TILE_Y - 1 rows of the first image, of FIRST_PITCH values, and `rows` of the second, of second_pitch.
// autocorr_fold over (offsets, frames).
// Cost: pack reads and writes the images once. direct multiplies each pixel with each offset; it reads (rows +
// lanes_y * TILE_Y) / rows pixels of the first image and 1 + lanes_x * TILE_X / (CHUNK * PIXELS) of the second for
// every block, and writes a partial sum of 4 bytes for each offset, slice and lane_z, which fold reads.
// Widths: a product of bytes is at most 65,025. `rows * segment` is at most 65,536, so that a partial sum is at most
// 4,261,478,400 < 2^32. DOT 0 adds at most CHUNK <= 256 products as floats, at most 16,646,400 < 2^24, so that every sum is
// an integer that a float holds exactly.
// Tunables: DOT (inner product: 0 floats, 1 four bytes at once, 2 integers), DP4A (for DOT 1: 0 plain C, 1 PTX's
// instruction), VECTORS (1: a tile's neighbouring X0 form a vector, which suits CPUs; not for DOT 1), TILE_X (a multiple of
// 4; with VECTORS 8 or 16), TILE_Y, CHUNK (values of a row that are in local memory at once, a multiple of 4).
#ifndef DOT
#define DOT 0
#endif
#ifndef DP4A
#define DP4A 0
#endif
#ifndef VECTORS
#define VECTORS (KN_CPU && DOT != 1)
#endif
#ifndef TILE_X
#if VECTORS
#define TILE_X 16
#else
#define TILE_X 8
#endif
#endif
#ifndef TILE_Y
#define TILE_Y 4
#endif
#ifndef CHUNK
#define CHUNK 32
#endif
#define FIRST_PITCH (CHUNK + 4)

#if DOT == 0 && CHUNK > 256
#error "CHUNK is more than 256: the sums would not be exact"
#endif

// A value in local memory has PIXELS pixels.
#if DOT == 1
typedef uint value;
typedef uint4 value4;
#define PIXELS 4
#elif DOT == 2
typedef uint value;
typedef uint4 value4;
#define PIXELS 1
#else
typedef float value;
typedef float4 value4;
#define PIXELS 1
#endif
#define WINDOW (TILE_X / PIXELS)

// ---- packed images ----

// Packs rows of `words` words, four pixels each, padded with zeros; takes byte `plane` of each pixel.
__kernel void autocorr_pack(__global const uchar *frames, ulong first_frame, uint width, uint height, uint words,
                            uint planes, __global uint *packed)
{
    uint at = (uint)get_global_id(0), plane = (uint)get_global_id(1), frame = (uint)get_global_id(2);
    uint y = at / words, x = 4 * (at % words), word = 0;
    __global const uchar *row = frames + ((first_frame + frame) * height + y) * width * planes + plane;

    if (y >= height)
        return;
    for (uint i = 0; i < 4 && x + i < width; i++)
        word |= (uint)row[(ulong)(x + i) * planes] << 8 * i;
    packed[(ulong)(frame * planes + plane) * height * words + at] = word;
}

// A word of a row, or zeros outside the image.
inline uint packed_word(__global const uint *image, int y, int at, uint height, uint words)
{
    return (uint)y < height && (uint)at < words ? image[(ulong)y * words + (uint)at] : 0;
}

inline void put_word(__local value4 *tile, uint at, uint word)
{
#if DOT == 1
    ((__local uint *)tile)[at] = word;
#elif DOT == 2
    tile[at] = (uint4)(word & 255, word >> 8 & 255, word >> 16 & 255, word >> 24);
#else
    tile[at] = (float4)((float)(word & 255), (float)(word >> 8 & 255), (float)(word >> 16 & 255), (float)(word >> 24));
#endif
}

#define WORDS(values) ((values) * PIXELS / 4)

// Loads `rows` rows from y on, of `count` words from `at` on.
inline void load_tile(__global const uint *image, int y, int at, uint height, uint words, uint rows, uint count,
                      uint pitch, __local value4 *tile)
{
    for (uint i = (uint)get_local_id(0); i < rows * count; i += (uint)get_local_size(0)) {
        uint row = i / count, word = i % count;
        put_word(tile, row * WORDS(pitch) + word, packed_word(image, y + (int)row, at + (int)word, height, words));
    }
}

// ---- the inner product ----

#if VECTORS

#if TILE_X == 16 && DOT == 0
typedef float16 lanes;
#define lanes_to_sums convert_uint16
#elif TILE_X == 16
typedef uint16 lanes;
#define lanes_to_sums
#elif DOT == 0
typedef float8 lanes;
#define lanes_to_sums convert_uint8
#else
typedef uint8 lanes;
#define lanes_to_sums
#endif
#if TILE_X == 16
#define load_lanes vload16
#define load_sums vload16
#define store_sums vstore16
#else
#define load_lanes vload8
#define load_sums vload8
#define store_sums vstore8
#endif

// Adds `count` products for each offset; the row of the first image for the tile's next Y0 is the one before.
inline void multiply_row(__local const value *first, __local const value *second, uint count, uint *sums)
{
    lanes row[TILE_Y];

    for (uint t = 0; t < TILE_Y; t++)
        row[t] = 0;
    for (uint i = 0; i < count; i++) {
        lanes others = load_lanes(0, second + i);
#pragma unroll
        for (uint t = 0; t < TILE_Y; t++)
            row[t] += others * (first - t * FIRST_PITCH)[i];
    }
    for (uint t = 0; t < TILE_Y; t++)
        store_sums(load_sums(t, sums) + lanes_to_sums(row[t]), t, sums);
}

#else

#if DOT == 1
typedef uint sum_type;

inline uint multiply_add(uint a, uint b, uint c)
{
#if DP4A == 1
    uint sum;
    __asm__("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(sum) : "r"(a), "r"(b), "r"(c));
    return sum;
#else
    return c + (a & 255) * (b & 255) + (a >> 8 & 255) * (b >> 8 & 255) + (a >> 16 & 255) * (b >> 16 & 255) +
           (a >> 24) * (b >> 24);
#endif
}

// What enters the window: the word at `second`, and those that begin one, two and three pixels after it.
inline void enter(__local const uint *second, uint *last, uint *window)
{
    uint next = second[1];

    window[0] = *last;
    window[1] = *last >> 8 | next << 24;
    window[2] = *last >> 16 | next << 16;
    window[3] = *last >> 24 | next << 8;
    *last = next;
}

#else
typedef value sum_type;

#define multiply_add(a, b, c) ((a) * (b) + (c))

inline void enter(__local const value *second, value *last, value *window)
{
    window[0] = *second;
}
#endif

// Adds the products of `count` values, a multiple of 4, for each offset; the row of the first image for the tile's next Y0
// is the one before.
inline void multiply_row(__local const value *first, __local const value *second, uint count, uint *sums)
{
    value window[TILE_X + 3 * PIXELS], last = second[0];
#if DOT == 0
    float row[TILE_Y * TILE_X];

#pragma unroll
    for (uint i = 0; i < TILE_Y * TILE_X; i++)
        row[i] = 0;
#else
    uint *row = sums;
#endif
#pragma unroll
    for (uint n = 0; n + 1 < WINDOW; n++)
        enter(second + n, &last, window + n * PIXELS);
    for (uint i = 0; i < count; i += 4) {
        value pixels[TILE_Y][4];

#pragma unroll
        for (uint t = 0; t < TILE_Y; t++) {
            value4 four = *(__local const value4 *)(first - t * FIRST_PITCH + i);
            pixels[t][0] = four.x;
            pixels[t][1] = four.y;
            pixels[t][2] = four.z;
            pixels[t][3] = four.w;
        }
#pragma unroll
        for (uint s = 0; s < 4; s++) {
            enter(second + i + s + WINDOW - 1, &last, window + (s + WINDOW - 1) * PIXELS);
#pragma unroll
            for (uint t = 0; t < TILE_Y; t++)
#pragma unroll
                for (uint x = 0; x < TILE_X; x++)
                    row[t * TILE_X + x] =
                        multiply_add(pixels[t][s], window[s * PIXELS + x], row[t * TILE_X + x]);
        }
#pragma unroll
        for (uint x = 0; x < TILE_X - PIXELS; x++)
            window[x] = window[x + 4 * PIXELS];
    }
#if DOT == 0
#pragma unroll
    for (uint i = 0; i < TILE_Y * TILE_X; i++)
        sums[i] += (uint)row[i];
#endif
}

#endif

// ---- the sums ----

// `first` and `second` are packed; slices begin with first_slice, `segments` of them side by side. There are lanes_x *
// lanes_y * lanes_z work-items.
__kernel void autocorr_direct(__global const uint *first, __global const uint *second, uint width, uint height,
                              uint words, uint planes, uint max_offset, uint lanes_x, uint lanes_y, uint rows,
                              uint segment, uint segments, uint first_slice, __global uint *partials,
                              __local value4 *first_tile, __local value4 *second_tile, uint second_pitch)
{
    uint item = (uint)get_local_id(0), lanes_z = (uint)get_local_size(0) / (lanes_x * lanes_y);
    uint lane_x = item % lanes_x, lane_y = item / lanes_x % lanes_y, lane_z = item / (lanes_x * lanes_y);
    uint span_x = lanes_x * TILE_X, span_y = lanes_y * TILE_Y, left = (max_offset + 3) / 4 * 4;
    uint across = 2 * max_offset + 1, blocks_x = (left + max_offset + span_x) / span_x;
    uint block = (uint)get_group_id(0), slice = first_slice + (uint)get_group_id(1);
    uint frame = (uint)get_group_id(2) / (planes * planes), pair = (uint)get_group_id(2) % (planes * planes);
    int x0 = (int)(block % blocks_x * span_x) - (int)left;
    uint y0 = block / blocks_x * span_y, own_y0 = y0 + lane_y * TILE_Y;
    // The slice's rows and columns that have an overlap; columns in whole steps of multiply_row.
    uint row_begin = max(slice / segments * rows, y0), row_end = min((slice / segments + 1) * rows, height);
    uint row_count = row_end > row_begin ? row_end - row_begin : 0;
    int begin = max((int)(slice % segments * segment), -(x0 + (int)span_x - 1)) / (4 * PIXELS) * (4 * PIXELS);
    int end = min((int)min((slice % segments + 1) * segment, width), (int)width - x0);
    ulong plane = (ulong)words * height, part = ((ulong)get_group_id(2) * get_num_groups(1) + get_group_id(1)) * lanes_z;
    uint sums[TILE_Y * TILE_X];

#pragma unroll
    for (uint i = 0; i < TILE_Y * TILE_X; i++)
        sums[i] = 0;
    first += (frame * planes + pair / planes) * plane;
    second += (frame * planes + pair % planes) * plane;
    for (int x = begin; x < end && row_count > 0; x += CHUNK * PIXELS) {
        uint count = min((uint)CHUNK, ((uint)(end - x) + 4 * PIXELS - 1) / (4 * PIXELS) * 4);

        barrier(CLK_LOCAL_MEM_FENCE);
        load_tile(first, (int)row_begin - (int)(y0 + span_y - 1), x / 4, height, words, row_count + span_y - 1,
                  WORDS(CHUNK), FIRST_PITCH, first_tile);
        load_tile(second, (int)row_begin, x / 4 + x0 / 4, height, words, row_count, WORDS(second_pitch), second_pitch,
                  second_tile);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint row = lane_z; row < row_count; row += lanes_z)
            if (row_begin + row >= own_y0)
                multiply_row((__local const value *)first_tile + (row + span_y - 1 - lane_y * TILE_Y) * FIRST_PITCH,
                             (__local const value *)second_tile + row * second_pitch + lane_x * WINDOW, count, sums);
    }
    partials += (part + lane_z) * across * (max_offset + 1);
#pragma unroll
    for (uint t = 0; t < TILE_Y; t++)
#pragma unroll
        for (uint i = 0; i < TILE_X; i++) {
            uint column = block % blocks_x * span_x + lane_x * TILE_X + i - (left - max_offset);
            if (own_y0 + t <= max_offset && column < across)
                partials[(ulong)(own_y0 + t) * across + column] = sums[t * TILE_X + i];
        }
}

// Computes the sums of `count` offsets from `parts` partial sums of each pair of planes; `add`: adds them to what is there.
__kernel void autocorr_fold(__global const uint *partials, uint count, uint parts, uint planes, uint add,
                            ulong first_frame, __global ulong *products)
{
    uint at = (uint)get_global_id(0);
    ulong frame = get_global_id(1), total = 0;

    if (at >= count)
        return;
    partials += frame * planes * planes * parts * count + at;
    for (uint pair = 0; pair < planes * planes; pair++) {
        ulong sum = 0;

        for (uint part = 0; part < parts; part++)
            sum += partials[((ulong)pair * parts + part) * count];
        total += sum << 8 * (pair / planes + pair % planes);
    }
    products += (first_frame + frame) * count + at;
    *products = add ? *products + total : total;
}
