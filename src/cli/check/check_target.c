// SPDX-License-Identifier: Apache-2.0
// From --target to compilers. A new path to devices has one line in `families`.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/text/text.h"
#include "cmd_check.h"

static kn_status skip(struct check_targets *targets, const char *name, bool named, const char *why,
                      kn_error *err)
{
    struct check_skipped skipped = {.named = named};

    snprintf(skipped.name, sizeof skipped.name, "%s", name);
    snprintf(skipped.why, sizeof skipped.why, "%s", why);
    return KI_ARRAY_PUSH(targets->skipped, targets->skipped_count, targets->skipped_capacity, skipped)
               ? KN_OK
               : ki_fail_memory(err, 0, "listing the targets");
}

static kn_status add(struct check_targets *targets, const struct check_target *target, kn_error *err)
{
    for (size_t i = 0; i < targets->count; i++)
        if (strcmp(targets->items[i].name, target->name) == 0) {
            kn_offline_close(target->offline);
            return KN_OK; // named twice
        }
    if (KI_ARRAY_PUSH(targets->items, targets->count, targets->capacity, *target))
        return KN_OK;
    kn_offline_close(target->offline);
    return ki_fail_memory(err, 0, "listing the targets");
}

// "opencl" is every usable device, including those also reached by another path; "opencl:0.0" is one.
static kn_status find_opencl(struct check_targets *targets, const char *name, bool named, kn_error *err)
{
    const bool all = strcmp(name, "opencl") == 0;
    kn_device_list *list = NULL;
    size_t found = 0;
    char why[256] = "no driver has one";
    kn_status status = kn_device_list_create(&list, err);

    if (!status)
        snprintf(why, sizeof why, "%s", kn_device_list_get_why(list));

    for (size_t i = 0; i < kn_device_list_get_count(list) && !status; i++) {
        const kn_device_info *device = kn_device_list_get_device(list, i);
        struct check_target target = {.device = *device};

        if (strcmp(device->backend, "opencl") != 0 || !(all || strcmp(device->spec, name) == 0))
            continue;
        snprintf(target.name, sizeof target.name, "%s", device->spec);
        if (*device->why_not)
            snprintf(why, sizeof why, "%s", device->why_not);
        else
            status = add(targets, &target, err);
        found += !*device->why_not;
    }
    kn_device_list_free(list);
    if (!status && found == 0) {
        char text[320];

        snprintf(text, sizeof text, "%s: %s", all ? "no OpenCL device" : "no such OpenCL device", why);
        status = skip(targets, name, named, text, err);
    }
    return status;
}

static kn_status find_offline(struct check_targets *targets, const char *name, bool named, kn_error *err)
{
    struct check_target target = {.offline = NULL};
    kn_error why = KN_ERROR_INIT;
    kn_status status = kn_offline_open(name, &target.offline, &why);

    if (status == KN_ERROR_MEMORY || (status == KN_ERROR_ARGUMENT && named)) {
        if (err)
            *err = why;
        return status;
    }
    if (status) {
        const char *reason = strstr(why.text, name); // "target NAME: reason"

        return skip(targets, name, named, reason ? reason + strlen(name) + 2 : why.text, err);
    }
    snprintf(target.name, sizeof target.name, "%s", name);
    return add(targets, &target, err);
}

// "cuda:all" is every architecture that NVRTC compiles for.
static kn_status find_cuda(struct check_targets *targets, const char *name, bool named, kn_error *err)
{
    int archs[128];
    size_t count;
    kn_error why = KN_ERROR_INIT;
    kn_status status = KN_OK;

    if (strcmp(name, "cuda:all") != 0)
        return find_offline(targets, name, named, err);
    if (kn_offline_get_cuda_archs(archs, KI_COUNT(archs), &count, &why))
        return skip(targets, name, named, why.text, err);
    for (size_t i = 0; i < count && i < KI_COUNT(archs) && !status; i++) {
        char one[32];

        snprintf(one, sizeof one, "cuda:sm_%d", archs[i]);
        status = find_offline(targets, one, named, err);
    }
    return status;
}

static const struct {
    const char *prefix;
    kn_status (*find)(struct check_targets *targets, const char *name, bool named, kn_error *err);
} families[] = {
    {"opencl", find_opencl}, {"cuda", find_cuda},     {"amd", find_offline},
    {"intel", find_offline}, {"spirv", find_offline},
};

static kn_status find_target(struct check_targets *targets, const char *name, bool named, kn_error *err)
{
    for (size_t i = 0; i < KI_COUNT(families); i++) {
        size_t length = strlen(families[i].prefix);

        if (strncmp(name, families[i].prefix, length) == 0 && (!name[length] || name[length] == ':'))
            return families[i].find(targets, name, named, err);
    }
    return ki_fail(
        err, KN_ERROR_ARGUMENT,
        "--target: '%s' is not a target; there are opencl, opencl:0.0, cuda:sm_90, cuda:all, amd:gfx90a, "
        "intel:dg2, spirv",
        name);
}

kn_status check_targets_find(const struct string_list *names, struct check_targets *targets, kn_error *err)
{
    kn_status status = KN_OK;

    memset(targets, 0, sizeof *targets);
    if (names->count == 0)
        status = find_target(targets, "opencl", false, err);
    for (size_t i = 0; names->count == 0 && kn_offline_get_default(i) && !status; i++)
        status = find_target(targets, kn_offline_get_default(i), false, err);
    for (size_t i = 0; i < names->count && !status; i++)
        status = find_target(targets, names->items[i], true, err);
    return status;
}

void check_targets_free(struct check_targets *targets)
{
    for (size_t i = 0; i < targets->count; i++)
        kn_offline_close(targets->items[i].offline);
    free(targets->items);
    free(targets->skipped);
}
