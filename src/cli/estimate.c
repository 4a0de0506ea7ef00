// SPDX-License-Identifier: Apache-2.0
#include "estimate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <koine/experimental/cache.h>

#include "base/threads.h"
#include "cli/framework/report.h"

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

// Whether the cache has a program for a device of this name, or for any where that is NULL.
static bool is_compiled(const char *device, const char *program)
{
    kn_cache_list *list = NULL;
    char dir[4096];
    bool found = false;

    if (kn_cache_get_default_dir(dir, sizeof dir, NULL) || kn_cache_check_trust(dir, NULL) ||
        kn_cache_list_create(dir, &list, NULL))
        return false;
    for (size_t i = 0; i < kn_cache_list_get_count(list) && !found; i++) {
        const kn_cache_entry *entry = kn_cache_list_get_entry(list, i);

        found = entry->valid && strcmp(entry->program, program) == 0 &&
                (!device || strstr(entry->device, device));
    }
    kn_cache_list_free(list);
    return found;
}

struct estimate estimate_of_array(const struct npy *array, double host, double device, const char *program)
{
    double bytes = (double)array->count * (double)npy_element_size(array);

    return (struct estimate){
        .host = bytes * host, .device = bytes * device, .bytes = bytes, .program = program, .programs = 1};
}

// Seconds.
struct comparison {
    double host;
    double device; // of copies and kernels
    double build;  // of programs that are not compiled yet
};

// Before a device is open: as if it were the one that was measured.
static void expect(const struct estimate *estimate, struct comparison *c)
{
    *c = (struct comparison){.host = estimate->host / host_speed(estimate),
                             .device = estimate->bytes * copy_seconds + estimate->device};
    if (c->host > start_seconds && !is_compiled(NULL, estimate->program))
        c->build = estimate->programs * build_seconds;
}

// Of a device that is open. Units are compared whatever they are: a vendor's of many lanes with one's of few.
static void expect_of(const kn_device_info *gpu, const struct estimate *estimate, struct comparison *c)
{
    c->device = estimate->bytes * copy_seconds +
                estimate->device * ESTIMATE_UNITS / (gpu->compute_units ? gpu->compute_units : 1);
    c->build = is_compiled(gpu->name, estimate->program) ? 0 : estimate->programs * build_seconds;
}

static kn_status take_host(int policy, const char *command, struct place *place, kn_error *err)
{
    place_close(place);
    return place_open_with("host", policy, false, command, place, err);
}

// Starts the best device, and stays there if what is left to do ends sooner than on the host.
static kn_status look(const struct estimate *estimate, int policy, const char *command, struct comparison *c,
                      struct place *place, kn_error *err)
{
    kn_status status = place_open_with("", policy, false, command, place, err);
    bool gpu = !status && place->queue && place->device.type != KN_DEVICE_CPU;
    char spec[sizeof place->device.spec], *why = place->why;
    size_t size = sizeof place->why;

    if (status)
        return status;
    if (gpu)
        expect_of(&place->device, estimate, c);
    if (gpu && c->device + c->build < c->host) {
        snprintf(why, size, "about %.2g s, on the host %.2g s", start_seconds + c->device + c->build,
                 c->host);
        return KN_OK;
    }
    snprintf(spec, sizeof spec, "%s", place->device.spec);
    status = take_host(policy, command, place, err);
    if (!gpu)
        snprintf(why, size, "about %.2g s, and there is no GPU", c->host);
    else if (c->device < c->host)
        snprintf(why, size, "about %.2g s; on %s %.2g s once 'koine cache build %s' has compiled for it",
                 c->host, spec, start_seconds + c->device,
                 strncmp(command, "koine ", 6) == 0 ? command + 6 : command);
    else
        snprintf(why, size, "about %.2g s, on %s %.2g s", c->host, spec, start_seconds + c->device);
    return status;
}

// A GPU is looked for only where it could win: its driver alone takes longer than most work on the host.
static kn_status open_soonest(const struct estimate *estimate, int policy, const char *command,
                              struct place *place, kn_error *err)
{
    struct comparison c;
    kn_status status;

    expect(estimate, &c);
    if (c.host > start_seconds + c.device + c.build)
        return look(estimate, policy, command, &c, place, err);
    status = place_open_with("host", policy, false, command, place, err);
    if (c.host <= start_seconds)
        snprintf(place->why, sizeof place->why, "about %.2g s, less than a GPU takes to start", c.host);
    else
        snprintf(place->why, sizeof place->why, "about %.2g s, a GPU would take %.2g s%s", c.host,
                 start_seconds + c.device + c.build, c.build > 0 ? ", most of it to compile once" : "");
    return status;
}

kn_status estimate_open(const struct places *places, const struct estimate *estimate, int policy,
                        const char *command, struct place *place, kn_error *err)
{
    // Relaxed maths are a device's alone.
    return places->named || !estimate || policy == KN_POLICY_FAST
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
