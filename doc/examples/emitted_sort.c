// SPDX-License-Identifier: Apache-2.0
// Koine's bitonic sort in an OpenCL program that does not link libkoine. The text of the kernels, sort_blocks.cl, and
// the header with their launchers were written by
//     koine emit -D LOG2_KEYS=3 sort_blocks
// emitted_sort sort_blocks.cl: sorts floats on the first device there is, and checks them against qsort.
#define CL_TARGET_OPENCL_VERSION 120
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sort_blocks.h"

enum { N = 1000003, GROUP = sort_blocks_GROUP_X };

struct sorter {
    cl_command_queue queue;
    cl_kernel blocks, merge_global, merge_local;
    cl_mem keys;
    unsigned log2_keys, log2_block; // of a work-item, of a work-group
};

// A work-item for every 2^log2_keys keys of whole runs of 2^log2_run.
static size_t items_for(const struct sorter *s, unsigned log2_run)
{
    return ((((size_t)N - 1) >> log2_run) + 1) << (log2_run - s->log2_keys);
}

// Runs of 2^(stage - 1) keys become runs of 2^stage.
static cl_int merge(const struct sorter *s, unsigned stage, bool is_last)
{
    const size_t group = GROUP, runs = items_for(s, stage), blocks = items_for(s, s->log2_block);
    unsigned bits = stage - s->log2_keys;
    cl_int status =
        koine_launch_merge_global(s->queue, s->merge_global, 1, &runs, &group, s->keys, N, bits, 1, NULL);

    while (status == CL_SUCCESS && bits > s->log2_block) {
        bits -= s->log2_keys;
        status =
            koine_launch_merge_global(s->queue, s->merge_global, 1, &runs, &group, s->keys, N, bits, 0, NULL);
    }
    if (status == CL_SUCCESS)
        status = koine_launch_merge_local(s->queue, s->merge_local, 1, &blocks, &group, s->keys, N, bits,
                                          is_last, NULL);
    return status;
}

static cl_int sort(const struct sorter *s)
{
    const size_t group = GROUP, blocks = items_for(s, s->log2_block);
    unsigned stages = 0;
    cl_int status;

    while (((size_t)1 << stages) < N)
        stages++;
    status = koine_launch_sort_blocks(s->queue, s->blocks, 1, &blocks, &group, s->keys, N,
                                      stages <= s->log2_block, NULL);
    for (unsigned stage = s->log2_block + 1; stage <= stages && status == CL_SUCCESS; stage++)
        status = merge(s, stage, stage == stages);
    return status;
}

static cl_device_id find_device(void)
{
    cl_platform_id platforms[16];
    cl_uint count = 0;
    cl_device_id device = NULL;

    if (clGetPlatformIDs(16, platforms, &count) != CL_SUCCESS)
        return NULL;
    for (cl_uint i = 0; i < count && i < 16 && !device; i++)
        clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    return device;
}

static cl_program build(cl_context context, cl_device_id device, const char *path)
{
    static char text[1 << 20];
    const char *start = text;
    FILE *file = fopen(path, "r");
    size_t length = file ? fread(text, 1, sizeof text, file) : 0;
    cl_program program = length ? clCreateProgramWithSource(context, 1, &start, &length, NULL) : NULL;

    if (file)
        fclose(file);
    if (program && clBuildProgram(program, 1, &device, "-cl-std=CL1.2", NULL, NULL) != CL_SUCCESS) {
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof text, text, NULL);
        fprintf(stderr, "emitted_sort: %s\n", text);
    }
    return program;
}

static int by_value(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;

    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    static float keys[N], expected[N];
    char name[256] = "";
    cl_device_id device = find_device();
    cl_context context;
    cl_program program;
    cl_int status;
    struct sorter s = {.log2_keys = (unsigned)atoi(SORT_BLOCKS_MACRO_LOG2_KEYS)};

    if (argc != 2 || !device) {
        fprintf(stderr, "emitted_sort: %s\n", device ? "name sort_blocks.cl" : "there is no OpenCL device");
        return 2;
    }
    for (s.log2_block = s.log2_keys; GROUP > 1 << (s.log2_block - s.log2_keys); s.log2_block++)
        ;
    for (size_t i = 0; i < N; i++)
        expected[i] = keys[i] = (float)rand() / (float)RAND_MAX - 0.5f;
    qsort(expected, N, sizeof *expected, by_value);

    clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL);
    context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    program = build(context, device, argv[1]);
    s.queue = clCreateCommandQueue(context, device, 0, NULL);
    s.blocks = clCreateKernel(program, sort_blocks_NAME, NULL);
    s.merge_global = clCreateKernel(program, merge_global_NAME, NULL);
    s.merge_local = clCreateKernel(program, merge_local_NAME, NULL);
    s.keys = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof keys, keys, NULL);
    status = sort(&s);
    if (status == CL_SUCCESS)
        status = clEnqueueReadBuffer(s.queue, s.keys, CL_TRUE, 0, sizeof keys, keys, 0, NULL, NULL);
    if (status == CL_SUCCESS && memcmp(keys, expected, sizeof keys) == 0)
        printf("%d floats sorted on %s\n", (int)N, name);
    else
        fprintf(stderr, "emitted_sort: OpenCL error %d, or not sorted\n", (int)status);

    clReleaseMemObject(s.keys);
    clReleaseKernel(s.blocks);
    clReleaseKernel(s.merge_global);
    clReleaseKernel(s.merge_local);
    clReleaseProgram(program);
    clReleaseCommandQueue(s.queue);
    clReleaseContext(context);
    return status != CL_SUCCESS || memcmp(keys, expected, sizeof keys) != 0;
}
