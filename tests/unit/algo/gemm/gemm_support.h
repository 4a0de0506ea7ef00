// SPDX-License-Identifier: Apache-2.0
// What the tests of kn_gemm share: a product compared with sums in long double, within the bound that gemm.h
// states. Memory before the matrix and between its rows is set to not-a-number where it is read, and must
// keep its bits where it is written.
#ifndef KN_TESTS_UNIT_ALGO_GEMM_GEMM_SUPPORT_H
#define KN_TESTS_UNIT_ALGO_GEMM_GEMM_SUPPORT_H

#include "support/buffers.h"
#include "support/run.h"

#include <float.h>
#include <math.h>

#include "base/array.h"

// A matrix as stored, counted in numbers (a complex element has two).
struct stored {
    size_t rows, columns, offset, pitch, stride, numbers;
    double *values;
};

struct product {
    kn_gemm_task task;
    struct stored a, b, c;
    uint64_t *state;
};

static const kn_gemm_transpose transposes[] = {KN_GEMM_AS_IS, KN_GEMM_TRANSPOSED, KN_GEMM_CONJUGATED};

static inline struct stored make_stored(const struct product *p, size_t rows, size_t columns, size_t offset,
                                        size_t pitch, size_t gap)
{
    size_t parts = p->task.is_complex ? 2 : 1;
    struct stored s = {rows, columns, offset, pitch ? pitch : columns, 0, 0, NULL};
    size_t whole = rows && columns ? (rows - 1) * s.pitch + columns : 0;

    s.stride = whole + gap;
    s.numbers = (offset + (p->task.batch - 1) * s.stride + whole) * parts;
    s.values = malloc((s.numbers + 1) * sizeof *s.values);
    ck_assert_ptr_nonnull(s.values);
    for (size_t i = 0; i < s.numbers; i++)
        s.values[i] = NAN;
    return s;
}

static inline size_t layout_of(const struct product *p, const struct stored *s, size_t batch, size_t i,
                               size_t j)
{
    return (s->offset + batch * s->stride + i * s->pitch + j) * (p->task.is_complex ? 2 : 1);
}

// Fills with numbers in [-1, 1) that the type can represent.
static inline void fill(struct product *p, struct stored *s)
{
    for (size_t l = 0; l < p->task.batch; l++)
        for (size_t i = 0; i < s->rows; i++)
            for (size_t j = 0; j < s->columns * (p->task.is_complex ? 2 : 1); j++) {
                double value = 2 * test_uniform(p->state) - 1;
                s->values[layout_of(p, s, l, i, 0) + j] =
                    p->task.type == KN_F32 ? (double)(float)value : value;
            }
}

static inline kn_gemm_matrix upload(const struct product *p, const struct stored *s)
{
    kn_gemm_matrix matrix = {NULL, s->offset, s->pitch, s->stride};

    matrix.buffer = test_upload_column(s->values, s->numbers, p->task.type);
    return matrix;
}

struct complex_number {
    long double re, im;
};

static inline struct complex_number at(const struct product *p, const struct stored *s, size_t batch,
                                       size_t i, size_t j, kn_gemm_transpose transpose)
{
    size_t layout = transpose == KN_GEMM_AS_IS ? layout_of(p, s, batch, i, j) : layout_of(p, s, batch, j, i);
    struct complex_number value = {s->values[layout], p->task.is_complex ? s->values[layout + 1] : 0};

    if (transpose == KN_GEMM_CONJUGATED)
        value.im = -value.im;
    return value;
}

static inline long double magnitude(struct complex_number a)
{
    return a.im != 0 ? hypotl(a.re, a.im) : fabsl(a.re);
}

