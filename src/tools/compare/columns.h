// SPDX-License-Identifier: Apache-2.0
// The data of jobs: arrays that are made once with the problem and copied to every place, into a buffer or,
// for the host, into memory. compare.h has the structs.
#ifndef KN_TOOLS_COMPARE_COLUMNS_H
#define KN_TOOLS_COMPARE_COLUMNS_H

#include "compare.h"

// ---- for jobs ----

// Adds the next column of the problem; its `data` is undefined until make fills it (a result has none).
kn_status job_column(struct compare_problem *problem, enum compare_role role, size_t bytes, kn_error *err);
// Reads `bytes` of a place's column, from byte `offset` on.
kn_status job_read_part(const struct compare_work *work, size_t column, size_t offset, size_t bytes, void *to,
                        kn_error *err);
// Reads the whole column into memory at *pointer_address, which the caller frees.
kn_status job_read(const struct compare_work *work, size_t column, void *pointer_address, kn_error *err);

// ---- for run.c and measure.c ----

void columns_free(struct compare_problem *problem);
kn_status columns_enter(struct compare_work *work, kn_error *err);
void columns_leave(struct compare_work *work); // also after columns_enter failed
kn_status columns_reset(struct compare_work *work, kn_error *err);

#endif
