// SPDX-License-Identifier: Apache-2.0
// koine spmv: a sparse matrix times a vector, in one of the device's formats or in all of them.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/inputs/tomography_files.h"
#include "base/os/clock.h"
#include "base/error.h"
#include "cli/commands.h"
#include "cli/framework/interrupt.h"
#include "cli/framework/report.h"
#include "cli/framework/table.h"
#include "cli/tool.h"
#include "tools/spmv/products.h"

struct spmv_arguments {
    struct tool_arguments tool;
    const char *vector;
    bool transposed, variants;
    int format;
};

#define FIELD(type, field) OPTION_FIELD(type, struct spmv_arguments, field)

static const struct option_row options[] = {
    {"out", 'o', FIELD(OPTION_PATH, tool.out), .writes = true, .metavar = "FILE",
     .help = "write the product here: .npy or .mtx"},
    {"vector", 'x', FIELD(OPTION_PATH, vector), .metavar = "FILE",
     .help = "the vector, a column of .npy or .mtx (default: fixed numbers from -1 to 1)"},
    {"transpose", FIELD(OPTION_FLAG, transposed), .help = "multiply by the transposed matrix"},
    {"format", FIELD(OPTION_CHOICE, format), .metavar = "NAME", .choices = sparse_format_names,
     .fallback = "auto",
     .help = "how the matrix is stored and multiplied on the device: auto, simple, memory-layout, "
             "local-memory, memory-layout+local-memory, on-the-fly, on-the-fly+local-memory, backprojection, "
             "ell, csr-vector, coo, hyb, sell, merge"},
    {"variants", FIELD(OPTION_FLAG, variants),
     .help = "run every format, both ways: times and fractions of the device's bandwidth"},
    {.name = NULL},
};

struct spmv {
    const struct spmv_arguments *arguments;
    struct tool tool;
    kn_tomography_geometry geometry;
    kn_sparse *matrix;
    struct spmv_problem problem;
    float *product;
    struct spmv_variant variants[2 * SPMV_FORMATS];
    bool transposed[2 * SPMV_FORMATS];
    size_t count;
};

static kn_status check_arguments(const struct spmv_arguments *arguments, kn_error *err)
{
    const char *found = arguments->vector        ? "--vector"
                        : arguments->tool.out    ? "--out"
                        : arguments->transposed  ? "--transpose"
                        : arguments->format != 0 ? "--format"
                                                 : NULL;

    if (arguments->variants && found)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "%s is for one product; --variants runs all of them, both ways", found);
    return KN_OK;
}

// ---- input ----

static kn_status read_vector(struct spmv *spmv, float *x, size_t count, kn_error *err)
{
    const char *path = spmv->arguments->vector;
    size_t rows, columns;
    double *values;
    kn_status status = columns_read(path, &rows, &columns, &values, err);

    if (!status && (columns != 1 || rows != count))
        status = ki_fail_at(
            err, KN_ERROR_INPUT, path, 0,
            "has %zu columns of %zu numbers, but the matrix is %zu x %zu: expected one of %zu", columns, rows,
            kn_sparse_get_rows(spmv->matrix), kn_sparse_get_columns(spmv->matrix), count);
    for (size_t i = 0; i < count && !status; i++)
        x[i] = (float)values[i];
    free(values);
    return status;
}

// A file, or the matrix of a geometry.
static kn_status read_matrix(struct spmv *spmv, kn_error *err)
{
    const char *name = spmv->arguments->tool.common.operands.items[0];
    kn_status status;

    if (!geometry_is(name)) {
        status = sparse_read_matrix(name, &spmv->matrix, err);
    } else {
        status = geometry_parse(name, &spmv->geometry, err);
        if (!status)
            status = ki_error_unname(kn_tomography_matrix_create(&spmv->geometry, &spmv->matrix, err), err);
        spmv->problem.geometry = &spmv->geometry;
    }
    spmv->problem.matrix = spmv->matrix;
    return status;
}

static kn_status read_input(struct spmv *spmv, kn_error *err)
{
    const struct spmv_arguments *arguments = spmv->arguments;
    kn_status status;

    spmv->tool.clock = ki_clock_seconds();
    status = read_matrix(spmv, err);
    for (unsigned i = 0; i < 2 && !status; i++) {
        size_t count = i ? kn_sparse_get_rows(spmv->matrix) : kn_sparse_get_columns(spmv->matrix);
        spmv->problem.vectors[i] = malloc(count * sizeof(float) + 1);
        if (!spmv->problem.vectors[i])
            return ki_fail_memory(err, count * sizeof(float), "a vector");
        spmv_fill(spmv->problem.vectors[i], count);
        if (arguments->vector && i == arguments->transposed)
            status = read_vector(spmv, spmv->problem.vectors[i], count, err);
    }
    spmv->tool.seconds.read = ki_clock_seconds() - spmv->tool.clock;
    return status;
}

// ---- products ----

