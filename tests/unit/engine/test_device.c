// SPDX-License-Identifier: Apache-2.0
// Tests which device a specification selects, which comes first, and the message if there is none. OpenCL is
// only used in child processes, each with its own drivers.
#include "engine_support.h"

#include <ctype.h>

#include "engine/device/device.h"
#include "engine/device/quirks.h"

// ---- made-up devices ----

struct made_up {
    const char *spec, *name;
    kn_device_type type;
    const char *why_not, *uuid, *pci;
    uint32_t loop_limit;
};

static void make_up(struct engine_devices *devices, const struct made_up *from, size_t count)
{
    memset(devices, 0, sizeof *devices);
    devices->items = calloc(count, sizeof *devices->items);
    ck_assert_ptr_nonnull(devices->items);
    devices->count = devices->capacity = count;
    for (size_t i = 0; i < count; i++) {
        kn_device_info *info = &devices->items[i].device.info;

        snprintf(info->spec, sizeof info->spec, "%s", from[i].spec);
        snprintf(info->name, sizeof info->name, "%s", from[i].name);
        snprintf(info->why_not, sizeof info->why_not, "%s", from[i].why_not ? from[i].why_not : "");
        snprintf(info->uuid, sizeof info->uuid, "%s", from[i].uuid ? from[i].uuid : "");
        snprintf(info->pci, sizeof info->pci, "%s", from[i].pci ? from[i].pci : "");
        info->type = from[i].type;
        info->loop_limit = from[i].loop_limit;
    }
    ki_engine_devices_rank(devices);
}

static const struct made_up several[] = {
    {.spec = "opencl:0.0", .name = "Broken GPU", .type = KN_DEVICE_GPU, .why_not = "it is broken"},
    {.spec = "opencl:1.0", .name = "llvmpipe", .type = KN_DEVICE_CPU, .loop_limit = 65535},
    {.spec = "opencl:2.0", .name = "A CPU", .type = KN_DEVICE_CPU, .uuid = "00aa"},
    {.spec = "opencl:3.0", .name = "An Accelerator", .type = KN_DEVICE_ACCELERATOR},
    {.spec = "opencl:4.0",
     .name = "NVIDIA H200",
     .type = KN_DEVICE_GPU,
     .pci = "0000:65:00.0",
     .uuid = "0bb0"},
    {.spec = "opencl:4.1",
     .name = "NVIDIA H200",
     .type = KN_DEVICE_GPU,
     .pci = "0000:66:00.0",
     .uuid = "0cc0"},
    {.spec = "opencl:5.0", .name = "H200 again", .type = KN_DEVICE_GPU, .pci = "0000:65:00.0"},
    {.spec = "opencl:6.0",
     .name = "The same CPU",
     .type = KN_DEVICE_CPU,
     .uuid = "00aa",
     .pci = "0000:66:00.0"}};

START_TEST(ranking)
{
    static const char *const order[] = {"opencl:4.0", "opencl:4.1", "opencl:5.0", "opencl:3.0",
                                        "opencl:2.0", "opencl:6.0", "opencl:1.0", "opencl:0.0"};
    static const char *const aliases[] = {"", "", "opencl:4.0", "", "", "opencl:2.0", "", ""};
    struct engine_devices devices;

    make_up(&devices, several, sizeof several / sizeof *several);
    for (size_t i = 0; i < devices.count; i++) {
        ck_assert_str_eq(devices.items[i].device.info.spec, order[i]);
        ck_assert_str_eq(devices.items[i].device.info.alias_of, aliases[i]);
        ck_assert_int_eq(devices.items[i].device.info.is_default, i == 0);
    }
    ki_engine_devices_free(&devices);

    make_up(&devices, several, 1); // unusable: no default
    ck_assert_int_eq(devices.items[0].device.info.is_default, 0);
    ki_engine_devices_free(&devices);
}
END_TEST

