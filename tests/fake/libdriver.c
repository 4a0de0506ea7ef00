// SPDX-License-Identifier: Apache-2.0
// An OpenCL driver that treats the process that opens it as FAKE_DRIVER says: abort, segv, exit, or nothing
// ("fine"); or it installs a handler for SIGABRT, as LLVM does in real drivers, and aborts when the process
// ends ("late"). It offers no platform. It appends a line to the file FAKE_DRIVER_LOG each time it is opened.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void ignore(int number)
{
    (void)number;
}

static int is_late(void)
{
    const char *what = getenv("FAKE_DRIVER");

    return what && strcmp(what, "late") == 0;
}

__attribute__((constructor)) static void open_driver(void)
{
    const char *what = getenv("FAKE_DRIVER"), *log = getenv("FAKE_DRIVER_LOG");
    FILE *file = log ? fopen(log, "a") : NULL;

    if (file) {
        fprintf(file, "opened\n");
        fclose(file);
    }
    if (is_late())
        signal(SIGABRT, ignore);
    if (!what)
        return;
    if (strcmp(what, "abort") == 0)
        abort();
    if (strcmp(what, "segv") == 0)
        raise(SIGSEGV);
    if (strcmp(what, "exit") == 0)
        _exit(3);
}

__attribute__((destructor)) static void close_driver(void)
{
    if (is_late())
        abort();
}
