// SPDX-License-Identifier: Apache-2.0
// PTX and occupancy of the fake driver: the comments of fake.h in a text determine its PTX.
#ifndef KN_TESTS_FAKE_LIBCUDA_PTX_H
#define KN_TESTS_FAKE_LIBCUDA_PTX_H

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned count, int *options, void **values)
{
    const char *text = image;

    NEEDS_CONTEXT(cuModuleLoadDataEx);
    if (strstr(text, "//refused") ||
        strstr(text, ".param .u64 .ptr")) { // like the driver for the parameters of OpenCL kernels
        for (unsigned i = 0; i < count; i++)
            if (options[i] == CU_JIT_ERROR_LOG_BUFFER)
                strcpy(values[i], "ptxas fatal   : a fake refusal");
        return CUDA_ERROR_INVALID_PTX;
    }
    *module = calloc(1, sizeof **module);
    for (const char *line = strchr(text, '\n'); line; line = strchr(line, '\n'))
        read_line(*module, ++line);
    state.objects++;
    return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *groups, CUfunction function, int block,
                                                     size_t shared)
{
    NEEDS_CONTEXT(cuOccupancyMaxActiveBlocksPerMultiprocessor);
    (void)function;
    *groups = 2048 / block - (shared > 1000);
    return CUDA_SUCCESS;
}

#endif
