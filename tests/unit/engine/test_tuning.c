// SPDX-License-Identifier: Apache-2.0
// Tests tunings that are kept: kept values, and no others, return in another context.
#include "engine_support.h"

#include <dirent.h>

#include "base/array.h"
#include "engine/device/tuning.h"

static const kn_tunables tunables = {"testing", "algo/reduce.cl", {"GROUP", "WIDTH", "ITEMS", NULL}};

static char *cache_dir;
static kn_context *context;
static char warning[1024]; // the last one

static void note(void *user, kn_log_level level, const char *message)
{
    (void)user;
    if (level == KN_LOG_WARNING)
        snprintf(warning, sizeof warning, "%s", message);
}

static void open_again(void)
{
    const kn_context_options options = KN_INIT(kn_context_options, .cache_dir = cache_dir, .log = note);

    kn_context_close(context);
    context = open_with(&options);
    warning[0] = '\0';
}

static void set_up(void)
{
    cache_dir = test_folder();
    context = NULL;
    open_again();
}

static void tear_down(void)
{
    kn_context_close(context);
    test_remove(cache_dir);
}

// Expects these values, or with NULL none; and `expected`, unless it is NULL, in the warning.
static void expect_tuning(const kn_tunables *of, const unsigned *values, const char *expected)
{
    unsigned found[KN_TUNABLES] = {7, 7, 7, 7};

    ck_assert_int_eq(ki_engine_tuning(context, of, found), values != NULL);
    for (size_t i = 0; i < 3; i++)
        ck_assert_uint_eq(found[i], values ? values[i] : 7);
    ck_assert_uint_eq(found[3], 7);
    ck_assert_msg(*expected ? strstr(warning, expected) != NULL : !*warning, "warned: \"%s\"", warning);
}

// The only file of the cache.
static const char *file_name(void)
{
    static char path[4300];
    DIR *folder = opendir(cache_dir);
    size_t count = 0;

    ck_assert_ptr_nonnull(folder);
    for (struct dirent *item; (item = readdir(folder));)
        if (item->d_name[0] != '.') {
            snprintf(path, sizeof path, "%s/%s", cache_dir, item->d_name);
            count++;
        }
    closedir(folder);
    ck_assert_uint_eq(count, 1);
    return path;
}

START_TEST(kept)
{
    uint64_t state = test_seed("kept");
    const unsigned values[] = {(unsigned)(test_random(&state) >> 32), 0, UINT32_MAX};
    unsigned found[KN_TUNABLES];
    char summary[KN_TUNING_WORDS], longer[2 * KN_TUNING_WORDS];
    bool is_kept = false;

    expect_tuning(&tunables, NULL, "");
    expect_ok(kn_tuning_keep(context, &tunables, values, "1 ms instead of 2", &err));
    expect_tuning(&tunables, values, "");
    open_again();
    expect_tuning(&tunables, values, "");
    expect_ok(kn_tuning_get_kept(context, &tunables, &is_kept, found, summary, &err));
    ck_assert(is_kept);
    ck_assert_mem_eq(found, values, sizeof values);
    ck_assert_str_eq(summary, "1 ms instead of 2");
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    expect_ok(kn_tuning_keep(context, &tunables, values, longer, &err));
    expect_ok(kn_tuning_get_kept(context, &tunables, &is_kept, found, summary, &err));
    ck_assert_uint_eq(strlen(summary), sizeof summary - 1);

    expect_ok(kn_tuning_forget(context, &tunables, &err));
    expect_ok(kn_tuning_get_kept(context, &tunables, &is_kept, found, summary, &err));
    ck_assert(!is_kept);
    ck_assert_str_eq(summary, "");
    expect_tuning(&tunables, NULL, "");
    open_again();
    expect_tuning(&tunables, NULL, "");
}
END_TEST

START_TEST(tried)
{
    const unsigned kept_values[] = {1, 2, 3}, tried_values[] = {4, 5, 6};

    expect_ok(kn_tuning_keep(context, &tunables, kept_values, "", &err));
    expect_ok(kn_tuning_try(context, &tunables, tried_values, &err));
    expect_tuning(&tunables, tried_values, "");
    expect_ok(kn_tuning_try(context, &tunables, NULL, &err));
    expect_tuning(&tunables, NULL, "");
    expect_ok(kn_tuning_end(context, &tunables, &err));
    expect_tuning(&tunables, kept_values, "");
    open_again();
    expect_tuning(&tunables, kept_values, "");
}
END_TEST

