"""What `import cavern` offers: runs, repeats, sweeps, searches, comparisons, and what they give."""

from __future__ import annotations

from cavern.api.compare import compare
from cavern.api.inputs import drives, traces, workloads
from cavern.api.repeat import Repeat, repeat
from cavern.api.run import Result, run
from cavern.api.search import Search, search
from cavern.api.sweep import Sweep, case, sweep
from cavern.api.version import package_version

__all__ = [
    "Repeat",
    "Result",
    "Search",
    "Sweep",
    "case",
    "compare",
    "drives",
    "package_version",
    "repeat",
    "run",
    "search",
    "sweep",
    "traces",
    "workloads",
]
