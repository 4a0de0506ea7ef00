// SPDX-License-Identifier: Apache-2.0
// The work-item: its ids, barriers and fences, and the work-group's asynchronous copies. Every function of
// the program gets `const kn_item &kn_me` and passes it on.

namespace kn
{

// What special registers do not hold; the last argument of every kernel.
struct kn_item {
    unsigned long long offset[3];
    unsigned groups[3];
    unsigned local[3];
    unsigned first[2]; // where this grid's groups begin in y and z: more than CUDA's grid has take several
    unsigned fold;     // 65536 / local[1], rounded up, if threadIdx.y counts y and z (more than 64 in z); else 0
    unsigned dims;     // get_work_dim(), 0 if the host did not say
#if !KN_ON_DEVICE
    unsigned group_id[3];
    unsigned local_id[3];
    void *fiber;
#endif
};

#if KN_ON_DEVICE
// CUDA's limits on y and z, which OpenCL does not have, are handled only there: most kernels use x.
KN_FN unsigned kn_local_id(const kn_item &me, uint d)
{
    if (d == 0)
        return threadIdx.x;
    unsigned z = threadIdx.y * me.fold >> 16; // the quotient: y has at most 1,024, local[1] then at most 15
    return d == 1 ? threadIdx.y - z * me.local[1] : threadIdx.z + z;
}
KN_FN unsigned kn_group_id(const kn_item &me, uint d)
{
    return d == 0 ? blockIdx.x : d == 1 ? blockIdx.y + me.first[0] : blockIdx.z + me.first[1];
}
#else
KN_FN unsigned kn_local_id(const kn_item &me, uint d)
{
    return me.local_id[d];
}
KN_FN unsigned kn_group_id(const kn_item &me, uint d)
{
    return me.group_id[d];
}
#endif

KN_FN size_t get_local_id(const kn_item &me, uint d)
{
    return d < 3 ? kn_local_id(me, d) : 0;
}
KN_FN size_t get_local_size(const kn_item &me, uint d)
{
    return d < 3 ? me.local[d] : 1;
}
KN_FN size_t get_group_id(const kn_item &me, uint d)
{
    return d < 3 ? kn_group_id(me, d) : 0;
}
KN_FN size_t get_num_groups(const kn_item &me, uint d)
{
    return d < 3 ? me.groups[d] : 1;
}
KN_FN size_t get_global_offset(const kn_item &me, uint d)
{
    return d < 3 ? (size_t)me.offset[d] : 0;
}
KN_FN size_t get_global_size(const kn_item &me, uint d)
{
    return d < 3 ? (size_t)me.groups[d] * me.local[d] : 1;
}
KN_FN size_t kn_from_offset(const kn_item &me, uint d)
{
    return (size_t)kn_group_id(me, d) * me.local[d] + kn_local_id(me, d);
}
KN_FN size_t get_global_id(const kn_item &me, uint d)
{
    return d < 3 ? kn_from_offset(me, d) + (size_t)me.offset[d] : 0;
}
// OpenCL C 2.0: all groups have one size here, the enqueued one, as in OpenCL 1.2.
KN_FN size_t get_enqueued_local_size(const kn_item &me, uint d)
{
    return get_local_size(me, d);
}
KN_FN size_t get_local_linear_id(const kn_item &me)
{
    return kn_local_id(me, 0) +
           (size_t)me.local[0] * (kn_local_id(me, 1) + (size_t)me.local[1] * kn_local_id(me, 2));
}
KN_FN size_t get_global_linear_id(const kn_item &me)
{
    return kn_from_offset(me, 0) +
           get_global_size(me, 0) *
               (kn_from_offset(me, 1) + get_global_size(me, 1) * kn_from_offset(me, 2));
}
KN_FN uint get_work_dim(const kn_item &me)
{
    if (me.dims)
        return me.dims;
    return me.groups[2] * me.local[2] > 1 ? 3 : me.groups[1] * me.local[1] > 1 ? 2 : 1;
}

// ---- order

#if KN_ON_DEVICE
KN_FN void barrier(const kn_item &, uint)
{
    ::__syncthreads();
}
KN_FN void mem_fence(const kn_item &, uint flags)
{
    if (flags & 2) // CLK_GLOBAL_MEM_FENCE
        ::__threadfence();
    else
        ::__threadfence_block();
}
#else
KN_FN void barrier(const kn_item &me, uint)
{
    ::kn_shim_barrier(me.fiber);
}
KN_FN void mem_fence(const kn_item &, uint)
{
}
#endif
// OpenCL C 2.0's barrier; its scope adds nothing to what the barrier does.
enum memory_scope {
    memory_scope_work_item,
    memory_scope_work_group,
    memory_scope_device,
    memory_scope_all_svm_devices,
    memory_scope_sub_group
};
KN_FN void work_group_barrier(const kn_item &me, uint flags, uint = memory_scope_work_group)
{
    barrier(me, flags);
}
KN_FN void read_mem_fence(const kn_item &me, uint flags)
{
    mem_fence(me, flags);
}
KN_FN void write_mem_fence(const kn_item &me, uint flags)
{
    mem_fence(me, flags);
}

// ---- copies by the whole work-group; the wait is a barrier

KN_FN size_t kn_local_count(const kn_item &me)
{
    return (size_t)me.local[0] * me.local[1] * me.local[2];
}

template <class D, class S, class N>
KN_FN event_t async_work_group_copy(const kn_item &me, D *to, const S *from, N count, event_t event)
{
    for (size_t i = get_local_linear_id(me); i < (size_t)count; i += kn_local_count(me))
        to[i] = from[i];
    return event;
}
// The stride belongs to the side in global memory. The pointer types of the two directions cannot be told apart, so the
// side is found from the address.
template <class D, class S, class N, class M>
KN_FN event_t async_work_group_strided_copy(const kn_item &me, D *to, const S *from, N count, M stride,
                                            event_t event)
{
#if KN_ON_DEVICE
    bool gather = ::__isShared((const void *)to);
#else
    bool gather = ::kn_shim_is_local((const void *)to);
#endif
    size_t to_step = gather ? 1 : (size_t)stride;
    size_t from_step = gather ? (size_t)stride : 1;
    for (size_t i = get_local_linear_id(me); i < (size_t)count; i += kn_local_count(me))
        to[i * to_step] = from[i * from_step];
    return event;
}
// The list may be a null pointer, written 0 or NULL.
template <class N, class E> KN_FN void wait_group_events(const kn_item &me, N, E)
{
    barrier(me, 1);
}

} // namespace kn
