// SPDX-License-Identifier: Apache-2.0
// How many frames a correlation by Fourier transforms takes at a time.
#include "base/error.h"
#include "device_fft_internal.h"

kn_status ki_autocorr_fft_limit_batch(struct autocorr_fft *fft, size_t frame_bytes, kn_error *err)
{
    const kn_device_info *info = kn_context_get_device(fft->context);
    uint64_t room = info->global_memory / 8 < info->max_alloc ? info->global_memory / 8 : info->max_alloc;

    if (frame_bytes > info->max_alloc)
        return ki_fail(
            err, KN_ERROR_LIMIT,
            "a frame of %zu x %zu pixels takes %zu bytes for its spectrum, more than one allocation of %s "
            "holds; the method direct has none, and fft on the host is not limited",
            fft->width, fft->height, frame_bytes, info->spec);
    if (fft->batch > room / frame_bytes)
        fft->batch = room > frame_bytes ? (size_t)(room / frame_bytes) : 1;
    return KN_OK;
}
