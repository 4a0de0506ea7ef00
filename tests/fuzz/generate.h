// SPDX-License-Identifier: Apache-2.0
// A generator of random OpenCL C 1.2 kernels whose results are defined to the last bit. One seed, one kernel,
// on every machine.
//
// What keeps a kernel free of undefined behaviour:
//   signed integers   every value carries a bound (|v| <= 2^bits); arithmetic that may exceed its type is
//   done
//                     on masked operands or in the unsigned type
//   floats            are multiples of 2^-frac below 2^bits with bits + frac within the mantissa, so that
//                     every operation is exact; the sign of a zero is never looked at
//   order             within a full expression, a variable that is written is named once
//   races             work-items meet in local memory between barriers only, and in atomics that commute
// Each work-item hashes its variables, and values on the way, into its own words of `out`.
//
// generate_type.c: types, chance, text; generate_integer.c, generate_vector.c, generate_float.c: expressions;
// generate_lvalue.c: variables and what is assigned to; generate_statement.c; generate_kernel.c: structs,
// functions, macros, and the kernel.
#ifndef KN_TESTS_FUZZ_GENERATE_H
#define KN_TESTS_FUZZ_GENERATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/text/text.h"

enum { FUZZ_GROUP = 16, FUZZ_COLUMNS = 16 }; // work-items in a group; words of each in `in` and `out`

enum scalar { G_CHAR, G_UCHAR, G_SHORT, G_USHORT, G_INT, G_UINT, G_LONG, G_ULONG, G_FLOAT, G_DOUBLE };
enum { SCALARS = G_DOUBLE + 1, WIDTHS = 6 };

struct type {
    enum scalar scalar;
    int lanes;
};

enum precedence {
    P_COMMA,
    P_ASSIGN,
    P_TERNARY,
    P_OR,
    P_AND,
    P_BIT_OR,
    P_BIT_XOR,
    P_BIT_AND,
    P_EQUAL,
    P_LESS,
    P_SHIFT,
    P_ADD,
    P_MULTIPLY,
    P_UNARY,
    P_POSTFIX
};

// An expression and the bounds of its value (of each component).
struct value {
    const char *text; // NULL: no expression
    struct type type;
    enum precedence precedence;
    int bits; // |v| <= 2^bits
    int frac; // for a float: a multiple of 2^-frac
};

// A named object that can be read: a variable, a member, the target of a pointer.
struct variable {
    const char *path;
    struct type type;
    int elements; // of an array: a power of two; 0 if it is not an array
    int root;     // equal for variables that may share memory
    bool fixed;   // must not be assigned to
    bool pointed; // its address may be taken
};

enum { MOST_VARIABLES = 256, MOST_ROOTS = 256, MOST_FUNCTIONS = 8, MOST_PARAMETERS = 6, MOST_RECORDS = 4 };

struct function {
    const char *name;
    struct type result, parameters[MOST_PARAMETERS];
    bool pointers[MOST_PARAMETERS]; // which parameters are pointers to private variables
    int count;
    bool in_macro; // in a macro, whose arguments may be evaluated twice
};

struct record {
    const char *name; // "struct r0", or a typedef
    bool is_union;
    struct variable members[8]; // path: the member's name
    int count;
};

struct record_variable {
    const char *name;
    int record, root;
};

struct generator {
    struct ki_arena arena;
    uint64_t chance;
    const char *tag;   // part of every name at file level, so that kernels can share a file
    unsigned features; // FUZZ_DOUBLES, ...
    bool doubles;
    struct ki_text *out;
    int indent;
    struct variable variables[MOST_VARIABLES];
    int variable_count, root_count, name_count;
    unsigned odd_names; // which ones were used
    bool was_read[MOST_ROOTS], was_written[MOST_ROOTS];
    struct function functions[MOST_FUNCTIONS];
    int function_count;
    struct record records[MOST_RECORDS];
    int record_count;
    struct record_variable record_variables[16];
    int record_variable_count;
    int pure;                // > 0: no side effects allowed here
    bool in_kernel;          // `in` and the work-item's rows can be used
    bool in_loop, in_switch; // break and continue are allowed
    int loop_depth, block_depth;
    bool (*mixes)[WIDTHS]; // the hashes that are used, by scalar and width
};

