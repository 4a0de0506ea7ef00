// SPDX-License-Identifier: Apache-2.0
// Tomography with parallel rays, with and without local memory, and with fans on a device, computed on the
// fly: against a dense double projector, the transpose, large pictures, which kernels ran, the same bits,
// what is refused; and its least squares, also of the real tooth.h5.
#include "operator_support.h"

#include <float.h>

#include "support/sparse_reference.h"
#include "tools/solve/sinogram_files.h"
#include "app/sparse/solver/device/solver.h"
#include "unit/app/sparse/host/parallel_support.h"

static const kn_sparse_format formats[] = {KN_SPARSE_ON_THE_FLY, KN_SPARSE_ON_THE_FLY_LOCAL};

static float *random_vector(size_t n, uint64_t *state)
{
    float *x = malloc(n * sizeof *x + 1);

    ck_assert_ptr_nonnull(x);
    for (size_t i = 0; i < n; i++)
        x[i] = test_signed(state);
    return x;
}

// Of a sum of `steps` pairs of weights, of which `size` is the sum of |a x|, |x| <= 1: a weight is off by
// 2^-23 for the bits behind its position and by 3 roundings of at most 1, times 1.4143; each of the pair's
// two products and additions rounds once, and so does the factor at the end.
static double bound(size_t steps, double size)
{
    double roundings = 2 * (double)steps + 4;

    return 2 * (double)steps * 1.4143 * (0x1p-23 + 3 * 0x1p-24) + roundings * 0x1p-24 * size +
           (double)FLT_MIN;
}

static void check_direction(const struct sparse_parallel *geometry, const double *dense, bool transposed,
                            struct sparse_operator *const a[2], uint64_t *state)
{
    size_t rays = ki_sparse_parallel_rows(geometry), pixels = ki_sparse_parallel_columns(geometry);
    size_t columns = transposed ? rays : pixels, rows = transposed ? pixels : rays;
    float *x = random_vector(columns, state), *found[3];

    for (int i = 0; i < 3; i++)
        found[i] = test_apply(a[i % 2], transposed, x, columns, rows);
    for (size_t i = 0; i < rows; i++) {
        double sum = 0, size = 0;
        for (size_t j = 0; j < columns; j++) {
            double term = dense[transposed ? j * pixels + i : i * pixels + j] * (double)x[j];
            sum += term;
            size += fabs(term);
        }
        ck_assert_msg(fabs((double)found[0][i] - sum) <=
                          bound(transposed ? geometry->angles : geometry->size, size),
                      "%zu projections, %zu detectors, %zu x %zu, axis %g%s: element %zu is %.9g, not %.9g",
                      geometry->angles, geometry->detectors, geometry->size, geometry->size, geometry->axis,
                      transposed ? ", transposed" : "", i, (double)found[0][i], sum);
    }
    ck_assert_msg(memcmp(found[0], found[1], rows * sizeof **found) == 0, "other bits with local memory");
    ck_assert_msg(memcmp(found[0], found[2], rows * sizeof **found) == 0, "other bits again");
    for (int i = 0; i < 3; i++)
        free(found[i]);
    free(x);
}

static void check_geometry(const struct sparse_parallel *geometry, const struct sparse_tuning *tuning,
                           uint64_t *state)
{
    struct sparse_operator *a[2];
    double *dense = test_dense(geometry);

    for (int i = 0; i < 2; i++)
        EXPECT_OK(ki_sparse_operator_create_parallel(queue, geometry, formats[i], tuning, &a[i], &err));
    for (int transposed = 0; transposed < 2; transposed++)
        check_direction(geometry, dense, transposed, a, state);
    for (int i = 0; i < 2; i++)
        ki_sparse_operator_free(a[i]);
    free(dense);
}

START_TEST(ray_by_ray)
{
    static const struct sparse_tuning usual = {.items = 4}; // the tuning of large pictures
    uint64_t state = test_seed("ray_by_ray");

    for (int i = 0; i < (test_is_slow() ? 6 : 2 * TEST_GEOMETRIES); i++) {
        struct sparse_parallel geometry = test_geometry(test_geometries[i / 2]);

        if (i % 2)
            test_give_angles(&geometry, &state);
        check_geometry(&geometry, &usual, &state);
        ki_sparse_parallel_free(&geometry);
    }
}
END_TEST

