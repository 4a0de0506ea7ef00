// SPDX-License-Identifier: Apache-2.0
// Tests the messages and the exit of the command when it crashes: each case is a separate process, which
// records tasks as the engine does, and then crashes.
#include "support/run.h"
#include "support/support.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "cli/framework/crash.h"
#include "cli/framework/interrupt.h"
#include "engine/watch/flight.h"
#include "base/os/output.h"

static const kn_device_info device = {.spec = "opencl:0.0", .name = "a processor", .type = KN_DEVICE_CPU};
static char *folder;
static char said[8192];

static void fault(void)
{
    volatile int *volatile nowhere = (volatile int *)16;

    *nowhere = 1;
}

// Runs `body` in a process with the handlers installed; its output is in `said`.
static int run_and_wait(void (*body)(void))
{
    const struct rlimit no_core = {0, 0};
    size_t used = 0;
    ssize_t got;
    int ends[2], status = 0;
    pid_t child;

    ck_assert_int_eq(pipe(ends), 0);
    child = fork();
    if (child ==
        0) { // no assertion before body(): two processes that report to Check at once mix their messages
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        setrlimit(RLIMIT_CORE, &no_core);
        crash_install("koine test");
        body();
        _exit(99);
    }
    ck_assert_int_gt(child, 0);
    close(ends[1]);
    while (used < sizeof said - 1 && (got = read(ends[0], said + used, sizeof said - 1 - used)) > 0)
        used += (size_t)got;
    said[used] = '\0';
    close(ends[0]);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    return status;
}

static void expect_exit_4(void (*body)(void))
{
    int status = run_and_wait(body);

    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 4, "status %x: %s", (unsigned)status, said);
    ck_assert_ptr_nonnull(strstr(said, "koine test: crashed (SIG"));
}

static void expect_signal(void (*body)(void), int number)
{
    int status = run_and_wait(body);

    ck_assert_msg(WIFSIGNALED(status) && WTERMSIG(status) == number, "status %x: %s", (unsigned)status, said);
}

static void expect_said(const char *words)
{
    ck_assert_msg(strstr(said, words) != NULL, "\"%s\" without \"%s\"", said, words);
}

static void expect_unsaid(const char *words)
{
    ck_assert_msg(strstr(said, words) == NULL, "\"%s\" with \"%s\"", said, words);
}

static struct flight_queue *in_use(void)
{
    ki_flight_end(ki_flight_begin("looking for devices"));
    return ki_flight_claim(&device);
}

static void one_kernel(void)
{
    struct flight_queue *queue = in_use();

    ki_flight_depart(queue, ki_flight_label("before", "a.cl"));
    ki_flight_land_all(queue);
    for (int i = 0; i < KN_FLIGHT_KERNELS; i++)
        ki_flight_depart(queue, ki_flight_label("smash", "folder/b.cl"));
    fault();
}

static void with_a_note(void)
{
    interrupt_note("what was finished is kept\n");
    one_kernel();
}

static void two_kernels(void)
{
    struct flight_queue *queue = in_use();
    unsigned first = ki_flight_depart(queue, ki_flight_label("first", "a.cl"));

    ki_flight_depart(queue, ki_flight_label("second", "a.cl"));
    ki_flight_depart(queue, ki_flight_label("third", "b.cl"));
    ki_flight_depart(queue, ki_flight_label("second", "a.cl"));
    ki_flight_land(queue, first);
    ki_flight_land(queue, 0); // an older event changes nothing
    fault();
}

static void many_kernels(void)
{
    struct flight_queue *queue = in_use();
    char name[32];

    for (int i = 0; i < 1000; i++) {
        snprintf(name, sizeof name, "kernel_%03d", i);
        ki_flight_depart(queue, ki_flight_label(name, "many.cl"));
    }
    fault();
}

static void two_queues(void)
{
    struct flight_queue *first = in_use(), *second = in_use(), *closed = in_use();

    ki_flight_depart(first, ki_flight_label("one", "a.cl"));
    ki_flight_depart(second, ki_flight_label("two", "b.cl"));
    ki_flight_depart(closed, ki_flight_label("three", "c.cl"));
    ki_flight_release(closed);
    fault();
}

