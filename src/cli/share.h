// SPDX-License-Identifier: Apache-2.0
// Several places that share the work of a command, as a job in pieces (koine/distribute.h): they are opened
// once, run one job or several in succession, and are reported at the end.
#ifndef KN_CLI_SHARE_H
#define KN_CLI_SHARE_H

#include <koine/distribute.h>

#include "choose.h"
#include "resume.h"
#include "io/json.h"
#include "cli/framework/progress.h"
#include "cli/ranks/ranks.h"

// The work that a place has done.
struct share_taken {
    size_t pieces;
    char *dropped; // the reason why it was dropped; NULL: it was not
};

struct share {
    const char *command;
    struct place *places;
    struct share_taken *taken; // of each place
    size_t count;              // number of places; 0: the work is not shared
    bool borrows;              // something else owns the places
    size_t *live;              // the places that take part in the running job; the others were dropped
    struct resume *resume;     // where the pieces of the next jobs are kept; NULL: nowhere
    size_t jobs;               // number of jobs that ran with it
    struct ranks *ranks;       // whose places they are, in the order of ranks; NULL: those of this process
    bool apart;                // each rank runs the next jobs by itself, completely
};

// Opens one of several places: if a place of `before` has the same device already, as a second queue there;
// otherwise like place_open_chosen.
kn_status share_open_place(const struct place *before, size_t count, const struct place_spec *spec,
                           int policy, bool must_be_device, const char *command, struct place *place,
                           bool *opened, kn_error *err);
// Opens all places that were chosen. Errors of place_open_chosen; KN_ERROR_NO_DEVICE if none of `all` can be
// opened.
kn_status share_open(const struct places *chosen, int policy, bool must_be_device, const char *command,
                     struct share *share, kn_error *err);
// Under MPI, after each rank has opened one place: adds those of the other ranks, whose work is done there.
kn_status share_spread(struct share *share, struct ranks *ranks, kn_error *err);
// Uses a single place, closed by its owner, for all of the work until share_close. KN_ERROR_MEMORY.
kn_status share_alone(const struct place *place, const char *command, struct share *share, kn_error *err);
void share_close(struct share *share);
// The first device among them, or the host if there is none.
const struct place *share_first(const struct share *share);

// Runs a job on all places that were not dropped, in the calling thread; `write` also gets the job's data.
// The job's function `run` gets the number of a place among those that take part; share_place maps it to the
// place. If a place is dropped, a line on standard error says so, unless it is the only one. Errors of
// kn_distribution_run.
kn_status share_run(struct share *share, const kn_distribute_job *job, kn_distribute_write_function *write,
                    struct progress *progress, kn_error *err);
size_t share_place(const struct share *share, size_t place);
// Seconds of compiling so far, of all places.
double share_built(const struct share *share);

// Reports that a place takes no more pieces since `piece` failed there: a line on standard error, and the
// reason in `taken`.
void share_tell_dropped(const char *command, const struct place *place, const char *piece,
                        const kn_error *why, struct share_taken *taken);
// A line for people, without the line break: "cuda:0 12 of 31 pieces, cuda:1 19"; and "devices" in the JSON.
void share_print(const struct share *share);
json_t *share_json(const struct place *places, const struct share_taken *taken, size_t count);

#endif
