// SPDX-License-Identifier: Apache-2.0
// Does not compile: line 6 uses a name that nobody declared.
__kernel void broken(__global int *x)
{
    size_t i = get_global_id(0);
    x[i] = undeclared + 1;
}