static void compiling(void)
{
    ki_flight_end(ki_flight_begin("opening %s", "a driver"));
    ki_flight_begin("compiling %s for %s", "reduce.cl", "opencl:0.0");
    abort();
}

static void after_a_kernel(void)
{
    struct flight_queue *queue = in_use();

    ki_flight_depart(queue, ki_flight_label("smash", "b.cl"));
    ki_flight_land_all(queue);
    ki_flight_release(queue);
    abort(); // like the C library when it finds the heap damaged
}

static void before_any_kernel(void)
{
    in_use();
    fault();
}

START_TEST(kernels)
{
    expect_exit_4(one_kernel);
    expect_said("(SIGSEGV, an access to invalid memory) while opencl:0.0 (a processor) was running "
                "or about "
                "to run smash (folder/b.cl)");
    expect_unsaid("before");
    expect_unsaid("KOINE_LOG=sync");
    expect_said("Oclgrind");
    expect_unsaid("is kept");
    expect_exit_4(with_a_note);
    expect_said("\nwhat was finished is kept\n");
    expect_exit_4(two_kernels);
    expect_said(
        "about to run second (a.cl), third (b.cl) (one of 2 kernels: KOINE_LOG=sync waits after each");
    expect_unsaid("first");
    expect_exit_4(many_kernels); // the last ones, as many as fit
    expect_said("a kernel and others");
    expect_exit_4(two_queues);
    expect_said(
        "about to run one (a.cl), and opencl:0.0 (a processor) was running or about to run two (b.cl)");
    expect_unsaid("three");
}
END_TEST

START_TEST(other_work)
{
    expect_exit_4(compiling);
    expect_said("(SIGABRT, it aborted itself) while compiling reduce.cl for opencl:0.0\n");
    expect_unsaid("a driver");
    expect_exit_4(after_a_kernel);
    expect_said(
        "while nothing was running on a device; what ran last: smash (b.cl) on opencl:0.0 (a processor)");
    expect_said("Oclgrind");
    expect_exit_4(before_any_kernel);
    expect_said("what ran last: nothing yet");
    expect_unsaid("Oclgrind");
}
END_TEST

static void sent_by_another(void)
{
    pid_t parent = getpid(), child;

    ki_flight_depart(in_use(), ki_flight_label("innocent", "a.cl"));
    child = fork();
    if (child == 0) {
        kill(parent, SIGSEGV);
        _exit(0);
    }
    for (;;)
        pause();
}

START_TEST(ends_by_the_signal)
{
    expect_signal(fault, SIGSEGV); // no driver was in use: the fault is ours
    expect_said("no driver was in use: a defect of Koine");
    expect_signal(abort, SIGABRT);
    expect_said("a defect of Koine");
    expect_signal(sent_by_another, SIGSEGV);
    ck_assert_str_eq(said, "");
    setenv("KOINE_LOG", "debug", 1);
    expect_signal(one_kernel, SIGSEGV);
    expect_said("smash (folder/b.cl)");
    setenv("KOINE_LOG", "sync", 1);
    expect_exit_4(two_kernels);
    expect_unsaid("KOINE_LOG=sync");
    unsetenv("KOINE_LOG");
}
END_TEST

static void *fault_in_thread(void *barrier)
{
    pthread_barrier_wait(barrier);
    fault();
    return NULL;
}

static void threads(void)
{
    pthread_barrier_t barrier;
    pthread_t thread;

    ki_flight_depart(in_use(), ki_flight_label("smash", "b.cl"));
    pthread_barrier_init(&barrier, NULL, 8);
    for (int i = 0; i < 8; i++)
        pthread_create(&thread, NULL, fault_in_thread, &barrier);
    for (;;)
        pause();
}

static unsigned descend(unsigned depth)
{
    volatile char room[4096];

    room[depth % sizeof room] = (char)depth;
    return depth == ~0u ? 0 : descend(depth + 1) + (unsigned)room[depth % sizeof room];
}

static void no_stack(void)
{
    ki_flight_depart(in_use(), ki_flight_label("deep", "b.cl"));
    _exit((int)(descend(0) % 2) + 50);
}

START_TEST(wherever_it_crashes)
{
    for (int i = 0; i < 20; i++) {
        expect_exit_4(threads);
        ck_assert_ptr_null(strstr(strstr(said, "crashed") + 1, "crashed")); // only once
        expect_said("smash (b.cl)");
    }
    expect_exit_4(no_stack);
    expect_said("deep (b.cl)");
}
END_TEST

