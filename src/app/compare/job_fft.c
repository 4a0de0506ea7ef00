// SPDX-License-Identifier: Apache-2.0
// kn_fft on n complex numbers in two dimensions, held against a transform by radix 2 in the host's widest
// type.
#include <complex.h>
#include <math.h>
#include <stdlib.h>

#include "jobs.h"

struct problem {
    void *input;            // of the type, real and imaginary part
    double complex *wanted; // the spectrum
    double norm;            // its 2-norm
};

struct work {
    kn_buffer *in, *out;
    kn_fft_plan *plan;
};

// The sides: x is the longer one if n is no square.
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
                                  .memory = 3 * bytes,
                                  .largest = bytes};
}

// ---- the reference ----

// Radix 2, in place, after the numbers were put into the order of their indices' bits reversed.
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

// All lines of n numbers that are `apart`; line l begins at first(l).
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
    size_t n = problem->n, x = width(n);
    kn_status status = job_memory(2 * n * kn_type_size(type), &own->input, err);

    if (!status)
        status = job_memory(n * sizeof *own->wanted, &own->wanted, err);
    if (status)
        return status;
    job_fill(own->input, type, 2 * n, n);
    for (size_t i = 0; i < n; i++)
        own->wanted[i] = number(own->input, type, 2 * i) + I * number(own->input, type, 2 * i + 1);
    status = transform_axis(own->wanted, n, x, 1, err);
    if (!status)
        status = transform_axis(own->wanted, n, n / x, x, err);
    for (size_t i = 0; i < n && !status; i++)
        own->norm += creal(own->wanted[i] * conj(own->wanted[i]));
    own->norm = sqrt(own->norm);
    return status;
}

static void unmake(struct compare_problem *problem)
{
    struct problem *own = problem->own;

    free(own->input);
    free(own->wanted);
}

// ---- on the device ----

static kn_status enter(struct compare_work *work, kn_error *err)
{
    const struct problem *given = work->problem->own;
    struct work *own = work->own;
    size_t n = work->problem->n, bytes = 2 * n * kn_type_size(work->problem->which->type);
    const kn_fft_shape shape = {.rank = 2,
                                .dims = {width(n), n / width(n)},
                                .type = work->problem->which->type,
                                .kind = KN_FFT_COMPLEX};
    kn_status status = kn_fft_plan_create(work->queue, &shape, NULL, &own->plan, err);

    if (!status)
        status = job_buffer(work->queue, given->input, bytes, &own->in, err);
    return status ? status : job_buffer(work->queue, NULL, bytes, &own->out, err);
}

static void leave(struct compare_work *work)
{
    struct work *own = work->own;

    kn_buffer_free(own->in);
    kn_buffer_free(own->out);
    kn_fft_plan_free(own->plan);
}

static kn_status reset(struct compare_work *work, kn_error *err)
{
    struct work *own = work->own;
    const uint32_t poison = 0xffffffff; // not a number

    return kn_buffer_fill(work->queue, own->out, &poison, sizeof poison, 0, kn_buffer_size(own->out), NULL,
                          err);
}

static kn_status run(struct compare_work *work, kn_error *err)
{
    struct work *own = work->own;

    return kn_fft_execute(work->queue, own->plan, KN_FFT_FORWARD, own->in, own->out, err);
}

// koine/fft.h: in the 2-norm within 0.5 eps log2 n.
static kn_status check(struct compare_work *work, kn_error *err)
{
    const struct problem *given = work->problem->own;
    struct work *own = work->own;
    kn_type type = work->problem->which->type;
    size_t n = work->problem->n, bytes = kn_buffer_size(own->out);
    double squares = 0;
    void *out = NULL;
    kn_status status = job_memory(bytes, &out, err);

    if (!status)
        status = kn_buffer_read(work->queue, own->out, 0, out, bytes, err);
    for (size_t i = 0; i < n && !status; i++) {
        double complex difference =
            number(out, type, 2 * i) + I * number(out, type, 2 * i + 1) - given->wanted[i];

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
    .unmake = unmake,
    .enter = enter,
    .leave = leave,
    .reset = reset,
    .run = run,
    .check = check,
};
