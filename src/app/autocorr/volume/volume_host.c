// SPDX-License-Identifier: Apache-2.0
#include "volume_host.h"

#include <math.h>
#include <stdlib.h>

#include <koine/host.h>

#include "base/error.h"
#include "base/threads.h"

struct host_volume {
    const struct autocorr_volume_plan *plan;
    struct ki_kept *kept;
    unsigned char *bytes;                        // a piece
    double *spectra[2][VOLUME_PIECES], *product; // two numbers each
    double *turns[2], *values;
};

// ---- pieces ----

struct cutting {
    const struct autocorr_volume_plan *plan;
    const struct autocorr_voxels *voxels;
    unsigned piece;
    bool second;
    unsigned char *to;
};

// Which voxel stands at a position of what is transformed, or the axis's size for none: behind the image
// comes its beginning, and before the circle's end, which is before its beginning, its end.
static size_t source_of(const struct autocorr_volume_axis *axis, bool second, size_t position)
{
    if (position < axis->size || !second)
        return position;
    if (position < axis->size + axis->upper)
        return position - axis->size;
    return position >= axis->whole - axis->lower ? axis->size - (axis->whole - position) : axis->size;
}

static void cut_slice(void *context, size_t z)
{
    const struct cutting *cutting = context;
    const struct autocorr_volume_plan *plan = cutting->plan;
    const struct autocorr_volume_axis *axis = plan->axis;
    size_t width = cutting->second ? axis[0].whole : axis[0].size,
           height = cutting->second ? axis[1].whole : axis[1].size,
           from_z = source_of(&axis[2], cutting->second, z);
    unsigned shift = cutting->piece * plan->bits, keep = (1U << plan->bits) - 1;
    unsigned char *to = cutting->to + z * width * height;

    for (size_t y = 0; y < height; y++, to += width) {
        size_t from_y = source_of(&axis[1], cutting->second, y),
               row = from_z * cutting->voxels->slice + from_y * cutting->voxels->row;

        for (size_t x = 0; x < width; x++) {
            size_t from_x = source_of(&axis[0], cutting->second, x);
            unsigned level = 0;

            if (from_x < axis[0].size && from_y < axis[1].size && from_z < axis[2].size)
                level = plan->volume.type == KN_U8 ? ((const uint8_t *)cutting->voxels->at)[row + from_x]
                                                   : ((const uint16_t *)cutting->voxels->at)[row + from_x];
            to[x] = (unsigned char)(level >> shift & keep);
        }
    }
}

static kn_status transform_pieces(struct host_volume *host, const struct autocorr_voxels *voxels, bool second,
                                  kn_error *err)
{
    const struct autocorr_volume_plan *plan = host->plan;
    const kn_fft_shape shape = ki_autocorr_volume_there(plan, second);
    kn_status status = KN_OK;

    for (unsigned piece = 0; piece < plan->pieces && !status; piece++) {
        struct cutting cutting = {plan, voxels, piece, second, host->bytes};

        ki_parallel(ki_threads(0), shape.in_dims[2], KI_STATIC, cut_slice, &cutting);
        status = kn_host_fft(&shape, KN_FFT_FORWARD, host->bytes, host->spectra[second][piece], NULL, err);
    }
    return status;
}

// ---- products ----

struct multiplying {
    const struct host_volume *host;
    const double *first, *second;
    enum autocorr_volume_kind kind;
    bool add;
};

// A slice of the spectra, z the same for all of its numbers.
static void multiply_slice(void *context, size_t z)
{
    const struct multiplying *all = context;
    const struct autocorr_volume_plan *plan = all->host->plan;
    const double *across = all->host->turns[0], *down = all->host->turns[1];
    size_t width = plan->axis[0].circle / 2 + 1, height = plan->axis[1].circle;

    for (size_t y = 0; y < height; y++) {
        size_t row = 2 * (z * height + y) * width;
        const double *f = all->first + row, *g = all->second + row;
        double *to = all->host->product + row;

        for (size_t x = 0; x < 2 * width; x += 2) {
            double re = f[x] * g[x] + f[x + 1] * g[x + 1], im = 0;
            double c = across[x] * down[2 * y] - across[x + 1] * down[2 * y + 1],
                   s = across[x] * down[2 * y + 1] + across[x + 1] * down[2 * y];

            if (all->kind == VOLUME_BOTH)
                re *= 2;
            else if (all->kind == VOLUME_CROSS)
                im = f[x] * g[x + 1] - f[x + 1] * g[x];
            to[x] = re * c - im * s + (all->add ? to[x] : 0);
            to[x + 1] = re * s + im * c + (all->add ? to[x + 1] : 0);
        }
    }
}

