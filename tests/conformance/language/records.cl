// SPDX-License-Identifier: Apache-2.0
// Structs, unions and enums, by value and by pointer, nested, in arrays, assigned and returned.
#define BEGIN in += get_global_id(0) * 16, out += get_global_id(0) * 16
typedef struct node { uint lo, xy; struct node *next; union { float f; uint u; }; } node;
enum colour { RED, GREEN = 5, BLUE, LAST = -1 };
typedef enum { SMALL = 1 << 3, LARGE = SMALL * 2 } size;
typedef uint word, words[3];
typedef struct { words w; float3 p; } packet;

packet make(uint a, float3 p)
{
    packet r = {{a, a + 1}, p};
    return r;
}
node twice(node n)
{
    n.lo *= 2, n.xy += 1;
    return n;
}
void change(node *n, enum colour c)
{
    n->xy = c == BLUE ? 100 : c;
    n->next = n;
}
__kernel void by_value(__global const uint *in, __global uint *out)
{
    BEGIN;
    node a = {in[0], in[1], 0, {1.5f}}, b;
    b = twice(a);
    change(&b, in[2] & 1 ? BLUE : GREEN);
    out[0] = a.lo, out[1] = b.lo, out[2] = b.next->next->xy, out[3] = b.u, out[4] = twice(b).xy;
    packet p = make(in[3], (float3)(1, 2, 3)), many[2] = {p, {.p = 4}};
    out[5] = p.w[1] + p.w[2], out[6] = as_uint(many[0].p.z), out[7] = as_uint(many[1].p.y), out[8] = make(7, 0).w[0];
    enum colour c = RED;
    size s = LARGE;
    c++;
    out[9] = c + s + LAST, out[10] = sizeof(enum colour) + sizeof(packet);
    struct { struct { uchar b[4]; } in; short k; } deep, *d = &deep;
    d->in.b[2] = in[4], deep.k = in[5];
    out[11] = deep.in.b[2] + d->k;
    switch ((size)s) {
    case SMALL: out[12] = 1; break;
    case LARGE: out[12] = 2;
    default: out[12] += 5;
    }
    packet copy;
    copy = in[0] & 1 ? p : many[1];
    out[13] = as_uint(copy.p.x) + sizeof(words);
}
