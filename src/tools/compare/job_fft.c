// SPDX-License-Identifier: Apache-2.0
// kn_fft on n complex numbers in two dimensions, compared with a radix-2 transform in the host's widest type.
#include <complex.h>
#include <math.h>
#include <stdlib.h>

#include "jobs.h"

enum { INPUT, OUTPUT, WANTED }; // the columns; wanted: the spectrum, double complex

struct problem {
    double norm; // of the spectrum, its 2-norm
};

struct work {
    kn_fft_plan *plan;
};

// The sides: x is the longer one if n is not a square.
static size_t width(size_t n)
{
    size_t side = 1;

    while (side * side < n)
        side *= 2;
    return side;
}

static void cost(const struct compare_case *which, size_t n, struct compare_cost *cost)
{
    size_t bytes = 2 * n * kn_type_size(which->type);

    *cost = (struct compare_cost){.amount = 5.0 * (double)n * log2((double)n),
                                  .ceiling = 2.0 * (double)bytes,
                                  .flops = 5.0 * (double)n * log2((double)n),
                                  .bytes = 2.0 * (double)bytes,
                                  .memory = 3 * bytes,
                                  .largest = bytes};
}

// ---- the reference ----

// Radix 2, in place, on numbers that are first permuted into bit-reversed order.
static void transform_line(long double complex *line, const long double complex *roots, size_t n)
{
    for (size_t i = 0, reversed = 0; i < n; i++) {
        size_t bit = n / 2;

        if (i < reversed) {
            long double complex swapped = line[i];

            line[i] = line[reversed];
            line[reversed] = swapped;
        }
        while (bit && reversed & bit) {
            reversed ^= bit;
            bit /= 2;
        }
        reversed |= bit;
    }
    for (size_t half = 1; half < n; half *= 2)
        for (size_t start = 0; start < n; start += 2 * half)
            for (size_t i = 0; i < half; i++) {
                long double complex even = line[start + i],
                                    odd = line[start + i + half] * roots[i * (n / 2 / half)];

                line[start + i] = even + odd;
                line[start + i + half] = even - odd;
            }
}

// Transforms all lines of n numbers with a stride of `apart`; line l begins at first(l).
static kn_status transform_axis(double complex *data, size_t total, size_t n, size_t apart, kn_error *err)
{
    const long double turn = -2 * acosl(-1.0L);
    long double complex *line = NULL, *roots = NULL;
    kn_status status = job_memory(n * sizeof *line, &line, err);

    if (!status)
        status = job_memory(n * sizeof *roots, &roots, err);
    for (size_t i = 0; i < n && !status; i++)
        roots[i] =
            cosl(turn * (long double)i / (long double)n) + I * sinl(turn * (long double)i / (long double)n);
    for (size_t l = 0; l < total / n && !status; l++) {
        double complex *first = data + l / apart * apart * n + l % apart;

        for (size_t i = 0; i < n; i++)
            line[i] = first[i * apart];
        transform_line(line, roots, n);
        for (size_t i = 0; i < n; i++)
            first[i * apart] = (double complex)line[i];
    }
    free(line);
    free(roots);
    return status;
}

static double number(const void *data, kn_type type, size_t i)
{
    return type == KN_F32 ? (double)((const float *)data)[i] : ((const double *)data)[i];
}

static kn_status make(struct compare_problem *problem, kn_error *err)
{
    struct problem *own = problem->own;
    kn_type type = problem->which->type;
    size_t n = problem->n, x = width(n), bytes = 2 * n * kn_type_size(type);
    const void *input;
    double complex *wanted;
    kn_status status = job_column(problem, COMPARE_GIVEN, bytes, err);

    if (!status)
        status = job_column(problem, COMPARE_RESULT, bytes, err);
    if (!status)
        status = job_column(problem, COMPARE_REFERENCE, n * sizeof *wanted, err);
    if (status)
        return status;
    input = problem->columns[INPUT].data;
    wanted = problem->columns[WANTED].data;
    job_fill(problem->columns[INPUT].data, type, 2 * n, n);
    for (size_t i = 0; i < n; i++)
        wanted[i] = number(input, type, 2 * i) + I * number(input, type, 2 * i + 1);
    status = transform_axis(wanted, n, x, 1, err);
    if (!status)
        status = transform_axis(wanted, n, n / x, x, err);
    for (size_t i = 0; i < n && !status; i++)
        own->norm += creal(wanted[i] * conj(wanted[i]));
    own->norm = sqrt(own->norm);
    return status;
}

// ---- on the device ----

static kn_status enter(struct compare_work *work, kn_error *err)
{
    struct work *own = work->own;
    size_t n = work->problem->n;
    const kn_fft_shape shape = KN_INIT(kn_fft_shape, .rank = 2, .dims = {width(n), n / width(n)},
                                       .type = work->problem->which->type, .kind = KN_FFT_COMPLEX);

    return kn_fft_plan_create(work->queue, &shape, NULL, &own->plan, err);
}

static void leave(struct compare_work *work)
{
    struct work *own = work->own;

    kn_fft_plan_free(own->plan);
}

static kn_status run(struct compare_work *work, kn_error *err)
{
    struct work *own = work->own;

    return kn_fft_execute(work->queue, own->plan, KN_FFT_FORWARD, work->held[INPUT].buffer,
                          work->held[OUTPUT].buffer, err);
}

// koine/fft.h: the error is within 0.5 eps log2 n in the 2-norm.
static kn_status check(struct compare_work *work, kn_error *err)
{
    const struct problem *given = work->problem->own;
    const double complex *wanted = work->problem->columns[WANTED].data;
    kn_type type = work->problem->which->type;
    size_t n = work->problem->n;
    double squares = 0;
    void *out = NULL;
    kn_status status = job_read(work, OUTPUT, &out, err);

    for (size_t i = 0; i < n && !status; i++) {
        double complex difference = number(out, type, 2 * i) + I * number(out, type, 2 * i + 1) - wanted[i];

        squares += creal(difference * conj(difference));
    }
    work->error = sqrt(squares) / given->norm;
    work->bound = 0.5 * log2((double)n) * (type == KN_F32 ? 0x1p-24 : 0x1p-53);
    free(out);
    return status;
}

const struct compare_job compare_job_fft = {
    .name = "fft",
    .what = "transforms complex numbers in two dimensions",
    .size = "numbers",
    .unit = "GFLOP/s",
    .scale = 1e-9,
    .error_is = "relative, in the 2-norm",
    .cases = {{"f32", KN_F32, 0}, {"f64", KN_F64, 0}},
    .quick = {(size_t)1 << 16, (size_t)1 << 20},
    .full = {(size_t)1 << 16, (size_t)1 << 20, (size_t)1 << 22, (size_t)1 << 24},
    .ceiling = COMPARE_COPY,
    .problem_bytes = sizeof(struct problem),
    .work_bytes = sizeof(struct work),
    .cost = cost,
    .make = make,
    .enter = enter,
    .leave = leave,
    .run = run,
    .check = check,
};
