"""`serve`: the front of the server, its socket, its ends, and clients that misbehave."""

from __future__ import annotations

import json
import os
import pty
import random
import signal
import socket
import stat
import struct
import subprocess
import time
from pathlib import Path

import jsonschema
import pytest

from tests.cli.programs import ENVIRONMENT, Program, Workspace, sets, tree
from tests.cli.serving import (
    DISCONNECT,
    FLUSH,
    FUA,
    READ,
    SMALL,
    TRIM,
    WRITE,
    WRITE_ZEROES,
    Client,
    resident_bytes,
    serving,
    told,
)

EINVAL = 22
ENOSPC = 28
BLOCK = 512


@pytest.fixture
def drive(workspace: Workspace) -> Path:
    return workspace.write("small.toml", SMALL)


def pattern(seed: int, length: int) -> bytes:
    return random.Random(seed).randbytes(length)


# ---- data ---------------------------------------------------------------------------------------


def test_what_is_written_is_read_after_collection_moved_it(drive: Path, simulator: Program) -> None:
    with serving(simulator, drive) as served:
        with served.connect() as client:
            assert client.size == served.size
            known = bytearray(served.size)
            choose = random.Random(1)
            for turn in range(3000):
                length = BLOCK * choose.randrange(1, 33)
                offset = BLOCK * choose.randrange((served.size - length) // BLOCK + 1)
                data = pattern(turn, length)
                assert client.write(offset, data, FUA if turn % 50 == 0 else 0) == 0
                known[offset : offset + length] = data
                if turn % 10 == 0:
                    at = BLOCK * choose.randrange((served.size - 65536) // BLOCK)
                    assert client.read(at, 65536) == known[at : at + 65536]
            assert client.do(FLUSH) == 0
            step = 1 << 20
            for at in range(0, served.size, step):
                length = min(step, served.size - at)
                assert client.read(at, length) == known[at : at + length], at
        summary = served.stop()
    ftl = summary["ftl"]
    assert ftl["gc_pages"] > 0.5 * ftl["host_pages"]  # copies were made
    assert summary["sim"]["requests"] > 3000
    statistics = told(simulator, served)
    assert statistics["errors"] == 0
    schema = json.loads(simulator("results", "schema", "serve.json").stdout)
    with pytest.raises(jsonschema.ValidationError):  # the control: a field that nobody declared
        jsonschema.validate({**statistics, "more": 1}, schema)
    assert statistics["requests"] >= 3300
    assert (served.out / "config.toml").exists()


def test_zeros_and_trims_read_as_zeros_and_nothing_else_does(
    drive: Path, simulator: Program
) -> None:
    with serving(simulator, drive) as served, served.connect() as client:
        known = bytearray(pattern(1, 1 << 20))
        assert client.write(0, bytes(known)) == 0
        for command, begin, end in (
            (WRITE_ZEROES, 1024, 200 * 1024 + 512),
            (WRITE_ZEROES, 300 * 1024 + 512, 300 * 1024 + 1024),
            (WRITE_ZEROES, 400 * 1024 + 1536, 404 * 1024),
        ):
            assert client.do(command, begin, end - begin, FUA) == 0
            known[begin:end] = bytes(end - begin)
        assert client.read(0, 1 << 20) == known
        assert client.do(TRIM, 512 * 1024, 64 * 1024) == 0
        known[512 * 1024 : 576 * 1024] = bytes(64 * 1024)
        assert client.read(0, 1 << 20) == known


def test_several_clients_see_one_drive(drive: Path, simulator: Program) -> None:
    with serving(simulator, drive) as served:
        clients = [served.connect() for _ in range(8)]
        for turn, client in enumerate(clients):
            assert client.write(turn * 8192, pattern(turn, 8192)) == 0
        assert clients[0].do(FLUSH) == 0
        for client in reversed(clients):
            for turn in range(len(clients)):
                assert client.read(turn * 8192, 8192) == pattern(turn, 8192)
        assert clients[0].flags & 1 << 8  # which the server promises


# ---- clients that misbehave ---------------------------------------------------------------------


def test_requests_past_the_end_are_refused(drive: Path, simulator: Program) -> None:
    with serving(simulator, drive) as served, served.connect() as client:
        assert client.do(READ, served.size, 512) == EINVAL
        assert client.do(READ, served.size - 512, 1024) == EINVAL
        assert client.do(READ, 2**64 - 512, 1024) == EINVAL
        assert client.write(served.size - 512, bytes(1024)) == ENOSPC
        assert client.do(WRITE_ZEROES, served.size - 512, 2**32 - 512) == ENOSPC
        assert client.do(READ, 100, 512) == EINVAL
        assert client.write(served.size - 512, pattern(1, 512)) == 0
        assert client.read(served.size - 512, 512) == pattern(1, 512)


def test_clients_that_go_in_the_middle_of_anything_do_no_harm(
    drive: Path, simulator: Program
) -> None:
    with serving(simulator, drive) as served, served.connect() as honest:
        assert honest.write(0, pattern(7, 4096)) == 0
        for turn in range(60):
            client = served.connect()
            kind = turn % 4
            if kind == 0:  # in the middle of its data
                client.ask(WRITE, 1 << 20, 65536, bytes(1000 * turn))
            elif kind == 1:  # with requests in the drive
                for i in range(40):
                    client.ask(WRITE, (1 << 20) + 4096 * i, 4096, bytes(4096))
            elif kind == 2:  # with answers on their way
                for _ in range(40):
                    client.ask(READ, 0, 1 << 20)
            else:
                client.ask(DISCONNECT)
            client.socket.close()
        assert honest.read(0, 4096) == pattern(7, 4096)
        served.stop()


def test_garbage_does_no_harm(drive: Path, simulator: Program) -> None:
    with serving(simulator, drive) as served, served.connect() as honest:
        assert honest.write(0, pattern(7, 4096)) == 0
        for turn in range(100):
            with served.connect(handshake=turn % 2 == 0) as client:
                try:
                    client.send(pattern(turn, 20_000))
                except (BrokenPipeError, ConnectionResetError):
                    pass
        assert honest.read(0, 4096) == pattern(7, 4096)
        served.stop()


@pytest.mark.slow
def test_a_client_that_reads_no_answer_takes_bounded_memory(
    drive: Path, simulator: Program
) -> None:
    with serving(simulator, drive) as served, served.connect() as honest:
        assert honest.write(0, pattern(7, 4096)) == 0
        before = resident_bytes(served.process)
        greedy = [served.connect() for _ in range(4)]
        for client in greedy:
            client.socket.settimeout(0.5)
            with pytest.raises(TimeoutError):
                for _ in range(100_000):  # 6 GB of answers
                    client.ask(READ, 0, 65536)
            assert honest.read(0, 4096) == pattern(7, 4096)
        assert resident_bytes(served.process) - before < 4 * (16 << 20)
        for client in greedy:
            client.socket.close()
        assert honest.read(0, 4096) == pattern(7, 4096)
        served.stop()


def test_a_flood_of_connections_leaves_room_for_others(drive: Path, simulator: Program) -> None:
    with serving(simulator, drive) as served, served.connect() as honest:
        assert honest.write(0, pattern(7, 4096)) == 0
        working = [served.connect() for _ in range(128)]
        for turn, client in enumerate(working):
            client.ask(WRITE, 4096 * (turn + 1), 4096, pattern(turn, 4096))
        assert [client.error() for client in working] == [0] * 128
        silent = [served.connect(handshake=False) for _ in range(200)]
        with served.connect() as late:  # one of those makes room
            assert late.read(4096 * 128, 4096) == pattern(127, 4096)
        assert honest.read(0, 4096) == pattern(7, 4096)
        for client in silent + working:
            client.socket.close()
        served.stop()
    statistics = json.loads((served.out / "serve.json").read_text())
    assert statistics["connections"] == 330
    assert statistics["connections_most"] == 256


def test_memory_comes_back(drive: Path, simulator: Program) -> None:
    with serving(simulator, drive) as served:

        def use() -> None:
            clients = [served.connect() for _ in range(20)]
            for client in clients:
                for i in range(30):
                    client.ask(WRITE, 65536 * i, 65536, bytes(65536))
            for client in clients:
                assert client.error() == 0
                client.socket.close()

        use()
        before = resident_bytes(served.process)
        for _ in range(5):
            use()
        assert resident_bytes(served.process) - before < 8 << 20
        served.stop()


# ---- the socket ---------------------------------------------------------------------------------


def test_the_socket_is_for_its_user_alone(drive: Path, simulator: Program) -> None:
    os.umask(0)
    try:
        with serving(simulator, drive, "--socket", "my.sock") as served:
            path = simulator.folder / "my.sock"
            assert served.socket == str(path)
            mode = path.lstat().st_mode
            assert stat.S_ISSOCK(mode)
            assert stat.S_IMODE(mode) == 0o600
            served.stop()
            assert not path.exists()
    finally:
        os.umask(0o022)


def test_a_socket_that_somebody_serves_is_not_taken(drive: Path, simulator: Program) -> None:
    with serving(simulator, drive, "--socket", "my.sock") as served:
        second = simulator("serve", drive, "--socket", "my.sock", "--out", "second")
        assert second.returncode == 2
        assert second.stderr == (
            'error: <command line>:1: a server is at "my.sock"; '
            "stop it, or name another path for the socket\n"
        )
        assert not (simulator.folder / "second").exists()
        with served.connect() as client:
            assert client.read(0, 512) == bytes(512)


def test_a_socket_that_was_left_behind_is_taken(drive: Path, simulator: Program) -> None:
    with serving(simulator, drive, "--socket", "my.sock") as served:
        served.process.kill()
        served.process.wait()
    assert (simulator.folder / "my.sock").exists()
    with serving(simulator, drive, "--socket", "my.sock") as served, served.connect() as client:
        assert client.read(0, 512) == bytes(512)


def test_another_file_is_not_removed_for_a_socket(
    drive: Path, simulator: Program, workspace: Workspace
) -> None:
    workspace.write("my.sock", "precious")
    refused = simulator("serve", drive, "--socket", "my.sock")
    assert refused.returncode == 2
    assert "exists and is no socket" in refused.stderr
    assert (simulator.folder / "my.sock").read_text() == "precious"


def test_tcp_is_the_loopback_alone_unless_told(drive: Path, simulator: Program) -> None:
    with serving(simulator, drive, "--listen", "0") as served:
        host, port = served.uri.removeprefix("nbd://").split(":")
        assert host == "127.0.0.1"
        with socket.create_connection((host, int(port)), timeout=10) as client:
            assert client.recv(18) == b"NBDMAGICIHAVEOPT\0\3"
        served.stop()


# ---- the command --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--time", "fast"], '--time knows no "fast"; give free, real, or dilated=N'),
        (["--time", "dilated=0"], '--time knows no "dilated=0"; give free'),
        (["--listen", "host:port"], '"host:port" is no place to listen; give --listen [HOST:]PORT'),
        (["--listen", "1", "--socket", "x"], "--socket excludes --listen; see ./cavern serve"),
        (["--socket", "x" * 200], "the path of the socket has 200 bytes; name one of 1 to 107"),
        (["--socket", "no/such/folder"], 'no socket can be made at "no/such/folder"'),
        (sets(fidelity="untimed"), 'a drive that is served has time; fidelity = "at"'),
    ],
)
def test_mistakes_are_told_and_leave_nothing(
    arguments: list[str], message: str, drive: Path, simulator: Program
) -> None:
    before = tree(simulator.folder)
    refused = simulator("serve", drive, *arguments)
    assert refused.returncode == 2, refused
    assert refused.stderr.startswith("error: ")
    assert refused.stderr.count("\n") == 1
    assert message in refused.stderr
    assert tree(simulator.folder) == before


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM], ids=lambda sign: sign.name)
def test_a_signal_ends_it_within_a_second_with_results(
    sign: signal.Signals, drive: Path, simulator: Program
) -> None:
    with serving(simulator, drive, "--requests", "requests.csv") as served:
        with served.connect() as client:
            for i in range(200):
                client.ask(WRITE, 4096 * i, 4096, bytes(4096))
            assert client.error() == 0
            summary = served.stop(sign)  # with requests outstanding, and their client there
    assert summary["sim"]["requests"] >= 1
    assert summary["complete"] is True
    assert len((simulator.folder / "requests.csv").read_text().splitlines()) > 1


