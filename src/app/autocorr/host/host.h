// SPDX-License-Identifier: Apache-2.0
// Correlations by the host's own code: exactly the reference's results.
#ifndef KN_APP_AUTOCORR_HOST_HOST_H
#define KN_APP_AUTOCORR_HOST_HOST_H

#include <stdbool.h>

#include <koine/host.h>

#include "app/autocorr/autocorr.h"

// Four nested loops, as one would write them first: one thread, no vectors. Errors: those of
// ki_autocorr_check.
kn_status ki_autocorr_naive(const struct autocorr_task *task, uint64_t *products, kn_error *err);

// With vectors and threads. Pixels of 16 bits are two bytes, which takes four products of bytes. `options`
// may be NULL; its sort order is ignored. Cost: each row of the second image is spread in a core's cache, so
// that a vector has a few pixels for each of many offsets, and then multiplied with all rows of which it is
// an offset. Memory: two to five times the images' bytes, and 20 bytes an offset. Errors: those of
// ki_autocorr_check; KN_ERROR_UNSUPPORTED for a level that this processor lacks; KN_ERROR_MEMORY.
kn_status ki_autocorr_simd(const struct autocorr_task *task, const kn_host_options *options,
                           uint64_t *products, kn_error *err);

// The name of the code that runs at a level: "scalar", "AVX2", "AVX-512 VNNI"; NULL for a level that this
// processor lacks. AVX-512 without VNNI, the instructions that multiply bytes, is no faster than AVX2 here,
// so AVX2 runs then.
const char *ki_autocorr_simd_name(kn_host_level level);

#endif
