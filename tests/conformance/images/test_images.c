// SPDX-License-Identifier: Apache-2.0
// Images on the device and, rewritten for CUDA, over the software sampler of tests/shim (the formulas of
// section 8.2) must give the same texels. images/images.cl has the kernels: an image, a sampler, a coordinate
// for each work-item, and the value that is read there, or that is written.
//
// Bounds. The choice of the texel, integers, half and float are exact; coordinates keep a distance of 1/16 of
// a texel from the edges between texels. Normalised formats: 1.5 ulp for the conversion (8.3.1.1) on each
// side: 3. Half is written with rounding to nearest even or to zero (8.3.2). Filtered: the specification
// leaves the precision open. PoCL computes in float: u has two roundings of numbers up to 4 sizes, so the
// error of a weight is 4 * size * 2^-23 for each axis, and the sum of 2^dims products has that many
// roundings. A texture unit, and software that imitates one (llvmpipe), keeps 8 bits of a weight's fraction
// (CUDA C++ Programming Guide, "Linear Filtering"): the error of a weight is 2^-8 for each axis, and that of
// the result is this times the largest difference between texels.
#include <math.h>

#include "conformance/expanded.h"
#include "conformance/host_program.h"
#include "image_launches.h"
#include "image_plain.h"

#define POCL   "Portable Computing Language"
#define NVIDIA "NVIDIA CUDA"

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
             folder, host_compiler(), source ? source : ".");
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
    EXPECT_OK(kn_program_get_kernel(program, unit->kernels[launch->given.kernel].name, &kernel, &err));
    kn_arg args[] = {KN_IMAGE(image), KN_SAMPLER(launch->given.sampler), KN_BUFFER(at), KN_BUFFER(values)};
    EXPECT_OK(kn_launch(queue, kernel, &range, args, KI_COUNT(args), NULL, &err));
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
        weight += strcmp(kn_context_get_device(context)->platform, POCL) == 0
                      ? 4 * (double)kind->size[d] * 0x1p-23
                      : 0x1p-8;
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

static size_t clamped;

static bool clamps_first(void)
{
    const char *platform = kn_context_get_device(context)->platform;

    return strcmp(platform, NVIDIA) == 0 || strcmp(platform, "rusticl") == 0;
}

// After a write to a normalised channel, another rounding than to the nearest is allowed, with an error of
// 0.6 (8.3.1.1).
static bool may_be_rounded(const struct launch *launch, const struct result *device, size_t byte)
{
    const size_t bytes = (size_t)launch->type->bytes, channel = byte % launch->given.texel_bytes / bytes;
    uint32_t bits = 0;
    double exact, found;

    if (!launch->type->normalised || strncmp(unit->kernels[launch->given.kernel].name, "write", 5) != 0 ||
        !written_to(launch, byte / launch->given.texel_bytes, (int)channel, &exact))
        return false;
    memcpy(&bits, device->texels + byte / bytes * bytes, bytes);
    found = bits;
    if (is_signed(launch))
        found = (int32_t)(bits << (32 - 8 * bytes)) >> (32 - 8 * bytes);
    // convert_char_sat_rte gives -128 for every value below -1; NVIDIA and Mesa clamp to -1 first, which
    // gives -127. Both are read as -1.
    if (exact < -greatest(launch) && clamps_first() && found == -greatest(launch)) {
        clamped++;
        return true;
    }
    return fabs(found - exact) <= 0.6;
}

// Whether a byte of the image may differ from the device's in this way. The shim rounds half to nearest;
// rounding to zero gives the same or one less.
static bool may_be_texel(const struct launch *launch, const struct result *device, const struct result *host,
                         size_t byte)
{
    uint16_t a, b;

    if (launch->given.type != KN_CHANNEL_HALF)
        return device->texels[byte] == host->texels[byte] || may_be_rounded(launch, device, byte);
    memcpy(&a, device->texels + byte / 2 * 2, sizeof a);
    memcpy(&b, host->texels + byte / 2 * 2, sizeof b);
    return a == b || a + 1 == b;
}

