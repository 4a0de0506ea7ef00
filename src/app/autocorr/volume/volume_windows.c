// SPDX-License-Identifier: Apache-2.0
#include "volume_windows.h"

#include "base/error.h"
#include "base/threads.h"

size_t ki_autocorr_volume_cells(const struct autocorr_volume_axis *axis, bool periodic)
{
    size_t edge = periodic ? 0 : axis->upper;

    return axis->size < 2 * edge + 1 ? axis->size : 2 * edge + 1;
}

struct cells {
    size_t count[VOLUME_AXES];
};

static struct cells cells_of(const struct autocorr_volume_plan *plan)
{
    struct cells cells;

    for (unsigned i = 0; i < VOLUME_AXES; i++)
        cells.count[i] = ki_autocorr_volume_cells(&plan->axis[i], plan->volume.periodic);
    return cells;
}

size_t ki_autocorr_volume_slices(const struct autocorr_volume_plan *plan)
{
    const struct cells cells = cells_of(plan);

    return cells.count[0] * cells.count[1] * plan->axis[2].size;
}

// ---- voxels to slices ----

struct adding {
    const struct autocorr_volume_plan *plan;
    const struct autocorr_voxels *voxels;
    struct autocorr_cell *slices;
};

static struct autocorr_cell add_run(const struct autocorr_volume_plan *plan, const void *row, size_t begin,
                                    size_t end)
{
    struct autocorr_cell sum = {0, 0};

    if (plan->volume.type == KN_U8)
        for (size_t x = begin; x < end; x++) {
            uint32_t level = ((const uint8_t *)row)[x];

            sum.s += level;
            sum.q += level * level;
        }
    else
        for (size_t x = begin; x < end; x++) {
            uint32_t level = ((const uint16_t *)row)[x];

            sum.s += level;
            sum.q += level * level;
        }
    return sum;
}

static void add_slice(void *context, size_t z)
{
    const struct adding *adding = context;
    const struct autocorr_volume_plan *plan = adding->plan;
    const struct cells cells = cells_of(plan);
    const size_t *count = cells.count, width = plan->axis[0].size, height = plan->axis[1].size;
    size_t voxel = kn_type_size(plan->volume.type);

    for (size_t cy = 0; cy < count[1]; cy++) {
        struct autocorr_cell *to = adding->slices + (z * count[1] + cy) * count[0];

        for (size_t cx = 0; cx < count[0]; cx++)
            to[cx] = (struct autocorr_cell){0, 0};
        for (size_t y = autocorr_cell_begin(height, count[1], cy);
             y < autocorr_cell_begin(height, count[1], cy + 1); y++) {
            const unsigned char *row = (const unsigned char *)adding->voxels->at +
                                       (z * adding->voxels->slice + y * adding->voxels->row) * voxel;

            for (size_t cx = 0; cx < count[0]; cx++) {
                struct autocorr_cell sum = add_run(plan, row, autocorr_cell_begin(width, count[0], cx),
                                                   autocorr_cell_begin(width, count[0], cx + 1));

                to[cx].s += sum.s;
                to[cx].q += sum.q;
            }
        }
    }
}

void ki_autocorr_volume_add_up(const struct autocorr_volume_plan *plan, const struct autocorr_voxels *voxels,
                               struct autocorr_cell *slices)
{
    struct adding adding = {plan, voxels, slices};

    ki_parallel(ki_threads(0), plan->axis[2].size, KI_STATIC, add_slice, &adding);
}

// ---- slices to windows ----

// Sums of all cells before a corner: one more than there are cells on each axis.
struct corners {
    size_t count[VOLUME_AXES];
    struct autocorr_cell *sums;
};

static struct autocorr_cell *corner(const struct corners *corners, size_t x, size_t y, size_t z)
{
    return &corners->sums[(z * corners->count[1] + y) * corners->count[0] + x];
}

static void add(struct autocorr_cell *to, const struct autocorr_cell *from)
{
    to->s += from->s;
    to->q += from->q;
}

// Numbers become the sums of those before them, too.
static void add_before(struct autocorr_cell *sums, size_t count, size_t step)
{
    for (size_t i = 0; i < count; i++)
        add(&sums[i + step], &sums[i]);
}

struct filling {
    const struct autocorr_volume_plan *plan;
    const struct autocorr_cell *slices;
    const struct corners *corners;
};

// The corners behind the cells cz, without those of the cells before.
static void fill_plane(void *context, size_t cz)
{
    const struct filling *filling = context;
    const struct cells cells = cells_of(filling->plan);
    const struct corners *corners = filling->corners;
    const size_t *count = cells.count, depth = filling->plan->axis[2].size, row = corners->count[0],
                 end = autocorr_cell_begin(depth, count[2], cz + 1);

    for (size_t z = autocorr_cell_begin(depth, count[2], cz); z < end; z++)
        for (size_t cy = 0; cy < count[1]; cy++)
            for (size_t cx = 0; cx < count[0]; cx++)
                add(corner(corners, cx + 1, cy + 1, cz + 1),
                    &filling->slices[(z * count[1] + cy) * count[0] + cx]);
    for (size_t y = 1; y <= count[1]; y++) {
        add_before(corner(corners, 0, y, cz + 1), count[0], 1);
        add_before(corner(corners, 0, y - 1, cz + 1), row, row);
    }
}

