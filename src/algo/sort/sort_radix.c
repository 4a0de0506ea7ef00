// SPDX-License-Identifier: Apache-2.0
// The passes of cl/algo/sort/sort_radix.cl.
#include "sort_radix.h"

#include <koine/experimental.h>

#include "base/array.h"
#include "base/error.h"
#include "engine/cost/crossovers.h"

enum { DIGIT_BITS = 8, MASKS_BYTES = CLASSES * 16 };

static kn_status get_kernels(struct radix *r, kn_error *err)
{
    const struct {
        const char *name;
        kn_kernel **kernel;
    } wanted[2][3] = {
        {{"count_digits", &r->count}, {"scan_counts", &r->scan}, {"scatter_digits", &r->scatter}},
        {{"count_all_digits", &r->count}, {"scatter_tiles", &r->scatter}},
    };
    const char *program = r->once ? "algo/sort/sort_radix_once.cl" : "algo/sort/sort_radix.cl";
    struct engine_defines defines = {.count = 0};
    kn_program_options options =
        KN_INIT(kn_program_options, .defines = defines.items, .max_registers = r->registers);
    kn_status status = KN_OK;

    ki_sort_define_keys(&defines, r->job);
    ki_engine_define(&defines, "KN_SUBGROUP", r->rung->subgroup);
    ki_engine_define(&defines, "KN_MATCH", r->rung->match);
    ki_engine_define(&defines, "GROUP", r->group);
    ki_engine_define(&defines, "KEYS", r->keys);
    ki_engine_define(&defines, "VALUE_BYTES", (unsigned)r->job->value_size);
    ki_engine_define(&defines, "POSITION_BITS", r->position_bits);
    ki_engine_define(&defines, "SCAN_GROUP", RADIX_SCAN_GROUP);
    ki_engine_define(&defines, "AHEAD", r->tables > 1);
    ki_engine_define(&defines, "PREFETCH", r->prefetch == 1);
    options.define_count = defines.count;
    for (size_t i = 0; i < (r->once ? 2 : 3) && !status; i++)
        status = ki_engine_builtin_kernel_with(r->queue->context, program, &options, wanted[r->once][i].name,
                                               wanted[r->once][i].kernel, err);
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
        KN_VALUE(what),  KN_VALUE(tables), KN_BUFFER(r->slots[COUNTS]), KN_BUFFER(r->slots[STATE])};

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
    size_t n = ki_radix_chain_args(r, pass, args);

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

// Bits that distinguish the classes of keys in cl/algo/sort/sort_radix.cl: the sign, and for floats the
// exponent.
static uint64_t class_bits(kn_type type)
{
    uint64_t sign = (uint64_t)1 << (kn_type_size(type) * 8 - 1);

    return type == KN_F32 ? 0xff800000u : type == KN_F64 ? 0xfff0000000000000u : sign;
}