// Other shapes of the same kernels.
START_TEST(tunings)
{
    static const struct sparse_tuning tried[] = {{.group = 64, .lanes = 8, .items = 3, .chunk = 700},
                                                 {.group = 96, .lanes = 3, .items = 4, .chunk = 1}};
    uint64_t state = test_seed("tunings");
    struct sparse_parallel geometry = test_geometry("parallel:14,83,71,30.25");

    if (test_is_slow())
        geometry = test_geometry("parallel:3,9,10");
    for (size_t i = 0; i < (test_is_slow() ? 1 : sizeof tried / sizeof *tried); i++)
        check_geometry(&geometry, &tried[i], &state);
}
END_TEST

// A fan's products on the fly, against the dense ones; A^T has a term for each detector that sees a pixel.
static void check_fan(const struct sparse_parallel *fan, const struct sparse_tuning *tuning, uint64_t *state)
{
    const size_t rays = ki_sparse_parallel_rows(fan), pixels = ki_sparse_parallel_columns(fan);
    struct sparse_operator *a = NULL;
    double *dense = test_dense(fan);

    EXPECT_OK(ki_sparse_operator_create_parallel(queue, fan, KN_SPARSE_AUTO, tuning, &a, &err));
    for (int transposed = 0; transposed < 2; transposed++) {
        const size_t columns = transposed ? rays : pixels, rows = transposed ? pixels : rays;
        float *x = random_vector(columns, state), *found = test_apply(a, transposed, x, columns, rows),
              *again = test_apply(a, transposed, x, columns, rows);

        ck_assert_int_eq((int)ki_sparse_operator_format(a, transposed), (int)KN_SPARSE_ON_THE_FLY);
        for (size_t i = 0; i < rows; i++) {
            double sum = 0, size = 0;
            size_t terms = 0;

            for (size_t j = 0; j < columns; j++) {
                double term = dense[transposed ? j * pixels + i : i * pixels + j] * (double)x[j];

                sum += term;
                size += fabs(term);
                terms += dense[transposed ? j * pixels + i : i * pixels + j] > 0;
            }
            // Half as many pairs; those whose weight a rounding makes 0 are in the one more for each view.
            ck_assert_msg(fabs((double)found[i] - sum) <=
                              bound(terms / 2 + (transposed ? fan->angles : fan->size), size),
                          "fan of %zu, %zu, %zu, %g, %g, axis %g%s%s: element %zu is %.9g, not %.9g",
                          fan->angles, fan->detectors, fan->size, fan->source, fan->detector, fan->axis,
                          fan->beam == KN_TOMOGRAPHY_FAN_FLAT ? ", flat" : ", curved",
                          transposed ? ", transposed" : "", i, (double)found[i], sum);
        }
        ck_assert_msg(memcmp(found, again, rows * sizeof *found) == 0, "other bits again");
        free(x);
        free(found);
        free(again);
    }
    ki_sparse_operator_free(a);
    free(dense);
}

START_TEST(fans)
{
    static const struct sparse_tuning usual = {.group = 0}, other = {.group = 64, .lanes = 8, .items = 3};
    uint64_t state = test_seed("fans");

    for (int i = 0; i < (test_is_slow() ? 6 : 2 * TEST_FANS); i++) {
        struct sparse_parallel fan = test_geometry(test_fans[i / 2]);

        if (i % 2) {
            fan.beam = KN_TOMOGRAPHY_FAN_CURVED;
            test_give_angles(&fan, &state);
        }
        check_fan(&fan, i % 4 == 3 ? &other : &usual, &state);
        ki_sparse_parallel_free(&fan);
    }
}
END_TEST

