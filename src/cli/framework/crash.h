// SPDX-License-Identifier: Apache-2.0
// If a driver, or a kernel that runs on a CPU, crashes, a message says which it was before the process ends.
#ifndef KN_CLI_FRAMEWORK_CRASH_H
#define KN_CLI_FRAMEWORK_CRASH_H

// Whether this is a build with sanitizers, which have their own handlers: then nothing is installed.
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

// From now on SIGSEGV, SIGBUS, SIGILL, SIGFPE and SIGABRT, in any thread, print what was under way on which
// device, remove incomplete files, and end the process with status 4. The signals keep their usual effect if
// no driver code has run (after a message that says so), if they came from another process, and with
// KOINE_LOG=debug (after the same message, for a core dump). Handlers that others installed (sanitizers, a
// debugger's library) stay. `name` is "koine run". Call it before any file or device is opened.
void crash_install(const char *name);

#endif
