// SPDX-License-Identifier: Apache-2.0
#include "device.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"
#include "base/error.h"
#include "base/text/text.h"
#include "engine/cache/cache.h"
#include "drivers.h"
#include "engine/watch/flight.h"
#include "quirks.h"
#include "shapes.h"

static const struct ki_backend *const backends[] = {
    // "auto" takes the first entry that reaches a device; the others become its aliases.
    &ki_backend_cuda,
    &ki_backend_opencl,
};

// The order in which "auto" prefers devices: the lower the better.
static int rank(const kn_device_info *info)
{
    static const int by_type[] = {[KN_DEVICE_GPU] = 0, [KN_DEVICE_ACCELERATOR] = 1, [KN_DEVICE_CPU] = 2};

    if (info->why_not[0])
        return 9;
    return info->loop_limit ? 3 : by_type[info->type];
}

// A stable insertion sort: equal devices keep their driver's order.
static void sort_by_rank(struct engine_devices *devices)
{
    for (size_t i = 1; i < devices->count; i++)
        for (size_t j = i;
             j > 0 && rank(&devices->items[j].device.info) < rank(&devices->items[j - 1].device.info); j--) {
            struct engine_device swapped = devices->items[j];
            devices->items[j] = devices->items[j - 1];
            devices->items[j - 1] = swapped;
        }
}

static bool same_hardware(const kn_device_info *a, const kn_device_info *b)
{
    if (a->uuid[0] && b->uuid[0])
        return strcmp(a->uuid, b->uuid) == 0;
    return a->pci[0] && strcmp(a->pci, b->pci) == 0;
}

static void mark_aliases(struct engine_devices *devices)
{
    for (size_t i = 1; i < devices->count; i++)
        for (size_t j = 0; j < i; j++)
            if (same_hardware(&devices->items[i].device.info, &devices->items[j].device.info)) {
                snprintf(devices->items[i].device.info.alias_of,
                         sizeof devices->items[i].device.info.alias_of, "%s",
                         devices->items[j].device.info.spec);
                break;
            }
}

void ki_engine_devices_rank(struct engine_devices *devices)
{
    sort_by_rank(devices);
    mark_aliases(devices);
    if (devices->count > 0 && !devices->items[0].device.info.why_not[0])
        devices->items[0].device.info.is_default = 1;
}

static void add_reason(struct engine_devices *devices, const char *title, const char *reason)
{
    size_t used = strlen(devices->why);

    snprintf(devices->why + used, sizeof devices->why - used, "%s%s: %s", used ? "; " : "", title, reason);
}

// A driver that is not opened is listed like a device that is not used, with the reason.
static kn_status add_left_out(struct engine_devices *devices, const struct ki_backend *backend,
                              const struct engine_left_out *left_out, kn_error *err)
{
    struct engine_device device = {.backend = backend};
    kn_device_info *info = &device.device.info;
    const char *name = strrchr(left_out->driver.file, '/');

    snprintf(info->spec, sizeof info->spec, "%s:%.20s", backend->name,
             name ? name + 1 : left_out->driver.file);
    snprintf(info->name, sizeof info->name, "%.127s", left_out->driver.library);
    snprintf(info->backend, sizeof info->backend, "%s", backend->name);
    info->type = KN_DEVICE_ACCELERATOR;
    snprintf(info->why_not, sizeof info->why_not, "the driver is skipped: %.200s", left_out->why);
    device.left_out = true;
    return KI_ARRAY_PUSH(devices->items, devices->count, devices->capacity, device)
               ? KN_OK
               : ki_fail_memory(err, 0, "listing drivers");
}

static kn_status open_drivers(struct engine_devices *devices, const struct ki_backend *backend,
                              const char *cache_dir, kn_error *err)
{
    struct engine_left_out *list = NULL;
    size_t count = 0;
    kn_status status = ki_engine_drivers_open(backend, cache_dir, &list, &count, err);

    for (size_t i = 0; i < count && !status; i++)
        status = add_left_out(devices, backend, &list[i], err);
    free(list);
    return status;
}

static kn_status add_backend(struct engine_devices *devices, const struct ki_backend *backend,
                             const char *cache_dir, kn_error *err)
{
    struct be_device *found = NULL;
    char reason[256] = "";
    size_t count = 0, before = devices->count;
    struct flight_task *task;
    kn_status status = open_drivers(devices, backend, cache_dir, err);

    task = ki_flight_begin("looking for the devices of %s", backend->title);
    if (!status)
        status = backend->devices(&found, &count, reason, err);
    ki_flight_end(task);
    if (count == 0)
        add_reason(devices, backend->title, devices->count > before ? "its drivers are left out" : reason);
    for (size_t i = 0; i < count && !status; i++) {
        struct engine_device device = {.backend = backend, .device = found[i]};
        ki_engine_quirks_of(&device.device.info);
        if (KI_ARRAY_PUSH(devices->items, devices->count, devices->capacity, device))
            found[i].extensions = NULL; // moved
        else
            status = ki_fail_memory(err, 0, "listing devices");
    }
    ki_be_devices_free(found, count);
    return status;
}

