// SPDX-License-Identifier: Apache-2.0
// What a sum on a device holds, for the files that make it.
#ifndef KN_APP_MRI_SUM_SUM_INTERNAL_H
#define KN_APP_MRI_SUM_SUM_INTERNAL_H

#include "algo/columns.h"
#include "sum.h"

// Checks what host and device sums ask for alike; `sum` with its count filled in.
kn_status ki_sum_check(const char *function, struct mri_sum *sum, kn_error *err);

// KN_ERROR_ARGUMENT for positions of a product of matrices.
kn_status ki_sum_check_positions(const char *function, const struct mri_sum *sum, enum mri_kernel kernel,
                                 kn_error *err);

// Whether mu is real.
static inline bool sum_is_real(const struct mri_sum *sum)
{
    return !sum->data && !sum->device_data && !sum->basis;
}

// Where a voxel of the sum is.
void ki_sum_position(const struct mri_sum *sum, size_t voxel, double r[MRI_AXES]);

// As kernels take complex numbers.
void ki_sum_round_pairs(const double complex *from, size_t count, float *to);

// The additions and multiplications of a pair, by the lecture's count.
double ki_sum_flops(const struct mri_sum *sum);

enum { SUM_CHUNK = 4096 }; // samples in a float's sum at most

// A sample's numbers: k and mu.
enum sum_component { SUM_X, SUM_Y, SUM_Z, SUM_RE, SUM_IM, SUM_COMPONENTS };

// Where a component of sample m is: word at + m * step of that buffer.
struct sum_slot {
    unsigned buffer, at, step;
};

struct sum_layout {
    unsigned buffers;
    struct sum_slot slots[SUM_COMPONENTS];
};

enum sum_voxels { SUM_VOXEL_RECORDS, SUM_VOXEL_ARRAYS, SUM_VOXELS_NOWHERE };

// A launch's samples and voxels.
struct sum_range {
    uint32_t begin, end; // samples of those that are on the device
    size_t from;         // the first voxel, counted from the sum's first
    uint32_t count;
    kn_buffer *image; // the part of it that has them, and where
    uint64_t at;
    uint32_t stage;
};

// Places of scratch memory, which sums and forward sums share; some may be in a struct mri_there instead.
enum sum_place {
    SUM_PLACE_WEIGHTS,
    SUM_PLACE_BASIS,
    SUM_PLACE_POSITIONS,
    SUM_PLACE_SAMPLES = SUM_PLACE_POSITIONS + MRI_AXES,
    SUM_PLACE_CHUNKS = SUM_PLACE_SAMPLES + SUM_COMPONENTS,
    SUM_PLACE_TOTAL = SUM_PLACE_CHUNKS + SUM_COMPONENTS,
    SUM_PLACE_PARTS,
    SUM_PLACE_DATA,
    SUM_PLACES
};
_Static_assert((int)SUM_PLACE_CHUNKS == (int)MRI_THERE, "what stays has the first places");

// A buffer of scratch memory, or where `there` is not NULL one that stays.
kn_status ki_sum_get(const struct engine_scratch *scratch, struct mri_there *there, unsigned place,
                     size_t bytes, kn_buffer **buffer, kn_error *err);
// What a place has is there from an earlier sum.
static inline bool sum_is_there(const struct mri_there *there, unsigned place)
{
    return there && there->is_written[place];
}
// Writes a place's numbers, for this sum or, where `there` is not NULL, for all that follow, too.
kn_status ki_sum_write(kn_queue *queue, struct mri_there *there, unsigned place, kn_buffer *buffer,
                       const void *from, size_t bytes, kn_error *err);

// The launches of a sum, and how much of it they are.
struct sum_launches {
    double part, share; // what is done of the sum, and what the next launch does of it
    bool timed;         // their events are kept
    kn_event **events;
    size_t event_count, event_capacity;
};

