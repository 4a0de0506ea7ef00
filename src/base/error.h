// SPDX-License-Identifier: Apache-2.0
// Filling in a kn_error. Each function returns the status it was given, so that a caller can write
//     return ki_fail(err, KN_ERROR_LIMIT, "work-group of %zu, but %s takes at most %zu", ...);
#ifndef KN_BASE_ERROR_H
#define KN_BASE_ERROR_H

#include <koine/error.h>
#include <stddef.h>

// A failure with a sentence. `err` may be NULL.
kn_status ki_fail(kn_error *err, kn_status code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// A failure at a place: the text becomes "FILE:LINE: sentence" (without the line if it is 0).
kn_status ki_fail_at(kn_error *err, kn_status code, const char *file, long line, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

// A failure reported by the operating system: the text ends in ": " and errno's message.
kn_status ki_fail_errno(kn_error *err, kn_status code, const char *file, int number, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

// Records a driver's code and its name in an error that is already filled in.
kn_status ki_error_native(kn_error *err, int native, const char *name);

// Puts `function` before the sentence of an error that is already filled in, unless the sentence names it.
// Returns `status`; does nothing if that is KN_OK.
kn_status ki_error_name(const char *function, kn_status status, kn_error *err);

// Removes the name of a public function, "kn_...: ", from the beginning of the sentence: for the command,
// whose user did not call it. Returns `status`; does nothing if that is KN_OK.
kn_status ki_error_unname(kn_status status, kn_error *err);

// Out of host memory while doing `what` ("reading FILE"); `bytes` is the requested size, or 0 if unknown.
kn_status ki_fail_memory(kn_error *err, size_t bytes, const char *what);

// KN_ERROR_LIMIT if n elements of `size` bytes (not 0) are too large for an array.
kn_status ki_check_elements(const char *function, size_t n, size_t size, kn_error *err);

#endif
