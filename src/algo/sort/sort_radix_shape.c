// SPDX-License-Identifier: Apache-2.0
// The shape of a radix sort's launches: the method, groups, chunks, and how digits are counted.
#include "sort_radix.h"

#include <koine/experimental.h>

#include <string.h>

#include "algo/rung.h"
#include "base/array.h"
#include "base/error.h"
#include "engine/cost/crossovers.h"

// Up to this many groups scatter_digits adds up the counts itself, which saves a launch.
enum { FOLDED_GROUPS = 256 };

// The keys of a work-item of count_all_digits are a multiple of this.
enum { ONCE_STEP = 64 };

// Counts have 30 bits of a word there, and the last tile is padded.
enum { ONCE_MOST = (1 << 30) - (1 << 16) };

static const struct radix_rung rungs[] = {
    [KN_SORT_LANES_LOCAL] = {0, 2, 32},    [KN_SORT_LANES_BALLOT] = {1, 0, 32},
    [KN_SORT_LANES_MATCH] = {1, 1, 32},    [KN_SORT_LANES_MASKS] = {1, 2, 32},
    [KN_SORT_LANES_SUBGROUPS] = {2, 0, 8}, [KN_SORT_LANES_SERIAL] = {0, 2, 1},
};

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static kn_status choose_position_bits(struct radix *r, kn_error *err)
{
    unsigned asked = r->job->tuning.radix_places,
             least = r->n > UINT32_MAX - (1u << 20) ? 64 : 32; // a tile may reach beyond the end

    if ((asked && asked != 32 && asked != 64) || (asked && asked < least))
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: radix_places %u; it is %s64", r->job->function, asked,
                       least == 32 ? "32 or " : "");
    r->position_bits = asked ? asked : least;
    return KN_OK;
}

// Whether the device supports a method: what it reports, and a trial.
static kn_status has_lanes(const struct radix *r, unsigned lanes, bool *has, kn_error *err)
{
    kn_context *context = r->queue->context;
    const struct radix_rung *rung = &rungs[lanes];

    *has = rung->subgroup == 0 || (rung->subgroup == 1 && ki_engine_is_nvidia(context)) ||
           (rung->subgroup == 2 && strstr(context->device.extensions, "cl_khr_subgroup_ballot"));
    if (rung->subgroup == 0 || !*has)
        return KN_OK;
    return ki_rung_has_subgroup(context, rung->subgroup, rung->match, has, err);
}

// The first of those that the device has.
static kn_status best_lanes(struct radix *r, kn_error *err)
{
    static const kn_sort_lanes order[] = {KN_SORT_LANES_BALLOT, KN_SORT_LANES_SUBGROUPS, KN_SORT_LANES_LOCAL};
    bool cpu = engine_is_cpu(&r->queue->context->device.info), has = false;
    kn_status status = KN_OK;

    if (cpu && !r->job->tuning.radix_group && !r->job->tuning.radix_keys) {
        r->lanes = KN_SORT_LANES_SERIAL;
        return KN_OK;
    }
    for (size_t i = 0; i < KI_COUNT(order) && !status && !has; i++) {
        r->lanes = order[i];
        status = has_lanes(r, r->lanes, &has, err);
    }
    return status;
}

static kn_status choose_lanes(struct radix *r, kn_error *err)
{
    const kn_context *context = r->queue->context;
    bool has = false;
    kn_status status;

    r->lanes = r->job->tuning.lanes;
    if (r->lanes == KN_SORT_LANES_AUTO)
        return best_lanes(r, err);
    status = has_lanes(r, r->lanes, &has, err);
    if (!status && !has)
        return ki_fail(err, KN_ERROR_UNSUPPORTED,
                       "%s: %s (%s) has not what lanes %u need; it has those of KN_SORT_LANES_LOCAL (%d) and "
                       "KN_SORT_LANES_SERIAL (%d)",
                       r->job->function, context->device.info.spec, context->device.info.name, r->lanes,
                       KN_SORT_LANES_LOCAL, KN_SORT_LANES_SERIAL);
    return status;
}

// Bytes of a key, or of a value if that is larger.
static size_t width_of(const struct radix *r)
{
    return larger(kn_type_size(r->job->type), r->job->value_size);
}

static size_t arena_bytes(const struct radix *r)
{
    size_t element = width_of(r);
    size_t counts = (size_t)(r->group / r->rung->least) * DIGITS * sizeof(uint32_t);
    size_t shares = (size_t)r->group * 4 * 2 * sizeof(uint32_t);

    if (r->rung->match == 2)
        counts *= 3;
    return larger(larger((size_t)r->group * r->keys * element, counts), shares);
}

