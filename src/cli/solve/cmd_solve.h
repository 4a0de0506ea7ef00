// SPDX-License-Identifier: Apache-2.0
// koine solve: reading the request (cmd_solve.c, solve_settle.c, solve_read.c, solve_measurements.c),
// choosing where to compute (solve_place.c), lambda (solve_lcurve.c), and how many columns at a time
// (solve_divide.c, solve_compute.c, solve_piece.c), reporting the results (solve_results.c, solve_print.c,
// solve_page.c); cone beams (solve_cone.c), --dry-run (solve_dry_run.c), and --sweep (solve_sweep.c).
#ifndef KN_CLI_SOLVE_CMD_SOLVE_H
#define KN_CLI_SOLVE_CMD_SOLVE_H

#include <koine/experimental/least_squares.h>

#include "cli/framework/progress.h"
#include "cli/inputs/tomography_files.h"
#include "cli/tool.h"

struct solve_arguments {
    struct tool_arguments tool;
    struct geometry_options rays;
    const char *start, *weights, *tolerance, *noise, *lambda, *smooth, *bounds, *correction, *weight, *rhs,
        *slice, *shape;
    size_t iterations;
    bool nonnegative, stripes, sweep;
    int lambda_by, method, stop, filter, preconditioner, format, precision;
};

// Facts about columns that were solved together, as stored in the bytes of their result.
struct solve_facts {
    size_t count, farthest; // number of columns; index of the one with the least accurate solution in single
                            // precision
    kn_type type;
    unsigned launches;
    double weight, shift, adjoint, adjoint_bound;
    bool history_is_normal, reached;
    kn_least_squares_times times;
    char code[128];
};

struct solve_piece {
    void *bytes; // NULL: not solved yet
    const struct solve_facts *facts;
    const kn_least_squares_solution *solutions;
    const size_t *lengths;   // of the histories
    const double *histories; // one after the other
};

// `count` columns of `rows` numbers, stored one after the other.
struct solve_columns {
    size_t rows, count;
    double *values;
};

struct solve_command {
    struct solve_arguments *arguments;
    struct tool tool;
    kn_least_squares_options task;
    kn_sparse *matrix;               // NULL: A is given as parallel:...
    kn_tomography_geometry geometry; // the geometry of that A, with its angles if they are not evenly spaced
    double *theta;
    kn_tomography_axis axis; // with AXIS = auto
    size_t rows, columns;    // of A
    struct solve_columns b;  // the right-hand sides to solve
    size_t first;            // index in the file of the first of them
    bool slices;             // the right-hand sides are the slices that --slice names, FIRST-LAST or all
    struct solve_columns x;  // the starting values, then the solutions
    double *weights;         // of each row of A; NULL without --weights
    size_t left_out;         // number of rows whose weight is 0
    double *lcurve;          // lambda, residual and norm of its points; NULL without --lambda-by lcurve
    size_t corner;           // the point that was chosen
    struct progress progress;
    size_t together;             // number of columns solved at a time; the last piece has the rest
    struct solve_piece *results; // one for each piece
    size_t pieces;
};

extern const char *const solve_precision_names[]; // "auto", "float", "double"
extern const char *const solve_lambda_by_names[]; // "given", "lcurve"
enum { SOLVE_LAMBDA_BY_GIVEN, SOLVE_LAMBDA_BY_LCURVE, SOLVE_LCURVE_POINTS = 21 };
// In the order of the enums in koine/least_squares.h; NULL ends each list.
extern const char *const solve_method_names[], *const solve_stop_names[], *const solve_preconditioner_names[],
                                                                              *const solve_filter_names[];
enum { SOLVE_PRECISION_AUTO, SOLVE_PRECISION_FLOAT, SOLVE_PRECISION_DOUBLE };

// Refuses what can be refused before any file is read: invalid numbers, and options that exclude each other.
kn_status solve_settle(struct solve_command *command, kn_error *err);
// Whether the solutions are the slices of a volume, and its shape as an array.
bool solve_is_volume(const struct solve_command *command);
struct npy solve_volume(const struct solve_command *command);
// What a right-hand side is called, "column" or "slice", and the number by which the user knows it.
const char *solve_side(const struct solve_command *command);
size_t solve_number(const struct solve_command *command, size_t i);

