// SPDX-License-Identifier: Apache-2.0
#include "choose.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/os/env.h"
#include "base/error.h"
#include "cli/framework/log.h"

enum { SPEC_MAX = sizeof((struct place_spec *)0)->spec };

static kn_status add_spec(struct places *places, const char *spec, bool from_all, kn_error *err)
{
    struct place_spec *specs;

    if (strlen(spec) >= SPEC_MAX)
        return ki_fail(err, KN_ERROR_NO_DEVICE, "no device has a name as long as '%s'", spec);
    specs = realloc(places->specs, (places->count + 1) * sizeof *specs);
    if (!specs)
        return ki_fail_memory(err, 0, "listing the devices");
    places->specs = specs;
    snprintf(specs[places->count].spec, SPEC_MAX, "%s", spec);
    specs[places->count++].from_all = from_all;
    return KN_OK;
}

static kn_status add_all(struct places *places, bool aliases, kn_error *err)
{
    kn_device_list *list = NULL;
    size_t before = places->count;
    kn_status status = kn_device_list_create(&list, err);

    for (size_t i = 0; i < kn_device_list_get_count(list) && !status; i++) {
        const kn_device_info *device = kn_device_list_get_device(list, i);
        if (!*device->why_not && (aliases || !*device->alias_of))
            status = add_spec(places, device->spec, true, err);
    }
    if (!status && places->count == before)
        status = ki_fail(err, KN_ERROR_NO_DEVICE, "--device all: there is no usable device%s%s",
                         *kn_device_list_get_why(list) ? ": " : "", kn_device_list_get_why(list));
    kn_device_list_free(list);
    return status;
}

kn_status choose_gpus(struct places *places, kn_error *err)
{
    kn_device_list *list = NULL;
    kn_status status = kn_device_list_create(&list, err);

    for (size_t i = 0; i < kn_device_list_get_count(list) && !status; i++) {
        const kn_device_info *device = kn_device_list_get_device(list, i);

        if (!*device->why_not && !*device->alias_of && device->type == KN_DEVICE_GPU)
            status = add_spec(places, device->spec, false, err);
    }
    kn_device_list_free(list);
    if (status)
        choose_free(places);
    return status;
}

// `fallback`: used if no choice was made.
static kn_status choose(const struct string_list *devices, const char *fallback, bool aliases,
                        struct places *places, kn_error *err)
{
    const char *environment = ki_env_get(KI_ENV_DEVICE);
    const char *single = environment ? environment : fallback;
    const char *const *specs = devices->count ? devices->items : &single;
    size_t count = devices->count ? devices->count : 1;
    kn_status status = KN_OK;

    memset(places, 0, sizeof *places);
    places->named = devices->count || environment;
    for (size_t i = 0; i < count && !status; i++) {
        bool best = strcmp(specs[i], "auto") == 0;

        status = strcmp(specs[i], "all") == 0 ? add_all(places, aliases, err)
                                              : add_spec(places, best ? "" : specs[i], false, err);
    }
    if (status)
        choose_free(places);
    return status;
}

kn_status choose_places(const struct string_list *devices, struct places *places, kn_error *err)
{
    return choose(devices, "auto", false, places, err);
}

kn_status choose_paths(const struct string_list *devices, const char *command, struct places *places,
                       kn_error *err)
{
    kn_error why = KN_ERROR_INIT;
    kn_status status = choose(devices, "all", true, places, &why);

    if (status == KN_ERROR_NO_DEVICE && !devices->count && !ki_env_get(KI_ENV_DEVICE)) {
        fprintf(stderr, "%s: %s; the host's own code computes\n", command, why.text);
        return add_spec(places, "host", false, err);
    }
    if (status && err)
        *err = why;
    return status;
}

kn_status choose_host_too(struct places *places, kn_error *err)
{
    kn_status status;

    for (size_t i = 0; i < places->count; i++)
        if (strcmp(places->specs[i].spec, "host") == 0)
            return KN_OK;
    status = add_spec(places, "host", false, err);
    if (status)
        choose_free(places);
    return status;
}

