// SPDX-License-Identifier: Apache-2.0
// Tests sensitivity maps that are estimated from a scan against those that generated it.
#include "sense_support.h"

#include <koine/experimental/recon.h>

#include "app/mri/sense/calibration.h"
#include "bart_maps.h"
#include "io/array/cfl.h"
#include "support/files.h"

enum { SIDE = 32, SPOKES = 50 };

// The mean of |s - t| over voxels in the head, where t are the known maps divided by the root of the sum of
// their squares, and s the estimated ones times the best unit factor at each voxel.
static double mean_error(const struct measured *m, const double complex *found)
{
    const double complex *known = (const double complex *)m->maps;
    size_t voxels = m->p.voxels, inside = 0;
    double sum = 0;

    for (size_t n = 0; n < voxels; n++) {
        double squares = 0, off = 0;
        double complex product = 0;

        if (m->p.image[2 * n] < 0.1)
            continue;
        for (size_t c = 0; c < m->coils; c++) {
            squares += creal(known[c * voxels + n] * conj(known[c * voxels + n]));
            product += known[c * voxels + n] * conj(found[c * voxels + n]);
        }
        product /= cabs(product);
        for (size_t c = 0; c < m->coils; c++)
            off += pow(cabs(known[c * voxels + n] / sqrt(squares) - product * found[c * voxels + n]), 2);
        sum += sqrt(off);
        inside++;
    }
    return sum / (double)inside;
}

START_TEST(low_resolution)
{
    for (size_t coils = 1; coils <= 8; coils++) {
        struct measured m = measure(coils, SIDE, SPOKES);
        double complex *maps = test_allocate(coils * m.p.voxels * sizeof *maps);
        double error;

        EXPECT_OK(ki_mri_maps_lowres(&m.scan, NULL, maps, &err));
        for (size_t n = 0; n < m.p.voxels; n++) {
            double squares = 0;

            for (size_t c = 0; c < coils; c++)
                squares += pow(cabs(maps[c * m.p.voxels + n]), 2);
            ck_assert_double_eq_tol(squares, 1, 1e-12);
        }
        error = mean_error(&m, maps);
        ck_assert_msg(error < 0.025, "%zu coils: the maps are off by %g", coils, error);
        free(maps);
        free_measured(&m);
    }
}
END_TEST

// Vectors of length 1 or 0, and of length 1 in the head.
START_TEST(espirit)
{
    for (size_t coils = 2; coils <= 8; coils += 2) {
        struct measured m = measure(coils, SIDE, SPOKES);
        double complex *maps = test_allocate(coils * m.p.voxels * sizeof *maps);
        double error;
        size_t outside = 0;

        EXPECT_OK(ki_mri_maps_espirit(&m.scan, NULL, maps, &err));
        for (size_t n = 0; n < m.p.voxels; n++) {
            double squares = 0;

            for (size_t c = 0; c < coils; c++)
                squares += pow(cabs(maps[c * m.p.voxels + n]), 2);
            outside += squares == 0;
            ck_assert(squares == 0 || fabs(squares - 1) < 1e-9);
        }
        error = mean_error(&m, maps);
        ck_assert_msg(error < 0.012 && outside < 20, "%zu coils: the maps are off by %g, and 0 at %zu voxels",
                      coils, error, outside);
        free(maps);
        free_measured(&m);
    }
}
END_TEST

