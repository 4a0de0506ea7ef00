// SPDX-License-Identifier: Apache-2.0
// Sums by any method, on the host or on a device: one table of methods, and what they keep between calls.
#ifndef KN_APP_AUTOCORR_METHODS_H
#define KN_APP_AUTOCORR_METHODS_H

#include <stdbool.h>

#include "base/text/text.h"
#include "app/autocorr/device/device.h"
#include "app/autocorr/volume/volume_engine.h"
#include "normalize.h"
#include "radial.h"

struct autocorr_host_rooms;
struct autocorr_kept;

enum { AUTOCORR_TOGETHER_MAX = 64 }; // tasks that are worth computing together

// The number of tasks like this one to compute together, at least 1: at most 64 MiB of pixels or sums.
size_t ki_autocorr_together(const struct autocorr_task *task);

// The seconds of several calls together; build is the compilers' part, and not in compute. Upload and compute
// of two batches may overlap.
struct autocorr_seconds {
    double build, upload, compute, download;
};

// For one kind of tasks: up to this ratio of terms, direct sums are faster than transforms on a device.
struct autocorr_ratio {
    bool is_known;
    kn_type type;
    unsigned algorithm; // enum autocorr_fft_algorithm
    double terms;
    struct ki_text summary; // of what is known
};

// Where the sums over the overlaps of a mask are computed.
enum autocorr_masked_place { AUTOCORR_MASKED_AUTO, AUTOCORR_MASKED_HOST, AUTOCORR_MASKED_DEVICE };

struct autocorr_engine {
    kn_queue *queue; // NULL: the host
    kn_autocorr_method method;
    bool exact;    // all sums are exact
    bool periodic; // tasks are periodic; set after beginning, and all sums are then exact
    enum autocorr_masked_place masked;
    size_t together;        // the most tasks that are started together; 0: AUTOCORR_TOGETHER_MAX
    bool no_transforms;     // KN_AUTOCORR_AUTO does not use them, because memory is short
    kn_autocorr_method ran; // in the last call; KN_AUTOCORR_AUTO if there was none
    double bound;           // of the last sums' errors; 0 if they are exact
    struct ki_text why;     // why KN_AUTOCORR_AUTO chose its last method; empty for a method given by name
    struct autocorr_ratio ratio;
    struct autocorr_seconds seconds;
    size_t sent;                           // images that were copied from the host to a device
    struct autocorr_host_rooms *rooms;     // what methods keep, on the host
    struct autocorr_kept *kept;            // and on a device
    struct autocorr_volume_engine volumes; // for periodic images, and volumes
};

// Records in `ran`, `bound` and `why` that periodic or three-dimensional sums came from transforms, which are
// exact.
void ki_autocorr_engine_took_transforms(struct autocorr_engine *engine);

// KN_ERROR_UNSUPPORTED for methods without sums of volumes or periodic images; `what` names these.
kn_status ki_autocorr_check_transforms(kn_autocorr_method method, const char *what, kn_error *err);

// KN_ERROR_ARGUMENT for invalid numbers, and for a context whose policy does not promise exact integers.
kn_status ki_autocorr_check_choice(const kn_queue *queue, kn_autocorr_method method,
                                   kn_autocorr_normalization normalization, kn_error *err);

// Begins: `queue` is NULL for the host, and is borrowed. Without `exact` KN_AUTOCORR_FFT computes in single
// precision; all others are exact. KN_ERROR_ARGUMENT for a method of the host alone where a device was given,
// KN_ERROR_UNSUPPORTED for one of a device alone without one. KN_AUTOCORR_AUTO takes what should be fastest
// (choose.h).
kn_status ki_autocorr_engine_begin(kn_queue *queue, kn_autocorr_method method, bool exact,
                                   struct autocorr_engine *engine, kn_error *err);
void ki_autocorr_engine_end(struct autocorr_engine *engine);

// The sums of `count` tasks of one size, type and R, of which either all or none have a second image:
// `products` has count times autocorr_offsets(R) elements. Masks may be there, and need not be the same.
// Errors: ki_autocorr_check's; those of the method.
kn_status ki_autocorr_engine_sums(struct autocorr_engine *engine, const struct autocorr_task *tasks,
                                  size_t count, uint64_t *products, kn_error *err);

// The wanted results of tasks; what is NULL stays on the device.
struct autocorr_results {
    uint64_t *products;                      // as in ki_autocorr_engine_sums; never NULL on the host
    struct autocorr_ring *rings;             // R + 1 a task, if a device computes them
    kn_autocorr_normalization normalization; // of the rings
};

// Whether the device computes the rings of such a task, as device_radial.h promises (with AUTOCORR_LINEAR).
// Not in single precision if sums have to be exact, not for an R whose tables do not fit, not with a mask if
// the host computes those (ki_autocorr_masked_on_host), and not on the host. `why`, which may be NULL, is set
// to the reason why not, or to NULL. Tasks that are started together for rings have the same mask.
bool ki_autocorr_engine_has_rings(const struct autocorr_engine *engine, const struct autocorr_task *task,
                                  const char **why);

// ki_autocorr_engine_sums in two parts. The first copies the tasks' images and enqueues what is done with
// them, the second one waits for those that were started first, and fills what `results` pointed to. On a
// device two of the same kind may be started before the first is finished: one is copied while the other is
// computed. `ran` and `bound` are those of the last one started. On the host all is done at the start.
kn_status ki_autocorr_engine_start(struct autocorr_engine *engine, const struct autocorr_task *tasks,
                                   size_t count, const struct autocorr_results *results, kn_error *err);
// The same of frames that are on the device already, and stay there until they are finished. The bound of
// sums that are not exact is that of the worst images of this size and type. Errors also those of device.h.
kn_status ki_autocorr_engine_start_frames(struct autocorr_engine *engine,
                                          const struct autocorr_frames *frames,
                                          const struct autocorr_results *results, kn_error *err);
// Only the sums of such frames, to `sums` on the device: returns when they are enqueued. Nothing else may be
// under way, and nothing has to be finished.
kn_status ki_autocorr_engine_enqueue(struct autocorr_engine *engine, const struct autocorr_frames *frames,
                                     kn_buffer *sums, kn_error *err);
kn_status ki_autocorr_engine_finish(struct autocorr_engine *engine, kn_error *err);
// Waits for what was started, whose results are not wanted any more.
void ki_autocorr_engine_abandon(struct autocorr_engine *engine);

#endif
