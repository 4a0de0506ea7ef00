// SPDX-License-Identifier: Apache-2.0
// NVIDIA's libraries, opened at run time: libcuda (the driver) and libnvrtc (the compiler). Koine builds and
// runs without either; if one is missing, there is a reason in words.
#ifndef KN_BACKEND_CUDA_CUDA_LOAD_H
#define KN_BACKEND_CUDA_CUDA_LOAD_H

#include <stdbool.h>
#include <stddef.h>

#include <koine/error.h>

#include "cuda_api.h"

#define CUDA_WHY_BYTES     256
#define CUDA_TOOLKIT_FILES 3

#define CUDA_MEMBER(result, name, arguments) result(*name) arguments;

struct cuda_driver {
    void *library;
    CUDA_DRIVER_CALLS(CUDA_MEMBER)
    CUDA_GRAPH_CALLS(CUDA_MEMBER)
    const char *no_graphs; // the first call for graphs that the driver lacks; NULL: it has all of them
};

#define CUDA_MAX_ARCHS 64

struct cuda_nvrtc {
    void *library;
    CUDA_NVRTC_CALLS(CUDA_MEMBER)
    int major, minor;
    int archs[CUDA_MAX_ARCHS]; // what it compiles for, ascending: 75, 80, ... 90
    int arch_count;
};

// Opens libcuda.so.1 and initialises it; false with the reason. The library stays in the process for good:
// driver threads may still run in it.
bool ki_cuda_driver_load(struct cuda_driver *driver, char why[CUDA_WHY_BYTES]);
void ki_cuda_driver_unload(struct cuda_driver *driver);

// An entry point of a library, and where its address goes.
struct cuda_symbol {
    const char *name;
    size_t member;
};

// A library of the toolkit that is used besides the driver: cuBLAS, cuFFT.
struct cuda_toolkit {
    const char *name;
    struct {
        int major; // of the toolkit
        const char *name;
    } files[CUDA_TOOLKIT_FILES]; // newest first
    const struct cuda_symbol *symbols;
    size_t symbol_count;
};

// Opens it for a driver of CUDA `newest`, from the system's folders or the toolkit's (or from
// KOINE_CUDA_LIBRARIES), and fills in the function pointers of `calls`. It does not take the library of a
// toolkit newer than the driver, which would need a newer driver. KN_ERROR_UNSUPPORTED if it is not there. If
// *library is then not NULL, the caller closes it with dlclose.
kn_status ki_cuda_toolkit_load(const struct cuda_toolkit *toolkit, int newest, void **library, void *calls,
                               kn_error *err);

// Whether it is there for the present driver.
kn_status ki_cuda_toolkit_find(const struct cuda_toolkit *toolkit, void *calls, kn_error *err);

// Which NVRTC serves a driver: the one of the driver's own major version, or, if that is missing (or the
// driver refuses its output), older ones, newest first. Never a newer one: older drivers refuse its cubins.
//
// Opens the first one found whose major version is at most `newest`; false with the reason.
bool ki_cuda_nvrtc_load(struct cuda_nvrtc *nvrtc, int newest, char why[CUDA_WHY_BYTES]);
void ki_cuda_nvrtc_unload(struct cuda_nvrtc *nvrtc);

// The architecture to compile for so that a card of compute capability `arch` (90 for 9.0) runs it: `arch`
// itself, or the next lower one of the same generation, whose cubins it also runs. 0 if this NVRTC knows
// neither.
int ki_cuda_nvrtc_arch(const struct cuda_nvrtc *nvrtc, int arch);

#endif
