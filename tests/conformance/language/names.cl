// SPDX-License-Identifier: Apache-2.0
// Words of C++ as names, macros that become signatures, text that is not there, loops and jumps of C.
#define CONCAT_(a, b) a##b
#define CONCAT(a, b) CONCAT_(a, b)
#define KERNEL(name) __kernel void CONCAT(name, _made)(__global const uint *in, __global uint *out)
#define BEGIN in += get_global_id(0) * 16, out += get_global_id(0) * 16
#if CHAR_BIT != 8 || INT_MAX != 2147483647 || !defined(M_PI_F) || UINT_MAX < 1
#error the constants are not those of OpenCL C
#endif
#if 0
this is no program { ( ' "
__kernel void absent(image2d_t pipe) { goto
#endif
struct class { int private_, public, template; };
typedef struct class friend;
int virtual(int operator, int new)
{
    return operator - new;
}
KERNEL(words)
{
    BEGIN;
    int this = in[0], delete = in[1], and = this & delete, typename = 3, kn_me = 5, float5 = 1, threadIdx = 2;
    friend try = {this, delete, .template = and}, *catch = &try;
    bool namespace = catch->public != 0, not = false, xor = true;
    out[0] = virtual(try.template, catch->private_) + namespace;
    out[1] = typename + kn_me + float5 + threadIdx + not + xor;
    int explicit[2] = {1, 2}, *mutable = explicit, auto_ = nan(0u) != nan(0u), constexpr = 1, nullptr = 0, decltype = 3;
    out[2] = mutable[1] + auto_ + constexpr + nullptr + decltype;
    uint export = 0, using = 1, throw = 2, static_cast = 3, wchar_t_ = 4, asm_ = 5, blockDim = 6, vec = 7, T = 8;
    out[3] = export + using + throw + static_cast + wchar_t_ + asm_ + blockDim + vec * T;
    int min_ = min(this, 3), x = max(1, 2), sin_ = x;
    {
        int max = min_, x = 4;
        out[4] = max + x + sin_;
    }
    for (int x = 0, y = 9; x < y; x++, --y)
        out[5] = x * y;
    out[6] = x;
}

inline uint collatz(uint n, uint *steps)
{
again:
    if (n == 1 || *steps > 200)
        return n;
    n = n & 1 ? 3 * n + 1 : n / 2;
    ++*steps;
    goto again;
}
static float half_of(float x);
__kernel void jumps(__global const uint *restrict in, __global uint *restrict out)
{
    BEGIN;
    uint steps = 0, n = collatz((in[0] & 0xff) + 1, &steps), k = 0, sum = 0;
    out[0] = n, out[1] = steps;
    do {
        if (k == 3)
            continue;
        for (;;) {
            if (sum > 1000 + k)
                break;
            sum += in[1] & 0xff | 1;
        }
        sum -= k * 20;
    } while (++k < 10);
    out[2] = sum;
    switch (in[2] & 7) {
        int inside;
    case 0:
    case 3: inside = 5; out[3] = inside; break;
    case 1: out[3] = 1;
    case 2: { int inside = 7; out[4] = inside; }
    default: out[5] = 6; break;
    case 6: while (k--) { if (k == 4) break; } out[6] = k;
    }
    out[7] = as_uint(half_of(3)), out[8] = __LINE__, out[9] = sizeof(__FILE__) > 1, out[10] = CONCAT(0x, ff);
}
static float half_of(float x)
{
    return x / 2;
}
