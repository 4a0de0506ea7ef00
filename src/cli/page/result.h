// SPDX-License-Identifier: Apache-2.0
// The page of a command's result (--report): its JSON as tables and charts, pictures, the method in a
// paragraph with its references, the command, the versions, and the SHA-256 of what was read.
#ifndef KN_CLI_PAGE_RESULT_H
#define KN_CLI_PAGE_RESULT_H

#include <koine/error.h>

#include "base/text/text.h"
#include "io/json.h"

// The command as it was typed, "koine" not among the words, and the files that it writes, which are no input.
struct page_command {
    int count;
    char *const *words;
};

// The page, which the caller frees.
kn_status page_result(const json_t *root, const struct page_command *command, char **page, kn_error *err);

// A picture of the page, to be added to an array that `root` has under PAGE_PICTURES: grey, black for 0 and
// white for the greatest of the values, scaled down to at most PAGE_PICTURE_SIDE pixels each way. NULL:
// memory ran out.
#define PAGE_PICTURES "pictures"
enum { PAGE_PICTURE_SIDE = 512 };
json_t *page_picture(const char *caption, const double *values, size_t width, size_t height);

// The paragraph on the method that made this result (methods.c), as text.
void page_method(struct ki_text *page, const json_t *root);

#endif
