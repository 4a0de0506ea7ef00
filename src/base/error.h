// SPDX-License-Identifier: Apache-2.0
// Filling a kn_error. Each function returns the status it was given, so that a caller writes
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

// A failure that the operating system reported: the text ends in ": " and errno's meaning.
kn_status ki_fail_errno(kn_error *err, kn_status code, const char *file, int number, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

// Records a driver's code and its name on an error that is already filled.
kn_status ki_error_native(kn_error *err, int native, const char *name);

// Puts `function` before the sentence of an error that is already filled, unless it is named there. Returns
// `status`; where that is KN_OK, nothing is done.
kn_status ki_error_name(const char *function, kn_status status, kn_error *err);

// Takes the name of a public function, "kn_...: ", from before the sentence, where there is one: for the
// command, whose user did not call it. Returns `status`; where that is KN_OK, nothing is done.
kn_status ki_error_unname(kn_status status, kn_error *err);

// Out of host memory while doing `what` ("reading FILE"); `bytes` is what was asked for, 0 if unknown.
kn_status ki_fail_memory(kn_error *err, size_t bytes, const char *what);

// KN_ERROR_LIMIT if no array has n elements of `size` bytes, which is not 0.
kn_status ki_check_elements(const char *function, size_t n, size_t size, kn_error *err);

#endif
