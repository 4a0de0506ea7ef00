// SPDX-License-Identifier: Apache-2.0
// Images as the device has them and, rewritten for CUDA, over the software sampler of tests/shim (the
// formulas of section 8.2): the same texels. images.cl has the kernels: an image, a sampler, a coordinate a
// work-item, and what is read there, or is to be written.
//
// Bounds. Which texel is read, integers, half and float: exact; coordinates keep 1/16 of a texel off the
// edges between texels. Normalised formats: 1.5 ulp for the conversion (8.3.1.1), of both sides: 3. Filtered:
// the specification leaves the precision open. A CPU computes in float: u has two roundings of numbers up to
// 4 sizes, so a weight is off by 4 * size * 2^-23 an axis, and the sum of 2^dims products by as many
// roundings. A GPU keeps 8 bits of a weight's fraction (CUDA C++ Programming Guide, "Linear Filtering"): a
// weight is off by 2^-8 an axis, and what is read by that times the largest difference between texels.
#include "../unit/device_support.h"

#include "../../src/base/array.h"
#include "../../src/engine/target.h"
#include "../../src/source/cuda.h"

#include <math.h>

enum {
    ITEMS = 256,
    WIDTH = 13,
    HEIGHT = 7,
    DEPTH = 5,
    MOST_BYTES = WIDTH * HEIGHT * DEPTH * 16,
    MOST_CASES = 20000
};

// ---- what there is

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

// `family` is the suffix of the functions that read and write them.
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

// One launch. The shim's runner reads the first part from a file, so it is laid out by hand there too.
struct launch {
    struct {
        uint32_t kernel, kind, order, type, texel_bytes, sampler, width, height, depth, bytes;
        float at[ITEMS][4];
        uint32_t values[ITEMS][4];
        unsigned char texels[MOST_BYTES];
    } given;
    const struct type *type;
    bool host_only; // what OpenCL leaves undefined
};
struct result {
    uint32_t values[ITEMS][4];
    unsigned char texels[MOST_BYTES];
};

static struct launch *launches;
static size_t launch_count;
static uint64_t chance;
static const struct src_unit *unit;

// ---- what goes in

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

// Any bits, but for floats: from -2 to 2.
static void make_texels(struct launch *launch)
{
    for (size_t i = 0; i < launch->given.bytes / (size_t)launch->type->bytes; i++) {
        unsigned char *to = launch->given.texels + i * (size_t)launch->type->bytes;
        uint32_t bits = (uint32_t)test_random(&chance);
        float real = (float)(test_uniform(&chance) * 4 - 2);
        if (launch->type->type == KN_CHANNEL_FLOAT)
            memcpy(&bits, &real, sizeof bits);
        if (launch->type->type == KN_CHANNEL_HALF) // of an exponent up to 2^0
            bits = bits % 5 ? (bits & 0x83ff) | (bits >> 12) % 16 << 10 : bits & 0x83ff;
        memcpy(to, &bits, (size_t)launch->type->bytes);
    }
}

// The middle of an eighth of a texel; within the image where there is no addressing.
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
        size_t texel = (n * 37 + 5) % total; // 37 is prime to every total
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
    // Who writes the same texel writes the same.
    for (size_t n = 0; n < ITEMS; n++)
        memcpy(launch->given.values[n], launch->given.values[n % texels_of(&kinds[launch->given.kind])],
               sizeof launch->given.values[n]);
}

