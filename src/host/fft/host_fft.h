// SPDX-License-Identifier: Apache-2.0
// Complex Fourier transforms on the host, of neighbouring lines at once: a vector holds the same point of
// `lanes` lines, and nothing is moved from lane to lane but where lines are transposed.
//
// A block is `lanes` lines of n points: point after point, the lines' real parts and then their imaginary
// ones, 2 * lanes numbers a point. Numbers are floats or doubles, whatever the transform was made for.
#ifndef KN_HOST_FFT_HOST_FFT_H
#define KN_HOST_FFT_HOST_FFT_H

#include "host/simd/levels.h"

enum {
    HOST_FFT_RADIX = 8,  // at most
    HOST_FFT_PART = 64,  // points that are transformed in a core's first cache
    HOST_FFT_PARTS = 11, // as many as there are in 2^64
    HOST_FFT_STAGES = 6  // of a part
};

// A line's length is the product of its parts'; each is a pass over the line (Stockham's, self-sorting), as
// a butterfly of so many points, and is itself made of stages of radix 2, 3, 4, 5, 7 and 8 in the same way.
struct host_fft_part {
    size_t length;
    unsigned stages, radices[HOST_FFT_STAGES];
    // exp(-2 pi i ...), two numbers each: of stage 0 what comes before the part, NULL for the first part
    const void *turns[HOST_FFT_STAGES];
};

struct host_fft {
    const struct host_fft_code *code;
    size_t length;
    unsigned parts;
    struct host_fft_part part[HOST_FFT_PARTS];
    void *turns;
};

// For numbers of one type on one kind of processor. Places are those of a number; the strides between rows
// are in numbers.
struct host_fft_code {
    const char *name;     // "scalar", "AVX2", "AVX-512"
    size_t lanes, number; // bytes of a number

    // y[k] = sum of x[j] exp(-2 pi i j k / n) of a block's lines, unscaled. `scratch` has room for two
    // blocks; x and y may be the same. For the other direction swap real and imaginary parts, before and
    // after.
    void (*transform)(const struct host_fft *fft, const void *x, void *scratch, void *y);

    // `lanes` rows of `count` whole numbers become the real or imaginary parts of the lines of a block: `to`
    // is that part of its first point. Up to `count` rounded up to lanes is read and written.
    void (*spread)(const int32_t *rows, size_t stride, size_t count, void *to);

    // Two real lines transformed as one, x + i x': with their transforms Z = X + i X', of points first to
    // first + count - 1: 2 X and 2 X', points modulo n. To two blocks' points.
    void (*halves)(const void *block, size_t n, size_t first, size_t count, void *x, void *x2);

    // What `halves` does of `lanes` points, transposed: rows of `lanes` points, real parts and then
    // imaginary ones, one for each line, 2 * lanes apart.
    void (*part_rows)(const void *block, size_t n, size_t first, void *rows, void *rows2);

    // The way back: from the rows of X and X' points first to first + count - 1 of X + i X', and n less these
    // of conj X + i conj X'. count is at most lanes, and points lie within n / 2.
    void (*join_rows)(const void *rows, const void *rows2, size_t n, size_t first, size_t count, void *block);

    // z[k] and conj z[-k].
    void (*mirror)(const void *block, size_t n, size_t count, void *x, void *x2);

    // Point by point: to = a conj b.
    void (*correlate)(const void *a, const void *b, size_t points, void *to);
    // to = |a|^2 + i |b|^2.
    void (*energies)(const void *a, const void *b, size_t points, void *to);

    // A part of `lanes` points, transposed: rows of doubles, `stride` apart, one for each line.
    void (*gather)(const void *from, double *rows, size_t stride);
};

// The code for KN_F32 or KN_F64.
const struct host_fft_code *ki_host_fft_code_for(kn_type type, kn_host_level level);

bool ki_host_fft_is_smooth(size_t n); // no prime factor above 7
// The length of at least n without prime factors above 7 that takes the least time.
size_t ki_host_fft_length(size_t n);

// KN_ERROR_ARGUMENT for a length of 0 or with a prime factor above 7; KN_ERROR_MEMORY. The tables take the
// room of two lines. At every level the same sums in the same order, but that fused multiplications round
// once where the processor has them.
kn_status ki_host_fft_create(size_t length, kn_type type, kn_host_level level, struct host_fft **fft,
                             kn_error *err);
void ki_host_fft_free(struct host_fft *fft); // NULL too

// The greatest error of a point of a transform is below this times the sum of the moduli of the line's
// points: a number that passes through a stage of radix r is turned (4 roundings, the table's among them)
// and added up in a sum of r terms (r roundings, and 2 for their coefficients), each of half the distance of
// 1 to the next number. The error's root mean square, as a part of the result's, is below it as well: but for
// a factor a stage is a rotation, which keeps what errors there are, and its own are as many.
double ki_host_fft_error(const struct host_fft *fft);

HOST_DECLARE_LEVELS(const struct host_fft_code, host_fft);

#endif
