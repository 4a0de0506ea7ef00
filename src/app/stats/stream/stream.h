// SPDX-License-Identifier: Apache-2.0
// Columns that are read in chunks, as often as the method wants, and need not fit in memory: those that do
// are computed as arrays, the others with sums in the tree of moments.h and radix selection.
#ifndef KN_APP_STATS_STREAM_H
#define KN_APP_STATS_STREAM_H

#include <koine/stats.h>

#include "app/stats/column/column_internal.h"

struct stats_stream;

// For columns of what `column` takes, computed as it computes: all of what comes is held as far as it is not
// more than column->capacity elements. Room for it is taken here. `column` stays the caller's.
kn_status ki_stats_stream_create(struct stats_column *column, struct stats_stream **stream, kn_error *err);
void ki_stats_stream_free(struct stats_stream *stream); // NULL is fine

// What a stream holds, the column's own room not counted.
struct stats_room ki_stats_stream_wants(const struct stats_column *column);

// How far it is: `done` elements of the pass, from 1, of `total`; 0 if that is not known yet. False stops.
struct stats_watch {
    bool (*progress)(void *data, unsigned pass, size_t done, size_t total);
    void *data;
};

// `streams`: whether columns that do not fit may be computed by selection; else they are refused
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
