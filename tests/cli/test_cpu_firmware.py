"""cpu.model = iss, rtl or lockstep: compiled firmware decides, and takes its time for it."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from cavern.simulator import BUILD

from tests.cli.mistakes import is_message
from tests.cli.programs import CONFIGS, DEMO_TRACE, Program, sets
from tests.cli.test_requests import load

FIRMWARE = BUILD / "firmware"
CYCLE_NS = 2.5
#: A small drive that soon collects.
SMALL = sets(
    nand__channels=2,
    nand__ways=2,
    nand__blocks_per_plane=64,
    buffer__size="64KiB",
    workload__out_of_range="wrap",
    dram__model="ideal",
)
#: So far apart that no request meets another.
ALONE = sets(workload__speedup=1e-5)
FULL = sets(precondition__fill=1.0)


def run(
    simulator: Program, name: str, limit: int, *settings: object
) -> tuple[dict[str, Any], dict[int, Any]]:
    requests = simulator.folder / f"{name}.csv"
    timed = "fidelity=untimed" not in settings
    summary = simulator.simulate(
        CONFIGS / "conventional.toml",
        name,
        *("--trace", DEMO_TRACE, "--limit", limit),
        *(("--requests", requests) if timed else ()),
        *SMALL,
        *settings,
    )
    return summary, {row["id"]: row for row in load(requests)} if timed else {}


def counts(summary: dict[str, Any]) -> dict[str, Any]:
    """What does not depend on time."""
    timed = ("stall_ns", "in_flight_read_hits")
    return {
        section: {name: value for name, value in summary[section].items() if name not in timed}
        for section in ("buffer", "ftl")
    }


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], dict[int, Any]]:
    program = Program(BUILD / "bin" / "cavern-sim", tmp_path_factory.mktemp("plain"))
    return run(program, "none", 2000, *ALONE, *FULL)


@pytest.mark.parametrize("decides", ["firmware", "lockstep"])
def test_a_request_alone_takes_longer_by_its_cycles(
    decides: str, plain: tuple[dict[str, Any], dict[int, Any]], simulator: Program
) -> None:
    without, before = plain
    settings = sets(cpu__model="iss", cpu__decides=decides)
    executed, after = run(simulator, decides, 2000, *ALONE, *FULL, *settings)
    assert after.keys() == before.keys()
    for number, row in after.items():
        assert row["cpu_ns"] > 0
        assert row["latency_ns"] - before[number]["latency_ns"] == row["cpu_ns"], number
    assert len({row["cpu_ns"] for row in after.values()}) > 20
    assert counts(executed) == counts(without)
    assert without["ftl"]["gc_runs"] > 0
    cpu = executed["cpu"]
    assert cpu["commands"] == cpu["requests"] == 2000
    # The rest follows the doorbell: the processor goes to sleep again.
    assert cpu["busy_ns"] > sum(row["cpu_ns"] for row in after.values())
    assert abs(cpu["cycles"] * CYCLE_NS - cpu["busy_ns"]) < 1
    assert 1 < cpu["cycles"] / cpu["instructions"] < 4


def test_who_waits_for_the_processor_waits_as_long_as_it_is_busy(simulator: Program) -> None:
    """All at once: requests are handled one after the other, in order."""
    settings = sets(cpu__model="iss", workload__arrival="closed", cpu__clock="1MHz")
    summary, rows = run(simulator, "queue", 500, *settings)
    assert summary["cpu"]["utilization"] > 0.9
    waits = sorted(row["cpu_ns"] for row in rows.values())
    assert waits[-1] > 5 * waits[0]
    own, _ = run(simulator, "own", 500, *sets(cpu__model="iss", cpu__clock="1MHz"))
    assert counts(summary) == counts(own)


def test_a_command_may_wait_for_frames_when_the_firmware_has_answered(
    simulator: Program,
) -> None:
    waits = sets(workload__arrival="closed", buffer__dispatch="in-turn")
    settings = sets(cpu__model="iss", cpu__decides="lockstep")
    without, _ = run(simulator, "none", 2000, *waits)
    summary, _ = run(simulator, "iss", 2000, *waits, *settings)
    assert summary["buffer"]["stall_ns"] > 0
    assert counts(summary) == counts(without)


@pytest.mark.slow
def test_other_processors_and_registers_take_the_same_time(simulator: Program) -> None:
    iss, rows = run(simulator, "iss", 60, *ALONE, *sets(cpu__model="iss"))
    untimed = sets(fidelity="untimed", cpu__model="iss")
    assert counts(run(simulator, "untimed", 60, *untimed)[0])["ftl"] == counts(iss)["ftl"]
    for name, settings in {
        "registers": sets(cpu__model="iss", cpu__registers="rtl"),
        "ibex": sets(cpu__model="rtl"),
        "lockstep": sets(cpu__model="lockstep", cpu__registers="rtl"),
    }.items():
        other, others = run(simulator, name, 60, *ALONE, *settings)
        assert counts(other) == counts(iss)
        assert other["cpu"]["instructions"] == iss["cpu"]["instructions"]
        for number, row in others.items():
            assert row["cpu_ns"] == pytest.approx(rows[number]["cpu_ns"], rel=0.01), (name, number)


def test_the_same_run_leaves_the_same_bytes(simulator: Program) -> None:
    for name in ("first", "second"):
        run(simulator, name, 300, *sets(cpu__model="iss"))
    assert (simulator.folder / "first.csv").read_bytes() == (
        simulator.folder / "second.csv"
    ).read_bytes()


def test_an_idle_drive_collects_and_the_processor_is_busy_with_it(simulator: Program) -> None:
    background = sets(ftl__gc_background=40, ftl__gc_background_after="1ms", precondition__fill=1.0)
    without, _ = run(simulator, "none", 500, *background)
    settings = sets(cpu__model="iss", cpu__decides="lockstep")
    executed, _ = run(simulator, "ahead", 500, *background, *settings)
    assert without["ftl"]["gc_runs"] > 0
    assert executed["ftl"]["gc_runs"] > 0
    assert executed["cpu"]["requests"] > executed["cpu"]["commands"] == 500


def damaged(folder: Path, change: str) -> Path:
    image = bytearray((FIRMWARE / "drive.elf").read_bytes())
    if change == "class":
        image[4] = 2  # ELFCLASS64
    elif change == "machine":
        image[18] = 62  # x86-64
    elif change == "cut":
        del image[200:]
    elif change == "outside":
        first = int.from_bytes(image[28:32], "little")  # e_phoff
        image[first + 8 : first + 16] = (0x50000000).to_bytes(4, "little") * 2
    path = folder / "damaged.elf"
    path.write_bytes(image)
    return path


def executed(simulator: Program, *settings: object) -> Any:
    return simulator(
        *("run", CONFIGS / "conventional.toml", "--trace", DEMO_TRACE, "--limit", 10),
        *("--out", "out", "--quiet", *SMALL, *settings),
    )


@pytest.mark.parametrize("change", ["class", "machine", "cut", "outside", "missing"])
def test_an_image_that_cannot_be_executed_is_an_error(
    change: str, simulator: Program, tmp_path: Path
) -> None:
    path = tmp_path / "no.elf" if change == "missing" else damaged(tmp_path, change)
    settings = sets(cpu__model="iss", cpu__firmware=path)
    finished = executed(simulator, *settings)
    assert finished.returncode == 2, finished.stderr
    assert finished.stderr.startswith("error: <command line>:")
    assert finished.stderr.count("\n") == 1 and "; " in finished.stderr
    assert str(path) in finished.stderr
    assert not (simulator.folder / "out").exists()


def test_firmware_that_misbehaves_ends_the_run(simulator: Program) -> None:
    """As many frames as the number of what manners.c does wrong."""
    image = FIRMWARE / "drive_manners.elf"
    for frames, what, function in (
        (3, "cpu.watchdog", "never_answers"),
        (5, "0x12345678", "misbehave"),
    ):
        finished = executed(
            simulator,
            *sets(cpu__model="iss", cpu__firmware=image, cpu__watchdog=5000),
            *sets(buffer__size=f"{frames * 2}KiB"),
        )
        assert is_message(finished.stderr, f"<command line>:#: firmware {image}: *; *"), (
            finished.stderr
        )
        assert finished.returncode == 2
        assert what in finished.stderr and f" in {function}" in finished.stderr
        assert "request 0, " in finished.stderr and "manners.c:" in finished.stderr
        assert not (simulator.folder / "out" / "summary.json").exists()


def code_of(image: bytearray) -> range:
    """Where in the file the segment lies that the processor executes."""
    first = int.from_bytes(image[28:32], "little")  # e_phoff
    for at in range(first, first + 32 * image[44], 32):
        kind, offset, _, _, size, _, flags = (
            int.from_bytes(image[at + 4 * field : at + 4 * field + 4], "little")
            for field in range(7)
        )
        if kind == 1 and flags & 1:  # PT_LOAD, PF_X
            return range(offset, offset + size)
    raise AssertionError("no code")


def flipped(folder: Path, seed: int) -> Path:
    """The image with some bits of its code turned round; seed 0 leaves no instruction."""
    image = bytearray((FIRMWARE / "drive.elf").read_bytes())
    code = code_of(image)
    drawn = random.Random(seed)
    for _ in range(20):
        image[drawn.choice(code)] ^= 1 << drawn.randrange(8)
    if seed == 0:
        image[code.start : code.stop] = bytes(len(code))
    path = folder / "flipped.elf"
    path.write_bytes(image)
    return path


@pytest.mark.parametrize("decides", ["firmware", "lockstep"])
@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 9))]
)
def test_what_a_damaged_image_does_is_the_fault_of_the_image(
    seed: int, decides: str, simulator: Program, tmp_path: Path
) -> None:
    """The program finds no fault with itself."""
    image = flipped(tmp_path, seed)
    settings = sets(cpu__model="iss", cpu__decides=decides, cpu__firmware=image, fidelity="untimed")
    finished = executed(simulator, *settings, *sets(cpu__watchdog=1_000_000))
    if finished.returncode == 0 and seed != 0:  # no bit that these requests meet
        return
    assert finished.returncode == 2, finished.stderr
    assert is_message(finished.stderr, "<command line>:#: firmware *; *"), finished.stderr
    assert not (simulator.folder / "out").exists()


def test_the_built_in_image_is_the_one_that_was_built(simulator: Program) -> None:
    built_in, _ = run(simulator, "built-in", 100, *sets(cpu__model="iss"))
    own = sets(cpu__model="iss", cpu__firmware=FIRMWARE / "drive.elf")
    assert run(simulator, "own", 100, *own)[0]["cpu"] == built_in["cpu"]
