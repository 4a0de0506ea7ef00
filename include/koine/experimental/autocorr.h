// SPDX-License-Identifier: Apache-2.0
// Correlations verified against the definition and compared with one another, and where the time of a series
// goes. koine autocorr uses this. Unstable (koine/experimental.h).
#ifndef KOINE_EXPERIMENTAL_AUTOCORR_H
#define KOINE_EXPERIMENTAL_AUTOCORR_H

#include <koine/autocorr.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- sums verified against the definition: kn_autocorr_series_options.verification ----

// For each frame, `count` offsets, drawn at random from `seed` and possibly repeated, are recomputed term by
// term, in 64 bits and serially. The sums are copied from the device for this. Cost: one or two reads of the
// image for each.
typedef struct kn_autocorr_verification {
    size_t count;
    uint64_t seed;
} kn_autocorr_verification;

typedef struct kn_autocorr_verified {
    size_t count; // offsets that were recomputed
    size_t wrong; // those off by more than the bound that the method states
    // The first wrong one: its offset, the value found and the value by definition.
    ptrdiff_t x0;
    size_t y0;
    uint64_t found, expected;
    uint64_t most; // the greatest difference, including those within the bound
} kn_autocorr_verified;

// ---- where time goes ----

// Times of the last kn_autocorr_series_execute, in seconds; they overlap.
typedef struct kn_autocorr_pipeline {
    size_t frames, failed;
    unsigned decoders;
    double decode;        // of all decoding threads together
    double wait;          // waiting for frames to be decoded
    double build;         // compiling kernels, or fetching them from the cache
    double upload;        // packing and copying frames
    double compute;       // on the device or the host
    double download;      // copying results back
    double analyse;       // from sums to lengths, on the host
    size_t batches;       // of frames that were computed together
    size_t overlapped;    // batches that were copied to the device while the previous one was there
    size_t device_rings;  // frames whose rings were computed on the device
    const char *why_host; // why those of the others were computed on the host; a static string; NULL: there
                          // are no others
} kn_autocorr_pipeline;

// All 0 for NULL, and before the first call.
KN_API kn_autocorr_pipeline kn_autocorr_series_get_pipeline(const kn_autocorr_series *series);

// ---- what a series takes ----

typedef struct kn_autocorr_memory {
    size_t host, device; // bytes; device: 0 on the host
    size_t max_offset;   // R
} kn_autocorr_memory;

// Estimates the most bytes that kn_autocorr_series_execute takes for these frames if all are like `frame`, as
// it comes from a reader: decoded and prepared. None is fetched, and its pixels are not read. Memory that the
// caller keeps, programs and results that are handed over are not counted. Errors: KN_ERROR_ARGUMENT for
// NULL, and if there are not more frames than the series's max_lag; KN_ERROR_INPUT for a mask, region or
// second image that do not fit the frame; KN_ERROR_MEMORY if the options' memory_limit is too little.
KN_API kn_status kn_autocorr_series_estimate_memory(kn_autocorr_series *series,
                                                    const kn_autocorr_source *source,
                                                    const kn_autocorr_grey *frame, kn_autocorr_memory *memory,
                                                    kn_error *err);

// ---- one image by every method (Lu et al. 2009, figures 6, 7 and 9) ----

#define KN_AUTOCORR_LADDER_MAX   16
#define KN_AUTOCORR_VARIANTS_MAX 8

typedef struct kn_autocorr_variant {
    kn_autocorr_method method;
    bool on_device;
    const char *name; // "fft-host", and the method's name otherwise
    // For each number of offsets: the seconds that a caller waits, including copies of images to the device
    // and of sums back; and how many sums differ from naive's by more than the bound that the method states.
    double seconds[KN_AUTOCORR_LADDER_MAX];
    size_t differ[KN_AUTOCORR_LADDER_MAX];
} kn_autocorr_variant;

typedef struct kn_autocorr_variants {
    size_t offsets[KN_AUTOCORR_LADDER_MAX]; // R: 16, 32, ... and the greatest
    size_t offset_count;
    kn_autocorr_variant items[KN_AUTOCORR_VARIANTS_MAX]; // those that run here, naive first
    size_t count;
    size_t against; // the variant whose speed-up over the others figure 9 shows: two-line, or the last one
} kn_autocorr_variants;

// Called after each number of offsets, with the fraction of the work that is done, up to 1. Returns false to
// stop.
typedef bool kn_autocorr_progress(void *data, double done);

// Correlates a decoded and prepared frame, as in a series with these options (max_offset, region, mask, with,
// single), by every method for growing R. Each is computed once, on a device twice, and up to five times
// while that takes less than half a second: the least time counts, without compiling. `queue` NULL: only the
// host's methods. `name` is what messages call the frame, or NULL. `progress` may be NULL. Errors: as for a
// frame of a series; KN_ERROR_INTERRUPTED. `variants` is written only on success.
KN_API kn_status kn_autocorr_compare_variants(kn_queue *queue, const char *name, const kn_autocorr_grey *grey,
                                              kn_autocorr_variants *variants,
                                              const kn_autocorr_series_options *options,
                                              kn_autocorr_progress *progress, void *data, kn_error *err);

#ifdef __cplusplus
}
#endif
#endif
