// SPDX-License-Identifier: Apache-2.0
// Subjects that are sizes from which on one method is faster than another on a device
// (koine/experimental/cost.h). A candidate does the work of all sizes in a range, with one method up to the
// candidate's size and with the other beyond it, by the wall clock. Each size thus counts in proportion to
// its time, and the best candidate is where the methods cross. If a device should use one of them always or
// never, there are two candidates.
#ifndef KN_TOOLS_TUNE_CROSSOVERS_H
#define KN_TOOLS_TUNE_CROSSOVERS_H

#include <koine/experimental/cost.h>

#include "subjects.h"

enum { CROSSOVER_AT }; // the only value

#define ALWAYS 0
#define NEVER  UINT32_MAX

// Binary logarithms of sizes.
struct crossover_range {
    kn_type type;
    unsigned least, most;
};

// The tunables of the row with this name in the table of crossovers.
const kn_tunables *crossover_find(const char *name);
kn_status crossover_usual(const struct tune_work *work, const kn_tunables *tunables, unsigned *values,
                          kn_error *err);

// For devices that have a choice.
bool crossover_on_all(const kn_queue *queue);
bool crossover_on_gpus(const kn_queue *queue);
bool crossover_on_nvidia(const kn_queue *queue);
bool crossover_on_cuda(const kn_queue *queue);
bool crossover_on_serial(const kn_queue *queue);

// A row of a table of subjects: its name in C and in the table of crossovers; a description; the work, that
// is the remaining fields of the subject, and the function that opens it for a range; the devices on which it
// applies; the range; and the candidates.
#define CROSSOVER(name, row, words, work_of, open_work, where, key_type, from, to, ...)                      \
    static const kn_tunables *tunables_##name(void)                                                          \
    {                                                                                                        \
        return crossover_find("crossover-" row);                                                             \
    }                                                                                                        \
    static kn_status usual_##name(const struct tune_work *work, unsigned *values, kn_error *err)             \
    {                                                                                                        \
        return crossover_usual(work, tunables_##name(), values, err);                                        \
    }                                                                                                        \
    static const struct tune_axis *axes_##name(const kn_queue *queue)                                        \
    {                                                                                                        \
        static const struct tune_axis axes[KN_TUNABLES] = {                                                  \
            {sizeof((unsigned[]){__VA_ARGS__}) / sizeof(unsigned), {__VA_ARGS__}}};                          \
                                                                                                             \
        return where(queue) ? axes : NULL;                                                                   \
    }                                                                                                        \
    static kn_status open_##name(struct tune_work *work, kn_error *err)                                      \
    {                                                                                                        \
        return open_work(work, (struct crossover_range){key_type, from, to}, err);                           \
    }                                                                                                        \
    const struct tune_subject tune_##name = {.tunables = tunables_##name,                                    \
                                             .what = words,                                                  \
                                             .own_bytes = sizeof(struct own),                                \
                                             .by_wall = true,                                                \
                                             .axes = axes_##name,                                            \
                                             .usual = usual_##name,                                          \
                                             .open = open_##name,                                            \
                                             work_of}

#endif
