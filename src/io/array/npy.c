// SPDX-License-Identifier: Apache-2.0
// The format: "\x93NUMPY", a version (two bytes), the length of the header (2 bytes; 4 from version 2 on;
// little-endian), the header (a Python dict: descr, fortran_order, shape; padded with blanks and a newline to
// a multiple of 64), the numbers.
#include "npy.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/os/input.h"
#include "base/os/output.h"
#include "base/text/quote.h"
#include "base/text/text.h"

enum { MAGIC_BYTES = 6, HEADER_MAX = 1 << 20, ALIGNMENT = 64 };

static const char magic[MAGIC_BYTES + 1] = "\x93NUMPY";

static const struct {
    const char *descr; // without the byte order
    const char *name;
    kn_type type;
    bool is_bool, is_complex;
} types[] = {
    {"f4", "float32", KN_F32, false, false},  {"f8", "float64", KN_F64, false, false},
    {"c8", "complex64", KN_F32, false, true}, {"c16", "complex128", KN_F64, false, true},
    {"i1", "int8", KN_I8, false, false},      {"i2", "int16", KN_I16, false, false},
    {"i4", "int32", KN_I32, false, false},    {"i8", "int64", KN_I64, false, false},
    {"u1", "uint8", KN_U8, false, false},     {"u2", "uint16", KN_U16, false, false},
    {"u4", "uint32", KN_U32, false, false},   {"u8", "uint64", KN_U64, false, false},
    {"b1", "bool", KN_U8, true, false},
};

// Types that are not read, so that the message can name them.
static const struct {
    char kind;
    const char *name;
} unread[] = {
    {'f', "a floating-point type other than float32 and float64"},
    {'c', "a complex type other than complex64 and complex128"},
    {'O', "Python objects"},
    {'S', "strings of bytes"},
    {'U', "strings"},
    {'V', "records"},
    {'M', "dates"},
    {'m', "time spans"},
};

static size_t type_index(const struct npy *array)
{
    for (size_t i = 0; i < KI_COUNT(types); i++)
        if (types[i].type == array->type && types[i].is_bool == array->is_bool &&
            types[i].is_complex == array->is_complex)
            return i;
    return 0;
}

const char *npy_type_name(const struct npy *array)
{
    return types[type_index(array)].name;
}

size_t npy_element_size(const struct npy *array)
{
    return kn_type_size(array->type) * (array->is_complex ? 2 : 1);
}

void npy_free(struct npy *array)
{
    free(array->data);
    memset(array, 0, sizeof *array);
}

// ---- reading ----

struct reader {
    const char *path; // for messages
    FILE *file;
    size_t offset;    // of the header's text in the file
    size_t data_at;   // of the numbers
    const char *text; // the header
    const char *at;
    bool is_swapped, is_fortran; // as the file has the numbers
    kn_error *err;
};

static kn_status bad(const struct reader *reader, size_t offset, const char *what, const char *found,
                     size_t length)
{
    char quoted[80];

    return ki_fail_at(reader->err, KN_ERROR_INPUT, reader->path, 0, "offset %zu: %s, but found %s", offset,
                      what, length ? ki_quote(quoted, sizeof quoted, found, length) : "the end");
}

static kn_status bad_here(const struct reader *reader, const char *what)
{
    size_t length = strlen(reader->at);

    return bad(reader, reader->offset + (size_t)(reader->at - reader->text), what, reader->at,
               length < 24 ? length : 24);
}

static kn_status read_failed(const struct reader *reader, const char *what)
{
    if (ferror(reader->file))
        return ki_fail_errno(reader->err, KN_ERROR_INPUT, reader->path, errno, "cannot be read");
    return ki_fail_at(reader->err, KN_ERROR_INPUT, reader->path, 0, "ends within %s; is it complete?", what);
}

static void skip_blanks(struct reader *reader)
{
    reader->at += strspn(reader->at, " \t\r\n");
}

// Whether `word` comes next; if so, the reader moves past it.
static bool take(struct reader *reader, const char *word)
{
    size_t length = strlen(word);

    skip_blanks(reader);
    if (strncmp(reader->at, word, length) != 0)
        return false;
    reader->at += length;
    return true;
}

