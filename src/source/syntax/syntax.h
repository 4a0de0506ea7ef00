// SPDX-License-Identifier: Apache-2.0
// The syntax tree of a preprocessed OpenCL C program, and the parser that builds it. Every expression knows
// its type where that can be determined; an unknown type is NULL, and its users then take the careful way.
// keywords.c: keywords and built-in names; scope.c: the meanings of names; type_tree.c: types and
// conversions; image.c: images and samplers; builtin.c: results of built-in functions; constant.c: constant
// expressions and sizes; local_memory.c: places of __local variables; parse.h: the parser. Everything is in
// one arena. A failure sticks (parser->status) and sends the parser to the end of its tokens.
#ifndef KN_SOURCE_SYNTAX_SYNTAX_H
#define KN_SOURCE_SYNTAX_SYNTAX_H

#include <koine/error.h>

#include "source/preprocess/lexer.h"
#include "source/source.h"

enum {
    SYN_MOST_DEPTH = 1000,      // nested brackets, statements and operators
    SYN_MOST_HEIGHT = 5000,     // of an expression: a + b + c + ...
    SYN_MOST_ELEMENTS = 1 << 22 // that an initialiser lists
};

// A punctuator as a number: SYN_OP2('<', '<').
#define SYN_OP1(a)       ((uint32_t)(unsigned char)(a))
#define SYN_OP2(a, b)    (SYN_OP1(a) | SYN_OP1(b) << 8)
#define SYN_OP3(a, b, c) (SYN_OP2(a, b) | SYN_OP1(c) << 16)

enum syn_keyword {
    SYN_NO_KEYWORD,
    // Declaration specifiers.
    SYN_TYPEDEF,
    SYN_EXTERN,
    SYN_STATIC,
    SYN_INLINE,
    SYN_REGISTER,
    SYN_AUTO,
    SYN_KERNEL,
    SYN_CONST,
    SYN_VOLATILE,
    SYN_RESTRICT,
    SYN_GLOBAL,
    SYN_LOCAL,
    SYN_CONSTANT,
    SYN_PRIVATE,
    SYN_ACCESS,
    SYN_STRUCT,
    SYN_UNION,
    SYN_ENUM,
    SYN_ATTRIBUTE,
    SYN_EXTENSION,
    SYN_VOID,
    SYN_BOOL,
    SYN_CHAR,
    SYN_SHORT,
    SYN_INT,
    SYN_LONG,
    SYN_FLOAT,
    SYN_DOUBLE,
    SYN_SIGNED,
    SYN_UNSIGNED,
    // Statements.
    SYN_IF,
    SYN_ELSE,
    SYN_WHILE,
    SYN_DO,
    SYN_FOR,
    SYN_SWITCH,
    SYN_CASE,
    SYN_DEFAULT,
    SYN_BREAK,
    SYN_CONTINUE,
    SYN_RETURN,
    SYN_GOTO,
    SYN_ASM,
    // Operators.
    SYN_SIZEOF,
    SYN_ALIGNOF,
    SYN_VEC_STEP,
    SYN_TYPEOF,
    // What compilers add to C99.
    SYN_AUTO_TYPE,
    SYN_ALIGNAS,
    SYN_GENERIC,
    SYN_STATIC_ASSERT,
    SYN_BUILTIN_AS,
    SYN_BUILTIN_CONVERT,
    SYN_REFUSED // pipes and the like: word->why gives the reason
};

enum syn_scalar {
    SYN_S_BOOL,
    SYN_S_CHAR,
    SYN_S_UCHAR,
    SYN_S_SHORT,
    SYN_S_USHORT,
    SYN_S_INT,
    SYN_S_UINT,
    SYN_S_LONG,
    SYN_S_ULONG,
    SYN_S_HALF,
    SYN_S_FLOAT,
    SYN_S_DOUBLE
};

enum syn_type_kind {
    SYN_T_VOID,
    SYN_T_SCALAR,
    SYN_T_VECTOR,
    SYN_T_POINTER,
    SYN_T_ARRAY,
    SYN_T_FUNCTION,
    SYN_T_RECORD,
    SYN_T_EVENT,
    SYN_T_IMAGE,
    SYN_T_SAMPLER
};

enum syn_image {
    SYN_IMAGE_1D,
    SYN_IMAGE_1D_BUFFER,
    SYN_IMAGE_1D_ARRAY,
    SYN_IMAGE_2D,
    SYN_IMAGE_2D_ARRAY,
    SYN_IMAGE_3D
};

