// SPDX-License-Identifier: Apache-2.0
// PTX in place of a kernel's own code: read, adapted to CUDA's launches, and checked against the kernel's
// arguments. PTX compiled from Koine's CUDA text is taken as it is. That of NVIDIA's OpenCL differs:
//   - a parameter says which memory it points to (.param .u64 .ptr .global .align 4 x), which the CUDA driver
//     refuses: this is removed;
//   - a __local argument arrives as an address in shared memory: here as the offset in the launch's dynamic
//     shared memory, to which the entry adds the base;
//   - %envreg0 to 2 are the first group and 3 to 5 the global offset, all 0 here; 6 to 8 are the number of
//     groups, %nctaid here; others (9: the dimensions) have no equivalent.
#ifndef KN_BACKEND_CUDA_CUDA_PTX_H
#define KN_BACKEND_CUDA_CUDA_PTX_H

#include "backend/backend.h"

struct cuda_ptx_param {
    size_t bytes;
    bool is_shared;   // an address in shared memory
    const char *name; // in the text that is read: valid as long as that is
    size_t name_length;
};

struct cuda_ptx {
    char *kernel;  // the kernel that it replaces
    char *symbol;  // symbol of the entry
    char *text;    // as the driver takes it
    bool is_koine; // from Koine's CUDA text: it expects an arena, a bank and the work-item
    bool has_bank;
    struct cuda_ptx_param *params;
    size_t param_count, param_capacity;
};

// The entry `kernel` or `koine_kernel`. Errors: KN_ERROR_INPUT if there is none, or the text ends early;
// KN_ERROR_UNSUPPORTED for what a CUDA launch cannot provide; KN_ERROR_MEMORY. `spec` begins the message.
kn_status ki_cuda_ptx_read(const char *spec, const char *kernel, const char *text, struct cuda_ptx **ptx,
                           kn_error *err);
// NULL is fine.
void ki_cuda_ptx_free(struct cuda_ptx *ptx);

// Whether its parameters match the kernel's arguments. KN_ERROR_INPUT if not.
kn_status ki_cuda_ptx_check(const struct cuda_ptx *ptx, const kn_source_kernel *kernel, const char *spec,
                            kn_error *err);

#endif
