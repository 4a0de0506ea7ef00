// SPDX-License-Identifier: Apache-2.0
#include "frames.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"

// image_open, or of standard input what was read.
static kn_status open_file(const char *path, const struct image_bytes *input, struct image_file **file,
                           kn_error *err)
{
    return input && strcmp(path, "-") == 0 ? image_open_bytes(input, 0, file, err)
                                           : image_open(path, 0, file, err);
}

static kn_status read_page(struct image_file *file, const char *path, size_t page, struct autocorr_grey *grey,
                           kn_error *err)
{
    struct image image = {.samples = NULL};
    struct autocorr_picture picture;
    kn_status status = image_read(file, page, &image, err);

    if (status)
        return status;
    picture = (struct autocorr_picture){image.width, image.height, image.channels, image.type, image.samples};
    return ki_autocorr_grey_of(path, &picture, grey, err);
}

// ---- frames ----

// A thread keeps the file that it read last: pages of a stack follow each other.
struct opened {
    struct image_file *file;
    const char *path;
};

static kn_status fetch(const struct autocorr_film *frames, size_t i, void **kept, struct autocorr_grey *grey,
                       kn_error *err)
{
    const struct autocorr_source *source = &frames->sources[i];
    struct opened *opened = *kept;
    kn_status status = KN_OK;

    if (!opened)
        opened = *kept = calloc(1, sizeof *opened);
    if (!opened)
        return ki_fail_memory(err, sizeof *opened, source->file);
    if (opened->path != source->file) {
        image_close(opened->file);
        opened->file = NULL;
        opened->path = NULL;
        status = open_file(source->file, frames->from, &opened->file, err);
        opened->path = status ? NULL : source->file;
    }
    return status ? status : read_page(opened->file, source->file, source->page, grey, err);
}

static void release(void *kept)
{
    struct opened *opened = kept;

    if (!opened)
        return;
    image_close(opened->file);
    free(opened);
}

static size_t size(const struct autocorr_film *frames, size_t i)
{
    struct image_file *file = NULL;
    struct image image = {.samples = NULL};
    size_t bytes = 0;

    if (open_file(frames->sources[i].file, frames->from, &file, NULL) == KN_OK &&
        image_read(file, frames->sources[i].page, &image, NULL) == KN_OK)
        bytes = image.width * image.height * kn_type_size(image.type);
    free(image.samples);
    image_close(file);
    return bytes;
}

kn_status frames_list(char *const *files, size_t count, const struct image_bytes *input,
                      struct autocorr_film *frames, kn_error *err)
{
    struct autocorr_source *list = NULL;
    size_t listed = 0, capacity = 0;

    *frames = (struct autocorr_film){.sources = NULL};
    for (size_t i = 0; i < count; i++) {
        struct autocorr_source source = {.file = files[i]};
        struct image_file *file;
        size_t of = open_file(files[i], input, &file, NULL) == KN_OK ? image_pages(file) : 1;

        image_close(file);
        source.pages = of;
        for (source.page = 0; source.page < of; source.page++) {
            if (!KI_ARRAY_PUSH(list, listed, capacity, source)) {
                free(list);
                return ki_fail_memory(err, (listed + of) * sizeof source, "listing the frames");
            }
        }
    }
    *frames = (struct autocorr_film){list, listed, input, fetch, release, size};
    return KN_OK;
}

void frames_free(struct autocorr_film *frames)
{
    free((struct autocorr_source *)frames->sources);
    *frames = (struct autocorr_film){.sources = NULL};
}

// ---- one image ----

kn_status frames_read_grey(const char *path, struct autocorr_grey *grey, kn_error *err)
{
    bool is_input = strcmp(path, "-") == 0;
    struct image_bytes input = {.data = NULL};
    struct image_file *file = NULL;
    kn_status status = is_input ? image_read_input(&input, err) : KN_OK;

    if (!status)
        status = open_file(path, is_input ? &input : NULL, &file, err);
    if (!status && image_pages(file) != 1)
        status = ki_fail_at(err, KN_ERROR_INPUT, path, 0, "has %zu pages, expected one", image_pages(file));
    if (!status)
        status = read_page(file, path, 0, grey, err);
    image_close(file);
    free(input.data);
    return status;
}
