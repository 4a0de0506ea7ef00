// SPDX-License-Identifier: Apache-2.0
// The sizes from which on methods of sorts, selections, robust statistics and products of matrices are faster
// than others.
#include <koine/gemm.h>
#include <koine/robust.h>
#include <koine/select.h>
#include <koine/sort.h>

#include <string.h>

#include "base/array.h"
#include "crossovers.h"

// A few elements take little time, so each of these sizes is repeated several times.
enum { EACH = 8, EACH_MOST = 19, QUICK_MOST = 24, PRODUCT_MOST = 9 };

struct own {
    struct crossover_range range;
    kn_buffer *elements;
    kn_buffer *few; // the same number of elements, with few distinct values
    kn_buffer *factor;
};

// ---- what all subjects share ----

const kn_tunables *crossover_find(const char *name)
{
    const kn_tunables *tunables = NULL;

    for (size_t i = 0;
         (tunables = kn_cost_get_crossover_tunables(i)) && strcmp(tunables->algorithm, name) != 0;)
        i++;
    return tunables;
}

kn_status crossover_usual(const struct tune_work *work, const kn_tunables *tunables, unsigned *values,
                          kn_error *err)
{
    return kn_cost_get_crossover_usual(kn_queue_get_context(work->queue), tunables, &values[CROSSOVER_AT],
                                       err);
}

bool crossover_on_all(const kn_queue *queue)
{
    (void)queue;
    return true;
}

bool crossover_on_gpus(const kn_queue *queue)
{
    return !subject_is_cpu(queue);
}

bool crossover_on_nvidia(const kn_queue *queue)
{
    return crossover_on_gpus(queue) && strstr(subject_device(queue)->vendor, "NVIDIA");
}

bool crossover_on_cuda(const kn_queue *queue)
{
    return strcmp(subject_device(queue)->backend, "cuda") == 0;
}

bool crossover_on_serial(const kn_queue *queue)
{
    return subject_is_serial(queue);
}

// ---- elements ----

static kn_status open_elements(struct tune_work *work, struct crossover_range range, kn_error *err)
{
    struct own *own = work->own;
    size_t count, size = kn_type_size(range.type);
    uint64_t state = 1;
    kn_status status;

    if ((work->quick || subject_is_cpu(work->queue)) && range.most > QUICK_MOST)
        range.most = QUICK_MOST;
    own->range = range;
    count = (size_t)1 << range.most;
    status = subject_numbers(work->queue, range.type, count, &state, &own->elements, err);
    return status ? status
                  : kn_buffer_create(kn_queue_get_context(work->queue), count * size, &work->result, err);
}

static void close_all(struct tune_work *work)
{
    struct own *own = work->own;

    kn_buffer_free(own->elements);
    kn_buffer_free(own->few);
    kn_buffer_free(own->factor);
}

// ---- sorts ----

// Also sorts the same number of elements with equal low digits, as measured values often have.
static kn_status open_digits(struct tune_work *work, struct crossover_range range, kn_error *err)
{
    static const float values[] = {-1, -0.5, 0.25, 2};
    struct own *own = work->own;
    kn_status status = open_elements(work, range, err);
    size_t bytes = status ? 0 : kn_buffer_get_size(own->elements);

    if (!status)
        status = kn_buffer_create(kn_queue_get_context(work->queue), bytes, &own->few, err);
    return status ? status
                  : kn_buffer_fill(work->queue, own->few, values, sizeof values, 0, bytes, NULL, err);
}

static kn_status sort_size(struct tune_work *work, const kn_buffer *elements, unsigned log2, kn_error *err)
{
    const struct own *own = work->own;
    const size_t n = (size_t)1 << log2;
    kn_status status = kn_buffer_copy(work->queue, elements, 0, work->result, 0,
                                      n * kn_type_size(own->range.type), NULL, err);

    return status ? status : kn_sort(work->queue, work->result, own->range.type, n, NULL, err);
}

// From the largest to the smallest, so that each sort leaves its own part of the result.
static kn_status run_sorts(struct tune_work *work, kn_error *err)
{
    const struct own *own = work->own;
    kn_status status = KN_OK;

    for (unsigned log2 = own->range.most; log2 >= own->range.least && !status; log2--)
        for (unsigned i = 0; i < (log2 <= EACH_MOST ? EACH : 1) && !status; i++) {
            if (own->few)
                status = sort_size(work, own->few, log2, err);
            if (!status)
                status = sort_size(work, own->elements, log2, err);
        }
    return status;
}

// ---- selections and statistics ----

static kn_status run_medians(struct tune_work *work, kn_error *err)
{
    const struct own *own = work->own;
    kn_status status = KN_OK;

    for (unsigned log2 = own->range.most; log2 >= own->range.least && !status; log2--) {
        double median = 0;

        status =
            kn_median(work->queue, own->elements, own->range.type, (size_t)1 << log2, &median, NULL, err);
        if (!status)
            status =
                kn_buffer_write(work->queue, work->result, log2 * sizeof median, &median, sizeof median, err);
    }
    return status;
}

static kn_status run_statistics(struct tune_work *work, kn_error *err)
{
    const struct own *own = work->own;
    kn_status status = KN_OK;

    for (unsigned log2 = own->range.most; log2 >= own->range.least && !status; log2--) {
        kn_robust found;

        status = kn_robust_stats(work->queue, own->elements, own->range.type, (size_t)1 << log2, &found, NULL,
                                 err);
        if (!status) {
            const double answers[] = {found.mean, found.variance, found.median, found.mad};

            status = kn_buffer_write(work->queue, work->result, log2 * sizeof answers, answers,
                                     sizeof answers, err);
        }
    }
    return status;
}