enum syn_qualifier {
    SYN_Q_CONST = 1,
    SYN_Q_VOLATILE = 2,
    SYN_Q_RESTRICT = 4,
    SYN_Q_LOCAL = 8,
    SYN_Q_CONSTANT = 16,
    SYN_Q_GLOBAL = 32,
    SYN_Q_PRIVATE = 64
};

struct syn_declarator;
struct syn_expr;
struct syn_symbol;
struct syn_tag;

struct syn_parameter {
    struct syn_parameter *next;
    const struct src_token *location;
    struct syn_symbol *symbol;   // NULL without a name
    const struct syn_type *type; // arrays are already pointers
};

struct syn_type {
    enum syn_type_kind kind;
    enum syn_scalar scalar; // of a scalar or a vector
    int lanes;              // of a vector
    unsigned qualifiers;
    const char *spelling;           // of a built-in type: "uint", "unsigned int"
    const struct syn_symbol *alias; // the typedef by which it was named
    unsigned outer;                 // qualifiers in addition to the typedef's own
    const struct syn_type *of;      // pointer, array, function: what is pointed to, the element, the result
    struct syn_expr *length;        // of an array, as written; NULL for []
    long count;                     // of an array; -1 if unknown
    struct syn_parameter *parameters;
    struct syn_tag *tag;  // of a record
    enum syn_image image; // of an image
    bool is_written;      // write_only; every other image is read_only
};

struct syn_attributes {
    struct syn_expr *aligned;
    bool is_aligned, packed;
    size_t group[3]; // reqd_work_group_size
    int vector;      // ext_vector_type
    long unroll;     // opencl_unroll_hint; -1 for one without a number, 0 for none
};

struct syn_member {
    struct syn_member *next;
    const struct src_token *location; // its name, or its type if it has none
    struct syn_word *name;            // NULL for an anonymous struct or union, and for padding bits
    const struct syn_type *type;
    struct syn_expr *bits;
    struct syn_attributes attributes;
    bool is_anonymous;
};

struct syn_enumerator {
    struct syn_enumerator *next;
    struct syn_symbol *symbol;
    struct syn_expr *value;
};

// The layout of a struct or union. offsets_hash: the offsets of all members, combined into one number.
struct syn_layout {
    size_t size, alignment, offsets_hash;
    bool known;
};

enum syn_tag_kind { SYN_TAG_STRUCT, SYN_TAG_UNION, SYN_TAG_ENUM };

struct syn_tag {
    struct syn_tag *next; // of those that a declaration defines
    enum syn_tag_kind kind;
    struct syn_word *name; // NULL if it has none: then
    unsigned number;       // tells it from others
    const struct src_token *location;
    bool complete, local, is_inline;
    struct syn_member *members;
    struct syn_enumerator *enumerators;
    struct syn_attributes attributes;
    enum syn_scalar scalar;                 // of an enum
    bool has_vector;                        // somewhere inside
    struct syn_layout layout, class_layout; // once complete: in C, and in C++
};

enum syn_symbol_kind {
    SYN_SYMBOL_TYPEDEF,
    SYN_SYMBOL_VARIABLE,
    SYN_SYMBOL_FUNCTION,
    SYN_SYMBOL_ENUMERATOR,
    SYN_SYMBOL_MEMBER // while one is printed
};

struct syn_symbol {
    enum syn_symbol_kind kind;
    struct syn_word *word;
    const struct syn_type *type;
    const struct src_token *location;
    unsigned renamed;            // a constant moved out of a function: its number
    unsigned local_number;       // of a __local variable: 1, 2, ...
    bool is_placed;              // a __local variable in the arena,
    size_t arena_offset;         // this many bytes from its beginning
    long long value;             // of an enumerator, or of a const integer
    bool is_constant;            // a const integer whose value is known
    bool is_folded;              // a __constant variable that another's initialiser names
    const struct syn_expr *text; // of a constant array of characters: its string
    struct syn_function *function;
    const struct syn_declarator *first, *definition; // of a variable at file scope
    int level;                                       // 0 for file scope
};

