// SPDX-License-Identifier: Apache-2.0
// What signals do to a run. An interrupted one leaves no half file: while files are written, interrupts wait.
#ifndef KN_CLI_FRAMEWORK_INTERRUPT_H
#define KN_CLI_FRAMEWORK_INTERRUPT_H

#include <koine/error.h>

// SIGINT ends the process with status 130. SIGPIPE and SIGXFSZ become errors of the write that met them.
// A SIGINT that the caller had ignored stays ignored.
void interrupt_install(void);

// What SIGINT says as it ends the process, and SIGTERM, which then ends it in the same way; "" takes it back.
void interrupt_note(const char *text);

// Between these two, SIGINT, SIGTERM and SIGHUP wait. For writing a file: milliseconds, not computations.
void interrupt_hold(void);
void interrupt_release(void);

// KN_ERROR_INTERRUPTED if one waits: for what takes longer than that between these two.
kn_status interrupt_check(kn_error *err);

// If the error is a reader that went away (`koine stats ... | head -1`): ends the process as SIGPIPE would
// have, without a word. Returns if it is another error, or if the caller had SIGPIPE ignored and so wants to
// hear of it.
void interrupt_broken_pipe(const kn_error *err);

#endif
