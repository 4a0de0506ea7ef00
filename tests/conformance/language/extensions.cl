// SPDX-License-Identifier: Apache-2.0
// What C99 does not have but clang accepts in OpenCL C, and people write.
#define BEGIN in += get_global_id(0) * 16, out += get_global_id(0) * 16
#define LARGER(a, b) ({ uint a_ = (a), b_ = (b); a_ > b_ ? a_ : b_; })
#define SET(target, value) ({ target = value; })
#define ONCE 1
#define ONCE 2
__constant int COUNT = 4, squares[10] = {[1 ... 3] = 7, [5] = 1, 2, [8 ... 9] = 3};
__constant int WIDTH = COUNT + 2;
__constant float third = 1.0f / 3, twice = third * 2;
__constant float2 both = (float2)(third, twice);
_Static_assert(sizeof(float4) == 16, "float4");
struct point { const uint x; uint y; };
union word { uint u; uchar b[4]; float f; };

int next(int x)
{
    return x + 1;
}

__kernel void statements(__global const uint *in, __global uint *out)
{
    BEGIN;
    out[0] = LARGER(in[0], LARGER(in[1], in[2])) + 1;
    SET(out[1], in[3]);
    uint4 v = ({ uint4 w = vload4(0, in); for (int k = 0; k < 4; k++) { if (k == 2) break; w.x += k; } w.yxwz; });
    vstore4(v, 1, out);
    out[2] = ({ if (in[0] & 1) out[3] = 5; else out[3] = 6; in[0] & 3; });
    for (uint k = 0; k < 3; k++)
        ({ if (in[k] & 8) continue; if (in[k] & 16) break; out[15] = k; });
    for (uint k = LARGER(in[8] & 3, 1); k < ({ 6; }); k += ({ uint step = 2; step; }))
        out[8 + k] = k + 1;
    out[14] = in[0] & 4 ? ({ uint q = in[1]; q * 2; }) : ({ in[2]; });
}

__kernel void choices(__global const uint *in, __global uint *out)
{
    BEGIN;
    uint once = in[8];
    out[0] = in[0] & 1 ?: 5, out[1] = once++ ?: 7, out[2] = once;
    switch (in[0] & 15) {
    case 0 ... 3: out[3] = 1; break;
    case 5: case 8 ... 11: out[3] = 2; break;
    default: out[3] = 3;
    }
    switch (in[1] & 7) {
    case COUNT: out[4] = 1; break;
    case WIDTH + 1: out[4] = 2; break;
    default: out[4] = 3;
    }
    __auto_type x = in[4];
    out[5] = x + next(in[9]), out[6] = squares[in[1] % 10], out[7] = as_uint(both.y) + as_uint(twice);
    out[8] = _Generic(x, int: 1, uint: 2, float: 3), out[9] = _Generic(1.0f, int: 1, default: in[2]);
    const int n = 3;
    uint many[n + 1] = {}, wide[WIDTH];
    many[in[0] & 3] = 4, wide[in[0] & 3] = 2;
    out[10] = many[1] + wide[in[0] & 3] + sizeof many + sizeof wide;
    float4 colour = as_float4(vload4(1, in));
    out[11] = as_uint(colour.r), out[12] = as_uint(colour.bgra.x);
    colour.ga = colour.rb;
    out[13] = as_uint(colour.a);
    _Alignas(16) uint aligned = 3;
    _Static_assert(_Alignof(float4) == 16, "aligned");
    out[14] = ((size_t)&aligned & 15) + aligned;
}

__kernel void pieces(__global const uint *in, __global uint *out)
{
    BEGIN;
    struct point p = {y: 2, x: in[0]}, q, *any = &q;
    q.y = 3;
    out[0] = p.x + p.y + any->y;
    union word a = {.b = {in[0], 2, in[1], 4}}, b = {.f = as_float(in[4])}, c = {in[2]}, d;
    d = (union word){.b = {1, 2, 3, 4}};
    struct { union word w; uint k; } s = {{.f = 1.5f}, 7};
    out[1] = a.u, out[2] = b.u, out[3] = c.u, out[4] = d.u, out[5] = s.w.u + s.k;
    __global const void *bytes = in + 1;
    bytes += 4, bytes++, bytes--;
    out[6] = *(__global const uint *)(bytes + 4), out[7] = (bytes - 4) - (__global const void *)in;
    out[8] = __builtin_astype(in[4], float) == as_float(in[4]);
    for (struct pair { uint a, b; } s = {0, 10}; s.a < s.b; s.a++, s.b--)
        out[8] += s.a * 100 + s.b;
    uint4 v = vload4(0, in), w = vload4(3, in);
    vstore2(__builtin_shufflevector(v, w, 6, 1), 5, out);
    out[12] = __builtin_popcount(in[0]) + __builtin_clz(in[1] | 1) + __builtin_ctz(in[2] | 8);
    out[13] = __builtin_convertvector(v.xy, ushort2).y, out[14] = __builtin_expect(in[0] & 1, 0) ? 1 : 2;
    uint größe$ = in[0];
    out[15] = __builtin_shufflevector(v, v, 0, 3, 2, 2).z + größe$ + ONCE + sizeof(__DATE__);
}

// C23: what a function does not look at needs no name.
uint second_of(uint, uint x, const uint *);
uint second_of(uint, uint x, const uint *)
{
    return x;
}
__kernel void unnamed(__global const uint *in, __global uint *out, uint, __constant uint *, __local uint *)
{
    BEGIN;
    out[0] = second_of(in[0], in[1], 0);
}

// Definitions in the old style (C99 6.9.1), which C++ and C23 have no more.
static float4 scaled(v, by, n)
    const float4 v;
    float by[2];
    uchar n;
{
    return v * by[1] + n;
}
int shifted(x, n, to) uint n, *to; int x;
{
    *to = n;
    return x << n;
}
__kernel void old_style(__global const uint *in, __global uint *out)
{
    BEGIN;
    float by[] = {1, in[8]};
    uint n;
    out[0] = as_uint(scaled((float4)(1, 2, 3, 4), by, (uchar)in[9]).z);
    out[1] = shifted((int)in[0], in[1] & 31, &n), out[2] = n;
}
