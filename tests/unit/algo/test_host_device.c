// SPDX-License-Identifier: Apache-2.0
// The host and the device must give the same bits: kn_host_sort and kn_sort, kn_host_sums and kn_reduce_sums,
// and the moments, the reductions and the robust statistics of both.
#include "support/buffers.h"
#include "support/run.h"

#include <math.h>

#include <koine/host.h>
#include <koine/robust.h>

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
        for (size_t i = 0; i < n; i++) // random numbers, and many NaN of both signs
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
        if (!test_takes(type))
            continue;
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

static void expect_alike(const char *what, kn_type type, size_t n, double on_device, double on_host)
{
    ck_assert_msg(test_same(on_device, on_host), "%s, n %zu: %s %.17g on the device, %.17g on the host",
                  kn_type_name(type), n, what, on_device, on_host);
}

static void expect_moments_alike(kn_type type, size_t n, const void *x, kn_buffer *buffer,
                                 const double *shift)
{
    kn_moments on_device, on_host;

    EXPECT_OK(kn_reduce_moments(queue, buffer, type, n, shift, &on_device, &err));
    EXPECT_OK(kn_host_moments(x, type, n, shift, &on_host, NULL, &err));
    ck_assert_uint_eq(on_device.n, on_host.n);
    ck_assert_uint_eq(on_device.nan_count, on_host.nan_count);
    expect_alike("mean", type, n, on_device.mean, on_host.mean);
    expect_alike("variance", type, n, on_device.variance, on_host.variance);
    expect_alike("min", type, n, on_device.min, on_host.min);
    expect_alike("max", type, n, on_device.max, on_host.max);
    expect_alike("shift", type, n, on_device.shift, on_host.shift);
    expect_alike("sum", type, n, on_device.sum, on_host.sum);
    expect_alike("squares", type, n, on_device.squares, on_host.squares);
}

// Random bits of all types, so that floats have all exponents, infinities and NaN (but no denormals, which
// some devices flush to 0); and floats of similar size.
START_TEST(moments_alike)
{
    static const size_t sizes[] = {1, 2, 63, 64, 65, 1000, 4097, 70001, 200003};
    uint64_t state = test_seed("moments_alike");
    uint64_t *bits = malloc(largest() * sizeof *bits);
    const double shift = -0.3;

    ck_assert_ptr_nonnull(bits);
    for (kn_type type = KN_I8; type <= KN_F64; type++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes && sizes[i] <= largest(); i++) {
            size_t n = sizes[i], size = kn_type_size(type);
            if (!test_takes(type))
                continue;
            for (size_t k = 0; k < n; k++) {
                uint64_t any = test_random(&state);
                float single = (float)(test_uniform(&state) * 9 - 3);
                double value = (double)single / 3;
                if (type >= KN_F32 && (i % 2 || any % 64))
                    memcpy((char *)bits + k * size, type == KN_F32 ? (void *)&single : (void *)&value, size);
                else
                    memcpy((char *)bits + k * size, &(uint64_t){any | UINT64_C(0x0080000000800000)}, size);
            }
            kn_buffer *buffer = test_upload_with_room(bits, n * size, 0);
            expect_moments_alike(type, n, bits, buffer, NULL);
            expect_moments_alike(type, n, bits, buffer, &shift);
            for (int op = KN_REDUCE_SUM; op <= KN_REDUCE_MAX; op++) {
                kn_number on_device, on_host;
                if (op == KN_REDUCE_PRODUCT && type == KN_F32 && !context->device.info.fp64)
                    continue; // the device computes it in float
                EXPECT_OK(kn_reduce(queue, buffer, type, n, (kn_reduce_op)op, &on_device, &err));
                EXPECT_OK(kn_host_reduce(bits, type, n, (kn_reduce_op)op, &on_host, NULL, &err));
                if (type >= KN_F32)
                    expect_alike("a reduction", type, n, on_device.f64, on_host.f64);
                else
                    ck_assert_uint_eq(on_device.u64, on_host.u64);
            }
            kn_buffer_free(buffer);
        }
    free(bits);
}
END_TEST

static void expect_robust_alike(kn_type type, size_t n, const void *x, kn_buffer *buffer,
                                const kn_robust_options *options)
{
    kn_robust on_device, on_host;

    EXPECT_OK(kn_robust_stats(queue, buffer, type, n, &on_device, options, &err));
    EXPECT_OK(kn_host_robust(x, type, n, &on_host, options, NULL, &err));
    ck_assert_uint_eq(on_device.n, on_host.n);
    ck_assert_uint_eq(on_device.nan_count, on_host.nan_count);
    expect_alike("mean", type, n, on_device.mean, on_host.mean);
    expect_alike("variance", type, n, on_device.variance, on_host.variance);
    expect_alike("shift", type, n, on_device.shift, on_host.shift);
    expect_alike("sum", type, n, on_device.sum, on_host.sum);
    expect_alike("squares", type, n, on_device.squares, on_host.squares);
    expect_alike("median", type, n, on_device.median, on_host.median);
    expect_alike("MAD", type, n, on_device.mad, on_host.mad);
}

// Every method of every type, with a chosen and with a given shift; also columns with a NaN.
START_TEST(robust_alike)
{
    static const kn_type types[] = {KN_F32, KN_F64, KN_I8, KN_U8};
    static const size_t sizes[] = {1, 2, 3, 64, 65, 1000, 4097, 70001, 200003};
    uint64_t state = test_seed("robust_alike");
    char *x = malloc(largest() * sizeof(double));
    const double shift = 2.25;

    ck_assert_ptr_nonnull(x);
    for (size_t t = 0; t < 4; t++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes && sizes[i] <= largest(); i++) {
            size_t n = sizes[i], size = kn_type_size(types[t]), nan = i == 5 ? n / 2 : n;
            if (!test_takes(types[t]) || (test_is_slow() && n != 65))
                continue;
            for (size_t k = 0; k < n; k++) {
                double value = k == nan ? NAN : tan(3 * (test_uniform(&state) - 0.5));
                float single = (float)value;
                unsigned char byte = (unsigned char)(test_random(&state) % 200);
                memcpy(x + k * size,
                       size == 8   ? (void *)&value
                       : size == 4 ? (void *)&single
                                   : (void *)&byte,
                       size);
            }
            kn_buffer *buffer = test_upload_with_room(x, n * size, 16);
            for (int method = KN_ROBUST_AUTO; method <= KN_ROBUST_COUNTED; method++)
                for (int given = 0; given < (test_is_slow() ? 1 : 2); given++)
                    if (method == KN_ROBUST_AUTO || (method == KN_ROBUST_COUNTED) == (size == 1))
                        expect_robust_alike(types[t], n, x, buffer,
                                            &KN_INIT(kn_robust_options, .method = (kn_robust_method)method,
                                                     .shift = given ? &shift : NULL));
            kn_buffer_free(buffer);
        }
    free(x);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {sorted_alike, summed_alike, moments_alike, robust_alike};

    return test_run("host and device", tests, sizeof tests / sizeof *tests, test_open, test_close);
}
