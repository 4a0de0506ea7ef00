// SPDX-License-Identifier: Apache-2.0
#include "frames.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"

// image_open, or for standard input the data that were read.
static kn_status open_file(const char *path, const struct image_bytes *input, struct image_file **file,
                           kn_error *err)
{
    return input && strcmp(path, "-") == 0 ? image_open_bytes(input, 0, file, err)
                                           : image_open(path, 0, file, err);
}

static kn_status read_page(struct image_file *file, const char *path, size_t page, kn_autocorr_grey *grey,
                           kn_error *err)
{
    struct image image = {.samples = NULL};
    kn_autocorr_picture picture;
    kn_status status = image_read(file, page, &image, err);

    if (status)
        return status;
    picture = (kn_autocorr_picture){image.width, image.height, image.channels, image.type, image.samples};
    return kn_autocorr_make_grey(path, &picture, grey, err);
}

// ---- frames ----

// A thread keeps the file that it read last, because pages of a stack follow each other.
struct opened {
    struct image_file *file;
    const char *path;
};

static kn_status fetch(void *data, size_t i, void **kept, kn_autocorr_grey *grey, kn_error *err)
{
    const struct frames *frames = data;
    const struct frame_source *source = &frames->sources[i];
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
        status = open_file(source->file, frames->input, &opened->file, err);
        opened->path = status ? NULL : source->file;
    }
    return status ? status : read_page(opened->file, source->file, source->page, grey, err);
}

static void release(void *data, void *kept)
{
    struct opened *opened = kept;

    (void)data;
    if (!opened)
        return;
    image_close(opened->file);
    free(opened);
}

static size_t size(void *data, size_t i)
{
    const struct frames *frames = data;
    struct image_file *file = NULL;
    struct image image = {.samples = NULL};
    size_t bytes = 0;

    if (open_file(frames->sources[i].file, frames->input, &file, NULL) == KN_OK &&
        image_read(file, frames->sources[i].page, &image, NULL) == KN_OK)
        bytes = image.width * image.height * kn_type_size(image.type);
    free(image.samples);
    image_close(file);
    return bytes;
}

// The pages of a file.
static kn_status add_file(const char *name, struct frames *frames, size_t *capacity, kn_error *err)
{
    struct frame_source source = {.file = name};
    struct image_file *file;
    size_t pages = open_file(name, frames->input, &file, NULL) == KN_OK ? image_pages(file) : 1;

    image_close(file);
    source.pages = pages;
    for (source.page = 0; source.page < pages; source.page++)
        if (!KI_ARRAY_PUSH(frames->sources, frames->count, *capacity, source))
            return ki_fail_memory(err, (frames->count + pages) * sizeof source, "listing the frames");
    return KN_OK;
}

kn_status frames_list(char *const *files, size_t count, const struct image_bytes *input,
                      struct frames *frames, kn_error *err)
{
    size_t capacity = 0;
    kn_status status = KN_OK;

    *frames = (struct frames){.input = input};
    for (size_t i = 0; i < count && !status; i++)
        status = add_file(files[i], frames, &capacity, err);
    if (!status) {
        frames->names = malloc(frames->count * sizeof *frames->names);
        if (!frames->names)
            status = ki_fail_memory(err, frames->count * sizeof *frames->names, "listing the frames");
    }
    for (size_t i = 0; i < frames->count && !status; i++)
        frames->names[i] = frames->sources[i].file;
    if (status)
        frames_free(frames);
    return status;
}

void frames_free(struct frames *frames)
{
    free(frames->sources);
    free(frames->names);
    *frames = (struct frames){.sources = NULL};
}

kn_autocorr_source frames_source(struct frames *frames)
{
    return KN_INIT(kn_autocorr_source, .count = frames->count, .names = frames->names, .fetch = fetch,
                   .release = release, .size = size, .data = frames);
}

kn_status frames_fetch(struct frames *frames, size_t i, kn_autocorr_grey *grey, kn_error *err)
{
    void *kept = NULL;
    kn_status status = fetch(frames, i, &kept, grey, err);

    release(NULL, kept);
    return status;
}

kn_status frames_read_image(struct frames *frames, size_t i, struct image *image, kn_error *err)
{
    const struct frame_source *source = &frames->sources[i];
    struct image_file *file = NULL;
    kn_status status = open_file(source->file, frames->input, &file, err);

    if (!status)
        status = image_read(file, source->page, image, err);
    image_close(file);
    return status;
}

// ---- one image ----

kn_status frames_read_grey(const char *path, kn_autocorr_grey *grey, kn_error *err)
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