// A quoted string; returns its contents.
static bool take_string(struct reader *reader, const char **start, size_t *length)
{
    char quote;

    skip_blanks(reader);
    quote = *reader->at;
    if (quote != '\'' && quote != '"')
        return false;
    *start = reader->at + 1;
    *length = strcspn(*start, quote == '"' ? "\"" : "'");
    if (!(*start)[*length])
        return false;
    reader->at = *start + *length + 1;
    return true;
}

static kn_status refuse_type(const struct reader *reader, const char *descr, size_t length, size_t offset)
{
    char quoted[64];
    const char *kind = "an unknown type";

    for (size_t i = 0; i < KI_COUNT(unread); i++)
        if (length > 1 && descr[1] == unread[i].kind)
            kind = unread[i].name;
    ki_quote(quoted, sizeof quoted, descr, length);
    return ki_fail_at(reader->err, KN_ERROR_INPUT, reader->path, 0,
                      "offset %zu: %s (%s): expected bool, integers of 8 to 64 bits, float32 or float64, "
                      "complex64 or complex128; in "
                      "Python: a.astype('float32')",
                      offset, kind, quoted);
}

static kn_status read_descr(struct reader *reader, struct npy *array)
{
    const char *descr;
    size_t length, offset;

    skip_blanks(reader);
    offset = reader->offset + (size_t)(reader->at - reader->text);
    if (*reader->at == '[')
        return ki_fail_at(reader->err, KN_ERROR_INPUT, reader->path, 0,
                          "offset %zu: records of several fields are not read; save one field: a['NAME']",
                          offset);
    if (!take_string(reader, &descr, &length))
        return bad_here(reader, "expected the type, such as '<f4'");
    for (size_t i = 0; i < KI_COUNT(types); i++) {
        size_t letters = strlen(types[i].descr);
        bool has_order =
            length == letters + 1 && (strchr("<>", descr[0]) || (descr[0] == '|' && descr[2] == '1'));

        if (!has_order || strncmp(descr + 1, types[i].descr, letters) != 0)
            continue;
        array->type = types[i].type;
        array->is_bool = types[i].is_bool;
        array->is_complex = types[i].is_complex;
        reader->is_swapped = descr[0] == '>';
        return KN_OK;
    }
    return refuse_type(reader, descr, length, offset);
}

static kn_status read_shape(struct reader *reader, struct npy *array)
{
    array->dims = 0;
    array->count = 1;
    if (!take(reader, "("))
        return bad_here(reader, "expected the shape, such as (3, 4)");
    while (!take(reader, ")")) {
        unsigned long long size;
        char *end;

        skip_blanks(reader);
        errno = 0;
        size = *reader->at >= '0' && *reader->at <= '9' ? strtoull(reader->at, &end, 10) : 0;
        if (*reader->at < '0' || *reader->at > '9' || errno)
            return bad_here(reader, "expected a size in the shape");
        if (array->dims == NPY_DIMS_MAX)
            return bad_here(reader, "expected at most 32 dimensions");
        if (size && array->count > SIZE_MAX / 16 / size)
            return bad_here(reader, "expected an array that fits in memory");
        array->shape[array->dims++] = (size_t)size;
        array->count *= (size_t)size;
        reader->at = end;
        take(reader, "L"); // Python 2 wrote it
        if (!take(reader, ",") && (skip_blanks(reader), *reader->at != ')'))
            return bad_here(reader, "expected ',' or ')' in the shape");
    }
    return KN_OK;
}

static kn_status read_order(struct reader *reader)
{
    reader->is_fortran = take(reader, "True");
    return reader->is_fortran || take(reader, "False") ? KN_OK : bad_here(reader, "expected True or False");
}

