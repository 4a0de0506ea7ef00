// SPDX-License-Identifier: Apache-2.0
// Shift counts are modulo the width of the promoted left operand.
__kernel void shifts(__global int *i, __global uint4 *v, __global ulong *l, uchar c)
{
    int n = i[0];
    i[1] = n << 3;
    i[2] = n << n;
    i[3] = n << 33;
    i[4] = c << 9;
    i[5] = 1 << 4;
    v[0] = v[1] << v[2];
    v[1] >>= 3u;
    v[2] = v[3] << 35;
    l[0] = l[1] >> n;
    l[1] <<= 70;
    l[2] = (ulong)1 << 63;
    c <<= 1;
    i[6] = c >> (n & 3);
    int t[1 << 4];
    t[n & 15] = 1 << n;
    i[7] = t[3 & n];
}
