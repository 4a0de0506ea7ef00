// SPDX-License-Identifier: Apache-2.0
// How each format is laid out in the device's memory, and what it launches.
#include <stdlib.h>
#include <string.h>

#include "../../base/array.h"
#include "../../base/error.h"
#include "spmv_own.h"

enum { SLICE = 32, CARRY_GROUP = 64 };
#define PAD UINT32_MAX

// ---- memory ----

// The product's next buffer; `data` is of the host's.
static kn_status upload(const struct spmv_task *task, struct spmv_product *product, const void *data,
                        size_t bytes, kn_buffer **buffer, kn_error *err)
{
    kn_status status = KN_OK;

    if (bytes > task->info->max_alloc)
        return kn_fail(
            err, KN_ERROR_LIMIT,
            "%s takes %zu bytes in one piece for a matrix of %zu x %zu with %zu nonzeros, more than one "
            "allocation of %s holds (%llu bytes); csr-vector, merge and sell take the least",
            sparse_format_names[product->format], bytes, product->rows, product->columns,
            task->matrix->nonzeros, task->info->spec, (unsigned long long)task->info->max_alloc);
    status = kn_buffer_create(kn_queue_context(task->queue), bytes, buffer, err);
    if (status)
        return status;
    product->buffers[product->buffer_count++] = *buffer;
    product->bytes += bytes;
    return data && bytes ? kn_buffer_write(task->queue, *buffer, 0, data, bytes, err) : KN_OK;
}

static kn_status allocate(void *address, size_t bytes, kn_error *err)
{
    void **memory = address;

    *memory = malloc(bytes + 1);
    return *memory ? KN_OK : kn_fail_memory(err, bytes, "a sparse matrix");
}

static kn_status upload_starts(const struct spmv_task *task, const struct sparse_matrix *matrix,
                               struct spmv_product *product, kn_buffer **buffer, kn_error *err)
{
    uint32_t *starts = NULL;
    kn_status status = allocate(&starts, (matrix->rows + 1) * sizeof *starts, err);

    for (size_t row = 0; row <= matrix->rows && !status; row++)
        starts[row] = (uint32_t)matrix->starts[row];
    if (!status)
        status = upload(task, product, starts, (matrix->rows + 1) * sizeof *starts, buffer, err);
    free(starts);
    return status;
}

// Indices and values from nonzero `first` on.
static kn_status upload_nonzeros(const struct spmv_task *task, const struct sparse_matrix *matrix,
                                 struct spmv_product *product, kn_buffer **indices, kn_buffer **values,
                                 kn_error *err)
{
    size_t count = matrix->nonzeros;
    float *singles = NULL;
    kn_status status = allocate(&singles, count * sizeof *singles, err);

    for (size_t i = 0; i < count && !status; i++)
        singles[i] = (float)matrix->values[i];
    if (!status)
        status = upload(task, product, matrix->indices, count * sizeof *matrix->indices, indices, err);
    if (!status)
        status = upload(task, product, singles, count * sizeof *singles, values, err);
    free(singles);
    return status;
}

// ---- launches ----

static struct spmv_argument from_x(void)
{
    return (struct spmv_argument){.kind = SPMV_X};
}

static struct spmv_argument to_y(void)
{
    return (struct spmv_argument){.kind = SPMV_Y};
}

static struct spmv_argument memory(kn_buffer *buffer)
{
    return (struct spmv_argument){.kind = SPMV_BUFFER, .buffer = buffer};
}

static struct spmv_argument number(size_t value)
{
    return (struct spmv_argument){.kind = SPMV_NUMBER, .number = (uint32_t)value};
}

static bool is_cuda(const struct spmv_task *task)
{
    return strcmp(task->info->backend, "cuda") == 0;
}

