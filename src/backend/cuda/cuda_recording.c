// SPDX-License-Identifier: Apache-2.0
// The CUDA backend: recordings of launches, as graphs. A separate stream captures them: an application's
// default stream cannot, and what the application does meanwhile is not captured.
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "cuda.h"

struct be_recording {
    struct be_context *context;
    CUgraphExec graph;
    struct be_memory **written; // by any of the launches
    size_t count, capacity;
};

static kn_status note_written(struct be_recording *recording, struct be_memory *memory, kn_error *err)
{
    for (size_t i = 0; i < recording->count; i++)
        if (recording->written[i] == memory)
            return KN_OK;
    return KI_ARRAY_PUSH(recording->written, recording->count, recording->capacity, memory)
               ? KN_OK
               : ki_fail_memory(err, recording->count * sizeof memory, "a recording");
}

static kn_status note_all_written(struct be_recording *recording, const struct be_launch *launches,
                                  size_t count, kn_error *err)
{
    kn_status status = KN_OK;

    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < launches[i].arg_count && !status; k++)
            if (ki_cuda_launch_writes(launches[i].kernel, launches[i].args, k))
                status = note_written(recording, launches[i].args[k].memory, err);
    return status;
}

// The launches as a graph; the context is current. A capture that was begun is ended in every case.
static kn_status capture(struct be_queue *queue, const struct be_launch *launches, size_t count,
                         CUgraph *graph, kn_error *err)
{
    const struct cuda_driver *cu = &queue->context->cu;
    struct cuda_outcome outcome =
        CUDA_DO(cu, cuStreamBeginCapture_v2, queue->stream, CU_STREAM_CAPTURE_MODE_RELAXED);
    kn_status status = KN_OK;

    if (outcome.code)
        return ki_cuda_fail(err, cu, queue->context->spec, outcome, "recording launches");
    for (size_t i = 0; i < count && !status; i++)
        status = ki_cuda_launch(queue, launches[i].kernel, &launches[i].range, launches[i].args,
                                launches[i].arg_count, NULL, err);
    outcome = CUDA_DO(cu, cuStreamEndCapture, queue->stream, graph);
    if (!status && outcome.code)
        status = ki_cuda_fail(err, cu, queue->context->spec, outcome, "recording launches");
    return status;
}

// Makes a kernel's first launch in the graph, and the next one outside of it, fill the bank: captured work
// was not executed.
static void forget_banks(const struct be_launch *launches, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (launches[i].kernel->slots)
            memset(launches[i].kernel->slots, 0, launches[i].arg_count * sizeof *launches[i].kernel->slots);
}

// The context is current.
static kn_status make_graph(struct be_recording *recording, const struct be_launch *launches, size_t count,
                            kn_error *err)
{
    struct be_context *context = recording->context;
    const struct cuda_driver *cu = &context->cu;
    struct be_queue captures = {.context = context};
    CUgraph graph = NULL;
    struct cuda_outcome outcome = CUDA_DO(cu, cuStreamCreate, &captures.stream, CU_STREAM_NON_BLOCKING);
    kn_status status;

    if (outcome.code)
        return ki_cuda_fail(err, cu, context->spec, outcome, "opening a stream");
    forget_banks(launches, count);
    status = capture(&captures, launches, count, &graph, err);
    forget_banks(launches, count);
    if (!status) {
        outcome = CUDA_DO(cu, cuGraphInstantiateWithFlags, &recording->graph, graph, 0);
        if (outcome.code)
            status = ki_cuda_fail(err, cu, context->spec, outcome, "making a graph of launches");
    }
    if (graph)
        (void)cu->cuGraphDestroy(graph);
    (void)cu->cuStreamDestroy_v2(captures.stream);
    return status;
}

kn_status ki_cuda_recording_create(struct be_queue *queue, const struct be_launch *launches, size_t count,
                                   struct be_recording **recording, kn_error *err)
{
    struct be_context *context = queue->context;
    struct be_recording *made;
    kn_status status;

    if (context->cu.no_graphs)
        return ki_fail(err, KN_ERROR_UNSUPPORTED, "%s: NVIDIA's driver has no %s (graphs as of CUDA 11.4)",
                       context->spec, context->cu.no_graphs);
    made = calloc(1, sizeof *made);
    if (!made)
        return ki_fail_memory(err, sizeof *made, "a recording");
    made->context = context;
    status = note_all_written(made, launches, count, err);
    if (!status)
        status = ki_cuda_enter(context, err);
    if (!status) {
        status = make_graph(made, launches, count, err);
        ki_cuda_leave(context);
    }
    if (status) {
        free(made->written);
        free(made);
    } else {
        *recording = made;
    }
    return status;
}

kn_status ki_cuda_recording_replay(struct be_queue *queue, struct be_recording *recording, kn_error *err)
{
    struct cuda_work work;
    struct cuda_outcome outcome;
    kn_status status = ki_cuda_work_begin(&work, queue, false, err);

    if (status)
        return status;
    outcome = CUDA_DO(&queue->context->cu, cuGraphLaunch, recording->graph, queue->stream);
    for (size_t i = 0; i < recording->count && !outcome.code; i++)
        ki_cuda_memory_written(recording->written[i]);
    return ki_cuda_work_end(&work, outcome, false, "replaying launches", NULL, err);
}

// The driver lets a graph that is still running finish.
void ki_cuda_recording_free(struct be_recording *recording)
{
    bool entered = ki_cuda_enter_to_free(recording->context);

    (void)recording->context->cu.cuGraphExecDestroy(recording->graph);
    if (entered)
        ki_cuda_leave(recording->context);
    free(recording->written);
    free(recording);
}