static kn_status run_format(struct spmv *spmv, kn_sparse_format format, bool transposed, kn_error *err)
{
    spmv->transposed[spmv->count] = transposed;
    return spmv_time_format(spmv->tool.place.queue, &spmv->problem, format, transposed, spmv->product,
                            &spmv->variants[spmv->count++], err);
}

static size_t product_length(const struct spmv *spmv)
{
    return spmv->arguments->transposed ? kn_sparse_get_columns(spmv->matrix)
                                       : kn_sparse_get_rows(spmv->matrix);
}

static kn_status compute_one(struct spmv *spmv, kn_error *err)
{
    bool transposed = spmv->arguments->transposed;
    size_t rows = product_length(spmv);
    kn_status status;

    spmv->product = malloc(rows * sizeof *spmv->product + 1);
    if (!spmv->product)
        return ki_fail_memory(err, rows * sizeof *spmv->product, "the product");
    status = run_format(spmv, (kn_sparse_format)spmv->arguments->format, transposed, err);
    if (!status && !spmv->variants[0].ran)
        status = ki_fail(err, KN_ERROR_ARGUMENT, "%s", spmv->variants[0].why);
    return status;
}

// Other formats, and all of them together, need a device.
static kn_status open_place(struct spmv *spmv, kn_error *err)
{
    const struct spmv_arguments *arguments = spmv->arguments;
    const bool host = !arguments->variants &&
                      (arguments->format == KN_SPARSE_AUTO || arguments->format == KN_SPARSE_SIMPLE ||
                       arguments->format == KN_SPARSE_SELL);
    const double products = 10, nonzeros = (double)kn_sparse_get_nonzeros(spmv->matrix); // for timing
    const kn_work work =
        KN_INIT(kn_work, .host.bytes = 6 * products * nonzeros, .device.bytes = 30 * products * nonzeros,
                .copied = nonzeros * 2 * (sizeof(uint32_t) + sizeof(float)),
                .program = "app/sparse/sparse_csr.cl", .programs = 4);

    return tool_open(&spmv->tool, TOOL_DEVICE_OR_HOST, host ? &work : NULL, err);
}

static kn_status compute(struct spmv *spmv, kn_error *err)
{
    kn_status status;

    tool_compute(&spmv->tool);
    status = spmv_copy_rate(spmv->tool.place.queue, &spmv->problem.rate, err);
    if (!status && !spmv->arguments->variants)
        status = compute_one(spmv, err);
    for (unsigned i = 0; i < 2 * SPMV_FORMATS && spmv->arguments->variants && !status; i++)
        status = run_format(spmv, (kn_sparse_format)(i / 2), i % 2, err);
    return tool_computed(&spmv->tool, status, err);
}

static bool is_wrong(const struct spmv_variant *variant)
{
    return variant->ran && !(variant->error <= 1);
}

static kn_status write_product(const struct spmv *spmv, kn_error *err)
{
    const struct spmv_arguments *arguments = spmv->arguments;
    size_t rows = product_length(spmv);
    double *values;
    kn_status status;

    if (!arguments->tool.out)
        return KN_OK;
    values = malloc(rows * sizeof *values + 1);
    if (!values)
        return ki_fail_memory(err, rows * sizeof *values, "the product");
    for (size_t i = 0; i < rows; i++)
        values[i] = (double)spmv->product[i];
    interrupt_hold();
    status = columns_write(arguments->tool.out, rows, 1, values, arguments->tool.common.force, err);
    interrupt_release();
    free(values);
    return status;
}

// ---- reports ----

static kn_status print(const struct spmv *spmv, kn_error *err)
{
    struct table table;

    printf("%zu x %zu, %zu nonzeros ", kn_sparse_get_rows(spmv->matrix), kn_sparse_get_columns(spmv->matrix),
           kn_sparse_get_nonzeros(spmv->matrix));
    tool_print_place(&spmv->tool);
    printf("a copy moves %.1f GB/s, reads and writes together\n\n", spmv->problem.rate * 1e-9);
    table_begin(&table, "llrrrl");
    table_add_all(&table,
                  (const char *const[]){"format", "", "us", "GB/s", "of a copy", "against double", NULL});
    for (size_t i = 0; i < spmv->count; i++) {
        const struct spmv_variant *variant = &spmv->variants[i];

        if (variant->asked == variant->format || !variant->ran)
            table_add(&table, "%s", kn_sparse_format_name(variant->asked));
        else
            table_add(&table, "%s: %s", kn_sparse_format_name(variant->asked),
                      kn_sparse_format_name(variant->format));
        table_add(&table, "%s", spmv->transposed[i] ? "A^T y" : "A x");
        if (variant->ran) {
            table_add(&table, "%.2f", variant->seconds * 1e6);
            table_add(&table, "%.1f", (double)variant->bytes / variant->seconds * 1e-9);
            table_add(&table, "%.1f %%", variant->share * 100);
            table_add(&table, "%s, %.2g of the bound", is_wrong(variant) ? "WRONG" : "right", variant->error);
        } else {
            table_add_all(&table, (const char *const[]){"-", "-", "-", variant->why, NULL});
        }
    }
    return table_finish(&table) ? KN_OK : ki_fail_memory(err, 0, "the table");
}

