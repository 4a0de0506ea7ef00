// SPDX-License-Identifier: Apache-2.0
// Transforms against their definition, summed in long double, and against what must hold of any.
#include "../device_support.h"

#include <complex.h>
#include <math.h>

typedef long double complex number;

#define ROOM 64 // poisoned bytes behind every result

static uint64_t state;

// ---- the reference ----

// sum over j of x[j] exp(-+2 pi i j k / n) along one axis: `inner` lines side by side, `outer` times.
static void transform_axis(number *x, size_t n, size_t inner, size_t outer, int sign)
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

// A shape with nothing left out: what the header says of 0.
struct whole {
    kn_fft_shape shape;
    size_t in[3], out[3];               // numbers on both sides
    size_t points, in_count, out_count; // dims, in and out multiplied, batches too
    bool real_in, real_out;
};

static size_t either(size_t given, size_t otherwise)
{
    return given ? given : otherwise;
}

static struct whole complete(const kn_fft_shape *shape)
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

// The place in the full array of number i of an array of these dims.
static size_t place_in(const struct whole *whole, const size_t dims[3], size_t i)
{
    size_t x = i % dims[0], y = i / dims[0] % dims[1], z = i / dims[0] / dims[1];

    // z runs on through the batch.
    size_t b = z / dims[2];
    return ((b * whole->shape.dims[2] + z % dims[2]) * whole->shape.dims[1] + y) * whole->shape.dims[0] + x;
}

// The other half of a Hermitian spectrum along x, as a line of a real array has it after the other axes.
static void mirror_lines(const struct whole *whole, number *x)
{
    size_t n = whole->shape.dims[0];

    for (size_t line = 0; line < whole->points / n; line++)
        for (size_t k = n / 2 + 1; k < n; k++)
            x[line * n + k] = conjl(x[line * n + n - k]);
}

static number *reference(const struct whole *whole, kn_fft_direction direction, const number *in)
{
    number *x = calloc(whole->points, sizeof *x), *out = malloc(whole->out_count * sizeof *out);
    const size_t *dims = whole->shape.dims;
    int sign = direction == KN_FFT_FORWARD ? -1 : 1;

    ck_assert(x && out);
    for (size_t i = 0; i < whole->in_count; i++)
        x[place_in(whole, whole->in, i)] = in[i];
    for (unsigned axis = 3; axis-- > 0;) {
        size_t inner = axis == 0 ? 1 : axis == 1 ? dims[0] : dims[0] * dims[1];
        if (axis == 0 && whole->real_out)
            mirror_lines(whole, x);
        transform_axis(x, dims[axis], inner, whole->points / inner / dims[axis], sign);
    }
    for (size_t i = 0; i < whole->out_count; i++) {
        out[i] = x[place_in(whole, whole->out, i)] *
                 (whole->shape.scale != 0 ? (long double)whole->shape.scale : 1.0L);
        if (whole->real_out)
            out[i] = creall(out[i]);
    }
    free(x);
    return out;
}

// ---- numbers to and from the device ----

static size_t bytes_of(size_t count, bool real, kn_type type)
{
    return count * (real ? 1 : 2) * kn_type_size(type);
}

// Rounds x to the type.
static void *pack(number *x, size_t count, bool real, kn_type type)
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

static number *unpack(const void *packed, size_t count, bool real, kn_type type)
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

static number *random_numbers(size_t count)
{
    number *x = malloc((count + 1) * sizeof *x);

    ck_assert_ptr_nonnull(x);
    for (size_t i = 0; i < count; i++)
        x[i] = (test_uniform(&state) - 0.5) + (test_uniform(&state) - 0.5) * I;
    return x;
}

static kn_buffer *upload(number *x, size_t count, bool real, kn_type type)
{
    void *packed = pack(x, count, real, type);
    kn_buffer *buffer = test_upload_with_room(packed, bytes_of(count, real, type), ROOM);

    free(packed);
    return buffer;
}

static number *download(kn_buffer *buffer, size_t count, bool real, kn_type type)
{
    void *packed = malloc(bytes_of(count, real, type) + 1);

    ck_assert_ptr_nonnull(packed);
    test_expect_poison(buffer, bytes_of(count, real, type));
    EXPECT_OK(kn_buffer_read(queue, buffer, 0, packed, bytes_of(count, real, type), &err));
    number *x = unpack(packed, count, real, type);
    free(packed);
    return x;
}

