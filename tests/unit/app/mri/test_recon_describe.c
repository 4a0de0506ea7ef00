// SPDX-License-Identifier: Apache-2.0
// Tests the functions of koine/recon.h without plans: trajectories by their formulas, density compensation,
// phantoms, names, and estimates of memory.
#include "recon_api_support.h"

#include <koine/koine.h>

// ---- trajectories ----

static double frac(double x)
{
    return x - floor(x);
}

// Sample j of spoke s in partition p, as the header defines it.
static void place(const kn_recon_trajectory *t, size_t j, size_t s, size_t p, double k[3])
{
    const double pi = acos(-1), n = (double)t->extent,
                 along = ((double)j - floor((double)t->samples / 2)) * n / (double)t->samples;
    double angle = pi * (double)s / (double)t->spokes, radius = along, u, height;

    k[2] = 0;
    switch (t->kind) {
    case KN_RECON_TRAJECTORY_GOLDEN:
        angle = (double)s * pi * (sqrt(5) - 1) / 2;
        break;
    case KN_RECON_TRAJECTORY_SPIRAL:
        u = sqrt((double)j / (double)t->samples);
        radius = n / 2 * u;
        angle = 2 * pi * (n / (2 * (double)t->spokes) * u + (double)s / (double)t->spokes);
        break;
    case KN_RECON_TRAJECTORY_KOOSHBALL: // the real root of x^3 + x = 1, and its square
        height = frac((double)s * 0.6823278038280193 * 0.6823278038280193);
        angle = 2 * pi * frac((double)s * 0.6823278038280193);
        radius = along * sqrt(1 - height * height);
        k[2] = along * height;
        break;
    case KN_RECON_TRAJECTORY_STACK:
        k[2] = (double)p - floor((double)t->partitions / 2);
        break;
    case KN_RECON_TRAJECTORY_CARTESIAN:
        k[0] = along;
        k[1] = (double)s - floor((double)t->spokes / 2);
        k[2] = (double)p - floor((double)t->partitions / 2);
        return;
    case KN_RECON_TRAJECTORY_RADIAL:
        break;
    }
    k[0] = radius * cos(angle);
    k[1] = radius * sin(angle);
}

START_TEST(trajectories)
{
    static const kn_recon_trajectory given[] = {
        {.kind = KN_RECON_TRAJECTORY_RADIAL, .samples = 9, .spokes = 4},
        {.kind = KN_RECON_TRAJECTORY_GOLDEN, .samples = 8, .spokes = 30, .extent = 5},
        {.kind = KN_RECON_TRAJECTORY_SPIRAL, .extent = 12, .spokes = 3},
        {.kind = KN_RECON_TRAJECTORY_KOOSHBALL, .extent = 7, .spokes = 40},
        {.kind = KN_RECON_TRAJECTORY_STACK, .extent = 6, .spokes = 5, .partitions = 3},
        {.kind = KN_RECON_TRAJECTORY_CARTESIAN, .extent = 5, .samples = 10, .partitions = 2},
    };

    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        kn_recon_trajectory settled = given[i], open = given[i];
        kn_recon_matrix matrix = {0, {0, 0, 0}};
        size_t samples = 0, all;
        double *k, *again;

        settled.struct_size = open.struct_size = sizeof settled;
        EXPECT_OK(kn_recon_trajectory_settle(&settled, &matrix, &samples, &err));
        ck_assert(settled.samples && settled.spokes && settled.partitions && settled.extent);
        all = settled.partitions * settled.spokes * settled.samples;
        ck_assert_uint_eq(samples, all);
        ck_assert_uint_eq(matrix.size[0], settled.extent);
        ck_assert_uint_eq(matrix.axes, i < 3 ? 2 : 3);
        ck_assert_uint_eq(matrix.size[2], i == 3 ? settled.extent : settled.partitions);
        k = test_poisoned(3 * samples * sizeof *k + API_ROOM);
        again = test_poisoned(3 * samples * sizeof *again);
        EXPECT_OK(kn_recon_trajectory_fill(&settled, samples, k, &err));
        EXPECT_OK(kn_recon_trajectory_fill(&open, samples, again, &err)); // fills in the defaults
        ck_assert_int_eq(memcmp(k, again, 3 * samples * sizeof *k), 0);
        for (size_t m = 0; m < samples; m++) {
            double wanted[3];

            place(&settled, m % settled.samples, m / settled.samples % settled.spokes,
                  m / settled.samples / settled.spokes, wanted);
            for (size_t axis = 0; axis < 3; axis++)
                ck_assert_msg(fabs(k[3 * m + axis] - wanted[axis]) < 1e-9,
                              "%s, sample %zu, axis %zu: %.17g instead of %.17g",
                              kn_recon_trajectory_name(settled.kind), m, axis, k[3 * m + axis], wanted[axis]);
        }
        for (size_t j = 0; j < API_ROOM; j++)
            ck_assert_int_eq(((const unsigned char *)(k + 3 * samples))[j], 0xff);
        free(k);
        free(again);
    }
}
END_TEST

