// SPDX-License-Identifier: Apache-2.0
// What the commands of MRI say of k-space, each in the same words: matrix, range and unit of k.
#ifndef KN_CLI_RECON_CONVENTION_H
#define KN_CLI_RECON_CONVENTION_H

#include <koine/experimental/recon.h>

#include "io/json.h"
#include "cli/framework/options.h"

// "fov" and the others, in the order of kn_recon_unit; ends in NULL.
extern const char *const convention_unit_names[];

// "--matrix" from its text, NX,NY[,NZ]. KN_ERROR_ARGUMENT where it is something else, or is missing.
kn_status convention_matrix(const char *text, kn_recon_matrix *matrix, kn_error *err);

// Its voxels. KN_ERROR_ARGUMENT for more than fit in memory.
kn_status convention_voxels(const kn_recon_matrix *matrix, size_t *voxels, kn_error *err);

// The matrix as "128 x 128", and the line "k in cycles per field of view: kx -64 to 63, ...", both to
// standard output.
void convention_print_matrix(const kn_recon_matrix *matrix);
void convention_print_range(const kn_recon_matrix *matrix, const kn_recon_range *range);

// The keys "matrix", "k_unit", "k_range" (a pair an axis) and "k_centre" (samples at k = 0); without a range
// the first alone.
void convention_report(json_t **root, const kn_recon_matrix *matrix, const kn_recon_range *range);

// One line on standard error if the range is that of another unit.
void convention_doubt(const struct common_arguments *common, const char *path, const kn_recon_matrix *matrix,
                      const kn_recon_range *range);

#endif
