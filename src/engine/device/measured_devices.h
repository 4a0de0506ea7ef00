// SPDX-License-Identifier: Apache-2.0
// What koine tune found best on devices, for those that nobody has tuned: a line for each device, path and
// algorithm; the file is included for a table (measured.c). `koine tune --export FILE` writes such lines:
// send them, and others need not measure.
//
// MEASURED(name, vendor, type, backend, compute units, algorithm, values)

// clang-format off

MEASURED("NVIDIA H100 80GB HBM3", "NVIDIA Corporation", GPU, "cuda", 132, "sort-32bit",
         "GROUP=512 KEYS=18 REGISTERS=64 CHUNKS=1 PREFETCH=1")
MEASURED("NVIDIA H100 80GB HBM3", "NVIDIA Corporation", GPU, "opencl", 132, "sort-32bit",
         "GROUP=512 KEYS=22 REGISTERS=64 CHUNKS=2 PREFETCH=1")
MEASURED("NVIDIA H100 80GB HBM3", "NVIDIA Corporation", GPU, "opencl", 132, "sort-64bit",
         "GROUP=384 KEYS=14 REGISTERS=56 CHUNKS=2 PREFETCH=1")
MEASURED("NVIDIA H200", "NVIDIA Corporation", GPU, "cuda", 132, "sort-32bit",
         "GROUP=512 KEYS=16 REGISTERS=64 CHUNKS=4 PREFETCH=1")
MEASURED("NVIDIA H200", "NVIDIA Corporation", GPU, "cuda", 132, "sort-64bit",
         "GROUP=512 KEYS=12 REGISTERS=0 CHUNKS=2 PREFETCH=1")
MEASURED("NVIDIA H200", "NVIDIA Corporation", GPU, "opencl", 132, "sort-32bit",
         "GROUP=768 KEYS=12 REGISTERS=40 CHUNKS=2 PREFETCH=1")
MEASURED("NVIDIA H200", "NVIDIA Corporation", GPU, "opencl", 132, "sort-64bit",
         "GROUP=384 KEYS=14 REGISTERS=56 CHUNKS=2 PREFETCH=1")
