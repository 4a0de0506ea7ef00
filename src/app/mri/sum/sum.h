// SPDX-License-Identifier: Apache-2.0
// The sums of mri.h: as they stand, every voxel with every sample, on devices by the lecture's kernels
// (cl/app/mri/mri_fhd.cl), each under its own name, and on the host; and the adjoint as a product of
// matrices.
//
// On the matrix's own voxels exp(i 2 pi k . r) is a product of three factors, one for each axis. So the image
// of x and of a column (y, z) is sum_m A_mx G_m(y,z), with A_mx = exp(i 2 pi k_x x) and G_m(y,z) = mu_m exp(i
// 2 pi (k_y y + k_z z)): a product of matrices, whose factors take a sine and a cosine for an element of A or
// G, and not for each pair. Voxels at x and -x share it: with U = sum cos(2 pi k_x x) G and V = sum sin(2 pi
// k_x x) G they are U + iV and U - iV, two multiplications and additions a pair. An axis of an even number of
// voxels has no such pairs, but half a voxel on it has: the half goes into G.
#ifndef KN_APP_MRI_SUM_SUM_H
#define KN_APP_MRI_SUM_SUM_H

#include <stdbool.h>

#include <koine/buffer.h>
#include <koine/experimental/recon.h>
#include <koine/host.h>

#include "base/ask.h"
#include "base/kept.h"
#include "engine/device/tuning.h"
#include "app/mri/gridding/host_nufft.h"
#include "app/mri/gridding/nufft.h"
#include "app/mri/memory.h"
#include "app/mri/mri.h"

enum mri_kernel {
    MRI_NAIVE,           // a voxel a work-item, its sum in global memory
    MRI_REGISTER,        // in registers
    MRI_COALESCED,       // an array for each component
    MRI_CONSTANT,        // samples through constant memory, in chunks
    MRI_CONSTANT_STRUCT, // there as records
    MRI_FAST_TRIG,       // MRI_CONSTANT with native sine and cosine
    MRI_TUNED,           // struct mri_tuning
    MRI_SEPARABLE,       // as a product of matrices: struct mri_product
    MRI_HOST_DOUBLE,     // the host, in double precision
    MRI_HOST_SINGLE,     // and in single, with vectors
    MRI_HOST_DOUBLE_SEPARABLE,
    MRI_HOST_SINGLE_SEPARABLE, // as products of matrices
    MRI_HOST_DOUBLE_NUFFT,
    MRI_HOST_SINGLE_NUFFT, // by a NUFFT, to a tolerance: all before are exact but for rounding
    MRI_HOST_DOUBLE_CARTESIAN,
    MRI_HOST_SINGLE_CARTESIAN, // by Fourier transforms, of samples that lie on the grid: exact as well
    MRI_NUFFT,
    MRI_CARTESIAN, // the same two on a device
    MRI_KERNELS,
    MRI_EXACT = MRI_HOST_DOUBLE_NUFFT
};

static inline bool mri_kernel_is_host(enum mri_kernel kernel)
{
    return kernel >= MRI_HOST_DOUBLE && kernel < MRI_NUFFT;
}

static inline bool mri_kernel_is_separable(enum mri_kernel kernel)
{
    return kernel == MRI_SEPARABLE || kernel == MRI_HOST_DOUBLE_SEPARABLE ||
           kernel == MRI_HOST_SINGLE_SEPARABLE;
}

static inline bool mri_kernel_is_nufft(enum mri_kernel kernel)
{
    return kernel == MRI_NUFFT || kernel == MRI_HOST_DOUBLE_NUFFT || kernel == MRI_HOST_SINGLE_NUFFT;
}

static inline bool mri_kernel_is_cartesian(enum mri_kernel kernel)
{
    return kernel == MRI_CARTESIAN || kernel == MRI_HOST_DOUBLE_CARTESIAN ||
           kernel == MRI_HOST_SINGLE_CARTESIAN;
}