// A launch of "STEMfamily_kind", if there is such a kernel.
static struct launch *add_launch(const char *stem, const char *family, kn_image_kind kind,
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
    for (size_t s = 0; s < KN_COUNT(samplers); s++) {
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

// Writes outside the image: OpenCL leaves them undefined, the rewritten program drops them.
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
    for (size_t o = 0; o < KN_COUNT(orders); o++)
        for (size_t t = 0; t < KN_COUNT(types); t++)
            add_format(KN_IMAGE_2D, orders[o], &types[t]);
    for (kn_image_kind kind = KN_IMAGE_1D; kind <= KN_IMAGE_3D; kind++) {
        for (size_t t = 0; t < KN_COUNT(types) && kind != KN_IMAGE_2D; t++)
            add_format(kind, orders[t % 3], &types[t]);
        add_outside(kind);
    }
    add_launch("wired", "", KN_IMAGE_2D, KN_ORDER_RGBA, &types[5], KN_SAMPLER_NEAREST | KN_SAMPLER_EDGE);
    add_launch("wired", "", KN_IMAGE_2D, KN_ORDER_RGBA, &types[5], KN_SAMPLER_NEAREST | KN_SAMPLER_CLAMP);
    add_launch("constant", "", KN_IMAGE_2D, KN_ORDER_RGBA, &types[5], KN_SAMPLER_NEAREST | KN_SAMPLER_EDGE);
}

// ---- as C++

static void write_program(const char *path, const struct src_cuda *cuda)
{
    static const char runner[] =
        "#line 1 \"test_images\"\n"
        "#include \"shim_run.h\"\n"
        "struct any_image { kn::kn_image_data data; template <int K, bool W> operator kn::kn_image<K, W>() "
        "const { "
        "return {data}; } };\n"
        "struct given { unsigned kernel, kind, order, type, texel_bytes, sampler, width, height, depth, "
        "bytes; "
        "float at[items][4]; unsigned values[items][4]; unsigned char texels[most]; };\n"
        "static given g;\n"
        "typedef void call(const any_image &, kn::sampler_t, const kn::float4 *, kn::uint4 *, const "
        "kn::kn_item &);\n";
    static const char rest[] =
        "int main(int, char **argv)\n"
        "{\n"
        "    FILE *in = fopen(argv[1], \"rb\"), *out = fopen(argv[2], \"wb\");\n"
        "    size_t global[3] = {items, 1, 1}, local[3] = {1, 1, 1};\n"
        "    while (fread(&g, sizeof g, 1, in) == 1) {\n"
        "        any_image image = {};\n"
        "        image.data.surface = (unsigned long long)g.texels;\n"
        "        image.data.width = g.width, image.data.height = g.height, image.data.depth = g.depth;\n"
        "        image.data.order = g.order, image.data.type = g.type, image.data.texel_bytes = "
        "g.texel_bytes;\n"
        "        alignas(16) static kn::float4 at[items];\n"
        "        alignas(16) static kn::uint4 values[items];\n"
        "        memcpy(at, g.at, sizeof at), memcpy(values, g.values, sizeof values);\n"
        "        shim_run([&](const kn::kn_item &me) { calls[g.kernel](image, (kn::sampler_t)g.sampler, at, "
        "values, "
        "me); }, global, local);\n"
        "        if (!fwrite(values, sizeof values, 1, out) || !fwrite(g.texels, sizeof g.texels, 1, out))\n"
        "            return 1;\n"
        "    }\n"
        "    return fclose(out);\n"
        "}\n";
    FILE *file = fopen(path, "w");

    ck_assert_ptr_nonnull(file);
    fprintf(file, "#include \"shim.h\"\n%s\nenum { items = %d, most = %d };\n%s", cuda->text, ITEMS,
            MOST_BYTES, runner);
    fputs("static call *const calls[] = {\n", file);
    for (size_t k = 0; k < unit->kernel_count; k++)
        fprintf(file,
                "    [](const any_image &i, kn::sampler_t s, const kn::float4 *at, kn::uint4 *out, const "
                "kn::kn_item "
                "&me) { kn::program::koine_%s(i, s, at, out, me); },\n",
                unit->kernels[k].name);
    fprintf(file, "};\n%s", rest);
    ck_assert_int_eq(fclose(file), 0);
}

static const char *compiler(void)
{
    const char *given = getenv("CXX");

    return given && *given ? given : "c++";
}

static struct result *run_on_host(const struct src_cuda *cuda)
{
    struct result *results = malloc(launch_count * sizeof *results);
    const char *source = getenv("srcdir");
    char *folder = test_folder(), command[10000], path[4200];
    FILE *file;

    ck_assert_ptr_nonnull(results);
    snprintf(path, sizeof path, "%s/program.cpp", folder);
    write_program(path, cuda);
    snprintf(path, sizeof path, "%s/in", folder);
    file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    for (size_t i = 0; i < launch_count; i++)
        ck_assert_uint_eq(fwrite(&launches[i].given, sizeof launches[i].given, 1, file), 1);
    ck_assert_int_eq(fclose(file), 0);
    snprintf(command, sizeof command,
             "cd '%s' && %s -std=gnu++17 -O1 -w -fno-strict-aliasing -frounding-math -ffp-contract=off "
             "-I'%s/tests/shim' -o program program.cpp >&2 && ./program in out",
             folder, compiler(), source ? source : ".");
    ck_assert_msg(system(command) == 0, "does not compile or run as C++ (left in %s)", folder);
    snprintf(path, sizeof path, "%s/out", folder);
    file = fopen(path, "rb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fread(results, sizeof *results, launch_count, file), launch_count);
    fclose(file);
    test_remove(folder);
    return results;
}

// ---- on the device

static bool has_format(const struct launch *launch)
{
    kn_image_format format = {launch->given.order, launch->given.type};
    const size_t *size = kinds[launch->given.kind].size;
    kn_image *image = NULL;
    kn_status status =
        kn_image_create(context, launch->given.kind, format, size[0], size[1], size[2], &image, &err);

    kn_image_free(image);
    return status != KN_ERROR_UNSUPPORTED;
}

// False if the device has no images of this format.
static bool run_on_device(kn_program *program, const struct launch *launch, struct result *result)
{
    kn_range range = {.dims = 1, .global = {ITEMS}, .local = {64}};
    kn_image_format format = {launch->given.order, launch->given.type};
    const size_t *size = kinds[launch->given.kind].size;
    kn_buffer *at, *values;
    kn_kernel *kernel;
    kn_image *image = NULL;
    kn_status status =
        kn_image_create(context, launch->given.kind, format, size[0], size[1], size[2], &image, &err);

    if (status == KN_ERROR_UNSUPPORTED)
        return false;
    ck_assert_msg(!status, "%s", err.text);
    at = test_upload_with_room(launch->given.at, sizeof launch->given.at, 0);
    values = test_upload_with_room(launch->given.values, sizeof launch->given.values, 0);
    EXPECT_OK(kn_image_write(queue, image, NULL, launch->given.texels, 0, &err));
    EXPECT_OK(kn_program_kernel(program, unit->kernels[launch->given.kernel].name, &kernel, &err));
    kn_arg args[] = {KN_IMAGE(image), KN_SAMPLER(launch->given.sampler), KN_BUFFER(at), KN_BUFFER(values)};
    EXPECT_OK(kn_launch(queue, kernel, &range, args, KN_COUNT(args), NULL, &err));
    EXPECT_OK(kn_buffer_read(queue, values, 0, result->values, sizeof result->values, &err));
    EXPECT_OK(kn_image_read(queue, image, NULL, result->texels, 0, &err));
    kn_image_free(image);
    kn_buffer_free(at);
    kn_buffer_free(values);
    return true;
}

// ---- the comparison

static double bound_of(const struct launch *launch, double value)
{
    const struct kind *kind = &kinds[launch->given.kind];
    double range = launch->type->normalised ? 2 : 4, conversion = launch->type->normalised ? 3 * 0x1p-24 : 0,
           weight = 0;

    if (strncmp(unit->kernels[launch->given.kernel].name, "constant", 8) == 0)
        return 8 * range * 0x1p-24; // a sum of three
    if (!(launch->given.sampler & KN_SAMPLER_LINEAR))
        return conversion * 2 * fabs(value);
    for (int d = 0; d < kind->dims; d++)
        weight +=
            kn_context_device(context)->type == KN_DEVICE_CPU ? 4 * (double)kind->size[d] * 0x1p-23 : 0x1p-8;
    return weight * range + (conversion + (1 << kind->dims) * 0x1p-23) * range;
}

static bool agrees(const struct launch *launch, uint32_t device, uint32_t host)
{
    float a, b;

    if (device == host)
        return true;
    if (*launch->type->family != 'f' || strncmp(unit->kernels[launch->given.kernel].name, "queries", 7) == 0)
        return false;
    memcpy(&a, &device, sizeof a);
    memcpy(&b, &host, sizeof b);
    return fabs((double)a - (double)b) <= bound_of(launch, (double)b);
}

static bool compare(const struct launch *launch, const struct result *device, const struct result *host,
                    bool say)
{
    const char *name = unit->kernels[launch->given.kernel].name;

    for (size_t i = 0; i < ITEMS * 4; i++)
        if (!agrees(launch, device->values[i / 4][i % 4], host->values[i / 4][i % 4])) {
            const float *at = launch->given.at[i / 4];
            float a, b;
            memcpy(&a, &device->values[i / 4][i % 4], sizeof a);
            memcpy(&b, &host->values[i / 4][i % 4], sizeof b);
            if (say)
                fprintf(stderr,
                        "%s, order 0x%x, type 0x%x, sampler 0x%x: at (%g, %g, %g), component %zu: device "
                        "0x%08x (%.9g), "
                        "rewritten 0x%08x (%.9g)\n",
                        name, launch->given.order, launch->given.type, launch->given.sampler, (double)at[0],
                        (double)at[1], (double)at[2], i % 4, device->values[i / 4][i % 4], (double)a,
                        host->values[i / 4][i % 4], (double)b);
            return false;
        }
    for (size_t i = 0; i < launch->given.bytes; i++)
        if (device->texels[i] != host->texels[i]) {
            if (say)
                fprintf(stderr,
                        "%s, order 0x%x, type 0x%x: byte %zu of the image: device 0x%02x, rewritten 0x%02x\n",
                        name, launch->given.order, launch->given.type, i, device->texels[i], host->texels[i]);
            return false;
        }
    return true;
}

#define POCL "Portable Computing Language"

// What a platform is known to do otherwise than OpenCL 1.2 asks.
static bool has_opaque_border(const struct launch *launch)
{
    return (launch->given.sampler & 14) == KN_SAMPLER_CLAMP &&
           (launch->given.order == KN_ORDER_R || launch->given.order == KN_ORDER_RG ||
            launch->given.order == KN_ORDER_LUMINANCE);
}

static bool is_whole_without_alpha(const struct launch *launch)
{
    return *launch->type->family != 'f' &&
           (launch->given.order == KN_ORDER_R || launch->given.order == KN_ORDER_RG);
}

static bool is_normalised_array(const struct launch *launch)
{
    return kinds[launch->given.kind].has_layers && launch->given.sampler & KN_SAMPLER_NORMALIZED;
}

static bool is_half(const struct launch *launch)
{
    return launch->given.type == KN_CHANNEL_HALF;
}

static const struct fault {
    const char *platform, *what;
    bool (*applies)(const struct launch *launch);
} faults[] = {
    {POCL, "the border of R, RG and LUMINANCE has alpha 0", has_opaque_border},
    {POCL, "integers of R and RG have alpha 0", is_whole_without_alpha},
    {POCL, "an array's layer is taken for a normalised coordinate too", is_normalised_array},
    {POCL, "half is read and written wrong", is_half},
};

static const struct fault *fault_of(const struct launch *launch)
{
    for (size_t i = 0; i < KN_COUNT(faults); i++)
        if (strcmp(faults[i].platform, kn_context_device(context)->platform) == 0 &&
            faults[i].applies(launch))
            return &faults[i];
    return NULL;
}

// ---- in plain C: reads without a sampler, of the formats that the device has not or has wrong

static double channel_of(const struct launch *launch, const unsigned char *texel, int i)
{
    const int bytes = launch->type->bytes;
    uint32_t bits = 0;
    int32_t whole;
    float real;

    memcpy(&bits, texel + i * bytes, (size_t)bytes);
    whole = (int32_t)(bits << (32 - 8 * bytes)) >> (32 - 8 * bytes);
    switch (launch->given.type) {
    case KN_CHANNEL_FLOAT:
        memcpy(&real, &bits, sizeof real);
        return (double)real;
    case KN_CHANNEL_HALF:
        real = (float)ldexp(bits & 0x7c00 ? (bits & 0x3ff) | 0x400 : bits & 0x3ff,
                            (bits & 0x7c00 ? (int)(bits >> 10 & 31) : 1) - 25);
        return bits & 0x8000 ? -(double)real : (double)real;
    case KN_CHANNEL_SNORM8:
    case KN_CHANNEL_SNORM16:
        return fmax(whole / (bytes == 1 ? 127.0 : 32767.0), -1);
    case KN_CHANNEL_UNORM8:
    case KN_CHANNEL_UNORM16:
        return bits / (bytes == 1 ? 255.0 : 65535.0);
    default:
        return *launch->type->family == 'i' ? (double)whole : (double)bits;
    }
}

// Which channel each component is; 4 is zero, 5 one (table of 6.12.14.7).
static const struct {
    kn_channel_order order;
    int channels[4];
} components[] = {
    {KN_ORDER_R, {0, 4, 4, 5}},    {KN_ORDER_A, {4, 4, 4, 0}},         {KN_ORDER_RG, {0, 1, 4, 5}},
    {KN_ORDER_RA, {0, 4, 4, 1}},   {KN_ORDER_RGBA, {0, 1, 2, 3}},      {KN_ORDER_BGRA, {2, 1, 0, 3}},
    {KN_ORDER_ARGB, {1, 2, 3, 0}}, {KN_ORDER_INTENSITY, {0, 0, 0, 0}}, {KN_ORDER_LUMINANCE, {0, 0, 0, 5}},
};

static void read_plainly(const struct launch *launch, struct result *result)
{
    memcpy(result->texels, launch->given.texels, sizeof result->texels);
    for (size_t n = 0; n < ITEMS; n++) {
        const float *at = launch->given.at[n];
        size_t row = kinds[launch->given.kind].dims > 1 ? (size_t)at[1] : 0;
        size_t slice = kinds[launch->given.kind].dims > 1 ? (size_t)at[2] : (size_t)at[1];
        const unsigned char *texel =
            launch->given.texels +
            ((slice * launch->given.height + row) * launch->given.width + (size_t)at[0]) *
                launch->given.texel_bytes;
        for (size_t o = 0; o < KN_COUNT(components); o++)
            for (int c = 0; c < 4 && components[o].order == launch->given.order; c++) {
                int channel = components[o].channels[c];
                double value = channel > 3 ? channel - 4 : channel_of(launch, texel, channel);
                float real = (float)value;
                result->values[n][c] = (uint32_t)(int64_t)value;
                if (*launch->type->family == 'f')
                    memcpy(&result->values[n][c], &real, sizeof real);
            }
    }
}

static void compare_all(kn_program *program, const struct result *host)
{
    static struct result device;
    size_t compared = 0, unsupported = 0, failures = 0, faulty[KN_COUNT(faults)] = {0};

    for (size_t i = 0; i < launch_count; i++) {
        const struct launch *launch = &launches[i];
        const struct fault *fault = fault_of(launch);
        bool same;

        if (launch->host_only) {
            memcpy(device.values, launch->given.values, sizeof device.values);
            memcpy(device.texels, launch->given.texels, sizeof device.texels);
        } else if (strncmp(unit->kernels[launch->given.kernel].name, "plain", 5) == 0 &&
                   (fault || !has_format(launch))) {
            read_plainly(launch, &device);
            fault = NULL;
        } else if (!run_on_device(program, launch, &device)) {
            unsupported++;
            continue;
        }
        same = compare(launch, &device, &host[i], !fault && failures < 40);
        if (fault)
            faulty[fault - faults] += !same;
        else
            failures += !same;
        compared++;
    }
    for (size_t i = 0; i < KN_COUNT(faults); i++)
        if (faulty[i])
            fprintf(stderr, "%s: %s: %zu launches\n", faults[i].platform, faults[i].what, faulty[i]);
    fprintf(stderr, "%zu launches compared, %zu of formats that the device does not have\n", compared,
            unsupported);
    ck_assert_uint_gt(compared, 0);
    ck_assert_msg(failures == 0, "%zu of %zu launches differ", failures, compared);
}

START_TEST(images)
{
    const char *folder = getenv("srcdir");
    char path[4200];
    struct src_cuda_options wanted = {.embedded = src_embedded_kernels, .host_shim = true};
    struct be_device described = {.info = *kn_context_device(context)};
    char extensions[] = "cl_khr_3d_image_writes", none[] = "";
    // PoCL 3.1 has no get_image_channel_order and _data_type of an image1d_buffer_t, and aborts for want of
    // them.
    static const kn_define lacking[] = {{"NO_BUFFER_FORMATS", "1"}};
    kn_program_options options = {.policy = KN_POLICY_STRICT,
                                  .defines = lacking,
                                  .define_count = strcmp(kn_context_device(context)->platform, POCL) == 0};
    struct target target;
    struct src_unit *read;
    struct src_cuda *cuda;
    struct result *host;
    kn_program *program;

    described.extensions = strstr(context->device.extensions, extensions) ? extensions : none;
    snprintf(path, sizeof path, "%s/tests/conformance/images.cl", folder ? folder : ".");
    EXPECT_OK(target_describe(&described, &options, &target, &err));
    EXPECT_OK(src_read(path, NULL, &target.source, &read, &err));
    unit = read;
    EXPECT_OK(kn_program_from_file(context, path, &options, &program, &err));
    EXPECT_OK(src_cuda(unit, &target.source, &wanted, &cuda, &err));
    make_launches();
    host = run_on_host(cuda);
    compare_all(program, host);
    kn_program_free(program);
    src_cuda_free(cuda);
    src_free(read);
    target_free(&target);
    free(launches);
    free(host);
}
END_TEST

// A device with images, and a C++ compiler; asked in a child (device_support.h).
static bool can_run(void)
{
    char command[4200];
    int status = 0;
    pid_t child;

    snprintf(command, sizeof command, "%s --version >/dev/null 2>&1", compiler());
    if (system(command) != 0) {
        fprintf(stderr, "skipped: no C++ compiler (%s)\n", compiler());
        return false;
    }
    child = fork();
    if (child == 0) {
        kn_context *found = NULL;
        bool has_images = kn_context_open(NULL, &found, NULL) != KN_OK || kn_context_device(found)->images;

        if (!has_images)
            fprintf(stderr, "skipped: %s has no images\n", kn_context_device(found)->name);
        _exit(has_images ? 0 : 77);
    }
    return child < 0 || waitpid(child, &status, 0) < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 77;
}

int main(void)
{
    const TTest *const tests[] = {images};

    return can_run() ? test_run("images", tests, KN_COUNT(tests), test_open, test_close) : 77;
}
