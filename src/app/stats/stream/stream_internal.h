// SPDX-License-Identifier: Apache-2.0
// What a stream holds: stream.c computes it, stream_pass.c reads, stream_sample.c and stream_brackets.c
// select in one pass with the help of a sample, stream_ranks.c selects in any case.
#ifndef KN_APP_STATS_STREAM_INTERNAL_H
#define KN_APP_STATS_STREAM_INTERNAL_H

#include "stream.h"

enum {
    STREAM_BLOCK = 64 * TREE_LEAF, // elements that are handled together: a whole subtree of moments.h
    STREAM_BINS = 1024,            // into which an interval is cut in a pass
    STREAM_SAMPLE = 1 << 18        // elements; of a long column, at least half as many
};

// What a pass does besides selecting.
enum stream_errand { ERRAND_SAMPLE, ERRAND_SUMS, ERRAND_NONE };

// Ranks in a column of x, or of |x - centre|.
struct stream_order {
    bool deviations;
    double centre;
    double least, most; // no element is outside
};

// An element whose rank is known, and the keys between which its value lies.
struct stream_target {
    size_t rank;
    uint64_t low, high;    // both included
    size_t before, inside; // elements below `low`; in the interval
    uint64_t *counts;      // of the bins
    size_t bins;
    double *edges;   // 2 * STREAM_BINS + 1
    double *kept;    // gathered elements
    size_t gathered; // number of gathered elements
};

struct stats_stream {
    struct stats_column *column;
    kn_type type; // of blocks
    void *held;   // room for column->capacity doubles: the column as it was read, later what is gathered
    char *block;  // STREAM_BLOCK elements
    // For both targets.
    double *edges;
    uint64_t *counts, *block_counts;
    double *samples, *deviations;            // room for STREAM_SAMPLE of each
    kn_buffer *device_block, *device_counts; // STATS_GPU

    // For a computation.
    struct stats_streaming *now;
    size_t n;           // elements; before the end of the first pass, the number so far
    size_t nan_count;   // how many of them are NaN
    double least, most; // of the numbers
    enum stream_errand errand;
    size_t sampled, stride, next_sample; // for stream_sample.c
    struct brackets *brackets;           // for stream_brackets.c, in its pass
    double sample[STATS_SHIFT_SAMPLES];
    double shift;
    struct stats_sums subtrees[64]; // subtrees[k], if bit k of `blocks` is set, covers 2^k blocks
    size_t blocks;
    struct stream_order order;
    struct stream_target targets[2];
    bool gathers; // in this pass; otherwise it counts
};

// Reads the source: every block goes to `visit`. KN_ERROR_ARGUMENT if it is not as long as in the first pass,
// KN_ERROR_INTERRUPTED, and errors returned by the source.
typedef kn_status stream_visit(struct stats_stream *stream, size_t first, size_t count, kn_error *err);
kn_status ki_stats_stream_pass(struct stats_stream *stream, stream_visit *visit, kn_error *err);

// Runs the pass's errand on a block that is on the device, if the column is computed there.
kn_status ki_stats_stream_errand(struct stats_stream *stream, size_t first, size_t count, kn_error *err);
// The same, after copying the block there if the errand needs it.
stream_visit ki_stats_stream_take_along;
// The pass is over: the next errand is due.
void ki_stats_stream_next_errand(struct stats_stream *stream);

// Both sums of the whole column, when that errand is done.
struct stats_sums ki_stats_stream_sums(const struct stats_stream *stream);

// Samples the column during the first pass.
void ki_stats_stream_begin_sample(struct stats_stream *stream);
void ki_stats_stream_sample(struct stats_stream *stream, size_t first, size_t count);

// What one pass finds with the sample. `mad`: not divided.
struct stream_answer {
    bool has_median, has_mad;
    double median, mad;
};
// No pass is made if there is no room for what it would keep.
kn_status ki_stats_stream_brackets(struct stats_stream *stream, struct stream_answer *answer, kn_error *err);

// Computes the median in stream->order.
kn_status ki_stats_stream_median(struct stats_stream *stream, double *median, kn_error *err);

// Reports that the method does not compute in chunks.
kn_status ki_stats_stream_refuse_length(const struct stats_stream *stream, kn_error *err);

// Reports that the source differs from the first pass.
kn_status ki_stats_stream_changed(const struct stats_stream *stream, kn_error *err);

static inline double stream_element(const struct stats_stream *stream, size_t i)
{
    return stats_element(stream->block, stream->type, i);
}

#endif
