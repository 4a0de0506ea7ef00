// SPDX-License-Identifier: Apache-2.0
#include "target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/array.h"
#include "../base/error.h"

static const kn_define always[] = {
    {"__ENDIAN_LITTLE__", "1"},
    {"__kernel_exec(X, typen)", "__kernel"},
    {"CL_VERSION_1_0", "100"},
    {"CL_VERSION_1_1", "110"},
    {"CL_VERSION_1_2", "120"},
    {"__OPENCL_C_VERSION__", "120"},
    {"__STDC_VERSION__", "199901L"},
    // The constants of OpenCL C 1.2 (6.12.2, 6.12.3) that may stand in #if.
    {"CHAR_BIT", "8"},
    {"CHAR_MAX", "127"},
    {"CHAR_MIN", "(-127 - 1)"},
    {"SCHAR_MAX", "127"},
    {"SCHAR_MIN", "(-127 - 1)"},
    {"UCHAR_MAX", "255"},
    {"SHRT_MAX", "32767"},
    {"SHRT_MIN", "(-32767 - 1)"},
    {"USHRT_MAX", "65535"},
    {"INT_MAX", "2147483647"},
    {"INT_MIN", "(-2147483647 - 1)"},
    {"UINT_MAX", "0xffffffffU"},
    {"LONG_MAX", "0x7fffffffffffffffL"},
    {"LONG_MIN", "(-0x7fffffffffffffffL - 1)"},
    {"ULONG_MAX", "0xffffffffffffffffUL"},
    {"FLT_DIG", "6"},
    {"FLT_MANT_DIG", "24"},
    {"FLT_RADIX", "2"},
    {"FLT_MAX_EXP", "128"},
    {"FLT_MAX_10_EXP", "38"},
    {"FLT_MIN_EXP", "(-125)"},
    {"FLT_MIN_10_EXP", "(-37)"},
};

// Those that only #ifdef may ask for: each stands for itself, and the compiler knows its value.
static const char *const named[] = {
    "CLK_LOCAL_MEM_FENCE",
    "CLK_GLOBAL_MEM_FENCE",
    "FLT_MAX",
    "FLT_MIN",
    "FLT_EPSILON",
    "MAXFLOAT",
    "HUGE_VALF",
    "INFINITY",
    "NAN",
    "M_E_F",
    "M_LOG2E_F",
    "M_LOG10E_F",
    "M_LN2_F",
    "M_LN10_F",
    "M_PI_F",
    "M_PI_2_F",
    "M_PI_4_F",
    "M_1_PI_F",
    "M_2_PI_F",
    "M_2_SQRTPI_F",
    "M_SQRT2_F",
    "M_SQRT1_2_F",
};

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

kn_status target_describe(const struct be_device *device, const kn_program_options *options,
                          struct target *target, kn_error *err)
{
    size_t given = options ? options->define_count : 0;
    size_t count = 0;

    memset(target, 0, sizeof *target);
    target->names = strdup(device->extensions);
    target->predefined = calloc(KN_COUNT(always) + KN_COUNT(named) + 2 + count_words(device->extensions),
                                sizeof *target->predefined);
    target->defines = calloc(given + 1, sizeof *target->defines);
    if (!target->names || !target->predefined || !target->defines) {
        target_free(target);
        return kn_fail_memory(err, 0, "describing a device to the preprocessor");
    }
    snprintf(target->version, sizeof target->version, "%d", version_number(device->info.version));
    target->predefined[count++] = (kn_define){"__OPENCL_VERSION__", target->version};
    for (size_t i = 0; i < KN_COUNT(always); i++)
        target->predefined[count++] = always[i];
    for (size_t i = 0; i < KN_COUNT(named); i++)
        target->predefined[count++] = (kn_define){named[i], named[i]};
    char *rest = NULL;
    for (char *name = strtok_r(target->names, " ", &rest); name; name = strtok_r(NULL, " ", &rest))
        target->predefined[count++] = (kn_define){name, "1"};

    size_t own = defines_cpu(options) ? 0 : 1;
    target->defines[0] = (kn_define){"KN_CPU", device->info.type == KN_DEVICE_CPU ? "1" : "0"};
    for (size_t i = 0; i < given; i++)
        target->defines[own + i] = options->defines[i];

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

void target_free(struct target *target)
{
    free(target->predefined);
    free(target->defines);
    free(target->names);
    memset(target, 0, sizeof *target);
}
