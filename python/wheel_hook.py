"""Puts the built simulator into the wheel, with drives, parts and traces of the tree."""

from __future__ import annotations

import re
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

#: Where the program finds drives and parts from where it lies: PREFIX/bin and PREFIX/share/cavern.
PREFIX = "cavern/program"
SIMULATOR = "build/release/bin/cavern-sim"
SHARED = ("VERSION", "configs", "traces")


class WheelHook(BuildHookInterface):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return  # finds the tree
        root = Path(self.root)
        if not (root / SIMULATOR).is_file():
            raise FileNotFoundError(
                f"{SIMULATOR} is not built; run ./cavern config list first, which builds it"
            )
        files = build_data["force_include"]
        files[str(root / SIMULATOR)] = f"{PREFIX}/bin/cavern-sim"
        for name in SHARED:
            for path in [root / name, *sorted((root / name).rglob("*"))]:
                if path.is_file() and path.suffix != ".py":
                    files[str(path)] = f"{PREFIX}/share/cavern/{path.relative_to(root)}"
        build_data["pure_python"] = False
        # Of this kind of machine, for any Python: the program is called, not loaded.
        build_data["tag"] = f"py3-none-{re.sub('[-.]', '_', sysconfig.get_platform())}"
