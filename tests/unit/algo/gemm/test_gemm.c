// SPDX-License-Identifier: Apache-2.0
// kn_gemm on the device: Koine's own kernels, and what is refused.
#include "gemm_support.h"

#include <koine/cuda.h>
#include <koine/experimental.h>

// Small enough for a slow compiler.
static const kn_gemm_tile small_tile = {32, 32, 8, 4, 4, 4, 2, 1, 0};

START_TEST(own_transposes)
{
    const kn_gemm_options options = KN_INIT(kn_gemm_options, .library = KN_GEMM_OWN, .tile = &small_tile);

    expect_transposes(&options, "own_transposes");
}
END_TEST

START_TEST(own_sizes)
{
    const kn_gemm_options options = KN_INIT(kn_gemm_options, .library = KN_GEMM_OWN, .tile = &small_tile);

    expect_sizes(&options, "own_sizes");
}
END_TEST

// k in parts: of equal length, with a shorter one, and with more parts than steps.
START_TEST(split_along_k)
{
    static const size_t depths[] = {0, 1, 9, 16, 100, 129};
    uint64_t state = test_seed("split_along_k");

    for (size_t i = 0; i < KI_COUNT(depths); i++)
        for (unsigned parts = 2; parts <= 5; parts++) {
            kn_gemm_tile tile = small_tile;
            const kn_gemm_options options = KN_INIT(kn_gemm_options, .library = KN_GEMM_OWN, .tile = &tile);
            kn_gemm_task task =
                KN_INIT(kn_gemm_task, .type = KN_F32, .m = 5, .n = 36, .k = depths[i], .alpha = {0.5, 0});
            task.beta[0] = parts % 2 ? 0.25 : 0;
            task.transpose_a = i % 2 ? KN_GEMM_TRANSPOSED : KN_GEMM_AS_IS;
            task.transpose_b = i % 2 ? KN_GEMM_TRANSPOSED : KN_GEMM_AS_IS;
            tile.parts = parts;
            if (!test_is_slow() || parts == 3 || depths[i] < 16)
                expect_product(task, 4, &options, &state);
        }
}
END_TEST

// Shapes that are chosen by default.
START_TEST(default_shapes)
{
    const kn_gemm_options options = KN_INIT(kn_gemm_options, .library = KN_GEMM_OWN);

    expect_sizes(&options, "default_shapes");
    expect_transposes(&options, "default_shapes");
}
END_TEST

START_TEST(long_sums)
{
    const kn_gemm_options options = KN_INIT(kn_gemm_options, .library = KN_GEMM_OWN);

    expect_depths(&options, "long_sums");
}
END_TEST

// The calls of CLBlast: one product, real or complex, alone or two at once; on a CPU, where each of these
// takes the compiler 20 s, only a single real one.
START_TEST(through_clblast)
{
    const kn_gemm_options options = KN_INIT(kn_gemm_options, .library = KN_GEMM_CLBLAST);
    uint64_t state = test_seed("through_clblast");
    kn_gemm_task task = KN_INIT(kn_gemm_task, .type = KN_F32, .m = 0, .n = 20, .k = 17, .alpha = {0.75, 0});
    bool on_cpu = kn_context_get_device(context)->type == KN_DEVICE_CPU;
    kn_gemm_library library;

    if (strcmp(kn_context_get_device(context)->backend, "opencl") != 0 || test_is_slow())
        return;
    if (kn_gemm_choose(queue, &task, &options, &library, &err)) { // m = 0 uses no buffers
        ck_assert_msg(strstr(err.text, "CLBlast: libclblast.so.1 ") != NULL, "%s", err.text);
        fprintf(stderr, "skipped: %s\n", err.text);
        return;
    }
    task.m = 33;
    task.batch = on_cpu ? 1 : 1 + test_random(&state) % 2;
    task.transpose_a = pick_transpose(&state);
    task.transpose_b = pick_transpose(&state);
    task.is_complex = !on_cpu && test_random(&state) % 2;
    task.alpha[1] = task.is_complex ? -0.5 : 0;
    task.beta[0] = test_random(&state) % 2 ? 0.25 : 0;
    expect_product(task, 3, &options, &state);
}
END_TEST

