// SPDX-License-Identifier: Apache-2.0
// Products of dense matrices on the device: Koine's own kernel, CLBlast and cuBLAS behind one function.
#ifndef KOINE_GEMM_H
#define KOINE_GEMM_H

#include <koine/launch.h>
#include <koine/types.h>

#ifdef __cplusplus
extern "C" {
#endif

// KN_GEMM_AUTO goes by a table of what was measured, not by a measurement of its own: on CUDA devices cuBLAS
// where it is there, but for products of floats up to 512 x 512 x 512; else the own kernels.
typedef enum kn_gemm_library {
    KN_GEMM_AUTO = 0,
    KN_GEMM_OWN = 1,     // Koine's own kernels
    KN_GEMM_CLBLAST = 2, // on OpenCL devices, if libclblast.so.1 is there
    KN_GEMM_CUBLAS = 3   // on CUDA devices, if NVIDIA's library is there (libcublas.so.13 or .12)
} kn_gemm_library;

typedef enum kn_gemm_transpose {
    KN_GEMM_AS_IS = 0,
    KN_GEMM_TRANSPOSED = 1,
    KN_GEMM_CONJUGATED = 2 // and transposed; for real matrices the same as KN_GEMM_TRANSPOSED
} kn_gemm_transpose;

// Matrices in row order: element (i, j) of matrix l of a batch is at offset + l * stride + i * pitch + j. All
// are counted in elements (a complex one is two numbers, real part first).
typedef struct kn_gemm_matrix {
    kn_buffer *buffer; // of A and B only read
    size_t offset;
    size_t pitch;  // from a row to the next; 0: rows follow one another without a gap
    size_t stride; // from a matrix of the batch to the next; 0 for A and B: all products use the same one
} kn_gemm_matrix;

typedef struct kn_gemm_task {
    size_t struct_size; // KN_INIT sets it
    kn_type type;       // KN_F32 or KN_F64: of the numbers
    bool is_complex;    // pairs of them
    kn_gemm_transpose transpose_a, transpose_b;
    size_t m, n, k;           // C has m rows and n columns; op(A) m and k; op(B) k and n
    size_t batch;             // products; 0 is 1
    double alpha[2], beta[2]; // real and imaginary part (0 for real matrices), rounded to `type`
    kn_gemm_matrix a, b, c;
} kn_gemm_task;

typedef struct kn_gemm_options {
    size_t struct_size;              // KN_INIT sets it
    kn_gemm_library library;         // what is named runs, or is refused with the reason
    const struct kn_gemm_tile *tile; // koine/experimental.h; of KN_GEMM_OWN alone; NULL: by the task
} kn_gemm_options;

// C = alpha op(A) op(B) + beta C, asynchronously. `options` may be NULL. C overlaps neither A nor B. With
// beta = 0 what C held is not read, with alpha = 0 or k = 0 neither A nor B is.
//
// Error of an element of C: at most (k + 2) eps (|alpha| sum |a||b| + |beta c|), three times that if complex,
// where eps is half the distance from 1 to the next number: what k roundings in any order and two more can
// do. Cost: 2 m n k operations, 8 if complex. Errors: KN_ERROR_ARGUMENT, KN_ERROR_UNSUPPORTED (KN_F64 without
// double precision, other types, a library that is not there), KN_ERROR_LIMIT (a buffer held in parts, a tile
// that the device has no room for, m, n or k beyond 2^31 - 1).
KN_API kn_status kn_gemm(kn_queue *queue, const kn_gemm_task *task, const kn_gemm_options *options,
                         kn_error *err);

// Which library kn_gemm takes for this task, never KN_GEMM_AUTO; it fails where kn_gemm would refuse it.
KN_API kn_status kn_gemm_choose(kn_queue *queue, const kn_gemm_task *task, const kn_gemm_options *options,
                                kn_gemm_library *library, kn_error *err);

// "own", "CLBlast", "cuBLAS"; never NULL.
KN_API const char *kn_gemm_library_name(kn_gemm_library library);

#ifdef __cplusplus
}
#endif
#endif
