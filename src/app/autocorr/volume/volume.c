// SPDX-License-Identifier: Apache-2.0
// How a volume is transformed, and the bound of errors.
//
// The bound, with e the unit roundoff and N the circle's points: the spectra of two pieces are off by
// e (log2 N + 2) / 2 of their 2-norm (koine/fft.h), so by Cauchy their product's errors add up to
// e (log2 N + 2) times N E, with E the product of the pieces' norms, and their own three roundings to 3 e;
// two products with roots of unity, of which each adds less than 4 e, move the origin. In the inverse
// transform a number goes through less than 10 e a doubling (device_fft.c; the host's transforms have fewer
// roundings) of the sum of all terms' magnitudes, N E, which is then divided by N, and the scale is 2 e. A
// shift adds up at most as many products as there are pieces.
#include "volume.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "host/fft/host_fft.h"
#include "host/fft/root_of_unity.h"

#define VOXELS_MAX (UINT64_C(1) << 31)

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static struct autocorr_volume_axis plan_axis(const struct autocorr_volume *volume, unsigned number)
{
    size_t size = volume->size[number], reach = volume->reach[number];
    struct autocorr_volume_axis axis = {.size = size, .whole = size};
    bool both_sides = number < VOLUME_AXES - 1;

    axis.lower = both_sides ? least(reach, volume->periodic ? size / 2 : size - 1) : 0;
    axis.upper = least(reach, volume->periodic ? size - 1 - axis.lower : size - 1);
    if (!volume->periodic)
        axis.circle = ki_host_fft_length(size + axis.upper);
    else if (ki_host_fft_is_smooth(size))
        axis.circle = size;
    else
        axis.circle = axis.whole = ki_host_fft_length(size + axis.lower + axis.upper);
    return axis;
}

static double relative_bound(const struct autocorr_volume_plan *plan)
{
    double doublings = 0;

    for (unsigned i = 0; i < VOLUME_AXES; i++)
        doublings += log2((double)plan->axis[i].circle);
    return 0x1p-53 * (doublings + 2 + 3 + 8 + 10 * doublings + 2);
}

// Of pieces of so many bits. A continued image has more pixels than its own.
static double bound_of(const struct autocorr_volume_plan *plan, unsigned pieces, unsigned bits)
{
    double most = (double)((1U << bits) - 1), voxels = 1, continued = 1;

    for (unsigned i = 0; i < VOLUME_AXES; i++) {
        voxels *= (double)plan->axis[i].size;
        continued *= (double)plan->axis[i].whole;
    }
    return relative_bound(plan) * pieces * most * most * sqrt(voxels * continued);
}

static kn_status check(const struct autocorr_volume *volume, kn_error *err)
{
    const size_t *size = volume->size, *reach = volume->reach;
    bool some = !reach[0] && !reach[1] && !reach[2];

    if (!size[0] || !size[1] || !size[2] || size[0] > VOXELS_MAX / size[1] ||
        size[0] * size[1] > VOXELS_MAX / size[2])
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "a volume of %zu x %zu x %zu voxels; expected at least 1 and at most 2^31", size[0],
                       size[1], size[2]);
    for (unsigned i = 0; i < VOLUME_AXES; i++)
        some = some || (reach[i] && reach[i] < size[i]);
    if (!some)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "a largest offset of %zu leaves no overlap in a volume of %zu x %zu x %zu voxels",
                       reach[0], size[0], size[1], size[2]);
    return KN_OK;
}

kn_status ki_autocorr_volume_plan(const struct autocorr_volume *volume, bool with_second,
                                  struct autocorr_volume_plan *plan, kn_error *err)
{
    const unsigned bits = volume->type == KN_U8 ? 8 : 16;
    kn_status status = check(volume, err);

