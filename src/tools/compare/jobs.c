// SPDX-License-Identifier: Apache-2.0
// The list of jobs. A new job is a file and a line here.
#include "jobs.h"

const struct compare_job *const compare_jobs[] = {
    &compare_job_bandwidth, &compare_job_flops,  &compare_job_launch, &compare_job_build,
    &compare_job_sort,      &compare_job_reduce, &compare_job_select, &compare_job_scan,
    &compare_job_fft,       &compare_job_gemm,   &compare_job_spmv,   &compare_job_stats,
    &compare_job_autocorr,  &compare_job_recon,  &compare_job_solve,  NULL,
};

const struct compare_job *compare_ceiling_job(enum compare_ceiling ceiling)
{
    static const struct compare_job *const ceilings[] = {
        [COMPARE_NO_CEILING] = NULL,
        [COMPARE_READ] = &compare_job_bandwidth,
        [COMPARE_COPY] = &compare_job_bandwidth,
        [COMPARE_FLOPS] = &compare_job_flops,
    };

    return ceilings[ceiling];
}
