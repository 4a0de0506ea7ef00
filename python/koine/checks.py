# SPDX-License-Identifier: Apache-2.0
"""What arrays have to be, before libkoine reads them."""

from __future__ import annotations

from .operands import Operand


def one_axis(operand: Operand, name: str) -> Operand:
    """An array of one axis, or ValueError."""
    if len(operand.shape) != 1:
        raise ValueError(f"{name} has {len(operand.shape)} axes, not one: pass x.ravel()")
    return operand