// NVIDIA's OpenCL finds its rungs by itself.
static kn_status get_kernel(const struct spmv_task *task, const char *file, const char *name,
                            unsigned index_bits, kn_kernel **kernel, kn_error *err)
{
    struct column_defines defines = {.count = 0};

    column_define(&defines, "GROUP", task->tuning.group);
    column_define(&defines, "LANES", task->tuning.lanes);
    column_define(&defines, "ITEMS", task->tuning.items);
    column_define(&defines, "CHUNK", task->tuning.chunk);
    column_define(&defines, "INDEX_BITS", index_bits);
    if (is_cuda(task)) {
        column_define(&defines, "KN_SUBGROUP", 1);
        column_define(&defines, "KN_ATOMIC_FLOAT", 1);
    }
    return engine_builtin_kernel(kn_queue_context(task->queue), file, defines.items, defines.count,
                                 KN_POLICY_DEFAULT, name, kernel, err);
}

// A launch of at least so many work-items; none if that is 0.
static void add_launch(struct spmv_product *product, kn_kernel *kernel, size_t items, size_t group,
                       const struct spmv_argument *arguments, size_t count)
{
    struct spmv_launch *launch = &product->launches[product->launch_count];

    if (items == 0)
        return;
    *launch = (struct spmv_launch){.kernel = kernel, .groups = (items + group - 1) / group, .group = group};
    memcpy(launch->arguments, arguments, count * sizeof *arguments);
    launch->count = count;
    product->launch_count++;
}

// Some devices stop a work-item's loops, silently.
static kn_status check_loops(const struct spmv_task *task, const struct spmv_product *product, size_t loops,
                             kn_error *err)
{
    if (task->info->loop_limit && loops >= task->info->loop_limit)
        return kn_fail(
            err, KN_ERROR_LIMIT,
            "%s: %zu passes of a loop for one row, but %s (%s) stops loops after %u; use coo or merge",
            sparse_format_names[product->format], loops, task->info->spec, task->info->name,
            task->info->loop_limit);
    return KN_OK;
}

// Passes over the vector through local memory.
static size_t chunk_loops(const struct spmv_task *task)
{
    size_t columns = task->matrix->columns;

    return columns / task->tuning.chunk + 1 + columns / task->tuning.group + 1;
}

// ---- rows ----

static kn_status prepare_rows(const struct spmv_task *task, const struct sparse_matrix *matrix,
                              const char *name, size_t lanes, struct spmv_product *product, kn_error *err)
{
    kn_buffer *starts, *indices, *values;
    kn_kernel *kernel;
    kn_status status = upload_starts(task, matrix, product, &starts, err);

    if (!status)
        status = upload_nonzeros(task, matrix, product, &indices, &values, err);
    if (!status)
        status = get_kernel(task, "sparse_csr.cl", name, 32, &kernel, err);
    if (!status) {
        const struct spmv_argument arguments[] = {
            memory(starts), memory(indices),      memory(values),         from_x(),
            to_y(),         number(matrix->rows), number(matrix->columns)};
        add_launch(product, kernel, matrix->rows * lanes, task->tuning.group, arguments, KN_COUNT(arguments));
    }
    return status;
}

static kn_status prepare_simple(const struct spmv_task *task, struct spmv_product *product, kn_error *err)
{
    kn_status status = check_loops(task, product, spmv_longest_row(task->matrix), err);

    return status ? status : prepare_rows(task, task->matrix, "spmv_simple", 1, product, err);
}

static kn_status prepare_local(const struct spmv_task *task, struct spmv_product *product, kn_error *err)
{
    kn_status status = check_loops(task, product, spmv_longest_row(task->matrix) + chunk_loops(task), err);

    return status ? status : prepare_rows(task, task->matrix, "spmv_local", 1, product, err);
}

static kn_status prepare_vector(const struct spmv_task *task, struct spmv_product *product, kn_error *err)
{
    size_t lanes = task->tuning.lanes;
    kn_status status = check_loops(task, product, spmv_longest_row(task->matrix) / lanes + 8, err);

    return status ? status : prepare_rows(task, task->matrix, "spmv_vector", lanes, product, err);
}

// By columns, which are the transposed matrix's rows.
static kn_status prepare_backprojection(const struct spmv_task *task, struct spmv_product *product,
                                        kn_error *err)
{
    size_t lanes = task->tuning.lanes;
    kn_status status = check_loops(task, product, spmv_longest_row(task->transposed) / lanes + 8, err);

    product->adds = true;
    return status ? status : prepare_rows(task, task->transposed, "spmv_scatter", lanes, product, err);
}

// ---- side by side ----

