// SPDX-License-Identifier: Apache-2.0
// Tests sinograms from HDF5 files written here: fields, binning, angles, numbers of other types; refusals;
// and the real tooth.h5, reconstructed.
#include "unit/io/io_support.h"

#include <config.h>
#include <math.h>

#include "support/sparse_reference.h"
#include "app/sparse/tomography/parallel.h"
#include "tools/solve/sinogram_files.h"
#include "support/run.h"

#if HAVE_HDF5

#include <hdf5.h>

enum { PROJECTIONS = 3, SLICES = 2, DETECTORS = 5 };

// The contents of a file: arrays with size 0 are left out.
struct made {
    hsize_t data[3], white[3], dark[3], theta;
    hid_t type; // of the counts
    double bad; // replaces the last number of the data, unless it is 0
};

static const struct made usual = {
    {PROJECTIONS, SLICES, DETECTORS}, {2, SLICES, DETECTORS}, {4, SLICES, DETECTORS}, PROJECTIONS, 0, 0};

static double data_of(size_t t, size_t slice, size_t k)
{
    return (double)(20 + 7 * t + 3 * slice + 11 * k);
}

// Frames differ, so that their mean depends on all of them.
static double white_of(size_t slice, size_t k)
{
    return (double)(400 + 10 * slice + k);
}

static double dark_of(size_t slice, size_t k)
{
    return (double)(8 + slice + k % 2);
}

static void put_array(hid_t group, const char *name, int dimensions, const hsize_t *sizes, hid_t type,
                      const double *values)
{
    hid_t space = H5Screate_simple(dimensions, sizes, NULL);
    hid_t set = H5Dcreate2(group, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);

    ck_assert_int_ge(set, 0);
    ck_assert_int_ge(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), 0);
    H5Dclose(set);
    H5Sclose(space);
}

static void put_frames(hid_t group, const char *name, const hsize_t sizes[3], hid_t type, int kind,
                       double bad)
{
    double values[400];
    size_t at = 0;

    for (size_t t = 0; t < sizes[0]; t++)
        for (size_t slice = 0; slice < sizes[1]; slice++)
            for (size_t k = 0; k < sizes[2]; k++) {
                double spread = 2 * (double)t - (double)(sizes[0] - 1);
                ck_assert_uint_lt(at, 400);
                values[at++] = kind == 0   ? data_of(t, slice, k)
                               : kind == 1 ? white_of(slice, k) + spread
                                           : dark_of(slice, k) + spread;
            }
    if (bad != 0)
        values[at - 1] = bad;
    if (at)
        put_array(group, name, 3, sizes, type, values);
}

