# SPDX-License-Identifier: Apache-2.0
"""What builds the package's native module."""
