// SPDX-License-Identifier: Apache-2.0
// Lines of arrays, wherever their points lie, transformed as blocks of neighbouring lines (host_fft.h): of
// any length, because those with a prime factor above 7 use Bluestein's chirp transform (1970).
#ifndef KN_HOST_FFT_HOST_FFT_LINES_H
#define KN_HOST_FFT_HOST_FFT_LINES_H

#include "host_fft.h"

// The transform of a length. `chirp` and `filter` are in double precision, two numbers each; NULL if not
// used.
struct host_fft_line {
    size_t length;
    struct host_fft *fft; // of `length`, or of the chirp transform's convolution
    double *chirp;        // exp(-pi i j^2 / length)
    double *filter;       // the transform of its conjugate on a circle, divided by the length
    size_t room;          // bytes of a thread's memory: a block, and scratch for it
};

// KN_ERROR_ARGUMENT for a length of 0; KN_ERROR_MEMORY. Free it with the other function, also after a
// failure.
kn_status ki_host_fft_line_create(size_t length, kn_type type, kn_host_level level,
                                  struct host_fft_line *line, kn_error *err);
void ki_host_fft_line_free(struct host_fft_line *line);

// What the points of a line are in memory: complex or real numbers of the transform's type, unsigned
// integers, or half of a spectrum, whose other half is its conjugate.
enum host_fft_points { HOST_FFT_COMPLEX, HOST_FFT_REAL, HOST_FFT_U8, HOST_FFT_U16, HOST_FFT_HALF };

enum { HOST_FFT_ACROSS = 3 };

// Where lines come from or go to. Steps are in points.
struct host_fft_side {
    void *at;
    enum host_fft_points points;
    size_t count;                   // existing points of a line: others read as zero, and are not written
    size_t step;                    // distance of neighbouring points
    size_t across[HOST_FFT_ACROSS]; // distance of neighbouring lines on each of the other axes
};

struct host_fft_lines {
    const struct host_fft_line *line;
    struct host_fft_side from, to;
    size_t count[HOST_FFT_ACROSS]; // lines on each of the other axes
    bool back;                     // exp(+2 pi i ...)
    double scale;                  // multiplies the result
};

// `room`: line->room bytes for each thread, zeroed before its first use, at a multiple of 64 bytes. `from`
// and `to` may be the same array with the same steps. A NaN stays in its line.
void ki_host_fft_lines(const struct host_fft_lines *lines, unsigned threads, void *room);

#endif