// A spelling and its current meaning.
struct syn_word {
    const struct src_name *name;
    enum syn_keyword keyword;
    const char *why;                 // of SYN_REFUSED
    const struct syn_type *built_in; // type
    char result;                     // of a built-in function: builtin.c; 0 if it is none
    bool needs_item;                 // a built-in function that depends on the work-item
    bool reserved;                   // a word of C++, or of Koine: printed with a prefix
    bool is_overloaded;              // several functions of the program
    bool is_type;                    // the name of a type somewhere
    bool is_ordinary; // the name of a variable, a function, or of another type than the tag somewhere
    struct syn_symbol *symbol;
    struct syn_tag *tag;
    int symbol_level, tag_level;
};

struct syn_token {
    const struct src_token *token;
    struct syn_word *word;          // of an identifier
    const struct src_token *pragma; // "unroll" precedes it
    uint32_t op;                    // of a punctuator
};

enum syn_expr_kind {
    SYN_E_NAME,
    SYN_E_NUMBER,
    SYN_E_CHARACTER,
    SYN_E_STRING,
    SYN_E_PAREN,
    SYN_E_PREFIX,
    SYN_E_POSTFIX,
    SYN_E_BINARY,
    SYN_E_ASSIGN,
    SYN_E_TERNARY,
    SYN_E_COMMA,
    SYN_E_CALL,
    SYN_E_INDEX,
    SYN_E_DOT,
    SYN_E_ARROW,
    SYN_E_CAST,
    SYN_E_VECTOR,
    SYN_E_COMPOUND,
    SYN_E_SIZEOF_TYPE,
    SYN_E_SIZEOF,
    SYN_E_ALIGNOF_TYPE,
    SYN_E_VEC_STEP,
    SYN_E_STATEMENTS, // ({ ... })
    SYN_E_BUILTIN_AS, // __builtin_astype(a, type)
    SYN_E_BUILTIN_CONVERT
};

struct syn_expr {
    enum syn_expr_kind kind;
    uint32_t op;
    int height;
    const struct syn_token *location;  // its operator or first token
    const struct syn_type *type;       // NULL if unknown
    struct syn_expr *a, *b, *c;        // of a ? : c, b is NULL
    struct syn_expr *arguments, *next; // of a call or a vector literal
    struct syn_word *word;             // a name, a member
    struct syn_symbol *symbol;
    const struct syn_type *named; // the type in a cast, sizeof, ...
    struct syn_slot *value;       // of a compound literal
    struct syn_statement *body;   // of ({ ... })
    size_t token_count;           // of a string
    struct syn_expr *next_literal;
    unsigned hoisted; // a compound literal that has a variable: its number
};

struct syn_designator {
    struct syn_designator *next;
    struct syn_word *member; // or
    struct syn_expr *index, *last;
};

struct syn_init {
    const struct src_token *location;
    struct syn_expr *expr; // or
    struct syn_init *items;
    bool is_list;
    struct syn_init *next;
    struct syn_designator *designators;
};

// The result of an initialiser, in the order of the type's parts and with nothing elided.
struct syn_slot {
    const struct syn_type *type;
    struct syn_expr *expr;      // the whole value; or
    struct syn_slot **children; // of elements and members (NULL: zero), or a vector's pieces
    size_t count, capacity;
    const struct syn_member *member;  // of a union: which
    const struct src_token *location; // of a union's designator
};

struct syn_declarator {
    struct syn_declarator *next;
    const struct src_token *location;
    struct syn_symbol *symbol;
    const struct syn_type *type;
    struct syn_slot *value; // NULL without an initialiser
    struct syn_attributes attributes;
};

struct syn_declaration {
    const struct src_token *location;
    struct syn_tag *tags; // defined by it
    const struct syn_type *base;
    struct syn_tag *bare; // "struct tag;"
    struct syn_declarator *declarators;
    bool is_typedef;
};

enum syn_statement_kind {
    SYN_ST_EMPTY,
    SYN_ST_EXPR,
    SYN_ST_DECLARATION,
    SYN_ST_BLOCK,
    SYN_ST_IF,
    SYN_ST_WHILE,
    SYN_ST_DO,
    SYN_ST_FOR,
    SYN_ST_SWITCH,
    SYN_ST_CASE,
    SYN_ST_DEFAULT,
    SYN_ST_LABEL,
    SYN_ST_BREAK,
    SYN_ST_CONTINUE,
    SYN_ST_RETURN,
    SYN_ST_GOTO,
    SYN_ST_ASM
};

