// SPDX-License-Identifier: Apache-2.0
// bench/launch: the loop over cuLaunchKernel, with Koine's own CUfunction and the parameters that it has.
#include "launch.h"

#include <stdio.h>
#include <stdlib.h>

#include "backend/cuda/cuda.h"
#include "backend/cuda/cuda_launch.h"
#include "engine/engine.h"

enum { MAX_PARAMS = 16 };

struct launch_loop {
    struct be_context *context;
    CUfunction function;
    CUstream stream;
    struct cuda_geometry at;
    CUdeviceptr pointers[MAX_PARAMS];
    unsigned offsets[MAX_PARAMS]; // of __local memory in the arena, of __constant memory in the bank: one of
                                  // each, so 0
    void *params[MAX_PARAMS + 1];
    unsigned shared;
};

static struct launch_loop *cuda_loop_open(const struct launch_case *of)
{
    struct launch_loop *loop = calloc(1, sizeof *loop);
    struct be_kernel *native = of->kernel->clones[0].native;
    struct be_range range = {1, {0, 0, 0}, {of->range.global[0], 1, 1}, {0, 0, 0}};
    const size_t local[3] = {of->range.local[0], 1, 1};
    kn_error err = KN_ERROR_INIT;

    if (!loop || of->arg_count > MAX_PARAMS)
        exit(5);
    loop->context = native->context;
    loop->function = native->function;
    loop->stream = of->queue->native->stream;
    bench_try(ki_cuda_geometry_make(&range, local, "cuda", &loop->at, &err), &err);
    for (size_t i = 0; i < of->arg_count; i++) {
        const kn_arg *arg = &of->args[i];
        loop->params[i] = &loop->offsets[i];
        if (arg->kind == KN_ARG_VALUE || arg->kind == KN_ARG_INLINE) {
            loop->params[i] = (void *)(arg->kind == KN_ARG_VALUE ? arg->value : arg->bytes);
        } else if (arg->kind == KN_ARG_LOCAL) {
            loop->shared = (unsigned)arg->size;
        } else if (!native->bank_bytes || kn_kernel_get_param(of->kernel, i)->kind != KN_PARAM_CONSTANT) {
            loop->pointers[i] = arg->buffer->native->pointer;
            loop->params[i] = &loop->pointers[i];
        }
    }
    loop->params[of->arg_count] = &loop->at.item;
    return loop;
}

static void cuda_loop_run(struct launch_loop *loop, int count, bool set)
{
    const struct cuda_driver *cu = &loop->context->cu;
    const unsigned *grid = loop->at.grid, *block = loop->at.block;
    CUresult code = cu->cuCtxPushCurrent_v2(loop->context->context);
    CUcontext popped;

    (void)set;
    for (int i = 0; i < count && !code; i++)
        code = cu->cuLaunchKernel(loop->function, grid[0], grid[1], grid[2], block[0], block[1], block[2],
                                  loop->shared, loop->stream, loop->params, NULL);
    if (code) {
        fprintf(stderr, "bench: cuLaunchKernel: error %d\n", code);
        exit(4);
    }
    (void)cu->cuCtxPopCurrent_v2(&popped);
}

static void cuda_loop_close(struct launch_loop *loop)
{
    free(loop);
}

const struct launch_native launch_cuda = {"cuLaunchKernel", NULL, cuda_loop_open, cuda_loop_run,
                                          cuda_loop_close};
