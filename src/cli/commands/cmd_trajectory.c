// SPDX-License-Identifier: Apache-2.0
// koine trajectory: the positions of a scan's samples in k-space.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/os/clock.h"
#include "base/error.h"
#include "io/array/volume.h"
#include "cli/choose.h"
#include "cli/commands.h"
#include "cli/recon/convention.h"
#include "cli/framework/interrupt.h"
#include "cli/framework/report.h"

enum { AXES = 3 }; // of k

struct trajectory_arguments {
    struct common_arguments common;
    const char *out;
    size_t spokes, samples, partitions, matrix;
};

#define FIELD(type, field) OPTION_FIELD(type, struct trajectory_arguments, field)

static const struct option_row options[] = {
    {"out", 'o', FIELD(OPTION_PATH, out), .writes = true, .metavar = "TRAJ",
     .help = "write it here: a .cfl/.hdr pair, or a .npy"},
    {"spokes", 's', FIELD(OPTION_COUNT, spokes), .metavar = "N",
     .help = "diameters, spiral arms, or lines per partition (default: dense up to the edge; 16 arms)"},
    {"samples", 'n', FIELD(OPTION_COUNT, samples), .metavar = "N",
     .help = "samples of each (default: the matrix size; for a spiral: dense)"},
    {"partitions", 'p', FIELD(OPTION_COUNT, partitions), .metavar = "N",
     .help = "planes kz for stack (default: 16) and cartesian (default: 1)"},
    {"matrix", 'm', FIELD(OPTION_COUNT, matrix), .metavar = "N",
     .help = "matrix size in the plane: k reaches N/2 (default: as many as samples, or 128)"},
    {.name = NULL},
};

static kn_status read_kind(const char *word, kn_recon_trajectory_kind *kind, kn_error *err)
{
    const char *name;

    for (int i = 0; (name = kn_recon_trajectory_name((kn_recon_trajectory_kind)i)); i++)
        if (strcmp(word, name) == 0) {
            *kind = (kn_recon_trajectory_kind)i;
            return KN_OK;
        }
    return ki_fail(err, KN_ERROR_ARGUMENT,
                   "unknown trajectory '%s'; expected radial, golden, spiral, kooshball, stack, cartesian",
                   word);
}

// The request, and what follows from it.
struct settled {
    kn_recon_trajectory plan;
    kn_recon_matrix matrix;
    size_t points;
};

static kn_status read_arguments(const struct trajectory_arguments *arguments, struct settled *settled,
                                kn_error *err)
{
    const struct common_arguments *common = &arguments->common;
    kn_status status;

    if (common->operands.count < 1)
        return ki_fail(err, KN_ERROR_ARGUMENT, "expected a KIND, such as radial; try '%s --help'",
                       common->command);
    status = options_at_most(common, 1, err);
    settled->plan = KN_INIT(kn_recon_trajectory, .spokes = arguments->spokes, .samples = arguments->samples,
                            .partitions = arguments->partitions, .extent = arguments->matrix);
    if (!status)
        status = read_kind(common->operands.items[0], &settled->plan.kind, err);
    if (!status && !arguments->out)
        status = ki_fail(err, KN_ERROR_ARGUMENT, "expected -o TRAJ, for the result; try '%s --help'",
                         common->command);
    if (!status)
        status = ki_error_unname(
            kn_recon_trajectory_settle(&settled->plan, &settled->matrix, &settled->points, err), err);
    if (!status)
        status = report_try(common, err);
    return status ? status : volume_try(arguments->out, VOLUME_ARRAY, common->force, err);
}

static kn_status write_array(const struct trajectory_arguments *arguments, const struct settled *settled,
                             double *k, kn_error *err)
{
    const kn_recon_trajectory *plan = &settled->plan;
    const struct npy array = {.type = KN_F64,
                              .dims = 3,
                              .shape = {plan->partitions * plan->spokes, plan->samples, AXES},
                              .count = AXES * settled->points,
                              .data = k};
    kn_status status;

    interrupt_hold();
    status = volume_write(arguments->out, VOLUME_ARRAY, &array, arguments->common.force, err);
    interrupt_release();
    return status;
}