// <A x, y> = <x, A^T y> of a fan of usual shape: the weights are the same in both directions, to the bit.
START_TEST(transpose_of_fans)
{
    uint64_t state = test_seed("transpose_of_fans");

    for (int curved = 0; curved < 2; curved++) {
        struct sparse_parallel fan =
            test_geometry(test_is_slow() ? "fan:2,30,31,40,20" : "fan:11,401,300,450,300,190.3");
        const size_t rays = ki_sparse_parallel_rows(&fan), pixels = ki_sparse_parallel_columns(&fan);
        float *x = random_vector(pixels, &state), *y = random_vector(rays, &state), *ax, *aty;
        double left = 0, right = 0, square_ax = 0, square_y = 0;
        struct sparse_operator *a = NULL;

        fan.beam = curved ? KN_TOMOGRAPHY_FAN_CURVED : KN_TOMOGRAPHY_FAN_FLAT;
        test_give_angles(&fan, &state);
        EXPECT_OK(ki_sparse_operator_create_parallel(queue, &fan, KN_SPARSE_ON_THE_FLY, NULL, &a, &err));
        ax = test_apply(a, false, x, pixels, rays);
        aty = test_apply(a, true, y, rays, pixels);
        for (size_t i = 0; i < pixels; i++)
            right += (double)x[i] * (double)aty[i];
        for (size_t i = 0; i < rays; i++) {
            left += (double)ax[i] * (double)y[i];
            square_ax += (double)ax[i] * (double)ax[i];
            square_y += (double)y[i] * (double)y[i];
        }
        fprintf(stderr, "transpose_of_fans: off by %.2g of |A x| |y|\n",
                fabs(left - right) / sqrt(square_ax * square_y));
        ck_assert_double_le(fabs(left - right), 1e-6 * sqrt(square_ax * square_y));
        ki_sparse_operator_free(a);
        free(x);
        free(y);
        free(ax);
        free(aty);
        ki_sparse_parallel_free(&fan);
    }
}
END_TEST

// <A x, y> = <x, A^T y>, on the fly and with local memory (which have the same bits). Positions have as many
// bits far from the axis as near it, so that a large picture's sums are as near to those in double.
START_TEST(transpose)
{
    uint64_t state = test_seed("transpose");
    struct sparse_parallel geometry =
        test_geometry(test_is_slow() ? "parallel:2,30,31" : "parallel:5,1201,1100,530.7");
    size_t rays = ki_sparse_parallel_rows(&geometry), pixels = ki_sparse_parallel_columns(&geometry);
    float *x = random_vector(pixels, &state), *y = random_vector(rays, &state), *ax, *aty;
    double left = 0, right = 0, square_x = 0, square_aty = 0, off = 0, size = 0;
    double *exact = malloc(pixels * sizeof *exact), *wanted = malloc(rays * sizeof *wanted);
    struct sparse_operator *a;

    ck_assert(exact && wanted);
    test_give_angles(&geometry, &state);
    EXPECT_OK(
        ki_sparse_operator_create_parallel(queue, &geometry, KN_SPARSE_ON_THE_FLY_LOCAL, NULL, &a, &err));
    ax = test_apply(a, false, x, pixels, rays);
    aty = test_apply(a, true, y, rays, pixels);
    for (size_t i = 0; i < pixels; i++) {
        exact[i] = (double)x[i];
        right += (double)x[i] * (double)aty[i];
        square_x += (double)x[i] * (double)x[i];
        square_aty += (double)aty[i] * (double)aty[i];
    }
    EXPECT_OK(ki_sparse_parallel_multiply(&geometry, false, exact, wanted, 0, &err));
    for (size_t i = 0; i < rays; i++) {
        left += (double)ax[i] * (double)y[i];
        off += ((double)ax[i] - wanted[i]) * ((double)ax[i] - wanted[i]);
        size += wanted[i] * wanted[i];
    }
    fprintf(stderr, "transpose: off by %.2g of |x| |A^T y|; A x by %.2g of itself\n",
            fabs(left - right) / sqrt(square_x * square_aty), sqrt(off / size));
    ck_assert_double_le(fabs(left - right), 1e-6 * sqrt(square_x * square_aty));
    ck_assert_double_le(sqrt(off / size), sqrt(2 * (double)geometry.size + 4) * 0x1p-24);
    ki_sparse_operator_free(a);
    free(x);
    free(y);
    free(ax);
    free(aty);
    free(exact);
    free(wanted);
    ki_sparse_parallel_free(&geometry);
}
END_TEST

