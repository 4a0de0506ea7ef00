// SPDX-License-Identifier: Apache-2.0
// --arg SPEC: from words to the kernel's arguments.
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/text/text.h"
#include "cmd_run.h"

static const char forms[] =
    "buf:TYPE:COUNT[:FILL], in:FILE.npy, out:FILE.npy:TYPE:COUNT, inout:IN.npy:OUT.npy, "
    "TYPE=VALUE, struct:HEXBYTES, local:BYTES, image2d:ORDER:TYPE:WxH[:FILL], "
    "sampler:FILTER[,ADDRESSING][,normalized]";

static bool read_size(const char *text, size_t length, size_t *size)
{
    uintmax_t number;
    char *end;

    if (length == 0 || !isdigit((unsigned char)*text))
        return false;
    errno = 0;
    number = strtoumax(text, &end, 10);
    if (errno || end != text + length || number < 1 || number > SIZE_MAX / 2)
        return false;
    *size = (size_t)number;
    return true;
}

// TYPE and COUNT of a buffer.
static kn_status read_extent(struct run_arg *arg, const char *type, size_t type_length, const char *count,
                             size_t count_length, kn_error *err)
{
    if (!run_type_read(type, type_length, &arg->type))
        return ki_fail(
            err, KN_ERROR_ARGUMENT,
            "--arg %s: '%.*s' is not a type; expected char, uchar, short, ushort, int, uint, long, ulong, "
            "half, float or double, with 2, 3, 4, 8 or 16 behind it for a vector",
            arg->spec, (int)type_length, type);
    if (!read_size(count, count_length, &arg->count) ||
        arg->count > SIZE_MAX / 2 / run_type_bytes(&arg->type))
        return ki_fail(err, KN_ERROR_ARGUMENT, "--arg %s: '%.*s' is not a number of elements of at least 1",
                       arg->spec, (int)count_length, count);
    arg->kind = RUN_BUFFER;
    arg->has_type = true;
    arg->bytes = arg->count * run_type_bytes(&arg->type);
    return KN_OK;
}

// ---- the forms; `rest` follows the colon ----

static kn_status read_buf(struct run_arg *arg, const char *rest, size_t index, kn_error *err)
{
    size_t type_length = strcspn(rest, ":");
    const char *count = rest + type_length + (rest[type_length] == ':');
    size_t count_length = strcspn(count, ":");
    const char *fill = count + count_length;
    kn_status status = read_extent(arg, rest, type_length, count, count_length, err);

    return status ? status : run_fill(arg, fill + (*fill == ':'), index + 1, err);
}

static kn_status read_array(struct run_arg *arg, const char *path, struct npy *array, kn_error *err)
{
    kn_status status;

    if (!*path)
        return ki_fail(err, KN_ERROR_ARGUMENT, "--arg %s: a path must follow", arg->spec);
    status = npy_read(path, array, err);
    if (status)
        return status;
    if (array->count == 0) {
        npy_free(array);
        return ki_fail_at(err, KN_ERROR_INPUT, path, 0,
                          "is an array without elements; a kernel needs at least one");
    }
    run_type_of_npy(array->type, &arg->type);
    arg->kind = RUN_BUFFER;
    arg->has_type = true;
    arg->count = array->is_complex ? 2 * array->count : array->count;
    arg->bytes = array->count * npy_element_size(array);
    arg->data = array->data;
    arg->shape = *array;
    arg->shape.data = NULL;
    return KN_OK;
}

static kn_status read_in(struct run_arg *arg, const char *rest, size_t index, kn_error *err)
{
    struct npy array;

    (void)index;
    return read_array(arg, rest, &array, err);
}

static kn_status read_inout(struct run_arg *arg, const char *rest, size_t index, kn_error *err)
{
    const char *between = strstr(rest, ".npy:");
    struct npy array;
    char *in;
    kn_status status;

    (void)index;
    if (!between || !between[5])
        return ki_fail(err, KN_ERROR_ARGUMENT, "--arg %s: expected inout:IN.npy:OUT.npy", arg->spec);
    in = strndup(rest, (size_t)(between - rest) + 4);
    arg->out_path = strdup(between + 5);
    status = in && arg->out_path ? read_array(arg, in, &array, err)
                                 : ki_fail_memory(err, 0, "reading the arguments");
    free(in);
    return status;
}

// The path may contain colons: type and count are the last two parts.
static kn_status read_out(struct run_arg *arg, const char *rest, size_t index, kn_error *err)
{
    const char *count = strrchr(rest, ':'), *type = count;
    kn_status status;

    (void)index;
    while (type && type > rest && type[-1] != ':')
        type--;
    if (!count || type - rest < 2)
        return ki_fail(err, KN_ERROR_ARGUMENT, "--arg %s: expected out:FILE.npy:TYPE:COUNT", arg->spec);
    status = read_extent(arg, type, (size_t)(count - type), count + 1, strlen(count + 1), err);
    if (status)
        return status;
    if (!arg->type.has_npy)
        return ki_fail(err, KN_ERROR_ARGUMENT, "--arg %s: %s cannot be written to .npy; use buf:, or float",
                       arg->spec, arg->type.base);
    arg->out_path = strndup(rest, (size_t)(type - rest) - 1);
    return arg->out_path ? KN_OK : ki_fail_memory(err, 0, "reading the arguments");
}

