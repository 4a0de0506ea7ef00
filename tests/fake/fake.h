// SPDX-License-Identifier: Apache-2.0
// What a test sees of the fake libcuda.so.1 and libnvrtc: plain C libraries that take host memory for a
// device's, record launches rather than run them, and fail where they are told to.
//
// The environment, read at every call:
//     FAKE_CUDA_FAIL=CALL:CODE:N   the N-th call of CALL (from 1) answers CODE
//     FAKE_CUDA_DRIVER=13000       what cuDriverGetVersion answers
//     FAKE_CUDA_ARCH=90            the device's compute capability
//     FAKE_CUDA_REFUSE=13          cubins of that NVRTC do not load
//     FAKE_NVRTC_ARCHS="75 90"     what the NVRTC compiles for
//
// A program's text says in comments what the compiler would have found in it:
//     //kernel koine_NAME BYTES...   a kernel, and the size of each of its parameters
//     //shared koine_NAME BYTES      its own shared memory
//     //trap koine_NAME              it faults when it runs
//     //bank BYTES                   there is a symbol kn_bank
//     //error, //warning             the compiler's answer
// In a program that Koine has rewritten, kernels are found without that; they do nothing when they run.
#ifndef KN_TESTS_FAKE_FAKE_H
#define KN_TESTS_FAKE_FAKE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FAKE_PARAMS 288

struct fake_launch {
    char kernel[64];
    unsigned grid[3], block[3], shared;
    size_t count; // number of parameters
    size_t sizes[FAKE_PARAMS];
    unsigned char params[FAKE_PARAMS][128];
    void *stream;
};

struct fake_cuda {
    _Atomic long objects;   // contexts, streams, events, modules and memory that were not released
    long depth;             // contexts on the calling thread's stack
    _Atomic long without;   // calls that need a current context but found none
    _Atomic long injected;  // failures made so far
    _Atomic long not_found; // lookups of symbols that no module has: compute-sanitizer reports them as errors
    unsigned long launches;
    struct fake_launch last;
    unsigned long copies_on_device;
    size_t dynamic_allowed; // set by the last cuFuncSetAttribute
    double now_ms;          // the device's clock
    int occupancy;          // the result of cuOccupancyMaxPotentialBlockSize
};

struct fake_nvrtc {
    _Atomic long objects;
    _Atomic long injected;
    char options[1024]; // of the last compilation
};

// Exported by the libraries.
struct fake_cuda *fake_cuda_state(void);
struct fake_nvrtc *fake_nvrtc_state(void);

// For the libraries: whether this call fails, and with which code.
static inline int fake_failure(const char *name, _Atomic long *injected)
{
    static char seen[128];
    static long calls;
    const char *order = getenv("FAKE_CUDA_FAIL");
    size_t length = strlen(name);
    int code = 0;
    long nth = 0;

    if (!order)
        order = "";
    if (strcmp(order, seen) != 0) {
        snprintf(seen, sizeof seen, "%s", order);
        calls = 0;
    }
    if (strncmp(order, name, length) != 0 || order[length] != ':' ||
        sscanf(order + length + 1, "%d:%ld", &code, &nth) != 2 || ++calls != nth)
        return 0;
    ++*injected;
    return code;
}

static inline int fake_number(const char *variable, int otherwise)
{
    const char *value = getenv(variable);

    return value && *value ? atoi(value) : otherwise;
}

#endif
