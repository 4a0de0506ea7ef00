// SPDX-License-Identifier: Apache-2.0
// The shape of a selection, and its kernels.
#include "select.h"

#include "base/array.h"
#include "base/error.h"

// Work-items that sort a list.
enum { LIST_GROUP = 256 };

kn_status ki_select_check_options(const struct select *s, kn_error *err)
{
    const kn_select_options *options = &s->options;
    const kn_select_tuning *tuning = &s->tuning;
    const char *function = s->function;

    if ((unsigned)options->method > KN_SELECT_BRACKETS)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: there is no method %d; see kn_select_method", function,
                       (int)options->method);
    if (tuning->group > 1024 || (tuning->group & (tuning->group - 1)) || tuning->loads > 16)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "%s: group %u and loads %u; they are a power of two up to 1024, and up to 16",
                       function, tuning->group, tuning->loads);
    if (tuning->samples > 1u << 20)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: %zu samples; at most %u are taken", function,
                       tuning->samples, 1u << 20);
    return KN_OK;
}

// The column in tiles; small ones for few elements, so that more groups share them.
static void choose_tiles(struct select *s)
{
    const kn_device_info *info = &s->queue->context->device.info;

    s->shape = (struct tile_shape){s->tuning.group, s->tuning.loads, 0};
    ki_tile_choose(s->queue, s->type, s->n, s->tuning.groups_unit, &s->shape);
    if (s->shape.group > 1 && s->tuning.loads == 0 && s->shape.groups < info->compute_units / 4) {
        s->shape.loads = 1;
        ki_tile_choose(s->queue, s->type, s->n, s->tuning.groups_unit, &s->shape);
    }
}

void ki_select_choose_shape(struct select *s)
{
    const kn_device_info *info = &s->queue->context->device.info;

    s->digit = ki_element_bits(s->type) <= 16 || info->local_memory < (44u << 10) ? 8 : 11;
    choose_tiles(s);
    s->single = s->shape.group == 1 ? 1 : ki_engine_sizes(info, SHAPE_SELECT_ALONE)->group;
    while (s->single > 1 && (s->single > info->max_work_group || s->single > 1u << s->digit))
        s->single /= 2;
}

// If work-items share local memory, the sample is sorted in lists of this many elements each; there are a
// power of two of them.
static void choose_lists(struct select *s)
{
    s->lists = 0;
    s->step = 1;
    if (s->shape.group == 1)
        return;
    s->list_group = s->shape.group < LIST_GROUP ? s->shape.group : LIST_GROUP;
    for (s->lists = 1; 2 * s->lists * SELECT_LIST <= s->samples;)
        s->lists *= 2;
    if (s->samples > SELECT_LIST)
        s->samples = s->lists * SELECT_LIST;
    if (s->samples > SELECT_POINTS)
        s->step = (uint32_t)s->samples / SELECT_POINTS;
}

void ki_select_choose_sample(struct select *s)
{
    uint64_t most = s->queue->context->device.info.max_alloc / kn_type_size(s->type);
    const struct engine_sizes *kept = ki_engine_sizes(&s->queue->context->device.info, SHAPE_SELECT_KEPT);
    bool alone = s->shape.group == 1;

    most = most < s->n ? most : s->n;
    s->samples = s->tuning.samples;
    // In lists, twice as many samples of a column of 2^27 elements cost less than they save.
    if (s->samples == 0 && !alone && s->n >= 1u << 27)
        s->samples = 131072;
    else if (s->samples == 0)
        s->samples = s->n / 64 < 4096 ? 4096 : s->n / 64 > 65536 ? 65536 : s->n / 64;
    s->samples = s->samples < most ? s->samples : most;
    choose_lists(s);
    s->few = (struct tile_shape){s->shape.group, alone ? 0 : 1, 0};
    ki_tile_choose(s->queue, s->type, s->samples, 0, &s->few);
    s->kept = (struct tile_shape){s->tuning.group ? s->shape.group : kept->group, kept->items, 0};
    while (s->kept.group > 1u << s->digit)
        s->kept.group /= 2;
    ki_tile_choose(s->queue, s->type, s->n / 16, kept->per_unit, &s->kept);
}