// Checks which kernel ran, as the queue's profile names it; returns its nanoseconds.
static uint64_t expect_ran(const kn_gemm_task *task, const kn_gemm_options *options, const char *name)
{
    kn_profile_entry *entries = NULL;
    uint64_t nanoseconds;
    size_t count = 0;

    EXPECT_OK(kn_profile_start(queue, &err));
    EXPECT_OK(kn_gemm(queue, task, options, &err));
    EXPECT_OK(kn_profile_stop(queue, &entries, &count, &err));
    ck_assert_uint_eq(count, 1);
    ck_assert_str_eq(entries[0].kernel, name);
    ck_assert_uint_le(entries[0].start, entries[0].end);
    nanoseconds = entries[0].end - entries[0].start;
    kn_free(entries);
    return nanoseconds;
}

// The named library is used, and no other; if that is impossible, the call is refused with the reason.
START_TEST(what_is_named_runs)
{
    const kn_gemm_options own = KN_INIT(kn_gemm_options, .library = KN_GEMM_OWN),
                          tiled = KN_INIT(kn_gemm_options, .library = KN_GEMM_OWN, .tile = &small_tile);
    static const char *const backends[] = {[KN_GEMM_CLBLAST] = "opencl", [KN_GEMM_CUBLAS] = "cuda"};
    static const char *const rows[] = {
        [KN_GEMM_CLBLAST] = "CLBlast SGEMM", [KN_GEMM_CUBLAS] = "cuBLAS SGEMM"};
    const float ones[64] = {1, 1, 1, 1};
    const kn_device_info *info = kn_context_get_device(context);
    kn_gemm_task task = KN_INIT(kn_gemm_task, .type = KN_F32, .m = 8, .n = 8, .k = 8, .alpha = {1, 0});

    task.a.buffer = task.b.buffer = test_upload_with_room(ones, sizeof ones, 0);
    task.c.buffer = test_upload_with_room(ones, sizeof ones, 0);
    expect_ran(&task, &own, info->type == KN_DEVICE_CPU && !info->loop_limit ? "gemm_cpu" : "gemm");
    uint64_t nanoseconds =
        expect_ran(&task, &tiled, "gemm"); // rusticl's clock does not work: every kernel takes 1 ns
    for (kn_gemm_library library = KN_GEMM_CLBLAST; library <= KN_GEMM_CUBLAS; library++) {
        const kn_gemm_options options = KN_INIT(kn_gemm_options, .library = library);
        kn_gemm_library chosen = KN_GEMM_AUTO;
        kn_status status = kn_gemm_choose(queue, &task, &options, &chosen, &err);
        if (strcmp(info->backend, backends[library]) != 0)
            ck_assert_int_eq(status, KN_ERROR_UNSUPPORTED);
        if (status) {
            ck_assert_int_eq(chosen, KN_GEMM_AUTO);
            EXPECT_REFUSED(KN_ERROR_UNSUPPORTED, kn_gemm_library_name(library),
                           kn_gemm(queue, &task, &options, &err));
            continue;
        }
        ck_assert_int_eq(chosen, library);
        ck_assert(expect_ran(&task, &options, rows[library]) > 0 || nanoseconds < 100);
    }
    kn_buffer_free(task.a.buffer);
    kn_buffer_free(task.c.buffer);
}
END_TEST