// Reads the files.
kn_status solve_read(struct solve_command *command, kn_error *err);
// Reads --weights, and refuses right-hand sides that are not finite where the weight is not 0.
// KN_ERROR_INPUT.
kn_status solve_read_weights(struct solve_command *command, kn_error *err);
// A sinogram with a row for each angle, as koine project writes it, is one column of its geometry.
kn_status solve_join_rows(const kn_tomography_geometry *geometry, struct solve_columns *b, kn_error *err);
// Finds the axis of rotation from the first right-hand side if AXIS is auto.
kn_status solve_find_axis(struct solve_command *command, kn_error *err);

// Names the requested feature that only the host has, that only devices have, or that devices have only in
// single precision; NULL if there is none.
const char *solve_host_alone(const struct solve_command *command);
const char *solve_device_alone(const struct solve_command *command);
const char *solve_single_alone(const kn_least_squares_options *task);
// Whether single precision is requested for something that the host computes only in double precision.
bool solve_is_float_of_double(const struct solve_command *command);

// Opens the device, or the host if the host computes; reports the choice if the user did not name a place.
kn_status solve_open(struct solve_command *command, kn_error *err);
// The work of the cost model.
kn_work solve_work(const struct solve_command *command);

// Chooses how many columns are solved at a time: all, or part of them if several places share them, and no
// more than fit within --memory-limit. KN_ERROR_MEMORY, with the memory that one column takes, if not even
// one fits.
kn_status solve_divide(struct solve_command *command, kn_error *err);

// Bytes that the columns that are solved at a time take on each place, in addition to the input.
kn_status solve_measure(const struct solve_command *command, kn_sparse_memory *memory, kn_error *err);

// What it would do, with --dry-run; and for A = cone:..., with its projections in memory.
kn_status solve_dry_run(const struct solve_command *command, kn_error *err);
kn_status solve_dry_run_cone(const struct solve_command *command, const kn_tomography_fbp_options *options,
                             kn_error *err);

// Computes the L-curve and chooses lambda, if --lambda-by asks for it. KN_ERROR_INPUT: it has no corner.
kn_status solve_choose_lambda(struct solve_command *command, kn_error *err);
// Its points for people, false if memory ran out, and for the JSON.
bool solve_print_lcurve(const struct solve_command *command);
json_t *solve_json_lcurve(const struct solve_command *command);

// Solves all columns, and records the resources used.
kn_status solve_compute(struct solve_command *command, kn_error *err);

// Packs the result of `count` columns into bytes, and unpacks such bytes into x and a piece, which owns them.
// KN_ERROR_MEMORY.
kn_status solve_pack(const kn_least_squares_result *result, size_t count, const double *x, size_t columns,
                     kn_distribute_result *bytes, kn_error *err);
kn_status solve_unpack(const void *bytes, size_t size, size_t columns, struct solve_piece *piece, double *x,
                       kn_error *err);

// All of it for A = cone:... (solve_cone.c).
kn_status solve_cone(struct solve_command *command, kn_error *err);

// Runs --sweep.
kn_status solve_sweep(struct solve_command *command, kn_error *err);

// Summaries over all columns (solve_results.c): the solution of column i; the solution with the greatest
// residual; the one on which single precision did worst; the greatest difference found by the adjoint check,
// with its bound.
const kn_least_squares_solution *solve_solution(const struct solve_command *command, size_t i);
const double *solve_history(const struct solve_command *command, size_t i, size_t *count);
size_t solve_worst(const struct solve_command *command);
const kn_least_squares_solution *solve_farthest(const struct solve_command *command);
double solve_adjoint(const struct solve_command *command, double *bound);
kn_least_squares_times solve_times(const struct solve_command *command);

// Whether the requested tolerance and noise level were reached.
bool solve_reached(const kn_least_squares_solution *solution);
// False if memory ran out.
bool solve_print(const struct solve_command *command);
// Adds a picture or a curve of the solution to the page of --report (solve_page.c).
kn_status solve_illustrate(const struct solve_command *command, json_t **root, kn_error *err);
kn_status solve_write_json(struct solve_command *command, kn_error *err);

#endif