static bool fits(const struct radix *r)
{
    const kn_device_info *info = &r->queue->context->device.info;
    size_t own = DIGITS * (2 * sizeof(uint32_t) + r->position_bits / 8) + 64; // arrays declared in the kernel

    return r->group <= info->max_work_group && arena_bytes(r) + own <= info->local_memory;
}

// Work-items, keys of each, registers of each, groups per compute unit, and whether a tile is loaded ahead
// (1) or not (2), as measured best on an H200 (bench/history/sort.md).
static const struct shape {
    size_t element; // the most bytes of a key or a value
    bool values;    // with or without
    size_t n;       // the most elements
    unsigned group, keys, registers, chunks, prefetch;
} shapes[] = {
    {4, false, (size_t)1 << 17, 512, 2, 0, 1, 2},  {4, false, (size_t)1 << 18, 512, 4, 0, 1, 2},
    {4, false, (size_t)1 << 21, 512, 16, 0, 1, 2}, {4, false, SIZE_MAX, 512, 16, 64, 4, 1},
    {8, false, (size_t)1 << 17, 512, 2, 0, 1, 2},  {8, false, (size_t)1 << 18, 512, 4, 0, 1, 2},
    {8, false, (size_t)1 << 21, 1024, 8, 0, 1, 2}, {8, false, SIZE_MAX, 512, 20, 0, 4, 2},
    {8, true, (size_t)1 << 17, 512, 2, 0, 1, 2},   {8, true, (size_t)1 << 21, 512, 8, 0, 1, 2},
    {8, true, SIZE_MAX, 384, 10, 80, 4, 2},        {16, true, SIZE_MAX, 256, 8, 0, 4, 2},
};

// The same where the elements are read once a pass, as measured best on an H100; chunks are those of the
// count.
static const struct shape once_shapes[] = {
    {4, false, (size_t)1 << 21, 512, 16, 64, 4, 2}, {4, false, SIZE_MAX, 384, 26, 80, 4, 2},
    {8, false, (size_t)1 << 21, 512, 8, 64, 4, 2},  {8, false, SIZE_MAX, 512, 11, 64, 4, 2},
    {8, true, SIZE_MAX, 384, 10, 80, 4, 2},         {16, true, SIZE_MAX, 256, 8, 0, 4, 2},
};

static struct shape usual_shape(const kn_context *context, size_t element, bool values, uint64_t n, bool once)
{
    static const struct shape other = {16, true, SIZE_MAX, 256, 4, 0, 16, 2};
    const struct shape *table = once ? once_shapes : shapes;
    size_t count = once ? KI_COUNT(once_shapes) : KI_COUNT(shapes);

    for (size_t i = 0; i < count && ki_engine_is_nvidia(context); i++)
        if (element <= table[i].element && n <= table[i].n && values == table[i].values)
            return table[i];
    return other;
}

// Whether this is the method for many keys. With values it was not measured.
static bool is_once_usual(const kn_context *context, bool values)
{
    return ki_engine_is_nvidia(context) && !values;
}

// What koine tune chooses for many keys: by the width of the wider one of keys and values, which is at most 8
// bytes.
enum { GROUP, KEYS, REGISTERS, CHUNKS, PREFETCH };
#define TUNABLES(algorithm)                                                                                  \
    {                                                                                                        \
        algorithm, "algo/sort/sort_radix.cl algo/sort/sort_radix_once.cl",                                   \
        {                                                                                                    \
            "GROUP", "KEYS", "REGISTERS", "CHUNKS", "PREFETCH", NULL                                         \
        }                                                                                                    \
    }
static const kn_tunables all_tunables[2][2] = {
    {TUNABLES("sort-32bit"), TUNABLES("sort-64bit")},
    {TUNABLES("sort-by-key-32bit"), TUNABLES("sort-by-key-64bit")},
};

const kn_tunables *kn_sort_get_tunables(size_t width, bool by_key)
{
    return width > 0 && width <= sizeof(uint64_t) ? &all_tunables[by_key][width > sizeof(uint32_t)] : NULL;
}

kn_status kn_sort_get_usual(const kn_queue *queue, size_t width, bool by_key, unsigned values[KN_TUNABLES],
                            kn_error *err)
{
    struct shape shape;

    if (!queue || !values)
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_sort_get_usual: %s is NULL", queue ? "values" : "queue");
    if (!kn_sort_get_tunables(width, by_key))
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_sort_get_usual: width is %zu bytes; it goes from 1 to 8",
                       width);
    shape = usual_shape(queue->context, width, by_key, SIZE_MAX, is_once_usual(queue->context, by_key));
    memset(values, 0, KN_TUNABLES * sizeof *values);
    values[GROUP] = shape.group;
    values[KEYS] = shape.keys;
    values[REGISTERS] = shape.registers;
    values[CHUNKS] = shape.chunks;
    values[PREFETCH] = shape.prefetch;
    return KN_OK;
}

