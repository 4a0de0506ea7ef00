// SPDX-License-Identifier: Apache-2.0
// The handler calls what POSIX lets a signal handler call (write, access, unlink, _exit, functions on
// strings) and reads the records of koine/experimental/flight.h and output.h, which have fixed places.
#include "crash.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <koine/experimental/flight.h>

#include "base/array.h"
#include "base/os/env.h"
#include "base/os/output.h"
#include "interrupt.h"
#include "status.h"

struct fault {
    int number;
    const char *text;
};

static const struct fault faults[] = {
    {SIGSEGV, "SIGSEGV, an access to invalid memory"},
    {SIGBUS, "SIGBUS, an access to invalid memory"},
    {SIGILL, "SIGILL, an instruction that the processor does not have"},
    {SIGFPE, "SIGFPE, a division by zero, for instance"},
    {SIGABRT, "SIGABRT, it aborted itself"},
};

static void take_back(void);
static _Alignas(16) char record[KN_FLIGHT_BYTES];
static const kn_flight *flight; // in it
static struct ki_output_names outputs;
static char command[64];
static const char *programs;               // PATH
static bool dumps, waits;                  // KOINE_LOG: debug, sync
static _Alignas(16) char stack[64 * 1024]; // in case the main thread's is used up
static atomic_bool handling;

// ---- a line of text, written with one call ----

struct line {
    char text[4096];
    size_t length;
};

static void add(struct line *line, const char *text)
{
    for (; *text && line->length < sizeof line->text - 1; text++)
        line->text[line->length++] = *text;
}

static void add_number(struct line *line, unsigned number)
{
    char digits[16];
    size_t at = sizeof digits - 1;

    digits[at] = '\0';
    do
        digits[--at] = (char)('0' + number % 10);
    while (number /= 10);
    add(line, digits + at);
}

static void print(struct line *line)
{
    ssize_t put;

    line->text[line->length++] = '\n';
    for (size_t done = 0; done < line->length; done += (size_t)put) {
        put = write(STDERR_FILENO, line->text + done, line->length - done);
        if (put < 0 && errno == EINTR)
            put = 0;
        if (put < 0)
            return;
    }
    line->length = 0;
}

// ---- what was under way ----

enum { MOST_NAMES = 8 };

// The kernels of a queue that may not have ended, each name once; returns the number of names.
static unsigned add_kernels(struct line *line, const kn_flight_queue *queue)
{
    unsigned flying = queue->launched - queue->ended, names = 0;
    const char *seen[MOST_NAMES];
    bool more = flying > KN_FLIGHT_KERNELS;

    for (unsigned i = more ? KN_FLIGHT_KERNELS : flying; i > 0; i--) {
        const char *name = queue->kernels[(queue->launched - i) % KN_FLIGHT_KERNELS];
        bool known = !name;

        for (unsigned k = 0; k < names && !known; k++)
            known = seen[k] == name;
        if (known)
            continue;
        if (names == MOST_NAMES) {
            more = true;
            break;
        }
        seen[names++] = name;
        add(line, names > 1 ? ", " : "");
        add(line, name);
    }
    if (more)
        add(line, " and others");
    return names + more;
}

static bool is_flying(const kn_flight_queue *queue)
{
    return queue->is_open && queue->launched != queue->ended;
}

// Whether something was under way; `names` lists the kernels that may be the cause.
static bool add_flights(struct line *line, unsigned *names)
{
    kn_flight_queue queue;
    bool any = false;

    for (size_t i = 0; kn_flight_get_queue(flight, i, &queue); i++) {
        if (!is_flying(&queue))
            continue;
        add(line, any ? ", and " : " ");
        add(line, queue.device);
        add(line, " was running or about to run ");
        *names += add_kernels(line, &queue);
        any = true;
    }
    return any;
}

static bool add_tasks(struct line *line)
{
    const char *task;
    size_t count = 0;

    for (; (task = kn_flight_get_task(flight, count)); count++) {
        add(line, count ? " and " : " ");
        add(line, task);
    }
    return count > 0;
}

// The last kernel of each queue, all of which have ended.
static bool add_last(struct line *line)
{
    kn_flight_queue queue;
    bool any = false;

    for (size_t i = 0; kn_flight_get_queue(flight, i, &queue); i++) {
        const char *name = queue.launched ? queue.kernels[(queue.launched - 1) % KN_FLIGHT_KERNELS] : NULL;

        if (!name)
            continue;
        add(line, any ? ", " : "");
        add(line, name);
        add(line, " on ");
        add(line, queue.device);
        any = true;
    }
    return any;
}

// ---- how to find out more ----

static bool is_in_path(const char *program)
{
    char path[1024];
    const char *from = programs;

    while (from && *from) {
        size_t length = strcspn(from, ":"), rest = strlen(program) + 2;

        if (length > 0 && length + rest <= sizeof path) {
            memcpy(path, from, length);
            path[length] = '/';
            strcpy(path + length + 1, program);
            if (access(path, X_OK) == 0)
                return true;
        }
        from += length + (from[length] == ':');
    }
    return false;
}

