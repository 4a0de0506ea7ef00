// SPDX-License-Identifier: Apache-2.0
#include <koine/experimental/cache.h>
#include <koine/experimental/cost.h>

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/sized.h"
#include "base/threads.h"
#include "rates.h"

// Whether the cache has a program for a device of this name, or, if that is "", for any device.
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

        found = entry->valid && strncmp(entry->program, program, strlen(program)) == 0 &&
                strstr(entry->device, device);
    }
    kn_cache_list_free(list);
    return found;
}

// All threads are faster than one by their number, except for work limited by the memory they share: 1.5
// times on 2, 5 times on 16.
static void cost_of_host(const struct kn_work_done *done, kn_cost *cost)
{
    const struct engine_rates *rates = ki_engine_host_rates();
    double threads = (double)ki_threads(0);

    cost->compute = done->bytes / (rates->memory * pow(threads, 0.6)) +
                    done->operations / (rates->operations * threads) + done->prepared / rates->memory;
}

static void cost_of_device(const kn_work *work, const kn_device_info *device, kn_cost *cost)
{
    const struct engine_rates rates = ki_engine_rates(device);

    cost->start = rates.start;
    if (work->program && !is_compiled(device->name, work->program))
        cost->build = work->programs * rates.build;
    cost->copy = work->copied / rates.copy + work->device.prepared / ki_engine_host_rates()->memory;
    cost->compute = work->device.bytes / rates.memory + work->device.operations / rates.operations +
                    work->launches * rates.launch;
}

kn_status kn_cost_estimate(const kn_work *work, const kn_device_info *device, kn_cost *cost, kn_error *err)
{
    static const char function[] = "kn_cost_estimate";
    kn_work read;
    kn_status status;

    if (!work || !cost)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: work or cost is NULL", function);
    status = KI_SIZED_READ(function, kn_work, work, &read, err);
    if (status)
        return status;
    *cost = (kn_cost){0, 0, 0, 0};
    if (device)
        cost_of_device(&read, device, cost);
    else
        cost_of_host(&read.host, cost);
    return KN_OK;
}
