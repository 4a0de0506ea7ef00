// SPDX-License-Identifier: Apache-2.0
#include "status.h"

#include <stddef.h>

#include "base/array.h"

static const enum exit_status statuses[] = {
    [KN_OK] = EXIT_DONE,
    [KN_ERROR_ARGUMENT] = EXIT_USAGE,
    [KN_ERROR_LIMIT] = EXIT_USAGE,
    [KN_ERROR_INPUT] = EXIT_FILE,
    [KN_ERROR_OUTPUT] = EXIT_FILE,
    [KN_ERROR_NO_DEVICE] = EXIT_NO_DEVICE,
    [KN_ERROR_DEVICE] = EXIT_NO_DEVICE,
    [KN_ERROR_UNSUPPORTED] = EXIT_NO_DEVICE,
    [KN_ERROR_BUILD] = EXIT_CHECK_FAILED,
    [KN_ERROR_MEMORY] = EXIT_MEMORY,
    [KN_ERROR_INTERRUPTED] = EXIT_INTERRUPTED,
};

const struct exit_meaning exit_meanings[] = {
    {EXIT_DONE, "done"},
    {EXIT_CHECK_FAILED, "computed, but a check failed; or a kernel does not compile"},
    {EXIT_USAGE, "wrong usage, or an option names something that the input does not have"},
    {EXIT_FILE, "bad input (the message has the file and the line), or a result that cannot be written"},
    {EXIT_NO_DEVICE,
     "no usable device, not the one that was named, or the device failed or its driver crashed"},
    {EXIT_MEMORY, "out of memory"},
    {EXIT_INTERRUPTED, "interrupted"},
    {EXIT_DONE, NULL},
};

enum exit_status exit_status_of(kn_status status)
{
    size_t i = (size_t)status;

    return i < KI_COUNT(statuses) ? statuses[i] : EXIT_CHECK_FAILED;
}
