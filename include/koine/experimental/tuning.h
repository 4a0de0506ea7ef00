// SPDX-License-Identifier: Apache-2.0
// Auto-tuning: parameters of an algorithm that a measurement may choose (work-group sizes and the like), and
// the values found best on a device. These are kept beside the compiled programs in the cache on disk, by
// device, driver and the text of the kernels, and are used by every program. If nothing is kept, an algorithm
// takes the values of the most similar device in Koine's list of measured devices, if there is one. koine
// tune uses this. Unstable (koine/experimental.h).
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
    KN_TUNABLES = 8,      // the most that an algorithm has
    KN_TUNING_WORDS = 256 // bytes of a line of text, including the terminating NUL
};

// An algorithm's tunables. Values are given as an array in the order of the names, with room for KN_TUNABLES.
typedef struct kn_tunables {
    const char *algorithm;              // "sort"
    const char *kernels;                // the files whose text the values depend on, separated by blanks:
                                        // "algo/sort/sort_radix.cl algo/sort/sort_radix_once.cl"
    const char *names[KN_TUNABLES + 1]; // "GROUP", ...; ends in NULL
} kn_tunables;

// ---- the algorithms ----

// Radix sort of many keys (koine/sort.h), without values or, with by_key, with them; `width`: bytes of a key,
// or of a value if that is more. NULL for a width of 0 or above 8.
KN_API const kn_tunables *kn_sort_get_tunables(size_t width, bool by_key);
// Koine's own kernel for large products of floats: kn_gemm (koine/gemm.h).
KN_API const kn_tunables *kn_gemm_get_tunables(void);
// How koine/robust.h finds ranks of floats, on devices other than CPUs: work-items per group, groups per
// compute unit, elements of 4 bytes that a work-item prefetches, work-items of the group that works alone.
KN_API const kn_tunables *kn_robust_get_tunables(void);
// The algorithm's default values on the queue's device. Errors: KN_ERROR_ARGUMENT.
KN_API kn_status kn_sort_get_usual(const kn_queue *queue, size_t width, bool by_key,
                                   unsigned values[KN_TUNABLES], kn_error *err);
KN_API kn_status kn_gemm_get_usual(const kn_queue *queue, unsigned values[KN_TUNABLES], kn_error *err);
KN_API kn_status kn_robust_get_usual(const kn_queue *queue, unsigned values[KN_TUNABLES], kn_error *err);

// The sums of koine/recon.h by KN_RECON_KERNEL_TUNED. MEMORY is where samples are read from: 0 constant, 1
// global, 2 local memory; CHUNK, the samples at a time, is 0 except for local memory.
KN_API const kn_tunables *kn_recon_get_tunables(void);
KN_API kn_status kn_recon_get_usual(const kn_queue *queue, unsigned values[KN_TUNABLES], kn_error *err);
// The adjoint by gridding, of planes or of volumes.
KN_API const kn_tunables *kn_recon_get_gridding_tunables(bool volume);
// The values that this plan uses for gridding. Errors: KN_ERROR_ARGUMENT, also before its first gridding.
KN_API kn_status kn_recon_plan_get_gridding_values(const kn_recon_plan *plan, unsigned values[KN_TUNABLES],
                                                   kn_error *err);

// ---- values in a context ----

// From now on the algorithm uses these values in this context; NULL: its defaults, whatever is kept.
// `tunables` has to live as long as the context. Values that an algorithm cannot use are not an error here:
// it then uses its defaults, and kn_tuning_get_refusal says so. Errors: KN_ERROR_ARGUMENT, KN_ERROR_MEMORY.
KN_API kn_status kn_tuning_try(kn_context *context, const kn_tunables *tunables, const unsigned *values,
                               kn_error *err);

// Whether the values being tried were refused when the algorithm last ran, and why. False for NULL.
KN_API bool kn_tuning_get_refusal(kn_context *context, const kn_tunables *tunables,
                                  char why[KN_TUNING_WORDS]);

// Ends kn_tuning_try: from now on the kept values are used again in this context. Errors: KN_ERROR_ARGUMENT.
KN_API kn_status kn_tuning_end(kn_context *context, const kn_tunables *tunables, kn_error *err);

// ---- values on disk ----

// Keeps the values for this device, with a line about the measurement, and ends kn_tuning_try. Errors:
// KN_ERROR_OUTPUT if the cache cannot be written; KN_ERROR_INPUT if the kernels cannot be read;
// KN_ERROR_ARGUMENT.
KN_API kn_status kn_tuning_keep(kn_context *context, const kn_tunables *tunables, const unsigned *values,
                                const char *summary, kn_error *err);

// The values kept for this device. *found is false if there are none, or if they belong to other kernels or
// tunables, about which the context's log warns. `summary` (which may be NULL) receives the line about the
// measurement, truncated if necessary. Errors: KN_ERROR_ARGUMENT. Cost: reads a file.
KN_API kn_status kn_tuning_get_kept(kn_context *context, const kn_tunables *tunables, bool *found,
                                    unsigned values[KN_TUNABLES], char summary[KN_TUNING_WORDS],
                                    kn_error *err);

// Deletes the values kept for this device, and ends kn_tuning_try: the algorithm uses its defaults. Errors:
// KN_ERROR_ARGUMENT.
KN_API kn_status kn_tuning_forget(kn_context *context, const kn_tunables *tunables, kn_error *err);

#ifdef __cplusplus
}
#endif
#endif