static void write_file(const char *name, const struct made *made)
{
    const double degrees[8] = {0, 45, 90.5, 120, 130, 140, 150, 160};
    hid_t file = H5Fcreate(io_path(name), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t group = H5Gcreate2(file, "exchange", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    hid_t type = made->type ? made->type : H5T_NATIVE_FLOAT;

    ck_assert_int_ge(group, 0);
    put_frames(group, "data", made->data, type, 0, made->bad);
    put_frames(group, "data_white", made->white, type, 1, 0);
    put_frames(group, "data_dark", made->dark, type, 2, 0);
    if (made->theta)
        put_array(group, "theta", 1, &made->theta, H5T_NATIVE_FLOAT, degrees);
    H5Gclose(group);
    H5Fclose(file);
}

static void check_sinogram(const char *name, size_t slice, size_t bin, bool has_dark)
{
    const struct sparse_sinogram_options options = {.slice = slice, .bin = bin};
    size_t width = bin ? bin : 1;
    struct sparse_sinogram found;

    IO_OK(sparse_read_sinogram(io_path(name), &options, &found, err));
    ck_assert_uint_eq(found.slices, SLICES);
    ck_assert_uint_eq(found.angles, PROJECTIONS);
    ck_assert_uint_eq(found.detectors, DETECTORS / width);
    for (size_t t = 0; t < PROJECTIONS; t++)
        for (size_t k = 0; k < found.detectors; k++) {
            double seen = 0, sent = 0;
            for (size_t i = k * width; i < (k + 1) * width; i++) {
                double dark = has_dark ? dark_of(slice, i) : 0;
                seen += data_of(t, slice, i) - dark;
                sent += white_of(slice, i) - dark;
            }
            ck_assert_double_eq_tol(found.values[t * found.detectors + k], -log(seen / sent), 1e-14);
        }
    ck_assert_double_eq(found.theta[0], 0);
    ck_assert_double_eq_tol(found.theta[2], 90.5 * 3.14159265358979323846 / 180, 1e-15);
    sparse_sinogram_free(&found);
}

static void refuse(const char *name, const struct sparse_sinogram_options *options, const char *words)
{
    struct sparse_sinogram found;

    IO_REFUSED(sparse_read_sinogram(io_path(name), options, &found, err), KN_ERROR_INPUT, words);
    ck_assert_ptr_null(found.values);
}

START_TEST(fields_and_bins)
{
    struct made made = usual;

    write_file("a.h5", &made);
    for (size_t slice = 0; slice < SLICES; slice++)
        for (size_t bin = 0; bin <= DETECTORS; bin++)
            check_sinogram("a.h5", slice, bin, true);
    made.type = H5T_STD_U16BE;
    write_file("b.h5", &made);
    check_sinogram("b.h5", 1, 2, true);
    made.dark[0] = 0;
    write_file("c.h5", &made);
    check_sinogram("c.h5", 0, 3, false);
}
END_TEST

// Slices together are those one by one, also more than are read at a time.
START_TEST(several)
{
    enum { MANY = 19 };
    struct made made = {
        .data = {PROJECTIONS, MANY, DETECTORS}, .white = {2, MANY, DETECTORS}, .dark = {1, MANY, DETECTORS}};

    write_file("a.h5", &made);
    for (size_t slice = 0; slice < MANY; slice += 3) {
        const struct sparse_sinogram_options all = {slice, SPARSE_SINOGRAM_ALL, 2};
        struct sparse_sinogram found, one;

        IO_OK(sparse_read_sinogram(io_path("a.h5"), &all, &found, err));
        ck_assert_uint_eq(found.count, MANY - slice);
        for (size_t i = 0; i < found.count; i++) {
            const struct sparse_sinogram_options options = {.slice = slice + i, .bin = 2};
            const size_t bytes = found.angles * found.detectors * sizeof *found.values;

            IO_OK(sparse_read_sinogram(io_path("a.h5"), &options, &one, err));
            ck_assert_uint_eq(one.count, 1);
            ck_assert_mem_eq(found.values + i * found.angles * found.detectors, one.values, bytes);
            sparse_sinogram_free(&one);
        }
        sparse_sinogram_free(&found);
    }
    made.bad = INFINITY;
    write_file("a.h5", &made);
    refuse("a.h5", &(struct sparse_sinogram_options){.count = SPARSE_SINOGRAM_ALL},
           "inf in projection 2, slice 18, detector 4");
}
END_TEST

// Without fields the numbers are already logarithms; without angles these are evenly spaced.
START_TEST(already_logarithms)
{
    const struct made made = {.data = {PROJECTIONS, SLICES, DETECTORS}};
    const struct sparse_sinogram_options options = {.slice = 1, .bin = 2};
    struct sparse_sinogram found;

    write_file("a.h5", &made);
    IO_OK(sparse_read_sinogram(io_path("a.h5"), &options, &found, err));
    ck_assert_double_eq_tol(found.values[1 * 2 + 1], (data_of(1, 1, 2) + data_of(1, 1, 3)) / 2, 1e-13);
    ck_assert_double_eq_tol(found.theta[2], 2 * 3.14159265358979323846 / 3, 1e-15);
    sparse_sinogram_free(&found);
}
END_TEST

// A detector that measured nothing, and one that measured more than the beam: the numbers are finite.
START_TEST(dead_detectors)
{
    struct made made = usual;
    const struct sparse_sinogram_options options = {.slice = 1};
    struct sparse_sinogram found;

    made.bad = 1; // less than dark
    write_file("a.h5", &made);
    IO_OK(sparse_read_sinogram(io_path("a.h5"), &options, &found, err));
    ck_assert_double_eq_tol(found.values[PROJECTIONS * DETECTORS - 1], -log(1e-6), 1e-12);
    sparse_sinogram_free(&found);
    made.bad = 5000;
    write_file("a.h5", &made);
    IO_OK(sparse_read_sinogram(io_path("a.h5"), &options, &found, err));
    ck_assert_double_eq_tol(found.values[PROJECTIONS * DETECTORS - 1],
                            -log((5000 - dark_of(1, 4)) / (white_of(1, 4) - dark_of(1, 4))), 1e-14);
    sparse_sinogram_free(&found);
}
END_TEST

START_TEST(refused)
{
    static const struct {
        struct made made;
        const char *words;
    } tried[] = {
        {{.theta = 3}, "has no 'exchange/data'; 'exchange' holds \"theta\""},
        {{.data = {3, 2, 5}, .white = {1, 2, 4}},
         "'exchange/data_white' is 1 x 2 x 4; expected 1 or more x 2 x 5"},
        {{.data = {3, 2, 5}, .white = {1, 2, 5}, .dark = {1, 3, 5}}, "'exchange/data_dark' is 1 x 3 x 5"},
        {{.data = {3, 2, 5}, .dark = {1, 2, 5}}, "no 'exchange/data_white'"},
        {{.data = {3, 2, 5}, .white = {1, 2, 5}, .theta = 4},
         "has 4 angles, but 'exchange/data' has 3 projections"},
        {{.data = {3, 2, 5}, .bad = NAN}, "nan in projection 2, slice 1, detector 4"},
    };
    const struct sparse_sinogram_options second = {.slice = 1}, third = {.slice = 2}, wide = {.bin = 6},
                                         two_from_second = {.slice = 1, .count = 2},
                                         all_from_third = {.slice = 2, .count = SPARSE_SINOGRAM_ALL};
    static const hsize_t absurd[3] = {1 << 19, 2, 1 << 15}, ones[3] = {1, 1, 1};
    unsigned char bytes[30000];
    struct sparse_sinogram found;
    hid_t file, group, space, chunks;
    size_t count;

    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++) {
        write_file("a.h5", &tried[i].made);
        refuse("a.h5", &second, tried[i].words);
    }
    write_file("a.h5", &usual);
    refuse("a.h5", &third, "has no slice 2; 'exchange/data' has 2");
    refuse("a.h5", &two_from_second, "has no slice 2; 'exchange/data' has 2");
    refuse("a.h5", &all_from_third, "has no slice 2; 'exchange/data' has 2");
    IO_REFUSED(sparse_read_sinogram(io_path("a.h5"), &wide, &found, err), KN_ERROR_ARGUMENT, "only 5");
    refuse("none.h5", &second, "none.h5: cannot be read");
    count = io_read("a.h5", bytes, sizeof bytes);
    for (size_t part = 1; part < 8; part++) {
        io_write("b.h5", bytes, count * part / 8);
        refuse("b.h5", &second, "b.h5: ");
    }
    io_write("b.h5", "no HDF5", 7);
    refuse("b.h5", &second, "expected an HDF5 file (tomography, .h5)");
    // Numbers promised, none stored; a group in place of the array; other dimensions.
    file = H5Fcreate(io_path("c.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    group = H5Gcreate2(file, "exchange", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    space = H5Screate_simple(3, absurd, NULL);
    chunks = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(chunks, 3, ones);
    H5Dclose(H5Dcreate2(group, "data", H5T_NATIVE_FLOAT, space, H5P_DEFAULT, chunks, H5P_DEFAULT));
    H5Pclose(chunks);
    H5Sclose(space);
    H5Gclose(group);
    H5Fclose(file);
    refuse("c.h5", &second, "declares 17179869184 numbers, but the file has only");
    file = H5Fcreate(io_path("d.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    group = H5Gcreate2(file, "exchange", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Gclose(H5Gcreate2(group, "data", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Gclose(group);
    H5Fclose(file);
    refuse("d.h5", &second, "'exchange/data' is not an array of numbers");
    file = H5Fcreate(io_path("e.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    group = H5Gcreate2(file, "exchange", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    put_array(group, "data", 2, ones, H5T_NATIVE_FLOAT, &(double){1});
    H5Gclose(group);
    H5Fclose(file);
    refuse("e.h5", &second, "'exchange/data' has 2 dimensions, expected 3");
}
END_TEST

// Conjugate gradients' relative residual after 20 iterations tells the axis: 0.0065 at 73.5 of 160 binned
// detectors, and more beside it.
START_TEST(real_tooth)
{
    static const double axes[] = {73.5, 73, 74}, wanted[] = {0.0065, 0.0109, 0.0090};
    const struct sparse_sinogram_options options = {.bin = 4};
    const struct sparse_reference_options twenty = {.iterations = 20};
    char path[4096];
    struct sparse_sinogram sinogram;

    if (!test_data_path("sparse/tooth.h5", path, sizeof path))
        return;
    IO_OK(sparse_read_sinogram(path, &options, &sinogram, err));
    ck_assert_uint_eq(sinogram.slices, 2);
    ck_assert_uint_eq(sinogram.angles, 181);
    ck_assert_uint_eq(sinogram.detectors, 160);
    for (size_t i = 0; i < 3; i++) {
        const struct sparse_parallel geometry = {.angles = sinogram.angles,
                                                 .detectors = sinogram.detectors,
                                                 .size = sinogram.detectors,
                                                 .axis = axes[i],
                                                 .theta = sinogram.theta};
        struct sparse_matrix matrix;
        double *x, history[21], norm = 0;

        IO_OK(ki_sparse_parallel_matrix(&geometry, &matrix, err));
        x = calloc(matrix.columns, sizeof *x);
        IO_OK(sparse_reference_solve(&matrix, sinogram.values, &twenty, x, history, err));
        for (size_t k = 0; k < matrix.rows; k++)
            norm += sinogram.values[k] * sinogram.values[k];
        fprintf(stderr, "real_tooth: axis %g, %zu nonzeros, relative residual %.5f\n", axes[i],
                matrix.nonzeros, history[20] / sqrt(norm));
        ck_assert_double_eq_tol(history[20] / sqrt(norm), wanted[i], 0.0005);
        free(x);
        ki_sparse_free(&matrix);
    }
    sparse_sinogram_free(&sinogram);
}
END_TEST

#else

START_TEST(without_libhdf5)
{
    const struct sparse_sinogram_options options = {.slice = 0};
    struct sparse_sinogram found;

    IO_REFUSED(sparse_read_sinogram("a.h5", &options, &found, err), KN_ERROR_UNSUPPORTED, "libhdf5-dev");
}
END_TEST

#endif

int main(void)
{
#if HAVE_HDF5
    const TTest *const tests[] = {fields_and_bins, several, already_logarithms,
                                  dead_detectors,  refused, real_tooth};
#else
    const TTest *const tests[] = {without_libhdf5};
#endif

    return TEST_RUN_WITH("sparse_sinogram", CK_FORK, io_set_up, io_tear_down, tests);
}
