// SPDX-License-Identifier: Apache-2.0
// Times the host's NUFFT, and checks it against the exact sums at some voxels and samples.
//
//     bench/nufft [--matrix NX,NY[,NZ]] [--samples M] [--double] [--tolerance T]... [--threads N]
//
// 256 x 256 voxels and a million samples at random in the band, in single precision at 1e-2, 1e-4, 1e-5 and
// 1e-6. Columns: the tolerance; to prepare the plan, of adjoint and forward sum the seconds, medians, and
// samples a second with the plan's; and their errors there, in the 2-norm, relative.
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/mri/gridding/host_nufft.h"
#include "app/mri/reference.h"
#include "base/array.h"
#include "bench/bench.h"

enum { REPETITIONS = 5, CHECKED = 16, TOLERANCES = 16 };

struct bench {
    kn_recon_matrix matrix;
    size_t voxels, samples;
    double *k;
    double complex *data, *image, *image_out, *data_out;
    kn_error err;
};

static double uniform(uint64_t *seed)
{
    return (double)(int64_t)bench_random(seed) * 0x1p-63;
}

static double complex *random_numbers(size_t count, uint64_t *seed)
{
    double complex *numbers = bench_allocate((count + 1) * sizeof *numbers);

    for (size_t i = 0; i < count; i++) {
        double real = uniform(seed);

        numbers[i] = mri_complex(real, uniform(seed));
    }
    return numbers;
}

// At voxels spread over the image.
static double adjoint_error(const struct bench *b)
{
    double complex out[CHECKED], right[CHECKED];
    double positions[CHECKED][MRI_AXES];

    for (size_t i = 0; i < CHECKED; i++) {
        size_t n = i * (b->voxels - 1) / (CHECKED - 1), rest = n;

        out[i] = b->image_out[n];
        for (size_t axis = 0; axis < MRI_AXES; rest /= b->matrix.size[axis++])
            positions[i][axis] = ki_mri_position(rest % b->matrix.size[axis], b->matrix.size[axis]);
    }
    ki_mri_reference_adjoint_at(b->k, b->samples, b->data, NULL, positions[0], CHECKED, right);
    return ki_mri_quality(out, right, CHECKED, 1).error_percent / 100;
}

static double forward_error(struct bench *b)
{
    double complex right[CHECKED];

    bench_try(
        ki_mri_reference_forward(&b->matrix, b->k, CHECKED, b->image, KN_RECON_SCALE_NONE, right, &b->err),
        &b->err);
    return ki_mri_quality(b->data_out, right, CHECKED, 1).error_percent / 100;
}

static void run(struct bench *b, const struct mri_nufft_options *how, const kn_host_options *host)
{
    double seconds[3][REPETITIONS], medians[3];

    for (size_t i = 0; i < REPETITIONS; i++) {
        struct mri_host_nufft *nufft = NULL;
        double start = bench_seconds();

        bench_try(ki_mri_host_nufft_create(&b->matrix, b->k, b->samples, how, host, NULL, &nufft, &b->err),
                  &b->err);
        seconds[0][i] = bench_seconds() - start;
        for (size_t sum = 1; sum < 3; sum++) {
            start = bench_seconds();
            bench_try(sum == 1 ? ki_mri_host_nufft_adjoint(nufft, b->data, NULL, NULL, b->image_out, &b->err)
                               : ki_mri_host_nufft_forward(nufft, b->image, b->data_out, &b->err),
                      &b->err);
            seconds[sum][i] = bench_seconds() - start;
        }
        ki_mri_host_nufft_free(nufft);
    }
    for (size_t sum = 0; sum < 3; sum++)
        medians[sum] = bench_times_of(seconds[sum], REPETITIONS).median;
    printf("%-9g %8.4f   adjoint %8.4f %9.3g %8.2g   forward %8.4f %9.3g %8.2g\n", how->tolerance, medians[0],
           medians[1], (double)b->samples / (medians[0] + medians[1]), adjoint_error(b), medians[2],
           (double)b->samples / (medians[0] + medians[2]), forward_error(b));
}

static void make_problem(struct bench *b)
{
    uint64_t seed = 1;

    bench_try(ki_mri_matrix_count(&b->matrix, &b->voxels, &b->err), &b->err);
    b->k = bench_allocate((b->samples * MRI_AXES + 1) * sizeof *b->k);
    for (size_t i = 0; i < b->samples * MRI_AXES; i++)
        b->k[i] = uniform(&seed) * (double)b->matrix.size[i % MRI_AXES] / 2;
    b->data = random_numbers(b->samples, &seed);
    b->image = random_numbers(b->voxels, &seed);
    b->image_out = bench_allocate(b->voxels * sizeof *b->image_out);
    b->data_out = bench_allocate(b->samples * sizeof *b->data_out);
}

int main(int argc, char **argv)
{
    struct bench b = {.matrix = {2, {256, 256, 1}}, .samples = 1000000};
    struct mri_nufft_options how[TOLERANCES] = {{1e-2, false}, {1e-4, false}, {1e-5, false}, {1e-6, false}};
    kn_host_options host = KN_INIT(kn_host_options, .threads = 0);
    size_t count = 0;
    bool is_double = false;

    for (int i = 1; i < argc; i++) {
        bool has_value = i + 1 < argc;

        if (strcmp(argv[i], "--double") == 0)
            is_double = true;
        else if (strcmp(argv[i], "--samples") == 0 && has_value)
            b.samples = strtoull(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--threads") == 0 && has_value)
            host.threads = (unsigned)strtoul(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--tolerance") == 0 && has_value && count < TOLERANCES)
            how[count++].tolerance = strtod(argv[++i], NULL);
        else if (strcmp(argv[i], "--matrix") == 0 && has_value)
            b.matrix.axes = (size_t)sscanf(argv[++i], "%zu,%zu,%zu", &b.matrix.size[0], &b.matrix.size[1],
                                           &b.matrix.size[2]);
        else
            return fprintf(stderr, "nufft: what is %s? See bench/app/nufft.c\n", argv[i]), 2;
    }
    make_problem(&b);
    for (size_t i = 0; i < (count ? count : 4); i++) {
        how[i].is_double = is_double;
        run(&b, &how[i], &host);
    }
    free(b.k);
    free(b.data);
    free(b.image);
    free(b.image_out);
    free(b.data_out);
    return 0;
}
