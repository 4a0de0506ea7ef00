#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What builds both packages of recipe.yaml, in its environment.
set -eu
./bootstrap
./configure --prefix="$PREFIX" --disable-static --with-hdf5=yes --with-tiff=yes
make -j"$CPU_COUNT"
make install
