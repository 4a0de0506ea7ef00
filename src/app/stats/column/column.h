// SPDX-License-Identifier: Apache-2.0
// A column prepared for one variant: it can be computed repeatedly, and for any prefix.
#ifndef KN_APP_STATS_COLUMN_H
#define KN_APP_STATS_COLUMN_H

#include <koine/experimental/stats.h>
#include <koine/koine.h>

#include "app/stats/stats.h"

// Where and how it is computed. The names are those of the command's options and results.
enum stats_variant {
    STATS_SERIAL,              // one thread, no vectors
    STATS_VECTORIZED,          // one thread; AVX2, or AVX-512 if the processor has it
    STATS_PARALLEL,            // threads, no vectors
    STATS_PARALLEL_VECTORIZED, // both
    STATS_GPU,                 // kernels on a device
    STATS_VARIANTS
};
extern const char *const ki_stats_variant_names[STATS_VARIANTS + 1]; // ends in NULL

extern const char *const ki_stats_method_names[STATS_METHODS + 1]; // ends in NULL

struct stats_column;

// Converts (to single precision, or to bytes if the method takes them) and, with STATS_GPU, uploads to the
// queue's device; `queue` is NULL for the other variants. `values` stay the caller's, and must live as long
// as the column. Neither this nor ki_stats_column_close is part of a computation's time. Errors: those of the
// engine; KN_ERROR_UNSUPPORTED for vectors that the processor lacks, and for double precision on a device
// without it; KN_ERROR_MEMORY.
kn_status ki_stats_column_open(enum stats_variant variant, kn_queue *queue, const double *values, size_t n,
                               const struct stats_options *options, struct stats_column **column,
                               kn_error *err);
void ki_stats_column_close(struct stats_column *column);

// The same in two steps, for columns of other types (KN_F64, KN_F32, KN_I8, KN_U8), and for many, one after
// the other: first room for up to `capacity` elements of type `from`, which is allocated when first needed
// and kept; then the elements, in the host's memory or (STATS_GPU) in a buffer of the queue's context. The
// elements stay the caller's and must not change until others are loaded. KN_F32 are computed as they are,
// `single` or not; for other types, the conversion does not change the results.
kn_status ki_stats_column_create(enum stats_variant variant, kn_queue *queue, kn_type from, size_t capacity,
                                 const struct stats_options *options, struct stats_column **column,
                                 kn_error *err);
kn_status ki_stats_column_load(struct stats_column *column, const void *values, size_t n, kn_error *err);
kn_status ki_stats_column_attach(struct stats_column *column, const kn_buffer *buffer, size_t n,
                                 kn_error *err);

// The memory in bytes: what is held now, and the most that columns in the host's memory, or in buffers,
// require. (A column that a device holds in parts is sorted with the host's help, which is not counted.)
struct stats_room {
    size_t host, device;
};
struct stats_room ki_stats_column_holds(const struct stats_column *column);
struct stats_room ki_stats_column_wants(const struct stats_column *column, bool in_buffers);

// Computes the first n elements. For one method and precision, mean, std and CV have the same bits in all
// variants (on devices with double precision); median and MAD are exact in all. The sums are taken in the
// tree of moments.h about ki_stats_shift of these elements: with KN_STATS_SELECT and KN_STATS_FUSED in the
// order of the column, so that both have the bits of ki_stats_reference; with KN_STATS_SORT in sorted order,
// because its last merge gathers them.
kn_status ki_stats_column_compute(struct stats_column *column, size_t n, kn_stats *result, kn_error *err);

// Computes all prefixes, of ends[0] <= ends[1] ... elements, in as few reads as the method allows: one for
// integers of 8 bits with KN_STATS_FUSED, else one computation each.
kn_status ki_stats_column_sweep(struct stats_column *column, const size_t *ends, size_t count,
                                kn_stats *results, kn_error *err);

// The method that computes (never KN_STATS_AUTO), and whether the column is held in bytes.
kn_stats_method ki_stats_column_method(const struct stats_column *column);
bool ki_stats_column_in_bytes(const struct stats_column *column);
// So far.
kn_stats_times ki_stats_column_times(const struct stats_column *column);

#endif
