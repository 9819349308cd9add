"""A drive that is served loses its power: clients come again and look for what they had flushed."""

from __future__ import annotations

import random
import re
import shutil
import signal
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from cavern.bench import instructions

from tests.cli.programs import CONFIGS, Program, sets
from tests.cli.serving import FLUSH, FUA, SMALL, TRIM, WRITE, Client, Served, run, serving, told

BLOCK = 4096
SECTOR = 512
ON_SIGNAL = ("--set", "power_loss.on_signal=true")
PLP = ("--set", "power_loss.recovery=plp", "--set", "power_loss.energy=20000uJ")
LINE = re.compile(
    r"power lost at ([\d.]+) ms: (\d+) pages acknowledged, (\d+) of them flushed; (\d+) recovered, "
    r"(\d+) lost without a flush, (\d+) lost after one, (\d+) with wrong data; "
    r"back after ([\d.]+) ms\n"
)


class Diary:
    """A client that remembers, of each block, what it has written and what it may find."""

    def __init__(self, served: Served, seed: object, fua: float = 0.1) -> None:
        self.served = served
        self.client: Client = served.connect()
        self.draw = random.Random(str(seed))
        self.blocks = served.size // BLOCK // 4  # often the same ones
        self.written: dict[int, int] = {}  #: the newest version asked for; 0: zeros
        self.done: dict[int, int] = {}  #: the newest one answered
        self.durable: dict[int, int] = {}  #: that has been flushed
        self.trims: dict[int, set[int]] = {}
        self.version = 0
        self.fua = fua  #: share of the writes
        self.open: dict[int, tuple[int, int, bool]] = {}  #: by cookie: writes without an answer

    @staticmethod
    def data(block: int, version: int) -> bytes:
        sector = version.to_bytes(8, "big") + block.to_bytes(8, "big")
        return sector * (BLOCK // len(sector))

    def write(self, *, answered: bool = True) -> None:
        block = self.draw.randrange(self.blocks)
        fua = self.draw.random() < self.fua
        self.version += 1
        self.written[block] = self.version
        data = self.data(block, self.version)
        self.client.ask(WRITE, block * BLOCK, BLOCK, data, FUA if fua else 0)
        self.open[self.client.cookie] = (block, self.version, fua)
        if answered:
            self.take_answer()

    def take_answer(self) -> None:
        magic, error, cookie = struct.unpack(">IIQ", self.client.receive(16))
        assert magic == 0x67446698
        assert error == 0
        block, version, fua = self.open.pop(cookie)
        self.done[block] = max(self.done.get(block, 0), version)
        if fua:
            self.durable[block] = max(self.durable.get(block, 0), version)

    def trim(self) -> None:
        block = self.draw.randrange(self.blocks)
        self.version += 1
        self.written[block] = self.version
        self.trims.setdefault(block, set()).add(self.version)
        assert self.client.do(TRIM, block * BLOCK, BLOCK) == 0
        self.done[block] = self.version

    def flush(self) -> None:
        assert self.client.do(FLUSH) == 0
        self.durable |= self.done

    def work(self, requests: int) -> None:
        for _ in range(requests):
            what = self.draw.random()
            if what < 0.05:
                self.flush()
            elif what < 0.1:
                self.trim()
            else:
                self.write()

    def leave_open(self, requests: int) -> None:
        """Writes without waiting for their answers."""
        for _ in range(requests):
            self.write(answered=False)

    def come_again(self) -> None:
        """It was cut off; what had been answered before counts."""
        with pytest.raises((EOFError, ConnectionError)):
            while True:
                self.take_answer()
        self.open.clear()
        self.client = self.served.connect()

    def look(self, least: dict[int, int]) -> tuple[list[int], int]:
        """Blocks that are older than in `least`, and how many are older than what was answered."""
        old: list[int] = []
        older = 0
        for block in sorted(self.written):
            data = self.client.read(block * BLOCK, BLOCK)
            versions = {
                self.version_of(block, data[at : at + SECTOR]) for at in range(0, BLOCK, SECTOR)
            }
            may_be_zeros = {0} | self.trims.get(block, set())
            newest = self.written[block]
            assert max(versions) <= newest, (block, versions)
            floor = least.get(block, 0)
            # Zeros are a TRIM, or nothing that was ever there.
            found = min(max(may_be_zeros) if version == 0 else version for version in versions)
            if found < floor:
                old.append(block)
            older += found < self.done.get(block, 0)
            # What is there now stays.
            self.written[block] = max(versions)
            self.done[block] = self.durable[block] = min(versions)
            self.trims[block] = {0} if versions == {0} else set()
        return old, older

    @staticmethod
    def version_of(block: int, sector: bytes) -> int:
        if sector == bytes(SECTOR):
            return 0
        version = int.from_bytes(sector[:8], "big")
        assert sector == Diary.data(block, version)[:SECTOR], block
        return version


def cut(served: Served) -> re.Match[str]:
    served.process.send_signal(signal.SIGUSR1)
    return said(served)


def said(served: Served) -> re.Match[str]:
    assert served.process.stdout is not None
    line = served.process.stdout.readline()
    found = LINE.fullmatch(line)
    assert found is not None, line
    return found


@contextmanager
def small(simulator: Program, *arguments: object) -> Iterator[Served]:
    drive = simulator.folder / "small.toml"
    drive.write_text(SMALL)
    with serving(simulator, drive, *arguments) as served:
        yield served


@pytest.mark.parametrize("layer", ["page", "dftl", "bast", "fast"])
def test_what_was_flushed_is_there_after_each_cut(simulator: Program, layer: str) -> None:
    """The control: what was answered and not flushed may be gone, and some of it is."""
    settings = {
        "page": {"alloc__scheme": "cwdp"},
        "dftl": {"alloc__scheme": "stripe-page", "ftl__map_cache": "1KiB"},
        "bast": {"alloc__scheme": "block-round-robin", "alloc__block-round-robin__mode": "move"},
        "fast": {"alloc__scheme": "stripe-block"},
    }[layer]
    more = sets(ftl__scheme=layer, ftl__overprovision=0.6, **settings)
    lost = flushed = 0
    with small(simulator, *ON_SIGNAL, *more) as served:
        diary = Diary(served, layer)
        for number in range(8):
            diary.work(150)
            if number % 2 == 0:
                diary.leave_open(20)
            found = cut(served)
            diary.come_again()
            least = dict(diary.durable)
            flushed += len(least)
            old, older = diary.look(least)
            assert old == []
            lost += older
            assert int(found[6]) == int(found[7]) == 0
            assert int(found[2]) == int(found[4]) + int(found[5]) > 0
            assert float(found[8]) > 0
        summary = served.stop()
    assert lost > 0 < flushed
    recovery = summary["recovery"]
    assert recovery["cuts"] == 8
    assert recovery["lost_flushed"] == recovery["wrong_data"] == recovery["corrupt"] == 0
    assert recovery["lost_unflushed"] > 0
    cuts = told(simulator, served)["power_cuts"]
    assert len(cuts) == 8
    assert sum(each["recovered"] for each in cuts) == recovery["recovered"]
    assert [each["at_ns"] for each in cuts] == sorted(each["at_ns"] for each in cuts)


#: Pages of a word line share cells, and nothing protects them.
TLC = sets(
    ftl__scheme="page",
    ftl__overprovision=0.6,
    alloc__scheme="cwdp",
    nand__t_program='["200us","200us","200us"]',
    nand__t_read='["25us","25us","25us"]',
    nand__pages_per_block=30,
)


@pytest.mark.parametrize("protected", [True, False])
def test_a_client_sees_with_its_own_eyes_what_a_drive_loses(
    simulator: Program, protected: bool
) -> None:
    """A drive that tears what was flushed: client, server and exit status say so."""
    lost: list[int] = []
    told = 0
    ends = ("--set", f"power_loss.ends_programs={str(protected).lower()}")
    with small(simulator, *ON_SIGNAL, *TLC, *ends) as served:
        diary = Diary(served, "tlc", fua=0.9)
        for _ in range(12):
            diary.work(30)
            diary.leave_open(200)
            found = cut(served)
            told += int(found[6])
            diary.come_again()
            lost += diary.look(dict(diary.durable))[0]
        served.process.send_signal(signal.SIGINT)
        _, errors = served.process.communicate(timeout=30)
    assert (lost == []) == (told == 0) == protected
    assert served.process.returncode == (0 if protected else 1)
    assert errors.startswith("error: power loss: ") == (not protected)


def test_stored_energy_keeps_all_that_was_answered(simulator: Program) -> None:
    more = sets(ftl__scheme="page", ftl__overprovision=0.6, alloc__scheme="cwdp")
    with small(simulator, *ON_SIGNAL, *more, *PLP) as served:
        diary = Diary(served, "plp")
        drained = 0
        for _ in range(6):
            diary.work(150)
            diary.leave_open(20)
            answered = dict(diary.done)
            found = cut(served)
            diary.come_again()
            assert diary.look(answered) == ([], 0)
            assert int(found[2]) == int(found[4])
        drained = served.stop()["recovery"]["drained_pages"]
    assert drained > 0


def test_the_power_goes_at_an_instant_of_the_drive(simulator: Program) -> None:
    """Once; and the drive is the same to the next clients, mount time included."""
    more = sets(ftl__scheme="page", ftl__overprovision=0.6, power_loss__at="20ms")
    with small(simulator, *more) as served:
        diary = Diary(served, "at")
        with pytest.raises((EOFError, ConnectionError)):
            diary.work(100_000)
        found = said(served)
        assert float(found[1]) == 20
        diary.client = served.connect()
        assert diary.look(dict(diary.durable))[0] == []
        diary.work(1000)
        summary = served.stop()
    assert summary["recovery"]["cuts"] == 1
    # Statistics are those since the cut.
    assert summary["host"]["write"]["count"] < 1100


def test_the_power_of_an_idle_drive_goes_in_time(simulator: Program) -> None:
    more = sets(ftl__scheme="page", ftl__overprovision=0.6, power_loss__at="300ms")
    with small(simulator, *more, "--time", "real") as served:
        diary = Diary(served, "idle")
        diary.work(20)
        diary.flush()
        assert float(said(served)[1]) == 300
        diary.come_again()
        assert diary.look(dict(diary.done)) == ([], 0)
        served.stop()


def test_real_programs_come_again(simulator: Program) -> None:
    """nbdcopy flushes at its end: the image is there after a cut, byte by byte."""
    if shutil.which("nbdcopy") is None:
        pytest.skip("libnbd-bin is not installed")
    more = sets(ftl__scheme="page", ftl__overprovision=0.6, alloc__scheme="cwdp")
    with small(simulator, *ON_SIGNAL, *more) as served:
        image = simulator.folder / "image"
        image.write_bytes(random.Random(1).randbytes(served.size // 2))
        back = simulator.folder / "back"
        run("nbdcopy", "--flush", image, served.uri)
        Diary(served, "beside").work(50)
        cut(served)
        run("nbdcopy", served.uri, back)
        data = back.read_bytes()
        written = image.read_bytes()
        blocks = served.size // BLOCK // 4
        assert data[blocks * BLOCK : len(written)] == written[blocks * BLOCK :]
        assert data != written


def test_many_cuts_leave_nothing_behind(simulator: Program) -> None:
    """Kernels and drives that are gone take no memory."""
    more = sets(ftl__scheme="page", ftl__overprovision=0.6, alloc__scheme="cwdp")
    with small(simulator, *ON_SIGNAL, *more) as served:
        diary = Diary(served, "many")
        sizes = []
        for _ in range(40):
            diary.work(30)
            cut(served)
            diary.come_again()
            diary.look(dict(diary.durable))
            sizes.append(int(Path(f"/proc/{served.process.pid}/statm").read_text().split()[1]))
        served.stop()
    assert sizes[-1] - sizes[10] < 1000  # pages of 4 KiB


@pytest.mark.slow
@pytest.mark.skipif(not instructions.available(), reason=instructions.MISSING)
def test_a_drive_that_was_cut_ends_without_memory_that_is_gone(simulator: Program) -> None:
    """Two of a hundred ended by a signal, with all results written: SystemC reads at the exit."""
    watched = simulator.folder / "watched"
    watched.write_text(f'#!/bin/sh\nexec valgrind -q --error-exitcode=9 "{simulator.path}" "$@"\n')
    watched.chmod(0o755)
    with small(Program(watched, simulator.folder), *ON_SIGNAL) as served:
        cut(served)
        served.stop()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([*ON_SIGNAL, "--set", "ftl.scheme=zoned"], "which cannot be rebuilt"),
        ([*ON_SIGNAL, "--decisions", "decisions.jsonl"], "--decisions ends"),
        (["--set", "power_loss.cuts=3"], "power_loss.at"),
    ],
)
def test_what_cannot_be_cut_is_refused(
    simulator: Program, arguments: list[object], message: str
) -> None:
    finished = simulator("serve", CONFIGS / "conventional.toml", "--out", "no", *arguments)
    assert finished.returncode == 2
    assert message in finished.stderr
    assert finished.stderr.count("\n") == 1
    assert not (simulator.folder / "no").exists()


def test_a_run_hears_no_signal(simulator: Program) -> None:
    finished = simulator(
        "run", CONFIGS / "conventional.toml", *ON_SIGNAL, "--set", "ftl.scheme=page"
    )
    assert finished.returncode == 2
    assert "serve the drive" in finished.stderr
