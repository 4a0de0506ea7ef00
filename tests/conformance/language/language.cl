// SPDX-License-Identifier: Apache-2.0
// Where the same text means something else in C++, or nothing (C11 6.2 to 6.9; C++ annex C.5): scopes, names, jumps,
// declarations.
#define BEGIN in += get_global_id(0) * 16, out += get_global_id(0) * 16

// ---- names: tags stand apart from variables, functions, types and labels; members from everything

typedef uint count;
struct stat { uint count, stat; count other; struct stat *next; };
struct stat stat(struct stat stat)
{
    stat.stat++;
    return stat;
}
union list { uint list; uchar4 bytes; };
enum list_kind { list_kind, after };
__kernel void tags(__global const uint *in, __global uint *out)
{
    BEGIN;
    struct stat a = {in[0], in[1], 3}, b = stat(a);
    union list list;
    list.list = in[2];
    out[0] = b.stat, out[1] = b.count, out[2] = list.bytes.y, out[3] = a.other;
    {
        int stat = 5;
        struct stat c = {stat};
        out[4] = c.count + stat;
        goto stat;
    }
    out[4] = 0;
stat:
    out[5] = sizeof(struct stat) + sizeof list;
    enum list_kind after_all = after;
    uint count = in[3];
    out[6] = count + after_all + list_kind;
    for (uint list = 0; list < 3; list++)
        out[7] = list;
}

typedef int word;
uint word_of(uint x)
{
    return x + 1;
}
__kernel void hiding(__global const uint *in, __global uint *out)
{
    BEGIN;
    uint x = in[0];
    {
        uint word = x, y = 2;
        out[0] = (word) - 1, out[1] = (word)+y, out[2] = sizeof(word) * y, out[3] = (word)&y, out[4] = (word)*y;
    }
    out[5] = (word)-1 < 0, out[6] = (word)+1, out[7] = sizeof(word);
    {
        typedef uchar word;
        out[8] = (word)-1;
        struct stat { word small; } s = {300};
        out[9] = s.small + sizeof(struct stat);
        {
            struct stat;
            struct stat *p = 0;
            struct stat { ulong large[2]; } t = {{x}};
            p = &t;
            out[10] = sizeof t + p->large[0];
        }
        out[11] = sizeof(struct stat);
    }
    uint word_of_x = word_of(x), length = 3, distance = 4, sign = 5, step = 6, dot = 7, vec = 8, half_ = 9, item = 10;
    out[12] = word_of_x + length + distance * sign + step * dot + vec * half_ * item;
    int i = 7;
    for (int i = 0; i < 2; i++) {
        int i = 5;
        out[13] = i++;
    }
    for (int i = 0, k = 1; i < 3; i++, k *= 2)
        out[14] = k;
    out[15] = i;
}

// What is declared inside a struct, a parameter list or an expression is visible behind it.
struct outer { struct inner { uint a, b; } in[2]; enum { FIRST = 3, SECOND } kind; union { uint whole; uchar part[4]; }; };
__kernel void nested(__global const uint *in, __global uint *out)
{
    BEGIN;
    struct inner i = {in[0], in[1]};
    struct outer o = {{i, {5}}, SECOND, {in[2]}}, *p = &o;
    out[0] = o.in[0].b + FIRST, out[1] = p->kind, out[2] = p->part[2], out[3] = p->in[1].a;
    out[4] = sizeof(struct hidden { uchar c[5]; }) + sizeof(struct hidden);
    out[5] = sizeof(enum { IN_SIZEOF = 77 }) + IN_SIZEOF;
    struct hidden h = {{1, 2, 3}};
    out[6] = h.c[2];
    struct pair { uint a, b; };
    for (struct pair s = {0, 10}; s.a < s.b; s.a++, s.b--)
        out[7] = s.a * 100 + s.b;
    typedef struct { uint x; } *pointer;
    pointer none = 0;
    out[8] = sizeof *none + (none == 0);
    struct { uint x; struct { uint y; }; } anonymous = {1, {in[3]}}, *q = &anonymous;
    out[9] = q->y + anonymous.x;
}

// ---- initialisers

