"""Debuggers of the firmware, some of which do not keep to the protocol."""

from __future__ import annotations

import random
import re
import select
import signal
import socket
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from cavern.soak.case import Case
from cavern.soak.program import ran, started

WAITS = re.compile(r".*localhost:(\d+)\"?\n")
#: Its debugger has ended the run, or has spoilt the firmware.
SAYS = re.compile("error: (<command line>:1: )?firmware ")
#: What only looks, and what changes the firmware under the debugger.
LOOKS = """? g p20 m100000,40 m{at},{size} Z0,{at},4 z0,{at},4 Z2,{at},4 z2,{at},4 Hg0 T1 s !
qSupported qXfer:features:read:target.xml:0,ffb vCont?""".split()
CHANGES = ["M{at},4:00000000", "P{register}={value}", "G00", "X{at},4:abcd", "P20={value}"]
#: What is no packet.
ODD = [b"$#", b"$g#00", b"+-+-", b"\3", b"$m#", b"#", b"\0\xff}", b"$}#7d", b"$m-1,-1#"]
ODD.append(b"$" + b"x" * 5000)


def play(case: Case, folder: Path) -> str:
    """The run ends whatever its debugger does; one that only looks changes nothing."""
    draw = random.Random(f"debugger {case.seed}")
    changes = draw.random() < 0.4
    words = [*replace(case, outputs={"requests": "r.csv"}).command(), "--quiet", "--gdb", "0"]
    with started(*words, folder=folder, says="stderr", ready=WAITS) as run:
        if run.ready:
            with suppress(OSError):
                ended_by = _debug(draw, int(run.ready[1]), changes)
                if ended_by:
                    run.process.send_signal(ended_by)
        status, said = run.ended()
    if not run.ready:
        return f"it waits for no debugger: exit {status}: {said[:200]}"
    if status not in (0, 1, 2, 130, -signal.SIGINT, -signal.SIGTERM):  # or later
        return f"exit {status}: {said[-300:]}"
    if said and ("\n" in said or not SAYS.match(said)):
        return f"not one line about the firmware: {said[:300]}"
    if status != 0 or changes:
        return ""
    seen = (folder / "r.csv").read_bytes()
    words = replace(case, outputs={"requests": "alone.csv"}).command("alone")
    status, _, error = ran(*words, "--quiet", folder=folder)
    if status != 0 or (folder / "alone.csv").read_bytes() != seen:
        return f"a debugger that looks has changed the run: {status} {error}"
    return ""


def _debug(draw: random.Random, port: int, changes: bool) -> signal.Signals | None:
    """A signal that the run is to get then, if any."""
    with socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
        for _ in range(draw.randrange(40)):
            what = draw.random()
            if what < 0.15:
                connection.sendall(draw.choice(ODD))
            elif what < 0.2:
                connection.sendall(_packet("m100000,800") * draw.choice([1, 50, 3000]))
            elif what < 0.3:
                connection.sendall(_packet("c"))
                time.sleep(0.01)
                connection.sendall(b"\3")
            else:
                among = [*LOOKS, *CHANGES] if changes else LOOKS
                connection.sendall(_packet(_filled(draw, draw.choice(among))))
            if draw.random() < 0.5:
                _read(connection)
        how = draw.randrange(5)
        if how == 0:
            return draw.choice([signal.SIGTERM, signal.SIGINT])
        if how < 4:
            connection.sendall(_packet(("D", "k", "c")[how - 1]))
        return None


def _filled(draw: random.Random, packet: str) -> str:
    at = draw.choice(
        ["100080", "100100", "0", "ffffffff", "80000000", f"{draw.randrange(2**32):x}"]
    )
    size = draw.choice(["1", "4", "40", "0", "ffffffff"])
    register, value = f"{draw.randrange(40):x}", f"{draw.randrange(2**32):08x}"
    return packet.format(at=at, size=size, register=register, value=value)


def _packet(text: str) -> bytes:
    return f"${text}#{sum(text.encode()) % 256:02x}".encode()


def _read(connection: socket.socket) -> None:
    ready, _, _ = select.select([connection], [], [], 0.02)
    if ready:
        connection.recv(4096)
