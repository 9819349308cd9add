"""Real software on a served drive: programs of Debian 12, unchanged."""

from __future__ import annotations

import hashlib
import json
import os
import random
import signal
import sqlite3
import time
from pathlib import Path

import pytest

from tests.cli.programs import Json, Program, Workspace, sets
from tests.cli.serving import SMALL, Client, Served, run, serving

#: What each translation layer needs beside ftl.scheme.
LAYERS: dict[str, dict[str, object]] = {
    "page": {},
    "dftl": {"ftl__dftl__cmt": 256},
    "bast": {"ftl__log_blocks": 4, "alloc__scheme": "stripe-block"},
    "fast": {"ftl__log_blocks": 4, "alloc__scheme": "stripe-block"},
    "last": {"alloc__scheme": "stripe-block", "ftl__last__random_logs": 3},
    "mcsplit": {"ftl__log_blocks": 8, "alloc__scheme": "stripe-page"},
    "superblock": {
        "alloc__scheme": "stripe-block",
        "ftl__superblock__blocks": 4,
        "ftl__overprovision": 0.3,
    },
    "subgroup": {
        "alloc__scheme": "stripe-page",
        "ftl__subgroup__blocks": 4,
        "ftl__overprovision": 0.6,
    },
    "slc-cache": {
        "nand__part": "tlc-16k",
        "nand__pages_per_block": 24,
        "nand__blocks_per_plane": 12,
        "nand__slc_blocks": 2,
        "ftl__overprovision": 0.4,
        "buffer__size": "256KiB",
    },
}


@pytest.fixture
def drive(workspace: Workspace) -> Path:
    return workspace.write("small.toml", SMALL)


def test_programs_find_a_socket_whatever_its_path(simulator: Program, drive: Path) -> None:
    folder = simulator.folder / "a %&ü"
    folder.mkdir()
    with serving(simulator, drive, "--socket", folder / "s") as served:
        assert served.uri.endswith("/a%20%25%26%C3%BC/s")
        assert served.socket == str(folder / "s")
        for program in (["nbdinfo", "--size"], ["qemu-img", "info"]):
            assert str(served.size) in run(*program, served.uri).replace(",", "")
        fio(served, rw="write", bs="64k", size="1M")
        assert served.stop()["host"]["write"]["count"] == 16


def fio(served: Served, **options: object) -> Json:
    """One job; its first "jobs" entry of the output."""
    given = {
        "name": "job",
        "ioengine": "nbd",
        "uri": served.uri,
        "size": served.size,
        "output-format": "json",
        **options,
    }
    words = (f"--{key}={value}" for key, value in given.items())
    text = run("fio", *words, cwd=served.out)  # where it leaves what it has verified
    job = json.loads(text[text.index("{") :])["jobs"][0]
    assert job["error"] == 0
    return job


def verify(served: Served, seed: int, **options: object) -> Json:
    """Writes at random, 512 bytes to 256 KiB, 32 at a time, and reads all of it back."""
    return fio(
        served,
        rw="randwrite",
        bssplit="512/25:1k/10:4k/40:16k/15:64k/5:256k/5",
        iodepth=32,
        serialize_overlap=1,
        verify="crc32c",
        verify_fatal=1,
        randseed=seed,
        **options,
    )


@pytest.mark.parametrize("scheme", LAYERS)
@pytest.mark.slow
def test_fio_finds_what_it_wrote_on_each_layer(
    scheme: str, drive: Path, simulator: Program
) -> None:
    layer = sets(ftl__scheme=scheme, **LAYERS[scheme])
    with serving(simulator, drive, *layer) as served:
        for seed in range(2):
            job = verify(served, seed)
            assert job["read"]["total_ios"] > 100
            assert job["write"]["io_bytes"] >= served.size * 0.9
        ftl = served.stop()["ftl"]
    assert ftl["waf_pages"] > 1.5