// Both sums by a Fourier transform, which struct mri_nufft and struct mri_host_nufft prepare: a NUFFT's, or
// that of samples on the grid.
static inline bool mri_kernel_is_transform(enum mri_kernel kernel)
{
    return mri_kernel_is_nufft(kernel) || mri_kernel_is_cartesian(kernel);
}

static inline bool mri_kernel_is_of_device(enum mri_kernel kernel)
{
    return (unsigned)kernel < MRI_HOST_DOUBLE || kernel == MRI_NUFFT || kernel == MRI_CARTESIAN;
}

static inline bool mri_kernel_is_double(enum mri_kernel kernel)
{
    return kernel == MRI_HOST_DOUBLE || kernel == MRI_HOST_DOUBLE_SEPARABLE ||
           kernel == MRI_HOST_DOUBLE_NUFFT || kernel == MRI_HOST_DOUBLE_CARTESIAN;
}

// What has the same place and precision: the sum as it stands, as a product of matrices, by a NUFFT, and of
// samples on the grid. Of the lecture's kernels these are MRI_SEPARABLE, MRI_NUFFT and MRI_CARTESIAN.
static inline enum mri_kernel mri_kernel_direct(enum mri_kernel kernel)
{
    return mri_kernel_is_host(kernel) ? mri_kernel_is_double(kernel) ? MRI_HOST_DOUBLE : MRI_HOST_SINGLE
           : kernel == MRI_SEPARABLE || mri_kernel_is_transform(kernel) ? MRI_TUNED
                                                                        : kernel;
}

static inline enum mri_kernel mri_kernel_separable(enum mri_kernel kernel)
{
    return !mri_kernel_is_host(kernel)    ? MRI_SEPARABLE
           : mri_kernel_is_double(kernel) ? MRI_HOST_DOUBLE_SEPARABLE
                                          : MRI_HOST_SINGLE_SEPARABLE;
}

static inline enum mri_kernel mri_kernel_nufft(enum mri_kernel kernel)
{
    return !mri_kernel_is_host(kernel)    ? MRI_NUFFT
           : mri_kernel_is_double(kernel) ? MRI_HOST_DOUBLE_NUFFT
                                          : MRI_HOST_SINGLE_NUFFT;
}

static inline enum mri_kernel mri_kernel_cartesian(enum mri_kernel kernel)
{
    return !mri_kernel_is_host(kernel)    ? MRI_CARTESIAN
           : mri_kernel_is_double(kernel) ? MRI_HOST_DOUBLE_CARTESIAN
                                          : MRI_HOST_SINGLE_CARTESIAN;
}

extern const char *const ki_mri_kernel_names[MRI_KERNELS + 1]; // "naive", ...; ends in NULL

enum mri_memory { MRI_MEMORY_CONSTANT, MRI_MEMORY_GLOBAL, MRI_MEMORY_LOCAL, MRI_MEMORIES };
enum mri_trig { MRI_TRIG_ACCURATE, MRI_TRIG_NATIVE, MRI_TRIG_POLYNOMIAL, MRI_TRIGS };

// What MRI_TUNED takes; the tunables of cl/app/mri/mri_fhd.cl.
struct mri_tuning {
    unsigned group, voxels, width; // work-items; voxels a work-item, times a vector's width (1, 4, 8 or 16)
    enum mri_memory memory;        // for samples
    unsigned chunk;                // samples at a time in local memory
    unsigned unroll;
    enum mri_trig trig;
    unsigned parts; // groups that share the samples of the same voxels; 0: as many as fill the device
};

// What a device is given: what koine tune kept for it, else ki_mri_tuning_usual. What was kept and does not
// fit the device is left alone, and the log warns.
struct mri_tuning ki_mri_tuning_for(const kn_queue *queue);

// On GPUs samples in local memory and four voxels a work-item, with native sine and cosine where they are
// known to be right to 2^-21 (NVIDIA's), else polynomials; on CPUs vectors of 16. Chosen from measurements of
// such kernels on an H200 by other programs; bench/recon --tune sweeps them on a device.
struct mri_tuning ki_mri_tuning_usual(const kn_queue *queue);

