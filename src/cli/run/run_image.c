// SPDX-License-Identifier: Apache-2.0
// --arg image2d:ORDER:TYPE:WxH[:FILL] and sampler:WORDS.
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "cmd_run.h"

// How many sizes a kind has; layers are the last.
static const struct {
    const char *prefix;
    kn_image_kind kind;
    int sizes;
    bool has_layers;
} kinds[] = {
    {"image1d:", KN_IMAGE_1D, 1, false},
    {"image1d_buffer:", KN_IMAGE_1D_BUFFER, 1, false},
    {"image1d_array:", KN_IMAGE_1D_ARRAY, 2, true},
    {"image2d:", KN_IMAGE_2D, 2, false},
    {"image2d_array:", KN_IMAGE_2D_ARRAY, 3, true},
    {"image3d:", KN_IMAGE_3D, 3, false},
};

static const struct order {
    const char *word;
    kn_channel_order order;
    unsigned channels;
} orders[] = {
    {"r", KN_ORDER_R, 1},
    {"a", KN_ORDER_A, 1},
    {"rg", KN_ORDER_RG, 2},
    {"ra", KN_ORDER_RA, 2},
    {"rgba", KN_ORDER_RGBA, 4},
    {"bgra", KN_ORDER_BGRA, 4},
    {"argb", KN_ORDER_ARGB, 4},
    {"intensity", KN_ORDER_INTENSITY, 1},
    {"luminance", KN_ORDER_LUMINANCE, 1},
};

// `number`: what is in memory, and so how an image is filled, shown and compared.
static const struct type {
    const char *word, *number;
    kn_channel_type type;
} types[] = {
    {"snorm8", "char", KN_CHANNEL_SNORM8},
    {"snorm16", "short", KN_CHANNEL_SNORM16},
    {"unorm8", "uchar", KN_CHANNEL_UNORM8},
    {"unorm16", "ushort", KN_CHANNEL_UNORM16},
    {"signed8", "char", KN_CHANNEL_SIGNED8},
    {"signed16", "short", KN_CHANNEL_SIGNED16},
    {"signed32", "int", KN_CHANNEL_SIGNED32},
    {"unsigned8", "uchar", KN_CHANNEL_UNSIGNED8},
    {"unsigned16", "ushort", KN_CHANNEL_UNSIGNED16},
    {"unsigned32", "uint", KN_CHANNEL_UNSIGNED32},
    {"half", "half", KN_CHANNEL_HALF},
    {"float", "float", KN_CHANNEL_FLOAT},
};

static bool is_word(const char *text, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(text, word, length) == 0;
}

// ORDER:TYPE: the format, and the numbers that are in memory.
static kn_status read_format(struct run_arg *arg, const char *order, size_t order_length, const char *type,
                             size_t type_length, kn_error *err)
{
    const struct order *found = NULL;

    for (size_t i = 0; i < KI_COUNT(orders); i++)
        if (is_word(order, order_length, orders[i].word))
            found = &orders[i];
    if (!found)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "--arg %s: '%.*s' is not one of r, a, rg, ra, rgba, bgra, argb, intensity, luminance",
                       arg->spec, (int)order_length, order);
    arg->format.order = found->order;
    for (size_t i = 0; i < KI_COUNT(types); i++)
        if (is_word(type, type_length, types[i].word)) {
            arg->format.type = types[i].type;
            run_type_read(types[i].number, strlen(types[i].number), &arg->type);
            arg->type.width = found->channels;
        }
    if (!arg->format.type)
        return ki_fail(
            err, KN_ERROR_ARGUMENT,
            "--arg %s: '%.*s' is not one of snorm8, snorm16, unorm8, unorm16, signed8, signed16, signed32, "
            "unsigned8, unsigned16, unsigned32, half, float",
            arg->spec, (int)type_length, type);
    if (!kn_image_format_size(arg->format))
        return ki_fail(err, KN_ERROR_ARGUMENT, "--arg %s: OpenCL has no images of order %s and type %.*s",
                       arg->spec, found->word, (int)type_length, type);
    return KN_OK;
}

// "640x480": as many sizes as the kind has. False if it is none of that.
static bool read_sizes(struct run_arg *arg, const char *text, size_t length, int count, bool has_layers)
{
    const char *end = text + length;

    arg->size[0] = arg->size[1] = arg->size[2] = arg->count = 1;
    for (int i = 0; i < count; i++) {
        uintmax_t size;
        char *after;

        if (text >= end || *text < '0' || *text > '9')
            return false;
        errno = 0;
        size = strtoumax(text, &after, 10);
        if (errno || after > end || size < 1 || size > SIZE_MAX / 64 / arg->count)
            return false;
        arg->size[has_layers && i == count - 1 ? 2 : i] = (size_t)size;
        arg->count *= (size_t)size;
        text = after;
        if (i + 1 < count && (text >= end || *text++ != 'x'))
            return false;
    }
    return text == end;
}

