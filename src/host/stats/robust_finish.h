// SPDX-License-Identifier: Apache-2.0
// What the robust statistics on a device and on the host have in common: what they refuse, and how sums,
// counts and middles become a result.
#ifndef KN_HOST_STATS_ROBUST_FINISH_H
#define KN_HOST_STATS_ROBUST_FINISH_H

#include <koine/experimental.h>
#include <koine/robust.h>

// robust_check.c: the brackets' width that was asked for, 0 for the default; and what is refused of the type
// and the options, and of `ends`, which ascend.
double ki_robust_width(const kn_robust_options *options);
kn_status ki_robust_check_options(const char *function, kn_type type, const kn_robust_options *options,
                                  kn_error *err);
kn_status ki_robust_check_ends(const char *function, const size_t *ends, size_t count, kn_error *err);

// robust_counted.c: of a column that holds nothing, or a NaN.
kn_robust ki_robust_of_nothing(size_t n, size_t nan_count, kn_robust_method method);
// Floats: from the sums, and the shift as rounded.
void ki_robust_finish(kn_robust *result, double shift, const kn_sums *sums, double median, double mad);
// Everything about n > 0 elements of 8 bits, of which counts[i] have the i-th least value.
void ki_robust_counted(kn_type type, const uint64_t counts[256], uint64_t n, int shift, kn_robust *result);

#endif
