// SPDX-License-Identifier: Apache-2.0
// Unstable interface: tuning of the algorithms for a device, and functions that benchmarks, tests and the
// command koine need; larger subjects have headers of their own in koine/experimental/. Any of this may
// change or disappear in any version, whatever its number; a program that uses it has to be compiled with the
// headers of exactly the library that it runs with. koine/koine.h does not include this.
//
// A member that is 0 stands for the device's default.
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
    KN_SORT_IN_PLACE = 0, // any n without padding: no extra memory, no extra work
    // as the classical network: n rounded up to a power of two, in separate memory (bitonic)
    KN_SORT_POWER_OF_TWO = 1
} kn_sort_padding;

// How the work-items of a radix sort cooperate. A choice that the device does not support is
// KN_ERROR_UNSUPPORTED.
typedef enum kn_sort_lanes {
    KN_SORT_LANES_AUTO = 0,
    KN_SORT_LANES_LOCAL = 1,     // through local memory and barriers: any device
    KN_SORT_LANES_BALLOT = 2,    // NVIDIA: a ballot for every bit of a digit
    KN_SORT_LANES_MATCH = 3,     // NVIDIA: match.any
    KN_SORT_LANES_MASKS = 4,     // NVIDIA: masks in local memory, in step within a warp
    KN_SORT_LANES_SUBGROUPS = 5, // cl_khr_subgroup_ballot
    KN_SORT_LANES_SERIAL = 6     // one work-item per chunk: CPUs
} kn_sort_lanes;

// For which digits a radix sort makes passes.
typedef enum kn_sort_digits {
    KN_SORT_DIGITS_AUTO = 0,      // those that differ, if n is large enough to be worth waiting to know which
    KN_SORT_DIGITS_ALL = 1,       // never waits
    KN_SORT_DIGITS_DIFFERING = 2, // those that are not the same in all negative keys and in all others
    // the highest first, into buckets that fit in a core's cache (only KN_SORT_LANES_SERIAL); waits
    KN_SORT_DIGITS_HIGHEST = 3
} kn_sort_digits;

// Where a radix sort counts the digits of the second and of later passes.
typedef enum kn_sort_counting {
    KN_SORT_COUNTING_AUTO = 0,
    KN_SORT_COUNTING_SEPARATE = 1, // in a separate launch
    KN_SORT_COUNTING_AHEAD = 2,    // while the previous pass moves the keys, if there are at most 256 groups
    // all digits before the first pass; groups wait for those that began before them
    KN_SORT_COUNTING_ONCE = 3
} kn_sort_counting;

typedef struct kn_sort_tuning {
    kn_sort_padding padding;   // bitonic
    unsigned log2_group;       // bitonic: log2 of the work-items per group, 5 to 10
    unsigned log2_keys;        // bitonic: log2 of the keys per work-item, 2 to 5
    kn_sort_lanes lanes;       // radix
    kn_sort_digits digits;     // radix
    kn_sort_counting counting; // radix
    unsigned radix_group;      // radix: work-items per group, a multiple of 32 from 256 to 1024
    unsigned radix_keys;       // radix: keys per work-item, 1 to 32
    unsigned radix_chunks;     // radix: groups per compute unit
    unsigned radix_registers;  // radix: most registers per work-item, as in kn_program_options
    unsigned radix_prefetch;   // radix: 1 loads the next tile before the current one is stored, 2 does not
    unsigned radix_places;     // radix: bits of a position, 32 (below 2^32 elements) or 64; 0: as n requires
} kn_sort_tuning;

// ---- merging: kn_less.tuning ----

// How a merge finds where each of its pieces begins in the two runs.
typedef enum kn_merge_splits {
    KN_SPLITS_AUTO = 0,   // the faster one for n on the device, by measurement
    KN_SPLITS_LAUNCH = 1, // in a launch before it
    KN_SPLITS_GROUP = 2   // each work-group for itself
} kn_merge_splits;

typedef struct kn_merge_tuning {
    unsigned group; // work-items per group, a power of two up to 1,024
    unsigned items; // elements per work-item, 1 to 32
    kn_merge_splits splits;
} kn_merge_tuning;

// ---- order statistics: kn_select_options.tuning, kn_robust_options.tuning ----

typedef struct kn_select_tuning {
    size_t samples;       // for KN_SELECT_BRACKETS; 0: chosen by n
    unsigned group;       // work-items per group, a power of two up to 1024
    unsigned loads;       // loads of 16 bytes per work-item and tile
    unsigned groups_unit; // groups per compute unit
} kn_select_tuning;

typedef struct kn_robust_tuning {
    // The width of the brackets, in standard deviations of a rank in the sample; 0: 5, which misses in
    // one of a million columns. A narrow one misses on purpose.
    double width;
} kn_robust_tuning;

// ---- transforms and products: kn_fft_options.tuning, kn_gemm_options.tile ----

typedef struct kn_fft_tuning {
    unsigned held;    // most points per work-item, 4 to 32
    unsigned rows;    // lines per work-group if the numbers of a line are neighbours in memory, up to 64
    unsigned columns; // lines per work-group if the lines are neighbours, up to 64
} kn_fft_tuning;

// All 0: the default for this task. With a tile the kernel for GPUs runs on CPUs too.
typedef struct kn_gemm_tile {
    unsigned m, n, k;        // of a group's tile of C, and its step along k
    unsigned item_m, item_n; // of a work-item's sums
    unsigned lane_m;         // rows of work-items among 32 neighbours; 0: 4
    unsigned band;           // rows of tiles computed together; 0: 8
    unsigned parts; // parts into which k is split, their products added up afterwards; 0: 1 (not for batches)
    unsigned registers; // the most per work-item, on NVIDIA's devices; 0: the compiler's choice
} kn_gemm_tile;

// ---- sorted columns ----

// The median of n > 0 sorted elements without NaN: the middle one, or the mean of the two in the middle.
// -0 is returned as 0. Waits. Cost: reads at most two elements.
KN_API kn_status kn_median_sorted(kn_queue *queue, const kn_buffer *sorted, kn_type type, size_t n,
                                  double *median, kn_error *err);

// The MAD, the median of |x - median|, of n > 0 sorted elements without NaN, where `median` is theirs:
// the deviations form two sorted runs, whose middle is found by bisection along the merge path (Odeh,
// Green, Mwassi, Shmueli, Birk 2012). Exact. NaN if the median is not finite. Waits. Cost: 4 log2(n)
// reads on the device; without double precision, or for a buffer in parts, as many copies of one element.
KN_API kn_status kn_mad_sorted(kn_queue *queue, const kn_buffer *sorted, kn_type type, size_t n,
                               double median, double *mad, kn_error *err);

// ---- where time goes ----

// Seconds that this context has spent so far on making programs: preprocessing, the cache, the compiler.
KN_API double kn_context_get_build_seconds(const kn_context *context);

#ifdef __cplusplus
}
#endif
#endif