struct deep { uchar a; struct { ushort b[3]; float2 c; } d; uint e; };
constant struct deep constants[] = {[1] = {.e = 9, .d.b[1] = 4, .d.c = (float2)(1, 2), .a = 300}, {1}, [0].d.b = {7, 8}};
constant uint sparse[] = {[5] = 1, 2, [1] = 3, [2] = 4, 5};
__kernel void initialisers(__global const uint *in, __global uint *out)
{
    BEGIN;
    out[0] = constants[1].e + constants[1].d.b[1] * 16 + constants[1].a * 256 + constants[2].a + constants[0].d.b[1];
    out[1] = sizeof sparse / sizeof *sparse + sparse[3] * 16 + sparse[6] * 256 + sparse[1] * 4096;
    struct deep d = {.d = {.b = {1, 2, 3}, .c = 5}, .d.b[1] = in[0], .a = in[1]};
    out[2] = d.d.b[0] + d.d.b[1] * 2 + d.d.b[2] + d.a, out[3] = as_uint(d.d.c.y);
    const uint grid[2][3] = {{1}, {[1] = in[2]}}, flat[][2] = {1, 2, 3, 4, 5};
    out[4] = grid[0][0] + grid[1][1] + grid[1][2], out[5] = sizeof flat / sizeof *flat + flat[2][0] * 16 + flat[2][1];
    char text[] = "ab" "c", cut[3] = "xyz", wide[6] = {"hi"}, braced[] = {'a', 98, "c"[0]};
    out[6] = sizeof text + text[2] + cut[2] * 256 + wide[1] + wide[5] + braced[1];
    float f[3] = {in[3], 1, -2}, g[2] = {[1] = 2.5};
    out[7] = as_uint(f[0]) + as_uint(f[2]), out[8] = as_uint(g[1]) + as_uint(g[0]);
    uchar narrow[4] = {in[0], -1, 3.9f, 'a'};
    short s = in[1];
    out[9] = as_uint((uchar4)(narrow[0], narrow[1], narrow[2], narrow[3])), out[10] = s;
    union { uchar c[4]; uint u; float f; } u = {.f = 1}, v = {{1, 2}}, w = {.c = {[3] = 1}}, z = {.u = in[2]};
    out[11] = u.u, out[12] = v.u, out[13] = w.u, out[14] = z.c[1];
    const int later;
    volatile uint known = (in[0], in[1]);
    out[15] = known + sizeof later;
}

// Compound literals are objects: they have addresses, live as long as their block, and are made where they stand.
uint total(const uint *p, int n)
{
    uint sum = 0;
    while (n--)
        sum += *p++;
    return sum;
}
__kernel void compound(__global const uint *in, __global uint *out)
{
    BEGIN;
    uint *p = (__private uint[]){1, in[0], 3}, x = in[1] & 7, i;
    struct inner *q = &(__private struct inner){in[2], 4};
    p[0]++, q->b *= 2;
    out[0] = p[0] + p[1], out[1] = q->a + q->b, out[2] = total((__private uint[4]){[2] = x}, 4);
    out[3] = (x = 3, (__private uint[]){x, x + 1}[1]);
    out[4] = x > 5 && total((const __private uint[]){x++}, 1);
    out[5] = x + (uint){7} + (uchar){in[3]};
    for (i = 0; i < (__private uint[]){3, 4}[i & 1]; i++)
        out[6] = total((__private uint[]){i, i * 2}, 2);
    uint *kept = 0;
    for (i = 0; i < 3; i++) {
        uint *now = (__private uint[]){i};
        kept = i ? kept : now;
        *now += 10, out[7] = *now;
    }
    out[8] = ((struct inner){.b = in[0]}).b + ((float4){1, 2, 3, 4}).z + (uint4){x, 1, 2, 3}.x;
    struct inner copy = *&(__private struct inner){1, in[1]}, many[] = {(struct inner){2}, {3, in[2]}};
    out[9] = copy.b + many[1].b + many[0].a;
    out[10] = sizeof((__private uint[]){1, 2, 3}) + sizeof((char[]){"abc"}) + (char[]){"abc"}[1];
}

// ---- jumps over declarations, into and out of blocks

__kernel void jumps(__global const uint *in, __global uint *out)
{
    BEGIN;
    uint k = in[0] & 3, n = in[1] & 7, sum = 0, left;
    if (k == 1)
        goto middle;
    const uint skipped = in[2], row[2] = {in[2], 2};
    struct inner skipped_too = {1, skipped};
    float4 v = (float4)(row[0] & 15);
    sum = skipped_too.b + (uint)v.x + row[1];
middle:;
    uint tail = sum + 1;
    if (n > 5) {
        n -= 3;
        goto middle;
    }
    out[0] = tail, out[1] = n;
    // Duff's device: cases inside a loop.
    left = (n + 4) / 4, sum = 0;
    switch (n % 4) {
        uint unused = 5;
    case 0: do { sum += 1;
    case 3: sum += 10;
    case 2: sum += 100;
    case 1: sum += 1000;
        } while (--left > 0);
        unused = 1;
        sum += unused;
    }
    out[2] = sum;
    switch (k)
    case 2: out[3] = 5;
    switch (k) default: out[4] = 6;
    switch (in[3] & 3) {
    default: out[5] = 1; break;
    case 1: {
        uint inner = in[0];
        switch (inner & 1) {
        case 0: out[5] = 2; break;
        default: out[5] = 3;
        }
        break;
    }
    case 'a' - 'a' + 2: out[5] = 4;
    }
    for (uint i = 0;; i++) {
        uint twice = i * 2;
        if (twice < n)
            continue;
        out[6] = twice;
        goto done;
    next:
        out[6] = 99;
    }
    goto next;
done:
    if (k) if (k == 1) out[7] = 1; else out[7] = 2; else out[7] = 3;
    do ; while (k++ < 10);
    out[8] = k;
    {;}
    switch ((long)in[0] << 32 | in[1]) { case 0x100000000L: out[9] = 1; break; case -1L: out[9] = 2; break; default: out[9] = 3; }
}

