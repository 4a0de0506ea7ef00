// SPDX-License-Identifier: Apache-2.0
// Kernel wrappers: the extern "C" functions that a host launches, and how their arguments become the
// kernel's.
//
//   KN_KERNEL(scale)(float *a, KN_CONSTANT_PARAM(float, table), KN_LOCAL_PARAM(float, tile), int n,
//   KN_ITEM_PARAM)
//   {
//       kn::program::scale(kn_me, a, KN_CONSTANT_BIND(float, table), KN_LOCAL_BIND(float, tile), n);
//   }

#define KN_KERNEL(name) extern "C" __global__ void koine_##name
// Beside a group's size, the compilers take no limit on registers, but a number of groups on a multiprocessor, whose 65,536
// registers they share. KN_MAX_REGISTERS: kn_program_options' max_registers.
#ifdef KN_MAX_REGISTERS
#define KN_KERNEL_SIZED(name, x, y, z)                                                                       \
    extern "C" __global__ void                                                                               \
    __launch_bounds__((x) * (y) * (z), 65536 / ((x) * (y) * (z) * KN_MAX_REGISTERS)) koine_##name
#else
#define KN_KERNEL_SIZED(name, x, y, z)                                                                       \
    extern "C" __global__ void __launch_bounds__((x) * (y) * (z)) koine_##name
#endif

// A __local argument is a byte offset into the one shared arena, a multiple of KN_ARENA_ALIGNMENT. The mask says so to
// the compiler, which then reads neighbouring components at once.
#define KN_ARENA_ALIGNMENT 16u
#if KN_ON_DEVICE
extern "C" {
extern __shared__ __align__(16) unsigned char kn_arena[];
}
#endif
#define KN_LOCAL_PARAM(type, name) unsigned name
#define KN_LOCAL_BIND(type, name)  ((type *)(kn_arena + ((name) & ~(KN_ARENA_ALIGNMENT - 1))))

// A kernel's own __local variable, if a kernel's variables exceed static shared memory.
namespace kn
{
template <class T> KN_FN T &kn_in_arena(unsigned offset)
{
    return *(T *)(kn_arena + offset);
}
} // namespace kn

// A __constant argument is such an offset into the bank, or a pointer that is never written through.
#if KN_CONSTANT_BANK
extern "C" {
#if KN_ON_DEVICE
__constant__ __align__(128) unsigned char kn_bank[KN_BANK_BYTES];
#else
alignas(128) unsigned char kn_bank[KN_BANK_BYTES];
#endif
}
#define KN_CONSTANT_PARAM(type, name) unsigned name
#define KN_CONSTANT_BIND(type, name)  ((const type *)(kn_bank + ((name) & ~(KN_ARENA_ALIGNMENT - 1))))
#else
#define KN_CONSTANT_PARAM(type, name) const type *__restrict__ name
#define KN_CONSTANT_BIND(type, name)  (name)
#endif

#if KN_ON_DEVICE
#define KN_ITEM_PARAM const __grid_constant__ kn::kn_item kn_me
#else
#define KN_ITEM_PARAM const kn::kn_item kn_me
#endif
