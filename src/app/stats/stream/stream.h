// SPDX-License-Identifier: Apache-2.0
// Columns that are read in chunks, as often as the method needs, and need not fit in memory: those that fit
// are computed as arrays, the others with sums in the tree of moments.h and radix selection.
#ifndef KN_APP_STATS_STREAM_H
#define KN_APP_STATS_STREAM_H

#include <koine/stats.h>

#include "app/stats/column/column_internal.h"

struct stats_stream;

// For columns of the type of `column`, computed with its options: a column is held in memory if it has at
// most column->capacity elements. Memory for it is allocated here. `column` stays the caller's.
kn_status ki_stats_stream_create(struct stats_column *column, struct stats_stream **stream, kn_error *err);
void ki_stats_stream_free(struct stats_stream *stream); // NULL is fine

// The memory of a stream, without the column's own.
struct stats_room ki_stats_stream_wants(const struct stats_column *column);

// The progress: `done` elements of the pass (from 1), of `total`; 0 if that is unknown. Return false to stop.
struct stats_watch {
    bool (*progress)(void *data, unsigned pass, size_t done, size_t total);
    void *data;
};

// `streams`: whether columns that do not fit may be computed by selection; otherwise they are refused
// (KN_ERROR_UNSUPPORTED). *passes: reads of the source. *streamed: whether it did not fit.
struct stats_streaming {
    const char *function; // for messages
    const kn_stats_source *source;
    struct stats_watch watch;
    bool streams;
    unsigned passes;
    bool streamed;
};
kn_status ki_stats_stream_compute(struct stats_stream *stream, struct stats_streaming *streaming,
                                  kn_stats *result, kn_error *err);

#endif
