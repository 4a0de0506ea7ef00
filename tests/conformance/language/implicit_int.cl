// SPDX-License-Identifier: Apache-2.0
// C89's int that nobody wrote: clang up to 15 takes it with a warning, later ones refuse it (6.11: C99, which has none).
__constant COUNT = 4, squares[5] = {0, 1, 4, 9, 16};

next(int x)
{
    return x + 1;
}

__kernel void left_out(__global const uint *in, __global uint *out)
{
    in += get_global_id(0) * 16, out += get_global_id(0) * 16;
    const n = 3;
    uint many[n + 1] = {};
    many[in[0] & 3] = 4;
    out[0] = next(in[9]), out[1] = squares[in[1] % 5] + COUNT, out[2] = many[1] + sizeof many;
}
