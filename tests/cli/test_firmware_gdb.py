"""`cavern firmware --gdb`: Debian's GDB debugs firmware; the connection, however it ends."""

from __future__ import annotations

import re
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from cavern.simulator import BUILD

from tests.cli.firmware_debugging import Client, Debugged, in_order, waiting
from tests.cli.firmware_debugging import gdb as gdb_on
from tests.cli.programs import ROOT, Program

FIRMWARE = BUILD / "firmware"
#: firmware/debugger/orders.c
IMAGE = FIRMWARE / "debugger.elf"
SOURCE = (ROOT / "firmware" / "debugger" / "orders.c").read_text().splitlines()
LOG = "15 and 45, 60 in all\n"
SUMMARY = r"\d+ instructions, \d+ cycles, [\d.]+ M instructions/s\n"


def line_with(part: str) -> int:
    (number,) = [i for i, line in enumerate(SOURCE, 1) if part in line]
    return number


@contextmanager
def debugged(simulator: Program, *options: object, image: object = IMAGE) -> Iterator[Debugged]:
    with simulator.started("firmware", image, "--gdb", 0, *options) as process:
        yield waiting(process, image)


# ---- GDB -----------------------------------------------------------------------------------------


def gdb(port: int, *commands: str) -> str:
    return gdb_on(port, IMAGE, *commands)


def test_parts_in_another_order_are_found() -> None:
    assert in_order("a b c", "a", "c")
    assert not in_order("a b c", "c", "a") and not in_order("a b", "b", "b")


def source_line(part: str) -> str:
    """As GDB prints it where it stops: number, tab, text."""
    number = line_with(part)
    return f"{number}\t{SOURCE[number - 1]}"


def test_breaks_steps_prints_and_runs_to_the_end(simulator: Program) -> None:
    with debugged(simulator) as run:
        said = gdb(
            run.port,
            "break main",
            "continue",
            "next",
            "step",
            "print count",
            "backtrace",
            "break take if count == 15",
            "continue",
            "backtrace",
            "print *item",
            "print items[1].stock",
            "delete",
            "continue",
        )
        assert run.ended()[:2] == (0, LOG)
    assert in_order(
        said,
        "Breakpoint 1, main () at firmware/debugger/orders.c:",
        source_line("order(5)"),
        "order (count=",
        "$1 = 5",
        "#0  order (count=",
        "#1 ",
        "in main () at firmware/debugger/orders.c:",
        "Breakpoint 2, take (item=",
        "=15)",
        "#0  take (",
        "#1 ",
        "in order (count=",
        "#2 ",
        "in main ()",
        "name = 0x",
        '"bolt", stock = 35}',
        "= 25",
        "exited normally]",
    ), said


def test_a_watchpoint_holds_where_the_variable_changes(simulator: Program) -> None:
    with debugged(simulator) as run:
        said = gdb(
            run.port,
            "break main",
            "continue",
            "watch delivered",
            "continue",
            "continue",
            "delete",
            "rwatch items[2].stock",
            "continue",
            "continue",
        )
        # It was left where it stood: a debugger that ends detaches, and the run goes on.
        assert run.ended()[:2] == (0, LOG)
    assert "Hardware watchpoint 2: delivered" in said
    change = ("Old value = {}", "New value = {}", "take (item=", source_line("return count;"))
    first = [part.format(value) for part, value in zip(change, (0, 5, "", ""), strict=True)]
    second = [part.format(value) for part, value in zip(change, (5, 10, "", ""), strict=True)]
    read = ("Hardware read watchpoint 3: items[2].stock", "Value = 20", "Value = 15")
    assert in_order(said, *first, *second, *read), said


def test_what_never_happens_holds_nothing(simulator: Program) -> None:
    with debugged(simulator) as run:
        said = gdb(
            run.port,
            "break take if count == 16",
            f"break orders.c:{line_with('only %u left')}",
            "continue",
        )
        assert run.ended()[:2] == (0, LOG)
    assert "Breakpoint 2 at " in said and "exited normally]" in said
    assert not re.search(r"^Breakpoint \d+, ", said, re.MULTILINE), said


def test_instructions_registers_and_memory(simulator: Program) -> None:
    with debugged(simulator) as run:
        said = gdb(
            run.port,
            "print $pc",
            "stepi",
            "x/i $pc",
            "info registers mcycle",
            "monitor cycles",
            "set var $mscratch = 0x1234",
            "print/x $mscratch",
            "print/x $misa",
            "break main",
            "continue",
            "set var items[0].stock = 6",
            "print items[0]",
            "x/2xw 0x40010000",
            "delete",
            "continue",
        )
        status, log, _ = run.ended()
    assert in_order(
        said,
        "$1 = (void (*)()) 0x100080 <_start>",
        "=> 0x100084 <start>:",
        "mcycle         0x5",  # 3 of reset and 2 of a jump
        "5 cycles, 1 instructions",
        "0x1234",
        "0x40101104",
        "stock = 6}",
        "Cannot access memory at address 0x40010000",  # a device
        "exited normally]",
    ), said
    # 5 bolts of 6, then none of 15.
    assert (status, log) == (0, "bolt: only 1 left\n15 and 30, 45 in all\n")


