// SPDX-License-Identifier: Apache-2.0
// Whether to go on: the caller is asked between the pieces of long work, in the thread that called.
#ifndef KN_BASE_ASK_H
#define KN_BASE_ASK_H

#include <stdbool.h>

#include <koine/error.h>

struct ki_ask {
    bool (*go_on)(void *data, double done); // NULL: never ask
    void *data;
    double from, to; // the part of the whole, from 0 to 1, that is the present stage
    double done;     // of the whole
};

// From now on `part` of the present stage is done. `ask` may be NULL.
void ki_ask_at(struct ki_ask *ask, double part);

// KN_ERROR_INTERRUPTED if the work is to stop. `ask` may be NULL.
kn_status ki_ask(const struct ki_ask *ask, kn_error *err);

#endif