static size_t stride_of(const struct sparse_matrix *matrix)
{
    return (matrix->rows + SLICE - 1) / SLICE * SLICE;
}

size_t spmv_padded(const struct sparse_matrix *matrix)
{
    return stride_of(matrix) * spmv_longest_row(matrix);
}

// The first `width` nonzeros of every row.
static kn_status upload_side_by_side(const struct spmv_task *task, size_t width, struct spmv_product *product,
                                     kn_buffer **indices, kn_buffer **values, kn_error *err)
{
    const struct sparse_matrix *matrix = task->matrix;
    size_t stride = stride_of(matrix), places = stride * width;
    uint32_t *columns = NULL;
    float *singles = NULL;
    kn_status status = KN_OK;

    // Before the host is asked for it.
    if (places > task->info->max_alloc / sizeof *columns)
        return kn_fail(
            err, KN_ERROR_LIMIT,
            "%s pads %zu rows to the longest one's %zu nonzeros, more than one allocation of %s holds (%llu "
            "bytes); sell, hyb and merge do not",
            sparse_format_names[product->format], matrix->rows, width, task->info->spec,
            (unsigned long long)task->info->max_alloc);
    status = allocate(&columns, places * sizeof *columns, err);
    if (!status)
        status = allocate(&singles, places * sizeof *singles, err);
    for (size_t i = 0; i < places && !status; i++) {
        columns[i] = PAD;
        singles[i] = 0;
    }
    for (size_t row = 0; row < matrix->rows && !status; row++)
        for (uint64_t i = matrix->starts[row]; i < matrix->starts[row + 1] && i - matrix->starts[row] < width;
             i++) {
            size_t at = (size_t)(i - matrix->starts[row]) * stride + row;
            columns[at] = matrix->indices[i];
            singles[at] = (float)matrix->values[i];
        }
    if (!status)
        status = upload(task, product, columns, places * sizeof *columns, indices, err);
    if (!status)
        status = upload(task, product, singles, places * sizeof *singles, values, err);
    free(columns);
    free(singles);
    return status;
}

static kn_status upload_lengths(const struct spmv_task *task, struct spmv_product *product,
                                kn_buffer **buffer, kn_error *err)
{
    const struct sparse_matrix *matrix = task->matrix;
    uint32_t *lengths = NULL;
    kn_status status = allocate(&lengths, matrix->rows * sizeof *lengths, err);

    for (size_t row = 0; row < matrix->rows && !status; row++)
        lengths[row] = (uint32_t)(matrix->starts[row + 1] - matrix->starts[row]);
    if (!status)
        status = upload(task, product, lengths, matrix->rows * sizeof *lengths, buffer, err);
    free(lengths);
    return status;
}

static kn_status prepare_side_by_side(const struct spmv_task *task, const char *name, size_t width,
                                      struct spmv_product *product, kn_error *err)
{
    const struct sparse_matrix *matrix = task->matrix;
    bool ell = strcmp(name, "spmv_ell") == 0;
    kn_buffer *lengths = NULL, *indices, *values;
    kn_kernel *kernel;
    kn_status status = upload_side_by_side(task, width, product, &indices, &values, err);

    if (!status && !ell)
        status = upload_lengths(task, product, &lengths, err);
    if (!status)
        status = get_kernel(task, "sparse_ell.cl", name, 32, &kernel, err);
    if (!status) {
        const struct spmv_argument arguments[] = {memory(ell ? indices : lengths),
                                                  memory(indices),
                                                  memory(values),
                                                  from_x(),
                                                  to_y(),
                                                  number(matrix->rows),
                                                  number(matrix->columns),
                                                  number(stride_of(matrix)),
                                                  number(width)};
        add_launch(product, kernel, matrix->rows, task->tuning.group, arguments, KN_COUNT(arguments));
    }
    return status;
}

static kn_status prepare_layout(const struct spmv_task *task, struct spmv_product *product, kn_error *err)
{
    size_t longest = spmv_longest_row(task->matrix);
    kn_status status = check_loops(task, product, longest, err);

    return status ? status : prepare_side_by_side(task, "spmv_layout", longest, product, err);
}

