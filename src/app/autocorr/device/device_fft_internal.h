// SPDX-License-Identifier: Apache-2.0
// What the files of the correlations by Fourier transforms share.
#ifndef KN_APP_AUTOCORR_DEVICE_DEVICE_FFT_INTERNAL_H
#define KN_APP_AUTOCORR_DEVICE_DEVICE_FFT_INTERNAL_H

#include "algo/columns.h"
#include "algo/fft/fft.h"
#include "base/text/text.h"
#include "device_fft.h"

// An algorithm; `plan` is what its create made, and only its own functions read it.
struct fft_algorithm {
    // For batches of fft->batch frames, or fewer (ki_autocorr_fft_limit_batch). Sets fft->points and
    // fft->plan, also where it fails, and appends to fft->text.
    kn_status (*create)(kn_queue *queue, struct autocorr_fft *fft, kn_error *err);
    // Frames `first` to first + count - 1, at most a batch, whose tables are filled.
    kn_status (*run)(kn_queue *queue, const struct autocorr_fft *fft, const struct autocorr_frames *frames,
                     size_t first, size_t count, kn_buffer *sums, kn_error *err);
    void (*free)(void *plan);
};

extern const struct fft_algorithm ki_autocorr_fft_fused, ki_autocorr_fft_number;

struct autocorr_fft {
    kn_context *context;
    struct autocorr_fft_options options; // its algorithm is the one that was chosen
    size_t width, height, max_offset, batch;
    size_t across, wanted; // columns to either side, and rows, that have overlaps: X0 < across, Y0 < wanted
    size_t points[2];      // of the circle, across and down
    kn_type type, real;    // of the pixels; what is computed in
    bool cross, exact;
    struct autocorr_tables tables;
    struct ki_text text;
    void *plan;
};

// Fewer frames a batch, so that a buffer of so many bytes a frame is one allocation of the device, and leaves
// most of its memory to others. KN_ERROR_LIMIT if one frame is too many.
kn_status ki_autocorr_fft_limit_batch(struct autocorr_fft *fft, size_t frame_bytes, kn_error *err);

// Columns or rows to one side of an offset that have overlaps.
static inline size_t autocorr_fft_reach(size_t max_offset, size_t length)
{
    return max_offset < length ? max_offset + 1 : length;
}

// ---- lines (device_fft_lines.c) ----

// Both algorithms have three kernels: the images' rows, columns there and back, the correlation's rows.
enum { FFT_ROWS, FFT_COLUMNS, FFT_BACK, FFT_KERNELS };

// A kernel's lines, and how a group takes them.
struct fft_lines {
    struct fft_cut cut;
    uint32_t at; // of its roots
    unsigned lines;
    size_t local_bytes;
};

// Lengths, at least W + R and H + R points or those of the options, and lines a group, within bounds. Sets
// fft->points, and says in fft->text after `name` what was chosen.
kn_status ki_autocorr_fft_cut_lines(struct autocorr_fft *fft, const struct fft_bounds *bounds,
                                    bool powers_of_two, const char *name, struct fft_lines lines[FFT_KERNELS],
                                    kn_error *err);

// The length from `least` on that is cut with the least work, up to an eighth longer; or the next power of
// two. False if there is none within the bounds.
bool ki_autocorr_fft_choose_length(size_t least, const struct fft_bounds *bounds, bool powers_of_two,
                                   struct fft_cut *cut);

// POINTS, RADIX_0 and so on.
void ki_autocorr_fft_define_lines(struct engine_defines *defines, const struct fft_lines *lines);

// A launch for `count` frames with so many lines each.
kn_range ki_autocorr_fft_range(const struct fft_lines *lines, size_t lines_a_frame, size_t count);

#endif
