// SPDX-License-Identifier: Apache-2.0
// Statistics inside a CUDA application (driver API), which has its own context, stream and memory: Koine takes mean,
// standard deviation, median and MAD of what the application has copied there, and replaces it by the deviations from
// the median, in order with what the application itself puts into its stream. Wrapping takes no ownership: the
// application destroys what it made, as always.
#include <math.h>
#include <stdio.h>

#include <cuda.h>
#include <koine/cuda.h>
#include <koine/robust.h>

enum { N = 8 };

// The statistics of N floats at `data`, which become |x - median|, in order with whatever else the application has in
// `stream`. The statistics are waited for, the deviations are not.
static kn_status deviate(CUcontext context, CUstream stream, CUdeviceptr data, kn_robust *robust, kn_error *err)
{
    kn_context *ctx = NULL;
    kn_queue *q = NULL;
    kn_buffer *buf = NULL;
    kn_status status = kn_context_wrap_cuda(context, NULL, &ctx, err);

    if (!status)
        status = kn_queue_wrap_cuda(ctx, stream, &q, err);
    if (!status)
        status = kn_buffer_wrap_cuda(ctx, data, N * sizeof(float), &buf, err);
    if (!status)
        status = kn_robust_stats(q, buf, KN_F32, N, robust, NULL, err);
    if (!status)
        status = kn_abs_diff(q, buf, KN_F32, N, robust->median, buf, err);

    kn_buffer_free(buf);
    kn_queue_close(q);
    kn_context_close(ctx);
    return status;
}

// A context of the first device, current on this thread.
static CUresult create_context(CUcontext *context)
{
    CUdevice device;
    CUresult failed = cuInit(0);

    if (!failed)
        failed = cuDeviceGet(&device, 0);
#if CUDA_VERSION >= 13000
    return failed ? failed : cuCtxCreate(context, NULL, 0, device);
#else
    return failed ? failed : cuCtxCreate(context, 0, device);
#endif
}

int main(void)
{
    float column[N] = {3, -1, 4, 1, -5, 9, 2.5f, 6};
    kn_robust robust;
    CUcontext context = NULL;
    CUstream stream = NULL;
    CUdeviceptr data = 0;
    kn_error err = KN_ERROR_INIT;
    CUresult failed = create_context(&context);

    if (!failed)
        failed = cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING);
    if (!failed)
        failed = cuMemAlloc(&data, sizeof column);
    if (!failed)
        failed = cuMemcpyHtoDAsync(data, column, sizeof column, stream);
    if (!failed && deviate(context, stream, data, &robust, &err) == KN_OK) {
        // The application goes on: it overwrites the first.
        failed = cuMemsetD32Async(data, 0, 1, stream);
        if (!failed)
            failed = cuMemcpyDtoHAsync(column, data, sizeof column, stream);
        if (!failed)
            failed = cuStreamSynchronize(stream);
    }
    if (err.code)
        fprintf(stderr, "cuda_embed: %s\n", err.text);
    else if (failed)
        fprintf(stderr, "cuda_embed: CUDA error %d\n", (int)failed);
    else {
        printf("mean %g, std %g, median %g, MAD %g\ndeviations:", robust.mean, sqrt(robust.variance), robust.median,
               robust.mad);
        for (size_t i = 0; i < N; i++)
            printf(" %g", (double)column[i]);
        printf("\n");
    }

    if (data)
        cuMemFree(data);
    if (stream)
        cuStreamDestroy(stream);
    if (context)
        cuCtxDestroy(context);
    return err.code || failed;
}
