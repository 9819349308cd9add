"""Cavern: a cycle-approximate model of a NAND SSD.

    result = cavern.run("cave", "random-write.toml", buffer__size="4MiB")
    result.summary["host"]["iops"], result.requests["latency_ns"].quantile(0.99)

docs/python.md has the rest.
"""

import signal
import sys
from typing import TYPE_CHECKING

if sys.argv[0] == "-m":
    # The front door's command: Ctrl-C while modules are loaded ends it as it ends any other
    # program, without a traceback. One that came before has waited until now. The command then
    # takes over (cavern/__main__.py).
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})

from cavern.api import (
    Repeat,
    Result,
    Search,
    Sweep,
    case,
    compare,
    drives,
    package_version,
    repeat,
    run,
    search,
    sweep,
    traces,
    workloads,
)
from cavern.errors import CavernError, CavernWarning, InputError, SimulatorError
from cavern.simulator import prefix, program

if TYPE_CHECKING:
    from cavern.sweeps import Case

__version__: str
__all__ = [
    "Case",
    "CavernError",
    "CavernWarning",
    "InputError",
    "Repeat",
    "Result",
    "Search",
    "SimulatorError",
    "Sweep",
    "__version__",
    "case",
    "compare",
    "drives",
    "prefix",
    "program",
    "repeat",
    "run",
    "search",
    "sweep",
    "traces",
    "workloads",
]


if not TYPE_CHECKING:  # which would take any name for one of ours

    def __getattr__(name: str) -> object:
        if name == "__version__":
            return package_version()
        if name == "Case":  # which brings all that runs sweeps
            from cavern.sweeps import Case

            return Case
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