void choose_free(struct places *places)
{
    free(places->specs);
    memset(places, 0, sizeof *places);
}

// "model name : ..." of /proc/cpuinfo; false if the kernel does not report it (ARM).
static bool processor_name(char *name, size_t size)
{
    FILE *file = fopen("/proc/cpuinfo", "r");
    char line[256];
    bool found = false;

    while (file && !found && fgets(line, sizeof line, file)) {
        const char *value = strchr(line, ':');

        found = value && strncmp(line, "model name", strlen("model name")) == 0;
        if (found)
            snprintf(name, size, "%.*s", (int)strcspn(value + 2, "\n"), value + 2);
    }
    if (file)
        fclose(file);
    return found;
}

void place_host(struct place *place)
{
    kn_device_info *device = &place->device;
    struct utsname system;

    memset(place, 0, sizeof *place);
    snprintf(device->spec, sizeof device->spec, "host");
    snprintf(device->backend, sizeof device->backend, "host");
    device->fp64 = 1;
    device->global_memory = device->max_alloc =
        (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
    if (!processor_name(device->name, sizeof device->name))
        snprintf(device->name, sizeof device->name, "%s", uname(&system) == 0 ? system.machine : "host");
}

kn_status place_open(const char *spec, bool must_be_device, const char *command, struct place *place,
                     kn_error *err)
{
    return place_open_with(spec, KN_POLICY_DEFAULT, must_be_device, command, place, err);
}

// The host's code has no relaxed maths.
static kn_status check_host(int policy, kn_error *err)
{
    return policy == KN_POLICY_FAST ? ki_fail(err, KN_ERROR_ARGUMENT,
                                              "--policy fast: the host's own code always computes without "
                                              "contraction or relaxed maths; name a device with --device")
                                    : KN_OK;
}

kn_status place_open_with(const char *spec, int policy, bool must_be_device, const char *command,
                          struct place *place, kn_error *err)
{
    kn_context_options options = KN_INIT(kn_context_options, .policy = (kn_policy)policy);
    kn_error why = KN_ERROR_INIT;
    kn_status status = log_options(&options, err);

    memset(place, 0, sizeof *place);
    if (status)
        return status;
    if (strcmp(spec, "host") == 0) {
        place_host(place);
        return check_host(policy, err);
    }
    status = kn_context_open(*spec ? spec : "auto", &options, &place->context, &why);
    if (status == KN_ERROR_NO_DEVICE && !*spec && !must_be_device) {
        fprintf(stderr, "%s: %s; the host's own code computes\n", command, why.text);
        place_host(place);
        return check_host(policy, err);
    }
    if (!status)
        status = kn_queue_open(place->context, &place->queue, &why);
    if (status) {
        if (err)
            *err = why;
        place_close(place);
        return status;
    }
    place->device = *kn_context_get_device(place->context);
    return KN_OK;
}

kn_status place_open_chosen(const struct place_spec *spec, int policy, bool must_be_device,
                            const char *command, struct place *place, bool *opened, kn_error *err)
{
    kn_error why = KN_ERROR_INIT;
    kn_status status = place_open_with(spec->spec, policy, must_be_device, command, place, &why);

    *opened = status == KN_OK;
    if (status && spec->from_all) {
        fprintf(stderr, "%s: %s is skipped: %s\n", command, spec->spec, why.text);
        return KN_OK;
    }
    if (status && err)
        *err = why;
    return status;
}

kn_status place_open_beside(const struct place *first, struct place *place, kn_error *err)
{
    *place = *first;
    place->queue = NULL;
    place->borrows = true;
    return kn_queue_open(first->context, &place->queue, err);
}

void place_close(struct place *place)
{
    kn_queue_close(place->queue);
    if (!place->borrows)
        kn_context_close(place->context);
    place->queue = NULL;
    place->context = NULL;
}
