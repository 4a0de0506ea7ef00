// SPDX-License-Identifier: Apache-2.0
// A fake cuFFT for the fake driver (fake.h), whose device memory is the host's: transforms of compact arrays
// in double precision by their definition, as cuFFT's manual describes them. A transform of a half spectrum
// with several axes overwrites the input, as cuFFT may.
#define _GNU_SOURCE // M_PIl
#include "fake.h"

#include <complex.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

enum { INVALID_PLAN = 1, INVALID_TYPE = 3, INVALID_VALUE = 4 };
enum { C2C = 0x29, R2C = 0x2a, C2R = 0x2c, Z2Z = 0x69, D2Z = 0x6a, Z2D = 0x6c };
enum { PLANS = 64 };

static struct plan {
    bool used;
    void *stream;
    int type, rank;
    long long n[3], batch; // slowest axis first
} plans[PLANS];            // indexed by handles; handle 0 is invalid

static _Atomic long injected;

#define MAY_FAIL(name)                                                                                       \
    do {                                                                                                     \
        int failure = fake_failure(#name, &injected);                                                        \
        if (failure)                                                                                         \
            return failure;                                                                                  \
    } while (0)

// The number of plans that were not destroyed.
int fake_cufft_plans(void)
{
    int count = 0;

    for (int i = 0; i < PLANS; i++)
        count += plans[i].used;
    return count;
}

int cufftGetVersion(int *version)
{
    *version = 12104;
    return 0;
}

int cufftCreate(int *plan)
{
    MAY_FAIL(cufftCreate);
    for (int i = 1; i < PLANS; i++)
        if (!plans[i].used) {
            plans[i] = (struct plan){.used = true};
            *plan = i;
            return 0;
        }
    return INVALID_PLAN;
}

int cufftDestroy(int plan)
{
    plans[plan].used = false;
    return 0;
}

int cufftSetStream(int plan, void *stream)
{
    MAY_FAIL(cufftSetStream);
    plans[plan].stream = stream;
    return 0;
}

int cufftMakePlanMany64(int plan, int rank, long long *n, long long *in_embed, long long in_stride,
                        long long in_distance, long long *out_embed, long long out_stride,
                        long long out_distance, int type, long long batch, size_t *work_bytes)
{
    struct plan *made = &plans[plan];

    (void)in_stride;
    (void)in_distance;
    (void)out_stride;
    (void)out_distance;
    MAY_FAIL(cufftMakePlanMany64);
    if (in_embed || out_embed || rank < 1 || rank > 3 || batch < 1)
        return INVALID_VALUE;
    made->type = type;
    made->rank = rank;
    made->batch = batch;
    for (int i = 0; i < rank; i++)
        made->n[i] = n[i];
    *work_bytes = 0;
    return 0;
}

// Transforms a line of n numbers with a distance of `stride`.
static void transform_line(long double complex *x, long long n, long long stride, int sign)
{
    long double complex *line = malloc((size_t)n * sizeof *line);

    for (long long i = 0; i < n; i++)
        line[i] = x[i * stride];
    for (long long k = 0; k < n; k++) {
        long double complex sum = 0;
        for (long long j = 0; j < n; j++)
            sum += line[j] * cexpl(sign * 2 * M_PIl * I * (long double)(j * k % n) / (long double)n);
        x[k * stride] = sum;
    }
    free(line);
}

// Transforms one axis of an array with `count` numbers in all.
static void transform_axis(long double complex *x, long long count, long long n, long long stride, int sign)
{
    for (long long i = 0; i < count; i++)
        if (i / stride % n == 0)
            transform_line(x + i, n, stride, sign);
}

static long double complex get(const void *at, bool fp64, bool real, long long i)
{
    if (real)
        return fp64 ? (long double)((const double *)at)[i] : (long double)((const float *)at)[i];
    return fp64 ? (long double complex)((const double complex *)at)[i]
                : (long double complex)((const float complex *)at)[i];
}

static void set(void *at, bool fp64, bool real, long long i, long double complex value)
{
    if (real && fp64)
        ((double *)at)[i] = (double)creall(value);
    else if (real)
        ((float *)at)[i] = (float)creall(value);
    else if (fp64)
        ((double complex *)at)[i] = (double complex)value;
    else
        ((float complex *)at)[i] = (float complex)value;
}

// The position of number i of the full array in the half spectrum of lines of n; -1 if it is not there.
static long long offset_of(bool half, long long n, long long i)
{
    if (!half)
        return i;
    return i % n <= n / 2 ? i / n * (n / 2 + 1) + i % n : -1;
}

// Fills in the other half of each line, after the other axes.
static void mirror(long double complex *x, long long count, long long n)
{
    for (long long i = 0; i < count; i++)
        if (i % n > n / 2)
            x[i] = conjl(x[i - i % n + n - i % n]);
}

static int execute(int handle, int type, void *in, void *out, int sign)
{
    const struct plan *plan = &plans[handle];
    bool fp64 = type == Z2Z || type == D2Z || type == Z2D, real_in = type == R2C || type == D2Z,
         real_out = type == C2R || type == Z2D;
    long long count = plan->batch, x_length = plan->n[plan->rank - 1], stride = 1;
    long double complex *x;

    if (!plan->used || !plan->stream)
        return INVALID_PLAN;
    if (plan->type != type)
        return INVALID_TYPE;
    for (int i = 0; i < plan->rank; i++)
        count *= plan->n[i];
    x = calloc((size_t)count, sizeof *x);
    for (long long i = 0; i < count; i++)
        if (offset_of(real_out, x_length, i) >= 0)
            x[i] = get(in, fp64, real_in, offset_of(real_out, x_length, i));
    for (long long i = 0; i < count && real_out && plan->rank > 1; i++)
        if (offset_of(true, x_length, i) >= 0)
            set(in, fp64, false, offset_of(true, x_length, i), NAN);
    for (int axis = plan->rank - 1; axis >= 0; stride *= plan->n[axis--])
        if (axis != plan->rank - 1 || !real_out)
            transform_axis(x, count, plan->n[axis], stride, sign);
    if (real_out) {
        mirror(x, count, x_length);
        transform_axis(x, count, x_length, 1, sign);
    }
    for (long long i = 0; i < count; i++)
        if (offset_of(real_in, x_length, i) >= 0)
            set(out, fp64, real_out, offset_of(real_in, x_length, i), x[i]);
    free(x);
    return 0;
}

#define COMPLEX(name, type)                                                                                  \
    int name(int plan, void *in, void *out, int direction)                                                   \
    {                                                                                                        \
        MAY_FAIL(name);                                                                                      \
        return execute(plan, type, in, out, direction);                                                      \
    }
#define REAL(name, type, sign)                                                                               \
    int name(int plan, void *in, void *out)                                                                  \
    {                                                                                                        \
        MAY_FAIL(name);                                                                                      \
        return execute(plan, type, in, out, sign);                                                           \
    }
COMPLEX(cufftExecC2C, C2C)
COMPLEX(cufftExecZ2Z, Z2Z)
REAL(cufftExecR2C, R2C, -1)
REAL(cufftExecD2Z, D2Z, -1)
REAL(cufftExecC2R, C2R, 1)
REAL(cufftExecZ2D, Z2D, 1)
