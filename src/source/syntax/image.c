// SPDX-License-Identifier: Apache-2.0
// Images and samplers: their types, and where they may appear (OpenCL C 1.2, 6.9). An image can only be a
// parameter and an argument; a sampler may also be a constant.
#include <string.h>

#include "base/array.h"
#include "syntax.h"

#define IMAGE(image_, name, written_)                                                                        \
    {                                                                                                        \
        .kind = SYN_T_IMAGE, .image = image_, .is_written = written_, .spelling = name                       \
    }
#define IMAGES(image_, name)                                                                                 \
    {                                                                                                        \
        IMAGE(image_, name, false), IMAGE(image_, "kn_written_" name, true)                                  \
    }
static const struct syn_type images[][2] = {
    IMAGES(SYN_IMAGE_1D, "image1d_t"),
    IMAGES(SYN_IMAGE_1D_BUFFER, "image1d_buffer_t"),
    IMAGES(SYN_IMAGE_1D_ARRAY, "image1d_array_t"),
    IMAGES(SYN_IMAGE_2D, "image2d_t"),
    IMAGES(SYN_IMAGE_2D_ARRAY, "image2d_array_t"),
    IMAGES(SYN_IMAGE_3D, "image3d_t"),
};
const struct syn_type ki_syn_sampler_type = {.kind = SYN_T_SAMPLER, .spelling = "sampler_t"};

const struct syn_type *ki_syn_opaque_type(const char *text, size_t length)
{
    if (length == strlen("sampler_t") && memcmp(text, "sampler_t", length) == 0)
        return &ki_syn_sampler_type;
    for (size_t i = 0; i < KI_COUNT(images); i++)
        if (strlen(images[i][0].spelling) == length && memcmp(text, images[i][0].spelling, length) == 0)
            return &images[i][0];
    return NULL;
}

const struct syn_type *ki_syn_with_access(struct syn_parser *parser, const struct syn_type *type,
                                          const struct syn_token *access)
{
    const char *word = access->word->name->text;

    word += strncmp(word, "__", 2) == 0 ? 2 : 0;
    if (!type || type->kind != SYN_T_IMAGE)
        ki_syn_fail(parser, KN_ERROR_BUILD, access->token, "\"%s\" stands before what is no image",
                    access->word->name->text);
    else if (strcmp(word, "read_write") == 0)
        ki_syn_fail(
            parser, KN_ERROR_UNSUPPORTED, access->token,
            "\"%s\": OpenCL C 1.2 has no images that a kernel both reads and writes; pass one read_only "
            "and another write_only",
            access->word->name->text);
    else
        type = &images[type->image][strcmp(word, "write_only") == 0];
    return type;
}

// The image or sampler that a type is, points to, returns, or has as elements; NULL if there is none.
static const struct syn_type *opaque_in(const struct syn_type *type)
{
    while (type && (type->kind == SYN_T_POINTER || type->kind == SYN_T_ARRAY || type->kind == SYN_T_FUNCTION))
        type = type->of;
    return type && (type->kind == SYN_T_IMAGE || type->kind == SYN_T_SAMPLER) ? type : NULL;
}

static void refuse(struct syn_parser *parser, const struct syn_type *opaque, const struct src_token *location)
{
    if (opaque->kind == SYN_T_IMAGE)
        ki_syn_fail(
            parser, KN_ERROR_BUILD, location,
            "an image (\"%s\") can only be a parameter: it has no variables, members, pointers, arrays, "
            "casts, and no function returns it",
            images[opaque->image][0].spelling);
    else
        ki_syn_fail(parser, KN_ERROR_BUILD, location,
                    "a sampler (\"sampler_t\") can only be a parameter or a constant with a value: it has no "
                    "members, pointers, arrays, casts, and no function returns it");
}

void ki_syn_check_parameter(struct syn_parser *parser, const struct syn_type *type,
                            const struct src_token *location)
{
    const struct syn_type *opaque = opaque_in(type);

    if (opaque && opaque != type)
        refuse(parser, opaque, location);
}

void ki_syn_check_variable(struct syn_parser *parser, const struct syn_declarator *declarator,
                           const struct src_token *location)
{
    const struct syn_type *type = declarator->type, *opaque = opaque_in(type);

    if (opaque && (type->kind != SYN_T_SAMPLER || !declarator->value || !declarator->value->expr ||
                   type->qualifiers & (SYN_Q_LOCAL | SYN_Q_GLOBAL)))
        refuse(parser, opaque, location);
}

void ki_syn_check_other(struct syn_parser *parser, const struct syn_type *type,
                        const struct src_token *location)
{
    const struct syn_type *opaque = opaque_in(type);

    if (opaque)
        refuse(parser, opaque, location);
}

bool ki_syn_is_image_call(const struct syn_word *word, bool *writes)
{
    *writes = strncmp(word->name->text, "write_image", 11) == 0;
    return word->result && (*writes || strncmp(word->name->text, "read_image", 10) == 0);
}
