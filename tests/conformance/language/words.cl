// SPDX-License-Identifier: Apache-2.0
// Words that C++, CUDA and the rewriting know and OpenCL C does not, in every role that a name can have.
#define BEGIN in += get_global_id(0) * 16, out += get_global_id(0) * 16
#define TWICE(...) __VA_ARGS__ __VA_ARGS__

// Every keyword and alternative token of C++17 and C++20, and its special identifiers.
#define WORDS(X)                                                                                                       \
    X(alignas) X(alignof) X(and) X(and_eq) X(bitand) X(bitor) X(catch) X(char8_t) X(char16_t) X(char32_t) X(class)     \
    X(co_await) X(co_return) X(co_yield) X(compl) X(concept) X(const_cast) X(consteval) X(constexpr) X(constinit)      \
    X(decltype) X(delete) X(dynamic_cast) X(explicit) X(export) X(final) X(friend) X(import) X(module) X(mutable)      \
    X(namespace) X(new) X(noexcept) X(not) X(not_eq) X(nullptr) X(operator) X(or) X(or_eq) X(override) X(protected)    \
    X(public) X(reinterpret_cast) X(requires) X(static_assert) X(static_cast) X(std) X(template) X(this)               \
    X(thread_local) X(throw) X(try) X(typeid) X(typename) X(using) X(virtual) X(wchar_t) X(xor) X(xor_eq)
#define MORE(X)                                                                                                        \
    X(main) X(threadIdx) X(blockIdx) X(blockDim) X(gridDim) X(warpSize) X(dim3) X(kn) X(kn_me) X(program) X(vec)       \
    X(koine_words) X(asin_) X(memcpy) X(malloc) X(free) X(abort) X(exit) X(assert) X(clock) X(tex2D) X(atomicAdd)      \
    X(__syncthreads) X(int2_) X(cudaStream_t) X(T) X(A) X(N) X(_Z1f) X(item) X(fiber) X(argc) X(errno) X(stdin)        \
    X(float5) X(nan_) X(uint128_t) X(type) X(value) X(element) X(width) X(unix_) X(strlen) X(swap) X(move) X(byte)

#define SUM(word) sum += word++;
#define DECLARE(word) uint word = sum + 1;
__kernel void variables(__global const uint *in, __global uint *out)
{
    BEGIN;
    uint sum = in[0];
    WORDS(DECLARE) WORDS(SUM)
    MORE(DECLARE) MORE(SUM)
    out[0] = sum;
}

#define MEMBER(word) uint word;
#define ADD_MEMBER(word) sum += s.word + p->word, p->word = 2;
struct members { WORDS(MEMBER) MORE(MEMBER) };
__kernel void of_structs(__global const uint *in, __global uint *out)
{
    BEGIN;
    struct members s = {.operator = in[0], 1, .new = in[1]}, *p = &s;
    uint sum = 0;
    WORDS(ADD_MEMBER) MORE(ADD_MEMBER)
    out[0] = sum, out[1] = s.class + sizeof s;
}

#define FUNCTION(word) uint word##_(uint x) { return x + 1; } struct word { uint word; };
#define CALL(word) sum = word##_(sum); { struct word word = {sum}; sum += word.word; }
WORDS(FUNCTION)
__kernel void tags(__global const uint *in, __global uint *out)
{
    BEGIN;
    uint sum = in[0];
    WORDS(CALL)
    out[0] = sum;
}

uint new(uint delete) { return delete + 1; }
uint and(uint or, uint xor) { return or + xor; }
static uint memcpy(uint x) { return x * 3; }
static uint atomicAdd(uint x, uint y) { return x * y; }
static uint threadIdx(uint not) { return ~not; }
typedef uint wchar_t;
typedef struct { wchar_t x; } string;
enum colours { explicit = 3, export, co_await = 9 };
constant uint constexpr[] = {1, 2, 3}, typename = 7;
__kernel void delete(__global const uint *this, __global uint *virtual)
{
    virtual[get_global_id(0) * 16] = this[get_global_id(0) * 16] + 1;
}
__kernel void of_all_kinds(__global const uint *in, __global uint *out)
{
    delete(in, out);
    BEGIN;
    wchar_t w = in[0];
    string std = {w};
    out[1] = new(w) + and(in[1], std.x), out[2] = memcpy(w) + atomicAdd(w, 3), out[3] = threadIdx(in[2]);
    out[4] = export + co_await * explicit, out[5] = constexpr[in[3] % 3] + typename;
    if (w > 5)
        goto catch;
    out[6] = 1;
catch:
    out[7] = 2;
#if and || defined(or) || !defined(and_eq_is_nothing) && xor
    out[8] = 3;
#else
    out[8] = 4;
#endif
    out[9] = sizeof(wchar_t) + sizeof(string);
}