static kn_buffer *poisoned(size_t bytes)
{
    return test_upload_with_room("", 0, bytes + ROOM);
}

static long double norm(const number *x, size_t count)
{
    long double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += creall(x[i]) * creall(x[i]) + cimagl(x[i]) * cimagl(x[i]);
    return sqrtl(sum);
}

static long double difference(const number *x, const number *y, size_t count)
{
    number *d = malloc((count + 1) * sizeof *d);

    ck_assert_ptr_nonnull(d);
    for (size_t i = 0; i < count; i++)
        d[i] = x[i] - y[i];
    long double found = norm(d, count);
    free(d);
    return found;
}

static number *run(kn_fft_plan *plan, const struct whole *whole, kn_fft_direction direction, number *in,
                   bool in_place)
{
    kn_type type = whole->shape.type;
    kn_buffer *from = upload(in, whole->in_count, whole->real_in, type);
    kn_buffer *to = in_place ? from : poisoned(bytes_of(whole->out_count, whole->real_out, type));

    EXPECT_OK(kn_fft_execute(queue, plan, direction, from, to, &err));
    number *out = download(to, whole->out_count, whole->real_out, type);
    if (!in_place) { // the input is as it was
        number *kept = download(from, whole->in_count, whole->real_in, type);
        ck_assert(difference(kept, in, whole->in_count) == 0);
        free(kept);
        kn_buffer_free(to);
    }
    kn_buffer_free(from);
    return out;
}

// ---- what is expected ----

static bool has_large_prime(size_t n)
{
    for (size_t p = 2; p <= 13; p++)
        while (n > 1 && n % p == 0)
            n /= p;
    return n > 1;
}

static long double worst; // error as a part of what is allowed

// A radix-2 step rounds twice (its root, its sum) with a root-mean-square error of about eps / 2 together;
// larger radices round less. So 0.5 eps log2 n, plus eps for storing the result. A chirp transform does two
// of more than twice the length, and multiplies by three rounded tables.
static void expect_near(const number *found, const number *expected, const struct whole *whole,
                        const char *what)
{
    long double eps = whole->shape.type == KN_F64 ? 0x1p-53L : 0x1p-24L, steps = 2;

    for (unsigned i = 0; i < 3; i++)
        steps +=
            log2l((long double)whole->shape.dims[i]) +
            (has_large_prime(whole->shape.dims[i]) ? 2 * log2l(4.0L * (long double)whole->shape.dims[i]) + 6
                                                   : 0);
    long double bound = 0.5L * eps * steps, scale = norm(expected, whole->out_count);
    long double error = difference(found, expected, whole->out_count);
    if (error / (bound * scale) > worst)
        worst = error / (bound * scale);
    if (getenv("FFT_VERBOSE"))
        fprintf(stderr, "%s: %zu x %zu x %zu: %.3Lf of the bound\n", what, whole->shape.dims[0],
                whole->shape.dims[1], whole->shape.dims[2], error / (bound * scale));
    ck_assert_msg(error <= bound * scale, "%s: %zu x %zu x %zu, batch %zu, %s: error %.3Lg, at most %.3Lg",
                  what, whole->shape.dims[0], whole->shape.dims[1], whole->shape.dims[2], whole->shape.batch,
                  kn_type_name(whole->shape.type), error / scale, bound);
}

static bool has_direction(const kn_fft_shape *shape, kn_fft_direction direction)
{
    return shape->kind == KN_FFT_COMPLEX ||
           (shape->kind == KN_FFT_COMPLEX_TO_REAL) == (direction == KN_FFT_INVERSE);
}

// The half spectrum of random real numbers, which is what libraries take; Koine's own takes any numbers.
static number *random_spectrum(const struct whole *whole)
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

