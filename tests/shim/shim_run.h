// SPDX-License-Identifier: Apache-2.0
// Runs a kernel wrapper over an index space: group after group, a fiber for each work-item.
//
//   size_t global[3] = {1024, 1, 1}, local[3] = {64, 1, 1};
//   shim_run([&](const kn::kn_item &item) { koine_scale(a, 0, 16, item); }, global, local, nullptr, 256);
#ifndef KN_SHIM_RUN
#define KN_SHIM_RUN 1

#include <ucontext.h>
#include <vector>

struct shim_fiber {
    ucontext_t context;
    std::vector<unsigned char> stack;
    kn::kn_item item;
    struct shim_group *group;
    bool done;
};

struct shim_group {
    ucontext_t scheduler;
    std::vector<shim_fiber> fibers;
    void (*call)(void *kernel, const kn::kn_item &item);
    void *kernel;
};

inline void kn_shim_barrier(void *fiber)
{
    shim_fiber *self = (shim_fiber *)fiber;
    swapcontext(&self->context, &self->group->scheduler);
}

inline void shim_enter(unsigned high, unsigned low)
{
    shim_fiber *self = (shim_fiber *)((size_t)high << 32 | low);
    self->group->call(self->group->kernel, self->item);
    self->done = true;
}

inline void shim_start(shim_group *group, shim_fiber *fiber)
{
    size_t address = (size_t)fiber;
    fiber->group = group;
    fiber->done = false;
    fiber->item.fiber = fiber;
    getcontext(&fiber->context);
    fiber->context.uc_stack.ss_sp = fiber->stack.data();
    fiber->context.uc_stack.ss_size = fiber->stack.size();
    fiber->context.uc_link = &group->scheduler;
    makecontext(&fiber->context, (void (*)())shim_enter, 2, (unsigned)(address >> 32), (unsigned)address);
}

// Every item to its next barrier, until all have returned. A barrier that only some items reach is an error
// in the kernel, and ends the test.
inline void shim_run_group(shim_group *group)
{
    size_t count = group->fibers.size(), done = 0;
    while (done < count) {
        done = 0;
        for (shim_fiber &fiber : group->fibers) {
            swapcontext(&group->scheduler, &fiber.context);
            done += fiber.done;
        }
        if (done && done < count) {
            std::fprintf(stderr, "shim: %zu of %zu work-items returned while others wait at a barrier\n",
                         done, count);
            std::abort();
        }
    }
}

inline void shim_number(kn::kn_item *item, const size_t group[3], size_t linear)
{
    for (int d = 0; d < 3; d++) {
        item->group_id[d] = (unsigned)group[d];
        item->local_id[d] = (unsigned)(linear % item->local[d]);
        linear /= item->local[d];
    }
}

// global must be a multiple of local; offset may be null. arena_bytes: the kernel's dynamic local memory.
template <class K>
inline void shim_run(K kernel, const size_t global[3], const size_t local[3],
                     const size_t offset[3] = nullptr, size_t arena_bytes = 0, unsigned work_dim = 0)
{
    shim_group group;
    kn::kn_item item = {};
    size_t groups[3], at[3];
    for (int d = 0; d < 3; d++) {
        groups[d] = global[d] / local[d];
        item.offset[d] = offset ? offset[d] : 0;
        item.groups[d] = (unsigned)groups[d];
        item.local[d] = (unsigned)local[d];
    }
    item.dims = work_dim;
    group.fibers.resize(local[0] * local[1] * local[2]);
    for (shim_fiber &fiber : group.fibers)
        fiber.stack.resize(256 * 1024);
    group.kernel = &kernel;
    group.call = [](void *k, const kn::kn_item &me) { (*(K *)k)(me); };
    kn_arena = (unsigned char *)std::aligned_alloc(128, (arena_bytes + 255) & ~(size_t)127);
    kn_arena_bytes = arena_bytes + 128;

    for (at[2] = 0; at[2] < groups[2]; at[2]++)
        for (at[1] = 0; at[1] < groups[1]; at[1]++)
            for (at[0] = 0; at[0] < groups[0]; at[0]++) {
                for (size_t i = 0; i < group.fibers.size(); i++) {
                    group.fibers[i].item = item;
                    shim_number(&group.fibers[i].item, at, i);
                    shim_start(&group, &group.fibers[i]);
                }
                shim_run_group(&group);
            }
    std::free(kn_arena);
    kn_arena = nullptr;
    kn_arena_bytes = 0;
}

#endif
