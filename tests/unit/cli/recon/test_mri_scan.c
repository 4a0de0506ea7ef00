// SPDX-License-Identifier: Apache-2.0
// Tests scans from every kind of file: arrays with a trajectory, ISMRMRD files with packed and aligned
// headers, Parboil's; inconsistent input, and files that are not scans.
#include "unit/io/io_support.h"

#include <config.h>
#include <math.h>

#include "app/mri/mri.h"
#include "cli/recon/scan_files.h"
#include "io/array/cfl.h"
#include "support/run.h"

enum { SAMPLES = 6, SPOKES = 4, COILS = 3, ALL = SAMPLES * SPOKES };

static double k_of(size_t m, size_t axis)
{
    return axis == 2 ? 0 : (double)((m * (7 + 4 * axis)) % 17) - 8;
}

static double complex value_of(size_t coil, size_t m)
{
    return mri_complex((double)(coil * 100 + m), -0.5 * (double)m);
}

static void write_npy(const char *name, bool is_complex, size_t dims, const size_t *shape, void *data)
{
    struct npy array = {.type = KN_F64, .is_complex = is_complex, .dims = dims, .data = data};

    memcpy(array.shape, shape, dims * sizeof *shape);
    IO_OK(npy_write(io_path(name), &array, true, err));
}

// A trajectory t.npy and t.cfl, k times `unit`.
static void write_trajectory(double unit)
{
    static const size_t shape[] = {SPOKES, SAMPLES, 3};
    double k[3 * ALL];

    for (size_t i = 0; i < 3 * ALL; i++)
        k[i] = unit * k_of(i / 3, i % 3);
    write_npy("t.npy", false, 3, shape, k);
    IO_OK(cfl_write(io_path("t"),
                    &(struct npy){.type = KN_F64, .dims = 3, .shape = {SPOKES, SAMPLES, 3}, .data = k}, true,
                    err));
}

static void fill(double complex *data, size_t coils)
{
    for (size_t coil = 0; coil < coils; coil++)
        for (size_t m = 0; m < ALL; m++)
            data[coil * ALL + m] = value_of(coil, m);
}

// A path that stays, of the data or of the trajectory.
static const char *path_of(const char *name, bool is_trajectory)
{
    static char paths[2][4200];

    snprintf(paths[is_trajectory], sizeof paths[0], "%s", io_path(name));
    return paths[is_trajectory];
}

static struct mri_scan_request request_of(const char *data, const char *trajectory)
{
    return (struct mri_scan_request){.path = path_of(data, false),
                                     .trajectory = trajectory ? path_of(trajectory, true) : NULL,
                                     .matrix = {2, {16, 16, 1}}};
}

static void expect(const struct mri_scan_request *request, size_t coils)
{
    struct mri_scan scan;

    IO_OK(mri_scan_read(request, &scan, err));
    ck_assert_uint_eq(scan.samples, ALL);
    ck_assert_uint_eq(scan.coils, coils);
    ck_assert_uint_eq(scan.voxels, 256);
    ck_assert_double_eq(scan.range.low[0], -8);
    ck_assert_ptr_null(scan.positions);
    ck_assert_ptr_null(scan.weights);
    for (size_t i = 0; i < 3 * ALL; i++)
        ck_assert_double_eq_tol(scan.k[i], k_of(i / 3, i % 3), 1e-12);
    for (size_t coil = 0; coil < coils; coil++)
        for (size_t m = 0; m < ALL; m++)
            ck_assert(scan.data[coil * ALL + m] == value_of(coil, m));
    mri_scan_free(&scan);
}

static void refuse(const struct mri_scan_request *request, kn_status status, const char *words)
{
    struct mri_scan scan;

    IO_REFUSED(mri_scan_read(request, &scan, err), status, words);
    ck_assert(!scan.k && !scan.data && !scan.samples);
}

