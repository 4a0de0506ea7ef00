// SPDX-License-Identifier: Apache-2.0
// A product of a matrix and a vector, as prepared by its format: buffers, and launches in order.
#ifndef KN_APP_SPARSE_PRODUCT_SPMV_INTERNAL_H
#define KN_APP_SPARSE_PRODUCT_SPMV_INTERNAL_H

#include "algo/columns.h"
#include "base/text/text.h"
#include "spmv.h"

enum { SPMV_ARGUMENTS = 10, SPMV_LAUNCHES = 3, SPMV_BUFFERS = 8 };

// The buffers of formats stored by rows, and by slices.
enum { SPMV_CSR_STARTS, SPMV_CSR_INDICES, SPMV_CSR_VALUES };
enum { SPMV_SELL_STARTS, SPMV_SELL_ORDER, SPMV_SELL_INDICES, SPMV_SELL_VALUES };

struct spmv_argument {
    enum { SPMV_X, SPMV_Y, SPMV_BUFFER, SPMV_NUMBER } kind;
    kn_buffer *buffer;
    uint32_t number;
};

struct spmv_launch {
    kn_kernel *kernel;
    size_t groups, group;
    struct spmv_argument arguments[SPMV_ARGUMENTS];
    size_t count;
};

struct spmv_product {
    kn_sparse_format format;
    size_t rows, columns; // of the matrix: lengths of y and x
    bool adds;            // launches add to y, which must be 0 before
    kn_type type;         // of values, x and y
    kn_buffer *buffers[SPMV_BUFFERS];
    size_t buffer_count;
    struct spmv_launch launches[SPMV_LAUNCHES];
    size_t launch_count;
    size_t bytes; // of the matrix that a product reads
};

// The input of a format.
struct spmv_task {
    kn_queue *queue;
    const kn_device_info *info;
    const struct sparse_matrix *matrix, *transposed; // NULL if the product is made from a geometry
    const struct sparse_parallel *geometry;
    bool back; // for a geometry: y = A^T x
    // For the back-projection of a geometry: the factors of the projections, by which the values interpolated
    // between two detectors are multiplied, instead of the weights of A; NULL: the weights of A.
    const double *interpolated;
    struct sparse_tuning tuning; // with all sizes filled in
};

// ---- parts that formats share ----

static inline struct spmv_argument spmv_x(void)
{
    return (struct spmv_argument){.kind = SPMV_X};
}

static inline struct spmv_argument spmv_y(void)
{
    return (struct spmv_argument){.kind = SPMV_Y};
}

static inline struct spmv_argument spmv_memory(kn_buffer *buffer)
{
    return (struct spmv_argument){.kind = SPMV_BUFFER, .buffer = buffer};
}

static inline struct spmv_argument spmv_number(size_t value)
{
    return (struct spmv_argument){.kind = SPMV_NUMBER, .number = (uint32_t)value};
}

// Size in bytes of a number of the type.
static inline size_t spmv_number_bytes(const struct spmv_task *task)
{
    return task->tuning.is_double ? sizeof(double) : sizeof(float);
}

// Allocates memory on the host, which the caller frees; `address` is the address of a pointer.
kn_status ki_spmv_allocate(void *address, size_t bytes, kn_error *err);
// Creates the product's next buffer, all of which a product reads; `data`, on the host, may be NULL.
kn_status ki_spmv_upload(const struct spmv_task *task, struct spmv_product *product, const void *data,
                         size_t bytes, kn_buffer **buffer, kn_error *err);
// Uploads values, converted to the type.
kn_status ki_spmv_upload_values(const struct spmv_task *task, struct spmv_product *product,
                                const double *values, size_t count, kn_buffer **buffer, kn_error *err);
kn_status ki_spmv_upload_starts(const struct spmv_task *task, const struct sparse_matrix *matrix,
                                struct spmv_product *product, kn_buffer **buffer, kn_error *err);
kn_status ki_spmv_upload_nonzeros(const struct spmv_task *task, const struct sparse_matrix *matrix,
                                  struct spmv_product *product, kn_buffer **indices, kn_buffer **values,
                                  kn_error *err);

kn_status ki_spmv_kernel(const struct spmv_task *task, const char *file, const char *name,
                         unsigned index_bits, kn_kernel **kernel, kn_error *err);
// Adds a launch of at least `items` work-items; none if `items` is 0.
void ki_spmv_add_launch(struct spmv_product *product, kn_kernel *kernel, size_t items, size_t group,
                        const struct spmv_argument *arguments, size_t count);
// KN_ERROR_LIMIT if the loops of a work-item are longer than the device allows: some devices stop them
// silently.
kn_status ki_spmv_check_loops(const struct spmv_task *task, const struct spmv_product *product, size_t loops,
                              kn_error *err);
// The passes over the vector through local memory.
size_t ki_spmv_chunk_loops(const struct spmv_task *task);

typedef kn_status spmv_prepare(const struct spmv_task *task, struct spmv_product *product, kn_error *err);

