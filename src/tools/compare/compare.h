// SPDX-License-Identifier: Apache-2.0
// The same work on every device and path: its time, its share of what the device can do, its error.
//
// A job has cases (types, operations) and sizes; a row is one case at one size in one place. Method: the
// problem is made once on the host; every place gets it, does it twice to warm up, then the places take turns
// repetition by repetition, so that a change of the machine's mood meets all of them. A repetition is done
// twice: once for the wall clock, from the call until the queue is finished, and once for the device's clock,
// from the first kernel's start to the last one's end; in the host's own place once, for the wall clock.
// After the last repetition the answer is checked.
#ifndef KN_TOOLS_COMPARE_COMPARE_H
#define KN_TOOLS_COMPARE_COMPARE_H

#include <stdbool.h>
#include <stddef.h>

#include <koine/koine.h>

struct compare_place {
    kn_queue *queue; // NULL: the host's own code
    const kn_device_info *device;
};

// What a job is held against: the fastest of the place's own rows of that kind.
enum compare_ceiling { COMPARE_NO_CEILING, COMPARE_READ, COMPARE_COPY, COMPARE_FLOPS };

struct compare_case {
    const char *name; // "f32", "copy"
    kn_type type;
    int variant; // the job's own
};

// What a case takes at size n.
struct compare_cost {
    double amount;  // what the rate counts: bytes, keys, operations
    double ceiling; // what the ceiling counts: the fewest bytes moved, or operations
    double flops;   // floating-point operations, the fewest that do; 0: not counted
    double bytes;   // the fewest moved: inputs read once, results written once; 0: not counted
    size_t memory;  // bytes in all on the device
    size_t largest; // and in its largest buffer
};

enum { COMPARE_CASES = 8, COMPARE_SIZES = 5, COMPARE_COLUMNS = 5 };

// An array of the problem (columns.h).
enum compare_role {
    COMPARE_GIVEN,    // input, which stays as it is
    COMPARE_WORKED,   // input that a run changes: it is put back before each
    COMPARE_RESULT,   // what a run makes: poisoned before each
    COMPARE_REFERENCE // the host's alone
};
struct compare_column {
    enum compare_role role;
    size_t bytes;
    void *data; // of a result NULL
};

// A problem, for all places; `own` has the job's problem_bytes, zeroed at first.
struct compare_problem {
    const struct compare_job *job;
    const struct compare_case *which;
    size_t n;
    struct compare_column columns[COMPARE_COLUMNS];
    size_t column_count;
    void *own;
};

// A column in one place.
struct compare_held {
    kn_buffer *buffer, *pristine; // pristine: of what is put back
    void *memory;                 // the host's place
};

// The problem in one place; `own` has the job's work_bytes, zeroed at first.
struct compare_work {
    const struct compare_problem *problem;
    kn_queue *queue; // NULL: the host's place
    const kn_device_info *device;
    struct compare_held held[COMPARE_COLUMNS];
    void *own;
    double error, bound; // set by check: the answer is right if error <= bound
    double seconds;      // set by run, if the job `times_itself`
};

struct compare_job {
    const char *name;     // "sort"
    const char *what;     // a line for the help
    const char *size;     // what n counts: "keys"
    const char *unit;     // of the rate: "Gkeys/s", or of its inverse: "us/launch"
    double scale;         // rate = amount / seconds * scale, or
    bool inverse;         // seconds / amount * scale
    bool wall_only;       // what is timed is the host's waiting: the device's clock has no part in it
    bool times_itself;    // run sets `seconds`, as a part of it is not to be timed
    const char *error_is; // what `error` means
    struct compare_case cases[COMPARE_CASES];         // ends in a name NULL
    size_t quick[COMPARE_SIZES], full[COMPARE_SIZES]; // sizes, ascending; end in 0
    enum compare_ceiling ceiling;
    size_t problem_bytes, work_bytes;

    void (*cost)(const struct compare_case *which, size_t n, struct compare_cost *cost);
    // The columns: input, reference, room for results. May be NULL.
    kn_status (*make)(struct compare_problem *problem, kn_error *err);
    // Besides the columns: kernels and more memory. `leave` also after an enter that failed. Both may be
    // NULL.
    kn_status (*enter)(struct compare_work *work, kn_error *err);
    void (*leave)(struct compare_work *work);
    // Before each run, not timed, besides the columns: what is not in them is poisoned. May be NULL.
    kn_status (*reset)(struct compare_work *work, kn_error *err);
    kn_status (*run)(struct compare_work *work, kn_error *err);
    kn_status (*run_host)(struct compare_work *work, kn_error *err); // the host's own code; NULL: it has none
    kn_status (*check)(struct compare_work *work, kn_error *err);
};

// All jobs; ends in NULL. Ceilings come before what is held against them.
extern const struct compare_job *const compare_jobs[];
// The job whose rows are the ceiling; NULL for none.
const struct compare_job *compare_ceiling_job(enum compare_ceiling ceiling);

struct compare_options {
    bool quick;
    size_t repetitions; // at least this many where there is time; 0: 11, or 5 if quick
};

struct compare_times {
    double median, least, most; // seconds; all 0: not measured
};

enum compare_verdict {
    COMPARE_RIGHT,
    COMPARE_WRONG,    // computed, and out of its bound
    COMPARE_FAILED,   // the device or its driver failed; `why` says how
    COMPARE_LEFT_OUT, // not tried; `why` says for what reason
};

struct compare_row {
    const struct compare_job *job;
    const struct compare_case *which;
    size_t place;
    size_t n, asked; // elements, and how many were meant, where memory is too small
    enum compare_verdict verdict;
    char why[512];
    struct compare_times device, wall;
    size_t repetitions;
    double rate;    // in the job's unit
    double ceiling; // the place's own, in units of the ceiling's rate; 0: none
    double share;   // of that ceiling
    double ratio;   // how many times as fast as the first place (by the wall if one of them is without a
                    // device's clock); 0: unknown
    double error, bound;
};

struct compare_run {
    const struct compare_place *places;
    size_t place_count;
    struct compare_options options;
    struct compare_row *rows;
    size_t row_count, row_capacity;
    void (*progress)(void *user, double done); // of the current job; may be NULL
    // After a place failed: its context may be of no use any more. Opens it anew, if it can; may be NULL.
    void (*reopen)(void *user, size_t place);
    void *user;
};

// Does one job everywhere and appends its rows: by case, size and place. A device's failure is a row, not an
// error. KN_ERROR_MEMORY: the host's.
kn_status compare_job_run(struct compare_run *run, const struct compare_job *job, kn_error *err);
void compare_run_free(struct compare_run *run);

// What the place itself reached in the run's rows: of operations the most; of memory that of the footprint
// nearest to `memory` bytes. In the ceiling's amount a second; 0: not measured, or COMPARE_NO_CEILING.
double compare_ceiling(const struct compare_run *run, size_t place, enum compare_ceiling ceiling,
                       kn_type type, size_t memory);

// The time that rates and ratios are made from: the device's, or the wall's where the device has none.
double compare_seconds(const struct compare_row *row);

#endif
