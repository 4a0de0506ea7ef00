// SPDX-License-Identifier: Apache-2.0
// The result is cut into equal spans, one or more for each thread, which are merged independently. Where a
// span begins in both parts is found by bisection (merge path: Odeh et al. 2012).
#include "merge.h"

#include <stdint.h>
#include <string.h>

#include "base/threads.h"
#include "rank.h"

enum { SPANS_OF_THREAD = 4, SPAN = 1 << 16 }; // records, at least

struct merge {
    const struct sort_order *order;
    size_t key_size, value_size;
    const struct sort_part *left, *right;
    char *keys, *values;
    size_t spans;
};

static uint64_t rank_at(const struct merge *merge, const struct sort_part *part, size_t i)
{
    return sort_rank(merge->order, part->keys + i * merge->key_size);
}

// The number of elements from the left part among the first `count` records of the result.
static size_t count_left(const struct merge *merge, size_t count)
{
    const size_t right_count = merge->right->count, left_count = merge->left->count;
    size_t low = count > right_count ? count - right_count : 0,
           high = count < left_count ? count : left_count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (rank_at(merge, merge->left, middle) <= rank_at(merge, merge->right, count - middle - 1))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void copy(const struct merge *merge, const struct sort_part *from, size_t i, size_t to, size_t count)
{
    memcpy(merge->keys + to * merge->key_size, from->keys + i * merge->key_size, count * merge->key_size);
    if (merge->value_size)
        memcpy(merge->values + to * merge->value_size, from->values + i * merge->value_size,
               count * merge->value_size);
}

static void merge_span(void *context, size_t span)
{
    const struct merge *merge = context;
    const size_t total = merge->left->count + merge->right->count;
    const size_t begin = total / merge->spans * span,
                 end = span + 1 == merge->spans ? total : total / merge->spans * (span + 1);
    size_t left = count_left(merge, begin), right = begin - left, to = begin;
    const size_t left_end = count_left(merge, end), right_end = end - left_end;
    uint64_t left_rank = left < left_end ? rank_at(merge, merge->left, left) : 0,
             right_rank = right < right_end ? rank_at(merge, merge->right, right) : 0;

    while (left < left_end && right < right_end) {
        if (left_rank <= right_rank) {
            copy(merge, merge->left, left++, to++, 1);
            left_rank = left < left_end ? rank_at(merge, merge->left, left) : 0;
        } else {
            copy(merge, merge->right, right++, to++, 1);
            right_rank = right < right_end ? rank_at(merge, merge->right, right) : 0;
        }
    }
    copy(merge, merge->left, left, to, left_end - left);
    copy(merge, merge->right, right, to + left_end - left, right_end - right);
}

void sort_merge(const struct sort_order *order, size_t value_size, const struct sort_part *left,
                const struct sort_part *right, char *keys, char *values)
{
    const size_t total = left->count + right->count, threads = ki_threads(0);
    struct merge merge = {order, kn_type_size(order->type), value_size, left, right, keys, values, 1};

    merge.spans = total / SPAN < SPANS_OF_THREAD * threads ? total / SPAN + 1 : SPANS_OF_THREAD * threads;
    ki_parallel((unsigned)threads, merge.spans, KI_DYNAMIC, merge_span, &merge);
}
