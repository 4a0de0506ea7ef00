// SPDX-License-Identifier: Apache-2.0
// The exact sums over the overlaps of a mask M with itself, on the device. With images that are black outside
// of it, all of them are correlations with M:
//
//     n = sum M(x, y) M(x + X0, y + Y0) ,  s2 = sum M(x, y) I'(x + X0, y + Y0) ,  q2 that of I'^2 ,
//     s1 = sum I(x, y) M(x + X0, y + Y0) = sum M(x, y) I(x - X0, y - Y0) ,  q1 that of I^2 ,
//
// which are integers and computed by number-theoretic transforms (device_ntt.h): those of M once for a
// series, then forward and back for each image's levels and squares, modulo as many primes (one or two) as
// their greatest sum needs. Tables have the order of masked_place in cl/app/autocorr/autocorr.clh.
#ifndef KN_APP_AUTOCORR_DEVICE_DEVICE_MASKED_H
#define KN_APP_AUTOCORR_DEVICE_DEVICE_MASKED_H

#include "device_windows.h"

struct autocorr_masked;

// Why a device cannot compute them for frames like these, which have no pixels yet: too many pixels for two
// primes, lines longer than its local memory, tables or spectra larger than an allocation, or than an eighth
// of its memory. NULL: it can. The string has static storage.
const char *ki_autocorr_masked_refusal(const kn_device_info *device, const struct autocorr_frames *like);

// Programs, roots of unity and memory for batches of at most like->count frames of that size, type and R,
// with or without second images; fewer where memory is short. Errors: ki_autocorr_check's; KN_ERROR_LIMIT for
// what ki_autocorr_masked_refusal tells; KN_ERROR_MEMORY.
kn_status ki_autocorr_masked_create(kn_queue *queue, const struct autocorr_frames *like,
                                    struct autocorr_masked **masked, kn_error *err);
// NULL is fine.
void ki_autocorr_masked_free(struct autocorr_masked *masked);

// Sets the mask of the following frames, a byte a pixel, 0 for excluded pixels, rows `stride` apart: computes
// its spectrum and pairs. If the mask is unchanged, nothing is done. May wait for enqueued work.
kn_status ki_autocorr_masked_set(kn_queue *queue, struct autocorr_masked *masked, const uint8_t *mask,
                                 size_t stride, kn_error *err);

// Fills the tables of frames[first] to frames[first + count - 1], at most as many as there are tables, which
// are black outside of the mask that was set. Returns when the kernels are enqueued. Cost: for each image and
// prime of its levels and of its squares three launches, which read the pixels, write and read H, and then
// 2 R + 1, rows of some W + R numbers of 4 bytes, and write 8 (2 R + 1)^2 bytes.
kn_status ki_autocorr_masked_windows_device(kn_queue *queue, struct autocorr_masked *masked,
                                            const struct autocorr_frames *frames, size_t first, size_t count,
                                            kn_error *err);

// The tables of the last batch; their count is the most that a batch can have.
const struct autocorr_tables *ki_autocorr_masked_tables(const struct autocorr_masked *masked);

// One frame of the last batch in the host's order, `windows` of autocorr_offsets(R) elements. Waits.
kn_status ki_autocorr_masked_read(kn_queue *queue, const struct autocorr_masked *masked, size_t frame,
                                  struct autocorr_window *windows, kn_error *err);

#endif
