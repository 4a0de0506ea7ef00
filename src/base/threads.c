// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE // sched_getaffinity
#include "threads.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/os/clock.h"
#include "base/os/env.h"

enum { MOST_WORKERS = 1023, MOST_PROCESSORS = 1 << 20 };

// Waking a sleeping thread takes some 50 microseconds, so spinning for about that long pays off.
#define AWAKE_SECONDS 50e-6

struct loop {
    ki_round *body;
    void *context;
    size_t rounds, next_round; // next_round is for the dynamic schedule
    unsigned threads;
    unsigned next_thread; // the first number not given to a worker; a thread that is done takes it over
    enum ki_schedule schedule;
    bool spins; // threads spin for a while: there are processors for all of them
};

// The state of a worker. The thread that has taken it changes IDLE and ASLEEP to ORDERED or DISMISSED,
// ORDERED back to IDLE, and WORKING to AWAITED; the worker makes all other changes.
enum state {
    IDLE,      // waits, spinning
    ASLEEP,    // waits, and has to be woken
    ORDERED,   // has a loop that it has not begun
    WORKING,   // has begun
    AWAITED,   // has begun, and has to wake the waiting thread when it is done
    DISMISSED, // ends
};

// Each on its own cache lines.
struct worker {
    _Alignas(128) enum state state;
    struct loop *loop; // this and the thread's number in it are written before ORDERED
    unsigned number;
    bool taken;          // by a thread that runs a loop
    bool spins;          // spins for a while after that loop
    struct worker *next; // of all workers
    struct worker *mate; // of the workers of the same loop
    pthread_t thread;
    pthread_mutex_t lock; // for sleeping: of whichever of the two sleeps
    pthread_cond_t changed;
};

static struct {
    pthread_mutex_t lock; // of the list, and of starting workers
    struct worker *first; // in the order in which they were started
    struct worker *spare; // memory of workers that a fork left behind, or that could not be started
    unsigned count;       // in the list
    unsigned processors;  // 0: not yet known
    unsigned threads;     // the default; 0: not yet known
    bool sees_forks, is_closed;
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER};

static __thread bool is_in_loop;
static __thread unsigned own_number;

// ---- how many ----

static unsigned count_processors(void)
{
    long online = sysconf(_SC_NPROCESSORS_ONLN);

    for (size_t most = CPU_SETSIZE; most <= MOST_PROCESSORS; most *= 2) {
        cpu_set_t *set = CPU_ALLOC(most);
        int count = 0;

        if (set && sched_getaffinity(0, CPU_ALLOC_SIZE(most), set) == 0)
            count = CPU_COUNT_S(CPU_ALLOC_SIZE(most), set);
        CPU_FREE(set);
        if (count > 0)
            return (unsigned)count;
    }
    return online > 0 ? (unsigned)online : 1;
}

// Several threads may find this out at the same time, with the same result.
static unsigned processors(void)
{
    unsigned count = __atomic_load_n(&pool.processors, __ATOMIC_RELAXED);

    if (count == 0) {
        count = count_processors();
        __atomic_store_n(&pool.processors, count, __ATOMIC_RELAXED);
    }
    return count;
}

// The first number of OMP_NUM_THREADS, which may be a list; 0 if it is not a number.
static unsigned asked_by_user(void)
{
    const char *text = ki_env_get(KI_ENV_THREADS);
    char *end;
    long count;

    if (!text)
        return 0;
    count = strtol(text, &end, 10);
    while (*end == ' ')
        end++;
    return count > 0 && end > text && (*end == '\0' || *end == ',')
               ? (unsigned)(count > MOST_WORKERS ? MOST_WORKERS + 1 : count)
               : 0;
}

unsigned ki_threads(unsigned asked)
{
    unsigned count = asked ? asked : __atomic_load_n(&pool.threads, __ATOMIC_RELAXED);

    if (count == 0) {
        count = asked_by_user();
        count = count ? count : processors();
        __atomic_store_n(&pool.threads, count, __ATOMIC_RELAXED);
    }
    return count;
}

// ---- a worker's state ----

static enum state state_of(const struct worker *worker)
{
    return __atomic_load_n(&worker->state, __ATOMIC_ACQUIRE);
}

