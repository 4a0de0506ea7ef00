// SPDX-License-Identifier: Apache-2.0
// Correlations by Fourier transforms on the host: their time hardly depends on R. Lines are padded by R only,
// because wrap-around beyond that reaches no wanted offset; two real lines are one complex line, and so are
// two real spectra, those of an autocorrelation's columns; rows of zeros are not transformed, nor are those
// beyond R transformed back.
// spectra, those of an autocorrelation's columns; rows of zeros are not transformed, nor back those beyond R.
#ifndef KN_APP_AUTOCORR_HOST_HOST_FOURIER_H
#define KN_APP_AUTOCORR_HOST_HOST_FOURIER_H

#include <koine/host.h>

#include "app/autocorr/autocorr.h"

// Tables and memory for tasks, kept from one task to the next: for the same size and kind they are reused.
// One thread may use it at a time.
struct autocorr_fourier;

// `options` may be NULL; its sort order is ignored. KN_ERROR_UNSUPPORTED for a level that this processor
// lacks; KN_ERROR_MEMORY.
kn_status ki_autocorr_fourier_create(const kn_host_options *options, struct autocorr_fourier **fourier,
                                     kn_error *err);
void ki_autocorr_fourier_free(struct autocorr_fourier *fourier); // NULL too

// In double precision, rounded to integers: exactly the reference's results, because every sum's error is
// proven to be below *bound (which may be NULL) < 1/4. Pixels of 16 bits are transformed whole if that holds,
// and as two bytes otherwise. `products` or `windows` may be NULL. Windows with a mask are sums of the mask's
// products with pixels and their squares, and are computed in the same way; without a mask they are those of
// ki_autocorr_windows.
//
// Cost, of one image of 8 bits: its rows and half its columns there and back; with products, windows and a
// mask five times that. Memory: 8 bytes a padded pixel for each image, mask and image of squares, and as
// many for each kind of sum and row up to R. The sums are the same at every level and with any number of
// threads. Errors: ki_autocorr_check's; KN_ERROR_UNSUPPORTED where the bound is not below 1/4 (from
// some tens of millions of pixels on: ki_autocorr_simd is exact there); KN_ERROR_MEMORY.
kn_status ki_autocorr_fourier_exact(struct autocorr_fourier *fourier, const struct autocorr_task *task,
                                    uint64_t *products, struct autocorr_window *windows, double *bound,
                                    kn_error *err);

// ki_autocorr_windows for a task with a mask, with tables and memory that are kept: by these transforms, or,
// if they are not exact, term by term. Errors: those of ki_autocorr_check; KN_ERROR_MEMORY.
kn_status ki_autocorr_masked_windows(struct autocorr_fourier *fourier, const struct autocorr_task *task,
                                     struct autocorr_window *windows, kn_error *err);

// In single precision, from pixels less their mean (with a mask: from the pixels themselves), rounded to
// integers. Every product's error is proven to be below *bound (which may be NULL); rounding errors seldom
// all add up, and errors hundreds of times smaller are usual. Cost: that of the exact ones of 8 bits with
// half the memory, and ki_autocorr_windows. The results of a level do not depend on the number of threads.
// Errors: those of ki_autocorr_check; KN_ERROR_MEMORY.
kn_status ki_autocorr_fourier_single(struct autocorr_fourier *fourier, const struct autocorr_task *task,
                                     uint64_t *products, double *bound, kn_error *err);

// The name of the code that runs at a level: "scalar", "AVX2", "AVX-512"; NULL for a level that this
// processor lacks.
const char *ki_autocorr_fourier_name(kn_host_level level);

#endif