// What koine tune chooses of it, "recon", and its values in that order. `trig` and `parts` are not among
// them.
extern const kn_tunables ki_mri_sum_tunables;
void ki_mri_tuning_values(const struct mri_tuning *tuning, unsigned values[KN_TUNABLES]);

// What a sum brings to the device and does not change: k, weights and basis as kernels take them, and
// positions of voxels. Whoever computes the same sum again, of other data, keeps it: then only the first sum
// brings them, and the others wait for no copy. All zero: nothing is there yet. Samples are kept up to 2^20,
// and positions, which MRI_TUNED does without, up to 2^22 voxels, or as many of each as a sixteenth of the
// device's memory holds at 20 bytes each; what is more is brought piece by piece each time.
enum { MRI_THERE = 10 };
struct mri_there {
    kn_buffer *buffers[MRI_THERE];
    bool is_written[MRI_THERE];
};
void ki_mri_there_free(struct mri_there *there);

// What MRI_SEPARABLE takes; the tunables of cl/app/mri/mri_separable.cl.
struct mri_product {
    unsigned tile_x, tile_columns; // pairs of voxels at x and -x, and columns (y, z), of a group
    unsigned tile_samples;         // samples at a time in local memory
    unsigned item_x, item_columns; // pairs and columns of a work-item
    enum mri_trig trig;
    unsigned parts; // groups that share the samples of the same voxels; 0: as many as fill the device
};

// On a device, for an image of so many voxels along x and columns.
struct mri_product ki_mri_product_usual(const kn_queue *queue, size_t along, size_t columns);

// The adjoint, image_n = sum_m conj(phi_m) w_m d_m exp(+i 2 pi k_m . r_n).
struct mri_sum {
    kn_recon_matrix matrix;
    const double
        *positions;  // 3 for each voxel of the matrix, in fields of view; NULL: where the matrix has them
    const double *k; // 3 a sample, in cycles per field of view
    size_t samples;  // may be 0
    const double complex *data;  // d; NULL: 1
    kn_buffer *device_data;      // d of ki_mri_sum_device, pairs of floats there; NULL: `data`
    struct mri_there *there;     // of ki_mri_sum_device; NULL: nothing is kept
    const double *weights;       // w; NULL: 1
    const double complex *basis; // phi, the transform of the voxels' basis function at each sample; NULL: 1
    size_t first, count;         // only these voxels; count 0: all of them
    const struct mri_tuning *tuning;   // of MRI_TUNED; NULL: ki_mri_tuning_for
    const struct mri_product *product; // of MRI_SEPARABLE; NULL: ki_mri_product_usual
    double tolerance;                  // of a NUFFT
    struct mri_host_nufft *nufft;      // made for these samples; NULL: one is made for this sum
    struct mri_nufft *device_nufft;    // the same of MRI_NUFFT, with the sum's weights and basis
    struct ki_kept *kept;              // where ki_mri_sum_host takes its memory; NULL: none is kept
    struct ki_ask
        *ask; // of ki_mri_sum_host; on a device the queue asks (engine/watch/asking.h). NULL: nobody
};

// phi of a box as large as a voxel: the product of sinc(k_i / N_i). basis[samples].
void ki_mri_basis_box(const kn_recon_matrix *matrix, const double *k, size_t samples, double complex *basis);

// Of `count` voxels from `first` on: image[0..count) are theirs, pairs of floats. Without data and basis mu
// is real, and the kernels have fewer operations. Samples go by chunks of 4,096 at most for a float's sum,
// and those are added in pairs of floats; voxels go by slabs: device memory is bounded by 64 MB for samples
// and 200 MB for voxels, and by about 40 % of what the device has.
//
// Relative error (L2): 3e-6 for |k| <= 32 by all kernels (a float's rounding of the phase; twice that for
// twice the band); by MRI_TUNED with polynomials at the matrix's own positions, and by MRI_SEPARABLE, 5e-7
// whatever the band. MRI_SEPARABLE has no other positions: KN_ERROR_ARGUMENT. A sample that is not a number
// makes every voxel not-a-number, and so does one beyond the range of float. `rate` may be NULL. Errors:
// KN_ERROR_ARGUMENT (a matrix that ki_mri_matrix_count refuses, voxels that it has not, an image too small or
// of another context, a kernel of the host); KN_ERROR_INPUT (a k that is not finite); KN_ERROR_MEMORY; what
// programs and launches give. Cost: samples x voxels sines and cosines; returns when all is enqueued, with a
// rate when all is done.
kn_status ki_mri_sum_device(kn_queue *queue, const struct mri_sum *given, enum mri_kernel kernel,
                            kn_buffer *image, kn_recon_rate *rate, kn_error *err);