START_TEST(refused_trajectories)
{
    kn_recon_trajectory t = KN_INIT(kn_recon_trajectory, .samples = 4, .spokes = 3), kept = t;
    kn_recon_matrix matrix = {2, {8, 4, 0}};
    size_t samples = 77;
    double k[36] = {1, 2, 0, 0.5};

    EXPECT_OK(kn_recon_trajectory_settle(&t, NULL, NULL, &err));
    t = kept;
#define REFUSED(status, words, name, ...) EXPECT_REFUSED(status, #name ": " words, name(__VA_ARGS__, &err))
    REFUSED(KN_ERROR_ARGUMENT, "trajectory is NULL", kn_recon_trajectory_settle, NULL, &matrix, &samples);
    t.kind = (kn_recon_trajectory_kind)6;
    REFUSED(KN_ERROR_ARGUMENT, "there is no trajectory 6", kn_recon_trajectory_settle, &t, &matrix, &samples);
    t.kind = KN_RECON_TRAJECTORY_SPIRAL;
    t.partitions = 2;
    REFUSED(KN_ERROR_ARGUMENT, "a spiral trajectory has no partitions", kn_recon_trajectory_settle, &t,
            &matrix, &samples);
    t = kept;
    t.spokes = SIZE_MAX / 4;
    REFUSED(KN_ERROR_ARGUMENT, "1 partitions of ", kn_recon_trajectory_settle, &t, &matrix, &samples);
    t = kept;
    t.struct_size = 0;
    REFUSED(KN_ERROR_ARGUMENT, "the kn_recon_trajectory has a struct_size of 0", kn_recon_trajectory_settle,
            &t, &matrix, &samples);
    t = kept;
    REFUSED(KN_ERROR_ARGUMENT, "k is NULL", kn_recon_trajectory_fill, &t, 12, NULL);
    REFUSED(KN_ERROR_ARGUMENT, "11 samples, but the trajectory has 12", kn_recon_trajectory_fill, &t, 11, k);
    REFUSED(KN_ERROR_ARGUMENT, "matrix is NULL", kn_recon_trajectory_convert, KN_RECON_UNIT_FOV, NULL, 2, k);
    REFUSED(KN_ERROR_ARGUMENT, "there is no unit 3", kn_recon_trajectory_convert, (kn_recon_unit)3, &matrix,
            2, k);
    ck_assert(samples == 77 && matrix.size[0] == 8 && k[0] == 1 && k[3] == 0.5);
    EXPECT_OK(kn_recon_trajectory_convert(KN_RECON_UNIT_NORMALIZED, &matrix, 2, k, &err));
    ck_assert(k[0] == 8 && k[1] == 8 && k[2] == 0 && k[3] == 4);
    EXPECT_OK(kn_recon_trajectory_convert(KN_RECON_UNIT_RADIANS, &matrix, 1, k, &err));
    ck_assert(fabs(k[0] - 64 / (2 * acos(-1))) < 1e-12);
}
END_TEST

// ---- weights and bases ----

