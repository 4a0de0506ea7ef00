// SPDX-License-Identifier: Apache-2.0
// koine gemm: the product of two matrices.
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "cli/commands.h"
#include "cli/framework/report.h"
#include "cli/tool.h"

static const char *const library_names[] = {"auto", "own", "clblast", "cublas", NULL}; // as kn_gemm_library

struct gemm_arguments {
    struct tool_arguments tool;
    int library;
    bool transpose_a, transpose_b;
};

#define FIELD(type, field) OPTION_FIELD(type, struct gemm_arguments, field)

static const struct option_row options[] = {
    TOOL_OUT_OPTION(struct gemm_arguments),
    {"transpose-a", FIELD(OPTION_FLAG, transpose_a),
     .help = "transpose A (complex matrices are not conjugated)"},
    {"transpose-b", FIELD(OPTION_FLAG, transpose_b), .help = "B is transposed"},
    {"library", FIELD(OPTION_CHOICE, library), .choices = library_names, .fallback = "auto",
     .help = "whose kernels multiply"},
    {.name = NULL},
};

struct product {
    const struct gemm_arguments *arguments;
    struct tool tool;
    struct npy a, b, c;
    kn_buffer *buffers[3];
    kn_gemm_task task;
    kn_gemm_library library; // the one that computed it
};

static kn_status read_matrix(struct product *product, size_t operand, struct npy *matrix, kn_error *err)
{
    const char *path = product->arguments->tool.common.operands.items[operand];
    kn_status status = tool_read(&product->tool, path, matrix, err);

    if (!status && matrix->dims != 2)
        return ki_fail_at(err, KN_ERROR_INPUT, path, 0, "has %zu dimensions, expected a matrix",
                          matrix->dims);
    if (!status && matrix->type != KN_F32 && matrix->type != KN_F64)
        return ki_fail_at(err, KN_ERROR_INPUT, path, 0,
                          "is of %s, expected float32, float64, complex64 or complex128",
                          npy_type_name(matrix));
    return status;
}

static kn_status read_matrices(struct product *product, kn_error *err)
{
    const char *const *paths = product->arguments->tool.common.operands.items;
    bool turned_a = product->arguments->transpose_a, turned_b = product->arguments->transpose_b;
    const struct npy *a = &product->a, *b = &product->b;
    kn_status status = read_matrix(product, 0, &product->a, err);

    if (!status)
        status = read_matrix(product, 1, &product->b, err);
    if (status)
        return status;
    if (a->type != b->type || a->is_complex != b->is_complex)
        return ki_fail_at(err, KN_ERROR_INPUT, paths[1], 0,
                          "is of %s, but %s is of %s; both must have the same type", npy_type_name(b),
                          paths[0], npy_type_name(a));
    if (a->shape[!turned_a] != b->shape[turned_b])
        return ki_fail_at(err, KN_ERROR_INPUT, paths[1], 0, "has %zu %s, but %s has %zu %s",
                          b->shape[turned_b], turned_b ? "columns" : "rows", paths[0], a->shape[!turned_a],
                          turned_a ? "rows" : "columns");
    product->c = (struct npy){.type = a->type,
                              .is_complex = a->is_complex,
                              .dims = 2,
                              .shape = {a->shape[turned_a], b->shape[!turned_b]},
                              .count = a->shape[turned_a] * b->shape[!turned_b]};
    product->c.data = calloc(product->c.count + 1, npy_element_size(&product->c));
    return product->c.data
               ? KN_OK
               : ki_fail_memory(err, product->c.count * npy_element_size(&product->c), "the product");
}