// ---- products of matrices ----

// Opens two square matrices of the greatest size.
static kn_status open_products(struct tune_work *work, struct crossover_range range, kn_error *err)
{
    struct own *own = work->own;
    uint64_t state = 1;
    kn_status status;

    if (work->quick && range.most > PRODUCT_MOST)
        range.most = PRODUCT_MOST;
    own->range = range;
    const size_t count = (size_t)1 << 2 * range.most;
    status = subject_numbers(work->queue, range.type, count, &state, &own->elements, err);
    if (!status)
        status = subject_numbers(work->queue, range.type, count, &state, &own->factor, err);
    return status ? status
                  : kn_buffer_create(kn_queue_get_context(work->queue), count * kn_type_size(range.type),
                                     &work->result, err);
}

static kn_status run_products(struct tune_work *work, kn_error *err)
{
    const struct own *own = work->own;
    kn_status status = KN_OK;

    for (unsigned log2 = own->range.most; log2 >= own->range.least && !status; log2--)
        for (unsigned i = 0; i < EACH && !status; i++) {
            const size_t n = (size_t)1 << log2;
            const kn_gemm_task task = KN_INIT(kn_gemm_task, .type = own->range.type, .m = n, .n = n, .k = n,
                                              .alpha = {1}, .a = {.buffer = own->elements},
                                              .b = {.buffer = own->factor}, .c = {.buffer = work->result});

            status = kn_gemm(work->queue, &task, NULL, err);
        }
    return status;
}

// ---- the table ----

#define SORTS      .close = close_all, .run = run_sorts
#define MEDIANS    .close = close_all, .run = run_medians
#define STATISTICS .close = close_all, .run = run_statistics
#define PRODUCTS   .bound = 1e-5, .close = close_all, .run = run_products // like that of tune_gemm

CROSSOVER(crossover_sort, "sort-bitonic-32bit", "2^10 to 2^19 floats, bitonic up to there, else by radix",
          SORTS, open_elements, crossover_on_gpus, KN_F32, 10, 19, 0, 1 << 12, 1 << 13, 1 << 14, 1 << 15,
          1 << 16, 1 << 17, 1 << 18);
CROSSOVER(crossover_sort_64bit, "sort-bitonic-64bit",
          "2^10 to 2^19 doubles, bitonic up to there, else by radix", SORTS, open_elements, crossover_on_gpus,
          KN_F64, 10, 19, 0, 1 << 12, 1 << 13, 1 << 14, 1 << 15, 1 << 16, 1 << 17, 1 << 18);
CROSSOVER(crossover_sort_alone, "sort-alone",
          "2^10 to 2^18 floats, by one work-item up to so many bytes, else in buckets", SORTS, open_elements,
          crossover_on_serial, KN_F32, 10, 18, 0, 1 << 13, 1 << 14, 1 << 15, 1 << 16, 1 << 17, 1 << 18,
          1 << 19);
CROSSOVER(crossover_sort_lines, "sort-lines",
          "2^20 to 2^23 floats, whose buckets are written past the caches from so many bytes on", SORTS,
          open_elements, crossover_on_serial, KN_F32, 20, 23, ALWAYS, 6 << 20, 12 << 20, 24 << 20, NEVER);
CROSSOVER(crossover_sort_differing, "sort-differing",
          "2^16 to 2^24 floats, all digits or half of which differ; from so many on they are asked for",
          SORTS, open_digits, crossover_on_gpus, KN_F32, 16, 24, ALWAYS, 1 << 18, 1 << 20, 1 << 21, 1 << 22,
          1 << 23, 1 << 24, NEVER);
CROSSOVER(crossover_sort_ahead, "sort-ahead",
          "2^12 to 2^21 floats, whose digits are all counted ahead up to there", SORTS, open_elements,
          crossover_on_gpus, KN_F32, 12, 21, 0, 1 << 15, 1 << 16, 1 << 17, 1 << 18, 1 << 19, 1 << 20,
          1 << 21);
CROSSOVER(crossover_sort_once, "sort-once", "2^14 to 2^22 floats, which each pass reads once beyond there",
          SORTS, open_elements, crossover_on_nvidia, KN_F32, 14, 22, ALWAYS, 1 << 16, 1 << 17, 1 << 18,
          1 << 19, 1 << 20, 1 << 21, NEVER);
CROSSOVER(crossover_select, "select-brackets",
          "medians of 2^18 to 2^27 floats, by brackets from so many bytes on, else by digits", MEDIANS,
          open_elements, crossover_on_all, KN_F32, 18, 27, 1 << 20, 1 << 22, 1 << 24, 1 << 25, 1 << 26,
          1 << 27, 1 << 28, 1 << 30);
CROSSOVER(crossover_robust, "robust-fused",
          "mean, variance, median and MAD of 2^14 to 2^24 floats, all in one read always or never",
          STATISTICS, open_elements, crossover_on_all, KN_F32, 14, 24, ALWAYS, NEVER);
CROSSOVER(crossover_gemm, "gemm-own",
          "products of 2^5 to 2^11 rows and columns, by Koine's kernel up to so many terms, else by cuBLAS",
          PRODUCTS, open_products, crossover_on_cuda, KN_F32, 5, 11, 0, 1 << 18, 1 << 21, 1 << 24, 1 << 27,
          1 << 30, NEVER);
