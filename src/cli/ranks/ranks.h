// SPDX-License-Identifier: Apache-2.0
// A command as one of several processes that share its work, the ranks of MPI. All of them read the options
// and open their devices; then each is a place of the job (koine/distribute.h), by the number of its rank.
// Rank 0 has the results and writes them. The functions below take NULL for a command that is alone.
//
// A rank that fails goes on to its next ranks_agree or ranks_tell, at the latest the one at the end of the
// command: there all ranks learn of it, and end. So no rank may leave one out that others come to.
#ifndef KN_CLI_RANKS_H
#define KN_CLI_RANKS_H

#include <koine/distribute.h>

#include "cli/choose.h"
#include "cli/framework/options.h"

struct ranks {
    const kn_communicator *communicator; // NULL: a process alone
    size_t local_rank, local_size;       // among those of this machine
    bool ended;                          // a failure is known to all ranks
};

// Whether this process writes the results and the messages.
bool ranks_writes(const struct ranks *ranks);
// How many processes of this machine share its memory: 1 if it is alone.
size_t ranks_on_machine(const struct ranks *ranks);
const kn_communicator *ranks_communicator(const struct ranks *ranks);

// Refuses what ranks cannot share: a command that does not share its work among them, an input that cannot be
// read by all, --dry-run and --resume. KN_ERROR_ARGUMENT.
kn_status ranks_check(const struct common_arguments *common, kn_error *err);

kn_status ranks_refuse_standard_input(kn_error *err);

// Leaves one of the places that were chosen, by the rank on this machine; if none was named, one of its GPUs.
// If it has none that is the host, which a line says, or for `must_be_device` the best device.
kn_status ranks_choose(const struct common_arguments *common, bool must_be_device, struct places *places,
                       kn_error *err);

// Called by all ranks: the failure of the lowest rank that failed is that of all.
kn_status ranks_agree(struct ranks *ranks, kn_status status, kn_error *err);
// The same; then gives each the `size` bytes of every rank. The caller frees them.
kn_status ranks_tell(struct ranks *ranks, kn_status status, const void *own, size_t size, void **all,
                     kn_error *err);
// The outcome of kn_distribution_run with the communicator, which is the same in all ranks.
kn_status ranks_ended(struct ranks *ranks, kn_status status);

#endif
