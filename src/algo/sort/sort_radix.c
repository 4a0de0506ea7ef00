// SPDX-License-Identifier: Apache-2.0
// The passes of cl/algo/sort/sort_radix.cl.
#include "algo/rung.h"
#include "sort.h"

#include <string.h>

#include "shared/sort_radix.h"
#include "base/array.h"
#include "base/error.h"

enum { DIGIT_BITS = 8, MOST_PASSES = 8, MASKS_BYTES = CLASSES * 16 };

// Groups whose counts scatter_digits adds up itself, a launch less.
enum { FOLDED_GROUPS = 256 };
// From here on it pays to wait for the masks that tell which digits are constant.
static const size_t masks_from = (size_t)1 << 22;

// Up to here counting ahead was measured faster than launches of its own.
static const size_t ahead_up_to = (size_t)1 << 18;

// Places of scratch memory.
enum { COUNTS, OFFSETS, TOTALS, DIFFERING, KEYS_A, KEYS_B, VALUES_A, VALUES_B, SLOTS };

struct rung {
    unsigned subgroup, match; // KN_SUBGROUP, KN_MATCH
    unsigned least;           // lanes of a sub-group
};

static const struct rung rungs[] = {
    [KN_SORT_LANES_LOCAL] = {0, 2, 32},    [KN_SORT_LANES_BALLOT] = {1, 0, 32},
    [KN_SORT_LANES_MATCH] = {1, 1, 32},    [KN_SORT_LANES_MASKS] = {1, 2, 32},
    [KN_SORT_LANES_SUBGROUPS] = {2, 0, 8}, [KN_SORT_LANES_SERIAL] = {0, 2, 1},
};

struct radix {
    const struct sort_job *job;
    kn_queue *queue;
    uint64_t n, chunk; // elements a group: a multiple of the tile
    unsigned lanes, group, keys, registers, prefetch, groups, position_bits, flags;
    size_t arena; // bytes of local memory
    kn_kernel *count, *scan, *scatter;
    struct engine_scratch scratch;
    kn_buffer *slots[SLOTS];
    unsigned shifts[MOST_PASSES + 1], passes, tables; // tables of counts: 1, or one a pass
    // Where each pass reads, and the next one: passes + 1 of them.
    kn_buffer *key_chain[MOST_PASSES + 1], *value_chain[MOST_PASSES + 1];
};

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static kn_status choose_position_bits(struct radix *r, kn_error *err)
{
    unsigned asked = r->job->options.radix_places,
             least = r->n > UINT32_MAX - (1u << 20) ? 64 : 32; // a tile may reach over

    if ((asked && asked != 32 && asked != 64) || (asked && asked < least))
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: radix_places %u; it is %s64", r->job->function, asked,
                       least == 32 ? "32 or " : "");
    r->position_bits = asked ? asked : least;
    return KN_OK;
}