@pytest.mark.nightly
@pytest.mark.parametrize("scheme", LAYERS)
def test_fio_finds_what_it_wrote_on_each_layer_for_longer(
    scheme: str, drive: Path, simulator: Program
) -> None:
    layer = sets(ftl__scheme=scheme, **LAYERS[scheme])
    with serving(simulator, drive, *layer) as served:
        for seed in range(40):
            verify(served, 100 + seed)
        assert served.stop()["ftl"]["waf_pages"] > 1.5


@pytest.mark.slow
def test_fio_notices_a_drive_that_forgets(drive: Path, simulator: Program) -> None:
    """The control: what fio wrote is overwritten before it looks."""
    with serving(simulator, drive) as served:
        verify(served, 1, do_verify=0)
        with served.connect() as client:
            assert client.write(0, bytes(65536)) == 0
        with pytest.raises(AssertionError, match=r"verify|crc32c"):
            verify(served, 1, verify_only=1)


def test_nbdinfo_and_nbdcopy_see_data_and_holes(
    drive: Path, simulator: Program, workspace: Workspace
) -> None:
    with serving(simulator, drive) as served:
        info = json.loads(run("nbdinfo", "--json", served.uri))
        export = info["exports"][0]
        assert export["export-size"] == served.size
        assert export["can_multi_conn"] and export["can_fua"] and export["can_trim"]
        assert export["contexts"] == ["base:allocation"]
        assert (export["block_size_minimum"], export["block_size_maximum"]) == (512, 32 << 20)
        content = bytearray(served.size)
        for at in range(3):
            begin = at * (2 << 20)
            content[begin : begin + 300_000] = random.Random(at).randbytes(300_000)
        source = workspace.write("source.raw", bytes(content))
        run("nbdcopy", "--destination-is-zero", source, served.uri)
        result = simulator.folder / "result.raw"
        run("nbdcopy", served.uri, result)
        assert result.read_bytes() == content
        mapped = json.loads(run("nbdinfo", "--map", "--json", served.uri))
        data = sum(each["length"] for each in mapped if each["type"] == 0)
        assert 900_000 <= data < 1_200_000
        assert sum(each["length"] for each in mapped) == served.size
        assert 'export="cavern"' in run("nbdinfo", "--list", served.uri)


def test_qemu_programs_read_write_and_compare(drive: Path, simulator: Program) -> None:
    with serving(simulator, drive) as served:
        io = ("qemu-io", "-f", "raw", served.uri, "-c")
        assert "wrote 65536/65536" in run(*io, "write -P 0x5a 1M 64k")
        run(*io, "write -z -u 1064960 16k")
        assert "discard" in run(*io, "discard 1M 4k")
        run(*io, "read -P 0x5a 1097728 4k")
        run(*io, "read -P 0 1064960 16k")
        with pytest.raises(AssertionError, match="Pattern verification failed"):
            run(*io, "read -P 0x5b 1097728 4k")
        image = simulator.folder / "image.qcow2"
        run("qemu-img", "convert", "-f", "raw", "-O", "qcow2", served.uri, image)
        compared = run("qemu-img", "compare", "-f", "raw", "-F", "qcow2", served.uri, image)
        assert "identical" in compared


