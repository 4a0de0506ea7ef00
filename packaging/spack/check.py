#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads package.py beside it without Spack: against a list of what Spack gives to recipes, it runs its directives and
its two methods, and looks at what it depends on and hands to configure."""
import sys
import types
from pathlib import Path

directives = {name: [] for name in ("license", "version", "variant", "depends_on")}
run = []


def record(name):
    return lambda *args, **options: directives[name].append((args, options))


class AutotoolsPackage:
    def enable_or_disable(self, name):
        self.known(name)
        return [f"--enable-{value}" for value in ("shared", "static")]

    def with_or_without(self, name):
        self.known(name)
        return [f"--with-{name}"]

    @staticmethod
    def known(name):
        if name not in [args[0] for args, _ in directives["variant"]]:
            sys.exit(f"package.py: there is no variant '{name}'")


class Executable:
    def __init__(self, path):
        self.path = path

    def __call__(self):
        run.append(self.path)


package = types.ModuleType("spack.package")
for name in directives:
    setattr(package, name, record(name))
package.AutotoolsPackage = AutotoolsPackage
package.Executable = Executable
sys.modules["spack"] = types.ModuleType("spack")
sys.modules["spack.package"] = package

recipe = Path(__file__).with_name("package.py")
names = {}
exec(compile(recipe.read_text(), str(recipe), "exec"), names)
koine = names["Koine"]()
koine.autoreconf(None, None)
top = recipe.parent.parent.parent
for path in run:
    if not (top / path).is_file():
        sys.exit(f"package.py runs {path}, which is not there")
if not koine.__doc__ or not directives["version"] or not directives["license"]:
    sys.exit("package.py has no docstring, version or license")
variants = [args[0] for args, _ in directives["variant"]]
for args, options in directives["depends_on"]:
    condition = options.get("when", "").lstrip("+~")
    if condition and condition not in variants:
        sys.exit(f"package.py: {args[0]} depends on '{condition}', which is no variant")
configure = (top / "configure.ac").read_text()
for argument in koine.configure_args():
    if argument.startswith("--with-") and f"KN_OPTIONAL([{argument[7:].upper()}]" not in configure:
        sys.exit(f"package.py: configure has no {argument}")
print("Spack:", len(directives["depends_on"]), "dependencies,", " ".join(koine.configure_args()))
