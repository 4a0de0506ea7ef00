// SPDX-License-Identifier: Apache-2.0
// Pictures and sinograms as numbers, from arrays and images.
#ifndef KN_CLI_INPUTS_PLANE_H
#define KN_CLI_INPUTS_PLANE_H

#include <stddef.h>

#include <koine/error.h>

// Reads `height` lines of `width` numbers, which the caller frees: from a .npy of that shape (or, in the same
// order, of one dimension), or a grey picture (PNG, TIFF; its first page), in its own levels. "-" is a .npy
// on standard input. KN_ERROR_INPUT: another shape, complex numbers, colours, numbers that are not finite;
// KN_ERROR_MEMORY; those of the formats.
kn_status sparse_read_plane(const char *path, size_t height, size_t width, double **values, kn_error *err);

#endif
