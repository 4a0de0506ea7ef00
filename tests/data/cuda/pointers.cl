// SPDX-License-Identifier: Apache-2.0
// Conversions between pointers that C makes by itself.
typedef struct { int a; float b[4]; } item;
float sum(float *p, int n)
{
    float s = 0;
    for (int i = 0; i < n; ++i)
        s += p[i];
    return s;
}
void *whatever(void *p) { return p; }
uint hash(const uchar *bytes, size_t n)
{
    uint h = 0;
    while (n--)
        h = h * 31 + *bytes++;
    return h;
}
int *find(void *p) { return p; }
__kernel void pointers(__global float *out, __global item *items, __global void *raw, __global const uint *u)
{
    float values[4] = { 1, 2, 3, 4 };
    const float fixed[2] = { 1, 2 };
    void *p = values;
    float *q = p;
    int *r;
    item it, *pi = &it;
    __global float *g = raw;
    r = p;
    q = (void *)r;
    r = NULL;
    out[0] = sum(q, 4) + sum(whatever(values), 2) + sum(fixed, 2) + (float)hash(&it, sizeof it);
    pi->a = (p == q) + (r != 0) + (find(values) == p);
    (*pi).b[1] = 2;
    out[1] = items[1].b[2] + g[1] + items->b[0] + pi->a + it.b[1] + vload4(0, out).y + u[0];
    vstore3((float3)(1, 2, 3), 1, out);
    g = out + 1;
    out[2] = g - out + (ulong)g % 2;
    float whole, *pw = &whole;
    out[3] = fract(2.5f, pw) + modf(1.5f, &whole);
}