static inline struct complex_number times(struct complex_number a, struct complex_number b)
{
    return (struct complex_number){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

static inline double number(const void *values, kn_type type, size_t i)
{
    return type == KN_F32 ? (double)((const float *)values)[i] : ((const double *)values)[i];
}

static inline void expect_entry(const struct product *p, const void *found, size_t l, size_t i, size_t j)
{
    const kn_gemm_task *t = &p->task;
    const struct complex_number alpha = {t->alpha[0], t->alpha[1]}, beta = {t->beta[0], t->beta[1]};
    bool keeps = beta.re != 0 || beta.im != 0, multiplies = alpha.re != 0 || alpha.im != 0;
    struct complex_number sum = {0, 0}, wanted, old = {0, 0};
    long double eps = t->type == KN_F32 ? FLT_EPSILON / 2 : DBL_EPSILON / 2, all = 0, bound, error;
    size_t layout = layout_of(p, &p->c, l, i, j);

    for (size_t k = 0; multiplies && k < t->k; k++) {
        struct complex_number a = at(p, &p->a, l, i, k, t->transpose_a),
                              b = at(p, &p->b, l, k, j, t->transpose_b);
        struct complex_number product = times(a, b);
        sum.re += product.re;
        sum.im += product.im;
        all += magnitude(a) * magnitude(b);
    }
    wanted = times(alpha, sum);
    if (keeps) {
        old = times(beta, at(p, &p->c, l, i, j, KN_GEMM_AS_IS));
        wanted.re += old.re;
        wanted.im += old.im;
    }
    bound =
        eps * (long double)(t->k + 2) * (magnitude(alpha) * all + magnitude(old)) * (t->is_complex ? 3 : 1);
    error = hypotl(number(found, t->type, layout) - wanted.re,
                   t->is_complex ? number(found, t->type, layout + 1) - wanted.im : 0);
    ck_assert_msg(error <= bound,
                  "%s%s %zux%zux%zu transposed %d %d: entry %zu, %zu of %zu: error %Lg, bound %Lg",
                  t->is_complex ? "complex " : "", kn_type_name(t->type), t->m, t->n, t->k,
                  (int)t->transpose_a, (int)t->transpose_b, i, j, l, error, bound);
}

// Memory that is not an element of C must keep its bits.
static inline void expect_gaps(const struct product *p, const void *found)
{
    const struct stored *c = &p->c;
    size_t parts = p->task.is_complex ? 2 : 1;
    bool *written = calloc(c->numbers + 1, sizeof *written);

    ck_assert_ptr_nonnull(written);
    for (size_t l = 0; l < p->task.batch; l++)
        for (size_t i = 0; i < c->rows; i++)
            for (size_t j = 0; j < c->columns * parts; j++)
                written[layout_of(p, c, l, i, 0) + j] = true;
    for (size_t i = 0; i < c->numbers; i++)
        ck_assert_msg(written[i] || isnan(number(found, p->task.type, i)),
                      "number %zu, between the rows of C, was written", i);
    free(written);
}

// Places the matrices with `apart` elements before each, and more than a row's length between rows.
static inline void expect_product(kn_gemm_task task, size_t apart, const kn_gemm_options *options,
                                  uint64_t *state)
{
    struct product p = {.task = task, .state = state};
    bool flip_a = task.transpose_a != KN_GEMM_AS_IS, flip_b = task.transpose_b != KN_GEMM_AS_IS;
    bool keeps = task.beta[0] != 0 || task.beta[1] != 0;
    size_t a_columns = flip_a ? task.m : task.k, b_columns = flip_b ? task.k : task.n;
    void *found;

    p.task.batch = task.batch = task.batch ? task.batch : 1;
    p.a = make_stored(&p, flip_a ? task.k : task.m, a_columns, apart, a_columns + apart, 2 * apart);
    p.b = make_stored(&p, flip_b ? task.n : task.k, b_columns, 2 * apart, b_columns + 3 * apart, apart);
    p.c = make_stored(&p, task.m, task.n, 3 * apart, task.n + 2 * apart, apart);
    fill(&p, &p.a);
    fill(&p, &p.b);
    if (keeps)
        fill(&p, &p.c);
    p.task.a = upload(&p, &p.a);
    p.task.b = upload(&p, &p.b);
    p.task.c = upload(&p, &p.c);
    EXPECT_OK(kn_gemm(queue, &p.task, options, &err));
    found = malloc(p.c.numbers * kn_type_size(task.type) + 1);
    ck_assert_ptr_nonnull(found);
    EXPECT_OK(kn_buffer_read(queue, p.task.c.buffer, 0, found, p.c.numbers * kn_type_size(task.type), &err));
    for (size_t l = 0; l < task.batch; l++)
        for (size_t i = 0; i < task.m; i++)
            for (size_t j = 0; j < task.n; j++)
                expect_entry(&p, found, l, i, j);
    expect_gaps(&p, found);
    free(found);
    struct stored *const all[] = {&p.a, &p.b, &p.c};
    kn_buffer *const buffers[] = {p.task.a.buffer, p.task.b.buffer, p.task.c.buffer};
    for (size_t i = 0; i < KI_COUNT(all); i++) {
        free(all[i]->values);
        kn_buffer_free(buffers[i]);
    }
}

static inline size_t pick(uint64_t *state, const size_t *of, size_t count)
{
    return of[test_random(state) % count];
}

static inline kn_gemm_transpose pick_transpose(uint64_t *state)
{
    return transposes[test_random(state) % 3];
}

// By number: float, double, complex float, complex double.
static inline kn_gemm_task task_of(int kind)
{
    return KN_INIT(kn_gemm_task, .type = kind & 1 ? KN_F64 : KN_F32, .is_complex = kind >> 1);
}

// Prints a line once for each test and returns false if there is no double precision.
static inline bool takes_kind(int kind)
{
    if (kind == 1)
        return test_takes(KN_F64);
    return kind != 3 || kn_context_get_device(context)->fp64;
}

// Whether every transposition is a separate program that takes seconds to compile: some tests then only try a
// few, at random.
static inline bool is_costly(const kn_gemm_options *options)
{
    const kn_device_info *info = kn_context_get_device(context);
    bool cpu = info->type == KN_DEVICE_CPU;

    return options->library == KN_GEMM_OWN && (options->tile ? cpu : !cpu || info->loop_limit);
}

// Tries every type and transposition; the sizes are all multiples of what a vector holds, so that whole
// vectors are loaded, or none is: alternately, starting at random.
static inline void expect_transposes(const kn_gemm_options *options, const char *name)
{
    static const size_t sizes[2][9] = {{4, 8, 16, 32, 36, 40, 64, 68, 12}, {1, 2, 3, 7, 31, 33, 35, 63, 65}};
    uint64_t state = test_seed(name);
    unsigned turn = (unsigned)(test_random(&state) % 2);

    for (int kind = 0; kind < 4; kind++)
        for (size_t i = 0; i < 9 && takes_kind(kind); i++) {
            kn_gemm_task task = task_of(kind);
            task.transpose_a = transposes[i / 3];
            task.transpose_b = transposes[i % 3];
            // Transposed and conjugated are the same for real matrices, so one of them is enough.
            bool again = !task.is_complex && (i / 3 == 2) != (i % 3 == 2);
            bool left_out = is_costly(options) && kind > 0 && test_random(&state) % 4;
            // Oclgrind 21.10 itself crashes in cl/algo/gemm/gemm.cl when that loads two complex floats at
            // once.
            left_out = left_out || (test_is_slow() && task.is_complex && options->tile);
            if (again || left_out)
                continue;
            const size_t *from = sizes[turn];
            task.m = pick(&state, from, 9);
            task.n = pick(&state, from, 9);
            task.k = pick(&state, from, 9);
            task.batch = 1 + test_random(&state) % 2;
            for (int part = 0; part <= task.is_complex; part++) {
                task.alpha[part] = 2 * (double)(float)test_uniform(&state) - 1;
                task.beta[part] = test_random(&state) % 2 ? (double)(float)test_uniform(&state) : 0;
            }
            expect_product(task, turn ? test_random(&state) % 4 : 4, options, &state);
            turn = !turn;
        }
}

// Sums so long that they are computed in blocks or in parts, in every type.
static inline void expect_depths(const kn_gemm_options *options, const char *name)
{
    static const size_t depths[] = {255, 256, 257, 512, 513, 1100, 4096};
    uint64_t state = test_seed(name);

    for (int kind = 0; kind < 4; kind++) {
        kn_gemm_task task = task_of(kind);
        task.m = 7;
        task.n = 20;
        task.transpose_a = pick_transpose(&state);
        task.transpose_b = pick_transpose(&state);
        task.alpha[0] = -0.75;
        for (size_t i = 0; i < KI_COUNT(depths) && takes_kind(kind); i++) {
            task.k = depths[i];
            task.beta[0] = i % 2 ? 0.5 : 0;
            if (!test_is_slow() || (i < 5 && (size_t)kind == i % 4))
                expect_product(task, 4, options, &state);
        }
    }
}

// All of m, n and k around the edges of the tile and of its steps.
static inline void expect_sizes(const kn_gemm_options *options, const char *name)
{
    static const size_t sizes[] = {0, 1, 2, 3, 31, 32, 33, 127, 128, 129};
    const size_t count = test_is_slow() ? 7 : KI_COUNT(sizes);
    uint64_t state = test_seed(name);

    for (size_t i = 0; i < count * 6; i += test_is_slow() ? 5 : 1) {
        kn_gemm_task task =
            KN_INIT(kn_gemm_task, .type = KN_F32, .alpha = {0.75, 0}, .beta = {i % 2 ? -0.5 : 0, 0});
        // Every size once as m, n and k, with random other sizes.
        size_t *const axes[] = {&task.m, &task.n, &task.k};
        for (size_t axis = 0; axis < 3; axis++)
            *axes[axis] = axis == i / 2 % 3 ? sizes[i / 6] : pick(&state, sizes, count);
        expect_product(task, 0, options, &state);
    }
}

#endif
