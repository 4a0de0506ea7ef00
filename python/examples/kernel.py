# SPDX-License-Identifier: Apache-2.0
"""A kernel of your own, OpenCL C as it stands, on whatever device there is: the Mandelbrot set."""

import sys
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import koine

SOURCE = """
kernel void mandelbrot(global ushort *steps, float2 corner, float pixel)
{
    size_t x = get_global_id(0), y = get_global_id(1);
    float2 c = corner + pixel * (float2)(x, y), z = 0;
    ushort n = 0;

    while (n < LIMIT && dot(z, z) < 4) {
        z = (float2)(z.x * z.x - z.y * z.y, 2 * z.x * z.y) + c;
        n++;
    }
    steps[y * get_global_size(0) + x] = n;
}
"""


def main(folder: Path) -> None:
    context = koine.default_context()
    program = koine.Program(SOURCE, context, name="mandelbrot.cl", defines={"LIMIT": 200})
    steps = context.empty((400, 600), "uint16")
    program.mandelbrot(steps, (-2.1, -1.0), 0.005, size=(600, 400))
    inside = koine.reduce(steps, koine.Combine("a + b", identity="0", map="x == 200"), dtype="int64")
    print(f"{context.device.name}: {inside} of {steps.size} points did not escape")
    assert 0.2 < inside / steps.size < 0.3

    figure, axis = plt.subplots(figsize=(6, 4))
    axis.imshow(np.log(steps.numpy()), cmap="magma", origin="lower")
    axis.set_axis_off()
    figure.savefig(folder / "kernel.png")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
