// SPDX-License-Identifier: Apache-2.0
// kn_host_fft: one axis after the other, from the input to intermediate memory, and from there to the output;
// for a complex array that is neither padded nor cropped, the output serves as that memory.
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/sized.h"
#include "fft_shape.h"
#include "host_fft_lines.h"

enum { AXES = 3, ALIGNMENT = 64 };

struct array_fft {
    struct fft_shape shape;
    struct host_plan host;
    bool back;
    size_t whole[AXES];  // length of each axis between the passes
    size_t extent[AXES]; // how much of that is there now
    const void *in;
    void *between, *out;
    struct host_fft_line line;
    void *room;
    size_t rooms; // bytes of a thread's memory
};

static void set_steps(struct host_fft_side *side, const size_t dims[AXES], unsigned axis)
{
    const size_t steps[] = {1, dims[0], dims[0] * dims[1], dims[0] * dims[1] * dims[2]};
    unsigned other = 0;

    side->step = steps[axis];
    for (unsigned i = 0; i <= AXES; i++)
        if (i != axis)
            side->across[other++] = steps[i];
}

static enum host_fft_points points_in(const kn_fft_shape *given)
{
    if (given->kind == KN_FFT_COMPLEX_TO_REAL)
        return HOST_FFT_HALF;
    if (given->kind == KN_FFT_COMPLEX)
        return HOST_FFT_COMPLEX;
    return given->input_bits == 8 ? HOST_FFT_U8 : given->input_bits == 16 ? HOST_FFT_U16 : HOST_FFT_REAL;
}

static struct host_fft_side side_from(const struct array_fft *a, unsigned axis, bool first)
{
    bool half = axis == 0 && a->shape.given.kind == KN_FFT_COMPLEX_TO_REAL;
    struct host_fft_side side = {.at = first ? (void *)a->in : a->between, .count = a->extent[axis]};

    side.points = half ? HOST_FFT_HALF : first && axis == 0 ? points_in(&a->shape.given) : HOST_FFT_COMPLEX;
    set_steps(&side, first ? a->shape.in : a->whole, axis);
    return side;
}

static struct host_fft_side side_to(const struct array_fft *a, unsigned axis, bool last)
{
    bool real = axis == 0 && a->shape.given.kind == KN_FFT_COMPLEX_TO_REAL;
    struct host_fft_side side = {.at = last ? a->out : a->between,
                                 .points = real ? HOST_FFT_REAL : HOST_FFT_COMPLEX,
                                 .count = last ? a->shape.out[axis] : a->whole[axis]};

    set_steps(&side, last ? a->shape.out : a->whole, axis);
    return side;
}

// Few lines are transformed one by one: a block of them would be mostly empty.
static kn_status get_line(struct array_fft *a, size_t length, size_t lines, kn_error *err)
{
    kn_type type = a->shape.given.type;
    bool few = lines < ki_host_fft_code_for(type, a->host.level)->lanes / 2;
    kn_status status =
        ki_host_fft_line_create(length, type, few ? KN_HOST_SCALAR : a->host.level, &a->line, err);
    size_t bytes = status ? 0 : a->line.room * a->host.threads;

    if (status || bytes <= a->rooms) {
        if (!status)
            memset(a->room, 0, bytes);
        return status;
    }
    free(a->room);
    a->rooms = bytes;
    a->room = aligned_alloc(ALIGNMENT, bytes);
    if (!a->room)
        return ki_fail_memory(err, bytes, "blocks of a transform's lines");
    memset(a->room, 0, bytes);
    return KN_OK;
}

static kn_status transform_axis(struct array_fft *a, unsigned axis, bool first, bool last, kn_error *err)
{
    const kn_fft_shape *given = &a->shape.given;
    struct host_fft_lines lines = {.from = side_from(a, axis, first),
                                   .to = side_to(a, axis, last),
                                   .back = a->back,
                                   .scale = last ? given->scale : 1};
    size_t total = given->batch;
    unsigned other = 0;
    kn_status status;

    for (unsigned i = 0; i < AXES; i++)
        if (i != axis) {
            lines.count[other] = last && a->shape.out[i] < a->extent[i] ? a->shape.out[i] : a->extent[i];
            total *= lines.count[other++];
        }
    lines.count[other] = given->batch;
    status = get_line(a, given->dims[axis], total, err);
    lines.line = &a->line;
    if (!status)
        ki_host_fft_lines(&lines, a->host.threads, a->room);
    ki_host_fft_line_free(&a->line);
    a->extent[axis] = a->whole[axis];
    return status;
}