static kn_status prepare_layout_local(const struct spmv_task *task, struct spmv_product *product,
                                      kn_error *err)
{
    size_t longest = spmv_longest_row(task->matrix);
    kn_status status = check_loops(task, product, longest + chunk_loops(task), err);

    return status ? status : prepare_side_by_side(task, "spmv_layout_local", longest, product, err);
}

static kn_status prepare_ell(const struct spmv_task *task, struct spmv_product *product, kn_error *err)
{
    size_t longest = spmv_longest_row(task->matrix);
    kn_status status = check_loops(task, product, longest, err);

    return status ? status : prepare_side_by_side(task, "spmv_ell", longest, product, err);
}

// ---- slices of rows of like length ----

// Rows by their lengths, the longest first, equal ones in their order: a counting sort.
static kn_status sort_rows(const struct sparse_matrix *matrix, uint32_t *places, kn_error *err)
{
    size_t longest = spmv_longest_row(matrix);
    size_t *first = calloc(longest + 2, sizeof *first); // of rows longer by one, then of rows as long

    if (!first)
        return kn_fail_memory(err, (longest + 2) * sizeof *first, "sorting the rows of a sparse matrix");
    for (size_t row = 0; row < matrix->rows; row++)
        first[longest - (size_t)(matrix->starts[row + 1] - matrix->starts[row]) + 1]++;
    for (size_t i = 1; i <= longest; i++)
        first[i] += first[i - 1];
    for (size_t row = 0; row < matrix->rows; row++)
        places[first[longest - (size_t)(matrix->starts[row + 1] - matrix->starts[row])]++] = (uint32_t)row;
    free(first);
    return KN_OK;
}

static size_t length_of(const struct sparse_matrix *matrix, uint32_t row)
{
    return (size_t)(matrix->starts[row + 1] - matrix->starts[row]);
}

struct slices {
    size_t count;
    uint32_t *starts, *places;
    void *indices; // of 16 bits if `narrow`
    float *values;
    bool narrow;
};

static void fill_slices(const struct sparse_matrix *matrix, struct slices *slices)
{
    uint16_t *narrow = slices->indices;
    uint32_t *wide = slices->indices;

    for (size_t at = 0; at < slices->starts[slices->count]; at++) {
        slices->values[at] = 0;
        if (slices->narrow)
            narrow[at] = UINT16_MAX;
        else
            wide[at] = PAD;
    }
    for (size_t place = 0; place < matrix->rows; place++) {
        uint32_t row = slices->places[place];
        size_t at = slices->starts[place / SLICE] + place % SLICE;
        for (uint64_t i = matrix->starts[row]; i < matrix->starts[row + 1]; i++, at += SLICE) {
            slices->values[at] = (float)matrix->values[i];
            if (slices->narrow)
                narrow[at] = (uint16_t)matrix->indices[i];
            else
                wide[at] = matrix->indices[i];
        }
    }
}

static kn_status make_slices(const struct sparse_matrix *matrix, struct slices *slices, kn_error *err)
{
    uint64_t total = 0;
    kn_status status;

    slices->count = (matrix->rows + SLICE - 1) / SLICE;
    slices->narrow = matrix->columns < UINT16_MAX + 1;
    status = allocate(&slices->starts, (slices->count + 1) * sizeof *slices->starts, err);
    if (!status)
        status = allocate(&slices->places, matrix->rows * sizeof *slices->places, err);
    if (!status)
        status = sort_rows(matrix, slices->places, err);
    if (status)
        return status;
    for (size_t slice = 0; slice <= slices->count; slice++) {
        slices->starts[slice] = (uint32_t)total;
        if (slice < slices->count)
            total += SLICE * length_of(matrix, slices->places[slice * SLICE]);
        if (total > UINT32_MAX)
            return kn_fail(err, KN_ERROR_LIMIT,
                           "sell pads rows to %llu places and more, which 32 bits do not count; "
                           "use merge",
                           (unsigned long long)total);
    }
    status = allocate(&slices->indices, total * (slices->narrow ? 2 : 4), err);
    if (!status)
        status = allocate(&slices->values, total * sizeof *slices->values, err);
    if (!status)
        fill_slices(matrix, slices);
    return status;
}

