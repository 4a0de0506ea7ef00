// SPDX-License-Identifier: Apache-2.0
#include "peak.h"
#include "wrapped.h"

#include <malloc.h>
#include <stdatomic.h>

// Bytes held now, and the most there were.
struct level {
    atomic_llong held, most;
};

static atomic_bool is_counting;
static struct level host, device;

static void add(struct level *level, long long bytes)
{
    long long held, most = atomic_load(&level->most);

    if (!atomic_load(&is_counting))
        return;
    held = atomic_fetch_add(&level->held, bytes) + bytes;
    while (held > most && !atomic_compare_exchange_weak(&level->most, &most, held))
        ;
}

// ---- the host's memory ----

void __real_free(void *memory);
void __wrap_free(void *memory);

static void *taken(void *memory)
{
    add(&host, (long long)malloc_usable_size(memory));
    return memory;
}

void *__wrap_malloc(size_t bytes)
{
    return taken(__real_malloc(bytes));
}

void *__wrap_calloc(size_t count, size_t bytes)
{
    return taken(__real_calloc(count, bytes));
}

void *__wrap_realloc(void *memory, size_t bytes)
{
    add(&host, -(long long)malloc_usable_size(memory));
    return taken(__real_realloc(memory, bytes));
}

void *__wrap_aligned_alloc(size_t alignment, size_t bytes)
{
    return taken(__real_aligned_alloc(alignment, bytes));
}

int __wrap_posix_memalign(void **memory, size_t alignment, size_t bytes)
{
    int result = __real_posix_memalign(memory, alignment, bytes);

    if (result == 0)
        taken(*memory);
    return result;
}

void __wrap_free(void *memory)
{
    add(&host, -(long long)malloc_usable_size(memory));
    __real_free(memory);
}

// ---- the device's ----

enum { PIECES = 1024 };

static const struct ki_backend *real;
static struct ki_backend counting;
// The memory objects held; tests with one thread use them.
static struct piece {
    struct be_memory *memory;
    size_t bytes;
} pieces[PIECES];

static struct piece *piece_of(const struct be_memory *memory)
{
    for (size_t i = 0; i < PIECES; i++)
        if (pieces[i].memory == memory)
            return &pieces[i];
    return NULL;
}

static kn_status allocate(struct be_context *native, size_t bytes, struct be_memory **memory, kn_error *why)
{
    kn_status status = real->memory_alloc(native, bytes, memory, why);
    struct piece *piece = status ? NULL : piece_of(NULL);

    if (piece) {
        *piece = (struct piece){*memory, bytes};
        add(&device, (long long)bytes);
    }
    return status;
}

static void release(struct be_memory *memory)
{
    struct piece *piece = memory ? piece_of(memory) : NULL;

    if (piece) {
        add(&device, -(long long)piece->bytes);
        piece->memory = NULL;
    }
    real->memory_free(memory);
}

// ---- between ----

void peak_begin(void)
{
    if (context && context->backend != &counting) {
        real = context->backend;
        counting = *real;
        counting.memory_alloc = allocate;
        counting.memory_free = release;
        context->backend = &counting;
    }
    atomic_store(&host.held, 0);
    atomic_store(&host.most, 0);
    atomic_store(&device.held, 0);
    atomic_store(&device.most, 0);
    atomic_store(&is_counting, true);
}

struct peak peak_end(void)
{
    atomic_store(&is_counting, false);
    return (struct peak){(size_t)atomic_load(&host.most), (size_t)atomic_load(&device.most)};
}
