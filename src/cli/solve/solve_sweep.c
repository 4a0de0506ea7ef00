// SPDX-License-Identifier: Apache-2.0
// koine solve --sweep: time against nonzeros, host against devices, on systems that it generates; a table,
// JSON and a plot.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/os/clock.h"
#include "base/error.h"
#include "base/os/output.h"
#include "base/text/text.h"
#include "cmd_solve.h"
#include "cli/framework/interrupt.h"
#include "cli/framework/report.h"
#include "cli/page/plot.h"
#include "cli/framework/table.h"
#include "tools/solve/sweep.h"

enum { HOST, LINES_A_PLACE = 2 };

struct sweep {
    struct solve_command *command;
    struct place *places; // the host first
    size_t place_count;
    struct solve_sweep_point *points; // one for each size and place
};

static kn_status check_sweep(const struct solve_arguments *arguments, kn_error *err)
{
    const char *found = arguments->tool.out                   ? "-o"
                        : arguments->nonnegative              ? "--nonnegative"
                        : arguments->bounds                   ? "--bounds"
                        : arguments->correction               ? "--correction"
                        : arguments->start                    ? "-x"
                        : arguments->weights                  ? "--weights"
                        : arguments->lambda_by                ? "--lambda-by"
                        : arguments->tolerance                ? "--tolerance"
                        : arguments->noise                    ? "--noise"
                        : arguments->stop                     ? "--stop"
                        : arguments->method                   ? "--method"
                        : arguments->tool.common.memory_limit ? "--memory-limit"
                        : arguments->tool.common.dry_run      ? "--dry-run"
                                                              : NULL;

    if (arguments->tool.common.ranks)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "--sweep compares times, which ranks of MPI do not share; start the command once");
    if (found)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "%s is for a given system; --sweep makes its own, and does all iterations of cgnr",
                       found);
    return options_at_most(&arguments->tool.common, 0, err);
}

static char *plot_path(const struct sweep *sweep)
{
    struct ki_text text = KI_TEXT_INIT;

    ki_text_format(&text, "%s/sweep.svg", sweep->command->arguments->tool.common.output);
    return ki_text_take(&text);
}

static kn_status try_files(const struct sweep *sweep, kn_error *err)
{
    const struct common_arguments *common = &sweep->command->arguments->tool.common;
    char *path;
    kn_status status = report_try(common, err);

    if (status || !common->output)
        return status;
    status = ki_output_folder(common->output, err);
    path = plot_path(sweep);
    if (!status)
        status = path ? report_try_file(path, common->force, err) : ki_fail_memory(err, 0, "naming the plot");
    free(path);
    return status;
}

// ---- places ----

// Opens the host and the named devices; if none is named, the best device, in single precision.
static kn_status open_places(struct sweep *sweep, kn_error *err)
{
    const struct solve_arguments *arguments = sweep->command->arguments;
    const struct common_arguments *common = &arguments->tool.common;
    struct places chosen = {.count = 0};
    bool is_double = arguments->precision == SOLVE_PRECISION_DOUBLE,
         by_host = is_double && !common->devices.count;
    kn_status status = by_host ? KN_OK : choose_places(&common->devices, &chosen, err);

    if (!status)
        sweep->places = calloc(chosen.count + 1, sizeof *sweep->places);
    if (!status && !sweep->places)
        status = ki_fail_memory(err, 0, "opening the devices");
    if (!status)
        place_host(&sweep->places[sweep->place_count++]);
    for (size_t i = 0; i < chosen.count && !status; i++) {
        struct place *place = &sweep->places[sweep->place_count];
        bool opened;

        if (strcmp(chosen.specs[i].spec, "host") == 0)
            continue;
        status =
            place_open_chosen(&chosen.specs[i], common->policy, false, common->command, place, &opened, err);
        opened = opened && place->queue;
        sweep->place_count += opened;
        if (opened && is_double && !place->device.fp64)
            status = ki_fail(err, KN_ERROR_UNSUPPORTED, "%s (%s) has no double precision", place->device.spec,
                             place->device.name);
    }
    choose_free(&chosen);
    return status;
}

// ---- the runs ----