spmv_prepare ki_spmv_prepare_layout, ki_spmv_prepare_layout_local, ki_spmv_prepare_ell, ki_spmv_prepare_sell;
spmv_prepare ki_spmv_prepare_coo, ki_spmv_prepare_hyb, ki_spmv_prepare_merge;
spmv_prepare ki_spmv_prepare_on_the_fly, ki_spmv_prepare_on_the_fly_local, ki_spmv_prepare_fan;
// ELLPACK with the first `width` nonzeros of every row, for the kernel `name`.
kn_status ki_spmv_prepare_side_by_side(const struct spmv_task *task, const char *name, size_t width,
                                       struct spmv_product *product, kn_error *err);

// One function for each format except KN_SPARSE_AUTO.
extern spmv_prepare *const ki_spmv_formats[SPARSE_FORMATS];

// `tuning` may be NULL; sizes of 0 are filled in.
struct spmv_task ki_spmv_task_of(kn_queue *queue, const struct sparse_matrix *matrix,
                                 const struct sparse_matrix *transposed, const struct sparse_tuning *tuning);
struct spmv_task ki_spmv_task_of_geometry(kn_queue *queue, const struct sparse_parallel *geometry, bool back,
                                          const struct sparse_tuning *tuning);
// The lengths of y and of x.
size_t ki_spmv_task_rows(const struct spmv_task *task);
size_t ki_spmv_task_columns(const struct spmv_task *task);
// What products on the fly share. Sizes that the tuning leaves open are filled in.
void ki_spmv_settle_rays(struct spmv_task *task, bool local);
int64_t ki_spmv_fixed(double x); // with PARALLEL_FRACTION fractional bits
size_t ki_spmv_tiles(const struct spmv_task *task);
kn_status ki_spmv_ray_kernel(const struct spmv_task *task, const char *file, const char *name,
                             kn_kernel **kernel, kn_error *err);
// Launches the copying of the picture's pairs of neighbours along its lines and along its columns.
kn_status ki_spmv_add_turn(const struct spmv_task *task, struct spmv_product *product, kn_buffer *pairs[2],
                           kn_error *err);
// Adds a kernel with its buffers, followed by the numbers of the geometry.
void ki_spmv_add_rays(const struct spmv_task *task, struct spmv_product *product, kn_kernel *kernel,
                      const struct spmv_argument *vectors, size_t count, size_t items);

// Whether the format needs only a geometry: the formats on the fly, and KN_SPARSE_AUTO, which chooses one of
// them.
bool ki_spmv_takes_geometry(kn_sparse_format format);
// Refuses a matrix and a format for ki_sparse_operator_create.
kn_status ki_spmv_check(const kn_device_info *info, const struct sparse_matrix *matrix,
                        kn_sparse_format format, bool is_double, kn_error *err);

// The bytes of the buffers of a product in this format; for KN_SPARSE_AUTO, the most that a candidate needs.
// Only sizes and starts of matrices are read. KN_ERROR_MEMORY: on the host, for the lengths of rows.
kn_status ki_spmv_estimate(const struct spmv_task *task, kn_sparse_format format, size_t *bytes,
                           kn_error *err);
// The same for the formats on the fly.
size_t ki_spmv_estimate_parallel(const struct spmv_task *task, bool local);
size_t ki_spmv_estimate_fan(const struct spmv_task *task);
size_t ki_spmv_estimate_fan_interpolated(const struct spmv_task *task);
// The bytes that the factors of a geometry's rows add to them.
size_t ki_spmv_estimate_factors(const struct spmv_task *task);
// The formats that KN_SPARSE_AUTO tries.
const kn_sparse_format *ki_spmv_candidates(const struct spmv_task *task, size_t *count);
bool ki_spmv_is_worth_trying(const struct spmv_task *task, kn_sparse_format format);
// The number of nonzeros of each row that HYB stores in ELLPACK. KN_ERROR_MEMORY.
kn_status ki_spmv_hybrid_width(const struct sparse_matrix *matrix, size_t *width, kn_error *err);
// The number of places in SELL, including padding.
kn_status ki_spmv_sell_places(const struct sparse_matrix *matrix, size_t *places, kn_error *err);

// The number of places in ELLPACK, where every row is stored as long as the longest one.
size_t ki_spmv_padded(const struct sparse_matrix *matrix);

// y = M x in a format other than KN_SPARSE_AUTO. On failure `product` is empty.
kn_status ki_spmv_product_create(const struct spmv_task *task, kn_sparse_format format,
                                 struct spmv_product *product, kn_error *err);
// Finds the fastest format for y = M x; appends a summary of the measurement to `why`.
kn_status ki_spmv_choose(const struct spmv_task *task, kn_sparse_format *format, struct ki_text *why,
                         kn_error *err);
kn_status ki_spmv_product_apply(kn_queue *queue, const struct spmv_product *product, const kn_buffer *x,
                                kn_buffer *y, kn_error *err);
void ki_spmv_product_free(struct spmv_product *product);

#endif
