// SPDX-License-Identifier: Apache-2.0
// What koine tune found best on devices, for similar devices that have not been tuned: a line for each
// device, path and algorithm; the file is included for a table (measured.c). `koine tune --export FILE`
// writes such lines: if you send them, others need not measure.
//
// MEASURED(name, vendor, type, backend, compute units, algorithm, values)
//
// Also the speeds of devices, for estimates (koine/experimental/cost.h): bytes of memory and operations a
// second, bytes copied a second, seconds for the driver's start, for compiling a program and for a launch.
// Operations are those that the applications count, which are a part of what the arithmetic units could do.
//
// RATES(name, vendor, type, compute units, memory, operations, copied, start, compilation, launch)

// clang-format off

MEASURED("NVIDIA H100 80GB HBM3", "NVIDIA Corporation", GPU, "cuda", 132, "sort-32bit",
         "GROUP=384 KEYS=26 REGISTERS=80 CHUNKS=4 PREFETCH=2")
MEASURED("NVIDIA H100 80GB HBM3", "NVIDIA Corporation", GPU, "cuda", 132, "sort-64bit",
         "GROUP=384 KEYS=18 REGISTERS=80 CHUNKS=4 PREFETCH=2")
MEASURED("NVIDIA H100 80GB HBM3", "NVIDIA Corporation", GPU, "opencl", 132, "sort-32bit",
         "GROUP=384 KEYS=26 REGISTERS=80 CHUNKS=4 PREFETCH=2")
MEASURED("NVIDIA H100 80GB HBM3", "NVIDIA Corporation", GPU, "opencl", 132, "sort-64bit",
         "GROUP=512 KEYS=11 REGISTERS=64 CHUNKS=4 PREFETCH=2")

RATES("NVIDIA H100 80GB HBM3", "NVIDIA Corporation", GPU, 132, 3.0e12, 1.6e13, 8e9, 0.3, 0.4, 1e-5)
RATES("NVIDIA H200", "NVIDIA Corporation", GPU, 132, 4.4e12, 1.6e13, 8e9, 0.3, 0.4, 1e-5)
RATES("pthread-skylake-avx512-AMD EPYC", "AuthenticAMD", CPU, 2, 2e10, 2e10, 3.9e9, 0.06, 0.5, 1.8e-5)
