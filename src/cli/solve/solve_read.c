// SPDX-License-Identifier: Apache-2.0
// koine solve: A, B and the starts from their files.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "io/array/volume.h"
#include "cli/inputs/tomography_files.h"
#include "base/os/clock.h"
#include "base/error.h"
#include "cmd_solve.h"

// Digits, and what follows them.
static bool take_number(const char **text, size_t *number)
{
    char *end;

    if (**text < '0' || **text > '9')
        return false;
    errno = 0;
    *number = strtoul(*text, &end, 10);
    *text = end;
    return errno == 0;
}

// Applies --rhs: all columns, or the one with this number, counted from 1.
static kn_status choose_columns(struct solve_command *command, const char *path, kn_error *err)
{
    const char *text = command->arguments->rhs;
    struct solve_columns *b = &command->b;
    size_t numbers[3];

    if (strcmp(text, "all") == 0)
        return KN_OK;
    if (options_sizes(text, numbers) != 1)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "--rhs: '%s' is neither all nor the number of a column, from 1", text);
    if (numbers[0] > b->count)
        return ki_fail(err, KN_ERROR_ARGUMENT, "--rhs %s: %s has %zu column%s", text, path, b->count,
                       b->count == 1 ? "" : "s");
    command->first = numbers[0] - 1;
    memmove(b->values, b->values + command->first * b->rows, b->rows * sizeof *b->values);
    b->count = 1;
    return KN_OK;
}

// The shape of x for --method tv: the picture of the rays; for a matrix, the value of --shape, or a square as
// in pictures (.png).
static kn_status settle_shape(struct solve_command *command, const char *matrix, kn_error *err)
{
    size_t *shape = command->task.shape, columns = command->columns, pixels = 1, side = 1;

    if (command->task.method != KN_LEAST_SQUARES_TV)
        return KN_OK;
    while (side < columns / side)
        side++;
    if (!command->arguments->shape)
        shape[0] = shape[1] = side;
    for (size_t i = 0; i < 3; i++)
        pixels = shape[i] && pixels <= SIZE_MAX / shape[i] ? pixels * shape[i] : pixels;
    if (pixels == columns)
        return KN_OK;
    if (!command->arguments->shape)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "--method tv: x has %zu pixels, no square; say with --shape W,H[,D] what it is",
                       columns);
    return ki_fail(err, KN_ERROR_ARGUMENT, "--shape %s: it has %zu pixels, and %s has %zu columns",
                   command->arguments->shape, pixels, matrix, columns);
}

// Reads A: a file, or rays.
static kn_status read_matrix(struct solve_command *command, const char *text, kn_error *err)
{
    const kn_tomography_geometry *geometry = &command->geometry;
    kn_status status;

    command->arguments->rays.finds_axis = true;
    status = geometry_is(text)
                 ? geometry_read(text, &command->arguments->rays, &command->geometry, &command->theta, err)
                 : sparse_read_matrix(text, &command->matrix, err);

    if (status)
        return status;
    command->rows =
        command->matrix ? kn_sparse_get_rows(command->matrix) : geometry->angles * geometry->detectors;
    command->columns =
        command->matrix ? kn_sparse_get_columns(command->matrix) : geometry->size * geometry->size;
    return settle_shape(command, text, err);
}

// Which slices --slice names: K, FIRST-LAST or all; the first one without it.
static kn_status choose_slices(struct solve_command *command, size_t *count, kn_error *err)
{
    const char *text = command->arguments->slice ? command->arguments->slice : "0";
    size_t last;

    *count = 1;
    if (strcmp(text, "all") == 0) {
        command->slices = true;
        *count = SPARSE_SINOGRAM_ALL;
        return KN_OK;
    }
    if (!take_number(&text, &command->first) || (*text && *text != '-'))
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "--slice: '%s' is not a number of at least 0, FIRST-LAST or all",
                       command->arguments->slice);
    if (!*text)
        return KN_OK;
    text++;
    if (!take_number(&text, &last) || *text || last < command->first)
        return ki_fail(
            err, KN_ERROR_ARGUMENT,
            "--slice: '%s' is not FIRST-LAST, two numbers from 0 of which the second is not the less",
            command->arguments->slice);
    command->slices = true;
    *count = last - command->first + 1;
    return KN_OK;
}

// Reads measured sinograms, a column each; the geometry takes their angles.
static kn_status read_measured(struct solve_command *command, const char *path, kn_error *err)
{
    kn_tomography_geometry *geometry = &command->geometry;
    struct sparse_sinogram sinogram;
    size_t count;
    kn_status status = choose_slices(command, &count, err);

    if (!status && command->slices && strcmp(command->arguments->rhs, "all") != 0)
        status = ki_fail(err, KN_ERROR_ARGUMENT,
                         "--rhs chooses a column of a .mtx or .npy; --slice %s has chosen those of %s",
                         command->arguments->slice, path);
    if (!status)
        status = sparse_read_measured(path, command->first, count, geometry->angles, geometry->detectors,
                                      &sinogram, err);
    if (!command->slices)
        command->first = 0;
    if (status)
        return status;
    command->b =
        (struct solve_columns){sinogram.angles * sinogram.detectors, sinogram.count, sinogram.values};
    sinogram.values = NULL;
    if (!command->matrix && !command->theta) {
        geometry->theta = command->theta = sinogram.theta;
        sinogram.theta = NULL;
    }
    sparse_sinogram_free(&sinogram);
    return KN_OK;
}

