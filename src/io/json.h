// SPDX-License-Identifier: Apache-2.0
// What commands write as JSON, on top of jansson: build the tree with jansson's own functions, use the
// functions here for numbers and for strings of unknown origin, and write it with ki_json_write.
#ifndef KN_IO_JSON_H
#define KN_IO_JSON_H

#include <stdbool.h>

#include <jansson.h>

#include <koine/error.h>

// A number, written in the fewest digits (at most 17, for a float 9) that read back to the same value. NaN
// and the infinities become null, -0 becomes 0. NULL: out of memory.
json_t *ki_json_double(double value);
json_t *ki_json_float(float value);

// A string of arbitrary bytes, such as a file's name: invalid UTF-8 becomes U+FFFD. NULL: out of memory.
json_t *ki_json_string(const char *string);

// The keys that every command's result has. A string that is NULL becomes null.
struct ki_json_head {
    const char *version, *command;
    const char *device_spec, *device_name, *device_backend, *device_driver;
    const char *precision, *policy;
    struct ki_json_seconds {
        double total, read, build, upload, compute, download; // each left out if negative
    } seconds;
};

// An object with these keys; the command adds its own. NULL: out of memory.
json_t *ki_json_result(const struct ki_json_head *head);

// The text of a tree, indented by two, objects in the order in which they were filled, with a final newline.
// The caller frees it. NULL: `root` is NULL or memory ran out.
char *ki_json_text(const json_t *root);

// Writes the text as ki_output_write does; if `root` is NULL (memory ran out while it was built),
// KN_ERROR_MEMORY.
kn_status ki_json_write(const json_t *root, const char *path, bool force, kn_error *err);

#endif
