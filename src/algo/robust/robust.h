// SPDX-License-Identifier: Apache-2.0
// The parts of the robust statistics: columns of a buffer, and the methods for them. The host computes its
// results from sums and middles in the same way (host/stats/robust_finish.h).
#ifndef KN_ALGO_ROBUST_ROBUST_H
#define KN_ALGO_ROBUST_ROBUST_H

#include <koine/robust.h>

#include "shared/robust.h"
#include "engine/device/tuning.h"
#include "host/stats/robust_finish.h"
#include "algo/columns.h"

// Columns that have been checked: column c has n elements of x from element c * stride on.
struct robust_columns {
    const char *function;
    kn_queue *queue;
    const kn_buffer *x;
    kn_type type;
    uint64_t n, stride; // n > 0
    size_t count;       // above 1 only if x is in one part
    kn_robust_options options;
    const double
        *shifts; // for floats, instead of the options' shift: one a column, finite in the type; NULL: none
    kn_buffer
        *to; // where the results go if they stay on the device (robust_deliver.c); NULL: they are read back
};

// Elements begin ... end - 1 of a column of 8 bits.
struct robust_stretch {
    uint64_t begin, end;
};

struct robust_ranks;

// The columns of x with which the functions of robust.c begin, checked; `n`: number of elements used.
kn_status ki_robust_begin(struct robust_columns *columns, const char *function, kn_queue *queue,
                          const kn_buffer *x, kn_type type, size_t n, const kn_robust_options *options,
                          const void *results, size_t count, kn_error *err);
// Whether columns of floats are accepted, and `fused` ones.
kn_status ki_robust_check_floats(const struct robust_columns *columns, bool fused, kn_error *err);
// kn_robust_columns for columns that may overlap, except those of 8 bits; with a shift for each column if
// `shifts` is not NULL, for floats only.
kn_status ki_robust_columns(const char *function, kn_queue *queue, const kn_buffer *x, kn_type type, size_t n,
                            size_t stride, size_t count, const double *shifts, kn_robust *results,
                            const kn_robust_options *options, kn_error *err);

// The number of points of a sample that ki_robust_fused sorts in the device's local memory; 0: that memory is
// too small for ki_robust_fused.
unsigned ki_robust_points(const kn_queue *queue, kn_type type);
// Whether KN_ROBUST_AUTO uses KN_ROBUST_FUSED for one column of reals: if it fits, and is ever faster than
// separate passes for the sums and each median (engine/cost/crossovers.h).
bool ki_robust_fuses(const kn_queue *queue, kn_type type);
// src/algo/robust/robust_fused.c: results[0..count); `missed` marks those that are not there.
kn_status ki_robust_fused(const struct robust_columns *columns, kn_robust *results, kn_error *err);
// src/algo/robust/robust_deliver.c: from `ranks` to columns->to; `padding` elements were counted as NaN.
kn_status ki_robust_deliver(const struct robust_columns *columns, const struct robust_ranks *ranks,
                            uint64_t padding, kn_error *err);
// The result of a column without elements.
kn_status ki_robust_deliver_nothing(const struct robust_columns *columns, kn_error *err);
// src/algo/robust/robust_select.c: columns->count is 1.
kn_status ki_robust_select(const struct robust_columns *columns, kn_robust *result, kn_error *err);
// src/algo/robust/robust_count.c: counts[256 * i + k] of stretch i have the k-th least value.
kn_status ki_robust_count(kn_queue *queue, const kn_buffer *x, kn_type type,
                          const struct robust_stretch *stretches, size_t count, uint64_t *counts,
                          kn_error *err);

// ---- cl/algo/robust/robust_rank.cl and cl/algo/robust/robust_settle.cl, for the two that use them ----

// As in cl/algo/robust/robust.clh.
struct robust_interval {
    uint64_t low, before;
    uint32_t bits, unused;
};

struct robust_column {
    uint64_t shift, target[2], end[ROBUST_ENDS], centre, near, far;
    uint32_t tied, missed;
    struct robust_interval level[ROBUST_LEVELS];
    uint64_t total, pivot[2], answer[2][2];
    double median, sum, squares;
    uint32_t pivots, apart;
};

struct robust_result {
    uint64_t shift, answer[2][2];
    double sum, squares;
    uint32_t missed, nans;
};

struct robust_ranks {
    kn_queue *queue;
    kn_type type;
    unsigned group, single, digit; // work-items of a group, of a group that works alone; bits
    unsigned ahead;                // elements that a work-item loads together
    size_t groups, count;          // groups a column, columns
    uint64_t room, tables, gathered_room;
    kn_kernel *bins, *narrow, *settle, *settle_kept;
    bool few;   // so few elements that one launch settles both questions
    bool stays; // nothing waits for the results
    kn_buffer *columns, *counters, *gathered, *results;
};

// What tuning may choose on a GPU: GROUP, GROUPS (per compute unit), AHEAD and SINGLE.
extern const kn_tunables ki_robust_tunables;
// Chooses the shape for at most `elements` to be read, and gets the kernels.
kn_status ki_robust_ranks_open(struct robust_ranks *r, uint64_t elements, kn_error *err);
// The number of cells of 4 bytes for the counters and tables of all columns.
uint64_t ki_robust_counter_cells(const struct robust_ranks *r);
// `results` of the columns, which ki_robust_settle of the deviations writes: the queue's answer if they fit
// and do not stay on the device, else memory of the slot `slot`. ki_robust_ranks_read waits for them.
kn_status ki_robust_ranks_results(struct robust_ranks *r, const struct engine_scratch *scratch, size_t slot,
                                  kn_error *err);
kn_status ki_robust_ranks_read(const struct robust_ranks *r, struct robust_result *results, kn_error *err);
// Reads, with r->room, the elements kept in x, else n elements from x[skip] on, of a column whose first part
// is `head`. `first`: the first of its pieces.
struct robust_piece {
    const kn_buffer *x;
    kn_buffer *head;
    uint64_t skip, n;
    bool first;
};
kn_status ki_robust_bins(const struct robust_ranks *r, const struct robust_piece *piece, uint32_t question,
                         uint32_t level, kn_error *err);
kn_status ki_robust_narrow(const struct robust_ranks *r, const struct robust_piece *piece, uint32_t question,
                           uint32_t level, kn_error *err);
// What is summed for each column, a row, and a row of the squares: `count` nodes of a row, which
// ki_robust_settle of the median folds to `sums`.
struct robust_sums {
    kn_buffer *partial, *sums;
    uint64_t count; // at most ki_robust_fold_most
};
uint64_t ki_robust_fold_most(const struct robust_ranks *r);
// With `few`, instead of all of these: both questions and the sums in one launch.
kn_status ki_robust_settle_kept(const struct robust_ranks *r, const kn_buffer *candidates, uint64_t n,
                                const struct robust_sums *sums, kn_error *err);
// n: the column's length if there is something to verify, else 0. `sums`: NULL if there are none.
kn_status ki_robust_settle(const struct robust_ranks *r, uint32_t question, uint32_t level, uint64_t n,
                           const struct robust_sums *sums, kn_error *err);

#endif
