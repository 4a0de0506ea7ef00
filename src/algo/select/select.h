// SPDX-License-Identifier: Apache-2.0
// The parts of a selection: ranks of a column with cl/algo/select.cl, by digits or between brackets.
#ifndef KN_ALGO_SELECT_SELECT_H
#define KN_ALGO_SELECT_SELECT_H

#include <koine/experimental.h>
#include <koine/select.h>

#include "shared/columns.h"
#include "algo/elements.h"

// Slots of scratch memory.
enum { SELECT_CANDIDATES, SELECT_NARROWED, SELECT_STATE, SELECT_COUNTERS, SELECT_ANSWERS, SELECT_SLOTS };

// The most elements of a list of a sample, and the most points that all lists pass on.
enum { SELECT_LIST = 1024, SELECT_POINTS = 4096 };

// At least this many groups compare elements with each other.
enum { SELECT_RANK_GROUPS = 256 };

// As in cl/algo/select_job.clh.
struct select_job {
    uint64_t target[2];
    uint64_t at[SELECT_DIGITS + 1][4];
    uint64_t low, high, count, value[2];
    uint32_t known[2], tied[2], failed, nan, idle, unused;
};
struct select_answer {
    uint64_t value[2];
    uint32_t failed, nan;
};

struct select {
    const char *function;
    kn_queue *queue;
    const kn_buffer *x;
    kn_type type;
    uint64_t n, pieces, samples;
    uint32_t lists,
        step; // of the sample, whose every step-th element is passed on; 0 and 1: it is not sorted
    kn_select_options options;
    kn_select_tuning tuning;
    struct tile_shape shape;
    struct tile_shape few;  // of the sample
    struct tile_shape kept; // of the candidates
    unsigned single;        // work-items of a group that works alone
    unsigned list_group;    // and of one that sorts a list
    unsigned digit;         // bits of a digit
    unsigned brackets;      // BRACKETS of select_gather
    kn_kernel *prepare, *sample, *small, *gather, *histogram, *histogram_few, *bracket, *pick;
    kn_kernel *bins, *narrow, *sort_lists, *points, *again, *elements, *quantiles;
    struct engine_scratch scratch;
    kn_buffer *jobs, *counters, *candidates, *narrowed, *answer;
    uint64_t room,
        narrow_room; // places that each job has for gathered elements, and for those gathered from them
    uint64_t ranks[2 * SELECT_JOBS];
    unsigned count;             // jobs of this batch
    double weight[SELECT_JOBS]; // of a quantile's second element
    bool nan_ends;              // after a NaN, nothing else is wanted
    kn_buffer *to; // NULL: `found`; else the answers go to elements from `first` on of this buffer
    uint64_t first;
    bool between; // the quantile, not the element
    struct select_answer found[SELECT_JOBS];
};

// ---- select_shape.c ----

// The kernels of a selection: one group for all of a few elements; digits of the column; brackets and their
// sample, in lists or by its digits; and the kernels for answers that stay on the device.
enum select_part {
    SELECT_ALONE = 1,
    SELECT_BY_DIGITS = 2,
    SELECT_BY_BRACKETS = 4,
    SELECT_IN_LISTS = 8,
    SELECT_SAMPLE_DIGITS = 16,
    SELECT_DELIVERED = 32
};

kn_status ki_select_check_options(const struct select *s, kn_error *err);
void ki_select_choose_shape(struct select *s);
// Also those of the sample and the candidates.
void ki_select_choose_sample(struct select *s);
kn_status ki_select_get_kernels(struct select *s, unsigned parts, kn_error *err);

// ---- select_digits.c ----

kn_status ki_select_launch(const struct select *s, kn_kernel *kernel, unsigned group, size_t groups,
                           size_t rows, const kn_arg *args, size_t arg_count, kn_error *err);
// The counters: their number, where those of select_narrow.cl begin, and the memory for all.
uint64_t ki_select_counters(const struct select *s);
uint64_t ki_select_narrow_base(const struct select *s);
kn_status ki_select_get_jobs(struct select *s, kn_error *err);
// Makes the jobs, which look for the ranks `first` first.
kn_status ki_select_prepare(struct select *s, const uint64_t first[2 * SELECT_JOBS], kn_error *err);
// The column's n elements, by one group a job, or, with `few`, those that were narrowed for each job.
kn_status ki_select_small(const struct select *s, const kn_buffer *x, uint64_t n, uint64_t few,
                          kn_error *err);

// The digits that are counted, one after the other: they end with each job's bracket (for a sample, `open`
// says which ends are open), or with the answers.
enum select_source { SELECT_OF_SAMPLE, SELECT_OF_COLUMN, SELECT_OF_GATHERED };
kn_status ki_select_digits(const struct select *s, enum select_source of, uint32_t open, kn_error *err);

// ---- select_brackets.c ----

kn_status ki_select_brackets(struct select *s, kn_error *err);

// ---- select.c ----

kn_status ki_select_begin(struct select *s, const char *function, kn_queue *queue, const kn_buffer *x,
                          kn_type type, size_t n, const kn_select_options *options, kn_error *err);
kn_status ki_select_check_ranks(const struct select *s, const size_t *ranks, size_t count, const void *values,
                                kn_error *err);
kn_status ki_select_check_quantiles(const struct select *s, const double *q, size_t count, const void *values,
                                    kn_error *err);
// Finds what is requested, with `to` on the device: count <= SELECT_JOBS.
kn_status ki_select_ranks(struct select *s, const size_t *ranks, size_t count, kn_error *err);
kn_status ki_select_quantiles(struct select *s, const double *q, size_t count, kn_error *err);

// ---- select_deliver.c ----

// Writes the answers to the buffer. `again`: first by digits, where the brackets missed.
kn_status ki_select_deliver(const struct select *s, bool again, kn_error *err);

#endif
