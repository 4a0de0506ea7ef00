// SPDX-License-Identifier: Apache-2.0
// koine autocorr: the words of --method and --normalize.
#include "cmd_autocorr.h"

const char *const autocorr_method_names[] = {"auto",          "direct",   "fft",        "naive", "simd",
                                             "texture-style", "two-line", "two-kernel", NULL};
const char *const autocorr_normalization_names[] = {"pearson", "energy",   "lu2009", "geo",
                                                    "zero",    "unbiased", "symavg", NULL};
