// SPDX-License-Identifier: Apache-2.0
// Tests images of the CUDA backend with the fake driver: what a kernel receives, and a size that the driver
// refuses.
#include "cuda_open.h"

#include "backend/cuda/cuda_image.h"
#include "base/array.h"

static const kn_param image_params[] = {{KN_PARAM_IMAGE, "image2d_t", 0, "image", 1},
                                        {KN_PARAM_SAMPLER, "sampler_t", 0, "how", 0}};
static const kn_source_kernel sampled = {"sampled", image_params, 2, NULL, {0, 0, 0}, "a.cl", 1, {0, false}};

// The number that the fake driver gives a texture: its addressing, filter and flags.
static CUtexObject texture(unsigned address, unsigned filter, unsigned flags)
{
    return 1 + address + 4 * filter + 8 * flags;
}

START_TEST(images)
{
    static const struct be_image_shape shapes[] = {
        {KN_IMAGE_2D, {KN_ORDER_BGRA, KN_CHANNEL_UNORM8}, {13, 7, 1}, 4},
        {KN_IMAGE_2D, {KN_ORDER_RG, KN_CHANNEL_SIGNED16}, {13, 7, 1}, 4}};
    static const unsigned modes[] = {CU_TR_ADDRESS_MODE_CLAMP, CU_TR_ADDRESS_MODE_BORDER,
                                     CU_TR_ADDRESS_MODE_WRAP, CU_TR_ADDRESS_MODE_MIRROR};
    struct be_program *program = program_of("//kernel koine_sampled 128 4 64\n");
    struct be_kernel *kernel = kernel_of(program, &sampled);
    const struct be_range range = {1, {0, 0, 0}, {64, 1, 1}, {64, 1, 1}};

    for (unsigned whole = 0; whole < 2; whole++) {
        struct be_image *image = NULL;
        struct cuda_image_data data;
        unsigned bits = 0;
        expect_ok(cuda->image_create(context, &shapes[whole], &image, &err));
        const struct be_arg args[] = {{BE_ARG_IMAGE, NULL, NULL, 0, image, 0},
                                      {BE_ARG_SAMPLER, NULL, NULL, 0, NULL, 0x27}};
        expect_ok(cuda->launch(queue, kernel, &range, args, KI_COUNT(args), NULL, &err));
        memcpy(&data, driver->last.params[0], sizeof data);
        memcpy(&bits, driver->last.params[1], sizeof bits);
        ck_assert_uint_eq(bits, 0x27);
        ck_assert_int_eq(data.width, 13);
        ck_assert_int_eq(data.height, 7);
        ck_assert_int_eq(data.depth, 1);
        ck_assert_int_eq(data.order, (int)shapes[whole].format.order);
        ck_assert_int_eq(data.type, (int)shapes[whole].format.type);
        ck_assert_int_eq(data.texel_bytes, 4);
        ck_assert_uint_ne(data.surface, 0);
        for (unsigned filter = 0; filter < 2; filter++) { // integers are never filtered
            for (unsigned m = 0; m < 2; m++)
                ck_assert_uint_eq(data.textures[2 * filter + m], texture(modes[m], filter & !whole, whole));
            for (unsigned m = 0; m < 4; m++)
                ck_assert_uint_eq(data.textures[4 + 4 * filter + m],
                                  texture(modes[m], filter & !whole, 2 + whole));
        }
        cuda->image_free(image);
    }
    cuda->kernel_free(kernel);
    cuda->program_free(program);
}
END_TEST

// More images than a launch passes by value: each has one copy on the device, which is found again at the
// next launch, on any queue.
START_TEST(images_by_address)
{
    enum { MANY = 40 };
    static const struct be_image_shape shapes[] = {
        {KN_IMAGE_2D, {KN_ORDER_R, KN_CHANNEL_UNSIGNED32}, {13, 7, 1}, 4},
        {KN_IMAGE_1D_BUFFER, {KN_ORDER_R, KN_CHANNEL_FLOAT}, {4, 1, 1}, 4}};
    static kn_param many_params[MANY];
    static kn_source_kernel many = {"many", many_params, MANY, NULL, {0, 0, 0}, "a.cl", 1, {0, true}};
    const struct be_range range = {1, {0, 0, 0}, {64, 1, 1}, {64, 1, 1}};
    struct be_image *both[2] = {NULL, NULL};
    const void *addresses[2] = {NULL, NULL};
    struct be_arg args[MANY];
    char text[600] = "//kernel koine_many";
    struct be_program *program;
    struct be_kernel *kernel;
    struct be_queue *other;

    for (int i = 0; i < 2; i++)
        expect_ok(cuda->image_create(context, &shapes[i], &both[i], &err));
    for (int i = 0; i < MANY; i++) {
        many_params[i] = image_params[0];
        args[i] = (struct be_arg){BE_ARG_IMAGE, NULL, NULL, 0, both[i % 2], 0};
        strcat(text, " 8");
    }
    strcat(text, " 64\n");
    program = program_of(text);
    kernel = kernel_of(program, &many);
    expect_ok(cuda->queue_open(context, &other, &err));
    for (int launch = 0; launch < 2; launch++) {
        long before = driver->objects;
        expect_ok(cuda->launch(launch ? other : queue, kernel, &range, args, MANY, NULL, &err));
        ck_assert_int_eq(driver->objects - before, launch ? 0 : 2); // a copy of each image, once
        for (int i = 0; i < MANY; i++) {
            const void *address;
            memcpy(&address, driver->last.params[i], sizeof address);
            ck_assert_mem_eq(address, &both[i % 2]->data, sizeof both[0]->data);
            addresses[i % 2] = launch || i >= 2 ? addresses[i % 2] : address;
            ck_assert_ptr_eq(address, addresses[i % 2]);
        }
    }
    ck_assert_ptr_ne(addresses[0], addresses[1]);
    cuda->queue_close(other);
    cuda->kernel_free(kernel);
    cuda->program_free(program);
    cuda->image_free(both[0]);
    cuda->image_free(both[1]);
}
END_TEST

START_TEST(too_large_an_image)
{
    const struct be_image_shape wide = {KN_IMAGE_1D, {KN_ORDER_R, KN_CHANNEL_UNORM8}, {1 << 20, 1, 1}, 1};
    struct be_image *image = NULL;

    expect_failure(cuda->image_create(context, &wide, &image, &err), KN_ERROR_LIMIT, &err,
                   "cuda:0|1048576 x 1 x 1|no images of this size");
    ck_assert_ptr_null(image);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {images, images_by_address, too_large_an_image};

    return TEST_RUN_WITH("cuda_images", CK_FORK, set_up, tear_down, tests);
}
