// SPDX-License-Identifier: Apache-2.0
// Tests loops on several threads: every round runs once, on the requested number of threads; several callers,
// loops within loops, children created by fork, and unloading of the library.
#define _GNU_SOURCE // pthread_setattr_default_np, sched_setaffinity
#include "support/support.h"

#include <dirent.h>
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <sys/wait.h>

#include <koine/host.h>

#include "base/array.h"
#include "base/os/clock.h"
#include "base/threads.h"
#include "support/run.h"

enum { MOST_THREADS = 64, MOST_ROUNDS = 1000 };

#define PATIENCE 20.0 // seconds, for waits that should be immediate

static void be_gone(void)
{
    usleep(200);
}

// ---- every round once ----

struct rounds {
    enum ki_schedule schedule;
    unsigned threads;
    size_t count;
    unsigned ran[MOST_ROUNDS];
    bool busy[MOST_THREADS];
    size_t slow;  // this round takes longer
    size_t wrong; // times the number of threads was wrong
};

static void count_round(void *context, size_t round)
{
    struct rounds *rounds = context;
    const size_t most = rounds->threads < rounds->count ? rounds->threads : rounds->count;
    const unsigned thread = ki_thread();

    __atomic_fetch_add(&rounds->ran[round], 1, __ATOMIC_RELAXED);
    if (thread >= most || (rounds->schedule == KI_STATIC && round % most != thread) ||
        __atomic_exchange_n(&rounds->busy[thread], true, __ATOMIC_ACQUIRE))
        __atomic_fetch_add(&rounds->wrong, 1, __ATOMIC_RELAXED);
    if (round == rounds->slow)
        be_gone();
    __atomic_store_n(&rounds->busy[thread], false, __ATOMIC_RELEASE);
}

static size_t wrong_rounds(enum ki_schedule schedule, unsigned threads, size_t count, size_t slow)
{
    struct rounds rounds = {.schedule = schedule, .threads = threads, .count = count, .slow = slow};

    ki_parallel(threads, count, schedule, count_round, &rounds);
    for (size_t i = 0; i < MOST_ROUNDS; i++)
        rounds.wrong += rounds.ran[i] != (i < count);
    return rounds.wrong;
}

static size_t wrong_shapes(void)
{
    static const unsigned threads[] = {1, 2, 3, 8, MOST_THREADS};
    static const size_t counts[] = {0, 1, 2, 3, 7, 8, 9, 64, MOST_ROUNDS};
    size_t wrong = 0;

    for (enum ki_schedule schedule = KI_STATIC; schedule <= KI_DYNAMIC; schedule++)
        for (size_t t = 0; t < KI_COUNT(threads); t++)
            for (size_t c = 0; c < KI_COUNT(counts); c++) {
                wrong += wrong_rounds(schedule, threads[t], counts[c], MOST_ROUNDS);
                wrong += wrong_rounds(schedule, threads[t], counts[c], 0);
                wrong += wrong_rounds(schedule, threads[t], counts[c], counts[c] / 2);
            }
    return wrong;
}

START_TEST(every_round_once)
{
    ck_assert_uint_eq(wrong_shapes(), 0);
}
END_TEST

// Each loop reads what other threads wrote in the one before it.
struct smoothing {
    uint32_t values[2][MOST_ROUNDS];
    size_t from;
};

static void smooth(void *context, size_t round)
{
    struct smoothing *s = context;
    const uint32_t *from = s->values[s->from];

    s->values[1 - s->from][round] =
        3 * from[round] + from[(round + 1) % MOST_ROUNDS] + 5 * from[(round * 7 + 3) % MOST_ROUNDS];
}

