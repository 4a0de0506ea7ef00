# SPDX-License-Identifier: (Apache-2.0 OR MIT)
from spack.package import *


class Koine(AutotoolsPackage):
    """One set of OpenCL C kernels that runs on every vendor's device, and the sciences built on them: robust statistics,
    MRI reconstruction, image correlation, sparse least squares and tomography."""

    license("Apache-2.0")

    # A repository of recipes has the release's tarball here, with its url and SHA-256.
    version("develop")

    variant("hdf5", default=True, description="Read ISMRMRD and tomography files (.h5)")
    variant("tiff", default=True, description="Read TIFF images")
    variant("zstd", default=True, description="Read CSV files that zstd packed")
    variant("isal", default=True, description="Unpack CSV files of gzip by ISA-L")
    variant("pocl", default=True, description="With PoCL, which makes the CPU an OpenCL device")
    variant("libs", default="shared", values=("shared", "static"), multi=True, description="Which libraries are built")

    depends_on("c", type="build")
    depends_on("autoconf", type="build")
    depends_on("automake", type="build")
    depends_on("libtool", type="build")
    depends_on("m4", type="build")
    depends_on("pkgconfig", type="build")

    depends_on("opencl-c-headers", type="build")
    depends_on("libmd")
    depends_on("jansson")
    depends_on("libpng")
    depends_on("zlib-api")
    depends_on("hdf5", when="+hdf5")
    depends_on("libtiff@4.5:", when="+tiff")
    depends_on("zstd", when="+zstd")
    depends_on("isa-l", when="+isal")
    # Both are opened at run time.
    depends_on("ocl-icd", type="run")
    depends_on("pocl+icd", type="run", when="+pocl")

    def autoreconf(self, spec, prefix):
        Executable("./bootstrap")()

    def configure_args(self):
        optional = [flag for name in ("hdf5", "tiff", "zstd", "isal") for flag in self.with_or_without(name)]
        return self.enable_or_disable("libs") + optional
