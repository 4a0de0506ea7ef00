// SPDX-License-Identifier: Apache-2.0
// Tests batches of frames on a device: their rings are computed there, by the kernels for that purpose; two
// batches are in progress at once, and each arrives at its own place; a series takes its rings from the
// device unless that is impossible.
#include "unit/app/autocorr/device/autocorr_rings_support.h"

#include "autocorr_source_support.h"
#include "app/autocorr/series/series.h"

enum { TOGETHER = 3 };

// Frames of one size, and the host's results for them.
struct batch {
    struct autocorr_task tasks[TOGETHER];
    uint64_t *products, *found_products;
    struct autocorr_ring *rings, *found;
};

static struct batch make_batch(size_t width, size_t height, size_t max_offset, kn_type type, bool cross,
                               kn_autocorr_normalization normalization, uint64_t *state)
{
    size_t offsets = autocorr_offsets(max_offset), rings = max_offset + 1;
    struct batch batch = {.products = malloc(TOGETHER * offsets * sizeof *batch.products),
                          .found_products = malloc(TOGETHER * offsets * sizeof *batch.products),
                          .rings = malloc(TOGETHER * rings * sizeof *batch.rings),
                          .found = malloc(TOGETHER * rings * sizeof *batch.rings)};

    ck_assert(batch.products && batch.found_products && batch.rings && batch.found);
    memset(batch.found_products, 0xab, TOGETHER * offsets * sizeof *batch.products);
    memset(batch.found, 0xab, TOGETHER * rings * sizeof *batch.rings);
    for (size_t i = 0; i < TOGETHER; i++) {
        batch.tasks[i] = (struct autocorr_task){.first = random_image(width, height, type, state),
                                                .max_offset = max_offset};
        if (cross)
            batch.tasks[i].second = random_image(width, height, type, state);
        EXPECT_OK(ki_autocorr_reference(&batch.tasks[i], batch.products + i * offsets, &err));
        host_rings(&batch.tasks[i], batch.products + i * offsets, normalization, batch.rings + i * rings);
    }
    return batch;
}

static void free_batch(struct batch *batch)
{
    for (size_t i = 0; i < TOGETHER; i++) {
        free_image(&batch->tasks[i].first);
        free_image(&batch->tasks[i].second);
    }
    free(batch->products);
    free(batch->found_products);
    free(batch->rings);
    free(batch->found);
}

static void expect_batch(const struct batch *batch, bool products, const char *name)
{
    size_t max_offset = batch->tasks[0].max_offset;

    for (size_t i = 0; i < TOGETHER; i++)
        expect_rings(batch->found + i * (max_offset + 1), batch->rings + i * (max_offset + 1), max_offset,
                     name);
    if (products)
        ck_assert_mem_eq(batch->found_products, batch->products,
                         TOGETHER * autocorr_offsets(max_offset) * sizeof *batch->products);
    for (size_t i = 0; i < (products ? 0 : TOGETHER * autocorr_offsets(max_offset)); i++)
        ck_assert_uint_eq(batch->found_products[i], UINT64_C(0xabababababababab));
}

// ---- which kernels ran ----