static kn_status report(struct spmv *spmv, kn_error *err)
{
    json_t *root = tool_report(&spmv->tool, KN_F32), *variants = json_array();

    for (size_t i = 0; i < spmv->count; i++) {
        const struct spmv_variant *variant = &spmv->variants[i];
        json_t *row = json_object();

        report_put(&row, "variant", json_string(kn_sparse_format_name(variant->asked)));
        report_put(&row, "format", json_string(kn_sparse_format_name(variant->format)));
        report_put(&row, "transposed", json_boolean(spmv->transposed[i]));
        report_put(&row, "seconds", ki_json_double(variant->ran ? variant->seconds : NAN));
        report_put(&row, "bytes", json_integer((json_int_t)variant->bytes));
        report_put(&row, "share", ki_json_double(variant->ran ? variant->share : NAN));
        report_put(&row, "error", ki_json_double(variant->ran ? variant->error : NAN));
        report_put(&row, "ok", variant->ran ? json_boolean(!is_wrong(variant)) : json_null());
        report_put(&row, "why", report_text(variant->why));
        report_append(&variants, row);
    }
    report_put(&root, "rows", json_integer((json_int_t)kn_sparse_get_rows(spmv->matrix)));
    report_put(&root, "columns", json_integer((json_int_t)kn_sparse_get_columns(spmv->matrix)));
    report_put(&root, "nonzeros", json_integer((json_int_t)kn_sparse_get_nonzeros(spmv->matrix)));
    report_put(&root, "copy_bytes_per_second", ki_json_double(spmv->problem.rate));
    report_put(&root, "variants", variants);
    return tool_report_write(&spmv->tool, root, err);
}

static kn_status run_spmv(void *given, kn_error *err)
{
    struct spmv_arguments *arguments = given;
    struct spmv spmv = {.arguments = arguments};
    kn_status status =
        tool_begin(&spmv.tool, &arguments->tool, 1, "A.mtx, A.npz, parallel:... or fan:...", false, err);

    if (!status)
        status = check_arguments(arguments, err);
    if (!status)
        status = read_input(&spmv, err);
    if (!status)
        status = open_place(&spmv, err);
    if (!status)
        status = compute(&spmv, err);
    if (!status)
        status = write_product(&spmv, err);
    for (size_t i = 0; i < spmv.count; i++)
        arguments->tool.common.check_failed |= is_wrong(&spmv.variants[i]);
    if (!status && tool_shows_text(&spmv.tool))
        status = print(&spmv, err);
    if (!status)
        status = report(&spmv, err);
    kn_sparse_free(spmv.matrix);
    free(spmv.problem.vectors[0]);
    free(spmv.problem.vectors[1]);
    free(spmv.product);
    tool_end(&spmv.tool);
    return status;
}

const struct command command_spmv = {
    .name = "spmv",
    .summary = "Multiplies a sparse matrix, or its transpose, by a vector",
    .operands = "A.mtx|A.npz|parallel:...|fan:...",
    .description =
        "The matrix is a Matrix Market file (.mtx, .mtx.gz), one that SciPy's save_npz wrote, or that of "
        "parallel beams, parallel:ANGLES,DETECTORS,SIZE[,AXIS], or of a fan and a line of detectors, "
        "fan:ANGLES,DETECTORS,SIZE,SOURCE,DETECTOR[,AXIS] (see koine-project(1)). It is stored on the "
        "device in single precision, in the format that --format names; auto is the format that a "
        "measurement with this matrix on this device found to be fastest, which is remembered in the cache. "
        "The host's own code (--device host) has sell, which is its auto, and simple. Every product is "
        "compared with double precision: the exit status is 1 if the error of an element is more than one "
        "rounding for each of its terms.\n\n"
        "simple, memory-layout, local-memory, both, and backprojection are the variants of Stock and Koch's "
        "A Fast GPU Implementation for Solving Sparse Ill-Posed Linear Equation Systems; ell, csr-vector, "
        "coo and hyb are its prior work; sell and merge are more recent. All but backprojection, whose "
        "additions are atomic, are bitwise reproducible. Times are per product, of many enqueued back to "
        "back; bytes are those of the stored matrix and of both vectors, once. on-the-fly and "
        "on-the-fly+local-memory store nothing and compute rows from a geometry, which a matrix file does "
        "not have; for a geometry, auto is the faster of these two. A fan has only on-the-fly.",
    .common = COMMON_DEVICE | COMMON_POLICY | COMMON_JSON | COMMON_FORCE,
    .options = options,
    .examples = {{"koine spmv system.mtx --variants", "every format, both ways"},
                 {"koine spmv system.npz -x image.npy -o projections.npy",
                  "the fastest one, with this vector"}},
    .arguments_size = sizeof(struct spmv_arguments),
    .run = run_spmv,
};