// The image left out.
struct mri_bytes ki_mri_sum_memory(const kn_queue *queue, size_t voxels, size_t samples);

// The same on the host, in double precision (MRI_HOST_DOUBLE; relative error 1e-14) or single
// (MRI_HOST_SINGLE; 1e-6 at the matrix's own positions, elsewhere as on devices, sums of 1,024 samples in
// float and those in double), or as products of matrices with the same errors (in single precision sums of
// 256 samples in float), or by a NUFFT with an error up to its tolerance, which have no other positions:
// image[count]. `options`: threads and level, or NULL.
// What is not a number comes as above; beyond the range of float only where that is used. Errors:
// KN_ERROR_ARGUMENT, KN_ERROR_INPUT, KN_ERROR_MEMORY as above, and what koine/host.h says of a level. Cost:
// as above; memory for the samples.
kn_status ki_mri_sum_host(const struct mri_sum *given, enum mri_kernel kernel, const kn_host_options *options,
                          double complex *image, kn_recon_rate *rate, kn_error *err);
struct mri_bytes ki_mri_sum_host_memory(const kn_recon_matrix *matrix, size_t samples,
                                        enum mri_kernel kernel);

// The NUFFT of a sum's samples, with which others of the same samples may be computed, and the forward sum.
kn_status ki_mri_nufft_for(const struct mri_sum *sum, enum mri_kernel kernel, const kn_host_options *options,
                           struct mri_host_nufft **nufft, kn_error *err);

// The forward sum, d_m = phi_m sum_n rho_n exp(-i 2 pi k_m . r_n): `data` (a pair of floats a sample) from
// `image` (a pair a voxel of the matrix); basis[samples] may be NULL, for 1. MRI_SEPARABLE makes it as a
// product of matrices, the adjoint's the other way round, and every other kernel of a device as it stands.
// Relative error (L2): 5e-7 where sine and cosine are polynomials, whatever the band. Device memory beside
// these: ki_mri_forward_memory, at most 64 MB and 36 bytes for each of 2^20 samples at a time. `there`, which
// is of forward sums alone, may be NULL: nothing is kept. Errors and cost as above.
kn_status ki_mri_forward_device(kn_queue *queue, const kn_recon_matrix *matrix, const double *k,
                                size_t samples, const double complex *basis, enum mri_kernel kernel,
                                const kn_buffer *image, kn_buffer *data, struct mri_there *there,
                                kn_error *err);

// Image and data left out.
struct mri_bytes ki_mri_forward_memory(const kn_queue *queue, size_t voxels, size_t samples);

// The same on the host as a product of matrices, the adjoint's the other way round: data[samples] from
// image[voxels], by a kernel of those (MRI_HOST_DOUBLE_SEPARABLE: relative error 1e-14; single: 1e-6),
// without a basis. `options`: threads and level, or NULL; `kept` and `ask` may be NULL. Errors: those of
// ki_mri_sum_host.
kn_status ki_mri_forward_host(const kn_recon_matrix *matrix, const double *k, size_t samples,
                              const double complex *image, enum mri_kernel kernel,
                              const kn_host_options *options, struct ki_kept *kept, struct ki_ask *ask,
                              double complex *data, kn_error *err);
struct mri_bytes ki_mri_forward_host_memory(size_t voxels, enum mri_kernel kernel);

#endif
