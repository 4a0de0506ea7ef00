// SPDX-License-Identifier: Apache-2.0
// Inline assembly, PTX here: as NVIDIA's OpenCL takes it, and NVRTC the rewritten text. Compiled by nvrtc.sh alone.
typedef struct { uint mutable, x; } pair;

inline uint votes(uint digit, uint mask)
{
    uint agree;

    __asm__ volatile("{\n .reg .pred p;\n .reg .b32 t;\n and.b32 t, %1, %2;\n setp.ne.u32 p, t, 0;\n"
                     " vote.sync.ballot.b32 %0, p, 0xffffffff;\n}" : "=r"(agree) : "r"(digit), "r"(mask));
    return agree;
}

__kernel void assembly(__global const uint *in, __global uint *out)
{
    size_t item = get_global_id(0);
    uint2 v = (uint2)(in[item * 16], 3);
    pair class = {v.x, 7};
    ulong wide = as_ulong(v);

    out[item * 16] = votes(v.x & 255u, 1u << 3);
    asm("match.any.sync.b32 %0, %1, 0xffffffff;" : "=r"(v.y) : "r"(class.mutable & 7));
    asm volatile("add.u32 %0, %0, %1;" : "+r"(class.mutable) : "n"(sizeof(int4)));
    __asm("shr.u64 %0, %0, 1;" : "+l"(wide));
    __asm__ __volatile__("bar.warp.sync 0xffffffff;" ::: "memory");
    asm volatile("bar.warp.sync -1;");
    if (item & 1)
        asm volatile("st.global.u32 [%0], %1;" : : "l"(out + item * 16 + 1), "r"(v.y) : "memory");
    out[item * 16 + 2] = class.mutable, out[item * 16 + 3] = (uint)wide;
}