static void own_handler(int number)
{
    (void)number;
    _exit(42);
}

static void installs_over_one(void)
{
    signal(SIGSEGV, own_handler);
    crash_install("koine test");
    fault();
}

// LLVM, in a driver, installs its own handler while it compiles; the handler returns, after which abort()
// would end the process.
static void returning_handler(int number)
{
    (void)number;
}

static void aborts_with_a_drivers_handler(void)
{
    struct flight_task *task = ki_flight_begin("compiling b.cl");
    struct sigaction action = {.sa_handler = returning_handler}, before;

    if (sigaction(SIGABRT, &action, &before) != 0 || !(before.sa_flags & SA_SIGINFO))
        _exit(97);
    ki_flight_end(task);
    ki_flight_depart(in_use(), ki_flight_label("smash", "b.cl"));
    abort();
}

START_TEST(handler_of_a_driver)
{
    expect_exit_4(aborts_with_a_drivers_handler);
    expect_said("smash (b.cl)");
}
END_TEST

START_TEST(handler_of_somebody_else)
{
    int status;

    ck_assert(signal(SIGSEGV, own_handler) != SIG_ERR); // before the process installs ours
    status = run_and_wait(fault);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 42);
    ck_assert(signal(SIGSEGV, SIG_DFL) != SIG_ERR);
    status = run_and_wait(installs_over_one);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 42);
}
END_TEST

// The path of that file in the test's folder, until the next call.
static const char *in_folder(const char *name)
{
    static char path[4300];

    ck_assert_ptr_nonnull(folder);
    ck_assert_int_lt(snprintf(path, sizeof path, "%s/%s", folder, name), (int)sizeof path);
    return path;
}

START_TEST(hint)
{
    char *kept = strdup(getenv("PATH")), *program = strdup(in_folder("oclgrind")), paths[4400];
    FILE *file;

    setenv("PATH", "/nonexistent", 1);
    expect_exit_4(one_kernel);
    ck_assert(strstr(said, ": OCL_ICD_VENDORS=/") || strstr(said, ", where it is installed\n"));
    file = fopen(program, "w");
    ck_assert_ptr_nonnull(file);
    fclose(file);
    snprintf(paths, sizeof paths, "/nonexistent::%s", in_folder(""));
    setenv("PATH", paths, 1);
    expect_exit_4(one_kernel);
    expect_unsaid(": oclgrind koine test"); // it is not executable
    ck_assert_int_eq(chmod(program, 0755), 0);
    expect_exit_4(one_kernel);
    expect_said(": oclgrind koine test ...");
    setenv("PATH", kept, 1);
    free(program);
    free(kept);
}
END_TEST

static void half_a_file(void)
{
    struct ki_output *done = NULL, *half = NULL;
    kn_error err;

    ki_flight_depart(in_use(), ki_flight_label("smash", "b.cl"));
    if (ki_output_open(in_folder("done"), false, &done, &err) || fputs("whole", ki_output_stream(done)) < 0)
        _exit(98);
    if (ki_output_open(in_folder("half"), false, &half, &err) || fputs("half", ki_output_stream(half)) < 0 ||
        ki_output_close(done, &err))
        _exit(98);
    fault();
}

START_TEST(files)
{
    char command[4400];

    expect_exit_4(half_a_file);
    snprintf(command, sizeof command, "cd '%s' && test \"$(ls -A)\" = done && test \"$(cat done)\" = whole",
             in_folder(""));
    ck_assert_int_eq(system(command), 0);
}
END_TEST

static void set_up(void)
{
    folder = test_folder();
    unsetenv("KOINE_LOG");
}

static void tear_down(void)
{
    test_remove(folder);
}

int main(void)
{
    const TTest *const tests[] = {kernels,
                                  other_work,
                                  ends_by_the_signal,
                                  wherever_it_crashes,
                                  handler_of_a_driver,
                                  handler_of_somebody_else,
                                  files,
                                  hint};

    if (CRASH_SANITIZED) {
        puts("a sanitizer's handlers are installed: not run");
        return 77;
    }
    return TEST_RUN_WITH("crash", CK_FORK_GETENV, set_up, tear_down, tests);
}