// The tunables for these keys; NULL if they are too few or too wide, or have a work-item a chunk, or a method
// that is not tuned.
static const kn_tunables *tunables_of(const struct radix *r)
{
    const kn_context *context = r->queue->context;
    bool by_key = r->job->values != NULL;
    bool many = r->once == is_once_usual(context, by_key) &&
                usual_shape(context, width_of(r), by_key, r->n, r->once).n == SIZE_MAX;

    return r->lanes != KN_SORT_LANES_SERIAL && many ? kn_sort_get_tunables(width_of(r), by_key) : NULL;
}

static bool are_possible(const unsigned values[KN_TUNABLES])
{
    return values[GROUP] % 32 == 0 && values[GROUP] >= DIGITS && values[GROUP] <= 1024 && values[KEYS] >= 1 &&
           values[KEYS] <= 32 && values[REGISTERS] <= 255 && values[CHUNKS] >= 1 && values[CHUNKS] <= 1024 &&
           values[PREFETCH] >= 1 && values[PREFETCH] <= 2;
}

static struct shape shape_for(const struct radix *r)
{
    struct shape shape = usual_shape(r->queue->context, width_of(r), r->job->values != NULL, r->n, r->once);
    const kn_tunables *tunables = tunables_of(r);
    unsigned values[KN_TUNABLES];

    if (r->rung->match == 2)
        shape.group = 256; // masks take room
    if (!tunables || !ki_engine_tuning(r->queue->context, tunables, values))
        return shape;
    if (!are_possible(values)) {
        ki_engine_tuning_refuse(r->queue->context, tunables,
                                "groups of %u, %u keys, %u registers, %u chunks, prefetch %u", values[GROUP],
                                values[KEYS], values[REGISTERS], values[CHUNKS], values[PREFETCH]);
        return shape;
    }
    shape.group = values[GROUP];
    shape.keys = values[KEYS];
    shape.registers = values[REGISTERS];
    shape.chunks = values[CHUNKS];
    shape.prefetch = values[PREFETCH];
    return shape;
}

static kn_status choose_group(struct radix *r, kn_error *err)
{
    const kn_device_info *info = &r->queue->context->device.info;
    const kn_sort_tuning *tuning = &r->job->tuning;
    const struct shape shape = shape_for(r);
    const kn_tunables *tunables = tunables_of(r);

    if ((tuning->radix_group &&
         (tuning->radix_group % 32 || tuning->radix_group < DIGITS || tuning->radix_group > 1024)) ||
        tuning->radix_keys > 32)
        return ki_fail(
            err, KN_ERROR_ARGUMENT,
            "%s: radix_group %u and radix_keys %u; they are a multiple of 32 from 256 to 1024, and 1 to 32",
            r->job->function, tuning->radix_group, tuning->radix_keys);
    if (r->lanes == KN_SORT_LANES_SERIAL) {
        r->group = r->keys = 1;
        r->arena = 16;
        return KN_OK;
    }
    r->group = tuning->radix_group ? tuning->radix_group : shape.group;
    r->keys = tuning->radix_keys ? tuning->radix_keys : shape.keys;
    r->prefetch = tuning->radix_prefetch ? tuning->radix_prefetch : shape.prefetch;
    r->registers = tuning->radix_registers ? tuning->radix_registers : shape.registers;
    while (!fits(r) && !tuning->radix_keys && r->keys > 1)
        r->keys--;
    if (r->keys < shape.keys && !tuning->radix_keys && tunables)
        ki_engine_tuning_refuse(r->queue->context, tunables,
                                "%u keys a work-item of groups of %u: local memory holds %u", shape.keys,
                                r->group, r->keys);
    if (!fits(r))
        return ki_fail(err, KN_ERROR_LIMIT,
                       "%s: groups of %u work-items with %u keys each need %zu bytes of local memory; %s "
                       "takes groups of "
                       "%llu and has %llu bytes",
                       r->job->function, r->group, r->keys, arena_bytes(r), info->spec,
                       (unsigned long long)info->max_work_group, (unsigned long long)info->local_memory);
    r->arena = arena_bytes(r);
    return KN_OK;
}

// The number of groups whose counts, or positions, fit into one allocation.
static uint64_t most_groups(const struct radix *r, unsigned tables)
{
    size_t position_bytes = r->position_bits / 8;
    uint64_t most = r->queue->context->device.info.max_alloc /
                    (DIGITS * larger(position_bytes, tables * sizeof(uint32_t)));

    return most ? most : 1;
}

