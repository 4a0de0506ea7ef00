// SPDX-License-Identifier: Apache-2.0
// The rungs of cl/lib/subgroup.clh and cl/lib/atomic.clh: which of them a device has. What it says of itself is no proof:
// each is built and run (cl/rungs.cl) before it is chosen.
#ifndef KN_ALGO_RUNG_H
#define KN_ALGO_RUNG_H

#include "../engine/engine.h"

// Whether the device has KN_SUBGROUP `subgroup` with KN_MATCH `match`. Errors: no memory, a lost device.
kn_status rung_has_subgroup(kn_context *context, unsigned subgroup, unsigned match, bool *has, kn_error *err);
kn_status rung_has_atomic(kn_context *context, unsigned atomic_float, bool *has, kn_error *err);

// The same of the rungs that are NVIDIA's, 1; where that cannot be found out they are not taken, and the log says so.
unsigned rung_of_subgroups(kn_context *context);
unsigned rung_of_atomics(kn_context *context);

#endif
