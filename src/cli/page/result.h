// SPDX-License-Identifier: Apache-2.0
// The page of a command's result (--report): its JSON as tables and charts, pictures, a paragraph on the
// method with its references, the command, the versions, and the SHA-256 of the input files.
#ifndef KN_CLI_PAGE_RESULT_H
#define KN_CLI_PAGE_RESULT_H

#include <koine/error.h>

#include "base/text/text.h"
#include "cli/framework/options.h"
#include "io/json.h"

// The page of the command with these arguments, which the caller frees.
kn_status page_result(const json_t *root, const struct common_arguments *common, char **page, kn_error *err);

// A picture for the page, to be added to the array under PAGE_PICTURES in `root`, which may have strings of
// figures (chart.h, plot.h) as well: grey, from black for the least value to white for the greatest, which
// the caption then says; numbers that are not finite are black. It is scaled down to at most
// PAGE_PICTURE_SIDE pixels on each side. NULL if memory ran out.
#define PAGE_PICTURES "pictures"
enum { PAGE_PICTURE_SIDE = 512 };
json_t *page_picture(const char *caption, const double *values, size_t width, size_t height);

// The parts of the page that have files of their own: the pictures (picture.c); method, command and inputs
// (origin.c); and the paragraph on the method (methods.c).
void page_pictures(struct ki_text *page, const json_t *root);
void page_origin(struct ki_text *page, const json_t *root, const struct common_arguments *common);
void page_method(struct ki_text *page, const json_t *root);

#endif
