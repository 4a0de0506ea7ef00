// SPDX-License-Identifier: Apache-2.0
// Calls the function in a plan's options that says whether its operations go on.
#include "engine/engine.h"
#include "plan_internal.h"

void ki_recon_stage(kn_recon_plan *plan, double from, double to)
{
    plan->ask.from = from;
    plan->ask.to = to;
    ki_ask_at(&plan->ask, 0);
}

kn_status ki_recon_begin(kn_recon_plan *plan, kn_queue *queue, struct ki_ask **before, kn_error *err)
{
    ki_recon_stage(plan, 0, 1);
    *before = queue && plan->ask.go_on ? ki_queue_ask(queue, &plan->ask) : NULL;
    return ki_ask(&plan->ask, err);
}

kn_status ki_recon_end(kn_recon_plan *plan, kn_queue *queue, struct ki_ask *before, kn_status status)
{
    if (queue && plan->ask.go_on)
        (void)ki_queue_ask(queue, before);
    return status;
}
