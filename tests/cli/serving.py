"""A served drive, and a client of the network block device that can also misbehave."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import struct
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from tests.cli.programs import CONFIGS, Json, Program

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

READ, WRITE, DISCONNECT, FLUSH, TRIM, WRITE_ZEROES = 0, 1, 2, 3, 4, 6
FUA = 1


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
            raise AssertionError(f"{ready!r}: {process.communicate()}")
        with ExitStack() as clients:
            yield Served(process, out, found[2], int(found[1]), clients)


class Client:
    """Speaks the protocol as its public document has it; simple replies alone."""

    def __init__(self, path: str, *, handshake: bool = True) -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(60)
        self.socket.connect(path)
        self.cookie = 0
        if handshake:
            assert self.receive(18) == b"NBDMAGICIHAVEOPT\0\3"
            self.send(struct.pack(">I", 3) + b"IHAVEOPT" + struct.pack(">II", 1, 0))
            self.size, self.flags = struct.unpack(">QH", self.receive(10))

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def receive(self, count: int) -> bytes:
        data = b""
        while len(data) < count:
            more = self.socket.recv(count - len(data))
            if not more:
                raise EOFError(data)
            data += more
        return data

    def ask(
        self, command: int, offset: int = 0, length: int = 0, data: bytes = b"", flags: int = 0
    ) -> None:
        self.cookie += 1
        head = struct.pack(">IHHQQI", 0x25609513, flags, command, self.cookie, offset, length)
        self.send(head + data)

    def error(self) -> int:
        """Of the next reply."""
        magic, error, _ = struct.unpack(">IIQ", self.receive(16))
        assert magic == 0x67446698
        return error

    def read(self, offset: int, length: int) -> bytes:
        self.ask(READ, offset, length)
        assert self.error() == 0
        return self.receive(length)

    def write(self, offset: int, data: bytes, flags: int = 0) -> int:
        self.ask(WRITE, offset, len(data), data, flags)
        return self.error()

    def do(self, command: int, offset: int = 0, length: int = 0, flags: int = 0) -> int:
        self.ask(command, offset, length, flags=flags)
        return self.error()


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
