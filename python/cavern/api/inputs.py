"""Settings and folders as programs name them, and what comes with Cavern."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cavern.names import DRIVE, TRACE, WORKLOAD, shipped
from cavern.plots.files import make_directory


def settings(given: Mapping[str, Any]) -> dict[str, Any]:
    """Keys of the configuration, told in any of three ways: `{"buffer.size": "4MiB"}`,
    `buffer__size="4MiB"` and `buffer={"size": "4MiB"}` are one."""
    flat: dict[str, Any] = {}
    for name, value in given.items():
        key = name.replace("__", ".")
        if isinstance(value, Mapping):
            flat |= {f"{key}.{below}": part for below, part in settings(value).items()}
        else:
            flat[key] = value
    return flat


def drives() -> list[str]:
    """The drives that come with Cavern, as `run` takes them."""
    return shipped(DRIVE)


def traces() -> list[str]:
    """The traces that come with Cavern, as `run(trace=...)` takes them."""
    return shipped(TRACE)


def workloads() -> list[str]:
    """The workloads that come with Cavern, as `run` takes them."""
    return shipped(WORKLOAD)


class Temporary:
    """A folder that is removed with the last that knows it."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="cavern-"))
        weakref.finalize(self, shutil.rmtree, self.folder, ignore_errors=True)


def place(out: str | Path | None) -> tuple[Path, Temporary | None]:
    """The folder of the results, made where it is missing, and what keeps it."""
    if out is None:
        temporary = Temporary()
        return temporary.folder, temporary
    folder = Path(out)
    make_directory(folder)
    return folder, None
