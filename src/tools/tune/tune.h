// SPDX-License-Identifier: Apache-2.0
// Measures an algorithm's tunables on a device, to keep the best (koine/experimental/tuning.h).
//
// Method: from the values that the algorithm has of itself, one tunable after another goes through its
// candidates while the others keep the best so far; once (quick), else until a round over all of them gains
// nothing. A candidate does the work once; what it made must be what the algorithm's own values made
// (poisoned before, equal bytes, or within the subject's bound); then it is timed: kernels alone by the
// device's clock where that tells, else the whole by the wall's. At the end the best and the algorithm's own
// are timed again, and the best has to be faster by 2 % to be it.
#ifndef KN_TOOLS_TUNE_TUNE_H
#define KN_TOOLS_TUNE_TUNE_H

#include <stdbool.h>
#include <stddef.h>

#include <koine/buffer.h>
#include <koine/experimental/tuning.h>

#include "base/text/text.h"

enum { TUNE_CANDIDATES = 8 };

// A tunable's candidates; count 0: it stays as it is.
struct tune_axis {
    size_t count;
    unsigned values[TUNE_CANDIDATES];
};

// The work on a device; `own` has the subject's own_bytes, zeroed at first.
struct tune_work {
    kn_queue *queue;
    bool quick;
    double opened;     // seconds that the driver and the context took to open; 0: not known
    kn_buffer *result; // floats, if the subject has a bound
    void *own;
};

// An algorithm and the work it is measured with.
struct tune_subject {
    const kn_tunables *(*tunables)(void);
    const char *what; // "F^H d: ...", a line
    double bound; // of the error, relative in the 2-norm, against the algorithm's own values; 0: equal bytes
    const char *const *value_names[KN_TUNABLES]; // names of a tunable's values; NULL: numbers
    size_t own_bytes;
    bool by_wall; // the time until the queue is finished is what counts, and not that of kernels alone

    // A candidate list for each tunable; NULL: nothing of it can be tuned on this device.
    const struct tune_axis *(*axes)(const kn_queue *queue);
    // The values of the algorithm itself; after runs with them.
    kn_status (*usual)(const struct tune_work *work, unsigned *values, kn_error *err);
    void (*settle)(unsigned *values); // makes equal what comes to the same; NULL: nothing does
    // Inputs, and the result's buffer, which is freed for it. `close` also after an open that failed.
    kn_status (*open)(struct tune_work *work, kn_error *err);
    void (*close)(struct tune_work *work);
    // With the values that are tried: before the runs with them (may be NULL), and each run.
    kn_status (*prepare)(struct tune_work *work, kn_error *err);
    kn_status (*run)(struct tune_work *work, kn_error *err);
};

// All there are; ends in NULL.
extern const struct tune_subject *const tune_subjects[];

struct tune_row {
    unsigned values[KN_TUNABLES];
    double seconds; // the median; less than 0: it does not count
    double error;
    char why[KN_TUNING_WORDS]; // it does not count
};

// rows[0] has the algorithm's own values.
struct tune_report {
    const struct tune_subject *subject;
    struct tune_row *rows;
    size_t count, capacity;
    size_t best;
    bool by_device_clock;
    double built; // seconds in compilers
};

// Measures. In the context the algorithm has the kept values, if any, again afterwards. Free the report with
// tune_free, also after a failure. Errors: KN_ERROR_UNSUPPORTED where there is nothing to tune; what the
// algorithm's own values meet; KN_ERROR_MEMORY. A candidate's errors are in its row. Cost: about 10
// candidates a round, each compiled and run a few times. `journal`: the path of a file that tells another
// process how far this one came (journal.h), and from which it goes on if there is something in it; the best
// is then kept (tune_keep) before the journal ends. NULL: neither. `opened`: seconds that the driver and
// the context took to open, 0 if that is not known.
kn_status tune_measure(kn_queue *queue, const struct tune_subject *subject, bool quick, double opened,
                       const char *journal, struct tune_report *report, kn_error *err);

// Measures in a process of its own, so that a candidate that crashes the driver, or whose driver ends the
// process, is a row of the table: a new process then goes on behind it. The process is `arguments` (ends in
// NULL) and behind them the path of a journal, with which it calls tune_measure; it opens the device, and
// keeps the best there. What it prints is appended to `said`. Errors: also KN_ERROR_DEVICE where the
// algorithm's own values crash. Cost: a process and the start of its driver.
kn_status tune_measure_apart(const struct tune_subject *subject, const char *const *arguments,
                             struct tune_report *report, struct ki_text *said, kn_error *err);
void tune_free(struct tune_report *report);

// The best is what the algorithm takes from now on, on this device: KN_ERROR_OUTPUT if that cannot be
// written.
kn_status tune_keep(kn_queue *queue, const struct tune_report *report, kn_error *err);

// "GROUP 256, MEMORY local"
void tune_describe(const struct tune_subject *subject, const unsigned *values, struct ki_text *text);

#endif
