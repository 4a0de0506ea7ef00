// SPDX-License-Identifier: Apache-2.0
#include "ask.h"

#include <stddef.h>

#include "error.h"

void ki_ask_at(struct ki_ask *ask, double part)
{
    if (ask)
        ask->done = ask->from + part * (ask->to - ask->from);
}

kn_status ki_ask(const struct ki_ask *ask, kn_error *err)
{
    if (!ask || !ask->go_on || ask->go_on(ask->data, ask->done))
        return KN_OK;
    return ki_fail(err, KN_ERROR_INTERRUPTED, "stopped at %.0f %%", 100 * ask->done);
}
