// SPDX-License-Identifier: Apache-2.0
// The launches of test_images.c: every format, kind of image and sampler, with random texels and coordinates.
#ifndef KN_TESTS_CONFORMANCE_IMAGE_LAUNCHES_H
#define KN_TESTS_CONFORMANCE_IMAGE_LAUNCHES_H

#include "support/buffers.h"
#include "support/run.h"

#include "base/array.h"
#include "source/source.h"

enum {
    ITEMS = 256,
    WIDTH = 13,
    HEIGHT = 7,
    DEPTH = 5,
    MOST_BYTES = WIDTH * HEIGHT * DEPTH * 16,
    MOST_CASES = 20000
};

// ---- formats, kinds and samplers

static const struct kind {
    const char *name;
    int dims;
    bool has_layers;
    size_t size[3];
} kinds[] = {
    [KN_IMAGE_1D] = {"1d", 1, false, {WIDTH, 1, 1}},
    [KN_IMAGE_1D_BUFFER] = {"1d_buffer", 1, false, {WIDTH, 1, 1}},
    [KN_IMAGE_1D_ARRAY] = {"1d_array", 1, true, {WIDTH, 1, DEPTH}},
    [KN_IMAGE_2D] = {"2d", 2, false, {WIDTH, HEIGHT, 1}},
    [KN_IMAGE_2D_ARRAY] = {"2d_array", 2, true, {WIDTH, HEIGHT, DEPTH}},
    [KN_IMAGE_3D] = {"3d", 3, false, {WIDTH, HEIGHT, DEPTH}},
};

static const kn_channel_order orders[] = {KN_ORDER_RGBA, KN_ORDER_R,         KN_ORDER_RG,
                                          KN_ORDER_A,    KN_ORDER_RA,        KN_ORDER_BGRA,
                                          KN_ORDER_ARGB, KN_ORDER_INTENSITY, KN_ORDER_LUMINANCE};

// `family` is the suffix of the functions that read and write these formats.
static const struct type {
    kn_channel_type type;
    const char *family;
    int bytes;
    bool normalised;
} types[] = {
    {KN_CHANNEL_SNORM8, "f", 1, true},       {KN_CHANNEL_SNORM16, "f", 2, true},
    {KN_CHANNEL_UNORM8, "f", 1, true},       {KN_CHANNEL_UNORM16, "f", 2, true},
    {KN_CHANNEL_HALF, "f", 2, false},        {KN_CHANNEL_FLOAT, "f", 4, false},
    {KN_CHANNEL_SIGNED8, "i", 1, false},     {KN_CHANNEL_SIGNED16, "i", 2, false},
    {KN_CHANNEL_SIGNED32, "i", 4, false},    {KN_CHANNEL_UNSIGNED8, "ui", 1, false},
    {KN_CHANNEL_UNSIGNED16, "ui", 2, false}, {KN_CHANNEL_UNSIGNED32, "ui", 4, false},
};

static const unsigned samplers[] = {
    KN_SAMPLER_NEAREST | KN_SAMPLER_NONE,
    KN_SAMPLER_NEAREST | KN_SAMPLER_EDGE,
    KN_SAMPLER_NEAREST | KN_SAMPLER_CLAMP,
    KN_SAMPLER_LINEAR | KN_SAMPLER_EDGE,
    KN_SAMPLER_LINEAR | KN_SAMPLER_CLAMP,
    KN_SAMPLER_NORMALIZED | KN_SAMPLER_NEAREST | KN_SAMPLER_EDGE,
    KN_SAMPLER_NORMALIZED | KN_SAMPLER_NEAREST | KN_SAMPLER_CLAMP,
    KN_SAMPLER_NORMALIZED | KN_SAMPLER_NEAREST | KN_SAMPLER_REPEAT,
    KN_SAMPLER_NORMALIZED | KN_SAMPLER_NEAREST | KN_SAMPLER_MIRROR,
    KN_SAMPLER_NORMALIZED | KN_SAMPLER_LINEAR | KN_SAMPLER_EDGE,
    KN_SAMPLER_NORMALIZED | KN_SAMPLER_LINEAR | KN_SAMPLER_CLAMP,
    KN_SAMPLER_NORMALIZED | KN_SAMPLER_LINEAR | KN_SAMPLER_REPEAT,
    KN_SAMPLER_NORMALIZED | KN_SAMPLER_LINEAR | KN_SAMPLER_MIRROR,
};

