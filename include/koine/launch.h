// SPDX-License-Identifier: Apache-2.0
// Launching a kernel, with its arguments checked against its source; recording many launches and replaying
// them with one call.
#ifndef KOINE_LAUNCH_H
#define KOINE_LAUNCH_H

#include <koine/buffer.h>
#include <koine/event.h>
#include <koine/image.h>
#include <koine/program.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum kn_arg_kind {
    KN_ARG_BUFFER = 0,
    KN_ARG_VALUE = 1,
    KN_ARG_LOCAL = 2,
    KN_ARG_IMAGE = 3,
    KN_ARG_SAMPLER = 4,
    KN_ARG_INLINE = 5 // a value, in `bytes`
} kn_arg_kind;

// A kernel argument, made by one of the macros below; pass them in the kernel's order.
typedef struct kn_arg {
    kn_arg_kind kind;
    unsigned sampler;        // kn_sampler_bits
    size_t size;             // of the value, or bytes of local memory
    const void *value;       // read during kn_launch
    const kn_buffer *buffer; // const even if the kernel writes it
    const kn_image *image;
    unsigned char bytes[16];
} kn_arg;

// KN_VALUE takes a number, vector or struct, including constants such as 3.0f. Up to 16 bytes are copied into
// the argument; the copy of a larger value lives as long as the enclosing block in C, and in C++ the value
// has to be a variable. KN_VALUE_AT is for arrays and for values that are to be read at each kn_launch.
#define KN_BUFFER(buffer)           kn_arg_buffer_(buffer)
#define KN_VALUE_AT(pointer, bytes) kn_arg_at_((pointer), (bytes))
#define KN_LOCAL(bytes)             kn_arg_local_(bytes)
#define KN_IMAGE(image)             kn_arg_image_(image)
#define KN_SAMPLER(bits)            kn_arg_sampler_(bits)

static inline kn_arg kn_arg_make_(kn_arg_kind kind, size_t size)
{
    const kn_arg arg = {kind, 0, size, NULL, NULL, NULL, {0}};

    return arg;
}

static inline kn_arg kn_arg_buffer_(const kn_buffer *buffer)
{
    kn_arg arg = kn_arg_make_(KN_ARG_BUFFER, 0);

    arg.buffer = buffer;
    return arg;
}

static inline kn_arg kn_arg_image_(const kn_image *image)
{
    kn_arg arg = kn_arg_make_(KN_ARG_IMAGE, 0);

    arg.image = image;
    return arg;
}

static inline kn_arg kn_arg_local_(size_t bytes)
{
    return kn_arg_make_(KN_ARG_LOCAL, bytes);
}

static inline kn_arg kn_arg_sampler_(unsigned bits)
{
    kn_arg arg = kn_arg_make_(KN_ARG_SAMPLER, 0);

    arg.sampler = bits;
    return arg;
}

static inline kn_arg kn_arg_at_(const void *value, size_t size)
{
    kn_arg arg = kn_arg_make_(KN_ARG_VALUE, size);

    arg.value = value;
    return arg;
}

static inline kn_arg kn_arg_value_(const void *value, size_t size)
{
    kn_arg arg = kn_arg_make_(KN_ARG_INLINE, size);

    if (size > sizeof arg.bytes)
        return kn_arg_at_(value, size);
    memcpy(arg.bytes, value, size);
    return arg;
}

