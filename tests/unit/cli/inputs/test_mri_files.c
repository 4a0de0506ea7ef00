// SPDX-License-Identifier: Apache-2.0
// Tests trajectories from files: both formats and their shapes, invalid trajectories, and the shape of the
// corresponding data.
#include "unit/io/io_support.h"

#include "cli/inputs/mri_files.h"
#include "io/array/cfl.h"
#include "support/run.h"

static void write_array(const char *name, kn_type type, bool is_complex, size_t dims, const size_t *shape,
                        void *data)
{
    struct npy array = {.type = type, .is_complex = is_complex, .dims = dims, .data = data};

    memcpy(array.shape, shape, dims * sizeof *shape);
    IO_OK(npy_write(io_path(name), &array, true, err));
}

static void expect(const char *name, const double *k, size_t samples, size_t dims, const size_t *shape)
{
    struct mri_trajectory found;
    struct npy data = {.data = NULL};

    IO_OK(mri_trajectory_read(io_path(name), &found, err));
    ck_assert_uint_eq(found.samples, samples);
    ck_assert_uint_eq(found.dims, dims);
    for (size_t i = 0; i < 3 * samples; i++)
        ck_assert_double_eq(found.k[i], k[i]);
    mri_data_shape(&found, &data);
    ck_assert_uint_eq(data.count, samples);
    ck_assert_uint_eq(data.dims, dims + 1);
    for (size_t i = 0; i < dims; i++) {
        ck_assert_uint_eq(found.shape[i], shape[i]);
        ck_assert_uint_eq(data.shape[i], shape[i]);
    }
    ck_assert_uint_eq(cfl_dim(&data, 0), 1);
    free(found.k);
}

START_TEST(shapes)
{
    static const size_t three[] = {2, 4, 3}, two[] = {3, 2}, none[] = {0, 3};
    double k[24], flat[6] = {1, 2, 3, 4, 5, 6};
    const double with_z[9] = {1, 2, 0, 3, 4, 0, 5, 6, 0};
    float complex_k[48];

    for (size_t i = 0; i < 24; i++) {
        k[i] = 0.25 * (double)i - 3;
        complex_k[2 * i] = (float)k[i];
        complex_k[2 * i + 1] = 0;
    }
    write_array("a.npy", KN_F64, false, 3, three, k);
    expect("a.npy", k, 8, 2, three);
    write_array("b.npy", KN_F32, true, 3, three, complex_k);
    expect("b.npy", k, 8, 2, three);
    IO_OK(cfl_write(io_path("c"), &(struct npy){.type = KN_F64, .dims = 3, .shape = {2, 4, 3}, .data = k},
                    false, err));
    expect("c.cfl", k, 8, 2, three);
    write_array("d.npy", KN_F64, false, 2, two, flat);
    expect("d.npy", with_z, 3, 1, two);
    write_array("e.npy", KN_F64, false, 2, none, k);
    expect("e.npy", k, 0, 1, none);
}
END_TEST

START_TEST(refused)
{
    static const size_t line[] = {3}, wide[] = {2, 4}, right[] = {1, 3};
    const struct {
        kn_type type;
        bool is_complex;
        size_t dims;
        const size_t *shape;
        const char *words;
    } rows[] = {
        {KN_I32, false, 2, right, "is of int32"},
        {KN_F32, false, 1, line, "of its 1 is 3"},
        {KN_F32, false, 2, wide, "of its 2 is 4"},
        {KN_F32, true, 2, right, "number 1 has the imaginary part 4, expected 0; is it k-space?"},
    };
    float numbers[8] = {1, 0, 3, 4, 5, 0, 0, 0};
    struct mri_trajectory found;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        write_array("a.npy", rows[i].type, rows[i].is_complex, rows[i].dims, rows[i].shape, numbers);
        IO_REFUSED(mri_trajectory_read(io_path("a.npy"), &found, err), KN_ERROR_INPUT, rows[i].words);
        IO_REFUSED(mri_trajectory_read(io_path("a.npy"), &found, err), KN_ERROR_INPUT, "a.npy");
        ck_assert_ptr_null(found.k);
    }
    IO_REFUSED(mri_trajectory_read(io_path("a.txt"), &found, err), KN_ERROR_INPUT,
               "a .npy file or a .cfl/.hdr pair");
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {shapes, refused};

    return TEST_RUN_WITH("mri files", CK_FORK_GETENV, io_set_up, io_tear_down, tests);
}
