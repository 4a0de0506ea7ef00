// SPDX-License-Identifier: Apache-2.0
// KN_AUTOCORR_AUTO: direct sums or Fourier transforms, by the terms of both (multiplications and additions of
// all offsets; 5 N log2 N of the transforms of a circle of N points, there and back) and the seconds that a
// term takes: where these could be otherwise, they are those of a sample, which is measured once and
// remembered in the cache on disk (engine/cost/contest.h).
#ifndef KN_APP_AUTOCORR_DEVICE_CHOOSE_H
#define KN_APP_AUTOCORR_DEVICE_CHOOSE_H

#include "engine/cost/contest.h"
#include "device_fft.h"
#include "app/autocorr/methods.h"

enum { AUTOCORR_WAY_DIRECT, AUTOCORR_WAY_FFT, AUTOCORR_WAYS };

// What the seconds of these ways are remembered of: of the sample's pixels of a type, transformed by an
// algorithm (never AUTOCORR_FFT_AUTO).
struct engine_choice ki_autocorr_choice_of(kn_type type, enum autocorr_fft_algorithm algorithm, bool exact);

// How many times more terms direct sums have than transforms.
double ki_autocorr_terms_ratio(const struct autocorr_task *task);

// The method for tasks like this one, and in engine->why the reason. On the host always transforms. Where the
// terms are so different that no device decides otherwise, and where there is no cache to remember it in,
// nothing is measured. A measurement builds the kernels of both, and takes some milliseconds. Errors: the
// device's.
kn_status ki_autocorr_choose(struct autocorr_engine *engine, const struct autocorr_task *task,
                             kn_autocorr_method *method, kn_error *err);

// Where the sums over the overlaps of a mask are made, and with them rings: on GPUs; on the host beside CPU
// devices, whose transforms of whole numbers take longer than the host's own (host_fourier.h); or where the
// caller says. On the host always if the device's form does not hold the task. Returns why they are made on
// the host, or NULL.
const char *ki_autocorr_masked_on_host(enum autocorr_masked_place place, const kn_device_info *device,
                                       const struct autocorr_task *task);

#endif
