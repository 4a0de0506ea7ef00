// SPDX-License-Identifier: Apache-2.0
// Turns the options of koine/sparse.h into a choice of products, and refuses invalid ones.
#include "base/error.h"
#include "base/sized.h"
#include "engine/engine.h"
#include "operator_internal.h"

enum { LEAST_GROUP = 32, MOST_ITEMS = 64 };

static bool is_on_the_fly(kn_sparse_format format)
{
    return format == KN_SPARSE_ON_THE_FLY || format == KN_SPARSE_ON_THE_FLY_LOCAL;
}

static bool is_power_of_two(unsigned count)
{
    return count && !(count & (count - 1));
}

static kn_status check_format(const struct sparse_source *source, kn_sparse_format format, kn_error *err)
{
    if ((unsigned)format >= SPARSE_FORMATS)
        return ki_fail(err, KN_ERROR_ARGUMENT, "there is no format %d; see kn_sparse_format", (int)format);
    if (source->matrix && is_on_the_fly(format))
        return ki_fail(
            err, KN_ERROR_ARGUMENT,
            "%s computes rows from a geometry (koine/tomography.h), which a stored matrix does not tell",
            ki_sparse_format_names[format]);
    return KN_OK;
}

// ---- devices ----

static kn_status check_tuning(const kn_device_info *info, const struct sparse_tuning *tuning, kn_error *err)
{
    uint64_t numbers = ki_engine_local_arrays(info) / (tuning->is_double ? sizeof(double) : sizeof(float));
    unsigned most_lanes = tuning->group ? tuning->group : LEAST_GROUP;

    if (tuning->group && (!is_power_of_two(tuning->group) || tuning->group < LEAST_GROUP))
        return ki_fail(err, KN_ERROR_ARGUMENT, "a group of %u; expected a power of two, at least %d",
                       tuning->group, LEAST_GROUP);
    if (tuning->group > info->max_work_group)
        return ki_fail(err, KN_ERROR_LIMIT, "a group of %u, but work-groups of %s have at most %llu",
                       tuning->group, info->spec, (unsigned long long)info->max_work_group);
    if (tuning->lanes && (!is_power_of_two(tuning->lanes) || tuning->lanes > most_lanes))
        return ki_fail(err, KN_ERROR_ARGUMENT, "%u lanes; expected a power of two, at most %u", tuning->lanes,
                       most_lanes);
    if (tuning->lanes > info->max_work_group)
        return ki_fail(err, KN_ERROR_LIMIT, "%u lanes, but work-groups of %s have at most %llu work-items",
                       tuning->lanes, info->spec, (unsigned long long)info->max_work_group);
    if (tuning->items > MOST_ITEMS)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%u items; expected at most %d", tuning->items, MOST_ITEMS);
    if (tuning->chunk > numbers)
        return ki_fail(err, KN_ERROR_LIMIT, "a chunk of %u numbers, but local memory of %s holds %llu",
                       tuning->chunk, info->spec, (unsigned long long)numbers);
    return KN_OK;
}

static kn_status choose_device(const kn_queue *queue, const kn_sparse_operator_options *o,
                               struct sparse_choice *choice, kn_error *err)
{
    if (o->type && o->type != KN_F32 && o->type != KN_F64)
        return ki_fail(err, KN_ERROR_UNSUPPORTED, "products of the type %d; expected KN_F32 or KN_F64",
                       (int)o->type);
    if (o->threads || o->level)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s is the host's, but there is a queue",
                       o->threads ? "threads" : "level");
    choice->type = o->type ? o->type : KN_F32;
    choice->tuning.is_double = choice->type == KN_F64;
    if (choice->tuning.is_double) {
        kn_status status = ki_spmv_check_double(kn_context_get_device(queue->context), choice->format, err);

        if (status)
            return status;
    }
    return check_tuning(kn_context_get_device(queue->context), &choice->tuning, err);
}

// ---- the host ----

static kn_status choose_on_the_fly(const kn_sparse_operator_options *o, struct sparse_choice *choice,
                                   kn_error *err)
{
    if (choice->type != KN_F64)
        return ki_fail(err, KN_ERROR_UNSUPPORTED, "%s on the host is in KN_F64",
                       ki_sparse_format_names[choice->format]);
    if (o->level != KN_HOST_AUTO && o->level != KN_HOST_SCALAR)
        return ki_fail(err, KN_ERROR_UNSUPPORTED, "%s on the host has the level KN_HOST_SCALAR alone",
                       ki_sparse_format_names[choice->format]);
    return KN_OK;
}

static kn_status choose_host(const struct sparse_source *source, const kn_sparse_operator_options *o,
                             struct sparse_choice *choice, kn_error *err)
{
    bool computes = source->geometry && choice->format == KN_SPARSE_AUTO && o->type != KN_F32;

    choice->type = o->type ? o->type : KN_F64;
    if (choice->type != KN_F32 && choice->type != KN_F64)
        return ki_fail(err, KN_ERROR_UNSUPPORTED, "products of the type %d; expected KN_F32 or KN_F64",
                       (int)o->type);
    if (o->group || o->lanes || o->items || o->chunk)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s is a device's, but there is no queue",
                       o->group   ? "group"
                       : o->lanes ? "lanes"
                       : o->items ? "items"
                                  : "chunk");
    if ((unsigned)o->level > KN_HOST_AVX512)
        return ki_fail(err, KN_ERROR_ARGUMENT, "there is no level %d; see kn_host_level", (int)o->level);
    if (choice->format == KN_SPARSE_AUTO)
        choice->format = computes ? KN_SPARSE_ON_THE_FLY : KN_SPARSE_SELL;
    if (choice->format == KN_SPARSE_ON_THE_FLY)
        return choose_on_the_fly(o, choice, err);
    if (choice->format != KN_SPARSE_SELL && choice->format != KN_SPARSE_SIMPLE)
        return ki_fail(err, KN_ERROR_UNSUPPORTED,
                       "%s is a format of devices; the host has sell, simple, and for geometries on-the-fly",
                       ki_sparse_format_names[choice->format]);
    return KN_OK;
}

kn_status ki_sparse_choose(const char *function, const kn_queue *queue, const struct sparse_source *source,
                           const kn_sparse_operator_options *given, struct sparse_choice *choice,
                           kn_error *err)
{
    kn_sparse_operator_options o;
    kn_status status = KI_SIZED_READ(function, kn_sparse_operator_options, given, &o, err);

    if (!status)
        status = check_format(source, o.format, err);
    if (status)
        return status;
    *choice = (struct sparse_choice){.format = o.format,
                                     .host = KN_INIT(kn_host_options, .threads = o.threads, .level = o.level),
                                     .tuning = {o.group, o.lanes, o.items, o.chunk, false}};
    return queue ? choose_device(queue, &o, choice, err) : choose_host(source, &o, choice, err);
}
