// SPDX-License-Identifier: Apache-2.0
// The configurations in which `koine stats` computes: which options go together, and what becomes of what is
// not there.
#include "cmd_stats.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"

const char *const stats_precision_names[] = {"float", "double", "both", NULL};

const char *const stats_method_names[] = {
    [KN_STATS_AUTO] = "auto",
    [KN_STATS_SORT] = "sort",
    [KN_STATS_SELECT] = "select",
    [KN_STATS_FUSED] = "fused",
    NULL,
};

const char *const stats_variant_names[] = {
    [KN_STATS_BEST] = "",
    [KN_STATS_SERIAL] = "serial",
    [KN_STATS_VECTORIZED] = "vectorized",
    [KN_STATS_PARALLEL] = "parallel",
    [KN_STATS_PARALLEL_VECTORIZED] = "parallel-vectorized",
    [KN_STATS_DEVICE] = "gpu",
};
enum { VARIANTS = KN_STATS_DEVICE }; // KN_STATS_BEST is none

#define FLAG(field) OPTION_OFFSET(OPTION_FLAG, struct stats_arguments, field)

static const char all_has_it[] = "--all-variants includes it; leave it out";

static const struct exclusion {
    const char *option, *other;
    size_t field, other_field; // flags
    const char *advice;
} exclusions[] = {
    {"gpu", "serial", FLAG(gpu), FLAG(serial), "choose one of these variants; --all-variants runs both"},
    {"gpu", "parallel", FLAG(gpu), FLAG(parallel),
     "it uses threads of the host; choose one of these variants, or --all-variants"},
    {"gpu", "vectorized", FLAG(gpu), FLAG(vectorized),
     "it uses vectors of the host; choose one of these variants, or --all-variants"},
    {"serial", "parallel", FLAG(serial), FLAG(parallel),
     "serial uses one thread; choose one of these variants, or --all-variants"},
    {"serial", "vectorized", FLAG(serial), FLAG(vectorized),
     "serial uses no vectors; --vectorized alone is one thread with vectors"},
    {"all-variants", "gpu", FLAG(all_variants), FLAG(gpu), all_has_it},
    {"all-variants", "serial", FLAG(all_variants), FLAG(serial), all_has_it},
    {"all-variants", "parallel", FLAG(all_variants), FLAG(parallel), all_has_it},
    {"all-variants", "vectorized", FLAG(all_variants), FLAG(vectorized), all_has_it},
};

kn_status stats_read_numbers(struct stats_run *run, kn_error *err)
{
    const struct stats_arguments *arguments = run->arguments;
    const char *unit = arguments->unit && strcmp(arguments->unit, "g") == 0 ? "1" : arguments->unit;
    const struct {
        const char *option, *unit, *text;
        double *value;
    } numbers[] = {{"gap", "seconds", arguments->gap, &run->gap},
                   {"resample", "samples a second", arguments->resample, &run->resample},
                   {"unit", "counts per g (or the word g)", unit, &run->unit}};

    for (size_t i = 0; i < KI_COUNT(numbers); i++) {
        char *end;

        if (!numbers[i].text)
            continue;
        *numbers[i].value = strtod(numbers[i].text, &end);
        if (end == numbers[i].text || *end || !isfinite(*numbers[i].value) || *numbers[i].value <= 0)
            return ki_fail(err, KN_ERROR_ARGUMENT, "--%s: '%s' is not a number of %s above 0",
                           numbers[i].option, numbers[i].text, numbers[i].unit);
    }
    if (unit && !arguments->enmo)
        return ki_fail(err, KN_ERROR_ARGUMENT, "--unit says what one g is for --enmo; it needs --enmo");
    if ((arguments->magnitude || arguments->enmo) && arguments->missing == CSV_MISSING_OMIT)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "--%s and --missing omit cannot be combined: an axis without its missing cells does "
                       "not match the others; --missing propagate keeps them",
                       arguments->magnitude ? "magnitude" : "enmo");
    if (run->resample > 0 && arguments->missing == CSV_MISSING_OMIT)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "--resample and --missing omit cannot be combined: a column without its missing cells "
                       "has no times; --missing propagate keeps them");
    return KN_OK;
}

static bool flag(const struct stats_arguments *arguments, size_t field)
{
    return *(const bool *)((const char *)arguments + field);
}

static bool names_host_variant(const struct stats_arguments *arguments)
{
    return arguments->serial || arguments->parallel || arguments->vectorized;
}

