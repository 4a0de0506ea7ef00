// SPDX-License-Identifier: Apache-2.0
#include "ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

bool ranks_writes(const struct ranks *ranks)
{
    return !ranks || ranks->communicator->rank == 0;
}

size_t ranks_on_machine(const struct ranks *ranks)
{
    return ranks ? ranks->local_size : 1;
}

const kn_communicator *ranks_communicator(const struct ranks *ranks)
{
    return ranks ? ranks->communicator : NULL;
}

kn_status ranks_check(const struct common_arguments *common, kn_error *err)
{
    const struct command *command = common->definition;

    if (!(command->common & COMMON_SHARES_RANKS))
        return ki_fail(
            err, KN_ERROR_ARGUMENT,
            "does not share its work among the ranks of MPI, of which there are %zu, and each would "
            "do all of it; start it once",
            common->ranks->communicator->size);
    if (common->dry_run)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "--dry-run: it states what one process would do, not the ranks of MPI; start it once");
    if (common->resume)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "--resume: the ranks of MPI keep no finished pieces; start the command once to go on");
    for (size_t i = 0; i < common->operands.count; i++)
        if (strcmp(common->operands.items[i], "-") == 0)
            return ranks_refuse_standard_input(err);
    return KN_OK;
}

kn_status ranks_refuse_standard_input(kn_error *err)
{
    return ki_fail(err, KN_ERROR_ARGUMENT,
                   "-: only one of the ranks of MPI has standard input, and all read; name a file");
}

// What ranks compute on where nobody named anything.
static kn_status choose_usual(const struct common_arguments *common, bool must_be_device,
                              struct places *places, kn_error *err)
{
    struct places usual = {.count = 0};
    kn_status status = choose_gpus(&usual, err);

    if (!status && usual.count == 0 && must_be_device)
        return KN_OK;
    if (!status && usual.count == 0) {
        status = choose_host_too(&usual, err);
        if (ranks_writes(common->ranks))
            fprintf(stderr, "%s: no GPU was found; the host's own code computes in each rank\n",
                    common->command);
    }
    if (status)
        return status;
    choose_free(places);
    *places = usual;
    return KN_OK;
}

kn_status ranks_choose(const struct common_arguments *common, bool must_be_device, struct places *places,
                       kn_error *err)
{
    kn_status status = KN_OK;

    if (!common->ranks)
        return KN_OK;
    if (!places->named)
        status = choose_usual(common, must_be_device, places, err);
    if (status)
        return status;
    places->named = true;
    places->specs[0] = places->specs[common->ranks->local_rank % places->count];
    places->specs[0].from_all = false;
    places->count = 1;
    return KN_OK;
}

kn_status ranks_ended(struct ranks *ranks, kn_status status)
{
    if (ranks && status)
        ranks->ended = true;
    return status;
}

kn_status ranks_agree(struct ranks *ranks, kn_status status, kn_error *err)
{
    if (!ranks || ranks->ended)
        return status;
    return ranks_ended(ranks, kn_communicator_agree(ranks->communicator, status, err));
}

kn_status ranks_tell(struct ranks *ranks, kn_status status, const void *own, size_t size, void **all,
                     kn_error *err)
{
    const size_t count = ranks->communicator->size;

    *all = calloc(count, size);
    if (!status && !*all)
        status = ki_fail_memory(err, count * size, "what ranks tell one another");
    status = ranks_agree(ranks, status, err);
    if (!status)
        status =
            ranks_ended(ranks, ranks->communicator->share(ranks->communicator->data, own, size, *all, err));
    if (status) {
        free(*all);
        *all = NULL;
    }
    return status;
}
