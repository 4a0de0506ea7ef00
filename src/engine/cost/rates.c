// SPDX-License-Identifier: Apache-2.0
#include "rates.h"

#include <koine/experimental/cost.h>

#include <string.h>

#include "base/array.h"
#include "engine/device/tuning.h"

#define MEASURED(...)
#define RATES(name, vendor, type, units, memory, operations, copy, start, build, launch)                     \
    {name, vendor, KN_DEVICE_##type, units, memory, operations, copy, start, build, launch},
static const struct engine_rates measured[] = {
#include "engine/device/measured_devices.h"
};

// A core of an EPYC (AVX-512) that shares the memory with others.
static const struct engine_rates host = {.name = "", .vendor = "", .memory = 4e9, .operations = 4.3e10};

const struct engine_rates *ki_engine_host_rates(void)
{
    return &host;
}

// 1 for the same number of compute units, otherwise more; much more for another vendor, and more than any
// other for another type. Of a device without a name only the type is known.
static double distance(const struct engine_rates *rates, const kn_device_info *device)
{
    double distance = (rates->type == KN_DEVICE_CPU) == (device->type == KN_DEVICE_CPU) ? 1 : 1e18;
    double units = device->compute_units ? device->compute_units : 1, theirs = rates->compute_units;

    if (!*device->name)
        return distance;
    return distance * (units > theirs ? units / theirs : theirs / units) *
           (strcmp(rates->vendor, device->vendor) == 0 ? 1 : 1e6);
}

static const struct engine_rates *nearest(const kn_device_info *device)
{
    const struct engine_rates *found = &measured[0];

    for (size_t i = 0; i < KI_COUNT(measured); i++) {
        const struct engine_rates *rates = &measured[i];

        if (*device->name && strcmp(rates->name, device->name) == 0)
            return rates;
        if (distance(rates, device) < distance(found, device))
            found = rates;
    }
    return found;
}

const kn_tunables *kn_cost_get_tunables(void)
{
    static const kn_tunables tunables = {"rates",
                                         "tools/compare/flops.cl",
                                         {"MEMORY", "OPERATIONS", "COPY", "START", "BUILD", "LAUNCH", NULL}};

    return &tunables;
}

// What was measured on this very device. Values of 0 are unknown.
static void take_kept(const kn_device_info *device, struct engine_rates *rates)
{
    unsigned values[KN_TUNABLES];
    const struct {
        double *rate, unit;
    } kept[] = {{&rates->memory, 1e6}, {&rates->operations, 1e6}, {&rates->copy, 1e6},
                {&rates->start, 1e-6}, {&rates->build, 1e-6},     {&rates->launch, 1e-9}};

    if (!ki_engine_tuning_of(device, kn_cost_get_tunables(), values))
        return;
    for (size_t i = 0; i < KI_COUNT(kept); i++)
        if (values[i])
            *kept[i].rate = values[i] * kept[i].unit;
}

struct engine_rates ki_engine_rates(const kn_device_info *device)
{
    struct engine_rates rates = *nearest(device);
    double share =
        *device->name && device->compute_units ? (double)device->compute_units / rates.compute_units : 1;

    rates.memory *= share;
    rates.operations *= share;
    if (*device->name)
        take_kept(device, &rates);
    return rates;
}