// alpha = 0 does not read A or B, which may be NULL for k = 0; beta = 1 then leaves C unchanged.
START_TEST(scaling_alone)
{
    uint64_t state = test_seed("scaling_alone");
    float c[35], found[35];
    kn_gemm_task task =
        KN_INIT(kn_gemm_task, .type = KN_F32, .m = 5, .n = 7, .k = 0, .alpha = {1, 0}, .beta = {-2, 0});
    const float nothing[70] = {NAN, INFINITY, NAN};

    for (size_t i = 0; i < KI_COUNT(c); i++)
        c[i] = (float)test_uniform(&state);
    task.c.buffer = test_upload_with_room(c, sizeof c, 16);
    EXPECT_OK(kn_gemm(queue, &task, NULL, &err));
    task.k = 10;
    task.alpha[0] = 0;
    task.a.buffer = test_upload_with_room(nothing, 50 * sizeof *nothing, 0);
    task.b.buffer = test_upload_with_room(nothing, 70 * sizeof *nothing, 0);
    task.beta[0] = 1;
    EXPECT_OK(kn_gemm(queue, &task, NULL, &err));
    EXPECT_OK(kn_buffer_read(queue, task.c.buffer, 0, found, sizeof found, &err));
    for (size_t i = 0; i < KI_COUNT(c); i++)
        ck_assert_msg(found[i] == -2 * c[i], "element %zu: %g, not %g", i, (double)found[i],
                      -2 * (double)c[i]);
    test_expect_poison(task.c.buffer, sizeof c);
    kn_buffer_free(task.a.buffer);
    kn_buffer_free(task.b.buffer);
    kn_buffer_free(task.c.buffer);
}
END_TEST

// Not-a-number or infinity in A or B affects the elements that depend on it, and no others.
START_TEST(not_a_number)
{
    enum { N = 33 };
    float a[N * N], b[N * N], c[N * N];
    kn_gemm_task task = KN_INIT(kn_gemm_task, .type = KN_F32, .m = N, .n = N, .k = N, .alpha = {1, 0});

    for (size_t i = 0; i < N * N; i++)
        a[i] = b[i] = 1;
    a[5 * N + N - 1] = NAN;
    b[(N - 1) * N + 7] = INFINITY;
    task.a.buffer = test_upload_with_room(a, sizeof a, 0);
    task.b.buffer = test_upload_with_room(b, sizeof b, 0);
    task.c.buffer = test_upload_with_room(c, sizeof c, 0);
    EXPECT_OK(kn_gemm(queue, &task, NULL, &err));
    EXPECT_OK(kn_buffer_read(queue, task.c.buffer, 0, c, sizeof c, &err));
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++) {
            float found = c[i * N + j];
            bool right = i == 5 ? isnan(found) : j == 7 ? isinf(found) : found == N;
            ck_assert_msg(right, "entry %zu, %zu is %g", i, j, (double)found);
        }
    kn_buffer_free(task.a.buffer);
    kn_buffer_free(task.b.buffer);
    kn_buffer_free(task.c.buffer);
}
END_TEST

// An application's own memory may begin at an address from which 16 bytes cannot be loaded at once.
START_TEST(wrapped_askew)
{
    enum { N = 64 };
    float ones[N * N + 1], found[N * N];
    kn_gemm_task task = KN_INIT(kn_gemm_task, .type = KN_F32, .m = N, .n = N, .k = N, .alpha = {1, 0});
    kn_buffer *whole[3], *askew[3];
    kn_gemm_matrix *const matrices[] = {&task.a, &task.b, &task.c};
    const kn_gemm_options options = KN_INIT(kn_gemm_options, .library = KN_GEMM_OWN);

    if (strcmp(kn_context_get_device(context)->backend, "cuda") != 0)
        return;
    for (size_t i = 0; i < KI_COUNT(ones); i++)
        ones[i] = 1;
    for (size_t i = 0; i < KI_COUNT(whole); i++) {
        whole[i] = test_upload_with_room(ones, sizeof ones, 0);
        EXPECT_OK(kn_buffer_wrap_cuda(context, kn_buffer_get_cuda(whole[i]) + sizeof(float),
                                      N * N * sizeof(float), &askew[i], &err));
        matrices[i]->buffer = askew[i];
    }
    EXPECT_OK(kn_gemm(queue, &task, &options, &err));
    EXPECT_OK(kn_buffer_read(queue, askew[2], 0, found, sizeof found, &err));
    for (size_t i = 0; i < KI_COUNT(found); i++)
        ck_assert_msg(found[i] == N, "element %zu is %g", i, (double)found[i]);
    for (size_t i = 0; i < KI_COUNT(whole); i++) {
        kn_buffer_free(askew[i]);
        kn_buffer_free(whole[i]);
    }
}
END_TEST