static kn_status parse_header(struct reader *reader, struct npy *array)
{
    bool has_descr = false, has_order = false, has_shape = false;
    kn_status status = KN_OK;

    if (!take(reader, "{"))
        return bad_here(reader,
                        "expected a header like {'descr': '<f4', 'fortran_order': False, 'shape': (3,)}");
    while (!status && !take(reader, "}")) {
        const char *key;
        size_t length;

        if (!take_string(reader, &key, &length) || !take(reader, ":"))
            return bad_here(reader, "expected a key of the header");
        if (length == 5 && memcmp(key, "descr", length) == 0) {
            has_descr = true;
            status = read_descr(reader, array);
        } else if (length == 13 && memcmp(key, "fortran_order", length) == 0) {
            has_order = true;
            status = read_order(reader);
        } else if (length == 5 && memcmp(key, "shape", length) == 0) {
            has_shape = true;
            status = read_shape(reader, array);
        } else {
            return bad(reader, reader->offset + (size_t)(key - reader->text),
                       "expected descr, fortran_order or shape", key, length);
        }
        if (!status && !take(reader, ",") && (skip_blanks(reader), *reader->at != '}'))
            return bad_here(reader, "expected ',' or '}' in the header");
    }
    if (!status && !(has_descr && has_order && has_shape))
        return ki_fail_at(reader->err, KN_ERROR_INPUT, reader->path, 0, "the header has no '%s'",
                          !has_descr   ? "descr"
                          : !has_order ? "fortran_order"
                                       : "shape");
    return status;
}

static kn_status read_header(struct reader *reader, struct npy *array)
{
    unsigned char start[MAGIC_BYTES + 2], size[4] = {0, 0, 0, 0};
    size_t read = fread(start, 1, sizeof start, reader->file), width, length;
    char *text;
    kn_status status;

    if (ferror(reader->file))
        return read_failed(reader, "its head");
    if (read < sizeof start || memcmp(start, magic, MAGIC_BYTES) != 0)
        return bad(reader, 0, "expected a NumPy file (.npy), which begins with \\x93NUMPY", (char *)start,
                   read);
    if (start[MAGIC_BYTES] < 1 || start[MAGIC_BYTES] > 3)
        return ki_fail_at(reader->err, KN_ERROR_INPUT, reader->path, 0,
                          "offset 6: version %d.%d of the format; 1.0, 2.0 and 3.0 are read",
                          start[MAGIC_BYTES], start[MAGIC_BYTES + 1]);
    width = start[MAGIC_BYTES] == 1 ? 2 : 4;
    if (fread(size, 1, width, reader->file) != width)
        return read_failed(reader, "its head");
    length = (size_t)size[0] | (size_t)size[1] << 8 | (size_t)size[2] << 16 | (size_t)size[3] << 24;
    if (length > HEADER_MAX)
        return ki_fail_at(reader->err, KN_ERROR_INPUT, reader->path, 0,
                          "offset 8: a header of %zu bytes; at most %d are read", length, HEADER_MAX);
    text = calloc(1, length + 1);
    if (!text)
        return ki_fail_memory(reader->err, length, "reading an array");
    if (fread(text, 1, length, reader->file) != length) {
        status = read_failed(reader, "its header");
    } else {
        reader->text = reader->at = text;
        reader->offset = sizeof start + width;
        reader->data_at = reader->offset + length;
        status = parse_header(reader, array);
    }
    free(text);
    return status;
}

static kn_status too_short(const char *path, const struct npy *array, size_t have, kn_error *err)
{
    return ki_fail_at(
        err, KN_ERROR_INPUT, path, 0,
        "the header declares %zu elements, %zu bytes, but only %zu follow it; is the file complete?",
        array->count, array->count * npy_element_size(array), have);
}

static kn_status too_long(const char *path, const struct npy *array, kn_error *err)
{
    return ki_fail_at(
        err, KN_ERROR_INPUT, path, 0,
        "there is more after the %zu elements that the header declares; a file may hold only one array",
        array->count);
}

// The numbers.
static kn_status read_data(struct reader *reader, struct npy *array)
{
    size_t bytes = array->count * npy_element_size(array), have;
    kn_status status = ki_input_read(reader->file, reader->path, bytes, &array->data, &have, reader->err);

    if (status)
        return status;
    if (have < bytes)
        return too_short(reader->path, array, have, reader->err);
    if (fgetc(reader->file) != EOF)
        return too_long(reader->path, array, reader->err);
    return ferror(reader->file) ? read_failed(reader, "its numbers") : KN_OK;
}

