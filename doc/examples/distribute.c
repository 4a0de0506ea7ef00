// SPDX-License-Identifier: Apache-2.0
// One sum in pieces on every device there is and on the host: the same bits, whoever added what.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <koine/koine.h>

enum { PIECES = 24, PIECE_NUMBERS = 1 << 16, MOST_PLACES = 8 };

// A piece of the job: the sum of its numbers, on a device's queue or, where that is NULL, on the host.
static kn_status sum_piece(void *data, size_t place, kn_queue *q, size_t piece, kn_distribute_result *result,
                           kn_error *err)
{
    const float *numbers = (const float *)data + piece * PIECE_NUMBERS;
    const size_t bytes = PIECE_NUMBERS * sizeof *numbers;
    kn_buffer *buf = NULL;
    kn_status status;
    double sum;

    (void)place;
    if (!q) {
        status = kn_host_sum(numbers, KN_F32, PIECE_NUMBERS, &sum, NULL, err);
    } else {
        status = kn_buffer_create(kn_queue_get_context(q), bytes, &buf, err);
        if (!status)
            status = kn_buffer_write(q, buf, 0, numbers, bytes, err);
        if (!status)
            status = kn_reduce_sum(q, buf, KN_F32, PIECE_NUMBERS, &sum, err);
        kn_buffer_free(buf);
    }
    return status ? status : kn_distribute_put(result, &sum, sizeof sum, err);
}

// Two neighbours become one.
static kn_status add(void *data, const void *left, size_t left_size, const void *right, size_t right_size,
                     kn_distribute_result *result, kn_error *err)
{
    double a, b;

    (void)data, (void)left_size, (void)right_size;
    memcpy(&a, left, sizeof a);
    memcpy(&b, right, sizeof b);
    a += b;
    return kn_distribute_put(result, &a, sizeof a, err);
}

static kn_status keep(void *data, size_t index, const void *result, size_t size, kn_error *err)
{
    (void)index, (void)err;
    memcpy(data, result, size);
    return KN_OK;
}

static void tell(void *data, size_t place, size_t piece, const kn_error *why)
{
    (void)data;
    fprintf(stderr, "place %zu is dropped at piece %zu: %s\n", place, piece, why->text);
}

static kn_status sum_on(float *numbers, kn_queue *const *queues, size_t count, double *sum, kn_error *err)
{
    const kn_distribute_job job = KN_INIT(kn_distribute_job, .piece_count = PIECES, .run = sum_piece, .fold = add,
                                          .data = numbers);
    const kn_distribute_options options =
        KN_INIT(kn_distribute_options, .write = keep, .dropped = tell, .data = sum);
    kn_distribution *distribution = NULL;
    kn_status status = kn_distribution_create(&job, &options, &distribution, err);

    for (size_t i = 0; i < count && !status; i++)
        status = kn_distribution_add_queue(distribution, queues[i], err);
    if (!status)
        status = kn_distribution_run(distribution, err);
    kn_distribution_free(distribution);
    return status;
}

// A queue of each device that can be used.
static kn_status open_all(kn_context **contexts, kn_queue **queues, size_t *count, kn_error *err)
{
    kn_device_list *list = NULL;
    kn_status status = kn_device_list_create(&list, err);

    for (size_t i = 0; i < kn_device_list_get_count(list) && *count < MOST_PLACES && !status; i++) {
        const kn_device_info *device = kn_device_list_get_device(list, i);

        if (*device->why_not || *device->alias_of || !device->fp64)
            continue;
        status = kn_context_open(device->spec, NULL, &contexts[*count], err);
        if (!status)
            status = kn_queue_open(contexts[*count], &queues[*count], err);
        *count += 1;
    }
    kn_device_list_free(list);
    return status;
}

int main(void)
{
    float *numbers = malloc(PIECES * PIECE_NUMBERS * sizeof *numbers);
    kn_context *contexts[MOST_PLACES] = {NULL};
    kn_queue *queues[MOST_PLACES + 1] = {NULL}; // the last one in use is NULL: the host
    size_t count = 0;
    double together = 0, alone = 0;
    kn_error err = KN_ERROR_INIT;

    for (size_t i = 0; numbers && i < (size_t)PIECES * PIECE_NUMBERS; i++)
        numbers[i] = 1 / (float)(i + 1);
    if (numbers && (open_all(contexts, queues, &count, &err) ||
                    sum_on(numbers, queues, count + 1, &together, &err) ||
                    sum_on(numbers, queues + count, 1, &alone, &err)))
        fprintf(stderr, "distribute: %s\n", err.text);
    else
        printf("%zu devices and the host: %.17g, the host alone: %.17g\n", count, together, alone);
    for (size_t i = 0; i < count; i++) {
        kn_queue_close(queues[i]);
        kn_context_close(contexts[i]);
    }
    free(numbers);
    return err.code || together != alone;
}
