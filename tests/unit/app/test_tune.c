// SPDX-License-Identifier: Apache-2.0
// Measurements of tunables: with an algorithm whose answers, errors and times are the test's own; and what is
// kept is what the sums of the reconstruction are built with.
#include "../device_support.h"
#include "sum_support.h"

#include <math.h>
#include <time.h>

#include "../../../src/algo/sort.h"
#include "../../../src/app/mri/gridding.h"
#include "../../../src/app/tune/tune.h"

static char *cache_dir;

static void open_again(void)
{
    const kn_context_options options = {.cache_dir = cache_dir};

    test_close();
    test_open_with(&options);
}

static void set_up(void)
{
    cache_dir = test_folder();
    open_again();
}

static void tear_down(void)
{
    test_close();
    test_remove(cache_dir);
}

// ---- an algorithm that does as it is told ----

enum { COUNT = 100, USUAL_PAUSE = 30, RIGHT = 0, CLOSE, WRONG, SILENT, FAILING, REFUSED, FAULTS };

static const struct engine_tunables told = {"told", "reduce.cl", {"PAUSE", "FAULT", NULL}};
static size_t runs;

static void told_values(const kn_queue *on, unsigned *values)
{
    values[0] = USUAL_PAUSE; // milliseconds
    values[1] = RIGHT;
    (void)engine_tuning(kn_queue_context(on), &told, values);
}

static const struct tune_axis *told_axes(const kn_queue *on)
{
    static const struct tune_axis axes[] = {{2, {20, 2}},
                                            {6, {RIGHT, CLOSE, WRONG, SILENT, FAILING, REFUSED}}};

    (void)on;
    return axes;
}

static void told_usual(const struct tune_work *work, unsigned *values)
{
    (void)work;
    values[0] = USUAL_PAUSE;
    values[1] = RIGHT;
}

static kn_status told_open(struct tune_work *work, kn_error *why)
{
    return kn_buffer_create(kn_queue_context(work->queue), COUNT * sizeof(float), &work->result, why);
}

static void told_close(struct tune_work *work)
{
    (void)work;
}

static kn_status told_run(struct tune_work *work, kn_error *why)
{
    unsigned values[ENGINE_TUNABLES];
    float numbers[COUNT];

    runs++;
    told_values(work->queue, values);
    if (values[1] == REFUSED)
        engine_tuning_refuse(kn_queue_context(work->queue), &told, "fault %u", values[1]);
    if (values[1] == FAILING) {
        if (why)
            snprintf(why->text, sizeof why->text, "no such kernel\nand more lines");
        return KN_ERROR_BUILD;
    }
    // Faults are fast, so that one that counted would be the best.
    nanosleep(&(struct timespec){.tv_nsec = (long)(values[1] <= CLOSE ? values[0] : 0) * 1000000}, NULL);
    for (size_t i = 0; i < COUNT; i++)
        numbers[i] = values[1] == WRONG && i == 77 ? 0 : (float)i * (values[1] == CLOSE ? 1 + 0x1p-20f : 1);
    return values[1] == SILENT ? KN_OK
                               : kn_buffer_write(work->queue, work->result, 0, numbers, sizeof numbers, why);
}

static struct tune_subject told_subject(double bound)
{
    return (struct tune_subject){.tunables = &told,
                                 .what = "what it is told",
                                 .bound = bound,
                                 .axes = told_axes,
                                 .usual = told_usual,
                                 .open = told_open,
                                 .close = told_close,
                                 .run = told_run};
}

static const struct tune_row *row_of(const struct tune_report *report, unsigned pause, unsigned fault)
{
    for (size_t i = 0; i < report->count; i++)
        if (report->rows[i].values[0] == pause && report->rows[i].values[1] == fault)
            return &report->rows[i];
    ck_abort_msg("no row of %u, %u", pause, fault);
    return NULL;
}

START_TEST(measured)
{
    const struct tune_subject subject = told_subject(0x1p-19);
    struct tune_report report;
    struct tune_row best;
    unsigned values[ENGINE_TUNABLES];
    kn_error why = KN_ERROR_INIT;

    ck_assert_msg(tune_measure(queue, &subject, true, &report, &why) == KN_OK, "%s", why.text);
    ck_assert_uint_eq(report.count, 1 + 2 + 5);
    ck_assert_uint_eq(report.rows[0].values[0], USUAL_PAUSE);
    best = report.rows[report.best];
    ck_assert_uint_eq(best.values[0], 2);
    ck_assert_uint_le(best.values[1], CLOSE);
    ck_assert_double_ge(best.seconds, 0.002);
    ck_assert_double_ge(report.rows[0].seconds, 0.03);
    ck_assert_double_ge(row_of(&report, 2, CLOSE)->seconds, 0);
    ck_assert_double_gt(row_of(&report, 2, CLOSE)->error, 0);
    for (unsigned fault = WRONG; fault < FAULTS; fault++)
        ck_assert_double_lt(row_of(&report, 2, fault)->seconds, 0);
    ck_assert_ptr_nonnull(strstr(row_of(&report, 2, WRONG)->why, "is off by"));
    ck_assert_ptr_nonnull(strstr(row_of(&report, 2, SILENT)->why, "is off by inf"));
    ck_assert_str_eq(row_of(&report, 2, FAILING)->why, "no such kernel");
    ck_assert_str_eq(row_of(&report, 2, REFUSED)->why, "fault 5");

    // Nothing is kept before it is said so; then it is for later contexts.
    told_values(queue, values);
    ck_assert_uint_eq(values[0], USUAL_PAUSE);
    ck_assert_msg(tune_keep(queue, &report, &why) == KN_OK, "%s", why.text);
    open_again();
    told_values(queue, values);
    ck_assert_mem_eq(values, best.values, 2 * sizeof *values);
    tune_free(&report);
}
END_TEST