void npy_swap_bytes(void *numbers, size_t size, size_t count)
{
    unsigned char *data = numbers;

    for (size_t at = 0; at < count * size; at += size) {
        for (size_t i = 0; i < size / 2; i++) {
            unsigned char first = data[at + i];

            data[at + i] = data[at + size - 1 - i];
            data[at + size - 1 - i] = first;
        }
    }
}

// Converts from Fortran order, in which the first index runs fastest, to C order, in which the last one does.
static kn_status transpose(struct npy *array, kn_error *err)
{
    size_t size = npy_element_size(array), index[NPY_DIMS_MAX] = {0}, strides[NPY_DIMS_MAX], from = 0;
    unsigned char *data = malloc(array->count * size + 1);

    if (!data)
        return ki_fail_memory(err, array->count * size, "transposing an array");
    for (size_t d = 0, stride = 1; d < array->dims; stride *= array->shape[d++])
        strides[d] = stride;
    for (size_t to = 0; to < array->count; to++) {
        memcpy(data + to * size, (const unsigned char *)array->data + from * size, size);
        for (size_t d = array->dims; d-- > 0;) {
            from += strides[d];
            if (++index[d] < array->shape[d])
                break;
            from -= strides[d] * array->shape[d];
            index[d] = 0;
        }
    }
    free(array->data);
    array->data = data;
    return KN_OK;
}

// A whole array, from the stream's beginning.
static kn_status read_stream(struct reader *reader, struct npy *array)
{
    kn_status status = read_header(reader, array);

    if (!status)
        status = read_data(reader, array);
    if (!status && reader->is_swapped)
        npy_swap_bytes(array->data, kn_type_size(array->type), array->count * (array->is_complex ? 2 : 1));
    if (!status && reader->is_fortran && array->dims > 1)
        status = transpose(array, reader->err);
    if (status)
        npy_free(array);
    return status;
}

kn_status npy_read(const char *path, struct npy *array, kn_error *err)
{
    bool is_input = strcmp(path, "-") == 0;
    struct reader reader = {.path = is_input ? "standard input" : path, .err = err};
    kn_status status;

    memset(array, 0, sizeof *array);
    reader.file = is_input ? stdin : fopen(path, "rb");
    if (!reader.file)
        return ki_fail_errno(err, KN_ERROR_INPUT, path, errno, "cannot be read");
    status = read_stream(&reader, array);
    if (!is_input)
        fclose(reader.file);
    return status;
}

kn_status npy_read_head(FILE *file, const char *name, struct npy *array, struct npy_layout *layout,
                        kn_error *err)
{
    struct reader reader = {.path = name, .file = file, .err = err};
    kn_status status;

    memset(array, 0, sizeof *array);
    status = read_header(&reader, array);
    *layout = (struct npy_layout){reader.data_at, reader.is_swapped, reader.is_fortran};
    return status;
}

// The file must contain what its head says, and nothing more.
static kn_status check_length(const struct npy_file *file, kn_error *err)
{
    const size_t bytes = file->array.count * npy_element_size(&file->array);
    size_t there;

    if (fseeko(file->stream, 0, SEEK_END))
        return ki_fail_errno(err, KN_ERROR_INPUT, file->name, errno, "cannot be read");
    there = (size_t)ftello(file->stream) - file->layout.offset;
    return there < bytes   ? too_short(file->name, &file->array, there, err)
           : there > bytes ? too_long(file->name, &file->array, err)
                           : KN_OK;
}

kn_status npy_open(FILE *stream, const char *name, struct npy_file *file, kn_error *err)
{
    kn_status status;

    *file = (struct npy_file){.stream = stream, .name = name};
    if (!stream)
        return ki_fail_errno(err, KN_ERROR_INPUT, name, errno, "cannot be read");
    status = npy_read_head(stream, name, &file->array, &file->layout, err);
    if (!status && file->layout.is_fortran && file->array.dims > 1)
        status = ki_fail_at(err, KN_ERROR_INPUT, name, 0, "is in Fortran order; in Python: a.copy('C')");
    return status ? status : check_length(file, err);
}