// A volume: samples on the grid of a smooth object and of two coils on opposite sides of it. Where the object
// is, the maps are the coils' sensitivities divided by the length of both.
START_TEST(espirit_of_a_volume)
{
    enum { SIZE = 12, VOXELS = SIZE * SIZE * SIZE, COILS = 2 };
    double *k = test_allocate(3 * VOXELS * sizeof *k), worst = 0;
    double complex *data = test_zeros((size_t)COILS * VOXELS, sizeof *data),
                   *maps = test_allocate(COILS * VOXELS * sizeof *maps), factor[SIZE][SIZE],
                   sees[COILS][SIZE];
    const kn_recon_scan scan = KN_INIT(kn_recon_scan, .matrix = {3, {SIZE, SIZE, SIZE}}, .samples = VOXELS,
                                       .coils = COILS, .k = k, .data = (double *)data);

    // The object is a product of bell curves along each axis; the sensitivities of both coils differ only
    // along x.
    for (size_t j = 0; j < SIZE; j++) {
        double r = ((double)j - SIZE / 2) / SIZE;

        sees[0][j] = 1 + r;
        sees[1][j] = (1 - r) * cexp(I * r);
        for (size_t i = 0; i < SIZE; i++)
            factor[i][j] = exp(-40 * r * r) * cexp(I * (-2 * M_PI * ((double)i - SIZE / 2) * r));
    }
    for (size_t m = 0; m < VOXELS; m++) {
        double complex across[2] = {0}, along[COILS] = {0};

        for (size_t axis = 0, rest = m; axis < 3; axis++, rest /= SIZE)
            k[3 * m + axis] = (double)(rest % SIZE) - SIZE / 2;
        for (size_t j = 0; j < SIZE; j++) {
            across[0] += factor[m / SIZE % SIZE][j];
            across[1] += factor[m / SIZE / SIZE][j];
            for (size_t c = 0; c < COILS; c++)
                along[c] += factor[m % SIZE][j] * sees[c][j];
        }
        for (size_t c = 0; c < COILS; c++)
            data[c * VOXELS + m] = along[c] * across[0] * across[1];
    }
    EXPECT_OK(ki_mri_maps_espirit(&scan, NULL, maps, &err));
    for (size_t n = 0; n < VOXELS; n++) {
        double x = (double)(n % SIZE), y = (double)(n / SIZE % SIZE), z = (double)(n / SIZE / SIZE), length;
        double complex product = 0;

        if (pow(x - SIZE / 2, 2) + pow(y - SIZE / 2, 2) + pow(z - SIZE / 2, 2) > 9)
            continue;
        length = hypot(cabs(sees[0][n % SIZE]), cabs(sees[1][n % SIZE]));
        for (size_t c = 0; c < COILS; c++)
            product += conj(maps[c * VOXELS + n]) * sees[c][n % SIZE] / length;
        worst = fmax(worst, 1 - cabs(product));
    }
    // The cosine of an angle of 0.1: patches are half as wide as the region, which truncates sensitivities.
    ck_assert_msg(worst < 5e-3, "a map is off by %g", worst);
    free(k);
    free(data);
    free(maps);
}
END_TEST

// A coil without signal, including the first one, has maps of 0, and the others have the same maps as without
// it.
START_TEST(dead_coil)
{
    struct measured m = measure(3, SIDE, SPOKES);
    size_t voxels = m.p.voxels, samples = m.p.samples;
    double complex *with = test_allocate(3 * voxels * sizeof *with),
                   *without = test_allocate(2 * voxels * sizeof *without);

    memset(m.data, 0, 2 * samples * sizeof *m.data);
    EXPECT_OK(ki_mri_maps_espirit(&m.scan, NULL, with, &err));
    m.scan.coils = 2;
    m.scan.data += 2 * samples;
    EXPECT_OK(ki_mri_maps_espirit(&m.scan, NULL, without, &err));
    for (size_t n = 0; n < voxels; n++) {
        ck_assert(with[n] == 0);
        ck_assert_double_lt(cabs(with[voxels + n] - without[n]), 1e-6);
        ck_assert_double_lt(cabs(with[2 * voxels + n] - without[voxels + n]), 1e-6);
    }
    free(with);
    free(without);
    free_measured(&m);
}
END_TEST

// ---- beside BART ----