// The bits of the keys that differ within a class, or between two.
static kn_status find_differing(const struct radix *r, uint64_t *differing, kn_error *err)
{
    uint64_t masks[CLASSES][2], set = 0, clear = 0;
    kn_status status = kn_buffer_read(r->queue, r->slots[STATE], 0, masks, sizeof masks, err);

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

// The passes begin and end in `own`. An even number of passes alternates with spare[0]; with an odd number,
// the passes between the first and the last alternate between both spare buffers. A single pass ends in
// spare[0], from where run_passes copies.
static void chain_in_place(unsigned passes, kn_buffer *own, kn_buffer *const spare[2], kn_buffer **chain)
{
    kn_buffer *even = passes % 2 ? spare[1] : own;

    chain[0] = own;
    for (unsigned i = 1; i < passes; i++)
        chain[i] = i % 2 ? spare[0] : even;
    chain[passes] = passes > 1 ? own : spare[0];
}

// The keys stay as they are: from the second pass on they are read from the spare buffers. The first pass
// creates the indices, and the last one writes them to the user's buffer.
static void chain_indices(struct radix *r)
{
    unsigned passes = r->passes;

    r->key_chain[0] = r->job->keys;
    r->value_chain[0] = r->slots[COUNTS]; // not read: any buffer serves
    for (unsigned i = 1; i <= passes; i++) {
        r->key_chain[i] = r->slots[i % 2 ? KEYS_A : KEYS_B];
        r->value_chain[i] = (passes - i) % 2 ? r->slots[VALUES_A] : r->job->values;
    }
    r->key_chain[passes] = r->slots[STATE]; // not written: any buffer serves
}

// Every pass writes to another buffer than it reads, and the last one to the user's.
static kn_status choose_chains(struct radix *r, kn_error *err)
{
    const struct sort_job *job = r->job;
    unsigned between = r->passes - 1, keys, values; // number of spare buffers
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
    if (r->once)
        return ki_radix_once_scatter(r, pass, flags, err);
    if (!counted && (pass == 0 || r->tables == 1))
        status = count(r, r->key_chain[pass], r->shifts[pass], flags, err);
    if (!status && !(flags & FOLDED))
        status = scan(r, err);
    return status ? status : scatter(r, pass, flags, err);
}

// Counts the first digit, or all of them; with the masks.
static kn_status count_first(struct radix *r, bool masks, kn_error *err)
{
    const uint32_t zero = 0;
    kn_status status;

    if (r->once) {
        for (unsigned place = 0; place < RADIX_MOST_PASSES; place++)
            r->shifts[place] = place * DIGIT_BITS;
        return ki_radix_once_count(r, masks ? MASKS : 0, err);
    }
    status = kn_buffer_fill(r->queue, r->slots[STATE], &zero, sizeof zero, 0, MASKS_BYTES, NO_EVENT, err);
    return status ? status : count(r, r->job->keys, 0, r->flags | FIRST | MASKS, err);
}

// Finds the passes' digits among those that were counted; if they are missing, counts them now.
static kn_status place_passes(struct radix *r, kn_error *err)
{
    bool again = false;

    for (unsigned pass = 0; pass < r->passes; pass++)
        again = again || r->shifts[pass] % DIGIT_BITS;
    for (unsigned pass = 0; pass < r->passes; pass++)
        r->places[pass] = again ? pass : r->shifts[pass] / DIGIT_BITS;
    return again ? ki_radix_once_count(r, 0, err) : KN_OK;
}

static kn_status run_passes(struct radix *r, kn_error *err)
{
    uint64_t differing = UINT64_MAX;
    bool counted = r->job->tuning.digits == KN_SORT_DIGITS_DIFFERING ||
                   (r->job->tuning.digits == KN_SORT_DIGITS_AUTO &&
                    r->n >= ki_engine_crossover(r->queue->context, CROSSOVER_SORT_DIFFERING));
    kn_status status = KN_OK;

    if (counted || r->once)
        status = count_first(r, counted, err);
    if (!status && counted)
        status = find_differing(r, &differing, err);
    if (status)
        return status;
    choose_passes(r, differing);
    if (r->passes == 0)
        return KN_OK;
    if (r->once)
        status = place_passes(r, err);
    if (!status)
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

// The spare memory holds everything twice, in one allocation.
static bool fits_whole(const struct sort_job *job)
{
    size_t size = kn_type_size(job->type), most = job->value_size > size ? job->value_size : size;

    return 2 * job->n * most <= job->queue->context->device.info.max_alloc;
}

// The methods of cl/algo/sort/sort_buckets.cl, if they can be used: *done.
static kn_status sort_high_digits(const struct radix *r, bool *done, kn_error *err)
{
    const kn_sort_tuning *tuning = &r->job->tuning;
    const kn_device_info *info = &r->queue->context->device.info;
    bool asked = tuning->digits == KN_SORT_DIGITS_HIGHEST,
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
    if (!possible || tuning->digits != KN_SORT_DIGITS_AUTO || tuning->radix_chunks || tuning->radix_places)
        return KN_OK;
    if (r->n * kn_type_size(r->job->type) <= ki_engine_crossover(r->queue->context, CROSSOVER_SORT_ALONE)) {
        *done = fits_whole(r->job);
        return *done ? ki_sort_whole(r->job, err) : KN_OK;
    }
    return kn_type_size(r->job->type) >= 4 ? ki_sort_buckets(r->job, done, err) : KN_OK;
}

static kn_status get_tables(struct radix *r, kn_error *err)
{
    kn_status status;

    if (r->once)
        return ki_radix_once_get_tables(r, err);
    status = get_slot(r, COUNTS, (size_t)DIGITS * r->groups * r->tables * sizeof(uint32_t), err);
    if (!status)
        status = get_slot(r, OFFSETS,
                          r->flags & FOLDED ? 1 : (size_t)DIGITS * r->groups * (r->position_bits / 8), err);
    if (!status)
        status = get_slot(r, TOTALS, DIGITS * (r->position_bits / 8), err);
    return status ? status : get_slot(r, STATE, MASKS_BYTES, err);
}

kn_status ki_sort_radix(const struct sort_job *job, kn_error *err)
{
    struct radix r = {.job = job, .queue = job->queue, .n = job->n};
    bool done = false;
    kn_status status = ki_radix_choose_form(&r, err);

    if (!status)
        status = sort_high_digits(&r, &done, err);
    if (status || done)
        return status;
    status = ki_radix_choose_shape(&r, err);
    if (!status)
        status = get_kernels(&r, err);
    if (status)
        return status;
    r.scratch = ki_engine_scratch_open(job->queue, ENGINE_SCRATCH_ALGORITHM, RADIX_SLOTS, job->function);
    status = get_tables(&r, err);
    if (!status)
        status = run_passes(&r, err);
    ki_engine_scratch_close(&r.scratch);
    return status;
}