kn_status npy_read_part(const struct npy_file *file, size_t first, size_t count, void *elements,
                        kn_error *err)
{
    const struct npy *array = &file->array;
    const size_t size = npy_element_size(array);

    errno = 0;
    if (fseeko(file->stream, (off_t)(file->layout.offset + first * size), SEEK_SET) ||
        fread(elements, size, count, file->stream) != count)
        return ki_fail_errno(err, KN_ERROR_INPUT, file->name, errno, "cannot be read");
    if (file->layout.is_swapped)
        npy_swap_bytes(elements, kn_type_size(array->type), count * (array->is_complex ? 2 : 1));
    return KN_OK;
}

void npy_close(struct npy_file *file)
{
    if (file->stream)
        fclose(file->stream);
    file->stream = NULL;
}

kn_status npy_read_bytes(const char *name, const void *bytes, size_t count, struct npy *array, kn_error *err)
{
    struct reader reader = {.path = name, .err = err};
    kn_status status;

    memset(array, 0, sizeof *array);
    if (count == 0) // without a stream
        return bad(&reader, 0, "expected a NumPy file (.npy), which begins with \\x93NUMPY", "", 0);
    reader.file = fmemopen((void *)(uintptr_t)bytes, count, "rb");
    if (!reader.file)
        return ki_fail_errno(err, KN_ERROR_INPUT, name, errno, "cannot be read");
    status = read_stream(&reader, array);
    fclose(reader.file);
    return status;
}

// ---- writing ----

static void format_header(const struct npy *array, struct ki_text *text)
{
    const char *descr = types[type_index(array)].descr;
    size_t length;

    ki_text_format(text, "{'descr': '%c%s', 'fortran_order': False, 'shape': (",
                   kn_type_size(array->type) == 1 ? '|' : '<', descr);
    for (size_t i = 0; i < array->dims; i++)
        ki_text_format(text, "%zu%s", array->shape[i],
                       array->dims == 1      ? ","
                       : i + 1 < array->dims ? ", "
                                             : "");
    ki_text_add(text, "), }");
    // The head before the header has 10 bytes, and a line end is its last.
    for (length = text->length + 1 + MAGIC_BYTES + 4; length % ALIGNMENT; length++)
        ki_text_add_char(text, ' ');
    ki_text_add_char(text, '\n');
}

bool npy_write_head(FILE *stream, const struct npy *array)
{
    struct ki_text header = KI_TEXT_INIT;
    bool fits;

    format_header(array, &header);
    fits = !header.failed && header.length <= UINT16_MAX;
    if (fits) {
        fwrite(magic, 1, MAGIC_BYTES, stream);
        fwrite((const unsigned char[]){1, 0, header.length & 0xff, (unsigned char)(header.length >> 8)}, 1, 4,
               stream);
        fwrite(header.data, 1, header.length, stream);
    }
    ki_text_free(&header);
    return fits;
}

size_t npy_file_size(const struct npy *array)
{
    struct ki_text header = KI_TEXT_INIT;
    size_t size = npy_element_size(array);

    format_header(array, &header);
    for (size_t i = 0; i < array->dims; i++)
        size *= array->shape[i];
    size = header.failed ? 0 : size + MAGIC_BYTES + 4 + header.length;
    ki_text_free(&header);
    return size;
}

kn_status npy_write(const char *path, const struct npy *array, bool force, kn_error *err)
{
    struct ki_output *out = NULL;
    size_t count = 1;
    kn_status status;

    for (size_t i = 0; i < array->dims; i++)
        count *= array->shape[i];
    status = ki_output_open(path, force, &out, err);
    if (status)
        return status;
    if (!npy_write_head(ki_output_stream(out), array)) {
        ki_output_discard(out);
        return ki_fail_memory(err, 0, "writing an array");
    }
    fwrite(array->data, npy_element_size(array), count, ki_output_stream(out));
    return ki_output_close(out, err);
}