// The samples of the mask: those that are not 0 in any coil.
static kn_recon_scan take_brain(const struct npy *kspace)
{
    const float *values = kspace->data; // real and imaginary parts
    size_t voxels = BART_SIZE_X * BART_SIZE_Y, count = 0;
    double *k = test_allocate(3 * voxels * sizeof *k);
    double complex *data = test_allocate(BART_COILS * voxels * sizeof *data);
    size_t *cells = test_allocate(voxels * sizeof *cells);

    for (size_t n = 0; n < voxels; n++) {
        bool has = false;

        for (size_t c = 0; c < BART_COILS; c++)
            has = has || values[2 * (c * voxels + n)] != 0;
        if (!has)
            continue;
        k[3 * count] = (double)(n % BART_SIZE_X) - BART_SIZE_X / 2;
        k[3 * count + 1] = (double)(n / BART_SIZE_X) - BART_SIZE_Y / 2;
        k[3 * count + 2] = 0;
        cells[count++] = n;
    }
    for (size_t c = 0; c < BART_COILS; c++)
        for (size_t m = 0; m < count; m++)
            data[c * count + m] = mri_complex((double)values[2 * (c * voxels + cells[m])],
                                              (double)values[2 * (c * voxels + cells[m]) + 1]);
    free(cells);
    return KN_INIT(kn_recon_scan, .matrix = {2, {BART_SIZE_X, BART_SIZE_Y, 1}}, .samples = count,
                   .coils = BART_COILS, .k = k, .data = (double *)data);
}

START_TEST(as_bart)
{
    size_t voxels = BART_SIZE_X * BART_SIZE_Y;
    char path[4200];
    struct npy kspace;
    kn_recon_scan scan;
    double complex *maps;

    if (!test_data_path("mri/bart-brain-cartesian/ksp.cfl", path, sizeof path))
        return;
    EXPECT_OK(cfl_read(path, &kspace, &err));
    scan = take_brain(&kspace);
    maps = test_allocate(BART_COILS * voxels * sizeof *maps);
    EXPECT_OK(ki_mri_maps_espirit(&scan, NULL, maps, &err));
    for (size_t i = 0; i < sizeof bart_maps / sizeof *bart_maps; i++) {
        const double complex *found = maps + bart_maps[i].y * BART_SIZE_X + bart_maps[i].x,
                             *bart = (const double complex *)bart_maps[i].maps;
        double complex factor = 0;

        for (size_t c = 0; c < BART_COILS; c++)
            factor += bart[c] * conj(found[c * voxels]);
        factor /= cabs(factor);
        for (size_t c = 0; c < BART_COILS; c++) {
            double apart = cabs(bart[c] - factor * found[c * voxels]);

            ck_assert_msg(apart < 1e-4, "voxel (%zu, %zu), coil %zu: %g from BART's", bart_maps[i].x,
                          bart_maps[i].y, c, apart);
        }
    }
    free(maps);
    free((double *)scan.k);
    free((double *)scan.data);
    npy_free(&kspace);
}
END_TEST

// The image with estimated maps equals that with known maps, times their magnitude, within the accuracy of
// the maps.
static void expect_image(kn_recon_sense sense)
{
    struct measured m = measure(4, SIDE, SPOKES);
    kn_recon_solve_options options =
        KN_INIT(kn_recon_solve_options, .kernel = KN_RECON_KERNEL_HOST_DOUBLE, .iterations = 20,
                .lambda = 1e-3, .relative_lambda = true, .sense = sense);
    kn_recon_solution *found = NULL, *known = NULL;
    double *expected = test_allocate(2 * m.p.voxels * sizeof *expected);
    kn_recon_quality quality;

    EXPECT_OK(kn_recon_solve(NULL, &m.scan, &options, &found, &err));
    for (size_t n = 0; n < m.p.voxels; n++) {
        double squares = 0;

        for (size_t c = 0; c < m.coils; c++)
            squares += pow(cabs(((double complex *)m.maps)[c * m.p.voxels + n]), 2);
        for (size_t c = 0; c < m.coils; c++)
            ((double complex *)m.maps)[c * m.p.voxels + n] /= sqrt(squares);
    }
    options.sense = KN_RECON_SENSE_MAPS;
    options.maps = m.maps;
    EXPECT_OK(kn_recon_solve(NULL, &m.scan, &options, &known, &err));
    for (size_t n = 0; n < m.p.voxels; n++) {
        const double *image = kn_recon_solution_get_image(found) + 2 * n;

        expected[2 * n] = hypot(image[0], image[1]);
        expected[2 * n + 1] = 0;
    }
    EXPECT_OK(kn_recon_compare(expected, kn_recon_solution_get_image(known), m.p.voxels, true, false,
                               &quality, &err));
    ck_assert_msg(quality.error_percent < 5, "the image is off by %g %%", quality.error_percent);
    free(expected);
    kn_recon_solution_free(found);
    kn_recon_solution_free(known);
    free_measured(&m);
}

START_TEST(images)
{
    expect_image(KN_RECON_SENSE_LOWRES);
    expect_image(KN_RECON_SENSE_ESPIRIT);
}
END_TEST

// The choice of KN_RECON_SENSE_AUTO for scans whose centre is dense over more and fewer cycles.
START_TEST(chosen)
{
    static const struct {
        size_t coils, spokes;
        kn_recon_sense sense;
        const char *why;
    } rows[] = {
        {1, SPOKES, KN_RECON_SENSE_NONE, "there is one coil"},
        {2, 2, KN_RECON_SENSE_NONE, "no centre of k-space is dense enough to estimate maps from"},
        {2, 8, KN_RECON_SENSE_LOWRES, "samples are dense within fewer than the 8 cycles that ESPIRiT needs"},
        {2, SPOKES, KN_RECON_SENSE_ESPIRIT, "the centre of k-space is dense"},
        {28, SPOKES, KN_RECON_SENSE_ESPIRIT, "the centre of k-space is dense"},
        {29, SPOKES, KN_RECON_SENSE_LOWRES, "ESPIRiT of that many coils and axes takes long"}};
    kn_recon_solve_options options = KN_INIT(kn_recon_solve_options, .kernel = KN_RECON_KERNEL_HOST_DOUBLE);

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct measured m = measure(rows[i].coils, SIDE, rows[i].spokes);
        kn_recon_solution *solution = NULL;
        kn_recon_sense sense;
        const char *why;

        EXPECT_OK(kn_recon_sense_choose(&m.scan, KN_RECON_METHOD_LEAST_SQUARES, &sense, &why, &err));
        ck_assert_int_eq(sense, rows[i].sense);
        ck_assert_str_eq(why, rows[i].why);
        EXPECT_OK(kn_recon_sense_choose(&m.scan, KN_RECON_METHOD_GRIDDING, &sense, NULL, &err));
        ck_assert_int_eq(sense, KN_RECON_SENSE_NONE);
        if (i == 2) {
            EXPECT_OK(kn_recon_solve(NULL, &m.scan, &options, &solution, &err));
            ck_assert_int_eq(kn_recon_solution_get_sense(solution), rows[i].sense);
            ck_assert_str_eq(kn_recon_solution_get_sense_why(solution), rows[i].why);
            kn_recon_solution_free(solution);
            options.start = m.p.image;
            EXPECT_REFUSED(KN_ERROR_ARGUMENT, "a start of several coils is one image or one for each",
                           kn_recon_solve(NULL, &m.scan, &options, &solution, &err));
            options.start = NULL;
            options.maps = m.maps;
            EXPECT_OK(kn_recon_solve(NULL, &m.scan, &options, &solution, &err));
            ck_assert_int_eq(kn_recon_solution_get_sense(solution), KN_RECON_SENSE_MAPS);
            kn_recon_solution_free(solution);
        }
        free_measured(&m);
    }
    // With few partitions there are no adjacent patches along them.
    const kn_recon_scan slab = KN_INIT(kn_recon_scan, .matrix = {3, {32, 32, 4}}, .samples = 1, .coils = 2);
    kn_recon_sense sense;
    const char *why;

    EXPECT_OK(ki_mri_sense_choose(&slab, KN_RECON_METHOD_LEAST_SQUARES, &sense, &why, &err));
    ck_assert_int_eq(sense, KN_RECON_SENSE_LOWRES);
    ck_assert_int_eq(kn_recon_solution_get_sense(NULL), KN_RECON_SENSE_AUTO);
    ck_assert_ptr_null(kn_recon_solution_get_sense_why(NULL));
}
END_TEST

static bool stop(void *data, double done)
{
    (void)data;
    (void)done;
    return false;
}

// kn_recon_sense_maps returns the maps of the reconstruction.
START_TEST(themselves)
{
    struct measured m = measure(2, SIDE, SPOKES), sparse = measure(2, SIDE, 2);
    double complex *maps = test_allocate(2 * m.p.voxels * sizeof *maps),
                   *same = test_allocate(2 * m.p.voxels * sizeof *same);
    const kn_recon_maps_options options = KN_INIT(kn_recon_maps_options, .progress = stop);

    EXPECT_OK(kn_recon_sense_maps(&m.scan, KN_RECON_SENSE_ESPIRIT, (double *)maps, NULL, &err));
    EXPECT_OK(ki_mri_maps_espirit(&m.scan, NULL, same, &err));
    ck_assert_mem_eq(maps, same, 2 * m.p.voxels * sizeof *maps);
    EXPECT_REFUSED(KN_ERROR_INTERRUPTED, "",
                   kn_recon_sense_maps(&m.scan, KN_RECON_SENSE_ESPIRIT, (double *)maps, &options, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "maps are made by KN_RECON_SENSE_LOWRES or KN_RECON_SENSE_ESPIRIT",
                   kn_recon_sense_maps(&m.scan, KN_RECON_SENSE_NONE, (double *)maps, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "there is no dense centre of k-space",
                   kn_recon_sense_maps(&sparse.scan, KN_RECON_SENSE_LOWRES, (double *)maps, NULL, &err));
    m.scan.data = NULL;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "data is NULL",
                   kn_recon_sense_maps(&m.scan, KN_RECON_SENSE_LOWRES, (double *)maps, NULL, &err));
    free(maps);
    free(same);
    free_measured(&m);
    free_measured(&sparse);
}
END_TEST

START_TEST(refused)
{
    struct measured sparse = measure(2, SIDE, 2), small = measure(2, SIDE, 8),
                    dark = measure(2, SIDE, SPOKES);
    kn_recon_solve_options options = KN_INIT(kn_recon_solve_options, .kernel = KN_RECON_KERNEL_HOST_DOUBLE,
                                             .sense = KN_RECON_SENSE_LOWRES);
    kn_recon_solution *const untouched = (kn_recon_solution *)&sparse, *solution = untouched;

    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "there is no dense centre of k-space to estimate sensitivities from",
                   kn_recon_solve(NULL, &sparse.scan, &options, &solution, &err));
    options.sense = KN_RECON_SENSE_ESPIRIT;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT,
                   "ESPIRiT needs a calibration region of at least 8 cycles along each axis",
                   kn_recon_solve(NULL, &small.scan, &options, &solution, &err));
    memset(dark.data, 0, 2 * dark.coils * dark.p.samples * sizeof *dark.data);
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "the samples about k = 0 are all 0",
                   kn_recon_solve(NULL, &dark.scan, &options, &solution, &err));
    ck_assert_ptr_eq(solution, untouched);
    options.sense = KN_RECON_SENSE_LOWRES;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "the samples about k = 0 are all 0",
                   kn_recon_solve(NULL, &dark.scan, &options, &solution, &err));
    free_measured(&sparse);
    free_measured(&small);
    free_measured(&dark);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {low_resolution, espirit, espirit_of_a_volume, dead_coil, as_bart,
                                  images,         chosen,  themselves,          refused};

    return TEST_RUN("maps of coils", CK_FORK_GETENV, tests);
}