static kn_status prepare_sell(const struct spmv_task *task, struct spmv_product *product, kn_error *err)
{
    const struct sparse_matrix *matrix = task->matrix;
    struct slices slices = {.count = 0};
    kn_buffer *starts, *places, *indices, *values;
    kn_kernel *kernel;
    kn_status status = check_loops(task, product, spmv_longest_row(matrix), err);

    if (!status)
        status = make_slices(matrix, &slices, err);
    if (!status) {
        size_t total = slices.starts[slices.count];
        status =
            upload(task, product, slices.starts, (slices.count + 1) * sizeof *slices.starts, &starts, err);
        if (!status)
            status = upload(task, product, slices.places, matrix->rows * sizeof *slices.places, &places, err);
        if (!status)
            status = upload(task, product, slices.indices, total * (slices.narrow ? 2 : 4), &indices, err);
        if (!status)
            status = upload(task, product, slices.values, total * sizeof *slices.values, &values, err);
    }
    if (!status)
        status = get_kernel(task, "sparse_ell.cl", "spmv_sell", slices.narrow ? 16 : 32, &kernel, err);
    if (!status) {
        const struct spmv_argument arguments[] = {memory(starts),      memory(places), memory(indices),
                                                  memory(values),      from_x(),       to_y(),
                                                  number(matrix->rows)};
        add_launch(product, kernel, matrix->rows, task->tuning.group, arguments, KN_COUNT(arguments));
    }
    free(slices.starts);
    free(slices.places);
    free(slices.indices);
    free(slices.values);
    return status;
}

// ---- segments ----

// What groups leave of rows that do not end in them, and its addition.
static kn_status prepare_carry(const struct spmv_task *task, struct spmv_product *product, size_t groups,
                               kn_buffer **rows, kn_buffer **sums, kn_error *err)
{
    kn_status status = upload(task, product, NULL, groups * sizeof(uint32_t), rows, err);

    return status ? status : upload(task, product, NULL, groups * sizeof(float), sums, err);
}

static kn_status add_carry(const struct spmv_task *task, struct spmv_product *product, size_t groups,
                           kn_buffer *rows, kn_buffer *sums, kn_error *err)
{
    const struct spmv_argument arguments[] = {memory(rows), memory(sums), to_y(), number(groups)};
    kn_kernel *kernel;
    kn_status status = check_loops(task, product, groups, err);

    if (!status)
        status = get_kernel(task, "sparse_segments.cl", "spmv_carry", 32, &kernel, err);
    if (!status)
        add_launch(product, kernel, groups, CARRY_GROUP, arguments, KN_COUNT(arguments));
    return status;
}

// Nonzeros beyond the first `width` of each row.
static kn_status prepare_entries(const struct spmv_task *task, size_t width, struct spmv_product *product,
                                 kn_error *err)
{
    const struct sparse_matrix *matrix = task->matrix;
    size_t tile = (size_t)task->tuning.group * task->tuning.items, count = 0, groups;
    uint32_t *rows = NULL, *columns = NULL;
    float *singles = NULL;
    kn_buffer *row, *column, *value, *carry_rows, *carry_sums;
    kn_kernel *kernel;
    kn_status status = allocate(&rows, matrix->nonzeros * sizeof *rows, err);

    product->adds = true;
    if (!status)
        status = allocate(&columns, matrix->nonzeros * sizeof *columns, err);
    if (!status)
        status = allocate(&singles, matrix->nonzeros * sizeof *singles, err);
    for (size_t i = 0; i < matrix->rows && !status; i++)
        for (uint64_t at = matrix->starts[i] + width; at < matrix->starts[i + 1]; at++, count++) {
            rows[count] = (uint32_t)i;
            columns[count] = matrix->indices[at];
            singles[count] = (float)matrix->values[at];
        }
    groups = (count + tile - 1) / tile;
    if (!status)
        status = upload(task, product, rows, count * sizeof *rows, &row, err);
    if (!status)
        status = upload(task, product, columns, count * sizeof *columns, &column, err);
    if (!status)
        status = upload(task, product, singles, count * sizeof *singles, &value, err);
    if (!status)
        status = prepare_carry(task, product, groups, &carry_rows, &carry_sums, err);
    if (!status)
        status = get_kernel(task, "sparse_segments.cl", "spmv_coo", 32, &kernel, err);
    if (!status) {
        const struct spmv_argument arguments[] = {
            memory(row), memory(column), memory(value),      from_x(),
            to_y(),      number(count),  memory(carry_rows), memory(carry_sums)};
        add_launch(product, kernel, groups * task->tuning.group, task->tuning.group, arguments,
                   KN_COUNT(arguments));
        status = add_carry(task, product, groups, carry_rows, carry_sums, err);
    }
    free(rows);
    free(columns);
    free(singles);
    return status;
}

