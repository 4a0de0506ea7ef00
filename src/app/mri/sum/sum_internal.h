// SPDX-License-Identifier: Apache-2.0
// The state of a sum on a device, for the files that compute it.
#ifndef KN_APP_MRI_SUM_SUM_INTERNAL_H
#define KN_APP_MRI_SUM_SUM_INTERNAL_H

#include "algo/columns.h"
#include "sum.h"

// The checks that sums on the host and on devices share; `sum` has its count filled in.
kn_status ki_sum_check(const char *function, struct mri_sum *sum, kn_error *err);

// KN_ERROR_ARGUMENT for given positions with a product of matrices.
kn_status ki_sum_check_positions(const char *function, const struct mri_sum *sum, enum mri_kernel kernel,
                                 kn_error *err);

// Whether mu is real.
static inline bool sum_is_real(const struct mri_sum *sum)
{
    return !sum->data && !sum->device_data && !sum->basis;
}

// The position of a voxel of the sum.
void ki_sum_position(const struct mri_sum *sum, size_t voxel, double r[MRI_AXES]);

// Converts complex numbers to the form that kernels take.
void ki_sum_round_pairs(const double complex *from, size_t count, float *to);

// The additions and multiplications of a pair, as counted in the lecture.
double ki_sum_flops(const struct mri_sum *sum);

enum { SUM_CHUNK = 4096 }; // the most samples in a float's sum

// The numbers of a sample: k and mu.
enum sum_component { SUM_X, SUM_Y, SUM_Z, SUM_RE, SUM_IM, SUM_COMPONENTS };

// Where a component of sample m is stored: word at + m * step of that buffer.
struct sum_slot {
    unsigned buffer, at, step;
};

struct sum_layout {
    unsigned buffers;
    struct sum_slot slots[SUM_COMPONENTS];
};

enum sum_voxels { SUM_VOXEL_RECORDS, SUM_VOXEL_ARRAYS, SUM_VOXELS_NOWHERE };

// The samples and voxels of a launch.
struct sum_range {
    uint32_t begin, end; // among the samples on the device
    size_t from;         // the first voxel, counted from the sum's first
    uint32_t count;
    kn_buffer *image; // the part of the image that contains them, and their place in it
    uint64_t at;
    uint32_t stage;
};

// Places in scratch memory, which sums and forward sums share; some may be in a struct mri_there instead.
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

// A buffer in scratch memory, or, if `there` is not NULL, one that is kept.
kn_status ki_sum_get(const struct engine_scratch *scratch, struct mri_there *there, unsigned place,
                     size_t bytes, kn_buffer **buffer, kn_error *err);
// Whether an earlier sum has already written a place.
static inline bool sum_is_there(const struct mri_there *there, unsigned place)
{
    return there && there->is_written[place];
}
// Writes the numbers of a place, for this sum, or, if `there` is not NULL, also for all following ones.
kn_status ki_sum_write(kn_queue *queue, struct mri_there *there, unsigned place, kn_buffer *buffer,
                       const void *from, size_t bytes, kn_error *err);

// The launches of a sum, and its progress.
struct sum_launches {
    double part, share; // the part of the sum that is done, and the share of the next launch
    bool timed;         // their events are kept
    kn_event **events;
    size_t event_count, event_capacity;
};

struct sum_work {
    struct sum_launches launches;
    kn_queue *queue;
    struct engine_scratch scratch;
    const struct mri_sum *sum;
    struct mri_there *samples_there, *voxels_there; // sum->there, or NULL if there is too much to keep
    const struct sum_layout *layout;
    enum sum_voxels voxels;
    bool constant;  // samples are copied to buffers of the size of a chunk
    bool fractions; // k is in fractions of a turn
    size_t chunk;   // samples per launch
    kn_kernel *kernel, *mu, *fold;
    kn_buffer *samples[SUM_COMPONENTS], *chunks[SUM_COMPONENTS]; // all on the device; those of a launch
    kn_buffer *data, *weights, *basis;
    kn_buffer *positions[MRI_AXES], *total, *parts;
    struct mri_tuning tuning;
    struct mri_product product;
    // MRI_TUNED: the axis along which a work-item's voxels lie, the voxels in a plane across it, the groups
    // in all, and the groups that share samples.
    unsigned axis;
    size_t plane;
    uint32_t line_parts;
    double loads;
};

// Launches work-items that compute, along dimension 0, `pairs` of a voxel and a sample each. On a CPU it is
// divided into several launches, so that none takes long, and the queue asks before each whether to go on.
// `pairs` is 0 for a launch that does not belong to the sum.
kn_status ki_sum_launch(kn_queue *queue, struct sum_launches *launches, kn_kernel *kernel,
                        const kn_range *range, double pairs, const kn_arg *args, size_t count, kn_error *err);

// Copies samples [begin, begin + count) of those on the device to the buffers of a chunk.
kn_status ki_sum_copy_chunk(struct sum_work *work, size_t begin, size_t count, kn_error *err);

// For MRI_TUNED: chooses sizes and builds the kernel for slabs of at most `slab` voxels; and launches it.
kn_status ki_sum_tuned_open(struct sum_work *work, size_t slab, kn_error *err);
// The most bytes for groups that share samples.
size_t ki_sum_parts_memory(const kn_queue *queue, size_t slab, size_t samples);
kn_status ki_sum_tuned_launch(struct sum_work *work, const struct sum_range *range, kn_error *err);

// The same for MRI_SEPARABLE (separable.c).
kn_status ki_separable_open(struct sum_work *work, size_t slab, kn_error *err);
size_t ki_separable_parts_memory(const kn_queue *queue, size_t slab, size_t samples);
kn_status ki_separable_launch(struct sum_work *work, const struct sum_range *range, kn_error *err);

enum { SUM_SHARE = 64 }; // the fewest samples per group, if groups share them
// The number of groups that share the samples of `slab` voxels, if these need `groups` groups and `busy`
// groups fill the device; `asked` if that is not 0.
uint32_t ki_sum_parts(const struct sum_work *work, size_t slab, size_t groups, size_t busy, unsigned asked);
// Scratch memory for their sums, and the kernel of ki_sum_fold; neither for a single group.
kn_status ki_sum_get_parts(struct sum_work *work, size_t slab, kn_error *err);
kn_status ki_sum_fold(struct sum_work *work, const struct sum_range *range, uint32_t rows, kn_error *err);

// ---- the host's product of matrices (separable_host.c) ----

struct host_plan;
struct sum_samples;

// `samples`: all samples, with k in turns per voxel (`is_double`) or as fractions of turns; no given
// positions.
kn_status ki_separable_host(const struct mri_sum *sum, const struct sum_samples *samples,
                            const struct host_plan *plan, bool is_double, double complex *image,
                            kn_error *err);
// The memory in addition to the samples, for numbers of `size` bytes.
struct mri_bytes ki_separable_host_memory(size_t size);

// ---- NUFFTs (nufft.c, nufft_host.c) ----

kn_status ki_nufft_device(kn_queue *queue, const struct mri_sum *sum, kn_buffer *image, kn_recon_rate *rate,
                          kn_error *err);

kn_status ki_nufft_host(const struct mri_sum *sum, enum mri_kernel kernel, const kn_host_options *options,
                        double complex *image, kn_recon_rate *rate, kn_error *err);
// An upper bound, for the least tolerance.
struct mri_bytes ki_nufft_host_memory(const kn_recon_matrix *matrix, size_t samples, enum mri_kernel kernel);

#endif