START_TEST(arrays)
{
    static const struct {
        size_t dims, shape[5], coils;
    } shapes[] = {
        {1, {ALL}, 1},
        {2, {SPOKES, SAMPLES}, 1},
        {3, {SPOKES, SAMPLES, 1}, 1},
        {4, {1, SPOKES, SAMPLES, 1}, 1},
        {3, {COILS, SPOKES, SAMPLES}, COILS},
        {5, {1, COILS, SPOKES, SAMPLES, 1}, COILS},
        {2, {COILS, ALL}, COILS},
    };
    double complex data[COILS * ALL];
    struct mri_scan_request request;

    fill(data, COILS);
    write_trajectory(1);
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        write_npy("d.npy", true, shapes[i].dims, shapes[i].shape, data);
        request = request_of("d.npy", "t.npy");
        expect(&request, shapes[i].coils);
        request.trajectory = path_of("t", true);
        expect(&request, shapes[i].coils);
    }
    IO_OK(cfl_write(io_path("d"),
                    &(struct npy){.type = KN_F64,
                                  .is_complex = true,
                                  .dims = 4,
                                  .shape = {COILS, SPOKES, SAMPLES, 1},
                                  .data = data},
                    true, err));
    request = request_of("d.cfl", "t.cfl");
    expect(&request, COILS);
    request.matrix.axes = 0; // |k| <= 8 determines it too
    expect(&request, COILS);
    write_trajectory(1 / 16.0);
    request = request_of("d", "t");
    request.unit = KN_RECON_UNIT_NORMALIZED;
    expect(&request, COILS);
    write_trajectory(2 * M_PI / 16);
    request.unit = KN_RECON_UNIT_RADIANS;
    request.trajectory = path_of("t.npy", true);
    expect(&request, COILS);
}
END_TEST

START_TEST(arrays_refused)
{
    static const size_t less[] = {SPOKES, SAMPLES - 1}, times[] = {2, COILS, ALL}, whole[] = {COILS, ALL};
    double complex data[2 * COILS * ALL] = {0};
    struct mri_scan_request request;
    struct mri_scan scan;

    fill(data, COILS);
    write_trajectory(1);
    write_npy("d.npy", true, 2, less, data);
    request = request_of("d.npy", "t.npy");
    refuse(&request, KN_ERROR_INPUT, "d.npy: has 20 samples, but the trajectory");
    refuse(&request, KN_ERROR_INPUT, "t.npy has 24; expected [1, samples, spokes, coils]");
    write_npy("d.npy", true, 3, times, data);
    refuse(&request, KN_ERROR_INPUT, "more than one dimension; expected only coils");
    write_npy("d.npy", false, 2, whole, data);
    refuse(&request, KN_ERROR_INPUT, "is of float64, expected complex floats");
    write_npy("d.npy", true, 2, whole, data);
    request.trajectory = NULL;
    refuse(&request, KN_ERROR_ARGUMENT, "expected --trajectory FILE");
    request = request_of("d.npy", "none.npy");
    refuse(&request, KN_ERROR_INPUT, "none.npy: cannot be read");
    request = request_of("d.txt", "t.npy");
    refuse(&request, KN_ERROR_INPUT, ".npy file or a .cfl/.hdr pair");
    request = request_of("d.npy", "t.npy");
    request.matrix.size[1] = 8;
    refuse(&request, KN_ERROR_INPUT, "but a matrix of 8 resolves 4");
    request.matrix = (kn_recon_matrix){2, {SIZE_MAX / 2, SIZE_MAX / 2, 1}};
    refuse(&request, KN_ERROR_ARGUMENT, "fit in memory");
    // A single sample that is not a number is refused; coils without a signal are accepted, and counted.
    data[ALL + 5] = mri_complex(1, NAN);
    write_npy("d.npy", true, 2, whole, data);
    request = request_of("d.npy", "t.npy");
    refuse(&request, KN_ERROR_INPUT, "d.npy: sample 5 of coil 1 is 1+nani");
    memset(data, 0, ALL * sizeof *data);
    data[ALL + 5] = 0;
    write_npy("d.npy", true, 2, whole, data);
    IO_OK(mri_scan_read(&request, &scan, err));
    ck_assert_uint_eq(scan.empty, 1);
    mri_scan_free(&scan);
    // Units: values too large for one, and too small to determine the matrix.
    request.unit = KN_RECON_UNIT_NORMALIZED;
    refuse(&request, KN_ERROR_INPUT, "is the trajectory for a larger matrix, or in another unit?");
    write_trajectory(1 / 16.0);
    request = request_of("d.npy", "t.npy");
    request.matrix.axes = 0;
    refuse(&request, KN_ERROR_ARGUMENT, "--matrix is missing");
    write_trajectory(INFINITY);
    refuse(&request, KN_ERROR_INPUT, "t.npy: sample 0: kx is -inf");
}
END_TEST

START_TEST(no_samples)
{
    static const size_t none[] = {0, 3}, no_data[] = {0};
    struct mri_scan_request request = request_of("d.npy", "t.npy");
    double nothing[2] = {0};

    write_npy("t.npy", false, 2, none, nothing);
    write_npy("d.npy", true, 1, no_data, nothing);
    refuse(&request, KN_ERROR_INPUT, "has no samples");
}
END_TEST

// ---- damaged files ----