static kn_status prepare_coo(const struct spmv_task *task, struct spmv_product *product, kn_error *err)
{
    return prepare_entries(task, 0, product, err);
}

// What a third of the rows have at least: ELLPACK's nonzero costs a third of COO's, as Bell and Garland
// found.
static kn_status hybrid_width(const struct sparse_matrix *matrix, size_t *width, kn_error *err)
{
    size_t longest = spmv_longest_row(matrix), rows = 0;
    size_t *counts = calloc(longest + 1, sizeof *counts);

    if (!counts)
        return kn_fail_memory(err, (longest + 1) * sizeof *counts, "a sparse matrix");
    for (size_t row = 0; row < matrix->rows; row++)
        counts[matrix->starts[row + 1] - matrix->starts[row]]++;
    for (*width = longest; *width > 0; --*width) {
        rows += counts[*width];
        if (3 * rows >= matrix->rows)
            break;
    }
    free(counts);
    return KN_OK;
}

// ELLPACK comes first, into a y that is not looked at; COO adds.
static kn_status prepare_hyb(const struct spmv_task *task, struct spmv_product *product, kn_error *err)
{
    size_t width = 0;
    kn_status status = hybrid_width(task->matrix, &width, err);

    if (!status)
        status = check_loops(task, product, width, err);
    if (!status)
        status = prepare_side_by_side(task, "spmv_ell", width, product, err);
    if (!status)
        status = prepare_entries(task, width, product, err);
    product->adds = false;
    return status;
}

static kn_status prepare_merge(const struct spmv_task *task, struct spmv_product *product, kn_error *err)
{
    const struct sparse_matrix *matrix = task->matrix;
    size_t group = task->tuning.group, tile = group * task->tuning.items;
    size_t groups = (matrix->rows + matrix->nonzeros + tile - 1) / tile;
    kn_buffer *starts, *indices, *values, *carry_rows, *carry_sums;
    kn_kernel *kernel;
    kn_status status = upload_starts(task, matrix, product, &starts, err);

    if (!status)
        status = upload_nonzeros(task, matrix, product, &indices, &values, err);
    if (!status)
        status = prepare_carry(task, product, groups, &carry_rows, &carry_sums, err);
    if (!status)
        status = get_kernel(task, "sparse_segments.cl", "spmv_merge", 32, &kernel, err);
    if (!status) {
        const struct spmv_argument arguments[] = {
            memory(starts),       memory(indices),          memory(values),     from_x(),          to_y(),
            number(matrix->rows), number(matrix->nonzeros), memory(carry_rows), memory(carry_sums)};
        add_launch(product, kernel, groups * group, group, arguments, KN_COUNT(arguments));
        status = add_carry(task, product, groups, carry_rows, carry_sums, err);
    }
    return status;
}

spmv_prepare *const spmv_formats[SPARSE_FORMATS] = {
    [SPARSE_SIMPLE] = prepare_simple,
    [SPARSE_MEMORY_LAYOUT] = prepare_layout,
    [SPARSE_LOCAL_MEMORY] = prepare_local,
    [SPARSE_MEMORY_LAYOUT_LOCAL] = prepare_layout_local,
    [SPARSE_BACKPROJECTION] = prepare_backprojection,
    [SPARSE_ELL] = prepare_ell,
    [SPARSE_CSR_VECTOR] = prepare_vector,
    [SPARSE_COO] = prepare_coo,
    [SPARSE_HYB] = prepare_hyb,
    [SPARSE_SELL] = prepare_sell,
    [SPARSE_MERGE] = prepare_merge,
};
