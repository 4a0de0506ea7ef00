// SPDX-License-Identifier: Apache-2.0
// What the files of host_fourier.h share: the planes, their results, and where they are stored.
//
// A plane is an image of integers. Its spectrum is stored in blocks of `lanes` neighbouring frequencies in x,
// with all rows of each: first the rows' transforms, doubled. The spectrum of a result is a conj b,
// from those of two planes, and is transformed forward as well: that gives conj C, which, transformed forward
// once more, is C, because C is real.
#ifndef KN_APP_AUTOCORR_HOST_HOST_FOURIER_INTERNAL_H
#define KN_APP_AUTOCORR_HOST_HOST_FOURIER_INTERNAL_H

#include "host/fft/host_fft.h"
#include "host_fourier.h"

enum {
    FOURIER_PLANES = 12,
    FOURIER_STEPS = 16,
    FOURIER_RESULTS = 2 * FOURIER_STEPS,
    FOURIER_NONE = FOURIER_RESULTS
};

// Of each pixel: (its power >> shift) & keep, less the level; 0 where the mask says so.
struct fourier_plane {
    const struct autocorr_image *image;
    unsigned power, shift;
    uint32_t keep;
    int32_t level;
    double norm; // at least the root of the sum of squares
};

// The paths from planes to results.
enum fourier_kind {
    FOURIER_CORRELATE, // a with b
    FOURIER_MIRROR,    // a with b, and b with a
    FOURIER_ENERGIES   // a with itself, and b with itself
};

struct fourier_step {
    enum fourier_kind kind;
    unsigned a, b, results[2]; // FOURIER_NONE: not wanted
};

// Added, times 2^shift, to numbers of 8 bytes that are `step` apart.
struct fourier_result {
    uint64_t *to;
    size_t step;
    unsigned shift;
    double scale;
};

struct fourier_job {
    const struct autocorr_task *task;
    kn_type type;
    unsigned planes, steps, results;
    // Blocks that go through a step at once. 2 if there is one plane: a and b are then its two blocks, and so
    // are the results.
    unsigned at_once;
    struct fourier_plane plane[FOURIER_PLANES];
    struct fourier_step step[FOURIER_STEPS];
    struct fourier_result result[FOURIER_RESULTS];
};

// A thread's own memory.
struct fourier_share {
    int32_t *rows;      // 2 lanes rows of pixels, row_stride apart
    void *line, *out;   // a block each, of rows
    void *scratch;      // two blocks of the longer kind
    void *sources;      // blocks of columns: of each plane, of at_once blocks
    void *work, *spare; // a block of columns, and its rows up to R
    double *values;     // 2 lanes rows of a result, value_stride apart
};

// Where everything is. The sizes are compared to see whether the memory can be reused as it is.
struct fourier_room {
    size_t width, height, max_offset, planes, results, at_once, number, lanes;
    size_t blocks;     // of a plane, a multiple of at_once
    size_t rows, kept; // of a block in `spectra`, and in `results`
    size_t row_stride, value_stride, share_bytes, bytes, threads;
};

struct autocorr_fourier {
    kn_host_level level;
    unsigned threads;
    struct host_fft *x, *y;
    struct fourier_room room;
    unsigned char *memory, *spectra, *results; // one allocation: spectra, results, shares
    size_t capacity;
    struct fourier_share *shares;
    struct autocorr_window *windows; // of offsets in `windows_room`, to restore what was subtracted
    size_t windows_room;
};

// Everything from pixels to results. host_fourier_passes.c.
void ki_fourier_run(struct autocorr_fourier *fourier, const struct fourier_job *job);

#endif