START_TEST(matching)
{
    static const struct {
        const char *word, *spec;
    } cases[] = {{"auto", "opencl:4.0"},       {"AUTO", "opencl:4.0"},       {"gpu", "opencl:4.0"},
                 {"cpu", "opencl:2.0"},        {"CPU", "opencl:2.0"},        {"opencl:4.1", "opencl:4.1"},
                 {"h200", "opencl:4.0"},       {"H200 AGAIN", "opencl:5.0"}, {"accel", "opencl:3.0"},
                 {"OpenCL:3.0", "opencl:3.0"}, {"LLVM", "opencl:1.0"},       {"same", "opencl:6.0"}};
    static const char *const unknown[] = {"opencl:9.9", "opencl:4", "opencl:", "Radeon", "cuda:0", "H200:0"};
    const struct engine_device *found = NULL;
    struct engine_devices devices, none = {.why = "nothing is installed"};

    make_up(&devices, several, sizeof several / sizeof *several);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        expect_ok(ki_engine_devices_match(&devices, cases[i].word, &found, &err));
        ck_assert_str_eq(found->device.info.spec, cases[i].spec);
    }
    found = NULL;
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        char words[256];

        snprintf(
            words, sizeof words,
            "'%s'|opencl:0.0 (Broken GPU) [not usable: it is broken]|opencl:4.0 (NVIDIA H200)|opencl:6.0",
            unknown[i]);
        expect_refused(ki_engine_devices_match(&devices, unknown[i], &found, &err), KN_ERROR_NO_DEVICE,
                       words);
    }
    expect_refused(ki_engine_devices_match(&devices, "opencl:0.0", &found, &err), KN_ERROR_UNSUPPORTED,
                   "opencl:0.0|Broken GPU|it is broken");
    expect_refused(ki_engine_devices_match(&devices, "broken", &found, &err), KN_ERROR_UNSUPPORTED,
                   "it is broken");
    expect_refused(ki_engine_devices_match(&none, "auto", &found, &err), KN_ERROR_NO_DEVICE,
                   "no device|nothing is installed");
    ki_engine_devices_free(&devices);
    make_up(&devices, several, 1);
    expect_refused(ki_engine_devices_match(&devices, "auto", &found, &err), KN_ERROR_NO_DEVICE,
                   "Broken GPU|not usable");
    expect_refused(ki_engine_devices_match(&devices, "gpu", &found, &err), KN_ERROR_NO_DEVICE, "not usable");
    ck_assert_ptr_null(found);
    ki_engine_devices_free(&devices);
}
END_TEST

// ---- what there is ----

START_TEST(listing)
{
    kn_device_list *list = NULL;
    bool usable = true;

    expect_refused(kn_device_list_create(NULL, &err), KN_ERROR_ARGUMENT, "kn_device_list_create");
    kn_device_list_free(NULL);
    ck_assert_uint_eq(kn_device_list_get_count(NULL), 0);
    ck_assert_ptr_null(kn_device_list_get_device(NULL, 0));
    ck_assert_str_eq(kn_device_list_get_why(NULL), "");
    expect_ok(kn_device_list_create(&list, &err));
    for (size_t i = 0; i < kn_device_list_get_count(list); i++) {
        const kn_device_info *device = kn_device_list_get_device(list, i);
        kn_context *context = NULL;
        char shouted[32];

        for (size_t k = 0; k < sizeof shouted; k++)
            shouted[k] = (char)toupper((unsigned char)device->spec[k]);
        for (size_t k = 0; k < i; k++)
            ck_assert_str_ne(device->spec, kn_device_list_get_device(list, k)->spec);
        ck_assert(strcmp(device->backend, "opencl") == 0 || strcmp(device->backend, "cuda") == 0);
        ck_assert_int_eq(strncmp(device->spec, device->backend, strlen(device->backend)), 0);
        ck_assert_int_eq(device->is_default, i == 0 && !device->why_not[0]);
        ck_assert_msg(usable || device->why_not[0], "%s stands after one that is not usable", device->spec);
        usable = !device->why_not[0];
        if (!usable) {
            expect_refused(kn_context_open(device->spec, NULL, &context, &err), KN_ERROR_UNSUPPORTED,
                           device->why_not);
            continue;
        }
        expect_ok(kn_context_open(i % 2 ? shouted : device->spec, NULL, &context, &err));
        ck_assert_str_eq(kn_context_get_device(context)->spec, device->spec);
        ck_assert_str_eq(kn_context_get_device(context)->name, device->name);
        ck_assert_uint_ge(device->max_alloc, 1 << 20);
        ck_assert_uint_ge(device->local_memory, 1024);
        ck_assert_uint_ge(device->max_argument_bytes, 1024);
        ck_assert_uint_ge(device->max_work_group, 1);
        for (int d = 0; d < 3; d++)
            ck_assert_uint_ge(device->max_work_item_sizes[d], 1);
        kn_context_close(context);
    }
    ck_assert_ptr_null(kn_device_list_get_device(list, kn_device_list_get_count(list)));
    if (kn_device_list_get_count(list)) {
        const kn_device_info *best = kn_device_list_get_device(list, 0);
        kn_context *context = NULL;

        expect_refused(kn_context_open("no such device", NULL, &context, &err), KN_ERROR_NO_DEVICE,
                       best->spec);
        expect_refused(kn_context_open("auto", NULL, NULL, &err), KN_ERROR_ARGUMENT, "kn_context_open");
        setenv("KOINE_DEVICE", "nor this one", 1);
        expect_refused(kn_context_open(NULL, NULL, &context, &err), KN_ERROR_NO_DEVICE, "'nor this one'");
        setenv("KOINE_DEVICE", "", 1);
        if (!best->why_not[0]) {
            expect_ok(kn_context_open(NULL, NULL, &context, &err));
            ck_assert_int_eq(kn_context_get_device(context)->is_default, 1);
            kn_context_close(context);
        }
    } else {
        ck_assert_str_ne(kn_device_list_get_why(list), "");
    }
    kn_device_list_free(list);
}
END_TEST

