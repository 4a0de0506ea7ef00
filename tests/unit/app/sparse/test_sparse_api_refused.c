// SPDX-License-Identifier: Apache-2.0
// Tests refusals of koine/sparse.h, and the answers for NULL and for operators of other kinds.
#include "sparse_api_support.h"

#include <koine/koine.h>

// An operator of another kind.
static kn_status no_product(void *data, bool adjoint, const void *from, void *to, kn_error *error)
{
    (void)data;
    (void)adjoint;
    (void)from;
    (void)to;
    (void)error;
    return KN_OK;
}

START_TEST(refused_matrices)
{
    static const uint64_t starts[] = {0, 2, 3}, late[] = {1, 2, 3}, back[] = {0, 4, 3}, few[] = {0, 1, 2};
    static const uint32_t indices[] = {0, 2, 1}, twice[] = {2, 2, 1}, falling[] = {2, 0, 1},
                          outside[] = {0, 3, 1}, rows[] = {0, 1, 2};
    static const double values[] = {1, 2, 3}, no_numbers[] = {1, NAN, 3}, large[] = {1e308, 1e308, 0};
    static const uint32_t same[] = {1, 1, 1};
    kn_sparse *const untouched = (kn_sparse *)(uintptr_t)&starts;
    kn_sparse *made = untouched;
    const struct {
        const char *words;
        size_t rows, columns, nonzeros;
        const uint64_t *starts;
        const uint32_t *indices;
        const double *values;
    } csr[] = {{"starts is NULL", 2, 3, 3, NULL, indices, values},
               {"indices is NULL", 2, 3, 3, starts, NULL, values},
               {"begin at 1", 2, 3, 3, late, indices, values},
               {"end at 2", 2, 3, 3, few, indices, values},
               {"row 1 (from 0) begins behind its end", 2, 3, 3, back, indices, values},
               {"columns of row 0 (from 0) do not ascend", 2, 3, 3, starts, twice, values},
               {"columns of row 0 (from 0) do not ascend", 2, 3, 3, starts, falling, values},
               {"in column 3 of 3", 2, 3, 3, starts, outside, values},
               {"row 0, column 2 (from 0): nan", 2, 3, 3, starts, indices, no_numbers},
               {"4294967296 x 3", (size_t)1 << 32, 3, 3, starts, indices, values},
               {"nonzeros", 2, 3, SIZE_MAX, starts, indices, values},
               {"is its size right", (size_t)1 << 31, 3, 3, starts, indices, values}};

    for (size_t i = 0; i < sizeof csr / sizeof *csr; i++) {
        EXPECT_REFUSED(KN_ERROR_ARGUMENT, csr[i].words,
                       kn_sparse_create_csr(csr[i].rows, csr[i].columns, csr[i].nonzeros, csr[i].starts,
                                            csr[i].indices, csr[i].values, &made, &err));
        ck_assert_msg(strstr(err.text, "kn_sparse_create_csr: ") == err.text && err.file[0] == 0, "'%s'",
                      err.text);
    }
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "made is NULL",
                   kn_sparse_create_csr(2, 3, 3, starts, indices, values, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "kn_sparse_create_coo: entry 1 is at row 1, column 3",
                   kn_sparse_create_coo(3, 3, 3, rows, outside, values, &made, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "entry 2 is at row 2",
                   kn_sparse_create_coo(2, 3, 3, rows, indices, values, &made, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "nan",
                   kn_sparse_create_coo(3, 3, 3, rows, indices, no_numbers, &made, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "row 1, column 1 (from 0): inf",
                   kn_sparse_create_coo(3, 3, 3, same, same, large, &made, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "i is NULL",
                   kn_sparse_create_coo(3, 3, 3, NULL, same, large, &made, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "j is NULL",
                   kn_sparse_create_coo(3, 3, 3, same, NULL, large, &made, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "made is NULL",
                   kn_sparse_create_coo(3, 3, 3, same, same, NULL, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "matrix is NULL", kn_sparse_create_transposed(NULL, &made, &err));
    ck_assert_ptr_eq(made, untouched);
    ck_assert(kn_sparse_create_transposed(NULL, &made, NULL) == KN_ERROR_ARGUMENT);
}
END_TEST

START_TEST(refused_operators)
{
#define WITH(...) KN_INIT(kn_sparse_operator_options, __VA_ARGS__)
    uint64_t state = test_seed("refused_operators");
    struct entries e = random_entries(30, 20, 100, false, &state);
    kn_sparse *matrix = matrix_of(&e), *empty = NULL, *large = NULL;
    const uint32_t zero = 0;
    const double beyond = 1e200;
    kn_operator *a = NULL;
    kn_sparse_memory memory = {7, 7};
    const struct {
        kn_status status;
        const char *words;
        kn_queue *queue;
        kn_sparse_operator_options options;
    } refused[] = {
        {KN_ERROR_ARGUMENT, "no format 14", NULL, WITH(.format = (kn_sparse_format)14)},
        {KN_ERROR_ARGUMENT, "no format 99", queue, WITH(.format = (kn_sparse_format)99)},
        {KN_ERROR_ARGUMENT, "on-the-fly computes", NULL, WITH(.format = KN_SPARSE_ON_THE_FLY)},
        {KN_ERROR_ARGUMENT, "on-the-fly+local-memory computes", queue,
         WITH(.format = KN_SPARSE_ON_THE_FLY_LOCAL)},
        {KN_ERROR_UNSUPPORTED, "coo is a format of devices", NULL, WITH(.format = KN_SPARSE_COO)},
        {KN_ERROR_UNSUPPORTED, "merge is a format of devices", NULL, WITH(.format = KN_SPARSE_MERGE)},
        {KN_ERROR_UNSUPPORTED, "expected KN_F32 or KN_F64", queue, WITH(.type = KN_I32)},
        {KN_ERROR_UNSUPPORTED,
         kn_context_get_device(context)->fp64 ? "is in single precision" : "no double precision", queue,
         WITH(.type = KN_F64, .format = KN_SPARSE_BACKPROJECTION)},
        {KN_ERROR_UNSUPPORTED, "expected KN_F32 or KN_F64", NULL, WITH(.type = KN_I32)},
        {KN_ERROR_ARGUMENT, "threads is the host's", queue, WITH(.threads = 2)},
        {KN_ERROR_ARGUMENT, "level is the host's", queue, WITH(.level = KN_HOST_SCALAR)},
        {KN_ERROR_ARGUMENT, "no level 9", NULL, WITH(.level = (kn_host_level)9)},
        {KN_ERROR_ARGUMENT, "chunk is a device's", NULL, WITH(.chunk = 64)},
        {KN_ERROR_ARGUMENT, "group is a device's", NULL, WITH(.group = 64)},
        {KN_ERROR_ARGUMENT, "a group of 48", queue, WITH(.group = 48)},
        {KN_ERROR_ARGUMENT, "a group of 16", queue, WITH(.group = 16)},
        {KN_ERROR_LIMIT, "work-groups", queue, WITH(.group = 1U << 30)},
        {KN_ERROR_ARGUMENT, "3 lanes", queue, WITH(.lanes = 3)},
        {KN_ERROR_ARGUMENT, "at most 32", queue, WITH(.lanes = 64)},
        {KN_ERROR_ARGUMENT, "65 items", queue, WITH(.items = 65)},
        {KN_ERROR_LIMIT, "local memory", queue, WITH(.chunk = 1U << 30)},
        {KN_ERROR_ARGUMENT, "kn_sparse_operator_options", NULL, {.struct_size = 0}},
    };

    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        EXPECT_REFUSED(refused[i].status, refused[i].words,
                       kn_sparse_operator_create(refused[i].queue, matrix, &refused[i].options, &a, &err));
        ck_assert_msg(strstr(err.text, "kn_sparse_operator_create") == err.text, "'%s'", err.text);
        EXPECT_REFUSED(
            refused[i].status, refused[i].words,
            kn_sparse_estimate_memory(refused[i].queue, matrix, &memory, &refused[i].options, &err));
    }
    EXPECT_OK(kn_sparse_create_coo(0, 3, 0, NULL, NULL, NULL, &empty, &err));
    EXPECT_OK(kn_sparse_create_coo(1, 1, 1, &zero, &zero, &beyond, &large, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "0 x 3", kn_sparse_operator_create(queue, empty, NULL, &a, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "single precision",
                   kn_sparse_operator_create(queue, large, NULL, &a, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "single precision",
                   kn_sparse_operator_create(NULL, large, &WITH(.type = KN_F32), &a, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "matrix is NULL",
                   kn_sparse_operator_create(queue, NULL, NULL, &a, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "made is NULL",
                   kn_sparse_operator_create(queue, matrix, NULL, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "matrix is NULL",
                   kn_sparse_estimate_memory(queue, NULL, &memory, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "memory is NULL",
                   kn_sparse_estimate_memory(queue, matrix, NULL, NULL, &err));
    ck_assert(memory.host == 7 && memory.device == 7);
    ck_assert_ptr_null(a);
    kn_sparse_free(empty);
    kn_sparse_free(large);
    kn_sparse_free(matrix);
    free_entries(&e);
#undef WITH
}
END_TEST

// Buffers that are too small, of another context or the same, and operators of other kinds.
// A tile of merge that is larger than the device's local memory is refused when the operator is made.
START_TEST(refused_tiles)
{
    uint64_t state = test_seed("refused_tiles");
    const kn_device_info *info = kn_context_get_device(context);
    struct entries e = random_entries(30, 20, 100, false, &state);
    kn_sparse *matrix = matrix_of(&e);
    kn_operator *a = NULL;

    for (unsigned group = 32; group <= info->max_work_group && group <= 4096; group *= 2) {
        const kn_sparse_operator_options options =
            KN_INIT(kn_sparse_operator_options, .format = KN_SPARSE_MERGE, .group = group, .items = 64);

        if ((2 * 64 + 2) * group * sizeof(float) > info->local_memory)
            EXPECT_REFUSED(KN_ERROR_LIMIT, "bytes of local memory",
                           kn_sparse_operator_create(queue, matrix, &options, &a, &err));
    }
    ck_assert_ptr_null(a);
    kn_sparse_free(matrix);
    free_entries(&e);
}
END_TEST

START_TEST(refused_calls)
{
    uint64_t state = test_seed("refused_calls");
    struct entries e = random_entries(30, 20, 100, false, &state);
    kn_sparse *matrix = matrix_of(&e);
    kn_operator *a = NULL, *own = NULL;
    size_t others[64]; // its contents are not pointers
    const kn_operator_functions functions = KN_INIT(kn_operator_functions, .rows = 3, .columns = 4,
                                                    .type = KN_F64, .apply_host = no_product, .data = others);
    kn_context *elsewhere = NULL;
    kn_queue *there = NULL;
    kn_buffer *x = NULL, *y = NULL, *small = NULL, *foreign = NULL;

    for (size_t i = 0; i < 64; i++)
        others[i] = 3;
    EXPECT_OK(kn_sparse_operator_create(queue, matrix, NULL, &a, &err));
    EXPECT_OK(kn_context_open(NULL, NULL, &elsewhere, &err));
    EXPECT_OK(kn_queue_open(elsewhere, &there, &err));
    EXPECT_OK(kn_buffer_create(context, 80, &x, &err));
    EXPECT_OK(kn_buffer_create(context, 120, &y, &err));
    EXPECT_OK(kn_buffer_create(context, 76, &small, &err));
    EXPECT_OK(kn_buffer_create(elsewhere, 120, &foreign, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "from", kn_operator_apply(queue, a, false, small, y, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "to", kn_operator_apply(queue, a, false, x, small, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "to", kn_operator_apply(queue, a, false, x, foreign, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "same buffer", kn_operator_apply(queue, a, false, y, y, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "context", kn_operator_apply(there, a, false, x, y, &err));
    EXPECT_OK(kn_operator_create(NULL, &functions, &own, &err));
    for (unsigned i = 0; i < 2; i++) {
        const kn_operator *other = i ? own : NULL;

        ck_assert_int_eq(kn_sparse_operator_get_format(other, false), KN_SPARSE_AUTO);
        ck_assert_str_eq(kn_sparse_operator_get_why(other, true), "");
        ck_assert_str_eq(kn_sparse_operator_get_level(other), "");
        ck_assert_uint_eq(kn_sparse_operator_get_bytes(other, false), 0);
        ck_assert(kn_sparse_operator_get_memory(other).host == 0 &&
                  kn_sparse_operator_get_memory(other).device == 0);
    }
    ck_assert_uint_eq(kn_sparse_get_rows(NULL) + kn_sparse_get_columns(NULL) + kn_sparse_get_nonzeros(NULL),
                      0);
    ck_assert(!kn_sparse_get_starts(NULL) && !kn_sparse_get_indices(NULL) && !kn_sparse_get_values(NULL));
    ck_assert_str_eq(kn_sparse_format_name(KN_SPARSE_MEMORY_LAYOUT_LOCAL), "memory-layout+local-memory");
    ck_assert_ptr_null(kn_sparse_format_name((kn_sparse_format)(KN_SPARSE_MERGE + 1)));
    kn_sparse_free(NULL);
    kn_buffer_free(x);
    kn_buffer_free(y);
    kn_buffer_free(small);
    kn_buffer_free(foreign);
    kn_queue_close(there);
    kn_context_close(elsewhere);
    kn_operator_free(own);
    kn_operator_free(a);
    kn_sparse_free(matrix);
    free_entries(&e);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {refused_matrices, refused_operators, refused_tiles, refused_calls};

    return test_run("sparse api refused", tests, sizeof tests / sizeof *tests, test_open, test_close);
}