// Whether the device has a form: what it says of itself, and a trial.
static kn_status has_lanes(const struct radix *r, unsigned lanes, bool *has, kn_error *err)
{
    kn_context *context = r->queue->context;
    const struct rung *rung = &rungs[lanes];

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

    if (cpu && !r->job->options.radix_group && !r->job->options.radix_keys) {
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

    r->lanes = r->job->options.lanes;
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

static size_t arena_bytes(const struct radix *r)
{
    size_t element = larger(kn_type_size(r->job->type), r->job->value_size);
    size_t counts = (size_t)(r->group / rungs[r->lanes].least) * DIGITS * sizeof(uint32_t);
    size_t shares = (size_t)r->group * 4 * 2 * sizeof(uint32_t);

    if (rungs[r->lanes].match == 2)
        counts *= 3;
    return larger(larger((size_t)r->group * r->keys * element, counts), shares);
}

static bool fits(const struct radix *r)
{
    const kn_device_info *info = &r->queue->context->device.info;
    size_t own = DIGITS * (2 * sizeof(uint32_t) + r->position_bits / 8) + 64; // the kernel's own arrays

    return r->group <= info->max_work_group && arena_bytes(r) + own <= info->local_memory;
}

// Work-items, keys of each, registers of each, groups a compute unit, and whether a tile is loaded ahead (1)
// or not (2), as measured best on an H200 (bench/RESULTS.md).
static const struct shape {
    size_t element; // bytes, at most: of a key or a value
    bool values;    // with or without
    size_t n;       // at most
    unsigned group, keys, registers, chunks, prefetch;
} shapes[] = {
    {4, false, (size_t)1 << 17, 512, 2, 0, 1, 2},  {4, false, (size_t)1 << 18, 512, 4, 0, 1, 2},
    {4, false, (size_t)1 << 21, 512, 16, 0, 1, 2}, {4, false, SIZE_MAX, 512, 16, 64, 4, 1},
    {8, false, (size_t)1 << 17, 512, 2, 0, 1, 2},  {8, false, (size_t)1 << 18, 512, 4, 0, 1, 2},
    {8, false, (size_t)1 << 21, 1024, 8, 0, 1, 2}, {8, false, SIZE_MAX, 512, 20, 0, 4, 2},
    {8, true, (size_t)1 << 17, 512, 2, 0, 1, 2},   {8, true, (size_t)1 << 21, 512, 8, 0, 1, 2},
    {8, true, SIZE_MAX, 384, 10, 80, 4, 2},        {16, true, SIZE_MAX, 256, 8, 0, 4, 2},
};

static struct shape usual_shape(const kn_context *context, size_t element, bool values, uint64_t n)
{
    static const struct shape other = {16, true, SIZE_MAX, 256, 4, 0, 16, 2};

    for (size_t i = 0; i < KI_COUNT(shapes) && ki_engine_is_nvidia(context); i++)
        if (element <= shapes[i].element && n <= shapes[i].n && values == shapes[i].values)
            return shapes[i];
    return other;
}

// What koine tune chooses, of many keys of 4 bytes and no values.
const struct engine_tunables ki_sort_radix_tunables = {
    "sort", "algo/sort/sort_radix.cl", {"GROUP", "KEYS", "CHUNKS", "PREFETCH", NULL}};

void ki_sort_radix_usual(const kn_queue *queue, unsigned values[ENGINE_TUNABLES])
{
    const struct shape shape = usual_shape(queue->context, sizeof(float), false, SIZE_MAX);
    const unsigned all[] = {shape.group, shape.keys, shape.chunks, shape.prefetch};

    memcpy(values, all, sizeof all);
}

// Whether these keys are of those, and something was kept for them.
static bool is_tuned(const struct radix *r, unsigned values[ENGINE_TUNABLES])
{
    size_t element = larger(kn_type_size(r->job->type), r->job->value_size);

    return r->lanes != KN_SORT_LANES_SERIAL && element <= sizeof(float) && !r->job->values &&
           usual_shape(r->queue->context, element, false, r->n).n == SIZE_MAX &&
           ki_engine_tuning(r->queue->context, &ki_sort_radix_tunables, values);
}

static struct shape shape_for(const struct radix *r)
{
    size_t element = larger(kn_type_size(r->job->type), r->job->value_size);
    struct shape shape = usual_shape(r->queue->context, element, r->job->values != NULL, r->n);
    unsigned values[ENGINE_TUNABLES];

    if (rungs[r->lanes].match == 2)
        shape.group = 256; // masks take room
    if (!is_tuned(r, values))
        return shape;
    if (values[0] % 32 || values[0] < DIGITS || values[0] > 1024 || values[1] < 1 || values[1] > 32 ||
        values[2] < 1 || values[2] > 1024 || values[3] < 1 || values[3] > 2) {
        ki_engine_tuning_refuse(r->queue->context, &ki_sort_radix_tunables,
                                "groups of %u, %u keys, %u chunks, prefetch %u", values[0], values[1],
                                values[2], values[3]);
        return shape;
    }
    shape.group = values[0];
    shape.keys = values[1];
    shape.chunks = values[2];
    shape.prefetch = values[3];
    return shape;
}

static kn_status choose_group(struct radix *r, kn_error *err)
{
    const kn_device_info *info = &r->queue->context->device.info;
    const kn_sort_options *options = &r->job->options;
    const struct shape shape = shape_for(r);
    unsigned values[ENGINE_TUNABLES];

    if ((options->radix_group &&
         (options->radix_group % 32 || options->radix_group < DIGITS || options->radix_group > 1024)) ||
        options->radix_keys > 32)
        return ki_fail(
            err, KN_ERROR_ARGUMENT,
            "%s: radix_group %u and radix_keys %u; they are a multiple of 32 from 256 to 1024, and 1 to 32",
            r->job->function, options->radix_group, options->radix_keys);
    if (r->lanes == KN_SORT_LANES_SERIAL) {
        r->group = r->keys = 1;
        r->arena = 16;
        return KN_OK;
    }
    r->group = options->radix_group ? options->radix_group : shape.group;
    r->keys = options->radix_keys ? options->radix_keys : shape.keys;
    r->prefetch = options->radix_prefetch ? options->radix_prefetch : shape.prefetch;
    r->registers = options->radix_registers ? options->radix_registers : shape.registers;
    while (!fits(r) && !options->radix_keys && r->keys > 1)
        r->keys--;
    if (r->keys < shape.keys && !options->radix_keys && is_tuned(r, values))
        ki_engine_tuning_refuse(r->queue->context, &ki_sort_radix_tunables,
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

// Groups whose counts, or positions, find room in one allocation.
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
    unsigned asked = r->job->options.radix_chunks, a_unit = asked ? asked : serial ? 1 : shape_for(r).chunks;
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

// Counting ahead takes an atomic addition a key and saves a launch a pass.
static void choose_counting(struct radix *r)
{
    kn_sort_counting counting = r->job->options.counting;
    unsigned passes = (unsigned)kn_type_size(r->job->type);
    bool possible =
        r->flags & FOLDED && r->lanes != KN_SORT_LANES_SERIAL && r->groups <= most_groups(r, passes);

    if (counting == KN_SORT_COUNTING_AUTO)
        counting = ki_engine_is_nvidia(r->queue->context) && r->n <= ahead_up_to ? KN_SORT_COUNTING_AHEAD
                                                                                 : KN_SORT_COUNTING_SEPARATE;
    r->tables = possible && counting == KN_SORT_COUNTING_AHEAD ? passes : 1;
}

static kn_status get_kernels(struct radix *r, kn_error *err)
{
    const struct {
        const char *name;
        kn_kernel **kernel;
    } wanted[] = {{"count_digits", &r->count}, {"scan_counts", &r->scan}, {"scatter_digits", &r->scatter}};
    struct engine_defines defines = {.count = 0};
    kn_program_options options = {.defines = defines.items, .max_registers = r->registers};
    kn_status status = KN_OK;

    ki_sort_define_keys(&defines, r->job);
    ki_engine_define(&defines, "KN_SUBGROUP", rungs[r->lanes].subgroup);
    ki_engine_define(&defines, "KN_MATCH", rungs[r->lanes].match);
    ki_engine_define(&defines, "GROUP", r->group);
    ki_engine_define(&defines, "KEYS", r->keys);
    ki_engine_define(&defines, "VALUE_BYTES", (unsigned)r->job->value_size);
    ki_engine_define(&defines, "POSITION_BITS", r->position_bits);
    ki_engine_define(&defines, "SCAN_GROUP", RADIX_SCAN_GROUP);
    ki_engine_define(&defines, "AHEAD", r->tables > 1);
    ki_engine_define(&defines, "PREFETCH", r->prefetch == 1);
    options.define_count = defines.count;
    for (size_t i = 0; i < KI_COUNT(wanted) && !status; i++)
        status = ki_engine_builtin_kernel_with(r->queue->context, "algo/sort/sort_radix.cl", &options,
                                               wanted[i].name, wanted[i].kernel, err);
    return status;
}

static kn_status get_slot(struct radix *r, unsigned slot, size_t bytes, kn_error *err)
{
    return ki_engine_scratch_get(&r->scratch, slot, bytes, &r->slots[slot], err);
}

static kn_status count(const struct radix *r, kn_buffer *keys, unsigned shift, unsigned flags, kn_error *err)
{
    const kn_range range = {1, {(size_t)r->groups * r->group}, {r->group}, {0}};
    uint32_t bits = shift, what = flags, tables = r->tables;
    const kn_arg args[] = {
        KN_BUFFER(keys), KN_VALUE(r->n),   KN_VALUE(r->chunk),          KN_VALUE(bits),
        KN_VALUE(what),  KN_VALUE(tables), KN_BUFFER(r->slots[COUNTS]), KN_BUFFER(r->slots[DIFFERING])};

    return kn_launch(r->queue, r->count, &range, args, KI_COUNT(args), NO_EVENT, err);
}

static kn_status scan(const struct radix *r, kn_error *err)
{
    const kn_range range = {1, {(size_t)DIGITS * RADIX_SCAN_GROUP}, {RADIX_SCAN_GROUP}, {0}};
    uint32_t groups = r->groups;
    const kn_arg args[] = {KN_BUFFER(r->slots[COUNTS]), KN_VALUE(groups), KN_BUFFER(r->slots[OFFSETS]),
                           KN_BUFFER(r->slots[TOTALS])};

    return kn_launch(r->queue, r->scan, &range, args, KI_COUNT(args), NO_EVENT, err);
}

static kn_status scatter(const struct radix *r, unsigned pass, unsigned flags, kn_error *err)
{
    const kn_range range = {1, {(size_t)r->groups * r->group}, {r->group}, {0}};
    uint32_t bits = r->shifts[pass], what = flags, table = r->tables > 1 ? pass : 0,
             next = r->shifts[pass + 1];
    kn_arg args[14];
    size_t n = 0;

    args[n++] = KN_BUFFER(r->key_chain[pass]);
    args[n++] = KN_BUFFER(r->key_chain[pass + 1]);
    if (r->job->values) {
        args[n++] = KN_BUFFER(r->value_chain[pass]);
        args[n++] = KN_BUFFER(r->value_chain[pass + 1]);
    }
    args[n++] = KN_VALUE(r->n);
    args[n++] = KN_VALUE(r->chunk);
    args[n++] = KN_VALUE(bits);
    args[n++] = KN_VALUE(what);
    args[n++] = KN_VALUE(table);
    args[n++] = KN_VALUE(next);
    args[n++] = KN_BUFFER(r->slots[COUNTS]);
    args[n++] = KN_BUFFER(r->slots[OFFSETS]);
    args[n++] = KN_BUFFER(r->slots[TOTALS]);
    args[n++] = KN_LOCAL(r->arena);
    return kn_launch(r->queue, r->scatter, &range, args, n, NO_EVENT, err);
}

// Windows of 8 bits over the bits that differ, from the lowest up.
static void choose_passes(struct radix *r, uint64_t differing)
{
    unsigned bits = (unsigned)kn_type_size(r->job->type) * 8;

    for (unsigned bit = 0; bit < bits; bit++)
        if (differing >> bit & 1) {
            r->shifts[r->passes++] = bit;
            bit += DIGIT_BITS - 1;
        }
    if (r->passes == 0 && r->job->indices)
        r->shifts[r->passes++] = 0; // makes the indices
}

// Bits that tell cl/algo/sort/sort_radix.cl's classes of keys apart: the sign, and of floats the exponent.
static uint64_t class_bits(kn_type type)
{
    uint64_t sign = (uint64_t)1 << (kn_type_size(type) * 8 - 1);

    return type == KN_F32 ? 0xff800000u : type == KN_F64 ? 0xfff0000000000000u : sign;
}

// Which bits of the keys differ within a class, or tell two apart.
static kn_status find_differing(const struct radix *r, uint64_t *differing, kn_error *err)
{
    uint64_t masks[CLASSES][2], set = 0, clear = 0;
    kn_status status = kn_buffer_read(r->queue, r->slots[DIFFERING], 0, masks, sizeof masks, err);

    if (status)
        return status;
    *differing = 0;
    for (unsigned i = 0; i < CLASSES; i++) {
        *differing |= masks[i][0] & masks[i][1];
        set |= masks[i][0];
        clear |= masks[i][1];
    }
    *differing |= set & clear & class_bits(r->job->type);
    return KN_OK;
}

// Gets `count` spare buffers, 0 to 2, in the slots from `first` on.
static kn_status get_spare(struct radix *r, unsigned first, unsigned count, size_t bytes, kn_error *err)
{
    kn_status status = KN_OK;

    for (unsigned i = 0; i < count && !status; i++)
        status = get_slot(r, first + i, bytes, err);
    return status;
}

// The passes begin and end in `own`. With an even number of passes it takes turns with spare[0]; with an odd
// number the passes between the first and the last take turns with both spare buffers. A single pass ends in
// spare[0], from where run_passes copies.
static void chain_in_place(unsigned passes, kn_buffer *own, kn_buffer *const spare[2], kn_buffer **chain)
{
    kn_buffer *even = passes % 2 ? spare[1] : own;

    chain[0] = own;
    for (unsigned i = 1; i < passes; i++)
        chain[i] = i % 2 ? spare[0] : even;
    chain[passes] = passes > 1 ? own : spare[0];
}

// The keys stay as they are: from the second pass on they are read from the spare buffers. The indices are
// made by the first pass, and the last one writes them where the user looks.
static void chain_indices(struct radix *r)
{
    unsigned passes = r->passes;

    r->key_chain[0] = r->job->keys;
    r->value_chain[0] = r->slots[COUNTS]; // not read: any buffer serves
    for (unsigned i = 1; i <= passes; i++) {
        r->key_chain[i] = r->slots[i % 2 ? KEYS_A : KEYS_B];
        r->value_chain[i] = (passes - i) % 2 ? r->slots[VALUES_A] : r->job->values;
    }
    r->key_chain[passes] = r->slots[TOTALS]; // not written: any buffer serves
}

// Every pass writes elsewhere than it reads, and the last one where the user looks.
static kn_status choose_chains(struct radix *r, kn_error *err)
{
    const struct sort_job *job = r->job;
    unsigned between = r->passes - 1, keys, values; // how many spare buffers
    kn_status status;

    if (job->indices) {
        keys = between < 2 ? between : 2;
        values = between > 0 ? 1 : 0;
    } else {
        keys = between > 0 && r->passes % 2 ? 2 : 1;
        values = job->values ? keys : 0;
    }
    status = get_spare(r, KEYS_A, keys, job->n * kn_type_size(job->type), err);
    if (!status)
        status = get_spare(r, VALUES_A, values, job->n * job->value_size, err);
    if (status)
        return status;
    if (job->indices) {
        chain_indices(r);
    } else {
        chain_in_place(r->passes, job->keys, &r->slots[KEYS_A], r->key_chain);
        chain_in_place(r->passes, job->values, &r->slots[VALUES_A], r->value_chain);
    }
    return KN_OK;
}

static kn_status run_pass(const struct radix *r, unsigned pass, bool counted, kn_error *err)
{
    unsigned flags = r->flags | (pass == 0 ? FIRST : 0) | (pass + 1 == r->passes ? LAST : 0);
    kn_status status = KN_OK;

    if (r->job->indices)
        flags |= (pass == 0 ? IOTA : 0) | (pass + 1 == r->passes ? NO_KEYS : 0);
    if (!counted && (pass == 0 || r->tables == 1))
        status = count(r, r->key_chain[pass], r->shifts[pass], flags, err);
    if (!status && !(flags & FOLDED))
        status = scan(r, err);
    return status ? status : scatter(r, pass, flags, err);
}

static kn_status run_passes(struct radix *r, kn_error *err)
{
    uint64_t differing = UINT64_MAX;
    bool counted = r->job->options.digits == KN_SORT_DIGITS_DIFFERING ||
                   (r->job->options.digits == KN_SORT_DIGITS_AUTO && r->n >= masks_from);
    kn_status status = KN_OK;

    if (counted) {
        const uint32_t zero = 0;
        status =
            kn_buffer_fill(r->queue, r->slots[DIFFERING], &zero, sizeof zero, 0, MASKS_BYTES, NO_EVENT, err);
        if (!status)
            status = count(r, r->job->keys, 0, r->flags | FIRST | MASKS, err);
        if (!status)
            status = find_differing(r, &differing, err);
    }
    if (status)
        return status;
    choose_passes(r, differing);
    if (r->passes == 0)
        return KN_OK;
    status = choose_chains(r, err);
    for (unsigned pass = 0; pass < r->passes && !status; pass++)
        status = run_pass(r, pass, counted && pass == 0 && r->shifts[0] == 0, err);
    if (status || r->passes > 1 || r->job->indices)
        return status;
    status = kn_buffer_copy(r->queue, r->slots[KEYS_A], 0, r->job->keys, 0,
                            r->job->n * kn_type_size(r->job->type), NO_EVENT, err);
    if (!status && r->job->values)
        status = kn_buffer_copy(r->queue, r->slots[VALUES_A], 0, r->job->values, 0,
                                r->job->n * r->job->value_size, NO_EVENT, err);
    return status;
}

// Up to so many bytes of keys one work-item alone was measured faster than several launches.
static const size_t whole_up_to = (size_t)1 << 16;

// Its spare memory holds everything twice, in one allocation.
static bool fits_whole(const struct sort_job *job)
{
    size_t size = kn_type_size(job->type), most = job->value_size > size ? job->value_size : size;

    return 2 * job->n * most <= job->queue->context->device.info.max_alloc;
}

// The forms of cl/algo/sort/sort_buckets.cl, where they serve: *done.
static kn_status sort_high_digits(const struct radix *r, bool *done, kn_error *err)
{
    const kn_sort_options *options = &r->job->options;
    const kn_device_info *info = &r->queue->context->device.info;
    bool asked = options->digits == KN_SORT_DIGITS_HIGHEST,
         possible = r->lanes == KN_SORT_LANES_SERIAL && r->n < UINT32_MAX && !info->loop_limit;

    *done = false;
    if (asked && !possible)
        return ki_fail(
            err, KN_ERROR_UNSUPPORTED,
            "%s: KN_SORT_DIGITS_HIGHEST is for KN_SORT_LANES_SERIAL (%d), fewer than 2^32 - 1 elements and a "
            "device without a limit of loop iterations; here are lanes %u, %llu elements, and %s with a "
            "limit "
            "of %u (0: none)",
            r->job->function, KN_SORT_LANES_SERIAL, r->lanes, (unsigned long long)r->n, info->spec,
            (unsigned)info->loop_limit);
    if (asked)
        return ki_sort_buckets(r->job, done, err);
    if (!possible || options->digits != KN_SORT_DIGITS_AUTO || options->radix_chunks || options->radix_places)
        return KN_OK;
    if (r->n * kn_type_size(r->job->type) <= whole_up_to) {
        *done = fits_whole(r->job);
        return *done ? ki_sort_whole(r->job, err) : KN_OK;
    }
    return kn_type_size(r->job->type) >= 4 ? ki_sort_buckets(r->job, done, err) : KN_OK;
}

static kn_status get_tables(struct radix *r, kn_error *err)
{
    kn_status status = get_slot(r, COUNTS, (size_t)DIGITS * r->groups * r->tables * sizeof(uint32_t), err);

    if (!status)
        status = get_slot(r, OFFSETS,
                          r->flags & FOLDED ? 1 : (size_t)DIGITS * r->groups * (r->position_bits / 8), err);
    if (!status)
        status = get_slot(r, TOTALS, DIGITS * (r->position_bits / 8), err);
    return status ? status : get_slot(r, DIFFERING, MASKS_BYTES, err);
}

kn_status ki_sort_radix(const struct sort_job *job, kn_error *err)
{
    struct radix r = {.job = job, .queue = job->queue, .n = job->n};
    bool done = false;
    kn_status status;

    status = choose_position_bits(&r, err);
    if (!status)
        status = choose_lanes(&r, err);
    if (!status)
        status = sort_high_digits(&r, &done, err);
    if (!status && !done)
        status = choose_group(&r, err);
    if (status || done)
        return status;
    choose_chunks(&r);
    choose_counting(&r);
    status = get_kernels(&r, err);
    if (status)
        return status;
    r.scratch = ki_engine_scratch_open(job->queue, ENGINE_SCRATCH_ALGORITHM, SLOTS, job->function);
    status = get_tables(&r, err);
    if (!status)
        status = run_passes(&r, err);
    ki_engine_scratch_close(&r.scratch);
    return status;
}
