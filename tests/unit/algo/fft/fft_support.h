// SPDX-License-Identifier: Apache-2.0
// What the tests of transforms share: the definition, summed in long double, and a run of a shape on the
// device that is compared with it.
#ifndef KN_TESTS_UNIT_ALGO_FFT_FFT_SUPPORT_H
#define KN_TESTS_UNIT_ALGO_FFT_FFT_SUPPORT_H

#include "support/buffers.h"
#include "support/run.h"

#include <complex.h>
#include <math.h>

typedef long double complex number;

#define ROOM 64 // poisoned bytes after every result

static uint64_t state;

// ---- the reference ----

// The sum over j of x[j] exp(-+2 pi i j k / n) along one axis: `inner` lines side by side, `outer` times.
static inline void transform_axis(number *x, size_t n, size_t inner, size_t outer, int sign)
{
    number *roots = malloc(n * sizeof *roots), *line = malloc(n * sizeof *line);

    ck_assert(roots && line);
    for (size_t k = 0; k < n; k++) {
        long double angle = 2 * 3.14159265358979323846264338327950288L * (long double)k / (long double)n;
        roots[k] = cosl(angle) + sign * sinl(angle) * I;
    }
    for (size_t l = 0; l < inner * outer; l++) {
        number *first = x + l / inner * inner * n + l % inner;
        for (size_t j = 0; j < n; j++)
            line[j] = first[j * inner];
        for (size_t k = 0; k < n; k++) {
            number sum = 0;
            for (size_t j = 0; j < n; j++)
                sum += line[j] * roots[j * k % n];
            first[k * inner] = sum;
        }
    }
    free(roots);
    free(line);
}

// A shape with the defaults filled in that the header gives for 0.
struct whole {
    kn_fft_shape shape;
    size_t in[3], out[3];               // numbers of the input and the output
    size_t points, in_count, out_count; // products of dims, in and out, including batches
    bool real_in, real_out;
};

static inline size_t either(size_t given, size_t otherwise)
{
    return given ? given : otherwise;
}

static inline struct whole complete(const kn_fft_shape *shape)
{
    struct whole whole = {.shape = *shape};

    whole.shape.batch = either(shape->batch, 1);
    whole.real_in = shape->kind == KN_FFT_REAL_TO_COMPLEX;
    whole.real_out = shape->kind == KN_FFT_COMPLEX_TO_REAL;
    whole.points = whole.in_count = whole.out_count = whole.shape.batch;
    for (unsigned i = 0; i < 3; i++) {
        size_t n = i < shape->rank ? shape->dims[i] : 1, half = n / 2 + 1;
        whole.shape.dims[i] = n;
        whole.in[i] = i == 0 && whole.real_out ? half : either(i < shape->rank ? shape->in_dims[i] : 0, n);
        whole.out[i] = i == 0 && whole.real_in ? half : either(i < shape->rank ? shape->out_dims[i] : 0, n);
        whole.points *= n;
        whole.in_count *= whole.in[i];
        whole.out_count *= whole.out[i];
    }
    return whole;
}

// The position in the full array of number i of an array of these dims.
static inline size_t position_in(const struct whole *whole, const size_t dims[3], size_t i)
{
    size_t x = i % dims[0], y = i / dims[0] % dims[1], z = i / dims[0] / dims[1];

    // z continues through the batches
    size_t b = z / dims[2];
    return ((b * whole->shape.dims[2] + z % dims[2]) * whole->shape.dims[1] + y) * whole->shape.dims[0] + x;
}

// Fills in the other half of a Hermitian spectrum along x, as a line of a real array has it after the other
// axes.
static inline void mirror_lines(const struct whole *whole, number *x)
{
    size_t n = whole->shape.dims[0];

    for (size_t line = 0; line < whole->points / n; line++)
        for (size_t k = n / 2 + 1; k < n; k++)
            x[line * n + k] = conjl(x[line * n + n - k]);
}

static inline number *reference(const struct whole *whole, kn_fft_direction direction, const number *in)
{
    number *x = calloc(whole->points, sizeof *x), *out = malloc(whole->out_count * sizeof *out);
    const size_t *dims = whole->shape.dims;
    int sign = direction == KN_FFT_FORWARD ? -1 : 1;

    ck_assert(x && out);
    for (size_t i = 0; i < whole->in_count; i++)
        x[position_in(whole, whole->in, i)] = in[i];
    for (unsigned axis = 3; axis-- > 0;) {
        size_t inner = axis == 0 ? 1 : axis == 1 ? dims[0] : dims[0] * dims[1];
        if (axis == 0 && whole->real_out)
            mirror_lines(whole, x);
        transform_axis(x, dims[axis], inner, whole->points / inner / dims[axis], sign);
    }
    for (size_t i = 0; i < whole->out_count; i++) {
        out[i] = x[position_in(whole, whole->out, i)] *
                 (whole->shape.scale != 0 ? (long double)whole->shape.scale : 1.0L);
        if (whole->real_out)
            out[i] = creall(out[i]);
    }
    free(x);
    return out;
}