// Windows and rings are launched once for each batch, with a method that has its own tables, and with one
// that has none.
START_TEST(rings)
{
    static const kn_autocorr_method methods[] = {KN_AUTOCORR_DIRECT, KN_AUTOCORR_FFT};
    uint64_t state = test_seed("rings");
    bool exact = kn_context_get_device(context)->fp64 != 0;

    for (unsigned kind = 0; kind < 4; kind++) {
        kn_autocorr_method method = methods[kind & 1];
        bool cross = (kind & 2) != 0, products = cross;
        kn_autocorr_normalization normalization = cross ? KN_AUTOCORR_LU2009 : KN_AUTOCORR_PEARSON;
        struct batch batch = make_batch(45, 37, 11, cross ? KN_U16 : KN_U8, cross, normalization, &state);
        const struct autocorr_results results = {products ? batch.found_products : NULL, batch.found,
                                                 normalization};
        struct autocorr_engine engine;
        kn_profile_entry *entries;
        size_t count;

        if (method == KN_AUTOCORR_FFT && !exact) // rings of sums that differ from the reference's
            continue;
        EXPECT_OK(ki_autocorr_engine_begin(queue, method, exact, &engine, &err));
        ck_assert(ki_autocorr_engine_has_rings(&engine, &batch.tasks[0], NULL));
        EXPECT_OK(kn_profile_start(queue, &err));
        EXPECT_OK(ki_autocorr_engine_start(&engine, batch.tasks, TOGETHER, &results, &err));
        EXPECT_OK(ki_autocorr_engine_finish(&engine, &err));
        EXPECT_OK(kn_profile_stop(queue, &entries, &count, &err));
        ck_assert_uint_eq(test_count_kernel(entries, count, "autocorr_windows"), 1);
        ck_assert_uint_eq(test_count_kernel(entries, count, "autocorr_radial"), 1);
        ck_assert_uint_eq(test_count_kernel(entries, count, "autocorr_direct"), method == KN_AUTOCORR_DIRECT);
        ck_assert_uint_eq(test_count_kernel(entries, count, "autocorr_fft_columns"),
                          method == KN_AUTOCORR_FFT);
        kn_free(entries);
        expect_batch(&batch, products, ki_autocorr_method_names[method]);
        ki_autocorr_engine_end(&engine);
        free_batch(&batch);
    }
}
END_TEST

// Tables for only two frames at a time are made.
START_TEST(rings_in_parts)
{
    uint64_t state = test_seed("rings_in_parts");
    struct batch batch;
    struct autocorr_results results = {.normalization = KN_AUTOCORR_PEARSON};
    struct autocorr_engine engine;
    kn_profile_entry *entries;
    size_t count;

    if (test_is_slow())
        return;
    batch = make_batch(900, 3, 850, KN_U8, false, KN_AUTOCORR_PEARSON, &state);
    results.rings = batch.found;
    EXPECT_OK(ki_autocorr_engine_begin(queue, KN_AUTOCORR_DIRECT, false, &engine, &err));
    EXPECT_OK(kn_profile_start(queue, &err));
    EXPECT_OK(ki_autocorr_engine_start(&engine, batch.tasks, TOGETHER, &results, &err));
    EXPECT_OK(ki_autocorr_engine_finish(&engine, &err));
    EXPECT_OK(kn_profile_stop(queue, &entries, &count, &err));
    ck_assert_uint_eq(test_count_kernel(entries, count, "autocorr_windows"), 2);
    ck_assert_uint_eq(test_count_kernel(entries, count, "autocorr_radial"), 2);
    kn_free(entries);
    expect_batch(&batch, false, "in parts");
    ki_autocorr_engine_end(&engine);
    free_batch(&batch);
}
END_TEST

// Images that exceed one allocation are sent one after the other; those without gaps are sent directly.
START_TEST(not_pinned)
{
    uint64_t state = test_seed("not_pinned");
    struct batch batch = make_batch(120, 90, 3, KN_U16, true, KN_AUTOCORR_PEARSON, &state);
    const struct autocorr_results results = {batch.found_products, batch.found, KN_AUTOCORR_PEARSON};
    const size_t width = batch.tasks[1].first.width, row = width * sizeof(uint16_t);
    const uint64_t own = context->device.info.max_alloc;
    uint16_t *dense = malloc(row * batch.tasks[1].first.height);
    struct autocorr_image gaps = batch.tasks[1].first;
    struct autocorr_engine engine;

    ck_assert_ptr_nonnull(dense);
    for (size_t y = 0; y < gaps.height; y++)
        memcpy(dense + y * width, (const uint16_t *)gaps.pixels + y * gaps.stride, row);
    batch.tasks[1].first.pixels = dense;
    batch.tasks[1].first.stride = width;
    context->device.info.max_alloc = 100000; // the pixels are 64,800 bytes, and as many; there is no scratch
    EXPECT_OK(ki_autocorr_engine_begin(queue, KN_AUTOCORR_TEXTURE_STYLE, false, &engine, &err));
    EXPECT_OK(ki_autocorr_engine_start(&engine, batch.tasks, TOGETHER, &results, &err));
    EXPECT_OK(ki_autocorr_engine_finish(&engine, &err));
    context->device.info.max_alloc = own;
    expect_batch(&batch, true, "not pinned");
    ki_autocorr_engine_end(&engine);
    batch.tasks[1].first = gaps;
    free(dense);
    free_batch(&batch);
}
END_TEST

