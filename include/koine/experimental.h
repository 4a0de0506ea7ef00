// SPDX-License-Identifier: Apache-2.0
// What is not promised: how the algorithms are cut for a device, and functions that a measurement, a test or
// a command such as koine needs; those of a subject of their own are in koine/experimental/. Any of this may
// change or go with any version, whatever its number; a program that uses it has to be compiled with the
// headers of the very library that it runs with. koine/koine.h does not include this.
//
// What a struct leaves 0 is the device's default.
#ifndef KOINE_EXPERIMENTAL_H
#define KOINE_EXPERIMENTAL_H

#include <koine/buffer.h>
#include <koine/context.h>
#include <koine/experimental/autocorr.h>
#include <koine/experimental/cache.h>
#include <koine/experimental/cost.h>
#include <koine/experimental/explain.h>
#include <koine/experimental/flight.h>
#include <koine/experimental/least_squares.h>
#include <koine/experimental/offline.h>
#include <koine/experimental/recon.h>
#include <koine/experimental/source.h>
#include <koine/experimental/stats.h>
#include <koine/experimental/tuning.h>
#include <koine/types.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- sorting: kn_sort_options.tuning ----

typedef enum kn_sort_padding {
    KN_SORT_IN_PLACE = 0,    // any n as it is: no more memory, no more work than n asks for
    KN_SORT_POWER_OF_TWO = 1 // as the classical network: n rounded up to a power of two, in memory of its own
                             // (bitonic)
} kn_sort_padding;

// How the work-items of a radix sort act together. What is asked for and cannot be had is
// KN_ERROR_UNSUPPORTED.
typedef enum kn_sort_lanes {
    KN_SORT_LANES_AUTO = 0,
    KN_SORT_LANES_LOCAL = 1,     // through local memory and barriers: any device
    KN_SORT_LANES_BALLOT = 2,    // NVIDIA: a ballot for every bit of a digit
    KN_SORT_LANES_MATCH = 3,     // NVIDIA: match.any
    KN_SORT_LANES_MASKS = 4,     // NVIDIA: masks in local memory, in step within a warp
    KN_SORT_LANES_SUBGROUPS = 5, // cl_khr_subgroup_ballot
    KN_SORT_LANES_SERIAL = 6     // a work-item a chunk: CPUs
} kn_sort_lanes;

// Which digits a radix sort makes passes for.
typedef enum kn_sort_digits {
    KN_SORT_DIGITS_AUTO =
        0, // those that differ, where n is large enough to wait for the answer which those are
    KN_SORT_DIGITS_ALL = 1,       // never waits
    KN_SORT_DIGITS_DIFFERING = 2, // those that are not the same in all negative and in all other keys
    KN_SORT_DIGITS_HIGHEST = 3    // the highest first, into buckets that fit a core's cache
                                  // (KN_SORT_LANES_SERIAL alone); waits
} kn_sort_digits;

// Where a radix sort counts the digits of the second and of later passes.
typedef enum kn_sort_counting {
    KN_SORT_COUNTING_AUTO = 0,
    KN_SORT_COUNTING_SEPARATE = 1, // in a launch of its own
    KN_SORT_COUNTING_AHEAD = 2,    // while the pass before moves the keys, where there are at most 256 groups
    KN_SORT_COUNTING_ONCE = 3 // all digits before the first pass; groups wait for those that began before
} kn_sort_counting;

typedef struct kn_sort_tuning {
    kn_sort_padding padding;   // bitonic
    unsigned log2_group;       // bitonic: work-items a group, 5 to 10
    unsigned log2_keys;        // bitonic: keys a work-item, 2 to 5
    kn_sort_lanes lanes;       // radix
    kn_sort_digits digits;     // radix
    kn_sort_counting counting; // radix
    unsigned radix_group;      // radix: work-items a group, a multiple of 32 from 256 to 1024
    unsigned radix_keys;       // radix: keys a work-item, 1 to 32
    unsigned radix_chunks;     // radix: groups a compute unit
    unsigned radix_registers;  // radix: most registers a work-item, as kn_program_options has it
    unsigned radix_prefetch;   // radix: 1 loads a tile before the one ahead of it is stored, 2 does not
    unsigned radix_places; // radix: bits of a position, 32 (below 2^32 elements) or 64; 0: what n asks for
} kn_sort_tuning;

