// SPDX-License-Identifier: Apache-2.0
// Translates a preprocessed OpenCL C 1.2 program to CUDA C++17, for NVRTC and, with tests/shim, for a host
// compiler. syntax.h reads the program into a tree; the functions of print.h write the tree as C++, with a
// file for each construct that C++ expresses differently; cl/cuda/prelude.cuh comes before the program and
// supplies what they use.
//
// How C becomes C++ where the words are the same, apart from the obvious:
//   every function gets a first parameter kn_me, the work-item;
//   enums are integers, and their constants are replaced by their values; tags give way to typedefs of the
//   same
//   name (kn_tag_...);
//   `__constant T` is `const T`; volatile is dropped from vectors and structs, which are classes in C++;
//   wrappers are named koine_KERNEL and follow each kernel, in its namespace, so that kn's types are found.
#ifndef KN_SOURCE_CUDA_CUDA_H
#define KN_SOURCE_CUDA_CUDA_H

#include "source/source.h"

struct src_cuda_options {
    bool constant_bank; // how __constant kernel arguments arrive: by offset into the bank, or as global
                        // pointers
    size_t bank_bytes;
    const struct src_embedded *embedded; // has cuda/prelude.cuh; ends in {NULL, NULL}; NULL for no prelude
    bool host_shim;                      // for a host compiler: the same text without what only NVRTC knows
};

struct src_cuda {
    const char *text;
    size_t length;
    size_t table_bytes; // of program-scope __constant data, an upper bound
    bool uses_constant_args;
    size_t bank_bytes;              // 0: __constant arguments are pointers
    kn_source_cuda_kernel *kernels; // one for each of the unit's, in the same order
    bool contract_off; // #pragma OPENCL FP_CONTRACT OFF was given: then nothing in the program may be
                       // contracted
};

// Errors: KN_ERROR_UNSUPPORTED for what CUDA lacks (pipes, device-side enqueue, recursion, function pointers)
// and KN_ERROR_BUILD for text that the parser does not accept as OpenCL C, both with file and line;
// KN_ERROR_MEMORY.
kn_status ki_src_cuda(const struct src_unit *unit, const struct src_options *options,
                      const struct src_cuda_options *cuda, struct src_cuda **out, kn_error *err);
void ki_src_cuda_free(struct src_cuda *cuda);

// The text that Koine itself compiles: with its prelude, and with the constant bank if the program defines
// KN_CONSTANT=bank and has __constant arguments; the bank then gets what the program's own tables leave of
// constant memory. Errors: those of src_cuda, and KN_ERROR_LIMIT if the tables leave nothing.
kn_status ki_src_cuda_program(const struct src_unit *unit, const struct src_options *options,
                              struct src_cuda **out, kn_error *err);

#endif
