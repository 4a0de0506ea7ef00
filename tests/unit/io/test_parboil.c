// SPDX-License-Identifier: Apache-2.0
// Files of Parboil's benchmark mri-q: both orders of the arrays, refusals, and a published file.
#include "io_support.h"

#include <math.h>

#include "io/array/parboil.h"
#include "support/run.h"

enum { K = 3, N = 2, NUMBERS = 5 * K + 3 * N };

// Writes a file with `heads` counts, followed by the floats 0, 1, 2, ..., `count` of them.
static void write_file(const char *name, const int32_t *counts, size_t heads, size_t count)
{
    unsigned char bytes[4 * (2 + NUMBERS + 1)];

    memcpy(bytes, counts, 4 * heads);
    for (size_t i = 0; i < count; i++) {
        float number = (float)i;

        memcpy(bytes + 4 * heads + 4 * i, &number, 4);
    }
    io_write(name, bytes, 4 * heads + 4 * count);
}

START_TEST(orders)
{
    static const struct {
        enum parboil_order order;
        float phi, r; // the first value of each in the test's file
    } rows[] = {{PARBOIL_PUBLISHED, 3 * K + 3 * N, 3 * K}, {PARBOIL_TRUE, 3 * K, 5 * K}};
    const int32_t counts[] = {K, N};

    write_file("a.bin", counts, 2, NUMBERS);
    for (size_t i = 0; i < 2; i++) {
        struct parboil data;

        IO_OK(parboil_read(io_path("a.bin"), rows[i].order, &data, err));
        ck_assert_uint_eq(data.samples, K);
        ck_assert_uint_eq(data.voxels, N);
        for (size_t m = 0; m < K; m++) {
            for (size_t axis = 0; axis < 3; axis++)
                ck_assert_float_eq(data.k[axis][m], (float)(axis * K + m));
            for (size_t part = 0; part < 2; part++)
                ck_assert_float_eq(data.phi[part][m], rows[i].phi + (float)(part * K + m));
        }
        for (size_t n = 0; n < N; n++)
            for (size_t axis = 0; axis < 3; axis++)
                ck_assert_float_eq(data.r[axis][n], rows[i].r + (float)(axis * N + n));
        parboil_free(&data);
        ck_assert_ptr_null(data.numbers);
    }
}
END_TEST

static void refuse(int32_t samples, int32_t voxels, size_t count, const char *words)
{
    const int32_t counts[] = {samples, voxels};
    struct parboil data;

    write_file("a.bin", counts, 2, count);
    IO_REFUSED(parboil_read(io_path("a.bin"), PARBOIL_TRUE, &data, err), KN_ERROR_INPUT, words);
    IO_REFUSED(parboil_read(io_path("a.bin"), PARBOIL_TRUE, &data, err), KN_ERROR_INPUT, "a.bin");
    ck_assert_ptr_null(data.numbers);
}

START_TEST(refused)
{
    const int32_t three = 3;
    struct parboil data;
    struct npy q;

    refuse(K, N, NUMBERS - 1, "less than 92 bytes");
    refuse(K, N, NUMBERS + 1, "more than 92 bytes");
    refuse(0, N, NUMBERS, "offset 0: a count of 0");
    refuse(K, -5, NUMBERS, "offset 4: a count of -5");
    // The memory that two counts of 2^31 - 1 would need is not allocated.
    refuse(INT32_MAX, INT32_MAX, NUMBERS, "less than 68719476712 bytes");
    io_write("a.bin", "abc", 3);
    IO_REFUSED(parboil_read(io_path("a.bin"), PARBOIL_TRUE, &data, err), KN_ERROR_INPUT,
               "within the first 8 bytes");
    IO_REFUSED(parboil_read(io_path("b.bin"), PARBOIL_TRUE, &data, err), KN_ERROR_INPUT,
               "b.bin: cannot be read");
    IO_REFUSED(parboil_read(io_folder, PARBOIL_TRUE, &data, err), KN_ERROR_INPUT, "cannot be read");
    write_file("a.out", &three, 1, 5);
    IO_REFUSED(parboil_read_result(io_path("a.out"), &q, err), KN_ERROR_INPUT, "less than 28 bytes");
    ck_assert_ptr_null(q.data);
    write_file("a.out", &three, 1, 6);
    IO_OK(parboil_read_result(io_path("a.out"), &q, err));
    ck_assert_uint_eq(q.count, 3);
    ck_assert_mem_eq(q.data, ((const float[]){0, 3, 1, 4, 2, 5}), 24);
    npy_free(&q);
}
END_TEST

static double sinc(double x)
{
    return x == 0 ? 1 : sin(M_PI * x) / (M_PI * x);
}

// Read in the true order, the published file has a grid of 32^3 voxels, x fastest, and the transform of a
// box, divided by 32^3; read in the other order, it does not.
START_TEST(real_file)
{
    char path[4200];
    struct parboil data;

    if (!test_data_path("mri/parboil-mri-q-small/32_32_32_dataset.bin", path, sizeof path))
        return;
    IO_OK(parboil_read(path, PARBOIL_TRUE, &data, err));
    ck_assert_uint_eq(data.samples, 3072);
    ck_assert_uint_eq(data.voxels, 32768);
    for (size_t n = 0; n < data.voxels; n++)
        for (size_t axis = 0, rest = n; axis < 3; axis++, rest /= 32)
            ck_assert_float_eq(data.r[axis][n], (float)(rest % 32) / 32 - 0.5f);
    for (size_t m = 0; m < data.samples; m++) {
        double box = 1;

        for (size_t axis = 0; axis < 3; axis++)
            box *= sinc((double)data.k[axis][m] / 32) / 32;
        ck_assert_double_eq_tol((double)data.phi[1][m], box, 2e-7 / 32768); // phi is a float of at most 2^-15
    }
    parboil_free(&data);
    IO_OK(parboil_read(path, PARBOIL_PUBLISHED, &data, err));
    ck_assert_float_ne(data.r[0][1], 1.0f / 32 - 0.5f);
    parboil_free(&data);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {orders, refused, real_file};

    return TEST_RUN_WITH("parboil", CK_FORK_GETENV, io_set_up, io_tear_down, tests);
}