// The axes to transform: those of length 1 only if there are no others.
static unsigned order_axes(const struct array_fft *a, unsigned axes[AXES])
{
    const kn_fft_shape *given = &a->shape.given;
    bool real_last = given->kind == KN_FFT_COMPLEX_TO_REAL;
    unsigned count = 0;

    for (unsigned i = 0; i < AXES; i++) {
        unsigned axis = real_last ? AXES - 1 - i : i;

        if (axis == 0 || given->dims[axis] > 1)
            axes[count++] = axis;
    }
    return count;
}

static kn_status get_between(struct array_fft *a, unsigned passes, kn_error *err)
{
    const kn_fft_shape *given = &a->shape.given;
    size_t bytes = 2 * kn_type_size(given->type) * given->batch;

    if (passes == 1 || (given->kind == KN_FFT_COMPLEX && !a->shape.resized)) {
        a->between = a->out;
        return KN_OK;
    }
    for (unsigned i = 0; i < AXES; i++)
        if (__builtin_mul_overflow(bytes, a->whole[i], &bytes))
            return ki_fail_memory(err, SIZE_MAX, "a transform");
    a->between = malloc(bytes);
    return a->between ? KN_OK : ki_fail_memory(err, bytes, "a transform");
}

static kn_status transform_array(struct array_fft *a, kn_error *err)
{
    const kn_fft_shape *given = &a->shape.given;
    unsigned axes[AXES], passes = order_axes(a, axes);
    kn_status status;

    for (unsigned i = 0; i < AXES; i++) {
        a->whole[i] = i == 0 && given->kind != KN_FFT_COMPLEX ? given->dims[0] / 2 + 1 : given->dims[i];
        a->extent[i] = a->shape.in[i];
    }
    status = get_between(a, passes, err);
    for (unsigned i = 0; i < passes && !status; i++)
        status = transform_axis(a, axes[i], i == 0, i + 1 == passes, err);
    if (a->between != a->out)
        free(a->between);
    free(a->room);
    return status;
}

static kn_status check(const struct array_fft *a, kn_fft_direction direction, kn_error *err)
{
    static const bool forward[] = {true, true, false}, inverse[] = {true, false, true}; // by kn_fft_kind
    kn_fft_kind kind = a->shape.given.kind;

    if ((unsigned)direction > KN_FFT_INVERSE || !(direction == KN_FFT_FORWARD ? forward : inverse)[kind])
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "kn_host_fft: direction %d; KN_FFT_REAL_TO_COMPLEX goes forward, "
                       "KN_FFT_COMPLEX_TO_REAL back, and KN_FFT_COMPLEX both ways",
                       (int)direction);
    if (a->in == a->out && (kind != KN_FFT_COMPLEX || a->shape.resized))
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "kn_host_fft: in and out are the same; only a complex transform that neither pads nor "
                       "crops is done in place");
    return KN_OK;
}

kn_status kn_host_fft(const kn_fft_shape *shape, kn_fft_direction direction, const void *in, void *out,
                      const kn_host_options *options, kn_error *err)
{
    struct array_fft a = {.back = direction == KN_FFT_INVERSE, .in = in, .out = out};
    kn_fft_shape asked;
    kn_status status;

    if (!shape || !in || !out)
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_host_fft: shape, in or out is NULL");
    status = KI_SIZED_READ("kn_host_fft", kn_fft_shape, shape, &asked, err);
    if (!status)
        status = ki_fft_check_shape("kn_host_fft", &asked, &a.shape, err);
    if (!status)
        status = ki_host_plan("kn_host_fft", asked.type, 0, options, &a.host, err);
    if (!status)
        status = check(&a, direction, err);
    return status ? status : transform_array(&a, err);
}
