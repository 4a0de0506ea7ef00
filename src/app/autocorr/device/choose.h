// SPDX-License-Identifier: Apache-2.0
// KN_AUTOCORR_AUTO: direct sums or Fourier transforms, by the number of terms of both (multiplications and
// additions over all offsets; 5 N log2 N for the transforms of a circle of N points, there and back) and the
// seconds of a term. If these matter for the choice, they come from a sample, which is measured once and
// remembered in the cache on disk (engine/cost/contest.h).
#ifndef KN_APP_AUTOCORR_DEVICE_CHOOSE_H
#define KN_APP_AUTOCORR_DEVICE_CHOOSE_H

#include "engine/cost/contest.h"
#include "device_fft.h"
#include "app/autocorr/methods.h"

enum { AUTOCORR_WAY_DIRECT, AUTOCORR_WAY_FFT, AUTOCORR_WAYS };

// The conditions under which the seconds of these ways are remembered: the sample's pixel type and the
// transforms' algorithm (never AUTOCORR_FFT_AUTO).
struct engine_choice ki_autocorr_choice_of(kn_type type, enum autocorr_fft_algorithm algorithm, bool exact);

// The ratio of the numbers of terms of direct sums and of transforms.
double ki_autocorr_terms_ratio(const struct autocorr_task *task);

// The method for tasks like this one, with the reason in engine->why. On the host it is always transforms.
// Nothing is measured if the numbers of terms differ so much that the choice is the same on any device, or if
// there is no cache to remember it in. A measurement builds the kernels of both, and takes some milliseconds.
// Errors: those of the device.
kn_status ki_autocorr_choose(struct autocorr_engine *engine, const struct autocorr_task *task,
                             kn_autocorr_method *method, kn_error *err);

// Where the sums over the overlaps of a mask, and with them the rings, are computed: on GPUs; on the host for
// CPU devices, whose transforms of integers take longer than the host's own (host_fourier.h); or as the
// caller says. On the host in any case if the device cannot hold the task. Returns the reason why it is the
// host, or NULL.
const char *ki_autocorr_masked_on_host(enum autocorr_masked_place place, const kn_device_info *device,
                                       const struct autocorr_task *task);

#endif