// Whether a path may have what `spec` means: "cuda:0" can only be in CUDA, a name in any path.
static bool may_have(const struct ki_backend *backend, const char *spec)
{
    size_t length = strcspn(spec, ":");

    return !spec[length] ||
           (strlen(backend->name) == length && strncasecmp(spec, backend->name, length) == 0);
}

// Whether no later path can have a better match for `spec`: they come in the order of preference.
static bool is_settled(const struct engine_devices *devices, const char *spec)
{
    if (strcasecmp(spec, "auto") != 0 && strcasecmp(spec, "gpu") != 0)
        return false;
    for (size_t i = 0; i < devices->count; i++)
        if (devices->items[i].device.info.type == KN_DEVICE_GPU && !devices->items[i].device.info.why_not[0])
            return true;
    return false;
}

kn_status ki_engine_devices_find(struct engine_devices *devices, const char *spec, const char *cache_dir,
                                 kn_error *err)
{
    char path[PATH_MAX];
    const char *verdicts = cache_dir && *cache_dir                                            ? cache_dir
                           : !cache_dir && !kn_cache_get_default_dir(path, sizeof path, NULL) ? path
                                                                                              : NULL;
    kn_status status = KN_OK;

    memset(devices, 0, sizeof *devices);
    for (size_t i = 0; i < KI_COUNT(backends) && !status && !(spec && is_settled(devices, spec)); i++)
        if (!spec || may_have(backends[i], spec))
            status = add_backend(devices, backends[i], verdicts, err);
    if (status) {
        ki_engine_devices_free(devices);
        return status;
    }
    ki_engine_devices_rank(devices);
    return KN_OK;
}

void ki_engine_devices_free(struct engine_devices *devices)
{
    for (size_t i = 0; i < devices->count; i++)
        free(devices->items[i].device.extensions);
    free(devices->items);
    memset(devices, 0, sizeof *devices);
}

static bool contains(const char *text, const char *part)
{
    size_t length = strlen(part);

    for (; *text; text++)
        if (strncasecmp(text, part, length) == 0)
            return true;
    return false;
}

static bool means(const kn_device_info *info, const char *spec)
{
    if (strcasecmp(spec, "auto") == 0)
        return !info->why_not[0];
    if (strcasecmp(spec, "cpu") == 0)
        return engine_is_cpu(info) && !info->why_not[0];
    if (strcasecmp(spec, "gpu") == 0)
        return info->type == KN_DEVICE_GPU && !info->why_not[0];
    if (strchr(spec, ':') && strcasecmp(spec, info->spec) == 0)
        return true;
    return !strchr(spec, ':') && contains(info->name, spec);
}

static void describe(struct ki_text *list, const kn_device_info *info, bool is_next)
{
    ki_text_format(list, "%s%s (%s)", is_next ? ", " : "", info->spec, info->name);
    if (info->why_not[0])
        ki_text_format(list, " [not usable: %s]", info->why_not);
}

static kn_status no_match(const struct engine_devices *devices, const char *spec, kn_error *err)
{
    struct ki_text list = KI_TEXT_INIT;
    kn_status status;

    if (devices->count == 0)
        return ki_fail(err, KN_ERROR_NO_DEVICE, "no device: %s", devices->why);
    for (size_t i = 0; i < devices->count; i++)
        describe(&list, &devices->items[i].device.info, i > 0);
    status = ki_fail(err, KN_ERROR_NO_DEVICE, "no device '%s'; there is %s%s%s", spec, ki_text_string(&list),
                     devices->why[0] ? "; " : "", devices->why);
    ki_text_free(&list);
    return status;
}

kn_status ki_engine_devices_match(const struct engine_devices *devices, const char *spec,
                                  const struct engine_device **match, kn_error *err)
{
    const struct engine_device *found = NULL;

    for (size_t i = 0; i < devices->count && !found; i++) // usable ones come first
        if (means(&devices->items[i].device.info, spec))
            found = &devices->items[i];
    if (!found)
        return no_match(devices, spec, err);
    if (found->device.info.why_not[0])
        return ki_fail(err, KN_ERROR_UNSUPPORTED, "%s (%s) cannot be used: %s", found->device.info.spec,
                       found->device.info.name, found->device.info.why_not);
    *match = found;
    return KN_OK;
}

// ---- the public list ----

struct kn_device_list {
    struct engine_devices devices;
};

kn_status kn_device_list_create(kn_device_list **list, kn_error *err)
{
    kn_device_list *made;
    kn_status status;

    if (!list)
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_device_list_create: list is NULL");
    made = calloc(1, sizeof *made);
    if (!made)
        return ki_fail_memory(err, sizeof *made, "listing devices");
    status = ki_engine_devices_find(&made->devices, NULL, NULL, err);
    if (status)
        free(made);
    else
        *list = made;
    return status;
}

void kn_device_list_free(kn_device_list *list)
{
    if (!list)
        return;
    ki_engine_devices_free(&list->devices);
    free(list);
}

size_t kn_device_list_get_count(const kn_device_list *list)
{
    return list ? list->devices.count : 0;
}

const kn_device_info *kn_device_list_get_device(const kn_device_list *list, size_t index)
{
    return list && index < list->devices.count ? &list->devices.items[index].device.info : NULL;
}

const char *kn_device_list_get_why(const kn_device_list *list)
{
    return list ? list->devices.why : "";
}
