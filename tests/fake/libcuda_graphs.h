// SPDX-License-Identifier: Apache-2.0
// Graphs of the fake driver, for libcuda.c: captured operations are kept, and executed at each launch of the
// graph.

struct fake_node {
    struct fake_launch launch;
    CUcontext faults; // the context in which this launch faults; otherwise NULL
    CUdeviceptr to, from;
    size_t bytes; // of a copy; 0: a launch
};
struct CUgraph_st {
    struct fake_node *nodes;
    size_t count;
};
struct CUgraphExec_st {
    struct CUgraph_st graph;
};

static void drop_graph(CUgraph graph)
{
    if (graph)
        free(graph->nodes);
    free(graph);
}

// False if the stream is not capturing, so the operation must be executed.
static bool capture_node(CUstream stream, const struct fake_node *node)
{
    CUgraph graph = stream ? stream->captures : NULL;

    if (!graph)
        return false;
    graph->nodes = realloc(graph->nodes, (graph->count + 1) * sizeof *graph->nodes);
    graph->nodes[graph->count++] = *node;
    return true;
}

static CUresult run_node(const struct fake_node *node, CUstream stream)
{
    if (node->bytes) {
        memcpy((void *)(size_t)node->to, (const void *)(size_t)node->from, node->bytes);
        state.copies_on_device++;
        return CUDA_SUCCESS;
    }
    pthread_mutex_lock(&lock);
    state.last = node->launch;
    state.last.stream = stream;
    state.launches++;
    pthread_mutex_unlock(&lock);
    if (node->faults)
        node->faults->fault = CUDA_ERROR_ILLEGAL_ADDRESS;
    return CUDA_SUCCESS;
}

CUresult cuStreamBeginCapture_v2(CUstream stream, int mode)
{
    NEEDS_CONTEXT(cuStreamBeginCapture_v2);
    if (!stream || stream->captures || mode < 0 || mode > CU_STREAM_CAPTURE_MODE_RELAXED)
        return INVALID_VALUE;
    stream->captures = calloc(1, sizeof *stream->captures);
    return CUDA_SUCCESS;
}

// A capture ends even if the call is told to fail; then there is no graph.
CUresult cuStreamEndCapture(CUstream stream, CUgraph *graph)
{
    int code = fake_failure("cuStreamEndCapture", &state.injected);

    if (!code)
        code = current_fault();
    if (!code && !stream->captures)
        code = INVALID_VALUE;
    *graph = code ? NULL : stream->captures;
    if (code)
        drop_graph(stream->captures);
    else
        state.objects++;
    stream->captures = NULL;
    return code;
}

CUresult cuGraphInstantiateWithFlags(CUgraphExec *exec, CUgraph graph, unsigned long long flags)
{
    NEEDS_CONTEXT(cuGraphInstantiateWithFlags);
    if (flags)
        return INVALID_VALUE;
    *exec = calloc(1, sizeof **exec);
    (*exec)->graph.count = graph->count;
    (*exec)->graph.nodes = calloc(graph->count + 1, sizeof *graph->nodes);
    memcpy((*exec)->graph.nodes, graph->nodes, graph->count * sizeof *graph->nodes);
    state.objects++;
    return CUDA_SUCCESS;
}

CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream)
{
    NEEDS_CONTEXT(cuGraphLaunch);
    for (size_t i = 0; i < exec->graph.count; i++)
        run_node(&exec->graph.nodes[i], stream);
    return CUDA_SUCCESS;
}

CUresult cuGraphExecDestroy(CUgraphExec exec)
{
    free(exec->graph.nodes);
    return ended("cuGraphExecDestroy", exec);
}

CUresult cuGraphDestroy(CUgraph graph)
{
    free(graph->nodes);
    return ended("cuGraphDestroy", graph);
}
