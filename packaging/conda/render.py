#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Renders recipe.yaml beside it for linux-64 and linux-aarch64 by py-rattler-build, and looks at what comes out."""
import sys
from pathlib import Path

from rattler_build import PlatformConfig, RenderConfig, Stage0Recipe, VariantConfig

recipe = Stage0Recipe.from_file(Path(__file__).with_name("recipe.yaml"))
variants = VariantConfig({"c_compiler": ["gcc"], "c_compiler_version": ["14"], "c_stdlib": ["sysroot"],
                          "c_stdlib_version": ["2.28"]})
for platform in ("linux-64", "linux-aarch64"):
    outputs = {}
    config = RenderConfig(platform=PlatformConfig(target_platform=platform))
    for variant in recipe.render(variants, config):
        rendered = variant.recipe
        outputs[rendered.package.name] = rendered
        print(platform, rendered.package.name, rendered.package.version, rendered.build.string)
    if set(outputs) != {"libkoine", "koine"}:
        sys.exit(f"{platform}: rendered {sorted(outputs)}, expected koine and libkoine")
