// SPDX-License-Identifier: Apache-2.0
// The progress of a measurement, candidate by candidate, in a file that survives the process, which a driver
// may crash at any time. Lines of text: "try VALUES" before a candidate, "row SECONDS ERROR VALUES WHY" after
// it, "again INDEX" before a row is measured once more, "end ..." or "fail STATUS MESSAGE" last; and "crash
// WHY" from the process that noticed a crash.
#ifndef KN_TOOLS_TUNE_JOURNAL_H
#define KN_TOOLS_TUNE_JOURNAL_H

#include "tune.h"

// The contents of a journal; free it with tune_past_free.
struct tune_past {
    struct tune_row *rows; // rows with a result, and rows that crashed
    size_t count, capacity;
    bool pending;                 // a candidate, or a repeated row, has no result yet
    bool once_more;               // a row is, or was, being repeated:
    size_t again;                 // its index
    char broken[KN_TUNING_WORDS]; // why the repeated row crashed; "" if it did not
    bool ended;
    size_t best;
    bool by_device_clock;
    double built; // seconds in compilers
    kn_status failed;
    char message[KN_TUNING_WORDS * 4];
};

// A missing file counts as empty, and a last line without a line break as not written. KN_ERROR_INPUT: the
// file is not a journal of these tunables.
kn_status tune_past_read(const char *path, const kn_tunables *tunables, struct tune_past *past,
                         kn_error *err);
void tune_past_free(struct tune_past *past);

// The file, opened for appending; a line is in the file when the call that writes it returns. A NULL journal
// accepts every line and discards it.
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