// Equal bytes are asked for where no bound is given; the values that are kept do not stand for the
// algorithm's own.
START_TEST(exact)
{
    const struct tune_subject subject = told_subject(0);
    const unsigned kept[] = {1, WRONG};
    struct tune_report report;
    unsigned values[ENGINE_TUNABLES];

    EXPECT_OK(engine_tuning_keep(context, &told, kept, "", &err));
    runs = 0;
    EXPECT_OK(tune_measure(queue, &subject, true, &report, &err));
    ck_assert_double_lt(row_of(&report, 2, CLOSE)->seconds, 0);
    ck_assert_uint_eq(report.rows[report.best].values[0], 2);
    ck_assert_uint_eq(report.rows[report.best].values[1], RIGHT);
    ck_assert_uint_ge(runs, 3 * 4 + 4); // three that count, several times; four faults, once
    told_values(queue, values);
    ck_assert_mem_eq(values, kept, sizeof kept);
    tune_free(&report);
}
END_TEST

START_TEST(described)
{
    static const char *const words[] = {"none", "much", NULL};
    struct tune_subject subject = told_subject(0);
    const unsigned values[] = {5, 1}, strange[] = {5, 9};
    struct kn_text text = KN_TEXT_INIT;

    subject.words[1] = words;
    tune_describe(&subject, values, &text);
    kn_text_add(&text, "; ");
    tune_describe(&subject, strange, &text);
    ck_assert_str_eq(kn_text_string(&text), "PAUSE 5, FAULT much; PAUSE 5, FAULT 9");
    kn_text_free(&text);
}
END_TEST

// ---- the reconstruction's sums ----

// Whether a program of the context was built with this macro.
static bool is_built_with(const char *file, const char *macro)
{
    char line[64];

    snprintf(line, sizeof line, "\n%s", macro);
    for (size_t i = 0; i < context->builtin_count; i++) {
        const char *key = context->builtins[i].key, *at = strstr(key, line);

        if (strncmp(key, file, strlen(file)) == 0 && at && (at[strlen(line)] == '\n' || !at[strlen(line)]))
            return true;
    }
    return false;
}

static void expect_sum(struct problem *p)
{
    kn_buffer *image;
    float *found = take(2 * p->count, sizeof *found);

    EXPECT_OK(kn_buffer_create(context, p->count * 2 * sizeof *found, &image, &err));
    EXPECT_OK(mri_sum_device(queue, &p->sum, MRI_TUNED, image, NULL, &err));
    EXPECT_OK(kn_buffer_read(queue, image, 0, found, p->count * 2 * sizeof *found, &err));
    // A float's sum of 40 numbers up to the square root of 2.
    for (size_t n = 0; n < p->count; n++)
        ck_assert_double_le(cabs(p->wanted[n] - mri_complex((double)found[2 * n], (double)found[2 * n + 1])),
                            1e-4);
    kn_buffer_free(image);
    free(found);
}

START_TEST(sums_take_it)
{
    uint64_t state = test_seed("sums_take_it");
    const struct mri_matrix matrix = {3, {5, 3, 7}};
    struct problem p = make(&matrix, 40, DATA, &state);
    struct mri_tuning tuning = mri_tuning_usual(queue);
    unsigned values[ENGINE_TUNABLES];
    char usual[64];

    refer(&p);
    snprintf(usual, sizeof usual, "VOXELS=%u", tuning.voxels);
    expect_sum(&p);
    ck_assert(is_built_with("mri_fhd.cl", usual));
    ck_assert(!is_built_with("mri_fhd.cl", "VOXELS=3"));

    tuning.voxels = 3;
    mri_tuning_values(&tuning, values);
    EXPECT_OK(engine_tuning_keep(context, &mri_sum_tunables, values, "", &err));
    open_again();
    expect_sum(&p);
    ck_assert(is_built_with("mri_fhd.cl", "VOXELS=3"));
    ck_assert(!is_built_with("mri_fhd.cl", usual));

    // What no kernel has is left alone.
    values[1] = 17;
    EXPECT_OK(engine_tuning_keep(context, &mri_sum_tunables, values, "", &err));
    open_again();
    expect_sum(&p);
    ck_assert(is_built_with("mri_fhd.cl", usual));
    free_problem(&p);
}
END_TEST