// Both directions where there are two, and in place where that can be.
static void expect_right(const kn_fft_shape *shape, const kn_fft_options *options)
{
    struct whole whole = complete(shape);
    kn_fft_plan *plan = NULL;
    bool resized = memcmp(whole.in, whole.out, sizeof whole.in) != 0 || whole.in_count != whole.points;

    EXPECT_OK(kn_fft_plan_create(queue, shape, options, &plan, &err));
    for (kn_fft_direction direction = KN_FFT_FORWARD; direction <= KN_FFT_INVERSE; direction++) {
        if (!has_direction(shape, direction))
            continue;
        bool any = !whole.real_out || (options && options->library == KN_FFT_OWN);
        number *in = any ? random_numbers(whole.in_count) : random_spectrum(&whole);
        free(pack(in, whole.in_count, whole.real_in, shape->type)); // rounds it
        number *expected = reference(&whole, direction, in);
        for (int in_place = 0; in_place <= (shape->kind == KN_FFT_COMPLEX && !resized); in_place++) {
            number *found = run(plan, &whole, direction, in, in_place);
            expect_near(found, expected, &whole, kn_fft_plan_text(plan));
            free(found);
        }
        free(expected);
        free(in);
    }
    kn_fft_plan_free(plan);
}

static const kn_fft_options own = {.library = KN_FFT_OWN};

static void set_up(void)
{
    test_open();
    state = test_seed("fft");
    worst = 0;
}

static void tear_down(void)
{
    fprintf(stderr, "fft: largest error %.2Lf of what is allowed\n", worst);
    test_close();
}

// ---- tests ----

static void expect_length(size_t n, kn_type type, size_t batch)
{
    const kn_fft_shape shape = {.rank = 1, .dims = {n}, .batch = batch, .type = type};

    expect_right(&shape, &own);
}

START_TEST(every_short_length)
{
    for (size_t n = 1; n <= (test_is_slow() ? 8 : 64); n++)
        expect_length(n, KN_F32, 1 + test_random(&state) % 5);
}
END_TEST

START_TEST(longer_lengths)
{
    static const size_t lengths[] = {96,  97,   105,  127,  128,  129,  143,  169,  210,  243,
                                     255, 256,  257,  343,  500,  511,  512,  513,  625,  720,
                                     721, 1000, 1023, 1024, 1331, 1750, 2048, 2187, 2310, 4096};

    for (size_t i = 0; i < (test_is_slow() ? 2 : sizeof lengths / sizeof *lengths); i++)
        expect_length(lengths[i], KN_F32, 1 + test_random(&state) % 3);
}
END_TEST

START_TEST(lengths_in_double)
{
    static const size_t lengths[] = {1,  2,  3,  4,  5,  7,   8,   11,  13,  16,  17,   30,
                                     31, 32, 33, 36, 70, 100, 128, 210, 256, 251, 1000, 2048};

    for (size_t i = 0; i < (test_is_slow() ? 6 : sizeof lengths / sizeof *lengths) && test_takes(KN_F64); i++)
        expect_length(lengths[i], KN_F64, 2);
}
END_TEST

// ---- axes, kinds, extents ----

START_TEST(several_axes)
{
    static const kn_fft_shape shapes[] = {{.rank = 2, .dims = {16, 9}, .batch = 3},
                                          {.rank = 2, .dims = {1, 20}},
                                          {.rank = 2, .dims = {35, 64}, .batch = 2},
                                          {.rank = 2, .dims = {17, 31}},
                                          {.rank = 3, .dims = {8, 12, 10}, .batch = 2},
                                          {.rank = 3, .dims = {33, 5, 32}},
                                          {.rank = 3, .dims = {4, 1, 30}},
                                          {.rank = 3, .dims = {1, 1, 1}, .batch = 5}};

    for (size_t i = 0; i < (test_is_slow() ? 1 : sizeof shapes / sizeof *shapes); i++) {
        kn_fft_shape shape = shapes[i];
        shape.type = test_random(&state) % 2 && kn_context_device(context)->fp64 ? KN_F64 : KN_F32;
        shape.scale = test_uniform(&state) * 4 - 2;
        expect_right(&shape, &own);
    }
}
END_TEST

