#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sums an array with Koine's reduction from Python, through PyOpenCL and without libkoine. The kernels and their
metadata, reduce_leaves.cl and .json, were written by

    koine emit -D GROUP=64 -D WIDTH=4 reduce_leaves

emitted_reduction.py reduce_leaves.json: the sum of a million floats and of their squares, which have the same bits on
every device with double precision.
"""
import json
import math
import os
import sys

import numpy as np
import pyopencl as cl

LEAF = 4096 * 4  # elements that a group of 64 work-items, 4 lanes each, sums at once
FOLD = 16  # sums that a work-item folds
DTYPES = {"ulong": np.uint64, "uint": np.uint32, "real": np.float32}


def kernels(context, path):
    """The kernels by their names, with the types of their arguments by value, and the work-items of a group."""
    with open(path, encoding="utf-8") as file:
        metadata = json.load(file)
    with open(os.path.join(os.path.dirname(path), metadata["source"]), encoding="utf-8") as file:
        program = cl.Program(context, file.read()).build(["-cl-std=CL1.2"])
    found = {}
    for described in metadata["kernels"]:
        kernel = cl.Kernel(program, described["name"])
        kernel.set_scalar_arg_dtypes(
            [DTYPES[a["type"]] if a["kind"] == "value" else None for a in described["arguments"]]
        )
        found[described["name"]] = kernel
    return found, metadata["kernels"][0]["required_work_group"][0]


def sums(queue, found, group, x):
    """The sum of x and that of its squares."""
    count = -(-len(x) // LEAF)
    x_buffer = cl.Buffer(queue.context, cl.mem_flags.READ_ONLY | cl.mem_flags.COPY_HOST_PTR, hostbuf=x)
    part, folded = (cl.Buffer(queue.context, cl.mem_flags.READ_WRITE, 2 * 8 * count) for _ in range(2))
    found["reduce_leaves"](queue, (count * group,), (group,), x_buffer, len(x), 0, part, 0, count)
    while count > 1:
        groups = -(-count // (FOLD * group))
        found["reduce_fold"](queue, (groups * group, 2), (group, 1), part, count, folded)
        part, folded, count = folded, part, groups
    result = np.empty(2)
    cl.enqueue_copy(queue, result, part)
    return result


def main():
    if len(sys.argv) != 2:
        sys.exit("emitted_reduction.py: name reduce_leaves.json")
    context = cl.create_some_context(interactive=False)
    device = context.devices[0]
    if not device.double_fp_config:
        sys.exit(f"emitted_reduction.py: {device.name} has no double precision")
    x = np.random.default_rng(1).standard_normal(1000003).astype(np.float32)
    found = sums(cl.CommandQueue(context), *kernels(context, sys.argv[1]), x)
    exact = math.fsum(map(float, x)), math.fsum(float(value) ** 2 for value in x)
    if not np.allclose(found, exact, rtol=1e-12, atol=1e-9):
        sys.exit(f"emitted_reduction.py: {found} instead of {exact}")
    print(f"sum {found[0]:.9f}, sum of squares {found[1]:.6f} on {device.name}")


if __name__ == "__main__":
    main()
