// SPDX-License-Identifier: Apache-2.0
// CUDA C++ text in, a cubin out: only NVRTC is needed, no driver and no device.
#ifndef KN_BACKEND_CUDA_CUDA_COMPILE_H
#define KN_BACKEND_CUDA_CUDA_COMPILE_H

#include <koine/error.h>
#include <koine/types.h>

#include "cuda_load.h"

struct cuda_cubin {
    void *data;
    size_t bytes;
};

// The compiler's switches for a numeric policy, and for a program with #pragma OPENCL FP_CONTRACT OFF.
const char *ki_cuda_policy_options(kn_policy policy, bool contract_off);

// `options` are separated by blanks; `arch` is one of nvrtc->archs. `log` receives the compiler's output
// (malloc'ed, maybe ""), also on failure; the caller frees it and cubin->data. Errors: KN_ERROR_BUILD if the
// text does not compile; KN_ERROR_DEVICE naming the NVRTC call; KN_ERROR_MEMORY.
kn_status ki_cuda_compile(const struct cuda_nvrtc *nvrtc, const char *text, const char *options, int arch,
                          struct cuda_cubin *cubin, char **log, kn_error *err);

// The same compiler's PTX of the text, an intermediate step to the cubin of the same architecture. The caller
// frees *ptx.
kn_status ki_cuda_compile_ptx(const struct cuda_nvrtc *nvrtc, const char *text, const char *options, int arch,
                              char **ptx, kn_error *err);

#endif