START_TEST(real_numbers)
{
    static const kn_fft_shape shapes[] = {{.rank = 1, .dims = {1}, .batch = 3},
                                          {.rank = 1, .dims = {2}, .batch = 3},
                                          {.rank = 1, .dims = {3}},
                                          {.rank = 1, .dims = {8}, .batch = 7},
                                          {.rank = 1, .dims = {15}, .batch = 2},
                                          {.rank = 1, .dims = {19}, .batch = 3},
                                          {.rank = 1, .dims = {100}, .batch = 2},
                                          {.rank = 1, .dims = {101}},
                                          {.rank = 2, .dims = {12, 10}, .batch = 2},
                                          {.rank = 2, .dims = {9, 17}, .batch = 2},
                                          {.rank = 3, .dims = {10, 3, 8}},
                                          {.rank = 3, .dims = {7, 6, 5}, .batch = 2}};

    for (size_t i = 0; i < (test_is_slow() ? 2 : sizeof shapes / sizeof *shapes); i++)
        for (kn_fft_kind kind = KN_FFT_REAL_TO_COMPLEX; kind <= KN_FFT_COMPLEX_TO_REAL; kind++) {
            kn_fft_shape shape = shapes[i];
            shape.kind = kind;
            shape.type = test_random(&state) % 2 && kn_context_device(context)->fp64 ? KN_F64 : KN_F32;
            expect_right(&shape, &own);
        }
}
END_TEST

START_TEST(padded_and_cropped)
{
    static const kn_fft_shape shapes[] = {
        {.rank = 1, .dims = {24}, .batch = 2, .in_dims = {12}},
        {.rank = 1, .dims = {24}, .batch = 2, .out_dims = {1}},
        {.rank = 1, .dims = {37}, .batch = 2, .in_dims = {30}, .out_dims = {5}},
        {.rank = 2, .dims = {16, 12}, .batch = 2, .in_dims = {9, 7}},
        {.rank = 2, .dims = {16, 12}, .batch = 2, .out_dims = {8, 5}},
        {.rank = 3, .dims = {8, 10, 12}, .in_dims = {4, 5, 6}, .out_dims = {0, 9, 3}},
        {.rank = 2, .dims = {15, 12}, .kind = KN_FFT_REAL_TO_COMPLEX, .in_dims = {8, 6}},
        {.rank = 2, .dims = {14, 12}, .kind = KN_FFT_COMPLEX_TO_REAL, .out_dims = {7, 6}},
    };

    for (size_t i = 0; i < (test_is_slow() ? 2 : sizeof shapes / sizeof *shapes); i++) {
        kn_fft_shape shape = shapes[i];
        shape.type = KN_F32;
        expect_right(&shape, &own);
    }
}
END_TEST

// With little local memory short lines are long ones: two passes, and four by Bluestein.
START_TEST(long_lines)
{
    static const kn_fft_shape shapes[] = {
        {.rank = 1, .dims = {256}, .batch = 3},
        {.rank = 1, .dims = {1000}, .batch = 2},
        {.rank = 1, .dims = {4096}, .batch = 2},
        {.rank = 2, .dims = {3, 2100}},
        {.rank = 1, .dims = {211}, .batch = 2},
        {.rank = 2, .dims = {5, 300}, .batch = 2},
        {.rank = 3, .dims = {256, 3, 260}},
        {.rank = 1, .dims = {420}, .batch = 2, .kind = KN_FFT_REAL_TO_COMPLEX},
        {.rank = 1, .dims = {420}, .batch = 2, .kind = KN_FFT_COMPLEX_TO_REAL},
        {.rank = 1, .dims = {139}, .batch = 2, .kind = KN_FFT_COMPLEX_TO_REAL},
        {.rank = 2, .dims = {5, 260}, .in_dims = {3, 100}, .out_dims = {4, 200}},
    };
    uint64_t *local = &context->device.info.local_memory, was = *local;

    *local = 2048;
    for (size_t i = 0; i < (test_is_slow() ? 1 : sizeof shapes / sizeof *shapes); i++) {
        kn_fft_shape shape = shapes[i];
        shape.type = KN_F32;
        expect_right(&shape, &own);
    }
    const kn_fft_shape too_long = {.rank = 1, .dims = {1 << 24}, .type = KN_F32};
    kn_fft_plan *plan = NULL;
    EXPECT_REFUSED(KN_ERROR_LIMIT, "three passes", kn_fft_plan_create(queue, &too_long, &own, &plan, &err));
    ck_assert_ptr_null(plan);
    *local = was;
}
END_TEST

