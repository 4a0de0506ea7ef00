// SPDX-License-Identifier: Apache-2.0
// The sums of mri.h: directly, every voxel with every sample, on devices with the lecture's kernels
// (cl/app/mri/mri_fhd.cl), each by its name, and on the host; and the adjoint as a product of matrices.
//
// For the matrix's own voxels, exp(i 2 pi k . r) is a product of three factors, one for each axis. So the
// image at x and a column (y, z) is sum_m A_mx G_m(y,z), with A_mx = exp(i 2 pi k_x x) and G_m(y,z) = mu_m
// exp(i 2 pi (k_y y + k_z z)): a product of matrices, which needs a sine and a cosine for each element of A
// or G, but not for each pair. Voxels at x and -x share them: with U = sum cos(2 pi k_x x) G and V = sum
// sin(2 pi k_x x) G they are U + iV and U - iV, with two multiplications and additions per pair. An axis with
// an even number of voxels has such pairs only after a shift by half a voxel, which G includes.
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
    MRI_NAIVE,           // a voxel per work-item, its sum in global memory
    MRI_REGISTER,        // sums in registers
    MRI_COALESCED,       // an array for each component
    MRI_CONSTANT,        // samples in constant memory, in chunks
    MRI_CONSTANT_STRUCT, // samples in constant memory, as records
    MRI_FAST_TRIG,       // MRI_CONSTANT with native sine and cosine
    MRI_TUNED,           // sizes in struct mri_tuning
    MRI_SEPARABLE,       // a product of matrices: struct mri_product
    MRI_HOST_DOUBLE,     // on the host, in double precision
    MRI_HOST_SINGLE,     // on the host, in single precision, with vectors
    MRI_HOST_DOUBLE_SEPARABLE,
    MRI_HOST_SINGLE_SEPARABLE, // products of matrices
    MRI_HOST_DOUBLE_NUFFT,
    MRI_HOST_SINGLE_NUFFT, // a NUFFT, to a tolerance: all above are exact except for rounding
    MRI_HOST_DOUBLE_CARTESIAN,
    MRI_HOST_SINGLE_CARTESIAN, // Fourier transforms, for samples on the grid: exact, too
    MRI_NUFFT,
    MRI_CARTESIAN, // the last two on a device
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

// Whether the kernel computes both sums by a Fourier transform, which struct mri_nufft and struct
// mri_host_nufft prepare: that of a NUFFT, or that of samples on the grid.
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

// Kernels for the same place and precision: the direct sum, the product of matrices, the NUFFT, and the
// transform of samples on the grid. For the lecture's kernels, the latter are MRI_SEPARABLE, MRI_NUFFT and
// MRI_CARTESIAN.
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

extern const char *const ki_mri_kernel_names[MRI_KERNELS + 1]; // "naive", ...; ends with NULL

enum mri_memory { MRI_MEMORY_CONSTANT, MRI_MEMORY_GLOBAL, MRI_MEMORY_LOCAL, MRI_MEMORIES };
enum mri_trig { MRI_TRIG_ACCURATE, MRI_TRIG_NATIVE, MRI_TRIG_POLYNOMIAL, MRI_TRIGS };

// The sizes of MRI_TUNED: the tunables of cl/app/mri/mri_fhd.cl.
struct mri_tuning {
    unsigned group, voxels, width; // work-items; voxels per work-item, in vectors of `width` (1, 4, 8 or 16)
    enum mri_memory memory;        // for samples
    unsigned chunk;                // samples at a time in local memory
    unsigned unroll;
    enum mri_trig trig;
    unsigned parts; // groups that share the samples of the same voxels; 0: as many as fill the device
};

// The sizes for a device: those that koine tune kept for it, or ki_mri_tuning_usual. Kept sizes that do not
// fit the device are ignored, with a warning in the log.
struct mri_tuning ki_mri_tuning_for(const kn_queue *queue);

// The default: on GPUs, samples in local memory and four voxels per work-item, with native sine and cosine
// where these are known to be accurate to 2^-21 (NVIDIA's), otherwise polynomials; on CPUs, vectors of 16.
// Chosen from measurements of similar kernels on an H200 by other programs; bench/recon --tune measures them
// on a device.
struct mri_tuning ki_mri_tuning_usual(const kn_queue *queue);

