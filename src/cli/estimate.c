// SPDX-License-Identifier: Apache-2.0
#include "estimate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/threads.h"
#include "cli/framework/report.h"
#include "engine/cache/cache.h"

// What a GPU costs before and beside its kernels, as it was measured on an H100 and an H200; seconds.
static const double start_seconds = 0.3;     // of its driver and a context
static const double build_seconds = 0.4;     // of a program that is not in the cache
static const double copy_seconds = 1.25e-10; // of a byte, either way
enum { ESTIMATE_UNITS = 132 };

// How much faster all threads are than one, where they share the memory: 1.5 times on 2, 5 times on 16.
static double host_speed(const struct estimate *estimate)
{
    return pow((double)ki_threads(0), estimate->scales ? 1 : 0.6);
}

// Whether a program is in the cache for the device.
static bool is_compiled(const kn_device_info *device, const char *program)
{
    struct cache_entry *entries = NULL;
    size_t count = 0;
    char dir[4096];
    bool found = false;

    if (ki_cache_default_dir(dir, sizeof dir, NULL) || ki_cache_trusted(dir, NULL) ||
        ki_cache_list(dir, &entries, &count, NULL))
        return false;
    for (size_t i = 0; i < count && !found; i++)
        found = entries[i].valid && strcmp(entries[i].program, program) == 0 &&
                strstr(entries[i].device, device->name);
    free(entries);
    return found;
}

struct comparison {
    char spec[sizeof((kn_device_info *)0)->spec]; // of the GPU; "" if there is none
    double host, device, build;                   // seconds; `device` is without `build`
};

static void compare_with(const kn_device_info *gpu, const struct estimate *estimate, struct comparison *c)
{
    snprintf(c->spec, sizeof c->spec, "%s", gpu->spec);
    c->device = start_seconds + estimate->bytes * copy_seconds +
                estimate->device * ESTIMATE_UNITS / (gpu->compute_units ? gpu->compute_units : 1);
    if (c->device < c->host && !is_compiled(gpu, estimate->program))
        c->build = estimate->programs * build_seconds;
}

// Looks for a GPU only where one could win: its driver alone takes longer than most work on the host.
static void compare(const struct estimate *estimate, const char *command, struct comparison *c)
{
    const kn_device_info *best = NULL;
    kn_device_list *list = NULL;

    *c = (struct comparison){.host = estimate->host / host_speed(estimate)};
    if (c->host <= start_seconds || kn_device_list_create(&list, NULL))
        return;
    for (size_t i = 0; i < kn_device_list_get_count(list); i++)
        if (kn_device_list_get_device(list, i)->is_default)
            best = kn_device_list_get_device(list, i);
    if (!best)
        fprintf(stderr, "%s: no device: %s; the host's own code computes\n", command,
                kn_device_list_get_why(list));
    else if (best->type != KN_DEVICE_CPU)
        compare_with(best, estimate, c);
    kn_device_list_free(list);
}

static void say_host(const struct comparison *c, char *why, size_t size)
{
    if (c->host <= start_seconds)
        snprintf(why, size, "about %.2g s, less than a GPU takes to start", c->host);
    else if (!*c->spec)
        snprintf(why, size, "about %.2g s, and there is no GPU", c->host);
    else if (c->device < c->host)
        snprintf(
            why, size,
            "about %.2g s; %s would take %.2g s and compile for %.2g s first, which --device %s does once",
            c->host, c->spec, c->device, c->build, c->spec);
    else
        snprintf(why, size, "about %.2g s, on %s %.2g s", c->host, c->spec, c->device);
}

static kn_status open_soonest(const struct estimate *estimate, int policy, const char *command,
                              struct place *place, kn_error *err)
{
    struct comparison c;
    kn_status status;

    compare(estimate, command, &c);
    if (*c.spec && c.device + c.build < c.host) {
        status = place_open_with(c.spec, policy, true, command, place, err);
        if (!status)
            snprintf(place->why, sizeof place->why, "about %.2g s, on the host %.2g s", c.device + c.build,
                     c.host);
        return status;
    }
    status = place_open_with("host", policy, false, command, place, err);
    if (!status)
        say_host(&c, place->why, sizeof place->why);
    return status;
}

kn_status estimate_open(const struct places *places, const struct estimate *estimate, int policy,
                        const char *command, struct place *place, kn_error *err)
{
    return places->named || !estimate
               ? place_open_with(places->specs[0].spec, policy, false, command, place, err)
               : open_soonest(estimate, policy, command, place, err);
}

void estimate_print_place(const struct place *place)
{
    printf("%s (%s%s%s)", place->device.name, place->device.spec, *place->why ? ": " : "", place->why);
}

void estimate_report(json_t **root, const struct place *place)
{
    json_t *device = *root && *place->why ? json_object_get(*root, "device") : NULL;

    if (device)
        report_put(&device, "why", ki_json_string(place->why));
}
