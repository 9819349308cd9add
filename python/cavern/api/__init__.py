"""What `import cavern` offers: run, sweep, compare, and what they give."""

from __future__ import annotations

from cavern.api.compare import compare
from cavern.api.run import Result, run
from cavern.api.sweep import Sweep, sweep

__all__ = ["Result", "Sweep", "compare", "run", "sweep"]
