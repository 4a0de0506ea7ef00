// SPDX-License-Identifier: Apache-2.0
// koine/experimental/explain.h.
#include "explain.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/words.h"

#define LOCAL_UNIT ((size_t)16) // a __local argument begins at a multiple of this many bytes

// ---- programs ----

kn_status kn_context_explain(kn_context *context, kn_error *err)
{
    if (!context)
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_context_explain: context is NULL");
    context->explained = true;
    return KN_OK;
}

// Whether the device's driver is NVIDIA's OpenCL, whose compiler also produces PTX.
static bool is_nvidia_opencl(const kn_context *context)
{
    return ki_words_have(context->device.extensions, "cl_nv_compiler_options");
}

const char *ki_engine_report_options(const kn_context *context)
{
    if (context->backend->language == BE_LANGUAGE_CUDA)
        return " --ptxas-options=-v";
    return is_nvidia_opencl(context) ? " -cl-nv-verbose" : "";
}

kn_status ki_engine_explain_keep(kn_program *program, const char *source, const char *options,
                                 const char *log, kn_error *err)
{
    program->source = strdup(source);
    program->options = strdup(options);
    program->report = strdup(log ? log : "");
    return program->source && program->options && program->report
               ? KN_OK
               : ki_fail_memory(err, strlen(source), "keeping what a program was made from");
}

void ki_engine_explain_free(kn_program *program)
{
    free(program->source);
    free(program->options);
    free(program->report);
}

const char *kn_program_get_report(const kn_program *program)
{
    return program && program->report ? program->report : "";
}

kn_status kn_program_get_ptx(kn_program *program, char **ptx, kn_error *err)
{
    const kn_context *context;

    if (!program || !ptx)
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_program_get_ptx: program or ptx is NULL");
    context = program->context;
    // Other drivers are not asked for a binary: PoCL 5 ends the process if one of its kernels is running.
    if (context->backend->language != BE_LANGUAGE_CUDA && !is_nvidia_opencl(context))
        return ki_fail(err, KN_ERROR_UNSUPPORTED, "%s: this driver's compiler makes no PTX, as NVIDIA's do",
                       context->device.info.spec);
    if (!program->source && context->backend->language == BE_LANGUAGE_CUDA)
        return ki_fail(err, KN_ERROR_UNSUPPORTED,
                       "%s: kn_program_get_ptx: the program was made without kn_context_explain",
                       context->device.info.spec);
    return context->backend->program_ptx(program->native, program->source, program->options, ptx, err);
}

// ---- kernels ----

kn_status kn_kernel_get_resources(kn_kernel *kernel, size_t group_items, size_t local_bytes,
                                  kn_kernel_resources *resources, kn_error *err)
{
    struct be_kernel_resources found = {group_items, local_bytes, -1, -1, -1};
    kn_status status;

    if (!kernel || !resources || group_items == 0)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "kn_kernel_get_resources: kernel or resources is NULL, or a group has no work-items");
    status = kernel->program->context->backend->kernel_resources(kernel->clones[0].native, &found, err);
    if (!status)
        *resources = (kn_kernel_resources){found.registers, found.private_bytes,
                                           (long)(kernel->limits.local_bytes + local_bytes), found.groups};
    return status;
}

kn_status kn_context_load_ptx(kn_context *context, const char *kernel, const char *ptx, kn_error *err)
{
    if (!context || !kernel || !ptx)
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_context_load_ptx: context, kernel or ptx is NULL");
    if (!context->backend->ptx_substitute)
        return ki_fail(err, KN_ERROR_UNSUPPORTED, "%s (%s): PTX runs through CUDA only",
                       context->device.info.spec, context->device.info.name);
    return context->backend->ptx_substitute(context->native, kernel, ptx, err);
}

// ---- launches ----

kn_status kn_queue_watch(kn_queue *queue, kn_launch_function *function, void *user, kn_error *err)
{
    if (!queue)
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_queue_watch: queue is NULL");
    queue->watcher = function;
    queue->watcher_user = user;
    return KN_OK;
}

void ki_engine_explain_notice(const kn_queue *queue, const kn_kernel *kernel, const struct be_launch *launch)
{
    kn_program *program = kernel->program;
    kn_launch_notice notice = {
        program, &program->kernels[kernel - program->kernels], {launch->range.dims, {0}, {0}, {0}}, 0};

    memcpy(notice.range.global, launch->range.global, sizeof notice.range.global);
    memcpy(notice.range.local, launch->range.local, sizeof notice.range.local);
    memcpy(notice.range.offset, launch->range.offset, sizeof notice.range.offset);
    for (size_t i = 0; i < launch->arg_count; i++)
        if (launch->args[i].kind == BE_ARG_LOCAL)
            notice.local_bytes += (launch->args[i].size + LOCAL_UNIT - 1) / LOCAL_UNIT * LOCAL_UNIT;
    queue->watcher(queue->watcher_user, &notice);
}
