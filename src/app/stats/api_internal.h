// SPDX-License-Identifier: Apache-2.0
// What a plan of koine/stats.h holds; tests use it to see what ran.
#ifndef KN_APP_STATS_API_INTERNAL_H
#define KN_APP_STATS_API_INTERNAL_H

#include <koine/experimental/stats.h>
#include <koine/stats.h>

#include "app/stats/column/columns.h"
#include "app/stats/column/column_internal.h"
#include "app/stats/stream/stream.h"

struct kn_stats_plan {
    kn_stats_options options;
    kn_type type;
    size_t n;
    struct stats_column *column;
    struct stats_stream *stream; // NULL before the first source
    unsigned passes;
    bool streamed;                 // in the last computation
    bool loaded;                   // the column holds what kn_stats_plan_load passed
    struct stats_columns *columns; // computed together; NULL: none so far
    bool columns_loaded;           // they are those passed to kn_stats_plan_load_columns
};

#endif