// Each format runs its own kernels; a stored one those of its matrix.
START_TEST(ran)
{
    static const struct {
        kn_sparse_format format;
        const char *kernels[2][2];
    } wanted[] = {
        {KN_SPARSE_ON_THE_FLY, {{"parallel_turn", "parallel_forward"}, {"parallel_scale", "parallel_back"}}},
        {KN_SPARSE_ON_THE_FLY_LOCAL, {{"parallel_forward_local"}, {"parallel_back_local"}}},
        {KN_SPARSE_SELL, {{"spmv_sell"}, {"spmv_sell"}}}};
    uint64_t state = test_seed("ran");
    struct sparse_parallel geometry = test_geometry("parallel:4,9,9");
    float *x = random_vector(81, &state), *first = NULL;

    for (size_t i = 0; i < 6; i++) {
        kn_sparse_format format = wanted[i / 2].format;
        bool transposed = i % 2;
        size_t rows = transposed ? 81 : 36, columns = transposed ? 36 : 81, count = 0;
        struct sparse_operator *a = NULL;
        kn_profile_entry *entries = NULL;
        float *y;

        EXPECT_OK(ki_sparse_operator_create_parallel(queue, &geometry, format, NULL, &a, &err));
        ck_assert_int_eq((int)ki_sparse_operator_format(a, transposed), (int)format);
        EXPECT_OK(kn_profile_start(queue, &err));
        y = test_apply(a, transposed, x, columns, rows);
        EXPECT_OK(kn_profile_stop(queue, &entries, &count, &err));
        ck_assert_uint_eq(count, wanted[i / 2].kernels[transposed][1] ? 2 : 1);
        for (size_t k = 0; k < count; k++)
            ck_assert_str_eq(entries[k].kernel, wanted[i / 2].kernels[transposed][k]);
        if (i == 0)
            first = y;
        for (size_t k = 0; k < rows && format == KN_SPARSE_SELL && !transposed; k++)
            ck_assert_double_eq_tol((double)y[k], (double)first[k], bound(9, 20));
        if (i > 0)
            free(y);
        kn_free(entries);
        ki_sparse_operator_free(a);
    }
    free(first);
    free(x);
}
END_TEST

// Chooses the faster of the formats on the fly, which is measured once.
START_TEST(automatic)
{
    struct sparse_parallel geometry = test_geometry("parallel:6,33,33");
    struct sparse_operator *first = NULL, *second = NULL;
    kn_profile_entry *entries = NULL;
    size_t count = 1;

    EXPECT_OK(ki_sparse_operator_create_parallel(queue, &geometry, KN_SPARSE_AUTO, NULL, &first, &err));
    EXPECT_OK(kn_profile_start(queue, &err));
    EXPECT_OK(ki_sparse_operator_create_parallel(queue, &geometry, KN_SPARSE_AUTO, NULL, &second, &err));
    EXPECT_OK(kn_profile_stop(queue, &entries, &count, &err));
    kn_free(entries);
    ck_assert_uint_eq(count, 0);
    for (int transposed = 0; transposed < 2; transposed++) {
        kn_sparse_format format = ki_sparse_operator_format(first, transposed);
        ck_assert(format == KN_SPARSE_ON_THE_FLY || format == KN_SPARSE_ON_THE_FLY_LOCAL);
        ck_assert_ptr_nonnull(strstr(ki_sparse_operator_why(first, transposed), "on-the-fly+local-memory"));
        ck_assert_int_eq((int)ki_sparse_operator_format(second, transposed), (int)format);
    }
    ki_sparse_operator_free(first);
    ki_sparse_operator_free(second);
}
END_TEST

