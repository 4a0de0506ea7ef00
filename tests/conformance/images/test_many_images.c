// SPDX-License-Identifier: Apache-2.0
// More images than CUDA passes by value (images/many_images.cl), and few: on the device and, rewritten, over
// tests/shim, compared with the expected values.
#include "conformance/host_program.h"

#include "base/array.h"

enum { MANY = 112, ITEMS = 64, SHORTAGE = ITEMS - 3, WORDS = 1000 };

static const kn_image_format format = {KN_ORDER_RGBA, KN_CHANNEL_UNSIGNED32};

// The results of the kernels, in order, and the texels that `many` writes to its image.
struct results {
    uint32_t many[2 * ITEMS], written[ITEMS], few[ITEMS], words[ITEMS];
};

static uint32_t width_of(uint32_t image)
{
    return 1 + image % 5;
}

static uint32_t added(uint32_t image, uint32_t x)
{
    return (image + 1) * (1000 * image + x % width_of(image));
}

static uint32_t sized(uint32_t image)
{
    return width_of(image) << (image & 3);
}

static void expect(struct results *expected)
{
    memset(expected, 0, sizeof *expected);
    for (uint32_t x = 0; x < ITEMS; x++) {
        uint32_t sum = 0, sizes = 0;
        for (uint32_t n = 0; n < MANY; n++)
            sum += added(n, x), sizes += sized(n);
        if (x < SHORTAGE) {
            expected->many[x] = sum, expected->many[SHORTAGE + x] = sizes;
            expected->written[x] = x + sizes;
        }
        expected->few[x] = added(0x07, x) + sized(0x07) + added(0x10, x) + sized(0x10);
        expected->words[x] = added(0x03, x) + sized(0x03) + 3 * x;
    }
}

static void compare(const struct results *found, const char *where)
{
    struct results expected;
    const uint32_t *wanted = (const uint32_t *)&expected, *words = (const uint32_t *)found;

    expect(&expected);
    for (size_t i = 0; i < sizeof expected / 4; i++)
        ck_assert_msg(words[i] == wanted[i], "%s: word %zu is %u, expected %u", where, i, words[i],
                      wanted[i]);
}

// ---- on the device

static kn_image *open_image(uint32_t number, uint32_t width, bool filled)
{
    uint32_t texels[ITEMS][4] = {{0}};
    kn_image *image = NULL;

    for (uint32_t x = 0; x < width && filled; x++)
        texels[x][0] = 1000 * number + x;
    EXPECT_OK(kn_image_create(context, KN_IMAGE_2D, format, width, 1, 1, &image, &err));
    EXPECT_OK(kn_image_write(queue, image, NULL, texels, 0, &err));
    return image;
}

static void run(kn_program *program, const char *name, const kn_arg *args, size_t count)
{
    const kn_range range = {.dims = 1, .global = {ITEMS}, .local = {ITEMS}};
    kn_kernel *kernel;

    EXPECT_OK(kn_program_get_kernel(program, name, &kernel, &err));
    EXPECT_OK(kn_launch(queue, kernel, &range, args, count, NULL, &err));
}

// Its argument of 4,000 bytes is more than OpenCL guarantees.
static void run_beside_words(kn_program *program, kn_image *image, kn_buffer *out, uint32_t found[ITEMS])
{
    static uint32_t words[WORDS];
    struct results expected;

    for (uint32_t i = 0; i < WORDS; i++)
        words[i] = 3 * i;
    if (kn_context_get_device(context)->max_argument_bytes >= sizeof words + 2 * sizeof(void *)) {
        run(program, "beside_words",
            (const kn_arg[]){KN_IMAGE(image), KN_VALUE_AT(words, sizeof words), KN_BUFFER(out)}, 3);
        EXPECT_OK(kn_buffer_read(queue, out, 0, found, ITEMS * sizeof *found, &err));
    } else {
        fprintf(stderr, "beside_words is not run: the device passes only %llu bytes of arguments\n",
                (unsigned long long)kn_context_get_device(context)->max_argument_bytes);
        expect(&expected);
        memcpy(found, expected.words, sizeof expected.words);
    }
}

