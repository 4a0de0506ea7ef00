# SPDX-License-Identifier: Apache-2.0
"""nvrtc.py FILE.cu...: whether NVRTC compiles each file as it stands. Exit status 77: there is no NVRTC."""
import ctypes
import os
import sys

NAMES = ["libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2"]
FOLDERS = ["", os.environ.get("CUDA_HOME", "/usr/local/cuda") + "/lib64/", "/usr/local/cuda/lib64/"]


def load():
    for name in NAMES:
        for folder in FOLDERS:
            try:
                return ctypes.CDLL(folder + name)
            except OSError:
                pass
    return None


def compile_file(nvrtc, path, options):
    """The compiler's messages; None if it compiles."""
    program, size = ctypes.c_void_p(), ctypes.c_size_t()
    with open(path, "rb") as file:
        text = file.read()
    assert nvrtc.nvrtcCreateProgram(ctypes.byref(program), text, b"program.cu", 0, None, None) == 0
    words = (ctypes.c_char_p * len(options))(*options)
    if nvrtc.nvrtcCompileProgram(program, len(options), words) == 0:
        return None
    nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    log = ctypes.create_string_buffer(size.value + 1)
    nvrtc.nvrtcGetProgramLog(program, log)
    return log.value.decode()


library = load()
if not library:
    sys.exit(77)
for path in sys.argv[1:]:
    messages = compile_file(library, path, [b"--std=c++17", b"--device-as-default-execution-space"])
    if messages is not None:
        sys.exit(path + ": " + messages)