START_TEST(loops_follow_each_other)
{
    struct smoothing *in_order = calloc(1, sizeof *in_order), *shared = calloc(1, sizeof *shared);

    for (uint32_t i = 0; i < MOST_ROUNDS; i++)
        in_order->values[0][i] = shared->values[0][i] = i;
    for (unsigned i = 0; i < 2000; i++) {
        ki_parallel(1, MOST_ROUNDS, KI_STATIC, smooth, in_order);
        ki_parallel(2 + i % 3, MOST_ROUNDS, i % 2 ? KI_STATIC : KI_DYNAMIC, smooth, shared);
        in_order->from = shared->from = 1 - shared->from;
    }
    ck_assert_mem_eq(in_order->values, shared->values, sizeof shared->values);
    free(in_order);
    free(shared);
}
END_TEST

// ---- at the same time ----

struct meeting {
    unsigned expected, here;
    bool is_late;
};

// Waits until all threads have arrived.
static void meet(void *context, size_t round)
{
    struct meeting *meeting = context;
    double end = ki_clock_seconds() + PATIENCE;

    (void)round;
    __atomic_fetch_add(&meeting->here, 1, __ATOMIC_RELAXED);
    while (__atomic_load_n(&meeting->here, __ATOMIC_RELAXED) < meeting->expected) {
        be_gone();
        if (ki_clock_seconds() > end) {
            __atomic_store_n(&meeting->is_late, true, __ATOMIC_RELAXED);
            return;
        }
    }
}

static bool meet_in_loop(unsigned threads, enum ki_schedule schedule)
{
    struct meeting meeting = {.expected = threads};

    ki_parallel(threads, threads, schedule, meet, &meeting);
    return !meeting.is_late;
}

START_TEST(threads_are_as_many_as_asked_for)
{
    for (unsigned threads = 2; threads <= 9; threads += 7)
        for (int again = 0; again < 20; again++) {
            ck_assert(meet_in_loop(threads, KI_STATIC));
            ck_assert(meet_in_loop(threads, KI_DYNAMIC));
        }
}
END_TEST

static void wait_in_round_0(void *context, size_t round)
{
    if (round == 0)
        meet(context, round);
    else
        __atomic_fetch_add(&((struct meeting *)context)->here, 1, __ATOMIC_RELAXED);
}

// A single slow round does not prevent the other thread from running all the rest.
START_TEST(others_go_on_beside_a_slow_round)
{
    struct meeting meeting = {.expected = MOST_ROUNDS};

    ki_parallel(2, MOST_ROUNDS, KI_DYNAMIC, wait_in_round_0, &meeting);
    ck_assert(!meeting.is_late);
    ck_assert_uint_eq(meeting.here, MOST_ROUNDS);
}
END_TEST

static void *run_shapes(void *context)
{
    *(size_t *)context = wrong_shapes();
    return NULL;
}

static void *run_meeting(void *context)
{
    ki_parallel(2, 2, KI_STATIC, meet, context);
    return NULL;
}

START_TEST(callers_at_the_same_time)
{
    enum { CALLERS = 3 };
    struct meeting meeting = {.expected = 2 * CALLERS};
    pthread_t callers[CALLERS];
    size_t wrong[CALLERS];

    for (size_t i = 0; i < CALLERS; i++)
        ck_assert_int_eq(pthread_create(&callers[i], NULL, run_shapes, &wrong[i]), 0);
    for (size_t i = 0; i < CALLERS; i++) {
        pthread_join(callers[i], NULL);
        ck_assert_uint_eq(wrong[i], 0);
    }
    // Their loops wait for one another, so no caller may have to wait for the end of another's loop.
    for (size_t i = 0; i < CALLERS; i++)
        ck_assert_int_eq(pthread_create(&callers[i], NULL, run_meeting, &meeting), 0);
    for (size_t i = 0; i < CALLERS; i++)
        pthread_join(callers[i], NULL);
    ck_assert(!meeting.is_late);
}
END_TEST

// ---- loops within loops ----

struct inner {
    pthread_t outer;
    unsigned ran[MOST_ROUNDS];
    size_t strangers;
};

static void run_inner(void *context, size_t round)
{
    struct inner *inner = context;

    inner->ran[round]++;
    inner->strangers += ki_thread() != 0 || !pthread_equal(inner->outer, pthread_self());
}