static void print(const struct settled *settled, const kn_recon_range *range)
{
    const kn_recon_trajectory *plan = &settled->plan;

    printf("%s: ", kn_recon_trajectory_name(plan->kind));
    if (plan->partitions > 1)
        printf("%zu partitions of ", plan->partitions);
    printf("%zu %s of %zu samples, %zu in all, for a matrix of ", plan->spokes,
           plan->kind == KN_RECON_TRAJECTORY_SPIRAL      ? "arms"
           : plan->kind == KN_RECON_TRAJECTORY_CARTESIAN ? "lines"
                                                         : "spokes",
           plan->samples, settled->points);
    convention_print_matrix(&settled->matrix);
    printf("\n");
    convention_print_range(&settled->matrix, range);
}

static kn_status report(const struct trajectory_arguments *arguments, const struct settled *settled,
                        const kn_recon_range *range, const struct ki_json_seconds *seconds, kn_error *err)
{
    const struct common_arguments *common = &arguments->common;
    const kn_recon_trajectory *plan = &settled->plan;
    struct place host;
    json_t *root;

    if (report_shows_text(common) && strcmp(arguments->out, "-") != 0)
        print(settled, range);
    place_host(&host);
    root = report_begin("trajectory", &host.device, precision_names[PRECISION_DOUBLE],
                        policy_names[KN_POLICY_DEFAULT], seconds);
    report_put(&root, "kind", json_string(kn_recon_trajectory_name(plan->kind)));
    report_put(&root, "spokes", json_integer((json_int_t)plan->spokes));
    report_put(&root, "samples", json_integer((json_int_t)plan->samples));
    report_put(&root, "partitions", json_integer((json_int_t)plan->partitions));
    report_put(&root, "points", json_integer((json_int_t)settled->points));
    convention_report(&root, &settled->matrix, range);
    return report_write(root, common, err);
}

static kn_status run_trajectory(void *given, kn_error *err)
{
    const struct trajectory_arguments *arguments = given;
    struct ki_json_seconds seconds = {.read = -1, .build = -1, .upload = -1, .download = -1};
    kn_recon_range range;
    struct settled settled;
    double start = ki_clock_seconds(), *k;
    kn_status status = read_arguments(arguments, &settled, err);

    if (status)
        return status;
    k = malloc(AXES * sizeof *k * settled.points);
    if (!k)
        return ki_fail_memory(err, AXES * sizeof *k * settled.points, "a trajectory");
    seconds.compute = ki_clock_seconds();
    status = ki_error_unname(kn_recon_trajectory_fill(&settled.plan, settled.points, k, err), err);
    range = kn_recon_trajectory_get_range(status ? NULL : k, settled.points);
    seconds.compute = ki_clock_seconds() - seconds.compute;
    if (!status)
        status = write_array(arguments, &settled, k, err);
    seconds.total = ki_clock_seconds() - start;
    if (!status)
        status = report(arguments, &settled, &range, &seconds, err);
    free(k);
    return status;
}

static const char *kind_name(size_t index)
{
    return kn_recon_trajectory_name((kn_recon_trajectory_kind)index);
}

const struct command command_trajectory = {
    .name = "trajectory",
    .summary =
        "Makes the k-space trajectory of an MRI scan: radial, golden, spiral, kooshball, stack or cartesian",
    .operands = "KIND",
    .description =
        "radial: diameters at equal angles. golden: diameters 111.246 degrees apart. spiral: Archimedean "
        "arms. kooshball: diameters of a ball, by the two-dimensional golden means. stack: radial in planes "
        "kz. cartesian: lines along kx.\n\n"
        "k is in cycles per field of view, from -N/2 to N/2 for a matrix of N voxels. Sample j of D of a "
        "diameter or a line is at (j - floor(D/2)) N/D, so that one is at k = 0. A .cfl has [3, samples, "
        "spokes], a .npy the shape (spokes, samples, 3) in double precision, partitions one after another.",
    .common = COMMON_JSON | COMMON_FORCE,
    .options = options,
    .operand_word = kind_name,
    .examples = {{"koine trajectory radial --samples 256 --spokes 402 -o radial",
                  "radial.cfl and radial.hdr"},
                 {"koine trajectory spiral --matrix 64 --spokes 4 -o spiral.npy",
                  "four arms, dense for 64 x 64"}},
    .arguments_size = sizeof(struct trajectory_arguments),
    .run = run_trajectory,
};