START_TEST(tunables)
{
    static const kn_fft_options options[] = {
        {KN_FFT_OWN, 4, 3, 5}, {KN_FFT_OWN, 32, 1, 1}, {KN_FFT_OWN, 8, 64, 64}};
    const kn_fft_shape shape = {.rank = 2, .dims = {60, 48}, .type = KN_F32};

    for (size_t i = 0; i < (test_is_slow() ? 1 : sizeof options / sizeof *options); i++)
        expect_right(&shape, &options[i]);
}
END_TEST

// ---- lines too long for the definition ----

// A few impulses, whose transform is a few waves.
START_TEST(impulses)
{
    enum { IMPULSES = 3 };
    static const size_t lengths[] = {1 << 17, 3 * 5 * 7 * 11 * 13 * 4, 65537};

    for (size_t l = 0; l < (test_is_slow() ? 0 : sizeof lengths / sizeof *lengths); l++) {
        const kn_fft_shape shape = {.rank = 1, .dims = {lengths[l]}, .type = KN_F32};
        struct whole whole = complete(&shape);
        size_t n = lengths[l], at[IMPULSES];
        number *in = calloc(n, sizeof *in), *expected = calloc(n, sizeof *expected);
        kn_fft_plan *plan = NULL;
        ck_assert(in && expected);
        for (size_t i = 0; i < IMPULSES; i++) {
            at[i] = test_random(&state) % n;
            in[at[i]] = (float)(test_uniform(&state) + 1) + (float)test_uniform(&state) * I;
        }
        for (size_t k = 0; k < n; k++)
            for (size_t i = 0; i < IMPULSES; i++) {
                bool again = false; // of an impulse that is there already
                for (size_t j = 0; j < i; j++)
                    again = again || at[j] == at[i];
                long double angle = 2 * 3.14159265358979323846264338327950288L *
                                    (long double)(k * at[i] % n) / (long double)n;
                expected[k] += again ? 0 : in[at[i]] * (cosl(angle) - sinl(angle) * I);
            }
        EXPECT_OK(kn_fft_plan_create(queue, &shape, &own, &plan, &err));
        number *found = run(plan, &whole, KN_FFT_FORWARD, in, false);
        expect_near(found, expected, &whole, kn_fft_plan_text(plan));
        free(found);
        kn_fft_plan_free(plan);
        free(in);
        free(expected);
    }
}
END_TEST

// There and back, which keeps the norm on its way.
START_TEST(round_trip)
{
    const kn_fft_shape shape = {
        .rank = 3, .dims = {64, 48, 40}, .type = KN_F32, .scale = 1 / sqrt(64 * 48 * 40)};
    struct whole whole = complete(&shape);
    kn_fft_plan *plan = NULL;

    if (test_is_slow())
        return;
    number *in = random_numbers(whole.points);
    free(pack(in, whole.points, false, KN_F32));
    EXPECT_OK(kn_fft_plan_create(queue, &shape, &own, &plan, &err));
    number *spectrum = run(plan, &whole, KN_FFT_FORWARD, in, true);
    // Rounding is as likely to lengthen as to shorten: what is left of it is far below its size.
    ck_assert_double_eq_tol((double)(norm(spectrum, whole.points) / norm(in, whole.points)), 1, 1e-6);
    number *back = run(plan, &whole, KN_FFT_INVERSE, spectrum, true);
    ck_assert_double_le((double)(difference(back, in, whole.points) / norm(in, whole.points)),
                        2 * 0.5 * 0x1p-24 * 19);
    free(back);
    free(spectrum);
    free(in);
    kn_fft_plan_free(plan);
}
END_TEST

// ---- what ran ----

START_TEST(passes_that_run)
{
    static const struct {
        kn_fft_shape shape;
        size_t passes;
    } cases[] = {{{.rank = 3, .dims = {16, 16, 16}, .type = KN_F32}, 3},
                 {{.rank = 1, .dims = {16}, .type = KN_F32}, 1},
                 {{.rank = 1, .dims = {17}, .type = KN_F32}, 2},
                 {{.rank = 3, .dims = {16, 1, 16}, .type = KN_F32}, 2}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct whole whole = complete(&cases[i].shape);
        kn_fft_plan *plan = NULL;
        kn_profile_entry *entries = NULL;
        size_t count = 0;
        number *in = random_numbers(whole.points);
        EXPECT_OK(kn_fft_plan_create(queue, &cases[i].shape, &own, &plan, &err));
        ck_assert_int_eq(kn_fft_plan_library(plan), KN_FFT_OWN);
        ck_assert_msg(strstr(kn_fft_plan_text(plan), "16 = 16") || cases[i].passes == 2, "%s",
                      kn_fft_plan_text(plan));
        EXPECT_OK(kn_profile_start(queue, &err));
        free(run(plan, &whole, KN_FFT_FORWARD, in, false));
        EXPECT_OK(kn_profile_stop(queue, &entries, &count, &err));
        ck_assert_uint_eq(count, cases[i].passes);
        for (size_t k = 0; k < count; k++)
            ck_assert_str_eq(entries[k].kernel, "fft_pass");
        kn_free(entries);
        kn_fft_plan_free(plan);
        free(in);
    }
}
END_TEST