// ---- numbers to and from the device ----

static inline size_t bytes_of(size_t count, bool real, kn_type type)
{
    return count * (real ? 1 : 2) * kn_type_size(type);
}

// Rounds x to the type.
static inline void *pack(number *x, size_t count, bool real, kn_type type)
{
    void *packed = malloc(bytes_of(count, real, type) + 1);
    size_t parts = real ? 1 : 2;

    ck_assert_ptr_nonnull(packed);
    for (size_t i = 0; i < count * parts; i++) {
        long double *part = (long double *)x + i / parts * 2 + i % parts;
        if (type == KN_F64)
            *part = ((double *)packed)[i] = (double)*part;
        else
            *part = (long double)(((float *)packed)[i] = (float)*part);
        if (real)
            part[1] = 0;
    }
    return packed;
}

static inline number *unpack(const void *packed, size_t count, bool real, kn_type type)
{
    number *x = calloc(count + 1, sizeof *x);
    size_t parts = real ? 1 : 2;

    ck_assert_ptr_nonnull(x);
    for (size_t i = 0; i < count * parts; i++)
        ((long double *)x)[i / parts * 2 + i % parts] = type == KN_F64
                                                            ? (long double)((const double *)packed)[i]
                                                            : (long double)((const float *)packed)[i];
    return x;
}

static inline number *random_numbers(size_t count)
{
    number *x = malloc((count + 1) * sizeof *x);

    ck_assert_ptr_nonnull(x);
    for (size_t i = 0; i < count; i++)
        x[i] = (test_uniform(&state) - 0.5) + (test_uniform(&state) - 0.5) * I;
    return x;
}

static inline kn_buffer *upload(number *x, size_t count, bool real, kn_type type)
{
    void *packed = pack(x, count, real, type);
    kn_buffer *buffer = test_upload_with_room(packed, bytes_of(count, real, type), ROOM);

    free(packed);
    return buffer;
}

static inline number *download(kn_buffer *buffer, size_t count, bool real, kn_type type)
{
    void *packed = malloc(bytes_of(count, real, type) + 1);

    ck_assert_ptr_nonnull(packed);
    test_expect_poison(buffer, bytes_of(count, real, type));
    EXPECT_OK(kn_buffer_read(queue, buffer, 0, packed, bytes_of(count, real, type), &err));
    number *x = unpack(packed, count, real, type);
    free(packed);
    return x;
}

static inline kn_buffer *poisoned(size_t bytes)
{
    return test_upload_with_room("", 0, bytes + ROOM);
}

static inline long double norm(const number *x, size_t count)
{
    long double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += creall(x[i]) * creall(x[i]) + cimagl(x[i]) * cimagl(x[i]);
    return sqrtl(sum);
}

static inline long double difference(const number *x, const number *y, size_t count)
{
    number *d = malloc((count + 1) * sizeof *d);

    ck_assert_ptr_nonnull(d);
    for (size_t i = 0; i < count; i++)
        d[i] = x[i] - y[i];
    long double found = norm(d, count);
    free(d);
    return found;
}

static inline number *run(kn_fft_plan *plan, const struct whole *whole, kn_fft_direction direction,
                          number *in, bool in_place)
{
    kn_type type = whole->shape.type;
    kn_buffer *from = upload(in, whole->in_count, whole->real_in, type);
    kn_buffer *to = in_place ? from : poisoned(bytes_of(whole->out_count, whole->real_out, type));

    EXPECT_OK(kn_fft_execute(queue, plan, direction, from, to, &err));
    number *out = download(to, whole->out_count, whole->real_out, type);
    if (!in_place) { // the input is unchanged
        number *kept = download(from, whole->in_count, whole->real_in, type);
        ck_assert(difference(kept, in, whole->in_count) == 0);
        free(kept);
        kn_buffer_free(to);
    }
    kn_buffer_free(from);
    return out;
}

// ---- what is expected ----