static void fill_corners(const struct autocorr_volume_plan *plan, const struct autocorr_cell *slices,
                         const struct corners *corners)
{
    struct filling filling = {plan, slices, corners};
    const size_t plane = corners->count[0] * corners->count[1];

    ki_parallel(ki_threads(0), corners->count[2] - 1, KI_STATIC, fill_plane, &filling);
    add_before(corners->sums, plane * (corners->count[2] - 1), plane);
}

// Of an axis the corners between which an overlap lies in the first image, or in the second one, which lacks
// the other end.
static void ends_of(const struct corners *corners, unsigned axis, ptrdiff_t offset, bool second,
                    size_t ends[2])
{
    size_t cells = corners->count[axis] - 1, by = (size_t)(offset < 0 ? -offset : offset);
    bool from_below = (offset < 0) != second;

    ends[0] = from_below ? by : 0;
    ends[1] = from_below ? cells : cells - by;
}

static struct autocorr_cell box(const struct corners *corners, const ptrdiff_t offset[VOLUME_AXES],
                                bool second)
{
    struct autocorr_cell sum = {0, 0};
    size_t x[2], y[2], z[2];

    ends_of(corners, 0, offset[0], second, x);
    ends_of(corners, 1, offset[1], second, y);
    ends_of(corners, 2, offset[2], second, z);
    for (unsigned i = 0; i < 8; i++) {
        const struct autocorr_cell *at = corner(corners, x[i & 1], y[i >> 1 & 1], z[i >> 2]);
        bool is_added = __builtin_popcount(i) % 2 == 1; // (1, 1, 1) is, and what lacks two of them

        sum.s += is_added ? at->s : -at->s;
        sum.q += is_added ? at->q : -at->q;
    }
    return sum;
}

static struct autocorr_window window_of(const struct autocorr_volume_plan *plan, const struct corners *first,
                                        const struct corners *second, const ptrdiff_t offset[VOLUME_AXES])
{
    struct autocorr_window window = {.n = 1};
    struct autocorr_cell a, b;

    for (unsigned i = 0; i < VOLUME_AXES; i++) {
        size_t by = (size_t)(offset[i] < 0 ? -offset[i] : offset[i]), size = plan->axis[i].size;

        if (by >= size)
            return (struct autocorr_window){.n = 0};
        window.n *= size - by;
    }
    a = box(first, offset, false);
    b = box(second, offset, true);
    window.s1 = a.s;
    window.q1 = a.q;
    window.s2 = b.s;
    window.q2 = b.q;
    return window;
}

struct windows {
    const struct autocorr_volume_plan *plan;
    const struct corners *first, *second;
    struct autocorr_window *windows, whole;
};

// Those of one Z0.
static void fill_windows(void *context, size_t z0)
{
    const struct windows *all = context;
    const size_t *reach = all->plan->volume.reach;
    const ptrdiff_t rx = (ptrdiff_t)reach[0], ry = (ptrdiff_t)reach[1];
    struct autocorr_window *to = all->windows + z0 * (2 * reach[0] + 1) * (2 * reach[1] + 1);

    for (ptrdiff_t y0 = -ry; y0 <= ry; y0++)
        for (ptrdiff_t x0 = -rx; x0 <= rx; x0++) {
            const ptrdiff_t offset[] = {x0, y0, (ptrdiff_t)z0};

            *to++ = all->plan->volume.periodic ? all->whole
                                               : window_of(all->plan, all->first, all->second, offset);
        }
}

static kn_status make_corners(const struct autocorr_volume_plan *plan, const struct autocorr_cell *slices,
                              struct ki_kept *kept, struct corners *corners, kn_error *err)
{
    const struct cells cells = cells_of(plan);
    size_t count = 1;

    for (unsigned i = 0; i < VOLUME_AXES; i++) {
        corners->count[i] = cells.count[i] + 1;
        count *= corners->count[i];
    }
    corners->sums = ki_kept_take_zeros(kept, count, sizeof *corners->sums);
    if (!corners->sums)
        return ki_fail_memory(err, count * sizeof *corners->sums, "the sums of overlaps");
    fill_corners(plan, slices, corners);
    return KN_OK;
}

kn_status ki_autocorr_volume_windows(const struct autocorr_volume_plan *plan,
                                     const struct autocorr_cell *first, const struct autocorr_cell *second,
                                     struct ki_kept *kept, struct autocorr_window *windows,
                                     struct autocorr_window *whole, kn_error *err)
{
    const ptrdiff_t none[VOLUME_AXES] = {0, 0, 0};
    struct corners corners[2] = {{.sums = NULL}};
    struct windows all = {plan, &corners[0], &corners[second != NULL], windows, {0}};
    kn_status status = make_corners(plan, first, kept, &corners[0], err);

    if (!status && second)
        status = make_corners(plan, second, kept, &corners[1], err);
    if (!status) {
        *whole = all.whole = window_of(plan, all.first, all.second, none);
        ki_parallel(ki_threads(0), plan->volume.reach[2] + 1, KI_STATIC, fill_windows, &all);
    }
    ki_kept_give(kept, corners[0].sums);
    ki_kept_give(kept, corners[1].sums);
    return status;
}