// ---- generate_type.c
extern const int fuzz_widths[WIDTHS]; // 1, 2, 3, 4, 8, 16
unsigned chance(struct generator *g, unsigned below);
bool one_in(struct generator *g, unsigned n);
const char *rounding(struct generator *g, const char *const *modes, unsigned count);
const char *say(struct generator *g, const char *format, ...) __attribute__((format(printf, 2, 3)));
const char *fresh_name(struct generator *g, const char *prefix);
bool is_float(struct type type);
bool is_signed(struct type type);
int width_of(struct type type);   // bits of a component
int whole_bits(struct type type); // number of bits that hold every value of the type
int safe_bits(struct type type);  // bits available for the result of signed or float arithmetic
const char *type_name(struct generator *g, struct type type);
struct type with_lanes(struct type type, int lanes);
struct type with_scalar(struct type type, enum scalar scalar);
enum scalar of_width(int width, bool is_signed_one);
bool same_type(struct type a, struct type b);
struct type any_integer(struct generator *g);
struct type any_type(struct generator *g);
int any_lanes(struct generator *g);
struct value value_of(struct generator *g, struct type type, enum precedence precedence, const char *text);
const char *inside(struct generator *g, struct value value, enum precedence precedence);
void line(struct generator *g, const char *format, ...) __attribute__((format(printf, 2, 3)));

// ---- expressions: a component has the bounds of its value
struct value gen_value(struct generator *g, struct type type, int depth); // of exactly this type
struct value gen_integer(struct generator *g, int depth);                 // of any integer type
struct value gen_integer_leaf(struct generator *g);
struct value gen_integer_vector(struct generator *g, struct type type, int depth);
struct value gen_float(struct generator *g, struct type type, int depth);
struct value gen_condition(struct generator *g, int depth);
struct value gen_index(struct generator *g, int elements, int depth);
struct value gen_call(struct generator *g, struct type type, int depth); // text NULL: there is none
struct value gen_built_in(struct generator *g, struct type type, int depth);
struct value gen_arithmetic(struct generator *g, struct type type, struct value a, struct value b);
struct value gen_division(struct generator *g, struct type type, struct value a, struct value b);
struct value gen_literal(struct generator *g, struct type type);
struct value exactly(struct generator *g, struct value value, struct type type); // scalars: with a cast
struct value masked(struct generator *g, struct value value, int bits); // not negative unless it fitted
struct value fitted(struct generator *g, struct value value, int bits, int frac); // for a float

// ---- generate_lvalue.c
void begin_expression(struct generator *g);
int new_root(struct generator *g);
struct variable *add_variable(struct generator *g, const char *path, struct type type, int elements,
                              int root);
struct value read_variable(struct generator *g, const struct variable *variable);
struct value read_any(struct generator *g, struct type type); // text NULL: nothing to read
struct value read_integer(struct generator *g);               // a variable or a component of one
const char *swizzle(struct generator *g, int from, int to, bool distinct);
struct value gen_lvalue(struct generator *g);
struct variable *writable(struct generator *g, bool pointed, const struct type *type);

// ---- generate_statement.c, generate_kernel.c
void gen_statements(struct generator *g, int count);
void gen_mix(struct generator *g, const char *what, struct type type);
void gen_declaration(struct generator *g);

// Features that kernels may have, or must avoid.
enum {
    FUZZ_DOUBLES = 1,
    // Avoids what Oclgrind 21.10 gets wrong: it treats the scalar in min(v, s), max(v, s), clamp(v, s, s) as
    // a vector (6.12.3, 6.12.4), whose components after the first are whatever follows in memory; it rounds
    // negative numbers in the wrong direction with _rtp and _rtn (6.2.3.2); and it crashes on as_T of a
    // constant with another number of components.
    FUZZ_FOR_OCLGRIND = 2
};

// Appends the kernel of this seed, k<index>, to `out`; `mixes` collects the hashes that fuzz_prologue must
// define.
void fuzz_kernel(uint64_t seed, int index, unsigned features, struct ki_text *out,
                 bool mixes[SCALARS][WIDTHS]);
void fuzz_prologue(struct ki_text *out, bool mixes[SCALARS][WIDTHS]);

// A file of `count` kernels with consecutive seeds from `seed` on; the caller frees it.
char *fuzz_file(uint64_t seed, int count, unsigned features);

#endif