// Compares the first `count` components of every value, and the image.
static bool compare(const struct launch *launch, const struct result *device, const struct result *host,
                    size_t count, bool say)
{
    const char *name = unit->kernels[launch->given.kernel].name;

    for (size_t i = 0; i < ITEMS * 4; i++)
        if (i % 4 < count && !agrees(launch, device->values[i / 4][i % 4], host->values[i / 4][i % 4])) {
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
        if (!may_be_texel(launch, device, host, i)) {
            if (say)
                fprintf(stderr,
                        "%s, order 0x%x, type 0x%x: byte %zu of the image: device 0x%02x, rewritten 0x%02x\n",
                        name, launch->given.order, launch->given.type, i, device->texels[i], host->texels[i]);
            return false;
        }
    return true;
}

// Known deviations of platforms from OpenCL 1.2.
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

// The first row that applies counts.
static const struct fault {
    const char *platform, *what;
    size_t right; // number of components that are right nevertheless
    bool (*applies)(const struct launch *launch);
} faults[] = {
    {POCL, "half is read and written wrong", 0, is_half},
    {POCL, "an array's layer is taken for a normalised coordinate too", 0, is_normalised_array},
    {POCL, "the border of R, RG and LUMINANCE has alpha 0", 3, has_opaque_border},
    {POCL, "integers of R and RG have alpha 0", 3, is_whole_without_alpha},
};

static const struct fault *fault_of(const struct launch *launch)
{
    for (size_t i = 0; i < KI_COUNT(faults); i++)
        if (strcmp(faults[i].platform, kn_context_get_device(context)->platform) == 0 &&
            faults[i].applies(launch))
            return &faults[i];
    return NULL;
}

static void compare_all(kn_program *program, const struct result *host)
{
    static struct result device;
    size_t compared = 0, unsupported = 0, failures = 0, faulty[KI_COUNT(faults)] = {0};

    for (size_t i = 0; i < launch_count; i++) {
        const struct launch *launch = &launches[i];
        const struct fault *fault = fault_of(launch);

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
        if (fault)
            faulty[fault - faults] += !compare(launch, &device, &host[i], 4, false);
        if (!fault || fault->right)
            failures += !compare(launch, &device, &host[i], fault ? fault->right : 4, failures < 40);
        compared++;
    }
    for (size_t i = 0; i < KI_COUNT(faults); i++)
        if (faulty[i])
            fprintf(stderr, "%s: %s: %zu launches\n", faults[i].platform, faults[i].what, faulty[i]);
    if (clamped)
        fprintf(stderr, "%s: what is below -1 is written as -127 or -32767, not -128 or -32768: %zu bytes\n",
                kn_context_get_device(context)->platform, clamped);
    fprintf(stderr, "%zu launches compared, %zu of formats that the device does not have\n", compared,
            unsupported);
    ck_assert_uint_gt(compared, 0);
    ck_assert_msg(failures == 0, "%zu of %zu launches differ", failures, compared);
}

START_TEST(images)
{
    const char *path = host_path("images/images.cl");
    struct src_cuda_options wanted = {.embedded = ki_src_embedded_kernels, .host_shim = true};
    struct be_device described = {.info = *kn_context_get_device(context)};
    char extensions[] = "cl_khr_3d_image_writes", none[] = "";
    // PoCL 3.1 lacks get_image_channel_order and _data_type for an image1d_buffer_t, and aborts when they are
    // called.
    static const kn_define lacking[] = {{"NO_BUFFER_FORMATS", "1"}};
    kn_program_options options =
        KN_INIT(kn_program_options, .policy = KN_POLICY_STRICT, .defines = lacking,
                .define_count = strcmp(kn_context_get_device(context)->platform, POCL) == 0);
    struct target target;
    struct src_unit *read;
    struct src_cuda *cuda;
    struct result *host;
    kn_program *program;

    described.extensions = strstr(context->device.extensions, extensions) ? extensions : none;
    EXPECT_OK(ki_target_describe(&described, &options, &target, &err));
    EXPECT_OK(ki_src_read(path, NULL, &target.source, &read, &err));
    unit = read;
    EXPECT_OK(expanded_program(context, path, NULL, unit, &options, &program, &err));
    EXPECT_OK(ki_src_cuda(unit, &target.source, &wanted, &cuda, &err));
    make_launches();
    host = run_on_host(cuda);
    compare_all(program, host);
    kn_program_free(program);
    ki_src_cuda_free(cuda);
    ki_src_free(read);
    ki_target_free(&target);
    free(launches);
    free(host);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {images};

    return host_has_compiler() && host_has_images()
               ? test_run("images", tests, KI_COUNT(tests), test_open, test_close)
               : 77;
}