def test_resets_and_debugs_once_more(simulator: Program) -> None:
    again = ("break order", "continue", "print delivered", "continue", "print delivered")
    with debugged(simulator) as run:
        said = gdb(
            run.port,
            *again,
            "monitor reset",
            "maintenance flush register-cache",
            "print $pc",
            *again[1:],
            "kill",
        )
        status, log, error = run.ended()
    values = [f"= {value}\n" for value in (0, 15)]
    assert in_order(said, *values, "<_start>", *values), said
    assert (status, log) == (1, "")
    assert re.fullmatch(
        rf"{SUMMARY}error: {IMAGE}: was ended by the debugger, at 0x\w+ in order \(orders\.c:"
        r"\d+\)\n",
        error,
    ), error


def test_a_fault_is_a_signal(simulator: Program) -> None:
    with debugged(simulator) as run:
        said = gdb(
            run.port, "break main", "continue", "set var $pc = 0x200000", "continue", "print $pc"
        )
        status, _, error = run.ended()
    assert in_order(
        said,
        "0x00200000 fetches from where no instruction memory is",
        "received signal SIGSEGV",
        "0x200000",
    ), said
    assert status == 1
    assert "fetches from where no instruction memory is; with --traps" in error


def test_debugging_does_not_change_the_run(simulator: Program) -> None:
    plain = simulator("firmware", IMAGE)
    with debugged(simulator) as run:
        gdb(run.port, "break take", "watch delivered", *["continue"] * 10, "delete", "continue")
        status, log, error = run.ended()
    assert (status, log) == (0, plain.stdout)
    counts = re.compile(r"\d+ instructions, \d+ cycles")
    assert counts.findall(error) == counts.findall(plain.stderr) != []


# ---- the connection ------------------------------------------------------------------------------


def test_ctrl_c_stops_what_runs(simulator: Program) -> None:
    options = ("--max-instructions", 10**15)
    with debugged(simulator, *options) as run, Client(run.port) as client:
        assert client.ask("M100080,4:6f000000") == "OK"  # a jump to itself
        client.send("c")
        time.sleep(0.1)
        client.socket.sendall(b"\x03")
        assert client.answer() == "S02"
        assert client.ask("p20") == "80001000"
        assert client.ask("P20=84001000") == "OK"
        assert client.ask("s") == "S05"
        assert client.ask("p20") == "88001000"
        client.send("k")
        assert run.ended()[0] == 1


@pytest.mark.parametrize("how", ["detach", "break off", "break off while it runs"])
def test_a_debugger_that_leaves_lets_it_run(how: str, simulator: Program) -> None:
    with debugged(simulator, image=IMAGE) as run, Client(run.port) as client:
        if how == "detach":
            assert client.ask("Z0,100080,4") == "OK"
            assert client.ask("D") == "OK"
        elif how == "break off while it runs":
            client.send("c")
        client.socket.close()
        assert run.ended()[:2] == (0, LOG)


def test_the_watchdog_ends_a_debugged_run(simulator: Program) -> None:
    with debugged(simulator, "--max-instructions", 500) as run, Client(run.port) as client:
        client.send("c")
        assert client.answer().startswith("O")  # for the console
        assert client.answer() == "X18"
        assert client.answer() == ""
        status, _, error = run.ended()
    assert status == 1 and "is still running after 500 instructions, at 0x" in error


def test_noise_gets_no_answer_and_harms_nothing(simulator: Program) -> None:
    with debugged(simulator) as run, Client(run.port) as client:
        client.socket.sendall(bytes(range(1, 36)) + b"GET / HTTP/1.1\r\n\r\n" + b"\xff" * 100_000)
        assert client.ask("?") == "S05"
        assert client.ask("vCont;c") == "W00"
        assert run.ended()[:2] == (0, LOG)


def test_it_listens_on_this_machine_alone(simulator: Program) -> None:
    with debugged(simulator) as run:
        # 127.0.0.2 is this machine too, but not the address that it listens on.
        with pytest.raises(OSError):
            socket.create_connection(("127.0.0.2", run.port), timeout=5)
        with Client(run.port) as client:
            assert client.ask("?") == "S05"
            with pytest.raises(OSError):  # nobody else gets in
                Client(run.port)
            client.send("k")
            run.ended()


@pytest.mark.parametrize("port", ["65536", "-1", "x", "1e3", ""])
def test_what_is_no_port_is_refused(port: str, simulator: Program) -> None:
    done = simulator("firmware", IMAGE, f"--gdb={port}")
    assert done.returncode == 2 and done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert re.fullmatch(r"error: <command line>:1: .*--gdb.*; see \./cavern firmware --help", line)


def test_a_port_in_use_is_refused(simulator: Program) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        done = simulator("firmware", IMAGE, "--gdb", port, "--log", "log")
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr == (
        f"error: <command line>:1: no debugger can connect to port {port}: Address already in use; "
        "give another one with --gdb, or 0 for any that is free\n"
    )
    assert list(simulator.folder.iterdir()) == []


@pytest.mark.parametrize(
    ("options", "what"),
    [
        (("--cpu", "rtl"), "--gdb does not go with --cpu rtl; a debugger sees the interpreter"),
        (("--cpu", "lockstep"), "--gdb does not go with --cpu lockstep; a debugger sees"),
        (("--trace", "t"), "--gdb does not go with --trace; run the image once more"),
        (("--profile", "p"), "--gdb does not go with --profile; run the image once more"),
        (("--coverage", "c"), "--gdb does not go with --coverage; run the image once more"),
    ],
)
def test_what_a_debugger_does_not_go_with(
    options: tuple[str, ...], what: str, simulator: Program
) -> None:
    done = simulator("firmware", IMAGE, "--gdb", 0, *options)
    assert done.returncode == 2 and done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"error: <command line>:1: {what}")
    assert list(simulator.folder.iterdir()) == []
