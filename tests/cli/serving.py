"""A served drive, and a client of the network block device that can also misbehave."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

import jsonschema
from cavern.soak.nbd import DISCONNECT, FLUSH, FUA, READ, TRIM, WRITE, WRITE_ZEROES, Client

from tests.cli.programs import CONFIGS, Json, Program, skip_what_is_not_built

__all__ = ["DISCONNECT", "FLUSH", "FUA", "READ", "TRIM", "WRITE", "WRITE_ZEROES", "Client"]

#: A drive of 6 MiB that collects all the time when it is written at random.
SMALL = f"""\
extends = "{CONFIGS / "conventional.toml"}"

[nand]
channels = 2
ways = 2
blocks_per_plane = 32
pages_per_block = 32

[ftl]
overprovision = 0.2

[buffer]
size = "64KiB"
policy = "lru-page"

[host]
interface = "direct"
bandwidth = "2GB/s"
"""


@dataclass(frozen=True)
class Served:
    """A server that runs, and where it is."""

    process: subprocess.Popen[str]
    out: Path
    uri: str
    size: int
    clients: ExitStack

    @property
    def socket(self) -> str:
        return unquote(self.uri.removeprefix("nbd+unix:///?socket="))

    def connect(self, *, handshake: bool = True) -> Client:
        """A client that is there until the server has ended, at the latest."""
        return self.clients.enter_context(Client(self.socket, handshake=handshake))

    def stop(self, sign: signal.Signals = signal.SIGINT) -> Json:
        """Ends it as Ctrl-C does; returns summary.json."""
        before = time.monotonic()
        self.process.send_signal(sign)
        _, errors = self.process.communicate(timeout=30)
        assert self.process.returncode == 0, errors
        assert errors == ""
        assert time.monotonic() - before < 20  # a second where nothing else runs
        return json.loads((self.out / "summary.json").read_text())


def told(simulator: Program, served: Served) -> Json:
    """serve.json, as its schema has it."""
    statistics: Json = json.loads((served.out / "serve.json").read_text())
    schema = json.loads(simulator("results", "schema", "serve.json").stdout)
    jsonschema.validate(statistics, schema)
    return statistics


@contextmanager
def serving(simulator: Program, config: object, *arguments: object) -> Iterator[Served]:
    """`cavern serve` of a drive, for the time of a with block."""
    out = simulator.folder / "served"
    with simulator.started("serve", config, "--out", out, *arguments) as process:
        assert process.stdout is not None
        ready = process.stdout.readline()
        found = re.fullmatch(r"serving (\d+) bytes at (\S+)\n", ready)
        if found is None:
            process.kill()
            _, errors = process.communicate()
            skip_what_is_not_built(errors)
            raise AssertionError(f"{ready!r}: {errors}")
        with ExitStack() as clients:
            yield Served(process, out, found[2], int(found[1]), clients)


def resident_bytes(process: subprocess.Popen[str]) -> int:
    pages = int(Path(f"/proc/{process.pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def run(*command: object, timeout: float = 300, **options: object) -> str:
    """A program of Debian that must succeed; returns what it prints."""
    done = subprocess.run(
        [str(part) for part in command],
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
        **options,  # type: ignore[call-overload]
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout
