// SPDX-License-Identifier: Apache-2.0
// Tests the sums on a device, directly and as a product of matrices: every kernel against the reference in
// double precision, for sizes of all kinds, with and without everything optional; which kernel ran; real
// scans.
#include "support/buffers.h"
#include "support/run.h"
#include "sum_support.h"

#include <float.h>
#include <math.h>

#include "cli/inputs/mri_files.h"
#include "app/mri/reference.h"
#include "app/mri/sum/sum.h"
#include "base/array.h"
#include "io/array/cfl.h"
#include "io/array/parboil.h"

#define UNIT (FLT_EPSILON / 2)

// The error of sine and cosine of a reduced phase: 4 units for the language's functions; for NVIDIA's native
// ones the stated 2^-21.41 and 2^-21.19, which other devices do not promise.
static double trig_error(enum mri_kernel kernel)
{
    bool intel = strstr(kn_context_get_device(context)->vendor, "Intel") &&
                 kn_context_get_device(context)->type == KN_DEVICE_GPU;

    return kernel == MRI_SEPARABLE                          ? 2 * 0x1p-21 // two factors
           : kernel != MRI_FAST_TRIG && kernel != MRI_TUNED ? 8 * UNIT
           : intel && kernel == MRI_FAST_TRIG               ? 1e-3
                                                            : 0x1p-21;
}

// Of a voxel: each term's phase has the roundings of k, r, their product and two sums, of turns; or of a
// fraction of a turn two bits of 2^-24 and of k 2^-33 for each step of a matrix, far less. Reduced it has two
// more, of half a turn. Factors of mu and its product with the term have 10 roundings. Each sum of up to
// 4,096 floats has one for a term.
static double bound(const struct problem *p, enum mri_kernel kernel)
{
    double turns = 0, magnitude = 0, samples = (double)(p->sum.samples < 4096 ? p->sum.samples : 4096);

    for (size_t m = 0; m < p->sum.samples; m++) {
        double most = (fabs(p->k[3 * m]) + fabs(p->k[3 * m + 1]) + fabs(p->k[3 * m + 2])) / 2;

        turns = most > turns ? most : turns;
        magnitude += cabs(p->mu[m]);
    }
    if ((kernel == MRI_TUNED || kernel == MRI_SEPARABLE) && !p->sum.positions)
        turns = 1;
    return magnitude * (2 * M_PI * UNIT * (kernel == MRI_SEPARABLE ? 2 : 1) * (5 * turns + 2) +
                        trig_error(kernel) + (10 + samples) * UNIT) +
           1e-30;
}

// Runs a kernel and returns its result. Nothing after the image may be written.
static float *run(const struct problem *p, enum mri_kernel kernel, kn_recon_rate *rate)
{
    enum { ROOM = 64 };
    float *image = test_zeros(2 * p->count, sizeof *image);
    kn_buffer *buffer;

    memset(image, 0xff, p->count * 2 * sizeof *image); // not a number
    buffer = test_upload_with_room(image, p->count * 2 * sizeof *image, ROOM);
    EXPECT_OK(ki_mri_sum_device(queue, &p->sum, kernel, buffer, rate, &err));
    test_expect_poison(buffer, p->count * 2 * sizeof *image);
    EXPECT_OK(kn_buffer_read(queue, buffer, 0, image, p->count * 2 * sizeof *image, &err));
    kn_buffer_free(buffer);
    return image;
}

static void check(const struct problem *p, enum mri_kernel kernel)
{
    double most = bound(p, kernel);
    float *image = run(p, kernel, NULL);

    for (size_t n = 0; n < p->count; n++) {
        double error =
            hypot((double)image[2 * n] - creal(p->wanted[n]), (double)image[2 * n + 1] - cimag(p->wanted[n]));

        ck_assert_msg(error <= most,
                      "%s, %zu x %zu x %zu, %zu samples, voxel %zu of %zu: off by %g, bound %g",
                      ki_mri_kernel_names[kernel], p->sum.matrix.size[0], p->sum.matrix.size[1],
                      p->sum.matrix.size[2], p->sum.samples, n, p->count, error, most);
    }
    free(image);
}

// Unequal, odd, prime, single.
static const kn_recon_matrix matrices[] = {
    {2, {1, 1, 1}}, {2, {2, 3, 1}}, {2, {7, 5, 1}},   {2, {31, 1, 1}}, {3, {4, 4, 4}},
    {3, {3, 5, 2}}, {3, {1, 1, 7}}, {3, {33, 3, 11}}, {2, {1, 13, 1}},
};

START_TEST(all_kernels)
{
    static const size_t samples[] = {0, 1, 2, 3, 31, 32, 33, 127, 129, 300};
    uint64_t state = test_seed("all_kernels");

    for (size_t i = 0; i < KI_COUNT(matrices); i++)
        for (int kernel = 0; kernel < MRI_HOST_DOUBLE; kernel++) {
            size_t pick = (i + (size_t)kernel * 3) % KI_COUNT(samples);
            unsigned given = (unsigned)test_random(&state) % 8;
            struct problem p = make(&matrices[i], samples[pick], i % 2 ? DATA : given, &state);

            refer(&p);
            check(&p, (enum mri_kernel)kernel);
            p.sum.positions = kernel == MRI_SEPARABLE ? NULL : p.positions;
            refer(&p);
            check(&p, (enum mri_kernel)kernel);
            free_problem(&p);
        }
}
END_TEST

// Weights without data make mu real, for which there are separate kernels.
START_TEST(real_mu)
{
    uint64_t state = test_seed("real_mu");

    for (int kernel = 0; kernel < MRI_HOST_DOUBLE; kernel++)
        for (unsigned given = 0; given < 16; given += 2)
            if (!(given & BASIS) && (kernel != MRI_SEPARABLE || !(given & POSITIONS))) {
                struct problem p = make(&matrices[5], 77, given, &state);

                refer(&p);
                check(&p, (enum mri_kernel)kernel);
                free_problem(&p);
            }
}
END_TEST

// Data that stay on the device are not sent again: with other data, and without weights, the bits are those
// of a single sum.
START_TEST(there)
{
    uint64_t state = test_seed("there");

    for (int kernel = 0; kernel < MRI_HOST_DOUBLE; kernel++) {
        struct problem p = make(&matrices[5], 77, DATA | BASIS, &state);
        size_t bytes = p.count * 2 * sizeof(float);
        struct mri_there kept = {.buffers = {NULL}};
        float *alone = NULL, *found;

        for (size_t turn = 0; turn < 3; turn++) {
            p.sum.weights = turn > 0 ? p.weights : NULL;
            p.data[turn] *= 3;
            free(alone);
            p.sum.there = NULL;
            alone = run(&p, (enum mri_kernel)kernel, NULL);
            p.sum.there = &kept;
            found = run(&p, (enum mri_kernel)kernel, NULL);
            ck_assert_msg(!memcmp(found, alone, bytes), "%s, turn %zu: other numbers",
                          ki_mri_kernel_names[kernel], turn);
            free(found);
        }
        p.k[0] += 0.25; // not read
        p.weights[1] = 7;
        found = run(&p, (enum mri_kernel)kernel, NULL);
        ck_assert_mem_eq(found, alone, bytes);
        free(found);
        free(alone);
        ki_mri_there_free(&kept);
        free_problem(&p);
    }
}
END_TEST

// Any run of voxels can be computed separately.
START_TEST(slabs)
{
    uint64_t state = test_seed("slabs");

    for (int kernel = 0; kernel < MRI_HOST_DOUBLE; kernel++)
        for (size_t round = 0; round < 6; round++) {
            struct problem p = make(&matrices[round % 2 ? 7 : 5], 40,
                                    DATA | (round % 3 || kernel == MRI_SEPARABLE ? 0 : POSITIONS), &state);

            p.sum.first = test_random(&state) % p.voxels;
            p.sum.count = round == 5 ? 0 : 1 + test_random(&state) % (p.voxels - p.sum.first);
            p.count = p.sum.count ? p.sum.count : p.voxels - p.sum.first;
            refer(&p);
            check(&p, (enum mri_kernel)kernel);
            free_problem(&p);
        }
}
END_TEST

// More samples than one float accumulates, and more than a chunk of constant memory holds.
START_TEST(many_samples)
{
    static const kn_recon_matrix small = {2, {3, 2, 1}};
    uint64_t state = test_seed("many_samples");

    for (int kernel = 0; kernel < MRI_HOST_DOUBLE; kernel++) {
        struct problem p = make(&small, test_is_slow() ? 4100 : 9001, DATA, &state);

        refer(&p);
        check(&p, (enum mri_kernel)kernel);
        free_problem(&p);
    }
}
END_TEST

START_TEST(tunings)
{
    static const struct mri_tuning all[] = {
        {1, 4, 16, MRI_MEMORY_GLOBAL, 1, 1, MRI_TRIG_POLYNOMIAL, 1},
        {32, 8, 1, MRI_MEMORY_LOCAL, 7, 3, MRI_TRIG_ACCURATE, 3},
        {64, 3, 4, MRI_MEMORY_CONSTANT, 1, 2, MRI_TRIG_POLYNOMIAL, 5},
        {16, 1, 1, MRI_MEMORY_CONSTANT, 1, 1, MRI_TRIG_NATIVE, 1},
        {128, 2, 8, MRI_MEMORY_LOCAL, 64, 4, MRI_TRIG_NATIVE, 0},
        {8, 4, 1, MRI_MEMORY_GLOBAL, 1, 4, MRI_TRIG_ACCURATE, 2},
    };
    uint64_t state = test_seed("tunings");

    for (size_t t = 0; t < KI_COUNT(all); t++)
        for (size_t i = t % 3; i < KI_COUNT(matrices); i += test_is_slow() ? 5 : 3) {
            unsigned given = (unsigned)(test_random(&state) % 2 ? DATA : WEIGHTS) | (i < 3 ? POSITIONS : 0);
            struct problem p = make(&matrices[i], 1 + test_random(&state) % 150, given, &state);

            p.sum.tuning = &all[t];
            refer(&p);
            check(&p, MRI_TUNED);
            free_problem(&p);
        }
}
END_TEST

// Products in tiles of all kinds, with sizes that are not multiples of them: odd, even and larger than a
// tile.
START_TEST(tiles)
{
    static const struct mri_product all[] = {
        {4, 4, 4, 2, 2, MRI_TRIG_POLYNOMIAL, 1},   {8, 4, 2, 4, 2, MRI_TRIG_ACCURATE, 3},
        {2, 8, 4, 2, 2, MRI_TRIG_NATIVE, 0},       {32, 16, 8, 4, 8, MRI_TRIG_POLYNOMIAL, 2},
        {64, 64, 8, 4, 4, MRI_TRIG_POLYNOMIAL, 1},
    };
    static const kn_recon_matrix sizes[] = {
        {3, {16, 5, 3}}, {3, {9, 6, 2}}, {2, {65, 9, 1}}, {2, {140, 3, 1}}};
    uint64_t state = test_seed("tiles");

    for (size_t t = 0; t < KI_COUNT(all); t++)
        for (size_t i = 0; i < KI_COUNT(sizes); i++) {
            unsigned given = test_random(&state) % 2 ? DATA : WEIGHTS;
            struct problem p = make(&sizes[i], 1 + test_random(&state) % 150, given, &state);

            p.sum.first = test_random(&state) % 9;
            p.count = p.voxels - p.sum.first;
            p.sum.product = &all[t];
            refer(&p);
            check(&p, MRI_SEPARABLE);
            free_problem(&p);
        }
}
END_TEST

