// SPDX-License-Identifier: Apache-2.0
// The rungs of cl/lib/subgroup.clh and cl/lib/atomic.clh: which of them a device has. What a device reports
// is no proof: each rung is built and run (cl/algo/rungs.cl) before it is chosen.
#ifndef KN_ALGO_RUNG_H
#define KN_ALGO_RUNG_H

#include "columns.h"

// Whether the device supports KN_SUBGROUP `subgroup` with KN_MATCH `match`. Errors: no memory, a lost device.
kn_status ki_rung_has_subgroup(kn_context *context, unsigned subgroup, unsigned match, bool *has,
                               kn_error *err);
kn_status ki_rung_has_atomic(kn_context *context, unsigned atomic_float, bool *has, kn_error *err);

// For kernels that have only the rungs 0 and 1 (NVIDIA's): KN_SUBGROUP and KN_ATOMIC_FLOAT for the device. On
// other vendors' devices the kernels' own defaults, which are 0, stay.
kn_status ki_rung_define_subgroups(struct engine_defines *defines, kn_context *context, kn_error *err);
kn_status ki_rung_define_atomics(struct engine_defines *defines, kn_context *context, kn_error *err);

#endif
