// SPDX-License-Identifier: Apache-2.0
// The cost model: rates by name and by likeness, and seconds that are sums of work at those rates.
#include <koine/experimental/cost.h>

#include <stdlib.h>

#include "base/threads.h"
#include "engine/cost/rates.h"
#include "support/expect.h"
#include "support/files.h"
#include "support/run.h"

static kn_device_info device_of(const char *name, const char *vendor, kn_device_type type, uint32_t units)
{
    kn_device_info info = {.type = type, .compute_units = units};

    snprintf(info.name, sizeof info.name, "%s", name);
    snprintf(info.vendor, sizeof info.vendor, "%s", vendor);
    return info;
}

START_TEST(likeness)
{
    const kn_device_info h200 = device_of("NVIDIA H200", "NVIDIA Corporation", KN_DEVICE_GPU, 132),
                         half = device_of("New", "NVIDIA Corporation", KN_DEVICE_GPU, 66),
                         other = device_of("New", "Maker", KN_DEVICE_GPU, 33),
                         cpu = device_of("New", "Maker", KN_DEVICE_CPU, 4), unknown = {.type = KN_DEVICE_GPU};
    const struct engine_rates first = ki_engine_rates(&unknown), of_half = ki_engine_rates(&half);

    ck_assert_str_eq(ki_engine_rates(&h200).name, "NVIDIA H200");
    ck_assert_double_gt(ki_engine_rates(&h200).memory, first.memory);
    ck_assert_int_eq(first.type, KN_DEVICE_GPU);
    ck_assert_double_eq(of_half.memory, first.memory / 2);
    ck_assert_double_eq(of_half.operations, first.operations / 2);
    ck_assert_double_eq(of_half.copy, first.copy);
    ck_assert_double_eq(ki_engine_rates(&other).memory, first.memory / 4);
    ck_assert_int_eq(ki_engine_rates(&cpu).type, KN_DEVICE_CPU);
    ck_assert_double_gt(ki_engine_rates(&cpu).build, 0);
}
END_TEST

START_TEST(seconds)
{
    const kn_device_info h200 = device_of("NVIDIA H200", "NVIDIA Corporation", KN_DEVICE_GPU, 132);
    const struct engine_rates rates = ki_engine_rates(&h200);
    const kn_work work = KN_INIT(kn_work, .host.operations = 1e12, .host.prepared = 3e9,
                                 .device.prepared = 5e9, .device.bytes = 2e12, .device.operations = 3e13,
                                 .copied = 4e9, .launches = 1000, .program = "algo/none.cl", .programs = 3);
    kn_work compiled = work;
    kn_cost host, device;

    EXPECT_OK(kn_cost_estimate(&work, NULL, &host, &err));
    ck_assert_double_eq(host.start + host.build + host.copy, 0);
    ck_assert_double_eq_tol(host.compute,
                            1e12 / (ki_engine_host_rates()->operations * ki_threads(0)) +
                                3e9 / ki_engine_host_rates()->memory,
                            1e-9);
    EXPECT_OK(kn_cost_estimate(&work, &h200, &device, &err));
    ck_assert_double_eq(device.start, rates.start);
    ck_assert_double_eq_tol(device.build, 3 * rates.build, 1e-12);
    ck_assert_double_eq_tol(device.copy, 4e9 / rates.copy + 5e9 / ki_engine_host_rates()->memory, 1e-12);
    ck_assert_double_eq_tol(device.compute,
                            2e12 / rates.memory + 3e13 / rates.operations + 1000 * rates.launch, 1e-9);
    compiled.program = NULL;
    EXPECT_OK(kn_cost_estimate(&compiled, &h200, &device, &err));
    ck_assert_double_eq(device.build, 0);
}
END_TEST

START_TEST(refused)
{
    kn_work work = KN_INIT(kn_work, .programs = 1), other = {.programs = 1};
    kn_cost cost = {.start = 7};

    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "work or cost is NULL", kn_cost_estimate(NULL, NULL, &cost, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "work or cost is NULL", kn_cost_estimate(&work, NULL, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "KN_INIT", kn_cost_estimate(&other, NULL, &cost, &err));
    ck_assert_double_eq(cost.start, 7);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {likeness, seconds, refused};

    return TEST_RUN("the cost model", CK_FORK_GETENV, tests);
}
