// SPDX-License-Identifier: Apache-2.0
// What signals do to a run. An interrupted run leaves no incomplete file: while files are written, interrupts
// wait.
#ifndef KN_CLI_FRAMEWORK_INTERRUPT_H
#define KN_CLI_FRAMEWORK_INTERRUPT_H

#include <koine/error.h>

// SIGINT ends the process with status 130. SIGPIPE and SIGXFSZ become errors of the write that caused them.
// If the caller ignored SIGINT, it stays ignored.
void interrupt_install(void);

// What SIGINT says as it ends the process, and SIGTERM, which then ends it in the same way; "" takes it back.
void interrupt_note(const char *text);
// Says it. May be called in a signal handler.
void interrupt_say(void);

// Between these two, SIGINT, SIGTERM and SIGHUP wait. For writing a file: milliseconds, not computations.
void interrupt_hold(void);
void interrupt_release(void);

// KN_ERROR_INTERRUPTED if a signal waits: for work between these two that takes longer.
kn_status interrupt_check(kn_error *err);

// If the error is that the reader went away (`koine stats ... | head -1`), ends the process as SIGPIPE would
// have, without a message. Returns for any other error, or if the caller ignored SIGPIPE and so expects an
// error.
void interrupt_broken_pipe(const kn_error *err);

#endif
