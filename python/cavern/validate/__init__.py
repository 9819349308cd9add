"""`./cavern validate`: the model against closed formulas and against independent simulators.

A section is a function from a Bench to rows, listed in command.py.
"""

from __future__ import annotations

from cavern.validate.command import validate

__all__ = ["validate"]
