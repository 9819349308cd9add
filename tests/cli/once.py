"""What takes long, and several tests look at: made once for all workers of pytest-xdist."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable
from pathlib import Path

import pytest


def once(name: str, factory: pytest.TempPathFactory, make: Callable[[Path], None]) -> Path:
    """The file that `make` writes, unless another test had it made. Tests leave it, and what was
    written with it, as they are. Where `make` fails, the next test tries again."""
    base = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        base = base.parent
    file = base / name
    with (base / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not file.exists():
            make(file)
    return file