// Each name runs its own kernel, preceded by mri_mu.
START_TEST(what_ran)
{
    static const char *const functions[MRI_HOST_DOUBLE] = {
        "mri_naive",           "mri_register",  "mri_coalesced", "mri_constant",
        "mri_constant_struct", "mri_fast_trig", "mri_tuned",     "mri_separable",
    };
    uint64_t state = test_seed("what_ran");

    for (int kernel = 0; kernel < MRI_HOST_DOUBLE; kernel++) {
        struct problem p = make(&matrices[4], 20, DATA, &state);
        kn_recon_rate rate = {-1, -1, -1, -1};
        kn_profile_entry *entries;
        size_t count, own = 0;

        EXPECT_OK(kn_profile_start(queue, &err));
        free(run(&p, (enum mri_kernel)kernel, &rate));
        EXPECT_OK(kn_profile_stop(queue, &entries, &count, &err));
        ck_assert_uint_ge(count, 2);
        ck_assert_str_eq(entries[0].kernel, "mri_mu");
        for (size_t i = 1; i < count; i++) {
            own += strcmp(entries[i].kernel, functions[kernel]) == 0;
            ck_assert_msg(strcmp(entries[i].kernel, functions[kernel]) == 0 ||
                              (kernel >= MRI_TUNED && strcmp(entries[i].kernel, "mri_fold") == 0),
                          "%s: %s ran", ki_mri_kernel_names[kernel], entries[i].kernel);
        }
        ck_assert_uint_ge(own, 1);
        ck_assert_double_ge(rate.seconds, 0);
        ck_assert_double_eq(rate.pairs, 64 * 20);
        ck_assert_double_eq(rate.flops, 13 * rate.pairs);
        // The lecture's kernels: the naive one loads 12 numbers for each pair; those with constant memory
        // few.
        ck_assert_double_eq(rate.loads, (kernel == MRI_NAIVE                                 ? 12
                                         : kernel == MRI_REGISTER || kernel == MRI_COALESCED ? 5
                                                                                             : 5.0 / 64) *
                                                rate.pairs +
                                            7 * 64);
        kn_free(entries);
        free_problem(&p);
    }
}
END_TEST

START_TEST(not_a_number)
{
    uint64_t state = test_seed("not_a_number");

    for (int kernel = 0; kernel < MRI_HOST_DOUBLE; kernel++) {
        struct problem p = make(&matrices[2], 50, DATA, &state);
        float *image;

        p.data[test_random(&state) % 50] = kernel % 2 ? mri_complex(NAN, 0) : mri_complex(0, NAN);
        image = run(&p, (enum mri_kernel)kernel, NULL);
        for (size_t n = 0; n < 2 * p.count; n++)
            ck_assert_msg(isnan(image[n]), "%s: number %zu is %g", ki_mri_kernel_names[kernel], n,
                          (double)image[n]);
        free(image);
        free_problem(&p);
    }
}
END_TEST

START_TEST(refused)
{
    static const struct mri_product uneven = {30, 32, 8, 3, 4, MRI_TRIG_POLYNOMIAL, 0};
    static const struct mri_tuning wide = {64, 4, 3, MRI_MEMORY_GLOBAL, 1, 1, MRI_TRIG_NATIVE, 0};
    uint64_t state = test_seed("refused");
    struct problem p = make(&matrices[2], 5, DATA, &state);
    kn_buffer *image;

    EXPECT_OK(kn_buffer_create(context, 35 * 8, &image, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "NULL", ki_mri_sum_device(queue, &p.sum, MRI_NAIVE, NULL, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "kernel 9",
                   ki_mri_sum_device(queue, &p.sum, MRI_HOST_SINGLE, image, NULL, &err));
    p.sum.tuning = &wide;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "vectors of 3",
                   ki_mri_sum_device(queue, &p.sum, MRI_TUNED, image, NULL, &err));
    p.sum.product = &uneven;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "3 x 4 a work-item",
                   ki_mri_sum_device(queue, &p.sum, MRI_SEPARABLE, image, NULL, &err));
    p.sum.positions = p.positions;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "kernel separable is for the matrix's alone",
                   ki_mri_sum_device(queue, &p.sum, MRI_SEPARABLE, image, NULL, &err));
    p.sum.positions = NULL;
    p.sum.count = 35;
    p.sum.first = 1;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "voxels 1 to 36",
                   ki_mri_sum_device(queue, &p.sum, MRI_NAIVE, image, NULL, &err));
    p.sum.first = 0;
    p.k[7] = NAN;
    EXPECT_REFUSED(KN_ERROR_INPUT, "sample 2 ",
                   ki_mri_sum_device(queue, &p.sum, MRI_NAIVE, image, NULL, &err));
    p.k[7] = 0;
    p.sum.matrix.size[2] = 2;
    p.sum.count = 0;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "70 voxels",
                   ki_mri_sum_device(queue, &p.sum, MRI_NAIVE, image, NULL, &err));
    p.sum.matrix.size[2] = 0;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "7 x 5 x 0",
                   ki_mri_sum_device(queue, &p.sum, MRI_NAIVE, image, NULL, &err));
    kn_buffer_free(image);
    free_problem(&p);
}
END_TEST

