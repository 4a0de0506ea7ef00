// SPDX-License-Identifier: Apache-2.0
// One job on several devices: the job is cut into pieces, every device takes the next piece when it is done
// with one, and the results of neighbouring pieces are folded in a fixed binary tree. Pieces, and so the bits
// of every result, depend on the job alone, and not on the number of devices, on who computed which piece, or
// on the order in which they ended.
//
// A result is bytes, which may be copied, kept in a file and sent to another process: no pointers.
//
//     const kn_distribute_job job =
//         KN_INIT(kn_distribute_job, .piece_count = 64, .run = sum_piece, .fold = add, .data = &problem);
//     const kn_distribute_options options = KN_INIT(kn_distribute_options, .write = keep_sum, .data = &sum);
//     kn_distribution *distribution = NULL;
//
//     kn_distribution_create(&job, &options, &distribution, &err);
//     kn_distribution_add_queue(distribution, first, &err);
//     kn_distribution_add_queue(distribution, second, &err);
//     kn_distribution_run(distribution, &err);
//     kn_distribution_free(distribution);
#ifndef KOINE_DISTRIBUTE_H
#define KOINE_DISTRIBUTE_H

#include <stdbool.h>
#include <stddef.h>

#include <koine/context.h>
#include <koine/journal.h>

