// SPDX-License-Identifier: Apache-2.0
// A kernel on several paths side by side: its resources, the composition of its PTX, its running time, and
// the differences in words. The work is a job of koine compare that launches the kernel, or anything that a
// caller runs.
#ifndef KN_TOOLS_COMPARE_EXPLAIN_EXPLAIN_H
#define KN_TOOLS_COMPARE_EXPLAIN_EXPLAIN_H

#include <koine/experimental.h>

#include "tools/compare/compare.h"
#include "occupancy.h"
#include "ptx_mix.h"

#include "base/text/ptx.h"

#include "base/text/text.h"

// The work in one place: `run` does it once and waits for the queue.
struct explain_work {
    kn_status (*run)(void *user, kn_error *err);
    void *user;
};

// The findings on one path.
struct explain_row {
    char label[96]; // "cuda:0", "cuda:0, PTX of scale.ptx"
    const kn_device_info *device;
    char why[512];      // the reason why the rest is missing; "" if it is not
    size_t programs;    // number of programs with a kernel of this name that launched it; the rest describes
                        // the slowest
    size_t launches;    // number of its launches in one run of the work
    double seconds;     // of these launches, by the device's clock
    double run_seconds; // of the whole run, from the start of the first kernel to the end of the last
    double share;       // fraction of the place's limit that the whole run reached; 0: unknown
    char differs[256];  // how the kernel's results differ from the first row's; "": they do not, or it is
                        // unknown
    bool is_wrong;      // the answer was checked, and its error exceeds the bound
    kn_range range;     // of the first launch
    size_t group;       // work-items; 0: the driver's choice
    size_t local_bytes; // for __local arguments
    size_t most_group;  // the largest group with which the kernel can be launched
    kn_kernel_resources resources;
    bool has_report;
    struct ki_ptxas_report report;
    bool has_occupancy;
    struct occupancy occupancy;
    bool is_loaded;   // `ptx` was given, and runs instead of the kernel (kn_context_load_ptx)
    char *ptx;        // NULL: none
    char no_ptx[256]; // the reason
    bool has_mix;
    struct ptx_mix mix;
    char *report_text;
};

// Runs the work on a queue whose context explains itself (kn_context_explain): once to see which kernels are
// launched, then `repetitions` times to measure the median times. If the kernel is not launched, row->why
// says so. `row` has its label and device; the caller frees it with explain_row_free.
kn_status explain_measure(kn_queue *queue, const char *kernel, const struct explain_work *work,
                          size_t repetitions, struct explain_row *row, kn_error *err);
void explain_row_free(struct explain_row *row);

// A case of a job that launches the kernel.
struct explain_found {
    const struct compare_job *job; // NULL: no job does
    const struct compare_case *which;
    size_t n;
};

// Runs the jobs in their quick sizes in this place until one launches the kernel. `launched`, which the
// caller frees, lists the names of the kernels that were launched.
kn_status explain_find(const struct compare_place *place, const char *kernel,
                       const struct compare_job *const *jobs, size_t job_count, struct explain_found *found,
                       struct ki_text *launched, kn_error *err);

// explain_measure for that job; checks its answer and takes its share of the limit from `run`, in which the
// jobs that measure the limits were run at this place.
kn_status explain_job(const struct explain_found *found, const struct compare_run *run, size_t place,
                      const char *kernel, struct explain_row *row, kn_error *err);

// Adds a line for each difference between a row and the first one that was measured.
void explain_words(const struct explain_row *rows, size_t count, struct ki_text *words);

#endif