// A full Cartesian grid has weights of 1/voxels everywhere with Pipe and Menon's method; the ramp's add up to
// the disc.
START_TEST(weights)
{
    kn_recon_trajectory lines =
                            KN_INIT(kn_recon_trajectory, .kind = KN_RECON_TRAJECTORY_CARTESIAN, .extent = 16),
                        spokes = KN_INIT(kn_recon_trajectory, .extent = 16);
    const kn_recon_weights_options unsized = {.struct_size = 0};
    kn_recon_matrix matrix, plane;
    size_t samples, diameters;
    double *k, *found, sum = 0, furthest = 0;

    EXPECT_OK(kn_recon_trajectory_settle(&lines, &matrix, &samples, &err));
    EXPECT_OK(kn_recon_trajectory_settle(&spokes, &plane, &diameters, &err));
    k = test_allocate(3 * (samples + diameters) * sizeof *k);
    found = test_poisoned((samples + diameters) * sizeof *found);
    EXPECT_OK(kn_recon_trajectory_fill(&lines, samples, k, &err));
    EXPECT_OK(kn_recon_weights(NULL, &matrix, k, samples, KN_RECON_DENSITY_NONE, found, NULL, &err));
    for (size_t m = 0; m < samples; m++)
        ck_assert_double_eq(found[m], 1);
    EXPECT_OK(kn_recon_weights(queue, &matrix, k, samples, KN_RECON_DENSITY_PIPE, found, NULL, &err));
    for (size_t m = 0; m < samples; m++)
        ck_assert_msg(fabs(found[m] * 256 - 1) < 0.05, "weight %zu is %g / 256", m, found[m] * 256);
    EXPECT_OK(kn_recon_trajectory_fill(&spokes, diameters, k, &err));
    EXPECT_OK(kn_recon_weights(NULL, &plane, k, diameters, KN_RECON_DENSITY_RAMP, found, NULL, &err));
    for (size_t m = 0; m < diameters; m++) {
        double radius = hypot(k[3 * m], k[3 * m + 1]);

        furthest = fmax(furthest, radius);
        sum += found[m];
        if (radius > 0)
            ck_assert_double_eq_tol(found[m] / found[0], radius / hypot(k[0], k[1]), 1e-12);
    }
    ck_assert_double_eq_tol(sum * 256, acos(-1) * furthest * furthest, 1e-9);
    EXPECT_OK(kn_recon_basis_box(&plane, k, 1, found, &err));
    ck_assert_double_eq_tol(found[0], 2 / acos(-1), 1e-12); // sinc(1/2), since k is on the band's edge
    ck_assert_double_eq(found[1], 0);
    found[0] = 5;
    REFUSED(KN_ERROR_UNSUPPORTED, "pipe computes its weights on a device", kn_recon_weights, NULL, &plane, k,
            4, KN_RECON_DENSITY_PIPE, found, NULL);
    REFUSED(KN_ERROR_ARGUMENT, "there is no density compensation 3", kn_recon_weights, NULL, &plane, k, 4,
            (kn_recon_density)3, found, NULL);
    REFUSED(KN_ERROR_ARGUMENT, "weights is NULL", kn_recon_weights, NULL, &plane, k, 4, KN_RECON_DENSITY_RAMP,
            NULL, NULL);
    REFUSED(KN_ERROR_ARGUMENT, "there are no samples", kn_recon_weights, NULL, &plane, k, 0,
            KN_RECON_DENSITY_RAMP, found, NULL);
    REFUSED(KN_ERROR_LIMIT, "18446744073709551615 samples", kn_recon_weights, NULL, &plane, k, SIZE_MAX,
            KN_RECON_DENSITY_RAMP, found, NULL);
    REFUSED(KN_ERROR_ARGUMENT, "the kn_recon_weights_options has a struct_size of 0", kn_recon_weights, NULL,
            &plane, k, 4, KN_RECON_DENSITY_RAMP, found, &unsized);
    REFUSED(KN_ERROR_ARGUMENT, "basis is NULL", kn_recon_basis_box, &plane, k, 4, NULL);
    k[10] = NAN;
    REFUSED(KN_ERROR_ARGUMENT, "ky of sample 3 is ", kn_recon_weights, NULL, &plane, k, 4,
            KN_RECON_DENSITY_NONE, found, NULL);
    REFUSED(KN_ERROR_ARGUMENT, "sample 3: ky is ", kn_recon_basis_box, &plane, k, 4, found);
    ck_assert_double_eq(found[0], 5);
    free(k);
    free(found);
}
END_TEST

// ---- phantoms ----

// The forward sum of a fine raster converges to the exact samples.
START_TEST(phantoms)
{
    static const kn_recon_matrix shapes[] = {{2, {40, 48, 0}}, {3, {20, 22, 24}}};
    uint64_t state = test_seed("phantoms");

    for (size_t s = 0; s < 2; s++) {
        struct problem p = random_problem(&shapes[s], 20, 0, &state);
        double *image = test_poisoned(p.voxels * sizeof *image + API_ROOM), *data = poisoned_pairs(p.samples);

        for (size_t i = 0; i < 3 * p.samples; i++)
            p.k[i] = fmod(p.k[i], 4); // where voxels are fine
        memset(p.k, 0, 3 * sizeof *p.k);
        EXPECT_OK(kn_recon_phantom_image(&p.matrix, 6, image, &err));
        for (size_t n = 0; n < p.voxels; n++) {
            ck_assert(image[n] > -1e-12 && image[n] < 1 + 1e-12);
            p.image[2 * n] = image[n];
            p.image[2 * n + 1] = 0;
        }
        ck_assert_double_eq(image[0], 0);
        for (size_t i = 0; i < API_ROOM; i++)
            ck_assert_int_eq(((const unsigned char *)(image + p.voxels))[i], 0xff);
        api_sum(&p, false, false, p.image, p.forward);
        EXPECT_OK(kn_recon_phantom_kspace(&p.matrix, p.k, p.samples, data, &err));
        expect_array(data, p.forward, p.samples, s ? 0.03 : 0.02, 0, "the phantom's samples");
        image[0] = 7;
        REFUSED(KN_ERROR_ARGUMENT, "a phantom of 0 points", kn_recon_phantom_image, &p.matrix, 0, image);
        REFUSED(KN_ERROR_ARGUMENT, "a phantom of 1025 points", kn_recon_phantom_image, &p.matrix, 1025,
                image);
        REFUSED(KN_ERROR_ARGUMENT, "image is NULL", kn_recon_phantom_image, &p.matrix, 1, NULL);
        REFUSED(KN_ERROR_ARGUMENT, "matrix is NULL", kn_recon_phantom_kspace, NULL, p.k, 5, image);
        REFUSED(KN_ERROR_ARGUMENT, "k is NULL", kn_recon_phantom_kspace, &p.matrix, NULL, 5, image);
        REFUSED(KN_ERROR_ARGUMENT, "data is NULL", kn_recon_phantom_kspace, &p.matrix, p.k, 5, NULL);
        p.k[4] = INFINITY;
        REFUSED(KN_ERROR_ARGUMENT, "ky of sample 1 is inf", kn_recon_phantom_kspace, &p.matrix, p.k, 5,
                image);
        ck_assert_double_eq(image[0], 7);
        free(image);
        free_problem(&p);
    }
}
END_TEST