static kn_status run_size(struct sweep *sweep, size_t size, kn_error *err)
{
    struct solve_sweep_system system = {.matrix = NULL};
    size_t all = SOLVE_SWEEP_SIZES * sweep->place_count;
    kn_status status = solve_sweep_system_create(size, &system, err);

    for (size_t i = 0; i < sweep->place_count && !status; i++) {
        kn_least_squares_options task = sweep->command->task;
        size_t at = size * sweep->place_count + i;

        task.type = sweep->command->arguments->precision == SOLVE_PRECISION_DOUBLE ? KN_F64 : KN_F32;
        if (i == HOST) // only devices have formats
            task.format = KN_SPARSE_AUTO;
        status = ki_error_unname(
            solve_sweep_run(sweep->places[i].queue, &system, &task, &sweep->points[at], err), err);
        progress_step(&sweep->command->progress, (double)(at + 1) / (double)all);
    }
    solve_sweep_system_free(&system);
    return status;
}

static kn_status run_all(struct sweep *sweep, kn_error *err)
{
    kn_status status = KN_OK;

    sweep->points = calloc(SOLVE_SWEEP_SIZES * sweep->place_count, sizeof *sweep->points);
    if (!sweep->points)
        return ki_fail_memory(err, 0, "the sweep");
    progress_begin(&sweep->command->progress, sweep->command->arguments->tool.common.quiet);
    for (size_t size = 0; size < SOLVE_SWEEP_SIZES && !status; size++)
        status = run_size(sweep, size, err);
    progress_end(&sweep->command->progress);
    return status;
}

// ---- results ----

static bool is_wrong(const struct solve_sweep_point *point)
{
    return !(point->adjoint <= point->adjoint_bound);
}

static kn_status print(const struct sweep *sweep, kn_error *err)
{
    struct table table;

    for (size_t i = 0; i < sweep->place_count; i++)
        printf("%s: %s; %s\n", sweep->places[i].device.spec, sweep->places[i].device.name,
               sweep->points[(SOLVE_SWEEP_SIZES - 1) * sweep->place_count + i].code);
    printf("\n");
    table_begin(&table, "rrlrrrrl");
    table_add_all(&table, (const char *const[]){"nonzeros", "rows", "place", "iterations", "s",
                                                "s with upload", "residual", "adjoint", NULL});
    for (size_t i = 0; i < SOLVE_SWEEP_SIZES * sweep->place_count; i++) {
        const struct solve_sweep_point *point = &sweep->points[i];

        table_add(&table, "%zu", point->nonzeros);
        table_add(&table, "%zu", point->rows);
        table_add(&table, "%s", sweep->places[i % sweep->place_count].device.spec);
        table_add(&table, "%zu", point->iterations);
        table_add(&table, "%.4g", point->seconds);
        table_add(&table, "%.4g", point->with_prepare);
        table_add(&table, "%.4g", point->residual);
        table_add(&table, "%s", is_wrong(point) ? "WRONG" : "right");
    }
    if (!table_finish(&table))
        return ki_fail_memory(err, 0, "the table");
    printf("All iterations are done, for timing only: past the floor of the precision a residual is "
           "meaningless.\n");
    return KN_OK;
}

static kn_status write_json(const struct sweep *sweep, double total, kn_error *err)
{
    const struct common_arguments *common = &sweep->command->arguments->tool.common;
    const struct ki_json_seconds seconds = {total, -1, -1, -1, -1, -1};
    const struct place *last = &sweep->places[sweep->place_count - 1];
    bool is_double = sweep->command->arguments->precision == SOLVE_PRECISION_DOUBLE;
    json_t *root = report_begin("solve", &last->device, is_double ? "double" : "float",
                                policy_names[common->policy], &seconds);
    json_t *points = json_array();

    for (size_t i = 0; i < SOLVE_SWEEP_SIZES * sweep->place_count; i++) {
        const struct solve_sweep_point *point = &sweep->points[i];
        json_t *row = json_object();

        report_put(&row, "place", ki_json_string(sweep->places[i % sweep->place_count].device.spec));
        report_put(&row, "rows", json_integer((json_int_t)point->rows));
        report_put(&row, "columns", json_integer((json_int_t)point->columns));
        report_put(&row, "nonzeros", json_integer((json_int_t)point->nonzeros));
        report_put(&row, "iterations", json_integer((json_int_t)point->iterations));
        report_put(&row, "seconds", ki_json_double(point->seconds));
        report_put(&row, "seconds_with_upload", ki_json_double(point->with_prepare));
        report_put(&row, "residual", ki_json_double(point->residual));
        report_put(&row, "code", json_string(point->code));
        report_put(&row, "ok", json_boolean(!is_wrong(point)));
        report_append(&points, row);
    }
    report_put(&root, "sweep", points);
    return report_write(root, common, err);
}

