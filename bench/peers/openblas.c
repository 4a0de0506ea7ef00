// SPDX-License-Identifier: Apache-2.0
// A peer on the host: OpenBLAS, products of square matrices. One line a measurement: peer, job, type, n,
// median, least and most in ms, separated by tabs.
//
//     cc -O2 -o openblas openblas.c -lopenblas && ./openblas [THREADS]
#include <cblas.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { REPETITIONS = 15, WARM_UPS = 2, LARGEST = 1024 };

// Other libraries' cblas.h does not have it.
extern void openblas_set_num_threads(int threads);

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

static void single(int n, const void *a, const void *b, void *c)
{
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, a, n, b, n, 0, c, n);
}

static void wide(int n, const void *a, const void *b, void *c)
{
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, a, n, b, n, 0, c, n);
}

static void complex_single(int n, const void *a, const void *b, void *c)
{
    const float one[] = {1, 0}, zero[] = {0, 0};

    cblas_cgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, one, a, n, b, n, zero, c, n);
}

static void complex_wide(int n, const void *a, const void *b, void *c)
{
    const double one[] = {1, 0}, zero[] = {0, 0};

    cblas_zgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, one, a, n, b, n, zero, c, n);
}

static const struct kind {
    const char *name;
    size_t parts, size; // of an element: numbers, and bytes of one
    void (*multiply)(int n, const void *a, const void *b, void *c);
} kinds[] = {{"float", 1, sizeof(float), single},
             {"double", 1, sizeof(double), wide},
             {"complex float", 2, sizeof(float), complex_single},
             {"complex double", 2, sizeof(double), complex_wide}};

static void *matrix(const struct kind *kind, int n)
{
    size_t count = (size_t)n * (size_t)n * kind->parts;
    void *data = malloc(count * kind->size);

    if (!data)
        exit(5);
    for (size_t i = 0; i < count; i++) {
        double value = (double)(i % 1013) / 1013 - 0.5;
        if (kind->size == sizeof(float))
            ((float *)data)[i] = (float)value;
        else
            ((double *)data)[i] = value;
    }
    return data;
}

static void multiply(const struct kind *kind, int n)
{
    void *a = matrix(kind, n), *b = matrix(kind, n), *c = matrix(kind, n);
    double ms[REPETITIONS];

    for (int i = -WARM_UPS; i < REPETITIONS; i++) {
        double start = now();
        kind->multiply(n, a, b, c);
        if (i >= 0)
            ms[i] = now() - start;
    }
    qsort(ms, REPETITIONS, sizeof *ms, compare);
    printf("OpenBLAS\tgemm\t%s\t%d\t%.5g\t%.5g\t%.5g\n", kind->name, n, ms[REPETITIONS / 2], ms[0],
           ms[REPETITIONS - 1]);
    fflush(stdout);
    free(a);
    free(b);
    free(c);
}

int main(int argc, char **argv)
{
    openblas_set_num_threads(argc > 1 ? atoi(argv[1]) : 1);
    for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++)
        for (int n = 256; n <= LARGEST; n *= 2)
            multiply(&kinds[kind], n);
    return 0;
}
