// SPDX-License-Identifier: Apache-2.0
// koine solve: what was asked for (cmd_solve.c, solve_settle.c), where it is computed (solve_place.c) and how
// many columns at a time (solve_divide.c, solve_compute.c, solve_piece.c), what is said of it
// (solve_results.c, solve_print.c), and --sweep (solve_sweep.c).
#ifndef KN_CLI_SOLVE_CMD_SOLVE_H
#define KN_CLI_SOLVE_CMD_SOLVE_H

#include <koine/experimental/least_squares.h>

#include "cli/framework/progress.h"
#include "cli/inputs/tomography_files.h"
#include "cli/tool.h"

struct solve_arguments {
    struct tool_arguments tool;
    struct geometry_options rays;
    const char *start, *tolerance, *noise, *lambda, *smooth, *bounds, *correction, *weight, *rhs, *slice,
        *shape;
    size_t iterations;
    bool nonnegative, stripes, sweep;
    int method, stop, filter, preconditioner, format, precision;
};

// What is known of columns that were solved together, as it is in the bytes of their result.
struct solve_facts {
    size_t count, farthest; // columns; which of them single precision has computed worst
    kn_type type;
    unsigned launches;
    double weight, shift, adjoint, adjoint_bound;
    bool history_is_normal, reached;
    kn_least_squares_times times;
    char code[128];
};

struct solve_piece {
    void *bytes; // NULL: not yet solved
    const struct solve_facts *facts;
    const kn_least_squares_solution *solutions;
    const size_t *lengths;   // of the histories
    const double *histories; // one after the other
};

// `count` columns of `rows` numbers, one after the other.
struct solve_columns {
    size_t rows, count;
    double *values;
};

struct solve_command {
    struct solve_arguments *arguments;
    struct tool tool;
    kn_least_squares_options task;
    kn_sparse *matrix;               // NULL: A is parallel:...,
    kn_tomography_geometry geometry; // which is this, and its angles, where they are not even
    double *theta;
    size_t rows, columns;   // of A
    struct solve_columns b; // those that are solved
    size_t first;           // which column of the file is the first of them
    struct solve_columns x; // the starts, and the solutions
    struct progress progress;
    size_t together;             // columns that are solved at a time, the last time the rest
    struct solve_piece *results; // one a time
    size_t pieces;
};

extern const char *const solve_precision_names[]; // "auto", "float", "double"
// In the order of koine/least_squares.h; they end with NULL.
extern const char *const solve_method_names[], *const solve_stop_names[], *const solve_preconditioner_names[],
                                                                              *const solve_filter_names[];
enum { SOLVE_PRECISION_AUTO, SOLVE_PRECISION_FLOAT, SOLVE_PRECISION_DOUBLE };

// What can be refused before anything is read: numbers, and what goes together.
kn_status solve_settle(struct solve_command *command, kn_error *err);
kn_status solve_read(struct solve_command *command, kn_error *err);

// What is asked for that the host alone has, that devices alone have, and that these have in single precision
// alone; NULL: nothing.
const char *solve_host_alone(const kn_least_squares_options *task);
const char *solve_device_alone(const struct solve_command *command);
const char *solve_single_alone(const kn_least_squares_options *task);
// Whether single precision is asked for of what the host has in double alone.
bool solve_is_float_of_double(const struct solve_command *command);

// The device, or the host where that computes; says which one if nobody has chosen it.
kn_status solve_open(struct solve_command *command, kn_error *err);

// How many columns are solved at a time: all, or a part of them where several places share them, and within
// --memory-limit as many as fit; KN_ERROR_MEMORY, with
// what one takes, where not even one does.
kn_status solve_divide(struct solve_command *command, kn_error *err);

// All columns, and what it took.
kn_status solve_compute(struct solve_command *command, kn_error *err);

// What came of `count` columns: as bytes, and from these into x and a piece, which owns them.
// KN_ERROR_MEMORY.
kn_status solve_pack(const kn_least_squares_result *result, size_t count, const double *x, size_t columns,
                     kn_distribute_result *bytes, kn_error *err);
kn_status solve_unpack(const void *bytes, size_t size, size_t columns, struct solve_piece *piece, double *x,
                       kn_error *err);

// All of --sweep.
kn_status solve_sweep(struct solve_command *command, kn_error *err);

// What the results say of all columns together (solve_results.c): of column i; of that with the greatest
// residual, and of that which single precision has computed worst; the greatest difference of the adjoint
// check, by its bound.
const kn_least_squares_solution *solve_solution(const struct solve_command *command, size_t i);
const double *solve_history(const struct solve_command *command, size_t i, size_t *count);
size_t solve_worst(const struct solve_command *command);
const kn_least_squares_solution *solve_farthest(const struct solve_command *command);
double solve_adjoint(const struct solve_command *command, double *bound);
kn_least_squares_times solve_times(const struct solve_command *command);

// Tolerance and noise, as far as they were asked for.
bool solve_reached(const kn_least_squares_solution *solution);
// False if memory ran out.
bool solve_print(const struct solve_command *command);
kn_status solve_write_json(struct solve_command *command, kn_error *err);

#endif
