// SPDX-License-Identifier: Apache-2.0
// Functions of the C library that the linker redirects (--wrap): the replacement, and the function itself.
#ifndef KN_TESTS_SUPPORT_MEMORY_WRAPPED_H
#define KN_TESTS_SUPPORT_MEMORY_WRAPPED_H

#include <stddef.h>

void *__real_malloc(size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__real_realloc(void *memory, size_t bytes);
void *__wrap_realloc(void *memory, size_t bytes);
void *__real_aligned_alloc(size_t alignment, size_t bytes);
void *__wrap_aligned_alloc(size_t alignment, size_t bytes);
int __real_posix_memalign(void **memory, size_t alignment, size_t bytes);
int __wrap_posix_memalign(void **memory, size_t alignment, size_t bytes);

#endif
