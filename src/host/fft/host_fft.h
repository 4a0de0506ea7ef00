// SPDX-License-Identifier: Apache-2.0
// Complex Fourier transforms on the host, of neighbouring lines together: a vector holds the same point of
// `lanes` lines, and nothing moves between lanes except when lines are transposed.
//
// A block is `lanes` lines of n points, point after point: the lines' real parts and then their imaginary
// parts, 2 * lanes numbers a point. Numbers are floats or doubles, depending on the transform.
#ifndef KN_HOST_FFT_HOST_FFT_H
#define KN_HOST_FFT_HOST_FFT_H

#include "host/simd/levels.h"

enum {
    HOST_FFT_RADIX = 8,  // at most
    HOST_FFT_PART = 64,  // points that are transformed in a core's first-level cache
    HOST_FFT_PARTS = 11, // 2^64 has no more
    HOST_FFT_STAGES = 6  // of a part
};

// A line's length is the product of its parts; each part is a pass over the line (Stockham, self-sorting),
// like a butterfly of that many points, and consists itself of stages of radix 2, 3, 4, 5, 7 and 8 in the
// same way.
struct host_fft_part {
    size_t length;
    unsigned stages, radices[HOST_FFT_STAGES];
    // exp(-2 pi i ...), two numbers each: for stage 0 the roots before the part, NULL for the first part
    const void *turns[HOST_FFT_STAGES];
};

struct host_fft {
    const struct host_fft_code *code;
    size_t length;
    unsigned parts;
    struct host_fft_part part[HOST_FFT_PARTS];
    void *turns;
};

// For numbers of one type on one kind of processor. Pointers point to numbers; strides between rows are in
// numbers.
struct host_fft_code {
    const char *name;     // "scalar", "AVX2", "AVX-512"
    size_t lanes, number; // bytes of a number

    // y[k] = sum of x[j] exp(-2 pi i j k / n) of a block's lines, unscaled. `scratch` has room for two
    // blocks; x and y may be the same. For the other direction, swap real and imaginary parts before and
    // after.
    void (*transform)(const struct host_fft *fft, const void *x, void *scratch, void *y);

    // `lanes` rows of `count` integers become the real or imaginary parts of the lines of a block: `to` is
    // that part of the block's first point. Up to `count` rounded up to lanes is read and written.
    void (*spread)(const int32_t *rows, size_t stride, size_t count, void *to);

    // Two real lines transformed as one, x + i x', have the transform Z = X + i X'. From its points first to
    // first + count - 1 (modulo n), computes the points of 2 X and 2 X' in two blocks.
    void (*halves)(const void *block, size_t n, size_t first, size_t count, void *x, void *x2);

    // The same as `halves` for `lanes` points, transposed: rows of `lanes` points, real parts and then
    // imaginary parts, one row for each line, 2 * lanes apart.
    void (*part_rows)(const void *block, size_t n, size_t first, void *rows, void *rows2);

    // The reverse: from the rows of X and X', points first to first + count - 1 of X + i X', and the points n
    // minus these of conj X + i conj X'. count is at most lanes, and points lie within n / 2.
    void (*join_rows)(const void *rows, const void *rows2, size_t n, size_t first, size_t count, void *block);

    // z[k] and conj z[-k].
    void (*mirror)(const void *block, size_t n, size_t count, void *x, void *x2);

    // Point by point: to = a conj b.
    void (*correlate)(const void *a, const void *b, size_t points, void *to);
    // to = |a|^2 + i |b|^2.
    void (*energies)(const void *a, const void *b, size_t points, void *to);

    // Transposes a part of `lanes` points to rows of doubles, `stride` apart, one for each line.
    void (*gather)(const void *from, double *rows, size_t stride);
};

// The code for KN_F32 or KN_F64.
const struct host_fft_code *ki_host_fft_code_for(kn_type type, kn_host_level level);

bool ki_host_fft_is_smooth(size_t n); // no prime factor above 7
// The length of at least n without prime factors above 7 that takes the least time.
size_t ki_host_fft_length(size_t n);

// KN_ERROR_ARGUMENT for a length of 0 or with a prime factor above 7; KN_ERROR_MEMORY. The tables take the
// memory of two lines. Every level computes the same sums in the same order, except that fused
// multiplications round once on processors that have them.
kn_status ki_host_fft_create(size_t length, kn_type type, kn_host_level level, struct host_fft **fft,
                             kn_error *err);
void ki_host_fft_free(struct host_fft *fft); // NULL too

// The greatest error of a point of a transform is below this times the sum of the moduli of the line's
// points: a number that passes through a stage of radix r is multiplied by a root of unity (4 roundings,
// including the table's) and added up in a sum of r terms (r roundings, and 2 for their coefficients), each
// of half the distance from 1 to the next number. The relative root mean square error is below it as well:
// apart from a factor, a stage is a rotation, which preserves earlier errors, and adds as many of its own.
double ki_host_fft_error(const struct host_fft *fft);

HOST_DECLARE_LEVELS(const struct host_fft_code, host_fft);

#endif