struct sum_work {
    struct sum_launches launches;
    kn_queue *queue;
    struct engine_scratch scratch;
    const struct mri_sum *sum;
    struct mri_there *samples_there, *voxels_there; // sum->there, or NULL where they are too many
    const struct sum_layout *layout;
    enum sum_voxels voxels;
    bool constant;  // samples are copied to buffers as large as a chunk
    bool fractions; // k are fractions of a turn
    size_t chunk;   // samples a launch
    kn_kernel *kernel, *mu, *fold;
    kn_buffer *samples[SUM_COMPONENTS], *chunks[SUM_COMPONENTS]; // all that are there; a launch's
    kn_buffer *data, *weights, *basis;
    kn_buffer *positions[MRI_AXES], *total, *parts;
    struct mri_tuning tuning;
    struct mri_product product;
    // MRI_TUNED: the axis along which a work-item's voxels lie, voxels in a plane across it, groups in all,
    // and groups that share samples.
    unsigned axis;
    size_t plane;
    uint32_t line_parts;
    double loads;
};

// A launch whose work-items along dimension 0 have `pairs` of a voxel and a sample each: on a CPU several, of
// a part of these each, so that none takes long. The queue asks before each whether to go on. A launch that
// is no part of the sum has 0.
kn_status ki_sum_launch(kn_queue *queue, struct sum_launches *launches, kn_kernel *kernel,
                        const kn_range *range, double pairs, const kn_arg *args, size_t count, kn_error *err);

// Samples [begin, begin + count) of those that are there, to the buffers of a chunk.
kn_status ki_sum_copy_chunk(struct sum_work *work, size_t begin, size_t count, kn_error *err);

// Of MRI_TUNED: shape and kernel for slabs of `slab` voxels at most; a launch.
kn_status ki_sum_tuned_open(struct sum_work *work, size_t slab, kn_error *err);
// Bytes that groups that share samples take at most.
size_t ki_sum_parts_memory(const kn_queue *queue, size_t slab, size_t samples);
kn_status ki_sum_tuned_launch(struct sum_work *work, const struct sum_range *range, kn_error *err);

// The same of MRI_SEPARABLE (separable.c).
kn_status ki_separable_open(struct sum_work *work, size_t slab, kn_error *err);
size_t ki_separable_parts_memory(const kn_queue *queue, size_t slab, size_t samples);
kn_status ki_separable_launch(struct sum_work *work, const struct sum_range *range, kn_error *err);

enum { SUM_SHARE = 64 }; // samples a group at least, where groups share them
// Groups that share the samples of `slab` voxels, of `groups` for all of them where `busy` keep the device
// so; `asked` if that is not 0.
uint32_t ki_sum_parts(const struct sum_work *work, size_t slab, size_t groups, size_t busy, unsigned asked);
// Scratch memory for their sums, and the kernel of ki_sum_fold; of a single group neither.
kn_status ki_sum_get_parts(struct sum_work *work, size_t slab, kn_error *err);
kn_status ki_sum_fold(struct sum_work *work, const struct sum_range *range, uint32_t rows, kn_error *err);

// ---- the host's product of matrices (separable_host.c) ----

struct host_plan;
struct sum_samples;

// `samples`: all of them, k in turns a voxel (`is_double`), or as fractions of them; no positions.
kn_status ki_separable_host(const struct mri_sum *sum, const struct sum_samples *samples,
                            const struct host_plan *plan, bool is_double, double complex *image,
                            kn_error *err);
// Beside the samples, of numbers of `size` bytes.
struct mri_bytes ki_separable_host_memory(size_t size);

// ---- NUFFTs (nufft.c, nufft_host.c) ----

kn_status ki_nufft_device(kn_queue *queue, const struct mri_sum *sum, kn_buffer *image, kn_recon_rate *rate,
                          kn_error *err);

kn_status ki_nufft_host(const struct mri_sum *sum, enum mri_kernel kernel, const kn_host_options *options,
                        double complex *image, kn_recon_rate *rate, kn_error *err);
// At most: of the least tolerance.
struct mri_bytes ki_nufft_host_memory(const kn_recon_matrix *matrix, size_t samples, enum mri_kernel kernel);

#endif
