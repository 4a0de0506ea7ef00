// SPDX-License-Identifier: Apache-2.0
// The binary tree in which results are folded. Node i of level l covers the pieces from i 2^l up to the start
// of the next node, counted from the first piece of its result. The thread that completes the second of two
// neighbours folds both. If a level has an odd number of nodes, the last one has no neighbour and moves to
// the next level unchanged.
#include "distribution_internal.h"

// Calls the job's fold to combine two nodes in place of the left one; the calling thread owns both.
static kn_status fold_pair(kn_distribution *distribution, struct distribute_piece *left,
                           struct distribute_piece *right, kn_error *err)
{
    const kn_distribute_job *job = &distribution->job;
    struct kn_distribute_result folded = {NULL, 0, 0};
    kn_status status;

    pthread_mutex_unlock(&distribution->lock);
    status = job->fold(job->data, left->result.bytes, left->result.size, right->result.bytes,
                       right->result.size, &folded, err);
    ki_distribute_result_free(&left->result);
    ki_distribute_result_free(&right->result);
    pthread_mutex_lock(&distribution->lock);
    left->result = folded;
    return status;
}

kn_status ki_distribute_fold(kn_distribution *distribution, size_t piece, kn_error *err)
{
    const size_t result = ki_distribute_result_of(distribution, piece);
    const size_t first = ki_distribute_first_piece(distribution, result);
    const size_t last = ki_distribute_first_piece(distribution, result + 1) - 1 - first;
    struct distribute_piece *const pieces = distribution->pieces + first;
    size_t node = piece - first;
    unsigned level = 0;

    for (; last >> level > 0; level++, node /= 2) {
        struct distribute_piece *own = &pieces[node << level], *left, *right, *other;
        kn_status status;

        if ((node ^ 1) > last >> level)
            continue;
        left = &pieces[(node & ~(size_t)1) << level];
        right = &pieces[(node | 1) << level];
        other = own == left ? right : left;
        if (other->state != PIECE_WAITS || other->level != level) {
            own->state = PIECE_WAITS;
            own->level = level;
            return KN_OK;
        }
        other->state = PIECE_EMPTY;
        status = fold_pair(distribution, left, right, err);
        if (status)
            return status;
    }
    pieces[0].state = PIECE_WRITABLE;
    return KN_OK;
}
