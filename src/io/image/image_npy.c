// SPDX-License-Identifier: Apache-2.0
// NumPy's arrays as images: (rows, columns) is one image, (pages, rows, columns) a stack. In C order, a page
// is read when it is wanted; a file in Fortran order is read whole, because its pages are scattered. Unsigned
// integers of 8 and 16 bits and floats are taken as they are, bool as 0 and 1, other numbers as floats.
#include "image_format.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "io/array/npy.h"

struct stack {
    FILE *stream;
    struct npy array; // with its numbers only if it is in Fortran order
    struct npy_layout layout;
};

static size_t page_numbers(const struct npy *array)
{
    return array->shape[array->dims - 2] * array->shape[array->dims - 1];
}

static kn_status check(const struct image_file *file, const struct npy *array, kn_error *err)
{
    if (array->is_complex)
        return ki_fail_at(err, KN_ERROR_INPUT, file->path, 0,
                          "is of %s, but an image has real numbers; in Python: abs(a)", npy_type_name(array));
    if (array->dims != 2 && array->dims != 3)
        return ki_fail_at(
            err, KN_ERROR_INPUT, file->path, 0,
            "has %zu dimensions; expected (rows, columns), or (pages, rows, columns) of a stack",
            array->dims);
    if (!array->count)
        return ki_fail_at(err, KN_ERROR_INPUT, file->path, 0, "is empty; expected at least one pixel");
    return KN_OK;
}

// The file must contain what its head says, and nothing more.
static kn_status check_length(const struct image_file *file, const struct stack *stack, kn_error *err)
{
    size_t bytes = stack->array.count * npy_element_size(&stack->array), there;

    if (file->bytes == SIZE_MAX)
        return KN_OK;
    there = file->bytes > stack->layout.offset ? file->bytes - stack->layout.offset : 0;
    if (there == bytes)
        return KN_OK;
    return ki_fail_at(err, KN_ERROR_INPUT, file->path, 0,
                      "the header declares %zu numbers, %zu bytes, but %zu follow it; is the file complete?",
                      stack->array.count, bytes, there);
}

static kn_status open_file(struct image_file *file, kn_error *err)
{
    struct stack *stack = file->own = calloc(1, sizeof *stack);
    kn_status status;

    if (!stack)
        return ki_fail_memory(err, sizeof *stack, file->path);
    stack->stream = image_stream(file);
    if (!stack->stream)
        return ki_fail_errno(err, KN_ERROR_INPUT, file->path, errno, "cannot be read");
    status = npy_read_head(stack->stream, file->path, &stack->array, &stack->layout, err);
    if (!status)
        status = check(file, &stack->array, err);
    if (!status)
        status = check_length(file, stack, err);
    if (status)
        return status;
    file->pages = stack->array.dims == 3 ? stack->array.shape[0] : 1;
    if (!stack->layout.is_fortran)
        return KN_OK;
    return file->data ? npy_read_bytes(file->path, file->data, file->bytes, &stack->array, err)
                      : npy_read(file->path, &stack->array, err);
}

// The page's numbers in the machine's byte order; `room` is memory for them.
static kn_status read_numbers(const struct image_file *file, size_t page, void *room, kn_error *err)
{
    const struct stack *stack = file->own;
    size_t size = kn_type_size(stack->array.type), count = page_numbers(&stack->array), bytes = count * size;

    if (stack->array.data) {
        memcpy(room, (const unsigned char *)stack->array.data + page * bytes, bytes);
        return KN_OK;
    }
    errno = 0;
    if (fseeko(stack->stream, (off_t)(stack->layout.offset + page * bytes), SEEK_SET) ||
        fread(room, 1, bytes, stack->stream) != bytes)
        return ferror(stack->stream) || errno
                   ? ki_fail_errno(err, KN_ERROR_INPUT, file->path, errno, "cannot be read")
                   : ki_fail_at(err, KN_ERROR_INPUT, file->path, 0, "ends within page %zu", page + 1);
    if (stack->layout.is_swapped)
        npy_swap_bytes(room, size, count);
    return KN_OK;
}

static float number_at(kn_type type, const void *numbers, size_t i)
{
    switch (type) {
    case KN_I8:
        return (float)((const int8_t *)numbers)[i];
    case KN_I16:
        return (float)((const int16_t *)numbers)[i];
    case KN_I32:
        return (float)((const int32_t *)numbers)[i];
    case KN_I64:
        return (float)((const int64_t *)numbers)[i];
    case KN_U32:
        return (float)((const uint32_t *)numbers)[i];
    case KN_U64:
        return (float)((const uint64_t *)numbers)[i];
    default:
        return (float)((const double *)numbers)[i];
    }
}

static kn_status read_page(struct image_file *file, size_t page, struct image *image, kn_error *err)
{
    const struct npy *array = &((const struct stack *)file->own)->array;
    bool as_it_is = array->type == KN_U8 || array->type == KN_U16 || array->type == KN_F32;
    size_t count = page_numbers(array), bytes = count * kn_type_size(array->type);
    void *numbers;
    kn_status status;

    image->width = array->shape[array->dims - 1];
    image->height = array->shape[array->dims - 2];
    image->channels = 1;
    image->type = as_it_is ? array->type : KN_F32;
    status = image_allocate(file, image, err);
    if (status || as_it_is)
        return status ? status : read_numbers(file, page, image->samples, err);
    numbers = malloc(bytes);
    if (!numbers)
        return ki_fail_memory(err, bytes, file->path);
    status = read_numbers(file, page, numbers, err);
    for (size_t i = 0; i < count && !status; i++)
        ((float *)image->samples)[i] = number_at(array->type, numbers, i);
    free(numbers);
    return status;
}

static void close_file(struct image_file *file)
{
    struct stack *stack = file->own;

    if (!stack)
        return;
    if (stack->stream)
        fclose(stack->stream);
    npy_free(&stack->array);
    free(stack);
}

const struct image_format image_npy = {"NPY", open_file, read_page, close_file};