def test_ext4_is_sound_after_it_was_on_the_drive(
    drive: Path, simulator: Program, workspace: Workspace
) -> None:
    tree = simulator.folder / "tree"
    (tree / "folder").mkdir(parents=True)
    for i in range(60):
        (tree / "folder" / f"{i}.bin").write_bytes(random.Random(i).randbytes(50 * i + 1))
    with serving(simulator, drive) as served:
        made = simulator.folder / "made.ext4"
        with made.open("wb") as file:
            file.truncate(served.size // 4096 * 4096)
        run("/sbin/mkfs.ext4", "-q", "-d", tree, made)
        run("nbdcopy", made, served.uri)
        verify_other_half(served)
        back = simulator.folder / "back.ext4"
        run("nbdcopy", served.uri, back)
    assert back.read_bytes()[: made.stat().st_size] == made.read_bytes()
    run("/sbin/e2fsck", "-f", "-n", back)
    dumped = simulator.folder / "17.bin"
    run("/sbin/debugfs", "-R", f"dump folder/17.bin {dumped}", back)
    assert dumped.read_bytes() == random.Random(17).randbytes(50 * 17 + 1)


def verify_other_half(served: Served) -> None:
    """Reads and writes nothing, but has collection move what is there."""
    with served.connect() as client:
        known = client.read(0, 1 << 20)
        for _ in range(4):
            assert client.write(0, known) == 0


def test_sqlite_is_sound_after_it_was_on_the_drive(drive: Path, simulator: Program) -> None:
    image = simulator.folder / "database"
    for turn in range(4):  # through the drive and back, and changed each time
        with sqlite3.connect(image) as database:
            database.execute("create table if not exists t (k integer primary key, v blob)")
            for i in range(300):
                value = hashlib.sha256(f"{turn} {i}".encode()).digest() * 20
                database.execute("insert or replace into t values (?, ?)", (i * (turn + 1), value))
        database.close()
        length = image.stat().st_size
        with serving(simulator, drive) as served:
            with served.connect() as client:
                data = image.read_bytes()
                for at in range(0, length, 65536):
                    assert client.write(at, data[at : at + 65536]) == 0
                image.write_bytes(b"".join(part(client, at, length) for at in steps(length)))
    checked = run("sqlite3", image, "pragma integrity_check; select count(*) from t;")
    assert checked.splitlines()[0] == "ok"
    assert int(checked.splitlines()[1]) > 600


def steps(length: int) -> range:
    return range(0, length, 65536)


def part(client: Client, at: int, length: int) -> bytes:
    return client.read(at, min(65536, length - at))


def test_an_image_keeps_the_contents(drive: Path, simulator: Program) -> None:
    content = random.Random(1).randbytes(1 << 20)
    with serving(simulator, drive, "--image", "drive.raw") as served:
        with served.connect() as client:
            assert client.write(1 << 20, content) == 0
            assert client.do(4, 1 << 20, 65536) == 0  # a TRIM
        served.stop()
    image = simulator.folder / "drive.raw"
    assert image.stat().st_size == served.size
    assert image.stat().st_blocks * 512 < 2 << 20  # with holes
    expected = bytes(65536) + content[65536:]
    assert image.read_bytes()[1 << 20 : 2 << 20] == expected
    with serving(simulator, drive, "--image", "drive.raw") as served:
        with served.connect() as client:
            assert client.read(1 << 20, 1 << 20) == expected
            assert client.read(0, 1 << 20) == bytes(1 << 20)
        summary = served.stop()
    assert summary["host"]["write"]["bytes"] == 0  # the statistics are of the clients alone
    refused = simulator("serve", drive, "--image", "drive.raw", *sets(precondition__fill=0.5))
    assert refused.returncode == 2
    os.truncate(image, served.size + 512)
    refused = simulator("serve", drive, "--image", "drive.raw")
    assert refused.returncode == 2
    assert refused.stderr.startswith("error: drive.raw:1: an image of ")


def test_run_ends_with_its_command_and_has_its_status(drive: Path, simulator: Program) -> None:
    command = 'qemu-io -f raw "$uri" -c "write -P 7 0 4k" && test -S "$unixsocket"'
    done = simulator("serve", drive, "--run", command)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads((simulator.folder / "out/serve/serve.json").read_text())["requests"] > 0
    assert simulator("serve", drive, "--run", "exit 7").returncode == 7


@pytest.mark.slow
def test_a_command_that_does_not_end_keeps_no_server(drive: Path, simulator: Program) -> None:
    command = "trap '' TERM; touch there; exec sleep 60"
    with serving(simulator, drive, "--run", command) as served:
        before = time.monotonic()
        while not (simulator.folder / "there").exists():
            assert time.monotonic() - before < 20
            time.sleep(0.02)
        served.stop(signal.SIGTERM)
