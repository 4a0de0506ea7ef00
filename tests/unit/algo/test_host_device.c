// SPDX-License-Identifier: Apache-2.0
// The host and the device: the same bits from kn_host_sort and kn_sort, from kn_host_sums and kn_reduce_sums.
#include "../device_support.h"

#include <math.h>

#include <koine/host.h>

static size_t largest(void)
{
    return test_is_slow() ? 100 : 200003;
}

START_TEST(sorted_alike)
{
    uint64_t state = test_seed("sorted_alike");
    size_t n = largest();
    uint64_t *bits = malloc(n * sizeof *bits), *found = malloc(n * sizeof *found);

    ck_assert(bits && found);
    for (kn_type type = KN_F32; type <= KN_F64 && test_takes(type); type++) {
        size_t bytes = n * kn_type_size(type);
        for (size_t i = 0; i < n; i++) // any numbers, and many NaN of both signs
            bits[i] = test_random(&state) | (test_random(&state) % 3 ? 0 : UINT64_C(0x7f80000c7f800005));
        kn_buffer *buffer = test_upload_with_room(bits, bytes, 0);
        EXPECT_OK(kn_sort(queue, buffer, type, n, NULL, &err));
        EXPECT_OK(kn_buffer_read(queue, buffer, 0, found, bytes, &err));
        EXPECT_OK(kn_host_sort(bits, type, n, NULL, &err));
        ck_assert_mem_eq(found, bits, bytes);
        kn_buffer_free(buffer);
    }
    free(bits);
    free(found);
}
END_TEST

START_TEST(summed_alike)
{
    uint64_t state = test_seed("summed_alike");
    size_t most = largest();
    double *x = malloc(most * sizeof *x);
    float *singles = malloc(most * sizeof *singles);

    ck_assert(x && singles);
    for (int i = 0; i < (test_is_slow() ? 1 : 10); i++) {
        size_t n = 1 + test_random(&state) % most;
        double shift = i % 2 ? 0.1 : 0;
        kn_type type = i % 4 < 2 ? KN_F32 : KN_F64;
        kn_sums on_device, on_host;
        for (size_t k = 0; k < n; k++) {
            x[k] = ldexp(test_uniform(&state) - 0.4, (int)(test_random(&state) % 40));
            singles[k] = (float)x[k];
        }
        if (!context->device.info.fp64 || !test_takes(type)) {
            fprintf(stderr, "skipped: sums in double, which %s has not\n", context->device.info.name);
            break;
        }
        kn_buffer *buffer = test_upload_column(x, n, type);
        EXPECT_OK(kn_reduce_sums(queue, buffer, type, n, shift, &on_device, &err));
        EXPECT_OK(kn_host_sums(type == KN_F32 ? (const void *)singles : (const void *)x, type, n, shift,
                               &on_host, NULL, &err));
        ck_assert_msg(test_same(on_device.sum, on_host.sum) && test_same(on_device.squares, on_host.squares),
                      "n %zu: %.17g and %.17g on the device, %.17g and %.17g on the host", n, on_device.sum,
                      on_device.squares, on_host.sum, on_host.squares);
        kn_buffer_free(buffer);
    }
    free(x);
    free(singles);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {sorted_alike, summed_alike};

    return test_run("host and device", tests, sizeof tests / sizeof *tests, test_open, test_close);
}
