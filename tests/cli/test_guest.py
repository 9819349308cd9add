"""A Linux guest, without KVM, whose disk is the served drive: a file system, fio, SQLite inside."""

from __future__ import annotations

import csv
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.programs import ROOT, Json, Program, Workspace
from tests.cli.serving import SMALL, Served, run, serving
from tests.cli.test_readme import check, commands_of

pytestmark = pytest.mark.slow

BOOT = ROOT / "examples" / "guest" / "boot.py"
SCRIPTS = ROOT / "examples" / "guest"
#: A second of the drive on the wall, in the document.
DILATION = 20

#: Room for a file system with a journal, and for files.
DRIVE = SMALL.replace("blocks_per_plane = 32", "blocks_per_plane = 192")


@pytest.fixture(scope="session")
def kernel() -> None:
    """Debian's kernel is there; ./cavern test has got it already."""
    run(sys.executable, BOOT, "--fetch")


@pytest.fixture
def drive(workspace: Workspace, kernel: None) -> Path:
    return workspace.write("guest.toml", DRIVE)


def boot(served: Served, script: Path, *options: object) -> subprocess.CompletedProcess[str]:
    """Runs a script in a guest; its files come to the folder guest beside the results."""
    command = [sys.executable, BOOT, "--disk", served.uri, "--out", served.out / "guest"]
    return subprocess.run(
        [str(word) for word in (*command, "--timeout", 900, *options, script)],
        capture_output=True,
        text=True,
        check=False,
    )


def checked(served: Served) -> subprocess.CompletedProcess[str]:
    """What e2fsck says of the drive from outside; it repairs nothing."""
    image = served.out / "image"
    run("nbdcopy", served.uri, image)
    return subprocess.run(
        ["/sbin/e2fsck", "-f", "-n", image], capture_output=True, text=True, check=False
    )


# ---- what the document shows --------------------------------------------------------------------

#: Where its commands leave what its guest did.
SHOWN = ROOT / "out" / "real" / "guest"


def job(name: str) -> Json:
    job = json.loads((SHOWN / "files" / name).read_text())["jobs"][0]
    assert job["error"] == 0
    return job


def sound(image: Path) -> bool:
    command = ["/sbin/e2fsck", "-f", "-n", str(image)]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def test_a_guest_uses_the_drive_as_its_disk(kernel: None, set_up: None, tmp_path: Path) -> None:
    """The commands of the document run; then a look at what they left."""
    check(commands_of("docs/real-software.md"))
    # "Every byte was in a page of the modelled flash": nothing that fio read was in the buffer, and
    # all of it had been written.
    first = json.loads((ROOT / "out" / "real" / "fio" / "summary.json").read_text())
    pages = 32 * 2**20 // 4096
    assert first["buffer"]["read_hits"] == first["buffer"]["zero_reads"] == 0
    assert first["buffer"]["read_misses"] == first["ftl"]["host_pages"] == pages
    verified = job("verify.json")
    assert verified["write"]["total_ios"] == verified["read"]["total_ios"] == 1024
    assert sound(SHOWN / "disk")
    # The control: bitmaps and inodes that nobody repairs.
    damaged = Path(shutil.copy(SHOWN / "disk", tmp_path / "damaged"))
    with damaged.open("r+b") as image:
        image.seek(64 * 1024)
        image.write(bytes(range(256)) * 256)
    assert not sound(damaged)
    seen = job("read.json")["read"]
    with (SHOWN / "requests.csv").open() as lines:
        reads = [row for row in csv.DictReader(lines) if row["op"] == "R"]
    # The others of this size are few.
    modelled = sorted(int(row["latency_ns"]) for row in reads if row["size"] == "16384")
    assert len(modelled) >= seen["total_ios"] == 512
    # The guest sees what the model says, and what QEMU and its translated code take.
    median = modelled[len(modelled) // 2] * DILATION
    taken = seen["clat_ns"]["percentile"]["50.000000"]
    assert 0.98 * median < taken < median + 20_000_000


# ---- SQLite -------------------------------------------------------------------------------------


def pull_the_plug(served: Served, script: Path, after: int) -> int:
    """Ends a guest in the middle of its transactions; the last that it has said is committed."""
    command = [sys.executable, str(BOOT), "--disk", served.uri, "--timeout", "900", str(script)]
    committed = 0
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as guest:
        assert guest.stdout is not None
        for line in guest.stdout:
            found = re.match(r"committed (\d+)\s*$", line)
            committed = int(found[1]) if found else committed
            if committed == after:
                guest.terminate()
    return committed


def transact_and_look(served: Served, workspace: Workspace, journal: str, synchronous: str) -> None:
    settings = f"journal={journal}\nsynchronous={synchronous}\n"
    script = workspace.write("script.sh", settings + (SCRIPTS / "transactions.sh").read_text())
    committed = pull_the_plug(served, script, 40)
    assert committed >= 40
    done = boot(served, SCRIPTS / "integrity.sh")
    assert done.returncode == 0, done
    sound, counted, sums = (served.out / "guest" / "integrity").read_text().split()
    assert (sound, sums) == ("ok", "1|1")
    count, last = counted.split("|")
    # A few more may have been committed before the plug was out than the console has shown.
    assert committed <= int(count) == int(last)


@pytest.mark.nightly
def test_sqlite_in_a_guest_outlives_the_plug(
    drive: Path, simulator: Program, workspace: Workspace
) -> None:
    with serving(simulator, drive) as served:
        transact_and_look(served, workspace, "delete", "extra")
        assert checked(served).returncode == 0


@pytest.mark.nightly
@pytest.mark.parametrize("journal", ["delete", "truncate", "persist", "wal"])
def test_sqlite_with_each_journal(
    journal: str, drive: Path, simulator: Program, workspace: Workspace
) -> None:
    for _ in range(3):
        with serving(simulator, drive) as served:
            transact_and_look(served, workspace, journal, "extra")


@pytest.mark.nightly
def test_sqlite_that_does_not_sync_loses_what_it_committed(
    drive: Path, simulator: Program, workspace: Workspace
) -> None:
    """The control."""
    with (
        serving(simulator, drive) as served,
        pytest.raises((AssertionError, ValueError)),
    ):
        transact_and_look(served, workspace, "delete", "off")
