// SPDX-License-Identifier: Apache-2.0
// Measures an algorithm's tunables on a device, to keep the best values (koine/experimental/tuning.h).
//
// Method: starting from the algorithm's own values, one tunable after another tries its candidates while the
// others keep the best values so far; once (quick), otherwise until a round over all tunables brings no
// improvement. A candidate does the work once, and its result must be that of the algorithm's own values (the
// result is poisoned before; bytes must be equal, or within the subject's bound); then it is timed: kernels
// only, by the device's clock if that works, otherwise the whole run by the wall clock. At the end the best
// candidate and the algorithm's own values are timed again, and the best must be 2 % faster to be chosen.
#ifndef KN_TOOLS_TUNE_TUNE_H
#define KN_TOOLS_TUNE_TUNE_H

#include <stdbool.h>
#include <stddef.h>

#include <koine/buffer.h>
#include <koine/experimental/tuning.h>

#include "base/text/text.h"

enum { TUNE_CANDIDATES = 8 };

// The candidates of a tunable; count 0: it is not varied.
struct tune_axis {
    size_t count;
    unsigned values[TUNE_CANDIDATES];
};

// The work on a device; `own` has the subject's own_bytes, zeroed at first.
struct tune_work {
    kn_queue *queue;
    bool quick;
    double opened;     // seconds in which the driver and the context were opened; 0: unknown
    kn_buffer *result; // floats, if the subject has a bound
    void *own;
};

// An algorithm and the work with which it is measured.
struct tune_subject {
    const kn_tunables *(*tunables)(void);
    const char *what; // description in one line: "F^H d: ..."
    double bound;     // of the error relative to the result of the algorithm's own values, in the 2-norm; 0:
                      // equal bytes
    const char *const *value_names[KN_TUNABLES]; // names of a tunable's values; NULL: numbers
    size_t own_bytes;
    bool by_wall; // the time until the queue is finished counts, not that of the kernels only

    // A list of candidates for each tunable; NULL: nothing can be tuned on this device.
    const struct tune_axis *(*axes)(const kn_queue *queue);
    // The algorithm's own values; called after runs with them.
    kn_status (*usual)(const struct tune_work *work, unsigned *values, kn_error *err);
    void (*settle)(unsigned *values); // unifies values that are equivalent; NULL: no values are
    // Creates the inputs, and the buffer of the result, which the caller frees. `close` is called even if
    // open failed.
    kn_status (*open)(struct tune_work *work, kn_error *err);
    void (*close)(struct tune_work *work);
    // Called with the values to try: before the runs with them (may be NULL), and for each run.
    kn_status (*prepare)(struct tune_work *work, kn_error *err);
    kn_status (*run)(struct tune_work *work, kn_error *err);
};

// All subjects; NULL ends the list.
extern const struct tune_subject *const tune_subjects[];

struct tune_row {
    unsigned values[KN_TUNABLES];
    double seconds; // the median; negative: the row does not count
    double error;
    char why[KN_TUNING_WORDS]; // the reason why it does not count
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

// Measures. Afterwards the algorithm has the kept values, if any, in this context again. Free the report with
// tune_free, even after a failure. Errors: KN_ERROR_UNSUPPORTED if there is nothing to tune; those of the
// algorithm with its own values; KN_ERROR_MEMORY. A candidate's errors are in its row. Cost: about 10
// candidates in each round, each compiled and run a few times. `journal`: the path of a file that tells
// another process how far this one came (journal.h), and from which this one continues if the file has
// contents; the best is then kept (tune_keep) before the journal ends. NULL: no journal, and the best is not
// kept. `opened`: seconds in which the driver and the context were opened, 0 if unknown.
kn_status tune_measure(kn_queue *queue, const struct tune_subject *subject, bool quick, double opened,
                       const char *journal, struct tune_report *report, kn_error *err);

// Measures in a separate process, so that a candidate that crashes the driver, or whose driver ends the
// process, becomes a row of the table: a new process then continues after it. The command line of the process
// is `arguments` (NULL ends them) followed by the path of a journal, with which it calls tune_measure; it
// opens the device, and keeps the best values there. Its output is appended to `said`. Errors: also
// KN_ERROR_DEVICE if the algorithm's own values crash. Cost: a process and the start of its driver.
kn_status tune_measure_apart(const struct tune_subject *subject, const char *const *arguments,
                             struct tune_report *report, struct ki_text *said, kn_error *err);
void tune_free(struct tune_report *report);

// Makes the algorithm use the best values on this device from now on; KN_ERROR_OUTPUT if they cannot be
// written.
kn_status tune_keep(kn_queue *queue, const struct tune_report *report, kn_error *err);

// "GROUP 256, MEMORY local"
void tune_describe(const struct tune_subject *subject, const unsigned *values, struct ki_text *text);

#endif
