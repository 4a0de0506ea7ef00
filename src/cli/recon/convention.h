// SPDX-License-Identifier: Apache-2.0
// How the MRI commands report k-space, all in the same words: matrix, range and unit of k.
#ifndef KN_CLI_RECON_CONVENTION_H
#define KN_CLI_RECON_CONVENTION_H

#include <koine/experimental/recon.h>

#include "io/json.h"
#include "cli/framework/options.h"

// "fov" and so on, in the order of kn_recon_unit; NULL ends the list.
extern const char *const convention_unit_names[];

// Reads --matrix from its text, NX,NY[,NZ]. KN_ERROR_ARGUMENT if the text is invalid or missing.
kn_status convention_matrix(const char *text, kn_recon_matrix *matrix, kn_error *err);

// Its number of voxels. KN_ERROR_ARGUMENT if they would not fit in memory.
kn_status convention_voxels(const kn_recon_matrix *matrix, size_t *voxels, kn_error *err);

// Prints the matrix as "128 x 128", and the line "k in cycles per field of view: kx -64 to 63, ...", to
// standard output.
void convention_print_matrix(const kn_recon_matrix *matrix);
void convention_print_range(const kn_recon_matrix *matrix, const kn_recon_range *range);

// Adds the keys "matrix", "k_unit", "k_range" (a pair for each axis) and "k_centre" (number of samples at k =
// 0); without a range only the first.
void convention_report(json_t **root, const kn_recon_matrix *matrix, const kn_recon_range *range);

// Prints a line to standard error if the range looks like that of another unit.
void convention_doubt(const struct common_arguments *common, const char *path, const kn_recon_matrix *matrix,
                      const kn_recon_range *range);

#endif