// ---- refusals ----

static void expect_shape_refused(const kn_fft_shape *shape, const kn_fft_options *options, kn_status status,
                                 const char *words)
{
    kn_fft_plan *plan = NULL;

    EXPECT_REFUSED(status, words, kn_fft_plan_create(queue, shape, options, &plan, &err));
    ck_assert_ptr_null(plan);
}

START_TEST(refused_shapes)
{
    const kn_fft_shape right = {.rank = 2, .dims = {8, 6}, .type = KN_F32};
    kn_fft_shape wrong = right;

    expect_shape_refused(NULL, &own, KN_ERROR_ARGUMENT, "NULL");
    wrong.rank = 4;
    expect_shape_refused(&wrong, &own, KN_ERROR_ARGUMENT, "from 1 to 3");
    wrong = right;
    wrong.dims[1] = 0;
    expect_shape_refused(&wrong, &own, KN_ERROR_ARGUMENT, "dims[1] is 0");
    wrong = right;
    wrong.type = KN_U32;
    expect_shape_refused(&wrong, &own, KN_ERROR_UNSUPPORTED, "not on uint");
    wrong = right;
    wrong.in_dims[0] = 9;
    expect_shape_refused(&wrong, &own, KN_ERROR_ARGUMENT, "in_dims[0] is 9");
    wrong = right;
    wrong.kind = KN_FFT_REAL_TO_COMPLEX;
    wrong.out_dims[0] = 4;
    expect_shape_refused(&wrong, &own, KN_ERROR_ARGUMENT, "half spectrum");
    wrong = right;
    wrong.scale = INFINITY;
    expect_shape_refused(&wrong, &own, KN_ERROR_ARGUMENT, "not finite");
    wrong = right;
    wrong.batch = SIZE_MAX / 8;
    expect_shape_refused(&wrong, &own, KN_ERROR_ARGUMENT, "more bytes");
    wrong.batch = (size_t)1 << 33;
    expect_shape_refused(&wrong, &own, KN_ERROR_LIMIT, "smaller batch");
    context->device.info.fp64 = 0;
    wrong = right;
    wrong.type = KN_F64;
    expect_shape_refused(&wrong, &own, KN_ERROR_UNSUPPORTED, "double precision");
}
END_TEST

