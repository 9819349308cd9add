"""Debugging firmware with GDB, and with a client that speaks what tests need of its protocol."""

from __future__ import annotations

import re
import shutil
import socket
import subprocess
from dataclasses import dataclass

from tests.cli.programs import ROOT


@dataclass
class Debugged:
    """A run that waits for a debugger, or has one."""

    process: subprocess.Popen[str]
    port: int

    def ended(self) -> tuple[int, str, str]:
        """Exit status, standard output, and standard error without the line about the port."""
        out, error = self.process.communicate(timeout=60)
        return self.process.returncode, out, error


def waiting(process: subprocess.Popen[str], image: object) -> Debugged:
    """The line that names the port has come."""
    assert process.stderr is not None
    line = process.stderr.readline()
    found = re.fullmatch(
        rf'waiting for a debugger: gdb-multiarch {image} -ex "target remote localhost:(\d+)"\n',
        line,
    )
    assert found, line
    return Debugged(process, int(found[1]))


def gdb(port: int, image: object, *commands: str) -> str:
    """What GDB prints in batch mode, with both streams in one."""
    assert shutil.which("gdb-multiarch"), "the front door installs it"
    words = ["gdb-multiarch", "-nx", "-batch", "-ex", f"target remote localhost:{port}"]
    for command in commands:
        words += ["-ex", command]
    done = subprocess.run(
        [*words, str(image)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        text=True,
        timeout=120,
        check=False,
    )
    return done.stdout


def in_order(text: str, *parts: str) -> bool:
    """Whether the parts stand in the text, one behind the other."""
    at = 0
    for part in parts:
        at = text.find(part, at)
        if at < 0:
            return False
        at += len(part)
    return True


class Client:
    """The debugger's side of the protocol, as far as these tests need it."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=20)

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def send(self, *packets: str) -> None:
        """At once: none is answered before all are there."""
        texts = (f"${packet}#{sum(packet.encode()) % 256:02x}" for packet in packets)
        self.socket.sendall("".join(texts).encode())

    def answer(self) -> str:
        """The next packet; "" at the end of the connection."""
        text = b""
        while not re.search(rb"\$[^#]*#..", text):
            more = self.socket.recv(1)
            if not more:
                return ""
            text += more
        return text[text.index(b"$") + 1 : text.index(b"#")].decode()

    def ask(self, packet: str) -> str:
        self.send(packet)
        return self.answer()
