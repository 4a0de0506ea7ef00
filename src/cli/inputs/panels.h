// SPDX-License-Identifier: Apache-2.0
// Projections of cone beams as numbers, from arrays.
#ifndef KN_CLI_INPUTS_PANELS_H
#define KN_CLI_INPUTS_PANELS_H

#include "io/array/npy.h"

// Reads shape[0] projections of shape[1] lines of shape[2] detectors as numbers of a type, KN_F32 or KN_F64:
// from a .npy of that shape; "-" is standard input. The caller frees the array. KN_ERROR_INPUT: another
// shape, complex numbers, numbers that are not finite, named by projection, line and detector;
// KN_ERROR_MEMORY; those of npy_read.
kn_status panels_read(const char *path, const size_t shape[3], kn_type type, struct npy *array,
                      kn_error *err);

#endif
