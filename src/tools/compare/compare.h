// SPDX-License-Identifier: Apache-2.0
// The same work on every device and path: its time, its share of what the device can do, and its error.
//
// A job has cases (types, operations) and sizes; a row is one case at one size in one place. Method: the
// problem is made once on the host and copied to every place. Each place solves it twice to warm up; then the
// places take turns, repetition by repetition, so that changes in the machine's state affect all of them. A
// repetition runs twice: once for the wall clock, from the call until the queue is finished, and once for the
// device's clock, from the start of the first kernel to the end of the last; on the host itself once, for the
// wall clock. After the last repetition the answer is checked.
#ifndef KN_TOOLS_COMPARE_COMPARE_H
#define KN_TOOLS_COMPARE_COMPARE_H

#include <stdbool.h>
#include <stddef.h>

#include <koine/koine.h>

struct compare_place {
    kn_queue *queue; // NULL: the host's own code
    const kn_device_info *device;
};

// The ceiling with which a job is compared: the fastest of the place's own rows of that kind.
enum compare_ceiling { COMPARE_NO_CEILING, COMPARE_READ, COMPARE_COPY, COMPARE_FLOPS };

struct compare_case {
    const char *name; // "f32", "copy"
    kn_type type;
    int variant; // its meaning is up to the job
};

// The cost of a case at size n.
struct compare_cost {
    double amount;  // the quantity in the rate: bytes, keys, operations
    double ceiling; // the quantity in the ceiling's rate: the fewest bytes moved, or operations
    double flops;   // the least number of floating-point operations that suffices; 0: not counted
    double bytes;   // the fewest that must be moved, with inputs read once and results written once; 0: not
                    // counted
    size_t memory;  // total bytes on the device
    size_t largest; // bytes of its largest buffer
};

enum { COMPARE_CASES = 8, COMPARE_SIZES = 5, COMPARE_COLUMNS = 5 };

// An array of the problem (columns.h).
enum compare_role {
    COMPARE_GIVEN,    // input that a run does not change
    COMPARE_WORKED,   // input that a run changes: restored before each run
    COMPARE_RESULT,   // output of a run: poisoned before each run
    COMPARE_REFERENCE // only on the host
};
struct compare_column {
    enum compare_role role;
    size_t bytes;
    void *data; // NULL for a result
};

// A problem, shared by all places; `own` has the job's problem_bytes, zeroed at first.
struct compare_problem {
    const struct compare_job *job;
    const struct compare_case *which;
    size_t n;
    const char *path; // of real data; NULL: the data are made on the spot
    struct compare_column columns[COMPARE_COLUMNS];
    size_t column_count;
    void *own;
};

// A column in one place.
struct compare_held {
    kn_buffer *buffer, *pristine; // pristine: a copy of data that is restored
    void *memory;                 // for the host
};

// The problem in one place; `own` has the job's work_bytes, zeroed at first.
struct compare_work {
    const struct compare_problem *problem;
    kn_queue *queue; // NULL: the host
    const kn_device_info *device;
    struct compare_held held[COMPARE_COLUMNS];
    void *own;
    double error, bound; // set by check: the answer is right if error <= bound
    double seconds;      // set by run, if the job has `times_itself`
};

struct compare_job {
    const char *name;     // "sort"
    const char *what;     // description for the help, in one line
    const char *size;     // what n counts: "keys"
    const char *unit;     // of the rate: "Gkeys/s", or of its inverse: "us/launch"
    double scale;         // rate = amount / seconds * scale, or
    bool inverse;         // seconds / amount * scale
    bool wall_only;       // the waiting time of the host is measured: the device's clock does not show it
    bool times_itself;    // run sets `seconds`, because part of it must not be timed
    const char *error_is; // what `error` means
    struct compare_case cases[COMPARE_CASES];         // a name of NULL ends them
    size_t quick[COMPARE_SIZES], full[COMPARE_SIZES]; // sizes, ascending; 0 ends them
    // A further case, on real data: the first real_n elements of a file below the folder that KOINE_DATA
    // names. It is left out without that, or if the file is not there. NULL: there is none.
    const char *data;
    struct compare_case real;
    size_t real_n;
    enum compare_ceiling ceiling;
    size_t problem_bytes, work_bytes;

