// SPDX-License-Identifier: Apache-2.0
// The OpenCL loader (libOpenCL.so.1), opened at run time, and the libraries above it. Koine builds with only
// OpenCL's headers and runs without any of these; if one is missing, there is a reason in words.
#ifndef KN_BACKEND_OPENCL_OPENCL_LOAD_H
#define KN_BACKEND_OPENCL_OPENCL_LOAD_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdbool.h>
#include <stddef.h>

#define OPENCL_WHY_BYTES 256

// Every call that Koine makes: all are in OpenCL 1.2, and none is deprecated there. X(name without cl)
#define OPENCL_CALLS(X)                                                                                      \
    X(BuildProgram)                                                                                          \
    X(CreateBuffer)                                                                                          \
    X(CreateCommandQueue)                                                                                    \
    X(CreateContext)                                                                                         \
    X(CreateImage)                                                                                           \
    X(CreateKernel)                                                                                          \
    X(CreateProgramWithBinary)                                                                               \
    X(CreateProgramWithSource)                                                                               \
    X(CreateSampler)                                                                                         \
    X(EnqueueBarrierWithWaitList)                                                                            \
    X(EnqueueCopyBuffer)                                                                                     \
    X(EnqueueCopyImage)                                                                                      \
    X(EnqueueFillBuffer)                                                                                     \
    X(EnqueueMapBuffer)                                                                                      \
    X(EnqueueMarkerWithWaitList)                                                                             \
    X(EnqueueNDRangeKernel)                                                                                  \
    X(EnqueueReadBuffer)                                                                                     \
    X(EnqueueReadImage)                                                                                      \
    X(EnqueueUnmapMemObject)                                                                                 \
    X(EnqueueWriteBuffer)                                                                                    \
    X(EnqueueWriteImage)                                                                                     \
    X(Finish)                                                                                                \
    X(Flush)                                                                                                 \
    X(GetCommandQueueInfo)                                                                                   \
    X(GetContextInfo)                                                                                        \
    X(GetDeviceIDs)                                                                                          \
    X(GetDeviceInfo)                                                                                         \
    X(GetEventInfo)                                                                                          \
    X(GetEventProfilingInfo)                                                                                 \
    X(GetExtensionFunctionAddressForPlatform)                                                                \
    X(GetKernelWorkGroupInfo)                                                                                \
    X(GetMemObjectInfo)                                                                                      \
    X(GetPlatformIDs)                                                                                        \
    X(GetPlatformInfo)                                                                                       \
    X(GetProgramBuildInfo)                                                                                   \
    X(GetProgramInfo)                                                                                        \
    X(GetSupportedImageFormats)                                                                              \
    X(ReleaseCommandQueue)                                                                                   \
    X(ReleaseContext)                                                                                        \
    X(ReleaseEvent)                                                                                          \
    X(ReleaseKernel)                                                                                         \
    X(ReleaseMemObject)                                                                                      \
    X(ReleaseProgram)                                                                                        \
    X(ReleaseSampler)                                                                                        \
    X(RetainCommandQueue)                                                                                    \
    X(RetainContext)                                                                                         \
    X(RetainEvent)                                                                                           \
    X(RetainMemObject)                                                                                       \
    X(SetKernelArg)                                                                                          \
    X(WaitForEvents)

#define OPENCL_MEMBER(name) __typeof__(&cl##name) name;

struct opencl_calls {
    OPENCL_CALLS(OPENCL_MEMBER)
};

// The loader's calls: cl->GetDeviceInfo(...). A process has one loader, so there is one table: ki_opencl_load
// fills it, and it does not change afterwards.
extern struct opencl_calls ki_opencl_calls;
static struct opencl_calls *const cl = &ki_opencl_calls;

// Opens the loader, once in a process: the one that is loaded already, as in an application that links with
// it; else that of KOINE_OPENCL_LIBRARY; else the system's. False with the reason, and the next call tries
// again. Call it before any other OpenCL function; any thread may. It opens no driver: the loader does that
// in its first call.
bool ki_opencl_load(char why[OPENCL_WHY_BYTES]);

// An entry point of a library, and where its address goes.
struct opencl_symbol {
    const char *name;
    size_t member;
};

// A library that itself calls OpenCL, by its versioned name: fills in the function pointers of `calls`. False
// with the reason: it is missing (`package` has it), lacks a symbol, or calls another OpenCL loader than
// ours, whose objects it would not know. It stays in the process for good.
bool ki_opencl_library_load(const char *name, const char *package, void *calls,
                            const struct opencl_symbol *symbols, size_t count, char why[OPENCL_WHY_BYTES]);

#endif