// Cases in which rings are not computed on the device: masks that the host handles, an R with too large
// tables, the host, sums that must be exact.
START_TEST(no_rings)
{
    static const uint8_t mask[1] = {1}, pixel[1] = {9};
    struct autocorr_task task = {.first = {1, 1, 1, KN_U8, pixel}};
    struct autocorr_engine engine, host, inexact;

    EXPECT_OK(ki_autocorr_engine_begin(queue, KN_AUTOCORR_AUTO, true, &engine, &err));
    EXPECT_OK(ki_autocorr_engine_begin(queue, KN_AUTOCORR_AUTO, false, &inexact, &err));
    EXPECT_OK(ki_autocorr_engine_begin(NULL, KN_AUTOCORR_AUTO, true, &host, &err));
    ck_assert(ki_autocorr_engine_has_rings(&inexact, &task, NULL));
    ck_assert(ki_autocorr_engine_has_rings(&engine, &task, NULL) ==
              (kn_context_get_device(context)->fp64 != 0));
    ck_assert(!ki_autocorr_engine_has_rings(&host, &task, NULL));
    task.max_offset = 30001;
    ck_assert(!ki_autocorr_engine_has_rings(&inexact, &task, NULL));
    task.max_offset = 0;
    task.mask = mask;
    inexact.masked = AUTOCORR_MASKED_HOST;
    ck_assert(!ki_autocorr_engine_has_rings(&inexact, &task, NULL));
    ki_autocorr_engine_end(&engine);
    ki_autocorr_engine_end(&inexact);
    ki_autocorr_engine_end(&host);
}
END_TEST

// ---- two at once ----

