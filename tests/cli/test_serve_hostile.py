"""Clients that mean harm, against the whole server under the address and undefined-behaviour
sanitizers, leaks included; the drive below it is that of the other programs."""

from __future__ import annotations

import random
import struct
from pathlib import Path

import pytest
from cavern.simulator import BUILD

from tests.cli.programs import Program, Workspace
from tests.cli.serving import FLUSH, READ, SMALL, TRIM, WRITE, WRITE_ZEROES, Client, Served, serving

pytestmark = pytest.mark.slow

#: Where the honest client's data are; the others write elsewhere.
HONEST = 4096


@pytest.fixture
def drive(workspace: Workspace) -> Path:
    return workspace.write("small.toml", SMALL)


def sanitized(folder: Path, kind: str = "") -> Program:
    return Program(BUILD / "tests" / f"serve_sanitized{kind}", folder)


# ---- attacks ------------------------------------------------------------------------------------


def garbage(served: Served, rng: random.Random) -> None:
    with Client(served.socket, handshake=rng.random() < 0.5) as client:
        client.send(rng.randbytes(rng.randrange(30_000)))


def options(served: Served, rng: random.Random) -> None:
    """Of the handshake, with lengths that are not true."""
    with Client(served.socket, handshake=False) as client:
        client.receive(18)
        client.send(struct.pack(">I", rng.choice((0, 1, 3, 0xFFFFFFFF))))
        for _ in range(rng.randrange(6)):
            length = rng.choice((0, 4, 16, 200, 1 << 20, 0xFFFFFFFF))
            option = struct.pack(">II", rng.choice((1, 2, 3, 5, 6, 7, 8, 9, 10, 99)), length)
            client.send(b"IHAVEOPT" + option + rng.randbytes(min(length, rng.randrange(300))))


def requests(served: Served, rng: random.Random) -> None:
    """Of any kind, with any flags, anywhere, with more or fewer data than they say."""
    offsets = (HONEST + 512 * rng.randrange(12_000), 513, rng.getrandbits(64))
    lengths = (0, 7, 512, 4096, 1 << 20, 1 << 25, (1 << 25) + 512, 1 << 31)
    with Client(served.socket) as client:
        for _ in range(rng.randrange(60)):
            command = rng.choice((READ, WRITE, FLUSH, TRIM, WRITE_ZEROES, 2, 5, 7, 99))
            offset, length = rng.choice(offsets), rng.choice(lengths)
            client.ask(command, offset, length, flags=rng.getrandbits(5))
            if command == WRITE:
                client.send(rng.randbytes(min(length, rng.choice((0, 600, 1 << 20)))))


def never_reads(served: Served, rng: random.Random) -> None:
    with Client(served.socket) as client:
        client.socket.settimeout(0.2)
        for _ in range(600):
            client.ask(READ, HONEST, rng.choice((512, 65536)))


def leaves_early(served: Served, rng: random.Random) -> None:
    with Client(served.socket) as client:
        for _ in range(rng.randrange(30)):
            client.ask(WRITE, HONEST * rng.randrange(1, 900), 4096, rng.randbytes(4096))
        client.ask(WRITE, HONEST, 1 << 20, rng.randbytes(rng.randrange(1 << 20)))


def flood(served: Served, rng: random.Random) -> None:
    clients = [Client(served.socket, handshake=False) for _ in range(128)]
    rng.shuffle(clients)
    for client in clients:
        client.socket.close()


ATTACKS = (garbage, options, requests, never_reads, leaves_early, flood)


def attack(served: Served, seed: int, count: int) -> None:
    rng = random.Random(seed)
    honest = served.connect()
    content = rng.randbytes(HONEST)
    assert honest.write(0, content) == 0
    for _ in range(count):
        try:
            rng.choice(ATTACKS)(served, rng)
        except (OSError, EOFError):
            pass  # it was cut off
        assert honest.read(0, HONEST) == content


@pytest.mark.parametrize("time", ["free", "real"])
def test_hostile_clients_harm_nobody(time: str, drive: Path, workspace: Workspace) -> None:
    with serving(sanitized(workspace.folder), drive, "--time", time) as served:
        attack(served, 1, 40)
        served.stop()  # looks at what the sanitizers say


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(10))
def test_hostile_clients_harm_nobody_for_longer(
    seed: int, drive: Path, workspace: Workspace
) -> None:
    with serving(sanitized(workspace.folder), drive) as served:
        attack(served, 100 + seed, 1000)
        served.stop()


def test_a_buffer_that_is_a_byte_short_is_found(drive: Path, workspace: Workspace) -> None:
    """The control."""
    with serving(sanitized(workspace.folder, "_broken"), drive) as served:
        with pytest.raises((OSError, EOFError)), served.connect() as client:
            assert client.write(0, bytes(4096)) == 0
        _, errors = served.process.communicate(timeout=60)
    assert served.process.returncode != 0
    assert "AddressSanitizer: heap-buffer-overflow" in errors
