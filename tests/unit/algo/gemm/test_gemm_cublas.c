// SPDX-License-Identifier: Apache-2.0
// Tests kn_gemm through cuBLAS, on a fake device with a fake library (tests/fake): how it is called, what
// happens without it, and its failures. On a machine with the real library, test_gemm uses that.
#include "gemm_support.h"

#include <koine/cuda.h>
#include <koine/event.h>

#include <dlfcn.h>

#include "fake/fake.h"

static char *folder; // with links to the fake libraries

static void use_fakes(const char *const *names)
{
    const char *built = getenv("builddir");

    folder = test_folder();
    for (; *names; names++) {
        char from[4096], to[4400];
        ck_assert_ptr_nonnull(realpath(built ? built : ".", from));
        snprintf(to, sizeof to, "%s/%s", folder, *names);
        snprintf(from + strlen(from), sizeof from - strlen(from), "/tests/fake/%s", *names);
        ck_assert_int_eq(symlink(from, to), 0);
    }
    setenv("KOINE_CUDA_LIBRARIES", folder, 1);
    setenv("KOINE_DEVICE", "cuda:0", 1);
    test_open();
}

static void with_cublas(void)
{
    static const char *const names[] = {"libcuda.so.1", "libnvrtc.so.13", "libcublas.so.13", NULL};

    use_fakes(names);
}

static void without_cublas(void)
{
    static const char *const names[] = {"libcuda.so.1", "libnvrtc.so.13", NULL};

    use_fakes(names);
}

static void end(void)
{
    test_close();
    test_remove(folder);
}

static const struct fake_cuda *fake_driver(void)
{
    struct fake_cuda *(*state)(void) = NULL;

    *(void **)&state = dlsym(dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD), "fake_cuda_state");
    ck_assert_ptr_nonnull(*(void **)&state);
    return state();
}

static const kn_gemm_options cublas = {.struct_size = sizeof(kn_gemm_options), .library = KN_GEMM_CUBLAS};

// 4 x 4, all ones.
static kn_gemm_task plain_task(void)
{
    float ones[16], nothing[16];
    kn_gemm_task task = KN_INIT(kn_gemm_task, .type = KN_F32, .m = 4, .n = 4, .k = 4, .alpha = {1, 0});

    for (size_t i = 0; i < KI_COUNT(ones); i++) {
        ones[i] = 1;
        nothing[i] = NAN;
    }
    task.a.buffer = test_upload_with_room(ones, sizeof ones, 0);
    task.b.buffer = test_upload_with_room(ones, sizeof ones, 0);
    task.c.buffer = test_upload_with_room(nothing, sizeof nothing, 0);
    return task;
}

static void free_task(kn_gemm_task *task)
{
    kn_buffer_free(task->a.buffer);
    kn_buffer_free(task->b.buffer);
    kn_buffer_free(task->c.buffer);
}

START_TEST(right_products)
{
    with_cublas();
    expect_transposes(&cublas, "right_products");
    expect_sizes(&cublas, "right_products");
    end();
}
END_TEST

START_TEST(it_ran)
{
    kn_profile_entry *entries = NULL;
    kn_gemm_library library = KN_GEMM_AUTO;
    size_t count = 0;
    long objects;

    with_cublas();
    kn_gemm_task task = plain_task();
    EXPECT_OK(kn_gemm(queue, &task, &cublas, &err));
    objects = fake_driver()->objects;
    EXPECT_OK(kn_gemm(queue, &task, &cublas, &err));
    ck_assert_int_eq(fake_driver()->objects, objects); // without a profile no events are recorded
    EXPECT_OK(kn_profile_start(queue, &err));
    EXPECT_OK(kn_gemm(queue, &task, &cublas, &err));
    EXPECT_OK(kn_profile_stop(queue, &entries, &count, &err));
    ck_assert_uint_eq(count, 1);
    ck_assert_str_eq(entries[0].kernel, "cuBLAS SGEMM");
    ck_assert_uint_lt(entries[0].start, entries[0].end);
    kn_free(entries);
    EXPECT_OK(kn_gemm_choose(queue, &task, &cublas, &library, &err));
    ck_assert_int_eq(library, KN_GEMM_CUBLAS);
    library = KN_GEMM_AUTO;
    EXPECT_OK(kn_gemm_choose(queue, &task, NULL, &library, &err));
    ck_assert_int_eq(library, KN_GEMM_OWN); // a small one
    task.m = 0;                             // uses no buffers
    task.n = task.k = 1024;
    task.is_complex = 1;
    EXPECT_OK(kn_gemm_choose(queue, &task, NULL, &library, &err));
    ck_assert_int_eq(library, KN_GEMM_CUBLAS);
    free_task(&task);
    end();
}
END_TEST

