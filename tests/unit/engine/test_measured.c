// SPDX-License-Identifier: Apache-2.0
// Tests the list of measured devices: which of them resembles a device, that its lines are for existing
// algorithms, and that a device that was never tuned uses them.
#include "engine_support.h"

#include "engine/device/measured.h"
#include "engine/device/tuning.h"
#include "support/run.h"

static char *cache_dir;
static kn_context *context;

static void set_up(void)
{
    kn_context_options options = KN_INIT(kn_context_options, .cache_dir = NULL);

    cache_dir = test_folder();
    options.cache_dir = cache_dir;
    context = open_with(&options);
}

static void tear_down(void)
{
    kn_context_close(context);
    test_remove(cache_dir);
}

static const struct engine_measured devices[] = {
    {"Small", "Maker", KN_DEVICE_GPU, "opencl", 10, "sort", "GROUP=1"},
    {"Large", "Maker", KN_DEVICE_GPU, "opencl", 100, "sort", "GROUP=2"},
    {"Large", "Maker", KN_DEVICE_GPU, "cuda", 100, "sort", "GROUP=3"},
    {"Core", "Maker", KN_DEVICE_CPU, "opencl", 30, "sort", "GROUP=4"},
    {"Large", "Maker", KN_DEVICE_GPU, "opencl", 100, "gemm", "GROUP=5"},
};

static const char *like(const char *name, const char *vendor, kn_device_type type, const char *backend,
                        uint32_t units, const char *algorithm)
{
    kn_device_info info = {.type = type, .compute_units = units};
    const struct engine_measured *found;

    snprintf(info.name, sizeof info.name, "%s", name);
    snprintf(info.vendor, sizeof info.vendor, "%s", vendor);
    snprintf(info.backend, sizeof info.backend, "%s", backend);
    found = ki_engine_measured_like(devices, sizeof devices / sizeof *devices, &info, algorithm);
    return found ? found->values : "none";
}

START_TEST(likeness)
{
    ck_assert_str_eq(like("Large", "Maker", KN_DEVICE_GPU, "opencl", 10, "sort"), "GROUP=2"); // by name
    ck_assert_str_eq(like("Large", "Maker", KN_DEVICE_GPU, "cuda", 10, "sort"), "GROUP=3");
    ck_assert_str_eq(like("New", "Maker", KN_DEVICE_GPU, "opencl", 30, "sort"), "GROUP=1"); // as ratios
    ck_assert_str_eq(like("New", "Maker", KN_DEVICE_GPU, "opencl", 33, "sort"), "GROUP=2");
    ck_assert_str_eq(like("New", "Maker", KN_DEVICE_GPU, "opencl", 33, "gemm"), "GROUP=5");
    ck_assert_str_eq(like("New", "Maker", KN_DEVICE_CPU, "opencl", 0, "sort"), "GROUP=4");
    ck_assert_str_eq(like("New", "Other", KN_DEVICE_GPU, "opencl", 30, "sort"), "none");
    ck_assert_str_eq(like("Small", "Maker", KN_DEVICE_GPU, "cuda", 10, "gemm"), "none");
    ck_assert_str_eq(like("New", "Maker", KN_DEVICE_GPU, "opencl", 30, "fft"), "none");
}
END_TEST

// "A=1 B=2" names these tunables in this order.
static bool names_all(const char *values, const kn_tunables *tunables)
{
    char text[256] = "", *rest = text;

    snprintf(text, sizeof text, "%s", values);
    for (size_t i = 0; tunables->names[i]; i++) {
        const char *word = strtok_r(rest, " ", &rest);
        size_t length = strlen(tunables->names[i]);

        if (!word || strncmp(word, tunables->names[i], length) != 0 || word[length] != '=' ||
            strspn(word + length + 1, "0123456789") != strlen(word + length + 1) || !word[length + 1])
            return false;
    }
    return !strtok_r(rest, " ", &rest);
}

START_TEST(lines)
{
    const kn_tunables *const all[] = {kn_sort_get_tunables(4, false), kn_sort_get_tunables(8, false),
                                      kn_sort_get_tunables(4, true),  kn_sort_get_tunables(8, true),
                                      kn_gemm_get_tunables(),         kn_robust_get_tunables()};

    ck_assert_uint_gt(ki_engine_measured_count, 0);
    for (size_t i = 0; i < ki_engine_measured_count; i++) {
        const struct engine_measured *line = &ki_engine_measured_devices[i];
        bool found = false;

        for (size_t k = 0; k < sizeof all / sizeof *all; k++)
            found =
                found || (strcmp(all[k]->algorithm, line->algorithm) == 0 && names_all(line->values, all[k]));
        ck_assert_msg(found, "%s, %s: %s", line->name, line->algorithm, line->values);
        ck_assert(strcmp(line->backend, "cuda") == 0 || strcmp(line->backend, "opencl") == 0);
        ck_assert_uint_gt(line->compute_units, 0);
        for (size_t k = 0; k < i; k++)
            ck_assert_msg(strcmp(line->name, ki_engine_measured_devices[k].name) != 0 ||
                              strcmp(line->backend, ki_engine_measured_devices[k].backend) != 0 ||
                              strcmp(line->algorithm, ki_engine_measured_devices[k].algorithm) != 0,
                          "%s, %s: twice", line->name, line->algorithm);
    }
}
END_TEST

// With the name of the first device of the list, and its path.
START_TEST(taken)
{
    const struct engine_measured *line = &ki_engine_measured_devices[0];
    kn_device_info *info = &context->device.info;
    const kn_tunables *tunables = kn_sort_get_tunables(4, false);
    unsigned values[KN_TUNABLES] = {0}, own[KN_TUNABLES] = {256, 4, 0, 16, 2}, first = 0;

    ck_assert_str_eq(line->algorithm, tunables->algorithm);
    snprintf(info->name, sizeof info->name, "%s", line->name);
    snprintf(info->backend, sizeof info->backend, "%s", line->backend);
    ck_assert_int_eq(sscanf(line->values, "GROUP=%u", &first), 1);
    ck_assert(ki_engine_tuning(context, tunables, values));
    ck_assert_uint_eq(values[0], first);
    ck_assert(ki_engine_tuning(context, tunables, values)); // as it was found
    ck_assert_uint_eq(values[0], first);
    ki_engine_tuning_refuse(context, tunables, "not these");
    ck_assert(!ki_engine_tuning(context, tunables, values));
    // Tried and kept values take precedence.
    expect_ok(kn_tuning_try(context, tunables, NULL, &err));
    ck_assert(!ki_engine_tuning(context, tunables, values));
    expect_ok(kn_tuning_keep(context, tunables, own, "", &err));
    ck_assert(ki_engine_tuning(context, tunables, values));
    ck_assert_uint_eq(values[0], own[0]);
    expect_ok(kn_tuning_forget(context, tunables, &err));
    ck_assert(ki_engine_tuning(context, tunables, values));
    ck_assert_uint_eq(values[0], first);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {likeness, lines, taken};

    return RUN_ON_DEVICE_WITH("measured devices", set_up, tear_down, tests);
}
