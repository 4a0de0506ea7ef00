# SPDX-License-Identifier: Apache-2.0
"""The declarations of the public headers, as cffi reads them.

A new function in a header is there without a line here.
"""

import re
from pathlib import Path

# What includes all others but those for applications that have handles of their own.
UMBRELLA = "koine.h"
NATIVE = ("opencl.h", "cuda.h")

# What CL/cl.h has and koine/opencl.h takes, and C's memory, which some functions take over; cffi knows C's types itself.
FOREIGN = """
typedef struct _cl_context *cl_context;
typedef struct _cl_device_id *cl_device_id;
typedef struct _cl_command_queue *cl_command_queue;
typedef struct _cl_mem *cl_mem;
void *malloc(size_t bytes);
"""

# Python's functions that libkoine calls: each gets the handle of a Python object as `data`.
CALLBACKS = """
extern "Python" bool koine_solve_progress(void *data, size_t iteration);
extern "Python" bool koine_least_squares_progress(void *data, size_t solved, size_t count);
extern "Python" bool koine_recon_progress(void *data, double done);
extern "Python" bool koine_stats_progress(void *data, unsigned pass, size_t done, size_t total);
extern "Python" kn_status koine_rewind(void *data, kn_error *err);
extern "Python" kn_status koine_next(void *data, const void **chunk, size_t *count, kn_error *err);
extern "Python" kn_status koine_apply_host(void *data, bool adjoint, const void *from, void *to, kn_error *err);
extern "Python" kn_status koine_fetch(void *data, size_t i, void **kept, kn_autocorr_grey *grey, kn_error *err);
extern "Python" void koine_log(void *user, kn_log_level level, const char *message);
"""


def headers(folder: Path) -> list[Path]:
    """The public headers but experimental.h, each after those that it includes."""
    found: list[str] = []

    def add(name: str) -> None:
        for included in re.findall(r"^#include <koine/(\w+\.h)>", (folder / name).read_text(), re.M):
            if included not in found:
                add(included)
        found.append(name)

    for name in (UMBRELLA, *NATIVE):
        add(name)
    return [folder / name for name in found]


def plain(text: str) -> str:
    """A header without comments, directives, C++ and bodies of inline functions: declarations alone."""
    text = re.sub(r"//[^\n]*", "", text)
    for name, number in re.findall(r"^#define (KN_\w+)[ \t]+(\d+)$", text, re.M):
        text = text.replace(f"[{name}]", f"[{number}]")
    text = re.sub(r"#ifdef __cplusplus.*?(?:#else\n(.*?))?#endif", lambda found: found.group(1) or "", text, flags=re.S)
    text = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*\n", "", text, flags=re.M)
    text = re.sub(r"^static inline [^{;]*\n\{.*?^\}\n", "", text, flags=re.M | re.S)
    return re.sub(r"\bKN_API\s+", "", text)


def declarations(folder: Path) -> str:
    """All of it, for ffi.cdef."""
    public = "\n".join(plain(header.read_text()) for header in headers(folder))
    return FOREIGN + public + CALLBACKS


def functions(folder: Path) -> list[str]:
    """The names of the public functions, without the experimental ones."""
    names = []
    for header in headers(folder):
        text = re.sub(r"//[^\n]*", "", header.read_text())
        names += re.findall(r"KN_API\s[^;(]*?\b(kn_\w+)\(", text)
    return names
