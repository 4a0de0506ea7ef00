// SPDX-License-Identifier: Apache-2.0
// A list read three times with other macros, once through a computed name.
#define LIST "lib/ops.clh"
enum op {
#define OP(name, expression) OP_##name,
#include "lib/ops.clh"
#undef OP
    OP_COUNT
};

#define OP(name, expression)                                                                                 \
    float op_##name(float a, float b)                                                                        \
    {                                                                                                        \
        return expression;                                                                                   \
    }
#include LIST
#undef OP

kernel void apply(global const float *a, global const float *b, global float *c, int op)
{
    size_t i = get_global_id(0);
    switch (op) {
#define OP(name, expression)                                                                                 \
    case OP_##name:                                                                                          \
        c[i] = op_##name(a[i], b[i]);                                                                        \
        break;
#include <lib/ops.clh> // once more
#undef OP
    }
}