// Its relative error by a window 4 cells wide.
static double gridding_error(const struct problem *p)
{
    const struct mri_gridding_options options = {.width = 4};
    struct mri_gridding *gridding;
    double error = 0, energy = 0;
    float *found = take(2 * p->count, sizeof *found);
    kn_buffer *image;

    EXPECT_OK(mri_gridding_create(queue, &p->sum.matrix, p->k, p->sum.samples, &options, &gridding, &err));
    EXPECT_OK(kn_buffer_create(context, p->count * 2 * sizeof *found, &image, &err));
    EXPECT_OK(mri_gridding_adjoint(queue, gridding, p->data, NULL, image, &err));
    EXPECT_OK(kn_buffer_read(queue, image, 0, found, p->count * 2 * sizeof *found, &err));
    for (size_t n = 0; n < p->count; n++) {
        double complex difference =
            p->wanted[n] - mri_complex((double)found[2 * n], (double)found[2 * n + 1]);

        error += creal(difference * conj(difference));
        energy += creal(p->wanted[n] * conj(p->wanted[n]));
    }
    kn_buffer_free(image);
    mri_gridding_free(gridding);
    free(found);
    return sqrt(error / energy);
}

START_TEST(gridding_takes_it)
{
    uint64_t state = test_seed("gridding_takes_it");
    const struct mri_matrix matrix = {2, {12, 10, 1}};
    struct problem p = make(&matrix, 50, DATA, &state);
    unsigned values[ENGINE_TUNABLES] = {16, 3, 8, 16};

    refer(&p);
    EXPECT_OK(engine_tuning_keep(context, &mri_gridding_tunables[0], values, "", &err));
    ck_assert_double_le(gridding_error(&p),
                        1e-3); // gridding.h: 2.4e-4 of a larger image; a sample lost makes 0.1
    ck_assert(is_built_with("mri_gridding.cl", "GROUP=16"));
    ck_assert(is_built_with("mri_gridding.cl", "TILE_X=8") && is_built_with("mri_gridding.cl", "TILE_Y=16"));

    // What is no power of two is left alone.
    values[0] = 3;
    EXPECT_OK(engine_tuning_keep(context, &mri_gridding_tunables[0], values, "", &err));
    ck_assert_double_le(gridding_error(&p), 1e-3);
    ck_assert(!is_built_with("mri_gridding.cl", "GROUP=3"));
    free_problem(&p);
}
END_TEST

// ---- sorting ----

static int by_size(const void *a, const void *b)
{
    const float *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

START_TEST(sorting_takes_it)
{
    // Tuned is the sort of many keys; GPUs have shapes of their own for fewer.
    const size_t n = kn_context_device(context)->type == KN_DEVICE_CPU ? 3001 : ((size_t)1 << 21) + 3001;
    const size_t bytes = n * sizeof(float);
    uint64_t state = test_seed("sorting_takes_it");
    // Lanes of local memory, on every device: CPUs' own sort has no such tunables.
    const kn_sort_options options = {.algorithm = KN_SORT_RADIX, .lanes = KN_SORT_LANES_LOCAL};
    unsigned values[ENGINE_TUNABLES] = {288, 3, 2, 2};
    float *keys = take(n, sizeof *keys), *wanted = take(n, sizeof *wanted), *found = take(n, sizeof *found);
    kn_buffer *buffer;

    for (size_t i = 0; i < n; i++)
        keys[i] = wanted[i] = (float)(2 * test_uniform(&state) - 1);
    qsort(wanted, n, sizeof *wanted, by_size);
    for (size_t round = 0; round < 2; round++) {
        if (round)
            values[0] = 300; // no multiple of 32: left alone
        EXPECT_OK(engine_tuning_keep(context, &sort_radix_tunables, values, "", &err));
        open_again();
        EXPECT_OK(kn_buffer_create(context, bytes, &buffer, &err));
        EXPECT_OK(kn_buffer_write(queue, buffer, 0, keys, bytes, &err));
        EXPECT_OK(kn_sort(queue, buffer, KN_F32, n, &options, &err));
        EXPECT_OK(kn_buffer_read(queue, buffer, 0, found, bytes, &err));
        ck_assert_mem_eq(found, wanted, bytes);
        ck_assert(is_built_with("sort_radix.cl", "GROUP=288") == (round == 0));
        ck_assert(is_built_with("sort_radix.cl", "KEYS=3") == (round == 0));
        kn_buffer_free(buffer);
    }
    free(keys);
    free(wanted);
    free(found);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {measured,          exact,           described, sums_take_it,
                                  gridding_takes_it, sorting_takes_it};

    return test_run("tune", tests, sizeof tests / sizeof *tests, set_up, tear_down);
}
