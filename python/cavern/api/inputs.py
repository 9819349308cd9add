"""Files, settings and workloads as programs name them."""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cavern.simulator import ROOT


def found(name: str | Path, *folders: str) -> Path:
    """A file seen from here; else in Cavern's own folder, or one of its `folders`; else in that
    which CAVERN_TRACES names. Where it is nowhere, the name as it is: the simulator says so."""
    places = [Path(name), ROOT / name, *(ROOT / folder / name for folder in folders)]
    if os.environ.get("CAVERN_TRACES"):
        places.append(Path(os.environ["CAVERN_TRACES"]) / name)
    return next((place for place in places if os.path.isfile(place)), Path(name))


def drive(name: str | Path) -> Path:
    """A configuration, such as "my-drive.toml", or one of those that come with Cavern: "cave"."""
    place = found(name, "configs")
    if os.path.isfile(place) or Path(name).suffix:
        return place
    return found(f"{name}.toml", "configs")


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
    return sorted(path.stem for path in (ROOT / "configs").glob("*.toml"))


def traces() -> list[str]:
    """The traces that come with Cavern, as `run(trace=...)` takes them."""
    return sorted(path.name for path in (ROOT / "traces").glob("*.csv*"))


def workloads() -> list[str]:
    """The workloads that come with Cavern, as `run` takes them."""
    return sorted(path.name for path in (ROOT / "traces" / "workloads").glob("*.toml"))


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
    folder.mkdir(parents=True, exist_ok=True)
    return folder, None