static void multiply_pairs(const struct host_volume *host, unsigned shift)
{
    const struct autocorr_volume_plan *plan = host->plan;
    struct autocorr_volume_pair pairs[VOLUME_PIECES];
    unsigned count = ki_autocorr_volume_pairs(plan, shift, pairs);

    for (unsigned i = 0; i < count; i++) {
        struct multiplying all = {host, host->spectra[0][pairs[i].first],
                                  host->spectra[plan->cross][pairs[i].second], pairs[i].kind, i > 0};

        ki_parallel(ki_threads(0), plan->axis[2].circle, KI_STATIC, multiply_slice, &all);
    }
}

// ---- sums ----

// The values of a shift, rounded, to the sums of the offsets.
static void add_values(const struct host_volume *host, unsigned shift, uint64_t *products)
{
    const struct autocorr_volume_plan *plan = host->plan;
    const struct autocorr_volume_axis *axis = plan->axis;
    const ptrdiff_t reach[] = {(ptrdiff_t)plan->volume.reach[0], (ptrdiff_t)plan->volume.reach[1],
                               (ptrdiff_t)plan->volume.reach[2]};
    const size_t across = autocorr_volume_back(&axis[0]), down = autocorr_volume_back(&axis[1]);
    bool periodic = plan->volume.periodic;

    for (ptrdiff_t z0 = 0; z0 <= reach[2]; z0++)
        for (ptrdiff_t y0 = -reach[1]; y0 <= reach[1]; y0++)
            for (ptrdiff_t x0 = -reach[0]; x0 <= reach[0]; x0++, products++) {
                ptrdiff_t x = autocorr_volume_place(&axis[0], periodic, x0),
                          y = autocorr_volume_place(&axis[1], periodic, y0),
                          z = autocorr_volume_place(&axis[2], periodic, z0);
                uint64_t sum = 0;

                if (x >= 0 && y >= 0 && z >= 0)
                    sum = (uint64_t)llrint(host->values[((size_t)z * down + (size_t)y) * across + (size_t)x]);
                *products = (shift ? *products : 0) + (sum << shift * plan->bits);
            }
}

static kn_status run(struct host_volume *host, const struct autocorr_voxels *first,
                     const struct autocorr_voxels *second, uint64_t *products, kn_error *err)
{
    const struct autocorr_volume_plan *plan = host->plan;
    const kn_fft_shape shape = ki_autocorr_volume_back(plan);
    kn_status status = transform_pieces(host, first, false, err);

    if (!status && plan->cross)
        status = transform_pieces(host, second->at ? second : first, true, err);
    for (unsigned shift = 0; shift < 2 * plan->pieces - 1 && !status; shift++) {
        multiply_pairs(host, shift);
        status = kn_host_fft(&shape, KN_FFT_INVERSE, host->product, host->values, NULL, err);
        if (!status)
            add_values(host, shift, products);
    }
    return status;
}

static kn_status make_room(struct host_volume *host, kn_error *err)
{
    const struct autocorr_volume_plan *plan = host->plan;
    size_t spectrum = 2 * ki_autocorr_volume_spectrum(plan) * sizeof(double);
    bool there = true;

    for (unsigned i = 0; i < (plan->cross ? 2 : 1); i++)
        for (unsigned piece = 0; piece < plan->pieces; piece++) {
            host->spectra[i][piece] = ki_kept_take(host->kept, spectrum);
            there = there && host->spectra[i][piece];
        }
    // Of one piece with itself the product may stand where the spectrum is.
    host->product =
        plan->cross || plan->pieces > 1 ? ki_kept_take(host->kept, spectrum) : host->spectra[0][0];
    host->bytes = ki_kept_take(host->kept, ki_autocorr_volume_bytes(plan, true));
    host->values = ki_kept_take_array(host->kept, ki_autocorr_volume_values(plan), sizeof *host->values);
    for (unsigned i = 0; i < 2; i++)
        host->turns[i] = ki_autocorr_volume_turns(plan, i);
    there = there && host->product && host->bytes && host->values && host->turns[0] && host->turns[1];
    return there ? KN_OK : ki_fail_memory(err, spectrum * (plan->pieces + 1), "a volume's spectra");
}

static void free_room(struct host_volume *host)
{
    if (host->product != host->spectra[0][0])
        ki_kept_give(host->kept, host->product);
    for (unsigned i = 0; i < 2; i++)
        for (unsigned piece = 0; piece < VOLUME_PIECES; piece++)
            ki_kept_give(host->kept, host->spectra[i][piece]);
    ki_kept_give(host->kept, host->bytes);
    ki_kept_give(host->kept, host->values);
    free(host->turns[0]);
    free(host->turns[1]);
}

kn_status ki_autocorr_volume_host(const struct autocorr_volume_plan *plan,
                                  const struct autocorr_voxels *first, const struct autocorr_voxels *second,
                                  struct ki_kept *kept, uint64_t *products, kn_error *err)
{
    struct host_volume host = {.plan = plan, .kept = kept};
    kn_status status = make_room(&host, err);

    if (!status)
        status = run(&host, first, second, products, err);
    free_room(&host);
    return status;
}
