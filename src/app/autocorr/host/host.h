// SPDX-License-Identifier: Apache-2.0
// Correlations by the host's own code: exact, the reference's numbers to the last integer.
#ifndef KN_APP_AUTOCORR_HOST_HOST_H
#define KN_APP_AUTOCORR_HOST_HOST_H

#include <stdbool.h>

#include <koine/host.h>

#include "app/autocorr/autocorr.h"

// Four nested loops, as one writes them first: one thread, no vectors. Errors: ki_autocorr_check's.
kn_status ki_autocorr_naive(const struct autocorr_task *task, uint64_t *products, kn_error *err);

// With vectors and threads. 16 bits go in two bytes, that is in four products of bytes. `options` may be
// NULL; its order of sorting is not looked at. Cost: each row of the second image is spread in a core's
// cache, so that a vector has a few pixels for each of many offsets, and then multiplied with all rows it is
// an offset of. Memory: twice to five times the images' bytes, and 20 bytes an offset. Errors:
// ki_autocorr_check's; KN_ERROR_UNSUPPORTED for a level that this processor has not; KN_ERROR_MEMORY.
kn_status ki_autocorr_simd(const struct autocorr_task *task, const kn_host_options *options,
                           uint64_t *products, kn_error *err);

// The name of the code that runs at a level: "scalar", "AVX2", "AVX-512 VNNI"; NULL for a level that this
// processor has not. AVX-512 without VNNI, which multiplies bytes, is no faster than AVX2 here, and AVX2 runs
// then.
const char *ki_autocorr_simd_name(kn_host_level level);

#endif
