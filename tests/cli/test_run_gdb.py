"""`cavern run --gdb`: Debian's GDB debugs the firmware that decides in a drive."""

from __future__ import annotations

import json
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from cavern.simulator import BUILD

from tests.cli.firmware_debugging import Client, Debugged, gdb, in_order, waiting
from tests.cli.programs import CONFIGS, Json, Program, Workspace, sets, tree
from tests.cli.test_determinism import without_wall_clock
from tests.cli.test_interrupt import ENDLESS

FIRMWARE = BUILD / "firmware"
IMAGE = FIRMWARE / "drive.elf"
#: Write hits, evictions and collection within some hundred requests.
SMALL = sets(
    nand__channels=2,
    nand__ways=2,
    nand__blocks_per_plane=16,
    buffer__size="64KiB",
    ftl__overprovision=0.25,
    precondition__fill=1,
    cpu__model="iss",
)
WORKLOAD = """\
[[job]]
rw = "randrw"
bs = "4KiB"
size = "1MiB"
number_ios = 3000
iodepth = 4
"""


def arguments(workspace: Workspace, *more: object) -> list[object]:
    workload = workspace.write("workload.toml", WORKLOAD)
    command = ["run", CONFIGS / "conventional.toml", "--workload", workload, "--quiet"]
    return [*command, *SMALL, *more]


@contextmanager
def debugged(
    simulator: Program, workspace: Workspace, *more: object, image: object = IMAGE
) -> Iterator[Debugged]:
    options = arguments(workspace, "--gdb", 0, "--out", "debugged", *more)
    with simulator.started(*options) as process:
        yield waiting(process, image)


def results(folder: Path, name: str) -> tuple[Json, bytes]:
    summary = json.loads((folder / name / "summary.json").read_text())
    return without_wall_clock(summary), (folder / f"{name}.csv").read_bytes()


def plain(simulator: Program, workspace: Workspace) -> tuple[Json, bytes]:
    done = simulator(*arguments(workspace, "--out", "plain", "--requests", "plain.csv"))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    return results(simulator.folder, "plain")


def test_a_write_of_the_host_stops_in_the_policy(simulator: Program, workspace: Workspace) -> None:
    undebugged = plain(simulator, workspace)
    with debugged(simulator, workspace, "--requests", "debugged.csv") as run:
        said = gdb(
            run.port,
            IMAGE,
            "print $pc",
            "break policy_hit",
            "continue",
            "backtrace",
            "print *policy",
            "print frame < 32",
            "info registers mcycle",
            "watch -location policy->order.mru",
            "continue",
            "delete",
            "stepi",
            "x/i $pc",
            "detach",
        )
        assert run.ended() == (0, "", "")
    assert in_order(
        said,
        "= (void (*)()) 0x100080 <_start>",
        "Breakpoint 1, policy_hit (policy=",
        "at firmware/drive/policy.c:",
        "#0  policy_hit (",
        "in buffer_",
        "drive_write (",
        "main () at firmware/drive/image/drive.c:",
        "blocks = false",
        "= 1",
        "mcycle ",
        "Hardware watchpoint 2: -location policy->order.mru",
        "Old value = ",
        "New value = ",
        "recency.c:",
        "=> 0x",
        "detached]",
    ), said
    assert results(simulator.folder, "debugged") == undebugged
    assert undebugged[0]["ftl"]["gc_runs"] > 0 < undebugged[0]["buffer"]["write_hits"]


def test_what_the_debugger_changes_is_seen(simulator: Program, workspace: Workspace) -> None:
    """The control: a policy_hit() that is left out makes FIFO of LRU, if for one page."""
    undebugged = plain(simulator, workspace)
    leave = ("continue", "set var $pc = $ra")
    with debugged(simulator, workspace, "--requests", "debugged.csv") as run:
        gdb(run.port, IMAGE, "break policy_hit", *leave * 5, "delete", "detach")
        assert run.ended() == (0, "", "")
    summary, requests = results(simulator.folder, "debugged")
    assert summary["cpu"]["instructions"] != undebugged[0]["cpu"]["instructions"]
    assert requests != undebugged[1]