@pytest.mark.slow
def test_what_a_terminal_shows(drive: Path, simulator: Program) -> None:
    ours, its = pty.openpty()
    process = subprocess.Popen(
        [str(simulator.path), "serve", str(drive), "--live", "--socket", "my.sock", "--quiet"],
        cwd=simulator.folder,
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=its,
    )
    try:
        assert process.stdout is not None
        process.stdout.readline()
        with Client(str(simulator.folder / "my.sock")) as client:
            end = time.monotonic() + 1.5
            while time.monotonic() < end:
                assert client.write(0, bytes(4096)) == 0
        shown = os.read(ours, 100_000).decode()
        for word in ("connections", "queue", "latency us", "WAF", "dies", "buses", "\033["):
            assert word in shown
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)
        os.close(ours)
        os.close(its)
    assert process.returncode == 0


@pytest.mark.slow
def test_without_a_terminal_nothing_is_shown(drive: Path, simulator: Program) -> None:
    with serving(simulator, drive, "--live") as served:
        with served.connect() as client:
            assert client.write(0, bytes(4096)) == 0
        time.sleep(0.6)
        served.stop()  # looks at stderr


def test_handshake_of_the_old_style_is_cut_off(drive: Path, simulator: Program) -> None:
    with serving(simulator, drive) as served, served.connect(handshake=False) as client:
        client.receive(18)
        client.send(struct.pack(">I", 0))
        with pytest.raises((EOFError, ConnectionResetError)):
            client.receive(1)
