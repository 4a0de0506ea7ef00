// SPDX-License-Identifier: Apache-2.0
// Finds the fastest of several ways to do the same on a device. If the estimates of the cost model differ by
// more than their possible error, they decide; otherwise the ways are measured, and the times are kept beside
// the programs in the cache on disk.
#ifndef KN_ENGINE_COST_CONTEST_H
#define KN_ENGINE_COST_CONTEST_H

#include "engine/device/choice.h"

enum { CONTEST_WAYS = 16 };

struct engine_contest {
    struct engine_choice choice; // the key under which times are kept
    size_t count;                // ways, at most CONTEST_WAYS
    double error;                // the factor by which an estimate may be wrong
    unsigned each;               // runs that are timed together
    void *data;
    const char *(*name)(const void *data, size_t way);
    // Seconds of a run, or anything proportional to them; INFINITY for a way that must not be tried. NULL:
    // all are measured.
    double (*estimate)(const void *data, size_t way);
    // Prepare runs, do a run, which may be asynchronous, and clean up, also after a failed `begin`. A way is
    // ruled out if `begin` or `run` returns KN_ERROR_UNSUPPORTED.
    kn_status (*begin)(void *data, size_t way, kn_error *err);
    kn_status (*run)(void *data, size_t way, kn_error *err);
    void (*end)(void *data, size_t way);
};

// The way whose estimate is smaller than all others by more than both can be wrong; `count`: none.
size_t ki_engine_contest_settled(const double *estimates, size_t count, double error);

// Seconds of a run of each way, kept from an earlier measurement, or measured now and kept; INFINITY for ways
// that are ruled out, or that cannot be the fastest by estimate. If only one way is left, gets its estimate
// and measures nothing. Errors: those of begin and run except KN_ERROR_UNSUPPORTED.
kn_status ki_engine_contest(kn_queue *queue, const struct engine_contest *contest, double *seconds,
                            kn_error *err);
// The fastest way; `count` if all are ruled out.
size_t ki_engine_contest_winner(const double *seconds, size_t count);
// Appends the measured times: "own 0.31 ms, cuFFT 0.22 ms".
void ki_engine_contest_tell(const struct engine_contest *contest, const double *seconds,
                            struct ki_text *text);

// Gets the times that ki_engine_contest kept for such a choice, `count` seconds above 0. False if there is no
// cache, or no valid entry in it.
bool ki_engine_recall_seconds(const kn_context *context, const struct engine_choice *choice, double *seconds,
                              size_t count);
// Keeps the times; if that is not possible, the log says so.
void ki_engine_remember_seconds(const kn_context *context, const struct engine_choice *choice,
                                const double *seconds, size_t count);

#endif