static kn_status multiply(struct product *product, kn_error *err)
{
    struct npy *matrices[] = {&product->a, &product->b, &product->c};
    const kn_gemm_options how =
        KN_INIT(kn_gemm_options, .library = (kn_gemm_library)product->arguments->library);
    bool turned_a = product->arguments->transpose_a, turned_b = product->arguments->transpose_b;
    kn_queue *queue = product->tool.place.queue;
    kn_status status = KN_OK;

    for (size_t i = 0; i < 3 && !status; i++)
        status = tool_upload(&product->tool, matrices[i], &product->buffers[i], err);
    if (status)
        return status;
    product->task =
        KN_INIT(kn_gemm_task, .type = product->a.type, .is_complex = product->a.is_complex,
                .transpose_a = turned_a ? KN_GEMM_TRANSPOSED : KN_GEMM_AS_IS,
                .transpose_b = turned_b ? KN_GEMM_TRANSPOSED : KN_GEMM_AS_IS, .m = product->c.shape[0],
                .n = product->c.shape[1], .k = product->a.shape[!turned_a], .alpha = {1, 0},
                .a = {.buffer = product->buffers[0]}, .b = {.buffer = product->buffers[1]},
                .c = {.buffer = product->buffers[2]});
    tool_compute(&product->tool);
    status = kn_gemm(queue, &product->task, &how, err);
    status = tool_computed(&product->tool, status, err);
    if (!status)
        status = kn_gemm_choose(queue, &product->task, &how, &product->library, err);
    return status ? status : tool_download(&product->tool, product->buffers[2], &product->c, err);
}

static kn_status report(struct product *product, kn_error *err)
{
    const kn_gemm_task *task = &product->task;
    json_t *root = tool_report(&product->tool, product->c.type);

    report_put(&root, "m", json_integer((json_int_t)task->m));
    report_put(&root, "n", json_integer((json_int_t)task->n));
    report_put(&root, "k", json_integer((json_int_t)task->k));
    report_put(&root, "type", json_string(npy_type_name(&product->c)));
    report_put(&root, "library", json_string(kn_gemm_library_name(product->library)));
    if (tool_shows_text(&product->tool)) {
        printf("%zu x %zu times %zu x %zu, %s, by %s, ", task->m, task->k, task->k, task->n,
               npy_type_name(&product->c), kn_gemm_library_name(product->library));
        tool_print_place(&product->tool);
    }
    return tool_report_write(&product->tool, root, err);
}

static kn_status run_gemm(void *given, kn_error *err)
{
    const struct gemm_arguments *arguments = given;
    struct product product = {.arguments = arguments};
    kn_status status = tool_begin(&product.tool, &arguments->tool, 2, "A.npy B.npy", true, err);

    if (!status)
        status = tool_check_library(&product.tool, library_names, arguments->library, err);
    if (!status)
        status = read_matrices(&product, err);
    if (!status)
        status = tool_open(&product.tool, TOOL_DEVICE, NULL, err);
    if (!status)
        status = multiply(&product, err);
    if (!status)
        status = tool_write(&product.tool, &product.c, err);
    if (!status)
        status = report(&product, err);
    for (size_t i = 0; i < 3; i++)
        kn_buffer_free(product.buffers[i]);
    npy_free(&product.a);
    npy_free(&product.b);
    npy_free(&product.c);
    tool_end(&product.tool);
    return status;
}

const struct command command_gemm = {
    .name = "gemm",
    .summary = "Multiplies two matrices on a device",
    .operands = "A.npy B.npy",
    .description = "The matrices are both float32, float64, complex64 or complex128. --library chooses the "
                   "project's own kernel, CLBlast on OpenCL devices, or cuBLAS on CUDA; a library that is "
                   "not installed is refused.",
    .common = COMMON_DEVICE | COMMON_POLICY | COMMON_JSON | COMMON_FORCE,
    .options = options,
    .examples = {{"koine gemm a.npy b.npy -o c.npy", "the product, on the best device"},
                 {"koine gemm a.npy a.npy --transpose-a --library own -o gram.npy",
                  "the inner products of all columns"}},
    .arguments_size = sizeof(struct gemm_arguments),
    .run = run_gemm,
};
