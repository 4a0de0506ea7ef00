// SPDX-License-Identifier: Apache-2.0
// Chooses the place that is expected to finish first if none is named: the host's own code, or the best GPU
// including its preparation (the driver's start, programs that are not compiled yet, and copies).
#ifndef KN_CLI_ESTIMATE_H
#define KN_CLI_ESTIMATE_H

#include <jansson.h>

#include <koine/experimental/cost.h>

#include "cli/choose.h"
#include "io/array/npy.h"

// The work of one pass over an array by one program: bytes of memory that the host and a device read and
// write for one of the array's, as measured (kn_cost_estimate).
kn_work estimate_of_array(const struct npy *array, double host, double device, const char *program);

// Opens a place of `places`: the named one like place_open_with; if none was named, the one expected to
// finish first, with the reason in place->why. With `work` NULL, or KN_POLICY_FAST: the best device, or the
// host if there is none.
kn_status estimate_open(const struct places *places, const kn_work *work, int policy, const char *command,
                        struct place *place, kn_error *err);

// Prints "AMD EPYC (host)", with the reason if there is one: "AMD EPYC (host: about 0.004 s, less ...)".
void estimate_print_place(const struct place *place);
// The reason, as device.why of a JSON result, if there is one.
void estimate_report(json_t **root, const struct place *place);

#endif