// The sizes that koine tune chooses, under the name "recon", and their values in that order, without `trig`
// and `parts`.
extern const kn_tunables ki_mri_sum_tunables;
void ki_mri_tuning_values(const struct mri_tuning *tuning, unsigned values[KN_TUNABLES]);

// The data that a sum copies to the device and does not change: k, weights and basis in the form that kernels
// take, and positions of voxels. A caller that computes the same sum again with other data keeps this struct:
// then only the first sum copies them. All zero: nothing has been copied yet. Samples are kept up to 2^20,
// and positions, which MRI_TUNED does not need, up to 2^22 voxels, or as many of each as fit in a sixteenth
// of the device's memory at 20 bytes each; larger data are copied in pieces each time.
enum { MRI_THERE = 10 };
struct mri_there {
    kn_buffer *buffers[MRI_THERE];
    bool is_written[MRI_THERE];
};
void ki_mri_there_free(struct mri_there *there);

// The sizes of MRI_SEPARABLE: the tunables of cl/app/mri/mri_separable.cl.
struct mri_product {
    unsigned tile_x, tile_columns; // of a group: pairs of voxels at x and -x, and columns (y, z)
    unsigned tile_samples;         // samples at a time in local memory
    unsigned item_x, item_columns; // pairs and columns per work-item
    enum mri_trig trig;
    unsigned parts; // groups that share the samples of the same voxels; 0: as many as fill the device
};

// The default on a device, for an image with `along` voxels along x, and this many columns.
struct mri_product ki_mri_product_usual(const kn_queue *queue, size_t along, size_t columns);

// The adjoint, image_n = sum_m conj(phi_m) w_m d_m exp(+i 2 pi k_m . r_n).
struct mri_sum {
    kn_recon_matrix matrix;
    const double *positions;     // 3 for each voxel of the matrix, in fields of view; NULL: the matrix's own
    const double *k;             // 3 per sample, in cycles per field of view
    size_t samples;              // may be 0
    const double complex *data;  // d; NULL: 1
    kn_buffer *device_data;      // for ki_mri_sum_device, pairs of floats on the device; NULL: `data`
    struct mri_there *there;     // for ki_mri_sum_device; NULL: nothing is kept
    const double *weights;       // w; NULL: 1
    const double complex *basis; // phi, the transform of the voxels' basis function at each sample; NULL: 1
    size_t first, count;         // only these voxels; count 0: all voxels
    const struct mri_tuning *tuning;   // for MRI_TUNED; NULL: ki_mri_tuning_for
    const struct mri_product *product; // for MRI_SEPARABLE; NULL: ki_mri_product_usual
    double tolerance;                  // for a NUFFT
    struct mri_host_nufft *nufft;      // made for these samples; NULL: made for this sum only
    struct mri_nufft *device_nufft;    // the same for MRI_NUFFT, with the sum's weights and basis
    struct ki_kept *kept; // where ki_mri_sum_host takes its memory; NULL: it is allocated each time
    struct ki_ask
        *ask; // for ki_mri_sum_host; on a device, the queue asks (engine/watch/asking.h). NULL: not called
};

// phi for a box of the size of a voxel: the product of sinc(k_i / N_i). basis[samples].
void ki_mri_basis_box(const kn_recon_matrix *matrix, const double *k, size_t samples, double complex *basis);