// One launch. The shim's runner reads the first part from a file and defines the same layout.
struct launch {
    struct {
        uint32_t kernel, kind, order, type, texel_bytes, sampler, width, height, depth, bytes;
        float at[ITEMS][4];
        uint32_t values[ITEMS][4];
        unsigned char texels[MOST_BYTES];
    } given;
    const struct type *type;
    bool host_only; // OpenCL leaves it undefined
};
struct result {
    uint32_t values[ITEMS][4];
    unsigned char texels[MOST_BYTES];
};

static struct launch *launches;
static size_t launch_count;
static uint64_t chance;
static const struct src_unit *unit;

// ---- input

static bool find_kernel(const char *stem, const char *family, kn_image_kind kind, uint32_t *index)
{
    char name[64];

    snprintf(name, sizeof name, "%s%s_%s", stem, family, kinds[kind].name);
    for (size_t k = 0; k < unit->kernel_count; k++)
        if (strcmp(unit->kernels[k].name, name) == 0) {
            *index = (uint32_t)k;
            return true;
        }
    return false;
}

static size_t texels_of(const struct kind *kind)
{
    return kind->size[0] * kind->size[1] * kind->size[2];
}

// Random bits; floats are from -2 to 2.
static void make_texels(struct launch *launch)
{
    for (size_t i = 0; i < launch->given.bytes / (size_t)launch->type->bytes; i++) {
        unsigned char *to = launch->given.texels + i * (size_t)launch->type->bytes;
        uint32_t bits = (uint32_t)test_random(&chance);
        float real = (float)(test_uniform(&chance) * 4 - 2);
        if (launch->type->type == KN_CHANNEL_FLOAT)
            memcpy(&bits, &real, sizeof bits);
        if (launch->type->type == KN_CHANNEL_HALF) // with an exponent of at most 2^0
            bits = bits % 5 ? (bits & 0x83ff) | (bits >> 12) % 16 << 10 : bits & 0x83ff;
        memcpy(to, &bits, (size_t)launch->type->bytes);
    }
}

// The middle of an eighth of a texel; inside the image if there is no addressing mode.
static float coordinate(size_t size, unsigned sampler, bool is_layer)
{
    bool inside = !(sampler & 14) && !is_layer;
    double u = (double)(test_random(&chance) % (size * (inside ? 8 : 32))) / 8 + 1.0 / 16;

    u -= inside ? 0 : 1.5 * (double)size;
    return (float)(sampler & KN_SAMPLER_NORMALIZED && !is_layer ? u / (double)size : u);
}

static void make_coordinates(struct launch *launch, bool each_once)
{
    const struct kind *kind = &kinds[launch->given.kind];
    size_t total = texels_of(kind);

    for (size_t n = 0; n < ITEMS; n++) {
        float *at = launch->given.at[n];
        size_t texel = (n * 37 + 5) % total; // 37 is coprime to every total
        size_t where[3] = {texel % kind->size[0], texel / kind->size[0] % kind->size[1],
                           texel / kind->size[0] / kind->size[1]};
        for (int d = 0; d < 3; d++) {
            bool is_layer = d == 2 && kind->has_layers;
            int to = is_layer ? kind->dims : d;
            if (d < kind->dims || is_layer)
                at[to] = each_once ? (float)where[d] + 0.25f
                                   : coordinate(kind->size[d], launch->given.sampler, is_layer);
        }
    }
}

static void make_values(struct launch *launch)
{
    static const float floats[] = {0,        -0.0f,       1,          -1,    0.5f,  2,     -2,
                                   1.0f / 3, 0.49803922f, 0.5019608f, 65504, 65520, -70000};

    for (size_t i = 0; i < ITEMS * 4; i++) {
        uint64_t random = test_random(&chance);
        float real = random % 3 ? (float)(test_uniform(&chance) * 3 - 1.5)
                                : floats[(random >> 8) % (sizeof floats / sizeof *floats)];
        uint32_t bits = (uint32_t)(random >> 16);
        if (*launch->type->family == 'f')
            memcpy(&bits, &real, sizeof bits);
        else if (random % 2)
            bits = (uint32_t)((int)(bits % 600) - 300);
        launch->given.values[i / 4][i % 4] = bits;
    }
    // Work-items that write the same texel write the same value.
    for (size_t n = 0; n < ITEMS; n++)
        memcpy(launch->given.values[n], launch->given.values[n % texels_of(&kinds[launch->given.kind])],
               sizeof launch->given.values[n]);
}

