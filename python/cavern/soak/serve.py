"""Served drives whose power goes again and again, and a client that looks for what it flushed."""

from __future__ import annotations

import random
import re
import signal
import struct
import subprocess
from pathlib import Path
from urllib.parse import unquote

from cavern.soak.case import Case
from cavern.soak.nbd import FLUSH, FUA, TRIM, WRITE, Client
from cavern.soak.program import limit, started

BLOCK, SECTOR = 16384, 512  # a TRIM of part of a page leaves it as it is
READY = re.compile(r"serving (\d+) bytes at (\S+)\n")


class Diary:
    """What a client has written, by block: versions asked for, answered, and flushed."""

    def __init__(self, size: int, draw: random.Random) -> None:
        self.draw = draw
        self.blocks = max(size // BLOCK // 4, 1)
        self.asked: dict[int, int] = {}
        self.answered: dict[int, int] = {}
        self.durable: dict[int, int] = {}
        self.trimmed: dict[int, int] = {}  #: the newest TRIM asked for: zeros are of it
        self.version = 0

    def data(self, block: int, version: int) -> bytes:
        return struct.pack(">QQ", version, block) * (BLOCK // 16)

    def work(self, client: Client, requests: int) -> None:
        for _ in range(requests):
            block = self.draw.randrange(self.blocks)
            what = self.draw.random()
            self.version += 1
            if what < 0.06:
                assert client.do(FLUSH) == 0
                self.durable.update(self.answered)
                continue
            self.asked[block] = self.version
            if what < 0.12:
                self.trimmed[block] = self.version
                assert client.do(TRIM, block * BLOCK, BLOCK) == 0
                self.durable[block] = self.version
            else:
                fua = what < 0.2
                flags = FUA if fua else 0
                assert client.write(block * BLOCK, self.data(block, self.version), flags) == 0
                if fua:
                    self.durable[block] = self.version
            self.answered[block] = self.version

    def leave_open(self, client: Client, requests: int) -> None:
        """Writes without waiting for their answers."""
        for _ in range(requests):
            block = self.draw.randrange(self.blocks)
            self.version += 1
            self.asked[block] = self.version
            client.ask(WRITE, block * BLOCK, BLOCK, self.data(block, self.version))

    def fault(self, client: Client) -> str:
        """Of a drive that has come back; what is there now stays."""
        for block in sorted(self.asked):
            found = client.read(block * BLOCK, BLOCK)
            seen = set()
            for at in range(0, BLOCK, SECTOR):
                version, of = struct.unpack(">QQ", found[at : at + 16])
                if version and found[at : at + SECTOR] != self.data(of, version)[:SECTOR]:
                    return f"block {block} holds what nobody has written"
                if version and of != block:
                    return f"block {block} holds data of block {of}"
                seen.add(version or self.trimmed.get(block, 0))
            if max(seen) > self.asked[block]:
                return f"block {block} holds data from later on"
            if min(seen) < self.durable.get(block, 0):
                return f"block {block} is older than what was flushed"
            self.asked[block] = max(seen)
            self.answered[block] = self.durable[block] = min(seen)
            if seen != {0} and not any(struct.unpack(">Q", found[:8])):
                self.trimmed[block] = max(seen)
        return ""


def serve(case: Case, folder: Path) -> str:
    draw = random.Random(f"clients {case.seed}")
    words = ("serve", case.inputs()[0], "--out", folder / "served", *case.flags())
    with started(*words, folder=folder, says="stdout", ready=READY) as served:
        found = ""
        if served.ready:
            size, path = int(served.ready[1]), unquote(served.ready[2].partition("=")[2])
            try:
                found = _clients(served.process, path, size, draw)
            except (OSError, EOFError, AssertionError) as error:
                found = f"a client was left alone: {type(error).__name__} {error}"
            served.process.send_signal(signal.SIGINT)
        status, errors = served.ended()
        if status != 0 or not served.ready:
            return f"exit {status}: {errors[-300:]}"
        return found


def _clients(process: subprocess.Popen[str], path: str, size: int, draw: random.Random) -> str:
    if size < BLOCK:
        return ""
    diary = Diary(size, draw)
    for _ in range(draw.randrange(1, 6)):
        with Client(path, patience=limit()) as client:
            diary.work(client, draw.randrange(120))
            diary.leave_open(client, draw.choice([0, 5, 30]))
            process.send_signal(signal.SIGUSR1)
            try:
                while client.socket.recv(65536):
                    pass
            except ConnectionError:
                pass
        with Client(path, patience=limit()) as client:
            if found := diary.fault(client):
                return found
    return ""
