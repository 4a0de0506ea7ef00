// SPDX-License-Identifier: Apache-2.0
// koine solve: AXIS = auto, the axis of rotation as the sinogram shows it.
#include "base/error.h"
#include "cmd_solve.h"

kn_status solve_find_axis(struct solve_command *command, kn_error *err)
{
    const char *const *paths = command->arguments->tool.common.operands.items;
    kn_tomography_geometry *geometry = &command->geometry;
    const size_t side = command->slices ? command->b.count / 2 : 0; // the object may begin and end in others
    kn_error why = KN_ERROR_INIT;
    kn_status status;

    if (!geometry_finds_axis(paths[0]))
        return KN_OK;
    status =
        kn_tomography_find_axis(geometry, command->b.values + side * command->b.rows, &command->axis, &why);
    if (ki_error_unname(status, &why))
        return ki_fail_at(err, status == KN_ERROR_ARGUMENT ? KN_ERROR_INPUT : status, paths[1], 0, "%s",
                          why.text);
    geometry->axis_offset += command->axis.axis - geometry_axis(geometry);
    return KN_OK;
}
