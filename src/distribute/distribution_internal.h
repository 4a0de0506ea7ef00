// SPDX-License-Identifier: Apache-2.0
// The state of a distribution. While places compute, the fields below `lock` are accessed only with it held.
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
    char name[32];   // of the process that has it; "": this one, and it is called like its device
    size_t count;    // number of pieces that it computed
    bool dropped, told;
    size_t failed_at; // the piece at which it failed
    kn_error why;
};

// A piece; and the result of the node of the tree that starts at this piece, while the node waits for its
// neighbour or to be written.
struct distribute_piece {
    struct kn_distribute_result result;
    enum { PIECE_EMPTY, PIECE_WAITS, PIECE_WRITABLE } state;
    unsigned level;    // of the node, 0 for the piece itself
    long place;        // that computed it; DISTRIBUTE_NONE: not computed yet
    long failed_place; // where it failed first; DISTRIBUTE_NONE: nowhere
};

struct kn_distribution {
    kn_distribute_job job;         // its result_ends are a copy
    kn_distribute_options options; // its communicator is a copy
    kn_communicator communicator;
    size_t *ends;
    struct distribute_place *places;
    size_t place_count;
    bool has_run;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct distribute_piece *pieces;
    size_t next;      // the first piece that was not started
    size_t *returned; // pieces that were started and must be computed elsewhere, at most one for each place
    size_t returned_count;
    size_t busy;    // number of places that compute or fold
    size_t live;    // number of places that were not dropped
    size_t working; // number of threads that have not ended
    size_t written; // number of results written
    double cost, done;
    bool stops; // no more pieces are started
    kn_status status;
    kn_error failure;
};

// The number of results, and the pieces that belong to one.
size_t ki_distribute_result_count(const kn_distribution *distribution);
size_t ki_distribute_first_piece(const kn_distribution *distribution, size_t result);
// The result that a piece belongs to.
size_t ki_distribute_result_of(const kn_distribution *distribution, size_t piece);

// Folds the result of a computed piece, and the results of folding it, with neighbours as long as these
// exist. Called with the lock held, which is released while the job folds.
kn_status ki_distribute_fold(kn_distribution *distribution, size_t piece, kn_error *err);

// Computes the piece in a place and keeps it in the journal, or finds it there and sets `*found`. Called
// without the lock.
kn_status ki_distribute_run_piece(const kn_distribution *distribution, size_t place, size_t piece,
                                  struct kn_distribute_result *result, bool *found, kn_error *err);
// With the lock held: handles the failure of a place at a piece; and does the caller's part, which is to
// report dropped places, to write complete results, and to ask whether to continue.
void ki_distribute_reject(kn_distribution *distribution, size_t piece, size_t place, const kn_error *why);
void ki_distribute_attend(kn_distribution *distribution);
bool ki_distribute_is_of_device(kn_status status);

// Both with the lock held: runs it on the places of this process, where failures of pieces are in the
// distribution's `status`; or in all processes of its communicator, with the same outcome in all.
kn_status ki_distribute_run_places(kn_distribution *distribution, kn_error *err);
kn_status ki_distribute_run_ranks(kn_distribution *distribution, kn_error *err);

void ki_distribute_result_free(struct kn_distribute_result *result);

// The names of a piece and of a place in messages.
void ki_distribute_name_piece(const kn_distribution *distribution, size_t piece,
                              char name[DISTRIBUTE_NAME_ROOM]);
const char *ki_distribute_name_place(const kn_distribution *distribution, size_t place);

#endif