static int hex_digit(char c)
{
    return isdigit((unsigned char)c)    ? c - '0'
           : isxdigit((unsigned char)c) ? tolower((unsigned char)c) - 'a' + 10
                                        : -1;
}

static kn_status read_struct(struct run_arg *arg, const char *rest, size_t index, kn_error *err)
{
    size_t digits = strlen(rest);

    (void)index;
    if (digits == 0 || digits % 2)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "--arg %s: %zu hexadecimal digits; expected two for each byte of the struct",
                       arg->spec, digits);
    arg->kind = RUN_VALUE;
    arg->bytes = digits / 2;
    arg->data = calloc(1, arg->bytes);
    if (!arg->data)
        return ki_fail_memory(err, arg->bytes, "reading the arguments");
    for (size_t i = 0; i < digits; i++) {
        if (hex_digit(rest[i]) < 0)
            return ki_fail(err, KN_ERROR_ARGUMENT, "--arg %s: '%c' is not a hexadecimal digit", arg->spec,
                           rest[i]);
        arg->data[i / 2] = (unsigned char)(arg->data[i / 2] << 4 | hex_digit(rest[i]));
    }
    return KN_OK;
}

static kn_status read_local(struct run_arg *arg, const char *rest, size_t index, kn_error *err)
{
    (void)index;
    arg->kind = RUN_LOCAL;
    if (!read_size(rest, strlen(rest), &arg->bytes))
        return ki_fail(err, KN_ERROR_ARGUMENT, "--arg %s: '%s' is not a number of bytes of at least 1",
                       arg->spec, rest);
    return KN_OK;
}

// TYPE=VALUE: a number for each component, or one for all.
static kn_status read_value(struct run_arg *arg, const char *equals, kn_error *err)
{
    const char *at = equals + 1;
    unsigned given = 0;

    arg->kind = RUN_VALUE;
    arg->has_type = true;
    arg->bytes = run_type_bytes(&arg->type);
    arg->data = calloc(1, arg->bytes);
    if (!arg->data)
        return ki_fail_memory(err, arg->bytes, "reading the arguments");
    for (bool more = true; more && given <= arg->type.width; given++) {
        size_t length = strcspn(at, ",");

        if (given < arg->type.width &&
            !run_number_read(&arg->type, at, length, arg->data + given * arg->type.size))
            return ki_fail(err, KN_ERROR_ARGUMENT, "--arg %s: '%.*s' is no %s", arg->spec, (int)length, at,
                           arg->type.base);
        more = at[length] == ',';
        at += length + more;
    }
    if (given != 1 && given != arg->type.width)
        return ki_fail(err, KN_ERROR_ARGUMENT, "--arg %s: expected %u numbers, or one for all", arg->spec,
                       arg->type.width);
    for (unsigned c = given; c < arg->type.width; c++)
        memcpy(arg->data + c * arg->type.size, arg->data, arg->type.size);
    return KN_OK;
}

static const struct {
    const char *prefix;
    kn_status (*read)(struct run_arg *arg, const char *rest, size_t index, kn_error *err);
} readers[] = {
    {"buf:", read_buf},     {"in:", read_in},         {"out:", read_out},
    {"inout:", read_inout}, {"struct:", read_struct}, {"local:", read_local},
};

static kn_status read_arg(struct run_arg *arg, size_t index, kn_error *err)
{
    const char *equals = strchr(arg->spec, '=');
    kn_status status;

    for (size_t i = 0; i < KI_COUNT(readers); i++) {
        size_t length = strlen(readers[i].prefix);

        if (strncmp(arg->spec, readers[i].prefix, length) == 0)
            return readers[i].read(arg, arg->spec + length, index, err);
    }
    if (run_image_read(arg, index, &status, err))
        return status;
    if (equals && run_type_read(arg->spec, (size_t)(equals - arg->spec), &arg->type))
        return read_value(arg, equals, err);
    return ki_fail(err, KN_ERROR_ARGUMENT, "--arg: '%s' is not one of %s", arg->spec, forms);
}

kn_status run_args_read(const struct string_list *specs, struct run_args *args, kn_error *err)
{
    kn_status status = KN_OK;

    args->items = calloc(specs->count + 1, sizeof *args->items);
    if (!args->items)
        return ki_fail_memory(err, 0, "reading the arguments");
    for (size_t i = 0; i < specs->count && !status; i++) {
        args->count = i + 1;
        args->items[i].spec = specs->items[i];
        status = read_arg(&args->items[i], i, err);
    }
    return status;
}

bool run_has_contents(const struct run_arg *arg)
{
    return arg->kind == RUN_BUFFER || arg->kind == RUN_IMAGE;
}

void run_args_free(struct run_args *args)
{
    for (size_t i = 0; i < args->count; i++) {
        free(args->items[i].data);
        free(args->items[i].out_path);
    }
    free(args->items);
}

// ---- matching the kernel's signature ----