START_TEST(no_driver)
{
    char *folder = test_folder();
    kn_device_list *list = NULL;
    kn_context *context = NULL;

    setenv("KOINE_CUDA_LIBRARIES", folder, 1);
    setenv("OCL_ICD_VENDORS", folder, 1);
    expect_ok(kn_device_list_create(&list, &err));
    if (kn_device_list_get_count(list)) { // NVIDIA's copy of the Khronos loader
        fprintf(stderr, "skipped: this ICD loader does not heed OCL_ICD_VENDORS\n");
        kn_device_list_free(list);
        test_remove(folder);
        return;
    }
    ck_assert_ptr_nonnull(strstr(kn_device_list_get_why(list), "no OpenCL driver is installed"));
    kn_device_list_free(list);
    expect_refused(kn_context_open("auto", NULL, &context, &err), KN_ERROR_NO_DEVICE,
                   "no device|no OpenCL driver is installed");
    ck_assert_ptr_null(context);
    test_remove(folder);
}
END_TEST

static bool link_driver(const char *folder, const char *name)
{
    char from[256], to[4300];

    snprintf(from, sizeof from, "/etc/OpenCL/vendors/%s", name);
    snprintf(to, sizeof to, "%s/%s", folder, name);
    if (access(from, R_OK) == 0)
        return symlink(from, to) == 0;
    fprintf(stderr, "skipped: there is no %s\n", from);
    return false;
}

// A driver without devices (rusticl that is not enabled, Mesa's Clover without a GPU) is named as the reason.
START_TEST(driver_without_devices)
{
    char *folder = test_folder();
    kn_device_list *list = NULL;

    unsetenv("RUSTICL_ENABLE");
    setenv("KOINE_CUDA_LIBRARIES", folder, 1);
    setenv("OCL_ICD_VENDORS", folder, 1);
    if (link_driver(folder, "rusticl.icd")) {
        expect_ok(kn_device_list_create(&list, &err));
        if (kn_device_list_get_count(list) == 0)
            ck_assert_ptr_nonnull(strstr(kn_device_list_get_why(list), "none offers a device"));
        else
            fprintf(stderr, "skipped: rusticl found a device here\n");
        kn_device_list_free(list);
    }
    test_remove(folder);
}
END_TEST

// PoCL is preferred to an llvmpipe that stops loops, and Clover is never used.
START_TEST(several_drivers)
{
    char *folder = test_folder();
    kn_device_list *list = NULL;

    setenv("KOINE_CUDA_LIBRARIES", folder, 1);
    setenv("OCL_ICD_VENDORS", folder, 1);
    setenv("RUSTICL_ENABLE", "llvmpipe", 1);
    if (link_driver(folder, "rusticl.icd") && link_driver(folder, "pocl.icd")) {
#ifndef __SANITIZE_ADDRESS__ // it ends a process that opens Clover (RTLD_DEEPBIND)
        (void)link_driver(folder, "mesa.icd");
#endif
        expect_ok(kn_device_list_create(&list, &err));
        ck_assert_uint_ge(kn_device_list_get_count(list), 1);
        ck_assert_int_eq(strncmp(kn_device_list_get_device(list, 0)->platform, "Portable", 8), 0);
        for (size_t i = 0; i < kn_device_list_get_count(list); i++) {
            const kn_device_info *device = kn_device_list_get_device(list, i);

            if (strcmp(device->platform, "rusticl") == 0 && strncmp(device->name, "llvmpipe", 8) == 0)
                ck_assert_uint_gt(device->loop_limit, 0);
            if (strcmp(device->platform, "Clover") == 0)
                ck_assert_ptr_nonnull(strstr(device->why_not, "rusticl"));
        }
        kn_device_list_free(list);
    }
    test_remove(folder);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {ranking,        matching, listing, no_driver, driver_without_devices,
                                  several_drivers};

    return TEST_RUN("device", CK_FORK_GETENV, tests);
}
