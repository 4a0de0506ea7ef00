// SPDX-License-Identifier: Apache-2.0
// Words of C++ and of ours as names; tags, typedefs and variables that share theirs; enums; sizes.
typedef struct node { int class; struct node *next; } list;
struct list { int template; float this; };
typedef struct box { int new; } box_t;
struct kn_item { int kn_me; };
enum colour { RED, GREEN = 5, BLUE, NEGATIVE = -2 };
typedef enum { OFF, ON } state;
union word { int i; uint u; };
struct bits { uint low : 3, : 5, high : 8; int s : 4; };
struct __attribute__((packed)) tight { char c; int i __attribute__((aligned(2))); };
struct outer { struct inner { int deep; } in; struct inner *link; };
int delete(int operator, int private_)
{
    return operator + private_;
}
float mix3(float a, float b) { return mix(a, b, 0.5f); }
long unsigned int wide(unsigned long a, int long unsigned b, short signed c, unsigned d, long e);
__kernel void try(__global int *and, __global float *or, uint xor)
{
    struct list list = { 1, 2.0f };
    struct node node = { 3, 0 };
    struct inner in = { 4 };
    struct outer outer = { in, &in };
    struct bits bits = { 1, 2, -1 };
    struct tight tight = { 1, 2 };
    box_t box = { 5 };
    enum colour c = GREEN;
    state on = ON;
    union word word;
    int size_of_box = sizeof box, not = 3, x = 3;
    typedef int x_type;
    x_type box_size = x;
    word.i = -1;
    c = c + 1;
    c++;
    on = c == BLUE;
    switch (c) {
    case RED: not++; break;
    case NEGATIVE: not--; break;
    case BLUE + 1: not = 2; break;
    }
    and[0] = delete(list.template, node.class) + not + NEGATIVE + on;
    and[1] = sizeof('a') + sizeof(1 < 2) + sizeof(enum colour) + vec_step(float3) + sizeof(float3) + size_of_box;
    and[2] = outer.link->deep + bits.low + bits.high + bits.s + tight.i + box.new + box_size + (int)word.u;
    and[3] = (max(1, 2) > 1) + !x + ~(x < 2) + 'b' + (NULL == or);
    or[0] = mix3(1, 2) + list.this + max((float)RED, 2.0f);
    and[4] = (int)wide(1, 2, 3, xor, 5);
}
unsigned long wide(ulong a, unsigned long int b, short c, uint d, long e)
{
    return a + b + c + d + e;
}
