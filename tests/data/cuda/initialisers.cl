// SPDX-License-Identifier: Apache-2.0
// Designated initialisers in any order, elided braces, zero fill, narrowing, compound literals.
typedef struct { int x, y; float z; } point;
typedef struct { point p[2]; uchar bytes[4]; float4 v; } nested;
typedef union { int i; float f; uchar b[4]; } mix_t;
struct late { int n; struct { float a, b; }; };
__constant point corners[3] = { [2] = { .z = 1.5f, .x = 3 }, [0].y = 7, { 1, 2, 3 } };
__constant float4 rows[2] = { (float4)(1, 2, 3, 4), (float4)(5) };
__constant float4 flat[2] = { 1, { 2, 3, 4, 5 } };
__constant char word[] = "abc", exact[3] = "abc";
__constant int table[] = { [3] = 4, 5, [0] = 1 };
__constant uint masks[] = { -1, 0x80000000, ~0, 1u << 31, 1 << 4 };
__constant nested deep = { .v = (float4)(1), .bytes = { 1, 255, [3] = 4 }, .p[1].y = 2 };
float length_of(const point *p)
{
    return p->x + p->y + p->z;
}
__kernel void initialisers(__global float *out, int n, float f)
{
    uchar small[3] = { n, n + 1, 300 };
    short2 pair = { 1, 2 };
    float4 vec = { f, f, 0, 1 }, part = { 1 }, many[2] = { { 1, 2, 3, 4 }, { f } };
    int grid[2][3] = { 1, 2, 3, 4 }, zero[4] = { 0 };
    point a = { n, 2.7, n }, b = { .z = f }, c = (point){ .y = 4, .x = 1 };
    nested d = { { { 1 }, { .y = 3 } }, .bytes[2] = 1 };
    mix_t u = { .f = 1.0f }, w = { 3 };
    struct late l = { 1, { 2, 3 } };
    int *local_list = (int[]){ 1, 2, n };
    out[0] = length_of(&(point){ 1, 2, 3 }) + length_of(&a) + b.z + c.x + d.p[1].y + u.f + w.i + l.b;
    out[1] = small[1] + pair.x + vec.x + part.y + many[1].x + grid[1][0] + zero[3] + local_list[2];
    out[2] = corners[n].x + rows[n].y + flat[n].z + word[n] + exact[n] + table[n] + masks[n] + deep.p[n].x;
    out[3] = sizeof table / sizeof table[0] + sizeof(word) + sizeof exact;
}