START_TEST(two_under_way)
{
    uint64_t state = test_seed("two_under_way");
    struct batch batches[4];
    struct autocorr_engine engine;
    struct autocorr_results results[4];

    for (size_t i = 0; i < 4; i++) {
        batches[i] = make_batch(i < 3 ? 45 : 46, 37, 11, KN_U8, false, KN_AUTOCORR_PEARSON, &state);
        results[i] =
            (struct autocorr_results){batches[i].found_products, batches[i].found, KN_AUTOCORR_PEARSON};
    }
    EXPECT_OK(ki_autocorr_engine_begin(queue, KN_AUTOCORR_DIRECT, false, &engine, &err));
    EXPECT_OK(ki_autocorr_engine_start(&engine, batches[0].tasks, TOGETHER, &results[0], &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "a batch of other frames is under way, of 45 x 37 pixels with R = 11",
                   ki_autocorr_engine_start(&engine, batches[3].tasks, TOGETHER, &results[3], &err));
    EXPECT_OK(ki_autocorr_engine_start(&engine, batches[1].tasks, TOGETHER, &results[1], &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "2 batches are under way",
                   ki_autocorr_engine_start(&engine, batches[2].tasks, TOGETHER, &results[2], &err));
    EXPECT_OK(ki_autocorr_engine_finish(&engine, &err));
    expect_batch(&batches[0], true, "the first");
    EXPECT_OK(ki_autocorr_engine_start(&engine, batches[2].tasks, TOGETHER, &results[2], &err));
    EXPECT_OK(ki_autocorr_engine_finish(&engine, &err));
    expect_batch(&batches[1], true, "the second");
    EXPECT_OK(ki_autocorr_engine_finish(&engine, &err));
    expect_batch(&batches[2], true, "the third");
    // Another size while nothing is in progress; an abandoned batch leaves no trace.
    EXPECT_OK(ki_autocorr_engine_start(&engine, batches[3].tasks, TOGETHER, &results[3], &err));
    ki_autocorr_engine_abandon(&engine);
    EXPECT_OK(ki_autocorr_engine_start(&engine, batches[0].tasks, TOGETHER, &results[0], &err));
    EXPECT_OK(ki_autocorr_engine_start(&engine, batches[1].tasks, TOGETHER, &results[1], &err));
    EXPECT_OK(ki_autocorr_engine_finish(&engine, &err));
    EXPECT_OK(ki_autocorr_engine_finish(&engine, &err));
    expect_batch(&batches[1], true, "the second, again");
    ck_assert_double_gt(engine.seconds.compute, 0);
    ki_autocorr_engine_end(&engine);
    for (size_t i = 0; i < 4; i++)
        free_batch(&batches[i]);
}
END_TEST

// ---- series ----

enum { FRAMES = 12, WIDTH = 30, HEIGHT = 26, MOST = 9 };

struct taken {
    struct autocorr_ring rings[FRAMES][MOST + 1]; // without sectors
    double r_max[FRAMES];
    double bound; // the greatest of all frames
    size_t count;
    bool wants_sums, wants_values;
};

static kn_status keep(void *data, const kn_autocorr_analysis *analysis, kn_error *error)
{
    struct taken *taken = data;

    (void)error;
    ck_assert_ptr_null(analysis->error);
    ck_assert(!analysis->sums == !taken->wants_sums);
    ck_assert(!analysis->values == !taken->wants_values);
    ck_assert(!analysis->verified || (analysis->verified->count == 2 && !analysis->verified->wrong));
    for (size_t k = 0; k <= MOST; k++) {
        const kn_autocorr_ring *ring = &analysis->rings[k];

        taken->rings[analysis->index][k] = (struct autocorr_ring){
            ring->radius, ring->value, ring->error, ring->weight, ring->count, {0}, {0}};
    }
    taken->r_max[analysis->index] = analysis->lengths.r_max;
    taken->bound = fmax(taken->bound, analysis->bound);
    ck_assert_uint_eq(analysis->index, taken->count);
    taken->count++;
    return KN_OK;
}

// The same frames on the host, on the device with all results requested, and with a mask whose sums either
// can compute.
START_TEST(places)
{
    enum { MODES = 5 };
    uint64_t state = test_seed("series");
    struct film film = make_film(FRAMES, WIDTH, HEIGHT, KN_U8, &state);
    const kn_autocorr_source source = film_source(&film);
    uint8_t all[WIDTH * HEIGHT];
    kn_autocorr_grey mask = {.width = WIDTH, .height = HEIGHT, .type = KN_U8, .pixels = all};
    const kn_autocorr_verification two = {2, 1};
    struct taken *taken = calloc(MODES, sizeof *taken);

    ck_assert_ptr_nonnull(taken);
    memset(all, 1, sizeof all); // the same rings for all
    for (unsigned mode = 0; mode < MODES; mode++) {
        const kn_autocorr_series_options options = KN_INIT(
            kn_autocorr_series_options, .method = mode ? KN_AUTOCORR_DIRECT : KN_AUTOCORR_SIMD,
            .single = true, .max_offset = MOST, .one_size = true, .sums = mode == 2, .values = mode == 2,
            .mask = mode >= 3 ? &mask : NULL, .verification = mode == 2 ? &two : NULL);
        kn_autocorr_series *series = NULL;
        kn_autocorr_pipeline pipeline;

        taken[mode].wants_sums = taken[mode].wants_values = mode == 2;
        EXPECT_OK(kn_autocorr_series_create(mode ? queue : NULL, &options, &series, &err));
        series->engine.masked = mode == 3 ? AUTOCORR_MASKED_HOST : AUTOCORR_MASKED_DEVICE;
        EXPECT_OK(kn_autocorr_series_execute(series, &source, keep, &taken[mode], &err));
        pipeline = kn_autocorr_series_get_pipeline(series);
        ck_assert_uint_eq(taken[mode].count, FRAMES);
        ck_assert_uint_eq(pipeline.device_rings, mode && mode != 3 ? FRAMES : 0);
        ck_assert(!pipeline.why_host == (pipeline.device_rings == FRAMES));
        ck_assert(pipeline.batches > 0 && pipeline.overlapped < pipeline.batches);
        for (size_t i = 0; i < FRAMES; i++) {
            double bound = kn_context_get_device(context)->fp64 ? 1e-9 : 1e-2, wanted = taken[0].r_max[i];

            expect_rings(taken[mode].rings[i], taken[0].rings[i], MOST, "series");
            ck_assert(isnan(wanted) ? isnan(taken[mode].r_max[i])
                                    : fabs(taken[mode].r_max[i] - wanted) <= bound);
        }
        kn_autocorr_series_free(series);
    }
    free(taken);
    free(film.pixels);
}
END_TEST

// The threads that decode find the bound on the errors of single precision, for the region and the mask.
static void try_energies(struct film *film, const kn_autocorr_grey *mask)
{
    const kn_autocorr_region region = {5, 3, 21, 19};
    const kn_autocorr_source source = film_source(film);
    const kn_autocorr_series_options options =
        KN_INIT(kn_autocorr_series_options, .method = KN_AUTOCORR_FFT, .single = true, .max_offset = MOST,
                .one_size = true, .region = &region, .mask = mask);
    struct autocorr_task tasks[FRAMES];
    struct autocorr_ring found[FRAMES * (MOST + 1)];
    const struct autocorr_results results = {.rings = found};
    struct taken taken = {.count = 0};
    kn_autocorr_series *series = NULL;
    struct autocorr_engine engine;
    double bound;

    EXPECT_OK(kn_autocorr_series_create(queue, &options, &series, &err));
    EXPECT_OK(kn_autocorr_series_execute(series, &source, keep, &taken, &err));
    kn_autocorr_series_free(series);
    for (size_t i = 0; i < FRAMES; i++) {
        tasks[i] = (struct autocorr_task){.first = {WIDTH, HEIGHT, WIDTH, KN_U8, film_frame(film, i)},
                                          .mask = mask ? mask->pixels : NULL,
                                          .mask_stride = WIDTH,
                                          .max_offset = MOST};
        EXPECT_OK(ki_autocorr_crop(&tasks[i], &region, &err));
    }
    EXPECT_OK(ki_autocorr_engine_begin(queue, KN_AUTOCORR_FFT, false, &engine, &err));
    engine.masked = AUTOCORR_MASKED_DEVICE;
    EXPECT_OK(ki_autocorr_engine_start(&engine, tasks, FRAMES, &results, &err));
    EXPECT_OK(ki_autocorr_engine_finish(&engine, &err));
    bound = engine.bound;
    ck_assert_double_gt(bound, 0.5);
    ck_assert_double_eq(taken.bound, bound);
    for (size_t i = 0; i < FRAMES; i++)
        tasks[i].energy = 4 * ki_autocorr_energy(&tasks[i].first, tasks[i].mask, tasks[i].mask_stride);
    EXPECT_OK(ki_autocorr_engine_start(&engine, tasks, FRAMES, &results, &err));
    EXPECT_OK(ki_autocorr_engine_finish(&engine, &err));
    ck_assert_double_eq_tol(engine.bound - 0.5, 4 * (bound - 0.5), 1e-12 * bound);
    ki_autocorr_engine_end(&engine);
}

START_TEST(energies)
{
    uint64_t state = test_seed("energies");
    struct film film = make_film(FRAMES, WIDTH, HEIGHT, KN_U8, &state);
    uint8_t some[WIDTH * HEIGHT];
    const kn_autocorr_grey mask = {.width = WIDTH, .height = HEIGHT, .type = KN_U8, .pixels = some};

    for (size_t i = 0; i < sizeof some; i++)
        some[i] = test_random(&state) % 3 != 0;
    try_energies(&film, NULL);
    try_energies(&film, &mask);
    free(film.pixels);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {rings,         rings_in_parts, not_pinned, no_rings,
                                  two_under_way, places,         energies};

    return test_run("autocorr batches", tests, sizeof tests / sizeof *tests, test_open, test_close);
}