// An image in parts, with memory for only a few voxels and samples at a time.
START_TEST(in_parts)
{
    uint64_t state = test_seed("in_parts");

    for (int kernel = 0; kernel < MRI_HOST_DOUBLE; kernel++) {
        const kn_context_options options = KN_INIT(kn_context_options, .max_alloc = 4096);
        unsigned given = DATA | WEIGHTS | (kernel % 2 && kernel != MRI_SEPARABLE ? POSITIONS : 0);
        struct problem p = make(&matrices[7], 300, given, &state);

        test_close();
        test_open_with(&options);
        refer(&p);
        check(&p, (enum mri_kernel)kernel);
        free_problem(&p);
    }
}
END_TEST

// ---- real scans ----

static double relative_error(const float *image, const double complex *wanted, size_t count)
{
    double error = 0, energy = 0;

    for (size_t n = 0; n < count; n++) {
        double complex difference = mri_complex((double)image[2 * n], (double)image[2 * n + 1]) - wanted[n];

        error += creal(difference) * creal(difference) + cimag(difference) * cimag(difference);
        energy += creal(wanted[n]) * creal(wanted[n]) + cimag(wanted[n]) * cimag(wanted[n]);
    }
    return sqrt(error / energy);
}

// Each kernel against the result that others computed, and against the sum in double precision.
static void check_real(const char *what, const struct problem *p, double tuned)
{
    double complex *exact = test_zeros(p->count, sizeof *exact);

    EXPECT_OK(ki_mri_sum_host(&p->sum, MRI_HOST_DOUBLE, NULL, exact, NULL, &err));
    for (int kernel = test_is_slow() ? MRI_TUNED : 0;
         kernel < (p->sum.positions ? MRI_SEPARABLE : MRI_HOST_DOUBLE); kernel++) {
        float *image = run(p, (enum mri_kernel)kernel, NULL);
        double error = relative_error(image, p->wanted, p->count),
               own = relative_error(image, exact, p->count);

        fprintf(stderr, "%s: %s: relative error %.2g, and %.2g of the sum in double precision\n", what,
                ki_mri_kernel_names[kernel], error, own);
        ck_assert_double_le(error, kernel >= MRI_TUNED ? tuned : 5e-6);
        ck_assert_double_le(own, kernel >= MRI_TUNED ? tuned : 5e-6);
        free(image);
    }
    free(exact);
}

static bool read_cfl(const char *name, struct npy *array)
{
    char path[4200];

    if (!test_data_path(name, path, sizeof path))
        return false;
    EXPECT_OK(cfl_read(path, array, &err));
    return true;
}

// Q on the doubled grid. The reference has zeros in its first row and column.
static void check_q(const struct problem *p, enum mri_kernel kernel)
{
    float *image = run(p, kernel, NULL);
    double error = 0, energy = 0;

    for (size_t n = 0; n < p->count; n++) {
        double wanted = cabs(p->wanted[n]), re = (double)image[2 * n], im = (double)image[2 * n + 1];
        double off = hypot(re - creal(p->wanted[n]), im - cimag(p->wanted[n]));

        if (n >= 128 && n % 128 != 0) {
            error += off * off;
            energy += wanted * wanted;
        }
    }
    fprintf(stderr, "spiral: q: %s: relative error %.2g\n", ki_mri_kernel_names[kernel],
            sqrt(error / energy));
    ck_assert_double_le(sqrt(error / energy), 1e-6);
    free(image);
}

