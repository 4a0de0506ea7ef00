// SPDX-License-Identifier: Apache-2.0
// Storage classes (6.8), address spaces (6.5), strings (6.1.5, 6.9) and what only looks like a kernel.
#define BEGIN in += get_global_id(0) * 16, out += get_global_id(0) * 16
/* __kernel void in_a_comment(image2d_t i) { */
// __kernel void in_another(pipe p) \
   goes on here {
#define NAME_OF(x) #x
#if 0
__kernel void absent(__global int *p) { 'unfinished " }
#elif 1 // not "elif 2" /* nor this
#else
#error never
#endif

extern __constant uint declared[3];
extern uint helper(uint x);
static uint hidden(const uint x);
__constant uint declared[3] = {4, 5, 6};
static __constant uchar own[] = "own";
__constant char *__constant names[] = {"one", "two\0three", "__kernel void fake(", "a" "b"};
constant struct { uint n; constant uint *at; float2 v[2]; } linked = {3, declared + 1, {{1, 2}, (float2)(3)}};
__constant uint *const __constant ends[2] = {declared, &declared[2]};

extern uint helper(uint x)
{
    return hidden(x) + declared[x % 3];
}
static uint hidden(const uint x)
{
    return x + 1;
}
static inline __constant char *name_of(uint k)
{
    return names[k % 4];
}
uint count(__constant char *text)
{
    uint n = 0;
    while (*text++)
        n++;
    return n;
}

__kernel void constants(__global const uint *in, __global uint *out)
{
    BEGIN;
    uint k = in[0] & 3;
    __constant char *text = name_of(k), *fixed = "line\tbreak \"quoted\" \\ \x41\102";
    out[0] = helper(in[1]), out[1] = count(text) + own[1], out[2] = names[1][5], out[3] = count(fixed) + fixed[18];
    out[4] = linked.n + linked.at[0] + (uint)linked.v[1].y, out[5] = *ends[1] + ends[0][1], out[6] = sizeof own + sizeof "four";
    out[7] = "hex"[k] + sizeof("a" "b\n"), out[8] = count(NAME_OF(a + "b" 'c')), out[9] = count("// no comment /* nor this */");
    __constant uint inner[2][2] = {{1, 2}, {3}}, deep = 7;
    out[10] = inner[k & 1][k >> 1] + deep, out[11] = count("") + count(names[2]);
    char room[sizeof "seven"];
    room[5] = 'x', out[12] = sizeof room + room[5];
}

typedef __global uint *pointer;
typedef __constant const uint *table;
typedef __local uint shared;
void put(pointer to, __global const uint *restrict const from)
{
    *to = *from;
}
uint sum(__private uint *a, __local const uint *b, __constant uint *c, __global const volatile uint *d)
{
    return a[0] + b[0] * 3 + c[0] * 5 + d[0] * 7;
}
kernel void spaces(global const uint *in, pointer out, __constant uint *c, __local shared *t)
{
    BEGIN;
    private uint a[2] = {in[0], 1};
    __private uint *const p = a, *q = p + 1;
    local uint own_local;
    t[get_local_id(0)] = in[1], own_local = 9;
    barrier(CLK_LOCAL_MEM_FENCE);
    put(out, in), out[1] = sum(p, t + 63 - get_local_id(0), c + 2, in + 3) + own_local;
    __local uint *__private where = t;
    __global const void *any = in + 2;
    out[2] = where[3], out[3] = *(__global const uint *)any + *q, out[4] = ((__global const uchar *)any)[1];
    const table typed = c;
    out[5] = typed[1] + (typed == c), out[6] = (uint)((uintptr_t)(in + 1) - (uintptr_t)in), out[7] = !where + !!p;
    volatile uint v = in[0];
    v = v + v, out[8] = v;
}
