// SPDX-License-Identifier: Apache-2.0
// The list of commands, and the description of the whole program.
#ifndef KN_CLI_COMMANDS_H
#define KN_CLI_COMMANDS_H

#include "cli/framework/options.h"

#define KOINE_SUMMARY "Runs OpenCL C kernels on any vendor's device, and the sciences built on them"

extern const struct command command_devices;
extern const struct command command_cache;
extern const struct command command_tune;
extern const struct command command_check;
extern const struct command command_emit;
extern const struct command command_run;
extern const struct command command_compare;
extern const struct command command_sort;
extern const struct command command_reduce;
extern const struct command command_select;
extern const struct command command_scan;
extern const struct command command_fft;
extern const struct command command_gemm;
extern const struct command command_solve;
extern const struct command command_project;
extern const struct command command_spmv;
extern const struct command command_stats;
extern const struct command command_autocorr;
extern const struct command command_prepare;
extern const struct command command_recon;
extern const struct command command_phantom;
extern const struct command command_trajectory;

// All commands, in the order of the help; ends in NULL.
extern const struct command *const koine_commands[];

enum { KOINE_EXAMPLES = 2 };
extern const struct command_example koine_examples[KOINE_EXAMPLES];

// The command of that name, NULL if there is none.
const struct command *command_named(const char *name);

#endif