START_TEST(damaged)
{
    double complex data[ALL] = {0};
    struct mri_scan_request request = request_of("d", "t");
    unsigned char bytes[1000];

    write_trajectory(1);
    IO_OK(cfl_write(
        io_path("d"),
        &(struct npy){
            .type = KN_F64, .is_complex = true, .dims = 3, .shape = {SPOKES, SAMPLES, 1}, .data = data},
        true, err));
    ck_assert_uint_eq(io_read("d.cfl", bytes, sizeof bytes), 8 * ALL);
    io_write("d.cfl", bytes, 8 * ALL - 3);
    refuse(&request, KN_ERROR_INPUT, "d.cfl: ends at offset 189, but expected 192 bytes");
    // A header that claims more than any memory, and one that claims more than the file has.
    io_write("d.hdr", "# Dimensions\n1 4000000000 4000000000 1\n", 39);
    refuse(&request, KN_ERROR_INPUT, "d.hdr");
    io_write("d.cfl", bytes, 8 * ALL);
    io_write("d.hdr", "# Dimensions\n1 6 4 1000000 1\n", 29);
    refuse(&request, KN_ERROR_INPUT, "d.cfl: ends at offset 192, but expected");
}
END_TEST

// ---- Parboil ----

static void write_parboil(size_t samples, size_t edge)
{
    int32_t counts[2] = {(int32_t)samples, (int32_t)(edge * edge * edge)};
    size_t voxels = edge * edge * edge, at = sizeof counts / sizeof(float);
    float *numbers = calloc(2 + 5 * samples + 3 * voxels, sizeof *numbers);

    ck_assert_ptr_nonnull(numbers);
    memcpy(numbers, counts, sizeof counts);
    for (size_t i = 0; i < 5 * samples; i++)
        numbers[at++] = (float)i;
    for (size_t axis = 0, step = 1; axis < 3; axis++, step *= edge)
        for (size_t n = 0; n < voxels; n++)
            numbers[at++] = (float)ki_mri_position(n / step % edge, edge);
    io_write("q.bin", numbers, at * sizeof *numbers);
    free(numbers);
}

START_TEST(parboil)
{
    struct mri_scan_request request = {.path = path_of("q.bin", false), .order = PARBOIL_TRUE};
    struct mri_scan scan;

    write_parboil(5, 4);
    IO_OK(mri_scan_read(&request, &scan, err));
    ck_assert_uint_eq(scan.samples, 5);
    ck_assert_uint_eq(scan.voxels, 64);
    ck_assert_uint_eq(scan.matrix.size[2], 4);
    ck_assert_ptr_null(scan.positions);
    ck_assert_ptr_null(scan.data);
    for (size_t m = 0; m < 5; m++) {
        double real = (double)(15 + m), imaginary = (double)(20 + m);

        ck_assert_double_eq(scan.weights[m], real * real + imaginary * imaginary);
        ck_assert_double_eq(scan.k[3 * m + 1], (double)(5 + m));
    }
    mri_scan_free(&scan);
    // The published reading takes phi for x, and voxels lie anywhere.
    request.order = PARBOIL_PUBLISHED;
    IO_OK(mri_scan_read(&request, &scan, err));
    ck_assert_ptr_nonnull(scan.positions);
    ck_assert_uint_eq(scan.voxels, 64);
    ck_assert_uint_eq(scan.matrix.size[0], 64);
    ck_assert_double_eq(scan.positions[3 * 2], 17);
    mri_scan_free(&scan);
    request.matrix = (kn_recon_matrix){2, {4, 4, 1}};
    refuse(&request, KN_ERROR_ARGUMENT, "has its own voxels");
    request.matrix.axes = 0;
    request.trajectory = "t";
    refuse(&request, KN_ERROR_ARGUMENT, "has its own trajectory");
}
END_TEST

// ---- ISMRMRD ----

#if HAVE_HDF5

#include "unit/io/ismrmrd_support.h"

// One acquisition for each spoke, `axes` numbers for each sample, and before them an acquisition of noise;
// `spoil` changes the third.
static void write_ismrmrd(const struct layout *layout, size_t axes, const char *xml,
                          void (*spoil)(struct written *third))
{
    unsigned char *rows = calloc(SPOKES + 1, layout->row_bytes);
    float k[3 * ALL], data[2 * COILS * ALL], noise[2 * COILS] = {99, 99};

    ck_assert_ptr_nonnull(rows);
    for (size_t i = 0; i < axes * ALL; i++)
        k[i] = (float)k_of(i / axes, i % axes);
    for (size_t spoke = 0, at = 0; spoke < SPOKES; spoke++)
        for (size_t coil = 0; coil < COILS; coil++)
            for (size_t j = 0; j < SAMPLES; j++, at += 2) {
                data[at] = (float)creal(value_of(coil, spoke * SAMPLES + j));
                data[at + 1] = (float)cimag(value_of(coil, spoke * SAMPLES + j));
            }
    for (size_t line = 0; line <= SPOKES; line++) {
        struct written written = {.samples = SAMPLES, .coils = COILS, .axes = axes, .index = {line}};

        if (line == 0) {
            written =
                (struct written){.flags = UINT64_C(1) << 18, .samples = 1, .coils = COILS, .data = noise};
        } else {
            written.trajectory = k + axes * SAMPLES * (line - 1);
            written.data = data + 2 * COILS * SAMPLES * (line - 1);
        }
        if (line == 3 && spoil)
            spoil(&written);
        put_row(layout, &written, rows + line * layout->row_bytes);
    }
    write_rows(io_path("d.h5"), "dataset", layout, xml, rows, SPOKES + 1);
    free(rows);
}