struct syn_asm_operand {
    struct syn_asm_operand *next;
    const struct syn_expr *text, *value; // "=r"(value); of a clobber, the text alone
};

// asm volatile("..." : outputs : inputs : clobbers)
struct syn_asm {
    bool is_volatile;
    const struct syn_expr *text;
    struct syn_asm_operand *sections[3];
    int section_count; // colons
};

struct syn_statement {
    enum syn_statement_kind kind;
    struct syn_statement *next;
    const struct src_token *location, *end; // end: of a block, its last bracket
    const struct src_token *pragma;
    long unroll;
    struct syn_tag *tags;       // defined inside its expressions
    struct syn_expr *a, *b, *c; // of a range of cases: a ... b
    struct syn_statement *body,
        *otherwise; // a block's first statement, a loop's body; else; a for's declaration
    struct syn_declaration *declaration;
    struct syn_word *label;
    struct syn_asm *assembly;
    struct syn_expr
        *literals; // compound literals that need a variable before the statement, linked by next_literal
    bool has_label, has_case; // inside it: a label; a case of a switch around it
    bool in_block;            // directly
};

struct syn_call {
    struct syn_call *next;
    struct syn_function *callee;
    const struct src_token *location;
};

struct syn_function {
    struct syn_symbol *symbol;
    const struct src_token *location;
    const struct syn_type *type; // of the definition, or of the last declaration
    bool is_kernel;
    size_t group[3];
    bool is_defined;
    struct syn_statement *body; // its first statement; NULL for "{ }", too
    struct syn_call *calls;
    struct syn_declarator *constants; // __constant variables inside it
    struct syn_declarator *locals;    // __local ones
    int visited;
    bool is_reached; // by a kernel
    bool is_called;  // by another function
    // local_memory.c: the size of its __local variables; whether they are in the arena, and from where on;
    // and for a kernel the bytes of the arena before its __local arguments.
    size_t local_bytes, arena_base, arena_bytes;
    bool in_arena;
};

// At file level.
struct syn_item {
    struct syn_item *next;
    struct syn_tag *tags;
    const struct src_token *location, *open, *end; // of a body: its brackets
    struct syn_function *definition;
    struct syn_declaration *declaration;
    const struct syn_type *type; // of the function
};

struct syn_undo {
    struct syn_word *word;
    struct syn_symbol *symbol;
    struct syn_tag *tag;
    int symbol_level, tag_level;
    bool is_tag;
};

struct syn_parser {
    struct ki_arena *arena;
    kn_error *err;
    kn_status status;
    struct syn_token *tokens; // followed by an end token
    const struct syn_token *at;
    struct syn_word **words; // by address of the name
    size_t word_count, word_capacity;
    struct syn_undo *undos;
    size_t undo_count, undo_capacity;
    int level, depth;
    struct syn_tag *tags, **tags_end; // defined and not yet attached
    struct syn_expr *literals;        // likewise
    struct syn_function *function;    // whose body is being read
    struct syn_item *items, **items_end;
    unsigned numbers;             // for what has no name
    unsigned locals;              // __local variables so far
    int walks;                    // number of walks through the call graph
    int loops;                    // around the current token, inside the innermost ({ ... }) if there is one
    bool in_expression;           // inside ({ ... })
    bool in_constant;             // inside the initialiser of a __constant variable
    bool contract_off;            // FP_CONTRACT OFF was seen, even if only in one block
    bool uses_images;             // or samplers
    _Alignas(16) char spare[512]; // what ki_syn_take returns after a failure
};

// Parses the whole program; the trees are in parser->items. ki_syn_parser_free frees what is not in the
// arena.
kn_status ki_syn_parse(struct syn_parser *parser, const struct src_unit *unit, struct ki_arena *arena,
                       kn_error *err);
void ki_syn_parser_free(struct syn_parser *parser);

// Fails at a location; only the first failure is kept.
void ki_syn_fail(struct syn_parser *parser, kn_status status, const struct src_token *location,
                 const char *format, ...) __attribute__((format(printf, 4, 5)));
// Zeroed memory; never NULL (after a failure, always the same spare piece).
void *ki_syn_take(struct syn_parser *parser, size_t size);

// keywords.c
struct syn_word *ki_syn_word(struct syn_parser *parser, const struct src_name *name);
const struct syn_type *ki_syn_built_in_type(const char *text, size_t length);
const struct syn_type *ki_syn_scalar_type(enum syn_scalar scalar);
const struct syn_type *ki_syn_vector_type(enum syn_scalar scalar, int lanes);
extern const struct syn_type ki_syn_void_type, ki_syn_size_type, ki_syn_event_type;