    void (*cost)(const struct compare_case *which, size_t n, struct compare_cost *cost);
    // Adds the columns: input, reference, room for results; those of the real case, if problem->which is
    // that, from the file at problem->path. May be NULL.
    kn_status (*make)(struct compare_problem *problem, kn_error *err);
    // Prepares what is needed besides the columns: kernels and more memory. `leave` is called even if enter
    // failed. Both may be NULL.
    kn_status (*enter)(struct compare_work *work, kn_error *err);
    void (*leave)(struct compare_work *work);
    // Called before each run, untimed, after the columns were reset: poisons results that are not in columns.
    // May be NULL.
    kn_status (*reset)(struct compare_work *work, kn_error *err);
    kn_status (*run)(struct compare_work *work, kn_error *err);
    kn_status (*run_host)(struct compare_work *work, kn_error *err); // the host's own code; NULL: there is
                                                                     // none
    kn_status (*check)(struct compare_work *work, kn_error *err);
};

// All jobs; NULL ends the list. Jobs that measure ceilings come before those that are compared with them.
extern const struct compare_job *const compare_jobs[];
// The job whose rows measure the ceiling; NULL for none.
const struct compare_job *compare_ceiling_job(enum compare_ceiling ceiling);

struct compare_options {
    bool quick;
    size_t repetitions; // at least this many if time permits; 0: 11, or 5 if quick
};

struct compare_times {
    double median, least, most; // seconds; all 0: not measured
};

enum compare_verdict {
    COMPARE_RIGHT,
    COMPARE_WRONG,    // computed, but the error exceeds its bound
    COMPARE_FAILED,   // the device or its driver failed; `why` says how
    COMPARE_LEFT_OUT, // not tried; `why` has the reason
};

struct compare_row {
    const struct compare_job *job;
    const struct compare_case *which;
    size_t place;
    size_t n, asked; // number of elements, and the number requested, which is greater if memory was too small
    enum compare_verdict verdict;
    char why[512];
    struct compare_times device, wall;
    size_t repetitions;
    double rate;    // in the job's unit
    double ceiling; // what this place reached, in units of the ceiling's rate; 0: none
    double share;   // fraction of that ceiling
    double ratio;   // speed relative to the first place (by the wall if one of them has no device clock); 0:
                    // unknown
    double error, bound;
};

struct compare_run {
    const struct compare_place *places;
    size_t place_count;
    struct compare_options options;
    struct compare_row *rows;
    size_t row_count, row_capacity;
    void (*progress)(void *user, double done); // of the current job; may be NULL
    // Called after a place failed, whose context may no longer be usable. Reopens it if possible; may be
    // NULL.
    void (*reopen)(void *user, size_t place);
    void *user;
};

// Runs one job in every place and appends its rows, ordered by case, size and place. A device's failure is a
// row, not an error. KN_ERROR_MEMORY if the host runs out of memory.
kn_status compare_job_run(struct compare_run *run, const struct compare_job *job, kn_error *err);
void compare_run_free(struct compare_run *run);

// The best that the place reached in the rows of the run: for operations the highest rate; for memory the
// rate at the footprint nearest to `memory` bytes. In units of the ceiling per second; 0: not measured, or
// COMPARE_NO_CEILING.
double compare_ceiling(const struct compare_run *run, size_t place, enum compare_ceiling ceiling,
                       kn_type type, size_t memory);

// The time on which rates and ratios are based: the device's, or the wall's if the device has none.
double compare_seconds(const struct compare_row *row);

#endif
