// SPDX-License-Identifier: Apache-2.0
#include <config.h>

#include "flight.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "engine/device/shapes.h"

// Where a program keeps its record. It is the one thing that is not an argument, because a signal handler has
// none.
static kn_flight *record;

_Static_assert(sizeof(kn_flight) <= KN_FLIGHT_BYTES, "a record has room in what programs give");
_Static_assert(_Alignof(kn_flight) <= 16, "a record may stand where programs put it");

void ki_flight_record(kn_flight *flight)
{
    record = flight;
}

kn_status kn_flight_watch(void *memory, size_t bytes, kn_flight_function *ended, const kn_flight **flight,
                          kn_error *err)
{
    kn_flight *made = memory;

    if (!memory || !flight)
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_flight_watch: %s is NULL", memory ? "flight" : "memory");
    *flight = NULL;
    if (bytes < sizeof *made || (uintptr_t)memory % 16 != 0)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "kn_flight_watch: a record takes KN_FLIGHT_BYTES (%d), aligned to 16",
                       KN_FLIGHT_BYTES);
    memset(made, 0, sizeof *made);
    pthread_mutex_init(&made->lock, NULL);
    made->ended = ended;
    ki_flight_record(made);
    *flight = made;
    return KN_OK;
}

// ---- reading ----

bool kn_flight_get_entered(const kn_flight *flight)
{
    return flight && atomic_load(&flight->entered);
}

bool kn_flight_get_queue(const kn_flight *flight, size_t index, kn_flight_queue *queue)
{
    const struct flight_queue *from;

    if (!flight || !queue || index >= KN_FLIGHT_QUEUES)
        return false;
    from = &flight->queues[index];
    queue->device = from->device;
    queue->is_open = atomic_load(&from->used);
    queue->is_cpu = from->is_cpu;
    queue->launched = atomic_load(&from->departed);
    queue->ended = atomic_load(&from->landed);
    for (size_t i = 0; i < KN_FLIGHT_KERNELS; i++)
        queue->kernels[i] = atomic_load(&from->kernels[i]);
    return true;
}

const char *kn_flight_get_task(const kn_flight *flight, size_t index)
{
    for (size_t i = 0; flight && i < FLIGHT_TASKS; i++)
        if (atomic_load(&flight->tasks[i].used) && index-- == 0)
            return flight->tasks[i].what;
    return NULL;
}

// ---- writing ----

const char *ki_flight_label(const char *kernel, const char *file)
{
    char label[FLIGHT_LABEL_BYTES];
    const char *found = NULL;
    unsigned count;

    if (!record)
        return NULL;
    snprintf(label, sizeof label, "%s%s%s%s", kernel, *file ? " (" : "", file, *file ? ")" : "");
    pthread_mutex_lock(&record->lock);
    count = atomic_load(&record->label_count);
    for (unsigned i = 0; i < count && !found; i++)
        if (strcmp(record->labels[i], label) == 0)
            found = record->labels[i];
    if (!found && count < FLIGHT_LABELS) {
        memcpy(record->labels[count], label, sizeof label);
        found = record->labels[count];
        atomic_store(&record->label_count, count + 1);
    }
    pthread_mutex_unlock(&record->lock);
    return found ? found : "a kernel";
}

struct flight_queue *ki_flight_claim(const kn_device_info *device)
{
    for (size_t i = 0; record && i < KN_FLIGHT_QUEUES; i++) {
        struct flight_queue *queue = &record->queues[i];

        if (atomic_exchange(&queue->used, true))
            continue;
        snprintf(queue->device, sizeof queue->device, "%s (%.*s)", device->spec, FLIGHT_LABEL_BYTES / 2,
                 device->name);
        queue->is_cpu = engine_is_cpu(device);
        ki_flight_land_all(queue);
        return queue;
    }
    return NULL;
}

void ki_flight_release(struct flight_queue *queue)
{
    if (!queue)
        return;
    ki_flight_land_all(queue);
    atomic_store(&queue->used, false);
}

unsigned ki_flight_depart(struct flight_queue *queue, const char *label)
{
    unsigned number;

    if (!queue)
        return 0;
    number = atomic_load_explicit(&queue->departed, memory_order_relaxed);
    atomic_store_explicit(&queue->kernels[number % KN_FLIGHT_KERNELS], label, memory_order_relaxed);
    atomic_store_explicit(&queue->departed, number + 1, memory_order_release);
    return number + 1;
}

static void tell_return(void)
{
    if (record && record->ended)
        record->ended();
}

void ki_flight_land(struct flight_queue *queue, unsigned number)
{
    unsigned landed;

    if (!queue)
        return;
    landed = atomic_load(&queue->landed);
    if ((int)(number - landed) <= 0)
        return;
    while ((int)(number - landed) > 0 && !atomic_compare_exchange_weak(&queue->landed, &landed, number))
        ;
    tell_return();
}

void ki_flight_land_all(struct flight_queue *queue)
{
    if (queue)
        ki_flight_land(queue, atomic_load(&queue->departed));
}

struct flight_task *ki_flight_begin(const char *format, ...)
{
    va_list args;

    if (!record)
        return NULL;
    atomic_store(&record->entered, true);
    for (size_t i = 0; i < FLIGHT_TASKS; i++) {
        struct flight_task *task = &record->tasks[i];

        if (atomic_exchange(&task->used, true))
            continue;
        va_start(args, format);
        if (vsnprintf(task->what, sizeof task->what, format, args) < 0)
            task->what[0] = '\0';
        va_end(args);
        return task;
    }
    return NULL;
}

void ki_flight_end(struct flight_task *task)
{
    if (!task)
        return;
    atomic_store(&task->used, false);
    tell_return();
}