def test_the_end_of_the_run_is_the_end_of_the_program(
    simulator: Program, workspace: Workspace
) -> None:
    undebugged = plain(simulator, workspace)
    with debugged(simulator, workspace, "--requests", "debugged.csv") as run:
        said = gdb(run.port, IMAGE, "break policy_hit if frame == 99999", "continue")
        assert run.ended() == (0, "", "")
    assert "exited normally]" in said, said
    assert results(simulator.folder, "debugged") == undebugged


def test_killing_ends_the_run_and_leaves_nothing(simulator: Program, workspace: Workspace) -> None:
    before = set(tree(workspace.folder))
    options = ("--requests", "debugged.csv", "--firmware-log", "log")
    with debugged(simulator, workspace, *options) as run:
        gdb(run.port, IMAGE, "break policy_hit", "continue", "kill")
        status, out, error = run.ended()
    assert (status, out) == (1, "")
    assert error.startswith("error: firmware built-in drive.elf: request "), error
    assert ", write of " in error and error.count("\n") == 1
    assert "its debugger has ended the run, at 0x" in error and " in policy_hit (policy.c:" in error
    # The log as far as it came shows what went before.
    assert set(tree(workspace.folder)) - before == {"workload.toml", "log"}


@pytest.mark.parametrize("how", ["break off", "break off while it runs", "detach"])
def test_a_debugger_that_leaves_lets_it_run(
    how: str, simulator: Program, workspace: Workspace
) -> None:
    undebugged = plain(simulator, workspace)
    with (
        debugged(simulator, workspace, "--requests", "debugged.csv") as run,
        Client(run.port) as client,
    ):
        assert client.ask("Z0,100080,4") == "OK"
        if how == "detach":
            assert client.ask("D") == "OK"
        elif how == "break off while it runs":
            client.send("c")
        client.socket.close()
        assert run.ended() == (0, "", "")
    assert results(simulator.folder, "debugged") == undebugged


def test_ctrl_c_of_the_debugger_stops_what_runs(simulator: Program, workspace: Workspace) -> None:
    endless = workspace.write("endless.toml", ENDLESS)
    command = ("run", CONFIGS / "conventional.toml", "--workload", endless, "--quiet", *SMALL)
    with simulator.started(*command, "--gdb", 0, "--out", "out") as process:
        run = waiting(process, IMAGE)
        with Client(run.port) as client:
            for _ in range(2):
                client.send("c")
                time.sleep(0.2)
                client.socket.sendall(b"\x03")
                assert client.answer() == "S02"
            assert len(client.ask("g")) == 33 * 8
            client.send("k")
            assert run.ended()[0] == 1
    assert not (simulator.folder / "out").exists()


@pytest.mark.parametrize("when", ["nobody has come", "it stands", "it runs"])
@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM], ids=lambda sign: sign.name)
def test_a_signal_ends_the_run_with_what_it_has(
    sign: signal.Signals, when: str, simulator: Program, workspace: Workspace
) -> None:
    endless = workspace.write("endless.toml", ENDLESS)
    command = ("run", CONFIGS / "conventional.toml", "--workload", endless, "--quiet", *SMALL)
    with simulator.started(*command, "--gdb", 0, "--out", "out") as process:
        run = waiting(process, IMAGE)
        if when == "nobody has come":
            process.send_signal(sign)
            assert run.ended() == (130, "", "")
        else:
            with Client(run.port) as client:
                assert client.ask("?") == "S05"
                if when == "it runs":
                    client.send("c")
                    time.sleep(0.3)
                process.send_signal(sign)
                assert client.answer() == ("W82" if when == "it runs" else "")
                assert run.ended() == (130, "", "")
    assert '"complete": false' in (simulator.folder / "out" / "summary.json").read_text()


@pytest.mark.slow
def test_a_signal_ends_the_run_of_a_debugger_that_reads_nothing(
    simulator: Program, workspace: Workspace
) -> None:
    endless = workspace.write("endless.toml", ENDLESS)
    command = ("run", CONFIGS / "conventional.toml", "--workload", endless, "--quiet", *SMALL)
    with simulator.started(*command, "--gdb", 0, "--out", "out") as process:
        run = waiting(process, IMAGE)
        with Client(run.port) as client:
            client.socket.settimeout(0.5)
            with pytest.raises(TimeoutError):  # it waits until its answers are read
                while True:
                    client.socket.send(b"$m100000,800#52" * 1000)
            process.send_signal(signal.SIGTERM)
            assert run.ended() == (130, "", "")


