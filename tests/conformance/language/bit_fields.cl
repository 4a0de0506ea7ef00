// SPDX-License-Identifier: Apache-2.0
// C99 6.7.2.1, bit-fields, which OpenCL C 1.2 (6.9.c) leaves out and some compilers take all the same: by value and by
// pointer, in arrays, unions and nested structs. Every word written is 1 where the rule holds.
#define BEGIN in += get_global_id(0) * 16, out += get_global_id(0) * 16

typedef struct { uint low : 3, middle : 12; uint high : 17; } parts;
typedef struct { int sign : 1; int small : 5; uint : 2; uint after : 8; uint : 0; uchar next; } mixed;
struct outer { uchar tag; struct { ushort a : 4, b : 12; } in; parts many[2]; };
typedef union { parts fields; uint whole; } view;

__constant parts table[2] = {{1, 2, 3}, {.high = 0x1ffff, .low = 7}};

parts swapped(parts p)
{
    parts r = {p.high & 7, p.middle, p.low};
    return r;
}

void count(parts *p, uint by)
{
    p->low += by;
    p->middle++;
    --p->high;
}

__kernel void values_holds(__global const uint *in, __global uint *out)
{
    BEGIN;
    view v;
    v.whole = in[0];
    out[0] = v.fields.low == (in[0] & 7);
    out[1] = v.fields.middle == (in[0] >> 3 & 0xfff);
    out[2] = v.fields.high == in[0] >> 15;
    v.fields.middle = in[1];
    out[3] = v.whole == ((in[0] & ~0x7ff8u) | (in[1] << 3 & 0x7ff8));
    parts s = swapped(v.fields);
    out[4] = s.low == (in[0] >> 15 & 7) && s.high == (in[0] & 7);
    out[5] = sizeof(parts) == 4;
    // What fits into an int is promoted to int, unsigned or not.
    s.low = 2;
    out[6] = s.low - 5 < 0 && -s.low < 1 && ~s.low < 0;
    out[7] = (s.low = in[2]) == (in[2] & 7);
}

__kernel void signs_holds(__global const uint *in, __global uint *out)
{
    BEGIN;
    mixed m = {-1, -16, 255, 77};
    out[0] = m.sign < 0 && m.small == -16 && m.after == 255 && m.next == 77;
    m.small = (int)(in[0] & 31) - 16;
    out[1] = m.small == (int)(in[0] & 31) - 16;
    m.small--;
    out[2] = m.small == ((in[0] & 31) == 0 ? 15 : (int)(in[0] & 31) - 17);
    m.sign ^= 1;
    out[3] = m.sign == ~0 + 1;
    m.after <<= 4, m.after |= in[1] & 15;
    out[4] = m.after == (0xf0 | (in[1] & 15)) && m.next == 77;
}

__kernel void pointers_holds(__global const uint *in, __global uint *out)
{
    __local parts shared[64];
    BEGIN;
    parts own = {.low = in[0], .middle = in[1], .high = in[2]}, *p = &own, copy;
    __local parts *mine = shared + get_local_id(0);
    count(&own, in[3]);
    out[0] = p->low == ((in[0] + in[3]) & 7) && p->middle == ((in[1] + 1) & 0xfff);
    out[1] = p->high == ((in[2] - 1) & 0x1ffff);
    *mine = own;
    mine->middle = ~mine->middle;
    barrier(CLK_LOCAL_MEM_FENCE);
    copy = shared[get_local_id(0) ^ 1];
    barrier(CLK_LOCAL_MEM_FENCE);
    shared[get_local_id(0) ^ 1] = copy;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[2] = mine->middle + own.middle == 0xfff && mine->low == own.low && mine->high == own.high;
    __global const parts *there = (__global const parts *)in;
    out[3] = there[4].high == in[4] >> 15 && there[5].low == in[5] % 8;
    out[4] = table[1].high == 0x1ffff && table[1].middle == 0 && table[in[6] & 1].low == ((in[6] & 1) ? 7 : 1);
}

__kernel void nested_holds(__global const uint *in, __global uint *out)
{
    BEGIN;
    struct outer o = {5, {in[0], in[1]}, {{1, 2, 3}, {.middle = in[2]}}}, other;
    o.many[0].low |= o.in.a;
    other = o;
    out[0] = other.in.a == (in[0] & 15) && other.in.b == (in[1] & 0xfff);
    out[1] = other.many[0].low == ((in[0] & 7) | 1) && other.many[0].high == 3;
    out[2] = other.many[1].middle == (in[2] & 0xfff) && other.many[1].low == 0;
    out[3] = (in[3] & 1 ? o.in.b : o.in.a) == (in[3] & 1 ? in[1] & 0xfff : in[0] & 15);
    switch (o.in.a) {
    case 3: out[4] = (in[0] & 15) == 3; break;
    default: out[4] = (in[0] & 15) != 3;
    }
    out[5] = ((parts){in[4], in[5], 9}).high == 9;
}
