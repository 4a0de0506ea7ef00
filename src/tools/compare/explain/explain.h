// SPDX-License-Identifier: Apache-2.0
// A kernel on several paths side by side: what it takes, what its PTX consists of, how long it runs, and in
// words what differs. The work is a job of koine compare that launches it, or whatever a caller runs.
#ifndef KN_TOOLS_COMPARE_EXPLAIN_EXPLAIN_H
#define KN_TOOLS_COMPARE_EXPLAIN_EXPLAIN_H

#include <koine/experimental.h>

#include "tools/compare/compare.h"
#include "occupancy.h"
#include "ptx_mix.h"

#include "base/text/ptx.h"

#include "base/text/text.h"

// The work in one place: `run` does it once, up to the queue's end.
struct explain_work {
    kn_status (*run)(void *user, kn_error *err);
    void *user;
};

// What was found on one path.
struct explain_row {
    char label[96]; // "cuda:0", "cuda:0, PTX of scale.ptx"
    const kn_device_info *device;
    char why[512];      // why there is nothing else; "" if there is
    size_t programs;    // that have a kernel of this name and launched it; what follows is of the slowest
    size_t launches;    // of it, in one run of the work
    double seconds;     // of these launches, by the device's clock
    double run_seconds; // of the whole run, from the first kernel's start to the last one's end
    double share;       // of the place's limit, for the whole run; 0: unknown
    char differs[256];  // how what the kernel made differs from the first row's; "": it does not, or is not
                        // known
    bool is_wrong;      // the answer was checked, and is out of its bound
    kn_range range;     // of the first launch
    size_t group;       // work-items; 0: the driver's choice
    size_t local_bytes; // for __local arguments
    size_t most_group;  // that the kernel can be launched with
    kn_kernel_resources resources;
    bool has_report;
    struct ki_ptxas_report report;
    bool has_occupancy;
    struct occupancy occupancy;
    bool is_loaded;   // `ptx` was given, and runs in the kernel's place (kn_context_load_ptx)
    char *ptx;        // NULL: none
    char no_ptx[256]; // the reason
    bool has_mix;
    struct ptx_mix mix;
    char *report_text;
};

// Runs the work on a queue of a context that explains itself (kn_context_explain): once to see what is
// launched, then `repetitions` times for the time, each the median. That the kernel is not launched is in
// row->why. `row` has its label and device; the caller frees it with explain_row_free.
kn_status explain_measure(kn_queue *queue, const char *kernel, const struct explain_work *work,
                          size_t repetitions, struct explain_row *row, kn_error *err);
void explain_row_free(struct explain_row *row);

// A job's case that launches the kernel.
struct explain_found {
    const struct compare_job *job; // NULL: none does
    const struct compare_case *which;
    size_t n;
};

// Runs the jobs (those that are named first, if any are) in small sizes in this place until one launches the
// kernel. `launched`, which the caller frees: the names of the kernels that were launched on the way.
kn_status explain_find(const struct compare_place *place, const char *kernel,
                       const struct compare_job *const *jobs, size_t job_count, struct explain_found *found,
                       struct ki_text *launched, kn_error *err);

// explain_measure with that job, its answer checked, its share of the limit from `run`, in which the jobs
// that measure the limits were done at this place.
kn_status explain_job(const struct explain_found *found, const struct compare_run *run, size_t place,
                      const char *kernel, struct explain_row *row, kn_error *err);

// Adds a line for each thing in which a row differs from the first that was measured.
void explain_words(const struct explain_row *rows, size_t count, struct ki_text *words);

#endif
