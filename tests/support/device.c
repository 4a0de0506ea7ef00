// SPDX-License-Identifier: Apache-2.0
#include "support/device.h"
#include "support/files.h"

kn_context *context;
kn_queue *queue;

bool test_is_oclgrind(void)
{
    return strcmp(kn_context_get_device(context)->platform, "Oclgrind") == 0;
}

bool test_is_slow(void)
{
    return getenv("KOINE_TEST_SHORT") || test_is_oclgrind();
}

void test_open_with(const kn_context_options *options)
{
    EXPECT_OK(kn_context_open(NULL, options, &context, &err));
    EXPECT_OK(kn_queue_open(context, &queue, &err));
}

void test_close(void)
{
    kn_queue_close(queue);
    kn_context_close(context);
    queue = NULL;
    context = NULL;
}

void test_open(void)
{
    test_open_with(NULL);
}

static char *cache;

void test_open_with_cache(void)
{
    kn_context_options options = KN_INIT(kn_context_options, .cache_dir = NULL);

    cache = test_folder();
    options.cache_dir = cache;
    test_open_with(&options);
}

void test_close_cache(void)
{
    test_close();
    test_remove(cache);
}

bool test_flushes_denormals(void)
{
    return strcmp(kn_context_get_device(context)->platform, "rusticl") == 0;
}

bool test_takes(kn_type type)
{
    if (type != KN_F64 || kn_context_get_device(context)->fp64)
        return true;
    fprintf(stderr, "skipped: double, which %s has not\n", kn_context_get_device(context)->name);
    return false;
}

size_t test_count_kernel(const kn_profile_entry *entries, size_t count, const char *name)
{
    size_t found = 0;

    for (size_t i = 0; i < count; i++)
        found += strcmp(entries[i].kernel, name) == 0;
    return found;
}