// ---- long ones: labels in front of one another, and operators in a row, by the thousand

#define LABELS_8(n) case n: case n + 1: case n + 2: case n + 3: case n + 4: case n + 5: case n + 6: case n + 7:
#define LABELS_64(n) LABELS_8(n) LABELS_8(n + 8) LABELS_8(n + 16) LABELS_8(n + 24) LABELS_8(n + 32) \
    LABELS_8(n + 40) LABELS_8(n + 48) LABELS_8(n + 56)
#define LABELS_512(n) LABELS_64(n) LABELS_64(n + 64) LABELS_64(n + 128) LABELS_64(n + 192) LABELS_64(n + 256) \
    LABELS_64(n + 320) LABELS_64(n + 384) LABELS_64(n + 448)
#define TERMS_8(x) x + x * 3 + x + x ^ x + x - x + x
#define TERMS_64(x) TERMS_8(x) + TERMS_8(x) + TERMS_8(x) - TERMS_8(x) + TERMS_8(x) ^ TERMS_8(x) + TERMS_8(x) + TERMS_8(x)
#define TERMS_512(x) TERMS_64(x) + TERMS_64(x) + TERMS_64(x) + TERMS_64(x) * TERMS_64(x) + TERMS_64(x) + TERMS_64(x)
__kernel void long_ones(__global const uint *in, __global uint *out)
{
    BEGIN;
    uint x = in[0];
    switch (x & 4095) {
    LABELS_512(0) LABELS_512(512) default: LABELS_512(1024) out[0] = 1;
    LABELS_512(2048) out[1] = 2; break;
    LABELS_512(2560) LABELS_512(3072) out[0] = 3;
    }
    if (x & 1) switch (in[1] & 511) LABELS_512(0) out[2] = 5;
    out[3] = TERMS_512(x) + TERMS_512(in[1]) + TERMS_512(x) ^ TERMS_512(in[2]);
}

// ---- functions

int declared_often(int), declared_often(int x);
static inline float apply(float x, float4 v, const struct inner i);
uint noted(void);
uint (*row_of(uint (*p)[3], int k))[3]
{
    return p + k;
}
uint sum_of(const uint a[static 2], uint b[const][3], __global const uint *restrict c, const uint n)
{
    return a[1] + b[1][2] + c[0] + n;
}
void nothing(void)
{
    return;
}
__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void declared_first(__global const uint *in, __global uint *out);
__kernel void functions(__global const uint *in, __global uint *out)
{
    BEGIN;
    uint t[2][3] = {{1, 2, 3}, {4, 5, in[0]}};
    out[0] = (*row_of(t, 1))[2], out[1] = sum_of(t[0], t, in + 1, 3), out[2] = declared_often(in[2]);
    out[3] = as_uint(apply(2, (float4)(1, 2, 3, 4), (struct inner){5, 6})), out[4] = noted();
    in[0] & 1 ? nothing() : (void)out[4];
    (void)in[0], (void)0;
    uint (*p)[3] = t, *(*q)[2], *pair[2] = {t[0], t[1]};
    q = &pair;
    out[5] = p[1][1] + (*q)[1][0] + 1[t][1], out[6] = &t[1][2] - *t, out[7] = (char *)(p + 1) - (char *)p;
    out[8] = *(in + 1) == 1[in];
}
__kernel void declared_first(__global const uint *in, __global uint *out)
{
    out[get_global_id(0) * 16] = in[get_global_id(0) * 16] + get_local_size(0);
}
int declared_often(int x)
{
    return x - 1;
}
static inline float apply(float x, float4 v, const struct inner i)
{
    return x * v.w + i.b;
}
uint noted(void) { return 12; }
