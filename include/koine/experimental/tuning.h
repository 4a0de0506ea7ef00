// SPDX-License-Identifier: Apache-2.0
// What a measurement may choose for an algorithm (work-group sizes and the like), and what was found best on
// a device: it is kept beside the compiled programs in the cache on disk, by device, driver and the kernels'
// text, and taken from there by every program. Where nothing is kept, an algorithm takes what was best on the
// measured device that is most like this one, if there is one in Koine's list. koine tune is made of it. Not
// promised (koine/experimental.h).
#ifndef KOINE_EXPERIMENTAL_TUNING_H
#define KOINE_EXPERIMENTAL_TUNING_H

#include <koine/context.h>
#include <koine/error.h>
#include <koine/recon.h>
#include <koine/types.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    KN_TUNABLES = 8,      // of an algorithm, at most
    KN_TUNING_WORDS = 256 // bytes that a line of words takes, its end included
};

// An algorithm's tunables. Values are given as an array in the order of the names, with room for KN_TUNABLES.
typedef struct kn_tunables {
    const char *algorithm;              // "sort"
    const char *kernels;                // the files whose text the values are of, a blank between two:
                                        // "algo/sort/sort_radix.cl algo/sort/sort_radix_once.cl"
    const char *names[KN_TUNABLES + 1]; // "GROUP", ...; ends in NULL
} kn_tunables;

// ---- the algorithms ----

// Radix sort of many keys (koine/sort.h), without values or by_key with them; `width`: bytes of a key, or of
// a value where that is more. NULL for a width of 0 or above 8.
KN_API const kn_tunables *kn_sort_get_tunables(size_t width, bool by_key);
// Koine's own kernel for large products of floats: kn_gemm (koine/gemm.h).
KN_API const kn_tunables *kn_gemm_get_tunables(void);
// How koine/robust.h finds ranks of floats, on devices but CPUs: work-items of a group, groups a compute
// unit, elements of 4 bytes that a work-item loads ahead, work-items of the group that works alone.
KN_API const kn_tunables *kn_robust_get_tunables(void);
// The values that the algorithm has of itself on the queue's device. Errors: KN_ERROR_ARGUMENT.
KN_API kn_status kn_sort_get_usual(const kn_queue *queue, size_t width, bool by_key,
                                   unsigned values[KN_TUNABLES], kn_error *err);
KN_API kn_status kn_gemm_get_usual(const kn_queue *queue, unsigned values[KN_TUNABLES], kn_error *err);
KN_API kn_status kn_robust_get_usual(const kn_queue *queue, unsigned values[KN_TUNABLES], kn_error *err);

// The sums of koine/recon.h by KN_RECON_KERNEL_TUNED. MEMORY is where samples are read from: 0 constant, 1
// global and 2 local memory; CHUNK, the samples at a time, is 0 but for the last.
KN_API const kn_tunables *kn_recon_get_tunables(void);
KN_API kn_status kn_recon_get_usual(const kn_queue *queue, unsigned values[KN_TUNABLES], kn_error *err);
// The adjoint by gridding, of planes or of volumes.
KN_API const kn_tunables *kn_recon_get_gridding_tunables(bool volume);
// The values with which this plan grids. Errors: KN_ERROR_ARGUMENT, also before its first gridding.
KN_API kn_status kn_recon_plan_get_gridding_values(const kn_recon_plan *plan, unsigned values[KN_TUNABLES],
                                                   kn_error *err);

// ---- values in a context ----

// From now on the algorithm takes these values in this context; NULL: its own, whatever is kept. `tunables`
// has to last as long as the context. Values that an algorithm cannot take are no error here: it then takes
// its own, and kn_tuning_get_refusal tells. Errors: KN_ERROR_ARGUMENT, KN_ERROR_MEMORY.
KN_API kn_status kn_tuning_try(kn_context *context, const kn_tunables *tunables, const unsigned *values,
                               kn_error *err);

// Whether the values that are tried were refused when the algorithm last ran, and why. False for NULL.
KN_API bool kn_tuning_get_refusal(kn_context *context, const kn_tunables *tunables,
                                  char why[KN_TUNING_WORDS]);

// Ends what kn_tuning_try began: in this context what is kept counts again. Errors: KN_ERROR_ARGUMENT.
KN_API kn_status kn_tuning_end(kn_context *context, const kn_tunables *tunables, kn_error *err);

// ---- values on disk ----

// Keeps the values for this device, with a line about the measurement. It ends what is tried. Errors:
// KN_ERROR_OUTPUT where the cache cannot be written; KN_ERROR_INPUT if the kernels cannot be read;
// KN_ERROR_ARGUMENT.
KN_API kn_status kn_tuning_keep(kn_context *context, const kn_tunables *tunables, const unsigned *values,
                                const char *summary, kn_error *err);

// What is kept for this device. *found is false if nothing is, or if it is of other kernels or tunables, of
// which the context's log warns. `summary` (which may be NULL) receives the line about the measurement, cut
// where it is longer. Errors: KN_ERROR_ARGUMENT. Cost: reads a file.
KN_API kn_status kn_tuning_get_kept(kn_context *context, const kn_tunables *tunables, bool *found,
                                    unsigned values[KN_TUNABLES], char summary[KN_TUNING_WORDS],
                                    kn_error *err);

// Forgets what is kept for this device, and ends what is tried: the algorithm takes its own values. Errors:
// KN_ERROR_ARGUMENT.
KN_API kn_status kn_tuning_forget(kn_context *context, const kn_tunables *tunables, kn_error *err);

#ifdef __cplusplus
}
#endif
#endif
