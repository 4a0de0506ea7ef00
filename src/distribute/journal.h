// SPDX-License-Identifier: Apache-2.0
// The use of a journal by a distribution (koine/journal.h). Several threads may call both functions at once.
#ifndef KN_DISTRIBUTE_JOURNAL_H
#define KN_DISTRIBUTE_JOURNAL_H

#include <koine/journal.h>

#include "distribution_internal.h"

// Gets the result of a piece, if the journal had it when it was opened; sets `*found`.
kn_status ki_journal_fetch(kn_journal *journal, size_t job, size_t piece, struct kn_distribute_result *result,
                           bool *found, kn_error *err);
// Keeps the result of a piece.
kn_status ki_journal_keep(kn_journal *journal, size_t job, size_t piece,
                          const struct kn_distribute_result *result, kn_error *err);

#endif