// How many groups, each with a chunk of whole tiles.
static void choose_chunks(struct radix *r)
{
    const kn_device_info *info = &r->queue->context->device.info;
    bool serial = r->lanes == KN_SORT_LANES_SERIAL;
    unsigned asked = r->job->tuning.radix_chunks, a_unit = asked ? asked : serial ? 1 : shape_for(r).chunks;
    uint64_t tile = serial ? 64 : (uint64_t)r->group * r->keys, tiles = (r->n - 1) / tile + 1;
    uint64_t most = (uint64_t)(info->compute_units ? info->compute_units : 1) * a_unit,
             room = most_groups(r, 1);

    most = most < room ? most : room;
    r->chunk = ((tiles - 1) / most + 1) * tile;
    if (info->loop_limit) { // at most 1,000 rounds for a tile, one for a key of a chunk in series
        uint64_t rounds = info->loop_limit / 2,
                 longest = serial ? rounds / tile * tile : rounds / 1000 * tile;
        r->chunk = r->chunk < longest ? r->chunk : longest;
    }
    r->groups = (unsigned)((r->n - 1) / r->chunk + 1);
    if (!serial && r->position_bits == 64)
        return;
    if (r->groups <= (serial && info->loop_limit ? info->loop_limit / 4 / DIGITS : FOLDED_GROUPS))
        r->flags |= FOLDED;
}

// One launch counts all digits, and passes have a group a tile.
static void choose_tiles(struct radix *r)
{
    const kn_device_info *info = &r->queue->context->device.info;
    unsigned asked = r->job->tuning.radix_chunks, a_unit = asked ? asked : shape_for(r).chunks;
    uint64_t step = (uint64_t)r->group * ONCE_STEP, steps = (r->n - 1) / step + 1,
             most = (uint64_t)(info->compute_units ? info->compute_units : 1) * a_unit;

    r->chunk = ((steps - 1) / most + 1) * step;
    r->groups = (unsigned)((r->n - 1) / r->chunk + 1);
    r->tiles = (unsigned)((r->n - 1) / ((uint64_t)r->group * r->keys) + 1);
}

// Counting ahead costs an atomic addition a key and saves a launch a pass.
static void choose_counting(struct radix *r)
{
    kn_sort_counting counting = r->job->tuning.counting;
    unsigned passes = (unsigned)kn_type_size(r->job->type);
    bool possible =
        r->flags & FOLDED && r->lanes != KN_SORT_LANES_SERIAL && r->groups <= most_groups(r, passes);

    if (counting == KN_SORT_COUNTING_AUTO)
        counting = r->n <= ki_engine_crossover(r->queue->context, CROSSOVER_SORT_AHEAD)
                       ? KN_SORT_COUNTING_AHEAD
                       : KN_SORT_COUNTING_SEPARATE;
    r->tables = possible && counting == KN_SORT_COUNTING_AHEAD ? passes : 1;
}

// Groups that wait for those that began before them need what no version of OpenCL promises: NVIDIA's devices
// let them go on; CPUs run a group to its end or in separate threads.
static kn_status choose_once(struct radix *r, kn_error *err)
{
    const kn_device_info *info = &r->queue->context->device.info;
    kn_sort_counting counting = r->job->tuning.counting;
    bool nvidia = ki_engine_is_nvidia(r->queue->context),
         possible = r->lanes != KN_SORT_LANES_SERIAL && r->position_bits == 32 && r->n <= ONCE_MOST &&
                    !info->loop_limit && (nvidia || engine_is_cpu(info));

    if (counting == KN_SORT_COUNTING_ONCE && !possible)
        return ki_fail(
            err, KN_ERROR_UNSUPPORTED,
            "%s: KN_SORT_COUNTING_ONCE is for NVIDIA's devices and processors without a limit of "
            "loop iterations, other lanes than KN_SORT_LANES_SERIAL (%d), positions of 32 bits and "
            "at most %u elements; here are %s, lanes %u, %u bits and %llu elements",
            r->job->function, KN_SORT_LANES_SERIAL, (unsigned)ONCE_MOST, info->spec, r->lanes,
            r->position_bits, (unsigned long long)r->n);
    r->once = counting == KN_SORT_COUNTING_ONCE ||
              (counting == KN_SORT_COUNTING_AUTO && possible &&
               r->n > ki_engine_crossover(r->queue->context, CROSSOVER_SORT_ONCE) &&
               is_once_usual(r->queue->context, r->job->values != NULL));
    return KN_OK;
}

kn_status ki_radix_choose_form(struct radix *r, kn_error *err)
{
    kn_status status = choose_position_bits(r, err);

    if (!status)
        status = choose_lanes(r, err);
    r->rung = &rungs[r->lanes];
    return status ? status : choose_once(r, err);
}

kn_status ki_radix_choose_shape(struct radix *r, kn_error *err)
{
    kn_status status = choose_group(r, err);

    if (status)
        return status;
    if (r->once) {
        choose_tiles(r);
        return KN_OK;
    }
    choose_chunks(r);
    choose_counting(r);
    return KN_OK;
}