// scope.c
void ki_syn_enter(struct syn_parser *parser);
void ki_syn_leave(struct syn_parser *parser);
struct syn_symbol *ki_syn_declare(struct syn_parser *parser, enum syn_symbol_kind kind, struct syn_word *word,
                                  const struct syn_type *type, const struct src_token *location);
struct syn_tag *ki_syn_declare_tag(struct syn_parser *parser, enum syn_tag_kind kind, struct syn_word *word,
                                   const struct src_token *location);

void ki_syn_bind(struct syn_parser *parser, struct syn_symbol *symbol); // in the present scope too

// image.c
const struct syn_type *ki_syn_opaque_type(const char *text, size_t length); // of images, sampler_t
extern const struct syn_type ki_syn_sampler_type;
// The image type with read_only, write_only; fails for all other types.
const struct syn_type *ki_syn_with_access(struct syn_parser *parser, const struct syn_type *type,
                                          const struct syn_token *access);
// Whether images and samplers may be declared like this: as a parameter, a variable, or anything else.
void ki_syn_check_parameter(struct syn_parser *parser, const struct syn_type *type,
                            const struct src_token *location);
void ki_syn_check_variable(struct syn_parser *parser, const struct syn_declarator *declarator,
                           const struct src_token *location);
void ki_syn_check_other(struct syn_parser *parser, const struct syn_type *type,
                        const struct src_token *location);
bool ki_syn_is_image_call(const struct syn_word *word, bool *writes); // read_imagef, write_imagei, ...

// initialiser.c: C99 6.7.8. `*type` of an array without a length gets one.
struct syn_slot *ki_syn_initialise(struct syn_parser *parser, const struct syn_type **type,
                                   const struct syn_init *init);
bool ki_syn_is_text(const struct syn_slot *slot);        // an array of characters from a string
long ki_syn_string_bytes(const struct syn_expr *string); // with the '\0'

// type_tree.c
const struct syn_type *ki_syn_pointer_to(struct syn_parser *parser, const struct syn_type *to);
const struct syn_type *ki_syn_qualified(struct syn_parser *parser, const struct syn_type *type,
                                        unsigned qualifiers);
const struct syn_type *ki_syn_decayed(struct syn_parser *parser, const struct syn_type *type);
bool ki_syn_same_type(const struct syn_type *a,
                      const struct syn_type *b);    // ignoring the outermost qualifiers
bool ki_syn_is_scalar(const struct syn_type *type); // certainly a number or a pointer
bool ki_syn_is_vector(const struct syn_type *type);
bool ki_syn_is_integer(const struct syn_type *type);
const struct syn_type *ki_syn_promoted(const struct syn_type *type);
const struct syn_type *ki_syn_common(const struct syn_type *a, const struct syn_type *b);
const struct syn_type *ki_syn_truth(const struct syn_type *a, const struct syn_type *b); // of a comparison
const struct syn_member *ki_syn_find_member(const struct syn_tag *tag, const struct syn_word *name);
int ki_syn_scalar_bytes(enum syn_scalar scalar);

// builtin.c
char ki_syn_built_in_function(const char *text, size_t length, bool *needs_item);
const struct syn_type *ki_syn_call_type(struct syn_parser *parser, const struct syn_expr *call);
const struct syn_type *ki_syn_constant_type(const struct syn_word *word); // M_PI, FLT_MAX, ...
// Splits a name such as convert_uchar4_sat_rte: the type's name, and what follows it.
const struct syn_type *ki_syn_type_in_name(const struct syn_word *word, const char *prefix,
                                           const char **rest);

// constant.c
bool ki_syn_evaluate(const struct syn_expr *expr, long long *value);
bool ki_syn_is_spelled_out(const struct syn_expr *expr); // it names no variable: it may be printed anywhere
bool ki_syn_size(const struct syn_type *type, size_t *size, size_t *alignment);
void ki_syn_lay_out(struct syn_tag *tag);                   // when it is complete
bool ki_syn_is_packed_otherwise(const struct syn_tag *tag); // by C++, where vectors are classes

// local_memory.c: chooses where the __local variables of the whole program lie.
void ki_syn_place_locals(struct syn_parser *parser);

#endif
