"""Files of a run that are packed: read as if they were not, and refused where they are damaged."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from cavern.errors import InputError, NotAvailableError
from cavern.plots.finding import load_runs
from cavern.plots.life import find_life
from cavern.plots.requests_csv import read_requests
from cavern.plots.stacks import read_stacks
from cavern.reading.json_file import read_json
from cavern.reading.packed import opened, packed_or_plain

from tests.plots.made_runs import RunMaker


def zstd(content: bytes) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as stream:
        stream.write(content)
    packed: bytes = sink.getvalue().to_pybytes()
    return packed


PACKERS = {".gz": gzip.compress, ".zst": zstd}
PACKED = pytest.mark.parametrize(("ending", "pack"), PACKERS.items(), ids=PACKERS)

Pack = Callable[[bytes], bytes]


def pack_file(path: Path, ending: str, pack: Pack) -> Path:
    """The file packed, in its place."""
    packed = path.with_name(path.name + ending)
    packed.write_bytes(pack(path.read_bytes()))
    path.unlink()
    return packed


@PACKED
def test_a_run_is_read_whose_files_are_packed(ending: str, pack: Pack, runs: RunMaker) -> None:
    directory = runs.write("packed")
    for name in ("requests.csv", "timeline.json", "power.csv"):
        pack_file(directory / name, ending, pack)
    plain, (packed,) = runs.load("plain"), load_runs([directory])
    requests = read_requests(plain.directory / "requests.csv")
    for name, values in read_requests(packed.directory / f"requests.csv{ending}").columns.items():
        assert np.array_equal(values, requests[name])
    assert len(packed.requests) == len(requests) == 20
    assert packed.timeline.extent == plain.timeline.extent
    assert np.array_equal(packed.power.edges, plain.power.edges)
    path = packed.file("requests.csv", "requests")
    assert path.name == f"requests.csv{ending}"
    assert find_life(path, 3) == find_life(plain.directory / "requests.csv", 3)


@PACKED
def test_what_is_packed_and_damaged_is_refused(ending: str, pack: Pack, runs: RunMaker) -> None:
    path = pack_file(runs.write() / "requests.csv", ending, pack)
    whole = path.read_bytes()
    changed = bytearray(whole)
    changed[len(whole) // 2] ^= 0xFF
    for content in (whole[: len(whole) // 2], bytes(changed), b"no such thing"):
        path.write_bytes(content)
        with pytest.raises(InputError, match=rf"requests\.csv{ending}:"):
            read_requests(path)
    path.write_bytes(pack(b"main 7\n"))
    assert read_stacks(path).cycles == 7
    path.write_bytes(pack(b'{"a": 1}'))
    assert read_json(path, "an object")[0] == {"a": 1}


def test_the_plain_file_goes_first_and_none_is_said(tmp_path: Path, runs: RunMaker) -> None:
    path = tmp_path / "x.csv"
    assert packed_or_plain(path) is None
    for ending in (".zst", ".gz", ""):
        path.with_name(f"x.csv{ending}").write_bytes(b"x")
        assert packed_or_plain(path) == path.with_name(f"x.csv{ending}")
    with opened(path) as file:
        assert file.read() == b"x"
    run = runs.load()
    (run.directory / "requests.csv").unlink()
    with pytest.raises(NotAvailableError, match="no requests.csv"):
        run.file("requests.csv", "requests")