static const char *oclgrind_library(void)
{
    static const char *const paths[] = {
        "/usr/lib/oclgrind/liboclgrind-rt-icd.so",
        "/usr/lib/x86_64-linux-gnu/oclgrind/liboclgrind-rt-icd.so",
        "/usr/lib/aarch64-linux-gnu/oclgrind/liboclgrind-rt-icd.so",
        "/usr/lib64/oclgrind/liboclgrind-rt-icd.so",
        "/usr/lib/liboclgrind-rt-icd.so",
        "/usr/lib64/liboclgrind-rt-icd.so",
        "/usr/local/lib/oclgrind/liboclgrind-rt-icd.so",
        "/usr/local/lib/liboclgrind-rt-icd.so",
    };

    for (size_t i = 0; i < KI_COUNT(paths); i++)
        if (access(paths[i], R_OK) == 0)
            return paths[i];
    return NULL;
}

// Whether a kernel was launched on a device that shares the process's memory.
static bool is_on_cpu(void)
{
    kn_flight_queue queue;

    for (size_t i = 0; kn_flight_get_queue(flight, i, &queue); i++)
        if (queue.is_cpu && queue.launched > 0)
            return true;
    return false;
}

static void begin(struct line *line)
{
    add(line, command);
    add(line, ": ");
}

static void print_hint(struct line *line)
{
    const char *library = oclgrind_library();

    begin(line);
    add(line, "on a CPU, the cause is a kernel that reads or writes out of bounds, or a defect of the "
              "driver; Oclgrind tells which, with the line of the kernel");
    if (is_in_path("oclgrind")) {
        add(line, ": oclgrind ");
        add(line, command);
        add(line, " ... (with a small size: it is slow)");
    } else if (library) {
        add(line, ": OCL_ICD_VENDORS=");
        add(line, library);
        add(line, " ");
        add(line, command);
        add(line, " ... (with a small size: it is slow)");
    } else {
        add(line, ", where it is installed");
    }
    print(line);
}

static void print_message(const char *text)
{
    static struct line line; // not on the stack, which may be used up
    unsigned names = 0;
    bool named, tasks;

    begin(&line);
    add(&line, "crashed (");
    add(&line, text);
    add(&line, ") while");
    named = add_flights(&line, &names);
    add(&line, named ? "; meanwhile" : "");
    tasks = add_tasks(&line);
    if (named && !tasks)
        line.length -= strlen("; meanwhile");
    if (!named && !tasks) {
        add(&line, " nothing was running on a device");
        add(&line, kn_flight_get_entered(flight) ? "; what ran last: "
                                                 : ", and no driver was in use: a defect of Koine");
        if (kn_flight_get_entered(flight))
            named = add_last(&line);
        if (kn_flight_get_entered(flight) && !named)
            add(&line, "nothing yet");
    }
    if (names > 1 && !waits) {
        add(&line, " (one of ");
        add_number(&line, names);
        add(&line, " kernels: KOINE_LOG=sync waits after each launch, and so names the right one)");
    }
    print(&line);
    if (named && is_on_cpu())
        print_hint(&line);
}

// ---- the signals ----

static const char *meaning_of(int number)
{
    for (size_t i = 0; i < KI_COUNT(faults); i++)
        if (faults[i].number == number)
            return faults[i].text;
    return "a signal";
}

// Ends the process as if no handler had been installed, once the handler has returned.
static void leave_as_before(int number, bool again)
{
    signal(number, SIG_DFL);
    if (again)
        raise(number);
}

static void handle(int number, siginfo_t *info, void *context)
{
    bool sent = info->si_code == SI_USER || (info->si_code == SI_TKILL && info->si_pid != getpid());

    (void)context;
    // Several threads of a device crash at once: one prints, and the others wait for the process's end.
    while (atomic_exchange(&handling, true))
        pause();
    ki_output_remove(&outputs);
    if (sent) {
        leave_as_before(number, true);
        return;
    }
    print_message(meaning_of(number));
    interrupt_say();
    if (!dumps && kn_flight_get_entered(flight))
        _exit(EXIT_NO_DEVICE);
    leave_as_before(number, info->si_code <= 0);
}

static bool is_free(int number)
{
    struct sigaction action;

    return sigaction(number, NULL, &action) == 0 && !(action.sa_flags & SA_SIGINFO) &&
           action.sa_handler == SIG_DFL;
}

// We install our handlers where there were none when the command began. LLVM, which is part of most drivers,
// replaces them while it compiles, and with its handlers abort() ends the process without a message: so ours
// are put back after each task of a driver. Handlers of others that existed from the start are left alone.
static bool ours[KI_COUNT(faults)];

static void handle_fault(int number)
{
    struct sigaction action;

    memset(&action, 0, sizeof action);
    action.sa_sigaction = handle;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigfillset(&action.sa_mask); // an error in the handler ends the process
    sigaction(number, &action, NULL);
}

static void take_back(void)
{
    struct sigaction action;

    for (size_t i = 0; i < KI_COUNT(faults) && !atomic_load(&handling); i++)
        if (ours[i] && sigaction(faults[i].number, NULL, &action) == 0 && action.sa_sigaction != handle)
            handle_fault(faults[i].number);
}

void crash_install(const char *name)
{
    const char *log = ki_env_get(KI_ENV_LOG);
    const stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};

    if (CRASH_SANITIZED)
        return;
    strncpy(command, name, sizeof command - 1);
    programs = getenv("PATH");
    dumps = log && strcmp(log, "debug") == 0;
    waits = log && strcmp(log, "sync") == 0;
    kn_flight_watch(record, sizeof record, take_back, &flight, NULL);
    ki_output_watch(&outputs);
    sigaltstack(&other, NULL);
    for (size_t i = 0; i < KI_COUNT(faults); i++) {
        ours[i] = is_free(faults[i].number);
        if (ours[i])
            handle_fault(faults[i].number);
    }
}
