// SPDX-License-Identifier: Apache-2.0
// An answer that no two runs share: where the buffer lies.
__kernel void address(__global ulong *x)
{
    x[get_global_id(0)] = (ulong)(x + get_global_id(0));
}
