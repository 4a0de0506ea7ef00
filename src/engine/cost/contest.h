// SPDX-License-Identifier: Apache-2.0
// The fastest of several ways to do the same on a device. Where the cost model's estimates are further apart
// than they may be wrong, they decide; else the ways are measured, and their seconds remembered beside the
// programs in the cache on disk.
#ifndef KN_ENGINE_COST_CONTEST_H
#define KN_ENGINE_COST_CONTEST_H

#include "engine/device/choice.h"

enum { CONTEST_WAYS = 16 };

struct engine_contest {
    struct engine_choice choice; // under which seconds are remembered
    size_t count;                // ways, at most CONTEST_WAYS
    double error;                // how many times too short or too long an estimate may be
    unsigned each;               // runs that are timed together
    void *data;
    const char *(*name)(const void *data, size_t way);
    // Seconds of a run, or anything that is proportional to them; INFINITY of what shall not be tried. NULL:
    // all are measured.
    double (*estimate)(const void *data, size_t way);
    // What a run needs, a run, which may be asynchronous, and the end, also of what did not begin. A way of
    // which one of the first two returns KN_ERROR_UNSUPPORTED does not serve.
    kn_status (*begin)(void *data, size_t way, kn_error *err);
    kn_status (*run)(void *data, size_t way, kn_error *err);
    void (*end)(void *data, size_t way);
};

// The way whose estimate all others' exceed by more than both may be wrong; `count`: none.
size_t ki_engine_contest_settled(const double *estimates, size_t count, double error);

// Seconds of a run of each way: remembered, or measured and remembered; INFINITY of those that do not serve,
// or by estimate cannot be the fastest. If one alone is left, its estimate, and nothing is measured. Errors:
// those of begin and run but KN_ERROR_UNSUPPORTED.
kn_status ki_engine_contest(kn_queue *queue, const struct engine_contest *contest, double *seconds,
                            kn_error *err);
// The one that takes least; `count` if none serves.
size_t ki_engine_contest_winner(const double *seconds, size_t count);
// "own 0.31 ms, cuFFT 0.22 ms": those that were measured.
void ki_engine_contest_tell(const struct engine_contest *contest, const double *seconds,
                            struct ki_text *text);

// What ki_engine_contest remembers of such a choice, `count` seconds above 0. False if there is no cache, or
// nothing valid in it.
bool ki_engine_recall_seconds(const kn_context *context, const struct engine_choice *choice, double *seconds,
                              size_t count);
// Where they cannot be kept, the log says so.
void ki_engine_remember_seconds(const kn_context *context, const struct engine_choice *choice,
                                const double *seconds, size_t count);

#endif
