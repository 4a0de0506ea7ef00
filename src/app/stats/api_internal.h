// SPDX-License-Identifier: Apache-2.0
// What a plan of koine/stats.h holds, for the tests that ask what ran.
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
    bool streamed;                 // the last computation
    bool loaded;                   // the column has what kn_stats_plan_load gave it
    struct stats_columns *columns; // that are computed together; NULL: there were none yet
    bool columns_loaded;           // they are what kn_stats_plan_load_columns gave
};

#endif