// ---- memory ----

START_TEST(memory)
{
    static const double weight;
    const kn_recon_matrix matrix = {3, {64, 64, 64}}, large = {3, {1 << 20, 1 << 20, 1 << 19}};
    const kn_recon_options weighted = KN_INIT(kn_recon_options, .weights = &weight), // not read
        forward = KN_INIT(kn_recon_options, .normal = KN_RECON_NORMAL_FORWARD);
    const size_t voxels = 64 * 64 * 64, samples = 100000;
    kn_recon_memory host, device, more;

    EXPECT_OK(kn_recon_measure(NULL, &matrix, samples, NULL, &host, &err));
    EXPECT_OK(kn_recon_measure(queue, &matrix, samples, NULL, &device, &err));
    ck_assert_uint_eq(host.plan, 24 * samples);
    ck_assert_uint_eq(device.plan, 24 * samples);
    ck_assert_uint_eq(host.gridding, 0);
    ck_assert(host.sums >= 24 * (voxels + samples) && host.normal >= 8 * voxels * 24);
    // Images, the grid of twice 128 in each direction, its eigenvalues and those of the transform.
    ck_assert(device.sums > 16 * voxels + 8 * samples && device.normal > 8 * voxels * 12);
    ck_assert(device.gridding > 16 * 8 * voxels + 48 * samples);
    EXPECT_OK(kn_recon_measure(queue, &matrix, samples, &weighted, &more, &err));
    ck_assert_uint_eq(more.plan, 32 * samples);
    ck_assert_uint_eq(more.gridding - device.gridding, 12 * samples);
    EXPECT_OK(kn_recon_measure(queue, &matrix, samples, &forward, &more, &err));
    ck_assert_uint_eq(more.normal, more.sums + 8 * samples);
    ck_assert_uint_ne(more.normal, device.normal);
    EXPECT_OK(kn_recon_measure(NULL, &large, (size_t)1 << 50, &forward, &host, &err));
    EXPECT_OK(kn_recon_measure(queue, &large, (size_t)1 << 50, &forward, &device, &err));
    ck_assert(host.normal >= (size_t)24 << 59 && device.gridding == SIZE_MAX);
}
END_TEST

// ---- names ----

START_TEST(names)
{
    static const char *const kernels[] = {"auto",        "naive",           "register",  "coalesced",
                                          "constant",    "constant-struct", "fast-trig", "tuned",
                                          "host-double", "host-single"};

    for (unsigned i = 0; i < 10; i++)
        ck_assert_str_eq(kn_recon_kernel_name((kn_recon_kernel)i), kernels[i]);
    ck_assert_str_eq(kn_recon_trajectory_name(KN_RECON_TRAJECTORY_KOOSHBALL), "kooshball");
    ck_assert_str_eq(kn_recon_unit_name(KN_RECON_UNIT_NORMALIZED), "normalized");
    ck_assert_str_eq(kn_recon_density_name(KN_RECON_DENSITY_PIPE), "pipe");
    ck_assert_str_eq(kn_recon_normal_method_name(KN_RECON_NORMAL_FORWARD), "forward");
    ck_assert_ptr_null(kn_recon_kernel_name((kn_recon_kernel)10));
    ck_assert_ptr_null(kn_recon_trajectory_name((kn_recon_trajectory_kind)6));
    ck_assert_ptr_null(kn_recon_unit_name((kn_recon_unit)3));
    ck_assert_ptr_null(kn_recon_density_name((kn_recon_density)3));
    ck_assert_ptr_null(kn_recon_normal_method_name((kn_recon_normal_method)2));
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {trajectories, refused_trajectories, weights, phantoms, memory, names};

    return test_run("recon describe", tests, sizeof tests / sizeof *tests, test_open, test_close);
}