static kn_stats_variant host_variant(const struct stats_arguments *arguments)
{
    if (arguments->parallel)
        return arguments->vectorized ? KN_STATS_PARALLEL_VECTORIZED : KN_STATS_PARALLEL;
    return arguments->vectorized ? KN_STATS_VECTORIZED : KN_STATS_SERIAL;
}

static kn_status check_devices(const struct stats_arguments *arguments, kn_error *err)
{
    const struct string_list *devices = &arguments->common.devices;

    for (size_t i = 0; i < devices->count; i++) {
        bool host = strcmp(devices->items[i], "host") == 0;

        if (names_host_variant(arguments) && !host)
            return ki_fail(err, KN_ERROR_ARGUMENT,
                           "variant %s runs on the host: it cannot be combined with --device %s; --gpu can",
                           stats_variant_names[host_variant(arguments)], devices->items[i]);
        if (arguments->gpu && host)
            return ki_fail(
                err, KN_ERROR_ARGUMENT,
                "--gpu runs kernels: it cannot be combined with --device host; --parallel --vectorized can");
    }
    return KN_OK;
}

kn_status stats_check_arguments(const struct stats_arguments *arguments, kn_error *err)
{
    for (size_t i = 0; i < KI_COUNT(exclusions); i++) {
        const struct exclusion *row = &exclusions[i];

        if (flag(arguments, row->field) && flag(arguments, row->other_field))
            return ki_fail(err, KN_ERROR_ARGUMENT, "--%s and --%s are mutually exclusive: %s", row->option,
                           row->other, row->advice);
    }
    if (arguments->num_partitions && arguments->partition_step)
        return ki_fail(
            err, KN_ERROR_ARGUMENT,
            "--num-partitions and --partition-step are mutually exclusive: the first says how many "
            "prefixes there are, the second how far apart they end");
    if (arguments->num_partitions > UINT32_MAX)
        return ki_fail(err, KN_ERROR_ARGUMENT, "--num-partitions: %zu is more prefixes than there can be",
                       arguments->num_partitions);
    if (arguments->inputs.count + arguments->common.operands.count == 0)
        return ki_fail(err, KN_ERROR_ARGUMENT, "no input: name a file or a folder; try 'koine stats --help'");
    for (size_t i = 0; i < arguments->inputs.count && arguments->common.ranks; i++)
        if (strcmp(arguments->inputs.items[i], "-") == 0)
            return ranks_refuse_standard_input(err);
    if (arguments->common.ranks && (arguments->all_variants || arguments->sweep))
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "--%s compares times, which ranks of MPI do not share; start the command once",
                       arguments->sweep ? "sweep" : "all-variants");
    return check_devices(arguments, err);
}

const char *stats_precision_of(const struct stats_config *config)
{
    return precision_names[config->single ? PRECISION_FLOAT : PRECISION_DOUBLE];
}

// Whether the processor has what the variant needs.
static kn_status try_variant(kn_stats_variant variant, kn_error *err)
{
    const kn_stats_options options = KN_INIT(kn_stats_options, .variant = variant);
    kn_stats_plan *plan = NULL;
    kn_status status = kn_stats_plan_create(NULL, KN_F64, 1, &options, &plan, err);

    kn_stats_plan_free(plan);
    return ki_error_unname(status, err);
}

// In the place that was opened last.
static void add_config(struct stats_run *run, kn_stats_variant variant, bool single)
{
    run->configs[run->config_count++] =
        (struct stats_config){.variant = variant, .place = run->place_count - 1, .single = single};
}

// A variant of the host in each precision.
static void add_host_configs(struct stats_run *run, kn_stats_variant variant)
{
    int precision = run->arguments->common.precision;

    for (int single = 0; single < 2; single++)
        if (precision == PRECISION_BOTH || (precision == PRECISION_FLOAT) == single)
            add_config(run, variant, single);
}

// All variants of the host; those that its processor does not have are left out with a line.
static kn_status add_all_host_configs(struct stats_run *run, kn_error *err)
{
    for (kn_stats_variant variant = KN_STATS_SERIAL; variant < KN_STATS_DEVICE; variant++) {
        kn_error why = KN_ERROR_INIT;
        kn_status status = try_variant(variant, &why);

        if (status == KN_ERROR_UNSUPPORTED) {
            fprintf(stderr, "%s: variant %s is skipped: %s\n", run->arguments->common.command,
                    stats_variant_names[variant], why.text);
        } else if (status) {
            if (err)
                *err = why;
            return status;
        } else {
            add_host_configs(run, variant);
        }
    }
    return KN_OK;
}