static inline bool has_large_prime(size_t n)
{
    for (size_t p = 2; p <= 13; p++)
        while (n > 1 && n % p == 0)
            n /= p;
    return n > 1;
}

static long double worst; // greatest error relative to the bound

// A radix-2 step rounds twice (its root, its sum) with a root-mean-square error of about eps / 2 together;
// larger radices round less. So 0.5 eps log2 n, plus eps for storing the result, and eps for rounding a
// factor that is no power of two. A chirp transform does two of more than twice the length, and multiplies by
// three rounded tables.
static inline void expect_near(const number *found, const number *expected, const struct whole *whole,
                               const char *what)
{
    long double eps = whole->shape.type == KN_F64 ? 0x1p-53L : 0x1p-24L, steps = 2;
    int exponent;

    if (whole->shape.scale != 0 && frexp(fabs((double)whole->shape.scale), &exponent) != 0.5)
        steps += 2;
    for (unsigned i = 0; i < 3; i++)
        steps +=
            log2l((long double)whole->shape.dims[i]) +
            (has_large_prime(whole->shape.dims[i]) ? 2 * log2l(4.0L * (long double)whole->shape.dims[i]) + 6
                                                   : 0);
    long double bound = 0.5L * eps * steps, scale = norm(expected, whole->out_count);
    long double error = difference(found, expected, whole->out_count);
    if (error / (bound * scale) > worst)
        worst = error / (bound * scale);
    ck_assert_msg(error <= bound * scale, "%s: %zu x %zu x %zu, batch %zu, %s: error %.3Lg, at most %.3Lg",
                  what, whole->shape.dims[0], whole->shape.dims[1], whole->shape.dims[2], whole->shape.batch,
                  kn_type_name(whole->shape.type), error / scale, bound);
}

static inline bool has_direction(const kn_fft_shape *shape, kn_fft_direction direction)
{
    return shape->kind == KN_FFT_COMPLEX ||
           (shape->kind == KN_FFT_COMPLEX_TO_REAL) == (direction == KN_FFT_INVERSE);
}

// The half spectrum of random real numbers, which libraries require; Koine's own kernels accept any numbers.
static inline number *random_spectrum(const struct whole *whole)
{
    kn_fft_shape shape = whole->shape;

    shape.kind = KN_FFT_REAL_TO_COMPLEX;
    struct whole forward = complete(&shape);
    number *x = random_numbers(forward.in_count);
    for (size_t i = 0; i < forward.in_count; i++)
        x[i] = creall(x[i]);
    number *spectrum = reference(&forward, KN_FFT_FORWARD, x);
    free(x);
    return spectrum;
}

// Both directions if there are two, and in place if that is possible.
static inline void expect_directions(const kn_fft_shape *shape, const kn_fft_options *options, bool forward,
                                     bool inverse)
{
    struct whole whole = complete(shape);
    kn_fft_plan *plan = NULL;
    bool resized = memcmp(whole.in, whole.out, sizeof whole.in) != 0 || whole.in_count != whole.points;

    EXPECT_OK(kn_fft_plan_create(queue, shape, options, &plan, &err));
    for (kn_fft_direction direction = KN_FFT_FORWARD; direction <= KN_FFT_INVERSE; direction++) {
        if (!has_direction(shape, direction) || !(direction == KN_FFT_FORWARD ? forward : inverse))
            continue;
        bool any = !whole.real_out || (options && options->library == KN_FFT_OWN);
        number *in = any ? random_numbers(whole.in_count) : random_spectrum(&whole);
        free(pack(in, whole.in_count, whole.real_in, shape->type)); // rounds it
        number *expected = reference(&whole, direction, in);
        for (int in_place = 0; in_place <= (shape->kind == KN_FFT_COMPLEX && !resized); in_place++) {
            number *found = run(plan, &whole, direction, in, in_place);
            expect_near(found, expected, &whole, kn_fft_plan_get_text(plan));
            free(found);
        }
        free(expected);
        free(in);
    }
    kn_fft_plan_free(plan);
}

static inline void expect_right(const kn_fft_shape *shape, const kn_fft_options *options)
{
    expect_directions(shape, options, true, true);
}

static const kn_fft_options own = {.struct_size = sizeof(kn_fft_options), .library = KN_FFT_OWN};

static inline void set_up(void)
{
    test_open();
    state = test_seed("fft");
    worst = 0;
}

static inline void tear_down(void)
{
    fprintf(stderr, "fft: largest error %.2Lf of what is allowed\n", worst);
    test_close();
}

#endif
