// SPDX-License-Identifier: Apache-2.0
// Running a kernel, with its arguments checked against its source.
#ifndef KOINE_LAUNCH_H
#define KOINE_LAUNCH_H

#include <koine/buffer.h>
#include <koine/event.h>
#include <koine/image.h>
#include <koine/program.h>

#ifdef __cplusplus
extern "C" {
#endif

// An argument: made by one of the five below, in the kernel's order.
typedef struct kn_arg {
    enum { KN_ARG_BUFFER, KN_ARG_VALUE, KN_ARG_LOCAL, KN_ARG_IMAGE, KN_ARG_SAMPLER } kind;
    kn_buffer *buffer;
    const void *value; // read during kn_launch
    size_t size;       // of the value, or bytes of local memory
    kn_image *image;
    unsigned sampler; // kn_sampler_bits
} kn_arg;

#define KN_BUFFER(b)     ((kn_arg){KN_ARG_BUFFER, (b), NULL, 0, NULL, 0})
#define KN_VALUE(v)      ((kn_arg){KN_ARG_VALUE, NULL, &(v), sizeof(v), NULL, 0})
#define KN_LOCAL(n)      ((kn_arg){KN_ARG_LOCAL, NULL, NULL, (n), NULL, 0})
#define KN_IMAGE(i)      ((kn_arg){KN_ARG_IMAGE, NULL, NULL, 0, (i), 0})
#define KN_SAMPLER(bits) ((kn_arg){KN_ARG_SAMPLER, NULL, NULL, 0, NULL, (bits)})

typedef struct kn_range {
    unsigned dims;    // 1, 2 or 3
    size_t global[3]; // work-items in all: a multiple of local where local is given
    size_t local[3];  // work-group; all 0 lets the device choose
    size_t offset[3]; // get_global_offset
} kn_range;

// Enqueues the kernel and returns. `event` may be NULL; else the caller frees it. Many launches of short
// kernels cost less as a recording (koine/recording.h). Errors, before the driver is asked: KN_ERROR_ARGUMENT
// naming the argument (count, kind, size, a buffer or image of another context, one held in parts, an image
// of another kind or both read and written) or the range; KN_ERROR_LIMIT for a work-group or local memory
// beyond the device.
KN_API kn_status kn_launch(kn_queue *queue, kn_kernel *kernel, const kn_range *range, const kn_arg *args,
                           size_t arg_count, kn_event **event, kn_error *err);

#ifdef __cplusplus
}
#endif
#endif