// The host where it was not named as a variant: as fast as it can be.
static void add_best_host_config(struct stats_run *run)
{
    kn_error why = KN_ERROR_INIT;
    bool vectors = try_variant(KN_STATS_PARALLEL_VECTORIZED, &why) != KN_ERROR_UNSUPPORTED;

    if (!vectors)
        fprintf(stderr, "%s: variant parallel instead of parallel-vectorized: %s\n",
                run->arguments->common.command, why.text);
    add_host_configs(run, vectors ? KN_STATS_PARALLEL_VECTORIZED : KN_STATS_PARALLEL);
}

// The place that was opened last takes no part.
static void leave_out(struct stats_run *run)
{
    place_close(&run->places[--run->place_count]);
}

// The variant gpu in each precision that the device has. A device of `all` is left out with a line in the
// precision that it does not have, and altogether where it shares the work; one that was named is refused.
static kn_status add_device_configs(struct stats_run *run, const struct place_spec *spec, kn_error *err)
{
    const struct common_arguments *common = &run->arguments->common;
    const kn_device_info *device = &run->places[run->place_count - 1].device;

    if (common->precision != PRECISION_FLOAT && !device->fp64) {
        if (!spec->from_all)
            return ki_fail(
                err, KN_ERROR_UNSUPPORTED,
                "%s (%s) has no double precision; use --precision float, --serial, or another --device",
                device->spec, device->name);
        fprintf(stderr, "%s: %s (%s) has no double precision and is skipped\n", common->command, device->spec,
                device->name);
        if (run->shares || common->precision == PRECISION_DOUBLE) {
            leave_out(run);
            return KN_OK;
        }
    } else if (common->precision != PRECISION_FLOAT) {
        add_config(run, KN_STATS_DEVICE, false);
    }
    if (common->precision != PRECISION_DOUBLE)
        add_config(run, KN_STATS_DEVICE, true);
    return KN_OK;
}

// Where nobody named a place. A number in a file is some 8 bytes, and 8 in memory.
static kn_status open_soonest(const struct stats_run *run, struct place *place, kn_error *err)
{
    const double numbers = run->file_bytes / 8;
    const kn_work work =
        KN_INIT(kn_work, .host.bytes = 10 * numbers, .device.bytes = 60 * numbers,
                .copied = numbers * sizeof(double), .program = "algo/robust/robust.cl", .programs = 4);

    return estimate_open(&run->chosen, &work, KN_POLICY_DEFAULT, run->arguments->common.command, place, err);
}

static kn_status open_named(const struct stats_run *run, const struct place_spec *spec, bool must_be_device,
                            struct place *place, bool *opened, kn_error *err)
{
    return share_open_place(run->places, run->shares ? run->place_count : 0, spec, KN_POLICY_DEFAULT,
                            must_be_device, run->arguments->common.command, place, opened, err);
}

static kn_status open_device(struct stats_run *run, const struct place_spec *spec, kn_error *err)
{
    const struct stats_arguments *arguments = run->arguments;
    bool opened = true, must_be_device = arguments->gpu || arguments->all_variants;
    const char *command = arguments->common.command;
    struct place *place = &run->places[run->place_count];
    bool host = strcmp(spec->spec, "host") == 0;
    kn_error why = KN_ERROR_INIT;
    kn_status status;

    if (host && arguments->all_variants)
        return KN_OK; // its variants are there
    status = must_be_device || run->chosen.named ? open_named(run, spec, must_be_device, place, &opened, &why)
                                                 : open_soonest(run, place, &why);
    if (status == KN_ERROR_NO_DEVICE && arguments->all_variants && !*spec->spec) {
        fprintf(stderr, "%s: variant gpu is skipped: %s\n", command, why.text);
        return KN_OK;
    }
    if (status) {
        if (err)
            *err = why;
        return status;
    }
    if (!opened)
        return KN_OK;
    run->place_count++;
    if (place->queue)
        return add_device_configs(run, spec, err);
    add_best_host_config(run);
    return KN_OK;
}

static void open_host(struct stats_run *run)
{
    place_host(&run->places[run->place_count++]);
}