// Adds a launch of "STEMfamily_kind", if there is such a kernel.
static inline struct launch *add_launch(const char *stem, const char *family, kn_image_kind kind,
                                        kn_channel_order order, const struct type *type, unsigned sampler)
{
    kn_image_format format = {order, type->type};
    struct launch *made = &launches[launch_count];
    const size_t *size = kinds[kind].size;
    uint32_t kernel, texel = (uint32_t)kn_image_format_size(format);

    if (!texel || !find_kernel(stem, family, kind, &kernel))
        return NULL;
    ck_assert_uint_lt(launch_count, MOST_CASES);
    launch_count++;
    made->type = type;
    made->given.kernel = kernel;
    made->given.kind = kind;
    made->given.order = order;
    made->given.type = type->type;
    made->given.texel_bytes = texel;
    made->given.sampler = sampler;
    made->given.width = (uint32_t)size[0];
    made->given.height = (uint32_t)size[1];
    made->given.depth = (uint32_t)size[2];
    made->given.bytes = (uint32_t)(size[0] * size[1] * size[2]) * texel;
    make_texels(made);
    make_coordinates(made, strncmp(stem, "write", 5) == 0 || strncmp(stem, "plain", 5) == 0);
    make_values(made);
    return made;
}

static void add_format(kn_image_kind kind, kn_channel_order order, const struct type *type)
{
    for (size_t s = 0; s < KI_COUNT(samplers); s++) {
        if (samplers[s] & KN_SAMPLER_LINEAR && *type->family != 'f')
            continue;
        add_launch("read", type->family, kind, order, type, samplers[s]);
        if (!(samplers[s] & (KN_SAMPLER_NORMALIZED | KN_SAMPLER_LINEAR)))
            add_launch("whole", type->family, kind, order, type, samplers[s]);
    }
    add_launch("plain", type->family, kind, order, type, KN_SAMPLER_NEAREST);
    add_launch("write", type->family, kind, order, type, KN_SAMPLER_NEAREST);
    add_launch("queries", "", kind, order, type, KN_SAMPLER_NEAREST);
}

// Writes outside the image: OpenCL leaves them undefined, and the rewritten program drops them.
static void add_outside(kn_image_kind kind)
{
    struct launch *made = add_launch("write", "f", kind, KN_ORDER_RGBA, &types[5], KN_SAMPLER_NEAREST);

    for (size_t n = 0; made && n < ITEMS; n++)
        for (int d = 0; d < 3; d++)
            if (d == 0 || made->given.at[n][d] != 0)
                made->given.at[n][d] = n % 2 ? -1 : 1000;
    if (made)
        made->host_only = true;
}

static void make_launches(void)
{
    chance = test_seed("test_images");
    launches = calloc(MOST_CASES, sizeof *launches);
    ck_assert_ptr_nonnull(launches);
    for (size_t o = 0; o < KI_COUNT(orders); o++)
        for (size_t t = 0; t < KI_COUNT(types); t++)
            add_format(KN_IMAGE_2D, orders[o], &types[t]);
    for (kn_image_kind kind = KN_IMAGE_1D; kind <= KN_IMAGE_3D; kind++) {
        for (size_t t = 0; t < KI_COUNT(types) && kind != KN_IMAGE_2D; t++)
            add_format(kind, orders[t % 3], &types[t]);
        add_outside(kind);
    }
    add_launch("wired", "", KN_IMAGE_2D, KN_ORDER_RGBA, &types[5], KN_SAMPLER_NEAREST | KN_SAMPLER_EDGE);
    add_launch("wired", "", KN_IMAGE_2D, KN_ORDER_RGBA, &types[5], KN_SAMPLER_NEAREST | KN_SAMPLER_CLAMP);
    add_launch("constant", "", KN_IMAGE_2D, KN_ORDER_RGBA, &types[5], KN_SAMPLER_NEAREST | KN_SAMPLER_EDGE);
}

#endif