// A few iterations against the same ones in double precision with the matrix: an iteration adds some
// roundings, and without convergence they do not grow by more than the condition of A^T A. Each format by its
// own launches.
START_TEST(least_squares)
{
    static const struct {
        kn_sparse_format format;
        unsigned launches;
    } tried[] = {{KN_SPARSE_ON_THE_FLY, 7}, {KN_SPARSE_ON_THE_FLY_LOCAL, 5}, {KN_SPARSE_CSR_VECTOR, 5}};
    enum { SIZE = 13, PIXELS = SIZE * SIZE, RAYS = 20 * 17 };
    const struct sparse_reference_options plain = {.iterations = 6};
    uint64_t state = test_seed("least_squares");
    struct sparse_parallel geometry = test_geometry("parallel:20,17,13,7.75");
    float *b = random_vector(RAYS, &state), *zero = calloc(PIXELS, sizeof *zero), x[PIXELS];
    double right[RAYS], wanted[PIXELS] = {0};
    struct sparse_matrix matrix;

    for (size_t i = 0; i < RAYS; i++)
        right[i] = (double)b[i];
    EXPECT_OK(ki_sparse_parallel_matrix(&geometry, &matrix, &err));
    EXPECT_OK(sparse_reference_solve(&matrix, right, &plain, wanted, NULL, &err));
    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++) {
        const struct cgnr_options options = {.iterations = 6};
        const struct sparse_storage storage = {.format = tried[i].format};
        struct cgnr_result result;
        struct sparse_solver *solver = NULL;
        kn_buffer *from = test_upload_with_room(b, RAYS * sizeof *b, 0);
        kn_buffer *to = test_upload_with_room(zero, sizeof x, TEST_ROOM);
        double off = 0, size = 0;

        EXPECT_OK(ki_sparse_solver_create_parallel(queue, &geometry, &storage, &options, &solver, &err));
        ck_assert(!ki_sparse_solver_is_fused(solver));
        EXPECT_OK(ki_cgnr_solve(queue, ki_sparse_solver_cgnr(solver), from, to, to, &result, &err));
        EXPECT_OK(kn_buffer_read(queue, to, 0, x, sizeof x, &err));
        test_expect_poison(to, sizeof x);
        ck_assert_uint_eq(result.launches_per_iteration, tried[i].launches);
        for (size_t j = 0; j < PIXELS; j++) {
            off += ((double)x[j] - wanted[j]) * ((double)x[j] - wanted[j]);
            size += wanted[j] * wanted[j];
        }
        ck_assert_msg(sqrt(off / size) < 1e-4, "%s: off by %g", ki_sparse_format_names[tried[i].format],
                      sqrt(off / size));
        free(result.history);
        ki_sparse_solver_free(solver);
        kn_buffer_free(from);
        kn_buffer_free(to);
    }
    ki_sparse_free(&matrix);
    free(b);
    free(zero);
}
END_TEST

