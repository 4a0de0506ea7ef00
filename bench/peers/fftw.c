// SPDX-License-Identifier: Apache-2.0
// A peer on the host: FFTW in single precision, planned with FFTW_MEASURE. One line a measurement: peer, job,
// type, n, median, least and most in ms, separated by tabs.
//
//     cc -O2 -o fftw fftw.c -lfftw3f_omp -lfftw3f -lm && ./fftw [THREADS]
#include <fftw3.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { REPETITIONS = 15, WARM_UPS = 2 };

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

static int compare(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

static void transform(const char *job, int rank, const int *dims, int batch)
{
    size_t length = 1, n;
    double ms[REPETITIONS];

    for (int i = 0; i < rank; i++)
        length *= (size_t)dims[i];
    n = length * (size_t)batch;
    fftwf_complex *in = fftwf_alloc_complex(n), *out = fftwf_alloc_complex(n);
    fftwf_plan plan = fftwf_plan_many_dft(rank, dims, batch, in, NULL, 1, (int)length, out, NULL, 1,
                                          (int)length, FFTW_FORWARD, FFTW_MEASURE);
    for (size_t i = 0; i < n; i++)
        in[i][0] = (float)(i % 1013) - 500, in[i][1] = (float)(i % 997) - 500;
    for (int i = -WARM_UPS; i < REPETITIONS; i++) {
        double start = now();
        fftwf_execute(plan);
        if (i >= 0)
            ms[i] = now() - start;
    }
    qsort(ms, REPETITIONS, sizeof *ms, compare);
    printf("FFTW\t%s\tcomplex float\t%zu\t%.5g\t%.5g\t%.5g\n", job, n, ms[REPETITIONS / 2], ms[0],
           ms[REPETITIONS - 1]);
    fflush(stdout);
    fftwf_destroy_plan(plan);
    fftwf_free(in);
    fftwf_free(out);
}

int main(int argc, char **argv)
{
    const struct {
        const char *job;
        int rank, dims[3], batch;
    } jobs[] = {
        {"256x256x256", 3, {256, 256, 256}, 1}, {"128x128x128", 3, {128, 128, 128}, 1},
        {"512x512", 2, {512, 512}, 1},          {"1024x2048", 2, {1024, 2048}, 1},
        {"1000x1750", 2, {1000, 1750}, 1},      {"1048576", 1, {1048576}, 1},
        {"2048 batched", 1, {2048}, 4096},
    };

    fftwf_init_threads();
    fftwf_plan_with_nthreads(argc > 1 ? atoi(argv[1]) : 1);
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++)
        transform(jobs[i].job, jobs[i].rank, jobs[i].dims, jobs[i].batch);
    return 0;
}