// A kernel of one group, of the column's shape, the same for this many brackets, of the sample's shape; one
// of select_narrow.cl, of the candidates' shape; of select_sample.cl, of the lists' and the points'; or of
// select_deliver.cl.
enum shape_of { ALONE, WHOLE, BRACKETED, FEW, KEPT, LISTS, RANKED, DELIVERS };

static kn_status get_kernel(const struct select *s, const char *name, enum shape_of of, kn_kernel **kernel,
                            kn_error *err)
{
    const struct tile_shape *shape = of == FEW ? &s->few : of == KEPT ? &s->kept : &s->shape;
    bool sampled = of == LISTS || of == RANKED;
    const char *file = of == KEPT       ? "algo/select_narrow.cl"
                       : of == DELIVERS ? "algo/select_deliver.cl"
                       : sampled        ? "algo/select_sample.cl"
                                        : "algo/select.cl";
    bool strict = of == KEPT || of == DELIVERS;
    struct engine_defines defines = {.count = 0};

    ki_element_define(&defines, s->type);
    if (of != DELIVERS)
        ki_engine_define(&defines, "GROUP",
                         of == LISTS                   ? s->list_group
                         : of == ALONE || of == RANKED ? s->single
                                                       : shape->group);
    if (sampled) {
        ki_engine_define(&defines, "LIST", SELECT_LIST);
    } else if (of != DELIVERS) {
        ki_engine_define(&defines, "DIGIT", s->digit);
        ki_engine_define(&defines, "LOADS", shape->loads);
        ki_engine_define(&defines, "BRACKETS", of == BRACKETED ? s->brackets : 1);
    }
    return ki_engine_builtin_kernel(s->queue->context, file, defines.items, defines.count,
                                    strict ? KN_POLICY_STRICT : KN_POLICY_DEFAULT, name, kernel, err);
}

kn_status ki_select_get_kernels(struct select *s, unsigned parts, kn_error *err)
{
    const unsigned digits = SELECT_BY_DIGITS | SELECT_BY_BRACKETS, brackets = SELECT_BY_BRACKETS;
    const struct {
        const char *name;
        enum shape_of of;
        unsigned parts;
        kn_kernel **kernel;
    } wanted[] = {{"select_prepare", ALONE, SELECT_ALONE | digits, &s->prepare},
                  {"select_small", ALONE, SELECT_ALONE | brackets, &s->small},
                  {"select_histogram", WHOLE, digits, &s->histogram},
                  {"select_pick", ALONE, digits, &s->pick},
                  {"select_lists", LISTS, SELECT_IN_LISTS, &s->sort_lists},
                  {"select_brackets", RANKED, SELECT_IN_LISTS, &s->points},
                  {"select_sample", ALONE, SELECT_SAMPLE_DIGITS, &s->sample},
                  {"select_histogram", FEW, SELECT_SAMPLE_DIGITS, &s->histogram_few},
                  {"select_bracket", ALONE, SELECT_SAMPLE_DIGITS, &s->bracket},
                  {"select_bins", KEPT, brackets, &s->bins},
                  {"select_narrow", KEPT, brackets, &s->narrow},
                  {"select_gather", BRACKETED, brackets, &s->gather},
                  {"select_again", DELIVERS, SELECT_DELIVERED, &s->again},
                  {s->between ? "select_quantiles" : "select_elements", DELIVERS, SELECT_DELIVERED,
                   s->between ? &s->quantiles : &s->elements}};
    kn_status status = KN_OK;

    for (size_t i = 0; i < KI_COUNT(wanted) && !status; i++)
        if (wanted[i].parts & parts)
            status = get_kernel(s, wanted[i].name, wanted[i].of, wanted[i].kernel, err);
    return status;
}
