"""A tree of the front door's own, with tools that note their calls."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from pathlib import Path

from tests.cli.programs import front_door_in

#: What the tools do beside noting their call. `there` lists the packages that are installed.
TOOLS = {
    "dpkg-query": 'shift 3; for name in "$@"; do echo "ii $name"; done',
    "cmake": "mkdir -p build/release/bin; touch build/release/build.ninja",
    "ninja": "ln -sf /bin/echo build/release/bin/cavern-sim",
    "git": "",
    "python3": "",
    "apt-get": "",
    "sudo": '"$@"',
}
GROUPS = ("build", "commands", "wheel", "cluster", "search", "tests")


class Installation:
    """A tree with all Python packages, and nothing built."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.uncounted = ""
        self.tools = root.parent / "tools"
        self.calls = root.parent / "calls"
        self.tools.mkdir()
        front_door_in(root)
        for folder in ("model", "rtl", ".git/logs"):
            (root / folder).mkdir(parents=True)
        (root / "model" / "a.cpp").touch()
        (root / ".git" / "logs" / "HEAD").touch()
        (root / ".venv" / "bin").mkdir(parents=True)
        for group in GROUPS:
            shutil.copy(
                root / "requirements" / f"{group}.txt", root / ".venv" / f".requirements-{group}"
            )
        self.tool(root / ".venv" / "bin" / "python", 'echo "$@"')
        self.tool(root / ".venv" / "bin" / "pip", "")
        for name, script in TOOLS.items():
            self.tool(self.tools / name, script)

    def tool(self, path: Path, script: str) -> None:
        note = f'echo "{path.name} $*" >>{shlex.quote(str(self.calls))}'
        path.write_text(f"#!/bin/bash\ncd {shlex.quote(str(self.root))}\n{note}\n{script}\n")
        path.chmod(0o755)

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("SSL_", "UV_"))}
        environment["CAVERN_UNCOUNTED"] = self.uncounted
        return subprocess.Popen(
            [self.root / "cavern", *arguments],
            env={**environment, "PATH": f"{self.tools}:{os.environ['PATH']}"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def __call__(self, *arguments: str, status: int = 0) -> tuple[str, list[str]]:
        """Standard output, and the lines on standard error."""
        process = self.start(*arguments)
        stdout, stderr = process.communicate(timeout=60)
        assert process.returncode == status, stderr
        return stdout, stderr.splitlines()

    def told(self) -> list[str]:
        """The tools called since this was last asked."""
        calls = self.calls.read_text().splitlines() if self.calls.exists() else []
        self.calls.unlink(missing_ok=True)
        return calls

    def built(self) -> bool:
        return any(call.startswith("ninja") for call in self.told())
