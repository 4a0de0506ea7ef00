// SPDX-License-Identifier: Apache-2.0
// What the offline compilers share: the arguments of a command line, its run, and what it adds to a result
// and a target.
#include "offline_compiler.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"

void ki_offline_argument(struct offline_arguments *arguments, const char *argument)
{
    if (arguments->count < OFFLINE_ARGUMENTS_MAX)
        arguments->items[arguments->count++] = argument;
    else
        arguments->full = true;
    arguments->items[arguments->count] = NULL;
}

void ki_offline_add(struct offline_arguments *arguments, const char *const *list)
{
    for (; *list; list++)
        ki_offline_argument(arguments, *list);
}

kn_status ki_offline_run(const struct offline_arguments *arguments, const char *const *variables,
                         kn_offline_result *result, int *status, kn_error *err)
{
    struct process_result done;
    struct ki_text log = KI_TEXT_INIT;
    kn_status failed;

    if (arguments->full)
        return ki_fail(err, KN_ERROR_DEVICE, "%s: more than %d words on its command line",
                       arguments->items[0], OFFLINE_ARGUMENTS_MAX);
    failed = ki_process_run(arguments->items, variables, OFFLINE_SECONDS, &done, err);
    if (failed)
        return failed;
    if (result->log)
        ki_text_add(&log, result->log);
    ki_text_add(&log, done.output);
    if (done.timed_out)
        ki_text_format(&log, "%s: stopped after %d seconds\n", arguments->items[0], OFFLINE_SECONDS);
    else if (done.signal)
        ki_text_format(&log, "%s: ended by signal %d\n", arguments->items[0], done.signal);
    free(done.output);
    free(result->log);
    result->log = ki_text_take(&log);
    *status = done.status;
    return result->log ? KN_OK : ki_fail_memory(err, 0, "keeping a compiler's words");
}

kn_offline_kernel *ki_offline_kernel_named(kn_offline_result *result, const char *name, size_t length)
{
    kn_offline_kernel *kernels;

    for (size_t i = 0; i < result->kernel_count; i++)
        if (strlen(result->kernels[i].name) == length && memcmp(result->kernels[i].name, name, length) == 0)
            return &result->kernels[i];
    kernels = realloc(result->kernels, (result->kernel_count + 1) * sizeof *kernels);
    if (!kernels)
        return NULL;
    result->kernels = kernels;
    kernels += result->kernel_count;
    *kernels = (kn_offline_kernel){strndup(name, length), KN_OFFLINE_UNKNOWN, KN_OFFLINE_UNKNOWN,
                                   KN_OFFLINE_UNKNOWN};
    if (!kernels->name)
        return NULL;
    result->kernel_count++;
    return kernels;
}

bool ki_offline_define(kn_offline_target *target, const char *name, size_t name_length, const char *value,
                       size_t value_length)
{
    kn_define define = {ki_arena_copy(&target->arena, name, name_length),
                        ki_arena_copy(&target->arena, value, value_length)};

    return define.name && define.value &&
           KI_ARRAY_PUSH(target->predefined, target->predefined_count, target->predefined_capacity, define);
}

void ki_offline_drop_kernels(kn_offline_result *result)
{
    for (size_t i = 0; i < result->kernel_count; i++)
        free(result->kernels[i].name);
    free(result->kernels);
    result->kernels = NULL;
    result->kernel_count = 0;
}

void ki_offline_result_clear(kn_offline_result *result)
{
    ki_offline_drop_kernels(result);
    free(result->log);
    memset(result, 0, sizeof *result);
}