// ---- the plot ----

struct drawing {
    double x[SOLVE_SWEEP_SIZES];
    double *y;
    char (*names)[160];
    struct chart_series *series;
};

static void draw_place(const struct sweep *sweep, size_t place, struct drawing *drawing)
{
    const struct place *where = &sweep->places[place];

    for (size_t line = LINES_A_PLACE * place; line < LINES_A_PLACE * (place + 1); line++) {
        bool with = line % LINES_A_PLACE;
        double *y = drawing->y + line * SOLVE_SWEEP_SIZES;

        for (size_t size = 0; size < SOLVE_SWEEP_SIZES; size++) {
            const struct solve_sweep_point *point = &sweep->points[size * sweep->place_count + place];

            drawing->x[size] = (double)point->nonzeros;
            y[size] = with ? point->with_prepare : point->seconds;
        }
        snprintf(drawing->names[line], sizeof *drawing->names, "%s%s", where->device.spec,
                 !with           ? ""
                 : place == HOST ? ", with preparing the matrix"
                                 : ", with upload");
        drawing->series[line] = (struct chart_series){
            .name = drawing->names[line], .x = drawing->x, .y = y, .count = SOLVE_SWEEP_SIZES};
    }
}

static kn_status plot(const struct sweep *sweep, kn_error *err)
{
    size_t lines = LINES_A_PLACE * sweep->place_count;
    struct drawing drawing = {.y = calloc(lines * SOLVE_SWEEP_SIZES, sizeof *drawing.y),
                              .names = calloc(lines, sizeof *drawing.names),
                              .series = calloc(lines, sizeof *drawing.series)};
    char *path = plot_path(sweep), title[64];
    kn_status status = KN_OK;

    if (!drawing.y || !drawing.names || !drawing.series || !path) {
        status = ki_fail_memory(err, 0, "drawing the plot");
    } else {
        for (size_t i = 0; i < sweep->place_count; i++)
            draw_place(sweep, i, &drawing);
        snprintf(title, sizeof title, "%zu iterations of conjugate gradients",
                 sweep->command->task.iterations);
        const struct plot_target to = {.path = path, .force = sweep->command->arguments->tool.common.force};
        const struct chart_plane panel = {.title = title,
                                          .x_label = "nonzeros",
                                          .y_label = "seconds",
                                          .log_x = true,
                                          .log_y = true,
                                          .series = drawing.series,
                                          .count = lines};

        interrupt_hold();
        status = plot_draw(&to, &(struct plot){title, &panel, 1}, err);
        interrupt_release();
        if (!status && report_shows_text(&sweep->command->arguments->tool.common))
            printf("%s\n", path);
    }
    free(drawing.y);
    free(drawing.names);
    free(drawing.series);
    free(path);
    return status;
}

kn_status solve_sweep(struct solve_command *command, kn_error *err)
{
    struct sweep sweep = {.command = command};
    struct common_arguments *common = &command->arguments->tool.common;
    double start = ki_clock_seconds();
    kn_status status = check_sweep(command->arguments, err);

    if (!status)
        status = try_files(&sweep, err);
    if (!status)
        status = open_places(&sweep, err);
    if (!status)
        status = run_all(&sweep, err);
    if (!status && report_shows_text(common))
        status = print(&sweep, err);
    for (size_t i = 0; i < SOLVE_SWEEP_SIZES * sweep.place_count && !status; i++)
        common->check_failed |= is_wrong(&sweep.points[i]);
    if (!status && common->output)
        status = plot(&sweep, err);
    if (!status)
        status = write_json(&sweep, ki_clock_seconds() - start, err);
    for (size_t i = 0; i < sweep.place_count; i++)
        place_close(&sweep.places[i]);
    free(sweep.places);
    free(sweep.points);
    return status;
}