START_TEST(absent)
{
    kn_gemm_library library = KN_GEMM_AUTO;
    const kn_gemm_options clblast = KN_INIT(kn_gemm_options, .library = KN_GEMM_CLBLAST);

    without_cublas();
    kn_gemm_task task = plain_task();
    for (int i = 0; i < 2; i++) // the second time the failure is known
        EXPECT_REFUSED(KN_ERROR_UNSUPPORTED,
                       "cuBLAS: libcublas.so.13, libcublas.so.12 not found (looked in KOINE_CUDA_LIBRARIES)",
                       kn_gemm(queue, &task, &cublas, &err));
    EXPECT_REFUSED(KN_ERROR_UNSUPPORTED, "OpenCL", kn_gemm(queue, &task, &clblast, &err));
    task.m = 0; // uses no buffers
    task.is_complex = 1;
    EXPECT_OK(kn_gemm_choose(queue, &task, NULL, &library, &err));
    ck_assert_int_eq(library, KN_GEMM_OWN);
    free_task(&task);
    end();
}
END_TEST

// A driver of CUDA 12 does not get a cuBLAS 13.
START_TEST(too_new)
{
    setenv("FAKE_CUDA_DRIVER", "11080", 1);
    setenv("FAKE_NVRTC_ARCHS", "90", 1);
    static const char *const names[] = {"libcuda.so.1", "libnvrtc.so.11.2", "libcublas.so.13", NULL};
    use_fakes(names);
    kn_gemm_task task = plain_task();
    EXPECT_REFUSED(KN_ERROR_UNSUPPORTED, "the driver is of CUDA 11", kn_gemm(queue, &task, &cublas, &err));
    free_task(&task);
    end();
}
END_TEST

START_TEST(failures)
{
    with_cublas();
    kn_gemm_task task = plain_task();
    setenv("FAKE_CUDA_FAIL", "cublasCreate_v2:3:1", 1);
    EXPECT_REFUSED(KN_ERROR_MEMORY, "cublasCreate", kn_gemm(queue, &task, &cublas, &err));
    unsetenv("FAKE_CUDA_FAIL");
    free_task(&task);
    end();
    with_cublas();
    task = plain_task();
    setenv("FAKE_CUDA_FAIL", "cublasSgemm_v2_64:13:1", 1);
    EXPECT_REFUSED(KN_ERROR_DEVICE, "CUBLAS_STATUS_EXECUTION_FAILED", kn_gemm(queue, &task, &cublas, &err));
    ck_assert_int_eq(err.native, 13);
    unsetenv("FAKE_CUDA_FAIL");
    EXPECT_OK(kn_gemm(queue, &task, &cublas, &err));
    free_task(&task);
    end();
}
END_TEST

// In every type, the default is a shape that the kernel supports, not the last row of the table.
START_TEST(shapes)
{
    static const struct {
        kn_type type;
        int is_complex;
        unsigned large, small; // work-items in a group for products of size 2048 and 32
    } expected[] = {{KN_F32, 0, 128, 128}, {KN_F32, 1, 128, 64}, {KN_F64, 0, 128, 128}, {KN_F64, 1, 256, 64}};
    const size_t large = 2048, bytes = large * large * 16;
    const kn_gemm_options own = KN_INIT(kn_gemm_options, .library = KN_GEMM_OWN);
    kn_buffer *both = NULL, *c = NULL;

    with_cublas();
    EXPECT_OK(kn_buffer_create(context, bytes, &both, &err));
    EXPECT_OK(kn_buffer_create(context, bytes, &c, &err));
    for (size_t i = 0; i < KI_COUNT(expected); i++) {
        kn_gemm_task task = KN_INIT(kn_gemm_task, .type = expected[i].type,
                                    .is_complex = expected[i].is_complex, .alpha = {1, 0});
        task.a.buffer = task.b.buffer = both;
        task.c.buffer = c;
        task.m = task.n = task.k = large;
        EXPECT_OK(kn_gemm(queue, &task, &own, &err));
        ck_assert_uint_eq(fake_driver()->last.block[0], expected[i].large);
        task.m = task.n = task.k = 32;
        EXPECT_OK(kn_gemm(queue, &task, &own, &err));
        ck_assert_uint_eq(fake_driver()->last.block[0], expected[i].small);
    }
    kn_buffer_free(both);
    kn_buffer_free(c);
    end();
}
END_TEST

// Memory wrapped by an application is known not to be aligned to 16 bytes: test_gemm multiplies it on a real
// device.
START_TEST(alignment)
{
    const float values[8] = {0};
    kn_buffer *whole, *askew;

    with_cublas();
    whole = test_upload_with_room(values, sizeof values, 0);
    EXPECT_OK(kn_buffer_wrap_cuda(context, kn_buffer_get_cuda(whole) + 4, 16, &askew, &err));
    ck_assert(context->backend->memory_aligned(whole->native, 16));
    ck_assert(!context->backend->memory_aligned(askew->native, 16));
    ck_assert(context->backend->memory_aligned(askew->native, 4));
    kn_buffer_free(askew);
    kn_buffer_free(whole);
    end();
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {right_products, it_ran, absent, too_new, failures, shapes, alignment};

    return TEST_RUN("algo/gemm_cublas", CK_FORK_GETENV, tests);
}