static void other_slice(struct written *third)
{
    third->index[3] = 7;
}

static void no_trajectory(struct written *third)
{
    third->axes = 0;
}

static void other_coils(struct written *third)
{
    third->coils = COILS - 1;
}

static void all_noise(struct written *third)
{
    third->flags = UINT64_C(1) << 18;
}

static const char header[] =
    "<h><encoding><encodedSpace><matrixSize><x>32</x><y>32</y><z>1</z></matrixSize>"
    "</encodedSpace><reconSpace><matrixSize>\n<x>16</x> <y>16</y><z>1</z></matrixSize>"
    "</reconSpace></encoding></h>";

START_TEST(ismrmrd)
{
    static const struct layout *const layouts[] = {&packed, &aligned};
    struct mri_scan_request request = request_of("d.h5", NULL);
    struct mri_scan scan;

    for (size_t i = 0; i < 2; i++)
        for (size_t axes = 2; axes <= 3; axes++) {
            write_ismrmrd(layouts[i], axes, header, NULL);
            request.matrix = (kn_recon_matrix){2, {16, 16, 1}};
            expect(&request, COILS);
            request.matrix.axes = 0;
            expect(&request, COILS);
        }
    IO_OK(mri_scan_read(&request, &scan, err));
    ck_assert_uint_eq(scan.noise, 1);
    ck_assert_str_eq(scan.matrix_from, "its header");
    mri_scan_free(&scan);
    write_ismrmrd(&packed, 2, header, all_noise); // and one spoke less
    IO_OK(mri_scan_read(&request, &scan, err));
    ck_assert_uint_eq(scan.noise, 2);
    ck_assert_uint_eq(scan.samples, ALL - SAMPLES);
    mri_scan_free(&scan);
}
END_TEST

START_TEST(ismrmrd_refused)
{
    static const struct {
        void (*spoil)(struct written *third);
        const char *words;
    } rows[] = {
        {other_slice, "acquisition 3 is of slice 7, and those before of slice 0: several images"},
        {no_trajectory, "acquisition 3 has a trajectory of 0 dimensions, expected 2 or 3; is it a Cartesian"},
        {other_coils, "acquisition 3 has 2 channels, and those before 3"}};
    struct mri_scan_request request = request_of("d.h5", NULL);

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        write_ismrmrd(&aligned, 3, NULL, rows[i].spoil);
        refuse(&request, KN_ERROR_INPUT, rows[i].words);
    }
    io_write("d.h5", "no HDF5", 7);
    refuse(&request, KN_ERROR_INPUT, "expected an HDF5 file");
    write_rows(io_path("d.h5"), "scan_1", &packed, NULL, NULL, 0);
    refuse(&request, KN_ERROR_INPUT, "has no 'dataset/data'");
    write_rows(io_path("d.h5"), "dataset", &packed, NULL, NULL, 0);
    refuse(&request, KN_ERROR_INPUT, "has no samples: 0 acquisitions, 0 of them of noise");
    request = request_of("d.h5", "t.npy");
    refuse(&request, KN_ERROR_ARGUMENT, "has its own trajectory");
}
END_TEST

#else

START_TEST(ismrmrd)
{
    struct mri_scan_request request = request_of("d.h5", NULL);

    ck_assert_msg(!test_require("hdf5"), "built without libhdf5 (KOINE_REQUIRE lists hdf5)");
    refuse(&request, KN_ERROR_UNSUPPORTED, "install libhdf5-dev");
}
END_TEST

#endif

int main(void)
{
    const TTest *const tests[] = {
        arrays,
        arrays_refused,
        no_samples,
        damaged,
        parboil,
        ismrmrd,
#if HAVE_HDF5
        ismrmrd_refused,
#endif
    };

    return TEST_RUN_WITH("mri scan", CK_FORK_GETENV, io_set_up, io_tear_down, tests);
}
