// SPDX-License-Identifier: Apache-2.0
#include "estimate.h"

#include <stdio.h>
#include <string.h>

#include "cli/framework/report.h"

kn_work estimate_of_array(const struct npy *array, double host, double device, const char *program)
{
    double bytes = (double)array->count * (double)npy_element_size(array);

    return KN_INIT(kn_work, .host.bytes = bytes * host, .device.bytes = bytes * device, .copied = bytes,
                   .program = program, .programs = 1);
}

// Seconds.
struct comparison {
    double host;
    double start;  // for starting a GPU and its driver
    double device; // for copies and kernels there
    double build;  // for compiling programs that are not compiled yet
};

// `gpu`: one that is open, or NULL: the best one, before it is known. Whether its programs are compiled is
// looked up only if that can matter.
static kn_status compare(const kn_work *work, const kn_device_info *gpu, struct comparison *c, kn_error *err)
{
    static const kn_device_info unknown = {.type = KN_DEVICE_GPU};
    kn_work compiled = *work;
    kn_cost host, device;
    kn_status status = kn_cost_estimate(work, NULL, &host, err);

    compiled.program = NULL;
    if (!status)
        status = kn_cost_estimate(&compiled, gpu ? gpu : &unknown, &device, err);
    if (!status && (gpu || host.compute > device.start))
        status = kn_cost_estimate(work, gpu ? gpu : &unknown, &device, err);
    if (!status)
        *c = (struct comparison){host.compute, device.start, device.copy + device.compute, device.build};
    return status;
}

static kn_status take_host(int policy, const char *command, struct place *place, kn_error *err)
{
    place_close(place);
    return place_open_with("host", policy, false, command, place, err);
}

// Starts the best device, and stays there if the remaining time is shorter than the host's.
static kn_status look(const kn_work *work, int policy, const char *command, struct comparison *c,
                      struct place *place, kn_error *err)
{
    kn_status status = place_open_with("", policy, false, command, place, err);
    bool gpu = !status && place->queue && place->device.type != KN_DEVICE_CPU;
    char spec[sizeof place->device.spec], *why = place->why;
    size_t size = sizeof place->why;

    if (status)
        return status;
    if (gpu)
        status = compare(work, &place->device, c, err);
    if (status)
        return status;
    if (gpu && c->device + c->build < c->host) {
        snprintf(why, size, "about %.2g s, on the host %.2g s", c->start + c->device + c->build, c->host);
        return KN_OK;
    }
    snprintf(spec, sizeof spec, "%s", place->device.spec);
    status = take_host(policy, command, place, err);
    if (!gpu)
        snprintf(why, size, "about %.2g s, and there is no GPU", c->host);
    else if (c->device < c->host)
        snprintf(why, size, "about %.2g s; on %s %.2g s once 'koine cache build %s' has compiled for it",
                 c->host, spec, c->start + c->device,
                 strncmp(command, "koine ", 6) == 0 ? command + 6 : command);
    else
        snprintf(why, size, "about %.2g s, on %s %.2g s", c->host, spec, c->start + c->device);
    return status;
}

// A GPU is looked for only if it could win: its driver alone takes longer than most work on the host.
static kn_status open_soonest(const kn_work *work, int policy, const char *command, struct place *place,
                              kn_error *err)
{
    struct comparison c;
    kn_status status = compare(work, NULL, &c, err);

    if (status)
        return status;
    if (c.host > c.start + c.device + c.build)
        return look(work, policy, command, &c, place, err);
    status = place_open_with("host", policy, false, command, place, err);
    if (c.host <= c.start)
        snprintf(place->why, sizeof place->why, "about %.2g s, less than a GPU takes to start", c.host);
    else
        snprintf(place->why, sizeof place->why, "about %.2g s, a GPU would take %.2g s%s", c.host,
                 c.start + c.device + c.build, c.build > 0 ? ", most of it for compiling once" : "");
    return status;
}

kn_status estimate_open(const struct places *places, const kn_work *work, int policy, const char *command,
                        struct place *place, kn_error *err)
{
    // Relaxed maths needs a device.
    return places->named || !work || policy == KN_POLICY_FAST
               ? place_open_with(places->specs[0].spec, policy, false, command, place, err)
               : open_soonest(work, policy, command, place, err);
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