// A brain and one spiral: the adjoint that others computed in double precision; and Q on the doubled grid.
START_TEST(spiral)
{
    static const kn_recon_matrix matrix = {2, {64, 64, 1}}, doubled = {2, {128, 128, 1}};
    char path[4200];
    struct mri_trajectory trajectory;
    struct npy ksp, fhd, q;
    struct problem p = {.sum = {.matrix = matrix, .samples = 3770}, .voxels = 4096, .count = 4096};

    if (!test_data_path("mri/impatient-64x64x1/traj.cfl", path, sizeof path) ||
        !read_cfl("mri/impatient-64x64x1/ksp.cfl", &ksp) ||
        !read_cfl("mri/impatient-64x64x1/ref_fhd.cfl", &fhd) ||
        !read_cfl("mri/impatient-64x64x1/ref_q.cfl", &q))
        return;
    EXPECT_OK(mri_trajectory_read(path, &trajectory, &err));
    ck_assert_uint_eq(trajectory.samples, 3770);
    ck_assert_uint_eq(q.count, 128 * 128);
    p.data = test_zeros(3770, sizeof *p.data);
    p.wanted = test_zeros(128 * 128, sizeof *p.wanted);
    for (size_t m = 0; m < 3770; m++)
        p.data[m] = ((float complex *)ksp.data)[m];
    for (size_t n = 0; n < 4096; n++)
        p.wanted[n] = ((float complex *)fhd.data)[n];
    p.sum.k = trajectory.k;
    p.sum.data = p.data;
    check_real("spiral", &p, 1e-6);

    for (size_t i = 0; i < 3 * 3770; i++)
        trajectory.k[i] *= 2;
    p.sum.matrix = doubled;
    p.sum.data = NULL;
    p.voxels = p.count = 128 * 128;
    for (size_t n = 0; n < p.count; n++)
        p.wanted[n] = ((float complex *)q.data)[n];
    check_q(&p, MRI_TUNED);
    check_q(&p, MRI_SEPARABLE);
    free(p.data);
    free(p.wanted);
    free(trajectory.k);
    npy_free(&ksp);
    npy_free(&fhd);
    npy_free(&q);
}
END_TEST

// Parboil's small problem, read like Parboil does: its published Q, within its own tolerance (1e-4 of the
// largest number, or 0.2 %) and ours, at the reader's voxels; and Q in double precision.
START_TEST(parboil_small)
{
    char data_path[4200], path[4200];
    struct parboil data;
    struct npy q;
    struct problem p = {.count = 0};
    double largest = 0;
    float *image;

    if (test_is_slow() ||
        !test_data_path("mri/parboil-mri-q-small/32_32_32_dataset.bin", data_path, sizeof data_path) ||
        !test_data_path("mri/parboil-mri-q-small/32_32_32_dataset.out", path, sizeof path))
        return;
    EXPECT_OK(parboil_read(data_path, PARBOIL_PUBLISHED, &data, &err));
    EXPECT_OK(parboil_read_result(path, &q, &err));
    p.voxels = p.count = data.voxels;
    p.sum = (struct mri_sum){.matrix = {3, {32, 32, 32}}, .samples = data.samples};
    ck_assert_uint_eq(p.count, 32 * 32 * 32);
    p.k = test_zeros(3 * data.samples, sizeof *p.k);
    p.weights = test_zeros(data.samples, sizeof *p.weights);
    p.positions = test_zeros(3 * data.voxels, sizeof *p.positions);
    p.wanted = test_zeros(data.voxels, sizeof *p.wanted);
    for (size_t m = 0; m < data.samples; m++) {
        double re = (double)data.phi[0][m], im = (double)data.phi[1][m];

        for (size_t axis = 0; axis < 3; axis++)
            p.k[3 * m + axis] = (double)data.k[axis][m];
        p.weights[m] = re * re + im * im;
    }
    for (size_t n = 0; n < data.voxels; n++) {
        for (size_t axis = 0; axis < 3; axis++)
            p.positions[3 * n + axis] = (double)data.r[axis][n];
        p.wanted[n] = ((float complex *)q.data)[n];
        largest = fmax(largest, fmax(fabs(creal(p.wanted[n])), fabs(cimag(p.wanted[n]))));
    }
    p.sum.k = p.k;
    p.sum.weights = p.weights;
    p.sum.positions = p.positions;
    check_real("parboil", &p, 5e-6);
    image = run(&p, MRI_TUNED, NULL);
    for (size_t n = 0; n < p.count; n++)
        for (size_t part = 0; part < 2; part++) {
            double wanted = part ? cimag(p.wanted[n]) : creal(p.wanted[n]);

            ck_assert_double_le(fabs((double)image[2 * n + part] - wanted),
                                fmax(1e-4 * largest, 0.002 * fabs(wanted)));
        }
    free(image);
    free_problem(&p);
    parboil_free(&data);
    npy_free(&q);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {all_kernels, real_mu, there,        slabs,        many_samples,
                                  tunings,     tiles,   what_ran,     not_a_number, refused,
                                  in_parts,    spiral,  parboil_small};

    return test_run("mri sum", tests, sizeof tests / sizeof *tests, test_open, test_close);
}
