// SPDX-License-Identifier: Apache-2.0
// What the files of the FFT share: the shape as all libraries understand it, and the parts of the project's
// own transform.
#ifndef KN_ALGO_FFT_FFT_H
#define KN_ALGO_FFT_FFT_H

#include <koine/experimental.h>
#include <koine/fft.h>

#include "base/text/text.h"
#include "engine/engine.h"
#include "host/fft/fft_shape.h"
#include "host/fft/root_of_unity.h"
#include "algo/columns.h"

#define FFT_MAX_RADICES 6
#define FFT_MAX_PARTS   3  // passes into which a long line is cut
#define FFT_MAX_PASSES  18 // three axes, twice three passes each (a long line by Bluestein)

// ---- lengths (fft_length.c) ----

// How a line is cut: points = the product of radices, handled by this many work-items.
struct fft_cut {
    unsigned points, stages, radices[FFT_MAX_RADICES], items;
};

// The limits of a cut.
struct fft_bounds {
    unsigned held;  // the most points that a work-item holds
    unsigned items; // the most work-items in a group
    size_t points;  // the longest line
    size_t local;   // bytes of local memory for a line
    size_t number;  // bytes of a complex number
    bool banks;     // local memory has banks
};

// The limits of a device, for numbers of two of `type` each; `tuning` may be NULL. fft_passes.c.
struct fft_bounds ki_fft_bounds_of(const kn_device_info *info, kn_type type, const kn_fft_tuning *tuning);
bool ki_fft_is_smooth(size_t n); // no prime factor above 13
// False if `points` cannot be transformed in one pass within the bounds.
bool ki_fft_cut_line(size_t points, const struct fft_bounds *bounds, struct fft_cut *cut);
// Cuts n into a product of `parts` lengths that can be cut, as close to one another as possible; false if
// there are none.
bool ki_fft_split_line(size_t n, unsigned parts, const struct fft_bounds *bounds, struct fft_cut *cuts);
// The length of Bluestein's convolution: smooth, at least 2 n - 1.
size_t ki_fft_chirp_length(size_t n);
// Local memory for a line (PITCH in cl/algo/fft/fft.cl).
size_t ki_fft_line_bytes(const struct fft_cut *cut, const struct fft_bounds *bounds);

// ---- roots of unity (fft_roots.c), in double, rounded to the type when they are uploaded ----

struct fft_roots {
    double *values; // real and imaginary parts in turn
    size_t count, capacity;
};

// Each appends a table and returns where it begins. False if memory ran out.
bool ki_fft_roots_of_cut(struct fft_roots *roots, const struct fft_cut *cut, uint32_t *at);
bool ki_fft_roots_of_long(struct fft_roots *roots, size_t n, uint32_t *at, uint32_t *log2_low);
// exp(-+i pi j^2 / n), and the spectrum of its conjugate on a circle of `length`, divided by it.
bool ki_fft_roots_of_chirp(struct fft_roots *roots, size_t n, size_t length, uint32_t *down, uint32_t *up,
                           uint32_t *filter);

// Uploads the tables as numbers of `type`. fft_own.c.
kn_status ki_fft_upload_roots(kn_queue *queue, const struct fft_roots *roots, kn_type type,
                              kn_buffer **buffer, kn_error *err);

// ---- the project's own transform ----

// One side of a pass; cl/algo/fft/fft.cl has the same.
struct fft_side {
    uint64_t inner, outer, stride, point, split, count;
};

enum fft_buffer { FFT_IN, FFT_OUT, FFT_SCRATCH_0, FFT_SCRATCH_1 };

struct fft_pass {
    struct fft_cut cut;
    unsigned lines_a_group, buffers;
    size_t local_bytes;
    bool rows_in, rows_out; // neighbours in a line are neighbours in memory
    bool swap_in, swap_out; // swap real and imaginary parts
    bool has_inner, has_split, twiddle, table_in, table_out, wide;
    bool short_in, short_out; // positions from count on are missing
    unsigned load, store;     // LOAD, STORE in cl/algo/fft/fft.cl
    struct fft_side from, to;
    uint64_t from_numbers, to_numbers; // numbers in all
    uint32_t lines, inner, split, length;
    uint32_t roots, table_in_at, table_out_at, long_roots, log2_low;
    double scale;
    enum fft_buffer source, target;
    kn_kernel *kernel;
};

struct fft_passes {
    struct fft_pass items[FFT_MAX_PASSES];
    size_t count;
};

// The passes of a direction, with tables appended to `roots`. fft_passes.c.
kn_status ki_fft_plan_passes(const struct fft_shape *shape, kn_fft_direction direction,
                             const kn_device_info *info, const kn_fft_tuning *tuning,
                             struct fft_passes *passes, struct fft_roots *roots, kn_error *err);

// ---- libraries ----

// A library of transforms; kn_fft_plan_create chooses one. `plan` belongs to the library.
struct fft_library {
    kn_fft_library id;
    const char *name;
    // Describes in `text` what the plan runs.
    kn_status (*create)(kn_queue *queue, const struct fft_shape *shape, const kn_fft_tuning *tuning,
                        void **plan, struct ki_text *text, kn_error *err);
    kn_status (*execute)(kn_queue *queue, void *plan, kn_fft_direction direction, const kn_buffer *in,
                         kn_buffer *out, kn_error *err);
    void (*free)(void *plan);
};

extern const struct fft_library ki_fft_own, ki_fft_clfft, ki_fft_cufft;

// Handles KN_FFT_AUTO: sets both the library and its plan.
kn_status ki_fft_choose(kn_queue *queue, const struct fft_shape *shape, const struct fft_library **library,
                        void **plan, struct ki_text *text, kn_error *err);

#endif
