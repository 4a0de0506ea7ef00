// SPDX-License-Identifier: Apache-2.0
// Tasks on their way to a device and back: what is copied and kept between batches.
#ifndef KN_APP_AUTOCORR_SERIES_BATCH_H
#define KN_APP_AUTOCORR_SERIES_BATCH_H

#include "app/autocorr/methods.h"

// Computes the sums of frames that are on the device.
typedef kn_status autocorr_on_device(struct autocorr_engine *engine, const struct autocorr_frames *frames,
                                     kn_buffer *products, kn_error *err);

// The transforms of the last frames, if they were of the same size and kind; else new ones. KN_ERROR_MEMORY
// and the others of ki_autocorr_fft_create.
struct autocorr_fft;
kn_status ki_autocorr_batch_fft(struct autocorr_engine *engine, const struct autocorr_frames *frames,
                                struct autocorr_fft **fft, kn_error *err);

// The greatest root of sum (I - m)^2 sum (I' - m')^2 of the frames uploaded last, with their means m and m'
// rounded down.
double ki_autocorr_batch_energy(const struct autocorr_engine *engine);

enum { AUTOCORR_BATCHES_MAX = 2 }; // at the same time: one is copied while another one is computed

// Packs the tasks' pixels, black where a mask leaves them out, copies them to the device, and enqueues what
// computes them and, where `results` wants them, their rings; adds to the engine's seconds. What `results`
// points to is filled by ki_autocorr_batch_finish. Copies have a queue of their own, and go on beside the
// kernels of the batch before. Buffers grow, and stay until ki_autocorr_batch_free. Errors:
// ki_autocorr_check's; KN_ERROR_ARGUMENT where AUTOCORR_BATCHES_MAX are under way, or one of another size,
// type or R, and for rings of frames with several masks; KN_ERROR_MEMORY; those of `compute`.
kn_status ki_autocorr_batch_start(struct autocorr_engine *engine, const struct autocorr_task *tasks,
                                  size_t count, autocorr_on_device *compute,
                                  const struct autocorr_results *results, kn_error *err);
// The same for frames that are on the device, in its queue's context, and stay there: they are not copied,
// and their energies are taken to be the largest possible.
kn_status ki_autocorr_batch_start_frames(struct autocorr_engine *engine, const struct autocorr_frames *frames,
                                         autocorr_on_device *compute, const struct autocorr_results *results,
                                         kn_error *err);
// Only the sums of such frames, to a buffer of the caller's: returns when they are enqueued, and nothing has
// to be finished. No batch may be under way.
kn_status ki_autocorr_batch_enqueue(struct autocorr_engine *engine, const struct autocorr_frames *frames,
                                    autocorr_on_device *compute, kn_buffer *sums, kn_error *err);
// Waits for the oldest batch under way (there must be one), and copies back what is wanted of it.
kn_status ki_autocorr_batch_finish(struct autocorr_engine *engine, kn_error *err);
// Waits for those under way, and discards them. NULL is fine.
void ki_autocorr_batch_abandon(struct autocorr_kept *kept);
void ki_autocorr_batch_free(struct autocorr_kept *kept);

#endif
