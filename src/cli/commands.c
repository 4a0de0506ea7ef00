// SPDX-License-Identifier: Apache-2.0
#include "commands.h"

#include <string.h>

const struct command *const koine_commands[] = {
    &command_devices,    &command_cache, &command_tune,
    &command_check,      &command_emit,  &command_run,
    &command_compare,    &command_sort,  &command_reduce,
    &command_select,     &command_scan,  &command_fft,
    &command_gemm,       &command_solve, &command_project,
    &command_spmv,       &command_stats, &command_autocorr,
    &command_prepare,    &command_recon, &command_phantom,
    &command_trajectory, NULL,
};

const struct command_example koine_examples[KOINE_EXAMPLES] = {
    {"koine devices", "the available devices, and the default one"},
    {"koine stats ACC.csv", "mean, standard deviation, median and MAD of each column, on that device"},
};

const struct command *command_named(const char *name)
{
    for (const struct command *const *command = koine_commands; *command; command++)
        if (strcmp((*command)->name, name) == 0)
            return *command;
    return NULL;
}
