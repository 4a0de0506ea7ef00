// SPDX-License-Identifier: Apache-2.0
// What a measurement has come to, candidate by candidate, in a file that outlives the process: a driver may
// end that in the middle of one. Lines of text: "try VALUES" before a candidate, "row SECONDS ERROR VALUES
// WHY" after it, "again INDEX" before a row is measured once more, "end ..." or "fail STATUS MESSAGE" at
// last; and "crash WHY" by whoever saw it.
#ifndef KN_TOOLS_TUNE_JOURNAL_H
#define KN_TOOLS_TUNE_JOURNAL_H

#include "tune.h"

// What is in a journal; free it with tune_past_free.
struct tune_past {
    struct tune_row *rows; // those with a result, or that crashed
    size_t count, capacity;
    bool pending;                 // a candidate, or a row once more, has no result yet
    bool once_more;               // that is, or was, a row once more:
    size_t again;                 // its index
    char broken[KN_TUNING_WORDS]; // it crashed then: why; "" if not
    bool ended;
    size_t best;
    bool by_device_clock;
    double built; // seconds in compilers
    kn_status failed;
    char message[KN_TUNING_WORDS * 4];
};

// A file that is not there is an empty one, and a last line without an end counts as not written.
// KN_ERROR_INPUT: it is no journal of these tunables.
kn_status tune_past_read(const char *path, const kn_tunables *tunables, struct tune_past *past,
                         kn_error *err);
void tune_past_free(struct tune_past *past);

// The file, for appending; every line is in the file when the call returns. A NULL journal takes every line,
// and keeps none.
struct tune_journal;
kn_status tune_journal_open(const char *path, const kn_tunables *tunables, struct tune_journal **journal,
                            kn_error *err);
kn_status tune_journal_try(struct tune_journal *journal, const unsigned *values, kn_error *err);
kn_status tune_journal_row(struct tune_journal *journal, const struct tune_row *row, kn_error *err);
kn_status tune_journal_again(struct tune_journal *journal, size_t index, kn_error *err);
kn_status tune_journal_end(struct tune_journal *journal, const struct tune_report *report, kn_error *err);
kn_status tune_journal_fail(struct tune_journal *journal, const kn_error *failure, kn_error *err);
kn_status tune_journal_crash(struct tune_journal *journal, const char *why, kn_error *err);
void tune_journal_close(struct tune_journal *journal);

#endif