static kn_status read_right_hand_sides(struct solve_command *command, const char *path, kn_error *err)
{
    kn_status status;

    if (sparse_is_tomography(path))
        return read_measured(command, path, err);
    if (command->arguments->slice)
        return ki_fail(err, KN_ERROR_ARGUMENT, "--slice is only for measured tomography, a .h5 file");
    status = columns_read_measured(path, &command->b.rows, &command->b.count, &command->b.values, err);
    return status || command->matrix ? status : solve_join_rows(&command->geometry, &command->b, err);
}

static kn_status check_length(const struct solve_command *command, const char *path, size_t rows,
                              size_t expected, kn_error *err)
{
    if (rows == expected)
        return KN_OK;
    return ki_fail_at(err, KN_ERROR_INPUT, path, 0,
                      "has %zu numbers per column, but the matrix %s is %zu x %zu: expected %zu", rows,
                      command->arguments->tool.common.operands.items[0], command->rows, command->columns,
                      expected);
}

// Takes the starting values from -x, where one column serves all right-hand sides; without -x they are 0.
static kn_status take_starts(struct solve_command *command, const struct solve_columns *start, kn_error *err)
{
    size_t columns = command->columns, count = command->b.count;
    double *x = calloc(columns * count + 1, sizeof *x);

    if (!x)
        return ki_fail_memory(err, columns * count * sizeof *x, "the solutions");
    for (size_t i = 0; i < columns * count && start->values; i++)
        x[i] = start->values[start->count == 1 ? i % columns : i];
    command->x = (struct solve_columns){columns, count, x};
    return KN_OK;
}

static kn_status read_starts(struct solve_command *command, kn_error *err)
{
    const char *path = command->arguments->start, *b_path = command->arguments->tool.common.operands.items[1];
    struct solve_columns start = {.values = NULL};
    size_t count = command->b.count;
    kn_status status = path ? columns_read(path, &start.rows, &start.count, &start.values, err) : KN_OK;

    if (!status)
        status = check_length(command, b_path, command->b.rows, command->rows, err);
    if (!status && path)
        status = check_length(command, path, start.rows, command->columns, err);
    if (!status && path && start.count != 1 && start.count != count)
        status = ki_fail_at(err, KN_ERROR_INPUT, path, 0, "has %zu columns; expected 1, or %zu as %s has",
                            start.count, count, b_path);
    if (!status)
        status = take_starts(command, &start, err);
    free(start.values);
    return status;
}

static kn_status remove_stripes(struct solve_command *command, kn_error *err)
{
    const kn_tomography_geometry *geometry = &command->geometry;
    kn_status status = KN_OK;

    for (size_t i = 0; i < command->b.count && command->arguments->stripes && !status; i++)
        status = ki_error_unname(kn_tomography_remove_stripes(geometry->angles, geometry->detectors, 0,
                                                              command->b.values + i * command->b.rows, err),
                                 err);
    return status;
}

// Filtered back-projection refuses a fan whose projections are not all around: what is wrong then is in the
// file.
static kn_status check_angles(const struct solve_command *command, kn_error *err)
{
    const char *path = command->arguments->rays.angles;
    kn_tomography_fbp_plan *plan = NULL;
    kn_error why = KN_ERROR_INIT;
    kn_status status;

    if (!path || command->task.method != KN_LEAST_SQUARES_FBP)
        return KN_OK;
    status = kn_tomography_fbp_plan_create(NULL, &command->geometry, NULL, &plan, &why);
    kn_tomography_fbp_plan_free(plan);
    if (ki_error_unname(status, &why))
        return ki_fail_at(err, status == KN_ERROR_ARGUMENT ? KN_ERROR_INPUT : status, path, 0, "%s",
                          why.text);
    return KN_OK;
}

kn_status solve_read(struct solve_command *command, kn_error *err)
{
    const struct solve_arguments *arguments = command->arguments;
    const char *const *paths = arguments->tool.common.operands.items;
    double start = ki_clock_seconds();
    kn_status status = read_matrix(command, paths[0], err);

    if (!status)
        status = check_angles(command, err);
    if (!status)
        status = read_right_hand_sides(command, paths[1], err);
    if (!status && command->b.count == 0)
        status = ki_fail_at(err, KN_ERROR_INPUT, paths[1], 0, "has no column; expected right-hand sides");
    if (!status)
        status = solve_read_weights(command, err);
    if (!status)
        status = choose_columns(command, paths[1], err);
    if (!status)
        status = solve_is_volume(command)
                     ? volume_try(arguments->tool.out, VOLUME_IMAGE, arguments->tool.common.force, err)
                     : sparse_try_solutions(arguments->tool.out, command->columns, command->b.count, err);
    if (!status)
        status = read_starts(command, err);
    if (!status)
        status = remove_stripes(command, err);
    if (!status)
        status = solve_find_axis(command, err);
    command->tool.seconds.read = ki_clock_seconds() - start;
    return status;
}
