// SPDX-License-Identifier: Apache-2.0
#include "interrupt.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <unistd.h>

#include "base/array.h"
#include "base/error.h"
#include "status.h"

static const int held[] = {SIGINT, SIGTERM, SIGHUP};

static bool pipe_was_ignored;

static char note[1200];
static volatile sig_atomic_t note_length;

void interrupt_say(void)
{
    const ssize_t written = write(STDERR_FILENO, note, (size_t)note_length);

    (void)written; // there is nobody to tell
}

static void leave(int number)
{
    (void)number;
    interrupt_say();
    _exit(EXIT_INTERRUPTED);
}

static bool is_ignored(int number)
{
    struct sigaction action;

    return sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

void interrupt_install(void)
{
    pipe_was_ignored = is_ignored(SIGPIPE);
    if (!is_ignored(SIGINT))
        signal(SIGINT, leave);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
}

void interrupt_note(const char *text)
{
    size_t length = 0;

    note_length = 0;
    for (; length < sizeof note && text[length]; length++)
        note[length] = text[length];
    note_length = (sig_atomic_t)length;
    if (!is_ignored(SIGTERM))
        signal(SIGTERM, length ? leave : SIG_DFL);
}

static void mask(int how)
{
    sigset_t set;

    sigemptyset(&set);
    for (size_t i = 0; i < KI_COUNT(held); i++)
        sigaddset(&set, held[i]);
    sigprocmask(how, &set, NULL);
}

void interrupt_hold(void)
{
    mask(SIG_BLOCK);
}

void interrupt_release(void)
{
    mask(SIG_UNBLOCK);
}

kn_status interrupt_check(kn_error *err)
{
    sigset_t set;

    sigemptyset(&set);
    sigpending(&set);
    for (size_t i = 0; i < KI_COUNT(held); i++)
        if (sigismember(&set, held[i]) == 1)
            return ki_fail(err, KN_ERROR_INTERRUPTED, "interrupted");
    return KN_OK;
}

void interrupt_broken_pipe(const kn_error *err)
{
    if (err->code != KN_ERROR_OUTPUT || err->native != EPIPE || pipe_was_ignored)
        return;
    signal(SIGPIPE, SIG_DFL);
    raise(SIGPIPE);
}