// tooth.h5, binned to 80 detectors, on the fly. The residual after 5 iterations is that of the same ones in
// double precision, but for their roundings, a few 1e-7 each, times the condition of what 5 iterations see.
// Later single precision loses conjugacy, as it does with a stored matrix: 20 iterations come to what 18 to
// 20 in double do.
START_TEST(real_tooth)
{
    const struct sparse_sinogram_options read = {.bin = 8};
    const struct sparse_reference_options plain = {.iterations = 20};
    static const size_t iterations[] = {5, 20};
    struct sparse_sinogram sinogram;
    struct sparse_parallel geometry;
    struct sparse_matrix matrix;
    char path[4096];
    double history[21], norm = 0;
    kn_buffer *b, *x;

    if (test_is_slow() || !test_data_path("sparse/tooth.h5", path, sizeof path))
        return;
    kn_error reason = KN_ERROR_INIT;
    kn_status status = sparse_read_sinogram(path, &read, &sinogram, &reason);
    if (status == KN_ERROR_UNSUPPORTED) // a build without libhdf5
        return;
    ck_assert_msg(status == KN_OK, "%s", reason.text);
    geometry = (struct sparse_parallel){.angles = sinogram.angles,
                                        .detectors = sinogram.detectors,
                                        .size = sinogram.detectors,
                                        .axis = 36.5,
                                        .theta = sinogram.theta};
    sinogram.theta = NULL; // owned by the geometry now
    size_t rays = ki_sparse_parallel_rows(&geometry), pixels = ki_sparse_parallel_columns(&geometry);
    double *wanted = calloc(pixels, sizeof *wanted);
    float *right = malloc(rays * sizeof *right), *zero = calloc(pixels, sizeof *zero);
    ck_assert(wanted && right && zero);
    for (size_t i = 0; i < rays; i++) {
        right[i] = (float)sinogram.values[i];
        norm += sinogram.values[i] * sinogram.values[i];
    }
    EXPECT_OK(ki_sparse_parallel_matrix(&geometry, &matrix, &err));
    EXPECT_OK(sparse_reference_solve(&matrix, sinogram.values, &plain, wanted, history, &err));
    b = test_upload_with_room(right, rays * sizeof *right, 0);
    for (size_t i = 0; i < 2; i++) {
        const struct cgnr_options options = {.iterations = iterations[i], .gradient = -1};
        const struct sparse_storage storage = {.format = KN_SPARSE_ON_THE_FLY};
        struct sparse_solver *solver = NULL;
        struct cgnr_result result;
        double same = history[iterations[i]] / sqrt(norm), earlier = history[18] / sqrt(norm);

        x = test_upload_with_room(zero, pixels * sizeof *zero, TEST_ROOM);
        EXPECT_OK(ki_sparse_solver_create_parallel(queue, &geometry, &storage, &options, &solver, &err));
        EXPECT_OK(ki_cgnr_solve(queue, ki_sparse_solver_cgnr(solver), b, x, x, &result, &err));
        fprintf(stderr, "real_tooth: %zu iterations, relative residual %.6f, in double precision %.6f\n",
                iterations[i], result.residual, same);
        ck_assert_double_ge(result.residual, same * (1 - 1e-4));
        ck_assert_double_le(result.residual, i == 0 ? same * (1 + 1e-4) : earlier);
        free(result.history);
        ki_sparse_solver_free(solver);
        kn_buffer_free(x);
    }
    kn_buffer_free(b);
    ki_sparse_free(&matrix);
    ki_sparse_parallel_free(&geometry);
    sparse_sinogram_free(&sinogram);
    free(wanted);
    free(right);
    free(zero);
}
END_TEST

START_TEST(refused)
{
    const struct cgnr_options options = {.iterations = 1};
    const struct sparse_storage fused = {.launches = SPARSE_LAUNCHES_FUSED};
    struct sparse_solver *solver = NULL;
    struct sparse_parallel geometry = test_geometry("parallel:2,3,4");
    struct sparse_operator *a = NULL;

    EXPECT_REFUSED(
        KN_ERROR_ARGUMENT, "no sparse format 99",
        ki_sparse_operator_create_parallel(queue, &geometry, (kn_sparse_format)99, NULL, &a, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "launched apart",
                   ki_sparse_solver_create_parallel(queue, &geometry, &fused, &options, &solver, &err));
    geometry = test_geometry("fan:2,3,4,5,6");
    EXPECT_REFUSED(
        KN_ERROR_ARGUMENT, "a fan beam has on-the-fly",
        ki_sparse_operator_create_parallel(queue, &geometry, KN_SPARSE_ON_THE_FLY_LOCAL, NULL, &a, &err));
    geometry.source = 1;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "inside the object",
                   ki_sparse_operator_create_parallel(queue, &geometry, KN_SPARSE_AUTO, NULL, &a, &err));
    geometry = test_geometry("parallel:2,3,4");
    geometry.size = 0;
    EXPECT_REFUSED(
        KN_ERROR_ARGUMENT, "0 pixels",
        ki_sparse_operator_create_parallel(queue, &geometry, KN_SPARSE_ON_THE_FLY, NULL, &a, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "0 pixels",
                   ki_sparse_operator_create_parallel(queue, &geometry, KN_SPARSE_SELL, NULL, &a, &err));
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {ray_by_ray, tunings,   fans,          transpose,  transpose_of_fans,
                                  ran,        automatic, least_squares, real_tooth, refused};

    return test_run("parallel", tests, sizeof tests / sizeof *tests, test_open, test_close);
}