    *plan = (struct autocorr_volume_plan){.volume = *volume, .cross = with_second};
    if (status)
        return status;
    for (unsigned i = 0; i < VOLUME_AXES; i++) {
        plan->axis[i] = plan_axis(volume, i);
        plan->cross = plan->cross || plan->axis[i].whole != plan->axis[i].size;
    }
    for (unsigned pieces = bits / 8; pieces <= bits / 4; pieces *= 2) {
        plan->pieces = pieces;
        plan->bits = bits / pieces;
        plan->bound = bound_of(plan, pieces, bits / pieces);
        if (plan->bound < 0.25)
            return KN_OK;
    }
    return ki_fail(err, KN_ERROR_UNSUPPORTED,
                   "sums of %zu x %zu x %zu voxels by Fourier transforms may be wrong by %.2g, where exact "
                   "ones need less than 0.25",
                   volume->size[0], volume->size[1], volume->size[2], plan->bound);
}

kn_fft_shape ki_autocorr_volume_there(const struct autocorr_volume_plan *plan, bool second)
{
    kn_fft_shape shape = KN_INIT(kn_fft_shape, .rank = VOLUME_AXES, .type = KN_F64,
                                 .kind = KN_FFT_REAL_TO_COMPLEX, .input_bits = 8);

    for (unsigned i = 0; i < VOLUME_AXES; i++) {
        shape.dims[i] = plan->axis[i].circle;
        shape.in_dims[i] = second ? plan->axis[i].whole : plan->axis[i].size;
    }
    return shape;
}

kn_fft_shape ki_autocorr_volume_back(const struct autocorr_volume_plan *plan)
{
    kn_fft_shape shape = KN_INIT(kn_fft_shape, .rank = VOLUME_AXES, .type = KN_F64,
                                 .kind = KN_FFT_COMPLEX_TO_REAL, .scale = 1);

    for (unsigned i = 0; i < VOLUME_AXES; i++) {
        shape.dims[i] = plan->axis[i].circle;
        shape.out_dims[i] = autocorr_volume_back(&plan->axis[i]);
        shape.scale /= (double)plan->axis[i].circle;
    }
    return shape;
}

size_t ki_autocorr_volume_spectrum(const struct autocorr_volume_plan *plan)
{
    return (plan->axis[0].circle / 2 + 1) * plan->axis[1].circle * plan->axis[2].circle;
}

size_t ki_autocorr_volume_bytes(const struct autocorr_volume_plan *plan, bool second)
{
    size_t bytes = 1;

    for (unsigned i = 0; i < VOLUME_AXES; i++)
        bytes *= second ? plan->axis[i].whole : plan->axis[i].size;
    return bytes;
}

size_t ki_autocorr_volume_values(const struct autocorr_volume_plan *plan)
{
    return autocorr_volume_back(&plan->axis[0]) * autocorr_volume_back(&plan->axis[1]) *
           autocorr_volume_back(&plan->axis[2]);
}

double *ki_autocorr_volume_turns(const struct autocorr_volume_plan *plan, unsigned axis)
{
    const struct autocorr_volume_axis *of = &plan->axis[axis];
    size_t count = axis ? of->circle : of->circle / 2 + 1;
    double *turns = malloc(2 * count * sizeof *turns);

    for (size_t k = 0; turns && k < count; k++)
        ki_fft_root_of_unity((uint64_t)k * of->lower % of->circle, of->circle, &turns[2 * k]);
    return turns;
}

unsigned ki_autocorr_volume_pairs(const struct autocorr_volume_plan *plan, unsigned shift,
                                  struct autocorr_volume_pair pairs[VOLUME_PIECES])
{
    unsigned count = 0;

    for (unsigned first = 0; first < plan->pieces; first++) {
        unsigned second = shift - first;

        if (first > shift || second >= plan->pieces || (!plan->cross && second < first))
            continue;
        pairs[count++] = (struct autocorr_volume_pair){first, second,
                                                       plan->cross       ? VOLUME_CROSS
                                                       : second == first ? VOLUME_SQUARE
                                                                         : VOLUME_BOTH};
    }
    return count;
}
