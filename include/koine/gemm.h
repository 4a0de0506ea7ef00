// SPDX-License-Identifier: Apache-2.0
// Products of dense matrices on the device: Koine's own kernel, CLBlast and cuBLAS behind one function.
#ifndef KOINE_GEMM_H
#define KOINE_GEMM_H

#include <koine/launch.h>
#include <koine/types.h>

#ifdef __cplusplus
extern "C" {
#endif

// KN_GEMM_AUTO follows a table of earlier measurements and measures nothing itself: on CUDA devices it takes
// cuBLAS if it is installed, except for products of floats up to 512 x 512 x 512; otherwise Koine's own
// kernels.
typedef enum kn_gemm_library {
    KN_GEMM_AUTO = 0,
    KN_GEMM_OWN = 1,     // Koine's own kernels
    KN_GEMM_CLBLAST = 2, // on OpenCL devices, if libclblast.so.1 is installed
    KN_GEMM_CUBLAS = 3   // on CUDA devices, if NVIDIA's library (libcublas.so.13 or .12) is installed
} kn_gemm_library;

typedef enum kn_gemm_transpose {
    KN_GEMM_AS_IS = 0,
    KN_GEMM_TRANSPOSED = 1,
    KN_GEMM_CONJUGATED = 2 // and transposed; for real matrices the same as KN_GEMM_TRANSPOSED
} kn_gemm_transpose;

// Matrices in row-major order: element (i, j) of matrix l of a batch is at offset + l * stride + i * pitch +
// j. All are counted in elements (a complex element is two numbers, real part first).
typedef struct kn_gemm_matrix {
    kn_buffer *buffer; // A and B are only read
    size_t offset;
    size_t pitch; // from one row to the next; 0: rows follow one another without a gap
    // from one matrix of the batch to the next; 0 for A and B: all products use the same matrix
    size_t stride;
} kn_gemm_matrix;

typedef struct kn_gemm_task {
    size_t struct_size; // set by KN_INIT
    kn_type type;       // KN_F32 or KN_F64: of the numbers
    bool is_complex;    // pairs of them
    kn_gemm_transpose transpose_a, transpose_b;
    size_t m, n, k;           // C has m rows and n columns; op(A) m and k; op(B) k and n
    size_t batch;             // products; 0 is 1
    double alpha[2], beta[2]; // real and imaginary part (0 for real matrices), rounded to `type`
    kn_gemm_matrix a, b, c;
} kn_gemm_task;

typedef struct kn_gemm_options {
    size_t struct_size;              // set by KN_INIT
    kn_gemm_library library;         // a library that is named runs, or is refused with the reason
    const struct kn_gemm_tile *tile; // koine/experimental.h; for KN_GEMM_OWN only; NULL: chosen for the task
} kn_gemm_options;

// C = alpha op(A) op(B) + beta C, asynchronously. `options` may be NULL. C overlaps neither A nor B. With
// beta = 0 the old contents of C are not read; with alpha = 0 or k = 0 neither A nor B is read.
//
// Error of an element of C: at most (k + 2) eps (|alpha| sum |a||b| + |beta c|), three times that if complex,
// where eps is half the distance from 1 to the next number (unit roundoff): k roundings in any order and two
// more. Cost: 2 m n k operations, 8 if complex. Errors: KN_ERROR_ARGUMENT, KN_ERROR_UNSUPPORTED (KN_F64
// without double precision, other types, a library that is not installed), KN_ERROR_LIMIT (a buffer held in
// parts, a tile too large for the device, m, n or k beyond 2^31 - 1).
KN_API kn_status kn_gemm(kn_queue *queue, const kn_gemm_task *task, const kn_gemm_options *options,
                         kn_error *err);

// Which library kn_gemm uses for this task, never KN_GEMM_AUTO; it fails if kn_gemm would refuse the task.
KN_API kn_status kn_gemm_choose(kn_queue *queue, const kn_gemm_task *task, const kn_gemm_options *options,
                                kn_gemm_library *library, kn_error *err);

// "own", "CLBlast", "cuBLAS"; never NULL.
KN_API const char *kn_gemm_library_name(kn_gemm_library library);

#ifdef __cplusplus
}
#endif
#endif
