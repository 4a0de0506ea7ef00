// SPDX-License-Identifier: Apache-2.0
#include "target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/os/env.h"
#include "base/error.h"
#include "source/preprocess/language.h"
#include "shapes.h"

static const kn_define always[] = {SRC_LANGUAGE_MACROS};

// "OpenCL 3.0 PoCL" is 300.
static int version_number(const char *version)
{
    int major = 1, minor = 2;

    if (sscanf(version, "OpenCL %d.%d", &major, &minor) != 2)
        return 120;
    return major * 100 + minor * 10;
}

static size_t count_words(const char *text)
{
    size_t count = 0;

    for (const char *at = text; *at; at++)
        count += *at != ' ' && (at == text || at[-1] == ' ');
    return count;
}

// Whether the application chose the walk over memory itself.
static bool defines_cpu(const kn_program_options *options)
{
    for (size_t i = 0; options && i < options->define_count; i++)
        if (strcmp(options->defines[i].name, "KN_CPU") == 0)
            return true;
    return false;
}

kn_status ki_target_describe(const struct be_device *device, const kn_program_options *options,
                             struct target *target, kn_error *err)
{
    size_t given = options ? options->define_count : 0;
    size_t count = 0;

    memset(target, 0, sizeof *target);
    target->names = strdup(device->extensions);
    target->predefined =
        calloc(KI_COUNT(always) + 3 + count_words(device->extensions), sizeof *target->predefined);
    target->defines = calloc(given + 1, sizeof *target->defines);
    if (!target->names || !target->predefined || !target->defines) {
        ki_target_free(target);
        return ki_fail_memory(err, 0, "describing a device to the preprocessor");
    }
    snprintf(target->version, sizeof target->version, "%d", version_number(device->info.version));
    target->predefined[count++] = (kn_define){"__OPENCL_VERSION__", target->version};
    if (device->info.images)
        target->predefined[count++] = (kn_define){"__IMAGE_SUPPORT__", "1"};
    for (size_t i = 0; i < KI_COUNT(always); i++)
        target->predefined[count++] = always[i];
    char *rest = NULL;
    for (char *name = strtok_r(target->names, " ", &rest); name; name = strtok_r(NULL, " ", &rest))
        target->predefined[count++] = (kn_define){name, "1"};

    size_t own = defines_cpu(options) ? 0 : 1;
    target->defines[0] = (kn_define){"KN_CPU", engine_is_cpu(&device->info) ? "1" : "0"};
    for (size_t i = 0; i < given; i++)
        target->defines[own + i] = options->defines[i];

    target->source.embedded = ki_src_embedded_kernels;
    target->source.kernel_path = ki_env_get(KI_ENV_KERNEL_PATH);
    target->source.predefined = target->predefined;
    target->source.predefined_count = count;
    target->source.defines = target->defines;
    target->source.define_count = own + given;
    if (options) {
        target->source.include_dirs = options->include_dirs;
        target->source.include_dir_count = options->include_dir_count;
    }
    return KN_OK;
}

void ki_target_free(struct target *target)
{
    free(target->predefined);
    free(target->defines);
    free(target->names);
    memset(target, 0, sizeof *target);
}

kn_status ki_target_read_builtin(const struct be_device *device, const char *name, struct src_unit **unit,
                                 kn_error *err)
{
    struct target target;
    kn_status status = ki_target_describe(device, NULL, &target, err);

    if (status)
        return status;
    target.source.builtin = true;
    status = ki_src_read(name, NULL, &target.source, unit, err);
    ki_target_free(&target);
    return status;
}
