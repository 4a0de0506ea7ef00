// SPDX-License-Identifier: Apache-2.0
// Relational built-ins: 1 for scalars, -1 for vectors.
#define BEGIN in += get_global_id(0) * 16, out += get_global_id(0) * 16

__kernel void of_floats(__global const uint *in, __global uint *out)
{
    BEGIN;
    float4 a = as_float4(vload4(0, in)), b = as_float4(vload4(1, in)), c = b.yxwz;
    if (in[8] & 1)
        a.x = NAN, a.y = INFINITY, c.x = b.x;
    out[0] = isequal(a.x, b.x) | isnotequal(a.x, b.x) << 1 | isgreater(a.y, b.y) << 2 | isless(a.y, b.y) << 3 |
             isnan(a.x) << 4 | isinf(a.y) << 5 | isfinite(a.y) << 6 | isnormal(b.z) << 7 | signbit(b.w) << 8 |
             isordered(a.x, b.x) << 9 | isunordered(a.x, b.x) << 10 | islessgreater(b.x, c.x) << 11 |
             isgreaterequal(b.z, b.w) << 12 | islessequal(b.x, c.x) << 13;
    vstore4(as_uint4(isequal(b, c) + islessgreater(a, b) * 2 + isnan(a) * 4 + isinf(a) * 8), 1, out);
    vstore4(as_uint4(signbit(b) + isfinite(a) * 2 + isnormal(b) * 4 + isunordered(a, c) * 8), 2, out);
    vstore4(as_uint4(isgreater(b, c) + islessequal(b, c) * 2), 3, out);
    out[1] = any(isnan(a)) | all(isfinite(a)) << 1;
    out[2] = as_uint(select(b, c, isless(b, c)).z);
    out[3] = as_uint(bitselect(b, c, a).z) & 0x7fffffff;
}
