// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE // asprintf
#include "allocations.h"
#include "wrapped.h"

#include <execinfo.h>
#include <stdarg.h>
#include <stdatomic.h>

enum { SITES = 32, DEPTH = 8 };

// Up to this many bytes glibc's qsort (before version 2.37) does not allocate.
#define QSORT_BYTES 1024

extern const char __executable_start[];

static atomic_bool is_counting;
static atomic_uint host_count, device_count;

// Where the first ones were made.
static struct site {
    void *frames[DEPTH];
    int depth;
} sites[SITES];

static void count_host(void)
{
    if (!atomic_load(&is_counting))
        return;
    unsigned at = atomic_fetch_add(&host_count, 1);
    if (at < SITES)
        sites[at].depth = backtrace(sites[at].frames, DEPTH);
}

// ---- the host's memory ----

char *__real_strdup(const char *text);
char *__wrap_strdup(const char *text);
char *__real_strndup(const char *text, size_t most);
char *__wrap_strndup(const char *text, size_t most);
int __wrap_asprintf(char **text, const char *format, ...) __attribute__((format(printf, 2, 3)));
int __wrap___asprintf_chk(char **text, int flag, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void __real_qsort(void *array, size_t count, size_t size, int (*compare)(const void *, const void *));
void __wrap_qsort(void *array, size_t count, size_t size, int (*compare)(const void *, const void *));

void *__wrap_malloc(size_t bytes)
{
    count_host();
    return __real_malloc(bytes);
}

void *__wrap_calloc(size_t count, size_t bytes)
{
    count_host();
    return __real_calloc(count, bytes);
}

void *__wrap_realloc(void *memory, size_t bytes)
{
    count_host();
    return __real_realloc(memory, bytes);
}

void *__wrap_aligned_alloc(size_t alignment, size_t bytes)
{
    count_host();
    return __real_aligned_alloc(alignment, bytes);
}

int __wrap_posix_memalign(void **memory, size_t alignment, size_t bytes)
{
    count_host();
    return __real_posix_memalign(memory, alignment, bytes);
}

char *__wrap_strdup(const char *text)
{
    count_host();
    return __real_strdup(text);
}

char *__wrap_strndup(const char *text, size_t most)
{
    count_host();
    return __real_strndup(text, most);
}

int __wrap_asprintf(char **text, const char *format, ...)
{
    va_list values;
    int length;

    count_host();
    va_start(values, format);
    length = vasprintf(text, format, values);
    va_end(values);
    return length;
}

// asprintf of objects that are compiled with _FORTIFY_SOURCE.
int __wrap___asprintf_chk(char **text, int flag, const char *format, ...)
{
    va_list values;
    int length;

    (void)flag;
    count_host();
    va_start(values, format);
    length = vasprintf(text, format, values);
    va_end(values);
    return length;
}

void __wrap_qsort(void *array, size_t count, size_t size, int (*compare)(const void *, const void *))
{
    if (count * size > QSORT_BYTES)
        count_host();
    __real_qsort(array, count, size, compare);
}

// ---- the device's ----

static const struct ki_backend *real;
static struct ki_backend counting;

static void count_device(void)
{
    if (atomic_load(&is_counting))
        atomic_fetch_add(&device_count, 1);
}

static kn_status count_memory(struct be_context *native, size_t bytes, struct be_memory **memory,
                              kn_error *why)
{
    count_device();
    return real->memory_alloc(native, bytes, memory, why);
}

static kn_status count_image(struct be_context *native, const struct be_image_shape *shape,
                             struct be_image **image, kn_error *why)
{
    count_device();
    return real->image_create(native, shape, image, why);
}

static kn_status count_pinned(struct be_queue *native, size_t bytes, struct be_host *host, kn_error *why)
{
    count_device();
    return real->host_alloc(native, bytes, host, why);
}

// ---- calls ----

static void print_sites(unsigned count)
{
    for (unsigned i = 0; i < count && i < SITES; i++) {
        fprintf(stderr, "    addr2line -pfe PROGRAM");
        for (int k = 1; k < sites[i].depth; k++) // the first is count_host itself
            fprintf(stderr, " %#zx", (size_t)((const char *)sites[i].frames[k] - __executable_start - 1));
        fputc('\n', stderr);
    }
}

// Check's own allocations are counted, too: no function of it is called in between.
static kn_status run_call(const struct allocations_call *call, bool counted)
{
    kn_status status;

    err = (kn_error)KN_ERROR_INIT;
    atomic_store(&host_count, 0);
    atomic_store(&device_count, 0);
    atomic_store(&is_counting, counted);
    status = call->run(&err);
    atomic_store(&is_counting, false);
    ck_assert_msg(status == KN_OK || (status == KN_ERROR_UNSUPPORTED && !counted), "%s: %s", call->name,
                  err.text);
    return status;
}

static const struct allocations_known *find_known(const char *name)
{
    const struct allocations_known *known = allocations_known;

    while (known->name && strcmp(known->name, name) != 0)
        known++;
    return known;
}

// The greatest counts of three calls after the first; true if these are known exceptions.
static bool count_call(const struct allocations_call *call)
{
    const struct allocations_known *known = find_known(call->name);
    unsigned host = 0, device = 0;

    if (run_call(call, false)) {
        fprintf(stderr, "%-48sskipped: %s\n", call->name, err.text);
        return true;
    }
    for (int i = 0; i < 3; i++) {
        run_call(call, true);
        host = atomic_load(&host_count) > host ? atomic_load(&host_count) : host;
        device = atomic_load(&device_count) > device ? atomic_load(&device_count) : device;
    }
    fprintf(stderr, "%-48s%6u%8u%s\n", call->name, host, device,
            host > known->host || device > known->device ? "  not known"
            : known->name                                ? "  known"
                                                         : "");
    if (host > known->host)
        print_sites(atomic_load(&host_count));
    return host <= known->host && device <= known->device;
}

void allocations_expect(const struct allocations_call *calls, size_t count)
{
    static bool titled;
    void *frames[DEPTH];
    size_t failed = 0;

    (void)backtrace(frames, DEPTH); // whose first call allocates
    if (context) {
        real = context->backend;
        counting = *real;
        counting.memory_alloc = count_memory;
        counting.image_create = count_image;
        counting.host_alloc = count_pinned;
        context->backend = &counting;
    }
    if (!titled)
        fprintf(stderr, "%-48s%6s%8s\n", "allocations by a call", "host", "device");
    titled = true;
    for (size_t i = 0; i < count; i++)
        failed += !count_call(&calls[i]);
    if (context)
        context->backend = real;
    ck_assert_msg(failed == 0, "%zu of %zu calls allocate when they are repeated: see the table", failed,
                  count);
}