// Tried values that the algorithm refuses cause a note; kept ones cause a warning, once, and are not used.
START_TEST(refused)
{
    const unsigned values[] = {1, 2, 3};
    char why[KN_TUNING_WORDS];

    ki_engine_tuning_refuse(context, &tunables, "of none");
    expect_ok(kn_tuning_try(context, &tunables, values, &err));
    ck_assert(!kn_tuning_get_refusal(context, &tunables, why));
    ki_engine_tuning_refuse(context, &tunables, "no groups of %u", 1u);
    ck_assert(kn_tuning_get_refusal(context, &tunables, why));
    ck_assert_str_eq(why, "no groups of 1");
    expect_tuning(&tunables, values, "");
    expect_ok(kn_tuning_try(context, &tunables, values, &err));
    ck_assert(!kn_tuning_get_refusal(context, &tunables, why));

    expect_ok(kn_tuning_keep(context, &tunables, values, "", &err));
    expect_tuning(&tunables, values, "");
    ki_engine_tuning_refuse(context, &tunables, "no groups of %u", 1u);
    ck_assert(!kn_tuning_get_refusal(context, &tunables, why));
    expect_tuning(&tunables, NULL, "tuning of testing: what was kept is not used: no groups of 1");
    warning[0] = '\0';
    ki_engine_tuning_refuse(context, &tunables, "no groups of %u", 1u);
    expect_tuning(&tunables, NULL, "");
}
END_TEST

START_TEST(of_others)
{
    static const kn_tunables other_kernels = {"testing", "algo/scan.cl", {"GROUP", "WIDTH", "ITEMS", NULL}},
                             one_more = {"testing",
                                         "algo/reduce.cl algo/scan.cl",
                                         {"GROUP", "WIDTH", "ITEMS", NULL}},
                             other_name = {"testing", "algo/reduce.cl", {"GROUP", "WIDTH", "ITEM", NULL}},
                             fewer = {"testing", "algo/reduce.cl", {"GROUP", "WIDTH", NULL}},
                             more = {"testing", "algo/reduce.cl", {"GROUP", "WIDTH", "ITEMS", "A", NULL}},
                             other = {"test", "algo/reduce.cl", {"GROUP", "WIDTH", "ITEMS", NULL}};
    static const struct {
        const kn_tunables *of;
        const char *warning;
    } cases[] = {{&other_kernels, "kernels have changed"},
                 {&one_more, "kernels have changed"},
                 {&other_name, "other tunables"},
                 {&fewer, "other tunables"},
                 {&more, "other tunables"},
                 {&other, ""}};
    const unsigned values[] = {1, 2, 3};

    expect_ok(kn_tuning_keep(context, &tunables, values, "", &err));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        open_again();
        expect_tuning(cases[i].of, NULL, cases[i].warning);
    }
}
END_TEST

// Damage causes one warning, and the file is removed.
START_TEST(damaged)
{
    static const char *const whats[] = {"byte", "half", "empty"};
    const unsigned values[] = {1, 2, 3};

    for (size_t i = 0; i < 3; i++) {
        const char *path;
        FILE *file;

        expect_ok(kn_tuning_keep(context, &tunables, values, "words", &err));
        path = file_name();
        if (i == 0) {
            file = fopen(path, "r+b");
            ck_assert_ptr_nonnull(file);
            ck_assert_int_eq(fseek(file, -3, SEEK_END), 0);
            ck_assert_int_ne(fputc('!', file), EOF);
            ck_assert_int_eq(fclose(file), 0);
        } else {
            ck_assert_int_eq(truncate(path, i == 1 ? 200 : 0), 0);
        }
        open_again();
        expect_tuning(&tunables, NULL, "what was kept is not used");
        fprintf(stderr, "%s: %s\n", whats[i], warning);
        open_again();
        expect_tuning(&tunables, NULL, "");
    }
}
END_TEST