def test_a_fault_is_a_signal_and_stands_where_it_is(
    simulator: Program, workspace: Workspace
) -> None:
    image = FIRMWARE / "drive_manners.elf"
    bad_access = sets(buffer__size="10KiB", cpu__firmware=image, precondition__fill=0)
    with debugged(simulator, workspace, *bad_access, image=image) as run:
        said = gdb(run.port, image, "continue", "print manners", "backtrace", "detach")
        status, _, error = run.ended()
    assert in_order(said, "(0x12345678)", "received signal SIGSEGV", "= 5", "#0 ", "misbehave"), (
        said
    )
    assert status == 2 and "request 0, " in error and "manners.c:" in error
    assert not (simulator.folder / "debugged").exists()


def test_a_run_without_time_is_debugged_too(simulator: Program, workspace: Workspace) -> None:
    untimed = sets(fidelity="untimed")
    with debugged(simulator, workspace, *untimed) as run:
        said = gdb(run.port, IMAGE, "break policy_hit", "continue", "delete", "continue")
        assert run.ended() == (0, "", "")
    assert in_order(said, "Breakpoint 1, policy_hit", "exited normally]"), said


# ---- what is refused -----------------------------------------------------------------------------


def refused(simulator: Program, workspace: Workspace, *options: object) -> str:
    before = {*tree(workspace.folder), "workload.toml"}
    done = simulator(*arguments(workspace, "--out", "out", *options))
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    assert {*tree(workspace.folder)} == before
    (line,) = done.stderr.splitlines()
    return line


@pytest.mark.parametrize("model", ["none", "cost", "rtl", "lockstep"])
def test_there_has_to_be_an_interpreter(
    model: str, simulator: Program, workspace: Workspace
) -> None:
    options = ("--gdb", 0, *sets(cpu__model=model))
    assert refused(simulator, workspace, *options) == (
        f'error: <command line>:1: --gdb sees the interpreter, and cpu.model is "{model}"; add '
        "--set cpu.model=iss"
    )


@pytest.mark.parametrize("file", ["profile", "coverage", "trace"])
def test_what_a_debugger_does_not_go_with(
    file: str, simulator: Program, workspace: Workspace
) -> None:
    assert refused(simulator, workspace, "--gdb", 0, f"--firmware-{file}", "file") == (
        f"error: <command line>:1: --gdb does not go with --firmware-{file}; run the image once "
        "more without a debugger"
    )


def test_a_port_in_use_is_refused(simulator: Program, workspace: Workspace) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        line = refused(simulator, workspace, "--gdb", port, "--requests", "requests.csv")
    assert line.startswith(
        f"error: <command line>:1: no debugger can connect to port {port}: Address already in use; "
    )


@pytest.mark.parametrize("port", ["65536", "-1", "x"])
def test_what_is_no_port_is_refused(port: str, simulator: Program, workspace: Workspace) -> None:
    line = refused(simulator, workspace, f"--gdb={port}")
    assert "--gdb" in line and line.endswith("see ./cavern run --help")


def test_what_is_asked_while_the_last_instructions_run_is_answered(
    simulator: Program, workspace: Workspace
) -> None:
    """Of memory and watchpoints that are there until the debugger knows of the end."""
    with debugged(simulator, workspace) as run, Client(run.port) as client:
        code = client.ask("m100080,10")
        assert client.ask("Z2,100080,4") == "OK"
        client.send("c", "m100080,10", "z2,100080,4")
        assert [client.answer() for _ in range(3)] == ["W00", code, "OK"]
        assert run.ended() == (0, "", "")


@pytest.mark.parametrize("spoils", [True, False])
def test_firmware_that_its_debugger_has_spoilt_is_no_fault_of_the_model(
    spoils: bool, simulator: Program, workspace: Workspace
) -> None:
    """The control writes what is there."""
    with debugged(simulator, workspace) as run, Client(run.port) as client:
        code = "00000000" if spoils else client.ask("m100080,4")
        assert client.ask(f"M100080,4:{code}") == "OK"
        assert client.ask("D") == "OK"
        status, out, error = run.ended()
    assert (status, out) == ((2, "") if spoils else (0, ""))
    begins = (
        "error: <command line>:1: firmware built-in drive.elf: start: is an illegal instruction"
    )
    assert error.startswith(begins) == spoils
    assert error.count("\n") == spoils