#ifdef __cplusplus
} // of extern "C", in which no template can stand
template <class T> inline kn_arg kn_arg_of_(const T &value)
{
    return kn_arg_value_(&value, sizeof(T));
}
extern "C" {
#define KN_VALUE(value) kn_arg_of_(value)
#else
#define KN_VALUE(value_)                                                                                     \
    kn_arg_value_(&(const struct { __typeof__(value_) copy; }){value_}, sizeof(__typeof__(value_)))
#endif

typedef struct kn_range {
    unsigned dims;    // 1, 2 or 3
    size_t global[3]; // work-items in all: a multiple of local if local is given
    size_t local[3];  // work-group size; all 0 lets the device choose
    size_t offset[3]; // get_global_offset
} kn_range;

// Enqueues the kernel and returns. `event` may be NULL; otherwise the caller frees it. Many launches of short
// kernels cost less as a recording. Errors, found before the driver is called: KN_ERROR_ARGUMENT naming the
// argument (count, kind, size, a buffer or image of another context, a buffer held in parts, an image of
// another kind or one both read and written) or the range; KN_ERROR_LIMIT for a work-group or local memory
// beyond the device's limits.
KN_API kn_status kn_launch(kn_queue *queue, kn_kernel *kernel, const kn_range *range, const kn_arg *args,
                           size_t arg_count, kn_event **event, kn_error *err);

// ---- recordings: launches made once and repeated with one call ----

// For loops of short kernels, whose launches cost more than the kernels do (on an H200, 4 us each, 0.6 us in
// a graph).
//
// A recording holds launches with their ranges and arguments: buffers and images by handle, values and sizes
// of local memory as they were at the time. What changes from one replay to the next has to be in a buffer.
typedef struct kn_recording kn_recording;

// How it is replayed.
typedef enum kn_recording_way {
    KN_RECORDING_AUTO = 0,           // the driver's own way if it has one, otherwise launches
    KN_RECORDING_GRAPH = 1,          // a CUDA graph (drivers of CUDA 11.4 and later)
    KN_RECORDING_COMMAND_BUFFER = 2, // OpenCL's cl_khr_command_buffer, provisional versions 0.9
    KN_RECORDING_LAUNCHES = 3 // one launch after another of kernels whose arguments stay set, and one flush
} kn_recording_way;

// From now on kn_launch on this queue checks and records launches instead of running them; its `event` has to
// be NULL. Everything else on this queue is refused until kn_recording_end: copies, fills, waiting, and
// algorithms that need these. A launch that fails is not recorded. A `way` other than KN_RECORDING_AUTO is
// used or is an error. Errors: KN_ERROR_ARGUMENT if the queue is already recording; KN_ERROR_UNSUPPORTED for
// a way that the context's path does not have.
KN_API kn_status kn_recording_begin(kn_queue *queue, kn_recording_way way, kn_error *err);

// Makes the recording; the queue runs launches again, even if this fails. If `recording` is NULL, what was
// recorded is discarded. Cost: some microseconds per launch, once; launches that differ only in their ranges
// share one kernel object. Errors: KN_ERROR_ARGUMENT if no recording was begun or nothing was launched;
// KN_ERROR_UNSUPPORTED for a way that this driver or device does not have, with the reason; KN_ERROR_MEMORY,
// KN_ERROR_DEVICE.
KN_API kn_status kn_recording_end(kn_queue *queue, kn_recording **recording, kn_error *err);

// Enqueues all launches, in order, and returns: they run after earlier work in the queue and before later
// work. Any queue of the context may be used; the recording may be used by one thread at a time. Buffers,
// images, kernels and their programs must live until the recording is freed and its last replay is done.
// While a queue is profiled (kn_profile_start), and with kn_context_options.debug_sync, launches are made one
// by one, so that each is measured or named. Errors: KN_ERROR_ARGUMENT for a queue of another context or one
// that is recording; KN_ERROR_DEVICE, after which some of the launches may have been made.
KN_API kn_status kn_recording_replay(kn_queue *queue, kn_recording *recording, kn_error *err);

// The way in which it is replayed, never KN_RECORDING_AUTO; the name of a way ("graph", "command-buffer",
// "launches"); the number of launches; and, if KN_RECORDING_AUTO chose plain launches, why there is no better
// way, otherwise "".
KN_API kn_recording_way kn_recording_get_way(const kn_recording *recording);
KN_API const char *kn_recording_way_name(kn_recording_way way);
KN_API size_t kn_recording_get_count(const kn_recording *recording);
KN_API const char *kn_recording_get_why(const kn_recording *recording);

// NULL is fine.
KN_API void kn_recording_free(kn_recording *recording);

#ifdef __cplusplus
}
#endif
#endif