#ifdef __cplusplus
extern "C" {
#endif

// Where a function of the job puts the bytes of its result.
typedef struct kn_distribute_result kn_distribute_result;

// Appends a copy of `size` bytes to a result, which begins empty and may remain so. Errors:
// KN_ERROR_ARGUMENT, KN_ERROR_MEMORY.
KN_API kn_status kn_distribute_put(kn_distribute_result *result, const void *bytes, size_t size,
                                   kn_error *err);

// Computes piece `piece` on `queue`, NULL for the host's own code. `place` counts the queues in the order in
// which they were added: for what the job keeps for each of them. Called by the thread of the place, by
// several at the same time for different pieces and places; a piece may be computed again, elsewhere, after
// it failed. It returns when the result is there.
typedef kn_status kn_distribute_run_function(void *data, size_t place, kn_queue *queue, size_t piece,
                                             kn_distribute_result *result, kn_error *err);
// Makes one result of those of two neighbours, of which `left` has the lower pieces. Called by the thread of
// any place, by several at the same time for different pairs.
typedef kn_status kn_distribute_fold_function(void *data, const void *left, size_t left_size,
                                              const void *right, size_t right_size,
                                              kn_distribute_result *result, kn_error *err);
// What a piece costs, in a unit of the job's own, above 0.
typedef double kn_distribute_cost_function(void *data, size_t piece);
// What people call a piece, "day.csv" for instance, with the 0 at its end in `size` bytes of `name`.
typedef void kn_distribute_name_function(void *data, size_t piece, char *name, size_t size);

// What a science says of its work.
typedef struct kn_distribute_job {
    size_t struct_size; // KN_INIT sets it
    // By the problem, and what memory it may take, alone.
    size_t piece_count;
    kn_distribute_run_function *run;
    // NULL: each piece has a result of its own.
    kn_distribute_fold_function *fold;
    // With `fold`, where the pieces of a result end: result i is of the pieces from result_ends[i - 1], 0 for
    // the first, up to result_ends[i] - 1. The ends ascend, and the last is piece_count. They are copied.
    // NULL: one result of all pieces.
    const size_t *result_ends;
    size_t result_count;
    kn_distribute_cost_function *cost; // NULL: all pieces cost the same
    kn_distribute_name_function *name; // NULL: "piece 3 of 16"
    void *data;                        // of the functions above
} kn_distribute_job;

// Receives the results, in order, each once.
typedef kn_status kn_distribute_write_function(void *data, size_t index, const void *result, size_t size,
                                               kn_error *err);
// Told once of a place that failed at `piece`, and takes no pieces any more; `why` says the reason. A place
// that is dropped with another, because their driver's whole path to devices is lost to the process, has the
// piece of that one.
typedef void kn_distribute_dropped_function(void *data, size_t place, size_t piece, const kn_error *why);
// Asked between pieces, and at least ten times a second where there are several places; `done` is the part of
// the costs of all pieces, from 0 to 1. Returns false to stop.
typedef bool kn_distribute_go_on_function(void *data, double done);

// Processes that compute one job together: koine/mpi.h has the ranks of MPI. The functions are called by the
// thread that calls kn_distribution_run.
typedef struct kn_communicator {
    size_t struct_size; // KN_INIT sets it
    size_t rank;        // of this process, from 0
    size_t size;        // number of processes
    // Adds `count` to a number that all processes share and that begins at 0, and gives what it was before.
    kn_status (*take)(void *data, size_t count, size_t *before, kn_error *err);
    // Called by all processes: gives each the `size` bytes of every process, in the order of their ranks.
    kn_status (*share)(void *data, const void *own, size_t size, void *all, kn_error *err);
    // Called by all processes: gives process 0 the bytes of every process, in the order of their ranks.
    // `sizes`, the number of bytes of each, and `all` are NULL in the others.
    kn_status (*gather)(void *data, const void *own, size_t size, const size_t *sizes, void *all,
                        kn_error *err);
    void *data; // of the functions above
} kn_communicator;

// Called by all processes, each with the outcome of its own work, which `err` describes if it is not KN_OK:
// returns KN_OK if all have succeeded. Otherwise each returns the failure of the lowest rank that failed, and
// `err` describes that one. Errors: KN_ERROR_ARGUMENT for NULL, which is not shared; those of `share`.
KN_API kn_status kn_communicator_agree(const kn_communicator *communicator, kn_status status, kn_error *err);

// What its user says. The functions are called in the thread of kn_distribution_run, one at a time.
typedef struct kn_distribute_options {
    size_t struct_size; // KN_INIT sets it
    kn_distribute_write_function *write;
    kn_distribute_dropped_function *dropped; // NULL: nobody is told
    kn_distribute_go_on_function *go_on;     // NULL: it is not stopped
    void *data;                              // of the functions above
    kn_journal *journal;                     // NULL: nothing is kept of a run that is not completed
    size_t job;                              // tells jobs with the same journal apart
    // The processes that call kn_distribution_run for the same job. NULL: this one alone.
    const kn_communicator *communicator;
} kn_distribute_options;

// A job, and the places where it is computed.
typedef struct kn_distribution kn_distribution;

// Cost: 48 bytes a piece, and a call of `cost` for each. Errors: KN_ERROR_ARGUMENT for a job without
// `run`, options without `write`, a communicator without a function, ends that do not ascend to piece_count
// or that come without `fold`, and a cost that is not above 0; KN_ERROR_MEMORY.
KN_API kn_status kn_distribution_create(const kn_distribute_job *job, const kn_distribute_options *options,
                                        kn_distribution **distribution, kn_error *err);
// Frees it; its queues remain. NULL is fine.
KN_API void kn_distribution_free(kn_distribution *distribution);

// A further place: a queue of any context, also of a device that has another queue here already; or, NULL,
// the host. The queue stays the caller's, and is the distribution's alone while it runs. Errors:
// KN_ERROR_ARGUMENT for a queue that was added before, and after kn_distribution_run; KN_ERROR_MEMORY.
KN_API kn_status kn_distribution_add_queue(kn_distribution *distribution, kn_queue *queue, kn_error *err);

// Computes all pieces, and returns when all results were written. Each place has a thread of its own, but a
// single one the caller's. Pieces are begun in their order. To be called once.
//
// A place whose device fails (KN_ERROR_DEVICE, KN_ERROR_MEMORY, KN_ERROR_LIMIT, KN_ERROR_BUILD,
// KN_ERROR_UNSUPPORTED or KN_ERROR_NO_DEVICE from `run`) is dropped, and its piece goes to another; so are
// all of CUDA's after an error that leaves CUDA unusable in this process. The run ends without a complete
// result where a piece fails in two places, or no place is left; where `run` returns another status; and
// where `fold` or `write` fails. What was begun is then waited for.
//
// With a journal, pieces that it has are not computed but taken from it, and those that are computed are kept
// in it, each before it is folded.
//
// With a communicator of several processes, each adds one queue, in whose place it computes; the place of a
// process has the number of its rank, in `run`, `dropped` and the queries below. A piece is computed by the
// process that takes its number. At the end process 0 receives all results, folds and writes them; `write`
// and `dropped` are called there alone. The outcome is the same in all processes: if pieces fail, that of the
// first one. A process whose device fails is dropped like a place. Of pieces that other processes computed,
// only process 0 knows.
//
// Cost: beside the pieces, about a microsecond for each of them, and starting the threads; a journal writes
// their results to its file, and hashes them. Memory: the
// results that wait for a neighbour or for their turn to be written; with several processes all results, in
// process 0 twice. Errors: KN_ERROR_ARGUMENT without a queue, at a second call, and with several processes
// for more than one queue and for a journal; those of the communicator; KN_ERROR_INTERRUPTED by `go_on`; that
// of a single place as it is; of several, KN_ERROR_MEMORY where the last one failed for want of it, else
// KN_ERROR_DEVICE, with the names of the piece and of the devices; those of `fold` and `write`;
// KN_ERROR_OUTPUT where the journal cannot be written.
KN_API kn_status kn_distribution_run(kn_distribution *distribution, kn_error *err);

// After kn_distribution_run: how many pieces a place computed; why it was dropped, NULL if it was not; and
// the place that computed a piece. For what there is not, 0, NULL, and SIZE_MAX, also of a piece without
// result and of one from a journal. The error is the distribution's own.
KN_API size_t kn_distribution_get_count(const kn_distribution *distribution, size_t place);
KN_API const kn_error *kn_distribution_get_why(const kn_distribution *distribution, size_t place);
KN_API size_t kn_distribution_get_place(const kn_distribution *distribution, size_t piece);

#ifdef __cplusplus
}
#endif
#endif