static void run_outer(void *context, size_t round)
{
    struct inner inner = {.outer = pthread_self()};
    const unsigned thread = ki_thread();

    ki_parallel(4, MOST_ROUNDS, round % 2 ? KI_STATIC : KI_DYNAMIC, run_inner, &inner);
    for (size_t i = 0; i < MOST_ROUNDS; i++)
        inner.strangers += inner.ran[i] != 1;
    inner.strangers += ki_thread() != thread;
    __atomic_fetch_add((size_t *)context, inner.strangers, __ATOMIC_RELAXED);
}

static void meet_inside(void *context, size_t round)
{
    (void)round;
    *(bool *)context = meet_in_loop(3, KI_STATIC);
}

START_TEST(loops_within_loops)
{
    size_t wrong = 0;
    bool met = false;

    for (int again = 0; again < 50; again++)
        ki_parallel(4, 9, again % 2 ? KI_STATIC : KI_DYNAMIC, run_outer, &wrong);
    ck_assert_uint_eq(wrong, 0);
    // A loop of one thread can contain one of several; and loops still work afterwards.
    ki_parallel(1, 1, KI_STATIC, meet_inside, &met);
    ck_assert(met);
    ck_assert(meet_in_loop(3, KI_STATIC));
}
END_TEST

// ---- processes ----

// ThreadSanitizer mistakes a child's threads for its parent's, and ends the child; so does qemu-user.
static bool children_may_have_threads(void)
{
#ifdef __SANITIZE_THREAD__
    bool may = false;
#else
    bool may = !test_is_emulated();
#endif

    if (!may)
        fprintf(stderr, "skipped: threads of a child made by fork, under ThreadSanitizer or an emulator\n");
    return may;
}

// Whether `job` returns true in a child, which exits like a normal program.
static bool holds_in_child(bool (*job)(void))
{
    pid_t child = fork();
    int status = -1;

    if (child == 0) {
        alarm(2 * (unsigned)PATIENCE);
        exit(job() ? 0 : 1);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    return status == 0;
}

static bool works(void)
{
    return wrong_shapes() == 0 && meet_in_loop(5, KI_STATIC);
}

static bool works_in_grandchild(void)
{
    return works() && holds_in_child(works) && works();
}

START_TEST(children_have_threads_of_their_own)
{
    if (!children_may_have_threads())
        return;
    ck_assert(works());
    ck_assert(holds_in_child(works_in_grandchild));
    ck_assert(works());
}
END_TEST

static bool works_a_little(void)
{
    return wrong_rounds(KI_DYNAMIC, 3, 64, 0) == 0 && meet_in_loop(3, KI_STATIC);
}

static void *run_until_told(void *context)
{
    while (!__atomic_load_n((bool *)context, __ATOMIC_RELAXED)) {
        wrong_rounds(KI_STATIC, 3, 8, MOST_ROUNDS);
        wrong_rounds(KI_DYNAMIC, 2, 8, MOST_ROUNDS);
    }
    return NULL;
}

START_TEST(forks_while_loops_run)
{
    pthread_t callers[2];
    bool ends = false;

    if (!children_may_have_threads())
        return;
    for (size_t i = 0; i < 2; i++)
        ck_assert_int_eq(pthread_create(&callers[i], NULL, run_until_told, &ends), 0);
    for (int again = 0; again < 50; again++)
        ck_assert(holds_in_child(works_a_little));
    __atomic_store_n(&ends, true, __ATOMIC_RELAXED);
    for (size_t i = 0; i < 2; i++)
        pthread_join(callers[i], NULL);
}
END_TEST

static bool works_without_threads(void)
{
    pthread_attr_t attributes;

    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, (size_t)1 << 47); // more than the address space
    return pthread_setattr_default_np(&attributes) == 0 && wrong_shapes() == 0;
}

START_TEST(no_thread_can_be_started)
{
    ck_assert(holds_in_child(works_without_threads));
}
END_TEST

// ---- how many ----

static const char *omp_num_threads;
static unsigned expected;

