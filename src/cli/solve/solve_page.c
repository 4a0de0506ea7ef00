// SPDX-License-Identifier: Apache-2.0
// koine solve: what its page, --report, shows of the solution. The history of the residual is drawn from the
// JSON.
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cmd_solve.h"
#include "cli/framework/report.h"
#include "cli/page/chart.h"

// Finds the shape of x as a picture, of a volume that of its middle slice; false if x is none. It is one if A
// is a geometry, if --method tv has a shape, or if it is written as a picture.
static bool find_shape(const struct solve_command *command, size_t shape[3])
{
    const char *out = command->arguments->tool.out, *ending = out ? strrchr(out, '.') : NULL;
    size_t side = 1;

    memcpy(shape, command->task.shape, 3 * sizeof *shape);
    if (command->task.method == KN_LEAST_SQUARES_TV)
        return true;
    while (side < command->columns / side)
        side++;
    shape[0] = shape[1] = command->matrix ? side : command->geometry.size;
    return !command->matrix || (ending && strcmp(ending, ".png") == 0 && side * side == command->columns);
}

static void add_picture(const struct solve_command *command, const double *x, const char *caption,
                        const size_t shape[3], json_t **root)
{
    size_t slices = shape[2] > 1 ? shape[2] : 1, pixels = shape[0] * shape[1];

    report_picture(root, &command->arguments->tool.common, caption, x + slices / 2 * pixels, shape[0],
                   shape[1]);
}

static kn_status add_curve(const struct solve_command *command, const double *x, const char *caption,
                           json_t **root, kn_error *err)
{
    enum { MARKED = 60 };
    const size_t count = command->x.rows;
    double *index = malloc(count * sizeof *index);
    struct ki_text figure = KI_TEXT_INIT;
    const struct chart_series series = {
        .x = index, .y = x, .count = count, .look = count > MARKED ? CHART_LINE : CHART_LINE_AND_POINTS};
    const struct chart_plane plane = {caption, "element, from 0", "x", &series, 1, false, false, false};

    if (!index)
        return ki_fail_memory(err, count * sizeof *index, "the curve of the solution");
    for (size_t i = 0; i < count; i++)
        index[i] = (double)i;
    chart_figure(&figure, caption, &plane);
    report_figures(root, &command->arguments->tool.common, &figure);
    free(index);
    return KN_OK;
}

kn_status solve_illustrate(const struct solve_command *command, json_t **root, kn_error *err)
{
    size_t shape[3], worst = solve_worst(command);
    const double *x = command->x.values + worst * command->x.rows;
    char caption[128] = "The solution x";

    if (!command->arguments->tool.common.report)
        return KN_OK;
    if (command->x.count > 1)
        snprintf(caption, sizeof caption, "The solution with the greatest residual, that of %s %zu",
                 solve_side(command), solve_number(command, worst));
    if (!find_shape(command, shape))
        return add_curve(command, x, caption, root, err);
    add_picture(command, x, caption, shape, root);
    return KN_OK;
}