START_TEST(refused_executions)
{
    kn_fft_shape shape = {.rank = 1, .dims = {8}, .type = KN_F32, .in_dims = {4}};
    kn_fft_plan *padded = NULL, *real = NULL;
    kn_buffer *small = poisoned(0), *large = poisoned(0), *other = poisoned(0);

    EXPECT_OK(kn_fft_plan_create(queue, &shape, &own, &padded, &err));
    shape = (kn_fft_shape){.rank = 1, .dims = {8}, .type = KN_F32, .kind = KN_FFT_REAL_TO_COMPLEX};
    EXPECT_OK(kn_fft_plan_create(queue, &shape, &own, &real, &err));
    kn_buffer_free(small);
    small = test_upload_with_room("", 0, 63);
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "NULL",
                   kn_fft_execute(queue, NULL, KN_FFT_FORWARD, large, other, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "out holds 63 bytes",
                   kn_fft_execute(queue, padded, KN_FFT_FORWARD, large, small, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "in place",
                   kn_fft_execute(queue, padded, KN_FFT_FORWARD, large, large, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "forward only",
                   kn_fft_execute(queue, real, KN_FFT_INVERSE, large, other, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "no direction 2",
                   kn_fft_execute(queue, real, (kn_fft_direction)2, large, other, &err));
    test_expect_poison(large, 0);
    test_expect_poison(other, 0);
    kn_fft_plan_free(padded);
    kn_fft_plan_free(real);
    kn_buffer_free(small);
    kn_buffer_free(large);
    kn_buffer_free(other);
}
END_TEST

// What the path's vendor has, on the same numbers; and the faster one, which is the one that the plan names.
START_TEST(other_libraries)
{
    static const kn_fft_shape shapes[] = {
        {.rank = 2, .dims = {12, 10}, .batch = 2},
        {.rank = 3, .dims = {8, 1, 6}, .kind = KN_FFT_REAL_TO_COMPLEX},
        {.rank = 2, .dims = {8, 6}, .batch = 2, .kind = KN_FFT_COMPLEX_TO_REAL}};
    bool cuda = strcmp(kn_context_device(context)->backend, "cuda") == 0;
    const kn_fft_options vendor = {.library = cuda ? KN_FFT_CUFFT : KN_FFT_CLFFT};

    for (size_t i = 0; i < (test_is_slow() ? 1 : sizeof shapes / sizeof *shapes); i++) {
        kn_fft_shape shape = shapes[i];
        kn_fft_plan *plan = NULL;
        shape.type = KN_F32;
        err = (kn_error)KN_ERROR_INIT;
        kn_status status = kn_fft_plan_create(queue, &shape, &vendor, &plan, &err);
        if (status) {
            ck_assert_int_eq(status, KN_ERROR_UNSUPPORTED);
            fprintf(stderr, "skipped: %s\n", err.text);
            return;
        }
        ck_assert_int_eq(kn_fft_plan_library(plan), vendor.library);
        ck_assert_msg(strstr(kn_fft_plan_text(plan), cuda ? "cuFFT " : "clFFT "), "%s",
                      kn_fft_plan_text(plan));
        kn_fft_plan_free(plan);
        expect_right(&shape, &vendor);
        for (int again = 0; again < 2; again++) { // measured, then remembered
            EXPECT_OK(kn_fft_plan_create(queue, &shape, NULL, &plan, &err));
            bool own_runs = kn_fft_plan_library(plan) == KN_FFT_OWN;
            bool measured = strstr(kn_fft_plan_text(plan), "(measured: own ") != NULL;
            ck_assert(own_runs || kn_fft_plan_library(plan) == vendor.library);
            ck_assert_int_eq(measured, shape.kind != KN_FFT_COMPLEX_TO_REAL);
            ck_assert_int_eq(own_runs, strncmp(kn_fft_plan_text(plan), cuda ? "cuFFT" : "clFFT", 5) != 0);
            kn_fft_plan_free(plan);
        }
        expect_right(&shape, NULL);
        shape.scale = 0.5;
        expect_shape_refused(&shape, &vendor, KN_ERROR_UNSUPPORTED, "does not scale");
        EXPECT_OK(kn_fft_plan_create(queue, &shape, NULL, &plan, &err));
        ck_assert_int_eq(kn_fft_plan_library(plan), KN_FFT_OWN);
        kn_fft_plan_free(plan);
        shape.scale = 0;
        shape.in_dims[1] = shape.rank == 2 ? 3 : 0;
        if (shape.in_dims[1])
            expect_shape_refused(&shape, &vendor, KN_ERROR_UNSUPPORTED, "neither pads nor crops");
    }
}
END_TEST

// A library that is named runs or is refused.
START_TEST(refused_libraries)
{
    const kn_fft_shape shape = {.rank = 1, .dims = {8}, .type = KN_F32};
    const kn_fft_options cufft = {.library = KN_FFT_CUFFT}, none = {.library = (kn_fft_library)9};

    if (strcmp(kn_context_device(context)->backend, "cuda") != 0)
        expect_shape_refused(&shape, &cufft, KN_ERROR_UNSUPPORTED, "through cuda");
    expect_shape_refused(&shape, &none, KN_ERROR_ARGUMENT, "no library 9");
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {longer_lengths,     lengths_in_double, several_axes,      real_numbers,
                                  padded_and_cropped, long_lines,        tunables,          impulses,
                                  round_trip,         passes_that_run,   refused_shapes,    other_libraries,
                                  refused_executions, refused_libraries, every_short_length};

    return test_run("fft", tests, sizeof tests / sizeof *tests, set_up, tear_down);
}