// Methods have sums in orders of their own, and `auto` is another one on CPU devices than elsewhere: where
// both share the work, all take the one that every place has.
static void settle_method(struct stats_run *run)
{
    size_t processors = 0;

    run->method = (kn_stats_method)run->arguments->method;
    for (size_t i = 0; run->shares && i < run->place_count; i++)
        processors += run->configs[i * run->config_count].variant == KN_STATS_DEVICE &&
                      run->places[i].device.type == KN_DEVICE_CPU;
    if (run->method == KN_STATS_AUTO && processors > 0 && processors < run->place_count)
        run->method = KN_STATS_SELECT;
}

// Work is shared, but for what compares places.
kn_status stats_choose(struct stats_run *run, kn_error *err)
{
    const struct stats_arguments *arguments = run->arguments;
    kn_status status =
        names_host_variant(arguments) ? KN_OK : choose_places(&arguments->common.devices, &run->chosen, err);

    if (!status && !names_host_variant(arguments))
        status = ranks_choose(&arguments->common, arguments->gpu, &run->chosen, err);
    run->shares = run->chosen.count > 1 && !arguments->all_variants && !arguments->sweep;
    return status;
}

kn_status stats_open_configs(struct stats_run *run, kn_error *err)
{
    const struct stats_arguments *arguments = run->arguments;
    const size_t count = run->chosen.count;
    bool devices = !names_host_variant(arguments);
    kn_status status = KN_OK;

    run->places = calloc(1 + count, sizeof *run->places);
    run->configs = calloc(2 * (VARIANTS + count), sizeof *run->configs);
    run->taken = calloc(1 + count, sizeof *run->taken);
    if (!run->places || !run->configs || !run->taken)
        return ki_fail_memory(err, 0, "opening the devices");
    if (!devices || arguments->all_variants) {
        open_host(run);
        if (devices)
            status = add_all_host_configs(run, err);
        else
            add_host_configs(run, host_variant(arguments));
    }
    for (size_t i = 0; i < count && !status; i++)
        status = open_device(run, &run->chosen.specs[i], err);
    if (!status && run->config_count == 0)
        status = ki_fail(err, KN_ERROR_UNSUPPORTED,
                         "no device is left; use another --device, or --precision float");
    if (!status && run->shares)
        run->config_count /= run->place_count;
    settle_method(run);
    return status;
}

// ---- the places of all ranks ----

// What a rank says of its place.
struct spread {
    kn_device_info device;
    struct stats_config configs[2]; // one in each precision
    size_t config_count;
};

// The same configurations in each place, or none can be compared with another.
static kn_status take_places(struct stats_run *run, const struct spread *all, kn_error *err)
{
    const size_t rank = run->arguments->common.ranks->communicator->rank, count = run->place_count;

    for (size_t i = 0; i < count; i++) {
        if (all[i].config_count != all->config_count)
            return ki_fail(
                err, KN_ERROR_UNSUPPORTED,
                "rank %zu (%s) and rank 0 (%s) do not have the same precisions; use --precision float", i,
                all[i].device.name, all->device.name);
        for (size_t k = 0; k < all->config_count; k++) {
            run->configs[i * all->config_count + k] = all[i].configs[k];
            run->configs[i * all->config_count + k].place = i;
        }
        if (i != rank)
            run->places[i] = (struct place){.device = all[i].device};
    }
    return KN_OK;
}

kn_status stats_spread_places(struct stats_run *run, kn_status status, kn_error *err)
{
    struct ranks *ranks = run->arguments->common.ranks;
    const size_t count = ranks->communicator->size, rank = ranks->communicator->rank;
    struct spread own = {.config_count = run->config_count};
    struct place *places = calloc(count, sizeof *places);
    struct share_taken *taken = calloc(count, sizeof *taken);
    struct stats_config *configs = calloc(2 * count, sizeof *configs);
    void *all = NULL;

    if (!status && !(places && taken && configs))
        status = ki_fail_memory(err, count * sizeof *places, "the places of ranks");
    if (!status) {
        own.device = run->places->device;
        memcpy(own.configs, run->configs, own.config_count * sizeof *own.configs);
    }
    status = ranks_tell(ranks, status, &own, sizeof own, &all, err);
    if (status || !places || !taken || !configs) { // without memory there is a status, too
        free(places);
        free(taken);
        free(configs);
        return status;
    }
    places[rank] = *run->places;
    free(run->places);
    free(run->taken);
    free(run->configs);
    run->places = places;
    run->taken = taken;
    run->configs = configs;
    run->place_count = count;
    run->shares = true;
    status = take_places(run, all, err);
    settle_method(run);
    free(all);
    return status;
}
