// SPDX-License-Identifier: Apache-2.0
// What a stream holds: stream.c computes it, stream_pass.c reads, stream_sample.c and stream_brackets.c
// select in one pass what a sample makes likely, stream_ranks.c whatever it is.
#ifndef KN_APP_STATS_STREAM_INTERNAL_H
#define KN_APP_STATS_STREAM_INTERNAL_H

#include "stream.h"

enum {
    STREAM_BLOCK = 64 * TREE_LEAF, // elements that are looked at together: a whole subtree of moments.h
    STREAM_BINS = 1024,            // that an interval is cut into in a pass
    STREAM_SAMPLE = 1 << 18        // elements, and half of them at least of a long column
};

// What a pass does beside selecting.
enum stream_errand { ERRAND_SAMPLE, ERRAND_SUMS, ERRAND_NONE };

// Ranks in a column of x, or of |x - centre|.
struct stream_order {
    bool deviations;
    double centre;
    double least, most; // no element is outside
};

// An element whose rank is known, and between which keys its value lies.
struct stream_target {
    size_t rank;
    uint64_t low, high;    // both included
    size_t before, inside; // elements below `low`; in the interval
    uint64_t *counts;      // of the bins
    size_t bins;
    double *edges;   // 2 * STREAM_BINS + 1
    double *kept;    // gathered elements
    size_t gathered; // so many
};

struct stats_stream {
    struct stats_column *column;
    kn_type type; // of blocks
    void *held;   // room for column->capacity doubles: the column as it came, later what is gathered
    char *block;  // STREAM_BLOCK elements
    // Of both targets.
    double *edges;
    uint64_t *counts, *block_counts;
    double *samples, *deviations;            // STREAM_SAMPLE of each
    kn_buffer *device_block, *device_counts; // STATS_GPU

    // Of a computation.
    struct stats_streaming *now;
    size_t n;           // elements; before the end of the first pass, what there was so far
    size_t nan_count;   // and of them, not numbers
    double least, most; // of the numbers
    enum stream_errand errand;
    size_t sampled, stride, next_sample; // stream_sample.c
    struct brackets *brackets;           // stream_brackets.c, in its pass
    double sample[STATS_SHIFT_SAMPLES];
    double shift;
    struct stats_sums subtrees[64]; // subtrees[k], if bit k of `blocks` is set, is that of 2^k blocks
    size_t blocks;
    struct stream_order order;
    struct stream_target targets[2];
    bool gathers; // this pass; else it counts
};

// A read of the source: every block goes to `visit`. KN_ERROR_ARGUMENT if it is not as long as the first
// pass has found, KN_ERROR_INTERRUPTED, and what the source returns.
typedef kn_status stream_visit(struct stats_stream *stream, size_t first, size_t count, kn_error *err);
kn_status ki_stats_stream_pass(struct stats_stream *stream, stream_visit *visit, kn_error *err);

// Does the pass's errand with a block that is on the device, if the column is computed there.
kn_status ki_stats_stream_errand(struct stats_stream *stream, size_t first, size_t count, kn_error *err);
// The same, and copies the block there if the errand wants it.
stream_visit ki_stats_stream_take_along;
// The pass is over, and the next errand's turn.
void ki_stats_stream_next_errand(struct stats_stream *stream);

// Both sums of the whole column, when that errand is done.
struct stats_sums ki_stats_stream_sums(const struct stats_stream *stream);

// The column's sample, as the first pass goes on.
void ki_stats_stream_begin_sample(struct stats_stream *stream);
void ki_stats_stream_sample(struct stats_stream *stream, size_t first, size_t count);

// What one pass finds by the sample. `mad`: not divided.
struct stream_answer {
    bool has_median, has_mad;
    double median, mad;
};
// No pass is made where there is no room for what it would keep.
kn_status ki_stats_stream_brackets(struct stats_stream *stream, struct stream_answer *answer, kn_error *err);

// The median in stream->order.
kn_status ki_stats_stream_median(struct stats_stream *stream, double *median, kn_error *err);

// Says that the method does not compute in chunks.
kn_status ki_stats_stream_refuse_length(const struct stats_stream *stream, kn_error *err);

// Says that the source is not what it was in the first pass.
kn_status ki_stats_stream_changed(const struct stats_stream *stream, kn_error *err);

static inline double stream_element(const struct stats_stream *stream, size_t i)
{
    return stats_element(stream->block, stream->type, i);
}

#endif
