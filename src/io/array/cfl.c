// SPDX-License-Identifier: Apache-2.0
// The header: lines "# Word", each followed by that word's lines. "# Dimensions" has up to 16 integers; "#
// Data" would name a file with the numbers; all others (Command, Files, Creator) are for people.
#include "cfl.h"

#include <config.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/os/input.h"
#include "base/os/output.h"
#include "base/text/quote.h"
#include "base/text/text.h"

enum { HEADER_MAX = 1 << 20 };

static const char dimensions_word[] = "# Dimensions";
static const char data_word[] = "# Data";

size_t cfl_dim(const struct npy *array, size_t i)
{
    return i < array->dims ? array->shape[array->dims - 1 - i] : 1;
}

char *cfl_path(const char *name, const char *ending)
{
    size_t length = strlen(name);
    struct ki_text path = KI_TEXT_INIT;

    if (length > 4 && (strcmp(name + length - 4, ".cfl") == 0 || strcmp(name + length - 4, ".hdr") == 0))
        length -= 4;
    ki_text_add_bytes(&path, name, length);
    ki_text_add(&path, ending);
    return ki_text_take(&path);
}

// ---- reading ----

// The whole header as a string, which the caller frees.
static kn_status read_text(const char *path, char **text, kn_error *err)
{
    FILE *file = fopen(path, "rb");
    char *read;
    size_t length;
    kn_status status = KN_OK;

    if (!file)
        return ki_fail_errno(err, KN_ERROR_INPUT, path, errno, "cannot be read");
    read = calloc(1, HEADER_MAX + 1);
    if (!read) {
        fclose(file);
        return ki_fail_memory(err, HEADER_MAX, path);
    }
    length = fread(read, 1, HEADER_MAX, file);
    if (ferror(file))
        status = ki_fail_errno(err, KN_ERROR_INPUT, path, errno, "cannot be read");
    else if (length == HEADER_MAX)
        status = ki_fail_at(err, KN_ERROR_INPUT, path, 0,
                            "a header of %d bytes or more; expected a few lines of text", HEADER_MAX);
    fclose(file);
    if (status)
        free(read);
    else
        *text = read;
    return status;
}