static kn_status read_image(struct run_arg *arg, const char *rest, size_t kind, size_t index, kn_error *err)
{
    const char *parts[3] = {rest, "", ""}, *fill = NULL;
    size_t lengths[3] = {0, 0, 0};
    kn_status status;

    for (int i = 0; i < 3; i++) {
        lengths[i] = strcspn(parts[i], ":");
        fill = parts[i] + lengths[i];
        fill += *fill == ':';
        if (i < 2)
            parts[i + 1] = fill;
    }
    status = read_format(arg, parts[0], lengths[0], parts[1], lengths[1], err);
    if (status)
        return status;
    if (!read_sizes(arg, parts[2], lengths[2], kinds[kind].sizes, kinds[kind].has_layers))
        return ki_fail(err, KN_ERROR_ARGUMENT, "--arg %s: '%.*s' is not %s, whole numbers from 1", arg->spec,
                       (int)lengths[2], parts[2],
                       kinds[kind].sizes == 1 ? "WIDTH"
                       : kinds[kind].sizes == 2
                           ? (kinds[kind].has_layers ? "WIDTHxLAYERS" : "WIDTHxHEIGHT")
                           : (kinds[kind].has_layers ? "WIDTHxHEIGHTxLAYERS" : "WIDTHxHEIGHTxDEPTH"));
    arg->kind = RUN_IMAGE;
    arg->has_type = true;
    arg->image = kinds[kind].kind;
    arg->bytes = arg->count * run_type_bytes(&arg->type);
    return run_fill(arg, fill, index + 1, err);
}

static kn_status read_sampler(struct run_arg *arg, const char *rest, kn_error *err)
{
    static const struct {
        const char *word;
        unsigned bits, group; // of which one may be given
    } keywords[] = {
        {"nearest", KN_SAMPLER_NEAREST, 0x30}, {"linear", KN_SAMPLER_LINEAR, 0x30},
        {"none", KN_SAMPLER_NONE, 0x0e},       {"edge", KN_SAMPLER_EDGE, 0x0e},
        {"clamp", KN_SAMPLER_CLAMP, 0x0e},     {"repeat", KN_SAMPLER_REPEAT, 0x0e},
        {"mirror", KN_SAMPLER_MIRROR, 0x0e},   {"normalized", KN_SAMPLER_NORMALIZED, 0x01},
    };
    unsigned seen = 0;

    arg->kind = RUN_SAMPLER;
    for (const char *at = rest;; at++) {
        size_t length = strcspn(at, ","), i = 0;

        while (i < KI_COUNT(keywords) && !is_word(at, length, keywords[i].word))
            i++;
        if (i == KI_COUNT(keywords) || seen & keywords[i].group)
            return ki_fail(
                err, KN_ERROR_ARGUMENT,
                "--arg %s: '%.*s' is not expected; a sampler is nearest or linear, then none, edge, clamp, "
                "repeat or mirror, then perhaps normalized, with commas between them",
                arg->spec, (int)length, at);
        seen |= keywords[i].group;
        arg->sampler |= keywords[i].bits;
        at += length;
        if (!*at)
            break;
    }
    if (!(seen & 0x30))
        return ki_fail(err, KN_ERROR_ARGUMENT, "--arg %s: the filter is missing: nearest or linear",
                       arg->spec);
    if ((arg->sampler & 0x0e) > KN_SAMPLER_CLAMP && !(arg->sampler & KN_SAMPLER_NORMALIZED))
        return ki_fail(err, KN_ERROR_ARGUMENT, "--arg %s: repeat and mirror need normalized coordinates",
                       arg->spec);
    return KN_OK;
}

bool run_image_read(struct run_arg *arg, size_t index, kn_status *status, kn_error *err)
{
    for (size_t i = 0; i < KI_COUNT(kinds); i++) {
        size_t length = strlen(kinds[i].prefix);

        if (strncmp(arg->spec, kinds[i].prefix, length) != 0)
            continue;
        *status = read_image(arg, arg->spec + length, i, index, err);
        return true;
    }
    if (strncmp(arg->spec, "sampler:", 8) != 0)
        return false;
    *status = read_sampler(arg, arg->spec + 8, err);
    return true;
}
