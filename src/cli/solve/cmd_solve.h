// SPDX-License-Identifier: Apache-2.0
// koine solve: what was asked for, and where it is computed (cmd_solve.c, solve_settle.c), what is said of it
// (solve_print.c), and --sweep (solve_sweep.c).
#ifndef KN_CLI_SOLVE_CMD_SOLVE_H
#define KN_CLI_SOLVE_CMD_SOLVE_H

#include "app/sparse/solver/solve.h"
#include "cli/framework/progress.h"
#include "cli/tool.h"

struct solve_arguments {
    struct tool_arguments tool;
    const char *start, *tolerance, *noise, *lambda, *smooth, *bounds, *correction, *weight, *rhs, *slice;
    size_t iterations;
    bool nonnegative, sweep;
    int method, stop, preconditioning, format, precision;
};

struct solve_command {
    struct solve_arguments *arguments;
    struct tool tool;
    struct sparse_task task;
    kn_sparse *read;                 // what A's file has,
    struct sparse_matrix matrix;     // and a view of it
    struct sparse_parallel geometry; // instead of it, where A is parallel:...
    struct sparse_columns b, start;  // `b`: those that are solved
    size_t first;                    // which column of the file is the first of them
    struct progress progress;
    struct sparse_answer answer;
};

extern const char *const solve_precision_names[]; // "auto", "float", "double"
enum { SOLVE_PRECISION_AUTO, SOLVE_PRECISION_FLOAT, SOLVE_PRECISION_DOUBLE };

// What can be refused before anything is read: numbers, and what goes together.
kn_status solve_settle(struct solve_command *command, kn_error *err);
kn_status solve_read(struct solve_command *command, kn_error *err);
// The device, or the host where that computes; says which one if nobody has chosen it.
kn_status solve_open(struct solve_command *command, kn_error *err);

// All of --sweep.
kn_status solve_sweep(struct solve_command *command, kn_error *err);

// False if memory ran out.
bool solve_print(const struct solve_command *command);
kn_status solve_write_json(struct solve_command *command, kn_error *err);

#endif