// ---- merging: kn_less.tuning ----

// How a merge finds where each of its pieces begins in the two runs.
typedef enum kn_merge_splits {
    KN_SPLITS_AUTO = 0,   // what was measured faster for n on the device
    KN_SPLITS_LAUNCH = 1, // in a launch before it
    KN_SPLITS_GROUP = 2   // each work-group for itself
} kn_merge_splits;

typedef struct kn_merge_tuning {
    unsigned group; // work-items a group, a power of two up to 1,024
    unsigned items; // elements a work-item, 1 to 32
    kn_merge_splits splits;
} kn_merge_tuning;

// ---- order statistics: kn_select_options.tuning, kn_robust_options.tuning ----

typedef struct kn_select_tuning {
    size_t samples;       // of KN_SELECT_BRACKETS; 0: chosen by n
    unsigned group;       // work-items a group, a power of two up to 1024
    unsigned loads;       // of 16 bytes, a work-item and tile
    unsigned groups_unit; // groups a compute unit
} kn_select_tuning;

typedef struct kn_robust_tuning {
    // How wide the brackets are, in standard deviations of a rank in the sample; 0: 5, which misses in one of
    // a million columns. A narrow one misses on purpose.
    double width;
} kn_robust_tuning;

// ---- transforms and products: kn_fft_options.tuning, kn_gemm_options.tile ----

typedef struct kn_fft_tuning {
    unsigned held;    // points a work-item holds at most, 4 to 32
    unsigned rows;    // lines a work-group takes where a line's numbers are neighbours in memory, up to 64
    unsigned columns; // where the lines are, up to 64
} kn_fft_tuning;

// All 0: the default for this task. With a tile the kernel for GPUs runs on CPUs too.
typedef struct kn_gemm_tile {
    unsigned m, n, k;        // of a group's tile of C, and its step along k
    unsigned item_m, item_n; // of a work-item's sums
    unsigned lane_m;         // rows of work-items among 32 neighbours; 0: 4
    unsigned band;           // rows of tiles made together; 0: 8
    unsigned parts;          // k is split into, their products added up afterwards; 0: 1 (not for batches)
    unsigned registers;      // a work-item's at most, on NVIDIA's devices; 0: the compiler's choice
} kn_gemm_tile;

// ---- sorted columns ----

// The median of n > 0 sorted elements without NaN: the middle one, or the mean of the middle two. -0 is
// returned as 0. Waits. Cost: reads at most two elements.
KN_API kn_status kn_median_sorted(kn_queue *queue, const kn_buffer *sorted, kn_type type, size_t n,
                                  double *median, kn_error *err);

// The median of |x - median| of n > 0 sorted elements without NaN, where `median` is theirs: the deviations
// form two sorted runs, and their middle is found by bisection along the merge path (Odeh, Green, Mwassi,
// Shmueli, Birk 2012). Exact. Not-a-number if the median is not finite. Waits. Cost: 4 log2(n) reads on the
// device; without double precision, or of a buffer in parts, as many copies of one element.
KN_API kn_status kn_mad_sorted(kn_queue *queue, const kn_buffer *sorted, kn_type type, size_t n,
                               double median, double *mad, kn_error *err);

// ---- where time goes ----

// Seconds this context has spent so far on getting programs: preprocessing, the cache, the compiler.
KN_API double kn_context_get_build_seconds(const kn_context *context);

#ifdef __cplusplus
}
#endif
#endif
