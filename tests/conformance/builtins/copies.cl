// SPDX-License-Identifier: Apache-2.0
// 6.12.10: asynchronous copies of every element type and width, to local memory and back, with strides, and several of
// one event and of many.
#define GROUP_IN (in + get_group_id(0) * 1024)
#define L get_local_id(0)

// A work-group's 4,096 bytes of `in` go to local memory in pieces and come back in others.
#define COPY(T, COUNT)                                                                                                 \
    {                                                                                                                  \
        __local T *t = (__local T *)raw, *u = t + COUNT;                                                               \
        __global const T *from = (__global const T *)(in + get_group_id(0) * 1024);                                    \
        __global T *to = (__global T *)(out + get_group_id(0) * 1024);                                                 \
        event_t first = async_work_group_copy(t, from + 1, COUNT, 0), all[2];                                          \
        wait_group_events(1, &first);                                                                                  \
        all[0] = async_work_group_strided_copy(u, from, COUNT / 2, 2, 0);                                              \
        all[1] = async_work_group_copy(u + COUNT / 2, from + COUNT, COUNT / 4, 0);                                     \
        wait_group_events(2, all);                                                                                     \
        all[0] = async_work_group_copy(to, t, COUNT, (event_t)0);                                                      \
        all[0] = async_work_group_strided_copy(to + COUNT, u, COUNT / 2 + COUNT / 4, 1, all[0]);                       \
        wait_group_events(1, all);                                                                                     \
        barrier(CLK_GLOBAL_MEM_FENCE);                                                                                 \
        all[1] = async_work_group_strided_copy(to + 1, t, COUNT / 4, 3, 0);                                            \
        wait_group_events(1, all + 1);                                                                                 \
        barrier(CLK_GLOBAL_MEM_FENCE);                                                                                 \
    }
#define COPIES(T, BYTES)                                                                                               \
    __kernel void of_##T(__global const uint *in, __global uint *out)                                                  \
    {                                                                                                                  \
        __local ulong16 raw[32];                                                                                       \
        COPY(T, 1024 / BYTES)                                                                                          \
        COPY(T##2, 512 / BYTES)                                                                                        \
        COPY(T##4, 256 / BYTES)                                                                                        \
        COPY(T##8, 128 / BYTES)                                                                                        \
        COPY(T##16, 64 / BYTES)                                                                                        \
        prefetch(in, 16);                                                                                              \
        prefetch((__global const T *)in + L, 1);                                                                       \
    }
COPIES(char, 1)
COPIES(uchar, 1)
COPIES(short, 2)
COPIES(ushort, 2)
COPIES(int, 4)
COPIES(uint, 4)
COPIES(long, 8)
COPIES(ulong, 8)
COPIES(float, 4)

// Three components are copied as four are, whose last is nobody's: only the others are looked at.
#define THREES(T)                                                                                                      \
    __kernel void threes_of_##T(__global const uint *in, __global uint *out)                                           \
    {                                                                                                                  \
        __local T##3 t[16];                                                                                            \
        event_t e = async_work_group_copy(t, (__global const T##3 *)GROUP_IN, 16, 0);                                  \
        wait_group_events(1, &e);                                                                                      \
        out[get_global_id(0) * 16] = t[L % 16].x, out[get_global_id(0) * 16 + 1] = t[L / 4].z;                         \
        barrier(CLK_LOCAL_MEM_FENCE);                                                                                  \
        e = async_work_group_strided_copy(t, (__global const T##3 *)GROUP_IN, 8, 2, 0);                                \
        wait_group_events(1, &e);                                                                                      \
        out[get_global_id(0) * 16 + 2] = t[L % 8].y;                                                                   \
    }
THREES(uchar)
THREES(short)
THREES(int)
THREES(ulong)
THREES(long)