static bool counts_as_expected(void)
{
    if (omp_num_threads)
        setenv("OMP_NUM_THREADS", omp_num_threads, 1);
    else
        unsetenv("OMP_NUM_THREADS");
    return ki_threads(0) == expected && ki_threads(7) == 7;
}

static bool counts_on_one_processor(void)
{
    cpu_set_t here;

    CPU_ZERO(&here);
    CPU_SET((size_t)sched_getcpu(), &here);
    return sched_setaffinity(0, sizeof here, &here) == 0 && counts_as_expected();
}

START_TEST(default_number)
{
    cpu_set_t here;

    ck_assert_int_eq(sched_getaffinity(0, sizeof here, &here), 0);
    const struct {
        const char *text;
        unsigned count;
    } cases[] = {{"3", 3},
                 {" 12 ", 12},
                 {"5,2", 5},
                 {NULL, (unsigned)CPU_COUNT(&here)},
                 {"", (unsigned)CPU_COUNT(&here)},
                 {"0", (unsigned)CPU_COUNT(&here)},
                 {"-2", (unsigned)CPU_COUNT(&here)},
                 {"4x", (unsigned)CPU_COUNT(&here)},
                 {"many", (unsigned)CPU_COUNT(&here)},
                 {"99999999999999999999", 1024}};

    for (size_t i = 0; i < KI_COUNT(cases); i++) {
        omp_num_threads = cases[i].text;
        expected = cases[i].count;
        ck_assert_msg(holds_in_child(counts_as_expected), "OMP_NUM_THREADS=%s", cases[i].text);
    }
    omp_num_threads = NULL;
    expected = 1;
    ck_assert(holds_in_child(counts_on_one_processor));
}
END_TEST

// ---- the library's end ----

static size_t threads_here(void)
{
    DIR *folder = opendir("/proc/self/task");
    size_t count = 0;

    ck_assert_ptr_nonnull(folder);
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;)
        count += entry->d_name[0] != '.';
    closedir(folder);
    return count;
}

START_TEST(threads_end_with_the_library)
{
    enum { COUNT = 1 << 20 };
    const kn_host_options options = KN_INIT(kn_host_options, .threads = 4);
    const char *folder = getenv("builddir");
    float *keys = calloc(COUNT, sizeof *keys);
    kn_error err = KN_ERROR_INIT;
    size_t before;
    char path[4096];

    if (test_is_emulated()) {
        fprintf(stderr, "skipped: the emulator's own threads are among those that are counted\n");
        free(keys);
        return;
    }
    ck_assert_ptr_nonnull(folder);
    ck_assert(meet_in_loop(2, KI_STATIC)); // a sanitizer's thread starts with the first other one
    before = threads_here();
    snprintf(path, sizeof path, "%s/.libs/libkoine.so", folder);
    if (access(path, F_OK) != 0)
        printf("skipped: there is no %s: configured with --disable-shared\n", path);
    for (int again = 0; again < 3 && access(path, F_OK) == 0; again++) {
        void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        kn_status (*sort)(void *, kn_type, size_t, const kn_host_options *, kn_error *);

        ck_assert_msg(library != NULL, "%s", dlerror());
        *(void **)&sort = dlsym(library, "kn_host_sort");
        ck_assert_ptr_nonnull(sort);
        ck_assert_msg(sort(keys, KN_F32, COUNT, &options, &err) == KN_OK, "%s", err.text);
        ck_assert_uint_eq(threads_here(), before + 3);
        dlclose(library);
        ck_assert_uint_eq(threads_here(), before);
        ck_assert_ptr_null(dlopen(path, RTLD_NOW | RTLD_NOLOAD));
    }
    free(keys);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {every_round_once,
                                  loops_follow_each_other,
                                  threads_are_as_many_as_asked_for,
                                  others_go_on_beside_a_slow_round,
                                  callers_at_the_same_time,
                                  loops_within_loops,
                                  children_have_threads_of_their_own,
                                  forks_while_loops_run,
                                  no_thread_can_be_started,
                                  default_number,
                                  threads_end_with_the_library};

    return TEST_RUN("threads", CK_FORK_GETENV, tests);
}
