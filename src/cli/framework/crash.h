// SPDX-License-Identifier: Apache-2.0
// A driver, or a kernel that a CPU runs, that crashes: which it was is said before the process ends.
#ifndef KN_CLI_FRAMEWORK_CRASH_H
#define KN_CLI_FRAMEWORK_CRASH_H

// Whether this is a build with sanitizers, which have handlers of their own: then nothing is installed.
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define CRASH_SANITIZED 1
#elif defined __has_feature
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer) || __has_feature(thread_sanitizer)
#define CRASH_SANITIZED 1
#endif
#endif
#ifndef CRASH_SANITIZED
#define CRASH_SANITIZED 0
#endif

// From now on SIGSEGV, SIGBUS, SIGILL, SIGFPE and SIGABRT, in whatever thread, say what was under way on
// which device, remove the files that are not yet whole, and end the process with status 4. As without this:
// where no driver's code has run, after a line that says so; if the signal came from another process; and
// with KOINE_LOG=debug, after the same message, for a core dump. Handlers that somebody else installed
// (sanitizers, a debugger's library) stay. `name` is "koine run". Called before any file or device is
// opened.
void crash_install(const char *name);

#endif
