// SPDX-License-Identifier: Apache-2.0
#include "device.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "../base/array.h"
#include "../base/error.h"
#include "../base/text.h"
#include "quirks.h"

static const struct kn_backend *const backends[] = {
    // The first one that reaches a device is the one that "auto" takes; the others become its aliases.
    &kn_backend_cuda,
    &kn_backend_opencl,
};

// What "auto" prefers: the lower the better.
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
        for (size_t j = i; j > 0 && rank(&devices->items[j].device.info) < rank(&devices->items[j - 1].device.info); j--) {
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
                snprintf(devices->items[i].device.info.alias_of, sizeof devices->items[i].device.info.alias_of, "%s",
                         devices->items[j].device.info.spec);
                break;
            }
}

void engine_devices_rank(struct engine_devices *devices)
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

static kn_status add_backend(struct engine_devices *devices, const struct kn_backend *backend, kn_error *err)
{
    struct be_device *found = NULL;
    char reason[256] = "";
    size_t count = 0;
    kn_status status = backend->devices(&found, &count, reason, err);

    if (count == 0)
        add_reason(devices, backend->title, reason);
    for (size_t i = 0; i < count && !status; i++) {
        struct engine_device device = {backend, found[i]};
        engine_quirks_of(&device.device.info);
        if (KN_ARRAY_PUSH(devices->items, devices->count, devices->capacity, device))
            found[i].extensions = NULL; // moved
        else
            status = kn_fail_memory(err, 0, "listing devices");
    }
    kn_be_devices_free(found, count);
    return status;
}

kn_status engine_devices_find(struct engine_devices *devices, kn_error *err)
{
    kn_status status = KN_OK;

    memset(devices, 0, sizeof *devices);
    for (size_t i = 0; i < KN_COUNT(backends) && !status; i++)
        status = add_backend(devices, backends[i], err);
    if (status) {
        engine_devices_free(devices);
        return status;
    }
    engine_devices_rank(devices);
    return KN_OK;
}

void engine_devices_free(struct engine_devices *devices)
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
        return info->type == KN_DEVICE_CPU && !info->why_not[0];
    if (strcasecmp(spec, "gpu") == 0)
        return info->type == KN_DEVICE_GPU && !info->why_not[0];
    if (strchr(spec, ':') && strcasecmp(spec, info->spec) == 0)
        return true;
    return !strchr(spec, ':') && contains(info->name, spec);
}

static kn_status no_match(const struct engine_devices *devices, const char *spec, kn_error *err)
{
    struct kn_text list = KN_TEXT_INIT;
    kn_status status;

    if (devices->count == 0)
        return kn_fail(err, KN_ERROR_NO_DEVICE, "no device: %s", devices->why);
    for (size_t i = 0; i < devices->count; i++)
        kn_text_format(&list, "%s%s (%s)%s", i ? ", " : "", devices->items[i].device.info.spec,
                       devices->items[i].device.info.name, devices->items[i].device.info.why_not[0] ? " [not usable]" : "");
    status = kn_fail(err, KN_ERROR_NO_DEVICE, "no device '%s'; there is %s%s%s", spec, kn_text_string(&list),
                     devices->why[0] ? "; " : "", devices->why);
    kn_text_free(&list);
    return status;
}

kn_status engine_devices_match(const struct engine_devices *devices, const char *spec,
                               const struct engine_device **match, kn_error *err)
{
    const struct engine_device *found = NULL;

    for (size_t i = 0; i < devices->count && !found; i++) // usable ones come first
        if (means(&devices->items[i].device.info, spec))
            found = &devices->items[i];
    if (!found)
        return no_match(devices, spec, err);
    if (found->device.info.why_not[0])
        return kn_fail(err, KN_ERROR_UNSUPPORTED, "%s (%s) cannot be used: %s", found->device.info.spec,
                       found->device.info.name, found->device.info.why_not);
    *match = found;
    return KN_OK;
}

kn_status kn_devices_list(kn_device_info **list, size_t *count, char why[256], kn_error *err)
{
    struct engine_devices devices;
    kn_status status;
    kn_device_info *infos;

    if (!list || !count)
        return kn_fail(err, KN_ERROR_ARGUMENT, "kn_devices_list: list or count is NULL");
    status = engine_devices_find(&devices, err);
    if (status)
        return status;
    infos = calloc(devices.count ? devices.count : 1, sizeof *infos);
    if (!infos) {
        engine_devices_free(&devices);
        return kn_fail_memory(err, 0, "listing devices");
    }
    for (size_t i = 0; i < devices.count; i++)
        infos[i] = devices.items[i].device.info;
    if (why)
        snprintf(why, 256, "%s", devices.why);
    *list = infos;
    *count = devices.count;
    engine_devices_free(&devices);
    return KN_OK;
}

void kn_devices_free(kn_device_info *list)
{
    free(list);
}
