# SPDX-License-Identifier: Apache-2.0
# What cffi makes of the public headers (python/native).
from typing import Any

ffi: Any
lib: Any
