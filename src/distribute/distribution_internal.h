// SPDX-License-Identifier: Apache-2.0
// A distribution's state. What is below `lock` there is read and written with it held, while places compute.
#ifndef KN_DISTRIBUTE_DISTRIBUTION_INTERNAL_H
#define KN_DISTRIBUTE_DISTRIBUTION_INTERNAL_H

#include <koine/distribute.h>

#include <pthread.h>
#include <stdint.h>

enum { DISTRIBUTE_NAME_ROOM = 512, DISTRIBUTE_NONE = -1 };

struct kn_distribute_result {
    void *bytes;
    size_t size, capacity;
};

struct distribute_place {
    kn_queue *queue; // NULL: the host
    size_t count;    // pieces that it computed
    bool dropped, told;
    size_t failed_at; // the piece
    kn_error why;
};

// A piece; and the result of the node of the tree whose first piece it is, while that waits for its neighbour
// or to be written.
struct distribute_piece {
    struct kn_distribute_result result;
    enum { PIECE_EMPTY, PIECE_WAITS, PIECE_WRITABLE } state;
    unsigned level;    // of the node, 0 for the piece alone
    long place;        // that computed it; DISTRIBUTE_NONE: none did yet
    long failed_place; // where it failed first; DISTRIBUTE_NONE: nowhere
};

struct kn_distribution {
    kn_distribute_job job; // result_ends are its own
    kn_distribute_options options;
    size_t *ends;
    struct distribute_place *places;
    size_t place_count;
    bool has_run;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct distribute_piece *pieces;
    size_t next;      // the piece that nobody has begun
    size_t *returned; // pieces that were begun and have to be computed elsewhere, at most one a place
    size_t returned_count;
    size_t busy;    // places that compute or fold
    size_t live;    // places that were not dropped
    size_t working; // threads that have not ended
    size_t written; // results
    double cost, done;
    bool stops; // nothing more is begun
    kn_status status;
    kn_error failure;
};

// How many results there are, and of which pieces one is.
size_t ki_distribute_result_count(const kn_distribution *distribution);
size_t ki_distribute_first_piece(const kn_distribution *distribution, size_t result);
// The result that a piece belongs to.
size_t ki_distribute_result_of(const kn_distribution *distribution, size_t piece);

// Folds the result of a piece that was computed, and what comes of it, with neighbours as long as they are
// there. With the lock held, which is open while the job folds.
kn_status ki_distribute_fold(kn_distribution *distribution, size_t piece, kn_error *err);

void ki_distribute_result_free(struct kn_distribute_result *result);

// What people call a piece and a place.
void ki_distribute_name_piece(const kn_distribution *distribution, size_t piece,
                              char name[DISTRIBUTE_NAME_ROOM]);
const char *ki_distribute_name_place(const kn_distribution *distribution, size_t place);

#endif
