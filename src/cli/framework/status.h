// SPDX-License-Identifier: Apache-2.0
// The command's exit statuses: the kinds of errors that they stand for, and their meanings for the man page.
#ifndef KN_CLI_FRAMEWORK_STATUS_H
#define KN_CLI_FRAMEWORK_STATUS_H

#include <koine/error.h>

enum exit_status {
    EXIT_DONE = 0,
    EXIT_CHECK_FAILED = 1,
    EXIT_USAGE = 2,
    EXIT_FILE = 3,
    EXIT_NO_DEVICE = 4,
    EXIT_MEMORY = 5,
    EXIT_INTERRUPTED = 130
};

enum exit_status exit_status_of(kn_status status);

struct exit_meaning {
    enum exit_status status;
    const char *meaning; // NULL ends the table
};
extern const struct exit_meaning exit_meanings[];

#endif