START_TEST(refusals)
{
    const float values[64] = {0};
    kn_gemm_library library;
    kn_buffer *x = test_upload_with_room(values, sizeof values, 0),
              *y = test_upload_with_room(values, sizeof values, 0);
    const kn_gemm_task good = KN_INIT(kn_gemm_task, .type = KN_F32, .m = 4, .n = 4, .k = 4, .alpha = {1, 0},
                                      .a = {.buffer = x}, .b = {.buffer = x}, .c = {.buffer = y});
    kn_gemm_task bad = good;
    kn_gemm_options options = KN_INIT(kn_gemm_options, .library = KN_GEMM_AUTO);

    EXPECT_OK(kn_gemm(queue, &good, NULL, &err));
    EXPECT_OK(kn_gemm_choose(queue, &good, NULL, &library, &err));
    ck_assert_int_ne(library, KN_GEMM_AUTO);
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "NULL", kn_gemm(NULL, &good, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "NULL", kn_gemm(queue, NULL, NULL, &err));
    bad.type = KN_I32;
    EXPECT_REFUSED(KN_ERROR_UNSUPPORTED, "int", kn_gemm(queue, &bad, NULL, &err));
    bad = good;
    bad.a.buffer = NULL;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "buffer of A is NULL", kn_gemm(queue, &bad, NULL, &err));
    bad = good;
    bad.b.pitch = 3;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "B has rows of 4 elements, but a pitch of 3",
                   kn_gemm(queue, &bad, NULL, &err));
    bad = good;
    bad.a.offset = 49;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "A ends with element 65, but its buffer holds 64",
                   kn_gemm(queue, &bad, NULL, &err));
    bad = good;
    bad.c.pitch = (size_t)-1 / 2;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "C ends", kn_gemm(queue, &bad, NULL, &err));
    bad = good;
    bad.batch = 2;
    bad.c.stride = 15;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "overlap", kn_gemm(queue, &bad, NULL, &err));
    bad = good;
    bad.c = (kn_gemm_matrix){.buffer = x, .offset = 15};
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "overlaps", kn_gemm(queue, &bad, NULL, &err));
    bad.c.offset = 16;
    EXPECT_OK(kn_gemm(queue, &bad, NULL, &err));
    bad = good;
    bad.beta[1] = 1;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "imaginary", kn_gemm(queue, &bad, NULL, &err));
    bad = good;
    bad.m = (size_t)1 << 31;
    EXPECT_REFUSED(KN_ERROR_LIMIT, "2147483648", kn_gemm(queue, &bad, NULL, &err));
    bad = good;
    bad.transpose_b = (kn_gemm_transpose)3;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "transposition", kn_gemm(queue, &bad, NULL, &err));
    options = KN_INIT(kn_gemm_options, .library = KN_GEMM_OWN,
                      .tile = &(kn_gemm_tile){32, 32, 8, 3, 4, 4, 2, 1, 0});
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "powers of two", kn_gemm(queue, &good, &options, &err));
    options.library = (kn_gemm_library)9;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "no library 9", kn_gemm(queue, &good, &options, &err));
    kn_buffer_free(x);
    kn_buffer_free(y);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        own_transposes,     own_sizes,     split_along_k, default_shapes, long_sums, through_clblast,
        what_is_named_runs, scaling_alone, not_a_number,  wrapped_askew,  refusals};

    return test_run("algo/gemm", tests, KI_COUNT(tests), test_open, test_close);
}