static void add_params(const kn_kernel *kernel, struct ki_text *text)
{
    static const char *const spaces[] = {[KN_PARAM_GLOBAL] = "global ", [KN_PARAM_CONSTANT] = "constant ",
                                         [KN_PARAM_LOCAL] = "local ",   [KN_PARAM_VALUE] = "",
                                         [KN_PARAM_IMAGE] = "",         [KN_PARAM_SAMPLER] = ""};

    for (size_t i = 0; i < kn_kernel_get_param_count(kernel); i++) {
        const kn_param *param = kn_kernel_get_param(kernel, i);

        ki_text_format(text, "%s%s%s%s %s%s", i ? ", " : "", spaces[param->kind],
                       param->kind == KN_PARAM_IMAGE ? (param->is_const ? "read_only " : "write_only ")
                       : param->is_const             ? "const "
                                                     : "",
                       param->type, *spaces[param->kind] ? "*" : "", param->name);
    }
}

static kn_status refuse_count(const struct run_args *args, const kn_kernel *kernel, kn_error *err)
{
    struct ki_text params = KI_TEXT_INIT;
    kn_status status;

    add_params(kernel, &params);
    status = ki_fail(
        err, KN_ERROR_ARGUMENT, "%s takes %zu arguments (%.2000s), but --arg was given %zu times",
        kn_kernel_get_name(kernel), kn_kernel_get_param_count(kernel), ki_text_string(&params), args->count);
    ki_text_free(&params);
    return status;
}

static kn_status refuse_type(const struct run_arg *arg, const kn_param *param, size_t index, kn_error *err)
{
    char given[RUN_TYPE_NAME];

    run_type_name(&arg->type, given);
    return ki_fail(err, KN_ERROR_ARGUMENT, "argument %zu (%s) is of %s, but --arg %s is of %s", index,
                   param->name, param->type, arg->spec, given);
}

// An array whose last dimension is 3, for a kernel that takes vectors of 3: in memory they have the size of
// 4.
static kn_status widen_array(struct run_arg *arg, kn_error *err)
{
    size_t element = 3 * arg->type.size, room = 4 * arg->type.size;
    size_t count = arg->count / 3;
    unsigned char *data = calloc(count, room);

    if (!data)
        return ki_fail_memory(err, count * room, "reading the arguments");
    for (size_t i = 0; i < count; i++)
        memcpy(data + i * room, arg->data + i * element, element);
    free(arg->data);
    arg->data = data;
    arg->bytes = count * room;
    return KN_OK;
}

// Combines an array's numbers to vectors if the kernel takes vectors.
static kn_status fit_array(struct run_arg *arg, const kn_param *param, const struct run_type *wanted,
                           size_t index, kn_error *err)
{
    const size_t last = arg->shape.is_complex ? 2
                        : arg->shape.dims     ? arg->shape.shape[arg->shape.dims - 1]
                                              : 1;
    kn_status status = KN_OK;

    if (wanted->class != arg->type.class && (wanted->class == RUN_FLOAT || arg->type.class == RUN_FLOAT))
        return refuse_type(arg, param, index, err);
    if (wanted->size != arg->type.size)
        return refuse_type(arg, param, index, err);
    if (wanted->width == 1)
        return KN_OK;
    if (wanted->width == 3 ? last != 3 : arg->count % wanted->width != 0)
        return ki_fail(
            err, KN_ERROR_ARGUMENT,
            "argument %zu (%s) is of %s, but the %zu numbers of --arg %s are not a whole number of vectors%s",
            index, param->name, param->type, arg->count, arg->spec,
            wanted->width == 3 ? " (the array's last dimension must be 3)" : "");
    if (wanted->width == 3)
        status = widen_array(arg, err);
    arg->type.width = wanted->width;
    arg->count /= wanted->width;
    return status;
}

static kn_status fit(struct run_arg *arg, const kn_param *param, size_t index, kn_error *err)
{
    const bool is_pointer = param->kind == KN_PARAM_GLOBAL || param->kind == KN_PARAM_CONSTANT;
    struct run_type wanted;

    arg->name = param->name;
    if (!arg->has_type || !run_type_read(param->type, strlen(param->type), &wanted))
        return KN_OK; // the launch checks the sizes
    if (is_pointer && arg->kind == RUN_BUFFER && arg->shape.count)
        return fit_array(arg, param, &wanted, index, err);
    // A buffer may have any type; a value of another type would have other bits than intended.
    if (param->kind == KN_PARAM_VALUE && arg->kind == RUN_VALUE &&
        (wanted.size != arg->type.size || wanted.width != arg->type.width ||
         (wanted.class == RUN_FLOAT) != (arg->type.class == RUN_FLOAT)))
        return refuse_type(arg, param, index, err);
    return KN_OK;
}

kn_status run_args_bind(struct run_args *args, const kn_kernel *kernel, kn_error *err)
{
    kn_status status = KN_OK;

    if (args->count != kn_kernel_get_param_count(kernel))
        return refuse_count(args, kernel, err);
    for (size_t i = 0; i < args->count && !status; i++)
        status = fit(&args->items[i], kn_kernel_get_param(kernel, i), i, err);
    return status;
}
