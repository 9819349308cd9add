"""Cavern: a cycle-approximate model of a NAND SSD.

    result = cavern.run("cave", "random-write.toml", buffer__size="4MiB")
    result.summary["host"]["iops"], result.requests["latency_ns"].quantile(0.99)

docs/python.md has the rest.
"""

import signal
import sys

if sys.argv[0] == "-m":
    # The front door's command: Ctrl-C while modules are loaded ends it as it ends any other
    # program, without a traceback. One that came before has waited until now. The command then
    # takes over (cavern/__main__.py).
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})

from cavern.api import Result, Sweep, compare, run, sweep
from cavern.errors import CavernError, InputError, SimulatorError
from cavern.simulator import prefix

__all__ = [
    "CavernError",
    "InputError",
    "Result",
    "SimulatorError",
    "Sweep",
    "compare",
    "prefix",
    "run",
    "sweep",
]
