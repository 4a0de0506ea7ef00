// SPDX-License-Identifier: Apache-2.0
// Declarations that a switch or a goto jumps over.
__kernel void jumps(__global int *out, int n)
{
    int i = 0;
again:
    switch (n & 3) {
    case 0: {
        int a = 3;
        out[0] = a;
        break;
    }
    case 1:;
        int b = n * 2, list[3] = { 1, 2, n };
        const float4 v = (float4)(1);
        out[1] = b + list[1] + (int)v.x;
    case 2:
        b = 4;
        out[2] = b;
        break;
    default:
        break;
    }
    if (n > 10)
        goto done;
    int late = n + 1;
    struct { int x; } s = { late };
    out[3] = late + s.x;
done:
    if (++i < 3)
        goto again;
    do
        n--;
    while (n > 0);
    #pragma unroll 4
    for (int k = 0, m = 3; k < m; k++)
        out[k] += k;
    __attribute__((opencl_unroll_hint(2)))
    for (;;) {
        if (n++ > 3) break; else continue;
    }
}
