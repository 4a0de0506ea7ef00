// SPDX-License-Identifier: Apache-2.0
// ?: chooses element by element where the condition is a vector, by its top bits; a scalar one stays lazy.
#define BEGIN in += get_global_id(0) * 16, out += get_global_id(0) * 16

__kernel void of_vectors(__global const uint *in, __global uint *out)
{
    BEGIN;
    int4 a = as_int4(vload4(0, in)), b = as_int4(vload4(3, in));
    float4 f = as_float4(vload4(1, in));
    vstore4(as_uint4(a < b ? a : b), 0, out);
    vstore4(as_uint4(a ? f : -f), 1, out);
    vstore4(as_uint4(b ? (int4)(1) : a.wzyx), 2, out);
    vstore4(as_uint4(f > 0 && a > 0 ? a : (b == a || a != 3) ? b : -a), 3, out);
}

int next(int *counter)
{
    return ++*counter;
}
__kernel void of_scalars(__global const uint *in, __global uint *out)
{
    BEGIN;
    int counter = 0, i = in[8];
    int4 a = as_int4(vload4(0, in));
    int r = i > 0 ? next(&counter) : i < -50 ? next(&counter) + next(&counter) : 7;
    a = i & 1 ? a : a + next(&counter);
    out[0] = r, out[1] = counter;
    vstore4(as_uint4(a), 1, out);
    out[2] = i ? 'a' : 2.5f;
    out[3] = (i > 0 ? -1 : 1u) > 0;
    __global const uint *p = i > 0 ? in : 0, *q = i > 0 ? 0 : in + 1;
    out[8] = (p ? p : q)[0];
    out[9] = i > 3 ? i : 5;
    uchar c = in[0];
    out[10] = sizeof(i ? c : c);
    i > 0 ? (out[11] = 1) : (out[11] = 2);
    out[12] = as_uint((i > 0 ? (float4)(1) : (float4)(in[0])).y);
}

__kernel void select_words(__global const uint *in, __global uint *out)
{
    BEGIN;
    uint4 a = vload4(0, in), b = vload4(3, in);
    vstore4(select(a, b, b), 0, out);
    vstore4(select(a, b, a < b), 1, out);
    vstore4(bitselect(a, b, vload4(2, in)), 2, out);
    out[12] = select(a.x, b.x, a.y), out[13] = select(a.x, b.x, 0u);
    out[14] = as_uint(select(as_float(in[4]), 1.0f, as_int(b.y)));
    out[15] = any(as_int4(a)) | all(as_int4(b)) << 1;
}
