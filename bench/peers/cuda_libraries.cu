// SPDX-License-Identifier: Apache-2.0
// Peers on an NVIDIA GPU: cuFFT's transforms and cuBLAS's matrix products. One line a measurement (peers.cuh).
//
//     nvcc -O3 -std=c++17 -arch=native -o cuda_libraries cuda_libraries.cu -lcufft -lcublas && ./cuda_libraries
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <cufft.h>

#include "peers.cuh"

static void check_fft(cufftResult result)
{
    if (result != CUFFT_SUCCESS)
        fail("cuFFT: error %d", (int)result);
}

static void check_blas(cublasStatus_t status)
{
    if (status != CUBLAS_STATUS_SUCCESS)
        fail("cuBLAS: %s", cublasGetStatusString(status));
}

// `rank` dimensions, the last one the fastest; the job's name is the one of bench/fft.
static void transform(const char *job, cufftType kind, std::vector<int> dims, int batch)
{
    size_t n = (size_t)batch;
    cufftHandle plan;

    for (int dim : dims)
        n *= (size_t)dim;
    size_t scalars = 2 * n * (kind == CUFFT_Z2Z ? 2 : 1);
    device_array<float> in(random_values<float>(scalars)), out(scalars);
    if (kind == CUFFT_Z2Z) // so that the bits are small doubles
        check(cudaMemset(in.data, 0, scalars * sizeof(float)));
    check_fft(cufftPlanMany(&plan, (int)dims.size(), dims.data(), nullptr, 1, 0, nullptr, 1, 0, kind, batch));
    time_peer("cuFFT", job, kind == CUFFT_Z2Z ? "complex double" : "complex float", n, [&] {
        check_fft(kind == CUFFT_Z2Z ? cufftExecZ2Z(plan, (cufftDoubleComplex *)in.data, (cufftDoubleComplex *)out.data,
                                                   CUFFT_FORWARD)
                                    : cufftExecC2C(plan, (cufftComplex *)in.data, (cufftComplex *)out.data, CUFFT_FORWARD));
    });
    check_fft(cufftDestroy(plan));
}

static void products(cublasHandle_t blas, int n)
{
    size_t size = (size_t)n * (size_t)n;
    device_array<double> a(random_values<double>(2 * size)), b(random_values<double>(2 * size)), c(2 * size);
    const float one = 1, zero = 0;
    const double one_double = 1, zero_double = 0;
    const cuComplex one_complex = {1, 0}, zero_complex = {0, 0};
    device_array<float> fa(random_values<float>(2 * size)), fb(random_values<float>(2 * size)), fc(2 * size);

    time_peer("cuBLAS", "gemm", "float", (size_t)n, [&] {
        check_blas(cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, fa.data, n, fb.data, n, &zero, fc.data, n));
    });
    time_peer("cuBLAS", "gemm", "double", (size_t)n, [&] {
        check_blas(cublasDgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one_double, a.data, n, b.data, n, &zero_double,
                               c.data, n));
    });
    time_peer("cuBLAS", "gemm", "complex float", (size_t)n, [&] {
        check_blas(cublasCgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one_complex, (cuComplex *)fa.data, n,
                               (cuComplex *)fb.data, n, &zero_complex, (cuComplex *)fc.data, n));
    });
}

int main()
{
    cublasHandle_t blas;

    transform("256x256x256", CUFFT_C2C, {256, 256, 256}, 1);
    transform("128x128x128", CUFFT_C2C, {128, 128, 128}, 1);
    transform("512x512", CUFFT_C2C, {512, 512}, 1);
    transform("1024x2048", CUFFT_C2C, {1024, 2048}, 1);
    transform("1000x1750", CUFFT_C2C, {1000, 1750}, 1);
    transform("1048576", CUFFT_C2C, {1048576}, 1);
    transform("2048 batched", CUFFT_C2C, {2048}, 65536);
    transform("256x256x256", CUFFT_Z2Z, {256, 256, 256}, 1);
    check_blas(cublasCreate(&blas));
    check_blas(cublasSetMathMode(blas, CUBLAS_PEDANTIC_MATH)); // no TF32
    for (int n : {256, 512, 1024, 2048, 4096, 8192})
        products(blas, n);
    check_blas(cublasDestroy(blas));
    return 0;
}