// Changes `now` to `next`; false if the state is not `now`.
static bool change(struct worker *worker, enum state now, enum state next)
{
    return __atomic_compare_exchange_n(&worker->state, &now, next, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

static void relax(void)
{
#if defined __x86_64__ || defined __i386__
    __builtin_ia32_pause();
#elif defined __aarch64__
    __asm__ volatile("isb" ::: "memory");
#endif
}

// Spins for a short time until the state differs from `state`.
static void wait_awake(const struct worker *worker, enum state state)
{
    enum { LOOKS = 32 };
    double end = 0;

    for (;;) {
        for (int i = 0; i < LOOKS; i++) {
            if (state_of(worker) != state)
                return;
            relax();
        }
        if (end == 0)
            end = ki_clock_seconds() + AWAKE_SECONDS;
        else if (ki_clock_seconds() > end)
            return;
    }
}

static void wait_asleep(struct worker *worker, enum state state)
{
    pthread_mutex_lock(&worker->lock);
    while (state_of(worker) == state)
        pthread_cond_wait(&worker->changed, &worker->lock);
    pthread_mutex_unlock(&worker->lock);
}

// After a change of state: a thread that slept through the old one either waits for the signal, or has not
// looked yet.
static void wake(struct worker *worker)
{
    pthread_mutex_lock(&worker->lock);
    pthread_mutex_unlock(&worker->lock);
    pthread_cond_signal(&worker->changed);
}

// Changes IDLE or ASLEEP to `next`.
static void tell(struct worker *worker, enum state next)
{
    if (__atomic_exchange_n(&worker->state, next, __ATOMIC_ACQ_REL) == ASLEEP)
        wake(worker);
}

// ---- workers ----

// Runs the rounds of a thread, and of threads that could not be had.
static void run(struct loop *loop, unsigned number)
{
    for (; number < loop->threads; number = __atomic_fetch_add(&loop->next_thread, 1, __ATOMIC_RELAXED)) {
        size_t round = number;

        own_number = number;
        if (loop->schedule == KI_STATIC)
            for (; round < loop->rounds; round += loop->threads)
                loop->body(loop->context, round);
        else
            while ((round = __atomic_fetch_add(&loop->next_round, 1, __ATOMIC_RELAXED)) < loop->rounds)
                loop->body(loop->context, round);
    }
    own_number = 0;
}

// Called by the thread that asks.
static void run_alone(size_t rounds, ki_round *body, void *context)
{
    unsigned number = own_number;

    own_number = 0;
    for (size_t round = 0; round < rounds; round++)
        body(context, round);
    own_number = number;
}

static void *work(void *argument)
{
    struct worker *worker = argument;

    is_in_loop = true;
    while (state_of(worker) != DISMISSED) {
        if (change(worker, ORDERED, WORKING)) {
            run(worker->loop, worker->number);
            if (__atomic_exchange_n(&worker->state, IDLE, __ATOMIC_ACQ_REL) == AWAITED)
                wake(worker);
        }
        if (__atomic_load_n(&worker->spins, __ATOMIC_RELAXED))
            wait_awake(worker, IDLE);
        if (change(worker, IDLE, ASLEEP))
            wait_asleep(worker, ASLEEP);
    }
    return NULL;
}

// Signals are for the program's threads, except those of a crash, which belong to the thread that crashes.
static void block_signals(sigset_t *before)
{
    static const int own[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS};
    sigset_t all;

    sigfillset(&all);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        sigdelset(&all, own[i]);
    pthread_sigmask(SIG_BLOCK, &all, before);
}

bool ki_thread_start(pthread_t *thread, void *(*body)(void *), void *argument)
{
    sigset_t before;
    bool has_started;

    block_signals(&before);
    has_started = pthread_create(thread, NULL, body, argument) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return has_started;
}

static struct worker *start_worker(void)
{
    struct worker *worker = pool.spare;
    bool has_started;

    if (worker)
        pool.spare = worker->next;
    else
        worker = aligned_alloc(_Alignof(struct worker), sizeof *worker);
    if (!worker)
        return NULL;
    *worker = (struct worker){.state = IDLE};
    pthread_mutex_init(&worker->lock, NULL); // on Linux these cannot fail
    pthread_cond_init(&worker->changed, NULL);
    has_started = ki_thread_start(&worker->thread, work, worker);
    if (!has_started) {
        worker->next = pool.spare;
        pool.spare = worker;
    }
    return has_started ? worker : NULL;
}

// ---- the process ----

static void before_fork(void)
{
    pthread_mutex_lock(&pool.lock);
}

static void in_parent(void)
{
    pthread_mutex_unlock(&pool.lock);
}

// The workers do not exist here, whatever state they were in.
static void in_child(void)
{
    struct worker **end = &pool.spare;

    while (*end)
        end = &(*end)->next;
    *end = pool.first;
    pool.first = NULL;
    pool.count = pool.processors = pool.threads = 0;
    pthread_mutex_unlock(&pool.lock);
}

static void free_workers(struct worker *worker)
{
    while (worker) {
        struct worker *next = worker->next;

        free(worker);
        worker = next;
    }
}

// When the library is closed, or at the end of the process. Other threads may still run loops then: they keep
// their workers, and get no more. A thread that is just taking workers is not waited for either.
__attribute__((destructor)) static void close_pool(void)
{
    struct worker *kept = NULL, *dismissed = NULL, *next;

    if (pthread_mutex_trylock(&pool.lock) != 0)
        return;
    pool.is_closed = true;
    for (struct worker *worker = pool.first; worker; worker = next) {
        bool is_taken = __atomic_load_n(&worker->taken, __ATOMIC_ACQUIRE);
        struct worker **list = is_taken ? &kept : &dismissed;

        next = worker->next;
        worker->next = *list;
        *list = worker;
        if (!is_taken)
            tell(worker, DISMISSED);
    }
    for (struct worker *worker = dismissed; worker; worker = worker->next)
        pthread_join(worker->thread, NULL);
    free_workers(dismissed);
    free_workers(pool.spare);
    pool.first = kept;
    pool.spare = NULL;
    pthread_mutex_unlock(&pool.lock);
}

unsigned ki_thread(void)
{
    return own_number;
}

// ---- loops ----

// Adds one more worker at `end` of the list, if possible.
static bool grow(struct worker **end)
{
    pool.sees_forks = pool.sees_forks || pthread_atfork(before_fork, in_parent, in_child) == 0;
    if (!pool.sees_forks || pool.is_closed || pool.count == MOST_WORKERS)
        return false;
    *end = start_worker();
    pool.count += *end != NULL;
    return *end != NULL;
}

// Takes workers for all of a loop's threads except the caller's, or as many as there are. Free ones get the
// same numbers each time, and so find in their caches what they left there.
static struct worker *take_workers(struct loop *loop)
{
    struct worker *taken = NULL, **end = &taken;

    pthread_mutex_lock(&pool.lock);
    for (struct worker **next = &pool.first; loop->next_thread < loop->threads && (*next || grow(next));
         next = &(*next)->next) {
        struct worker *worker = *next;

        if (__atomic_load_n(&worker->taken, __ATOMIC_ACQUIRE))
            continue;
        worker->taken = true;
        __atomic_store_n(&worker->spins, loop->spins, __ATOMIC_RELAXED);
        worker->loop = loop;
        worker->number = loop->next_thread++;
        worker->mate = NULL;
        *end = worker;
        end = &worker->mate;
    }
    pthread_mutex_unlock(&pool.lock);
    return taken;
}

// Returns when all are done. A worker that has not begun by now need not begin any more.
static void give_back(struct loop *loop, struct worker *taken)
{
    struct worker *next;

    for (struct worker *worker = taken; worker; worker = worker->mate)
        if (change(worker, ORDERED, IDLE))
            run(loop, worker->number);
    for (struct worker *worker = taken; worker; worker = next) {
        next = worker->mate;
        if (loop->spins)
            wait_awake(worker, WORKING);
        if (change(worker, WORKING, AWAITED))
            wait_asleep(worker, AWAITED);
        __atomic_store_n(&worker->taken, false, __ATOMIC_RELEASE);
    }
}

void ki_parallel(unsigned threads, size_t rounds, enum ki_schedule schedule, ki_round *body, void *context)
{
    struct loop loop = {.body = body,
                        .context = context,
                        .rounds = rounds,
                        .threads = threads < rounds ? threads : (unsigned)rounds,
                        .next_thread = 1,
                        .schedule = schedule};
    struct worker *taken;

    if (loop.threads <= 1 || is_in_loop) {
        run_alone(rounds, body, context);
        return;
    }
    loop.spins = loop.threads <= processors();
    taken = take_workers(&loop);
    for (struct worker *worker = taken; worker; worker = worker->mate)
        tell(worker, ORDERED);
    is_in_loop = true;
    run(&loop, 0);
    give_back(&loop, taken);
    is_in_loop = false;
}