// Computes `count` voxels from `first` on, in image[0..count), as pairs of floats. Without data and basis, mu
// is real, and the kernels need fewer operations. A float's sum has at most 4,096 samples, in chunks whose
// sums are added in pairs of floats; voxels are processed in slabs: device memory is limited to 64 MB for
// samples and 200 MB for voxels, and to about 40 % of the device's memory.
//
// Relative error (L2): 3e-6 for |k| <= 32 with all kernels (the rounding of the phase to a float; twice that
// for twice the band); with MRI_SEPARABLE, and with MRI_TUNED with polynomials at the matrix's own positions,
// 5e-7 for any band. MRI_SEPARABLE does not support other positions: KN_ERROR_ARGUMENT. A sample that is NaN,
// or exceeds the range of float, makes every voxel NaN. `rate` may be NULL. Errors: KN_ERROR_ARGUMENT (a
// matrix that ki_mri_matrix_count refuses, voxels outside of it, an image that is too small or in another
// context, a kernel of the host); KN_ERROR_INPUT (a k that is not finite); KN_ERROR_MEMORY; those of programs
// and launches. Cost: samples x voxels sines and cosines; returns when all is enqueued, or, with a rate, when
// all is done.
kn_status ki_mri_sum_device(kn_queue *queue, const struct mri_sum *given, enum mri_kernel kernel,
                            kn_buffer *image, kn_recon_rate *rate, kn_error *err);

// The memory without the image.
struct mri_bytes ki_mri_sum_memory(const kn_queue *queue, size_t voxels, size_t samples);

// The same on the host, in image[count]: in double precision (MRI_HOST_DOUBLE; relative error 1e-14) or
// single precision (MRI_HOST_SINGLE; 1e-6 at the matrix's own positions, elsewhere as on devices, with sums
// of 1,024 samples in float, which are added in double), or as products of matrices with the same errors (in
// single precision with sums of 256 samples in float), or by a NUFFT with an error up to its tolerance; the
// last two do not support other positions. `options`: threads and level, or NULL. NaN has the effect
// described above; numbers beyond the range of float only if floats are used. Errors: KN_ERROR_ARGUMENT,
// KN_ERROR_INPUT, KN_ERROR_MEMORY as above, and those of koine/host.h for a level. Cost: as above; memory for
// the samples.
kn_status ki_mri_sum_host(const struct mri_sum *given, enum mri_kernel kernel, const kn_host_options *options,
                          double complex *image, kn_recon_rate *rate, kn_error *err);
struct mri_bytes ki_mri_sum_host_memory(const kn_recon_matrix *matrix, size_t samples,
                                        enum mri_kernel kernel);

// The NUFFT for a sum's samples, which can be used for other sums with the same samples, and for the forward
// sum.
kn_status ki_mri_nufft_for(const struct mri_sum *sum, enum mri_kernel kernel, const kn_host_options *options,
                           struct mri_host_nufft **nufft, kn_error *err);

// The forward sum, d_m = phi_m sum_n rho_n exp(-i 2 pi k_m . r_n): `data` (a pair of floats per sample) from
// `image` (a pair per voxel of the matrix); basis[samples] may be NULL, for 1. MRI_SEPARABLE computes it as a
// product of matrices, with the roles of the adjoint's exchanged, and every other kernel of a device
// directly. Relative error (L2): 5e-7 if sine and cosine are polynomials, for any band. Additional device
// memory: ki_mri_forward_memory, at most 64 MB and 36 bytes for each of 2^20 samples at a time. `there` must
// be used for forward sums only, and may be NULL: nothing is kept. Errors and cost: as above.
kn_status ki_mri_forward_device(kn_queue *queue, const kn_recon_matrix *matrix, const double *k,
                                size_t samples, const double complex *basis, enum mri_kernel kernel,
                                const kn_buffer *image, kn_buffer *data, struct mri_there *there,
                                kn_error *err);

// The memory without image and data.
struct mri_bytes ki_mri_forward_memory(const kn_queue *queue, size_t voxels, size_t samples);

// The same on the host as a product of matrices, with the roles of the adjoint's exchanged: data[samples]
// from image[voxels], with a kernel of this kind (MRI_HOST_DOUBLE_SEPARABLE: relative error 1e-14; single:
// 1e-6), without a basis. `options`: threads and level, or NULL; `kept` and `ask` may be NULL. Errors: those
// of ki_mri_sum_host.
kn_status ki_mri_forward_host(const kn_recon_matrix *matrix, const double *k, size_t samples,
                              const double complex *image, enum mri_kernel kernel,
                              const kn_host_options *options, struct ki_kept *kept, struct ki_ask *ask,
                              double complex *data, kn_error *err);
struct mri_bytes ki_mri_forward_host_memory(size_t voxels, enum mri_kernel kernel);

#endif