START_TEST(on_device)
{
    static struct results found;
    static uint32_t written[ITEMS][4];
    const uint32_t count = SHORTAGE;
    kn_program *program = NULL;
    kn_buffer *out;
    kn_image *images[MANY], *to = open_image(0, ITEMS, false);
    kn_arg args[MANY + 4];

    for (uint32_t n = 0; n < MANY; n++) {
        images[n] = open_image(n, width_of(n), true);
        args[n] = KN_IMAGE(images[n]);
    }
    out = test_upload_with_room(found.many, sizeof found.many, 0);
    args[MANY] = KN_BUFFER(out), args[MANY + 1] = KN_IMAGE(to);
    args[MANY + 2] = KN_LOCAL(ITEMS * 4), args[MANY + 3] = KN_VALUE(count);
    EXPECT_OK(kn_program_from_file(context, host_path("images/many_images.cl"), NULL, &program, &err));
    for (int round = 0; round < 2; round++) // the second time the images are known
        run(program, "many", args, MANY + 4);
    EXPECT_OK(kn_buffer_read(queue, out, 0, found.many, sizeof found.many, &err));
    EXPECT_OK(kn_image_read(queue, to, NULL, written, 0, &err));
    run(program, "few", (const kn_arg[]){KN_IMAGE(images[7]), KN_BUFFER(out), KN_IMAGE(images[16])}, 3);
    EXPECT_OK(kn_buffer_read(queue, out, 0, found.few, sizeof found.few, &err));
    run_beside_words(program, images[3], out, found.words);
    for (size_t x = 0; x < ITEMS; x++)
        found.written[x] = written[x][0];
    compare(&found, "on the device");
    for (size_t n = 0; n < MANY; n++)
        kn_image_free(images[n]);
    kn_image_free(to);
    kn_buffer_free(out);
    kn_program_free(program);
}
END_TEST

// ---- over the shim

static const char main_text[] =
    "#include <utility>\n"
    "enum { many = 112, items = 64, shortage = 61 };\n"
    "typedef kn::kn_bare<kn::image2d_t> image;\n"
    "typedef kn::kn_bare<kn::kn_written_image2d_t> written_image;\n"
    "static unsigned texels[many + 1][items][4], out[2 * items];\n"
    "static image images[many];\n"
    "static written_image to;\n"
    "template <class I> static I &describe(I &image, int n, int width)\n"
    "{\n"
    "    image.surface = (unsigned long long)texels[n], image.width = width, image.height = image.depth = "
    "1;\n"
    "    image.order = CLK_RGBA, image.type = CLK_UNSIGNED_INT32, image.texel_bytes = 16;\n"
    "    return image;\n"
    "}\n"
    "template <size_t... I> static void call_many(const kn::kn_item &me, std::index_sequence<I...>)\n"
    "{\n"
    "    kn::program::koine_many(&images[I]..., out, &to, 0, shortage, me);\n"
    "}\n"
    "int main(int, char **argv)\n"
    "{\n"
    "    size_t size[3] = {items, 1, 1};\n"
    "    FILE *file = fopen(argv[1], \"wb\");\n"
    "    kn::program::many_words words;\n"
    "    for (unsigned i = 0; i < 1000; i++)\n"
    "        words.word[i] = 3 * i;\n"
    "    for (int n = 0; n < many; n++) {\n"
    "        describe(images[n], n, 1 + n % 5);\n"
    "        for (int x = 0; x < images[n].width; x++)\n"
    "            texels[n][x][0] = 1000 * n + x;\n"
    "    }\n"
    "    describe(to, many, items);\n"
    "    shim_run([](const kn::kn_item &me) { call_many(me, std::make_index_sequence<many>()); }, size, "
    "size,\n"
    "             nullptr, 4 * items);\n"
    "    fwrite(out, sizeof out, 1, file);\n"
    "    for (int x = 0; x < items; x++)\n"
    "        fwrite(texels[many][x], 4, 1, file);\n"
    "    shim_run([](const kn::kn_item &me) { kn::program::koine_few(images[7], out, images[16], me); }, "
    "size, size);\n"
    "    fwrite(out, 4, items, file);\n"
    "    shim_run([&](const kn::kn_item &me) { kn::program::koine_beside_words(&images[3], words, out, me); "
    "},\n"
    "             size, size);\n"
    "    fwrite(out, 4, items, file);\n"
    "    return fclose(file);\n"
    "}\n";

START_TEST(over_the_shim)
{
    char *folder = test_folder(), path[4200];
    struct src_cuda *cuda = host_rewrite(host_path("images/many_images.cl"), NULL);
    struct results found;
    FILE *file;

    ck_assert(cuda->kernels[0].image_addresses && !cuda->kernels[1].image_addresses &&
              cuda->kernels[2].image_addresses);
    host_build(folder, cuda->text, main_text);
    host_run(folder, "out");
    snprintf(path, sizeof path, "%s/out", folder);
    file = fopen(path, "rb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fread(&found, 1, sizeof found, file), sizeof found);
    fclose(file);
    compare(&found, "over the shim");
    ki_src_cuda_free(cuda);
    test_remove(folder);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("many_images");
    TCase *tcase = tcase_create("many_images");
    SRunner *runner = srunner_create(suite);

    tcase_set_timeout(tcase, 120);
    tcase_add_checked_fixture(tcase, test_open, test_close);
    tcase_add_test(tcase, on_device);
    if (host_has_compiler())
        tcase_add_test(tcase, over_the_shim);
    else if (test_require("c++"))
        return EXIT_FAILURE;
    suite_add_tcase(suite, tcase);
    if (!test_finds_device() || !host_has_images()) {
        srunner_free(runner);
        return 77;
    }
    return host_run_tests(runner) ? EXIT_FAILURE : EXIT_SUCCESS;
}
