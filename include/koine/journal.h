// SPDX-License-Identifier: Apache-2.0
// A journal of jobs in pieces (koine/distribute.h): the result of each piece is kept in a file when it is
// computed, so that a run that was interrupted, killed, or that ran out of devices goes on where it stopped.
//
//     kn_journal_open("x.npy.parts", plan, plan_size, resume, &journal, &err);
//     options.journal = journal;
//     ... kn_distribution_run(distribution, &err) ...     // as often as there are jobs, with options.job
//     kn_journal_remove(journal, &err);                   // after the result is written; or kn_journal_close
#ifndef KOINE_JOURNAL_H
#define KOINE_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>

#include <koine/error.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kn_journal kn_journal;

// Opens the journal in `folder`, which is made with it when the first piece is kept; until then nothing is
// written. `plan` is what the results depend on, as at most 2^30 bytes: inputs, options, how the work is cut.
// A journal of another plan or of another version of Koine is refused.
//
// With `resume` the pieces that a journal in the folder has are taken from it; there may be none. A piece at
// its end that was not written to the end is cut off, and will be computed again.
//
// Cost: reads the journal once. Memory: 32 bytes for each of its pieces. Errors: KN_ERROR_ARGUMENT;
// KN_ERROR_OUTPUT where there is a journal and not `resume`, where another process has it, and where the
// folder cannot be used; KN_ERROR_INPUT where it is damaged, of another plan or another version;
// KN_ERROR_MEMORY.
KN_API kn_status kn_journal_open(const char *folder, const void *plan, size_t plan_size, bool resume,
                                 kn_journal **journal, kn_error *err);
// How many pieces are kept in it.
KN_API size_t kn_journal_get_count(const kn_journal *journal);
// Closes it; its folder remains if pieces are kept in it. NULL is fine.
KN_API void kn_journal_close(kn_journal *journal);
// Closes it and removes its folder. KN_ERROR_OUTPUT if the folder cannot be removed, and then it is closed
// too; KN_ERROR_ARGUMENT for NULL.
KN_API kn_status kn_journal_remove(kn_journal *journal, kn_error *err);

#ifdef __cplusplus
}
#endif
#endif