START_TEST(nowhere)
{
    const kn_context_options none = KN_INIT(kn_context_options, .cache_dir = "");
    const unsigned values[] = {1, 2, 3};

    kn_context_close(context);
    context = open_with(&none);
    expect_refused(kn_tuning_keep(context, &tunables, values, "", &err), KN_ERROR_OUTPUT, "KOINE_CACHE_DIR");
    expect_tuning(&tunables, NULL, "");
    write_text(cache_dir, "file", "in the way");
    char path[4300];
    snprintf(path, sizeof path, "%s/file/cache", cache_dir);
    const kn_context_options wrong = KN_INIT(kn_context_options, .cache_dir = path);
    kn_context_close(context);
    context = open_with(&wrong);
    expect_refused(kn_tuning_keep(context, &tunables, values, "", &err), KN_ERROR_OUTPUT, "cache");
}
END_TEST

// Tunables that are none, and what each algorithm has of itself.
START_TEST(refusals)
{
    static const kn_tunables nameless = {NULL, "algo/reduce.cl", {"GROUP", NULL}},
                             without_kernels = {"testing", NULL, {"GROUP", NULL}},
                             endless = {
                                 "testing", "algo/reduce.cl", {"A", "B", "C", "D", "E", "F", "G", "H", "I"}};
    static const kn_tunables *const wrong[] = {&nameless, &without_kernels, &endless, NULL};
    const unsigned values[KN_TUNABLES + 1] = {0};
    kn_queue *queue = open_queue(context);
    unsigned found[KN_TUNABLES] = {0};
    char why[KN_TUNING_WORDS];
    bool is_kept = true;

    for (size_t i = 0; i < KI_COUNT(wrong); i++) {
        expect_refused(kn_tuning_try(context, wrong[i], values, &err), KN_ERROR_ARGUMENT, "kn_tuning_try: ");
        expect_refused(kn_tuning_end(context, wrong[i], &err), KN_ERROR_ARGUMENT, "kn_tuning_end: ");
        expect_refused(kn_tuning_keep(context, wrong[i], values, "", &err), KN_ERROR_ARGUMENT,
                       "kn_tuning_keep: ");
        expect_refused(kn_tuning_forget(context, wrong[i], &err), KN_ERROR_ARGUMENT, "kn_tuning_forget: ");
        expect_refused(kn_tuning_get_kept(context, wrong[i], &is_kept, found, NULL, &err), KN_ERROR_ARGUMENT,
                       "kn_tuning_get_kept: ");
        ck_assert(!kn_tuning_get_refusal(context, wrong[i], why));
    }
    expect_refused(kn_tuning_keep(context, &tunables, NULL, "", &err), KN_ERROR_ARGUMENT, "values is NULL");
    ck_assert_str_eq(kn_sort_get_tunables(4, false)->algorithm, "sort-32bit");
    ck_assert_str_eq(kn_sort_get_tunables(8, true)->algorithm, "sort-by-key-64bit");
    ck_assert_ptr_null(kn_sort_get_tunables(0, false));
    ck_assert_ptr_null(kn_sort_get_tunables(9, true));
    ck_assert_str_eq(kn_gemm_get_tunables()->algorithm, "gemm");
    ck_assert_str_eq(kn_robust_get_tunables()->algorithm, "robust");
    expect_ok(kn_sort_get_usual(queue, 4, true, found, &err));
    for (size_t i = 0; i < KN_TUNABLES; i++)
        if (i != 2) // registers: 0 where the compiler chooses
            ck_assert_int_eq(found[i] != 0, i < 5);
    expect_refused(kn_sort_get_usual(queue, 9, false, found, &err), KN_ERROR_ARGUMENT, "width is 9 bytes");
    expect_ok(kn_robust_get_usual(queue, found, &err));
    for (size_t i = 0; i < KN_TUNABLES; i++)
        ck_assert_int_eq(found[i] != 0, i < 4);
    expect_ok(kn_gemm_get_usual(queue, found, &err));
    for (size_t i = 0; i < KN_TUNABLES; i++)
        ck_assert_int_eq(found[i] != 0, i < 6);
    kn_queue_close(queue);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {kept, tried, refused, refusals, of_others, damaged, nowhere};

    return RUN_ON_DEVICE_WITH("tuning", set_up, tear_down, tests);
}