// Finds the line that begins with the word, followed by nothing but blanks, or a name.
static const char *find_line(const char *text, const char *word)
{
    size_t length = strlen(word);

    for (const char *line = text; *line;) {
        if (strncmp(line, word, length) == 0 && strchr(" \t\r\n", line[length]))
            return line;
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
    return NULL;
}

static kn_status bad(const char *path, const char *text, const char *at, const char *expected, kn_error *err)
{
    char quoted[80];
    size_t length = strcspn(at, "\n");

    return ki_fail_at(err, KN_ERROR_INPUT, path, 0, "offset %zu: expected %s, but found %s",
                      (size_t)(at - text), expected,
                      length ? ki_quote(quoted, sizeof quoted, at, length < 40 ? length : 40) : "the end");
}

static kn_status parse_dimensions(const char *path, const char *text, struct npy *array, kn_error *err)
{
    const char *at = find_line(text, dimensions_word);
    size_t sizes[CFL_DIMS], count = 0;

    if (!at)
        return bad(path, text, text, "a line '# Dimensions', as the .hdr of a .cfl has it", err);
    at += strcspn(at, "\n");
    at += *at == '\n';
    array->count = array->dims = 1;
    array->shape[0] = 1;
    for (at += strspn(at, " \t\r"); *at && *at != '\n'; at += strspn(at, " \t\r")) {
        unsigned long long size = 0;
        char *end = NULL;

        errno = 0;
        if (*at >= '0' && *at <= '9')
            size = strtoull(at, &end, 10);
        if (!size || errno || !strchr(" \t\r\n", *end))
            return bad(path, text, at, "sizes of at least 1", err);
        if (count == CFL_DIMS)
            return bad(path, text, at, "at most 16 sizes", err);
        if (array->count > SIZE_MAX / 16 / size)
            return bad(path, text, at, "an array that fits in memory", err);
        array->count *= (size_t)size;
        sizes[count++] = (size_t)size;
        if (size > 1)
            array->dims = count;
        at = end;
    }
    if (!count)
        return bad(path, text, at, "the sizes, such as 128 128 1", err);
    for (size_t i = 0; i < array->dims; i++)
        array->shape[i] = sizes[array->dims - 1 - i];
    return KN_OK;
}

static kn_status read_header(const char *path, struct npy *array, kn_error *err)
{
    char *text = NULL;
    kn_status status = read_text(path, &text, err);
    const char *data;

    if (status)
        return status;
    data = find_line(text, data_word);
    status = parse_dimensions(path, text, array, err);
    if (!status && data)
        status =
            bad(path, text, data, "the numbers in the .cfl of the same name (other files are not read)", err);
    free(text);
    return status;
}

static kn_status read_numbers(const char *path, const char *header, struct npy *array, kn_error *err)
{
    size_t bytes = array->count * npy_element_size(array), have;
    FILE *file = fopen(path, "rb");
    kn_status status;

    if (!file)
        return ki_fail_errno(err, KN_ERROR_INPUT, path, errno, "cannot be read");
    status = ki_input_read(file, path, bytes, &array->data, &have, err);
    if (!status && have < bytes)
        status = ki_fail_at(err, KN_ERROR_INPUT, path, 0,
                            "ends at offset %zu, but expected %zu bytes, since %s declares %zu complex "
                            "numbers; is it complete?",
                            have, bytes, header, array->count);
    else if (!status && fgetc(file) != EOF)
        status = ki_fail_at(err, KN_ERROR_INPUT, path, 0,
                            "offset %zu: there is more after the %zu complex numbers that %s declares; do "
                            "the two files belong together?",
                            bytes, array->count, header);
    fclose(file);
    return status;
}

kn_status cfl_read(const char *name, struct npy *array, kn_error *err)
{
    char *header = cfl_path(name, ".hdr"), *data = cfl_path(name, ".cfl");
    kn_status status;

    *array = (struct npy){.type = KN_F32, .is_complex = true};
    status = header && data ? read_header(header, array, err) : ki_fail_memory(err, 0, "reading an array");
    if (!status)
        status = read_numbers(data, header, array, err);
    free(header);
    free(data);
    if (status)
        npy_free(array);
    return status;
}

// ---- writing ----

static float part(const struct npy *array, size_t i)
{
    return array->type == KN_F64 ? (float)((const double *)array->data)[i] : ((const float *)array->data)[i];
}

// The array's numbers as complex64, in memory that the caller frees.
static float *convert(const struct npy *array, size_t count)
{
    float *numbers = calloc(count, 2 * sizeof *numbers);

    for (size_t i = 0; numbers && i < count; i++) {
        numbers[2 * i] = part(array, array->is_complex ? 2 * i : i);
        numbers[2 * i + 1] = array->is_complex ? part(array, 2 * i + 1) : 0;
    }
    return numbers;
}

static kn_status check_array(const struct npy *array, size_t *count, kn_error *err)
{
    *count = 1;
    if (array->type != KN_F32 && array->type != KN_F64)
        return ki_fail(err, KN_ERROR_ARGUMENT, "a .cfl holds complex numbers of floats, not %s",
                       npy_type_name(array));
    if (array->dims > CFL_DIMS)
        return ki_fail(err, KN_ERROR_ARGUMENT, "a .cfl has at most %d dimensions, not %zu", CFL_DIMS,
                       array->dims);
    for (size_t i = 0; i < array->dims; i++)
        *count *= array->shape[i];
    return *count ? KN_OK : ki_fail(err, KN_ERROR_ARGUMENT, "a .cfl has no dimension of size 0");
}

static void write_header(const struct npy *array, FILE *stream)
{
    fprintf(stream, "%s\n", dimensions_word);
    for (size_t i = 0; i < CFL_DIMS; i++)
        fprintf(stream, "%zu%c", cfl_dim(array, i), i + 1 < CFL_DIMS ? ' ' : '\n');
    fputs("# Creator\nKoine " PACKAGE_VERSION "\n", stream);
}

kn_status cfl_write(const char *name, const struct npy *array, bool force, kn_error *err)
{
    char *header = cfl_path(name, ".hdr"), *data = cfl_path(name, ".cfl");
    struct ki_output *outs[2] = {NULL, NULL}; // the numbers, the header
    float *converted = NULL;
    size_t count;
    kn_status status = check_array(array, &count, err);

    if (!status && !(array->type == KN_F32 && array->is_complex))
        converted = convert(array, count);
    if (!status && (!header || !data || (!converted && !(array->type == KN_F32 && array->is_complex))))
        status = ki_fail_memory(err, 2 * sizeof *converted * count, name);
    if (!status)
        status = ki_output_open(data, force, &outs[0], err);
    if (!status)
        status = ki_output_open(header, force, &outs[1], err);
    if (!status) {
        fwrite(converted ? converted : array->data, 2 * sizeof(float), count, ki_output_stream(outs[0]));
        write_header(array, ki_output_stream(outs[1]));
        status = ki_output_close(outs[0], err);
        outs[0] = NULL;
    }
    if (!status) {
        status = ki_output_close(outs[1], err);
        outs[1] = NULL;
        if (status)
            remove(data);
    }
    ki_output_discard(outs[0]);
    ki_output_discard(outs[1]);
    free(converted);
    free(header);
    free(data);
    return status;
}
